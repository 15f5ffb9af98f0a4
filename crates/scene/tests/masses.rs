//! Masses matter by their ratios alone: where all are multiplied by one power of two, every number
//! of a step is, or stays what it was, and bodies move the same to the last bit. Whatever overflows
//! or vanishes on the way shows. The oracle is the scene as it is.

use std::path::Path;

use drystone::glam::{DVec3, Quat};
use drystone_scene::Scene;

/// Before chance decides: noise of a heap underflows where masses are small, and ties go by it.
const STEPS: u32 = 90;

/// Nothing in them has a force or torque of its own, as motors have.
const SCENES: [&str; 9] = [
    "arch",
    "box_stack",
    "mixed_pile",
    "planar_pyramid",
    "round_shapes",
    "wave_pile",
    "quality/bridge",
    "quality/loaded_arm",
    "quality/sphere_stack_30",
];

/// Where all bodies are in the end, with all masses times `2^doublings`.
fn places(name: &str, doublings: i32) -> Vec<(DVec3, Quat)> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../scenes")
        .join(name)
        .with_extension("ron");
    let mut scene = Scene::load(file).unwrap();
    scene.settings.threads = 1;
    let factor = 2.0_f32.powi(doublings);
    for body in &mut scene.bodies {
        for shape in &mut body.def.shapes {
            shape.material.density *= factor;
        }
        if let Some(mass) = &mut body.def.mass {
            mass.mass *= factor;
            mass.inertia = mass.inertia.map(|inertia| inertia * factor);
        }
    }
    let mut instance = scene.build().unwrap();
    for _ in 0..STEPS {
        instance.step();
    }
    let keys = instance.body_keys.iter();
    keys.map(|&key| {
        let body = instance.world.body(key).unwrap();
        (body.position(), body.rotation())
    })
    .collect()
}

#[test]
fn dust_and_ships_move_like_stones() {
    for name in SCENES {
        let stones = places(name, 0);
        for doublings in [-40, 40] {
            assert!(
                places(name, doublings) == stones,
                "{name} with masses times 2^{doublings}"
            );
        }
    }
}
