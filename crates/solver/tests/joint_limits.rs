//! Limits, friction and springs of joints, against what mechanics says.

mod scene;

use drystone_geometry::Pose;
use drystone_geometry::glam::{Quat, Vec3};
use drystone_geometry::rotation;
use drystone_solver::joint::{JointLimit, JointMotor, JointSpring};
use drystone_solver::{Joint, JointKind};
use scene::{GROUND, Scene, assert_near, ball_body, box_body};

fn ball(cone: Option<f32>, twist: Option<JointLimit>) -> JointKind {
    JointKind::Ball {
        friction_torque: 0.0,
        spring: None,
        cone,
        twist,
    }
}

/// B's frame in A's, of the first joint.
fn relative(scene: &Scene) -> Quat {
    let joint = &scene.joints[0];
    let frame = |body: u32, frame: &Pose| {
        let pose = scene.table().pose(&scene.bodies, body);
        rotation::multiply(pose.rotation, frame.rotation)
    };
    let a = frame(joint.body_a, &joint.frame_a);
    let b = frame(joint.body_b, &joint.frame_b);
    rotation::multiply(rotation::conjugate(a), b)
}

/// Angle between the Z axes, in radians.
fn swing(scene: &Scene) -> f64 {
    let z = rotation::rotate(relative(scene), Vec3::Z).as_dvec3();
    libm::atan2(z.truncate().length(), z.z)
}

/// Angle about Z, in radians.
fn twist(scene: &Scene) -> f64 {
    let q = relative(scene);
    let angle = 2.0 * libm::atan2(f64::from(q.z), f64::from(q.w));
    let turn = std::f64::consts::TAU;
    angle - turn * (angle / turn).round()
}

/// A bob on a rod that gravity would swing right up comes to rest against its cone, at the
/// cone's angle, whatever way it leans and however heavy it is.
#[test]
fn a_pendulum_rests_against_its_cone() {
    for cone in [0.05_f32, 0.5, 1.2, 2.0, 3.0] {
        for (lean, mass) in [(0.0_f32, 1.0), (2.0, 1e-3), (4.0, 1e3)] {
            let mut scene = Scene::new();
            scene.settings.gravity = 9.81 * Vec3::Z;
            let mut bob = ball_body(-Vec3::Z, 0.2, mass);
            bob.angular_damping = 4.0;
            bob.linear_damping = 4.0;
            // A push out of the unstable rest: at the pivot the bob hangs along -Z.
            bob.linear_velocity = 0.2 * Vec3::new(libm::cosf(lean), libm::sinf(lean), 0.0);
            let bob = scene.add(bob);
            let down = rotation::from_axis_angle(Vec3::X, std::f32::consts::PI);
            let frame = |translation| Pose {
                rotation: down,
                translation,
            };
            scene.join(Joint::new(
                ball(Some(cone), None),
                GROUND,
                bob,
                frame(Vec3::ZERO),
                frame(Vec3::Z),
            ));
            let mut widest = 0.0_f64;
            for _ in 0..900 {
                scene.step();
                widest = widest.max(swing(&scene));
            }
            let found = swing(&scene);
            assert_near(found, f64::from(cone), 0.01);
            assert!(widest < f64::from(cone) + 0.05, "{cone}: {widest}");
        }
    }
}

/// An arm that turns about an upright axis under a sideways load stops at its twist limit, on
/// either side; a cone of zero keeps the axis upright.
#[test]
fn an_arm_stops_at_its_twist_limit() {
    for (side, limit) in [(1.0_f32, 0.3_f32), (1.0, 1.2), (-1.0, 0.3), (-1.0, 1.2)] {
        for cone in [None, Some(0.0)] {
            let mut scene = Scene::new();
            scene.settings.gravity = 9.81 * side * Vec3::Y;
            let mut arm = ball_body(Vec3::X, 0.2, 2.0);
            arm.linear_damping = 3.0;
            let arm = scene.add(arm);
            let range = JointLimit {
                lower: -limit,
                upper: limit,
            };
            scene.join(Joint::new(
                ball(cone, Some(range)),
                GROUND,
                arm,
                Pose::IDENTITY,
                Pose::from_translation(-Vec3::X),
            ));
            scene.run(600);
            assert_near(twist(&scene), f64::from(side * limit), 0.01);
            assert_near(swing(&scene), 0.0, 0.01);
        }
    }
}

/// A body that tumbles freely about a ball joint, its twist held at what it was: the swing
/// goes far while the twist stays. This is the derivative of the twist, checked by motion.
#[test]
fn a_held_twist_stays_while_the_body_swings() {
    for start in [
        Vec3::new(0.4, 0.1, 0.2),
        Vec3::new(-0.9, 0.8, 1.0),
        Vec3::new(0.0, 1.3, -0.7),
    ] {
        let mut scene = Scene::new();
        scene.settings.gravity = Vec3::ZERO;
        let mut body = box_body(Vec3::ZERO, Vec3::new(0.4, 0.3, 0.2), 3.0);
        body.rotation = rotation::from_scaled_axis(start);
        let block = scene.add(body);
        let joint = |limit| {
            let kind = ball(None, Some(limit));
            Joint::new(kind, GROUND, block, Pose::IDENTITY, Pose::IDENTITY)
        };
        let free = JointLimit {
            lower: -3.0,
            upper: 3.0,
        };
        scene.join(joint(free));
        let held = twist(&scene) as f32;
        scene.joints[0].kind = ball(
            None,
            Some(JointLimit {
                lower: held,
                upper: held,
            }),
        );
        scene.body_mut(block).angular_velocity = Vec3::new(1.5, -1.0, 0.3);
        let (mut least, mut most) = (f64::MAX, f64::MIN);
        for _ in 0..120 {
            scene.step();
            // Close to opposite axes the twist is not defined.
            if swing(&scene) < 2.8 {
                assert_near(twist(&scene), f64::from(held), 0.02);
            }
            least = least.min(swing(&scene));
            most = most.max(swing(&scene));
        }
        assert!(most - least > 1.0, "it swung from {least} to {most}");
    }
}

