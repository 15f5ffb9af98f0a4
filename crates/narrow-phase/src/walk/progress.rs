//! How far a walk has come, and where it will say so.

use drystone_geometry::glam::DVec3;
use drystone_geometry::{Feature, Frame, Separation};

use super::moves::Move;
use crate::tolerance::{CERTIFIED, TOUCHING, WALK_ROUNDING};
use crate::trace::Reason;

/// How far the walk has come.
pub(super) struct Progress<'a> {
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
    /// Whether the answer is for one to whom B comes first.
    pub(super) is_flipped: bool,
    /// To be written when the walk ends with a proof.
    pub(super) answer: &'a mut Separation,
}

impl<'a> Progress<'a> {
    #[inline]
    pub(super) fn new(scale: f64, is_flipped: bool, answer: &'a mut Separation) -> Self {
        Self {
            closest: f64::INFINITY,
            scale,
            rounding: WALK_ROUNDING * scale,
            touching: TOUCHING * scale,
            normal: DVec3::ZERO,
            is_swapped: false,
            is_flipped,
            answer,
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

    /// Writes the features of the answer.
    #[inline]
    pub(super) fn name(&mut self, [feature_a, feature_b]: [Feature; 2]) {
        (self.answer.feature_a, self.answer.feature_b) = if self.is_flipped {
            (feature_b, feature_a)
        } else {
            (feature_a, feature_b)
        };
    }

    /// Whether the bounds of the answer that was written are as close as a certificate's.
    pub(super) fn is_certified(&self) -> bool {
        self.answer.upper - self.answer.lower <= CERTIFIED * self.scale
    }

    /// Lets the next features be farther apart than the last.
    pub(super) fn forget(&mut self) {
        self.closest = f64::INFINITY;
    }

    /// The last normal from A to B in A's frame; zero if there was none.
    pub(super) fn direction(&self, b_in_a: &Frame) -> DVec3 {
        if self.is_swapped {
            -self.normal
        } else {
            b_in_a.rotate(self.normal)
        }
    }
}
