//! Questions to a world between steps: what a ray or a moving shape meets first, what
//! overlaps a shape, what is closest to a point, which bodies are in a box.
//!
//! All take `&World` and may be asked from several threads. They see bodies as they are
//! now, commands since the last step included, awake, asleep and static; disabled bodies are
//! not there. Answers do not depend on the world's history: of equals, the shape with the
//! lowest index comes first.

mod batch;
mod sweep;

use std::ops::ControlFlow;

use drystone_broad_phase::Filter;
use drystone_geometry::glam::{DVec3, Vec3};
use drystone_geometry::{Frame, Shape, WorldAabb, WorldPose};
use drystone_narrow_phase::{Motion, distance, ray};

use crate::record::ShapeRecord;
use crate::{BodyKey, DefError, ShapeKey, World, check};

pub use batch::{RayCast, ShapeCast};
pub(crate) use sweep::separation;

/// Which shapes a question is about.
#[derive(Clone, Copy)]
pub struct QueryFilter<'a> {
    /// What asks, as if it were a shape: both sides must agree.
    pub filter: Filter,
    /// A body to look through, such as the one that asks.
    pub exclude: Option<BodyKey>,
    /// Whether sensors are seen.
    pub sensors: bool,
    /// Has the last word on each shape that may matter. May be asked in any order.
    pub predicate: Option<&'a (dyn Fn(ShapeKey) -> bool + Sync)>,
}

impl Default for QueryFilter<'_> {
    /// Everything but sensors.
    fn default() -> Self {
        Self {
            filter: Filter::default(),
            exclude: None,
            sensors: false,
            predicate: None,
        }
    }
}

impl QueryFilter<'_> {
    /// Everything but one body and sensors.
    pub fn without(body: BodyKey) -> Self {
        Self {
            exclude: Some(body),
            ..Self::default()
        }
    }
}

/// What a ray or a moving shape meets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CastHit {
    /// What is met.
    pub shape: ShapeKey,
    /// Its body.
    pub body: BodyKey,
    /// The way until then, as a ratio of the whole; 0 when it overlaps from the start.
    pub fraction: f64,
    /// Where they touch, in the world, in metres.
    pub point: DVec3,
    /// Unit, out of what is met, in the world. Where a ray starts inside, against the ray.
    pub normal: Vec3,
}

/// What is closest to a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClosestHit {
    /// What is closest.
    pub shape: ShapeKey,
    /// Its body.
    pub body: BodyKey,
    /// In metres; negative inside.
    pub distance: f64,
    /// The closest point of its surface, in the world, in metres.
    pub point: DVec3,
    /// Unit, from the surface towards the point, or inside the shortest way out, in the world.
    pub normal: Vec3,
}

/// An overlap and the shortest way out of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overlap {
    /// What is overlapped.
    pub shape: ShapeKey,
    /// Its body.
    pub body: BodyKey,
    /// In metres, at least 0.
    pub depth: f64,
    /// Unit, the way out of it, in the world.
    pub normal: Vec3,
}

impl World {
    /// The first shape on the way from `origin` to `origin + translation`, in metres. `None`
    /// also when these are not finite.
    pub fn cast_ray(
        &self,
        origin: DVec3,
        translation: DVec3,
        filter: &QueryFilter<'_>,
    ) -> Option<CastHit> {
        let mut best = Best::default();
        self.broad.cast_ray(origin, translation, |index, _| {
            if let Some(shape) = self.visible(index, filter) {
                best.offer(index, self.ray_hit(shape, origin, translation));
            }
            best.limit
        });
        best.hit
    }

    /// Whether anything is on the way. Stops at the first shape it finds.
    pub fn is_ray_blocked(
        &self,
        origin: DVec3,
        translation: DVec3,
        filter: &QueryFilter<'_>,
    ) -> bool {
        let mut blocked = false;
        self.broad.cast_ray(origin, translation, |index, _| {
            let hit = self.visible(index, filter);
            blocked |= hit.is_some_and(|s| self.ray_hit(s, origin, translation).is_some());
            if blocked { -1.0 } else { 1.0 }
        });
        blocked
    }

    /// Every shape on the way, in order along it.
    pub fn cast_ray_all(
        &self,
        origin: DVec3,
        translation: DVec3,
        filter: &QueryFilter<'_>,
    ) -> Vec<CastHit> {
        let mut hits = Vec::new();
        self.broad.cast_ray(origin, translation, |index, _| {
            if let Some(shape) = self.visible(index, filter) {
                let hit = self.ray_hit(shape, origin, translation);
                hits.extend(hit.map(|hit| (index, hit)));
            }
            1.0
        });
        hits.sort_by(|a, b| a.1.fraction.total_cmp(&b.1.fraction).then(a.0.cmp(&b.0)));
        hits.into_iter().map(|(_, hit)| hit).collect()
    }

