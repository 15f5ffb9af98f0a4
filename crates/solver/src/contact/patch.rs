//! The limit that friction against sliding and against turning share.
//!
//! Each point of a contact patch bears a share of the load and rubs against its own way over the other
//! surface. So what turns fast while it slides is hardly braked, and both end together; and what is pushed
//! beside its middle, however slowly, turns about where its points' rubs balance the push. The impulses
//! that the points can make up so, along both tangents and about the normal, fill a convex body, the limit
//! surface (Goyal, Ruina and Papadopoulos, *Planar sliding with dry friction*, Wear 143, 1991). To a way
//! belongs one impulse on it: the sum over the points. Friction goes there from what it was, in a sub-step
//! by as much as it could brake: at once where something is fast, and hardly where it creeps to rest, for
//! there ways are as good as none. Whether something slides at all is asked of the ellipsoid of the same
//! axes (Howe and Cutkosky, *Practical force-motion models for sliding manipulation*, 1996), a tenth larger
//! at most.
//!
//! Both are about the centre of pressure: where a body bears more it rubs more, and what is heavy on one
//! side slides straight on.

#![allow(
    clippy::needless_range_loop,
    reason = "a point is a number, the same in several arrays"
)]

use drystone_geometry::lanes::{Vec3x8, divide_or_zero, f32x8, mask32x8};
use fearless_simd::prelude::*;

use crate::contact::bundle::{FrictionBundle, NormalBundle};
use crate::contact::friction::{Rub, Slip, least_mass, length};
use crate::contact::points::{sum, sum_vectors};
use crate::contact::solve::Pair;

/// Eight contact patches that may slide.
pub(super) struct Patch<S: Simd, const N: usize> {
    /// Points from where friction acts, in metres.
    levers: [Vec3x8<S>; N],
    /// Normal impulses of the points, in N s.
    loads: [f32x8<S>; N],
    /// Their sum, in N s.
    load: f32x8<S>,
    /// Centre of pressure from where friction acts, along both tangents, in metres.
    center: [f32x8<S>; 2],
    /// Mean distance of the points from where friction acts, in metres.
    arm: f32x8<S>,
    /// Where bodies can turn about the normal.
    turns: mask32x8<S>,
    /// Most that friction pushes with, in N s.
    limit: f32x8<S>,
}

impl<S: Simd, const N: usize> Patch<S, N> {
    #[inline(always)]
    pub(super) fn new<const C: usize>(
        simd: S,
        bundle: &NormalBundle<N, C>,
        friction: &FrictionBundle,
        slip: &Slip<S>,
        limit: f32x8<S>,
    ) -> Self {
        let zero = f32x8::splat(simd, 0.0);
        let mut loads = [zero; N];
        let mut levers = [Vec3x8::zero(simd); N];
        let mut moments = [Vec3x8::zero(simd); N];
        for i in 0..N {
            loads[i] = bundle.points[i].impulse.load(simd);
            levers[i] = bundle.points[i].arm_b.load(simd) - slip.arm_b;
            moments[i] = levers[i].scale(loads[i]);
        }
        let (load, moment) = (sum(loads), sum_vectors(moments));
        let [tangent, bitangent] = slip.tangents;
        let center = [
            divide_or_zero(tangent.dot(moment), load),
            divide_or_zero(bitangent.dot(moment), load),
        ];
        Self {
            levers,
            loads,
            load,
            center,
            arm: friction.twist_arm.load(simd),
            turns: friction.twist_mass.load(simd).simd_gt(zero),
            limit,
        }
    }

    /// What the limit leaves of the impulses `wanted`, which would end sliding and turning and started
    /// from `old`; none where they are within it in all lanes. Only lanes of `may_slide` change.
    #[inline(always)]
    pub(super) fn hold(
        &self,
        simd: S,
        friction: &FrictionBundle,
        slip: &Slip<S>,
        [old, wanted]: [Rub<S>; 2],
        may_slide: mask32x8<S>,
        pair: &Pair<S>,
    ) -> Option<Rub<S>> {
        let stop = self.about_pressure(simd, wanted);
        let slides = may_slide & stop.length().simd_gt(self.limit);
        if slides.all_false() {
            return None;
        }
        let start = self.about_pressure(simd, old);
        let brake = self.brake(simd, friction, slip, [old, wanted], pair);
        let held = self.turned(simd, slip, stop, start, brake);
        let new = self.about_friction(held);
        Some(Rub {
            slide: [
                slides.select(new.slide[0], wanted.slide[0]),
                slides.select(new.slide[1], wanted.slide[1]),
            ],
            twist: (slides & self.turns).select(new.twist, wanted.twist),
        })
    }

    /// Friction of what slides, within its limit, that was `start`: turned to what the points rub with by as
    /// much as it would take to `brake`. What would be within the limit then has hardly begun to slide: it is
    /// held against what would `stop` it.
    #[inline(always)]
    fn turned(
        &self,
        simd: S,
        slip: &Slip<S>,
        stop: Wrench<S>,
        start: Wrench<S>,
        brake: Wrench<S>,
    ) -> Wrench<S> {
        let strength = brake.length();
        let way = brake.scale(divide_or_zero(f32x8::splat(simd, 1.0), strength));
        let bears = self.load.simd_gt(f32x8::splat(simd, 0.0));
        let rub = way
            .scale(self.limit)
            .select(bears, self.sum_over_points(simd, slip, way));
        let turned = start.plus(rub.scale(divide_or_zero(strength, self.limit)));
        let length = turned.length();
        let share = divide_or_zero(strength, strength + self.limit);
        let most = self.limit + share * (rub.length() - self.limit);
        stop.scale(divide_or_zero(self.limit, stop.length()))
            .select(
                length.simd_gt(self.limit),
                turned.scale(divide_or_zero(most, length)),
            )
    }

