//! Stage 1: the broad phase says which boxes met or parted; contacts come and go.

use drystone_broad_phase::Pair;
use drystone_geometry::Shape;
use drystone_narrow_phase::Guard;
use drystone_solver::{ConstraintId, Contact, NO_BODY};

use crate::World;
use crate::contacts::{SOUGHT, Sought};
use crate::def::BodyKind;
use crate::hooks::Hooks;
use crate::record::{BodyRecord, NONE, Place, ShapeRecord};
use crate::renew::anchors_of;
use crate::stats::Stopwatch;

impl World {
    /// Brings the contacts up to date with the boxes.
    pub(crate) fn update_pairs<H: Hooks>(&mut self, hooks: &mut H) {
        let changes = self.broad.update(&self.workers);
        if changes.removed.is_empty() && changes.added.is_empty() && self.asking.is_empty() {
            return;
        }
        let (removed, added) = (changes.removed.to_vec(), changes.added.to_vec());
        let parted = self.contacts_of_pairs(&removed);
        let mut watch = Stopwatch::start();
        for id in parted {
            if id != NONE {
                self.delete_contact(id);
            }
        }
        for pair in added {
            let id = self.create_contact(pair);
            self.ask(id, hooks);
        }
        self.answer_again(hooks);
        self.stats.times.serial += watch.lap();
    }

    /// The contacts of pairs of shapes; [`NONE`] where there is none.
    fn contacts_of_pairs(&self, pairs: &[Pair]) -> Vec<u32> {
        let mut found = vec![NONE; pairs.len()];
        let work = found.chunks_mut(SOUGHT).zip(pairs.chunks(SOUGHT));
        self.workers.for_each(work, |_, (found, pairs)| {
            let mut sought = [Sought::default(); SOUGHT];
            for (place, pair) in pairs.iter().enumerate() {
                let shapes = [pair.a, pair.b];
                let owners = shapes.map(|shape| self.shapes[shape as usize].body);
                sought[place] = Sought::new(&self.bodies, shapes, owners, place);
            }
            self.contacts.find_all(&mut sought[..pairs.len()], found);
        });
        found
    }

    fn create_contact(&mut self, pair: Pair) -> u32 {
        let shapes = [pair.a, pair.b];
        let [a, b] = shapes.map(|shape| &self.shapes[shape as usize]);
        let owners = [a.body, b.body];
        let contact = self.new_contact(a, b);
        let sensor = a.sensor != b.sensor;
        let swept = self.is_swept(owners);
        let id = self
            .contacts
            .insert(&mut self.bodies, shapes, owners, contact, swept);
        let surfaces = shapes.map(|shape| self.shapes[shape as usize].shape.surface().is_some());
        if surfaces[0] != surfaces[1] {
            self.contacts.surfaces[id as usize] = Some(Box::default());
        }
        self.contacts.states[id as usize].sensor = sensor;
        if sensor {
            self.sensor_contacts.insert(id);
            self.sensors_stale = true;
        }
        self.contacts.states[id as usize].muted = self.is_muted(id);
        self.refresh_awake(id);
        id
    }

    /// Whether two bodies are stopped at each other when they are fast.
    pub(crate) fn is_swept(&self, owners: [u32; 2]) -> bool {
        let mut bodies = owners.into_iter().map(|body| &self.bodies[body as usize]);
        bodies.any(|body| body.kind != BodyKind::Dynamic || body.bullet)
    }

    /// Whether a pair does not push.
    fn is_muted(&self, id: u32) -> bool {
        let links = &self.contacts.links[id as usize];
        let sensor = |shape: u32| self.shapes[shape as usize].sensor;
        self.contacts.states[id as usize].rejected
            || links.shapes.into_iter().any(sensor)
            || !self.may_collide(links.bodies)
    }

