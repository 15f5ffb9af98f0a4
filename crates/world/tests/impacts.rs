//! What an impact does to spin and to the way along the surface, by hand.

use drystone::geometry::mesh::MeshOptions;
use drystone::geometry::{HeightField, TriangleMesh, rotation};
use drystone::glam::{DVec3, Quat, Vec2, Vec3};
use drystone::{BodyDef, BodyKey, MassOverride, Material, Pose, Settings, Shape, ShapeDef, World};

fn weightless(substeps: u32) -> World {
    let settings = Settings {
        gravity: Vec3::ZERO,
        substeps,
        ..Settings::default()
    };
    World::new(settings).expect("valid settings")
}

fn of(material: &Material, mut def: BodyDef) -> BodyDef {
    for shape in &mut def.shapes {
        shape.material = *material;
    }
    def
}

/// The ground below y = 0: a half-space, a static box, a driven and a very heavy one, a mesh and a
/// height field.
fn grounds(material: &Material) -> [BodyDef; 6] {
    let slab = |def: BodyDef| {
        let cube = Shape::cube(Vec3::new(50.0, 1.0, 50.0));
        of(material, def.at(-DVec3::Y).with_shape(cube))
    };
    let heavy = BodyDef {
        mass: Some(MassOverride {
            inertia: Some(Vec3::splat(1e9)),
            ..MassOverride::new(1e6)
        }),
        ..BodyDef::dynamic()
    };
    let half_space = BodyDef::fixed().with_shape(Shape::HalfSpace { normal: Vec3::Y });
    [
        of(material, half_space),
        slab(BodyDef::fixed()),
        slab(BodyDef::kinematic()),
        slab(heavy),
        of(material, BodyDef::fixed().with_shape(mesh())),
        of(material, BodyDef::fixed().with_shape(height_field())),
    ]
}

/// Level, of two triangles.
fn mesh() -> Shape {
    let corners = [(-40.0, -50.0), (60.0, -50.0), (60.0, 50.0), (-40.0, 50.0)];
    let corners = corners.map(|(x, z)| Vec3::new(x, 0.0, z));
    let mesh = TriangleMesh::new(&corners, &[[0, 2, 1], [0, 3, 2]], MeshOptions::default());
    Shape::Mesh(mesh.expect("two triangles").into())
}

/// Level, of cells 7 m wide.
fn height_field() -> Shape {
    let (cell, origin) = (Vec2::splat(7.0), Vec3::new(-54.0, 0.0, -50.0));
    let field = HeightField::new((16, 16), vec![0.0; 256], cell, origin);
    Shape::HeightField(field.expect("level cells").into())
}

/// A ball that comes down from some way above the ground, and flies for as long afterwards.
fn ball(world: &mut World, def: BodyDef, radius: f32, speed: f32, phase: u32) -> BodyKey {
    let above = f64::from(speed) / 60.0 * (3.0 + f64::from(phase) / 6.0);
    let ball = BodyDef {
        linear_velocity: def.linear_velocity - speed * Vec3::Y,
        ..def.at(DVec3::new(0.0, f64::from(radius) + above, 0.0))
    };
    let key = world.add_body(ball).unwrap();
    for _ in 0..8 {
        world.step();
    }
    key
}

/// By hand: a push towards the middle of a ball does not turn it, and it leaves at its share of the
/// speed at which it came. Where levers were those of the step's beginning, spins of 30 rad/s came out
/// between 30 and -37, and balls that must not bounce did, at up to four times their speed.
#[test]
fn balls_without_friction_keep_their_spin() {
    let mut failures = String::new();
    for restitution in [0.0, 0.5, 1.0] {
        let ice = Material {
            friction: 0.0,
            restitution,
            ..Material::default()
        };
        for (number, ground) in grounds(&ice).into_iter().enumerate() {
            for (radius, speed) in [(0.1, 2.0), (0.1, 5.0), (0.1, 30.0), (1.0, 5.0), (1.0, 60.0)] {
                for (spin, phase) in [30.0, -100.0]
                    .map(|w| [0, 1, 3, 4].map(|p| (w, p)))
                    .concat()
                {
                    let mut world = weightless(4);
                    world.add_body(ground.clone()).unwrap();
                    let def = of(&ice, BodyDef::dynamic().with_shape(Shape::sphere(radius)));
                    let def = BodyDef {
                        angular_velocity: spin * Vec3::new(0.6, 0.0, 0.8),
                        ..def
                    };
                    let key = ball(&mut world, def.clone(), radius, speed, phase);
                    let ball = world.body(key).unwrap();
                    let (up, turned) = (ball.linear_velocity().y, ball.angular_velocity());
                    let turned = (turned - def.angular_velocity).length() / spin.abs();
                    if turned > 1e-3 || (up - restitution * speed).abs() > 0.02 * speed {
                        failures += &format!(
                            "ground {number}, e {restitution}, radius {radius}, {speed} m/s, spin \
                             {spin}, phase {phase}: up at {up}, turned by {turned}\n"
                        );
                    }
                }
            }
        }
    }
    assert!(failures.is_empty(), "{failures}");
}

