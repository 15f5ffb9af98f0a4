//! How many steps a time on the command line takes.

use drystone_scene::Scene;
use drystone_scene::tolerance::MAX_STEPS;

use crate::exit::{Outcome, complain};

/// The steps of a scene that take the seconds which `option` asks for. Complains about a time that
/// is never reached, or not in years.
pub(crate) fn steps_of(option: &str, seconds: f64, scene: &Scene) -> Result<u64, Outcome> {
    let dt = f64::from(scene.settings.dt);
    if seconds == 0.0 {
        return Ok(0);
    }
    if dt <= 0.0 {
        complain(&format!(
            "`{option} {seconds}` is never reached: time stands still in this scene, as its `dt` is 0"
        ));
        return Err(Outcome::BadScene);
    }
    let steps = (seconds / dt).round();
    if steps > MAX_STEPS as f64 {
        complain(&format!(
            "`{option} {seconds}` takes {steps:.1e} steps of {} s: at most {MAX_STEPS:e} are taken",
            scene.settings.dt
        ));
        return Err(Outcome::BadScene);
    }
    Ok(steps as u64)
}
