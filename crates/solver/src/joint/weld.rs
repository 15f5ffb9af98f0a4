//! Weld: the frames coincide, rigidly or through springs.

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
    angular: Option<JointSpring>,
    impulses: &mut JointImpulses,
) {
    let tilt = rotation_error(present.frame_a, present.frame_b);
    let softness = present.softness_of(angular);
    present
        .pair
        .hold_spin(tilt, softness, &mut impulses.angular);
}
