//! The broad phase: proxies in, sorted pair changes out.

use drystone_geometry::{Workers, WorldAabb};
use serde::{Deserialize, Serialize};

use crate::bulk::roomy_for;
use crate::dense::Tiles;
use crate::grid::Grid;
use crate::groups::Groups;
use crate::home::{HOMES, Home, NOWHERE, Proxy, Rule};
use crate::moves::Move;
use crate::partners::Partners;
use crate::proxy::{Activity, Filter, Pair, PairChanges, ProxyDef, ProxyError};
use crate::radix::sort_pairs;
use crate::search::{Change, Scene, finer_by_level, search_unbounded};
use crate::tolerance::{FETCH_AHEAD, MOST, MOST_LEAST};

/// The broad phase of a world: it knows which fat boxes overlap.
///
/// A *fat box* is a proxy's tight box with a margin, rounded outwards to the grid. A pair
/// exists exactly while two fat boxes overlap (touching counts), their filters allow it,
/// their owners differ and at least one of both is not static. So the pairs are a function of
/// the fat boxes alone, whatever the history, the thread count or the layout of the grid.
///
/// Only proxies that are new, left their fat box or changed their filter are searched; all
/// others, static, asleep or just resting, cost nothing. Plain data: a clone or a serialized
/// copy goes on with the same pairs.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct BroadPhase {
    pub(crate) proxies: Vec<Proxy>,
    pub(crate) rules: Vec<Rule>,
    pub(crate) fat: Vec<WorldAabb>,
    pub(crate) fixed: Grid,
    pub(crate) mobile: Grid,
    /// Ids of `Home::Unbounded`, sorted.
    pub(crate) unbounded: Vec<u32>,
    pub(crate) partners: Partners,
    pub(crate) proxy_count: usize,
    pub(crate) pair_count: usize,
    /// Ids to search with the next update; each once.
    pub(crate) queue: Vec<u32>,
    /// Whether a filter changed since the last update.
    pub(crate) refilter: bool,
    /// Pairs ended by removals since the last update.
    ended: Vec<Pair>,
    changes: PairChanges,
    /// Between the two parts of an update.
    found: Found,
    #[serde(skip)]
    groups: Groups,
    #[serde(skip)]
    tiles: Tiles,
    /// Room to sort in.
    #[serde(skip)]
    spare: Vec<Pair>,
    /// Room for moves that are planned together.
    #[serde(skip)]
    pub(crate) planned: Vec<Vec<Move>>,
}

/// What was found and is still to be entered in the pair set.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Found {
    changes: Vec<Vec<Change>>,
    /// Ids that were searched, and still count as queued.
    moved: Vec<u32>,
}

impl BroadPhase {
    /// An empty broad phase.
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of proxies.
    pub fn proxy_count(&self) -> usize {
        self.proxy_count
    }

    /// The number of pairs, as of the last update less those ended by removals since.
    pub fn pair_count(&self) -> usize {
        self.pair_count
    }

    /// Adds a proxy under `id`, one of the caller's dense indices. Its pairs come with the
    /// next [`Self::update`]. Storage grows with the largest id, so ids should be reused.
    pub fn insert(&mut self, id: u32, def: ProxyDef) -> Result<(), ProxyError> {
        self.admit(id, &def)?;
        self.settle(id, &roomy_for(&def));
        self.enqueue(id);
        Ok(())
    }

    /// Removes a proxy; `false` when there is none. Its pairs end with the next update.
    pub fn remove(&mut self, id: u32) -> bool {
        self.enter_changes();
        if !self.has(id) {
            return false;
        }
        self.unsettle(id);
        for other in self.partners.take(id) {
            self.partners.change(
                other,
                &[Change {
                    id: other,
                    other: id,
                    gained: false,
                }],
            );
            self.ended.push(Pair::new(id, other));
            self.pair_count -= 1;
        }
        self.fat[id as usize] = NOWHERE;
        self.proxy_count -= 1;
        true
    }

