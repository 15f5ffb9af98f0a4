//! drystone: a small, exact and fast 3D rigid-body physics engine.
//!
//! A [`World`] owns bodies, shapes, joints and contacts. It is described with plain
//! structs, advanced with [`World::step`], and read between steps.
//!
//! ```
//! use drystone::glam::{DVec3, Vec3};
//! use drystone::{BodyDef, Settings, Shape, World};
//!
//! let mut world = World::new(Settings::default())?;
//! world.add_body(BodyDef::fixed().with_shape(Shape::HalfSpace { normal: Vec3::Y }))?;
//! let stone = world.add_body(
//!     BodyDef::dynamic()
//!         .at(DVec3::new(0.0, 2.0, 0.0))
//!         .with_shape(Shape::Box { half_extents: Vec3::splat(0.5) }),
//! )?;
//! for _ in 0..120 {
//!     world.step();
//! }
//! let height = world.body(stone)?.position().y;
//! assert!((height - 0.5).abs() < 0.005);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A [`guide`] of ten short chapters shows the rest.
//!
//! Conventions (axes, units, signs) are on the front page of [`drystone_geometry`].
//! Results are the same bits for any number of threads and any instruction set.
#![forbid(unsafe_code)]

mod aim;
mod bend;
mod bodies;
mod body;
mod bulk;
mod check;
pub mod clock;
mod collide;
mod commands;
mod contacts;
mod continuous;
mod cut;
pub mod def;
mod draw;
mod energy;
mod error;
mod events;
mod finish;
mod glance;
mod graze;
mod guards;
pub mod guide;
mod hang;
mod hash;
mod hits;
mod hold;
mod hooks;
mod joint;
mod keys;
mod mass;
mod material;
mod merge;
pub mod mover;
mod moving;
mod pairs;
mod parts;
mod path;
mod queries;
mod record;
mod renew;
mod replay;
mod sensors;
mod shapes;
mod sleep;
mod snapshot;
mod stats;
mod step;
pub mod tolerance;
mod touch;
mod words;
mod world;

pub use body::{BodyView, ShapeView};
pub use def::{
    AxisLocks, BodyDef, BodyKind, CombineRule, Filter, JointAxis, JointDef, JointKind, JointLimit,
    JointMotor, JointSpring, JointThreshold, MassOverride, Material, Settings, ShapeDef,
    SixDofSettings, WheelSettings,
};
pub use draw::{DebugDraw, DrawKind, DrawLine, DrawPoint, DrawSettings, DrawText};
pub use drystone_geometry as geometry;
pub use drystone_geometry::glam;
pub use drystone_geometry::simd::SimdLevel;
pub use drystone_geometry::{Pose, Shape, ShapeError, WorldAabb, WorldPose};
pub use drystone_narrow_phase as narrow_phase;
pub use drystone_solver::joint::{JointForce, JointState};
pub use energy::Energy;
pub use error::{DefError, StaleKey};
pub use events::{ContactEvent, Events, HitEvent, JointEvent, SensorEvent};
pub use hooks::{ContactPatch, Hooks, NoHooks, PatchPoint};
pub use joint::JointMass;
pub use queries::{CastHit, ClosestHit, Overlap, QueryFilter, RayCast, ShapeCast};
pub use replay::{Command, Recording, Replay};
pub use snapshot::SnapshotError;
pub use stats::{StageTimes, Stats};
pub use touch::{TouchPoint, TouchView};
pub use world::World;

slotmap::new_key_type! {
    /// Names a body of one world; never names another after the body is gone.
    pub struct BodyKey;
    /// Names a shape of one world; never names another after the shape is gone.
    pub struct ShapeKey;
    /// Names a joint of one world; never names another after the joint is gone.
    pub struct JointKey;
}

/// The example of the README, compiled and run as a test.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
pub struct ReadmeExample;
