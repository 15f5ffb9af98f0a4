//! Pairs of which one shape has curved faces: closed forms for points, otherwise the features of
//! the last frame, or GJK and EPA on supports, which stop when their two bounds are as close as
//! asked.
//!
//! A support has no vertex id here; each one is kept in a list for as long as a query lasts,
//! and its place in the list is its id.

mod contact;
mod depth;
mod face;
mod figure;
mod line;
pub(crate) mod point;
mod side;
mod track;

use std::cell::RefCell;

use drystone_geometry::glam::DVec3;
use drystone_geometry::{Feature, Frame, Separation};

use crate::convex::{NO_HINT, Vertex};
use crate::counters::Counters;
use crate::difference::Difference;
use crate::epa::Epa;
use crate::gjk::{Gjk, Search, Seed, Verdict};
use crate::simplex::Simplex;
use crate::tolerance::{LEVEL_SINE, MAX_GJK_STEPS};
use crate::trace::{ClosedForm, Event, Trace};
pub(crate) use contact::Curves;
pub(crate) use figure::Figure;

/// How close the two bounds must come, in metres, and what else is known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted {
    /// Figures farther apart than this may be answered by a bound above it alone.
    pub(crate) limit: f64,
    /// Ratio to the separation of the shapes, or their depth, that bounds may be apart.
    pub(crate) relative: f64,
    /// Radii around both figures, in metres.
    pub(crate) radius: f64,
    /// Bounds of the distance, apart.
    pub(crate) apart: f64,
    /// Bounds of the depth.
    pub(crate) depth: f64,
    /// Points that EPA may add, a count.
    pub(crate) max_expansions: u32,
}

/// A support: points of both figures in A's frame, and their vertices where they have some.
#[derive(Clone, Copy, Debug)]
struct Kept {
    on_a: DVec3,
    on_b: DVec3,
    vertex_a: u32,
    vertex_b: u32,
}

/// What a thread keeps for curved queries: allocated once, without influence on any answer.
#[derive(Debug, Default)]
struct Memory {
    kept: RefCell<Vec<Kept>>,
    epa: RefCell<Epa>,
}

thread_local! {
    static MEMORY: Memory = Memory::default();
}

/// Two figures as GJK and EPA see them.
struct Supports<'a> {
    a: &'a Figure<'a>,
    b: &'a Figure<'a>,
    b_in_a: &'a Frame,
    scale: f64,
    converged: f64,
    relative: f64,
    radius: f64,
    max_expansions: u32,
    kept: &'a RefCell<Vec<Kept>>,
}

impl Difference for Supports<'_> {
    const IS_CURVED: bool = true;

    fn support(&self, direction: DVec3, hint_a: u32, hint_b: u32) -> Vertex {
        let mut kept = self.kept.borrow_mut();
        let vertex_a = kept.get(hint_a as usize).map_or(NO_HINT, |k| k.vertex_a);
        let vertex_b = kept.get(hint_b as usize).map_or(NO_HINT, |k| k.vertex_b);
        let (on_a, vertex_a) = self.a.support(direction, vertex_a);
        let inward = -self.b_in_a.inverse_rotate(direction);
        let (local, vertex_b) = self.b.support(inward, vertex_b);
        let on_b = self.b_in_a.transform_point(local);
        let id = kept.len() as u32;
        kept.push(Kept {
            on_a,
            on_b,
            vertex_a,
            vertex_b,
        });
        Vertex {
            w: on_b - on_a,
            a: id,
            b: id,
        }
    }

    fn scale(&self) -> f64 {
        self.scale
    }

    fn converged(&self) -> f64 {
        self.converged
    }

    fn is_close(&self, lower: f64, upper: f64) -> bool {
        let (apart, depth) = (lower - self.radius, self.radius - upper);
        let known = apart.max(depth);
        // Without a sign yet, a ratio means nothing.
        let slack = if known > 0.0 && self.relative > 0.0 {
            self.converged.max(self.relative * known)
        } else {
            self.converged
        };
        upper - lower <= slack
    }

    fn max_expansions(&self) -> u32 {
        self.max_expansions
    }

    fn start(&self, seed: &Seed) -> (DVec3, u32, u32) {
        let direction = if seed.direction.length_squared() > 0.0 {
            seed.direction
        } else {
            let offset = self.b_in_a.transform_point(self.b.center()) - self.a.center();
            if offset.length_squared() > 0.0 {
                offset
            } else {
                DVec3::Y
            }
        };
        (direction, NO_HINT, NO_HINT)
    }
}

impl Supports<'_> {
    /// Witness points: the same mixture of both figures' points.
    fn mixture(&self, simplex: &Simplex, weights: &[f64; 3]) -> (DVec3, DVec3) {
        let kept = self.kept.borrow();
        let mut points = (DVec3::ZERO, DVec3::ZERO);
        for (vertex, &weight) in simplex.vertices().iter().zip(weights) {
            let Kept { on_a, on_b, .. } = kept[vertex.a as usize];
            points.0 += weight * on_a;
            points.1 += weight * on_b;
        }
        points
    }

    fn gap(&self, normal: DVec3) -> f64 {
        gap(self.a, self.b, self.b_in_a, normal)
    }
}

/// The gap between supporting planes along the unit `normal`, negative in overlap.
pub(crate) fn gap(a: &Figure<'_>, b: &Figure<'_>, b_in_a: &Frame, normal: DVec3) -> f64 {
    let on_a = a.support(normal, NO_HINT).0;
    let on_b = b.support(-b_in_a.inverse_rotate(normal), NO_HINT).0;
    (b_in_a.transform_point(on_b) - on_a).dot(normal)
}

