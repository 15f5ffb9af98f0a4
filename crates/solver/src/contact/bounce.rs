//! Restitution: impacts, one after the other, as soon as a sub-step has moved the bodies.
//!
//! A sweep brings all bodies that touch to rest against each other, which is what stacks need
//! and what an impact must not do: a ball that meets a row of balls would push all of them. So
//! whatever comes fast enough and would touch within a sub-step bounces first, pair by pair:
//! each leaves at its share of the speed at which it came. That may let the next pair of a
//! row meet, so rounds go on until nothing comes fast any more. No impact raises the energy, so
//! no row of them does, and the last ball of a row leaves as in Newton's cradle.

use drystone_geometry::lanes::{Vec3x8, divide_or_zero, f32x8, mask32x8, max, min};
use fearless_simd::prelude::*;

use crate::contact::bundle::{ExtraBundle, FrictionBundle, NormalBundle, inverse_index};
use crate::contact::couple::compliance;
use crate::contact::friction::{Rub, rub};
use crate::contact::points::{Points, sum, sum_vectors};
use crate::contact::solve::{Pair, SweepContext};
use crate::contact::work::Work;
use crate::tolerance::{BOUNCE_SWEEPS, IMPACT_ROUNDS, IMPACT_SLACK};

/// Remembers the largest impulses, which tell whether a point touched at all.
#[inline(always)]
pub(super) fn keep_peaks<S: Simd, const N: usize, const C: usize>(
    simd: S,
    bundle: &NormalBundle<N, C>,
    extra: &mut ExtraBundle<N>,
) {
    for (peak, point) in extra.peak.iter_mut().zip(&bundle.points) {
        peak.store(max(peak.load(simd), point.impulse.load(simd)));
    }
}

/// What an impact asks of eight contacts.
struct Impact<S: Simd, const N: usize> {
    /// Points that bounce.
    acts: [mask32x8<S>; N],
    /// By how much their normal velocity changes, in m/s; 0 of others.
    change: [f32x8<S>; N],
    /// Whether some point bounces.
    any: mask32x8<S>,
    /// Whether all points in use do.
    all: mask32x8<S>,
}

impl<S: Simd, const N: usize> Impact<S, N> {
    /// Points that come fast and would touch within the sub-step leave.
    ///
    /// The speed counts at the surface, not where the sub-step finds the point. With `a` the
    /// speed that forces add in a sub-step of `h` seconds, what the sub-steps' arithmetic
    /// conserves of a fall at the speed `v` is `v (v + a h)` plus `2 a` times the height; after
    /// the impact `u (u - a h)` plus that height. Their ratio is the square of the restitution,
    /// so a ball rises to just that share of the height it fell from.
    #[inline(always)]
    fn new<const C: usize>(
        simd: S,
        context: &SweepContext<'_>,
        bundle: &NormalBundle<N, C>,
        points: &Points<S, N>,
        normal: Vec3x8<S>,
        restitution: f32x8<S>,
    ) -> Self {
        let zero = f32x8::splat(simd, 0.0);
        let one = f32x8::splat(simd, 1.0);
        let half = f32x8::splat(simd, 0.5);
        let two = f32x8::splat(simd, 2.0);
        let inverse_h = f32x8::splat(simd, context.inverse_h);
        let threshold = f32x8::splat(simd, -context.restitution_threshold);
        let drives_a = context.rows.drives(simd, &bundle.row_a).0;
        let drives_b = context.rows.drives(simd, &bundle.row_b).0;
        // What forces add to the approach in a sub-step.
        let driven = max(normal.dot(drives_a - drives_b), zero);
        let kept = restitution * restitution;
        let none = zero.simd_lt(zero);
        let mut impact = Self {
            acts: [none; N],
            change: [zero; N],
            any: none,
            all: zero.simd_ge(zero),
        };
        for i in 0..N {
            let used = !bundle.points[i].inverse.load(simd).simd_eq(zero);
            let speed = points.speeds[i];
            let approach = -speed;
            let gap = points.separations[i];
            let meets = (gap * inverse_h).simd_le(approach + driven);
            let before = approach * (approach + driven);
            // A point that is below the surface got there within the step.
            let lowest = -(approach / inverse_h) * f32x8::splat(simd, context.substeps);
            let height = max(gap, lowest);
            let lost = (one - kept) * (two * driven * inverse_h * height);
            let after = min(kept * before - lost, before);
            let leaves = half * (driven + (driven * driven + two * two * max(after, zero)).sqrt());
            let acts = used
                & speed.simd_lt(threshold)
                & meets
                & after.simd_gt(zero)
                & restitution.simd_gt(zero);
            impact.acts[i] = acts;
            impact.change[i] = acts.select(leaves - speed, zero);
            impact.any |= acts;
            impact.all &= acts | !used;
        }
        impact
    }

