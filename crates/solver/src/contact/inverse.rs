//! Inverses of small symmetric matrices, in lanes.
//!
//! Each is computed in a unit of its own, a power of two: inverse masses and inertias may be
//! from 1e-20 to 1e20, and products of two or three of them lie outside what `f32` holds.

use drystone_geometry::lanes::{Lane, Vec3x8, divide_or_zero, f32x8, inverse_root_power};
use fearless_simd::prelude::*;

use crate::tolerance::SINGULAR_DETERMINANT;

/// Inverse of a symmetric, not negative 2x2 matrix (11, 12, 22). Of one that is singular, as
/// between bodies locked to a plane, the pseudo-inverse: `K / trace^2` when the rank is 1.
#[inline(always)]
pub(super) fn invert_2x2<S: Simd>(simd: S, k: [f32x8<S>; 3]) -> [Lane; 3] {
    let [k11, k12, k22] = k;
    let unit = inverse_root_power(k11 + k22);
    let (k11, k12, k22) = (k11 * unit * unit, k12 * unit * unit, k22 * unit * unit);
    let one = f32x8::splat(simd, 1.0);
    let determinant = k11 * k22 - k12 * k12;
    let trace = k11 + k22;
    let sound = determinant.simd_gt(f32x8::splat(simd, SINGULAR_DETERMINANT) * trace * trace);
    let inverse = divide_or_zero(one, sound.select(determinant, one));
    let square = divide_or_zero(one, trace * trace);
    let mut mass = [Lane::ZERO; 3];
    mass[0].store(sound.select(k22 * inverse, k11 * square) * unit * unit);
    mass[1].store(sound.select(-k12 * inverse, k12 * square) * unit * unit);
    mass[2].store(sound.select(k11 * inverse, k22 * square) * unit * unit);
    mass
}

/// Inverse of a symmetric, not negative 3x3 matrix: the diagonal, and `23, 31, 12`. Zero of one
/// that has none.
#[inline(always)]
pub(super) fn invert_3x3<S: Simd>(simd: S, d: Vec3x8<S>, o: Vec3x8<S>) -> (Vec3x8<S>, Vec3x8<S>) {
    let unit = inverse_root_power(d.x + d.y + d.z);
    let (d, o) = (d.scale(unit).scale(unit), o.scale(unit).scale(unit));
    let cofactor_d = Vec3x8 {
        x: d.y * d.z - o.x * o.x,
        y: d.z * d.x - o.y * o.y,
        z: d.x * d.y - o.z * o.z,
    };
    let cofactor_o = Vec3x8 {
        x: o.y * o.z - d.x * o.x,
        y: o.z * o.x - d.y * o.y,
        z: o.x * o.y - d.z * o.z,
    };
    let determinant = d.x * cofactor_d.x + o.z * cofactor_o.z + o.y * cofactor_o.y;
    let scale = divide_or_zero(f32x8::splat(simd, 1.0), determinant);
    (
        cofactor_d.scale(scale).scale(unit).scale(unit),
        cofactor_o.scale(scale).scale(unit).scale(unit),
    )
}
