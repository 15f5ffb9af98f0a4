//! GJK: the distance of two cores that are apart, or the word that they are not.
//!
//! Three outcomes, never two: apart with both bounds, met (overlapping or so close that
//! EPA must give the sign), or not decided. The simplex holds vertex ids, so polytopes end
//! when a support repeats, not at a tolerance.
//!
//! Gilbert, Johnson, Keerthi 1988; van den Bergen, *Collision Detection in Interactive 3D
//! Environments* (2003), chapter 4.

use drystone_geometry::Feature;
use drystone_geometry::glam::DVec3;

use crate::convex::{NO_HINT, Pair, Vertex};
use crate::difference::Difference;
use crate::simplex::Simplex;
use crate::tolerance::{MAX_STALLED_STEPS, NEAR_DIRECTION_COSINE, TOUCHING};
use crate::trace::{Event, GjkEnd, GjkStep, Trace};

/// Where to begin: what the last frame ended with, or anything.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seed {
    /// Direction from A to B, any length; zero for none.
    pub(crate) direction: DVec3,
    /// The closest features of the last answer.
    pub(crate) features: Option<[Feature; 2]>,
    /// Whether a walk from the features may be shorter than a search.
    pub(crate) walks: bool,
    /// Whether the cores overlap as far as is known.
    pub(crate) meets: bool,
    /// Where the features are, seen along the direction.
    pub(crate) standing: Standing,
}

/// Where features are, seen along a direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// They are the farthest corners.
    Farthest,
    /// Near them, if the last answer still tells.
    Near,
    /// Anywhere.
    Astray,
}

impl Seed {
    /// Nothing is known.
    pub(crate) const NONE: Self = Self {
        direction: DVec3::ZERO,
        features: None,
        walks: false,
        meets: false,
        standing: Standing::Near,
    };

    /// Vertices of a pair where support searches may start.
    #[inline]
    pub(crate) fn hints(&self, pair: &Pair<'_>) -> (u32, u32) {
        match self.features {
            Some([a, b]) => (pair.a.vertex_of(a), pair.b.vertex_of(b)),
            None => (NO_HINT, NO_HINT),
        }
    }
}

/// How GJK ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// The nearest point is found.
    Apart,
    /// The gap is certainly larger than asked for; the nearest point is not known.
    Beyond,
    /// The cores overlap or touch, or are too close to say.
    Met,
    /// Out of steps; both bounds still hold.
    Exhausted,
}

/// What GJK found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gjk {
    /// How it ended.
    pub(crate) verdict: Verdict,
    /// The vertices of the nearest point, or the tetrahedron around the origin.
    pub(crate) simplex: Simplex,
    /// Convex weights of the vertices, when apart.
    pub(crate) weights: [f64; 3],
    /// Nearest point of B - A, when apart.
    pub(crate) nearest: DVec3,
    /// Largest gap between supporting planes met on the way.
    pub(crate) lower: f64,
    /// Unit direction of that gap, A to B; zero when there was none.
    pub(crate) lower_normal: DVec3,
    /// Support evaluations.
    pub(crate) steps: u32,
}

/// A GJK query that can be stopped and taken up again.
pub(crate) struct Search<'a, D> {
    pair: &'a D,
    /// What is known so far.
    pub(crate) found: Gjk,
    /// Towards the nearest point, of any length.
    direction: DVec3,
    distance_sq: f64,
    /// Where and whither the last support was sought.
    pub(crate) latest: Vertex,
    last_unit: DVec3,
    stalled: u32,
}

impl<'a, D: Difference> Search<'a, D> {
    /// Takes the first support.
    pub(crate) fn new(pair: &'a D, seed: &Seed) -> Self {
        let (start, hint_a, hint_b) = pair.start(seed);
        let first = pair.support(start, hint_a, hint_b);
        let found = Gjk {
            verdict: Verdict::Exhausted,
            simplex: Simplex::of(first),
            weights: [1.0, 0.0, 0.0],
            nearest: first.w,
            lower: f64::NEG_INFINITY,
            lower_normal: DVec3::ZERO,
            steps: 1,
        };
        let mut search = Self {
            pair,
            found,
            direction: first.w,
            distance_sq: first.w.length_squared(),
            latest: first,
            last_unit: start.normalize_or_zero(),
            stalled: 0,
        };
        search.raise_lower(search.last_unit, first);
        search
    }

