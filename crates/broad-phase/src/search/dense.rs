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
use crate::tolerance::FETCH_AHEAD;

/// What is known of the boxes of a tile; by their places in the sweep.
#[derive(Debug, Default)]
pub(super) struct Tally {
    /// Boxes that touch.
    hits: HitList,
    /// How many partners were not met; far more than anything has for what is around the tile.
    missing: Vec<u32>,
    /// Partners so far.
    runs: Vec<Run>,
    /// Boxes that touch and are not known to.
    new: Vec<[usize; 2]>,
    /// Those of which partners were not met.
    short: Vec<u32>,
}

/// The least count of what does not belong to the tile.
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
        self.candidates.clear();
        self.wide.clear();
        dispatch!(Level::baseline(), simd => for &index in cells {
            let cell = grid.cell(index);
            let shift = shift_to(&frame, cell);
            self.candidates.extend_shifted(simd, grid.items(cell), &shift);
        });
        let own = self.candidates.items().len();
        if scene.finer(frame.level) > 0.0
            && !is_worth_gathering(self.candidates.items(), scene, Home::Mobile, frame.level)
        {
            let members = std::mem::take(&mut self.candidates);
            dispatch!(Level::new(), simd => {
                self.search_alone(simd, scene, Home::Mobile, &frame, members.items(), changes);
            });
            self.candidates = members;
            return;
        }
        let around = Item::around(self.candidates.items());
        for (grid, but) in [(grid, Some(tile)), (scene.fixed, None)] {
            self.queue.clear();
            self.queue.extend(grid.roots());
            self.gather(grid, &frame, &around, but);
        }
        let (candidates, wide) = (self.candidates.items(), self.wide.items());
        self.sweep.load(candidates, wide, own);
        self.tally.begin(scene, &self.sweep, &candidates[..own]);
        let (tally, sweep) = (&mut self.tally, &self.sweep);
        dispatch!(Level::new(), simd => {
            sweep.find_pairs(simd, &mut tally.hits);
            tally.count(simd, scene, sweep, changes);
        });
        tally.meet_unbounded(scene, sweep, changes);
        tally.finish(scene, sweep, changes);
    }
}

impl Tally {
    /// Forgets all, and takes `own`, the first of what was loaded, for the boxes of the tile.
    fn begin(&mut self, scene: &Scene<'_>, sweep: &Sweep, own: &[Item]) {
        self.missing.clear();
        self.missing.resize(sweep.len(), u32::MAX);
        self.runs.clear();
        self.runs.resize(sweep.len(), Run::default());
        let (missing, runs) = (&mut *self.missing, &mut *self.runs);
        for (item, &place) in own.iter().zip(sweep.places()) {
            let run = scene.partners.run(item.id());
            missing[place as usize] = scene.partners.count(&run, item.id());
            runs[place as usize] = run;
        }
        scene.partners.fetch_runs(runs);
    }

    /// Looks up the pairs that were met, and puts new ones in `changes`, for each of both.
    #[inline(always)]
    fn count<S: Simd>(
        &mut self,
        simd: S,
        scene: &Scene<'_>,
        sweep: &Sweep,
        changes: &mut Vec<Change>,
    ) {
        self.new.clear();
        for hits in self.hits.all() {
            let mut bits = hits.bits;
            while bits != 0 {
                let place = hits.place as usize;
                let other = (hits.first + bits.trailing_zeros()) as usize;
                bits &= bits - 1;
                let (a, b) = if self.missing[place] < AROUND {
                    (place, other)
                } else {
                    (other, place)
                };
                if self.missing[a] >= AROUND {
                    continue;
                }
                let (id, partner) = (sweep.id(a), sweep.id(b));
                if scene.partners.has(simd, &self.runs[a], id, partner) {
                    self.missing[a] -= 1;
                    self.missing[b] -= 1;
                } else {
                    self.new.push([a, b]);
                }
            }
        }
        // Their rules are seldom in the caches, so they are read one after the other.
        for &[a, b] in &self.new {
            let (id, partner) = (sweep.id(a), sweep.id(b));
            if scene.allows(id, partner) {
                changes.push(Change::gain(id, partner));
                if self.missing[b] < AROUND {
                    changes.push(Change::gain(partner, id));
                }
            }
        }
    }

    /// Looks up the pairs with proxies in no grid.
    fn meet_unbounded(&mut self, scene: &Scene<'_>, sweep: &Sweep, changes: &mut Vec<Change>) {
        if scene.unbounded.is_empty() {
            return;
        }
        for (place, missing) in self.missing.iter_mut().enumerate() {
            if *missing >= AROUND {
                continue;
            }
            let id = sweep.id(place);
            for &other in scene.unbounded {
                if !scene.fat[id as usize].overlaps(&scene.fat[other as usize]) {
                    continue;
                }
                if scene.partners.is_partner(id, other) {
                    *missing -= 1;
                } else if scene.allows(id, other) {
                    changes.push(Change::gain(id, other));
                }
            }
        }
    }

    /// Puts the partners that boxes of the tile lost in `changes`.
    fn finish(&mut self, scene: &Scene<'_>, sweep: &Sweep, changes: &mut Vec<Change>) {
        let places = self.missing.iter().enumerate();
        let short = places.filter(|(_, missing)| **missing != 0 && **missing < AROUND);
        self.short.clear();
        self.short.extend(short.map(|(place, _)| sweep.id(place)));
        for ids in self.short.chunks(FETCH_AHEAD) {
            scene.fetch_fat_partners(ids);
            for &id in ids {
                let fat = &scene.fat[id as usize];
                let partners = scene.partners.of(id);
                let lost = partners.filter(|&other| !fat.overlaps(&scene.fat[other as usize]));
                changes.extend(lost.map(|other| Change {
                    id,
                    other,
                    gained: false,
                }));
            }
        }
    }
}

impl Scene<'_> {
    /// Reads the fat boxes of some proxies and of their partners: reads that do not wait for
    /// each other take little longer than one of them.
    fn fetch_fat_partners(&self, ids: &[u32]) {
        let bits = |id: u32| self.fat[id as usize].min.x.to_bits();
        let with_partners = |&id: &u32| self.partners.of(id).map(bits).fold(bits(id), |a, b| a ^ b);
        std::hint::black_box(ids.iter().map(with_partners).fold(0, |all, one| all ^ one));
    }
}