    /// The first shape that `shape` meets when it moves from `start` by `translation`, in
    /// metres, without turning. What it overlaps from the start counts, at fraction 0.
    ///
    /// Fails on an impossible or infinite shape and on numbers outside the world's range.
    pub fn cast_shape(
        &self,
        shape: &Shape,
        start: &WorldPose,
        translation: DVec3,
        filter: &QueryFilter<'_>,
    ) -> Result<Option<CastHit>, DefError> {
        let frame = checked(shape, start)?;
        check::position("translation", translation)?;
        let motion = Motion::shift(frame, translation);
        Ok(self.cast_motion(shape, &motion, &shape.bounds_in(&frame), filter))
    }

    /// [`World::cast_shape`] for a shape that also turns about its origin: `turn` is axis
    /// times angle of the whole turn, in world axes, in radians.
    pub fn cast_turning_shape(
        &self,
        shape: &Shape,
        start: &WorldPose,
        translation: DVec3,
        turn: Vec3,
        filter: &QueryFilter<'_>,
    ) -> Result<Option<CastHit>, DefError> {
        let frame = checked(shape, start)?;
        check::position("translation", translation)?;
        check::vector("turn", turn)?;
        let motion = Motion {
            angular: turn.as_dvec3(),
            ..Motion::shift(frame, translation)
        };
        // However it turns, it stays in a ball around its origin.
        let around = WorldAabb {
            min: frame.translation,
            max: frame.translation,
        };
        let around = around.inflate(f64::from(shape.extent_from(Vec3::ZERO)));
        Ok(self.cast_motion(shape, &motion, &around, filter))
    }

    fn cast_motion(
        &self,
        shape: &Shape,
        motion: &Motion,
        around: &WorldAabb,
        filter: &QueryFilter<'_>,
    ) -> Option<CastHit> {
        let mut best = Best::default();
        self.broad.cast_box(around, motion.linear, |index, _| {
            if let Some(target) = self.visible(index, filter) {
                best.offer(index, self.sweep_hit(target, shape, motion));
            }
            best.limit
        });
        best.hit
    }

    /// The shapes that overlap `shape` at `pose`, touching included, by rising index.
    ///
    /// Fails on an impossible or infinite shape and on numbers outside the world's range.
    pub fn overlaps(
        &self,
        shape: &Shape,
        pose: &WorldPose,
        filter: &QueryFilter<'_>,
    ) -> Result<Vec<ShapeKey>, DefError> {
        let frame = checked(shape, pose)?;
        let around = shape.bounds_in(&frame);
        let near = self.broad.touching(&around).into_iter();
        let near = near.filter_map(|index| self.visible(index, filter));
        Ok(near
            .filter(|target| {
                let near = sweep::separation(&target.shape, &self.frame_of(target), shape, &frame);
                near.is_some_and(|near| near.lower <= 0.0)
            })
            .map(|target| target.key)
            .collect())
    }

    /// What `shape` at `pose` overlaps the deepest, with the shortest way out of that.
    ///
    /// Fails on an impossible or infinite shape and on numbers outside the world's range.
    pub fn deepest_overlap(
        &self,
        shape: &Shape,
        pose: &WorldPose,
        filter: &QueryFilter<'_>,
    ) -> Result<Option<Overlap>, DefError> {
        let frame = checked(shape, pose)?;
        let mut deepest: Option<Overlap> = None;
        for index in self.broad.touching(&shape.bounds_in(&frame)) {
            let Some(target) = self.visible(index, filter) else {
                continue;
            };
            let target_frame = self.frame_of(target);
            let Some(answer) = sweep::separation(&target.shape, &target_frame, shape, &frame)
            else {
                continue;
            };
            let depth = -answer.lower;
            if depth >= 0.0 && deepest.is_none_or(|deepest| depth > deepest.depth) {
                deepest = Some(Overlap {
                    shape: target.key,
                    body: self.bodies[target.body as usize].key,
                    depth,
                    normal: target_frame.rotate(answer.normal).as_vec3(),
                });
            }
        }
        Ok(deepest)
    }

    /// The shape closest to a point, no farther than `max_distance`, both in metres. `None`
    /// also when the point is not finite, and when `max_distance` is negative.
    pub fn closest(
        &self,
        point: DVec3,
        max_distance: f64,
        filter: &QueryFilter<'_>,
    ) -> Option<ClosestHit> {
        let mut best: Option<(u32, ClosestHit)> = None;
        let mut limit = max_distance;
        self.broad.closest(point, max_distance, |index, _| {
            let Some(shape) = self.visible(index, filter) else {
                return limit;
            };
            let Some(hit) = self.closest_on(shape, point, limit) else {
                return limit;
            };
            let better =
                best.is_none_or(|(other, best)| (hit.distance, index) < (best.distance, other));
            // From the end of all numbers the distance is none.
            if better && hit.distance <= limit && hit.distance.is_finite() {
                best = Some((index, hit));
                // Boxes at no distance may still hold what is deeper inside.
                limit = hit.distance.max(0.0);
            }
            limit
        });
        best.map(|(_, hit)| hit)
    }

