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
//! which leave no load behind, and stacks of equals are solved as ever. A load counts from the step
//! after the one in which it came: two steps after, what fell on something a tenth as heavy had come
//! up again by a fifth of its fall, as each sub-step starts from impulses that had grown too large.
//! What joints pull at is left as it is too.
//!
//! A cube of 1 kg under one of 10 kg to 100 tonnes is pressed in by 1.2 mm at four sub-steps;
//! without burdens, under 1 tonne by 138 mm.

use drystone_geometry::lanes::{LANES, Lane, f32x8};
use fearless_simd::prelude::*;

use crate::body_rows::slot_of_row;
use crate::contact::bundle::{NormalBundle, lanes_of};
use crate::tolerance::BURDEN_MASS_RATIO;

/// A contact in which a light body may carry a heavy one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Burden {
    /// The contact's bundle in its lot.
    bundle: u32,
    /// Its lane there.
    lane: u32,
    /// Slot of the light body.
    pub(crate) slot: u32,
    /// Mass of the heavy one, in kg.
    most: f32,
}

impl Burden {
    /// The mass in kg that the light body counts as in the next step, if it has less: `scale` for
    /// each N s with which the last sub-step pressed on it.
    pub(crate) fn mass<const N: usize, const C: usize>(
        &self,
        normals: &[NormalBundle<N, C>],
        scale: f32,
    ) -> f32 {
        let points = &normals[self.bundle as usize].points;
        let at = |i: usize| points[i].impulse.0[self.lane as usize];
        // As `points::sum` does, in an order that keeps what is symmetric so.
        let load = match N {
            1 => at(0),
            2 => at(0) + at(1),
            _ => (at(0) + at(2)) + (at(1) + at(3)),
        };
        // What overflowed is not what to start from.
        if load.is_finite() {
            (scale * load).min(self.most)
        } else {
            0.0
        }
    }
}

/// Lists those of eight contacts in which one body is light beside the other.
///
/// `own` are the inverse masses of both bodies, in 1/kg; those in their rows may be raised.
#[inline(always)]
pub(super) fn list<S: Simd, const N: usize, const C: usize>(
    simd: S,
    own: &[Lane; 2],
    bundle: &NormalBundle<N, C>,
    index: usize,
    found: &mut Vec<Burden>,
) {
    let zero = f32x8::splat(simd, 0.0);
    let [a, b] = [own[0].load(simd), own[1].load(simd)];
    let ratio = f32x8::splat(simd, BURDEN_MASS_RATIO);
    let light_a = b.simd_gt(zero) & a.simd_gt(ratio * b);
    let light_b = a.simd_gt(zero) & b.simd_gt(ratio * a);
    if (light_a | light_b).any_true() {
        let light = [light_a, light_b].map(|light| light.to_bitmask() as u8);
        collect([&bundle.row_a, &bundle.row_b], light, own, index, found);
    }
}

#[cold]
#[inline(never)]
fn collect(
    rows: [&[u32; LANES]; 2],
    light: [u8; 2],
    own: &[Lane; 2],
    index: usize,
    found: &mut Vec<Burden>,
) {
    for side in 0..2 {
        for lane in lanes_of(light[side]) {
            found.push(Burden {
                bundle: index as u32,
                lane: lane as u32,
                slot: slot_of_row(rows[side][lane]),
                most: 1.0 / own[1 - side].0[lane],
            });
        }
    }
}
