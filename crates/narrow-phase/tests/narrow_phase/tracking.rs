//! A tracker changes how much work an answer costs, not the answer.

use drystone_geometry::glam::{DQuat, DVec3, Vec3};
use drystone_geometry::{Frame, Manifold, Shape, rotation};
use drystone_narrow_phase::{CollideSettings, Counters, Rung, Tracker, collide, distance};

use crate::random::Random;
use crate::steady::{PREFERENCE, rests_level};

fn turn(frame: &Frame, axis: DVec3, angle: f64) -> Frame {
    let (sin, cos) = libm::sincos(0.5 * angle);
    let q = DQuat::from_xyzw(axis.x * sin, axis.y * sin, axis.z * sin, cos);
    Frame {
        rotation: rotation::to_dmatrix(q) * frame.rotation,
        ..*frame
    }
}

/// B wanders around A with now and then a leap, for shapes of all kinds. At each step the
/// tracked contact must say what a cold query says: contact in overlap, none well
/// beyond the margin.
#[test]
fn wandering_pairs_are_answered_as_cold_ones() {
    let settings = CollideSettings {
        margin: 0.02,
        recycle: true,
        leans: false,
        ..CollideSettings::default()
    };
    let mut total = Counters::default();
    for seed in 0..60 {
        let mut random = Random::new(seed);
        let (a, b) = (random.shape(1.0, 20), random.shape(1.0, 20));
        let (mut tracker, mut manifold) = (Tracker::default(), Manifold::EMPTY);
        let mut frame = Frame {
            rotation: random.matrix(),
            translation: 1.5 * random.direction(),
        };
        let (pace, mut velocity) = (random.between(0.001, 0.03), random.direction());
        for step in 0..300 {
            if random.below(80) == 0 {
                frame.rotation = random.matrix();
                frame.translation = random.between(0.2, 2.0) * random.direction();
            }
            velocity = (velocity + 0.3 * random.direction()
                - 0.1 * frame.translation.normalize_or_zero())
            .normalize();
            frame.translation += pace * velocity;
            frame = turn(&frame, random.direction(), pace);
            collide(
                &a,
                &b,
                &frame,
                &settings,
                &mut tracker,
                &mut manifold,
                &mut total,
            );
            let cold = distance(&a, &b, &frame).distance();
            let what = format!("seed {seed}, step {step}, at {cold}");
            if cold < -0.01 {
                assert!(!manifold.is_empty(), "{what}: contact lost");
            }
            // Along a box's axis the gap may be smaller than the distance of its corners.
            if cold > 0.02 * 3f64.sqrt() {
                assert!(manifold.is_empty(), "{what}: contact too early");
            }
        }
    }
    assert!(
        total.skipped > 1000 && total.recycled > 10 && total.held > 1000,
        "{total:?}"
    );
    assert_eq!(total.gjk_exhausted, 0, "{total:?}");
}

/// A cube at rest trembles by a tenth of a millimetre: every frame is recycled, and the
/// separations are those of the exact pose.
#[test]
fn a_resting_cube_is_recycled_with_exact_separations() {
    let settings = CollideSettings {
        margin: 0.02,
        recycle: true,
        leans: false,
        ..CollideSettings::default()
    };
    let cube = Shape::Box {
        half_extents: Vec3::splat(0.5),
    };
    for floor in [
        Shape::Box {
            half_extents: Vec3::new(20.0, 0.5, 20.0),
        },
        Shape::HalfSpace { normal: Vec3::Y },
        Shape::Box {
            half_extents: Vec3::splat(0.5),
        },
    ] {
        let height = if matches!(floor, Shape::HalfSpace { .. }) {
            0.5
        } else {
            1.0
        };
        let rest = Frame {
            translation: DVec3::new(0.0, height - 0.004, 0.0),
            ..Frame::IDENTITY
        };
        let mut random = Random::new(5);
        let (mut tracker, mut manifold) = (Tracker::default(), Manifold::EMPTY);
        let mut counters = Counters::default();
        for step in 0..100 {
            let mut frame = turn(&rest, random.direction(), 1e-4);
            frame.translation += 1e-4 * random.vector();
            let outcome = collide(
                &floor,
                &cube,
                &frame,
                &settings,
                &mut tracker,
                &mut manifold,
                &mut counters,
            );
            assert_eq!(outcome.is_fresh(), step == 0, "step {step}: {outcome:?}");
            assert_eq!(manifold.points().len(), 4);
            for point in manifold.points() {
                let corner = frame.transform_point(point.anchor_b.as_dvec3());
                let exact = corner.y - if height == 1.0 { 0.5 } else { 0.0 };
                assert!(
                    (f64::from(point.separation) - exact).abs() < 1e-6,
                    "step {step}"
                );
            }
        }
        assert_eq!(counters.recycled, 99);
    }
}

