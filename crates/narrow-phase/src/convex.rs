//! Cores: what is left of a shape when its radius is taken away.
//!
//! A sphere is a point with a radius, a capsule a segment with a radius; boxes, hulls and triangles
//! are polytopes with radius zero, or the one they are rounded by. GJK and EPA see cores alone,
//! radii are added exactly.

use drystone_geometry::feature::FeatureKind;
use drystone_geometry::glam::{DMat3, DVec3};
use drystone_geometry::hull::{Hull, Polytope, Sector};
use drystone_geometry::shape::cuboid::BoxPolytope;
use drystone_geometry::{Feature, Frame, Shape, TrianglePolytope};

use crate::extremes::larger;
use crate::tolerance::{MAX_COMPARED_FACES, SAME_TILT};

/// Said where no vertex is known to start a support search from.
pub(crate) const NO_HINT: u32 = u32::MAX;

/// The core of a bounded shape, in the shape's frame.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Core<'a> {
    /// The origin.
    Point,
    /// From `-half_height` to `+half_height` on Y.
    Segment(f64),
    /// Half extents, and the box as a polytope.
    Box(DVec3, &'a BoxPolytope),
    /// A hull.
    Hull(&'a Hull),
    /// A triangle with two faces.
    Triangle(&'a TrianglePolytope),
}

/// A polytope that a shape does not keep, for its core to borrow.
#[derive(Clone, Copy, Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "it lives on the stack of one query"
)]
pub(crate) enum Lent {
    /// None is needed.
    None,
    /// Of a box.
    Box(BoxPolytope),
    /// Of a triangle.
    Triangle(TrianglePolytope),
}

/// The polytope of a box or a triangle, for its core to borrow.
#[inline]
pub(crate) fn lend_polytope(shape: &Shape) -> Lent {
    match shape.without_rounding() {
        Shape::Box { half_extents } => Lent::Box(BoxPolytope::new(*half_extents)),
        Shape::Triangle { points } => Lent::Triangle(TrianglePolytope::new(*points)),
        _ => Lent::None,
    }
}

/// The radius around a shape's core, in metres.
#[inline]
pub(crate) fn radius(shape: &Shape) -> f64 {
    f64::from(shape.core_radius())
}

impl<'a> Core<'a> {
    /// The core of a shape whose [`lend_polytope`] is `lent`; nothing for a half-space, a
    /// surface, or what has curved faces.
    #[inline]
    pub(crate) fn of(shape: &'a Shape, lent: &'a Lent) -> Option<Self> {
        match (shape.without_rounding(), lent) {
            (Shape::Sphere { .. }, _) => Some(Self::Point),
            (Shape::Capsule { half_height, .. }, _) => Some(Self::Segment(f64::from(*half_height))),
            (Shape::Segment { a, b }, _) => {
                let length = a.as_dvec3().distance(b.as_dvec3());
                Some(Self::Segment(0.5 * length))
            }
            (Shape::Box { half_extents }, Lent::Box(cuboid)) => {
                Some(Self::Box(half_extents.as_dvec3(), cuboid))
            }
            (Shape::Hull(hull), _) => Some(Self::Hull(hull)),
            (_, Lent::Triangle(triangle)) => Some(Self::Triangle(triangle)),
            _ => None,
        }
    }

    /// The vertex farthest along `direction`; the search may start at `hint`.
    #[inline]
    pub(crate) fn support(&self, direction: DVec3, hint: u32) -> u32 {
        match self {
            Self::Point => 0,
            Self::Segment(_) => u32::from(direction.y > 0.0),
            Self::Box(..) => {
                u32::from(direction.x > 0.0)
                    | u32::from(direction.y > 0.0) << 1
                    | u32::from(direction.z > 0.0) << 2
            }
            Self::Triangle(triangle) => {
                let [a, b, c] = triangle.points().map(|p| p.as_dvec3().dot(direction));
                if b > a {
                    if c > b { 2 } else { 1 }
                } else if c > a {
                    2
                } else {
                    0
                }
            }
            Self::Hull(hull) if hint == NO_HINT => hull.support(direction),
            Self::Hull(hull) => hull.support_from(direction, hint),
        }
    }

