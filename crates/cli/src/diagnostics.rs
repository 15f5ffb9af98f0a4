//! Scene errors as a compiler shows them.

use std::io::{self, IsTerminal, Write};

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use drystone_scene::{Diagnostic, LoadError, SceneErrors};

use crate::exit::{Outcome, complain};

/// Shows why a scene could not be loaded, on stderr.
pub(crate) fn show_load_error(error: &LoadError) -> Outcome {
    match error {
        LoadError::Invalid(errors) => show_errors(errors),
        LoadError::Unusable { .. } => {
            complain(&error.to_string());
            Outcome::BadScene
        }
        other => {
            complain(&other.to_string());
            Outcome::InputOutput
        }
    }
}

/// Shows the mistakes of a scene, on stderr.
pub(crate) fn show_errors(errors: &SceneErrors) -> Outcome {
    let renderer = if colours() {
        Renderer::styled()
    } else {
        Renderer::plain()
    };
    for error in &errors.errors {
        let _ = writeln!(io::stderr(), "{}\n", render(error, &renderer));
    }
    let count = errors.errors.len() + errors.more;
    let and_more = match errors.more {
        0 => String::new(),
        more => format!("; {more} of them not shown"),
    };
    let mut files: Vec<&str> = errors
        .errors
        .iter()
        .map(|error| error.file.as_str())
        .collect();
    files.sort_unstable();
    files.dedup();
    let place = match files.as_slice() {
        [file] => (*file).to_owned(),
        files => format!("{} files", files.len()),
    };
    let word = if count == 1 { "mistake" } else { "mistakes" };
    complain(&format!("{count} {word} in {place}{and_more}"));
    Outcome::BadScene
}

/// Whether stderr should have colours: <https://no-color.org>.
fn colours() -> bool {
    let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    std::io::stderr().is_terminal() && !refused
}

fn render(error: &Diagnostic, renderer: &Renderer) -> String {
    // An empty range is shown as one caret, at the end of the line too.
    let end = error
        .line_end
        .max((error.line_start + 1).min(error.source_line.len()));
    let snippet = Snippet::source(error.source_line.as_str())
        .line_start(error.line)
        .path(error.file.as_str())
        .annotation(AnnotationKind::Primary.span(error.line_start..end));
    let title = Level::ERROR
        .primary_title(error.message.as_str())
        .id(error.code);
    let mut group: Group<'_> = title.element(snippet);
    if let Some(help) = &error.help {
        group = group.element(Level::HELP.message(help.as_str()));
    }
    renderer.render(&[group])
}
