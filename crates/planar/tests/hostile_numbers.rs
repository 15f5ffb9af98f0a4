//! Numbers that no caller means: shapes are refused or answer with finite bounds, never a panic.

use drystone_planar::glam::DVec2;
use drystone_planar::{
    NotConverged, Pose2, QueryOptions, Separation2, Shape2, distance, intersects, time_of_impact,
};

const NUMBERS: [f64; 15] = [
    0.0,
    -0.0,
    1.0,
    -2.5,
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::MAX,
    f64::MIN_POSITIVE,
    5e-324,
    -1e300,
    1e150,
    1e-160,
    1e9,
    -1e15,
];

/// Every shape with every pair of numbers, those that are refused left out.
fn shapes() -> Vec<Shape2> {
    let mut shapes = Vec::new();
    for x in NUMBERS {
        for y in NUMBERS {
            let at = DVec2::new(x, y);
            let corners = [DVec2::ZERO, DVec2::X, at];
            let made = [
                Shape2::point(at),
                Shape2::segment(DVec2::ONE, at),
                Shape2::polygon(&corners),
                Shape2::points(corners.to_vec()),
                Shape2::rectangle(at),
                Shape2::circle(at, y),
                Shape2::ellipse(DVec2::ZERO, at, x),
                Shape2::point(DVec2::Y).and_then(|shape| shape.rounded(x)),
            ];
            shapes.extend(made.into_iter().flatten());
        }
    }
    shapes
}

fn check(answer: Result<Separation2, NotConverged>) -> Result<(), String> {
    let told = format!("{answer:?}");
    let is_sound = match answer {
        Ok(found) => {
            let bounds = found.lower.is_finite() && found.upper.is_finite();
            bounds && found.lower <= found.upper && found.normal.is_finite()
        }
        Err(error) => !error.lower.is_nan() && !error.upper.is_nan(),
    };
    if is_sound { Ok(()) } else { Err(told) }
}

/// Every shape against a few, at a few places.
#[test]
fn shapes_of_odd_numbers_answer_or_are_refused() {
    let shapes = shapes();
    assert!(shapes.len() > 100, "{}", shapes.len());
    let options = QueryOptions::default();
    let plain = [
        Shape2::rectangle(DVec2::ONE).expect("a square"),
        Shape2::circle(DVec2::ZERO, 0.5).expect("a disc"),
        Shape2::ellipse(DVec2::ZERO, DVec2::new(2.0, 1.0), 0.3).expect("an ellipse"),
    ];
    for a in &shapes {
        for b in plain.iter().chain(shapes.iter().step_by(17)) {
            for offset in [DVec2::ZERO, DVec2::new(3.0, -4.0), DVec2::splat(-1e9)] {
                let pose = Pose2::new(offset, 0.7);
                let told = check(distance(a, b, &pose, &options));
                assert_eq!(told, Ok(()), "{a:?}\n{b:?}\n{offset}");
                let _ = intersects(a, b, &pose, &options);
                let velocity = DVec2::new(5e-324, -1.0);
                let impact = time_of_impact(a, b, &pose, velocity, 10.0, &options);
                let is_sound = impact.is_err()
                    || impact.is_ok_and(|hit| hit.is_none_or(|hit| hit.time().is_finite()));
                assert!(is_sound, "{a:?}\n{b:?}\n{offset}");
            }
        }
    }
}
