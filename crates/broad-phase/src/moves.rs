//! Where proxies are now: which left their fat boxes, and what boxes they get instead.
//!
//! Comparing and placing boxes reads only, so many are done in parallel; entering the few
//! that left their fat boxes follows.

use drystone_geometry::glam::Vec3;
use drystone_geometry::{Workers, WorldAabb};
use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch};

use crate::boxes::{Boxes, LANES, Motions};
use crate::broad_phase::BroadPhase;
use crate::bulk::mobility;
use crate::grid::NONE;
use crate::home::{Home, NOWHERE, Proxy};
use crate::placement::Placement;
use crate::proxy::ProxyError;
use crate::tolerance::{FETCH_AHEAD, TASK_MOVES, WAVE_TASKS};

/// A proxy that left its fat box, and its new one; see [`BroadPhase::plan_moves`].
#[derive(Clone, Debug, PartialEq)]
pub struct Move {
    id: u32,
    /// Whether it belongs in a grid.
    fits: bool,
    /// Where in the grid; nonsense when it belongs in none.
    placement: Placement,
    fat: WorldAabb,
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
        let mut moves = self.planned.pop().unwrap_or_default();
        moves.clear();
        let outcome = self.plan_moves(&[id], &[tight], &[motion], &mut moves);
        self.apply_moves(&moves);
        let has_moved = !moves.is_empty();
        self.planned.push(moves);
        outcome.map(|()| has_moved)
    }

    /// What [`Self::move_proxies`] would do with these: adds those to `moves` whose fat box does
    /// not serve any more. For callers that compare many boxes in parallel.
    ///
    /// All slices have the same length. The first refusal of an invalid box or an unknown id is
    /// reported; the others are planned all the same.
    pub fn plan_moves(
        &self,
        ids: &[u32],
        tight: &[WorldAabb],
        motion: &[Vec3],
        moves: &mut Vec<Move>,
    ) -> Result<(), ProxyError> {
        self.plan(ids, tight, motion, false, moves)
    }

    /// [`Self::plan_moves`] with a new fat box for each, whether the present one serves or not.
    ///
    /// Where most proxies leave theirs all are searched anyway, and if all get new ones then, they
    /// next leave them together again, with updates between that find next to nothing to do.
    pub fn plan_anew(
        &self,
        ids: &[u32],
        tight: &[WorldAabb],
        motion: &[Vec3],
        moves: &mut Vec<Move>,
    ) -> Result<(), ProxyError> {
        self.plan(ids, tight, motion, true, moves)
    }

    /// [`Self::plan_moves`], or [`Self::plan_anew`].
    fn plan(
        &self,
        ids: &[u32],
        tight: &[WorldAabb],
        motion: &[Vec3],
        anew: bool,
        moves: &mut Vec<Move>,
    ) -> Result<(), ProxyError> {
        assert_eq!(ids.len(), tight.len(), "one box for each id");
        assert_eq!(ids.len(), motion.len(), "one motion for each id");
        let (ids, last_ids) = ids.as_chunks();
        let (tight, last_tight) = tight.as_chunks();
        let (motion, last_motion) = motion.as_chunks();
        let outcome = self.plan_blocks(LANES, ids, tight, motion, anew, moves);
        let (Some(&id), Some(&tight), Some(&motion)) =
            (last_ids.first(), last_tight.first(), last_motion.first())
        else {
            return outcome;
        };
        // Filled up with the first of them.
        let (mut ids, mut boxes) = ([id; LANES], [tight; LANES]);
        let (mut motions, count) = ([motion; LANES], last_ids.len());
        ids[..count].copy_from_slice(last_ids);
        boxes[..count].copy_from_slice(last_tight);
        motions[..count].copy_from_slice(last_motion);
        outcome.and(self.plan_blocks(count, &[ids], &[boxes], &[motions], anew, moves))
    }

    /// [`Self::plan`] of the first `count` of each block.
    #[inline(never)]
    fn plan_blocks(
        &self,
        count: usize,
        ids: &[[u32; LANES]],
        tight: &[[WorldAabb; LANES]],
        motion: &[[Vec3; LANES]],
        anew: bool,
        moves: &mut Vec<Move>,
    ) -> Result<(), ProxyError> {
        dispatch!(Level::new(), simd => {
            let mut outcome = Ok(());
            for ((ids, tight), motion) in ids.iter().zip(tight).zip(motion) {
                let planned = self.plan_some(simd, count, ids, tight, motion, anew, moves);
                outcome = outcome.and(planned);
            }
            outcome
        })
    }

    /// [`Self::plan_blocks`] of one.
    #[inline(always)]
    fn plan_some<S: Simd>(
        &self,
        simd: S,
        count: usize,
        ids: &[u32; LANES],
        tight: &[WorldAabb; LANES],
        motion: &[Vec3; LANES],
        anew: bool,
        moves: &mut Vec<Move>,
    ) -> Result<(), ProxyError> {
        let [a, b, c, d] = tight;
        let [i, j, k, l] = *ids;
        let tight = Boxes::new(simd, [a, b, c, d]);
        let motion = Motions::new(simd, *motion);
        let fat = Boxes::new(
            simd,
            [
                self.fat_or_nowhere(i),
                self.fat_or_nowhere(j),
                self.fat_or_nowhere(k),
                self.fat_or_nowhere(l),
            ],
        );
        let valid = tight.valid();
        let mut kept = fat.contain(&tight) & valid;
        if kept.any_true() {
            kept &= fat.are_snug(&tight, &motion);
        }
        let mut left = (1 << count) - 1;
        if !anew {
            left &= !kept.to_bitmask();
        }
        if left == 0 {
            return Ok(());
        }
        let mobile = [
            self.mobility(i),
            self.mobility(j),
            self.mobility(k),
            self.mobility(l),
        ];
        let placed = tight.with_room(simd, &motion, mobile).place(simd);
        let valid = valid.to_bitmask();
        let mut outcome = Ok(());
        while left != 0 {
            let lane = left.trailing_zeros() as usize;
            left &= left - 1;
            let id = ids[lane];
            if valid >> lane & 1 == 0 {
                outcome = outcome.and(Err(ProxyError::InvalidBox { id }));
            } else if !self.has(id) {
                outcome = outcome.and(Err(ProxyError::UnknownId { id }));
            } else {
                moves.push(Move {
                    id,
                    fits: placed.fits(lane),
                    placement: placed.placement(lane),
                    fat: placed.fat(lane),
                });
            }
        }
        outcome
    }

    /// The fat box of an id; one that contains nothing when there is no such proxy.
    #[inline(always)]
    fn fat_or_nowhere(&self, id: u32) -> &WorldAabb {
        self.fat.get(id as usize).unwrap_or(&NOWHERE)
    }

    /// See [`mobility`].
    #[inline(always)]
    fn mobility(&self, id: u32) -> f64 {
        let proxy = self.proxies.get(id as usize);
        proxy.map_or(0.0, |proxy| mobility(proxy.activity))
    }

    /// Enters moves that [`Self::plan_moves`] planned since the last change; each proxy once.
    /// Moves of proxies removed since are ignored.
    pub fn apply_moves(&mut self, moves: &[Move]) {
        self.enter_changes();
        for some in moves.chunks(FETCH_AHEAD) {
            let read = some.iter().map(|planned| self.fetch_present(planned));
            std::hint::black_box(read.fold(0, |all, one| all ^ one));
            let (mut leaving, mut count) = ([0; FETCH_AHEAD], 0);
            for (index, planned) in some.iter().enumerate() {
                leaving[count] = index;
                count += usize::from(!self.has_refitted(planned));
            }
            let leaving = &leaving[..count];
            let read = leaving.iter().map(|&index| self.fetch_goal(&some[index]));
            std::hint::black_box(read.fold(0, |all, one| all ^ one));
            for &index in leaving {
                self.relocate(&some[index]);
            }
        }
    }

    /// Reads what [`Self::has_refitted`] is about to need of the grid, as [`Self::fetch_goal`] does.
    #[inline(always)]
    fn fetch_present(&self, planned: &Move) -> u32 {
        let proxy = self.proxies.get(planned.id as usize);
        proxy.map_or(0, |proxy| self.mobile.fetch_item(proxy.cell, proxy.slot))
    }

    /// Gives a proxy its new fat box; `false` when it has to leave its cell for that.
    #[inline(always)]
    fn has_refitted(&mut self, planned: &Move) -> bool {
        let Some(proxy) = self.proxies.get_mut(planned.id as usize) else {
            return true;
        };
        let grid = match proxy.home {
            Home::Mobile => &mut self.mobile,
            Home::Fixed => &mut self.fixed,
            Home::Unbounded => {
                self.enqueue(planned.id);
                return false;
            }
            Home::Vacant => return true,
        };
        if !proxy.queued {
            proxy.queued = true;
            self.queue.push(planned.id);
        }
        self.fat[planned.id as usize] = planned.fat;
        let Move { placement, fat, .. } = planned;
        planned.fits && grid.rewrite(proxy.cell, proxy.slot, placement, fat)
    }

    /// Reads what [`Self::relocate`] is about to need: reads for several boxes that do not wait
    /// for each other take little longer than one of them.
    fn fetch_goal(&self, planned: &Move) -> u32 {
        let Placement { level, coord, .. } = planned.placement;
        let goal = self.mobile.find(level, coord);
        goal.map_or(NONE, |goal| self.mobile.cell(goal).parent)
    }

    /// Takes a proxy to another cell, or from one home to another.
    fn relocate(&mut self, planned: &Move) {
        let (id, placement) = (planned.id, &planned.placement);
        let proxy: Proxy = self.proxies[id as usize];
        let grid = match proxy.home {
            Home::Mobile if planned.fits => &mut self.mobile,
            Home::Fixed if planned.fits => &mut self.fixed,
            _ => return self.change_home(planned),
        };
        debug_assert_eq!(placement.fat(), planned.fat);
        let (cell, slot, follower) =
            grid.relocate(proxy.cell, proxy.slot, placement, &planned.fat, id);
        if let Some(follower) = follower {
            self.proxies[follower as usize].slot = proxy.slot;
        }
        let proxy = &mut self.proxies[id as usize];
        (proxy.cell, proxy.slot) = (cell, slot);
    }

    /// Takes a proxy to a grid or out of it.
    fn change_home(&mut self, planned: &Move) {
        self.unsettle(planned.id);
        if planned.fits {
            self.settle_in_grid(planned.id, &planned.placement);
        } else {
            self.settle_unbounded(planned.id, &planned.fat);
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
        let mut planned = std::mem::take(&mut self.planned);
        planned.resize_with(if workers.count() > 1 { WAVE_TASKS } else { 1 }, Vec::new);
        let tasks = ids.len().div_ceil(TASK_MOVES);
        let mut outcome = Ok(());
        // What some tasks planned is entered while the caches hold it.
        for first in (0..tasks).step_by(planned.len()) {
            let mut outcomes = vec![Ok(()); planned.len().min(tasks - first)];
            let work = planned.iter_mut().zip(&mut outcomes);
            workers.for_each(work, |task, (moves, outcome)| {
                let first = (first + task) * TASK_MOVES;
                let these = first..ids.len().min(first + TASK_MOVES);
                let (ids, tight) = (&ids[these.clone()], &tight[these.clone()]);
                moves.clear();
                *outcome = self.plan_moves(ids, tight, &motion[these], moves);
            });
            for moves in &planned[..outcomes.len()] {
                self.apply_moves(moves);
            }
            outcome = outcomes.into_iter().fold(outcome, Result::and);
        }
        self.planned = planned;
        outcome
    }
}
