//! A grid of cells on many levels, stored as eight sparse trees, one per octant of space.
//!
//! A cell exists where it holds boxes or has finer cells with boxes below it. Boxes in a cell stick
//! out of it by little more than a quarter of its edge at most, and so does everything below it:
//! that one rule is what a search prunes by. Moving a box inside its cell rewrites sixteen bytes.

mod extent;
mod order;
mod span;
mod table;
mod tree;

use drystone_geometry::WorldAabb;
use drystone_geometry::glam::DVec3;
use serde::{Deserialize, Serialize};

use crate::bulk::Arrival;
use crate::curve::Place;
use crate::item::Item;
use crate::placement::{Placement, corners, power_of_two};
use crate::query_index::QueryIndex;
use crate::run_pool::{Run, RunPool};
use crate::seeker::Seeker;
use crate::tolerance::{LEVEL_MAX, LEVEL_MIN, STEP_BITS};
use crate::wide_tree::WideTree;
use extent::no_extents;
pub(crate) use extent::{Extent, Reach, WIDEST};
pub(crate) use span::Span;
use table::Table;

/// No cell, no group.
pub(crate) const NONE: u32 = u32::MAX;

/// Children on the lower side of each axis.
const LOW: [u8; 3] = [0b0101_0101, 0b0011_0011, 0b0000_1111];

/// How far boxes stick out of their cell at most: ratio of its edge, a quarter and what
/// rounding adds.
pub(crate) const OVERHANG: f64 = 0.28125;

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
    /// No box here or below is on a coarser level than this.
    top: i8,
}

impl Cell {
    /// Where its boxes are.
    pub(crate) fn run(&self) -> Run {
        self.items
    }

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
        let [smallest, negated] = corners(&item.bounds());
        let origin = self.origin();
        WorldAabb {
            min: origin + smallest * step,
            max: origin - negated * step,
        }
    }

    /// What holds all boxes of this cell and below, in the world, in metres.
    pub(crate) fn reach(&self) -> WorldAabb {
        let (min, edge) = (self.origin(), self.edge());
        let overhang = OVERHANG * power_of_two(i32::from(self.top));
        WorldAabb {
            min: min - DVec3::splat(overhang),
            max: min + DVec3::splat(edge + overhang),
        }
    }

    /// How far boxes below this cell stick out of its children at most, in metres.
    pub(crate) fn overhang_below(&self) -> f64 {
        let top = self.top.min(self.level - 1);
        OVERHANG * power_of_two(i32::from(top))
    }

    /// Which children there are, one bit each.
    pub(crate) fn child_mask(&self) -> u8 {
        self.child_mask
    }

    /// What holds all boxes of the child at `index` (as `child_index`) and below, in the world,
    /// in metres, told without a look at the child.
    pub(crate) fn child_reach(&self, index: usize) -> WorldAabb {
        let half = 0.5 * self.edge();
        let overhang = self.overhang_below();
        let side = |axis: usize| half * (index >> axis & 1) as f64;
        let min = self.origin() + DVec3::new(side(0), side(1), side(2));
        WorldAabb {
            min: min - DVec3::splat(overhang),
            max: min + DVec3::splat(half + overhang),
        }
    }

    /// Whether this cell is `coord` of `level`.
    #[inline(always)]
    pub(crate) fn is_at(&self, level: i8, [x, y, z]: [i32; 3]) -> bool {
        let [at_x, at_y, at_z] = self.coord;
        (at_x ^ x) | (at_y ^ y) | (at_z ^ z) | i32::from(self.level ^ level) == 0
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
    /// What holds all cells of each level from `LEVEL_MIN` to `LEVEL_MAX`, and may be too large.
    spans: Vec<Span>,
    /// What holds all boxes of each of these levels.
    extents: Vec<Extent>,
    /// Boxes that moved since those were made.
    moved: usize,
    /// Where the last box went: the next one often goes nearby.
    last: u32,
    /// Boxes.
    count: usize,
    /// Boxes that were stored elsewhere, as their cell was made or outgrew its storage, since the
    /// cells were last stored in order.
    scattered: usize,
    /// Where each cell is.
    table: Table,
    /// What queries built of the boxes.
    #[serde(skip)]
    index: QueryIndex,
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
            spans: vec![Span::NONE; (LEVEL_MAX - LEVEL_MIN + 1) as usize],
            extents: no_extents(),
            moved: 0,
            last: NONE,
            count: 0,
            scattered: 0,
            table: Table::default(),
            index: QueryIndex::default(),
        }
    }
}

