//! What comes to something stops right there, however thick it is, and whatever is thin is felt by what
//! is large.

use drystone::geometry::mesh::MeshOptions;
use drystone::geometry::{HeightField, TriangleMesh};
use drystone::glam::{DVec3, Vec2, Vec3};
use drystone::{BodyDef, MassOverride, Settings, Shape, World};

const SPEEDS: [f32; 6] = [5.0, 10.0, 20.0, 30.0, 60.0, 100.0];

fn weightless() -> World {
    let settings = Settings {
        gravity: Vec3::ZERO,
        ..Settings::default()
    };
    World::new(settings).expect("valid settings")
}

fn block(def: BodyDef, speed: f32) -> BodyDef {
    BodyDef {
        linear_velocity: speed * Vec3::X,
        ..def.with_shape(Shape::cube(Vec3::splat(2.0)))
    }
}

/// How far a block flies before it meets something, in metres, `phase` sixths of a step before a step
/// ends.
fn gap(speed: f32, phase: u32) -> f64 {
    3.0 + f64::from(speed) / 60.0 * f64::from(phase) / 6.0
}

/// Blocks of 4 m, driven and free, at 5 to 100 m/s, come to small balls and cubes at rest, 2 to 30 cm
/// below their upper edge. By hand: these are ahead of the face that hits them, not above it, and
/// fly on at the speed of the block at least.
#[test]
fn what_is_large_takes_along_what_is_small() {
    let small = [
        (Shape::sphere(0.05), 0.05),
        (Shape::sphere(0.11), 0.11),
        (Shape::cube(Vec3::splat(0.2)), 0.2),
    ];
    let mut failures = String::new();
    for def in [BodyDef::kinematic(), BodyDef::dynamic()] {
        for speed in SPEEDS {
            for (shape, radius) in &small {
                for below in [0.02, 0.05, 0.1, 0.3] {
                    for phase in 0..6 {
                        let mut world = weightless();
                        let large = world.add_body(block(def.clone(), speed)).unwrap();
                        let gap = gap(speed, phase);
                        let ahead = DVec3::new(2.0 + gap + radius, 2.0 - below, 0.1);
                        let small = BodyDef::dynamic().at(ahead).with_shape(shape.clone());
                        let small = world.add_body(small).unwrap();
                        let steps = (gap + 1.0) / f64::from(speed) * 60.0;
                        for _ in 0..steps.ceil() as usize + 10 {
                            world.step();
                        }
                        let [large, small] = [large, small].map(|key| world.body(key).unwrap());
                        let (pushes, flies) = (large.linear_velocity(), small.linear_velocity());
                        if flies.x < 0.99 * pushes.x || flies.y.abs() > 0.1 * speed {
                            failures += &format!(
                                "{speed} m/s, radius {radius}, {below} m below, phase {phase}: \
                                 {flies} m/s\n"
                            );
                        }
                    }
                }
            }
        }
    }
    assert!(failures.is_empty(), "{failures}");
}

/// The same blocks, free, come to pegs that stand: balls of 2 to 20 cm. By hand: what stops the front of
/// a cube at its edge leaves it turning at 0.3 rad for each metre of its speed. No peg gets deeper
/// into a block, by the distance of a point from a box, than the edge then leaves its tangent.
#[test]
fn what_is_large_is_stopped_by_a_peg() {
    let mut failures = String::new();
    for speed in SPEEDS {
        for radius in [0.02_f32, 0.05, 0.2] {
            for below in [0.02, 0.1, 0.3] {
                for phase in 0..6 {
                    let mut world = weightless();
                    let key = world.add_body(block(BodyDef::dynamic(), speed)).unwrap();
                    let (gap, size) = (gap(speed, phase), f64::from(radius));
                    let peg = DVec3::new(2.0 + gap + size, 2.0 - below, 0.1);
                    let def = BodyDef::fixed().at(peg).with_shape(Shape::sphere(radius));
                    world.add_body(def).unwrap();
                    let mut deepest = 0.0_f64;
                    for _ in 0..((gap + 1.0) / f64::from(speed) * 60.0).ceil() as usize + 10 {
                        world.step();
                        let block = world.body(key).unwrap();
                        let turn = block.rotation().as_dquat();
                        let seen = turn.conjugate() * (peg - block.position());
                        deepest = deepest.max(size + 2.0 - seen.abs().max_element());
                    }
                    let turned = 0.3 * f64::from(speed) / 60.0;
                    if deepest > 0.01 + turned * turned {
                        failures += &format!(
                            "{speed} m/s, radius {radius}, {below} m below, phase {phase}: \
                             {deepest} m\n"
                        );
                    }
                }
            }
        }
    }
    assert!(failures.is_empty(), "{failures}");
}

