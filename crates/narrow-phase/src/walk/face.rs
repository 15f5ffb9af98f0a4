//! The column over a face: its sides, and where a point or an edge leaves it.
//!
//! A side plane holds the edge and the face's normal. Whatever asks on which side of it a
//! point lies gets the answer from [`side`], of a triangle from its [`Column`], so that two
//! questions about a face never disagree.

use drystone_geometry::glam::DVec3;
use drystone_geometry::hull::Face;

use super::solid::Solid;
use crate::extremes::smaller;

/// Largest number of edges that are looked at one by one.
pub(super) const ROUND_COUNT: u32 = 32;

/// How far `point` lies inwards of the side plane at `half_edge` of the face with this normal,
/// in metres times the length of the edge; positive over the face.
#[inline]
pub(super) fn side<S: Solid>(solid: &S, half_edge: u32, outward: DVec3, point: DVec3) -> f64 {
    // Both half-edges of an edge compute with the same numbers.
    let start = solid.position(solid.origin(half_edge & !1));
    let along = solid.position(solid.origin(half_edge | 1)) - start;
    let distance = outward.cross(along).dot(point - start);
    if half_edge & 1 == 0 {
        distance
    } else {
        -distance
    }
}

/// The half-edge of a face whose side plane `point` is farthest outside of, if any.
/// Of a face of very many edges one of those near the point.
#[inline]
pub(super) fn left_through<S: Solid>(solid: &S, face: u32, point: DVec3) -> Option<u32> {
    if let Some(edges) = solid.wide_face(face) {
        return left_through_wide(solid, edges, face, point);
    }
    let plane = solid.face(face);
    if plane.edge_count == 3 {
        return within_triangle(solid, plane, point).err();
    }
    left_through_small(solid, plane, point)
}

/// The same, edge by edge.
fn left_through_small<S: Solid>(solid: &S, plane: &Face, point: DVec3) -> Option<u32> {
    let mut worst = (0.0, None);
    let mut half_edge = plane.first_edge;
    for _ in 0..plane.edge_count {
        let inwards = side(solid, half_edge, plane.normal, point);
        if inwards < 0.0 {
            let outwards_sq = inwards * inwards / length_sq(solid, half_edge);
            if outwards_sq > worst.0 || worst.1.is_none() {
                worst = (outwards_sq, Some(half_edge));
            }
        }
        half_edge = solid.half_edge(half_edge).next;
    }
    worst.1
}

/// The column over a triangle.
struct Column {
    corners: [DVec3; 3],
    /// Square to its sides and inwards, each as long as the side.
    inwards: [DVec3; 3],
}

impl Column {
    #[inline(always)]
    fn new<S: Solid>(solid: &S, plane: &Face) -> Self {
        let [a, b, c] = solid.triangle(plane);
        let normal = plane.normal;
        Self {
            corners: [a, b, c],
            inwards: [
                normal.cross(b - a),
                normal.cross(c - b),
                normal.cross(a - c),
            ],
        }
    }

    /// How far `point` lies inwards of each side, in metres times the length of the side.
    #[inline(always)]
    fn sides(&self, point: DVec3) -> [f64; 3] {
        [
            self.inwards[0].dot(point - self.corners[0]),
            self.inwards[1].dot(point - self.corners[1]),
            self.inwards[2].dot(point - self.corners[2]),
        ]
    }

    /// The squared distances from the sides, in square metres.
    #[inline(always)]
    fn squared(&self, sides: [f64; 3]) -> [f64; 3] {
        let of = |side: f64, inwards: DVec3| side * side / inwards.length_squared();
        [
            of(sides[0], self.inwards[0]),
            of(sides[1], self.inwards[1]),
            of(sides[2], self.inwards[2]),
        ]
    }
}

/// The half-edge so many after the first of a triangle.
#[inline]
fn half_edge_after<S: Solid>(solid: &S, first: u32, count: usize) -> u32 {
    let mut half_edge = first;
    for _ in 0..count {
        half_edge = solid.half_edge(half_edge).next;
    }
    half_edge
}

