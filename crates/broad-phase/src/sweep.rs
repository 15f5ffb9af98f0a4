//! Boxes against many boxes: candidates sorted into bins, and tested in lanes.
//!
//! Bins are those of the smallest corners: columns along the first axis, a cell wide, each cut
//! into short pieces. Since no candidate is longer than the longest, those that may touch a box
//! begin in a few columns, and in each of these they follow each other in memory.
//!
//! All bounds are 16-bit steps in the frame of one brick of cells, and exact.

mod forward;

use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch, i16x8, i16x16};

use crate::item::{Bounds, Item};
use crate::tolerance::{
    BIN_BITS, BIN_BITS_MAX, BIN_BITS_MIN, COLUMN_BITS, SWEEP_MEMBERS, SWEEP_MIN,
};
pub(crate) use forward::HitList;

/// Boxes to a block.
const LANES: usize = 16;

/// Blocks whose answers fill a word of bits.
const WORD: usize = u64::BITS as usize / LANES;

/// Some boxes, one to a lane.
#[derive(Clone, Copy, Debug)]
struct Block {
    /// Negated, so that they are compared with what a box holds in itself.
    bounds: [[i16; LANES]; 6],
    ids: [u32; LANES],
}

impl Block {
    #[inline(always)]
    fn of<S: Simd>(simd: S, items: &[Item; LANES]) -> Self {
        let mut block = Self {
            bounds: [[0; LANES]; 6],
            ids: [0; LANES],
        };
        for (id, item) in block.ids.iter_mut().zip(items) {
            *id = item.id();
        }
        for (half, items) in items.as_chunks().0.iter().enumerate() {
            let columns = Item::columns(simd, items);
            for (bounds, column) in block.bounds.iter_mut().zip(columns) {
                bounds.as_chunks_mut().0[half] = *-column;
            }
        }
        block
    }

    /// Which boxes touch the one whose bounds fill lanes: one bit each.
    #[inline(always)]
    fn touching<S: Simd>(&self, simd: S, filled: &[i16x16<S>; 6]) -> u64 {
        let [a, b, c, d, e, f] = &self.bounds;
        // Each smallest bound with the largest of the other, whose signs differ.
        let x = filled[3].simd_gt(i16x16::simd_from(simd, *a))
            | filled[0].simd_gt(i16x16::simd_from(simd, *d));
        let y = filled[4].simd_gt(i16x16::simd_from(simd, *b))
            | filled[1].simd_gt(i16x16::simd_from(simd, *e));
        let z = filled[5].simd_gt(i16x16::simd_from(simd, *c))
            | filled[2].simd_gt(i16x16::simd_from(simd, *f));
        !(x | y | z).to_bitmask() & 0xffff
    }
}

/// Lanes filled with each bound of a box.
#[inline(always)]
fn filled<S: Simd>(simd: S, bounds: &Bounds) -> [i16x16<S>; 6] {
    let [a, b, c, d, e, f] = *bounds;
    [
        i16x16::splat(simd, a),
        i16x16::splat(simd, b),
        i16x16::splat(simd, c),
        i16x16::splat(simd, d),
        i16x16::splat(simd, e),
        i16x16::splat(simd, f),
    ]
}

/// Candidates of one group, ready to be searched; its buffers are kept between groups.
#[derive(Debug, Default)]
pub(crate) struct Sweep {
    /// Candidates bin by bin, then those too wide for bins.
    sorted: Vec<Item>,
    blocks: Vec<Block>,
    /// How many are not too wide.
    narrow: u32,
    bins: Bins,
    /// Where each bin begins, and where the last ends.
    starts: Vec<u32>,
    /// The place of each candidate, for which its bin is entered first.
    places: Vec<u32>,
}

/// How smallest corners map to bins.
#[derive(Clone, Copy, Debug, Default)]
struct Bins {
    first: [i32; 3],
    last: [i32; 3],
    /// Widths, as powers of two.
    shifts: [u32; 3],
    counts: [usize; 3],
    /// The longest edges of candidates.
    extent: [i32; 3],
}

impl Bins {
    /// Bins for candidates that are not wide.
    fn of(candidates: &[Item], members: usize) -> Self {
        if candidates.is_empty() {
            return Self::default();
        }
        let mut bins = dispatch!(Level::baseline(), simd => Self::around(simd, candidates));
        if candidates.len() <= SWEEP_MIN || members < SWEEP_MEMBERS {
            return bins;
        }
        bins.set_width(BIN_BITS);
        while bins.total() > 2 * candidates.len() && bins.shifts[0] < BIN_BITS_MAX {
            bins.set_width(bins.shifts[0] + 1);
        }
        while 4 * bins.total() < candidates.len() && bins.shifts[0] > BIN_BITS_MIN {
            bins.set_width(bins.shifts[0] - 1);
        }
        bins
    }

