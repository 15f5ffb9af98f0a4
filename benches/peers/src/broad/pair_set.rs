//! The pairs a peer's tree has reported so far, kept as their own engines do: a hash set of
//! those known, and the partners of each box to find those that end.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};

/// What a frame did to a pair set.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    /// Pairs that began.
    pub(super) began: usize,
    /// Pairs that ended.
    pub(super) ended: usize,
    /// Pairs there are now.
    pub(super) known: usize,
}

/// Which pairs are known.
#[derive(Debug)]
pub(super) struct PairSet {
    known: HashSet<u64, BuildHasherDefault<Mix>>,
    partners: Vec<Vec<u32>>,
    counts: Counts,
}

/// Multiplies by an odd constant and folds: quick, and good enough for pairs of ids.
#[derive(Debug, Default)]
struct Mix(u64);

impl Hasher for Mix {
    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 32)
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0 ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

impl PairSet {
    pub(super) fn new(count: usize) -> Self {
        Self {
            known: HashSet::default(),
            partners: vec![Vec::new(); count],
            counts: Counts::default(),
        }
    }

    fn key(a: u32, b: u32) -> u64 {
        u64::from(a.min(b)) << 32 | u64::from(a.max(b))
    }

    /// An overlap was found.
    pub(super) fn meet(&mut self, a: u32, b: u32) {
        if self.known.insert(Self::key(a, b)) {
            self.partners[a as usize].push(b);
            self.partners[b as usize].push(a);
            self.counts.began += 1;
        }
    }

    /// Ends the pairs of `moved` that overlap no more.
    pub(super) fn part(&mut self, moved: &[u32], overlap: impl Fn(u32, u32) -> bool) {
        for &id in moved {
            let mut k = 0;
            while let Some(&other) = self.partners[id as usize].get(k) {
                if overlap(id, other) {
                    k += 1;
                    continue;
                }
                self.partners[id as usize].swap_remove(k);
                self.partners[other as usize].retain(|partner| *partner != id);
                self.known.remove(&Self::key(id, other));
                self.counts.ended += 1;
            }
        }
    }

    /// What happened since the last call.
    pub(super) fn take_counts(&mut self) -> Counts {
        let known = self.known.len();
        Counts {
            known,
            ..std::mem::take(&mut self.counts)
        }
    }
}

/// The number of pairs of boxes that touch, by one sweep along x: what every engine must know
/// of its own fat boxes, each given by its smallest and its largest corner.
pub(super) fn touching(mut boxes: Vec<[[f64; 3]; 2]>) -> usize {
    boxes.sort_unstable_by(|one, other| one[0][0].total_cmp(&other[0][0]));
    let pairs = boxes.iter().enumerate().map(|(k, [low, high])| {
        let reached = boxes[k + 1..].iter().take_while(|b| b[0][0] <= high[0]);
        let beside =
            |axis: usize, b: &[[f64; 3]; 2]| b[0][axis] <= high[axis] && low[axis] <= b[1][axis];
        reached.filter(|b| beside(1, b) && beside(2, b)).count()
    });
    pairs.sum()
}
