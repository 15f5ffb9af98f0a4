//! What carries others along: belts and lifts.

use drystone::geometry::mesh::MeshOptions;
use drystone::geometry::{HeightField, TriangleMesh};
use drystone::glam::{DVec3, Vec2, Vec3};
use drystone::{BodyDef, Settings, Shape, ShapeDef, World};

/// A conveyor: a box put on a belt that runs along its own x, turned by a quarter about y. By
/// hand: friction brings it to the belt's speed along -z.
#[test]
fn a_belt_carries_a_box_along_its_own_axis() {
    let mut world = World::new(Settings::default()).unwrap();
    let mut belt = ShapeDef::new(Shape::cube(Vec3::new(20.0, 0.5, 20.0)));
    belt.material.surface_velocity = Vec3::new(2.0, 0.0, 0.0);
    let half = core::f32::consts::FRAC_1_SQRT_2;
    let belt = BodyDef {
        rotation: drystone::glam::Quat::from_xyzw(0.0, half, 0.0, half),
        shapes: vec![belt],
        ..BodyDef::fixed()
    };
    world.add_body(belt).unwrap();
    let cube = BodyDef::dynamic()
        .at(DVec3::new(0.0, 1.0, 0.0))
        .with_shape(Shape::cube(Vec3::splat(0.5)));
    let key = world.add_body(cube).unwrap();
    for _ in 0..120 {
        world.step();
    }
    let velocity = world.body(key).unwrap().linear_velocity();
    assert!(
        velocity.abs_diff_eq(Vec3::new(0.0, 0.0, -2.0), 0.01),
        "{velocity}"
    );
}

/// Lifts of six kinds, 40 m wide but for the ball, come up at 3 to 300 m/s under what hovers at rest,
/// awake and asleep: however far they get in a step, they take it along. By hand: they pass nothing, nor
/// does the centre of what the ball throws aside get into it.
#[test]
fn what_is_driven_takes_along_what_rests() {
    let corners = [(-20.0, -20.0), (20.0, -20.0), (20.0, 20.0), (-20.0, 20.0)];
    let corners = corners.map(|(x, z)| Vec3::new(x, 0.0, z));
    let mesh = TriangleMesh::new(&corners, &[[0, 2, 1], [0, 3, 2]], MeshOptions::default());
    let field = HeightField::new(
        (3, 3),
        vec![0.0; 9],
        Vec2::splat(20.0),
        Vec3::new(-20.0, 0.0, -20.0),
    );
    let plate = |half: f32| Shape::cube(Vec3::new(20.0, half, 20.0));
    let lifts = [
        (
            "mesh",
            Shape::Mesh(mesh.expect("two triangles").into()),
            0.0,
        ),
        (
            "field",
            Shape::HeightField(field.expect("flat").into()),
            0.0,
        ),
        ("sheet", plate(0.001), 0.001),
        ("plate", plate(0.05), 0.05),
        ("block", plate(2.0), 2.0),
        ("ball", Shape::sphere(2.0), 2.0),
    ];
    let riders = [
        (Shape::cube(Vec3::new(1.0, 0.03, 1.0)), 0.03),
        (Shape::cube(Vec3::splat(0.02)), 0.02),
        (Shape::sphere(0.1), 0.1),
        (Shape::capsule(0.3, 0.1), 0.4),
        (Shape::cylinder(0.1, 0.3), 0.1),
    ];
    let weightless = Settings {
        gravity: Vec3::ZERO,
        sleeping: false,
        ..Settings::default()
    };
    let mut failures = String::new();
    for (name, lift, top) in &lifts {
        for (at, (rider, bottom)) in riders.iter().enumerate() {
            for speed in [3.0, 10.0, 30.0, 100.0, 300.0] {
                for asleep in [false, true] {
                    let mut world = World::new(weightless.clone()).unwrap();
                    let below = DVec3::new(0.01, -1.03 - top - bottom, 0.02);
                    let def = BodyDef {
                        linear_velocity: speed * Vec3::Y,
                        ..BodyDef::kinematic()
                    };
                    let def = def.at(below).with_shape(lift.clone());
                    let lift = world.add_body(def).unwrap();
                    let def = BodyDef {
                        asleep,
                        ..BodyDef::dynamic()
                    };
                    let rider = world.add_body(def.with_shape(rider.clone())).unwrap();
                    let mut nearest = f64::INFINITY;
                    for _ in 0..(60.0 * 2.0 / speed) as u32 + 4 {
                        world.step();
                        let [lift, rider] = [lift, rider].map(|key| world.body(key).unwrap());
                        nearest = nearest.min(rider.position().distance(lift.position()));
                    }
                    let [lift, rider] = [lift, rider].map(|key| world.body(key).unwrap());
                    let above = rider.position().y - lift.position().y;
                    let velocity = rider.linear_velocity().y;
                    let is_taken = above >= 0.9 * (bottom + top) && velocity >= 0.9 * speed;
                    // Hit beside its middle at such a speed, a die is thrown aside.
                    let is_thrown = *name == "ball" && at == 1 && speed > 30.0 && nearest > *top;
                    if !is_taken && !is_thrown {
                        failures += &format!(
                            "{name}, rider {at}, {speed} m/s, asleep {asleep}: {above} m above, \
                             {velocity} m/s\n"
                        );
                    }
                }
            }
        }
    }
    assert!(failures.is_empty(), "{failures}");
}

