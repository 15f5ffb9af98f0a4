//! Answers, as people and as programs read them. Points are told in the frame of the file.

use std::io::{self, Write};

use comfy_table::{CellAlignment, Table};
use drystone::Shape;
use drystone::geometry::feature::FeatureKind;
use drystone::geometry::{Feature, Frame, Manifold, Separation};
use drystone::glam::DVec3;
use drystone::narrow_phase::Rung;
use drystone_scene::pair::{PairQuery, PairQuestion};
use serde_json::{Value, json};

use super::ask::{Answered, Found};
use super::swept;

/// A number with all its digits; very small and very large ones with an exponent.
pub(super) fn digits(value: f64) -> String {
    // Zero has no sign to a reader.
    let text = format!("{:?}", value + 0.0);
    text.strip_suffix(".0").unwrap_or(&text).to_owned()
}

/// A number in few digits.
pub(super) fn short(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 {
        "0".to_owned()
    } else if (0.001..1_000_000.0).contains(&size) {
        let text = format!("{value:.6}");
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        format!("{value:.3e}")
    }
}

/// A vector with all its digits.
pub(super) fn shown(v: DVec3) -> String {
    format!("({}, {}, {})", digits(v.x), digits(v.y), digits(v.z))
}

/// A feature as its shape's file would number it.
pub(super) fn feature(feature: Feature) -> String {
    let kind = match feature.kind() {
        FeatureKind::Vertex => "corner",
        FeatureKind::Edge => "edge",
        FeatureKind::Face => "face",
    };
    format!("{kind} {}", feature.index())
}

/// What a shape is, in words.
pub(super) fn shape(shape: &Shape) -> String {
    match shape {
        Shape::Hull(hull) => format!(
            "a hull of {} corners and {} faces",
            hull.vertices().len(),
            hull.faces().len()
        ),
        other => format!("a {}", other.kind_name()),
    }
}

/// The rung in words.
pub(super) fn rung(rung: Rung) -> &'static str {
    match rung {
        Rung::Skip => "the gap of an earlier frame, which outlasts the motion",
        Rung::Recycle => "the last frame's points, measured again",
        Rung::Walk => "a walk over features",
        Rung::Hold => "a slide over facets of the Minkowski difference",
        Rung::ClosedForm => "a closed form",
        Rung::Gjk => "GJK",
        Rung::Epa => "GJK and EPA",
    }
}

fn rung_word(rung: Rung) -> &'static str {
    match rung {
        Rung::Skip => "skip",
        Rung::Recycle => "recycle",
        Rung::Walk => "walk",
        Rung::Hold => "hold",
        Rung::ClosedForm => "closed form",
        Rung::Gjk => "gjk",
        Rung::Epa => "epa",
    }
}

/// What was done, in words.
fn work(answered: &Answered) -> String {
    let counters = &answered.counters;
    let mut parts = Vec::new();
    for (count, one, many) in [
        (counters.walk_steps, "feature pair", "feature pairs"),
        (counters.gjk_iterations, "GJK support", "GJK supports"),
        (counters.epa_expansions, "EPA point", "EPA points"),
        (
            counters.enumerated,
            "exhaustive search",
            "exhaustive searches",
        ),
    ] {
        match count {
            0 => {}
            1 => parts.push(format!("1 {one}")),
            _ => parts.push(format!("{count} {many}")),
        }
    }
    parts.join(", ")
}

/// The answer in the frame of the file.
fn placed(answered: &Answered) -> Separation {
    let (frame, separation) = (&answered.poses[0], &answered.separation);
    Separation {
        point_a: frame.transform_point(separation.point_a),
        point_b: frame.transform_point(separation.point_b),
        normal: frame.rotate(separation.normal),
        ..*separation
    }
}

/// What the file is about, on one line.
pub(super) fn about(query: &PairQuery) -> String {
    let words: Vec<&str> = query.about.split_whitespace().collect();
    words.join(" ")
}

/// What the file is about, and both shapes.
pub(super) fn head(output: &mut dyn Write, query: &PairQuery) -> io::Result<()> {
    let about = about(query);
    if !about.is_empty() {
        writeln!(output, "{about}\n")?;
    }
    writeln!(output, "a is {}", shape(&query.a.shape))?;
    writeln!(output, "b is {}\n", shape(&query.b.shape))
}

fn line(output: &mut dyn Write, label: &str, text: &str) -> io::Result<()> {
    writeln!(output, "  {label:<13}{text}")
}

/// One answer as labelled lines.
pub(super) fn one(
    output: &mut dyn Write,
    query: &PairQuery,
    answered: &Answered,
) -> io::Result<()> {
    if query.motion.frames > 1 {
        writeln!(output, "frame {}", answered.frame)?;
    }
    match &answered.found {
        Found::Ray(hits) => swept::ray(output, hits)?,
        Found::Cast(toi) => {
            swept::cast(output, toi)?;
            separation(output, answered)?;
        }
        Found::Distance => separation(output, answered)?,
        Found::Contact(manifold) => {
            separation(output, answered)?;
            contact(output, &answered.poses[0], manifold)?;
        }
    }
    writeln!(output)
}

