//! What of guides the tree does not hold: springs that sub-steps can follow, motors at the end of their
//! force, and stops that are met, one after the other.

use drystone_geometry::lanes::{divide_or_zero, f32x8, mask32x8, max, min};
use fearless_simd::prelude::*;

use crate::joint::tree::guide::hold::push;
use crate::joint::tree::guide::present::{spring_error, unwound};
use crate::joint::tree::guide::{AxisDone, AxisLanes, GuideLanes, GuidePresent, role};
use crate::joint::tree::system::{alone, beside_locks};
use crate::joint::tree::turn::{Pace, is_met, limit_impulse};
use crate::joint::tree::{BodyWork, PresentLanes, Role, TreeBody};
use crate::tolerance::LOCKED_SHARE;

/// The bodies of eight guides.
struct Ends<'a> {
    role: Role,
    present: &'a PresentLanes,
    guided: &'a GuidePresent,
    bodies: &'a [TreeBody],
    work: &'a mut [BodyWork],
}

impl Ends<'_> {
    fn places(&self) -> [usize; 2] {
        [self.role.body_a as usize, self.role.body_b as usize]
    }

    #[inline(always)]
    fn rate<S: Simd>(&self, simd: S, axis: usize) -> f32x8<S> {
        let ends = self.places().map(|place| &self.work[place]);
        self.guided.rate(simd, self.present, ends, axis)
    }

    #[inline(always)]
    fn push<S: Simd>(&mut self, simd: S, axis: usize, impulse: f32x8<S>) {
        push(
            simd,
            self.role,
            self.present,
            self.guided,
            axis,
            impulse,
            self.bodies,
            self.work,
        );
    }

    /// Inverse of the rate per impulse; 0 where locked axes of the bodies hold it already.
    #[inline(always)]
    fn mass<S: Simd>(&self, simd: S, axis: usize) -> f32x8<S> {
        let zero = f32x8::splat(simd, 0.0);
        let arms = [&self.present.arm_a, &self.present.arm_b];
        let (mut compliance, mut beside) = (zero, zero);
        for (place, arm) in self.places().into_iter().zip(arms) {
            let body = &self.bodies[place];
            let (kind, along, about) = self.guided.row(simd, axis, arm);
            compliance += alone::<S, true>(simd, body, kind, along, about);
            beside += beside_locks(simd, body, kind, about);
        }
        let moves = compliance.simd_gt(beside * f32x8::splat(simd, LOCKED_SHARE));
        divide_or_zero(f32x8::splat(simd, 1.0), moves.select(compliance, zero))
    }
}

/// One pass over what the tree does not hold, or over the stops alone; returns whether a stop did
/// something.
#[inline(always)]
pub(in crate::joint::tree) fn turn<S: Simd>(
    simd: S,
    pace: &Pace<S>,
    limits_alone: bool,
    role: Role,
    guide: &mut GuideLanes,
    present: &PresentLanes,
    guided: &GuidePresent,
    bodies: &[TreeBody],
    work: &mut [BodyWork],
) -> bool {
    let mut ends = Ends {
        role,
        present,
        guided,
        bodies,
        work,
    };
    let mut acts = false;
    let GuideLanes { axes, done } = guide;
    for axis in [3, 4, 5, 0, 1, 2] {
        let (lanes, done) = (&axes[axis], &mut done.axes[axis]);
        let uses = lanes.uses;
        let pulls = (uses.stiff || (uses.spring && pace.is_biased)) && !limits_alone;
        let drives = uses.motor && !limits_alone;
        if !(pulls || drives || uses.limit) {
            continue;
        }
        let mass = ends.mass(simd, axis);
        if pulls {
            pull(simd, pace, axis, mass, lanes, done, &mut ends);
        }
        if drives {
            drive(simd, axis, mass, lanes, done, &mut ends);
        }
        if uses.limit {
            acts |= stop(simd, pace, axis, mass, lanes, done, &mut ends);
        }
    }
    acts
}

/// A spring.
#[inline(always)]
fn pull<S: Simd>(
    simd: S,
    pace: &Pace<S>,
    axis: usize,
    mass: f32x8<S>,
    lanes: &AxisLanes,
    done: &mut AxisDone,
    ends: &mut Ends<'_>,
) {
    let here = !ends.guided.is(simd, axis, role::SPRING);
    let [error_rate, speed_scale, impulse_scale] = pace.spring(simd, &lanes.spring);
    let place = ends.guided.place[axis].load(simd);
    let error = spring_error(simd, axis >= 3, lanes, place);
    let rate = speed_scale * ends.rate(simd, axis) + error_rate * error;
    let old = done.spring.load(simd);
    let wanted = old - (mass * rate + impulse_scale * old);
    let most = lanes.spring.most.load(simd);
    let new = here.select(min(max(wanted, -most), most), old);
    done.spring.store(new);
    ends.push(simd, axis, new - old);
}

/// A motor.
#[inline(always)]
fn drive<S: Simd>(
    simd: S,
    axis: usize,
    mass: f32x8<S>,
    lanes: &AxisLanes,
    done: &mut AxisDone,
    ends: &mut Ends<'_>,
) {
    let here = !ends.guided.is(simd, axis, role::MOTOR);
    let rate = ends.rate(simd, axis) - lanes.motor_speed.load(simd);
    let most = lanes.motor_most.load(simd);
    let old = done.motor.load(simd);
    let new = here.select(min(max(old - mass * rate, -most), most), old);
    done.motor.store(new);
    ends.push(simd, axis, new - old);
}

/// Both stops of an axis.
#[inline(always)]
fn stop<S: Simd>(
    simd: S,
    pace: &Pace<S>,
    axis: usize,
    mass: f32x8<S>,
    lanes: &AxisLanes,
    done: &mut AxisDone,
    ends: &mut Ends<'_>,
) -> bool {
    let place = ends.guided.place[axis].load(simd);
    let place = unwound(simd, axis >= 3, lanes, place);
    let (lower, upper) = (lanes.lower.load(simd), lanes.upper.load(simd));
    let is = |what: f32| ends.guided.is(simd, axis, what);
    let here: mask32x8<S> = !(is(role::LOCK) | is(role::LOWER) | is(role::UPPER));
    let mut acts = false;
    for (side, room, done) in [
        (1.0, place - lower, &mut done.lower),
        (-1.0, upper - place, &mut done.upper),
    ] {
        let sign = f32x8::splat(simd, side);
        let old = done.load(simd);
        let speed = sign * ends.rate(simd, axis);
        if !is_met(pace, room, speed, old) {
            continue;
        }
        let new = here.select(limit_impulse(pace, room, speed, mass, old), old);
        done.store(new);
        let change = new - old;
        if !change.simd_eq(f32x8::splat(simd, 0.0)).all_true() {
            acts = true;
            ends.push(simd, axis, sign * change);
        }
    }
    acts
}
