//! A ray against one shape, in the shape's frame.

use drystone_geometry::glam::{DVec3, Vec3};
use drystone_geometry::{Frame, Shape};

use super::sweep;

/// The first point of `shape` on the way from `origin` to `origin + along`: the share of the
/// way and the outward unit normal there. A start inside is met at once, its normal points
/// against the ray.
pub(super) fn meet(shape: &Shape, origin: DVec3, along: DVec3) -> Option<(f64, DVec3)> {
    match shape {
        Shape::Sphere { radius } => ball(f64::from(*radius), origin, along),
        Shape::Box { half_extents } => cuboid(*half_extents, origin, along),
        Shape::HalfSpace { normal } => half_space(normal.as_dvec3(), origin, along),
        _ => match shape.surface() {
            Some(_) if along == DVec3::ZERO => None,
            Some(surface) => {
                let hit = surface.ray(origin, along, 1.0)?;
                let against = if hit.normal.dot(along) > 0.0 {
                    -1.0
                } else {
                    1.0
                };
                Some((hit.distance, hit.normal * against))
            }
            None => {
                let start = Frame {
                    translation: origin,
                    ..Frame::IDENTITY
                };
                let met = sweep::convex(shape, &sweep::POINT, &start, along)?;
                if met.fraction == 0.0 {
                    return Some((0.0, inside(along)));
                }
                Some((met.fraction, met.normal))
            }
        },
    }
}

/// The normal where a ray starts inside.
fn inside(along: DVec3) -> DVec3 {
    (-along).normalize_or(DVec3::Y)
}

fn half_space(normal: DVec3, origin: DVec3, along: DVec3) -> Option<(f64, DVec3)> {
    let height = origin.dot(normal);
    if height <= 0.0 {
        return Some((0.0, inside(along)));
    }
    let closing = -along.dot(normal);
    (closing >= height).then(|| (height / closing, normal))
}

/// The smaller root of |origin + t along|^2 = r^2, in the form that does not cancel.
fn ball(radius: f64, origin: DVec3, along: DVec3) -> Option<(f64, DVec3)> {
    let beyond = origin.length_squared() - radius * radius;
    if beyond <= 0.0 {
        return Some((0.0, inside(along)));
    }
    let (closing, length_sq) = (-origin.dot(along), along.length_squared());
    // The squared distance of the line from the centre, times the squared length.
    let off = origin.cross(along).length_squared();
    let rest = radius * radius * length_sq - off;
    if closing <= 0.0 || rest < 0.0 {
        return None;
    }
    let fraction = beyond / (closing + rest.sqrt());
    (fraction <= 1.0).then(|| {
        let normal = (origin + along * fraction).normalize_or(DVec3::Y);
        (fraction, normal)
    })
}

/// Slabs; Ericson, *Real-Time Collision Detection* (2005), section 5.3.3.
fn cuboid(half_extents: Vec3, origin: DVec3, along: DVec3) -> Option<(f64, DVec3)> {
    let half = half_extents.as_dvec3();
    let (mut enter, mut leave) = (0.0_f64, 1.0_f64);
    let mut normal = None;
    for axis in 0..3 {
        if along[axis] == 0.0 {
            if origin[axis].abs() > half[axis] {
                return None;
            }
            continue;
        }
        let side = -along[axis].signum();
        let near = (side * half[axis] - origin[axis]) / along[axis];
        let far = (-side * half[axis] - origin[axis]) / along[axis];
        if near > enter || (near == enter && origin[axis] * side == half[axis]) {
            enter = near;
            normal = Some(side * DVec3::AXES[axis]);
        }
        leave = leave.min(far);
    }
    if enter > leave {
        return None;
    }
    let start_inside = origin.abs().cmple(half).all();
    match normal {
        Some(normal) if !start_inside => Some((enter, normal)),
        _ => start_inside.then(|| (0.0, inside(along))),
    }
}
