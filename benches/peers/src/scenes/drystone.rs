//! drystone itself, through its public face.

use drystone::WorldPose;
use drystone_scene::{Instance, Scene, SpawnedCopy};

use super::engine::Engine;

struct Drystone(Instance);

/// The scene as drystone's own loader builds it. It runs its scripts itself, which does
/// what the comparison does for the others.
pub(crate) fn build(scene: &Scene, threads: u32) -> Result<Box<dyn Engine>, Vec<String>> {
    let mut scene = scene.clone();
    scene.settings.threads = threads as usize;
    let instance = scene.build().map_err(|errors| vec![errors.to_string()])?;
    Ok(Box::new(Drystone(instance)))
}

impl Engine for Drystone {
    fn step(&mut self) {
        self.0.step();
    }

    fn set_target(&mut self, _: usize, _: &WorldPose) {}

    fn respawn(&mut self, _: &Scene, _: &SpawnedCopy) {}

    fn is_awake(&self) -> bool {
        // Kinematic bodies are among them, dynamic ones or not.
        self.0.world.stats().awake > 0
    }

    fn pose(&self, body: usize) -> Option<WorldPose> {
        let key = self.0.body_keys[body];
        self.0.world.body(key).map(|body| body.pose()).ok()
    }
}
