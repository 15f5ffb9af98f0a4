//! Single values: numbers in their range, vectors, directions, rotations, texts.

use drystone::geometry::glam::{DVec3, Quat, Vec3};
use drystone::geometry::rotation;

use super::{Name, Reader, open_variant, suggest};
use crate::diagnostic::Sink;
use crate::schema::{ROTATION, Range};
use crate::syntax::{Kind, Number, Value};
use crate::tolerance::{MAX_DEGREES, MAX_MEASURED, MIN_DIRECTION_LENGTH, UNIT_LENGTH_SLACK};

/// What a message says about the field it concerns.
pub(crate) struct Place<'s> {
    pub(crate) label: &'s str,
    pub(crate) help: &'s str,
    pub(crate) sink: &'s Sink,
}

impl Place<'_> {
    fn wrong_type(&self, value: &Value<'_>, expected: &str) {
        if matches!(value.kind, Kind::Broken) {
            return;
        }
        let message = format!(
            "`{}` must be {expected}, found {}",
            self.label,
            value.describe()
        );
        self.sink
            .error(value.span, "wrong-type", message, self.help);
    }

    fn out_of_range(&self, value: &Value<'_>, rule: &str) {
        let message = format!(
            "`{}` must be {rule}, found {}",
            self.label,
            value.describe()
        );
        self.sink
            .error(value.span, "out-of-range", message, self.help);
    }
}

pub(crate) fn flag(place: &Place<'_>, value: &Value<'_>) -> Option<bool> {
    match value.kind {
        Kind::Flag(flag) => Some(flag),
        _ => {
            place.wrong_type(value, "true or false");
            None
        }
    }
}

pub(crate) fn whole(place: &Place<'_>, value: &Value<'_>, min: i128, max: i128) -> Option<i128> {
    let Kind::Number(number) = value.kind else {
        place.wrong_type(value, "a whole number");
        return None;
    };
    // `3.0` is as whole as `3`.
    let rounded = || (number.wide.trunc() == number.wide).then_some(number.wide as i128);
    match number.whole.or_else(rounded) {
        Some(whole) if (min..=max).contains(&whole) => Some(whole),
        Some(_) if min == max => {
            place.out_of_range(value, &format!("{min}"));
            None
        }
        _ => {
            place.out_of_range(value, &format!("a whole number from {min} to {max}"));
            None
        }
    }
}

pub(crate) fn number(place: &Place<'_>, value: &Value<'_>, range: &Range) -> Option<Number> {
    let Kind::Number(number) = value.kind else {
        place.wrong_type(value, "a number");
        return None;
    };
    if !number.wide.is_finite() {
        place.out_of_range(value, "a finite number");
        return None;
    }
    if !range.holds(number.wide) {
        place.out_of_range(value, &range.to_string());
        return None;
    }
    Some(number)
}

/// A number that is kept in single precision.
pub(crate) fn narrow(place: &Place<'_>, value: &Value<'_>, range: &Range) -> Option<f32> {
    let number = number(place, value, range)?;
    let vanishes = number.narrow == 0.0 && number.wide != 0.0 && range.above;
    if vanishes || !number.narrow.is_finite() {
        place.out_of_range(value, "a number that single precision can hold");
        return None;
    }
    Some(number.narrow)
}

/// Radians, or `Degrees(...)`, kept in single precision.
pub(crate) fn angle(place: &Place<'_>, value: &Value<'_>, range: &Range) -> Option<f32> {
    match &value.kind {
        Kind::Number(_) => narrow(place, value, range),
        _ => wide_angle(place, value, range).map(|radians| radians as f32),
    }
}

/// Radians, or `Degrees(...)`.
pub(crate) fn wide_angle(place: &Place<'_>, value: &Value<'_>, range: &Range) -> Option<f64> {
    match &value.kind {
        Kind::Tuple(Some(name), items) if name.text == "Degrees" && items.len() == 1 => {
            let degrees = Range::within(MAX_DEGREES);
            let radians = number(place, &items[0], &degrees)?.wide.to_radians();
            if !range.holds(radians) {
                let (min, max) = (range.min.to_degrees(), range.max.to_degrees());
                place.out_of_range(&items[0], &format!("between {min} and {max} degrees"));
                return None;
            }
            Some(radians)
        }
        Kind::Number(_) => Some(number(place, value, range)?.wide),
        _ => {
            place.wrong_type(value, "an angle in radians or `Degrees(...)`");
            None
        }
    }
}

