//! Finding trees: which joints are solved together.
//!
//! Bodies that joints hold, and nothing else, form trees where no way leads back. All joints
//! between two bodies are one edge. A body that nothing pushes is a leaf, as often as something
//! is held by it, or the root. Where few ways lead back, the edges that close them are solved with the
//! tree; where many do, as in a net, only what hangs on it is trees: solving half of the edges exactly
//! serves nothing when the other half disagrees.

mod nets;

use crate::contact::prepare::Scene;
use crate::joint::Joint;
use crate::joint::jointed::JointedLoad;
use crate::joint::tree::shape::{Edge, Role, Shape};
use crate::joint::tree::{Class, MOST_ROWS};
use nets::Rank;

/// No joint, or no body.
const NONE: u32 = u32::MAX;

/// What trees follow from: which bodies a joint holds, and how.
#[derive(Clone, Copy, Debug)]
pub(crate) struct End {
    pub(crate) id: u32,
    /// World indices of the bodies A and B.
    bodies: [u32; 2],
    /// Slots of the awake bodies A and B, or [`NONE`].
    pub(crate) awake: [u32; 2],
    /// The same where the body is pushed.
    pub(crate) pushed: [u32; 2],
    /// What it locks, if it may be solved in a tree.
    class: Option<Class>,
    /// Whether it does nothing else than to hold two points together.
    is_point: bool,
    /// What it did to each body in the last sub-step.
    pub(crate) loads: [JointedLoad; 2],
}

impl End {
    /// Of no joint.
    pub(crate) const NONE: Self = Self {
        id: NONE,
        bodies: [NONE; 2],
        awake: [NONE; 2],
        pushed: [NONE; 2],
        class: None,
        is_point: false,
        loads: [JointedLoad::NONE; 2],
    };

    /// Of joint number `id`, in sub-steps of `h` s.
    pub(crate) fn of(id: u32, joint: &Joint, scene: &Scene<'_>, h: f32) -> Self {
        let Scene { bodies, table, .. } = *scene;
        let mut awake = [NONE; 2];
        let mut pushed = [NONE; 2];
        for (side, body) in [joint.body_a, joint.body_b].into_iter().enumerate() {
            if let Some(slot) = table.awake_slot(body) {
                awake[side] = slot as u32;
                if bodies[slot].is_dynamic() {
                    pushed[side] = slot as u32;
                }
            }
        }
        Self {
            id,
            bodies: [joint.body_a, joint.body_b],
            awake,
            pushed,
            class: Class::of_edge(&joint.kind, h),
            is_point: joint.kind.is_point(),
            loads: joint.loads(bodies, table, awake),
        }
    }

    /// Whether trees grow through both in the same way, and both are cut into the same blocks.
    pub(crate) fn links_like(&self, other: &Self) -> bool {
        self.id == other.id
            && self.bodies == other.bodies
            && self.pushed == other.pushed
            && self.class == other.class
            && self.is_point == other.is_point
    }

    /// Whether a tree may have it.
    fn may_grow(&self) -> bool {
        let [a, b] = self.bodies;
        self.class.is_some() && a != b && self.pushed != [NONE; 2]
    }

    /// The bodies, the lower number first.
    fn pair(&self) -> [u32; 2] {
        let [a, b] = self.bodies;
        [a.min(b), a.max(b)]
    }
}

/// All joints between two bodies.
#[derive(Clone, Copy, Debug, Default)]
struct Bond {
    /// Slots, the pushed one first where the other is not, or [`NONE`].
    slots: [u32; 2],
    /// Indices into the ends, the first and the end of a stretch of [`TreeFinder::sorted`].
    ends: [u32; 2],
    rows: u32,
    /// How much is lost if it closes a loop; the greater, the earlier a tree grows along it.
    rank: Rank,
    /// Whether a tree grows along it.
    grows: bool,
    /// Whether it closes a loop of a tree, and is solved with it.
    closes: bool,
}

/// Joints that are solved together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tree {
    /// Index into [`TreeFinder::shapes`].
    pub(crate) shape: u32,
    /// The first and the end of a stretch of [`TreeFinder::joints`], in the order of the shape.
    joints: [u32; 2],
}

