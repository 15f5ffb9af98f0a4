//! Contacts some of whose points would have to pull: which points press, exactly.
//!
//! With `K` how impulses at the points change their normal velocities, `s` the velocities to be undone
//! and `k` the impulses that softness has left, impulses `x` are sought with `x >= 0`,
//! `w = s + K (x - k) >= 0` and `x w = 0`: a linear complementarity problem (Cottle, Pang and Stone,
//! *The Linear Complementarity Problem*, 1992). `K` is positive semidefinite, so all its solutions bring
//! about one motion, which follows `s` without a jump: from all points to an edge, to a corner, and away.
//!
//! That there is no jump is what counts. Were the points solved one after the other here, once in each
//! order and the mean of that taken, the bodies would move otherwise as soon as a point lets go. Stones
//! that bear on an edge then come to no end: of 600 walls of dry stones that statics lets stand, 107
//! trembled on for good, and with the exact answer 15 do.
//!
//! Sets of no point, of one, two and three are gone through, eight contacts at a time. Several may
//! answer the problem, as a table may stand on three of its legs, and then their mean does too: what is
//! symmetric stays so, to the last bit.

#![allow(
    clippy::needless_range_loop,
    reason = "a point is a number, the same in several arrays"
)]

use drystone_geometry::lanes::{Vec3x8, divide_or_zero, f32x8, inverse_root_power, mask32x8, max};
use fearless_simd::prelude::*;

use crate::contact::points::sum;
use crate::tolerance::{PRESSING_SLACK, SINGULAR_DETERMINANT};

/// What the points of eight contacts of `N` points are to do.
pub(super) struct Unilateral<'a, S: Simd, const N: usize> {
    /// 1 in points in use, else 0.
    pub(super) used: &'a [f32x8<S>; N],
    /// What softness leaves of their impulses, in N s.
    pub(super) kept: &'a [f32x8<S>; N],
    /// Normal velocities to be undone, in m/s.
    pub(super) speeds: &'a [f32x8<S>; N],
    /// See [`crate::contact::couple::compliance`], in 1/kg.
    pub(super) compliance: &'a [[f32x8<S>; N]; N],
    /// Its pseudo-inverse, in kg.
    pub(super) inverse: &'a [[f32x8<S>; N]; N],
    /// Impulses that undo the velocities if points may pull, as some do, in N s.
    pub(super) block: &'a [f32x8<S>; N],
}

/// The best answer so far.
struct Best<S: Simd, const N: usize> {
    /// Sum of the impulses of those that are as good, in N s.
    impulses: [f32x8<S>; N],
    /// How many they are.
    count: f32x8<S>,
    /// How far it is from an answer beyond rounding, in m/s.
    wrong: f32x8<S>,
}

