//! `drystone query` and `drystone explain`: one pair of convex shapes, without a world.

mod args;
mod ask;
mod page;
mod picture;
mod swept;
mod told;
mod words;

pub(crate) use args::{ExplainOptions, QueryOptions};

use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

use drystone::glam::DQuat;
use drystone_scene::LoadError;
use drystone_scene::pair::{PairQuery, product};

use crate::diagnostics::show_load_error;
use crate::exit::{Outcome, complain};
use crate::output::{check_places, save};

use args::PairArgs;
use ask::{Answered, answers};

/// Answers what a file, or two hulls, ask.
pub(crate) fn query(options: &QueryOptions) -> Outcome {
    let query = match load(&options.pair) {
        Ok(query) => query,
        Err(outcome) => return outcome,
    };
    print(|output| {
        if options.json {
            for answered in answers(&query) {
                writeln!(output, "{}", told::json(&answered))?;
            }
            return Ok(());
        }
        told::head(output, &query)?;
        if query.motion.frames == 1 {
            return answers(&query).try_for_each(|answered| told::one(output, &query, &answered));
        }
        told::table(output, &query, answers(&query))
    })
}

/// Tells, in words or as a page, how an answer is found.
pub(crate) fn explain(options: &ExplainOptions) -> Outcome {
    let read: Vec<&Path> = options.pair.files.iter().map(PathBuf::as_path).collect();
    if let Some(path) = &options.out
        && let Err(outcome) = check_places(&read, &[path])
    {
        return outcome;
    }
    let query = match load(&options.pair) {
        Ok(query) => query,
        Err(outcome) => return outcome,
    };
    let Some(path) = &options.out else {
        return print(|output| {
            told::head(output, &query)?;
            for answered in answers(&query) {
                told::one(output, &query, &answered)?;
                words::write(output, &query, &answered)?;
            }
            Ok(())
        });
    };
    if query.motion.frames > page::MAX_FRAMES {
        complain(&format!(
            "a page holds {} frames, and the motion has {}; make `frames` smaller",
            page::MAX_FRAMES,
            query.motion.frames
        ));
        return Outcome::BadScene;
    }
    let answered: Vec<Answered> = answers(&query).collect();
    let title = options.pair.files[0].file_stem().unwrap_or_default();
    let page = page::page(&title.to_string_lossy(), &picture::data(&query, &answered));
    save(path, page.as_bytes())
}

/// Lets `write` write to the standard output; a reader that closes it is no error.
fn print(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Outcome {
    let mut output = BufWriter::new(io::stdout().lock());
    match write(&mut output).and_then(|()| output.flush()) {
        Ok(()) => Outcome::Done,
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Outcome::Done,
        Err(error) => {
            complain(&format!("cannot write the answers: {error}"));
            Outcome::InputOutput
        }
    }
}

fn load(options: &PairArgs) -> Result<PairQuery, Outcome> {
    let query: Result<PairQuery, LoadError> = match options.files.as_slice() {
        [file] => {
            if options.at.is_some() || !options.turn.is_empty() {
                complain("`--at` and `--turn` place the second of two hull files");
                return Err(Outcome::BadScene);
            }
            if file
                .extension()
                .is_none_or(|ending| !ending.eq_ignore_ascii_case("ron"))
            {
                complain("one .ron file is needed, or two .obj or .stl files");
                return Err(Outcome::BadScene);
            }
            PairQuery::load(file)
        }
        [a, b, ..] => {
            let turns = options.turn.iter();
            let rotation = turns.fold(DQuat::IDENTITY, |q, turn| product(turn.0, q));
            PairQuery::of_hulls(a, b, options.at.unwrap_or_default(), rotation)
        }
        [] => return Err(Outcome::BadScene),
    };
    query.map_err(|error| show_load_error(&error))
}
