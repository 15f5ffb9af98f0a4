//! The persistent pair set: for each proxy the sorted ids it is paired with.
//!
//! Both sides of a pair know it, so a proxy that moves or goes finds its pairs without a
//! look at any other's. A short list costs its four bytes an entry; a proxy with many
//! partners, such as a floor, has a tree, so that one pair more or less costs little.

use std::collections::{BTreeMap, BTreeSet};

use fearless_simd::prelude::*;
use fearless_simd::u32x8;
use serde::{Deserialize, Serialize};

use crate::run_pool::{Run, RunPool};
use crate::search::Change;
use crate::tolerance::{HUB_MIN, LIST_MAX};

const _: () = assert!(
    LIST_MAX <= u64::BITS as usize,
    "a bit for each entry of a list"
);

/// The list of a proxy that has a tree.
const HUB: Run = Run::MARK;

/// The pairs of all proxies.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Partners {
    lists: Vec<Run>,
    pool: RunPool<u32>,
    /// Proxies whose list outgrew `LIST_MAX`; their list is the [`HUB`] then.
    hubs: BTreeMap<u32, BTreeSet<u32>>,
    /// Room to merge in.
    #[serde(skip)]
    merged: Vec<u32>,
}

/// The partners of one proxy, in order.
pub(crate) enum PartnerIter<'a> {
    /// From a list.
    List(std::iter::Copied<std::slice::Iter<'a, u32>>),
    /// From a tree.
    Hub(std::iter::Copied<std::collections::btree_set::Iter<'a, u32>>),
}

impl Iterator for PartnerIter<'_> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        match self {
            Self::List(ids) => ids.next(),
            Self::Hub(ids) => ids.next(),
        }
    }
}

impl Partners {
    /// See [`BroadPhase::reserve_ids`](crate::BroadPhase::reserve_ids).
    pub(crate) fn reserve_ids(&mut self, count: usize) {
        if self.lists.len() < count {
            self.lists.reserve(count - self.lists.len() + count / 8);
            self.lists.resize(count, Run::default());
        }
    }

    /// Memory held, in bytes; a tree's entry is taken as eight.
    pub(crate) fn memory_bytes(&self) -> usize {
        let hubs: usize = self.hubs.values().map(BTreeSet::len).sum();
        self.lists.capacity() * size_of::<Run>() + self.pool.memory_bytes() + 8 * hubs
    }

