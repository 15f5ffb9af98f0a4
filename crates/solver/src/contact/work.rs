//! Work of the relaxing sweep over bodies that turn far within a step: it must not be positive.
//!
//! A relaxing sweep takes back what the biased one pushed too much. In between the bodies moved,
//! and one that is long and thin and turns far has another inertia in the world by then: the impulse
//! that its end bore along the rod spins it like a propeller when it is taken back across. At 50 m/s and
//! more rods that hit the ground with an end came out with up to twice their energy, and with six
//! times as much where they turned by a radian in a sub-step. So where a sweep would speed such
//! bodies up, what they have got counts as given: their contact starts from no impulse and can only
//! push, which takes energy away whatever the inertia.
//!
//! Nor does a sub-step start from the impulses of an impact: it is over, and no load will follow.

use drystone_geometry::lanes::{Lane, Lane3, Vec3x8, f32x8, max};
use fearless_simd::prelude::*;

use crate::body_rows::READ_ONLY;
use crate::contact::bundle::{ExtraBundle, FrictionBundle, NormalBundle};
use crate::contact::friction::Rub;
use crate::contact::jointed::JointedLanes;
use crate::contact::points::{sum, sum_vectors};
use crate::contact::solve::{Pair, SweepContext, relax};
use crate::contact::weigh::forget;
use crate::tolerance::GAINED_WORK;

/// [`relax`] of eight contacts, those of the lanes `turned`, a bit each, without gaining energy.
/// Returns the same.
#[inline(always)]
pub(crate) fn relax_turned<S: Simd, const N: usize, const C: usize>(
    simd: S,
    context: &SweepContext<'_>,
    turned: u8,
    normals: &mut NormalBundle<N, C>,
    friction: &mut FrictionBundle,
    mut extra: Option<&mut ExtraBundle<N>>,
    jointed: Option<&JointedLanes>,
    foreseen: Option<&[Lane; N]>,
    is_carried: bool,
) -> u8 {
    let turned = turned & !burdened(context, normals);
    if turned == 0 {
        return relax(
            simd, context, normals, friction, extra, jointed, foreseen, is_carried,
        );
    }
    let came = Pair::gather(simd, context, normals);
    let before = (normals.clone(), friction.clone());
    let rolling = (extra.as_deref()).map_or(Lane3::ZERO, |extra| extra.rolling_impulse);
    let both = extra.as_deref_mut();
    let pressed = relax(
        simd, context, normals, friction, both, jointed, foreseen, is_carried,
    );
    let goes = Pair::gather(simd, context, normals);
    let mut work = Work::new(simd, [&came, &goes]);
    work.of_normals(simd, [&before.0, normals]);
    work.of_friction(simd, normals, [&before.1, friction]);
    if let Some(extra) = &extra {
        let change = extra.rolling_impulse.load(simd) - rolling.load(simd);
        work.of_turning(change);
    }
    let gains = work
        .done
        .simd_gt(work.size * f32x8::splat(simd, GAINED_WORK));
    let gained = turned & gains.to_bitmask() as u8;
    if gained != 0 {
        forget(gained, normals, friction, extra.as_deref_mut());
        let mut few = normals.only(gained);
        let mut grip = friction.clone();
        came.scatter(context, &few);
        relax(
            simd, context, &mut few, &mut grip, None, jointed, foreseen, false,
        );
        normals.put_impulses(gained, &few);
        friction.put_impulses(gained, &grip);
    }
    let struck = turned & strikes(simd, context, &goes, normals);
    if struck != 0 {
        forget(struck, normals, friction, extra);
    }
    pressed
}

/// The lanes, a bit each, with a body that counts as heavier for what it carries. That changes its
/// inertia as well, and the load it carries lasts.
fn burdened<const N: usize, const C: usize>(
    context: &SweepContext<'_>,
    normals: &NormalBundle<N, C>,
) -> u8 {
    let carries = |row: u32| context.rows.burdens.counted(row & !READ_ONLY) > 0.0;
    let rows = normals.row_a.iter().zip(&normals.row_b).enumerate();
    rows.fold(0, |lanes, (lane, (&a, &b))| {
        lanes | u8::from(carries(a) || carries(b)) << lane
    })
}