    /// Changes whether a proxy moves; `false` when there is none. Between asleep and awake
    /// this costs nothing; to and from static the proxy is searched anew.
    pub fn set_activity(&mut self, id: u32, activity: Activity) -> bool {
        self.enter_changes();
        if !self.has(id) {
            return false;
        }
        let proxy = &mut self.proxies[id as usize];
        let was_static = proxy.activity == Activity::Static;
        proxy.activity = activity;
        if was_static != (activity == Activity::Static) {
            let fat = self.fat[id as usize];
            self.unsettle(id);
            self.settle(id, &fat);
            self.enqueue(id);
        }
        true
    }

    /// Changes what a proxy may pair with; `false` when there is none.
    pub fn set_filter(&mut self, id: u32, filter: Filter) -> bool {
        self.enter_changes();
        if !self.has(id) {
            return false;
        }
        if self.rules[id as usize].filter != filter {
            self.rules[id as usize].filter = filter;
            self.refilter = true;
            self.enqueue(id);
        }
        true
    }

    /// Finds what changed since the last update; `workers` share the search.
    /// Without a change it returns at once, however many proxies there are.
    pub fn update(&mut self, workers: &Workers) -> &PairChanges {
        self.find_changes(workers);
        self.enter_changes();
        &self.changes
    }

    /// The first part of [`Self::update`]: [`Self::changes`] are known, [`Self::pairs`] and
    /// [`Self::partners`] are still as before. The second, which one thread does while others do
    /// something else, is [`Self::enter_changes`]; whatever changes proxies does it first.
    pub fn find_changes(&mut self, workers: &Workers) {
        self.enter_changes();
        self.changes.added.clear();
        self.changes.removed.clear();
        std::mem::swap(&mut self.changes.removed, &mut self.ended);
        if !self.queue.is_empty() {
            let mut moved = std::mem::take(&mut self.queue);
            for grid in [&mut self.mobile, &mut self.fixed] {
                if grid.is_scattered(moved.len()) {
                    grid.reorder(|id, cell| self.proxies[id as usize].cell = cell);
                }
            }
            let counts = self.count_by_home(&moved);
            self.mobile.tighten(counts[Home::Mobile as usize]);
            self.fixed.tighten(counts[Home::Fixed as usize]);
            let all_mobile = !self.refilter && self.is_most(counts[Home::Mobile as usize]);
            if !all_mobile {
                // Neighbours tend to have near numbers. All of a grid are searched as they lie.
                moved.sort_unstable();
            } else if counts[Home::Mobile as usize] < self.mobile.count() {
                self.queue_all_mobile(&mut moved);
            }
            let changes = self.search(workers, &moved, counts, all_mobile);
            for changes in &changes {
                self.note(changes);
            }
            self.found = Found { changes, moved };
            self.refilter = false;
        }
        sort_pairs(&mut self.changes.added, &mut self.spare);
        sort_pairs(&mut self.changes.removed, &mut self.spare);
    }

    /// The second part of [`Self::update`]; without the first, or a second time, it does nothing.
    pub fn enter_changes(&mut self) {
        if self.found.moved.is_empty() {
            return;
        }
        let Found { changes, mut moved } = std::mem::take(&mut self.found);
        for changes in changes {
            self.enter(&changes);
        }
        for id in moved.drain(..) {
            self.proxies[id as usize].queued = false;
        }
        // The queue is empty, and gets its memory back.
        self.queue = moved;
    }

    /// What the last update changed.
    pub fn changes(&self) -> &PairChanges {
        &self.changes
    }

    /// The fat box of a proxy, in the world, in metres.
    #[inline]
    pub fn fat_aabb(&self, id: u32) -> Option<WorldAabb> {
        self.has(id).then(|| self.fat[id as usize])
    }

