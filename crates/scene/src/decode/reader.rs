//! Opens a record by its table and hands out its fields, each checked against the table.

use std::cell::Cell;

use drystone::geometry::glam::{DVec3, Quat, Vec3};

use super::values::{self, Place};
use super::{Name, spoken, suggest};
use crate::diagnostic::{Sink, Span};
use crate::schema::{Default, Field as Entry, Record, Type, Union};
use crate::syntax::{Field, Kind, Value};

/// A record being read.
pub(crate) struct Reader<'v, 'a> {
    /// Where the record stands.
    pub(crate) span: Span,
    pub(crate) sink: &'v Sink,
    record: &'static Record,
    fields: &'v [Field<'a>],
    /// One bit per field that was asked for; debug builds compare it with the table.
    asked: Cell<u64>,
}

impl<'v, 'a> Reader<'v, 'a> {
    /// Opens `value` as `record`. Unknown, repeated and missing fields are reported here.
    pub(crate) fn open(
        record: &'static Record,
        value: &'v Value<'a>,
        sink: &'v Sink,
    ) -> Option<Self> {
        let fields = match &value.kind {
            Kind::Record(None, fields) => fields.as_slice(),
            Kind::Record(Some(name), fields) if name.text == record.name => fields.as_slice(),
            Kind::Tuple(None, items) if items.is_empty() => &[],
            Kind::Broken => return None,
            _ => {
                let what = spoken(record.name);
                let message = format!("expected a {what} `(...)`, found {}", value.describe());
                sink.error(value.span, "wrong-type", message, fields_of(record));
                return None;
            }
        };
        Some(Self::over(record, value.span, fields, sink))
    }

    fn over(record: &'static Record, span: Span, fields: &'v [Field<'a>], sink: &'v Sink) -> Self {
        let reader = Self {
            span,
            sink,
            record,
            fields,
            asked: Cell::new(0),
        };
        reader.check_names();
        reader
    }

    fn check_names(&self) {
        for (index, field) in self.fields.iter().enumerate() {
            let name = field.name.text;
            if self.record.field(name).is_none() {
                let message = format!("{} has no field `{name}`", self.record.name);
                let known: Vec<&str> = self.record.fields.iter().map(|f| f.name).collect();
                let help = suggest(name, &known, "field");
                self.sink
                    .error(field.name.span, "unknown-field", message, help);
            } else if self.fields[..index]
                .iter()
                .any(|earlier| earlier.name.text == name)
            {
                let message = format!("field `{name}` is given twice");
                let help = "keep one of them";
                self.sink
                    .error(field.name.span, "duplicate-field", message, help);
            }
        }
        let misspelt = self.unknown_fields().next().is_some();
        for entry in self.record.fields {
            let is_missing = entry.default == Default::Required && !self.has(entry.name);
            // A misspelt field is most likely the missing one.
            if is_missing && !misspelt {
                let message = format!("{} needs the field `{}`", self.record.name, entry.name);
                let span = Span {
                    end: (self.span.start + 1).min(self.span.end),
                    ..self.span
                };
                let help = format!("add `{}`: {}", entry.name, entry.doc);
                self.sink.error(span, "missing-field", message, help);
            }
        }
    }

    /// The fields that the table does not know; reported already.
    pub(crate) fn unknown_fields(&self) -> impl Iterator<Item = &'a str> {
        let names = self.fields.iter().map(|field| field.name.text);
        names.filter(|name| self.record.field(name).is_none())
    }

