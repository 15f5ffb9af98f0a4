//! HOLD: two overlapping cores whose depth is found from where it last was.
//!
//! The depth slides over the surface of the Minkowski difference to a direction of least
//! depth next to the last one. That is the least depth of all when nothing else can be
//! smaller by more than a small share of the size. One of three bounds says so: the next
//! basin, which EPA leaves and motion uses up, as long as the facet is the same; the balls
//! inside both shapes, which for round hulls are nearly the hulls; or the depth itself,
//! where it is as small as the share.

use drystone_geometry::feature::FeatureKind;
use drystone_geometry::glam::DVec3;
use drystone_geometry::{Feature, Separation};

use crate::collide::{Found, Query};
use crate::contact::bounded_pair;
use crate::convex::{Core, Pair, aligned_face, feature_vertices};
use crate::manifold::Draft;
use crate::tolerance::SHALLOW_DEPTH;
use crate::trace::{Event, HoldEnd, Trace};
use crate::walk;

/// How an overlapping pair fared.
pub(crate) enum Held {
    /// The draft is filled.
    Found(Found),
    /// The cores are apart along the last direction; a walk may go on from these features.
    Apart([Feature; 2], DVec3),
    /// This depth is the least nearby; a search must show that it is the least of all.
    Unproved(Separation),
    /// A search must find the depth.
    Lost,
}

/// Fills `draft` if the last direction leads to the least depth; otherwise leaves it empty.
pub(crate) fn held<T: Trace>(
    pair: &Pair<'_>,
    radius: f64,
    query: &Query,
    draft: &mut Draft,
    trace: &mut T,
) -> Held {
    let known = query.hold.zip(query.seed.features);
    let start = known.and_then(|(hold, last)| facet(pair, last, hold.normal));
    let Some(((hold, last), start)) = known.zip(start) else {
        trace.event(Event::Hold(HoldEnd::Nothing));
        return Held::Lost;
    };
    let Some(core) = walk::descend(pair, start, hold.normal, trace) else {
        trace.event(Event::Hold(HoldEnd::Lost));
        return Held::Lost;
    };
    let features = [core.feature_a, core.feature_b];
    if core.lower > 0.0 {
        trace.event(Event::Hold(HoldEnd::Apart));
        return Held::Apart(features, core.normal);
    }
    let depth = -core.lower;
    let slack = SHALLOW_DEPTH * query.size;
    // The bound is about directions far from EPA's, which a facet stands for.
    let next_basin = if features == last {
        hold.next_basin
    } else {
        0.0
    };
    if depth > slack && depth > next_basin && depth > least_depth(pair) + slack {
        trace.event(Event::Hold(HoldEnd::Unproved));
        return Held::Unproved(core);
    }
    trace.event(Event::Hold(HoldEnd::Proved));
    bounded_pair(pair, &core, radius, query, draft);
    Held::Found(Found {
        normal: core.normal,
        gap: core.lower - radius,
        features: Some(features),
        next_basin: if next_basin > 0.0 {
            next_basin
        } else {
            query.waiting
        },
    })
}

/// A lower bound of the depth from balls around the centres.
fn least_depth(pair: &Pair<'_>) -> f64 {
    let ball = |core: &Core<'_>| match core {
        Core::Point | Core::Segment(_) | Core::Triangle(_) => 0.0,
        Core::Box(half, _) => half.min_element(),
        Core::Hull(hull) => hull.inner_radius(),
    };
    ball(&pair.a) + ball(&pair.b) - pair.between_centers().length()
}

/// A corner and a face, or two edges, at the last features.
fn facet(pair: &Pair<'_>, [a, b]: [Feature; 2], normal: DVec3) -> Option<[Feature; 2]> {
    use FeatureKind::{Edge, Face, Vertex};
    match (a.kind(), b.kind()) {
        (Vertex, Face) | (Face, Vertex) | (Edge, Edge) => return Some([a, b]),
        (_, Face) => return Some([Feature::vertex(first_vertex(&pair.a, a)?), b]),
        (Face, Edge) => return Some([a, Feature::vertex(first_vertex(&pair.b, b)?)]),
        _ => {}
    }
    let (vertex_a, vertex_b) = (first_vertex(&pair.a, a)?, first_vertex(&pair.b, b)?);
    if let Some(polytope) = pair.a.polytope() {
        let face = aligned_face(&polytope, &[vertex_a], normal);
        return Some([Feature::face(face), Feature::vertex(vertex_b)]);
    }
    let inward = -pair.b_in_a.inverse_rotate(normal);
    let face = aligned_face(&pair.b.polytope()?, &[vertex_b], inward);
    Some([Feature::vertex(vertex_a), Feature::face(face)])
}

/// A vertex of a feature; nothing if the core has no such feature.
fn first_vertex(core: &Core<'_>, feature: Feature) -> Option<u32> {
    match core {
        Core::Point => Some(0),
        Core::Segment(_) => Some(if feature.kind() == FeatureKind::Vertex {
            feature.index() & 1
        } else {
            0
        }),
        Core::Box(_, cuboid) => {
            let polytope = cuboid.polytope();
            let count = match feature.kind() {
                FeatureKind::Vertex => 8,
                FeatureKind::Edge => 12,
                FeatureKind::Face => 6,
            };
            (feature.index() < count).then(|| feature_vertices(&polytope, feature)[0])
        }
        Core::Triangle(triangle) => {
            let polytope = triangle.polytope();
            let count = match feature.kind() {
                FeatureKind::Vertex | FeatureKind::Edge => 3,
                FeatureKind::Face => 2,
            };
            (feature.index() < count).then(|| feature_vertices(&polytope, feature)[0])
        }
        Core::Hull(_) => {
            let vertex = core.vertex_of(feature);
            (vertex != crate::convex::NO_HINT).then_some(vertex)
        }
    }
}
