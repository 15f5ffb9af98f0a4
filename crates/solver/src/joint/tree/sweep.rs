//! The sweeps over trees: warm start, biased and relaxing solution.

use std::mem;

use drystone_geometry::lanes::{Vec3x8, f32x8, mask32x8};
use fearless_simd::prelude::*;

use crate::body_rows::BodyRows;
use crate::joint::prepared::JointContext;
use crate::joint::pull::{self, Ends};
use crate::joint::tree::direct::{self, Aim, Bundle, Joints};
use crate::joint::tree::drive::Turns;
use crate::joint::tree::edges::{backward, forward};
use crate::joint::tree::foresight::{foresee, guess};
use crate::joint::tree::goal::Goal;
use crate::joint::tree::guide::{self, free};
use crate::joint::tree::parts::{Parts, take};
use crate::joint::tree::renew::{factor, renew};
use crate::joint::tree::rest;
use crate::joint::tree::turn::turn;
use crate::joint::tree::{
    BodyWork, Class, JointLanes, PresentLanes, Role, TreeBody, TreeLot, closing, drive, jerk, stop,
};
use crate::tolerance::FORESEEN_ROUNDS;

#[inline(always)]
pub(super) fn sides<'a>(bodies: &'a [TreeBody], role: &Role) -> [&'a TreeBody; 2] {
    [&bodies[role.body_a as usize], &bodies[role.body_b as usize]]
}

#[inline(always)]
pub(super) fn gather<S: Simd>(simd: S, rows: &BodyRows, parts: &mut Parts<'_>) {
    for (body, work) in parts.bodies.iter().zip(&mut *parts.work) {
        let (linear, angular) = rows.velocities(simd, &body.rows);
        work.linear.store(linear);
        work.angular.store(angular);
    }
}

#[inline(always)]
pub(super) fn scatter<S: Simd>(simd: S, rows: &BodyRows, parts: &Parts<'_>) {
    for (body, work) in parts.bodies.iter().zip(&*parts.work) {
        rows.set_velocities(&body.rows, work.linear.load(simd), work.angular.load(simd));
    }
}

/// Warm start and biased solution at once, of trees that share no bodies.
#[inline(always)]
pub(crate) fn start<S: Simd>(simd: S, context: &JointContext<'_>, lot: &mut TreeLot) {
    let (rows, goal) = (context.rows, Goal::biased(simd, context, lot));
    let again = Goal {
        turns: Turns::AsFound,
        ..Goal::biased(simd, context, lot)
    };
    let (is_fresh, is_foreseen) = (mem::replace(&mut lot.is_fresh, true), lot.is_foreseen);
    for bundle in 0..lot.bundle_count() {
        let parts = &mut lot.parts(bundle);
        let had = !parts.rests.is_empty();
        let has = !goal.is_soft && rest::collect(rows, parts);
        if !is_fresh {
            renew(simd, rows, parts);
        } else if had || has {
            factor(simd, parts);
        }
        gather(simd, rows, parts);
        jerk::begin(parts);
        guide::sway::begin(simd, parts);
        if is_foreseen {
            guess(simd, context.h, parts);
        }
        push_all(simd, parts);
        pass(simd, &goal, parts, all(simd));
        note_left(parts);
        let rounds = if is_foreseen { FORESEEN_ROUNDS } else { 0 };
        for _ in 0..rounds {
            let same = foresee(simd, context.h, parts);
            if same.all_true() {
                break;
            }
            repeat(simd, &again, parts, same);
            note_left(parts);
        }
        scatter(simd, rows, parts);
        rest::tell(rows, parts);
    }
}

/// Keeps the velocities that a pass left.
#[inline(always)]
fn note_left(parts: &mut Parts<'_>) {
    for (left, work) in parts.left.iter_mut().zip(&*parts.work) {
        *left = [work.linear, work.angular];
    }
}

/// Applies the impulses of the sub-step before to the bodies.
#[inline(always)]
pub(crate) fn warm_start<S: Simd>(simd: S, context: &JointContext<'_>, lot: &mut TreeLot) {
    let is_fresh = mem::replace(&mut lot.is_fresh, true);
    for bundle in 0..lot.bundle_count() {
        let parts = &mut lot.parts(bundle);
        if !is_fresh {
            renew(simd, context.rows, parts);
        }
        gather(simd, context.rows, parts);
        guide::sway::begin(simd, parts);
        push_all(simd, parts);
        scatter(simd, context.rows, parts);
    }
}

