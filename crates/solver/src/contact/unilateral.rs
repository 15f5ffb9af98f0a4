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

/// See [`Unilateral::unit`].
struct Unit<S: Simd, const N: usize> {
    /// Square root of the unit, a power of two, in kg^(1/2).
    root: f32x8<S>,
    /// A ratio.
    compliance: [[f32x8<S>; N]; N],
}

/// Where one or two points press and all others have let go.
struct Alone<'a, S: Simd, const N: usize> {
    problem: &'a Unilateral<'a, S, N>,
    unit: &'a Unit<S, N>,
    /// See [`Unilateral::gone`].
    gone: [[f32x8<S>; N]; N],
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
        let mut set = [zero.simd_gt(zero); N];
        for i in 0..N {
            set[i] = self.block[i].simd_gt(zero) & self.used[i].simd_gt(zero);
        }
        // Of a pyramid's contacts that let go of points nine in ten are answered by those that press in
        // the block.
        let unit = self.unit(simd);
        let (mut found, wrong) = self.few(simd, &set, &unit);
        let right = wrong.simd_le(slack);
        let mut tried = [zero; N];
        if !(right | !matters).all_true() {
            tried = simd.vectorize(
                #[inline(always)]
                || self.try_all(simd, torque_arms, normal, &unit, slack),
            );
        }
        for i in 0..N {
            let own = right.select(found[i], tried[i]);
            // What rounding alone lets press lets go, or it would fade for ever.
            let presses = (self.compliance[i][i] * own).simd_gt(slack);
            found[i] = presses.select(own, zero);
        }
        found
    }

    /// A unit in which compliances are near 1, and these in it: products of two would overflow for dust, and
    /// vanish for planets.
    #[inline(always)]
    fn unit(&self, simd: S) -> Unit<S, N> {
        let mut own = [f32x8::splat(simd, 0.0); N];
        for i in 0..N {
            own[i] = self.compliance[i][i];
        }
        let root = inverse_root_power(sum(own));
        let mut compliance = *self.compliance;
        for row in &mut compliance {
            for entry in row {
                *entry = *entry * root * root;
            }
        }
        Unit { root, compliance }
    }

    /// Impulses if only points in `set` press, in N s, and how far they are from an answer, in m/s: endlessly
    /// where these are more than two, or two as good as one.
    #[inline(always)]
    fn few(&self, simd: S, set: &[mask32x8<S>; N], unit: &Unit<S, N>) -> ([f32x8<S>; N], f32x8<S>) {
        let (zero, one) = (f32x8::splat(simd, 0.0), f32x8::splat(simd, 1.0));
        let k = &unit.compliance;
        let (mut counted, mut changes) = ([zero; N], [zero; N]);
        for i in 0..N {
            counted[i] = set[i].select(one, zero);
            changes[i] = set[i].select(zero, -self.kept[i]);
        }
        let count = sum(counted);
        let are_two = count.simd_gt(one);
        let undo = self.speeds_after(simd, &changes);
        let mut sound = count.simd_lt(f32x8::splat(simd, 2.5));
        let mut impulses = [zero; N];
        for i in 0..N {
            let (mut answers, mut products, mut determinants) = ([zero; N], [zero; N], [zero; N]);
            for d in 1..N {
                let j = i ^ d;
                answers[d] = counted[j] * (k[j][j] * undo[i] - k[i][j] * undo[j]);
                products[d] = counted[j] * (k[i][i] * k[j][j]);
                determinants[d] = products[d] - counted[j] * (k[i][j] * k[j][i]);
            }
            let least = f32x8::splat(simd, SINGULAR_DETERMINANT) * sum(products);
            let determinant = are_two.select(sum(determinants), k[i][i]);
            sound &= !(set[i] & are_two) | determinant.simd_gt(least);
            let answer = are_two.select(sum(answers), undo[i]);
            let change = divide_or_zero(answer, determinant) * unit.root * unit.root;
            impulses[i] = set[i].select(self.kept[i] - change, zero);
        }
        let wrong = self.wrong(simd, &impulses, set);
        (impulses, sound.select(wrong, f32x8::splat(simd, f32::MAX)))
    }

    /// Velocities at the points when impulses have changed.
    #[inline(always)]
    fn speeds_after(&self, simd: S, changes: &[f32x8<S>; N]) -> [f32x8<S>; N] {
        let zero = f32x8::splat(simd, 0.0);
        let mut speeds = [zero; N];
        for i in 0..N {
            let mut terms = [zero; N];
            for p in 0..N {
                terms[p] = self.compliance[i][i ^ p] * changes[i ^ p];
            }
            speeds[i] = self.speeds[i] + sum(terms);
        }
        speeds
    }

    /// How far impulses with which the points in `set` keep still are from an answer, in m/s: by how much
    /// one of these would pull, or another point approaches.
    #[inline(always)]
    fn wrong(&self, simd: S, impulses: &[f32x8<S>; N], set: &[mask32x8<S>; N]) -> f32x8<S> {
        let mut changes = *impulses;
        for i in 0..N {
            changes[i] = impulses[i] - self.kept[i];
        }
        let left = self.speeds_after(simd, &changes);
        let mut wrong = f32x8::splat(simd, 0.0);
        for i in 0..N {
            let pulls = self.compliance[i][i] * impulses[i];
            wrong = max(wrong, -set[i].select(pulls, self.used[i] * left[i]));
        }
        wrong
    }

    /// The mean of all answers, or what comes nearest to one.
    #[inline(always)]
    fn try_all(
        &self,
        simd: S,
        torque_arms: &[Vec3x8<S>; N],
        normal: Vec3x8<S>,
        unit: &Unit<S, N>,
        slack: f32x8<S>,
    ) -> [f32x8<S>; N] {
        let zero = f32x8::splat(simd, 0.0);
        let mut best = Best {
            impulses: [zero; N],
            count: zero,
            wrong: f32x8::splat(simd, f32::MAX),
        };
        let mut used = [zero.simd_gt(zero); N];
        for i in 0..N {
            used[i] = self.used[i].simd_gt(zero);
        }
        let alone = Alone {
            problem: self,
            unit,
            gone: self.gone(simd),
        };
        let wrong = alone.wrong(simd, []);
        best.offer(simd, &[zero; N], wrong - slack, zero.simd_eq(zero));
        for i in 0..N {
            let (impulses, wrong) = alone.one(simd, i);
            best.offer(simd, &impulses, wrong - slack, used[i]);
        }
        if N > 2 {
            for i in 0..N {
                for d in 1..N {
                    if i ^ d > i {
                        let (impulses, wrong) = alone.two(simd, i, i ^ d);
                        best.offer(simd, &impulses, wrong - slack, used[i] & used[i ^ d]);
                    }
                }
            }
            self.try_threes(simd, torque_arms, normal, slack, &mut best);
        }
        best.mean(simd)
    }

    /// What the kept impulses do to the velocities when they go: in `[i][p]` that of point `i ^ p` to point
    /// `i`, in m/s.
    #[inline(always)]
    fn gone(&self, simd: S) -> [[f32x8<S>; N]; N] {
        let mut gone = [[f32x8::splat(simd, 0.0); N]; N];
        for i in 0..N {
            for p in 0..N {
                gone[i][p] = self.compliance[i][i ^ p] * -self.kept[i ^ p];
            }
        }
        gone
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
            let sound = all & nothing[m].abs().simd_gt(zero);
            let per_own =
                f32x8::splat(simd, 1.0) / sound.select(nothing[m], f32x8::splat(simd, 1.0));
            let beyond = defect * per_own;
            let taken = (self.block[m] + self.inverse[m][m] * beyond) * per_own;
            let (mut impulses, mut set) = ([zero; N], [zero.simd_gt(zero); N]);
            for i in 0..N {
                if i != m {
                    let freed = self.block[i] + self.inverse[i][m] * beyond;
                    impulses[i] = freed - nothing[i] * taken;
                    set[i] = zero.simd_eq(zero);
                }
            }
            let wrong = self.wrong(simd, &impulses, &set);
            best.offer(simd, &impulses, wrong - slack, sound);
        }
    }
}

