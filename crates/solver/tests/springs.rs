//! Springs of joints against the damped oscillator.

mod scene;

use std::f64::consts::TAU;

use drystone_geometry::Pose;
use drystone_geometry::glam::{Quat, Vec3};
use drystone_solver::joint::{JointAxis, JointSpring, SixDofSettings};
use drystone_solver::{Joint, JointKind};
use scene::{GROUND, Scene, assert_near, box_body};

/// What a spring holds, by which joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Held {
    Slider,
    Weld,
    Distance,
    SixDof,
    Hinge,
    Ball,
    Servo,
}

const ALL: [Held; 7] = [
    Held::Slider,
    Held::Weld,
    Held::Distance,
    Held::SixDof,
    Held::Hinge,
    Held::Ball,
    Held::Servo,
];

fn spring(hertz: f32, damping_ratio: f32) -> JointSpring {
    JointSpring {
        target: 0.0,
        hertz,
        damping_ratio,
        max_effort: None,
    }
}

/// A body at rest 0.1 m, or 0.1 rad, off where a spring to the ground pulls it; no gravity.
fn scene(held: Held, spring: JointSpring) -> Scene {
    let mut scene = Scene::new();
    scene.settings.gravity = Vec3::ZERO;
    let turns = matches!(held, Held::Hinge | Held::Ball | Held::Servo);
    let place = if turns { Vec3::ZERO } else { 0.1 * Vec3::Z };
    let mut body = box_body(place, Vec3::new(0.3, 0.2, 0.1), 2.0);
    if turns {
        body.rotation = Quat::from_xyzw(0.0, 0.0, libm::sinf(0.05), libm::cosf(0.05));
    }
    let body = scene.add(body);
    let axis = JointAxis {
        spring: Some(spring),
        ..JointAxis::FREE
    };
    let locked = JointAxis::LOCKED;
    let kind = match held {
        Held::Slider => JointKind::Slider {
            limit: None,
            motor: None,
            spring: Some(spring),
        },
        Held::Weld => JointKind::Weld {
            linear: Some(spring),
            angular: None,
        },
        Held::Distance => JointKind::Distance {
            min: 0.0,
            max: 10.0,
            rest: Some(1.0),
            spring: Some(spring),
        },
        Held::SixDof => JointKind::SixDof(Box::new(SixDofSettings {
            linear: [locked, locked, axis],
            angular: [locked; 3],
        })),
        Held::Servo => JointKind::SixDof(Box::new(SixDofSettings {
            linear: [locked; 3],
            angular: [locked, locked, axis],
        })),
        Held::Hinge => JointKind::Hinge {
            limit: None,
            motor: None,
            spring: Some(spring),
        },
        Held::Ball => JointKind::Ball {
            friction_torque: 0.0,
            spring: Some(spring),
            cone: None,
            twist: None,
        },
    };
    let from = if held == Held::Distance {
        Pose::from_translation(-Vec3::Z)
    } else {
        Pose::IDENTITY
    };
    scene.join(Joint::new(kind, GROUND, body, from, Pose::IDENTITY));
    scene
}

/// How far the body is off, in metres or radians.
fn off(scene: &Scene, held: Held) -> f64 {
    let body = &scene.bodies[0];
    match held {
        Held::Hinge | Held::Ball | Held::Servo => {
            2.0 * f64::from(libm::atan2f(body.rotation.z, body.rotation.w))
        }
        _ => body.center.z,
    }
}

/// Times at which the motion goes through 0 upwards, and greatest ways in between.
fn swings(scene: &mut Scene, held: Held, dt: f64, seconds: f64) -> (Vec<f64>, Vec<f64>) {
    let (mut times, mut peaks, mut peak) = (Vec::new(), Vec::new(), 0.0_f64);
    let mut before = off(scene, held);
    for step in 1..=(seconds / dt) as u32 {
        scene.step();
        let now = off(scene, held);
        peak = peak.max(now);
        if before < 0.0 && now >= 0.0 {
            times.push((f64::from(step) - now / (now - before)) * dt);
            peaks.push(peak);
            peak = 0.0;
        }
        before = now;
    }
    (times, peaks)
}

/// Mean period and mean logarithm of the ratio of peaks that follow each other, of a body seen after
/// every sub-step of `h` seconds.
fn measured(held: Held, spring: JointSpring, h: f32) -> (f64, f64) {
    let mut scene = scene(held, spring);
    (scene.settings.dt, scene.settings.substeps) = (h, 1);
    let seconds = 8.0 / f64::from(spring.hertz);
    let (times, peaks) = swings(&mut scene, held, f64::from(h), seconds);
    let last = times.len() - 1;
    let period = (times[last] - times[0]) / last as f64;
    (
        period,
        libm::log(peaks[1] / peaks[last]) / (last - 1) as f64,
    )
}

