//! What rays and casts found, as people and as programs read it.

use std::io::{self, Write};

use drystone::narrow_phase::{CastEnd, RayHit, Toi};
use serde_json::{Value, json};

use super::told::{digits, feature, short, shown};

/// Of both hits the one the ray meets first, and whose it is.
fn first(hits: &[Option<RayHit>; 2]) -> Option<(&'static str, &RayHit)> {
    match (&hits[0], &hits[1]) {
        (Some(a), Some(b)) if b.fraction < a.fraction => Some(("b", b)),
        (Some(a), _) => Some(("a", a)),
        (None, Some(b)) => Some(("b", b)),
        (None, None) => None,
    }
}

/// Where a ray enters, as labelled lines.
pub(super) fn ray(output: &mut dyn Write, hits: &[Option<RayHit>; 2]) -> io::Result<()> {
    let meets = match first(hits) {
        None => "nothing".to_owned(),
        Some((name, hit)) => format!("{name} at {} of its way", digits(hit.fraction)),
    };
    writeln!(output, "  {:<13}{meets}", "ray meets")?;
    for (name, hit) in ["a", "b"].into_iter().zip(hits) {
        let Some(hit) = hit else {
            writeln!(output, "  {:<13}missed", format!("on {name}"))?;
            continue;
        };
        let how = if hit.is_inside {
            "starts inside, at"
        } else {
            "enters at"
        };
        writeln!(
            output,
            "  {:<13}{how} {} of its way: {} on {}, normal {}",
            format!("on {name}"),
            digits(hit.fraction),
            shown(hit.point),
            feature(hit.feature),
            shown(hit.normal)
        )?;
    }
    Ok(())
}

/// The same in a word or two.
pub(super) fn ray_in_short(hits: &[Option<RayHit>; 2]) -> String {
    first(hits).map_or_else(
        || "missed".to_owned(),
        |(name, hit)| format!("{name} at {}", short(hit.fraction)),
    )
}

/// The same as JSON.
pub(super) fn ray_json(hits: &[Option<RayHit>; 2]) -> Value {
    let [a, b] = hits.each_ref().map(|hit| {
        hit.as_ref().map(|hit| {
            json!({
                "fraction": hit.fraction,
                "point": hit.point,
                "normal": hit.normal,
                "feature": feature(hit.feature),
                "is_inside": hit.is_inside,
            })
        })
    });
    json!({ "first": first(hits).map(|(name, _)| name), "a": a, "b": b })
}

/// How a cast ended, in words.
pub(super) fn end(end: CastEnd) -> &'static str {
    match end {
        CastEnd::Hit => "they touch",
        CastEnd::StartsInContact => "they touch at the start already",
        CastEnd::Missed => "they never touch",
        CastEnd::OutOfSteps => "free until then, not known after",
    }
}

/// When both touch, as labelled lines; how they stand then follows.
pub(super) fn cast(output: &mut dyn Write, toi: &Toi) -> io::Result<()> {
    let count = match toi.steps {
        1 => "1 distance".to_owned(),
        more => format!("{more} distances"),
    };
    writeln!(
        output,
        "  {:<13}at time {}: {}, after {count}",
        "cast",
        digits(toi.time),
        end(toi.end)
    )?;
    writeln!(
        output,
        "  {:<13}{} m per unit of time, turns not counted",
        "approach",
        digits(toi.approach)
    )
}

/// The same in a word or two.
pub(super) fn cast_in_short(toi: &Toi) -> String {
    match toi.end {
        CastEnd::Hit => format!("at {}", short(toi.time)),
        CastEnd::StartsInContact => "at the start".to_owned(),
        CastEnd::Missed => "missed".to_owned(),
        CastEnd::OutOfSteps => format!("free to {}", short(toi.time)),
    }
}

/// The same as JSON.
pub(super) fn cast_json(toi: &Toi) -> Value {
    let end = match toi.end {
        CastEnd::Hit => "hit",
        CastEnd::StartsInContact => "starts in contact",
        CastEnd::Missed => "missed",
        CastEnd::OutOfSteps => "out of steps",
    };
    json!({ "end": end, "time": toi.time, "approach": toi.approach, "steps": toi.steps })
}