    /// Mutes or unmutes a contact as filters, joints and hooks now ask.
    pub(crate) fn refresh_muted(&mut self, id: u32) {
        let state = self.contacts.states[id as usize];
        if !state.live || state.is_part {
            return;
        }
        let muted = self.is_muted(id);
        if muted && !state.muted {
            self.delete_parts(id);
            self.release(id);
            self.end_touch(id);
            self.contacts.clear(id);
        }
        self.contacts.states[id as usize].muted = muted;
        self.sensors_stale |= self.contacts.states[id as usize].sensor;
        self.refresh_awake(id);
    }

    /// The contacts of a body, newest first, each with the side the body is on.
    pub(crate) fn contacts_of_index(&self, body: u32) -> Vec<(u32, usize)> {
        self.contacts.of_body(&self.bodies[body as usize]).collect()
    }

    /// Wakes both bodies of a contact.
    pub(crate) fn wake_bodies_of(&mut self, id: u32) {
        for body in self.contacts.links[id as usize].bodies {
            self.wake_body(body);
        }
    }

    /// Measures the anchors of a contact anew from both centres of mass.
    pub(crate) fn reanchor(&mut self, id: u32) {
        let i = id as usize;
        let shapes = self.contacts.links[i].shapes;
        let shapes = shapes.map(|shape| &self.shapes[shape as usize]);
        let contact = &mut self.contacts.solver[i];
        let from = self.contacts.manifolds[i].points();
        let points = &contact.points[..contact.count as usize];
        for (point, anchors) in points.iter().zip(&mut contact.anchors) {
            if let Some(from) = from.iter().find(|from| from.feature == point.feature) {
                *anchors = anchors_of(shapes, from);
            }
        }
    }

    /// The solver's record of two shapes that have not touched yet.
    pub(crate) fn new_contact(&self, a: &ShapeRecord, b: &ShapeRecord) -> Contact {
        // Rolling resistance is given as a ratio of a radius: that of the smaller shape.
        let radius = rolling_radius(&a.shape).min(rolling_radius(&b.shape));
        let rolling = a
            .material
            .rolling_resistance
            .max(b.material.rolling_resistance);
        Contact {
            body_a: a.body,
            body_b: b.body,
            friction: a.material.friction_with(&b.material),
            restitution: a.material.restitution_with(&b.material),
            rolling_resistance: if rolling > 0.0 { rolling * radius } else { 0.0 },
            radius_a: a.shape.core_radius(),
            radius_b: b.shape.core_radius(),
            ..Contact::default()
        }
    }

    /// Whether two bodies push each other at all: one is dynamic, and no joint that
    /// excludes contact connects them.
    pub(crate) fn may_collide(&self, owners: [u32; 2]) -> bool {
        let dynamic = |body: u32| self.bodies[body as usize].kind == BodyKind::Dynamic;
        let [a, b] = owners;
        if !dynamic(a) && !dynamic(b) {
            return false;
        }
        !self.bodies[a as usize].joints.iter().any(|joint| {
            let def = &self.joints[*joint as usize];
            let connects = [def.body_a, def.body_b] == [a, b] || [def.body_a, def.body_b] == [b, a];
            connects && !self.joint_defs[*joint as usize].collide_connected
        })
    }

    /// Sets whether a contact is looked at in every step, from its bodies' places.
    pub(crate) fn refresh_awake(&mut self, id: u32) {
        let bodies = self.contacts.links[id as usize].bodies;
        let muted = self.contacts.states[id as usize].muted;
        let awake = !muted && self.has_awake(bodies);
        self.contacts.set_awake(id, awake);
        if self.is_carried(bodies) {
            self.carried_contacts.insert(id);
        } else {
            self.forget_carried(id);
        }
    }

    /// Whether one of two bodies is awake.
    fn has_awake(&self, bodies: [u32; 2]) -> bool {
        let is_awake = |body| matches!(self.bodies[body as usize].place, Place::Awake(_));
        bodies.into_iter().any(is_awake)
    }

    /// Whether one of two bodies sleeps and the other is kinematic.
    fn is_carried(&self, bodies: [u32; 2]) -> bool {
        let [a, b] = bodies.map(|body| &self.bodies[body as usize]);
        let is_asleep = |body: &BodyRecord| matches!(body.place, Place::Asleep(_));
        let is_kinematic = |body: &BodyRecord| body.kind == BodyKind::Kinematic;
        (is_asleep(a) && is_kinematic(b)) || (is_kinematic(a) && is_asleep(b))
    }

