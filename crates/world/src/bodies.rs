//! What a caller may change about a body: how it moves, what it weighs, whether it takes
//! part.

use drystone_broad_phase::Activity;
use drystone_geometry::glam::Vec3;
use drystone_geometry::rotation;
use drystone_solver::{Body, ConstraintId, JointKind, STATIC_SLOT};

use crate::def::{AxisLocks, BodyKind, MassOverride, ShapeDef};
use crate::error::{DefError, StaleKey};
use crate::mass::mass_of;
use crate::record::{NONE, Place, origin_pose};
use crate::replay::Command;
use crate::world::static_pose;
use crate::{BodyKey, World, check};

impl World {
    /// Makes a body static, kinematic or dynamic. It stays where it is and keeps its velocity
    /// unless it becomes static; its contacts begin anew, its joints act if they can: a joint
    /// between two bodies that are not dynamic waits.
    ///
    /// Fails, changing nothing, when the body cannot be of that kind: a dynamic one needs
    /// mass, and only a static one may carry a half-space or another infinite shape.
    pub fn set_kind(&mut self, key: BodyKey, kind: BodyKind) -> Result<(), DefError> {
        self.note(|| Command::SetKind(key, kind));
        let index = self.body_index(key)?;
        if self.bodies[index as usize].kind == kind {
            return Ok(());
        }
        let defs = self.shape_defs(index);
        for (at, def) in defs.iter().enumerate() {
            check::shape(at, def, kind)?;
        }
        let mass = mass_of(kind, self.bodies[index as usize].mass_override, &defs)?;
        let was_enabled = self.bodies[index as usize].enabled;
        if was_enabled {
            self.take_out(index);
        }
        let parked = self.bodies[index as usize].parked.take();
        let pose = self.pose_with(index, parked.as_deref());
        let record = &mut self.bodies[index as usize];
        record.kind = kind;
        record.rest_pose = pose;
        record.target = None;
        let (linear, angular) = parked
            .map(|body| (body.linear_velocity, body.angular_velocity))
            .unwrap_or_default();
        self.targeted.retain(|targeted| *targeted != index);
        self.statics[index as usize] = static_pose(&pose);
        self.recenter(index, &mass);
        if kind != BodyKind::Static {
            let body = self.new_moving(index, linear, angular, &mass);
            self.bodies[index as usize].parked = Some(Box::new(body));
        }
        self.reframe_joints(index);
        if was_enabled {
            self.put_in(index);
        }
        Ok(())
    }

    /// Takes a body out of the world for a while, or puts it back as it was. While it is out,
    /// nothing meets it, finds it or moves it, and its joints do not act; commands still
    /// reach it, but for forces and torques, which are over before it is back.
    pub fn set_enabled(&mut self, key: BodyKey, enabled: bool) -> Result<(), StaleKey> {
        self.note(|| Command::SetEnabled(key, enabled));
        let index = self.body_index(key)?;
        if self.bodies[index as usize].enabled != enabled {
            if enabled {
                self.put_in(index);
            } else {
                self.take_out(index);
            }
        }
        Ok(())
    }

    /// Gives a body a mass of its own, or with `None` that of its shapes, and wakes it.
    pub fn set_mass(&mut self, key: BodyKey, mass: Option<MassOverride>) -> Result<(), DefError> {
        self.note(|| Command::SetMass(key, mass));
        let index = self.body_index(key)?;
        if let Some(given) = &mass {
            check::mass_override(given)?;
        }
        let kind = self.bodies[index as usize].kind;
        let properties = mass_of(kind, mass, &self.shape_defs(index))?;
        self.bodies[index as usize].mass_override = mass;
        self.reweigh(index, &properties);
        Ok(())
    }

    /// Sets the rates at which linear and angular velocity decay, in 1/s, at least 0.
    pub fn set_damping(&mut self, key: BodyKey, linear: f32, angular: f32) -> Result<(), DefError> {
        self.note(|| Command::SetDamping(key, linear, angular));
        check::non_negative("linear", linear)?;
        check::non_negative("angular", angular)?;
        let index = self.body_index(key)?;
        let motion = &mut self.bodies[index as usize].motion;
        (motion.linear_damping, motion.angular_damping) = (linear, angular);
        self.push(key, |body| {
            (body.linear_damping, body.angular_damping) = (linear, angular);
        })
    }

    /// Sets the factor on gravity, and wakes the body.
    pub fn set_gravity_scale(&mut self, key: BodyKey, scale: f32) -> Result<(), DefError> {
        self.note(|| Command::SetGravityScale(key, scale));
        check::vector("gravity_scale", Vec3::splat(scale))?;
        let index = self.body_index(key)?;
        self.bodies[index as usize].motion.gravity_scale = scale;
        self.push(key, |body| body.gravity_scale = scale)
    }

