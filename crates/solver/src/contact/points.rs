//! The normal rows of a contact: where its points stand, and the sweep that solves them.
//!
//! All points of a contact are solved at once, as a block: their normal velocities are affine
//! in the plane of contact, so three numbers, a force and two moments, answer them exactly (see
//! [`crate::contact::couple`]). That is right wherever all points press. Where one would have
//! to pull, or points lie too close together for their body, the points of that contact are
//! solved one after the other instead, once in every order that is an image of the first, and
//! the mean is taken.
//!
//! Neither way depends on the order of the points, to the last bit: sums run over a point, the
//! one opposite and its two neighbours. So what is symmetric stays so, exactly. It matters
//! because tall walls are unstable: with points solved in their order, a bit of lean came in at
//! every contact and grew.

#![allow(
    clippy::needless_range_loop,
    reason = "a point is a number, the same in several arrays"
)]

use drystone_geometry::lanes::{Lane, Vec3x8, divide_or_zero, f32x8, mask32x8, max, min};
use fearless_simd::prelude::*;

use crate::contact::bounce::keep_peaks;
use crate::contact::bundle::{ExtraBundle, NormalBundle, inverse_index};
use crate::contact::couple::compliance;
use crate::contact::jointed::JointedLanes;
use crate::contact::lanes::DeltaLanes;
use crate::contact::shares::Shares;
use crate::contact::solve::{Pair, SweepContext};
use crate::contact::squeeze;
use crate::contact::unilateral::Unilateral;
use crate::tolerance::STEADY_TURN;

/// Where the points of eight contacts stand and how they move, before a sweep.
pub(super) struct Points<S: Simd, const N: usize> {
    /// `arm_b x normal`.
    pub(super) torque_arms: [Vec3x8<S>; N],
    /// Normal velocities, in m/s.
    pub(super) speeds: [f32x8<S>; N],
    /// Present separations, in metres.
    pub(super) separations: [f32x8<S>; N],
}

impl<S: Simd, const N: usize> Points<S, N> {
    #[inline(always)]
    pub(super) fn new<const C: usize>(
        simd: S,
        context: &SweepContext<'_>,
        bundle: &NormalBundle<N, C>,
        pair: &Pair<S>,
    ) -> Self {
        let normal = pair.normal;
        let delta_a = DeltaLanes::gather(simd, context.rows, &bundle.row_a);
        let delta_b = DeltaLanes::gather(simd, context.rows, &bundle.row_b);
        let moved = normal.dot(delta_b.position - delta_a.position);
        let turn_a = Turn::new(simd, &delta_a, normal);
        let turn_b = Turn::new(simd, &delta_b, normal);
        let center_speed = normal.dot(pair.b.linear - pair.a.linear);
        let offset = bundle.offset.load(simd);
        let radius_a = bundle.radius[0].load(simd);
        let radius_b = bundle.radius[1].load(simd);
        let zero = f32x8::splat(simd, 0.0);
        let mut points = Self {
            torque_arms: [Vec3x8::zero(simd); N],
            speeds: [zero; N],
            separations: [zero; N],
        };
        for (i, point) in bundle.points.iter().enumerate() {
            let arm_b = point.arm_b.load(simd);
            let torque_arm = arm_b.cross(normal);
            points.torque_arms[i] = torque_arm;
            points.speeds[i] = pair.normal_velocity(center_speed, torque_arm);
            let core_a = (arm_b + offset).sub_scaled(normal, radius_a);
            let core_b = arm_b.add_scaled(normal, radius_b);
            points.separations[i] = point.separation.load(simd)
                + moved
                + turn_b.along_normal(core_b, torque_arm, normal)
                - turn_a.along_normal(core_a, torque_arm + pair.offset_arm, normal);
        }
        points
    }
}

/// What the points of eight contacts ask for.
#[derive(Clone, Copy)]
struct Wishes<S: Simd, const N: usize> {
    /// 1 in points in use, else 0.
    used: [f32x8<S>; N],
    /// Impulses so far, in N s.
    old: [f32x8<S>; N],
    /// What softness leaves of them, in N s.
    kept: [f32x8<S>; N],
    /// Normal velocities to be undone, softness included, in m/s.
    speeds: [f32x8<S>; N],
    /// How much of a change of velocity counts in them; a ratio.
    scale: f32x8<S>,
}

