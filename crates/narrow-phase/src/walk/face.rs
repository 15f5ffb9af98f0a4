//! The column over a face: its sides, and where a point or an edge leaves it.
//!
//! A side plane holds the edge and the face's normal. Whatever asks on which side of it a
//! point lies gets the answer from [`side`], so that an edge and its face never disagree.

use drystone_geometry::glam::DVec3;
use drystone_geometry::hull::{Face, HalfEdge};

use super::solid::Solid;

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
        return left_through_triangle(solid, plane, point);
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

/// The same of a triangle, whose corners are looked up once. The numbers are those of [`side`].
#[inline]
fn left_through_triangle<S: Solid>(solid: &S, plane: &Face, point: DVec3) -> Option<u32> {
    let first = plane.first_edge;
    let HalfEdge {
        origin: a,
        next: second,
        ..
    } = solid.half_edge(first);
    let HalfEdge {
        origin: b,
        next: third,
        ..
    } = solid.half_edge(second);
    let c = solid.origin(third);
    let (a, b, c) = (solid.position(a), solid.position(b), solid.position(c));
    let normal = plane.normal;
    let sides = [
        (first, side_of(first, a, b, normal, point), b - a),
        (second, side_of(second, b, c, normal, point), c - b),
        (third, side_of(third, c, a, normal, point), a - c),
    ];
    if sides[0].1 >= 0.0 && sides[1].1 >= 0.0 && sides[2].1 >= 0.0 {
        return None;
    }
    let mut worst = (0.0, None);
    for (half_edge, inwards, along) in sides {
        if inwards < 0.0 {
            let outwards_sq = inwards * inwards / along.length_squared();
            if outwards_sq > worst.0 || worst.1.is_none() {
                worst = (outwards_sq, Some(half_edge));
            }
        }
    }
    worst.1
}

/// Squared radius of a disc around `point`, which lies over a face, that lies over it as well, in
/// square metres. Nothing, zero, for faces of very many edges.
pub(super) fn inner_sq<S: Solid>(solid: &S, face: u32, point: DVec3) -> f64 {
    let plane = solid.face(face);
    if plane.edge_count > ROUND_COUNT {
        return 0.0;
    }
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

/// [`side`] of the half-edge from one corner to another.
#[inline]
fn side_of(half_edge: u32, from: DVec3, to: DVec3, outward: DVec3, point: DVec3) -> f64 {
    if half_edge & 1 == 0 {
        outward.cross(to - from).dot(point - from)
    } else {
        -outward.cross(from - to).dot(point - to)
    }
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
pub(super) fn clip<S: Solid>(solid: &S, face: u32, ends: [DVec3; 2]) -> Clipped {
    let plane = solid.face(face);
    let (mut enter, mut leave) = ((0.0, None), (1.0, None));
    let mut outside: Option<(f64, u32)> = None;
    let mut half_edge = plane.first_edge;
    for _ in 0..plane.edge_count {
        let [from, to] = ends.map(|end| side(solid, half_edge, plane.normal, end));
        if from < 0.0 && to < 0.0 {
            let nearer = from.max(to);
            let outwards_sq = nearer * nearer / length_sq(solid, half_edge);
            if outside.is_none_or(|(worst, _)| outwards_sq > worst) {
                outside = Some((outwards_sq, half_edge));
            }
        } else if from < 0.0 {
            let share = from / (from - to);
            if share > enter.0 || enter.1.is_none() {
                enter = (share, Some(half_edge));
            }
        } else if to < 0.0 {
            let share = from / (from - to);
            if share < leave.0 || leave.1.is_none() {
                leave = (share, Some(half_edge));
            }
        }
        half_edge = solid.half_edge(half_edge).next;
    }
    if let Some((_, half_edge)) = outside {
        return Clipped::Nothing(half_edge);
    }
    match (enter, leave) {
        ((from, Some(half_edge)), (to, _)) if from > to => Clipped::Nothing(half_edge),
        _ => Clipped::Part([enter, leave]),
    }
}