impl<S: Simd, const N: usize> Alone<'_, S, N> {
    /// Impulses if point `i` alone presses, in N s, and how far they are from an answer, in m/s.
    #[inline(always)]
    fn one(&self, simd: S, i: usize) -> ([f32x8<S>; N], f32x8<S>) {
        let zero = f32x8::splat(simd, 0.0);
        let undo = self.speed_at(i, [(i, zero)]);
        let own = self.impulse(i, undo, self.unit.compliance[i][i]);
        let mut impulses = [zero; N];
        impulses[i] = own;
        (impulses, self.wrong(simd, [(i, own)]))
    }

    /// The same of points `i` and `j`; endlessly far where these are as good as one.
    #[inline(always)]
    fn two(&self, simd: S, i: usize, j: usize) -> ([f32x8<S>; N], f32x8<S>) {
        let zero = f32x8::splat(simd, 0.0);
        let k = &self.unit.compliance;
        let undo_i = self.speed_at(i, [(i, zero), (j, zero)]);
        let undo_j = self.speed_at(j, [(i, zero), (j, zero)]);
        let product = k[i][i] * k[j][j];
        let determinant = product - k[i][j] * k[j][i];
        let is_sound = determinant.simd_gt(f32x8::splat(simd, SINGULAR_DETERMINANT) * product);
        let mut impulses = [zero; N];
        impulses[i] = self.impulse(i, k[j][j] * undo_i - k[i][j] * undo_j, determinant);
        impulses[j] = self.impulse(j, k[i][i] * undo_j - k[j][i] * undo_i, determinant);
        let wrong = self.wrong(simd, [(i, impulses[i]), (j, impulses[j])]);
        (
            impulses,
            is_sound.select(wrong, f32x8::splat(simd, f32::MAX)),
        )
    }

    /// The impulse of point `i` that by Cramer's rule is changed by `answer` over `determinant` in the unit.
    #[inline(always)]
    fn impulse(&self, i: usize, answer: f32x8<S>, determinant: f32x8<S>) -> f32x8<S> {
        let root = self.unit.root;
        self.problem.kept[i] - divide_or_zero(answer, determinant) * root * root
    }

    /// The velocity at point `i` when all kept impulses have gone but for these points, which do this to it
    /// instead, in m/s.
    #[inline(always)]
    fn speed_at<const M: usize>(&self, i: usize, but: [(usize, f32x8<S>); M]) -> f32x8<S> {
        let mut terms = self.gone[i];
        for (j, term) in but {
            terms[i ^ j] = term;
        }
        self.problem.speeds[i] + sum(terms)
    }

    /// See [`Unilateral::wrong`], of points that press with these impulses.
    #[inline(always)]
    fn wrong<const M: usize>(&self, simd: S, pressing: [(usize, f32x8<S>); M]) -> f32x8<S> {
        let Unilateral {
            used,
            kept,
            compliance,
            ..
        } = self.problem;
        let zero = f32x8::splat(simd, 0.0);
        let mut wrong = zero;
        for (j, impulse) in pressing {
            wrong = max(wrong, -(compliance[j][j] * impulse));
        }
        for i in 0..N {
            let (mut presses, mut but) = (false, [(0, zero); M]);
            for (m, (j, impulse)) in pressing.into_iter().enumerate() {
                presses |= i == j;
                but[m] = (j, compliance[i][j] * (impulse - kept[j]));
            }
            if !presses {
                wrong = max(wrong, -(used[i] * self.speed_at(i, but)));
            }
        }
        wrong
    }
}

