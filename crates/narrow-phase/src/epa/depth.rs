//! What EPA answers.

use drystone_geometry::glam::DVec3;

use crate::convex::Vertex;

/// What EPA found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Depth {
    /// Unit, from A to B: moving B by `depth` along it separates the cores.
    pub(crate) normal: DVec3,
    /// Support sum along `normal`; the true depth is at most this.
    pub(crate) depth: f64,
    /// Radius of a ball around the origin inside the Minkowski difference; the true
    /// depth is at least this. Negative when the origin is outside.
    pub(crate) radius: f64,
    /// The corners of the nearest face.
    pub(crate) face: [Vertex; 3],
    /// Points added after the start.
    pub(crate) expansions: u32,
}
