//! The sweeps over points: preparing, warm start, biased and relaxing solution.

use drystone_geometry::lanes::{SymMat3x8, Vec3x8, f32x8};
use fearless_simd::prelude::*;

use crate::body::{Body, BodyTable};
use crate::contact::lanes::{BodyLanes, DeltaLanes};
use crate::joint::Joint;
use crate::joint::point::{NO_JOINT, PointBundle, PointLot};
use crate::joint::prepared::{JointContext, Seat};
use crate::joint::pull::{self, Ends};
use crate::joint::tree::block::{Block, compliance};
use crate::softness::Softness;

/// Fills a lot whose `ids` are set.
pub(crate) fn prepare(lot: &mut PointLot, joints: &[Joint], bodies: &[Body], table: BodyTable<'_>) {
    for (bundle, ids) in lot.bundles.iter_mut().zip(&lot.ids) {
        *bundle = PointBundle::EMPTY;
        for (lane, &id) in ids.iter().enumerate() {
            if id != NO_JOINT {
                let joint = &joints[id as usize];
                let a = Seat::new(joint.body_a, joint.frame_a.translation, bodies, table);
                let b = Seat::new(joint.body_b, joint.frame_b.translation, bodies, table);
                bundle.row_a[lane] = a.row;
                bundle.row_b[lane] = b.row;
                bundle.arm_a.set(lane, a.arm);
                bundle.arm_b.set(lane, b.arm);
                let offset = (b.pose.center - a.pose.center).as_vec3();
                bundle.offset.set(lane, offset);
                bundle.impulse.set(lane, joint.impulses.linear);
            }
        }
    }
}

/// Eight joints at the present poses of their bodies.
struct Present<S: Simd> {
    a: BodyLanes<S>,
    b: BodyLanes<S>,
    arm_a: Vec3x8<S>,
    arm_b: Vec3x8<S>,
    /// B's anchor less A's.
    gap: Vec3x8<S>,
}

impl<S: Simd> Present<S> {
    #[inline(always)]
    fn gather(simd: S, context: &JointContext<'_>, bundle: &PointBundle) -> Self {
        let moved_a = DeltaLanes::gather(simd, context.rows, &bundle.row_a);
        let moved_b = DeltaLanes::gather(simd, context.rows, &bundle.row_b);
        let arm_a = rotate(&moved_a, bundle.arm_a.load(simd));
        let arm_b = rotate(&moved_b, bundle.arm_b.load(simd));
        let moved = moved_b.position - moved_a.position;
        Self {
            a: BodyLanes::gather(simd, context.rows, &bundle.row_a),
            b: BodyLanes::gather(simd, context.rows, &bundle.row_b),
            arm_a,
            arm_b,
            gap: bundle.offset.load(simd) + moved + (arm_b - arm_a),
        }
    }

    #[inline(always)]
    fn push(&mut self, impulse: Vec3x8<S>) {
        self.b.push(impulse, self.arm_b.cross(impulse));
        self.a.pull(impulse, self.arm_a.cross(impulse));
    }

    #[inline(always)]
    fn scatter(&self, context: &JointContext<'_>, bundle: &PointBundle) {
        self.a.scatter(context.rows, &bundle.row_a);
        self.b.scatter(context.rows, &bundle.row_b);
    }
}

/// An arm turned as far as its body has since the step began. The row of static bodies is all
/// zeros, which turns nothing.
#[inline(always)]
fn rotate<S: Simd>(delta: &DeltaLanes<S>, arm: Vec3x8<S>) -> Vec3x8<S> {
    let t = delta.rotation.cross(arm);
    let t = t + t;
    arm.add_scaled(t, delta.rotation_w) + delta.rotation.cross(t)
}

/// Applies the impulses of the sub-step before to the bodies.
#[inline(always)]
pub(crate) fn warm_start<S: Simd>(simd: S, context: &JointContext<'_>, lot: &PointLot) {
    for bundle in &lot.bundles {
        let mut present = Present::gather(simd, context, bundle);
        present.push(bundle.impulse.load(simd));
        present.scatter(context, bundle);
    }
}

/// One pass that also closes gaps.
#[inline(always)]
pub(crate) fn solve<S: Simd>(simd: S, context: &JointContext<'_>, lot: &mut PointLot) {
    let Softness {
        bias_rate,
        mass_scale,
        impulse_scale,
    } = context.alone(lot.is_net);
    let bias_rate = f32x8::splat(simd, bias_rate);
    let mass_scale = f32x8::splat(simd, mass_scale);
    let impulse_scale = f32x8::splat(simd, impulse_scale);
    for bundle in &mut lot.bundles {
        let mut present = Present::gather(simd, context, bundle);
        let velocity = anchor_velocity(&present).add_scaled(present.gap, bias_rate);
        let step = solve_block(&present, velocity).scale(mass_scale);
        let old = bundle.impulse.load(simd);
        let change = -step.add_scaled(old, impulse_scale);
        bundle.impulse.store(old + change);
        present.push(change);
        present.scatter(context, bundle);
    }
}

/// One pass over the velocities alone.
#[inline(always)]
pub(crate) fn relax<S: Simd>(simd: S, context: &JointContext<'_>, lot: &mut PointLot) {
    for bundle in &mut lot.bundles {
        let mut present = Present::gather(simd, context, bundle);
        let change = -solve_block(&present, anchor_velocity(&present));
        let impulse = bundle.impulse.load(simd) + change;
        bundle.impulse.store(impulse);
        present.push(change);
        present.scatter(context, bundle);
        let a = Ends {
            rows: &bundle.row_a,
            arm: present.arm_a,
            inverse_inertia: present.a.inverse_inertia.diagonal,
        };
        let b = Ends {
            rows: &bundle.row_b,
            arm: present.arm_b,
            inverse_inertia: present.b.inverse_inertia.diagonal,
        };
        pull::feel(context.rows, context.h, impulse, a);
        pull::feel(context.rows, context.h, impulse, b);
    }
}

/// Velocity of B's anchor relative to A's.
#[inline(always)]
fn anchor_velocity<S: Simd>(present: &Present<S>) -> Vec3x8<S> {
    (present.b.linear + present.b.angular.cross(present.arm_b))
        - (present.a.linear + present.a.angular.cross(present.arm_a))
}

/// Impulse that changes the anchors' relative velocity by `right`.
#[inline(always)]
fn solve_block<S: Simd>(present: &Present<S>, right: Vec3x8<S>) -> Vec3x8<S> {
    let a = compliance(
        present.a.inverse_mass,
        present.a.inverse_inertia,
        present.arm_a,
    );
    let b = compliance(
        present.b.inverse_mass,
        present.b.inverse_inertia,
        present.arm_b,
    );
    let both = SymMat3x8 {
        diagonal: a.diagonal + b.diagonal,
        off_diagonal: a.off_diagonal + b.off_diagonal,
    };
    Block::factor(both).solve(right)
}
