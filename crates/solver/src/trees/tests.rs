//! Which joints form trees, and in what order.

use drystone_geometry::Pose;

use super::*;
use crate::body::{Body, BodyTable, StaticPose};
use crate::joint::tree::shape::Kernel;
use crate::joint::{JointKind, JointLimit, JointMotor};

/// World indices from here on are of static bodies.
const GROUND: u32 = 1000;

/// The trees that `pairs` of bodies form.
fn trees(bodies: u32, pairs: &[[u32; 2]]) -> TreeFinder {
    let kinds = vec![JointKind::BALL; pairs.len()];
    trees_of(bodies, pairs, kinds)
}

/// The same by joints of these kinds.
fn trees_of(bodies: u32, pairs: &[[u32; 2]], kinds: Vec<JointKind>) -> TreeFinder {
    let all: Vec<Body> = (0..bodies)
        .map(|index| Body {
            index,
            ..Body::default()
        })
        .collect();
    let slot_of: Vec<u32> = (0..GROUND + 10)
        .map(|index| {
            if index < bodies {
                index
            } else {
                crate::body::STATIC_SLOT
            }
        })
        .collect();
    let statics = vec![StaticPose::IDENTITY; slot_of.len()];
    let scene = Scene {
        bodies: &all,
        table: BodyTable {
            slot_of: &slot_of,
            statics: &statics,
        },
        contacts: &[],
    };
    let joints: Vec<Joint> = (pairs.iter().zip(kinds))
        .map(|(&[a, b], kind)| Joint::new(kind, a, b, Pose::IDENTITY, Pose::IDENTITY))
        .collect();
    let ends: Vec<End> = (0..)
        .zip(&joints)
        .map(|(id, joint)| End::of(id, joint, &scene, 1.0))
        .collect();
    let mut finder = TreeFinder::default();
    finder.find(&ends, joints.len(), all.len());
    check(&finder, pairs);
    finder
}

/// What holds of all trees: no two share a body, children come before their parents' own edges,
/// every body but the root is the child of one edge, and each joint connects what it should.
fn check(finder: &TreeFinder, pairs: &[[u32; 2]]) {
    let mut owner = [None; GROUND as usize];
    for (number, tree) in finder.trees.iter().enumerate() {
        let Shape {
            pushed,
            edges,
            joints,
            closings,
            ..
        } = &finder.shapes[tree.shape as usize];
        let own_joints = finder.joints_of(tree);
        assert_eq!(edges.len() + 1, pushed.len());
        assert_eq!(joints.len(), own_joints.len());
        let mut world = vec![None; pushed.len()];
        let mut done = vec![false; pushed.len()];
        for (index, edge) in edges.iter().enumerate() {
            assert!(!done[edge.child as usize] && !done[edge.parent as usize]);
            done[edge.child as usize] = true;
            let later = edges[index + 1..]
                .iter()
                .any(|other| other.child == edge.parent || other.parent == edge.parent);
            assert_eq!(edge.carries, pushed[edge.parent as usize] && later);
        }
        for edge in edges
            .iter()
            .chain(closings.iter().map(|closing| &closing.edge))
        {
            for joint in edge.joints[0] as usize..edge.joints[1] as usize {
                let role = joints[joint];
                let [a, b] = pairs[own_joints[joint] as usize];
                assert_eq!(role.body_b == edge.child, role.outward);
                for (own, body) in [(role.body_a, a), (role.body_b, b)] {
                    assert_eq!(pushed[own as usize], body < GROUND);
                    let known = world[own as usize].replace(body);
                    assert!(known.is_none_or(|known| known == body));
                }
            }
        }
        for body in world.into_iter().flatten().filter(|&body| body < GROUND) {
            assert_eq!(owner[body as usize].replace(number), None, "body {body}");
        }
    }
}

fn joints(finder: &TreeFinder) -> Vec<Vec<u32>> {
    let sorted = |tree: &Tree| {
        let mut joints = finder.joints_of(tree).to_vec();
        joints.sort_unstable();
        joints
    };
    let mut all: Vec<Vec<u32>> = finder.trees.iter().map(sorted).collect();
    all.sort_unstable();
    all
}

/// A hanging chain, a star, a door of two hinges and two bodies joined in the air, written out
/// by hand: each is a tree, all its joints in it.
#[test]
fn what_has_no_loop_is_a_tree() {
    let finder = trees(
        12,
        &[
            [GROUND, 0],
            [0, 1],
            [2, 1],
            [3, 4],
            [5, 3],
            [3, 6],
            [7, GROUND + 1],
            [7, GROUND + 1],
            [8, 9],
        ],
    );
    assert_eq!(
        joints(&finder),
        [vec![0, 1, 2], vec![3, 4, 5], vec![6, 7], vec![8]]
    );
    assert!(finder.grown.iter().all(|&grown| grown));
    let mut trees = finder.trees.iter();
    let door = trees.find(|tree| finder.joints_of(tree).contains(&6));
    let kernel = door.map(|tree| finder.shapes[tree.shape as usize].edges[0].kernel);
    assert_eq!(kernel, Some(Kernel::Six));
}