/// Cubes of 20 cm to 16 m that come down on four kinds of ground at 5 to 100 m/s. By hand: they never
/// get into it, nor come up again.
#[test]
fn what_lands_stops_at_the_ground() {
    let corners = [(-20.0, -20.0), (20.0, -20.0), (20.0, 20.0), (-20.0, 20.0)];
    let corners = corners.map(|(x, z)| Vec3::new(x, 0.0, z));
    let mesh = TriangleMesh::new(&corners, &[[0, 2, 1], [0, 3, 2]], MeshOptions::default());
    let field = HeightField::new(
        (3, 3),
        vec![0.0; 9],
        Vec2::splat(20.0),
        Vec3::new(-20.0, 0.0, -20.0),
    );
    let grounds = [
        (Shape::HalfSpace { normal: Vec3::Y }, 0.0),
        (Shape::cube(Vec3::new(20.0, 1.0, 20.0)), -1.0),
        (Shape::Mesh(mesh.expect("two triangles").into()), 0.0),
        (Shape::HeightField(field.expect("flat").into()), 0.0),
    ];
    for (ground, height) in &grounds {
        for half in [0.1_f32, 0.5, 2.0, 8.0] {
            for speed in SPEEDS {
                for phase in 0..6 {
                    let mut world = World::new(Settings::default()).unwrap();
                    let def = BodyDef::fixed().at(*height * DVec3::Y);
                    world.add_body(def.with_shape(ground.clone())).unwrap();
                    let above = gap(speed, phase) + f64::from(half);
                    let cube = BodyDef {
                        linear_velocity: -speed * Vec3::Y,
                        ..BodyDef::dynamic().at(above * DVec3::Y)
                    };
                    let cube = cube.with_shape(Shape::cube(Vec3::splat(half)));
                    let cube = world.add_body(cube).unwrap();
                    for _ in 0..60 {
                        world.step();
                        let cube = world.body(cube).unwrap();
                        let gap = cube.position().y - f64::from(half);
                        let up = cube.linear_velocity().y;
                        assert!(
                            gap > -1e-3 && up < 1e-2,
                            "{} of {half} m on {} at {speed} m/s: {gap} m above, {up} m/s",
                            "a cube",
                            ground.kind_name()
                        );
                    }
                }
            }
        }
    }
}

fn cube_of(mass: f32) -> BodyDef {
    let mass = MassOverride::new(mass);
    BodyDef {
        mass: Some(mass),
        ..BodyDef::dynamic().with_shape(Shape::cube(Vec3::splat(0.5)))
    }
}

/// Cubes 3 to 300 times as heavy as the cube on the ground fall on it, from half a metre and from two,
/// so that they meet it anywhere in a step, of 1 to 16 sub-steps. Nothing is to bounce: they come up
/// again by no more than a twenty-fifth of their fall, at 16 sub-steps a twelfth. That was two fifths while
/// a load only counted from the next step on.
#[test]
fn what_is_heavy_stays_on_what_is_light() {
    let mut failures = String::new();
    let ratios = [3.0, 5.0, 8.0, 12.0, 20.0, 50.0, 100.0, 300.0];
    for (ratio, substeps) in ratios
        .into_iter()
        .flat_map(|m| [1, 2, 4, 16].map(|n| (m, n)))
    {
        let share = if substeps <= 4 { 0.04 } else { 1.0 / 12.0 };
        for phase in 0..6 {
            for drop in [0.5_f64, 2.0] {
                let speed = (2.0 * 9.81 * drop).sqrt();
                let drop = drop + speed / 60.0 * f64::from(phase) / 6.0;
                let mut world = World::new(Settings {
                    substeps,
                    ..Settings::default()
                })
                .unwrap();
                let ground = Shape::HalfSpace { normal: Vec3::Y };
                world.add_body(BodyDef::fixed().with_shape(ground)).unwrap();
                let up = |height| DVec3::new(0.0, height, 0.0);
                world.add_body(cube_of(1.0).at(up(0.5))).unwrap();
                let heavy = cube_of(ratio).at(up(1.5 + drop));
                let heavy = world.add_body(heavy).unwrap();
                let mut landed = false;
                let mut most = 0.0_f64;
                for _ in 0..90 {
                    world.step();
                    let above = world.body(heavy).unwrap().position().y - 1.5;
                    landed |= above < 0.0;
                    if landed {
                        most = most.max(above);
                    }
                }
                if !landed || most > share * drop {
                    failures +=
                        &format!("{ratio} times, {substeps} sub-steps, {drop} m: up by {most} m\n");
                }
            }
        }
    }
    assert!(failures.is_empty(), "{failures}");
}

/// A cube at 10 m/s, 5 to 500 times as heavy as each of the cubes of a row that it meets on ice: by
/// hand, all together keep its momentum.
#[test]
fn what_is_light_and_free_keeps_its_own_mass() {
    let ice = |mut def: BodyDef| {
        def.shapes[0].material.friction = 0.0;
        def
    };
    for (mass, substeps) in [5.0, 50.0, 500.0]
        .into_iter()
        .flat_map(|m| [4, 16].map(|n| (m, n)))
    {
        for count in [1, 2, 3, 6] {
            let mut world = World::new(Settings {
                substeps,
                ..Settings::default()
            })
            .unwrap();
            let ground = Shape::HalfSpace { normal: Vec3::Y };
            world
                .add_body(ice(BodyDef::fixed().with_shape(ground)))
                .unwrap();
            let at = |x: f64| DVec3::new(x, 0.5, 0.0);
            let heavy = BodyDef {
                linear_velocity: 10.0 * Vec3::X,
                ..ice(cube_of(mass).at(at(-1.3)))
            };
            let mut keys = vec![(mass, world.add_body(heavy).unwrap())];
            for i in 0..count {
                let light = ice(cube_of(1.0).at(at(f64::from(i))));
                keys.push((1.0, world.add_body(light).unwrap()));
            }
            for _ in 0..30 {
                world.step();
            }
            let momentum =
                |&(mass, key): &(f32, _)| mass * world.body(key).unwrap().linear_velocity().x;
            let sum: f32 = keys.iter().map(momentum).sum();
            assert!(
                (sum / (10.0 * mass) - 1.0).abs() < 0.01,
                "{mass} kg, {count} cubes, {substeps} sub-steps: {sum} kg m/s"
            );
        }
    }
}
