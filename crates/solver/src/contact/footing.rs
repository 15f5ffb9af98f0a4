//! Footings: what stands on light feet gives way further, and so stands still.
//!
//! A contact answers for the mass of the body that it pushes alone, a share `r` of what stands on it when
//! joints hand the load on: a foot of a kilogram under a hundred. It forgets a share `f` of its
//! impulse in a sub-step and removes a share `k` of overlap, and changes speed twice, by some `r` before the
//! movement and after it. Then overlap dies down for every `r` only if `2 f > k` (see
//! [`squeeze`](crate::contact::squeeze)), and else swings ever wilder as `r` falls. Contacts with what
//! nothing moves have `k = 4.9 f` for the mean and `5.3 f` for tilts, so that what lies on the ground sinks in
//! little: tables trembled on their legs, never slept, and those that bore most came down.
//!
//! So what joints load with more than its own weight forgets more where it stands on something fixed, the
//! more the more it bears. A foot sinks in by `g h^2` times what it bears over its own mass, `h` being the
//! sub-step.

use drystone_geometry::lanes::Lane;

use crate::body_rows::{READ_ONLY, slot_of_row};
use crate::contact::bundle::NormalBundle;
use crate::contact::solve::SweepContext;
use crate::tolerance::{FOOTING_LOAD_RANGE, FOOTING_SOFTENING};

/// How many times as much of its impulse each of eight contacts is to forget as one that joints do not
/// load. `own` are the inverse masses of both bodies, in 1/kg.
pub(super) fn softer<const N: usize, const C: usize>(
    context: &SweepContext<'_>,
    bundle: &NormalBundle<N, C>,
    own: &[Lane; 2],
) -> Lane {
    Lane(std::array::from_fn(|lane| {
        let rows = [bundle.row_a[lane], bundle.row_b[lane]];
        let [fixed_a, fixed_b] = rows.map(|row| row & READ_ONLY != 0);
        if fixed_a == fixed_b {
            return 1.0;
        }
        let side = usize::from(fixed_a);
        let pull = context.jointed[slot_of_row(rows[side]) as usize].pull;
        let load = bundle.load_of(lane).min(pull);
        let beyond = load * own[side].0[lane] / context.weight_speed - 1.0;
        // Nor where what overflowed is not a number.
        if beyond > 0.0 {
            1.0 + (beyond / FOOTING_LOAD_RANGE).min(1.0) * (FOOTING_SOFTENING - 1.0)
        } else {
            1.0
        }
    }))
}
