//! Watching an algorithm at work: what it looked at, and why it went on.
//!
//! A trace speaks canonical order: A is the caller's second shape where [`Event::Begin`] says
//! so, and points and directions are in A's frame.

use drystone_geometry::Feature;
use drystone_geometry::glam::DVec3;

use crate::cast::CastEnd;
use crate::convex::Vertex;

/// Receives every event of a traced query. Static dispatch: watching with [`Silent`] costs
/// nothing.
pub trait Trace {
    /// Whether events are made at all; what only a trace needs is not computed otherwise.
    const WATCHES: bool = true;

    /// The next event.
    fn event(&mut self, event: Event);
}

/// Watches nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Trace for Silent {
    const WATCHES: bool = false;

    #[inline]
    fn event(&mut self, _: Event) {}
}

/// Keeps every event.
impl Trace for Vec<Event> {
    fn event(&mut self, event: Event) {
        self.push(event);
    }
}

/// What an algorithm did. Those of one query come in the order in which they happened, and
/// whatever is handed over says why.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Event {
    /// A full answer is sought; the order of the shapes is settled.
    Begin {
        /// Whether A is the caller's second shape.
        is_flipped: bool,
    },
    /// The gap of the last answer outlasts all motion since: no contact, nothing else is done.
    Skipped,
    /// The pair touched and hardly moved: its points are kept and measured again.
    Recycled,
    /// A closed form or separating axes gave the answer, or a bound beyond the limit.
    Closed(ClosedForm),
    /// A state of the walk.
    Walk(Step),
    /// A state of the slide to the least depth nearby.
    Slide(Step),
    /// Whether the depth a slide found was shown to be the least of all.
    DepthProof(DepthProof),
    /// How a pair that overlapped fared from its last facet.
    Hold(HoldEnd),
    /// GJK starts with this support.
    GjkStart(MinkowskiVertex),
    /// GJK took a support.
    Gjk(GjkStep),
    /// GJK ended.
    GjkEnd(GjkEnd),
    /// EPA starts.
    EpaStart(EpaStart),
    /// EPA tried to push a face outwards.
    Epa(EpaStep),
    /// EPA ended.
    EpaEnd(EpaEnd),
    /// EPA left the depth undecided; every face and pair of edges is tried.
    Enumerated,
    /// A cast knows the distance at a time; what answered it came before.
    Advance(AdvanceStep),
}

/// A step of a cast: how far apart the shapes are, and how fast that can change.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AdvanceStep {
    /// From 0 to 1.
    pub time: f64,
    /// The lower bound of the separation then, in metres.
    pub lower: f64,
    /// Fastest that the supporting planes can close, turns included, in metres per unit of time.
    pub closing: f64,
    /// How the cast ends here; nothing while it goes on.
    pub end: Option<CastEnd>,
}

/// A state of the walk or of the slide, and how it came about.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// The feature of A.
    pub feature_a: Feature,
    /// The feature of B.
    pub feature_b: Feature,
    /// Why the algorithm is here.
    pub reason: Reason,
}

/// Why a walk or a slide took a step.
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
    /// The nearest point is inside a face, whose triangles do not quite lie in one plane, though
    /// the face's own plane says that it is beside it.
    OverFold,
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
    /// The slide starts at the facet of the last answer.
    SlideStart,
    /// A facet next door is less deep.
    Shallower,
    /// No facet next door is less deep.
    LeastNearby,
    /// Rounding leads the slide in circles, or it is too long: a search goes on.
    SlideLost,
}

/// A vertex of the Minkowski difference B - A.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MinkowskiVertex {
    /// B's vertex minus A's, in metres.
    pub point: DVec3,
    /// The vertex of A.
    pub vertex_a: u32,
    /// The vertex of B.
    pub vertex_b: u32,
}

impl From<Vertex> for MinkowskiVertex {
    fn from(vertex: Vertex) -> Self {
        Self {
            point: vertex.w,
            vertex_a: vertex.a,
            vertex_b: vertex.b,
        }
    }
}