impl Grid {
    /// Whether there is no box.
    pub(crate) fn is_empty(&self) -> bool {
        self.roots().next().is_none()
    }

    /// The number of boxes.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Boxes to a cell, on average.
    pub(crate) fn boxes_per_cell(&self) -> f32 {
        self.count as f32 / (self.cells.len() - self.free.len()).max(1) as f32
    }

    /// The number of boxes on each level, from `LEVEL_MIN`.
    pub(crate) fn level_counts(&self) -> &[u32] {
        &self.level_counts
    }

    /// Whether all boxes within bricks of `level` are on that level: none is on a finer one
    /// nor on the one between.
    pub(crate) fn is_alone_in_bricks(&self, level: i8) -> bool {
        let own = (i32::from(level) - LEVEL_MIN) as usize;
        let counts = self.level_counts.iter().take(own + 2).enumerate();
        counts
            .filter(|(index, _)| *index != own)
            .all(|(_, &count)| count == 0)
    }

    /// The cells that hold boxes.
    pub(crate) fn full_cells(&self) -> impl Iterator<Item = u32> {
        let cells = (0..).zip(&self.cells);
        cells.filter_map(|(index, cell)| (!cell.items.is_empty()).then_some(index))
    }

    /// Memory held, in bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.cells.capacity() * size_of::<Cell>()
            + self.free.capacity() * size_of::<u32>()
            + self.items.memory_bytes()
            + self.table.memory_bytes()
            + self.index.memory_bytes()
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

    /// A tree of the boxes for queries, once it is worth it; `fat` has all boxes by id.
    pub(crate) fn tree(&self, fat: &[WorldAabb]) -> Option<&WideTree> {
        self.index.ask(self.count, || {
            let items = self.cells.iter().flat_map(|cell| self.items(cell));
            WideTree::new(items.map(Item::id), fat)
        })
    }

    /// All boxes from one on, of its cell and what happens to follow them.
    #[inline(always)]
    pub(crate) fn items_from(&self, first: u32) -> &[Item] {
        self.items.entries_from(first)
    }

    /// Reads one box ahead of its turn; the value says nothing.
    #[inline(always)]
    pub(crate) fn fetch_item(&self, cell: u32, slot: u32) -> u32 {
        let cell = self.cells.get(cell as usize);
        let items = cell.map(|cell| self.items_from(cell.items.first()));
        items.map_or(0, |items| items.get(slot as usize).map_or(0, Item::id))
    }

    /// One box.
    pub(crate) fn item(&self, cell: u32, slot: u32) -> &Item {
        &self.items(self.cell(cell))[slot as usize]
    }

    /// What holds all cells of a level on which boxes may be.
    #[inline(always)]
    pub(crate) fn span(&self, level: i8) -> &Span {
        &self.spans[(i32::from(level) - LEVEL_MIN) as usize]
    }

    /// The cells of the seeker's level or a coarser one whose boxes may touch it.
    #[inline(always)]
    pub(crate) fn cells_around(&self, seeker: &Seeker, level: i8) -> Span {
        let reach = &self.extent(level).reach;
        seeker.cells(level, reach).within(self.span(level))
    }

