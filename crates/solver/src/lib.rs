//! Sequential impulses, joints and islands for the drystone physics engine.
//!
//! # A step
//!
//! [`Solver::step`] takes the awake bodies, the touching contacts and the joints of a world and
//! advances the bodies by one step of a few sub-steps. Each sub-step lets forces act, applies
//! the impulses of the one before, removes approach and overlap in a biased sweep, moves the
//! bodies, and takes the push-out speed away again in a relaxing sweep, which also does
//! friction, twist and rolling resistance. Restitution comes once, at the end.
//!
//! # Order and lanes
//!
//! The [`ConstraintGraph`] keeps contacts and joints in colours, within which no body is pushed
//! twice. The contacts of a colour are solved eight at a time in lanes, with a layout each
//! for 1, 2 and 4 points; blocks of them are claimed by the workers. Joints that
//! form a tree are solved together and exactly, eight trees of one shape at a time; those that
//! close a loop go with the colours. The result is the same, to the bit, for any number of
//! workers and any instruction set.
//!
//! # Frames and units
//!
//! SI units. Centres of mass are in the world in `f64`, everything else in `f32` relative to
//! them: anchors and joint frames in the body's own axes, normals and impulses in world axes.
//! Impulses are those of one sub-step, on B; A gets the opposite.
//!
//! # Sleep
//!
//! [`Islands`] tells which bodies are connected, and which islands have rested long enough to be
//! left out of the step.
#![forbid(unsafe_code)]

pub mod body;
mod body_rows;
pub mod contact;
mod free_motion;
pub mod graph;
mod gyroscope;
mod integrate;
pub mod islands;
pub mod joint;
mod plan;
pub mod softness;
mod stages;
pub mod step;
mod sweep;
pub mod tolerance;
mod trees;
mod tumble;
mod wedged;

pub use body::{AxisLocks, Body, BodyTable, STATIC_SLOT, StaticPose};
pub use contact::{Anchors, Bend, Contact, ContactPoint};
pub use graph::{ColourLists, ConstraintGraph, ConstraintId, NO_BODY};
pub use islands::{IslandId, Islands, SavedIslands};
pub use joint::{Joint, JointKind};
pub use step::{Solver, SolverStats, StepSettings};