/// The lanes, a bit each, whose impulses are those of an impact: given once more, they would part
/// some point as fast as what bounces comes.
#[inline(always)]
fn strikes<S: Simd, const N: usize, const C: usize>(
    simd: S,
    context: &SweepContext<'_>,
    pair: &Pair<S>,
    normals: &NormalBundle<N, C>,
) -> u8 {
    let zero = f32x8::splat(simd, 0.0);
    let still = Vec3x8::zero(simd);
    let mut pushed = *pair;
    for body in [&mut pushed.a, &mut pushed.b] {
        (body.linear, body.angular) = (still, still);
    }
    let mut torque_arms = [still; N];
    let (mut impulses, mut moments) = ([zero; N], [still; N]);
    for (i, point) in normals.points.iter().enumerate() {
        torque_arms[i] = point.arm_b.load(simd).cross(pair.normal);
        impulses[i] = point.impulse.load(simd);
        moments[i] = torque_arms[i].scale(impulses[i]);
    }
    pushed.push_normal(sum(impulses), sum_vectors(moments));
    let center_speed = pushed.normal.dot(pushed.b.linear - pushed.a.linear);
    let mut fastest = zero;
    for torque_arm in torque_arms {
        fastest = max(fastest, pushed.normal_velocity(center_speed, torque_arm));
    }
    let threshold = f32x8::splat(simd, context.restitution_threshold);
    fastest.simd_gt(threshold).to_bitmask() as u8
}

/// Work of impulses on eight pairs of bodies that have changed their velocities.
pub(super) struct Work<S: Simd> {
    /// Mean of the velocities before and after: an impulse does its work at these.
    mean: Pair<S>,
    /// In J.
    pub(super) done: f32x8<S>,
    /// The same with every term counted as positive, in J.
    size: f32x8<S>,
}

impl<S: Simd> Work<S> {
    #[inline(always)]
    pub(super) fn new(simd: S, [came, goes]: [&Pair<S>; 2]) -> Self {
        let half = f32x8::splat(simd, 0.5);
        let mut mean = *goes;
        for (mean, came) in [(&mut mean.a, &came.a), (&mut mean.b, &came.b)] {
            mean.linear = (mean.linear + came.linear).scale(half);
            mean.angular = (mean.angular + came.angular).scale(half);
        }
        Self {
            mean,
            done: f32x8::splat(simd, 0.0),
            size: f32x8::splat(simd, 0.0),
        }
    }

    #[inline(always)]
    fn add(&mut self, work: f32x8<S>) {
        self.done += work;
        self.size += work.abs();
    }

    #[inline(always)]
    fn of_normals<const N: usize, const C: usize>(
        &mut self,
        simd: S,
        [before, after]: [&NormalBundle<N, C>; 2],
    ) {
        let center_speed = (self.mean.normal).dot(self.mean.b.linear - self.mean.a.linear);
        for (before, after) in before.points.iter().zip(&after.points) {
            let change = after.impulse.load(simd) - before.impulse.load(simd);
            let torque_arm = after.arm_b.load(simd).cross(self.mean.normal);
            let speed = self.mean.normal_velocity(center_speed, torque_arm);
            self.add(change * speed);
        }
    }

    /// Of an impact: what its points push with, and its friction.
    #[inline(always)]
    pub(super) fn of_impact<const N: usize, const C: usize>(
        &mut self,
        simd: S,
        normals: &NormalBundle<N, C>,
        friction: &FrictionBundle,
        impulses: &[f32x8<S>; N],
        rub: &Rub<S>,
    ) {
        let center_speed = (self.mean.normal).dot(self.mean.b.linear - self.mean.a.linear);
        for (point, impulse) in normals.points.iter().zip(impulses) {
            let torque_arm = point.arm_b.load(simd).cross(self.mean.normal);
            let speed = self.mean.normal_velocity(center_speed, torque_arm);
            self.add(*impulse * speed);
        }
        self.of_slide(simd, normals, friction, rub.slide);
        self.of_turning(self.mean.normal.scale(rub.twist));
    }

    #[inline(always)]
    fn of_friction<const N: usize, const C: usize>(
        &mut self,
        simd: S,
        normals: &NormalBundle<N, C>,
        [before, after]: [&FrictionBundle; 2],
    ) {
        let change = |i: usize| after.impulse[i].load(simd) - before.impulse[i].load(simd);
        self.of_slide(simd, normals, after, [change(0), change(1)]);
        let twist = after.twist_impulse.load(simd) - before.twist_impulse.load(simd);
        self.of_turning(self.mean.normal.scale(twist));
    }

    /// Beside what a belt does.
    #[inline(always)]
    fn of_slide<const N: usize, const C: usize>(
        &mut self,
        simd: S,
        normals: &NormalBundle<N, C>,
        friction: &FrictionBundle,
        changes: [f32x8<S>; 2],
    ) {
        let (a, b) = (self.mean.a, self.mean.b);
        let tangent = friction.tangent.load(simd);
        let bitangent = self.mean.normal.cross(tangent);
        let arm_b = friction.arm_b.load(simd);
        let arm_a = arm_b + normals.offset.load(simd);
        let slip = (b.linear + b.angular.cross(arm_b)) - (a.linear + a.angular.cross(arm_a));
        for (i, along) in [tangent, bitangent].into_iter().enumerate() {
            self.add(changes[i] * (along.dot(slip) - friction.target[i].load(simd)));
        }
    }

    #[inline(always)]
    fn of_turning(&mut self, change: Vec3x8<S>) {
        let turning = self.mean.b.angular - self.mean.a.angular;
        self.add(change.dot(turning));
    }
}
