//! What a caller may do to bodies and joints between steps.

use drystone_geometry::glam::{DVec3, Quat, Vec3};
use drystone_geometry::{Pose, WorldPose, rotation};
use drystone_solver::{Body, Joint};

use crate::def::{BodyKind, JointDef};
use crate::error::{DefError, StaleKey};
use crate::record::{Place, origin_pose};
use crate::replay::Command;
use crate::world::{put, static_pose};
use crate::{BodyKey, JointKey, World, check, tolerance};

impl World {
    /// Sets the velocity of the centre of mass in m/s and the angular velocity in rad/s, both
    /// in world axes, and wakes the body. Ignored on a static body; a kinematic one lets go of its
    /// [target](World::set_kinematic_target).
    pub fn set_velocity(
        &mut self,
        key: BodyKey,
        linear: Vec3,
        angular: Vec3,
    ) -> Result<(), DefError> {
        self.note(|| Command::SetVelocity(key, linear, angular));
        check::vector("linear", linear)?;
        check::vector("angular", angular)?;
        self.push(key, |body| {
            body.linear_velocity = linear;
            body.angular_velocity = angular;
        })?;
        let index = self.body_index(key)?;
        if self.bodies[index as usize].kind == BodyKind::Kinematic {
            // Else the next step would go on to the target, or stop the body behind its last one.
            self.bodies[index as usize].target = None;
            self.targeted.retain(|targeted| *targeted != index);
        }
        Ok(())
    }

    /// Applies an impulse in N s at a point of the world, and wakes the body. Ignored on a
    /// body that is not dynamic.
    pub fn apply_impulse(
        &mut self,
        key: BodyKey,
        impulse: Vec3,
        point: DVec3,
    ) -> Result<(), DefError> {
        self.note(|| Command::ApplyImpulse(key, impulse, point));
        check::vector("impulse", impulse)?;
        check::position("point", point)?;
        self.push(key, |body| {
            let arm = (point - body.center).as_vec3();
            body.linear_velocity += impulse * body.inverse_mass;
            body.angular_velocity += turned_by(body, arm.cross(impulse));
        })
    }

    /// Applies an angular impulse in N m s, in world axes, and wakes the body.
    pub fn apply_angular_impulse(&mut self, key: BodyKey, impulse: Vec3) -> Result<(), DefError> {
        self.note(|| Command::ApplyAngularImpulse(key, impulse));
        check::vector("impulse", impulse)?;
        self.push(key, |body| {
            body.angular_velocity += turned_by(body, impulse)
        })
    }

    /// Applies a torque in N m, in world axes, during the next step, and wakes the body.
    /// Ignored on a body that is not dynamic, or disabled.
    pub fn apply_torque(&mut self, key: BodyKey, torque: Vec3) -> Result<(), DefError> {
        self.note(|| Command::ApplyTorque(key, torque));
        check::vector("torque", torque)?;
        self.load(key, |body| body.torque += torque)
    }

    /// Applies a force in N at a point of the world during the next step, and wakes the body.
    /// Ignored on a body that is not dynamic, or disabled.
    pub fn apply_force(&mut self, key: BodyKey, force: Vec3, point: DVec3) -> Result<(), DefError> {
        self.note(|| Command::ApplyForce(key, force, point));
        check::vector("force", force)?;
        check::position("point", point)?;
        self.load(key, |body| {
            let arm = (point - body.center).as_vec3();
            body.force += force;
            body.torque += arm.cross(force);
        })
    }

    /// Wakes a body with everything it is connected to.
    pub fn wake(&mut self, key: BodyKey) -> Result<(), StaleKey> {
        self.note(|| Command::Wake(key));
        let index = self.body_index(key)?;
        self.wake_body(index);
        self.wake_jointed(index);
        Ok(())
    }

