//! The judge: both bounds recomputed by linear scans over all corners.

use drystone_geometry::glam::DVec3;
use drystone_geometry::{Frame, Separation};
use drystone_narrow_phase::Counters;

use crate::body::{Body, gap};
use crate::random::Random;

/// Widest interval allowed, and largest difference to a recomputed bound: a ratio to size.
const INTERVAL: f64 = 1e-11;

/// Above this ratio to size the sign must be right: the rounding of the shapes' corners.
const VERDICT: f64 = 1e-6;

/// Directions tried besides the answer's own, per answer.
const PROBES: usize = 6;

/// One answer in so many is compared with every candidate direction, where there are few.
const BRUTE_FORCE_EVERY: usize = 40;

/// What was found in one regime.
#[derive(Default)]
pub(crate) struct Tally {
    pairs: u64,
    apart: u64,
    counters: Counters,
    /// Largest ratios to size.
    width: f64,
    lower: f64,
    upper: f64,
    off_shape: f64,
    beyond: f64,
    warm: f64,
    wrong: u64,
    not_finite: u64,
    unanswered: u64,
    /// The first few failures in words.
    pub(crate) failures: Vec<String>,
}

impl Tally {
    pub(crate) const HEADER: &str = "regime         pairs  apart |  width  lower  upper  \
         on shape  other directions  warm - cold | wrong  NaN  unanswered | walk %  closed %  \
         GJK %  EPA %  enumerated  exhausted";

    pub(crate) fn row(&self, name: &str) -> String {
        let share = |count: u64| 100.0 * count as f64 / self.pairs.max(1) as f64;
        let counters = &self.counters;
        format!(
            "{name:<12} {:>7} {:>5.1}% | {:.0e}  {:.0e}  {:.0e}  {:.0e}  {:.0e}  {:.0e} | {} {} {} | \
             {:.1} {:.1} {:.1} {:.1} {} {}",
            self.pairs,
            share(self.apart),
            self.width,
            self.lower,
            self.upper,
            self.off_shape,
            self.beyond,
            self.warm,
            self.wrong,
            self.not_finite,
            self.unanswered,
            share(counters.walked),
            share(counters.closed_form),
            share(counters.gjk),
            share(counters.epa),
            counters.enumerated,
            counters.gjk_exhausted,
        )
    }

    pub(crate) fn count(&mut self, counters: &Counters) {
        self.counters.merge(counters);
    }

    fn fail(&mut self, what: String) {
        if self.failures.len() < 12 {
            self.failures.push(what);
        }
    }

    /// Keeps the largest ratio, and complains about one that is too large.
    fn ratio(&mut self, kind: fn(&mut Self) -> &mut f64, ratio: f64, limit: f64, what: String) {
        let largest = kind(self);
        *largest = largest.max(ratio);
        if ratio.is_nan() || ratio > limit {
            self.fail(format!("{what} {ratio:e}"));
        }
    }
}

/// Judges the bounds of one answer.
pub(crate) fn answer(
    tally: &mut Tally,
    a: &Body,
    b: &Body,
    b_in_a: &Frame,
    answer: &Separation,
    random: &mut Random,
    name: &dyn Fn() -> String,
) {
    tally.pairs += 1;
    let size = a.extent + b.extent;
    let numbers = [answer.lower, answer.upper, answer.normal.length()];
    let points = [answer.point_a, answer.point_b];
    if numbers.iter().any(|x| x.is_nan()) || points.iter().any(|p| p.is_nan()) {
        tally.not_finite += 1;
        return tally.fail(format!("{}: NaN", name()));
    }
    if !(answer.lower.is_finite() && answer.upper.is_finite() && answer.lower <= answer.upper) {
        tally.unanswered += 1;
        return tally.fail(format!("{}: {answer:?}", name()));
    }
    if answer.upper > 0.0 {
        tally.apart += 1;
    }
    let tell = |what: &str| format!("{}: {what}", name());
    let width = (answer.upper - answer.lower) / size;
    tally.ratio(|t| &mut t.width, width, INTERVAL, tell("width"));
    let lower = (gap(a, b, b_in_a, answer.normal) - answer.lower).abs() / size;
    tally.ratio(|t| &mut t.lower, lower, INTERVAL, tell("lower bound"));
    if answer.lower > INTERVAL * size {
        let apart = answer.point_a.distance(answer.point_b);
        let upper = (apart - answer.upper).abs() / size;
        tally.ratio(|t| &mut t.upper, upper, INTERVAL, tell("upper bound"));
    }
    let on_b = b_in_a.rotation.transpose() * (answer.point_b - b_in_a.translation);
    let outside = a.outside(answer.point_a).max(b.outside(on_b)) / size;
    tally.ratio(
        |t| &mut t.off_shape,
        outside,
        INTERVAL,
        tell("witness outside by"),
    );
    probe(tally, a, b, b_in_a, answer, random, &tell);
}

