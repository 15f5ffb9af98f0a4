//! Thin round bodies on rolling ground of small triangles: none gets to the other side.

use std::sync::Arc;

use drystone::geometry::mesh::MeshOptions;
use drystone::geometry::{HeightField, Surface, TriangleMesh, rotation};
use drystone::glam::{DVec3, Vec2, Vec3};
use drystone::{BodyDef, Filter, Settings, Shape, ShapeDef, World};

/// Corners along each axis, 10 cm apart.
const CORNERS: usize = 61;
const CELL: f32 = 0.1;

/// A small linear congruential generator: the same sequence everywhere.
struct Random(u64);

impl Random {
    /// Between -1 and 1.
    fn signed(&mut self) -> f32 {
        let next = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = next.wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as f64 / f64::from(1_u32 << 30) - 1.0) as f32
    }

    fn vector(&mut self) -> Vec3 {
        Vec3::new(self.signed(), self.signed(), self.signed())
    }
}

/// Waves of 20 cm, two metres from crest to crest, around the origin.
fn heights() -> Vec<f32> {
    let wave = |index: usize| {
        let turn = index as f32 * CELL;
        let turn = 2.0 * (turn * 0.5 - (turn * 0.5).floor()) - 1.0;
        4.0 * turn * (1.0 - turn.abs())
    };
    (0..CORNERS * CORNERS)
        .map(|at| 0.2 * wave(at / CORNERS) * wave(at % CORNERS))
        .collect()
}

fn origin() -> Vec3 {
    let half = 0.5 * CELL * (CORNERS - 1) as f32;
    Vec3::new(-half, 0.0, -half)
}

fn field() -> HeightField {
    let cell = Vec2::splat(CELL);
    HeightField::new((CORNERS, CORNERS), heights(), cell, origin()).expect("good heights")
}

/// The same as a mesh that is felt from both sides.
fn two_sided() -> TriangleMesh {
    let field = field();
    let ids = 0..2 * (CORNERS as u32 - 1) * (CORNERS as u32 - 1);
    let triangles: Vec<_> = ids.map(|id| field.corner_ids(id)).collect();
    let vertices: Vec<_> = (0..(CORNERS * CORNERS) as u32)
        .map(|vertex| field.vertex(vertex))
        .collect();
    let options = MeshOptions {
        two_sided: true,
        skip_degenerate: false,
    };
    TriangleMesh::new(&vertices, &triangles, options).expect("a good mesh")
}

/// Drops 49 bodies that do not meet each other, and looks after each step whether the ground is
/// below the centre of each that has not left it over its rim.
fn check(name: &str, ground: Shape, surface: Surface<'_>, shape: &Shape, dt: f32) {
    let settings = Settings {
        dt,
        sleeping: false,
        ..Settings::default()
    };
    let mut world = World::new(settings).expect("valid settings");
    world
        .add_body(BodyDef::fixed().with_shape(ground))
        .expect("a valid ground");
    let mut random = Random(34);
    let mut keys = Vec::new();
    for index in 0..49 {
        let part = ShapeDef {
            filter: Filter {
                group: -1,
                ..Filter::default()
            },
            ..ShapeDef::new(shape.clone())
        };
        let place = |index: i32| f64::from(index) * 0.7 - 2.1;
        let at = DVec3::new(place(index % 7), 1.3, place(index / 7));
        let body = BodyDef {
            rotation: rotation::from_scaled_axis(3.0 * random.vector()),
            linear_velocity: Vec3::new(random.signed(), 0.0, random.signed()),
            angular_velocity: 15.0 * random.vector(),
            ..BodyDef::dynamic()
        };
        let body = body
            .at(at + 0.5 * random.vector().as_dvec3())
            .with_part(part);
        keys.push(world.add_body(body).expect("a valid body"));
    }
    let mut on_ground = vec![true; keys.len()];
    for step in 0..(3.0 / dt) as u32 {
        world.step();
        for (index, key) in keys.iter().enumerate() {
            let center = world.body(*key).expect("it is there").center_of_mass();
            on_ground[index] &= center.x.abs().max(center.z.abs()) < 2.9;
            let is_above = surface.ray_meets(center, DVec3::NEG_Y, 10.0);
            assert!(
                is_above || !on_ground[index],
                "{name} {index} at {center} in step {step} of {dt} s"
            );
        }
    }
    let left = on_ground.iter().filter(|on| **on).count();
    assert!(left >= 25, "{left} of {name} on the ground");
}

/// Coins, pebbles and flat cones of 6 to 8 mm fall on ground whose cells are larger than they are.
/// By a ray from each centre straight down, which meets the ground.
#[test]
fn small_flat_round_bodies_do_not_fall_through_rolling_ground() {
    let coin = Shape::Cylinder {
        half_height: 0.003,
        radius: 0.023,
    };
    let pebble = Shape::Ellipsoid {
        semi_axes: Vec3::new(0.0147, 0.0128, 0.0037),
    };
    let cone = Shape::Cone {
        half_height: 0.003,
        radius: 0.023,
    };
    let field = Arc::new(field());
    for (name, shape) in [("coin", coin), ("pebble", pebble), ("cone", cone)] {
        let ground = Shape::HeightField(field.clone());
        check(name, ground, field.surface(), &shape, 1.0 / 30.0);
    }
}

/// Discs of 30 cm lie on both sides of crests, where the planes of triangles farther down are above
/// their centres: those are not felt from below. By the same ray.
#[test]
fn discs_on_crests_of_a_two_sided_mesh_are_not_pulled_through() {
    let disc = Shape::Cylinder {
        half_height: 0.01,
        radius: 0.15,
    };
    let mesh = Arc::new(two_sided());
    let ground = Shape::Mesh(mesh.clone());
    check("disc", ground, mesh.surface(), &disc, 1.0 / 60.0);
}
