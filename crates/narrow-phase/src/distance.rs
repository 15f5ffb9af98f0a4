//! The standalone query: signed distance with both bounds.

use std::cell::RefCell;

use drystone_geometry::glam::DVec3;
use drystone_geometry::{Feature, Frame, Separation, Shape};

use crate::certify;
use crate::convex::{Core, Lent, NO_HINT, Pair, lend_polytope, radius};
use crate::counters::Counters;
use crate::cuboid::{self, Axis};
use crate::curved::{self, Figure, Wanted};
use crate::enumerate;
use crate::epa::Epa;
use crate::gjk::{Gjk, Search, Seed, Verdict};
use crate::least::{self, Least};
use crate::mesh::nearest;
use crate::tolerance::{
    CERTIFIED, CURVED_DEPTH, CURVED_GAP, DEEP_START, HELD_DEPTH, MAX_CURVED_EXPANSIONS,
    MAX_GJK_STEPS, MAX_WALK_STEPS, PROBE_WALK_STEPS,
};
use crate::trace::{ClosedForm, EpaEnd, Event, Reason, Step, Trace};
use crate::upright::Upright;
use crate::walk;
use crate::within::{Precision, distance_within};
use crate::{half_space, segment};

thread_local! {
    /// EPA's arrays: allocated once per thread, without influence on any answer.
    static EPA: RefCell<Epa> = RefCell::default();
}

/// Signed distance of two shapes with its proof, in A's frame and metres.
///
/// `b_in_a` is B's pose seen from A; its rotation must be orthonormal and all of it
/// finite. Every pair of shapes is answered, apart, touching or overlapping, flush or
/// concentric. For polytopes the two bounds differ by rounding alone, less than 10^-11 of the pair's size. Where the
/// direction is not unique, one that separates is given; concentric cores have the
/// directions documented in the crate's front page.
///
/// A mesh or height field is as far as its nearest triangle, and its feature that triangle.
///
/// Two half-spaces that do not face each other overlap without bound: minus infinity.
pub fn distance(a: &Shape, b: &Shape, b_in_a: &Frame) -> Separation {
    debug_assert!(b_in_a.translation.is_finite() && b_in_a.rotation.is_finite());
    distance_within(a, b, b_in_a, &Precision::FULL, &mut Counters::default())
}

/// An answer found with B as the first shape, in B's frame, told from A.
pub(crate) fn from_b(answer: &Separation, b_in_a: &Frame) -> Separation {
    Separation {
        point_a: b_in_a.transform_point(answer.point_a),
        point_b: b_in_a.transform_point(answer.point_b),
        normal: b_in_a.rotate(answer.normal),
        ..*answer
    }
    .flipped()
}

/// The answer for shapes in canonical order.
pub(crate) fn ordered<T: Trace>(
    (a, b): (&Shape, &Shape),
    b_in_a: &Frame,
    seed: &Seed,
    flipped: bool,
    precision: &Precision,
    counters: &mut Counters,
    trace: &mut T,
) -> Separation {
    trace.event(Event::Begin {
        is_flipped: flipped,
    });
    if let Some(surface) = b.surface() {
        return nearest::separation(a, surface, b_in_a);
    }
    match Upright::of(a, b, b_in_a) {
        None => upright((a, b), b_in_a, seed, precision, counters, trace),
        Some(up) => {
            let seed = up.seed(seed);
            let pose = &up.b_in_a;
            up.restored(&upright((a, b), pose, &seed, precision, counters, trace))
        }
    }
}

