//! What a step cost and what it had to do.

use std::time::{Duration, Instant};

use drystone_narrow_phase::Counters;
use drystone_solver::SolverStats;

/// Wall-clock time of the stages of one step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StageTimes {
    /// Pairs found and lost: broad phase, contacts made and removed.
    pub broad: Duration,
    /// Manifolds: narrow phase and changes of touch.
    pub narrow: Duration,
    /// Constraints: everything the solver does.
    pub solve: Duration,
    /// Poses, boxes, events.
    pub finish: Duration,
    /// Islands and sleep.
    pub islands: Duration,
    /// All stages together.
    pub total: Duration,
    /// What only one thread had work for, part of the stages above: contacts made and
    /// removed, contacts that gained or lost their points, the solver's plan, sleep. The
    /// broad phase's own share is not in it.
    pub serial: Duration,
}

/// Figures of the last step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stats {
    /// Time per stage.
    pub times: StageTimes,
    /// Bodies of every kind.
    pub bodies: usize,
    /// Bodies that are awake.
    pub awake: usize,
    /// Shapes of all bodies.
    pub shapes: usize,
    /// Joints.
    pub joints: usize,
    /// Pairs whose boxes overlap.
    pub pairs: usize,
    /// Contacts the solver worked on.
    pub constraints: usize,
    /// Points of those contacts.
    pub points: usize,
    /// Colours in use by contacts and joints.
    pub colours: usize,
    /// Islands, awake and asleep.
    pub islands: usize,
    /// What the solver did.
    pub solver: SolverStats,
    /// What the narrow phase did.
    pub narrow: Counters,
}

/// Pairs that the narrow phase looks at in a microsecond, about, where a look is enough.
const LOOKS_PER_MICROSECOND: usize = 32;

/// Pairs that it answers in a microsecond, about, of shapes that are answered soon.
const ANSWERS_PER_MICROSECOND: usize = 4;

impl Stats {
    /// How long one thread will take for the pairs, so many of them awake in each chunk: as many
    /// end with a look as did in the last step.
    pub(crate) fn narrow_microseconds(&self, awake_in_chunk: &[u32]) -> usize {
        let awake = awake_in_chunk.iter().map(|&count| count as usize);
        let awake = awake.sum::<usize>();
        let answered = awake.saturating_sub(self.narrow.skipped as usize);
        awake / LOOKS_PER_MICROSECOND + answered / ANSWERS_PER_MICROSECOND
    }
}

/// Measures consecutive stretches of time.
pub(crate) struct Stopwatch(Instant);

impl Stopwatch {
    pub(crate) fn start() -> Self {
        Self(Instant::now())
    }

    /// Time since the last lap or the start.
    pub(crate) fn lap(&mut self) -> Duration {
        let now = Instant::now();
        let lap = now - self.0;
        self.0 = now;
        lap
    }
}
