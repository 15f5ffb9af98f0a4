//! A recursive reader for RON that goes on after the usual slips: a forgotten comma, `=`
//! for `:`. What it cannot go on after, it reports at the bracket that was left open.

use super::value::{Field, Kind, Value, Word};
use crate::diagnostic::{Sink, Span};
use crate::tolerance::MAX_DEPTH;

/// Reading cannot go on; the reason is in the sink.
#[derive(Debug)]
pub(super) struct Stop;

/// A cursor over one file.
pub(super) struct Parser<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
    pub(super) sink: &'a Sink,
    file: u32,
    depth: usize,
    /// Where the brackets around the current place were opened.
    open: Vec<usize>,
}

/// Reads one value that fills the whole text. Mistakes go to `sink`; `None` when nothing
/// useful could be read.
pub(crate) fn parse<'a>(text: &'a str, file: u32, sink: &'a Sink) -> Option<Value<'a>> {
    let mut parser = Parser {
        text,
        at: 0,
        sink,
        file,
        depth: 0,
        open: Vec::new(),
    };
    if text.starts_with('\u{feff}') {
        parser.at = '\u{feff}'.len_utf8();
    }
    parser.attributes().ok()?;
    let value = parser.value().ok()?;
    parser.skip_blanks();
    if parser.at < text.len() {
        let span = parser.next_piece();
        let message = "the scene ended before this";
        sink.error(span, "syntax", message, "one file holds one `( ... )`");
    }
    Some(value)
}

impl<'a> Parser<'a> {
    pub(super) fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn span(&self, start: usize, end: usize) -> Span {
        Span {
            file: self.file,
            start: start as u32,
            end: end as u32,
        }
    }

    pub(super) fn stop(&self, span: Span, message: &str, help: impl Into<String>) -> Stop {
        self.sink.error(span, "syntax", message, help);
        Stop
    }

    /// The name, number or character that comes next, for pointing at.
    fn next_piece(&self) -> Span {
        let rest = self.rest();
        let name = rest
            .find(|c: char| !(c.is_alphanumeric() || c == '_'))
            .unwrap_or(rest.len());
        let length = if name > 0 {
            name
        } else {
            self.peek().map_or(0, char::len_utf8)
        };
        self.span(self.at, self.at + length)
    }

    /// `#![enable(...)]` and its like at the head of the file. The extensions a scene may
    /// name are always on, so they are only checked.
    fn attributes(&mut self) -> Result<(), Stop> {
        loop {
            self.skip_blanks();
            if !self.rest().starts_with("#![") {
                return Ok(());
            }
            let start = self.at;
            let Some(length) = self.rest().find(']') else {
                return Err(self.stop(
                    self.span(start, start + 3),
                    "`#![` is never closed",
                    "add `]`",
                ));
            };
            self.at += length + 1;
            let inner = self.text[start + 3..start + length].trim();
            let Some(list) = inner.strip_prefix("enable") else {
                continue;
            };
            let list = list.trim().trim_start_matches('(').trim_end_matches(')');
            for name in list
                .split(',')
                .map(str::trim)
                .filter(|name| !name.is_empty())
            {
                let known = [
                    "implicit_some",
                    "unwrap_variant_newtypes",
                    "unwrap_newtypes",
                ];
                if !known.contains(&name) {
                    let message = format!("scenes do not use the RON extension `{name}`");
                    let help = format!("remove it: known are {}", known.join(", "));
                    self.sink
                        .error(self.span(start, self.at), "syntax", message, help);
                }
            }
        }
    }