impl<S: Simd, const N: usize> Unilateral<'_, S, N> {
    /// The impulses, in N s, none of them below zero; of contacts that do not matter they may be zero.
    #[inline(always)]
    pub(super) fn solve(
        &self,
        simd: S,
        torque_arms: &[Vec3x8<S>; N],
        normal: Vec3x8<S>,
        matters: mask32x8<S>,
    ) -> [f32x8<S>; N] {
        let zero = f32x8::splat(simd, 0.0);
        let mut terms = [zero; N];
        for i in 0..N {
            terms[i] =
                self.compliance[i][i] * self.kept[i].abs() + self.used[i] * self.speeds[i].abs();
        }
        let slack = f32x8::splat(simd, PRESSING_SLACK) * sum(terms);
        let (mut found, right) = self.as_in_block(simd, slack);
        let mut tried = [zero; N];
        if !(right | !matters).all_true() {
            tried = simd.vectorize(
                #[inline(always)]
                || self.try_all(simd, torque_arms, normal, slack),
            );
        }
        for i in 0..N {
            found[i] = max(right.select(found[i], tried[i]), zero);
        }
        found
    }

    /// Impulses of the points that press in the block, if they are no more than two, and where they are
    /// an answer. Of a pyramid's contacts that let go of points nine in ten are answered so.
    #[inline(always)]
    fn as_in_block(&self, simd: S, slack: f32x8<S>) -> ([f32x8<S>; N], mask32x8<S>) {
        let (zero, one) = (f32x8::splat(simd, 0.0), f32x8::splat(simd, 1.0));
        let k = self.compliance;
        let mut set = [zero; N];
        let mut changes = [zero; N];
        for i in 0..N {
            let presses = self.block[i].simd_gt(zero) & self.used[i].simd_gt(zero);
            set[i] = presses.select(one, zero);
            changes[i] = presses.select(zero, -self.kept[i]);
        }
        let count = sum(set);
        let are_two = count.simd_gt(one);
        let undo = self.speeds_after(simd, &changes);
        let unit = self.unit();
        let mut sound = count.simd_lt(f32x8::splat(simd, 2.5));
        for i in 0..N {
            let (mut answers, mut products, mut determinants) = ([zero; N], [zero; N], [zero; N]);
            for d in 1..N {
                let j = i ^ d;
                let (own, other) = (k[i][i] * unit * unit, k[j][j] * unit * unit);
                let (mixed, back) = (k[i][j] * unit * unit, k[j][i] * unit * unit);
                answers[d] = set[j] * (other * undo[i] - mixed * undo[j]);
                products[d] = set[j] * (own * other);
                determinants[d] = products[d] - set[j] * (mixed * back);
            }
            let least = f32x8::splat(simd, SINGULAR_DETERMINANT) * sum(products);
            let determinant = sum(determinants);
            let is_in = set[i].simd_gt(zero);
            sound &= !(is_in & are_two) | determinant.simd_gt(least);
            let of_two = divide_or_zero(sum(answers), determinant) * unit * unit;
            let change = are_two.select(of_two, divide_or_zero(undo[i], k[i][i]));
            changes[i] = is_in.select(-change, changes[i]);
        }
        let left = self.speeds_after(simd, &changes);
        let mut found = [zero; N];
        let mut wrong = zero;
        for i in 0..N {
            let is_in = set[i].simd_gt(zero);
            found[i] = is_in.select(self.kept[i] + changes[i], zero);
            let pulls = is_in.select(k[i][i] * found[i], self.used[i] * left[i]);
            wrong = max(wrong, -pulls);
        }
        (found, sound & wrong.simd_le(slack))
    }

    /// A unit whose square brings compliances near 1: products of two would overflow for dust, and vanish
    /// for planets.
    #[inline(always)]
    fn unit(&self) -> f32x8<S> {
        let mut own = self.compliance[0];
        for i in 0..N {
            own[i] = self.compliance[i][i];
        }
        inverse_root_power(sum(own))
    }

    /// Velocities at the points when impulses have changed.
    #[inline(always)]
    fn speeds_after(&self, simd: S, changes: &[f32x8<S>; N]) -> [f32x8<S>; N] {
        let mut speeds = [f32x8::splat(simd, 0.0); N];
        for i in 0..N {
            let mut terms = [f32x8::splat(simd, 0.0); N];
            for p in 0..N {
                terms[p] = self.compliance[i][i ^ p] * changes[i ^ p];
            }
            speeds[i] = self.speeds[i] + sum(terms);
        }
        speeds
    }

    /// The mean of all answers, or what comes nearest to one.
    #[inline(always)]
    fn try_all(
        &self,
        simd: S,
        torque_arms: &[Vec3x8<S>; N],
        normal: Vec3x8<S>,
        slack: f32x8<S>,
    ) -> [f32x8<S>; N] {
        let zero = f32x8::splat(simd, 0.0);
        let none = [zero; N];
        let mut best = Best {
            impulses: none,
            count: zero,
            wrong: f32x8::splat(simd, f32::MAX),
        };
        let all = zero.simd_eq(zero);
        self.try_out(simd, none, [false; N], all, slack, &mut best);
        for i in 0..N {
            self.try_one(simd, i, slack, &mut best);
        }
        if N > 2 {
            for i in 0..N {
                for d in 1..N {
                    if i ^ d > i {
                        self.try_two(simd, [i, i ^ d], slack, &mut best);
                    }
                }
            }
            self.try_threes(simd, torque_arms, normal, slack, &mut best);
        }
        let share = divide_or_zero(f32x8::splat(simd, 1.0), best.count);
        let mut mean = none;
        for i in 0..N {
            mean[i] = share * best.impulses[i];
        }
        mean
    }

    /// Velocity to be undone at a point beside those in `set` if what is not in it has no impulse.
    #[inline(always)]
    fn without(&self, simd: S, i: usize, set: [bool; N]) -> f32x8<S> {
        let mut terms = [f32x8::splat(simd, 0.0); N];
        for p in 0..N {
            if !set[i ^ p] {
                terms[p] = self.compliance[i][i ^ p] * self.kept[i ^ p];
            }
        }
        self.speeds[i] - sum(terms)
    }

    #[inline(always)]
    fn try_one(&self, simd: S, i: usize, slack: f32x8<S>, best: &mut Best<S, N>) {
        let zero = f32x8::splat(simd, 0.0);
        let (mut set, mut impulses) = ([false; N], [zero; N]);
        set[i] = true;
        let change = divide_or_zero(self.without(simd, i, set), self.compliance[i][i]);
        impulses[i] = self.kept[i] - change;
        self.try_out(simd, impulses, set, self.used[i].simd_gt(zero), slack, best);
    }

    #[inline(always)]
    fn try_two(&self, simd: S, pair: [usize; 2], slack: f32x8<S>, best: &mut Best<S, N>) {
        let (zero, one) = (f32x8::splat(simd, 0.0), f32x8::splat(simd, 1.0));
        let k = self.compliance;
        let [i, j] = pair;
        let (mut set, mut impulses) = ([false; N], [zero; N]);
        (set[i], set[j]) = (true, true);
        let (undo_i, undo_j) = (self.without(simd, i, set), self.without(simd, j, set));
        let unit = self.unit();
        let (own, other) = (k[i][i] * unit * unit, k[j][j] * unit * unit);
        let (mixed, back) = (k[i][j] * unit * unit, k[j][i] * unit * unit);
        let product = own * other;
        let determinant = product - mixed * back;
        let sound = determinant.simd_gt(f32x8::splat(simd, SINGULAR_DETERMINANT) * product);
        let scale = one / sound.select(determinant, one);
        let changes = [
            other * undo_i - mixed * undo_j,
            own * undo_j - back * undo_i,
        ];
        let changes = changes.map(|change| change * scale * unit * unit);
        impulses[i] = self.kept[i] - changes[0];
        impulses[j] = self.kept[j] - changes[1];
        let used = (self.used[i] * self.used[j]).simd_gt(zero);
        self.try_out(simd, impulses, set, used & sound, slack, best);
    }

    /// All sets of three of four points, by what the block says: without one point it answers speeds that
    /// are affine over the plane, and impulses that amount to nothing take what that point has.
    #[inline(always)]
    fn try_threes(
        &self,
        simd: S,
        torque_arms: &[Vec3x8<S>; N],
        normal: Vec3x8<S>,
        slack: f32x8<S>,
        best: &mut Best<S, N>,
    ) {
        let zero = f32x8::splat(simd, 0.0);
        let mut nothing = [zero; N];
        let mut terms = [zero; N];
        let mut all = self.inverse[0][0].simd_gt(zero);
        for m in 0..N {
            let [a, b, c] = [torque_arms[m ^ 1], torque_arms[m ^ 2], torque_arms[m ^ 3]];
            nothing[m] = normal.dot((a - b).cross(c - b));
            terms[m] = nothing[m] * self.speeds[m];
            all &= self.used[m].simd_gt(zero);
        }
        if !all.any_true() {
            return;
        }
        let defect = sum(terms);
        for m in 0..N {
            let mut set = [true; N];
            set[m] = false;
            let sound = all & nothing[m].abs().simd_gt(zero);
            let per_own =
                f32x8::splat(simd, 1.0) / sound.select(nothing[m], f32x8::splat(simd, 1.0));
            let beyond = defect * per_own;
            let taken = (self.block[m] + self.inverse[m][m] * beyond) * per_own;
            let mut impulses = [zero; N];
            for i in 0..N {
                if i != m {
                    let freed = self.block[i] + self.inverse[i][m] * beyond;
                    impulses[i] = freed - nothing[i] * taken;
                }
            }
            self.try_out(simd, impulses, set, sound, slack, best);
        }
    }

    /// Takes the impulses of a set of points for the best if they are.
    #[inline(always)]
    fn try_out(
        &self,
        simd: S,
        impulses: [f32x8<S>; N],
        set: [bool; N],
        may: mask32x8<S>,
        slack: f32x8<S>,
        best: &mut Best<S, N>,
    ) {
        let (zero, one) = (f32x8::splat(simd, 0.0), f32x8::splat(simd, 1.0));
        let mut changes = [zero; N];
        for i in 0..N {
            changes[i] = impulses[i] - self.kept[i];
        }
        let left = self.speeds_after(simd, &changes);
        let mut wrong = zero;
        for i in 0..N {
            let pulls = if set[i] {
                self.compliance[i][i] * impulses[i]
            } else {
                self.used[i] * left[i]
            };
            wrong = max(wrong, -pulls);
        }
        let wrong = max(wrong - slack, zero);
        let better = may & wrong.simd_lt(best.wrong);
        let equal = may & wrong.simd_eq(best.wrong);
        for i in 0..N {
            let both = best.impulses[i] + equal.select(impulses[i], zero);
            best.impulses[i] = better.select(impulses[i], both);
        }
        best.count = better.select(one, best.count + equal.select(one, zero));
        best.wrong = better.select(wrong, best.wrong);
    }
}

#[cfg(test)]
mod tests;
