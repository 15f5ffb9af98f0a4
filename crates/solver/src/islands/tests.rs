//! Islands against flooding, and what keeps them awake.

use super::*;
use crate::body::StaticPose;

struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 33) % limit
    }
}

const BODIES: u32 = 60;

fn rested(slot: usize, sleep_time: f32) -> Body {
    Body {
        index: slot as u32,
        sleep_time,
        ..Body::default()
    }
}

fn sleepers(islands: &mut Islands, bodies: &[Body]) -> Vec<IslandId> {
    let slot_of: Vec<u32> = (0..BODIES).collect();
    let statics: [StaticPose; 0] = [];
    islands.sleepers(
        bodies,
        BodyTable {
            slot_of: &slot_of,
            statics: &statics,
        },
    )
}

/// The connected parts of the bodies by flooding, each as a sorted list.
fn parts(links: &[(ConstraintId, u32, u32)]) -> Vec<Vec<u32>> {
    let mut seen = vec![false; BODIES as usize];
    let mut parts = Vec::new();
    for start in 0..BODIES {
        if seen[start as usize] {
            continue;
        }
        seen[start as usize] = true;
        let mut part = vec![start];
        let mut next = 0;
        while next < part.len() {
            let body = part[next];
            next += 1;
            for &(_, a, b) in links {
                for (from, to) in [(a, b), (b, a)] {
                    if from == body && !seen[to as usize] {
                        seen[to as usize] = true;
                        part.push(to);
                    }
                }
            }
        }
        part.sort_unstable();
        parts.push(part);
    }
    parts
}

/// Random links and unlinks among 60 bodies, checked against flooding: after a split check
/// with everybody at rest, the islands are exactly the connected parts.
#[test]
fn islands_are_the_connected_parts_under_random_changes() {
    let mut random = Random(3);
    let mut islands = Islands::new();
    (0..BODIES).for_each(|body| islands.insert_body(body));
    let bodies: Vec<Body> = (0..BODIES as usize).map(|slot| rested(slot, 1.0)).collect();
    let mut links: Vec<(ConstraintId, u32, u32)> = Vec::new();
    for round in 0..600_u32 {
        if random.below(2) == 0 || links.is_empty() {
            let a = random.below(u64::from(BODIES)) as u32;
            let b = (a + 1 + random.below(u64::from(BODIES) - 1) as u32) % BODIES;
            let id = ConstraintId::Contact(round);
            islands.link(id, a, b);
            links.push((id, a, b));
        } else {
            let (id, ..) = links.swap_remove(random.below(links.len() as u64) as usize);
            assert!(islands.unlink(id));
            assert!(!islands.unlink(id));
        }
        if round % 8 == 0 {
            let found = sleepers(&mut islands, &bodies);
            let expected = parts(&links);
            assert_eq!(found.len(), expected.len());
            assert_eq!(islands.count(), expected.len());
            for part in expected {
                let mut members = islands.bodies(islands.island_of(part[0])).to_vec();
                members.sort_unstable();
                assert_eq!(members, part);
            }
            let count: usize = found.iter().map(|&i| islands.links(i).count()).sum();
            assert_eq!(count, links.len());
        }
    }
}

/// Three bodies in a row. By hand: one restless body keeps all awake; when its link goes,
/// the others may sleep although they were of one island.
#[test]
fn an_island_sleeps_when_its_last_restless_body_leaves() {
    let mut islands = Islands::new();
    (0..3).for_each(|body| islands.insert_body(body));
    islands.link(ConstraintId::Contact(0), 0, 1);
    islands.link(ConstraintId::Joint(0), 1, 2);
    let mut bodies: Vec<Body> = (0..3).map(|slot| rested(slot, 1.0)).collect();
    bodies[2].sleep_time = 0.0;
    assert!(sleepers(&mut islands, &bodies).is_empty());
    islands.unlink(ConstraintId::Joint(0));
    let found = sleepers(&mut islands, &bodies);
    assert_eq!(found, [islands.island_of(0)]);
    assert_ne!(islands.island_of(2), islands.island_of(0));
    islands.set_asleep(found[0], true);
    assert!(sleepers(&mut islands, &bodies).is_empty());
    assert!(islands.is_asleep(islands.island_of(1)));
}

/// A body on a kinematic one. By hand: it sleeps while the support stands still only.
#[test]
fn a_moving_support_keeps_its_load_awake() {
    let mut islands = Islands::new();
    islands.insert_body(0);
    islands.link(ConstraintId::Contact(0), 0, 1);
    let mut bodies: Vec<Body> = (0..2).map(|slot| rested(slot, 1.0)).collect();
    bodies[1].inverse_mass = 0.0;
    bodies[1].linear_velocity.x = 0.1;
    assert!(sleepers(&mut islands, &bodies).is_empty());
    bodies[1].linear_velocity.x = 0.0;
    assert_eq!(sleepers(&mut islands, &bodies), [islands.island_of(0)]);
}
