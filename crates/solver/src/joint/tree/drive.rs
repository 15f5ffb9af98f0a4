//! Motors of hinges without a spring hold their speed as if it were locked, while their torque
//! suffices.
//!
//! One hinge after the other, a motor knows its two bodies alone: an arm of six links that its
//! motors hold would give way like a spring and sway for minutes. As a sixth direction of the
//! hinge a motor is solved with all that the tree locks, and takes what hangs on it at once. What
//! asks for more than it has goes without it, and the motor does what it can (see
//! [`turn`](super::turn)). What contacts hold back stays: they have the last word on speeds.

use drystone_geometry::lanes::{f32x8, mask32x8, max, min};
use fearless_simd::prelude::*;

use crate::joint::tree::angle::near;
use crate::joint::tree::direct::Bundle;
use crate::joint::tree::grip::inverse_inertia;
use crate::joint::tree::parts::{Parts, take};
use crate::joint::tree::{BodyWork, Class, Edge, JointLanes, PresentLanes};

/// Whether a motor is not at the end of its torque.
#[inline(always)]
fn has_torque<S: Simd>(simd: S, joint: &JointLanes) -> mask32x8<S> {
    let done = joint.done.motor.load(simd);
    max(done, -done).simd_lt(joint.motor_most.load(simd))
}

/// The joint of an edge whose last direction is that of a motor.
#[inline(always)]
pub(super) fn driven<const N: usize>(bundle: Bundle<'_>, edge: &Edge) -> Option<usize> {
    let index = edge.joints[0] as usize;
    (N == 6 && bundle.shape.joints[index].class == Class::Driven).then_some(index)
}

/// How fast the bodies of eight joints turn against each other about the axis before a pass.
#[inline(always)]
pub(super) fn turning<S: Simd>(
    simd: S,
    bundle: Bundle<'_>,
    work: &[BodyWork],
    index: usize,
) -> f32x8<S> {
    let role = bundle.shape.joints[index];
    let [a, b] = [role.body_a, role.body_b].map(|body| work[body as usize].angular.load(simd));
    bundle.presents[index].axis.load(simd).dot(b - a)
}

/// Adds to what motors do, so far as their torque goes; returns what was added.
#[inline(always)]
pub(super) fn drive<S: Simd>(simd: S, joint: &mut JointLanes, impulse: f32x8<S>) -> f32x8<S> {
    let most = joint.motor_most.load(simd);
    let old = joint.done.motor.load(simd);
    let new = min(max(old + impulse, -most), most);
    joint.done.motor.store(new);
    new - old
}

/// Says of which of eight hinges the motors count as locked: those that are not at the end of their
/// torque, nor at a stop or about to come to one.
#[inline(always)]
pub(super) fn refresh<S: Simd>(simd: S, joint: &JointLanes, present: &mut PresentLanes) {
    let (zero, one) = (f32x8::splat(simd, 0.0), f32x8::splat(simd, 1.0));
    let mut drives = has_torque(simd, joint);
    if joint.uses.limit {
        let (lower, upper) = (joint.lower.load(simd), joint.upper.load(simd));
        let middle = (lower + upper) * f32x8::splat(simd, 0.5);
        let angle = near(present.angle.load(simd), middle);
        let way = joint.motor_way.load(simd);
        let pushes = max(joint.done.lower.load(simd), joint.done.upper.load(simd));
        drives &= (angle + min(way, zero)).simd_gt(lower);
        drives &= (angle + max(way, zero)).simd_lt(upper);
        drives &= pushes.simd_le(zero);
    }
    present.drives.store(drives.select(one, zero));
}

/// Counts motors as locked no more that came to the end of their torque in the last pass, in trees
/// where that `may` be, and takes these trees back to what [`keep`] has kept, with the torque of the
/// motors at its end. Returns them, if there are some.
///
/// What the last pass left is no place to start from: it held against a load that the motors do not.
#[inline(always)]
pub(super) fn let_go<S: Simd>(
    simd: S,
    parts: &mut Parts<'_>,
    may: mask32x8<S>,
) -> Option<mask32x8<S>> {
    let zero = f32x8::splat(simd, 0.0);
    let mut some = zero.simd_gt(zero);
    for (index, role) in parts.shape.joints.iter().enumerate() {
        if role.class != Class::Driven {
            continue;
        }
        let (joint, present) = (&parts.joints[index], &mut parts.presents[index]);
        let drives = present.drives.load(simd);
        let ends = drives.simd_gt(zero) & !has_torque(simd, joint) & may;
        if !ends.any_true() {
            continue;
        }
        present.drives.store(ends.select(zero, drives));
        some |= ends;
        let motor = &mut parts.passed[index].motor;
        let old = motor.load(simd);
        let new = ends.select(joint.done.motor.load(simd), old);
        motor.store(new);
        let twist = present.axis.load(simd).scale(new - old);
        let [a, b] = [role.body_a, role.body_b].map(|body| body as usize);
        let turn = inverse_inertia(simd, &parts.bodies[a]).apply(twist);
        let spin = &mut parts.went[a][1];
        spin.store(spin.load(simd) - turn);
        let turn = inverse_inertia(simd, &parts.bodies[b]).apply(twist);
        let spin = &mut parts.went[b][1];
        spin.store(spin.load(simd) + turn);
    }
    if !some.any_true() {
        return None;
    }
    restore(simd, parts, some);
    Some(some)
}

/// Keeps impulses and velocities as they are.
#[inline(always)]
pub(super) fn keep(parts: &mut Parts<'_>) {
    for (kept, joint) in parts.passed.iter_mut().zip(&*parts.joints) {
        *kept = joint.done;
    }
    for (kept, work) in parts.went.iter_mut().zip(&*parts.work) {
        *kept = [work.linear, work.angular];
    }
}

/// Puts back what [`keep`] has kept of some trees.
#[inline(always)]
pub(super) fn restore<S: Simd>(simd: S, parts: &mut Parts<'_>, some: mask32x8<S>) {
    for (kept, joint) in parts.passed.iter().zip(&mut *parts.joints) {
        joint.done.take(simd, some, kept);
    }
    for (kept, work) in parts.went.iter().zip(&mut *parts.work) {
        take(simd, some, &mut work.linear, &kept[0]);
        take(simd, some, &mut work.angular, &kept[1]);
    }
}
