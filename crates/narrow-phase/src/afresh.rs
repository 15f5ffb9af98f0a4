//! A full answer for a pair: in which order its shapes are taken, and what kinds of shapes have a
//! way of their own.

use drystone_geometry::glam::Vec3;
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
use drystone_geometry::lanes::prelude::*;
use drystone_geometry::{Frame, Hull, Manifold, Shape, SimdLevel};

use crate::candidates::{held_or_searched, upright};
use crate::collide::{Found, Query};
use crate::contact::boxes;
use crate::convex::{Core, Pair, radius};
use crate::counters::Counters;
use crate::extremes::smaller;
use crate::gjk::Seed;
use crate::manifold::{self, Draft, Writing, edges};
use crate::measure::size;
use crate::order;
use crate::segment;
use crate::trace::{ClosedForm, Event, Trace};
use crate::tracker::{Memory, Tracker};

/// A full answer, by way of an empty draft.
#[inline(always)]
pub(crate) fn afresh<T: Trace>(
    a: &Shape,
    b: &Shape,
    b_in_a: &Frame,
    (leans, level): (bool, SimdLevel),
    tracker: &mut Tracker,
    manifold: &mut Manifold,
    counters: &mut Counters,
    draft: &mut Draft,
    trace: &mut T,
) {
    let posed = (a, b, b_in_a);
    let flipped = order::is_flipped(a, b, b_in_a);
    trace.event(Event::Begin {
        is_flipped: flipped,
    });
    let inverse;
    let pose = if flipped {
        inverse = b_in_a.inverse();
        (&inverse, true)
    } else {
        (b_in_a, false)
    };
    match (a, b) {
        (Shape::Hull(hull_a), Shape::Hull(hull_b)) => at_best(
            level,
            #[inline(always)]
            move || {
                let hulls = [&**hull_a, &**hull_b];
                hulls_afresh(
                    posed, hulls, pose, leans, tracker, manifold, counters, draft, trace,
                );
            },
        ),
        (Shape::Box { half_extents: a }, Shape::Box { half_extents: b }) => {
            counters.closed_form += 1;
            trace.event(Event::Closed(ClosedForm::SeparatingAxes));
            at_best(
                level,
                #[inline(always)]
                move || boxes_afresh([*a, *b], b_in_a, pose, leans, tracker, manifold, draft),
            );
        }
        (Shape::Capsule { half_height: a, .. }, Shape::Capsule { half_height: b, .. }) => {
            counters.closed_form += 1;
            trace.event(Event::Closed(ClosedForm::PointsAndSegments));
            let halves = [*a, *b];
            at_best(
                level,
                #[inline(always)]
                move || capsules_afresh(posed, halves, pose, tracker, manifold, draft),
            );
        }
        _ => others_afresh(
            posed, pose, leans, tracker, manifold, counters, draft, trace,
        ),
    }
}

/// Answers in full at AVX2 where there is and may be, for pairs that are common: with three
/// operands to an instruction a seventh of them is saved. The bits are the same.
///
/// A function beneath has that instruction set where it is inlined to here, hence so many
/// `#[inline(always)]` on the way; what is seldom asked stays out of line and without it.
#[inline(always)]
fn at_best(level: SimdLevel, answer: impl FnOnce()) {
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    if let Some(simd) = level.or_best().as_avx2() {
        return simd.vectorize(answer);
    }
    answer();
}

/// A full answer for two hulls: nothing is asked that other shapes need.
#[inline(always)]
fn hulls_afresh<T: Trace>(
    posed: (&Shape, &Shape, &Frame),
    [a, b]: [&Hull; 2],
    (pose, flipped): (&Frame, bool),
    leans: bool,
    tracker: &mut Tracker,
    manifold: &mut Manifold,
    counters: &mut Counters,
    draft: &mut Draft,
    trace: &mut T,
) {
    let writing = Writing {
        b_in_a: pose,
        flipped,
        radius_a: 0.0,
        radius_b: 0.0,
        size: smaller(a.inner_radius(), b.inner_radius()),
    };
    let (first, second) = if flipped { (b, a) } else { (a, b) };
    let query = query(tracker, posed, leans, &writing, draft.margin());
    let pair = Pair::new(Core::Hull(first), Core::Hull(second), pose);
    let found = held_or_searched(&pair, 0.0, &query, draft, counters, trace);
    renew(tracker, posed.2, &writing, manifold, draft, &found);
}