/// A cube that lands on one edge and falls flat: the two new corners must be noticed
/// although the pair would otherwise be recycled.
#[test]
fn a_falling_edge_makes_the_missing_points() {
    let settings = CollideSettings {
        margin: 0.02,
        recycle: true,
        leans: false,
        ..CollideSettings::default()
    };
    let cube = Shape::Box {
        half_extents: Vec3::splat(0.5),
    };
    let floor = Shape::Box {
        half_extents: Vec3::new(5.0, 0.5, 5.0),
    };
    let (mut tracker, mut manifold) = (Tracker::default(), Manifold::EMPTY);
    let mut counters = Counters::default();
    for step in 0..=80 {
        let angle = 0.04 - 0.0005 * f64::from(step);
        let lift = 0.5 * (libm::cos(angle) + libm::sin(angle));
        let upright = Frame {
            translation: DVec3::new(0.0, 0.5 + lift - 0.002, 0.0),
            ..Frame::IDENTITY
        };
        let frame = turn(&upright, DVec3::Z, angle);
        collide(
            &floor,
            &cube,
            &frame,
            &settings,
            &mut tracker,
            &mut manifold,
            &mut counters,
        );
        let gap = libm::sin(angle) - 0.002;
        let expected = if gap > 0.02 + 1e-6 { 2 } else { 4 };
        assert_eq!(
            manifold.points().len(),
            expected,
            "step {step}, far corners at {gap}"
        );
    }
    assert!(counters.recycled > 60, "{counters:?}");
}

/// A far pair costs nothing while it stays far, and its skipping is proved by the exact
/// distance at every step.
#[test]
fn a_far_pair_is_skipped_until_it_may_be_near() {
    let settings = CollideSettings {
        margin: 0.02,
        recycle: true,
        leans: false,
        ..CollideSettings::default()
    };
    let cube = Shape::Box {
        half_extents: Vec3::splat(0.5),
    };
    let (mut tracker, mut manifold) = (Tracker::default(), Manifold::EMPTY);
    let mut counters = Counters::default();
    let mut frame = Frame {
        translation: DVec3::new(0.0, 3.0, 0.0),
        ..Frame::IDENTITY
    };
    let mut first = None;
    for step in 0..400 {
        frame.translation.y -= 0.005;
        frame = turn(&frame, DVec3::X, 0.01);
        let outcome = collide(
            &cube,
            &cube,
            &frame,
            &settings,
            &mut tracker,
            &mut manifold,
            &mut counters,
        );
        let exact = distance(&cube, &cube, &frame).distance();
        if outcome.rung == Rung::Skip {
            assert!(exact > 0.02, "step {step}: skipped at {exact}");
        }
        if !manifold.is_empty() {
            first.get_or_insert(exact);
        }
    }
    assert!(first.is_some_and(|gap| gap > 0.0), "{first:?}");
    assert!(counters.skipped > 200, "{counters:?}");
}

/// A saved tracker goes on with the same bits.
#[test]
fn a_stored_tracker_continues_bit_for_bit() {
    let settings = CollideSettings {
        margin: 0.02,
        recycle: true,
        leans: false,
        ..CollideSettings::default()
    };
    let mut random = Random::new(9);
    let (a, b) = (random.hull(1.0, 20), random.hull(1.0, 20));
    let (mut tracker, mut manifold) = (Tracker::default(), Manifold::EMPTY);
    let mut counters = Counters::default();
    let mut frame = Frame {
        rotation: random.matrix(),
        translation: DVec3::new(1.0, 0.2, 0.1),
    };
    for _ in 0..100 {
        frame.translation.x -= 0.002;
        frame = turn(&frame, DVec3::Y, 0.004);
        let text = ron::to_string(&tracker).expect("plain data");
        let mut restored: Tracker = ron::from_str(&text).expect("its own text");
        assert_eq!(restored, tracker);
        let mut copy = manifold;
        collide(
            &a,
            &b,
            &frame,
            &settings,
            &mut restored,
            &mut copy,
            &mut counters,
        );
        collide(
            &a,
            &b,
            &frame,
            &settings,
            &mut tracker,
            &mut manifold,
            &mut counters,
        );
        assert_eq!((restored, copy), (tracker, manifold));
    }
}

