//! Bodies alone: spin, damping, locks, caps, kinematic motion, rest.

mod scene;

use drystone_geometry::glam::{DVec3, Quat, Vec3};
use drystone_geometry::rotation;
use drystone_solver::{AxisLocks, Contact};
use scene::{
    Scene, Source, angular_momentum, assert_near, ball_body, box_body, kinematic_body,
    rotational_energy,
};

fn spinning(half: Vec3, mass: f32, spin: Vec3, dt: f32) -> Scene {
    let mut scene = Scene::new();
    scene.settings.gravity = Vec3::ZERO;
    scene.settings.dt = dt;
    let mut body = box_body(Vec3::ZERO, half, mass);
    body.angular_velocity = spin;
    scene.add(body);
    scene
}

/// Bricks in free spin for many turns. By conservation: energy, length and direction of the
/// angular momentum.
#[test]
fn free_spin_keeps_energy_and_angular_momentum() {
    let cases = [
        (
            Vec3::new(0.5, 0.25, 0.1),
            1.0,
            Vec3::new(1.0, 10.0, 0.5),
            20.0,
        ),
        (
            Vec3::new(1.0, 2.0, 3.0),
            48.0,
            Vec3::new(6.0, 6.0, 0.0),
            10.0,
        ),
        (
            Vec3::new(1.0, 0.01, 0.02),
            1.0,
            Vec3::new(900.0, 30.0, 20.0),
            20.0,
        ),
    ];
    for (half, mass, spin, time) in cases {
        let dt = 1.0 / 60.0;
        let mut scene = spinning(half, mass, spin, dt);
        let momentum = angular_momentum(&scene.bodies[0]);
        let energy = rotational_energy(&scene.bodies[0]);
        for _ in 0..(time / dt) as usize {
            scene.step();
            let body = &scene.bodies[0];
            let ratio = rotational_energy(body) / energy;
            assert!((0.999..1.001).contains(&ratio), "{half}: energy {ratio}");
            let drift = (angular_momentum(body) - momentum).length() / momentum.length();
            assert!(drift < 0.003, "{half}: momentum {drift}");
        }
    }
}

/// A brick about its middle axis turns over again and again. Known: every 1.13350 s, from the
/// elliptic integral of Euler's equations.
#[test]
fn a_brick_flips_at_the_interval_of_theory() {
    for (dt, error) in [(1.0 / 60.0, 0.03), (1.0 / 240.0, 0.01)] {
        let spin = Vec3::new(1.0, 10.0, 0.5);
        let mut scene = spinning(Vec3::new(0.5, 0.25, 0.1), 1.0, spin, dt);
        let (mut flips, mut before) = (Vec::new(), 10.0_f32);
        for step in 0..(8.0 / dt) as usize {
            scene.step();
            let body = &scene.bodies[0];
            let rate = rotation::rotate_inverse(body.rotation, body.angular_velocity).y;
            if rate * before < 0.0 {
                flips.push(step as f64 * f64::from(dt));
            }
            before = rate;
        }
        let mean = (flips[4] - flips[0]) / 4.0;
        println!("dt {dt}: flip {mean}");
        assert_near(mean, 1.133_503_431_642_433_7, error * 1.1335);
    }
}

/// A body whose principal axes are not its own axes spins just like one whose axes are: the
/// same brick described twice.
#[test]
fn principal_axes_may_be_tilted() {
    let tilt = rotation::from_scaled_axis(Vec3::new(0.3, -0.8, 0.5));
    let spin = Vec3::new(1.0, 10.0, 0.5);
    let mut plain = spinning(Vec3::new(0.5, 0.25, 0.1), 1.0, spin, 1.0 / 60.0);
    let mut tilted = plain.clone();
    tilted.bodies[0].principal_rotation = tilt;
    tilted.bodies[0].rotation = rotation::conjugate(tilt);
    plain.run(60);
    tilted.run(60);
    let (a, b) = (
        plain.bodies[0].angular_velocity,
        tilted.bodies[0].angular_velocity,
    );
    assert!(a.abs_diff_eq(b, 0.01), "{a} {b}");
}

