//! Runs a scene and takes its time.

use std::path::Path;
use std::time::Instant;

use drystone::narrow_phase::Counters;
use drystone::{SimdLevel, StageTimes};
use drystone_scene::{Instance, Override, Scene};

use super::machine::{self, Machine};
use super::row::{Row, Stages, StepTimes, WorldFigures};
use crate::diagnostics::{show_errors, show_load_error};
use crate::exit::{Outcome, complain};
use crate::progress::Progress;

/// A scene with its values, on one number of threads: the runs so far.
pub(crate) struct Measurement {
    row: Row,
    /// Of all runs, in milliseconds.
    steps: Vec<f64>,
    /// Mean of the fastest run, in milliseconds.
    mean: f64,
}

/// What a run is asked for.
pub(crate) struct Plan<'a> {
    pub(crate) file: &'a Path,
    pub(crate) set: &'a [Override],
    pub(crate) threads: u64,
    pub(crate) simd: SimdLevel,
    /// In place of the scene's own number.
    pub(crate) steps: Option<u64>,
}

/// The times of one run, in milliseconds.
struct Run {
    load: f64,
    steps: Vec<f64>,
    stages: Stages,
    narrow: Counters,
}

impl Measurement {
    /// No run yet.
    pub(crate) fn new(plan: &Plan<'_>) -> Self {
        let set = plan.set.iter().map(|o| (o.path.clone(), o.value.clone()));
        let name = plan.file.file_stem().unwrap_or_default();
        Self {
            row: Row {
                scene: name.to_string_lossy().into_owned(),
                set: set.collect(),
                threads: plan.threads,
                repeats: 0,
                steps: 0,
                ms: StepTimes::default(),
                stages_ms: Stages::default(),
                load_ms: f64::INFINITY,
                world: WorldFigures::default(),
                narrow: Counters::default(),
                peak_memory: None,
                hash: String::new(),
                machine: Machine::here(plan.simd),
            },
            steps: Vec::new(),
            mean: f64::INFINITY,
        }
    }

    /// Runs the scene once more. Says when two runs disagree on the result.
    pub(crate) fn repeat(
        &mut self,
        plan: &Plan<'_>,
        progress: &mut Progress,
    ) -> Result<(), Outcome> {
        machine::reset_peak_memory();
        let (run, instance) = run(plan, progress)?;
        let timed = run.steps.len();
        let mean = run.steps.iter().sum::<f64>() / timed.max(1) as f64;
        if mean < self.mean {
            self.mean = mean;
            self.row.stages_ms = run.stages;
        }
        self.row.load_ms = self.row.load_ms.min(run.load);
        self.row.peak_memory = self.row.peak_memory.max(machine::peak_memory());
        self.row.narrow = run.narrow;
        self.row.steps = instance.world.step_count();
        self.row.world = figures(&instance);
        self.row.repeats += 1;
        self.steps.extend(run.steps);
        let hash = format!("{:016x}", instance.world.state_hash());
        if !self.row.hash.is_empty() && self.row.hash != hash {
            complain(&format!(
                "two runs of `{}` gave different results: {} and {hash}",
                self.row.title(),
                self.row.hash
            ));
            return Err(Outcome::Failed);
        }
        self.row.hash = hash;
        Ok(())
    }

    /// The figures of all runs.
    pub(crate) fn finish(self) -> Row {
        Row {
            ms: StepTimes::of(self.steps, self.mean),
            ..self.row
        }
    }
}

/// Builds the scene anew and takes its steps.
fn run(plan: &Plan<'_>, progress: &mut Progress) -> Result<(Run, Instance), Outcome> {
    let start = Instant::now();
    let mut scene = Scene::load_with(plan.file, plan.set).map_err(|e| show_load_error(&e))?;
    scene.settings.threads = plan.threads as usize;
    scene.settings.simd = plan.simd;
    let mut instance = scene.build().map_err(|e| show_errors(&e))?;
    let mut run = Run {
        load: milliseconds(start),
        steps: Vec::new(),
        stages: Stages::default(),
        narrow: Counters::default(),
    };
    let (steps, warmup) = length(plan, &scene);
    let mut times = StageTimes::default();
    for step in 0..steps {
        let start = Instant::now();
        instance.step();
        let spent = milliseconds(start);
        progress.advance(&instance.world);
        if step < warmup {
            continue;
        }
        run.steps.push(spent);
        let stats = instance.world.stats();
        run.narrow.merge(&stats.narrow);
        add(&mut times, &stats.times);
        if let Some(key) = instance.world.events().diverged.first() {
            let (name, time) = (instance.name_of(*key), instance.world.time());
            let file = plan.file.display();
            complain(&format!("{file}: `{name}` left the world at {time:.4} s"));
            return Err(Outcome::Diverged);
        }
    }
    run.stages = means(&times, run.steps.len());
    Ok((run, instance))
}

/// Steps in all, and how many of these are not timed.
pub(crate) fn length(plan: &Plan<'_>, scene: &Scene) -> (u64, u64) {
    let (steps, warmup) = match scene.bench {
        Some(bench) => (bench.steps, bench.warmup),
        None => (scene.steps(), 1),
    };
    let steps = plan.steps.unwrap_or(steps);
    (steps, warmup.min(steps.saturating_sub(1)))
}

fn milliseconds(start: Instant) -> f64 {
    1000.0 * start.elapsed().as_secs_f64()
}

fn add(sum: &mut StageTimes, times: &StageTimes) {
    sum.broad += times.broad;
    sum.narrow += times.narrow;
    sum.solve += times.solve;
    sum.finish += times.finish;
    sum.islands += times.islands;
    sum.serial += times.serial;
}

fn means(sum: &StageTimes, steps: usize) -> Stages {
    let mean = |time: std::time::Duration| 1000.0 * time.as_secs_f64() / steps.max(1) as f64;
    Stages {
        broad: mean(sum.broad),
        narrow: mean(sum.narrow),
        solve: mean(sum.solve),
        finish: mean(sum.finish),
        islands: mean(sum.islands),
        serial: mean(sum.serial),
    }
}

fn figures(instance: &Instance) -> WorldFigures {
    let stats = instance.world.stats();
    WorldFigures {
        bodies: stats.bodies as u64,
        awake: stats.awake as u64,
        joints: stats.joints as u64,
        pairs: stats.pairs as u64,
        touching: stats.constraints as u64,
        points: stats.points as u64,
        colours: stats.colours as u64,
        islands: stats.islands as u64,
    }
}
