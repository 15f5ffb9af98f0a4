//! Random pairs against the brute-force oracle.

use drystone_geometry::glam::{DMat3, DVec3, Vec3};
use drystone_geometry::{Frame, Shape};
use drystone_narrow_phase::{distance, intersects};

use crate::oracle::{Solid, gap, signed_distance};
use crate::random::Random;

/// Boxes, capsules, spheres and hulls at random, from deep overlap to far apart and from
/// millimetres to kilometres. The answer is known by brute force over all features; the
/// certificate is recomputed by linear scans; the exchanged query must agree.
#[test]
fn random_pairs_agree_with_brute_force_at_every_scale() {
    let (mut overlapping, mut apart) = (0, 0);
    for seed in 0..6000 {
        let mut random = Random::new(seed);
        let scale = [1e-3, 0.1, 1.0, 30.0, 1e3][random.below(5)];
        let ratio = [1.0, 1.0, 0.1, 0.01][random.below(4)];
        let (a, b) = (random.shape(scale, 14), random.shape(ratio * scale, 14));
        let reach = scale * random.between(0.0, 2.2);
        let b_in_a = Frame {
            rotation: random.matrix(),
            translation: reach * random.direction(),
        };
        let what = format!("seed {seed}");
        let answer = distance(&a, &b, &b_in_a);
        let (on_a, on_b) = (Solid::new(&a, &Frame::IDENTITY), Solid::new(&b, &b_in_a));
        let expected = signed_distance(&on_a, &on_b);
        let size = on_a.extent() + on_b.extent();
        assert!(
            (answer.distance() - expected).abs() <= 1e-12 * size,
            "{what}: {} instead of {expected} at size {size}",
            answer.distance()
        );
        crate::certificate::check(&a, &b, &b_in_a, &answer, 1e-13, &what);
        let swapped = distance(&b, &a, &b_in_a.inverse());
        assert!(
            (swapped.distance() - answer.distance()).abs() <= 1e-12 * size,
            "{what}"
        );
        assert_eq!(intersects(&a, &b, &b_in_a), expected <= 0.0, "{what}");
        if expected < 0.0 {
            overlapping += 1
        } else {
            apart += 1
        }
    }
    assert!(
        overlapping > 500 && apart > 500,
        "{overlapping} overlapping, {apart} apart"
    );
}

/// Needles and plates, thin to one part in a thousand, where simplices are slivers.
#[test]
fn thin_hulls_agree_with_brute_force() {
    for seed in 0..1500 {
        let mut random = Random::new(10_000 + seed);
        let thin = |random: &mut Random| {
            let stretch = match random.below(3) {
                0 => DVec3::new(1.0, 1e-3, 1.0),
                1 => DVec3::new(1.0, 1e-3, 1e-3),
                _ => DVec3::new(1.0, 0.05, 1.0),
            };
            loop {
                let points: Vec<_> = (0..10)
                    .map(|_| (stretch * random.direction()).as_vec3())
                    .collect();
                if let Ok(shape) = Shape::hull(&points) {
                    return shape;
                }
            }
        };
        let (a, b) = (thin(&mut random), thin(&mut random));
        let translation = random.between(0.0, 1.0) * random.direction();
        let b_in_a = Frame {
            rotation: random.matrix(),
            translation,
        };
        let answer = distance(&a, &b, &b_in_a);
        let (on_a, on_b) = (Solid::new(&a, &Frame::IDENTITY), Solid::new(&b, &b_in_a));
        let expected = signed_distance(&on_a, &on_b);
        let what = format!("seed {seed}");
        let found = answer.distance();
        assert!(
            (found - expected).abs() <= 1e-11,
            "{what}: {found} instead of {expected}"
        );
        crate::certificate::check(&a, &b, &b_in_a, &answer, 1e-12, &what);
    }
}

