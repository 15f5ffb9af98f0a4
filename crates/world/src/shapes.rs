//! Shapes on bodies: how they hang on them and enter the broad phase, and how a caller adds,
//! removes and exchanges them.

use drystone_broad_phase::ProxyDef;
use drystone_geometry::{MassProperties, Pose, rotation};
use drystone_solver::Bend;

use crate::def::{BodyKind, Filter, Material, ShapeDef};
use crate::error::{DefError, StaleKey};
use crate::mass::mass_of;
use crate::record::{NONE, ShapeRecord};
use crate::replay::Command;
use crate::world::put;
use crate::{BodyKey, ShapeKey, World, check};

impl World {
    /// The shapes of a body, newest first.
    pub(crate) fn shapes_of(&self, body: u32) -> impl Iterator<Item = u32> + '_ {
        let mut at = self.bodies[body as usize].first_shape;
        std::iter::from_fn(move || {
            let shape = at;
            (shape != NONE).then(|| {
                at = self.shapes[shape as usize].next;
                shape
            })
        })
    }

    /// Gives a body one more shape, which the broad phase does not know yet.
    pub(crate) fn attach_shape(&mut self, body: u32, def: &ShapeDef) -> Result<(), DefError> {
        let (index, key) = self.shape_keys.insert()?;
        let def = ShapeDef {
            pose: Pose {
                rotation: rotation::normalize(def.pose.rotation),
                ..def.pose
            },
            ..def.clone()
        };
        let mut record = ShapeRecord::new(key, body, &def);
        record.center_on(self.bodies[body as usize].center);
        record.rest_frame = record.frame_on(&self.pose_of(body).to_frame());
        let owner = &mut self.bodies[body as usize];
        owner.had_surface |= record.shape.surface().is_some();
        record.next = owner.first_shape;
        if let Some(newest) = self.shapes.get_mut(record.next as usize) {
            // Those before it share the body already.
            newest.shares_body = true;
            record.shares_body = true;
        }
        put(&mut self.shapes, index, record);
        self.bodies[body as usize].first_shape = index;
        Ok(())
    }

    /// Enters a shape into the broad phase, if its body takes part.
    pub(crate) fn enter_shape(&mut self, shape: u32) {
        let body = self.shapes[shape as usize].body;
        let pose = self.pose_of(body);
        let kind = self.bodies[body as usize].kind;
        let activity = self.activity_of(body);
        let record = &mut self.shapes[shape as usize];
        let frame = pose.to_frame();
        record.rest_frame = record.frame_on(&frame);
        if let Some(activity) = activity {
            let def = ProxyDef {
                aabb: record.proxy_aabb(&frame, kind),
                activity,
                filter: record.filter,
                owner: body,
            };
            let entered = self.broad.insert(shape, def);
            debug_assert!(entered.is_ok(), "checked at the border");
        }
    }

    /// Adds a shape to a body, and wakes it. Fails, changing nothing, as [`World::add_body`]
    /// does.
    pub fn add_shape(&mut self, body: BodyKey, def: ShapeDef) -> Result<ShapeKey, DefError> {
        self.note(|| Command::AddShape(body, Box::new(def.clone())));
        let index = self.body_index(body)?;
        let mut defs = self.shape_defs(index);
        check::shape(defs.len(), &def, self.bodies[index as usize].kind)?;
        defs.push(def);
        let mass = self.mass_with(index, &defs)?;
        self.attach_shape(index, &defs[defs.len() - 1])?;
        let shape = self.bodies[index as usize].first_shape;
        self.enter_shape(shape);
        self.shape_changed(index, &mass);
        Ok(self.shapes[shape as usize].key)
    }

    /// Removes a shape from its body, and wakes what it touched. Fails, changing nothing,
    /// when a dynamic body would be left without mass.
    pub fn remove_shape(&mut self, key: ShapeKey) -> Result<(), DefError> {
        self.note(|| Command::RemoveShape(key));
        let shape = self.shape_index(key)?;
        let index = self.shapes[shape as usize].body;
        let mut defs = self.shape_defs(index);
        defs.remove(self.place_of(shape));
        let mass = self.mass_with(index, &defs)?;
        self.forget_shape(shape);
        let next = self.shapes[shape as usize].next;
        if self.bodies[index as usize].first_shape == shape {
            self.bodies[index as usize].first_shape = next;
        } else {
            let before = self
                .shapes_of(index)
                .find(|at| self.shapes[*at as usize].next == shape);
            if let Some(before) = before {
                self.shapes[before as usize].next = next;
            }
        }
        self.shape_keys.remove(shape);
        if let [last] = self.shapes_of(index).collect::<Vec<_>>()[..] {
            self.shapes[last as usize].shares_body = false;
            let contacts: Vec<_> = self
                .contacts
                .of_body(&self.bodies[index as usize])
                .collect();
            for (id, _) in contacts {
                // A single shape does not hang.
                let contact = &mut self.contacts.solver[id as usize];
                (contact.bend_a, contact.bend_b) = (Bend::NONE, Bend::NONE);
            }
        }
        self.shape_changed(index, &mass);
        Ok(())
    }

    /// Replaces geometry, pose, material, filter and role of a shape, which keeps its key;
    /// wakes what it touched. Its contacts begin anew. Fails, changing nothing, as
    /// [`World::add_body`] does.
    pub fn set_shape(&mut self, key: ShapeKey, def: ShapeDef) -> Result<(), DefError> {
        self.note(|| Command::SetShape(key, Box::new(def.clone())));
        let shape = self.shape_index(key)?;
        let index = self.shapes[shape as usize].body;
        let at = self.place_of(shape);
        check::shape(at, &def, self.bodies[index as usize].kind)?;
        let mut defs = self.shape_defs(index);
        defs[at] = def;
        let mass = self.mass_with(index, &defs)?;
        self.forget_shape(shape);
        let def = ShapeDef {
            pose: Pose {
                rotation: rotation::normalize(defs[at].pose.rotation),
                ..defs[at].pose
            },
            ..defs[at].clone()
        };
        let old = &self.shapes[shape as usize];
        let (next, shares_body) = (old.next, old.shares_body);
        let mut record = ShapeRecord::new(key, index, &def);
        record.center_on(self.bodies[index as usize].center);
        record.next = next;
        record.shares_body = shares_body;
        self.bodies[index as usize].had_surface |= record.shape.surface().is_some();
        self.shapes[shape as usize] = record;
        self.enter_shape(shape);
        self.shape_changed(index, &mass);
        Ok(())
    }

    /// Changes a shape's surface and density at once, also where it touches, and wakes its
    /// body. Fails, changing nothing, on a number outside its range or when a dynamic body
    /// would be left without mass.
    pub fn set_material(&mut self, key: ShapeKey, material: Material) -> Result<(), DefError> {
        self.note(|| Command::SetMaterial(key, material));
        check::material(&material)?;
        let shape = self.shape_index(key)?;
        let index = self.shapes[shape as usize].body;
        let mut defs = self.shape_defs(index);
        defs[self.place_of(shape)].material = material;
        let mass = self.mass_with(index, &defs)?;
        self.shapes[shape as usize].material = material;
        for (id, _) in self.contacts_of_index(index) {
            if self.contacts.links[id as usize].shapes.contains(&shape) {
                self.wake_bodies_of(id);
                self.rebuild_contact(id);
            }
        }
        self.shape_changed(index, &mass);
        Ok(())
    }

    /// Changes what a shape may touch; pairs end and begin in the next step. Wakes its body
    /// and what it touched.
    pub fn set_filter(&mut self, key: ShapeKey, filter: Filter) -> Result<(), StaleKey> {
        self.note(|| Command::SetFilter(key, filter));
        let shape = self.shape_index(key)?;
        let index = self.shapes[shape as usize].body;
        self.shapes[shape as usize].filter = filter;
        self.broad.set_filter(shape, filter);
        self.wake_touching(index);
        self.wake_body(index);
        Ok(())
    }

    /// Its place among the shapes of its body, in the order they were given.
    fn place_of(&self, shape: u32) -> usize {
        let newer = self.shapes_of(self.shapes[shape as usize].body);
        let shapes: Vec<_> = newer.collect();
        let at = shapes.iter().position(|other| *other == shape);
        shapes.len() - 1 - at.unwrap_or(0)
    }

    fn mass_with(&self, body: u32, defs: &[ShapeDef]) -> Result<MassProperties, DefError> {
        let record = &self.bodies[body as usize];
        mass_of(record.kind, record.mass_override, defs)
    }

    /// Ends what a shape touches and takes it out of the broad phase.
    fn forget_shape(&mut self, shape: u32) {
        for (id, side) in self.contacts_of_index(self.shapes[shape as usize].body) {
            let links = self.contacts.links[id as usize];
            let state = self.contacts.states[id as usize];
            if state.live && links.shapes.contains(&shape) {
                if state.constrained {
                    self.wake_body(links.bodies[1 - side]);
                }
                if !state.is_part {
                    self.delete_contact(id);
                }
            }
        }
        self.broad.remove(shape);
    }

    /// What follows from a change of a body's shapes.
    fn shape_changed(&mut self, body: u32, mass: &MassProperties) {
        self.reweigh(body, mass);
        self.note_motion(body);
        self.sensors_stale = true;
        if self.bodies[body as usize].kind == BodyKind::Static {
            self.wake_near(body);
        }
    }
}
