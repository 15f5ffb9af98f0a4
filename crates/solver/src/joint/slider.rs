//! Slider: the frames are turned alike and B's anchor lies on A's Z axis. A limit, a motor and a
//! spring act along it.
//!
//! Forces act at B's anchor on both bodies, wherever along the axis it is, so that the slider
//! conserves angular momentum.

use drystone_geometry::glam::Vec3;
use drystone_geometry::rotation;

use crate::joint::JointImpulses;
use crate::joint::prepared::{Present, Wrench};

/// Place of what acts along the slider in [`JointImpulses::axes`].
pub(super) const ALONG: usize = 2;

pub(super) fn wrench(present: &Present, impulses: &JointImpulses) -> Wrench {
    let axis = rotation::rotate(present.frame_a, Vec3::Z);
    Wrench {
        linear: across(impulses.linear, axis) + impulses.axes[ALONG].total() * axis,
        angular: impulses.angular,
    }
}

fn across(v: Vec3, axis: Vec3) -> Vec3 {
    v - axis * axis.dot(v)
}
