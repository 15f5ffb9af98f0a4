//! Hulls of points of the plane.

mod support;

use drystone_planar::glam::DVec2;
use drystone_planar::{Polygon, Pose2, QueryOptions, Shape2, distance};
use support::{Random, assert_near};

/// Points on a coarse grid whose zeros have either sign, against the same points with
/// positive zeros, and a triangle with a point on its side that is half a metre from a circle,
/// known by hand. Sorted by sign, zeros that are equal left points outside the hull.
#[test]
fn the_sign_of_a_zero_does_not_move_a_hull() {
    let corners = [(-0.0, 1.0), (0.0, 0.0), (-1.0, 0.0), (-0.0, 0.5)].map(DVec2::from);
    let triangle = Shape2::polygon(&corners).expect("a triangle");
    let circle = Shape2::circle(DVec2::ONE, 0.5).expect("a circle");
    let answer = distance(
        &triangle,
        &circle,
        &Pose2::IDENTITY,
        &QueryOptions::default(),
    )
    .expect("an answer");
    assert_near(answer.distance(), 0.5, 1e-15, "triangle and circle");

    let mut random = Random::new(16);
    let mut solid = 0;
    for index in 0..20_000 {
        let count = 3 + random.below(8);
        let signed: Vec<DVec2> = (0..count)
            .map(|_| random.vector(2.0).round() * 0.5)
            .collect();
        let plain: Vec<DVec2> = signed.iter().map(|&p| p + DVec2::ZERO).collect();
        let (Ok(signed), Ok(plain)) = (Polygon::new(&signed), Polygon::new(&plain)) else {
            continue;
        };
        solid += 1;
        assert_eq!(signed.vertices(), plain.vertices(), "cloud {index}");
    }
    assert!(solid > 10_000, "{solid} hulls");
}
