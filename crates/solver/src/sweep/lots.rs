//! What the passes of a sweep do with a lot of contacts, bundle by bundle.

use fearless_simd::Simd;

use crate::body::Body;
use crate::contact::bundle::{FrictionBundle, Lot, NormalBundle};
use crate::contact::solve::{self, SweepContext};
use crate::contact::weigh::{forget, turned, weigh_again};
use crate::contact::work::relax_turned;
use crate::contact::{bend, bounce, burden};

/// Impulses of the sub-step before, once the points are where the bodies have carried them.
#[inline(always)]
pub(super) fn warm_start<S: Simd, const N: usize, const C: usize>(
    simd: S,
    context: &SweepContext<'_>,
    lot: &mut Lot<N, C>,
) {
    for (i, (normals, friction)) in (lot.normals.iter_mut()).zip(&mut lot.frictions).enumerate() {
        let bends = lot.extras[i].bends;
        if bends != 0 {
            bend::roll_on(simd, context, &mut lot.curves[i], bends, normals, friction);
        }
        if lot.extras[i].jointed {
            let foreseen = (bends != 0).then(|| &lot.curves[i].foreseen);
            lot.jointed[i].rests.offer(simd, context, normals, foreseen);
        }
        let extra = lot.extras[i].rolls.then(|| &lot.extra_bundles[i]);
        solve::warm_start(simd, context, normals, friction, extra);
    }
}

/// The biased sweep.
#[inline(always)]
pub(super) fn solve<S: Simd, const N: usize, const C: usize>(
    simd: S,
    context: &SweepContext<'_>,
    lot: &mut Lot<N, C>,
) {
    for (i, normals) in lot.normals.iter_mut().enumerate() {
        let extra = lot.extras[i].bounces.then(|| &mut lot.extra_bundles[i]);
        let shares = lot.extras[i].uneven.then(|| &lot.shares[i]);
        if lot.extras[i].jointed {
            lot.jointed[i].rests.take(context, normals);
        }
        let jointed = lot.extras[i].jointed.then(|| &lot.jointed[i]);
        let foreseen = (lot.extras[i].bends != 0).then(|| &lot.curves[i].foreseen);
        solve::solve_normals::<S, N, C, true>(
            simd, context, normals, extra, shares, jointed, foreseen,
        );
    }
}

/// The relaxing sweep, and what follows from it.
#[inline(always)]
pub(super) fn relax<S: Simd, const N: usize, const C: usize>(
    simd: S,
    context: &SweepContext<'_>,
    bodies: &[Body],
    lot: &mut Lot<N, C>,
) {
    let any_turned = context.rows.any_turned();
    for (i, (normals, friction)) in lot.normals.iter_mut().zip(&mut lot.frictions).enumerate() {
        let extras = lot.extras[i];
        if extras.jointed {
            lot.jointed[i].rests.take(context, normals);
            lot.jointed[i].rests.grip(normals, friction);
        }
        let jointed = extras.jointed.then(|| &lot.jointed[i]);
        let held = jointed.map_or(0, |jointed| jointed.rests.held);
        let turned = lanes_turned(any_turned, context, normals);
        if turned != 0 {
            let extra = extras.rolls.then(|| &mut lot.extra_bundles[i]);
            let shares = extras.uneven.then(|| &lot.shares[i]);
            lot.extras[i].misfit |= simd.vectorize(
                #[inline(always)]
                || weigh_again(simd, context, turned, normals, friction, extra, shares),
            );
        }
        if extras.bends != 0 {
            bend::measure_again(simd, context, &lot.curves[i], extras.bends, normals);
        }
        let extra = (extras.bounces || extras.rolls).then(|| &mut lot.extra_bundles[i]);
        let foreseen = (extras.bends != 0).then(|| &lot.curves[i].foreseen);
        lot.extras[i].pressed |= if turned != 0 {
            simd.vectorize(
                #[inline(always)]
                || {
                    relax_turned(
                        simd,
                        context,
                        turned & !held,
                        normals,
                        friction,
                        extra,
                        jointed,
                        foreseen,
                        extras.carried,
                    )
                },
            )
        } else {
            solve::relax(
                simd,
                context,
                normals,
                friction,
                extra,
                jointed,
                foreseen,
                extras.carried,
            )
        };
        let misfit = std::mem::take(&mut lot.extras[i].misfit) & !held;
        if misfit != 0 {
            let extra = extras.rolls.then(|| &mut lot.extra_bundles[i]);
            forget(misfit, normals, friction, extra);
        }
        if N > 2 && extras.laid != 0 {
            lot.extras[i].laid = lay(simd, context, extras.laid, normals, friction);
        }
    }
    burden::press(&mut lot.burdens, &lot.normals, context, bodies);
}

/// Which of eight contacts, a bit each, have a body that has turned far in this step, if `any` has.
#[inline(always)]
fn lanes_turned<const N: usize, const C: usize>(
    any: bool,
    context: &SweepContext<'_>,
    normals: &NormalBundle<N, C>,
) -> u8 {
    if any { turned(context, normals) } else { 0 }
}

/// Lets contacts of the lanes `laid`, a bit each, settle down; returns which do not press yet.
///
/// What did not press in this sweep would not in the next, which sees the same speeds.
#[inline(always)]
fn lay<S: Simd, const N: usize, const C: usize>(
    simd: S,
    context: &SweepContext<'_>,
    laid: u8,
    normals: &mut NormalBundle<N, C>,
    friction: &mut FrictionBundle,
) -> u8 {
    let pressed = laid & normals.pressed(simd);
    if pressed == 0 {
        return laid;
    }
    let left = solve::settle_down(simd, context, pressed, normals, friction);
    laid & !pressed | left
}

/// A round of impacts; returns whether there were any.
#[inline(always)]
pub(super) fn bounce<S: Simd, const N: usize, const C: usize>(
    simd: S,
    context: &SweepContext<'_>,
    lot: &mut Lot<N, C>,
) -> bool {
    let any_turned = context.rows.any_turned();
    let mut any = false;
    for (i, (normals, friction)) in lot.normals.iter_mut().zip(&mut lot.frictions).enumerate() {
        let extras = lot.extras[i];
        if extras.bounces {
            let extra = &mut lot.extra_bundles[i];
            let turned = lanes_turned(any_turned, context, normals);
            if turned != 0 {
                let extra = extras.rolls.then_some(&mut *extra);
                let shares = extras.uneven.then(|| &lot.shares[i]);
                lot.extras[i].misfit |= simd.vectorize(
                    #[inline(always)]
                    || weigh_again(simd, context, turned, normals, friction, extra, shares),
                );
            }
            any |= bounce::bounce(simd, context, normals, friction, extra);
        }
    }
    any
}
