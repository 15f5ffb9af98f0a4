//! The plan of a step: which blocks each colour has, and which stages follow each other.
//!
//! Everything here is cut by the amount of work alone, so the plan, and with it the result,
//! is the same for any number of workers.

use std::mem::discriminant;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use drystone_geometry::Workers;
use drystone_geometry::lanes::LANES;

use crate::contact::Contact;
use crate::contact::bundle::{Lot, Lot1, Lot2, Lot4};
use crate::contact::prepare::Scene;
use crate::graph::ConstraintGraph;
use crate::joint::Joint;
use crate::joint::plan::JointPlan;
use crate::tolerance::{
    BODIES_PER_BLOCK, BUNDLES_PER_BLOCK, CONTACTS_PER_BLOCK, CONTACTS_PER_SORT,
    LOOKS_PER_MICROSECOND, SHARED_BOUNCE_ROUNDS,
};
use crate::tumble::Tops;

mod place;
mod regions;

pub(crate) use place::Place;
use regions::Regions;

/// A block of constraints of one kind and one colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Block {
    /// Joints one by one, by index into [`JointPlan::singles`].
    Joints(u32),
    /// Free ball joints, by index into [`JointPlan::points`].
    Points(u32),
    /// Joints of nets and of frames with many loops, by index into [`JointPlan::trees`].
    Trees(u32),
    /// Contacts of one point, by index into [`Plan::lots1`].
    Ones(u32),
    /// Contacts of two points.
    Twos(u32),
    /// Contacts of three and four points.
    Fours(u32),
}

/// What the blocks of a stage do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Rows of the bodies.
    Begin,
    /// Bundles and joints.
    Prepare,
    /// Forces of a sub-step.
    Velocities,
    /// Trees of joints.
    PrepareTrees,
    /// Impulses of the sub-step before and biased solution, for trees.
    StartTrees,
    /// Biased solution of trees that something has pushed since.
    SolvePushedTrees,
    /// Relaxing solution of trees.
    RelaxTrees,
    /// Impulses of the sub-step before, for one span.
    WarmStart(u32),
    /// Biased sweep over one span.
    Solve(u32),
    /// Movement of a sub-step.
    Positions,
    /// Relaxing sweep over one span.
    Relax(u32),
    /// Impacts of one span, in a round of the step. The first round of a sub-step always
    /// takes place, others after one in which something bounced.
    Bounce(u32, u32),
    /// The rounds of impacts that follow in a sub-step, by one worker, after a shared round.
    Settle(u32),
    /// Loads of a sub-step on watched joints.
    Watch,
}

/// The blocks that a stage of a sweep is about.
#[derive(Clone, Copy, Debug)]
struct Span {
    /// First block, and the end.
    blocks: [u32; 2],
    /// Whether one worker solves the blocks, in order, and not several at the same time.
    is_serial: bool,
}

/// Blocks and stages of a step, and the buffers of the blocks.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    pub(crate) lots1: Vec<Mutex<Lot1>>,
    pub(crate) lots2: Vec<Mutex<Lot2>>,
    pub(crate) lots4: Vec<Mutex<Lot4>>,
    pub(crate) joints: JointPlan,
    /// By block of bodies: what is known of each eight since the step began.
    pub(crate) tops: Vec<Mutex<Vec<Option<Tops>>>>,
    pub(crate) blocks: Vec<Block>,
    /// The same in the order in which they are prepared.
    pub(crate) prepared: Vec<Block>,
    /// Of the colours in use: each has its own, but light ones that follow each other share one.
    spans: Vec<Span>,
    pub(crate) stages: Vec<Stage>,
    pub(crate) block_counts: Vec<u32>,
    /// By stage: whether it does something else than the stage before. The clock is read
    /// there only: colours are many, and a look at the clock takes as long as three contacts.
    /// Where no sweep has more than one block the first stage alone does: looks at the clock would
    /// be a tenth of such a step.
    pub(crate) turns: Vec<bool>,
    /// By round of impacts: whether something bounced.
    rounds: Vec<AtomicBool>,
    /// By contact: the [`Place`] where it was when it was last solved. The lane there tells
    /// whether it still is.
    pub(crate) places: Vec<AtomicU64>,
    /// By block of [`CONTACTS_PER_BLOCK`] contacts: whether some contact in it is solved.
    solved: Vec<AtomicBool>,
    /// Contacts in the order of the lots.
    order: Vec<u32>,
    /// Where they are, and where blocks are; see [`Plan::gather`].
    regions: Regions,
    sorts: Vec<Sort>,
    bounces: bool,
    /// Colours in use, overflow included.
    pub(crate) colour_count: u32,
    pub(crate) contact_count: u32,
    pub(crate) overflow_count: u32,
    pub(crate) bundle_count: u32,
    used: Used,
}

