//! One pair, one frame: down the ladder to a manifold.

use std::cell::RefCell;

use drystone_geometry::glam::{DVec3, Vec3};
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
use drystone_geometry::lanes::{Level, prelude::*};
use drystone_geometry::{Feature, Frame, Hull, Manifold, Shape};
use serde::{Deserialize, Serialize};

use crate::candidates::{held_or_searched, upright};
use crate::contact::boxes;
use crate::convex::{Core, Pair, radius};
use crate::counters::Counters;
use crate::extremes::smaller;
use crate::gjk::Seed;
use crate::manifold::{self, Carrier, Draft, Writing};
use crate::measure::{extent, extent_from_center, is_round, size};
use crate::mesh::nearest;
use crate::order;
use crate::trace::{ClosedForm, Event, Silent, Trace};
use crate::tracker::{Memory, Tracker};

/// How contacts are made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CollideSettings {
    /// A point is made when its separation is at most this, in metres.
    pub margin: f32,
    /// Whether touching pairs that hardly moved keep their points.
    pub recycle: bool,
    /// Whether the normal of two edges that meet side by side is the one midway between the faces
    /// beside them, by which what leans stands, rather than that of a face, by which it slips. Not
    /// for what may be part of a larger surface: there a neighbour hides the edge.
    pub leans: bool,
}

impl Default for CollideSettings {
    fn default() -> Self {
        Self {
            margin: drystone_geometry::tolerance::CONTACT_MARGIN,
            recycle: true,
            leans: false,
        }
    }
}

/// The rung of the ladder that answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Rung {
    /// The cached gap still beats the margin: no contact, nothing was done.
    #[default]
    Skip,
    /// The points are last frame's; normal and separations are re-evaluated.
    Recycle,
    /// A walk over features.
    Walk,
    /// A slide from the last facet to the least depth.
    Hold,
    /// A closed form or separating axes of boxes.
    ClosedForm,
    /// GJK.
    Gjk,
    /// GJK, then EPA.
    Epa,
}

/// What [`collide`] did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The rung that answered.
    pub rung: Rung,
}

impl Outcome {
    /// Whether points and anchors were made anew, rather than kept from the last frame.
    pub fn is_fresh(&self) -> bool {
        !matches!(self.rung, Rung::Skip | Rung::Recycle)
    }
}

thread_local! {
    /// Candidate and clipping arrays: allocated once per thread, without influence on any
    /// answer.
    static DRAFT: RefCell<Draft> = RefCell::default();
}

/// Updates the contact of a pair.
///
/// `b_in_a` is B's pose seen from A, orthonormal and finite. `manifold` comes in holding
/// last frame's points and leaves holding this frame's, all in the frames of the shapes;
/// it is empty when no point is within the margin. `tracker` belongs to the pair, in this
/// order of A and B. Exchanging the shapes exchanges the anchors, turns the normal round
/// and keeps the feature ids.
///
/// The points share one normal. None is deeper than the depth along it, none is farther
/// than the margin. The normal is one of least depth, or of a face that is worse by half a percent
/// of the size; of edges that [lean](CollideSettings::leans), in shallow contact, one along which
/// the shapes are at most twice as deep. Of a mesh or height field, which may be touched in several
/// directions, this is the deepest manifold alone, found anew; see [`crate::collide_surface`].
pub fn collide(
    a: &Shape,
    b: &Shape,
    b_in_a: &Frame,
    settings: &CollideSettings,
    tracker: &mut Tracker,
    manifold: &mut Manifold,
    counters: &mut Counters,
) -> Outcome {
    collide_traced(
        a,
        b,
        b_in_a,
        settings,
        tracker,
        manifold,
        counters,
        &mut Silent,
    )
}

