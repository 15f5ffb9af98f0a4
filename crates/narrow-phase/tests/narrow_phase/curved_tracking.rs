//! Curved shapes from frame to frame: a tracker changes the work, not the answer.

use drystone_geometry::glam::{DQuat, DVec3, Vec3};
use drystone_geometry::{Frame, Manifold, Shape, rotation};
use drystone_narrow_phase::{
    CollideSettings, Counters, Tracker, collide, distance, distance_tracked,
};

use crate::curved::{gap, judge, shapes};
use crate::random::Random;

/// B drifts and turns by about two degrees a frame, towards A where it is far.
fn drift(frame: &Frame, velocity: &mut DVec3, size: f64, random: &mut Random) -> Frame {
    let home = 0.1 * frame.translation.normalize_or_zero();
    *velocity = (*velocity + 0.3 * random.direction() - home).normalize();
    let axis = random.direction();
    let (sin, cos) = libm::sincos(0.015);
    let turn = DQuat::from_xyzw(axis.x * sin, axis.y * sin, axis.z * sin, cos);
    Frame {
        rotation: rotation::to_dmatrix(turn) * frame.rotation,
        translation: frame.translation + 0.02 * size * *velocity,
    }
}

/// Every pair of kinds with a curved one, at three scales, through contact and out of it, with a
/// leap now and then: the tracked interval proves itself and shares a value with the cold one.
#[test]
fn tracked_answers_of_curved_pairs_are_cold_ones() {
    for scale in [1e-2_f32, 1.0, 1e2] {
        let shapes = shapes(scale);
        let size = f64::from(scale);
        let mut random = Random::new(5);
        for a in &shapes {
            for b in &shapes {
                if (a.curved().is_none() && b.curved().is_none()) || a.is_infinite() {
                    continue;
                }
                let (mut tracker, mut counters) = (Tracker::default(), Counters::default());
                let mut velocity = random.direction();
                let mut frame = Frame {
                    rotation: random.matrix(),
                    translation: 1.2 * size * random.direction(),
                };
                for step in 0..25 {
                    if random.below(15) == 0 {
                        frame.rotation = random.matrix();
                        frame.translation = random.between(0.1, 2.0) * size * random.direction();
                    }
                    frame = drift(&frame, &mut velocity, size, &mut random);
                    let what = format!("{} {} {scale} #{step}", a.kind_name(), b.kind_name());
                    let warm = distance_tracked(a, b, &frame, &mut tracker, &mut counters);
                    let cold = distance(a, b, &frame);
                    judge(a, b, &frame, &warm, size, &what);
                    let rounding = 1e-10 * size;
                    assert!(
                        warm.lower <= cold.upper + rounding && cold.lower <= warm.upper + rounding,
                        "{what}: {warm:?} and {cold:?}"
                    );
                    let widths = [&warm, &cold].map(|answer| answer.upper - answer.lower);
                    assert!(
                        widths[0] <= widths[1].max(1e-7 * size),
                        "{what}: {widths:?}"
                    );
                }
            }
        }
    }
}

/// Cylinders, cones and boxes in each other whose axes are parallel but for 1e-9 to 0.1 radians, what is
/// most like a face or a line that is level and is none: the cold answer is within the bounds of the
/// tracked one. Those were off by 3.5e-7 of the size.
#[test]
fn bounds_hold_for_axes_that_are_nearly_parallel() {
    let rounded = |core: Shape| Shape::rounded(core, 0.2).expect("can be rounded");
    let shapes = [
        Shape::cylinder(0.25, 0.25),
        Shape::cylinder(1.0, 0.162_87),
        Shape::cylinder(0.5, 1.0),
        rounded(Shape::cylinder(0.1, 0.45)),
        Shape::cone(0.7, 0.5),
        Shape::cube(Vec3::new(0.4, 0.3, 0.9)),
    ];
    let mut random = Random::new(17);
    let turns = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    for (round, exponent) in (0..36).flat_map(|round| (-18..=-2).map(move |e| (round, e))) {
        let (a, b) = (&shapes[round % 6], &shapes[round / 6]);
        if a.curved().is_none() && b.curved().is_none() {
            continue;
        }
        let tilt = libm::exp10(0.5 * f64::from(exponent));
        let axis = random.direction();
        let base = DQuat::from_scaled_axis(
            random.below(4) as f64 * std::f64::consts::FRAC_PI_2 * turns[random.below(4)],
        );
        let place =
            0.5 * random.between(0.0, 1.0) * turns[random.below(4)] + tilt * random.direction();
        let (mut tracker, mut counters) = (Tracker::default(), Counters::default());
        for step in 0..4 {
            let turn = DQuat::from_scaled_axis(f64::from(step) * tilt * axis);
            let frame = Frame {
                rotation: rotation::to_dmatrix((turn * base).normalize()),
                translation: place + 0.3 * tilt * random.direction(),
            };
            let warm = distance_tracked(a, b, &frame, &mut tracker, &mut counters);
            let cold = distance(a, b, &frame);
            assert!(
                warm.lower <= cold.upper + 1e-11 && cold.lower <= warm.upper + 1e-11,
                "{} and {}, tilt {tilt}: {warm:?} and {cold:?}",
                a.kind_name(),
                b.kind_name()
            );
        }
    }
}

