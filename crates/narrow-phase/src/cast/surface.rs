//! Casts against meshes and height fields: the first of the triangles in the way.

use drystone_geometry::glam::DVec3;
use drystone_geometry::mesh::Surface;
use drystone_geometry::{Aabb, Feature, Separation, Shape};

use super::{CastEnd, CastSettings, Motion, Toi, advance};
use crate::counters::Counters;
use crate::trace::Silent;
use crate::tracker::Tracker;

/// The separation of what is not there.
pub(super) const NOWHERE: Separation = Separation {
    lower: f64::INFINITY,
    upper: f64::INFINITY,
    point_a: DVec3::ZERO,
    point_b: DVec3::ZERO,
    normal: DVec3::Y,
    feature_a: Feature::face(0),
    feature_b: Feature::face(0),
};

/// When a convex shape first meets a surface, which is A.
pub(super) fn cast(
    surface: &Surface<'_>,
    motion: &Motion,
    (b, motion_b): (&Shape, &Motion),
    settings: &CastSettings,
    counters: &mut Counters,
) -> Toi {
    let mut triangles = Vec::new();
    surface.triangles_in(&swept(motion, (b, motion_b), settings), &mut triangles);
    let mut first = Toi {
        end: CastEnd::Missed,
        time: settings.end,
        separation: NOWHERE,
        approach: 0.0,
        steps: 0,
    };
    let mut steps = 0;
    for &triangle in &triangles {
        let shape = Shape::triangle(surface.corners(triangle));
        let until = CastSettings {
            end: first.time,
            ..*settings
        };
        let mut toi = advance(
            (&shape, motion),
            (b, motion_b),
            &until,
            &mut Tracker::default(),
            counters,
            &mut Silent,
        );
        steps += toi.steps;
        toi.separation.feature_a = Feature::face(triangle);
        let front = surface.triangle(triangle).normal;
        let is_behind = !surface.is_two_sided() && toi.separation.normal.dot(front) < 0.0;
        if toi.end == CastEnd::Missed || is_behind {
            continue;
        }
        let is_deeper = toi.separation.lower < first.separation.lower;
        if first.end == CastEnd::Missed || toi.time < first.time || is_deeper {
            first = toi;
        }
    }
    Toi { steps, ..first }
}

/// A box in the surface's frame around all that the shape passes through.
fn swept(motion: &Motion, (b, motion_b): (&Shape, &Motion), settings: &CastSettings) -> Aabb {
    let reach = motion_b.reach(b);
    let margin = reach + settings.target.max(0.0) + settings.slack;
    let at = |time: f64| {
        let center = motion_b.at(time).transform_point(motion_b.center);
        motion.at(time).inverse_transform_point(center)
    };
    let (from, to) = (at(0.0), at(settings.end));
    // Seen from a surface that turns, the path bends: by no more than the turn moves it.
    let bend = if motion.angular == DVec3::ZERO {
        0.0
    } else {
        let farthest = from.length().max(to.length()) + motion_b.linear.length();
        motion.angular.length() * (farthest + motion.center.length())
    };
    let margin = DVec3::splat(margin + bend);
    let (min, max) = (from.min(to) - margin, from.max(to) + margin);
    Aabb {
        min: min.as_vec3().map(f32::next_down),
        max: max.as_vec3().map(f32::next_up),
    }
}
