//! A joint made ready for a step by itself: arms and frames in world axes.
//!
//! Most are solved in lanes, see [`tree`](crate::joint::tree) and [`point`](crate::joint::point); what
//! drives another or gives way at its anchors is solved here.

use drystone_geometry::glam::{Quat, Vec3};
use drystone_geometry::rotation;

use crate::body::{Body, BodyTable, StaticPose};
use crate::body_rows::{BodyRows, READ_ONLY, STATIC_ROW, row_index};
use crate::joint::gear::Drive;
use crate::joint::pair::{Pair, Side};
use crate::joint::{
    Joint, JointImpulses, JointKind, JointSpring, ball, distance, gear, hinge, pull, six_dof,
    slider, weld, wheel,
};
use crate::softness::{Softness, Spring};

/// What every sweep over joints shares.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JointContext<'a> {
    /// The rows of the bodies.
    pub(crate) rows: &'a BodyRows,
    /// All joints, for their settings.
    pub(crate) joints: &'a [Joint],
    /// Length of a sub-step, in seconds, above 0.
    pub(crate) h: f32,
    /// Of what is meant to be rigid and is solved by itself, as in a net.
    pub(crate) softness: Softness,
    /// Of the stops of trees.
    pub(crate) stops: Softness,
    /// Of joints by themselves that make up no net.
    pub(crate) bounds: Softness,
    /// Fastest push-out of overlap, in m/s.
    pub(crate) max_push_speed: f32,
}

/// A joint during a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PreparedJoint {
    /// Index of the joint.
    id: u32,
    /// What it has done in the present sub-step.
    pub(crate) impulses: JointImpulses,
    /// [`JointImpulses::drift`] as the step began.
    drift: f32,
    row_a: u32,
    row_b: u32,
    /// As the step began, from the centres, in world axes, in metres.
    arm_a: Vec3,
    arm_b: Vec3,
    /// B's centre less A's as the step began, in metres.
    offset: Vec3,
    /// Orientation of the joint's frame on each body as the step began.
    frame_a: Quat,
    frame_b: Quat,
    /// Whether how the frames are turned matters to the joint.
    has_axes: bool,
}

/// A joint at the present poses of its bodies.
#[derive(Clone, Copy, Debug)]
pub(super) struct Present {
    /// With the arm on A reaching to B's anchor where the joint slides.
    pub(super) pair: Pair,
    /// B's anchor less A's, in metres.
    pub(super) gap: Vec3,
    /// Orientation of the joint's frame on each body; of no meaning where it does not matter.
    pub(super) frame_a: Quat,
    pub(super) frame_b: Quat,
    pub(super) h: f32,
    /// Of what is meant to be rigid, in this sweep.
    pub(super) softness: Softness,
    /// Whether this sweep comes before the movement.
    pub(super) is_biased: bool,
}

/// One end of a joint as a step begins.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seat {
    /// Row of the body.
    pub(super) row: u32,
    pub(super) pose: StaticPose,
    /// Anchor from the body's centre, in world axes, in metres.
    pub(super) arm: Vec3,
}

impl Seat {
    /// The end at `anchor` of a body, from its centre and in its own axes.
    #[inline]
    pub(super) fn new(body: u32, anchor: Vec3, bodies: &[Body], table: BodyTable<'_>) -> Self {
        let row = match table.awake_slot(body) {
            Some(slot) if bodies[slot].is_dynamic() => row_index(slot as u32),
            Some(slot) => row_index(slot as u32) | READ_ONLY,
            None => STATIC_ROW,
        };
        let pose = table.pose(bodies, body);
        Self {
            row,
            pose,
            arm: rotation::rotate(pose.rotation, anchor),
        }
    }
}

impl JointContext<'_> {
    /// How joints that no tree has are held.
    pub(super) fn alone(&self, is_net: bool) -> Softness {
        if is_net { self.softness } else { self.bounds }
    }
}

impl Present {
    /// How to hold what has a spring, or is meant to be rigid without; nothing where this sweep leaves
    /// the spring alone.
    #[inline]
    pub(super) fn spring_of(&self, spring: Option<JointSpring>) -> Option<Spring> {
        let drawn = match spring {
            Some(spring) => Spring::new(spring.hertz, spring.damping_ratio, self.h),
            None => self.softness.into(),
        };
        (self.is_biased || drawn.is_stiff).then_some(drawn)
    }
}

impl PreparedJoint {
    /// Tells the bodies that something besides trees holds them.
    pub(crate) fn note(&self, rows: &BodyRows) {
        rows.wedged.hold(self.row_a);
        rows.wedged.hold(self.row_b);
    }

    /// `joint`, number `id`, as the step begins.
    pub(crate) fn new(id: u32, joint: &Joint, bodies: &[Body], table: BodyTable<'_>) -> Self {
        let a = Seat::new(joint.body_a, joint.frame_a.translation, bodies, table);
        let b = Seat::new(joint.body_b, joint.frame_b.translation, bodies, table);
        Self {
            id,
            impulses: joint.impulses,
            drift: joint.impulses.drift,
            row_a: a.row,
            row_b: b.row,
            arm_a: a.arm,
            arm_b: b.arm,
            offset: (b.pose.center - a.pose.center).as_vec3(),
            frame_a: rotation::multiply(a.pose.rotation, joint.frame_a.rotation),
            frame_b: rotation::multiply(b.pose.rotation, joint.frame_b.rotation),
            has_axes: has_axes(&joint.kind),
        }
    }

