//! What of guides is solved with all that the tree locks: locks, stops that push, motors while their force
//! suffices, and springs too stiff for sub-steps to follow.

use std::ops::Range;

use drystone_geometry::lanes::{Lane, Lane3, Vec3x8, f32x8, mask32x8, max, min};
use fearless_simd::prelude::*;

use crate::joint::tree::direct::Bundle;
use crate::joint::tree::drive::Turns;
use crate::joint::tree::grip::inverse_inertia;
use crate::joint::tree::guide::present::is_within;
use crate::joint::tree::guide::{AXES, AxisDone, GuideDone, GuideLanes, GuidePresent, role};
use crate::joint::tree::parts::{approach, take_lane};
use crate::joint::tree::rows::{LINE, ROTATION, Rows};
use crate::joint::tree::system::System;
use crate::joint::tree::{BodyWork, PresentLanes, Role, TreeBody};
use crate::softness::Softness;

impl GuideDone {
    /// Takes the lanes of the mask from `other`.
    #[inline(always)]
    pub(in crate::joint::tree) fn take<S: Simd>(
        &mut self,
        simd: S,
        mask: mask32x8<S>,
        other: &Self,
    ) {
        for (own, other) in self.axes.iter_mut().zip(&other.axes) {
            take_lane(simd, mask, &mut own.lock, &other.lock);
            take_lane(simd, mask, &mut own.motor, &other.motor);
            take_lane(simd, mask, &mut own.spring, &other.spring);
            take_lane(simd, mask, &mut own.lower, &other.lower);
            take_lane(simd, mask, &mut own.upper, &other.upper);
        }
        take_lane(simd, mask, &mut self.pull, &other.pull);
    }

    /// Forgets all impulses.
    #[inline(always)]
    pub(in crate::joint::tree) fn clear(&mut self) {
        self.axes = [AxisDone::NONE; AXES];
    }

    /// Goes a share of the way to `other`.
    #[inline(always)]
    pub(in crate::joint::tree) fn approach<S: Simd>(
        &mut self,
        simd: S,
        share: f32x8<S>,
        other: &Self,
    ) {
        for (own, other) in self.axes.iter_mut().zip(&other.axes) {
            approach(simd, share, &mut own.lock, &other.lock);
            approach(simd, share, &mut own.motor, &other.motor);
            approach(simd, share, &mut own.spring, &other.spring);
            approach(simd, share, &mut own.lower, &other.lower);
            approach(simd, share, &mut own.upper, &other.upper);
        }
    }

    /// All impulses along or about an axis.
    #[inline(always)]
    pub(super) fn total<S: Simd>(&self, simd: S, axis: usize) -> f32x8<S> {
        let AxisDone {
            lock,
            motor,
            spring,
            lower,
            upper,
        } = &self.axes[axis];
        lock.load(simd) + motor.load(simd) + spring.load(simd) + lower.load(simd) - upper.load(simd)
    }

    /// Force at B's anchor and torque on B, all together.
    #[inline(always)]
    pub(in crate::joint::tree) fn wrench<S: Simd>(
        &self,
        simd: S,
        guided: &GuidePresent,
    ) -> [Vec3x8<S>; 2] {
        let mut totals = [f32x8::splat(simd, 0.0); AXES];
        for (axis, total) in totals.iter_mut().enumerate() {
            *total = self.total(simd, axis);
        }
        let [x, y, z, a, b, c] = totals;
        let mut torque = guided.about[0].load(simd).scale(a);
        torque = torque.add_scaled(guided.about[1].load(simd), b);
        torque = torque.add_scaled(guided.about[2].load(simd), c);
        [guided.along_sum(simd, [x, y, z]), torque]
    }
}

impl GuidePresent {
    /// The rate of a place.
    #[inline(always)]
    pub(super) fn rate<S: Simd>(
        &self,
        simd: S,
        present: &PresentLanes,
        [a, b]: [&BodyWork; 2],
        axis: usize,
    ) -> f32x8<S> {
        if axis >= 3 {
            let spin = b.angular.load(simd) - a.angular.load(simd);
            return self.about[axis - 3].load(simd).dot(spin);
        }
        let speed = |work: &BodyWork, arm: &Lane3| {
            work.linear.load(simd) + work.angular.load(simd).cross(arm.load(simd))
        };
        let parting = speed(b, &present.arm_b) - speed(a, &present.arm_a);
        self.along[axis].load(simd).dot(parting)
    }
}

