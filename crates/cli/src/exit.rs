//! Exit codes, and the one place that turns outcomes into them.

use std::io::{self, Write};
use std::process::ExitCode;

/// How a command ended. The order is from good to bad: of several, the worst counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Outcome {
    /// Everything was done.
    Done = 0,
    /// It ran, but an expectation failed.
    Failed = 1,
    /// Wrong usage, or a scene with mistakes: trying again is of no use.
    BadScene = 2,
    /// The simulation ceased to be finite.
    Diverged = 3,
    /// A file could not be read or written.
    InputOutput = 4,
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        Self::from(outcome as u8)
    }
}

/// Says on stderr what went wrong, in the manner of the scene errors, as long as somebody reads it.
pub(crate) fn complain(message: &str) {
    let _ = writeln!(io::stderr(), "error: {message}");
}
