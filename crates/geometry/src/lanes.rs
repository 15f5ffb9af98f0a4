//! Eight lanes: the types that kernels of the narrow phase and the solver share.
//!
//! A kernel handles eight things at once. Its data lie in blocks of eight (`Lane`, an
//! array of structures of arrays) of one layout on every machine, so results and
//! snapshots never depend on the processor. Functions are generic over [`Simd`] and
//! `#[inline(always)]` down to the `dispatch!` that enters them: only then does the
//! instruction set of that entry reach the code inside.
//!
//! Same bits at every level: addition, subtraction, multiplication, division and square
//! root are exactly rounded everywhere. Fused or approximate operations are not, so they
//! must not be used. The trait's own `min`, `max` and `clamp` leave the sign of a zero to
//! the machine: use [`min`], [`max`] and [`clamp`] of this module. NaN stays outside.

pub use fearless_simd::{Level, dispatch, f32x4, f32x8, mask32x8, prelude, u32x8, u64x2};

use fearless_simd::prelude::*;
use glam::Vec3;
use serde::{Deserialize, Serialize};

/// Things a kernel handles at once, on every machine.
pub const LANES: usize = 8;

/// One number for each of eight things, stored; [`Lane::load`] makes it a vector.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[repr(C, align(32))]
pub struct Lane(pub [f32; LANES]);

/// One `Vec3` for each of eight things, stored by component.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[repr(C)]
pub struct Lane3 {
    /// The x components.
    pub x: Lane,
    /// The y components.
    pub y: Lane,
    /// The z components.
    pub z: Lane,
}

impl Lane {
    /// Eight zeros.
    pub const ZERO: Self = Self([0.0; LANES]);

    /// The same number for all eight.
    pub const fn splat(value: f32) -> Self {
        Self([value; LANES])
    }

    /// The stored numbers as a vector.
    #[inline(always)]
    pub fn load<S: Simd>(&self, simd: S) -> f32x8<S> {
        f32x8::load_array_ref(simd, &self.0)
    }

    /// Replaces the stored numbers by those of a vector.
    #[inline(always)]
    pub fn store<S: Simd>(&mut self, value: f32x8<S>) {
        value.store_array(&mut self.0);
    }
}

impl Lane3 {
    /// Eight zero vectors.
    pub const ZERO: Self = Self {
        x: Lane::ZERO,
        y: Lane::ZERO,
        z: Lane::ZERO,
    };

    /// The stored vectors, ready to compute with.
    #[inline(always)]
    pub fn load<S: Simd>(&self, simd: S) -> Vec3x8<S> {
        Vec3x8 {
            x: self.x.load(simd),
            y: self.y.load(simd),
            z: self.z.load(simd),
        }
    }

    /// Replaces all eight vectors.
    #[inline(always)]
    pub fn store<S: Simd>(&mut self, value: Vec3x8<S>) {
        self.x.store(value.x);
        self.y.store(value.y);
        self.z.store(value.z);
    }

    /// The vector of one lane; `lane` must be below [`LANES`].
    pub const fn get(&self, lane: usize) -> Vec3 {
        Vec3::new(self.x.0[lane], self.y.0[lane], self.z.0[lane])
    }

    /// Replaces the vector of one lane; `lane` must be below [`LANES`].
    pub const fn set(&mut self, lane: usize, value: Vec3) {
        self.x.0[lane] = value.x;
        self.y.0[lane] = value.y;
        self.z.0[lane] = value.z;
    }
}

/// Eight vectors of three components, one per lane.
#[derive(Clone, Copy, Debug)]
pub struct Vec3x8<S: Simd> {
    /// The x components.
    pub x: f32x8<S>,
    /// The y components.
    pub y: f32x8<S>,
    /// The z components.
    pub z: f32x8<S>,
}

