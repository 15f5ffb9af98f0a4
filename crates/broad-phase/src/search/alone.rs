//! What touches single boxes: the cells around each are looked up by their coordinates, and their
//! boxes are compared with it as they lie.
//!
//! For several boxes all comparisons come first, and what was met is looked at later: which boxes
//! touch cannot be guessed, and nothing waits for it.

use std::ops::Range;

use fearless_simd::i16x8;
use fearless_simd::prelude::*;

use super::Scene;
use crate::grid::{Cell, Grid, Span, WIDEST};
use crate::seeker::{LANES, NEXT, Seeker, touching};

/// Boxes of cells that touch some others.
#[derive(Debug, Default)]
pub(super) struct Meetings {
    /// Blocks with such boxes, and what is written behind them.
    met: Vec<Met>,
    count: usize,
    /// Room for cells.
    queue: Vec<u32>,
}

/// Some boxes of a cell that touch one.
#[derive(Clone, Copy, Debug, Default)]
struct Met {
    /// The highest bit of byte k tells of the box at k of the block.
    bits: u64,
    /// Where the block is among the boxes of its grid.
    first: u32,
    is_fixed: bool,
}

impl Meetings {
    pub(super) fn clear(&mut self) {
        self.count = 0;
    }

    /// The number of blocks.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Adds the boxes of one of the grids that touch the seeker.
    #[inline(always)]
    pub(super) fn find<S: Simd>(
        &mut self,
        simd: S,
        scene: &Scene<'_>,
        is_fixed: bool,
        seeker: &Seeker,
    ) {
        let grid = scene.grid_of(is_fixed);
        for level in grid.levels_from(seeker.level) {
            let Span { first, last } = grid.cells_around(seeker, level);
            let mut at_z = i16x8::simd_from(simd, seeker.limit(level, first));
            for z in first[2]..=last[2] {
                let mut at_y = at_z;
                for y in first[1]..=last[1] {
                    let mut limit = at_y;
                    for x in first[0]..=last[0] {
                        if let Some(index) = grid.find(level, [x, y, z]) {
                            self.compare(simd, grid, is_fixed, grid.cell(index), limit);
                        }
                        limit += i16x8::simd_from(simd, NEXT[0]);
                    }
                    at_y += i16x8::simd_from(simd, NEXT[1]);
                }
                at_z += i16x8::simd_from(simd, NEXT[2]);
            }
        }
        if scene.finer(seeker.level) > 0.0 {
            self.find_finer(simd, grid, is_fixed, seeker);
        }
    }

    /// Adds boxes of finer levels that touch the seeker.
    #[inline(never)]
    fn find_finer<S: Simd>(&mut self, simd: S, grid: &Grid, is_fixed: bool, seeker: &Seeker) {
        let region = seeker.region();
        let mut queue = std::mem::take(&mut self.queue);
        queue.clear();
        let own = seeker.cells(seeker.level, &WIDEST);
        let own = own.within(grid.span(seeker.level)).cells();
        queue.extend(own.filter_map(|coord| grid.find(seeker.level, coord)));
        let is_finer = |&root: &u32| grid.cell(root).level < seeker.level;
        queue.extend(grid.roots().filter(is_finer));
        // Breadth first: the next cells to read are known early.
        let mut next = 0;
        while let Some(&index) = queue.get(next) {
            next += 1;
            let cell = grid.cell(index);
            if cell.level < seeker.level {
                let limit = i16x8::simd_from(simd, seeker.limit(cell.level, cell.coord));
                self.compare(simd, grid, is_fixed, cell, limit);
            }
            let mut children = grid.children_touching(cell, &region);
            while children != 0 {
                queue.push(grid.child(cell, children.trailing_zeros() as usize));
                children &= children - 1;
            }
        }
        self.queue = queue;
    }

    /// Adds the boxes of a cell that touch the box of `limit`.
    #[inline(always)]
    fn compare<S: Simd>(
        &mut self,
        simd: S,
        grid: &Grid,
        is_fixed: bool,
        cell: &Cell,
        limit: i16x8<S>,
    ) {
        let run = cell.run();
        let blocks = run.len().div_ceil(LANES);
        if self.met.len() < self.count + blocks {
            self.grow(blocks);
        }
        for block in 0..blocks {
            let bits = touching(simd, grid, &run, block, limit);
            self.met[self.count] = Met {
                bits,
                first: run.first() + (LANES * block) as u32,
                is_fixed,
            };
            self.count += usize::from(bits != 0);
        }
    }

    #[cold]
    fn grow(&mut self, more: usize) {
        self.met.resize(2 * (self.count + more), Met::default());
    }

    /// Puts the ids of the boxes in some blocks in `found`, but for `id`.
    #[inline(always)]
    pub(super) fn take(
        &self,
        scene: &Scene<'_>,
        blocks: Range<usize>,
        id: u32,
        found: &mut Vec<u32>,
    ) {
        found.clear();
        for met in &self.met[blocks] {
            let items = scene.grid_of(met.is_fixed).items_from(met.first);
            let mut bits = met.bits;
            while bits != 0 {
                let other = items[(bits.trailing_zeros() / u8::BITS) as usize].id();
                bits &= bits - 1;
                if other != id {
                    found.push(other);
                }
            }
        }
    }
}
