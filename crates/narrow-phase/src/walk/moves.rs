//! One state of the walk: where its pair of features leads, or why it is the closest.

use drystone_geometry::feature::FeatureKind;
use drystone_geometry::glam::DVec3;
use drystone_geometry::hull::Spoke;
use drystone_geometry::{Feature, Frame};

use super::edge::{End, Ends, Line, Nearest, face_towards, least_share};
use super::face::{self, Clipped};
use super::progress::Progress;
use super::solid::{Plane, Solid};
use crate::convex::Pair;
use crate::trace::Reason;

/// What a state says.
pub(super) enum Move {
    /// The pair is closest; [`Progress::answer`] says how close, all but the features.
    Proved,
    /// Go to this pair.
    To(Feature, Feature, Reason),
    /// Go to this pair, which is closest.
    Arrived(Feature, Feature, Reason),
    /// The walk cannot go on.
    Stuck(Reason),
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

/// What rises beside an edge.
enum Beside {
    /// This face.
    Face(Feature),
    /// A triangle of this face, which does not rise itself.
    TriangleOf(u32),
}

/// Whether a solid reaches beyond a corner.
pub(super) enum Reach {
    /// Hardly: this far along the direction, all in all.
    Upto(f64),
    /// Yes, along this half-edge, if any.
    Beyond(u32),
}

/// How far `solid` reaches along `direction`, if no edge at `vertex` rises by more than
/// rounding. `height` is the vertex's own.
#[inline(always)]
pub(super) fn reach<S: Solid>(
    solid: &S,
    vertex: u32,
    height: f64,
    direction: DVec3,
    rounding: f64,
) -> Reach {
    let (rise, half_edge) = solid.steepest(vertex, height, direction);
    if rise <= 0.0 {
        Reach::Upto(height)
    } else if rise > rounding {
        Reach::Beyond(half_edge)
    } else {
        Reach::Upto(solid.reach(direction, vertex))
    }
}

impl<'a, X: Solid, Y: Solid> Ground<'a, X, Y> {
    /// Of the solids of a pair, the pose of whose first in the second's frame is told.
    #[inline(always)]
    pub(super) fn of(pair: &Pair<'a>, (x, y): (X, Y), x_in_y: &'a Frame) -> Self {
        Self {
            x,
            y,
            x_in_y,
            y_in_x: pair.b_in_a,
            is_swapped: false,
        }
    }

    /// The same with X and Y exchanged.
    #[inline]
    pub(super) fn backwards(&self) -> Ground<'a, Y, X> {
        Ground {
            x: self.y,
            y: self.x,
            x_in_y: self.y_in_x,
            y_in_x: self.x_in_y,
            is_swapped: !self.is_swapped,
        }
    }

    /// What the pair of features says.
    #[inline(always)]
    pub(super) fn step(&self, x: Feature, y: Feature, progress: &mut Progress<'_>) -> Move {
        use FeatureKind::{Edge, Face, Vertex};
        let (i, j) = (x.index(), y.index());
        let next = match (x.kind(), y.kind()) {
            (Vertex, Vertex) => self.vertex_vertex(i, j, progress),
            (Vertex, Edge) => self.vertex_edge(i, j, progress),
            (Vertex, Face) => self.vertex_face(i, j, progress),
            (Edge, Edge) => self.edge_edge(i, j, progress),
            (Edge, Face) => self.edge_face(i, j, progress),
            // The walk puts the lower dimension first and starts no pair of faces.
            (Edge | Face, _) => Ok(Move::Stuck(Reason::Behind)),
        };
        next.unwrap_or_else(|stuck| stuck)
    }

    #[inline]
    pub(super) fn turn_to(&self, normal: DVec3, progress: &mut Progress<'_>) {
        progress.normal = normal;
        progress.is_swapped = self.is_swapped;
    }

    /// How far X reaches along the normal, or the edge at its corner that leads nearer.
    #[inline(always)]
    fn reach_of_vertex(&self, i: u32, y: Feature, progress: &Progress<'_>) -> Result<f64, Move> {
        let direction = self.y_in_x.rotate(progress.normal);
        let height = self.x.position(i).dot(direction);
        match reach(&self.x, i, height, direction, progress.rounding) {
            Reach::Upto(reach) => Ok(reach),
            Reach::Beyond(Spoke::INNER) => Ok(self.x.reach(direction, i)),
            Reach::Beyond(half_edge) => {
                let edge = Feature::edge(half_edge / 2);
                Err(Move::To(edge, y, Reason::NearerAlongEdge))
            }
        }
    }

