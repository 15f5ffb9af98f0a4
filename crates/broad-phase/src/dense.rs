//! When most boxes moved: all of them are searched, cell by cell as they lie.
//!
//! Bricks of 4 x 4 x 4 cells that are neighbours in a cube of eight are taken together, up to
//! a number of boxes, as a *tile*; what is around a tile is gathered once. Cubes lie so that
//! the origin of the world is in the middle of one, since what is on the ground lies on both
//! sides of a plane through it more often than not. Tiles change the cost of a search, never
//! its result.

use drystone_geometry::Workers;

use crate::curve::{Place, sort_places};
use crate::grid::Grid;
use crate::groups::Frame;
use crate::search::{Change, SCRATCH, Scene};
use crate::tolerance::{TASK_MEMBERS, TILE_BOXES};

/// All boxes of a grid in tiles.
#[derive(Debug, Default)]
pub(crate) struct Tiles {
    /// Cells with boxes, tile by tile.
    cells: Vec<u32>,
    tiles: Vec<Tile>,
}

/// Bricks that are searched together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tile {
    level: i8,
    /// Of the cube of eight bricks, in cubes from the one around the origin.
    cube: [i32; 3],
    /// Which of them, one bit each.
    bricks: u8,
    /// Index after its last cell; its first is where the one before ends.
    end: usize,
    /// Boxes.
    count: usize,
}

/// The cube that a brick is in, and which of its bricks it is.
fn place_in_cube(brick: [i32; 3]) -> ([i32; 3], usize) {
    let [x, y, z] = brick.map(|at| at + 1);
    let index = (x & 1) | (y & 1) << 1 | (z & 1) << 2;
    ([x >> 1, y >> 1, z >> 1], index as usize)
}

impl Tile {
    /// Whether a brick, by its place in bricks from the origin, is one of the tile's.
    pub(crate) fn has_brick(&self, brick: [i32; 3]) -> bool {
        let (cube, index) = place_in_cube(brick);
        cube == self.cube && self.bricks >> index & 1 == 1
    }

    /// What its boxes are measured from: the middle of its cube.
    pub(crate) fn frame(&self) -> Frame {
        Frame::at(self.level, self.cube.map(|at| 8 * at))
    }

    /// Takes in the bricks of another tile that is in the same cube, if there is room.
    fn join(&mut self, other: &Self) -> bool {
        let is_near = self.level == other.level && self.cube == other.cube;
        if !is_near || self.count + other.count > TILE_BOXES {
            return false;
        }
        self.bricks |= other.bricks;
        self.end = other.end;
        self.count += other.count;
        true
    }
}

impl Tiles {
    /// All boxes of `grid`.
    pub(crate) fn new(grid: &Grid) -> Self {
        let full: Vec<u32> = grid.full_cells().collect();
        // Bricks count from the corner of the cube around the origin, so that the bricks of a
        // cube follow each other.
        let place = |&index: &u32| {
            let cell = grid.cell(index);
            (cell.level, cell.coord.map(|at| (at >> 2) + 1))
        };
        let places = sort_places(full.iter().map(place));
        let cell_at = |place: &Place| grid.cell(full[place.index as usize]);
        let mut tiles: Vec<Tile> = Vec::new();
        let mut end = 0;
        for cells in places.chunk_by(Place::is_beside) {
            end += cells.len();
            let first = cell_at(&cells[0]);
            let (cube, index) = place_in_cube(first.coord.map(|at| at >> 2));
            let counts = cells.iter().map(|place| grid.items(cell_at(place)).len());
            let tile = Tile {
                level: first.level,
                cube,
                bricks: 1 << index,
                end,
                count: counts.sum(),
            };
            if !tiles.last_mut().is_some_and(|last| last.join(&tile)) {
                tiles.push(tile);
            }
        }
        let cells = places.iter().map(|place| full[place.index as usize]);
        Self {
            cells: cells.collect(),
            tiles,
        }
    }

    /// Searches all tiles of the mobile grid.
    pub(crate) fn search(&self, workers: &Workers, scene: &Scene<'_>) -> Vec<Vec<Change>> {
        let tasks = self.tasks();
        let mut found = vec![Vec::new(); tasks.len()];
        let work = tasks.iter().zip(&mut found);
        workers.for_each(work, |_, (&(first, end), changes)| {
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
