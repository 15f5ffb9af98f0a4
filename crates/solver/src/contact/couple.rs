//! The points of a contact as one block: the inverse of how they act on each other.
//!
//! An impulse `x_j` along the normal at point `j` changes the normal velocity at point `i` by
//! `K_ij x_j`. Normal velocities of two rigid bodies are affine over the plane of contact, so
//! `K = A^T M A` has rank 3 at most: the columns of `A` are `(1, s, t)` of the points in the
//! plane, from their middle, and `M` is how a force and two moments change the velocity and its
//! two slopes. With `S = A A^T`, the pseudo-inverse is `K+ = A^T S^-1 M^-1 S^-1 A`: of all
//! impulses that bring about a velocity, the least.

#![allow(
    clippy::needless_range_loop,
    reason = "a point is a number, the same in several arrays"
)]

use drystone_geometry::lanes::{
    Lane, Vec3x8, divide_or_zero, f32x8, inverse_root_power, mask32x8, max,
};
use fearless_simd::prelude::*;

use crate::contact::bundle::{NormalBundle, inverse_index};
use crate::contact::solve::Pair;
use crate::contact::spread::Spread;
use crate::tolerance::{FREE_LEVER, LEVER_STIFFENING, SINGULAR_DETERMINANT};

/// How an impulse at point `j` changes the normal velocity at point `i`, in 1/kg.
#[inline(always)]
pub(super) fn compliance<S: Simd, const N: usize>(
    simd: S,
    pair: &Pair<S>,
    torque_arms: &[Vec3x8<S>; N],
) -> [[f32x8<S>; N]; N] {
    let linear = straight_give(pair);
    let mut all = [[f32x8::splat(simd, 0.0); N]; N];
    for i in 0..N {
        let (arm_b, arm_a) = (torque_arms[i], torque_arms[i] + pair.offset_arm);
        let turned_b = pair.b.inverse_inertia.apply(arm_b);
        let turned_a = pair.a.inverse_inertia.apply(arm_a);
        // Not mirrored: rounding must not depend on the order of the points.
        for j in 0..N {
            let other_a = torque_arms[j] + pair.offset_arm;
            all[i][j] = linear + (turned_b.dot(torque_arms[j]) + turned_a.dot(other_a));
        }
    }
    all
}

/// Fills in the inverses of a bundle whose arms are set. Where there is none that rounding leaves
/// exact enough, as for points on one line, points in use get -1 on the diagonal.
///
/// `used` is 1 in points in use, `tangent` a unit vector across the normal. Returns how three
/// points and more lie.
#[inline(always)]
pub(super) fn invert<S: Simd, const N: usize, const C: usize>(
    simd: S,
    pair: &Pair<S>,
    tangent: Vec3x8<S>,
    used: &[Lane; N],
    bundle: &mut NormalBundle<N, C>,
) -> Option<Spread<S, N>> {
    let zero = f32x8::splat(simd, 0.0);
    let mut weights = [zero; N];
    let mut torque_arms = [Vec3x8::zero(simd); N];
    for i in 0..N {
        weights[i] = used[i].load(simd);
        torque_arms[i] = bundle.points[i].arm_b.load(simd).cross(pair.normal);
    }
    let mut spread = None;
    let (inverse, sound) = if N <= 2 {
        invert_few(simd, &compliance(simd, pair, &torque_arms))
    } else {
        let lie = Spread::new(simd, pair.normal, tangent, weights, &torque_arms);
        let (inverse, give, sound) = invert_plane(simd, pair, &lie);
        bundle.rest[C - 1].store(softness_share(simd, pair, give));
        spread = Some(lie);
        (inverse, sound)
    };
    for i in 0..N {
        bundle.points[i]
            .inverse
            .store(sound.select(weights[i] * inverse[i][i], -weights[i]));
        for j in i + 1..N {
            let entry = weights[i] * weights[j] * inverse[i][j];
            bundle.rest[inverse_index(N, i, j)].store(sound.select(entry, zero));
        }
    }
    spread
}

/// Share of the softness to the mean load that counts, `give` being how a force in the middle of
/// the contact changes the velocity there, in 1/kg.
///
/// Springs are as stiff as what they hold is heavy, and the end of a bar is light: where a force
/// turns bodies more than it moves them, the same share forgotten would let them sink deeper.
#[inline(always)]
fn softness_share<S: Simd>(simd: S, pair: &Pair<S>, give: f32x8<S>) -> f32x8<S> {
    let linear = straight_give(pair);
    let turned = give - f32x8::splat(simd, 1.0 + FREE_LEVER) * linear;
    let stiffer = f32x8::splat(simd, LEVER_STIFFENING) * max(turned, f32x8::splat(simd, 0.0));
    divide_or_zero(linear, linear + stiffer)
}

