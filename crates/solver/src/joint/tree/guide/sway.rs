//! What swings across a taut distance.
//!
//! A light bead between taut rods of length `L` that pull with `T` swings across them at `sqrt(2 T / (m L))`, and
//! sub-steps too long for that would blow it up, and what hangs on it. Where they come near, the rods resist
//! being turned as if they had the mass `h^2 T / L` between their ends: an impulse on both against what changes how
//! fast these pass each other across the rod. It is a row of the tree as a spring is, and gives way by the inverse of
//! that mass. What turns as a whole does not feel it, and momentum stays, as no body gets heavier.
//!
//! The mass rises and falls with the pull, and what it holds would pump the bead up. So of the speed across
//! only a share is kept in each sub-step, the less the heavier a rod counts beside its bodies, but for how fast all
//! that swings turns in the mean. And what a rod has pulled with counts on for some sub-steps: what is jerked taut
//! passes its line and is slack for one or two.

use drystone_geometry::lanes::{Lane, Vec3x8, divide_or_zero, f32x8, mask32x8, max};
use fearless_simd::prelude::*;

use crate::joint::tree::guide::{GuideLanes, GuidePresent, role};
use crate::joint::tree::parts::Parts;
use crate::joint::tree::sweep::sides;
use crate::joint::tree::{BodyWork, Class, PresentLanes, TreeBody};
use crate::tolerance::{PULL_KEPT, SWAY_SHARE};

/// The axes across the line.
const ACROSS: [usize; 2] = [1, 2];

/// Sets what swings across eight distances, where that is much for their bodies.
#[inline(always)]
pub(in crate::joint::tree) fn refresh<S: Simd>(
    simd: S,
    bodies: [&TreeBody; 2],
    guide: &mut GuideLanes,
    guided: &mut GuidePresent,
) {
    let (zero, one) = (f32x8::splat(simd, 0.0), f32x8::splat(simd, 1.0));
    let now = guide.done.total(simd, 0);
    let pull = max(max(now, -now), guide.done.pull.load(simd));
    guide.done.pull.store(pull);
    let h = f32x8::splat(simd, guide.axes[ACROSS[0]].sway);
    let needed = divide_or_zero(h * pull, guided.place[0].load(simd));
    let is_much = (needed * easiest(simd, bodies)).simd_gt(f32x8::splat(simd, SWAY_SHARE));
    for axis in ACROSS {
        let old = guide.done.axes[axis].spring.load(simd);
        guide.done.axes[axis]
            .spring
            .store(is_much.select(old, f32x8::splat(simd, 0.0)));
    }
    if !is_much.any_true() {
        return;
    }
    let line = guided.along[0].load(simd);
    // Whichever of two axes lies farther from the line.
    let is_upright = (line.y * line.y).simd_gt(f32x8::splat(simd, 0.5));
    let mut aside = Vec3x8::zero(simd);
    aside.x = is_upright.select(one, zero);
    aside.y = is_upright.select(zero, one);
    let across = line.cross(aside);
    let across = across.scale(divide_or_zero(one, across.length()));
    guided.along[ACROSS[0]].store(across);
    guided.along[ACROSS[1]].store(line.cross(across));
    let gives = is_much.select(divide_or_zero(one, needed), zero);
    let sways = f32x8::splat(simd, role::SWAY);
    for axis in ACROSS {
        guided.role[axis].store(is_much.select(sways, zero));
        guided.own[axis].store(gives);
    }
}

/// Of which of eight distances something swings across them.
#[inline(always)]
pub(in crate::joint::tree) fn sways<S: Simd>(simd: S, guided: &GuidePresent) -> mask32x8<S> {
    guided.is(simd, ACROSS[0], role::SWAY)
}

/// Notes how fast what swings across distances does as a sub-step begins.
#[inline(always)]
pub(in crate::joint::tree) fn begin<S: Simd>(simd: S, parts: &mut Parts<'_>) {
    let mut spin = (Vec3x8::zero(simd), f32x8::splat(simd, 0.0));
    let lanes = parts.guided.iter().zip(&*parts.presents);
    for ((guided, present), role) in lanes.zip(&parts.shape.joints) {
        if role.class == Class::LINE {
            let ends = [role.body_a, role.body_b].map(|body| &parts.work[body as usize]);
            add_spin(simd, ends, present, guided, &mut spin);
        }
    }
    let whole = (spin.0).scale(divide_or_zero(f32x8::splat(simd, 1.0), spin.1));
    let guides = parts.guides.iter_mut().zip(&mut *parts.guided);
    let lanes = guides.zip(&*parts.presents).zip(&parts.shape.joints);
    for (((guide, guided), present), role) in lanes {
        if role.class == Class::LINE {
            let ends = [role.body_a, role.body_b].map(|body| &parts.work[body as usize]);
            let bodies = sides(parts.bodies, role);
            begin_one(simd, whole, bodies, ends, guide, present, guided);
        }
    }
}

/// Adds how fast distances across which something swings turn, in rad/s, to a sum, and how many they are.
#[inline(always)]
fn add_spin<S: Simd>(
    simd: S,
    ends: [&BodyWork; 2],
    present: &PresentLanes,
    guided: &GuidePresent,
    (sum, count): &mut (Vec3x8<S>, f32x8<S>),
) {
    let sways = sways(simd, guided);
    let (zero, one) = (f32x8::splat(simd, 0.0), f32x8::splat(simd, 1.0));
    let [y, z] = ACROSS.map(|axis| guided.direction(simd, axis));
    let (along_y, along_z) = (
        guided.rate(simd, present, ends, ACROSS[0]),
        guided.rate(simd, present, ends, ACROSS[1]),
    );
    // The line times the speed across it.
    let turn = z.scale(along_y).sub_scaled(y, along_z);
    let turn = turn.scale(divide_or_zero(one, guided.place[0].load(simd)));
    *sum = *sum + Vec3x8::select(sways, turn, Vec3x8::zero(simd));
    *count += sways.select(one, zero);
}

/// Notes it of one distance in eight trees, given how fast all that swings in each turns in the mean.
#[inline(always)]
fn begin_one<S: Simd>(
    simd: S,
    whole: Vec3x8<S>,
    bodies: [&TreeBody; 2],
    ends: [&BodyWork; 2],
    guide: &mut GuideLanes,
    present: &PresentLanes,
    guided: &mut GuidePresent,
) {
    let pull = guide.done.pull.load(simd);
    guide.done.pull.store(pull * f32x8::splat(simd, PULL_KEPT));
    if !sways(simd, guided).any_true() {
        return;
    }
    let gives = guided.own[ACROSS[0]].load(simd);
    let kept = divide_or_zero(gives, gives + easiest(simd, bodies));
    let line = guided.direction(simd, 0).scale(guided.place[0].load(simd));
    let turning = whole.cross(line);
    for axis in ACROSS {
        let rate = guided.rate(simd, present, ends, axis);
        let with_all = guided.direction(simd, axis).dot(turning);
        guided.error[axis].store(-(with_all + kept * (rate - with_all)));
        guide.done.axes[axis].spring = Lane::ZERO;
    }
}

/// Greatest inverse mass of two bodies along any axis.
#[inline(always)]
fn easiest<S: Simd>(simd: S, [a, b]: [&TreeBody; 2]) -> f32x8<S> {
    let (a, b) = (a.inverse_mass.load(simd), b.inverse_mass.load(simd));
    max(max(a.x, max(a.y, a.z)), max(b.x, max(b.y, b.z)))
}
