//! Stiff springs of joints in trees: what hangs on them counts, however light the links are that they
//! turn, so that arms stay where statics says and what has no damping goes on swinging.

mod scene;

use std::f64::consts::PI;

use drystone_geometry::Pose;
use drystone_geometry::glam::Vec3;
use drystone_solver::joint::JointSpring;
use drystone_solver::{Joint, JointKind};
use scene::{GROUND, Scene, assert_near, box_body};

const LENGTH: f32 = 0.3;
const MASS: f32 = 2.0;
const LINKS: usize = 6;

/// Links in a row along X from the origin on, each on a joint of the kind that `kind` makes of its spring,
/// whose stiffness and damping are given in N m/rad and N m s/rad about Z.
fn arm(stiffness: f32, damping: f32, kind: fn(JointSpring) -> JointKind) -> Scene {
    let mut scene = Scene::new();
    let half = Vec3::new(0.5 * LENGTH, 0.02, 0.02);
    let mut last = GROUND;
    for index in 0..LINKS {
        let body = box_body(Vec3::X * LENGTH * (index as f32 + 0.5), half, MASS);
        let alone = body.inertia.z;
        let link = scene.add(body);
        let inertia = if last == GROUND { alone } else { 0.5 * alone };
        let kind = kind(JointSpring::from_stiffness(stiffness, damping, inertia));
        let near = Pose::from_translation(-0.5 * LENGTH * Vec3::X);
        let far = match index {
            0 => Pose::IDENTITY,
            _ => Pose::from_translation(0.5 * LENGTH * Vec3::X),
        };
        scene.join(Joint::new(kind, last, link, far, near));
        last = link;
    }
    scene
}

fn hinge(spring: JointSpring) -> JointKind {
    JointKind::Hinge {
        limit: None,
        motor: None,
        spring: Some(spring),
    }
}

fn ball(spring: JointSpring) -> JointKind {
    JointKind::Ball {
        friction_torque: 0.0,
        spring: Some(spring),
        cone: None,
        twist: None,
    }
}

fn weld(spring: JointSpring) -> JointKind {
    JointKind::Weld {
        linear: None,
        angular: Some(spring),
    }
}

/// How far the middle of the last link sinks under gravity, in metres, while angles are small: hinge `k`
/// from the ground bears the `n - k` links beyond it, `m g l (n - k)^2 / 2`, and turns by that over its
/// stiffness.
fn sag(stiffness: f32) -> f64 {
    let weight = f64::from(MASS) * 9.81;
    let turns = (0..LINKS).map(|k| {
        let beyond = (LINKS - k) as f64;
        let torque = 0.5 * weight * f64::from(LENGTH) * beyond * beyond;
        torque / f64::from(stiffness) * f64::from(LENGTH) * (beyond - 0.5)
    });
    turns.sum()
}

/// Six links of 2 kg and 30 cm, level, on springs of 20,000 N m/rad: the tip sinks by 17 mm and stays
/// there, at any step. Joint by joint the springs took each link for what it is alone, and the arm lashed
/// about by 1.5 m for ever.
#[test]
fn stiff_springs_hold_an_arm_where_statics_says() {
    for kind in [hinge, ball, weld] {
        for (dt, substeps) in [
            (1.0 / 30.0, 4),
            (1.0 / 60.0, 4),
            (1.0 / 60.0, 1),
            (1.0 / 240.0, 4),
        ] {
            let mut scene = arm(2e4, 200.0, kind);
            (scene.settings.dt, scene.settings.substeps) = (dt, substeps);
            let steps = (2.0 / dt) as usize;
            let mut lowest = 0.0_f64;
            for _ in 0..steps {
                scene.step();
                lowest = lowest.min(scene.body(LINKS as u32).center.y);
            }
            let tip = scene.body(LINKS as u32);
            assert_near(tip.center.y / -sag(2e4), 1.0, 0.01);
            assert!(
                tip.linear_velocity.length() < 5e-4,
                "{dt} {substeps}: {tip:?}"
            );
            // It falls twice as deep at most, and damping takes some of that.
            assert!(lowest > -2.0 * sag(2e4), "{dt} {substeps}: {lowest}");
        }
    }
}

