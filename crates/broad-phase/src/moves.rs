//! Where proxies are now: which left their fat boxes, and what boxes they get instead.
//!
//! Comparing and placing boxes reads only, so many are done in parallel; entering the few
//! that left their fat boxes follows.

use drystone_geometry::glam::Vec3;
use drystone_geometry::{Workers, WorldAabb};

use crate::broad_phase::BroadPhase;
use crate::bulk::roomy;
use crate::home::{Home, Proxy};
use crate::placement::{Placement, place, still_fits};
use crate::proxy::ProxyError;
use crate::tolerance::{FETCH_AHEAD, TASK_BOXES};

/// A proxy that left its fat box, and its new one; see [`BroadPhase::plan_move`].
#[derive(Clone, Debug, PartialEq)]
pub struct Move {
    id: u32,
    target: Target,
}

/// A new fat box.
#[derive(Clone, Debug, PartialEq)]
enum Target {
    /// In a grid.
    Grid(Placement),
    /// Too large for any grid.
    Unbounded(Box<WorldAabb>),
}

impl BroadPhase {
    /// Tells where a proxy is now: its tight box in the world, and the displacement it is
    /// expected to make soon, both in metres. `Ok(true)` when it got a new fat box, which
    /// reaches out along the displacement, and will be searched by the next update.
    ///
    /// Quick while the tight box stays inside the fat one. An invalid box is refused and the
    /// proxy stays where it was; a displacement that is not finite counts as none.
    pub fn move_proxy(
        &mut self,
        id: u32,
        tight: WorldAabb,
        motion: Vec3,
    ) -> Result<bool, ProxyError> {
        let planned = self.plan_move(id, &tight, motion)?;
        self.apply_moves(planned.as_slice());
        Ok(planned.is_some())
    }

    /// What [`Self::move_proxy`] with the same arguments would do; none when the fat box
    /// still serves. For callers that compare many boxes in parallel.
    ///
    /// Fails on an invalid box or an unknown id.
    pub fn plan_move(
        &self,
        id: u32,
        tight: &WorldAabb,
        motion: Vec3,
    ) -> Result<Option<Move>, ProxyError> {
        if !tight.is_valid() {
            return Err(ProxyError::InvalidBox { id });
        }
        if !self.has(id) {
            return Err(ProxyError::UnknownId { id });
        }
        if still_fits(self.fat(id), tight, motion) {
            return Ok(None);
        }
        let roomy = roomy(tight, self.proxies[id as usize].activity, motion);
        let target = place(&roomy).map_or_else(|| Target::Unbounded(Box::new(roomy)), Target::Grid);
        Ok(Some(Move { id, target }))
    }

    /// Enters moves that [`Self::plan_move`] planned since the last change; each proxy once.
    /// Moves of proxies removed since are ignored.
    pub fn apply_moves(&mut self, moves: &[Move]) {
        for some in moves.chunks(FETCH_AHEAD) {
            for (home, grid) in [(Home::Mobile, &self.mobile), (Home::Fixed, &self.fixed)] {
                let proxies = some.iter().filter_map(|m| self.proxies.get(m.id as usize));
                let there = proxies.filter(|proxy| proxy.home == home);
                grid.fetch(there.map(|proxy| (proxy.cell, proxy.slot)));
            }
            for planned in some {
                if self.has(planned.id) {
                    self.refit(planned.id, &planned.target);
                }
            }
        }
    }

    /// [`Self::move_proxy`] for many: `ids[k]` is at `tight[k]` and expected to move by
    /// `motion[k]`. `workers` share the comparison of the boxes.
    ///
    /// All slices have the same length; each id occurs once. The first refusal is reported;
    /// the others are moved all the same.
    pub fn move_proxies(
        &mut self,
        workers: &Workers,
        ids: &[u32],
        tight: &[WorldAabb],
        motion: &[Vec3],
    ) -> Result<(), ProxyError> {
        assert_eq!(ids.len(), tight.len(), "one box for each id");
        assert_eq!(ids.len(), motion.len(), "one motion for each id");
        let mut planned = vec![(Vec::new(), Ok(())); ids.len().div_ceil(TASK_BOXES)];
        workers.for_each(planned.iter_mut(), |task, (moves, outcome)| {
            let first = task * TASK_BOXES;
            for k in first..ids.len().min(first + TASK_BOXES) {
                match self.plan_move(ids[k], &tight[k], motion[k]) {
                    Ok(planned) => moves.extend(planned),
                    Err(error) => *outcome = outcome.and(Err(error)),
                }
            }
        });
        let mut all = Ok(());
        for (moves, outcome) in &planned {
            self.apply_moves(moves);
            all = all.and(*outcome);
        }
        all
    }

    /// Gives a proxy a new fat box.
    fn refit(&mut self, id: u32, target: &Target) {
        self.enqueue(id);
        let proxy: Proxy = self.proxies[id as usize];
        let grid = match proxy.home {
            Home::Fixed => Some(&mut self.fixed),
            Home::Mobile => Some(&mut self.mobile),
            Home::Unbounded | Home::Vacant => None,
        };
        let (Some(grid), Target::Grid(placement)) = (grid, target) else {
            self.unsettle(id);
            match target {
                Target::Grid(placement) => self.settle_in_grid(id, placement),
                Target::Unbounded(roomy) => self.settle_unbounded(id, roomy),
            }
            return;
        };
        self.fat[id as usize] = placement.fat();
        if !grid.rewrite(proxy.cell, proxy.slot, placement) {
            // In before out, so that the cells above both stay.
            let (cell, slot) = grid.insert(placement, id);
            let follower = grid.remove(proxy.cell, proxy.slot);
            if let Some(follower) = follower {
                self.proxies[follower as usize].slot = proxy.slot;
            }
            let proxy = &mut self.proxies[id as usize];
            (proxy.cell, proxy.slot) = (cell, slot);
        }
    }
}
