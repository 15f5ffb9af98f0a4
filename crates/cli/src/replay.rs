//! `drystone replay`: does what a recording did, and names the first difference.

use std::path::PathBuf;

use clap::Args;
use drystone::{Recording, Replay};

use crate::answer::answer;
use crate::exit::{Outcome, complain};

const EXAMPLES: &str = "\
Examples:
  drystone run scenes/arch.ron --journal arch.rec    record commands and step hashes
  drystone replay arch.rec                           the same bits, here and now?";

/// Options of `replay`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ReplayOptions {
    /// A recording, from `run --journal` or from `Recording::to_bytes`.
    pub(crate) file: PathBuf,
}

/// Replays a recording.
pub(crate) fn replay(options: &ReplayOptions) -> Outcome {
    let file = options.file.display();
    let bytes = match std::fs::read(&options.file) {
        Ok(bytes) => bytes,
        Err(error) => {
            complain(&format!("cannot read `{file}`: {error}"));
            return Outcome::InputOutput;
        }
    };
    let replayed = Recording::from_bytes(&bytes).and_then(|recording| recording.replay());
    match replayed {
        Ok(Replay::Same { steps }) => {
            answer(format_args!("{file}: all {steps} steps came out the same"));
            Outcome::Done
        }
        Ok(Replay::Differs { step, body }) => {
            let what = match body {
                Some((_, name)) if !name.is_empty() => format!("body `{name}` first"),
                Some((key, _)) => format!("{key:?} first"),
                None => "not in any pose or velocity, but in what the next step starts from".into(),
            };
            answer(format_args!(
                "{file}: step {step} came out differently: {what}"
            ));
            Outcome::Failed
        }
        Err(error) => {
            complain(&format!("`{file}`: {error}"));
            Outcome::BadScene
        }
    }
}