/// How a force along the normal through both centres changes the velocity, in 1/kg.
#[inline(always)]
fn straight_give<S: Simd>(pair: &Pair<S>) -> f32x8<S> {
    let n = pair.normal;
    (pair.a.inverse_mass + pair.b.inverse_mass)
        .mul_components(n)
        .dot(n)
}

/// The plain inverse for one or two points.
#[inline(always)]
fn invert_few<S: Simd, const N: usize>(
    simd: S,
    k: &[[f32x8<S>; N]; N],
) -> ([[f32x8<S>; N]; N], mask32x8<S>) {
    let zero = f32x8::splat(simd, 0.0);
    let one = f32x8::splat(simd, 1.0);
    let mut inverse = [[zero; N]; N];
    if N == 1 {
        inverse[0][0] = divide_or_zero(one, k[0][0]);
        return (inverse, zero.simd_eq(zero));
    }
    let (first, last) = (0, N - 1);
    // In a unit of their own, or squares would overflow for dust.
    let unit = inverse_root_power(k[first][first] + k[last][last]);
    let (k00, k11) = (k[first][first] * unit * unit, k[last][last] * unit * unit);
    let k01 = k[first][last] * unit * unit;
    let product = k00 * k11;
    let determinant = product - k01 * k01;
    let sound = determinant.simd_gt(f32x8::splat(simd, SINGULAR_DETERMINANT) * product);
    let scale = one / sound.select(determinant, one);
    inverse[first][first] = k11 * scale * unit * unit;
    inverse[last][last] = k00 * scale * unit * unit;
    inverse[first][last] = -(k01 * scale * unit * unit);
    inverse[last][first] = inverse[first][last];
    (inverse, sound)
}

/// The pseudo-inverse for three or four points in a plane; how a force in their middle changes the
/// velocity there, in 1/kg; and where there is an inverse.
#[inline(always)]
fn invert_plane<S: Simd, const N: usize>(
    simd: S,
    pair: &Pair<S>,
    spread: &Spread<S, N>,
) -> ([[f32x8<S>; N]; N], f32x8<S>, mask32x8<S>) {
    let zero = f32x8::splat(simd, 0.0);
    let one = f32x8::splat(simd, 1.0);
    let (m, give, sound) = invert_motion(simd, pair, spread.middle, spread.along);
    let mut inverse = [[zero; N]; N];
    let [p, q] = &spread.slopes;
    let inverse_count = spread.inverse_count;
    // Each entry is written so that exchanging its points changes nothing.
    let constant = m[0] * (inverse_count * inverse_count);
    let (slope_p, slope_q) = (m[1] * inverse_count, m[2] * inverse_count);
    for i in 0..N {
        for j in i..N {
            let linear = constant + (slope_p * (p[i] + p[j]) + slope_q * (q[i] + q[j]));
            let square = m[3] * (p[i] * p[j]) + m[5] * (q[i] * q[j]);
            inverse[i][j] = linear + (square + m[4] * (p[i] * q[j] + p[j] * q[i]));
            inverse[j][i] = inverse[i][j];
        }
    }
    // Points close together on a long body: the moments about them are so large that rounding
    // leaves nothing of the force. Taken for an answer, its error would grow in every sweep.
    let mut largest = zero;
    for i in 0..N {
        largest = max(largest, spread.weights[i] * inverse[i][i]);
    }
    let singular = f32x8::splat(simd, SINGULAR_DETERMINANT);
    let exact = (singular * (largest * give)).simd_lt(one);
    (inverse, give, spread.flat & sound & exact)
}

