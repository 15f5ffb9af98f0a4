//! A box that moves in a straight line, or a ray, on its way through the trees of cells.
//!
//! It enters a cell at some fraction of its way. From there on it is followed in `f32` steps
//! of the cell, eight boxes at once, which tells the few that may be met from all others; what
//! is reported of those is found in `f64`. Cells come in the order in which the way passes
//! them, so a caller who wants the first hit soon needs no more.

use drystone_geometry::WorldAabb;
use drystone_geometry::glam::DVec3;
use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch, f32x8, i32x8};

use crate::grid::{Cell, Grid};
use crate::item::Item;
use crate::placement::power_of_two;
use crate::run_pool::Run;
use crate::tolerance::{LIMIT_SLACK, STEP_BITS, STILL, STILL_BITS};

/// Boxes to a block.
pub(crate) const LANES: usize = 8;

/// A box on its way, in the world, in metres.
#[derive(Clone, Copy)]
pub(crate) struct Cast {
    /// Its largest corner at the start: what it meets begins ahead of that.
    pub(crate) behind: DVec3,
    /// Its smallest corner at the start.
    pub(crate) ahead: DVec3,
    /// The whole way.
    pub(crate) translation: DVec3,
    /// Fractions of the way to a metre, by axis; finite.
    pub(crate) inverse: DVec3,
    /// Fraction of the way up to which to look.
    pub(crate) limit: f64,
}

/// A cast from where it enters a cell, in steps from the cell's corner.
#[derive(Clone, Copy)]
pub(crate) struct Coarse {
    pub(crate) behind: [f32; 3],
    pub(crate) ahead: [f32; 3],
    pub(crate) inverse: [f32; 3],
    /// The same with the other sign.
    pub(crate) negated: [f32; 3],
    pub(crate) limit: f32,
}

impl Cast {
    /// The way of a box around `origin` along `translation`, in the world, in metres, all
    /// finite.
    pub(crate) fn new(origin: DVec3, half: DVec3, translation: DVec3) -> Self {
        // Along an axis without motion everything is either around it all the way or far off.
        let most = DVec3::splat(power_of_two(STILL_BITS));
        Self {
            behind: origin + half,
            ahead: origin - half,
            translation,
            inverse: (1.0 / translation).clamp(-most, most),
            limit: 1.0,
        }
    }

    /// From where it enters `cell`, at the fraction `entry`. Grown by a step, which is what
    /// rounding to `f32` is far below: near the cell that is a thousandth of a step, and what
    /// is far from it is only told to be far.
    fn coarse(&self, cell: &Cell, entry: f64) -> Coarse {
        let level = i32::from(cell.level);
        let per_step = power_of_two(STEP_BITS - level);
        let moved = self.translation * entry - cell.origin();
        let still = DVec3::splat(STILL);
        let inverse = self.inverse * power_of_two(level - STEP_BITS);
        let inverse = inverse.clamp(-still, still).as_vec3();
        Coarse {
            behind: ((self.behind + moved) * per_step + 1.0)
                .as_vec3()
                .to_array(),
            ahead: ((self.ahead + moved) * per_step - 1.0).as_vec3().to_array(),
            inverse: inverse.to_array(),
            negated: (-inverse).to_array(),
            limit: self.limit_from(entry),
        }
    }

    /// What is left of its way from the fraction `entry` on, and what rounding takes away.
    #[inline(always)]
    pub(crate) fn limit_from(&self, entry: f64) -> f32 {
        ((self.limit - entry) * (1.0 + LIMIT_SLACK)) as f32
    }

    /// The fraction of the way at which the moving box meets `target`.
    #[inline]
    pub(crate) fn entry(&self, target: &WorldAabb) -> Option<f64> {
        self.inside(target).map(|[enter, _]| enter)
    }

    /// The fractions of the way from which on and up to which the moving box touches `target`, the
    /// latter no more than its limit. What is inside `target` is met no earlier and left no later,
    /// rounding included.
    #[inline]
    pub(crate) fn inside(&self, target: &WorldAabb) -> Option<[f64; 2]> {
        let one = (target.min - self.behind) * self.inverse;
        let other = (target.max - self.ahead) * self.inverse;
        let mut times = (0.0, self.limit);
        for axis in 0..3 {
            times.0 = greater(times.0, lesser(one[axis], other[axis]));
            times.1 = lesser(times.1, greater(one[axis], other[axis]));
        }
        (times.0 <= times.1).then_some([times.0, times.1])
    }

    /// Reports `target` if it is met.
    #[inline]
    pub(crate) fn meet(
        &mut self,
        target: &WorldAabb,
        id: u32,
        visit: &mut impl FnMut(u32, f64) -> f64,
    ) {
        if let Some(entry) = self.entry(target) {
            self.limit = self.limit.min(visit(id, entry));
        }
    }

    /// Which children of `cell` it meets, or what sticks out of them, one bit each, and at which fraction
    /// each: all at once, since which there are and which are met cannot be foreseen.
    #[inline]
    fn children_met(&self, cell: &Cell) -> (u8, [f64; 8]) {
        let (origin, half) = (cell.origin(), 0.5 * cell.edge());
        let overhang = cell.overhang_below();
        let mut enters = [0.0; 8];
        let mut leaves = [self.limit; 8];
        let mut sides = [([0.0; 3], [0.0; 3]); 2];
        for (side, (enter, leave)) in sides.iter_mut().enumerate() {
            let low = origin + (half * side as f64 - overhang);
            let high = origin + (half * (side + 1) as f64 + overhang);
            let one = ((low - self.behind) * self.inverse).to_array();
            let other = ((high - self.ahead) * self.inverse).to_array();
            for axis in 0..3 {
                enter[axis] = lesser(one[axis], other[axis]);
                leave[axis] = greater(one[axis], other[axis]);
            }
        }
        let mut met = 0;
        for child in 0..8 {
            for axis in 0..3 {
                let (enter, leave) = &sides[child >> axis & 1];
                enters[child] = greater(enters[child], enter[axis]);
                leaves[child] = lesser(leaves[child], leave[axis]);
            }
            met |= u8::from(enters[child] <= leaves[child]) << child;
        }
        (met & cell.child_mask(), enters)
    }
}