/// Gives the bodies the velocities that the impulses of the sub-step before make of theirs.
#[inline(always)]
fn push_all<S: Simd>(simd: S, parts: &mut Parts<'_>) {
    for work in &mut *parts.work {
        work.begin();
    }
    let roles = parts.shape.joints.iter();
    let lanes = roles.zip(&*parts.joints).zip(&*parts.presents);
    for (index, ((role, joint), present)) in lanes.enumerate() {
        let wrench = if let Class::Guide { .. } = role.class {
            parts.guides[index].done.wrench(simd, &parts.guided[index])
        } else {
            wrench(simd, role, joint, present)
        };
        push(simd, role, wrench, present, parts.work);
    }
    direct::apply(simd, parts.bodies, parts.work);
}

/// What a joint does to B: at its anchor, and about it.
#[inline(always)]
fn wrench<S: Simd>(
    simd: S,
    role: &Role,
    joint: &JointLanes,
    present: &PresentLanes,
) -> [Vec3x8<S>; 2] {
    let linear = joint.done.linear.load(simd);
    let mut angular = joint.done.angular.load(simd);
    let uses = joint.uses;
    if role.class.shared() == Class::Ball {
        angular = angular + joint.done.spring.load(simd) + joint.done.friction.load(simd);
        if uses.cone {
            let swing = present.swing_axis.load(simd);
            angular = angular.sub_scaled(swing, joint.done.cone.load(simd));
        }
    }
    if uses.limit || uses.motor || uses.spring {
        let total = joint.done.motor.load(simd)
            + joint.done.axis_spring.load(simd)
            + joint.done.lower.load(simd)
            - joint.done.upper.load(simd);
        // A ball has no axis where it has no limits, and no impulse either.
        angular = angular.add_scaled(present.axis.load(simd), total);
    }
    [linear, angular]
}

/// Adds what a joint does to the impulses on its bodies.
#[inline(always)]
fn push<S: Simd>(
    simd: S,
    role: &Role,
    [linear, angular]: [Vec3x8<S>; 2],
    present: &PresentLanes,
    work: &mut [BodyWork],
) {
    let a = &mut work[role.body_a as usize].impulse;
    let turn = angular + present.arm_a.load(simd).cross(linear);
    for (place, value) in a
        .iter_mut()
        .zip([linear.x, linear.y, linear.z, turn.x, turn.y, turn.z])
    {
        place.store(place.load(simd) - value);
    }
    let b = &mut work[role.body_b as usize].impulse;
    let turn = angular + present.arm_b.load(simd).cross(linear);
    for (place, value) in b
        .iter_mut()
        .zip([linear.x, linear.y, linear.z, turn.x, turn.y, turn.z])
    {
        place.store(place.load(simd) + value);
    }
}

/// One pass that also removes position errors.
#[inline(always)]
pub(crate) fn solve<S: Simd>(simd: S, context: &JointContext<'_>, lot: &mut TreeLot) {
    let goal = Goal::biased(simd, context, lot);
    for bundle in 0..lot.bundle_count() {
        let parts = &mut lot.parts(bundle);
        gather(simd, context.rows, parts);
        pass(simd, &goal, parts, all(simd));
        scatter(simd, context.rows, parts);
    }
}

/// One more pass over those trees of which something has pushed a body since [`start`]. The others
/// stay as they are, to the bit, whatever trees they share a bundle with.
///
/// What has pushed has the last word on how fast motors turn: what they press on stays where it is.
#[inline(always)]
pub(crate) fn solve_pushed<S: Simd>(simd: S, context: &JointContext<'_>, lot: &mut TreeLot) {
    let goal = Goal {
        turns: Turns::AsFound,
        ..Goal::biased(simd, context, lot)
    };
    for bundle in 0..lot.bundle_count() {
        let parts = &mut lot.parts(bundle);
        gather(simd, context.rows, parts);
        let alike = are_alike(simd, parts);
        if alike.all_true() {
            continue;
        }
        repeat(simd, &goal, parts, alike);
        scatter(simd, context.rows, parts);
        rest::tell(context.rows, parts);
    }
}

/// Keeps what joints and rests have done.
#[inline(always)]
pub(super) fn keep(parts: &mut Parts<'_>) {
    for (kept, joint) in parts.kept.iter_mut().zip(&*parts.joints) {
        *kept = joint.done;
    }
    for (kept, guide) in parts.guides_kept.iter_mut().zip(&*parts.guides) {
        *kept = guide.done;
    }
    rest::keep(parts.rests);
}