    /// Moment of an impulse in the centre of pressure about where friction acts, in N m s.
    #[inline(always)]
    fn moment(&self, [along, across]: [f32x8<S>; 2]) -> f32x8<S> {
        self.center[0] * across - self.center[1] * along
    }

    #[inline(always)]
    fn about_pressure(&self, simd: S, rub: Rub<S>) -> Wrench<S> {
        let turn = divide_or_zero(rub.twist - self.moment(rub.slide), self.arm);
        Wrench {
            slide: rub.slide,
            turn: self.turns.select(turn, f32x8::splat(simd, 0.0)),
        }
    }

    #[inline(always)]
    fn about_friction(&self, wrench: Wrench<S>) -> Rub<S> {
        Rub {
            slide: wrench.slide,
            twist: wrench.turn * self.arm + self.moment(wrench.slide),
        }
    }

    /// The impulse that brakes what slides against its way, however easily it is pushed or turned the one way
    /// or the other: the same mass for all leads there, a low one without overshooting.
    ///
    /// The bodies have the twist of `wanted` by now: the velocities are those before that.
    #[inline(always)]
    fn brake(
        &self,
        simd: S,
        friction: &FrictionBundle,
        slip: &Slip<S>,
        [old, wanted]: [Rub<S>; 2],
        pair: &Pair<S>,
    ) -> Wrench<S> {
        let twist = pair.normal.scale(wanted.twist - old.twist);
        let turned_a = pair.a.inverse_inertia.apply(twist);
        let turned_b = pair.b.inverse_inertia.apply(twist);
        let turned = pair.b.angular - turned_b - (pair.a.angular + turned_a);
        let carried = turned_b.cross(slip.arm_b) + turned_a.cross(slip.arm_a);
        let spin = pair.normal.dot(turned);
        let v1 = slip.velocity[0] - slip.tangents[0].dot(carried);
        let v2 = slip.velocity[1] - slip.tangents[1].dot(carried);
        let least = least_mass(simd, friction);
        let lightness = divide_or_zero(least * self.arm * self.arm, friction.twist_mass.load(simd));
        let (one, two) = (f32x8::splat(simd, 1.0), f32x8::splat(simd, 2.0));
        let mass = least / (one + two * lightness);
        let turn = mass * (self.arm * spin);
        Wrench {
            slide: [
                -(mass * (v1 - spin * self.center[1])),
                -(mass * (v2 + spin * self.center[0])),
            ],
            turn: self.turns.select(-turn, f32x8::splat(simd, 0.0)),
        }
    }

    /// What the points make up when each rubs along the field of ways that `unit` is, of length 1.
    #[inline(always)]
    fn sum_over_points(&self, simd: S, slip: &Slip<S>, unit: Wrench<S>) -> Wrench<S> {
        let zero = f32x8::splat(simd, 0.0);
        let rate = divide_or_zero(unit.turn, self.arm);
        let per_load = divide_or_zero(self.limit, self.load);
        let (mut along, mut across, mut moments) = ([zero; N], [zero; N], [zero; N]);
        for i in 0..N {
            let x = slip.tangents[0].dot(self.levers[i]) - self.center[0];
            let y = slip.tangents[1].dot(self.levers[i]) - self.center[1];
            let way = [unit.slide[0] - rate * y, unit.slide[1] + rate * x];
            let length = (way[0] * way[0] + way[1] * way[1]).sqrt();
            let share = divide_or_zero(self.loads[i] * per_load, length);
            along[i] = way[0] * share;
            across[i] = way[1] * share;
            moments[i] = x * across[i] - y * along[i];
        }
        Wrench {
            slide: [sum(along), sum(across)],
            turn: divide_or_zero(sum(moments), self.arm),
        }
    }
}

/// Impulses of friction about the centres of pressure of eight patches.
#[derive(Clone, Copy)]
struct Wrench<S: Simd> {
    /// Along both tangents, in N s.
    slide: [f32x8<S>; 2],
    /// About the normal, over the arm of the patch, in N s.
    turn: f32x8<S>,
}

impl<S: Simd> Wrench<S> {
    #[inline(always)]
    fn length(self) -> f32x8<S> {
        length(self.slide, self.turn)
    }

    #[inline(always)]
    fn scale(self, factor: f32x8<S>) -> Self {
        Self {
            slide: [self.slide[0] * factor, self.slide[1] * factor],
            turn: self.turn * factor,
        }
    }

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        Self {
            slide: [
                self.slide[0] + other.slide[0],
                self.slide[1] + other.slide[1],
            ],
            turn: self.turn + other.turn,
        }
    }

    /// `other` where the mask is set.
    #[inline(always)]
    fn select(self, mask: mask32x8<S>, other: Self) -> Self {
        Self {
            slide: [
                mask.select(other.slide[0], self.slide[0]),
                mask.select(other.slide[1], self.slide[1]),
            ],
            turn: mask.select(other.turn, self.turn),
        }
    }
}