/// Enters the rows of a guide, number `joint` of its bundle.
#[inline(always)]
pub(in crate::joint::tree) fn list<S: Simd, const N: usize, const G: bool>(
    simd: S,
    joint: usize,
    [child, parent]: [Vec3x8<S>; 2],
    rows: &mut Rows<'_, S, N, G>,
    own: Range<usize>,
) {
    let guided = &rows.guides[joint];
    for (axis, row) in own.enumerate() {
        if axis < 3 {
            let along = guided.along[axis].load(simd);
            rows.axes[row] = LINE + 3 * joint + axis;
            rows.child[row] = child.cross(along);
            rows.parent[row] = parent.cross(along);
        } else {
            let about = guided.about[axis - 3].load(simd);
            rows.axes[row] = ROTATION;
            rows.child[row] = about;
            rows.parent[row] = about;
        }
    }
}

/// Lets springs give way, and gives no impulse to what the tree does not hold.
#[inline(always)]
pub(in crate::joint::tree) fn give<S: Simd, const N: usize>(
    simd: S,
    guide: &GuideLanes,
    guided: &GuidePresent,
    system: &mut System<S, N>,
    held: &mut [f32x8<S>; N],
    rows: Range<usize>,
) {
    for (axis, at) in rows.enumerate() {
        let (give, least) = give_along(simd, guide, guided, axis);
        held[at] = max(held[at], least);
        system.matrix[at][at] += give;
    }
}

/// How much a spring gives way along an axis, and the pivot up to which the tree does not hold it.
#[inline(always)]
pub(in crate::joint::tree) fn give_along<S: Simd>(
    simd: S,
    guide: &GuideLanes,
    guided: &GuidePresent,
    axis: usize,
) -> (f32x8<S>, f32x8<S>) {
    let (zero, never) = (f32x8::splat(simd, 0.0), f32x8::splat(simd, f32::MAX));
    let lanes = &guide.axes[axis];
    let least = guided.is(simd, axis, role::NONE).select(never, zero);
    if lanes.sway > 0.0 {
        return (guided.own[axis].load(simd), least);
    }
    if !lanes.uses.stiff {
        return (zero, least);
    }
    let give = lanes.spring.coupled[0].load(simd) * guided.own[axis].load(simd);
    let is_spring = guided.is(simd, axis, role::SPRING);
    (is_spring.select(give, zero), least)
}

/// Enters the speeds at which errors are to go, as the child's against the parent, at a `rate` with its
/// sign.
#[inline(always)]
pub(in crate::joint::tree) fn errors<S: Simd, const N: usize>(
    simd: S,
    guided: &GuidePresent,
    rate: f32x8<S>,
    errors: &mut [f32x8<S>; N],
    rows: Range<usize>,
) {
    let zero = f32x8::splat(simd, 0.0);
    for (axis, row) in rows.enumerate() {
        // Those of springs come by their own rates.
        let is_spring = guided.role[axis]
            .load(simd)
            .simd_ge(f32x8::splat(simd, role::SPRING));
        let error = guided.error[axis].load(simd) * rate;
        errors[row] = is_spring.select(zero, error);
    }
}

/// What a guide has done so far along and about an axis, as far as the tree holds it.
#[inline(always)]
pub(in crate::joint::tree) fn held<S: Simd>(
    simd: S,
    guide: &GuideLanes,
    guided: &GuidePresent,
    axis: usize,
) -> f32x8<S> {
    let done = &guide.done.axes[axis];
    let is = |what: f32| guided.is(simd, axis, what);
    let mut held = is(role::LOCK).select(done.lock.load(simd), f32x8::splat(simd, 0.0));
    held = is(role::MOTOR).select(done.motor.load(simd), held);
    held = is(role::SPRING).select(done.spring.load(simd), held);
    held = is(role::LOWER).select(done.lower.load(simd), held);
    is(role::UPPER).select(-done.upper.load(simd), held)
}

