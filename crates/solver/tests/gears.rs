//! Gears and racks: ratios hold exactly, and loads are handed on as the textbook says.

mod scene;

use drystone_geometry::Pose;
use drystone_geometry::glam::Vec3;
use drystone_geometry::rotation;
use drystone_solver::joint::JointMotor;
use drystone_solver::{Joint, JointKind};
use scene::{GROUND, Scene, assert_near, box_body};

const SLIDER: JointKind = JointKind::Slider {
    limit: None,
    motor: None,
    spring: None,
};

fn axle(motor: Option<JointMotor>) -> JointKind {
    JointKind::Hinge {
        limit: None,
        motor,
        spring: None,
    }
}

fn motor(speed: f32, max_effort: f32) -> Option<JointMotor> {
    Some(JointMotor { speed, max_effort })
}

/// A rack's frame, whose Z is up, at `x` on its body.
fn up(x: f32) -> Pose {
    Pose {
        rotation: rotation::between(Vec3::Z, Vec3::Y),
        translation: Vec3::new(x, 0.0, 0.0),
    }
}

/// Two wheels on axles of their own, one driven at 3 rad/s. By hand: the other turns by the
/// ratio, exactly even after many turns; a brake of 5 N m on it costs the motor 5 times the ratio.
#[test]
fn a_gear_keeps_its_ratio_and_hands_on_torque() {
    for ratio in [-2.5_f32, -1.0, 0.25] {
        let mut scene = Scene::new();
        scene.settings.gravity = Vec3::ZERO;
        let driver = scene.add(box_body(Vec3::ZERO, Vec3::new(0.5, 0.5, 0.1), 3.0));
        let driven = scene.add(box_body(2.0 * Vec3::X, Vec3::new(0.3, 0.3, 0.1), 1.0));
        let at = |x: f32| Pose {
            translation: Vec3::new(x, 0.0, 0.0),
            ..Pose::IDENTITY
        };
        let center = Pose::IDENTITY;
        let wheels = [
            (driver, 0.0, motor(3.0, 100.0)),
            (driven, 2.0, motor(0.0, 5.0)),
        ];
        for (wheel, x, motor) in wheels {
            scene.join(Joint::new(axle(motor), GROUND, wheel, at(x), center));
        }
        let gear = JointKind::Gear { ratio };
        scene.join(Joint::new(gear, driver, driven, center, center));
        scene.run(1200);
        let speed = |joint| f64::from(scene.state(joint).angular_velocity.z);
        assert_near(speed(0), 3.0, 1e-3);
        assert_near(speed(1), 3.0 * f64::from(ratio), 1e-3);
        // What the load of the brake bends.
        let drift = scene.joints[2].impulses.drift.abs();
        assert!(drift < 3e-3, "{drift}");
        // The angle of the driven one from that of the driver, whole turns aside.
        let angle = |joint| f64::from(scene.state(joint).angles.z);
        let turns = (3.0 * 20.0 - angle(0)) / std::f64::consts::TAU;
        let total = angle(0) + turns.round() * std::f64::consts::TAU;
        let off = (angle(1) - f64::from(ratio) * total) / std::f64::consts::TAU;
        assert_near(off - off.round(), 0.0, 1e-3);
        let brake = f64::from(scene.force(1).torque.z);
        assert_near(brake, -5.0 * f64::from(ratio.signum()), 0.05);
        let drive = f64::from(scene.force(0).torque.z);
        assert_near(drive, 5.0 * f64::from(ratio.abs()), 0.05);
    }
}

/// A pinion driven at 1 rad/s and a rack of 0.2 m per radian on a frame, by joints 0 to 2: axle, guide, teeth.
fn add_rack(scene: &mut Scene, frame: u32) -> [u32; 2] {
    let pinion = scene.add(box_body(Vec3::ZERO, Vec3::new(0.2, 0.2, 0.1), 1.0));
    let rack = scene.add(box_body(Vec3::new(0.2, 0.0, 0.0), Vec3::splat(0.1), 3.0));
    let (axle, center) = (axle(motor(1.0, 50.0)), Pose::IDENTITY);
    scene.join(Joint::new(axle, frame, pinion, center, center));
    scene.join(Joint::new(SLIDER, frame, rack, up(0.2), up(0.0)));
    let kind = JointKind::Rack { travel: 0.2 };
    scene.join(Joint::new(kind, pinion, rack, center, up(0.0)));
    [pinion, rack]
}

/// A pinion of 0.2 m per radian on a rack that a weight of 3 kg hangs from: by hand, the pinion's
/// motor needs `m g` times 0.2 m, and the weight rises by 0.2 m for each radian.
#[test]
fn a_rack_lifts_by_its_travel() {
    let mut scene = Scene::new();
    add_rack(&mut scene, GROUND);
    scene.run(120);
    let turned = f64::from(scene.state(0).angles.z);
    let risen = scene.state(1).translation.z;
    assert_near(turned, 2.0, 0.01);
    assert_near(risen, 0.2 * turned, 1e-3);
    assert_near(f64::from(scene.force(2).force.y), 3.0 * 9.81, 0.02);
    assert_near(f64::from(scene.force(0).torque.z), 0.2 * 3.0 * 9.81, 0.02);
}

/// Pinion and rack in a frame that flies and turns freely: the rack moves by its travel on the frame, for
/// each radian that the pinion turns there, and momentum and angular momentum stay.
#[test]
fn a_rack_is_told_from_its_pinion_wherever_both_go() {
    for (velocity, spin) in [
        (Vec3::ZERO, Vec3::ZERO),
        (Vec3::new(1.0, -4.0, 2.0), Vec3::ZERO),
        (Vec3::new(1.0, -4.0, 2.0), Vec3::new(0.3, 0.5, -0.8)),
    ] {
        let mut scene = Scene::new();
        scene.settings.gravity = Vec3::ZERO;
        let frame = scene.add(box_body(Vec3::ZERO, Vec3::new(0.5, 0.5, 0.1), 20.0));
        let [pinion, rack] = add_rack(&mut scene, frame);
        for body in [frame, pinion, rack] {
            let body = scene.body_mut(body);
            body.linear_velocity = velocity + spin.cross(body.center.as_vec3());
            body.angular_velocity = spin;
        }
        let before = scene.momentum();
        scene.run(120);
        let turned = f64::from(scene.state(0).angles.z);
        let moved = scene.state(1).translation.z;
        assert_near(turned, 2.0, 0.02);
        assert_near(moved, 0.2 * turned, 1e-3);
        let after = scene.momentum();
        assert_near((after.0 - before.0).length(), 0.0, 5e-3);
        assert_near((after.1 - before.1).length(), 0.0, 5e-3);
    }
}
