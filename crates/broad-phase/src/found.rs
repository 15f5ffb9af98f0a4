//! Cells that are looked up by their coordinates, some at a time.
//!
//! What follows updates finds little in the caches, and waiting for memory is what looking up takes
//! most of. So all places in the table are read before any cell, all cells before any boxes, and
//! reads that do not wait for each other take little longer than one of them.

use crate::grid::{Grid, NONE};
use crate::run_pool::Run;
use crate::tolerance::MOST_FOUND;

/// Some cells of one level, in the order in which they were looked up.
pub(crate) struct Found {
    level: i8,
    places: [FoundCell; MOST_FOUND],
    count: usize,
}

/// A cell that was looked up.
#[derive(Clone, Copy)]
pub(crate) struct FoundCell {
    pub(crate) coord: [i32; 3],
    pub(crate) cell: u32,
    /// Where its boxes are, once that is read.
    pub(crate) run: Run,
    /// The fraction from which on a cast may meet its boxes.
    pub(crate) enter: f32,
}

impl FoundCell {
    const NOWHERE: Self = Self {
        coord: [0; 3],
        cell: NONE,
        run: Run::EMPTY,
        enter: 0.0,
    };
}

impl Found {
    /// None of `level` yet.
    #[inline(always)]
    pub(crate) fn new(level: i8) -> Self {
        Self {
            level,
            places: [FoundCell::NOWHERE; MOST_FOUND],
            count: 0,
        }
    }

    /// Whether their boxes are to be looked at before more is added.
    #[inline(always)]
    pub(crate) fn is_full(&self) -> bool {
        self.count >= MOST_FOUND
    }

    /// Adds the cell at `coord`, if there may be one; a cast may meet its boxes from the fraction
    /// `enter` on.
    #[inline(always)]
    pub(crate) fn add(&mut self, grid: &Grid, coord: [i32; 3], enter: f32) {
        let cell = grid.first_at(self.level, coord);
        self.places[self.count] = FoundCell {
            coord,
            cell,
            run: Run::EMPTY,
            enter,
        };
        self.count += usize::from(cell != NONE);
    }

    /// Reads where the boxes of all cells are; those that are not at their coordinates have none.
    #[inline]
    pub(crate) fn settle(&mut self, grid: &Grid) {
        let (level, mut read) = (self.level, 0);
        for place in &mut self.places[..self.count.min(MOST_FOUND)] {
            let mut cell = grid.cell(place.cell);
            if !cell.is_at(level, place.coord) {
                let Some(other) = grid.find(level, place.coord) else {
                    continue;
                };
                place.cell = other;
                cell = grid.cell(other);
            }
            place.run = cell.run();
            let first = grid.items_from(place.run.first()).first();
            read ^= first.map_or(0, |item| item.bounds()[0]);
        }
        std::hint::black_box(read);
    }

    /// The cells.
    #[inline(always)]
    pub(crate) fn places(&self) -> &[FoundCell] {
        &self.places[..self.count.min(MOST_FOUND)]
    }

    /// Takes all out, for more.
    #[inline(always)]
    pub(crate) fn clear(&mut self) {
        self.count = 0;
    }
}
