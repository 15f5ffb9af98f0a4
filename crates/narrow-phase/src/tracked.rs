//! The standalone query with a memory: as exact as a cold one, and hardly dearer for many
//! corners than for few while the motion is coherent.

use drystone_geometry::{Frame, Hull, Separation, Shape};

use crate::convex::{radius, scale_of};
use crate::cores::{NOTHING, Run, is_proved};
use crate::counters::Counters;
use crate::distance::{from_b, ordered};
use crate::gjk::Seed;
use crate::order;
use crate::tolerance::{MAX_WALK_STEPS, SHORT_WALK_STEPS};
use crate::trace::{Event, Silent, Trace};
use crate::tracker::Tracker;
use crate::walk::{Places, walk_hulls};
use crate::within::Precision;

const FULL: Precision = Precision::FULL;

/// Signed distance of two shapes with its proof, in A's frame and metres, found from last
/// call's closest features.
///
/// The answer has the promises of [`crate::distance`] whatever the motion since the last
/// call; only the time depends on it. `tracker` belongs to the pair, in this order of A and
/// B, and may be any tracker at first; it may be shared with [`crate::collide`]. `counters`
/// say which way was taken: a walk from the last features, GJK from where they are, or EPA.
pub fn distance_tracked(
    a: &Shape,
    b: &Shape,
    b_in_a: &Frame,
    tracker: &mut Tracker,
    counters: &mut Counters,
) -> Separation {
    distance_traced(a, b, b_in_a, tracker, counters, &mut Silent)
}

/// [`distance_tracked`], watched: `trace` sees every state and why it came about.
pub fn distance_traced<T: Trace>(
    a: &Shape,
    b: &Shape,
    b_in_a: &Frame,
    tracker: &mut Tracker,
    counters: &mut Counters,
    trace: &mut T,
) -> Separation {
    debug_assert!(b_in_a.translation.is_finite() && b_in_a.rotation.is_finite());
    let is_flipped = order::is_flipped(a, b, b_in_a);
    trace.event(Event::Begin { is_flipped });
    let mut answer = NOTHING;
    let radii = radius(a) + radius(b);
    let mut start = tracker.start(a, b, b_in_a, radii, is_flipped);
    if start.walks
        && let (Shape::Hull(hull_a), Shape::Hull(hull_b)) = (a, b)
    {
        let steps = counters.walk_steps;
        let pair = (&**hull_a, &**hull_b);
        if hulls(
            pair,
            b_in_a,
            is_flipped,
            &mut start,
            counters,
            trace,
            &mut answer,
        ) {
            let is_short = counters.walk_steps - steps <= SHORT_WALK_STEPS;
            tracker.remember_features(a, b, b_in_a, &answer, is_short);
            return answer;
        }
    } else {
        let kind = (start.features.is_some(), start.meets);
        start.direction = tracker.direction((a, b), b_in_a, is_flipped, kind);
    }
    answer = if is_flipped {
        let inverse = b_in_a.inverse();
        let answer = ordered((b, a), &inverse, &start, &FULL, counters, trace);
        from_b(&answer, b_in_a)
    } else {
        ordered((a, b), b_in_a, &start, &FULL, counters, trace)
    };
    tracker.remember_features(a, b, b_in_a, &answer, false);
    answer
}

/// Writes the answer for hulls if a walk from `start` proves it: the common case, without what
/// shapes of other kinds need and told straight from the caller's A. Otherwise `start` becomes
/// the place where the walk was given up.
#[inline]
fn hulls<T: Trace>(
    (a, b): (&Hull, &Hull),
    b_in_a: &Frame,
    is_flipped: bool,
    start: &mut Seed,
    counters: &mut Counters,
    trace: &mut T,
    answer: &mut Separation,
) -> bool {
    let Some(features) = start.features else {
        return false;
    };
    let (hulls, pose) = if is_flipped {
        ((b, a), b_in_a.inverse())
    } else {
        ((a, b), *b_in_a)
    };
    let places = Places::new(pose, scale_of(a.reach(), b.reach(), &pose));
    let limit = (MAX_WALK_STEPS, is_flipped);
    match walk_hulls(&places, hulls, features, limit, trace, answer) {
        Some(walk) => {
            let mut run = Run::new(&FULL, 0.0, counters, trace);
            is_proved(&walk, places.scale, start, &mut run, answer)
        }
        None => false,
    }
}
