//! Ball joint: the anchors coincide. Friction and a spring may resist rotation, a cone limit
//! bounds how far B's Z axis swings from A's, a twist limit how far B turns about it.
//!
//! It is solved in lanes; here is what its impulses come to.

use drystone_geometry::glam::Vec3;
use drystone_geometry::rotation;

use crate::joint::JointImpulses;
use crate::joint::prepared::{Present, Wrench};
use crate::tolerance::OPPOSITE_AXES;

/// Places of the cone and of the twist in [`JointImpulses::axes`].
const CONE: usize = 3;
const TWIST: usize = 5;

/// Given whether there are limits of the cone and of the twist.
pub(super) fn wrench(
    present: &Present,
    [has_cone, has_twist]: [bool; 2],
    impulses: &JointImpulses,
) -> Wrench {
    let mut turn = impulses.spring + impulses.friction;
    if has_cone {
        turn -= impulses.axes[CONE].upper * swing_axis(present);
    }
    if has_twist {
        turn += impulses.axes[TWIST].total() * twist_direction(present);
    }
    Wrench {
        linear: impulses.linear,
        angular: turn,
    }
}

/// Unit axis about which B's Z swings away from A's, in world axes.
fn swing_axis(present: &Present) -> Vec3 {
    let a = rotation::rotate(present.frame_a, Vec3::Z);
    let b = rotation::rotate(present.frame_b, Vec3::Z);
    let normal = a.cross(b);
    let sine = normal.length();
    if sine > 0.0 {
        normal / sine
    } else {
        rotation::rotate(present.frame_a, Vec3::X)
    }
}

/// The direction whose product with the spin is the rate of the twist, in world axes; see
/// [`tree`](crate::joint::tree).
fn twist_direction(present: &Present) -> Vec3 {
    let a = rotation::rotate(present.frame_a, Vec3::Z);
    let b = rotation::rotate(present.frame_b, Vec3::Z);
    let scale = 1.0 + a.dot(b);
    if scale > OPPOSITE_AXES {
        (a + b) / scale
    } else {
        Vec3::ZERO
    }
}
