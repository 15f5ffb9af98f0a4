//! Contacts of curved bodies: their points move over the bodies as these turn.
//!
//! An ellipsoid that rocks touches the ground farther and farther from its middle. Were the point
//! held where it was as the step began, the push would come late by half a step, and what comes
//! late feeds an oscillation. So before each sub-step the points of such contacts are put where
//! the bodies' turns since the step began have carried them: with `R` the radii of curvature and
//! `e` what is tangent of the normal that turned by an angle `t` in the body's axes, the farthest
//! point along it is `s + R e` less `e.R e / (1 + cos t)` along the first normal, and the support
//! function there is greater than that of a fixed point `s` by as much. For circles that is exact,
//! however far they turn within a step: the point of a ball or of a wheel stays below.
//!
//! Where a body hangs on another, a ring in a ring, the pull swings with both, and what comes late
//! feeds the swing likewise. There also the points of edges, of capsules and of faces go along; see
//! [`crate::contact::hung`].
//!
//! As the points move the speeds at them change, though no force acts. What rolls keeps its energy if the
//! impulses meet it half-way: with `J` what makes velocities `v` of the bodies those at the points, and `J'`
//! the same a sub-step later, they do no work where `J' v` is as far above zero before as below it after.
//! So a sub-step asks for nearly half of `J v - J' v` as it sees it coming, of the normals and of friction
//! alike, see [`foresee`]. Asked for zero, it takes `J' v` away as a whole, and with it half of the square of that
//! in energy: a coin that rolled round on its rim at 40 degrees lay flat after three seconds.
//!
//! Other contacts of polytopes and balls take no part in this and pay nothing for it.

#![allow(
    clippy::needless_range_loop,
    reason = "a point is a number, the same in several arrays"
)]

use drystone_geometry::glam::Vec3;
use drystone_geometry::lanes::{Lane, Lane3, Vec3x8, f32x8, max, min};
use fearless_simd::prelude::*;
use serde::{Deserialize, Serialize};

use crate::contact::bundle::{FrictionBundle, NormalBundle, lanes_of};
use crate::contact::couple::invert;
use crate::contact::hung::Telling;
use crate::contact::lanes::DeltaLanes;
use crate::contact::points::{Turn, sum_vectors};
use crate::contact::prepare::aim_friction;
use crate::contact::solve::{Pair, SweepContext};
use crate::tolerance::{LEAST_BOW, ROLLING_SHARE, ROLLING_TURN};

/// How a surface bends at the points of a contact, in world axes as the step began.
///
/// As the normal turns by a small angle across or along, a point moves over the surface by its
/// radius times that angle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Bend {
    /// Unit, tangent to the surface; zero where nothing bends.
    pub across: Vec3,
    /// Radius of curvature in that direction at the first point and at the second, in metres. Infinite of
    /// what is straight and tells the normal of a contact that a body hangs by.
    pub radius_across: [f32; 2],
    /// Radius of curvature at a right angle to it, in metres.
    pub radius_along: f32,
}

impl Bend {
    /// Flat, or a corner.
    pub const NONE: Self = Self {
        across: Vec3::ZERO,
        radius_across: [0.0; 2],
        radius_along: 0.0,
    };

    /// A point that goes along with the bodies within the step though nothing bends. `normal` is that of
    /// the contact, unit.
    pub fn corner(normal: Vec3) -> Self {
        Self {
            across: normal.any_orthonormal_vector(),
            ..Self::NONE
        }
    }

    /// An edge, or the side of a bar of this radius in metres beyond its rounding, that crosses another one.
    /// `edge` is unit.
    pub fn edge(edge: Vec3, radius: f32) -> Self {
        Self {
            across: edge,
            radius_across: [f32::INFINITY; 2],
            radius_along: radius,
        }
    }

    /// A face, with which the normal turns. `normal` is that of the contact, unit.
    pub fn face(normal: Vec3) -> Self {
        Self {
            across: normal.any_orthonormal_vector(),
            radius_across: [f32::INFINITY; 2],
            radius_along: f32::INFINITY,
        }
    }

    /// Whether it is straight in one direction; see [`Bend::edge`].
    pub(crate) fn is_edge(&self) -> bool {
        self.radius_across[0] == f32::INFINITY && self.radius_along.is_finite()
    }

