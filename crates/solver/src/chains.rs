//! Finding chains: which joints follow each other in a row.
//!
//! A body that holds two joints continues a chain; one that holds one, or three and more,
//! ends it, and so does a body that nothing pushes. Joints that hold no anchors together, rings
//! and joints alone stay with the colours.

use crate::body::{Body, BodyTable};
use crate::joint::{Joint, JointKind};

/// No joint, or no body.
const NONE: u32 = u32::MAX;

/// Chains of the present step, by joint id.
#[derive(Debug, Default)]
pub(crate) struct ChainFinder {
    /// By slot: the number of joints and the first two.
    holds: Vec<(u32, [u32; 2])>,
    /// By joint: whether it is in a chain.
    pub(crate) chained: Vec<bool>,
    /// Joints of all chains, one chain after the other.
    pub(crate) members: Vec<u32>,
    /// First member of each chain, and the end.
    pub(crate) starts: Vec<u32>,
    /// By chain: whether it ends at a body that other chains may end at too.
    pub(crate) shares: Vec<bool>,
}

impl ChainFinder {
    /// Finds the chains among the joints in `ids`.
    pub(crate) fn find(
        &mut self,
        ids: &[u32],
        joints: &[Joint],
        bodies: &[Body],
        table: BodyTable<'_>,
    ) {
        self.members.clear();
        self.starts.clear();
        self.starts.push(0);
        self.shares.clear();
        self.chained.clear();
        if ids.is_empty() {
            return;
        }
        self.chained.resize(joints.len(), false);
        self.holds.clear();
        self.holds.resize(bodies.len(), (0, [NONE; 2]));
        for &id in ids
            .iter()
            .filter(|&&id| holds_anchors(&joints[id as usize]))
        {
            for slot in ends(&joints[id as usize], bodies, table) {
                if slot != NONE {
                    let (count, first) = &mut self.holds[slot as usize];
                    if let Some(place) = first.get_mut(*count as usize) {
                        *place = id;
                    }
                    *count += 1;
                }
            }
        }
        for &id in ids
            .iter()
            .filter(|&&id| holds_anchors(&joints[id as usize]))
        {
            // A chain is walked from the end where it is met first.
            let [a, b] = ends(&joints[id as usize], bodies, table);
            if !self.chained[id as usize] && a != b && !(self.continues(a) && self.continues(b)) {
                let start = if self.continues(a) { b } else { a };
                self.walk(id, start, joints, bodies, table);
            }
        }
    }

    /// Whether exactly two joints hold the body in `slot`.
    fn continues(&self, slot: u32) -> bool {
        slot != NONE && self.holds[slot as usize].0 == 2
    }

    /// Whether more than two joints hold the body in `slot`.
    fn is_hub(&self, slot: u32) -> bool {
        slot != NONE && self.holds[slot as usize].0 > 2
    }

    /// Follows the chain that begins with joint `id` at its end `start`.
    fn walk(
        &mut self,
        mut id: u32,
        start: u32,
        joints: &[Joint],
        bodies: &[Body],
        table: BodyTable<'_>,
    ) {
        let first = self.members.len();
        let mut from = start;
        loop {
            self.members.push(id);
            let [a, b] = ends(&joints[id as usize], bodies, table);
            let to = if a == from { b } else { a };
            if !self.continues(to) {
                from = to;
                break;
            }
            let [one, other] = self.holds[to as usize].1;
            id = if one == id { other } else { one };
            from = to;
        }
        // Both ends on one hub make a ring through it: its last joint goes with the colours.
        if from == start && start != NONE {
            self.members.pop();
        }
        if self.members.len() < first + 2 {
            self.members.truncate(first);
            return;
        }
        for &member in &self.members[first..] {
            self.chained[member as usize] = true;
        }
        self.starts.push(self.members.len() as u32);
        self.shares.push(self.is_hub(start) || self.is_hub(from));
    }
}

/// Whether the joint holds two anchors rigidly together.
fn holds_anchors(joint: &Joint) -> bool {
    match joint.kind {
        JointKind::Ball { .. } | JointKind::Hinge { .. } => true,
        JointKind::Weld { linear, .. } => linear.is_none(),
        JointKind::Distance { .. } | JointKind::NoContact => false,
    }
}

/// Slots of the pushed bodies of a joint.
fn ends(joint: &Joint, bodies: &[Body], table: BodyTable<'_>) -> [u32; 2] {
    let slot = |body: u32| match table.awake_slot(body) {
        Some(slot) if bodies[slot].is_dynamic() => slot as u32,
        _ => NONE,
    };
    [slot(joint.body_a), slot(joint.body_b)]
}
