//! Polygons, segments and points: distance and depth against answers from scans.

mod support;

use drystone_planar::glam::DVec2;
use drystone_planar::{
    Counters2, Pose2, QueryOptions, Separation2, Shape2, Tracker2, distance, intersects,
    parallel_range, penetration, track,
};
use support::{
    Random, assert_near, check_certificate, outside, placed, round_polygon, signed_distance,
};

fn ask(a: &Shape2, b: &Shape2, b_in_a: &Pose2) -> Separation2 {
    distance(a, b, b_in_a, &QueryOptions::default()).expect("polygons never fail")
}

fn points(list: &[(f64, f64)]) -> Vec<DVec2> {
    list.iter().map(|&(x, y)| DVec2::new(x, y)).collect()
}

/// A random shape of few or many vertices, round, ragged, thin, flat or a point.
fn random_shape(random: &mut Random, size: f64) -> Shape2 {
    let half = DVec2::new(size, size * random.range(0.1, 1.0));
    match random.below(10) {
        0 => Shape2::point(random.vector(size)),
        1 => Shape2::segment(random.vector(size), random.vector(size)),
        2 => Shape2::rectangle(half),
        3 => Shape2::rectangle(DVec2::new(size, size * 1e-6)),
        4 | 5 => {
            let count = 3 + random.below(40);
            Shape2::polygon(&round_polygon(random, count, half))
        }
        6 => {
            // On a coarse grid: collinear and repeated points, parallel edges.
            let count = 3 + random.below(20);
            let grid: Vec<DVec2> = (0..count)
                .map(|_| (random.vector(3.0)).round() * (size / 3.0))
                .chain(points(&[(0.0, 0.0), (size, 0.0), (0.0, size)]))
                .collect();
            Shape2::polygon(&grid)
        }
        _ => {
            let count = 3 + random.below(12);
            let cloud: Vec<DVec2> = (0..count).map(|_| random.vector(size)).collect();
            Shape2::polygon(&cloud)
        }
    }
    .expect("a valid shape")
}

/// The worked example of the literature: triangle against quadrilateral. Known by hand:
/// 11 / sqrt(41), from the vertex (8, 6) to the edge (9, 9)-(4, 5).
#[test]
fn the_textbook_pair_is_eleven_over_root_41_apart() {
    let a = Shape2::polygon(&points(&[(4.0, 11.0), (4.0, 5.0), (9.0, 9.0)])).expect("a triangle");
    let b = Shape2::polygon(&points(&[
        (8.0, 6.0),
        (10.0, 2.0),
        (13.0, 1.0),
        (15.0, 6.0),
    ]))
    .expect("a quadrilateral");

    let answer = ask(&a, &b, &Pose2::IDENTITY);

    assert_near(answer.distance(), 11.0 / 41.0_f64.sqrt(), 1e-15, "distance");
    let foot = DVec2::new(6.926_829_268_292_683, 7.341_463_414_634_147);
    assert!(answer.point_a.abs_diff_eq(foot, 1e-14), "{answer:?}");
    assert_eq!(answer.point_b, DVec2::new(8.0, 6.0));
}

/// Many random pairs of all kinds, apart, touching and overlapping, at three scales.
/// The certificate is checked from outside, by scans over all vertices.
#[test]
fn a_million_random_pairs_carry_a_valid_certificate() {
    let mut random = Random::new(1);
    let mut overlapping = 0;
    let mut apart = 0;
    for scale in [1e-3, 1.0, 1e3] {
        let shapes: Vec<Shape2> = (0..64).map(|_| random_shape(&mut random, scale)).collect();
        let rings: Vec<Vec<DVec2>> = shapes.iter().map(|s| placed(s, &Pose2::IDENTITY)).collect();
        for index in 0..333_334 {
            let (i, j) = (random.below(64), random.below(64));
            let b_in_a = random.pose(2.5 * scale);
            let ring_b = placed(&shapes[j], &b_in_a);
            let what = format!("pair {index} at {scale}");
            let answer = ask(&shapes[i], &shapes[j], &b_in_a);
            let tolerance = 1e-11 * 4.0 * scale;
            check_certificate(&rings[i], &ring_b, (0.0, 0.0), &answer, tolerance, &what);
            if answer.is_overlapping() {
                overlapping += 1;
            } else {
                apart += 1;
            }
        }
    }
    assert!(overlapping > 100_000, "{overlapping} overlapping");
    assert!(apart > 100_000, "{apart} apart");
}

