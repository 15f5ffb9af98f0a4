//! The plan of a step: which blocks each colour has, and which stages follow each other.
//!
//! Everything here is cut by the amount of work alone, so the plan, and with it the result,
//! is the same for any number of workers.

use std::sync::{Mutex, MutexGuard, PoisonError};

use drystone_geometry::Workers;
use drystone_geometry::lanes::LANES;

use crate::contact::Contact;
use crate::contact::bundle::{Lot, Lot1, Lot2, Lot4, NO_CONTACT};
use crate::contact::prepare::Scene;
use crate::graph::{Colour, ConstraintGraph};
use crate::joint::Joint;
use crate::joint::plan::JointPlan;
use crate::tolerance::{BODIES_PER_BLOCK, BUNDLES_PER_BLOCK};

/// A block of constraints of one kind and one colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Block {
    /// Joints one by one, by index into [`JointPlan::singles`].
    Joints(u32),
    /// Free ball joints, by index into [`JointPlan::points`].
    Points(u32),
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
    /// Chains.
    PrepareChains,
    /// Impulses of the sub-step before, for chains.
    WarmStartChains,
    /// Biased solution of chains.
    SolveChains,
    /// Relaxing solution of chains.
    RelaxChains,
    /// Impulses of the sub-step before, for one colour.
    WarmStart(u32),
    /// Biased sweep over one colour.
    Solve(u32),
    /// Movement of a sub-step.
    Positions,
    /// Relaxing sweep over one colour.
    Relax(u32),
    /// Restitution of one colour.
    Bounce(u32),
}

/// Blocks and stages of a step, and the buffers of the blocks.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    pub(crate) lots1: Vec<Mutex<Lot1>>,
    pub(crate) lots2: Vec<Mutex<Lot2>>,
    pub(crate) lots4: Vec<Mutex<Lot4>>,
    pub(crate) joints: JointPlan,
    pub(crate) blocks: Vec<Block>,
    /// First block of each colour in use, and the end.
    pub(crate) colour_starts: Vec<u32>,
    /// Whether the last colour is the overflow, solved in order by one worker.
    pub(crate) has_overflow: bool,
    pub(crate) stages: Vec<Stage>,
    pub(crate) block_counts: Vec<u32>,
    /// By contact: where its lane is.
    pub(crate) places: Vec<Place>,
    placed: Vec<u32>,
    bounces: bool,
    pub(crate) contact_count: u32,
    pub(crate) overflow_count: u32,
    pub(crate) bundle_count: u32,
    used: Used,
    by_points: [Vec<u32>; 3],
}

/// Buffers in use this step; the rest keep their memory.
#[derive(Clone, Copy, Debug, Default)]
struct Used {
    lots1: usize,
    lots2: usize,
    lots4: usize,
}

/// The lane of a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// Index into the lots of `points`.
    pub(crate) lot: u32,
    pub(crate) bundle: u16,
    pub(crate) lane: u8,
    /// 1, 2 or 4; 0 when the contact is not solved.
    pub(crate) points: u8,
}

impl Place {
    pub(crate) const NONE: Self = Self {
        lot: 0,
        bundle: 0,
        lane: 0,
        points: 0,
    };
}

impl Plan {
    /// Cuts the constraints of `graph` into blocks and lists the stages.
    pub(crate) fn make(
        &mut self,
        workers: &Workers,
        graph: &ConstraintGraph,
        scene: Scene<'_>,
        joints: &[Joint],
        substeps: u32,
    ) {
        let contacts = scene.contacts;
        self.clear(contacts.len());
        self.joints.begin(workers, graph, scene, joints);
        for colour in graph.colours() {
            if !colour.contacts.is_empty() || !colour.joints.is_empty() {
                self.colour_starts.push(self.blocks.len() as u32);
                self.cut(colour, contacts, joints, LANES, BUNDLES_PER_BLOCK);
            }
        }
        if let Some(overflow) = graph.overflow() {
            self.overflow_count = (overflow.contacts.len() + overflow.joints.len()) as u32;
            self.has_overflow = self.overflow_count > 0;
            if self.has_overflow {
                self.colour_starts.push(self.blocks.len() as u32);
                // One contact a bundle: lanes of a bundle must not share a body.
                self.cut(overflow, contacts, joints, 1, BUNDLES_PER_BLOCK);
            }
        }
        self.colour_starts.push(self.blocks.len() as u32);
        self.list_stages(scene.bodies.len(), substeps);
    }

    /// Number of colours in use, overflow included.
    pub(crate) fn colour_count(&self) -> u32 {
        self.colour_starts.len() as u32 - 1
    }

    /// The blocks that block number `block` of a stage of `colour` stands for: one, or for
    /// the overflow all of them, in order.
    pub(crate) fn blocks_of(&self, colour: u32, block: usize) -> &[Block] {
        let start = self.colour_starts[colour as usize] as usize;
        if self.has_overflow && colour + 1 == self.colour_count() {
            &self.blocks[start..]
        } else {
            &self.blocks[start + block..=start + block]
        }
    }

