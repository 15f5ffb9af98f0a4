//! Trees of joints: what a direct solution promises, and what mechanics says of it.

mod scene;

use drystone_geometry::glam::{DVec3, Vec3};
use drystone_geometry::{Pose, rotation};
use drystone_solver::joint::{JointForce, JointLimit, JointMotor, JointSpring, JointState};
use drystone_solver::{Body, Joint, JointKind};
use scene::{GROUND, HINGE, Scene, WELD, assert_near, ball_body, box_body};

/// Where a joint's frame is on a body that stands at `center`, not turned, with Z along `axis`.
fn frame(center: Vec3, place: Vec3, axis: Vec3) -> Pose {
    Pose {
        rotation: rotation::between(Vec3::Z, axis),
        translation: place - center,
    }
}

fn center(scene: &Scene, body: u32) -> Vec3 {
    match scene.table().awake_slot(body) {
        Some(slot) => scene.bodies[slot].center.as_vec3(),
        None => Vec3::ZERO,
    }
}

/// Joins two bodies that are not turned, at a place of the world.
fn join(scene: &mut Scene, kind: JointKind, a: u32, b: u32, place: Vec3, axis: Vec3) -> usize {
    let frames = [a, b].map(|body| frame(center(scene, body), place, axis));
    scene.join(Joint::new(kind, a, b, frames[0], frames[1]))
}

fn state(scene: &Scene, joint: usize) -> JointState {
    let joint = &scene.joints[joint];
    let pose = |body: u32| scene.table().pose(&scene.bodies, body);
    let velocity = |body: u32| match scene.table().awake_slot(body) {
        Some(slot) => [
            scene.bodies[slot].linear_velocity,
            scene.bodies[slot].angular_velocity,
        ],
        None => [Vec3::ZERO; 2],
    };
    let (a, b) = (joint.body_a, joint.body_b);
    joint.state([&pose(a), &pose(b)], velocity(a), velocity(b))
}

fn force(scene: &Scene, joint: usize) -> JointForce {
    let joint = &scene.joints[joint];
    let pose = |body: u32| scene.table().pose(&scene.bodies, body);
    let substep = scene.settings.dt / scene.settings.substeps as f32;
    joint.force(&pose(joint.body_a), &pose(joint.body_b), substep)
}

fn widest_gap(scene: &Scene) -> f64 {
    (0..scene.joints.len())
        .map(|joint| state(scene, joint).translation.length())
        .fold(0.0, f64::max)
}

/// Numbers from 0 to 1 that look random.
fn random(seed: &mut u32) -> f32 {
    *seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
    (*seed >> 8) as f32 / (1 << 24) as f32
}

fn random_vector(seed: &mut u32) -> Vec3 {
    let mut part = || 2.0 * random(seed) - 1.0;
    Vec3::new(part(), part(), part())
}

/// A tree of 20 boxes, each hung on a random one before it by a ball, a hinge or a weld, masses
/// from 1 to `ratio`, thrown apart: after one step no locked direction has a
/// speed. That is what the constraints say; the last sweep alone sees to it.
#[test]
fn after_a_step_no_locked_direction_has_a_speed() {
    for (seed, ratio, held) in [
        (1, 1.0, false),
        (2, 100.0, true),
        (3, 1000.0, false),
        (4, 1000.0, true),
    ] {
        let mut seed = seed;
        let mut scene = Scene::new();
        let mut bodies: Vec<u32> = Vec::new();
        for index in 0..20 {
            let place = 1.5 * index as f32 * Vec3::X + random_vector(&mut seed);
            let half = Vec3::splat(0.2) + 0.3 * random_vector(&mut seed).abs();
            let mass = libm::powf(ratio, random(&mut seed));
            let mut body = box_body(place, half, mass);
            body.linear_velocity = random_vector(&mut seed);
            body.angular_velocity = random_vector(&mut seed);
            let body = scene.add(body);
            if let Some(&other) = bodies
                .iter()
                .rev()
                .nth((3.0 * random(&mut seed)) as usize % index.max(1))
            {
                let kind = match index % 3 {
                    0 => JointKind::BALL,
                    1 => HINGE,
                    _ => WELD,
                };
                let place = 0.5 * (center(&scene, other) + place);
                let axis = (random_vector(&mut seed) + 0.1 * Vec3::Y).normalize();
                let [a, b] = if index % 2 == 0 {
                    [other, body]
                } else {
                    [body, other]
                };
                join(&mut scene, kind, a, b, place, axis);
            } else if held {
                join(&mut scene, WELD, GROUND, body, place, Vec3::Y);
            }
            bodies.push(body);
        }
        scene.run(2);
        for index in 0..scene.joints.len() {
            let state = state(&scene, index);
            let (v, w) = (state.linear_velocity, state.angular_velocity);
            let locked = match scene.joints[index].kind {
                JointKind::Ball { .. } => Vec3::ZERO,
                JointKind::Hinge { .. } => w - w.z * Vec3::Z,
                _ => w,
            };
            assert!(v.length() < 1e-3, "{ratio}: joint {index} moves at {v}");
            assert!(
                locked.length() < 2e-3,
                "{ratio}: joint {index} turns at {locked}"
            );
        }
    }
}

