//! The sweeps over contacts: warm start, biased solve, relaxation.
//!
//! The points of a contact are solved one after the other, but in the space of the
//! contact: with the couplings between its points at hand, the bodies need only be read
//! before and written after.

use drystone_geometry::lanes::{Vec3x8, divide_or_zero, f32x8, mask32x8, max, min};
use fearless_simd::prelude::*;

use crate::body_rows::BodyRows;
use crate::contact::bounce::{keep_approach, keep_heights, keep_peaks};
use crate::contact::bundle::{ExtraBundle, FrictionBundle, NormalBundle};
use crate::contact::lanes::{BodyLanes, DeltaLanes};
use crate::softness::Softness;

/// What every sweep of a step shares.
#[derive(Debug)]
pub(crate) struct SweepContext<'a> {
    /// The rows of the bodies.
    pub(crate) rows: &'a BodyRows,
    /// Sub-steps per second.
    pub(crate) inverse_h: f32,
    /// Contacts between bodies that are both pushed.
    pub(crate) softness: Softness,
    /// Contacts with a body that is not.
    pub(crate) static_softness: Softness,
    /// Fastest push-out, in m/s.
    pub(crate) max_push_speed: f32,
    /// Approach speed below which nothing bounces, in m/s.
    pub(crate) restitution_threshold: f32,
}

/// Both bodies of eight contacts.
pub(super) struct Pair<S: Simd> {
    pub(super) a: BodyLanes<S>,
    pub(super) b: BodyLanes<S>,
    pub(super) normal: Vec3x8<S>,
    /// `offset x normal`: what a point's torque arm on A has beyond that on B.
    offset_arm: Vec3x8<S>,
}

impl<S: Simd> Pair<S> {
    #[inline(always)]
    pub(super) fn gather<const N: usize, const C: usize>(
        simd: S,
        context: &SweepContext<'_>,
        bundle: &NormalBundle<N, C>,
    ) -> Self {
        let normal = bundle.normal.load(simd);
        Self {
            a: BodyLanes::gather(simd, context.rows, &bundle.row_a),
            b: BodyLanes::gather(simd, context.rows, &bundle.row_b),
            normal,
            offset_arm: bundle.offset.load(simd).cross(normal),
        }
    }

    #[inline(always)]
    pub(super) fn scatter<const N: usize, const C: usize>(
        &self,
        context: &SweepContext<'_>,
        bundle: &NormalBundle<N, C>,
    ) {
        self.a.scatter(context.rows, &bundle.row_a);
        self.b.scatter(context.rows, &bundle.row_b);
    }

    /// Relative normal velocity at a point, given `arm_b x normal`.
    #[inline(always)]
    pub(super) fn normal_velocity(
        &self,
        center_speed: f32x8<S>,
        torque_arm: Vec3x8<S>,
    ) -> f32x8<S> {
        center_speed + torque_arm.dot(self.b.angular)
            - (torque_arm + self.offset_arm).dot(self.a.angular)
    }

    /// Pushes both bodies apart with `total` along the normal, whose moment about B's centre
    /// is `moment`.
    #[inline(always)]
    pub(super) fn push_normal(&mut self, total: f32x8<S>, moment: Vec3x8<S>) {
        let impulse = self.normal.scale(total);
        self.b.push(impulse, moment);
        self.a
            .pull(impulse, moment.add_scaled(self.offset_arm, total));
    }
}

/// Applies the impulses of the sub-step before to the bodies.
#[inline(always)]
pub(crate) fn warm_start<S: Simd, const N: usize, const C: usize>(
    simd: S,
    context: &SweepContext<'_>,
    normals: &NormalBundle<N, C>,
    friction: &FrictionBundle,
    extra: Option<&ExtraBundle<N>>,
) {
    let mut pair = Pair::gather(simd, context, normals);
    let mut total = f32x8::splat(simd, 0.0);
    let mut moment = Vec3x8::zero(simd);
    for point in &normals.points {
        let impulse = point.impulse.load(simd);
        total += impulse;
        let torque_arm = point.arm_b.load(simd).cross(pair.normal);
        moment = moment.add_scaled(torque_arm, impulse);
    }
    let tangent = friction.tangent.load(simd);
    let bitangent = pair.normal.cross(tangent);
    let slide = tangent
        .scale(friction.impulse[0].load(simd))
        .add_scaled(bitangent, friction.impulse[1].load(simd));
    let mut spin = pair.normal.scale(friction.twist_impulse.load(simd));
    if let Some(extra) = extra {
        spin = spin + extra.rolling_impulse.load(simd);
    }
    let arm_b = friction.arm_b.load(simd);
    let arm_a = arm_b + normals.offset.load(simd);
    let impulse = pair.normal.scale(total) + slide;
    pair.b.push(impulse, moment + arm_b.cross(slide) + spin);
    let moment_a = moment.add_scaled(pair.offset_arm, total);
    pair.a.pull(impulse, moment_a + arm_a.cross(slide) + spin);
    pair.scatter(context, normals);
}

