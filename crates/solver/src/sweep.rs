//! What the blocks of a stage do: bodies, bundles and joints, one block at a time.

use std::sync::Mutex;

use drystone_geometry::glam::Vec3;
use fearless_simd::{Level, Simd};

use crate::body::Body;
use crate::body_rows::{BodyRows, row_index};
use crate::contact::bundle::Lot;
use crate::contact::prepare::{Scene, prepare_lot};
use crate::contact::solve::SweepContext;
use crate::free_motion::{self, Motion};
use crate::integrate;
use crate::joint::point::{self, PointLot};
use crate::joint::tree::{self, TreeLot};
use crate::joint::{Joint, JointContext, PreparedJoint};
use crate::plan::{Block, Plan, Stage, lock};
use crate::tolerance::{BODIES_PER_BLOCK, MAX_BOUNCE_ROUNDS};

mod lots;

/// Everything the blocks of a step read.
pub(crate) struct Work<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) rows: &'a BodyRows,
    pub(crate) scene: Scene<'a>,
    pub(crate) joints: &'a [Joint],
    pub(crate) sweep: SweepContext<'a>,
    pub(crate) joint: JointContext<'a>,
    pub(crate) gravity: Vec3,
    pub(crate) h: f32,
    pub(crate) level: Level,
}

/// What a sweep does to a lot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pass {
    Prepare,
    WarmStart,
    Solve,
    /// Warm start and solution of trees, and the solution of those that something has pushed since.
    Start,
    SolvePushed,
    Relax,
    Bounce,
}

