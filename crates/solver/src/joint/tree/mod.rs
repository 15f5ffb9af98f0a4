//! Trees of joints: what holds together is solved at once, exactly, and eight trees of one shape side by
//! side.
//!
//! One joint after the other, a sweep hands the load of a heavy end only one link on, and a
//! chain a thousand times lighter than what hangs from it would need ten thousands of sweeps.
//! Along a tree one pass from the leaves to the root and one back solve all locked directions
//! together (see [`direct`]). Motors of hinges count as locked while their torque suffices, and stiff
//! springs that turn joints as locked by as much as they give (see [`drive`]), and stops of hinges
//! that push hard as locked until they would have to pull (see [`stop`]). What is not locked, other springs,
//! friction and other limits, is solved joint by joint before it (see [`turn`]). Sliders, wheels and six-axis
//! joints say of each axis by itself what it is (see [`guide`]).
//!
//! Joints that close few loops are solved with their tree (see [`loops`]). Those of nets are trees of one edge,
//! coloured and solved one after the other, and softer, since they have to agree.
//!
//! Between the movements of two sub-steps nothing turns, so what follows from the poses is
//! computed once, by the sweep that comes first after a movement.

mod angle;
mod arc;
pub(crate) mod block;
mod closing;
mod direct;
mod drive;
mod edges;
mod errors;
mod factor;
mod fill;
mod foresight;
mod goal;
mod grip;
mod guide;
mod jerk;
mod loops;
mod parts;
mod present;
mod renew;
mod rest;
mod rows;
pub(crate) mod shape;
mod spring;
mod stop;
mod sweep;
mod system;
mod turn;

pub(crate) use guide::Guide;
pub(crate) use sweep::{relax, solve, solve_pushed, start, warm_start};

use drystone_geometry::lanes::{LANES, Lane, Lane3};

use crate::joint::{JointKind, JointSpring};
use crate::softness::Spring;
use guide::{GuideDone, GuideLanes, GuidePresent};
use loops::LoopLanes;
use parts::Place;
use rest::RestLanes;
use shape::{Role, Shape};
use spring::SpringLanes;
use stop::StopPresent;

/// What a joint locks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Class {
    /// Both anchors.
    Ball,
    /// Both anchors and both Z axes.
    Hinge,
    /// Both anchors and both frames.
    Weld,
    /// As a hinge, and the rotation about the axes while a motor has the torque for it.
    Driven,
    /// As a hinge, and a stiff spring about the axes.
    Sprung,
    /// As a ball, and a stiff spring about all axes.
    Elastic,
    /// As a hinge, and its stops while they push hard.
    Stopped,
    /// What its axes say.
    Guide {
        kind: Guide,
        /// Whether other joints may hold the same, and only locks are solved with what is locked.
        is_shared: bool,
    },
}

/// Most directions that the joints between two bodies lock together; a count. Four balls or
/// two hinges and more fit in; what does not is solved like a joint of a net.
pub(crate) const MOST_ROWS: usize = 12;

impl Class {
    /// All that hold what other joints may hold too; see [`Self::shared`].
    pub(crate) const SHARED: [Self; 8] = [
        Self::Ball,
        Self::Hinge,
        Self::Weld,
        Self::sharing(Guide::Block),
        Self::sharing(Guide::Rings),
        Self::sharing(Guide::Wheel),
        Self::sharing(Guide::Steered),
        Self::sharing(Guide::Line { sways: true }),
    ];

    /// Of a distance in an edge of its own.
    const LINE: Self = Self::Guide {
        kind: Guide::Line { sways: true },
        is_shared: false,
    };

    /// Of a guide that holds what other joints may hold too.
    const fn sharing(kind: Guide) -> Self {
        let is_shared = true;
        Self::Guide { kind, is_shared }
    }

    /// Of a joint that holds two anchors rigidly together, or is a guide; nothing for others.
    pub(crate) fn of(kind: &JointKind) -> Option<Self> {
        match kind {
            JointKind::Ball { .. }
            | JointKind::Weld {
                linear: None,
                angular: Some(_),
            } => Some(Self::Ball),
            JointKind::Hinge { .. } => Some(Self::Hinge),
            JointKind::Weld {
                linear: None,
                angular: None,
            } => Some(Self::Weld),
            _ => Guide::of(kind).map(Self::sharing),
        }
    }