    /// Writes the answer, from the nearest points in Y's frame and how far X reaches along the
    /// normal in its own frame and Y against it.
    #[inline(always)]
    pub(super) fn prove(
        &self,
        progress: &mut Progress<'_>,
        points: (DVec3, DVec3),
        (reach_x, reach_y): (f64, f64),
        upper: f64,
    ) -> Move {
        let normal = progress.normal;
        let lower = -reach_y - reach_x - self.x_in_y.translation.dot(normal);
        let answer = &mut *progress.answer;
        answer.lower = if lower < upper { lower } else { upper };
        answer.upper = upper;
        if self.is_swapped == progress.is_flipped {
            answer.point_a = self.y_in_x.transform_point(points.0);
            answer.point_b = self.y_in_x.transform_point(points.1);
            answer.normal = self.y_in_x.rotate(normal);
        } else {
            // Y comes first to whom this is told, and all is in its frame already.
            (answer.point_a, answer.point_b) = (points.1, points.0);
            answer.normal = -normal;
        }
        Move::Proved
    }

    fn vertex_vertex(&self, i: u32, j: u32, progress: &mut Progress<'_>) -> Result<Move, Move> {
        let point_x = self.x_in_y.transform_point(self.x.position(i));
        let point_y = self.y.position(j);
        let offset = point_y - point_x;
        let distance = offset.length();
        progress.come_to(distance)?;
        let normal = offset / distance;
        self.turn_to(normal, progress);
        let reach_x = self.reach_of_vertex(i, Feature::vertex(j), progress)?;
        let height = -point_y.dot(normal);
        let reach_y = match reach(&self.y, j, height, -normal, progress.rounding) {
            Reach::Upto(reach) => reach,
            Reach::Beyond(Spoke::INNER) => self.y.reach(-normal, j),
            Reach::Beyond(half_edge) => {
                let (x, edge) = (Feature::vertex(i), Feature::edge(half_edge / 2));
                return Ok(Move::To(x, edge, Reason::NearerAlongEdge));
            }
        };
        Ok(self.prove(progress, (point_x, point_y), (reach_x, reach_y), distance))
    }

    fn vertex_edge(&self, i: u32, j: u32, progress: &mut Progress<'_>) -> Result<Move, Move> {
        let x = Feature::vertex(i);
        let point_x = self.x_in_y.transform_point(self.x.position(i));
        let ends = Ends::of(&self.y, j);
        let along = ends.along();
        let length_sq = along.length_squared();
        let (mut near, mut from_near) = (ends.positions[0], point_x - ends.positions[0]);
        let mut height = from_near.dot(along);
        let mut beyond = -height;
        if height + height > length_sq {
            // From the nearer end: the other would round away what a point next to it is along the
            // edge.
            (near, from_near) = (ends.positions[1], point_x - ends.positions[1]);
            height = from_near.dot(along);
            beyond = height;
        }
        // A corner that sees the edge rise by rounding must not be come back to.
        let rounding_sq = progress.rounding * progress.rounding;
        if beyond >= 0.0 && beyond * beyond >= rounding_sq * length_sq {
            if let Some(y) = self.across_wide_face(j, point_x) {
                return Ok(Move::To(x, y, Reason::AlongBorder));
            }
            let end = ends.vertices[usize::from(height > 0.0)];
            return Ok(Move::To(x, Feature::vertex(end), Reason::BeyondEnd));
        }
        let step = along * (height / length_sq);
        let point_y = near + step;
        let offset = step - from_near;
        // Square to the edge to the last bit, however near the corner is.
        let offset = offset - along * (offset.dot(along) / length_sq);
        let distance = offset.length();
        progress.come_to(distance)?;
        let normal = offset / distance;
        self.turn_to(normal, progress);
        let reach_x = self.reach_of_vertex(i, Feature::edge(j), progress)?;
        let reach_y = match self.reach_of_edge(&self.y, j, &ends, -normal, progress) {
            Ok(reach) => reach,
            Err(Beside::Face(face)) => return Ok(Move::To(x, face, Reason::OverFace)),
            Err(Beside::TriangleOf(face)) => {
                if self.is_corner_over_fold(i, face, point_x, progress) {
                    return Ok(Move::Arrived(x, Feature::face(face), Reason::OverFold));
                }
                self.turn_to(normal, progress);
                self.y.reach(-normal, ends.farther(-normal).0)
            }
        };
        Ok(self.prove(progress, (point_x, point_y), (reach_x, reach_y), distance))
    }