/// [`collide`], watched: `trace` sees every step and why it came about.
pub fn collide_traced<T: Trace>(
    a: &Shape,
    b: &Shape,
    b_in_a: &Frame,
    settings: &CollideSettings,
    tracker: &mut Tracker,
    manifold: &mut Manifold,
    counters: &mut Counters,
    trace: &mut T,
) -> Outcome {
    debug_assert!(b_in_a.translation.is_finite() && b_in_a.rotation.is_finite());
    let margin = f64::from(settings.margin);
    if tracker.may_be_apart(margin)
        && tracker.is_still_apart(b_in_a, (extent(a), extent(b)), margin)
    {
        counters.skipped += 1;
        trace.event(Event::Skipped);
        if !manifold.is_empty() {
            *manifold = Manifold::EMPTY;
        }
        return Outcome { rung: Rung::Skip };
    }
    if a.surface().is_some() || b.surface().is_some() {
        let deepest = nearest::deepest([a, b], b_in_a, settings, manifold, counters);
        return deepest.unwrap_or(Outcome { rung: Rung::Skip });
    }
    // Round shapes roll: their points move over the surface without any change of gap,
    // and finding them anew is cheap.
    if settings.recycle && tracker.is_touching() && !is_round(a, manifold) && !is_round(b, manifold)
    {
        let size = size(a).min(size(b));
        let reach = 2.0 * extent_from_center(a).min(extent_from_center(b));
        if tracker.recycle(b_in_a, size, reach, margin, manifold) {
            counters.recycled += 1;
            trace.event(Event::Recycled);
            return Outcome {
                rung: Rung::Recycle,
            };
        }
    }
    let before = [counters.held, counters.walked, counters.epa, counters.gjk];
    DRAFT.with_borrow_mut(|draft| {
        draft.begin(margin);
        afresh(
            a,
            b,
            b_in_a,
            settings.leans,
            tracker,
            manifold,
            counters,
            draft,
            trace,
        );
    });
    let rung = if counters.held > before[0] {
        Rung::Hold
    } else if counters.walked > before[1] {
        Rung::Walk
    } else if counters.epa > before[2] {
        Rung::Epa
    } else if counters.gjk > before[3] {
        Rung::Gjk
    } else {
        Rung::ClosedForm
    };
    Outcome { rung }
}

/// What the search for candidates found, in canonical order.
pub(crate) struct Found {
    /// Unit, A to B, in A's frame.
    pub(crate) normal: DVec3,
    /// Along `normal`, radii included, in metres: a lower bound of the separation.
    pub(crate) gap: f64,
    /// Where the next walk or support search starts.
    pub(crate) features: Option<[Feature; 2]>,
}

impl Found {
    /// What closed forms find: nothing is to be searched for next time.
    pub(crate) fn closed(normal: DVec3, gap: f64) -> Self {
        Self {
            normal,
            gap,
            features: None,
        }
    }
}

/// A full answer, by way of an empty draft.
#[inline(always)]
fn afresh<T: Trace>(
    a: &Shape,
    b: &Shape,
    b_in_a: &Frame,
    leans: bool,
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
        &inverse
    } else {
        b_in_a
    };
    match (a, b) {
        (Shape::Hull(hull_a), Shape::Hull(hull_b)) => at_best(
            #[inline(always)]
            move || {
                let (hulls, pose) = ([&**hull_a, &**hull_b], (pose, flipped));
                hulls_afresh(
                    posed, hulls, pose, leans, tracker, manifold, counters, draft, trace,
                );
            },
        ),
        (Shape::Box { half_extents: a }, Shape::Box { half_extents: b }) => {
            counters.closed_form += 1;
            trace.event(Event::Closed(ClosedForm::SeparatingAxes));
            at_best(
                #[inline(always)]
                move || {
                    boxes_afresh(
                        [*a, *b],
                        b_in_a,
                        (pose, flipped),
                        leans,
                        tracker,
                        manifold,
                        draft,
                    )
                },
            );
        }
        _ => {
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
    }
}

/// Answers in full at the best instruction set there is, for pairs that are common: with three
/// operands to an instruction a seventh of them is saved. The bits are the same.
///
/// A function beneath has that instruction set where it is inlined to here, hence so many
/// `#[inline(always)]` on the way; what is seldom asked stays out of line and without it.
#[inline(always)]
fn at_best(answer: impl FnOnce()) {
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    if let Some(simd) = Level::new().as_avx2() {
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
        size: writing.size,
    };
    let boxes_in_order = if flipped { [b, a] } else { [a, b] };
    let found = boxes(boxes_in_order, pose, &query, draft);
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
    manifold::finish(draft, writing, manifold);
    let touching = !manifold.is_empty();
    let normal = if touching { draft.normal } else { found.normal };
    let mut memory = Memory {
        normal,
        gap: if touching {
            f64::from(manifold.min_separation())
        } else {
            found.gap
        },
        clearance: draft.nearest_left_out - draft.margin(),
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

/// What a full answer may use, in canonical order.
pub(crate) struct Query {
    /// In metres, radii not included.
    pub(crate) margin: f64,
    /// Where searches start.
    pub(crate) seed: Seed,
    /// The last normal, from A to B, when the cores overlapped.
    pub(crate) hold: Option<DVec3>,
    /// What carried the last normal.
    pub(crate) last: Carrier,
    /// See [`CollideSettings::leans`].
    pub(crate) leans: bool,
    /// The smaller shape's size, in metres.
    pub(crate) size: f64,
}