    /// The partners of `id`, in order.
    pub(crate) fn of(&self, id: u32) -> PartnerIter<'_> {
        let run = &self.lists[id as usize];
        if *run == HUB
            && let Some(hub) = self.hubs.get(&id)
        {
            return PartnerIter::Hub(hub.iter().copied());
        }
        PartnerIter::List(self.pool.get(run).iter().copied())
    }

    /// The list of the partners of `id`; empty when they are too many for one.
    pub(crate) fn run(&self, id: u32) -> Run {
        self.lists[id as usize]
    }

    /// Whether `other` is a partner of `id`, whose list is `run`.
    #[inline(always)]
    pub(crate) fn has<S: Simd>(&self, simd: S, run: &Run, id: u32, other: u32) -> bool {
        if run.is_empty() {
            return *run == HUB && self.is_partner(id, other);
        }
        let sought = u32x8::splat(simd, other);
        if let Some(window) = self.pool.window(run) {
            let same = u32x8::simd_from(simd, *window).simd_eq(sought);
            return same.to_bitmask() & ((1 << run.len()) - 1) != 0;
        }
        if run.len() <= 8 {
            // The last of the pool, with less than a window behind it.
            return self.is_partner(id, other);
        }
        let (mut met, mut first) = (0, 0);
        for block in self.pool.blocks(run).iter().take(run.len().div_ceil(8)) {
            let same = u32x8::simd_from(simd, *block).simd_eq(sought);
            met |= same.to_bitmask() << first;
            first += block.len();
        }
        met & (u64::MAX >> (u64::BITS as usize - run.len())) != 0
    }

    /// Whether `other` is a partner of `id`.
    #[inline(never)]
    pub(crate) fn is_partner(&self, id: u32, other: u32) -> bool {
        // Both sides know a pair, and a list is sooner looked through than a tree.
        let [own, others] = [id, other].map(|id| self.lists[id as usize]);
        if own != HUB {
            self.pool.get(&own).binary_search(&other).is_ok()
        } else if others != HUB {
            self.pool.get(&others).binary_search(&id).is_ok()
        } else {
            self.hubs.get(&id).is_some_and(|hub| hub.contains(&other))
        }
    }

    /// The number of partners of `id`, whose list is `run`.
    #[inline(always)]
    pub(crate) fn count(&self, run: &Run, id: u32) -> u32 {
        if *run == HUB {
            return self.hubs.get(&id).map_or(0, BTreeSet::len) as u32;
        }
        run.len() as u32
    }

    /// Reads the beginnings of lists; see [`Self::fetch`].
    pub(crate) fn fetch_runs(&self, runs: &[Run]) {
        let firsts = runs.iter().map(|run| self.pool.get(run).first());
        std::hint::black_box(firsts.fold(0, |all, first| all ^ first.copied().unwrap_or(0)));
    }

    /// Reads what [`Self::of`] is about to need for several ids: reads that do not wait for
    /// each other take little longer than one of them.
    pub(crate) fn fetch(&self, ids: impl Iterator<Item = u32>) {
        let runs = ids.map(|id| self.pool.get(&self.lists[id as usize]));
        let firsts = runs.map(|run| run.first().copied().unwrap_or(0));
        std::hint::black_box(firsts.fold(0, |all, first| all ^ first));
    }

    /// The partners of `id`, in order: where they lie, or copied to `copy`.
    pub(crate) fn slice<'a>(&'a self, id: u32, copy: &'a mut Vec<u32>) -> &'a [u32] {
        let run = &self.lists[id as usize];
        if *run == HUB
            && let Some(hub) = self.hubs.get(&id)
        {
            copy.clear();
            copy.extend(hub);
            return copy;
        }
        self.pool.get(run)
    }

    /// Whether the partners of `id` are `found`, different ids in any order; only ever true when
    /// they are few, which is told at once.
    #[inline(always)]
    pub(crate) fn are<S: Simd>(&self, simd: S, id: u32, found: &[u32]) -> bool {
        let run = &self.lists[id as usize];
        if run.len() != found.len() {
            return false;
        }
        if found.is_empty() {
            return *run != HUB;
        }
        let Some(window) = self.pool.window(run) else {
            return false;
        };
        let partners = u32x8::simd_from(simd, *window);
        let mut met = 0;
        for &other in found {
            met |= partners.simd_eq(u32x8::splat(simd, other)).to_bitmask();
        }
        // As many as there are partners, and each partner among them.
        met & ((1 << found.len()) - 1) == (1 << found.len()) - 1
    }

    /// Enters changes of the partners of `id`, sorted by partner.
    pub(crate) fn change(&mut self, id: u32, changes: &[Change]) {
        let run = &mut self.lists[id as usize];
        if *run == HUB
            && let Some(hub) = self.hubs.get_mut(&id)
        {
            for change in changes {
                if change.gained {
                    hub.insert(change.other);
                } else {
                    hub.remove(&change.other);
                }
            }
            if hub.len() < HUB_MIN {
                let ids: Vec<u32> = hub.iter().copied().collect();
                self.hubs.remove(&id);
                *run = Run::default();
                self.pool.assign(run, &ids);
            }
            return;
        }
        merge(self.pool.get(run), changes, &mut self.merged);
        if self.merged.len() > LIST_MAX {
            self.hubs.insert(id, self.merged.iter().copied().collect());
            self.pool.release(run);
            *run = HUB;
            return;
        }
        self.pool.assign(run, &self.merged);
    }

    /// Empties the list of `id` and answers with what it held.
    pub(crate) fn take(&mut self, id: u32) -> Vec<u32> {
        let ids = self.of(id).collect();
        let run = &mut self.lists[id as usize];
        if *run == HUB {
            self.hubs.remove(&id);
            *run = Run::default();
        } else {
            self.pool.release(run);
        }
        ids
    }
}

/// `list` with `changes`, both sorted, in `merged`.
fn merge(list: &[u32], changes: &[Change], merged: &mut Vec<u32>) {
    merged.clear();
    let mut rest = list;
    for change in changes {
        let before = rest
            .iter()
            .take_while(|&&partner| partner < change.other)
            .count();
        merged.extend_from_slice(&rest[..before]);
        rest = &rest[before..];
        if change.gained {
            debug_assert_ne!(rest.first(), Some(&change.other));
            merged.push(change.other);
        } else {
            debug_assert_eq!(rest.first(), Some(&change.other));
            rest = &rest[1..];
        }
    }
    merged.extend_from_slice(rest);
}
