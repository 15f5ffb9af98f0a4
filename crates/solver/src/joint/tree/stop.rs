//! Stops of hinges, solved with what is locked while they push hard.
//!
//! One joint after the other, a stop knows its two bodies alone: limbs that lean on their stops would give
//! way under what hangs on them, and come back over seconds. A stop that pushes is a further direction
//! of its joint, until it would have to pull. Most push so little that their two bodies are all they
//! need to know, as in a heap of ragdolls; those are met one after the other (see [`turn`](super::turn)),
//! and the joint is solved by the smaller kernel.
//!
//! Cones of balls are met so always: their directions turn with the bodies, and light links that
//! are held in them as hard as stops hold hinges tremble ever more.

use drystone_geometry::lanes::{Lane, f32x8, mask32x8};
use fearless_simd::prelude::*;

use crate::joint::tree::angle::near;
use crate::joint::tree::grip::inverse_inertia;
use crate::joint::tree::guide::hold::add;
use crate::joint::tree::guide::role;
use crate::joint::tree::parts::Parts;
use crate::joint::tree::{BodyWork, Class, ImpulseLanes, JointLanes, PresentLanes, Role, TreeBody};
use crate::tolerance::TREE_BIAS_RATIO;

/// What the stops of eight hinges are solved as.
#[derive(Clone, Copy, Debug)]
pub(super) struct StopPresent {
    /// See [`role`]; of what was let go the negative.
    role: Lane,
    /// What is to go, in radians.
    pub(super) error: Lane,
}

impl StopPresent {
    pub(super) const NONE: Self = Self {
        role: Lane::ZERO,
        error: Lane::ZERO,
    };

    /// Where they are solved as `what`.
    #[inline(always)]
    fn is<S: Simd>(&self, simd: S, what: f32) -> mask32x8<S> {
        self.role.load(simd).simd_eq(f32x8::splat(simd, what))
    }

    /// Where they are solved with what is locked.
    #[inline(always)]
    pub(super) fn holds<S: Simd>(&self, simd: S) -> mask32x8<S> {
        self.role.load(simd).simd_gt(f32x8::splat(simd, 0.0))
    }
}

impl Class {
    /// Whether its last direction may be a stop.
    pub(super) const fn has_stop(self) -> bool {
        matches!(self, Self::Driven | Self::Sprung | Self::Stopped)
    }
}

/// What of the room before a stop is to go: beyond it a share, and what is left before it at once.
#[inline(always)]
pub(super) fn before_stop<S: Simd>(room: f32x8<S>) -> f32x8<S> {
    let whole = f32x8::splat(room.simd, 1.0 / TREE_BIAS_RATIO);
    let zero = f32x8::splat(room.simd, 0.0);
    room.simd_gt(zero).select(room * whole, room)
}

/// What is left before both stops about the axis, in radians; negative beyond them.
#[inline(always)]
pub(super) fn rooms<S: Simd>(simd: S, joint: &JointLanes, present: &PresentLanes) -> [f32x8<S>; 2] {
    let (lower, upper) = (joint.lower.load(simd), joint.upper.load(simd));
    let middle = (lower + upper) * f32x8::splat(simd, 0.5);
    let angle = near(present.angle.load(simd), middle);
    [angle - lower, upper - angle]
}

/// Says which stops are solved with what is locked, and of which edges.
#[inline(always)]
pub(super) fn refresh<S: Simd>(simd: S, parts: &mut Parts<'_>) {
    for (edge, is_stopped) in parts.shape.edges.iter().zip(&mut *parts.stops) {
        let index = edge.joints[0] as usize;
        let (joint, present) = (&parts.joints[index], &mut parts.presents[index]);
        let has_stop = parts.shape.joints[index].class.has_stop() && joint.uses.limit;
        *is_stopped = has_stop && choose(simd, joint, present);
    }
}

