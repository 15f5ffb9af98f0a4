//! Chains: joints in a row, whose anchors are solved together and exactly.
//!
//! One joint after the other, a sweep hands the load of a heavy end only one link on, and a
//! chain a thousand times lighter than what hangs from it would need ten thousands of sweeps.
//! But along a chain each joint shares bodies with its two neighbours alone, so the matrix of
//! all anchors is block tridiagonal and solving it takes one pass there and one back.
//!
//! Baraff, *Linear-Time Dynamics using Lagrange Multipliers* (1996), for chains.

use drystone_geometry::glam::{DMat3, DVec3};

use crate::body::{Body, BodyTable};
use crate::joint::Joint;
use crate::joint::prepared::{JointContext, PreparedJoint, Present};
use crate::softness::Softness;
use crate::tolerance::{CHAIN_BIAS_RATIO, CHAIN_SHARE};

/// Joints in a row: each shares a pushed body with the next.
#[derive(Clone, Debug, Default)]
pub(crate) struct Chain {
    /// Ids of the joints.
    pub(crate) ids: Vec<u32>,
    /// In order along the chain.
    pub(crate) joints: Vec<PreparedJoint>,
    links: Vec<Link>,
}

/// A joint's part of the factored system.
#[derive(Clone, Copy, Debug)]
struct Link {
    /// Inverse of the diagonal block after elimination.
    inverse: DMat3,
    /// Block between the joint before and this one.
    coupling: DMat3,
    /// Right side, then the impulse.
    value: DVec3,
}

impl Chain {
    /// Gives the chain other joints; it keeps its buffers.
    pub(crate) fn reset(&mut self, ids: &[u32]) {
        self.ids.clear();
        self.ids.extend_from_slice(ids);
        self.joints.clear();
        self.links.clear();
    }

    /// Makes the joints ready for a step.
    pub(crate) fn prepare(&mut self, joints: &[Joint], bodies: &[Body], table: BodyTable<'_>) {
        self.joints.clear();
        let ids = self.ids.iter();
        self.joints
            .extend(ids.map(|&id| PreparedJoint::new(id, &joints[id as usize], bodies, table)));
    }

    /// Applies the impulses of the sub-step before.
    pub(crate) fn warm_start(&mut self, context: &JointContext<'_>) {
        for joint in &mut self.joints {
            joint.warm_start(context);
        }
    }

    /// Solves the rotations joint by joint, then all anchors at once; with `biased` gaps are
    /// closed too.
    pub(crate) fn solve(&mut self, context: &JointContext<'_>, biased: bool) {
        let softness = if biased {
            context.softness
        } else {
            Softness::RIGID
        };
        for joint in &mut self.joints {
            let mut present = joint.present(context, softness);
            let kind = &context.joints[joint.id() as usize].kind;
            joint.solve_rotation(kind, &mut present);
            present.pair.store(context.rows);
        }
        self.eliminate(
            context,
            if biased {
                CHAIN_BIAS_RATIO / context.h
            } else {
                0.0
            },
        );
        self.substitute();
        for (joint, link) in self.joints.iter_mut().zip(&self.links) {
            let mut present = joint.present(context, softness);
            let impulse = link.value.as_vec3();
            joint.impulses.linear += impulse;
            present.pair.push(impulse);
            present.pair.store(context.rows);
        }
    }

    /// Forward pass: builds the blocks and eliminates each joint from the next.
    fn eliminate(&mut self, context: &JointContext<'_>, bias_rate: f32) {
        self.links.clear();
        let mut before: Option<(Present, u32, u32)> = None;
        for joint in &self.joints {
            let present = joint.present(context, Softness::RIGID);
            let velocity = present.pair.anchor_velocity() + bias_rate * present.gap;
            let mut value = -velocity.as_dvec3();
            let mut block = present.pair.anchor_matrix();
            let trace = block.x_axis.x + block.y_axis.y + block.z_axis.z;
            block += DMat3::from_diagonal(DVec3::splat(CHAIN_SHARE * trace));
            let mut coupling = DMat3::ZERO;
            if let (Some((last, row_a, row_b)), Some(link)) = (&before, self.links.last()) {
                coupling = couple(last, *row_a, *row_b, &present, joint);
                let factor = coupling.transpose() * link.inverse;
                block -= factor * coupling;
                value -= factor * link.value;
            }
            let inverse = if block.determinant() > 0.0 {
                block.inverse()
            } else {
                DMat3::ZERO
            };
            self.links.push(Link {
                inverse,
                coupling,
                value,
            });
            before = Some((present, joint.row_a, joint.row_b));
        }
    }

    /// Backward pass: impulses from the last joint to the first.
    fn substitute(&mut self) {
        let mut after = DVec3::ZERO;
        for link in self.links.iter_mut().rev() {
            link.value = link.inverse * (link.value - after);
            after = link.coupling * link.value;
        }
    }
}

/// Velocity at the anchors of the joint before per impulse at this joint, through the body
/// they share.
fn couple(
    last: &Present,
    row_a: u32,
    row_b: u32,
    present: &Present,
    joint: &PreparedJoint,
) -> DMat3 {
    let (a, b) = (&present.pair.a, &present.pair.b);
    let (arm_a, arm_b) = (present.pair.arm_a, present.pair.arm_b);
    let (last_a, last_b) = (last.pair.arm_a, last.pair.arm_b);
    // An impulse pushes B and pulls A, so the sign is that of the two roles.
    if row_b == joint.row_a {
        -a.coupling(last_b, arm_a)
    } else if row_b == joint.row_b {
        b.coupling(last_b, arm_b)
    } else if row_a == joint.row_a {
        a.coupling(last_a, arm_a)
    } else {
        -b.coupling(last_a, arm_b)
    }
}