/// The lesser of two numbers, of which none is NaN: one instruction, other than `min`.
#[inline(always)]
pub(crate) fn lesser<T: PartialOrd>(a: T, b: T) -> T {
    if a < b { a } else { b }
}

/// The greater of two numbers, of which none is NaN.
#[inline(always)]
pub(crate) fn greater<T: PartialOrd>(a: T, b: T) -> T {
    if a > b { a } else { b }
}

impl Coarse {
    /// Which of the first `count` boxes, up to eight, of a cell at `corner` may be met, one bit
    /// each.
    #[inline(always)]
    pub(crate) fn met<S: Simd>(
        &self,
        simd: S,
        items: &[Item],
        count: usize,
        corner: [i32; 3],
    ) -> u32 {
        let met = match items.first_chunk() {
            Some(items) => self.met_of(simd, items, corner),
            None => {
                let mut padded = [Item::NOWHERE; LANES];
                padded[..items.len()].copy_from_slice(items);
                self.met_of(simd, &padded, corner)
            }
        };
        met & ((1 << count) - 1)
    }

    #[inline(always)]
    fn met_of<S: Simd>(&self, simd: S, items: &[Item; LANES], corner: [i32; 3]) -> u32 {
        let columns = Item::columns(simd, items);
        let mut near = f32x8::splat(simd, 0.0);
        let mut far = f32x8::splat(simd, self.limit);
        for axis in 0..3 {
            let (low, high) = (columns[axis].widen(), columns[axis + 3].widen());
            let corner = i32x8::splat(simd, corner[axis]);
            let low = f32x8::float_from(low.0.combine(low.1) + corner);
            let high = f32x8::float_from(high.0.combine(high.1) - corner);
            let inverse = self.inverse[axis];
            let one = (low - f32x8::splat(simd, self.behind[axis])) * f32x8::splat(simd, inverse);
            // Largest bounds are kept negated.
            let negated = f32x8::splat(simd, self.negated[axis]);
            let other = (high + f32x8::splat(simd, self.ahead[axis])) * negated;
            near = near.max(one.min(other));
            far = far.min(one.max(other));
        }
        near.simd_le(far).to_bitmask() as u32
    }
}

impl Grid {
    /// Calls `visit` with each box that `cast` meets, roughly in order.
    pub(crate) fn visit_cast(&self, cast: &mut Cast, visit: &mut impl FnMut(u32, f64) -> f64) {
        // As below: the octants in the order in which a ray of this direction passes them.
        let first = (0..3).map(|axis| usize::from(cast.inverse[axis] >= 0.0) << axis);
        let first: usize = first.sum();
        for root in (0..8).filter_map(|order| self.root(first ^ order)) {
            if let Some(entry) = cast.entry(&self.cell(root).reach()) {
                self.visit_cast_below(root, self.cell(root).run(), entry, cast, visit);
            }
        }
    }

    fn visit_cast_below(
        &self,
        index: u32,
        run: Run,
        entry: f64,
        cast: &mut Cast,
        visit: &mut impl FnMut(u32, f64) -> f64,
    ) {
        let cell = self.cell(index);
        if !run.is_empty() {
            self.meet_items(cell, run, entry, cast, visit);
        }
        if cell.child_mask() == 0 {
            return;
        }
        let (met, enters) = cast.children_met(cell);
        // The children in the order in which a ray of this direction passes them.
        let first = (0..3).map(|axis| usize::from(cast.inverse[axis] < 0.0) << axis);
        let first: usize = first.sum();
        // All are read before one is waited for.
        let mut met = mirrored(met, first);
        let mut below = [(0, 0.0, Run::EMPTY); 8];
        let mut count = 0;
        while met != 0 {
            let child = first ^ met.trailing_zeros() as usize;
            let index = self.child(cell, child);
            below[count] = (index, enters[child], self.cell(index).run());
            count += 1;
            met &= met - 1;
        }
        for &(index, enter, run) in &below[..count] {
            if enter <= cast.limit {
                self.visit_cast_below(index, run, enter, cast, visit);
            }
        }
    }

    /// Reports the boxes of a cell that `cast` meets, which enters the cell at `entry`.
    #[inline(always)]
    fn meet_items(
        &self,
        cell: &Cell,
        run: Run,
        entry: f64,
        cast: &mut Cast,
        visit: &mut impl FnMut(u32, f64) -> f64,
    ) {
        let coarse = cast.coarse(cell, entry);
        let (first, len) = (run.first(), run.len());
        for block in (0..len).step_by(LANES) {
            let items = self.items_from(first + block as u32);
            let count = (len - block).min(LANES);
            let mut met =
                dispatch!(Level::baseline(), simd => coarse.met(simd, items, count, [0; 3]));
            while met != 0 {
                let item = &items[met.trailing_zeros() as usize];
                cast.meet(&cell.world_box(item), item.id(), visit);
                met &= met - 1;
            }
        }
    }
}

/// Bits of children by their indices, put at these with the bits of `first` flipped.
#[inline]
fn mirrored(mut bits: u8, first: usize) -> u8 {
    for (axis, low) in [0x55, 0x33, 0x0f].into_iter().enumerate() {
        if first >> axis & 1 != 0 {
            let shift = 1 << axis;
            bits = (bits & low) << shift | bits >> shift & low;
        }
    }
    bits
}
