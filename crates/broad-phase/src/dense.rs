//! When most boxes moved: all of them are searched, cell by cell as they lie.
//!
//! The cells of a level are parted until each part, a *tile*, has few enough boxes and is small
//! enough for a frame; what is around a tile is gathered once. Where cells fill a region, it is
//! parted into tiles of equal size at once; else by planes through the middle of what they part,
//! across its longest side. So tiles are near to cubes and alike, and little is around them.
//! Tiles change the cost of a search, never its result.

use drystone_geometry::Workers;
use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch, i32x4};

use crate::grid::Grid;
use crate::groups::Frame;
use crate::search::{Change, SCRATCH, Scene};
use crate::tolerance::{TASK_MEMBERS, TILE_BOXES, TILE_CELLS};

/// All boxes of a grid in tiles.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tiles {
    /// Cells with boxes, level by level and tile by tile.
    full: Vec<Full>,
    /// Room for those on the upper side of a plane, and to sort in.
    upper: Vec<Full>,
    /// The cells again, to be read.
    cells: Vec<u32>,
    tiles: Vec<Tile>,
}

/// A cell with boxes.
#[derive(Clone, Copy, Debug)]
struct Full {
    /// Its coordinates and its level.
    place: [i32; 4],
    index: u32,
    /// Boxes.
    count: u32,
    /// Which of the parts it goes to where cells are parted evenly.
    part: u32,
}

/// Cells that are searched together: all between two corners.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tile {
    level: i8,
    /// The first cell along each axis, and the last.
    first: [i32; 3],
    last: [i32; 3],
    /// Index after its last cell; its first is where the one before ends.
    end: usize,
    /// Boxes.
    count: usize,
    /// See [`Grid::is_alone_in_bricks`].
    is_alone: bool,
}

impl Tile {
    /// The smallest tile around some cells of one level, which end at an index.
    fn around(cells: &[Full], end: usize, is_alone: bool) -> Self {
        dispatch!(Level::baseline(), simd => {
            let mut first = i32x4::splat(simd, i32::MAX);
            let mut last = i32x4::splat(simd, i32::MIN);
            let mut count = 0;
            for cell in cells {
                let place = i32x4::simd_from(simd, cell.place);
                first = first.min(place);
                last = last.max(place);
                count += cell.count as usize;
            }
            let three = |place: i32x4<_>| [place[0], place[1], place[2]];
            Self {
                level: first[3] as i8,
                first: three(first),
                last: three(last),
                end,
                count,
                is_alone,
            }
        })
    }

    /// Whether a cell of its level is within.
    pub(crate) fn has(&self, coord: [i32; 3]) -> bool {
        (0..3).all(|axis| (self.first[axis]..=self.last[axis]).contains(&coord[axis]))
    }

    /// Whether all cells of a brick, given by its place in bricks from the origin, are within.
    pub(crate) fn has_brick(&self, brick: [i32; 3]) -> bool {
        self.has(brick.map(|at| 4 * at)) && self.has(brick.map(|at| 4 * at + 3))
    }

    /// Whether bricks hold nothing but boxes of its level.
    pub(crate) fn is_alone_in_bricks(&self) -> bool {
        self.is_alone
    }

    /// What its boxes are measured from: its middle.
    pub(crate) fn frame(&self) -> Frame {
        let middle = [0, 1, 2].map(|axis| self.first[axis] + self.cells(axis).div_ceil(2) as i32);
        Frame::at(self.level, middle)
    }

    /// Cells along an axis.
    fn cells(&self, axis: usize) -> u32 {
        self.last[axis].abs_diff(self.first[axis]) + 1
    }

    /// How many parts of equal size, small enough for a frame, it has along each axis.
    fn parts(&self) -> [u32; 3] {
        [0, 1, 2].map(|axis| self.cells(axis).div_ceil(TILE_CELLS))
    }

    /// Where it is best parted: the axis, along which it has the most cells, and the number of
    /// cells on the lower side of the plane. None where it need not be, or cannot.
    fn plane(&self) -> Option<(usize, u32)> {
        let longer = |one: usize, next: usize| {
            let is_longer = self.cells(next) > self.cells(one);
            if is_longer { next } else { one }
        };
        let axis = longer(longer(0, 1), 2);
        let cells = self.cells(axis);
        if cells > TILE_CELLS {
            // Parts of equal length, as few as may be.
            let parts = cells.div_ceil(TILE_CELLS);
            return Some((axis, parts / 2 * cells.div_ceil(parts)));
        }
        let is_done = self.count <= TILE_BOXES || cells == 1;
        (!is_done).then_some((axis, cells / 2))
    }
}

