//! Rests: contacts of light bodies in trees with what nothing pushes, which their trees solve.
//!
//! Which they are is chosen as a sub-step begins: those that bear many times the weight of their body, so
//! that they would sink in. Their points are handed to the rows of the body, the tree says what they do in
//! each of its passes (see [`tree`](crate::joint::tree)), and the sweeps over contacts leave them alone but
//! for friction. Faces, of three points and more, stay as they are (see [`footing`](crate::contact::footing)).
//! A contact all of whose points a tree lets go is one as others until the next sub-step.
//!
//! A tree knows how heavy all is that hangs on a body, so what a rest does may change much within a
//! sub-step, and friction, which knows the body alone, cannot follow: it goes by a mean over some.

use drystone_geometry::lanes::{LANES, Lane, Lane3, Vec3x8, f32x8};
use fearless_simd::prelude::*;

use crate::body::Body;
use crate::body_rows::rests::Rest;
use crate::body_rows::{READ_ONLY, slot_of_row};
use crate::contact::bundle::{FrictionBundle, NormalBundle, lanes_of};
use crate::contact::points::Points;
use crate::contact::solve::{Pair, SweepContext};
use crate::tolerance::{
    MOST_RESTS, REST_BIAS_RATIO, REST_DEPTH_SHARE, REST_GRIP_SHARE, REST_LEAST_GIVE,
    REST_LEAST_SINK, REST_LOAD_RATIO,
};

/// Of eight contacts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct RestLanes {
    /// Which may be rests, a bit each.
    able: u8,
    /// Which were in this sub-step, a bit each.
    chosen: u8,
    /// Which a tree solves, a bit each.
    pub(crate) held: u8,
    /// Likewise, above 0.
    pub(crate) is_held: Lane,
    /// The first of the rests of its body that is the lane's.
    places: [u8; LANES],
    /// Which points are rests, a bit each.
    points: [u8; LANES],
    /// Impulse from which on it may be one, in N s.
    least: Lane,
    /// Impulse that would move the body alone within a sub-step by what it may sink in, in N s.
    sinks: Lane,
    /// What friction goes by where above 0, in N s.
    pub(crate) grips: Lane,
}

/// The points of eight contacts as the pushed bodies feel them.
struct Felt<const N: usize> {
    about: [Lane3; N],
    separation: [Lane; N],
    speed: [Lane; N],
}

impl RestLanes {
    /// Of none.
    pub(crate) const NONE: Self = Self {
        able: 0,
        chosen: 0,
        held: 0,
        is_held: Lane::ZERO,
        places: [0; LANES],
        points: [0; LANES],
        least: Lane::ZERO,
        sinks: Lane::ZERO,
        grips: Lane::ZERO,
    };

    /// Finds those that may be. `own` are the inverse masses of both bodies, in 1/kg.
    pub(super) fn find<const N: usize, const C: usize>(
        context: &SweepContext<'_>,
        bodies: &[Body],
        bundle: &NormalBundle<N, C>,
        own: &[Lane; 2],
    ) -> Self {
        let mut all = Self::NONE;
        // What stands on faces is balanced with its tilts, see `footing`.
        if N > 2 {
            return all;
        }
        for lane in 0..LANES {
            let rows = [bundle.row_a[lane], bundle.row_b[lane]];
            let side = match rows.map(|row| row & READ_ONLY != 0) {
                [true, false] => 1,
                [false, true] => 0,
                _ => continue,
            };
            let slot = slot_of_row(rows[side]) as usize;
            let inverse_mass = own[side].0[lane];
            if !context.in_trees[slot] || inverse_mass <= 0.0 {
                continue;
            }
            all.able |= 1 << lane;
            let extent_speed = bodies[slot].extent * context.inverse_h;
            all.sinks.0[lane] = REST_DEPTH_SHARE * extent_speed / inverse_mass;
            // Without gravity nothing has a weight.
            let weight_speed = if context.weight_speed < f32::MAX {
                context.weight_speed
            } else {
                0.0
            };
            let least = (REST_LEAST_SINK * extent_speed).max(REST_LOAD_RATIO * weight_speed);
            all.least.0[lane] = least / inverse_mass;
        }
        all
    }

    /// Hands trees the contacts that press hard, as a sub-step begins.
    #[inline(always)]
    pub(crate) fn offer<S: Simd, const N: usize, const C: usize>(
        &mut self,
        simd: S,
        context: &SweepContext<'_>,
        bundle: &NormalBundle<N, C>,
        foreseen: Option<&[Lane; N]>,
    ) {
        let mut hard = 0;
        for lane in lanes_of(self.able) {
            let load = bundle.load_of(lane);
            hard |= u8::from(load > self.least.0[lane] && load.is_finite()) << lane;
        }
        self.held = 0;
        self.is_held = Lane::ZERO;
        if hard != 0 {
            simd.vectorize(
                #[inline(always)]
                || {
                    let felt = feel(simd, context, bundle, foreseen);
                    self.hand_over(context, bundle, &felt, hard);
                },
            );
        }
        self.chosen = self.held;
    }

