//! The one answer type of every narrow-phase query.

use glam::DVec3;
use serde::{Deserialize, Serialize};

use crate::Feature;

/// Signed distance between two shapes, with its proof, in A's frame and metres.
///
/// `lower <= signed distance <= upper`; negative in overlap. Both bounds are computed
/// from the shapes, so anyone can check them:
///
/// - apart: `lower` is the gap between the two supporting planes along `normal`, `upper`
///   the distance of the witness points;
/// - overlapping: `lower` is minus the support sum along `normal` (moving B by it along
///   `normal` separates), `upper` minus the radius of a ball around the origin inside the
///   Minkowski difference.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Separation {
    /// The signed distance is at least this.
    pub lower: f64,
    /// The signed distance is at most this.
    pub upper: f64,
    /// Witness point on A, in A's frame.
    pub point_a: DVec3,
    /// Witness point on B, in A's frame.
    pub point_b: DVec3,
    /// Unit, from A to B, in A's frame.
    pub normal: DVec3,
    /// The feature of A that holds `point_a`.
    pub feature_a: Feature,
    /// The feature of B that holds `point_b`.
    pub feature_b: Feature,
}

impl Separation {
    /// Best single value of the signed distance: the middle of the certified interval.
    pub fn distance(&self) -> f64 {
        0.5 * (self.lower + self.upper)
    }

    /// Whether the shapes certainly have a common interior point.
    pub fn is_overlapping(&self) -> bool {
        self.upper < 0.0
    }

    /// The answer to the same question with A and B exchanged, still in A's frame.
    pub fn flipped(&self) -> Self {
        Self {
            point_a: self.point_b,
            point_b: self.point_a,
            normal: -self.normal,
            feature_a: self.feature_b,
            feature_b: self.feature_a,
            ..*self
        }
    }
}
