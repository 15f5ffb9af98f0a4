//! What the checker says at the end.

use std::fmt;

/// How one expectation came out.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// The expectation as written.
    pub text: String,
    /// File it stands in.
    pub file: String,
    /// Line it starts on, counted from 1.
    pub line: usize,
    /// Whether it came true.
    pub passed: bool,
    /// What was measured, when, of which body, and what was demanded.
    pub detail: String,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = if self.passed { "ok" } else { "FAILED" };
        write!(
            f,
            "{word} {}:{}: {}\n    {}",
            self.file, self.line, self.text, self.detail
        )
    }
}

/// How all expectations of a scene came out, in their order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// One for each expectation.
    pub verdicts: Vec<Verdict>,
}

impl Report {
    /// Whether all came true. A scene that expects nothing passes.
    pub fn passed(&self) -> bool {
        self.verdicts.iter().all(|verdict| verdict.passed)
    }

    /// Those that did not come true.
    pub fn failures(&self) -> impl Iterator<Item = &Verdict> {
        self.verdicts.iter().filter(|verdict| !verdict.passed)
    }
}
