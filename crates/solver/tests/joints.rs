//! Joints: pendulums, chains, hinges, welds, ropes and springs.

mod scene;

use drystone_geometry::Pose;
use drystone_geometry::glam::{DVec3, Quat, Vec3};
use drystone_geometry::rotation;
use drystone_solver::joint::{JointLimit, JointMotor, JointSpring};
use drystone_solver::{Joint, JointKind};
use scene::{GROUND, Scene, assert_near, ball_body, box_body};

const BALL: JointKind = JointKind::BALL;

fn at(x: f32, y: f32, z: f32) -> Pose {
    Pose::from_translation(Vec3::new(x, y, z))
}

/// Largest distance between the anchors of any joint, in metres.
fn gap(scene: &Scene) -> f64 {
    let mut largest = 0.0_f64;
    for joint in &scene.joints {
        let place = |body: u32, frame: &Pose| {
            let pose = scene.table().pose(&scene.bodies, body);
            pose.center + rotation::rotate(pose.rotation, frame.translation).as_dvec3()
        };
        let distance = place(joint.body_a, &joint.frame_a) - place(joint.body_b, &joint.frame_b);
        largest = largest.max(distance.length());
    }
    largest
}

/// A pendulum let go at 90 degrees. Known: period 2.3678 s (elliptic integral), it returns to
/// its height, and its anchors stay together.
#[test]
fn a_pendulum_keeps_its_period_its_height_and_its_pivot() {
    for (dt, period_error, lowest_return) in [(1.0 / 60.0, 0.05, -0.15), (1.0 / 240.0, 0.015, -0.1)]
    {
        let mut scene = Scene::new();
        scene.settings.dt = dt;
        let bob = scene.add(ball_body(Vec3::X, 0.01, 1.0));
        scene.join(Joint::new(
            BALL,
            GROUND,
            bob,
            at(0.0, 0.0, 0.0),
            at(-1.0, 0.0, 0.0),
        ));
        let (mut crossings, mut before, mut highest) = (Vec::new(), DVec3::X, f64::MIN);
        for step in 0..(6.0 / dt) as usize {
            scene.step();
            let now = scene.body(bob).center;
            if before.x > 0.0 && now.x <= 0.0 {
                let share = before.x / (before.x - now.x);
                crossings.push((step as f64 + share) * f64::from(dt));
            }
            if crossings.len() == 1 && now.x > 0.0 {
                highest = highest.max(now.y);
            }
            assert!(now.y < 0.02, "height {}", now.y);
            assert!(gap(&scene) < 0.01, "gap {}", gap(&scene));
            before = now;
        }
        let period = crossings[1] - crossings[0];
        println!("dt {dt}: period {period} return {highest}");
        assert_near(period, 2.367_841_947_576_237_3, period_error * 2.3678);
        assert!(highest > lowest_return, "returned to {highest}");
    }
}

/// Sixteen light balls and one a thousand times heavier, let go level. The whole swing is
/// watched: no joint opens by more than 5 cm.
#[test]
fn a_chain_with_a_heavy_end_does_not_stretch() {
    let mut scene = Scene::new();
    let light = 0.033_510_32;
    let (mut previous, mut anchor) = (GROUND, 0.0);
    for i in 1..17 {
        let (radius, mass, z) = if i < 16 {
            (0.2, light, 0.44 * i as f32)
        } else {
            (2.0, 1000.0 * light, 8.84)
        };
        let ball = scene.add(ball_body(Vec3::new(0.0, 0.0, z), radius, mass));
        let half = if i < 16 { 0.22 } else { 2.02 };
        let back = if i == 1 { 0.44 } else { half };
        scene.join(Joint::new(
            BALL,
            previous,
            ball,
            at(0.0, 0.0, anchor),
            at(0.0, 0.0, -back),
        ));
        previous = ball;
        anchor = 0.22;
    }
    let (mut largest, mut fastest) = (0.0_f64, 0.0_f32);
    for _ in 0..300 {
        scene.step();
        largest = largest.max(gap(&scene));
        for body in &scene.bodies {
            fastest = fastest.max(body.linear_velocity.length());
        }
    }
    println!("chain gap {largest} speed {fastest}");
    assert!(largest < 0.05, "{largest}");
    assert!(fastest < 30.0, "{fastest}");
}

