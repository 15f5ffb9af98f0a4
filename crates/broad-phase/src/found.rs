//! Cells that are looked up by their coordinates, some at a time.
//!
//! What follows updates finds little in the caches, and waiting for memory is what looking up takes
//! most of. So all places in the table are read before any cell, all cells before any boxes, and
//! reads that do not wait for each other take little longer than one of them.

use crate::grid::{Grid, NONE};
use crate::run_pool::Run;
use crate::tolerance::{FEW_FOUND, MOST_FOUND};

/// Some cells of one level, in the order in which they were looked up.
pub(crate) struct Found {
    level: i8,
    places: [FoundCell; MOST_FOUND],
    count: usize,
    /// How many are looked up before their boxes are looked at.
    room: usize,
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
    /// None of `level` yet. The first ones are few: who looks for one hit often has it by then.
    #[inline(always)]
    pub(crate) fn new(level: i8) -> Self {
        Self {
            level,
            places: [FoundCell::NOWHERE; MOST_FOUND],
            count: 0,
            room: FEW_FOUND,
        }
    }

    /// Whether their boxes are to be looked at before more is added.
    #[inline(always)]
    pub(crate) fn is_full(&self) -> bool {
        self.count >= self.room
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

    /// Keeps the cells that are at those coordinates and have boxes.
    #[inline]
    pub(crate) fn settle(&mut self, grid: &Grid) {
        let looked_up = self.count.min(MOST_FOUND);
        let mut read = 0;
        self.count = 0;
        for at in 0..looked_up {
            let mut place = self.places[at];
            let mut cell = grid.cell(place.cell);
            if !cell.is_at(self.level, place.coord) {
                let Some(other) = grid.find(self.level, place.coord) else {
                    continue;
                };
                place.cell = other;
                cell = grid.cell(other);
            }
            place.run = cell.run();
            self.places[self.count] = place;
            self.count += usize::from(!place.run.is_empty());
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
        self.room = MOST_FOUND;
    }
}
