//! Answers on stdout.

use std::fmt;
use std::io::{self, ErrorKind, Write};

use crate::exit::{Outcome, complain};

/// Writes a line of the answer. That nobody reads on, as `head` does not, is no mistake: the exit code
/// still tells how it went. When it cannot be written for another reason, the command ends.
pub(crate) fn answer(line: fmt::Arguments<'_>) {
    match writeln!(io::stdout(), "{line}") {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            complain(&format!("cannot write the answer: {error}"));
            std::process::exit(Outcome::InputOutput as i32);
        }
        _ => {}
    }
}
