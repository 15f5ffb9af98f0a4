//! A rigid motion of the plane: where one shape stands, seen from another.

use glam::DVec2;
use serde::{Deserialize, Serialize};

/// A rotation followed by a translation; maps local to parent.
///
/// `rotation` is the unit vector (cos, sin) of the angle, counter-clockwise. Queries
/// assert its length in debug builds; [`Pose2::new`] makes a valid one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pose2 {
    /// Position of the local origin in the parent, in metres.
    pub translation: DVec2,
    /// (cos, sin) of the angle.
    pub rotation: DVec2,
}

impl Default for Pose2 {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl Pose2 {
    /// Local and parent coordinates are the same.
    pub const IDENTITY: Self = Self {
        translation: DVec2::ZERO,
        rotation: DVec2::X,
    };

    /// A pose from a translation in metres and an angle in radians, counter-clockwise.
    pub fn new(translation: DVec2, angle: f64) -> Self {
        let (sin, cos) = libm::sincos(angle);
        Self {
            translation,
            rotation: DVec2::new(cos, sin),
        }
    }

    /// A pose without rotation.
    pub const fn from_translation(translation: DVec2) -> Self {
        Self {
            translation,
            rotation: DVec2::X,
        }
    }

    /// A local direction in the parent's frame.
    pub fn rotate(&self, v: DVec2) -> DVec2 {
        let r = self.rotation;
        DVec2::new(r.x * v.x - r.y * v.y, r.y * v.x + r.x * v.y)
    }

    /// A parent direction in the local frame.
    pub fn unrotate(&self, v: DVec2) -> DVec2 {
        let r = self.rotation;
        DVec2::new(r.x * v.x + r.y * v.y, r.x * v.y - r.y * v.x)
    }

    /// A local point in the parent's frame.
    pub fn transform(&self, point: DVec2) -> DVec2 {
        self.rotate(point) + self.translation
    }

    /// A parent point in the local frame.
    pub fn untransform(&self, point: DVec2) -> DVec2 {
        self.unrotate(point - self.translation)
    }

    /// The pose that undoes this one: the parent seen from the local frame.
    pub fn inverse(&self) -> Self {
        Self {
            translation: -self.unrotate(self.translation),
            rotation: DVec2::new(self.rotation.x, -self.rotation.y),
        }
    }

    /// `self` after `inner`: maps what `inner` takes as local to the parent of `self`.
    pub fn compose(&self, inner: &Self) -> Self {
        Self {
            translation: self.transform(inner.translation),
            rotation: self.rotate(inner.rotation),
        }
    }

    /// The pose of `other` seen from `self`, both given in the same parent.
    pub fn relative(&self, other: &Self) -> Self {
        Self {
            translation: self.untransform(other.translation),
            rotation: self.unrotate(other.rotation),
        }
    }

    /// Whether every number is finite and the rotation has length one to rounding.
    pub fn is_valid(&self) -> bool {
        self.translation.is_finite()
            && (self.rotation.length_squared() - 1.0).abs() < 100.0 * crate::tolerance::ROUNDING
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A pose, its inverse and a chain of both on one point. Known by hand: a quarter
    /// turn takes +X to +Y, and a pose after its inverse changes nothing.
    #[test]
    fn poses_compose_and_invert() {
        let pose = Pose2::new(DVec2::new(3.0, -2.0), std::f64::consts::FRAC_PI_2);
        let point = DVec2::new(1.5, 0.25);

        assert!(
            pose.transform(DVec2::X)
                .abs_diff_eq(DVec2::new(3.0, -1.0), 1e-15)
        );
        assert!(
            pose.inverse()
                .compose(&pose)
                .transform(point)
                .abs_diff_eq(point, 1e-15)
        );
        assert!(
            pose.untransform(pose.transform(point))
                .abs_diff_eq(point, 1e-15)
        );
        let other = Pose2::new(DVec2::new(-1.0, 7.0), -0.7);
        let through = pose.compose(&pose.relative(&other));
        assert!(
            through
                .transform(point)
                .abs_diff_eq(other.transform(point), 1e-14)
        );
        assert!(pose.is_valid());
    }
}