    /// If a face of very many edges is beside an edge of Y: the edge of its border nearest to
    /// a point, or the face itself if the point is over it. Nothing if that is no news.
    #[inline]
    fn across_wide_face(&self, edge: u32, point: DVec3) -> Option<Feature> {
        if !self.y.has_rims() {
            return None;
        }
        for half_edge in [2 * edge, 2 * edge + 1] {
            let face = self.y.face_at(half_edge);
            if self.y.wide_face(face).is_some() {
                let plane = self.y.face(face);
                return match face::left_through(&self.y, face, point) {
                    Some(nearest) if nearest / 2 == edge => None,
                    Some(nearest) => Some(Feature::edge(nearest / 2)),
                    None if plane.normal.dot(point) > plane.offset => Some(Feature::face(face)),
                    None => None,
                };
            }
        }
        None
    }

    /// How far a solid reaches along `direction`, which is square to an edge, or what rises
    /// beside the edge.
    #[inline(always)]
    fn reach_of_edge<S: Solid>(
        &self,
        solid: &S,
        edge: u32,
        ends: &Ends,
        direction: DVec3,
        progress: &Progress<'_>,
    ) -> Result<f64, Beside> {
        let rounding = progress.rounding;
        let ([from, to], [first, second]) = (ends.vertices, ends.heights(direction));
        let (end, height) = if second > first {
            (to, second)
        } else {
            (from, first)
        };
        if let Some([left, right]) = solid.wings(edge)
            && (second - first).abs() <= rounding
        {
            // The surface around the inside of an edge is the two triangles beside it.
            let rises = (
                left.1.dot(direction) - height,
                right.1.dot(direction) - height,
            );
            let rise = rises.0.max(rises.1);
            if rise < -rounding {
                return Ok(height);
            }
            if rise > rounding {
                let is_left = rises.0 >= rises.1;
                let face = if is_left { left.0 } else { right.0 };
                let turned = ends.along().cross(direction);
                let slope = solid.face(face).normal.dot(turned);
                return Err(if if is_left { slope > 0.0 } else { slope < 0.0 } {
                    Beside::Face(Feature::face(face))
                } else {
                    Beside::TriangleOf(face)
                });
            }
            return Ok(solid.reach(direction, end));
        }
        match reach(solid, end, height, direction, rounding) {
            Reach::Upto(reach) => Ok(reach),
            Reach::Beyond(_) => match face_towards(solid, edge, ends.along(), direction) {
                Some(face) => Err(Beside::Face(face)),
                // The corners beside the edge rise by rounding, or it is inside.
                None => Ok(solid.reach(direction, end)),
            },
        }
    }

    fn vertex_face(&self, i: u32, j: u32, progress: &mut Progress<'_>) -> Result<Move, Move> {
        let point_x = self.x_in_y.transform_point(self.x.position(i));
        if let Some(half_edge) = face::left_through(&self.y, j, point_x) {
            let (x, edge) = (Feature::vertex(i), Feature::edge(half_edge / 2));
            return Ok(Move::To(x, edge, Reason::BesideFace));
        }
        self.over_face(i, j, point_x, progress)
    }

    /// What a corner of X at `point_x` says that is over a face of Y.
    #[inline]
    pub(super) fn over_face(
        &self,
        i: u32,
        j: u32,
        point_x: DVec3,
        progress: &mut Progress<'_>,
    ) -> Result<Move, Move> {
        let Plane {
            normal: outward,
            offset,
            flatness,
        } = self.y.plane_under(j, point_x);
        let height = outward.dot(point_x) - offset;
        if height <= progress.touching {
            return Ok(Move::Stuck(Reason::Behind));
        }
        progress.come_to(height)?;
        self.turn_to(-outward, progress);
        let reach_x = self.reach_of_vertex(i, Feature::face(j), progress)?;
        let point_y = point_x - height * outward;
        let upper = height + flatness;
        Ok(self.prove(progress, (point_x, point_y), (reach_x, offset), upper))
    }

