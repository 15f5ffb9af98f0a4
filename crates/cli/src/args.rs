//! What the command line accepts. The help texts teach by example.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use drystone::SimdLevel;
use drystone_scene::tolerance::MAX_STEPS;

use crate::bench::BenchOptions;
use crate::planar::PlanarOptions;
use crate::query::{ExplainOptions, QueryOptions};
use crate::replay::ReplayOptions;
use crate::shot::ShotArgs;
use crate::view::ViewArgs;

const EXAMPLES: &str = "\
Examples:
  drystone run scenes/arch.ron                   watch a masonry arch stand
  drystone run scenes/arch.ron --seconds 5 --stats
  drystone run scenes/dominoes.ron --record fall.csv
  drystone check scenes                          verify what the scenes expect
  drystone bench scenes/bench --threads 1,2      what a step costs, stage by stage
  drystone view scenes/arch.ron -o arch.html     one page that replays it, offline
  drystone shot scenes/arch.ron --at 2.5 -o arch.svg
  drystone query scenes/pairs/deep_hulls.ron     how deep two shapes overlap, and the proof
  drystone explain a.obj b.stl --at 0,3,0 -o steps.html
  drystone planar distance cases.txt             distances of convex polygons
  drystone schema body                           what a body may say in a scene file

Exit codes:
  0  done
  1  an expectation, a state hash or a baseline failed
  2  wrong usage, or a mistake in a scene file
  3  the simulation diverged
  4  a file could not be read or written";

/// A small, exact and fast 3D rigid-body physics engine.
#[derive(Debug, Parser)]
#[command(name = "drystone", version, about, after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run a scene file and say what happened.
    Run(RunOptions),
    /// Run scenes and verify what they expect.
    Check(CheckOptions),
    /// Time scenes: milliseconds per step and stage, what was done, state hash.
    Bench(BenchOptions),
    /// Look at a scene in a browser: live, or as one file that plays anywhere.
    View(ViewArgs),
    /// Draw a scene at one time as an SVG picture.
    Shot(ShotArgs),
    /// Ask how far apart two convex shapes are, or how deep they overlap, with proof.
    Query(QueryOptions),
    /// Tell step by step how such an answer is found, in words or as a page.
    Explain(ExplainOptions),
    /// Ask about convex shapes of the plane, without a world.
    Planar(PlanarOptions),
    /// Do again what a recording did, and name the first step and body that differ.
    Replay(ReplayOptions),
    /// Show what a scene file may say: every field, type, default and range.
    Schema(SchemaOptions),
}

const RUN_EXAMPLES: &str = "\
Examples:
  drystone run scenes/arch.ron
  drystone run scenes/bench/large_pyramid.ron --steps 200 --threads 2 --stats
  drystone run scenes/spinning_top.ron --seconds 3 --record top.jsonl";

/// Options of `run`.
#[derive(Debug, Args)]
#[command(after_help = RUN_EXAMPLES)]
pub(crate) struct RunOptions {
    /// The scene file.
    pub(crate) file: PathBuf,
    /// Steps to take; without it, as long as the scene says.
    #[arg(long, value_name = "N", conflicts_with = "seconds",
          value_parser = clap::value_parser!(u64).range(1..=MAX_STEPS))]
    pub(crate) steps: Option<u64>,
    /// Simulated time to run, in seconds.
    #[arg(long, value_name = "S", value_parser = seconds)]
    pub(crate) seconds: Option<f64>,
    #[command(flatten)]
    pub(crate) engine: EngineOptions,
    /// Show what the narrow phase did and how the step time spreads.
    #[arg(long)]
    pub(crate) stats: bool,
    /// Write every body's pose after every step to a `.jsonl` or `.csv` file.
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
    /// Record only every Nth step.
    #[arg(long, value_name = "N", default_value_t = 1, requires = "record",
          value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) record_every: u64,
    /// Keep the start, every command and a hash of every step, for `drystone replay`.
    #[arg(long, value_name = "FILE")]
    pub(crate) journal: Option<PathBuf>,
    /// Show nothing but errors and failed expectations.
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// How worlds compute; the results never depend on it.
#[derive(Clone, Debug, Args)]
pub(crate) struct EngineOptions {
    /// Worker threads; 0 takes one per core. The result is the same for any number.
    #[arg(long, value_name = "N", default_value_t = 1,
          value_parser = clap::value_parser!(u64).range(0..=1024))]
    pub(crate) threads: u64,
    /// Instruction set: auto, fallback, sse2, sse42, avx2, avx512, neon. The result is the
    /// same for all.
    #[arg(long, value_name = "LEVEL", default_value = "auto")]
    pub(crate) simd: SimdLevel,
}

const CHECK_EXAMPLES: &str = "\
Examples:
  drystone check scenes                  all scenes of a folder, not of folders in it
  drystone check scenes --recursive
  drystone check my_scene.ron --verbose
  drystone check scenes --picture-on-fail pictures";

/// Options of `check`.
#[derive(Debug, Args)]
#[command(after_help = CHECK_EXAMPLES)]
pub(crate) struct CheckOptions {
    /// Scene files, or folders of them.
    #[arg(required = true, value_name = "FILE|FOLDER")]
    pub(crate) paths: Vec<PathBuf>,
    /// Go into folders of folders.
    #[arg(long, short)]
    pub(crate) recursive: bool,
    /// Show the expectations that came true as well.
    #[arg(long, short)]
    pub(crate) verbose: bool,
    /// Draw the end of every scene that fails into this folder, as SVG.
    #[arg(long, value_name = "FOLDER")]
    pub(crate) picture_on_fail: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) engine: EngineOptions,
}

/// Options of `schema`.
#[derive(Debug, Args)]
pub(crate) struct SchemaOptions {
    /// Show only the record or choice of this name, such as `body` or `shape`; `planar` and
    /// `pair` show what a file for `planar query` and for `query` may say.
    pub(crate) name: Option<String>,
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds.is_finite() => Ok(seconds),
        _ => Err("a number of seconds above 0 is needed".to_owned()),
    }
}
