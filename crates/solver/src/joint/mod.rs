//! Joints: what holds two bodies together.

mod ball;
pub(crate) mod chain;
mod distance;
mod hinge;
mod pair;
pub(crate) mod plan;
pub(crate) mod point;
mod prepared;
mod weld;

pub(crate) use prepared::{JointContext, PreparedJoint};

use core::fmt;

use drystone_geometry::Pose;
use drystone_geometry::glam::Vec3;
use serde::{Deserialize, Serialize};

/// Range of an angle, in radians: of a hinge's, about Z of frame A from its X to B's X, or of
/// a ball's twist.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct AngleLimit {
    /// Least angle, from -pi.
    pub lower: f32,
    /// Greatest angle, up to pi, not below `lower`.
    pub upper: f32,
}

/// Drives a joint at a speed with a bounded torque.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct JointMotor {
    /// Of B relative to A, in rad/s.
    pub speed: f32,
    /// Most torque it uses, in N m, at least 0.
    pub max_torque: f32,
}

/// A damped spring. Its stiffness follows from its frequency and the masses it moves.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct JointSpring {
    /// Frequency of the undamped oscillation, in Hz, above 0.
    pub hertz: f32,
    /// Damping, a ratio; 1 just does not oscillate.
    pub damping_ratio: f32,
    /// Angle a hinge's spring turns to, in radians; other springs do not use it.
    pub target: f32,
}

/// What a joint holds, with its settings. Frames are those of [`Joint`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum JointKind {
    /// The frames' origins coincide.
    Ball {
        /// Most torque that resists turning, in N m.
        friction_torque: f32,
        /// Turns the frames towards each other.
        spring: Option<JointSpring>,
        /// Greatest angle between the Z axes of the frames, in radians, from 0 to pi.
        cone: Option<f32>,
        /// Range of the twist: the angle about Z that is left when B's Z is swung onto A's
        /// the shortest way.
        twist: Option<AngleLimit>,
    },
    /// The frames' origins coincide and so do their Z axes.
    Hinge {
        /// Range of the angle.
        limit: Option<AngleLimit>,
        /// Drives the angle.
        motor: Option<JointMotor>,
        /// Turns to the spring's target angle.
        spring: Option<JointSpring>,
    },
    /// The frames coincide.
    Weld {
        /// Gives way in translation; rigid without it.
        linear: Option<JointSpring>,
        /// Gives way in rotation; rigid without it.
        angular: Option<JointSpring>,
    },
    /// The frames' origins keep a distance: a rope when `min` is 0, a rod when `min` is `max`.
    Distance {
        /// Least distance, in metres, at least 0.
        min: f32,
        /// Greatest distance, in metres, not below `min`.
        max: f32,
        /// Length of the spring at rest, in metres; `max` without it.
        rest: Option<f32>,
        /// Acts between `min` and `max`.
        spring: Option<JointSpring>,
    },
    /// Nothing is held. The joint only connects two bodies that are not to touch.
    NoContact,
}

/// Why a joint's settings cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum JointError {
    /// A number is NaN or infinite, or a rotation has no length.
    NotFinite,
    /// A lower bound lies above its upper bound, or an angle outside -pi to pi.
    EmptyRange,
    /// A torque, a length, a frequency or a damping ratio below its least value.
    Negative,
}

impl fmt::Display for JointError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotFinite => "a joint's numbers must be finite",
            Self::EmptyRange => {
                "a joint's lower bound must not exceed its upper one, and angles lie in -pi..pi"
            }
            Self::Negative => {
                "a joint's torques, lengths and damping ratios must be at least 0, its frequencies above 0"
            }
        })
    }
}

impl std::error::Error for JointError {}

impl JointKind {
    /// A ball joint that turns freely.
    pub const BALL: Self = Self::Ball {
        friction_torque: 0.0,
        spring: None,
        cone: None,
        twist: None,
    };

    /// Whether all it does is hold two points together.
    pub(crate) fn is_point(&self) -> bool {
        *self == Self::BALL
    }

