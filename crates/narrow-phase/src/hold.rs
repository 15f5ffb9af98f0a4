//! HOLD: two overlapping polytopes whose last normal is still certain to be the best.
//!
//! EPA leaves a bound below which no direction of another basin can come; it shrinks by the
//! motion since. While the depth along the carried normal is under it, only the basin
//! itself is in question, and there the depth is least when the deepest point lies over the
//! face, or the two edges cross, that carry the normal. Then nothing is searched.

use drystone_geometry::glam::DVec3;
use drystone_geometry::hull::Polytope;
use drystone_geometry::{Feature, Separation};

use crate::collide::{Found, Query};
use crate::convex::{Pair, Vertex, aligned_face};
use crate::manifold::edges::{self, supporting_edge};
use crate::manifold::{Carrier, Draft, faces};
use crate::tolerance::{
    BASIN_COSINE, CERTIFIED, FACE_PREFERENCE, PARALLEL_CONTACT_SINE_SQ, SAME_NORMAL_COSINE,
};
use crate::tracker::Hold;

/// Fills `draft` if the last normal holds; otherwise leaves it empty.
pub(crate) fn held(pair: &Pair<'_>, query: &Query, draft: &mut Draft) -> Option<Found> {
    let hold = query.hold?;
    let (a, b) = (pair.a.polytope()?, pair.b.polytope()?);
    let (hint_a, hint_b) = query.seed.hints(pair);
    let support = pair.support(hold.normal, hint_a, hint_b);
    let gap = support.w.dot(hold.normal);
    if gap > query.margin || -gap > hold.next_basin {
        return None;
    }
    if hold.carrier == Carrier::Edges {
        return on_edges(pair, query, &hold, support, (&a, &b), draft);
    }
    on_face(pair, query, &hold, support, (&a, &b), draft)?;
    if draft.least() > gap + FACE_PREFERENCE * query.size {
        draft.begin(query.margin);
        return None;
    }
    Some(Found {
        normal: draft.normal,
        gap,
        features: Some([support.a, support.b].map(Feature::vertex)),
        next_basin: hold.next_basin,
    })
}

/// Clips against the face that carries the normal, if there is one.
fn on_face(
    pair: &Pair<'_>,
    query: &Query,
    hold: &Hold,
    support: Vertex,
    (a, b): (&Polytope<'_>, &Polytope<'_>),
    draft: &mut Draft,
) -> Option<()> {
    let carries = |polytope: &Polytope<'_>, vertex: u32, outward: DVec3| {
        let face = aligned_face(polytope, &[vertex], outward);
        let aligned = polytope.faces[face as usize].normal.dot(outward);
        (aligned >= SAME_NORMAL_COSINE).then_some(face)
    };
    if hold.carrier == Carrier::FaceA {
        let face = carries(a, support.a, hold.normal)?;
        faces::on_face_of_a(draft, pair, a, b, face, query.size);
    } else {
        let face = carries(b, support.b, -pair.b_in_a.inverse_rotate(hold.normal))?;
        faces::on_face_of_b(draft, pair, a, b, face, query.size);
    }
    Some(())
}

/// The contact of the edges nearest to a right angle with the last normal, if they support
/// and cross.
fn on_edges(
    pair: &Pair<'_>,
    query: &Query,
    hold: &Hold,
    support: Vertex,
    (a, b): (&Polytope<'_>, &Polytope<'_>),
    draft: &mut Draft,
) -> Option<Found> {
    let inward = -pair.b_in_a.inverse_rotate(hold.normal);
    let (edge_a, _) = supporting_edge(a, support.a, hold.normal);
    let (edge_b, _) = supporting_edge(b, support.b, inward);
    let (start_a, start_b) = (a.position(support.a), b.position(support.b));
    let along_a = a.position(a.target(edge_a)) - start_a;
    let along_b = pair.b_in_a.rotate(b.position(b.target(edge_b)) - start_b);
    let cross = along_a.cross(along_b);
    let cross_sq = cross.length_squared();
    if cross_sq <= PARALLEL_CONTACT_SINE_SQ * along_a.length_squared() * along_b.length_squared() {
        return None;
    }
    let normal = cross / cross_sq.sqrt();
    let normal = if normal.dot(hold.normal) < 0.0 {
        -normal
    } else {
        normal
    };
    let farthest = pair.support(normal, support.a, support.b);
    let gap = farthest.w.dot(normal);
    let supports = support.w.dot(normal) - gap <= CERTIFIED * pair.scale;
    // Where the lines come nearest, as shares of both edges.
    let share_a = support.w.cross(along_b).dot(cross) / cross_sq;
    let share_b = support.w.cross(along_a).dot(cross) / cross_sq;
    let inside = (0.0..=1.0).contains(&share_a) && (0.0..=1.0).contains(&share_b);
    if !supports || !inside || normal.dot(hold.normal) < BASIN_COSINE || -gap > hold.next_basin {
        return None;
    }
    let point_a = start_a + share_a * along_a;
    let core = Separation {
        lower: gap,
        upper: gap,
        point_a,
        point_b: point_a + gap * normal,
        normal,
        feature_a: Feature::edge(edge_a / 2),
        feature_b: Feature::edge(edge_b / 2),
    };
    edges::draft(draft, pair, &core, 0.0, query.size);
    Some(Found {
        normal,
        gap,
        features: Some([support.a, support.b].map(Feature::vertex)),
        next_basin: hold.next_basin,
    })
}
