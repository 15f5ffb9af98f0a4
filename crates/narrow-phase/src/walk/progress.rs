//! How far a walk has come, and what it will say.

use drystone_geometry::glam::DVec3;
use drystone_geometry::{Feature, Frame, Separation};

use super::moves::Move;
use crate::tolerance::{TOUCHING, WALK_ROUNDING};
use crate::trace::Reason;

/// The nearest points of X and Y, in Y's frame.
#[derive(Default)]
pub(super) struct Near {
    pub(super) point_x: DVec3,
    pub(super) point_y: DVec3,
    /// Gap between the supporting planes along the normal.
    pub(super) lower: f64,
    /// Distance of the points, and what they may be off the surfaces.
    pub(super) upper: f64,
}

/// How far the walk has come.
pub(super) struct Progress {
    /// Distance of the last pair whose nearest points are its features', in metres.
    closest: f64,
    /// Size of the coordinates, in metres.
    pub(super) scale: f64,
    /// Lengths that are rounding, in metres.
    pub(super) rounding: f64,
    /// Lengths at which features touch, in metres.
    pub(super) touching: f64,
    /// The last normal: unit, from X to Y, in Y's frame; zero at first.
    pub(super) normal: DVec3,
    /// Whether X is B in what is told of X and Y.
    pub(super) is_swapped: bool,
    /// The last answer.
    pub(super) near: Near,
}

impl Progress {
    pub(super) fn new(scale: f64) -> Self {
        Self {
            closest: f64::INFINITY,
            scale,
            rounding: WALK_ROUNDING * scale,
            touching: TOUCHING * scale,
            normal: DVec3::ZERO,
            is_swapped: false,
            near: Near::default(),
        }
    }

    /// Takes note of features whose own nearest points are `distance` apart. A walk comes
    /// ever nearer; says what stops it otherwise.
    #[inline]
    pub(super) fn come_to(&mut self, distance: f64) -> Result<(), Move> {
        if distance <= self.touching {
            return Err(Move::Stuck(Reason::Touching));
        }
        if distance > self.closest + self.rounding {
            return Err(Move::Stuck(Reason::OutOfOrder));
        }
        self.closest = distance;
        Ok(())
    }

    /// The last normal from A to B in A's frame; zero if there was none.
    pub(super) fn direction(&self, b_in_a: &Frame) -> DVec3 {
        if self.is_swapped {
            -self.normal
        } else {
            b_in_a.rotate(self.normal)
        }
    }

    /// Writes the proved answer, of these features.
    #[inline]
    pub(super) fn tell(
        &self,
        b_in_a: &Frame,
        [feature_a, feature_b]: [Feature; 2],
        answer: &mut Separation,
    ) {
        let near = &self.near;
        if self.is_swapped {
            (answer.point_a, answer.point_b) = (near.point_y, near.point_x);
        } else {
            answer.point_a = b_in_a.transform_point(near.point_x);
            answer.point_b = b_in_a.transform_point(near.point_y);
        }
        answer.lower = near.lower.min(near.upper);
        answer.upper = near.upper;
        answer.normal = self.direction(b_in_a);
        answer.feature_a = feature_a;
        answer.feature_b = feature_b;
    }
}
