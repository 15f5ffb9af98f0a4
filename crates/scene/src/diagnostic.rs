//! What is wrong with a scene file: where, what, and how to put it right.
//!
//! Reading never stops at the first mistake. Every layer drops its findings into one
//! [`Sink`] and goes on with a stand-in value, so that one look shows them all.

use std::cell::{Cell, RefCell};
use std::error::Error;
use std::fmt;
use std::ops::Range;

use serde::Serialize;

use crate::tolerance::{MAX_KEPT_ERRORS, MAX_SHOWN_ERRORS, MAX_SUGGESTIONS};

/// A stretch of one source file, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Span {
    /// Index of the file in its [`Sources`].
    pub(crate) file: u32,
    /// First byte.
    pub(crate) start: u32,
    /// One past the last byte.
    pub(crate) end: u32,
}

/// The texts a scene was read from: the main file first, then what it includes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sources {
    /// Path as it is shown to people, and the text.
    pub(crate) files: Vec<(String, String)>,
}

/// One mistake in a scene file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Diagnostic {
    /// A short stable name for the kind of mistake, such as `unknown-field`.
    pub code: &'static str,
    /// Path of the file as it was given.
    pub file: String,
    /// Line of the first byte, counted from 1.
    pub line: usize,
    /// Column of the first character, counted in characters from 1.
    pub column: usize,
    /// First byte in the file.
    pub start: usize,
    /// One past the last byte in the file.
    pub end: usize,
    /// The line `line`, without its end; what is no UTF-8 is U+FFFD.
    pub source_line: String,
    /// Byte of `source_line` at which the mistake starts.
    pub line_start: usize,
    /// Byte of `source_line` at which it ends; at the line's end when it goes on below.
    pub line_end: usize,
    /// What is wrong.
    pub message: String,
    /// How to put it right, where that is known.
    pub help: Option<String>,
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}:{}:{}: {}",
            self.file, self.line, self.column, self.message
        )?;
        match &self.help {
            Some(help) => write!(f, "; {help}"),
            None => Ok(()),
        }
    }
}

/// All mistakes of a scene, in the order of the text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SceneErrors {
    /// The first mistakes, at most [`MAX_SHOWN_ERRORS`].
    pub errors: Vec<Diagnostic>,
    /// How many more there are.
    pub more: usize,
}

impl fmt::Display for SceneErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for error in &self.errors {
            writeln!(f, "{error}")?;
        }
        match self.more {
            0 => Ok(()),
            n => writeln!(f, "and {n} more"),
        }
    }
}

impl std::error::Error for SceneErrors {}

/// Why a scene could not be loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LoadError {
    /// The scene file itself could not be read from disk.
    Unreadable {
        /// The path as it was given.
        path: String,
        /// What the operating system said.
        reason: String,
    },
    /// The file was read, and there is no place in it at which it is wrong.
    Unusable {
        /// The path as it was given.
        path: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The text was read, and has mistakes.
    Invalid(SceneErrors),
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable { path, reason } => write!(f, "cannot read `{path}`: {reason}"),
            Self::Unusable { path, reason } => write!(f, "`{path}`: {reason}"),
            Self::Invalid(errors) => errors.fmt(f),
        }
    }
}

impl std::error::Error for LoadError {}

impl From<SceneErrors> for LoadError {
    fn from(errors: SceneErrors) -> Self {
        Self::Invalid(errors)
    }
}

/// A mistake before its place is worked out.
#[derive(Clone, Debug)]
pub(crate) struct Finding {
    pub(crate) span: Span,
    /// Where it stands, if that is in a file that the scene names at `span`, by the name that it
    /// gives there.
    pub(crate) elsewhere: Option<(String, Excerpt)>,
    pub(crate) code: &'static str,
    pub(crate) message: String,
    pub(crate) help: Option<String>,
}

/// Where all layers report. Shared, because a reader holds borrows of the tree as well.
#[derive(Debug, Default)]
pub(crate) struct Sink {
    findings: RefCell<Vec<Finding>>,
    dropped: Cell<usize>,
}

