//! Why a shape is not valid.

use std::fmt;

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