/// Cones and plates from a thousandth to ten million times as wide as high, brought to touch, then
/// moved or turned by next to nothing: each lower bound is the gap along its normal, and the cold
/// answer is within the tracked bounds. Normals of flat cones were off by 1e-8 radians.
#[test]
fn bounds_hold_for_shapes_that_are_nearly_flat() {
    let mut random = Random::new(3);
    for round in 0..1500 {
        let mut length = |low: f64, high: f64| libm::exp10(random.between(low, high)) as f32;
        let (wide, high, thin) = (length(-1.0, 2.0), length(-6.0, 0.0), length(-3.0, 0.0));
        let a = if round % 3 == 0 {
            Shape::cylinder(high, wide)
        } else {
            Shape::cone(high, wide)
        };
        let b = match round % 4 {
            0 => Shape::cylinder(thin, length(-1.0, 2.0)),
            1 => Shape::cylinder(6.0, thin),
            2 => Shape::cone(thin, length(-1.0, 1.0)),
            _ => Shape::cube(Vec3::new(0.1, thin, 0.06)),
        };
        let size = f64::from(a.extent_from(Vec3::ZERO) + b.extent_from(Vec3::ZERO));
        let base = [DQuat::IDENTITY, random.rotation()][random.below(2)];
        let tilt = libm::exp10(-random.between(3.0, 12.0));
        let mut frame = Frame {
            rotation: rotation::to_dmatrix(
                DQuat::from_scaled_axis(tilt * random.direction()) * base,
            ),
            translation: random.between(0.0, 0.6) * size * random.direction(),
        };
        let (mut tracker, mut counters) = (Tracker::default(), Counters::default());
        for step in 0..6 {
            let what = || format!("{a:?} {b:?} #{step}");
            let warm = distance_tracked(&a, &b, &frame, &mut tracker, &mut counters);
            let cold = distance(&a, &b, &frame);
            let along = gap(&a, &b, &frame, warm.normal);
            let slack = 1e-13 * (size + frame.translation.length());
            assert!(along >= warm.lower - slack, "{}: {along} {warm:?}", what());
            assert!(
                warm.lower <= cold.upper + slack && cold.lower <= warm.upper + slack,
                "{}: {warm:?} and {cold:?}",
                what()
            );
            let turn = DQuat::from_scaled_axis(1e-3 * tilt * random.direction());
            frame.rotation = rotation::to_dmatrix(turn) * frame.rotation;
            let shift = [warm.distance(), warm.distance() + tilt * size][random.below(2)];
            frame.translation -= shift * warm.normal;
        }
    }
}

