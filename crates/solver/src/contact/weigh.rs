//! Contacts of bodies that turn far within a step: other masses, and impulses that no longer fit.

use drystone_geometry::glam::Vec3;
use drystone_geometry::lanes::{Lane, f32x8, max};
use fearless_simd::prelude::*;

use crate::contact::bundle::{ExtraBundle, FrictionBundle, NormalBundle, lanes_of};
use crate::contact::couple::invert;
use crate::contact::points::sum;
use crate::contact::prepare::{aim_friction, prepare_rolling};
use crate::contact::shares::Shares;
use crate::contact::solve::{Pair, SweepContext};
use crate::tolerance::STALE_INERTIA_SHARE;

/// Which of eight contacts, a bit each, have a body that has turned far in this step.
#[inline(always)]
pub(crate) fn turned<const N: usize, const C: usize>(
    context: &SweepContext<'_>,
    normals: &NormalBundle<N, C>,
) -> u8 {
    context.rows.turned(&normals.row_a) | context.rows.turned(&normals.row_b)
}

/// Finds the masses anew of contacts, a bit each of `turned`, whose bodies have turned since they
/// were prepared for the inertia of the step's start: impulses meant for that would overshoot.
///
/// Rare, so entered like a kernel: without the instruction set every operation would be a call. The
/// points stay. `extra` is that of a bundle with rolling resistance. Returns the lanes, a
/// bit each, of which a mass is far below what it was.
#[inline(always)]
pub(crate) fn weigh_again<S: Simd, const N: usize, const C: usize>(
    simd: S,
    context: &SweepContext<'_>,
    turned: u8,
    normals: &mut NormalBundle<N, C>,
    friction: &mut FrictionBundle,
    extra: Option<&mut ExtraBundle<N>>,
    shares: Option<&Shares<N>>,
) -> u8 {
    let before = (normals.clone(), friction.clone());
    let zero = f32x8::splat(simd, 0.0);
    let one = f32x8::splat(simd, 1.0);
    let pair = Pair::gather(simd, context, normals);
    let tangent = friction.tangent.load(simd);
    let mut used = [Lane::ZERO; N];
    for (used, point) in used.iter_mut().zip(&normals.points) {
        let inverse = point.inverse.load(simd);
        used.store(inverse.simd_eq(zero).select(zero, one));
    }
    let old = masses(simd, normals, friction);
    invert(simd, &pair, tangent, &used, normals);
    if let Some(shares) = shares {
        shares.free(simd, normals);
    }
    aim_friction(simd, &pair, tangent, normals, friction);
    normals.put_back(!turned, &before.0);
    friction.put_back(!turned, &before.1);
    if let Some(extra) = extra {
        let before = extra.clone();
        prepare_rolling(simd, &pair, extra);
        extra.put_back(!turned, &before);
    }
    let share = f32x8::splat(simd, 1.0 + STALE_INERTIA_SHARE);
    let new = masses(simd, normals, friction);
    let fell = (share * new[0]).simd_lt(old[0])
        | (share * new[1]).simd_lt(old[1])
        | (share * new[2]).simd_lt(old[2]);
    fell.to_bitmask() as u8
}

/// How hard the points of eight contacts are to push apart and to slide, in kg, and to twist, in
/// kg m^2: sums over the points and the tangents.
#[inline(always)]
fn masses<S: Simd, const N: usize, const C: usize>(
    simd: S,
    normals: &NormalBundle<N, C>,
    friction: &FrictionBundle,
) -> [f32x8<S>; 3] {
    let zero = f32x8::splat(simd, 0.0);
    let mut inverses = [zero; N];
    for (inverse, point) in inverses.iter_mut().zip(&normals.points) {
        *inverse = max(point.inverse.load(simd), zero);
    }
    [
        sum(inverses),
        friction.mass[0].load(simd) + friction.mass[2].load(simd),
        friction.twist_mass.load(simd),
    ]
}

/// Forgets the impulses of the lanes `misfit`, whose masses have fallen: applied again in the next
/// sub-step, they would speed a thin body up by more than its sweeps take away.
#[cold]
pub(crate) fn forget<const N: usize, const C: usize>(
    misfit: u8,
    normals: &mut NormalBundle<N, C>,
    friction: &mut FrictionBundle,
    mut extra: Option<&mut ExtraBundle<N>>,
) {
    for lane in lanes_of(misfit) {
        for point in &mut normals.points {
            point.impulse.0[lane] = 0.0;
        }
        for impulse in &mut friction.impulse {
            impulse.0[lane] = 0.0;
        }
        friction.twist_impulse.0[lane] = 0.0;
        if let Some(extra) = &mut extra {
            extra.rolling_impulse.set(lane, Vec3::ZERO);
        }
    }
}
