//! Rounding: any shape within a radius of a core, and what flat cores need.

use std::sync::Arc;

use glam::{DVec3, Vec3};

use super::curved::Curved;
use super::triangle::TrianglePolytope;
use super::{Shape, ShapeError};
use crate::mass::Solid;
use crate::{BoxPolytope, Frame};

impl Shape {
    /// Every point within `radius` metres of `core`.
    ///
    /// What is round already only gets a larger radius, so there is one way to say a thing: a
    /// rounded sphere is a sphere. [`Shape::check`] says whether the sizes are valid.
    ///
    /// # Errors
    ///
    /// A half-space, which is to be moved instead, and a surface.
    pub fn rounded(core: Self, radius: f32) -> Result<Self, ShapeError> {
        Ok(match core {
            Self::Sphere { radius: own } => Self::sphere(own + radius),
            Self::Capsule {
                half_height,
                radius: own,
            } => Self::capsule(half_height, own + radius),
            Self::Rounded { core, radius: own } => Self::Rounded {
                core,
                radius: own + radius,
            },
            Self::HalfSpace { .. } | Self::Mesh(_) | Self::HeightField(_) => {
                return Err(ShapeError::Core {
                    core: core.kind_name(),
                });
            }
            core => Self::Rounded {
                core: Arc::new(core),
                radius,
            },
        })
    }

    /// Whether [`Shape::Rounded`] may have this core.
    pub(super) const fn can_be_core(&self) -> bool {
        !matches!(
            self,
            Self::Sphere { .. }
                | Self::Capsule { .. }
                | Self::Rounded { .. }
                | Self::HalfSpace { .. }
                | Self::Mesh(_)
                | Self::HeightField(_)
        )
    }

    /// The shape without its rounding; spheres and capsules are their own.
    #[inline]
    pub fn without_rounding(&self) -> &Self {
        match self {
            Self::Rounded { core, .. } => core,
            other => other,
        }
    }

    /// The solid of a cylinder, cone or ellipsoid, rounding left out; nothing for others.
    #[inline]
    pub fn curved(&self) -> Option<Curved> {
        match *self.without_rounding() {
            Self::Cylinder {
                half_height,
                radius,
            } => Some(Curved::cylinder(half_height, radius)),
            Self::Cone {
                half_height,
                radius,
            } => Some(Curved::cone(half_height, radius)),
            Self::Ellipsoid { semi_axes } => Some(Curved::ellipsoid(semi_axes)),
            _ => None,
        }
    }

    /// Corners of the box around a cylinder, cone or ellipsoid seen from a parent frame.
    pub(super) fn curved_bounds(&self, frame: &Frame) -> (DVec3, DVec3) {
        let Some(solid) = self.curved() else {
            return (frame.translation, frame.translation);
        };
        let reach = |axis: DVec3| solid.reach(frame.inverse_rotate(axis));
        let most = DVec3::new(reach(DVec3::X), reach(DVec3::Y), reach(DVec3::Z));
        let least = DVec3::new(reach(-DVec3::X), reach(-DVec3::Y), reach(-DVec3::Z));
        (frame.translation - least, frame.translation + most)
    }

    /// Volume, centre and inertia of all points within `radius` of a core; nothing for a
    /// shape that cannot be one.
    pub(super) fn grown_solid(&self, radius: f64) -> Option<Solid> {
        match self {
            Self::Box { half_extents } => {
                let interior = Solid::cuboid(half_extents.as_dvec3());
                let polytope = BoxPolytope::new(*half_extents);
                Some(Solid::rounded_polytope(
                    &polytope.polytope(),
                    Some(&interior),
                    radius,
                ))
            }
            Self::Hull(hull) => Some(Solid::rounded_polytope(
                &hull.polytope(),
                Some(hull.solid()),
                radius,
            )),
            Self::Triangle { points } => {
                let polytope = TrianglePolytope::new(*points);
                Some(Solid::rounded_polytope(&polytope.polytope(), None, radius))
            }
            Self::Segment { a, b } => {
                Some(Solid::capsule_between(a.as_dvec3(), b.as_dvec3(), radius))
            }
            Self::Cylinder { .. } | Self::Cone { .. } | Self::Ellipsoid { .. } => self
                .curved()
                .map(|solid| Solid::rounded_curved(&solid, radius)),
            Self::Sphere { .. }
            | Self::Capsule { .. }
            | Self::Rounded { .. }
            | Self::HalfSpace { .. }
            | Self::Mesh(_)
            | Self::HeightField(_) => None,
        }
    }
}

/// The first point farthest along a direction, and its index.
pub(super) fn farthest(points: &[Vec3], direction: DVec3) -> (DVec3, u32) {
    let mut best = (f64::NEG_INFINITY, DVec3::ZERO, 0);
    for (index, point) in (0..).zip(points) {
        let point = point.as_dvec3();
        let height = point.dot(direction);
        if height > best.0 {
            best = (height, point, index);
        }
    }
    (best.1, best.2)
}

/// Corners of the box around points seen from a parent frame.
pub(super) fn bounds_of(points: &[Vec3], frame: &Frame) -> (DVec3, DVec3) {
    let mut bounds = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for point in points {
        let point = frame.transform_point(point.as_dvec3());
        bounds = (bounds.0.min(point), bounds.1.max(point));
    }
    bounds
}

/// Largest distance of a point from `center`.
pub(super) fn extent_of(points: &[Vec3], center: DVec3) -> f64 {
    points
        .iter()
        .map(|point| point.as_dvec3().distance(center))
        .fold(0.0, f64::max)
}
