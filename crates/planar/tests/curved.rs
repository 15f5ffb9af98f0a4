//! Circles, ellipses and rounded shapes against closed forms and scans of directions.

mod support;

use drystone_planar::glam::DVec2;
use drystone_planar::{NotConverged, Pose2, QueryOptions, Shape2, distance, intersects};
use support::{Random, assert_near, scanned_distance};

fn ask(a: &Shape2, b: &Shape2, b_in_a: &Pose2) -> drystone_planar::Separation2 {
    distance(a, b, b_in_a, &QueryOptions::default()).expect("bounds that meet")
}

/// Circles and rounded segments. Known by hand: distance of the cores less the radii, in
/// deep overlap too; coincident centres answer the sum of the radii along +Y.
#[test]
fn circles_and_capsules_are_their_cores_less_the_radii() {
    let a = Shape2::circle(DVec2::new(1.0, 0.0), 0.75).expect("a circle");
    let b = Shape2::circle(DVec2::ZERO, 0.5).expect("a circle");
    for x in [5.0, 2.25, 2.0, 1.1, 1.0 + 1e-12] {
        let answer = ask(&a, &b, &Pose2::from_translation(DVec2::new(x, 0.0)));
        assert_near(answer.distance(), x - 1.0 - 1.25, 1e-15, "circles");
        assert_eq!(answer.normal, DVec2::X);
        assert_eq!(answer.point_a, DVec2::new(1.75, 0.0));
    }
    let answer = ask(&a, &b, &Pose2::from_translation(DVec2::X));
    assert_eq!((answer.distance(), answer.normal), (-1.25, DVec2::Y));

    let capsule = Shape2::segment(DVec2::NEG_Y, DVec2::Y)
        .and_then(|core| core.rounded(0.25))
        .expect("a capsule");
    let answer = ask(
        &capsule,
        &capsule,
        &Pose2::from_translation(DVec2::new(0.4, 0.5)),
    );
    assert_near(answer.distance(), -0.1, 1e-15, "capsules side by side");
    let answer = ask(&capsule, &capsule, &Pose2::new(DVec2::ZERO, 1.0));
    let depth = libm::sin(1.0) + 0.5;
    assert_near(answer.distance(), -depth, 1e-15, "capsules crossing");
}

fn random_ellipse(random: &mut Random) -> Shape2 {
    let flat = [1.0, 0.999, 0.9, 0.5, 0.1, 1e-3][random.below(6)];
    let half = DVec2::new(1.0, flat) * random.range(0.3, 1.5);
    let center = random.vector(0.3);
    Shape2::ellipse(center, half, random.range(-3.0, 3.0)).expect("an ellipse")
}

/// Random ellipses against each other, apart and overlapping. Known by scanning all
/// directions for the largest gap, to 1e-9.
#[test]
fn ellipses_agree_with_a_scan_of_all_directions() {
    let mut random = Random::new(11);
    let mut overlapping = 0;
    for index in 0..1_500 {
        let (a, b) = (random_ellipse(&mut random), random_ellipse(&mut random));
        let b_in_a = random.pose(if index % 3 == 0 { 0.8 } else { 2.5 });
        let answer = ask(&a, &b, &b_in_a);
        let exact = scanned_distance(&a, &b, &b_in_a, 2_000);
        let what = format!("pair {index}: {answer:?}");
        assert_near(answer.distance(), exact, 1e-9, &what);
        assert!(answer.upper - answer.lower <= 1e-10, "{what}");
        assert!(
            answer.lower <= exact + 1e-10 && exact <= answer.upper + 1e-10,
            "{what}"
        );
        // The bounds hold on the shapes themselves, not only in the search.
        let n = answer.normal;
        let on_b = b_in_a.transform(b.support(b_in_a.unrotate(-n)).0);
        let gap = (on_b - a.support(n).0).dot(n);
        assert_near(gap, answer.lower, 1e-13, &what);
        assert!(
            (answer.point_b - answer.point_a).abs_diff_eq(n * exact, 1e-5),
            "{what}"
        );
        if exact < 0.0 {
            overlapping += 1;
        }
        if exact.abs() > 1e-9 {
            let hit = intersects(&a, &b, &b_in_a, &QueryOptions::default()).expect("bounds");
            assert_eq!(hit, exact < 0.0, "{what}");
        }
    }
    assert!(overlapping > 300, "{overlapping} overlapping");
}

/// An ellipse against polygons, points and rounded boxes. Known by the same scan.
#[test]
fn ellipses_agree_with_polygons_too() {
    let mut random = Random::new(12);
    for index in 0..600 {
        let a = random_ellipse(&mut random);
        let count = 3 + random.below(6);
        let cloud: Vec<DVec2> = (0..count).map(|_| random.vector(1.0)).collect();
        let b = match index % 3 {
            0 => Shape2::polygon(&cloud),
            1 => Shape2::polygon(&cloud).and_then(|b| b.rounded(0.2)),
            _ => Shape2::point(cloud[0]),
        }
        .expect("a shape");
        let b_in_a = random.pose(2.0);
        for (one, other, pose) in [(&a, &b, b_in_a), (&b, &a, b_in_a.inverse())] {
            let answer = ask(one, other, &pose);
            let exact = scanned_distance(one, other, &pose, 2_000);
            assert_near(
                answer.distance(),
                exact,
                1e-9,
                &format!("pair {index} {answer:?}"),
            );
        }
    }
}