    /// Whether it is straight in all; see [`Bend::face`].
    pub(crate) fn is_face(&self) -> bool {
        self.radius_along == f32::INFINITY
    }
}

/// One body's side of eight contacts of `N` points.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(crate) struct SideLanes<const N: usize> {
    /// The points on its surface from its centre, of a static one from the other's, in world axes as the step
    /// began.
    pub(crate) surface: [Lane3; N],
    /// See [`Bend`].
    pub(crate) across: Lane3,
    /// By point, rounding included.
    radius_across: [Lane; N],
    /// Rounding included.
    pub(crate) radius_along: Lane,
}

/// What eight contacts of `N` points of curved bodies need besides.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(crate) struct CurveBundle<const N: usize> {
    pub(crate) sides: [SideLanes<N>; 2],
    /// As the step began, in metres.
    pub(crate) separation: [Lane; N],
    /// 1 in points in use, else 0.
    pub(crate) used: [Lane; N],
    /// Shares of the points in where friction acts.
    pub(crate) weights: [Lane; N],
    /// Share of A's point in the common one, which lies on what bends.
    pub(crate) share_a: Lane,
    /// 0 where both bodies move, 1 where B does alone, -1 where A does: which of them arms are from where one is
    /// static.
    pub(crate) lone: Lane,
    /// What tells the normal of now; see [`Telling`].
    pub(crate) telling: Lane,
    /// B's centre less A's as the step began, in metres.
    pub(crate) offset: Lane3,
    /// Nearly half of what the movement of the sub-step adds to the normal velocities at the points, in m/s.
    pub(crate) foreseen: [Lane; N],
    /// Likewise to those along both tangents where friction acts: what its targets make up for, in m/s.
    pub(crate) slip: [Lane; 2],
}

impl<const N: usize> SideLanes<N> {
    const ZERO: Self = Self {
        surface: [Lane3::ZERO; N],
        across: Lane3::ZERO,
        radius_across: [Lane::ZERO; N],
        radius_along: Lane::ZERO,
    };

    /// Takes what one contact says of its body, which is rounded by `radius` metres besides.
    #[inline(always)]
    pub(crate) fn set(&mut self, lane: usize, bend: &Bend, radius: f32) {
        self.across.set(lane, bend.across);
        let finite = |own: f32, other: f32| if own.is_finite() { own } else { other };
        let along = finite(bend.radius_along, 0.0);
        self.radius_along.0[lane] = along + radius;
        for (point, lanes) in self.radius_across.iter_mut().enumerate() {
            lanes.0[lane] = finite(bend.radius_across[point % 2], along) + radius;
        }
    }

    /// How far the points move over the surface when the normal turns by `turn` in the body's
    /// axes, in metres.
    #[inline(always)]
    fn carried<S: Simd>(&self, simd: S, point: usize, turn: Vec3x8<S>) -> Vec3x8<S> {
        let across = self.across.load(simd);
        let along = self.radius_along.load(simd);
        let beyond = self.radius_across[point].load(simd) - along;
        turn.scale(along)
            .add_scaled(across, beyond * across.dot(turn))
    }
}

impl<const N: usize> CurveBundle<N> {
    /// Nothing bends.
    pub(crate) const ZERO: Self = Self {
        sides: [const { SideLanes::ZERO }; 2],
        separation: [Lane::ZERO; N],
        used: [Lane::ZERO; N],
        weights: [Lane::ZERO; N],
        share_a: Lane::ZERO,
        lone: Lane::ZERO,
        telling: Lane::ZERO,
        offset: Lane3::ZERO,
        foreseen: [Lane::ZERO; N],
        slip: [Lane::ZERO; 2],
    };
}

/// A body as a sub-step finds it.
pub(super) struct Moved<S: Simd> {
    /// Vector part of the rotation since the step began.
    axis: Vec3x8<S>,
    /// Twice its scalar part.
    twice_w: f32x8<S>,
    /// The normal as the turned body sees it, less the normal; tangent.
    tilt: Vec3x8<S>,
    /// By which the square of the tilt gives what of the turned normal lies along the normal: a
    /// half where it hardly turned.
    bow: f32x8<S>,
}