/// Random pairs, in overlap too, where a certificate alone could be met by a depth along
/// a wrong axis. Known by scanning every edge against every vertex.
#[test]
fn distances_and_depths_equal_a_scan_of_all_edges() {
    let mut random = Random::new(2);
    for index in 0..20_000 {
        let a = random_shape(&mut random, 1.0);
        let b = random_shape(&mut random, 1.0);
        let b_in_a = random.pose(2.0);
        let (ring_a, ring_b) = (placed(&a, &Pose2::IDENTITY), placed(&b, &b_in_a));
        let answer = ask(&a, &b, &b_in_a);
        let what = format!("pair {index}");

        let exact = signed_distance(&ring_a, &ring_b);
        // Flat shapes have no interior, so the scan's axes do not cover them inside.
        if ring_a.len() > 2 || ring_b.len() > 2 || exact > 0.0 {
            assert_near(answer.distance(), exact, 1e-11, &what);
        }
        let hit = intersects(&a, &b, &b_in_a, &QueryOptions::default()).expect("polygons");
        if exact.abs() > 1e-12 {
            assert_eq!(hit, exact <= 0.0, "{what}: {exact}");
        }
    }
}

/// Large polygons of different roundness. Known by a merge-free scan.
#[test]
fn many_vertices_lose_no_accuracy() {
    let mut random = Random::new(3);
    for count in [100, 1_000, 3_000] {
        for round in 0..6 {
            let half = DVec2::new(1e4, random.range(1e3, 1e4));
            let a = Shape2::polygon(&round_polygon(&mut random, count, half)).expect("round");
            let b = Shape2::polygon(&round_polygon(&mut random, count, half)).expect("round");
            let reach = if round < 3 { 3e4 } else { 1e4 };
            let b_in_a = random.pose(reach);
            let (ring_a, ring_b) = (placed(&a, &Pose2::IDENTITY), placed(&b, &b_in_a));
            let answer = ask(&a, &b, &b_in_a);
            let exact = signed_distance(&ring_a, &ring_b);
            assert_near(answer.distance(), exact, 1e-9 * exact.abs(), "distance");
        }
    }
}

/// Two equal disks of 3,000 corners around the same centre: every edge of the difference
/// is as near as every other, the worst case of an expanding polygon. Known by hand: the
/// depth is twice the inner radius of the polygon.
#[test]
fn concentric_round_polygons_have_the_depth_of_their_inner_circles() {
    let mut random = Random::new(4);
    let count = 3_000;
    let ring = round_polygon(&mut random, count, DVec2::ONE);
    let a = Shape2::polygon(&ring).expect("round");
    let answer = ask(&a, &a, &Pose2::IDENTITY);
    let inner = libm::cos(std::f64::consts::PI / count as f64);
    assert_near(answer.distance(), -2.0 * inner, 1e-13, "depth");
}

/// Two squares swept through each other: a gap, touching, overlap. Known by hand; the
/// value is continuous and the normal is +X.
#[test]
fn a_sweep_through_touching_is_continuous() {
    let square = Shape2::rectangle(DVec2::splat(0.5)).expect("a square");
    for scale in [1e-3, 1.0, 1e3] {
        let a = Shape2::rectangle(DVec2::splat(0.5 * scale)).expect("a square");
        for gap in [
            0.5, 1e-3, 1e-6, 1e-9, 1e-12, 1e-15, 0.0, -1e-15, -1e-12, -1e-9, -1e-6, -1e-3, -0.3,
        ] {
            let b_in_a = Pose2::from_translation(DVec2::new(1.0 + gap, 0.125) * scale);
            let answer = ask(&a, &a, &b_in_a);
            let exact = (b_in_a.translation.x - scale).max(-scale);
            assert_near(answer.distance(), exact, 1e-15 * scale, "gap");
            assert_eq!(answer.normal, DVec2::X, "gap {gap}: {answer:?}");
        }
    }
    let corner = Pose2::from_translation(DVec2::ONE);
    assert_near(
        ask(&square, &square, &corner).distance(),
        0.0,
        1e-15,
        "corner",
    );
}