/// [`inner_sq`] of a triangle.
#[inline(always)]
fn within_triangle<S: Solid>(solid: &S, plane: &Face, point: DVec3) -> Result<f64, u32> {
    let column = Column::new(solid, plane);
    let sides = column.sides(point);
    if sides[0] >= 0.0 && sides[1] >= 0.0 && sides[2] >= 0.0 {
        let [first, second, third] = column.squared(sides);
        return Ok(smaller(smaller(first, second), third));
    }
    let mut worst = (-1.0, 0);
    for (index, (side, squared)) in sides.into_iter().zip(column.squared(sides)).enumerate() {
        // Which one it is nobody can guess: no branch.
        let outside = if side < 0.0 { squared } else { -1.0 };
        worst = if outside > worst.0 {
            (outside, index)
        } else {
            worst
        };
    }
    Err(half_edge_after(solid, plane.first_edge, worst.1))
}

/// Squared radius of a disc around `point` that lies over a face as the point does, in square
/// metres; of a face of very many edges a smaller one. Of a point that does not lie over it the
/// half-edge that [`left_through`] tells.
#[inline(always)]
pub(super) fn inner_sq<S: Solid>(solid: &S, face: u32, point: DVec3) -> Result<f64, u32> {
    let plane = solid.face(face);
    if plane.edge_count == 3 {
        return within_triangle(solid, plane, point);
    }
    if let Some(half_edge) = left_through(solid, face, point) {
        return Err(half_edge);
    }
    if plane.edge_count > ROUND_COUNT {
        let radius = solid.radius_within(face, point);
        return Ok(radius * radius);
    }
    Ok(inner_sq_of_many(solid, plane, point))
}

fn inner_sq_of_many<S: Solid>(solid: &S, plane: &Face, point: DVec3) -> f64 {
    let mut half_edge = plane.first_edge;
    let mut from = solid.position(solid.origin(half_edge));
    let mut least = f64::INFINITY;
    for _ in 0..plane.edge_count {
        half_edge = solid.half_edge(half_edge).next;
        let to = solid.position(solid.origin(half_edge));
        let along = to - from;
        let inwards = plane.normal.cross(along).dot(point - from).max(0.0);
        least = least.min(inwards * inwards / along.length_squared());
        from = to;
    }
    least
}

fn length_sq<S: Solid>(solid: &S, half_edge: u32) -> f64 {
    let from = solid.position(solid.origin(half_edge));
    from.distance_squared(solid.position(solid.origin(half_edge ^ 1)))
}

