//! Sliders, wheels and six axes: what is free moves freely, what is locked stays,
//! motors and servos do what they are told, and forces are those of the textbook.

mod scene;

use drystone_geometry::Pose;
use drystone_geometry::glam::{DVec3, Vec3};
use drystone_geometry::rotation;
use drystone_solver::joint::{
    JointAxis, JointLimit, JointMotor, JointSpring, SixDofSettings, WheelSettings,
};
use drystone_solver::{Joint, JointKind};
use scene::{GROUND, Scene, assert_near, ball_body, box_body};

const SLIDER: JointKind = JointKind::Slider {
    limit: None,
    motor: None,
    spring: None,
};

const HINGE: JointKind = JointKind::Hinge {
    limit: None,
    motor: None,
    spring: None,
};

/// A frame whose Z lies along `axis`, at `place`.
fn frame(axis: Vec3, place: Vec3) -> Pose {
    Pose {
        rotation: rotation::between(Vec3::Z, axis),
        translation: place,
    }
}

fn limit(lower: f32, upper: f32) -> Option<JointLimit> {
    Some(JointLimit { lower, upper })
}

fn servo(hertz: f32, target: f32) -> Option<JointSpring> {
    Some(JointSpring {
        target,
        ..JointSpring::new(hertz, 1.0)
    })
}

fn motor(speed: f32, max_effort: f32) -> Option<JointMotor> {
    Some(JointMotor { speed, max_effort })
}

/// A box held by `kind` to the ground, its centre at `place`, the joint at its centre.
fn held(kind: JointKind, axis: Vec3, place: Vec3, mass: f32) -> Scene {
    let mut scene = Scene::new();
    let half = Vec3::new(0.2, 0.3, 0.4);
    let body = scene.add(box_body(place, half, mass));
    let frames = [frame(axis, place), frame(axis, Vec3::ZERO)];
    scene.join(Joint::new(kind, GROUND, body, frames[0], frames[1]));
    scene
}

/// A box on a slope of a free slider falls along it with `g sin(theta)`, does not leave it and
/// does not turn, wherever its anchor is; by hand.
#[test]
fn a_slider_moves_along_its_axis_and_nowhere_else() {
    for degrees in [0.0_f32, 30.0, 60.0, 90.0] {
        let angle = degrees.to_radians();
        let axis = Vec3::new(libm::cosf(angle), -libm::sinf(angle), 0.0);
        let mut scene = Scene::new();
        let body = scene.add(box_body(Vec3::ZERO, Vec3::new(0.2, 0.3, 0.4), 2.0));
        let arm = Vec3::new(0.1, 0.2, -0.3);
        let frames = [frame(axis, arm), frame(axis, arm)];
        scene.join(Joint::new(SLIDER, GROUND, body, frames[0], frames[1]));
        scene.run(60);
        let state = scene.state(0);
        let speed = 9.81 * f64::from(libm::sinf(angle));
        assert_near(
            f64::from(state.linear_velocity.z),
            speed,
            1e-3 + 1e-3 * speed,
        );
        assert!(state.translation.x.abs() < 1e-3 && state.translation.y.abs() < 1e-3);
        let tilt = Vec3::new(state.rotation.x, state.rotation.y, state.rotation.z);
        assert!(tilt.length() < 1e-3, "{degrees}: {tilt}");
    }
}

