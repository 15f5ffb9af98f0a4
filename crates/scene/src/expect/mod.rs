//! Expectations: what must come true, and the checker that watches a run.

mod checker;
mod measure;
mod state;
mod verdict;

pub use checker::Checker;
pub use verdict::{Report, Verdict};

use drystone::geometry::glam::{DVec3, Vec3};

/// Something that must come true.
#[derive(Clone, Debug)]
pub struct Expectation {
    /// As written in the file, on one line.
    pub text: String,
    /// File it stands in.
    pub file: String,
    /// Line it starts on, counted from 1.
    pub line: usize,
    /// What must come true.
    pub demand: Demand,
    /// Whether it must not, instead.
    pub negated: bool,
    /// Time from which displacements count, in seconds.
    pub reference: f64,
    /// First time at which it is judged, in seconds.
    pub from: f64,
    /// Last time at which it is judged, in seconds.
    pub to: f64,
}

/// What is demanded. Bodies and joints are indices into the scene's lists.
#[derive(Clone, Debug)]
pub enum Demand {
    /// A quantity of each body.
    Each {
        /// What is measured.
        quantity: Quantity,
        /// Of which bodies.
        bodies: Vec<usize>,
        /// What is allowed.
        bounds: Bounds,
        /// Whether it must hold always or once.
        when: When,
    },
    /// Each body is asleep.
    Asleep {
        /// The bodies.
        bodies: Vec<usize>,
    },
    /// How many bodies are inside a box.
    Count {
        /// Which bodies may count.
        bodies: Vec<usize>,
        /// Lowest corner, in metres.
        min: DVec3,
        /// Highest corner, in metres.
        max: DVec3,
        /// How many are allowed.
        bounds: Bounds,
    },
    /// The energy of all bodies.
    Energy {
        /// Which energy.
        part: EnergyPart,
        /// Whether the bounds are ratios to the start.
        relative: bool,
        /// What is allowed, in J or a ratio.
        bounds: Bounds,
    },
    /// The size of the momentum of all bodies.
    Momentum {
        /// What is allowed, in kg m/s.
        bounds: Bounds,
    },
    /// The rate of turning about an axis changes its sign at even intervals.
    Flips {
        /// The bodies.
        bodies: Vec<usize>,
        /// In the body's frame.
        axis: Vec3,
        /// Intervals that are judged.
        count: usize,
        /// Expected mean interval, in seconds.
        every: f64,
        /// A ratio to it.
        within: f64,
    },
    /// The energy does not rise.
    EnergyNeverRises {
        /// Rise that is let pass, a ratio.
        by: f64,
    },
    /// The depth of the deepest contact.
    Penetration {
        /// In metres.
        at_most: f64,
    },
    /// How far the anchors of joints are apart.
    JointGap {
        /// The joints.
        joints: Vec<usize>,
        /// In metres.
        at_most: f64,
    },
    /// What joints read.
    JointReading {
        /// The joints.
        joints: Vec<usize>,
        /// What is read.
        reading: JointReading,
        /// What is allowed.
        bounds: Bounds,
    },
    /// Joints have not broken.
    JointHolds {
        /// The joints.
        joints: Vec<usize>,
    },
    /// The mean force of contacts on each body.
    ContactForce {
        /// The bodies.
        bodies: Vec<usize>,
        /// In N.
        newtons: f64,
        /// A ratio to it.
        within: f64,
    },
    /// Bodies tilt one after the other.
    InOrder {
        /// The bodies in their order.
        bodies: Vec<usize>,
        /// The angle, in degrees.
        degrees: f64,
    },
    /// The hash of the state.
    Hash(u64),
}

/// A quantity of one body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Quantity {
    /// Distance from where it was at the reference time, in metres.
    Displacement(Along),
    /// How much lower it is than at the reference time, in metres.
    Drop,
    /// Distance from a point, in metres.
    DistanceTo(DVec3),
    /// Its y coordinate, in metres.
    Height,
    /// In m/s.
    Speed,
    /// In rad/s.
    Spin,
    /// Angle between an axis of the body and the world's y axis, in degrees.
    Tilt(Vec3),
    /// Angle turned since the reference time, in degrees.
    Turned,
    /// Distance of its origin along a direction from the world's, in metres.
    Coordinate(Vec3),
    /// Of the centre of mass along a direction, in m/s.
    Velocity(Vec3),
    /// Size of its angular momentum, a ratio to that at the reference time.
    MomentumKept,
    /// Angle between its angular momentum and that at the reference time, in degrees.
    MomentumTurned,
}

