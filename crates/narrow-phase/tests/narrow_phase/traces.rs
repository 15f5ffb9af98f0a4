//! What a trace tells: bounds that close in, a polytope that grows, and one reason for
//! everything that is handed over.

use drystone_geometry::glam::DVec3;
use drystone_geometry::{Frame, Manifold, Shape};
use drystone_narrow_phase::{
    CollideSettings, Counters, DepthProof, EpaEnd, Event, Outcome, Rung, Tracker, collide,
    collide_traced, distance, distance_traced,
};

use crate::oracle::{Solid, gap};
use crate::random::Random;

fn traced(a: &Shape, b: &Shape, b_in_a: &Frame) -> (Vec<Event>, Counters, f64) {
    let (mut tracker, mut counters) = (Tracker::default(), Counters::default());
    let mut events = Vec::new();
    let answer = distance_traced(a, b, b_in_a, &mut tracker, &mut counters, &mut events);
    assert_eq!(answer, distance(a, b, b_in_a), "watching changes nothing");
    (events, counters, answer.distance())
}

fn frame(random: &mut Random, offset: f64) -> Frame {
    Frame {
        rotation: random.matrix(),
        translation: offset * random.direction(),
    }
}

/// Random pairs apart and overlapping: the bounds of GJK's steps never widen and hold the
/// answer; EPA's nearest face never comes nearer than before, its support never reaches less
/// far than the depth, and its polytope is closed: every edge is met once in either direction.
#[test]
fn bounds_close_in_on_the_answer() {
    let (mut searched, mut deep) = (0, 0);
    for seed in 0..2000 {
        let mut random = Random::new(40_000 + seed);
        let scale = [1e-3, 1.0, 1e3][random.below(3)];
        let (a, b) = (random.hull(scale, 40), random.shape(scale, 40));
        let offset = scale * random.between(0.0, 2.5);
        let (events, counters, distance) = traced(&a, &b, &frame(&mut random, offset));
        let what = format!("seed {seed}");
        // The radius of a round shape is taken off after the search of its core.
        let radius = Solid::new(&b, &Frame::IDENTITY).radius;
        let (core, rounding) = (distance + radius, 1e-11 * scale);
        let (mut lower, mut upper) = (f64::NEG_INFINITY, f64::INFINITY);
        let mut least = f64::NEG_INFINITY;
        for event in &events {
            match event {
                Event::Gjk(step) => {
                    assert!(
                        step.lower >= lower && step.upper <= upper + rounding,
                        "{what}"
                    );
                    (lower, upper) = (step.lower, step.upper);
                    assert!(lower <= core + rounding, "{what}: {step:?}");
                    assert!(core <= upper + rounding, "{what}: {step:?}");
                    assert!((1..=4).contains(&step.simplex.len()), "{what}");
                    searched += 1;
                }
                Event::Epa(step) => {
                    assert!(step.distance >= least - rounding, "{what}: {step:?}");
                    least = step.distance;
                    assert!(step.distance <= -core + rounding, "{what}: {step:?}");
                    assert!(-core <= step.reach + rounding, "{what}: {step:?}");
                    assert_closed(&step.polytope, &what);
                    deep += 1;
                }
                _ => {}
            }
        }
        assert_eq!(counters.gjk > 0, events.iter().any(is_gjk_end), "{what}");
        let epa = matches!(events.last(), Some(Event::EpaEnd(EpaEnd::TrueFace)));
        assert_eq!(counters.epa > 0, epa, "{what}: {:?}", events.last());
    }
    assert!(searched > 30 && deep > 30, "{searched} {deep}");
}

fn is_gjk_end(event: &Event) -> bool {
    matches!(event, Event::GjkEnd(_))
}

/// Fails unless every edge of the triangles is met once in either direction.
fn assert_closed(triangles: &[[drystone_narrow_phase::MinkowskiVertex; 3]], what: &str) {
    let mut edges: Vec<[[u32; 2]; 2]> = Vec::new();
    for corners in triangles {
        let [a, b, c] = corners.map(|v| [v.vertex_a, v.vertex_b]);
        edges.extend([[a, b], [b, c], [c, a]]);
    }
    for &[from, to] in &edges {
        let count = |edge: [[u32; 2]; 2]| edges.iter().filter(|&&e| e == edge).count();
        assert_eq!(count([from, to]), count([to, from]), "{what}");
    }
}

