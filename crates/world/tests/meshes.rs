//! Bodies on triangle meshes and height fields, beside bodies on planes.

use std::sync::Arc;

use drystone::geometry::mesh::MeshOptions;
use drystone::geometry::{HeightField, TriangleMesh};
use drystone::glam::{DVec3, Vec2, Vec3};
use drystone::{BodyDef, BodyKey, BodyView, DefError, Settings, Shape, World};

/// A small linear congruential generator: the same sequence everywhere.
struct Random(u64);

impl Random {
    /// Between -1 and 1.
    fn signed(&mut self) -> f32 {
        let next = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = next.wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as f64 / f64::from(1_u32 << 30) - 1.0) as f32
    }
}

/// A floor of `columns` by `rows` cells along x and z from (-2, 0, -rows / 2 cells), inner
/// corners moved and diagonals drawn at random, at `height`.
fn floor(
    random: &mut Random,
    (rows, columns): (u32, u32),
    cell: f32,
    height: impl Fn(Vec2) -> f32,
) -> Shape {
    let mut vertices = Vec::new();
    for r in 0..=rows {
        for c in 0..=columns {
            let inner = r > 0 && r < rows && c > 0 && c < columns;
            let mut shift = || if inner { 0.2 * random.signed() } else { 0.0 };
            let (x, z) = (c as f32 + shift(), r as f32 - 0.5 * rows as f32 + shift());
            let at = Vec2::new(x * cell - 2.0, z * cell);
            vertices.push(Vec3::new(at.x, height(at), at.y));
        }
    }
    let mut triangles = Vec::new();
    for r in 0..rows {
        for c in 0..columns {
            let (p, q) = (r * (columns + 1) + c, (r + 1) * (columns + 1) + c);
            if random.signed() > 0.0 {
                triangles.extend([[p, q, q + 1], [q + 1, p + 1, p]]);
            } else {
                triangles.extend([[p, q, p + 1], [p + 1, q, q + 1]]);
            }
        }
    }
    let mesh = TriangleMesh::new(&vertices, &triangles, MeshOptions::default());
    Shape::Mesh(Arc::new(mesh.expect("a good mesh")))
}

fn world_on(ground: Shape, threads: usize) -> World {
    let settings = Settings {
        threads,
        ..Settings::default()
    };
    world_with(ground, settings)
}

fn world_with(ground: Shape, settings: Settings) -> World {
    let mut world = World::new(settings).expect("good settings");
    world
        .add_body(BodyDef::fixed().with_shape(ground))
        .expect("a good body");
    world
}

fn shapes() -> Vec<(Shape, f64)> {
    let prism: Vec<Vec3> = (0..12)
        .map(|i| {
            let (s, c) = libm::sincosf(std::f32::consts::TAU * (i % 6) as f32 / 6.0);
            Vec3::new(0.5 * c, if i < 6 { -0.3 } else { 0.3 }, 0.5 * s)
        })
        .collect();
    vec![
        (Shape::sphere(0.3), 0.3),
        (Shape::capsule(0.4, 0.25), 0.25),
        (Shape::cube(Vec3::new(0.4, 0.3, 0.5)), 0.3),
        (Shape::hull(&prism).expect("a solid"), 0.3),
    ]
}

fn slide(ground: Shape, shape: &Shape, height: f64, speed: f32, dt: f32) -> (World, BodyKey) {
    let settings = Settings {
        threads: 1,
        dt,
        ..Settings::default()
    };
    let mut world = world_with(ground, settings);
    let mut def = BodyDef::dynamic()
        .at(DVec3::new(0.0, height, 0.03))
        .with_shape(shape.clone());
    def.linear_velocity = Vec3::new(speed, 0.0, 0.0);
    if matches!(shape, Shape::Capsule { .. }) {
        // Lying along x.
        let half = 0.5 * std::f32::consts::FRAC_PI_2;
        let (s, c) = libm::sincosf(half);
        def.rotation = drystone::glam::Quat::from_xyzw(0.0, 0.0, s, c);
    }
    let body = world.add_body(def).expect("a good body");
    (world, body)
}