/// `M^-1`: 00, 01, 02, 11, 12, 22; how a force in the middle changes the velocity there, in
/// 1/kg; and where there is an inverse. Where locked axes leave bodies fewer ways to move, it is
/// that among those that are left; there is none where nothing moves along the normal.
#[inline(always)]
fn invert_motion<S: Simd>(
    simd: S,
    pair: &Pair<S>,
    middle: Vec3x8<S>,
    along: [Vec3x8<S>; 2],
) -> ([f32x8<S>; 6], f32x8<S>, mask32x8<S>) {
    let (a, b) = (&pair.a.inverse_inertia, &pair.b.inverse_inertia);
    let middle_a = middle + pair.offset_arm;
    let linear = straight_give(pair);
    let (a0, b0) = (a.apply(middle_a), b.apply(middle));
    let (a1, b1) = (a.apply(along[0]), b.apply(along[0]));
    let (a2, b2) = (a.apply(along[1]), b.apply(along[1]));
    let (both1, both2) = (a1 + b1, a2 + b2);
    let m00 = linear + (b0.dot(middle) + a0.dot(middle_a));
    let m01 = b1.dot(middle) + a1.dot(middle_a);
    let m02 = b2.dot(middle) + a2.dot(middle_a);
    let (m11, m12, m22) = (
        both1.dot(along[0]),
        both1.dot(along[1]),
        both2.dot(along[1]),
    );
    // In units of their own: the product of three would overflow for dust and vanish for ships.
    let (pushed, turned) = (inverse_root_power(m00), inverse_root_power(m11 + m22));
    let give = m00;
    let [m00, m01, m02, m11, m12, m22] = in_units([m00, m01, m02, m11, m12, m22], pushed, turned);
    let c00 = m11 * m22 - m12 * m12;
    let c01 = m02 * m12 - m01 * m22;
    let c02 = m01 * m12 - m02 * m11;
    let determinant = m00 * c00 + (m01 * c01 + m02 * c02);
    let singular = f32x8::splat(simd, SINGULAR_DETERMINANT);
    let trace = m11 + m22;
    let full =
        c00.simd_gt(singular * trace * trace) & determinant.simd_gt(singular * (m00 * (m11 * m22)));
    let one = f32x8::splat(simd, 1.0);
    let scale = one / full.select(determinant, one);
    let mut inverse = [
        c00 * scale,
        c01 * scale,
        c02 * scale,
        (m00 * m22 - m02 * m02) * scale,
        (m01 * m02 - m00 * m12) * scale,
        (m00 * m11 - m01 * m01) * scale,
    ];
    if !full.all_true() {
        let few = invert_locked(simd, [m00, m01, m02, m11, m12, m22]);
        for (entry, few) in inverse.iter_mut().zip(few) {
            *entry = full.select(*entry, few);
        }
    }
    let zero = f32x8::splat(simd, 0.0);
    let inverse = in_units(inverse, pushed, turned);
    (inverse, give, full | give.simd_gt(zero))
}

/// `M` or its inverse with the force in other units, and both slopes: each entry times a factor
/// for its row and one for its column.
#[inline(always)]
fn in_units<S: Simd>(m: [f32x8<S>; 6], force: f32x8<S>, slope: f32x8<S>) -> [f32x8<S>; 6] {
    let [m00, m01, m02, m11, m12, m22] = m;
    [
        m00 * force * force,
        m01 * force * slope,
        m02 * force * slope,
        m11 * slope * slope,
        m12 * slope * slope,
        m22 * slope * slope,
    ]
}

/// The inverse of `M` when its two slopes are one at most: bodies of the plane, which turn about
/// one axis only, and bodies that do not turn at all.
#[inline(always)]
fn invert_locked<S: Simd>(simd: S, m: [f32x8<S>; 6]) -> [f32x8<S>; 6] {
    let [m00, m01, m02, m11, m12, m22] = m;
    let zero = f32x8::splat(simd, 0.0);
    let one = f32x8::splat(simd, 1.0);
    // The slope that there is: `(m11, m12; m12, m22)` is its square times the trace.
    let trace = m11 + m22;
    let u1 = divide_or_zero(m11, trace).sqrt();
    let u2 = divide_or_zero(m22, trace).sqrt();
    let u2 = m12.simd_lt(zero).select(-u2, u2);
    let mixed = u1 * m01 + u2 * m02;
    let determinant = m00 * trace - mixed * mixed;
    let turns = determinant.simd_gt(f32x8::splat(simd, SINGULAR_DETERMINANT) * (m00 * trace));
    let scale = one / turns.select(determinant, one);
    let linear = turns.select(trace * scale, divide_or_zero(one, m00));
    let cross = turns.select(-(mixed * scale), zero);
    let square = turns.select(m00 * scale, zero);
    [
        linear,
        cross * u1,
        cross * u2,
        square * (u1 * u1),
        square * (u1 * u2),
        square * (u2 * u2),
    ]
}
