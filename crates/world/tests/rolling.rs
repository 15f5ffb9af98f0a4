//! Curved bodies that roll and rock: what the solver does with points that move over a surface.
//! All answers are those of rolling without slip, which costs no energy.

use std::f64::consts::PI;

use drystone::glam::{DVec3, Quat, Vec3};
use drystone::{
    AxisLocks, BodyDef, BodyKey, BodyKind, MassOverride, Settings, Shape, ShapeDef, World,
};

/// Level ground at height 0, without sleep.
fn on_ground(is_slab: bool) -> World {
    let settings = Settings {
        sleeping: false,
        ..Settings::default()
    };
    let mut world = World::new(settings).unwrap();
    let ground = if is_slab {
        let half_extents = Vec3::new(50.0, 0.5, 50.0);
        BodyDef::fixed()
            .with_shape(Shape::Box { half_extents })
            .at(DVec3::new(0.0, -0.5, 0.0))
    } else {
        BodyDef::fixed().with_shape(Shape::HalfSpace { normal: Vec3::Y })
    };
    world.add_body(ground).unwrap();
    world
}

/// The quaternion of a turn about a unit axis.
fn turn(axis: Vec3, radians: f32) -> Quat {
    let (sin, cos) = (libm::sinf(0.5 * radians), libm::cosf(0.5 * radians));
    Quat::from_xyzw(axis.x * sin, axis.y * sin, axis.z * sin, cos)
}

/// Rocks an ellipsoid from a tilt of so many degrees about `axis`, which is X or Z, and returns for
/// each second the square of its largest tilt over that of the start: about the share of the energy
/// that is left.
fn rock(is_slab: bool, semi_axes: Vec3, (axis, degrees): (Vec3, f32), seconds: usize) -> Vec<f32> {
    let mut world = on_ground(is_slab);
    let tilt = degrees.to_radians();
    let aside = if axis.x > 0.0 {
        semi_axes.z
    } else {
        semi_axes.x
    };
    let (sin, cos) = (libm::sinf(tilt), libm::cosf(tilt));
    let height = libm::hypotf(aside * sin, semi_axes.y * cos);
    let body = BodyDef {
        rotation: turn(axis, tilt),
        ..BodyDef::dynamic()
            .with_shape(Shape::Ellipsoid { semi_axes })
            .at(DVec3::new(0.0, f64::from(height), 0.0))
    };
    let body = world.add_body(body).unwrap();
    let second = |world: &mut World| {
        let mut peak = 0.0_f32;
        for _ in 0..60 {
            world.step();
            let rotation = world.body(body).unwrap().rotation();
            let half = Vec3::new(rotation.x, rotation.y, rotation.z).dot(axis);
            peak = peak.max(2.0 * libm::asinf(half).abs());
        }
        (peak / tilt) * (peak / tilt)
    };
    (0..seconds).map(|_| second(&mut world)).collect()
}

/// Ellipsoids of several curvatures, on a slab and on a half-space, about both axes: after ten
/// seconds a rocker has its energy still. Held where it was for a step, the point of contact
/// came late and the energy grew by a third each second; with each sub-step's change of the lever
/// taken back as a whole, not by half before and by half after, the first of these had lost 3 %.
#[test]
fn a_rocking_ellipsoid_keeps_its_energy() {
    for (semi_axes, axis, degrees, least) in [
        (Vec3::new(0.6, 0.3, 0.6), Vec3::Z, 5.0, 0.99),
        (Vec3::new(0.6, 0.3, 0.6), Vec3::X, 5.0, 0.99),
        (Vec3::new(0.6, 0.3, 0.6), Vec3::X, 20.0, 0.96),
        (Vec3::new(0.4, 0.3, 0.9), Vec3::Z, 5.0, 0.99),
        (Vec3::new(0.06, 0.04, 0.05), Vec3::Z, 5.0, 0.93),
        (Vec3::new(0.2, 0.1, 0.1), Vec3::Z, 20.0, 0.9),
        (Vec3::new(3.0, 2.0, 2.5), Vec3::X, 5.0, 0.99),
        (Vec3::new(3.0, 2.0, 2.5), Vec3::X, 20.0, 0.99),
    ] {
        for is_slab in [true, false] {
            let shares = rock(is_slab, semi_axes, (axis, degrees), 10);
            let most = shares.iter().fold(0.0_f32, |most, &share| most.max(share));
            assert!(
                shares[9] > least && most < 1.005,
                "{semi_axes} about {axis}, {degrees} degrees: {shares:?}"
            );
        }
    }
}