/// Bodies of all kinds start at a speed over a floor of random triangles of 0.15, 0.5 and
/// 2 m, with friction, and over a plane, for 60 steps or 11 m: on both they are at the same
/// places, as fast and as straight, to a tenth of a millimetre.
fn check_slides(speed: f32, dt: f32) {
    let mut random = Random(1);
    for cell in [0.15, 0.5, 2.0] {
        let size = ((4.0 / cell) as u32, (14.0 / cell) as u32);
        let mesh = floor(&mut random, size, cell, |_| 0.0);
        for (shape, height) in shapes() {
            let plane = Shape::half_space(Vec3::Y);
            let (mut on_plane, a) = slide(plane, &shape, height, speed, dt);
            let (mut on_mesh, b) = slide(mesh.clone(), &shape, height, speed, dt);
            for step in 0..60.min((11.0 / (speed * dt)) as u32) {
                on_plane.step();
                on_mesh.step();
                let (p, q) = (
                    on_plane.body(a).expect("it lives"),
                    on_mesh.body(b).expect("it lives"),
                );
                let apart = (p.position() - q.position()).length();
                let slower = (p.linear_velocity() - q.linear_velocity()).length();
                let name = shape.kind_name();
                let case = format!("{name} at {speed} m/s, {dt} s, cells {cell}, step {step}");
                assert!(apart < 1e-4, "{case}: {apart}");
                assert!(slower < 1e-3, "{case}: {slower}");
            }
        }
    }
}

/// At 10 m/s and the usual step: what shapes feel of triangles is the plane they lie in.
#[test]
fn shapes_slide_over_triangles_as_over_a_plane() {
    check_slides(10.0, 1.0 / 60.0);
}

/// The same crawling, at a speed that crosses several triangles in a step, and in steps twice
/// as long and four times as short.
#[test]
fn no_speed_and_no_step_makes_edges_felt() {
    for (speed, dt) in [
        (0.5, 1.0 / 60.0),
        (30.0, 1.0 / 60.0),
        (10.0, 1.0 / 30.0),
        (10.0, 1.0 / 240.0),
    ] {
        check_slides(speed, dt);
    }
}

/// A groove along z: sides that fall at this slope towards x = 0 from 3 m on either side.
fn groove(slope: f32) -> Shape {
    let vertices = [
        Vec3::new(-3.0, 3.0 * slope, -3.0),
        Vec3::new(-3.0, 3.0 * slope, 3.0),
        Vec3::new(0.0, 0.0, -3.0),
        Vec3::new(0.0, 0.0, 3.0),
        Vec3::new(3.0, 3.0 * slope, -3.0),
        Vec3::new(3.0, 3.0 * slope, 3.0),
    ];
    let triangles = [[0, 1, 3], [3, 2, 0], [2, 3, 5], [5, 4, 2]];
    let mesh = TriangleMesh::new(&vertices, &triangles, MeshOptions::default()).expect("good");
    Shape::Mesh(Arc::new(mesh))
}

/// A box on its edge in a groove whose sides are belts at 1 m/s: both of them carry it, so it
/// reaches the belts' speed without turning. Friction of 0.6 on two sides of 45 degrees can
/// accelerate it at 8.3 m/s^2, so that takes an eighth of a second.
#[test]
fn all_sides_of_a_belt_carry() {
    let mut world = World::new(Settings::default()).expect("good settings");
    let mut ground = BodyDef::fixed().with_shape(groove(1.0));
    ground.shapes[0].material.surface_velocity = Vec3::Z;
    ground.shapes[0].material.friction = 0.6;
    world.add_body(ground).expect("a good body");
    let (s, c) = libm::sincosf(0.5 * std::f32::consts::FRAC_PI_4);
    let mut def = BodyDef::dynamic()
        .at(DVec3::new(0.0, 0.707, -1.5))
        .with_shape(Shape::cube(Vec3::splat(0.5)));
    def.rotation = drystone::glam::Quat::from_xyzw(0.0, 0.0, s, c);
    def.shapes[0].material.friction = 0.6;
    let body = world.add_body(def).expect("a good body");
    for _ in 0..60 {
        world.step();
    }
    let view = world.body(body).expect("it lives");
    let slip = (view.linear_velocity() - Vec3::Z).length();
    assert!(slip < 0.01, "{}", view.linear_velocity());
    assert!(view.angular_velocity().length() < 0.01);
}