/// A stretch of the contacts of one colour, sorted by their number of points.
#[derive(Debug, Default)]
struct Sort {
    colour: usize,
    start: usize,
    by_points: [Vec<u32>; 3],
    bounces: bool,
}

/// Buffers in use this step; the rest keep their memory.
#[derive(Clone, Copy, Debug, Default)]
struct Used {
    lots1: usize,
    lots2: usize,
    lots4: usize,
}

impl Plan {
    /// Cuts the constraints of `graph` into blocks and lists the stages.
    ///
    /// What is left to one thread is a copy of the contacts' numbers and some work per block:
    /// contacts are looked at by all workers, and bundles filled when they are prepared.
    pub(crate) fn make(
        &mut self,
        workers: &Workers,
        graph: &ConstraintGraph,
        scene: Scene<'_>,
        joints: &[Joint],
        h: f32,
        substeps: u32,
    ) {
        let contacts = scene.contacts;
        self.clear(contacts.len());
        self.joints.begin(workers, graph, scene, joints, h);
        self.sort(workers, graph, contacts);
        for (index, colour) in graph.colours().iter().enumerate() {
            if !colour.contacts.is_empty() || !colour.joints.is_empty() {
                let start = (self.blocks.len() as u32, self.bundle_count);
                self.cut(index, LANES);
                let is_light = self.is_light(index, self.bundle_count - start.1);
                self.add_span(start.0, is_light);
            }
        }
        if let Some(overflow) = graph.overflow() {
            self.overflow_count = (overflow.contacts.len() + overflow.joints.len()) as u32;
            if self.overflow_count > 0 {
                let start = self.blocks.len() as u32;
                // One contact a bundle: lanes of a bundle must not share a body.
                self.cut(graph.colours().len(), 1);
                self.add_span(start, true);
            }
        }
        self.gather(workers, scene);
        retire(&mut self.lots1[self.used.lots1..]);
        retire(&mut self.lots2[self.used.lots2..]);
        retire(&mut self.lots4[self.used.lots4..]);
        self.list_stages(scene.bodies.len(), substeps);
    }

    /// Stages of a sweep over all colours.
    pub(crate) fn span_count(&self) -> u32 {
        self.spans.len() as u32
    }

    /// The blocks that block number `block` of a stage of `span` stands for: one, or all of
    /// them, in order.
    pub(crate) fn blocks_of(&self, span: u32, block: usize) -> &[Block] {
        let Span { blocks, is_serial } = self.spans[span as usize];
        let [start, end] = blocks.map(|block| block as usize);
        if is_serial {
            &self.blocks[start..end]
        } else {
            &self.blocks[start + block..=start + block]
        }
    }

    /// Whether a colour with so many bundles of contacts is no more work than a block. Then a
    /// worker is through with it before another could help.
    fn is_light(&self, colour: usize, bundles: u32) -> bool {
        let joints = self.joints.blocks_of(colour).len();
        joints * BUNDLES_PER_BLOCK + bundles as usize <= BUNDLES_PER_BLOCK
    }

    /// Notes that the blocks from `start` on are one more colour.
    fn add_span(&mut self, start: u32, is_serial: bool) {
        self.colour_count += 1;
        let end = self.blocks.len() as u32;
        match self.spans.last_mut() {
            // All its joints are in trees.
            _ if start == end => {}
            Some(last) if last.is_serial && is_serial => last.blocks[1] = end,
            _ => self.spans.push(Span {
                blocks: [start, end],
                is_serial,
            }),
        }
    }

    fn clear(&mut self, contact_count: usize) {
        self.places.resize_with(contact_count, AtomicU64::default);
        self.solved.clear();
        self.solved.resize_with(
            contact_count.div_ceil(CONTACTS_PER_BLOCK),
            AtomicBool::default,
        );
        self.order.clear();
        self.blocks.clear();
        self.spans.clear();
        self.stages.clear();
        self.block_counts.clear();
        self.turns.clear();
        self.bounces = false;
        self.colour_count = 0;
        self.contact_count = 0;
        self.overflow_count = 0;
        self.bundle_count = 0;
        self.used = Used::default();
    }

