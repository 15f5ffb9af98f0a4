//! Fast bodies: nothing is skipped, nothing is bumped into beside the way, no time is lost.

use drystone::geometry::TriangleMesh;
use drystone::geometry::mesh::MeshOptions;
use drystone::glam::{DVec3, Vec3};
use drystone::{BodyDef, BodyKey, Material, Pose, Settings, Shape, ShapeDef, World, WorldPose};

fn world(threads: usize) -> World {
    World::new(Settings {
        gravity: Vec3::ZERO,
        sleeping: false,
        threads,
        ..Settings::default()
    })
    .expect("valid settings")
}

fn with_material(mut def: BodyDef, friction: f32, restitution: f32) -> BodyDef {
    for shape in &mut def.shapes {
        shape.material = Material {
            friction,
            restitution,
            ..Material::default()
        };
    }
    def
}

/// A wall of a millimetre across x, from x = 0 on, 40 m wide and high.
fn wall(world: &mut World, friction: f32, restitution: f32) -> BodyKey {
    let wall = BodyDef::fixed()
        .at(DVec3::new(0.0005, 0.0, 0.0))
        .with_shape(Shape::cube(Vec3::new(0.0005, 20.0, 20.0)));
    world
        .add_body(with_material(wall, friction, restitution))
        .expect("a valid wall")
}

/// The next number of a plain generator, from 0 to 1.
fn random(state: &mut u64) -> f32 {
    *state = state
        .wrapping_mul(6364136223846793005)
        .wrapping_add(1442695040888963407);
    (*state >> 40) as f32 / (1_u64 << 24) as f32
}

fn shape(index: usize) -> Shape {
    match index % 4 {
        0 => Shape::Sphere { radius: 0.02 },
        1 => Shape::Capsule {
            half_height: 0.3,
            radius: 0.01,
        },
        2 => Shape::cube(Vec3::new(0.3, 0.01, 0.02)),
        _ => Shape::cube(Vec3::splat(0.05)),
    }
}

/// Two hundred bodies of four shapes, from 5 to 2,000 m/s, spinning at up to 200 rad/s, shot at a
/// wall of a millimetre from all sides. By counting: in no step is one behind it.
#[test]
fn nothing_fast_passes_through_a_thin_wall() {
    let mut state = 7;
    let mut world = world(2);
    wall(&mut world, 0.5, 0.3);
    let mut keys = Vec::new();
    for index in 0..200 {
        let [y, z] = [0, 1].map(|axis| {
            let cell = if axis == 0 { index % 15 } else { index / 15 };
            f64::from(cell as u32) * 1.4 - 9.8
        });
        let share = random(&mut state);
        let speed = 5.0 + 1995.0 * share * share;
        let mut spread = || 2.0 * random(&mut state) - 1.0;
        let aside = 0.1 * Vec3::new(0.0, spread(), spread());
        let spin = 200.0 * Vec3::new(spread(), spread(), spread());
        let def = BodyDef {
            linear_velocity: speed * (Vec3::X + aside).normalize(),
            angular_velocity: spin,
            ..BodyDef::dynamic()
        };
        let far = f64::from(0.5 + 3.0 * random(&mut state));
        let def = def.at(DVec3::new(-far, y, z)).with_shape(shape(index));
        keys.push(world.add_body(def).expect("a valid body"));
    }
    let mut met = vec![false; keys.len()];
    for step in 0..60 {
        world.step();
        for (index, key) in keys.iter().enumerate() {
            let body = world.body(*key).expect("it is there");
            met[index] |= body.linear_velocity().x <= 0.01;
            let inside = body.position().y.abs() < 19.0 && body.position().z.abs() < 19.0;
            assert!(
                body.position().x < 0.001 || !inside,
                "body {index} is at {} after step {step}",
                body.position()
            );
        }
    }
    let count = met.iter().filter(|met| **met).count();
    assert!(count > 190, "only {count} met the wall");
}

