//! Moved proxies sorted into groups that are searched together.
//!
//! Those of one level that share a brick of 4 x 4 x 4 cells form a group. Groups follow each
//! other along a curve through space, so that what one has brought to the cache serves the
//! next. Which proxies form a group changes the cost of a search, never its result.

use drystone_geometry::Workers;
use drystone_geometry::curve::interleaved;
use drystone_geometry::glam::DVec3;

use crate::grid::{Cell, Grid, NONE};
use crate::home::{Home, Proxy};
use crate::item::{Limit, shift};
use crate::placement::{STEPS, power_of_two};
use crate::search::{Change, SCRATCH, Scene};
use crate::tolerance::{TASK_BOXES, TASK_MEMBERS};

/// Moved proxies of one grid, sorted into groups.
#[derive(Clone, Debug, Default)]
pub(crate) struct Groups {
    /// In the order in which they are searched: neighbours in space follow each other.
    groups: Vec<Group>,
    /// Moved proxies, group by group.
    members: Vec<u32>,
    /// First the brick, then the group of each moved proxy; `NONE` for those of the other grid.
    group_of: Vec<u32>,
    ranks: Vec<u32>,
}

/// Some moved proxies around a brick.
#[derive(Clone, Copy, Debug)]
struct Group {
    brick: u32,
    count: u32,
    /// Index after its last member.
    end: u32,
    /// Place of the brick along a space-filling curve.
    place: u64,
    /// Index before sorting by place.
    index: u32,
}

impl Groups {
    /// Groups those of `moved` whose home is `home`, which is `grid`.
    pub(crate) fn build(
        &mut self,
        workers: &Workers,
        grid: &mut Grid,
        proxies: &[Proxy],
        moved: &[u32],
        home: Home,
    ) {
        self.find_bricks(workers, grid, proxies, moved, home);
        self.groups.clear();
        for at in self.group_of.iter_mut().filter(|at| **at != NONE) {
            let cell = grid.cell_mut(*at);
            if cell.group == NONE {
                cell.group = self.groups.len() as u32;
                self.groups.push(Group {
                    brick: *at,
                    count: 0,
                    end: 0,
                    place: interleaved(cell.coord),
                    index: cell.group,
                });
            }
            *at = cell.group;
            self.groups[cell.group as usize].count += 1;
        }
        for group in &self.groups {
            grid.cell_mut(group.brick).group = NONE;
        }
        self.order();
        for (&id, &group) in moved.iter().zip(&self.group_of) {
            if group != NONE {
                let group = &mut self.groups[self.ranks[group as usize] as usize];
                self.members[group.end as usize] = id;
                group.end += 1;
            }
        }
    }

    /// Finds the brick of each of `moved`. That waits for memory, so workers share it.
    fn find_bricks(
        &mut self,
        workers: &Workers,
        grid: &Grid,
        proxies: &[Proxy],
        moved: &[u32],
        home: Home,
    ) {
        self.group_of.resize(moved.len(), NONE);
        let chunks = moved.chunks(TASK_BOXES);
        let work = chunks.zip(self.group_of.chunks_mut(TASK_BOXES));
        workers.for_each(work, |_, (moved, bricks)| {
            for (&id, brick) in moved.iter().zip(bricks) {
                let proxy = &proxies[id as usize];
                *brick = NONE;
                if proxy.home == home {
                    *brick = grid.brick(proxy.cell);
                }
            }
        });
    }

    /// Sorts the groups and makes room for their members.
    fn order(&mut self) {
        self.groups
            .sort_unstable_by_key(|group| (group.place, group.index));
        self.ranks.clear();
        self.ranks.resize(self.groups.len(), 0);
        let mut total = 0;
        for (rank, group) in (0..).zip(&mut self.groups) {
            self.ranks[group.index as usize] = rank;
            group.end = total;
            total += group.count;
        }
        self.members.clear();
        self.members.resize(total as usize, 0);
    }

    fn members(&self, group: &Group) -> &[u32] {
        &self.members[(group.end - group.count) as usize..group.end as usize]
    }

    /// Whether all are searched in one task.
    pub(crate) fn is_one_task(&self) -> bool {
        self.members.len() <= TASK_MEMBERS
    }

    /// Ranges of groups with at least `TASK_MEMBERS` members together.
    fn tasks(&self) -> Vec<(usize, usize)> {
        let mut tasks = Vec::new();
        let (mut first, mut members) = (0, 0);
        for (index, group) in self.groups.iter().enumerate() {
            members += group.count as usize;
            if members >= TASK_MEMBERS || index + 1 == self.groups.len() {
                tasks.push((first, index + 1));
                (first, members) = (index + 1, 0);
            }
        }
        tasks
    }

    /// Searches all groups; `home` as for `build`.
    pub(crate) fn search(
        &self,
        workers: &Workers,
        scene: &Scene<'_>,
        home: Home,
    ) -> Vec<Vec<Change>> {
        let tasks = self.tasks();
        let mut found = vec![Vec::new(); tasks.len()];
        workers.for_each(
            tasks.iter().zip(&mut found),
            |_, (&(first, end), changes)| {
                SCRATCH.with_borrow_mut(|scratch| {
                    for group in &self.groups[first..end] {
                        let frame = Frame::of(scene.grid(home).cell(group.brick));
                        scratch.search(scene, home, &frame, self.members(group), changes);
                    }
                });
            },
        );
        found
    }
}

/// The units a group is searched in: steps of its level from its brick's smallest corner.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Frame {
    pub(crate) level: i8,
    /// The cell at the brick's smallest corner.
    pub(crate) coord: [i32; 3],
    pub(crate) origin: DVec3,
}

impl Frame {
    /// The frame around `brick`, two levels below it.
    pub(crate) fn of(brick: &Cell) -> Self {
        let [x, y, z] = brick.coord;
        Self {
            level: brick.level - 2,
            coord: [4 * x, 4 * y, 4 * z],
            origin: brick.origin(),
        }
    }

    /// The frame with its origin at the smallest corner of the cell `coord` of `level`.
    pub(crate) fn at(level: i8, coord: [i32; 3]) -> Self {
        let [x, y, z] = coord.map(f64::from);
        Self {
            level,
            coord,
            origin: DVec3::new(x, y, z) * power_of_two(i32::from(level)),
        }
    }
}

/// The shift from a cell to the frame around its own brick.
pub(crate) fn shift_in_brick(cell: &Cell) -> Limit {
    shift(cell.coord.map(|at| ((at & 3) * STEPS) as i16))
}

/// The shift from a cell of the frame's level to the frame. Cells that a group's boxes lie in
/// or touch are seven cells away at most, so 16 bits of steps hold it.
pub(crate) fn shift_to(frame: &Frame, cell: &Cell) -> Limit {
    let mut steps = [0; 3];
    for (axis, steps) in steps.iter_mut().enumerate() {
        let cells = cell.coord[axis] - frame.coord[axis];
        debug_assert!((-7..=7).contains(&cells));
        *steps = (cells * STEPS) as i16;
    }
    shift(steps)
}
