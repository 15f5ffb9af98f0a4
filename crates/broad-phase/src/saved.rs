//! What of a broad phase cannot be derived from its proxies and pairs, in few bytes: where
//! the fat boxes are, and what is still to be searched.

use std::fmt;

use drystone_geometry::WorldAabb;
use serde::{Deserialize, Serialize};

use crate::broad_phase::BroadPhase;
use crate::grid::{NONE, OVERHANG};
use crate::home::{Home, NOWHERE, Proxy, Rule};
use crate::item::Bounds;
use crate::placement::{Placement, STEPS};
use crate::proxy::{Activity, Filter, Pair};
use crate::search::Change;
use crate::tolerance::{LEVEL_MAX, LEVEL_MIN, REACH_BITS};

/// A fat box as it is stored.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
enum SavedBox {
    /// The id is free.
    Vacant,
    /// In steps from the corner of a cell.
    Cell {
        level: i8,
        coord: [i32; 3],
        bounds: Bounds,
    },
    /// Too large for a cell.
    Unbounded(WorldAabb),
}

/// The part of a broad phase that its proxies and pairs do not say.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SavedBoxes {
    boxes: Vec<SavedBox>,
    /// Rising.
    queue: Vec<u32>,
    refilter: bool,
}

/// Saved boxes that cannot be, or do not belong to the proxies and pairs given with them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SavedBoxesError;

impl fmt::Display for SavedBoxesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the stored boxes do not belong to the shapes and pairs")
    }
}

impl std::error::Error for SavedBoxesError {}

impl BroadPhase {
    /// What [`Self::restore`] needs besides the proxies and the pairs, not to be asked between the
    /// two parts of an update. Pairs ended by removals since the last update are left out: the
    /// caller knows of them.
    pub fn save(&self) -> SavedBoxes {
        let boxes = self.proxies.iter().enumerate().map(|(id, proxy)| {
            let grid = match proxy.home {
                Home::Vacant => return SavedBox::Vacant,
                Home::Unbounded => return SavedBox::Unbounded(self.fat[id]),
                Home::Fixed => &self.fixed,
                Home::Mobile => &self.mobile,
            };
            let cell = grid.cell(proxy.cell);
            SavedBox::Cell {
                level: cell.level,
                coord: cell.coord,
                bounds: grid.item(proxy.cell, proxy.slot).bounds(),
            }
        });
        let mut queue: Vec<u32> = self.queue.clone();
        queue.retain(|&id| self.activity(id).is_some());
        queue.sort_unstable();
        SavedBoxes {
            boxes: boxes.collect(),
            queue,
            refilter: self.refilter,
        }
    }

    /// The broad phase that was saved: it finds the same pairs from here on.
    ///
    /// `proxy` tells activity, filter and owner of each id that was in use, and `None` for
    /// the others; `pairs` are those of the last update less those ended by removals since,
    /// sorted. Fails when they do not fit the saved boxes.
    pub fn restore(
        saved: &SavedBoxes,
        proxy: impl Fn(u32) -> Option<(Activity, Filter, u32)>,
        pairs: &[Pair],
    ) -> Result<Self, SavedBoxesError> {
        let mut broad = Self::new();
        let count = saved.boxes.len();
        if u32::try_from(count).is_err() {
            return Err(SavedBoxesError);
        }
        broad.proxies.resize(count, Proxy::default());
        broad.rules.resize(count, Rule::default());
        broad.fat.resize(count, NOWHERE);
        broad.partners.reserve_ids(count);
        for (id, saved) in saved.boxes.iter().enumerate() {
            match (proxy(id as u32), saved) {
                (None, SavedBox::Vacant) => {}
                (Some(told), _) => broad.bring_back(id as u32, saved, told)?,
                _ => return Err(SavedBoxesError),
            }
        }
        broad.pair_up(pairs)?;
        for &id in &saved.queue {
            let known = (broad.proxies.get(id as usize))
                .is_some_and(|proxy| proxy.home != Home::Vacant && !proxy.queued);
            if !known {
                return Err(SavedBoxesError);
            }
            broad.enqueue(id);
        }
        broad.refilter = saved.refilter;
        Ok(broad)
    }

    fn bring_back(
        &mut self,
        id: u32,
        saved: &SavedBox,
        (activity, filter, owner): (Activity, Filter, u32),
    ) -> Result<(), SavedBoxesError> {
        let proxy = &mut self.proxies[id as usize];
        proxy.cell = NONE;
        proxy.activity = activity;
        self.rules[id as usize] = Rule { filter, owner };
        self.proxy_count += 1;
        match *saved {
            SavedBox::Vacant => return Err(SavedBoxesError),
            SavedBox::Unbounded(fat) => {
                if !fat.is_valid() {
                    return Err(SavedBoxesError);
                }
                proxy.home = Home::Unbounded;
                self.fat[id as usize] = fat;
                // Ids come rising, so the list stays sorted.
                self.unbounded.push(id);
            }
            SavedBox::Cell {
                level,
                coord,
                bounds,
            } => {
                let placement = placement(level, coord, bounds).ok_or(SavedBoxesError)?;
                let (home, grid) = match activity {
                    Activity::Static => (Home::Fixed, &mut self.fixed),
                    Activity::Asleep | Activity::Awake => (Home::Mobile, &mut self.mobile),
                };
                proxy.home = home;
                let fat = placement.fat();
                (proxy.cell, proxy.slot) = grid.insert(&placement, &fat, id);
                self.fat[id as usize] = fat;
            }
        }
        Ok(())
    }

    /// Enters sorted pairs that were known.
    fn pair_up(&mut self, pairs: &[Pair]) -> Result<(), SavedBoxesError> {
        let mut partners = vec![Vec::new(); self.proxies.len()];
        let mut last = None;
        for &pair in pairs {
            let rising = last.is_none_or(|last| last < pair);
            let known = |id: u32| self.activity(id).is_some();
            if !rising || pair.a >= pair.b || !known(pair.a) || !known(pair.b) {
                return Err(SavedBoxesError);
            }
            last = Some(pair);
            partners[pair.a as usize].push(pair.b);
            partners[pair.b as usize].push(pair.a);
        }
        let mut changes = Vec::new();
        for (id, others) in partners.iter_mut().enumerate() {
            others.sort_unstable();
            changes.clear();
            changes.extend(others.iter().map(|&other| Change {
                id: id as u32,
                other,
                gained: true,
            }));
            if !changes.is_empty() {
                self.partners.change(id as u32, &changes);
            }
        }
        self.pair_count = pairs.len();
        Ok(())
    }
}

/// The place of a stored box, unless it could not have been stored.
fn placement(level: i8, coord: [i32; 3], bounds: Bounds) -> Option<Placement> {
    let reach = 1 << REACH_BITS;
    if !(LEVEL_MIN..=LEVEL_MAX).contains(&i32::from(level)) {
        return None;
    }
    if coord.iter().any(|&at| !(-reach..=reach).contains(&at)) {
        return None;
    }
    let overhang = (OVERHANG * f64::from(STEPS)) as i32;
    for axis in 0..3 {
        let (low, high) = (i32::from(bounds[axis]), -i32::from(bounds[axis + 3]));
        if low > high || low < -overhang || high > STEPS + overhang {
            return None;
        }
    }
    Some(Placement {
        level,
        coord,
        bounds,
    })
}
