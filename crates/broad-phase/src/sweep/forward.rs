//! Each pair of candidates that touch, once: every candidate against those behind it.

use fearless_simd::i16x16;
use fearless_simd::prelude::*;

use super::{Bins, Block, LANES, Sweep, filled};
use crate::item::Bounds;

/// Some candidates that touch the one at a place.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Hits {
    pub(crate) place: u32,
    /// Place of the first of a block.
    pub(crate) first: u32,
    /// Which of the block, one bit each.
    pub(crate) bits: u64,
}

/// A list of hits that are written to it before it is known whether there are any.
#[derive(Debug, Default)]
pub(crate) struct HitList {
    hits: Vec<Hits>,
    count: usize,
}

impl HitList {
    /// Those that are some.
    pub(crate) fn all(&self) -> &[Hits] {
        &self.hits[..self.count]
    }
}

impl Bins {
    /// The first bin along `axis` in which boxes begin that may touch a box of the bins.
    #[inline(always)]
    fn low(&self, axis: usize, bounds: &Bounds) -> usize {
        let low = i32::from(bounds[axis]) - self.extent[axis] - self.first[axis];
        (low.max(0) >> self.shifts[axis]) as usize
    }

    /// The bin after the last one in which boxes begin that may touch a box of the bins.
    #[inline(always)]
    fn high(&self, axis: usize, bounds: &Bounds) -> usize {
        let high = (-i32::from(bounds[axis + 3])).min(self.last[axis]) - self.first[axis];
        (high >> self.shifts[axis]) as usize + 1
    }

    /// Where the next column along `axis` begins; beyond everything for the last one.
    fn end_of_column(&self, axis: usize, at: usize) -> i32 {
        if at + 1 == self.counts[axis] {
            return i32::MAX;
        }
        self.first[axis] + ((at as i32 + 1) << self.shifts[axis])
    }

    /// The number of bins before a column.
    #[inline(always)]
    fn column(&self, y: usize, z: usize) -> usize {
        (z * self.counts[1] + y) * self.counts[0]
    }
}

impl Sweep {
    /// Finds any two boxes that touch, each two once, the first one not a wide one.
    #[inline(always)]
    pub(crate) fn find_pairs<S: Simd>(&self, simd: S, found: &mut HitList) {
        found.count = 0;
        if self.narrow == 0 {
            return;
        }
        let counts = self.bins.counts;
        for z in 0..counts[2] {
            for y in 0..counts[1] {
                let column = self.bins.column(y, z);
                let (start, end) = (self.starts[column], self.starts[column + counts[0]]);
                self.find_behind(simd, (start, end), (y, z), found);
            }
        }
    }

    /// Finds what touches the boxes from `start` to `end`, those of the column at `y` and `z`,
    /// and lies behind them.
    #[inline(always)]
    fn find_behind<S: Simd>(
        &self,
        simd: S,
        (start, end): (u32, u32),
        (y, z): (usize, usize),
        found: &mut HitList,
    ) {
        let (bins, starts, blocks) = (&self.bins, &*self.starts, &*self.blocks);
        let (own, all) = (bins.column(y, z), self.sorted.len() as u32);
        let (y_end, z_end) = (bins.end_of_column(1, y), bins.end_of_column(2, z));
        for (place, item) in (start..).zip(&self.sorted[start as usize..end as usize]) {
            // No more than this is found for one.
            let room = found.count + blocks.len();
            if found.hits.len() < room {
                found.hits.resize(2 * room, Hits::default());
            }
            let bounds = item.bounds();
            let filled = filled(simd, &bounds);
            let mut tested = Tested {
                place,
                next: place + 1,
                hits: &mut found.hits[found.count..room],
                count: 0,
            };
            let x_high = bins.high(0, &bounds);
            tested.test(simd, blocks, (place, starts[own + x_high]), &filled);
            if -i32::from(bounds[4]) >= y_end || -i32::from(bounds[5]) >= z_end {
                let (y_high, z_high) = (bins.high(1, &bounds), bins.high(2, &bounds));
                let (x_low, y_low) = (bins.low(0, &bounds), bins.low(1, &bounds));
                let (mut at_y, mut at_z) = (y + 1, z);
                loop {
                    if at_y >= y_high {
                        (at_y, at_z) = (y_low, at_z + 1);
                        if at_z >= z_high {
                            break;
                        }
                    }
                    let column = bins.column(at_y, at_z);
                    let range = (starts[column + x_low], starts[column + x_high]);
                    tested.test(simd, blocks, range, &filled);
                    at_y += 1;
                }
            }
            if self.narrow < all {
                tested.test(simd, blocks, (self.narrow, all), &filled);
            }
            found.count += tested.count;
        }
    }
}

/// What one box was tested with.
struct Tested<'a> {
    /// The place of the box.
    place: u32,
    /// The first place that was not tested.
    next: u32,
    hits: &'a mut [Hits],
    count: usize,
}

impl Tested<'_> {
    /// Tests the candidates of a range that were not tested. Calls go through the candidates
    /// in order, so a block with boxes of two calls is tested once.
    #[inline(always)]
    fn test<S: Simd>(
        &mut self,
        simd: S,
        blocks: &[Block],
        (start, end): (u32, u32),
        filled: &[i16x16<S>; 6],
    ) {
        let start = start.max(self.next);
        if start >= end {
            return;
        }
        let (first, last) = (start as usize / LANES, (end as usize).div_ceil(LANES));
        // What lies before the start in its block was done.
        let mut mask = u64::MAX << (start as usize % LANES);
        for (index, block) in (first..).zip(&blocks[first..last]) {
            let bits = block.touching(simd, filled) & mask;
            self.hits[self.count] = Hits {
                place: self.place,
                first: (index * LANES) as u32,
                bits,
            };
            self.count += usize::from(bits != 0);
            mask = u64::MAX;
        }
        self.next = (last * LANES) as u32;
    }
}
