//! Materials: what a surface does, and what two of them do together.

use drystone_geometry::glam::Vec3;
use serde::{Deserialize, Serialize};

/// How a surface rubs, bounces and weighs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Material {
    /// Coulomb coefficient, at least 0. A pair takes the geometric mean, unless
    /// `friction_rule` says otherwise.
    pub friction: f32,
    /// Bounce, 0 to 1: ratio of speeds after and before. A pair takes the larger, unless
    /// `restitution_rule` says otherwise.
    pub restitution: f32,
    /// Resistance to rolling, a ratio of the shape's radius, at least 0. A pair takes the larger.
    pub rolling_resistance: f32,
    /// Mass per volume, in kg/m^3, at least 0.
    pub density: f32,
    /// Velocity of the surface over its shape, in the shape's frame, in m/s: a conveyor belt
    /// moves, its body does not. Only the part along a contact counts.
    pub surface_velocity: Vec3,
    /// How friction combines with that of another surface.
    pub friction_rule: Option<CombineRule>,
    /// How restitution combines with that of another surface.
    pub restitution_rule: Option<CombineRule>,
}

impl Default for Material {
    fn default() -> Self {
        Self {
            friction: 0.6,
            restitution: 0.0,
            rolling_resistance: 0.0,
            density: 1000.0,
            surface_velocity: Vec3::ZERO,
            friction_rule: None,
            restitution_rule: None,
        }
    }
}

/// How a pair of surfaces makes one number of two.
///
/// When only one surface has a rule, it holds. When both have, the one that stands later here
/// does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum CombineRule {
    /// `(a + b) / 2`.
    Average,
    /// `sqrt(a b)`.
    GeometricMean,
    /// The smaller.
    Minimum,
    /// `a b`.
    Multiply,
    /// The larger.
    Maximum,
}

impl CombineRule {
    /// What two numbers, at least 0, make.
    pub fn combine(self, a: f32, b: f32) -> f32 {
        match self {
            Self::Average => 0.5 * a + 0.5 * b,
            Self::GeometricMean => (a * b).sqrt(),
            Self::Minimum => a.min(b),
            Self::Multiply => a * b,
            Self::Maximum => a.max(b),
        }
    }

    /// The rule of a pair.
    fn of(a: Option<Self>, b: Option<Self>, usual: Self) -> Self {
        a.max(b).unwrap_or(usual)
    }
}

impl Material {
    /// Friction between two surfaces, a ratio.
    pub fn friction_with(&self, other: &Self) -> f32 {
        let usual = CombineRule::GeometricMean;
        CombineRule::of(self.friction_rule, other.friction_rule, usual)
            .combine(self.friction, other.friction)
    }

    /// Restitution between two surfaces, a ratio.
    pub fn restitution_with(&self, other: &Self) -> f32 {
        let usual = CombineRule::Maximum;
        CombineRule::of(self.restitution_rule, other.restitution_rule, usual)
            .combine(self.restitution, other.restitution)
            .min(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Surfaces of friction 0.2 and 0.8 under every rule, on either side, by hand; and the
    /// later of two rules.
    #[test]
    fn the_later_rule_of_a_pair_combines_it() {
        let rough = |friction, friction_rule| Material {
            friction,
            friction_rule,
            ..Material::default()
        };
        let cases = [
            (None, None, 0.4),
            (Some(CombineRule::Average), None, 0.5),
            (Some(CombineRule::GeometricMean), None, 0.4),
            (Some(CombineRule::Minimum), None, 0.2),
            (Some(CombineRule::Multiply), None, 0.16),
            (Some(CombineRule::Maximum), None, 0.8),
            (
                Some(CombineRule::Minimum),
                Some(CombineRule::Multiply),
                0.16,
            ),
            (Some(CombineRule::Average), Some(CombineRule::Minimum), 0.2),
        ];
        for (one, other, expected) in cases {
            let (a, b) = (rough(0.2, one), rough(0.8, other));
            assert!(
                (a.friction_with(&b) - expected).abs() < 1e-6,
                "{one:?} {other:?}"
            );
            assert!(
                (b.friction_with(&a) - expected).abs() < 1e-6,
                "{one:?} {other:?}"
            );
            assert_eq!(a.restitution_with(&b), 0.0);
        }
    }
}
