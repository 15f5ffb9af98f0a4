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
    if let Some(spring) = present.spring_of(angular) {
        let tilt = rotation_error(present.frame_a, present.frame_b);
        present.pair.hold_spin(tilt, spring, &mut impulses.angular);
    }
    if let Some(spring) = present.spring_of(linear) {
        let gap = present.gap;
        present.pair.hold_anchor(gap, spring, &mut impulses.linear);
    }
}
