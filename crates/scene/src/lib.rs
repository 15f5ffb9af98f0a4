//! Scene files: worlds described in RON, with patterns, and with expectations that make a
//! scene its own test.
//!
//! [`Scene::load`] reads a file and answers every mistake in it at once, each at its exact
//! place. [`Scene::build`] makes a world of it, [`Checker`] watches a run and says what
//! came true and by how much the rest was missed. [`schema`] is the one table of all
//! fields; [`to_ron`] writes a world back as a scene, and [`Scene::to_ron`] a scene itself.
//!
//! ```
//! use drystone_scene::Scene;
//!
//! let scene = Scene::parse(
//!     r#"(
//!         format: 1,
//!         bodies: [
//!             (name: "ground", kind: Static, shape: HalfSpace()),
//!             (name: "stone", shape: Sphere(radius: 0.5), position: (0, 2, 0)),
//!         ],
//!         expect: [Stays(body: "stone", within: 10.0, to: 0.5)],
//!     )"#,
//!     "example.ron",
//! )?;
//! let mut instance = scene.build()?;
//! instance.step();
//! assert!(instance.bodies.contains_key("stone"));
//! # Ok::<(), drystone_scene::SceneErrors>(())
//! ```
#![forbid(unsafe_code)]

mod decode;
mod diagnostic;
mod expand;
pub mod expect;
mod files;
mod instance;
mod motion;
mod overrides;
pub mod pair;
pub mod planar;
mod random;
mod scene;
pub mod schema;
mod solid_file;
mod spawn;
mod syntax;
pub mod tolerance;
mod write;
mod write_joint;
mod write_scene;
mod write_surface;

pub use diagnostic::{Diagnostic, LoadError, SceneErrors};
pub use expect::{Checker, Expectation, Report, Verdict};
pub use instance::Instance;
pub use motion::{Motion, Path};
pub use overrides::Override;
pub use scene::{Bench, Scene, SceneBody, SceneJoint};
pub use spawn::{Copy as SpawnedCopy, Schedule, Spawn};
pub use write::to_ron;

pub(crate) use decode::about_axis;