/// Round things on faces of a turned prism, whose corners are off their planes by the rounding of
/// `f32`: they are tracked as on flat ones, apart and in each other, the cold answer is within the
/// bounds, and the distance of witnesses is the upper one. All of them were sought afresh.
#[test]
fn witnesses_lie_on_faces_that_rounding_bends() {
    let mut random = Random::new(6);
    let mut tracked = 0;
    for round in 0..300 {
        let turn = random.rotation();
        let corner = |k: u32| {
            let angle = f64::from(k / 2) * std::f64::consts::PI / 6.0;
            let (sin, cos) = libm::sincos(angle);
            let height = if k.is_multiple_of(2) { 20.0 } else { -20.0 };
            (turn * DVec3::new(50.0 * cos, height, 50.0 * sin)).as_vec3()
        };
        let corners: Vec<Vec3> = (0..24).map(corner).collect();
        let prism = Shape::hull(&corners).expect("a prism");
        let round_ones = [
            Shape::ellipsoid(Vec3::new(3.0, 1.0, 2.0)),
            Shape::cone(1.0, 2.0),
            Shape::cylinder(1.0, 2.0),
        ];
        let other = &round_ones[round % 3];
        let up = turn * DVec3::Y;
        let mut frame = Frame {
            rotation: random.matrix(),
            translation: turn * DVec3::new(random.between(-30.0, 30.0), 25.0, 0.0),
        };
        let size = 60.0;
        let (mut tracker, mut counters) = (Tracker::default(), Counters::default());
        for _ in 0..8 {
            let answer = distance_tracked(&prism, other, &frame, &mut tracker, &mut counters);
            let cold = distance(&prism, other, &frame);
            let slack = 1e-13 * size;
            assert!(
                answer.lower <= cold.upper + slack && cold.lower <= answer.upper + slack,
                "#{round}: {answer:?} and {cold:?}"
            );
            judge(&prism, other, &frame, &answer, size, &format!("#{round}"));
            if answer.lower > 0.0 {
                let apart = answer.point_a.distance(answer.point_b);
                let between = (apart - answer.upper).abs();
                assert!(between <= slack, "{between:e} #{round}: {answer:?}");
            }
            frame.translation -= (answer.distance() - random.between(-0.1, 0.1)) * up;
        }
        tracked += counters.walked;
    }
    assert!(tracked > 2000, "{tracked}");
}

/// Ellipsoids, alone and rounded, against each other and what has corners: after the first frame
/// hardly one needs a search, apart or in shallow contact.
#[test]
fn ellipsoids_are_refined_from_the_last_normal() {
    let one = Shape::ellipsoid(Vec3::new(0.9, 0.5, 0.6));
    let other = Shape::ellipsoid(Vec3::new(0.4, 0.7, 0.5));
    let soft = Shape::rounded(other.clone(), 0.1).expect("can be rounded");
    let mut random = Random::new(8);
    for (a, b) in [(&one, &other), (&one, &soft), (&one, &one)] {
        let (mut tracker, mut counters) = (Tracker::default(), Counters::default());
        let mut frame = Frame {
            rotation: random.matrix(),
            translation: 1.3 * random.direction(),
        };
        for _ in 0..500 {
            // Round each other, from 0.05 of overlap to as much of a gap.
            frame = drift(&frame, &mut DVec3::Y.clone(), 1.0, &mut random);
            let gap = distance(a, b, &frame).distance();
            let away = frame.translation.normalize();
            frame.translation += (random.between(-0.05, 0.05) - gap) * away;
            distance_tracked(a, b, &frame, &mut tracker, &mut counters);
        }
        assert!(counters.walked > 450, "{counters:?}");
        assert!(counters.walk_steps < 5 * counters.walked, "{counters:?}");
    }
}

/// Cylinders and cones, against each other and what has faces, drifting round each other at two
/// degrees a frame from 0.03 of overlap to 0.1 of a gap: hardly one frame in ten needs a search.
#[test]
fn cylinders_and_cones_are_tracked_through_contact() {
    let cuboid = Shape::cube(Vec3::new(0.5, 0.35, 0.6));
    let (cylinder, disc) = (Shape::cylinder(0.5, 0.4), Shape::cylinder(0.15, 0.6));
    let cone = Shape::cone(0.5, 0.5);
    let soft = Shape::rounded(Shape::cone(0.4, 0.4), 0.1).expect("can be rounded");
    let capsule = Shape::capsule(0.4, 0.25);
    let mut random = Random::new(8);
    for (a, b) in [
        (&cylinder, &cylinder),
        (&cylinder, &disc),
        (&cylinder, &cone),
        (&cuboid, &cylinder),
        (&soft, &cuboid),
        (&disc, &capsule),
        (&cone, &soft),
    ] {
        let (mut tracker, mut counters) = (Tracker::default(), Counters::default());
        let mut frame = Frame {
            rotation: random.matrix(),
            translation: 1.3 * random.direction(),
        };
        for _ in 0..400 {
            frame = drift(&frame, &mut DVec3::Y.clone(), 1.0, &mut random);
            let gap = distance(a, b, &frame).distance();
            let away = frame.translation.normalize();
            frame.translation += (random.between(-0.03, 0.1) - gap) * away;
            distance_tracked(a, b, &frame, &mut tracker, &mut counters);
        }
        let names = (a.kind_name(), b.kind_name());
        assert!(counters.walked > 340, "{names:?}: {counters:?}");
    }
}

