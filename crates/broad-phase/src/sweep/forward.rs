//! Each pair of candidates that touch, once: every candidate against those behind it.

use fearless_simd::i16x16;
use fearless_simd::prelude::*;

use super::{Bins, LANES, Sweep};
use crate::item::{Bounds, limit};

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
        let (bins, starts, blocks) = (self.bins, &*self.starts, &*self.blocks);
        let all = self.sorted.len() as u32;
        for (place, item) in (start..).zip(&self.sorted[start as usize..end as usize]) {
            // No more than this is found for one.
            let room = found.count + blocks.len();
            if found.hits.len() < room {
                found.hits.resize(2 * room, Hits::default());
            }
            let (hits, mut count) = (&mut found.hits[found.count..room], 0);
            let bounds = item.bounds();
            let [a, b, c, d, e, f, _, _] = limit(&bounds);
            let limit = [
                i16x16::splat(simd, a),
                i16x16::splat(simd, b),
                i16x16::splat(simd, c),
                i16x16::splat(simd, d),
                i16x16::splat(simd, e),
                i16x16::splat(simd, f),
            ];
            let x = (bins.low(0, &bounds), bins.high(0, &bounds));
            let (y_high, z_high) = (bins.high(1, &bounds), bins.high(2, &bounds));
            // Places before this one are done, or nothing to look for.
            let mut next = place + 1;
            let (mut at_y, mut at_z) = (y, z);
            loop {
                let is_wide = at_z >= z_high;
                let (start, end) = if is_wide {
                    (self.narrow, all)
                } else {
                    let column = bins.column(at_y, at_z);
                    (starts[column + x.0], starts[column + x.1])
                };
                let start = start.max(next);
                if start < end {
                    let (first, last) = (start as usize / LANES, (end as usize).div_ceil(LANES));
                    // What lies before the start in its block was done.
                    let mut mask = u64::MAX << (start as usize % LANES);
                    for (index, block) in (first..).zip(&blocks[first..last]) {
                        let bits = block.touching(simd, &limit) & mask;
                        let first = (index * LANES) as u32;
                        hits[count] = Hits { place, first, bits };
                        count += usize::from(bits != 0);
                        mask = u64::MAX;
                    }
                    next = (last * LANES) as u32;
                }
                if is_wide {
                    break;
                }
                at_y += 1;
                if at_y >= y_high {
                    at_z += 1;
                    at_y = bins.low(1, &bounds);
                }
            }
            found.count += count;
        }
    }
}