impl<S: Simd> Moved<S> {
    #[inline(always)]
    fn new(simd: S, delta: &DeltaLanes<S>, normal: Vec3x8<S>) -> Self {
        let axis = delta.rotation;
        let two = f32x8::splat(simd, 2.0);
        let twice_w = two * delta.rotation_w;
        let t = axis.cross(normal);
        let back = axis.cross(t).scale(two).sub_scaled(t, twice_w);
        let along = normal.dot(back);
        Self {
            axis,
            twice_w,
            tilt: back.sub_scaled(normal, along),
            bow: f32x8::splat(simd, 1.0) / (two + along).max(LEAST_BOW),
        }
    }

    /// What the rotation adds to an arm.
    #[inline(always)]
    pub(super) fn turn(&self, simd: S, arm: Vec3x8<S>) -> Vec3x8<S> {
        let t = self.axis.cross(arm);
        let two = f32x8::splat(simd, 2.0);
        self.axis.cross(t).scale(two).add_scaled(t, self.twice_w)
    }
}

/// Both bodies of eight contacts as a sub-step finds them.
pub(super) struct Scene<S: Simd> {
    pub(super) normal: Vec3x8<S>,
    pub(super) a: Moved<S>,
    pub(super) b: Moved<S>,
    turn_a: Turn<S>,
    turn_b: Turn<S>,
    /// B's movement less A's.
    pub(super) apart: Vec3x8<S>,
}

impl<S: Simd> Scene<S> {
    #[inline(always)]
    fn new<const N: usize, const C: usize>(
        simd: S,
        context: &SweepContext<'_>,
        normals: &NormalBundle<N, C>,
    ) -> Self {
        let delta_a = DeltaLanes::gather(simd, context.rows, &normals.row_a);
        let delta_b = DeltaLanes::gather(simd, context.rows, &normals.row_b);
        Self::of(simd, normals.normal.load(simd), [&delta_a, &delta_b])
    }

    #[inline(always)]
    fn of(simd: S, normal: Vec3x8<S>, [delta_a, delta_b]: [&DeltaLanes<S>; 2]) -> Self {
        Self {
            normal,
            a: Moved::new(simd, delta_a, normal),
            b: Moved::new(simd, delta_b, normal),
            turn_a: Turn::new(simd, delta_a, normal),
            turn_b: Turn::new(simd, delta_b, normal),
            apart: delta_b.position - delta_a.position,
        }
    }

    /// The same after a sub-step's movement at these velocities.
    #[inline(always)]
    fn after<const N: usize, const C: usize>(
        simd: S,
        context: &SweepContext<'_>,
        normals: &NormalBundle<N, C>,
        pair: &Pair<S>,
    ) -> Self {
        let h = f32x8::splat(simd, 1.0 / context.inverse_h);
        let mut delta_a = DeltaLanes::gather(simd, context.rows, &normals.row_a);
        let mut delta_b = DeltaLanes::gather(simd, context.rows, &normals.row_b);
        delta_a.advance(pair.a.linear.scale(h), pair.a.angular.scale(h));
        delta_b.advance(pair.b.linear.scale(h), pair.b.angular.scale(h));
        Self::of(simd, normals.normal.load(simd), [&delta_a, &delta_b])
    }

    /// B's centre less A's, in metres; zero where either is static, which has no arm to speak of.
    #[inline(always)]
    fn offset<const N: usize>(&self, simd: S, curve: &CurveBundle<N>) -> Vec3x8<S> {
        let both = curve.lone.load(simd).simd_eq(f32x8::splat(simd, 0.0));
        let offset = curve.offset.load(simd) + self.apart;
        Vec3x8::select(both, offset, Vec3x8::zero(simd))
    }

