//! `drystone run`.

use std::path::{Path, PathBuf};

use drystone_scene::{Checker, Instance, Report, Scene};

use crate::answer::answer;
use crate::args::{EngineOptions, RunOptions};
use crate::diagnostics::{show_errors, show_load_error};
use crate::exit::{Outcome, complain};
use crate::length::steps_of;
use crate::output::{Output, check_parts, check_places};
use crate::progress::Progress;
use crate::record::{Format, Recorder};
use crate::summary::Summary;

/// Loads, runs and reports a scene.
pub(crate) fn run(options: &RunOptions) -> Outcome {
    let outputs = [&options.record, &options.journal].into_iter().flatten();
    let outputs: Vec<&Path> = outputs.map(PathBuf::as_path).collect();
    if let Err(outcome) = check_places(&[&options.file], &outputs) {
        return outcome;
    }
    let mut scene = match Scene::load(&options.file) {
        Ok(scene) => scene,
        Err(error) => return show_load_error(&error),
    };
    if let Err(outcome) = check_parts(&scene, &outputs) {
        return outcome;
    }
    if let Err(outcome) = apply(&options.engine, &mut scene) {
        return outcome;
    }
    let steps = match steps(options, &scene) {
        Ok(steps) => steps,
        Err(outcome) => return outcome,
    };
    let mut instance = match scene.build() {
        Ok(instance) => instance,
        Err(errors) => return show_errors(&errors),
    };
    let recorder = match open_recorder(options) {
        Ok(recorder) => recorder,
        Err(outcome) => return outcome,
    };
    let journal = match options.journal.as_deref().map(Output::create).transpose() {
        Ok(journal) => journal,
        Err(outcome) => {
            recorder.into_iter().for_each(Recorder::discard);
            return outcome;
        }
    };
    if journal.is_some() {
        instance.world.start_recording();
    }
    if !options.quiet {
        answer(format_args!("{}", options.file.display()));
        if !scene.about.is_empty() {
            answer(format_args!("{}", scene.about));
        }
    }
    let mut summary = Summary::new(&scene);
    let (outcome, report) = advance(
        options,
        &scene,
        &mut instance,
        steps,
        recorder,
        &mut summary,
    );
    let outcome = match (journal, instance.world.take_recording()) {
        (Some(out), Some(recording)) => outcome.max(out.finish_with(&recording.to_bytes())),
        _ => outcome,
    };
    if !options.quiet {
        summary.print(&scene, &instance, options.stats);
    }
    match report {
        Some(report) => outcome.max(tell(&report, options.quiet)),
        None => outcome,
    }
}

/// Applies the options that say how to compute.
pub(crate) fn apply(engine: &EngineOptions, scene: &mut Scene) -> Result<(), Outcome> {
    if let Err(error) = engine.simd.resolve() {
        complain(&error.to_string());
        return Err(Outcome::BadScene);
    }
    scene.settings.simd = engine.simd;
    scene.settings.threads = engine.threads as usize;
    Ok(())
}

fn steps(options: &RunOptions, scene: &Scene) -> Result<u64, Outcome> {
    match (options.steps, options.seconds) {
        (Some(steps), _) => Ok(steps),
        (None, Some(seconds)) => Ok(steps_of("--seconds", seconds, scene)?.max(1)),
        (None, None) => Ok(scene.steps()),
    }
}

fn open_recorder(options: &RunOptions) -> Result<Option<Recorder>, Outcome> {
    let Some(path) = &options.record else {
        return Ok(None);
    };
    let Some(format) = Format::of(path) else {
        complain(&format!("`{}` must end in .jsonl or .csv", path.display()));
        return Err(Outcome::BadScene);
    };
    Recorder::create(path, format).map(Some)
}

/// Takes the steps. The expectations are judged when the run is as long as the scene says.
fn advance(
    options: &RunOptions,
    scene: &Scene,
    instance: &mut Instance,
    steps: u64,
    mut recorder: Option<Recorder>,
    summary: &mut Summary,
) -> (Outcome, Option<Report>) {
    let mut checker = Checker::new(scene);
    checker.observe(instance);
    let mut progress = Progress::new(steps, options.quiet);
    let mut outcome = Outcome::Done;
    for step in 0..steps {
        instance.step();
        summary.observe(instance);
        checker.observe(instance);
        progress.advance(&instance.world);
        let is_due = (step + 1) % options.record_every == 0 || step + 1 == steps;
        if let Some(out) = recorder.as_mut().filter(|_| is_due)
            && let Err(error) = out.write(instance)
        {
            complain(&format!("cannot write the recording: {error}"));
            outcome = Outcome::InputOutput;
            break;
        }
        if let Some(key) = instance.diverged() {
            let name = instance.name_of(key);
            let time = instance.world.time();
            complain(&format!(
                "the simulation diverged at {time:.4} s: `{name}` left the world"
            ));
            outcome = Outcome::Diverged;
            break;
        }
    }
    progress.finish();
    if let Some(recorder) = recorder {
        if outcome == Outcome::InputOutput {
            recorder.discard();
        } else {
            outcome = outcome.max(recorder.finish());
        }
    }
    let is_whole = outcome == Outcome::Done && steps >= scene.steps();
    (outcome, is_whole.then(|| checker.finish(instance)))
}

/// Says which expectations failed, and how many came true.
fn tell(report: &Report, quiet: bool) -> Outcome {
    for failure in report.failures() {
        answer(format_args!("{failure}"));
    }
    let (all, failed) = (report.verdicts.len(), report.failures().count());
    if !quiet && all > 0 {
        answer(format_args!(
            "expectations    {} of {all} came true",
            all - failed
        ));
    }
    if failed > 0 {
        Outcome::Failed
    } else {
        Outcome::Done
    }
}
