//! The column over a face: its sides, and where a point or an edge leaves it.
//!
//! A side plane holds the edge and the face's normal. Whatever asks on which side of it a
//! point lies gets the answer from [`side`], so that an edge and its face never disagree.

use drystone_geometry::glam::DVec3;
use drystone_geometry::hull::Polytope;

use super::solid::Solid;

/// Largest number of edges that are looked at one by one.
pub(super) const ROUND_COUNT: u32 = 32;

/// How far `point` lies inwards of the side plane at `half_edge` of its face, in metres
/// times the length of the edge; positive over the face.
#[inline]
pub(super) fn side(polytope: &Polytope<'_>, half_edge: u32, point: DVec3) -> f64 {
    // Both half-edges of an edge compute with the same numbers.
    let start = polytope.position(polytope.origin(half_edge & !1));
    let along = polytope.position(polytope.origin(half_edge | 1)) - start;
    let face = polytope.half_edges[half_edge as usize].face;
    let inward = polytope.faces[face as usize].normal.cross(along);
    let distance = inward.dot(point - start);
    if half_edge & 1 == 0 {
        distance
    } else {
        -distance
    }
}

/// The half-edge of a face whose side plane `point` is farthest outside of, if any.
/// Of a face of very many edges one of those near the point.
pub(super) fn left_through<S: Solid>(solid: &S, face: u32, point: DVec3) -> Option<u32> {
    let polytope = solid.polytope();
    if let Some(edges) = solid.wide_face(face) {
        return left_through_wide(&polytope, edges, face, point);
    }
    let mut worst = (0.0, None);
    let (first, count) = border(&polytope, face);
    let mut half_edge = first;
    for _ in 0..count {
        let inwards = side(&polytope, half_edge, point);
        if inwards < 0.0 {
            let outwards_sq = inwards * inwards / length_sq(&polytope, half_edge);
            if outwards_sq > worst.0 || worst.1.is_none() {
                worst = (outwards_sq, Some(half_edge));
            }
        }
        half_edge = polytope.half_edges[half_edge as usize].next;
    }
    worst.1
}

#[inline]
fn border(polytope: &Polytope<'_>, face: u32) -> (u32, u32) {
    let face = &polytope.faces[face as usize];
    (face.first_edge, face.edge_count)
}

fn length_sq(polytope: &Polytope<'_>, half_edge: u32) -> f64 {
    let start = polytope.position(polytope.origin(half_edge));
    polytope
        .position(polytope.target(half_edge))
        .distance_squared(start)
}

/// Bisection over the fan of triangles from the first corner, then along the border to an
/// edge near the point.
fn left_through_wide(
    polytope: &Polytope<'_>,
    edges: &[u32],
    face: u32,
    point: DVec3,
) -> Option<u32> {
    let normal = polytope.faces[face as usize].normal;
    let corner = |index: usize| polytope.position(polytope.origin(edges[index]));
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
    if side(polytope, edges[low], point) >= 0.0 {
        // Behind the apex, the first and last sides tell.
        return [0, edges.len() - 1]
            .into_iter()
            .map(|index| edges[index])
            .find(|&edge| side(polytope, edge, point) < 0.0);
    }
    Some(edges[nearest_on_border(polytope, edges, low, point)])
}

/// From an edge that `point` is outside of towards the one it is nearest to. Along the edges
/// seen from the point, those whose far end is nearer come first.
fn nearest_on_border(polytope: &Polytope<'_>, edges: &[u32], start: usize, point: DVec3) -> usize {
    let count = edges.len();
    let beyond = |index: usize, forward: bool| {
        let edge = edges[index];
        if side(polytope, edge, point) >= 0.0 {
            return false;
        }
        let (from, to) = if forward {
            (polytope.origin(edge), polytope.target(edge))
        } else {
            (polytope.target(edge), polytope.origin(edge))
        };
        let (from, to) = (polytope.position(from), polytope.position(to));
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
        return if side(polytope, edges[next], point) < 0.0 {
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
pub(super) fn clip(polytope: &Polytope<'_>, face: u32, ends: [DVec3; 2]) -> Clipped {
    let (mut enter, mut leave) = ((0.0, None), (1.0, None));
    let mut outside: Option<(f64, u32)> = None;
    let (first, count) = border(polytope, face);
    let mut half_edge = first;
    for _ in 0..count {
        let [from, to] = ends.map(|end| side(polytope, half_edge, end));
        if from < 0.0 && to < 0.0 {
            let nearer = from.max(to);
            let outwards_sq = nearer * nearer / length_sq(polytope, half_edge);
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
        half_edge = polytope.half_edges[half_edge as usize].next;
    }
    if let Some((_, half_edge)) = outside {
        return Clipped::Nothing(half_edge);
    }
    match (enter, leave) {
        ((from, Some(half_edge)), (to, _)) if from > to => Clipped::Nothing(half_edge),
        _ => Clipped::Part([enter, leave]),
    }
}