    /// The levels that have boxes, the coarsest first.
    pub(crate) fn levels(&self) -> impl Iterator<Item = i8> {
        let (mut level, mut left) = (self.max_level + 1, self.count);
        std::iter::from_fn(move || {
            while left > 0 {
                level -= 1;
                let count = self.level_counts[(i32::from(level) - LEVEL_MIN) as usize] as usize;
                left -= count;
                if count > 0 {
                    return Some(level);
                }
            }
            None
        })
    }

    /// The levels from `level` up that have boxes.
    pub(crate) fn levels_from(&self, level: i8) -> impl Iterator<Item = i8> {
        let has_boxes =
            |level: &i8| self.level_counts[(i32::from(*level) - LEVEL_MIN) as usize] > 0;
        (level..=self.max_level).filter(has_boxes)
    }

    /// The roots of the octants that hold anything.
    pub(crate) fn roots(&self) -> impl Iterator<Item = u32> + '_ {
        self.roots.iter().copied().filter(|&root| root != NONE)
    }

    /// The root of an octant of space, numbered by the axes along which it is negative, one
    /// bit each.
    pub(crate) fn root(&self, octant: usize) -> Option<u32> {
        Some(self.roots[octant]).filter(|&root| root != NONE)
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
        let reach = half + cell.overhang_below();
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

    /// Adds a box, `fat` in the world; answers with its cell and its slot there.
    pub(crate) fn insert(&mut self, placement: &Placement, fat: &WorldAabb, id: u32) -> (u32, u32) {
        self.index.forget();
        self.extend(placement.level, fat, &placement.bounds);
        let cell = self.find_or_create(placement.level, placement.coord);
        self.last = cell;
        self.raise_top(cell, placement.level);
        self.count += 1;
        let count = &mut self.level_counts[(i32::from(placement.level) - LEVEL_MIN) as usize];
        *count += 1;
        self.max_level = self.max_level.max(placement.level);
        let run = &mut self.cells[cell as usize].items;
        let slot = run.len() as u32;
        if run.is_full() {
            self.scattered += run.len() + 1;
        }
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
        self.index.forget();
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
            self.raise_top(cell, level);
            self.level_counts[(i32::from(level) - LEVEL_MIN) as usize] += same.len() as u32;
            self.max_level = self.max_level.max(level);
            let run = &mut self.cells[cell as usize].items;
            self.items.reserve(run, same.len());
            for arrival in same.iter().map(arrival) {
                let slot = run.len() as u32;
                self.items.push(run, Item::new(arrival.bounds, arrival.id));
                put(arrival.id, cell, slot);
            }
            self.extend_around(cell);
        }
        self.count += places.len();
        // What came to an empty grid in order is stored in order.
        self.scattered += if was_empty { 0 } else { places.len() };
    }

    /// Takes a box out; answers with the id of the box that now has its slot, if any.
    pub(crate) fn remove(&mut self, cell: u32, slot: u32) -> Option<u32> {
        self.index.forget();
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

    /// Takes a box to another cell; answers as [`Self::insert`] and [`Self::remove`] do.
    pub(crate) fn relocate(
        &mut self,
        cell: u32,
        slot: u32,
        placement: &Placement,
        fat: &WorldAabb,
        id: u32,
    ) -> (u32, u32, Option<u32>) {
        // In before out, so that the cells above both stay.
        self.last = cell;
        let (new_cell, new_slot) = self.insert(placement, fat, id);
        (new_cell, new_slot, self.remove(cell, slot))
    }

    /// Rewrites a box that stays in its cell; `false` when it has to go elsewhere.
    pub(crate) fn rewrite(
        &mut self,
        cell: u32,
        slot: u32,
        placement: &Placement,
        fat: &WorldAabb,
    ) -> bool {
        let Cell {
            items: run,
            level,
            coord,
            ..
        } = &self.cells[cell as usize];
        if *level != placement.level || *coord != placement.coord {
            return false;
        }
        self.index.forget();
        self.items.get_mut(run)[slot as usize].set_bounds(placement.bounds);
        self.extend(placement.level, fat, &placement.bounds);
        true
    }
}
