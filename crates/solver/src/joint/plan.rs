//! Which joint is solved where in a step: in a lane, in a tree, or by itself.
//!
//! It follows from which joints there are, in which colours, and what they connect. That stays
//! the same for many steps as a rule, and so does the plan.

use std::ops::Deref;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use drystone_geometry::Workers;
use drystone_geometry::lanes::LANES;

use crate::contact::prepare::Scene;
use crate::graph::ConstraintGraph;
use crate::joint::jointed::JointedLoad;
use crate::joint::point::PointLot;
use crate::joint::tree::shape::{Edge, Role, Shape};
use crate::joint::tree::{Class, TreeLot};
use crate::joint::watch::{Watch, present_pose};
use crate::joint::{Joint, JointContext, JointImpulses, PreparedJoint};
use crate::plan::{Block, lock};
use crate::tolerance::{
    BUNDLES_PER_BLOCK, BUNDLES_PER_TREE_BLOCK, COLOUR_COUNT, ENDS_PER_BLOCK, JOINTS_PER_BLOCK,
};
use crate::trees::{End, TreeFinder};

/// The joints of a step, and the buffers of their blocks.
#[derive(Debug, Default)]
pub(crate) struct JointPlan {
    pub(crate) points: Vec<Mutex<PointLot>>,
    pub(crate) singles: Vec<Mutex<Vec<PreparedJoint>>>,
    /// Ids of the joints of each block of `singles`.
    pub(crate) single_ids: Vec<Vec<u32>>,
    /// Trees, which share no pushed bodies, then joints of nets and of frames with many loops, by colour.
    pub(crate) trees: Vec<Mutex<TreeLot>>,
    /// By slot; or empty.
    loads: Vec<JointedLoad>,
    /// By slot: whether a tree holds the body.
    in_trees: Vec<bool>,
    /// Whether drives press any body.
    pub(crate) any_press: bool,
    pub(crate) watch: Watch,
    pub(crate) count: u32,
    pub(crate) bundle_count: u32,
    finder: TreeFinder,
    /// By colour, the overflow last.
    cuts: Vec<Cut>,
    /// The joints of the graph, sorted.
    ids: Vec<u32>,
    /// Of the joints in `ids`.
    ends: Vec<End>,
    loose: Vec<u32>,
    point_ids: [Vec<u32>; 2],
    /// Such joints of the present colour, by number of their class.
    closing: [[Vec<u32>; Class::SHARED.len()]; 2],
    /// Lots of trees that are not solved by colour.
    tree_count: usize,
    used_trees: usize,
    used_points: usize,
    used_singles: usize,
    /// By joint.
    places: Vec<Place>,
}

/// The joints of a colour, and the blocks that they are cut into.
#[derive(Debug, Default)]
struct Cut {
    ids: Vec<u32>,
    blocks: Vec<Block>,
}

/// Where a joint is solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Nowhere,
    Point { lot: u32, bundle: u16, lane: u8 },
    Single { block: u32, index: u32 },
    Tree { lot: u32, index: u32, lane: u8 },
}

impl JointPlan {
    /// Finds trees, cuts what is left into blocks and sums up tensions.
    pub(crate) fn begin(
        &mut self,
        workers: &Workers,
        graph: &ConstraintGraph,
        scene: Scene<'_>,
        joints: &[Joint],
        h: f32,
    ) {
        self.places.resize(joints.len(), Place::Nowhere);
        self.finder.grown.resize(joints.len(), false);
        self.finder.nets.resize(joints.len(), false);
        let listed = self.list(graph);
        let linked = self.look_at_ends(workers, scene, joints, h);
        self.tighten(scene.bodies.len());
        if linked {
            self.finder
                .find(&self.ends, joints.len(), scene.bodies.len());
            self.assign_trees();
            self.note_in_trees(scene.bodies.len());
        }
        self.in_trees.resize(scene.bodies.len(), false);
        if listed || linked {
            self.cut(joints);
        }
    }

    /// The blocks of the joints of a colour.
    pub(crate) fn blocks_of(&self, colour: usize) -> &[Block] {
        &self.cuts[colour].blocks
    }

    /// Blocks of trees, which are solved at the same time.
    pub(crate) fn tree_blocks(&self) -> u32 {
        self.tree_count as u32
    }

