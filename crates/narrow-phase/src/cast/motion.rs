//! How a shape moves during a cast.

use drystone_geometry::glam::{DMat3, DVec3};
use drystone_geometry::{Frame, Shape};

/// A steady motion over the time from 0 to 1: a point of the shape moves along a line while the
/// shape turns around it about a fixed axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motion {
    /// Pose at time 0. Its rotation must be orthonormal.
    pub start: Frame,
    /// The point that the shape turns around, in the shape's frame, in metres: for a body its
    /// centre of mass.
    pub center: DVec3,
    /// How far `center` moves until time 1, in the frame that `start` maps to, in metres.
    pub linear: DVec3,
    /// Axis times angle of the turn until time 1, in the frame that `start` maps to, in radians.
    pub angular: DVec3,
}

impl Motion {
    /// No motion.
    pub const fn still(start: Frame) -> Self {
        Self::shift(start, DVec3::ZERO)
    }

    /// A motion by `linear` metres without a turn.
    pub const fn shift(start: Frame, linear: DVec3) -> Self {
        Self {
            start,
            center: DVec3::ZERO,
            linear,
            angular: DVec3::ZERO,
        }
    }

    /// The pose at a time.
    pub fn at(&self, time: f64) -> Frame {
        if self.angular == DVec3::ZERO {
            return Frame {
                translation: self.start.translation + time * self.linear,
                ..self.start
            };
        }
        let rotation = turn(time * self.angular) * self.start.rotation;
        let center = self.start.transform_point(self.center) + time * self.linear;
        Frame {
            rotation,
            translation: center - rotation * self.center,
        }
    }

    /// How fast a point of the shape can move along the unit `normal` by turning, in metres per
    /// unit of time: the distance from the centre times the part of the turn across the normal.
    pub(super) fn turning(&self, shape: &Shape, normal: DVec3) -> f64 {
        let across = normal.cross(self.angular).length();
        if across > 0.0 {
            across * self.reach(shape)
        } else {
            0.0
        }
    }

    /// Largest distance of a point of the shape from the centre, in metres.
    pub(super) fn reach(&self, shape: &Shape) -> f64 {
        let center = self.center.as_vec3();
        // What storing the centre in `f32` takes away.
        let moved = (self.center - center.as_dvec3()).length();
        f64::from(shape.extent_from(center)) + moved
    }
}

/// The rotation about `vector` by its length.
///
/// Rodrigues' formula; near no turn at all the quotients are those of their series.
fn turn(vector: DVec3) -> DMat3 {
    let angle = vector.length();
    let (sin, half) = (libm::sin(angle), libm::sin(0.5 * angle));
    let (first, second) = if angle > 0.0 {
        (sin / angle, 2.0 * half * half / (angle * angle))
    } else {
        (1.0, 0.5)
    };
    let cross = DMat3::from_cols(
        DVec3::new(0.0, vector.z, -vector.y),
        DVec3::new(-vector.z, 0.0, vector.x),
        DVec3::new(vector.y, -vector.x, 0.0),
    );
    DMat3::IDENTITY + cross * first + cross * cross * second
}
