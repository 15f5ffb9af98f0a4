//! Planar questions.

use drystone_planar::glam::DVec2;
use drystone_planar::{Polygon, Pose2, QueryOptions, Shape2, ShapeError2};

use super::scene::open_file;
use super::values::{self, Place};
use super::{Name, Reader, open_variant, suggest};
use crate::diagnostic::{Sink, Span};
use crate::planar::{PlanarBody, PlanarQuery, Question};
use crate::schema::{PLANAR_BODY, PLANAR_QUERY, PLANAR_SHAPE, QUESTION, Range};
use crate::syntax::Value;

/// Reads a file of planar questions; `None` when there is a mistake, which is in `sink`.
pub(crate) fn planar_query(file: &Value<'_>, sink: &Sink) -> Option<PlanarQuery> {
    let reader = open_file(&PLANAR_QUERY, file, sink)?;
    reader.whole("format");
    let about = reader.text("about").map(|name| name.text);
    let mut names: Vec<String> = Vec::new();
    let mut shapes = Vec::new();
    for (name, value) in reader.entries("shapes") {
        if names.contains(&name.text) {
            let message = format!("there is already a shape called `{}`", name.text);
            sink.error(name.span, "duplicate-name", message, "names must differ");
        }
        shapes.extend(body(&name, value, sink));
        names.push(name.text);
    }
    let questions = reader
        .items("ask")
        .iter()
        .filter_map(|value| question(value, &names, sink))
        .collect();
    let options = QueryOptions {
        tolerance: reader.number("tolerance"),
        max_iterations: reader.whole("max_iterations") as u32,
    };
    reader.finish();
    sink.is_empty().then(|| PlanarQuery {
        about: about.unwrap_or_default(),
        shapes,
        questions,
        options,
    })
}

fn body(name: &Name, value: &Value<'_>, sink: &Sink) -> Option<PlanarBody> {
    let reader = Reader::open(&PLANAR_BODY, value, sink)?;
    let core = reader.value("shape").and_then(|value| shape(value, sink));
    let rounding = reader.number("rounding");
    let position = reader.pair("position").unwrap_or_default();
    let pose = Pose2::new(DVec2::from_array(position), reader.wide_angle("angle"));
    reader.finish();
    let shape = settle(core?.rounded(rounding), &reader, "rounding")?;
    Some(PlanarBody {
        name: name.text.clone(),
        shape,
        pose,
    })
}

/// The shape, or its error reported at the field `at`.
fn settle<E: Into<ShapeError2>>(
    shape: Result<Shape2, E>,
    reader: &Reader<'_, '_>,
    at: &str,
) -> Option<Shape2> {
    match shape {
        Ok(shape) => Some(shape),
        Err(error) => {
            let span = reader.place_of(at);
            reader.sink.refusal(span, "bad-shape", &error.into());
            None
        }
    }
}

fn shape(value: &Value<'_>, sink: &Sink) -> Option<Shape2> {
    let reader = open_variant(&PLANAR_SHAPE, value, sink)?;
    let before = sink.count();
    let pair = |name: &str| reader.pair(name).map(DVec2::from_array);
    let center = || pair("center").unwrap_or_default();
    let (shape, at) = match reader.variant_name() {
        "Point" => (Shape2::point(pair("at").unwrap_or_default()), "at"),
        "Segment" => {
            let (from, to) = (pair("from"), pair("to"));
            reader.finish();
            (Shape2::segment(from?, to?), "to")
        }
        "Rectangle" => {
            let half_extents = pair("half_extents");
            reader.finish();
            (Shape2::rectangle(half_extents?), "half_extents")
        }
        "Circle" => (Shape2::circle(center(), reader.number("radius")), "radius"),
        "Ellipse" => {
            let (half_axes, angle) = (pair("half_axes"), reader.wide_angle("angle"));
            let center = center();
            reader.finish();
            (Shape2::ellipse(center, half_axes?, angle), "half_axes")
        }
        _ => return polygon(&reader),
    };
    reader.finish();
    let shape = settle(shape, &reader, at);
    shape.filter(|_| sink.count() == before)
}

