//! A query told step by step: the simplex, the direction, the bounds, and why it ended.
//!
//! The searches report to an [`Observer`]; the unit type ignores everything and costs
//! nothing, [`Trace`] writes it down.

use std::fmt;

use glam::DVec2;
use serde::{Deserialize, Serialize};

use crate::gjk::Nearest;
use crate::pair::DiffVertex;
use crate::separation::{Feature2, Separation2};
use crate::shape::Shape2;

/// Which search a step belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Phase {
    /// The simplex closing in on the origin.
    Gjk,
    /// The polygon growing around the origin.
    Epa,
    /// The whole difference, walked edge by edge after a search gave up.
    Merge,
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Gjk => "GJK",
            Self::Epa => "EPA",
            Self::Merge => "whole difference",
        })
    }
}

/// Why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Stop {
    /// The support did not pass the origin: the shapes are apart, and only that was
    /// asked.
    DidNotPassOrigin,
    /// The simplex holds the origin: the cores have a common point.
    ContainsOrigin,
    /// The support is a vertex the simplex already has: nothing lies beyond it.
    RepeatedSupport,
    /// The bounds are as close as was asked.
    WithinTolerance,
    /// The step did not shorten the vector and was taken back: rounding is reached.
    NoProgress,
    /// The iterations were used up.
    OutOfIterations,
    /// Every edge of the difference was looked at.
    Exhausted,
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::DidNotPassOrigin => "the support did not pass the origin",
            Self::ContainsOrigin => "the simplex contains the origin",
            Self::RepeatedSupport => "repeated support",
            Self::WithinTolerance => "within tolerance",
            Self::NoProgress => "no progress: rounding is reached",
            Self::OutOfIterations => "out of iterations",
            Self::Exhausted => "every edge of the difference was looked at",
        })
    }
}

/// A vertex of a simplex: a point of the difference B - A and where it came from, all in
/// A's frame and metres, without the radii of rounded shapes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SimplexVertex {
    /// `point_b - point_a`.
    pub difference: DVec2,
    /// The point of A.
    pub point_a: DVec2,
    /// The point of B.
    pub point_b: DVec2,
    /// Vertex of A's core.
    pub vertex_a: u32,
    /// Vertex of B's core.
    pub vertex_b: u32,
    /// Barycentric weight in the point nearest the origin; zero where the simplex holds
    /// the origin and no nearest point is sought.
    pub weight: f64,
}

/// One iteration of a search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TraceStep {
    /// The search it belongs to.
    pub phase: Phase,
    /// The simplex (GJK) or the edge being expanded (EPA).
    pub simplex: Vec<SimplexVertex>,
    /// Unit direction of the next support of the difference; zero where none is needed.
    pub direction: DVec2,
    /// The signed distance of the cores is at least this, in metres.
    pub lower: Option<f64>,
    /// The signed distance of the cores is at most this, in metres.
    pub upper: f64,
    /// Why the search ended here, if it did.
    pub stop: Option<Stop>,
}

/// Every step of one query, and its answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Trace {
    /// The steps, in order.
    pub steps: Vec<TraceStep>,
    /// The answer, radii included; none if the query ended in an error.
    pub answer: Option<Separation2>,
}

/// What a search reports to.
pub(crate) trait Observer {
    /// A GJK iteration about to take the support along `direction`.
    fn gjk(&mut self, _nearest: &Nearest, _direction: DVec2, _lower: f64, _upper: f64) {}
    /// A triangle around the origin.
    fn inside(&mut self, _triangle: &[DiffVertex; 3], _lower: f64) {}
    /// An EPA expansion of an edge along its outward normal.
    fn expand(
        &mut self,
        _edge: &[DiffVertex; 2],
        _weights: [f64; 2],
        _outward: DVec2,
        _bounds: (f64, f64),
    ) {
    }
    /// The whole difference gave the answer.
    fn merged(&mut self, _core: &Separation2) {}
    /// The search ended.
    fn stop(&mut self, _phase: Phase, _stop: Stop) {}
}

impl Observer for () {}

fn simplex_vertex(v: &DiffVertex, weight: f64) -> SimplexVertex {
    SimplexVertex {
        difference: v.w,
        point_a: v.a,
        point_b: v.b,
        vertex_a: v.id_a,
        vertex_b: v.id_b,
        weight,
    }
}

fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}