    /// Whether the field is given; this does not count as asking for it.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.given(name).is_some()
    }

    fn given(&self, name: &str) -> Option<&'v Value<'a>> {
        let field = self.fields.iter().find(|field| field.name.text == name)?;
        // `None` says what leaving it out says.
        (!matches!(field.value.kind, Kind::Word("None"))).then_some(&field.value)
    }

    /// The table's entry and the value, if there is one.
    fn ask(&self, name: &str) -> (&'static Entry, Option<&'v Value<'a>>) {
        let index = self
            .record
            .fields
            .iter()
            .position(|field| field.name == name);
        debug_assert!(index.is_some(), "{} has no field {name}", self.record.name);
        let index = index.unwrap_or(0);
        self.asked.set(self.asked.get() | 1 << index);
        (&self.record.fields[index], self.given(name))
    }

    /// Where the field's value stands, or the record when it is left out.
    pub(crate) fn place_of(&self, name: &str) -> Span {
        self.given(name).map_or(self.span, |value| value.span)
    }

    /// The value itself, for lists and choices that are read elsewhere.
    pub(crate) fn value(&self, name: &str) -> Option<&'v Value<'a>> {
        self.ask(name).1
    }

    /// Reads a field with `read` and falls back on the table's default.
    fn get<T>(
        &self,
        name: &str,
        read: impl FnOnce(&Place<'_>, &'v Value<'a>) -> Option<T>,
    ) -> Option<T> {
        let (entry, value) = self.ask(name);
        let place = Place {
            label: entry.name,
            help: entry.doc,
            sink: self.sink,
        };
        read(&place, value?)
    }

    pub(crate) fn flag(&self, name: &str) -> bool {
        let fallback = self.default(name) == Default::Flag(true);
        self.get(name, |place, value| values::flag(place, value))
            .unwrap_or(fallback)
    }

    pub(crate) fn whole(&self, name: &str) -> u64 {
        let Type::Whole(min, max) = self.kind(name) else {
            return 0;
        };
        let whole = |place: &Place<'_>, value: &Value<'_>| {
            let (min, max) = (i128::from(*min), i128::from(*max));
            values::whole(place, value, min, max).map(|whole| whole as u64)
        };
        // The default of a mask, 2^32 - 1, is exact in an f64.
        self.get(name, whole)
            .unwrap_or_else(|| match self.default(name) {
                Default::Number(number) => number as u64,
                _ => *min,
            })
    }

    pub(crate) fn signed(&self, name: &str) -> i64 {
        let Type::Signed(min, max) = self.kind(name) else {
            return 0;
        };
        let whole = |place: &Place<'_>, value: &Value<'_>| {
            let (min, max) = (i128::from(*min), i128::from(*max));
            values::whole(place, value, min, max).map(|whole| whole as i64)
        };
        self.get(name, whole).unwrap_or(0)
    }

    pub(crate) fn optional(&self, name: &str) -> Option<f64> {
        let Type::Number(range) = self.kind(name) else {
            return None;
        };
        let number = |place: &Place<'_>, value: &Value<'_>| values::number(place, value, range);
        self.get(name, number).map(|number| number.wide)
    }

    pub(crate) fn optional_f32(&self, name: &str) -> Option<f32> {
        let Type::Number(range) = self.kind(name) else {
            return None;
        };
        let number = |place: &Place<'_>, value: &Value<'_>| values::narrow(place, value, range);
        self.get(name, number)
    }

    pub(crate) fn number(&self, name: &str) -> f64 {
        self.optional(name)
            .unwrap_or_else(|| self.default_number(name))
    }

    pub(crate) fn f32(&self, name: &str) -> f32 {
        self.optional_f32(name)
            .unwrap_or_else(|| self.default_number(name) as f32)
    }

    pub(crate) fn optional_angle(&self, name: &str) -> Option<f32> {
        let Type::Angle(range) = self.kind(name) else {
            return None;
        };
        self.get(name, |place, value| values::angle(place, value, range))
    }

    pub(crate) fn angle(&self, name: &str) -> f32 {
        self.optional_angle(name)
            .unwrap_or_else(|| self.default_number(name) as f32)
    }

    /// An angle in double precision.
    pub(crate) fn wide_angle(&self, name: &str) -> f64 {
        let Type::Angle(range) = self.kind(name) else {
            return 0.0;
        };
        self.get(name, |place, value| values::wide_angle(place, value, range))
            .unwrap_or_else(|| self.default_number(name))
    }

    pub(crate) fn pair(&self, name: &str) -> Option<[f64; 2]> {
        let Type::Pair(range) = self.kind(name) else {
            return None;
        };
        self.get(name, |place, value| {
            let [x, y] = values::numbers::<2>(place, value, range, "`(a, b)`")?;
            Some([x.wide, y.wide])
        })
    }

    pub(crate) fn optional_vector(&self, name: &str) -> Option<DVec3> {
        let Type::Vector(range) = self.kind(name) else {
            return None;
        };
        self.get(name, |place, value| values::vector(place, value, range))
    }

    pub(crate) fn vector(&self, name: &str) -> DVec3 {
        self.optional_vector(name)
            .unwrap_or_else(|| self.default_vector(name))
    }

    pub(crate) fn optional_vec3(&self, name: &str) -> Option<Vec3> {
        let Type::Vector(range) = self.kind(name) else {
            return None;
        };
        self.get(name, |place, value| {
            values::narrow_vector(place, value, range)
        })
    }

    pub(crate) fn vec3(&self, name: &str) -> Vec3 {
        self.optional_vec3(name)
            .unwrap_or_else(|| self.default_vector(name).as_vec3())
    }

    /// A unit vector.
    pub(crate) fn direction(&self, name: &str) -> Vec3 {
        self.get(name, values::direction)
            .unwrap_or_else(|| self.default_vector(name).as_vec3())
    }

    pub(crate) fn counts(&self, name: &str) -> [usize; 3] {
        let Type::Counts(min, max) = self.kind(name) else {
            return [1; 3];
        };
        let read = |place: &Place<'_>, value: &Value<'_>| {
            values::counts(place, value, i128::from(*min), i128::from(*max))
        };
        self.get(name, read).unwrap_or([1; 3])
    }

    pub(crate) fn flags(&self, name: &str) -> [bool; 3] {
        self.get(name, values::flags).unwrap_or([false; 3])
    }

    pub(crate) fn optional_rotation(&self, name: &str) -> Option<Quat> {
        self.get(name, values::rotation)
    }

    pub(crate) fn rotation(&self, name: &str) -> Quat {
        self.optional_rotation(name).unwrap_or(Quat::IDENTITY)
    }

    /// A text, or the name of something.
    pub(crate) fn text(&self, name: &str) -> Option<Name> {
        let given = self.get(name, values::text);
        given.or_else(|| match self.default(name) {
            Default::Word(word) => Some(Name {
                text: word.to_owned(),
                span: self.span,
            }),
            _ => None,
        })
    }

    /// One of the words of a choice.
    pub(crate) fn choice(&self, name: &str) -> &'static str {
        let Type::Choice(words) = self.kind(name) else {
            return "";
        };
        let given = self.get(name, |place, value| values::choice(place, value, words));
        given.unwrap_or_else(|| match self.default(name) {
            Default::Word(word) => word,
            _ => words[0],
        })
    }

    /// A nested record.
    pub(crate) fn record(&self, name: &str) -> Option<Reader<'v, 'a>> {
        let Type::Record(record) = self.kind(name) else {
            return None;
        };
        Reader::open(record, self.value(name)?, self.sink)
    }

    /// A nested variant.
    pub(crate) fn variant(&self, name: &str) -> Option<Reader<'v, 'a>> {
        let Type::Union(union) = self.kind(name) else {
            return None;
        };
        open_variant(union, self.value(name)?, self.sink)
    }

    /// The items of a list; nothing when it is left out.
    pub(crate) fn items(&self, name: &str) -> &'v [Value<'a>] {
        self.get(name, values::items).unwrap_or(&[])
    }

    /// The numbers of a list; nothing when it is left out.
    pub(crate) fn numbers_f32(&self, name: &str) -> Vec<f32> {
        let Type::List(Type::Number(range)) = self.kind(name) else {
            return Vec::new();
        };
        let read = |place: &Place<'_>, value: &'v Value<'a>| {
            let items = values::items(place, value)?.iter();
            items
                .map(|item| values::narrow(place, item, range))
                .collect()
        };
        self.get(name, read).unwrap_or_default()
    }

    /// Checks that a list holds nothing but texts.
    pub(crate) fn check_texts(&self, name: &str) {
        let check = |place: &Place<'_>, value: &'v Value<'a>| {
            for item in values::items(place, value)? {
                values::text(place, item);
            }
            Some(())
        };
        self.get(name, check);
    }

    /// The entries of a map, each with its name; nothing when it is left out.
    pub(crate) fn entries(&self, name: &str) -> Vec<(Name, &'v Value<'a>)> {
        self.get(name, values::entries).unwrap_or_default()
    }

    /// The name of the record's variant.
    pub(crate) fn variant_name(&self) -> &'static str {
        self.record.name
    }

    /// Ends the reading: debug builds check that the table was asked for in full.
    pub(crate) fn finish(&self) {
        for (index, field) in self.record.fields.iter().enumerate() {
            let was_asked = self.asked.get() & 1 << index != 0;
            debug_assert!(
                was_asked,
                "{}.{} is never read",
                self.record.name, field.name
            );
        }
    }

    fn kind(&self, name: &str) -> &'static Type {
        &self.ask(name).0.kind
    }

    fn default(&self, name: &str) -> Default {
        self.ask(name).0.default
    }

    /// The default number; when the field is required, any number that is allowed, since
    /// the scene will not be used.
    fn default_number(&self, name: &str) -> f64 {
        match (self.default(name), self.kind(name)) {
            (Default::Number(number), _) => number,
            (_, Type::Number(range) | Type::Angle(range)) => 1.0f64.clamp(range.min, range.max),
            _ => 1.0,
        }
    }

    fn default_vector(&self, name: &str) -> DVec3 {
        match self.default(name) {
            Default::Vector(vector) => DVec3::from_array(vector),
            _ => DVec3::ONE,
        }
    }
}

