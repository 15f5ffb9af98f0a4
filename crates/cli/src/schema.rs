//! `drystone schema`.

use std::io::Write;

use drystone_scene::schema::{render, render_one};

use crate::args::SchemaOptions;
use crate::exit::{Outcome, complain};

/// Prints the table of all fields, or one record of it.
pub(crate) fn schema(options: &SchemaOptions) -> Outcome {
    let text = match &options.name {
        None => render(),
        Some(name) => match render_one(name) {
            Some(text) => text,
            None => {
                complain(&format!(
                    "the schema has no `{name}`; `drystone schema` shows all"
                ));
                return Outcome::BadScene;
            }
        },
    };
    // A reader that has seen enough closes the pipe; that is no error.
    let _ = std::io::stdout().write_all(text.as_bytes());
    Outcome::Done
}
