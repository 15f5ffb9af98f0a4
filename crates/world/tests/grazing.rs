//! What passes an edge does not bump into it: the ground of flush tiles is as good as one piece.

use drystone::glam::{DVec3, Quat, Vec3};
use drystone::{BodyDef, BodyKey, Material, Settings, Shape, World};

/// Steps per second.
const RATES: [f32; 3] = [30.0, 60.0, 240.0];

fn slick(mut def: BodyDef) -> BodyDef {
    for shape in &mut def.shapes {
        shape.material = Material {
            friction: 0.0,
            ..Material::default()
        };
    }
    def
}

/// Seventy tiles along x, the top at y = 0, from x = -1 on, `length` metres each.
fn tiles(dt: f32, length: f32) -> World {
    let mut world = World::new(Settings {
        dt,
        sleeping: false,
        ..Settings::default()
    })
    .expect("valid settings");
    for index in 0..(70.0 / length) as u32 {
        let half = Vec3::new(0.5 * length, 0.25, 2.0);
        let x = f64::from(length) * (f64::from(index) + 0.5) - 1.0;
        let tile = BodyDef::fixed()
            .at(DVec3::new(x, -0.25, 0.0))
            .with_shape(Shape::cube(half));
        world.add_body(slick(tile)).expect("a valid tile");
    }
    world
}

/// Steps until the body is `way` metres on; the largest rise and sinking on the way and the speed
/// at its end.
fn travel(world: &mut World, key: BodyKey, way: f64) -> (f64, f64, f32) {
    let start = world.body(key).expect("it is there").pose().position;
    let (mut highest, mut lowest) = (start.y, start.y);
    for _ in 0..20_000 {
        world.step();
        let at = world.body(key).expect("it is there").pose().position;
        (highest, lowest) = (highest.max(at.y), lowest.min(at.y));
        if at.x - start.x > way {
            break;
        }
    }
    let velocity = world.body(key).expect("it is there").linear_velocity();
    (highest - start.y, start.y - lowest, velocity.x)
}

/// Balls, capsules lying along and across and standing, and boxes straight and turned slide over
/// tiles of 1 m and of 0.37 m at three speeds and three rates, from six places. Known by hand: over
/// ground in one piece they stay as high and as fast as they are.
#[test]
fn nothing_hops_on_flush_tiles() {
    let capsule = Shape::Capsule {
        half_height: 0.3,
        radius: 0.15,
    };
    let across = Quat::from_xyzw(0.5_f32.sqrt(), 0.0, 0.0, 0.5_f32.sqrt());
    let along = Quat::from_xyzw(0.0, 0.0, 0.5_f32.sqrt(), 0.5_f32.sqrt());
    let askew = Quat::from_xyzw(0.0, libm::sinf(0.15), 0.0, libm::cosf(0.15));
    let cases = [
        ("ball", Shape::Sphere { radius: 0.2 }, Quat::IDENTITY, 0.2),
        ("standing capsule", capsule.clone(), Quat::IDENTITY, 0.45),
        ("capsule across", capsule.clone(), across, 0.15),
        ("capsule along", capsule, along, 0.15),
        ("box", Shape::cube(Vec3::splat(0.1)), Quat::IDENTITY, 0.1),
        ("turned box", Shape::cube(Vec3::splat(0.1)), askew, 0.1),
    ];
    let mut failures = String::new();
    for (name, shape, rotation, height) in cases {
        for speed in [2.0, 10.0, 30.0] {
            for rate in RATES {
                for place in 0..6 {
                    let length = if place % 2 == 0 { 1.0 } else { 0.37 };
                    let mut world = tiles(1.0 / rate, length);
                    let mut def = BodyDef {
                        linear_velocity: speed * Vec3::X,
                        ..BodyDef::dynamic()
                    };
                    def.rotation = rotation;
                    def.locks.rotation = [name == "standing capsule"; 3];
                    let x = f64::from(place as u32) * 0.0371;
                    let def = def.at(DVec3::new(x, height, 0.0)).with_shape(shape.clone());
                    let key = world.add_body(slick(def)).expect("a valid body");
                    let way = f64::from(speed).min(10.0) * 3.0;
                    let (rise, sinking, end) = travel(&mut world, key, way);
                    if rise > 0.001 || sinking > 0.001 || (end - speed).abs() > 0.002 * speed {
                        failures += &format!(
                            "{name} at {speed} m/s, {rate} Hz, {length} m, place {place}: \
                             rise {rise:.5}, sinking {sinking:.5}, end {end}\n"
                        );
                    }
                }
            }
        }
    }
    assert!(failures.is_empty(), "{failures}");
}
