//! `drystone view` and `drystone shot`: from the arguments to the files.

use std::io::Write;

use drystone_scene::{Instance, Scene};

use crate::answer::answer;
use crate::diagnostics::{show_errors, show_load_error};
use crate::exit::{Outcome, complain};
use crate::output::{Output, check_places};
use crate::shot::{self, ShotArgs};
use crate::view::{self, Live, LiveError, ViewArgs};

/// Records a scene as a page, or shows it live.
pub(crate) fn view(options: &ViewArgs) -> Outcome {
    if let Some(out) = &options.out
        && let Err(outcome) = check_places(&[&options.file], &[out])
    {
        return outcome;
    }
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
            let output = match Output::create(out) {
                Ok(output) => output,
                Err(outcome) => return outcome,
            };
            let recording = options.recording();
            let page = view::write(&mut instance, &title, &recording, &mut |_| {});
            output.finish_with(page.as_bytes())
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
    if let Err(outcome) = check_places(&[&options.file], &[&options.out]) {
        return outcome;
    }
    let scene = match Scene::load(&options.file) {
        Ok(scene) => scene,
        Err(error) => return show_load_error(&error),
    };
    match scene.build() {
        Ok(mut instance) => {
            let output = match Output::create(&options.out) {
                Ok(output) => output,
                Err(outcome) => return outcome,
            };
            step_to(&mut instance, options.at);
            let picture = shot::svg(&instance.world, &options.view());
            output.finish_with(picture.as_bytes())
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