/// The answer for shapes whose segments are upright.
fn upright<T: Trace>(
    (a, b): (&Shape, &Shape),
    b_in_a: &Frame,
    seed: &Seed,
    precision: &Precision,
    counters: &mut Counters,
    trace: &mut T,
) -> Separation {
    match (a, b) {
        (Shape::HalfSpace { normal: normal_a }, Shape::HalfSpace { normal: normal_b }) => {
            trace.event(Event::Closed(ClosedForm::HalfSpace));
            half_space::two(*normal_a, *normal_b, b_in_a)
        }
        (_, Shape::HalfSpace { normal }) => {
            trace.event(Event::Closed(ClosedForm::HalfSpace));
            let lent = lend_polytope(a);
            half_space::separation(&figure(a, &lent), radius(a), *normal, b_in_a)
        }
        _ if b.curved().is_some() => {
            let (lent_a, lent_b) = (lend_polytope(a), Lent::None);
            let (core_a, core_b) = (figure(a, &lent_a), figure(b, &lent_b));
            let scale = core_a.extent() + core_b.extent() + b_in_a.translation.length();
            let radius = radius(a) + radius(b);
            let wanted = Wanted {
                limit: precision.limit + radius,
                relative: precision.relative,
                radius,
                apart: CURVED_GAP * scale,
                depth: CURVED_DEPTH * scale,
                max_expansions: MAX_CURVED_EXPANSIONS,
            };
            let pair = (&core_a, &core_b);
            let answer = curved::separation(pair, b_in_a, seed, &wanted, counters, trace);
            beyond(
                rounded(&answer, self::radius(a), self::radius(b)),
                precision,
            )
        }
        _ => {
            // Two statements: a pair of them would be built and then moved.
            let box_a = lend_polytope(a);
            let box_b = lend_polytope(b);
            let pair = Pair::new(bounded(a, &box_a), bounded(b, &box_b), b_in_a);
            let (radius_a, radius_b) = (radius(a), radius(b));
            let mut run = Run {
                limit: precision.limit + radius_a + radius_b,
                exact: precision.relative.is_finite(),
                only_sign: precision.relative == f64::INFINITY,
                counters,
                slides: true,
                trace,
            };
            let mut answer = cores(&pair, seed, &mut run);
            if radius_a + radius_b > 0.0 {
                answer = rounded(&answer, radius_a, radius_b);
            }
            beyond(answer, precision)
        }
    }
}

/// An answer whose distance is not known beyond the limit.
fn beyond(answer: Separation, precision: &Precision) -> Separation {
    if answer.lower > precision.limit {
        return Separation {
            upper: f64::INFINITY,
            ..answer
        };
    }
    answer
}

/// The core of a shape that is not a half-space and has no curved faces.
#[inline]
pub(crate) fn bounded<'a>(shape: &'a Shape, lent: &'a Lent) -> Core<'a> {
    Core::of(shape, lent).expect("canonical order puts curved shapes and half-spaces last")
}

/// The core of a shape that is not a half-space.
#[inline]
pub(crate) fn figure<'a>(shape: &'a Shape, lent: &'a Lent) -> Figure<'a> {
    Figure::of(shape, lent).expect("canonical order puts half-spaces last")
}

/// The answer for cores, told for the shapes with these radii around them.
pub(crate) fn rounded(cores: &Separation, radius_a: f64, radius_b: f64) -> Separation {
    let radius = radius_a + radius_b;
    let lower = cores.lower - radius;
    // Apart, the witnesses lie on their own line, so that their distance is the core's
    // minus the radii to the last bit; the normal may differ from it by rounding.
    let offset = cores.point_b - cores.point_a;
    let direction = if cores.lower > 0.0 {
        offset.normalize_or(cores.normal)
    } else {
        cores.normal
    };
    Separation {
        lower,
        upper: (cores.upper - radius).max(lower),
        point_a: cores.point_a + radius_a * direction,
        point_b: cores.point_b - radius_b * direction,
        ..*cores
    }
}

/// What a query of two cores is asked for, and what it says besides its answer.
pub(crate) struct Run<'a, T> {
    /// Cores farther apart than this, in metres, may be answered by a bound above it alone.
    pub(crate) limit: f64,
    /// Whether the features' own normals are tried wherever bounds are loose.
    pub(crate) exact: bool,
    /// Whether a depth need not be found where cores certainly overlap.
    pub(crate) only_sign: bool,
    /// Whether a slide from the features may find the depth.
    pub(crate) slides: bool,
    /// Kept up to date.
    pub(crate) counters: &'a mut Counters,
    /// Watches.
    pub(crate) trace: &'a mut T,
}

impl<T: Trace> Run<'_, T> {
    /// Counts an answer without a search, and tells the trace.
    #[inline]
    fn closed(&mut self, form: ClosedForm) {
        self.counters.closed_form += 1;
        self.trace.event(Event::Closed(form));
    }
}