/// A weight hangs from the lower stop of an upright slider, lies on its upper one, is held by a
/// servo that is stiff, and sags by `g / omega^2` on one that is not: by hand. The joint reads
/// its weight each time.
#[test]
fn stops_and_servos_of_a_slider_carry_a_weight() {
    let sag = 9.81 / (2.0 * std::f32::consts::PI * 1.5).powi(2);
    let slider = |limit, spring| JointKind::Slider {
        limit,
        motor: None,
        spring,
    };
    for (kind, axis, expected) in [
        (slider(limit(-0.25, 1.0), None), Vec3::Y, -0.25),
        (slider(limit(-2.0, 0.125), None), -Vec3::Y, 0.125),
        (slider(limit(0.5, 0.5), None), Vec3::Y, 0.5),
        (slider(None, servo(1.5, 0.0)), Vec3::Y, -sag),
        (slider(None, servo(1.5, 0.5)), Vec3::Y, 0.5 - sag),
        (
            slider(None, servo(20.0, -0.5)),
            -Vec3::Y,
            -0.5 + 9.81 / 15791.4,
        ),
    ] {
        let mut scene = held(kind, axis, Vec3::new(0.0, 2.0, 0.0), 3.0);
        scene.run(600);
        let found = scene.state(0).translation.z;
        assert_near(found, f64::from(expected), 2e-3);
        let pull = scene.force(0).force;
        assert!(
            pull.abs_diff_eq(Vec3::new(0.0, 3.0 * 9.81, 0.0), 0.05),
            "{pull}"
        );
    }
}

/// A motor of 30 N lifts 2 kg by `30 / 2 - g`, and reaches its speed; one of 15 N cannot, and the
/// weight sinks by `15 / 2 - g`. By hand.
#[test]
fn a_motor_of_a_slider_has_only_the_force_it_is_given() {
    for (most, acceleration) in [(30.0, 5.19), (15.0, -2.31)] {
        let kind = JointKind::Slider {
            limit: None,
            motor: motor(2.0, most),
            spring: None,
        };
        let mut scene = held(kind, Vec3::Y, Vec3::ZERO, 2.0);
        scene.run(15);
        let speed = f64::from(scene.state(0).linear_velocity.z);
        assert_near(speed, 0.25 * acceleration, 0.01);
        assert_near(f64::from(scene.force(0).force.y), f64::from(most), 0.01);
        scene.run(60);
        let speed = f64::from(scene.state(0).linear_velocity.z);
        assert_near(
            speed,
            if most > 20.0 {
                2.0
            } else {
                1.25 * acceleration
            },
            0.02,
        );
    }
}

/// An arm with a weight 0.5 m out. A servo of a hinge holds it level with `m g r`, unless it is
/// given less, and then gives just that: by hand.
#[test]
fn a_servo_of_a_hinge_reaches_its_angle_or_its_torque() {
    for (most, holds) in [(None, true), (Some(30.0), true), (Some(10.0), false)] {
        let spring = JointSpring {
            max_effort: most,
            ..JointSpring::new(60.0, 1.0)
        };
        let kind = JointKind::Hinge {
            limit: None,
            motor: None,
            spring: Some(spring),
        };
        let mut scene = Scene::new();
        let arm = scene.add(ball_body(Vec3::new(0.5, 0.0, 0.0), 0.1, 4.0));
        let frames = [
            frame(Vec3::Z, Vec3::ZERO),
            frame(Vec3::Z, Vec3::new(-0.5, 0.0, 0.0)),
        ];
        scene.join(Joint::new(kind, GROUND, arm, frames[0], frames[1]));
        scene.run(if holds { 300 } else { 20 });
        let torque = f64::from(scene.force(0).torque.z);
        let angle = f64::from(scene.state(0).angles.z);
        if holds {
            assert_near(torque, 4.0 * 9.81 * 0.5, 0.05);
            // The spring sags by the torque over its stiffness, `I (2 pi f)^2`, with the
            // inertia about the centre.
            let inertia = 0.4 * 4.0 * 0.01;
            let sag = 19.62 / (inertia * (2.0 * std::f64::consts::PI * 60.0_f64).powi(2));
            assert_near(angle, -sag, 1e-3);
        } else {
            assert_near(torque, 10.0, 1e-3);
            assert!(angle < -0.1, "{angle}");
        }
    }
}