fn speed(world: &World, body: BodyKey) -> Vec3 {
    world.body(body).unwrap().linear_velocity()
}

/// A lying cylinder rolls for ten seconds. By hand: nothing brakes it, so it goes 1 m a second,
/// and it stays at the height of its radius.
#[test]
fn a_rolling_cylinder_neither_slows_nor_bumps() {
    for is_slab in [true, false] {
        for radius in [0.1_f32, 0.5] {
            let mut world = on_ground(is_slab);
            let shape = Shape::Cylinder {
                half_height: 0.5,
                radius,
            };
            let body = BodyDef {
                rotation: turn(Vec3::X, std::f32::consts::FRAC_PI_2),
                linear_velocity: Vec3::X,
                angular_velocity: Vec3::new(0.0, 0.0, -1.0 / radius),
                ..BodyDef::dynamic()
                    .with_shape(shape)
                    .at(DVec3::new(-5.0, f64::from(radius), 0.0))
            };
            let body = world.add_body(body).unwrap();
            // The weight comes on within the first steps.
            for _ in 0..30 {
                world.step();
            }
            let (mut low, mut high) = (f64::INFINITY, 0.0_f64);
            for _ in 0..570 {
                world.step();
                let y = world.body(body).unwrap().position().y;
                (low, high) = (low.min(y), high.max(y));
            }
            let x = world.body(body).unwrap().position().x;
            assert!((x - 5.0).abs() < 0.01, "{x} of radius {radius}");
            assert!((speed(&world, body) - Vec3::X).length() < 2e-3);
            assert!(high - low < 1e-4, "from {low} to {high}");
        }
    }
}

/// A cone on its side rolls three times round its apex. By hand: it turns about the line of
/// contact, at a steady speed, and the apex stays where it is.
#[test]
fn a_cone_rolls_round_its_apex() {
    let (half_height, radius) = (0.5_f32, 0.3_f32);
    let height = 2.0 * half_height;
    let slant = libm::hypotf(height, radius);
    let (sin, cos) = (radius / slant, height / slant);
    let rate = 1.5_f32;
    let mut world = on_ground(true);
    // The apex at the origin, the line of contact along -X: the cone's Y axis from the base to
    // the apex points along +X and down by the half angle.
    let lean = -std::f32::consts::FRAC_PI_2 - libm::asinf(sin);
    let rotation = turn(Vec3::Z, lean);
    let axis = Vec3::new(cos, -sin, 0.0);
    // Origin of the cone's frame and its centre of mass, a quarter of the height above the base.
    let origin = -half_height * axis;
    let center = -0.75 * height * axis;
    let spin = Vec3::X * (rate * cos / sin);
    let body = BodyDef {
        rotation,
        linear_velocity: spin.cross(center),
        angular_velocity: spin,
        ..BodyDef::dynamic()
            .with_shape(Shape::Cone {
                half_height,
                radius,
            })
            .at(origin.as_dvec3())
    };
    let body = world.add_body(body).unwrap();
    let start = speed(&world, body).length();
    let steps = 3 * libm::roundf(60.0 * std::f32::consts::TAU / rate) as usize;
    for _ in 0..steps {
        world.step();
    }
    let view = world.body(body).unwrap();
    let end = view
        .pose()
        .transform_point(Vec3::new(0.0, half_height, 0.0));
    assert!(end.length() < 0.002, "the apex is at {end}");
    // Twelve seconds.
    let ratio = speed(&world, body).length() / start;
    assert!(ratio > 0.99 && ratio < 1.001, "{ratio} of its speed");
}

