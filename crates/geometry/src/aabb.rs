//! Axis-aligned boxes, local in `f32` and in the world in `f64`.

use glam::{DVec3, Vec3};
use serde::{Deserialize, Serialize};

/// An axis-aligned box in a local frame, in metres. A half-space's box is infinite.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Aabb {
    /// Smallest corner.
    pub min: Vec3,
    /// Largest corner.
    pub max: Vec3,
}

/// An axis-aligned box in the world, in metres. A half-space's box is infinite.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorldAabb {
    /// Smallest corner.
    pub min: DVec3,
    /// Largest corner.
    pub max: DVec3,
}

impl Aabb {
    /// The whole of space.
    pub const INFINITE: Self = Self {
        min: Vec3::NEG_INFINITY,
        max: Vec3::INFINITY,
    };

    /// The smallest box around both.
    pub fn union(&self, other: &Self) -> Self {
        Self {
            min: self.min.min(other.min),
            max: self.max.max(other.max),
        }
    }

    /// The middle of a finite box.
    pub fn center(&self) -> Vec3 {
        0.5 * (self.min + self.max)
    }

    /// Half the edge lengths of a finite box.
    pub fn half_extents(&self) -> Vec3 {
        0.5 * (self.max - self.min)
    }
}

impl WorldAabb {
    /// The whole of space.
    pub const INFINITE: Self = Self {
        min: DVec3::NEG_INFINITY,
        max: DVec3::INFINITY,
    };

    /// Whether the boxes share a point; touching counts.
    pub fn overlaps(&self, other: &Self) -> bool {
        self.min.cmple(other.max).all() && other.min.cmple(self.max).all()
    }

    /// Whether `other` lies inside, borders included.
    #[inline]
    pub fn contains(&self, other: &Self) -> bool {
        self.min.cmple(other.min).all() && other.max.cmple(self.max).all()
    }

    /// The smallest box around both.
    pub fn union(&self, other: &Self) -> Self {
        Self {
            min: self.min.min(other.min),
            max: self.max.max(other.max),
        }
    }

    /// The box grown by `margin` metres on every side.
    #[inline]
    pub fn inflate(&self, margin: f64) -> Self {
        Self {
            min: self.min - DVec3::splat(margin),
            max: self.max + DVec3::splat(margin),
        }
    }

    /// Whether no bound is NaN and `min <= max`. Infinite bounds are valid.
    pub fn is_valid(&self) -> bool {
        self.min.cmple(self.max).all()
    }
}