    /// Lists the joints of the graph; whether something has changed in a colour.
    fn list(&mut self, graph: &ConstraintGraph) -> bool {
        self.cuts.resize_with(COLOUR_COUNT + 1, Cut::default);
        let mut changed = false;
        let mut colours = graph.colours().iter().chain(graph.overflow());
        for cut in &mut self.cuts {
            let ids = colours.next().map_or(&[][..], |colour| &colour.joints);
            if cut.ids != ids {
                cut.ids.clear();
                cut.ids.extend_from_slice(ids);
                changed = true;
            }
        }
        if changed {
            self.ids.clear();
            for cut in &self.cuts {
                self.ids.extend_from_slice(&cut.ids);
            }
            // In order of the joints, so that a chain starts at the same end every step.
            self.ids.sort_unstable();
        }
        changed
    }

    /// Looks up what the joints connect; whether it is something else than in the step before.
    fn look_at_ends(
        &mut self,
        workers: &Workers,
        scene: Scene<'_>,
        joints: &[Joint],
        h: f32,
    ) -> bool {
        let changed = AtomicBool::new(self.ends.len() != self.ids.len());
        self.ends.resize(self.ids.len(), End::NONE);
        let blocks = self.ids.chunks(ENDS_PER_BLOCK);
        let work = blocks.zip(self.ends.chunks_mut(ENDS_PER_BLOCK));
        workers.for_each(work, |_, (ids, ends)| {
            let mut alike = true;
            for (&id, end) in ids.iter().zip(ends) {
                let now = End::of(id, &joints[id as usize], &scene, h);
                alike &= now.links_like(end);
                *end = now;
            }
            if !alike {
                changed.store(true, Ordering::Relaxed);
            }
        });
        changed.into_inner()
    }

    /// Sums up what the joints of each body did to it.
    fn tighten(&mut self, bodies: usize) {
        self.loads.clear();
        self.any_press = false;
        if self.ends.is_empty() {
            return;
        }
        self.loads.resize(bodies, JointedLoad::NONE);
        for end in &self.ends {
            for (slot, load) in end.awake.into_iter().zip(end.loads) {
                if let Some(sum) = self.loads.get_mut(slot as usize) {
                    sum.add(load);
                    self.any_press |= load.press > 0.0;
                }
            }
        }
    }

    /// What joints did in the last sub-step to the body in a slot.
    pub(crate) fn load(&self, slot: u32) -> JointedLoad {
        let load = self.loads.get(slot as usize);
        load.copied().unwrap_or(JointedLoad::NONE)
    }

    /// What joints did in the last sub-step to all bodies, by slot; empty if there are none.
    pub(crate) fn loads(&self) -> &[JointedLoad] {
        &self.loads
    }

    /// By slot: whether a tree holds the body.
    pub(crate) fn in_trees(&self) -> &[bool] {
        &self.in_trees
    }

    fn note_in_trees(&mut self, bodies: usize) {
        self.in_trees.clear();
        self.in_trees.resize(bodies, false);
        for end in &self.ends {
            if self.finder.grown[end.id as usize] {
                for slot in end.pushed {
                    if let Some(is_in) = self.in_trees.get_mut(slot as usize) {
                        *is_in = true;
                    }
                }
            }
        }
    }

    /// Puts the trees into lots, those of one shape side by side.
    fn assign_trees(&mut self) {
        self.tree_count = 0;
        let finder = &self.finder;
        for alike in finder.trees.chunk_by(|a, b| a.shape == b.shape) {
            let shape = &finder.shapes[alike[0].shape as usize];
            for some in alike.chunks(LANES * BUNDLES_PER_TREE_BLOCK) {
                let lot = next_lot(&mut self.trees, &mut self.tree_count);
                let joints = some.iter().map(|tree| finder.joints_of(tree));
                lot.assign(shape, joints, LANES);
                lot.is_soft = false;
            }
        }
    }