    /// Looks at every contact of the graph once, in parallel, and sorts those of each stretch
    /// by their number of points.
    fn sort(&mut self, workers: &Workers, graph: &ConstraintGraph, contacts: &[Contact]) {
        let colours: Vec<_> = graph.colours().iter().chain(graph.overflow()).collect();
        let (mut count, mut looks) = (0, 0);
        for (colour, of) in colours.iter().enumerate() {
            looks += of.contacts.len();
            for start in (0..of.contacts.len()).step_by(CONTACTS_PER_SORT) {
                if count == self.sorts.len() {
                    self.sorts.push(Sort::default());
                }
                (self.sorts[count].colour, self.sorts[count].start) = (colour, start);
                count += 1;
            }
        }
        self.sorts.truncate(count);
        let workers = workers.worth(looks / LOOKS_PER_MICROSECOND);
        workers.for_each(self.sorts.iter_mut(), |_, sort| {
            let ids = &colours[sort.colour].contacts[sort.start..];
            sort.run(&ids[..ids.len().min(CONTACTS_PER_SORT)], contacts);
        });
        self.bounces = self.sorts.iter().any(|sort| sort.bounces);
    }

    /// Cuts one colour: joints first, then contacts by their number of points, filling
    /// `lanes` lanes of each bundle.
    fn cut(&mut self, index: usize, lanes: usize) {
        self.blocks.extend_from_slice(self.joints.blocks_of(index));
        let first = self.sorts.partition_point(|sort| sort.colour < index);
        let end = self.sorts.partition_point(|sort| sort.colour <= index);
        let mut starts = [self.order.len(); 4];
        for class in 0..3 {
            for sort in &self.sorts[first..end] {
                self.order.extend_from_slice(&sort.by_points[class]);
            }
            starts[class + 1] = self.order.len();
            if lanes == LANES {
                self.regions.note(starts[class]..starts[class + 1]);
            }
        }
        let mut book = Book {
            blocks: &mut self.blocks,
            contact_count: &mut self.contact_count,
            bundle_count: &mut self.bundle_count,
            lanes,
        };
        let [ones, twos, fours] = [0, 1, 2].map(|class| starts[class]..starts[class + 1]);
        book.cut(ones, &mut self.lots1, &mut self.used.lots1, Block::Ones);
        book.cut(twos, &mut self.lots2, &mut self.used.lots2, Block::Twos);
        book.cut(fours, &mut self.lots4, &mut self.used.lots4, Block::Fours);
    }

    /// Puts the contacts of a lot into its lanes and notes where they are.
    pub(crate) fn fill<const N: usize, const C: usize>(&self, number: u32, lot: &mut Lot<N, C>) {
        let (lanes, order) = (lot.lanes, &self.order[lot.source.clone()]);
        lot.reset(order.len().div_ceil(lanes));
        for (i, &id) in order.iter().enumerate() {
            let (bundle, lane) = (i / lanes, i % lanes);
            lot.ids[bundle][lane] = id;
            let place = Place {
                lot: number,
                bundle: bundle as u16,
                lane: lane as u8,
                points: N as u8,
            };
            self.places[id as usize].store(place.pack(), Ordering::Relaxed);
            self.solved[id as usize / CONTACTS_PER_BLOCK].store(true, Ordering::Relaxed);
        }
    }

    /// The blocks of contacts of which some are solved.
    pub(crate) fn solved_blocks(&mut self) -> Vec<u32> {
        let solved = (0..).zip(&mut self.solved);
        solved
            .filter_map(|(block, solved)| solved.get_mut().then_some(block))
            .collect()
    }

    fn list_stages(&mut self, body_count: usize, substeps: u32) {
        let body_blocks = body_count.div_ceil(BODIES_PER_BLOCK) as u32;
        let spans = self.span_count();
        self.tops.resize_with(body_blocks as usize, Mutex::default);
        self.push(Stage::Begin, body_blocks);
        self.push(Stage::Prepare, self.blocks.len() as u32);
        let tree_blocks = self.joints.tree_blocks();
        self.push(Stage::PrepareTrees, tree_blocks);
        self.rounds.clear();
        if self.bounces {
            self.list_impacts(spans);
        }
        for _ in 0..substeps {
            self.push(Stage::Velocities, body_blocks);
            for span in 0..spans {
                self.push(Stage::WarmStart(span), self.width(span));
            }
            self.push(Stage::StartTrees, tree_blocks);
            for span in 0..spans {
                self.push(Stage::Solve(span), self.width(span));
            }
            // Where contacts have the last word before the movement, joints part and jams tremble.
            if spans > 0 {
                self.push(Stage::SolvePushedTrees, tree_blocks);
            }
            self.push(Stage::Positions, body_blocks);
            if self.bounces {
                self.list_impacts(spans);
            }
            self.push(Stage::RelaxTrees, tree_blocks);
            for span in 0..spans {
                self.push(Stage::Relax(span), self.width(span));
            }
            self.push(Stage::Watch, self.joints.watch.block_count());
        }
        // The first two stages, bodies and all constraints, may have more blocks than a colour.
        if self.block_counts.iter().skip(2).all(|&blocks| blocks == 1) {
            self.turns[1..].fill(false);
        }
    }

