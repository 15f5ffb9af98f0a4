//! Down from two shapes to candidate points: which form or search answers for them.

use drystone_geometry::glam::{DVec3, Vec3};
use drystone_geometry::{Feature, Frame, Separation, Shape};

use crate::certify;
use crate::collide::{Found, Query};
use crate::contact::{point, searched_pair};
use crate::convex::{Core, Lent, NO_HINT, Pair, lend_polytope, radius};
use crate::cores::{Run, cores};
use crate::counters::Counters;
use crate::curved::{Curves, Figure};
use crate::distance::{bounded, figure};
use crate::gjk::{Seed, Standing};
use crate::hold::{self, Held};
use crate::manifold::{Draft, faces, plane};
use crate::trace::{ClosedForm, Event, Trace};
use crate::upright::Upright;
use crate::{cuboid, half_space, segment};

/// Fills `draft` for shapes in canonical order, wherever their segments lie.
#[inline(never)]
pub(crate) fn upright<T: Trace>(
    a: &Shape,
    b: &Shape,
    b_in_a: &Frame,
    query: &Query,
    draft: &mut Draft,
    counters: &mut Counters,
    trace: &mut T,
) -> Found {
    let Some(up) = Upright::of(a, b, b_in_a) else {
        return candidates(a, b, b_in_a, query, draft, counters, trace);
    };
    let query = Query {
        seed: up.seed(&query.seed),
        hold: query.hold.map(|normal| up.direction(normal)),
        ..*query
    };
    let found = candidates(a, b, &up.b_in_a, &query, draft, counters, trace);
    up.restore(draft);
    Found {
        normal: up.restored_direction(found.normal),
        ..found
    }
}

/// Fills `draft` for shapes in canonical order whose segments are upright.
fn candidates<T: Trace>(
    a: &Shape,
    b: &Shape,
    b_in_a: &Frame,
    query: &Query,
    draft: &mut Draft,
    counters: &mut Counters,
    trace: &mut T,
) -> Found {
    match (a, b) {
        (Shape::HalfSpace { .. }, Shape::HalfSpace { .. }) => {
            trace.event(Event::Closed(ClosedForm::HalfSpace));
            Found::closed(DVec3::Y, f64::INFINITY)
        }
        (_, Shape::HalfSpace { normal }) => {
            counters.closed_form += 1;
            trace.event(Event::Closed(ClosedForm::HalfSpace));
            over_half_space(a, *normal, b_in_a, query, draft)
        }
        (
            Shape::Sphere { radius: radius_a },
            Shape::Sphere { .. } | Shape::Capsule { .. } | Shape::Box { .. },
        ) => {
            counters.closed_form += 1;
            trace.event(Event::Closed(if let Shape::Box { .. } = b {
                ClosedForm::PointAndBox
            } else {
                ClosedForm::PointsAndSegments
            }));
            let core = point_core(b, b_in_a);
            let radius = f64::from(*radius_a) + radius(b);
            point(&core, radius, draft);
            Found::closed(core.normal, core.lower - radius)
        }
        _ if b.curved().is_some() => {
            let (lent_a, lent_b) = (lend_polytope(a), Lent::None);
            let curves = Curves {
                a: &figure(a, &lent_a),
                b: &figure(b, &lent_b),
                b_in_a,
                radius: radius(a) + radius(b),
            };
            curves.contact(query, draft, counters, trace)
        }
        _ => {
            // Two statements: a pair of them would be built and then moved.
            let box_a = lend_polytope(a);
            let box_b = lend_polytope(b);
            let pair = Pair::new(bounded(a, &box_a), bounded(b, &box_b), b_in_a);
            if let Some(found) = capsule_on_box(&pair, radius(a) + radius(b), query, draft) {
                counters.closed_form += 1;
                trace.event(Event::Closed(ClosedForm::SeparatingAxes));
                return found;
            }
            held_or_searched(&pair, radius(a) + radius(b), query, draft, counters, trace)
        }
    }
}

