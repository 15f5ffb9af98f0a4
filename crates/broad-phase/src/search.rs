//! The search: what the moved proxies overlap now, against what they are paired with.
//!
//! For each group of moved proxies what touches the group is gathered once into its frame, and
//! each member is swept against that; where members are few beside what lies around them, each
//! is compared with the boxes of the cells around it as they are. The new partners of a member
//! then meet its old ones in one merge. Groups are independent, so they run in parallel and
//! their results are joined in order.

mod alone;
mod dense;
mod gather;
mod kept;

use std::cell::RefCell;

use drystone_geometry::WorldAabb;
use fearless_simd::{Level, Simd, dispatch};
use serde::{Deserialize, Serialize};

use crate::grid::{Grid, OVERHANG};
use crate::groups::{Frame, shift_in_brick};
use crate::home::{Home, Proxy, Rule};
use crate::item::Item;
use crate::partners::Partners;
use crate::placement::STEPS;
use crate::proxy::Activity;
use crate::seeker::Seeker;
use crate::sweep::Sweep;
use crate::tolerance::{FETCH_AHEAD, FINDING, LEVEL_MAX, LEVEL_MIN, LOADING, TESTING};
use alone::Meetings;
use dense::Tally;
use kept::Kept;

/// A pair that a moved proxy gained or lost.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Change {
    /// The moved proxy.
    pub(crate) id: u32,
    /// Its partner, moved or not.
    pub(crate) other: u32,
    /// Gained, else lost.
    pub(crate) gained: bool,
}

impl Change {
    /// A partner more.
    pub(crate) fn gain(id: u32, other: u32) -> Self {
        Self {
            id,
            other,
            gained: true,
        }
    }
}

/// The number of levels.
const LEVELS: usize = (LEVEL_MAX - LEVEL_MIN + 1) as usize;

/// What a search reads.
#[derive(Clone, Copy)]
pub(crate) struct Scene<'a> {
    pub(crate) fixed: &'a Grid,
    pub(crate) mobile: &'a Grid,
    /// Proxies in no grid, sorted.
    pub(crate) unbounded: &'a [u32],
    pub(crate) proxies: &'a [Proxy],
    pub(crate) rules: &'a [Rule],
    pub(crate) fat: &'a [WorldAabb],
    pub(crate) partners: &'a Partners,
    /// Whether existing pairs must be filtered again.
    pub(crate) refilter: bool,
    /// By level, from `LEVEL_MIN`: see [`Self::finer`].
    pub(crate) finer: [f32; LEVELS],
}

impl<'a> Scene<'a> {
    pub(crate) fn grid(&self, home: Home) -> &'a Grid {
        if home == Home::Fixed {
            self.fixed
        } else {
            self.mobile
        }
    }

    /// The grid of static proxies, or the other.
    #[inline(always)]
    fn grid_of(&self, is_fixed: bool) -> &'a Grid {
        if is_fixed { self.fixed } else { self.mobile }
    }

    /// Whether two proxies whose boxes overlap are a pair.
    fn allows(&self, a: u32, b: u32) -> bool {
        let (a, b) = (&self.rules[a as usize], &self.rules[b as usize]);
        a.owner != b.owner && a.filter.allows(&b.filter)
    }

    /// How many boxes there are on finer levels than `level`, to each that is not: a large
    /// box has so many more to meet in its volume.
    fn finer(&self, level: i8) -> f32 {
        self.finer[(i32::from(level) - LEVEL_MIN) as usize]
    }
}

/// What [`Scene::finer`] tells of each level.
pub(crate) fn finer_by_level(fixed: &Grid, mobile: &Grid) -> [f32; LEVELS] {
    let (mut below, mut finer) = (0, [0.0; LEVELS]);
    let all = fixed.count() + mobile.count();
    let counts = fixed.level_counts().iter().zip(mobile.level_counts());
    for (finer, (fixed, mobile)) in finer.iter_mut().zip(counts) {
        *finer = below as f32 / (all - below).max(1) as f32;
        below += (fixed + mobile) as usize;
    }
    finer
}

