//! How the trees of cells grow where boxes come and shrink where they leave.

use super::extent::no_extents;
use super::{Cell, Grid, NONE, Span, ancestor, child_index, octant};
use crate::run_pool::Run;
use crate::tolerance::LEVEL_MIN;

impl Grid {
    pub(super) fn find_or_create(&mut self, level: i8, coord: [i32; 3]) -> u32 {
        // A root may lie closer above cells without boxes than it has to be above boxes.
        let there = self.find(level, coord);
        if let Some(index) = there.filter(|&index| !self.cell(index).items.is_empty()) {
            return index;
        }
        let mut at = self.last;
        while at != NONE && !self.cell(at).is_above(level, coord) {
            at = self.cell(at).parent;
        }
        let root = self.root_above(level, coord);
        if at == NONE {
            at = root;
        }
        while self.cell(at).level > level {
            let Cell {
                level: at_level,
                children,
                ..
            } = &self.cells[at as usize];
            let below = *at_level - 1;
            let next = ancestor(coord, below - level);
            let index = child_index(next);
            let child = children[index];
            at = if child == NONE {
                self.add_child(at, below, next)
            } else {
                child
            };
        }
        at
    }

    /// The root of the octant of `coord`, grown until it is above it by two levels or more.
    fn root_above(&mut self, level: i8, coord: [i32; 3]) -> u32 {
        let octant = octant(coord);
        let mut root = self.roots[octant];
        if root == NONE {
            root = self.add_cell(NONE, level + 2, ancestor(coord, 2));
        }
        loop {
            let cell = self.cell(root);
            if cell.is_above(level, coord) && cell.level >= level + 2 {
                break;
            }
            let (child_level, child_coord) = (cell.level, cell.coord);
            let parent = self.add_cell(NONE, child_level + 1, ancestor(child_coord, 1));
            self.link(parent, root, child_index(child_coord));
            root = parent;
        }
        self.roots[octant] = root;
        root
    }

    fn add_child(&mut self, parent: u32, level: i8, coord: [i32; 3]) -> u32 {
        let child = self.add_cell(parent, level, coord);
        self.link(parent, child, child_index(coord));
        child
    }

    pub(super) fn link(&mut self, parent: u32, child: u32, index: usize) {
        let top = self.cell(child).top;
        self.cells[child as usize].parent = parent;
        let parent = &mut self.cells[parent as usize];
        parent.top = parent.top.max(top);
        parent.children[index] = child;
        parent.child_mask |= 1 << index;
    }

    pub(super) fn add_cell(&mut self, parent: u32, level: i8, coord: [i32; 3]) -> u32 {
        let cell = Cell {
            parent,
            children: [NONE; 8],
            coord,
            group: NONE,
            items: Run::default(),
            level,
            child_mask: 0,
            top: LEVEL_MIN as i8,
        };
        // Roots may be coarser than any box.
        if let Some(span) = self.spans.get_mut((i32::from(level) - LEVEL_MIN) as usize) {
            span.add(coord);
        }
        if let Some(index) = self.free.pop() {
            self.cells[index as usize] = cell;
            self.table.insert(&self.cells, index);
            return index;
        }
        let index = u32::try_from(self.cells.len()).expect("a grid has fewer than 2^32 cells");
        self.cells.push(cell);
        self.table.insert(&self.cells, index);
        index
    }

    /// Frees `cell` and what is above it, as far as it is empty.
    pub(super) fn prune(&mut self, mut cell: u32) {
        loop {
            let Cell {
                parent,
                items,
                child_mask,
                coord,
                ..
            } = &self.cells[cell as usize];
            let (parent, coord) = (*parent, *coord);
            if !items.is_empty() || *child_mask != 0 {
                break;
            }
            self.free.push(cell);
            self.table.remove(&self.cells, cell);
            if self.last == cell {
                self.last = NONE;
            }
            if parent == NONE {
                self.roots[octant(coord)] = NONE;
                if self.is_empty() {
                    self.spans.fill(Span::NONE);
                    (self.extents, self.moved) = (no_extents(), 0);
                }
                return;
            }
            let above = &mut self.cells[parent as usize];
            above.children[child_index(coord)] = NONE;
            above.child_mask &= !(1 << child_index(coord));
            cell = parent;
        }
        if self.cell(cell).items.is_empty() {
            self.lower_top(cell);
        }
        if self.cell(cell).parent == NONE {
            self.lower_root(cell);
        }
    }

    /// A box of `level` came to `cell`.
    pub(super) fn raise_top(&mut self, mut cell: u32, level: i8) {
        while cell != NONE && self.cell(cell).top < level {
            self.cells[cell as usize].top = level;
            cell = self.cell(cell).parent;
        }
    }

    /// The last box of `cell` went, or a child of it.
    fn lower_top(&mut self, mut cell: u32) {
        while cell != NONE {
            let at = self.cell(cell);
            let own = if at.items.is_empty() {
                LEVEL_MIN as i8
            } else {
                at.level
            };
            let children = at.children.iter().filter(|&&child| child != NONE);
            let tops = children.map(|&child| self.cell(child).top);
            let top = tops.fold(own, i8::max);
            if top == at.top {
                break;
            }
            let parent = at.parent;
            self.cells[cell as usize].top = top;
            cell = parent;
        }
    }

    /// Drops roots that hold a single finer cell.
    fn lower_root(&mut self, mut root: u32) {
        loop {
            let Cell {
                items,
                child_mask,
                level,
                children,
                coord,
                ..
            } = self.cell(root);
            let single = items.is_empty() && child_mask.is_power_of_two();
            if !single || *level <= self.max_level + 2 {
                break;
            }
            let child = children[child_mask.trailing_zeros() as usize];
            self.roots[octant(*coord)] = child;
            self.cells[child as usize].parent = NONE;
            self.free.push(root);
            self.table.remove(&self.cells, root);
            if self.last == root {
                self.last = NONE;
            }
            root = child;
        }
    }
}
