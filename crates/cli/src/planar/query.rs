//! `drystone planar query`: a file of shapes and questions.

use std::io::{self, BufWriter, ErrorKind, Write};

use drystone_scene::planar::PlanarQuery;

use crate::diagnostics::show_load_error;
use crate::exit::{Outcome, complain};

use super::args::{QueryFileOptions, TraceFormat};
use super::figures::Figures;
use super::told::Told;

/// Answers all questions of a file.
pub(super) fn query(options: &QueryFileOptions) -> Outcome {
    let query = match PlanarQuery::load(&options.file) {
        Ok(query) => query,
        Err(error) => return show_load_error(&error),
    };
    let mut output = BufWriter::new(io::stdout().lock());
    let mut figures = Figures::new(&options.steps);
    match answer(options, &query, &mut figures, &mut output) {
        Ok(outcome) => outcome.max(figures.save()),
        // A reader that has seen enough closes the pipe; that is no error.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => figures.save(),
        Err(error) => {
            complain(&format!("cannot write the answers: {error}"));
            Outcome::InputOutput
        }
    }
}

fn answer(
    options: &QueryFileOptions,
    query: &PlanarQuery,
    figures: &mut Figures<'_>,
    output: &mut impl Write,
) -> io::Result<Outcome> {
    let format = options.steps.trace;
    let is_json = format == Some(TraceFormat::Json);
    if !is_json && !query.about.is_empty() {
        writeln!(output, "{}\n", query.about)?;
    }
    let mut outcome = Outcome::Done;
    for (index, question) in query.questions.iter().enumerate() {
        let told = Told::new(query, question);
        if let Some(search) = &told.search {
            figures.add(
                &search.a.shape,
                &search.b.shape,
                &search.b_in_a,
                &search.trace,
            );
        }
        if is_json {
            writeln!(output, "{}", told.json())?;
        } else {
            if index > 0 {
                writeln!(output)?;
            }
            told.write(output, format.is_some())?;
        }
        if let Some(error) = &told.failed {
            output.flush()?;
            complain(&format!("{}: {error}", told.title));
            outcome = Outcome::BadScene;
        }
    }
    output.flush()?;
    Ok(outcome)
}
