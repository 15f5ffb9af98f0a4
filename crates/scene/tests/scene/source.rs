//! Where the scenes of the tests come from.

use drystone_scene::Scene;

/// The scene of some fields, as text.
pub(crate) fn parse(text: &str) -> Scene {
    match Scene::parse(format!("(format: 1, {text})"), "test.ron") {
        Ok(scene) => scene,
        Err(errors) => panic!("{errors}"),
    }
}

/// One of the project's scenes, by its path below `scenes` without the ending.
pub(crate) fn load(name: &str) -> Scene {
    let path = format!("{}/../../scenes/{name}.ron", env!("CARGO_MANIFEST_DIR"));
    Scene::load(&path).unwrap_or_else(|error| panic!("{error}"))
}