    fn edge_edge(&self, i: u32, j: u32, progress: &mut Progress<'_>) -> Result<Move, Move> {
        let (ends_x, ends_y) = (Ends::of(&self.x, i), Ends::of(&self.y, j));
        let on_x = Line {
            start: self.x_in_y.transform_point(ends_x.positions[0]),
            along: self.x_in_y.rotate(ends_x.along()),
        };
        let on_y = Line {
            start: ends_y.positions[0],
            along: ends_y.along(),
        };
        let cross = on_x.along.cross(on_y.along);
        let cross_sq = cross.length_squared();
        let share = match least_share(&on_x, &on_y, (cross, cross_sq), progress.rounding) {
            Ok(share) => share,
            Err(End::OfX(end)) => {
                let x = Feature::vertex(ends_x.vertices[end]);
                return Ok(Move::To(x, Feature::edge(j), Reason::BeyondEnd));
            }
            Err(End::OfY(end)) => {
                let y = Feature::vertex(ends_y.vertices[end]);
                return Ok(Move::To(Feature::edge(i), y, Reason::BeyondEnd));
            }
        };
        let nearest = Nearest::at(share, &on_x, &on_y);
        let (points, distance) = (nearest.points, nearest.distance);
        progress.come_to(distance)?;
        let normal = nearest.normal((&on_x, &on_y), (cross, cross_sq), progress.scale);
        self.turn_to(normal, progress);
        let in_x = self.y_in_x.rotate(normal);
        let edges = [Feature::edge(i), Feature::edge(j)];
        let reach_x = match self.reach_of_edge(&self.x, i, &ends_x, in_x, progress) {
            Ok(reach) => reach,
            Err(Beside::Face(face)) => return Ok(Move::To(face, edges[1], Reason::OverFace)),
            Err(Beside::TriangleOf(face)) => {
                let point = self.y_in_x.transform_point(points.1);
                let backwards = self.backwards();
                if let Some(y) = backwards.edge_over_fold(j, face, point, progress) {
                    return Ok(Move::Arrived(Feature::face(face), y, Reason::OverFold));
                }
                self.turn_to(normal, progress);
                self.x.reach(in_x, ends_x.farther(in_x).0)
            }
        };
        let reach_y = match self.reach_of_edge(&self.y, j, &ends_y, -normal, progress) {
            Ok(reach) => reach,
            Err(Beside::Face(face)) => return Ok(Move::To(edges[0], face, Reason::OverFace)),
            Err(Beside::TriangleOf(face)) => {
                if let Some(x) = self.edge_over_fold(i, face, points.0, progress) {
                    return Ok(Move::Arrived(x, Feature::face(face), Reason::OverFold));
                }
                self.turn_to(normal, progress);
                self.y.reach(-normal, ends_y.farther(-normal).0)
            }
        };
        Ok(self.prove(progress, points, (reach_x, reach_y), distance))
    }

    fn edge_face(&self, i: u32, j: u32, progress: &mut Progress<'_>) -> Result<Move, Move> {
        let Ends {
            vertices,
            positions,
        } = Ends::of(&self.x, i);
        let ends = [
            self.x_in_y.transform_point(positions[0]),
            self.x_in_y.transform_point(positions[1]),
        ];
        let plane = self.y.face(j);
        let heights = [
            plane.normal.dot(ends[0]) - plane.offset,
            plane.normal.dot(ends[1]) - plane.offset,
        ];
        let x = Feature::edge(i);
        let border = |half_edge: u32, reason| {
            let edge = Feature::edge(half_edge / 2);
            Ok(Move::To(x, edge, reason))
        };
        // The corner is over the face: its state need not ask.
        let at_end = |end: usize, progress: &mut Progress<'_>| {
            let (vertex, point_x) = (vertices[end], ends[end]);
            let next = self.over_face(vertex, j, point_x, progress);
            let next = next.unwrap_or_else(|stuck| stuck);
            let leads_back = match next {
                Move::Proved => {
                    let x = Feature::vertex(vertex);
                    return Ok(Move::Arrived(x, Feature::face(j), Reason::NearestAtEnd));
                }
                Move::To(next, ..) => next == x,
                Move::Stuck(reason) => reason == Reason::OutOfOrder,
                Move::Arrived(..) => false,
            };
            if leads_back && let Some(x) = self.edge_over_fold(i, j, point_x, progress) {
                return Ok(Move::Arrived(x, Feature::face(j), Reason::OverFold));
            }
            Ok(next)
        };
        if self.y.wide_face(j).is_some() {
            let low = usize::from(heights[1] < heights[0]);
            return match face::left_through(&self.y, j, ends[low]) {
                Some(half_edge) => border(half_edge, Reason::NearestAtBorder),
                None => at_end(low, progress),
            };
        }
        let clipped = match face::clip(&self.y, j, ends) {
            Clipped::Nothing(half_edge) => return border(half_edge, Reason::BesideFace),
            Clipped::Part(clipped) => clipped,
        };
        let fall = heights[1] - heights[0];
        let low = [
            heights[0] + clipped[0].0 * fall,
            heights[0] + clipped[1].0 * fall,
        ];
        if low[0] <= progress.touching || low[1] <= progress.touching {
            return Ok(Move::Stuck(Reason::Behind));
        }
        // Side by side with the face, an end of the edge itself is as near as any.
        let first = low[0] < low[1] || (low[0] == low[1] && clipped[0].1.is_none());
        let nearest = usize::from(!first);
        match clipped[nearest].1 {
            None => at_end(nearest, progress),
            Some(half_edge) => border(half_edge, Reason::NearestAtBorder),
        }
    }
}