impl<S: Simd, const N: usize> Wishes<S, N> {
    /// Velocities alone. A point that is apart may close its gap within the sub-step, and no
    /// more.
    ///
    /// `foreseen` is made up for beforehand, see [`crate::contact::bend`].
    ///
    /// A sweep that is not `BIASED` counts every gap as narrower by as much as the contact is deep,
    /// unless the bodies turn against each other: softness lifts the end of a brick that hardly
    /// presses until a gap holds it down. Could it close that gap here, the brick would tip to and
    /// fro, with friction on the way back alone, and creep for ever.
    #[inline(always)]
    fn new<const C: usize, const BIASED: bool>(
        simd: S,
        context: &SweepContext<'_>,
        bundle: &NormalBundle<N, C>,
        pair: &Pair<S>,
        points: &Points<S, N>,
        foreseen: Option<&[Lane; N]>,
    ) -> Self {
        let zero = f32x8::splat(simd, 0.0);
        let one = f32x8::splat(simd, 1.0);
        let inverse_h = f32x8::splat(simd, context.inverse_h);
        let mut wishes = Self {
            used: [zero; N],
            old: [zero; N],
            kept: [zero; N],
            speeds: [zero; N],
            scale: one,
        };
        let mut lowest = zero;
        for i in 0..N {
            let inverse = bundle.points[i].inverse.load(simd);
            wishes.used[i] = inverse.simd_eq(zero).select(zero, one);
            lowest = min(lowest, wishes.used[i] * points.separations[i]);
        }
        let mut closed = zero;
        if !BIASED {
            let fastest = STEADY_TURN * context.inverse_h;
            let turn = (pair.b.angular - pair.a.angular).length_sq();
            let steady = turn.simd_lt(f32x8::splat(simd, fastest * fastest));
            closed = steady.select(lowest, zero);
        }
        for i in 0..N {
            let point = &bundle.points[i];
            let gap = max(points.separations[i] + closed, zero);
            wishes.old[i] = point.impulse.load(simd);
            wishes.kept[i] = wishes.old[i];
            wishes.speeds[i] = points.speeds[i] + gap * inverse_h;
            if let Some(foreseen) = foreseen {
                wishes.speeds[i] += foreseen[i].load(simd);
            }
        }
        wishes
    }

    /// Asks to remove overlap as well.
    ///
    /// A contact with any overlap is soft in all its points: were each hard or soft by its own
    /// sign, points around zero would differ by the whole softness and tilt their body.
    ///
    /// The mean overlap is removed slowly, differences between the points quickly; see
    /// [`TILT_BIAS_RATIO`](crate::tolerance::TILT_BIAS_RATIO). `mean_softened` of what softness forgets of
    /// the mean impulse is forgotten, and `tilt_softened` of what it forgets of the rest. All points
    /// count alike unless there are `shares`.
    #[inline(always)]
    fn push_out(
        &mut self,
        simd: S,
        context: &SweepContext<'_>,
        pair: &Pair<S>,
        points: &Points<S, N>,
        [mean_softened, tilt_softened]: [f32x8<S>; 2],
        shares: Option<&Shares<N>>,
    ) {
        let zero = f32x8::splat(simd, 0.0);
        let fastest = f32x8::splat(simd, context.max_push_speed);
        let softness = SoftnessLanes::new(simd, context, pair);
        let mut depths = [zero; N];
        let mut lowest = zero;
        for i in 0..N {
            depths[i] = self.used[i] * min(points.separations[i], zero);
            lowest = min(lowest, depths[i]);
        }
        let overlaps = lowest.simd_lt(zero);
        let (mut counted, mut told) = (self.used, depths);
        if let Some(shares) = shares {
            for i in 0..N {
                let say = shares.say[i].load(simd);
                counted[i] *= say;
                told[i] *= say;
            }
        }
        let mean_depth = divide_or_zero(f32x8::splat(simd, 1.0), sum(counted)) * sum(told);
        let each = divide_or_zero(f32x8::splat(simd, 1.0), sum(self.used));
        let total = sum(self.old);
        let mean_scale = mean_softened * softness.impulse_scale;
        let tilt_scale = tilt_softened * softness.tilt_impulse_scale;
        let level_rate = softness.tilt_bias_rate - softness.bias_rate;
        self.scale = overlaps.select(softness.mass_scale, self.scale);
        for i in 0..N {
            let level = level_rate * (depths[i] - mean_depth);
            let push = softness.bias_rate * depths[i] + level;
            let push = max(min(push, fastest), -fastest);
            self.speeds[i] = self.scale * (self.speeds[i] + push);
            let share = shares.map_or(each, |shares| shares.even[i].load(simd));
            let uneven = self.used[i] * (self.old[i] - share * total);
            let lost = mean_scale * (self.old[i] - uneven) + tilt_scale * uneven;
            self.kept[i] = self.old[i] - overlaps.select(lost, zero);
        }
    }

