//! The trace of an answer in words: one sentence per step, what it looks at and why.

use std::io::{self, Write};

use drystone::narrow_phase::{
    AdvanceStep, CastEnd, ClosedForm, DepthProof, EpaEnd, EpaStart, EpaStep, Event, GjkEnd,
    GjkStep, HoldEnd, Reason, Step,
};
use drystone_scene::pair::PairQuery;

use super::ask::Answered;
use super::swept;
use super::told::{feature, short};

/// Writes the steps of an answer, numbered.
pub(super) fn write(
    output: &mut dyn Write,
    query: &PairQuery,
    answered: &Answered,
) -> io::Result<()> {
    let mut is_flipped = false;
    for (index, event) in answered.events.iter().enumerate() {
        if let Event::Begin {
            is_flipped: flipped,
        } = event
        {
            is_flipped = *flipped;
        }
        writeln!(
            output,
            "  {:>3}  {}",
            index + 1,
            sentence(event, is_flipped)
        )?;
    }
    if query.motion.frames > answered.frame + 1 {
        writeln!(output)?;
    }
    Ok(())
}

/// What an event says. `is_flipped` tells whether the algorithm's A is the file's `b`.
pub(super) fn sentence(event: &Event, is_flipped: bool) -> String {
    match event {
        Event::Begin { is_flipped: false } => {
            "A full answer is sought; the algorithm takes a first.".to_owned()
        }
        Event::Begin { is_flipped: true } => {
            "A full answer is sought; in the canonical order b comes first, so that \
             exchanging the shapes changes nothing."
                .to_owned()
        }
        Event::Skipped => "The gap of an earlier frame outlasts all motion since then: \
             there is no contact, and nothing else is done."
            .to_owned(),
        Event::Recycled => "The pair touched and has hardly moved: the points are kept and \
             only measured again."
            .to_owned(),
        Event::Closed(form) => closed(*form).to_owned(),
        Event::Walk(step) => walk("walk", step, is_flipped),
        Event::Slide(step) => walk("slide", step, is_flipped),
        Event::DepthProof(proof) => depth_proof(*proof).to_owned(),
        Event::Hold(end) => hold(*end).to_owned(),
        Event::GjkStart(vertex) => {
            let [a, b] = ordered(vertex.vertex_a, vertex.vertex_b, is_flipped);
            format!("GJK starts at corner {a} of a and corner {b} of b.")
        }
        Event::Gjk(step) => gjk(step, is_flipped),
        Event::GjkEnd(end) => gjk_end(*end).to_owned(),
        Event::EpaStart(start) => epa_start(*start).to_owned(),
        Event::Epa(step) => epa(step, is_flipped),
        Event::EpaEnd(end) => epa_end(*end).to_owned(),
        Event::Enumerated => "EPA left the depth undecided, so every face and every pair of \
             edges is tried."
            .to_owned(),
        Event::Advance(step) => advance(step),
        other => format!("{other:?}"),
    }
}

fn advance(step: &AdvanceStep) -> String {
    let AdvanceStep {
        time,
        lower,
        closing,
        end,
    } = *step;
    let head = format!(
        "At time {} they are at least {} m apart, which can shrink by {} m per unit of time",
        short(time),
        short(lower),
        short(closing)
    );
    match end {
        None => format!("{head}: until that is used up nothing can touch."),
        Some(CastEnd::Missed) => format!("{head}: that lasts until the end, they never touch."),
        Some(CastEnd::OutOfSteps) => format!("{head}: the cast is out of steps."),
        Some(end) => format!("At time {} {}.", short(time), swept::end(end)),
    }
}

fn ordered<T>(a: T, b: T, is_flipped: bool) -> [T; 2] {
    if is_flipped { [b, a] } else { [a, b] }
}

fn closed(form: ClosedForm) -> &'static str {
    match form {
        ClosedForm::HalfSpace => "The lowest point over the half-space is the answer.",
        ClosedForm::PointsAndSegments => {
            "Points and segments are answered by a closed form, then the radii are taken off."
        }
        ClosedForm::PointAndBox => {
            "A point and a box are answered by a closed form, then the radius is taken off."
        }
        ClosedForm::SeparatingAxes => {
            "All separating axes of boxes and segments are tried: the widest gap is the answer."
        }
        ClosedForm::PointAndCurved => {
            "A point and a curved shape are answered by a closed form, then the radius is taken off."
        }
        ClosedForm::LastFace => {
            "The flat face that carried the contact last time still does: the deepest point lies \
             over it."
        }
        ClosedForm::LastNormal => {
            "The last normal is turned by Newton's method until both bounds of the curved shapes \
             meet."
        }
        _ => "A closed form is the answer.",
    }
}

fn walk(what: &str, step: &Step, is_flipped: bool) -> String {
    let [a, b] = ordered(step.feature_a, step.feature_b, is_flipped);
    let pair = format!("{} of a, {} of b", feature(a), feature(b));
    format!("{what}: {pair}: {}", reason(step.reason))
}

