//! The scenes of other engines' benchmarks, held against what is written about them.

use drystone::glam::{DVec3, Vec3};
use drystone::{BodyKind, Shape};

use crate::source::{load, parse};

/// 5,050 boxes: row i = 0..99, j = i..99 at x = 0.5 (i + 1) + (j - i) - 50, y = i + 0.5,
/// as the benchmark defines them. Every coordinate is a half, so all are exact.
#[test]
fn the_large_pyramid_is_that_of_the_benchmark() {
    let scene = load("bench/large_pyramid");
    let mut bodies = scene.bodies.iter();
    assert_eq!(
        bodies.next().map(|body| body.def.kind),
        Some(BodyKind::Static)
    );
    for i in 0..100 {
        for j in i..100 {
            let x = 0.5 * f64::from(i + 1) + f64::from(j - i) - 50.0;
            let expected = DVec3::new(x, f64::from(i) + 0.5, 0.0);
            let body = bodies.next().expect("5,050 boxes");
            assert_eq!(body.def.position, expected, "{}", body.name);
            assert_eq!(body.def.shapes[0].material.density, 100.0);
        }
    }
    assert_eq!(bodies.count(), 0);
}

/// 14 by 14 pyramids of 55: row r at z = -76 + r 152/13, column c around cx = -76 + 11 c,
/// x = 0.5 (i + 1) + (j - i) + cx - 0.5. The peer computes in single precision.
#[test]
fn the_many_pyramids_are_those_of_the_benchmark() {
    let scene = load("bench/many_pyramids");
    let mut bodies = scene.bodies.iter().skip(1);
    for r in 0..14 {
        for c in 0..14 {
            let z = -76.0 + f64::from(r) * (152.0 / 13.0);
            let cx = -76.0 + 11.0 * f64::from(c);
            for i in 0..10 {
                for j in i..10 {
                    let x = 0.5 * f64::from(i + 1) + f64::from(j - i) + cx - 0.5;
                    let expected = DVec3::new(x, f64::from(i) + 0.5, z);
                    let body = bodies.next().expect("10,780 boxes");
                    assert!(
                        body.def.position.abs_diff_eq(expected, 1e-9),
                        "{}",
                        body.name
                    );
                    assert!(!body.def.can_sleep);
                }
            }
        }
    }
    assert_eq!(bodies.count(), 0);
    let last = scene.select("row[last]/p[last]");
    assert_eq!(last, [10_780]);
}

/// A net of 10,000 balls: number 100 i + k at (k, -i, 0), the first row static, each held by
/// those above and to the left, midway. 99 of the 19,800 joints would connect static balls.
#[test]
fn the_joint_grid_is_that_of_the_benchmark() {
    let scene = load("bench/joint_grid");
    assert_eq!(scene.bodies.len(), 10_000);
    for (number, body) in scene.bodies.iter().enumerate() {
        let (i, k) = (number / 100, number % 100);
        assert_eq!(
            body.def.position,
            DVec3::new(k as f64, -(i as f64), 0.0),
            "{}",
            body.name
        );
        let kind = if i == 0 {
            BodyKind::Static
        } else {
            BodyKind::Dynamic
        };
        assert_eq!(body.def.kind, kind);
    }
    assert_eq!(scene.joints.len(), 19_800 - 99);
    for joint in &scene.joints {
        let anchors = [joint.frame_a.translation, joint.frame_b.translation];
        let expected = if joint.b - joint.a == 100 {
            [Vec3::new(0.0, -0.5, 0.0), Vec3::new(0.0, 0.5, 0.0)]
        } else {
            assert_eq!(joint.b - joint.a, 1);
            [Vec3::new(0.5, 0.0, 0.0), Vec3::new(-0.5, 0.0, 0.0)]
        };
        assert_eq!(anchors, expected, "{}", joint.name);
    }
}

