//! Which colours share a span.

use super::*;
use crate::body::{Body, BodyTable};
use crate::graph::ConstraintId;
use crate::tolerance::COLOUR_COUNT;

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
    plan.make(&Workers::ALONE, &graph, scene, &[], 1);

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