/// Trees of the present step.
#[derive(Debug, Default)]
pub(crate) struct TreeFinder {
    /// Those of one shape follow each other.
    pub(crate) trees: Vec<Tree>,
    /// The shapes that trees have, no two alike.
    pub(crate) shapes: Vec<Shape>,
    /// Indices into the shapes, in the order of these.
    ranks: Vec<u32>,
    /// Of all trees, one after the other.
    joints: Vec<u32>,
    /// The tree that grows, and its edges from the root on: bond, child and parent.
    growing: Shape,
    branches: Vec<(u32, u32, u32)>,
    /// Of this tree, what closes loops: bodies and joints.
    closings: Vec<([u32; 2], [usize; 2])>,
    /// By joint: whether it is in a tree.
    pub(crate) grown: Vec<bool>,
    /// By joint: whether it is in a net whose bodies all hang by a few bonds.
    pub(crate) nets: Vec<bool>,
    sorted: Vec<u32>,
    /// What the ends are sorted by: the bodies, then the index.
    keys: Vec<(u64, bool, u32)>,
    /// In the order of their first joints.
    bonds: Vec<Bond>,
    /// By end: the bond that it is the first of, or [`NONE`], and the bonds as they were found.
    firsts: Vec<u32>,
    unordered: Vec<Bond>,
    /// By slot: first entry of `at`, and the end.
    starts: Vec<u32>,
    /// The bonds of each slot.
    at: Vec<u32>,
    /// By slot: the body's number in the tree that grows, or [`NONE`].
    numbers: Vec<u32>,
    /// By slot: bonds to pushed bodies that are not leaves; while a net is stripped.
    held: Vec<u32>,
    /// By slot: whether its tree is known.
    known: Vec<bool>,
    /// By slot: a body that is connected to it so far, itself if no other stands for it.
    joined: Vec<u32>,
    queue: Vec<u32>,
}

impl TreeFinder {
    /// Finds the trees among the joints of `ends`, sorted by id, of `joints` in all.
    pub(crate) fn find(&mut self, ends: &[End], joints: usize, bodies: usize) {
        self.trees.clear();
        self.shapes.clear();
        self.ranks.clear();
        self.joints.clear();
        self.grown.clear();
        self.grown.resize(joints, false);
        self.nets.clear();
        self.nets.resize(joints, false);
        self.bind(ends);
        self.list_by_body(bodies);
        self.known.clear();
        self.known.resize(bodies, false);
        self.joined.clear();
        self.joined.extend(0..bodies as u32);
        for slot in 0..bodies as u32 {
            if !self.known[slot as usize] && !self.bonds_of(slot).is_empty() {
                self.choose(ends, slot);
            }
        }
        self.numbers.clear();
        self.numbers.resize(bodies, NONE);
        // From what nothing moves, so that loads are handed on to where they end.
        for bond in 0..self.bonds.len() {
            let Bond { slots, grows, .. } = self.bonds[bond];
            if grows && slots[1] == NONE && self.numbers[slots[0] as usize] == NONE {
                self.grow(ends, Some(bond as u32), slots[0]);
            }
        }
        for bond in 0..self.bonds.len() {
            let Bond { slots, grows, .. } = self.bonds[bond];
            if grows && self.numbers[slots[0] as usize] == NONE {
                let root = self.hub_of(slots[0]);
                self.grow(ends, None, root);
            }
        }
        let joints = &self.joints;
        self.trees
            .sort_unstable_by_key(|tree| (tree.shape, joints[tree.joints[0] as usize]));
    }

    /// The joints of a tree, in the order of its shape.
    pub(crate) fn joints_of(&self, tree: &Tree) -> &[u32] {
        &self.joints[tree.joints[0] as usize..tree.joints[1] as usize]
    }

    /// Lists what holds two bodies together.
    fn bind(&mut self, ends: &[End]) {
        self.bonds.clear();
        self.keys.clear();
        let growing = (0..).zip(ends).filter(|(_, end)| end.may_grow());
        self.keys.extend(growing.map(|(index, end)| {
            let [low, high] = end.pair();
            let is_line = end.class.is_some_and(Class::is_line);
            (u64::from(low) << 32 | u64::from(high), is_line, index)
        }));
        self.keys.sort_unstable();
        self.sorted.clear();
        self.sorted
            .extend(self.keys.iter().map(|&(_, _, index)| index));
        let mut last = [NONE; 2];
        for (place, &index) in (0_u32..).zip(&self.sorted) {
            let end = &ends[index as usize];
            let rows = (end.class).map_or(0, |class| class.shared().among_others().rows() as u32);
            let rank = end.class.map_or(Rank::Locks, Rank::of);
            let same = end.pair() == last;
            last = end.pair();
            if let Some(bond) = self.bonds.last_mut().filter(|_| same) {
                // What does not fit in goes with the colours, and so do distances beside what turns or stops a joint,
                // which would know its two bodies alone beside them.
                let may = rank != Rank::Lines || bond.rank <= Rank::Locks;
                if may && bond.rows + rows <= MOST_ROWS as u32 && bond.ends[1] == place {
                    bond.rows += rows;
                    bond.rank = bond.rank.beside(rank);
                    bond.ends[1] = place + 1;
                }
            } else {
                let [a, b] = end.pushed;
                self.bonds.push(Bond {
                    slots: if a == NONE { [b, a] } else { [a, b] },
                    ends: [place, place + 1],
                    rows,
                    rank,
                    grows: false,
                    closes: false,
                });
            }
        }
        self.order_bonds(ends.len());
    }

