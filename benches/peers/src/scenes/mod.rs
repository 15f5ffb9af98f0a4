//! Whole scenes in all engines, in turns.
//!
//! Shapes, masses, friction, gravity, time step and sub-steps are those of the scene in
//! every engine; what one cannot express is said, and then it does not run that scene.
//! The first step is not timed. Kinematic paths run inside the timed loop.

mod box3d;
mod drystone;
mod engine;
mod rapier;

use std::path::{Path, PathBuf};
use std::time::Instant;

use ::drystone::BodyKind;
use clap::Args;
use comfy_table::{CellAlignment, Table, presets};
use drystone_scene::Scene;

use engine::{Build, Engine, Quality, Scripts};

/// All engines; ours comes first.
const ENGINES: [(&str, Build); 3] = [
    ("drystone", drystone::build),
    ("Box3D", box3d::build),
    ("Rapier", rapier::build),
];

/// Options of `scenes`.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Scene files, or folders of them.
    #[arg(default_value = "scenes/bench")]
    paths: Vec<PathBuf>,
    /// Numbers of worker threads.
    #[arg(long, value_delimiter = ',', default_value = "1,2")]
    threads: Vec<u32>,
    /// How often every engine runs every scene.
    #[arg(long, default_value_t = 3)]
    repeat: usize,
    /// Steps to take in place of the scene's own number; the first is not timed.
    #[arg(long, value_parser = clap::value_parser!(u64).range(2..))]
    steps: Option<u64>,
    /// How often the quality is measured in the course of a run; the worst counts.
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..))]
    looks: u64,
}

/// The runs of one engine on one number of threads.
#[derive(Default)]
struct Runs {
    /// Milliseconds a step of each run, in rising order once all are done.
    ms: Vec<f64>,
    /// Milliseconds a step that contacts took in the run that took least; `None` where untold.
    collide_ms: Option<f64>,
    quality: Quality,
}

/// Runs everything and prints one table.
pub(crate) fn run(options: &Options) -> Result<(), String> {
    let mut table = Table::new();
    table.load_style(presets::ASCII_MARKDOWN);
    table.set_header([
        "scene",
        "threads",
        "engine",
        "ms/step min",
        "median",
        "ours / best peer, min",
        "median",
        "collide ms",
        "overlap mm",
        "drift m",
        "sag m",
        "joint gap mm",
        "asleep at",
        "lost",
    ]);
    let mut notes = Vec::new();
    for file in files(&options.paths)? {
        for threads in &options.threads {
            compare(&file, *threads, options, &mut table, &mut notes)?;
        }
    }
    for column in table.column_iter_mut().skip(3) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    println!("{table}\n");
    notes.dedup();
    notes.iter().for_each(|note| println!("{note}"));
    Ok(())
}

fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, String> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let entries = std::fs::read_dir(path).map_err(|e| format!("{}: {e}", path.display()))?;
        let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
        let mut scenes: Vec<_> = paths
            .filter(|p| p.extension().is_some_and(|e| e == "ron"))
            .collect();
        scenes.sort();
        files.extend(scenes);
    }
    Ok(files)
}

/// One scene on one number of threads, all engines taking turns.
fn compare(
    file: &Path,
    threads: u32,
    options: &Options,
    table: &mut Table,
    notes: &mut Vec<String>,
) -> Result<(), String> {
    let scene = Scene::load(file).map_err(|error| error.to_string())?;
    let name = file
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let mut runs: Vec<Option<Runs>> = ENGINES.iter().map(|_| Some(Runs::default())).collect();
    for round in 0..options.repeat {
        for ((engine, build), slot) in ENGINES.iter().zip(&mut runs) {
            let Some(runs) = slot else { continue };
            eprintln!("{name}, {threads} threads, {engine}, run {}", round + 1);
            match build(&scene, threads) {
                Ok(world) => {
                    let run = time(&scene, world, options);
                    runs.ms.push(run.ms);
                    runs.collide_ms = match (runs.collide_ms, run.collide_ms) {
                        (Some(least), Some(ms)) => Some(ms.min(least)),
                        (known, new) => known.or(new),
                    };
                    runs.quality = runs.quality.worst(run.quality);
                }
                Err(missing) => {
                    notes.push(format!(
                        "{engine} does not run {name}: it lacks {}.",
                        missing.join(", ")
                    ));
                    *slot = None;
                }
            }
        }
    }
    for runs in runs.iter_mut().flatten() {
        runs.ms.sort_by(f64::total_cmp);
    }
    rows(&name, threads, &runs, table);
    Ok(())
}

