//! Many questions at once, shared among the world's workers.

use drystone_geometry::glam::DVec3;
use drystone_geometry::{Shape, WorldPose};

use super::{CastHit, QueryFilter};
use crate::{DefError, World};

/// Questions per unit of parallel work.
const CHUNK: usize = 32;

/// A ray to cast.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayCast {
    /// Where it starts, in the world, in metres.
    pub origin: DVec3,
    /// To where it goes from there, in metres.
    pub translation: DVec3,
}

/// A shape to move.
#[derive(Clone, Debug, PartialEq)]
pub struct ShapeCast {
    /// What moves.
    pub shape: Shape,
    /// Where it starts.
    pub start: WorldPose,
    /// To where it moves from there, in metres.
    pub translation: DVec3,
}

impl World {
    /// [`World::cast_ray`] for many rays on all workers; answers in the order of the rays.
    pub fn cast_rays(&self, rays: &[RayCast], filter: &QueryFilter<'_>) -> Vec<Option<CastHit>> {
        self.answer_all(rays, &|ray| {
            self.cast_ray(ray.origin, ray.translation, filter)
        })
    }

    /// [`World::cast_shape`] for many shapes on all workers; answers in their order.
    pub fn cast_shapes(
        &self,
        casts: &[ShapeCast],
        filter: &QueryFilter<'_>,
    ) -> Vec<Result<Option<CastHit>, DefError>> {
        self.answer_all(casts, &|cast| {
            self.cast_shape(&cast.shape, &cast.start, cast.translation, filter)
        })
    }

    fn answer_all<Q: Sync, A: Send>(
        &self,
        questions: &[Q],
        answer: &(dyn Fn(&Q) -> A + Sync),
    ) -> Vec<A> {
        let mut answers: Vec<Vec<A>> = Vec::new();
        answers.resize_with(questions.len().div_ceil(CHUNK), Vec::new);
        let work = answers.iter_mut().zip(questions.chunks(CHUNK));
        self.workers.for_each(work, |_, (answers, questions)| {
            answers.extend(questions.iter().map(answer));
        });
        answers.into_iter().flatten().collect()
    }
}
