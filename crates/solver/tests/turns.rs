//! Angles at half a turn and beyond: stops that end there, and targets many turns away.

mod scene;

use std::f32::consts::{FRAC_PI_2, PI};

use drystone_geometry::Pose;
use drystone_geometry::glam::Vec3;
use drystone_geometry::rotation;
use drystone_solver::joint::{
    JointAxis, JointLimit, JointSpring, JointState, SixDofSettings, WheelSettings,
};
use drystone_solver::{Joint, JointKind};
use scene::{GROUND, Scene, assert_near, box_body};

fn state(scene: &Scene) -> JointState {
    let joint = &scene.joints[0];
    let [a, b] = [joint.body_a, joint.body_b].map(|body| scene.table().pose(&scene.bodies, body));
    joint.state([&a, &b], [Vec3::ZERO; 2], [Vec3::ZERO; 2])
}

/// A block that turns about `axis` on the ground, as a joint holds it, from `angle` on, without
/// gravity.
fn block(kind: JointKind, axis: Vec3, angle: f32) -> (Scene, u32) {
    let mut scene = Scene::new();
    scene.settings.gravity = Vec3::ZERO;
    let mut body = box_body(Vec3::ZERO, Vec3::splat(0.5), 3.0);
    body.rotation = rotation::from_scaled_axis(axis * angle);
    let body = scene.add(body);
    scene.join(Joint::new(
        kind,
        GROUND,
        body,
        Pose::IDENTITY,
        Pose::IDENTITY,
    ));
    (scene, body)
}

/// A joint of each kind that has an angle which may be half a turn, with the axis it is about and
/// how it is read.
type Turning = (JointKind, Vec3, fn(&JointState) -> f32);

fn turning(axis: JointAxis) -> [Turning; 5] {
    let JointAxis {
        limit,
        motor,
        spring,
    } = axis;
    let six = |angular| {
        JointKind::SixDof(Box::new(SixDofSettings {
            linear: [JointAxis::LOCKED; 3],
            angular,
        }))
    };
    let (free, locked) = (JointAxis::FREE, JointAxis::LOCKED);
    let about_z: fn(&JointState) -> f32 = |state| state.angles.z;
    [
        (
            JointKind::Hinge {
                limit,
                motor,
                spring,
            },
            Vec3::Z,
            about_z,
        ),
        (
            JointKind::Ball {
                friction_torque: 0.0,
                spring: None,
                cone: Some(0.0),
                twist: limit,
            },
            Vec3::Z,
            about_z,
        ),
        (six([locked, locked, axis]), Vec3::Z, about_z),
        (six([axis, locked, free]), Vec3::X, |state| state.angles.x),
        (
            JointKind::Wheel(Box::new(WheelSettings {
                suspension: JointAxis::FREE,
                steering: Some(axis),
                motor: None,
            })),
            Vec3::Y,
            |state| state.angles.y,
        ),
    ]
}

/// How far `angle` is from `other`, in radians, whatever turns lie between.
fn apart(angle: f32, other: f32) -> f64 {
    let apart = f64::from(angle) - f64::from(other);
    libm::remainder(apart, std::f64::consts::TAU).abs()
}

fn limited(lower: f32, upper: f32) -> JointAxis {
    JointAxis {
        limit: Some(JointLimit { lower, upper }),
        ..JointAxis::FREE
    }
}

/// Blocks that are driven against a stop at half a turn by torques from one that hardly moves them
/// to one that turns them a quarter in 0.1 s stay there, whatever joint they turn on.
#[test]
fn a_stop_at_half_a_turn_holds() {
    for (lower, upper, side) in [
        (0.0, PI, 1.0_f32),
        (-FRAC_PI_2, PI, 1.0),
        (3.0, PI, 1.0),
        (-PI, 0.0, -1.0),
        (-PI, 2.0, -1.0),
    ] {
        let stop = if side > 0.0 { upper } else { lower };
        let start = stop - side * 0.3_f32.min(upper - lower);
        for (kind, about, read) in turning(limited(lower, upper)) {
            for torque in [0.1, 1.0, 10.0, 100.0] {
                let (mut scene, body) = block(kind.clone(), about, start);
                let mut farthest = 0.0_f64;
                for _ in 0..300 {
                    scene.body_mut(body).torque = side * torque * about;
                    scene.step();
                    let angle = read(&state(&scene));
                    let inside = angle >= lower && angle <= upper;
                    let past = if inside { 0.0 } else { apart(angle, stop) };
                    farthest = farthest.max(past);
                }
                assert!(farthest < 0.01, "{kind:?} {torque}: {farthest} past");
                if torque > 0.5 {
                    assert_near(apart(read(&state(&scene)), stop), 0.0, 0.01);
                }
            }
        }
    }
}

/// Blocks that are held at half a turn stay there under a torque, from either side.
#[test]
fn a_lock_at_half_a_turn_holds() {
    for angle in [PI, -PI, 3.1, -3.1] {
        for (kind, about, read) in turning(limited(angle, angle)) {
            for torque in [-10.0, 10.0] {
                for off in [-0.1, 0.1] {
                    let (mut scene, body) = block(kind.clone(), about, angle + off);
                    for _ in 0..120 {
                        scene.body_mut(body).torque = torque * about;
                        scene.step();
                    }
                    let off = apart(read(&state(&scene)), angle);
                    assert!(off < 0.01, "{kind:?}: off by {off}");
                }
            }
        }
    }
}

/// A range all round bounds nothing: what spins past half a turn keeps its speed.
#[test]
fn a_range_of_a_whole_turn_is_none() {
    for (kind, about, _) in turning(limited(-PI, PI)) {
        let (mut scene, body) = block(kind.clone(), about, 0.0);
        scene.body_mut(body).angular_velocity = 3.0 * about;
        scene.run(240);
        let speed = scene.body(body).angular_velocity.dot(about);
        assert_near(f64::from(speed), 3.0, 1e-3);
    }
}

/// A servo whose target lies turns away goes to that angle, the shorter way, and stays.
#[test]
fn a_servo_takes_its_target_less_whole_turns() {
    for target in [100.0_f32, -100.0, 7.0, 4.0 * PI + 1.0, -1e6, 3e38] {
        let servo = JointAxis {
            spring: Some(JointSpring {
                target,
                ..JointSpring::new(2.0, 1.0)
            }),
            ..JointAxis::FREE
        };
        for (kind, about, read) in turning(servo) {
            if matches!(kind, JointKind::Ball { .. }) {
                continue;
            }
            let (mut scene, body) = block(kind.clone(), about, 0.0);
            scene.run(300);
            let expected = libm::remainder(f64::from(target), std::f64::consts::TAU) as f32;
            assert_near(apart(read(&state(&scene)), expected), 0.0, 1e-3);
            let speed = scene.body(body).angular_velocity.length();
            assert_near(f64::from(speed), 0.0, 1e-3);
        }
    }
}
