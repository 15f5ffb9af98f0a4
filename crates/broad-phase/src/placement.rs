//! Where a box goes in the grid: its level, its cell, and its bounds in whole steps.
//!
//! A level has cells of edge `2^level` metres. A box is at home on the level whose cell edge
//! is 2 to 4 times its longest edge, in the cell of its centre, so it sticks out of that
//! cell by a quarter of an edge at most. Its bounds are rounded outwards to 4096 steps a
//! cell: the *fat box* is that rounded box, so comparing fat boxes is integer arithmetic and
//! exact, between levels too, and equally fine at 10,000 km from the origin.

use drystone_geometry::WorldAabb;
use drystone_geometry::glam::DVec3;
use fearless_simd::{Level, dispatch};

use crate::boxes::{Boxes, LANES};
use crate::item::Bounds;
use crate::tolerance::STEP_BITS;

/// Steps to a cell edge.
pub(crate) const STEPS: i32 = 1 << STEP_BITS;

/// A box in the grid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Placement {
    /// The power of two of the cell edge in metres.
    pub(crate) level: i8,
    /// The cell of its centre, in cells from the origin.
    pub(crate) coord: [i32; 3],
    /// In steps from the cell's smallest corner.
    pub(crate) bounds: Bounds,
}

/// Two to the power of `exponent`, which lies in the range of normal numbers.
#[inline(always)]
pub(crate) fn power_of_two(exponent: i32) -> f64 {
    debug_assert!((-1022..=1023).contains(&exponent));
    f64::from_bits(((1023 + exponent) as u64) << 52)
}

/// The place of a valid box, or none when it is infinite or too large for any level.
pub(crate) fn place(aabb: &WorldAabb) -> Option<Placement> {
    dispatch!(Level::new(), simd => {
        let placed = Boxes::new(simd, [aabb; LANES]).place(simd);
        placed.fits(0).then(|| placed.placement(0))
    })
}

/// The smallest corner, and the largest negated, in steps.
#[inline(always)]
pub(crate) fn corners(bounds: &Bounds) -> [DVec3; 2] {
    let [a, b, c, d, e, f] = *bounds;
    [
        DVec3::new(f64::from(a), f64::from(b), f64::from(c)),
        DVec3::new(f64::from(d), f64::from(e), f64::from(f)),
    ]
}

impl Placement {
    /// The box in the world, in metres; exact.
    #[inline(always)]
    pub(crate) fn fat(&self) -> WorldAabb {
        let edge = power_of_two(i32::from(self.level));
        let step = power_of_two(i32::from(self.level) - STEP_BITS);
        let [x, y, z] = self.coord;
        let origin = DVec3::new(f64::from(x), f64::from(y), f64::from(z)) * edge;
        let [smallest, negated] = corners(&self.bounds);
        WorldAabb {
            min: origin + smallest * step,
            max: origin - negated * step,
        }
    }
}
