//! drystone itself, through its public face.

use drystone::WorldPose;
use drystone_scene::{Instance, Scene, SpawnedCopy};

use super::engine::Engine;

struct Drystone {
    instance: Instance,
    /// Kept because freeing what a million bodies were made from leaves work to the allocator,
    /// which the next large allocation would do within a timed step.
    _scene: Scene,
}

/// The scene as drystone's own loader builds it. It runs its scripts itself, which does
/// what the comparison does for the others.
pub(crate) fn build(scene: &Scene, threads: u32) -> Result<Box<dyn Engine>, Vec<String>> {
    let mut scene = scene.clone();
    scene.settings.threads = threads as usize;
    let instance = scene.build().map_err(|errors| vec![errors.to_string()])?;
    Ok(Box::new(Drystone {
        instance,
        _scene: scene,
    }))
}

impl Engine for Drystone {
    fn step(&mut self) {
        self.instance.step();
    }

    fn set_target(&mut self, _: usize, _: &WorldPose) {}

    fn respawn(&mut self, _: &Scene, _: &SpawnedCopy) {}

    fn is_awake(&self) -> bool {
        // Kinematic bodies are among them, dynamic ones or not.
        self.instance.world.stats().awake > 0
    }

    fn collide_ms(&self) -> Option<f64> {
        Some(1000.0 * self.instance.world.stats().times.narrow.as_secs_f64())
    }

    fn pose(&self, body: usize) -> Option<WorldPose> {
        let key = self.instance.body_keys[body];
        self.instance.world.body(key).map(|body| body.pose()).ok()
    }
}
