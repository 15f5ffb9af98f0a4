//! Slider: the frames are turned alike and B's anchor lies on A's Z axis. A limit, a motor and a
//! spring act along it.
//!
//! Forces act at B's anchor on both bodies, wherever along the axis it is, so that the slider
//! conserves angular momentum.

use drystone_geometry::glam::Vec3;
use drystone_geometry::rotation;

use crate::joint::axis::{self, Row};
use crate::joint::pair::rotation_error;
use crate::joint::prepared::{Present, Wrench};
use crate::joint::{JointAxis, JointImpulses};

/// Place of what acts along the slider in [`JointImpulses::axes`].
pub(super) const ALONG: usize = 2;

pub(super) fn wrench(present: &Present, impulses: &JointImpulses) -> Wrench {
    let axis = rotation::rotate(present.frame_a, Vec3::Z);
    Wrench {
        linear: across(impulses.linear, axis) + impulses.axes[ALONG].total() * axis,
        angular: impulses.angular,
    }
}

/// Forgets what something did along the slider that is no longer there.
pub(super) fn forget(settings: &JointAxis, impulses: &mut JointImpulses) {
    let own = &mut impulses.axes[ALONG];
    *own = own.lasting(settings, false);
}

fn across(v: Vec3, axis: Vec3) -> Vec3 {
    v - axis * axis.dot(v)
}

pub(super) fn solve(present: &mut Present, settings: &JointAxis, impulses: &mut JointImpulses) {
    let axis = rotation::rotate(present.frame_a, Vec3::Z);
    if *settings != JointAxis::FREE {
        let row = Row::along(&present.pair, axis);
        let place = axis.dot(present.gap);
        axis::solve(present, &row, place, settings, &mut impulses.axes[ALONG]);
    }
    let tilt = rotation_error(present.frame_a, present.frame_b);
    let softness = present.softness;
    present
        .pair
        .hold_spin(tilt, softness, &mut impulses.angular);
    let t1 = rotation::rotate(present.frame_a, Vec3::X);
    let t2 = rotation::rotate(present.frame_a, Vec3::Y);
    keep_on_line(present, [t1, t2], axis, &mut impulses.linear);
}

/// Keeps B's anchor on the line along the unit vector `axis` through A's: a 2x2 block in the
/// plane of the unit vectors `across`.
pub(super) fn keep_on_line(
    present: &mut Present,
    across_axis: [Vec3; 2],
    axis: Vec3,
    impulse: &mut Vec3,
) {
    let [t1, t2] = across_axis;
    let softness = present.softness;
    let error = present.pair.anchor_velocity() + softness.bias_rate * present.gap;
    let step = present.pair.solve_anchor_in_plane(t1, t2, error);
    let old = across(*impulse, axis);
    let change = -(softness.mass_scale * step + softness.impulse_scale * old);
    *impulse = old + change;
    present.pair.push(change);
}
