//! Distance: the anchors keep a distance, as a rod, a rope or a spring between stops.

use drystone_geometry::glam::Vec3;

use crate::joint::axis::{self, Row};
use crate::joint::prepared::{Present, Wrench};
use crate::joint::{JointAxis, JointImpulses, JointLimit, JointSpring};
use crate::tolerance::MAX_LINEAR_SPEED;

/// The settings of the joint.
#[derive(Clone, Copy, Debug)]
pub(super) struct Settings {
    pub(super) min: f32,
    pub(super) max: f32,
    pub(super) rest: Option<f32>,
    pub(super) spring: Option<JointSpring>,
}

/// Unit vector from A's anchor to B's and their distance; up when they coincide.
pub(super) fn line(gap: Vec3) -> (Vec3, f32) {
    let length = gap.length();
    if length > 0.0 {
        (gap / length, length)
    } else {
        (Vec3::Y, 0.0)
    }
}

pub(super) fn wrench(present: &Present, impulses: &JointImpulses) -> Wrench {
    let (axis, _) = line(present.gap);
    Wrench {
        linear: impulses.axes[0].total() * axis,
        angular: Vec3::ZERO,
    }
}

/// Forgets what something did that is no longer there.
pub(super) fn forget(
    [min, max]: [f32; 2],
    spring: Option<JointSpring>,
    impulses: &mut JointImpulses,
) {
    let axis = JointAxis {
        limit: Some(JointLimit {
            lower: min,
            upper: max,
        }),
        motor: None,
        // A rod is as stiff as its spring, and that is all there is.
        spring: spring.filter(|_| min < max),
    };
    impulses.axes[0] = impulses.axes[0].lasting(&axis, false);
}

pub(super) fn solve(present: &mut Present, settings: Settings, impulses: &mut JointImpulses) {
    let (direction, length) = line(present.gap);
    let row = Row::along(&present.pair, direction);
    let Settings {
        min,
        max,
        rest,
        spring,
    } = settings;
    let own = &mut impulses.axes[0];
    if min < max {
        // Nothing is nearer than at no distance: what passes right through an anchor must not meet a
        // bound there, so it is farther off than anything moves in a sub-step.
        let lower = if min > 0.0 {
            min
        } else {
            -2.0 * MAX_LINEAR_SPEED * present.h
        };
        let limit = JointLimit { lower, upper: max };
        let spring = spring.map(|spring| JointSpring {
            target: rest.unwrap_or(max),
            ..spring
        });
        axis::solve(present, &row, length, limit, spring, own);
    } else if let Some(spring) = present.spring_of(spring) {
        axis::lock(present, &row, length - max, spring, &mut own.lower);
    }
    impulses.linear = own.total() * direction;
}
