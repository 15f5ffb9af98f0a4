//! Curved shapes from frame to frame: a tracker changes the work, not the answer.

use drystone_geometry::glam::{DQuat, DVec3, Vec3};
use drystone_geometry::{Frame, Shape, rotation};
use drystone_narrow_phase::{Counters, Tracker, distance, distance_tracked};

use crate::curved::{judge, shapes};
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
