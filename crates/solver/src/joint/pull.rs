//! Pulls: light links between heavy ends are as hard to turn as the pull on them asks for, at once.
//!
//! What each step begins with is the pull of the last, see [`begin`](crate::integrate::begin). But a
//! slack chain that is jerked taut bears thousands of times more from one sub-step to the next, and
//! its links would swing ever wilder until the step is over. So every joint tells in each sub-step
//! what it pulls with where that is much for its bodies, and these are harder to turn from the next
//! sub-step on.
//!
//! Of 1,080 chains of 5 to 20 links of 100 g, of 10 and 50 cm, that a ball of 1 to 100 kg jerks taut at
//! up to 20 m/s, 241 came to more than 102 % of their energy, up to 3,400 times of it; with this 22, up
//! to 1.4 times, and with what [`closing`](crate::joint::tree) takes back one.

use drystone_geometry::glam::Vec3;
use drystone_geometry::lanes::{LANES, Vec3x8, f32x8, max};
use fearless_simd::prelude::*;

use crate::body_rows::{BodyRows, READ_ONLY};
use crate::tolerance::FELT_SWING_SHARE;

/// One side of eight joints.
#[derive(Clone, Copy)]
pub(super) struct Ends<'a, S: Simd> {
    pub(super) rows: &'a [u32; LANES],
    /// From the centres to the anchors, in metres.
    pub(super) arm: Vec3x8<S>,
    /// Inverse inertias xx, yy, zz in world axes.
    pub(super) inverse_inertia: Vec3x8<S>,
}

/// Tells the bodies on one side what eight joints pull at them with, each by an `impulse` in a
/// sub-step of `h` seconds, where that is much for them.
#[inline(always)]
pub(super) fn feel<S: Simd>(rows: &BodyRows, h: f32, impulse: Vec3x8<S>, ends: Ends<'_, S>) {
    let pull_sq = impulse.length_sq() * ends.arm.length_sq();
    let Vec3x8 { x, y, z } = ends.inverse_inertia;
    let easiest = max(x, max(y, z));
    let share = f32x8::splat(pull_sq.simd, FELT_SWING_SHARE / h);
    let much = (pull_sq * easiest * easiest).simd_gt(share * share);
    if much.any_true() {
        let mut pulls = [0.0; LANES];
        pull_sq.sqrt().store_array(&mut pulls);
        add_some(rows, ends.rows, &pulls, much.to_bitmask() as u8);
    }
}

#[cold]
#[inline(never)]
fn add_some(rows: &BodyRows, bodies: &[u32; LANES], pulls: &[f32; LANES], bits: u8) {
    for (lane, (&row, &pull)) in bodies.iter().zip(pulls).enumerate() {
        if bits >> lane & 1 == 1 {
            add(rows, row, pull);
        }
    }
}

/// The joints of one colour, and trees, share no body that they push, so every sum is added up by one
/// worker, in one order.
fn add(rows: &BodyRows, row: u32, pull: f32) {
    if row & READ_ONLY == 0 {
        rows.pulls.ask_more(row, pull);
    }
}

/// The same of one joint and body, `inverse_inertia` being xx, yy, zz in world axes.
pub(super) fn feel_one(
    rows: &BodyRows,
    h: f32,
    impulse: Vec3,
    (row, arm, inverse_inertia): (u32, Vec3, Vec3),
) {
    let pull = impulse.length() * arm.length();
    if h * pull * inverse_inertia.max_element() > FELT_SWING_SHARE {
        add(rows, row, pull);
    }
}
