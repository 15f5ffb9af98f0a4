//! Guides: joints whose axes are locked, free, limited or driven one by one. Sliders, wheels, six-axis
//! joints and distances are.
//!
//! Each axis is a row: three along the axes of frame A, three about axes that depend on the kind; a distance has
//! one, along the line between its anchors. What is
//! locked is solved with all that the tree locks, and so is what drives or stops an axis as long as it
//! does so with all it takes (see [`hold`]): a gantry of three sliders carries what hangs on it, however
//! light its carriages are. The rest is solved row by row before it (see [`free`]).

pub(super) mod free;
pub(super) mod hold;
pub(super) mod present;
pub(super) mod sway;

use drystone_geometry::glam::Vec3;
use drystone_geometry::lanes::{Lane, Lane3};
use drystone_geometry::rotation;

use crate::joint::axis::within_turns;
use crate::joint::prepared::Seat;
use crate::joint::six_dof::{is_block, is_free};
use crate::joint::tree::spring::SpringLanes;
use crate::joint::tree::{Class, Uses};
use crate::joint::{
    AxisImpulses, Joint, JointAxis, JointImpulses, JointKind, JointSpring, distance,
};
use crate::softness::Spring;
use crate::tolerance::{FAR_BOUND, STOP_SUBSTEPS};

/// What the rows of a guide measure rotations by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Guide {
    /// The rotation vector between the frames, in A's axes: where all of it is locked, or none.
    Block,
    /// The angles of three rings in each other.
    Rings,
    /// How far the axle, B's Z, leans from A's Z about A's X and Y, and the turn about it.
    Wheel,
    /// How far the axle leans out of the plane across A's Y, its angle about that, and the turn about it.
    Steered,
    /// Nothing: there is one axis, from A's anchor to B's.
    Line {
        /// Whether there are two more, across it; see [`sway`].
        sways: bool,
    },
}

/// Axes of a joint: along X, Y and Z, then about three axes; a count.
pub(super) const AXES: usize = 6;

/// What an axis is solved as, by eight lanes: nothing that the tree holds, a lock, the lower or the upper
/// stop, a motor, a spring, [`sway`](super::sway).
pub(super) mod role {
    pub(in crate::joint::tree) const NONE: f32 = 0.0;
    pub(in crate::joint::tree) const LOCK: f32 = 1.0;
    pub(in crate::joint::tree) const LOWER: f32 = 2.0;
    pub(in crate::joint::tree) const UPPER: f32 = 3.0;
    pub(in crate::joint::tree) const MOTOR: f32 = 4.0;
    pub(in crate::joint::tree) const SPRING: f32 = 5.0;
    pub(in crate::joint::tree) const SWAY: f32 = 6.0;
}

/// Eight guides of one kind: what stays in a step, and impulses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GuideLanes {
    axes: [AxisLanes; AXES],
    pub(super) done: GuideDone,
}

/// An axis of eight guides.
#[derive(Clone, Copy, Debug)]
struct AxisLanes {
    /// The cone apart; what is locked has no limit.
    uses: Uses,
    /// 1 where it is locked, at `lower`.
    locked: Lane,
    lower: Lane,
    upper: Lane,
    spring: SpringLanes,
    motor_speed: Lane,
    /// What the motor may move until it is asked again whether a stop is near.
    motor_way: Lane,
    /// Most impulse of the motor in a sub-step.
    motor_most: Lane,
    /// 1 where a motor without a spring drives it.
    leads: Lane,
    /// Across a distance, the sub-step in seconds; 0 of other axes. See [`sway`].
    sway: f32,
}

/// Impulses of eight guides, on B.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GuideDone {
    axes: [AxisDone; AXES],
    /// What distances have pulled with of late, in N s; see [`sway`].
    pull: Lane,
}

/// Impulses along or about an axis.
#[derive(Clone, Copy, Debug)]
struct AxisDone {
    lock: Lane,
    motor: Lane,
    spring: Lane,
    /// Of the stops, at least 0.
    lower: Lane,
    upper: Lane,
}

/// What follows from the present poses of eight guides. The arms of their joint reach to B's anchor.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GuidePresent {
    /// Unit axes of frame A; of a [`Line`](Guide::Line) from A's anchor to B's, then across it.
    along: [Lane3; 3],
    /// Directions whose products with the spin are the rates of the last three places.
    about: [Lane3; 3],
    /// In metres, then radians.
    place: [Lane; AXES],
    /// What is to go of it, likewise.
    error: [Lane; AXES],
    /// See [`role`]; of what was let go the negative.
    role: [Lane; AXES],
    /// Impulse that what was let go ended at.
    end: [Lane; AXES],
    /// What both bodies give way on their own, whatever pulls at them or lies on them; of [`sway`] what that does.
    own: [Lane; AXES],
}