    /// The stages of the impacts of a sub-step. They come before relaxing, which would slow
    /// what is about to touch.
    fn list_impacts(&mut self, spans: u32) {
        for _ in 0..SHARED_BOUNCE_ROUNDS {
            let round = self.rounds.len() as u32;
            self.rounds.push(AtomicBool::new(false));
            for span in 0..spans {
                self.push(Stage::Bounce(span, round), self.width(span));
            }
        }
        self.push(Stage::Settle(self.rounds.len() as u32 - 1), 1);
    }

    /// Whether a round of impacts takes place.
    pub(crate) fn is_on(&self, round: u32) -> bool {
        round.is_multiple_of(SHARED_BOUNCE_ROUNDS) || self.has_bounced(round - 1)
    }

    /// Whether something bounced in a round that is over.
    pub(crate) fn has_bounced(&self, round: u32) -> bool {
        self.rounds[round as usize].load(Ordering::Relaxed)
    }

    /// Notes that something bounced in a round.
    pub(crate) fn note_bounce(&self, round: u32) {
        self.rounds[round as usize].store(true, Ordering::Relaxed);
    }

    fn push(&mut self, stage: Stage, blocks: u32) {
        if blocks == 0 {
            return;
        }
        let last = self.stages.last();
        let turns = last.is_none_or(|last| discriminant(last) != discriminant(&stage));
        self.stages.push(stage);
        self.block_counts.push(blocks);
        self.turns.push(turns);
    }

    /// Blocks of a span that may be solved at the same time.
    pub(crate) fn width(&self, span: u32) -> u32 {
        let Span { blocks, is_serial } = self.spans[span as usize];
        if is_serial { 1 } else { blocks[1] - blocks[0] }
    }
}

impl Sort {
    fn run(&mut self, ids: &[u32], contacts: &[Contact]) {
        self.by_points.iter_mut().for_each(Vec::clear);
        self.bounces = false;
        for &id in ids {
            let contact = &contacts[id as usize];
            self.bounces |= contact.restitution > 0.0;
            match contact.count {
                0 => {}
                1 => self.by_points[0].push(id),
                2 => self.by_points[1].push(id),
                _ => self.by_points[2].push(id),
            }
        }
    }
}

/// Notes which blocks there are.
struct Book<'a> {
    blocks: &'a mut Vec<Block>,
    contact_count: &'a mut u32,
    bundle_count: &'a mut u32,
    lanes: usize,
}

impl Book<'_> {
    /// Cuts a stretch of the order into lots.
    fn cut<const N: usize, const C: usize>(
        &mut self,
        stretch: std::ops::Range<usize>,
        lots: &mut Vec<Mutex<Lot<N, C>>>,
        used: &mut usize,
        block: impl Fn(u32) -> Block,
    ) {
        let size = self.lanes * BUNDLES_PER_BLOCK;
        *self.contact_count += stretch.len() as u32;
        for start in stretch.clone().step_by(size) {
            let index = *used;
            *used += 1;
            if index == lots.len() {
                lots.push(Mutex::default());
            }
            let lot = lots[index]
                .get_mut()
                .unwrap_or_else(PoisonError::into_inner);
            lot.source = start..stretch.end.min(start + size);
            lot.lanes = self.lanes;
            *self.bundle_count += lot.source.len().div_ceil(self.lanes) as u32;
            self.blocks.push(block(index as u32));
        }
    }
}

/// Empties lots that were used in an earlier step and are not in this one.
fn retire<const N: usize, const C: usize>(lots: &mut [Mutex<Lot<N, C>>]) {
    for lot in lots {
        let lot = lot.get_mut().unwrap_or_else(PoisonError::into_inner);
        lot.ids.clear();
    }
}

/// The contents of a block's lock. Each block is claimed once a stage, so the lock is never
/// waited for, but by those who look at watched joints, for as long as one is read; a panic in a
/// block ends the step, so poison tells nothing.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
