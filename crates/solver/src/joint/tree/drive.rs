//! What turns joints, solved with what is locked: motors of hinges while their torque suffices, and
//! springs too stiff for sub-steps to resolve.
//!
//! One joint after the other, a motor or a spring knows its two bodies alone: an arm of six links that
//! motors hold would give way and sway for minutes, and one that stiff springs hold swings up, since
//! each of them takes its link for far lighter than what hangs on it makes it. As a further direction of
//! the joint they are solved with all that the tree locks, and take what hangs on it at once. A spring
//! gives way in its direction: with `c` its damping and `h` the sub-step, by
//! `1 / (h c)` of its impulse and more where sub-steps cannot follow it: see
//! [`CoupledSpring`](crate::softness::CoupledSpring).
//!
//! What asks for more torque than there is goes without the joint, which does what it can (see
//! [`turn`](super::turn)), and so does what is at a stop. What contacts hold back stays: they have the
//! last word on the speeds of motors.

use drystone_geometry::lanes::{SymMat3x8, Vec3x8, f32x8, mask32x8, max, min};
use fearless_simd::prelude::*;

use crate::joint::tree::angle::{near, wrap};
use crate::joint::tree::direct::Bundle;
use crate::joint::tree::guide::hold;
use crate::joint::tree::parts::{Parts, take, take_lane};
use crate::joint::tree::rest;
use crate::joint::tree::shape::Edge;
use crate::joint::tree::stop;
use crate::joint::tree::system::System;
use crate::joint::tree::{BodyWork, Class, JointLanes, PresentLanes};

/// What a pass asks of what turns joints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turns {
    /// Motors reach their speeds.
    AsTold,
    /// Motors keep the speeds they find.
    AsFound,
    /// After the movement: motors keep the speeds they find, and springs resist what changes them.
    Again,
    /// Nothing but to resist what else the pass does.
    Unasked,
}

/// A joint with a direction that turns or stops it, the last of its edge, or the last three.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turned {
    index: usize,
    class: Class,
}

/// The joint of an edge that is turned.
#[inline(always)]
pub(super) fn turned<const N: usize>(bundle: Bundle<'_>, edge: &Edge) -> Option<Turned> {
    if N != 6 {
        return None;
    }
    let index = edge.joints[0] as usize;
    let class = bundle.shape.joints[index].class;
    let is_turned = matches!(
        class,
        Class::Driven | Class::Sprung | Class::Stopped | Class::Elastic
    );
    is_turned.then_some(Turned { index, class })
}

/// Whether what turns a joint is not at the end of its torque.
#[inline(always)]
fn has_torque<S: Simd>(simd: S, class: Class, joint: &JointLanes) -> mask32x8<S> {
    let (done, most) = if class == Class::Driven {
        (&joint.done.motor, &joint.motor_most)
    } else {
        (&joint.done.axis_spring, &joint.spring.most)
    };
    let done = done.load(simd);
    max(done, -done).simd_lt(most.load(simd))
}

/// Says of which of eight joints what turns them is solved with what is locked: where it is not at the
/// end of its torque, nor at a stop or about to come to one.
#[inline(always)]
pub(super) fn refresh<S: Simd>(
    simd: S,
    class: Class,
    joint: &JointLanes,
    present: &mut PresentLanes,
) {
    let (zero, one) = (f32x8::splat(simd, 0.0), f32x8::splat(simd, 1.0));
    let mut drives = match class {
        Class::Driven | Class::Sprung => has_torque(simd, class, joint),
        Class::Elastic => joint.done.cone.load(simd).simd_le(zero),
        _ => return,
    };
    if joint.uses.limit {
        let (lower, upper) = (joint.lower.load(simd), joint.upper.load(simd));
        let middle = (lower + upper) * f32x8::splat(simd, 0.5);
        let angle = near(present.angle.load(simd), middle);
        // A spring takes the joint to its target.
        let way = if class == Class::Driven {
            joint.motor_way.load(simd)
        } else {
            wrap(joint.spring.target.load(simd) - angle)
        };
        let pushes = max(joint.done.lower.load(simd), joint.done.upper.load(simd));
        drives &= (angle + min(way, zero)).simd_ge(lower);
        drives &= (angle + max(way, zero)).simd_le(upper);
        drives &= pushes.simd_le(zero);
    }
    present.drives.store(drives.select(one, zero));
}