/// Free fall with and without gravity scale and damping. By hand: `x = g t^2 / 2`, and
/// velocity decays like `exp(-c t)`.
#[test]
fn gravity_scale_and_damping_act_as_stated() {
    let mut scene = Scene::new();
    let fall = scene.add(ball_body(Vec3::ZERO, 0.1, 1.0));
    let float = scene.add(ball_body(Vec3::X, 0.1, 1.0));
    scene.body_mut(float).gravity_scale = 0.0;
    scene.body_mut(float).linear_velocity = Vec3::X;
    scene.body_mut(float).linear_damping = 0.5;
    let push = scene.add(ball_body(Vec3::Z, 0.1, 2.0));
    scene.body_mut(push).gravity_scale = 0.0;
    scene.body_mut(push).force = Vec3::new(120.0, 0.0, 0.0);
    scene.run(60);
    assert_near(scene.body(fall).center.y, -0.5 * 9.81, 0.03);
    assert_near(
        f64::from(scene.body(float).linear_velocity.x),
        libm::exp(-0.5),
        1e-3,
    );
    // One step of 1/60 s at 120 N on 2 kg, then nothing: the force was cleared.
    assert_near(f64::from(scene.body(push).linear_velocity.x), 1.0, 1e-5);
}

/// A locked body in contact. By hand: it moves along no locked axis, turns about none, and still
/// slides and collides along the free ones.
#[test]
fn locked_axes_do_not_move() {
    let mut scene = Scene::new();
    let mut body = ball_body(Vec3::new(0.0, 0.5, 0.0), 0.5, 1.0);
    body.locks = AxisLocks::new([false, false, true], [true, true, false]);
    body.linear_velocity = Vec3::new(1.0, 0.0, 3.0);
    body.angular_velocity = Vec3::new(4.0, 5.0, 0.0);
    let ball = scene.add(body);
    scene.touch(
        Source::BallOnGround {
            body: ball,
            radius: 0.5,
        },
        Contact::default(),
    );
    scene.run(60);
    let body = scene.body(ball);
    assert_eq!(body.center.z, 0.0);
    assert_eq!(body.linear_velocity.z, 0.0);
    assert_eq!(
        (body.angular_velocity.x, body.angular_velocity.y),
        (0.0, 0.0)
    );
    // Friction makes a ball that may only turn about Z roll: two thirds stay of a disc's
    // speed, five sevenths of a ball's.
    assert_near(f64::from(body.linear_velocity.x), 5.0 / 7.0, 0.01);
    assert_near(f64::from(body.angular_velocity.z), -2.0 * 5.0 / 7.0, 0.02);
}

/// A kinematic slab rises below a ball. By hand: the ball rises with it, the slab keeps its speed
/// to the bit.
#[test]
fn a_kinematic_body_pushes_and_is_not_pushed() {
    let mut scene = Scene::new();
    let slab = scene.add(kinematic_body(Vec3::ZERO));
    scene.body_mut(slab).linear_velocity = Vec3::new(0.0, 0.5, 0.0);
    let ball = scene.add(ball_body(Vec3::new(0.0, 1.0, 0.0), 0.5, 1.0));
    scene.touch(
        Source::Balls {
            a: slab,
            b: ball,
            radius: 0.5,
        },
        Contact::default(),
    );
    scene.run(60);
    assert_eq!(scene.body(slab).linear_velocity, Vec3::new(0.0, 0.5, 0.0));
    assert_near(scene.body(slab).center.y, 0.5, 1e-5);
    assert_near(scene.body(ball).center.y, 1.5, 0.005);
}