/// Ellipses around the same centre, one the other turned by a right angle, and copies:
/// the directions all but tie. Known by hand for the copies (twice the short half-axis)
/// and by the scan for the rest.
#[test]
fn concentric_ellipses_are_certified() {
    for ratio in [
        1.0 - 1e-8,
        1.0 - 1e-7,
        1.0 - 1e-6,
        1.0 - 1e-5,
        1.0 - 1e-4,
        0.999,
        0.99,
        0.9,
        0.5,
        0.01,
    ] {
        let a = Shape2::ellipse(DVec2::ZERO, DVec2::new(1.0, ratio), 0.0).expect("an ellipse");
        let answer = ask(&a, &a, &Pose2::IDENTITY);
        assert_near(answer.distance(), -2.0 * ratio, 1e-11, "copies");
        for angle in [0.1, std::f64::consts::FRAC_PI_2] {
            let b_in_a = Pose2::new(DVec2::ZERO, angle);
            let exact = scanned_distance(&a, &a, &b_in_a, 4_000);
            assert_near(ask(&a, &a, &b_in_a).distance(), exact, 1e-9, "turned");
        }
    }
}

/// Ellipses brought to within a little of touching, both sides. Judged by the
/// certificate and by where they were put.
#[test]
fn ellipses_about_to_touch_are_certified() {
    let mut random = Random::new(13);
    for index in 0..3_000 {
        let (a, b) = (random_ellipse(&mut random), random_ellipse(&mut random));
        let mut b_in_a = random.pose(3.0);
        let start = ask(&a, &b, &b_in_a);
        if start.distance() < 0.0 {
            continue;
        }
        let step = [0.0, 1e-15, -1e-15, 1e-12, -1e-12, 1e-8, -1e-8, 1e-4][index % 8];
        b_in_a.translation -= start.normal * (start.distance() + step);
        let answer = ask(&a, &b, &b_in_a);
        assert!(answer.upper - answer.lower <= 1e-10, "{index}: {answer:?}");
        assert!(
            answer.distance().abs() <= step.abs() + 1e-10,
            "{index}: {answer:?}"
        );
    }
}

/// One iteration only. Known by hand: the bounds cannot meet, and the error says what
/// they are.
#[test]
fn running_out_of_iterations_is_an_error_with_bounds() {
    let a = Shape2::ellipse(DVec2::ZERO, DVec2::new(2.0, 1.0), 0.3).expect("an ellipse");
    let b = Shape2::ellipse(DVec2::ZERO, DVec2::new(1.0, 3.0), 0.1).expect("an ellipse");
    for at in [DVec2::new(7.0, 3.0), DVec2::new(0.5, 0.5)] {
        let pose = Pose2::from_translation(at);
        let exact = ask(&a, &b, &pose).distance();
        let options = QueryOptions {
            max_iterations: 1,
            ..QueryOptions::default()
        };
        let error: NotConverged = distance(&a, &b, &pose, &options).expect_err("too few");
        assert!(error.lower <= exact, "{error}");
        assert!(exact <= error.upper, "{error}");
    }
}

/// Points around shapes of all kinds. Known by the signed distance of the point.
#[test]
fn containment_agrees_with_the_signed_distance() {
    let mut random = Random::new(14);
    let cloud: Vec<DVec2> = (0..30).map(|_| random.vector(1.0)).collect();
    let shapes = [
        Shape2::polygon(&cloud),
        Shape2::points(cloud.clone()),
        Shape2::polygon(&cloud).and_then(|shape| shape.rounded(0.3)),
        Shape2::segment(cloud[0], cloud[1]),
        Shape2::circle(cloud[0], 0.7),
        Shape2::ellipse(cloud[1], DVec2::new(1.0, 0.4), 0.6),
        Shape2::ellipse(cloud[1], DVec2::new(1.0, 0.4), 0.6).and_then(|shape| shape.rounded(0.1)),
    ]
    .map(|shape| shape.expect("a shape"));
    for shape in &shapes {
        let mut inside = 0;
        for _ in 0..2_000 {
            let at = random.vector(1.5);
            let point = Shape2::point(at).expect("a point");
            let exact = ask(shape, &point, &Pose2::IDENTITY).distance();
            if exact.abs() > 1e-9 {
                assert_eq!(shape.contains(at), exact < 0.0, "{shape:?} {at} {exact}");
            }
            inside += usize::from(shape.contains(at));
        }
        assert!(inside > 50 || shape.bounds().0 == shape.bounds().1 || inside == 0);
    }
    let square = Shape2::rectangle(DVec2::ONE).expect("a square");
    for (x, y, expected) in [
        (1.0, 1.0, true),
        (-1.0, -1.0, true),
        (1.0, 0.3, true),
        (-1.0, 0.3, true),
        (0.2, 1.0, true),
        (0.2, -1.0, true),
        (1.0 + 1e-15, 0.3, false),
        (0.2, 1.0 + 1e-15, false),
        (-1.0, 1.0 + 1e-15, false),
    ] {
        assert_eq!(square.contains(DVec2::new(x, y)), expected, "{x} {y}");
    }
}
