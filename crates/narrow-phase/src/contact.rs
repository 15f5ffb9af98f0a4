//! From the separation of two cores to candidate contact points: which face or edge carries
//! the contact.

use drystone_geometry::glam::{DVec3, Vec3};
use drystone_geometry::shape::cuboid::BoxPolytope;
use drystone_geometry::{Feature, Frame, Hull, Polytope, Separation};

use crate::certify;
use crate::collide::{Found, Query};
use crate::convex::{Core, NO_HINT, Pair};
use crate::cuboid::{self, Axis};
use crate::extremes::{larger, smaller};
use crate::manifold::faces::{self, FaceGap, Farthest};
use crate::manifold::{Candidate, Carrier, Draft, edges, meeting};
use crate::tolerance::{LEVEL_FACE_COSINE, SAME_POINT};
use crate::walk::Foot;

/// Two boxes, by their separating axes.
#[inline(always)]
pub(crate) fn boxes([a, b]: [Vec3; 2], b_in_a: &Frame, query: &Query, draft: &mut Draft) -> Found {
    let (half_a, half_b) = (a.as_dvec3(), b.as_dvec3());
    let axes = cuboid::box_box(half_a, half_b, b_in_a, query.margin);
    let widest = axes.widest();
    let found = Found::closed(widest.normal, widest.gap);
    if widest.gap > query.margin {
        return found;
    }
    // Two statements: a pair of them would be built and then moved.
    let box_a = BoxPolytope::new(a);
    let box_b = BoxPolytope::new(b);
    let (core_a, core_b) = (Core::Box(half_a, &box_a), Core::Box(half_b, &box_b));
    let pair = Pair::new(core_a, core_b, b_in_a);
    let (a, b) = (box_a.polytope(), box_b.polytope());
    let size = query.size;
    let gaps = (Some(axes.face_a.gap), Some(axes.face_b.gap));
    let (anywhere, measures) = (Farthest::From(NO_HINT), (0.0, size));
    let [face_a, face_b] = axes.faces;
    let faces = match faces::choose(gaps.0, gaps.1, widest.gap, query) {
        Carrier::FaceA => faces::on_face_of_a(draft, &pair, &a, &b, face_a, anywhere, measures),
        Carrier::FaceB => faces::on_face_of_b(draft, &pair, &a, &b, face_b, anywhere, measures),
        Carrier::None | Carrier::Edges => {
            box_edges(draft, &pair, (&a, &b), &axes.edges, query);
            return found;
        }
    };
    if query.leans {
        meeting::lean(draft, &pair, (&a, &b), faces, widest.gap, 0.0, query);
    }
    found
}

/// Two boxes of which edges carry the contact, which is seldom so.
#[inline(never)]
fn box_edges(
    draft: &mut Draft,
    pair: &Pair<'_>,
    boxes: (&Polytope<'_>, &Polytope<'_>),
    axis: &Axis,
    query: &Query,
) {
    let core = certify::along(pair, axis);
    if !on_level_face(draft, pair, boxes, &core, 0.0, query) {
        edges::draft(draft, pair, &core, false, [0.0; 2], query.size);
    }
}

/// Clips against a face that is nearly level with the normal of two polytopes' edges, if both have
/// one and what lies there is no deeper than they are.
///
/// Long bodies that cross reach far below each other's faces where they do not meet, so the least
/// turn makes the gap along a face's normal deep and that across two edges the widest. The one
/// point of these would carry all the load at a corner of the patch on which the bodies rest.
#[inline(never)]
fn on_level_face(
    draft: &mut Draft,
    pair: &Pair<'_>,
    (a, b): (&Polytope<'_>, &Polytope<'_>),
    core: &Separation,
    radius: f64,
    query: &Query,
) -> bool {
    let inward = -pair.b_in_a.inverse_rotate(core.normal);
    let face_a = faces::face_around(a, core.feature_a, core.normal);
    let face_b = faces::face_around(b, core.feature_b, inward);
    let level_a = a.faces[face_a as usize].normal.dot(core.normal);
    let level_b = b.faces[face_b as usize].normal.dot(inward);
    if smaller(level_a, level_b) < LEVEL_FACE_COSINE {
        return false;
    }
    let carrier = faces::level(query.last, level_a, level_b);
    let measures = (radius, query.size);
    if carrier == Carrier::FaceA {
        let farthest = Farthest::From(pair.b.vertex_of(core.feature_b));
        faces::on_face_of_a(draft, pair, a, b, face_a, farthest, measures);
    } else {
        let farthest = Farthest::From(pair.a.vertex_of(core.feature_a));
        faces::on_face_of_b(draft, pair, a, b, face_b, farthest, measures);
    }
    faces::is_patch(draft, 3, core.lower - radius, query)
}

