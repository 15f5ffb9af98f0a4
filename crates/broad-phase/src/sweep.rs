//! Box against many boxes: candidates in lanes of eight, and a sweep along one axis when
//! there are many.
//!
//! All bounds are 16-bit steps in the frame of one brick of cells, and exact.

use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch, i16x8};

use crate::item::{Bounds, Item, Limit, limit};
use crate::tolerance::{SWEEP_BIN_BITS, SWEEP_MEMBERS, SWEEP_MIN};

/// Boxes to a block.
const LANES: usize = 8;

/// Eight boxes, one to a lane.
#[derive(Clone, Copy, Debug)]
struct Block {
    bounds: [[i16; LANES]; 6],
    ids: [u32; LANES],
}

impl Block {
    #[inline(always)]
    fn of<S: Simd>(simd: S, items: &[Item; LANES]) -> Self {
        let columns = Item::columns(simd, items);
        let mut block = Self {
            bounds: [[0; LANES]; 6],
            ids: [0; LANES],
        };
        for (bounds, column) in block.bounds.iter_mut().zip(columns) {
            *bounds = *column;
        }
        for (id, item) in block.ids.iter_mut().zip(items) {
            *id = item.id();
        }
        block
    }

    /// Which boxes touch the one `limit` was made from: one bit each.
    #[inline(always)]
    fn touching<S: Simd>(&self, simd: S, limit: &[i16x8<S>; 6]) -> u32 {
        let over = |k: usize| i16x8::simd_from(simd, self.bounds[k]).simd_gt(limit[k]);
        let x = over(0) | over(3);
        let y = over(1) | over(4);
        let z = over(2) | over(5);
        !(x | y | z).to_bitmask() as u32 & 0xff
    }

    #[inline(always)]
    fn push_touching<S: Simd>(&self, simd: S, limit: &[i16x8<S>; 6], found: &mut Vec<u32>) {
        let mut touching = self.touching(simd, limit);
        while touching != 0 {
            found.push(self.ids[touching.trailing_zeros() as usize]);
            touching &= touching - 1;
        }
    }
}

/// Candidates of one group, ready to be searched; its buffers are kept between groups.
#[derive(Debug, Default)]
pub(crate) struct Sweep {
    blocks: Vec<Block>,
    /// Smallest bounds of each block along the sweep axis, as in an item; empty when all blocks are tested.
    spans: Vec<(i16, i16)>,
    axis: usize,
    /// Candidates along the axis, bin by bin.
    sorted: Vec<Item>,
}

impl Sweep {
    /// Loads candidates, in any order, to be searched for `members` boxes.
    pub(crate) fn load(&mut self, candidates: &[Item], members: usize) {
        self.spans.clear();
        self.blocks.clear();
        if candidates.len() <= SWEEP_MIN || members < SWEEP_MEMBERS {
            push_blocks(&mut self.blocks, candidates);
            return;
        }
        self.axis = widest_axis(candidates);
        sort_into_bins(candidates, self.axis, &mut self.sorted);
        push_blocks(&mut self.blocks, &self.sorted);
        let least = |lanes: [i16; LANES]| lanes.into_iter().min().unwrap_or(i16::MAX);
        let spans = self.blocks.iter().map(|block| {
            let bounds = &block.bounds;
            (least(bounds[self.axis]), least(bounds[self.axis + 3]))
        });
        self.spans.extend(spans);
        // Bins are in order, what is in them is not: let no later block begin before one.
        let mut lowest = i16::MAX;
        for (low, _) in self.spans.iter_mut().rev() {
            lowest = lowest.min(*low);
            *low = lowest;
        }
    }

    /// Puts the ids of the candidates that touch `bounds` in `found`, sorted.
    pub(crate) fn find(&self, bounds: &Bounds, found: &mut Vec<u32>) {
        found.clear();
        dispatch!(Level::baseline(), simd => self.find_in(simd, &limit(bounds), found));
        found.sort_unstable();
    }