    /// The bodies with a shape whose box meets `region`, by rising index. Boxes have a
    /// margin, so a body just outside may be among them; none inside is missed.
    pub fn bodies_in(&self, region: &WorldAabb, filter: &QueryFilter<'_>) -> Vec<BodyKey> {
        let mut bodies = Vec::new();
        let _ = self.broad.query_box(region, |index| {
            if let Some(shape) = self.visible(index, filter) {
                bodies.push(shape.body);
            }
            ControlFlow::Continue(())
        });
        bodies.sort_unstable();
        bodies.dedup();
        let keys = bodies.into_iter();
        keys.map(|body| self.bodies[body as usize].key).collect()
    }

    /// The shape of a proxy, if the question is about it.
    fn visible(&self, index: u32, filter: &QueryFilter<'_>) -> Option<&ShapeRecord> {
        let shape = &self.shapes[index as usize];
        let seen = shape.filter.allows(&filter.filter)
            && (filter.sensors || !shape.sensor)
            && filter.exclude != Some(self.bodies[shape.body as usize].key)
            && filter
                .predicate
                .is_none_or(|predicate| predicate(shape.key));
        seen.then_some(shape)
    }

    fn ray_hit(&self, shape: &ShapeRecord, origin: DVec3, translation: DVec3) -> Option<CastHit> {
        let frame = self.frame_of(shape);
        let from = frame.inverse_transform_point(origin);
        let along = frame.inverse_rotate(translation);
        let hit = ray(&shape.shape, from, along, 1.0)?;
        Some(CastHit {
            shape: shape.key,
            body: self.bodies[shape.body as usize].key,
            fraction: hit.fraction,
            point: frame.transform_point(hit.point),
            normal: frame.rotate(hit.normal).as_vec3(),
        })
    }

    fn sweep_hit(&self, target: &ShapeRecord, shape: &Shape, motion: &Motion) -> Option<CastHit> {
        let frame = self.frame_of(target);
        let met = sweep::meet(&target.shape, &frame, shape, motion)?;
        Some(CastHit {
            shape: target.key,
            body: self.bodies[target.body as usize].key,
            fraction: met.fraction,
            point: frame.transform_point(met.point),
            normal: frame.rotate(met.normal).as_vec3(),
        })
    }

    fn closest_on(&self, shape: &ShapeRecord, point: DVec3, limit: f64) -> Option<ClosestHit> {
        let frame = self.frame_of(shape);
        let local = frame.inverse_transform_point(point);
        let (distance, at, normal) = match shape.shape.surface() {
            Some(surface) => {
                let hit = surface.closest(local, limit.max(0.0))?;
                let way = (local - hit.point).normalize_or(hit.normal);
                (hit.distance, hit.point, way)
            }
            None => {
                let there = Frame {
                    translation: local,
                    ..Frame::IDENTITY
                };
                let answer = distance(&shape.shape, &sweep::POINT, &there);
                (answer.distance(), answer.point_a, answer.normal)
            }
        };
        Some(ClosestHit {
            shape: shape.key,
            body: self.bodies[shape.body as usize].key,
            distance,
            point: frame.transform_point(at),
            normal: frame.rotate(normal).as_vec3(),
        })
    }
}

/// The best hit so far, whatever the order they come in.
struct Best {
    limit: f64,
    index: u32,
    hit: Option<CastHit>,
}

impl Default for Best {
    fn default() -> Self {
        Self {
            limit: 1.0,
            index: u32::MAX,
            hit: None,
        }
    }
}

impl Best {
    fn offer(&mut self, index: u32, hit: Option<CastHit>) {
        let Some(hit) = hit else { return };
        if self.hit.is_none() || (hit.fraction, index) < (self.limit, self.index) {
            (self.limit, self.index, self.hit) = (hit.fraction, index, Some(hit));
        }
    }
}

/// The frame of a shape that asks.
fn checked(shape: &Shape, pose: &WorldPose) -> Result<Frame, DefError> {
    shape
        .check()
        .map_err(|error| DefError::Shape { index: 0, error })?;
    if shape.is_infinite() || shape.surface().is_some() {
        return Err(DefError::QueryShape(shape.kind_name()));
    }
    check::world_pose(pose)?;
    Ok(WorldPose {
        rotation: drystone_geometry::rotation::normalize(pose.rotation),
        ..*pose
    }
    .to_frame())
}
