//! How the three or four points of a contact lie in its plane, and how they share its load.
//!
//! What is affine over the plane is three numbers: a constant and two slopes about the middle of
//! the points. Here are the coordinates of the points for those.

#![allow(
    clippy::needless_range_loop,
    reason = "a point is a number, the same in several arrays"
)]

use drystone_geometry::lanes::{Vec3x8, divide_or_zero, f32x8, mask32x8, max, min};
use fearless_simd::prelude::*;

use crate::contact::points::{sum, sum_vectors};
use crate::contact::solve::Pair;
use crate::tolerance::{EVEN_SHARE, SINGULAR_DETERMINANT};

/// The points of eight contacts, as torque arms: arms turned by a right angle, with the same
/// spread.
pub(super) struct Spread<S: Simd, const N: usize> {
    /// 1 in points in use, else 0.
    pub(super) weights: [f32x8<S>; N],
    /// One over the number of points.
    pub(super) inverse_count: f32x8<S>,
    /// Mean of the torque arms, in metres.
    pub(super) middle: Vec3x8<S>,
    /// Unit vectors of both slopes.
    pub(super) along: [Vec3x8<S>; 2],
    /// By slope and point, in 1/m: numbers that add up to zero, and to one when each is multiplied by
    /// the coordinate of its point along the slope, to zero by that along the other.
    pub(super) slopes: [[f32x8<S>; N]; 2],
    /// Where the points do not lie on one line.
    pub(super) flat: mask32x8<S>,
}

impl<S: Simd, const N: usize> Spread<S, N> {
    /// Of points whose `weights` are 1 if they are in use, else 0; `tangent` is a unit vector across
    /// the normal.
    #[inline(always)]
    pub(super) fn new(
        simd: S,
        normal: Vec3x8<S>,
        tangent: Vec3x8<S>,
        weights: [f32x8<S>; N],
        torque_arms: &[Vec3x8<S>; N],
    ) -> Self {
        let zero = f32x8::splat(simd, 0.0);
        let one = f32x8::splat(simd, 1.0);
        let along = [normal.cross(tangent), tangent];
        let mut scaled = [Vec3x8::zero(simd); N];
        for i in 0..N {
            scaled[i] = torque_arms[i].scale(weights[i]);
        }
        let inverse_count = divide_or_zero(one, sum(weights));
        let middle = sum_vectors(scaled).scale(inverse_count);
        let (mut s, mut t) = ([zero; N], [zero; N]);
        let (mut ss, mut st, mut tt) = ([zero; N], [zero; N], [zero; N]);
        for i in 0..N {
            let arm = (torque_arms[i] - middle).scale(weights[i]);
            s[i] = arm.dot(along[0]);
            t[i] = arm.dot(along[1]);
            ss[i] = s[i] * s[i];
            st[i] = s[i] * t[i];
            tt[i] = t[i] * t[i];
        }
        let (ss, st, tt) = (sum(ss), sum(st), sum(tt));
        let spread = ss * tt - st * st;
        let trace = ss + tt;
        let flat = spread.simd_gt(f32x8::splat(simd, SINGULAR_DETERMINANT) * trace * trace);
        let scale = one / flat.select(spread, one);
        let mut slopes = [[zero; N]; 2];
        for i in 0..N {
            slopes[0][i] = (tt * s[i] - st * t[i]) * scale;
            slopes[1][i] = (ss * t[i] - st * s[i]) * scale;
        }
        Self {
            weights,
            inverse_count,
            middle,
            along,
            slopes,
            flat,
        }
    }

    /// The shares of the points in an even load, which sum to 1, unless they are equal in all lanes.
    ///
    /// Equal shares press in the middle of the points. Four corners of a face of five have theirs
    /// a quarter of the radius beside that of the face, and as softness draws impulses towards the
    /// shares, each sub-step would tip what stands on it: straight columns of such prisms fell.
    /// So a load counts as even that presses midway between the centres of both bodies, or below
    /// that of the only one that is pushed. Of all shares that do, these are nearest to equal ones.
    ///
    /// Where points would have to pull for that, as under the end of a beam, the centres say
    /// nothing about the contact, and its shares are equal; see [`EVEN_SHARE`] too.
    #[inline(always)]
    pub(super) fn uneven_shares(&self, simd: S, pair: &Pair<S>) -> Option<[f32x8<S>; N]> {
        let zero = f32x8::splat(simd, 0.0);
        let one = f32x8::splat(simd, 1.0);
        let even = f32x8::splat(simd, EVEN_SHARE);
        let count = sum(self.weights);
        // The torque arm of B's centre is zero.
        let center_a = Vec3x8::zero(simd) - pair.offset_arm;
        let half = f32x8::splat(simd, 0.5);
        let [pushed_a, pushed_b] = pair.are_pushed(simd);
        let share_a = pushed_b.select(pushed_a.select(half, zero), one);
        let center = center_a.scale(share_a) - self.middle;
        let slopes = self.along.map(|along| center.dot(along));
        let mut more = [zero; N];
        let mut least = zero;
        for i in 0..N {
            let both = slopes[0] * self.slopes[0][i] + slopes[1] * self.slopes[1][i];
            more[i] = self.weights[i] * both;
            least = min(least, more[i]);
        }
        // What the point that bears least lacks of an equal share; at 1 it bears nothing.
        let lack = -(least * count);
        let uneven = self.flat & lack.simd_gt(even) & lack.simd_lt(one);
        if !uneven.any_true() {
            return None;
        }
        let begun = min((lack - even) * f32x8::splat(simd, 1.0 / EVEN_SHARE), one);
        let left = f32x8::splat(simd, 2.0) * (one - lack);
        let part = uneven.select(max(min(begun, left), zero), zero);
        for i in 0..N {
            more[i] = self.weights[i] * (self.inverse_count + part * more[i]);
        }
        Some(more)
    }
}