/// Absurd but finite input: nothing becomes NaN or infinite, speeds end below the caps.
#[test]
fn finite_input_stays_finite() {
    for (speed, spin, mass) in [
        (1e30_f32, 1e30_f32, 1.0),
        (1e-30, 1e-30, 1e-20),
        (3e38, 3e38, 1e20),
        (100.0, 1e5, 1e-6),
    ] {
        let mut scene = Scene::new();
        let half = Vec3::new(1.0, 0.01, 0.02);
        let mut body = box_body(Vec3::new(0.0, 0.005, 0.0), half, mass);
        body.linear_velocity = Vec3::new(speed, -speed, speed);
        body.angular_velocity = Vec3::new(spin, spin, -spin);
        body.force = Vec3::splat(1e20);
        let body = scene.add(body);
        scene.touch(Source::BoxOnGround { body, half }, Contact::default());
        scene.run(20);
        let body = scene.body(body);
        assert!(body.center.is_finite(), "{speed}");
        assert!(body.rotation.is_finite(), "{speed}");
        assert!(
            body.linear_velocity.length() <= 4001.0,
            "{}",
            body.linear_velocity
        );
        assert!(
            body.angular_velocity.length() <= 10_001.0,
            "{}",
            body.angular_velocity
        );
    }
}

/// Far from the origin a cube rests as it does near it: positions are in f64.
#[test]
fn a_cube_rests_far_from_the_origin() {
    for distance in [0.0, 1e4, 1e7] {
        let half = Vec3::splat(0.5);
        let mut scene = Scene::new();
        let mut body = box_body(Vec3::new(0.0, 0.5, 0.0), half, 1.0);
        body.center.x = distance;
        let cube = scene.add(body);
        scene.touch(Source::BoxOnGround { body: cube, half }, Contact::default());
        scene.run(120);
        let body = scene.body(cube);
        assert!(
            (body.center - DVec3::new(distance, 0.5, 0.0)).length() < 1e-3,
            "{distance}"
        );
        assert!(body.surface_speed() < 1e-4, "{distance}");
        assert!(
            body.rotation.abs_diff_eq(Quat::IDENTITY, 1e-5),
            "{distance}"
        );
    }
}

/// A log, tilted in its body and in the world, turned about its own axis, across it and askew. By
/// hand: rolling takes the surface as far as the diagonal of its end, and by brute force no corner
/// gets farther than is said.
#[test]
fn a_log_gets_less_far_by_rolling_than_by_turning_over() {
    let half = Vec3::new(0.3, 10.0, 0.4);
    let mut log = box_body(Vec3::ZERO, half, 100.0);
    log.rotation = rotation::from_scaled_axis(Vec3::new(0.4, -1.1, 0.7));
    log.principal_rotation = rotation::from_scaled_axis(Vec3::new(-0.9, 0.2, 0.5));
    let place =
        |v: Vec3| rotation::rotate(log.rotation, rotation::rotate(log.principal_rotation, v));
    assert_near(f64::from(log.arc(place(Vec3::Y))), 0.5, 1e-5);
    let over = 10.0_f64.hypot(0.4);
    assert_near(f64::from(log.arc(place(Vec3::X))), over, 1e-4);
    for turn in [
        Vec3::X,
        Vec3::Y,
        Vec3::Z,
        Vec3::ONE,
        Vec3::new(0.1, -2.0, 0.05),
    ] {
        let most = log.arc(place(turn));
        for corner in 0..8 {
            let side = |axis: usize| {
                if corner >> axis & 1 == 1 {
                    half[axis]
                } else {
                    -half[axis]
                }
            };
            let arc = turn.cross(Vec3::new(side(0), side(1), side(2))).length();
            assert!(arc <= most * (1.0 + 1e-5), "{turn}: {arc} beyond {most}");
        }
    }
}

/// A step of no length changes nothing; neither does one without bodies.
#[test]
fn a_step_without_time_or_bodies_does_nothing() {
    let mut scene = Scene::new();
    scene.step();
    scene.add(ball_body(Vec3::Y, 0.5, 1.0));
    scene.settings.dt = 0.0;
    let before = scene.fingerprint();
    scene.step();
    assert_eq!(scene.fingerprint(), before);
}