    fn place_lot(&mut self, index: usize) {
        let lot = self.trees[index]
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner);
        self.bundle_count += lot.bundle_count() as u32;
        for (place, ids) in lot.ids.iter().enumerate() {
            for (lane, &id) in ids.iter().enumerate() {
                // An empty lane is no joint of the step.
                if let Some(of) = self.places.get_mut(id as usize) {
                    self.count += 1;
                    *of = Place::Tree {
                        lot: index as u32,
                        index: place as u32,
                        lane: lane as u8,
                    };
                }
            }
        }
    }

    /// Cuts the joints of all colours into blocks.
    fn cut(&mut self, joints: &[Joint]) {
        self.count = 0;
        self.bundle_count = 0;
        self.used_points = 0;
        self.used_singles = 0;
        self.used_trees = self.tree_count;
        self.places.fill(Place::Nowhere);
        for lot in 0..self.tree_count {
            self.place_lot(lot);
        }
        let mut cuts = std::mem::take(&mut self.cuts);
        for (colour, cut) in cuts.iter_mut().enumerate() {
            cut.blocks.clear();
            // Joints of the overflow share bodies, and lanes of a bundle must not.
            let lanes = if colour == COLOUR_COUNT { 1 } else { LANES };
            self.cut_colour(&cut.ids, joints, lanes, &mut cut.blocks);
        }
        self.cuts = cuts;
    }

    /// Cuts the joints of one colour into blocks, filling `lanes` lanes of each bundle.
    fn cut_colour(&mut self, ids: &[u32], joints: &[Joint], lanes: usize, blocks: &mut Vec<Block>) {
        self.loose.clear();
        self.point_ids.iter_mut().for_each(Vec::clear);
        (self.closing.iter_mut().flatten()).for_each(Vec::clear);
        for &id in ids {
            if !self.finder.grown[id as usize] {
                let kind = &joints[id as usize].kind;
                let net = usize::from(self.finder.nets[id as usize]);
                let list = match Class::of(kind) {
                    _ if kind.is_point() => &mut self.point_ids[net],
                    Some(class) => &mut self.closing[net][class.number()],
                    None => &mut self.loose,
                };
                list.push(id);
            }
        }
        let points: usize = self.point_ids.iter().map(Vec::len).sum();
        self.count += (self.loose.len() + points) as u32;
        for is_net in [false, true] {
            self.cut_points(is_net, lanes, blocks);
            self.cut_closing(is_net, lanes, blocks);
        }
        self.cut_singles(blocks);
    }

    fn cut_singles(&mut self, blocks: &mut Vec<Block>) {
        for ids in self.loose.chunks(JOINTS_PER_BLOCK) {
            let block = self.used_singles;
            self.used_singles += 1;
            if block == self.singles.len() {
                self.singles.push(Mutex::default());
                self.single_ids.push(Vec::new());
            }
            self.single_ids[block].clear();
            self.single_ids[block].extend_from_slice(ids);
            for (index, &id) in ids.iter().enumerate() {
                self.places[id as usize] = Place::Single {
                    block: block as u32,
                    index: index as u32,
                };
            }
            blocks.push(Block::Joints(block as u32));
        }
    }

    fn cut_closing(&mut self, is_net: bool, lanes: usize, blocks: &mut Vec<Block>) {
        let net = usize::from(is_net);
        for (number, &class) in Class::SHARED.iter().enumerate() {
            let lists = std::mem::take(&mut self.closing[net][number]);
            if lists.is_empty() {
                continue;
            }
            let shape = Shape::of_one(class);
            for ids in lists.chunks(lanes * BUNDLES_PER_TREE_BLOCK) {
                let lot = next_lot(&mut self.trees, &mut self.used_trees);
                lot.assign(&shape, ids.chunks(1), lanes);
                lot.is_soft = true;
                lot.is_net = is_net;
                let index = self.used_trees - 1;
                self.place_lot(index);
                blocks.push(Block::Trees(index as u32));
            }
            self.closing[net][number] = lists;
        }
    }

    fn cut_points(&mut self, is_net: bool, lanes: usize, blocks: &mut Vec<Block>) {
        for ids in self.point_ids[usize::from(is_net)].chunks(lanes * BUNDLES_PER_BLOCK) {
            let index = self.used_points;
            self.used_points += 1;
            if index == self.points.len() {
                self.points.push(Mutex::default());
            }
            let lot = self.points[index]
                .get_mut()
                .unwrap_or_else(PoisonError::into_inner);
            lot.fill(ids, lanes);
            lot.is_net = is_net;
            self.bundle_count += lot.ids.len() as u32;
            for (i, &id) in ids.iter().enumerate() {
                self.places[id as usize] = Place::Point {
                    lot: index as u32,
                    bundle: (i / lanes) as u16,
                    lane: (i % lanes) as u8,
                };
            }
            blocks.push(Block::Points(index as u32));
        }
    }

    /// Notes what the watched joints of a block did in the present sub-step.
    pub(crate) fn note_loads(&self, block: usize, context: &JointContext<'_>, scene: Scene<'_>) {
        self.watch.note(block, |id| {
            let joint = &context.joints[id as usize];
            let impulses = self.impulses(id, joint)?;
            let [a, b] =
                [joint.body_a, joint.body_b].map(|body| present_pose(context.rows, scene, body));
            Some(joint.force_of(&impulses, &a, &b, context.h))
        });
    }

    /// What a joint did in the present sub-step, unless it takes no part in the step.
    fn impulses(&self, id: u32, joint: &Joint) -> Option<JointImpulses> {
        self.places[id as usize].impulses(
            joint,
            |lot| lock(&self.points[lot]),
            |block| lock(&self.singles[block]),
            |lot| lock(&self.trees[lot]),
        )
    }

    /// What the joints did, once the step is over.
    pub(crate) fn results(&mut self) -> Results<'_> {
        Results {
            places: &self.places,
            points: open(&mut self.points),
            singles: open(&mut self.singles),
            trees: open(&mut self.trees),
        }
    }
}

