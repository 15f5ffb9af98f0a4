//! Weld whose anchors give way through a spring: the frames coincide. Others are solved in
//! lanes.

use crate::joint::pair::rotation_error;
use crate::joint::prepared::{Present, Wrench};
use crate::joint::{JointImpulses, JointSpring};

pub(super) fn wrench(impulses: &JointImpulses) -> Wrench {
    Wrench {
        linear: impulses.linear,
        angular: impulses.angular,
    }
}

pub(super) fn solve(
    present: &mut Present,
    linear: Option<JointSpring>,
    angular: Option<JointSpring>,
    impulses: &mut JointImpulses,
) {
    let tilt = rotation_error(present.frame_a, present.frame_b);
    let softness = present.softness_of(angular);
    present
        .pair
        .hold_spin(tilt, softness, &mut impulses.angular);
    let softness = present.softness_of(linear);
    present
        .pair
        .hold_anchor(present.gap, softness, &mut impulses.linear);
}
