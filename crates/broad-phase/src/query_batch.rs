//! Answers to whole questions, one at a time and in batches: the first box met, all of them,
//! whether there is any, and the closest.
//!
//! An answer does not depend on how the boxes are stored, nor on threads: of two equal ones
//! that of the lower id is taken. A caller that knows more than boxes says with a function
//! how far a candidate really is.

use std::ops::ControlFlow;

use drystone_geometry::glam::DVec3;
use drystone_geometry::{Workers, WorldAabb};

use crate::broad_phase::BroadPhase;
use crate::tolerance::TASK_QUERIES;

/// A box that moves in a straight line, in the world, in metres. Without extent it is a ray.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoxCast {
    /// Where it starts.
    pub start: WorldAabb,
    /// How far it moves.
    pub translation: DVec3,
}

impl BoxCast {
    /// A ray from `origin` to `origin + translation`.
    pub fn ray(origin: DVec3, translation: DVec3) -> Self {
        let start = WorldAabb {
            min: origin,
            max: origin,
        };
        Self { start, translation }
    }
}

/// A proxy on the way of a cast.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoxHit {
    /// The proxy.
    pub id: u32,
    /// Fraction of the way, 0 to 1.
    pub fraction: f64,
}

/// A proxy near a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoxNear {
    /// The proxy.
    pub id: u32,
    /// Its distance, in metres.
    pub distance: f64,
}

impl BroadPhase {
    /// The first proxy that `cast` meets. `exact` is given a proxy and the fraction of the
    /// way at which its fat box is met, and answers with the fraction at which the proxy
    /// itself is, not before that, or with none if it is missed: `|_, fraction| Some(fraction)`
    /// asks for fat boxes.
    pub fn first_hit(
        &self,
        cast: &BoxCast,
        exact: impl Fn(u32, f64) -> Option<f64>,
    ) -> Option<BoxHit> {
        let mut first: Option<BoxHit> = None;
        self.cast_box(&cast.start, cast.translation, |id, entry| {
            let limit = first.map_or(1.0, |hit| hit.fraction);
            if let Some(fraction) = exact(id, entry) {
                let is_first = match first {
                    None => fraction <= limit,
                    Some(hit) => (fraction, id) < (hit.fraction, hit.id),
                };
                if is_first {
                    first = Some(BoxHit { id, fraction });
                }
            }
            first.map_or(limit, |hit| hit.fraction)
        });
        first
    }

    /// All proxies whose fat boxes `cast` meets, in the order in which it does, those of
    /// equal fractions by id.
    pub fn all_hits(&self, cast: &BoxCast) -> Vec<BoxHit> {
        let mut hits = Vec::new();
        self.cast_box(&cast.start, cast.translation, |id, fraction| {
            hits.push(BoxHit { id, fraction });
            1.0
        });
        hits.sort_unstable_by(|one, other| {
            one.fraction
                .total_cmp(&other.fraction)
                .then(one.id.cmp(&other.id))
        });
        hits
    }

    /// Whether `cast` meets the fat box of any proxy that `accept` agrees to.
    pub fn any_hit(&self, cast: &BoxCast, accept: impl Fn(u32) -> bool) -> bool {
        let mut is_met = false;
        self.cast_box(&cast.start, cast.translation, |id, _| {
            is_met = accept(id);
            if is_met { -1.0 } else { 1.0 }
        });
        is_met
    }

    /// Whether the fat box of any proxy that `accept` agrees to touches `region`.
    pub fn any_touching(&self, region: &WorldAabb, accept: impl Fn(u32) -> bool) -> bool {
        let found = self.query_box(region, |id| {
            if accept(id) {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        found.is_break()
    }

    /// The proxy closest to `point`, at most `max_distance` metres away. `exact` is given a
    /// proxy and the distance of its fat box, and answers with that of the proxy itself, not
    /// less than that, or with none to leave it out.
    pub fn nearest(
        &self,
        point: DVec3,
        max_distance: f64,
        exact: impl Fn(u32, f64) -> Option<f64>,
    ) -> Option<BoxNear> {
        let mut nearest: Option<BoxNear> = None;
        self.closest(point, max_distance, |id, bound| {
            if let Some(distance) = exact(id, bound) {
                let is_nearer = match nearest {
                    None => distance <= max_distance,
                    Some(near) => (distance, id) < (near.distance, near.id),
                };
                if is_nearer {
                    nearest = Some(BoxNear { id, distance });
                }
            }
            nearest.map_or(max_distance, |near| near.distance)
        });
        nearest
    }

    /// [`Self::first_hit`] for many, shared by `workers`. `exact` is given the index of the
    /// cast as well.
    pub fn first_hits(
        &self,
        workers: &Workers,
        casts: &[BoxCast],
        exact: impl Fn(usize, u32, f64) -> Option<f64> + Sync,
    ) -> Vec<Option<BoxHit>> {
        batch(workers, casts, |index, cast| {
            self.first_hit(cast, |id, entry| exact(index, id, entry))
        })
    }

    /// [`Self::all_hits`] for many, shared by `workers`.
    pub fn all_hits_of(&self, workers: &Workers, casts: &[BoxCast]) -> Vec<Vec<BoxHit>> {
        batch(workers, casts, |_, cast| self.all_hits(cast))
    }

    /// [`Self::touching`] for many regions, shared by `workers`.
    pub fn touching_each(&self, workers: &Workers, regions: &[WorldAabb]) -> Vec<Vec<u32>> {
        batch(workers, regions, |_, region| self.touching(region))
    }

    /// [`Self::nearest`] for many points, shared by `workers`. `exact` is given the index of
    /// the point as well.
    pub fn nearest_each(
        &self,
        workers: &Workers,
        points: &[DVec3],
        max_distance: f64,
        exact: impl Fn(usize, u32, f64) -> Option<f64> + Sync,
    ) -> Vec<Option<BoxNear>> {
        batch(workers, points, |index, point| {
            self.nearest(*point, max_distance, |id, bound| exact(index, id, bound))
        })
    }
}

/// The answers to many questions, in their order.
fn batch<Q: Sync, A: Clone + Default + Send>(
    workers: &Workers,
    questions: &[Q],
    answer: impl Fn(usize, &Q) -> A + Sync,
) -> Vec<A> {
    let mut answers = vec![A::default(); questions.len()];
    let work = questions
        .chunks(TASK_QUERIES)
        .zip(answers.chunks_mut(TASK_QUERIES));
    workers.for_each(work, |task, (questions, answers)| {
        let first = task * TASK_QUERIES;
        for (k, (question, place)) in questions.iter().zip(answers).enumerate() {
            *place = answer(first + k, question);
        }
    });
    answers
}