fn rows(name: &str, threads: u32, runs: &[Option<Runs>], table: &mut Table) {
    let best = |of: fn(&Runs) -> f64| {
        let peers = runs.iter().skip(1).flatten().map(of);
        peers.min_by(f64::total_cmp)
    };
    let ratio = |own: f64, best: Option<f64>| {
        best.map_or(String::new(), |best| format!("{:.2}", own / best))
    };
    for (index, ((engine, _), runs)) in ENGINES.iter().zip(runs).enumerate() {
        let Some(runs) = runs else { continue };
        let is_ours = index == 0;
        let (min, median) = (least(runs), middle(runs));
        let quality = &runs.quality;
        table.add_row([
            name.to_owned(),
            threads.to_string(),
            (*engine).to_owned(),
            format!("{min:.3}"),
            format!("{median:.3}"),
            if is_ours {
                ratio(min, best(least))
            } else {
                String::new()
            },
            if is_ours {
                ratio(median, best(middle))
            } else {
                String::new()
            },
            runs.collide_ms
                .map_or(String::new(), |ms| format!("{ms:.3}")),
            format!("{:.2}", 1000.0 * quality.overlap),
            format!("{:.3}", quality.drift),
            format!("{:.3}", quality.sag),
            format!("{:.2}", 1000.0 * quality.joint_gap),
            quality
                .asleep
                .map_or("-".to_owned(), |step| step.to_string()),
            quality.lost.to_string(),
        ]);
    }
}

fn least(runs: &Runs) -> f64 {
    runs.ms.first().copied().unwrap_or(f64::NAN)
}

fn middle(runs: &Runs) -> f64 {
    runs.ms.get(runs.ms.len() / 2).copied().unwrap_or(f64::NAN)
}

/// What one run took.
struct Run {
    /// Milliseconds a step.
    ms: f64,
    /// The share of it that contacts took.
    collide_ms: Option<f64>,
    /// The worst on the way.
    quality: Quality,
}

/// Takes the steps of one run.
fn time(scene: &Scene, mut world: Box<dyn Engine>, options: &Options) -> Run {
    let steps = options
        .steps
        .or(scene.bench.map(|bench| bench.steps))
        .unwrap_or_else(|| scene.steps());
    let mut scripts = Scripts::new(scene);
    let is_large = scene
        .bodies
        .iter()
        .filter(|b| b.def.kind != BodyKind::Dynamic)
        .count()
        > 100_000;
    let mut quality = Quality::default();
    let mut seconds = 0.0;
    let mut collide_ms = world.collide_ms().map(|_| 0.0);
    let mut asleep = None;
    for step in 0..steps {
        let start = Instant::now();
        scripts.run(step, world.as_mut());
        world.step();
        if step > 0 {
            seconds += start.elapsed().as_secs_f64();
            let last = world.collide_ms();
            collide_ms = collide_ms.zip(last).map(|(sum, ms)| sum + ms);
        }
        asleep = match asleep {
            _ if world.is_awake() => None,
            None => Some(step + 1),
            since => since,
        };
        // Building a large world anew for each look would take longer than the run.
        let is_due = (step + 1) % (steps / options.looks).max(1) == 0 && !is_large;
        if is_due || step + 1 == steps {
            quality = quality.worst(Quality::measure(scene, world.as_ref()));
        }
    }
    quality.asleep = asleep;
    let timed = (steps - 1).max(1) as f64;
    Run {
        ms: 1000.0 * seconds / timed,
        collide_ms: collide_ms.map(|sum| sum / timed),
        quality,
    }
}