/// Springs of every joint that has one, against `x'' + 2 zeta omega x' + omega^2 x = 0`: a period is
/// `2 pi / (omega sqrt(1 - zeta^2))`, and from peak to peak the logarithm falls by
/// `2 pi zeta / sqrt(1 - zeta^2)`. The period may be off by what the sub-step leaves out,
/// `zeta omega h / 2` and `(omega h)^2 / 24`; of the decay only what is of second order.
#[test]
fn springs_swing_and_fade_as_the_damped_oscillator_does() {
    for held in ALL {
        for hertz in [0.5, 2.0, 8.0, 20.0] {
            for ratio in [0.0, 0.05, 0.1, 0.3] {
                // So many periods of slow springs are many sub-steps.
                for h in
                    [1.0 / 240.0, 1.0 / 960.0]
                        .into_iter()
                        .take(if hertz < 1.0 { 1 } else { 2 })
                {
                    let (period, decay) = measured(held, spring(hertz, ratio), h);
                    let (hertz, ratio, h) = (f64::from(hertz), f64::from(ratio), f64::from(h));
                    let damped = (1.0 - ratio * ratio).sqrt();
                    let angle = TAU * hertz * h;
                    let exact = 1.0 / (hertz * damped);
                    let error = 0.6 * ratio * angle + angle * angle / 20.0 + 0.001;
                    assert_near(period / exact, 1.0, error);
                    let error = 0.05 * ratio * angle + 0.02 * angle * angle + 0.0002;
                    let exact = TAU * ratio / damped;
                    assert_near(decay, exact, error * (1.0 + exact));
                }
            }
        }
    }
}

/// A spring that nothing damps, for twenty seconds at 60 steps a second: it keeps its way, and gains nothing.
#[test]
fn undamped_springs_keep_swinging_as_far() {
    for held in ALL {
        for hertz in [0.5, 3.0, 10.0, 20.0] {
            for substeps in [4, 16] {
                let mut scene = scene(held, spring(hertz, 0.0));
                scene.settings.substeps = substeps;
                let mut last = 0.0_f64;
                for step in 0..1200 {
                    scene.step();
                    if step >= 900 {
                        last = last.max(off(&scene, held).abs());
                    }
                }
                let what = format!("{held:?} {hertz} Hz, {substeps} sub-steps: {last}");
                // By how much peaks are missed between steps, and of the pace of the first sub-step.
                let missed = f64::from(hertz / 60.0 * hertz / 60.0) * 6.0 * 0.1;
                assert!(last < 0.105, "{what}");
                assert!(last > 0.098 - missed, "{what}");
            }
        }
    }
}

/// Critically damped springs, and those damped harder, from 0.5 Hz to far above what sub-steps resolve: they come home
/// from one side, and stay.
#[test]
fn critically_damped_springs_come_home_without_overshoot() {
    for held in ALL {
        for hertz in [0.5, 2.0, 8.0, 20.0, 25.0, 60.0, 1000.0] {
            for ratio in [1.0, 3.0] {
                for (dt, substeps) in [(1.0 / 60.0, 1), (1.0 / 60.0, 4), (1.0 / 60.0, 16)] {
                    let mut scene = scene(held, spring(hertz, ratio));
                    (scene.settings.dt, scene.settings.substeps) = (dt, substeps);
                    let mut least = 1.0_f64;
                    for _ in 0..(2.0 / dt) as u32 {
                        scene.step();
                        least = least.min(off(&scene, held));
                    }
                    let what = format!("{held:?} {hertz} Hz {ratio} {substeps}: {least}");
                    assert!(least > -1e-4, "{what}");
                    // The slow part of it fades with `omega / 2 zeta`, in 2 s.
                    let left = 0.3 * libm::exp(-TAU * f64::from(hertz / ratio));
                    assert!(off(&scene, held) < left + 1e-3, "{what}");
                }
            }
        }
    }
}

/// An arm held at its end by a servo at its joint is far harder to turn than the servo's frequency
/// takes it for. By hand: without damping its energy does not grow, with it the arm ends where weight
/// and spring balance, `m g r = I omega^2 angle`, whatever the frequency.
#[test]
fn a_servo_at_the_end_of_an_arm_swings_out() {
    for held in [Held::Hinge, Held::Servo] {
        for (hertz, ratio) in [(20.0, 0.3), (20.0, 1.0), (25.0, 0.5), (60.0, 1.0)] {
            let mut scene = scene(held, spring(hertz, ratio));
            scene.settings.gravity = -9.81 * Vec3::Y;
            scene.joints[0].frame_b.translation = -0.5 * Vec3::X;
            let body = &mut scene.bodies[0];
            body.rotation = Quat::IDENTITY;
            body.center = 0.5 * Vec3::X.as_dvec3();
            let inertia = f64::from(body.inertia.z);
            scene.run(1200);
            let omega = TAU * f64::from(hertz);
            let sag = 2.0 * 9.81 * 0.5 / (inertia * omega * omega);
            assert_near(off(&scene, held), -sag, 0.02 * sag + 2e-4);
            assert!(
                scene.bodies[0].angular_velocity.length() < 0.01,
                "{held:?} {hertz} {ratio}"
            );
        }
    }
}
