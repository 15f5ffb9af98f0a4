//! Squeezes: what a motor or a servo presses with is not forgotten.
//!
//! Contacts are springs as stiff as the bodies they hold are heavy, and forget a share of their impulse
//! in every sub-step. That is right for weights, of which no body bears many. But a gripper presses
//! what weighs half a kilogram with a hundred newtons: its fingers sank in by two centimetres, and strong
//! ones lost it. So of what drives press with, contacts forget no more than that share of the
//! weight of the heavier body.
//!
//! Loads that joints pass on are forgotten like others. A sweep answers for the mass of the body
//! that it pushes alone, and what sub-steps forget damps all that hangs on it: with `r` the mass of the
//! contact over that of what moves with it, overlap changes as `s^3 + (f/h) s^2 + (2 r/h^2) s + r b/h^2 = 0`
//! says, `f` being the share forgotten and `b` the rate at which overlap is removed, and that is
//! stable for `f > b h / 2` alone (Routh 1877). Were all that joints hold held hard, a loaded table
//! would tremble on its legs; see [`footing`](crate::contact::footing).
//!
//! Nor is what is pressed against something that nothing pushes by a body that joints hold, for the same
//! reason. Without gravity there is no weight to go by, and contacts yield as ever.
//!
//! What a torque presses with depends on the lever. The body's extent stands for it, so a force at its far
//! end counts twice.

use drystone_geometry::lanes::{Lane, f32x8, max, min};
use fearless_simd::prelude::*;

use crate::body_rows::{READ_ONLY, STATIC_ROW, slot_of_row};
use crate::contact::bundle::NormalBundle;
use crate::contact::solve::{Pair, SweepContext};
use crate::joint::jointed::JointedLoad;

/// What drives can press the pairs of a bundle together with in a sub-step, in N s, given what joints
/// do to the bodies by slot.
pub(super) fn presses<const N: usize, const C: usize>(
    jointed: &[JointedLoad],
    bundle: &NormalBundle<N, C>,
) -> Lane {
    let press = |row: u32| match row {
        STATIC_ROW => 0.0,
        row => jointed[slot_of_row(row) as usize].press,
    };
    Lane(std::array::from_fn(|lane| {
        let [a, b] = [bundle.row_a[lane], bundle.row_b[lane]];
        let is_fixed = |row| row & READ_ONLY != 0;
        let [on_a, on_b] = [a, b].map(press);
        if is_fixed(a) && on_b > 0.0 || is_fixed(b) && on_a > 0.0 {
            0.0
        } else {
            on_a + on_b
        }
    }))
}

/// How much of their softness counts for eight contacts that press with `load`, in N s, of which drives
/// may do as much as `presses`, in N s; a ratio.
#[inline(always)]
pub(super) fn softness_share<S: Simd>(
    simd: S,
    context: &SweepContext<'_>,
    presses: &Lane,
    pair: &Pair<S>,
    load: f32x8<S>,
) -> f32x8<S> {
    let n = pair.normal;
    let [a, b] = [&pair.a, &pair.b].map(|body| body.inverse_mass.mul_components(n).dot(n));
    let zero = f32x8::splat(simd, 0.0);
    let both = a.simd_gt(zero) & b.simd_gt(zero);
    let heavier = both.select(min(a, b), max(a, b));
    let weight = f32x8::splat(simd, context.weight_speed) / heavier;
    let rest = max(load - presses.load(simd), weight);
    min(rest / load, f32x8::splat(simd, 1.0))
}
