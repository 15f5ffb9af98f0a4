//! What the walk asks of a core. Points and segments are polytopes without faces.

use drystone_geometry::Feature;
use drystone_geometry::feature::FeatureKind;
use drystone_geometry::glam::DVec3;
use drystone_geometry::hull::{Face, Fold, HalfEdge, Hull, Polytope, Spoke};
use drystone_geometry::shape::cuboid::BoxPolytope;

use super::rim::Rim;

/// A core as corners, edges and faces, in its own frame. Edges are half-edges: the twin of
/// `e` is `e ^ 1`.
pub(super) trait Solid: Copy {
    /// Whether edges have faces beside them.
    const HAS_FACES: bool;
    /// Number of corners, edges or faces.
    fn count(&self, kind: FeatureKind) -> usize;
    /// Where a corner is.
    fn position(&self, vertex: u32) -> DVec3;
    /// How far the corner's edge rises that rises most along `direction`, and its half-edge;
    /// [`Spoke::INNER`] when no edge of a face does. `height` is the corner's own.
    fn steepest(&self, vertex: u32, height: f64, direction: DVec3) -> (f64, u32);
    /// Of the edges at a corner that do not rise along `from`, the half-edge of the first that
    /// does as the direction turns to `until`, if one rises by more than `rounding` metres.
    fn first_to_rise(&self, vertex: u32, from: DVec3, until: DVec3, rounding: f64) -> Option<u32>;
    /// How far the core reaches along `direction`, from `start` on.
    fn reach(&self, direction: DVec3, start: u32) -> f64;
    /// The corner farthest along `direction` from `start` on, or `start` itself where a search is
    /// no quicker than to go from corner to corner.
    #[inline]
    fn farther_than(&self, start: u32, _: DVec3) -> u32 {
        start
    }
    /// The corner a half-edge leaves.
    fn origin(&self, half_edge: u32) -> u32;
    /// The corners of an edge, in its direction, and where they are.
    #[inline]
    fn ends(&self, edge: u32) -> [(u32, DVec3); 2] {
        let (from, to) = (self.origin(2 * edge), self.origin(2 * edge + 1));
        [(from, self.position(from)), (to, self.position(to))]
    }
    /// The faces to the left and right of an edge, and where the third corners are of the
    /// triangles of the exact surface there, if these are kept.
    #[inline]
    fn wings(&self, _: u32) -> Option<[(u32, DVec3); 2]> {
        None
    }
    /// A half-edge.
    fn half_edge(&self, half_edge: u32) -> HalfEdge;
    /// A face.
    fn face(&self, face: u32) -> &Face;
    /// The face to the left of a half-edge.
    #[inline]
    fn face_at(&self, half_edge: u32) -> u32 {
        self.half_edge(half_edge).face
    }
    /// The corners of a triangular face, from the origin of its first half-edge on.
    #[inline]
    fn triangle(&self, face: &Face) -> [DVec3; 3] {
        let first = self.half_edge(face.first_edge);
        let second = self.half_edge(first.next);
        [first.origin, second.origin, self.origin(second.next)].map(|vertex| self.position(vertex))
    }
    /// The half-edges of a face of very many, as a list.
    fn wide_face(&self, face: u32) -> Option<&[u32]>;
    /// Radius of a disc around a point over a face of very many edges that lies over it too, in
    /// metres; zero where none is known.
    #[inline]
    fn radius_within(&self, _face: u32, _point: DVec3) -> f64 {
        0.0
    }
    /// The plane of a face under a point over it.
    fn plane_under(&self, face: u32, point: DVec3) -> Plane;

    /// The triangles of a face that is not quite flat.
    fn fold(&self, _face: u32) -> Option<(&Hull, Fold<'_>)> {
        None
    }
    /// Whether any feature has a [`Solid::rim`].
    #[inline]
    fn has_rims(&self) -> bool {
        false
    }
    /// Most corners of a rim; zero where there is none.
    #[inline]
    fn longest_rim(&self) -> usize {
        0
    }
    /// The rim that a feature is on or beside, if it is one of a face of very many edges.
    #[inline]
    fn rim(&self, _: Feature) -> Option<Rim<'_>> {
        None
    }
}

