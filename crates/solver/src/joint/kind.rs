//! What joints hold: kinds and their settings.

use core::fmt;
use std::f32::consts::{FRAC_PI_2, PI};

use serde::{Deserialize, Serialize};

/// Range of an angle, in radians from -pi to pi, or of a distance, in metres.
///
/// Equal bounds lock what they bound. An angle may go all round where the range is a whole turn.
///
/// Stops of hinges, sliders, wheels and six axes know what hangs on them, where motors do (see [`JointMotor`]); cones
/// and twist limits of balls know their two bodies alone.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct JointLimit {
    /// Least value.
    pub lower: f32,
    /// Greatest value, not below `lower`.
    pub upper: f32,
}

/// Drives a joint at a speed with a bounded torque or force.
///
/// Motors on an axis without a spring know what hangs on them as far as it is joined by balls, hinges, rigid welds,
/// sliders, wheels and six axes, and so do joints: an arm, a gantry or a delta robot that they hold does not sink.
/// Loops may be part of it as long as the joints that close them lock no more than 48 directions, three of a
/// ball, five of a hinge. Beyond that, as in a net, of a hinge that has to close a loop of nothing but such hinges, and
/// where several joints hold the same two bodies, they know these alone, and take up a load by and by. What is held at several places gives
/// way a little for good: a motor at rest creeps there, by a hundred thousandth of the speed that what it does in a
/// sub-step would give its two bodies alone.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct JointMotor {
    /// Of B relative to A, in rad/s or m/s.
    pub speed: f32,
    /// Most torque or force it uses, in N m or N, at least 0.
    pub max_effort: f32,
}

/// A damped spring. Its stiffness follows from its frequency and the masses it moves, so that any
/// `hertz` is stable.
///
/// With `m = 1 / (1 / m_a + 1 / m_b)`, where what is not dynamic adds nothing, and `w = 2 pi hertz`,
/// the stiffness is `m w^2`, in N/m, and the damping `2 damping_ratio m w`, in N s/m; `m` is less
/// where an anchor lies aside of a centre of mass. About an axis the moments of inertia about the
/// centres of mass stand for the masses, wherever the anchors are. So the lighter body decides, and
/// what else hangs on it is not seen: a load `F` moves the spring by `F / (m w^2)`, and an arm of
/// several links needs more `hertz` than one. [`JointSpring::from_stiffness`] takes stiffness and
/// damping instead, and the `m` that `World::joint_mass` tells.
///
/// With a target it is a servo: it moves the joint there and holds it.
///
/// Springs that move faster than sub-steps can follow are solved with all that hangs on them, where motors are (see
/// [`JointMotor`]): an arm that they hold sinks by what their stiffness says, and stays there. Those of welds that give
/// way in translation are not.
///
/// Springs about one axis turn back in proportion to the angle, those of balls and welds to twice the sine
/// of half of it: a tenth less at a quarter turn, and about two thirds at half a turn.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct JointSpring {
    /// Frequency of the undamped oscillation, in Hz, above 0.
    pub hertz: f32,
    /// Damping, a ratio; 1 just does not oscillate.
    pub damping_ratio: f32,
    /// Angle in radians or place in metres it moves to, on joints with an axis; others do not
    /// use it. Of an angle whole turns do not count: it goes there the shorter way.
    pub target: f32,
    /// Most torque or force it uses on joints with an axis, in N m or N, at least 0; any
    /// without it.
    pub max_effort: Option<f32>,
}

/// What acts along or about one axis. Nothing set: the axis is free.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct JointAxis {
    /// Range of the place or the angle.
    pub limit: Option<JointLimit>,
    /// Drives it at a speed.
    pub motor: Option<JointMotor>,
    /// Moves it to a place or an angle.
    pub spring: Option<JointSpring>,
}

/// A wheel on its suspension.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WheelSettings {
    /// Spring and stops of the suspension, along Y of frame A, in metres. The `hertz` of the spring is
    /// that of the wheel against the chassis: see [`JointSpring`].
    pub suspension: JointAxis,
    /// Turns the axle about Y of frame A, in radians; straight ahead without it.
    pub steering: Option<JointAxis>,
    /// Drives the wheel about its axle.
    pub motor: Option<JointMotor>,
}

