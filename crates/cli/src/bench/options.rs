//! What `bench` accepts.

use std::path::PathBuf;

use clap::Args;
use drystone::SimdLevel;
use drystone_scene::Override;
use drystone_scene::tolerance::MAX_STEPS;

use super::sweep::Sweep;

const EXAMPLES: &str = "\
Examples:
  drystone bench                                     the scenes of scenes/bench
  drystone bench scenes/bench/large_pyramid.ron --threads 1,2 --repeat 5
  drystone bench --json before.jsonl                 keep the figures ...
  drystone bench --baseline before.jsonl             ... and compare with them later
  drystone bench scenes/arch.ron --set settings.substeps=8
  drystone bench scenes/arch.ron --sweep 'settings.substeps=[2, 4, 8]' --shard 1/3 --json part1.jsonl

Job arrays: give every job its own --shard i/n (i from 1 to n) and --json file, and
concatenate the files: each line stands for itself.";

/// Options of `bench`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct BenchOptions {
    /// Scene files, or folders of them.
    #[arg(value_name = "FILE|FOLDER", default_value = "scenes/bench")]
    pub(crate) paths: Vec<PathBuf>,
    /// Go into folders of folders.
    #[arg(long, short)]
    pub(crate) recursive: bool,
    /// Numbers of worker threads to run every scene with; 0 takes one per core.
    #[arg(long, value_name = "N,N", value_delimiter = ',', default_value = "1",
          value_parser = clap::value_parser!(u64).range(0..=1024))]
    pub(crate) threads: Vec<u64>,
    /// Instruction set: auto, fallback, sse2, sse42, avx2, avx512, neon.
    #[arg(long, value_name = "LEVEL", default_value = "auto")]
    pub(crate) simd: SimdLevel,
    /// How often every scene is built anew and run; the numbers of threads take turns.
    #[arg(long, value_name = "N", default_value_t = 1,
          value_parser = clap::value_parser!(u64).range(1..=10_000))]
    pub(crate) repeat: u64,
    /// Steps to take; without it, as many as the scene's `bench` block says.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=MAX_STEPS))]
    pub(crate) steps: Option<u64>,
    /// Use another value in all scenes, such as settings.substeps=8 or bodies.ball.density=100.
    #[arg(long, value_name = "PATH=VALUE", value_parser = Override::parse)]
    pub(crate) set: Vec<Override>,
    /// Run every scene once with each value of a list, such as settings.substeps=[2, 4, 8].
    #[arg(long, value_name = "PATH=[VALUES]", value_parser = Sweep::parse)]
    pub(crate) sweep: Vec<Sweep>,
    /// Take only every Nth of the runs, the Ith of these: 1/4 to 4/4 are all of them.
    #[arg(long, value_name = "I/N", value_parser = shard)]
    pub(crate) shard: Option<Shard>,
    /// Add one JSON line per scene and number of threads to this file.
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
    /// Show the table as markdown.
    #[arg(long)]
    pub(crate) markdown: bool,
    /// Compare with the JSON lines of an earlier run.
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline: Option<PathBuf>,
    /// Ratio of times to the baseline above which the command fails.
    #[arg(long, value_name = "RATIO", default_value_t = 1.1, requires = "baseline",
          value_parser = ratio)]
    pub(crate) fail_over: f64,
}

/// A part of all runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shard {
    /// From 1.
    pub(crate) index: usize,
    /// Parts in all.
    pub(crate) count: usize,
}

impl Shard {
    /// Whether the `run`th run, from 0, belongs to this part.
    pub(crate) fn takes(self, run: usize) -> bool {
        run % self.count == self.index - 1
    }
}

fn shard(text: &str) -> Result<Shard, String> {
    let parts = text.split_once('/').and_then(|(index, count)| {
        Some(Shard {
            index: index.trim().parse().ok()?,
            count: count.trim().parse().ok()?,
        })
    });
    match parts {
        Some(shard) if (1..=shard.count).contains(&shard.index) => Ok(shard),
        _ => Err("write I/N with I from 1 to N, such as 2/4".to_owned()),
    }
}

fn ratio(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(ratio) if ratio > 0.0 && ratio.is_finite() => Ok(ratio),
        _ => Err("a ratio above 0 is needed, such as 1.1".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every run belongs to exactly one shard, by counting.
    #[test]
    fn shards_share_all_runs_out_without_overlap() {
        for count in 1..6 {
            for run in 0..20 {
                let takers = (1..=count).filter(|index| {
                    let index = *index;
                    Shard { index, count }.takes(run)
                });
                assert_eq!(takers.count(), 1);
            }
        }
        for wrong in ["0/4", "5/4", "1", "a/b", "1/0", "-1/2"] {
            assert!(shard(wrong).is_err(), "{wrong}");
        }
        assert_eq!(shard("2/4"), Ok(Shard { index: 2, count: 4 }));
    }
}
