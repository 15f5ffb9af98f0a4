//! Bodies that roll and slide in bowls and over hills of triangles neither gain energy nor are braked.

use std::f64::consts::PI;
use std::sync::Arc;

use drystone::geometry::mesh::{MeshOptions, TriangleMesh};
use drystone::glam::{DVec3, Quat, Vec2, Vec3};
use drystone::{BodyDef, BodyKey, Material, Settings, Shape, ShapeDef, World};
use drystone_geometry::rotation;

/// Half of a pipe of 2 m across z, of flat strips.
fn trough(strips: u32) -> Shape {
    let mut vertices = Vec::new();
    let mut triangles = Vec::new();
    for strip in 0..=strips {
        let (sin, cos) = libm::sincosf(2.4 * (strip as f32 / strips as f32 - 0.5));
        let at = 2.0 * Vec3::new(sin, 1.0 - cos, 0.0);
        vertices.extend([at - Vec3::Z, at + Vec3::Z]);
    }
    for first in (0..2 * strips).step_by(2) {
        triangles.extend([[0, 1, 2], [1, 3, 2]].map(|t| t.map(|corner: u32| corner + first)));
    }
    let mesh = TriangleMesh::new(&vertices, &triangles, MeshOptions::default());
    Shape::Mesh(Arc::new(mesh.expect("a good mesh")))
}

/// A ball without friction is let go a tenth of a radian up in troughs of few and many strips. By
/// conservation: it never has more energy than it began with, and it is never inside by more than a
/// millimetre.
#[test]
fn a_ball_in_a_trough_of_triangles_gains_no_energy() {
    for (strips, dt) in [(200, 1.0 / 60.0), (800, 1.0 / 60.0), (200, 1.0 / 30.0)] {
        let mut world = world_on(part(trough(strips), 0.0), dt);
        let gravity = -f64::from(world.settings().gravity.y);
        let (sin, cos) = libm::sincos(0.1);
        let start = DVec3::new(1.9 * sin, 2.0 - 1.9 * cos, 0.0);
        let ball = BodyDef::dynamic().with_part(part(Shape::sphere(0.1), 0.0));
        let ball = world.add_body(ball.at(start)).unwrap();
        for step in 0..(10.0 / dt) as u32 {
            world.step();
            let view = world.body(ball).unwrap();
            let at = view.position() - DVec3::Y * 2.0;
            let inside = at.length() - 1.9;
            assert!(
                inside < 0.001,
                "{inside} m inside of {strips} in step {step}"
            );
            let speed_sq = f64::from(view.linear_velocity().length_squared());
            let height = view.position().y + 0.5 * speed_sq / gravity;
            // The middle of a strip is nearer than its sides.
            assert!(
                height < start.y + 0.0005,
                "{height} m of {} in step {step} of {strips}",
                start.y
            );
        }
    }
}

/// A shape of this friction.
fn part(shape: Shape, friction: f32) -> ShapeDef {
    ShapeDef {
        material: Material {
            friction,
            ..Material::default()
        },
        ..ShapeDef::new(shape)
    }
}

fn world_on(ground: ShapeDef, dt: f32) -> World {
    let settings = Settings {
        dt,
        sleeping: false,
        ..Settings::default()
    };
    let mut world = World::new(settings).expect("valid settings");
    world
        .add_body(BodyDef::fixed().with_part(ground))
        .expect("the ground");
    world
}

fn on_its_side(part: ShapeDef) -> ShapeDef {
    let mut part = part;
    part.pose.rotation = rotation::from_axis_angle(Vec3::X, 0.5 * PI as f32);
    part
}

/// How far a body in a trough swings at its turns, in radians, over so many seconds. It is let go at 0.35.
fn swings(world: &mut World, radius: f64, body: ShapeDef, seconds: f32) -> Vec<f64> {
    let (sin, cos) = libm::sincos(0.35);
    let mut def = BodyDef::dynamic().with_part(body);
    def = def.at(DVec3::new(radius * sin, 2.0 - radius * cos, 0.0));
    def.rotation = rotation::from_axis_angle(Vec3::Z, 0.35);
    let body = world.add_body(def).expect("a body");
    let (mut widest, mut turns, mut last) = (0.0_f64, Vec::new(), 1.0);
    for _ in 0..(seconds / world.settings().dt) as u32 {
        world.step();
        let at = world.body(body).expect("the body").position();
        let angle = libm::atan2(at.x, 2.0 - at.y);
        if angle * last < 0.0 {
            turns.push(widest);
            widest = 0.0;
        }
        (widest, last) = (widest.max(angle.abs()), angle);
    }
    turns
}

