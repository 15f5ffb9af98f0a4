//! What holds all boxes of a grid: a layer of boxes over a plain fills its cells to a part only, and
//! casts that pass over it, or leave it, have nothing to look up there.

use drystone_geometry::WorldAabb;
use drystone_geometry::glam::DVec3;
use serde::{Deserialize, Serialize};

use super::Grid;
use crate::cast::{greater, lesser};
use crate::item::Item;
use crate::tolerance::LOOSE_MOVES;

/// What holds all boxes that came since it was made, in the world, in metres.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Extent {
    around: WorldAabb,
    /// Boxes that moved since.
    moved: usize,
}

impl Extent {
    /// Without a box.
    pub(super) const NONE: Self = Self {
        around: WorldAabb {
            min: DVec3::INFINITY,
            max: DVec3::NEG_INFINITY,
        },
        moved: 0,
    };

    /// Grows by a box.
    #[inline(always)]
    pub(super) fn add(&mut self, fat: &WorldAabb) {
        let WorldAabb { min, max } = &mut self.around;
        for axis in 0..3 {
            min[axis] = lesser(min[axis], fat.min[axis]);
            max[axis] = greater(max[axis], fat.max[axis]);
        }
    }
}

impl Grid {
    /// What holds all boxes, in the world, in metres, and may be too large.
    #[inline(always)]
    pub(crate) fn extent(&self) -> &WorldAabb {
        &self.extent.around
    }

    /// Grows the extent by the boxes of a cell, which has some.
    pub(super) fn extend_around(&mut self, cell: u32) {
        let cell = self.cell(cell);
        let around = Item::new(Item::around(self.items(cell)), 0);
        let around = cell.world_box(&around);
        self.extent.add(&around);
    }

    /// Makes the extent anew where many boxes have moved since it was made; `moved` more did.
    pub(crate) fn tighten(&mut self, moved: usize) {
        self.extent.moved += moved;
        if self.extent.moved <= LOOSE_MOVES * self.count {
            return;
        }
        self.extent = Extent::NONE;
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
    /// is that of the layer again when enough have moved.
    #[test]
    fn the_extent_follows_its_boxes() {
        let mut grid = Grid::default();
        let cube = |x: f64, y: f64| {
            let min = DVec3::new(x, y, 0.0);
            let max = min + 1.0;
            let placement = place(&WorldAabb { min, max }).expect("a box for a grid");
            (placement, placement.fat())
        };
        for id in 0..9 {
            let (placement, fat) = cube(3.0 * f64::from(id), 0.25);
            grid.insert(&placement, &fat, id);
        }
        let layer = *grid.extent();
        assert_eq!(layer, cube(0.0, 0.25).1.union(&cube(24.0, 0.25).1));
        let (mut cell, mut slot) = (NONE, 0);
        for y in [0.5, 90.0, 0.25] {
            let (placement, fat) = cube(27.0, y);
            if cell == NONE {
                (cell, slot) = grid.insert(&placement, &fat, 9);
            } else {
                (cell, slot, _) = grid.relocate(cell, slot, &placement, &fat, 9);
            }
            assert!(grid.extent().contains(&fat) && grid.extent().contains(&layer));
        }
        grid.tighten(LOOSE_MOVES * grid.count());
        assert_eq!(grid.extent().max.y, 91.0);
        grid.tighten(1);
        assert_eq!(*grid.extent(), layer.union(&cube(27.0, 0.25).1));
    }
}