/// Random pairs slid apart along their normal to within a few roundings of touching,
/// on both sides. Judged by the certificate alone.
#[test]
fn poses_within_rounding_of_touching_are_certified() {
    let mut random = Random::new(5);
    for index in 0..30_000 {
        let a = random_shape(&mut random, 1.0);
        let b = random_shape(&mut random, 1.0);
        let mut b_in_a = random.pose(2.0);
        let start = ask(&a, &b, &b_in_a);
        let step = [0.0, 1e-16, -1e-16, 3e-15, -3e-15, 1e-12, -1e-12, 1e-8][index % 8];
        b_in_a.translation -= start.normal * (start.distance() + step);
        let answer = ask(&a, &b, &b_in_a);
        let (ring_a, ring_b) = (placed(&a, &Pose2::IDENTITY), placed(&b, &b_in_a));
        let what = format!("pair {index}, step {step}");
        check_certificate(&ring_a, &ring_b, (0.0, 0.0), &answer, 1e-10, &what);
        assert!(
            answer.distance().abs() <= step.abs() + 1e-14,
            "{what} {answer:?}"
        );
    }
}

/// Points, segments and flat polygons on top of each other. Known by hand: nothing has
/// an inside, so every signed distance is zero and nothing is NaN.
#[test]
fn flat_shapes_on_top_of_each_other_touch() {
    let o = DVec2::ZERO;
    let flat = points(&[(-1.0, 0.0), (0.0, 0.0), (1.0, 0.0)]);
    let shapes = [
        Shape2::point(o),
        Shape2::segment(DVec2::NEG_X, DVec2::X),
        Shape2::segment(o, DVec2::X),
        Shape2::segment(DVec2::NEG_X, o),
        Shape2::polygon(&flat),
        Shape2::points(flat.clone()),
        Shape2::points(vec![o; 4]),
    ]
    .map(|shape| shape.expect("a shape"));
    for a in &shapes {
        for b in &shapes {
            let answer = ask(a, b, &Pose2::IDENTITY);
            assert_eq!(answer.distance(), 0.0, "{a:?} {b:?} {answer:?}");
            assert_near(answer.normal.length(), 1.0, 1e-15, "normal");
        }
    }
    let crossing = Pose2::new(o, 1.0);
    let answer = ask(&shapes[1], &shapes[1], &crossing);
    let depth = libm::sin(1.0);
    assert_near(answer.distance(), -depth, 1e-15, "crossing segments");
}

/// Random pairs asked both ways. Known by symmetry: the value is the same, and B's
/// answer moved to A's frame is the flipped one.
#[test]
fn exchanging_the_shapes_flips_the_answer() {
    let mut random = Random::new(6);
    for index in 0..5_000 {
        let a = random_shape(&mut random, 1.0);
        let b = random_shape(&mut random, 1.0);
        let b_in_a = random.pose(2.0);
        let one = ask(&a, &b, &b_in_a);
        let other = ask(&b, &a, &b_in_a.inverse());
        let what = format!("pair {index}");
        assert_near(one.distance(), other.distance(), 1e-12, &what);
        if one.distance() > 1e-3 {
            let flipped = -b_in_a.rotate(other.normal);
            assert!(flipped.abs_diff_eq(one.normal, 1e-9), "{what}");
        }
    }
}

/// Overlapping pairs parted by the answer. Known by its meaning: moved by the separating
/// vector they touch, moved by less they still overlap.
#[test]
fn moving_by_the_separating_vector_parts_the_shapes() {
    let mut random = Random::new(7);
    let options = QueryOptions::default();
    let mut count = 0;
    for _ in 0..5_000 {
        let a = random_shape(&mut random, 1.0).rounded(0.05).expect("round");
        let b = random_shape(&mut random, 1.0);
        let b_in_a = random.pose(0.7);
        let Some(found) = penetration(&a, &b, &b_in_a, &options).expect("polygons") else {
            continue;
        };
        count += 1;
        for (part, sign) in [(1.0, 0.0), (0.9, -1.0), (1.1, 1.0)] {
            let mut moved = b_in_a;
            moved.translation += found.separating * part;
            let rest = ask(&a, &b, &moved).distance();
            if sign == 0.0 {
                assert_near(rest, 0.0, 1e-11, "parted");
            } else {
                assert!(rest * sign >= -1e-12, "{part}: {rest} of {}", found.depth);
            }
        }
    }
    assert!(count > 3_000, "{count} overlapping pairs");
}

