//! Surfaces made of triangles: meshes and height fields, for bodies that do not fall.
//!
//! A [`TriangleMesh`] keeps its triangles as given, with the neighbour across every edge, a
//! tree of boxes, and how the surface bends at each edge; a [`HeightField`] makes all of
//! that but the bends from a grid of heights. A [`Surface`] is either, seen alike.
//!
//! Triangles are counter-clockwise seen from the front. Side `i` of a triangle runs from
//! its corner `i` to corner `i + 1`.

mod build;
mod error;
mod field;
mod junction;
mod ray;
mod surface;
mod tree;
mod triangle;
mod triangle_mesh;

pub use error::{HeightFieldError, MeshError};
pub use field::HeightField;
pub use ray::Ray;
pub use surface::{Surface, SurfaceHit};
pub use triangle::{Closest, Part, Triangle};
pub use triangle_mesh::{MeshOptions, TriangleMesh};

use serde::{Deserialize, Serialize};

/// How a surface bends at a side of a triangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[repr(u8)]
pub enum EdgeKind {
    /// Nothing lies beyond, or not exactly one triangle of the same sense of rotation.
    Boundary,
    /// The neighbour rises: nothing outside can touch the edge before it touches a face.
    Concave,
    /// Both triangles lie in one plane, up to [`crate::tolerance::FLAT_EDGE_SINE`]; or the plane
    /// goes on beyond in triangles that do not share both corners.
    Flat,
    /// The neighbour falls away by an angle up to that of
    /// [`crate::tolerance::SHARP_EDGE_COSINE`].
    Blunt,
    /// The neighbour falls away more than that.
    Sharp,
}
