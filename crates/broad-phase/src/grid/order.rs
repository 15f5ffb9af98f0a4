//! Storing the cells in order, once much of what they hold is stored elsewhere.

use super::{Grid, NONE, child_index, octant};
use crate::tolerance::REORDER_MIN;

impl Grid {
    /// Whether storing the cells in order is due and cheap beside `work`, the number of boxes
    /// the caller is about to search anyway.
    pub(crate) fn is_scattered(&self, work: usize) -> bool {
        self.scattered > self.count / 2 && work > self.count / 4 && work >= REORDER_MIN
    }

    /// Stores the cells and their boxes in the order of the trees, so that neighbours in
    /// space are neighbours in memory. Calls `moved` with each box's id and its cell's new
    /// index; slots stay.
    pub(crate) fn reorder(&mut self, mut moved: impl FnMut(u32, u32)) {
        let mut ordered = Self {
            level_counts: std::mem::take(&mut self.level_counts),
            max_level: self.max_level,
            count: self.count,
            ..Self::default()
        };
        let mut stack: Vec<(u32, u32)> = self.roots().map(|root| (root, NONE)).collect();
        while let Some((old, parent)) = stack.pop() {
            let cell = self.cell(old);
            let index = ordered.add_cell(parent, cell.level, cell.coord);
            if parent == NONE {
                ordered.roots[octant(cell.coord)] = index;
            } else {
                ordered.link(parent, index, child_index(cell.coord));
            }
            let items = self.items(cell);
            if !items.is_empty() {
                ordered.raise_top(index, cell.level);
            }
            let run = &mut ordered.cells[index as usize].items;
            ordered.items.assign(run, items);
            for item in items {
                moved(item.id(), index);
            }
            if !items.is_empty() {
                ordered.extend_around(index);
            }
            let children = cell.children.iter().rev().filter(|&&child| child != NONE);
            stack.extend(children.map(|&child| (child, index)));
        }
        *self = ordered;
    }
}
