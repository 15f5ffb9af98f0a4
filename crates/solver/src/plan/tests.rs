//! Which colours share a span.

use drystone_geometry::glam::DVec3;

use super::*;
use crate::body::{Body, BodyTable};
use crate::graph::ConstraintId;
use crate::tolerance::{COLOUR_COUNT, REGIONS};

/// A chain of bodies whose contacts fill two colours with more than a block each, and a hub whose
/// contacts take one of every colour and six of the overflow. By hand: the two stay apart and are
/// shared among workers, all that follows is one stage, and its blocks come in the order of the
/// colours.
#[test]
fn light_colours_that_follow_each_other_are_one_stage() {
    let links = 2 * (BUNDLES_PER_BLOCK * LANES + 1) as u32;
    let hub = links + 1;
    let spokes = COLOUR_COUNT as u32 + 6;
    let chain = (0..links).map(|body| (body, body + 1));
    let star = (1..=spokes).map(|spoke| (hub, hub + spoke));
    let mut graph = ConstraintGraph::new();
    let mut contacts = Vec::new();
    for (id, (body_a, body_b)) in (0..).zip(chain.chain(star)) {
        graph.add(ConstraintId::Contact(id), body_a, body_b);
        contacts.push(Contact {
            body_a,
            body_b,
            count: 1,
            ..Contact::default()
        });
    }
    let bodies = vec![Body::default(); (hub + spokes + 1) as usize];
    let slot_of: Vec<u32> = (0..bodies.len() as u32).collect();
    let scene = Scene {
        bodies: &bodies,
        table: BodyTable {
            slot_of: &slot_of,
            statics: &[],
        },
        contacts: &contacts,
    };

    let mut plan = Plan::default();
    plan.make(&Workers::ALONE, &graph, scene, &[], 1.0, 1);

    assert_eq!(plan.colour_count, COLOUR_COUNT as u32 + 1);
    assert_eq!(plan.overflow_count, 6);
    let widths: Vec<u32> = (0..plan.span_count())
        .map(|span| plan.width(span))
        .collect();
    assert_eq!(widths, [2, 2, 1]);
    let mut solved = Vec::new();
    for (span, &width) in (0..).zip(&widths) {
        for block in 0..width as usize {
            solved.extend_from_slice(plan.blocks_of(span, block));
        }
    }
    assert_eq!(solved, plan.blocks);
    assert_eq!(solved.len(), 4 + (COLOUR_COUNT - 2) + 1);
    // Velocities, positions and the first two stages once, three sweeps over the spans.
    assert_eq!(plan.stages.len(), 4 + 3 * 3);
}

/// A row of bodies along x whose contacts come in scattered order. Where two workers share them, the
/// contacts of a block are neighbours and blocks come in the order of the row, but for one region;
/// one worker alone takes them as they come. Both have every contact once.
#[test]
fn workers_share_contacts_by_where_they_are() {
    const COUNT: u32 = 4001;
    let mut graph = ConstraintGraph::new();
    let scattered = |id: u32| id * 1709 % (COUNT - 1);
    let contacts: Vec<Contact> = (0..COUNT - 1)
        .map(|id| Contact {
            body_a: scattered(id),
            body_b: scattered(id) + 1,
            count: 1 + id % 3,
            ..Contact::default()
        })
        .collect();
    for (id, contact) in (0..).zip(&contacts) {
        graph.add(ConstraintId::Contact(id), contact.body_a, contact.body_b);
    }
    let bodies: Vec<Body> = (0..COUNT)
        .map(|x| Body {
            center: DVec3::new(f64::from(x), 0.0, 0.0),
            inverse_mass: 1.0,
            ..Body::default()
        })
        .collect();
    let slot_of: Vec<u32> = (0..COUNT).collect();
    let scene = Scene {
        bodies: &bodies,
        table: BodyTable {
            slot_of: &slot_of,
            statics: &[],
        },
        contacts: &contacts,
    };
    for count in [1, 2] {
        let workers = Workers::new(count).expect("a thread for the test");
        let mut plan = Plan::default();
        plan.make(&workers, &graph, scene, &[], 1.0, 1);
        let mut order = plan.order.clone();
        order.sort_unstable();
        assert!(order.iter().copied().eq(0..COUNT - 1));
        let (mut jumps, mut pairs) = (0, 0);
        for span in 0..plan.span_count() {
            let mut last = 0;
            for block in 0..plan.width(span) as usize {
                let [block] = *plan.blocks_of(span, block) else {
                    continue;
                };
                let ids = match block {
                    Block::Ones(lot) => lock(&plan.lots1[lot as usize]).source.clone(),
                    Block::Twos(lot) => lock(&plan.lots2[lot as usize]).source.clone(),
                    Block::Fours(lot) => lock(&plan.lots4[lot as usize]).source.clone(),
                    Block::Joints(_) | Block::Points(_) | Block::Trees(_) => continue,
                };
                let middle = plan.order[ids.start.midpoint(ids.end)];
                let at = contacts[middle as usize].body_a;
                jumps += u32::from(at + COUNT / REGIONS as u32 + 1 < last);
                pairs += 1;
                last = at;
            }
        }
        assert!(pairs > 20);
        assert_eq!(jumps == 0, count == 2, "{jumps} of {pairs}");
        let mut prepared = plan.prepared.clone();
        prepared.sort_by_key(|block| format!("{block:?}"));
        let mut blocks = plan.blocks.clone();
        blocks.sort_by_key(|block| format!("{block:?}"));
        assert_eq!(prepared, blocks);
    }
}
