//! `drystone view`: a scene in a browser, as a file that plays anywhere or live.
//!
//! A recording and a live stream are the same bytes (see [`pack`], [`catalog`], [`frame`]),
//! read by the same page. The page is one HTML file that loads nothing.

mod catalog;
mod command;
mod frame;
mod live;
mod pack;
mod page;
mod server;
mod state;
mod tape;
mod tolerance;

use std::path::PathBuf;

use clap::Args;
use drystone_scene::Instance;

pub(crate) use live::{Live, LiveError, serve};
pub(crate) use pack::{base64, compressed};
pub(crate) use page::{filled, script};

/// Look at a scene in a browser.
///
/// With `-o`, runs the scene and writes one HTML file that plays anywhere, offline. Without,
/// shows the scene live until the page is closed: bodies can be dragged and balls thrown.
#[derive(Args, Clone, Debug)]
pub(crate) struct ViewArgs {
    /// The scene.
    pub(crate) file: PathBuf,
    /// File to write; without it, the scene is shown live.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Keep one frame of this many steps.
    #[arg(long, default_value_t = 1, requires = "out", value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) every: u32,
    /// Time of the first frame, in seconds.
    #[arg(long, default_value_t = 0.0, requires = "out", value_name = "S", value_parser = seconds)]
    pub(crate) from: f64,
    /// Time of the last frame, in seconds; overrides `--seconds`.
    #[arg(long, requires = "out", value_name = "S", value_parser = seconds)]
    pub(crate) to: Option<f64>,
    /// Length of the recording, in seconds.
    #[arg(long, default_value_t = 10.0, requires = "out", value_name = "S", value_parser = seconds)]
    pub(crate) seconds: f64,
    /// Leave contacts out, for a smaller file.
    #[arg(long)]
    pub(crate) no_contacts: bool,
    /// Print the address of the live page but open no browser.
    #[arg(long, conflicts_with = "out")]
    pub(crate) no_open: bool,
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() && value >= 0.0 => Ok(value),
        _ => Err("a time in seconds, at least 0".to_owned()),
    }
}

/// What part of a run to keep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Recording {
    /// One frame of this many steps, at least 1.
    pub(crate) every: u32,
    /// Time of the first frame, in seconds.
    pub(crate) from: f64,
    /// Time of the last frame, in seconds.
    pub(crate) to: f64,
    /// Whether contacts are kept.
    pub(crate) contacts: bool,
}

impl ViewArgs {
    /// What the arguments ask to keep.
    pub(crate) fn recording(&self) -> Recording {
        Recording {
            every: self.every,
            from: self.from,
            to: self.to.unwrap_or(self.from + self.seconds).max(self.from),
            contacts: !self.no_contacts,
        }
    }
}

/// Runs `instance` and returns the page that replays it, a whole HTML file.
///
/// `progress` is called after each step with the share done, 0 to 1. The same scene gives the
/// same bytes on any machine.
pub(crate) fn write(
    instance: &mut Instance,
    title: &str,
    recording: &Recording,
    progress: &mut dyn FnMut(f64),
) -> String {
    page::replay(title, &tape::record(instance, title, recording, progress))
}

#[cfg(test)]
mod tests;