    /// A contact is gone, or none of a sleeping and a kinematic body any more.
    fn forget_carried(&mut self, id: u32) {
        // There are none as a rule.
        if !self.carried_contacts.is_empty() {
            self.carried_contacts.remove(&id);
        }
    }

    /// A contact for one more manifold of the pair that `whole` stands for.
    pub(crate) fn create_part(&mut self, whole: u32) -> u32 {
        let crate::contacts::Links { shapes, bodies, .. } = self.contacts.links[whole as usize];
        let [a, b] = shapes.map(|shape| &self.shapes[shape as usize]);
        let contact = self.new_contact(a, b);
        let part = self
            .contacts
            .insert(&mut self.bodies, shapes, bodies, contact, false);
        self.contacts.states[part as usize].is_part = true;
        self.refresh_awake(part);
        part
    }

    /// Removes a part, with its constraint and link.
    pub(crate) fn delete_part(&mut self, part: u32) {
        self.release(part);
        self.forget_carried(part);
        self.contacts.remove(&mut self.bodies, part);
    }

    /// Removes the parts of a contact.
    pub(crate) fn delete_parts(&mut self, whole: u32) {
        if let Some(surface) = &mut self.contacts.surfaces[whole as usize] {
            for part in std::mem::take(&mut surface.parts) {
                if part != NONE {
                    self.delete_part(part);
                }
            }
        }
    }

    /// Removes a contact, with its parts, constraint, link and event.
    pub(crate) fn delete_contact(&mut self, id: u32) {
        self.delete_parts(id);
        self.release(id);
        self.end_touch(id);
        self.sensor_contacts.remove(&id);
        self.forget_carried(id);
        self.contacts.remove(&mut self.bodies, id);
    }

    /// Removes all contacts of a body; the bodies it touched wake.
    pub(crate) fn delete_contacts(&mut self, body: u32) {
        let ids: Vec<_> = self.contacts.of_body(&self.bodies[body as usize]).collect();
        for (id, side) in ids {
            let other = self.contacts.links[id as usize].bodies[1 - side];
            if self.contacts.states[id as usize].constrained {
                self.wake_body(other);
            }
            // Parts go with the contact that stands for the pair, and may be gone already.
            let state = self.contacts.states[id as usize];
            if state.live && !state.is_part {
                self.delete_contact(id);
            }
        }
    }

    /// A contact has points now: it constrains bodies and connects their islands.
    pub(crate) fn constrain(&mut self, id: u32) {
        self.contacts.states[id as usize].constrained = true;
        self.contacts.guards[id as usize] = Guard::NONE;
        let [a, b] = self.contacts.links[id as usize].bodies;
        self.wake_body(a);
        self.wake_body(b);
        let constraint = ConstraintId::Contact(id);
        self.graph.add(constraint, self.pushed(a), self.pushed(b));
        self.islands.link(constraint, a, b);
    }

    /// A contact has no points any more.
    pub(crate) fn release(&mut self, id: u32) {
        if self.contacts.states[id as usize].constrained {
            self.contacts.states[id as usize].constrained = false;
            self.contacts.solver[id as usize].count = 0;
            self.graph.remove(ConstraintId::Contact(id));
            self.islands.unlink(ConstraintId::Contact(id));
        }
    }

    /// The body as the constraint graph knows it: only dynamic bodies are pushed.
    pub(crate) fn pushed(&self, body: u32) -> u32 {
        match self.bodies[body as usize].kind {
            BodyKind::Dynamic => body,
            BodyKind::Static | BodyKind::Kinematic => NO_BODY,
        }
    }
}

/// The radius that rolling resistance is a ratio of, in metres. What is flat does not roll.
fn rolling_radius(shape: &Shape) -> f32 {
    let radius = shape.inner_radius();
    if radius > 0.0 { radius } else { f32::INFINITY }
}