/// A weight on six axes. Locked ones hold, a limited one stops at its bound, free ones fall or
/// turn freely, driven ones reach their speed.
#[test]
fn six_axes_are_each_what_they_are_set_to() {
    let locked = [JointAxis::LOCKED; 3];
    let with = |axis| JointKind::SixDof(Box::new(axis));
    // Y may fall by a quarter.
    let mut linear = locked;
    linear[1].limit = limit(-0.25, 0.0);
    let mut scene = held(
        with(SixDofSettings {
            linear,
            angular: locked,
        }),
        Vec3::Z,
        Vec3::ZERO,
        2.0,
    );
    scene.run(120);
    let found = scene.state(0);
    assert!(found.translation.distance(DVec3::new(0.0, -0.25, 0.0)) < 2e-3);
    assert_near(f64::from(scene.force(0).force.y), 19.62, 0.05);

    // Each ring driven alone turns at its speed, the others stay.
    for ring in 0..3 {
        let mut angular = locked;
        angular[ring] = JointAxis {
            motor: motor(0.5, 100.0),
            ..JointAxis::FREE
        };
        let settings = SixDofSettings {
            linear: locked,
            angular,
        };
        let mut scene = held(with(settings), Vec3::Z, Vec3::ZERO, 2.0);
        scene.run(120);
        let found = scene.state(0);
        let mut expected = Vec3::ZERO;
        expected[ring] = 1.0;
        assert!(found.angles.abs_diff_eq(expected, 0.01), "{}", found.angles);
        assert!(found.translation.length() < 1e-3);
    }

    // A servo of all three rings reaches a skew pose exactly, without load.
    let target = Vec3::new(0.8, -0.5, 1.1);
    let mut angular = locked;
    for ring in 0..3 {
        angular[ring] = JointAxis {
            spring: servo(3.0, target[ring]),
            ..JointAxis::FREE
        };
    }
    let settings = SixDofSettings {
        linear: locked,
        angular,
    };
    let mut scene = held(with(settings), Vec3::Z, Vec3::ZERO, 2.0);
    scene.run(240);
    let found = scene.state(0).angles;
    assert!(found.abs_diff_eq(target, 2e-3), "{found}");
}

/// All axes locked hold a lever as a weld does: weight, and weight times arm. By hand.
#[test]
fn six_locked_axes_are_a_weld() {
    let mut scene = Scene::new();
    let lever = scene.add(box_body(
        Vec3::new(1.0, 0.0, 0.0),
        Vec3::new(1.0, 0.1, 0.1),
        2.0,
    ));
    let settings = SixDofSettings {
        linear: [JointAxis::LOCKED; 3],
        angular: [JointAxis::LOCKED; 3],
    };
    let frames = [Pose::IDENTITY, frame(Vec3::Z, -Vec3::X)];
    let kind = JointKind::SixDof(Box::new(settings));
    scene.join(Joint::new(kind, GROUND, lever, frames[0], frames[1]));
    scene.run(240);
    let found = scene.force(0);
    assert!(found.force.abs_diff_eq(Vec3::new(0.0, 19.62, 0.0), 0.02));
    assert!(
        found.torque.abs_diff_eq(Vec3::new(0.0, 0.0, 19.62), 0.05),
        "{}",
        found.torque
    );
    assert!(scene.state(0).translation.length() < 1e-3);
}

