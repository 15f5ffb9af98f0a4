//! Where proxies are now: which left their fat boxes, and what boxes they get instead.
//!
//! Comparing and placing boxes reads only, so many are done in parallel; entering the few
//! that left their fat boxes follows.

use drystone_geometry::glam::Vec3;
use drystone_geometry::{Workers, WorldAabb};
use fearless_simd::{Level, Simd, dispatch};

use crate::broad_phase::BroadPhase;
use crate::bulk::roomy;
use crate::home::{Home, Proxy};
use crate::placement::{LaneBox, Placement, is_snug};
use crate::proxy::ProxyError;
use crate::tolerance::{FETCH_AHEAD, TASK_BOXES, WAVE_TASKS};

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
        dispatch!(Level::new(), simd => self.plan(simd, id, tight, motion))
    }

    /// [`Self::plan_move`] in lanes.
    #[inline(always)]
    fn plan<S: Simd>(
        &self,
        simd: S,
        id: u32,
        tight: &WorldAabb,
        motion: Vec3,
    ) -> Result<Option<Move>, ProxyError> {
        let tight_lanes = LaneBox::new(simd, tight);
        if !tight_lanes.is_valid() {
            return Err(ProxyError::InvalidBox { id });
        }
        if !self.has(id) {
            return Err(ProxyError::UnknownId { id });
        }
        let fat = self.fat(id);
        if LaneBox::new(simd, fat).contains(&tight_lanes) && is_snug(fat, tight, motion) {
            return Ok(None);
        }
        let activity = self.proxies[id as usize].activity;
        let roomy = roomy(simd, &tight_lanes, activity, motion);
        let target = match roomy.place(simd) {
            Some(placement) => Target::Grid(placement),
            None => Target::Unbounded(Box::new(roomy.aabb())),
        };
        Ok(Some(Move { id, target }))
    }

    /// [`Self::plan_move`] for many; adds to `moves` and answers with the first refusal.
    #[inline(always)]
    fn plan_many<S: Simd>(
        &self,
        simd: S,
        ids: &[u32],
        tight: &[WorldAabb],
        motion: &[Vec3],
        moves: &mut Vec<Move>,
    ) -> Result<(), ProxyError> {
        let mut outcome = Ok(());
        for ((&id, tight), &motion) in ids.iter().zip(tight).zip(motion) {
            match self.plan(simd, id, tight, motion) {
                Ok(Some(planned)) => moves.push(planned),
                Ok(None) => {}
                Err(error) => outcome = outcome.and(Err(error)),
            }
        }
        outcome
    }

    /// Enters moves that [`Self::plan_move`] planned since the last change; each proxy once.
    /// Moves of proxies removed since are ignored.
    pub fn apply_moves(&mut self, moves: &[Move]) {
        for some in moves.chunks(FETCH_AHEAD) {
            let read = some.iter().map(|planned| self.fetch_move(planned));
            std::hint::black_box(read.fold(0, |all, one| all ^ one));
            for planned in some {
                if self.has(planned.id) {
                    self.refit(planned.id, &planned.target);
                }
            }
        }
    }

    /// Reads what a move is about to need.
    #[inline(always)]
    fn fetch_move(&self, planned: &Move) -> u32 {
        let (Some(proxy), Target::Grid(placement)) =
            (self.proxies.get(planned.id as usize), &planned.target)
        else {
            return 0;
        };
        let grid = match proxy.home {
            Home::Fixed => &self.fixed,
            Home::Mobile => &self.mobile,
            Home::Unbounded | Home::Vacant => return 0,
        };
        grid.fetch(proxy.cell, proxy.slot, placement)
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
        let mut planned = std::mem::take(&mut self.planned);
        planned.resize_with(if workers.count() > 1 { WAVE_TASKS } else { 1 }, Vec::new);
        let tasks = ids.len().div_ceil(TASK_BOXES);
        let mut outcome = Ok(());
        // What some tasks planned is entered while the caches hold it.
        for first in (0..tasks).step_by(planned.len()) {
            let mut outcomes = vec![Ok(()); planned.len().min(tasks - first)];
            let work = planned.iter_mut().zip(&mut outcomes);
            workers.for_each(work, |task, (moves, outcome)| {
                let first = (first + task) * TASK_BOXES;
                let these = first..ids.len().min(first + TASK_BOXES);
                let (ids, tight) = (&ids[these.clone()], &tight[these.clone()]);
                moves.clear();
                *outcome = dispatch!(Level::new(), simd => {
                    self.plan_many(simd, ids, tight, &motion[these], moves)
                });
            });
            for moves in &planned[..outcomes.len()] {
                self.apply_moves(moves);
            }
            outcome = outcomes.into_iter().fold(outcome, Result::and);
        }
        self.planned = planned;
        outcome
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
