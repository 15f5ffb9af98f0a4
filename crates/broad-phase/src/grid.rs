//! A grid of cells on many levels, stored as eight sparse trees, one per octant of space.
//!
//! A cell exists where it holds boxes or has finer cells with boxes below it. Boxes in a cell
//! stick out of it by little more than a quarter of its edge at most, and so does everything below it: that
//! one rule is what a search prunes by. Moving a box inside its cell rewrites sixteen bytes.

use drystone_geometry::WorldAabb;
use drystone_geometry::glam::DVec3;
use serde::{Deserialize, Serialize};

use crate::bulk::Arrival;
use crate::curve::Place;
use crate::item::Item;
use crate::placement::{Placement, power_of_two};
use crate::run_pool::{Run, RunPool};
use crate::tolerance::{LEVEL_MAX, LEVEL_MIN, REORDER_MIN, STEP_BITS};

/// No cell, no group.
pub(crate) const NONE: u32 = u32::MAX;

/// Children on the lower side of each axis.
const LOW: [u8; 3] = [0b0101_0101, 0b0011_0011, 0b0000_1111];

/// How far boxes stick out of their cell at most: ratio of its edge, a quarter and what
/// rounding adds.
const OVERHANG: f64 = 0.28125;

/// A cube of space. It fills one cache line: that is what walking the trees waits for.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[repr(align(64))]
pub(crate) struct Cell {
    pub(crate) parent: u32,
    children: [u32; 8],
    /// Position, in cells of this level from the origin.
    pub(crate) coord: [i32; 3],
    /// The group of moved proxies searched around this cell; `NONE` between updates.
    pub(crate) group: u32,
    items: Run,
    /// The power of two of the edge in metres.
    pub(crate) level: i8,
    child_mask: u8,
}

impl Cell {
    /// Edge, in metres.
    pub(crate) fn edge(&self) -> f64 {
        power_of_two(i32::from(self.level))
    }

    /// Smallest corner in the world, in metres; exact.
    pub(crate) fn origin(&self) -> DVec3 {
        let [x, y, z] = self.coord;
        DVec3::new(f64::from(x), f64::from(y), f64::from(z)) * self.edge()
    }

    /// A box of this cell in the world, in metres; exact.
    pub(crate) fn world_box(&self, item: &Item) -> WorldAabb {
        let step = power_of_two(i32::from(self.level) - STEP_BITS);
        let [a, b, c, d, e, f] = item.bounds().map(f64::from);
        let origin = self.origin();
        WorldAabb {
            min: origin + DVec3::new(a, b, c) * step,
            max: origin - DVec3::new(d, e, f) * step,
        }
    }

    /// What holds all boxes of this cell and below, in the world, in metres.
    pub(crate) fn reach(&self) -> WorldAabb {
        let (min, edge) = (self.origin(), DVec3::splat(self.edge()));
        WorldAabb {
            min: min - OVERHANG * edge,
            max: min + (1.0 + OVERHANG) * edge,
        }
    }

    /// Whether this cell is `coord` of `level` or above it.
    fn is_above(&self, level: i8, coord: [i32; 3]) -> bool {
        self.level >= level && self.coord == ancestor(coord, self.level - level)
    }
}

/// The cell `up` levels above `coord`.
fn ancestor(coord: [i32; 3], up: i8) -> [i32; 3] {
    let up = up.min(31);
    [coord[0] >> up, coord[1] >> up, coord[2] >> up]
}

/// Which of its parent's children a cell is.
fn child_index(coord: [i32; 3]) -> usize {
    ((coord[0] & 1) | (coord[1] & 1) << 1 | (coord[2] & 1) << 2) as usize
}

/// Which octant of space a cell lies in.
fn octant(coord: [i32; 3]) -> usize {
    (0..3)
        .map(|axis| usize::from(coord[axis] < 0) << axis)
        .sum()
}

const _: () = assert!(size_of::<Cell>() == 64);

/// The boxes of one set.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Grid {
    cells: Vec<Cell>,
    free: Vec<u32>,
    roots: [u32; 8],
    items: RunPool<Item>,
    /// Boxes per level, from `LEVEL_MIN`.
    level_counts: Vec<u32>,
    /// The coarsest level with boxes.
    max_level: i8,
    /// Where the last box went: the next one often goes nearby.
    last: u32,
    /// Boxes.
    count: usize,
    /// Boxes that came to a cell since the cells were last stored in order.
    arrivals: usize,
}

