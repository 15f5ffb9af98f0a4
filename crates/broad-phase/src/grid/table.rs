//! Where a cell with given coordinates is, found without a walk down a tree.

use serde::{Deserialize, Serialize};

use super::{Cell, Grid, NONE};

/// All cells of a grid by their coordinates, in a table with open addresses: a cell is at the
/// place its coordinates map to or behind it, without a gap between. The order in the table
/// tells on cost alone, never on a result.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Table {
    /// Cells, see [`Self::entry`], or `NONE`; none at all or a power of two of them, at most half
    /// of them in use.
    places: Vec<u32>,
    count: usize,
}

impl Table {
    /// The cell `coord` of `level` among `cells`.
    #[inline(always)]
    fn find(&self, cells: &[Cell], level: i8, coord: [i32; 3]) -> Option<u32> {
        let mixed = mixed(level, coord);
        let mut place = self.place(mixed);
        loop {
            let index = self.next_like(mixed, &mut place);
            if index == NONE {
                return None;
            }
            let cell = &cells[index as usize];
            if cell.is_at(level, coord) {
                return Some(index);
            }
            place = self.next(place);
        }
    }

    /// The first cell from `place` on that may be the one whose coordinates are mixed to `mixed`, and
    /// is it all but surely; or `NONE`. Others are told without a look at them, which would be
    /// waited for.
    #[inline(always)]
    fn next_like(&self, mixed: u32, place: &mut usize) -> u32 {
        // The table has gaps.
        while let Some(&entry) = self.places.get(*place).filter(|&&entry| entry != NONE) {
            let index = entry & self.index_mask();
            if entry == self.entry(mixed, index) {
                return index;
            }
            *place = self.next(*place);
        }
        NONE
    }

    /// The index of a cell and, in the bits that indices leave free, those of the mixed coordinates
    /// that do not tell the place.
    #[inline(always)]
    fn entry(&self, mixed: u32, index: u32) -> u32 {
        // So many low bits are above the index.
        index | mixed.wrapping_mul(self.places.len() as u32)
    }

    /// The bits of indices in entries. There are fewer cells than half of the places, so the highest
    /// one is never set, and no entry is `NONE`.
    #[inline(always)]
    fn index_mask(&self) -> u32 {
        (self.places.len() as u32).wrapping_sub(1)
    }

    /// Enters the cell at `index`, which has just been added to `cells` or made anew.
    pub(super) fn insert(&mut self, cells: &[Cell], index: u32) {
        self.count += 1;
        if 2 * self.count > self.places.len() {
            let old = std::mem::take(&mut self.places);
            self.places
                .resize((2 * self.count).next_power_of_two(), NONE);
            let mask = (old.len() as u32).wrapping_sub(1);
            for entry in old.into_iter().filter(|&entry| entry != NONE) {
                self.put(cells, entry & mask);
            }
        }
        debug_assert!(2 * index as usize <= self.places.len());
        self.put(cells, index);
    }

    /// Takes out the cell at `index`.
    pub(super) fn remove(&mut self, cells: &[Cell], index: u32) {
        self.count -= 1;
        let cell = &cells[index as usize];
        let mixed = mixed(cell.level, cell.coord);
        let mut gap = self.place(mixed);
        while self.places[gap] != self.entry(mixed, index) {
            gap = self.next(gap);
        }
        // Those behind that are not at home move up, unless that is before their home.
        let mut place = self.next(gap);
        while self.places[place] != NONE {
            let entry = self.places[place];
            let home = self.home(&cells[(entry & self.index_mask()) as usize]);
            if self.behind(home, place) >= self.behind(gap, place) {
                self.places[gap] = entry;
                gap = place;
            }
            place = self.next(place);
        }
        self.places[gap] = NONE;
    }

    /// Memory held, in bytes.
    pub(super) fn memory_bytes(&self) -> usize {
        self.places.capacity() * size_of::<u32>()
    }

