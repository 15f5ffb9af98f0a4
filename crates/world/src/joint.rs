//! Joints between steps: reading them, changing their settings, and what happens at thresholds.

use drystone_geometry::glam::Vec3;
use drystone_geometry::rotation;
use drystone_solver::joint::{JointForce, JointLoad, JointState};
use drystone_solver::{Joint, StaticPose};

use crate::error::{DefError, StaleKey};
use crate::events::JointEvent;
use crate::record::Place;
use crate::replay::Command;
use crate::{JointDef, JointKey, JointKind, JointThreshold, World, check};

/// What the two bodies of a joint set against a spring or motor, where they stand now; see
/// [`World::joint_mass`]. Infinite where they do not give way at all.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointMass {
    /// Along X, Y and Z of frame A, at B's anchor, in kg.
    pub linear: Vec3,
    /// About X, Y and Z of frame A, in kg m^2.
    pub angular: Vec3,
}

impl World {
    /// What the bodies of a joint, or of one that is yet to be added, set against a force along the
    /// axes of frame A and a torque about them: the mass that
    /// [`JointSpring::from_stiffness`](crate::JointSpring::from_stiffness) asks for.
    ///
    /// About Z of a hinge and along Z of a slider it stays the same however these move, and so does the
    /// stiffness of a spring there, in N/m or N m/rad. Elsewhere it changes as the bodies turn, and the
    /// stiffness in proportion. Locked axes count, other joints of the bodies do not. Of a distance joint, turn
    /// frame A so that an axis lies along its line.
    ///
    /// Fails when a body was removed.
    pub fn joint_mass(&self, def: &JointDef) -> Result<JointMass, StaleKey> {
        let (a, b) = (self.body_index(def.body_a)?, self.body_index(def.body_b)?);
        let poses = [a, b].map(|body| self.pose_of(body));
        let anchor = poses[1].transform_point(def.frame_b.translation);
        let frame = rotation::multiply(poses[0].rotation, def.frame_a.rotation);
        let gives = |direction: Vec3, is_turn: bool| -> f32 {
            let give = |index: u32| match self.moving(index) {
                Some(body) if body.is_dynamic() => {
                    let arm = (anchor - body.center).as_vec3();
                    let about = if is_turn {
                        direction
                    } else {
                        arm.cross(direction)
                    };
                    let turn = about.dot(body.turned_by(about));
                    let moved = body.inverse_mass * direction * body.locks.free_translation();
                    turn + if is_turn { 0.0 } else { direction.dot(moved) }
                }
                _ => 0.0,
            };
            give(a) + give(b)
        };
        let axes = [Vec3::X, Vec3::Y, Vec3::Z].map(|axis| rotation::rotate(frame, axis));
        let mass = |is_turn| Vec3::from(axes.map(|axis| 1.0 / gives(axis, is_turn)));
        Ok(JointMass {
            linear: mass(false),
            angular: mass(true),
        })
    }

    /// What a joint did to its second body in the last sub-step of the last step; the first body
    /// got the opposite. In N and N m, in world axes, about the anchor on the second body.
    ///
    /// It is that of the sub-step, not of the step: what a motor with a new speed, or a kinematic body,
    /// takes to get its load going shows in the first sub-step alone, so under steps of few sub-steps, or
    /// one, more of it is seen. What lasts, such as weight, shows in each.
    ///
    /// Zero before the first step. A sleeping joint tells what it last did.
    pub fn joint_force(&self, key: JointKey) -> Result<JointForce, StaleKey> {
        let index = self.joint_index(key)?;
        let h = self.last_cut.substep;
        if h <= 0.0 {
            return Ok(JointForce::default());
        }
        let joint = &self.joints[index as usize];
        let [a, b] = [joint.body_a, joint.body_b].map(|body| self.center_pose(body));
        let JointForce { force, torque } = joint.force(&a, &b, h);
        // An impulse over a very short time overflows.
        let finite = |load: Vec3| load.clamp(Vec3::splat(f32::MIN), Vec3::splat(f32::MAX));
        Ok(JointForce {
            force: finite(force),
            torque: finite(torque),
        })
    }