/// Adds the speeds that motors and springs are to reach, on B's side if the `sign` is 1, to those that an
/// edge is to make good.
#[inline(always)]
pub(in crate::joint::tree) fn aim<S: Simd, const N: usize>(
    simd: S,
    bundle: Bundle<'_>,
    index: usize,
    turns: Turns,
    guide: &GuideLanes,
    work: &[BodyWork],
    right: &mut [f32x8<S>; N],
    rows: Range<usize>,
) {
    if turns == Turns::Unasked {
        return;
    }
    let role = bundle.shape.joints[index];
    let sign = f32x8::splat(simd, if role.outward { 1.0 } else { -1.0 });
    let (present, guided) = (&bundle.presents[index], &bundle.guides[index]);
    let ends = [role.body_a, role.body_b].map(|body| &work[body as usize]);
    let zero = f32x8::splat(simd, 0.0);
    for (axis, row) in rows.enumerate() {
        let lanes = &guide.axes[axis];
        if !(lanes.uses.motor || lanes.uses.stiff || lanes.sway > 0.0) {
            continue;
        }
        let rate = guided.rate(simd, present, ends, axis);
        let told = if turns == Turns::AsTold {
            lanes.motor_speed.load(simd)
        } else {
            rate
        };
        let given = guide.done.axes[axis].spring.load(simd) * guided.own[axis].load(simd);
        let error = guided.error[axis].load(simd);
        let (swayed, pulled) = if turns == Turns::Again {
            (rate, rate)
        } else {
            let [give, error_rate] = &lanes.spring.coupled;
            let (give, error_rate) = (give.load(simd), error_rate.load(simd));
            (-(error + given), -(error * error_rate + given * give))
        };
        let mut speed = guided.is(simd, axis, role::MOTOR).select(told, zero);
        speed = guided.is(simd, axis, role::SWAY).select(swayed, speed);
        speed = guided.is(simd, axis, role::SPRING).select(pulled, speed);
        right[row] += sign * speed;
    }
}

/// Keeps the impulses on the child, locks softened, and the others so far as there is force
/// for them and stops do not pull.
#[inline(always)]
pub(in crate::joint::tree) fn keep<S: Simd, const N: usize>(
    simd: S,
    guide: &mut GuideLanes,
    guided: &GuidePresent,
    softness: Softness,
    sign: f32x8<S>,
    impulse: &mut [f32x8<S>; N],
    rows: Range<usize>,
) {
    let zero = f32x8::splat(simd, 0.0);
    let scale = f32x8::splat(simd, softness.mass_scale);
    let forget = f32x8::splat(simd, softness.impulse_scale);
    for (axis, row) in rows.enumerate() {
        let (lanes, done) = (&guide.axes[axis], &mut guide.done.axes[axis]);
        let wanted = sign * impulse[row];
        let is = |what: f32| guided.is(simd, axis, what);
        let old = done.lock.load(simd);
        let mut change = is(role::LOCK).select(wanted * scale - forget * old, zero);
        done.lock.store(old + change);
        if lanes.uses.motor {
            let most = lanes.motor_most.load(simd);
            change += add(
                simd,
                &mut done.motor,
                is(role::MOTOR),
                wanted,
                [-most, most],
            );
        }
        if lanes.uses.stiff {
            let most = lanes.spring.most.load(simd);
            change += add(
                simd,
                &mut done.spring,
                is(role::SPRING),
                wanted,
                [-most, most],
            );
        }
        if lanes.sway > 0.0 {
            let any = f32x8::splat(simd, f32::MAX);
            let sways = is(role::SWAY);
            change += add(simd, &mut done.spring, sways, wanted, [-any, any]);
        }
        if lanes.uses.limit {
            let any = f32x8::splat(simd, f32::MAX);
            change += add(simd, &mut done.lower, is(role::LOWER), wanted, [zero, any]);
            change -= add(simd, &mut done.upper, is(role::UPPER), -wanted, [zero, any]);
        }
        impulse[row] = change * sign;
    }
}

/// Adds to an impulse where it `may`, within bounds; returns what came of it.
#[inline(always)]
pub(in crate::joint::tree) fn add<S: Simd>(
    simd: S,
    done: &mut Lane,
    may: mask32x8<S>,
    wanted: f32x8<S>,
    [least, most]: [f32x8<S>; 2],
) -> f32x8<S> {
    let old = done.load(simd);
    let new = may.select(min(max(old + wanted, least), most), old);
    done.store(new);
    new - old
}