/// A bridge of twelve planks, held at both ends, two hinges or four balls from plank to plank,
/// after twenty seconds of damped swinging. By hand: each end carries half of the weight, the
/// joints of a pair share it, none pulls against another, and nothing opens.
#[test]
fn a_bridge_of_planks_hangs_and_its_joints_share_the_load() {
    for (kind, sides) in [
        (HINGE, vec![-0.9, 0.9]),
        (JointKind::BALL, vec![-0.9, -0.3, 0.3, 0.9]),
    ] {
        for dt in [1.0 / 60.0, 1.0 / 30.0] {
            let mut scene = Scene::new();
            scene.settings.dt = dt;
            let mut planks = vec![GROUND];
            for index in 0..12 {
                let place = Vec3::new(0.25 + 0.5 * index as f32, 0.0, 0.0);
                let mut plank = box_body(place, Vec3::new(0.24, 0.05, 1.0), 20.0);
                plank.linear_damping = 0.5;
                plank.angular_damping = 2.0;
                planks.push(scene.add(plank));
            }
            planks.push(GROUND);
            let mut most = 0.0_f64;
            for (index, pair) in planks.windows(2).enumerate() {
                for &side in &sides {
                    // A little slack, without which a level bridge pulls without bound.
                    let place = Vec3::new(0.5 * index as f32, 0.0, side);
                    let joint = join(&mut scene, kind.clone(), pair[0], pair[1], place, Vec3::Z);
                    if pair[1] == GROUND {
                        scene.joints[joint].frame_b.translation.x -= 0.3;
                    }
                }
            }
            for step in 0..(20.0 / dt) as usize {
                scene.step();
                if step > 300 {
                    most = most.max(widest_gap(&scene));
                }
            }
            let count = sides.len();
            let shares: Vec<f64> = (0..count)
                .map(|joint| f64::from(force(&scene, joint).force.y))
                .collect();
            let weight = 12.0 * 20.0 * 9.81;
            assert_near(shares.iter().sum::<f64>(), 0.5 * weight, 0.02 * weight);
            for share in shares {
                let even = 0.5 * weight / count as f64;
                assert!(
                    share > 0.5 * even && share < 1.5 * even,
                    "{share} of {even}"
                );
            }
            assert!(most < 0.001, "{count} at {dt}: gap {most}");
        }
    }
}

/// A load of 1 t on a rope of 24 links of half a kilogram, pushed aside at 2 m/s. By hand: it
/// rises by `v^2 / 2g` and never more, and the rope does not shake.
#[test]
fn a_rope_two_thousand_times_lighter_than_its_load_is_calm() {
    for dt in [1.0 / 60.0, 1.0 / 120.0] {
        let mut scene = Scene::new();
        scene.settings.dt = dt;
        let mut last = GROUND;
        for index in 0..24 {
            let place = Vec3::new(0.0, -0.125 - 0.25 * index as f32, 0.0);
            let link = scene.add(box_body(place, Vec3::new(0.03, 0.125, 0.03), 0.5));
            let top = place + 0.125 * Vec3::Y;
            join(&mut scene, JointKind::BALL, last, link, top, Vec3::Y);
            last = link;
        }
        let mut load = ball_body(Vec3::new(0.0, -6.5, 0.0), 0.5, 1000.0);
        load.linear_velocity = 2.0 * Vec3::Z;
        let load = scene.add(load);
        join(
            &mut scene,
            JointKind::BALL,
            last,
            load,
            -6.0 * Vec3::Y,
            Vec3::Y,
        );
        let (mut top, mut gap, mut spin) = (-10.0_f64, 0.0_f64, 0.0_f32);
        for step in 0..(10.0 / dt) as usize {
            scene.step();
            top = top.max(scene.body(load).center.y);
            gap = gap.max(widest_gap(&scene));
            if step as f32 * dt > 3.0 {
                let fastest = |spin: f32, body: &Body| spin.max(body.angular_velocity.length());
                spin = scene.bodies.iter().fold(spin, fastest);
            }
        }
        let rise = 4.0 / (2.0 * 9.81);
        assert_near(top + 6.5, rise, 0.05 * rise);
        assert!(gap < 0.02, "{dt}: gap {gap}");
        assert!(spin < 12.0, "{dt}: spin {spin}");
    }
}