/// A chain fixed at both ends is one tree: what does not move closes no loop.
#[test]
fn a_bridge_is_one_tree() {
    let finder = trees(3, &[[GROUND, 0], [0, 1], [1, 2], [2, GROUND + 1]]);
    assert_eq!(joints(&finder), [vec![0, 1, 2, 3]]);
    assert!(!finder.shapes[0].pushed[0]);
}

/// A ring of eight or three: one joint closes it and is solved with its tree, as do two of a truss of two triangles
/// and their load. In a net of seven by seven meshes solving some joints before others serves little.
#[test]
fn a_ring_is_closed_by_one_joint_and_a_net_by_none() {
    let ring = |count: u32| -> Vec<[u32; 2]> {
        (0..count).map(|body| [body, (body + 1) % count]).collect()
    };
    for count in [8, 3] {
        let finder = trees(count, &ring(count));
        assert_eq!(finder.trees.len(), 1);
        let grown = finder.joints_of(&finder.trees[0]).len();
        assert_eq!(grown, count as usize);
        assert_eq!(finder.shapes[0].closings.len(), 1);
    }
    let truss = [[0, 1], [1, 2], [2, 0], [2, 3], [3, 4], [4, 2], [4, 5]];
    let finder = trees(6, &truss);
    assert_eq!(finder.trees.len(), 1);
    assert_eq!(finder.shapes[0].closings.len(), 2);
    // Seventeen rings at one body: 51 directions are too many, and what closes them is left out.
    let rings = (0..17).flat_map(|ring| {
        let first = 2 * ring + 1;
        [[0, first], [first, first + 1], [first + 1, 0]]
    });
    let finder = trees(35, &rings.collect::<Vec<_>>());
    assert_eq!(finder.joints_of(&finder.trees[0]).len(), 34);
    assert!(finder.shapes[0].closings.is_empty());
    let mut net = Vec::new();
    for row in 0..8 {
        for column in 0..8 {
            let body = 8 * row + column;
            if column < 7 {
                net.push([body, body + 1]);
            }
            if row < 7 {
                net.push([body, body + 8]);
            }
        }
    }
    net.push([GROUND, 0]);
    let finder = trees(64, &net);
    assert!(finder.trees.is_empty() && finder.nets.iter().all(|&net| net));
    // A chain that hangs on the net, with an end that is held, is still one.
    let first = net.len() as u32;
    net.extend([[63, 64], [64, 65], [65, GROUND]]);
    let finder = trees(66, &net);
    assert_eq!(joints(&finder), [vec![first, first + 1, first + 2]]);
    // Each of six bodies holds all others.
    let frame = (0..6).flat_map(|a| (a + 1..6).map(move |b| [a, b]));
    let finder = trees(6, &frame.collect::<Vec<_>>());
    assert!(finder.trees.is_empty() && !finder.nets.contains(&true));
}

/// A ring of hinges with stops, one of which has a motor besides: wherever that is, another closes the ring.
#[test]
fn what_drives_a_ring_does_not_close_it() {
    let pairs = [[0, 1], [1, 2], [2, 3], [3, 0]];
    let limit = Some(JointLimit {
        lower: -1.0,
        upper: 1.0,
    });
    for driven in 0..pairs.len() {
        let hinge = |index: usize| JointKind::Hinge {
            limit,
            motor: (index == driven).then_some(JointMotor {
                speed: 0.0,
                max_effort: 1.0,
            }),
            spring: None,
        };
        let finder = trees_of(4, &pairs, (0..pairs.len()).map(hinge).collect());
        let closing = finder.shapes[0].closings[0].edge.joints[0] as usize;
        assert_ne!(finder.joints_of(&finder.trees[0])[closing], driven as u32);
    }
}

/// Five balls between two bodies lock 15 directions: four of them fit in an edge.
#[test]
fn what_does_not_fit_in_an_edge_is_left_out() {
    let finder = trees(2, &[[0, 1]; 5]);
    assert_eq!(joints(&finder), [vec![0, 1, 2, 3]]);
    assert!(!finder.grown[4]);
}

/// Equal chains have equal shapes and follow each other, so that they share lanes.
#[test]
fn equal_trees_follow_each_other() {
    let finder = trees(9, &[[0, 1], [2, 3], [3, 4], [5, 6], [7, 8]]);
    let length = |tree: &Tree| finder.joints_of(tree).len();
    let lengths: Vec<usize> = finder.trees.iter().map(length).collect();
    assert_eq!(finder.trees.len(), 4);
    assert_eq!(finder.shapes.len(), 2);
    assert!(
        lengths == [1, 1, 1, 2] || lengths == [2, 1, 1, 1],
        "{lengths:?}"
    );
}
