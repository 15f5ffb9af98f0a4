//! `drystone view` and `drystone shot`: from the arguments to the files.

use std::fs;
use std::io::Write;
use std::path::Path;

use drystone_scene::{Instance, Scene};

use crate::answer::answer;
use crate::diagnostics::{show_errors, show_load_error};
use crate::exit::{Outcome, complain};
use crate::shot::{self, ShotArgs};
use crate::view::{self, Live, LiveError, ViewArgs};

/// Records a scene as a page, or shows it live.
pub(crate) fn view(options: &ViewArgs) -> Outcome {
    let scene = match Scene::load(&options.file) {
        Ok(scene) => scene,
        Err(error) => return show_load_error(&error),
    };
    let title = options.file.display().to_string();
    let Some(out) = &options.out else {
        return live(options, &scene, &title);
    };
    match scene.build() {
        Ok(mut instance) => {
            let recording = options.recording();
            let page = view::write(&mut instance, &title, &recording, &mut |_| {});
            save(out, &page)
        }
        Err(errors) => show_errors(&errors),
    }
}

fn live(options: &ViewArgs, scene: &Scene, title: &str) -> Outcome {
    let how = Live {
        contacts: !options.no_contacts,
        open_browser: !options.no_open,
    };
    let shown = view::serve(scene, title, how, &mut |address| {
        answer(format_args!("{address}"));
        let _ = std::io::stdout().flush();
    });
    match shown {
        Ok(()) => Outcome::Done,
        Err(LiveError::Scene(errors)) => show_errors(&errors),
        Err(LiveError::Io(error)) => {
            complain(&format!("cannot serve the page: {error}"));
            Outcome::InputOutput
        }
    }
}

/// Steps a scene to a moment and draws it.
pub(crate) fn shot(options: &ShotArgs) -> Outcome {
    let scene = match Scene::load(&options.file) {
        Ok(scene) => scene,
        Err(error) => return show_load_error(&error),
    };
    match scene.build() {
        Ok(mut instance) => {
            step_to(&mut instance, options.at);
            save(&options.out, &shot::svg(&instance.world, &options.view()))
        }
        Err(errors) => show_errors(&errors),
    }
}

/// Steps until `seconds` have been simulated; at once when steps take no time.
fn step_to(instance: &mut Instance, seconds: f64) {
    let dt = f64::from(instance.world.settings().dt);
    if dt > 0.0 {
        for _ in 0..(seconds / dt).round() as u64 {
            instance.step();
        }
    }
}

/// Writes a file under a temporary name, then gives it its own.
pub(crate) fn save(path: &Path, text: &str) -> Outcome {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".part");
    let temporary = path.with_file_name(name);
    let written = fs::write(&temporary, text).and_then(|()| fs::rename(&temporary, path));
    match written {
        Ok(()) => Outcome::Done,
        Err(error) => {
            complain(&format!("cannot write `{}`: {error}", path.display()));
            Outcome::InputOutput
        }
    }
}
