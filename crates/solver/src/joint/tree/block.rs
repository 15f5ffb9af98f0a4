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

/// Change of the velocity of the point at `arm` per impulse there: `m + r S r^T`, with `S` the
/// inverse inertia and `r` the matrix of the cross product with the arm.
#[inline(always)]
pub(crate) fn compliance<S: Simd>(
    inverse_mass: Vec3x8<S>,
    inverse_inertia: SymMat3x8<S>,
    arm: Vec3x8<S>,
) -> SymMat3x8<S> {
    let (s, o) = (inverse_inertia.diagonal, inverse_inertia.off_diagonal);
    let sq = arm.mul_components(arm);
    let (yz, zx, xy) = (arm.y * arm.z, arm.z * arm.x, arm.x * arm.y);
    let (two_x, two_y, two_z) = (o.x + o.x, o.y + o.y, o.z + o.z);
    SymMat3x8 {
        diagonal: Vec3x8 {
            x: inverse_mass.x + (s.y * sq.z + s.z * sq.y - two_x * yz),
            y: inverse_mass.y + (s.z * sq.x + s.x * sq.z - two_y * zx),
            z: inverse_mass.z + (s.x * sq.y + s.y * sq.x - two_z * xy),
        },
        off_diagonal: Vec3x8 {
            x: o.z * zx + o.y * xy - s.x * yz - o.x * sq.x,
            y: o.x * xy + o.z * yz - s.y * zx - o.y * sq.y,
            z: o.y * yz + o.x * zx - s.z * xy - o.z * sq.z,
        },
    }
}