/// A supporting plane.
pub(crate) struct Plane {
    /// Unit, outward.
    pub(crate) normal: DVec3,
    /// `normal . x` on the plane.
    pub(crate) offset: f64,
    /// How far below the plane the surface may lie, in metres.
    pub(crate) flatness: f64,
}

impl Plane {
    #[inline]
    pub(super) fn of(face: &Face, flatness: f64) -> Self {
        Self {
            normal: face.normal,
            offset: face.offset,
            flatness,
        }
    }
}

/// The first to rise of the edges `along`, each with its half-edge.
pub(super) fn first_of(
    edges: impl Iterator<Item = (DVec3, u32)>,
    from: DVec3,
    until: DVec3,
    rounding: f64,
) -> Option<u32> {
    let mut first = (f64::INFINITY, Spoke::INNER);
    for (along, half_edge) in edges {
        let (before, after) = (along.dot(from).min(0.0), along.dot(until));
        let share = before / (before - after);
        // Which it is nobody can guess: no branch.
        let is_first = (after > rounding) & (share < first.0) & (half_edge != Spoke::INNER);
        first.0 = if is_first { share } else { first.0 };
        first.1 ^= (first.1 ^ half_edge) & u32::from(is_first).wrapping_neg();
    }
    (first.1 != Spoke::INNER).then_some(first.1)
}

/// The origin.
#[derive(Clone, Copy)]
pub(super) struct Point;

impl Solid for Point {
    const HAS_FACES: bool = false;

    fn count(&self, kind: FeatureKind) -> usize {
        usize::from(kind == FeatureKind::Vertex)
    }

    #[inline]
    fn position(&self, _: u32) -> DVec3 {
        DVec3::ZERO
    }

    #[inline]
    fn steepest(&self, _: u32, _: f64, _: DVec3) -> (f64, u32) {
        (f64::NEG_INFINITY, Spoke::INNER)
    }

    fn first_to_rise(&self, _: u32, _: DVec3, _: DVec3, _: f64) -> Option<u32> {
        None
    }

    #[inline]
    fn reach(&self, _: DVec3, _: u32) -> f64 {
        0.0
    }

    #[inline]
    fn origin(&self, _: u32) -> u32 {
        0
    }

    fn half_edge(&self, _: u32) -> HalfEdge {
        NO_HALF_EDGE
    }

    fn face(&self, _: u32) -> &Face {
        &NO_FACE
    }

    fn wide_face(&self, _: u32) -> Option<&[u32]> {
        None
    }

    fn plane_under(&self, face: u32, _: DVec3) -> Plane {
        Plane::of(self.face(face), 0.0)
    }
}

/// From `-half_height` to `+half_height` on Y.
#[derive(Clone, Copy)]
pub(super) struct Segment(pub(super) f64);

impl Solid for Segment {
    const HAS_FACES: bool = false;

    fn count(&self, kind: FeatureKind) -> usize {
        match kind {
            FeatureKind::Vertex => 2,
            FeatureKind::Edge => 1,
            FeatureKind::Face => 0,
        }
    }

    #[inline]
    fn position(&self, vertex: u32) -> DVec3 {
        DVec3::new(0.0, if vertex == 1 { self.0 } else { -self.0 }, 0.0)
    }

    #[inline]
    fn steepest(&self, vertex: u32, _: f64, direction: DVec3) -> (f64, u32) {
        let rise = 2.0 * self.0 * direction.y;
        if vertex == 0 { (rise, 0) } else { (-rise, 1) }
    }

    fn first_to_rise(&self, vertex: u32, from: DVec3, until: DVec3, rounding: f64) -> Option<u32> {
        let along = self.position(1 - vertex) - self.position(vertex);
        first_of([(along, vertex)].into_iter(), from, until, rounding)
    }