/// Buffers of one worker.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    members: Vec<Item>,
    candidates: Kept,
    /// Candidates from coarser levels.
    wide: Kept,
    meetings: Meetings,
    /// Where those of each box end.
    ends: Vec<usize>,
    queue: Vec<u32>,
    sweep: Sweep,
    found: Vec<u32>,
    partners: Vec<u32>,
    tally: Tally,
}

thread_local! {
    /// Buffers of a worker, allocated once per thread, without influence on any result.
    pub(crate) static SCRATCH: RefCell<Scratch> = RefCell::default();
}

impl Scratch {
    /// Searches the moved proxies of a brick: together when what lies around all of them is worth
    /// gathering, else one by one.
    pub(crate) fn search(
        &mut self,
        scene: &Scene<'_>,
        home: Home,
        frame: &Frame,
        ids: &[u32],
        changes: &mut Vec<Change>,
    ) {
        let grid = scene.grid(home);
        let mut members = std::mem::take(&mut self.members);
        members.clear();
        dispatch!(Level::baseline(), simd => members.extend(ids.iter().map(|&id| {
            let proxy = &scene.proxies[id as usize];
            let cell = grid.cell(proxy.cell);
            grid.items(cell)[proxy.slot as usize].shifted(simd, &shift_in_brick(cell))
        })));
        if is_worth_gathering(&members, scene, home, frame.level) {
            self.search_together(scene, home, frame, &members, changes);
        } else {
            dispatch!(Level::new(), simd => {
                self.search_alone(simd, scene, home, frame, &members, changes);
            });
        }
        self.members = members;
    }

    /// Searches some moved proxies that lie close together.
    fn search_together(
        &mut self,
        scene: &Scene<'_>,
        home: Home,
        frame: &Frame,
        members: &[Item],
        changes: &mut Vec<Change>,
    ) {
        let around = Item::around(members);
        self.candidates.clear();
        self.wide.clear();
        self.gather_around(scene.mobile, frame, &around);
        if home == Home::Mobile {
            self.gather_around(scene.fixed, frame, &around);
        }
        let (candidates, wide) = (self.candidates.items(), self.wide.items());
        self.sweep.load(candidates, wide, members.len());
        scene.partners.fetch(members.iter().map(Item::id));
        dispatch!(Level::new(), simd => for item in members {
            self.sweep.find(simd, item, &mut self.found);
            self.settle_found(simd, scene, item.id(), changes);
        });
    }

    /// Searches some moved proxies one by one.
    #[inline(always)]
    fn search_alone<S: Simd>(
        &mut self,
        simd: S,
        scene: &Scene<'_>,
        home: Home,
        frame: &Frame,
        members: &[Item],
        changes: &mut Vec<Change>,
    ) {
        scene.partners.fetch(members.iter().map(Item::id));
        for members in members.chunks(FETCH_AHEAD) {
            self.meetings.clear();
            self.ends.clear();
            for item in members {
                let seeker = Seeker::new(frame, item);
                self.meetings.find(simd, scene, false, &seeker);
                if home == Home::Mobile {
                    self.meetings.find(simd, scene, true, &seeker);
                }
                self.ends.push(self.meetings.count());
            }
            let mut first = 0;
            for (index, item) in members.iter().enumerate() {
                let blocks = first..self.ends[index];
                first = blocks.end;
                self.meetings
                    .take(scene, blocks, item.id(), &mut self.found);
                self.settle_found(simd, scene, item.id(), changes);
            }
        }
    }

    /// Compares what was found in the grids for `id` with its partners so far.
    #[inline(always)]
    fn settle_found<S: Simd>(
        &mut self,
        simd: S,
        scene: &Scene<'_>,
        id: u32,
        changes: &mut Vec<Change>,
    ) {
        let as_before = !scene.refilter
            && scene.unbounded.is_empty()
            && scene.partners.are(simd, id, &self.found);
        if !as_before {
            self.settle_one(scene, id, changes);
        }
    }