    /// The points from B's centre, from A's where B is static, in metres.
    #[inline(always)]
    fn arms<const N: usize>(&self, simd: S, curve: &CurveBundle<N>) -> [Vec3x8<S>; N] {
        let half = f32x8::splat(simd, 0.5);
        let share_a = curve.share_a.load(simd);
        let share_b = f32x8::splat(simd, 1.0) - share_a;
        let lone = curve.lone.load(simd);
        let zero = f32x8::splat(simd, 0.0);
        // From what moves alone its own movement takes the static surface away.
        let offset_a = self.offset(simd, curve) + self.apart.scale(max(lone, zero));
        let offset_b = self.apart.scale(min(lone, zero));
        let mut arms = [Vec3x8::zero(simd); N];
        for i in 0..N {
            let [side_a, side_b] = &curve.sides;
            // On A the normal turned by the tilt, on B its opposite.
            let carried_a = side_a.carried(simd, i, self.a.tilt);
            let carried_b = side_b.carried(simd, i, self.b.tilt);
            // The way over the surface is at a right angle to the normal half-way. Without that a
            // cylinder of 0.1 m that rolls at 1 m/s gained a fifth of a percent each second.
            let drop_a = self.a.bow * self.a.tilt.dot(carried_a);
            let drop_b = self.b.bow * self.b.tilt.dot(carried_b);
            let on_a = side_a.surface[i].load(simd) + carried_a.sub_scaled(self.normal, drop_a);
            let on_b = side_b.surface[i].load(simd) - carried_b.sub_scaled(self.normal, drop_b);
            let half_gap = self.normal.scale(half * self.separation(simd, curve, i));
            let mut from_a = on_a + self.a.turn(simd, on_a) + half_gap - offset_a;
            let mut from_b = on_b + self.b.turn(simd, on_b) - half_gap - offset_b;
            let told = Telling::any(simd, curve);
            if told.any_true() {
                let [a, b] = self.hung(simd, curve, i).from;
                from_a = Vec3x8::select(told, a - offset_a, from_a);
                from_b = Vec3x8::select(told, b, from_b);
            }
            arms[i] = from_a.scale(share_a) + from_b.scale(share_b);
        }
        arms
    }

    /// The separation at a point now, in metres.
    #[inline(always)]
    fn separation<const N: usize>(
        &self,
        simd: S,
        curve: &CurveBundle<N>,
        point: usize,
    ) -> f32x8<S> {
        let [side_a, side_b] = &curve.sides;
        let carried_a = side_a.carried(simd, point, self.a.tilt);
        let carried_b = side_b.carried(simd, point, self.b.tilt);
        let turned_a = self.a.turn(simd, side_a.surface[point].load(simd));
        let turned_b = self.b.turn(simd, side_b.surface[point].load(simd));
        let rise_a = self.normal.dot(turned_a) + self.a.bow * self.a.tilt.dot(carried_a);
        let rise_b = self.normal.dot(turned_b) - self.b.bow * self.b.tilt.dot(carried_b);
        let rolled =
            curve.separation[point].load(simd) + self.normal.dot(self.apart) + (rise_b - rise_a);
        let told = Telling::any(simd, curve);
        if !told.any_true() {
            return rolled;
        }
        told.select(self.hung(simd, curve, point).separation, rolled)
    }

    /// Stores separations so that sweeps, which add to each the motion since the step began as
    /// of a point fixed to both bodies, find those of now.
    #[inline(always)]
    fn store_separations<const N: usize, const C: usize>(
        &self,
        simd: S,
        curve: &CurveBundle<N>,
        normals: &mut NormalBundle<N, C>,
    ) {
        let offset = normals.offset.load(simd);
        let offset_arm = offset.cross(self.normal);
        for i in 0..N {
            let arm = normals.points[i].arm_b.load(simd);
            let torque_arm = arm.cross(self.normal);
            let rise_b = self.turn_b.along_normal(arm, torque_arm, self.normal);
            let rise_a =
                self.turn_a
                    .along_normal(arm + offset, torque_arm + offset_arm, self.normal);
            let added = self.normal.dot(self.apart) + rise_b - rise_a;
            let separation = self.separation(simd, curve, i);
            normals.points[i].separation.store(separation - added);
        }
    }
}

