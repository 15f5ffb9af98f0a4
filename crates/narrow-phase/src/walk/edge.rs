//! Edges: their ends, the faces beside them, and where two are nearest.

use drystone_geometry::Feature;
use drystone_geometry::glam::DVec3;

use super::solid::Solid;

/// The ends of an edge, in its solid's frame.
#[derive(Clone, Copy)]
pub(super) struct Ends {
    pub(super) vertices: [u32; 2],
    pub(super) positions: [DVec3; 2],
}

impl Ends {
    #[inline]
    pub(super) fn of<S: Solid>(solid: &S, edge: u32) -> Self {
        let [(from, start), (to, end)] = solid.ends(edge);
        Self {
            vertices: [from, to],
            positions: [start, end],
        }
    }

    #[inline]
    pub(super) fn along(&self) -> DVec3 {
        self.positions[1] - self.positions[0]
    }

    /// How far the ends are along `direction`.
    #[inline]
    pub(super) fn heights(&self, direction: DVec3) -> [f64; 2] {
        [
            self.positions[0].dot(direction),
            self.positions[1].dot(direction),
        ]
    }

    /// The end farther along `direction`, and how far that is.
    #[inline]
    pub(super) fn farther(&self, direction: DVec3) -> (u32, f64) {
        let [first, second] = self.heights(direction);
        if second > first {
            (self.vertices[1], second)
        } else {
            (self.vertices[0], first)
        }
    }
}

/// An edge in Y's frame, as a line.
#[derive(Clone, Copy)]
pub(super) struct Line {
    pub(super) start: DVec3,
    pub(super) along: DVec3,
}

impl Line {
    /// The line from one point to another.
    #[inline(always)]
    pub(super) fn between([start, end]: [DVec3; 2]) -> Self {
        Self {
            start,
            along: end - start,
        }
    }
}

/// Where two edges are nearest, in Y's frame.
pub(super) struct Nearest {
    /// On X's edge and on Y's.
    pub(super) points: (DVec3, DVec3),
    /// From X's edge to Y's.
    offset: DVec3,
    /// In metres.
    pub(super) distance: f64,
}

impl Nearest {
    /// At this share of X's edge.
    #[inline(always)]
    pub(super) fn at(share: f64, on_x: &Line, on_y: &Line) -> Self {
        let point_x = on_x.start + share * on_x.along;
        let height = (point_x - on_y.start).dot(on_y.along) / on_y.along.length_squared();
        let point_y = on_y.start + height * on_y.along;
        let offset = point_y - point_x;
        Self {
            points: (point_x, point_y),
            offset,
            distance: offset.length(),
        }
    }

    /// The unit normal from X's edge to Y's. The cross product is exact unless the edges are nearly
    /// parallel, the offset unless they nearly touch at this `scale` of the coordinates, in metres.
    #[inline(always)]
    pub(super) fn normal(
        &self,
        (on_x, on_y): (&Line, &Line),
        (cross, cross_sq): (DVec3, f64),
        scale: f64,
    ) -> DVec3 {
        let lengths_sq = on_x.along.length_squared() * on_y.along.length_squared();
        if cross_sq * (scale * scale) >= self.distance * self.distance * lengths_sq {
            cross * (1f64.copysign(cross.dot(self.offset)) / cross_sq.sqrt())
        } else {
            self.offset / self.distance
        }
    }
}

/// The face beside an edge, given by its direction, that rises along `direction`, if one
/// does.
#[inline]
pub(super) fn face_towards<S: Solid>(
    solid: &S,
    edge: u32,
    along: DVec3,
    direction: DVec3,
) -> Option<Feature> {
    if !S::HAS_FACES {
        return None;
    }
    // (n x along) . direction, with one cross product for both faces.
    let across = along.cross(direction);
    let left = solid.face_at(2 * edge);
    if solid.face(left).normal.dot(across) > 0.0 {
        return Some(Feature::face(left));
    }
    let right = solid.face_at(2 * edge + 1);
    (solid.face(right).normal.dot(across) < 0.0).then(|| Feature::face(right))
}

/// The end of an edge where two edges are nearest.
#[derive(Clone, Copy)]
pub(super) enum End {
    OfX(usize),
    OfY(usize),
}

/// Where along X's edge the distance of two edges is least, as a share of it, if that is
/// inside both or outside by less than `rounding` metres; otherwise the end it is at, with the
/// other edge.
///
/// X's edge is clipped between the end planes of Y's; there the squared distance from Y's
/// line has a derivative that is linear in the share and never falls.
#[inline]
pub(super) fn least_share(
    on_x: &Line,
    on_y: &Line,
    (cross, cross_sq): (DVec3, f64),
    rounding: f64,
) -> Result<f64, End> {
    let offset = on_x.start - on_y.start;
    let length_sq = on_y.along.length_squared();
    let height = offset.dot(on_y.along);
    let rate = on_x.along.dot(on_y.along);
    let far = height + rate;
    if height < 0.0 && far < 0.0 {
        return Err(End::OfY(0));
    }
    if height > length_sq && far > length_sq {
        return Err(End::OfY(1));
    }
    let (mut enter, mut leave) = ((0.0, End::OfX(0)), (1.0, End::OfX(1)));
    if height < 0.0 {
        enter = (-height / rate, End::OfY(0));
    } else if height > length_sq {
        enter = ((length_sq - height) / rate, End::OfY(1));
    }
    if far < 0.0 {
        leave = (-height / rate, End::OfY(0));
    } else if far > length_sq {
        leave = ((length_sq - height) / rate, End::OfY(1));
    }
    let slope = offset.cross(on_y.along).dot(cross);
    // A corner that sees the other edge rise by rounding must not be come back to.
    let is_beyond = |slope: f64| slope * slope >= rounding * rounding * length_sq * cross_sq;
    let (at_enter, at_leave) = (slope + enter.0 * cross_sq, slope + leave.0 * cross_sq);
    if at_enter >= 0.0 {
        return if is_beyond(at_enter) {
            Err(enter.1)
        } else {
            Ok(enter.0)
        };
    }
    if at_leave <= 0.0 {
        return if is_beyond(at_leave) {
            Err(leave.1)
        } else {
            Ok(leave.0)
        };
    }
    Ok(-slope / cross_sq)
}
