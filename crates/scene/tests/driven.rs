//! Scenes on a ground that is driven: bodies move on it as on one that stands, whether it rests or
//! moves on and they with it (Galileo).

use std::path::Path;

use drystone::BodyKind;
use drystone::glam::{DVec3, Vec3};
use drystone_scene::Scene;

/// Seconds.
const TIME: f64 = 3.0;

/// Where the dynamic bodies are at the end, less the way of the ground.
fn ends(scene: &Scene, driven: Option<Vec3>) -> Vec<DVec3> {
    let mut scene = scene.clone();
    scene.settings.sleeping = false;
    let past = driven.unwrap_or(Vec3::ZERO);
    for body in &mut scene.bodies {
        if driven.is_some() && body.def.kind == BodyKind::Static {
            body.def.kind = BodyKind::Kinematic;
        }
        if body.def.kind != BodyKind::Static {
            body.def.linear_velocity += past;
        }
    }
    let mut instance = scene.build().expect("a valid scene");
    while instance.world.time() < TIME {
        instance.step();
    }
    let way = past.as_dvec3() * instance.world.time();
    let bodies = instance.world.bodies().map(|(_, body)| body);
    bodies
        .filter(|body| body.kind() == BodyKind::Dynamic)
        .map(|body| body.center_of_mass() - way)
        .collect()
}

/// Wheels, logs and cones that roll over a box and over a mesh, columns of prisms whose contacts do
/// not lie around their middle, and bricks near the limit of their overhang. On a ground that is
/// driven and rests they end where they do on a static one, to a micrometre; on one that moves at up
/// to 18 m/s within a millimetre, as `f32` velocities round.
#[test]
fn a_driven_ground_is_as_good_as_a_static_one() {
    let scenes = [
        "fast_wheels",
        "mesh_roll",
        "round_shapes",
        "quality/prism_columns",
        "cases/overhang_4_stands",
        "cases/rebound_e0_5",
        "cases/ghost_mesh_tiles",
    ];
    for name in scenes {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../scenes/{name}.ron"));
        let scene = Scene::load(path).expect("a valid scene");
        let expected = ends(&scene, None);
        let grounds = [
            (Vec3::ZERO, 1e-6),
            (Vec3::new(1.0, 0.0, 0.5), 1e-3),
            (Vec3::new(16.0, 0.0, -8.0), 1e-3),
        ];
        for (velocity, most) in grounds {
            for (number, (end, expected)) in ends(&scene, Some(velocity))
                .iter()
                .zip(&expected)
                .enumerate()
            {
                let off = (*end - *expected).length();
                assert!(
                    off <= most,
                    "{name}, body {number} over a ground at {velocity} m/s: {off} m off"
                );
            }
        }
    }
}