impl Default for Grid {
    fn default() -> Self {
        Self {
            cells: Vec::new(),
            free: Vec::new(),
            roots: [NONE; 8],
            items: RunPool::default(),
            level_counts: vec![0; (LEVEL_MAX - LEVEL_MIN + 1) as usize],
            max_level: LEVEL_MIN as i8,
            last: NONE,
            count: 0,
            arrivals: 0,
        }
    }
}

impl Grid {
    /// Whether there is no box.
    pub(crate) fn is_empty(&self) -> bool {
        self.roots().next().is_none()
    }

    /// Memory held, in bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.cells.capacity() * size_of::<Cell>()
            + self.free.capacity() * size_of::<u32>()
            + self.items.memory_bytes()
    }

    /// A cell.
    pub(crate) fn cell(&self, index: u32) -> &Cell {
        &self.cells[index as usize]
    }

    /// A cell.
    pub(crate) fn cell_mut(&mut self, index: u32) -> &mut Cell {
        &mut self.cells[index as usize]
    }

    /// The boxes of a cell.
    pub(crate) fn items(&self, cell: &Cell) -> &[Item] {
        self.items.get(&cell.items)
    }

    /// One box.
    pub(crate) fn item(&self, cell: u32, slot: u32) -> &Item {
        &self.items(self.cell(cell))[slot as usize]
    }

    /// Reads what [`Self::rewrite`] is about to need for several boxes, each at `cell` and
    /// `slot`: reads that do not wait for each other take little longer than one of them.
    pub(crate) fn fetch(&self, boxes: impl Iterator<Item = (u32, u32)> + Clone) {
        let items = boxes.map(|(cell, slot)| self.item(cell, slot).id());
        std::hint::black_box(items.fold(0, |all, id| all ^ id));
    }

    /// The roots of the octants that hold anything.
    pub(crate) fn roots(&self) -> impl Iterator<Item = u32> + '_ {
        self.roots.iter().copied().filter(|&root| root != NONE)
    }

    /// The cell two levels above `cell`, around which its moved boxes are searched.
    pub(crate) fn brick(&self, cell: u32) -> u32 {
        // A root lies two levels above any box, so the parents exist.
        self.cell(self.cell(cell).parent).parent
    }

    /// The children of `cell` whose boxes may touch `region`, one bit each.
    pub(crate) fn children_touching(&self, cell: &Cell, region: &WorldAabb) -> u8 {
        let mut mask = cell.child_mask;
        if mask == 0 {
            return 0;
        }
        let origin = cell.origin();
        let edge = cell.edge();
        let half = 0.5 * edge;
        let reach = (1.0 + OVERHANG) * half;
        for axis in 0..3 {
            let (min, max, at) = (region.min[axis], region.max[axis], origin[axis]);
            let low = (max >= at + half - reach) & (min <= at + reach);
            let high = (max >= at + edge - reach) & (min <= at + half + reach);
            mask &= (LOW[axis] * u8::from(low)) | (!LOW[axis] * u8::from(high));
        }
        mask
    }

    /// The child of `cell` at `index` (as `child_index`), or `NONE`.
    pub(crate) fn child(&self, cell: &Cell, index: usize) -> u32 {
        cell.children[index]
    }

    /// Adds a box; answers with its cell and its slot there.
    pub(crate) fn insert(&mut self, placement: &Placement, id: u32) -> (u32, u32) {
        let cell = self.find_or_create(placement.level, placement.coord);
        self.last = cell;
        self.count += 1;
        self.arrivals += 1;
        let count = &mut self.level_counts[(i32::from(placement.level) - LEVEL_MIN) as usize];
        *count += 1;
        self.max_level = self.max_level.max(placement.level);
        let run = &mut self.cells[cell as usize].items;
        let slot = run.len() as u32;
        self.items.push(run, Item::new(placement.bounds, id));
        (cell, slot)
    }

    /// Adds boxes in the order of `places`; calls `put` with each box's id, cell and slot.
    pub(crate) fn insert_sorted(
        &mut self,
        arrivals: &[Arrival],
        places: &[Place],
        mut put: impl FnMut(u32, u32, u32),
    ) {
        let was_empty = self.is_empty();
        let arrival = |place: &Place| &arrivals[place.index as usize];
        let same_cell = |one: &Place, next: &Place| {
            let (one, next) = (arrival(one), arrival(next));
            one.level == next.level && one.coord == next.coord
        };
        for same in places.chunk_by(same_cell) {
            let Arrival { level, coord, .. } = *arrival(&same[0]);
            let cell = self.find_or_create(level, coord);
            self.last = cell;
            self.level_counts[(i32::from(level) - LEVEL_MIN) as usize] += same.len() as u32;
            self.max_level = self.max_level.max(level);
            let run = &mut self.cells[cell as usize].items;
            self.items.reserve(run, same.len());
            for arrival in same.iter().map(arrival) {
                let slot = run.len() as u32;
                self.items.push(run, Item::new(arrival.bounds, arrival.id));
                put(arrival.id, cell, slot);
            }
        }
        self.count += places.len();
        // What came to an empty grid in order is stored in order.
        self.arrivals += if was_empty { 0 } else { places.len() };
    }

    /// Takes a box out; answers with the id of the box that now has its slot, if any.
    pub(crate) fn remove(&mut self, cell: u32, slot: u32) -> Option<u32> {
        self.count -= 1;
        let Cell {
            items: run, level, ..
        } = &mut self.cells[cell as usize];
        let level = *level;
        self.items.swap_remove(run, slot as usize);
        let moved = self.items.get(run).get(slot as usize).map(Item::id);
        let count = &mut self.level_counts[(i32::from(level) - LEVEL_MIN) as usize];
        *count -= 1;
        if *count == 0 && level == self.max_level {
            let top = self.level_counts.iter().rposition(|&count| count > 0);
            self.max_level = (LEVEL_MIN + top.unwrap_or(0) as i32) as i8;
        }
        self.prune(cell);
        moved
    }

    /// Whether storing the cells in order is due and cheap beside `work`, the number of boxes
    /// the caller is about to search anyway.
    pub(crate) fn is_scattered(&self, work: usize) -> bool {
        self.arrivals > self.count / 2 && work > self.count / 4 && work >= REORDER_MIN
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
            let run = &mut ordered.cells[index as usize].items;
            ordered.items.assign(run, items);
            for item in items {
                moved(item.id(), index);
            }
            let children = cell.children.iter().rev().filter(|&&child| child != NONE);
            stack.extend(children.map(|&child| (child, index)));
        }
        *self = ordered;
    }

    /// Rewrites a box that stays in its cell; `false` when it has to go elsewhere.
    pub(crate) fn rewrite(&mut self, cell: u32, slot: u32, placement: &Placement) -> bool {
        let Cell {
            items: run,
            level,
            coord,
            ..
        } = &self.cells[cell as usize];
        if *level != placement.level || *coord != placement.coord {
            self.last = cell;
            return false;
        }
        self.items.get_mut(run)[slot as usize].set_bounds(placement.bounds);
        true
    }

    fn find_or_create(&mut self, level: i8, coord: [i32; 3]) -> u32 {
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

    fn link(&mut self, parent: u32, child: u32, index: usize) {
        self.cells[child as usize].parent = parent;
        let parent = &mut self.cells[parent as usize];
        parent.children[index] = child;
        parent.child_mask |= 1 << index;
    }

    fn add_cell(&mut self, parent: u32, level: i8, coord: [i32; 3]) -> u32 {
        let cell = Cell {
            parent,
            children: [NONE; 8],
            coord,
            group: NONE,
            items: Run::default(),
            level,
            child_mask: 0,
        };
        if let Some(index) = self.free.pop() {
            self.cells[index as usize] = cell;
            return index;
        }
        let index = u32::try_from(self.cells.len()).expect("a grid has fewer than 2^32 cells");
        self.cells.push(cell);
        index
    }

    /// Frees `cell` and what is above it, as far as it is empty.
    fn prune(&mut self, mut cell: u32) {
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
            if self.last == cell {
                self.last = NONE;
            }
            if parent == NONE {
                self.roots[octant(coord)] = NONE;
                return;
            }
            let above = &mut self.cells[parent as usize];
            above.children[child_index(coord)] = NONE;
            above.child_mask &= !(1 << child_index(coord));
            cell = parent;
        }
        if self.cell(cell).parent == NONE {
            self.lower_root(cell);
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
            if self.last == root {
                self.last = NONE;
            }
            root = child;
        }
    }
}
