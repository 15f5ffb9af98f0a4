//! Burdens: what is light and carries something heavy is solved as heavier than it is.
//!
//! A sweep passes on a load in shares of the ratio of masses: a tonne on a kilogram needs a
//! thousand sweeps to be heard by the ground, and its contact is as soft as one of a kilogram.
//! But the impulse between the two says what the light body carries. From the next sub-step on it
//! then counts as a share of that mass, its moments of inertia in proportion, while its weight
//! and all forces stay what they are: at rest nothing differs but how soon they balance.
//!
//! Only what presses with more than twice a body's own mass burdens it, up to its own mass, so
//! nothing grows by itself. Passed on further down, from one light body that counts as heavy
//! to the next, burdens made pyramids of light cubes under heavy ones fall over. Stacks of equals
//! are solved as ever.
//!
//! Impacts need it most. Each sub-step starts from the impulses of the one before, which
//! accelerates light bodies under heavy ones like a weight on a spring: what fell on something a
//! tenth as heavy came up again by a fifth of its fall where burdens began two steps after the
//! impact, and at sixteen sub-steps by up to two fifths where they began with the next step. But what
//! is free to move must keep its own mass, or momentum is lost: in a row of six blocks that a block
//! five times as heavy hits, 16 %. So a load counts only if it lasts for two sub-steps and the
//! body is held: it has gained little of the speed that the load alone would give it.
//!
//! What joints pull at keeps its own mass too.
//!
//! A cube of 1 kg under one of 10 kg to 100 tonnes is pressed in by 1.2 mm at four sub-steps;
//! without burdens, under 1 tonne by 138 mm.

use drystone_geometry::lanes::{Lane, f32x8};
use fearless_simd::prelude::*;

use crate::body::Body;
use crate::body_rows::slot_of_row;
use crate::contact::bundle::{NormalBundle, lanes_of};
use crate::contact::solve::SweepContext;
use crate::tolerance::{BURDEN_MASS_RATIO, HELD_SHARE};

/// A contact in which a light body may carry a heavy one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Burden {
    /// The contact's bundle in its lot.
    bundle: u32,
    /// Its lane there.
    lane: u32,
    /// Row of the light body.
    row: u32,
    /// Which side of the contact it is: 1 for B, which the normal points to, -1 for A.
    side: f32,
    /// Mass of the heavy one, in kg.
    most: f32,
    /// What pressed in the sub-step before, in N s.
    before: f32,
}

/// Tells the light bodies of a lot's contacts what presses on them.
///
/// What does not do so for two sub-steps is no load, nor what a body moves off with: `bodies` have
/// the velocities of the beginning of the step.
pub(crate) fn press<const N: usize, const C: usize>(
    burdens: &mut [Burden],
    normals: &[NormalBundle<N, C>],
    context: &SweepContext<'_>,
    bodies: &[Body],
) {
    let (rows, scale) = (context.rows, context.burden_per_impulse);
    for burden in burdens {
        let (bundle, lane) = (&normals[burden.bundle as usize], burden.lane as usize);
        let load = bundle.load_of(lane);
        let lasting = load.min(burden.before);
        burden.before = load;
        let body = &bodies[slot_of_row(burden.row) as usize];
        let (velocity, _) = rows.velocity(burden.row);
        let gained = burden.side * bundle.normal.get(lane).dot(velocity - body.linear_velocity);
        let is_held = gained <= HELD_SHARE * lasting * body.inverse_mass;
        // What overflowed is not what to start from.
        if is_held && lasting.is_finite() && lasting > 0.0 {
            rows.burdens
                .ask(burden.row, (scale * lasting).min(burden.most));
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
        collect(bundle, light, own, index, found);
    }
}

#[cold]
#[inline(never)]
fn collect<const N: usize, const C: usize>(
    bundle: &NormalBundle<N, C>,
    light: [u8; 2],
    own: &[Lane; 2],
    index: usize,
    found: &mut Vec<Burden>,
) {
    for (side, rows) in [&bundle.row_a, &bundle.row_b].into_iter().enumerate() {
        for lane in lanes_of(light[side]) {
            found.push(Burden {
                bundle: index as u32,
                lane: lane as u32,
                row: rows[lane],
                side: if side == 0 { -1.0 } else { 1.0 },
                most: 1.0 / own[1 - side].0[lane],
                before: bundle.load_of(lane),
            });
        }
    }
}
