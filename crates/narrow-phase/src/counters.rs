//! How pairs were answered: one count per rung of the ladder.

use serde::{Deserialize, Serialize};

/// Counts since they were last reset. Plain sums, so that parts can be merged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counters {
    /// Pairs whose cached gap still beats the margin: nothing was done.
    pub skipped: u64,
    /// Touching pairs that hardly moved: separations re-evaluated.
    pub recycled: u64,
    /// Pairs answered by walking features.
    pub walked: u64,
    /// Feature pairs looked at by walks, those that were given up included.
    pub walk_steps: u64,
    /// Walks that were given up: features that touch or overlap, or too far along. GJK went
    /// on from where they stood.
    pub walks_given_up: u64,
    /// Overlapping pairs answered by a slide to the least depth, shown to be that.
    pub held: u64,
    /// Pairs answered by a closed form or by separating axes of boxes.
    pub closed_form: u64,
    /// Pairs sent to GJK.
    pub gjk: u64,
    /// Support evaluations of GJK.
    pub gjk_iterations: u64,
    /// GJK queries that ran out of steps; their bounds still hold.
    pub gjk_exhausted: u64,
    /// Pairs sent to EPA.
    pub epa: u64,
    /// Points EPA added.
    pub epa_expansions: u64,
    /// EPA queries on curved shapes that ran out of steps; their bounds still hold.
    pub epa_exhausted: u64,
    /// Casts that ran out of steps; the time they proved free is told.
    pub casts_exhausted: u64,
    /// Pairs that EPA left undecided, answered by exhaustive search.
    pub enumerated: u64,
}

impl Counters {
    /// Adds the counts of another part.
    pub fn merge(&mut self, other: &Self) {
        self.skipped += other.skipped;
        self.recycled += other.recycled;
        self.walked += other.walked;
        self.walk_steps += other.walk_steps;
        self.walks_given_up += other.walks_given_up;
        self.held += other.held;
        self.closed_form += other.closed_form;
        self.gjk += other.gjk;
        self.gjk_iterations += other.gjk_iterations;
        self.gjk_exhausted += other.gjk_exhausted;
        self.epa += other.epa;
        self.epa_expansions += other.epa_expansions;
        self.epa_exhausted += other.epa_exhausted;
        self.casts_exhausted += other.casts_exhausted;
        self.enumerated += other.enumerated;
    }
}