/// Shapes left as unordered points, against their hulls. Known by the hull's answer; the
/// feature ids are positions in the points.
#[test]
fn unordered_points_answer_as_their_hull() {
    let mut random = Random::new(8);
    for _ in 0..5_000 {
        let count = 1 + random.below(20);
        let cloud: Vec<DVec2> = (0..count).map(|_| random.vector(1.0)).collect();
        let a = Shape2::points(cloud.clone()).expect("points");
        let b = random_shape(&mut random, 1.0);
        let b_in_a = random.pose(2.0);
        let answer = ask(&a, &b, &b_in_a);
        let hull = Shape2::polygon(&cloud);
        if let Ok(hull) = hull {
            let exact = ask(&hull, &b, &b_in_a).distance();
            assert_near(answer.distance(), exact, 1e-13, "hull");
        }
        let on: Vec<DVec2> = match answer.feature_a {
            drystone_planar::Feature2::Vertex(i) => vec![cloud[i as usize]],
            drystone_planar::Feature2::Edge(i, j) => vec![cloud[i as usize], cloud[j as usize]],
            drystone_planar::Feature2::Curve => panic!("no curve here"),
        };
        assert!(outside(&on, answer.point_a) < 1e-12);
    }
}

/// Two offset rectangles side by side, square and turned together. Known by hand: the
/// facing edges share the stretch from y = 0.5 to y = 1.
#[test]
fn parallel_edges_report_their_whole_range() {
    let a = Shape2::rectangle(DVec2::ONE).expect("a square");
    let b_in_a = Pose2::from_translation(DVec2::new(3.0, 1.5));
    let answer = ask(&a, &a, &b_in_a);
    let range = parallel_range(&a, &a, &b_in_a, &answer).expect("parallel");
    assert_eq!(range[0], (DVec2::new(1.0, 0.5), DVec2::new(2.0, 0.5)));
    assert_eq!(range[1], (DVec2::new(1.0, 1.0), DVec2::new(2.0, 1.0)));

    let turned = Pose2::new(DVec2::new(3.0, 1.5), 0.3);
    let answer = ask(&a, &a, &turned);
    assert!(parallel_range(&a, &a, &turned, &answer).is_none());
}

/// A pair moved together far from the origin and scaled. Known by hand: the distance
/// scales, and a common move costs no more than its own rounding.
#[test]
fn answers_scale_and_move_with_the_question() {
    let mut random = Random::new(9);
    for _ in 0..2_000 {
        let cloud =
            |random: &mut Random| -> Vec<DVec2> { (0..8).map(|_| random.vector(1.0)).collect() };
        let (p, q) = (cloud(&mut random), cloud(&mut random));
        let offset = random.vector(2.0);
        let q: Vec<DVec2> = q.iter().map(|v| *v + offset).collect();
        let value = |scale: f64, shift: DVec2| {
            let place = |list: &[DVec2]| {
                let list: Vec<DVec2> = list.iter().map(|v| *v * scale + shift).collect();
                Shape2::polygon(&list).expect("a polygon")
            };
            ask(&place(&p), &place(&q), &Pose2::IDENTITY).distance()
        };
        let exact = value(1.0, DVec2::ZERO);
        for scale in [1e-60, 1e-3, 1e3, 1e60] {
            assert_near(value(scale, DVec2::ZERO) / scale, exact, 1e-13, "scale");
        }
        for shift in [1.0, 100.0, 1e4] {
            assert_near(
                value(1.0, DVec2::splat(shift)),
                exact,
                1e-15 * shift + 1e-14,
                "shift",
            );
        }
    }
}