    /// Applies the impulses of the sub-step before to the bodies.
    pub(crate) fn warm_start(&mut self, context: &JointContext<'_>) {
        let kind = &context.joints[self.id as usize].kind;
        let mut present = self.present(context, false);
        if let Some(drive) = self.drive(kind) {
            gear::warm_start(&mut present, drive, &self.impulses);
        } else {
            let Wrench { linear, angular } = wrench(&present, kind, &self.impulses);
            present.pair.push(linear);
            present.pair.twist(angular);
        }
        present.pair.store(context.rows);
    }

    /// One pass over the joint's rows; with `biased` it also removes position errors.
    pub(crate) fn solve(&mut self, context: &JointContext<'_>, biased: bool) {
        let mut present = self.present(context, biased);
        let kind = &context.joints[self.id as usize].kind;
        let drive = self.drive(kind);
        let impulses = &mut self.impulses;
        match *kind {
            JointKind::Weld { linear, angular } => {
                weld::solve(&mut present, linear, angular, impulses);
            }
            JointKind::Gear { .. } | JointKind::Rack { .. } => {
                if let Some(drive) = drive {
                    gear::solve(&mut present, drive, self.drift, impulses);
                }
            }
            // In lanes, or nothing to do.
            _ => {}
        }
        present.pair.store(context.rows);
        if !biased {
            let Pair { a, b, arm_a, arm_b } = present.pair;
            let impulse = self.impulses.linear;
            pull::feel_one(context.rows, context.h, impulse, a.end(arm_a));
            pull::feel_one(context.rows, context.h, impulse, b.end(arm_b));
        }
    }

    /// What a gear or rack drives; nothing of other joints.
    fn drive(&self, kind: &JointKind) -> Option<Drive> {
        match *kind {
            JointKind::Gear { ratio } => Some(Drive::Gear(ratio)),
            JointKind::Rack { travel } => {
                let gap = self.offset + (self.arm_b - self.arm_a);
                let began = rotation::rotate(self.frame_b, Vec3::Z).dot(gap);
                Some(Drive::Rack { travel, began })
            }
            _ => None,
        }
    }

    #[inline]
    fn present(&self, context: &JointContext<'_>, is_biased: bool) -> Present {
        let softness = if is_biased {
            context.softness
        } else {
            Softness::RIGID
        };
        let a = Side::load(context.rows, self.row_a);
        let b = Side::load(context.rows, self.row_b);
        let arm_a = rotation::rotate(a.turned, self.arm_a);
        let arm_b = rotation::rotate(b.turned, self.arm_b);
        let (frame_a, frame_b) = if self.has_axes {
            (
                rotation::multiply(a.turned, self.frame_a),
                rotation::multiply(b.turned, self.frame_b),
            )
        } else {
            (self.frame_a, self.frame_b)
        };
        let gap = self.offset + (b.moved - a.moved) + (arm_b - arm_a);
        Present {
            gap,
            frame_a,
            frame_b,
            pair: Pair { a, b, arm_a, arm_b },
            h: context.h,
            softness,
            is_biased,
        }
    }
}

/// What a joint does to B, and the opposite of to A: at B's anchor where the joint slides, else
/// at both anchors.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Wrench {
    /// In N s, in world axes.
    pub(super) linear: Vec3,
    /// About the anchor, in N m s, in world axes.
    pub(super) angular: Vec3,
}

/// What `impulses` come to in the present pose. Of a gear, what B gets; of a rack, at A's anchor.
pub(super) fn wrench(present: &Present, kind: &JointKind, impulses: &JointImpulses) -> Wrench {
    match *kind {
        JointKind::Ball { cone, twist, .. } => {
            ball::wrench(present, [cone.is_some(), twist.is_some()], impulses)
        }
        JointKind::Hinge { .. } => hinge::wrench(present, impulses),
        JointKind::Slider { .. } => slider::wrench(present, impulses),
        JointKind::Weld { .. } => weld::wrench(impulses),
        JointKind::Distance { .. } => distance::wrench(present, impulses),
        JointKind::Wheel(ref settings) => wheel::wrench(present, settings, impulses),
        JointKind::SixDof(ref settings) => six_dof::wrench(present, settings, impulses),
        JointKind::Gear { .. } => Wrench {
            angular: impulses.axes[0].lower * rotation::rotate(present.frame_b, Vec3::Z),
            ..Wrench::default()
        },
        JointKind::Rack { travel } => Wrench {
            linear: impulses.axes[0].lower * rotation::rotate(present.frame_b, Vec3::Z),
            angular: impulses.axes[0].lower * travel * rotation::rotate(present.frame_a, Vec3::Z),
        },
        JointKind::NoContact => Wrench::default(),
    }
}

/// Whether how the frames of a joint are turned matters to it.
fn has_axes(kind: &JointKind) -> bool {
    !matches!(kind, JointKind::Distance { .. } | JointKind::NoContact)
}

/// Whether its anchors may part, so that forces act where B's is.
pub(super) fn slides(kind: &JointKind) -> bool {
    matches!(
        kind,
        JointKind::Slider { .. } | JointKind::Wheel(_) | JointKind::SixDof(_)
    )
}