impl<S: Simd> Vec3x8<S> {
    /// Eight zero vectors.
    #[inline(always)]
    pub fn zero(simd: S) -> Self {
        let zero = f32x8::splat(simd, 0.0);
        Self {
            x: zero,
            y: zero,
            z: zero,
        }
    }

    /// The same vector in every lane.
    #[inline(always)]
    pub fn splat(simd: S, value: Vec3) -> Self {
        Self {
            x: f32x8::splat(simd, value.x),
            y: f32x8::splat(simd, value.y),
            z: f32x8::splat(simd, value.z),
        }
    }

    /// Scalar product, summed as `(x + y) + z`.
    #[inline(always)]
    pub fn dot(self, other: Self) -> f32x8<S> {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    /// Vector product `self x other`.
    #[inline(always)]
    pub fn cross(self, other: Self) -> Self {
        Self {
            x: self.y * other.z - self.z * other.y,
            y: self.z * other.x - self.x * other.z,
            z: self.x * other.y - self.y * other.x,
        }
    }

    /// Each vector times its own factor.
    #[inline(always)]
    pub fn scale(self, factor: f32x8<S>) -> Self {
        Self {
            x: self.x * factor,
            y: self.y * factor,
            z: self.z * factor,
        }
    }

    /// `self + direction * factor`, rounded after the product and after the sum.
    #[inline(always)]
    pub fn add_scaled(self, direction: Self, factor: f32x8<S>) -> Self {
        self + direction.scale(factor)
    }

    /// `self - direction * factor`, rounded after the product and after the difference.
    #[inline(always)]
    pub fn sub_scaled(self, direction: Self, factor: f32x8<S>) -> Self {
        self - direction.scale(factor)
    }

    /// Component by component product.
    #[inline(always)]
    pub fn mul_components(self, other: Self) -> Self {
        Self {
            x: self.x * other.x,
            y: self.y * other.y,
            z: self.z * other.z,
        }
    }

    /// Squared length.
    #[inline(always)]
    pub fn length_sq(self) -> f32x8<S> {
        self.dot(self)
    }

    /// Length, from an exactly rounded square root.
    #[inline(always)]
    pub fn length(self) -> f32x8<S> {
        self.length_sq().sqrt()
    }

    /// Each lane from `if_true` where the mask is set, else from `if_false`.
    #[inline(always)]
    pub fn select(mask: mask32x8<S>, if_true: Self, if_false: Self) -> Self {
        Self {
            x: mask.select(if_true.x, if_false.x),
            y: mask.select(if_true.y, if_false.y),
            z: mask.select(if_true.z, if_false.z),
        }
    }

    /// Component by component minimum, see [`min`].
    #[inline(always)]
    pub fn min(self, other: Self) -> Self {
        Self {
            x: min(self.x, other.x),
            y: min(self.y, other.y),
            z: min(self.z, other.z),
        }
    }

    /// Component by component maximum, see [`max`].
    #[inline(always)]
    pub fn max(self, other: Self) -> Self {
        Self {
            x: max(self.x, other.x),
            y: max(self.y, other.y),
            z: max(self.z, other.z),
        }
    }
}

impl<S: Simd> std::ops::Add for Vec3x8<S> {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self {
            x: self.x + other.x,
            y: self.y + other.y,
            z: self.z + other.z,
        }
    }
}

impl<S: Simd> std::ops::Sub for Vec3x8<S> {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self {
            x: self.x - other.x,
            y: self.y - other.y,
            z: self.z - other.z,
        }
    }
}

impl<S: Simd> std::ops::Neg for Vec3x8<S> {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        Self {
            x: -self.x,
            y: -self.y,
            z: -self.z,
        }
    }
}

/// A symmetric 3x3 matrix per lane, such as a world inverse inertia; six numbers each.
#[derive(Clone, Copy, Debug)]
pub struct SymMat3x8<S: Simd> {
    /// The diagonal: xx, yy, zz.
    pub diagonal: Vec3x8<S>,
    /// The rest: yz, zx, xy.
    pub off_diagonal: Vec3x8<S>,
}