/// A polygon meant to hurt: nearly straight arcs, needles, corners a rounding apart,
/// hundreds of points of a grid, points on a line, and sizes far apart.
fn nasty_polygon(random: &mut Random) -> Option<Shape2> {
    let list: Vec<DVec2> = match random.below(7) {
        0 => {
            let bend = [1e-16, 1e-15, 1e-13, 1e-10, 1e-6, 1e-2][random.below(6)];
            (0..30)
                .map(|_| {
                    let x = random.range(-1.0, 1.0);
                    DVec2::new(x, bend * x * x)
                })
                .collect()
        }
        1 => {
            let count = 3 + random.below(60);
            let flat = [1.0, 1e-3, 1e-8, 1e-14][random.below(4)];
            round_polygon(random, count, DVec2::new(1.0, flat))
        }
        2 => (0..200)
            .map(|_| (random.vector(1.0) * 20.0).round() / 20.0)
            .collect(),
        3 => (0..3 + random.below(6))
            .flat_map(|_| {
                let corner = random.vector(1.0);
                let near = [1e-16, 1e-15, 1e-12, 1e-9][random.below(4)];
                [corner, corner + random.vector(near)]
            })
            .collect(),
        4 => {
            let (from, to) = (random.vector(1.0), random.vector(1.0));
            (0..10).map(|_| from.lerp(to, random.unit())).collect()
        }
        5 => {
            let size = [1e-8, 1e-4, 1e4, 1e8][random.below(4)];
            (0..8).map(|_| random.vector(size)).collect()
        }
        _ => (0..3 + random.below(10))
            .map(|_| random.vector(1.0))
            .collect(),
    };
    Shape2::polygon(&list).ok()
}

/// Pairs of nasty polygons, half of them moved to within rounding of touching, cold and
/// tracked. Known by a scan of all edges; found so: with edges taken between placed
/// vertices, corners a rounding apart once made a walk certify half a metre of nothing.
#[test]
fn corners_a_rounding_apart_do_not_fool_the_certificate() {
    let mut random = Random::new(10);
    let options = QueryOptions::default();
    let mut tracker = Tracker2::default();
    let mut counters = Counters2::default();
    for index in 0..15_000 {
        let (Some(a), Some(b)) = (nasty_polygon(&mut random), nasty_polygon(&mut random)) else {
            continue;
        };
        let mut b_in_a = random.pose(1.5);
        match random.below(6) {
            0 | 1 => b_in_a.rotation = DVec2::X,
            2 => b_in_a.translation = DVec2::ZERO,
            _ => {}
        }
        if index % 2 == 0 {
            let answer = ask(&a, &b, &b_in_a);
            let step = [0.0, 1e-17, -1e-17, 1e-15, -1e-15, 1e-13, 1e-10][random.below(7)];
            b_in_a.translation -= answer.normal * (answer.distance() + step);
        }
        let (ring_a, ring_b) = (placed(&a, &Pose2::IDENTITY), placed(&b, &b_in_a));
        let reach = |ring: &[DVec2]| ring.iter().map(|p| p.length()).fold(0.0, f64::max);
        let tolerance = 2e-15 * (reach(&ring_a) + reach(&ring_b));
        let what = format!("pair {index}");
        let answer = ask(&a, &b, &b_in_a);
        check_certificate(&ring_a, &ring_b, (0.0, 0.0), &answer, tolerance, &what);
        let exact = signed_distance(&ring_a, &ring_b);
        let has_inside = ring_a.len() > 2 || ring_b.len() > 2;
        if has_inside || exact > 0.0 {
            assert_near(answer.distance(), exact, tolerance, &what);
        }
        let tracked = track(&a, &b, &b_in_a, &options, &mut tracker, &mut counters)
            .expect("polygons never fail");
        assert_near(tracked.distance(), answer.distance(), tolerance, &what);
    }
}

/// Coordinates from the smallest to the largest that are accepted, mixed in one pair.
/// Known by the promise: no panic, no NaN, bounds in order.
#[test]
fn extreme_coordinates_give_finite_bounds_in_order() {
    let mut random = Random::new(15);
    for index in 0..5_000 {
        let shape = |random: &mut Random| {
            let count = 1 + random.below(8);
            let size = 10.0_f64.powi(random.below(400) as i32 - 300);
            let list: Vec<DVec2> = (0..count).map(|_| random.vector(size.min(1e100))).collect();
            Shape2::points(list.clone())
                .map(|cloud| Shape2::polygon(&list).unwrap_or(cloud))
                .expect("finite")
        };
        let (a, b) = (shape(&mut random), shape(&mut random));
        let reach = 10.0_f64.powi(random.below(100) as i32 - 50);
        let b_in_a = random.pose(reach);
        let answer = ask(&a, &b, &b_in_a);
        let what = format!("pair {index}: {answer:?}");
        assert!(answer.lower <= answer.upper, "{what}");
        assert!(
            answer.lower.is_finite() && answer.upper.is_finite(),
            "{what}"
        );
        assert!(
            answer.point_a.is_finite() && answer.point_b.is_finite(),
            "{what}"
        );
        assert_near(answer.normal.length(), 1.0, 1e-12, &what);
    }
}
