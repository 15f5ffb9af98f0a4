//! Joints: what holds two bodies together.

mod axis;
mod ball;
mod distance;
mod driving;
mod gear;
mod hinge;
pub(crate) mod jointed;
mod kind;
mod pair;
pub(crate) mod plan;
pub(crate) mod point;
mod prepared;
pub(crate) mod pull;
mod reading;
mod six_dof;
mod slider;
pub(crate) mod tree;
pub(crate) mod watch;
mod weld;
mod wheel;

pub use driving::follows;
pub use kind::{
    JointAxis, JointError, JointKind, JointLimit, JointMotor, JointSpring, SixDofSettings,
    WheelSettings,
};
pub(crate) use prepared::{JointContext, PreparedJoint};
pub use reading::{JointForce, JointState};
pub use watch::JointLoad;

use drystone_geometry::Pose;
use drystone_geometry::glam::Vec3;
use serde::{Deserialize, Serialize};

/// A joint between two bodies, with the impulses it starts the next step from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Joint {
    /// What is held.
    pub kind: JointKind,
    /// World index of the first body.
    pub body_a: u32,
    /// World index of the second body.
    pub body_b: u32,
    /// The joint's frame from A's centre of mass (a static body: from its
    /// [`StaticPose::center`](crate::StaticPose)), in A's own axes.
    pub frame_a: Pose,
    /// The joint's frame on B, likewise.
    pub frame_b: Pose,
    /// What it did in the last sub-step.
    pub impulses: JointImpulses,
}

/// Impulses of one sub-step, on B; A gets the opposite. Divided by the length of a sub-step
/// they are forces and torques; [`Joint::force`] sums them up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct JointImpulses {
    /// At the anchor, of the locked directions, in world axes, in N s. Of a distance, all of it.
    pub linear: Vec3,
    /// Of the locked rotations, in world axes, in N m s.
    pub angular: Vec3,
    /// Of a ball's spring, in world axes, in N m s.
    pub spring: Vec3,
    /// Of the friction of a ball, in world axes, in N m s.
    pub friction: Vec3,
    /// Along and about single axes: X, Y and Z of frame A, then the rotations about X, Y and Z.
    /// A hinge uses the last, a slider the third; a ball keeps its cone in the fourth and its
    /// twist in the last; a distance, a gear and a rack use the first. As the upper limit of the second a distance
    /// keeps what it has pulled with of late, fading.
    pub axes: [AxisImpulses; 6],
    /// What the bodies of a gear or rack have drifted apart, in radians or metres: B's way less
    /// A's times the ratio.
    pub drift: f32,
}

/// Impulses along or about one axis, in N s or N m s.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AxisImpulses {
    /// Of the motor.
    pub motor: f32,
    /// Of the spring.
    pub spring: f32,
    /// Of the lower limit, at least 0; of a lock, either way.
    pub lower: f32,
    /// Of the upper limit, at least 0.
    pub upper: f32,
}

impl JointImpulses {
    /// Multiplies all impulses; what has drifted apart stays.
    pub fn scale(&mut self, ratio: f32) {
        for impulse in [
            &mut self.linear,
            &mut self.angular,
            &mut self.spring,
            &mut self.friction,
        ] {
            *impulse *= ratio;
        }
        for axis in &mut self.axes {
            for impulse in [
                &mut axis.motor,
                &mut axis.spring,
                &mut axis.lower,
                &mut axis.upper,
            ] {
                *impulse *= ratio;
            }
        }
    }

    /// Whether no impulse overflowed, nor would the sum of those along an axis.
    pub(crate) fn is_finite(&self) -> bool {
        // Magnitudes as whole numbers compare in lanes; no number is above infinity.
        let magnitude = |value: f32| value.abs().to_bits();
        let mut most = magnitude(self.drift);
        for vector in [self.linear, self.angular, self.spring, self.friction] {
            for part in vector.to_array() {
                most = most.max(magnitude(part));
            }
        }
        for axis in &self.axes {
            for part in [axis.motor, axis.spring, axis.lower, axis.upper] {
                most = most.max(magnitude(part));
            }
        }
        // So that their sums are finite too.
        most < (f32::MAX / 8.0).to_bits()
    }
}

impl AxisImpulses {
    /// All together, positive towards greater values. Not finite when one is not.
    pub fn total(&self) -> f32 {
        self.motor + self.spring + self.lower - self.upper
    }
}

impl Joint {
    /// A joint that has not acted yet.
    pub fn new(kind: JointKind, body_a: u32, body_b: u32, frame_a: Pose, frame_b: Pose) -> Self {
        Self {
            kind,
            body_a,
            body_b,
            frame_a,
            frame_b,
            impulses: JointImpulses::default(),
        }
    }
}