/// A bob that goes round in a circle on a rod that leans by an angle: by hand its rate is
/// `sqrt(g / (L cos angle))`, and height and rate stay for three seconds.
#[test]
fn a_conical_pendulum_keeps_its_height_and_its_rate() {
    for lean in [0.1_f32, 0.3, 0.7] {
        let mut scene = Scene::new();
        let place = Vec3::new(libm::sinf(lean), -libm::cosf(lean), 0.0);
        let rate = libm::sqrtf(9.81 / libm::cosf(lean));
        let mut bob = ball_body(place, 0.01, 1.0);
        bob.angular_velocity = rate * Vec3::Y;
        bob.linear_velocity = bob.angular_velocity.cross(place);
        let bob = scene.add(bob);
        join(
            &mut scene,
            JointKind::BALL,
            GROUND,
            bob,
            Vec3::ZERO,
            Vec3::Y,
        );
        let (mut turned, mut before) = (0.0_f64, place.as_dvec3());
        for _ in 0..180 {
            scene.step();
            let now = scene.body(bob).center;
            let flat = |v: DVec3| DVec3::new(v.x, 0.0, v.z);
            let cross = flat(before).cross(flat(now)).y;
            turned += libm::atan2(cross, flat(before).dot(flat(now)));
            before = now;
            assert_near(now.y, f64::from(place.y), 0.01);
        }
        assert_near(turned, 3.0 * f64::from(rate), 0.03 * f64::from(rate));
    }
}

/// A double pendulum let go level swings as wildly as it can for a minute; without damping its
/// energy may shrink a little and never grows.
#[test]
fn a_double_pendulum_gains_no_energy() {
    for dt in [1.0 / 60.0, 1.0 / 240.0] {
        let mut scene = Scene::new();
        scene.settings.dt = dt;
        let first = scene.add(ball_body(Vec3::X, 0.1, 1.0));
        let second = scene.add(ball_body(2.0 * Vec3::X, 0.1, 1.0));
        join(
            &mut scene,
            JointKind::BALL,
            GROUND,
            first,
            Vec3::ZERO,
            Vec3::Y,
        );
        join(&mut scene, JointKind::BALL, first, second, Vec3::X, Vec3::Y);
        let start = scene.energy();
        // From level it falls by 3 m at most: 2 g + 1 g.
        let scale = 3.0 * 9.81;
        let mut most = 0.0_f64;
        for _ in 0..(60.0 / dt) as usize {
            scene.step();
            most = most.max((scene.energy() - start) / scale);
        }
        assert!(most < 0.02, "{dt}: gained {most}");
    }
}

/// Ten limbs with cones, twists and hinges between stops, thrown apart without gravity: the
/// limits only take energy, and both momenta stay.
#[test]
fn limits_of_a_thrown_ragdoll_only_take_energy() {
    for seed in 1..6 {
        let mut seed = seed;
        let mut scene = Scene::new();
        scene.settings.gravity = Vec3::ZERO;
        let mut limbs: Vec<u32> = Vec::new();
        for index in 0..10_u16 {
            let place = 0.5 * f32::from(index) * Vec3::X;
            let mut limb = box_body(
                place,
                Vec3::new(0.2, 0.08, 0.08),
                1.0 + f32::from(index % 4),
            );
            limb.linear_velocity = 3.0 * random_vector(&mut seed);
            limb.angular_velocity = 8.0 * random_vector(&mut seed);
            let limb = scene.add(limb);
            if let Some(&last) = limbs.last() {
                let range = Some(JointLimit {
                    lower: -0.4,
                    upper: 0.5,
                });
                let place = place - 0.25 * Vec3::X;
                if index % 3 == 0 {
                    let kind = JointKind::Hinge {
                        limit: range,
                        motor: None,
                        spring: None,
                    };
                    join(&mut scene, kind, last, limb, place, Vec3::Y);
                } else {
                    let kind = JointKind::Ball {
                        friction_torque: 0.0,
                        spring: None,
                        cone: Some(0.6),
                        twist: range,
                    };
                    join(&mut scene, kind, last, limb, place, Vec3::X);
                }
            }
            limbs.push(limb);
        }
        let (push, turn) = scene.momentum();
        scene.run(2);
        let mut least = scene.energy();
        let first = least;
        let mut rise = 0.0_f64;
        for _ in 0..900 {
            scene.step();
            let now = scene.energy();
            rise = rise.max((now - least) / first);
            least = least.min(now);
        }
        assert!(rise < 0.02, "{rise}");
        let (now, spun) = scene.momentum();
        assert!((now - push).length() < 1e-3 * push.length(), "{push} {now}");
        assert!(
            (spun - turn).length() < 0.02 * turn.length(),
            "{turn} {spun}"
        );
    }
}