    fn put(&mut self, cells: &[Cell], index: u32) {
        let cell = &cells[index as usize];
        let mixed = mixed(cell.level, cell.coord);
        let mut place = self.place(mixed);
        while self.places[place] != NONE {
            place = self.next(place);
        }
        self.places[place] = self.entry(mixed, index);
    }

    /// The place a cell maps to.
    fn home(&self, cell: &Cell) -> usize {
        self.place(mixed(cell.level, cell.coord))
    }

    /// The place mixed coordinates map to: their upper bits, as many as there are places.
    #[inline(always)]
    fn place(&self, mixed: u32) -> usize {
        ((u64::from(mixed) * self.places.len() as u64) >> u32::BITS) as usize
    }

    #[inline(always)]
    fn next(&self, place: usize) -> usize {
        (place + 1) & (self.places.len() - 1)
    }

    /// How many places `to` is behind `from`.
    fn behind(&self, from: usize, to: usize) -> usize {
        to.wrapping_sub(from) & (self.places.len() - 1)
    }
}

/// Coordinates as one number whose bits all depend on all of them.
#[inline(always)]
fn mixed(level: i8, [x, y, z]: [i32; 3]) -> u32 {
    // Odd factors without a pattern: neighbours lie far from each other, and cells of
    // several levels at one corner too.
    let mixed = (x as u32).wrapping_mul(0x9e37_79b1)
        ^ (y as u32).wrapping_mul(0x85eb_ca77)
        ^ (z as u32).wrapping_mul(0xc2b2_ae3d)
        ^ (level as u32).wrapping_mul(0x27d4_eb2f);
    // The upper bits of a product depend on all below them.
    (mixed ^ (mixed >> 15)).wrapping_mul(0x2c1b_3c6d)
}

impl Grid {
    /// The cell `coord` of `level`.
    #[inline(always)]
    pub(crate) fn find(&self, level: i8, coord: [i32; 3]) -> Option<u32> {
        self.table.find(&self.cells, level, coord)
    }

    /// A cell that is all but surely the one at `coord` of `level`: where it is `NONE`, there is no
    /// such cell.
    #[inline(always)]
    pub(crate) fn first_at(&self, level: i8, coord: [i32; 3]) -> u32 {
        let mixed = mixed(level, coord);
        self.table.next_like(mixed, &mut self.table.place(mixed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::placement::place;
    use drystone_geometry::WorldAabb;
    use drystone_geometry::glam::DVec3;

    /// Boxes of three sizes come to a grid and go in another order: after each step exactly the
    /// cells that can be reached from the roots are found by their coordinates.
    #[test]
    fn cells_are_found_while_they_exist() {
        let mut grid = Grid::default();
        let at = |id: u32| {
            let mixed = f64::from(id.wrapping_mul(2_654_435_761) >> 16);
            let min = DVec3::new(mixed % 37.0, mixed % 41.0, mixed % 43.0) - 20.0;
            let size = [0.1, 1.0, 9.0][id as usize % 3];
            place(&WorldAabb {
                min,
                max: min + size,
            })
            .expect("a box for a grid")
        };
        let mut homes = Vec::new();
        for id in 0..300 {
            homes.push((id, grid.insert(&at(id), &at(id).fat(), id)));
            check(&grid);
        }
        while !homes.is_empty() {
            let (_, (cell, slot)) = homes.swap_remove(homes.len() * 7 % 11 % homes.len());
            if let Some(follower) = grid.remove(cell, slot) {
                let home = homes.iter_mut().find(|home| home.0 == follower);
                home.expect("a box in the grid").1.1 = slot;
            }
            check(&grid);
        }
        assert!(grid.table.places.iter().all(|&place| place == NONE));
    }

    fn check(grid: &Grid) {
        let mut cells: Vec<u32> = grid.roots().collect();
        let mut next = 0;
        while let Some(&index) = cells.get(next) {
            let cell = grid.cell(index);
            cells.extend(cell.children.iter().filter(|&&child| child != NONE));
            assert_eq!(grid.find(cell.level, cell.coord), Some(index));
            next += 1;
        }
        assert_eq!(grid.table.count, cells.len());
    }
}