    /// The impulses of a contact all of whose points bounce, and where they hold.
    #[inline(always)]
    fn block<const C: usize>(
        &self,
        simd: S,
        bundle: &NormalBundle<N, C>,
    ) -> ([f32x8<S>; N], mask32x8<S>) {
        let zero = f32x8::splat(simd, 0.0);
        let mut impulses = [zero; N];
        let mut sound = self.all & bundle.points[0].inverse.load(simd).simd_ge(zero);
        for (i, impulse) in impulses.iter_mut().enumerate() {
            let mut terms = [zero; N];
            for (p, term) in terms.iter_mut().enumerate() {
                let j = i ^ p;
                let entry = if i == j {
                    bundle.points[i].inverse.load(simd)
                } else {
                    bundle.rest[inverse_index(N, i, j)].load(simd)
                };
                *term = entry * self.change[j];
            }
            *impulse = sum(terms);
            sound &= impulse.simd_ge(zero);
        }
        (impulses, sound)
    }

    /// The impulses of a contact of which only some points bounce, from those of before on, where
    /// `missing` is by how much their normal velocities are to change yet.
    #[inline(always)]
    fn one_by_one(
        &self,
        simd: S,
        compliance: &[[f32x8<S>; N]; N],
        mut impulses: [f32x8<S>; N],
        mut missing: [f32x8<S>; N],
    ) -> [f32x8<S>; N] {
        let zero = f32x8::splat(simd, 0.0);
        let one = f32x8::splat(simd, 1.0);
        for _ in 0..BOUNCE_SWEEPS {
            for i in 0..N {
                let mass = divide_or_zero(one, compliance[i][i]);
                let wanted = max(impulses[i] + mass * missing[i], zero);
                let new = self.acts[i].select(wanted, zero);
                let change = new - impulses[i];
                impulses[i] = new;
                for (j, missing) in missing.iter_mut().enumerate() {
                    *missing -= compliance[i][j] * change;
                }
            }
        }
        impulses
    }

    /// By how much to multiply impulses so that, taken together, they change the velocities by just
    /// what is asked: each point counts as much as it pushes.
    ///
    /// Then they do no work beyond that of the share of the speed that is kept, whatever mass they were
    /// found for. That of a block is known from where the bodies were weighed last, and points of which
    /// only some bounce are solved to a few percent; both would show twice over in what comes back.
    #[inline(always)]
    fn fit(&self, mut pair: Pair<S>, points: &Points<S, N>, impulses: &[f32x8<S>; N]) -> f32x8<S> {
        let mut moments = points.torque_arms;
        for (moment, impulse) in moments.iter_mut().zip(impulses) {
            *moment = moment.scale(*impulse);
        }
        pair.push_normal(sum(*impulses), sum_vectors(moments));
        let center_speed = pair.normal.dot(pair.b.linear - pair.a.linear);
        let (mut asked, mut given) = (*impulses, *impulses);
        for i in 0..N {
            let speed = pair.normal_velocity(center_speed, points.torque_arms[i]);
            asked[i] *= self.change[i];
            given[i] *= speed - points.speeds[i];
        }
        divide_or_zero(sum(asked), sum(given))
    }
}

/// Lets points that come fast and touch leave at their share of that speed, with the friction
/// of the impact. Returns whether there were any.
#[inline(always)]
pub(crate) fn bounce<S: Simd, const N: usize, const C: usize>(
    simd: S,
    context: &SweepContext<'_>,
    bundle: &NormalBundle<N, C>,
    friction: &FrictionBundle,
    extra: &mut ExtraBundle<N>,
) -> bool {
    let mut pair = Pair::gather(simd, context, bundle);
    let points = Points::new(simd, context, bundle, &pair);
    let restitution = extra.restitution.load(simd);
    let impact = Impact::new(simd, context, bundle, &points, pair.normal, restitution);
    if !impact.any.any_true() {
        return false;
    }
    let zero = f32x8::splat(simd, 0.0);
    let (mut impulses, sound) = impact.block(simd, bundle);
    if N > 1 && !(sound | !impact.any).all_true() {
        let compliance = compliance(simd, &pair, &points.torque_arms);
        let single = impact.one_by_one(simd, &compliance, [zero; N], impact.change);
        for i in 0..N {
            impulses[i] = sound.select(impulses[i], single[i]);
        }
    }
    let fit = impact.fit(pair, &points, &impulses);
    let mut moments = [Vec3x8::zero(simd); N];
    for i in 0..N {
        impulses[i] = impact.any.select(fit * impulses[i], zero);
        moments[i] = points.torque_arms[i].scale(impulses[i]);
    }
    let came = pair;
    pair.push_normal(sum(impulses), sum_vectors(moments));
    let rubbed = rub::<S, N, C>(
        simd,
        bundle,
        friction,
        sum(impulses),
        Rub::none(simd),
        &mut pair,
    );
    let mut struck = Struck {
        pair,
        impulses,
        rub: rubbed,
    };
    if friction.friction.load(simd).simd_gt(zero).any_true() {
        struck = impact.agree(simd, bundle, friction, &points, came, struck);
    }
    for (peak, impulse) in extra.peak.iter_mut().zip(struck.impulses) {
        // Not stored with the point: the impact is over, the next sub-step must not start
        // from it.
        peak.store(max(peak.load(simd), impulse));
    }
    // What does not bounce keeps what it has, to the sign of a zero.
    struck
        .pair
        .keep(!impact.any, &came)
        .scatter(context, bundle);
    true
}

