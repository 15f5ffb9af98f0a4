//! Four boxes side by side: a coordinate of each to a lane.
//!
//! Whether boxes left their fat boxes, and where they go then, takes the same steps for each of
//! them, so four are told in little more time than one.

use drystone_geometry::WorldAabb;
use drystone_geometry::glam::{DVec3, Vec3};
use fearless_simd::prelude::*;
use fearless_simd::{f64x4, mask64x4, u64x4};

use crate::placement::{Placement, power_of_two};
use crate::tolerance::{
    EXCESS, LEVEL_MAX, LEVEL_MIN, MARGIN, MAX_LEAD, MAX_THIN_MARGIN, REACH_BITS, STEP_BITS,
};

/// Boxes side by side.
pub(crate) const LANES: usize = 4;

/// A coordinate along each axis.
type Columns<S> = [f64x4<S>; 3];

/// Four boxes in the world, in metres.
#[derive(Clone, Copy)]
pub(crate) struct Boxes<S: Simd> {
    min: Columns<S>,
    max: Columns<S>,
}

/// Four expected displacements, in metres; one that is not finite counts as none.
#[derive(Clone, Copy)]
pub(crate) struct Motions<S: Simd>(Columns<S>);

/// Where four boxes go.
pub(crate) struct Placed {
    /// Those that belong in a grid, one bit each.
    fits: u64,
    edges: [f64; LANES],
    /// Cells along the first two axes, from the lowest bits up.
    cells: [u64; LANES],
    /// The first four bounds in steps, from the lowest bits up.
    bounds: [u64; LANES],
    /// The last two bounds, then the cell along the last axis.
    rest: [u64; LANES],
    /// The fat boxes.
    fat: [[f64; LANES]; 6],
}

/// What brings the whole part of a number to the low end of its bits, where it is in two's
/// complement: beside this, steps of `f64` are one. A conversion to integers takes longer.
const WHOLE: f64 = 1.5 * (1_u64 << 52) as f64;

/// The bits of an exponent.
const EXPONENT: u64 = 0x7ff << 52;

// Coordinates are spelled out here and below: a `map` is a call.
impl<S: Simd> Boxes<S> {
    #[inline(always)]
    pub(crate) fn new(simd: S, [a, b, c, d]: [&WorldAabb; LANES]) -> Self {
        Self {
            min: columns(simd, [a.min, b.min, c.min, d.min]),
            max: columns(simd, [a.max, b.max, c.max, d.max]),
        }
    }

    /// Which are as [`WorldAabb::is_valid`] asks.
    #[inline(always)]
    pub(crate) fn valid(&self) -> mask64x4<S> {
        all_le(&self.min, &self.max)
    }

    /// Which contain their like of `others`, as [`WorldAabb::contains`] tells.
    #[inline(always)]
    pub(crate) fn contain(&self, others: &Self) -> mask64x4<S> {
        all_le(&self.min, &others.min) & all_le(&others.max, &self.max)
    }

    /// Which fat boxes still serve bodies whose tight boxes are now `tight`, which they contain:
    /// they are not much larger than fresh ones would be.
    #[inline(always)]
    pub(crate) fn are_snug(&self, tight: &Self, motion: &Motions<S>) -> mask64x4<S> {
        let (size, fat_size) = (tight.size(), self.size());
        let slack = [
            fat_size[0] - size[0],
            fat_size[1] - size[1],
            fat_size[2] - size[2],
        ];
        let longest = largest(&size);
        // A fresh box has two margins, one lead and two roundings of at most a step.
        let lead = motion.lead(longest);
        let lead = largest(&[lead[0].abs(), lead[1].abs(), lead[2].abs()]);
        let room = (longest * MARGIN).max(lead) * EXCESS;
        let reach = largest(&self.reach());
        let is_snug = largest(&slack).simd_le(room + coarsest_step(reach) * 4.0);
        // Infinite boxes have no room to tell.
        let finite = is_finite(slack[0] + slack[1] + slack[2]);
        (finite & is_snug) | !(finite | is_finite(size[0] + size[1] + size[2]))
    }

    /// Valid boxes with room to move in: a margin all around, drawn out along the expected
    /// displacement. `mobile` is one for them and zero for those that get no room.
    #[inline(always)]
    pub(crate) fn with_room(&self, simd: S, motion: &Motions<S>, mobile: [f64; LANES]) -> Self {
        let none = f64x4::splat(simd, 0.0);
        let size = self.size();
        let longest = largest(&size);
        let shortest = size[0].min(size[1]).min(size[2]);
        let margin = (longest * MARGIN).min(shortest * MAX_THIN_MARGIN);
        // A box may be infinite, and then has no size at all where it lies at infinity.
        let all = size[0] + size[1] + size[2];
        let has_room = is_finite(margin) & all.simd_eq(all);
        let mobile = has_room.select(f64x4::simd_from(simd, mobile), none);
        let margin = has_room.select(margin, none) * mobile;
        let lead = motion.lead(has_room.select(longest, none));
        let [x, y, z] = [lead[0] * mobile, lead[1] * mobile, lead[2] * mobile];
        Self {
            min: [
                self.min[0] + x.min(none) - margin,
                self.min[1] + y.min(none) - margin,
                self.min[2] + z.min(none) - margin,
            ],
            max: [
                self.max[0] + x.max(none) + margin,
                self.max[1] + y.max(none) + margin,
                self.max[2] + z.max(none) + margin,
            ],
        }
    }