    /// Of a joint of this class in a tree, where nothing else holds the same: with what turns it, so far as
    /// that is solved with what is locked. `h` is the sub-step in seconds.
    pub(crate) fn driven(self, kind: &JointKind, h: f32) -> Self {
        let is_stiff = |spring: &JointSpring| {
            spring.max_effort != Some(0.0)
                && Spring::new(spring.hertz, spring.damping_ratio, h).is_stiff
        };
        if let Self::Guide { kind, .. } = self {
            let is_shared = false;
            return Self::Guide { kind, is_shared };
        }
        match kind {
            JointKind::Ball {
                spring: Some(spring),
                ..
            }
            | JointKind::Weld {
                linear: None,
                angular: Some(spring),
            } if is_stiff(spring) => Self::Elastic,
            JointKind::Hinge {
                spring: Some(spring),
                ..
            } if is_stiff(spring) => Self::Sprung,
            // Beside a soft spring, which gives way anyhow, a motor is friction: with it locked as well
            // the solver took a seventh longer over the ragdolls of rain.
            JointKind::Hinge {
                motor: Some(motor),
                spring: None,
                ..
            } if motor.max_effort > 0.0 => Self::Driven,
            JointKind::Hinge {
                limit: Some(limit), ..
            } if !limit.is_turn() => Self::Stopped,
            _ => self,
        }
    }

    /// Of a joint that is worth an edge in a tree of its own, in sub-steps of `h` seconds.
    pub(crate) fn of_edge(kind: &JointKind, h: f32) -> Option<Self> {
        let class = Self::of(kind)?.driven(kind, h);
        let is_idle = matches!(class, Self::Guide { .. }) && !Guide::holds(kind, h);
        (!is_idle).then_some(class)
    }

    /// Place in [`Self::SHARED`].
    pub(crate) fn number(self) -> usize {
        let number = Self::SHARED
            .iter()
            .position(|&class| class == self.shared());
        number.expect("what is shared is listed")
    }

    /// Directions that are solved together; a count.
    pub(crate) const fn rows(self) -> usize {
        match self {
            Self::Ball => 3,
            Self::Hinge => 5,
            Self::Weld | Self::Driven | Self::Sprung | Self::Stopped | Self::Elastic => 6,
            Self::Guide { kind, .. } => kind.rows(),
        }
    }

    /// Locked rotations that have an error, and are not only to have a speed; a count.
    pub(crate) const fn tilts(self) -> usize {
        match self {
            Self::Ball | Self::Elastic | Self::Guide { .. } => 0,
            Self::Hinge | Self::Driven | Self::Sprung | Self::Stopped => 2,
            Self::Weld => 3,
        }
    }

    /// What it is where other joints may hold the same: nothing that turns it counts as locked there.
    pub(crate) const fn shared(self) -> Self {
        match self {
            Self::Driven | Self::Sprung | Self::Stopped => Self::Hinge,
            Self::Elastic => Self::Ball,
            Self::Guide { kind, .. } => Self::sharing(kind),
            other => other,
        }
    }

    /// What it is where it is solved with others as one edge, or closes a loop: what swings across a distance is left
    /// to itself there.
    pub(crate) const fn among_others(self) -> Self {
        match self {
            Self::Guide {
                kind: Guide::Line { .. },
                is_shared,
            } => Self::Guide {
                kind: Guide::Line { sways: false },
                is_shared,
            },
            other => other,
        }
    }

    /// Whether a spring is solved with what is locked.
    pub(crate) const fn is_coupled(self) -> bool {
        matches!(self, Self::Sprung | Self::Elastic) || self.drives_axes()
    }

    /// Whether what turns it may come to the end of its torque; of stops see [`stop`].
    pub(crate) const fn may_end(self) -> bool {
        matches!(self, Self::Driven | Self::Sprung) || self.drives_axes()
    }

    /// Whether it is a guide that no other joint shares its load with.
    const fn drives_axes(self) -> bool {
        matches!(
            self,
            Self::Guide {
                is_shared: false,
                ..
            }
        )
    }
}

/// An empty lane.
pub(crate) const NO_JOINT: u32 = u32::MAX;