/// A ball that falls at 30 m/s on a belt which has turned by a quarter since it lay there last. By
/// hand: friction takes it along from the step on in which it lands, the way the belt runs now, and
/// in the end at some 2/7 of the belt's speed, since it makes the ball roll too; and a world restored in
/// any step goes on alike.
#[test]
fn what_lands_on_a_belt_is_carried_at_once() {
    let mut world = World::new(Settings::default()).unwrap();
    let mut belt = ShapeDef::new(Shape::cube(Vec3::new(5.0, 0.5, 5.0)));
    belt.material.surface_velocity = Vec3::new(2.0, 0.0, 0.0);
    let belt = BodyDef {
        shapes: vec![belt],
        ..BodyDef::kinematic()
    };
    let belt = world.add_body(belt).unwrap();
    let mut ball = ShapeDef::new(Shape::sphere(0.1));
    ball.material.friction = 1.0;
    let ball = BodyDef {
        shapes: vec![ball],
        can_sleep: false,
        ..BodyDef::dynamic().at(DVec3::new(0.0, 0.6, 0.0))
    };
    let ball = world.add_body(ball).unwrap();
    let step = |world: &mut World| {
        let mut other = World::restore(&world.snapshot()).unwrap();
        world.step();
        other.step();
        assert_eq!(world.state_hash(), other.state_hash());
    };
    for _ in 0..10 {
        step(&mut world);
    }
    let half = core::f32::consts::FRAC_1_SQRT_2;
    let turned = drystone::WorldPose {
        position: DVec3::ZERO,
        rotation: drystone::glam::Quat::from_xyzw(0.0, half, 0.0, half),
    };
    let up = drystone::WorldPose {
        position: DVec3::new(0.0, 2.0, 0.0),
        ..drystone::WorldPose::IDENTITY
    };
    world.teleport(ball, up).unwrap();
    world
        .set_velocity(ball, -30.0 * Vec3::Y, Vec3::ZERO)
        .unwrap();
    world.teleport(belt, turned).unwrap();
    let mut landed = false;
    for _ in 0..90 {
        step(&mut world);
        let body = world.body(ball).unwrap();
        if !landed && body.linear_velocity().y > -20.0 {
            landed = true;
            let velocity = body.linear_velocity();
            assert!(velocity.z < -0.01 && velocity.x.abs() < 1e-4, "{velocity}");
        }
    }
    assert!(landed);
    let velocity = world.body(ball).unwrap().linear_velocity();
    assert!((velocity.z + 4.0 / 7.0).abs() < 0.06, "{velocity}");
}

/// Boxes and a cylinder ride on turntables whose friction holds them, at up to nine tenths of what they
/// need. By hand: they go round at the same distance for ever. They drifted outwards by e^(w^2 dt t / 2),
/// and off the table where friction was near its limit.
#[test]
fn a_turntable_keeps_what_rides_on_it() {
    let shapes = [
        (Shape::cube(Vec3::splat(0.1)), 0.1),
        (Shape::cylinder(0.1, 0.15), 0.1),
        (Shape::cube(Vec3::new(0.2, 0.05, 0.1)), 0.05),
    ];
    for (shape, height) in &shapes {
        for (spin, friction) in [(1.0, 0.6), (-1.8, 0.37), (3.0, 1.1)] {
            for substeps in [4, 16] {
                let settings = Settings {
                    substeps,
                    ..Settings::default()
                };
                let mut world = World::new(settings).unwrap();
                let mut table = ShapeDef::new(Shape::cylinder(0.2, 3.0));
                table.material.friction = friction;
                let table = BodyDef {
                    angular_velocity: spin * Vec3::Y,
                    shapes: vec![table],
                    ..BodyDef::kinematic().at(DVec3::new(5.0, -0.2, 0.0))
                };
                world.add_body(table).unwrap();
                let mut rider = ShapeDef::new(shape.clone());
                rider.material.friction = friction;
                let rider = BodyDef {
                    linear_velocity: -spin * Vec3::Z,
                    angular_velocity: spin * Vec3::Y,
                    shapes: vec![rider],
                    ..BodyDef::dynamic().at(DVec3::new(6.0, *height, 0.0))
                };
                let key = world.add_body(rider).unwrap();
                for _ in 0..600 {
                    world.step();
                }
                let away = world.body(key).unwrap().position() - DVec3::new(5.0, 0.0, 0.0);
                let distance = away.with_y(0.0).length();
                assert!(
                    (distance - 1.0).abs() < 0.03,
                    "{} at {spin} rad/s, {substeps} sub-steps: {distance} m from the middle",
                    shape.kind_name()
                );
            }
        }
    }
}