/// Chooses what stops are solved as; returns whether some lane is held.
#[inline(always)]
fn choose<S: Simd>(simd: S, joint: &JointLanes, present: &mut PresentLanes) -> bool {
    let zero = f32x8::splat(simd, 0.0);
    let code = |what: f32| f32x8::splat(simd, what);
    let low = joint.done.lower.load(simd);
    let high = joint.done.upper.load(simd);
    let locked = joint.locked.load(simd).simd_gt(zero);
    let rooms = rooms(simd, joint, present);
    let mut role = locked.select(code(role::LOCK), zero);
    let mut error = locked.select(rooms[0], zero);
    let least = joint.stop_least.load(simd);
    let from_below = low.simd_gt(least) & !locked;
    let from_above = high.simd_gt(least) & !locked;
    if (from_below | from_above).any_true() {
        role = from_below.select(code(role::LOWER), role);
        error = from_below.select(before_stop(rooms[0]), error);
        role = from_above.select(code(role::UPPER), role);
        error = from_above.select(-before_stop(rooms[1]), error);
    }
    present.stop.role.store(role);
    present.stop.error.store(error);
    role.simd_gt(zero).any_true()
}

/// What stops have done so far, on B, where they are solved with what is locked.
#[inline(always)]
pub(super) fn held<S: Simd>(simd: S, joint: &JointLanes, present: &PresentLanes) -> f32x8<S> {
    let zero = f32x8::splat(simd, 0.0);
    let stop = &present.stop;
    let from_below = stop.holds(simd).select(joint.done.lower.load(simd), zero);
    let from_above = -joint.done.upper.load(simd);
    stop.is(simd, role::UPPER).select(from_above, from_below)
}

/// Adds to what stops did on B, so far as they do not pull; returns what came of it.
#[inline(always)]
pub(super) fn keep<S: Simd>(
    simd: S,
    joint: &mut JointLanes,
    present: &PresentLanes,
    wanted: f32x8<S>,
) -> f32x8<S> {
    let (zero, any) = (f32x8::splat(simd, 0.0), f32x8::splat(simd, f32::MAX));
    let is = |what: f32| present.stop.is(simd, what);
    let ImpulseLanes { lower, upper, .. } = &mut joint.done;
    let locked = add(simd, lower, is(role::LOCK), wanted, [-any, any]);
    let from_below = add(simd, lower, is(role::LOWER), wanted, [zero, any]);
    let from_above = add(simd, upper, is(role::UPPER), -wanted, [zero, any]);
    locked + from_below - from_above
}

/// Takes out of what is solved with what is locked the stops that would have had to pull in the last
/// pass, in trees where that `may` be. Returns where there were some.
#[inline(always)]
pub(super) fn let_go<S: Simd>(
    simd: S,
    joint: &JointLanes,
    present: &mut PresentLanes,
    may: mask32x8<S>,
) -> mask32x8<S> {
    let zero = f32x8::splat(simd, 0.0);
    let is = |what: f32| present.stop.is(simd, what);
    let below = is(role::LOWER) & joint.done.lower.load(simd).simd_le(zero);
    let above = is(role::UPPER) & joint.done.upper.load(simd).simd_le(zero);
    let ends = (below | above) & may;
    let role = present.stop.role.load(simd);
    present.stop.role.store(ends.select(-role, role));
    ends
}

/// Lets stops that were let go do nothing; returns whether there were some.
#[inline(always)]
pub(super) fn end<S: Simd>(
    simd: S,
    role: Role,
    joint: &mut JointLanes,
    present: &mut PresentLanes,
    bodies: &[TreeBody],
    work: &mut [BodyWork],
) -> bool {
    let zero = f32x8::splat(simd, 0.0);
    let ended = present.stop.role.load(simd);
    let left = ended.simd_lt(zero);
    if !left.any_true() {
        return false;
    }
    let (low, high) = (joint.done.lower.load(simd), joint.done.upper.load(simd));
    let below = ended.simd_eq(f32x8::splat(simd, -role::LOWER));
    let above = ended.simd_eq(f32x8::splat(simd, -role::UPPER));
    joint.done.lower.store(below.select(zero, low));
    joint.done.upper.store(above.select(zero, high));
    present.stop.role.store(left.select(zero, ended));
    let change = above.select(high, zero) - below.select(low, zero);
    let turn = present.axis.load(simd).scale(change);
    for (body, turn) in [(role.body_a, -turn), (role.body_b, turn)] {
        let (body, work) = (&bodies[body as usize], &mut work[body as usize]);
        let spin = inverse_inertia(simd, body).apply(turn);
        work.angular.store(work.angular.load(simd) + spin);
    }
    true
}