/// Eight contacts after an impact.
#[derive(Clone, Copy)]
struct Struck<S: Simd, const N: usize> {
    pair: Pair<S>,
    impulses: [f32x8<S>; N],
    rub: Rub<S>,
}

impl<S: Simd, const N: usize> Impact<S, N> {
    /// Lets points and friction answer each other until the points leave at the speed they should.
    ///
    /// Friction at the end of a rod that comes down at a slant turns it, so that the end is slower
    /// than the push alone has made it: where it stuck, rods that should bounce perfectly left at
    /// 0.44 of the speed. As restitution is that of the normal speeds alone, both together may give
    /// more energy than there was; then they go only as far as there is some.
    #[inline(always)]
    fn agree<const C: usize>(
        &self,
        simd: S,
        bundle: &NormalBundle<N, C>,
        friction: &FrictionBundle,
        points: &Points<S, N>,
        came: Pair<S>,
        first: Struck<S, N>,
    ) -> Struck<S, N> {
        let zero = f32x8::splat(simd, 0.0);
        let slack = f32x8::splat(simd, IMPACT_SLACK);
        let compliance = compliance(simd, &came, &points.torque_arms);
        let rubs = friction.friction.load(simd).simd_gt(zero);
        let mut ever = zero.simd_lt(zero);
        let mut goes = first;
        for _ in 0..IMPACT_ROUNDS {
            let mut missing = [zero; N];
            let mut off = zero.simd_lt(zero);
            let center_speed = came.normal.dot(goes.pair.b.linear - goes.pair.a.linear);
            for (i, missing) in missing.iter_mut().enumerate() {
                let speed = (goes.pair).normal_velocity(center_speed, points.torque_arms[i]);
                let wanted = points.speeds[i] + self.change[i];
                *missing = self.acts[i].select(wanted - speed, zero);
                off |= missing.abs().simd_gt(slack * self.change[i]);
            }
            // Lanes must not hang on those beside them.
            off &= rubs;
            ever |= off;
            if !off.any_true() {
                break;
            }
            let mut next = goes;
            next.impulses = self.one_by_one(simd, &compliance, goes.impulses, missing);
            let (mut changes, mut moments) = ([zero; N], [Vec3x8::zero(simd); N]);
            for i in 0..N {
                changes[i] = next.impulses[i] - goes.impulses[i];
                moments[i] = points.torque_arms[i].scale(changes[i]);
            }
            next.pair.push_normal(sum(changes), sum_vectors(moments));
            let load = sum(next.impulses);
            next.rub = rub::<S, N, C>(simd, bundle, friction, load, goes.rub, &mut next.pair);
            goes = next.keep(!off, &goes);
        }
        let [spent, gained] = [&first, &goes].map(|after| {
            let mut work = Work::new(simd, [&came, &after.pair]);
            work.of_impact(simd, bundle, friction, &after.impulses, &after.rub);
            work.done
        });
        // Energy is convex along the way from one to the other.
        let share = max(divide_or_zero(-spent, gained - spent), zero);
        let share = gained.simd_gt(zero).select(share, f32x8::splat(simd, 1.0));
        first.towards(share, &goes).keep(!ever, &first)
    }
}

impl<S: Simd, const N: usize> Struck<S, N> {
    /// `other` in the lanes of `kept`.
    #[inline(always)]
    fn keep(mut self, kept: mask32x8<S>, other: &Self) -> Self {
        self.pair = self.pair.keep(kept, &other.pair);
        for (own, other) in self.impulses.iter_mut().zip(&other.impulses) {
            *own = kept.select(*other, *own);
        }
        for (own, other) in self.rub.slide.iter_mut().zip(&other.rub.slide) {
            *own = kept.select(*other, *own);
        }
        self.rub.twist = kept.select(other.rub.twist, self.rub.twist);
        self
    }

    /// What lies between this and `other`, the bodies and what the points push with.
    #[inline(always)]
    fn towards(mut self, share: f32x8<S>, other: &Self) -> Self {
        self.pair = self.pair.towards(share, &other.pair);
        for (own, other) in self.impulses.iter_mut().zip(&other.impulses) {
            *own += share * (*other - *own);
        }
        self
    }
}

impl<S: Simd> Pair<S> {
    /// The velocities of `other` in the lanes of `kept`.
    #[inline(always)]
    fn keep(mut self, kept: mask32x8<S>, other: &Self) -> Self {
        for (body, other) in [(&mut self.a, &other.a), (&mut self.b, &other.b)] {
            body.linear = Vec3x8::select(kept, other.linear, body.linear);
            body.angular = Vec3x8::select(kept, other.angular, body.angular);
        }
        self
    }

    /// Velocities between these and those of `other`.
    #[inline(always)]
    fn towards(mut self, share: f32x8<S>, other: &Self) -> Self {
        for (body, other) in [(&mut self.a, &other.a), (&mut self.b, &other.b)] {
            body.linear = body.linear.add_scaled(other.linear - body.linear, share);
            body.angular = (body.angular).add_scaled(other.angular - body.angular, share);
        }
        self
    }
}