    /// Where a vertex is.
    #[inline]
    pub(crate) fn position(&self, vertex: u32) -> DVec3 {
        match self {
            Self::Point => DVec3::ZERO,
            Self::Segment(half_height) => DVec3::new(
                0.0,
                if vertex == 1 {
                    *half_height
                } else {
                    -half_height
                },
                0.0,
            ),
            Self::Box(half, _) => DVec3::new(
                if vertex & 1 != 0 { half.x } else { -half.x },
                if vertex & 2 != 0 { half.y } else { -half.y },
                if vertex & 4 != 0 { half.z } else { -half.z },
            ),
            Self::Hull(hull) => hull.vertices()[vertex as usize].as_dvec3(),
            Self::Triangle(triangle) => triangle.points()[vertex as usize].as_dvec3(),
        }
    }

    /// Largest distance of a core point from the frame's origin, in metres.
    #[inline]
    pub(crate) fn extent(&self) -> f64 {
        match self {
            Self::Point => 0.0,
            Self::Segment(half_height) => *half_height,
            Self::Box(half, _) => half.length(),
            Self::Hull(hull) => hull.reach(),
            Self::Triangle(triangle) => triangle
                .points()
                .iter()
                .fold(0.0, |most: f64, point| most.max(point.as_dvec3().length())),
        }
    }

    /// Whether it has faces or corners of very many edges.
    #[inline]
    pub(crate) fn has_rims(&self) -> bool {
        matches!(self, Self::Hull(hull) if hull.has_rims())
    }

    /// A point inside.
    #[inline]
    pub(crate) fn center(&self) -> DVec3 {
        match self {
            Self::Hull(hull) => hull.center(),
            Self::Triangle(triangle) => {
                let [a, b, c] = triangle.points().map(|point| point.as_dvec3());
                (a + b + c) / 3.0
            }
            _ => DVec3::ZERO,
        }
    }