impl Class {
    /// Whether it is that of a distance.
    pub(crate) const fn is_line(self) -> bool {
        matches!(
            self,
            Self::Guide {
                kind: Guide::Line { .. },
                ..
            }
        )
    }
}

impl Guide {
    /// Of a joint that is one.
    pub(crate) fn of(kind: &JointKind) -> Option<Self> {
        match kind {
            JointKind::Slider { .. } => Some(Self::Block),
            JointKind::Wheel(settings) if settings.steering.is_some() => Some(Self::Steered),
            JointKind::Wheel(_) => Some(Self::Wheel),
            JointKind::Distance { .. } => Some(Self::Line { sways: true }),
            JointKind::SixDof(settings) => {
                let has_angles = !is_block(&settings.angular) && !is_free(&settings.angular);
                Some(if has_angles { Self::Rings } else { Self::Block })
            }
            _ => None,
        }
    }

    /// How many axes it has.
    pub(super) const fn rows(self) -> usize {
        match self {
            Self::Line { sways } => {
                if sways {
                    3
                } else {
                    1
                }
            }
            Self::Block | Self::Rings | Self::Wheel | Self::Steered => AXES,
        }
    }

    /// Whether the tree may have to hold something of a joint, in sub-steps of `h` s.
    pub(crate) fn holds(kind: &JointKind, h: f32) -> bool {
        let is_held = |axis: &JointAxis| {
            let is_pulled = axis.spring.is_some_and(|spring| is_stiff(&spring, h));
            axis.limit.is_some() || leads(axis) || is_pulled
        };
        axes(kind).is_some_and(|axes| axes.iter().any(is_held))
    }
}

/// The axes of a joint that is a guide.
fn axes(kind: &JointKind) -> Option<[JointAxis; AXES]> {
    const LOCKED: JointAxis = JointAxis::LOCKED;
    match kind {
        JointKind::Slider { .. } => {
            let along = kind.axis()?;
            Some([LOCKED, LOCKED, along, LOCKED, LOCKED, LOCKED])
        }
        JointKind::Wheel(settings) => {
            let steering = settings.steering.unwrap_or(LOCKED);
            let spin = JointAxis {
                motor: settings.motor,
                ..JointAxis::FREE
            };
            Some([LOCKED, settings.suspension, LOCKED, LOCKED, steering, spin])
        }
        JointKind::SixDof(settings) => {
            let ([x, y, z], [a, b, c]) = (settings.linear, settings.angular);
            Some([x, y, z, a, b, c])
        }
        JointKind::Distance { .. } => {
            let [free, line] = [JointAxis::FREE, distance::axis(kind)?];
            Some([line, free, free, free, free, free])
        }
        _ => None,
    }
}

/// Whether an axis of a joint that is a guide may bring its bodies energy.
pub(super) fn drives(kind: &JointKind) -> bool {
    axes(kind).is_some_and(|axes| axes.iter().any(JointAxis::drives))
}

/// Which axes keep the impulses of their locks in the vectors of [`JointImpulses`].
fn are_vectors(kind: &JointKind) -> [bool; AXES] {
    match kind {
        JointKind::Wheel(settings) => {
            let is_straight = settings.steering.is_none();
            [true, false, true, is_straight, is_straight, false]
        }
        JointKind::SixDof(settings) => {
            let (linear, angular) = (is_block(&settings.linear), is_block(&settings.angular));
            [linear, linear, linear, angular, angular, angular]
        }
        JointKind::Distance { .. } => [false; AXES],
        _ => [true, true, false, true, true, true],
    }
}

fn leads(axis: &JointAxis) -> bool {
    axis.spring.is_none() && axis.motor.is_some_and(|motor| motor.max_effort > 0.0)
}

/// Whether a spring is too stiff for sub-steps of `h` s to follow.
fn is_stiff(spring: &JointSpring, h: f32) -> bool {
    spring.max_effort != Some(0.0) && Spring::new(spring.hertz, spring.damping_ratio, h).is_stiff
}

impl AxisDone {
    const NONE: Self = Self {
        lock: Lane::ZERO,
        motor: Lane::ZERO,
        spring: Lane::ZERO,
        lower: Lane::ZERO,
        upper: Lane::ZERO,
    };
}

impl GuideDone {
    pub(super) const NONE: Self = Self {
        axes: [AxisDone::NONE; AXES],
        pull: Lane::ZERO,
    };
}

impl AxisLanes {
    const FREE: Self = Self {
        uses: Uses::NOTHING,
        locked: Lane::ZERO,
        lower: Lane::splat(-FAR_BOUND),
        upper: Lane::splat(FAR_BOUND),
        spring: SpringLanes::NONE,
        motor_speed: Lane::ZERO,
        motor_way: Lane::ZERO,
        motor_most: Lane::ZERO,
        leads: Lane::ZERO,
        sway: 0.0,
    };

