//! The coherent path: a pair asked again and again while the shapes move a little.
//!
//! Two polygons are walked from the last closest features; what a walk cannot answer, and
//! everything round, starts a search from the normal that the last ones predict. The
//! answer is the one a cold query gives, to rounding.

use glam::DVec2;
use serde::{Deserialize, Serialize};

use crate::pair::Pair;
use crate::polygon::Polygon;
use crate::pose::Pose2;
use crate::query::solve;
use crate::separation::{NotConverged, QueryOptions, Separation2};
use crate::shape::{Core, Shape2};
use crate::tolerance::{MAX_PREDICTED_TURN, STEPS_AFTER_JUMP, STEPS_BEFORE_JUMP};
use crate::walk::{End, State, walk};

/// What is remembered of a pair between two queries.
///
/// Start with the default. It may be used with other shapes or poses at any time; that
/// costs a search and is never wrong.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tracker2 {
    state: Option<State>,
    /// Last normal in A's frame; zero before the first answer.
    normal: DVec2,
    /// (cos, sin) of how far the normal turned to get there; zero when it is not known.
    turn: DVec2,
    /// The same, one frame earlier.
    last_turn: DVec2,
    /// Whether the last frame was too fast for single steps.
    is_fast: bool,
}

/// `v` turned by the angle whose (cos, sin) is `by`.
fn turned(v: DVec2, by: DVec2) -> DVec2 {
    DVec2::new(v.x * by.x - v.y * by.y, v.x * by.y + v.y * by.x)
}

impl Tracker2 {
    /// Where the normal will be if its turn goes on changing as it did: an evenly moving
    /// body is met within a few features however many pass in a frame.
    fn predicted_normal(&self) -> DVec2 {
        let (turn, last_turn) = (self.turn, self.last_turn);
        if turn.x < MAX_PREDICTED_TURN {
            return self.normal;
        }
        let normal = turned(self.normal, turn);
        if last_turn.x < MAX_PREDICTED_TURN {
            return normal;
        }
        turned(turned(normal, turn), DVec2::new(last_turn.x, -last_turn.y))
    }

    /// Remembers an answer.
    fn remember(&mut self, state: Option<State>, normal: DVec2, is_fast: bool) {
        let last = self.normal;
        *self = Self {
            state,
            normal,
            turn: DVec2::new(last.dot(normal), last.perp_dot(normal)),
            last_turn: self.turn,
            is_fast,
        };
    }
}

/// How queries were answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counters2 {
    /// Answered by a walk from the last features.
    pub walked: u64,
    /// Steps of all walks.
    pub walk_steps: u64,
    /// Walks that jumped along the predicted normal.
    pub jumped: u64,
    /// Answered by a search.
    pub searched: u64,
}

/// [`crate::distance`] for a pair that was asked before: constant time for two polygons
/// that turned by a few edges, logarithmic in their number otherwise.
///
/// Overlapping and round pairs are searched, from the normal that the last ones predict.
/// Precondition and failure are those of [`crate::distance`]; after a failure the tracker starts
/// afresh.
pub fn track(
    a: &Shape2,
    b: &Shape2,
    b_in_a: &Pose2,
    options: &QueryOptions,
    tracker: &mut Tracker2,
    counters: &mut Counters2,
) -> Result<Separation2, NotConverged> {
    if let (Some(state), Core::Ring(ring_a), Core::Ring(ring_b)) =
        (tracker.state, a.core(), b.core())
        && let Some(core) = follow(ring_a, ring_b, b_in_a, state, tracker, counters)
    {
        counters.walked += 1;
        return Ok(core.rounded(a.core_radius(), b.core_radius()));
    }
    counters.searched += 1;
    let pair = Pair::new(a, b, b_in_a);
    let first = if tracker.normal == DVec2::ZERO {
        pair.offset
    } else {
        tracker.predicted_normal()
    };
    let last = std::mem::take(tracker);
    let separation = solve(&pair, first, options, &mut ())?;
    let state = (separation.distance() + pair.radii() > 0.0)
        .then(|| State::from_features(separation.feature_a, separation.feature_b))
        .flatten();
    *tracker = last;
    tracker.remember(state, separation.normal, false);
    Ok(separation)
}

/// Walks from the last features; if they are too far off, or were in the last frame, from
/// the supports along the predicted normal.
fn follow(
    a: &Polygon,
    b: &Polygon,
    b_in_a: &Pose2,
    state: State,
    tracker: &mut Tracker2,
    counters: &mut Counters2,
) -> Option<Separation2> {
    let (mut i, mut j) = state.vertices();
    if i as usize >= a.vertices().len() || j as usize >= b.vertices().len() {
        return None;
    }
    if !tracker.is_fast {
        let (end, steps) = walk(a, b, b_in_a, state, STEPS_BEFORE_JUMP);
        counters.walk_steps += u64::from(steps);
        match end {
            End::Closest(state, core) => {
                tracker.remember(Some(state), core.normal, false);
                return Some(core);
            }
            End::Lost => return None,
            End::OutOfSteps(state) => (i, j) = state.vertices(),
        }
    }
    counters.jumped += 1;
    let normal = tracker.predicted_normal();
    let near_a = a.support_from(i as usize, normal);
    let near_b = b.support_from(j as usize, b_in_a.unrotate(-normal));
    let jumped = State::VertexVertex(near_a as u32, near_b as u32);
    let (end, steps) = walk(a, b, b_in_a, jumped, STEPS_AFTER_JUMP);
    counters.walk_steps += u64::from(steps);
    let End::Closest(state, core) = end else {
        return None;
    };
    // Two features or so passed: the next frame may do without the jump.
    let is_still_fast = near_a.abs_diff(i as usize) + near_b.abs_diff(j as usize) > 2;
    tracker.remember(Some(state), core.normal, is_still_fast);
    Some(core)
}