    /// The faces and edges of a polytope; nothing for points and segments.
    #[inline]
    pub(crate) fn polytope(&self) -> Option<Polytope<'a>> {
        match self {
            Self::Point | Self::Segment(_) => None,
            Self::Box(_, cuboid) => Some(cuboid.polytope()),
            Self::Hull(hull) => Some(hull.polytope()),
            Self::Triangle(triangle) => Some(triangle.polytope()),
        }
    }

    /// A vertex of a feature, where support searches may start; no hint where they need none,
    /// or where there is no such feature.
    #[inline]
    pub(crate) fn vertex_of(&self, feature: Feature) -> u32 {
        let Self::Hull(hull) = self else {
            return NO_HINT;
        };
        let polytope = hull.polytope();
        let count = match feature.kind() {
            FeatureKind::Vertex => polytope.vertices.len(),
            FeatureKind::Edge => polytope.half_edges.len() / 2,
            FeatureKind::Face => polytope.faces.len(),
        };
        if feature.index() as usize >= count {
            return NO_HINT;
        }
        feature_vertices(&polytope, feature)[0]
    }

    /// A vertex of a feature of this core.
    pub(crate) fn any_vertex(&self, feature: Feature) -> u32 {
        match (self.polytope(), feature.kind()) {
            (Some(polytope), _) => feature_vertices(&polytope, feature)[0],
            (None, FeatureKind::Vertex) => feature.index(),
            (None, _) => 0,
        }
    }

    /// The vertices of an edge of this core, in its direction.
    #[inline]
    pub(crate) fn edge_ends(&self, edge: u32) -> [u32; 2] {
        match self.polytope() {
            Some(polytope) => [polytope.origin(2 * edge), polytope.target(2 * edge)],
            None => [0, 1],
        }
    }

    /// A ball inside the core: its centre and radius.
    #[inline]
    pub(crate) fn inner_ball(&self) -> (DVec3, f64) {
        match self {
            Self::Point | Self::Segment(_) | Self::Triangle(_) => (self.center(), 0.0),
            Self::Box(half, _) => (DVec3::ZERO, half.min_element()),
            Self::Hull(hull) => (hull.center(), hull.inner_radius()),
        }
    }

    /// An ellipsoid inside the core around the same centre, as [`Hull::inner_ellipsoid`]
    /// tells it.
    pub(crate) fn inner_ellipsoid(&self) -> DMat3 {
        let along_axes = |half: DVec3| DMat3::from_diagonal(half * half);
        match self {
            Self::Point | Self::Triangle(_) => DMat3::ZERO,
            Self::Segment(half_height) => along_axes(DVec3::new(0.0, *half_height, 0.0)),
            Self::Box(half, _) => along_axes(*half),
            Self::Hull(hull) => hull.inner_ellipsoid(),
        }
    }

    /// The lowest feature that holds all of `vertices` (one to three of them); among
    /// several faces the one best aligned with `outward`.
    pub(crate) fn feature_of(&self, vertices: &[u32], outward: DVec3) -> Feature {
        let first = vertices[0];
        let mut others = vertices.iter().copied().filter(|&v| v != first);
        let Some(second) = others.next() else {
            return Feature::vertex(first);
        };
        let third = others.find(|&v| v != second);
        let Some(polytope) = self.polytope() else {
            return Feature::edge(0);
        };
        if third.is_none()
            && let Some(edge) = edge_between(&polytope, first, second)
        {
            return Feature::edge(edge / 2);
        }
        let holds = |face: u32, vertex: u32| {
            let ring = polytope.ring_of(vertex);
            if ring.len() < polytope.faces[face as usize].edge_count as usize {
                return ring.iter().any(|sector| sector.face == face);
            }
            polytope
                .face_edges(face)
                .any(|e| polytope.origin(e) == vertex)
        };
        // All of them are around each of the vertices: look round the one of fewest.
        let all = [first, second, third.unwrap_or(second)];
        let fewest = all
            .into_iter()
            .min_by_key(|&vertex| polytope.ring_of(vertex).len())
            .unwrap_or(first);
        let mut best = (f64::NEG_INFINITY, None);
        for &Sector { face, .. } in polytope.ring_of(fewest) {
            let aligned = polytope.faces[face as usize].normal.dot(outward);
            if aligned > best.0 && all.iter().all(|&vertex| holds(face, vertex)) {
                best = (aligned, Some(face));
            }
        }
        let face = best
            .1
            .unwrap_or_else(|| aligned_face(&polytope, &[first, second], outward));
        Feature::face(face)
    }
}

/// The half-edge from one vertex to another, if they are neighbours.
pub(crate) fn edge_between(polytope: &Polytope<'_>, from: u32, to: u32) -> Option<u32> {
    // From the corner of fewer edges: the other may be the tip of a cone.
    if polytope.ring_of(to).len() < polytope.ring_of(from).len() {
        let back = leaving(polytope, to, from)?;
        return Some(back ^ 1);
    }
    leaving(polytope, from, to)
}

fn leaving(polytope: &Polytope<'_>, from: u32, to: u32) -> Option<u32> {
    let mut ring = polytope.ring_of(from).iter().map(|sector| sector.half_edge);
    ring.find(|&e| polytope.target(e) == to)
}

/// Of the faces around `vertices`, the one whose normal is nearest to `outward`.
#[inline]
pub(crate) fn aligned_face(polytope: &Polytope<'_>, vertices: &[u32], outward: DVec3) -> u32 {
    if let [vertex] = vertices {
        return polytope.aligned_face(*vertex, outward);
    }
    let mut best = (f64::NEG_INFINITY, 0);
    for &vertex in vertices {
        let face = polytope.aligned_face(vertex, outward);
        let aligned = polytope.faces[face as usize].normal.dot(outward);
        if aligned > best.0 {
            best = (aligned, face);
        }
    }
    best.1
}

