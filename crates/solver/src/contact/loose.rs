//! What friction starts a step from: not from an impact whose load is gone.
//!
//! Points come and go from step to step, and their load with them. Friction is kept for the
//! whole contact, so after an impact it would go on where none of the points that bore it is left,
//! and do it all over again before the first sweep that knows of its limit. What rests is left
//! alone: a point that is found anew bears its load again within the sub-step, and pyramids of small
//! cubes came to rest a tenth later where friction had to follow.

use drystone_geometry::glam::Vec3;
use drystone_geometry::lanes::f32x8;
use fearless_simd::prelude::*;

use crate::contact::bundle::{ExtraBundle, FrictionBundle, NormalBundle, lanes_of};
use crate::contact::solve::SweepContext;

/// Forgets the impulses of friction, twist and rolling of contacts that start without load, where
/// friction would make surfaces slide as fast as what bounces comes. `extra` is that of a bundle with
/// rolling resistance.
#[inline(always)]
pub(super) fn let_go<S: Simd, const N: usize, const C: usize>(
    simd: S,
    context: &SweepContext<'_>,
    normals: &NormalBundle<N, C>,
    friction: &mut FrictionBundle,
    mut extra: Option<&mut ExtraBundle<N>>,
) {
    let [along, across] = [0, 1].map(|i| friction.impulse[i].load(simd));
    let mass = friction.mass[0].load(simd) + friction.mass[2].load(simd);
    let slow = mass * f32x8::splat(simd, 0.5 * context.restitution_threshold);
    let strikes = (along * along + across * across).simd_gt(slow * slow);
    if strikes.all_false() {
        return;
    }
    for lane in lanes_of(strikes.to_bitmask() as u8 & !normals.pressed(simd)) {
        friction.impulse[0].0[lane] = 0.0;
        friction.impulse[1].0[lane] = 0.0;
        friction.twist_impulse.0[lane] = 0.0;
        if let Some(extra) = &mut extra {
            extra.rolling_impulse.set(lane, Vec3::ZERO);
        }
    }
}