/// Puts back what [`keep`] has kept of some trees.
#[inline(always)]
pub(super) fn put_back<S: Simd>(simd: S, parts: &mut Parts<'_>, some: mask32x8<S>) {
    for (kept, joint) in parts.kept.iter().zip(&mut *parts.joints) {
        joint.done.take(simd, some, kept);
    }
    for (kept, guide) in parts.guides_kept.iter().zip(&mut *parts.guides) {
        guide.done.take(simd, some, kept);
    }
    rest::put_back(simd, parts.rests, some);
}

/// One more pass over those trees of a bundle that have not stayed `alike`.
#[inline(always)]
fn repeat<S: Simd>(simd: S, goal: &Goal<S>, parts: &mut Parts<'_>, alike: mask32x8<S>) {
    keep(parts);
    pass(simd, goal, parts, !alike);
    if alike.any_true() {
        put_back(simd, parts, alike);
        for (left, work) in parts.left.iter().zip(&mut *parts.work) {
            take(simd, alike, &mut work.linear, &left[0]);
            take(simd, alike, &mut work.angular, &left[1]);
        }
    }
}

#[inline(always)]
fn all<S: Simd>(simd: S) -> mask32x8<S> {
    let zero = f32x8::splat(simd, 0.0);
    zero.simd_eq(zero)
}

/// The trees whose bodies have the velocities that the last pass left.
#[inline(always)]
fn are_alike<S: Simd>(simd: S, parts: &Parts<'_>) -> mask32x8<S> {
    let mut alike = all(simd);
    for (work, [linear, angular]) in parts.work.iter().zip(&*parts.left) {
        alike &= equal(work.linear.load(simd), linear.load(simd));
        alike &= equal(work.angular.load(simd), angular.load(simd));
    }
    alike
}

#[inline(always)]
fn equal<S: Simd>(a: Vec3x8<S>, b: Vec3x8<S>) -> mask32x8<S> {
    a.x.simd_eq(b.x) & a.y.simd_eq(b.y) & a.z.simd_eq(b.z)
}

/// What is left to do over the velocities alone, after the movement.
#[inline(always)]
pub(crate) fn relax<S: Simd>(simd: S, context: &JointContext<'_>, lot: &mut TreeLot) {
    let goal = Goal::relaxed(simd, context, lot);
    let is_soft = lot.is_soft;
    lot.is_fresh = true;
    for bundle in 0..lot.bundle_count() {
        let parts = &mut lot.parts(bundle);
        if !parts.rests.is_empty() {
            gather(simd, context.rows, parts);
            rest::advance(simd, context.h, parts);
        }
        if !is_soft {
            closing::take_back(simd, context, parts);
        }
        renew(simd, context.rows, parts);
        gather(simd, context.rows, parts);
        pass(simd, &goal, parts, all(simd));
        if !is_soft {
            jerk::end(simd, &goal, parts);
        }
        scatter(simd, context.rows, parts);
        rest::tell(context.rows, parts);
        feel_pulls(simd, context, parts);
    }
}

/// Tells the bodies what pulls at them.
#[inline(always)]
fn feel_pulls<S: Simd>(simd: S, context: &JointContext<'_>, parts: &Parts<'_>) {
    let roles = parts.shape.joints.iter();
    let lanes = roles.zip(&*parts.joints).zip(&*parts.presents);
    for (index, ((role, joint), present)) in lanes.enumerate() {
        let impulse = if let Class::Guide { .. } = role.class {
            parts.guides[index].done.wrench(simd, &parts.guided[index])[0]
        } else {
            joint.done.linear.load(simd)
        };
        let arms = [present.arm_a.load(simd), present.arm_b.load(simd)];
        for (body, arm) in sides(parts.bodies, role).into_iter().zip(arms) {
            let ends = Ends {
                rows: &body.rows,
                arm,
                inverse_inertia: body.diagonal.load(simd),
            };
            pull::feel(context.rows, context.h, impulse, ends);
        }
    }
}

/// So many passes: nothing else moves the bodies in between.
///
/// All but the first are for the limits, which alone know too little to be met at once, and end as
/// soon as no limit of a bundle has anything to do: then what is locked still holds.
///
/// In the trees that `may`, a motor that comes to the end of its torque lets go, and so does a stop that
/// would have to pull; what is locked is solved anew without it.
#[inline(always)]
pub(super) fn pass<S: Simd>(simd: S, goal: &Goal<S>, parts: &mut Parts<'_>, may: mask32x8<S>) {
    simd.vectorize(
        #[inline(always)]
        || run(simd, goal, parts, may),
    );
}