    /// Sets the axes along and about which a body does not move, and wakes it.
    pub fn set_locks(&mut self, key: BodyKey, locks: AxisLocks) -> Result<(), DefError> {
        self.note(|| Command::SetLocks(key, locks));
        let index = self.body_index(key)?;
        self.bodies[index as usize].motion.locks = locks;
        let bits = drystone_solver::AxisLocks::new(locks.translation, locks.rotation);
        self.push(key, |body| body.locks = bits)
    }

    /// Sets whether a body may fall asleep, and below which speed in m/s; wakes it.
    pub fn set_sleep(
        &mut self,
        key: BodyKey,
        can_sleep: bool,
        threshold: f32,
    ) -> Result<(), DefError> {
        self.note(|| Command::SetSleep(key, can_sleep, threshold));
        check::non_negative("threshold", threshold)?;
        let index = self.body_index(key)?;
        let motion = &mut self.bodies[index as usize].motion;
        (motion.can_sleep, motion.sleep_threshold) = (can_sleep, threshold);
        self.push(key, |body| {
            (body.can_sleep, body.sleep_threshold) = (can_sleep, threshold);
        })
    }

    /// Sets whether a body is a [bullet](crate::BodyDef::bullet).
    pub fn set_bullet(&mut self, key: BodyKey, bullet: bool) -> Result<(), StaleKey> {
        self.note(|| Command::SetBullet(key, bullet));
        let index = self.body_index(key)?;
        self.bodies[index as usize].bullet = bullet;
        match self.bullets.binary_search(&index) {
            Ok(place) if !bullet => {
                self.bullets.remove(place);
            }
            Err(place) if bullet => self.bullets.insert(place, index),
            _ => {}
        }
        let contacts = self.contacts.of_body(&self.bodies[index as usize]);
        for id in contacts.map(|(id, _)| id as usize).collect::<Vec<_>>() {
            let owners = self.contacts.links[id].bodies;
            self.contacts.states[id].loose = self.are_loose(owners);
        }
        Ok(())
    }

    /// Gives a body another name; empty for none.
    pub fn set_name(&mut self, key: BodyKey, name: impl Into<String>) -> Result<(), StaleKey> {
        let name = name.into();
        self.note(|| Command::SetName(key, name.clone()));
        let index = self.body_index(key)?;
        self.bodies[index as usize].name = name;
        Ok(())
    }

    /// The descriptions of a body's shapes, in the order they were given.
    pub(crate) fn shape_defs(&self, index: u32) -> Vec<ShapeDef> {
        let shapes = self.shapes_of(index);
        let mut defs: Vec<_> = shapes.map(|s| self.shapes[s as usize].to_def()).collect();
        defs.reverse();
        defs
    }

    /// Disables a body: what touched it wakes, its moving state is parked.
    fn take_out(&mut self, index: u32) {
        self.wake_body(index);
        for joint in self.bodies[index as usize].joints.clone() {
            self.leave_joint(joint);
        }
        self.delete_contacts(index);
        let pose = self.pose_of(index);
        if let Place::Awake(slot) = self.bodies[index as usize].place {
            let mut body = self.take_awake(slot);
            // Loads are for the next step, which goes by without it.
            (body.force, body.torque) = (Vec3::ZERO, Vec3::ZERO);
            if self.bodies[index as usize].kind == BodyKind::Dynamic {
                self.islands.remove_body(index);
            }
            let record = &mut self.bodies[index as usize];
            record.place = Place::Static;
            record.parked = Some(Box::new(body));
        }
        self.bodies[index as usize].rest_pose = pose;
        self.bodies[index as usize].enabled = false;
        for shape in self.shapes_of(index).collect::<Vec<_>>() {
            self.broad.remove(shape);
        }
    }

    /// Enables a body: what was parked moves again.
    fn put_in(&mut self, index: u32) {
        self.bodies[index as usize].enabled = true;
        if let Some(body) = self.bodies[index as usize].parked.take() {
            self.enter_awake(*body);
        } else {
            debug_assert_eq!(self.slot_of[index as usize], STATIC_SLOT | index);
        }
        for shape in self.shapes_of(index).collect::<Vec<_>>() {
            self.enter_shape(shape);
        }
        for joint in self.bodies[index as usize].joints.clone() {
            self.enter_joint(joint);
        }
        if self.bodies[index as usize].kind == BodyKind::Static {
            self.wake_near(index);
        }
        self.sensors_stale = true;
    }

    /// Puts a moving state among those of awake bodies, and a dynamic body on an island.
    pub(crate) fn enter_awake(&mut self, body: Body) {
        let index = body.index;
        let record = &mut self.bodies[index as usize];
        self.frames
            .push(origin_pose(&body, record.center).to_frame());
        self.awake.push(Body {
            sleep_time: 0.0,
            ..body
        });
        let slot = (self.awake.len() - 1) as u32;
        record.place = Place::Awake(slot);
        self.slot_of[index as usize] = slot;
        if record.kind == BodyKind::Dynamic {
            self.islands.insert_body(index);
        }
        self.note_motion(index);
    }