/// The blocks of a finished step, to read from.
pub(crate) struct Results<'a> {
    places: &'a [Place],
    points: Vec<&'a PointLot>,
    singles: Vec<&'a Vec<PreparedJoint>>,
    trees: Vec<&'a TreeLot>,
}

impl Results<'_> {
    /// Writes back what the joints from number `first` on did.
    pub(crate) fn store(&self, first: usize, joints: &mut [Joint]) {
        for (joint, place) in joints.iter_mut().zip(&self.places[first..]) {
            if let Place::Point { lot, bundle, lane } = *place {
                // It does nothing else, and a joint fills several lines of memory.
                let linear = self.points[lot as usize].impulse(bundle as usize, lane as usize);
                joint.impulses.linear = linear;
                if !linear.is_finite() {
                    joint.impulses = JointImpulses::default();
                }
                continue;
            }
            let impulses = place.impulses(
                joint,
                |lot| self.points[lot],
                |block| self.singles[block],
                |lot| self.trees[lot],
            );
            joint.impulses = impulses.unwrap_or(joint.impulses);
        }
    }
}

impl Place {
    /// What a joint that is solved here did in the present sub-step, or nothing if it is nowhere;
    /// blocks are looked up by their numbers.
    fn impulses<P, S, T>(
        self,
        joint: &Joint,
        points: impl Fn(usize) -> P,
        singles: impl Fn(usize) -> S,
        trees: impl Fn(usize) -> T,
    ) -> Option<JointImpulses>
    where
        P: Deref<Target = PointLot>,
        S: Deref<Target = Vec<PreparedJoint>>,
        T: Deref<Target = TreeLot>,
    {
        let impulses = match self {
            Place::Nowhere => return None,
            Place::Point { lot, bundle, lane } => JointImpulses {
                linear: points(lot as usize).impulse(bundle as usize, lane as usize),
                ..joint.impulses
            },
            Place::Single { block, index } => singles(block as usize)[index as usize].impulses,
            Place::Tree { lot, index, lane } => {
                trees(lot as usize).impulses(index as usize, lane as usize, &joint.kind)
            }
        };
        // As with contacts, an overflow is not what to start from.
        Some(if impulses.is_finite() {
            impulses
        } else {
            JointImpulses::default()
        })
    }
}

impl Shape {
    /// Two bodies and a joint.
    fn of_one(class: Class) -> Self {
        let joints = vec![Role {
            class,
            body_a: 0,
            body_b: 1,
            outward: true,
        }];
        Self {
            pushed: vec![true; 2],
            edges: vec![Edge::new([1, 0], 0, &joints, false)],
            joints,
            ..Self::default()
        }
    }
}

/// The next lot to fill; one more is `used`.
fn next_lot<'a>(lots: &'a mut Vec<Mutex<TreeLot>>, used: &mut usize) -> &'a mut TreeLot {
    if *used == lots.len() {
        lots.push(Mutex::default());
    }
    *used += 1;
    lots[*used - 1]
        .get_mut()
        .unwrap_or_else(PoisonError::into_inner)
}

/// What the locks of a finished step hold.
pub(crate) fn open<T>(blocks: &mut [Mutex<T>]) -> Vec<&T> {
    blocks
        .iter_mut()
        .map(|block| &*block.get_mut().unwrap_or_else(PoisonError::into_inner))
        .collect()
}

const _: () = assert!(LANES <= u8::MAX as usize && BUNDLES_PER_BLOCK * LANES <= u16::MAX as usize);