/// A ball that flies a centimetre over one side of a groove of 90 degrees, whose contact is known
/// without a touch, meets the other at 8 m/s: one hit is told, with the speed and the normal of the
/// side that is hit, although the contact of the pair is the other's.
#[test]
fn a_hit_tells_of_the_side_that_is_hit_hardest() {
    let root = std::f32::consts::FRAC_1_SQRT_2;
    for side in [-1.0, 1.0] {
        let settings = Settings {
            gravity: Vec3::ZERO,
            hit_speed: 2.0,
            ..Settings::default()
        };
        let mut world = world_with(groove(1.0), settings);
        let (fast, near) = (
            Vec3::new(-side * root, root, 0.0),
            Vec3::new(side * root, root, 0.0),
        );
        let velocity = -8.0 * fast;
        let touching = Vec3::new(0.0, 0.5 / root, 0.0);
        let start = touching + 0.095 * 8.0 * fast + 0.01 * near;
        let mut def = BodyDef::dynamic()
            .at(start.as_dvec3())
            .with_shape(Shape::sphere(0.5));
        def.linear_velocity = velocity;
        world.add_body(def).expect("a good body");
        let mut hits = Vec::new();
        for _ in 0..12 {
            world.step();
            hits.extend_from_slice(&world.events().hit);
        }
        assert_eq!(hits.len(), 1);
        assert!((hits[0].speed - 8.0).abs() < 0.01, "{:?}", hits[0]);
        assert!(hits[0].normal.dot(fast).abs() > 0.999, "{:?}", hits[0]);
    }
}

fn hills(at: Vec2) -> f32 {
    0.3 * libm::sinf(1.3 * at.x) * libm::cosf(0.9 * at.y)
}

/// Forty bodies of four kinds dropped on hills of small triangles.
fn dropped(threads: usize) -> (World, Vec<BodyKey>) {
    let mut random = Random(9);
    let mut world = world_on(floor(&mut random, (40, 40), 0.25, hills), threads);
    let mut bodies = Vec::new();
    for i in 0..40 {
        let (shape, _) = shapes().swap_remove(i % 4);
        let layer = (i / 16) as f64;
        let at = DVec3::new(
            (i % 4) as f64 * 1.3,
            1.2 + 1.2 * layer,
            (i / 4 % 4) as f64 * 1.3 - 2.0,
        );
        let mut def = BodyDef::dynamic().at(at).with_shape(shape);
        def.angular_velocity = Vec3::new(random.signed(), random.signed(), random.signed());
        def.shapes[0].material.rolling_resistance = 0.3;
        bodies.push(world.add_body(def).expect("a good body"));
    }
    (world, bodies)
}

/// Bodies dropped on hills stay on them and fall asleep, on one to four threads with the
/// same bits in every twentieth step; and after a snapshot in the middle as well.
#[test]
fn a_pile_on_hills_rests_and_is_the_same_for_any_number_of_threads() {
    let (mut world, bodies) = dropped(1);
    let mut others: Vec<World> = [2, 4].map(|threads| dropped(threads).0).into();
    for step in 0..600 {
        world.step();
        for other in &mut others {
            other.step();
        }
        if step == 100 {
            let bytes = world.snapshot();
            others.push(World::restore(&bytes).expect("its own snapshot"));
        }
        if step % 20 == 0 {
            for other in &others {
                assert_eq!(world.state_hash(), other.state_hash(), "step {step}");
            }
        }
    }
    let mut parts = 0;
    for body in bodies {
        let view = world.body(body).expect("it lives");
        let at = view.position();
        let ground = f64::from(hills(Vec2::new(at.x as f32, at.z as f32)));
        assert!(at.y > ground, "a body fell through at {at}");
        assert!(
            !view.is_awake(),
            "a body at {at} moves at {}",
            view.linear_velocity()
        );
        let contacts = world.contacts_of(body).expect("it lives");
        parts += contacts.len();
        for contact in contacts {
            assert!(contact.points.iter().all(|point| point.separation > -0.02));
        }
    }
    assert!(parts > 40, "{parts} manifolds");
}

