//! What acts on the rotation of eight joints and is not locked: springs, friction, motors and
//! limits, one after the other.

use drystone_geometry::lanes::{Vec3x8, divide_or_zero, f32x8, mask32x8, max, min};
use fearless_simd::prelude::*;

use crate::joint::tree::angle::wrap;
use crate::joint::tree::block::Block;
use crate::joint::tree::grip::{Grip, inverse_inertia};
use crate::joint::tree::spring::SpringLanes;
use crate::joint::tree::stop::rooms;
use crate::joint::tree::{BodyWork, Class, GripLanes, JointLanes, PresentLanes, TreeBody};
use crate::softness::Softness;

/// The rotation of the two bodies of eight joints.
struct Spinning<'a, S: Simd> {
    a: Vec3x8<S>,
    b: Vec3x8<S>,
    /// Whose inertias are read where they are needed: registers do not hold them all the while.
    bodies: [&'a TreeBody; 2],
    /// Of all bodies, and which two these are.
    work: &'a mut [BodyWork],
    places: [usize; 2],
    /// About the swing axis and about Z.
    grips: &'a mut [Option<GripLanes>; 2],
}

impl<S: Simd> Spinning<'_, S> {
    #[inline(always)]
    fn spin(&self) -> Vec3x8<S> {
        self.b - self.a
    }

    /// Applies an angular impulse to B, and its opposite to A.
    #[inline(always)]
    fn twist(&mut self, impulse: Vec3x8<S>) {
        let simd = impulse.x.simd;
        let [a, b] = self.bodies;
        self.b = self.b + inverse_inertia(simd, b).apply(impulse);
        self.a = self.a - inverse_inertia(simd, a).apply(impulse);
    }

    /// Applies an angular impulse about the axis of `grip`; returns whether some lane has one: most
    /// limits that come near are not reached.
    #[inline(always)]
    fn turn(&mut self, grip: &Grip<S>, joint: &mut JointLanes, impulse: f32x8<S>) -> bool {
        let simd = impulse.simd;
        let zero = f32x8::splat(simd, 0.0);
        if impulse.simd_eq(zero).all_true() {
            return false;
        }
        let shove = grip.shove.scale(impulse);
        joint
            .done
            .linear
            .store(joint.done.linear.load(simd) + shove);
        self.a = self.a.sub_scaled(grip.turn_a, impulse);
        self.b = self.b.add_scaled(grip.turn_b, impulse);
        let [a, b] = self.bodies;
        let pushed = a.inverse_mass.load(simd).mul_components(shove);
        let linear = &mut self.work[self.places[0]].linear;
        linear.store(linear.load(simd) - pushed);
        let pushed = b.inverse_mass.load(simd).mul_components(shove);
        let linear = &mut self.work[self.places[1]].linear;
        linear.store(linear.load(simd) + pushed);
        true
    }
}

/// What a sweep knows of the step.
#[derive(Clone, Copy)]
pub(super) struct Pace<S: Simd> {
    inverse_h: f32x8<S>,
    /// Whether this is before the movement, and all springs act.
    pub(super) is_biased: bool,
    /// Of limits: bias rate, mass scale and impulse scale.
    limit: [f32x8<S>; 3],
}

impl<S: Simd> Pace<S> {
    #[inline(always)]
    pub(super) fn new(simd: S, h: f32, limit: Softness, is_biased: bool) -> Self {
        Self {
            inverse_h: f32x8::splat(simd, 1.0 / h),
            is_biased,
            limit: [
                f32x8::splat(simd, limit.bias_rate),
                f32x8::splat(simd, limit.mass_scale),
                f32x8::splat(simd, limit.impulse_scale),
            ],
        }
    }

    /// What springs do in this sweep: error rate, speed scale and impulse scale.
    #[inline(always)]
    pub(super) fn spring(&self, simd: S, told: &SpringLanes) -> [f32x8<S>; 3] {
        let mut spring = [0, 1, 2].map(|i: usize| told.rates[i].load(simd));
        if !self.is_biased {
            let again = told.is_stiff.load(simd);
            for value in &mut spring {
                *value *= again;
            }
        }
        spring
    }
}

