//! `drystone check`.

use std::io::Write;
use std::path::Path;
use std::time::Instant;

use drystone_scene::{Checker, Report, Scene};

use crate::args::CheckOptions;
use crate::diagnostics::{show_errors, show_load_error};
use crate::exit::{Outcome, complain};
use crate::files;

/// Verifies the expectations of all scenes; the worst outcome counts.
pub(crate) fn check(options: &CheckOptions) -> Outcome {
    let files = match files::scenes(&options.paths, options.recursive) {
        Ok(files) => files,
        Err(outcome) => return outcome,
    };
    let mut worst = Outcome::Done;
    let mut passed = 0;
    for file in &files {
        let start = Instant::now();
        let (outcome, report, simulated) = check_one(file, options);
        let word = match outcome {
            Outcome::Done => "ok      ",
            Outcome::Failed => "FAILED  ",
            Outcome::Diverged => "DIVERGED",
            Outcome::BadScene | Outcome::InputOutput => "ERROR   ",
        };
        let seconds = start.elapsed().as_secs_f64();
        let count = report.verdicts.len();
        println!(
            "{word} {:<40} {count:>3} expectations, {simulated:>6.1} s in {seconds:>6.2} s",
            file.display().to_string()
        );
        for verdict in &report.verdicts {
            if options.verbose || !verdict.passed {
                println!("  {}", verdict.to_string().replace('\n', "\n  "));
            }
        }
        let _ = std::io::stdout().flush();
        passed += usize::from(outcome == Outcome::Done);
        worst = worst.max(outcome);
    }
    println!("{passed} of {} scenes passed", files.len());
    worst
}

/// Runs a scene to its end; says how long that was in simulated seconds.
fn check_one(file: &Path, options: &CheckOptions) -> (Outcome, Report, f64) {
    let none = Report::default;
    let mut scene = match Scene::load(file) {
        Ok(scene) => scene,
        Err(error) => return (show_load_error(&error), none(), 0.0),
    };
    if let Err(outcome) = crate::run::apply(&options.engine, &mut scene) {
        return (outcome, none(), 0.0);
    }
    let mut instance = match scene.build() {
        Ok(instance) => instance,
        Err(errors) => return (show_errors(&errors), none(), 0.0),
    };
    let mut checker = Checker::new(&scene);
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
    let outcome = if report.passed() {
        Outcome::Done
    } else {
        Outcome::Failed
    };
    (outcome, report, instance.world.time())
}
