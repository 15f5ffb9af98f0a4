//! Queries that ask for less than everything, and are answered sooner.

use drystone_geometry::{Frame, Separation, Shape};

use crate::counters::Counters;
use crate::distance::{from_b, ordered};
use crate::gjk::Seed;
use crate::order;
use crate::trace::Silent;

/// How much of an answer is enough.
///
/// The two ways of saving that van den Bergen gives GJK in *Collision Detection in Interactive
/// 3D Environments* (2003), section 4.3: an upper limit, and an error relative to the answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Precision {
    /// Shapes known to be farther apart than this, in metres, need no exact distance.
    pub limit: f64,
    /// Ratio to the separation or depth: how far the two bounds may be apart. Polytopes are
    /// answered exactly anyway. Infinite when the sign alone matters.
    pub relative: f64,
}

impl Precision {
    /// All that [`crate::distance()`] promises.
    pub const FULL: Self = Self {
        limit: f64::INFINITY,
        relative: 0.0,
    };

    /// Whether the shapes have a common point, and nothing else.
    pub const SIGN: Self = Self {
        limit: 0.0,
        relative: f64::INFINITY,
    };
}

/// Signed distance of two shapes with its proof, as precise as asked, in A's frame and metres.
///
/// Both bounds hold as in [`crate::distance()`]; they may be wider apart. Beyond the limit the
/// upper bound is infinite, the lower one is above the limit, and witness points and features
/// say nothing.
pub fn distance_within(
    a: &Shape,
    b: &Shape,
    b_in_a: &Frame,
    precision: &Precision,
    counters: &mut Counters,
) -> Separation {
    debug_assert!(b_in_a.translation.is_finite() && b_in_a.rotation.is_finite());
    let (seed, trace) = (Seed::NONE, &mut Silent);
    if order::is_flipped(a, b, b_in_a) {
        let inverse = b_in_a.inverse();
        let answer = ordered((b, a), &inverse, &seed, precision, counters, trace);
        from_b(&answer, b_in_a)
    } else {
        ordered((a, b), b_in_a, &seed, precision, counters, trace)
    }
}

/// Whether two shapes have a common point. Touching counts; gaps and depths of more than
/// 10^-11 of the pair's size are told apart with certainty.
pub fn intersects(a: &Shape, b: &Shape, b_in_a: &Frame) -> bool {
    let mut counters = Counters::default();
    distance_within(a, b, b_in_a, &Precision::SIGN, &mut counters).lower <= 0.0
}