/// One pass over the normal rows; `BIASED` also removes overlap.
#[inline(always)]
pub(crate) fn solve_normals<S: Simd, const N: usize, const C: usize, const BIASED: bool>(
    simd: S,
    context: &SweepContext<'_>,
    bundle: &mut NormalBundle<N, C>,
    extra: Option<&mut ExtraBundle<N>>,
) {
    let mut pair = Pair::gather(simd, context, bundle);
    sweep_normals::<S, N, C, BIASED>(simd, context, bundle, extra, &mut pair);
    pair.scatter(context, bundle);
}

/// Rolling resistance, twist, the normal rows without bias, then friction: what holds a wall
/// upright sideways is heard after what holds it up. With friction before the normals, a lean
/// of a hundred layers grew half again as fast.
#[inline(always)]
pub(crate) fn relax<S: Simd, const N: usize, const C: usize>(
    simd: S,
    context: &SweepContext<'_>,
    bundle: &mut NormalBundle<N, C>,
    friction: &mut FrictionBundle,
    mut extra: Option<&mut ExtraBundle<N>>,
) {
    let mut pair = Pair::gather(simd, context, bundle);
    let mut load = f32x8::splat(simd, 0.0);
    for point in &bundle.points {
        load += point.impulse.load(simd);
    }
    if let Some(extra) = &mut extra {
        keep_approach(simd, bundle, extra, &pair);
        resist_rolling(simd, extra, load, &mut pair);
    }
    if N > 1 {
        twist(simd, friction, load, &mut pair);
    }
    sweep_normals::<S, N, C, false>(simd, context, bundle, extra, &mut pair);
    slide(simd, bundle, friction, load, &mut pair);
    pair.scatter(context, bundle);
}

/// Solves friction as a 2x2 block, its impulse kept in a disc of radius `friction * load`.
#[inline(always)]
fn slide<S: Simd, const N: usize, const C: usize>(
    simd: S,
    bundle: &NormalBundle<N, C>,
    friction: &mut FrictionBundle,
    load: f32x8<S>,
    pair: &mut Pair<S>,
) {
    let tangent = friction.tangent.load(simd);
    let bitangent = pair.normal.cross(tangent);
    let arm_b = friction.arm_b.load(simd);
    let arm_a = arm_b + bundle.offset.load(simd);
    let velocity = (pair.b.linear + pair.b.angular.cross(arm_b))
        - (pair.a.linear + pair.a.angular.cross(arm_a));
    let v1 = tangent.dot(velocity) - friction.target[0].load(simd);
    let v2 = bitangent.dot(velocity) - friction.target[1].load(simd);
    let m11 = friction.mass[0].load(simd);
    let m12 = friction.mass[1].load(simd);
    let m22 = friction.mass[2].load(simd);
    let old1 = friction.impulse[0].load(simd);
    let old2 = friction.impulse[1].load(simd);
    let new1 = old1 - (m11 * v1 + m12 * v2);
    let new2 = old2 - (m12 * v1 + m22 * v2);
    let limit = friction.friction.load(simd) * load;
    let length = (new1 * new1 + new2 * new2).sqrt();
    let one = f32x8::splat(simd, 1.0);
    let scale = length
        .simd_gt(limit)
        .select(divide_or_zero(limit, length), one);
    let (new1, new2) = (new1 * scale, new2 * scale);
    friction.impulse[0].store(new1);
    friction.impulse[1].store(new2);
    let impulse = tangent
        .scale(new1 - old1)
        .add_scaled(bitangent, new2 - old2);
    pair.b.push(impulse, arm_b.cross(impulse));
    pair.a.pull(impulse, arm_a.cross(impulse));
}

/// Friction against turning about the normal.
#[inline(always)]
fn twist<S: Simd>(simd: S, friction: &mut FrictionBundle, load: f32x8<S>, pair: &mut Pair<S>) {
    let limit = friction.friction.load(simd) * friction.twist_arm.load(simd) * load;
    let speed = pair.normal.dot(pair.b.angular - pair.a.angular);
    let old = friction.twist_impulse.load(simd);
    let wanted = old - friction.twist_mass.load(simd) * speed;
    let new = max(min(wanted, limit), -limit);
    friction.twist_impulse.store(new);
    let spin = pair.normal.scale(new - old);
    pair.b.angular = pair.b.angular + pair.b.inverse_inertia.apply(spin);
    pair.a.angular = pair.a.angular - pair.a.inverse_inertia.apply(spin);
}

