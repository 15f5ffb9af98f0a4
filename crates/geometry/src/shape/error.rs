//! Why a shape is not valid.

use std::fmt;

use glam::Vec3;

use crate::tolerance;

/// Why a shape is refused: the field, its value, and the rule.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ShapeError {
    /// A size that is NaN or infinite.
    NotFinite {
        /// Kind of shape.
        shape: &'static str,
        /// Name of the field.
        field: &'static str,
        /// Its value.
        value: f32,
    },
    /// A size that is zero, negative or below [`tolerance::MIN_SIZE`].
    TooSmall {
        /// Kind of shape.
        shape: &'static str,
        /// Name of the field.
        field: &'static str,
        /// Its value, in metres.
        value: f32,
    },
    /// A size above [`tolerance::MAX_SIZE`].
    TooLarge {
        /// Kind of shape.
        shape: &'static str,
        /// Name of the field.
        field: &'static str,
        /// Its value, in metres.
        value: f32,
    },
    /// A normal whose length is not 1.
    NotUnit {
        /// Kind of shape.
        shape: &'static str,
        /// Name of the field.
        field: &'static str,
        /// Its length; NaN when a component is.
        length: f32,
    },
    /// A triangle without area or a segment without length.
    Flat {
        /// Kind of shape.
        shape: &'static str,
    },
    /// A core that cannot be rounded: a half-space, or one that is round already.
    Core {
        /// Kind of the core.
        core: &'static str,
    },
}

impl fmt::Display for ShapeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFinite {
                shape,
                field,
                value,
            } => {
                write!(
                    f,
                    "{shape}: {field} is {value}, it must be finite: give a length in metres"
                )
            }
            Self::TooSmall {
                shape,
                field,
                value,
            } => write!(
                f,
                "{shape}: {field} is {value} m, it must be at least {} m: give a larger length",
                tolerance::MIN_SIZE
            ),
            Self::TooLarge {
                shape,
                field,
                value,
            } => write!(
                f,
                "{shape}: {field} is {value} m, it must be at most {} m: give a smaller length, \
                 or use a half-space for an endless floor",
                tolerance::MAX_SIZE
            ),
            Self::NotUnit {
                shape,
                field,
                length,
            } => write!(
                f,
                "{shape}: {field} has length {length}, it must be 1: divide it by its length"
            ),
            Self::Flat { shape } => write!(
                f,
                "{shape}: its points must not lie on one line or in one point: move them apart"
            ),
            Self::Core { core } => write!(
                f,
                "rounded shape: a {core} cannot be its core: give a box, hull, cylinder, cone, \
                 ellipsoid, triangle or segment"
            ),
        }
    }
}

impl std::error::Error for ShapeError {}

/// Refuses a length that is not finite or out of range.
pub(super) fn check_size(
    shape: &'static str,
    field: &'static str,
    value: f32,
) -> Result<(), ShapeError> {
    if !value.is_finite() {
        Err(ShapeError::NotFinite {
            shape,
            field,
            value,
        })
    } else if value < tolerance::MIN_SIZE {
        Err(ShapeError::TooSmall {
            shape,
            field,
            value,
        })
    } else if value > tolerance::MAX_SIZE {
        Err(ShapeError::TooLarge {
            shape,
            field,
            value,
        })
    } else {
        Ok(())
    }
}

/// Refuses points that are not finite, too far out, or do not span a line or a triangle.
pub(super) fn check_corners(shape: &'static str, points: &[Vec3]) -> Result<(), ShapeError> {
    for point in points {
        for (field, value) in ["x", "y", "z"].into_iter().zip(point.to_array()) {
            if !value.is_finite() {
                return Err(ShapeError::NotFinite {
                    shape,
                    field,
                    value,
                });
            }
            if value.abs() > tolerance::MAX_SIZE {
                return Err(ShapeError::TooLarge {
                    shape,
                    field,
                    value,
                });
            }
        }
    }
    let from = points[0].as_dvec3();
    let along = points[1].as_dvec3() - from;
    let least = f64::from(tolerance::MIN_SIZE);
    let mut longest_sq = along.length_squared();
    let mut width_sq = f64::INFINITY;
    if let Some(third) = points.get(2) {
        let other = third.as_dvec3() - from;
        longest_sq = longest_sq
            .max(other.length_squared())
            .max((other - along).length_squared());
        width_sq = along.cross(other).length_squared() / longest_sq;
    }
    if longest_sq >= least * least && width_sq >= least * least {
        Ok(())
    } else {
        Err(ShapeError::Flat { shape })
    }
}