/// Poses without a single nearest pair or with a kink at it: parallel axes, coaxial, cap on cap,
/// rim on rim, apex on a face, a side along an edge; in shallow overlap and apart, shaken by a
/// billionth, a millionth and a thousandth of the size. The tracked interval proves itself and meets
/// the cold one.
#[test]
fn degenerate_poses_are_tracked_to_the_same_answer() {
    let half_turn = DQuat::from_xyzw(0.0, 0.0, 1.0, 0.0);
    let quarter = DQuat::from_xyzw(0.0, 0.0, 0.5_f64.sqrt(), 0.5_f64.sqrt());
    for scale in [1e-2_f32, 1e2] {
        let size = f64::from(scale);
        let cylinder = Shape::cylinder(0.5 * scale, 0.4 * scale);
        let cone = Shape::cone(0.5 * scale, 0.5 * scale);
        let cuboid = Shape::cube(Vec3::new(0.6, 0.4, 0.7) * scale);
        let poses = [
            // Parallel axes, side by side, shifted; coaxial; rim on rim at an angle.
            (&cylinder, &cylinder, DQuat::IDENTITY, DVec3::X, 0.8),
            (&cylinder, &cylinder, DQuat::IDENTITY, DVec3::Y, 1.0),
            (
                &cylinder,
                &cylinder,
                quarter,
                DVec3::new(1.0, 1.0, 0.0),
                0.9,
            ),
            (&cylinder, &cone, DQuat::IDENTITY, DVec3::Y, 1.0),
            // Apex on a cap, apex on apex, base on base.
            (&cylinder, &cone, half_turn, DVec3::Y, 1.0),
            (&cone, &cone, half_turn, DVec3::Y, 1.0),
            (&cone, &cone, half_turn, DVec3::NEG_Y, 1.0),
            (&cone, &cone, DQuat::IDENTITY, DVec3::X, 1.0),
            // On a face of a box: by a cap, a side, an apex; along an edge.
            (&cuboid, &cylinder, DQuat::IDENTITY, DVec3::Y, 0.9),
            (&cuboid, &cylinder, DQuat::IDENTITY, DVec3::X, 1.0),
            (&cuboid, &cone, half_turn, DVec3::Y, 0.9),
            (
                &cuboid,
                &cylinder,
                DQuat::IDENTITY,
                DVec3::new(0.6, 0.0, 0.7),
                1.3,
            ),
        ];
        let mut random = Random::new(3);
        for (index, &(a, b, turn, way, reach)) in poses.iter().enumerate() {
            for gap in [-0.02, -1e-3, 1e-4, 1e-2, 0.1] {
                let (mut tracker, mut counters) = (Tracker::default(), Counters::default());
                for noise in [0.0, 1e-9, 1e-6, 1e-3] {
                    let axis = noise * random.direction();
                    let shake = DQuat::from_xyzw(axis.x, axis.y, axis.z, 1.0).normalize();
                    let shift =
                        size * ((reach + gap) * way.normalize() + noise * random.direction());
                    let frame = Frame {
                        rotation: rotation::to_dmatrix(shake) * rotation::to_dmatrix(turn),
                        translation: shift,
                    };
                    let what = format!("{index} at {scale}, gap {gap}, noise {noise}");
                    let warm = distance_tracked(a, b, &frame, &mut tracker, &mut counters);
                    let cold = distance(a, b, &frame);
                    judge(a, b, &frame, &warm, size, &what);
                    // What a depth is asked to within, and a rounding of it.
                    let slack = 1e-7 * size;
                    assert!(
                        warm.lower <= cold.upper + slack && cold.lower <= warm.upper + slack,
                        "{what}: {warm:?} and {cold:?}"
                    );
                }
            }
        }
    }
}

