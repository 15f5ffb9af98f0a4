//! `drystone bench`: scenes as benchmarks.
//!
//! Times are of this machine and this hour. What is worth keeping is a ratio to a run
//! beside it, so the numbers of threads take turns and `--baseline` prints ratios.

mod lines;
mod machine;
mod measure;
mod options;
mod row;
mod sweep;
mod table;

use std::path::{Path, PathBuf};

use drystone_scene::{Override, Scene};

use crate::answer::answer;
use crate::diagnostics::show_load_error;
use crate::exit::{Outcome, complain};
use crate::files;
use crate::output::check_places;
use crate::progress::Progress;

use measure::{Measurement, Plan};
pub(crate) use options::BenchOptions;
use row::Row;
pub(crate) use row::StepTimes;

/// Measures all scenes; the worst outcome counts.
pub(crate) fn bench(options: &BenchOptions) -> Outcome {
    match measure_all(options) {
        Ok(rows) => report(options, &rows),
        Err(outcome) => outcome,
    }
}

/// A scene with its values.
struct Variant {
    file: PathBuf,
    set: Vec<Override>,
}

fn measure_all(options: &BenchOptions) -> Result<Vec<Row>, Outcome> {
    if let Err(error) = options.simd.resolve() {
        complain(&error.to_string());
        return Err(Outcome::BadScene);
    }
    let files = files::scenes(&options.paths, options.recursive)?;
    if let Some(out) = &options.json {
        let read: Vec<&Path> = files.iter().map(PathBuf::as_path).collect();
        check_places(&read, &[out])?;
    }
    let values = sweep::variants(&options.set, &options.sweep);
    let variants: Vec<Variant> = files
        .iter()
        .flat_map(|file| {
            values.iter().map(|set| Variant {
                file: file.clone(),
                set: set.clone(),
            })
        })
        .enumerate()
        .filter(|(run, _)| options.shard.is_none_or(|shard| shard.takes(*run)))
        .map(|(_, variant)| variant)
        .collect();
    let mut progress = Progress::new(total_steps(options, &variants)?, false);
    let mut rows = Vec::new();
    for variant in &variants {
        let measured = measure_one(options, variant, &mut progress)?;
        for row in &measured {
            if let Some(path) = &options.json
                && let Err(error) = lines::append(path, row)
            {
                complain(&format!("cannot write `{}`: {error}", path.display()));
                return Err(Outcome::InputOutput);
            }
        }
        rows.extend(measured);
    }
    progress.finish();
    Ok(rows)
}

/// Reads every scene once before the first is timed: mistakes show at once.
fn total_steps(options: &BenchOptions, variants: &[Variant]) -> Result<u64, Outcome> {
    let mut total = 0;
    for variant in variants {
        let plan = plan(options, variant, 1);
        let scene = Scene::load_with(plan.file, plan.set).map_err(|e| show_load_error(&e))?;
        total += measure::length(&plan, &scene).0;
    }
    Ok(total * options.repeat * options.threads.len() as u64)
}

fn plan<'a>(options: &BenchOptions, variant: &'a Variant, threads: u64) -> Plan<'a> {
    Plan {
        file: &variant.file,
        set: &variant.set,
        threads,
        simd: options.simd,
        steps: options.steps,
    }
}

/// All numbers of threads in turn, as often as asked for. The result must not depend on
/// their number.
fn measure_one(
    options: &BenchOptions,
    variant: &Variant,
    progress: &mut Progress,
) -> Result<Vec<Row>, Outcome> {
    let plans: Vec<Plan<'_>> = options
        .threads
        .iter()
        .map(|threads| plan(options, variant, *threads))
        .collect();
    let mut measured: Vec<Measurement> = plans.iter().map(Measurement::new).collect();
    for _ in 0..options.repeat {
        for (plan, measurement) in plans.iter().zip(&mut measured) {
            measurement.repeat(plan, progress)?;
        }
    }
    let rows: Vec<Row> = measured.into_iter().map(Measurement::finish).collect();
    if let Some(pair) = rows.windows(2).find(|pair| pair[0].hash != pair[1].hash) {
        complain(&format!(
            "`{}` ends in {} on {} threads and in {} on {}",
            pair[0].title(),
            pair[0].hash,
            pair[0].threads,
            pair[1].hash,
            pair[1].threads
        ));
        return Err(Outcome::Failed);
    }
    Ok(rows)
}

/// Prints the table and what the baseline says against it.
fn report(options: &BenchOptions, rows: &[Row]) -> Outcome {
    let Some(path) = &options.baseline else {
        show(rows, None, options.markdown);
        return Outcome::Done;
    };
    let baseline = match lines::read(path) {
        Ok(baseline) => baseline,
        Err(outcome) => return outcome,
    };
    let (ratios, objections) = lines::compare(rows, &baseline, options.fail_over);
    show(rows, Some(&ratios), options.markdown);
    for objection in &objections {
        answer(format_args!("FAILED  {objection}"));
    }
    if objections.is_empty() {
        Outcome::Done
    } else {
        Outcome::Failed
    }
}

fn show(rows: &[Row], ratios: Option<&[Option<f64>]>, markdown: bool) {
    let Some(first) = rows.first() else {
        answer(format_args!("nothing fell to this shard"));
        return;
    };
    let machine = &first.machine;
    answer(format_args!(
        "{}, {} hardware threads, {}; drystone {} ({}), {}\n",
        machine.cpu, machine.cores, machine.os, machine.version, machine.profile, machine.simd
    ));
    answer(format_args!("{}\n", table::render(rows, ratios, markdown)));
    for row in rows {
        answer(format_args!(
            "{}  {} threads  {}",
            row.hash,
            row.threads,
            row.title()
        ));
    }
}