    fn set(&mut self, lane: usize, axis: &JointAxis, is_angle: bool, h: f32) {
        if let Some(spring) = axis.spring {
            self.uses.spring = true;
            let target = if is_angle {
                within_turns(spring.target)
            } else {
                spring.target
            };
            self.uses.stiff |= self.spring.set(lane, spring, target, h);
        }
        if let Some(motor) = axis.motor {
            self.uses.motor = true;
            self.motor_speed.0[lane] = motor.speed;
            self.motor_way.0[lane] = STOP_SUBSTEPS * h * motor.speed;
            self.motor_most.0[lane] = motor.max_effort * h;
            self.leads.0[lane] = f32::from(u8::from(leads(axis)));
        }
        if let Some(limit) = axis.limit.filter(|limit| !(is_angle && limit.is_turn())) {
            self.lower.0[lane] = limit.lower.clamp(-FAR_BOUND, FAR_BOUND);
            self.upper.0[lane] = limit.upper.clamp(-FAR_BOUND, FAR_BOUND);
            if axis.is_locked() {
                self.locked.0[lane] = 1.0;
            } else {
                self.uses.limit = true;
            }
        }
    }
}

impl GuideLanes {
    /// Guides that hold nothing.
    pub(super) const FREE: Self = Self {
        axes: [AxisLanes::FREE; AXES],
        done: GuideDone::NONE,
    };

    /// What any axis has.
    pub(super) fn uses(&self) -> Uses {
        let mut all = Uses::NOTHING;
        for AxisLanes { uses, .. } in &self.axes {
            all.spring |= uses.spring;
            all.stiff |= uses.stiff;
            all.motor |= uses.motor;
            all.limit |= uses.limit;
        }
        all
    }

    /// Settings and impulses of a joint, whose ends are in these places.
    pub(super) fn set(&mut self, lane: usize, joint: &Joint, [a, b]: [&Seat; 2], h: f32) {
        let (Some(axes), impulses) = (axes(&joint.kind), &joint.impulses) else {
            return;
        };
        let frame_a = rotation::multiply(a.pose.rotation, joint.frame_a.rotation);
        let frame_b = rotation::multiply(b.pose.rotation, joint.frame_b.rotation);
        let [x, y, z] = [Vec3::X, Vec3::Y, Vec3::Z].map(|axis| rotation::rotate(frame_a, axis));
        let last = if matches!(joint.kind, JointKind::Wheel(_)) {
            rotation::rotate(frame_b, Vec3::Z)
        } else {
            z
        };
        if let JointKind::Distance { .. } = joint.kind {
            (self.axes[1].sway, self.axes[2].sway) = (h, h);
            self.done.pull.0[lane] = impulses.axes[1].upper;
        }
        let are_vectors = are_vectors(&joint.kind);
        for (i, direction) in [x, y, z, x, y, last].into_iter().enumerate() {
            let (axis, done) = (&axes[i], &mut self.done.axes[i]);
            self.axes[i].set(lane, axis, i >= 3, h);
            let old = impulses.axes[i].lasting(axis, i >= 3);
            done.motor.0[lane] = old.motor;
            done.spring.0[lane] = old.spring;
            if axis.is_locked() {
                let vector = if i < 3 {
                    impulses.linear
                } else {
                    impulses.angular
                };
                done.lock.0[lane] = if are_vectors[i] {
                    direction.dot(vector)
                } else {
                    old.lower
                };
            } else {
                done.lower.0[lane] = old.lower;
                done.upper.0[lane] = old.upper;
            }
        }
    }

    /// What the joint of a lane did.
    pub(super) fn get(
        &self,
        lane: usize,
        present: &GuidePresent,
        kind: &JointKind,
    ) -> JointImpulses {
        let mut impulses = JointImpulses::default();
        let directions = present.along.iter().chain(&present.about);
        let rows = self.done.axes.iter().zip(directions).zip(are_vectors(kind));
        for (i, ((done, direction), is_vector)) in rows.enumerate() {
            let lock = done.lock.0[lane];
            impulses.axes[i] = AxisImpulses {
                motor: done.motor.0[lane],
                spring: done.spring.0[lane],
                lower: done.lower.0[lane],
                upper: done.upper.0[lane],
            };
            if !is_vector {
                impulses.axes[i].lower += lock;
            } else if i < 3 {
                impulses.linear += lock * direction.get(lane);
            } else {
                impulses.angular += lock * direction.get(lane);
            }
        }
        if let JointKind::Distance { .. } = kind {
            impulses.axes[1..].fill(AxisImpulses::default());
            impulses.axes[1].upper = self.done.pull.0[lane];
            impulses.linear = impulses.axes[0].total() * present.along[0].get(lane);
        }
        impulses
    }
}