#[inline(always)]
fn run<S: Simd>(simd: S, goal: &Goal<S>, parts: &mut Parts<'_>, may: mask32x8<S>) {
    for pass in 0..goal.passes {
        if !turn_all(simd, goal, parts, pass > 0) {
            break;
        }
        if !goal.has_drives && !parts.stops.contains(&true) && parts.rests.is_empty() {
            hold_all(simd, goal, parts);
            continue;
        }
        drive::keep(parts);
        hold_all(simd, goal, parts);
        let mut some = may;
        // Each round lets go of one more at least in each of these trees.
        while let Some(ends) = drive::let_go(simd, parts, some) {
            some = ends;
            let has_ended = end_all(simd, parts);
            factor(simd, parts);
            drive::keep(parts);
            if has_ended {
                // Before others look at speeds that only what is locked can make good.
                hold_all(simd, goal, parts);
            }
            turn_all(simd, goal, parts, false);
            hold_all(simd, goal, parts);
            drive::restore(simd, parts, !some);
        }
    }
}

/// Lets guides do what those ended at that were let go, and stops nothing; returns whether there was one.
#[inline(always)]
fn end_all<S: Simd>(simd: S, parts: &mut Parts<'_>) -> bool {
    let mut any = rest::end(simd, parts);
    let joints = parts.joints.iter_mut().zip(&mut *parts.presents);
    for (index, (role, (joint, present))) in parts.shape.joints.iter().zip(joints).enumerate() {
        let (bodies, work) = (&*parts.bodies, &mut *parts.work);
        any |= if let Class::Guide { .. } = role.class {
            let (guide, guided) = (&mut parts.guides[index], &mut parts.guided[index]);
            guide::hold::end(simd, *role, guide, present, guided, bodies, work)
        } else {
            role.class.has_stop() && stop::end(simd, *role, joint, present, bodies, work)
        };
    }
    any
}

/// What is not locked, joint by joint; returns whether there is something to do.
#[inline(always)]
fn turn_all<S: Simd>(simd: S, goal: &Goal<S>, parts: &mut Parts<'_>, again: bool) -> bool {
    let bodies = &*parts.bodies;
    let mut acts = !again;
    let roles = parts.shape.joints.iter();
    let lanes = (parts.joints.iter_mut())
        .zip(&*parts.presents)
        .zip(&mut *parts.grips);
    for (index, (role, ((joint, present), grips))) in roles.zip(lanes).enumerate() {
        if let Class::Guide { .. } = role.class {
            let (guide, guided) = (&mut parts.guides[index], &parts.guided[index]);
            acts |= free::turn(
                simd, &goal.pace, again, *role, guide, present, guided, bodies, parts.work,
            );
            continue;
        }
        let at = [role.body_a as usize, role.body_b as usize];
        let (class, sides) = (role.class, sides(bodies, role));
        let pace = &goal.pace;
        acts |= turn(
            simd, pace, again, class, joint, present, grips, sides, parts.work, at,
        );
    }
    acts
}

/// What is locked, at once: a function of its own, as a pass needs it more than once.
#[inline(always)]
fn hold_all<S: Simd>(simd: S, goal: &Goal<S>, parts: &mut Parts<'_>) {
    simd.vectorize(
        #[inline(always)]
        || hold(simd, goal, parts),
    );
}

#[inline(always)]
fn hold<S: Simd>(simd: S, goal: &Goal<S>, parts: &mut Parts<'_>) {
    let Parts {
        shape,
        joints,
        factors,
        loops,
        work,
        ..
    } = parts;
    let bundle = Bundle {
        shape,
        bodies: parts.bodies,
        presents: parts.presents,
        guides: parts.guided,
    };
    let joints = &mut Joints {
        lanes: joints,
        guides: parts.guides,
    };
    for work in work.iter_mut() {
        work.begin();
    }
    let mut place = parts.first;
    let aim = Aim {
        bias_rate: goal.bias_rate,
        is_ahead: goal.is_ahead,
        turns: goal.turns,
    };
    let gives = parts.gives.load(simd).simd_gt(f32x8::splat(simd, 0.0));
    let stops = &*parts.stops;
    if !parts.rests.is_empty() {
        rest::forward(simd, goal.rests, parts.rests, work);
    }
    forward(
        simd, bundle, stops, aim, gives, joints, work, factors, loops, &mut place,
    );
    backward(
        simd, bundle, stops, aim, goal.hold, work, factors, loops, joints, &mut place,
    );
    if !parts.rests.is_empty() {
        rest::backward(simd, parts.rests, work);
    }
    direct::apply(simd, bundle.bodies, work);
}