/// By hand: an impact at `v` takes `mu (1 + e) v` from the way of a ball along the ground, and makes it
/// turn by 2.5 times that over its radius, as long as it goes on sliding. Impacts that do not bounce took
/// nothing, but for those of faces on static ground. On meshes and height fields balls pushed with levers
/// as long as the way they still had to go, and spun by as much more, or the other way round.
#[test]
fn impacts_brake_what_slides() {
    let mut failures = String::new();
    for (restitution, friction) in [(0.0, 0.1), (0.0, 0.2), (0.5, 0.1)] {
        let rough = Material {
            friction,
            restitution,
            ..Material::default()
        };
        for (number, ground) in grounds(&rough).into_iter().enumerate() {
            for (substeps, speed) in [1, 4, 16]
                .map(|n| [2.0, 4.0, 20.0].map(|v| (n, v)))
                .concat()
            {
                for phase in 0..6 {
                    let mut world = weightless(substeps);
                    world.add_body(ground.clone()).unwrap();
                    let def = of(&rough, BodyDef::dynamic().with_shape(Shape::sphere(0.1)));
                    let def = BodyDef {
                        linear_velocity: speed * Vec3::X,
                        ..def
                    };
                    let key = ball(&mut world, def, 0.1, speed, phase);
                    let ball = world.body(key).unwrap();
                    let lost = 1.0 - ball.linear_velocity().x / speed;
                    let spin = -ball.angular_velocity().z * 0.1 / speed;
                    let expected = friction * (1.0 + restitution);
                    if (lost - expected).abs() > 0.05 * expected
                        || (spin - 2.5 * expected).abs() > 0.05 * 2.5 * expected
                    {
                        failures += &format!(
                            "ground {number}, e {restitution}, mu {friction}, {substeps} sub-steps, \
                             {speed} m/s, phase {phase}: lost {lost}, spins at {spin}\n"
                        );
                    }
                }
            }
        }
    }
    assert!(failures.is_empty(), "{failures}");
}

/// By hand: friction acts against the way, so what does not turn slides straight on, for `v^2 / (2 mu g)`.
/// Long and tall blocks turned aside by up to twelve degrees, as they are the easier to push where they
/// also tip.
#[test]
fn what_slides_stays_on_its_way() {
    let blocks = [
        Vec3::new(1.0, 0.05, 0.05),
        Vec3::new(0.3, 0.2, 0.4),
        Vec3::new(0.05, 0.1, 0.6),
        Vec3::splat(0.2),
    ];
    let rough = Material {
        friction: 0.2,
        ..Material::default()
    };
    for half in blocks {
        for degrees in [10.0_f32, 30.0, 45.0, 70.0] {
            let mut world = World::new(Settings::default()).unwrap();
            let ground = BodyDef::fixed().with_shape(Shape::HalfSpace { normal: Vec3::Y });
            world.add_body(of(&rough, ground)).unwrap();
            let (sin, cos) = libm::sincosf(degrees.to_radians());
            let way = Vec3::new(cos, 0.0, sin);
            let block = BodyDef {
                linear_velocity: 4.0 * way,
                ..BodyDef::dynamic().at(f64::from(half.y) * DVec3::Y)
            };
            let block = of(&rough, block.with_shape(Shape::cube(half)));
            let key = world.add_body(block).unwrap();
            for _ in 0..240 {
                world.step();
            }
            let slid = world.body(key).unwrap().position().as_vec3().with_y(0.0);
            let distance = 16.0 / (2.0 * 0.2 * 9.81);
            let aside = slid.cross(way).length();
            assert!(
                (slid.length() - distance).abs() < 0.03 * distance && aside < 0.02 * distance,
                "{half} at {degrees} degrees slid by {slid} m, {aside} m aside"
            );
        }
    }
}