/// Hulls whose corners lie from a thousandth of a millimetre to 10,000 km away, against specks
/// and each other: simplices of such corners are slivers whose sides rounding may swap. Where the
/// certificate tells them apart or together, the short question must say the same.
#[test]
fn the_sign_alone_is_that_of_the_certificate_at_extreme_ratios() {
    let mut decided = [0, 0];
    for seed in 0..6000 {
        let mut random = Random::new(30_000 + seed);
        let a = stretched_hull(&mut random);
        let b = match random.below(3) {
            0 => stretched_hull(&mut random),
            _ => Shape::sphere(1e-6),
        };
        let b_in_a = Frame {
            rotation: [DMat3::IDENTITY, random.matrix()][random.below(2)],
            translation: [DVec3::ZERO, stretched_point(&mut random).as_dvec3()][random.below(2)],
        };
        let what = format!("seed {seed}");
        let answer = distance(&a, &b, &b_in_a);
        let (on_a, on_b) = (Solid::new(&a, &Frame::IDENTITY), Solid::new(&b, &b_in_a));
        let size = on_a.extent() + on_b.extent();
        let off = gap(&on_a, &on_b, answer.normal) - answer.lower;
        let width = answer.upper - answer.lower;
        assert!(
            off.abs().max(width) <= 1e-11 * size,
            "{what}: {off} off {answer:?}"
        );
        if answer.lower.abs() > 1e-11 * size {
            let overlap = answer.lower < 0.0;
            decided[usize::from(overlap)] += 1;
            assert_eq!(intersects(&a, &b, &b_in_a), overlap, "{what}: {answer:?}");
            let back = intersects(&b, &a, &b_in_a.inverse());
            assert_eq!(back, overlap, "{what} exchanged: {answer:?}");
        }
    }
    assert!(decided.iter().all(|&count| count > 200), "{decided:?}");
}

/// A point with coordinates of any order of magnitude.
fn stretched_point(random: &mut Random) -> Vec3 {
    let mut coordinate = || {
        let size = libm::exp10(random.between(-6.0, 7.0));
        let sign = if random.below(2) == 0 { 1.0 } else { -1.0 };
        (sign * size) as f32
    };
    Vec3::new(coordinate(), coordinate(), coordinate())
}

fn stretched_hull(random: &mut Random) -> Shape {
    loop {
        let count = 4 + random.below(8);
        let points: Vec<Vec3> = (0..count).map(|_| stretched_point(random)).collect();
        if let Ok(hull) = Shape::hull(&points) {
            return hull;
        }
    }
}

/// Hulls of many corners, where the oracle is too slow: the certificate is proof enough.
#[test]
fn hulls_of_many_corners_are_certified() {
    let mut random = Random::new(77);
    for count in [100usize, 1000] {
        let sphere = |random: &mut Random| {
            let points: Vec<_> = (0..count).map(|_| random.direction().as_vec3()).collect();
            Shape::hull(&points).expect("a ball of points is solid")
        };
        let (a, b) = (sphere(&mut random), sphere(&mut random));
        for step in 0..30 {
            let translation = (0.4 + 0.07 * f64::from(step)) * random.direction();
            let b_in_a = Frame {
                rotation: random.matrix(),
                translation,
            };
            let answer = distance(&a, &b, &b_in_a);
            let what = format!("{count} corners, step {step}");
            crate::certificate::check(&a, &b, &b_in_a, &answer, 1e-13, &what);
        }
    }
}

/// Half-spaces: the lowest point decides, found by a linear scan.
#[test]
fn half_spaces_are_answered_by_the_lowest_point() {
    for seed in 0..300 {
        let mut random = Random::new(20_000 + seed);
        let shape = random.shape(1.0, 20);
        let normal = random.direction().as_vec3().normalize();
        let plane = Shape::HalfSpace { normal };
        let b_in_a = Frame {
            rotation: random.matrix(),
            translation: random.vector(),
        };
        let up = b_in_a.rotate(normal.as_dvec3().normalize());
        let solid = Solid::new(&shape, &Frame::IDENTITY);
        let expected = solid
            .vertices
            .iter()
            .map(|v| up.dot(*v - b_in_a.translation) - solid.radius)
            .fold(f64::INFINITY, f64::min);
        let answer = distance(&shape, &plane, &b_in_a);
        assert!((answer.distance() - expected).abs() <= 1e-14, "seed {seed}");
        assert!((answer.normal + up).length() <= 1e-14, "seed {seed}");
        let swapped = distance(&plane, &shape, &b_in_a.inverse());
        assert!(
            (swapped.distance() - expected).abs() <= 1e-14,
            "seed {seed}"
        );
    }
}
