//! Friction of contacts: against sliding at a central point, and against turning about the normal.

use drystone_geometry::lanes::{Vec3x8, divide_or_zero, f32x8, mask32x8, max, min};
use fearless_simd::prelude::*;

use crate::contact::bundle::{FrictionBundle, NormalBundle};
use crate::contact::patch::Patch;
use crate::contact::solve::Pair;
use crate::tolerance::FREE_FRICTION_SHARE;

/// Solves friction against sliding as a 2x2 block, after [`twist`], which started from `twist_before`;
/// both share one limit, see [`Patch`]. Of a single point the impulse is kept in a disc of radius
/// `friction * load`.
#[inline(always)]
pub(super) fn slide<S: Simd, const N: usize, const C: usize>(
    simd: S,
    bundle: &NormalBundle<N, C>,
    friction: &mut FrictionBundle,
    twist_before: f32x8<S>,
    load: f32x8<S>,
    pair: &mut Pair<S>,
) {
    let old = Rub {
        slide: [
            friction.impulse[0].load(simd),
            friction.impulse[1].load(simd),
        ],
        twist: twist_before,
    };
    let limit = friction.friction.load(simd) * load;
    if N == 1 {
        let [along, across] = slide_from(simd, bundle, friction, old.slide, limit, pair);
        friction.impulse[0].store(along);
        friction.impulse[1].store(across);
        return;
    }
    let slip = Slip::new(simd, bundle, friction, pair);
    // Sides of what lies beside each other bear nothing, and are nothing to look at.
    let zero = f32x8::splat(simd, 0.0);
    let is_borne = limit.simd_gt(zero);
    let [along, across] = slip.stop(simd, friction, old.slide);
    let wanted = Rub {
        slide: [is_borne.select(along, zero), is_borne.select(across, zero)],
        twist: friction.twist_impulse.load(simd),
    };
    let turn = divide_or_zero(wanted.twist, friction.twist_arm.load(simd));
    let share = f32x8::splat(simd, FREE_FRICTION_SHARE);
    let may_slide = length(wanted.slide, turn).simd_gt(share * limit);
    let (mut new, mut spin) = (wanted, None);
    if may_slide.any_true() {
        let patch = Patch::new(simd, bundle, friction, &slip, limit);
        let impulses = [old, wanted];
        if let Some(held) = patch.hold(simd, friction, &slip, impulses, may_slide, pair) {
            // What holds keeps what it has, to the sign of a zero.
            let kept = held.twist.simd_eq(wanted.twist);
            spin = Some((kept, pair.normal.scale(held.twist - wanted.twist)));
            new = held;
            friction.twist_impulse.store(new.twist);
        }
    }
    friction.impulse[0].store(new.slide[0]);
    friction.impulse[1].store(new.slide[1]);
    slip.push(old.slide, new.slide, spin, pair);
}

/// How two surfaces slide where friction acts.
pub(super) struct Slip<S: Simd> {
    /// Unit, across the normal.
    pub(super) tangents: [Vec3x8<S>; 2],
    /// Where friction acts, from the centre of A, in metres.
    pub(super) arm_a: Vec3x8<S>,
    /// Likewise from the centre of B.
    pub(super) arm_b: Vec3x8<S>,
    /// Of B against A along both tangents, beyond what friction aims at, in m/s.
    pub(super) velocity: [f32x8<S>; 2],
}

impl<S: Simd> Slip<S> {
    #[inline(always)]
    fn new<const N: usize, const C: usize>(
        simd: S,
        bundle: &NormalBundle<N, C>,
        friction: &FrictionBundle,
        pair: &Pair<S>,
    ) -> Self {
        let tangent = friction.tangent.load(simd);
        let bitangent = pair.normal.cross(tangent);
        let arm_b = friction.arm_b.load(simd);
        let arm_a = arm_b + bundle.offset.load(simd);
        let velocity = (pair.b.linear + pair.b.angular.cross(arm_b))
            - (pair.a.linear + pair.a.angular.cross(arm_a));
        let v1 = tangent.dot(velocity) - friction.target[0].load(simd);
        let v2 = bitangent.dot(velocity) - friction.target[1].load(simd);
        Self {
            tangents: [tangent, bitangent],
            arm_a,
            arm_b,
            velocity: [v1, v2],
        }
    }

    /// The impulse along both tangents, `old` so far, that ends the sliding.
    #[inline(always)]
    fn stop(&self, simd: S, friction: &FrictionBundle, old: [f32x8<S>; 2]) -> [f32x8<S>; 2] {
        let [v1, v2] = self.velocity;
        let m11 = friction.mass[0].load(simd);
        let m12 = friction.mass[1].load(simd);
        let m22 = friction.mass[2].load(simd);
        [
            old[0] - (m11 * v1 + m12 * v2),
            old[1] - (m12 * v1 + m22 * v2),
        ]
    }

    /// Pushes both bodies by the difference of two impulses along both tangents, and by `spin` about the
    /// normal outside the lanes that come with it.
    #[inline(always)]
    fn push(
        &self,
        old: [f32x8<S>; 2],
        new: [f32x8<S>; 2],
        spin: Option<(mask32x8<S>, Vec3x8<S>)>,
        pair: &mut Pair<S>,
    ) {
        let [tangent, bitangent] = self.tangents;
        let impulse = tangent
            .scale(new[0] - old[0])
            .add_scaled(bitangent, new[1] - old[1]);
        let mut moment_a = self.arm_a.cross(impulse);
        let mut moment_b = self.arm_b.cross(impulse);
        if let Some((kept, spin)) = spin {
            moment_a = Vec3x8::select(kept, moment_a, moment_a + spin);
            moment_b = Vec3x8::select(kept, moment_b, moment_b + spin);
        }
        pair.b.push(impulse, moment_b);
        pair.a.pull(impulse, moment_a);
    }
}