impl<S: Simd, const N: usize> Best<S, N> {
    /// Takes impulses that are `beyond` rounding from an answer, in m/s, for the best where they are and `may`
    /// be, or for one of these.
    #[inline(always)]
    fn offer(&mut self, simd: S, impulses: &[f32x8<S>; N], beyond: f32x8<S>, may: mask32x8<S>) {
        let (zero, one) = (f32x8::splat(simd, 0.0), f32x8::splat(simd, 1.0));
        let wrong = max(beyond, zero);
        let better = may & wrong.simd_lt(self.wrong);
        let equal = may & wrong.simd_eq(self.wrong);
        for i in 0..N {
            let both = self.impulses[i] + equal.select(impulses[i], zero);
            self.impulses[i] = better.select(impulses[i], both);
        }
        self.count = better.select(one, self.count + equal.select(one, zero));
        self.wrong = better.select(wrong, self.wrong);
    }

    /// The mean of the best, in N s.
    #[inline(always)]
    fn mean(&self, simd: S) -> [f32x8<S>; N] {
        let share = divide_or_zero(f32x8::splat(simd, 1.0), self.count);
        let mut mean = self.impulses;
        for impulse in &mut mean {
            *impulse *= share;
        }
        mean
    }
}

#[cfg(test)]
mod tests;