/// A flap that rests on its stop, and one that leans on its cone: once they rest they do not
/// move at all.
#[test]
fn what_rests_on_a_stop_does_not_tremble() {
    let stop = JointKind::Hinge {
        limit: Some(JointLimit {
            lower: -0.5,
            upper: 0.5,
        }),
        motor: None,
        spring: None,
    };
    let cone = JointKind::Ball {
        friction_torque: 0.0,
        spring: None,
        cone: Some(0.5),
        twist: Some(JointLimit {
            lower: -0.1,
            upper: 0.1,
        }),
    };
    for (kind, axis) in [(stop, Vec3::Z), (cone, Vec3::X)] {
        for mass in [0.01, 1.0, 1000.0] {
            let mut scene = Scene::new();
            let mut flap = box_body(Vec3::X, Vec3::new(1.0, 0.1, 0.3), mass);
            flap.angular_damping = 1.0;
            let flap = scene.add(flap);
            join(&mut scene, kind.clone(), GROUND, flap, Vec3::ZERO, axis);
            scene.run(1200);
            let place = scene.body(flap).center;
            let mut fastest = 0.0_f32;
            for _ in 0..300 {
                scene.step();
                fastest = fastest.max(scene.body(flap).surface_speed());
            }
            assert!(fastest < 1e-3, "{mass}: {fastest}");
            let moved = scene.body(flap).center.distance(place);
            assert!(moved < 1e-3, "{mass}: {moved}");
            // The angle of the stop, less what gives way under the weight.
            assert_near(libm::atan2(place.y, place.x), -0.5, 0.01);
        }
    }
}

/// An arm of 1 m and 1 kg on a hinge, level, whose weight asks for 4.905 N m: a motor that has
/// 3 N m stalls and uses them to the last digit, one that has 10 turns at its speed.
#[test]
fn a_stalled_motor_uses_the_torque_it_has() {
    for (max_effort, torque) in [(3.0, Some(3.0)), (10.0, None)] {
        let mut scene = Scene::new();
        let half = Vec3::new(0.5, 0.05, 0.05);
        let arm = scene.add(box_body(0.5 * Vec3::X, half, 1.0));
        let kind = JointKind::Hinge {
            limit: None,
            motor: Some(JointMotor {
                speed: 0.5,
                max_effort,
            }),
            spring: None,
        };
        join(&mut scene, kind, GROUND, arm, Vec3::ZERO, Vec3::Z);
        scene.run(20);
        let turning = f64::from(state(&scene, 0).angular_velocity.z);
        match torque {
            Some(torque) => assert_near(f64::from(force(&scene, 0).torque.z), torque, 1e-4),
            None => assert_near(turning, 0.5, 0.01),
        }
    }
}

/// A servo at the centre of a body, critically damped: it comes to its angle and does not go
/// past it, whatever its frequency.
#[test]
fn a_critically_damped_servo_does_not_overshoot() {
    for hertz in [0.5, 3.0, 20.0] {
        let mut scene = Scene::new();
        scene.settings.gravity = Vec3::ZERO;
        let wheel = scene.add(box_body(Vec3::ZERO, Vec3::new(0.5, 0.05, 0.2), 1.0));
        let kind = JointKind::Hinge {
            limit: None,
            motor: None,
            spring: Some(JointSpring {
                target: 1.0,
                ..JointSpring::new(hertz, 1.0)
            }),
        };
        join(&mut scene, kind, GROUND, wheel, Vec3::ZERO, Vec3::Z);
        let mut farthest = 0.0_f32;
        for _ in 0..600 {
            scene.step();
            farthest = farthest.max(state(&scene, 0).angles.z);
        }
        assert!(farthest < 1.005, "{hertz}: {farthest}");
        assert_near(f64::from(state(&scene, 0).angles.z), 1.0, 1e-3);
    }
}