/// A coin rolls on its edge, upright and leaning: it keeps its energy until it lies down, which
/// takes longer than this.
#[test]
fn a_coin_on_its_edge_keeps_its_energy() {
    for (lean, spin) in [(0.0_f32, 8.0_f32), (0.2, 12.0)] {
        let mut world = on_ground(true);
        let (half_height, radius) = (0.02_f32, 0.3_f32);
        let rotation = turn(Vec3::X, std::f32::consts::FRAC_PI_2 - lean);
        let height = radius * libm::cosf(lean) + half_height * libm::sinf(lean);
        let body = BodyDef {
            rotation,
            linear_velocity: Vec3::X * (spin * radius),
            angular_velocity: Vec3::new(0.0, 0.0, -spin),
            ..BodyDef::dynamic()
                .with_shape(Shape::Cylinder {
                    half_height,
                    radius,
                })
                .at(DVec3::new(-6.0, f64::from(height), 0.0))
        };
        world.add_body(body).unwrap();
        let start = world.energy().total();
        for step in 0..240 {
            world.step();
            let share = world.energy().total() / start;
            assert!(
                share > 0.96 && share < 1.003,
                "lean {lean}, step {step}: {share}"
            );
        }
    }
}

/// A coin that rolls round on its rim with its centre at rest, as one does before it lies down. By hand, of
/// a thin one at the angle `a`: the point of contact goes round at `sqrt(4 g / (r sin a))` (Moffatt, *Euler's
/// disk and its finite-time singularity*, 2000), which costs nothing. With the change of the lever taken back
/// as a whole it lay flat after three seconds.
#[test]
fn a_coin_that_rolls_round_does_not_lie_down() {
    for (degrees, steps) in [(20.0_f32, 40), (40.0, 200)] {
        let mut world = on_ground(true);
        let (half_height, radius) = (0.002_f32, 0.1_f32);
        let angle = degrees.to_radians();
        let (sin, cos) = (libm::sinf(angle), libm::cosf(angle));
        let gravity = -world.settings().gravity.y;
        let rate = libm::sqrtf(4.0 * gravity / (radius * sin));
        // From the centre to the lowest point of the plane in the middle.
        let down = Vec3::new(cos, -sin, 0.0);
        let body = BodyDef {
            rotation: turn(Vec3::Z, -angle),
            angular_velocity: down * (rate * sin),
            ..BodyDef::dynamic()
                .with_shape(Shape::Cylinder {
                    half_height,
                    radius,
                })
                .at(DVec3::new(
                    0.0,
                    f64::from(radius * sin + half_height * cos),
                    0.0,
                ))
        };
        let body = world.add_body(body).unwrap();
        let start = world.energy().total();
        for step in 0..steps {
            world.step();
            let share = world.energy().total() / start;
            assert!(share < 1.001, "{degrees} degrees, step {step}: {share}");
            let axis = world.body(body).unwrap().rotation() * Vec3::Y;
            let tilt = libm::acosf(axis.y).to_degrees();
            assert!(
                (tilt - degrees).abs() < 0.1 * degrees,
                "{degrees} degrees, step {step}: {tilt}"
            );
        }
    }
}

/// A prism 1 m high, with so many sides.
fn pillar(sides: u32, radius: f32) -> Shape {
    let corners: Vec<Vec3> = (0..sides)
        .flat_map(|side| {
            let angle = std::f32::consts::TAU * side as f32 / sides as f32;
            let (sin, cos) = (libm::sinf(angle), libm::cosf(angle));
            [-0.5, 0.5].map(|y| Vec3::new(radius * cos, y, radius * sin))
        })
        .collect();
    Shape::hull(&corners).unwrap()
}