/// A door on a hinge with gravity sideways. By hand: the axis stays, the limit stops it, and
/// the motor turns it at its speed against no load.
#[test]
fn a_hinge_turns_about_its_axis_within_its_limit() {
    let half = Vec3::new(0.5, 1.0, 0.05);
    let upright = rotation::from_axis_angle(Vec3::X, -std::f32::consts::FRAC_PI_2);
    let frame = |x: f32| Pose {
        rotation: upright,
        translation: Vec3::new(x, 0.0, 0.0),
    };
    let hinge = |limit, motor| JointKind::Hinge {
        limit,
        motor,
        spring: None,
    };
    let limit = JointLimit {
        lower: -0.5,
        upper: 0.75,
    };
    for (gravity, stop) in [(-9.81, 0.75), (9.81, -0.5)] {
        let mut scene = Scene::new();
        scene.settings.gravity = Vec3::new(0.0, 0.0, gravity);
        let door = scene.add(box_body(Vec3::new(0.5, 0.0, 0.0), half, 20.0));
        scene.join(Joint::new(
            hinge(Some(limit), None),
            GROUND,
            door,
            frame(0.0),
            frame(-0.5),
        ));
        scene.run(240);
        let body = scene.body(door);
        let x = rotation::rotate(body.rotation, Vec3::X);
        assert_near(f64::from(libm::atan2f(-x.z, x.x)), stop, 0.01);
        assert!(rotation::rotate(body.rotation, Vec3::Y).abs_diff_eq(Vec3::Y, 1e-3));
        assert!(gap(&scene) < 1e-3);
    }
    let mut scene = Scene::new();
    scene.settings.gravity = Vec3::ZERO;
    let door = scene.add(box_body(Vec3::new(0.5, 0.0, 0.0), half, 20.0));
    let motor = JointMotor {
        speed: 2.0,
        max_effort: 100.0,
    };
    scene.join(Joint::new(
        hinge(None, Some(motor)),
        GROUND,
        door,
        frame(0.0),
        frame(-0.5),
    ));
    scene.run(120);
    assert!(
        scene
            .body(door)
            .angular_velocity
            .abs_diff_eq(Vec3::new(0.0, 2.0, 0.0), 1e-3)
    );
}

/// A hinge's spring, over-damped, from rest. By hand: it ends at its target angle.
#[test]
fn a_hinge_spring_turns_to_its_target() {
    let mut scene = Scene::new();
    scene.settings.gravity = Vec3::ZERO;
    let wheel = scene.add(box_body(Vec3::ZERO, Vec3::new(0.5, 0.5, 0.1), 3.0));
    let spring = JointSpring {
        hertz: 2.0,
        damping_ratio: 1.0,
        target: 0.6,
        max_effort: None,
    };
    let kind = JointKind::Hinge {
        limit: None,
        motor: None,
        spring: Some(spring),
    };
    scene.join(Joint::new(
        kind,
        GROUND,
        wheel,
        Pose::IDENTITY,
        Pose::IDENTITY,
    ));
    scene.run(180);
    let q = scene.body(wheel).rotation;
    assert_near(f64::from(2.0 * libm::atan2f(q.z, q.w)), 0.6, 1e-3);
}

/// A beam of five welded boxes out of a wall. By hand: rigid welds carry it level within a
/// degree or so; its force on the wall is its weight.
#[test]
fn a_welded_beam_stays_level_and_carries_its_weight() {
    let half = Vec3::new(0.5, 0.25, 0.25);
    let mut scene = Scene::new();
    let (mut previous, mut frame) = (GROUND, Pose::IDENTITY);
    for i in 0..5 {
        let block = scene.add(box_body(Vec3::new(0.5 + i as f32, 0.0, 0.0), half, 10.0));
        let kind = JointKind::Weld {
            linear: None,
            angular: None,
        };
        scene.join(Joint::new(kind, previous, block, frame, at(-0.5, 0.0, 0.0)));
        (previous, frame) = (block, at(0.5, 0.0, 0.0));
    }
    scene.run(300);
    let tip = scene.body(previous);
    println!("beam tip {} gap {}", tip.center, gap(&scene));
    assert!(tip.center.y > -0.15, "{}", tip.center);
    assert!(tip.surface_speed() < 0.02, "{}", tip.surface_speed());
    let force = scene.joints[0].impulses.linear * 240.0;
    assert!(
        force.abs_diff_eq(Vec3::new(0.0, 50.0 * 9.81, 0.0), 5.0),
        "{force}"
    );
}

/// A ball on a rope, a rod and a spring. By hand: the rope is slack, then taut at its length;
/// the rod keeps it; the spring sags by `g / omega^2`.
#[test]
fn ropes_rods_and_springs_keep_their_lengths() {
    let spring = JointSpring {
        hertz: 1.0,
        damping_ratio: 0.7,
        target: 0.0,
        max_effort: None,
    };
    let sag = 9.81 / (2.0 * std::f64::consts::PI).powi(2);
    let rope = JointKind::Distance {
        min: 0.0,
        max: 2.0,
        rest: None,
        spring: None,
    };
    let rod = JointKind::Distance {
        min: 1.5,
        max: 1.5,
        rest: None,
        spring: None,
    };
    let bungee = JointKind::Distance {
        min: 0.0,
        max: 10.0,
        rest: Some(1.0),
        spring: Some(spring),
    };
    for (kind, start, end) in [(rope, 1.0, 2.0), (rod, 1.5, 1.5), (bungee, 1.0, 1.0 + sag)] {
        let mut scene = Scene::new();
        let ball = scene.add(ball_body(Vec3::new(0.0, -start, 0.0), 0.1, 2.0));
        scene.join(Joint::new(
            kind,
            GROUND,
            ball,
            Pose::IDENTITY,
            Pose::IDENTITY,
        ));
        scene.run(600);
        assert_near(-scene.body(ball).center.y, end, 0.005);
        let weight = scene.joints[0].impulses.linear.y * 240.0;
        assert_near(f64::from(weight), 2.0 * 9.81, 0.05);
    }
}