/// A ball that lands within a step hits the ground where it touches it, by hand below where it began,
/// however far it came in that step and whether it bounces.
#[test]
fn fast_hits_tell_where_they_are() {
    for restitution in [0.0, 0.5] {
        let material = Material {
            restitution,
            ..Material::default()
        };
        for ground in grounds(&material).into_iter().take(3) {
            for (speed, phase) in [5.0, 30.0, 60.0]
                .map(|v| [0, 2, 5].map(|p| (v, p)))
                .concat()
            {
                let mut world = World::new(Settings::default()).unwrap();
                world.add_body(ground.clone()).unwrap();
                let above = f64::from(speed) / 60.0 * (3.0 + f64::from(phase) / 6.0);
                let def = BodyDef {
                    linear_velocity: -speed * Vec3::Y,
                    ..BodyDef::dynamic().at(DVec3::new(0.0, 0.1 + above, 0.0))
                };
                let def = of(&material, def.with_shape(Shape::sphere(0.1)));
                world.add_body(def).unwrap();
                let mut hits = Vec::new();
                for _ in 0..8 {
                    world.step();
                    hits.extend(world.events().hit.iter().map(|hit| hit.point));
                }
                assert!(!hits.is_empty(), "{speed} m/s, phase {phase}");
                let off = hits[0].length();
                assert!(off < 2e-3, "{speed} m/s, phase {phase}: {off} m");
            }
        }
    }
}

/// A ball on a plate that is turned by 0.6 rad, in weightlessness: by hand it meets the plate in the
/// origin. What slid on along the plate within the step was told to have hit up to
/// 2.7 m from there.
#[test]
fn hits_at_a_slant_tell_where_they_are() {
    let turn = rotation::from_axis_angle(Vec3::X, 0.6);
    let normal = rotation::rotate(turn, Vec3::Z).as_dvec3();
    for (speed, phase) in [5.0_f32, 100.0, 800.0]
        .map(|v| [0, 1, 2, 3, 4].map(|p| (v, f64::from(p))))
        .concat()
    {
        for (def, bullet) in [
            (BodyDef::fixed(), false),
            (BodyDef::dynamic(), false),
            (BodyDef::dynamic(), true),
        ] {
            let mut world = weightless(4);
            let plate = BodyDef {
                rotation: turn,
                ..def.at(0.1 * normal)
            };
            let half = Shape::cube(Vec3::new(3.0, 3.0, 0.1));
            world.add_body(plate.with_shape(half)).unwrap();
            let way = f64::from(speed) / 60.0 * (3.0 + phase / 5.0);
            let def = BodyDef {
                bullet,
                linear_velocity: speed * Vec3::Z,
                ..BodyDef::dynamic().at(-0.02 * normal - way * DVec3::Z)
            };
            world.add_body(def.with_shape(Shape::sphere(0.02))).unwrap();
            let mut hits = Vec::new();
            for _ in 0..8 {
                world.step();
                hits.extend(world.events().hit.iter().map(|hit| hit.point));
            }
            assert!(
                hits[0].length() < 1e-3,
                "{speed} m/s, phase {phase}: {hits:?}"
            );
        }
    }
}

/// Balls, blocks and rods that hit the ground and do not bounce, in weightlessness, at 5 and 40 m/s. By
/// hand: each begins to touch, and tells of a hit at its speed. As nothing pressed any more when the step
/// ended, no one was told.
#[test]
fn what_does_not_bounce_tells_that_it_hits() {
    let material = Material::default();
    let tiles = [-1.0, 1.0].into_iter().fold(BodyDef::fixed(), |def, x| {
        let half = Shape::cube(Vec3::new(1.0, 1.0, 50.0));
        def.with_part(ShapeDef {
            pose: Pose::from_translation(Vec3::new(x, -1.0, 0.0)),
            ..ShapeDef::new(half)
        })
    });
    let shapes = [
        Shape::sphere(0.2),
        Shape::cube(Vec3::splat(0.2)),
        Shape::Capsule {
            half_height: 0.4,
            radius: 0.2,
        },
    ];
    for (number, ground) in grounds(&material).into_iter().chain([tiles]).enumerate() {
        for shape in &shapes {
            for (speed, substeps) in [5.0, 40.0].map(|v| [1, 4].map(|n| (v, n))).concat() {
                let mut world = weightless(substeps);
                world.add_body(ground.clone()).unwrap();
                let lowest = if matches!(shape, Shape::Capsule { .. }) {
                    0.6
                } else {
                    0.2
                };
                let def = BodyDef {
                    linear_velocity: -speed * Vec3::Y,
                    ..BodyDef::dynamic().at(DVec3::new(0.0, lowest + 1.3, 0.0))
                };
                world.add_body(def.with_shape(shape.clone())).unwrap();
                let (mut begun, mut hits) = (Vec::new(), Vec::new());
                for _ in 0..40 {
                    world.step();
                    let events = world.events();
                    begun.extend(events.contact_begin.iter().map(|event| event.shape_a));
                    hits.extend(events.hit.iter().map(|hit| hit.speed));
                }
                let name =
                    format!("ground {number}, {shape:?} at {speed} m/s, {substeps} sub-steps");
                // Both tiles are touched, but the second may be later.
                assert!(!hits.is_empty() && hits.len() <= begun.len(), "{name}");
                for hit in hits {
                    assert!((hit - speed).abs() < 0.01 * speed, "{name}: {hit} m/s");
                }
            }
        }
    }
}