/// The rock has 10 vertices, 24 edges and 16 faces, the hull of the heap 32, 89 and 59, as
/// published with their volumes and centres of mass. Two triangles of the heap's hull count
/// as one face there, but are not in one plane.
#[test]
fn the_hulls_of_the_benchmark_have_their_topology() {
    for (name, body, counts, volume, center) in [
        (
            "bench/junkyard",
            "rock[0]",
            [10, 24, 16],
            7.16867,
            Vec3::new(0.004822, -0.024283, 0.0),
        ),
        (
            "bench/convex_pile",
            "hull[0]",
            [32, 90, 60],
            23.4043,
            Vec3::new(0.071201, -0.068346, 0.072317),
        ),
    ] {
        let scene = load(name);
        let shape = &scene.bodies[scene.select(body)[0]].def.shapes[0].shape;
        let Shape::Hull(hull) = shape else {
            panic!("{body} is a hull")
        };
        let found = [
            hull.vertices().len(),
            hull.half_edges().len() / 2,
            hull.faces().len(),
        ];
        assert_eq!(found, counts, "{body}");
        let mass = shape.mass_properties(1.0);
        assert!((mass.mass - volume).abs() < 2e-3, "{body}: {}", mass.mass);
        assert!(
            mass.center.abs_diff_eq(center, 1e-4),
            "{body}: {}",
            mass.center
        );
    }
}

/// The drum's walls: segment i reaches from 10 i - 1 to 10 i + 11 degrees, 16 to 18 m from the
/// axis; its paddles from 10 i to 10 i + 10 degrees, 14 to 16 m, for i = 0, 9, 18 and 27.
#[test]
fn the_drum_is_that_of_the_benchmark() {
    let scene = load("bench/washer");
    let shapes = &scene.bodies[1].def.shapes;
    assert_eq!(shapes.len(), 40);
    for (number, part) in shapes.iter().enumerate() {
        let (first, wide, inner) = if number < 36 {
            (10 * number, 1.0, 16.0)
        } else {
            (90 * (number - 36), 0.0, 14.0)
        };
        let Shape::Hull(hull) = &part.shape else {
            panic!("segments are hulls")
        };
        assert_eq!(hull.vertices().len(), 8);
        for degrees in [first as f64 - wide, first as f64 + 10.0 + wide] {
            let (sin, cos) = libm::sincos(degrees.to_radians());
            for radius in [inner, inner + 2.0] {
                for z in [-10.0, 10.0] {
                    let expected = DVec3::new(radius * cos, radius * sin, z).as_vec3();
                    let is_there = hull
                        .vertices()
                        .iter()
                        .any(|v| part.pose.transform_point(*v).distance(expected) < 2e-5);
                    assert!(is_there, "{number}: {expected}");
                }
            }
        }
    }
}

/// The published wide pyramid: layer i has (15 - i)^2 boxes, x = -15 + 2 j + (1 if i is
/// odd), y = 1 + 2.5 i, j from floor(i / 2) below 15 - floor((i + 1) / 2).
#[test]
fn the_square_pyramid_is_that_of_the_benchmark() {
    let scene = parse(
        "patterns: [SquarePyramid(name: \"p\", base: 15, step: (2, 2.5, 2), position: (-1, 0.025, -1),
            body: (shape: Box(half_extents: (0.975, 0.975, 0.975))))]",
    );
    assert_eq!(scene.bodies.len(), 1240);
    let mut bodies = scene.bodies.iter();
    for i in 0..15 {
        let range = i / 2..15 - (i + 1) / 2;
        for k in range.clone() {
            for j in range.clone() {
                let along = |n: i32| f64::from(-15 + 2 * n + i % 2);
                let expected = DVec3::new(along(j), 1.0 + 2.5 * f64::from(i), along(k));
                let body = bodies.next().expect("1,240 boxes");
                assert!(
                    body.def.position.abs_diff_eq(expected, 1e-6),
                    "{}",
                    body.name
                );
            }
        }
    }
}
