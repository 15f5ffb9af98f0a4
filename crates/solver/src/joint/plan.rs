//! Which joint is solved where in a step: in a lane, in a chain, or by itself.

use std::sync::{Mutex, PoisonError};

use drystone_geometry::Workers;
use drystone_geometry::lanes::LANES;

use crate::chains::{ChainFinder, End};
use crate::contact::prepare::Scene;
use crate::graph::ConstraintGraph;
use crate::joint::chain::Chain;
use crate::joint::point::PointLot;
use crate::joint::{Joint, JointImpulses, PreparedJoint};
use crate::plan::Block;
use crate::tolerance::{BUNDLES_PER_BLOCK, ENDS_PER_BLOCK, JOINTS_PER_BLOCK};

/// The joints of a step, and the buffers of their blocks.
#[derive(Debug, Default)]
pub(crate) struct JointPlan {
    pub(crate) points: Vec<Mutex<PointLot>>,
    pub(crate) singles: Vec<Mutex<Vec<PreparedJoint>>>,
    /// Ids of the joints of each block of `singles`.
    pub(crate) single_ids: Vec<Vec<u32>>,
    /// By group of chains: those that share no body with other groups.
    pub(crate) chains: Vec<Mutex<Vec<Chain>>>,
    /// By slot: impulse of a sub-step times arm, summed over joints, in N m s; or empty.
    pub(crate) tension: Vec<f32>,
    pub(crate) count: u32,
    pub(crate) bundle_count: u32,
    finder: ChainFinder,
    /// Chains of the step before, whose buffers are used again.
    spare_chains: Vec<Chain>,
    /// The joints of the graph, in its order.
    listed: Vec<u32>,
    /// The same, sorted.
    ids: Vec<u32>,
    /// Of the joints in `ids`.
    ends: Vec<End>,
    /// What the chains were found for.
    known_ends: Vec<End>,
    loose: Vec<u32>,
    point_ids: Vec<u32>,
    used_points: usize,
    used_singles: usize,
    /// By joint.
    places: Vec<Place>,
}

/// Where a joint is solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Nowhere,
    Point { lot: u32, bundle: u16, lane: u8 },
    Single { block: u32, index: u32 },
    Chain { group: u32, chain: u32, link: u32 },
}

impl JointPlan {
    /// Finds chains and sums up tensions. To be called first, then [`Self::cut`] colour by colour.
    pub(crate) fn begin(
        &mut self,
        workers: &Workers,
        graph: &ConstraintGraph,
        scene: Scene<'_>,
        joints: &[Joint],
    ) {
        self.count = 0;
        self.bundle_count = 0;
        self.used_points = 0;
        self.used_singles = 0;
        self.places.clear();
        self.places.resize(joints.len(), Place::Nowhere);
        self.list(graph);
        self.look_at_ends(workers, scene, joints);
        self.tighten(scene.bodies.len());
        let same = self.ends.len() == self.known_ends.len()
            && self
                .ends
                .iter()
                .zip(&self.known_ends)
                .all(|(now, known)| now.links_like(known));
        if !same {
            self.finder
                .find(&self.ends, joints.len(), scene.bodies.len());
            self.known_ends.clone_from(&self.ends);
        }
        self.finder.chained.resize(joints.len(), false);
        self.link_chains();
    }

    /// Groups of chains, which are solved at the same time.
    pub(crate) fn chain_groups(&self) -> u32 {
        self.finder.group_count
    }

    fn list(&mut self, graph: &ConstraintGraph) {
        let lists = || graph.colours().iter().chain(graph.overflow());
        let mut listed = self.listed.as_slice();
        let same = lists().all(|colour| {
            let (ours, rest) = listed.split_at(colour.joints.len().min(listed.len()));
            listed = rest;
            ours == colour.joints
        }) && listed.is_empty();
        if same {
            return;
        }
        self.listed.clear();
        for colour in lists() {
            self.listed.extend_from_slice(&colour.joints);
        }
        self.ids.clone_from(&self.listed);
        // In order of the joints, so that a chain starts at the same end every step.
        self.ids.sort_unstable();
    }

    fn look_at_ends(&mut self, workers: &Workers, scene: Scene<'_>, joints: &[Joint]) {
        self.ends.resize(self.ids.len(), End::NONE);
        let blocks = self.ids.chunks(ENDS_PER_BLOCK);
        let work = blocks.zip(self.ends.chunks_mut(ENDS_PER_BLOCK));
        workers.for_each(work, |_, (ids, ends)| {
            for (&id, end) in ids.iter().zip(ends) {
                *end = End::of(id, &joints[id as usize], scene.bodies, scene.table);
            }
        });
    }