    #[inline]
    fn reach(&self, direction: DVec3, _: u32) -> f64 {
        self.0 * direction.y.abs()
    }

    #[inline]
    fn origin(&self, half_edge: u32) -> u32 {
        half_edge
    }

    fn half_edge(&self, _: u32) -> HalfEdge {
        NO_HALF_EDGE
    }

    fn face(&self, _: u32) -> &Face {
        &NO_FACE
    }

    fn wide_face(&self, _: u32) -> Option<&[u32]> {
        None
    }

    fn plane_under(&self, face: u32, _: DVec3) -> Plane {
        Plane::of(self.face(face), 0.0)
    }
}

/// Of points and segments, never asked for.
const NO_HALF_EDGE: HalfEdge = HalfEdge {
    origin: 0,
    next: 0,
    face: 0,
};

/// Of points and segments, never asked for.
const NO_FACE: Face = Face {
    normal: DVec3::ZERO,
    offset: f64::INFINITY,
    first_edge: 0,
    edge_count: 0,
};

/// A box.
#[derive(Clone, Copy)]
pub(super) struct Cuboid<'a> {
    half: DVec3,
    polytope: Polytope<'a>,
}

impl<'a> Cuboid<'a> {
    #[inline]
    pub(super) fn new(half: DVec3, cuboid: &'a BoxPolytope) -> Self {
        Self {
            half,
            polytope: cuboid.polytope(),
        }
    }
}

impl Solid for Cuboid<'_> {
    const HAS_FACES: bool = true;

    fn count(&self, kind: FeatureKind) -> usize {
        match kind {
            FeatureKind::Vertex => 8,
            FeatureKind::Edge => 12,
            FeatureKind::Face => 6,
        }
    }

    #[inline]
    fn position(&self, vertex: u32) -> DVec3 {
        let signed = |bit: u32, half: f64| if vertex & bit != 0 { half } else { -half };
        DVec3::new(
            signed(1, self.half.x),
            signed(2, self.half.y),
            signed(4, self.half.z),
        )
    }

    #[inline]
    fn steepest(&self, vertex: u32, _: f64, direction: DVec3) -> (f64, u32) {
        // Along each axis there is one edge, and it leads inwards.
        let inward = -2.0 * self.position(vertex) * direction;
        let mut axis = 0;
        for other in 1..3 {
            if inward[other] > inward[axis] {
                axis = other;
            }
        }
        let target = vertex ^ (1 << axis);
        let ring = self.polytope.ring_of(vertex);
        let half_edge = ring
            .iter()
            .map(|sector| sector.half_edge)
            .find(|&e| self.polytope.target(e) == target);
        (inward[axis], half_edge.unwrap_or(Spoke::INNER))
    }

    fn first_to_rise(&self, vertex: u32, from: DVec3, until: DVec3, rounding: f64) -> Option<u32> {
        let start = self.position(vertex);
        let edges = self.polytope.ring_of(vertex).iter().map(|sector| {
            let end = self.position(self.polytope.target(sector.half_edge));
            (end - start, sector.half_edge)
        });
        first_of(edges, from, until, rounding)
    }

    #[inline]
    fn reach(&self, direction: DVec3, _: u32) -> f64 {
        self.half.dot(direction.abs())
    }

    #[inline]
    fn origin(&self, half_edge: u32) -> u32 {
        self.polytope.origin(half_edge)
    }

    #[inline]
    fn half_edge(&self, half_edge: u32) -> HalfEdge {
        self.polytope.half_edges[half_edge as usize]
    }

    #[inline]
    fn face(&self, face: u32) -> &Face {
        &self.polytope.faces[face as usize]
    }

    fn wide_face(&self, _: u32) -> Option<&[u32]> {
        None
    }

    fn plane_under(&self, face: u32, _: DVec3) -> Plane {
        Plane::of(self.face(face), 0.0)
    }
}
