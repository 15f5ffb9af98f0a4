//! `drystone view` and `drystone shot`: from the arguments to the files.

use std::io::Write;

use drystone_scene::Scene;

use crate::answer::answer;
use crate::diagnostics::{show_errors, show_load_error};
use crate::exit::{Outcome, complain};
use crate::length::steps_of;
use crate::output::{Output, check_parts, check_places};
use crate::shot::{self, ShotArgs};
use crate::view::{self, Live, LiveError, ViewArgs};

/// Records a scene as a page, or shows it live.
pub(crate) fn view(options: &ViewArgs) -> Outcome {
    if let Some(to) = options.to.filter(|to| *to < options.from) {
        complain(&format!(
            "`--to {to}` comes before `--from {}`: exchange them",
            options.from
        ));
        return Outcome::BadScene;
    }
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
    if let Err(outcome) = check_parts(&scene, &[out]) {
        return outcome;
    }
    let recording = options.recording();
    let end = if options.to.is_some() {
        "--to"
    } else {
        "--seconds"
    };
    for (option, seconds) in [("--from", recording.from), (end, recording.to)] {
        // Where time stands still the page shows the start.
        if (scene.settings.dt > 0.0 || option == "--from")
            && let Err(outcome) = steps_of(option, seconds, &scene)
        {
            return outcome;
        }
    }
    match scene.build() {
        Ok(mut instance) => {
            let output = match Output::create(out) {
                Ok(output) => output,
                Err(outcome) => return outcome,
            };
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
    if let Err(outcome) = check_parts(&scene, &[&options.out]) {
        return outcome;
    }
    let steps = match steps_of("--at", options.at, &scene) {
        Ok(steps) => steps,
        Err(outcome) => return outcome,
    };
    match scene.build() {
        Ok(mut instance) => {
            let output = match Output::create(&options.out) {
                Ok(output) => output,
                Err(outcome) => return outcome,
            };
            for _ in 0..steps {
                instance.step();
            }
            let picture = shot::svg(&instance.world, &options.view());
            output.finish_with(picture.as_bytes())
        }
        Err(errors) => show_errors(&errors),
    }
}