/// Two bounded shapes of which no face in the way of the normal carries the contact: one that is
/// level with it does, or edges and corners do.
#[inline(never)]
fn without_face(
    pair: &Pair<'_>,
    core: &Separation,
    crosses: bool,
    radius: f64,
    query: &Query,
    draft: &mut Draft,
) {
    let is_level = match (&pair.a, pair.a.polytope(), pair.b.polytope()) {
        (_, Some(a), Some(b)) => on_level_face(draft, pair, (&a, &b), core, radius, query),
        (Core::Segment(half_height), _, Some(b)) => {
            segment_on_level_face(draft, pair, *half_height, &b, core, radius, query)
        }
        _ => false,
    };
    if !is_level {
        edges::draft(draft, pair, core, crosses, query.radii, query.size);
    } else if draft.least() > core.lower - radius + SAME_POINT * query.size {
        draft.insert_deepest(*core, radius);
    }
}

/// [`on_level_face`] of a segment and a polytope.
fn segment_on_level_face(
    draft: &mut Draft,
    pair: &Pair<'_>,
    half_height: f64,
    b: &Polytope<'_>,
    core: &Separation,
    radius: f64,
    query: &Query,
) -> bool {
    let inward = -pair.b_in_a.inverse_rotate(core.normal);
    let face = faces::face_around(b, core.feature_b, inward);
    if b.faces[face as usize].normal.dot(inward) < LEVEL_FACE_COSINE {
        return false;
    }
    faces::segment_on_face_of_b(draft, pair, half_height, b, face, radius, query.size);
    faces::is_patch(draft, 2, core.lower - radius, query)
}

/// Two bounded shapes whose cores' separation is known, and how the origin lies in its facet if a
/// slide found it.
#[inline(always)]
pub(crate) fn bounded_pair(
    pair: &Pair<'_>,
    core: &Separation,
    foot: &Foot,
    radius: f64,
    query: &Query,
    draft: &mut Draft,
) {
    let size = query.size;
    if is_of_edges(pair, core, foot, core.lower - faces::allowance(query)) {
        edges::draft(draft, pair, core, foot.crosses, query.radii, size);
        return;
    }
    match pair.a {
        Core::Point => point(core, radius, draft),
        Core::Segment(half_height) => {
            if let Some(b) = pair.b.polytope() {
                let lowest = core.lower - faces::allowance(query);
                let face_b = faces::face_of_b(pair, (&b, None), core, lowest);
                let carrier = faces::choose(None, face_b.map(|f| f.gap), core.lower, query);
                if let (Carrier::FaceB, Some(face)) = (carrier, face_b) {
                    let face = face.face;
                    faces::segment_on_face_of_b(draft, pair, half_height, &b, face, radius, size);
                }
            }
        }
        Core::Box(..) | Core::Hull(_) | Core::Triangle(_) => {
            if let Some(a) = pair.a.polytope()
                && let Some(b) = pair.b.polytope()
            {
                polytopes(pair, (&a, &b), core, radius, query, draft);
            }
        }
    }
    if draft.candidates.is_empty() {
        without_face(pair, core, foot.crosses, radius, query, draft);
    } else if draft.least() > core.lower - radius + SAME_POINT * size {
        draft.insert_deepest(*core, radius);
    }
}