    /// A single bin for all candidates.
    #[inline(always)]
    fn around<S: Simd>(simd: S, candidates: &[Item]) -> Self {
        let mut first = i16x8::splat(simd, i16::MAX);
        let mut last = i16x8::splat(simd, i16::MIN);
        let mut shortest = i16x8::splat(simd, 0);
        for item in candidates {
            let lanes = item.lanes(simd);
            first = first.min(lanes);
            last = last.max(lanes);
            // A smallest bound and a largest one negated: the edge negated, which is far from
            // the ends of 16 bits.
            shortest = shortest.min(lanes + lanes.slide::<3>(lanes));
        }
        let three = |lanes: i16x8<S>| [0, 1, 2].map(|axis| i32::from(lanes[axis]));
        Self {
            first: three(first),
            last: three(last),
            shifts: [BIN_BITS_MAX; 3],
            counts: [1; 3],
            extent: three(shortest).map(|edge| -edge),
        }
    }

    fn set_width(&mut self, bits: u32) {
        let column = (bits + COLUMN_BITS - BIN_BITS).min(BIN_BITS_MAX);
        self.shifts = [bits, column, column];
        for axis in 0..3 {
            let range = self.last[axis] - self.first[axis];
            self.counts[axis] = (range >> self.shifts[axis]) as usize + 1;
        }
    }

    fn total(&self) -> usize {
        self.counts.iter().product()
    }

    #[inline(always)]
    fn key(&self, bounds: &Bounds) -> u32 {
        let place = |axis: usize| {
            ((i32::from(bounds[axis]) - self.first[axis]) >> self.shifts[axis]) as u32
        };
        (place(2) * self.counts[1] as u32 + place(1)) * self.counts[0] as u32 + place(0)
    }

    /// The bins along `axis` in which boxes begin that may touch the box of `bounds`: the
    /// first and the one after the last.
    #[inline(always)]
    fn range(&self, axis: usize, bounds: &Bounds) -> (usize, usize) {
        let low = i32::from(bounds[axis]) - self.extent[axis];
        let high = -i32::from(bounds[axis + 3]);
        let (first, last) = (self.first[axis], self.last[axis]);
        if high < first || low > last {
            return (0, 0);
        }
        let place = |at: i32| ((at - first) >> self.shifts[axis]) as usize;
        (place(low.max(first)), place(high.min(last)) + 1)
    }
}

impl Sweep {
    /// Loads candidates, in any order, to be searched for `members` boxes. Those of coarser
    /// levels than the members' are given apart, in `wide`.
    pub(crate) fn load(&mut self, candidates: &[Item], wide: &[Item], members: usize) {
        self.bins = Bins::of(candidates, members);
        self.sort(candidates);
        self.narrow = candidates.len() as u32;
        self.sorted.truncate(candidates.len());
        self.sorted.extend_from_slice(wide);
        let Self { blocks, sorted, .. } = self;
        blocks.clear();
        dispatch!(Level::baseline(), simd => push_blocks(simd, blocks, sorted));
    }

    /// Sorts candidates by their bins.
    fn sort(&mut self, candidates: &[Item]) {
        let bins = self.bins;
        self.starts.clear();
        self.starts.resize(bins.total() + 2, 0);
        self.places.clear();
        if bins.total() <= 1 {
            self.sorted.clear();
            self.sorted.extend_from_slice(candidates);
            self.places.extend(0..candidates.len() as u32);
            self.starts[1] = candidates.len() as u32;
            return;
        }
        // Counted two places up, so that in the end each bin's beginning is in its own place.
        let starts = &mut *self.starts;
        self.places.extend(candidates.iter().map(|item| {
            let key = bins.key(&item.bounds());
            starts[key as usize + 2] += 1;
            key
        }));
        let mut total = 0;
        for start in &mut *starts {
            total += *start;
            *start = total;
        }
        let room = self.sorted.len().max(candidates.len());
        self.sorted.resize(room, Item::default());
        let sorted = &mut *self.sorted;
        for (item, place) in candidates.iter().zip(&mut self.places) {
            let next = &mut starts[*place as usize + 1];
            *place = *next;
            *next += 1;
            sorted[*place as usize] = *item;
        }
    }