/// A ball, a log and a capsule are let go in troughs of few and of many strips. In twelve seconds they never swing wider than before by more than a thousandth, and less only by what the edges take: a
/// ball that comes to a strip at an angle of `a` loses `a^2` of its energy, and as much where a step ends.
#[test]
fn what_swings_in_a_trough_gains_nothing_and_loses_little() {
    let shapes = |friction: f32| {
        [
            part(Shape::sphere(0.2), friction),
            on_its_side(part(Shape::cylinder(0.3, 0.2), friction)),
            on_its_side(part(Shape::capsule(0.3, 0.2), friction)),
        ]
    };
    for (strips, dt, kept) in [
        (60, 1.0 / 60.0, 0.80),
        (200, 1.0 / 60.0, 0.80),
        (800, 1.0 / 60.0, 0.80),
        (200, 1.0 / 30.0, 0.65),
        (200, 1.0 / 240.0, 0.92),
    ] {
        for friction in [0.0, 0.8] {
            for shape in shapes(friction) {
                let name = shape.shape.kind_name();
                let mut world = world_on(part(trough(strips), friction), dt);
                let turns = swings(&mut world, 1.8, shape, 12.0);
                let case =
                    format!("{name}, friction {friction}, {strips} strips, {dt} s: {turns:?}");
                assert!(turns.len() > 6, "{case}");
                assert!(turns.iter().all(|turn| *turn < 0.35 * 1.001), "{case}");
                assert!(turns[turns.len() - 1] > 0.35 * kept, "{case}");
            }
        }
    }
}

/// Hills in a wide bowl, of triangles with edges of a tenth of a metre.
fn hills() -> Shape {
    let height = |at: Vec2| {
        0.02 * at.length_squared() + 0.4 * libm::sinf(0.8 * at.x) * libm::cosf(0.7 * at.y)
    };
    let rows = 140_u32;
    let mut vertices = Vec::new();
    for row in 0..=rows {
        for column in 0..=rows {
            let at = 0.1 * Vec2::new(row as f32, column as f32) - Vec2::splat(0.05 * rows as f32);
            vertices.push(Vec3::new(at.x, height(at), at.y));
        }
    }
    let mut triangles = Vec::new();
    for row in 0..rows {
        for column in 0..rows {
            let (p, q) = (row * (rows + 1) + column, (row + 1) * (rows + 1) + column);
            triangles.extend([[p, p + 1, q], [q, p + 1, q + 1]]);
        }
    }
    let mesh = TriangleMesh::new(&vertices, &triangles, MeshOptions::default());
    Shape::Mesh(Arc::new(mesh.expect("a good mesh")))
}

/// Numbers that look random, from -1 to 1.
struct Random(u64);

impl Random {
    fn signed(&mut self) -> f32 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 40) as f32 / (1 << 23) as f32 - 1.0
    }
}

/// Energy of the one body of a world, as the height in metres to which it would lift it.
fn lift(world: &World, body: BodyKey) -> f64 {
    let weight = world.body(body).expect("the body").mass() * world.settings().gravity.length();
    world.energy().total() / f64::from(weight)
}

/// What slides and rolls over hills without a drive loses energy: over ten seconds it never has more than
/// before by two centimetres of height.
#[test]
fn what_rolls_over_hills_gains_no_energy() {
    let ground = hills();
    let mut random = Random(5);
    for round in 0..8 {
        let friction = if round % 2 == 0 { 0.0 } else { 0.5 };
        for shape in [
            Shape::sphere(0.2),
            Shape::capsule(0.3, 0.2),
            Shape::cylinder(0.2, 0.25),
            Shape::cube(Vec3::new(0.3, 0.15, 0.2)),
            Shape::Ellipsoid {
                semi_axes: Vec3::new(0.3, 0.2, 0.25),
            },
        ] {
            let name = shape.kind_name();
            let mut world = world_on(part(ground.clone(), friction), 1.0 / 60.0);
            let at = [0.0; 3].map(|_: f32| 4.0 * random.signed());
            let mut def = BodyDef::dynamic().with_part(part(shape, friction));
            def = def.at(DVec3::new(f64::from(at[0]), 1.8, f64::from(at[2])));
            let spin = [0.0; 3].map(|_: f32| random.signed());
            def.rotation = rotation::normalize(Quat::from_xyzw(spin[0], spin[1], spin[2], 0.3));
            let body = world.add_body(def).expect("a body");
            for _ in 0..90 {
                world.step();
            }
            let velocity = Vec3::new(2.0 * random.signed(), 0.0, 2.0 * random.signed());
            world
                .set_velocity(body, velocity, Vec3::ZERO)
                .expect("the body");
            let mut least = f64::INFINITY;
            for step in 0..600 {
                world.step();
                let lift = lift(&world, body);
                least = least.min(lift);
                assert!(
                    lift < least + 0.02,
                    "{name}, friction {friction}, round {round}, step {step}: {} m",
                    lift - least
                );
            }
        }
    }
}
