//! The small pieces of RON: blanks, names, numbers, texts.

use std::borrow::Cow;

use super::parse::{Parser, Stop};
use super::value::{Kind, Number, Word};

impl<'a> Parser<'a> {
    /// Skips white space and comments. An unclosed comment is reported and ends the text.
    pub(super) fn skip_blanks(&mut self) {
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start();
            self.at += rest.len() - trimmed.len();
            if trimmed.starts_with("//") {
                self.at += trimmed.find('\n').unwrap_or(trimmed.len());
            } else if trimmed.starts_with("/*") {
                self.skip_block_comment();
            } else {
                return;
            }
        }
    }

    /// Block comments nest in RON.
    fn skip_block_comment(&mut self) {
        let start = self.at;
        let bytes = self.text.as_bytes();
        let mut depth = 0usize;
        while self.at + 1 < bytes.len() {
            match &bytes[self.at..self.at + 2] {
                b"/*" => (depth, self.at) = (depth + 1, self.at + 2),
                b"*/" => (depth, self.at) = (depth - 1, self.at + 2),
                _ => self.at += 1,
            }
            if depth == 0 {
                return;
            }
        }
        self.at = bytes.len();
        let span = self.span(start, start + 2);
        self.sink
            .error(span, "syntax", "this comment is never closed", "add `*/`");
    }

    /// A name, if one stands here.
    pub(super) fn word(&mut self) -> Option<Word<'a>> {
        let start = self.at;
        let rest = self.rest();
        let raw = rest
            .strip_prefix("r#")
            .filter(|more| more.starts_with(is_name_start));
        let (skip, body) = raw.map_or((0, rest), |body| (2, body));
        if !body.starts_with(is_name_start) {
            return None;
        }
        let length = body.find(|c: char| !is_name_part(c)).unwrap_or(body.len());
        self.at += skip + length;
        Some(Word {
            text: &body[..length],
            span: self.span(start, self.at),
        })
    }

    /// A number. Digits that make none are reported.
    pub(super) fn number(&mut self) -> Result<Kind<'a>, Stop> {
        let start = self.at;
        let rest = self.rest();
        let length = rest
            .char_indices()
            .find(|&(at, c)| !(is_name_part(c) || c == '.' || is_sign(rest, at, c)))
            .map_or(rest.len(), |(at, _)| at);
        self.at += length;
        let text = &rest[..length];
        match read_number(text) {
            Some(number) => Ok(Kind::Number(number)),
            None => {
                let span = self.span(start, self.at);
                let message = format!("`{text}` is not a number");
                let help = "write it like `-1.5` or `2e-3`, texts and names in quotes";
                self.sink.error(span, "syntax", message, help);
                Ok(Kind::Broken)
            }
        }
    }

    /// A quoted text with escapes.
    pub(super) fn quoted(&mut self, quote: char) -> Result<Cow<'a, str>, Stop> {
        let start = self.at;
        self.at += 1;
        let plain = self.rest();
        let length = plain.find([quote, '\\']).unwrap_or(plain.len());
        self.at += length;
        if self.peek() == Some(quote) {
            self.at += 1;
            return Ok(Cow::Borrowed(&plain[..length]));
        }
        let mut text = plain[..length].to_owned();
        while let Some(c) = self.peek() {
            let at = self.at;
            self.at += c.len_utf8();
            if c == quote {
                return Ok(Cow::Owned(text));
            }
            if c != '\\' {
                text.push(c);
            } else if let Some(escaped) = self.escape() {
                text.push(escaped);
            } else {
                let span = self.span(at, self.at);
                let message = "unknown escape in a text";
                let help = "a backslash itself is written `\\\\`";
                self.sink.error(span, "syntax", message, help);
            }
        }
        let span = self.span(start, start + 1);
        Err(self.stop(span, "this text is never closed", "add the closing quote"))
    }

    /// The character an escape stands for; the backslash is already read.
    fn escape(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        match c {
            'n' => Some('\n'),
            't' => Some('\t'),
            'r' => Some('\r'),
            '0' => Some('\0'),
            '"' | '\'' | '\\' => Some(c),
            'x' => {
                let digits = self.rest().get(..2)?;
                self.at += 2;
                u8::from_str_radix(digits, 16).ok().map(char::from)
            }
            'u' => {
                let rest = self.rest().strip_prefix('{')?;
                let digits = &rest[..rest.find('}')?];
                self.at += digits.len() + 2;
                char::from_u32(u32::from_str_radix(digits, 16).ok()?)
            }
            _ => None,
        }
    }

    /// A raw text `r"..."` or `r#"..."#`, if one stands here.
    pub(super) fn raw_text(&mut self) -> Result<Option<&'a str>, Stop> {
        let start = self.at;
        let Some(rest) = self.rest().strip_prefix('r') else {
            return Ok(None);
        };
        let hashes = rest.len() - rest.trim_start_matches('#').len();
        let Some(body) = rest[hashes..].strip_prefix('"') else {
            return Ok(None);
        };
        let closing = format!("\"{}", "#".repeat(hashes));
        let Some(length) = body.find(&closing) else {
            let span = self.span(start, start + 1);
            return Err(self.stop(
                span,
                "this text is never closed",
                format!("add `{closing}`"),
            ));
        };
        self.at += 1 + hashes + 1 + length + closing.len();
        Ok(Some(&body[..length]))
    }
}