    /// New impulses of all points at once, and where they hold: no point pulls.
    #[inline(always)]
    fn block<const C: usize>(
        &self,
        simd: S,
        bundle: &NormalBundle<N, C>,
    ) -> ([f32x8<S>; N], mask32x8<S>) {
        let zero = f32x8::splat(simd, 0.0);
        let inverse = inverse_of(simd, bundle);
        let mut new = [zero; N];
        let mut sound = inverse[0][0].simd_ge(zero);
        for i in 0..N {
            let mut terms = [zero; N];
            for p in 0..N {
                terms[p] = inverse[i][i ^ p] * self.speeds[i ^ p];
            }
            new[i] = self.kept[i] - sum(terms);
            sound &= new[i].simd_ge(zero);
        }
        (new, sound)
    }

    /// Whether nothing presses and nothing should.
    #[inline(always)]
    fn is_idle(&self, simd: S) -> mask32x8<S> {
        let zero = f32x8::splat(simd, 0.0);
        let mut idle = self.old[0].simd_eq(zero) & self.speeds[0].simd_ge(zero);
        for i in 1..N {
            idle &= self.old[i].simd_eq(zero) & self.speeds[i].simd_ge(zero);
        }
        idle
    }

    /// New impulses where some point would have to pull, `block` being those if it could.
    ///
    /// Rare, and entered like a kernel by a call that takes copies: within the sweep it would take its
    /// registers, and references would keep in memory what contacts that need none of it go by.
    #[cold]
    #[inline(never)]
    fn unilateral<const C: usize>(
        self,
        simd: S,
        bundle: &NormalBundle<N, C>,
        pair: Pair<S>,
        torque_arms: [Vec3x8<S>; N],
        block: [f32x8<S>; N],
        matters: mask32x8<S>,
    ) -> [f32x8<S>; N] {
        simd.vectorize(
            #[inline(always)]
            || {
                let problem = Unilateral {
                    used: &self.used,
                    kept: &self.kept,
                    speeds: &self.speeds,
                    compliance: &compliance(simd, &pair, &torque_arms),
                    inverse: &inverse_of(simd, bundle),
                    block: &block,
                };
                problem.solve(simd, &torque_arms, pair.normal, matters)
            },
        )
    }
}

/// The pseudo-inverse of how the points act on each other, in kg.
#[inline(always)]
fn inverse_of<S: Simd, const N: usize, const C: usize>(
    simd: S,
    bundle: &NormalBundle<N, C>,
) -> [[f32x8<S>; N]; N] {
    let mut inverse = [[f32x8::splat(simd, 0.0); N]; N];
    for i in 0..N {
        inverse[i][i] = bundle.points[i].inverse.load(simd);
        for j in i + 1..N {
            let entry = bundle.rest[inverse_index(N, i, j)].load(simd);
            inverse[i][j] = entry;
            inverse[j][i] = entry;
        }
    }
    inverse
}

/// The sum, in an order that exchanging points `i` and `i ^ k` does not change.
#[inline(always)]
pub(super) fn sum<S: Simd, const N: usize>(terms: [f32x8<S>; N]) -> f32x8<S> {
    match N {
        1 => terms[0],
        2 => terms[0] + terms[1],
        _ => (terms[0] + terms[2]) + (terms[1] + terms[3]),
    }
}

/// The same of vectors.
#[inline(always)]
pub(super) fn sum_vectors<S: Simd, const N: usize>(terms: [Vec3x8<S>; N]) -> Vec3x8<S> {
    match N {
        1 => terms[0],
        2 => terms[0] + terms[1],
        _ => (terms[0] + terms[2]) + (terms[1] + terms[3]),
    }
}