    /// Puts the bonds in the order of their first joints, each of which has a place of its own.
    fn order_bonds(&mut self, ends: usize) {
        self.firsts.clear();
        self.firsts.resize(ends, NONE);
        for (index, bond) in (0..).zip(&self.bonds) {
            self.firsts[self.sorted[bond.ends[0] as usize] as usize] = index;
        }
        self.unordered.clear();
        self.unordered.append(&mut self.bonds);
        let firsts = self.firsts.iter().filter(|&&index| index != NONE);
        self.bonds
            .extend(firsts.map(|&index| self.unordered[index as usize]));
    }

    fn list_by_body(&mut self, bodies: usize) {
        self.starts.clear();
        self.starts.resize(bodies + 1, 0);
        for bond in &self.bonds {
            for slot in bond.slots {
                if slot != NONE {
                    self.starts[slot as usize + 1] += 1;
                }
            }
        }
        for slot in 0..bodies {
            self.starts[slot + 1] += self.starts[slot];
        }
        self.at.clear();
        self.at.resize(self.starts[bodies] as usize, NONE);
        self.held.clear();
        self.held.resize(bodies, 0);
        for (index, bond) in (0_u32..).zip(&self.bonds) {
            for slot in bond.slots {
                if slot != NONE {
                    let place = self.starts[slot as usize] + self.held[slot as usize];
                    self.at[place as usize] = index;
                    self.held[slot as usize] += 1;
                }
            }
        }
    }

    fn bonds_of(&self, slot: u32) -> &[u32] {
        let slot = slot as usize;
        &self.at[self.starts[slot] as usize..self.starts[slot + 1] as usize]
    }

    /// The body at the other end of a bond.
    fn other(&self, bond: u32, slot: u32) -> u32 {
        let [a, b] = self.bonds[bond as usize].slots;
        if a == slot { b } else { a }
    }

    /// Of the tree that `slot` is in, the body that most bonds hold, the first of those.
    fn hub_of(&mut self, slot: u32) -> u32 {
        let grown = |finder: &Self, slot: u32| {
            let bonds = finder.bonds_of(slot).iter();
            bonds
                .filter(|&&bond| finder.bonds[bond as usize].grows)
                .count()
        };
        self.queue.clear();
        self.queue.push(slot);
        self.known[slot as usize] = false;
        let (mut next, mut best, mut most) = (0, slot, 0);
        while let Some(&slot) = self.queue.get(next) {
            next += 1;
            let count = grown(self, slot);
            if count > most || (count == most && slot < best) {
                (best, most) = (slot, count);
            }
            for place in self.starts[slot as usize]..self.starts[slot as usize + 1] {
                let bond = self.at[place as usize];
                let other = self.other(bond, slot);
                // `known` is true for all that were found before: here it marks the unseen.
                if other != NONE && self.bonds[bond as usize].grows && self.known[other as usize] {
                    self.known[other as usize] = false;
                    self.queue.push(other);
                }
            }
        }
        best
    }

