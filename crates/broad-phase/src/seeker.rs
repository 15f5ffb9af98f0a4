//! A box in whole steps that looks for what touches it: the cells around it are looked up by their
//! coordinates, and their boxes are compared with it as they lie.
//!
//! The box is turned into the steps of each cell, not the boxes of the cell into its own. Bounds
//! are whole steps, so what they are compared with may be rounded down, and all stays exact
//! between levels too.

use drystone_geometry::WorldAabb;
use drystone_geometry::glam::DVec3;
use fearless_simd::i16x8;
use fearless_simd::prelude::*;

use crate::grid::{Grid, Reach, Span};
use crate::groups::Frame;
use crate::item::{Item, Limit};
use crate::placement::{STEPS, power_of_two};
use crate::run_pool::Run;
use crate::tolerance::{REACH_BITS, STEP_BITS};

/// Boxes to a block.
pub(crate) const LANES: usize = 8;

/// Which boxes of a block of a run touch the box of `limit`: the highest bit of byte k for the one
/// at k.
#[inline(always)]
pub(crate) fn touching<S: Simd>(
    simd: S,
    grid: &Grid,
    run: &Run,
    block: usize,
    limit: i16x8<S>,
) -> u64 {
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
pub(crate) const NEXT: [Limit; 3] = {
    let step = STEPS as i16;
    [
        [-step, 0, 0, step, 0, 0, 0, 0],
        [0, -step, 0, 0, step, 0, 0, 0],
        [0, 0, -step, 0, 0, step, 0, 0],
    ]
};

/// A box in steps of its level from the origin.
pub(crate) struct Seeker {
    pub(crate) level: i8,
    min: [i64; 3],
    max: [i64; 3],
}

impl Seeker {
    /// The box of `item`, which is measured in `frame`.
    #[inline(always)]
    pub(crate) fn new(frame: &Frame, item: &Item) -> Self {
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

    /// What touches `region`, in the world, in metres, of the boxes of a level. NaN is none of its
    /// bounds.
    pub(crate) fn of_region(region: &WorldAabb, level: i8) -> Self {
        // Exact, for steps are powers of two. No cell lies farther out.
        let per_step = power_of_two(STEP_BITS - i32::from(level));
        let most = DVec3::splat(power_of_two(REACH_BITS + STEP_BITS));
        let steps = |at: DVec3| at.clamp(-most, most).to_array().map(|at| at as i64);
        Self {
            level,
            min: steps((region.min * per_step).ceil()),
            max: steps((region.max * per_step).floor()),
        }
    }

    /// In the world, in metres; exact.
    pub(crate) fn region(&self) -> WorldAabb {
        let step = power_of_two(i32::from(self.level) - STEP_BITS);
        let corner = |at: [i64; 3]| DVec3::from_array(at.map(|at| at as f64)) * step;
        WorldAabb {
            min: corner(self.min),
            max: corner(self.max),
        }
    }

    /// The cells of its own level or a coarser one whose boxes may touch it, given how far they reach.
    #[inline(always)]
    pub(crate) fn cells(&self, level: i8, reach: &Reach) -> Span {
        let up = (i32::from(level) - i32::from(self.level)).min(63);
        let mut cells = Span {
            first: [0; 3],
            last: [0; 3],
        };
        for axis in 0..3 {
            // The first one whose boxes end behind its beginning, the last one whose boxes begin
            // before its end. Rounded down, the beginning is no later than it is.
            let behind = (self.min[axis] >> up) + i64::from(reach[axis + 3]);
            let before = (self.max[axis] >> up) - i64::from(reach[axis]);
            cells.first[axis] = ((behind + i64::from(STEPS - 1)) >> STEP_BITS) as i32;
            cells.last[axis] = (before >> STEP_BITS) as i32;
        }
        cells
    }

    /// What the boxes of the cell `coord` of a level are compared with.
    #[inline(always)]
    pub(crate) fn limit(&self, level: i8, coord: [i32; 3]) -> Limit {
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
