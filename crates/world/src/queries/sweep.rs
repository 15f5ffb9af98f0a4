//! One shape against one other, a surface triangle by triangle, in the frame of the first.

use drystone_geometry::glam::{DVec3, Vec3};
use drystone_geometry::{Aabb, Frame, Separation, Shape, WorldAabb};
use drystone_narrow_phase::{CastEnd, CastSettings, Counters, Motion, Toi, cast_motion, distance};

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

/// The first touch of `mover` with `target`, which stays at `frame`.
pub(super) fn meet(target: &Shape, frame: &Frame, mover: &Shape, motion: &Motion) -> Option<Met> {
    let motion = Motion {
        start: Frame::relative(frame, &motion.start),
        center: motion.center,
        linear: frame.inverse_rotate(motion.linear),
        angular: frame.inverse_rotate(motion.angular),
    };
    let still = Motion::still(Frame::IDENTITY);
    let settings = CastSettings::default();
    let mut counters = Counters::default();
    let Toi {
        end,
        time,
        separation,
        ..
    } = cast_motion((target, &still), (mover, &motion), &settings, &mut counters);
    // A cast that ran out of steps grazes: the way up to there is proven free.
    (end != CastEnd::Missed).then_some(Met {
        fraction: time,
        normal: separation.normal,
        point: separation.point_a,
    })
}

/// The distance of `target` from `shape` with its proof, in the target's frame; of a surface
/// that of the triangle that is closest, from its front. `None` where none is near.
pub(crate) fn separation(
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
    let answers = near.into_iter().filter_map(|index| {
        let answer = distance(&Shape::triangle(surface.corners(index)), shape, &there);
        let behind = answer.normal.dot(surface.triangle(index).normal) < 0.0;
        (surface.is_two_sided() || !behind).then_some(answer)
    });
    answers.min_by(|a, b| a.lower.total_cmp(&b.lower))
}

fn around(region: &WorldAabb) -> Aabb {
    Aabb {
        min: Vec3::from_array(region.min.to_array().map(|x| (x as f32).next_down())),
        max: Vec3::from_array(region.max.to_array().map(|x| (x as f32).next_up())),
    }
}
