//! Distance: the anchors keep a distance, as a rod, a rope or a spring between stops.

use drystone_geometry::glam::Vec3;

use crate::joint::prepared::{Present, Wrench};
use crate::joint::{JointAxis, JointImpulses, JointKind, JointLimit, JointSpring};
use crate::tolerance::FAR_BOUND;

/// What acts along the line between the anchors; nothing of other joints.
pub(super) fn axis(kind: &JointKind) -> Option<JointAxis> {
    let JointKind::Distance {
        min,
        max,
        rest,
        spring,
    } = *kind
    else {
        return None;
    };
    // A rod is as stiff as its spring, and that is all there is.
    let is_elastic = min == max && spring.is_some();
    // Nothing is nearer than at no distance: what passes right through an anchor must not meet a bound there.
    let lower = if min > 0.0 { min } else { -FAR_BOUND };
    let limit = JointLimit { lower, upper: max };
    let target = if is_elastic { max } else { rest.unwrap_or(max) };
    Some(JointAxis {
        limit: Some(limit).filter(|_| !is_elastic && (min > 0.0 || max < FAR_BOUND)),
        motor: None,
        spring: spring.map(|spring| JointSpring { target, ..spring }),
    })
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
