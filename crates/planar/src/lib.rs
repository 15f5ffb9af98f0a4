//! Convex queries in the plane: distance, penetration, impact, with certificates.
//!
//! ```
//! use drystone_planar::glam::DVec2;
//! use drystone_planar::{Pose2, QueryOptions, Shape2, distance};
//!
//! let square = Shape2::rectangle(DVec2::splat(0.5))?;
//! let disk = Shape2::circle(DVec2::ZERO, 1.0)?;
//! let disk_in_square = Pose2::from_translation(DVec2::new(2.0, 0.25));
//!
//! let answer = distance(&square, &disk, &disk_in_square, &QueryOptions::default())?;
//! assert_eq!(answer.distance(), 0.5);
//! assert_eq!(answer.point_a, DVec2::new(0.5, 0.25));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Conventions
//!
//! X right, Y up, angles counter-clockwise. Metres, seconds, radians, all in `f64`.
//! Normals are unit and point from A to B. A separation is negative when shapes overlap.
//! A pose maps local to parent; `b_in_a` is B's pose seen from A. Answers are in A's
//! frame.
//!
//! # Where to start
//!
//! [`Shape2`] makes shapes, [`distance`] answers everything about one pair, [`track`]
//! the same pair again and again. [`distance_traced`] writes every step down, [`draw`]
//! turns that into pictures. [`contest`] reads the classical exercise.
#![forbid(unsafe_code)]

mod cast;
pub mod contest;
mod convexity;
pub mod draw;
mod epa;
mod gjk;
mod merge;
mod number;
mod pair;
mod polygon;
mod pose;
mod query;
mod separation;
mod shape;
pub mod tolerance;
mod trace;
mod track;
mod walk;

pub use cast::{Impact, time_of_impact};
pub use convexity::{ConvexityError, Winding, check_convex, orientation};
pub use glam;
pub use polygon::Polygon;
pub use pose::Pose2;
pub use query::{
    distance, distance_traced, intersects, intersects_traced, parallel_range, penetration,
};
pub use separation::{Feature2, NotConverged, Penetration, QueryOptions, Separation2};
pub use shape::{Shape2, ShapeDef2, ShapeError2};
pub use trace::{Phase, SimplexVertex, Stop, Trace, TraceStep};
pub use track::{Counters2, Tracker2, track};
