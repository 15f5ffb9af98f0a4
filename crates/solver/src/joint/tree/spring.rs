//! Springs of eight joints, as the two ways to solve them need them.

use drystone_geometry::lanes::Lane;

use crate::joint::JointSpring;
use crate::softness::{CoupledSpring, Spring};

/// A spring of eight joints.
#[derive(Clone, Copy, Debug)]
pub(super) struct SpringLanes {
    /// Error rate, speed scale and impulse scale; see [`Spring`].
    pub(super) rates: [Lane; 3],
    /// Give and error rate where it is solved with what is locked; see [`CoupledSpring`].
    pub(super) coupled: [Lane; 2],
    /// 1 where sub-steps cannot follow it, and it is solved again after the movement, else 0.
    pub(super) is_stiff: Lane,
    /// Of an axis: place it pulls to, in metres or radians.
    pub(super) target: Lane,
    /// Of an axis: most impulse in a sub-step.
    pub(super) most: Lane,
}

impl SpringLanes {
    pub(super) const NONE: Self = Self {
        rates: [Lane::ZERO; 3],
        coupled: [Lane::ZERO; 2],
        is_stiff: Lane::ZERO,
        target: Lane::ZERO,
        most: Lane::ZERO,
    };

    /// Puts a spring that pulls to `target` into a lane; returns whether it is stiff in sub-steps of `h` s.
    pub(super) fn set(&mut self, lane: usize, spring: JointSpring, target: f32, h: f32) -> bool {
        let drawn = Spring::new(spring.hertz, spring.damping_ratio, h);
        self.rates[0].0[lane] = drawn.error_rate;
        self.rates[1].0[lane] = drawn.speed_scale;
        self.rates[2].0[lane] = drawn.impulse_scale;
        let coupled = CoupledSpring::new(spring.hertz, spring.damping_ratio, h);
        self.coupled[0].0[lane] = coupled.give;
        self.coupled[1].0[lane] = coupled.error_rate;
        self.is_stiff.0[lane] = if drawn.is_stiff { 1.0 } else { 0.0 };
        self.target.0[lane] = target;
        self.most.0[lane] = spring.max_effort.map_or(f32::MAX, |most| most * h);
        drawn.is_stiff
    }
}