    /// Where a joint stands and how fast it moves: its second frame as seen from its first.
    pub fn joint_state(&self, key: JointKey) -> Result<JointState, StaleKey> {
        let joint = &self.joints[self.joint_index(key)? as usize];
        let ends = [joint.body_a, joint.body_b];
        let [a, b] = ends.map(|body| self.center_pose(body));
        let [of_a, of_b] = ends.map(|body| match self.bodies[body as usize].place {
            Place::Awake(slot) => {
                let body = &self.awake[slot as usize];
                [body.linear_velocity, body.angular_velocity]
            }
            _ => Default::default(),
        });
        Ok(joint.state([&a, &b], of_a, of_b))
    }

    /// Gives a joint other settings: limits, targets, speeds, or another kind altogether. Wakes
    /// both bodies if anything changes.
    ///
    /// The frames stay. Where the kind stays too the joint goes on with its impulses.
    ///
    /// Fails, changing nothing, on a stale key or a number outside its range.
    pub fn set_joint_kind(&mut self, key: JointKey, kind: JointKind) -> Result<(), DefError> {
        self.note(|| Command::SetJointKind(key, kind.clone()));
        let index = self.joint_index(key)?;
        kind.check().map_err(DefError::Joint)?;
        let Joint {
            kind: old,
            body_a: a,
            body_b: b,
            impulses,
            ..
        } = &mut self.joints[index as usize];
        if *old == kind {
            return Ok(());
        }
        let (a, b) = (*a, *b);
        if std::mem::discriminant(old) != std::mem::discriminant(&kind) {
            *impulses = Default::default();
        }
        old.clone_from(&kind);
        self.joint_defs[index as usize].kind = kind;
        self.leave_joint(index);
        self.enter_joint(index);
        self.wake_body(a);
        self.wake_body(b);
        Ok(())
    }

    /// Gives a joint another threshold, or none.
    ///
    /// Fails, changing nothing, on a stale key or a number that is negative or NaN.
    pub fn set_joint_threshold(
        &mut self,
        key: JointKey,
        threshold: Option<JointThreshold>,
    ) -> Result<(), DefError> {
        self.note(|| Command::SetJointThreshold(key, threshold));
        let index = self.joint_index(key)?;
        check::threshold(threshold)?;
        self.joint_defs[index as usize].threshold = threshold;
        self.watch(index);
        Ok(())
    }

    pub(crate) fn joint_index(&self, key: JointKey) -> Result<u32, StaleKey> {
        self.joint_keys.get(key).ok_or(StaleKey)
    }

    /// Keeps the list of joints with thresholds, which is sorted.
    pub(crate) fn watch(&mut self, index: u32) {
        let is_watched = self.joint_defs[index as usize].threshold.is_some();
        match self.watched_joints.binary_search(&index) {
            Ok(place) if !is_watched => {
                self.watched_joints.remove(place);
            }
            Err(place) if is_watched => self.watched_joints.insert(place, index),
            _ => {}
        }
    }

    /// Reports joints that carry more than their threshold, in the order of their indices, and
    /// removes those that break.
    pub(crate) fn report_joints(&mut self) {
        let mut broken = Vec::new();
        for (&index, load) in self.watched_joints.iter().zip(self.solver.greatest_loads()) {
            let def = &self.joint_defs[index as usize];
            let Some(threshold) = def.threshold else {
                continue;
            };
            let JointLoad { force, torque } = load;
            let exceeds = |value: f32, most: Option<f32>| most.is_some_and(|most| value > most);
            if exceeds(force, threshold.force) || exceeds(torque, threshold.torque) {
                self.pending_events.joint_over_threshold.push(JointEvent {
                    joint: self.joint_keys.key(index),
                    body_a: def.body_a,
                    body_b: def.body_b,
                    force,
                    torque,
                    broken: threshold.breaks,
                });
                if threshold.breaks {
                    broken.push(index);
                }
            }
        }
        for index in broken {
            self.delete_joint(index);
        }
    }

    /// Centre and orientation of a body, as joints see it.
    pub(crate) fn center_pose(&self, body: u32) -> StaticPose {
        let Some(moving) = self.moving(body) else {
            return self.statics[body as usize];
        };
        StaticPose {
            center: moving.center,
            rotation: moving.rotation,
        }
    }
}