    /// Sums over the joints of each body how much their pull resists its turning.
    fn tighten(&mut self, bodies: usize) {
        self.tension.clear();
        if self.ends.is_empty() {
            return;
        }
        self.tension.resize(bodies, 0.0);
        for end in &self.ends {
            for (slot, tension) in end.awake.into_iter().zip(end.tension) {
                if let Some(sum) = self.tension.get_mut(slot as usize) {
                    *sum += tension;
                }
            }
        }
    }

    /// Hands the chains their joints. Those of one group are solved in order, groups at the
    /// same time.
    fn link_chains(&mut self) {
        let groups = self.finder.group_count as usize;
        if self.chains.len() < groups {
            self.chains.resize_with(groups, Mutex::default);
        }
        for group in &mut self.chains {
            let group = group.get_mut().unwrap_or_else(PoisonError::into_inner);
            self.spare_chains.append(group);
        }
        for (index, &group) in self.finder.groups.iter().enumerate() {
            let start = self.finder.starts[index] as usize;
            let end = self.finder.starts[index + 1] as usize;
            let mut chain = self.spare_chains.pop().unwrap_or_default();
            chain.reset(&self.finder.members[start..end]);
            self.count += chain.ids.len() as u32;
            let chains = self.chains[group as usize]
                .get_mut()
                .unwrap_or_else(PoisonError::into_inner);
            for (link, &id) in chain.ids.iter().enumerate() {
                self.places[id as usize] = Place::Chain {
                    group,
                    chain: chains.len() as u32,
                    link: link as u32,
                };
            }
            chains.push(chain);
        }
    }

    /// Cuts the joints of one colour into blocks, filling `lanes` lanes of each bundle.
    pub(crate) fn cut(
        &mut self,
        ids: &[u32],
        joints: &[Joint],
        lanes: usize,
        blocks: &mut Vec<Block>,
    ) {
        self.loose.clear();
        self.point_ids.clear();
        for &id in ids {
            if !self.finder.chained[id as usize] {
                let list = if joints[id as usize].kind.is_point() {
                    &mut self.point_ids
                } else {
                    &mut self.loose
                };
                list.push(id);
            }
        }
        self.count += (self.loose.len() + self.point_ids.len()) as u32;
        self.cut_points(lanes, blocks);
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

    fn cut_points(&mut self, lanes: usize, blocks: &mut Vec<Block>) {
        for ids in self.point_ids.chunks(lanes * BUNDLES_PER_BLOCK) {
            let index = self.used_points;
            self.used_points += 1;
            if index == self.points.len() {
                self.points.push(Mutex::default());
            }
            let lot = self.points[index]
                .get_mut()
                .unwrap_or_else(PoisonError::into_inner);
            lot.fill(ids, lanes);
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

    /// What the joints did, once the step is over.
    pub(crate) fn results(&mut self) -> Results<'_> {
        Results {
            places: &self.places,
            points: open(&mut self.points),
            singles: open(&mut self.singles),
            chains: open(&mut self.chains),
        }
    }
}

/// The blocks of a finished step, to read from.
pub(crate) struct Results<'a> {
    places: &'a [Place],
    points: Vec<&'a PointLot>,
    singles: Vec<&'a Vec<PreparedJoint>>,
    chains: Vec<&'a Vec<Chain>>,
}

impl Results<'_> {
    /// Writes back what the joints from number `first` on did.
    pub(crate) fn store(&self, first: usize, joints: &mut [Joint]) {
        for (joint, place) in joints.iter_mut().zip(&self.places[first..]) {
            match *place {
                Place::Nowhere => {}
                Place::Point { lot, bundle, lane } => {
                    let lot = self.points[lot as usize];
                    joint.impulses.linear = lot.impulse(bundle as usize, lane as usize);
                }
                Place::Single { block, index } => {
                    joint.impulses = self.singles[block as usize][index as usize].impulses;
                }
                Place::Chain { group, chain, link } => {
                    let chain = &self.chains[group as usize][chain as usize];
                    joint.impulses = chain.joints[link as usize].impulses;
                }
            }
            // As with contacts, an overflow is not what to start from.
            if !joint.impulses.is_finite() {
                joint.impulses = JointImpulses::default();
            }
        }
    }
}

/// What the locks of a finished step hold.
pub(crate) fn open<T>(blocks: &mut [Mutex<T>]) -> Vec<&T> {
    blocks
        .iter_mut()
        .map(|block| &*block.get_mut().unwrap_or_else(PoisonError::into_inner))
        .collect()
}

const _: () = assert!(LANES <= u8::MAX as usize && BUNDLES_PER_BLOCK * LANES <= u16::MAX as usize);
