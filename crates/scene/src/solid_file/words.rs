//! Words of a text that may be in any encoding, and where they stand.

use std::ops::Range;

/// A word and its place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Word<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) start: usize,
}

impl<'a> Word<'a> {
    pub(super) fn place(&self) -> Range<usize> {
        self.start..self.start + self.bytes.len()
    }

    /// The word as text, if it is one.
    pub(super) fn text(&self) -> Option<&'a str> {
        std::str::from_utf8(self.bytes).ok()
    }

    /// The word without the backslash by which a statement goes on; nothing if that is all.
    pub(super) fn without_backslash(self) -> Option<Self> {
        let bytes = self.bytes.strip_suffix(b"\\").unwrap_or(self.bytes);
        (!bytes.is_empty()).then_some(Self { bytes, ..self })
    }

    /// The word as messages show it: not in full when it is long.
    pub(super) fn shown(&self) -> String {
        let text = String::from_utf8_lossy(self.bytes);
        let mut shown: String = text.escape_debug().take(24).collect();
        if text.chars().count() > 24 {
            shown.push_str("...");
        }
        shown
    }
}

/// Words of a stretch of a file, in their order.
#[derive(Clone, Debug)]
pub(super) struct Words<'a> {
    bytes: &'a [u8],
    at: usize,
    end: usize,
}

impl<'a> Words<'a> {
    /// The words of `range` of the file.
    pub(super) fn within(bytes: &'a [u8], range: Range<usize>) -> Self {
        Self {
            bytes,
            at: range.start,
            end: range.end,
        }
    }

    /// Goes on behind the end of the line.
    pub(super) fn skip_line(&mut self) {
        let rest = &self.bytes[self.at..self.end];
        let is_end = |byte: &u8| matches!(byte, b'\n' | b'\r');
        self.at += rest.iter().position(is_end).unwrap_or(rest.len());
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = Word<'a>;

    fn next(&mut self) -> Option<Word<'a>> {
        let rest = &self.bytes[self.at..self.end];
        let start = self.at + rest.iter().position(|byte| !byte.is_ascii_whitespace())?;
        let rest = &self.bytes[start..self.end];
        let length = rest.iter().position(u8::is_ascii_whitespace);
        let length = length.unwrap_or(rest.len());
        self.at = start + length;
        Some(Word {
            bytes: &rest[..length],
            start,
        })
    }
}

/// Where the text begins behind the mark that some editors put before it.
pub(super) fn text_start(bytes: &[u8]) -> usize {
    let mark = "\u{feff}".as_bytes();
    if bytes.starts_with(mark) {
        mark.len()
    } else {
        0
    }
}
