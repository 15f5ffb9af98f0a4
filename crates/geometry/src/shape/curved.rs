//! Cylinder, cone and ellipsoid: how far they reach, in closed form.
//!
//! A cylinder has the faces 0 (bottom), 1 (top) and 2 (side) and the edges 0 (bottom rim)
//! and 1 (top rim); a cone the face 0 (base), the face 1 (side), the edge 0 (rim) and the
//! vertex 0 (apex); an ellipsoid the face 0.

use glam::{DVec3, Vec3};

use crate::Feature;

/// A solid with curved faces around the origin, in `f64` metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Curved {
    /// Along Y.
    Cylinder {
        /// Half the length.
        half_height: f64,
        /// Of the caps.
        radius: f64,
    },
    /// The apex on Y at `half_height`, the base at `-half_height`.
    Cone {
        /// Half the height.
        half_height: f64,
        /// Of the base.
        radius: f64,
    },
    /// Semi-axes along X, Y and Z.
    Ellipsoid(DVec3),
}

impl Curved {
    /// A cylinder along Y.
    pub fn cylinder(half_height: f32, radius: f32) -> Self {
        Self::Cylinder {
            half_height: f64::from(half_height),
            radius: f64::from(radius),
        }
    }

    /// A cone along Y.
    pub fn cone(half_height: f32, radius: f32) -> Self {
        Self::Cone {
            half_height: f64::from(half_height),
            radius: f64::from(radius),
        }
    }

    /// An ellipsoid.
    pub fn ellipsoid(semi_axes: Vec3) -> Self {
        Self::Ellipsoid(semi_axes.as_dvec3())
    }

    /// The point farthest along `direction`, of any length. In a tie, a point in the middle
    /// of the tied cap or, along Y, the bottom.
    #[inline]
    pub fn support(&self, direction: DVec3) -> DVec3 {
        match *self {
            Self::Cylinder {
                half_height,
                radius,
            } => {
                let y = if direction.y > 0.0 {
                    half_height
                } else {
                    -half_height
                };
                rim(direction, radius, y)
            }
            Self::Cone {
                half_height,
                radius,
            } => {
                let across = direction.x.leg(direction.z);
                if 2.0 * half_height * direction.y > radius * across {
                    DVec3::new(0.0, half_height, 0.0)
                } else {
                    rim(direction, radius, -half_height)
                }
            }
            Self::Ellipsoid(semi_axes) => {
                // Scaled first, so that squares of tiny directions do not vanish.
                let size = direction.abs().max_element();
                if size <= 0.0 {
                    return DVec3::new(0.0, semi_axes.y, 0.0);
                }
                let stretched = semi_axes * (direction / size);
                semi_axes * stretched / stretched.length()
            }
        }
    }

    /// The lowest feature that is farthest along the unit `direction`, where faces and lines
    /// count as farthest when they fall off by less than the sine `level`.
    pub fn feature(&self, direction: DVec3, level: f64) -> Feature {
        match *self {
            Self::Cylinder { .. } => {
                let across = direction.x.leg(direction.z);
                if across <= level {
                    Feature::face(u32::from(direction.y > 0.0))
                } else if direction.y.abs() <= level {
                    Feature::face(2)
                } else {
                    Feature::edge(u32::from(direction.y > 0.0))
                }
            }
            Self::Cone {
                half_height,
                radius,
            } => {
                let across = direction.x.leg(direction.z);
                let slant = (4.0 * half_height * half_height + radius * radius).sqrt();
                let rise = (2.0 * half_height * direction.y - radius * across) / slant;
                if across <= level && direction.y < 0.0 {
                    Feature::face(0)
                } else if rise.abs() <= level {
                    Feature::face(1)
                } else if rise > 0.0 {
                    Feature::vertex(0)
                } else {
                    Feature::edge(0)
                }
            }
            Self::Ellipsoid(_) => Feature::face(0),
        }
    }

    /// Reach along the unit `axis`, seen from outside through the columns of a rotation:
    /// `axis` in the solid's frame.
    #[inline]
    pub fn reach(&self, axis: DVec3) -> f64 {
        match *self {
            Self::Cylinder {
                half_height,
                radius,
            } => axis.y.abs() * half_height + radius * axis.x.leg(axis.z),
            Self::Cone {
                half_height,
                radius,
            } => {
                let across = radius * axis.x.leg(axis.z);
                (axis.y * half_height).max(across - axis.y * half_height)
            }
            Self::Ellipsoid(semi_axes) => (semi_axes * axis).length(),
        }
    }

    /// Largest distance of a point of the solid from `center`, or for ellipsoids a bound of
    /// it that is exact around the origin, in metres.
    pub fn extent_from(&self, center: DVec3) -> f64 {
        let across = center.x.leg(center.z);
        match *self {
            Self::Cylinder {
                half_height,
                radius,
            } => (across + radius).leg(center.y.abs() + half_height),
            Self::Cone {
                half_height,
                radius,
            } => {
                let base = (across + radius).leg(center.y + half_height);
                base.max(across.leg(center.y - half_height))
            }
            Self::Ellipsoid(semi_axes) => semi_axes.max_element() + center.length(),
        }
    }

    /// Radius of the largest ball inside, in metres.
    pub fn inner_radius(&self) -> f64 {
        match *self {
            Self::Cylinder {
                half_height,
                radius,
            } => half_height.min(radius),
            Self::Cone {
                half_height,
                radius,
            } => {
                let height = 2.0 * half_height;
                radius * height / (radius + radius.leg(height))
            }
            Self::Ellipsoid(semi_axes) => semi_axes.min_element(),
        }
    }

    /// Radius of the rims, in metres; zero where there are none.
    pub fn rim_radius(&self) -> f64 {
        match *self {
            Self::Cylinder { radius, .. } | Self::Cone { radius, .. } => radius,
            Self::Ellipsoid(_) => 0.0,
        }
    }

    /// The centre of volume, an interior point.
    pub fn center(&self) -> DVec3 {
        match *self {
            Self::Cone { half_height, .. } => DVec3::new(0.0, -0.5 * half_height, 0.0),
            _ => DVec3::ZERO,
        }
    }

    /// The semi-axes or radii and half heights, for putting solids in an order.
    pub fn sizes(&self) -> [f64; 3] {
        match *self {
            Self::Cylinder {
                half_height,
                radius,
            }
            | Self::Cone {
                half_height,
                radius,
            } => [half_height, radius, 0.0],
            Self::Ellipsoid(semi_axes) => semi_axes.to_array(),
        }
    }
}

/// The point of a circle around Y farthest along `direction`; its centre when that is Y.
#[inline]
fn rim(direction: DVec3, radius: f64, y: f64) -> DVec3 {
    let across = direction.x.leg(direction.z);
    if across > 0.0 {
        DVec3::new(
            radius * (direction.x / across),
            y,
            radius * (direction.z / across),
        )
    } else {
        DVec3::new(0.0, y, 0.0)
    }
}

/// The length of two legs by multiplication and square root alone, which round the same way
/// on every platform.
trait Legs {
    fn leg(self, other: Self) -> Self;
}

impl Legs for f64 {
    #[inline]
    fn leg(self, other: f64) -> f64 {
        (self * self + other * other).sqrt()
    }
}