    /// The places of valid boxes.
    #[inline(always)]
    pub(crate) fn place(&self, simd: S) -> Placed {
        let center = [
            self.min[0] * 0.5 + self.max[0] * 0.5,
            self.min[1] * 0.5 + self.max[1] * 0.5,
            self.min[2] * 0.5 + self.max[2] * 0.5,
        ];
        let size = self.size();
        let far = [center[0].abs(), center[1].abs(), center[2].abs()];
        // The extra 1/512 leaves room for rounding both bounds outwards by a step.
        let room = largest(&size) * (2.0 * (1.0 + 1.0 / 512.0));
        let edge = power_above(room)
            .max(power_above(largest(&far)) * power_of_two(-REACH_BITS))
            .max(power_of_two(LEVEL_MIN));
        // The sums tell of any that is infinite or no number at all.
        let all = (size[0] + size[1] + size[2]) + (far[0] + far[1] + far[2]);
        let fits = is_finite(all) & edge.simd_le(power_of_two(LEVEL_MAX));
        let per_edge = f64x4::splat(simd, 1.0) / edge;
        let (x, y, z) = (
            Along::new(center[0], edge, per_edge),
            Along::new(center[1], edge, per_edge),
            Along::new(center[2], edge, per_edge),
        );
        // Each largest bound is handled negated, as if it were a smallest one.
        let (low, high) = (&self.min, &self.max);
        let (a, b, c) = (x.outwards(low[0]), y.outwards(low[1]), z.outwards(low[2]));
        let (x_high, y_high, z_high) = (x.negated(), y.negated(), z.negated());
        let (d, e, f) = (
            x_high.outwards(-high[0]),
            y_high.outwards(-high[1]),
            z_high.outwards(-high[2]),
        );
        Placed {
            fits: fits.to_bitmask(),
            edges: edge.into(),
            cells: (low_32(x.cell) | bits(y.cell) << 32).into(),
            bounds: (low_16(a) | low_16(b) << 16 | low_16(c) << 32 | bits(d) << 48).into(),
            rest: (low_16(e) | low_16(f) << 16 | bits(z.cell) << 32).into(),
            fat: [
                fits.select(x.at(a), low[0]).into(),
                fits.select(y.at(b), low[1]).into(),
                fits.select(z.at(c), low[2]).into(),
                fits.select(x.back(d), high[0]).into(),
                fits.select(y.back(e), high[1]).into(),
                fits.select(z.back(f), high[2]).into(),
            ],
        }
    }

    /// The box of the first lane.
    pub(crate) fn aabb(&self) -> WorldAabb {
        let ([x, y, z], [x_max, y_max, z_max]) = (&self.min, &self.max);
        WorldAabb {
            min: DVec3::new(x[0], y[0], z[0]),
            max: DVec3::new(x_max[0], y_max[0], z_max[0]),
        }
    }

    #[inline(always)]
    fn size(&self) -> Columns<S> {
        [
            self.max[0] - self.min[0],
            self.max[1] - self.min[1],
            self.max[2] - self.min[2],
        ]
    }

    /// How far from the origin they reach along each axis.
    #[inline(always)]
    fn reach(&self) -> Columns<S> {
        [
            self.min[0].abs().max(self.max[0].abs()),
            self.min[1].abs().max(self.max[1].abs()),
            self.min[2].abs().max(self.max[2].abs()),
        ]
    }
}

impl<S: Simd> Motions<S> {
    #[inline(always)]
    pub(crate) fn new(simd: S, [a, b, c, d]: [Vec3; LANES]) -> Self {
        let all = [a.as_dvec3(), b.as_dvec3(), c.as_dvec3(), d.as_dvec3()];
        let [x, y, z] = columns(simd, all);
        let finite = is_finite(x.abs() + y.abs() + z.abs());
        let none = f64x4::splat(simd, 0.0);
        Self([
            finite.select(x, none),
            finite.select(y, none),
            finite.select(z, none),
        ])
    }

    /// By how much boxes with these longest edges are drawn out.
    #[inline(always)]
    fn lead(&self, longest: f64x4<S>) -> Columns<S> {
        let limit = longest * MAX_LEAD;
        let [x, y, z] = self.0;
        [
            x.max(-limit).min(limit),
            y.max(-limit).min(limit),
            z.max(-limit).min(limit),
        ]
    }
}

/// Cells of boxes along one axis.
#[derive(Clone, Copy)]
struct Along<S: Simd> {
    /// In cells from the origin.
    cell: f64x4<S>,
    /// In metres.
    origin: f64x4<S>,
    /// A step, in metres.
    step: f64x4<S>,
    per_step: f64x4<S>,
}