/// Resistance to relative rotation, its impulse kept in a ball of radius `arm * load`.
#[inline(always)]
fn resist_rolling<S: Simd, const N: usize>(
    simd: S,
    extra: &mut ExtraBundle<N>,
    load: f32x8<S>,
    pair: &mut Pair<S>,
) {
    let mass = drystone_geometry::lanes::SymMat3x8 {
        diagonal: extra.rolling_mass[0].load(simd),
        off_diagonal: extra.rolling_mass[1].load(simd),
    };
    let limit = extra.rolling_arm.load(simd) * load;
    let old = extra.rolling_impulse.load(simd);
    let new = old - mass.apply(pair.b.angular - pair.a.angular);
    let length = new.length();
    let one = f32x8::splat(simd, 1.0);
    let new = new.scale(
        length
            .simd_gt(limit)
            .select(divide_or_zero(limit, length), one),
    );
    extra.rolling_impulse.store(new);
    let spin = new - old;
    pair.b.angular = pair.b.angular + pair.b.inverse_inertia.apply(spin);
    pair.a.angular = pair.a.angular - pair.a.inverse_inertia.apply(spin);
}

/// Where the points of eight contacts stand and how they move, before a sweep.
struct Points<S: Simd, const N: usize> {
    /// `arm_b x normal`.
    torque_arms: [Vec3x8<S>; N],
    /// Normal velocities, in m/s.
    speeds: [f32x8<S>; N],
    /// Present separations, in metres.
    separations: [f32x8<S>; N],
}

impl<S: Simd, const N: usize> Points<S, N> {
    #[inline(always)]
    fn new<const C: usize>(
        simd: S,
        context: &SweepContext<'_>,
        bundle: &NormalBundle<N, C>,
        pair: &Pair<S>,
    ) -> Self {
        let normal = pair.normal;
        let delta_a = DeltaLanes::gather(simd, context.rows, &bundle.row_a);
        let delta_b = DeltaLanes::gather(simd, context.rows, &bundle.row_b);
        let moved = normal.dot(delta_b.position - delta_a.position);
        let turn_a = Turn::new(simd, &delta_a, normal);
        let turn_b = Turn::new(simd, &delta_b, normal);
        let center_speed = normal.dot(pair.b.linear - pair.a.linear);
        let offset = bundle.offset.load(simd);
        let radius_a = bundle.radius[0].load(simd);
        let radius_b = bundle.radius[1].load(simd);
        let zero = f32x8::splat(simd, 0.0);
        let mut points = Self {
            torque_arms: [Vec3x8::zero(simd); N],
            speeds: [zero; N],
            separations: [zero; N],
        };
        for (i, point) in bundle.points.iter().enumerate() {
            let arm_b = point.arm_b.load(simd);
            let torque_arm = arm_b.cross(normal);
            points.torque_arms[i] = torque_arm;
            points.speeds[i] = pair.normal_velocity(center_speed, torque_arm);
            let core_a = (arm_b + offset).sub_scaled(normal, radius_a);
            let core_b = arm_b.add_scaled(normal, radius_b);
            points.separations[i] = point.separation.load(simd)
                + moved
                + turn_b.along_normal(core_b, torque_arm, normal)
                - turn_a.along_normal(core_a, torque_arm + pair.offset_arm, normal);
        }
        points
    }
}

/// The normal rows of gathered bodies: the points forwards, then backwards.
///
/// One pass leaves the first point the most wrong and so tilts the bodies, always the same way;
/// the way back undoes that to first order. It needs no further memory traffic.
#[inline(always)]
fn sweep_normals<S: Simd, const N: usize, const C: usize, const BIASED: bool>(
    simd: S,
    context: &SweepContext<'_>,
    bundle: &mut NormalBundle<N, C>,
    extra: Option<&mut ExtraBundle<N>>,
    pair: &mut Pair<S>,
) {
    let softness = SoftnessLanes::new(simd, context, pair);
    let mut points = Points::new(simd, context, bundle, pair);
    let zero = f32x8::splat(simd, 0.0);
    let mut total = zero;
    let mut moment = Vec3x8::zero(simd);
    let mut changes = [zero; N];
    for (i, change) in changes.iter_mut().enumerate() {
        *change = points.solve::<C, BIASED>(simd, context, &softness, bundle, i);
    }
    // The last point has just been solved.
    for (i, change) in changes.iter_mut().enumerate().rev().skip(1) {
        *change += points.solve::<C, BIASED>(simd, context, &softness, bundle, i);
    }
    for (change, torque_arm) in changes.into_iter().zip(points.torque_arms) {
        total += change;
        moment = moment.add_scaled(torque_arm, change);
    }
    pair.push_normal(total, moment);
    if let Some(extra) = extra {
        if !BIASED {
            keep_heights(simd, extra, points.separations);
        }
        keep_peaks(simd, bundle, extra);
    }
}