/// One of the three shapes that are points.
fn polygon(reader: &Reader<'_, '_>) -> Option<Shape2> {
    let sink = reader.sink;
    let place = Place {
        label: "points",
        help: "a point is `(x, y)`, in m",
        sink,
    };
    let range = Range::within(drystone_planar::tolerance::MAX_COORDINATE);
    let items = reader.items("points");
    let read: Vec<Option<DVec2>> = items
        .iter()
        .map(|item| {
            let [x, y] = values::numbers::<2>(&place, item, &range, "`(x, y)`")?;
            Some(DVec2::new(x.wide, y.wide))
        })
        .collect();
    reader.finish();
    let points: Vec<DVec2> = read.into_iter().collect::<Option<_>>()?;
    if !reader.has("points") {
        return None;
    }
    let shape = match reader.variant_name() {
        "Polygon" => Shape2::polygon(&points),
        "Outline" => Polygon::from_outline(&points)
            .map(Shape2::from)
            .map_err(ShapeError2::from),
        _ => Shape2::points(points),
    };
    match shape {
        Ok(shape) => Some(shape),
        Err(ShapeError2::Points(error)) if error.index().is_some() => {
            let index = error.index().unwrap_or_default();
            let span = items.get(index).map_or(reader.span, |item| item.span);
            let help = "points are counted from 0; `Polygon` takes the convex hull of any points";
            sink.error(span, "not-convex", error.to_string(), help);
            None
        }
        Err(error) => settle::<ShapeError2>(Err(error), reader, "points"),
    }
}

fn question(value: &Value<'_>, names: &[String], sink: &Sink) -> Option<Question> {
    let reader = open_variant(&QUESTION, value, sink)?;
    let kind = reader.variant_name();
    if kind == "Contains" {
        let (shape, point) = (named(&reader, "shape", 0, names), reader.pair("point"));
        reader.finish();
        let (shape, point) = (shape?, DVec2::from_array(point?));
        return Some(Question::Contains { shape, point });
    }
    let (a, b) = (named(&reader, "a", 0, names), named(&reader, "b", 1, names));
    let motion = (kind == "TimeOfImpact").then(|| {
        let velocity = reader.pair("velocity").map(DVec2::from_array);
        (velocity, reader.number("within"))
    });
    reader.finish();
    let (a, b) = (a?, b?);
    Some(match (kind, motion) {
        (_, Some((velocity, within))) => Question::TimeOfImpact {
            a,
            b,
            velocity: velocity?,
            within,
        },
        ("Distance", None) => Question::Distance { a, b },
        ("Intersects", None) => Question::Intersects { a, b },
        _ => Question::Penetration { a, b },
    })
}

/// The shape a field names, or number `fallback` when it names none.
fn named(reader: &Reader<'_, '_>, field: &str, fallback: usize, names: &[String]) -> Option<usize> {
    let sink = reader.sink;
    let before = sink.count();
    let Some(name) = reader.text(field) else {
        if fallback >= names.len() && sink.count() == before {
            let span = Span {
                end: (reader.span.start + reader.variant_name().len() as u32).min(reader.span.end),
                ..reader.span
            };
            let message = format!("`{field}` means shape number {}", fallback + 1);
            let help = format!(
                "the file has {} of them; add one, or name `{field}`",
                names.len()
            );
            sink.error(span, "unknown-name", message, help);
        }
        return (fallback < names.len()).then_some(fallback);
    };
    let found = names.iter().position(|known| *known == name.text);
    if found.is_none() {
        let message = format!("there is no shape called `{}`", name.text);
        let known: Vec<&str> = names.iter().map(String::as_str).collect();
        let help = suggest(&name.text, &known, "shape");
        sink.error(name.span, "unknown-name", message, help);
    }
    found
}