/// The same out of line, where how the origin lies in its facet is not known.
#[inline(never)]
pub(crate) fn searched_pair(
    pair: &Pair<'_>,
    core: &Separation,
    radius: f64,
    query: &Query,
    draft: &mut Draft,
) {
    bounded_pair(pair, core, &Foot::UNKNOWN, radius, query, draft);
}

/// Whether the contact of two hulls is one of edges beside which no face leaves a gap of `lowest`
/// metres, nor do both have one that is level with them.
#[inline(always)]
fn is_of_edges(pair: &Pair<'_>, core: &Separation, foot: &Foot, lowest: f64) -> bool {
    let (Core::Hull(a), Core::Hull(b)) = (pair.a, pair.b) else {
        return false;
    };
    if !foot.is_of_edges || foot.inner_sq <= 0.0 {
        return false;
    }
    let cosine_a = cosine_beside(a, core.feature_a, core.normal);
    let inward = -pair.b_in_a.inverse_rotate(core.normal);
    let cosine_b = cosine_beside(b, core.feature_b, inward);
    smaller(cosine_a, cosine_b) < LEVEL_FACE_COSINE
        && foot.leaves_less(core.lower, cosine_a, lowest)
        && foot.leaves_less(core.lower, cosine_b, lowest)
}

/// The cosine between `outward` and the nearer of the normals beside an edge.
#[inline(always)]
fn cosine_beside(hull: &Hull, edge: Feature, outward: DVec3) -> f64 {
    let [left, right] = hull.edges()[edge.index() as usize].faces;
    let cosine = |face: u32| hull.faces()[face as usize].normal.dot(outward);
    larger(cosine(left), cosine(right))
}

/// Clips against the face that carries the contact of two polytopes, if one does.
#[inline(always)]
fn polytopes(
    pair: &Pair<'_>,
    (a, b): (&Polytope<'_>, &Polytope<'_>),
    core: &Separation,
    radius: f64,
    query: &Query,
    draft: &mut Draft,
) {
    let (last, size) = (query.last, query.size);
    let inward = -pair.b_in_a.inverse_rotate(core.normal);
    // The face that gave the normal wins unless last frame's may still serve as well.
    let lowest = core.lower - faces::allowance(query);
    let (face_a, face_b);
    if last != Carrier::FaceB && faces::is_face_along(a, core.feature_a, core.normal) {
        (face_a, face_b) = (faces::face_of_a(pair, (a, b), core, lowest), None);
    } else if last == Carrier::FaceB && faces::is_face_along(b, core.feature_b, inward) {
        (face_a, face_b) = (None, faces::face_of_b(pair, (b, Some(a)), core, lowest));
    } else {
        face_a = faces::face_of_a(pair, (a, b), core, lowest);
        face_b = faces::face_of_b(pair, (b, Some(a)), core, lowest);
    }
    let gaps = (face_a.map(|f| f.gap), face_b.map(|f| f.gap));
    let carrier = faces::choose(gaps.0, gaps.1, core.lower, query);
    let faces = match (carrier, face_a, face_b) {
        (Carrier::FaceA, Some(face), _) => {
            let FaceGap { face, farthest, .. } = face;
            faces::on_face_of_a(draft, pair, a, b, face, farthest, (radius, size))
        }
        (Carrier::FaceB, _, Some(face)) => {
            let FaceGap { face, farthest, .. } = face;
            faces::on_face_of_b(draft, pair, a, b, face, farthest, (radius, size))
        }
        _ => return,
    };
    if query.leans {
        meeting::lean(draft, pair, (a, b), faces, core.lower, radius, query);
    }
}

/// The one point of a sphere. Its id never changes, so that impulses survive rolling.
pub(crate) fn point(core: &Separation, radius: f64, draft: &mut Draft) {
    draft.normal = core.normal;
    draft.add(Candidate {
        on_a: core.point_a,
        on_b: core.point_b,
        separation: core.lower - radius,
        features: (Feature::vertex(0), Feature::vertex(0)),
    });
}