/// One pass over what acts on the rotation, or over the limits alone; returns whether a limit did
/// something.
#[inline(always)]
pub(super) fn turn<S: Simd>(
    simd: S,
    pace: &Pace<S>,
    limits_alone: bool,
    class: Class,
    joint: &mut JointLanes,
    present: &PresentLanes,
    grips: &mut [Option<GripLanes>; 2],
    bodies: [&TreeBody; 2],
    work: &mut [BodyWork],
    [a, b]: [usize; 2],
) -> bool {
    let uses = joint.uses;
    let pulls = uses.stiff || (uses.spring && pace.is_biased);
    let resists = (pulls || uses.motor) && !limits_alone;
    if !(resists || uses.cone || uses.limit) {
        return false;
    }
    let mut spinning = Spinning {
        a: work[a].angular.load(simd),
        b: work[b].angular.load(simd),
        bodies,
        work,
        places: [a, b],
        grips,
    };
    // Where it is not solved with what is locked.
    let zero = f32x8::splat(simd, 0.0);
    let here = present.drives.load(simd).simd_le(zero);
    let is_ball = class.shared() == Class::Ball;
    if resists && is_ball {
        if pulls {
            pull_all(simd, pace, here, joint, present, &mut spinning);
        }
        if uses.motor {
            rub(simd, joint, present, &mut spinning);
        }
    } else if resists {
        if pulls {
            pull(simd, pace, here, joint, present, &mut spinning);
        }
        if uses.motor {
            let here = if class == Class::Driven {
                here
            } else {
                zero.simd_eq(zero)
            };
            drive(simd, here, joint, present, &mut spinning);
        }
    }
    let mut acts = false;
    // Balls alone have cones.
    if is_ball && uses.cone {
        acts |= keep_in_cone(simd, pace, joint, present, &mut spinning);
    }
    if uses.limit {
        acts |= stop(simd, pace, joint, present, &mut spinning);
    }
    if resists || acts {
        spinning.work[a].angular.store(spinning.a);
        spinning.work[b].angular.store(spinning.b);
    }
    acts
}

#[inline(always)]
fn spin_block<S: Simd>(simd: S, present: &PresentLanes) -> Block<S> {
    Block {
        pivots: present.spin_pivots.load(simd),
        lower: present.spin_lower.load(simd),
    }
}

/// A spring about all axes.
#[inline(always)]
fn pull_all<S: Simd>(
    simd: S,
    pace: &Pace<S>,
    here: mask32x8<S>,
    joint: &mut JointLanes,
    present: &PresentLanes,
    spinning: &mut Spinning<'_, S>,
) {
    let [error_rate, speed_scale, impulse_scale] = pace.spring(simd, &joint.spring);
    let rate = spinning
        .spin()
        .scale(speed_scale)
        .add_scaled(present.tilt.load(simd), error_rate);
    let step = spin_block(simd, present).solve(rate);
    let old = joint.done.spring.load(simd);
    let change = -(step.add_scaled(old, impulse_scale));
    let change = Vec3x8::select(here, change, Vec3x8::zero(simd));
    joint.done.spring.store(old + change);
    spinning.twist(change);
}

/// Friction about all axes.
#[inline(always)]
fn rub<S: Simd>(
    simd: S,
    joint: &mut JointLanes,
    present: &PresentLanes,
    spinning: &mut Spinning<'_, S>,
) {
    let most = joint.motor_most.load(simd);
    let old = joint.done.friction.load(simd);
    let wanted = old - spin_block(simd, present).solve(spinning.spin());
    let length = wanted.length();
    let one = f32x8::splat(simd, 1.0);
    let share = length
        .simd_gt(most)
        .select(divide_or_zero(most, length), one);
    let new = wanted.scale(share);
    joint.done.friction.store(new);
    spinning.twist(new - old);
}

/// The new impulse of one side of a limit, at least 0: `room` is what is left before it,
/// negative beyond it; `speed` the rate of `room`.
#[inline(always)]
pub(super) fn limit_impulse<S: Simd>(
    pace: &Pace<S>,
    room: f32x8<S>,
    speed: f32x8<S>,
    mass: f32x8<S>,
    old: f32x8<S>,
) -> f32x8<S> {
    let zero = f32x8::splat(room.simd, 0.0);
    let before = old - mass * (speed + room * pace.inverse_h);
    max(
        room.simd_gt(zero)
            .select(before, soften(pace, room, speed, mass, old)),
        zero,
    )
}

/// The new impulse of what removes `error`.
#[inline(always)]
fn soften<S: Simd>(
    pace: &Pace<S>,
    error: f32x8<S>,
    speed: f32x8<S>,
    mass: f32x8<S>,
    old: f32x8<S>,
) -> f32x8<S> {
    let [bias_rate, mass_scale, impulse_scale] = pace.limit;
    let step = mass * (speed + bias_rate * error);
    old - (mass_scale * step + impulse_scale * old)
}