/// Fills `draft` for a shape and a half-space with this normal.
fn over_half_space(
    a: &Shape,
    plane_normal: Vec3,
    b_in_a: &Frame,
    query: &Query,
    draft: &mut Draft,
) -> Found {
    let lent = lend_polytope(a);
    let radius = radius(a);
    let up = half_space::outward(plane_normal, b_in_a);
    let core = match figure(a, &lent) {
        Figure::Core(core) => core,
        Figure::Curved(solid) => {
            plane::draft_curved(draft, &solid, radius, up, b_in_a);
            let lowest = solid.support(-up) - b_in_a.translation;
            return Found::closed(-up, up.dot(lowest) - radius);
        }
    };
    let hint = query
        .seed
        .features
        .map_or(NO_HINT, |[a, _]| core.vertex_of(a));
    let lowest = plane::draft(draft, &core, radius, up, b_in_a, hint);
    let gap = up.dot(core.position(lowest) - b_in_a.translation) - radius;
    Found {
        features: Some([Feature::vertex(lowest), Feature::face(0)]),
        ..Found::closed(-up, gap)
    }
}

/// A sphere's centre and the core of a shape that has a closed form.
fn point_core(b: &Shape, b_in_a: &Frame) -> Separation {
    match b {
        Shape::Capsule { half_height, .. } => {
            segment::point_segment(f64::from(*half_height), b_in_a)
        }
        Shape::Box { half_extents } => certify::point_box(half_extents.as_dvec3(), b_in_a),
        _ => segment::points(b_in_a.translation),
    }
}

/// A capsule over a face of a box, or certainly beyond the margin, by separating axes: when
/// the deepest point of the segment lies over the face, the face's gap is the distance.
fn capsule_on_box(pair: &Pair<'_>, radius: f64, query: &Query, draft: &mut Draft) -> Option<Found> {
    let (Core::Segment(half_height), Core::Box(half, cuboid)) = (pair.a, pair.b) else {
        return None;
    };
    let axes = cuboid::segment_box(half_height, half, pair.b_in_a);
    let widest = axes.widest();
    if widest.gap - radius > query.margin {
        return Some(Found::closed(widest.normal, widest.gap - radius));
    }
    let slack = faces::preference(query.size, query.margin);
    if axes.face_b.gap < widest.gap - slack {
        return None;
    }
    let polytope = cuboid.polytope();
    let face = axes.faces[1];
    let size = query.size;
    faces::segment_on_face_of_b(draft, pair, half_height, &polytope, face, radius, size);
    let gap = axes.face_b.gap - radius;
    if draft.least() > gap + slack {
        draft.begin(query.margin);
        return None;
    }
    Some(Found::closed(draft.normal, gap))
}

/// Any two bounded shapes: from the last depth if they overlapped, otherwise by a search.
#[inline(always)]
pub(crate) fn held_or_searched<T: Trace>(
    pair: &Pair<'_>,
    radius: f64,
    query: &Query,
    draft: &mut Draft,
    counters: &mut Counters,
    trace: &mut T,
) -> Found {
    // From the last features no slide finds what the first did not.
    let slides = query.hold.is_none() || query.seed.features.is_none();
    let (seed, slides) = match hold::held(pair, radius, query, draft, trace) {
        Held::Found(found) => {
            counters.held += 1;
            return found;
        }
        Held::Apart(features, direction) => {
            let seed = Seed {
                direction,
                features: Some(features),
                walks: true,
                meets: false,
                standing: Standing::Near,
            };
            (seed, slides)
        }
        // Along a rim a slide may be too long, where leaps are not.
        Held::Lost if pair.a.has_rims() || pair.b.has_rims() => {
            let seed = Seed {
                standing: Standing::Astray,
                ..query.seed
            };
            (seed, true)
        }
        Held::Unproved | Held::Lost => (query.seed, slides),
    };
    let mut run = Run {
        limit: query.margin + radius,
        exact: false,
        only_sign: false,
        slides,
        counters,
        trace,
    };
    let core = cores(pair, &seed, &mut run);
    if core.lower - radius <= query.margin {
        searched_pair(pair, &core, radius, query, draft);
    }
    Found {
        normal: core.normal,
        gap: core.lower - radius,
        features: Some([core.feature_a, core.feature_b]),
    }
}
