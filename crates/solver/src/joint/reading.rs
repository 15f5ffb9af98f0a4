//! What a joint tells from outside a step: where it stands, and how hard it pulls.

use drystone_geometry::glam::{DVec3, Quat, Vec3};
use drystone_geometry::rotation;

use crate::body::StaticPose;
use crate::joint::pair::{Pair, Side};
use crate::joint::prepared::{Present, slides, wrench};
use crate::joint::six_dof::Rings;
use crate::joint::{Joint, JointImpulses, JointKind, hinge, wheel};
use crate::softness::Softness;

/// Where a joint stands: frame B as seen from frame A, in A's axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointState {
    /// B's anchor from A's, in metres.
    pub translation: DVec3,
    /// Orientation of frame B in frame A.
    pub rotation: Quat,
    /// The angles the joint's settings speak of, in radians from -pi to pi: of a hinge or a ball's
    /// twist about Z in `z`; of a wheel the steering in `y`; of six axes those of their rings; else zero.
    pub angles: Vec3,
    /// How fast B's anchor moves away from A's as seen from A, in m/s.
    pub linear_velocity: Vec3,
    /// How fast B turns as seen from A, in rad/s: of a hinge in `z`. A wheel that is steered turns on its
    /// axle at the part of it along the Z axis that `rotation` turns.
    pub angular_velocity: Vec3,
}

/// What a joint does to B; A gets the opposite.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JointForce {
    /// At B's anchor, or A's of a rack, in world axes, in N.
    pub force: Vec3,
    /// About that anchor, in world axes, in N m.
    pub torque: Vec3,
}

impl Joint {
    /// What the joint did in the last sub-step, which was `h` seconds long, given the poses
    /// after it. Of a gear or rack, what B gets.
    pub fn force(&self, a: &StaticPose, b: &StaticPose, h: f32) -> JointForce {
        self.force_of(&self.impulses, a, b, h)
    }

    /// The same of other impulses of this joint.
    pub(super) fn force_of(
        &self,
        impulses: &JointImpulses,
        a: &StaticPose,
        b: &StaticPose,
        h: f32,
    ) -> JointForce {
        let wrench = wrench(&self.at(a, b), &self.kind, impulses);
        JointForce {
            force: wrench.linear / h,
            torque: wrench.angular / h,
        }
    }

    /// Where the joint stands, given the poses of the bodies and their velocities: linear of the
    /// centre, and angular, in world axes.
    pub fn state(
        &self,
        [a, b]: [&StaticPose; 2],
        velocities_a: [Vec3; 2],
        velocities_b: [Vec3; 2],
    ) -> JointState {
        let present = self.at(a, b);
        let arm_a = rotation::rotate(a.rotation, self.frame_a.translation);
        let arm_b = rotation::rotate(b.rotation, self.frame_b.translation);
        let gap = (b.center - a.center) + (arm_b - arm_a).as_dvec3();
        let there = velocities_b[0] + velocities_b[1].cross(arm_b);
        let here = velocities_a[0] + velocities_a[1].cross(arm_a + gap.as_vec3());
        let turn = rotation::to_dmatrix(rotation::to_double(present.frame_a)).transpose();
        let seen = |v: Vec3| rotation::rotate_inverse(present.frame_a, v);
        let angles = match self.kind {
            JointKind::Hinge { .. } | JointKind::Ball { .. } => {
                Vec3::new(0.0, 0.0, hinge::angle(present.frame_a, present.frame_b))
            }
            JointKind::Wheel(_) => Vec3::new(0.0, wheel::steering_angle(&present), 0.0),
            JointKind::SixDof(_) => Rings::of(&present).angles,
            _ => Vec3::ZERO,
        };
        JointState {
            translation: turn * gap,
            rotation: rotation::multiply(rotation::conjugate(present.frame_a), present.frame_b),
            angles,
            linear_velocity: seen(there - here),
            angular_velocity: seen(velocities_b[1] - velocities_a[1]),
        }
    }

    /// The joint at given poses, of bodies that nothing moves.
    pub(super) fn at(&self, a: &StaticPose, b: &StaticPose) -> Present {
        let arm_a = rotation::rotate(a.rotation, self.frame_a.translation);
        let arm_b = rotation::rotate(b.rotation, self.frame_b.translation);
        let gap = (b.center - a.center).as_vec3() + (arm_b - arm_a);
        Present {
            pair: Pair {
                a: Side::still(),
                b: Side::still(),
                arm_a: if slides(&self.kind) {
                    arm_a + gap
                } else {
                    arm_a
                },
                arm_b,
            },
            gap,
            frame_a: rotation::multiply(a.rotation, self.frame_a.rotation),
            frame_b: rotation::multiply(b.rotation, self.frame_b.rotation),
            h: 1.0,
            softness: Softness::RIGID,
            is_biased: false,
        }
    }
}
