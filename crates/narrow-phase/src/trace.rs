//! Watching an algorithm at work: what it looked at, and why it went on.

use drystone_geometry::Feature;

/// Receives every step of a traced query. Static dispatch: watching with [`Silent`] costs
/// nothing.
pub trait Trace {
    /// One step. The first of an algorithm says where it starts.
    fn step(&mut self, step: &Step) {
        let _ = step;
    }
}

/// Watches nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Trace for Silent {}

/// Keeps every step.
impl Trace for Vec<Step> {
    fn step(&mut self, step: &Step) {
        self.push(*step);
    }
}

/// A state of an algorithm and how it came about. A and B are in canonical order, which
/// [`Step::is_flipped`] tells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// The feature of A.
    pub feature_a: Feature,
    /// The feature of B.
    pub feature_b: Feature,
    /// Why the algorithm is here.
    pub reason: Reason,
    /// Whether A is the caller's second shape.
    pub is_flipped: bool,
}

/// Why an algorithm took a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// The walk starts where the last answer ended.
    WalkStart,
    /// An edge at a corner leads nearer to the other feature.
    NearerAlongEdge,
    /// The nearest point of an edge's line lies beyond its end, or at it.
    BeyondEnd,
    /// The nearest point to an edge lies over a face beside it.
    OverFace,
    /// Along the border of a face of very many corners another edge is nearer, or the corner
    /// lies over that face.
    AlongBorder,
    /// A corner lies outside the column over a face.
    BesideFace,
    /// Over a face, an edge is nearest at one of its ends.
    NearestAtEnd,
    /// Over a face, an edge is nearest where it crosses the face's border.
    NearestAtBorder,
    /// Each witness lies in the other feature's Voronoi region: the pair is closest.
    Proved,
    /// An edge passes through a face, or a corner lies behind one: GJK goes on.
    Behind,
    /// The features touch up to rounding: GJK goes on.
    Touching,
    /// The distance did not shrink, which only rounding explains: GJK goes on.
    OutOfOrder,
    /// The walk is longer than a search would be: GJK goes on.
    TooLong,
    /// The bounds are apart by more than rounding, since a face is flat only up to the
    /// rounding of its corners: GJK goes on.
    Uncertified,
    /// GJK starts.
    GjkStart,
    /// EPA starts.
    EpaStart,
}
