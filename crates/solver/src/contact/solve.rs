//! The sweeps over contacts: warm start, biased solve, relaxation.
//!
//! Each reads both bodies of a contact, changes their velocities as often as it needs to and
//! writes them back: normals as in [`crate::contact::points`], then friction.

use drystone_geometry::lanes::{LANES, Lane, Vec3x8, divide_or_zero, f32x8, mask32x8, max};
use fearless_simd::prelude::*;

use crate::body_rows::BodyRows;
use crate::contact::bundle::{ExtraBundle, FrictionBundle, NormalBundle};
use crate::contact::friction::{slide, twist};
use crate::contact::jointed::JointedLanes;
use crate::contact::lanes::BodyLanes;
use crate::contact::points::{sum, sum_vectors, sweep_normals};
use crate::contact::shares::Shares;
use crate::joint::jointed::JointedLoad;
use crate::softness::Softness;
use crate::tolerance::{IMPACT_LOAD, LAYING_SWEEPS};

/// How contacts yield.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ContactSoftness {
    /// To the mean load of the points.
    pub(crate) mean: Softness,
    /// To differences between the points: in 1/s, see [`Softness::bias_rate`].
    pub(crate) tilt_bias_rate: f32,
    /// A ratio, see [`Softness::impulse_scale`].
    pub(crate) tilt_impulse_scale: f32,
}

/// What every sweep of a step shares.
#[derive(Debug)]
pub(crate) struct SweepContext<'a> {
    /// The rows of the bodies.
    pub(crate) rows: &'a BodyRows,
    /// Sub-steps per second.
    pub(crate) inverse_h: f32,
    /// Contacts between bodies that are both pushed.
    pub(crate) softness: ContactSoftness,
    /// Contacts with a body that is not.
    pub(crate) static_softness: ContactSoftness,
    /// Fastest push-out, in m/s.
    pub(crate) max_push_speed: f32,
    /// Approach speed below which nothing bounces, in m/s.
    pub(crate) restitution_threshold: f32,
    /// Sub-steps of the step, a count.
    pub(crate) substeps: f32,
    /// Mass that an impulse of 1 N s in a sub-step makes what carries it count as, in kg.
    pub(crate) burden_per_impulse: f32,
    /// By slot: what joints did to the bodies in the last sub-step of the step before; empty if there are
    /// none.
    pub(crate) jointed: &'a [JointedLoad],
    /// Whether drives press any of them.
    pub(crate) any_press: bool,
    /// By slot: whether trees hold the bodies.
    pub(crate) in_trees: &'a [bool],
    /// Speed that its weight gives a body in a sub-step, in m/s; [`f32::MAX`] where there is none.
    pub(crate) weight_speed: f32,
}

/// Both bodies of eight contacts.
#[derive(Clone, Copy)]
pub(super) struct Pair<S: Simd> {
    pub(super) a: BodyLanes<S>,
    pub(super) b: BodyLanes<S>,
    pub(super) normal: Vec3x8<S>,
    /// `offset x normal`: what a point's torque arm on A has beyond that on B.
    pub(super) offset_arm: Vec3x8<S>,
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

    /// Where contacts push A, and where B. One locked along x counts as pushed as long as it may
    /// move along y or z.
    #[inline(always)]
    pub(super) fn are_pushed(&self, simd: S) -> [mask32x8<S>; 2] {
        let zero = f32x8::splat(simd, 0.0);
        let (a, b) = (self.a.inverse_mass, self.b.inverse_mass);
        [
            (a.x + a.y + a.z).simd_gt(zero),
            (b.x + b.y + b.z).simd_gt(zero),
        ]
    }