/// A full answer for two boxes with these half extents, for which nothing is searched.
#[inline(always)]
fn boxes_afresh(
    [a, b]: [Vec3; 2],
    b_in_a: &Frame,
    (pose, flipped): (&Frame, bool),
    leans: bool,
    tracker: &mut Tracker,
    manifold: &mut Manifold,
    draft: &mut Draft,
) {
    let writing = Writing {
        b_in_a: pose,
        flipped,
        radius_a: 0.0,
        radius_b: 0.0,
        size: f64::from(a.min_element()).min(f64::from(b.min_element())),
    };
    let query = Query {
        margin: draft.margin(),
        seed: Seed::NONE,
        hold: None,
        last: tracker.carrier(flipped),
        leans,
        radii: [0.0; 2],
        size: writing.size,
    };
    let boxes_in_order = if flipped { [b, a] } else { [a, b] };
    let found = boxes(boxes_in_order, pose, &query, draft);
    renew(tracker, b_in_a, &writing, manifold, draft, &found);
}

/// A full answer for two capsules of these half heights, for which nothing is searched.
#[inline(always)]
fn capsules_afresh(
    (a, b, b_in_a): (&Shape, &Shape, &Frame),
    [half_a, half_b]: [f32; 2],
    (pose, flipped): (&Frame, bool),
    tracker: &mut Tracker,
    manifold: &mut Manifold,
    draft: &mut Draft,
) {
    let mut halves = [f64::from(half_a), f64::from(half_b)];
    let mut radii = [radius(a), radius(b)];
    if flipped {
        halves.reverse();
        radii.reverse();
    }
    let writing = Writing {
        b_in_a: pose,
        flipped,
        radius_a: radii[0],
        radius_b: radii[1],
        size: smaller(radii[0], radii[1]),
    };
    let radius = radii[0] + radii[1];
    let core = segment::segments(halves[0], halves[1], pose);
    if core.lower - radius <= draft.margin() {
        let pair = Pair::new(Core::Segment(halves[0]), Core::Segment(halves[1]), pose);
        edges::draft(draft, &pair, &core, false, radii, writing.size);
    }
    let found = Found {
        normal: core.normal,
        gap: core.lower - radius,
        features: Some([core.feature_a, core.feature_b]),
    };
    renew(tracker, b_in_a, &writing, manifold, draft, &found);
}

/// A full answer for shapes of any other kinds.
#[inline(always)]
fn others_afresh<T: Trace>(
    posed: (&Shape, &Shape, &Frame),
    (pose, flipped): (&Frame, bool),
    leans: bool,
    tracker: &mut Tracker,
    manifold: &mut Manifold,
    counters: &mut Counters,
    draft: &mut Draft,
    trace: &mut T,
) {
    let (a, b, b_in_a) = posed;
    let (first, second) = if flipped { (b, a) } else { (a, b) };
    let writing = Writing {
        b_in_a: pose,
        flipped,
        radius_a: radius(first),
        radius_b: radius(second),
        size: size(a).min(size(b)),
    };
    let query = query(tracker, posed, leans, &writing, draft.margin());
    let found = upright(first, second, pose, &query, draft, counters, trace);
    renew(tracker, b_in_a, &writing, manifold, draft, &found);
}

/// What a search may use of what is known of a pair.
#[inline(always)]
fn query(
    tracker: &Tracker,
    (a, b, b_in_a): (&Shape, &Shape, &Frame),
    leans: bool,
    writing: &Writing<'_>,
    margin: f64,
) -> Query {
    let flipped = writing.flipped;
    let radii = writing.radius_a + writing.radius_b;
    let seed = tracker.start(a, b, b_in_a, radii, flipped);
    let hold = tracker
        .may_hold(radii)
        .then(|| tracker.held_normal(b_in_a, flipped));
    let direction = match hold {
        Some(normal) if seed.features.is_some() => normal,
        _ => {
            let kind = (seed.features.is_some(), seed.meets);
            tracker.direction((a, b), b_in_a, flipped, kind)
        }
    };
    // In one piece: a copy would read what was just written in other pieces, and wait for it.
    Query {
        margin,
        seed: Seed { direction, ..seed },
        hold,
        last: tracker.carrier(flipped),
        leans,
        radii: [writing.radius_a, writing.radius_b],
        size: writing.size,
    }
}

/// Replaces what is known of a pair, B seen from A at `b_in_a`, by what was found and what fills
/// the draft, in canonical order.
#[inline(always)]
fn renew(
    tracker: &mut Tracker,
    b_in_a: &Frame,
    writing: &Writing<'_>,
    manifold: &mut Manifold,
    draft: &mut Draft,
    found: &Found,
) {
    let left = manifold::finish(draft, writing, manifold);
    let touching = !manifold.is_empty();
    let normal = if touching { draft.normal } else { found.normal };
    let clearance = smaller(draft.nearest_left_out - draft.margin(), left);
    let mut memory = Memory {
        normal,
        gap: if touching {
            f64::from(manifold.min_separation())
        } else {
            found.gap
        },
        clearance,
        features: found.features,
        carrier: draft.carrier,
        touching,
    };
    if writing.flipped {
        memory.normal = -writing.b_in_a.inverse_rotate(normal);
        memory.features = found.features.map(|[a, b]| [b, a]);
        memory.carrier = draft.carrier.flipped();
    }
    tracker.remember(b_in_a, &memory);
}