impl<S: Simd, const N: usize> Points<S, N> {
    /// Solves point `i`, tells the other points, and returns how its impulse changed.
    #[inline(always)]
    fn solve<const C: usize, const BIASED: bool>(
        &mut self,
        simd: S,
        context: &SweepContext<'_>,
        softness: &SoftnessLanes<S>,
        bundle: &mut NormalBundle<N, C>,
        i: usize,
    ) -> f32x8<S> {
        let zero = f32x8::splat(simd, 0.0);
        let inverse_h = f32x8::splat(simd, context.inverse_h);
        let fastest = f32x8::splat(simd, -context.max_push_speed);
        let (separation, speed) = (self.separations[i], self.speeds[i]);
        let point = &mut bundle.points[i];
        let old = point.impulse.load(simd);
        let mass = point.mass.load(simd);
        let apart = separation.simd_gt(zero);
        // A point that is apart may close its gap within the sub-step, and no more.
        let held = old - mass * (speed + apart.select(separation * inverse_h, zero));
        let new = if BIASED {
            let push_out = max(softness.bias_rate * separation, fastest);
            let step = mass * (speed + push_out);
            let soft = old - (softness.mass_scale * step + softness.impulse_scale * old);
            apart.select(held, soft)
        } else {
            held
        };
        let new = max(new, zero);
        point.impulse.store(new);
        let change = new - old;
        self.speeds[i] += divide_or_zero(change, mass);
        for j in 0..N {
            if j != i {
                let coupling = bundle.couplings[coupling_index(N, i, j)].load(simd);
                self.speeds[j] += coupling * change;
            }
        }
        change
    }
}

/// Where the coupling of two of `n` points stands: row by row above the diagonal.
#[inline(always)]
const fn coupling_index(n: usize, i: usize, j: usize) -> usize {
    let (low, high) = if i < j { (i, j) } else { (j, i) };
    low * (2 * n - low - 1) / 2 + high - low - 1
}

/// Softness of eight contacts.
struct SoftnessLanes<S: Simd> {
    bias_rate: f32x8<S>,
    mass_scale: f32x8<S>,
    impulse_scale: f32x8<S>,
}

impl<S: Simd> SoftnessLanes<S> {
    #[inline(always)]
    fn new(simd: S, context: &SweepContext<'_>, pair: &Pair<S>) -> Self {
        // A body locked along x counts as pushed as long as it may move along y or z.
        let (a, b) = (pair.a.inverse_mass, pair.b.inverse_mass);
        let zero = f32x8::splat(simd, 0.0);
        let both = (a.x + a.y + a.z).simd_gt(zero) & (b.x + b.y + b.z).simd_gt(zero);
        let (soft, hard) = (&context.softness, &context.static_softness);
        Self {
            bias_rate: choose(simd, both, soft.bias_rate, hard.bias_rate),
            mass_scale: choose(simd, both, soft.mass_scale, hard.mass_scale),
            impulse_scale: choose(simd, both, soft.impulse_scale, hard.impulse_scale),
        }
    }
}

#[inline(always)]
fn choose<S: Simd>(simd: S, mask: mask32x8<S>, yes: f32, no: f32) -> f32x8<S> {
    mask.select(f32x8::splat(simd, yes), f32x8::splat(simd, no))
}

/// What a rotation since the step began does to the separation of a point.
struct Turn<S: Simd> {
    /// `2 w v` of the quaternion `(v, w)`: the first-order rotation.
    first: Vec3x8<S>,
    /// `v`.
    axis: Vec3x8<S>,
    /// `2 n.v`.
    along: f32x8<S>,
    /// `2 v.v`.
    square: f32x8<S>,
}

impl<S: Simd> Turn<S> {
    #[inline(always)]
    fn new(simd: S, delta: &DeltaLanes<S>, normal: Vec3x8<S>) -> Self {
        let two = f32x8::splat(simd, 2.0);
        Self {
            first: delta.rotation.scale(two * delta.rotation_w),
            axis: delta.rotation,
            along: two * normal.dot(delta.rotation),
            square: two * delta.rotation.length_sq(),
        }
    }

    /// `n . (R r - r)`, given `r` and `r x n`. With `R r - r = 2 w (v x r) + 2 v x (v x r)`.
    #[inline(always)]
    fn along_normal(&self, arm: Vec3x8<S>, torque_arm: Vec3x8<S>, normal: Vec3x8<S>) -> f32x8<S> {
        self.first.dot(torque_arm) + self.along * self.axis.dot(arm) - self.square * normal.dot(arm)
    }
}