    /// Whether every number is finite and in its range.
    pub fn check(&self) -> Result<(), JointError> {
        match *self {
            Self::Ball {
                friction_torque,
                spring,
                cone,
                twist,
            } => {
                at_least_zero(friction_torque)?;
                if let Some(cone) = cone {
                    at_least_zero(cone)?;
                    ordered(cone, std::f32::consts::PI)?;
                }
                check_range(twist)?;
                check_spring(spring)
            }
            Self::Hinge {
                limit,
                motor,
                spring,
            } => {
                check_range(limit)?;
                if let Some(JointMotor { speed, max_torque }) = motor {
                    finite(speed)?;
                    at_least_zero(max_torque)?;
                }
                check_spring(spring)
            }
            Self::Weld { linear, angular } => {
                check_spring(linear)?;
                check_spring(angular)
            }
            Self::Distance {
                min,
                max,
                rest,
                spring,
            } => {
                at_least_zero(min)?;
                ordered(min, max)?;
                rest.map_or(Ok(()), at_least_zero)?;
                check_spring(spring)
            }
            Self::NoContact => Ok(()),
        }
    }
}

fn finite(value: f32) -> Result<(), JointError> {
    if value.is_finite() {
        Ok(())
    } else {
        Err(JointError::NotFinite)
    }
}

fn at_least_zero(value: f32) -> Result<(), JointError> {
    finite(value)?;
    if value >= 0.0 {
        Ok(())
    } else {
        Err(JointError::Negative)
    }
}

fn ordered(lower: f32, upper: f32) -> Result<(), JointError> {
    finite(lower)?;
    finite(upper)?;
    if lower <= upper {
        Ok(())
    } else {
        Err(JointError::EmptyRange)
    }
}

fn check_range(limit: Option<AngleLimit>) -> Result<(), JointError> {
    let Some(AngleLimit { lower, upper }) = limit else {
        return Ok(());
    };
    ordered(lower, upper)?;
    if lower < -std::f32::consts::PI || upper > std::f32::consts::PI {
        return Err(JointError::EmptyRange);
    }
    Ok(())
}

fn check_spring(spring: Option<JointSpring>) -> Result<(), JointError> {
    let Some(JointSpring {
        hertz,
        damping_ratio,
        target,
    }) = spring
    else {
        return Ok(());
    };
    finite(target)?;
    at_least_zero(damping_ratio)?;
    at_least_zero(hertz)?;
    if hertz > 0.0 {
        Ok(())
    } else {
        Err(JointError::Negative)
    }
}

/// A joint between two bodies, with the impulses it starts the next step from.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Joint {
    /// What is held.
    pub kind: JointKind,
    /// World index of the first body.
    pub body_a: u32,
    /// World index of the second body.
    pub body_b: u32,
    /// The joint's frame from A's centre of mass (a static body: from its
    /// [`StaticPose::center`](crate::StaticPose)), in A's own axes.
    pub frame_a: Pose,
    /// The joint's frame on B, likewise.
    pub frame_b: Pose,
    /// What it did in the last sub-step.
    pub impulses: JointImpulses,
}

/// Impulses of one sub-step, on B; A gets the opposite. Divided by the length of a sub-step
/// they are the joint's forces and torques.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct JointImpulses {
    /// At the anchor, in world axes, in N s.
    pub linear: Vec3,
    /// Of the locked rotations, in world axes, in N m s.
    pub angular: Vec3,
    /// Of a spring in rotation, in world axes, in N m s.
    pub spring: Vec3,
    /// Of the friction of a ball, in world axes, in N m s.
    pub friction: Vec3,
    /// Of a hinge's motor, about its axis, in N m s.
    pub motor: f32,
    /// Of a hinge's spring, about its axis, in N m s, or of a distance's, along its line, in N s.
    pub axial_spring: f32,
    /// Of a rod, along its line, in N s; positive pushes apart. Of a ball's cone, at least 0,
    /// in N m s.
    pub axial: f32,
    /// Of the lower limit, at least 0, in N m s or N s.
    pub lower: f32,
    /// Of the upper limit, at least 0, in N m s or N s.
    pub upper: f32,
}

impl JointImpulses {
    /// Whether no impulse overflowed.
    pub(crate) fn is_finite(&self) -> bool {
        let vectors = [self.linear, self.angular, self.spring, self.friction];
        let about_axis = [
            self.motor,
            self.axial_spring,
            self.axial,
            self.lower,
            self.upper,
        ];
        vectors.iter().all(|v| v.is_finite()) && about_axis.iter().all(|v| v.is_finite())
    }
}

impl Joint {
    /// A joint that has not acted yet.
    pub fn new(kind: JointKind, body_a: u32, body_b: u32, frame_a: Pose, frame_b: Pose) -> Self {
        Self {
            kind,
            body_a,
            body_b,
            frame_a,
            frame_b,
            impulses: JointImpulses::default(),
        }
    }
}
