//! Soft constraints: a damped spring written as three numbers of a velocity constraint.

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
