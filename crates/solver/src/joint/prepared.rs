//! A joint made ready for a step: arms and frames in world axes.

use drystone_geometry::glam::{Quat, Vec3};
use drystone_geometry::rotation;

use crate::body::{Body, BodyTable, StaticPose};
use crate::body_rows::{BodyRows, READ_ONLY, STATIC_ROW, row_index};
use crate::joint::pair::{Pair, Side};
use crate::joint::{Joint, JointImpulses, JointKind, JointSpring, ball, distance, hinge, weld};
use crate::softness::Softness;

/// What every sweep over joints shares.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JointContext<'a> {
    /// The rows of the bodies.
    pub(crate) rows: &'a BodyRows,
    /// Length of a sub-step, in seconds, above 0.
    pub(crate) h: f32,
    /// Of constraints that are meant to be rigid.
    pub(crate) softness: Softness,
}

/// A joint during a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PreparedJoint {
    /// What it has done in the present sub-step.
    pub(crate) impulses: JointImpulses,
    kind: JointKind,
    pub(super) row_a: u32,
    pub(super) row_b: u32,
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
    pub(super) pair: Pair,
    /// B's anchor less A's, in metres.
    pub(super) gap: Vec3,
    /// Orientation of the joint's frame on each body; of no meaning where it does not matter.
    pub(super) frame_a: Quat,
    pub(super) frame_b: Quat,
    pub(super) h: f32,
    /// Of what is meant to be rigid, in this sweep.
    pub(super) softness: Softness,
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

impl Present {
    /// Of `spring`, or of what is meant to be rigid.
    pub(super) fn softness_of(&self, spring: Option<JointSpring>) -> Softness {
        match spring {
            Some(spring) => Softness::new(spring.hertz, spring.damping_ratio, self.h),
            None => self.softness,
        }
    }
}

impl PreparedJoint {
    /// `joint` as the step begins.
    pub(crate) fn new(joint: &Joint, bodies: &[Body], table: BodyTable<'_>) -> Self {
        let a = Seat::new(joint.body_a, joint.frame_a.translation, bodies, table);
        let b = Seat::new(joint.body_b, joint.frame_b.translation, bodies, table);
        Self {
            impulses: joint.impulses,
            kind: joint.kind,
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
        let mut present = self.present(context, Softness::RIGID);
        match self.kind {
            JointKind::Ball {
                friction_torque,
                spring,
                cone,
                twist,
            } => {
                let settings = ball::Settings {
                    friction_torque,
                    spring,
                    cone,
                    twist,
                };
                ball::warm_start(&mut present, &settings, &self.impulses);
            }
            JointKind::Hinge { .. } => hinge::warm_start(&mut present, &self.impulses),
            JointKind::Weld { .. } => weld::warm_start(&mut present, &self.impulses),
            JointKind::Distance { .. } => distance::warm_start(&mut present, &self.impulses),
            JointKind::NoContact => {}
        }
        present.pair.store(context.rows);
    }

    /// One pass over the joint's rows; with `biased` it also removes position errors.
    pub(crate) fn solve(&mut self, context: &JointContext<'_>, biased: bool) {
        let softness = if biased {
            context.softness
        } else {
            Softness::RIGID
        };
        let mut present = self.present(context, softness);
        self.solve_rotation(&mut present);
        let impulses = &mut self.impulses;
        match self.kind {
            JointKind::Ball { .. } | JointKind::Hinge { .. } => {
                present
                    .pair
                    .hold_anchor(present.gap, present.softness, &mut impulses.linear);
            }
            JointKind::Weld { linear, .. } => {
                let softness = present.softness_of(linear);
                present
                    .pair
                    .hold_anchor(present.gap, softness, &mut impulses.linear);
            }
            JointKind::Distance {
                min,
                max,
                rest,
                spring,
            } => {
                let settings = distance::Settings {
                    min,
                    max,
                    rest,
                    spring,
                };
                distance::solve(&mut present, settings, impulses);
            }
            JointKind::NoContact => {}
        }
        present.pair.store(context.rows);
    }

    /// The rows about rotation, of kinds that also hold their anchors together.
    pub(super) fn solve_rotation(&mut self, present: &mut Present) {
        let impulses = &mut self.impulses;
        match self.kind {
            JointKind::Ball {
                friction_torque,
                spring,
                cone,
                twist,
            } => {
                let settings = ball::Settings {
                    friction_torque,
                    spring,
                    cone,
                    twist,
                };
                ball::solve(present, &settings, impulses);
            }
            JointKind::Hinge {
                limit,
                motor,
                spring,
            } => {
                hinge::solve(present, limit, motor, spring, impulses);
            }
            JointKind::Weld { angular, .. } => weld::solve(present, angular, impulses),
            JointKind::Distance { .. } | JointKind::NoContact => {}
        }
    }

    #[inline]
    pub(super) fn present(&self, context: &JointContext<'_>, softness: Softness) -> Present {
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
        Present {
            gap: self.offset + (b.moved - a.moved) + (arm_b - arm_a),
            frame_a,
            frame_b,
            pair: Pair { a, b, arm_a, arm_b },
            h: context.h,
            softness,
        }
    }
}

/// Whether how the frames of a joint are turned matters to it.
fn has_axes(kind: &JointKind) -> bool {
    match kind {
        JointKind::Ball {
            spring,
            cone,
            twist,
            ..
        } => spring.is_some() || cone.is_some() || twist.is_some(),
        JointKind::Hinge { .. } | JointKind::Weld { .. } => true,
        JointKind::Distance { .. } | JointKind::NoContact => false,
    }
}
