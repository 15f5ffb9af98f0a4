//! The clock: whole steps from frames of any length, and poses in between.

use drystone::clock::{FixedStep, interpolate};
use drystone::geometry::rotation;
use drystone::glam::{DVec3, Vec3};
use drystone::{BodyDef, Settings, Shape, World, WorldPose};

/// Frames at 144 Hz, one of them a hitch: the time adds up, less what was dropped.
#[test]
fn frames_of_any_length_add_up() {
    let mut world = World::new(Settings::default()).unwrap();
    let mut clock = FixedStep::new(4);
    let (mut steps, mut seconds) = (0, 0.0);
    for frame in 0..1000 {
        let frame_seconds = if frame % 250 == 99 { 0.5 } else { 1.0 / 144.0 };
        seconds += frame_seconds;
        let taken = clock.run(&mut world, frame_seconds, |_| {});
        assert!(taken <= 4);
        steps += u64::from(taken);
        assert!((0.0..1.0).contains(&clock.alpha()));
    }
    assert_eq!(world.step_count(), steps);
    let dt = f64::from(world.settings().dt);
    let left = seconds - clock.dropped() - world.time();
    assert!((left - clock.alpha() * dt).abs() < 1e-6, "{left}");
    assert!(clock.dropped() > 1.0);
    assert_eq!(clock.due(dt, f64::NAN), 0);
    assert_eq!(clock.due(dt, -1.0), 0);
}

/// A body at constant speed is drawn at constant speed, whatever the frame rate; one that was
/// moved by command is drawn where it is.
#[test]
fn motion_is_smooth_between_steps() {
    let settings = Settings {
        gravity: Vec3::ZERO,
        ..Settings::default()
    };
    let mut world = World::new(settings).unwrap();
    let def = BodyDef {
        linear_velocity: Vec3::X,
        angular_velocity: Vec3::new(0.0, 2.0, 0.0),
        ..BodyDef::dynamic().with_shape(Shape::cube(Vec3::splat(0.5)))
    };
    let body = world.add_body(def).unwrap();
    let mut clock = FixedStep::new(4);
    let mut last: Option<f64> = None;
    for frame in 0..200 {
        clock.run(&mut world, 1.0 / 144.0, |_| {});
        if frame < 10 {
            continue;
        }
        let x = clock.pose(&world, body).unwrap().position.x;
        if let Some(last) = last {
            assert!((x - last - 1.0 / 144.0).abs() < 1e-6, "frame {frame}");
        }
        last = Some(x);
    }
    world
        .teleport(body, WorldPose::from_position(DVec3::new(99.0, 0.0, 0.0)))
        .unwrap();
    clock.snap(&world, body).unwrap();
    assert_eq!(clock.pose(&world, body).unwrap().position.x, 99.0);
    world.remove_body(body).unwrap();
    assert!(clock.pose(&world, body).is_err());
}

/// Half of a turn of 2 radians is 1 radian about the same axis.
#[test]
fn turns_are_interpolated_evenly() {
    let pose = |angle: f32| WorldPose {
        rotation: rotation::from_axis_angle(Vec3::Z, angle),
        position: DVec3::ZERO,
    };
    for share in [0.0, 0.25, 0.5, 1.0] {
        let between = interpolate(&pose(0.5), &pose(2.5), share).rotation;
        let expected = pose(0.5 + 2.0 * share as f32).rotation;
        let (a, b) = (between.to_array(), expected.to_array());
        let off = a.iter().zip(b).map(|(a, b)| (a - b).abs());
        assert!(off.fold(0.0, f32::max) < 1e-6, "{share}");
    }
}
