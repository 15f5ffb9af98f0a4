//! GJK in the plane: the simplex of at most three points of the difference that closes
//! in on the origin.
//!
//! The simplex is kept reduced to the part nearest the origin, a point or an edge. The
//! next support is taken against the vector to that part; on an edge that is the edge's
//! own normal, never the vector itself, so the direction stays accurate however small
//! the gap is.
//!
//! Gilbert, Johnson, Keerthi, "A fast procedure for computing the distance between
//! complex objects in three-dimensional space" (1988); van den Bergen, *Collision
//! Detection in Interactive 3D Environments* (2003), chapter 4.

use glam::DVec2;

use crate::convexity::orientation;
use crate::pair::{DiffVertex, Pair, unit};
use crate::tolerance::{COLD_STEPS, MANY_VERTICES};
use crate::trace::{Observer, Phase, Stop};

/// The part of the simplex nearest the origin.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Nearest {
    Vertex(DiffVertex),
    /// The foot of the origin is strictly between the two; and the vector from the first
    /// to the second.
    Edge(DiffVertex, DiffVertex, DVec2),
}

/// How the search ended.
#[derive(Clone, Copy, Debug)]
pub(crate) enum End {
    /// The cores are apart. `lower` is the gap along the unit vector `normal`, `upper`
    /// the distance of the nearest part.
    Apart {
        nearest: Nearest,
        lower: f64,
        upper: f64,
        normal: DVec2,
    },
    /// The counter-clockwise triangle holds the origin.
    Inside([DiffVertex; 3]),
    /// The origin lies on the part, to the last bit.
    On(Nearest),
}

/// What the caller wants to know.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// End when the bounds are this close, in metres; 0 for polygons, which end by
    /// repetition.
    pub(crate) tolerance: f64,
    /// End as soon as the distance is known to be above this, in metres.
    pub(crate) far: f64,
    /// End as soon as the distance is known to be at most this, in metres; negative
    /// when only the distance will do.
    pub(crate) near: f64,
    pub(crate) max_iterations: u32,
}

impl Nearest {
    /// Direction from the origin to the nearest part (not unit), and the distance.
    pub(crate) fn direction(&self) -> (DVec2, f64) {
        match self {
            Self::Vertex(p) => (p.w, p.w.length()),
            Self::Edge(p, q, along) => {
                let away = DVec2::new(along.y, -along.x);
                let distance = height(away, p, q);
                if distance == 0.0 {
                    (DVec2::ZERO, 0.0)
                } else {
                    (away * distance.signum(), distance.abs())
                }
            }
        }
    }

    /// Weights of the two ends; a vertex has weights (1, 0).
    pub(crate) fn weights(&self) -> [f64; 2] {
        match self {
            Self::Vertex(_) => [1.0, 0.0],
            Self::Edge(p, q, along) => edge_weights(p, q, *along),
        }
    }

    pub(crate) fn ends(&self) -> (DiffVertex, DiffVertex) {
        match self {
            Self::Vertex(p) => (*p, *p),
            Self::Edge(p, q, _) => (*p, *q),
        }
    }

    fn holds(&self, w: &DiffVertex) -> bool {
        let (p, q) = self.ends();
        p.is_same(w) || q.is_same(w)
    }
}

/// Distance of the edge's line along `normal` (not unit).
pub(crate) fn height(normal: DVec2, p: &DiffVertex, q: &DiffVertex) -> f64 {
    nearer_end(p, q).w.dot(normal) / normal.length()
}

/// The end of an edge nearer the origin, from which its line is measured: the error of the
/// normal counts least there.
pub(crate) fn nearer_end<'a>(p: &'a DiffVertex, q: &'a DiffVertex) -> &'a DiffVertex {
    if p.w.length_squared() < q.w.length_squared() {
        p
    } else {
        q
    }
}

/// Weights of the foot of the origin on the edge `p`, `q`, clamped to the edge. `along` is
/// the vector between them.
pub(crate) fn edge_weights(p: &DiffVertex, q: &DiffVertex, along: DVec2) -> [f64; 2] {
    let length_sq = along.length_squared();
    if length_sq == 0.0 {
        return [1.0, 0.0];
    }
    // From the nearer end, so that a short edge far from its foot keeps its digits.
    let (from_p, from_q) = (-p.w.dot(along), q.w.dot(along));
    if from_p <= from_q {
        let t = (from_p / length_sq).clamp(0.0, 1.0);
        [1.0 - t, t]
    } else {
        let s = (from_q / length_sq).clamp(0.0, 1.0);
        [s, 1.0 - s]
    }
}

