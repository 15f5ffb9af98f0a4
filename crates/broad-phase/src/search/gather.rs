//! What lies around some boxes: the boxes of a grid that touch a region.
//!
//! Few cells of the boxes' own level and of each coarser one may hold such boxes, and these are
//! looked up by their coordinates. Finer boxes are reached through them.

use drystone_geometry::WorldAabb;
use drystone_geometry::glam::DVec3;
use fearless_simd::{Level, dispatch};

use super::Scratch;
use crate::dense::Tile;
use crate::grid::{Cell, Grid, OVERHANG, Span};
use crate::groups::{Frame, shift_to};
use crate::item::{Bounds, Item, Limit, limit};
use crate::placement::{STEPS, power_of_two};
use crate::tolerance::{MOST_LOOKUPS, STEP_BITS};

impl Scratch {
    /// Adds the boxes of `grid` that touch `around` to the candidates.
    pub(super) fn gather_around(&mut self, grid: &Grid, frame: &Frame, around: &Bounds) {
        if grid.is_empty() {
            return;
        }
        self.queue.clear();
        let own = cells_of_frame(frame, around).within(grid.span(frame.level));
        if own.count() > i64::from(MOST_LOOKUPS) {
            // Most of them may not exist, and the trees tell that of many at once.
            self.queue.extend(grid.roots());
            self.gather(grid, frame, around, None);
            return;
        }
        for level in grid.levels_from(frame.level + 1) {
            let coarser = cells_of_level(level, &region_of(frame, around));
            for coord in coarser.within(grid.span(level)).cells() {
                if let Some(cell) = grid.find(level, coord) {
                    self.keep(grid, frame, grid.cell(cell), &limit(around));
                }
            }
        }
        for coord in own.cells() {
            self.queue.extend(grid.find(frame.level, coord));
        }
        let finer = |&root: &u32| grid.cell(root).level < frame.level;
        self.queue.extend(grid.roots().filter(finer));
        self.gather(grid, frame, around, None);
    }

    /// Adds the boxes of a cell that touch the box of `limit` to the candidates.
    fn keep(&mut self, grid: &Grid, frame: &Frame, cell: &Cell, limit: &Limit) {
        let items = grid.items(cell);
        if cell.level == frame.level {
            let shift = shift_to(frame, cell);
            dispatch!(Level::baseline(), simd => {
                let shifted = items.iter().map(|item| item.shifted(simd, &shift));
                self.candidates.push_touching(simd, shifted, limit);
            });
        } else {
            let (scale, offset) = conversion(cell, frame);
            let converted = items.iter().map(|item| converted(item, scale, offset));
            let kept = if cell.level > frame.level {
                &mut self.wide
            } else {
                &mut self.candidates
            };
            dispatch!(Level::baseline(), simd => kept.push_touching(simd, converted, limit));
        }
    }

    /// Adds the boxes of `grid` that touch `around` and lie in the cells of the queue or below
    /// them to the candidates, but for those of the frame's level in the cells of `but`.
    pub(super) fn gather(
        &mut self,
        grid: &Grid,
        frame: &Frame,
        around: &Bounds,
        but: Option<&Tile>,
    ) {
        let (region, limit) = (region_of(frame, around), limit(around));
        // Breadth first: the next cells to read are known early, so the processor fetches
        // them while it works on this one.
        // Where bricks hold nothing else, there is no need to look into them.
        let closed = but.filter(|tile| tile.is_alone_in_bricks());
        let mut next = 0;
        while let Some(&index) = self.queue.get(next) {
            next += 1;
            let cell = grid.cell(index);
            let items = grid.items(cell);
            let is_left_out =
                cell.level == frame.level && but.is_some_and(|tile| tile.has(cell.coord));
            // Roots, which were not compared with the region, never hold items.
            if !items.is_empty() && !is_left_out {
                self.keep(grid, frame, cell, &limit);
            }
            if cell.level == frame.level + 2
                && closed.is_some_and(|tile| tile.has_brick(cell.coord))
            {
                continue;
            }
            if cell.child_mask() == 0 {
                continue;
            }
            let mut children = grid.children_touching(cell, &region);
            while children != 0 {
                self.queue
                    .push(grid.child(cell, children.trailing_zeros() as usize));
                children &= children - 1;
            }
        }
    }
}

/// A box in a frame in the world, in metres; exact.
fn region_of(frame: &Frame, bounds: &Bounds) -> WorldAabb {
    let step = power_of_two(i32::from(frame.level) - STEP_BITS);
    let [a, b, c, d, e, f] = bounds.map(|bound| f64::from(bound) * step);
    WorldAabb {
        min: frame.origin + DVec3::new(a, b, c),
        max: frame.origin - DVec3::new(d, e, f),
    }
}

/// The cells of the frame's level whose boxes may touch a box.
fn cells_of_frame(frame: &Frame, around: &Bounds) -> Span {
    let overhang = (OVERHANG * f64::from(STEPS)) as i32;
    let first = |axis: usize| (i32::from(around[axis]) - overhang - 1) >> STEP_BITS;
    let last = |axis: usize| (overhang - i32::from(around[axis + 3])) >> STEP_BITS;
    let [x, y, z] = frame.coord;
    Span {
        first: [x + first(0), y + first(1), z + first(2)],
        last: [x + last(0), y + last(1), z + last(2)],
    }
}

/// The cells of a level whose boxes may touch a region.
fn cells_of_level(level: i8, region: &WorldAabb) -> Span {
    let per_metre = power_of_two(-i32::from(level));
    let first = (region.min * per_metre - (1.0 + OVERHANG)).ceil();
    let last = (region.max * per_metre + OVERHANG).floor();
    let [first, last] = [first, last].map(|cell| cell.as_ivec3().to_array());
    Span { first, last }
}

/// Steps of the frame to a step of `cell`, and the cell's corner in the frame.
fn conversion(cell: &Cell, frame: &Frame) -> (f64, DVec3) {
    let scale = power_of_two(i32::from(cell.level) - i32::from(frame.level));
    let per_step = f64::from(STEPS) * power_of_two(-i32::from(frame.level));
    (scale, (cell.origin() - frame.origin) * per_step)
}

/// A box of a cell of another level in the frame: the steps that lie inside the box, so that
/// comparing them with a box of whole steps is exact. The products and sums are exact
/// wherever the result is not clamped.
fn converted(item: &Item, scale: f64, offset: DVec3) -> Item {
    let mut bounds = item.bounds();
    for axis in 0..3 {
        let low = f64::from(bounds[axis]) * scale + offset[axis];
        let high_negated = f64::from(bounds[axis + 3]) * scale - offset[axis];
        bounds[axis] = ceil(low);
        bounds[axis + 3] = ceil(high_negated);
    }
    Item::new(bounds, item.id())
}

/// The smallest integer from `value` up, clamped. Without SSE4.1 `f64::ceil` is a call.
fn ceil(value: f64) -> i16 {
    // Conversion to an integer type clamps and cuts off what is behind the point.
    let whole = value as i32;
    let up = whole.saturating_add(i32::from(f64::from(whole) < value));
    // Symmetric, so that it can be negated.
    up.clamp(-i32::from(i16::MAX), i32::from(i16::MAX)) as i16
}
