//! `drystone planar distance`: the classical exercise, from stream to stream.

use std::fs::File;
use std::io::{self, BufWriter, ErrorKind, Read, Write};
use std::path::Path;

use drystone_planar::contest::{Case, CaseError, CaseReader, solve};
use drystone_planar::{Pose2, QueryOptions, distance_traced};
use serde_json::json;

use crate::exit::{Outcome, complain};

use super::args::{DistanceOptions, TraceFormat};
use super::figures::Figures;

/// Answers every pair, or the one that was asked for.
pub(super) fn distance(options: &DistanceOptions) -> Outcome {
    let path = options
        .file
        .as_deref()
        .filter(|path| *path != Path::new("-"));
    let (name, input): (String, Box<dyn Read>) = match path {
        None => (
            "the standard input".to_owned(),
            Box::new(io::stdin().lock()),
        ),
        Some(path) => {
            let name = format!("`{}`", path.display());
            match File::open(path) {
                Ok(file) => (name, Box::new(file)),
                Err(error) => {
                    complain(&format!("cannot read {name}: {error}"));
                    return Outcome::InputOutput;
                }
            }
        }
    };
    let mut output = BufWriter::new(io::stdout().lock());
    let is_plain =
        options.case.is_none() && options.steps.trace.is_none() && options.steps.svg.is_none();
    let done = if is_plain {
        solve(input, &mut output).map(|_| Outcome::Done)
    } else {
        one_by_one(options, input, &mut output)
    };
    let done = done.and_then(|outcome| Ok(output.flush().map(|()| outcome)?));
    // What was answered before a mistake has been written; dropping would write it twice.
    done.unwrap_or_else(|error| {
        let _ = output.flush();
        refuse(&name, &error)
    })
}

/// Says why the input cannot be answered.
fn refuse(name: &str, error: &CaseError) -> Outcome {
    match error {
        // A reader that has seen enough closes the pipe; that is no error.
        CaseError::Io(error) if error.kind() == ErrorKind::BrokenPipe => Outcome::Done,
        CaseError::Io(error) => {
            complain(&format!("cannot read {name} or write the answers: {error}"));
            Outcome::InputOutput
        }
        error => {
            complain(&format!("in {name}, {error}"));
            Outcome::BadScene
        }
    }
}

/// Answers pair by pair, with what else was asked for.
fn one_by_one(
    options: &DistanceOptions,
    input: impl Read,
    output: &mut impl Write,
) -> Result<Outcome, CaseError> {
    let mut reader = CaseReader::new(input);
    let mut case = Case::default();
    let mut figures = Figures::new(&options.steps);
    let drawn = options.case.unwrap_or(1);
    let mut number = 0;
    while reader.read(&mut case)? {
        number += 1;
        if options.case.is_some_and(|wanted| wanted != number) {
            continue;
        }
        let (a, b) = case.shapes()?;
        let (answer, trace) = distance_traced(&a, &b, &Pose2::IDENTITY, &QueryOptions::default());
        let trace = trace.with_source_numbers(&a, &b);
        // Polygons always have an answer.
        let signed = answer.map_or(f64::NAN, |separation| separation.distance());
        let apart = if signed > 0.0 { signed } else { 0.0 };
        match options.steps.trace {
            None => writeln!(output, "{apart:.5}")?,
            Some(TraceFormat::Text) => {
                writeln!(output, "{apart:.5}")?;
                writeln!(output, "pair {number}, line {}", case.line)?;
                writeln!(output, "{trace}")?;
            }
            Some(TraceFormat::Json) => {
                let told = json!({
                    "case": number, "line": case.line, "distance": apart,
                    "answer": trace.answer, "steps": trace.steps,
                });
                writeln!(output, "{told}")?;
            }
        }
        if number == drawn {
            figures.add(&a, &b, &Pose2::IDENTITY, &trace);
        }
        if options.case.is_some() {
            break;
        }
    }
    if let Some(wanted) = options.case.filter(|wanted| *wanted > number) {
        complain(&format!(
            "there is no pair {wanted}: the input has {number}"
        ));
        return Ok(Outcome::BadScene);
    }
    Ok(figures.save())
}