/// The part of the edge `p`, `q` nearest the origin.
fn nearest_on_edge(pair: &Pair<'_>, p: &DiffVertex, q: &DiffVertex) -> Nearest {
    let along = pair.edge(p, q);
    if p.w.dot(along) >= 0.0 {
        Nearest::Vertex(*p)
    } else if q.w.dot(along) <= 0.0 {
        Nearest::Vertex(*q)
    } else {
        Nearest::Edge(*p, *q, along)
    }
}

/// A simplex after a new support has been added.
enum Grown {
    Nearest(Nearest),
    Inside([DiffVertex; 3]),
}

/// Adds `w` to the nearest part and reduces again.
fn grow(pair: &Pair<'_>, nearest: &Nearest, w: &DiffVertex) -> Grown {
    match nearest {
        Nearest::Vertex(p) => Grown::Nearest(nearest_on_edge(pair, p, w)),
        Nearest::Edge(p, q, _) => {
            let turn = orientation(p.w, q.w, w.w);
            let (p, q) = if turn > 0.0 { (p, q) } else { (q, p) };
            // Counter-clockwise p, q, w. The support passed the origin, so that is on the
            // inner side of p, q, unless rounding says otherwise; then the step is lost.
            if orientation(p.w, q.w, DVec2::ZERO) < 0.0 {
                return Grown::Nearest(*nearest);
            }
            let beside_qw = turn == 0.0 || orientation(q.w, w.w, DVec2::ZERO) < 0.0;
            let beside_wp = turn == 0.0 || orientation(w.w, p.w, DVec2::ZERO) < 0.0;
            match (beside_qw, beside_wp) {
                (false, false) => Grown::Inside([*p, *q, *w]),
                (true, false) => Grown::Nearest(nearest_on_edge(pair, q, w)),
                (false, true) => Grown::Nearest(nearest_on_edge(pair, w, p)),
                (true, true) => {
                    let (one, other) = (nearest_on_edge(pair, q, w), nearest_on_edge(pair, w, p));
                    if one.direction().1 <= other.direction().1 {
                        Grown::Nearest(one)
                    } else {
                        Grown::Nearest(other)
                    }
                }
            }
        }
    }
}

/// Searches for the point of the difference nearest the origin, from a first direction
/// (not zero) thought to point from A to B.
///
/// Ends on a repeated support, on bounds that meet, on a step that no longer shortens
/// the vector, or out of iterations; the caller judges the certificate in every case.
pub(crate) fn search(
    pair: &Pair<'_>,
    first: DVec2,
    limits: &Limits,
    observer: &mut impl Observer,
) -> End {
    let mut nearest = Nearest::Vertex(pair.support(-first));
    let (mut away, mut upper) = nearest.direction();
    let mut lower = f64::NEG_INFINITY;
    let mut normal = DVec2::ZERO;
    let mut stop = Stop::OutOfIterations;
    let cold_steps = if pair.vertex_count() < MANY_VERTICES {
        limits.max_iterations
    } else {
        COLD_STEPS
    };
    for step in 0..limits.max_iterations {
        if upper == 0.0 || away == DVec2::ZERO {
            observer.gjk(&nearest, away, lower, 0.0);
            observer.stop(Phase::Gjk, Stop::ContainsOrigin);
            return End::On(nearest);
        }
        let facing = unit(away);
        let w = if step < cold_steps {
            pair.support(-facing)
        } else {
            pair.support_near(-facing, &nearest.ends().0)
        };
        let gap = w.w.dot(facing);
        if gap > lower {
            lower = gap;
            normal = facing;
        }
        observer.gjk(&nearest, -facing, lower.min(upper), upper);
        if lower > limits.far {
            stop = Stop::DidNotPassOrigin;
            break;
        }
        if nearest.holds(&w) {
            stop = Stop::RepeatedSupport;
            break;
        }
        if upper <= limits.near || upper - lower <= limits.tolerance {
            stop = Stop::WithinTolerance;
            break;
        }
        let next = match grow(pair, &nearest, &w) {
            Grown::Inside(triangle) => {
                observer.inside(&triangle, lower);
                observer.stop(Phase::Gjk, Stop::ContainsOrigin);
                return End::Inside(triangle);
            }
            Grown::Nearest(next) => next,
        };
        let (next_away, next_upper) = next.direction();
        let is_shorter = next_upper < upper;
        if !is_shorter {
            // Only rounding can lengthen the vector: the step is taken back.
            stop = Stop::NoProgress;
            break;
        }
        (nearest, away, upper) = (next, next_away, next_upper);
    }
    observer.stop(Phase::Gjk, stop);
    End::Apart {
        nearest,
        lower: lower.min(upper),
        upper,
        normal,
    }
}
