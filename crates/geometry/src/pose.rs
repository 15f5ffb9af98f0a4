//! Poses: rotation, then translation. One type for each precision the engine uses.

use glam::{DMat3, DQuat, DVec3, Quat, Vec3};
use serde::{Deserialize, Serialize};

use crate::rotation;

/// A local pose in `f32`: maps a child's frame to its parent's.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pose {
    /// Unit quaternion.
    pub rotation: Quat,
    /// Child origin in the parent's frame, in metres.
    pub translation: Vec3,
}

impl Pose {
    /// The pose of a child whose frame is its parent's.
    pub const IDENTITY: Self = Self {
        rotation: Quat::IDENTITY,
        translation: Vec3::ZERO,
    };

    /// A pose that only moves.
    pub const fn from_translation(translation: Vec3) -> Self {
        Self {
            rotation: Quat::IDENTITY,
            translation,
        }
    }

    /// A pose that only turns.
    pub const fn from_rotation(rotation: Quat) -> Self {
        Self {
            rotation,
            translation: Vec3::ZERO,
        }
    }

    /// A point of the child's frame, in the parent's frame.
    #[inline]
    pub fn transform_point(&self, point: Vec3) -> Vec3 {
        rotation::rotate(self.rotation, point) + self.translation
    }

    /// A point of the parent's frame, in the child's frame.
    pub fn inverse_transform_point(&self, point: Vec3) -> Vec3 {
        rotation::rotate_inverse(self.rotation, point - self.translation)
    }

    /// The pose of `child` (given in this pose's frame) in this pose's parent.
    pub fn then(&self, child: &Self) -> Self {
        Self {
            rotation: rotation::normalize(rotation::multiply(self.rotation, child.rotation)),
            translation: self.transform_point(child.translation),
        }
    }

    /// The parent's frame seen from the child.
    ///
    /// ```
    /// use drystone_geometry::glam::Vec3;
    /// use drystone_geometry::{Pose, rotation};
    ///
    /// let rotation = rotation::from_axis_angle(Vec3::Z, 0.5 * std::f32::consts::PI);
    /// let pose = Pose { rotation, translation: Vec3::X };
    /// let inverse = pose.inverse();
    /// assert!(inverse.translation.abs_diff_eq(Vec3::Y, 1e-6));
    /// assert!(pose.then(&inverse).translation.length() < 1e-6);
    /// ```
    pub fn inverse(&self) -> Self {
        let rotation = rotation::conjugate(self.rotation);
        Self {
            rotation,
            translation: rotation::rotate(rotation, -self.translation),
        }
    }

    /// The same pose in `f64`.
    pub fn to_double(&self) -> DPose {
        DPose {
            rotation: rotation::to_double(self.rotation),
            translation: self.translation.as_dvec3(),
        }
    }

    /// Whether every component is finite.
    pub fn is_finite(&self) -> bool {
        self.rotation.is_finite() && self.translation.is_finite()
    }
}

/// A pose in `f64`, for standalone queries.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct DPose {
    /// Unit quaternion.
    pub rotation: DQuat,
    /// Child origin in the parent's frame, in metres.
    pub translation: DVec3,
}

impl DPose {
    /// The pose of a child whose frame is its parent's.
    pub const IDENTITY: Self = Self {
        rotation: DQuat::IDENTITY,
        translation: DVec3::ZERO,
    };

    /// A pose that only moves.
    pub const fn from_translation(translation: DVec3) -> Self {
        Self {
            rotation: DQuat::IDENTITY,
            translation,
        }
    }

    /// The pose as a matrix and a translation, which is what queries compute with.
    #[inline]
    pub fn to_frame(&self) -> Frame {
        Frame {
            rotation: rotation::to_dmatrix(self.rotation),
            translation: self.translation,
        }
    }

    /// `b` seen from `a`, both given in the same parent.
    pub fn relative(a: &Self, b: &Self) -> Frame {
        Frame::relative(&a.to_frame(), &b.to_frame())
    }
}

/// A pose in `f64` as a rotation matrix and a translation: the working form of the
/// narrow phase.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Frame {
    /// Orthonormal, determinant 1.
    pub rotation: DMat3,
    /// Child origin in the parent's frame, in metres.
    pub translation: DVec3,
}

impl Frame {
    /// The frame of a child that is its parent's.
    pub const IDENTITY: Self = Self {
        rotation: DMat3::IDENTITY,
        translation: DVec3::ZERO,
    };

