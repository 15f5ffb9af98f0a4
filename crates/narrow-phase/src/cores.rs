//! Signed distance of two cores: by a walk from the last features, in closed form, by a slide
//! from a likely place, or by GJK and EPA.

use std::cell::RefCell;

use drystone_geometry::glam::DVec3;
use drystone_geometry::{Feature, Separation};

use crate::certify;
use crate::convex::{Core, NO_HINT, Pair, Vertex};
use crate::counters::Counters;
use crate::cuboid::{self, Axis};
use crate::enumerate;
use crate::epa::Epa;
use crate::gjk::{Gjk, Search, Seed, Standing, Verdict};
use crate::least::{self, Least};
use crate::segment;
use crate::tolerance::{
    APPROACHES, CERTIFIED, DEEP_START, HELD_DEPTH, MAX_GJK_STEPS, MAX_WALK_STEPS, OUTSIDE_GAP,
    PROBE_WALK_STEPS, RIM_WALK_STEPS,
};
use crate::trace::{ClosedForm, EpaEnd, Event, Reason, Silent, Step, Trace};
use crate::walk::{self, Walk};
use crate::within::Precision;

thread_local! {
    /// EPA's arrays: allocated once per thread, without influence on any answer.
    static EPA: RefCell<Epa> = RefCell::default();
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

impl<'a, T: Trace> Run<'a, T> {
    /// For cores with radii of this sum around them, in metres.
    #[inline]
    pub(crate) fn new(
        precision: &Precision,
        radii: f64,
        counters: &'a mut Counters,
        trace: &'a mut T,
    ) -> Self {
        Self {
            limit: precision.limit + radii,
            exact: true,
            only_sign: precision.relative == f64::INFINITY,
            slides: true,
            counters,
            trace,
        }
    }

    /// How far apart the bounds of an answer may be, a ratio to the pair's scale, for nobody to look
    /// further.
    #[inline]
    fn width(&self) -> f64 {
        if self.exact { CERTIFIED } else { HELD_DEPTH }
    }

    /// Counts an answer without a search, and tells the trace.
    #[inline]
    fn closed(&mut self, form: ClosedForm) {
        self.counters.closed_form += 1;
        self.trace.event(Event::Closed(form));
    }
}

/// Signed distance of two cores in canonical order.
#[inline(never)]
pub(crate) fn cores<T: Trace>(pair: &Pair<'_>, seed: &Seed, run: &mut Run<'_, T>) -> Separation {
    let mut seed = *seed;
    if seed.walks {
        let mut answer = NOTHING;
        if walked(pair, &mut seed, (MAX_WALK_STEPS, false), run, &mut answer) {
            return answer;
        }
    }
    unwalked(pair, &seed, run)
}

/// Signed distance of two cores in canonical order of which no walk is to be tried first.
fn unwalked<T: Trace>(pair: &Pair<'_>, seed: &Seed, run: &mut Run<'_, T>) -> Separation {
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
pub(crate) const NOTHING: Separation = Separation {
    lower: 0.0,
    upper: 0.0,
    point_a: DVec3::ZERO,
    point_b: DVec3::ZERO,
    normal: DVec3::ZERO,
    feature_a: Feature::vertex(0),
    feature_b: Feature::vertex(0),
};

/// Writes the answer of a walk from the features of `seed`, if it proves one; otherwise
/// `seed` becomes the place where the walk was given up. For `limit` see [`walk::walk`].
fn walked<T: Trace>(
    pair: &Pair<'_>,
    seed: &mut Seed,
    limit: (u32, bool),
    run: &mut Run<'_, T>,
    answer: &mut Separation,
) -> bool {
    let Some(features) = seed.features else {
        return false;
    };
    match walk::walk(pair, features, limit, run.trace, answer) {
        Some(walk) => is_proved(&walk, pair.scale, seed, run, answer),
        None => false,
    }
}

/// Whether a walk in coordinates of this size proved its answer; otherwise `seed` becomes the
/// place where it was given up.
#[inline]
pub(crate) fn is_proved<T: Trace>(
    walk: &Walk,
    scale: f64,
    seed: &mut Seed,
    run: &mut Run<'_, T>,
    answer: &Separation,
) -> bool {
    run.counters.walk_steps += u64::from(walk.steps);
    if walk.proved {
        if answer.upper - answer.lower <= run.width() * scale {
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
        standing: Standing::Astray,
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
    let mut start = *seed;
    let mut answer = NOTHING;
    if slid(pair, &mut start, run, &mut answer) {
        return answer;
    }
    if seed.features.is_none() {
        start = likely_start(pair, seed);
        let probe = if pair.a.has_rims() || pair.b.has_rims() {
            RIM_WALK_STEPS
        } else {
            PROBE_WALK_STEPS
        };
        let slides = start.meets;
        if slid(pair, &mut start, run, &mut answer)
            || walked(pair, &mut start, (probe, false), run, &mut answer)
        {
            return answer;
        }
        start.meets &= !slides;
        if slid(pair, &mut start, run, &mut answer) {
            return answer;
        }
    } else if start.walks
        && walked(
            pair,
            &mut start,
            (PROBE_WALK_STEPS, false),
            run,
            &mut answer,
        )
    {
        return answer;
    }
    let mut search = Search::new(pair, if start.meets { seed } else { &start });
    run.trace.event(Event::GjkStart(search.latest.into()));
    search.run(MAX_GJK_STEPS, run.limit, run.trace);
    let found = search.found;
    run.counters.gjk += 1;
    run.counters.gjk_iterations += u64::from(found.steps);
    if found.verdict == Verdict::Exhausted {
        run.counters.gjk_exhausted += 1;
    }
    if found.verdict == Verdict::Met {
        if run.only_sign && found.simplex.certainly_encloses_origin() {
            return enclosed(pair, &found);
        }
        return met(pair, &found, run);
    }
    let is_beyond = found.verdict == Verdict::Beyond;
    let width = if is_beyond {
        f64::INFINITY
    } else {
        run.width()
    };
    let answer = certify::apart(pair, &found, width);
    let loose = answer.upper - answer.lower > CERTIFIED * pair.scale;
    if answer.lower <= 0.0 && loose && !is_beyond {
        // Not decided: the depth routine gives the sign.
        return met(pair, &found, run);
    }
    answer
}

/// A start where no features are known: the farthest corners along a direction. Where that is about
/// right, the closest features are a few steps away, and GJK's steps are many and wide.
fn likely_start(pair: &Pair<'_>, seed: &Seed) -> Seed {
    let (direction, support) = likely_direction(pair, seed.direction);
    let is_deep = support.w.dot(direction) < -DEEP_START * pair.scale;
    // Along a rim a slide is long, and so is the way back.
    let (meets, standing) = if pair.a.has_rims() || pair.b.has_rims() {
        (seed.meets, Standing::Astray)
    } else {
        (is_deep, Standing::Farthest)
    };
    Seed {
        direction,
        features: Some([Feature::vertex(support.a), Feature::vertex(support.b)]),
        meets,
        standing,
        ..*seed
    }
}

/// Of the line between the centres and another direction, if it is not zero, the unit one along
/// which the gap is wider, with the farthest corners.
fn likely_direction(pair: &Pair<'_>, other: DVec3) -> (DVec3, Vertex) {
    let direct = pair.between_centers().normalize_or(DVec3::Y);
    let support = pair.support(direct, NO_HINT, NO_HINT);
    if let Some(other) = other.try_normalize() {
        let there = pair.support(other, NO_HINT, NO_HINT);
        if there.w.dot(other) > support.w.dot(direct) {
            return (other, there);
        }
    }
    (direct, support)
}

/// Writes the depth that a slide finds from the features of `seed`, or from the farthest
/// corners along its direction, if it seems that the cores overlap there and the least depth
/// can be shown to be that. Where the slide finds them apart, `seed` becomes that place.
#[inline(never)]
fn slid<T: Trace>(
    pair: &Pair<'_>,
    seed: &mut Seed,
    run: &mut Run<'_, T>,
    answer: &mut Separation,
) -> bool {
    let Some(mut features) = seed.features.filter(|_| seed.meets && run.slides) else {
        return false;
    };
    let mut normal = seed.direction.normalize_or_zero();
    let mut are_farthest = seed.standing == Standing::Farthest;
    if seed.standing == Standing::Astray {
        let (likely, support) = likely_direction(pair, normal);
        normal = likely;
        features = [support.a, support.b].map(Feature::vertex);
        are_farthest = true;
        if (pair.a.has_rims() || pair.b.has_rims())
            && let Some(near) = from_outside(pair, features, normal)
        {
            (features, normal) = near;
            are_farthest = false;
        }
    }
    let tolerance = if run.exact {
        0.5 * CERTIFIED
    } else {
        HELD_DEPTH
    };
    let (mut found, tolerance) = (NOTHING, tolerance * pair.scale);
    let start = (features, are_farthest);
    match least::depth(pair, start, normal, tolerance, run.trace, &mut found) {
        Least::Found(_) => {
            // A rim of many corners rises from one to the next by less than rounding, and from
            // end to end by more.
            if run.exact && !reaches_no_farther(pair, &found) {
                return false;
            }
            run.counters.held += 1;
            *answer = found;
            true
        }
        Least::Apart(features, direction) => {
            *seed = Seed {
                direction,
                features: Some(features),
                walks: true,
                meets: false,
                standing: Standing::Astray,
            };
            false
        }
        Least::Unproved | Least::Lost => false,
    }
}

/// Features near the least depth, and a direction near its normal, from A to B: those at which
/// the cores are nearest when B is moved out along `normal`, and again along the direction that
/// this gives. Along rims of very many corners a walk leaps, where a slide goes from one to the
/// next. Nothing when a walk loses its way.
fn from_outside(
    pair: &Pair<'_>,
    mut features: [Feature; 2],
    mut normal: DVec3,
) -> Option<([Feature; 2], DVec3)> {
    let mut answer = NOTHING;
    for _ in 0..APPROACHES {
        let [hint_a, hint_b] = [(&pair.a, features[0]), (&pair.b, features[1])]
            .map(|(core, feature)| core.vertex_of(feature));
        let gap = pair.gap(normal, hint_a, hint_b);
        let mut outside = *pair.b_in_a;
        outside.translation += (OUTSIDE_GAP * pair.scale - gap) * normal;
        let outside = Pair::new(pair.a, pair.b, &outside);
        let limit = (RIM_WALK_STEPS, false);
        let walk = walk::walk(&outside, features, limit, &mut Silent, &mut answer)?;
        if !walk.proved {
            return None;
        }
        (features, normal) = (walk.features, answer.normal);
    }
    Some((features, normal))
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
        let certified = certify::overlap(pair, &depth, found, run.width());
        if certified.upper - certified.lower <= run.width() * pair.scale {
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