/// An arm whose springs have hardly any damping, at 82 Hz for a link and 3 Hz for the arm, swings on for four
/// seconds, about where and nearly as far as it does at a sixteenth of the step, where sub-steps resolve
/// the springs.
#[test]
fn stiff_springs_keep_the_swing_of_an_arm() {
    let swing = |dt: f32| {
        let mut scene = arm(2000.0, 2.0, hinge);
        scene.settings.dt = dt;
        scene.run((3.0 / dt) as usize);
        let (mut low, mut high) = (f64::MAX, f64::MIN);
        for _ in 0..(1.0 / dt) as usize {
            scene.step();
            let y = scene.body(LINKS as u32).center.y;
            (low, high) = (low.min(y), high.max(y));
        }
        (0.5 * (low + high), high - low)
    };
    let (middle, wide) = swing(1.0 / 60.0);
    let (fine_middle, fine_wide) = swing(1.0 / 960.0);
    assert_near(middle / fine_middle, 1.0, 0.02);
    assert!(
        (0.8..1.02).contains(&(wide / fine_wide)),
        "{wide} {fine_wide}"
    );
}

/// Two bodies alone: a spring of 60 to 500 Hz that is critically damped goes home without going past.
#[test]
fn stiff_springs_do_not_overshoot() {
    for (hertz, damping_ratio) in [
        (60.0, 1.0),
        (60.0, 1.2),
        (120.0, 1.0),
        (500.0, 1.0),
        (500.0, 3.0),
    ] {
        let mut scene = Scene::new();
        scene.settings.gravity = Vec3::ZERO;
        let flap = scene.add(box_body(Vec3::ZERO, Vec3::new(0.2, 0.02, 0.1), 1.0));
        let mut spring = JointSpring::new(hertz, damping_ratio);
        spring.target = 1.0;
        scene.join(Joint::new(
            hinge(spring),
            GROUND,
            flap,
            Pose::IDENTITY,
            Pose::IDENTITY,
        ));
        let mut last = 0.0;
        for step in 0..60 {
            scene.step();
            let turned = scene.body(flap).rotation;
            let angle = 2.0 * libm::atan2f(turned.z, turned.w);
            let case = format!("{hertz} Hz, {damping_ratio}, step {step}: {angle}");
            assert!(angle >= last - 1e-5 && angle < 1.0 + 1e-5, "{case}");
            last = angle;
        }
        assert_near(f64::from(last), 1.0, 1e-3);
    }
}

/// A spring that may use half of the torque an arm needs gives way, with all the torque it has, and the
/// others hold.
#[test]
fn springs_at_the_end_of_their_torque_let_go() {
    let mut scene = arm(2e4, 200.0, hinge);
    let JointKind::Hinge {
        spring: Some(spring),
        ..
    } = &mut scene.joints[0].kind
    else {
        panic!("a hinge with a spring")
    };
    spring.max_effort = Some(50.0);
    scene.run(20);
    let h = scene.settings.dt / scene.settings.substeps as f32;
    let torque = f64::from(scene.joints[0].impulses.axes[5].spring / h);
    assert_near(torque, 50.0, 0.01);
    let [first, last] = [1, LINKS as u32].map(|link| scene.body(link).rotation);
    let angles = [first, last].map(|turn| f64::from(2.0 * libm::atan2f(turn.z, turn.w)));
    // The whole arm has the inertia `m l^2 n^3 / 3` about its foot.
    let inertia = f64::from(MASS * LENGTH * LENGTH) * (LINKS * LINKS * LINKS) as f64 / 3.0;
    let fall = (105.948 - 50.0) / inertia * 0.5 * (20.0 / 60.0_f64).powi(2);
    // The others sag meanwhile, by up to a degree and more.
    assert_near(angles[0], -fall, 0.1 * fall);
    assert!((angles[1] - angles[0]).abs() < 0.02 * PI, "{angles:?}");
}
