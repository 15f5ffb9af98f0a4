//! Shapes, hulls, mass, poses and lanes: what every stage of drystone speaks.
//!
//! # Conventions
//!
//! Right-handed, Y up. Metres, kilograms, seconds, radians. Normals are unit and point
//! from A to B. `separation` is negative when shapes overlap. A pose maps local to
//! parent; `b_in_a` is B's pose seen from A. World positions are [`glam::DVec3`],
//! rotations [`glam::Quat`], everything else `f32`; standalone queries answer in `f64`.
//!
//! `Quat` is storage: glam rounds its arithmetic differently on SSE2 and on scalar
//! targets, so rotation arithmetic lives in [`rotation`] and is scalar everywhere.
//! Trigonometry goes through `libm`.
#![forbid(unsafe_code)]

pub mod aabb;
pub mod curve;
pub mod feature;
pub mod hull;
pub mod lanes;
pub mod manifold;
pub mod mass;
pub mod mesh;
pub mod pose;
pub mod rotation;
pub mod separation;
pub mod shape;
pub mod simd;
pub mod tolerance;
pub mod workers;

pub use aabb::{Aabb, WorldAabb};
pub use feature::Feature;
pub use glam;
pub use hull::{Hull, HullError, Polytope};
pub use manifold::{Manifold, ManifoldPoint};
pub use mass::MassProperties;
pub use mesh::{HeightField, Surface, TriangleMesh};
pub use pose::{DPose, Frame, Pose, WorldPose};
pub use separation::Separation;
pub use shape::cuboid::BoxPolytope;
pub use shape::curved::Curved;
pub use shape::triangle::TrianglePolytope;
pub use shape::{Shape, ShapeError};
pub use simd::{SimdError, SimdLevel};
pub use workers::Workers;