    /// Grows the tree of the body `slot` from the root: what holds it by `bond`, or itself.
    fn grow(&mut self, ends: &[End], bond: Option<u32>, slot: u32) {
        self.growing.pushed.clear();
        self.branches.clear();
        if let Some(bond) = bond {
            self.growing.pushed.push(false);
            self.branches.push((bond, 1, 0));
        }
        self.numbers[slot as usize] = self.growing.pushed.len() as u32;
        self.growing.pushed.push(true);
        self.queue.clear();
        self.queue.push(slot);
        let mut next = 0;
        while let Some(&slot) = self.queue.get(next) {
            next += 1;
            let own = self.numbers[slot as usize];
            for place in self.starts[slot as usize]..self.starts[slot as usize + 1] {
                let branch = self.at[place as usize];
                let other = self.other(branch, slot);
                if !self.bonds[branch as usize].grows || Some(branch) == bond {
                    continue;
                }
                let number = self.growing.pushed.len() as u32;
                if other == NONE {
                    self.growing.pushed.push(false);
                } else if self.numbers[other as usize] == NONE {
                    self.numbers[other as usize] = number;
                    self.growing.pushed.push(true);
                    self.queue.push(other);
                } else {
                    continue;
                }
                self.branches.push((branch, number, own));
            }
        }
        self.list_edges(ends);
        self.list_closings(ends);
        self.finish();
    }

    /// Lists the edges of what has grown from the leaves to the root, and their joints.
    fn list_edges(&mut self, ends: &[End]) {
        self.growing.edges.clear();
        self.growing.joints.clear();
        let root_is_pushed = self.growing.pushed[0];
        for index in (0..self.branches.len()).rev() {
            let (bond, child, parent) = self.branches[index];
            let first = self.growing.joints.len();
            self.list_joints(ends, bond, [child, parent], false);
            let Shape { edges, joints, .. } = &mut self.growing;
            // Only the last edge of the root has nothing after it.
            let carries = parent != 0 || (root_is_pushed && index != 0);
            edges.push(Edge::new([child, parent], first, joints, carries));
        }
    }

    /// Lists the joints of a bond. What turns those that close a loop is solved joint by joint, but for guides.
    fn list_joints(&mut self, ends: &[End], bond: u32, bodies: [u32; 2], closes: bool) {
        let [child, parent] = bodies;
        let Shape { pushed, joints, .. } = &mut self.growing;
        let [from, to] = self.bonds[bond as usize].ends;
        for &entry in &self.sorted[from as usize..to as usize] {
            let end = &ends[entry as usize];
            // The child's slot tells which side it is; of two sides not pushed there is one.
            let outward = match end.pushed[1] {
                NONE => !pushed[child as usize],
                slot => self.numbers[slot as usize] == child,
            };
            let [body_a, body_b] = if outward {
                [parent, child]
            } else {
                [child, parent]
            };
            self.joints.push(end.id);
            self.grown[end.id as usize] = true;
            let class = end.class.unwrap_or(Class::Ball);
            let rank = Rank::of(class);
            let is_shared = to - from > 1 || (closes && rank != Rank::Guides);
            let is_shared = is_shared && rank != Rank::Lines;
            let class = if is_shared { class.shared() } else { class };
            let is_alone = to - from == 1 && !closes;
            joints.push(Role {
                class: if is_alone {
                    class
                } else {
                    class.among_others()
                },
                body_a,
                body_b,
                outward,
            });
        }
    }

    /// Lists what closes loops of what has grown, the bodies of which are in the queue.
    fn list_closings(&mut self, ends: &[End]) {
        self.closings.clear();
        for place in 0..self.queue.len() {
            let slot = self.queue[place];
            let parent = self.numbers[slot as usize];
            for place in self.starts[slot as usize]..self.starts[slot as usize + 1] {
                let bond = self.at[place as usize];
                if !self.bonds[bond as usize].closes {
                    continue;
                }
                let child = self.numbers[self.other(bond, slot) as usize];
                // Every bond is seen from both sides.
                if parent < child {
                    let first = self.growing.joints.len();
                    self.list_joints(ends, bond, [child, parent], true);
                    let end = self.growing.joints.len();
                    self.closings.push(([child, parent], [first, end]));
                }
            }
        }
        self.growing.close(self.closings.iter().copied());
    }

    /// Keeps the tree that has grown, and its shape unless another has the same.
    fn finish(&mut self) {
        let (shapes, growing) = (&mut self.shapes, &self.growing);
        let rank = (self.ranks).binary_search_by(|&shape| shapes[shape as usize].cmp(growing));
        let shape = match rank {
            Ok(rank) => self.ranks[rank],
            Err(rank) => {
                let new = shapes.len() as u32;
                self.ranks.insert(rank, new);
                shapes.push(growing.clone());
                new
            }
        };
        let end = self.joints.len() as u32;
        let start = end - growing.joints.len() as u32;
        self.trees.push(Tree {
            shape,
            joints: [start, end],
        });
    }
}

#[cfg(test)]
mod tests;
