//! Where two features meet when they are looked at along the normal: the witness points of
//! an answer that comes as a direction alone.

use drystone_geometry::Feature;
use drystone_geometry::feature::FeatureKind;
use drystone_geometry::glam::DVec3;

use crate::convex::{Core, NO_HINT, Pair, Vertex, feature_vertices};
use crate::simplex::Simplex;
use crate::tolerance::{MAX_GJK_STEPS, PARALLEL_CONTACT_SINE_SQ, TOUCHING};

/// A level part of a core's surface.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Patch<'a> {
    Feature(Feature),
    /// The convex hull of some of its corners.
    Corners(&'a [u32]),
}

/// A point of A's patch and one of B's that lie on one line along the unit `normal`, or as
/// near to that as the patches allow; both in A's frame.
///
/// GJK on the two patches, flattened along the normal: a point, an edge or a face against
/// another, however they are shaped.
pub(crate) fn meeting(pair: &Pair<'_>, patches: [Patch<'_>; 2], normal: DVec3) -> [DVec3; 2] {
    let flat = |v: DVec3| v - v.dot(normal) * normal;
    let farthest = |direction: DVec3| {
        let a = farthest(&pair.a, patches[0], direction);
        let b = farthest(&pair.b, patches[1], -pair.b_in_a.inverse_rotate(direction));
        let vertex = pair.vertex(a, b);
        Vertex {
            w: flat(vertex.w),
            ..vertex
        }
    };
    let mut simplex = Simplex::of(farthest(flat(pair.between_centers())));
    let mut weights = [1.0, 0.0, 0.0];
    let mut least_sq = f64::INFINITY;
    let touching = TOUCHING * pair.scale;
    for _ in 0..MAX_GJK_STEPS {
        let Some(nearest) = simplex.nearest(pair.scale) else {
            break;
        };
        // Next to a long edge a step may gain less than rounding and still lead on.
        if nearest.distance_sq > least_sq {
            break;
        }
        least_sq = nearest.distance_sq;
        simplex = simplex.reduced(&nearest);
        weights = nearest.weights;
        if least_sq <= touching * touching || simplex.vertices().len() == 3 {
            break;
        }
        let next = farthest(flat(nearest.direction));
        if simplex.contains(next.a, next.b) {
            break;
        }
        simplex.push(next);
    }
    let (mut on_a, mut on_b) = (DVec3::ZERO, DVec3::ZERO);
    for (vertex, weight) in simplex.vertices().iter().zip(weights) {
        on_a += weight * pair.a.position(vertex.a);
        on_b += weight * pair.b.position(vertex.b);
    }
    [on_a, pair.b_in_a.transform_point(on_b)]
}

/// [`meeting`] of two edges that cross, seen along the normal, in closed form: the ends of one lie
/// on different sides of the other. Nothing where they do not, or are side by side.
pub(crate) fn crossing(pair: &Pair<'_>, [a, b]: [u32; 2], normal: DVec3) -> Option<[DVec3; 2]> {
    let ends = |core: &Core<'_>, edge: u32| core.edge_ends(edge).map(|end| core.position(end));
    let [start_a, end_a] = ends(&pair.a, a);
    let [start_b, end_b] = ends(&pair.b, b).map(|end| pair.b_in_a.transform_point(end));
    let (along_a, along_b, offset) = (end_a - start_a, end_b - start_b, start_b - start_a);
    let turn = along_a.cross(along_b).dot(normal);
    let lengths_sq = along_a.length_squared() * along_b.length_squared();
    if turn * turn <= PARALLEL_CONTACT_SINE_SQ * lengths_sq {
        return None;
    }
    let share_a = offset.cross(along_b).dot(normal) / turn;
    let share_b = offset.cross(along_a).dot(normal) / turn;
    let is_within = |share: f64| (0.0..=1.0).contains(&share);
    (is_within(share_a) && is_within(share_b))
        .then(|| [start_a + share_a * along_a, start_b + share_b * along_b])
}

/// The vertex of a patch that lies farthest along `direction`, in the core's frame.
fn farthest(core: &Core<'_>, patch: Patch<'_>, direction: DVec3) -> u32 {
    let mut best = (f64::NEG_INFINITY, 0);
    let mut consider = |vertex: u32| {
        let height = core.position(vertex).dot(direction);
        if height > best.0 {
            best = (height, vertex);
        }
    };
    let feature = match patch {
        Patch::Feature(feature) => feature,
        Patch::Corners(corners) => {
            corners.iter().copied().for_each(consider);
            return best.1;
        }
    };
    match (core.polytope(), feature.kind()) {
        (_, FeatureKind::Vertex) => consider(feature.index()),
        (None, _) => consider(core.support(direction, NO_HINT)),
        (Some(polytope), FeatureKind::Edge) => feature_vertices(&polytope, feature)
            .into_iter()
            .for_each(consider),
        (Some(polytope), FeatureKind::Face) => polytope
            .face_edges(feature.index())
            .for_each(|edge| consider(polytope.origin(edge))),
    }
    best.1
}