    /// Puts a body elsewhere at once. Velocities stay; contacts forget. What touched it or hangs on its
    /// joints wakes, and what a static body comes to meet wakes too.
    pub fn teleport(&mut self, key: BodyKey, pose: WorldPose) -> Result<(), DefError> {
        self.note(|| Command::Teleport(key, pose));
        check::world_pose(&pose)?;
        let index = self.body_index(key)?;
        let pose = WorldPose {
            rotation: rotation::normalize(pose.rotation),
            ..pose
        };
        self.wake_touching(index);
        self.wake_body(index);
        self.wake_jointed(index);
        self.bodies[index as usize].rest_pose = pose;
        self.sensors_stale = true;
        let center = self.bodies[index as usize].center;
        if let Some(body) = self.moving_mut(index) {
            body.center = pose.transform_point(center);
            body.rotation = pose.rotation;
            body.lean = Vec3::ZERO;
        }
        match self.bodies[index as usize].place {
            Place::Static => {
                self.statics[index as usize] = static_pose(&pose);
                self.rest_frames(index, &pose);
            }
            Place::Awake(slot) => {
                self.frames[slot as usize] =
                    origin_pose(&self.awake[slot as usize], center).to_frame();
            }
            Place::Asleep(_) => {}
        }
        if !self.bodies[index as usize].enabled {
            return Ok(());
        }
        let frame = pose.to_frame();
        let shapes: Vec<_> = self.shapes_of(index).collect();
        for shape in shapes {
            let kind = self.bodies[index as usize].kind;
            let tight = self.shapes[shape as usize].proxy_aabb(&frame, kind);
            let moved = self.broad.move_proxy(shape, tight, Vec3::ZERO);
            debug_assert!(moved.is_ok(), "checked at the border");
        }
        self.note_motion(index);
        if self.bodies[index as usize].kind == BodyKind::Static {
            self.wake_near(index);
        }
        Ok(())
    }

    /// The pose a kinematic body reaches at the end of the next step, pushing what is in the
    /// way, unless it would have to be faster than 4 km/s, as nothing is. Without a new target, it
    /// stands still in the step after, unless it is given a velocity. Ignored on others.
    pub fn set_kinematic_target(&mut self, key: BodyKey, pose: WorldPose) -> Result<(), DefError> {
        self.note(|| Command::SetKinematicTarget(key, pose));
        check::world_pose(&pose)?;
        let index = self.body_index(key)?;
        if self.bodies[index as usize].kind == BodyKind::Kinematic {
            let pose = WorldPose {
                rotation: rotation::normalize(pose.rotation),
                ..pose
            };
            self.bodies[index as usize].target = Some(Box::new(pose));
            if !self.targeted.contains(&index) {
                self.targeted.push(index);
            }
        }
        Ok(())
    }

    /// Stores a number with the body.
    pub fn set_user_data(&mut self, key: BodyKey, user_data: u64) -> Result<(), StaleKey> {
        self.note(|| Command::SetUserData(key, user_data));
        let index = self.body_index(key)?;
        self.bodies[index as usize].user_data = user_data;
        Ok(())
    }

    /// Wakes a body and changes its moving state; refuses speeds and loads that overflow.
    pub(crate) fn push(
        &mut self,
        key: BodyKey,
        change: impl FnOnce(&mut Body),
    ) -> Result<(), DefError> {
        let index = self.body_index(key)?;
        let Some(body) = self.moving_mut(index) else {
            self.wake_body(index);
            return Ok(());
        };
        let mut changed = body.clone();
        change(&mut changed);
        check::vector("linear velocity", changed.linear_velocity)?;
        check::vector("angular velocity", changed.angular_velocity)?;
        check::load("force", changed.force)?;
        check::load("torque", changed.torque)?;
        self.wake_body(index);
        if let Some(body) = self.moving_mut(index) {
            // Waking restarts the time at rest.
            changed.sleep_time = body.sleep_time;
            *body = changed;
            self.note_motion(index);
        }
        if self.carries(index) {
            self.wake_jointed(index);
        }
        Ok(())
    }

    /// Loads a body for the next step, in which a disabled one has no part: its loads would add up
    /// until it is back.
    fn load(&mut self, key: BodyKey, change: impl FnOnce(&mut Body)) -> Result<(), DefError> {
        let index = self.body_index(key)?;
        if self.bodies[index as usize].enabled {
            self.push(key, change)
        } else {
            Ok(())
        }
    }

    /// Turns targets of kinematic bodies into velocities; those without a new one stop.
    pub(crate) fn apply_targets(&mut self) {
        let dt = self.settings.dt;
        for index in std::mem::take(&mut self.targeted) {
            let record = &mut self.bodies[index as usize];
            let Place::Awake(slot) = record.place else {
                // Out of the world for a while: it neither moves nor comes to its target.
                self.targeted.push(index);
                continue;
            };
            let target = record.target.take();
            let body = &mut self.awake[slot as usize];
            let Some(target) = target else {
                body.linear_velocity = Vec3::ZERO;
                body.angular_velocity = Vec3::ZERO;
                continue;
            };
            let way = target.transform_point(record.center) - body.center;
            let most = Vec3::splat(tolerance::MAX_INPUT);
            let linear = (way / f64::from(dt)).as_vec3();
            let angular = turn_between(body.rotation, target.rotation) / dt;
            body.linear_velocity = linear.clamp(-most, most);
            body.angular_velocity = angular.clamp(-most, most);
            self.note_motion(index);
            if self.carries(index) {
                self.wake_jointed(index);
            }
            // Looked at again in the next step, which stops it unless there is a new target.
            self.targeted.push(index);
        }
    }