/// A ball at 100 m/s bounces perfectly off a wall in the middle of a step. By hand: its way is
/// that of its mirror image, to a few millimetres of gap, and its speed stays.
#[test]
fn a_bounce_in_the_middle_of_a_step_loses_no_time() {
    for offset in [0.3, 0.8, 1.3] {
        let mut world = world(1);
        wall(&mut world, 0.0, 1.0);
        let ball = BodyDef {
            linear_velocity: Vec3::new(100.0, 0.0, 0.0),
            ..BodyDef::dynamic()
        };
        let ball = ball
            .at(DVec3::new(-offset, 0.0, 0.0))
            .with_shape(Shape::Sphere { radius: 0.05 });
        let key = world.add_body(with_material(ball, 0.0, 1.0)).unwrap();
        world.step();
        let body = world.body(key).unwrap();
        let way = 100.0 / 60.0;
        let mirrored = -0.05 - (way - (offset - 0.05));
        // Within a sub-step it turns at its start, up to a quarter of the way before the wall.
        let error = (body.position().x - mirrored).abs();
        assert!(error <= 2.0 * way / 4.0 + 1e-3, "{offset}: {error}");
        assert!((body.linear_velocity().x + 100.0).abs() < 1e-3);
    }
}

/// A ball of 5 cm without bounce or friction hits a wall at 45 degrees. By hand: it slides on
/// along the wall for the rest of the step at full speed, so it is as far along as without
/// the wall.
#[test]
fn a_slide_goes_on_for_the_rest_of_the_step() {
    let mut world = world(1);
    wall(&mut world, 0.0, 0.0);
    let ball = BodyDef {
        linear_velocity: Vec3::new(60.0, 60.0, 0.0),
        ..BodyDef::dynamic()
    };
    let ball = ball
        .at(DVec3::new(-0.4, 0.0, 0.0))
        .with_shape(Shape::Sphere { radius: 0.05 });
    let key = world.add_body(with_material(ball, 0.0, 0.0)).unwrap();
    world.step();
    let body = world.body(key).unwrap();
    assert!(
        (body.position().y - 1.0).abs() < 1e-4,
        "{}",
        body.position()
    );
    assert!(
        (body.position().x + 0.05).abs() < 1e-3,
        "{}",
        body.position()
    );
}

/// A box flies past another at 300 m/s, a centimetre beside it, and a ball flies over the edge of
/// a table. By hand: neither velocity changes, since nothing is met.
#[test]
fn what_is_missed_is_not_bumped_into() {
    let mut world = world(1);
    let block = BodyDef::fixed().with_shape(Shape::cube(Vec3::splat(1.0)));
    world.add_body(block).unwrap();
    let mut passing = Vec::new();
    for (index, y) in [1.06, 1.2, 2.0].into_iter().enumerate() {
        for shape in [
            Shape::Sphere { radius: 0.05 },
            Shape::cube(Vec3::splat(0.05)),
        ] {
            let def = BodyDef {
                linear_velocity: Vec3::new(300.0, 0.0, 0.0),
                ..BodyDef::dynamic()
            };
            let z = 0.3 * passing.len() as f64 - 0.8;
            let def = def
                .at(DVec3::new(-7.0 - index as f64, y, z))
                .with_shape(shape);
            passing.push(world.add_body(def).unwrap());
        }
    }
    for _ in 0..6 {
        world.step();
    }
    for key in passing {
        let velocity = world.body(key).unwrap().linear_velocity();
        assert_eq!(velocity, Vec3::new(300.0, 0.0, 0.0));
    }
}

/// Bullets shot at each other and at slow boxes, on one to four threads. The oracle is the run
/// on one thread; no bullet is ever beyond the one it meets.
#[test]
fn bullets_stop_at_bullets_on_any_number_of_threads() {
    let run = |threads| {
        let mut world = world(threads);
        let mut pairs = Vec::new();
        for index in 0..40 {
            let z = f64::from(index) * 0.5;
            let bullet = |x: f64, speed: f32| {
                let def = BodyDef {
                    linear_velocity: Vec3::new(speed, 0.0, 0.0),
                    bullet: true,
                    ..BodyDef::dynamic()
                };
                def.at(DVec3::new(x, 0.0, z))
                    .with_shape(Shape::Sphere { radius: 0.05 })
            };
            let speed = 20.0 * (index + 1) as f32;
            let left = world.add_body(bullet(-3.0, speed)).unwrap();
            let right = world.add_body(bullet(3.0, -0.5 * speed)).unwrap();
            pairs.push((left, right));
        }
        for _ in 0..30 {
            world.step();
            for (left, right) in &pairs {
                let [left, right] = [left, right].map(|key| world.body(*key).unwrap().position().x);
                assert!(left < right, "{left} {right}");
            }
        }
        world.state_hash()
    };
    let alone = run(1);
    for threads in 2..=4 {
        assert_eq!(run(threads), alone, "{threads} threads");
    }
}