/// Puts the points of the lanes `bends`, a bit each, where the bodies' motion since the step began
/// has carried them, and all that depends on it.
#[inline(always)]
pub(crate) fn roll_on<S: Simd, const N: usize, const C: usize>(
    simd: S,
    context: &SweepContext<'_>,
    curve: &mut CurveBundle<N>,
    bends: u8,
    normals: &mut NormalBundle<N, C>,
    friction: &mut FrictionBundle,
) {
    let before = (bends != u8::MAX).then(|| (normals.clone(), friction.clone()));
    let scene = Scene::new(simd, context, normals);
    normals.offset.store(scene.offset(simd, curve));
    let arms = scene.arms(simd, curve);
    let mut shares = [Vec3x8::zero(simd); N];
    for i in 0..N {
        normals.points[i].arm_b.store(arms[i]);
        shares[i] = arms[i].scale(curve.weights[i].load(simd));
    }
    scene.store_separations(simd, curve, normals);
    friction.arm_b.store(sum_vectors(shares));
    let tangent = friction.tangent.load(simd);
    let pair = Pair::gather(simd, context, normals);
    invert(simd, &pair, tangent, &curve.used, normals);
    aim_friction(simd, &pair, tangent, normals, friction);
    if let Some(before) = before {
        normals.put_back(!bends, &before.0);
        friction.put_back(!bends, &before.1);
    }
    foresee(simd, context, curve, bends, &pair, normals, friction);
}

/// Notes by how much the coming movement changes the speeds at the points of the lanes `bends`, a bit each,
/// and where friction acts, and has nearly half of it made up for beforehand. Not of what a body hangs by, which
/// follows both bodies.
#[inline(always)]
fn foresee<S: Simd, const N: usize, const C: usize>(
    simd: S,
    context: &SweepContext<'_>,
    curve: &mut CurveBundle<N>,
    bends: u8,
    pair: &Pair<S>,
    normals: &NormalBundle<N, C>,
    friction: &mut FrictionBundle,
) {
    let (a, b) = (pair.a.angular, pair.b.angular);
    // What turns far in a sub-step is anywhere after it.
    let fast = ROLLING_TURN * context.inverse_h;
    let steady = f32x8::splat(simd, 1.0) - (b - a).length_sq() / f32x8::splat(simd, fast * fast);
    let half = max(steady, f32x8::splat(simd, 0.0)) * f32x8::splat(simd, 0.5 * ROLLING_SHARE);
    let after = Scene::after(simd, context, normals, pair);
    let arms = after.arms(simd, curve);
    let offset = after.offset(simd, curve) - normals.offset.load(simd);
    let told = Telling::any(simd, curve);
    let mut shares = [Vec3x8::zero(simd); N];
    for i in 0..N {
        let moved = arms[i] - normals.points[i].arm_b.load(simd);
        let adds = (b.cross(moved) - a.cross(moved + offset)).dot(pair.normal);
        curve.foreseen[i].store(told.select(f32x8::splat(simd, 0.0), half * adds));
        shares[i] = moved.scale(curve.weights[i].load(simd));
    }
    let moved = sum_vectors(shares);
    let adds = b.cross(moved) - a.cross(moved + offset);
    let adds = Vec3x8::select(told, Vec3x8::zero(simd), adds.scale(half));
    let tangent = friction.tangent.load(simd);
    let before = curve.slip;
    for (slip, along) in curve
        .slip
        .iter_mut()
        .zip([tangent, pair.normal.cross(tangent)])
    {
        slip.store(along.dot(adds));
    }
    for lane in lanes_of(!bends) {
        curve
            .foreseen
            .iter_mut()
            .for_each(|lanes| lanes.0[lane] = 0.0);
        curve.slip.iter_mut().for_each(|lanes| lanes.0[lane] = 0.0);
    }
    for (i, target) in friction.target.iter_mut().enumerate() {
        let change = curve.slip[i].load(simd) - before[i].load(simd);
        target.store(target.load(simd) - change);
    }
}

/// Measures the separations of the lanes `bends`, a bit each, anew after the bodies moved; the points
/// stay.
#[inline(always)]
pub(crate) fn measure_again<S: Simd, const N: usize, const C: usize>(
    simd: S,
    context: &SweepContext<'_>,
    curve: &CurveBundle<N>,
    bends: u8,
    normals: &mut NormalBundle<N, C>,
) {
    let mut before = [Lane::ZERO; N];
    for (before, point) in before.iter_mut().zip(&normals.points) {
        *before = point.separation;
    }
    Scene::new(simd, context, normals).store_separations(simd, curve, normals);
    for lane in lanes_of(!bends) {
        for (point, before) in normals.points.iter_mut().zip(&before) {
            point.separation.0[lane] = before.0[lane];
        }
    }
}
