//! Making shapes from their sizes.

use std::sync::Arc;

use glam::Vec3;

use super::Shape;
use crate::hull::{Hull, HullError};

impl Shape {
    /// A ball around the origin. [`Shape::check`] says whether `radius` is valid.
    pub const fn sphere(radius: f32) -> Self {
        Self::Sphere { radius }
    }

    /// A capsule along Y. [`Shape::check`] says whether the sizes are valid.
    pub const fn capsule(half_height: f32, radius: f32) -> Self {
        Self::Capsule {
            half_height,
            radius,
        }
    }

    /// A box around the origin. [`Shape::check`] says whether `half_extents` are valid.
    pub const fn cube(half_extents: Vec3) -> Self {
        Self::Box { half_extents }
    }

    /// The convex hull of `points`, see [`Hull::new`].
    ///
    /// # Errors
    ///
    /// When the points do not span a solid.
    pub fn hull(points: &[Vec3]) -> Result<Self, HullError> {
        Ok(Self::Hull(Arc::new(Hull::new(points)?)))
    }

    /// A cylinder along Y. [`Shape::check`] says whether the sizes are valid.
    pub const fn cylinder(half_height: f32, radius: f32) -> Self {
        Self::Cylinder {
            half_height,
            radius,
        }
    }

    /// A cone along Y, its apex up. [`Shape::check`] says whether the sizes are valid.
    pub const fn cone(half_height: f32, radius: f32) -> Self {
        Self::Cone {
            half_height,
            radius,
        }
    }

    /// An ellipsoid. [`Shape::check`] says whether the semi-axes are valid.
    pub const fn ellipsoid(semi_axes: Vec3) -> Self {
        Self::Ellipsoid { semi_axes }
    }

    /// A triangle. [`Shape::check`] says whether the corners are valid.
    pub const fn triangle(points: [Vec3; 3]) -> Self {
        Self::Triangle { points }
    }

    /// A segment. [`Shape::check`] says whether the ends are valid.
    pub const fn segment(a: Vec3, b: Vec3) -> Self {
        Self::Segment { a, b }
    }

    /// Everything below a plane through the origin. `normal` points out and is scaled to
    /// unit length; [`Shape::check`] refuses what remains of zero or NaN.
    pub fn half_space(normal: Vec3) -> Self {
        let n = normal.as_dvec3();
        Self::HalfSpace {
            normal: (n / n.length()).as_vec3(),
        }
    }
}