/// Trees of one shape, solved as a block.
#[derive(Clone, Debug, Default)]
pub(crate) struct TreeLot {
    pub(crate) shape: Shape,
    /// Whether errors are removed as softly as where joints close a loop.
    pub(crate) is_soft: bool,
    /// Whether, if so, they make up a net, and do not close the loops of a tree.
    pub(crate) is_net: bool,
    /// Bundle after bundle, by joint: the joint of each lane, or [`NO_JOINT`].
    pub(crate) ids: Vec<[u32; LANES]>,
    /// Bundle after bundle, by joint.
    joints: Vec<JointLanes>,
    /// Likewise.
    presents: Vec<PresentLanes>,
    /// Likewise, about the swing axis and about Z: those that were asked for at the present poses.
    grips: Vec<[Option<GripLanes>; 2]>,
    /// Likewise, where some joint is a guide.
    guides: Vec<GuideLanes>,
    /// Likewise.
    guided: Vec<GuidePresent>,
    /// Bundle after bundle, by body.
    bodies: Vec<TreeBody>,
    /// Likewise, as the step began, where some joint is coupled with a spring: inverse inertia on its own,
    /// whatever pulls at it or lies on it, xx, yy, zz and yz, zx, xy.
    own: Vec<[Lane3; 2]>,
    /// Likewise: velocities that the warm start and the pass after it left, linear and angular.
    left: Vec<[Lane3; 2]>,
    factors: Factors,
    /// By bundle.
    loops: Vec<LoopLanes>,
    /// By bundle: how much some edge gives way at most.
    gives: Vec<Lane>,
    /// Likewise, above 0 where nothing but its joints pushes a tree.
    alone: Vec<Lane>,
    /// Likewise, above 0 where no joint drives anything.
    idle: Vec<Lane>,
    /// Bundle after bundle, by body, but of nets: velocities before joints push in a sub-step, linear and angular.
    began: Vec<[Lane3; 2]>,
    /// Bundle after bundle, by edge: whether some stop of its joint is held.
    stops: Vec<bool>,
    /// By bundle: what its bodies rest on.
    rests: Vec<Vec<RestLanes>>,
    /// How many factors a bundle has.
    edges: Place,
    /// Whether some joint has a cone or stops.
    has_limits: bool,
    /// Whether what turns some joint may come to the end of its torque.
    has_drives: bool,
    /// Whether its trees are of those whose swing is foreseen; see [`foresight`].
    is_foreseen: bool,
    /// Whether `presents` and `factors` are those of the present poses.
    is_fresh: bool,
    /// By body, of the bundle in work.
    work: Vec<BodyWork>,
    /// By joint, of the bundle in work: what it did before the pass.
    kept: Vec<ImpulseLanes>,
    /// Likewise: what it did before what is locked was solved.
    passed: Vec<ImpulseLanes>,
    /// Both likewise, of guides.
    guides_kept: Vec<GuideDone>,
    guides_passed: Vec<GuideDone>,
    /// By body, likewise: its velocities then, linear and angular.
    went: Vec<[Lane3; 2]>,
}

/// A body of eight trees.
#[derive(Clone, Copy, Debug)]
struct TreeBody {
    /// Rows; see [`BodyRows`](crate::body_rows::BodyRows).
    rows: [u32; LANES],
    /// Inverse inertia xx, yy, zz in world axes.
    diagonal: Lane3,
    /// Inverse inertia yz, zx, xy.
    off_diagonal: Lane3,
    inverse_mass: Lane3,
}

/// What a sweep computes for a body.
#[derive(Clone, Copy, Debug)]
struct BodyWork {
    linear: Lane3,
    angular: Lane3,
    /// While factoring, velocity per impulse of the body with all that hangs on it: a
    /// symmetric matrix of 6x6, row by row from the diagonal on, linear before angular.
    mobility: [Lane; 21],
    /// Likewise, above 0 where something that does not move, or only along or about some axes, may
    /// hold the body, itself or one beyond it.
    held: Lane,
    /// Change of the velocity by what hangs on the body.
    change: [Lane; 6],
    /// Likewise, by the removal of errors alone; where that is told apart.
    removal: [Lane; 6],
    /// Impulse of its joints, linear and about the centre.
    impulse: [Lane; 6],
    /// While presents are computed, movement since the step began, in metres.
    moved: Lane3,
    /// Likewise, vector and scalar part of the rotation.
    turned: (Lane3, Lane),
}

