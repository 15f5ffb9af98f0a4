//! Impacts of long and thin bodies, which turn far within a step. By conservation: what does not
//! bounce has no more energy afterwards than before, whatever hits what and how.

use drystone::geometry::mesh::MeshOptions;
use drystone::geometry::{TriangleMesh, rotation};
use drystone::glam::{DVec3, Quat, Vec3};
use drystone::{BodyDef, Material, Settings, Shape, World};

/// Numbers that look random, the same in every run.
struct Numbers(u64);

impl Numbers {
    /// From 0 to 1.
    fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = self.0.wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f32 / (1_u64 << 24) as f32
    }

    fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.next()
    }

    fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[(self.next() * all.len() as f32) as usize]
    }

    fn rotation(&mut self) -> Quat {
        loop {
            let parts = [(); 4].map(|()| self.between(-1.0, 1.0));
            let quat = Quat::from_array(parts);
            if (0.1..1.0).contains(&quat.length()) {
                return rotation::normalize(quat);
            }
        }
    }
}

fn grounds() -> [BodyDef; 3] {
    let corners = [(-40.0, -40.0), (40.0, -40.0), (40.0, 40.0), (-40.0, 40.0)];
    let corners = corners.map(|(x, z)| Vec3::new(x, 0.0, z));
    let mesh = TriangleMesh::new(&corners, &[[0, 2, 1], [0, 3, 2]], MeshOptions::default());
    let slab = Shape::cube(Vec3::new(40.0, 1.0, 40.0));
    [
        BodyDef::fixed().with_shape(Shape::HalfSpace { normal: Vec3::Y }),
        BodyDef::fixed().at(-DVec3::Y).with_shape(slab),
        BodyDef::fixed().with_shape(Shape::Mesh(mesh.expect("two triangles").into())),
    ]
}

/// A body of this shape thrown at one of three kinds of ground, and the share of its energy that it
/// has after each of 24 steps.
fn throw(number: usize, shape: &Shape, restitution: f32, numbers: &mut Numbers) -> [f64; 24] {
    let settings = Settings {
        gravity: Vec3::ZERO,
        dt: numbers.one_of(&[1.0 / 30.0, 1.0 / 60.0, 1.0 / 120.0]),
        substeps: numbers.one_of(&[1, 2, 4]),
        restitution_threshold: 0.1,
        ..Settings::default()
    };
    let dt = settings.dt;
    let mut world = World::new(settings).unwrap();
    let friction = numbers.one_of(&[0.0, 0.5]);
    let of = |mut def: BodyDef| {
        def.shapes[0].material = Material {
            friction: if restitution < 1.0 { friction } else { 0.0 },
            restitution,
            ..Material::default()
        };
        def
    };
    world.add_body(of(grounds()[number % 3].clone())).unwrap();
    let speed = numbers.one_of(&[25.0, 50.0, 100.0, 200.0]);
    let (sin, cos) = libm::sincosf(numbers.between(-1.0, 1.0));
    let spin = numbers.one_of(&[0.0, 0.0, 0.5 * speed]);
    let axis = Vec3::from_array([(); 3].map(|()| numbers.between(-1.0, 1.0)));
    let above = 0.4 + speed * dt * numbers.between(0.5, 2.0);
    let def = BodyDef {
        rotation: numbers.rotation(),
        linear_velocity: speed * Vec3::new(sin, -cos, 0.0),
        angular_velocity: spin * axis,
        ..BodyDef::dynamic().at(DVec3::new(0.0, f64::from(above), 0.0))
    };
    world.add_body(of(def.with_shape(shape.clone()))).unwrap();
    let before = world.energy().kinetic;
    [(); 24].map(|()| {
        world.step();
        world.energy().kinetic / before
    })
}

/// Rods of every kind, ten and thirty times as long as thick, thrown at the ground with every part
/// foremost at 25 to 200 m/s. Of those with an end foremost one in forty came out with up to twice
/// its energy.
#[test]
fn rods_gain_no_energy_where_they_hit() {
    let rods = [
        Shape::Capsule {
            half_height: 0.3,
            radius: 0.01,
        },
        Shape::cube(Vec3::new(0.3, 0.01, 0.01)),
        Shape::cube(Vec3::new(0.3, 0.03, 0.03)),
        Shape::Cylinder {
            half_height: 0.3,
            radius: 0.01,
        },
    ];
    let mut numbers = Numbers(1);
    let (mut failures, mut hits) = (String::new(), 0);
    for number in 0..600 {
        let shares = throw(number, &rods[number / 3 % 4], 0.0, &mut numbers);
        let most = shares
            .iter()
            .fold(0.0, |most, share| f64::max(most, *share));
        hits += usize::from(shares[23] < 0.99);
        if most > 1.01 {
            failures += &format!("throw {number}: {most} of its energy\n");
        }
    }
    assert!(hits > 500, "{hits}");
    assert!(failures.is_empty(), "{failures}");
}

/// Boxes that bounce without friction. By conservation: an impact at full restitution changes the
/// energy by nothing, however the box turns meanwhile. It rose by up to a fifth, and fell by as much,
/// as impulses were found for the inertia of the step's start.
#[test]
fn boxes_that_bounce_perfectly_keep_their_energy() {
    let boxes = [
        Vec3::new(0.3, 0.1, 0.2),
        Vec3::new(0.3, 0.05, 0.05),
        Vec3::new(0.2, 0.03, 0.2),
    ];
    let mut numbers = Numbers(2);
    let mut failures = String::new();
    for number in 0..400 {
        let shares = throw(
            number,
            &Shape::cube(boxes[number / 3 % 3]),
            1.0,
            &mut numbers,
        );
        for share in shares {
            if (share - 1.0).abs() > 0.02 {
                failures += &format!("throw {number}: {share} of its energy\n");
                break;
            }
        }
    }
    assert!(failures.is_empty(), "{failures}");
}