impl<S: Simd> Along<S> {
    #[inline(always)]
    fn new(center: f64x4<S>, edge: f64x4<S>, per_edge: f64x4<S>) -> Self {
        let cell = (center * per_edge).floor();
        Self {
            cell,
            origin: cell * edge,
            step: edge * power_of_two(-STEP_BITS),
            per_step: per_edge * power_of_two(STEP_BITS),
        }
    }

    /// The same on an axis the other way round.
    #[inline(always)]
    fn negated(&self) -> Self {
        Self {
            origin: -self.origin,
            ..*self
        }
    }

    /// Smallest bounds in steps from the cell, rounded down.
    #[inline(always)]
    fn outwards(&self, bounds: f64x4<S>) -> f64x4<S> {
        let low = ((bounds - self.origin) * self.per_step).floor();
        // The difference may have rounded inwards by less than a step.
        let inwards = self.at(low).simd_gt(bounds);
        inwards.select(low - 1.0, low)
    }

    /// Where some steps from the cell are, in metres.
    #[inline(always)]
    fn at(&self, steps: f64x4<S>) -> f64x4<S> {
        self.origin + steps * self.step
    }

    /// Where some steps from the cell the other way are, in metres: as [`Placement::fat`] has it,
    /// to the sign of a zero.
    #[inline(always)]
    fn back(&self, steps: f64x4<S>) -> f64x4<S> {
        self.origin - steps * self.step
    }
}

impl Placed {
    /// Whether a box belongs in a grid: it is neither infinite nor too large for all levels.
    #[inline(always)]
    pub(crate) fn fits(&self, lane: usize) -> bool {
        self.fits >> lane & 1 != 0
    }

    /// The place of a box that belongs in a grid; nonsense for others.
    #[inline(always)]
    pub(crate) fn placement(&self, lane: usize) -> Placement {
        let (cells, bounds, rest) = (self.cells[lane], self.bounds[lane], self.rest[lane]);
        let exponent = (self.edges[lane].to_bits() >> 52) as i32;
        Placement {
            level: (exponent - 1023) as i8,
            coord: [cells as i32, (cells >> 32) as i32, (rest >> 32) as i32],
            bounds: [
                bounds as i16,
                (bounds >> 16) as i16,
                (bounds >> 32) as i16,
                (bounds >> 48) as i16,
                rest as i16,
                (rest >> 16) as i16,
            ],
        }
    }

    /// The fat box: that of the place, or the box itself where it has none.
    #[inline(always)]
    pub(crate) fn fat(&self, lane: usize) -> WorldAabb {
        let [a, b, c, d, e, f] = &self.fat;
        WorldAabb {
            min: DVec3::new(a[lane], b[lane], c[lane]),
            max: DVec3::new(d[lane], e[lane], f[lane]),
        }
    }
}

#[inline(always)]
fn columns<S: Simd>(simd: S, [a, b, c, d]: [DVec3; LANES]) -> Columns<S> {
    [
        f64x4::simd_from(simd, [a.x, b.x, c.x, d.x]),
        f64x4::simd_from(simd, [a.y, b.y, c.y, d.y]),
        f64x4::simd_from(simd, [a.z, b.z, c.z, d.z]),
    ]
}

#[inline(always)]
fn all_le<S: Simd>(some: &Columns<S>, others: &Columns<S>) -> mask64x4<S> {
    some[0].simd_le(others[0]) & some[1].simd_le(others[1]) & some[2].simd_le(others[2])
}

/// The largest along any axis.
#[inline(always)]
fn largest<S: Simd>(values: &Columns<S>) -> f64x4<S> {
    values[0].max(values[1]).max(values[2])
}

/// Which of some sums, whose terms are not negative, are finite.
#[inline(always)]
fn is_finite<S: Simd>(sums: f64x4<S>) -> mask64x4<S> {
    sums.simd_lt(f64::INFINITY)
}

/// Powers of two above values that are not negative: the least ones, but for those below all
/// levels.
#[inline(always)]
fn power_above<S: Simd>(values: f64x4<S>) -> f64x4<S> {
    let bits: u64x4<S> = values.bitcast();
    let power: f64x4<S> = (bits & EXPONENT).bitcast();
    power + power
}

/// The step of the finest level that reaches so far out, in metres. Only where it is coarser than
/// a box's own level does it matter.
#[inline(always)]
fn coarsest_step<S: Simd>(reach: f64x4<S>) -> f64x4<S> {
    let edge = (power_above(reach) * power_of_two(-REACH_BITS)).max(power_of_two(LEVEL_MIN));
    edge * power_of_two(-STEP_BITS)
}

/// Whole numbers far below 2^51 in two's complement, in the low bits.
#[inline(always)]
fn bits<S: Simd>(whole: f64x4<S>) -> u64x4<S> {
    (whole + WHOLE).bitcast()
}

/// The low 16 of the [`bits`] of whole numbers.
#[inline(always)]
fn low_16<S: Simd>(whole: f64x4<S>) -> u64x4<S> {
    bits(whole) & 0xffff
}

/// The low 32 of the [`bits`] of whole numbers.
#[inline(always)]
fn low_32<S: Simd>(whole: f64x4<S>) -> u64x4<S> {
    bits(whole) & 0xffff_ffff
}