/// By hand, for a rod of mass `m` and inertia `i` that comes down with an end at `(x, y)` from its middle:
/// impulses `(p, q)` up and along change the speeds of the end by `(1/m + x^2/i) p - x y q / i` and
/// `(1/m + y^2/i) q - x y p / i`. Together they send it back at its share of the speed, and either hold it
/// or are a friction angle apart. Friction alone came after the push, and took 0.56 of what should bounce
/// perfectly and stick.
#[test]
fn slanting_rods_bounce_at_their_share_of_the_speed() {
    let mut failures = String::new();
    for (restitution, friction) in [(0.5, 0.2), (0.5, 10.0), (1.0, 0.0), (1.0, 0.2), (1.0, 10.0)] {
        for degrees in [10.0_f64, 30.0, 45.0, 60.0, 80.0] {
            for (substeps, half) in [(1, 0.5), (4, 0.5), (16, 0.5), (4, 5.0)] {
                let material = Material {
                    friction,
                    restitution,
                    ..Material::default()
                };
                let mut world = weightless(substeps);
                let [ground, ..] = grounds(&material);
                world.add_body(ground).unwrap();
                let (slant, radius) = (degrees.to_radians(), 0.1 * f64::from(half));
                let x = f64::from(half) * libm::sin(slant);
                let y = -f64::from(half) * libm::cos(slant) - radius;
                let capsule = Shape::Capsule {
                    half_height: half,
                    radius: radius as f32,
                };
                let (sin, cos) = libm::sincos(0.5 * slant);
                let above = -y + 4.0 / 60.0 * 2.5;
                let rod = BodyDef {
                    rotation: Quat::from_xyzw(0.0, 0.0, sin as f32, cos as f32),
                    linear_velocity: -4.0 * Vec3::Y,
                    ..BodyDef::dynamic().with_shape(capsule)
                };
                let rod = of(&material, rod.at(DVec3::new(0.0, above, 0.0)));
                let key = world.add_body(rod).unwrap();
                let rod = world.body(key).unwrap();
                let (m, i) = (f64::from(rod.mass()), f64::from(rod.inertia().z));
                while world.body(key).unwrap().angular_velocity().z == 0.0 {
                    world.step();
                }
                let (up, across, along) = (1.0 / m + x * x / i, -x * y / i, 1.0 / m + y * y / i);
                let change = 4.0 * (1.0 + f64::from(restitution));
                let sticks = change / (up * along - across * across);
                let [mut p, mut q] = [sticks * along, -sticks * across];
                if q.abs() > f64::from(friction) * p {
                    let share = f64::from(friction) * q.signum();
                    p = change / (up + share * across);
                    q = share * p;
                }
                let expected = DVec3::new(q / m, p / m - 4.0, (x * p - y * q) / i * x);
                let rod = world.body(key).unwrap();
                let (velocity, turn) = (rod.linear_velocity(), rod.angular_velocity());
                let found = DVec3::new(velocity.x.into(), velocity.y.into(), f64::from(turn.z) * x);
                if (found - expected).length() > 0.02 * change {
                    failures += &format!(
                        "e {restitution}, mu {friction}, {degrees} degrees, {substeps} sub-steps, \
                         half {half}: {found}, not {expected}\n"
                    );
                }
            }
        }
    }
    assert!(failures.is_empty(), "{failures}");
}