/// What answered without a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ClosedForm {
    /// A half-space and the lowest point of the other shape, or two half-spaces.
    HalfSpace,
    /// Two points, a point and a segment, or two segments.
    PointsAndSegments,
    /// A point and a box.
    PointAndBox,
    /// A point and a cylinder, cone or ellipsoid.
    PointAndCurved,
    /// A flat face that carried the contact of a curved shape last time: its depth is small,
    /// and the deepest point lies over it.
    LastFace,
    /// The last features and normal of curved shapes, followed by Newton's method until the bounds
    /// meet.
    LastNormal,
    /// The separating axes of boxes and segments: all there are, so the widest gap is the
    /// answer in overlap.
    SeparatingAxes,
}

/// Whether the depth along a direction is the least of all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DepthProof {
    /// Points of the Minkowski difference reach at least as far along every other direction.
    Least,
    /// Another direction has less; the slide starts again from there.
    Less,
    /// Too many directions are nearly as good to tell with little work.
    Open,
}

/// How a pair that overlapped fared from its last facet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HoldEnd {
    /// Nothing is known of the last depth, or the features are not those of the pair: a
    /// search goes on.
    Nothing,
    /// The cores are apart along the direction found: a walk goes on.
    Apart,
    /// The slide found the least depth of all.
    Proved,
    /// The slide lost its way, or nothing shows that its depth is the least: a search goes on.
    Unproved,
}

/// A support that GJK took.
#[derive(Clone, Debug, PartialEq)]
pub struct GjkStep {
    /// Supports taken so far, this one included.
    pub iteration: u32,
    /// Where it was sought: A's farthest vertex along it, B's farthest against it. Unit.
    pub direction: DVec3,
    /// What was found.
    pub support: MinkowskiVertex,
    /// What is kept after it: the vertices of the nearest point, or a tetrahedron around the
    /// origin.
    pub simplex: Vec<MinkowskiVertex>,
    /// The nearest point of `simplex` to the origin, in metres.
    pub nearest: DVec3,
    /// The widest gap between supporting planes so far, in metres.
    pub lower: f64,
    /// The distance of `nearest`, in metres.
    pub upper: f64,
}

/// Why GJK ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum GjkEnd {
    /// Both bounds agree: apart.
    BoundsMeet,
    /// The support is in the simplex already, so nothing is nearer: apart.
    RepeatedSupport,
    /// The vector to the origin does not shrink any more: apart, up to rounding.
    NoProgress,
    /// The gap is wider than asked for.
    BeyondLimit,
    /// The origin is inside the tetrahedron: EPA goes on.
    Enclosed,
    /// The simplex touches the origin up to rounding: EPA gives the sign.
    Touching,
    /// Out of supports; both bounds hold.
    OutOfSteps,
}

/// What EPA started from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EpaStart {
    /// The tetrahedron GJK ended with.
    Tetrahedron,
    /// GJK's triangle or segment, completed by supports to both sides.
    Completed,
    /// Supports in fixed directions, since GJK's vertices span no volume.
    FixedDirections,
    /// Nothing: the Minkowski difference has no volume.
    Flat,
}

/// One attempt of EPA to push a face outwards.
#[derive(Clone, Debug, PartialEq)]
pub struct EpaStep {
    /// The face's corners.
    pub face: [MinkowskiVertex; 3],
    /// The face's outward normal.
    pub normal: DVec3,
    /// The face's distance from the origin, in metres: no depth in its direction is smaller.
    pub distance: f64,
    /// The farthest vertex along `normal`.
    pub support: MinkowskiVertex,
    /// Its distance along `normal`, in metres: no depth in this direction is larger.
    pub reach: f64,
    /// Edges of the border round the faces it replaced; none when the face is a true one.
    pub horizon: u32,
    /// All faces before the step; the origin sees them from inside.
    pub polytope: Vec<[MinkowskiVertex; 3]>,
}

/// Why EPA ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EpaEnd {
    /// The nearest face is one of the Minkowski difference itself.
    TrueFace,
    /// The bounds of the face found are apart by more than rounding.
    Uncertified,
    /// Both bounds are as close as asked, of shapes with curved faces.
    BoundsMeet,
    /// Out of points, of shapes with curved faces; both bounds hold.
    OutOfSteps,
}