fn is_name_start(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

fn is_name_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Whether `c` at `at` is a sign inside a number: at its front or after an exponent mark.
fn is_sign(text: &str, at: usize, c: char) -> bool {
    let after_exponent = || !text.starts_with("0x") && text[..at].ends_with(['e', 'E']);
    matches!(c, '+' | '-') && (at == 0 || after_exponent())
}

/// Reads a whole number in base 2, 8, 10 or 16, or a decimal; with `_` between digits and
/// with the suffixes RON allows.
fn read_number(text: &str) -> Option<Number> {
    let (negative, digits) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    if digits.starts_with(['+', '-']) {
        return None;
    }
    let plain = match digits {
        "inf" | "NaN" => digits.to_owned(),
        _ => strip_suffix(digits).replace('_', ""),
    };
    let whole = match plain.get(..2) {
        Some("0x") => Some(i128::from_str_radix(&plain[2..], 16).ok()?),
        Some("0b") => Some(i128::from_str_radix(&plain[2..], 2).ok()?),
        Some("0o") => Some(i128::from_str_radix(&plain[2..], 8).ok()?),
        _ => plain.parse::<i128>().ok(),
    };
    let sign = if negative { -1.0 } else { 1.0 };
    let based = plain.starts_with("0x") || plain.starts_with("0b") || plain.starts_with("0o");
    let (wide, narrow) = match whole {
        Some(whole) if based => (whole as f64, whole as f32),
        _ => (plain.parse::<f64>().ok()?, plain.parse::<f32>().ok()?),
    };
    Some(Number {
        wide: sign * wide,
        narrow: sign as f32 * narrow,
        whole: whole.map(|whole| if negative { -whole } else { whole }),
    })
}

fn strip_suffix(digits: &str) -> &str {
    if digits.starts_with("0x") {
        return digits;
    }
    for suffix in [
        "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f32", "f64",
    ] {
        if let Some(stem) = digits.strip_suffix(suffix) {
            return stem;
        }
    }
    digits
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values known by hand, both widths rounded once from the digits.
    #[test]
    fn numbers_are_read_in_every_spelling() {
        for (text, value, whole) in [
            ("0", 0.0, Some(0)),
            ("-17", -17.0, Some(-17)),
            ("+3", 3.0, Some(3)),
            ("0x_ff", 255.0, Some(255)),
            ("0b101", 5.0, Some(5)),
            ("0o17", 15.0, Some(15)),
            ("1_000", 1000.0, Some(1000)),
            ("2.5", 2.5, None),
            (".5", 0.5, None),
            ("5.", 5.0, None),
            ("1e-3", 0.001, None),
            ("7u8", 7.0, Some(7)),
            ("1.5f32", 1.5, None),
        ] {
            let number = read_number(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(number.wide, value, "{text}");
            assert_eq!(number.narrow, value as f32, "{text}");
            assert_eq!(number.whole, whole, "{text}");
        }
        for text in ["", "-", "1.2.3", "0x", "12abc", "e5", "--1"] {
            assert_eq!(read_number(text), None, "{text}");
        }
        assert!(read_number("NaN").is_some_and(|n| n.wide.is_nan()));
        assert!(read_number("-inf").is_some_and(|n| n.wide == f64::NEG_INFINITY));
    }
}
