//! The search of a tile all of whose boxes moved: each pair of two of them is found once.
//!
//! A pair that was found is looked up among the partners of one of both and counted for each.
//! A box that ends up with fewer than it had lost some, and those are told by their fat boxes.

use fearless_simd::{Level, Simd, dispatch};

use super::{Change, Scene, Scratch, is_worth_gathering};
use crate::dense::Tile;
use crate::groups::shift_to;
use crate::home::Home;
use crate::item::Item;
use crate::run_pool::Run;
use crate::sweep::{HitList, Sweep};

/// What is known of the boxes of a tile; by their places in the sweep.
#[derive(Debug, Default)]
pub(super) struct Tally {
    /// Boxes that touch.
    hits: HitList,
    /// Partners found again; far more than anything has for what is around the tile.
    counts: Vec<u32>,
    /// Partners so far.
    runs: Vec<Run>,
    /// New partners: place and id.
    gained: Vec<(u32, u32)>,
}

/// The count of what does not belong to the tile.
const AROUND: u32 = 1 << 31;

impl Scratch {
    /// Searches all boxes in `cells`, which are those of a tile of the mobile grid.
    pub(crate) fn search_tile(
        &mut self,
        scene: &Scene<'_>,
        tile: &Tile,
        cells: &[u32],
        changes: &mut Vec<Change>,
    ) {
        let (grid, frame) = (scene.mobile, tile.frame());
        let mut members = std::mem::take(&mut self.members);
        members.clear();
        for &index in cells {
            let cell = grid.cell(index);
            let shift = shift_to(&frame, cell);
            members.extend(grid.items(cell).iter().map(|item| item.shifted(&shift)));
        }
        if scene.finer(frame.level) > 0.0
            && !is_worth_gathering(&members, scene, Home::Mobile, frame.level)
        {
            self.split(scene, Home::Mobile, &frame, &members, 2, changes);
            self.members = members;
            return;
        }
        let around = Item::around(&members);
        self.candidates.clear();
        self.wide.clear();
        self.candidates.extend(&members);
        self.gather(grid, &frame, &around, Some(tile));
        self.gather(scene.fixed, &frame, &around, None);
        self.sweep
            .load::<true>(self.candidates.items(), self.wide.items(), members.len());
        self.tally.begin(scene, &self.sweep, members.len());
        let (tally, sweep) = (&mut self.tally, &self.sweep);
        dispatch!(Level::new(), simd => {
            sweep.find_pairs(simd, &mut tally.hits);
            tally.count(simd, scene, sweep);
        });
        tally.meet_unbounded(scene, sweep);
        tally.finish(scene, sweep, changes);
        self.members = members;
    }
}

impl Tally {
    /// Forgets all, and takes what was loaded first, `own` boxes, for those of the tile.
    fn begin(&mut self, scene: &Scene<'_>, sweep: &Sweep, own: usize) {
        self.gained.clear();
        self.counts.clear();
        self.runs.clear();
        for (item, from) in sweep.sorted() {
            let is_own = (from as usize) < own;
            self.counts.push(if is_own { 0 } else { AROUND });
            self.runs.push(if is_own {
                scene.partners.run(item.id())
            } else {
                Run::default()
            });
        }
        scene.partners.fetch_runs(&self.runs);
    }

    /// Looks up the pairs that were met.
    #[inline(always)]
    fn count<S: Simd>(&mut self, simd: S, scene: &Scene<'_>, sweep: &Sweep) {
        for hits in self.hits.all() {
            let mut bits = hits.bits;
            while bits != 0 {
                let place = hits.place as usize;
                let other = (hits.first + bits.trailing_zeros()) as usize;
                bits &= bits - 1;
                let (a, b) = if self.counts[place] < AROUND {
                    (place, other)
                } else {
                    (other, place)
                };
                if self.counts[a] >= AROUND {
                    continue;
                }
                let (id, partner) = (sweep.id(a), sweep.id(b));
                if scene.partners.has(simd, &self.runs[a], id, partner) {
                    self.counts[a] += 1;
                    self.counts[b] += 1;
                } else if scene.allows(id, partner) {
                    self.gained.push((a as u32, partner));
                    if self.counts[b] < AROUND {
                        self.gained.push((b as u32, id));
                    }
                }
            }
        }
    }

    /// Looks up the pairs with proxies in no grid.
    fn meet_unbounded(&mut self, scene: &Scene<'_>, sweep: &Sweep) {
        if scene.unbounded.is_empty() {
            return;
        }
        for (place, count) in self.counts.iter_mut().enumerate() {
            if *count >= AROUND {
                continue;
            }
            let id = sweep.id(place);
            for &other in scene.unbounded {
                if !scene.fat[id as usize].overlaps(&scene.fat[other as usize]) {
                    continue;
                }
                if scene.partners.is_partner(id, other) {
                    *count += 1;
                } else if scene.allows(id, other) {
                    self.gained.push((place as u32, other));
                }
            }
        }
    }

    /// Puts what changed in `changes`, sorted by partner for each box.
    fn finish(&mut self, scene: &Scene<'_>, sweep: &Sweep, changes: &mut Vec<Change>) {
        self.gained.sort_unstable();
        let mut gained = self.gained.as_slice();
        for (place, (&count, run)) in self.counts.iter().zip(&self.runs).enumerate() {
            let new = gained.iter().take_while(|(at, _)| *at as usize == place);
            let new = new.count();
            let id = sweep.id(place);
            let is_own = count < AROUND;
            if !is_own || (new == 0 && scene.partners.has_count(run, id, count)) {
                continue;
            }
            let first = changes.len();
            changes.extend(gained[..new].iter().map(|&(_, other)| Change {
                id,
                other,
                gained: true,
            }));
            gained = &gained[new..];
            let fat = &scene.fat[id as usize];
            let partners = scene.partners.of(id);
            let lost = partners.filter(|&other| !fat.overlaps(&scene.fat[other as usize]));
            changes.extend(lost.map(|other| Change {
                id,
                other,
                gained: false,
            }));
            changes[first..].sort_unstable_by_key(|change| change.other);
        }
    }
}
