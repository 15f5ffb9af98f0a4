//! Soft constraints: a damped spring written as three numbers of a velocity constraint.

use crate::tolerance::SPRING_LAG;

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