/// The parts of a fixed-size tuple or list.
fn parts<'v, 'a>(
    place: &Place<'_>,
    value: &'v Value<'a>,
    count: usize,
    expected: &str,
) -> Option<&'v [Value<'a>]> {
    match &value.kind {
        Kind::Tuple(None, items) | Kind::List(items) if items.len() == count => Some(items),
        _ => {
            place.wrong_type(value, expected);
            None
        }
    }
}

pub(crate) fn numbers<const N: usize>(
    place: &Place<'_>,
    value: &Value<'_>,
    range: &Range,
    form: &str,
) -> Option<[Number; N]> {
    let items = parts(place, value, N, &format!("{N} numbers {form}"))?;
    // All parts are read, so that each mistake is reported.
    let read: Vec<Option<Number>> = items
        .iter()
        .map(|item| number(place, item, range))
        .collect();
    let numbers: Option<Vec<Number>> = read.into_iter().collect();
    numbers?.try_into().ok()
}

const XYZ: &str = "`(x, y, z)` or `[x, y, z]`";

pub(crate) fn vector(place: &Place<'_>, value: &Value<'_>, range: &Range) -> Option<DVec3> {
    let xyz = numbers::<3>(place, value, range, XYZ)?;
    Some(DVec3::from_array(xyz.map(|number| number.wide)))
}

pub(crate) fn narrow_vector(place: &Place<'_>, value: &Value<'_>, range: &Range) -> Option<Vec3> {
    let items = parts(place, value, 3, &format!("3 numbers {XYZ}"))?;
    let read: Vec<Option<f32>> = items
        .iter()
        .map(|item| narrow(place, item, range))
        .collect();
    let numbers: Option<Vec<f32>> = read.into_iter().collect();
    numbers?.try_into().ok().map(Vec3::from_array)
}

pub(crate) fn direction(place: &Place<'_>, value: &Value<'_>) -> Option<Vec3> {
    let along = vector(place, value, &Range::within(MAX_MEASURED))?;
    let length = along.length();
    if length < MIN_DIRECTION_LENGTH {
        place.out_of_range(value, "a direction, so not zero");
        return None;
    }
    let single = along.as_vec3();
    let is_unit = (f64::from(single.length_squared()) - 1.0).abs() <= UNIT_LENGTH_SLACK;
    Some(if is_unit {
        single
    } else {
        (along / length).as_vec3()
    })
}

pub(crate) fn counts(
    place: &Place<'_>,
    value: &Value<'_>,
    min: i128,
    max: i128,
) -> Option<[usize; 3]> {
    let items = parts(place, value, 3, &format!("3 whole numbers {XYZ}"))?;
    let read: Vec<_> = items
        .iter()
        .map(|item| whole(place, item, min, max))
        .collect();
    let counts: Option<Vec<usize>> = read.into_iter().map(|n| n.map(|n| n as usize)).collect();
    counts?.try_into().ok()
}

pub(crate) fn flags(place: &Place<'_>, value: &Value<'_>) -> Option<[bool; 3]> {
    let items = parts(place, value, 3, "3 flags `(x, y, z)`")?;
    let read: Option<Vec<bool>> = items.iter().map(|item| flag(place, item)).collect();
    read?.try_into().ok()
}

/// A quaternion, scaled to unit length, or a turn.
pub(crate) fn rotation(place: &Place<'_>, value: &Value<'_>) -> Option<Quat> {
    match &value.kind {
        Kind::Record(Some(_), _) | Kind::Word(_) => {
            turn(&open_variant(&ROTATION, value, place.sink)?)
        }
        Kind::Tuple(None, _) | Kind::List(_) => quaternion(place, value),
        _ => {
            place.wrong_type(
                value,
                "a quaternion `(x, y, z, w)`, `Turn(...)` or `Euler(...)`",
            );
            None
        }
    }
}