/// What is read of a joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JointReading {
    /// Of a hinge or a ball's twist, in degrees.
    Angle,
    /// Along a slider's axis or a wheel's suspension, in metres.
    Place,
    /// About Z of the second frame, in rad/s.
    Spin,
    /// Along a slider's axis or a wheel's suspension, in m/s.
    Speed,
    /// In N.
    Force,
    /// In N m.
    Torque,
    /// Of a wheel, in degrees.
    Steering,
}

impl JointReading {
    /// The unit with a blank before it.
    pub fn unit(self) -> &'static str {
        match self {
            Self::Angle | Self::Steering => " degrees",
            Self::Place => " m",
            Self::Spin => " rad/s",
            Self::Speed => " m/s",
            Self::Force => " N",
            Self::Torque => " N m",
        }
    }
}

/// Which part of a displacement counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Along {
    /// All of it.
    Space,
    /// The part across gravity.
    Horizontal,
    /// The part along gravity.
    Vertical,
}

/// Which energy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EnergyPart {
    /// Both together.
    Total,
    /// Of motion.
    Kinetic,
    /// Of height.
    Potential,
}

/// When a demand on a body must hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// At every step of its time.
    Always,
    /// At one step at least.
    Once,
}

/// Bounds on a measured number, both allowed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bounds {
    /// Least value.
    pub at_least: Option<f64>,
    /// Greatest value.
    pub at_most: Option<f64>,
}

impl Bounds {
    /// No more than `limit`.
    pub const fn at_most(limit: f64) -> Self {
        Self {
            at_least: None,
            at_most: Some(limit),
        }
    }

    /// How far `value` is outside; zero or less inside. NaN is outside.
    pub fn excess(&self, value: f64) -> f64 {
        if value.is_nan() {
            return f64::INFINITY;
        }
        let low = self.at_least.map_or(f64::NEG_INFINITY, |low| low - value);
        let high = self.at_most.map_or(f64::NEG_INFINITY, |high| value - high);
        low.max(high)
    }

    /// Both bounds in words, with a unit.
    pub fn describe(&self, unit: &str) -> String {
        match (self.at_least, self.at_most) {
            (Some(low), Some(high)) => format!("between {low} and {high}{unit}"),
            (Some(low), None) => format!("at least {low}{unit}"),
            (None, Some(high)) => format!("at most {high}{unit}"),
            (None, None) => "anything".to_owned(),
        }
    }
}

impl Quantity {
    /// The unit with a blank before it.
    pub fn unit(&self) -> &'static str {
        match self {
            Self::Displacement(_) | Self::Drop | Self::DistanceTo(_) | Self::Height => " m",
            Self::Coordinate(_) => " m",
            Self::Speed | Self::Velocity(_) => " m/s",
            Self::MomentumKept => " times",
            Self::Spin => " rad/s",
            Self::Tilt(_) | Self::Turned | Self::MomentumTurned => " degrees",
        }
    }

    /// What a sentence about the quantity says of a body.
    pub fn verb(&self) -> &'static str {
        match self {
            Self::Displacement(Along::Space) => "moved",
            Self::Displacement(Along::Horizontal) => "moved sideways",
            Self::Displacement(Along::Vertical) => "moved up or down",
            Self::Drop => "dropped",
            Self::DistanceTo(_) => "missed the place by",
            Self::Height => "was at height",
            Self::Speed => "had a speed of",
            Self::Spin => "turned at",
            Self::Tilt(_) => "was tilted by",
            Self::Turned => "had turned by",
            Self::Coordinate(_) => "was at",
            Self::Velocity(_) => "moved along it at",
            Self::MomentumKept => "had its angular momentum",
            Self::MomentumTurned => "had its angular momentum turned by",
        }
    }
}
