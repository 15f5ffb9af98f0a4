//! Files of planar questions: named shapes of the plane, where they stand, what to ask.
//!
//! The same reader as for scenes, with another table ([`crate::schema::PLANAR_QUERY`]):
//! every mistake is answered at once, each at its exact place, down to the vertex at which
//! an outline is not convex.
//!
//! ```
//! use drystone_scene::planar::{PlanarQuery, Question};
//!
//! let query = PlanarQuery::parse(
//!     r#"(
//!         format: 1,
//!         shapes: {
//!             "plate": (shape: Rectangle(half_extents: (2, 1))),
//!             "coin": (shape: Circle(radius: 0.5), position: (4, 0)),
//!         },
//!         ask: [Distance()],
//!     )"#,
//!     "example.ron",
//! )?;
//! assert_eq!(query.questions, [Question::Distance { a: 0, b: 1 }]);
//! # Ok::<(), drystone_scene::SceneErrors>(())
//! ```

use std::path::Path;

pub use drystone_planar;
use drystone_planar::glam::DVec2;
use drystone_planar::{Pose2, QueryOptions, Shape2};

use crate::diagnostic::{LoadError, SceneErrors, Sink};
use crate::{decode, files, syntax};

/// Shapes and questions about them, read from a file.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanarQuery {
    /// What the file says it is about.
    pub about: String,
    /// The shapes, in the order of the file.
    pub shapes: Vec<PlanarBody>,
    /// The questions, in the order of the file.
    pub questions: Vec<Question>,
    /// What a query may spend.
    pub options: QueryOptions,
}

/// A named shape where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanarBody {
    /// Its name.
    pub name: String,
    /// The shape, in its own frame.
    pub shape: Shape2,
    /// From its own frame to the plane all shapes stand in.
    pub pose: Pose2,
}

/// A question. Shapes are positions in [`PlanarQuery::shapes`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Question {
    /// The signed distance of two shapes.
    Distance {
        /// One shape.
        a: usize,
        /// The other shape.
        b: usize,
    },
    /// Whether two shapes have a common point.
    Intersects {
        /// One shape.
        a: usize,
        /// The other shape.
        b: usize,
    },
    /// How deep two shapes overlap.
    Penetration {
        /// One shape.
        a: usize,
        /// The other shape, which is moved to part them.
        b: usize,
    },
    /// When `b` first touches `a`.
    TimeOfImpact {
        /// The shape that stands.
        a: usize,
        /// The shape that moves.
        b: usize,
        /// Velocity of `b`, in m/s.
        velocity: DVec2,
        /// The longest time looked at, in seconds.
        within: f64,
    },
    /// Whether a point is inside a shape.
    Contains {
        /// The shape.
        shape: usize,
        /// The point, in metres.
        point: DVec2,
    },
}

impl PlanarQuery {
    /// Reads a file of planar questions.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, LoadError> {
        let (text, file) = files::load(path.as_ref())?;
        Ok(Self::parse(text, &file)?)
    }

    /// Reads planar questions from their text. `file` is the path shown in errors.
    pub fn parse(text: impl Into<String>, file: &str) -> Result<Self, SceneErrors> {
        let sink = Sink::default();
        let sources = files::single(file, text.into(), &sink);
        let query = if sink.is_empty() {
            syntax::parse(sources.text(0), 0, &sink)
                .and_then(|value| decode::planar_query(&value, &sink))
        } else {
            None
        };
        match query.filter(|_| sink.is_empty()) {
            Some(query) => Ok(query),
            None => Err(sink.into_errors(&sources)),
        }
    }
}