/// Opens `value` as one of the variants of `union`: `Name(...)`, or `Name` alone.
pub(crate) fn open_variant<'v, 'a>(
    union: &'static Union,
    value: &'v Value<'a>,
    sink: &'v Sink,
) -> Option<Reader<'v, 'a>> {
    let word = match &value.kind {
        Kind::Record(Some(name), _) | Kind::Tuple(Some(name), _) => *name,
        Kind::Word(text) => crate::syntax::Word {
            text,
            span: value.span,
        },
        Kind::Broken => return None,
        _ => {
            let what = spoken(union.name);
            let article = if what.starts_with(['a', 'e', 'i', 'o']) {
                "an"
            } else {
                "a"
            };
            let message = format!("expected {article} {what}, found {}", value.describe());
            sink.error(value.span, "wrong-type", message, variants_of(union));
            return None;
        }
    };
    let Some(record) = union.variant(word.text) else {
        let message = format!("there is no {} `{}`", spoken(union.name), word.text);
        let known: Vec<&str> = union.variants.iter().map(|variant| variant.name).collect();
        let help = suggest(word.text, &known, "variant");
        sink.error(word.span, "unknown-variant", message, help);
        return None;
    };
    match &value.kind {
        Kind::Record(_, fields) => Some(Reader::over(record, value.span, fields, sink)),
        Kind::Tuple(_, items) if items.len() == 1 => Reader::open(record, &items[0], sink),
        Kind::Tuple(_, items) if !items.is_empty() => {
            let message = format!("`{}` takes fields, not a list of values", record.name);
            sink.error(value.span, "wrong-type", message, fields_of(record));
            None
        }
        _ => Some(Reader::over(record, value.span, &[], sink)),
    }
}

fn fields_of(record: &Record) -> String {
    let names: Vec<&str> = record.fields.iter().map(|field| field.name).collect();
    format!("its fields are {}", names.join(", "))
}

fn variants_of(union: &Union) -> String {
    let names: Vec<String> = union
        .variants
        .iter()
        .map(|v| format!("{}(...)", v.name))
        .collect();
    format!("write one of {}", names.join(", "))
}
