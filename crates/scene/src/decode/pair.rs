//! One pair of shapes.

use drystone::Shape;
use drystone::geometry::glam::Quat;
use drystone::geometry::rotation;

use super::scene::open_file;
use super::shapes::shape;
use super::{Beside, Reader};
use crate::diagnostic::Sink;
use crate::pair::{PairBody, PairMotion, PairPath, PairQuery, PairQuestion, unit};
use crate::schema::PAIR_QUERY;
use crate::syntax::Value;

/// Reads a file about a pair; `None` when there is a mistake, which is in `sink`.
pub(crate) fn pair_query(file: &Value<'_>, beside: &Beside<'_>, sink: &Sink) -> Option<PairQuery> {
    let reader = open_file(&PAIR_QUERY, file, sink)?;
    reader.whole("format");
    let about = reader.text("about").map(|name| name.text);
    let a = reader.record("a").and_then(|inner| body(&inner, beside));
    let b = reader.record("b").and_then(|inner| body(&inner, beside));
    let is_half_space = |body: &Option<PairBody>| matches!(body, Some(body) if matches!(body.shape, Shape::HalfSpace { .. }));
    if is_half_space(&a) && is_half_space(&b) {
        let message = "two half-spaces have no end, so their distance is none";
        let help = "make one of them a `Box`, or another finite shape";
        sink.error(reader.place_of("b"), "conflict", message, help);
    }
    let ask = match reader.value("ask") {
        Some(_) => reader.variant("ask").map(|inner| question(&inner)),
        None => Some(PairQuestion::Distance),
    };
    let motion = reader.record("motion").map_or(PairMotion::NONE, |inner| {
        let motion = PairMotion {
            frames: inner.whole("frames"),
            shift: inner.vector("move"),
            turn: unit(rotation::to_double(inner.rotation("turn"))),
        };
        inner.finish();
        motion
    });
    reader.finish();
    Some(PairQuery {
        about: about.unwrap_or_default(),
        a: a?,
        b: b?,
        ask: ask?,
        motion,
    })
}

fn question(reader: &Reader<'_, '_>) -> PairQuestion {
    let question = match reader.variant_name() {
        "Contact" => PairQuestion::Contact {
            margin: reader.f32("margin"),
        },
        "Ray" => ray(reader),
        "Cast" => PairQuestion::Cast {
            shift: reader.vector("move"),
            target: reader.number("target"),
        },
        "Motion" => PairQuestion::Motion {
            a: path(reader.record("a")),
            b: path(reader.record("b")),
            target: reader.number("target"),
        },
        _ => PairQuestion::Distance,
    };
    reader.finish();
    question
}

fn ray(reader: &Reader<'_, '_>) -> PairQuestion {
    let (from, to) = (reader.vector("from"), reader.vector("to"));
    if reader.has("from") && reader.has("to") && from == to {
        let message = "the ray ends where it starts";
        let help = "give it a length: two different points";
        let place = reader.place_of("to");
        reader.sink.error(place, "conflict", message, help);
    }
    PairQuestion::Ray { from, to }
}

fn path(reader: Option<Reader<'_, '_>>) -> PairPath {
    reader.map_or(PairPath::REST, |inner| {
        let path = PairPath {
            shift: inner.vector("move"),
            spin: inner.vector("spin"),
            about: inner.vector("about"),
        };
        inner.finish();
        path
    })
}

fn body(reader: &Reader<'_, '_>, beside: &Beside<'_>) -> Option<PairBody> {
    let sink = reader.sink;
    let shape = reader
        .value("shape")
        .and_then(|value| shape(value, beside, sink));
    let position = reader.vector("position");
    let given: Quat = reader.rotation("rotation");
    reader.finish();
    let shape = shape?;
    if shape.surface().is_some() {
        let message = "a surface of triangles is not convex";
        let help = "ask about one of its triangles, or about the hull of its points";
        sink.error(reader.place_of("shape"), "bad-shape", message, help);
        return None;
    }
    Some(PairBody {
        shape,
        position,
        rotation: unit(rotation::to_double(given)),
    })
}
