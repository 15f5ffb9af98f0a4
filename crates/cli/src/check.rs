//! `drystone check`.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use drystone_scene::{Checker, Report, Scene};

use crate::args::CheckOptions;
use crate::diagnostics::{show_errors, show_load_error};
use crate::exit::{Outcome, complain};

/// Folders in folders are followed this deep, which no sane tree exceeds.
const MAX_DEPTH: usize = 32;

/// Verifies the expectations of all scenes; the worst outcome counts.
pub(crate) fn check(options: &CheckOptions) -> Outcome {
    let mut files = Vec::new();
    for path in &options.paths {
        if let Err(error) = collect(path, options.recursive, 0, &mut files) {
            complain(&format!("cannot read `{}`: {error}", path.display()));
            return Outcome::InputOutput;
        }
    }
    if files.is_empty() {
        complain("there are no .ron files in the given folders");
        return Outcome::BadScene;
    }
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

/// Adds the scene files of a folder in the order of their names, or a file itself.
fn collect(
    path: &Path,
    recursive: bool,
    depth: usize,
    files: &mut Vec<PathBuf>,
) -> std::io::Result<()> {
    if !path.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    let entries = std::fs::read_dir(path)?.map(|entry| entry.map(|entry| entry.path()));
    let mut paths = entries.collect::<std::io::Result<Vec<PathBuf>>>()?;
    paths.sort();
    for path in paths {
        let is_scene = path.extension().is_some_and(|extension| extension == "ron");
        if path.is_dir() {
            if recursive && depth < MAX_DEPTH {
                collect(&path, recursive, depth + 1, files)?;
            }
        } else if is_scene {
            files.push(path);
        }
    }
    Ok(())
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
