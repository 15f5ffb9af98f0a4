//! The exhaustive search: every face normal and every pair of edges whose arcs cross on
//! the Gauss map. Slow, has no way to fail, and is asked only where EPA did not decide.
//!
//! Gregorius, *The Separating Axis Test between Convex Polyhedra* (GDC 2013).

use drystone_geometry::glam::DVec3;
use drystone_geometry::hull::{Hull, Polytope};

use crate::convex::{Core, NO_HINT, Pair};
use crate::cuboid::Axis;
use crate::extended::triangle_normal;
use crate::tolerance::{CERTIFIED, MAX_ENUMERATED_EDGE_PAIRS, PARALLEL_SINE};

/// An edge with the normals of its two faces, in A's frame.
struct Edge {
    start: DVec3,
    direction: DVec3,
    normals: Option<[DVec3; 2]>,
}

/// The direction of the widest gap between two cores, which in overlap is minus the exact
/// depth. Nothing when the search would be too long or a core is a point.
pub(crate) fn widest_gap(pair: &Pair<'_>) -> Option<Axis> {
    let (edges_a, edges_b) = (edges(&pair.a, pair, false), edges(&pair.b, pair, true));
    if edges_a.len().checked_mul(edges_b.len())? > MAX_ENUMERATED_EDGE_PAIRS {
        return None;
    }
    // The arc between the two sides of a triangle is half a circle, which its ends do not tell.
    let is_flat = [pair.a, pair.b]
        .iter()
        .any(|core| matches!(core, Core::Triangle(_)));
    let mut best: Option<Axis> = None;
    let mut consider = |gap: f64, normal: DVec3| {
        if best.is_none_or(|axis| gap > axis.gap) {
            best = Some(Axis { gap, normal });
        }
    };
    for normal in face_normals(&pair.a) {
        consider(pair.gap(normal, NO_HINT, NO_HINT), normal);
    }
    for normal in face_normals(&pair.b) {
        let normal = -pair.b_in_a.rotate(normal);
        consider(pair.gap(normal, NO_HINT, NO_HINT), normal);
    }
    for a in &edges_a {
        for b in &edges_b {
            let cross = a.direction.cross(b.direction);
            let sine = cross.length();
            if sine <= PARALLEL_SINE {
                continue;
            }
            let cross = cross / sine;
            for normal in [cross, -cross] {
                if is_flat {
                    consider(pair.gap(normal, NO_HINT, NO_HINT), normal);
                } else if a.supports(normal) && b.supports(-normal) {
                    consider((b.start - a.start).dot(normal), normal);
                }
            }
        }
    }
    // The edges' gap is that of the whole shapes only if they truly support; say so.
    best.map(|axis| Axis {
        gap: pair.gap(axis.normal, NO_HINT, NO_HINT),
        ..axis
    })
}

impl Edge {
    /// Whether the edge lies on the supporting plane along `normal`, which is orthogonal
    /// to it: the normal lies on the arc between its faces' normals.
    fn supports(&self, normal: DVec3) -> bool {
        let Some([left, right]) = self.normals else {
            return true;
        };
        let to_left = left.cross(normal).dot(self.direction);
        let to_right = normal.cross(right).dot(self.direction);
        let same_side = (to_left >= -CERTIFIED && to_right >= -CERTIFIED)
            || (to_left <= CERTIFIED && to_right <= CERTIFIED);
        same_side && normal.dot(left + right) > 0.0
    }
}

/// Normals of the exact facets: of a hull those of its triangles, since merged faces are
/// only planar to `f32` rounding.
fn face_normals(core: &Core<'_>) -> Vec<DVec3> {
    match core {
        Core::Hull(hull) => triangle_normals(hull),
        Core::Box(..) => vec![
            DVec3::X,
            DVec3::NEG_X,
            DVec3::Y,
            DVec3::NEG_Y,
            DVec3::Z,
            DVec3::NEG_Z,
        ],
        Core::Triangle(triangle) => triangle
            .polytope()
            .faces
            .iter()
            .map(|face| face.normal)
            .collect(),
        Core::Point | Core::Segment(_) => Vec::new(),
    }
}

fn triangle_normals(hull: &Hull) -> Vec<DVec3> {
    hull.triangles()
        .iter()
        .map(|triangle| {
            let [a, b, c] = triangle.map(|v| hull.vertices()[v as usize].as_dvec3());
            triangle_normal(a, b, c).normalize_or_zero()
        })
        .collect()
}