    /// Adds a joint and wakes both bodies.
    ///
    /// Fails, changing nothing, on a stale key, two equal bodies, no dynamic body, or a number
    /// outside its range.
    pub fn add_joint(&mut self, def: JointDef) -> Result<JointKey, DefError> {
        self.note(|| Command::AddJoint(Box::new(def.clone())));
        let a = self.body_index(def.body_a)?;
        let b = self.body_index(def.body_b)?;
        if a == b {
            return Err(DefError::JointToSelf);
        }
        if !self.is_dynamic(a) && !self.is_dynamic(b) {
            return Err(DefError::JointNeedsDynamic);
        }
        check::local_pose(&def.frame_a)?;
        check::local_pose(&def.frame_b)?;
        def.kind.check().map_err(DefError::Joint)?;
        check::threshold(def.threshold)?;
        let (index, key) = self.joint_keys.insert()?;
        let from_center = |frame: &Pose, body: u32| Pose {
            rotation: rotation::normalize(frame.rotation),
            translation: frame.translation - self.bodies[body as usize].center,
        };
        let frames = [from_center(&def.frame_a, a), from_center(&def.frame_b, b)];
        let joint = Joint::new(def.kind.clone(), a, b, frames[0], frames[1]);
        put(&mut self.joints, index, joint);
        put(&mut self.joint_defs, index, def);
        self.wake_body(a);
        self.wake_body(b);
        // What holds nothing is no constraint, and bodies may sleep one by one.
        self.enter_joint(index);
        self.watch(index);
        for body in [a, b] {
            self.bodies[body as usize].joints.push(index);
        }
        self.mute_contacts(a, b);
        Ok(key)
    }

    /// Removes a joint and wakes both bodies.
    pub fn remove_joint(&mut self, key: JointKey) -> Result<(), StaleKey> {
        self.note(|| Command::RemoveJoint(key));
        let index = self.joint_keys.get(key).ok_or(StaleKey)?;
        self.delete_joint(index);
        Ok(())
    }

    /// What a joint was made from.
    pub fn joint(&self, key: JointKey) -> Result<&JointDef, StaleKey> {
        let index = self.joint_keys.get(key).ok_or(StaleKey)?;
        Ok(&self.joint_defs[index as usize])
    }

    /// Distance in metres between the joint's anchors on both bodies, which most joints keep
    /// at zero and a distance joint within its range.
    pub fn joint_gap(&self, key: JointKey) -> Result<f64, StaleKey> {
        let def = self.joint(key)?;
        let a = self
            .body(def.body_a)?
            .pose()
            .transform_point(def.frame_a.translation);
        let b = self
            .body(def.body_b)?
            .pose()
            .transform_point(def.frame_b.translation);
        Ok(a.distance(b))
    }

    pub(crate) fn delete_joint(&mut self, index: u32) {
        let Joint {
            body_a: a,
            body_b: b,
            ..
        } = self.joints[index as usize];
        self.leave_joint(index);
        for body in [a, b] {
            self.bodies[body as usize]
                .joints
                .retain(|joint| *joint != index);
        }
        self.joint_keys.remove(index);
        if let Ok(place) = self.watched_joints.binary_search(&index) {
            self.watched_joints.remove(place);
        }
        self.mute_contacts(a, b);
    }

    /// Mutes or unmutes the contacts between two bodies as their joints now ask.
    fn mute_contacts(&mut self, a: u32, b: u32) {
        let between: Vec<_> = self
            .contacts
            .of_body(&self.bodies[a as usize])
            .filter(|(id, side)| self.contacts.links[*id as usize].bodies[1 - side] == b)
            .map(|(id, _)| id)
            .collect();
        for id in between {
            self.refresh_muted(id);
        }
    }

    pub(crate) fn joint_key(&self, index: u32) -> JointKey {
        self.joint_keys.key(index)
    }
}

/// Change of angular velocity by an angular impulse, both in world axes.
fn turned_by(body: &Body, impulse: Vec3) -> Vec3 {
    let axes = rotation::multiply(body.rotation, body.principal_rotation);
    let local = rotation::rotate_inverse(axes, impulse);
    rotation::rotate(axes, local * body.inverse_inertia)
}

/// The shortest turn from one orientation to another, as axis times angle.
fn turn_between(from: Quat, to: Quat) -> Vec3 {
    rotation::to_scaled_axis(rotation::multiply(to, rotation::conjugate(from)))
}
