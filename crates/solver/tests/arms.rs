//! Arms of several links whose hinges have motors: these hold and turn what hangs on them as statics
//! says, at once, and let go of what is too much for them without parting anything.

mod scene;

use drystone_geometry::Pose;
use drystone_geometry::glam::Vec3;
use drystone_solver::joint::{JointLimit, JointMotor};
use drystone_solver::{Joint, JointKind};
use scene::{GROUND, Scene, assert_near, box_body};

const LINKS: usize = 6;
const LENGTH: f32 = 0.3;
const MASS: f32 = 2.0;

fn hinge(speed: f32, max_effort: f32, limit: Option<JointLimit>) -> JointKind {
    JointKind::Hinge {
        limit,
        motor: Some(JointMotor { speed, max_effort }),
        spring: None,
    }
}

/// Links in a row along X from the origin on, each on a hinge about Z. Every other hinge has the link
/// nearer to the ground as its second body.
fn arm(kinds: &[JointKind]) -> Scene {
    let mut scene = Scene::new();
    let half = Vec3::new(0.5 * LENGTH, 0.02, 0.02);
    let mut last = GROUND;
    for (index, kind) in kinds.iter().enumerate() {
        let center = Vec3::X * LENGTH * (index as f32 + 0.5);
        let link = scene.add(box_body(center, half, MASS));
        let near = Pose::from_translation(-0.5 * LENGTH * Vec3::X);
        let far = match index {
            0 => Pose::IDENTITY,
            _ => Pose::from_translation(0.5 * LENGTH * Vec3::X),
        };
        scene.join(if index.is_multiple_of(2) {
            Joint::new(kind.clone(), last, link, far, near)
        } else {
            Joint::new(kind.clone(), link, last, near, far)
        });
        last = link;
    }
    scene
}

/// Torque about Z of the motor of a joint, on the link farther from the ground, in N m.
fn torque(scene: &Scene, joint: usize) -> f64 {
    let h = scene.settings.dt / scene.settings.substeps as f32;
    let sign = if joint.is_multiple_of(2) { 1.0 } else { -1.0 };
    f64::from(sign * scene.joints[joint].impulses.axes[5].motor / h)
}

/// How far anchors are apart at most, in metres.
fn widest_gap(scene: &Scene) -> f64 {
    let pose = |body: u32| scene.table().pose(&scene.bodies, body);
    let gaps = scene.joints.iter().map(|joint| {
        let (a, b) = (pose(joint.body_a), pose(joint.body_b));
        let states = [Vec3::ZERO; 2];
        (joint.state([&a, &b], states, states).translation).length()
    });
    gaps.fold(0.0, f64::max)
}

/// Six links of 2 kg and 30 cm, level, held by motors at rest: by hand, the `k` last of them ask
/// `m g l k^2 / 2` of the hinge that bears them, 105.9 N m of the first, from the first step on. Solved
/// one by one the motors let the tip sink by a third of a metre, and it swayed for a minute.
#[test]
fn motors_hold_an_arm_of_many_links() {
    let mut scene = arm(&vec![hinge(0.0, 1000.0, None); LINKS]);
    for step in 0..120 {
        scene.step();
        for joint in 0..LINKS {
            let beyond = (LINKS - joint) as f64;
            let weight = f64::from(MASS) * 9.81 * beyond;
            let expected = weight * 0.5 * f64::from(LENGTH) * beyond;
            let most = if step == 0 { 0.02 } else { 2e-3 };
            assert_near(torque(&scene, joint) / expected, 1.0, most);
        }
    }
    let tip = scene.body(LINKS as u32);
    assert_near(tip.center.y, 0.0, 1e-4);
    assert!(tip.linear_velocity.length() < 1e-4, "{tip:?}");
}

/// The first hinge is told to turn at 1 rad/s and the others to stay: the tip, 1.65 m out, goes round at
/// that from the first sub-step on, up against the weight and all, since the motors are strong enough.
#[test]
fn a_motor_turns_what_others_hold() {
    let mut kinds = vec![hinge(0.0, 1e5, None); LINKS];
    kinds[0] = hinge(1.0, 1e5, None);
    let mut scene = arm(&kinds);
    scene.run(60);
    let tip = scene.body(LINKS as u32);
    let angle = f64::from(libm::atan2f(tip.center.y as f32, tip.center.x as f32));
    assert_near(angle, 1.0, 2e-3);
    let reach = f64::from(LENGTH) * (LINKS as f64 - 0.5);
    assert_near(tip.center.length(), reach, 1e-3);
}

/// Motors with a tenth of the torque that the arm needs are asked for 3 rad/s upwards. Each does what it
/// can, the arm falls, and its joints stay together.
#[test]
fn motors_that_are_too_weak_let_go() {
    let mut scene = arm(&vec![hinge(3.0, 0.25, None); LINKS]);
    for _ in 0..30 {
        scene.step();
        for joint in 0..LINKS {
            assert!(torque(&scene, joint).abs() <= 0.25 + 1e-6);
        }
        assert!(widest_gap(&scene) < 2e-3, "{}", widest_gap(&scene));
    }
    assert_near(torque(&scene, 0), 0.25, 1e-5);
    assert!(scene.body(LINKS as u32).center.y < -0.3);
}

/// A motor with more torque than it needs turns an arm into a stop at 0.5 rad: it comes to stand there, as
/// far as a stop gives way, and passes it by six sub-steps at most. The stop knows the first link alone, whose
/// inertia about the hinge is a 27th of that of the arm.
#[test]
fn a_strong_motor_stops_at_a_stop() {
    let limit = JointLimit {
        lower: -0.5,
        upper: 0.5,
    };
    for speed in [2.0, -2.0] {
        let mut kinds = vec![hinge(0.0, 1000.0, None); 3];
        kinds[0] = hinge(speed, 60.0, Some(limit));
        let mut scene = arm(&kinds);
        let angle = |scene: &Scene| {
            let link = scene.body(1).center;
            f64::from(libm::atan2f(link.y as f32, link.x as f32)).abs()
        };
        let mut farthest = 0.0_f64;
        for _ in 0..240 {
            scene.step();
            farthest = farthest.max(angle(&scene));
        }
        assert!(farthest < 0.55, "{speed}: {farthest}");
        assert_near(angle(&scene), 0.5, 0.015);
    }
}