impl Sink {
    /// Reports what the engine refuses; its words hold the cure.
    pub(crate) fn refusal(&self, span: Span, code: &'static str, refusal: &dyn Error) {
        self.push(Finding {
            span,
            elsewhere: None,
            code,
            message: refusal.to_string(),
            help: None,
        });
    }

    /// Reports a mistake and its cure.
    pub(crate) fn error(
        &self,
        span: Span,
        code: &'static str,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.push(Finding {
            span,
            elsewhere: None,
            code,
            message: message.into(),
            help: Some(help.into()),
        });
    }

    /// Reports a mistake in a file that is named at `span`.
    pub(crate) fn error_elsewhere(
        &self,
        span: Span,
        code: &'static str,
        place: (String, Excerpt),
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.push(Finding {
            span,
            elsewhere: Some(place),
            code,
            message: message.into(),
            help: Some(help.into()),
        });
    }

    /// Counts mistakes that are not kept.
    pub(crate) fn drop_more(&self, count: usize) {
        self.dropped.set(self.dropped.get() + count);
    }

    fn push(&self, finding: Finding) {
        let mut findings = self.findings.borrow_mut();
        if findings.len() < MAX_KEPT_ERRORS {
            findings.push(finding);
        } else {
            self.dropped.set(self.dropped.get() + 1);
        }
    }

    /// Whether a mistake within `span` was reported so far.
    pub(crate) fn has_within(&self, span: Span) -> bool {
        let is_within = |other: Span| {
            other.file == span.file && other.start >= span.start && other.end <= span.end
        };
        self.findings.borrow().iter().any(|f| is_within(f.span))
    }

    /// Whether nothing was reported so far.
    pub(crate) fn is_empty(&self) -> bool {
        self.findings.borrow().is_empty()
    }

    /// How many mistakes were reported so far.
    pub(crate) fn count(&self) -> usize {
        self.findings.borrow().len() + self.dropped.get()
    }

    /// Whether there are so many mistakes that what was meant is not looked for any more.
    pub(crate) fn is_crowded(&self) -> bool {
        self.count() > MAX_SUGGESTIONS
    }

    /// Works out the places, sorts by them and keeps the first few.
    pub(crate) fn into_errors(self, sources: &Sources) -> SceneErrors {
        let total = self.count();
        let mut findings = self.findings.into_inner();
        let key = |finding: &Finding| {
            let within = finding.elsewhere.as_ref();
            let within = within.map_or(0, |(_, excerpt)| excerpt.bytes.start);
            (finding.span, within, finding.code)
        };
        findings.sort_by_key(key);
        // One in a prefab is found once for each copy.
        let before = findings.len();
        findings.dedup_by_key(|finding| key(finding));
        let total = total - (before - findings.len());
        findings.truncate(MAX_SHOWN_ERRORS);
        let more = total - findings.len();
        let errors = findings
            .into_iter()
            .map(|finding| sources.locate(finding))
            .collect();
        SceneErrors { errors, more }
    }
}

impl Sources {
    /// The text of a file; empty for a file that is not there.
    pub(crate) fn text(&self, file: u32) -> &str {
        self.files
            .get(file as usize)
            .map_or("", |(_, text)| text.as_str())
    }

    fn locate(&self, finding: Finding) -> Diagnostic {
        let span = finding.span;
        let text = self.text(span.file);
        let start = floor_boundary(text, span.start as usize);
        let end = floor_boundary(text, span.end as usize).max(start);
        let name = self.files.get(span.file as usize);
        let name = name.map_or("", |(name, _)| name).to_owned();
        let named = Excerpt::of(text.as_bytes(), start..end);
        let (file, excerpt, help) = match finding.elsewhere {
            None => (name, named, finding.help),
            Some((file, excerpt)) => {
                let help = finding.help.unwrap_or_default();
                let (line, column) = (named.line, named.column);
                let help = format!("{help}; the file is named at {name}:{line}:{column}");
                (crate::files::beside(&name, &file), excerpt, Some(help))
            }
        };
        excerpt.diagnostic(file, finding.code, finding.message, help)
    }
}

/// A stretch of a text that may be in any encoding, and the line it starts in.
#[derive(Clone, Debug)]
pub(crate) struct Excerpt {
    line: usize,
    column: usize,
    bytes: Range<usize>,
    /// The line, what is no UTF-8 in it replaced by U+FFFD.
    text: String,
    /// The stretch in the text.
    marked: Range<usize>,
}

