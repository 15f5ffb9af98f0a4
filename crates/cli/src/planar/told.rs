//! A question with its answer, as people and as programs read it.
//!
//! Queries answer in the frame of their first shape; what is told is in that of the file.

use std::io::{self, Write};

use drystone_planar::glam::DVec2;
use drystone_planar::{
    Impact, NotConverged, Penetration, Pose2, QueryOptions, Separation2, Trace, distance_traced,
    intersects_traced, parallel_range, time_of_impact,
};
use drystone_scene::planar::{PlanarBody, PlanarQuery, Question};
use serde_json::{Value, json};

/// A question with its answer.
pub(super) struct Told<'q> {
    /// What was asked of which shapes.
    pub(super) title: String,
    /// Labelled lines for people.
    lines: Vec<(&'static str, String)>,
    /// The same for programs.
    answer: Value,
    /// The search that found it, where there was one.
    pub(super) search: Option<Search<'q>>,
    /// Why there is no answer.
    pub(super) failed: Option<NotConverged>,
}

/// The steps of a query, in A's frame.
pub(super) struct Search<'q> {
    pub(super) a: &'q PlanarBody,
    pub(super) b: &'q PlanarBody,
    pub(super) b_in_a: Pose2,
    pub(super) trace: Trace,
}

/// Two shapes of a file.
#[derive(Clone, Copy)]
struct Pair<'q> {
    a: &'q PlanarBody,
    b: &'q PlanarBody,
    b_in_a: Pose2,
    options: QueryOptions,
}

impl<'q> Told<'q> {
    /// Answers a question of a file.
    pub(super) fn new(query: &'q PlanarQuery, question: &Question) -> Self {
        let pair = |a: usize, b: usize| {
            let (a, b) = (&query.shapes[a], &query.shapes[b]);
            let b_in_a = a.pose.relative(&b.pose);
            let options = query.options;
            Pair {
                a,
                b,
                b_in_a,
                options,
            }
        };
        match *question {
            Question::Distance { a, b } => pair(a, b).distance(),
            Question::Intersects { a, b } => pair(a, b).intersects(),
            Question::Penetration { a, b } => pair(a, b).penetration(),
            Question::TimeOfImpact {
                a,
                b,
                velocity,
                within,
            } => pair(a, b).impact(velocity, within),
            Question::Contains { shape, point } => contains(&query.shapes[shape], point),
        }
    }

    /// The answer and its steps as one JSON object.
    pub(super) fn json(&self) -> Value {
        let mut told = self.answer.clone();
        told["question"] = json!(self.title);
        if let Some(search) = &self.search {
            told["steps_in_the_frame_of"] = json!(search.a.name);
            told["steps"] = json!(search.trace.steps);
        }
        if let Some(error) = &self.failed {
            told["error"] = json!(error.to_string());
        }
        told
    }

    /// The answer, and the steps if they are wanted, as text.
    pub(super) fn write(&self, output: &mut impl Write, with_steps: bool) -> io::Result<()> {
        writeln!(output, "{}", self.title)?;
        for (label, text) in &self.lines {
            writeln!(output, "  {label:<14}{text}")?;
        }
        match &self.search {
            Some(search) if with_steps => {
                writeln!(output, "\nsteps, in the frame of `{}`", search.a.name)?;
                write!(output, "{}", search.trace)
            }
            _ => Ok(()),
        }
    }
}

/// A number with all its digits; very small and very large ones with an exponent.
fn digits(value: f64) -> String {
    let text = format!("{value:?}");
    text.strip_suffix(".0").unwrap_or(&text).to_owned()
}

/// A point or direction, as a file would say it.
fn shown(v: DVec2) -> String {
    format!("({}, {})", digits(v.x), digits(v.y))
}

fn yes_or_no(flag: bool) -> String {
    if flag { "yes" } else { "no" }.to_owned()
}

fn contains<'q>(body: &'q PlanarBody, point: DVec2) -> Told<'q> {
    let inside = body.shape.contains(body.pose.untransform(point));
    Told {
        title: format!("is {} in `{}`?", shown(point), body.name),
        lines: vec![("inside", yes_or_no(inside))],
        answer: json!({ "inside": inside }),
        search: None,
        failed: None,
    }
}

impl<'q> Pair<'q> {
    fn title(&self, what: &str) -> String {
        format!("{what} `{}` and `{}`", self.a.name, self.b.name)
    }

