//! Speed that has closed gaps, taken back once they are closed.
//!
//! Before the movement of a sub-step a share of every gap becomes speed. Bodies that swing need it: they
//! move straight on, which opens as much of a gap as the speed closes, and it turns theirs the way they
//! go. What is closed beyond that is none of their speed. Relaxing takes it out as long as the joints
//! hold in the same directions after the movement. But where a slack chain is pulled taut its links pass
//! through the line, and beyond it they give way to what was held before: the speed stays, and throws
//! the heavy end back with energy from nowhere.
//!
//! So what a gap is smaller after the movement than before is taken out of the velocities, in the
//! directions of before the movement. Trees that are held at several places or have loops keep it, as what gives way
//! beside other joints does not close by its own speed alone. Where nothing else pushes a tree, its energy tells what
//! is too much; see [`jerk`](super::jerk).

use drystone_geometry::lanes::{Lane, Vec3x8, divide_or_zero, f32x8, mask32x8, min};
use fearless_simd::prelude::*;

use crate::joint::prepared::JointContext;
use crate::joint::tree::direct::{self, Aim, Bundle, Joints};
use crate::joint::tree::drive::Turns;
use crate::joint::tree::edges::{backward, forward};
use crate::joint::tree::parts::{Parts, take};
use crate::joint::tree::rest::{self, RestAim};
use crate::joint::tree::sweep::{gather, keep, put_back, scatter};
use crate::joint::tree::{Class, guide, jerk, present};
use crate::softness::Softness;
use crate::tolerance::CLOSED_GAP_SHARE;

/// Takes back the speed that has closed gaps in the movement since presents and factors were renewed.
#[inline(always)]
pub(super) fn take_back<S: Simd>(simd: S, context: &JointContext<'_>, parts: &mut Parts<'_>) {
    let zero = f32x8::splat(simd, 0.0);
    let gives = parts.gives.load(simd).simd_gt(zero);
    let gapes = gapes(simd, parts) & !gives & !jerk::may(simd, parts);
    if gapes.any_true() {
        simd.vectorize(
            #[inline(always)]
            || {
                find_closed(simd, context, parts);
                slow_down(simd, context, parts, gapes);
            },
        );
    }
}

/// The square of what a joint's gap is measured by, in m^2: its arms, and what a distance spans.
#[inline(always)]
pub(super) fn reach_sq<S: Simd>(simd: S, parts: &Parts<'_>, joint: usize) -> f32x8<S> {
    let present = &parts.presents[joint];
    let arms_sq = present.arm_a.load(simd).length_sq() + present.arm_b.load(simd).length_sq();
    if parts.shape.joints[joint].class.is_line() {
        return arms_sq + parts.guided[joint].length_sq(simd);
    }
    arms_sq
}

/// Which trees have a gap that counts.
#[inline(always)]
pub(super) fn gapes<S: Simd>(simd: S, parts: &Parts<'_>) -> mask32x8<S> {
    let share = f32x8::splat(simd, CLOSED_GAP_SHARE * CLOSED_GAP_SHARE);
    let zero = f32x8::splat(simd, 0.0);
    let mut gapes = zero.simd_gt(zero);
    for (joint, present) in parts.presents.iter().enumerate() {
        let arms_sq = reach_sq(simd, parts, joint);
        gapes |= present.gap.load(simd).length_sq().simd_gt(share * arms_sq);
    }
    gapes
}

/// Puts what has closed of each gap, the other way round, in its place.
#[inline(always)]
fn find_closed<S: Simd>(simd: S, context: &JointContext<'_>, parts: &mut Parts<'_>) {
    for (body, work) in parts.bodies.iter().zip(&mut *parts.work) {
        present::follow(simd, context.rows, body, work);
    }
    let (zero, one) = (f32x8::splat(simd, 0.0), f32x8::splat(simd, 1.0));
    let roles = parts.shape.joints.iter();
    let lanes = roles.zip(&*parts.joints).zip(&mut *parts.presents);
    for (index, ((role, joint), present)) in lanes.enumerate() {
        let ends = [role.body_a, role.body_b].map(|body| &parts.work[body as usize]);
        let before = present.gap.load(simd);
        let (_, _, after) = present::anchors(simd, joint, ends);
        if let Class::Guide { kind, .. } = role.class {
            let [frame_a, _] = present::frames(simd, joint, ends);
            let guided = &mut parts.guided[index];
            guide::present::find_closed(simd, kind, frame_a, after, present, guided);
            continue;
        }
        // In length, as gaps turn with their bodies.
        let left = divide_or_zero(after.length(), before.length());
        present.gap.store(before.scale(min(left - one, zero)));
        present.tilt.store(Vec3x8::zero(simd));
        present.stop.error = Lane::ZERO;
    }
}

/// Takes the speed out of the trees that gape; others stay as they are, to the bit.
#[inline(always)]
fn slow_down<S: Simd>(
    simd: S,
    context: &JointContext<'_>,
    parts: &mut Parts<'_>,
    gapes: mask32x8<S>,
) {
    gather(simd, context.rows, parts);
    keep(parts);
    let zero = Vec3x8::zero(simd);
    for (left, work) in parts.left.iter_mut().zip(&mut *parts.work) {
        *left = [work.linear, work.angular];
        work.linear.store(zero);
        work.angular.store(zero);
        work.begin();
    }
    let bundle = Bundle {
        shape: parts.shape,
        bodies: parts.bodies,
        presents: parts.presents,
        guides: parts.guided,
    };
    let mut place = parts.first;
    let aim = Aim {
        bias_rate: 1.0 / context.h,
        is_ahead: false,
        turns: Turns::Unasked,
    };
    let none = f32x8::splat(simd, 0.0);
    let gives = none.simd_gt(none);
    let (work, factors) = (&mut *parts.work, &mut *parts.factors);
    let loops = &mut *parts.loops;
    let joints = &mut Joints {
        lanes: parts.joints,
        guides: parts.guides,
    };
    let stops = &*parts.stops;
    rest::forward(simd, RestAim::Unasked, parts.rests, work);
    forward(
        simd, bundle, stops, aim, gives, joints, work, factors, loops, &mut place,
    );
    backward(
        simd,
        bundle,
        stops,
        aim,
        Softness::RIGID,
        work,
        factors,
        loops,
        joints,
        &mut place,
    );
    rest::backward(simd, parts.rests, work);
    direct::apply(simd, parts.bodies, work);
    let same = !gapes;
    put_back(simd, parts, same);
    for ([linear, angular], work) in parts.left.iter().zip(&mut *parts.work) {
        let (v, w) = (linear.load(simd), angular.load(simd));
        work.linear.store(v + work.linear.load(simd));
        work.angular.store(w + work.angular.load(simd));
        take(simd, same, &mut work.linear, linear);
        take(simd, same, &mut work.angular, angular);
    }
    scatter(simd, context.rows, parts);
}
