//! Moving one convex shape against another, straight: conservative advancement along the
//! separating planes that the distance query proves.
//!
//! The moving shape may go on until it reaches the plane, whatever the shapes; each round
//! the plane is found anew. For polytopes a few rounds end exactly, for curved shapes they
//! converge fast. A plane that is not approached proves a miss.
//!
//! van den Bergen, *Ray casting against general convex objects* (2004), section 4, with
//! planes of the full shapes in place of GJK's simplices.

use drystone_geometry::glam::{DVec3, Vec3};
use drystone_geometry::{Aabb, Frame, Separation, Shape, WorldAabb};
use drystone_narrow_phase::{Counters, Tracker, distance, distance_tracked};

use crate::tolerance::{CAST_GAP, MAX_CAST_ROUNDS};

/// A point, as a shape: its radius is far below any rounding.
pub(super) const POINT: Shape = Shape::Sphere {
    radius: f32::MIN_POSITIVE,
};

/// Where two shapes meet, in the frame of the one that stays.
pub(super) struct Met {
    pub(super) fraction: f64,
    /// Unit, out of the one that stays.
    pub(super) normal: DVec3,
    pub(super) point: DVec3,
}

/// The first touch of `mover`, which moves from `start` by `translation`, with `target`.
pub(super) fn meet(
    target: &Shape,
    frame: &Frame,
    mover: &Shape,
    start: &Frame,
    translation: DVec3,
) -> Option<Met> {
    let there = Frame::relative(frame, start);
    let along = frame.inverse_rotate(translation);
    match target.surface() {
        None => convex(target, mover, &there, along),
        Some(surface) => {
            let mut path = mover.bounds_in(&there);
            let end = mover.bounds_in(&Frame {
                translation: there.translation + along,
                ..there
            });
            path = path.union(&end);
            let mut near = Vec::new();
            surface.triangles_in(&around(&path), &mut near);
            let hits = near.into_iter().filter_map(|index| {
                let points = surface.corners(index);
                convex(&Shape::Triangle { points }, mover, &there, along)
            });
            hits.min_by(|a, b| a.fraction.total_cmp(&b.fraction))
        }
    }
}

/// The distance of `target` from `shape` with its proof, in the target's frame; of a surface
/// that of the triangle that is closest. `None` where none is near.
pub(super) fn separation(
    target: &Shape,
    frame: &Frame,
    shape: &Shape,
    pose: &Frame,
) -> Option<Separation> {
    let there = Frame::relative(frame, pose);
    let Some(surface) = target.surface() else {
        return Some(distance(target, shape, &there));
    };
    let mut near = Vec::new();
    surface.triangles_in(&around(&shape.bounds_in(&there)), &mut near);
    let answers = near.into_iter().map(|index| {
        let points = surface.corners(index);
        distance(&Shape::Triangle { points }, shape, &there)
    });
    answers.min_by(|a, b| a.lower.total_cmp(&b.lower))
}

/// The first touch of a convex shape that moves from `start` by `along`, both in the frame of
/// the one that stays.
pub(super) fn convex(target: &Shape, mover: &Shape, start: &Frame, along: DVec3) -> Option<Met> {
    let mut tracker = Tracker::default();
    let mut counters = Counters::default();
    let mut fraction = 0.0;
    let extent = f64::from(mover.extent_from(Vec3::ZERO));
    let near = CAST_GAP * (extent + along.length() + start.translation.length());
    let mut last = None;
    for _ in 0..MAX_CAST_ROUNDS {
        let now = Frame {
            translation: start.translation + along * fraction,
            ..*start
        };
        let answer = distance_tracked(target, mover, &now, &mut tracker, &mut counters);
        let met = Met {
            fraction,
            normal: answer.normal,
            point: answer.point_a,
        };
        if answer.lower <= 0.0 {
            return Some(met);
        }
        let closing = -along.dot(answer.normal);
        if closing <= 0.0 {
            return None;
        }
        if answer.lower <= near {
            return Some(met);
        }
        fraction += answer.lower / closing;
        if fraction > 1.0 {
            return None;
        }
        last = Some(Met { fraction, ..met });
    }
    // Grazing to the last: the way up to here is proven free.
    last
}

fn around(region: &WorldAabb) -> Aabb {
    Aabb {
        min: Vec3::from_array(region.min.to_array().map(|x| (x as f32).next_down())),
        max: Vec3::from_array(region.max.to_array().map(|x| (x as f32).next_up())),
    }
}
