//! What touches single boxes: the cells around each are looked up by their coordinates, and their
//! boxes are compared with it as they lie.
//!
//! The box is turned into the steps of each cell, not the boxes of the cell into its own. Bounds
//! are whole steps, so what they are compared with may be rounded down, and all stays exact
//! between levels too. For several boxes all comparisons come first, and what was met is looked
//! at later: which boxes touch cannot be guessed, and nothing waits for it.

use std::ops::Range;

use drystone_geometry::WorldAabb;
use drystone_geometry::glam::DVec3;
use fearless_simd::i16x8;
use fearless_simd::prelude::*;

use super::Scene;
use crate::grid::{Cell, Grid, OVERHANG};
use crate::groups::Frame;
use crate::item::{Item, Limit};
use crate::placement::{STEPS, power_of_two};
use crate::run_pool::Run;
use crate::tolerance::STEP_BITS;

/// How far boxes stick out of their cell at most, in steps.
const OVERHANG_STEPS: i64 = (OVERHANG * STEPS as f64) as i64;

/// Boxes to a block.
const LANES: usize = 8;

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
            let [first, last] = seeker.cells(level);
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
        let [first, last] = seeker.cells(seeker.level);
        for z in first[2]..=last[2] {
            for y in first[1]..=last[1] {
                let cells = (first[0]..=last[0]).map(|x| grid.find(seeker.level, [x, y, z]));
                queue.extend(cells.flatten());
            }
        }
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

/// Which boxes of a block of a run touch the box of `limit`: the highest bit of byte k for the one
/// at k.
#[inline(always)]
fn touching<S: Simd>(simd: S, grid: &Grid, run: &Run, block: usize, limit: i16x8<S>) -> u64 {
    let items = grid.items_from(run.first() + (LANES * block) as u32);
    let count = (run.len() - LANES * block).min(LANES);
    let mut apart = 0;
    if let Some(items) = items.first_chunk::<LANES>() {
        for (index, [one, next]) in items.as_chunks().0.iter().enumerate() {
            let one = one.lanes(simd).simd_gt(limit);
            let next = next.lanes(simd).simd_gt(limit);
            apart |= simd.combine_mask16x8(one, next).to_bitmask() << (16 * index);
        }
    } else {
        for (index, item) in items.iter().enumerate() {
            apart |= item.lanes(simd).simd_gt(limit).to_bitmask() << (8 * index);
        }
    }
    // Bytes without a bit; nothing is carried from one to the next.
    let low = 0x7f7f_7f7f_7f7f_7f7f;
    let touching = !(((apart & low) + low) | apart | low);
    touching & (u64::MAX >> (64 - 8 * count))
}

/// What changes of a limit from a cell to the next one along each axis.
const NEXT: [Limit; 3] = {
    let step = STEPS as i16;
    [
        [-step, 0, 0, step, 0, 0, 0, 0],
        [0, -step, 0, 0, step, 0, 0, 0],
        [0, 0, -step, 0, 0, step, 0, 0],
    ]
};

/// A box in steps of its level from the origin.
pub(super) struct Seeker {
    level: i8,
    min: [i64; 3],
    max: [i64; 3],
}

impl Seeker {
    /// The box of `item`, which is measured in `frame`.
    #[inline(always)]
    pub(super) fn new(frame: &Frame, item: &Item) -> Self {
        let bounds = item.bounds();
        let corner = |axis: usize| i64::from(frame.coord[axis]) << STEP_BITS;
        let min = |axis: usize| corner(axis) + i64::from(bounds[axis]);
        let max = |axis: usize| corner(axis) - i64::from(bounds[axis + 3]);
        Self {
            level: frame.level,
            min: [min(0), min(1), min(2)],
            max: [max(0), max(1), max(2)],
        }
    }

    /// In the world, in metres; exact.
    fn region(&self) -> WorldAabb {
        let step = power_of_two(i32::from(self.level) - STEP_BITS);
        let corner = |at: [i64; 3]| DVec3::from_array(at.map(|at| at as f64)) * step;
        WorldAabb {
            min: corner(self.min),
            max: corner(self.max),
        }
    }

    /// The cells of its own level or a coarser one whose boxes may touch it: the first along each
    /// axis, and the last.
    #[inline(always)]
    fn cells(&self, level: i8) -> [[i32; 3]; 2] {
        let up = (i32::from(level) - i32::from(self.level)).min(63);
        let cell = |at: i64, overhang: i64| (((at >> up) + overhang) >> STEP_BITS) as i32;
        [
            self.min.map(|at| cell(at, -OVERHANG_STEPS - 1)),
            self.max.map(|at| cell(at, OVERHANG_STEPS + 1)),
        ]
    }

    /// What the boxes of the cell `coord` of a level are compared with.
    #[inline(always)]
    fn limit(&self, level: i8, coord: [i32; 3]) -> Limit {
        let up = i32::from(level) - i32::from(self.level);
        let mut limit = [i16::MAX; 8];
        for axis in 0..3 {
            let corner = i64::from(coord[axis]) << STEP_BITS;
            // A bound of whole steps is at most something exactly if it is at most its floor.
            limit[axis] = clamped(rescaled(self.max[axis], up) - corner);
            limit[axis + 3] = clamped(rescaled(-self.min[axis], up) + corner);
        }
        limit
    }
}

/// Steps of one level in those of a level `up` above, rounded down, or farther than anything lies.
#[inline(always)]
fn rescaled(steps: i64, up: i32) -> i64 {
    if up >= 0 {
        return steps >> up.min(63);
    }
    let most = i64::MAX / 2;
    steps.saturating_mul(1 << (-up).min(62)).clamp(-most, most)
}

/// The nearest of 16 bits: no bound of a box in its cell is that large.
#[inline(always)]
fn clamped(steps: i64) -> i16 {
    steps.clamp(i64::from(i16::MIN), i64::from(i16::MAX)) as i16
}
