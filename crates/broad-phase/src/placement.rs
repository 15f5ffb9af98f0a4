//! Where a box goes in the grid: its level, its cell, and its bounds in whole steps.
//!
//! A level has cells of edge `2^level` metres. A box is at home on the level whose cell edge
//! is 2 to 4 times its longest edge, in the cell of its centre, so it sticks out of that
//! cell by a quarter of an edge at most. Its bounds are rounded outwards to 4096 steps a
//! cell: the *fat box* is that rounded box, so comparing fat boxes is integer arithmetic and
//! exact, between levels too, and equally fine at 10,000 km from the origin.

use drystone_geometry::WorldAabb;
use drystone_geometry::glam::{DVec3, Vec3};
use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch, f64x4};

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
#[inline(always)]
pub(crate) fn power_of_two(exponent: i32) -> f64 {
    debug_assert!((-1022..=1023).contains(&exponent));
    f64::from_bits(((1023 + exponent) as u64) << 52)
}

/// The smallest `k` with `value < 2^k`, for finite values; far below any level for 0.
#[inline(always)]
fn exponent_above(value: f64) -> i32 {
    debug_assert!(value >= 0.0 && value.is_finite());
    ((value.to_bits() >> 52) as i32) - 1022
}

/// A box in the world with a coordinate to a lane, in metres; the fourth is nothing.
#[derive(Clone, Copy)]
pub(crate) struct LaneBox<S: Simd> {
    min: f64x4<S>,
    max: f64x4<S>,
}

impl<S: Simd> LaneBox<S> {
    #[inline(always)]
    pub(crate) fn new(simd: S, aabb: &WorldAabb) -> Self {
        Self {
            min: lanes(simd, aabb.min),
            max: lanes(simd, aabb.max),
        }
    }

    pub(crate) fn aabb(&self) -> WorldAabb {
        WorldAabb {
            min: DVec3::new(self.min[0], self.min[1], self.min[2]),
            max: DVec3::new(self.max[0], self.max[1], self.max[2]),
        }
    }

    /// As [`WorldAabb::is_valid`].
    #[inline(always)]
    pub(crate) fn is_valid(&self) -> bool {
        self.min.simd_le(self.max).all_true()
    }

    /// As [`WorldAabb::contains`].
    #[inline(always)]
    pub(crate) fn contains(&self, other: &Self) -> bool {
        let inside = self.min.simd_le(other.min) & other.max.simd_le(self.max);
        inside.all_true()
    }

    /// A valid box with room to move in: a margin all around, drawn out along the expected
    /// displacement `motion`, in metres.
    #[inline(always)]
    pub(crate) fn with_room(&self, simd: S, motion: Vec3) -> Self {
        let size: [f64; 4] = (self.max - self.min).into();
        let size = DVec3::new(size[0], size[1], size[2]);
        let margin = margin(size);
        if !margin.is_finite() {
            return *self;
        }
        let (lead, none) = (lanes(simd, lead(size, motion)), f64x4::splat(simd, 0.0));
        // Nothing is in the fourth lane of the box; the margin there is of no account.
        Self {
            min: self.min + lead.min(none) - margin,
            max: self.max + lead.max(none) + margin,
        }
    }

    /// The place of a valid box, or none when it is infinite or too large for any level.
    #[inline(always)]
    pub(crate) fn place(&self, simd: S) -> Option<Placement> {
        let center = self.min * 0.5 + self.max * 0.5;
        let [x, y, z, _]: [f64; 4] = (self.max - self.min).into();
        let size = DVec3::new(x, y, z).max_element();
        let [x, y, z, _]: [f64; 4] = center.into();
        let far = DVec3::new(x, y, z).abs();
        // The extra 1/512 leaves room for rounding both bounds outwards by a step.
        let room = 2.0 * size * (1.0 + 1.0 / 512.0);
        if !room.is_finite() || !far.is_finite() {
            return None;
        }
        let level = exponent_above(room)
            .max(exponent_above(far.max_element()) - REACH_BITS)
            .max(LEVEL_MIN);
        if level > LEVEL_MAX {
            return None;
        }
        let cells = (center * power_of_two(-level)).floor();
        let origin = cells * power_of_two(level);
        // Each largest bound is handled negated, as if it were a smallest one.
        let [a, b, c, _] = outwards(simd, self.min, origin, level);
        let [d, e, f, _] = outwards(simd, -self.max, -origin, level);
        let [x, y, z, _] = whole_bits(cells);
        Some(Placement {
            level: level as i8,
            coord: [x as i32, y as i32, z as i32],
            // Spelled out, here and below: a `map` is a call.
            bounds: [a as i16, b as i16, c as i16, d as i16, e as i16, f as i16],
        })
    }
}

/// The place of a valid box; see [`LaneBox::place`].
pub(crate) fn place(aabb: &WorldAabb) -> Option<Placement> {
    dispatch!(Level::new(), simd => LaneBox::new(simd, aabb).place(simd))
}

/// Smallest bounds in steps from `origin`, rounded down, in the low bits; both in metres.
#[inline(always)]
fn outwards<S: Simd>(simd: S, bounds: f64x4<S>, origin: f64x4<S>, level: i32) -> [u64; 4] {
    let step = power_of_two(level - STEP_BITS);
    let low = ((bounds - origin) * power_of_two(STEP_BITS - level)).floor();
    // The difference may have rounded inwards by less than a step.
    let inwards = (low * step + origin).simd_gt(bounds);
    let (one, none) = (f64x4::splat(simd, 1.0), f64x4::splat(simd, 0.0));
    whole_bits(low - inwards.select(one, none))
}

#[inline(always)]
fn lanes<S: Simd>(simd: S, v: DVec3) -> f64x4<S> {
    f64x4::simd_from(simd, [v.x, v.y, v.z, 0.0])
}

/// What brings the whole part of a number to the low end of its bits, where it is in two's
/// complement: beside this, steps of `f64` are one. A conversion to integers takes longer.
const WHOLE: f64 = 1.5 * (1_u64 << 52) as f64;

/// Whole numbers far below 2^51 in two's complement, in the low bits.
#[inline(always)]
fn whole_bits<S: Simd>(whole: f64x4<S>) -> [u64; 4] {
    let [x, y, z, w]: [f64; 4] = (whole + WHOLE).into();
    [x.to_bits(), y.to_bits(), z.to_bits(), w.to_bits()]
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

/// The margin of a box: what is kept around it on every side, in metres.
#[inline(always)]
fn margin(size: DVec3) -> f64 {
    (MARGIN * size.max_element()).min(MAX_THIN_MARGIN * size.min_element())
}

#[inline(always)]
fn lead(size: DVec3, motion: Vec3) -> DVec3 {
    if !motion.is_finite() {
        return DVec3::ZERO;
    }
    let limit = DVec3::splat(MAX_LEAD * size.max_element());
    motion.as_dvec3().clamp(-limit, limit)
}

/// Whether `fat` still serves a body whose tight box is now `tight`, which it contains: it is
/// not much larger than a fresh one would be.
pub(crate) fn is_snug(fat: &WorldAabb, tight: &WorldAabb, motion: Vec3) -> bool {
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
