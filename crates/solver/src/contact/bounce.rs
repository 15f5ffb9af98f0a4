//! Restitution: once, after the sub-steps, for points that touched and came fast.

use drystone_geometry::lanes::{Vec3x8, divide_or_zero, f32x8, max, min};
use fearless_simd::prelude::*;

use crate::contact::bundle::{ExtraBundle, NormalBundle};
use crate::contact::couple::compliance;
use crate::contact::solve::{Pair, SweepContext};

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

/// Remembers how high points are that had not touched before this sweep.
#[inline(always)]
pub(super) fn keep_heights<S: Simd, const N: usize>(
    simd: S,
    extra: &mut ExtraBundle<N>,
    separations: [f32x8<S>; N],
) {
    let zero = f32x8::splat(simd, 0.0);
    for (i, separation) in separations.into_iter().enumerate() {
        let touched = extra.peak[i].load(simd).simd_gt(zero);
        let height = extra.height[i].load(simd);
        extra.height[i].store(touched.select(height, separation));
        extra.separation[i].store(separation);
    }
}

/// Remembers how fast points that have not yet touched approach.
///
/// A point that will touch within a sub-step is slowed to just reach the surface, so this is
/// its speed at most a sub-step above it.
#[inline(always)]
pub(super) fn keep_approach<S: Simd, const N: usize, const C: usize>(
    simd: S,
    bundle: &NormalBundle<N, C>,
    extra: &mut ExtraBundle<N>,
    pair: &Pair<S>,
) {
    let zero = f32x8::splat(simd, 0.0);
    let center_speed = pair.normal.dot(pair.b.linear - pair.a.linear);
    for (i, point) in bundle.points.iter().enumerate() {
        let torque_arm = point.arm_b.load(simd).cross(pair.normal);
        let speed = pair.normal_velocity(center_speed, torque_arm);
        let touched = extra.peak[i].load(simd).simd_gt(zero);
        let approach = extra.approach[i].load(simd);
        extra.approach[i].store(touched.select(approach, speed));
    }
}

/// Lets points that approached fast and touched leave at their share of that speed.
///
/// The speed kept is that at some height, before the sub-step of the impact. With what forces
/// add on the way down and in one sub-step, a ball rises just as high as it fell from, in the
/// sub-steps' own arithmetic (`v^2/2 + g x - g h v/2` is what that conserves).
#[inline(always)]
pub(crate) fn bounce<S: Simd, const N: usize, const C: usize>(
    simd: S,
    context: &SweepContext<'_>,
    bundle: &NormalBundle<N, C>,
    extra: &mut ExtraBundle<N>,
) {
    let zero = f32x8::splat(simd, 0.0);
    let two = f32x8::splat(simd, 2.0);
    let inverse_h = f32x8::splat(simd, context.inverse_h);
    let threshold = f32x8::splat(simd, -context.restitution_threshold);
    let mut pair = Pair::gather(simd, context, bundle);
    let center_speed = pair.normal.dot(pair.b.linear - pair.a.linear);
    let restitution = extra.restitution.load(simd);
    let (drives_a, drives_b) = (
        context.rows.drives(simd, &bundle.row_a).0,
        context.rows.drives(simd, &bundle.row_b).0,
    );
    let driven = min(pair.normal.dot(drives_b - drives_a), zero);
    let mut total = zero;
    let mut moment = Vec3x8::zero(simd);
    let mut speeds = [zero; N];
    let mut torque_arms = [Vec3x8::zero(simd); N];
    for (i, point) in bundle.points.iter().enumerate() {
        torque_arms[i] = point.arm_b.load(simd).cross(pair.normal);
        speeds[i] = pair.normal_velocity(center_speed, torque_arms[i]);
    }
    let compliance = compliance(simd, &pair, &torque_arms);
    let one = f32x8::splat(simd, 1.0);
    for i in 0..N {
        let point = &bundle.points[i];
        let approach = extra.approach[i].load(simd);
        let peak = extra.peak[i].load(simd);
        let acts = approach.simd_lt(threshold) & peak.simd_gt(zero) & restitution.simd_gt(zero);
        let old = point.impulse.load(simd);
        let fallen = extra.height[i].load(simd) - max(extra.separation[i].load(simd), zero);
        let gained = two * driven * inverse_h * max(fallen, zero);
        let impact = driven - max(approach * approach - gained, zero).sqrt();
        let used = point.inverse.load(simd).simd_eq(zero).select(zero, one);
        let mass = divide_or_zero(used, compliance[i][i]);
        let wanted = old - mass * (speeds[i] + restitution * impact);
        let new = acts.select(max(wanted, zero), old);
        // Not stored with the point: the bounce is over, the next step must not start from it.
        extra.peak[i].store(max(peak, new));
        let change = new - old;
        for j in i + 1..N {
            speeds[j] += compliance[i][j] * change;
        }
        total += change;
        moment = moment.add_scaled(torque_arms[i], change);
    }
    pair.push_normal(total, moment);
    pair.scatter(context, bundle);
}