/// The distance and what proves it.
fn separation(output: &mut dyn Write, answered: &Answered) -> io::Result<()> {
    let answer = placed(answered);
    let what = if answer.distance() < 0.0 {
        "overlap"
    } else {
        "distance"
    };
    let size = format!("{} m", digits(answer.distance().abs()));
    line(output, what, &size)?;
    let (lower, upper) = (digits(answer.lower), digits(answer.upper));
    let width = short(answer.upper - answer.lower);
    let bounds = format!("between {lower} m and {upper} m, {width} m wide");
    line(output, "certified", &bounds)?;
    let on = |point, id| format!("{} on {}", shown(point), feature(id));
    line(output, "on a", &on(answer.point_a, answer.feature_a))?;
    line(output, "on b", &on(answer.point_b, answer.feature_b))?;
    line(output, "normal", &shown(answer.normal))?;
    let work = work(answered);
    let after = if work.is_empty() {
        String::new()
    } else {
        format!(": {work}")
    };
    line(
        output,
        "found by",
        &format!("{}{after}", rung(answered.rung)),
    )
}

fn contact(output: &mut dyn Write, frame_of_a: &Frame, contact: &Manifold) -> io::Result<()> {
    let normal = frame_of_a.rotate(contact.normal.as_dvec3());
    let along = match contact.points().len() {
        0 => "no points".to_owned(),
        1 => format!("1 point along {}", shown(normal)),
        more => format!("{more} points along {}", shown(normal)),
    };
    line(output, "contact", &along)?;
    for point in contact.points() {
        let place = frame_of_a.transform_point(point.anchor_a.as_dvec3());
        let separation = short(f64::from(point.separation));
        line(output, "", &format!("{separation} m at {}", shown(place)))?;
    }
    Ok(())
}

/// The answers of a motion, a line each.
pub(super) fn table(
    output: &mut dyn Write,
    query: &PairQuery,
    answers: impl Iterator<Item = Answered>,
) -> io::Result<()> {
    let mut table = Table::new();
    table.load_style(comfy_table::presets::NOTHING);
    // What the fifth of the figures is depends on what is asked.
    let asked = match query.ask {
        PairQuestion::Ray { .. } => "ray",
        PairQuestion::Cast { .. } | PairQuestion::Motion { .. } => "cast",
        PairQuestion::Distance | PairQuestion::Contact { .. } => "points",
    };
    table.set_header([
        "frame",
        "distance [m]",
        "width [m]",
        "on a",
        "on b",
        asked,
        "found by",
        "work",
    ]);
    for answered in answers {
        let answer = placed(&answered);
        let found = match &answered.found {
            Found::Distance => String::new(),
            Found::Contact(contact) => contact.points().len().to_string(),
            Found::Ray(hits) => swept::ray_in_short(hits),
            Found::Cast(toi) => swept::cast_in_short(toi),
        };
        table.add_row([
            answered.frame.to_string(),
            short(answer.distance()),
            short(answer.upper - answer.lower),
            feature(answer.feature_a),
            feature(answer.feature_b),
            found,
            rung_word(answered.rung).to_owned(),
            work(&answered),
        ]);
    }
    for column in [0, 1, 2, 5] {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    for line in table.lines() {
        writeln!(output, "{}", line.trim_end())?;
    }
    Ok(())
}

/// An answer as one JSON object.
pub(super) fn json(answered: &Answered) -> Value {
    let answer = placed(answered);
    let mut told = json!({
        "frame": answered.frame,
        "distance": answer.distance(),
        "lower": answer.lower,
        "upper": answer.upper,
        "point_a": answer.point_a,
        "point_b": answer.point_b,
        "normal": answer.normal,
        "feature_a": feature(answer.feature_a),
        "feature_b": feature(answer.feature_b),
        "found_by": rung_word(answered.rung),
        "counters": answered.counters,
    });
    match &answered.found {
        Found::Distance => {}
        Found::Contact(contact) => {
            let frame_of_a = &answered.poses[0];
            let points = contact.points().iter().map(|point| {
                json!({
                    "at": frame_of_a.transform_point(point.anchor_a.as_dvec3()),
                    "separation": point.separation,
                    "feature": point.feature,
                })
            });
            told["contact"] = json!({
                "normal": frame_of_a.rotate(contact.normal.as_dvec3()),
                "points": points.collect::<Vec<_>>(),
            });
        }
        Found::Ray(hits) => told["ray"] = swept::ray_json(hits),
        Found::Cast(toi) => told["cast"] = swept::cast_json(toi),
    }
    told
}
