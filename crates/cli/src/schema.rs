//! `drystone schema`.

use drystone_scene::schema::{render, render_one};

use crate::answer::answer;
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
    answer(format_args!("{}", text.trim_end_matches('\n')));
    Outcome::Done
}