/// Dry friction of torque T slows a spin at T / I: from 6 rad/s with I = 0.8 kg m^2 and
/// 2 N m, 2.5 rad/s in a second. Then it holds still. The same by a hinge's motor at rest.
#[test]
fn friction_slows_a_spin_at_a_known_rate() {
    let friction = JointKind::Ball {
        friction_torque: 2.0,
        spring: None,
        cone: None,
        twist: None,
    };
    let motor = JointKind::Hinge {
        limit: None,
        motor: Some(JointMotor {
            speed: 0.0,
            max_effort: 2.0,
        }),
        spring: None,
    };
    for (kind, axis) in [
        (friction.clone(), Vec3::new(2.0, -1.0, 2.0) / 3.0),
        (friction, Vec3::Y),
        (motor, Vec3::Z),
    ] {
        let mut scene = Scene::new();
        scene.settings.gravity = Vec3::ZERO;
        // 0.4 m r^2 with 2 kg and 1 m.
        let mut body = ball_body(Vec3::ZERO, 1.0, 2.0);
        body.angular_velocity = 6.0 * axis;
        let body = scene.add(body);
        scene.join(Joint::new(
            kind,
            GROUND,
            body,
            Pose::IDENTITY,
            Pose::IDENTITY,
        ));
        scene.run(60);
        let spin = scene.body(body).angular_velocity;
        assert_near(f64::from(spin.dot(axis)), 3.5, 0.01);
        assert_near(
            f64::from((spin - spin.dot(axis) * axis).length()),
            0.0,
            0.01,
        );
        scene.run(120);
        assert_near(
            f64::from(scene.body(body).angular_velocity.length()),
            0.0,
            1e-3,
        );
    }
}

/// A spring of f Hz without damping swings with the period 1 / f, whatever the inertia; with
/// 0.7 of critical damping less than exp(-0.7 * 2 pi) / sqrt(1 - 0.49) = 0.017 is left after
/// one period. The springs of balls and hinges alike.
#[test]
fn springs_swing_at_their_frequency() {
    for hertz in [0.5_f32, 1.0, 2.0] {
        for mass in [0.01_f32, 1.0, 300.0] {
            for is_hinge in [false, true] {
                let (periods, decay) = ring(hertz, 0.0, mass, is_hinge);
                assert_near(periods, f64::from(1.0 / hertz), 0.03 / f64::from(hertz));
                assert!(decay > 0.3, "{decay}");
                let (_, decay) = ring(hertz, 0.7, mass, is_hinge);
                assert!(decay < 0.017, "{decay}");
            }
        }
    }
}

/// The period of a spring let go at 0.2 rad, in seconds, and the share of the swing that is
/// left after the first period.
fn ring(hertz: f32, damping_ratio: f32, mass: f32, is_hinge: bool) -> (f64, f64) {
    let spring = Some(JointSpring {
        hertz,
        damping_ratio,
        target: 0.0,
        max_effort: None,
    });
    let kind = if is_hinge {
        JointKind::Hinge {
            limit: None,
            motor: None,
            spring,
        }
    } else {
        JointKind::Ball {
            friction_torque: 0.0,
            spring,
            cone: None,
            twist: None,
        }
    };
    let mut scene = Scene::new();
    scene.settings.gravity = Vec3::ZERO;
    scene.settings.dt = 1.0 / 240.0;
    let mut body = ball_body(Vec3::ZERO, 0.5, mass);
    body.rotation = rotation::from_scaled_axis(0.2 * Vec3::Z);
    let body = scene.add(body);
    scene.join(Joint::new(
        kind,
        GROUND,
        body,
        Pose::IDENTITY,
        Pose::IDENTITY,
    ));
    let dt = f64::from(scene.settings.dt);
    let (mut crossings, mut before, mut later) = (Vec::new(), twist(&scene), 0.0_f64);
    let steps = (2.0 / f64::from(hertz) / dt) as usize;
    for step in 0..steps {
        scene.step();
        let now = twist(&scene);
        if before > 0.0 && now <= 0.0 {
            crossings.push((step as f64 + before / (before - now)) * dt);
        }
        if 2 * step > steps {
            later = later.max(now.abs());
        }
        before = now;
    }
    let period = match crossings[..] {
        [first, second, ..] => second - first,
        _ => f64::INFINITY,
    };
    (period, later / 0.2)
}

/// Limits outside their range are refused.
#[test]
fn impossible_limits_are_refused() {
    let range = |lower, upper| ball(None, Some(JointLimit { lower, upper }));
    for bad in [
        ball(Some(-0.1), None),
        ball(Some(3.2), None),
        ball(Some(f32::NAN), None),
        range(0.2, 0.1),
        range(-3.2, 0.0),
        range(0.0, f32::INFINITY),
    ] {
        assert!(bad.check().is_err(), "{bad:?}");
    }
    for good in [
        JointKind::BALL,
        JointKind::NoContact,
        ball(Some(0.0), None),
        ball(Some(std::f32::consts::PI), None),
        range(-1.0, 1.0),
        range(0.0, 0.0),
    ] {
        assert_eq!(good.check(), Ok(()));
    }
}
