//! One state of the walk: where its pair of features leads, or why it is the closest.

use drystone_geometry::feature::FeatureKind;
use drystone_geometry::glam::DVec3;
use drystone_geometry::hull::Spoke;
use drystone_geometry::{Feature, Frame, Separation};

use super::face::{self, Clipped};
use super::solid::Solid;
use crate::tolerance::{TOUCHING, WALK_ROUNDING};
use crate::trace::Reason;

/// What a state says.
pub(super) enum Move {
    /// The pair is closest.
    Proved(Near),
    /// Go to this pair.
    To(Feature, Feature, Reason),
    /// The walk cannot go on.
    Stuck(Reason),
}

/// The nearest points of X and Y, in Y's frame.
pub(super) struct Near {
    point_x: DVec3,
    point_y: DVec3,
    /// Unit, from X to Y.
    normal: DVec3,
    /// Gap between the supporting planes along `normal`.
    lower: f64,
    /// Distance of the points, and what they may be off the surfaces.
    upper: f64,
}

impl Near {
    /// The answer where X is A and Y is B.
    #[inline]
    pub(super) fn from_b(
        &self,
        b_in_a: &Frame,
        [feature_a, feature_b]: [Feature; 2],
    ) -> Separation {
        Separation {
            lower: self.lower.min(self.upper),
            upper: self.upper,
            point_a: b_in_a.transform_point(self.point_x),
            point_b: b_in_a.transform_point(self.point_y),
            normal: b_in_a.rotate(self.normal),
            feature_a,
            feature_b,
        }
    }

    /// The answer where X is B and Y is A.
    #[inline]
    pub(super) fn from_a(&self, [feature_a, feature_b]: [Feature; 2]) -> Separation {
        Separation {
            lower: self.lower.min(self.upper),
            upper: self.upper,
            point_a: self.point_y,
            point_b: self.point_x,
            normal: -self.normal,
            feature_a,
            feature_b,
        }
    }
}

/// How far the walk has come.
pub(super) struct Progress {
    /// Distance of the last pair whose nearest points are its features', in metres.
    closest: f64,
    /// Size of the coordinates, in metres.
    scale: f64,
    /// Lengths that are rounding, in metres.
    rounding: f64,
    /// Lengths at which features touch, in metres.
    touching: f64,
    /// The last normal from X to Y, in Y's frame, and whether X is B.
    pub(super) normal: (DVec3, bool),
}

impl Progress {
    pub(super) fn new(scale: f64) -> Self {
        Self {
            closest: f64::INFINITY,
            scale,
            rounding: WALK_ROUNDING * scale,
            touching: TOUCHING * scale,
            normal: (DVec3::ZERO, false),
        }
    }

    /// Takes note of features whose own nearest points are `distance` apart. A walk comes
    /// ever nearer; says what stops it otherwise.
    #[inline]
    fn come_to(&mut self, distance: f64) -> Result<(), Move> {
        if distance <= self.touching {
            return Err(Move::Stuck(Reason::Touching));
        }
        if distance > self.closest + self.rounding {
            return Err(Move::Stuck(Reason::OutOfOrder));
        }
        self.closest = distance;
        Ok(())
    }
}

/// Two solids, the first with the feature of lower dimension. All is told in the frame of
/// the second.
#[derive(Clone, Copy)]
pub(super) struct Ground<'a, X, Y> {
    pub(super) x: X,
    pub(super) y: Y,
    pub(super) x_in_y: &'a Frame,
    pub(super) y_in_x: &'a Frame,
    /// Whether X is B.
    pub(super) is_swapped: bool,
}

/// An edge in Y's frame, as a line.
#[derive(Clone, Copy)]
struct Line {
    start: DVec3,
    along: DVec3,
}

