//! The state hash: one number that differs when anything that decides the future differs.

use drystone_solver::ConstraintId;
use serde::{Serialize, Serializer};

use crate::World;
use crate::record::Place;
use crate::snapshot::{StoredContact, StoredMotion};
use crate::tolerance::{HASH_MULTIPLIER, HASH_SEED};
use crate::words::{Visit, visit};

impl World {
    /// A hash of poses, velocities, impulses, trackers, colours, islands and sleep timers:
    /// of what a snapshot stores, except what descriptions fix (shapes, materials, settings).
    ///
    /// Equal worlds stepped equally give equal hashes, for any thread count, instruction
    /// set and platform, and after any snapshot. Costs a pass over that state, about a tenth
    /// of a step of as many awake bodies.
    pub fn state_hash(&self) -> u64 {
        let mut hash = Hash::default();
        visit(&(self.time, self.step_count), &mut hash);
        for body in self.awake.iter().chain(&self.asleep) {
            visit(&StoredMotion::of(body), &mut hash);
        }
        for index in self.body_keys.indices() {
            let record = &self.bodies[index as usize];
            match &record.parked {
                Some(body) => visit(&StoredMotion::of(body), &mut hash),
                None if record.place == Place::Static => {
                    visit(&self.statics[index as usize], &mut hash);
                }
                None => {}
            }
        }
        for id in 0..self.contacts.links.len() {
            if self.contacts.states[id].live {
                visit(&StoredContact::of(self, id), &mut hash);
            }
        }
        for index in self.joint_keys.indices() {
            visit(&self.joints[index as usize], &mut hash);
        }
        for colour in self.graph.lists() {
            visit(&colour, &mut hash);
        }
        for island in 0..self.islands.slots() {
            let links = Links(&self.islands, island);
            let island = (self.islands.bodies(island), links);
            visit(&island, &mut hash);
        }
        hash.finish()
    }
}

/// The links of an island and how many it lost.
struct Links<'a>(&'a drystone_solver::Islands, u32);

impl Serialize for Links<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let numbers = self.0.links(self.1).map(|link| match link {
            ConstraintId::Contact(index) => u64::from(index),
            ConstraintId::Joint(index) => u64::from(!index) << 32,
        });
        serializer.collect_seq(numbers.chain([u64::from(self.0.lost_links(self.1))]))
    }
}

/// Mixes words of 64 bits; numbers of single precision share one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hash {
    state: u64,
    /// The first of two halves, in the low bits.
    half: u64,
    has_half: bool,
}

impl Default for Hash {
    fn default() -> Self {
        Self {
            state: HASH_SEED,
            half: 0,
            has_half: false,
        }
    }
}

impl Hash {
    /// Multiplication by an odd constant, then the high bits folded into the low ones.
    #[inline]
    pub(crate) fn mix(&mut self, word: u64) {
        let mixed = (self.state ^ word).wrapping_mul(HASH_MULTIPLIER);
        self.state = mixed ^ (mixed >> 32);
    }

    pub(crate) fn finish(mut self) -> u64 {
        self.mix(self.half);
        self.state
    }
}

impl Visit for Hash {
    #[inline]
    fn integer(&mut self, value: u64) {
        self.mix(value);
    }

    #[inline]
    fn single(&mut self, value: f32) {
        let bits = u64::from(value.to_bits());
        if self.has_half {
            self.mix(self.half | bits << 32);
            self.half = 0;
        } else {
            self.half = bits;
        }
        self.has_half = !self.has_half;
    }

    #[inline]
    fn double(&mut self, value: f64) {
        self.mix(value.to_bits());
    }
}