    /// Where contacts push both bodies.
    #[inline(always)]
    pub(super) fn both_are_pushed(&self, simd: S) -> mask32x8<S> {
        let [a, b] = self.are_pushed(simd);
        a & b
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
    let mut impulses = [f32x8::splat(simd, 0.0); N];
    let mut moments = [Vec3x8::zero(simd); N];
    for (i, point) in normals.points.iter().enumerate() {
        impulses[i] = point.impulse.load(simd);
        let torque_arm = point.arm_b.load(simd).cross(pair.normal);
        moments[i] = torque_arm.scale(impulses[i]);
    }
    let (total, moment) = (sum(impulses), sum_vectors(moments));
    let tangent = friction.tangent.load(simd);
    let bitangent = pair.normal.cross(tangent);
    let slide = tangent
        .scale(friction.impulse[0].load(simd))
        .add_scaled(bitangent, friction.impulse[1].load(simd));
    let mut spin = pair.normal.scale(friction.twist_impulse.load(simd));
    if let Some(extra) = extra {
        let rolls = extra
            .rolling_arm
            .load(simd)
            .simd_gt(f32x8::splat(simd, 0.0));
        let both = spin + extra.rolling_impulse.load(simd);
        spin = Vec3x8::select(rolls, both, spin);
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
    shares: Option<&Shares<N>>,
    jointed: Option<&JointedLanes>,
    foreseen: Option<&[Lane; N]>,
) {
    let mut pair = Pair::gather(simd, context, bundle);
    sweep_normals::<S, N, C, BIASED>(
        simd, context, bundle, extra, shares, jointed, foreseen, &mut pair,
    );
    pair.scatter(context, bundle);
}

/// Rolling resistance, twist, the normal rows without bias, then friction: what holds a wall
/// upright sideways is heard after what holds it up. With friction before the normals, a lean
/// of a hundred layers grew half again as fast.
///
/// What lies flat on something fixed is held by the load of the relaxed normals: before that a
/// contact that still sinks in lacks the few percent that its softness has lost, and on a slope
/// near balance the body would be off. Between two bodies it makes arches and walls settle longer,
/// so there only impacts count: their load comes to light in this sweep and is gone in the next.
///
/// Returns the lanes, a bit each, that pressed before or after: an impact may be all that does in a
/// step.
#[inline(always)]
pub(crate) fn relax<S: Simd, const N: usize, const C: usize>(
    simd: S,
    context: &SweepContext<'_>,
    bundle: &mut NormalBundle<N, C>,
    friction: &mut FrictionBundle,
    mut extra: Option<&mut ExtraBundle<N>>,
    jointed: Option<&JointedLanes>,
    foreseen: Option<&[Lane; N]>,
    is_carried: bool,
) -> u8 {
    let mut pair = Pair::gather(simd, context, bundle);
    if is_carried {
        carry_on(simd, context, &pair, friction, 1.0);
    }
    let load = load_of(simd, bundle);
    if let Some(extra) = &mut extra {
        resist_rolling(simd, extra, load, &mut pair);
    }
    let twist_before = friction.twist_impulse.load(simd);
    if N > 1 {
        twist(simd, friction, load, &mut pair);
    }
    sweep_normals::<S, N, C, false>(
        simd, context, bundle, extra, None, jointed, foreseen, &mut pair,
    );
    let relaxed = load_of(simd, bundle);
    let mut grip = relaxed.simd_gt(load * IMPACT_LOAD).select(relaxed, load);
    if N > 2 {
        grip = pair.both_are_pushed(simd).select(grip, relaxed);
    }
    if let Some(jointed) = jointed {
        let grips = jointed.rests.grips.load(simd);
        grip = grips.simd_gt(f32x8::splat(simd, 0.0)).select(grips, grip);
    }
    slide(simd, bundle, friction, twist_before, grip, &mut pair);
    pair.scatter(context, bundle);
    let pressed = max(load, relaxed).simd_gt(f32x8::splat(simd, 0.0));
    pressed.to_bitmask() as u8
}

/// Lets the speed at which surfaces carry what touches them be that of where it will be in so many
/// sub-steps, as far as bodies turn that nothing pushes.
///
/// What rides on a turntable is pushed round from sub-step to sub-step. Were the speed that of where the
/// step began, friction would have to do in the first sub-step what takes all, and what rides would
/// drift outwards. It stays where it is if it moves by the speed half-way to where it gets in each
/// sub-step; as the warm start turns its velocity by a whole one first, the speed asked for is that of
/// half a sub-step ago.
#[inline(always)]
pub(super) fn carry_on<S: Simd>(
    simd: S,
    context: &SweepContext<'_>,
    pair: &Pair<S>,
    friction: &mut FrictionBundle,
    substeps: f32,
) {
    let none = Vec3x8::zero(simd);
    let [a, b] = pair.are_pushed(simd);
    let spin = Vec3x8::select(a, none, pair.a.angular) + Vec3x8::select(b, none, pair.b.angular);
    let time = f32x8::splat(simd, substeps / context.inverse_h);
    let change = spin.cross((pair.b.linear - pair.a.linear).scale(time));
    let tangent = friction.tangent.load(simd);
    let bitangent = pair.normal.cross(tangent);
    for (target, along) in friction.target.iter_mut().zip([tangent, bitangent]) {
        target.store(target.load(simd) + along.dot(change));
    }
}

/// Relaxes the contacts of the lanes `laid` again and again; returns which of them do not press
/// yet.
///
/// Friction that holds a body on a slope also tips it, and the points of the contact bear that.
/// A contact that was there before starts from impulses that fit each other. One sweep over a new
/// one leaves the body with half the speed of a sub-step's fall down the slope, and near balance
/// that takes seconds to brake.
#[inline(always)]
pub(crate) fn settle_down<S: Simd, const N: usize, const C: usize>(
    simd: S,
    context: &SweepContext<'_>,
    laid: u8,
    normals: &mut NormalBundle<N, C>,
    friction: &mut FrictionBundle,
) -> u8 {
    let (mut few, mut grip) = (normals.only(laid), friction.clone());
    for _ in 0..LAYING_SWEEPS {
        relax(simd, context, &mut few, &mut grip, None, None, None, false);
    }
    let mut left = laid;
    for lane in 0..LANES {
        if laid & (1 << lane) == 0 {
            continue;
        }
        if !few.is_laid(lane) {
            left &= !(1 << lane);
        }
        for (point, new) in normals.points.iter_mut().zip(&few.points) {
            point.impulse.0[lane] = new.impulse.0[lane];
        }
        friction.twist_impulse.0[lane] = grip.twist_impulse.0[lane];
        for (impulse, new) in friction.impulse.iter_mut().zip(&grip.impulse) {
            impulse.0[lane] = new.0[lane];
        }
    }
    left
}

/// Sum of the impulses of the points, in N s.
#[inline(always)]
fn load_of<S: Simd, const N: usize, const C: usize>(
    simd: S,
    bundle: &NormalBundle<N, C>,
) -> f32x8<S> {
    let mut impulses = [f32x8::splat(simd, 0.0); N];
    for (impulse, point) in impulses.iter_mut().zip(&bundle.points) {
        *impulse = point.impulse.load(simd);
    }
    sum(impulses)
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
    let arm = extra.rolling_arm.load(simd);
    let limit = arm * load;
    let old = extra.rolling_impulse.load(simd);
    let new = old - mass.apply(pair.b.angular - pair.a.angular);
    let length = new.length();
    let one = f32x8::splat(simd, 1.0);
    let new = new.scale(
        length
            .simd_gt(limit)
            .select(divide_or_zero(limit, length), one),
    );
    // Contacts that roll freely keep what they have, to the sign of a zero.
    let rolls = arm.simd_gt(f32x8::splat(simd, 0.0));
    extra.rolling_impulse.store(Vec3x8::select(rolls, new, old));
    let spin = new - old;
    let (a, b) = (pair.a.angular, pair.b.angular);
    pair.b.angular = Vec3x8::select(rolls, b + pair.b.inverse_inertia.apply(spin), b);
    pair.a.angular = Vec3x8::select(rolls, a - pair.a.inverse_inertia.apply(spin), a);
}