/// Bisection over the fan of triangles from the first corner, then along the border to an
/// edge near the point.
#[inline(never)]
fn left_through_wide<S: Solid>(solid: &S, edges: &[u32], face: u32, point: DVec3) -> Option<u32> {
    let normal = solid.face(face).normal;
    let corner = |index: usize| solid.position(solid.origin(edges[index]));
    let apex = corner(0);
    let to_point = point - apex;
    let is_left_of = |index: usize| (corner(index) - apex).cross(to_point).dot(normal) >= 0.0;
    // The point lies left of the rays to `low` and right of the ray to `high`.
    let (mut low, mut high) = (0, edges.len() - 1);
    if is_left_of(high) {
        low = high;
    }
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if is_left_of(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    if side(solid, edges[low], normal, point) >= 0.0 {
        // Behind the apex, the first and last sides tell.
        return [0, edges.len() - 1]
            .into_iter()
            .map(|index| edges[index])
            .find(|&edge| side(solid, edge, normal, point) < 0.0);
    }
    Some(edges[nearest_on_border(solid, edges, low, normal, point)])
}

/// From an edge that `point` is outside of towards the one it is nearest to. Along the edges
/// seen from the point, those whose far end is nearer come first.
fn nearest_on_border<S: Solid>(
    solid: &S,
    edges: &[u32],
    start: usize,
    normal: DVec3,
    point: DVec3,
) -> usize {
    let count = edges.len();
    let beyond = |index: usize, forward: bool| {
        let edge = edges[index];
        if side(solid, edge, normal, point) >= 0.0 {
            return false;
        }
        let edge = if forward { edge } else { edge ^ 1 };
        let [from, to] = [edge, edge ^ 1].map(|e| solid.position(solid.origin(e)));
        (point - to).dot(to - from) > 0.0
    };
    for forward in [true, false] {
        if !beyond(start, forward) {
            continue;
        }
        let at = |steps: usize| {
            if forward {
                (start + steps) % count
            } else {
                (start + count - steps) % count
            }
        };
        let mut reach = 1;
        while reach < count && beyond(at(reach), forward) {
            reach *= 2;
        }
        // The turn lies after `near` and not after `far`.
        let (mut near, mut far) = (reach / 2, reach.min(count));
        while far - near > 1 {
            let middle = near + (far - near) / 2;
            if beyond(at(middle), forward) {
                near = middle;
            } else {
                far = middle;
            }
        }
        let next = at(far);
        return if side(solid, edges[next], normal, point) < 0.0 {
            next
        } else {
            at(near)
        };
    }
    start
}

/// What is left of an edge over a face.
pub(super) enum Clipped {
    /// Nothing; the edge passes this half-edge of the face.
    Nothing(u32),
    /// The part between two shares of the edge; each end is an end of the edge, or lies on
    /// the side plane at a half-edge.
    Part([(f64, Option<u32>); 2]),
}

/// Clips the edge between `ends` to the column over a face that is not wide.
#[inline]
pub(super) fn clip<S: Solid>(solid: &S, face: u32, ends: [DVec3; 2]) -> Clipped {
    let plane = solid.face(face);
    if plane.edge_count == 3 {
        return clip_to_triangle(solid, plane, ends);
    }
    let mut clip = Clip::default();
    let mut half_edge = plane.first_edge;
    for _ in 0..plane.edge_count {
        let [from, to] = ends.map(|end| side(solid, half_edge, plane.normal, end));
        clip.cut(half_edge, (from, to), || length_sq(solid, half_edge));
        half_edge = solid.half_edge(half_edge).next;
    }
    clip.end(|half_edge| half_edge)
}

fn clip_to_triangle<S: Solid>(solid: &S, plane: &Face, ends: [DVec3; 2]) -> Clipped {
    let column = Column::new(solid, plane);
    let (from, to) = (column.sides(ends[0]), column.sides(ends[1]));
    let mut clip = Clip::default();
    for index in 0..3 {
        let side = (from[index], to[index]);
        clip.cut(index as u32, side, || {
            column.inwards[index].length_squared()
        });
    }
    clip.end(|index| half_edge_after(solid, plane.first_edge, index as usize))
}

/// An edge on its way from side to side of a face.
struct Clip {
    enter: (f64, Option<u32>),
    leave: (f64, Option<u32>),
    /// The side whose plane all of the edge is farthest outside of, squared.
    outside: Option<(f64, u32)>,
}

impl Default for Clip {
    fn default() -> Self {
        Self {
            enter: (0.0, None),
            leave: (1.0, None),
            outside: None,
        }
    }
}

impl Clip {
    /// Cuts off what lies outside of a side, of which the ends lie so far inwards.
    #[inline(always)]
    fn cut(&mut self, side: u32, (from, to): (f64, f64), length_sq: impl Fn() -> f64) {
        if from < 0.0 && to < 0.0 {
            let nearer = from.max(to);
            let outwards_sq = nearer * nearer / length_sq();
            if self.outside.is_none_or(|(worst, _)| outwards_sq > worst) {
                self.outside = Some((outwards_sq, side));
            }
        } else if from < 0.0 {
            let share = from / (from - to);
            if share > self.enter.0 || self.enter.1.is_none() {
                self.enter = (share, Some(side));
            }
        } else if to < 0.0 {
            let share = from / (from - to);
            if share < self.leave.0 || self.leave.1.is_none() {
                self.leave = (share, Some(side));
            }
        }
    }

    /// What is left, told in half-edges.
    #[inline(always)]
    fn end(self, half_edge: impl Fn(u32) -> u32) -> Clipped {
        if let Some((_, side)) = self.outside {
            return Clipped::Nothing(half_edge(side));
        }
        match (self.enter, self.leave) {
            ((from, Some(side)), (to, _)) if from > to => Clipped::Nothing(half_edge(side)),
            (enter, leave) => Clipped::Part([
                (enter.0, enter.1.map(&half_edge)),
                (leave.0, leave.1.map(&half_edge)),
            ]),
        }
    }
}