/// Capsules dropped on twelve such hills, where they lie across bumps on two points with an end in the
/// air, come to rest within 20 s: what they rest on never goes to that end.
#[test]
fn capsules_come_to_rest_on_hills() {
    let mut moving = 0;
    for seed in 0..12 {
        let mut random = Random(seed);
        let settings = Settings {
            threads: 1,
            ..Settings::default()
        };
        let mut world = world_with(floor(&mut random, (40, 40), 0.25, hills), settings);
        let mut bodies = Vec::new();
        for i in 0..16 {
            let at = DVec3::new(
                f64::from(i % 4) * 1.3 - 2.0,
                1.2,
                f64::from(i / 4) * 1.3 - 2.0,
            );
            let mut def = BodyDef::dynamic()
                .at(at)
                .with_shape(Shape::capsule(0.4, 0.25));
            def.angular_velocity = Vec3::new(random.signed(), random.signed(), random.signed());
            def.shapes[0].material.rolling_resistance = 0.3;
            bodies.push(world.add_body(def).expect("a good body"));
        }
        for _ in 0..1200 {
            world.step();
        }
        let views = bodies
            .iter()
            .map(|body| world.body(*body).expect("it lives"));
        let moves = |view: &BodyView<'_>| view.is_awake() && view.position().y > -1.0;
        moving += views.filter(moves).count();
    }
    assert_eq!(moving, 0, "of 192 capsules");
}

/// A box that lands in a groove of 90 degrees is held by both sides, with one event for the
/// pair when it lands and one when it is taken away.
#[test]
fn a_pair_touches_once_however_many_manifolds_it_has() {
    let mut world = world_on(groove(1.0), 1);
    let half = 0.5 * std::f32::consts::FRAC_PI_4;
    let (s, c) = libm::sincosf(half);
    let mut def = BodyDef::dynamic()
        .at(DVec3::new(0.0, 0.75, 0.0))
        .with_shape(Shape::cube(Vec3::splat(0.5)));
    def.rotation = drystone::glam::Quat::from_xyzw(0.0, 0.0, s, c);
    let body = world.add_body(def).expect("a good body");
    let mut begun = 0;
    for _ in 0..200 {
        world.step();
        begun += world.events().contact_begin.len();
        assert!(world.events().contact_end.is_empty());
    }
    assert_eq!(begun, 1);
    let contacts = world.contacts_of(body).expect("it lives");
    assert_eq!(contacts.len(), 2);
    assert!(
        contacts
            .iter()
            .all(|contact| contact.is_touching && contact.points.len() == 4)
    );
    let view = world.body(body).expect("it lives");
    assert!((view.position() - DVec3::new(0.0, 0.5 * 2.0_f64.sqrt(), 0.0)).length() < 0.02);
    assert!(!view.is_awake());
    world.remove_body(body).expect("it lives");
    world.step();
    assert_eq!(world.events().contact_end.len(), 1);
    assert_eq!(world.contacts().count(), 0);
}

/// What cannot fall is refused by name; a kinematic height field lifts a box.
#[test]
fn surfaces_are_for_bodies_that_do_not_fall() {
    let field = HeightField::new(
        (3, 3),
        vec![0.0; 9],
        Vec2::splat(1.0),
        Vec3::new(-1.0, 0.0, -1.0),
    );
    let field = Shape::HeightField(Arc::new(field.expect("good")));
    let mut world = World::new(Settings::default()).expect("good settings");
    let error = world.add_body(BodyDef::dynamic().with_shape(field.clone()));
    assert_eq!(error, Err(DefError::DynamicSurface { index: 0 }));
    let mut lift = BodyDef::kinematic().with_shape(field);
    lift.linear_velocity = Vec3::Y;
    world.add_body(lift).expect("a good body");
    let cube = BodyDef::dynamic()
        .at(DVec3::new(0.1, 0.3, 0.2))
        .with_shape(Shape::cube(Vec3::splat(0.3)));
    let cube = world.add_body(cube).expect("a good body");
    for _ in 0..60 {
        world.step();
    }
    let height = world.body(cube).expect("it lives").position().y;
    assert!((height - 1.3).abs() < 0.02, "{height}");
}
