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

use drystone_geometry::lanes::{LANES, Lane};

use crate::body::Body;
use crate::body_rows::{READ_ONLY, slot_of_row};
use crate::contact::bundle::NormalBundle;
use crate::contact::solve::SweepContext;
use crate::tolerance::{
    FOOTING_LOAD_RANGE, FOOTING_SINK_SHARE, FOOTING_SOFTENING, FOOTING_STEADY_TURN,
};

/// How many times as much of its impulse each of eight contacts is to forget as one that joints do not
/// load. `own` are the inverse masses of both bodies, in 1/kg.
pub(super) fn softer<const N: usize, const C: usize>(
    context: &SweepContext<'_>,
    bodies: &[Body],
    bundle: &NormalBundle<N, C>,
    own: &[Lane; 2],
) -> Lane {
    let mut all = Lane([1.0; LANES]);
    for (lane, softer) in all.0.iter_mut().enumerate() {
        let rows = [bundle.row_a[lane], bundle.row_b[lane]];
        let [fixed_a, fixed_b] = rows.map(|row| row & READ_ONLY != 0);
        if fixed_a == fixed_b {
            continue;
        }
        let side = usize::from(fixed_a);
        let slot = slot_of_row(rows[side]) as usize;
        let pull = context.jointed[slot].pull;
        if pull <= 0.0 {
            continue;
        }
        let speed = bundle.load_of(lane).min(pull) * own[side].0[lane];
        let ratio = speed / context.weight_speed;
        // False as well where what overflowed is not a number.
        if ratio > 1.0 {
            let part = ((ratio - 1.0) / FOOTING_LOAD_RANGE).min(1.0);
            let sink = speed / context.inverse_h;
            let may = FOOTING_SINK_SHARE * bodies[slot].extent / sink;
            let rolls = if N > 2 {
                0.0
            } else {
                rolling_share(context, &bodies[slot])
            };
            let more = part * (1.0 - rolls) * (FOOTING_SOFTENING - 1.0);
            *softer = (1.0 + more).min((may * FOOTING_SOFTENING).max(1.0));
        }
    }
    all
}

/// How far a body turns in a sub-step, over what counts as rolling, up to 1; a ratio.
fn rolling_share(context: &SweepContext<'_>, body: &Body) -> f32 {
    let turn = body.angular_velocity.length() / context.inverse_h;
    (turn / FOOTING_STEADY_TURN).min(1.0)
}
