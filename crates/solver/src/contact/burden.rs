//! Burdens: what is light and carries something heavy is solved as heavier than it is.
//!
//! A sweep passes on a load in shares of the ratio of masses: a tonne on a kilogram needs a
//! thousand sweeps to be heard by the ground, and its contact is as soft as one of a kilogram.
//! But the impulse between the two says what the light body carries. For the next step it
//! then counts as a share of that mass, its moments of inertia in proportion, while its weight
//! and all forces stay what they are: at rest nothing differs but how soon they balance.
//!
//! Only what presses with more than twice a body's own mass burdens it, up to its own mass, so
//! nothing grows by itself. Passed on further down, from one light body that counts as heavy
//! to the next, burdens made pyramids of light cubes under heavy ones fall over. Free impacts,
//! which leave no load behind, and stacks of equals are solved as ever.
//! What joints pull at is left as it is too.
//!
//! A cube of 1 kg under one of 10 kg to 100 tonnes is pressed in by 1.2 mm at four sub-steps;
//! without burdens, under 1 tonne by 138 mm.

use drystone_geometry::lanes::{LANES, Lane, f32x8};
use fearless_simd::prelude::*;

use crate::body_rows::slot_of_row;
use crate::contact::bundle::NormalBundle;
use crate::contact::points::sum;
use crate::contact::solve::SweepContext;
use crate::tolerance::BURDEN_MASS_RATIO;

/// A slot, and the mass in kg its body counts as in the next step if it has less.
pub(crate) type Burden = (u32, f32);

/// Notes the burdens of eight contacts whose impulses are those of the step before.
///
/// `own` are the inverse masses of both bodies, in 1/kg; those in their rows may be raised.
#[inline(always)]
pub(super) fn note<S: Simd, const N: usize, const C: usize>(
    simd: S,
    context: &SweepContext<'_>,
    own: &[Lane; 2],
    bundle: &NormalBundle<N, C>,
    found: &mut Vec<Burden>,
) {
    let zero = f32x8::splat(simd, 0.0);
    let [a, b] = [own[0].load(simd), own[1].load(simd)];
    let ratio = f32x8::splat(simd, BURDEN_MASS_RATIO);
    let light_a = b.simd_gt(zero) & a.simd_gt(ratio * b);
    let light_b = a.simd_gt(zero) & b.simd_gt(ratio * a);
    if (light_a | light_b).any_true() {
        let mut impulses = [zero; N];
        for (impulse, point) in impulses.iter_mut().zip(&bundle.points) {
            *impulse = point.impulse.load(simd);
        }
        let carried = sum(impulses) * f32x8::splat(simd, context.burden);
        let mut burdens = [Lane::ZERO; 2];
        burdens[0].store(light_a.select(carried, zero));
        burdens[1].store(light_b.select(carried, zero));
        collect([&bundle.row_a, &bundle.row_b], &burdens, own, found);
    }
}

#[cold]
#[inline(never)]
fn collect(
    rows: [&[u32; LANES]; 2],
    burdens: &[Lane; 2],
    own: &[Lane; 2],
    found: &mut Vec<Burden>,
) {
    for side in 0..2 {
        for (lane, row) in rows[side].iter().enumerate() {
            let burden = burdens[side].0[lane];
            if burden * own[side].0[lane] > 1.0 {
                let most = 1.0 / own[1 - side].0[lane];
                found.push((slot_of_row(*row), burden.min(most)));
            }
        }
    }
}