/// Where the tree holds something of an axis that ended in the last pass: a motor or a spring at the end
/// of its force, or a stop that would have to pull.
#[inline(always)]
fn ends<S: Simd>(
    simd: S,
    guide: &GuideLanes,
    guided: &GuidePresent,
    axis: usize,
    may: mask32x8<S>,
) -> mask32x8<S> {
    let zero = f32x8::splat(simd, 0.0);
    let (lanes, done) = (&guide.axes[axis], &guide.done.axes[axis]);
    let is = |what: f32| guided.is(simd, axis, what);
    let mut ends = zero.simd_gt(zero);
    if lanes.uses.motor {
        let within = is_within(done.motor.load(simd), lanes.motor_most.load(simd));
        ends |= is(role::MOTOR) & !within;
    }
    if lanes.uses.stiff {
        let within = is_within(done.spring.load(simd), lanes.spring.most.load(simd));
        ends |= is(role::SPRING) & !within;
    }
    if lanes.uses.limit {
        ends |= is(role::LOWER) & done.lower.load(simd).simd_le(zero);
        ends |= is(role::UPPER) & done.upper.load(simd).simd_le(zero);
    }
    ends & may
}

/// Takes out of what the tree holds what came to its end in the last pass, and notes where it ended.
/// Returns where something did.
#[inline(always)]
pub(in crate::joint::tree) fn let_go<S: Simd>(
    simd: S,
    guide: &GuideLanes,
    guided: &mut GuidePresent,
    may: mask32x8<S>,
) -> mask32x8<S> {
    let zero = f32x8::splat(simd, 0.0);
    let mut some = zero.simd_gt(zero);
    for axis in 0..AXES {
        let uses = guide.axes[axis].uses;
        if !(uses.motor || uses.stiff || uses.limit) {
            continue;
        }
        let ends = ends(simd, guide, guided, axis, may);
        let role = guided.role[axis].load(simd);
        guided.end[axis].store(held(simd, guide, guided, axis));
        guided.role[axis].store(ends.select(-role, role));
        some |= ends;
    }
    some
}

/// Lets what was let go do what it ended at: a motor and a spring all they can, a stop nothing. Returns
/// whether there was something.
#[inline(always)]
pub(in crate::joint::tree) fn end<S: Simd>(
    simd: S,
    role: Role,
    guide: &mut GuideLanes,
    present: &PresentLanes,
    guided: &mut GuidePresent,
    bodies: &[TreeBody],
    work: &mut [BodyWork],
) -> bool {
    let zero = f32x8::splat(simd, 0.0);
    let mut any = false;
    for axis in 0..AXES {
        let ended = guided.role[axis].load(simd);
        let left = ended.simd_lt(zero);
        if !left.any_true() {
            continue;
        }
        let done = &mut guide.done.axes[axis];
        let goal = guided.end[axis].load(simd);
        let mut change = zero;
        for (what, place, sign) in [
            (role::MOTOR, &mut done.motor, 1.0),
            (role::SPRING, &mut done.spring, 1.0),
            (role::LOWER, &mut done.lower, 1.0),
            (role::UPPER, &mut done.upper, -1.0),
        ] {
            let here = ended.simd_eq(f32x8::splat(simd, -what));
            let (sign, old) = (f32x8::splat(simd, sign), place.load(simd));
            let new = here.select(sign * goal, old);
            place.store(new);
            change += sign * (new - old);
        }
        guided.role[axis].store(left.select(zero, ended));
        push(simd, role, present, guided, axis, change, bodies, work);
        any = true;
    }
    any
}

/// Applies an impulse along or about an axis to B, and its opposite to A.
#[inline(always)]
pub(super) fn push<S: Simd>(
    simd: S,
    role: Role,
    present: &PresentLanes,
    guided: &GuidePresent,
    axis: usize,
    impulse: f32x8<S>,
    bodies: &[TreeBody],
    work: &mut [BodyWork],
) {
    let sides = [
        (role.body_a as usize, &present.arm_a, -impulse),
        (role.body_b as usize, &present.arm_b, impulse),
    ];
    for (index, arm, impulse) in sides {
        let (body, work) = (&bodies[index], &mut work[index]);
        let (kind, along, about) = guided.row(simd, axis, arm);
        if kind == LINE {
            let pushed = body.inverse_mass.load(simd).mul_components(along);
            let linear = work.linear.load(simd);
            work.linear.store(linear.add_scaled(pushed, impulse));
        }
        let turned = inverse_inertia(simd, body).apply(about);
        let angular = work.angular.load(simd);
        work.angular.store(angular.add_scaled(turned, impulse));
    }
}
