//! Finding chains: which joints follow each other in a row.
//!
//! A body that holds two joints continues a chain; one that holds one, or three and more,
//! ends it, and so does a body that nothing pushes. Joints that hold no anchors together, rings
//! and joints alone stay with the colours.

use crate::body::{Body, BodyTable};
use crate::joint::Joint;

/// No joint, or no body.
const NONE: u32 = u32::MAX;

/// What chains follow from: which bodies a joint holds, and how.
#[derive(Clone, Copy, Debug)]
pub(crate) struct End {
    id: u32,
    /// Slots of the awake bodies A and B, or [`NONE`].
    pub(crate) awake: [u32; 2],
    /// The same where the body is pushed.
    pushed: [u32; 2],
    /// Whether it holds two anchors rigidly together.
    holds_anchors: bool,
    /// Pull in the last sub-step times the arm on each body, in N m s.
    pub(crate) tension: [f32; 2],
}

impl End {
    /// Of no joint.
    pub(crate) const NONE: Self = Self {
        id: NONE,
        awake: [NONE; 2],
        pushed: [NONE; 2],
        holds_anchors: false,
        tension: [0.0; 2],
    };

    /// Of joint number `id`.
    pub(crate) fn of(id: u32, joint: &Joint, bodies: &[Body], table: BodyTable<'_>) -> Self {
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
        let pull = joint.impulses.linear.length();
        Self {
            id,
            awake,
            pushed,
            holds_anchors: joint.kind.holds_anchors(),
            tension: [&joint.frame_a, &joint.frame_b]
                .map(|frame| pull * frame.translation.length()),
        }
    }

    /// Whether chains run through both in the same way.
    pub(crate) fn links_like(&self, other: &Self) -> bool {
        self.id == other.id
            && self.pushed == other.pushed
            && self.holds_anchors == other.holds_anchors
    }
}

/// Chains of the present step, by joint id.
#[derive(Debug, Default)]
pub(crate) struct ChainFinder {
    /// By slot: the number of joints and the entries of the first two.
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
    /// Finds the chains among the joints of `ends`, sorted by id, of `joints` in all.
    pub(crate) fn find(&mut self, ends: &[End], joints: usize, bodies: usize) {
        self.members.clear();
        self.starts.clear();
        self.starts.push(0);
        self.groups.clear();
        self.group_count = 0;
        self.hubs.clear();
        self.chained.clear();
        self.chained.resize(joints, false);
        self.holds.clear();
        self.holds.resize(bodies, (0, [NONE; 2]));
        let holding = || (0_u32..).zip(ends).filter(|(_, end)| end.holds_anchors);
        for (index, end) in holding() {
            for slot in end.pushed {
                if slot != NONE {
                    let (count, first) = &mut self.holds[slot as usize];
                    if let Some(place) = first.get_mut(*count as usize) {
                        *place = index;
                    }
                    *count += 1;
                }
            }
        }
        for (index, end) in holding() {
            // A chain is walked from the end where it is met first.
            let [a, b] = end.pushed;
            if !self.chained[end.id as usize] && a != b && !(self.continues(a) && self.continues(b))
            {
                let start = if self.continues(a) { b } else { a };
                self.walk(index, start, ends);
            }
        }
        self.group(bodies);
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

    /// Follows the chain that begins with entry `index` of `ends` at its end `start`.
    fn walk(&mut self, mut index: u32, start: u32, ends: &[End]) {
        let first = self.members.len();
        let mut from = start;
        loop {
            let end = &ends[index as usize];
            self.members.push(end.id);
            let [a, b] = end.pushed;
            let to = if a == from { b } else { a };
            if !self.continues(to) {
                from = to;
                break;
            }
            let [one, other] = self.holds[to as usize].1;
            index = if one == index { other } else { one };
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

#[cfg(test)]
mod tests {
    use drystone_geometry::Pose;

    use super::*;
    use crate::body::StaticPose;
    use crate::joint::JointKind;

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
            .map(|&[a, b]| Joint::new(ball.clone(), a, b, Pose::IDENTITY, Pose::IDENTITY))
            .collect();
        let ends: Vec<End> = (0..)
            .zip(&joints)
            .map(|(id, joint)| End::of(id, joint, &all, table))
            .collect();
        let mut finder = ChainFinder::default();
        finder.find(&ends, joints.len(), all.len());
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
