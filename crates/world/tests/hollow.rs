//! What is hollow: rings go over pegs with their centres, and not through walls with their parts.

use std::f32::consts::TAU;

use drystone::geometry::{TriangleMesh, rotation};
use drystone::glam::{DVec3, Quat, Vec3};
use drystone::{BodyDef, BodyKind, Settings, Shape, ShapeDef, World};

/// Radius of the hole, half the thickness of the ring and half its height, in metres.
const HOLE: f32 = 0.35;
const THICK: f32 = 0.05;
const HIGH: f32 = 0.06;

/// A ring of twelve boxes about Y.
fn ring() -> BodyDef {
    let count = 12;
    let middle = HOLE + THICK;
    let half = Vec3::new(THICK, HIGH, middle * libm::tanf(TAU / (2 * count) as f32));
    let parts = (0..count).map(|part| {
        let angle = TAU * part as f32 / count as f32;
        let mut part = ShapeDef::new(Shape::cube(half));
        part.pose.rotation = rotation::from_axis_angle(Vec3::Y, angle);
        part.pose.translation = rotation::rotate(part.pose.rotation, middle * Vec3::X);
        part
    });
    parts.fold(BodyDef::dynamic(), BodyDef::with_part)
}

fn world(rate: f32, gravity: Vec3) -> World {
    let settings = Settings {
        dt: 1.0 / rate,
        sleeping: false,
        gravity,
        ..Settings::default()
    };
    World::new(settings).expect("valid settings")
}

/// The sides and the top of a box without its bottom, as triangles.
fn box_mesh(half: Vec3) -> Shape {
    let corner = |x, z| [-1.0, 1.0].map(|y| half * Vec3::new(x, y, z));
    let corners = [(-1.0, -1.0), (-1.0, 1.0), (1.0, 1.0), (1.0, -1.0)].map(|(x, z)| corner(x, z));
    let mut triangles = vec![[1, 3, 5], [1, 5, 7]];
    for side in 0..4 {
        let (here, next) = (2 * side, 2 * ((side + 1) % 4));
        triangles.extend([[here, next, next + 1], [here, next + 1, here + 1]]);
    }
    let mesh = TriangleMesh::new(corners.as_flattened(), &triangles, Default::default());
    Shape::Mesh(mesh.expect("a valid mesh").into())
}

/// A ring falls over a peg with room on all sides, its centre through the peg's end. By Galileo's law it
/// falls as if nothing were there; it hung over the peg for ever, and became faster and faster.
#[test]
fn a_ring_falls_over_a_peg() {
    let half = Vec3::new(0.2, 0.75, 0.2);
    for rate in [60.0, 120.0, 240.0] {
        for peg in [
            Shape::cube(half),
            Shape::cylinder(half.y, half.x),
            box_mesh(half),
        ] {
            for kind in [BodyKind::Static, BodyKind::Kinematic] {
                let mut world = world(rate, Vec3::NEG_Y * 9.81);
                let mut stand = BodyDef::fixed().with_shape(peg.clone());
                stand.kind = kind;
                world.add_body(stand).expect("a valid peg");
                let start = DVec3::new(0.03, 1.5, -0.02);
                let ring = world.add_body(ring().at(start)).expect("a valid ring");
                let steps = (0.5 * rate) as u32;
                (0..steps).for_each(|_| world.step());
                let body = world.body(ring).expect("it is there");
                let time = f64::from(steps) / f64::from(rate);
                let fallen = start.y - body.position().y;
                let known = 0.5 * 9.81 * time * time;
                // Euler's steps and Galileo's law are a sub-step's fall apart.
                let off = 9.81 * time / (4.0 * f64::from(rate));
                assert!(
                    (fallen - known).abs() < off,
                    "{peg:?} {kind:?} at {rate} Hz: {fallen} m for {known} m"
                );
            }
        }
    }
}

/// Rings of all directions thrown at a wall of a centimetre, spinning. By counting: the centre of none gets
/// through.
#[test]
fn rings_do_not_get_through_a_thin_wall() {
    let mut seed = 9_u64;
    let mut random = || {
        seed = seed
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (seed >> 40) as f32 / (1_u64 << 23) as f32 - 1.0
    };
    for speed in [10.0, 40.0, 100.0, 300.0] {
        for spin in [0.0, 10.0, 200.0] {
            for case in 0..6 {
                let mut world = world(60.0, Vec3::ZERO);
                let wall = Shape::cube(Vec3::new(0.005, 500.0, 500.0));
                let wall = BodyDef::fixed().with_shape(wall);
                world.add_body(wall).expect("a valid wall");
                let mut def = ring().at(DVec3::new(-1.0 - 0.1 * f64::from(case), 0.0, 0.0));
                def.rotation = Quat::from_xyzw(random(), random(), random(), random());
                def.linear_velocity = speed * Vec3::X;
                def.angular_velocity = spin * Vec3::new(random(), random(), random());
                let ring = world.add_body(def).expect("a valid ring");
                for step in 0..60 {
                    world.step();
                    let x = world.body(ring).expect("it is there").position().x;
                    assert!(
                        x < 0.0,
                        "{speed} m/s, {spin} rad/s, ring {case}: {x} m at step {step}"
                    );
                }
            }
        }
    }
}