    /// Whether a joint holds anything just now.
    pub(crate) fn joint_acts(&self, joint: u32) -> bool {
        let joint = &self.joints[joint as usize];
        let bodies = [joint.body_a, joint.body_b];
        joint.kind != JointKind::NoContact
            && bodies.into_iter().any(|body| self.is_dynamic(body))
            && (bodies.into_iter()).all(|body| self.bodies[body as usize].enabled)
    }

    /// Makes a joint a constraint, if it holds anything.
    pub(crate) fn enter_joint(&mut self, joint: u32) {
        if !self.joint_acts(joint) {
            return;
        }
        let id = ConstraintId::Joint(joint);
        let [a, b] = {
            let joint = &self.joints[joint as usize];
            [joint.body_a, joint.body_b]
        };
        self.wake_body(a);
        self.wake_body(b);
        self.graph.add(id, self.pushed(a), self.pushed(b));
        self.islands.link(id, a, b);
    }

    /// Makes a joint no constraint any more.
    pub(crate) fn leave_joint(&mut self, joint: u32) {
        let [a, b] = {
            let joint = &self.joints[joint as usize];
            [joint.body_a, joint.body_b]
        };
        self.wake_body(a);
        self.wake_body(b);
        self.graph.remove(ConstraintId::Joint(joint));
        self.islands.unlink(ConstraintId::Joint(joint));
    }

    /// A body's mass or shapes changed: everything measured from its centre of mass follows.
    pub(crate) fn reweigh(&mut self, index: u32, mass: &drystone_geometry::MassProperties) {
        self.wake_body(index);
        let pose = self.pose_of(index);
        self.recenter(index, mass);
        let record = &self.bodies[index as usize];
        let (dynamic, center) = (record.kind == BodyKind::Dynamic, record.center);
        let extent = self.extent_of(index);
        let extents = self.extents_of(index, mass.principal_rotation);
        if let Some(body) = self.moving_mut(index) {
            let moved = (pose.transform_point(center) - body.center).as_vec3();
            body.linear_velocity += body.angular_velocity.cross(moved);
            body.center = pose.transform_point(center);
            body.principal_rotation = mass.principal_rotation;
            body.extent = extent;
            body.extents = extents;
            crate::moving::set_inertia(body, dynamic, mass.mass, mass.inertia);
        }
        if let Place::Awake(slot) = self.bodies[index as usize].place {
            self.frames[slot as usize] = origin_pose(&self.awake[slot as usize], center).to_frame();
        }
        for (id, _) in self.contacts_of_index(index) {
            self.reanchor(id);
        }
        self.reframe_joints(index);
    }

    /// Stores mass and centre of mass, and the shapes' poses from it.
    fn recenter(&mut self, index: u32, mass: &drystone_geometry::MassProperties) {
        let record = &mut self.bodies[index as usize];
        record.mass = mass.mass;
        record.center = match record.kind {
            BodyKind::Static => Vec3::ZERO,
            BodyKind::Kinematic | BodyKind::Dynamic => mass.center,
        };
        let center = record.center;
        let mut at = record.first_shape;
        while at != NONE {
            let shape = &mut self.shapes[at as usize];
            shape.center_on(center);
            at = shape.next;
        }
        self.note_core(index);
    }

    /// The frames of a body's joints, from its centre of mass.
    fn reframe_joints(&mut self, index: u32) {
        for joint in self.bodies[index as usize].joints.clone() {
            let def = &self.joint_defs[joint as usize];
            let held = &self.joints[joint as usize];
            let from_center =
                |frame: &drystone_geometry::Pose, body: u32| drystone_geometry::Pose {
                    rotation: rotation::normalize(frame.rotation),
                    translation: frame.translation - self.bodies[body as usize].center,
                };
            let frames = [
                from_center(&def.frame_a, held.body_a),
                from_center(&def.frame_b, held.body_b),
            ];
            let held = &mut self.joints[joint as usize];
            [held.frame_a, held.frame_b] = frames;
        }
    }

    /// The moving state of a body, wherever it is kept; `None` of a static one.
    pub(crate) fn moving(&self, index: u32) -> Option<&Body> {
        let record = &self.bodies[index as usize];
        match record.place {
            Place::Static => record.parked.as_deref(),
            Place::Awake(slot) => self.awake.get(slot as usize),
            Place::Asleep(slot) => self.asleep.get(slot as usize),
        }
    }

    /// [`World::moving`], to change.
    pub(crate) fn moving_mut(&mut self, index: u32) -> Option<&mut Body> {
        let record = &mut self.bodies[index as usize];
        match record.place {
            Place::Static => record.parked.as_deref_mut(),
            Place::Awake(slot) => self.awake.get_mut(slot as usize),
            Place::Asleep(slot) => self.asleep.get_mut(slot as usize),
        }
    }

    /// How a body takes part in the broad phase; `None` while it is disabled.
    pub(crate) fn activity_of(&self, index: u32) -> Option<Activity> {
        let record = &self.bodies[index as usize];
        record.enabled.then_some(match record.place {
            Place::Static => Activity::Static,
            Place::Awake(_) => Activity::Awake,
            Place::Asleep(_) => Activity::Asleep,
        })
    }
}
