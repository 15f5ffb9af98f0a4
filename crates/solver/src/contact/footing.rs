//! Footings: what stands on light feet gives way further, and so stands still.
//!
//! A contact answers for the mass of the body that it pushes alone, a share `r` of what stands on it when
//! joints hand the load on: a foot of a kilogram under a hundred. It forgets a share `f` of its
//! impulse in a sub-step and removes a share `k` of overlap, and changes speed twice, by some `r` before the
//! movement and after it. Then overlap dies down for every `r` if about `2 f > k` (see
//! [`squeeze`](crate::contact::squeeze)), and else may swing ever wilder as `r` falls. Contacts with what
//! nothing moves have `k = 4.9 f` for the mean and `5.3 f` for tilts, so that what lies on the ground sinks in
//! little: tables trembled on their legs, never slept, and those that bore most came down.
//!
//! So what joints press with more than its own weight against something fixed forgets more, the more the
//! more it bears: a weight on a leg, and what a motor presses on a wall. It forgets less of tilts than of the
//! mean, or what stands on two feet leans; see [`FOOTING_TILT_SHARE`](crate::tolerance::FOOTING_TILT_SHARE).
//! With all of that a foot sinks in by `g h^2` times what it bears over its own mass, `h` being the sub-step,
//! five times as far as others; but it forgets no more than lets it sink in by a share of its size. Wheels that
//! roll bear as ever: the radius on which they do is what a car goes by.
//!
//! What lies on a light limb has the same trouble with tilts alone: between two bodies that are pushed the
//! mean has `k = 1.3 f`, tilts `k = 4.1 f`. A block of lead on an arm that leans on its stops rocked for ever.
//! So there tilts are forgotten more, unless motors press the two together.

use drystone_geometry::lanes::{LANES, Lane};

use crate::body::Body;
use crate::body_rows::{READ_ONLY, slot_of_row};
use crate::contact::bundle::NormalBundle;
use crate::contact::solve::SweepContext;
use crate::tolerance::{
    FOOTING_LOAD_RANGE, FOOTING_SINK_SHARE, FOOTING_SOFTENING, FOOTING_STEADY_TURN,
    FOOTING_TILT_SHARE, LIMB_LOAD_RANGE, LIMB_TILT_SOFTENING,
};

/// How many times as much of the mean impulse each of eight contacts is to forget as one that joints do not
/// load, and how many times as much of tilts. `own` are the inverse masses of both bodies, in 1/kg.
pub(super) fn softer<const N: usize, const C: usize>(
    context: &SweepContext<'_>,
    bodies: &[Body],
    bundle: &NormalBundle<N, C>,
    own: &[Lane; 2],
) -> [Lane; 2] {
    let mut all = [Lane([1.0; LANES]); 2];
    for lane in 0..LANES {
        let rows = [bundle.row_a[lane], bundle.row_b[lane]];
        let masses = [0, 1].map(|side: usize| own[side].0[lane]);
        let (side, is_foot) = match rows.map(|row| row & READ_ONLY != 0) {
            [true, true] => continue,
            [false, false] => (usize::from(masses[1] > masses[0]), false),
            [fixed_a, _] => (usize::from(fixed_a), true),
        };
        let jointed = |row: u32| &context.jointed[slot_of_row(row) as usize];
        let (body, pull) = (slot_of_row(rows[side]) as usize, jointed(rows[side]).pull);
        if pull <= 0.0 {
            continue;
        }
        let mut load = bundle.load_of(lane);
        if !is_foot {
            load -= jointed(rows[0]).press + jointed(rows[1]).press;
        }
        let speed = load.min(pull) * masses[side];
        let ratio = speed / context.weight_speed;
        // False as well where what overflowed is not a number.
        if ratio > 1.0 {
            let rolls = if N > 2 {
                0.0
            } else {
                rolling_share(context, &bodies[body])
            };
            let beyond = (ratio - 1.0) * (1.0 - rolls);
            let [mean, tilt] = if is_foot {
                let sink = speed / context.inverse_h;
                foot(beyond, FOOTING_SINK_SHARE * bodies[body].extent / sink)
            } else {
                let heaviness = 1.0 - masses[1 - side] / masses[side];
                [1.0, limb(beyond, heaviness)]
            };
            (all[0].0[lane], all[1].0[lane]) = (mean, tilt);
        }
    }
    all
}

/// Of something that bears so many times its own weight `beyond` that, on what is fixed; `may` is how far it
/// may sink in over how far it does as ever.
fn foot(beyond: f32, may: f32) -> [f32; 2] {
    let part = (beyond / FOOTING_LOAD_RANGE).min(1.0);
    let more = part * (FOOTING_SOFTENING - 1.0);
    let mean = (1.0 + more).min((may * FOOTING_SOFTENING).max(1.0));
    [mean, 1.0 + FOOTING_TILT_SHARE * (mean - 1.0)]
}

/// Of tilts of something that lies on what bears so many times its own weight `beyond` that. `heaviness` is 0
/// where both are as heavy, and 1 where the limb is nothing beside it.
fn limb(beyond: f32, heaviness: f32) -> f32 {
    let part = (beyond / LIMB_LOAD_RANGE).min(1.0);
    1.0 + part * heaviness * (LIMB_TILT_SOFTENING - 1.0)
}

/// How far a body turns in a sub-step, over what counts as rolling, up to 1; a ratio.
fn rolling_share(context: &SweepContext<'_>, body: &Body) -> f32 {
    let turn = body.angular_velocity.length() / context.inverse_h;
    (turn / FOOTING_STEADY_TURN).min(1.0)
}