/// Length of an impulse along both tangents and one about the normal, this over its arm.
#[inline(always)]
pub(super) fn length<S: Simd>([along, across]: [f32x8<S>; 2], turn: f32x8<S>) -> f32x8<S> {
    (along * along + across * across + turn * turn).sqrt()
}

/// The least mass along any direction across the normal, in kg.
#[inline(always)]
pub(super) fn least_mass<S: Simd>(simd: S, friction: &FrictionBundle) -> f32x8<S> {
    let half = f32x8::splat(simd, 0.5);
    let m11 = friction.mass[0].load(simd);
    let m12 = friction.mass[1].load(simd);
    let m22 = friction.mass[2].load(simd);
    let (mean, across) = (half * (m11 + m22), half * (m11 - m22));
    mean - (across * across + m12 * m12).sqrt()
}

/// Impulses of friction of eight contacts.
#[derive(Clone, Copy)]
pub(super) struct Rub<S: Simd> {
    /// Along both tangents, in N s.
    pub(super) slide: [f32x8<S>; 2],
    /// About the normal, in N m s.
    pub(super) twist: f32x8<S>,
}

impl<S: Simd> Rub<S> {
    #[inline(always)]
    pub(super) fn none(simd: S) -> Self {
        let zero = f32x8::splat(simd, 0.0);
        Self {
            slide: [zero; 2],
            twist: zero,
        }
    }
}

/// Friction of an impact of `load`, which was `old` so far; sliding and turning have a limit each.
#[inline(always)]
pub(super) fn rub<S: Simd, const N: usize, const C: usize>(
    simd: S,
    bundle: &NormalBundle<N, C>,
    friction: &FrictionBundle,
    load: f32x8<S>,
    old: Rub<S>,
    pair: &mut Pair<S>,
) -> Rub<S> {
    let mut new = old;
    if N > 1 {
        let limit = friction.friction.load(simd) * friction.twist_arm.load(simd) * load;
        new.twist = twist_from(simd, friction, old.twist, limit, pair);
    }
    let limit = friction.friction.load(simd) * load;
    new.slide = slide_from(simd, bundle, friction, old.slide, limit, pair);
    new
}

/// Changes the impulse of friction from `old`; returns the new one, no longer than `limit`.
#[inline(always)]
fn slide_from<S: Simd, const N: usize, const C: usize>(
    simd: S,
    bundle: &NormalBundle<N, C>,
    friction: &FrictionBundle,
    old: [f32x8<S>; 2],
    limit: f32x8<S>,
    pair: &mut Pair<S>,
) -> [f32x8<S>; 2] {
    let slip = Slip::new(simd, bundle, friction, pair);
    let [mut new1, mut new2] = slip.stop(simd, friction, old);
    let slides = (new1 * new1 + new2 * new2).sqrt().simd_gt(limit);
    if slides.any_true() {
        // What slides is braked against its way, however easily it turns the one way or the other: the
        // same mass along both tangents leads there, the lesser one without overshooting.
        let least = least_mass(simd, friction);
        let [v1, v2] = slip.velocity;
        let (even1, even2) = (old[0] - least * v1, old[1] - least * v2);
        let is_even = slides & (even1 * even1 + even2 * even2).sqrt().simd_gt(limit);
        new1 = is_even.select(even1, new1);
        new2 = is_even.select(even2, new2);
    }
    let length = (new1 * new1 + new2 * new2).sqrt();
    let one = f32x8::splat(simd, 1.0);
    let scale = slides.select(divide_or_zero(limit, length), one);
    let new = [new1 * scale, new2 * scale];
    slip.push(old, new, None, pair);
    new
}

/// Friction against turning about the normal.
#[inline(always)]
pub(super) fn twist<S: Simd>(
    simd: S,
    friction: &mut FrictionBundle,
    load: f32x8<S>,
    pair: &mut Pair<S>,
) {
    let limit = friction.friction.load(simd) * friction.twist_arm.load(simd) * load;
    let old = friction.twist_impulse.load(simd);
    let new = twist_from(simd, friction, old, limit, pair);
    friction.twist_impulse.store(new);
}

/// Changes the impulse about the normal from `old`; returns the new one, within `limit`.
#[inline(always)]
fn twist_from<S: Simd>(
    simd: S,
    friction: &FrictionBundle,
    old: f32x8<S>,
    limit: f32x8<S>,
    pair: &mut Pair<S>,
) -> f32x8<S> {
    let speed = pair.normal.dot(pair.b.angular - pair.a.angular);
    let wanted = old - friction.twist_mass.load(simd) * speed;
    let new = max(min(wanted, limit), -limit);
    let spin = pair.normal.scale(new - old);
    pair.b.angular = pair.b.angular + pair.b.inverse_inertia.apply(spin);
    pair.a.angular = pair.a.angular - pair.a.inverse_inertia.apply(spin);
    new
}