fn edges(core: &Core<'_>, pair: &Pair<'_>, of_b: bool) -> Vec<Edge> {
    let mut edges = match core {
        Core::Point => Vec::new(),
        Core::Segment(half_height) => vec![Edge {
            start: DVec3::new(0.0, -half_height, 0.0),
            direction: DVec3::Y,
            normals: None,
        }],
        Core::Box(_, cuboid) => box_edges(&cuboid.polytope()),
        Core::Hull(hull) => hull_edges(hull),
        Core::Triangle(triangle) => triangle_edges(&triangle.polytope()),
    };
    if of_b {
        let frame = pair.b_in_a;
        for edge in &mut edges {
            edge.start = frame.transform_point(edge.start);
            edge.direction = frame.rotate(edge.direction);
            edge.normals = edge.normals.map(|normals| normals.map(|n| frame.rotate(n)));
        }
    }
    edges
}

fn box_edges(polytope: &Polytope<'_>) -> Vec<Edge> {
    let face_normal = |half_edge: u32| {
        polytope.faces[polytope.half_edges[half_edge as usize].face as usize].normal
    };
    (0..polytope.half_edges.len() as u32 / 2)
        .map(|edge| {
            let start = polytope.position(polytope.origin(2 * edge));
            let end = polytope.position(polytope.target(2 * edge));
            Edge {
                start,
                direction: (end - start).normalize_or_zero(),
                normals: Some([face_normal(2 * edge), face_normal(2 * edge + 1)]),
            }
        })
        .collect()
}

/// The edges of a triangle; any normal at a right angle may support them.
fn triangle_edges(polytope: &Polytope<'_>) -> Vec<Edge> {
    let mut edges = box_edges(polytope);
    for edge in &mut edges {
        edge.normals = None;
    }
    edges
}

/// The edges of a hull's triangles, each with the normals of its two triangles.
fn hull_edges(hull: &Hull) -> Vec<Edge> {
    let normals = triangle_normals(hull);
    let mut sides: Vec<([u32; 2], usize)> = hull
        .triangles()
        .iter()
        .enumerate()
        .flat_map(|(index, &[a, b, c])| {
            [(a, b), (b, c), (c, a)].map(|(from, to)| ([from.min(to), from.max(to)], index))
        })
        .collect();
    sides.sort_unstable();
    sides
        .chunks_exact(2)
        .map(|pair| {
            let [start, end] = pair[0].0.map(|v| hull.vertices()[v as usize].as_dvec3());
            Edge {
                start,
                direction: (end - start).normalize_or_zero(),
                normals: Some([normals[pair[0].1], normals[pair[1].1]]),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use drystone_geometry::glam::{DQuat, Vec3};
    use drystone_geometry::{Frame, Shape, rotation};

    use super::*;
    use crate::convex::lend_polytope;
    use crate::cuboid::box_box;

    /// Overlapping boxes, as boxes and as hulls, at skew poses: the search finds the depth
    /// that their fifteen axes give, which is exact.
    #[test]
    fn the_search_finds_the_depth_of_the_separating_axes() {
        let (half_a, half_b) = (Vec3::new(0.5, 0.3, 0.8), Vec3::new(0.4, 0.6, 0.2));
        let cuboid = |half| Shape::Box { half_extents: half };
        let hull = |half: Vec3| {
            let corner = |i: u32| {
                let sign = |bit: u32| if i & bit != 0 { 1.0 } else { -1.0 };
                half * Vec3::new(sign(1), sign(2), sign(4))
            };
            Shape::hull(&(0..8).map(corner).collect::<Vec<_>>()).expect("a box is solid")
        };
        for step in 0..40 {
            let t = 0.05 * f64::from(step);
            let q = DQuat::from_xyzw(0.3, t - 1.0, 0.7 * t, 0.9 - t);
            let b_in_a = Frame {
                rotation: rotation::to_dmatrix(q),
                translation: DVec3::new(0.4 - 0.3 * t, 0.1 * t, 0.2 - 0.1 * t),
            };
            let expected =
                box_box(half_a.as_dvec3(), half_b.as_dvec3(), &b_in_a, f64::INFINITY).widest();
            assert!(expected.gap < 0.0, "step {step} overlaps");
            for (a, b) in [
                (cuboid(half_a), cuboid(half_b)),
                (hull(half_a), hull(half_b)),
            ] {
                let (box_a, box_b) = (lend_polytope(&a), lend_polytope(&b));
                let core_a = Core::of(&a, &box_a).expect("bounded");
                let core_b = Core::of(&b, &box_b).expect("bounded");
                let pair = Pair::new(core_a, core_b, &b_in_a);
                let found = widest_gap(&pair).expect("few edges");
                assert!(
                    (found.gap - expected.gap).abs() < 64.0 * f64::EPSILON,
                    "step {step}"
                );
                assert!(
                    (pair.gap(found.normal, NO_HINT, NO_HINT) - found.gap).abs()
                        < 64.0 * f64::EPSILON
                );
            }
        }
    }
}
