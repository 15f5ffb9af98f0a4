//! The table as text, for `drystone schema`.

use std::fmt::Write;

use super::{Default, Field, Record, Type, Union, pair_tables, planar_tables, tables};

/// Records and unions, the outermost first.
type Tables = (Vec<&'static Record>, Vec<&'static Union>);

/// The whole table of a scene file as text, the outermost record first.
pub fn render() -> String {
    let head = "A scene file is RON with `implicit_some` and `unwrap_variant_newtypes`.\n\
         SI units: m, kg, s, rad; right-handed, y up. Vectors are `(x, y, z)` or `[x, y, z]`.\n";
    render_tables(head, &tables())
}

/// The whole table of a file of planar questions as text, the outermost record first.
pub fn render_planar() -> String {
    let head = "A file of planar questions is RON with `implicit_some` and \
         `unwrap_variant_newtypes`.\n\
         SI units: m, s, rad; x right, y up, angles counter-clockwise. Vectors are `(x, y)` or \
         `[x, y]`.\n";
    render_tables(head, &planar_tables())
}

/// The whole table of a file about a pair of shapes as text, the outermost record first.
pub fn render_pair() -> String {
    let head = "A file about a pair of shapes is RON with `implicit_some` and \
         `unwrap_variant_newtypes`.\n\
         SI units: m, rad; right-handed, y up. Vectors are `(x, y, z)` or `[x, y, z]`.\n";
    render_tables(head, &pair_tables())
}

fn render_tables(head: &str, (records, unions): &Tables) -> String {
    let mut text = head.to_owned();
    let mut shown: Vec<&str> = Vec::new();
    for record in records {
        let owner = unions.iter().find(|union| is_variant(union, record));
        match owner {
            Some(union) if shown.contains(&union.name) => {}
            Some(union) => {
                shown.push(union.name);
                render_union(&mut text, union);
            }
            None => render_record(&mut text, record, ""),
        }
    }
    text
}

/// The part of a table that is called `name`, of a scene file's before those of planar
/// questions and of pairs, which as a whole are called `planar` and `pair`; `None` when there
/// is none.
pub fn render_one(name: &str) -> Option<String> {
    if name.eq_ignore_ascii_case("planar") {
        return Some(render_planar());
    }
    if name.eq_ignore_ascii_case("pair") {
        return Some(render_pair());
    }
    part_of(&tables(), name)
        .or_else(|| part_of(&planar_tables(), name))
        .or_else(|| part_of(&pair_tables(), name))
}

fn part_of((records, unions): &Tables, name: &str) -> Option<String> {
    let mut text = String::new();
    if let Some(union) = unions
        .iter()
        .find(|union| union.name.eq_ignore_ascii_case(name))
    {
        render_union(&mut text, union);
    } else {
        let mut found = records
            .iter()
            .filter(|record| record.name.eq_ignore_ascii_case(name));
        render_record(&mut text, found.next()?, "");
        found.for_each(|record| render_record(&mut text, record, ""));
    }
    Some(text)
}

fn is_variant(union: &Union, record: &Record) -> bool {
    union
        .variants
        .iter()
        .any(|variant| std::ptr::eq(*variant, record))
}

fn render_union(text: &mut String, union: &Union) {
    let _ = writeln!(text, "\n{}: one of", union.name);
    wrap(text, "  ", union.doc);
    for variant in union.variants {
        render_record(text, variant, "  ");
    }
}

fn render_record(text: &mut String, record: &Record, indent: &str) {
    let _ = writeln!(text, "\n{indent}{}(...)", record.name);
    wrap(text, &format!("{indent}  "), record.doc);
    for field in record.fields {
        let _ = write!(text, "{indent}  {}: {}", field.name, describe(&field.kind));
        let _ = writeln!(text, "; {}", default_of(field));
        wrap(text, &format!("{indent}      "), field.doc);
    }
}

fn wrap(text: &mut String, indent: &str, doc: &str) {
    let mut width = 0;
    for word in doc.split_whitespace() {
        if width > 0 && indent.len() + width + word.len() > 92 {
            text.push('\n');
            width = 0;
        }
        text.push_str(if width == 0 { indent } else { " " });
        text.push_str(word);
        width += word.len() + 1;
    }
    text.push('\n');
}

fn default_of(field: &Field) -> String {
    match field.default {
        Default::Required => "required".to_owned(),
        Default::Absent(text) => format!("default: {text}"),
        Default::Number(number) => format!("default: {number}"),
        Default::Flag(flag) => format!("default: {flag}"),
        Default::Vector([x, y, z]) => format!("default: ({x}, {y}, {z})"),
        Default::Word("") => "default: empty".to_owned(),
        Default::Word(word) => format!("default: {word}"),
    }
}

/// What may stand in a field, in words.
pub(crate) fn describe(kind: &Type) -> String {
    match kind {
        Type::Flag => "true or false".to_owned(),
        Type::Whole(min, max) if min == max => format!("{min}"),
        Type::Whole(min, max) => format!("whole number from {min} to {max}"),
        Type::Signed(min, max) => format!("whole number from {min} to {max}"),
        Type::Number(range) => format!("number, {range}"),
        Type::Pair(range) => format!("two numbers `(a, b)`, each {range}"),
        Type::Vector(range) => format!("three numbers `(x, y, z)`, each {range}"),
        Type::Direction => "direction `(x, y, z)`, not zero".to_owned(),
        Type::Counts(min, max) => format!("three whole numbers `(x, y, z)`, each {min} to {max}"),
        Type::Flags => "three flags `(x, y, z)`".to_owned(),
        Type::Rotation => "quaternion `(x, y, z, w)` or Rotation".to_owned(),
        Type::Angle(range) => format!("radians or `Degrees(...)`, {range} rad"),
        Type::Text => "text".to_owned(),
        Type::Name(what) => format!("name of a {what}"),
        Type::Bodies => "name of a body or pattern, or \"all\"".to_owned(),
        Type::Choice(words) => words.join(" | "),
        Type::Record(record) => record.name.to_owned(),
        Type::Union(union) => union.name.to_owned(),
        Type::NameOr(inner) => format!("name, or {}", describe(inner)),
        Type::List(inner) => format!("list of {}", describe(inner)),
        Type::Map(inner) => format!("map of name to {}", describe(inner)),
    }
}
