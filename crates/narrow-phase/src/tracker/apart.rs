//! What a tracker proves of pairs that were apart, in a few operations.

use drystone_geometry::glam::DVec3;
use drystone_geometry::{Frame, Shape};

use super::{State, Tracker};
use crate::measure;
use crate::tolerance::STORED_POSE_ROUNDING;

impl Tracker {
    /// Whether the last answer left a gap above the margin.
    #[inline]
    pub(crate) fn may_be_apart(&self, margin: f64) -> bool {
        self.state == State::Apart && f64::from(self.gap) > margin
    }

    /// Whether two shapes, B seen from A at `b_in_a`, are certainly farther apart than
    /// `distance` metres, from what [`collide`](crate::collide()) last found of them. Costs a few
    /// operations; `false` only means that this is not known.
    #[inline]
    pub fn proves_apart(&self, a: &Shape, b: &Shape, b_in_a: &Frame, distance: f64) -> bool {
        self.may_be_apart(distance)
            && self.is_still_apart(b_in_a, (measure::extent(a), measure::extent(b)), distance)
    }

    /// Whether two shapes, B seen from A at `b_in_a`, certainly stay farther apart than `distance`
    /// metres while B goes straight by `way`, seen from A, from what [`collide`](crate::collide())
    /// last found of them. Costs a few operations; `false` only means that this is not known.
    #[inline]
    pub fn proves_apart_along(
        &self,
        a: &Shape,
        b: &Shape,
        b_in_a: &Frame,
        way: DVec3,
        distance: f64,
    ) -> bool {
        if !self.may_be_apart(distance) {
            return false;
        }
        let (room, normal) = self.room(b_in_a, (measure::extent(a), measure::extent(b)));
        room + normal.dot(way).min(0.0) > distance
    }

    /// Whether a pair that [`Tracker::may_be_apart`] certainly still is farther apart than
    /// `margin` metres.
    pub(crate) fn is_still_apart(&self, b_in_a: &Frame, extents: (f64, f64), margin: f64) -> bool {
        self.room(b_in_a, extents).0 > margin
    }

    /// How far a pair that [`Tracker::may_be_apart`] certainly still is apart, in metres, and along
    /// which normal, from A to B in A's frame.
    ///
    /// Along the stored normal the gap can have shrunk by the motion of B's origin along it
    /// and by the turn times the extent of the turning core; seen from B the same holds of
    /// A, and the shape with the smaller extent gives the better bound.
    #[inline(always)]
    fn room(&self, b_in_a: &Frame, extents: (f64, f64)) -> (f64, DVec3) {
        let gap = f64::from(self.gap);
        let motion = self.motion(b_in_a);
        let normal = self.normal.as_dvec3();
        let then = self.translation.as_dvec3();
        let now = b_in_a.translation;
        let (shift, extent, normal) = if extents.1 <= extents.0 {
            (normal.dot(now - then), extents.1, normal)
        } else {
            // The normal from B to A in B's frame, and A's origin there, then and now.
            let normal_in_b = -(motion.rotation.transpose() * normal);
            let a_then = -(motion.rotation.transpose() * then);
            (
                normal_in_b.dot(-b_in_a.inverse_rotate(now) - a_then),
                extents.0,
                -(b_in_a.rotate(normal_in_b)),
            )
        };
        let rounding = STORED_POSE_ROUNDING * (then.length() + extent + gap);
        (gap + shift - motion.chord * extent - rounding, normal)
    }
}