/// Signed distance of two cores in canonical order.
pub(crate) fn cores<T: Trace>(pair: &Pair<'_>, seed: &Seed, run: &mut Run<'_, T>) -> Separation {
    let mut seed = *seed;
    if seed.walks {
        let mut answer = NOTHING;
        if walked(pair, &mut seed, MAX_WALK_STEPS, run, &mut answer) {
            return answer;
        }
    }
    let seed = &seed;
    match (pair.a, pair.b) {
        (Core::Point, Core::Point) => {
            run.closed(ClosedForm::PointsAndSegments);
            segment::points(pair.b_in_a.translation)
        }
        (Core::Point, Core::Segment(half_height)) => {
            run.closed(ClosedForm::PointsAndSegments);
            segment::point_segment(half_height, pair.b_in_a)
        }
        (Core::Segment(half_a), Core::Segment(half_b)) => {
            run.closed(ClosedForm::PointsAndSegments);
            segment::segments(half_a, half_b, pair.b_in_a)
        }
        (Core::Point, Core::Box(half, _)) => {
            run.closed(ClosedForm::PointAndBox);
            let feature_b = certify::box_feature(pair, half);
            Separation {
                feature_b,
                ..certify::point_box(half, pair.b_in_a)
            }
        }
        (Core::Segment(half_height), Core::Box(half, _)) => {
            let axis = cuboid::segment_box(half_height, half, pair.b_in_a).widest();
            zonotopes(pair, &axis, seed, run)
        }
        (Core::Box(half_a, _), Core::Box(half_b, _)) => {
            let axis = cuboid::box_box(half_a, half_b, pair.b_in_a, run.limit).widest();
            zonotopes(pair, &axis, seed, run)
        }
        _ => general(pair, seed, run),
    }
}

/// To be overwritten.
const NOTHING: Separation = Separation {
    lower: 0.0,
    upper: 0.0,
    point_a: DVec3::ZERO,
    point_b: DVec3::ZERO,
    normal: DVec3::ZERO,
    feature_a: Feature::vertex(0),
    feature_b: Feature::vertex(0),
};

/// Writes the answer of a walk from the features of `seed`, if it proves one; otherwise
/// `seed` becomes the place where the walk was given up.
fn walked<T: Trace>(
    pair: &Pair<'_>,
    seed: &mut Seed,
    limit: u32,
    run: &mut Run<'_, T>,
    answer: &mut Separation,
) -> bool {
    let Some(features) = seed.features else {
        return false;
    };
    let Some(walk) = walk::walk(pair, features, limit, run.trace, answer) else {
        return false;
    };
    run.counters.walk_steps += u64::from(walk.steps);
    if walk.proved {
        if !run.exact || answer.upper - answer.lower <= CERTIFIED * pair.scale {
            run.counters.walked += 1;
            return true;
        }
        let [feature_a, feature_b] = walk.features;
        run.trace.event(Event::Walk(Step {
            feature_a,
            feature_b,
            reason: Reason::Uncertified,
        }));
    }
    run.counters.walks_given_up += 1;
    *seed = Seed {
        direction: walk.direction,
        features: Some(walk.features),
        walks: false,
        meets: walk.meets,
        strays: true,
    };
    false
}

/// Boxes and segments: the widest gap is the answer in overlap, a bound when apart.
fn zonotopes<T: Trace>(
    pair: &Pair<'_>,
    axis: &Axis,
    seed: &Seed,
    run: &mut Run<'_, T>,
) -> Separation {
    if axis.gap <= 0.0 || axis.gap > run.limit {
        run.closed(ClosedForm::SeparatingAxes);
        return certify::along(pair, axis);
    }
    let answer = general(pair, seed, run);
    if axis.gap > answer.lower {
        let lower = axis.gap.min(answer.upper);
        return Separation {
            lower,
            normal: axis.normal,
            ..answer
        };
    }
    answer
}

/// Any two cores by GJK, and EPA where they meet.
fn general<T: Trace>(pair: &Pair<'_>, seed: &Seed, run: &mut Run<'_, T>) -> Separation {
    if let Some(answer) = slid(pair, seed, run) {
        return answer;
    }
    let mut search = Search::new(pair, seed);
    if seed.features.is_none() {
        let mut start = Seed {
            features: Some([search.latest.a, search.latest.b].map(Feature::vertex)),
            direction: search.found.lower_normal,
            meets: search.found.lower < -DEEP_START * pair.scale,
            ..*seed
        };
        if let Some(answer) = slid(pair, &start, run) {
            return answer;
        }
        // Nothing is known. Where the direction between the centres is about right, the
        // closest features are a few steps away, and GJK's steps are many and wide.
        let mut answer = NOTHING;
        let tried = start.meets;
        if walked(pair, &mut start, PROBE_WALK_STEPS, run, &mut answer) {
            return answer;
        }
        start.meets &= !tried;
        if let Some(answer) = slid(pair, &start, run) {
            return answer;
        }
    }
    run.trace.event(Event::GjkStart(search.latest.into()));
    search.run(MAX_GJK_STEPS, run.limit, run.trace);
    let found = search.found;
    run.counters.gjk += 1;
    run.counters.gjk_iterations += u64::from(found.steps);
    if found.verdict == Verdict::Exhausted {
        run.counters.gjk_exhausted += 1;
    }
    if found.verdict == Verdict::Met {
        if run.only_sign && found.simplex.vertices().len() == 4 {
            return enclosed(pair, &found);
        }
        return met(pair, &found, run);
    }
    let answer = certify::apart(pair, &found, run.exact);
    let loose = answer.upper - answer.lower > CERTIFIED * pair.scale;
    if answer.lower <= 0.0 && loose && found.verdict != Verdict::Beyond {
        // Not decided: the depth routine gives the sign.
        return met(pair, &found, run);
    }
    answer
}