    /// The place of each candidate in the order of bins, behind which wide ones follow.
    pub(crate) fn places(&self) -> &[u32] {
        &self.places
    }

    /// The number of candidates and wide ones.
    pub(crate) fn len(&self) -> usize {
        self.sorted.len()
    }

    /// The proxy at a place in the order of bins.
    #[inline(always)]
    pub(crate) fn id(&self, place: usize) -> u32 {
        self.sorted[place].id()
    }

    /// Puts the ids of the candidates that touch the box of `item`, but for its own, in
    /// `found`, in any order.
    #[inline(always)]
    pub(crate) fn find<S: Simd>(&self, simd: S, item: &Item, found: &mut Vec<u32>) {
        found.clear();
        let (bounds, id, bins) = (item.bounds(), item.id(), &self.bins);
        let filled = filled(simd, &bounds);
        let (x, y, z) = (
            bins.range(0, &bounds),
            bins.range(1, &bounds),
            bins.range(2, &bounds),
        );
        let mut answers = Answers::default();
        for along_z in z.0..z.1 {
            for along_y in y.0..y.1 {
                let column = (along_z * bins.counts[1] + along_y) * bins.counts[0];
                let (start, end) = (self.starts[column + x.0], self.starts[column + x.1]);
                answers.test(simd, self, start, end, &filled, id, found);
            }
        }
        let end = self.sorted.len() as u32;
        answers.test(simd, self, self.narrow, end, &filled, id, found);
        answers.flush(&self.blocks, id, found);
    }
}

/// Which boxes of some blocks touch. They are told from each other all at once, since how many
/// there are in one block is not predictable.
#[derive(Default)]
struct Answers {
    bits: u64,
    blocks: [usize; WORD],
    count: usize,
    /// The first block that was not tested.
    next: usize,
}

impl Answers {
    /// Tests the candidates from `start` to `end`. Calls go through the candidates in order, so
    /// a block with boxes of two calls is tested once.
    #[inline(always)]
    #[expect(
        clippy::too_many_arguments,
        reason = "lanes are not passed through closures"
    )]
    fn test<S: Simd>(
        &mut self,
        simd: S,
        sweep: &Sweep,
        start: u32,
        end: u32,
        filled: &[i16x16<S>; 6],
        id: u32,
        found: &mut Vec<u32>,
    ) {
        let first = self.next.max(start as usize / LANES);
        let last = (end as usize).div_ceil(LANES);
        if start >= end || first >= last {
            return;
        }
        self.next = last;
        for (index, block) in (first..).zip(&sweep.blocks[first..last]) {
            if self.count == WORD {
                self.flush(&sweep.blocks, id, found);
            }
            self.blocks[self.count % WORD] = index;
            self.bits |= block.touching(simd, filled) << (self.count * LANES);
            self.count += 1;
        }
    }

    /// Adds the ids of those that touch, but for `id`.
    #[inline(always)]
    fn flush(&mut self, blocks: &[Block], id: u32, found: &mut Vec<u32>) {
        let mut bits = self.bits;
        while bits != 0 {
            let bit = bits.trailing_zeros() as usize;
            let other = blocks[self.blocks[bit / LANES]].ids[bit % LANES];
            bits &= bits - 1;
            if other != id {
                found.push(other);
            }
        }
        (self.bits, self.count) = (0, 0);
    }
}

#[inline(always)]
fn push_blocks<S: Simd>(simd: S, blocks: &mut Vec<Block>, items: &[Item]) {
    let (whole, rest) = items.as_chunks::<LANES>();
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
            let (narrow, wide) = items.split_at(items.len() / 2);
            sweep.load(narrow, wide, SWEEP_MEMBERS);
            let mut found = Vec::new();
            for id in 0..count.max(30) {
                let [a, b, c, d, e, f] = bounds_of(id);
                let item = Item::new(bounds_of(id), id);
                let touches = |other: &u32| {
                    let [g, h, i, j, k, l] = bounds_of(*other);
                    a <= -j && g <= -d && b <= -k && h <= -e && c <= -l && i <= -f
                };
                let expected: Vec<u32> = (0..count)
                    .filter(|other| *other != id && touches(other))
                    .collect();
                for level in [Level::baseline(), Level::new()] {
                    dispatch!(level, simd => sweep.find(simd, &item, &mut found));
                    found.sort_unstable();
                    assert_eq!(found, expected, "{id} of {count}");
                }
            }
        }
    }
}
