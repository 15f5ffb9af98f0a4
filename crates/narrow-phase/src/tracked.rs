//! The standalone query with a memory: as exact as a cold one, and hardly dearer for many
//! corners than for few while the motion is coherent.

use drystone_geometry::{Frame, Separation, Shape};

use crate::counters::Counters;
use crate::distance::{from_b, ordered};
use crate::order;
use crate::trace::{Silent, Trace};
use crate::tracker::Tracker;
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
    let flipped = order::is_flipped(a, b, b_in_a);
    let seed = tracker.seed(a, b, b_in_a, flipped);
    let answer = if flipped {
        let inverse = b_in_a.inverse();
        let answer = ordered((b, a), &inverse, &seed, true, &FULL, counters, trace);
        from_b(&answer, b_in_a)
    } else {
        ordered((a, b), b_in_a, &seed, false, &FULL, counters, trace)
    };
    tracker.remember_features(a, b, b_in_a, &answer);
    answer
}
