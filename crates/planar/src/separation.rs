//! The one answer type of every planar query, what it may be asked for, and its error.

use std::fmt;

use glam::DVec2;
use serde::{Deserialize, Serialize};

use crate::tolerance::{MAX_ITERATIONS, TOLERANCE};

/// The part of a shape that holds a witness point.
///
/// Indices are positions in the ring of [`crate::Polygon::vertices`] or in the slice of
/// points a shape was made from; a point is vertex 0, a segment vertices 0 and 1. On a
/// rounded shape the feature is that of its core.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Feature2 {
    /// A corner.
    Vertex(u32),
    /// The edge between two corners, in ring order when the shape has a ring.
    Edge(u32, u32),
    /// The outline of an ellipse, which has no features.
    #[default]
    Curve,
}

/// Signed distance between two shapes, with its proof, in A's frame and metres.
///
/// `lower <= signed distance <= upper`, to a few roundings of the coordinates; negative
/// in overlap. Both bounds are computed from the shapes, so anyone can check them:
///
/// - apart: `lower` is the gap between the two supporting lines along `normal`, `upper`
///   the distance of the witness points;
/// - overlapping: `lower` is minus the support sum along `normal` (moving B by it along
///   `normal` separates), `upper` minus the radius of a disk around the origin inside
///   the Minkowski difference.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Separation2 {
    /// The signed distance is at least this.
    pub lower: f64,
    /// The signed distance is at most this.
    pub upper: f64,
    /// Witness point on A, in A's frame.
    pub point_a: DVec2,
    /// Witness point on B, in A's frame.
    pub point_b: DVec2,
    /// Unit, from A to B, in A's frame.
    pub normal: DVec2,
    /// The feature of A that holds `point_a`.
    pub feature_a: Feature2,
    /// The feature of B that holds `point_b`.
    pub feature_b: Feature2,
}

impl Separation2 {
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

impl fmt::Display for Feature2 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Vertex(i) => write!(f, "vertex {i}"),
            Self::Edge(i, j) => write!(f, "edge {i} - {j}"),
            Self::Curve => f.write_str("curve"),
        }
    }
}

/// How deep two shapes overlap and how to part them, in A's frame and metres.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Penetration {
    /// The shortest way out, positive or zero.
    pub depth: f64,
    /// Unit, from A to B.
    pub normal: DVec2,
    /// Moving B by this leaves the shapes touching: `normal * depth`.
    pub separating: DVec2,
    /// The certified answer this was read from.
    pub separation: Separation2,
}

impl Penetration {
    /// The overlap that a certified separation speaks of; none when it is apart.
    pub fn from_separation(separation: &Separation2) -> Option<Self> {
        let depth = -separation.lower;
        (separation.distance() <= 0.0).then(|| Self {
            depth,
            normal: separation.normal,
            separating: separation.normal * depth,
            separation: *separation,
        })
    }
}

/// What a query may spend.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct QueryOptions {
    /// Width of the certified interval, as a ratio of the pair's size. Polygons end
    /// exactly and ignore it; values below the rounding of the pair are raised to it.
    pub tolerance: f64,
    /// Iterations before a curved pair is answered by [`NotConverged`].
    pub max_iterations: u32,
}

impl Default for QueryOptions {
    fn default() -> Self {
        Self {
            tolerance: TOLERANCE,
            max_iterations: MAX_ITERATIONS,
        }
    }
}

/// A curved pair ran out of iterations before its bounds met.
///
/// The bounds hold all the same. Cannot occur for polygons, segments and points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NotConverged {
    /// The signed distance is at least this, in metres.
    pub lower: f64,
    /// The signed distance is at most this, in metres.
    pub upper: f64,
    /// Iterations spent.
    pub iterations: u32,
}

impl fmt::Display for NotConverged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "no certified distance after {} iterations: it lies between {} m and {} m; \
             allow more iterations or a wider tolerance",
            self.iterations, self.lower, self.upper
        )
    }
}

impl std::error::Error for NotConverged {}