/// A cylinder on a box on its cap and on its side, and a cone on its side beside a cylinder, shaken
/// by a billionth: the points keep their number, their ids and their places.
#[test]
fn manifolds_of_curved_pairs_stand_still_under_noise() {
    let cuboid = Shape::cube(Vec3::new(1.0, 0.5, 1.0));
    let cylinder = Shape::cylinder(0.5, 0.4);
    let cone = Shape::cone(0.5, 0.5);
    let quarter = DQuat::from_xyzw(0.0, 0.0, 0.5_f64.sqrt(), 0.5_f64.sqrt());
    // The cone's side is upright when its axis leans by the half angle of its tip.
    let (sin, cos) = libm::sincos(0.5 * libm::atan(0.5));
    let lean = DQuat::from_xyzw(0.0, 0.0, sin, cos);
    let beside = 0.4 + 0.5 * libm::sin(libm::atan(0.5));
    for (a, b, turn, at, count) in [
        (
            &cuboid,
            &cylinder,
            DQuat::IDENTITY,
            DVec3::new(0.1, 0.999, 0.2),
            4,
        ),
        (&cuboid, &cylinder, quarter, DVec3::new(0.1, 0.899, 0.2), 2),
        (
            &cylinder,
            &cylinder,
            DQuat::IDENTITY,
            DVec3::new(0.799, 0.3, 0.0),
            2,
        ),
        (
            &cylinder,
            &cone,
            lean,
            DVec3::new(beside - 0.001, 0.2, 0.0),
            2,
        ),
    ] {
        let mut random = Random::new(4);
        let settings = CollideSettings {
            recycle: false,
            ..CollideSettings::default()
        };
        let (mut tracker, mut counters) = (Tracker::default(), Counters::default());
        let mut manifold = Manifold::EMPTY;
        let mut first = None;
        for _ in 0..20 {
            let axis = 1e-9 * random.direction();
            let shake = DQuat::from_xyzw(axis.x, axis.y, axis.z, 1.0).normalize();
            let frame = Frame {
                rotation: rotation::to_dmatrix(shake) * rotation::to_dmatrix(turn),
                translation: at + 1e-9 * random.direction(),
            };
            collide(
                a,
                b,
                &frame,
                &settings,
                &mut tracker,
                &mut manifold,
                &mut counters,
            );
            let first = *first.get_or_insert(manifold);
            let what = format!("{} {}: {manifold:?}", a.kind_name(), b.kind_name());
            assert_eq!(manifold.points().len(), count, "{what}");
            for (point, known) in manifold.points().iter().zip(first.points()) {
                assert_eq!(point.feature, known.feature, "{what}");
                let moved = (point.anchor_a - known.anchor_a).length();
                assert!(moved < 1e-4, "{what}: moved by {moved}");
            }
        }
    }
}

/// A box in the base of a cone, so that the last normal is along the axis, then a box anywhere: by
/// rounding, what of that normal is across the axis may point anywhere. The next one made from
/// it was up to 1.3 long, and the distance too great.
#[test]
fn a_normal_along_an_axis_has_nothing_across_it() {
    let cone = Shape::cone(0.5, 0.4);
    let cube = Shape::cube(Vec3::new(0.5, 0.3, 0.7));
    let mut random = Random::new(3);
    for step in 0..40_000 {
        let (mut tracker, mut counters) = (Tracker::default(), Counters::default());
        let mut ask = |offset: DVec3, random: &mut Random| {
            let frame = Frame {
                rotation: random.matrix(),
                translation: offset,
            };
            let answer = distance_tracked(&cone, &cube, &frame, &mut tracker, &mut counters);
            (frame, answer)
        };
        ask(DVec3::new(0.0, -0.9, 0.0), &mut random);
        let away = random.between(1.5, 5.0) * random.direction();
        let (frame, warm) = ask(away, &mut random);
        judge(&cone, &cube, &frame, &warm, 1.0, &format!("#{step}"));
    }
}
