//! How large shapes are: what motion bounds and tolerances are measured by.

use drystone_geometry::glam::{DMat3, DVec3, Vec3};
use drystone_geometry::{Manifold, Shape};

use crate::convex::radius;
use crate::tolerance::STORED_POSE_ROUNDING;

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

/// How far the points of a shape may get by turning about its origin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    /// Largest distance of a point from the origin along each of the shape's axes, in metres.
    extents: DVec3,
    /// Largest distance of a point from the origin, in metres.
    reach: f64,
}

impl Span {
    /// Of a shape with its radius.
    pub(crate) fn of(shape: &Shape) -> Self {
        let extents = match shape.without_rounding() {
            Shape::Capsule { half_height, .. } => DVec3::new(0.0, f64::from(*half_height), 0.0),
            Shape::Box { half_extents } => half_extents.as_dvec3(),
            Shape::Hull(hull) => {
                let bounds = hull.local_aabb();
                bounds.min.abs().max(bounds.max.abs()).as_dvec3()
            }
            other => DVec3::splat(extent(other)),
        };
        let radius = radius(shape);
        Self {
            extents: extents + DVec3::splat(radius),
            reach: extent(shape) + radius,
        }
    }

    /// How far a point gets at most, in metres, when the shape turns from `then` to `now`; `chord`
    /// is twice the sine of half the angle between the two. What is long gets far by turning
    /// across its length, and hardly by rolling about it.
    pub(crate) fn turned(&self, then: &DMat3, now: &DMat3, chord: f64) -> f64 {
        let most = chord * self.reach;
        // The axis, as long as the sine of the angle, in the shape's frame.
        let axis = 0.5
            * DVec3::new(
                then.z_axis.dot(now.y_axis) - then.y_axis.dot(now.z_axis),
                then.x_axis.dot(now.z_axis) - then.z_axis.dot(now.x_axis),
                then.y_axis.dot(now.x_axis) - then.x_axis.dot(now.y_axis),
            );
        if chord >= 1.0 {
            return most;
        }
        let (turn, e) = (axis.abs(), self.extents);
        let arc = DVec3::new(
            turn.y * e.z + turn.z * e.y,
            turn.z * e.x + turn.x * e.z,
            turn.x * e.y + turn.y * e.x,
        );
        // A chord is the sine over the cosine of half the angle.
        (arc.length() / (1.0 - 0.25 * chord * chord).sqrt()).min(most)
    }

    /// What rounding of a rotation stored in `f32` moves a point by at most, in metres.
    pub(crate) fn rounding(&self) -> f64 {
        STORED_POSE_ROUNDING * self.reach
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

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_geometry::glam::DQuat;
    use drystone_geometry::rotation;

    /// A log turned about its own axis, across it and askew, by a hundredth of a degree up to half
    /// a turn. By brute force no corner gets farther than is said; by hand, rolling takes it as far
    /// as the diagonal of its end gets.
    #[test]
    fn no_corner_gets_farther_than_the_span_says() {
        let half = DVec3::new(0.3, 10.0, 0.4);
        let span = Span::of(&Shape::cube(half.as_vec3()));
        let turn = |axis: DVec3, angle: f64| {
            let (sin, cos) = (libm::sin(0.5 * angle), libm::cos(0.5 * angle));
            let axis = axis.normalize() * sin;
            rotation::to_dmatrix(DQuat::from_xyzw(axis.x, axis.y, axis.z, cos))
        };
        let then = turn(DVec3::new(1.0, -2.0, 0.5), 0.8);
        let axes = [
            DVec3::Y,
            DVec3::X,
            DVec3::Z,
            DVec3::ONE,
            DVec3::new(0.1, 2.0, -0.05),
        ];
        for axis in axes {
            for angle in [2e-4, 0.01, 0.1, 0.5, 1.0, 2.0, 3.0] {
                let now = then * turn(axis, angle);
                let chord = 2.0 * libm::sin(0.5 * angle);
                let most = span.turned(&then, &now, chord);
                for corner in 0..8 {
                    let sign = |axis: usize| f64::from(corner >> axis & 1) * 2.0 - 1.0;
                    let at = half * DVec3::new(sign(0), sign(1), sign(2));
                    let way = (now * at - then * at).length();
                    assert!(way <= most + 1e-6, "{axis}, {angle}: {way} beyond {most}");
                }
                if axis == DVec3::Y && chord < 1.0 {
                    assert!((most - 0.5 * chord).abs() < 1e-6, "{angle}: {most}");
                }
            }
        }
    }
}
