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

/// Keeps B's Z on A's, `axis`: a 2x2 block across it.
pub(super) fn align(present: &mut Present, axis: Vec3, impulse: &mut Vec3) {
    let axis_b = rotation::rotate(present.frame_b, Vec3::Z);
    let tilt = axis.cross(axis_b);
    let t1 = rotation::rotate(present.frame_a, Vec3::X);
    let t2 = rotation::rotate(present.frame_a, Vec3::Y);
    let softness = present.softness;
    let error = present.pair.spin() + softness.bias_rate * tilt;
    let step = present.pair.solve_spin_in_plane(t1, t2, error);
    let old = *impulse - axis * axis.dot(*impulse);
    let change = -(softness.mass_scale * step + softness.impulse_scale * old);
    *impulse = old + change;
    present.pair.twist(change);
}