    fn hand_over<const N: usize, const C: usize>(
        &mut self,
        context: &SweepContext<'_>,
        bundle: &NormalBundle<N, C>,
        felt: &Felt<N>,
        hard: u8,
    ) {
        let rows = &context.rows.rests;
        for lane in lanes_of(hard) {
            let (row, sign) = pushed(bundle, lane);
            let mut points = 0;
            for (i, point) in bundle.points.iter().enumerate() {
                let rests = point.impulse.0[lane] > 0.0 || felt.separation[i].0[lane] <= 0.0;
                points |= u8::from(rests && point.inverse.0[lane] != 0.0) << i;
            }
            let place = rows.count(row);
            if place + points.count_ones() as usize > MOST_RESTS {
                continue;
            }
            self.held |= 1 << lane;
            self.places[lane] = place as u8;
            self.points[lane] = points;
            let softer = (self.sinks.0[lane] / bundle.load_of(lane)).min(1.0);
            for i in lanes_of(points) {
                let rest = Rest {
                    normal: sign * bundle.normal.get(lane),
                    about: felt.about[i].get(lane),
                    separation: felt.separation[i].0[lane],
                    speed: felt.speed[i].0[lane],
                    impulse: bundle.points[i].impulse.0[lane],
                    give: (REST_BIAS_RATIO * softer).max(REST_LEAST_GIVE),
                };
                rows.push(row, &rest);
            }
        }
    }

    /// Takes what trees have made of the contacts that they solve.
    pub(crate) fn take<const N: usize, const C: usize>(
        &mut self,
        context: &SweepContext<'_>,
        bundle: &mut NormalBundle<N, C>,
    ) {
        for lane in lanes_of(self.held) {
            let (row, _) = pushed(bundle, lane);
            let mut any = false;
            let first = self.places[lane] as usize;
            for (place, i) in (first..).zip(lanes_of(self.points[lane])) {
                let (impulse, acts) = context.rows.rests.done(row, place);
                bundle.points[i].impulse.0[lane] = impulse;
                any |= acts;
            }
            self.held &= !(u8::from(!any) << lane);
            self.is_held.0[lane] = if any { 1.0 } else { 0.0 };
        }
    }

    /// Finds what friction is to go by.
    ///
    /// What it holds already tells what it went by before the first sub-step of a step.
    pub(crate) fn grip<const N: usize, const C: usize>(
        &mut self,
        bundle: &NormalBundle<N, C>,
        friction: &FrictionBundle,
    ) {
        for lane in lanes_of(self.able) {
            if self.chosen & (1 << lane) == 0 {
                self.grips.0[lane] = 0.0;
                continue;
            }
            let load = bundle.load_of(lane);
            let mut grip = self.grips.0[lane];
            if grip <= 0.0 {
                let [x, y] = friction.impulse.each_ref().map(|impulse| impulse.0[lane]);
                let coefficient = friction.friction.0[lane].max(f32::MIN_POSITIVE);
                grip = load.max(((x * x + y * y).sqrt() / coefficient).min(f32::MAX));
            }
            self.grips.0[lane] = grip + REST_GRIP_SHARE * (load - grip);
        }
    }
}

/// Row of the body of a lane that is pushed, and 1 if it is B, which the normal points to, or -1.
fn pushed<const N: usize, const C: usize>(bundle: &NormalBundle<N, C>, lane: usize) -> (u32, f32) {
    if bundle.row_a[lane] & READ_ONLY != 0 {
        (bundle.row_b[lane], 1.0)
    } else {
        (bundle.row_a[lane], -1.0)
    }
}

#[inline(always)]
fn feel<S: Simd, const N: usize, const C: usize>(
    simd: S,
    context: &SweepContext<'_>,
    bundle: &NormalBundle<N, C>,
    foreseen: Option<&[Lane; N]>,
) -> Felt<N> {
    let mut felt = Felt {
        about: [Lane3::ZERO; N],
        separation: [Lane::ZERO; N],
        speed: [Lane::ZERO; N],
    };
    let mut pair = Pair::gather(simd, context, bundle);
    let points = Points::new(simd, context, bundle, &pair);
    // What is not pushed alone: the others are what is asked for.
    let none = Vec3x8::zero(simd);
    let [a, b] = pair.are_pushed(simd);
    pair.a.linear = Vec3x8::select(a, none, pair.a.linear);
    pair.a.angular = Vec3x8::select(a, none, pair.a.angular);
    pair.b.linear = Vec3x8::select(b, none, pair.b.linear);
    pair.b.angular = Vec3x8::select(b, none, pair.b.angular);
    let center_speed = pair.normal.dot(pair.b.linear - pair.a.linear);
    for i in 0..N {
        let arm = points.torque_arms[i];
        let on_a = -(arm + pair.offset_arm);
        felt.about[i].store(Vec3x8::select(b, arm, on_a));
        felt.separation[i].store(points.separations[i]);
        let mut away = pair.normal_velocity(center_speed, arm);
        if let Some(foreseen) = foreseen {
            away += foreseen[i].load(simd);
        }
        felt.speed[i].store(f32x8::splat(simd, 0.0) - away);
    }
    felt
}