/// A wheel carries a quarter of a car. By hand: it sags by `g / omega^2`, its stops hold, its
/// steering reaches its angle while its camber stays, and its motor its speed.
#[test]
fn a_wheel_springs_steers_and_turns() {
    let settings = WheelSettings {
        suspension: JointAxis {
            limit: limit(-0.3, 0.3),
            motor: None,
            spring: servo(2.0, 0.0),
        },
        steering: Some(JointAxis {
            limit: limit(-0.6, 0.6),
            motor: None,
            spring: servo(4.0, 0.4),
        }),
        motor: motor(10.0, 20.0),
    };
    for steered in [true, false] {
        let settings = WheelSettings {
            steering: settings.steering.filter(|_| steered),
            ..settings
        };
        let mut scene = held(
            JointKind::Wheel(Box::new(settings)),
            Vec3::Z,
            Vec3::ZERO,
            5.0,
        );
        let wheel = scene.joints[0].body_b;
        let disc = ball_body(Vec3::ZERO, 0.3, 5.0);
        scene.body_mut(wheel).inertia = disc.inertia;
        scene.body_mut(wheel).inverse_inertia = disc.inverse_inertia;
        scene.run(300);
        let found = scene.state(0);
        let sag = 9.81 / (2.0 * std::f64::consts::PI * 2.0).powi(2);
        assert_near(found.translation.y, -sag, 2e-3);
        assert!(found.translation.x.abs() < 1e-3 && found.translation.z.abs() < 1e-3);
        assert_near(f64::from(scene.force(0).force.y), 5.0 * 9.81, 0.05);
        let axle = rotation::rotate(found.rotation, Vec3::Z);
        assert_near(f64::from(axle.y), 0.0, 1e-3);
        assert_near(f64::from(found.angular_velocity.dot(axle)), 10.0, 0.01);
        let expected = if steered { 0.4 } else { 0.0 };
        assert_near(f64::from(found.angles.y), expected, 5e-3);
    }
}

/// Two free bodies on a slider that is pushed, spun and stopped: nothing outside acts, so both
/// momenta stay. Known from conservation.
#[test]
fn a_slider_between_free_bodies_conserves_both_momenta() {
    let mut scene = Scene::new();
    scene.settings.gravity = Vec3::ZERO;
    let a = scene.add(ball_body(Vec3::ZERO, 0.5, 2.0));
    let b = scene.add(ball_body(Vec3::new(0.6, 0.8, 0.0), 0.4, 1.0));
    let kind = JointKind::Slider {
        limit: limit(-0.5, 0.5),
        motor: motor(1.0, 3.0),
        spring: None,
    };
    let middle = Vec3::new(0.3, 0.4, 0.0);
    let axis = Vec3::new(0.6, 0.8, 0.0);
    scene.join(Joint::new(
        kind,
        a,
        b,
        frame(axis, middle),
        frame(axis, -middle),
    ));
    scene.body_mut(a).linear_velocity = Vec3::new(0.5, -1.0, 2.0);
    scene.body_mut(b).angular_velocity = Vec3::new(1.0, 2.0, 0.5);
    let momenta = |scene: &Scene| {
        let (mut linear, mut angular) = (DVec3::ZERO, DVec3::ZERO);
        for body in &scene.bodies {
            let p = (body.linear_velocity / body.inverse_mass).as_dvec3();
            linear += p;
            angular += body.center.cross(p) + (body.angular_velocity * body.inertia.x).as_dvec3();
        }
        (linear, angular)
    };
    let before = momenta(&scene);
    scene.run(120);
    let after = momenta(&scene);
    assert!(before.0.distance(after.0) < 1e-4, "{before:?} {after:?}");
    assert!(
        before.1.distance(after.1) < 2e-3 * before.1.length(),
        "{before:?} {after:?}"
    );
    let way = scene.state(0).translation;
    assert!(
        way.x.abs() < 2e-3 && way.y.abs() < 2e-3 && way.z < 0.502,
        "{way}"
    );
}

/// A hinge that nothing drives and no gravity acts on keeps turning at its speed.
#[test]
fn a_free_hinge_keeps_its_spin() {
    let mut scene = held(HINGE, Vec3::Z, Vec3::ZERO, 1.0);
    scene.settings.gravity = Vec3::ZERO;
    scene.bodies[0].angular_velocity = 4.0 * Vec3::Z;
    scene.run(600);
    assert_near(f64::from(scene.state(0).angular_velocity.z), 4.0, 1e-3);
}
