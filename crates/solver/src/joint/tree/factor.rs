//! An edge's part of the factored system: `L D L^T`, and what it hands on to the parent.

#![expect(
    clippy::needless_range_loop,
    reason = "rows and columns of small matrices; closures lose the instruction set"
)]

use drystone_geometry::lanes::{Lane, divide_or_zero, f32x8, max};
use fearless_simd::prelude::*;

use crate::joint::tree::system::entry;
use crate::joint::tree::{Factor, MOST_ROWS};

impl<const N: usize> Factor<N> {
    pub(super) const EMPTY: Self = Self {
        lower: [[Lane::ZERO; N]; N],
        feedback: [[Lane::ZERO; 6]; N],
        value: [Lane::ZERO; N],
        slack: [Lane::ZERO; N],
        reach: [Lane::ZERO; N],
    };

    #[inline(always)]
    pub(super) fn most_slack<S: Simd>(&self, simd: S) -> f32x8<S> {
        let mut most = f32x8::splat(simd, 0.0);
        for row in 0..N {
            most = max(most, self.slack[row].load(simd));
        }
        most
    }

    /// `L D L^T` of a symmetric matrix given below its diagonal, each entry of which is raised
    /// by its floor. Directions whose pivots do not exceed what is `held` get no impulse.
    #[inline(always)]
    pub(super) fn decompose<S: Simd>(
        &mut self,
        simd: S,
        matrix: &[[f32x8<S>; N]; N],
        floors: &[f32x8<S>; N],
        held: &[f32x8<S>; N],
    ) {
        let zero = f32x8::splat(simd, 0.0);
        let one = f32x8::splat(simd, 1.0);
        let mut lower = [[f32x8::splat(simd, 0.0); N]; N];
        for j in 0..N {
            let mut pivot = matrix[j][j] + floors[j];
            for k in 0..j {
                let before = lower[j][k];
                lower[j][k] = before * lower[k][k];
                pivot -= before * lower[j][k];
            }
            let pivot = max(pivot, floors[j]);
            let pivot = pivot.simd_gt(held[j]).select(pivot, zero);
            let inverse = divide_or_zero(one, pivot);
            lower[j][j] = inverse;
            for i in j + 1..N {
                let mut rest = matrix[i][j];
                for k in 0..j {
                    rest -= lower[i][k] * lower[j][k];
                }
                // Without the inverse pivot until row i is reached.
                lower[i][j] = rest;
            }
        }
        for i in 0..N {
            for j in 0..=i {
                self.lower[i][j].store(lower[i][j]);
            }
        }
    }

    /// What times the matrix gives `right`.
    #[inline(always)]
    pub(super) fn solve<S: Simd>(&self, simd: S, right: [f32x8<S>; N]) -> [f32x8<S>; N] {
        let mut x = right;
        for i in 0..N {
            for j in 0..i {
                x[i] -= self.lower[i][j].load(simd) * x[j];
            }
        }
        for i in 0..N {
            x[i] *= self.lower[i][i].load(simd);
        }
        for i in (0..N).rev() {
            for j in i + 1..N {
                x[i] -= self.lower[j][i].load(simd) * x[j];
            }
        }
        x
    }

    /// Adds to a velocity of the parent what the edge does to it when it adds `right` to that of the
    /// child against it.
    #[inline(always)]
    pub(super) fn hand_on<S: Simd>(
        &self,
        simd: S,
        right: &[f32x8<S>; N],
        velocity: &mut [Lane; 6],
    ) {
        for column in 0..6 {
            let mut value = velocity[column].load(simd);
            for row in 0..N {
                value -= self.feedback[row][column].load(simd) * right[row];
            }
            velocity[column].store(value);
        }
    }

    /// Takes from the parent's mobility what the edge holds; `on_parent` is by row the velocity
    /// an impulse gives the parent.
    #[inline(always)]
    pub(super) fn hang<S: Simd>(
        &mut self,
        simd: S,
        on_parent: &[[f32x8<S>; 6]; N],
        mobility: &mut [Lane; 21],
    ) {
        if N == MOST_ROWS {
            for column in 0..6 {
                self.hang_column(simd, on_parent, mobility, column);
            }
            return;
        }
        // Spelt out, so that places are known where the kernel is compiled.
        self.hang_column(simd, on_parent, mobility, 0);
        self.hang_column(simd, on_parent, mobility, 1);
        self.hang_column(simd, on_parent, mobility, 2);
        self.hang_column(simd, on_parent, mobility, 3);
        self.hang_column(simd, on_parent, mobility, 4);
        self.hang_column(simd, on_parent, mobility, 5);
    }

    #[inline(always)]
    fn hang_column<S: Simd>(
        &mut self,
        simd: S,
        on_parent: &[[f32x8<S>; 6]; N],
        mobility: &mut [Lane; 21],
        column: usize,
    ) {
        let mut right = [f32x8::splat(simd, 0.0); N];
        for row in 0..N {
            right[row] = on_parent[row][column];
        }
        let solution = self.solve(simd, right);
        for row in 0..N {
            self.feedback[row][column].store(solution[row]);
        }
        for i in 0..=column {
            let place = &mut mobility[entry(i, column)];
            let mut value = place.load(simd);
            for row in 0..N {
                value -= on_parent[row][i] * solution[row];
            }
            place.store(value);
        }
    }
}