impl Work<'_> {
    /// Runs block number `block` of a stage.
    pub(crate) fn run(&self, stage: Stage, block: usize) {
        match stage {
            Stage::Begin => {
                lock(&self.plan.tops[block]).clear();
                self.each_body(block, |slot, body| {
                    let load = self.plan.joints.load(slot);
                    self.rows.wedged.clear(row_index(slot));
                    let tension = if load.swings { load.tension } else { 0.0 };
                    integrate::begin(self.rows, slot, body, self.gravity, self.h, tension);
                });
            }
            Stage::Velocities => {
                if self.rows.burdens.any_asked() || self.rows.pulls.any_asked() {
                    self.each_body(block, |slot, body| {
                        let swings = self.plan.joints.load(slot).swings;
                        integrate::load(self.rows, slot, body, self.gravity, self.h, swings);
                    });
                }
                self.move_wedged(block, Motion::Accelerate);
            }
            Stage::Positions => self.move_wedged(block, Motion::Advance(self.h)),
            Stage::Prepare => {
                self.pass(self.plan.prepared[block], Pass::Prepare);
            }
            Stage::PrepareTrees => self.tree(block, Pass::Prepare),
            Stage::StartTrees => self.tree(block, Pass::Start),
            Stage::SolvePushedTrees => self.tree(block, Pass::SolvePushed),
            Stage::RelaxTrees => self.tree(block, Pass::Relax),
            Stage::WarmStart(span) => self.span(span, block, Pass::WarmStart),
            Stage::Solve(span) => self.span(span, block, Pass::Solve),
            Stage::Relax(span) => self.span(span, block, Pass::Relax),
            Stage::Bounce(span, round) => {
                if self.plan.is_on(round) && self.bounces(span, block) {
                    self.plan.note_bounce(round);
                }
            }
            Stage::Settle(round) => {
                if self.plan.has_bounced(round) {
                    self.settle();
                }
            }
            Stage::Watch => (self.plan.joints).note_loads(block, &self.joint, self.scene),
        }
    }

    /// Impacts of one block of a span; returns whether there were any.
    fn bounces(&self, span: u32, block: usize) -> bool {
        let mut any = false;
        for &block in self.plan.blocks_of(span, block) {
            any |= self.pass(block, Pass::Bounce);
        }
        any
    }

    /// Rounds of impacts until nothing bounces any more.
    fn settle(&self) {
        for _ in 0..MAX_BOUNCE_ROUNDS {
            let mut any = false;
            for span in 0..self.plan.span_count() {
                for block in 0..self.plan.width(span) as usize {
                    any |= self.bounces(span, block);
                }
            }
            if !any {
                return;
            }
        }
    }

    pub(crate) fn each_body(&self, block: usize, mut act: impl FnMut(u32, &Body)) {
        let (first, bodies) = self.bodies_of(block);
        for (slot, body) in (first..).zip(bodies) {
            act(slot, body);
        }
    }

    /// The slot of the first body of a block, and the bodies.
    fn bodies_of(&self, block: usize) -> (u32, &[Body]) {
        let start = block * BODIES_PER_BLOCK;
        let end = (start + BODIES_PER_BLOCK).min(self.scene.bodies.len());
        (start as u32, &self.scene.bodies[start..end])
    }

    /// Enters the kernels of free motion at the level of this step, see [`Self::enter`].
    pub(crate) fn move_bodies(&self, block: usize, motion: Motion) {
        let (first, bodies) = self.bodies_of(block);
        let rows = self.rows;
        let tops = &mut lock(&self.plan.tops[block]);
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        if let Some(simd) = self.level.as_avx2() {
            simd.vectorize(
                #[inline(always)]
                || free_motion::run(simd, rows, motion, first, bodies, tops),
            );
        } else if let Some(simd) = self.level.as_sse2().or_else(|| Level::new().as_sse2()) {
            simd.vectorize(
                #[inline(always)]
                || free_motion::run(simd, rows, motion, first, bodies, tops),
            );
        }
        #[cfg(target_arch = "aarch64")]
        if let Some(simd) = self.level.as_neon().or_else(|| Level::new().as_neon()) {
            simd.vectorize(
                #[inline(always)]
                || free_motion::run(simd, rows, motion, first, bodies, tops),
            );
        }
        #[cfg(not(any(target_arch = "x86", target_arch = "x86_64", target_arch = "aarch64")))]
        {
            let simd = fearless_simd::Fallback::new();
            free_motion::run(simd, rows, motion, first, bodies, tops);
        }
    }

    /// Runs a pass over a block of trees.
    fn tree(&self, index: usize, pass: Pass) {
        self.trees(&mut lock(&self.plan.joints.trees[index]), pass);
    }

    fn span(&self, span: u32, block: usize, pass: Pass) {
        for &block in self.plan.blocks_of(span, block) {
            self.pass(block, pass);
        }
    }

    /// Runs a pass over a block; returns whether something bounced.
    fn pass(&self, block: Block, pass: Pass) -> bool {
        match block {
            Block::Joints(index) => {
                self.joints(index as usize, pass);
                false
            }
            Block::Points(index) => {
                self.points(&mut lock(&self.plan.joints.points[index as usize]), pass);
                false
            }
            Block::Trees(index) => {
                self.tree(index as usize, pass);
                false
            }
            Block::Ones(index) => self.lot(index, &self.plan.lots1, pass),
            Block::Twos(index) => self.lot(index, &self.plan.lots2, pass),
            Block::Fours(index) => self.lot(index, &self.plan.lots4, pass),
        }
    }

    fn lot<const N: usize, const C: usize>(
        &self,
        index: u32,
        lots: &[Mutex<Lot<N, C>>],
        pass: Pass,
    ) -> bool {
        let mut lot = lock(&lots[index as usize]);
        if pass == Pass::Prepare {
            self.plan.fill(index, &mut lot);
        }
        self.enter(&mut lot, pass)
    }

    fn joints(&self, index: usize, pass: Pass) {
        let mut joints = lock(&self.plan.joints.singles[index]);
        match pass {
            Pass::Prepare => {
                let ids = &self.plan.joints.single_ids[index];
                let (bodies, table) = (self.scene.bodies, self.scene.table);
                joints.clear();
                joints.extend(
                    ids.iter().map(|&id| {
                        PreparedJoint::new(id, &self.joints[id as usize], bodies, table)
                    }),
                );
                joints.iter().for_each(|joint| joint.note(self.rows));
            }
            Pass::WarmStart => joints
                .iter_mut()
                .for_each(|joint| joint.warm_start(&self.joint)),
            Pass::Solve => joints
                .iter_mut()
                .for_each(|joint| joint.solve(&self.joint, true)),
            Pass::Relax => joints
                .iter_mut()
                .for_each(|joint| joint.solve(&self.joint, false)),
            Pass::Start | Pass::SolvePushed | Pass::Bounce => {}
        }
    }

    /// Enters the kernels of points at the level of this step, see [`Self::enter`].
    fn points(&self, lot: &mut PointLot, pass: Pass) {
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        if let Some(simd) = self.level.as_avx2() {
            simd.vectorize(
                #[inline(always)]
                || self.run_points(simd, lot, pass),
            );
        } else if let Some(simd) = self.level.as_sse2().or_else(|| Level::new().as_sse2()) {
            simd.vectorize(
                #[inline(always)]
                || self.run_points(simd, lot, pass),
            );
        }
        #[cfg(target_arch = "aarch64")]
        if let Some(simd) = self.level.as_neon().or_else(|| Level::new().as_neon()) {
            simd.vectorize(
                #[inline(always)]
                || self.run_points(simd, lot, pass),
            );
        }
        #[cfg(not(any(target_arch = "x86", target_arch = "x86_64", target_arch = "aarch64")))]
        self.run_points(fearless_simd::Fallback::new(), lot, pass);
    }

    #[inline(always)]
    fn run_points<S: Simd>(&self, simd: S, lot: &mut PointLot, pass: Pass) {
        let scene = self.scene;
        match pass {
            Pass::Prepare => {
                point::prepare(lot, self.joints, scene.bodies, scene.table);
                lot.note(self.rows);
            }
            Pass::WarmStart => point::warm_start(simd, &self.joint, lot),
            Pass::Solve => point::solve(simd, &self.joint, lot),
            Pass::Relax => point::relax(simd, &self.joint, lot),
            Pass::Start | Pass::SolvePushed | Pass::Bounce => {}
        }
    }

    /// Enters the kernels of trees at the level of this step, see [`Self::enter`]. Factoring an edge
    /// takes more vectors than AVX2 has registers, so that of AVX-512, with twice as many, is a
    /// copy of its own.
    fn trees(&self, lot: &mut TreeLot, pass: Pass) {
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        if let Some(simd) = self.level.as_avx512() {
            simd.vectorize(
                #[inline(always)]
                || self.run_trees(simd, lot, pass),
            );
        } else if let Some(simd) = self.level.as_avx2() {
            simd.vectorize(
                #[inline(always)]
                || self.run_trees(simd, lot, pass),
            );
        } else if let Some(simd) = self.level.as_sse2().or_else(|| Level::new().as_sse2()) {
            simd.vectorize(
                #[inline(always)]
                || self.run_trees(simd, lot, pass),
            );
        }
        #[cfg(target_arch = "aarch64")]
        if let Some(simd) = self.level.as_neon().or_else(|| Level::new().as_neon()) {
            simd.vectorize(
                #[inline(always)]
                || self.run_trees(simd, lot, pass),
            );
        }
        #[cfg(not(any(target_arch = "x86", target_arch = "x86_64", target_arch = "aarch64")))]
        self.run_trees(fearless_simd::Fallback::new(), lot, pass);
    }

    #[inline(always)]
    fn run_trees<S: Simd>(&self, simd: S, lot: &mut TreeLot, pass: Pass) {
        let scene = self.scene;
        match pass {
            Pass::Prepare => {
                lot.prepare(self.h, self.joints, scene.bodies, scene.table);
                lot.note_alone(self.rows);
            }
            Pass::WarmStart => tree::warm_start(simd, &self.joint, lot),
            Pass::Solve => tree::solve(simd, &self.joint, lot),
            Pass::Start => tree::start(simd, &self.joint, lot),
            Pass::SolvePushed => tree::solve_pushed(simd, &self.joint, lot),
            Pass::Relax => tree::relax(simd, &self.joint, lot),
            Pass::Bounce => {}
        }
    }

    /// Enters the kernels at the level of this step.
    ///
    /// Each level is a copy of all kernels, which takes long to build, so neighbours share one:
    /// SSE4.2 brings nothing beyond SSE2, AVX-512 a few percent on vectors of 256 bits, and
    /// the scalar copy alone takes longer than all others together, so only targets without
    /// vectors have it.
    fn enter<const N: usize, const C: usize>(&self, lot: &mut Lot<N, C>, pass: Pass) -> bool {
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        if let Some(simd) = self.level.as_avx2() {
            return simd.vectorize(
                #[inline(always)]
                || self.run_pass(simd, lot, pass),
            );
        } else if let Some(simd) = self.level.as_sse2().or_else(|| Level::new().as_sse2()) {
            return simd.vectorize(
                #[inline(always)]
                || self.run_pass(simd, lot, pass),
            );
        }
        #[cfg(target_arch = "aarch64")]
        if let Some(simd) = self.level.as_neon().or_else(|| Level::new().as_neon()) {
            return simd.vectorize(
                #[inline(always)]
                || self.run_pass(simd, lot, pass),
            );
        }
        #[cfg(not(any(target_arch = "x86", target_arch = "x86_64", target_arch = "aarch64")))]
        return self.run_pass(fearless_simd::Fallback::new(), lot, pass);
        #[cfg(any(target_arch = "x86", target_arch = "x86_64", target_arch = "aarch64"))]
        unreachable!("the target has no vectors, though all of its kind do")
    }

    #[inline(always)]
    fn run_pass<S: Simd, const N: usize, const C: usize>(
        &self,
        simd: S,
        lot: &mut Lot<N, C>,
        pass: Pass,
    ) -> bool {
        let context = &self.sweep;
        match pass {
            Pass::Prepare => prepare_lot(simd, context, self.scene, lot),
            Pass::WarmStart => lots::warm_start(simd, context, lot),
            Pass::Solve => lots::solve(simd, context, lot),
            Pass::Relax => lots::relax(simd, context, self.scene.bodies, lot),
            Pass::Bounce => return lots::bounce(simd, context, lot),
            Pass::Start | Pass::SolvePushed => {}
        }
        false
    }
}
