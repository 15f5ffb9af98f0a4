//! What holds all boxes of a level: a layer of boxes over a plain fills its cells to a part only, and
//! casts that pass over it, or leave it, have nothing to look up there. Boxes of one size stick out of
//! their cells by much less than boxes of their level may, so fewer cells are around anything.

use drystone_geometry::WorldAabb;
use drystone_geometry::glam::DVec3;
use serde::{Deserialize, Serialize};

use super::{Grid, OVERHANG};
use crate::cast::{greater, lesser};
use crate::item::{Bounds, Item};
use crate::placement::STEPS;
use crate::tolerance::{LEVEL_MAX, LEVEL_MIN, LOOSE_MOVES};

/// What holds boxes, each seen from the corner of its own cell, in steps; bounds as those of a box.
pub(crate) type Reach = Bounds;

/// What holds any box.
pub(crate) const WIDEST: Reach = {
    let overhang = (OVERHANG * STEPS as f64) as i16 + 1;
    let (low, high) = (-overhang, STEPS as i16 + overhang);
    [low, low, low, -high, -high, -high]
};

/// What holds all boxes of a level that came since it was made.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Extent {
    /// In the world, in metres.
    pub(crate) around: WorldAabb,
    /// Around their cells.
    pub(crate) reach: Reach,
}

/// Those of all levels, without boxes.
pub(super) fn no_extents() -> Vec<Extent> {
    let none = Extent {
        around: WorldAabb {
            min: DVec3::INFINITY,
            max: DVec3::NEG_INFINITY,
        },
        reach: [i16::MAX; 6],
    };
    vec![none; (LEVEL_MAX - LEVEL_MIN + 1) as usize]
}

impl Grid {
    /// What holds all boxes of a level, and may be too large.
    #[inline(always)]
    pub(crate) fn extent(&self, level: i8) -> &Extent {
        &self.extents[(i32::from(level) - LEVEL_MIN) as usize]
    }

    /// Grows the extent of a level by a box: in the world, and around its cell.
    #[inline(always)]
    pub(super) fn extend(&mut self, level: i8, fat: &WorldAabb, bounds: &Bounds) {
        let Extent { around, reach } = &mut self.extents[(i32::from(level) - LEVEL_MIN) as usize];
        for axis in 0..3 {
            around.min[axis] = lesser(around.min[axis], fat.min[axis]);
            around.max[axis] = greater(around.max[axis], fat.max[axis]);
        }
        for (reach, bound) in reach.iter_mut().zip(bounds) {
            *reach = (*reach).min(*bound);
        }
    }

    /// Grows the extent by the boxes of a cell, which has some.
    pub(super) fn extend_around(&mut self, cell: u32) {
        let cell = self.cell(cell);
        let (level, bounds) = (cell.level, Item::around(self.items(cell)));
        let around = cell.world_box(&Item::new(bounds, 0));
        self.extend(level, &around, &bounds);
    }

    /// Makes the extents anew where many boxes have moved since they were made; `moved` more did.
    pub(crate) fn tighten(&mut self, moved: usize) {
        self.moved += moved;
        if self.moved <= LOOSE_MOVES * self.count {
            return;
        }
        (self.extents, self.moved) = (no_extents(), 0);
        for index in 0..self.cells.len() as u32 {
            if !self.cell(index).run().is_empty() {
                self.extend_around(index);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::NONE;
    use crate::placement::place;

    /// A box flies up from a layer of others and comes back: the extent goes up with it at once, and
    /// is that of the layer again when enough have moved. The same for how far boxes reach out of
    /// their cells: those of the layer less than the one that flies, all as their bounds tell.
    #[test]
    fn the_extent_follows_its_boxes() {
        let mut grid = Grid::default();
        let cube = |x: f64, y: f64| {
            let min = DVec3::new(x, y, 0.0);
            let max = min + 1.0;
            let placement = place(&WorldAabb { min, max }).expect("a box for a grid");
            (placement, placement.fat())
        };
        let (first, level) = (cube(0.0, 0.25), cube(0.0, 0.25).0.level);
        let mut reach = first.0.bounds;
        for id in 0..9 {
            let (placement, fat) = cube(4.0 * f64::from(id), 0.25);
            grid.insert(&placement, &fat, id);
            reach = [0, 1, 2, 3, 4, 5].map(|k| reach[k].min(placement.bounds[k]));
        }
        let layer = *grid.extent(level);
        assert_eq!(layer.around, first.1.union(&cube(32.0, 0.25).1));
        assert_eq!(layer.reach, reach);
        let (mut cell, mut slot) = (NONE, 0);
        for y in [0.5, 91.5, 0.25] {
            let (placement, fat) = cube(36.0, y);
            if cell == NONE {
                (cell, slot) = grid.insert(&placement, &fat, 9);
            } else {
                (cell, slot, _) = grid.relocate(cell, slot, &placement, &fat, 9);
            }
            let Extent { around, reach } = grid.extent(level);
            assert!(around.contains(&fat) && around.contains(&layer.around));
            assert!((0..6).all(|k| reach[k] <= placement.bounds[k].min(layer.reach[k])));
        }
        assert_ne!(grid.extent(level).reach, layer.reach);
        grid.tighten(LOOSE_MOVES * grid.count());
        assert_eq!(grid.extent(level).around.max.y, 92.5);
        grid.tighten(1);
        let last = cube(36.0, 0.25);
        assert_eq!(grid.extent(level).around, layer.around.union(&last.1));
        assert_eq!(grid.extent(level).reach, layer.reach);
    }
}