/// A body whose velocity is set between steps, one that just came, and one in a world brought
/// back from its bytes. All are fast in the next step, and the wall stops them.
#[test]
fn a_velocity_that_was_just_set_counts() {
    let mut world = world(1);
    wall(&mut world, 0.5, 0.0);
    let still = BodyDef::dynamic()
        .at(DVec3::new(-2.0, 0.0, 0.0))
        .with_shape(Shape::Sphere { radius: 0.05 });
    let key = world.add_body(still.clone()).unwrap();
    world.step();
    world
        .set_velocity(key, Vec3::new(900.0, 0.0, 0.0), Vec3::ZERO)
        .unwrap();
    let mut again = World::restore(&world.snapshot()).expect("its own bytes");
    for world in [&mut world, &mut again] {
        world.step();
        assert!(world.body(key).unwrap().position().x < 0.0);
    }
    assert_eq!(world.state_hash(), again.state_hash());
}

/// What changes between steps for a ball at 100 m/s: it is put elsewhere, its shape is replaced or
/// gets a second one beside it, which alone meets the wall, or steps become longer. In each case
/// the boxes it had did not reach the wall, which stops it all the same.
#[test]
fn what_changes_between_steps_does_not_let_a_fast_body_through() {
    type Change = fn(&mut World, BodyKey);
    let changes: [Change; 4] = [
        |world, key| {
            let pose = WorldPose::from_position(DVec3::new(-0.7, 0.0, 0.0));
            world.teleport(key, pose).unwrap();
        },
        |world, key| {
            let shape = world.body(key).unwrap().shapes()[0].key();
            world.set_shape(shape, beside()).unwrap();
        },
        |world, key| {
            world.add_shape(key, beside()).unwrap();
        },
        |world, _| {
            let settings = Settings {
                dt: 1.0 / 10.0,
                ..world.settings().clone()
            };
            world.set_settings(settings).unwrap();
        },
    ];
    for (at, change) in changes.into_iter().enumerate() {
        let mut world = world(1);
        // Changes of shape take place beyond the edge of the wall.
        let (x, y) = [(-30.0, 0.0), (-3.0, -23.0), (-3.0, -23.0), (-4.0, 0.0)][at];
        wall(&mut world, 0.5, 0.0);
        let ball = BodyDef {
            linear_velocity: Vec3::new(100.0, 0.0, 0.0),
            ..BodyDef::dynamic()
        };
        let ball = ball.at(DVec3::new(x, y, 0.0));
        let key = world
            .add_body(ball.with_shape(Shape::sphere(0.05)))
            .unwrap();
        let settings = Settings {
            dt: 1.0 / 240.0,
            ..world.settings().clone()
        };
        world.set_settings(settings).unwrap();
        world.step();
        let settings = Settings {
            dt: 1.0 / 60.0,
            ..world.settings().clone()
        };
        if at < 3 {
            world.set_settings(settings).unwrap();
            world.step();
        }
        change(&mut world, key);
        world.step();
        let speed = world.body(key).unwrap().linear_velocity().x;
        assert!(speed < 60.0, "change {at}: still {speed} m/s");
    }
}

/// A ball that is 5 m beside the centre of its body.
fn beside() -> ShapeDef {
    ShapeDef {
        pose: Pose::from_translation(Vec3::new(0.0, 5.0, 0.0)),
        ..ShapeDef::new(Shape::sphere(0.05))
    }
}

/// A ball at rest before a wall of a millimetre is hit by one ten thousand times as heavy, which
/// comes at up to 1,600 m/s and is stopped at it in the middle of a step. By hand: it leaves at
/// almost twice that speed, so within the same step it would get metres beyond a wall that its
/// box, at rest as the step began, did not reach.
#[test]
fn what_is_hit_within_a_step_does_not_pass_through_a_wall() {
    for speed in [100.0, 200.0, 400.0, 800.0, 1600.0] {
        for distance in [0.2, 0.6, 2.0] {
            let mut world = world(1);
            wall(&mut world, 0.0, 0.0);
            let mut ball = |x: f64, radius: f32, speed: f32, bullet: bool| {
                let def = BodyDef {
                    linear_velocity: Vec3::new(speed, 0.0, 0.0),
                    bullet,
                    ..BodyDef::dynamic()
                };
                let def = def
                    .at(DVec3::new(x, 0.0, 0.0))
                    .with_shape(Shape::Sphere { radius });
                world.add_body(with_material(def, 0.0, 1.0)).unwrap()
            };
            let light = ball(-distance, 0.02, 0.0, false);
            ball(-distance - 0.6, 0.5, speed, true);
            let mut hit = false;
            for _ in 0..4 {
                world.step();
                let body = world.body(light).expect("it is there");
                hit |= body.linear_velocity().x.abs() > 0.5 * speed;
                let x = body.position().x;
                assert!(x < 0.0, "{x} at {speed} m/s from {distance} m");
            }
            assert!(hit, "{speed} m/s from {distance} m");
        }
    }
}