/// Whether a limit has something to do in some lane.
#[inline(always)]
pub(super) fn is_met<S: Simd>(
    pace: &Pace<S>,
    room: f32x8<S>,
    speed: f32x8<S>,
    old: f32x8<S>,
) -> bool {
    let zero = f32x8::splat(room.simd, 0.0);
    let comes = (speed + room * pace.inverse_h).simd_lt(zero);
    (comes | old.simd_gt(zero)).any_true()
}

#[inline(always)]
fn keep_in_cone<S: Simd>(
    simd: S,
    pace: &Pace<S>,
    joint: &mut JointLanes,
    present: &PresentLanes,
    spinning: &mut Spinning<'_, S>,
) -> bool {
    let axis = present.swing_axis.load(simd);
    let room = joint.cone.load(simd) - present.swing.load(simd);
    let old = joint.done.cone.load(simd);
    let speed = -axis.dot(spinning.spin());
    if !is_met(pace, room, speed, old) {
        return false;
    }
    let grip = Grip::of(simd, axis, present, spinning.bodies, &mut spinning.grips[0]);
    let new = limit_impulse(pace, room, speed, grip.mass, old);
    joint.done.cone.store(new);
    spinning.turn(&grip, joint, old - new)
}

/// A spring about the axis.
#[inline(always)]
fn pull<S: Simd>(
    simd: S,
    pace: &Pace<S>,
    here: mask32x8<S>,
    joint: &mut JointLanes,
    present: &PresentLanes,
    spinning: &mut Spinning<'_, S>,
) {
    let axis = present.axis.load(simd);
    let [error_rate, speed_scale, impulse_scale] = pace.spring(simd, &joint.spring);
    let error = wrap(present.angle.load(simd) - joint.spring.target.load(simd));
    let speed = axis.dot(spinning.spin());
    let rate = speed_scale * speed + error_rate * error;
    let old = joint.done.axis_spring.load(simd);
    let step = present.axis_mass.load(simd) * rate;
    let wanted = old - (step + impulse_scale * old);
    let most = joint.spring.most.load(simd);
    let new = here.select(min(max(wanted, -most), most), old);
    joint.done.axis_spring.store(new);
    spinning.twist(axis.scale(new - old));
}

/// A motor about the axis.
#[inline(always)]
fn drive<S: Simd>(
    simd: S,
    here: mask32x8<S>,
    joint: &mut JointLanes,
    present: &PresentLanes,
    spinning: &mut Spinning<'_, S>,
) {
    let axis = present.axis.load(simd);
    let most = joint.motor_most.load(simd);
    let rate = axis.dot(spinning.spin()) - joint.motor_speed.load(simd);
    let old = joint.done.motor.load(simd);
    let wanted = old - present.axis_mass.load(simd) * rate;
    let new = here.select(min(max(wanted, -most), most), old);
    joint.done.motor.store(new);
    spinning.twist(axis.scale(new - old));
}

/// Stops, or a lock, about the axis.
#[inline(always)]
fn stop<S: Simd>(
    simd: S,
    pace: &Pace<S>,
    joint: &mut JointLanes,
    present: &PresentLanes,
    spinning: &mut Spinning<'_, S>,
) -> bool {
    let zero = f32x8::splat(simd, 0.0);
    let axis = present.axis.load(simd);
    let locked = joint.locked.load(simd).simd_gt(zero);
    let held = present.stop.holds(simd);
    let room = rooms(simd, joint, present);
    let old = [joint.done.lower.load(simd), joint.done.upper.load(simd)];
    let speed = axis.dot(spinning.spin());
    let is_met = is_met(pace, room[0], speed, old[0]) || is_met(pace, room[1], -speed, old[1]);
    if !is_met && !locked.any_true() {
        return false;
    }
    let grip = Grip::of(simd, axis, present, spinning.bodies, &mut spinning.grips[1]);

    let new = locked.select(
        soften(pace, room[0], speed, grip.mass, old[0]),
        limit_impulse(pace, room[0], speed, grip.mass, old[0]),
    );
    let new = held.select(old[0], new);
    joint.done.lower.store(new);
    let from_below = spinning.turn(&grip, joint, new - old[0]);

    let speed = -axis.dot(spinning.spin());
    let new = limit_impulse(pace, room[1], speed, grip.mass, old[1]);
    let new = held.select(old[1], locked.select(zero, new));
    joint.done.upper.store(new);
    spinning.turn(&grip, joint, old[1] - new) || from_below
}
