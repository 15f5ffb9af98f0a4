//! Where a proxy lives: in the grid of static ones, in the grid of all others, or, when its
//! box is infinite or larger than any cell, on a list.

use drystone_geometry::WorldAabb;
use drystone_geometry::glam::DVec3;
use serde::{Deserialize, Serialize};

use crate::broad_phase::BroadPhase;
use crate::grid::NONE;
use crate::placement::{Placement, place};
use crate::proxy::{Activity, Filter};

/// The fat box of a free id: it contains nothing.
pub(crate) const NOWHERE: WorldAabb = WorldAabb {
    min: DVec3::INFINITY,
    max: DVec3::NEG_INFINITY,
};

/// The structure a proxy lives in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Home {
    /// None: the id is free.
    #[default]
    Vacant,
    /// The grid of static proxies.
    Fixed,
    /// The grid of all others.
    Mobile,
    /// The list of proxies too large for a grid.
    Unbounded,
}

/// The number of kinds of homes.
pub(crate) const HOMES: usize = Home::Unbounded as usize + 1;

/// Where a proxy is, and whether it is to be searched: what every move reads and writes.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Proxy {
    /// Cell of its grid.
    pub(crate) cell: u32,
    /// Index among the boxes of the cell.
    pub(crate) slot: u32,
    pub(crate) activity: Activity,
    pub(crate) home: Home,
    /// Whether the id is on the list of those to search.
    pub(crate) queued: bool,
}

/// What a proxy may pair with: read only for boxes that begin to touch. It lies in one cache line.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[repr(align(16))]
pub(crate) struct Rule {
    pub(crate) filter: Filter,
    pub(crate) owner: u32,
}

const _: () = assert!(size_of::<Proxy>() == 12);
const _: () = assert!(size_of::<Rule>() == 16);

impl BroadPhase {
    /// Puts a proxy without a home where its box belongs.
    pub(crate) fn settle(&mut self, id: u32, roomy: &WorldAabb) {
        match place(roomy) {
            Some(placement) => self.settle_in_grid(id, &placement),
            None => self.settle_unbounded(id, roomy),
        }
    }

    /// Puts a proxy without a home in the grid of its activity.
    pub(crate) fn settle_in_grid(&mut self, id: u32, placement: &Placement) {
        let proxy = &mut self.proxies[id as usize];
        let grid = match proxy.activity {
            Activity::Static => {
                proxy.home = Home::Fixed;
                &mut self.fixed
            }
            Activity::Asleep | Activity::Awake => {
                proxy.home = Home::Mobile;
                &mut self.mobile
            }
        };
        let fat = placement.fat();
        (proxy.cell, proxy.slot) = grid.insert(placement, &fat, id);
        self.fat[id as usize] = fat;
    }

    /// Puts a proxy without a home on the list of those too large for any grid.
    pub(crate) fn settle_unbounded(&mut self, id: u32, roomy: &WorldAabb) {
        self.proxies[id as usize].home = Home::Unbounded;
        self.fat[id as usize] = *roomy;
        let at = self.unbounded.partition_point(|&other| other < id);
        self.unbounded.insert(at, id);
    }

    /// Takes a proxy out of its home.
    pub(crate) fn unsettle(&mut self, id: u32) {
        let proxy = &mut self.proxies[id as usize];
        let (cell, slot) = (proxy.cell, proxy.slot);
        let home = std::mem::replace(&mut proxy.home, Home::Vacant);
        proxy.cell = NONE;
        let follower = match home {
            Home::Fixed => self.fixed.remove(cell, slot),
            Home::Mobile => self.mobile.remove(cell, slot),
            Home::Unbounded => {
                self.unbounded.retain(|&other| other != id);
                None
            }
            Home::Vacant => None,
        };
        if let Some(follower) = follower {
            self.proxies[follower as usize].slot = slot;
        }
    }
}