/// Two bodies on a ball joint, spinning freely. By conservation: momentum and angular momentum.
#[test]
fn a_joint_between_free_bodies_conserves_momentum() {
    let mut scene = Scene::new();
    scene.settings.gravity = Vec3::ZERO;
    let half = Vec3::new(0.5, 0.1, 0.1);
    let mut first = box_body(Vec3::new(-0.5, 0.0, 0.0), half, 1.0);
    first.angular_velocity = Vec3::new(0.0, 2.0, 1.0);
    first.linear_velocity = Vec3::new(0.3, 0.0, 0.1);
    let a = scene.add(first);
    let b = scene.add(box_body(Vec3::new(0.5, 0.0, 0.0), half, 2.0));
    scene.join(Joint::new(
        BALL,
        a,
        b,
        at(0.5, 0.0, 0.0),
        at(-0.5, 0.0, 0.0),
    ));
    let (p, l) = scene.momentum();
    scene.run(300);
    let (p1, l1) = scene.momentum();
    println!("joint momentum {} of {}", (l1 - l).length(), l.length());
    assert!((p1 - p).length() < 1e-5 * p.length(), "{p} {p1}");
    assert!((l1 - l).length() < 0.02 * l.length(), "{l} {l1}");
    assert!(gap(&scene) < 0.005, "{}", gap(&scene));
}

/// A ball joint's spring and friction. By hand: the spring turns the frames together, friction
/// stops a spin.
#[test]
fn a_ball_joint_can_resist_rotation() {
    let spring = JointSpring {
        hertz: 2.0,
        damping_ratio: 1.0,
        target: 0.0,
        max_effort: None,
    };
    for kind in [
        JointKind::Ball {
            friction_torque: 0.0,
            spring: Some(spring),
            cone: None,
            twist: None,
        },
        JointKind::Ball {
            friction_torque: 5.0,
            spring: None,
            cone: None,
            twist: None,
        },
    ] {
        let mut scene = Scene::new();
        scene.settings.gravity = Vec3::ZERO;
        let mut body = box_body(Vec3::ZERO, Vec3::new(0.5, 0.3, 0.1), 3.0);
        let sprung = matches!(
            kind,
            JointKind::Ball {
                spring: Some(_),
                ..
            }
        );
        if sprung {
            body.rotation = rotation::from_scaled_axis(Vec3::new(0.5, -0.7, 0.3));
        } else {
            body.angular_velocity = Vec3::new(1.0, 2.0, -3.0);
        }
        let block = scene.add(body);
        scene.join(Joint::new(
            kind,
            GROUND,
            block,
            Pose::IDENTITY,
            Pose::IDENTITY,
        ));
        scene.run(180);
        let body = scene.body(block);
        assert!(
            body.angular_velocity.length() < 1e-2,
            "{}",
            body.angular_velocity
        );
        assert!(
            !sprung || body.rotation.abs_diff_eq(Quat::IDENTITY, 1e-2),
            "{}",
            body.rotation
        );
    }
}

/// Settings out of range are refused, each with its own reason.
#[test]
fn settings_out_of_range_are_refused() {
    let limit = |lower, upper| JointKind::Hinge {
        limit: Some(JointLimit { lower, upper }),
        motor: None,
        spring: None,
    };
    let distance = |min, max| JointKind::Distance {
        min,
        max,
        rest: None,
        spring: None,
    };
    let ball = |friction_torque| JointKind::Ball {
        friction_torque,
        spring: None,
        cone: None,
        twist: None,
    };
    for bad in [
        limit(0.5, 0.4),
        limit(-4.0, 0.0),
        limit(f32::NAN, 0.0),
        distance(-1.0, 1.0),
        distance(2.0, 1.0),
        distance(0.0, f32::INFINITY),
        ball(-1.0),
        ball(f32::NAN),
    ] {
        assert!(bad.check().is_err(), "{bad:?}");
    }
    for good in [
        limit(-1.0, 1.0),
        distance(0.0, 1.0),
        distance(1.0, 1.0),
        ball(0.0),
    ] {
        assert_eq!(good.check(), Ok(()));
    }
}