/// Eight joints of one class: what stays in a step, and impulses.
#[derive(Clone, Copy, Debug)]
struct JointLanes {
    /// As the step began, from the centres, in world axes, in metres.
    arm_a: Lane3,
    arm_b: Lane3,
    /// B's centre less A's as the step began, in metres.
    offset: Lane3,
    /// Vector and scalar part of the frames' orientations as the step began.
    frame_a: (Lane3, Lane),
    frame_b: (Lane3, Lane),
    uses: Uses,
    spring: SpringLanes,
    /// Most angular impulse of friction or of the motor in a sub-step.
    motor_most: Lane,
    motor_speed: Lane,
    /// What a motor may turn until it is asked again whether a stop is near, in radians.
    motor_way: Lane,
    /// Greatest angle between the Z axes, in radians.
    cone: Lane,
    /// Range of the angle about Z, in radians.
    lower: Lane,
    upper: Lane,
    /// Above 0 where the range is one angle.
    locked: Lane,
    /// Impulse of stops from which on they are solved with what is locked, in N m s.
    stop_least: Lane,
    done: ImpulseLanes,
}

/// Impulses on B, as in [`JointImpulses`](crate::joint::JointImpulses).
#[derive(Clone, Copy, Debug)]
struct ImpulseLanes {
    linear: Lane3,
    angular: Lane3,
    /// Of the spring and of friction, about all axes.
    spring: Lane3,
    friction: Lane3,
    /// Of the cone, and of what acts about Z.
    cone: Lane,
    motor: Lane,
    axis_spring: Lane,
    lower: Lane,
    upper: Lane,
}

/// Which rows some lane of a bundle has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Uses {
    /// A spring, about all axes or one, and whether it is solved again after the movement.
    spring: bool,
    stiff: bool,
    /// Friction, or a motor.
    motor: bool,
    cone: bool,
    limit: bool,
}

impl Uses {
    const NOTHING: Self = Self {
        spring: false,
        stiff: false,
        motor: false,
        cone: false,
        limit: false,
    };
}

/// What follows from the present poses of eight joints.
#[derive(Clone, Copy, Debug)]
struct PresentLanes {
    arm_a: Lane3,
    arm_b: Lane3,
    /// B's anchor less A's, in metres.
    gap: Lane3,
    /// Mean speed at which it grows in the movement that follows, less its speed before, in m/s.
    opens: Lane3,
    /// Rotation vector from A's frame to B's, or of the Z axes alone, in radians.
    tilt: Lane3,
    /// A's X and Y, which a hinge holds B's Z across.
    across: [Lane3; 2],
    /// Direction whose product with the spin is the rate of `angle`.
    axis: Lane3,
    /// Of a hinge, for what acts about its axis and is no limit.
    axis_mass: Lane,
    /// About the axis, in radians.
    angle: Lane,
    /// Above 0 where what turns the joint is solved with what is locked.
    drives: Lane,
    stop: StopPresent,
    /// Spin per angular impulse of both bodies on their own, xx, yy, zz and yz, zx, xy: what the
    /// stiffness of a coupled spring goes by.
    own_spin: [Lane3; 2],
    /// Unit axis about which B's Z swings away from A's.
    swing_axis: Lane3,
    /// Between the Z axes, in radians.
    swing: Lane,
    /// Spin per angular impulse, factored; see [`block::Block`].
    spin_pivots: Lane3,
    spin_lower: Lane3,
}

/// The [`Grip`](grip::Grip) of eight joints about an axis.
#[derive(Clone, Copy, Debug)]
struct GripLanes {
    mass: Lane,
    shove: Lane3,
    turn_a: Lane3,
    turn_b: Lane3,
}

/// The factored systems of all edges, by number of rows.
#[derive(Clone, Debug, Default)]
struct Factors {
    three: Vec<Factor<3>>,
    five: Vec<Factor<5>>,
    six: Vec<Factor<6>>,
    many: Vec<Factor<MOST_ROWS>>,
}

/// An edge's part of the factored system.
#[derive(Clone, Copy, Debug)]
struct Factor<const N: usize> {
    /// Below the diagonal the lower triangle, on it the inverse pivots.
    lower: [[Lane; N]; N],
    /// Impulse per impulse on the parent by what comes later.
    feedback: [[Lane; 6]; N],
    /// Error that is to go, then the impulse without what comes later.
    value: [Lane; N],
    /// How much the directions give way for good.
    slack: [Lane; N],
    /// Turn in radians that an error of 1 comes to, squared; of what gives way.
    reach: [Lane; N],
}

impl TreeLot {
    /// Bundles of eight trees.
    pub(crate) fn bundle_count(&self) -> usize {
        self.ids.len() / self.shape.joints.len().max(1)
    }
}