impl<S: Simd> SymMat3x8<S> {
    /// Matrix times vector, each row summed as `(x + y) + z`.
    #[inline(always)]
    pub fn apply(self, v: Vec3x8<S>) -> Vec3x8<S> {
        let (d, o) = (self.diagonal, self.off_diagonal);
        Vec3x8 {
            x: d.x * v.x + o.z * v.y + o.y * v.z,
            y: o.z * v.x + d.y * v.y + o.x * v.z,
            z: o.y * v.x + o.x * v.y + d.z * v.z,
        }
    }
}

/// The smaller of each pair; `b` when they are equal, so the sign of a zero is defined.
///
/// Neither may be NaN.
#[inline(always)]
pub fn min<S: Simd>(a: f32x8<S>, b: f32x8<S>) -> f32x8<S> {
    a.simd_lt(b).select(a, b)
}

/// The larger of each pair; `b` when they are equal, so the sign of a zero is defined.
///
/// Neither may be NaN.
#[inline(always)]
pub fn max<S: Simd>(a: f32x8<S>, b: f32x8<S>) -> f32x8<S> {
    a.simd_gt(b).select(a, b)
}

/// `value` brought into `[low, high]`; no lane's `low` may exceed its `high`.
#[inline(always)]
pub fn clamp<S: Simd>(value: f32x8<S>, low: f32x8<S>, high: f32x8<S>) -> f32x8<S> {
    min(max(value, low), high)
}

/// `numerator / denominator`, or zero where the denominator is not positive.
#[inline(always)]
pub fn divide_or_zero<S: Simd>(numerator: f32x8<S>, denominator: f32x8<S>) -> f32x8<S> {
    let simd = numerator.simd;
    let zero = f32x8::splat(simd, 0.0);
    let one = f32x8::splat(simd, 1.0);
    let usable = denominator.simd_gt(zero);
    usable.select(numerator / usable.select(denominator, one), zero)
}

/// A power of two `r` so that `value * r * r` is at least 1 and less than 4. Products of what was
/// multiplied by such powers neither overflow nor vanish, and round as they would without.
///
/// `value` is finite and not negative. Of zero and of numbers below the normal ones it is `2^64`.
#[inline(always)]
pub fn inverse_root_power<S: Simd>(value: f32x8<S>) -> f32x8<S> {
    const MANTISSA_BITS: u32 = f32::MANTISSA_DIGITS - 1;
    let simd = value.simd;
    let bits: u32x8<S> = value.bitcast();
    // Exponents are stored plus 127. That of the root is half of it, rounded down: a shift.
    let exponent = (bits & u32x8::splat(simd, u32::MAX >> 1)) >> MANTISSA_BITS;
    let half = (exponent + u32x8::splat(simd, 1)) >> 1;
    ((u32x8::splat(simd, 127 + 64) - half) << MANTISSA_BITS).bitcast()
}

/// Four by four transpose of 128-bit vectors.
#[inline(always)]
fn transpose_4x4<S: Simd>(rows: [f32x4<S>; 4]) -> [f32x4<S>; 4] {
    let [r0, r1, r2, r3] = rows;
    let (a, b) = r0.interleave(r2);
    let (c, d) = r1.interleave(r3);
    let (c0, c1) = a.interleave(c);
    let (c2, c3) = b.interleave(d);
    [c0, c1, c2, c3]
}

// The transposes are spelled out: a closure passed to `array::map` is compiled without
// the instruction set of the kernel around it, which made them four times slower.

