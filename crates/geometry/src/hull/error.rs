//! Why points do not make a hull.

use std::fmt;

use crate::tolerance;

/// Why a set of points does not make a solid convex hull.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum HullError {
    /// Fewer than four points were given.
    TooFewPoints {
        /// How many there were.
        count: usize,
    },
    /// More points than indices can name.
    TooManyPoints {
        /// How many there were.
        count: usize,
    },
    /// A coordinate is NaN or infinite.
    NotFinite {
        /// Which point.
        index: usize,
    },
    /// A coordinate is beyond [`tolerance::MAX_SIZE`].
    TooLarge {
        /// Which point.
        index: usize,
        /// Its coordinate of largest magnitude, in metres.
        coordinate: f32,
    },
    /// The merge tolerance is negative or not finite.
    BadTolerance {
        /// The tolerance given, in metres.
        tolerance: f32,
    },
    /// All points are the same, up to rounding.
    Coincident {
        /// Largest distance between two points, in metres.
        spread: f64,
        /// What it must exceed, in metres.
        required: f64,
    },
    /// All points lie on one line, up to rounding.
    Collinear {
        /// Largest distance of a point from the line, in metres.
        width: f64,
        /// What it must exceed, in metres.
        required: f64,
    },
    /// All points lie in one plane, up to rounding.
    Coplanar {
        /// Largest distance of a point from the plane, in metres.
        thickness: f64,
        /// What it must exceed, in metres.
        required: f64,
    },
    /// The faces could not be told apart from rounding. No input is known to do this.
    Unresolved,
    /// Stored hull data that is not a closed convex surface.
    Corrupt {
        /// The rule it breaks.
        rule: &'static str,
    },
}

impl fmt::Display for HullError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooFewPoints { count } => {
                write!(
                    f,
                    "hull has {count} points, a solid needs at least 4: add points"
                )
            }
            Self::TooManyPoints { count } => write!(
                f,
                "hull has {count} points, at most {} can be indexed: thin them out",
                tolerance::MAX_HULL_POINTS
            ),
            Self::NotFinite { index } => write!(
                f,
                "hull point {index} is NaN or infinite: give finite coordinates in metres"
            ),
            Self::TooLarge { index, coordinate } => write!(
                f,
                "hull point {index} has a coordinate of {coordinate} m, at most {} m is allowed: \
                 scale the hull down or move it closer to its own origin",
                tolerance::MAX_SIZE
            ),
            Self::BadTolerance { tolerance } => write!(
                f,
                "hull tolerance is {tolerance} m, it must be finite and at least 0: use 0 for \
                 points that are exact to f32"
            ),
            Self::Coincident { spread, required } => write!(
                f,
                "hull points all coincide: they spread over {spread:.3e} m, more than \
                 {required:.3e} m is needed: use a sphere, or points that differ"
            ),
            Self::Collinear { width, required } => write!(
                f,
                "hull points all lie on one line: they leave it by {width:.3e} m, more than \
                 {required:.3e} m is needed: use a capsule, or add points off the line"
            ),
            Self::Coplanar {
                thickness,
                required,
            } => write!(
                f,
                "hull points all lie in one plane: they leave it by {thickness:.3e} m, more than \
                 {required:.3e} m is needed: give the shape some thickness"
            ),
            Self::Unresolved => write!(
                f,
                "hull faces cannot be told apart from rounding: round the points to fewer digits"
            ),
            Self::Corrupt { rule } => write!(
                f,
                "stored hull is not a closed convex surface ({rule}): build it again from its points"
            ),
        }
    }
}

impl std::error::Error for HullError {}
