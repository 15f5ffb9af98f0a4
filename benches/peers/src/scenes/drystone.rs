//! drystone itself, through its public face.

use drystone::WorldPose;
use drystone_scene::{Instance, Scene};

use super::engine::Engine;

struct Drystone(Instance);

/// The scene as drystone's own loader builds it. The comparison drives kinematic bodies
/// itself, the same way for all engines.
pub(crate) fn build(scene: &Scene, threads: u32) -> Result<Box<dyn Engine>, Vec<String>> {
    let mut scene = scene.clone();
    scene.settings.threads = threads as usize;
    scene.motions.clear();
    let instance = scene.build().map_err(|errors| vec![errors.to_string()])?;
    Ok(Box::new(Drystone(instance)))
}

impl Engine for Drystone {
    fn step(&mut self) {
        self.0.step();
    }

    fn set_target(&mut self, body: usize, target: &WorldPose) {
        let key = self.0.body_keys[body];
        // A pose out of the world would be a mistake of the scene, which has been checked.
        let _ = self.0.world.set_kinematic_target(key, *target);
    }

    fn pose(&self, body: usize) -> WorldPose {
        let key = self.0.body_keys[body];
        self.0
            .world
            .body(key)
            .map_or(WorldPose::IDENTITY, |body| body.pose())
    }
}
