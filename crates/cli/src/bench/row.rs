//! One line of figures: a scene, a number of threads, what it cost and what it did.

use std::collections::BTreeMap;

use drystone::narrow_phase::Counters;
use serde::{Deserialize, Serialize};

use super::machine::Machine;

/// The figures of one scene on one number of threads. This is a line of the JSON output.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Row {
    /// File name of the scene without its ending.
    pub(crate) scene: String,
    /// Overridden values, by path.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) set: BTreeMap<String, String>,
    /// Worker threads.
    pub(crate) threads: u64,
    /// Runs these figures are of.
    pub(crate) repeats: u64,
    /// Steps of each run, the untimed ones included.
    pub(crate) steps: u64,
    /// Milliseconds a step.
    pub(crate) ms: StepTimes,
    /// Milliseconds a step, per stage: means of the fastest run.
    pub(crate) stages_ms: Stages,
    /// Milliseconds to read the file and build the world: the least of all runs.
    pub(crate) load_ms: f64,
    /// What the world held after the last step.
    pub(crate) world: WorldFigures,
    /// How pairs were answered, over the timed steps of one run.
    pub(crate) narrow: Counters,
    /// Most memory the process held during the runs, in bytes, where the system says.
    pub(crate) peak_memory: Option<u64>,
    /// State hash after the last step, in hexadecimal digits.
    pub(crate) hash: String,
    /// Where and with what it ran.
    pub(crate) machine: Machine,
}

/// How long steps took, in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct StepTimes {
    /// Mean over the timed steps of the fastest run: the figure that is compared.
    pub(crate) mean: f64,
    /// Fastest step of all runs.
    pub(crate) min: f64,
    /// Median step of all runs.
    pub(crate) median: f64,
    /// 99 of 100 steps of all runs were at most this.
    pub(crate) p99: f64,
    /// Slowest step of all runs.
    pub(crate) max: f64,
}

/// Mean times of the stages of a step, in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Stages {
    pub(crate) broad: f64,
    pub(crate) narrow: f64,
    pub(crate) solve: f64,
    pub(crate) finish: f64,
    pub(crate) islands: f64,
    /// Part of these in which only one thread had work. Lines of older versions lack it.
    #[serde(default)]
    pub(crate) serial: f64,
}

/// What a world holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct WorldFigures {
    pub(crate) bodies: u64,
    pub(crate) awake: u64,
    pub(crate) joints: u64,
    pub(crate) pairs: u64,
    pub(crate) touching: u64,
    pub(crate) points: u64,
    pub(crate) colours: u64,
    pub(crate) islands: u64,
}

impl Row {
    /// What is compared: the same scene and values on as many threads.
    pub(crate) fn key(&self) -> (&str, &BTreeMap<String, String>, u64) {
        (&self.scene, &self.set, self.threads)
    }

    /// The scene and its values, as people read it.
    pub(crate) fn title(&self) -> String {
        let mut title = self.scene.clone();
        for (path, value) in &self.set {
            title.push_str(&format!(" {path}={value}"));
        }
        title
    }
}

impl StepTimes {
    /// Of the steps of all runs, in milliseconds, and the mean of the fastest run.
    pub(crate) fn of(mut steps: Vec<f64>, mean: f64) -> Self {
        steps.sort_by(f64::total_cmp);
        let at = |part: f64| {
            let last = steps.len().saturating_sub(1) as f64;
            let index = (last * part).ceil() as usize;
            steps.get(index).copied().unwrap_or_default()
        };
        Self {
            mean,
            min: at(0.0),
            median: at(0.5),
            p99: at(0.99),
            max: at(1.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of the numbers 1 to 101 in any order, read off by hand.
    #[test]
    fn quantiles_are_those_of_the_sorted_steps() {
        let steps = (1..=101).rev().map(f64::from).collect();
        let times = StepTimes::of(steps, 7.0);
        let expected = StepTimes {
            mean: 7.0,
            min: 1.0,
            median: 51.0,
            p99: 100.0,
            max: 101.0,
        };
        assert_eq!(times, expected);
        assert_eq!(StepTimes::of(Vec::new(), 0.0), StepTimes::default());
    }
}
