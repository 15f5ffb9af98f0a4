//! Hinge: the anchors and the Z axes coincide. A limit, a motor and a spring act about them.
//!
//! It is solved in lanes; here is what its impulses come to, and what it shares with wheels.

use drystone_geometry::glam::{Quat, Vec3};
use drystone_geometry::rotation;

use crate::joint::JointImpulses;
use crate::joint::axis::wrap;
use crate::joint::prepared::{Present, Wrench};

/// Place of what acts about the hinge in [`JointImpulses::axes`].
pub(super) const ABOUT: usize = 5;

/// Angle from A's X to B's X about A's Z, in radians, from -pi to pi.
pub(super) fn angle(frame_a: Quat, frame_b: Quat) -> f32 {
    let relative = rotation::multiply(rotation::conjugate(frame_a), frame_b);
    wrap(2.0 * libm::atan2f(relative.z, relative.w))
}

pub(super) fn wrench(present: &Present, impulses: &JointImpulses) -> Wrench {
    let axis = rotation::rotate(present.frame_a, Vec3::Z);
    // What the axis lock did before, without the part that now lies along the axis.
    let lock = impulses.angular - axis * axis.dot(impulses.angular);
    Wrench {
        linear: impulses.linear,
        angular: lock + impulses.axes[ABOUT].total() * axis,
    }
}