    #[inline(always)]
    fn find_in<S: Simd>(&self, simd: S, limit: &Limit, found: &mut Vec<u32>) {
        let limits: [_; 6] = std::array::from_fn(|k| i16x8::splat(simd, limit[k]));
        if self.spans.is_empty() {
            for block in &self.blocks {
                block.push_touching(simd, &limits, found);
            }
            return;
        }
        let (low_limit, high_limit) = (limit[self.axis], limit[self.axis + 3]);
        for (block, &(low, high)) in self.blocks.iter().zip(&self.spans) {
            if low > low_limit {
                break;
            }
            if high <= high_limit {
                block.push_touching(simd, &limits, found);
            }
        }
    }
}

fn push_blocks(blocks: &mut Vec<Block>, candidates: &[Item]) {
    dispatch!(Level::baseline(), simd => push_blocks_in(simd, blocks, candidates));
}

#[inline(always)]
fn push_blocks_in<S: Simd>(simd: S, blocks: &mut Vec<Block>, candidates: &[Item]) {
    let (whole, rest) = candidates.as_chunks::<LANES>();
    blocks.reserve(whole.len() + 1);
    for items in whole {
        blocks.push(Block::of(simd, items));
    }
    if !rest.is_empty() {
        let mut items = [Item::NOWHERE; LANES];
        items[..rest.len()].copy_from_slice(rest);
        blocks.push(Block::of(simd, &items));
    }
}

/// Sorts candidates into bins of equal width by their smallest bound along `axis`.
fn sort_into_bins(candidates: &[Item], axis: usize, sorted: &mut Vec<Item>) {
    let low = |item: &Item| i32::from(item.bounds()[axis]);
    let (first, last) = candidates
        .iter()
        .map(low)
        .fold((i32::MAX, i32::MIN), |(first, last), low| {
            (first.min(low), last.max(low))
        });
    let bits = i32::BITS - (last - first).leading_zeros();
    let shift = bits.saturating_sub(SWEEP_BIN_BITS);
    let bin = |item: &Item| ((low(item) - first) >> shift) as usize;
    let mut ends = [0; 1 << SWEEP_BIN_BITS];
    for item in candidates {
        ends[bin(item)] += 1;
    }
    let mut total = 0;
    for end in &mut ends {
        total += std::mem::replace(end, total);
    }
    sorted.clear();
    sorted.resize(candidates.len(), Item::default());
    for item in candidates {
        let end = &mut ends[bin(item)];
        sorted[*end] = *item;
        *end += 1;
    }
}

/// The axis along which the smallest corners are spread most.
fn widest_axis(candidates: &[Item]) -> usize {
    let mut sums = [(0_i64, 0_i64); 3];
    for candidate in candidates {
        for (axis, (sum, square)) in sums.iter_mut().enumerate() {
            let at = i64::from(candidate.bounds()[axis]);
            *sum += at;
            *square += at * at;
        }
    }
    let count = candidates.len() as i64;
    let spread = sums.map(|(sum, square)| square - sum * sum / count);
    (0..3).max_by_key(|&axis| spread[axis]).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A lattice of small boxes whose bounds coincide again and again, too few for a sweep
    /// and enough for one: found are exactly those that overlap or touch, tested one by one.
    #[test]
    fn a_sweep_finds_what_touches() {
        for count in [0_u32, 1, 8, 9, SWEEP_MIN as u32, SWEEP_MIN as u32 + 1, 700] {
            let bounds_of = |id: u32| {
                let (x, y, z) = ((id * 7 % 29) as i16, (id % 5) as i16, (id * 3 % 11) as i16);
                [x, y, z, -x - 2, -y - 1, -z - (id % 4) as i16]
            };
            let items: Vec<Item> = (0..count).map(|id| Item::new(bounds_of(id), id)).collect();
            let mut sweep = Sweep::default();
            sweep.load(&items, SWEEP_MEMBERS);
            let mut found = Vec::new();
            for id in 0..count.max(30) {
                let [a, b, c, d, e, f] = bounds_of(id);
                sweep.find(&bounds_of(id), &mut found);
                let touches = |other: &u32| {
                    let [g, h, i, j, k, l] = bounds_of(*other);
                    a <= -j && g <= -d && b <= -k && h <= -e && c <= -l && i <= -f
                };
                let expected: Vec<u32> = (0..count).filter(touches).collect();
                assert_eq!(found, expected, "{id} of {count}");
            }
        }
    }
}
