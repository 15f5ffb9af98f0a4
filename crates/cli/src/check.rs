//! `drystone check`.

use std::io::Write;
use std::path::{Component, Path};
use std::time::Instant;

use drystone_scene::{Checker, Instance, Report, Scene};

use crate::answer::answer;
use crate::args::CheckOptions;
use crate::diagnostics::{show_errors, show_load_error};
use crate::exit::{Outcome, complain};
use crate::files;
use crate::output::save;
use crate::shot::{self, View};

/// Verifies the expectations of all scenes; the worst outcome counts.
pub(crate) fn check(options: &CheckOptions) -> Outcome {
    let files = match files::scenes(&options.paths, options.recursive) {
        Ok(files) => files,
        Err(outcome) => return outcome,
    };
    let mut worst = Outcome::Done;
    let mut passed = 0;
    for file in &files {
        let outcome = check_file(file, options);
        passed += usize::from(outcome == Outcome::Done);
        worst = worst.max(outcome);
    }
    answer(format_args!("{passed} of {} scenes passed", files.len()));
    worst
}

/// Verifies one scene with every length of a step that it names; returns the worst outcome.
fn check_file(file: &Path, options: &CheckOptions) -> Outcome {
    let start = Instant::now();
    let loaded = Scene::load(file).map_err(|error| show_load_error(&error));
    let ready = loaded.and_then(|mut scene| {
        crate::run::apply(&options.engine, &mut scene)?;
        Ok(scene)
    });
    let mut scene = match ready {
        Ok(scene) => scene,
        Err(outcome) => {
            let nothing = Report::default();
            show(file, None, start, &outcome, &nothing, 0.0, options);
            return outcome;
        }
    };
    let mut worst = Outcome::Done;
    let others = std::mem::take(&mut scene.also_dt);
    let count = 1 + others.len();
    for dt in std::iter::once(scene.settings.dt).chain(others) {
        let start = Instant::now();
        scene.settings.dt = dt;
        let (outcome, report, simulated) = check_one(file, &scene, options);
        let dt = (count > 1).then_some(dt);
        show(file, dt, start, &outcome, &report, simulated, options);
        worst = worst.max(outcome);
    }
    worst
}

/// Tells how a run ended.
fn show(
    file: &Path,
    dt: Option<f32>,
    start: Instant,
    outcome: &Outcome,
    report: &Report,
    simulated: f64,
    options: &CheckOptions,
) {
    let word = match outcome {
        Outcome::Done => "ok      ",
        Outcome::Failed => "FAILED  ",
        Outcome::Diverged => "DIVERGED",
        Outcome::BadScene | Outcome::InputOutput => "ERROR   ",
    };
    let seconds = start.elapsed().as_secs_f64();
    let count = report.verdicts.len();
    let name = match dt {
        Some(dt) => format!("{} at dt {dt:.6}", file.display()),
        None => file.display().to_string(),
    };
    answer(format_args!(
        "{word} {name:<40} {count:>3} expectations, {simulated:>6.1} s in {seconds:>6.2} s"
    ));
    for verdict in &report.verdicts {
        if options.verbose || !verdict.passed {
            answer(format_args!(
                "  {}",
                verdict.to_string().replace('\n', "\n  ")
            ));
        }
    }
    let _ = std::io::stdout().flush();
}

/// Runs a scene to its end; says how long that was in simulated seconds.
fn check_one(file: &Path, scene: &Scene, options: &CheckOptions) -> (Outcome, Report, f64) {
    let none = Report::default;
    let mut instance = match scene.build() {
        Ok(instance) => instance,
        Err(errors) => return (show_errors(&errors), none(), 0.0),
    };
    let mut checker = Checker::new(scene);
    checker.observe(&instance);
    for _ in 0..scene.steps() {
        instance.step();
        if let Some(key) = instance.diverged() {
            let (name, time) = (instance.name_of(key), instance.world.time());
            complain(&format!(
                "the simulation diverged at {time:.4} s: `{name}` left the world"
            ));
            return (Outcome::Diverged, none(), time);
        }
        checker.observe(&instance);
    }
    let report = checker.finish(&instance);
    let mut outcome = Outcome::Done;
    if !report.passed() {
        outcome = Outcome::Failed;
        if let Some(folder) = &options.picture_on_fail {
            outcome = outcome.max(picture(file, folder, &instance));
        }
    }
    (outcome, report, instance.world.time())
}

/// Draws the world as it is now into a file named after the scene.
fn picture(file: &Path, folder: &Path, instance: &Instance) -> Outcome {
    if let Err(error) = std::fs::create_dir_all(folder) {
        complain(&format!("cannot make `{}`: {error}", folder.display()));
        return Outcome::InputOutput;
    }
    // Scenes of one name in several folders keep pictures of their own.
    let parts = file.with_extension("svg");
    let parts = parts.components().filter_map(|part| match part {
        Component::Normal(name) => name.to_str(),
        _ => None,
    });
    let path = folder.join(parts.collect::<Vec<_>>().join("-"));
    save(
        &path,
        shot::svg(&instance.world, &View::default()).as_bytes(),
    )
}