/// No direction may show a wider gap than the upper bound.
fn probe(
    tally: &mut Tally,
    a: &Body,
    b: &Body,
    b_in_a: &Frame,
    answer: &Separation,
    random: &mut Random,
    tell: &dyn Fn(&str) -> String,
) {
    let size = a.extent + b.extent;
    let mut widest = f64::NEG_INFINITY;
    let mut consider = |normal: DVec3| {
        if let Some(normal) = normal.try_normalize() {
            widest = widest.max(gap(a, b, b_in_a, normal));
        }
    };
    for _ in 0..PROBES {
        let near = libm::exp10(-random.between(0.0, 8.0));
        consider(answer.normal + near * random.direction());
        if !a.faces.is_empty() {
            consider(a.faces[random.below(a.faces.len())].0);
        }
        if !b.faces.is_empty() {
            consider(-(b_in_a.rotation * b.faces[random.below(b.faces.len())].0));
        }
    }
    let work = a.edges.len() * b.edges.len() * (a.vertices.len() + b.vertices.len());
    if work < 60_000 && random.below(BRUTE_FORCE_EVERY) == 0 {
        a.faces.iter().for_each(|(normal, _)| consider(*normal));
        b.faces
            .iter()
            .for_each(|(normal, _)| consider(-(b_in_a.rotation * *normal)));
        for [p, q] in &a.edges {
            for [r, s] in &b.edges {
                let along = b_in_a.rotation * (*s - *r);
                let cross = (*q - *p).cross(along);
                if cross.length() > 1e-9 * (*q - *p).length() * along.length() {
                    consider(cross);
                    consider(-cross);
                }
            }
        }
    }
    let beyond = (widest - answer.upper) / size;
    tally.ratio(
        |t| &mut t.beyond,
        beyond,
        INTERVAL,
        tell("another direction by"),
    );
    if answer.upper < 0.0 && widest > VERDICT * size {
        tally.wrong += 1;
        tally.fail(tell("wrong verdict"));
    }
}

/// Both intervals hold the same number, so they meet.
pub(crate) fn same(
    tally: &mut Tally,
    cold: &Separation,
    warm: &Separation,
    size: f64,
    name: &dyn Fn() -> String,
) {
    let apart = (cold.lower - warm.upper).max(warm.lower - cold.upper) / size;
    let what = format!("{}: warm and cold differ by", name());
    tally.ratio(|t| &mut t.warm, apart, INTERVAL, what);
}

/// The boolean query agrees wherever the sign means anything.
pub(crate) fn verdict(
    tally: &mut Tally,
    meets: bool,
    answer: &Separation,
    size: f64,
    name: &dyn Fn() -> String,
) {
    let wrong = if meets {
        answer.lower > VERDICT * size
    } else {
        answer.upper < -VERDICT * size
    };
    if wrong {
        tally.wrong += 1;
        tally.fail(format!("{}: intersects says {meets}", name()));
    }
}