/// Six axes, each as it is set.
///
/// The angles are those of three rings in each other: `angular[0]` turns about X of frame A,
/// `angular[1]` about Y as the first has turned it, `angular[2]` about Z of frame B. The middle
/// one only means something within a quarter turn either way, so the axis that turns farthest
/// should be X or Z.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SixDofSettings {
    /// Along X, Y and Z of frame A.
    pub linear: [JointAxis; 3],
    /// About X, Y and Z.
    pub angular: [JointAxis; 3],
}

/// What a joint holds, with its settings. Frames are those of [`Joint`](super::Joint).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
        twist: Option<JointLimit>,
    },
    /// The frames' origins coincide and so do their Z axes.
    Hinge {
        /// Range of the angle about Z of frame A from its X to B's X.
        limit: Option<JointLimit>,
        /// Drives the angle.
        motor: Option<JointMotor>,
        /// Turns to the spring's target angle.
        spring: Option<JointSpring>,
    },
    /// The frames are turned alike and B's origin lies on Z of frame A.
    Slider {
        /// Range of the place of B's origin along Z.
        limit: Option<JointLimit>,
        /// Drives it along Z.
        motor: Option<JointMotor>,
        /// Moves it to the spring's target.
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
    /// B turns about its Z, which is its axle, and its origin moves along Y of frame A.
    Wheel(Box<WheelSettings>),
    /// Each axis is free, locked, limited or driven.
    SixDof(Box<SixDofSettings>),
    /// Two turning bodies: B turns about Z of its frame `ratio` times as far as A about Z of
    /// its own, both as seen from the world. What holds their axles is up to other joints.
    ///
    /// A gear knows the inertia of its two bodies alone, not what hangs on them: it yields by some
    /// `T / (I w^2)` radians under a torque `T` in N m, with `I` that of the lighter body in kg m^2 and `w` 380 rad/s
    /// at 60 steps a second of four sub-steps, in proportion to the rate. Give the wheel that carries
    /// much the inertia of what it turns, or more sub-steps. The same holds of a rack.
    Gear {
        /// Turns of B per turn of A, not 0; negative for two wheels that mesh from outside.
        ratio: f32,
    },
    /// A turning and a sliding body: B moves past the origin of frame A along Z of its own frame by
    /// `travel` for each radian that A turns on it about Z of frame A. That origin is on A's axle. What
    /// carries both may move and turn as it likes.
    Rack {
        /// In metres per radian, not 0.
        travel: f32,
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
    /// A lower bound lies above its upper bound, or an angle outside its range.
    EmptyRange,
    /// A torque, a length, a frequency or a damping ratio below its least value.
    Negative,
    /// A gear or rack whose ratio is 0.
    NoRatio,
}

impl fmt::Display for JointError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotFinite => "a joint's numbers must be finite",
            Self::EmptyRange => {
                "a joint's lower bound must not exceed its upper one, and angles lie in -pi..pi, the middle one of six axes in -pi/2..pi/2"
            }
            Self::Negative => {
                "a joint's torques, forces, lengths and damping ratios must be at least 0, its frequencies above 0"
            }
            Self::NoRatio => "the ratio of a gear or rack must not be 0",
        })
    }
}

impl std::error::Error for JointError {}

impl JointKind {
    /// What acts along the one way of a slider, or about the one axis of a hinge.
    pub(super) fn axis(&self) -> Option<JointAxis> {
        match *self {
            Self::Hinge {
                limit,
                motor,
                spring,
            }
            | Self::Slider {
                limit,
                motor,
                spring,
            } => Some(JointAxis {
                limit,
                motor,
                spring,
            }),
            _ => None,
        }
    }
}

impl JointLimit {
    /// Of two angles, whether they bound nothing.
    pub(super) fn is_turn(&self) -> bool {
        self.upper - self.lower >= 2.0 * PI
    }
}

impl JointSpring {
    /// A spring at rest at 0 that pulls as hard as it takes.
    pub const fn new(hertz: f32, damping_ratio: f32) -> Self {
        Self {
            hertz,
            damping_ratio,
            target: 0.0,
            max_effort: None,
        }
    }

