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
    /// By chain: the number of its group. Chains that end at a common body, and those these
    /// share bodies with in turn, are one group; groups share no body that is pushed.
    pub(crate) groups: Vec<u32>,
    /// Groups in all.
    pub(crate) group_count: u32,
    /// By chain: the slots of the hubs it ends at, or [`NONE`].
    hubs: Vec<[u32; 2]>,
    /// By slot: a hub of the same group, itself for the first.
    hub_parents: Vec<u32>,
    /// By slot of a first hub: the number of its group.
    hub_groups: Vec<u32>,
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
        self.groups.clear();
        self.group_count = 0;
        self.hubs.clear();
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
        self.group(bodies.len());
    }

    /// Numbers the groups, in the order of their first chains.
    fn group(&mut self, bodies: usize) {
        self.hub_parents.clear();
        self.hub_parents.extend(0..bodies as u32);
        for &[a, b] in &self.hubs {
            if a != NONE && b != NONE {
                let (a, b) = (self.first_hub(a), self.first_hub(b));
                self.hub_parents[a.max(b) as usize] = a.min(b);
            }
        }
        self.hub_groups.clear();
        self.hub_groups.resize(bodies, NONE);
        for chain in 0..self.hubs.len() {
            let [a, b] = self.hubs[chain];
            let hub = if a == NONE { b } else { a };
            let known = match hub {
                NONE => NONE,
                _ => self.hub_groups[self.first_hub(hub) as usize],
            };
            let group = if known == NONE {
                self.group_count += 1;
                self.group_count - 1
            } else {
                known
            };
            if hub != NONE {
                let first = self.first_hub(hub);
                self.hub_groups[first as usize] = group;
            }
            self.groups.push(group);
        }
    }

    /// The first hub of the group of `hub`.
    fn first_hub(&self, mut hub: u32) -> u32 {
        while self.hub_parents[hub as usize] != hub {
            hub = self.hub_parents[hub as usize];
        }
        hub
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
        let hub = |slot: u32| if self.is_hub(slot) { slot } else { NONE };
        self.hubs.push([hub(start), hub(from)]);
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

#[cfg(test)]
mod tests {
    use drystone_geometry::Pose;

    use super::*;
    use crate::body::StaticPose;

    /// The groups of the chains that `pairs` of bodies form, and each chain's joints.
    fn groups(bodies: u32, pairs: &[[u32; 2]]) -> Vec<(u32, Vec<u32>)> {
        let all: Vec<Body> = (0..bodies)
            .map(|index| Body {
                index,
                ..Body::default()
            })
            .collect();
        let slot_of: Vec<u32> = (0..bodies).collect();
        let table = BodyTable {
            slot_of: &slot_of,
            statics: &[StaticPose::IDENTITY],
        };
        let ball = JointKind::BALL;
        let joints: Vec<Joint> = pairs
            .iter()
            .map(|&[a, b]| Joint::new(ball, a, b, Pose::IDENTITY, Pose::IDENTITY))
            .collect();
        let ids: Vec<u32> = (0..joints.len() as u32).collect();
        let mut finder = ChainFinder::default();
        finder.find(&ids, &joints, &all, table);
        let chain = |index: usize| {
            let range = finder.starts[index] as usize..finder.starts[index + 1] as usize;
            (finder.groups[index], finder.members[range].to_vec())
        };
        (0..finder.groups.len()).map(chain).collect()
    }

    /// Two stars of three arms of two joints each, then a bridge from hub to hub, written out
    /// by hand: arms of a hub are one group, and the bridge makes one of both.
    #[test]
    fn chains_that_meet_at_a_hub_are_one_group() {
        let star = |hub: u32| {
            [1, 3, 5]
                .into_iter()
                .flat_map(move |arm| [[hub, hub + arm], [hub + arm, hub + arm + 1]])
        };
        let mut pairs: Vec<[u32; 2]> = star(0).chain(star(7)).collect();
        let found = groups(15, &pairs);
        let arm = |group: u32, first: u32| (group, vec![first, first + 1]);
        let apart = [
            arm(0, 0),
            arm(0, 2),
            arm(0, 4),
            arm(1, 6),
            arm(1, 8),
            arm(1, 10),
        ];
        assert_eq!(found, apart);
        pairs.extend([[0, 14], [14, 7]]);
        let joined = groups(15, &pairs);
        assert_eq!(joined.len(), 7);
        assert!(joined.iter().all(|(group, _)| *group == 0), "{joined:?}");
        // A row that ends at no hub is a group of its own.
        assert_eq!(groups(3, &[[0, 1], [1, 2]]), [(0, vec![0, 1])]);
    }
}