/// The normal rows of gathered bodies; `jointed` where joints change how some yield.
#[inline(always)]
pub(super) fn sweep_normals<S: Simd, const N: usize, const C: usize, const BIASED: bool>(
    simd: S,
    context: &SweepContext<'_>,
    bundle: &mut NormalBundle<N, C>,
    extra: Option<&mut ExtraBundle<N>>,
    shares: Option<&Shares<N>>,
    jointed: Option<&JointedLanes>,
    foreseen: Option<&[Lane; N]>,
    pair: &mut Pair<S>,
) {
    let zero = f32x8::splat(simd, 0.0);
    let points = Points::new(simd, context, bundle, pair);
    let mut wishes = Wishes::new::<C, BIASED>(simd, context, bundle, pair, &points, foreseen);
    if BIASED {
        let one = f32x8::splat(simd, 1.0);
        let mut softened = [bundle.softness_share(simd), one];
        if let Some(JointedLanes {
            presses, softer, ..
        }) = jointed
        {
            let load = sum(wishes.old);
            let share = squeeze::softness_share(simd, context, presses, pair, load);
            let [softer, tilt_softer] = softer.each_ref().map(|lane| lane.load(simd));
            softened[0] = softened[0] * share * softer;
            softened[1] = softened[1] * share * tilt_softer;
        }
        wishes.push_out(simd, context, pair, &points, softened, shares);
    }
    let (block, sound) = wishes.block(simd, bundle);
    let mut new = [zero; N];
    for i in 0..N {
        new[i] = sound.select(block[i], zero);
    }
    // A single point that would pull lets go, and points that neither press nor should rest.
    let settled = if N > 1 {
        sound | wishes.is_idle(simd)
    } else {
        zero.simd_eq(zero)
    };
    if !settled.all_true() {
        let few = wishes.unilateral(simd, bundle, *pair, points.torque_arms, block, !settled);
        for i in 0..N {
            new[i] = sound.select(block[i], few[i]);
        }
    }
    if let Some(jointed) = jointed {
        let held = jointed.rests.is_held.load(simd).simd_gt(zero);
        for i in 0..N {
            new[i] = held.select(wishes.old[i], new[i]);
        }
    }
    let mut changes = [zero; N];
    let mut moments = [Vec3x8::zero(simd); N];
    for i in 0..N {
        bundle.points[i].impulse.store(new[i]);
        changes[i] = new[i] - wishes.old[i];
        moments[i] = points.torque_arms[i].scale(changes[i]);
    }
    pair.push_normal(sum(changes), sum_vectors(moments));
    if let Some(extra) = extra {
        keep_peaks(simd, bundle, extra);
    }
}

/// [`ContactSoftness`](crate::contact::solve::ContactSoftness) of eight contacts.
struct SoftnessLanes<S: Simd> {
    bias_rate: f32x8<S>,
    mass_scale: f32x8<S>,
    impulse_scale: f32x8<S>,
    tilt_bias_rate: f32x8<S>,
    tilt_impulse_scale: f32x8<S>,
}

impl<S: Simd> SoftnessLanes<S> {
    #[inline(always)]
    fn new(simd: S, context: &SweepContext<'_>, pair: &Pair<S>) -> Self {
        let both = pair.both_are_pushed(simd);
        let (soft, hard) = (&context.softness, &context.static_softness);
        Self {
            bias_rate: choose(simd, both, soft.mean.bias_rate, hard.mean.bias_rate),
            mass_scale: choose(simd, both, soft.mean.mass_scale, hard.mean.mass_scale),
            impulse_scale: choose(simd, both, soft.mean.impulse_scale, hard.mean.impulse_scale),
            tilt_bias_rate: choose(simd, both, soft.tilt_bias_rate, hard.tilt_bias_rate),
            tilt_impulse_scale: choose(
                simd,
                both,
                soft.tilt_impulse_scale,
                hard.tilt_impulse_scale,
            ),
        }
    }
}

#[inline(always)]
fn choose<S: Simd>(simd: S, mask: mask32x8<S>, yes: f32, no: f32) -> f32x8<S> {
    mask.select(f32x8::splat(simd, yes), f32x8::splat(simd, no))
}

/// What a rotation since the step began does to the separation of a point.
pub(super) struct Turn<S: Simd> {
    /// `2 w v` of the quaternion `(v, w)`: the first-order rotation.
    first: Vec3x8<S>,
    /// `v`.
    axis: Vec3x8<S>,
    /// `2 n.v`.
    along: f32x8<S>,
    /// `2 v.v`.
    square: f32x8<S>,
}

impl<S: Simd> Turn<S> {
    #[inline(always)]
    pub(super) fn new(simd: S, delta: &DeltaLanes<S>, normal: Vec3x8<S>) -> Self {
        let two = f32x8::splat(simd, 2.0);
        Self {
            first: delta.rotation.scale(two * delta.rotation_w),
            axis: delta.rotation,
            along: two * normal.dot(delta.rotation),
            square: two * delta.rotation.length_sq(),
        }
    }

    /// `n . (R r - r)`, given `r` and `r x n`. With `R r - r = 2 w (v x r) + 2 v x (v x r)`.
    #[inline(always)]
    pub(super) fn along_normal(
        &self,
        arm: Vec3x8<S>,
        torque_arm: Vec3x8<S>,
        normal: Vec3x8<S>,
    ) -> f32x8<S> {
        self.first.dot(torque_arm) + self.along * self.axis.dot(arm) - self.square * normal.dot(arm)
    }
}
