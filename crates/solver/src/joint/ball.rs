//! Ball joint: the anchors coincide. Friction and a spring may resist rotation.

use drystone_geometry::glam::Vec3;

use crate::joint::pair::rotation_error;
use crate::joint::prepared::Present;
use crate::joint::{JointImpulses, JointSpring};
use crate::softness::Softness;

pub(super) fn warm_start(present: &mut Present, impulses: &JointImpulses) {
    present.pair.push(impulses.linear);
    present.pair.twist(impulses.spring + impulses.friction);
}

pub(super) fn solve(
    present: &mut Present,
    friction_torque: f32,
    spring: Option<JointSpring>,
    impulses: &mut JointImpulses,
) {
    if let Some(JointSpring {
        hertz,
        damping_ratio,
        ..
    }) = spring
    {
        let tilt = rotation_error(present.frame_a, present.frame_b);
        let softness = Softness::new(hertz, damping_ratio, present.h);
        present.pair.hold_spin(tilt, softness, &mut impulses.spring);
    }
    if friction_torque > 0.0 {
        let old = impulses.friction;
        let wanted = old - present.pair.solve_spin(present.pair.spin());
        impulses.friction = shorten(wanted, friction_torque * present.h);
        present.pair.twist(impulses.friction - old);
    }
}

/// `v`, shortened to `most` if it is longer.
fn shorten(v: Vec3, most: f32) -> Vec3 {
    let length = v.length();
    if length > most {
        v * (most / length)
    } else {
        v
    }
}
