//! The tree a scene file is read into.

use std::borrow::Cow;

use crate::diagnostic::Span;

/// A value and its place.
#[derive(Clone, Debug)]
pub(crate) struct Value<'a> {
    pub(crate) span: Span,
    pub(crate) kind: Kind<'a>,
}

/// What RON can say.
#[derive(Clone, Debug)]
pub(crate) enum Kind<'a> {
    /// `true` or `false`.
    Flag(bool),
    /// A number; infinities and NaN are numbers too.
    Number(Number),
    /// `"text"`, or a single character.
    Text(Cow<'a, str>),
    /// A name alone: `Static`.
    Word(&'a str),
    /// `(a: 1)`, or `Name(a: 1)`.
    Record(Option<Word<'a>>, Vec<Field<'a>>),
    /// `(1, 2)`, `Name(1, 2)` or `()`.
    Tuple(Option<Word<'a>>, Vec<Value<'a>>),
    /// `[1, 2]`.
    List(Vec<Value<'a>>),
    /// `{ "a": 1 }`.
    Map(Vec<(Value<'a>, Value<'a>)>),
    /// What stands where reading went wrong; already reported.
    Broken,
}

/// A name and its place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Word<'a> {
    pub(crate) text: &'a str,
    pub(crate) span: Span,
}

/// A field of a record.
#[derive(Clone, Debug)]
pub(crate) struct Field<'a> {
    pub(crate) name: Word<'a>,
    pub(crate) value: Value<'a>,
}

/// A number as both widths read it from the same digits, so that neither is rounded twice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Number {
    pub(crate) wide: f64,
    pub(crate) narrow: f32,
    /// The exact value, when it is a whole number written without a point.
    pub(crate) whole: Option<i128>,
}

impl Value<'_> {
    /// How a message calls this kind of value.
    pub(crate) fn describe(&self) -> String {
        match &self.kind {
            Kind::Flag(flag) => format!("`{flag}`"),
            Kind::Number(number) => crate::schema::short(number.wide),
            Kind::Text(text) if text.chars().count() <= 40 => format!("the text {text:?}"),
            Kind::Text(_) => "a text".to_owned(),
            Kind::Word(word) => format!("`{word}`"),
            Kind::Record(Some(name), _) | Kind::Tuple(Some(name), _) => {
                format!("`{}(...)`", name.text)
            }
            Kind::Record(None, _) => "a record `(field: ...)`".to_owned(),
            Kind::Tuple(None, items) => match items.len() {
                0 => "`()`".to_owned(),
                1 => "1 value in brackets".to_owned(),
                n => format!("{n} values in brackets"),
            },
            Kind::List(items) => format!("a list of {}", items.len()),
            Kind::Map(_) => "a map `{ ... }`".to_owned(),
            Kind::Broken => "nothing".to_owned(),
        }
    }
}