/// Overlapping hulls that turn and slide without recycling. Most frames are held; in all of
/// them the depth along the contact normal, found by linear scan, is the least depth of a
/// cold query but for 2 % of size and depth, or the contact rests on a face level with that.
#[test]
fn held_normals_are_those_of_the_least_depth() {
    let settings = CollideSettings {
        margin: 0.02,
        recycle: false,
        leans: false,
        ..CollideSettings::default()
    };
    let mut counters = Counters::default();
    for seed in 0..150 {
        let mut random = Random::new(seed);
        let (a, b) = (random.hull(1.0, 24), random.hull(1.0, 24));
        let size = f64::from(a.inner_radius().min(b.inner_radius()));
        let (mut tracker, mut manifold) = (Tracker::default(), Manifold::EMPTY);
        let mut frame = Frame {
            rotation: random.matrix(),
            translation: 0.5 * random.direction(),
        };
        let (slide, axis) = (random.direction(), random.direction());
        for step in 0..100 {
            frame.translation += 0.003 * slide;
            frame = turn(&frame, axis, 0.003);
            collide(
                &a,
                &b,
                &frame,
                &settings,
                &mut tracker,
                &mut manifold,
                &mut counters,
            );
            if manifold.is_empty() {
                continue;
            }
            let normal = manifold.normal.as_dvec3();
            let found = -crate::certificate::gap_along(&a, &b, &frame, normal);
            let separation = distance(&a, &b, &frame);
            let least = -separation.distance();
            assert!(
                found <= least + 0.02 * (size + least.abs())
                    || rests_level(&manifold, &separation, PREFERENCE * size),
                "seed {seed}, step {step}: {found} along the normal, least {least}"
            );
        }
    }
    assert!(counters.held > counters.epa, "{counters:?}");
}

/// Rolls `b` over `a` in shallow contact, so many radians a frame. In all frames the depth along
/// the contact normal, found by linear scan, must be the least depth of a cold query but for
/// 2 % of size and depth, or the contact rests on a face level with that.
fn roll(
    random: &mut Random,
    (a, b): (&Shape, &Shape),
    (angle, steps): (f64, usize),
    counters: &mut Counters,
) {
    let settings = CollideSettings {
        margin: 0.02,
        recycle: false,
        leans: false,
        ..CollideSettings::default()
    };
    let size = f64::from(a.inner_radius().min(b.inner_radius()));
    let (mut tracker, mut manifold) = (Tracker::default(), Manifold::EMPTY);
    let (mut direction, axis) = (random.direction(), random.direction());
    let mut frame = Frame {
        rotation: random.matrix(),
        translation: direction,
    };
    for step in 0..steps {
        frame = turn(&frame, axis, angle);
        direction = (direction + 0.02 * random.direction()).normalize();
        let mut along = 1.5;
        for _ in 0..30 {
            frame.translation = along * direction;
            let found = distance(a, b, &frame);
            let rate = found.normal.dot(direction).max(0.2);
            along += (-0.01 * size - found.distance()) / rate;
        }
        collide(
            a,
            b,
            &frame,
            &settings,
            &mut tracker,
            &mut manifold,
            counters,
        );
        assert!(!manifold.is_empty(), "step {step}: contact lost");
        let normal = manifold.normal.as_dvec3();
        let found = -crate::certificate::gap_along(a, b, &frame, normal);
        let separation = distance(a, b, &frame);
        let least = -separation.distance();
        assert!(
            found <= least + 0.02 * (size + least.abs())
                || rests_level(&manifold, &separation, PREFERENCE * size),
            "step {step}: {found} along the normal, least {least}"
        );
    }
}

/// Hulls of up to 200 corners, two degrees a frame. Nearly all frames are held.
#[test]
fn rolling_contacts_are_held_at_the_least_depth() {
    let mut counters = Counters::default();
    for seed in 0..40 {
        let mut random = Random::new(500 + seed);
        let (a, b) = (random.hull(1.0, 24), random.hull(1.0, 200));
        roll(&mut random, (&a, &b), (0.035, 60), &mut counters);
    }
    assert!(counters.held > 20 * counters.epa, "{counters:?}");
}

/// Balls and prisms of 2,000 corners, eight degrees a frame: the last features are too far away
/// to start from. Where the centres lead instead a slide is short, along rims as well, and of
/// most frames nothing is left to EPA.
#[test]
fn contacts_turned_far_are_found_by_slides() {
    for is_prism in [false, true] {
        let mut random = Random::new(70);
        let points: Vec<Vec3> = (0..2000)
            .map(|i| {
                if !is_prism {
                    return random.direction().as_vec3();
                }
                let (sin, cos) = libm::sincos(std::f64::consts::TAU * f64::from(i / 2) / 1000.0);
                let height = if i % 2 == 0 { -0.6 } else { 0.6 };
                DVec3::new(0.8 * cos, height, 0.8 * sin).as_vec3()
            })
            .collect();
        let hull = Shape::hull(&points).unwrap();
        let mut counters = Counters::default();
        roll(&mut random, (&hull, &hull), (0.14, 24), &mut counters);
        assert!(counters.held > counters.epa, "{counters:?}");
    }
}