    /// An answer whose lines and value are still to come.
    fn told(&self, what: &str, trace: Option<Trace>, failed: Option<NotConverged>) -> Told<'q> {
        let (a, b) = (self.a, self.b);
        Told {
            title: self.title(what),
            lines: Vec::new(),
            answer: json!({ "a": a.name, "b": b.name }),
            search: trace.map(|trace| Search {
                a,
                b,
                b_in_a: self.b_in_a,
                trace: trace.with_source_numbers(&a.shape, &b.shape),
            }),
            failed,
        }
    }

    /// A separation in the frame and numbering of the file.
    fn placed(&self, separation: &Separation2) -> Separation2 {
        let pose = &self.a.pose;
        Separation2 {
            point_a: pose.transform(separation.point_a),
            point_b: pose.transform(separation.point_b),
            normal: pose.rotate(separation.normal),
            feature_a: self.a.shape.source_feature(separation.feature_a),
            feature_b: self.b.shape.source_feature(separation.feature_b),
            ..*separation
        }
    }

    /// The lines every certified answer has.
    fn witnesses(&self, placed: &Separation2) -> Vec<(&'static str, String)> {
        let (lower, upper) = (digits(placed.lower), digits(placed.upper));
        let on = |body: &PlanarBody, point, feature| {
            format!("{} on {feature} of `{}`", shown(point), body.name)
        };
        vec![
            ("certified", format!("between {lower} m and {upper} m")),
            ("from", on(self.a, placed.point_a, placed.feature_a)),
            ("to", on(self.b, placed.point_b, placed.feature_b)),
            ("normal", shown(placed.normal)),
        ]
    }

    fn distance(&self) -> Told<'q> {
        let (a, b) = (&self.a.shape, &self.b.shape);
        let (result, trace) = distance_traced(a, b, &self.b_in_a, &self.options);
        let mut told = self.told("distance of", Some(trace), result.err());
        let Ok(separation) = result else { return told };
        let placed = self.placed(&separation);
        told.lines = vec![("distance", format!("{} m", digits(separation.distance())))];
        told.lines.extend(self.witnesses(&placed));
        told.answer["distance"] = json!(separation.distance());
        told.answer["answer"] = json!(placed);
        let range = parallel_range(a, b, &self.b_in_a, &separation)
            .filter(|_| separation.distance() > 0.0)
            .map(|ends| ends.map(|(p, q)| [p, q].map(|point| self.a.pose.transform(point))));
        if let Some(ends) = range {
            let [first, last] = ends.map(|[p, q]| format!("{} - {}", shown(p), shown(q)));
            let text = format!("as close from {first} to {last}");
            told.lines.push(("parallel", text));
            told.answer["parallel"] = json!(ends);
        }
        told
    }

    fn intersects(&self) -> Told<'q> {
        let (a, b) = (&self.a.shape, &self.b.shape);
        let (result, trace) = intersects_traced(a, b, &self.b_in_a, &self.options);
        let mut told = self.told("common points of", Some(trace), result.err());
        if let Ok(meets) = result {
            told.lines.push(("intersect", yes_or_no(meets)));
            told.answer["intersects"] = json!(meets);
        }
        told
    }

    fn penetration(&self) -> Told<'q> {
        let (a, b) = (&self.a.shape, &self.b.shape);
        let (result, trace) = distance_traced(a, b, &self.b_in_a, &self.options);
        let mut told = self.told("penetration of", Some(trace), result.err());
        let Ok(separation) = result else { return told };
        let placed = self.placed(&separation);
        match Penetration::from_separation(&placed) {
            None => {
                let text = format!("none: {} m apart", digits(separation.distance()));
                told.lines.push(("depth", text));
                told.answer["penetration"] = Value::Null;
            }
            Some(overlap) => {
                let parted = format!("move `{}` by {}", self.b.name, shown(overlap.separating));
                told.lines
                    .push(("depth", format!("{} m", digits(overlap.depth))));
                told.lines.push(("to part them", parted));
                told.lines.extend(self.witnesses(&placed));
                told.answer["penetration"] = json!(overlap);
            }
        }
        told
    }

    fn impact(&self, velocity: DVec2, within: f64) -> Told<'q> {
        let (a, b) = (&self.a.shape, &self.b.shape);
        let seen = self.a.pose.unrotate(velocity);
        let result = time_of_impact(a, b, &self.b_in_a, seen, within, &self.options);
        let mut told = self.told("time of impact of", None, result.err());
        let Ok(impact) = result else { return told };
        let Some(impact) = impact else {
            let text = format!("none within {within} s at {} m/s", shown(velocity));
            told.lines.push(("time", text));
            told.answer["impact"] = Value::Null;
            return told;
        };
        let placed = Impact {
            normal: self.a.pose.rotate(impact.normal),
            point: self.a.pose.transform(impact.point),
            feature_a: a.source_feature(impact.feature_a),
            feature_b: b.source_feature(impact.feature_b),
            ..impact
        };
        let hits = |feature, body: &PlanarBody| format!("{feature} of `{}`", body.name);
        told.lines = vec![
            ("time", format!("{} s", digits(placed.time()))),
            (
                "certified",
                format!(
                    "between {} s and {} s",
                    digits(placed.lower),
                    digits(placed.upper)
                ),
            ),
            ("point", shown(placed.point)),
            ("hits", hits(placed.feature_a, self.a)),
            ("with", hits(placed.feature_b, self.b)),
            ("normal", shown(placed.normal)),
        ];
        told.answer["impact"] = json!(placed);
        told
    }
}
