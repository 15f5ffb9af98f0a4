//! Where a box goes in the grid: its level, its cell, and its bounds in whole steps.
//!
//! A level has cells of edge `2^level` metres. A box is at home on the level whose cell edge
//! is 2 to 4 times its longest edge, in the cell of its centre, so it sticks out of that
//! cell by a quarter of an edge at most. Its bounds are rounded outwards to 4096 steps a
//! cell: the *fat box* is that rounded box, so comparing fat boxes is integer arithmetic and
//! exact, between levels too, and equally fine at 10,000 km from the origin.

use drystone_geometry::WorldAabb;
use drystone_geometry::glam::{DVec3, Vec3};

use crate::item::Bounds;
use crate::tolerance::{
    EXCESS, LEVEL_MAX, LEVEL_MIN, MARGIN, MAX_LEAD, MAX_THIN_MARGIN, REACH_BITS, STEP_BITS,
};

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
pub(crate) fn power_of_two(exponent: i32) -> f64 {
    debug_assert!((-1022..=1023).contains(&exponent));
    f64::from_bits(((1023 + exponent) as u64) << 52)
}

/// The smallest `k` with `value < 2^k`, for finite values; far below any level for 0.
fn exponent_above(value: f64) -> i32 {
    debug_assert!(value >= 0.0 && value.is_finite());
    ((value.to_bits() >> 52) as i32) - 1022
}

/// The place of a valid box, or none when it is infinite or too large for any level.
pub(crate) fn place(aabb: &WorldAabb) -> Option<Placement> {
    let size = (aabb.max - aabb.min).max_element();
    let center = 0.5 * aabb.min + 0.5 * aabb.max;
    if !size.is_finite() || !center.is_finite() {
        return None;
    }
    // The extra 1/512 leaves room for rounding both bounds outwards by a step.
    let room = 2.0 * size * (1.0 + 1.0 / 512.0);
    if !room.is_finite() {
        return None;
    }
    let level = exponent_above(room)
        .max(exponent_above(center.abs().max_element()) - REACH_BITS)
        .max(LEVEL_MIN);
    if level > LEVEL_MAX {
        return None;
    }
    let edge = power_of_two(level);
    let step = power_of_two(level - STEP_BITS);
    let per_step = power_of_two(STEP_BITS - level);
    let per_edge = power_of_two(-level);
    // Each largest bound is handled negated, as if it were a smallest one.
    let [a, b, c] = aabb.min.to_array();
    let [d, e, f] = (-aabb.max).to_array();
    let cells = (center * per_edge).to_array().map(floor);
    let [x, y, z] = cells.map(|cell| cell * edge);
    let (tight, origin) = ([a, b, c, d, e, f], [x, y, z, -x, -y, -z]);
    let mut bounds = [0; 6];
    for k in 0..6 {
        let low = floor((tight[k] - origin[k]) * per_step);
        // The difference may have rounded inwards by less than a step.
        let inwards = low * step + origin[k] > tight[k];
        bounds[k] = whole_bits(low - if inwards { 1.0 } else { 0.0 }) as i16;
    }
    Some(Placement {
        level: level as i8,
        coord: cells.map(|cell| whole_bits(cell) as i32),
        bounds,
    })
}

impl Placement {
    /// The box in the world, in metres; exact.
    #[inline]
    pub(crate) fn fat(&self) -> WorldAabb {
        let edge = power_of_two(i32::from(self.level));
        let step = power_of_two(i32::from(self.level) - STEP_BITS);
        let [x, y, z] = self.coord.map(f64::from);
        let [a, b, c, d, e, f] = self.bounds.map(f64::from);
        let origin = DVec3::new(x, y, z) * edge;
        WorldAabb {
            min: origin + DVec3::new(a, b, c) * step,
            max: origin - DVec3::new(d, e, f) * step,
        }
    }
}

/// What brings the whole part of a number to the low end of its bits, where it is in two's
/// complement: beside this, steps of `f64` are one.
const WHOLE: f64 = 1.5 * (1_u64 << 52) as f64;

/// The largest whole number up to `value`, which is far below 2^51: without a conversion to
/// integers, which takes longer and has no lanes.
#[inline(always)]
fn floor(value: f64) -> f64 {
    let nearest = (value + WHOLE) - WHOLE;
    nearest - if nearest > value { 1.0 } else { 0.0 }
}

/// A whole number in two's complement, in the low bits.
#[inline(always)]
fn whole_bits(whole: f64) -> u64 {
    (whole + WHOLE).to_bits()
}

/// The margin of a box: what is kept around it on every side, in metres.
fn margin(size: DVec3) -> f64 {
    (MARGIN * size.max_element()).min(MAX_THIN_MARGIN * size.min_element())
}

/// A tight box with room to move in: a margin all around, drawn out along the expected
/// displacement `motion`, in metres.
pub(crate) fn with_room(tight: &WorldAabb, motion: Vec3) -> WorldAabb {
    let size = tight.max - tight.min;
    let margin = margin(size);
    if !margin.is_finite() {
        return *tight;
    }
    let lead = lead(size, motion);
    WorldAabb {
        min: tight.min + lead.min(DVec3::ZERO),
        max: tight.max + lead.max(DVec3::ZERO),
    }
    .inflate(margin)
}

fn lead(size: DVec3, motion: Vec3) -> DVec3 {
    if !motion.is_finite() {
        return DVec3::ZERO;
    }
    let limit = DVec3::splat(MAX_LEAD * size.max_element());
    motion.as_dvec3().clamp(-limit, limit)
}

/// Whether `fat` still serves a body whose tight box is now `tight`: it contains it, and is
/// not much larger than a fresh one would be.
pub(crate) fn still_fits(fat: &WorldAabb, tight: &WorldAabb, motion: Vec3) -> bool {
    if !fat.contains(tight) {
        return false;
    }
    let size = tight.max - tight.min;
    let slack = fat.max - fat.min - size;
    if !slack.is_finite() {
        return !size.is_finite();
    }
    // A fresh box has two margins, one lead and two roundings of at most a step.
    let lead = lead(size, motion).abs().max_element();
    let room = EXCESS * (MARGIN * size.max_element()).max(lead);
    slack.max_element() <= room + 4.0 * coarsest_step(fat)
}

/// The step of the finest level that reaches as far out as `fat`, in metres. Only where it
/// is coarser than a box's own level does it matter.
fn coarsest_step(fat: &WorldAabb) -> f64 {
    let reach = fat.min.abs().max(fat.max.abs()).max_element();
    power_of_two((exponent_above(reach) - REACH_BITS).max(LEVEL_MIN) - STEP_BITS)
}