/// A tilted slab of 6 cm falls 5 m on two triangles, which have no thickness at all. By hand:
/// it ends flat, its centre 3 cm up, and is never below that.
#[test]
fn a_thin_slab_does_not_fall_through_a_mesh() {
    let mut world = World::new(Settings::default()).unwrap();
    let corners = [(-20.0, -20.0), (20.0, -20.0), (20.0, 20.0), (-20.0, 20.0)];
    let corners = corners.map(|(x, z)| Vec3::new(x, 0.0, z));
    let mesh = TriangleMesh::new(&corners, &[[0, 2, 1], [0, 3, 2]], MeshOptions::default());
    let mesh = Shape::Mesh(std::sync::Arc::new(mesh.expect("two triangles")));
    world.add_body(BodyDef::fixed().with_shape(mesh)).unwrap();
    let slab = BodyDef {
        rotation: drystone::glam::Quat::from_xyzw(0.07489848, 0.0, 0.04993232, 0.99594024),
        ..BodyDef::dynamic()
    };
    let slab = slab
        .at(DVec3::new(0.0, 5.0, 0.0))
        .with_shape(Shape::cube(Vec3::new(1.0, 0.03, 1.0)));
    let key = world.add_body(slab).unwrap();
    for step in 0..300 {
        world.step();
        let y = world.body(key).unwrap().position().y;
        assert!(y > 0.0, "{y} after step {step}");
    }
    let y = world.body(key).unwrap().position().y;
    assert!((y - 0.03).abs() < 0.01, "{y}");
}

/// Plates of 2 cm that fly are hit by balls of 10 cm, in different moments of a step and beside
/// their middles, and none is a bullet. By counting: the ball is never beyond the plate, which
/// takes part of its speed. What flies beside a ball as fast as that is not held up by it.
#[test]
fn fast_bodies_stop_at_dynamic_ones() {
    for speed in [20.0_f32, 60.0, 200.0] {
        for phase in 0..8 {
            let mut world = world(1);
            let flying = |shape: Shape, y: f32, x: f32, speed: f32| {
                let def = BodyDef {
                    linear_velocity: Vec3::new(speed, 0.0, 0.0),
                    ..BodyDef::dynamic()
                };
                let at = DVec3::new(f64::from(x), f64::from(y), 0.0);
                with_material(def.at(at).with_shape(shape), 0.0, 0.0)
            };
            let ball = Shape::Sphere { radius: 0.05 };
            let plate = Shape::cube(Vec3::new(0.01, 0.5, 0.5));
            let plate = world.add_body(flying(plate, 0.0, 0.0, 1.0)).unwrap();
            let from = -0.2 - speed / 60.0 * (phase as f32 / 8.0);
            let aside = 0.04 * phase as f32;
            let key = world
                .add_body(flying(ball.clone(), aside, from, speed))
                .unwrap();
            let above = world.add_body(flying(ball, 0.6, from, speed)).unwrap();
            for _ in 0..6 {
                world.step();
                let (ball, plate) = (world.body(key).unwrap(), world.body(plate).unwrap());
                let along = (plate.pose().rotation * Vec3::X).as_dvec3();
                let beyond = along.dot(ball.position() - plate.position());
                assert!(
                    beyond < 0.0,
                    "{beyond} m beyond at {speed} m/s, phase {phase}"
                );
            }
            assert!(world.body(plate).unwrap().linear_velocity().x > 1.0);
            let free = world.body(above).unwrap().linear_velocity();
            assert_eq!(free, Vec3::new(speed, 0.0, 0.0));
        }
    }
}
