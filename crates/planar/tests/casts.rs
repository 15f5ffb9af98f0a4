//! Time of impact against hand-made cases and against stepping along the path.

mod support;

use drystone_planar::glam::DVec2;
use drystone_planar::{Impact, Pose2, QueryOptions, Shape2, distance, time_of_impact};
use support::{Random, assert_near, round_polygon};

fn cast(a: &Shape2, b: &Shape2, b_in_a: &Pose2, velocity: DVec2, max: f64) -> Option<Impact> {
    time_of_impact(a, b, b_in_a, velocity, max, &QueryOptions::default()).expect("bounds that meet")
}

fn random_shape(random: &mut Random) -> Shape2 {
    let count = 3 + random.below(10);
    let cloud: Vec<DVec2> = (0..count).map(|_| random.vector(1.0)).collect();
    match random.below(7) {
        6 => {
            let (count, half) = (3 + random.below(400), DVec2::new(1.0, 0.7));
            Shape2::polygon(&round_polygon(random, count, half))
        }
        0 => Shape2::point(cloud[0]),
        1 => Shape2::segment(cloud[0], cloud[1]),
        2 => Shape2::circle(cloud[0], 0.4),
        3 => Shape2::ellipse(cloud[0], DVec2::new(0.8, 0.3), 0.4),
        4 => Shape2::polygon(&cloud).and_then(|shape| shape.rounded(0.1)),
        _ => Shape2::polygon(&cloud),
    }
    .expect("a shape")
}

/// Squares and points on straight courses. Known by hand.
#[test]
fn squares_meet_when_their_gap_is_used_up() {
    let square = Shape2::rectangle(DVec2::splat(0.5)).expect("a square");
    let b_in_a = Pose2::from_translation(DVec2::new(3.0, 0.25));
    let impact = cast(&square, &square, &b_in_a, DVec2::new(-4.0, 0.0), 10.0).expect("a hit");
    assert_near(impact.time(), 0.5, 1e-15, "time");
    assert_eq!(impact.normal, DVec2::X);
    assert_near(impact.point.x, 0.5, 1e-15, "point");

    assert!(cast(&square, &square, &b_in_a, DVec2::new(-4.0, 0.0), 0.49).is_none());
    assert!(cast(&square, &square, &b_in_a, DVec2::new(4.0, 0.0), 10.0).is_none());
    assert!(cast(&square, &square, &b_in_a, DVec2::ZERO, 10.0).is_none());
    assert!(cast(&square, &square, &b_in_a, DVec2::new(0.0, -3.0), 10.0).is_none());
    let inside = cast(&square, &square, &Pose2::IDENTITY, DVec2::X, 1.0).expect("overlap");
    assert_eq!(inside.time(), 0.0);

    let tiny = cast(
        &square,
        &square,
        &b_in_a,
        DVec2::new(-1e-200, 0.0),
        f64::INFINITY,
    );
    assert_near(
        tiny.expect("a hit").time() * 1e-200,
        2.0,
        1e-14,
        "denormal velocity",
    );

    // Flat along the path: a point onto a segment's end, end on.
    let point = Shape2::point(DVec2::ZERO).expect("a point");
    let segment = Shape2::segment(DVec2::new(2.0, 0.0), DVec2::new(3.0, 0.0)).expect("a segment");
    let impact = cast(&segment, &point, &Pose2::IDENTITY, DVec2::X, 10.0).expect("end on");
    assert_near(impact.time(), 2.0, 1e-15, "end on");
    let impact = cast(
        &point,
        &point,
        &Pose2::from_translation(DVec2::X),
        DVec2::NEG_X,
        10.0,
    );
    assert_near(impact.expect("point on point").time(), 1.0, 1e-15, "points");
}

/// Random shapes on random courses. Known by the signed distance along the path: zero at
/// the impact, positive at many times before it; and a miss stays clear.
#[test]
fn at_the_impact_the_distance_is_zero_and_not_before() {
    let mut random = Random::new(21);
    let options = QueryOptions::default();
    let (mut hits, mut misses) = (0, 0);
    for index in 0..3_000 {
        let (a, b) = (random_shape(&mut random), random_shape(&mut random));
        let b_in_a = random.pose(4.0);
        let velocity = random.vector(3.0) - b_in_a.translation * random.range(0.0, 2.0);
        let start = distance(&a, &b, &b_in_a, &options)
            .expect("bounds")
            .distance();
        let at = |time: f64| {
            let mut pose = b_in_a;
            pose.translation += velocity * time;
            distance(&a, &b, &pose, &options)
                .expect("bounds")
                .distance()
        };
        let what = format!("course {index}");
        let end = match cast(&a, &b, &b_in_a, velocity, 5.0) {
            Some(impact) if start <= 0.0 => {
                assert_eq!(impact.time(), 0.0, "{what}");
                continue;
            }
            Some(impact) => {
                hits += 1;
                assert_near(at(impact.time()), 0.0, 1e-9, &what);
                assert!(impact.normal.dot(velocity) < 1e-9, "{what}");
                impact.time()
            }
            None => {
                misses += 1;
                5.0
            }
        };
        for part in 0..40 {
            let d = at(end * 0.999 * f64::from(part) / 40.0);
            assert!(d > -1e-9, "{what}: {d} at {part}/40 of {end}");
        }
    }
    assert!(hits > 700, "{hits} hits");
    assert!(misses > 300, "{misses} misses");
}

/// Squares in touch, a rounding apart and a rounding inside, sent every way. Known by hand:
/// in touch the time is 0 whatever the way; a rounding apart, coming nearer takes no time
/// and parting never meets.
#[test]
fn shapes_in_touch_meet_at_once() {
    let square = Shape2::rectangle(DVec2::splat(0.5)).expect("a square");
    for index in 0..360 {
        let way = Pose2::new(DVec2::ZERO, f64::from(index).to_radians()).rotation;
        for (gap, may_miss) in [(0.0, false), (-1e-15, false), (1e-15, true)] {
            for aside in [0.0, 0.3, 1.0] {
                let b_in_a = Pose2::from_translation(DVec2::new(1.0 + gap, aside));
                let impact = cast(&square, &square, &b_in_a, way, 1.0);
                match impact {
                    Some(impact) => {
                        assert!(
                            impact.time() <= 1e-12 || way.x.abs() < 1e-2,
                            "{way} {impact:?}"
                        );
                    }
                    None => assert!(may_miss, "{way} {aside} {gap}"),
                }
                let parts = gap > 0.0 && way.x > 1e-3 && aside < 1.0;
                assert!(!parts || impact.is_none(), "{way} {aside}");
            }
        }
    }
}
