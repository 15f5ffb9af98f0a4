//! Bodies wedged between things at rest, without friction: nothing drives them, so they gain no energy.

use std::f32::consts::{PI, TAU};
use std::sync::Arc;

use drystone::geometry::TriangleMesh;
use drystone::geometry::mesh::MeshOptions;
use drystone::geometry::rotation;
use drystone::glam::Vec3;
use drystone::{BodyDef, Settings, Shape, ShapeDef, World};

/// A small linear congruential generator: the same sequence everywhere.
struct Dice(u64);

impl Dice {
    fn next(&mut self, low: f32, high: f32) -> f32 {
        self.0 = (self.0.wrapping_mul(6_364_136_223_846_793_005)).wrapping_add(1);
        low + (high - low) * ((self.0 >> 40) as f32 / (1 << 24) as f32)
    }
}

fn smooth(shape: Shape) -> ShapeDef {
    let mut def = ShapeDef::new(shape);
    def.material.friction = 0.0;
    def.material.restitution = 0.0;
    def
}

/// A funnel of flat sides with a flat rim. Its walls are `wide` metres
/// from the axis at the bottom, `mouth` at the top, and `deep` metres high.
fn funnel(sides: u32, wide: f32, mouth: f32, deep: f32) -> Shape {
    let corner = 1.0 / libm::cosf(PI / sides as f32);
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for side in 0..sides {
        let angle = TAU * (side as f32 + 0.5) / sides as f32;
        let out = Vec3::new(libm::cosf(angle), 0.0, libm::sinf(angle));
        vertices.push(corner * wide * out - deep * Vec3::Y);
        vertices.push(corner * mouth * out);
        vertices.push(deep * out);
        let next = (side + 1) % sides;
        for level in 0..2 {
            let [low, next_low] = [3 * side + level, 3 * next + level];
            triangles.push([low, next_low + 1, low + 1]);
            triangles.push([low, next_low, next_low + 1]);
        }
    }
    let mesh = TriangleMesh::new(&vertices, &triangles, MeshOptions::default());
    Shape::Mesh(Arc::new(mesh.expect("a sound mesh")))
}

/// Drops a peg askew into a funnel that it does not pass; returns how far its energy rose above that at the
/// start, and above the least since, in units of its weight times its size.
fn rises(dice: &mut Dice, round: bool, hertz: f32) -> [f64; 2] {
    let settings = Settings {
        dt: 1.0 / hertz,
        sleeping: false,
        ..Settings::default()
    };
    let mut world = World::new(settings).unwrap();
    let size = dice.next(0.1, 2.0);
    let (radius, half_height) = (0.5 * size, size * dice.next(0.25, 1.5));
    let shape = if round {
        Shape::Cylinder {
            half_height,
            radius,
        }
    } else {
        Shape::cube(Vec3::new(radius, half_height, radius))
    };
    let wide = radius * dice.next(0.75, 1.05);
    let mouth = wide * dice.next(1.1, 2.0);
    let sides = dice.next(4.0, 16.99) as u32;
    let funnel = smooth(funnel(sides, wide, mouth, 8.0 * size));
    world.add_body(BodyDef::fixed().with_part(funnel)).unwrap();
    let (tilt, heading) = (dice.next(0.0, 0.6), dice.next(0.0, TAU));
    let axis = Vec3::new(libm::cosf(heading), 0.0, libm::sinf(heading));
    let height = half_height + 1.5 * radius * libm::sinf(tilt) + size * dice.next(0.0, 0.3);
    let mut peg = BodyDef::dynamic().at(Vec3::new(0.0, height, 0.0).as_dvec3());
    peg.rotation = rotation::from_axis_angle(axis, tilt);
    let peg = world.add_body(peg.with_part(smooth(shape))).unwrap();
    let unit = f64::from(9.81 * size * world.body(peg).unwrap().mass());
    let first = world.energy().total();
    let (mut least, mut rises) = (first, [0.0_f64; 2]);
    for _ in 0..(3.0 * hertz) as u32 {
        world.step();
        let energy = world.energy().total();
        rises[0] = rises[0].max((energy - first) / unit);
        rises[1] = rises[1].max((energy - least) / unit);
        least = least.min(energy);
    }
    rises
}

/// By conservation of energy. Impulses between steep walls that face each other came to no end in a sweep,
/// and what was left of them shot some of these pegs up by ten times their size.
#[test]
fn pegs_do_not_leap_from_steep_funnels() {
    let mut dice = Dice(1);
    for round in [true, false] {
        let (mut leaps, mut hops) = (0, 0);
        for case in 0..16 {
            let hertz = [60.0, 120.0][case % 2];
            let [above, rise] = rises(&mut dice, round, hertz);
            leaps += u32::from(above > 0.001);
            hops += u32::from(rise > 1.0);
        }
        assert_eq!([leaps, hops], [0, 0], "round: {round}");
    }
}