    /// Goes on until the answer is exact, the gap is known to exceed `limit` metres, or
    /// `steps` supports have been taken in all. Says whether the search is over.
    pub(crate) fn run<T: Trace>(&mut self, steps: u32, limit: f64, trace: &mut T) -> bool {
        while self.found.steps < steps {
            if let Some((verdict, end)) = self.step(limit, trace) {
                self.found.verdict = verdict;
                trace.event(Event::GjkEnd(end));
                return true;
            }
        }
        trace.event(Event::GjkEnd(GjkEnd::OutOfSteps));
        false
    }

    /// One support and one inner problem; the verdict when it ends the search.
    fn step<T: Trace>(&mut self, limit: f64, trace: &mut T) -> Option<(Verdict, GjkEnd)> {
        let scale = self.pair.scale();
        let converged = self.pair.converged();
        let distance = self.distance_sq.sqrt();
        if distance <= TOUCHING * scale {
            return Some((Verdict::Met, GjkEnd::Touching));
        }
        if self.found.lower > limit {
            return Some((Verdict::Beyond, GjkEnd::BeyondLimit));
        }
        let unit = self.direction.normalize_or(self.found.nearest / distance);
        // Near the last direction the last vertex is near, otherwise the start map is.
        let near = unit.dot(self.last_unit) >= NEAR_DIRECTION_COSINE;
        let (hint_a, hint_b) = if near {
            (self.latest.a, self.latest.b)
        } else {
            (NO_HINT, NO_HINT)
        };
        let support = self.pair.support(unit, hint_a, hint_b);
        self.found.steps += 1;
        self.raise_lower(unit, support);
        (self.last_unit, self.latest) = (unit, support);
        if self.pair.is_close(self.found.lower, distance) {
            self.see(unit, trace);
            return Some((Verdict::Apart, GjkEnd::BoundsMeet));
        }
        if self.found.simplex.contains(support.a, support.b) {
            self.see(unit, trace);
            return Some((Verdict::Apart, GjkEnd::RepeatedSupport));
        }
        let mut grown = self.found.simplex;
        grown.push(support);
        let Some(mut nearest) = grown.nearest(scale) else {
            self.found.simplex = grown;
            self.see(unit, trace);
            return Some((Verdict::Met, GjkEnd::Enclosed));
        };
        if nearest.distance_sq >= self.distance_sq {
            let mut longest = distance + converged;
            if nearest.distance_sq.sqrt() > longest && grown.vertices().len() == 4 {
                let [before, after] = grown.nearest_before_and_after();
                nearest = after;
                longest = before.distance_sq.sqrt() + converged;
            }
            // A step that does not shorten the vector is taken back, but for a few that
            // leave its length as it is: a tiny turn is invisible in the length and yet
            // moves the supporting planes.
            self.stalled += 1;
            if nearest.distance_sq.sqrt() > longest || self.stalled > MAX_STALLED_STEPS {
                self.see(unit, trace);
                return Some((Verdict::Apart, GjkEnd::NoProgress));
            }
        }
        self.distance_sq = nearest.distance_sq;
        self.direction = nearest.direction;
        self.found.simplex = grown.reduced(&nearest);
        self.found.weights = nearest.weights;
        self.found.nearest = nearest.point;
        self.see(unit, trace);
        None
    }

    /// Tells the trace what the latest support led to.
    #[inline]
    fn see<T: Trace>(&self, direction: DVec3, trace: &mut T) {
        if T::WATCHES {
            trace.event(Event::Gjk(GjkStep {
                iteration: self.found.steps,
                direction,
                support: self.latest.into(),
                simplex: self
                    .found
                    .simplex
                    .vertices()
                    .iter()
                    .map(|&v| v.into())
                    .collect(),
                nearest: self.found.nearest,
                lower: self.found.lower,
                upper: self.distance_sq.sqrt(),
            }));
        }
    }

    fn raise_lower(&mut self, direction: DVec3, support: Vertex) {
        let gap = support.w.dot(direction);
        if gap > self.found.lower {
            self.found.lower = gap;
            self.found.lower_normal = direction;
        }
    }
}
