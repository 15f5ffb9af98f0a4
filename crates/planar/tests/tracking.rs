//! The coherent path: the same answers as cold queries, and how it finds them.

mod support;

use drystone_planar::glam::DVec2;
use drystone_planar::{Counters2, Pose2, QueryOptions, Shape2, Tracker2, distance, track};
use support::{Random, assert_near, round_polygon};

/// Random pairs led along paths through contact and out again, with teleports. Known by
/// the cold query at every pose.
#[test]
fn a_tracked_pair_answers_what_a_cold_query_answers() {
    let mut random = Random::new(31);
    let options = QueryOptions::default();
    let mut counters = Counters2::default();
    let mut queries = 0;
    for path in 0..300 {
        let count = [3, 4, 8, 60, 500][path % 5];
        let shape = |random: &mut Random, kind: usize| {
            let half = DVec2::new(1.0, random.range(0.2, 1.0));
            match kind % 5 {
                0 => Shape2::segment(random.vector(1.0), random.vector(1.0)),
                1 => Shape2::point(random.vector(1.0)),
                2 => Shape2::polygon(&round_polygon(random, count, half))
                    .and_then(|shape| shape.rounded(0.1)),
                _ => Shape2::polygon(&round_polygon(random, count, half)),
            }
            .expect("a shape")
        };
        let (a, b) = (shape(&mut random, path), shape(&mut random, path / 5));
        let mut tracker = Tracker2::default();
        let spin = random.range(0.0, 0.3);
        let mut angle = random.range(-3.0, 3.0);
        for frame in 0..100 {
            angle += spin;
            let mut pose = Pose2::new(DVec2::new(3.0 - 0.06 * f64::from(frame), 0.3), angle);
            if frame % 37 == 36 {
                pose = random.pose(3.0);
            }
            let answer = track(&a, &b, &pose, &options, &mut tracker, &mut counters)
                .expect("polygons never fail");
            let cold = distance(&a, &b, &pose, &options).expect("polygons never fail");
            let what = format!("path {path}, frame {frame}");
            assert_near(answer.distance(), cold.distance(), 1e-12, &what);
            assert!(answer.upper - answer.lower < 1e-11, "{what}");
            queries += 1;
        }
    }
    assert_eq!(counters.walked + counters.searched, queries);
    assert!(counters.walked > queries / 3, "{counters:?}");
    assert!(counters.jumped > 100, "{counters:?}");
}

/// A polygon of 10,000 corners turning half a degree a frame beside another. Known by
/// hand: all but a few frames are walked, in a handful of steps although fourteen corners
/// pass.
#[test]
fn rotating_ten_thousand_corners_takes_a_few_steps_a_frame() {
    let mut random = Random::new(32);
    let options = QueryOptions::default();
    let ring = round_polygon(&mut random, 10_000, DVec2::new(1.0, 0.7));
    let shape = Shape2::polygon(&ring).expect("round");
    let mut tracker = Tracker2::default();
    let mut counters = Counters2::default();
    for frame in 0..1_000 {
        let angle = f64::from(frame) * 0.5_f64.to_radians();
        let pose = Pose2::new(DVec2::new(2.1, 0.1), angle);
        let answer = track(&shape, &shape, &pose, &options, &mut tracker, &mut counters)
            .expect("polygons never fail");
        if frame % 100 == 0 {
            let cold = distance(&shape, &shape, &pose, &options).expect("polygons");
            assert_near(answer.distance(), cold.distance(), 1e-13, "frame");
        }
    }
    assert_eq!(counters.searched + counters.walked, 1_000);
    assert!(counters.searched < 10, "{counters:?}");
    assert!(counters.walk_steps < 8 * 999, "{counters:?}");
}

/// A tracker handed from one pair to another with fewer vertices. Known by the cold
/// query: a stale state is dropped, not indexed with.
#[test]
fn a_tracker_of_another_pair_is_harmless() {
    let mut random = Random::new(33);
    let options = QueryOptions::default();
    let mut tracker = Tracker2::default();
    let mut counters = Counters2::default();
    for _ in 0..500 {
        let count = 3 + random.below(50);
        let ring = round_polygon(&mut random, count, DVec2::ONE);
        let a = Shape2::polygon(&ring).expect("round");
        let b = Shape2::rectangle(DVec2::ONE).expect("a square");
        let pose = random.pose(4.0);
        let answer = track(&a, &b, &pose, &options, &mut tracker, &mut counters).expect("polygons");
        let cold = distance(&a, &b, &pose, &options).expect("polygons");
        assert_near(answer.distance(), cold.distance(), 1e-12, "stale");
    }
}