impl Tiles {
    /// Parts all boxes of `grid`.
    pub(crate) fn part(&mut self, grid: &Grid) {
        let mut full = std::mem::take(&mut self.full);
        full.clear();
        full.extend(grid.full_cells().map(|index| {
            let cell = grid.cell(index);
            let [x, y, z] = cell.coord;
            Full {
                place: [x, y, z, i32::from(cell.level)],
                index,
                count: cell.run().len() as u32,
                part: 0,
            }
        }));
        full.sort_by_key(|cell| cell.place[3]);
        self.cells.clear();
        self.tiles.clear();
        for cells in full.chunk_by_mut(|one, next| one.place[3] == next.place[3]) {
            let is_alone = grid.is_alone_in_bricks(cells[0].place[3] as i8);
            self.part_cells(cells, is_alone);
        }
        self.full = full;
    }

    /// Makes tiles of some cells of one level, which keep their order.
    fn part_cells(&mut self, cells: &mut [Full], is_alone: bool) {
        let tile = Tile::around(cells, self.cells.len() + cells.len(), is_alone);
        let parts = tile.parts();
        // Cells far apart have more parts between them than an integer counts.
        let count = parts.iter().map(|&parts| f64::from(parts)).product::<f64>();
        if count > 2.0 && count <= cells.len() as f64 {
            return self.part_evenly(cells, &tile, parts);
        }
        let Some((axis, count)) = tile.plane() else {
            self.cells.extend(cells.iter().map(|cell| cell.index));
            self.tiles.push(tile);
            return;
        };
        self.upper.clear();
        let mut end = 0;
        for index in 0..cells.len() {
            let cell = cells[index];
            if cell.place[axis].abs_diff(tile.first[axis]) < count {
                cells[end] = cell;
                end += 1;
            } else {
                self.upper.push(cell);
            }
        }
        let (low, high) = cells.split_at_mut(end);
        high.copy_from_slice(&self.upper);
        self.part_cells(low, is_alone);
        self.part_cells(high, is_alone);
    }

    /// Makes tiles of some cells of one level, parted into so many along each axis, which keep
    /// their order within each part.
    fn part_evenly(&mut self, cells: &mut [Full], tile: &Tile, parts: [u32; 3]) {
        let lengths = [0, 1, 2].map(|axis| tile.cells(axis).div_ceil(parts[axis]));
        let part = |cell: &Full| {
            let along = |axis: usize| cell.place[axis].abs_diff(tile.first[axis]) / lengths[axis];
            (along(2) * parts[1] + along(1)) * parts[0] + along(0)
        };
        let mut ends = vec![0; parts.iter().product::<u32>() as usize + 1];
        for cell in &mut *cells {
            cell.part = part(cell);
            ends[cell.part as usize + 1] += 1;
        }
        for index in 1..ends.len() {
            ends[index] += ends[index - 1];
        }
        self.upper.clear();
        self.upper.extend_from_slice(cells);
        for cell in &self.upper {
            let end = &mut ends[cell.part as usize];
            cells[*end] = *cell;
            *end += 1;
        }
        let mut first = 0;
        for &end in &ends[..ends.len() - 1] {
            if end > first {
                self.part_cells(&mut cells[first..end], tile.is_alone);
            }
            first = end;
        }
    }

    /// Searches all tiles of the mobile grid, while one thread does something else first.
    pub(crate) fn search(
        &self,
        workers: &Workers,
        scene: &Scene<'_>,
        own: impl FnOnce(),
    ) -> Vec<Vec<Change>> {
        let tasks = self.tasks();
        let mut found = vec![Vec::new(); tasks.len()];
        let work = tasks.iter().zip(&mut found);
        workers.for_each_beside(own, work, |_, (&(first, end), changes)| {
            SCRATCH.with_borrow_mut(|scratch| {
                for index in first..end {
                    let tile = &self.tiles[index];
                    let start = index.checked_sub(1).map_or(0, |last| self.tiles[last].end);
                    let cells = &self.cells[start..tile.end];
                    scratch.search_tile(scene, tile, cells, changes);
                }
            });
        });
        found
    }

    /// Ranges of tiles with at least `TASK_MEMBERS` boxes together.
    fn tasks(&self) -> Vec<(usize, usize)> {
        let mut tasks = Vec::new();
        let (mut first, mut count) = (0, 0);
        for (index, tile) in self.tiles.iter().enumerate() {
            count += tile.count;
            if count >= TASK_MEMBERS || index + 1 == self.tiles.len() {
                tasks.push((first, index + 1));
                (first, count) = (index + 1, 0);
            }
        }
        tasks
    }
}