    /// [`Self::settle_found`] of those whose partners may not be the same.
    #[inline(never)]
    fn settle_one(&mut self, scene: &Scene<'_>, id: u32, changes: &mut Vec<Change>) {
        push_unbounded(scene, id, &mut self.found);
        self.found.sort_unstable();
        let partners = scene.partners.slice(id, &mut self.partners);
        compare(scene, id, &self.found, partners, changes);
    }
}

/// Whether walking once through the cells around all members costs less than walking through
/// those around each.
fn is_worth_gathering(members: &[Item], scene: &Scene<'_>, home: Home, level: i8) -> bool {
    if members.len() < 2 {
        return false;
    }
    let count = members.len() as f32;
    let mut edges = [0_i32; 3];
    for item in members {
        let bounds = item.bounds();
        for axis in 0..3 {
            edges[axis] -= i32::from(bounds[axis]) + i32::from(bounds[axis + 3]);
        }
    }
    let [a, b, c, d, e, f] = Item::around(members).map(f32::from);
    let (finer, boxes) = (scene.finer(level), scene.grid(home).boxes_per_cell());
    let (cells, volume) = cells_around([-d - a, -e - b, -f - c]);
    let (cells_each, volume_each) = cells_around(edges.map(|edge| edge as f32 / count));
    let together = cells * (1.0 + LOADING * boxes) + finer * volume + FINDING * count;
    let apart = cells_each * (1.0 + TESTING * boxes) + finer * volume_each;
    together <= count * apart
}

/// The number of cells whose boxes may touch a box with `edges`, in steps, and its volume in
/// cells.
fn cells_around(edges: [f32; 3]) -> (f32, f32) {
    let [x, y, z] = edges.map(|edge| edge / STEPS as f32);
    let reach = (1.0 + 2.0 * OVERHANG) as f32;
    ((x + reach) * (y + reach) * (z + reach), x * y * z)
}

/// Adds the unbounded proxies that overlap the fat box of `id`.
fn push_unbounded(scene: &Scene<'_>, id: u32, found: &mut Vec<u32>) {
    if scene.unbounded.is_empty() {
        return;
    }
    let is_static = scene.proxies[id as usize].activity == Activity::Static;
    let fat = &scene.fat[id as usize];
    found.extend(scene.unbounded.iter().copied().filter(|&other| {
        let other_static = scene.proxies[other as usize].activity == Activity::Static;
        !(is_static && other_static) && fat.overlaps(&scene.fat[other as usize])
    }));
}

/// Searches an unbounded proxy: against all others, since no grid can hold it.
pub(crate) fn search_unbounded(scene: &Scene<'_>, id: u32, changes: &mut Vec<Change>) {
    let is_static = scene.proxies[id as usize].activity == Activity::Static;
    let fat = &scene.fat[id as usize];
    let others = (0_u32..).zip(scene.proxies).zip(scene.fat);
    let touching = others.filter(|((other_id, other), other_fat)| {
        *other_id != id
            && other.home != Home::Vacant
            && !(is_static && other.activity == Activity::Static)
            && fat.overlaps(other_fat)
    });
    let found: Vec<u32> = touching.map(|((other, _), _)| other).collect();
    let mut copy = Vec::new();
    compare(
        scene,
        id,
        &found,
        scene.partners.slice(id, &mut copy),
        changes,
    );
}

/// Merges what `id` overlaps now with its partners so far; both sorted.
fn compare(scene: &Scene<'_>, id: u32, found: &[u32], partners: &[u32], changes: &mut Vec<Change>) {
    let allowed = |other: u32| scene.allows(id, other);
    if !scene.refilter && found == partners {
        return;
    }
    let mut next = 0;
    for &other in found {
        while next < partners.len() && partners[next] < other {
            changes.push(Change {
                id,
                other: partners[next],
                gained: false,
            });
            next += 1;
        }
        let known = partners.get(next) == Some(&other);
        next += usize::from(known);
        if known && scene.refilter && !allowed(other) {
            changes.push(Change {
                id,
                other,
                gained: false,
            });
        } else if !known && allowed(other) {
            changes.push(Change {
                id,
                other,
                gained: true,
            });
        }
    }
    for &other in &partners[next..] {
        changes.push(Change {
            id,
            other,
            gained: false,
        });
    }
}
