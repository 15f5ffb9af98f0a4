//! How large shapes are: what motion bounds and tolerances are measured by.

use drystone_geometry::glam::{DVec3, Vec3};
use drystone_geometry::{Manifold, Shape};

/// Largest distance of a core point from the shape's origin; infinite for a half-space.
pub(crate) fn extent(shape: &Shape) -> f64 {
    match shape.without_rounding() {
        Shape::Sphere { .. } | Shape::Rounded { .. } => 0.0,
        Shape::Capsule { half_height, .. } => f64::from(*half_height),
        Shape::Box { half_extents } => f64::from(half_extents.length()),
        Shape::Hull(hull) => hull.reach(),
        Shape::Cylinder { .. } | Shape::Cone { .. } | Shape::Ellipsoid { .. } => shape
            .curved()
            .map_or(0.0, |solid| solid.extent_from(DVec3::ZERO)),
        Shape::Triangle { points } => longest(points),
        Shape::Segment { a, b } => longest(&[*a, *b]),
        Shape::HalfSpace { .. } | Shape::Mesh(_) | Shape::HeightField(_) => f64::INFINITY,
    }
}

/// Largest distance of a point from the origin.
fn longest(points: &[Vec3]) -> f64 {
    points
        .iter()
        .map(|point| point.as_dvec3().length())
        .fold(0.0, f64::max)
}

/// The same from the centre of volume of a hull.
pub(crate) fn extent_from_center(shape: &Shape) -> f64 {
    match shape.without_rounding() {
        Shape::Hull(hull) => hull.bounding_radius(),
        _ => extent(shape),
    }
}

/// Radius of a ball that fits in the shape, or half the length of one that is flat: what
/// tolerances are measured by.
pub(crate) fn size(shape: &Shape) -> f64 {
    match shape {
        Shape::Sphere { radius } | Shape::Capsule { radius, .. } => f64::from(*radius),
        Shape::Box { half_extents } => f64::from(half_extents.min_element()),
        Shape::Hull(hull) => hull.inner_radius(),
        Shape::Cylinder { .. } | Shape::Cone { .. } | Shape::Ellipsoid { .. } => {
            shape.curved().map_or(0.0, |solid| solid.inner_radius())
        }
        Shape::Triangle { points: [a, b, c] } => {
            let length = |a: &Vec3, b: &Vec3| a.as_dvec3().distance(b.as_dvec3());
            0.5 * length(a, b).max(length(b, c)).max(length(c, a))
        }
        Shape::Segment { a, b } => 0.5 * a.as_dvec3().distance(b.as_dvec3()),
        Shape::Rounded { core, radius } => f64::from(*radius) + f64::from(core.inner_radius()),
        Shape::HalfSpace { .. } | Shape::Mesh(_) | Shape::HeightField(_) => f64::INFINITY,
    }
}

/// Whether the shape may roll on this contact. A cylinder or cone does not while it stands on
/// three points or more of its cap.
pub(crate) fn is_round(shape: &Shape, manifold: &Manifold) -> bool {
    match shape.without_rounding() {
        Shape::Sphere { .. }
        | Shape::Capsule { .. }
        | Shape::Segment { .. }
        | Shape::Ellipsoid { .. } => true,
        Shape::Cylinder { .. } | Shape::Cone { .. } => manifold.points().len() < 3,
        _ => false,
    }
}