fn reason(reason: Reason) -> &'static str {
    match reason {
        Reason::WalkStart => {
            "the walk starts where the last answer ended, or at the corners \
            farthest along the line of centres."
        }
        Reason::NearerAlongEdge => "an edge at a corner leads nearer to the other feature.",
        Reason::BeyondEnd => "the nearest point of an edge's line lies beyond its end.",
        Reason::OverFace => "the nearest point to an edge lies over a face beside it.",
        Reason::OverFold => {
            "the nearest point lies inside a face that is not quite flat, though beside its plane's column."
        }
        Reason::AlongBorder => "along the border of a wide face another edge is nearer.",
        Reason::BesideFace => "the corner lies outside the column over the face.",
        Reason::NearestAtEnd => "over the face, the edge is nearest at one of its ends.",
        Reason::NearestAtBorder => {
            "over the face, the edge is nearest where it crosses the border."
        }
        Reason::Proved => {
            "each witness lies in the other's Voronoi region, so the pair is closest."
        }
        Reason::Behind => {
            "an edge passes through a face, or a corner lies behind one; GJK goes on."
        }
        Reason::Touching => "the features touch up to rounding; GJK goes on.",
        Reason::OutOfOrder => "the distance did not shrink, which is rounding; GJK goes on.",
        Reason::TooLong => "the walk is longer than a search would be; GJK goes on.",
        Reason::Uncertified => "the bounds are apart by more than rounding; GJK goes on.",
        Reason::SlideStart => {
            "the slide starts at the facet of the last answer, or of the corners farthest along a \
            likely direction."
        }
        Reason::Shallower => "a facet next door is less deep.",
        Reason::LeastNearby => "no facet next door is less deep.",
        Reason::SlideLost => "rounding leads in circles, or it is too long; a search goes on.",
        _ => "the next state.",
    }
}

fn depth_proof(proof: DepthProof) -> &'static str {
    match proof {
        DepthProof::Least => {
            "Points of the Minkowski difference reach as far along every other direction: this \
             depth is the least of all."
        }
        DepthProof::Less => "Another direction has less depth; the slide starts again from there.",
        DepthProof::Open => {
            "Too many directions are nearly as good to tell with little work which is the least."
        }
        _ => "The depth is compared with that of other directions.",
    }
}

fn hold(end: HoldEnd) -> &'static str {
    match end {
        HoldEnd::Nothing => "No depth is known from an earlier frame: a search goes on.",
        HoldEnd::Apart => "The cores are apart along the direction found: a walk goes on.",
        HoldEnd::Proved => "The slide found the least depth of all: it is held.",
        HoldEnd::Unproved => "Nothing shows that this depth is the least of all: a search goes on.",
        _ => "The hold ends.",
    }
}

fn gjk(step: &GjkStep, is_flipped: bool) -> String {
    let [a, b] = ordered(step.support.vertex_a, step.support.vertex_b, is_flipped);
    let kept = match step.simplex.len() {
        1 => "a point",
        2 => "a segment",
        3 => "a triangle",
        _ => "a tetrahedron around the origin",
    };
    format!(
        "GJK {}: corner {a} of a and corner {b} of b are farthest; {kept} is kept; the distance \
         is between {} and {} m.",
        step.iteration,
        short(step.lower),
        short(step.upper)
    )
}

fn gjk_end(end: GjkEnd) -> &'static str {
    match end {
        GjkEnd::BoundsMeet => "GJK ends: both bounds agree.",
        GjkEnd::RepeatedSupport => {
            "GJK ends: the support is in the simplex already, so nothing is nearer."
        }
        GjkEnd::NoProgress => "GJK ends: the vector to the origin does not shrink any more.",
        GjkEnd::BeyondLimit => "GJK ends: the gap is wider than asked for.",
        GjkEnd::Enclosed => {
            "GJK ends: the origin is inside the tetrahedron, so the shapes overlap."
        }
        GjkEnd::Touching => "GJK ends: the simplex touches the origin; EPA gives the sign.",
        GjkEnd::OutOfSteps => "GJK ends: it is out of steps; both bounds hold.",
        _ => "GJK ends.",
    }
}

fn epa_start(start: EpaStart) -> &'static str {
    match start {
        EpaStart::Tetrahedron => "EPA starts from GJK's tetrahedron.",
        EpaStart::Completed => {
            "EPA starts from GJK's simplex, completed by supports to both sides."
        }
        EpaStart::FixedDirections => {
            "EPA starts from supports in fixed directions: GJK's vertices span no volume."
        }
        EpaStart::Flat => "EPA has nothing to start from: the Minkowski difference is flat.",
        _ => "EPA starts.",
    }
}

fn epa(step: &EpaStep, is_flipped: bool) -> String {
    let [a, b] = ordered(step.support.vertex_a, step.support.vertex_b, is_flipped);
    let head = format!(
        "EPA: the nearest face of {} is {} m away, the shapes reach {} m beyond the \
         origin there (corner {a} of a, corner {b} of b)",
        step.polytope.len(),
        short(step.distance),
        short(step.reach)
    );
    if step.horizon == 0 {
        format!("{head}: it is a true face.")
    } else {
        format!(
            "{head}: the point is added, with {} faces around it.",
            step.horizon
        )
    }
}

fn epa_end(end: EpaEnd) -> &'static str {
    match end {
        EpaEnd::TrueFace => {
            "EPA ends: the nearest face belongs to the Minkowski difference itself."
        }
        EpaEnd::Uncertified => "The bounds of that face are apart by more than rounding.",
        EpaEnd::BoundsMeet => "EPA ends: both bounds are as close as asked.",
        EpaEnd::OutOfSteps => "EPA ends: it is out of points; both bounds hold.",
        _ => "EPA ends.",
    }
}