impl<X: Solid, Y: Solid> Ground<'_, X, Y> {
    /// What the pair of features says.
    #[inline]
    pub(super) fn step(&self, x: Feature, y: Feature, progress: &mut Progress) -> Move {
        use FeatureKind::{Edge, Face, Vertex};
        let (i, j) = (x.index(), y.index());
        let next = match (x.kind(), y.kind()) {
            (Vertex, Vertex) => self.vertex_vertex(i, j, progress),
            (Vertex, Edge) => self.vertex_edge(i, j, progress),
            (Vertex, Face) => self.vertex_face(i, j, progress),
            (Edge, Edge) => self.edge_edge(i, j, progress),
            (Edge, Face) => Ok(self.edge_face(i, j, progress)),
            // The walk puts the lower dimension first and starts no pair of faces.
            (Edge | Face, _) => Ok(Move::Stuck(Reason::Behind)),
        };
        next.unwrap_or_else(|stuck| stuck)
    }

    /// How far X reaches beyond its corner along `normal`, or the edge that leads there.
    #[inline]
    fn beyond_x(
        &self,
        vertex: u32,
        normal: DVec3,
        y: Feature,
        progress: &Progress,
    ) -> Result<f64, Move> {
        let direction = self.y_in_x.rotate(normal);
        let (rise, half_edge) = self.x.steepest(vertex, direction);
        if rise > progress.rounding && half_edge != Spoke::INNER {
            let edge = Feature::edge(half_edge / 2);
            return Err(Move::To(edge, y, Reason::NearerAlongEdge));
        }
        if rise <= 0.0 {
            return Ok(0.0);
        }
        let here = self.x.position(vertex).dot(direction);
        Ok(self.x.reach(direction, vertex) - here)
    }

    /// How far Y reaches beyond `vertex` against `normal`.
    #[inline]
    fn overreach_y(&self, vertex: u32, normal: DVec3) -> f64 {
        let (rise, _) = self.y.steepest(vertex, -normal);
        if rise <= 0.0 {
            return 0.0;
        }
        self.y.reach(-normal, vertex) + self.y.position(vertex).dot(normal)
    }

    fn vertex_vertex(&self, i: u32, j: u32, progress: &mut Progress) -> Result<Move, Move> {
        let point_x = self.x_in_y.transform_point(self.x.position(i));
        let point_y = self.y.position(j);
        let offset = point_y - point_x;
        let distance = offset.length();
        progress.come_to(distance)?;
        let normal = offset / distance;
        progress.normal = (normal, self.is_swapped);
        let over_x = self.beyond_x(i, normal, Feature::vertex(j), progress)?;
        let (rise, half_edge) = self.y.steepest(j, -normal);
        if rise > progress.rounding && half_edge != Spoke::INNER {
            let edge = Feature::edge(half_edge / 2);
            let reason = Reason::NearerAlongEdge;
            return Ok(Move::To(Feature::vertex(i), edge, reason));
        }
        let over_y = if rise <= 0.0 {
            0.0
        } else {
            self.overreach_y(j, normal)
        };
        Ok(Move::Proved(Near {
            point_x,
            point_y,
            normal,
            lower: distance - over_x - over_y,
            upper: distance,
        }))
    }

    fn vertex_edge(&self, i: u32, j: u32, progress: &mut Progress) -> Result<Move, Move> {
        let x = Feature::vertex(i);
        let point_x = self.x_in_y.transform_point(self.x.position(i));
        let [from, to] = [2 * j, 2 * j + 1].map(|half_edge| self.y.origin(half_edge));
        let start = self.y.position(from);
        let along = self.y.position(to) - start;
        let length_sq = along.length_squared();
        let height = (point_x - start).dot(along);
        if height <= 0.0 {
            return Ok(Move::To(x, Feature::vertex(from), Reason::BeyondEnd));
        }
        if height >= length_sq {
            return Ok(Move::To(x, Feature::vertex(to), Reason::BeyondEnd));
        }
        if Y::HAS_FACES {
            let polytope = self.y.polytope();
            for half_edge in [2 * j, 2 * j + 1] {
                if face::side(&polytope, half_edge, point_x) > 0.0 {
                    let face = Feature::face(polytope.half_edges[half_edge as usize].face);
                    return Ok(Move::To(x, face, Reason::OverFace));
                }
            }
        }
        let point_y = start + along * (height / length_sq);
        let offset = point_y - point_x;
        // Square to the edge to the last bit, however near the corner is.
        let offset = offset - along * (offset.dot(along) / length_sq);
        let distance = offset.length();
        progress.come_to(distance)?;
        let normal = offset / distance;
        progress.normal = (normal, self.is_swapped);
        let over_x = self.beyond_x(i, normal, Feature::edge(j), progress)?;
        let end = self.nearer_end([from, to], along, normal);
        let gap = normal.dot(self.y.position(end) - point_x);
        Ok(Move::Proved(Near {
            point_x,
            point_y,
            normal,
            lower: gap - over_x - self.overreach_y(end, normal),
            upper: distance,
        }))
    }

    /// Of the ends of an edge of Y the one that reaches farther against `normal`.
    #[inline]
    fn nearer_end(&self, [from, to]: [u32; 2], along: DVec3, normal: DVec3) -> u32 {
        if along.dot(normal) < 0.0 { to } else { from }
    }

    fn vertex_face(&self, i: u32, j: u32, progress: &mut Progress) -> Result<Move, Move> {
        let point_x = self.x_in_y.transform_point(self.x.position(i));
        if let Some(half_edge) = face::left_through(&self.y, j, point_x) {
            let (x, edge) = (Feature::vertex(i), Feature::edge(half_edge / 2));
            return Ok(Move::To(x, edge, Reason::BesideFace));
        }
        let polytope = self.y.polytope();
        let plane = &polytope.faces[j as usize];
        let height = plane.normal.dot(point_x) - plane.offset;
        if height <= progress.touching {
            return Ok(Move::Stuck(Reason::Behind));
        }
        progress.come_to(height)?;
        let normal = -plane.normal;
        progress.normal = (normal, self.is_swapped);
        let over_x = self.beyond_x(i, normal, Feature::face(j), progress)?;
        Ok(Move::Proved(Near {
            point_x,
            point_y: point_x + height * normal,
            normal,
            lower: height - over_x,
            upper: height + self.y.flatness(j),
        }))
    }

    fn line_of_x(&self, edge: u32) -> Line {
        let start = self.x.position(self.x.origin(2 * edge));
        let end = self.x.position(self.x.origin(2 * edge + 1));
        Line {
            start: self.x_in_y.transform_point(start),
            along: self.x_in_y.rotate(end - start),
        }
    }

    fn line_of_y(&self, edge: u32) -> Line {
        let start = self.y.position(self.y.origin(2 * edge));
        let end = self.y.position(self.y.origin(2 * edge + 1));
        Line {
            start,
            along: end - start,
        }
    }

    fn edge_edge(&self, i: u32, j: u32, progress: &mut Progress) -> Result<Move, Move> {
        let (on_x, on_y) = (self.line_of_x(i), self.line_of_y(j));
        let cross = on_x.along.cross(on_y.along);
        let cross_sq = cross.length_squared();
        let share = match self.least_share(i, j, &on_x, &on_y, cross, cross_sq) {
            Ok(share) => share,
            Err((x, y)) => return Ok(Move::To(x, y, Reason::BeyondEnd)),
        };
        let point_x = on_x.start + share * on_x.along;
        let length_sq = on_y.along.length_squared();
        let height = (point_x - on_y.start).dot(on_y.along) / length_sq;
        let point_y = on_y.start + height * on_y.along;
        let offset = point_y - point_x;
        let distance = offset.length();
        progress.come_to(distance)?;
        // The cross product is exact unless the edges are nearly parallel, the offset unless
        // they nearly touch.
        let lengths_sq = on_x.along.length_squared() * length_sq;
        let scale_sq = progress.scale * progress.scale;
        let crossing = cross_sq * scale_sq >= distance * distance * lengths_sq;
        let normal = if crossing {
            cross * (1f64.copysign(cross.dot(offset)) / cross_sq.sqrt())
        } else {
            let squared =
                offset - on_x.along * (offset.dot(on_x.along) / on_x.along.length_squared());
            squared.normalize_or(offset / distance)
        };
        progress.normal = (normal, self.is_swapped);
        let in_x = self.y_in_x.rotate(normal);
        if let Some(face) = face_towards(&self.x, i, in_x, progress.rounding) {
            return Ok(Move::To(face, Feature::edge(j), Reason::OverFace));
        }
        if let Some(face) = face_towards(&self.y, j, -normal, progress.rounding) {
            return Ok(Move::To(Feature::edge(i), face, Reason::OverFace));
        }
        Ok(Move::Proved(self.proved(
            i,
            j,
            (point_x, point_y),
            normal,
            in_x,
        )))
    }

    /// The answer of two edges.
    fn proved(
        &self,
        i: u32,
        j: u32,
        (point_x, point_y): (DVec3, DVec3),
        normal: DVec3,
        in_x: DVec3,
    ) -> Near {
        let ends = |half_edge: u32| [half_edge, half_edge + 1];
        let [from, to] = ends(2 * i).map(|e| self.x.origin(e));
        let heights = [from, to].map(|v| self.x.position(v).dot(in_x));
        let (end_x, height) = if heights[1] > heights[0] {
            (to, heights[1])
        } else {
            (from, heights[0])
        };
        let (rise, _) = self.x.steepest(end_x, in_x);
        let reach = if rise <= 0.0 {
            height
        } else {
            self.x.reach(in_x, end_x)
        };
        let [from, to] = ends(2 * j).map(|e| self.y.origin(e));
        let along = self.y.position(to) - self.y.position(from);
        let end_y = self.nearer_end([from, to], along, normal);
        let low = self.y.position(end_y).dot(normal) - self.overreach_y(end_y, normal);
        Near {
            point_x,
            point_y,
            normal,
            lower: low - reach - self.x_in_y.translation.dot(normal),
            upper: point_x.distance(point_y),
        }
    }

    /// Where along X's edge the distance of two edges is least, as a share of it, if that is
    /// inside both; otherwise the end it is at, with the other edge.
    ///
    /// X's edge is clipped between the end planes of Y's; there the squared distance from Y's
    /// line has a derivative that is linear in the share and never falls.
    fn least_share(
        &self,
        i: u32,
        j: u32,
        on_x: &Line,
        on_y: &Line,
        cross: DVec3,
        cross_sq: f64,
    ) -> Result<f64, (Feature, Feature)> {
        let (x, y) = (Feature::edge(i), Feature::edge(j));
        let vertex_of_x = |end: u32| (Feature::vertex(self.x.origin(2 * i + end)), y);
        let vertex_of_y = |end: u32| (x, Feature::vertex(self.y.origin(2 * j + end)));
        let offset = on_x.start - on_y.start;
        let length_sq = on_y.along.length_squared();
        let height = offset.dot(on_y.along);
        let rate = on_x.along.dot(on_y.along);
        let far = height + rate;
        if height < 0.0 && far < 0.0 {
            return Err(vertex_of_y(0));
        }
        if height > length_sq && far > length_sq {
            return Err(vertex_of_y(1));
        }
        let (mut enter, mut leave) = ((0.0, vertex_of_x(0)), (1.0, vertex_of_x(1)));
        if height < 0.0 {
            enter = (-height / rate, vertex_of_y(0));
        } else if height > length_sq {
            enter = ((length_sq - height) / rate, vertex_of_y(1));
        }
        if far < 0.0 {
            leave = (-height / rate, vertex_of_y(0));
        } else if far > length_sq {
            leave = ((length_sq - height) / rate, vertex_of_y(1));
        }
        let slope = offset.cross(on_y.along).dot(cross);
        if slope + enter.0 * cross_sq >= 0.0 {
            return Err(enter.1);
        }
        if slope + leave.0 * cross_sq <= 0.0 {
            return Err(leave.1);
        }
        Ok(-slope / cross_sq)
    }

    fn edge_face(&self, i: u32, j: u32, progress: &Progress) -> Move {
        let polytope = self.y.polytope();
        let vertices = [2 * i, 2 * i + 1].map(|half_edge| self.x.origin(half_edge));
        let ends = vertices.map(|v| self.x_in_y.transform_point(self.x.position(v)));
        let plane = &polytope.faces[j as usize];
        let heights = ends.map(|end| plane.normal.dot(end) - plane.offset);
        let (x, face) = (Feature::edge(i), Feature::face(j));
        let border = |half_edge: u32, reason| Move::To(x, Feature::edge(half_edge / 2), reason);
        if self.y.wide_face(j).is_some() {
            let low = usize::from(heights[1] < heights[0]);
            return match face::left_through(&self.y, j, ends[low]) {
                Some(half_edge) => border(half_edge, Reason::NearestAtBorder),
                None if heights[low] <= progress.touching => Move::Stuck(Reason::Behind),
                None => Move::To(Feature::vertex(vertices[low]), face, Reason::NearestAtEnd),
            };
        }
        let clipped = match face::clip(&polytope, j, ends) {
            Clipped::Nothing(half_edge) => return border(half_edge, Reason::BesideFace),
            Clipped::Part(clipped) => clipped,
        };
        let at = |share: f64| heights[0] + share * (heights[1] - heights[0]);
        let low = clipped.map(|(share, _)| at(share));
        if low[0] <= progress.touching || low[1] <= progress.touching {
            return Move::Stuck(Reason::Behind);
        }
        // Side by side with the face, an end of the edge itself is as near as any.
        let first = low[0] < low[1] || (low[0] == low[1] && clipped[0].1.is_none());
        let nearest = usize::from(!first);
        match clipped[nearest].1 {
            None => Move::To(
                Feature::vertex(vertices[nearest]),
                face,
                Reason::NearestAtEnd,
            ),
            Some(half_edge) => border(half_edge, Reason::NearestAtBorder),
        }
    }
}

/// The face beside an edge that rises along `direction`, if one does.
#[inline]
fn face_towards<S: Solid>(
    solid: &S,
    edge: u32,
    direction: DVec3,
    rounding: f64,
) -> Option<Feature> {
    if !S::HAS_FACES {
        return None;
    }
    let polytope = solid.polytope();
    let start = solid.position(solid.origin(2 * edge));
    let along = solid.position(solid.origin(2 * edge + 1)) - start;
    let mut sign = 1.0;
    for half_edge in [2 * edge, 2 * edge + 1] {
        let face = polytope.half_edges[half_edge as usize].face;
        let inward = polytope.faces[face as usize].normal.cross(along);
        if sign * inward.dot(direction) > rounding {
            return Some(Feature::face(face));
        }
        sign = -1.0;
    }
    None
}