    /// A point of the child's frame, in the parent's frame.
    #[inline(always)]
    pub fn transform_point(&self, point: DVec3) -> DVec3 {
        self.rotation * point + self.translation
    }

    /// A point of the parent's frame, in the child's frame.
    #[inline(always)]
    pub fn inverse_transform_point(&self, point: DVec3) -> DVec3 {
        self.inverse_rotate(point - self.translation)
    }

    /// A direction of the child's frame, in the parent's frame.
    #[inline(always)]
    pub fn rotate(&self, direction: DVec3) -> DVec3 {
        self.rotation * direction
    }

    /// A direction of the parent's frame, in the child's frame.
    #[inline(always)]
    pub fn inverse_rotate(&self, direction: DVec3) -> DVec3 {
        DVec3::new(
            self.rotation.x_axis.dot(direction),
            self.rotation.y_axis.dot(direction),
            self.rotation.z_axis.dot(direction),
        )
    }

    /// The parent's frame seen from the child.
    #[inline]
    pub fn inverse(&self) -> Self {
        let rotation = self.rotation.transpose();
        Self {
            rotation,
            translation: -(rotation * self.translation),
        }
    }

    /// The frame of `child` (given in this frame) in this frame's parent.
    #[inline]
    pub fn then(&self, child: &Self) -> Self {
        Self {
            rotation: self.rotation * child.rotation,
            translation: self.transform_point(child.translation),
        }
    }

    /// `b` seen from `a`, both given in the same parent. The translations are
    /// subtracted first, so a common motion changes nothing beyond rounding.
    #[inline]
    pub fn relative(a: &Self, b: &Self) -> Self {
        Self {
            rotation: DMat3::from_cols(
                a.inverse_rotate(b.rotation.x_axis),
                a.inverse_rotate(b.rotation.y_axis),
                a.inverse_rotate(b.rotation.z_axis),
            ),
            translation: a.inverse_rotate(b.translation - a.translation),
        }
    }
}

/// A body's pose in the world: position in `f64`, rotation in `f32`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorldPose {
    /// Unit quaternion.
    pub rotation: Quat,
    /// Origin of the body's frame in the world, in metres.
    pub position: DVec3,
}

impl WorldPose {
    /// The world's own frame.
    pub const IDENTITY: Self = Self {
        rotation: Quat::IDENTITY,
        position: DVec3::ZERO,
    };

    /// A pose that only moves.
    pub const fn from_position(position: DVec3) -> Self {
        Self {
            rotation: Quat::IDENTITY,
            position,
        }
    }

    /// A point of the body's frame, in the world.
    #[inline(always)]
    pub fn transform_point(&self, point: Vec3) -> DVec3 {
        self.position + rotation::rotate(self.rotation, point).as_dvec3()
    }

    /// A point of the world, in the body's frame.
    pub fn inverse_transform_point(&self, point: DVec3) -> Vec3 {
        rotation::rotate_inverse(self.rotation, (point - self.position).as_vec3())
    }

    /// The pose of `child` (given in this pose's frame) in the world.
    pub fn then(&self, child: &Pose) -> Self {
        Self {
            rotation: rotation::normalize(rotation::multiply(self.rotation, child.rotation)),
            position: self.transform_point(child.translation),
        }
    }

    /// The pose of `other`, given in the world, in this pose's frame, as joints want it.
    ///
    /// ```
    /// use drystone_geometry::WorldPose;
    /// use drystone_geometry::glam::{DVec3, Vec3};
    ///
    /// let door = WorldPose::from_position(DVec3::new(2.0, 1.0, 0.0));
    /// let hinge = WorldPose::from_position(DVec3::new(1.5, 1.0, 0.0));
    /// assert_eq!(door.local(&hinge).translation, Vec3::new(-0.5, 0.0, 0.0));
    /// ```
    pub fn local(&self, other: &Self) -> Pose {
        let turn = rotation::conjugate(self.rotation);
        Pose {
            rotation: rotation::normalize(rotation::multiply(turn, other.rotation)),
            translation: self.inverse_transform_point(other.position),
        }
    }

    /// The pose as a matrix and a translation in `f64`.
    #[inline]
    pub fn to_frame(&self) -> Frame {
        Frame {
            rotation: rotation::to_dmatrix(rotation::to_double(self.rotation)),
            translation: self.position,
        }
    }

    /// Whether every component is finite.
    pub fn is_finite(&self) -> bool {
        self.rotation.is_finite() && self.position.is_finite()
    }
}