/// Lets a spring give way, and gives no impulse to what is not solved with what is locked.
#[inline(always)]
pub(super) fn give<S: Simd, const N: usize>(
    simd: S,
    bundle: Bundle<'_>,
    Turned { index, class }: Turned,
    joints: &[JointLanes],
    system: &mut System<S, N>,
    held: &mut [f32x8<S>; N],
) {
    let present = &bundle.presents[index];
    let drives = present.drives.load(simd).simd_gt(f32x8::splat(simd, 0.0));
    let acts = drives | present.stop.holds(simd);
    let never = f32x8::splat(simd, f32::MAX);
    let first = if class == Class::Elastic { 3 } else { 5 };
    for held in &mut held[first..] {
        *held = acts.select(*held, never);
    }
    if matches!(class, Class::Driven | Class::Stopped) {
        return;
    }
    let give = joints[index].spring.coupled[0].load(simd);
    let own = own_spin(simd, present);
    if class == Class::Sprung {
        let axis = present.axis.load(simd);
        let give = give * axis.dot(own.apply(axis));
        system.matrix[N - 1][N - 1] += drives.select(give, f32x8::splat(simd, 0.0));
        return;
    }
    let (d, o) = (own.diagonal.scale(give), own.off_diagonal.scale(give));
    system.matrix[N - 3][N - 3] += d.x;
    system.matrix[N - 2][N - 2] += d.y;
    system.matrix[N - 1][N - 1] += d.z;
    system.matrix[N - 1][N - 2] += o.x;
    system.matrix[N - 1][N - 3] += o.y;
    system.matrix[N - 2][N - 3] += o.z;
}

#[inline(always)]
fn own_spin<S: Simd>(simd: S, present: &PresentLanes) -> SymMat3x8<S> {
    let [diagonal, off_diagonal] = &present.own_spin;
    SymMat3x8 {
        diagonal: diagonal.load(simd),
        off_diagonal: off_diagonal.load(simd),
    }
}

/// What springs or motors of eight joints that are solved with what is locked have done so far.
#[inline(always)]
pub(super) fn done<S: Simd>(
    simd: S,
    class: Class,
    joint: &JointLanes,
    present: &PresentLanes,
) -> Vec3x8<S> {
    let axis = present.axis.load(simd);
    match class {
        Class::Driven => axis.scale(joint.done.motor.load(simd)),
        Class::Sprung => axis.scale(joint.done.axis_spring.load(simd)),
        Class::Elastic => joint.done.spring.load(simd),
        _ => Vec3x8::zero(simd),
    }
}

/// Adds the speeds that what turns a joint is to reach to those that its edge is to make good.
#[inline(always)]
pub(super) fn aim<S: Simd, const N: usize>(
    simd: S,
    bundle: Bundle<'_>,
    Turned { index, class }: Turned,
    turns: Turns,
    joints: &[JointLanes],
    work: &[BodyWork],
    right: &mut [f32x8<S>; N],
) {
    if turns == Turns::Unasked || class == Class::Stopped {
        return;
    }
    let role = bundle.shape.joints[index];
    let sign = f32x8::splat(simd, if role.outward { 1.0 } else { -1.0 });
    let (joint, present) = (&joints[index], &bundle.presents[index]);
    let axis = present.axis.load(simd);
    let sides = [role.body_a, role.body_b].map(|body| body as usize);
    let is_motor = class == Class::Driven;
    // The speeds to reach, of B against A.
    let speed = if is_motor && turns == Turns::AsTold {
        axis.scale(joint.motor_speed.load(simd))
    } else if is_motor || turns == Turns::Again {
        let [a, b] = sides.map(|body| work[body].angular.load(simd));
        b - a
    } else {
        let [give, rate] = &joint.spring.coupled;
        let (give, rate) = (give.load(simd), rate.load(simd));
        let done = done(simd, class, joint, present);
        let given = own_spin(simd, present).apply(done).scale(give);
        let error = if class == Class::Sprung {
            axis.scale(wrap(
                present.angle.load(simd) - joint.spring.target.load(simd),
            ))
        } else {
            present.tilt.load(simd)
        };
        -(error.scale(rate) + given)
    };
    if class == Class::Elastic {
        right[N - 3] += sign * speed.x;
        right[N - 2] += sign * speed.y;
        right[N - 1] += sign * speed.z;
    } else {
        let drives = present.drives.load(simd).simd_gt(f32x8::splat(simd, 0.0));
        right[N - 1] += drives.select(sign * axis.dot(speed), f32x8::splat(simd, 0.0));
    }
}