/// A small cube in the middle of an octahedron: the slide ends at the face that is nearest, by
/// hand, and its depth is shown to be the least before any search.
#[test]
fn a_deep_pair_tells_how_its_depth_is_shown() {
    let tips: Vec<_> = [DVec3::X, DVec3::Y, DVec3::Z]
        .iter()
        .flat_map(|axis| [axis.as_vec3(), -axis.as_vec3()])
        .collect();
    let a = Shape::hull(&tips).expect("an octahedron");
    let b = Shape::Box {
        half_extents: DVec3::splat(0.1).as_vec3(),
    };
    let b_in_a = Frame {
        translation: DVec3::new(0.1, 0.05, 0.02),
        ..Frame::IDENTITY
    };
    let (events, _, distance) = traced(&a, &b, &b_in_a);
    assert!(
        events.contains(&Event::DepthProof(DepthProof::Least)),
        "{events:?}"
    );
    assert!(!events.iter().any(is_gjk_end), "{events:?}");
    // The plane x + y + z = 1 is 1/sqrt(3) from A's centre; B's corner goes 0.3 + 0.17 past.
    let depth = (1.0 + 0.3 - 0.17) / libm::sqrt(3.0);
    assert!((distance + depth).abs() < 1e-7);
}

/// A hull sinks into another: the trace of every frame tells what `collide` counted, holds
/// say by what they were decided, and watching changes nothing.
#[test]
fn every_rung_is_told() {
    let mut random = Random::new(9);
    let (a, b) = (random.hull(1.0, 30), random.hull(1.0, 30));
    let (mut tracker, mut manifold) = (Tracker::default(), Manifold::EMPTY);
    let mut counters = Counters::default();
    let settings = CollideSettings::default();
    let mut rungs = Vec::new();
    for step in 0..240 {
        let mut b_in_a = frame(&mut Random::new(1), 0.0);
        // Down, a rest of some frames, and up again.
        let height = 2.2 - 0.02 * f64::from((step - 20).clamp(0, 80));
        let height = height + 0.02 * f64::from((step - 130).max(0));
        b_in_a.translation = height * DVec3::new(0.1, 1.0, 0.2);
        let (mut silent, mut points) = (tracker, manifold);
        let mut ignored = Counters::default();
        let expected = collide(
            &a,
            &b,
            &b_in_a,
            &settings,
            &mut silent,
            &mut points,
            &mut ignored,
        );
        let mut events = Vec::new();
        let Outcome { rung } = collide_traced(
            &a,
            &b,
            &b_in_a,
            &settings,
            &mut tracker,
            &mut manifold,
            &mut counters,
            &mut events,
        );
        assert_eq!((rung, tracker, manifold), (expected.rung, silent, points));
        let has = |wanted: &Event| events.contains(wanted);
        match rung {
            Rung::Skip => assert_eq!(events, [Event::Skipped]),
            Rung::Recycle => assert_eq!(events, [Event::Recycled]),
            Rung::Hold => assert!(has(&Event::DepthProof(DepthProof::Least)), "{events:?}"),
            Rung::Epa => assert!(events.iter().any(|e| matches!(e, Event::EpaEnd(_)))),
            _ => assert!(matches!(events[0], Event::Begin { .. }), "{events:?}"),
        }
        rungs.push(rung);
    }
    for rung in [Rung::Skip, Rung::Recycle, Rung::Walk, Rung::Hold] {
        assert!(rungs.contains(&rung), "{rung:?} in {rungs:?}");
    }
    // The oracle agrees that the pair overlapped at the bottom.
    let (on_a, on_b) = (
        Solid::new(&a, &Frame::IDENTITY),
        Solid::new(&b, &Frame::IDENTITY),
    );
    assert!(gap(&on_a, &on_b, DVec3::Y) < 0.0);
}