/// Pillars let go at 0.3 and 0.8 of the angle at which they tip rock back, roll on their rims and
/// come to rest upright. The greatest energy of each half second is no more than that of the one
/// before, but for what softness stores. Held for a step where they stood, such points fed the
/// roll: cylinders and prisms of 12 and 32 sides, nearly upright after a second, rolled ever wider.
#[test]
fn pillars_that_roll_on_their_rims_come_to_rest() {
    let radius = 0.2;
    let core = Shape::cylinder(0.48, radius - 0.02);
    let shapes = [
        Shape::cylinder(0.5, radius),
        Shape::rounded(core, 0.02).unwrap(),
        pillar(12, radius),
        pillar(32, radius),
    ];
    for (number, shape) in shapes.iter().enumerate() {
        for (share, degrees) in [(0.3, 0.0_f32), (0.3, 17.0), (0.8, 0.0), (0.8, 17.0)] {
            let mut world = on_ground(number % 2 == 0);
            let tilt = share * libm::atan2f(radius, 0.5);
            let about = degrees.to_radians();
            let axis = Vec3::new(libm::sinf(about), 0.0, -libm::cosf(about));
            let height = 0.5 * libm::cosf(tilt) + radius * libm::sinf(tilt);
            let body = BodyDef {
                rotation: turn(axis, tilt),
                ..BodyDef::dynamic().with_shape(shape.clone()).at(DVec3::new(
                    0.0,
                    f64::from(height),
                    0.0,
                ))
            };
            let body = world.add_body(body).unwrap();
            let mass = f64::from(world.body(body).unwrap().mass());
            let level = mass * 9.81 * 0.5;
            let room = world.energy().total() - level;
            let mut before = room;
            for half_second in 0..12 {
                let mut most = f64::NEG_INFINITY;
                for _ in 0..30 {
                    world.step();
                    most = most.max(world.energy().total() - level);
                }
                let restored = World::restore(&world.snapshot()).unwrap();
                assert!(restored.contacts().eq(world.contacts()));
                let what = format!("{number} at {share}, {degrees}, {half_second}");
                assert!(most <= before + 0.01 * room, "{what}: {most} J of {room} J");
                before = most;
            }
            let body = world.body(body).unwrap();
            let up = body.rotation() * Vec3::Y;
            let aside = libm::hypotf(up.x, up.z).to_degrees();
            assert!(
                aside < 0.1,
                "{number} at {share}, {degrees}: {aside} degrees"
            );
            assert!(body.angular_velocity().length() < 1e-3);
        }
    }
}

/// A plank lies on two rollers that turn towards each other, `2 d` apart. By moments, with its middle `x` aside
/// the nearer one bears `m g x / d` more, and its friction pushes back by `mu` of that: the plank swings to and
/// fro in `2 pi sqrt(d / (mu g))` s. The crown of a roller stays where it is, however fast it turns and whether
/// or not a drive holds it.
#[test]
fn a_plank_swings_on_two_rollers() {
    let (friction, half_distance) = (0.3, 0.5);
    for (rate, spin, is_held) in [
        (60.0, 10.0, true),
        (60.0, 60.0, true),
        (240.0, 60.0, true),
        (60.0, 60.0, false),
    ] {
        let settings = Settings {
            dt: 1.0 / rate,
            sleeping: false,
            ..Settings::default()
        };
        let gravity = -settings.gravity.y;
        let mut world = World::new(settings).unwrap();
        let rough = |shape: Shape| {
            let mut part = ShapeDef::new(shape);
            part.material.friction = friction;
            part
        };
        for side in [-1.0, 1.0] {
            let mut part = rough(Shape::cylinder(0.2, 0.1));
            part.pose.rotation = turn(Vec3::X, 0.5 * PI as f32);
            let mut roller = BodyDef::kinematic().with_part(part);
            if !is_held {
                roller.kind = BodyKind::Dynamic;
                roller.gravity_scale = 0.0;
                roller.locks = AxisLocks {
                    translation: [true; 3],
                    rotation: [true, true, false],
                };
                roller.mass = Some(MassOverride {
                    inertia: Some(Vec3::splat(1e6)),
                    ..MassOverride::new(1e4)
                });
            }
            roller.angular_velocity = side * spin * Vec3::Z;
            let at = DVec3::new(f64::from(side * half_distance), -0.1, 0.0);
            world.add_body(roller.at(at)).unwrap();
        }
        let mut plank = BodyDef::dynamic().at(DVec3::new(0.05, 0.005, 0.0));
        plank = plank.with_part(rough(Shape::cube(Vec3::new(1.5, 0.005, 0.1))));
        plank.locks = AxisLocks::PLANAR;
        let plank = world.add_body(plank).unwrap();
        let (mut last, mut widest, mut passes) = (0.05, 0.0_f64, Vec::new());
        for step in 0..(12.0 * rate) as u32 {
            world.step();
            let x = world.body(plank).unwrap().position().x;
            widest = widest.max(x.abs());
            if last > 0.0 && x <= 0.0 {
                passes.push((f64::from(step) + last / (last - x)) / f64::from(rate));
            }
            last = x;
        }
        let period = (passes[passes.len() - 1] - passes[0]) / (passes.len() - 1) as f64;
        let known = 2.0 * PI * f64::from(half_distance / (friction * gravity)).sqrt();
        let case = format!("{rate} Hz, {spin} rad/s, held {is_held}: {period} s, {widest} m");
        assert!((period / known - 1.0).abs() < 0.005, "{case} for {known} s");
        assert!(widest < 0.0525, "{case}");
    }
}
