//! What GJK and EPA ask of a Minkowski difference.

use drystone_geometry::glam::DVec3;

use crate::convex::{Pair, Vertex};
use crate::gjk::Seed;
use crate::tolerance::CONVERGED;

/// The Minkowski difference B - A of two convex sets, through its supports.
pub(crate) trait Difference {
    /// Whether new vertices keep turning up: searches then stop at a bound.
    const IS_CURVED: bool;

    /// The vertex that lies least along `direction`: A's farthest and B's nearest one. Searches
    /// may start at those two of an earlier vertex, or at [`crate::convex::NO_HINT`].
    fn support(&self, direction: DVec3, hint_a: u32, hint_b: u32) -> Vertex;

    /// Size of the coordinates that take part, in metres.
    fn scale(&self) -> f64;

    /// Two bounds this close, in metres, are one.
    fn converged(&self) -> f64;

    /// Whether two bounds of a distance are as close as asked.
    fn is_close(&self, lower: f64, upper: f64) -> bool;

    /// The most points EPA may add, a count.
    fn max_expansions(&self) -> u32;

    /// The first direction, of any length but zero, and where its supports are sought.
    fn start(&self, seed: &Seed) -> (DVec3, u32, u32);
}

impl Difference for Pair<'_> {
    const IS_CURVED: bool = false;

    #[inline]
    fn support(&self, direction: DVec3, hint_a: u32, hint_b: u32) -> Vertex {
        Pair::support(self, direction, hint_a, hint_b)
    }

    #[inline]
    fn scale(&self) -> f64 {
        self.scale
    }

    #[inline]
    fn converged(&self) -> f64 {
        CONVERGED * self.scale
    }

    #[inline]
    fn is_close(&self, lower: f64, upper: f64) -> bool {
        lower >= upper - self.converged()
    }

    /// Each further point is a new vertex, of which there are finitely many.
    fn max_expansions(&self) -> u32 {
        u32::MAX
    }

    #[inline]
    fn start(&self, seed: &Seed) -> (DVec3, u32, u32) {
        let direction = if seed.direction.length_squared() > 0.0 {
            seed.direction
        } else {
            self.between_centers()
        };
        let (hint_a, hint_b) = seed.hints(self);
        (direction, hint_a, hint_b)
    }
}
