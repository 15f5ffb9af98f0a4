//! Many proxies at once: a level being loaded, chunks of a large world streaming in and out.
//!
//! Boxes are placed in parallel, sorted along a curve through space and entered in that
//! order, so that each finds the cells of the one before it in the cache and neighbours in
//! space become neighbours in memory.

use drystone_geometry::glam::Vec3;
use drystone_geometry::{Workers, WorldAabb};
use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch};

use crate::boxes::{Boxes, LANES, Motions};
use crate::broad_phase::BroadPhase;
use crate::curve::{Place, sort_places};
use crate::home::{Home, NOWHERE, Proxy, Rule};
use crate::item::Bounds;
use crate::placement::Placement;
use crate::proxy::{Activity, ProxyDef, ProxyError};
use crate::tolerance::{TASK_BOXES, WAVE_TASKS};

/// A box on its way into a grid.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrival {
    pub(crate) coord: [i32; 3],
    pub(crate) bounds: Bounds,
    pub(crate) id: u32,
    pub(crate) level: i8,
}

impl BroadPhase {
    /// [`Self::insert`] for many; `workers` share the placing. It takes a fraction of the time
    /// of as many single calls, and later searches find the boxes better ordered. The pairs
    /// are the same.
    ///
    /// The first refusal is reported; the others are inserted all the same.
    pub fn insert_many(
        &mut self,
        workers: &Workers,
        defs: impl IntoIterator<Item = (u32, ProxyDef)>,
    ) -> Result<(), ProxyError> {
        let mut defs = defs.into_iter();
        let (mut wave, mut placed) = (Vec::new(), vec![Vec::new(); WAVE_TASKS]);
        let (mut fixed, mut mobile) = (Vec::new(), Vec::new());
        let mut outcome = Ok(());
        loop {
            wave.clear();
            wave.extend(defs.by_ref().take(WAVE_TASKS * TASK_BOXES));
            if wave.is_empty() {
                break;
            }
            let work = wave.chunks(TASK_BOXES).zip(&mut placed);
            workers.for_each(work, |_, (defs, placed)| place_all(defs, placed));
            for ((id, def), placed) in wave.iter().zip(placed.iter().flatten()) {
                let arrivals = match def.activity {
                    Activity::Static => &mut fixed,
                    Activity::Asleep | Activity::Awake => &mut mobile,
                };
                outcome = outcome.and(self.register(*id, def, placed.as_ref(), arrivals));
            }
        }
        self.unbounded.sort_unstable();
        for (grid, arrivals) in [(&mut self.fixed, &fixed), (&mut self.mobile, &mobile)] {
            grid.insert_sorted(arrivals, &sorted_places(arrivals), |id, cell, slot| {
                let proxy = &mut self.proxies[id as usize];
                (proxy.cell, proxy.slot) = (cell, slot);
            });
        }
        outcome
    }

    /// [`Self::remove`] for many. Answers with the number of those that were there.
    pub fn remove_many(&mut self, ids: &[u32]) -> usize {
        ids.iter().filter(|&&id| self.remove(id)).count()
    }

    /// Makes room for ids below `count`, so that inserting them moves no array, and for an eighth as
    /// many more, which take no memory until they come.
    pub fn reserve_ids(&mut self, count: usize) {
        if count > self.proxies.len() {
            let more = count - self.proxies.len() + count / 8;
            self.proxies.reserve(more);
            self.rules.reserve(more);
            self.fat.reserve(more);
            self.proxies.resize(count, Proxy::default());
            self.rules.resize(count, Rule::default());
            self.fat.resize(count, NOWHERE);
            self.partners.reserve_ids(count);
        }
    }

    /// Enters all of a proxy but its place in a grid, which it queues for.
    fn register(
        &mut self,
        id: u32,
        def: &ProxyDef,
        placement: Option<&Placement>,
        arrivals: &mut Vec<Arrival>,
    ) -> Result<(), ProxyError> {
        self.admit(id, def)?;
        let proxy = &mut self.proxies[id as usize];
        match placement {
            None => {
                proxy.home = Home::Unbounded;
                self.fat[id as usize] = roomy_for(def);
                self.unbounded.push(id);
            }
            Some(placement) => {
                proxy.home = match def.activity {
                    Activity::Static => Home::Fixed,
                    Activity::Asleep | Activity::Awake => Home::Mobile,
                };
                self.fat[id as usize] = placement.fat();
                arrivals.push(Arrival {
                    coord: placement.coord,
                    bounds: placement.bounds,
                    id,
                    level: placement.level,
                });
            }
        }
        self.enqueue(id);
        Ok(())
    }

    /// Checks a new proxy and enters what does not depend on its box.
    pub(crate) fn admit(&mut self, id: u32, def: &ProxyDef) -> Result<(), ProxyError> {
        self.enter_changes();
        if !def.aabb.is_valid() {
            return Err(ProxyError::InvalidBox { id });
        }
        self.reserve_ids(id as usize + 1);
        let proxy = &mut self.proxies[id as usize];
        if proxy.home != Home::Vacant {
            return Err(ProxyError::IdInUse { id });
        }
        proxy.activity = def.activity;
        self.rules[id as usize] = Rule {
            filter: def.filter,
            owner: def.owner,
        };
        self.proxy_count += 1;
        Ok(())
    }
}

/// The places of new proxies; none for those that are invalid or belong in no grid.
fn place_all(defs: &[(u32, ProxyDef)], placed: &mut Vec<Option<Placement>>) {
    placed.clear();
    dispatch!(Level::new(), simd => place_in_lanes(simd, defs, placed));
}

/// [`place_all`] in lanes.
#[inline(always)]
fn place_in_lanes<S: Simd>(simd: S, defs: &[(u32, ProxyDef)], placed: &mut Vec<Option<Placement>>) {
    for defs in defs.chunks(LANES) {
        let last = defs.len() - 1;
        let [a, b, c, d] = [0, 1, 2, 3].map(|lane: usize| &defs[lane.min(last)].1);
        let valid = Boxes::new(simd, [&a.aabb, &b.aabb, &c.aabb, &d.aabb]).valid();
        let (places, valid) = (roomy(simd, [a, b, c, d]).place(simd), valid.to_bitmask());
        for lane in 0..defs.len() {
            let has_place = places.fits(lane) && valid >> lane & 1 != 0;
            placed.push(has_place.then(|| places.placement(lane)));
        }
    }
}

/// The boxes to place for new proxies.
#[inline(always)]
fn roomy<S: Simd>(simd: S, [a, b, c, d]: [&ProxyDef; LANES]) -> Boxes<S> {
    let tight = Boxes::new(simd, [&a.aabb, &b.aabb, &c.aabb, &d.aabb]);
    let mobile = [
        mobility(a.activity),
        mobility(b.activity),
        mobility(c.activity),
        mobility(d.activity),
    ];
    tight.with_room(simd, &Motions::new(simd, [Vec3::ZERO; LANES]), mobile)
}

/// One for a proxy whose box gets room to move in, zero for a static one.
#[inline(always)]
pub(crate) fn mobility(activity: Activity) -> f64 {
    f64::from(u8::from(activity != Activity::Static))
}

/// The box to place for a new proxy.
pub(crate) fn roomy_for(def: &ProxyDef) -> WorldAabb {
    dispatch!(Level::new(), simd => roomy(simd, [def; LANES]).aabb())
}

/// The indices of the arrivals in the order of the curve.
fn sorted_places(arrivals: &[Arrival]) -> Vec<Place> {
    let cells = arrivals
        .iter()
        .map(|arrival| (arrival.level, arrival.coord));
    sort_places(cells)
}