/// Keeps the impulses on the child from `row` on, so far as there is torque for them and stops do not
/// pull; returns the row after them.
#[inline(always)]
pub(super) fn keep_impulses<S: Simd, const N: usize>(
    simd: S,
    class: Class,
    joint: &mut JointLanes,
    present: &PresentLanes,
    sign: f32x8<S>,
    impulse: &mut [f32x8<S>; N],
    row: usize,
) -> usize {
    if class == Class::Elastic {
        let change = Vec3x8 {
            x: impulse[row],
            y: impulse[row + 1],
            z: impulse[row + 2],
        };
        let old = joint.done.spring.load(simd);
        joint.done.spring.store(old + change.scale(sign));
        return row + 3;
    }
    if !class.has_stop() {
        return row;
    }
    let wanted = sign * impulse[row];
    let mut change = stop::keep(simd, joint, present, wanted);
    if class != Class::Stopped {
        let (done, most) = if class == Class::Driven {
            (&mut joint.done.motor, joint.motor_most.load(simd))
        } else {
            (&mut joint.done.axis_spring, joint.spring.most.load(simd))
        };
        let drives = present.drives.load(simd).simd_gt(f32x8::splat(simd, 0.0));
        change += hold::add(simd, done, drives, wanted, [-most, most]);
    }
    impulse[row] = sign * change;
    row + 1
}

/// Solves no more with what is locked what came to the end of its torque in the last pass, and stops that
/// would have had to pull, in trees where that `may` be, and takes these trees back to what [`keep`] has
/// kept. Returns them, if there are some.
///
/// What the last pass left is no place to start from: it held against a load that is too much.
#[inline(always)]
pub(super) fn let_go<S: Simd>(
    simd: S,
    parts: &mut Parts<'_>,
    may: mask32x8<S>,
) -> Option<mask32x8<S>> {
    let zero = f32x8::splat(simd, 0.0);
    let mut some = zero.simd_gt(zero);
    let roles = parts.shape.joints.iter();
    let lanes = parts.joints.iter().zip(&mut *parts.presents);
    for (index, (role, (joint, present))) in roles.zip(lanes).enumerate() {
        if role.class.has_stop() {
            some |= stop::let_go(simd, joint, present, may);
        }
        if !role.class.may_end() {
            continue;
        }
        if let Class::Guide { .. } = role.class {
            some |= hold::let_go(simd, &parts.guides[index], &mut parts.guided[index], may);
            continue;
        }
        let drives = present.drives.load(simd);
        let ends = drives.simd_gt(zero) & !has_torque(simd, role.class, joint) & may;
        present.drives.store(ends.select(zero, drives));
        some |= ends;
    }
    if !parts.rests.is_empty() {
        some |= rest::let_go(simd, parts.rests, may);
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
    for (kept, guide) in parts.guides_passed.iter_mut().zip(&*parts.guides) {
        *kept = guide.done;
    }
    for rest in &mut *parts.rests {
        rest.passed = rest.impulse;
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
    for (kept, guide) in parts.guides_passed.iter().zip(&mut *parts.guides) {
        guide.done.take(simd, some, kept);
    }
    for rest in &mut *parts.rests {
        take_lane(simd, some, &mut rest.impulse, &rest.passed);
    }
    for (kept, work) in parts.went.iter().zip(&mut *parts.work) {
        take(simd, some, &mut work.linear, &kept[0]);
        take(simd, some, &mut work.angular, &kept[1]);
    }
}
