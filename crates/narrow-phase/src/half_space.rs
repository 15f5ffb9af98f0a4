//! Shapes against a half-space, in closed form.

use drystone_geometry::glam::{DVec3, Vec3};
use drystone_geometry::{Feature, Frame, Separation};

use crate::convex::NO_HINT;
use crate::curved::Figure;
use crate::tolerance::{LEVEL_SINE, OPPOSITE_PLANES_SINE};

/// Signed distance of a rounded core and the half-space with this normal.
pub(crate) fn separation(
    core: &Figure<'_>,
    radius: f64,
    plane_normal: Vec3,
    b_in_a: &Frame,
) -> Separation {
    let up = outward(plane_normal, b_in_a);
    let (lowest, vertex) = core.support(-up, NO_HINT);
    let lowest = lowest - radius * up;
    let distance = up.dot(lowest - b_in_a.translation);
    Separation {
        lower: distance,
        upper: distance,
        point_a: lowest,
        point_b: lowest - distance * up,
        normal: -up,
        feature_a: match core {
            Figure::Core(_) => Feature::vertex(vertex),
            Figure::Curved(solid) => solid.feature(-up, LEVEL_SINE),
        },
        feature_b: Feature::face(0),
    }
}

/// The outward normal of the half-space in A's frame, unit in `f64`.
pub(crate) fn outward(plane_normal: Vec3, b_in_a: &Frame) -> DVec3 {
    b_in_a.rotate(plane_normal.as_dvec3().normalize())
}

/// Signed distance of two half-spaces: finite only when they face each other; otherwise
/// they overlap without bound and both bounds are minus infinity.
pub(crate) fn two(normal_a: Vec3, normal_b: Vec3, b_in_a: &Frame) -> Separation {
    let normal = normal_a.as_dvec3().normalize();
    let other = outward(normal_b, b_in_a);
    let facing = normal.dot(other) < 0.0 && normal.cross(other).length() <= OPPOSITE_PLANES_SINE;
    let distance = if facing {
        normal.dot(b_in_a.translation)
    } else {
        f64::NEG_INFINITY
    };
    Separation {
        lower: distance,
        upper: distance,
        point_a: DVec3::ZERO,
        point_b: if facing {
            distance * normal
        } else {
            DVec3::ZERO
        },
        normal,
        feature_a: Feature::face(0),
        feature_b: Feature::face(0),
    }
}
