//! The state hash: one number that differs when anything that decides the future differs.

use postcard::ser_flavors::Flavor;
use serde::Serialize;

use crate::World;
use crate::tolerance::{HASH_MULTIPLIER, HASH_SEED};

/// Everything that decides how the world goes on, poses to sleep timers, except what its
/// descriptions fix (shapes, materials, settings).
#[derive(Serialize)]
struct State<'a> {
    time: f64,
    step_count: u64,
    awake: &'a [drystone_solver::Body],
    asleep: &'a [drystone_solver::Body],
    statics: &'a [drystone_solver::StaticPose],
    contacts: &'a crate::contacts::Contacts,
    joints: &'a [drystone_solver::Joint],
    graph: &'a drystone_solver::ConstraintGraph,
    islands: &'a drystone_solver::Islands,
}

impl World {
    /// A hash of poses, velocities, impulses, trackers, colours, islands and sleep timers.
    ///
    /// Equal worlds stepped equally give equal hashes, for any thread count, instruction
    /// set and platform. Costs a pass over that state.
    pub fn state_hash(&self) -> u64 {
        let state = State {
            time: self.time,
            step_count: self.step_count,
            awake: &self.awake,
            asleep: &self.asleep,
            statics: &self.statics,
            contacts: &self.contacts,
            joints: &self.joints,
            graph: &self.graph,
            islands: &self.islands,
        };
        let hash = postcard::serialize_with_flavor(&state, Hash::default());
        hash.expect("hashing plain data cannot fail")
    }
}

/// Mixes bytes eight at a time.
struct Hash {
    state: u64,
    word: u64,
    bits: u32,
}

impl Default for Hash {
    fn default() -> Self {
        Self {
            state: HASH_SEED,
            word: 0,
            bits: 0,
        }
    }
}

impl Hash {
    /// Multiplication by an odd constant, then the high bits folded into the low ones.
    fn mix(&mut self) {
        let mixed = (self.state ^ self.word).wrapping_mul(HASH_MULTIPLIER);
        self.state = mixed ^ (mixed >> 32);
        self.word = 0;
        self.bits = 0;
    }
}

impl Flavor for Hash {
    type Output = u64;

    fn try_push(&mut self, byte: u8) -> postcard::Result<()> {
        self.word |= u64::from(byte) << self.bits;
        self.bits += 8;
        if self.bits == 64 {
            self.mix();
        }
        Ok(())
    }

    fn finalize(mut self) -> postcard::Result<u64> {
        self.mix();
        Ok(self.state)
    }
}