fn quaternion(place: &Place<'_>, value: &Value<'_>) -> Option<Quat> {
    let form = "`(x, y, z, w)`; or write `Turn(axis: ..., degrees: ...)`";
    let parts = numbers::<4>(place, value, &Range::within(MAX_MEASURED), form)?;
    let length = parts
        .iter()
        .map(|part| part.wide * part.wide)
        .sum::<f64>()
        .sqrt();
    if length < MIN_DIRECTION_LENGTH {
        place.out_of_range(value, "a quaternion that is not zero");
        return None;
    }
    if (length - 1.0).abs() <= UNIT_LENGTH_SLACK {
        return Some(Quat::from_array(parts.map(|part| part.narrow)));
    }
    Some(Quat::from_array(
        parts.map(|part| (part.wide / length) as f32),
    ))
}

fn turn(reader: &Reader<'_, '_>) -> Option<Quat> {
    let turned = if reader.variant_name() == "Turn" {
        about(reader.direction("axis"), reader.number("degrees"))
    } else {
        let degrees = reader.vector("degrees");
        let x = about(Vec3::X, degrees.x);
        let y = about(Vec3::Y, degrees.y);
        let z = about(Vec3::Z, degrees.z);
        rotation::multiply(z, rotation::multiply(y, x))
    };
    reader.finish();
    Some(turned)
}

/// A turn about a unit axis, its angle halved in f64.
pub(crate) fn about(axis: Vec3, degrees: f64) -> Quat {
    let (sin, cos) = libm::sincos(0.5 * degrees.to_radians());
    let part = |along: f32| (f64::from(along) * sin) as f32;
    Quat::from_xyzw(part(axis.x), part(axis.y), part(axis.z), cos as f32)
}

pub(crate) fn text(place: &Place<'_>, value: &Value<'_>) -> Option<Name> {
    match &value.kind {
        Kind::Text(text) => Some(Name {
            text: text.clone().into_owned(),
            span: value.span,
        }),
        Kind::Word(word) => {
            let message = format!("`{}` must be a text in quotes", place.label);
            let help = format!("write \"{word}\"");
            place.sink.error(value.span, "wrong-type", message, help);
            None
        }
        _ => {
            place.wrong_type(value, "a text in quotes");
            None
        }
    }
}

pub(crate) fn choice(
    place: &Place<'_>,
    value: &Value<'_>,
    words: &'static [&'static str],
) -> Option<&'static str> {
    let given: &str = match &value.kind {
        Kind::Word(word) => word,
        // `kind: "Static"` says the same and is a common slip.
        Kind::Text(text) if words.contains(&text.as_ref()) => text.as_ref(),
        _ => {
            place.wrong_type(value, &format!("one of {}", words.join(", ")));
            return None;
        }
    };
    let found = words.iter().find(|word| **word == given).copied();
    if found.is_none() {
        let message = format!("`{}` cannot be `{given}`", place.label);
        let help = suggest(given, words, "choice");
        place
            .sink
            .error(value.span, "unknown-variant", message, help);
    }
    found
}

pub(crate) fn items<'v, 'a>(place: &Place<'_>, value: &'v Value<'a>) -> Option<&'v [Value<'a>]> {
    match &value.kind {
        Kind::List(items) => Some(items),
        _ => {
            place.wrong_type(value, "a list `[ ... ]`");
            None
        }
    }
}

pub(crate) fn entries<'v, 'a>(
    place: &Place<'_>,
    value: &'v Value<'a>,
) -> Option<Vec<(Name, &'v Value<'a>)>> {
    let Kind::Map(entries) = &value.kind else {
        place.wrong_type(value, "a map `{ \"name\": ... }`");
        return None;
    };
    let named = entries
        .iter()
        .filter_map(|(key, value)| Some((text(place, key)?, value)));
    Some(named.collect())
}
