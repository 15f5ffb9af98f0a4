//! What joints make of how contacts yield: what drives press together hardly does, and light feet do more.

use drystone_geometry::lanes::{LANES, Lane};

use crate::body::Body;
use crate::contact::bundle::NormalBundle;
use crate::contact::rest::RestLanes;
use crate::contact::solve::SweepContext;
use crate::contact::{footing, squeeze};

/// Of eight contacts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct JointedLanes {
    /// What drives can press with in a sub-step, in N s; see [`squeeze`].
    pub(crate) presses: Lane,
    /// How many times as much of its mean impulse and of tilts a contact forgets; see [`footing`].
    pub(crate) softer: [Lane; 2],
    /// What trees solve.
    pub(crate) rests: RestLanes,
}

impl JointedLanes {
    /// Where no joint makes a difference.
    const NONE: Self = Self {
        presses: Lane::ZERO,
        softer: [Lane([1.0; LANES]); 2],
        rests: RestLanes::NONE,
    };
}

/// Takes down at place `index` what joints make of a bundle; returns whether they make a difference. `own`
/// are the inverse masses of both bodies, in 1/kg.
pub(super) fn note<const N: usize, const C: usize>(
    context: &SweepContext<'_>,
    bodies: &[Body],
    bundle: &NormalBundle<N, C>,
    own: &[Lane; 2],
    index: usize,
    all: &mut Vec<JointedLanes>,
) -> bool {
    if context.jointed.is_empty() {
        return false;
    }
    let lanes = JointedLanes {
        presses: if context.any_press {
            squeeze::presses(context.jointed, bundle)
        } else {
            Lane::ZERO
        },
        softer: footing::softer(context, bodies, bundle, own),
        rests: RestLanes::find(context, bodies, bundle, own),
    };
    if lanes == JointedLanes::NONE {
        return false;
    }
    if all.len() <= index {
        all.resize(index + 1, JointedLanes::NONE);
    }
    all[index] = lanes;
    true
}