    fn value(&mut self) -> Result<Value<'a>, Stop> {
        self.skip_blanks();
        let start = self.at;
        if self.depth >= MAX_DEPTH {
            let message = format!("brackets nest deeper than {MAX_DEPTH}");
            return Err(self.stop(self.next_piece(), &message, "use named shapes and prefabs"));
        }
        self.depth += 1;
        let kind = self.kind()?;
        self.depth -= 1;
        Ok(Value {
            span: self.span(start, self.at),
            kind,
        })
    }

    fn kind(&mut self) -> Result<Kind<'a>, Stop> {
        match self.peek() {
            Some('(') => self.round(None),
            Some('[') => self.square(),
            Some('{') => self.map(),
            Some('"') => Ok(Kind::Text(self.quoted('"')?)),
            Some('\'') => Ok(Kind::Text(self.quoted('\'')?)),
            Some(c) if c.is_ascii_digit() || matches!(c, '+' | '-' | '.') => self.number(),
            Some('r') => match self.raw_text()? {
                Some(text) => Ok(Kind::Text(text.into())),
                None => self.named(),
            },
            Some(c) if c.is_alphabetic() || c == '_' => self.named(),
            Some(c) => {
                let message = format!("expected a value, found `{}`", c.escape_default());
                Err(self.stop(
                    self.next_piece(),
                    &message,
                    "remove it or write a value here",
                ))
            }
            None => {
                let end = self.span(self.text.len(), self.text.len());
                Err(self.stop(
                    end,
                    "expected a value, found the end of the file",
                    "write a value",
                ))
            }
        }
    }

    /// A value that starts with a name: `true`, `Static`, `Box(...)`, `Some(...)`.
    fn named(&mut self) -> Result<Kind<'a>, Stop> {
        let Some(word) = self.word() else {
            return Ok(Kind::Broken);
        };
        match word.text {
            "true" => return Ok(Kind::Flag(true)),
            "false" => return Ok(Kind::Flag(false)),
            "inf" | "NaN" => {
                self.at = word.span.start as usize;
                return self.number();
            }
            _ => {}
        }
        let end = self.at;
        self.skip_blanks();
        if self.peek() != Some('(') {
            self.at = end;
            return Ok(Kind::Word(word.text));
        }
        match self.round(Some(word))? {
            Kind::Tuple(_, mut items) if word.text == "Some" && items.len() == 1 => {
                Ok(items.pop().map_or(Kind::Broken, |item| item.kind))
            }
            kind => Ok(kind),
        }
    }

    /// `( ... )`: a record when a name and a colon come first, else a tuple.
    fn round(&mut self, name: Option<Word<'a>>) -> Result<Kind<'a>, Stop> {
        let open = self.at;
        self.at += 1;
        if !self.record_ahead() {
            let items = self.items(open, ')', Self::value)?;
            return Ok(Kind::Tuple(name, items));
        }
        let fields = self.items(open, ')', Self::field)?;
        Ok(Kind::Record(name, fields))
    }

    fn square(&mut self) -> Result<Kind<'a>, Stop> {
        let open = self.at;
        self.at += 1;
        Ok(Kind::List(self.items(open, ']', Self::value)?))
    }

    fn map(&mut self) -> Result<Kind<'a>, Stop> {
        let open = self.at;
        self.at += 1;
        Ok(Kind::Map(self.items(open, '}', |parser| {
            let key = parser.value()?;
            parser.colon("a key")?;
            Ok((key, parser.value()?))
        })?))
    }

    fn field(&mut self) -> Result<Field<'a>, Stop> {
        let Some(name) = self.word() else {
            let message = "expected the name of a field";
            let line = self.open.last().map_or(0, |open| self.line_of(*open));
            let help = format!("write `name: value`, or close the `(` of line {line} before this");
            return Err(self.stop(self.next_piece(), message, help));
        };
        self.colon("a field's name")?;
        Ok(Field {
            name,
            value: self.value()?,
        })
    }

    fn colon(&mut self, after: &str) -> Result<(), Stop> {
        self.skip_blanks();
        match self.peek() {
            Some(':') => {}
            Some('=') => {
                let span = self.span(self.at, self.at + 1);
                self.sink
                    .error(span, "syntax", "expected `:`", "write `:` for `=`");
            }
            _ => {
                let message = format!("expected `:` after {after}");
                return Err(self.stop(self.next_piece(), &message, "write `name: value`"));
            }
        }
        self.at += 1;
        Ok(())
    }

    /// Whether a name and a colon (or the `=` of a slip) come next.
    fn record_ahead(&mut self) -> bool {
        let start = self.at;
        self.skip_blanks();
        let is_name = self.word().is_some();
        self.skip_blanks();
        let is_field = is_name && matches!(self.peek(), Some(':' | '='));
        self.at = start;
        is_field
    }

    /// Items between brackets, separated by commas; one is allowed after the last.
    fn items<T>(
        &mut self,
        open: usize,
        close: char,
        mut item: impl FnMut(&mut Self) -> Result<T, Stop>,
    ) -> Result<Vec<T>, Stop> {
        let mut items = Vec::new();
        self.open.push(open);
        loop {
            self.skip_blanks();
            match self.peek() {
                Some(c) if c == close => {
                    self.at += 1;
                    self.open.pop();
                    return Ok(items);
                }
                None | Some(')' | ']' | '}') => return Err(self.unclosed(open, close)),
                Some(_) => items.push(item(self)?),
            }
            let end = self.at;
            self.skip_blanks();
            match self.peek() {
                Some(',') => self.at += 1,
                None | Some(')' | ']' | '}') => {}
                Some(_) => {
                    let span = self.span(end.saturating_sub(1), end);
                    let message = "expected `,` after this";
                    self.sink.error(span, "syntax", message, "add `,`");
                }
            }
        }
    }

    /// The line of a byte, counted from 1.
    fn line_of(&self, at: usize) -> usize {
        self.text[..at].matches('\n').count() + 1
    }

    fn unclosed(&self, open: usize, close: char) -> Stop {
        let bracket = &self.text[open..open + 1];
        let line = self.line_of(self.at);
        let found = match self.peek() {
            Some(c) => format!("`{c}` on line {line} comes first"),
            None => "the file ends first".to_owned(),
        };
        let message = format!("this `{bracket}` is never closed: {found}");
        self.stop(
            self.span(open, open + 1),
            &message,
            format!("add `{close}`"),
        )
    }
}
