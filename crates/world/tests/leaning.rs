//! Bodies that lean on each other along their edges.

use drystone::glam::{DVec3, Quat, Vec3};
use drystone::{BodyDef, Material, Settings, Shape, World};

fn world(dt: f32) -> World {
    World::new(Settings {
        dt,
        sleeping: false,
        ..Settings::default()
    })
    .expect("valid settings")
}

fn with_box(def: BodyDef, half: Vec3, friction: f32) -> BodyDef {
    let mut def = def.with_shape(Shape::cube(half));
    for shape in &mut def.shapes {
        shape.material = Material {
            friction,
            ..Material::default()
        };
    }
    def
}

fn add_ground(world: &mut World, friction: f32) {
    let ground = BodyDef::fixed().at(DVec3::new(0.0, -0.5, 0.0));
    let ground = with_box(ground, Vec3::new(50.0, 0.5, 50.0), friction);
    world.add_body(ground).expect("a valid ground");
}

/// How far the left of two cards has sunk after some seconds; each has this half height and leans
/// by so many radians on the other, which stands on ground of this friction.
fn sinking(lean: f64, half_height: f64, friction: f64, dt: f32) -> f64 {
    let (sin, cos) = libm::sincos(lean);
    let thickness = 0.01 * half_height;
    let half = Vec3::new(
        thickness as f32,
        half_height as f32,
        0.6 * half_height as f32,
    );
    let (x, y) = (
        half_height * sin + thickness * cos,
        half_height * cos + thickness * sin,
    );
    let mut world = world(dt);
    add_ground(&mut world, friction as f32);
    let keys = [-1.0, 1.0].map(|side| {
        let mut def = BodyDef::dynamic().at(DVec3::new(side * x, y, 0.0));
        let (sin, cos) = libm::sincos(0.5 * side * lean);
        def.rotation = Quat::from_xyzw(0.0, 0.0, sin as f32, cos as f32);
        let def = with_box(def, half, friction as f32);
        world.add_body(def).expect("a valid card")
    });
    for _ in 0..(5.0 / dt) as u32 {
        world.step();
    }
    y - world.body(keys[0]).expect("it is there").pose().position.y
}

/// Two cards that lean on each other need friction of half the tangent of their lean: the top
/// presses level, so the moments about a foot ask for half the weight times the tangent there.
/// A tenth above it they stand, a tenth below they fall, at two sizes and two rates.
#[test]
fn two_cards_stand_from_half_the_tangent_of_their_lean() {
    for degrees in [15.0_f64, 25.0, 35.0] {
        let lean = degrees.to_radians();
        let needed = 0.5 * libm::tan(lean);
        for half_height in [0.05, 0.5] {
            for rate in [60.0, 120.0] {
                let stands = sinking(lean, half_height, 1.1 * needed, 1.0 / rate);
                let falls = sinking(lean, half_height, 0.9 * needed, 1.0 / rate);
                assert!(
                    stands < 0.02 * half_height && falls > 0.4 * half_height,
                    "{degrees} degrees, {half_height} m, {rate} Hz: {stands}, {falls}"
                );
            }
        }
    }
}
