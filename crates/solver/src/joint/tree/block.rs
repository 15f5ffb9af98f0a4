//! Symmetric systems of three in lanes.

use drystone_geometry::lanes::{SymMat3x8, Vec3x8, divide_or_zero, f32x8, max};
use fearless_simd::prelude::*;

use crate::tolerance::PIVOT_SHARE;

/// A symmetric matrix that is not negative, as `L D L^T`.
///
/// Pivots are kept above a share of the trace, which is where rounding would make them
/// anything: there the solution is too small, and the sweeps to come add what is missing. An
/// axis of no compliance, locked on both bodies, gets nothing.
#[derive(Clone, Copy)]
pub(crate) struct Block<S: Simd> {
    /// Inverses of the pivots.
    pub(crate) pivots: Vec3x8<S>,
    /// The entries zy, zx, yx of `L`.
    pub(crate) lower: Vec3x8<S>,
}

impl<S: Simd> Block<S> {
    #[inline(always)]
    pub(crate) fn factor(matrix: SymMat3x8<S>) -> Self {
        let (d, o) = (matrix.diagonal, matrix.off_diagonal);
        let simd = d.x.simd;
        let zero = f32x8::splat(simd, 0.0);
        let one = f32x8::splat(simd, 1.0);
        let floor = (d.x + d.y + d.z) * f32x8::splat(simd, PIVOT_SHARE);
        let inverse_x = divide_or_zero(one, d.x.simd_gt(zero).select(max(d.x, floor), zero));
        let (yx, zx) = (o.z * inverse_x, o.y * inverse_x);
        let pivot = d.y - yx * o.z;
        let inverse_y = divide_or_zero(one, d.y.simd_gt(zero).select(max(pivot, floor), zero));
        let rest = o.x - yx * o.y;
        let zy = rest * inverse_y;
        let pivot = d.z - zx * o.y - zy * rest;
        let inverse_z = divide_or_zero(one, d.z.simd_gt(zero).select(max(pivot, floor), zero));
        Self {
            pivots: Vec3x8 {
                x: inverse_x,
                y: inverse_y,
                z: inverse_z,
            },
            lower: Vec3x8 {
                x: zy,
                y: zx,
                z: yx,
            },
        }
    }

    /// What times the matrix gives `right`.
    #[inline(always)]
    pub(crate) fn solve(&self, right: Vec3x8<S>) -> Vec3x8<S> {
        let (d, l) = (self.pivots, self.lower);
        let y = right.y - l.z * right.x;
        let z = right.z - l.y * right.x - l.x * y;
        let z = z * d.z;
        let y = y * d.y - l.x * z;
        let x = right.x * d.x - l.z * y - l.y * z;
        Vec3x8 { x, y, z }
    }
}