impl Excerpt {
    /// The stretch `place` of `bytes`.
    pub(crate) fn of(bytes: &[u8], place: Range<usize>) -> Self {
        let is_break = |byte: &u8| *byte == b'\n';
        let before = &bytes[..place.start];
        let line_begin = before.iter().rposition(is_break).map_or(0, |at| at + 1);
        let rest = &bytes[place.start..];
        let line_end = rest.iter().position(is_break);
        let line_end = line_end.map_or(bytes.len(), |length| place.start + length);
        let read = |range: Range<usize>| String::from_utf8_lossy(&bytes[range]).into_owned();
        let mut text = read(line_begin..place.start);
        let (column, start) = (text.chars().count() + 1, text.len());
        let marked_end = place.end.clamp(place.start, line_end);
        text.push_str(&read(place.start..marked_end));
        let end = text.len();
        text.push_str(&read(marked_end..line_end));
        text.truncate(text.trim_end_matches('\r').len());
        Self {
            line: before.iter().filter(|byte| is_break(byte)).count() + 1,
            column,
            bytes: place,
            marked: start.min(text.len())..end.min(text.len()),
            text,
        }
    }

    /// A mistake there, in the file called `file`.
    pub(crate) fn diagnostic(
        self,
        file: String,
        code: &'static str,
        message: String,
        help: Option<String>,
    ) -> Diagnostic {
        Diagnostic {
            code,
            file,
            line: self.line,
            column: self.column,
            start: self.bytes.start,
            end: self.bytes.end,
            source_line: self.text,
            line_start: self.marked.start,
            line_end: self.marked.end,
            message,
            help,
        }
    }
}

/// The largest character boundary at or before `at`.
fn floor_boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// The candidate nearest to `word` by edit distance, if it is near enough to be what was
/// meant: at most a third of the letters differ.
pub(crate) fn nearest<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let lower = word.to_lowercase();
    let limit = (word.chars().count() / 3).max(1);
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        if candidate.chars().count().abs_diff(word.chars().count()) > limit {
            continue;
        }
        let distance = edit_distance(&lower, &candidate.to_lowercase());
        if distance <= limit && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`.
fn edit_distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.chars().take(64).collect();
    let b: Vec<char> = b.chars().take(64).collect();
    let mut before: Vec<usize> = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 0..a.len() {
        let mut row = vec![i + 1; b.len() + 1];
        for j in 0..b.len() {
            let replace = last[j] + usize::from(a[i] != b[j]);
            row[j + 1] = replace.min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j] {
                row[j + 1] = row[j + 1].min(before[j - 1] + 1);
            }
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Distances counted by hand.
    #[test]
    fn edit_distance_counts_edits_and_swaps() {
        for (a, b, edits) in [
            ("", "", 0),
            ("mass", "mass", 0),
            ("mas", "mass", 1),
            ("amss", "mass", 1),
            ("fricton", "friction", 1),
            ("kitten", "sitting", 3),
        ] {
            assert_eq!(edit_distance(a, b), edits, "{a} {b}");
        }
    }

    /// A slip of one letter is recognised, another word is not.
    #[test]
    fn only_near_words_are_suggested() {
        let words = ["friction", "restitution", "density"];
        assert_eq!(nearest("fricton", words), Some("friction"));
        assert_eq!(nearest("Density", words), Some("density"));
        assert_eq!(nearest("colour", words), None);
    }

    /// Line and column are counted in characters, bytes in bytes: known by hand.
    #[test]
    fn places_count_characters_and_bytes() {
        let text = "(\n  \u{e4}\u{f6}: bad,\n)".to_owned();
        let sources = Sources {
            files: vec![("a.ron".to_owned(), text)],
        };
        let sink = Sink::default();
        sink.error(
            Span {
                file: 0,
                start: 10,
                end: 13,
            },
            "x",
            "wrong",
            "right it",
        );
        let errors = sink.into_errors(&sources);
        let error = &errors.errors[0];
        assert_eq!((error.line, error.column), (2, 7));
        assert_eq!(&error.source_line[error.line_start..error.line_end], "bad");
    }
}
