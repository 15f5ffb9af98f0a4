//! The guide: ten short chapters, each with an example that is compiled and run.

#[doc = include_str!("../guide/world.md")]
pub mod world {}

#[doc = include_str!("../guide/bodies.md")]
pub mod bodies {}

#[doc = include_str!("../guide/shapes.md")]
pub mod shapes {}

#[doc = include_str!("../guide/joints.md")]
pub mod joints {}

#[doc = include_str!("../guide/queries.md")]
pub mod queries {}

#[doc = include_str!("../guide/events.md")]
pub mod events {}

#[doc = include_str!("../guide/determinism.md")]
pub mod determinism {}

#[doc = include_str!("../guide/scenes.md")]
pub mod scenes {}

#[doc = include_str!("../guide/tuning.md")]
pub mod tuning {}

#[doc = include_str!("../guide/troubleshooting.md")]
pub mod troubleshooting {}
