//! The `drystone` command line.
//!
//! What people read goes to stdout when it is the answer and to stderr when it is about
//! the way there: errors, progress. Exit codes are in [`exit`].
#![forbid(unsafe_code)]

mod answer;
mod args;
mod bench;
mod check;
mod diagnostics;
mod exit;
mod files;
mod length;
mod output;
mod pictures;
mod planar;
mod progress;
mod query;
mod record;
mod replay;
mod run;
mod schema;
mod shot;
mod summary;
mod view;

use std::process::ExitCode;

use clap::Parser;

use args::{Arguments, Command};
use exit::Outcome;

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help and version come this way too; they are no mistakes.
            let _ = error.print();
            let outcome = if error.use_stderr() {
                Outcome::BadScene
            } else {
                Outcome::Done
            };
            return outcome.into();
        }
    };
    let outcome = match &arguments.command {
        Command::Run(options) => run::run(options),
        Command::Check(options) => check::check(options),
        Command::Bench(options) => bench::bench(options),
        Command::View(options) => pictures::view(options),
        Command::Shot(options) => pictures::shot(options),
        Command::Query(options) => query::query(options),
        Command::Explain(options) => query::explain(options),
        Command::Planar(options) => planar::planar(options),
        Command::Replay(options) => replay::replay(options),
        Command::Schema(options) => schema::schema(options),
    };
    outcome.into()
}