    /// A spring at rest at 0 of a `stiffness` in N/m and a `damping` in N s/m against a `mass` in kg;
    /// about an axis in N m/rad, N m s/rad and kg m^2.
    ///
    /// The mass is what both bodies set against it, above 0: `World::joint_mass` tells it. The
    /// stiffness must be above 0, the damping at least 0; else the joint's check refuses the spring.
    pub fn from_stiffness(stiffness: f32, damping: f32, mass: f32) -> Self {
        // In between, products of what is very heavy or light would overflow.
        let [stiffness, damping, mass] = [stiffness, damping, mass].map(f64::from);
        let omega = (stiffness / mass).sqrt();
        let ratio = damping / (2.0 * mass * omega);
        Self::new((omega / (2.0 * std::f64::consts::PI)) as f32, ratio as f32)
    }
}

impl JointAxis {
    /// Nothing acts.
    pub const FREE: Self = Self {
        limit: None,
        motor: None,
        spring: None,
    };

    /// Held at 0.
    pub const LOCKED: Self = Self {
        limit: Some(JointLimit {
            lower: 0.0,
            upper: 0.0,
        }),
        motor: None,
        spring: None,
    };

    /// Whether it is held in one place.
    pub(super) fn is_locked(&self) -> bool {
        self.limit.is_some_and(|limit| limit.lower == limit.upper)
    }

    /// Whether it may bring bodies energy: by a spring, or a motor that is to move.
    pub(super) fn drives(&self) -> bool {
        self.spring.is_some() || self.motor.is_some_and(|motor| motor.speed != 0.0)
    }

    fn check(&self, most: f32) -> Result<(), JointError> {
        check_range(self.limit, most)?;
        if let Some(JointMotor { speed, max_effort }) = self.motor {
            finite(speed)?;
            at_least_zero(max_effort)?;
        }
        check_spring(self.spring)
    }
}

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
                check_cone(cone)?;
                check_range(twist, PI)?;
                check_spring(spring)
            }
            Self::Hinge {
                limit,
                motor,
                spring,
            } => JointAxis {
                limit,
                motor,
                spring,
            }
            .check(PI),
            Self::Slider {
                limit,
                motor,
                spring,
            } => JointAxis {
                limit,
                motor,
                spring,
            }
            .check(f32::MAX),
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
            Self::Wheel(ref wheel) => check_wheel(wheel),
            Self::SixDof(ref axes) => {
                for axis in &axes.linear {
                    axis.check(f32::MAX)?;
                }
                let [x, y, z] = &axes.angular;
                x.check(PI)?;
                y.check(FRAC_PI_2)?;
                z.check(PI)
            }
            Self::Gear { ratio } => not_zero(ratio),
            Self::Rack { travel } => not_zero(travel),
            Self::NoContact => Ok(()),
        }
    }
}

fn check_cone(cone: Option<f32>) -> Result<(), JointError> {
    let Some(cone) = cone else {
        return Ok(());
    };
    at_least_zero(cone)?;
    ordered(cone, PI)
}

fn check_wheel(wheel: &WheelSettings) -> Result<(), JointError> {
    wheel.suspension.check(f32::MAX)?;
    wheel.steering.map_or(Ok(()), |axis| axis.check(PI))?;
    let spin = JointAxis {
        motor: wheel.motor,
        ..JointAxis::FREE
    };
    spin.check(PI)
}

fn finite(value: f32) -> Result<(), JointError> {
    if value.is_finite() {
        Ok(())
    } else {
        Err(JointError::NotFinite)
    }
}

fn not_zero(value: f32) -> Result<(), JointError> {
    finite(value)?;
    if value == 0.0 {
        Err(JointError::NoRatio)
    } else {
        Ok(())
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

fn check_range(limit: Option<JointLimit>, most: f32) -> Result<(), JointError> {
    let Some(JointLimit { lower, upper }) = limit else {
        return Ok(());
    };
    ordered(lower, upper)?;
    if lower < -most || upper > most {
        return Err(JointError::EmptyRange);
    }
    Ok(())
}

fn check_spring(spring: Option<JointSpring>) -> Result<(), JointError> {
    let Some(JointSpring {
        hertz,
        damping_ratio,
        target,
        max_effort,
    }) = spring
    else {
        return Ok(());
    };
    finite(target)?;
    at_least_zero(damping_ratio)?;
    at_least_zero(hertz)?;
    max_effort.map_or(Ok(()), at_least_zero)?;
    if hertz > 0.0 {
        Ok(())
    } else {
        Err(JointError::Negative)
    }
}
