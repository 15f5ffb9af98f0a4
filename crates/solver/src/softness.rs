//! Soft constraints: a damped spring written as three numbers of a velocity constraint.

use crate::tolerance::{ALTERNATING_SHARE, LEAST_SPRING_DAMPING, SPRING_LAG};

/// How a constraint is relaxed: with `m` its effective mass, `C` its error, `v` its rate and
/// `lambda` its impulse so far, an iteration applies
/// `-m mass_scale (v + bias_rate C) - impulse_scale lambda`.
///
/// Catto, *Soft Constraints* (GDC 2011) and *Solver2D* (2024).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Softness {
    /// In 1/s.
    pub bias_rate: f32,
    /// A ratio.
    pub mass_scale: f32,
    /// A ratio.
    pub impulse_scale: f32,
}

impl Softness {
    /// Holds the velocity alone, rigidly.
    pub const RIGID: Self = Self {
        bias_rate: 0.0,
        mass_scale: 1.0,
        impulse_scale: 0.0,
    };

    /// A spring of `hertz` Hz and `damping_ratio`, integrated implicitly over steps of `h` s.
    /// Stable for any `hertz >= 0`. `hertz` or `h` of zero gives [`Self::RIGID`].
    pub fn new(hertz: f32, damping_ratio: f32, h: f32) -> Self {
        let omega = 2.0 * std::f32::consts::PI * hertz;
        if omega * h <= 0.0 {
            return Self::RIGID;
        }
        let a1 = 2.0 * damping_ratio + h * omega;
        let a2 = h * omega * a1;
        let a3 = 1.0 / (1.0 + a2);
        Self {
            bias_rate: omega / a1,
            mass_scale: a2 * a3,
            impulse_scale: a3,
        }
    }

    /// The same spring, removing the error `ratio` times as fast.
    pub fn pushing(self, ratio: f32) -> Self {
        Self {
            bias_rate: ratio * self.bias_rate,
            ..self
        }
    }

    /// The same spring, for what is solved by itself and yet holds, through other joints, far more than
    /// its own two bodies: it changes velocities by `mass_scale` times what these alone need.
    ///
    /// Of the true mass it sees a share `r`, so its impulse, kept from sub-step to sub-step, lags behind.
    /// In a sub-step `h` it corrects speed by `r mass_scale` before the movement and by `r` after it, and
    /// error by `r k`, with `k` the stiffness, and forgets `f` of its impulse. Where what changes in a
    /// sub-step is little, by the criterion of Routh, the error dies down for every `r`, and does not
    /// grow into an oscillation, if `(mass_scale + 1) f > k`; for a spring of angular frequency `w` that
    /// is `mass_scale + 1 > (w h)^2`. With the sub-steps as they are somewhat less will do.
    pub(crate) fn over_relaxed(self, mass_scale: f32) -> Self {
        Self {
            bias_rate: self.bias_rate * self.mass_scale / mass_scale,
            mass_scale,
            ..self
        }
    }
}

/// A spring whose own motion counts, and not a constraint that is to be rigid: an iteration applies
/// `-m (speed_scale v + error_rate C) - impulse_scale lambda`.
///
/// Where sub-steps resolve the motion it is solved once in each, before the movement. Without damping
/// that is the kick of the spring alone, whatever else holds the bodies, and with the movement after it
/// the symplectic Euler rule, which over a period neither gains nor loses. Damping divides speed
/// and kick by `(1 + zeta omega h)^2`: the decay of a period is right to second order, and what is
/// critically damped does not overshoot. A stiffer one is a [`Softness`] in every sweep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Spring {
    /// A ratio.
    pub(crate) speed_scale: f32,
    /// In 1/s.
    pub(crate) error_rate: f32,
    /// A ratio.
    pub(crate) impulse_scale: f32,
    /// Whether it is solved again after the movement.
    pub(crate) is_stiff: bool,
}

impl Spring {
    /// Of `hertz` Hz and `damping_ratio`, over sub-steps of `h` s.
    pub(crate) fn new(hertz: f32, damping_ratio: f32, h: f32) -> Self {
        let angle = 2.0 * std::f32::consts::PI * hertz * h;
        let sq = angle * angle;
        let lag = sq * (1.0 + 0.5 * damping_ratio * angle);
        if angle <= 0.0 || lag > SPRING_LAG {
            return Softness::new(hertz, damping_ratio, h).into();
        }
        let damping = 2.0 * damping_ratio * angle + (damping_ratio * damping_ratio).min(1.0) * sq;
        let kept = 1.0 / (1.0 + damping);
        Self {
            speed_scale: damping * kept,
            error_rate: kept * sq / h,
            impulse_scale: kept,
            is_stiff: false,
        }
    }
}

/// A stiff spring that is solved at once with all that hangs on what it holds, so that it knows how slow
/// that makes it: of the impulse it gives way to `give` of what the bodies alone do, and of its error it
/// removes `error_rate`, before the movement.
///
/// With `a` the angle that two bodies alone swing in a sub-step and `zeta` their damping ratio the damping
/// is `2 zeta a`, and more where that is too little for a sub-step: below critical damping by
/// `(zeta a)^2`, as in [`Spring`]; up to `a^2 + 2 a`, so that what is overdamped does not overshoot; and
/// at least `2/3 a^2 - 1`, with which what swings fastest, links of a chain that turn alternately and give
/// way twice as much as two alone, goes on to and fro with half of its speed at most from one sub-step to
/// the next. What swings slower, as an arm does, keeps most of its energy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct CoupledSpring {
    /// A ratio.
    pub(crate) give: f32,
    /// In 1/s.
    pub(crate) error_rate: f32,
}

impl CoupledSpring {
    /// Of `hertz` Hz and `damping_ratio`, over sub-steps of `h` s.
    pub(crate) fn new(hertz: f32, damping_ratio: f32, h: f32) -> Self {
        // No square or product of these overflows.
        let [hertz, damping_ratio, h] = [hertz, damping_ratio, h].map(f64::from);
        let angle = 2.0 * std::f64::consts::PI * hertz * h;
        let sq = angle * angle;
        let damping = 2.0 * damping_ratio * angle;
        let damping = if damping_ratio < 1.0 {
            damping + damping_ratio * damping_ratio * sq
        } else {
            damping.max(sq + 2.0 * angle)
        };
        let least = (ALTERNATING_SHARE * sq - 1.0).max(LEAST_SPRING_DAMPING);
        let damping = damping.max(least);
        Self {
            give: (1.0 / damping) as f32,
            error_rate: (sq / (h * damping)) as f32,
        }
    }
}

impl From<Softness> for Spring {
    fn from(softness: Softness) -> Self {
        Self {
            speed_scale: softness.mass_scale,
            error_rate: softness.mass_scale * softness.bias_rate,
            impulse_scale: softness.impulse_scale,
            is_stiff: true,
        }
    }
}