/// Signed distance of two figures without their radii, of which the second is curved.
pub(crate) fn separation<T: Trace>(
    (a, b): (&Figure<'_>, &Figure<'_>),
    b_in_a: &Frame,
    seed: &Seed,
    wanted: &Wanted,
    counters: &mut Counters,
    trace: &mut T,
) -> Separation {
    if let (Figure::Core(crate::convex::Core::Point), Figure::Curved(solid)) = (a, b) {
        counters.closed_form += 1;
        trace.event(Event::Closed(ClosedForm::PointAndCurved));
        return of_point(solid, b_in_a);
    }
    MEMORY.with(|memory| {
        memory.kept.borrow_mut().clear();
        let scale = a.extent() + b.extent() + b_in_a.translation.length();
        let mut supports = Supports {
            a,
            b,
            b_in_a,
            scale: scale.max(f64::MIN_POSITIVE),
            converged: wanted.apart,
            relative: wanted.relative,
            radius: wanted.radius,
            max_expansions: wanted.max_expansions,
            kept: &memory.kept,
        };
        if seed.features.is_some() {
            // Bounds as close as either search would bring them.
            let tracked = supports.track(seed, wanted.limit);
            if let Some((answer, steps)) = tracked {
                counters.walked += 1;
                counters.walk_steps += u64::from(steps);
                trace.event(Event::Closed(ClosedForm::LastNormal));
                return answer;
            }
        }
        let mut search = Search::new(&supports, seed);
        trace.event(Event::GjkStart(search.latest.into()));
        search.run(MAX_GJK_STEPS, wanted.limit, trace);
        let found = search.found;
        counters.gjk += 1;
        counters.gjk_iterations += u64::from(found.steps);
        if found.verdict != Verdict::Met {
            let answer = supports.apart(&found);
            let loose = !supports.is_close(answer.lower, answer.upper);
            if answer.lower > 0.0 || !loose {
                if loose && found.verdict != Verdict::Beyond {
                    counters.gjk_exhausted += 1;
                }
                return answer;
            }
        }
        supports.converged = wanted.depth;
        counters.epa += 1;
        let mut epa = memory.epa.borrow_mut();
        supports.overlap(&mut epa, &found, counters, trace)
    })
}

impl Supports<'_> {
    fn apart(&self, found: &Gjk) -> Separation {
        let (point_a, point_b) = self.mixture(&found.simplex, &found.weights);
        let upper = (point_b - point_a).length();
        self.told(
            found.lower.min(upper),
            upper,
            (point_a, point_b),
            found.lower_normal,
        )
    }

    fn overlap<T: Trace>(
        &self,
        epa: &mut Epa,
        found: &Gjk,
        counters: &mut Counters,
        trace: &mut T,
    ) -> Separation {
        let simplex = found.simplex.vertices();
        let Some(depth) = epa.run(self, simplex, trace) else {
            // Only coordinates beyond all precision leave no volume: the interval says so.
            counters.gjk_exhausted += 1;
            let normal = found.lower_normal.normalize_or(DVec3::Y);
            let lower = self.gap(normal);
            let points = self.mixture(&found.simplex, &found.weights);
            return self.told(lower, lower.max(0.0), points, normal);
        };
        counters.epa_expansions += u64::from(depth.expansions);
        if depth.depth - depth.radius > self.converged {
            counters.epa_exhausted += 1;
        }
        let mut simplex = Simplex::of(depth.face[0]);
        simplex.push(depth.face[1]);
        simplex.push(depth.face[2]);
        let mut weights = [1.0, 0.0, 0.0];
        if let Some(nearest) = simplex.nearest(self.scale) {
            simplex = simplex.reduced(&nearest);
            weights = nearest.weights;
        }
        let points = self.mixture(&simplex, &weights);
        let lower = -depth.depth;
        let upper = if depth.radius < 0.0 {
            (points.1 - points.0).length().max(lower)
        } else {
            (-depth.radius).max(lower)
        };
        self.told(lower, upper, points, depth.normal)
    }

    fn told(&self, lower: f64, upper: f64, points: (DVec3, DVec3), normal: DVec3) -> Separation {
        let inward = -self.b_in_a.inverse_rotate(normal);
        Separation {
            lower,
            upper,
            point_a: points.0,
            point_b: points.1,
            normal,
            feature_a: self.a.feature(normal, LEVEL_SINE),
            feature_b: self.b.feature(inward, LEVEL_SINE),
        }
    }
}

/// The origin of A's frame and a curved solid.
fn of_point(solid: &drystone_geometry::shape::curved::Curved, b_in_a: &Frame) -> Separation {
    let local = b_in_a.inverse_transform_point(DVec3::ZERO);
    let nearest = point::nearest(solid, local);
    // The plane through the foot supports the solid; its gap is the proof.
    let lower = nearest.normal.dot(local - solid.support(nearest.normal));
    let upper = nearest.distance.max(lower);
    Separation {
        lower,
        upper,
        point_a: DVec3::ZERO,
        point_b: b_in_a.transform_point(nearest.point),
        normal: -b_in_a.rotate(nearest.normal),
        feature_a: Feature::vertex(0),
        feature_b: solid.feature(nearest.normal, LEVEL_SINE),
    }
}
