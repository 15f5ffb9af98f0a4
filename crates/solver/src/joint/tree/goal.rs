//! What passes over trees are to reach.

use fearless_simd::prelude::*;

use crate::joint::prepared::JointContext;
use crate::joint::tree::TreeLot;
use crate::joint::tree::drive::Turns;
use crate::joint::tree::rest::RestAim;
use crate::joint::tree::turn::Pace;
use crate::softness::Softness;
use crate::tolerance::{LIMIT_SWEEPS, REST_BIAS_RATIO, TREE_BIAS_RATIO};

/// What passes over a lot are to reach.
#[derive(Clone, Copy)]
pub(super) struct Goal<S: Simd> {
    pub(super) pace: Pace<S>,
    /// Most passes; a count.
    pub(super) passes: u32,
    pub(super) bias_rate: f32,
    /// As in [`Aim`].
    pub(super) is_ahead: bool,
    pub(super) hold: Softness,
    /// Whether what turns some joint may come to the end of its torque.
    pub(super) has_drives: bool,
    pub(super) turns: Turns,
    pub(super) rests: RestAim,
    pub(super) is_soft: bool,
}

impl<S: Simd> Goal<S> {
    /// One pass that also removes position errors.
    #[inline(always)]
    pub(super) fn biased(simd: S, context: &JointContext<'_>, lot: &TreeLot) -> Self {
        let (bias_rate, hold, stops) = if lot.is_soft {
            let softness = context.alone(lot.is_net);
            (softness.bias_rate, softness, softness)
        } else {
            let rate = TREE_BIAS_RATIO / context.h;
            (rate, Softness::RIGID, context.stops)
        };
        Self {
            pace: Pace::new(simd, context.h, stops, true),
            passes: 1,
            bias_rate,
            is_ahead: lot.is_foreseen,
            hold,
            has_drives: lot.has_drives,
            turns: Turns::AsTold,
            rests: RestAim::Biased {
                rate: REST_BIAS_RATIO / context.h,
                inverse_h: 1.0 / context.h,
                fastest: context.max_push_speed,
            },
            is_soft: lot.is_soft,
        }
    }

    /// What is left to do over the velocities alone, after the movement.
    #[inline(always)]
    pub(super) fn relaxed(simd: S, context: &JointContext<'_>, lot: &TreeLot) -> Self {
        Self {
            pace: Pace::new(simd, context.h, Softness::RIGID, false),
            passes: if lot.has_limits { LIMIT_SWEEPS } else { 1 },
            bias_rate: 0.0,
            is_ahead: false,
            hold: Softness::RIGID,
            has_drives: lot.has_drives,
            turns: Turns::Again,
            rests: RestAim::Relaxed {
                inverse_h: 1.0 / context.h,
            },
            is_soft: lot.is_soft,
        }
    }
}