/// Turns eight things of four numbers (rows) into four vectors of eight lanes.
#[inline(always)]
pub fn rows_to_lanes_4<S: Simd>(simd: S, rows: [&[f32; 4]; LANES]) -> [f32x8<S>; 4] {
    let [a0, a1, a2, a3] = transpose_4x4([
        f32x4::load_array_ref(simd, rows[0]),
        f32x4::load_array_ref(simd, rows[1]),
        f32x4::load_array_ref(simd, rows[2]),
        f32x4::load_array_ref(simd, rows[3]),
    ]);
    let [b0, b1, b2, b3] = transpose_4x4([
        f32x4::load_array_ref(simd, rows[4]),
        f32x4::load_array_ref(simd, rows[5]),
        f32x4::load_array_ref(simd, rows[6]),
        f32x4::load_array_ref(simd, rows[7]),
    ]);
    [
        a0.combine(b0),
        a1.combine(b1),
        a2.combine(b2),
        a3.combine(b3),
    ]
}

/// Turns four vectors of eight lanes into eight things of four numbers (rows).
#[inline(always)]
pub fn lanes_to_rows_4<S: Simd>(lanes: [f32x8<S>; 4]) -> [[f32; 4]; LANES] {
    let (a0, b0) = lanes[0].split();
    let (a1, b1) = lanes[1].split();
    let (a2, b2) = lanes[2].split();
    let (a3, b3) = lanes[3].split();
    let [r0, r1, r2, r3] = transpose_4x4([a0, a1, a2, a3]);
    let [r4, r5, r6, r7] = transpose_4x4([b0, b1, b2, b3]);
    [
        r0.to_array(),
        r1.to_array(),
        r2.to_array(),
        r3.to_array(),
        r4.to_array(),
        r5.to_array(),
        r6.to_array(),
        r7.to_array(),
    ]
}

/// Turns eight things of eight numbers (rows) into eight vectors of eight lanes.
#[inline(always)]
pub fn rows_to_lanes_8<S: Simd>(simd: S, rows: [&[f32; 8]; LANES]) -> [f32x8<S>; 8] {
    transpose_8x8([
        f32x8::load_array_ref(simd, rows[0]),
        f32x8::load_array_ref(simd, rows[1]),
        f32x8::load_array_ref(simd, rows[2]),
        f32x8::load_array_ref(simd, rows[3]),
        f32x8::load_array_ref(simd, rows[4]),
        f32x8::load_array_ref(simd, rows[5]),
        f32x8::load_array_ref(simd, rows[6]),
        f32x8::load_array_ref(simd, rows[7]),
    ])
}

/// Turns eight vectors of eight lanes into eight things of eight numbers (rows).
#[inline(always)]
pub fn lanes_to_rows_8<S: Simd>(lanes: [f32x8<S>; 8]) -> [[f32; 8]; LANES] {
    let [r0, r1, r2, r3, r4, r5, r6, r7] = transpose_8x8(lanes);
    [
        r0.to_array(),
        r1.to_array(),
        r2.to_array(),
        r3.to_array(),
        r4.to_array(),
        r5.to_array(),
        r6.to_array(),
        r7.to_array(),
    ]
}

/// Eight by eight transpose in three rounds of interleaving.
#[inline(always)]
pub fn transpose_8x8<S: Simd>(rows: [f32x8<S>; 8]) -> [f32x8<S>; 8] {
    let [r0, r1, r2, r3, r4, r5, r6, r7] = rows;
    let (a0, a1) = r0.interleave(r4);
    let (b0, b1) = r1.interleave(r5);
    let (c0, c1) = r2.interleave(r6);
    let (d0, d1) = r3.interleave(r7);
    let (e0, e1) = a0.interleave(c0);
    let (e2, e3) = a1.interleave(c1);
    let (f0, f1) = b0.interleave(d0);
    let (f2, f3) = b1.interleave(d1);
    let (g0, g1) = e0.interleave(f0);
    let (g2, g3) = e1.interleave(f1);
    let (g4, g5) = e2.interleave(f2);
    let (g6, g7) = e3.interleave(f3);
    [g0, g1, g2, g3, g4, g5, g6, g7]
}
