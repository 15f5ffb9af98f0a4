//! The system of an edge of a tree as it is set up: what the two bodies give way in the locked
//! directions.

use drystone_geometry::lanes::{Lane, Vec3x8, f32x8};
use fearless_simd::prelude::*;

use crate::joint::tree::direct::Six;
use crate::joint::tree::rows::{ROTATION, Rows, product, seen};
use crate::joint::tree::{MOST_ROWS, TreeBody};

/// Place of an entry in [`BodyWork::mobility`](crate::joint::tree::BodyWork).
#[inline(always)]
pub(super) const fn entry(i: usize, j: usize) -> usize {
    let (low, high) = if i < j { (i, j) } else { (j, i) };
    low * (11 - low) / 2 + high
}

/// Velocity that an impulse in a direction gives a body.
#[inline(always)]
fn moved<S: Simd>(simd: S, mobility: &[Lane; 21], axis: usize, about: Vec3x8<S>) -> Six<S> {
    let mut velocity = [f32x8::splat(simd, 0.0); 6];
    for i in 0..6 {
        let spin = [
            mobility[entry(i, 3)].load(simd),
            mobility[entry(i, 4)].load(simd),
            mobility[entry(i, 5)].load(simd),
        ];
        let turn = product(axis, about, spin);
        velocity[i] = if axis < ROTATION {
            mobility[entry(i, axis)].load(simd) + turn
        } else {
            turn
        };
    }
    velocity
}

/// What the bodies alone would give way in a direction.
#[inline(always)]
fn alone<S: Simd>(simd: S, body: &TreeBody, axis: usize, about: Vec3x8<S>) -> f32x8<S> {
    let (d, o) = (body.diagonal.load(simd), body.off_diagonal.load(simd));
    let spin = [
        product(axis, about, [d.x, o.z, o.y]),
        product(axis, about, [o.z, d.y, o.x]),
        product(axis, about, [o.y, o.x, d.z]),
    ];
    let turn = product(axis, about, spin);
    let m = body.inverse_mass.load(simd);
    match axis {
        0 => m.x + turn,
        1 => m.y + turn,
        2 => m.z + turn,
        _ => turn,
    }
}

/// An edge's system as it is set up.
pub(super) struct System<S: Simd, const N: usize> {
    /// What the bodies give way together; by column and below the diagonal.
    pub(super) matrix: [[f32x8<S>; N]; N],
    pub(super) floors: [f32x8<S>; N],
    /// By row: the velocity that an impulse gives the body that was added last.
    pub(super) last: [[f32x8<S>; 6]; N],
}

/// A body of an edge.
pub(super) struct Side<'a, S: Simd, const N: usize> {
    pub(super) abouts: &'a [Vec3x8<S>; N],
    pub(super) mobility: &'a [Lane; 21],
    pub(super) body: &'a TreeBody,
    /// Least share of what the body alone would give way.
    pub(super) share: f32x8<S>,
}

impl<S: Simd, const N: usize> System<S, N> {
    #[inline(always)]
    pub(super) fn new(simd: S) -> Self {
        let zero = f32x8::splat(simd, 0.0);
        Self {
            matrix: [[zero; N]; N],
            floors: [zero; N],
            last: [[zero; 6]; N],
        }
    }

    /// Adds what a body gives way.
    #[inline(always)]
    pub(super) fn weigh(&mut self, simd: S, rows: &Rows<S, N>, side: &Side<'_, S, N>) {
        if N == MOST_ROWS {
            for row in 0..N {
                self.add(simd, rows, side, row);
            }
            return;
        }
        // Spelt out, so that the axis of a row is known where the kernel is compiled.
        self.add(simd, rows, side, 0);
        self.add(simd, rows, side, 1);
        self.add(simd, rows, side, 2);
        if N > 3 {
            self.add(simd, rows, side, 3);
            self.add(simd, rows, side, 4);
        }
        if N > 5 {
            self.add(simd, rows, side, 5);
        }
    }

    /// Adds what a body gives way under an impulse in the direction of row `j`.
    #[inline(always)]
    fn add(&mut self, simd: S, rows: &Rows<S, N>, side: &Side<'_, S, N>, j: usize) {
        let (axis, about) = (rows.axis(j), side.abouts[j]);
        let velocity = moved(simd, side.mobility, axis, about);
        for i in j..N {
            self.matrix[i][j] += seen(rows.axis(i), side.abouts[i], &velocity);
        }
        self.floors[j] += side.share * alone(simd, side.body, axis, about);
        self.last[j] = velocity;
    }
}