/// Of the faces around a corner the one that is clipped against a face with the unit normal
/// `-outward`: the nearest to `outward`, and of those that are as near up to noise always the same.
#[inline(always)]
pub(crate) fn incident_face(polytope: &Polytope<'_>, vertex: u32, outward: DVec3) -> u32 {
    let ring = polytope.ring_of(vertex);
    if ring.len() > MAX_COMPARED_FACES {
        return polytope.aligned_face(vertex, outward);
    }
    let mut best = (f64::NEG_INFINITY, 0);
    for &Sector { face, .. } in ring {
        let aligned = polytope.faces[face as usize].normal.dot(outward);
        // Which it is nobody can guess: no branch.
        let (nearer, as_near) = (aligned > best.0 + SAME_TILT, aligned > best.0 - SAME_TILT);
        let first = u32::from(nearer).wrapping_neg();
        let either = u32::from(as_near).wrapping_neg();
        let lowest = best.1.min(face);
        let kept = best.1 ^ ((best.1 ^ lowest) & either);
        best = (larger(aligned, best.0), kept ^ ((kept ^ face) & first));
    }
    best.1
}

/// The vertices of a feature, at most two of them: enough to know the faces around it.
#[inline]
pub(crate) fn feature_vertices(polytope: &Polytope<'_>, feature: Feature) -> [u32; 2] {
    let index = feature.index();
    match feature.kind() {
        FeatureKind::Vertex => [index, index],
        FeatureKind::Edge => [polytope.origin(2 * index), polytope.target(2 * index)],
        FeatureKind::Face => {
            let edge = polytope.faces[index as usize].first_edge;
            [polytope.origin(edge), polytope.target(edge)]
        }
    }
}

/// Two cores and the pose of the second, with the scale that rounding is measured by.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair<'a> {
    /// The first core; its frame is the query's.
    pub(crate) a: Core<'a>,
    /// The second core.
    pub(crate) b: Core<'a>,
    /// B's pose seen from A.
    pub(crate) b_in_a: &'a Frame,
    /// Size of the coordinates that take part, in metres.
    pub(crate) scale: f64,
}

/// Size of the coordinates that take part in a query of cores that reach so far, in metres.
#[inline]
pub(crate) fn scale_of(extent_a: f64, extent_b: f64, b_in_a: &Frame) -> f64 {
    (extent_a + extent_b + b_in_a.translation.length()).max(f64::MIN_POSITIVE)
}

/// A vertex of the Minkowski difference B - A.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Vertex {
    /// Position of B's vertex minus that of A's, in A's frame.
    pub(crate) w: DVec3,
    /// Vertex of A.
    pub(crate) a: u32,
    /// Vertex of B.
    pub(crate) b: u32,
}

impl<'a> Pair<'a> {
    /// The pair, with its scale.
    #[inline(always)]
    pub(crate) fn new(a: Core<'a>, b: Core<'a>, b_in_a: &'a Frame) -> Self {
        Self {
            a,
            b,
            b_in_a,
            scale: scale_of(a.extent(), b.extent(), b_in_a),
        }
    }

    /// From A's centre to B's, of any length but zero.
    pub(crate) fn between_centers(&self) -> DVec3 {
        let offset = self.b_in_a.transform_point(self.b.center()) - self.a.center();
        if offset.length_squared() > 0.0 {
            offset
        } else {
            DVec3::Y
        }
    }

    /// The vertex of the Minkowski difference B - A that lies least along `direction`:
    /// A's farthest vertex and B's nearest one. Searches start at the hints.
    #[inline]
    pub(crate) fn support(&self, direction: DVec3, hint_a: u32, hint_b: u32) -> Vertex {
        let a = self.a.support(direction, hint_a);
        let b = self
            .b
            .support(-self.b_in_a.inverse_rotate(direction), hint_b);
        self.vertex(a, b)
    }

    /// The vertex made by these two.
    #[inline]
    pub(crate) fn vertex(&self, a: u32, b: u32) -> Vertex {
        let w = self.b_in_a.transform_point(self.b.position(b)) - self.a.position(a);
        Vertex { w, a, b }
    }

    /// The gap between the two supporting planes along the unit `normal` (A to B):
    /// negative in overlap. A lower bound of the signed distance whatever the normal.
    #[inline]
    pub(crate) fn gap(&self, normal: DVec3, hint_a: u32, hint_b: u32) -> f64 {
        self.support(normal, hint_a, hint_b).w.dot(normal)
    }
}