impl Observer for Trace {
    fn gjk(&mut self, nearest: &Nearest, direction: DVec2, lower: f64, upper: f64) {
        let [s, t] = nearest.weights();
        let simplex = match nearest {
            Nearest::Vertex(p) => vec![simplex_vertex(p, s)],
            Nearest::Edge(p, q, _) => vec![simplex_vertex(p, s), simplex_vertex(q, t)],
        };
        self.steps.push(TraceStep {
            phase: Phase::Gjk,
            simplex,
            direction,
            lower: finite(lower),
            upper,
            stop: None,
        });
    }

    fn inside(&mut self, triangle: &[DiffVertex; 3], lower: f64) {
        self.steps.push(TraceStep {
            phase: Phase::Gjk,
            simplex: triangle.iter().map(|v| simplex_vertex(v, 0.0)).collect(),
            direction: DVec2::ZERO,
            lower: finite(lower),
            upper: 0.0,
            stop: None,
        });
    }

    fn expand(
        &mut self,
        edge: &[DiffVertex; 2],
        weights: [f64; 2],
        outward: DVec2,
        (lower, upper): (f64, f64),
    ) {
        let [s, t] = weights;
        self.steps.push(TraceStep {
            phase: Phase::Epa,
            simplex: vec![simplex_vertex(&edge[0], s), simplex_vertex(&edge[1], t)],
            direction: outward,
            lower: finite(lower),
            upper,
            stop: None,
        });
    }

    fn merged(&mut self, core: &Separation2) {
        self.steps.push(TraceStep {
            phase: Phase::Merge,
            simplex: Vec::new(),
            direction: DVec2::ZERO,
            lower: finite(core.lower),
            upper: core.upper,
            stop: Some(Stop::Exhausted),
        });
    }

    fn stop(&mut self, phase: Phase, stop: Stop) {
        if let Some(step) = self.steps.last_mut().filter(|step| step.phase == phase) {
            step.stop = Some(stop);
        }
    }
}

impl Trace {
    /// Why the query ended: the reason of the last step.
    pub fn stop(&self) -> Option<Stop> {
        self.steps.last().and_then(|step| step.stop)
    }

    /// The same with vertices numbered as in the points the two shapes were made from; see
    /// [`Shape2::source_feature`]. `a` and `b` must be the shapes of the query.
    pub fn with_source_numbers(mut self, a: &Shape2, b: &Shape2) -> Self {
        let source =
            |shape: &Shape2, vertex: u32| match shape.source_feature(Feature2::Vertex(vertex)) {
                Feature2::Vertex(source) => source,
                _ => vertex,
            };
        for v in self.steps.iter_mut().flat_map(|step| &mut step.simplex) {
            v.vertex_a = source(a, v.vertex_a);
            v.vertex_b = source(b, v.vertex_b);
        }
        if let Some(answer) = &mut self.answer {
            answer.feature_a = a.source_feature(answer.feature_a);
            answer.feature_b = b.source_feature(answer.feature_b);
        }
        self
    }
}

impl fmt::Display for Trace {
    /// The trace as text, one paragraph per step.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, step) in self.steps.iter().enumerate() {
            write_step(f, index, step)?;
        }
        match &self.answer {
            None => writeln!(f, "no certified answer"),
            Some(s) => {
                writeln!(
                    f,
                    "signed distance {} (between {} and {})",
                    s.distance(),
                    s.lower,
                    s.upper
                )?;
                writeln!(f, "  on A {} {}", s.point_a, s.feature_a)?;
                writeln!(f, "  on B {} {}", s.point_b, s.feature_b)?;
                writeln!(f, "  normal {}", s.normal)
            }
        }
    }
}

fn write_step(f: &mut fmt::Formatter<'_>, index: usize, step: &TraceStep) -> fmt::Result {
    writeln!(f, "step {index} ({})", step.phase)?;
    for v in &step.simplex {
        writeln!(
            f,
            "  {} = B[{}] {} - A[{}] {}, weight {}",
            v.difference, v.vertex_b, v.point_b, v.vertex_a, v.point_a, v.weight
        )?;
    }
    if step.direction != DVec2::ZERO {
        writeln!(f, "  direction {}", step.direction)?;
    }
    match step.lower {
        Some(lower) => writeln!(f, "  between {lower} and {}", step.upper)?,
        None => writeln!(f, "  at most {}", step.upper)?,
    }
    match step.stop {
        Some(stop) => writeln!(f, "  ends: {stop}"),
        None => Ok(()),
    }
}