/// The depth by a slide from the features of `seed`, or from the farthest corners along its
/// direction, if it seems that the cores overlap there and the least depth can be shown to be
/// that.
fn slid<T: Trace>(pair: &Pair<'_>, seed: &Seed, run: &mut Run<'_, T>) -> Option<Separation> {
    let mut features = seed.features.filter(|_| seed.meets && run.slides)?;
    let mut normal = seed.direction.normalize_or_zero();
    if seed.strays {
        let direct = pair.between_centers().normalize_or(DVec3::Y);
        let mut best = (f64::NEG_INFINITY, normal);
        for direction in [normal, direct] {
            let support = pair.support(direction, NO_HINT, NO_HINT);
            let gap = support.w.dot(direction);
            if gap > best.0 && direction != DVec3::ZERO {
                best = (gap, direction);
                features = [support.a, support.b].map(Feature::vertex);
            }
        }
        normal = best.1;
    }
    let tolerance = if run.exact {
        0.5 * CERTIFIED
    } else {
        HELD_DEPTH
    };
    match least::depth(pair, features, normal, tolerance * pair.scale, run.trace) {
        Least::Found(answer) => {
            // A rim of many corners rises from one to the next by less than rounding, and from
            // end to end by more.
            if run.exact && !reaches_no_farther(pair, &answer) {
                return None;
            }
            run.counters.held += 1;
            Some(answer)
        }
        Least::Apart(..) | Least::Lost => None,
    }
}

/// Whether the farthest corners along an answer's normal leave the gap it tells.
fn reaches_no_farther(pair: &Pair<'_>, answer: &Separation) -> bool {
    let hint_a = pair.a.vertex_of(answer.feature_a);
    let hint_b = pair.b.vertex_of(answer.feature_b);
    pair.gap(answer.normal, hint_a, hint_b) >= answer.lower - CERTIFIED * pair.scale
}

/// Cores with the origin inside a tetrahedron of their difference: they overlap, by an unknown
/// depth.
fn enclosed(pair: &Pair<'_>, found: &Gjk) -> Separation {
    let normal = found.lower_normal.normalize_or(DVec3::Y);
    let gap = pair.gap(normal, NO_HINT, NO_HINT).min(0.0);
    Separation {
        upper: 0.0,
        ..certify::along(pair, &Axis { gap, normal })
    }
}

/// Cores that overlap, touch, or are too close for GJK to say.
fn met<T: Trace>(pair: &Pair<'_>, found: &Gjk, run: &mut Run<'_, T>) -> Separation {
    run.counters.epa += 1;
    let simplex = found.simplex.vertices();
    let depth = EPA.with_borrow_mut(|epa| epa.run(pair, simplex, run.trace));
    let mut answer = None;
    if let Some(depth) = depth {
        run.counters.epa_expansions += u64::from(depth.expansions);
        let certified = certify::overlap(pair, &depth, found, run.exact);
        if !run.exact || certified.upper - certified.lower <= CERTIFIED * pair.scale {
            return certified;
        }
        run.trace.event(Event::EpaEnd(EpaEnd::Uncertified));
        answer = Some(certified);
    }
    run.counters.enumerated += 1;
    run.trace.event(Event::Enumerated);
    let widest = enumerate::widest_gap(pair);
    match (widest, answer) {
        (Some(axis), Some(answer)) if axis.gap <= answer.lower => answer,
        (Some(axis), _) => certify::along(pair, &axis),
        (None, Some(answer)) => answer,
        (None, None) => {
            // No volume and no edges: the centres' direction, with the honest interval.
            let normal = pair.b_in_a.translation.normalize_or(DVec3::Y);
            let gap = pair.gap(normal, NO_HINT, NO_HINT);
            let axis = Axis { gap, normal };
            Separation {
                upper: gap.max(0.0),
                ..certify::along(pair, &axis)
            }
        }
    }
}
