//! Closed forms for points and segments: the cores of spheres and capsules.

use drystone_geometry::feature::FeatureKind;
use drystone_geometry::glam::DVec3;
use drystone_geometry::{Feature, Frame, Separation};

use crate::tolerance::{CONVERGED, CROSSING_SINE_SQ, PARALLEL_SINE, TOUCHING};

/// Signed distance of the origin of A's frame and the point `b`.
///
/// Coincident points have the normal +Y of A's frame.
pub(crate) fn points(b: DVec3) -> Separation {
    let distance = b.length();
    let normal = if distance > 0.0 {
        b / distance
    } else {
        DVec3::Y
    };
    Separation {
        lower: normal.dot(b).min(distance),
        upper: distance,
        point_a: DVec3::ZERO,
        point_b: b,
        normal,
        feature_a: Feature::vertex(0),
        feature_b: Feature::vertex(0),
    }
}

/// Signed distance of the origin of A's frame and a segment along B's Y axis.
///
/// A point on the segment has the segment's +X axis as normal.
pub(crate) fn point_segment(half_height: f64, b_in_a: &Frame) -> Separation {
    let (center, axis) = (b_in_a.translation, b_in_a.rotation.y_axis);
    let (height, feature_b) = place(-center.dot(axis), half_height);
    let point_b = center + height * axis;
    let distance = point_b.length();
    let scale = center.length() + half_height;
    let gap = |normal: DVec3| normal.dot(center) - half_height * normal.dot(axis).abs();
    let mut normal = b_in_a.rotation.x_axis;
    let mut lower = gap(normal);
    if distance > TOUCHING * scale {
        // Near an end, rounding may tell the inside from the end wrongly; the wider gap of
        // the two directions tells.
        let plain = point_b / distance;
        let square = (plain - axis * plain.dot(axis)).normalize_or(plain);
        for other in [square, plain] {
            if gap(other) > lower {
                (normal, lower) = (other, gap(other));
            }
        }
    }
    Separation {
        lower: lower.min(distance),
        upper: distance,
        point_a: DVec3::ZERO,
        point_b,
        normal,
        feature_a: Feature::vertex(0),
        feature_b,
    }
}

/// Clamps a height to a segment and names the feature there.
#[inline(always)]
fn place(height: f64, half_height: f64) -> (f64, Feature) {
    if height <= -half_height {
        (-half_height, Feature::vertex(0))
    } else if height >= half_height {
        (half_height, Feature::vertex(1))
    } else {
        (height, Feature::edge(0))
    }
}

/// Signed distance of two segments along the Y axes of A's and B's frames.
///
/// Segments that cross have their common perpendicular as normal, on the side of B's
/// centre (or the cross product of the axes, if the centres tell nothing); collinear ones
/// that overlap have A's +X axis.
#[inline(always)]
pub(crate) fn segments(half_a: f64, half_b: f64, b_in_a: &Frame) -> Separation {
    let (center, axis) = (b_in_a.translation, b_in_a.rotation.y_axis);
    let scale = half_a + half_b + center.length();
    let cross = DVec3::Y.cross(axis);
    let (on_a, on_b) = nearest_heights(half_a, half_b, b_in_a, cross, scale);
    let (on_a, feature_a) = place(on_a, half_a);
    let (on_b, feature_b) = place(on_b, half_b);
    let point_a = on_a * DVec3::Y;
    let point_b = center + on_b * axis;
    let offset = point_b - point_a;
    let distance = offset.length();
    // Several directions may be right: the common perpendicular, the offset, and the offset
    // made square to an axis. Where one is rounding another is exact; the wider gap tells.
    let gap = |normal: DVec3| {
        normal.dot(center) - half_a * normal.y.abs() - half_b * normal.dot(axis).abs()
    };
    let crossing = || crossing_normal(cross, offset, center);
    let apart = distance > TOUCHING * scale;
    let plain = if apart {
        offset / distance
    } else {
        DVec3::ZERO
    };
    let square = |axis: DVec3| (plain - axis * plain.dot(axis)).normalize_or(plain);
    let mut normal = match (feature_a.kind(), feature_b.kind()) {
        _ if !apart => crossing(),
        (FeatureKind::Edge, FeatureKind::Edge) => crossing(),
        (FeatureKind::Edge, _) => square(DVec3::Y),
        (_, FeatureKind::Edge) => square(axis),
        _ => plain,
    };
    let mut lower = gap(normal);
    // None is wider than the distance, so what is as wide needs no other.
    if apart && lower < distance - CONVERGED * scale {
        for other in [crossing(), square(DVec3::Y), square(axis), plain] {
            if gap(other) > lower {
                (normal, lower) = (other, gap(other));
            }
        }
    }
    Separation {
        lower: lower.min(distance),
        upper: distance,
        point_a,
        point_b,
        normal,
        feature_a,
        feature_b,
    }
}

/// Heights of the nearest points of two segments: the crossing of their lines, or an end.
#[inline(always)]
fn nearest_heights(
    half_a: f64,
    half_b: f64,
    b_in_a: &Frame,
    cross: DVec3,
    scale: f64,
) -> (f64, f64) {
    let (center, axis) = (b_in_a.translation, b_in_a.rotation.y_axis);
    let mut best = (f64::INFINITY, 0.0, 0.0);
    let mut best_inside = 0;
    let mut consider = |on_a: f64, on_b: f64| {
        let distance_sq = (center + on_b * axis - on_a * DVec3::Y).length_squared();
        // Between equals, points inside the segments win: their offset is square to them.
        let inside = u32::from(on_a.abs() < half_a) + u32::from(on_b.abs() < half_b);
        let tie = 2.0 * distance_sq.sqrt() * CONVERGED * scale;
        let equal = (distance_sq - best.0).abs() <= tie;
        let better = if equal {
            inside > best_inside
        } else {
            distance_sq < best.0
        };
        if better {
            best = (distance_sq, on_a, on_b);
            best_inside = inside;
        }
    };
    let nearest_on_a = |on_b: f64| (center.y + on_b * axis.y).clamp(-half_a, half_a);
    let nearest_on_b = |on_a: f64| (on_a * axis.y - center.dot(axis)).clamp(-half_b, half_b);
    let sine_sq = cross.length_squared();
    if sine_sq > PARALLEL_SINE * PARALLEL_SINE {
        let on_a = (center.cross(axis).dot(cross) / sine_sq).clamp(-half_a, half_a);
        let on_b = nearest_on_b(on_a);
        let on_a = nearest_on_a(on_b);
        let on_b = nearest_on_b(on_a);
        if sine_sq > CROSSING_SINE_SQ {
            return (on_a, on_b);
        }
        consider(on_a, on_b);
    }
    for end in [-1.0, 1.0] {
        consider(nearest_on_a(end * half_b), end * half_b);
        consider(end * half_a, nearest_on_b(end * half_a));
    }
    (best.1, best.2)
}

/// The common perpendicular of two segments, on the side that `offset` or `center` tells.
#[inline(always)]
fn crossing_normal(cross: DVec3, offset: DVec3, center: DVec3) -> DVec3 {
    let length = cross.length();
    if length <= PARALLEL_SINE {
        return DVec3::X;
    }
    let side = if cross.dot(offset) != 0.0 {
        cross.dot(offset)
    } else {
        cross.dot(center)
    };
    if side < 0.0 {
        -cross / length
    } else {
        cross / length
    }
}