    /// Whether a proxy moves.
    pub fn activity(&self, id: u32) -> Option<Activity> {
        self.has(id).then(|| self.proxies[id as usize].activity)
    }

    /// What a proxy may pair with.
    pub fn filter(&self, id: u32) -> Option<Filter> {
        self.has(id).then(|| self.rules[id as usize].filter)
    }

    /// All pairs, in sorted order.
    pub fn pairs(&self) -> impl Iterator<Item = Pair> + '_ {
        (0..self.proxies.len() as u32).flat_map(|a| {
            self.partners
                .of(a)
                .filter(move |&b| b > a)
                .map(move |b| Pair { a, b })
        })
    }

    /// The proxies paired with `id`, in order; none when there is no such proxy.
    pub fn partners(&self, id: u32) -> impl Iterator<Item = u32> + '_ {
        self.has(id)
            .then(|| self.partners.of(id))
            .into_iter()
            .flatten()
    }

    /// Memory held, in bytes: all arrays with their spare room.
    pub fn memory_bytes(&self) -> usize {
        self.proxies.capacity() * size_of::<Proxy>()
            + self.rules.capacity() * size_of::<Rule>()
            + self.fat.capacity() * size_of::<WorldAabb>()
            + self.queue.capacity() * size_of::<u32>()
            + self.fixed.memory_bytes()
            + self.mobile.memory_bytes()
            + self.partners.memory_bytes()
    }

    /// The fat box of a proxy that exists.
    pub(crate) fn fat(&self, id: u32) -> &WorldAabb {
        &self.fat[id as usize]
    }

    pub(crate) fn has(&self, id: u32) -> bool {
        self.proxies
            .get(id as usize)
            .is_some_and(|proxy| proxy.home != Home::Vacant)
    }

    pub(crate) fn enqueue(&mut self, id: u32) {
        let proxy = &mut self.proxies[id as usize];
        if !proxy.queued {
            proxy.queued = true;
            self.queue.push(id);
        }
    }

    /// How many of some ids live where, by `Home`.
    fn count_by_home(&self, ids: &[u32]) -> [usize; HOMES] {
        let mut counts = [0; HOMES];
        for &id in ids {
            counts[self.proxies[id as usize].home as usize] += 1;
        }
        counts
    }

    /// Whether so many are most of the mobile grid: then searching all of it takes less.
    fn is_most(&self, moved: usize) -> bool {
        moved >= MOST_LEAST.max((MOST * self.mobile.count() as f32) as usize)
    }

    /// Adds what is missing of the mobile grid to the ids to search.
    fn queue_all_mobile(&mut self, moved: &mut Vec<u32>) {
        for cell in self.mobile.full_cells() {
            for item in self.mobile.items(self.mobile.cell(cell)) {
                let proxy = &mut self.proxies[item.id() as usize];
                if !proxy.queued {
                    proxy.queued = true;
                    moved.push(item.id());
                }
            }
        }
    }

    /// Searches the moved ids, of which `counts` live where, and which are all of the mobile
    /// grid if `all_mobile`. The lists of changes do not depend on threads.
    fn search(
        &mut self,
        workers: &Workers,
        moved: &[u32],
        counts: [usize; HOMES],
        all_mobile: bool,
    ) -> Vec<Vec<Change>> {
        let mut lists = Vec::new();
        if !all_mobile && counts[Home::Mobile as usize] > 0 {
            let groups = self.build_groups(workers, moved, Home::Mobile);
            lists.extend(groups.search(workers, &self.scene(), Home::Mobile));
            self.groups = groups;
        }
        let has_mobile = !self.mobile.is_empty() || !self.unbounded.is_empty();
        let are_fixed_met = has_mobile || self.pair_count > 0;
        let fixed = (counts[Home::Fixed as usize] > 0 && are_fixed_met)
            .then(|| self.build_groups(workers, moved, Home::Fixed));
        if all_mobile {
            let mut tiles = std::mem::take(&mut self.tiles);
            tiles.part(&self.mobile);
            let scene = self.scene();
            // What is a single task, a few large ones as a rule, is searched beside the tiles.
            let few = fixed.as_ref().filter(|groups| groups.is_one_task());
            let mut beside = Vec::new();
            let search_few = || {
                if let Some(groups) = few {
                    beside = groups.search(&Workers::ALONE, &scene, Home::Fixed);
                }
            };
            lists.extend(tiles.search(workers, &scene, search_few));
            lists.append(&mut beside);
            self.tiles = tiles;
        }
        if let Some(groups) = fixed {
            if !(all_mobile && groups.is_one_task()) {
                lists.extend(groups.search(workers, &self.scene(), Home::Fixed));
            }
            self.groups = groups;
        }
        if counts[Home::Unbounded as usize] == 0 {
            return lists;
        }
        let mut changes = Vec::new();
        for &id in moved {
            if self.proxies[id as usize].home == Home::Unbounded {
                search_unbounded(&self.scene(), id, &mut changes);
            }
        }
        lists.push(changes);
        lists
    }

    /// Those of `moved` that live in a grid, in groups.
    fn build_groups(&mut self, workers: &Workers, moved: &[u32], home: Home) -> Groups {
        let mut groups = std::mem::take(&mut self.groups);
        let grid = if home == Home::Fixed {
            &mut self.fixed
        } else {
            &mut self.mobile
        };
        groups.build(workers, grid, &self.proxies, moved, home);
        groups
    }

    fn scene(&self) -> Scene<'_> {
        Scene {
            fixed: &self.fixed,
            mobile: &self.mobile,
            unbounded: &self.unbounded,
            proxies: &self.proxies,
            rules: &self.rules,
            fat: &self.fat,
            partners: &self.partners,
            refilter: self.refilter,
            finer: finer_by_level(&self.fixed, &self.mobile),
        }
    }

    /// Tells of changes. A pair of two moved proxies was found from both sides: the lower id
    /// reports it.
    fn note(&mut self, changes: &[Change]) {
        for some in changes.chunks(FETCH_AHEAD) {
            self.fetch_others(some);
            for &Change { id, other, gained } in some {
                if self.proxies[other as usize].queued && id > other {
                    continue;
                }
                let pair = Pair::new(id, other);
                if gained {
                    self.changes.added.push(pair);
                    self.pair_count += 1;
                } else {
                    self.changes.removed.push(pair);
                    self.pair_count -= 1;
                }
            }
        }
    }

    /// Enters changes in the pair set. A pair of two moved proxies was found from both sides: each
    /// enters its own.
    fn enter(&mut self, changes: &[Change]) {
        for some in changes.chunks(FETCH_AHEAD) {
            self.partners.fetch(some.iter().map(|change| change.id));
            self.fetch_others(some);
            self.enter_some(some);
        }
    }

    /// Reads whether the other proxies of some changes moved: one is far away from the next.
    fn fetch_others(&self, changes: &[Change]) {
        let others = changes.iter().map(|change| change.other as usize);
        let queued = others.fold(false, |any, other| any ^ self.proxies[other].queued);
        std::hint::black_box(queued);
    }

    /// [`Self::enter`] of some that were read ahead.
    fn enter_some(&mut self, changes: &[Change]) {
        // What one proxy gains and loses comes sorted by partner, or in several such parts.
        let is_same = |one: &Change, next: &Change| one.id == next.id && one.other < next.other;
        for run in changes.chunk_by(is_same) {
            let id = run[0].id;
            self.partners.change(id, run);
            for &Change { other, gained, .. } in run {
                let both_moved = self.proxies[other as usize].queued;
                if !both_moved {
                    self.partners.change(
                        other,
                        &[Change {
                            id: other,
                            other: id,
                            gained,
                        }],
                    );
                }
            }
        }
    }
}