    fn clear(&mut self, contact_count: usize) {
        for &contact in &self.placed {
            if let Some(place) = self.places.get_mut(contact as usize) {
                *place = Place::NONE;
            }
        }
        self.placed.clear();
        self.places.resize(contact_count, Place::NONE);
        self.blocks.clear();
        self.colour_starts.clear();
        self.stages.clear();
        self.block_counts.clear();
        self.has_overflow = false;
        self.bounces = false;
        self.contact_count = 0;
        self.overflow_count = 0;
        self.bundle_count = 0;
        self.used = Used::default();
    }

    /// Cuts one colour: joints first, then contacts by their number of points, filling
    /// `lanes` lanes of each bundle.
    fn cut(
        &mut self,
        colour: &Colour,
        contacts: &[Contact],
        joints: &[Joint],
        lanes: usize,
        bundles: usize,
    ) {
        self.joints
            .cut(&colour.joints, joints, lanes, &mut self.blocks);
        let mut by_points = std::mem::take(&mut self.by_points);
        by_points.iter_mut().for_each(Vec::clear);
        for &id in &colour.contacts {
            let contact = &contacts[id as usize];
            self.bounces |= contact.restitution > 0.0;
            match contact.count {
                0 => {}
                1 => by_points[0].push(id),
                2 => by_points[1].push(id),
                _ => by_points[2].push(id),
            }
        }
        let mut book = Book {
            places: &mut self.places,
            placed: &mut self.placed,
            blocks: &mut self.blocks,
            contact_count: &mut self.contact_count,
            bundle_count: &mut self.bundle_count,
            lanes,
            bundles,
        };
        book.fill(
            &by_points[0],
            &mut self.lots1,
            &mut self.used.lots1,
            Block::Ones,
        );
        book.fill(
            &by_points[1],
            &mut self.lots2,
            &mut self.used.lots2,
            Block::Twos,
        );
        book.fill(
            &by_points[2],
            &mut self.lots4,
            &mut self.used.lots4,
            Block::Fours,
        );
        self.by_points = by_points;
    }

    fn list_stages(&mut self, body_count: usize, substeps: u32) {
        let body_blocks = body_count.div_ceil(BODIES_PER_BLOCK) as u32;
        let colours = self.colour_count();
        self.push(Stage::Begin, body_blocks);
        self.push(Stage::Prepare, self.blocks.len() as u32);
        let chain_groups = self.joints.chain_groups();
        self.push(Stage::PrepareChains, chain_groups);
        for _ in 0..substeps {
            self.push(Stage::Velocities, body_blocks);
            self.push(Stage::WarmStartChains, chain_groups);
            for colour in 0..colours {
                self.push(Stage::WarmStart(colour), self.width(colour));
            }
            self.push(Stage::SolveChains, chain_groups);
            for colour in 0..colours {
                self.push(Stage::Solve(colour), self.width(colour));
            }
            self.push(Stage::Positions, body_blocks);
            self.push(Stage::RelaxChains, chain_groups);
            for colour in 0..colours {
                self.push(Stage::Relax(colour), self.width(colour));
            }
        }
        if self.bounces {
            for colour in 0..colours {
                self.push(Stage::Bounce(colour), self.width(colour));
            }
        }
    }

    fn push(&mut self, stage: Stage, blocks: u32) {
        self.stages.push(stage);
        self.block_counts.push(blocks);
    }

    /// Blocks of a colour that may be solved at the same time.
    fn width(&self, colour: u32) -> u32 {
        if self.has_overflow && colour + 1 == self.colour_count() {
            1
        } else {
            self.colour_starts[colour as usize + 1] - self.colour_starts[colour as usize]
        }
    }
}

/// Notes where contacts go.
struct Book<'a> {
    places: &'a mut [Place],
    placed: &'a mut Vec<u32>,
    blocks: &'a mut Vec<Block>,
    contact_count: &'a mut u32,
    bundle_count: &'a mut u32,
    lanes: usize,
    bundles: usize,
}

impl Book<'_> {
    fn fill<const N: usize, const C: usize>(
        &mut self,
        ids: &[u32],
        lots: &mut Vec<Mutex<Lot<N, C>>>,
        used: &mut usize,
        block: impl Fn(u32) -> Block,
    ) {
        for chunk in ids.chunks(self.lanes * self.bundles) {
            let index = *used;
            *used += 1;
            if index == lots.len() {
                lots.push(Mutex::default());
            }
            let lot = lots[index]
                .get_mut()
                .unwrap_or_else(PoisonError::into_inner);
            lot.reset(chunk.len().div_ceil(self.lanes));
            for (i, &id) in chunk.iter().enumerate() {
                let (bundle, lane) = (i / self.lanes, i % self.lanes);
                debug_assert!(lot.ids[bundle][lane] == NO_CONTACT);
                lot.ids[bundle][lane] = id;
                self.places[id as usize] = Place {
                    lot: index as u32,
                    bundle: bundle as u16,
                    lane: lane as u8,
                    points: N as u8,
                };
                self.placed.push(id);
            }
            *self.contact_count += chunk.len() as u32;
            *self.bundle_count += lot.ids.len() as u32;
            self.blocks.push(block(index as u32));
        }
    }
}

/// The contents of a block's lock. Each block is claimed once a stage, so the lock is never
/// waited for; a panic in a block ends the step, so poison tells nothing.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
