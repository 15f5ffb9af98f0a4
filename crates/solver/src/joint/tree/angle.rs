//! Angles in lanes.

use std::f32::consts::{FRAC_PI_2, FRAC_PI_4, PI};

use drystone_geometry::lanes::{divide_or_zero, f32x8, max, min};
use fearless_simd::prelude::*;

/// Above it, an eighth of a half turn, the tangent is taken from pi / 4.
const TAN_PI_8: f32 = 0.414_213_57;

/// Coefficients of `atan(t) / t - 1` in odd powers from `t^9` down, good to f32 rounding up to
/// [`TAN_PI_8`]: S. Moshier, *Cephes*, `atanf`.
const SERIES: [f32; 4] = [0.080_537_446, -0.138_776_85, 0.199_777_1, -0.333_329_5];

/// Angle of the point `(x, y)` from the x axis, in radians from -pi to pi; 0 at the origin.
#[inline(always)]
pub(super) fn atan2<S: Simd>(y: f32x8<S>, x: f32x8<S>) -> f32x8<S> {
    let simd = x.simd;
    let zero = f32x8::splat(simd, 0.0);
    let one = f32x8::splat(simd, 1.0);
    let (size_x, size_y) = (max(x, -x), max(y, -y));
    let ratio = divide_or_zero(min(size_x, size_y), max(size_x, size_y));
    let steep = ratio.simd_gt(f32x8::splat(simd, TAN_PI_8));
    let t = steep.select((ratio - one) / (ratio + one), ratio);
    let base = steep.select(f32x8::splat(simd, FRAC_PI_4), zero);
    let z = t * t;
    let [a, b, c, d] = SERIES;
    let mut series = f32x8::splat(simd, a) * z + f32x8::splat(simd, b);
    series = series * z + f32x8::splat(simd, c);
    series = series * z + f32x8::splat(simd, d);
    let angle = base + (series * z * t + t);
    let angle = size_y
        .simd_gt(size_x)
        .select(f32x8::splat(simd, FRAC_PI_2) - angle, angle);
    let angle = x
        .simd_lt(zero)
        .select(f32x8::splat(simd, PI) - angle, angle);
    y.simd_lt(zero).select(-angle, angle)
}

/// `angle` brought into -pi..pi, given that it is within three half turns.
#[inline(always)]
pub(super) fn wrap<S: Simd>(angle: f32x8<S>) -> f32x8<S> {
    let half = f32x8::splat(angle.simd, PI);
    let turn = f32x8::splat(angle.simd, 2.0 * PI);
    let angle = angle.simd_gt(half).select(angle - turn, angle);
    angle.simd_lt(-half).select(angle + turn, angle)
}

/// `angle`, or what it is a turn on or back: whichever is within half a turn of `middle`. Both lie
/// in -pi..pi.
#[inline(always)]
pub(super) fn near<S: Simd>(angle: f32x8<S>, middle: f32x8<S>) -> f32x8<S> {
    let half = f32x8::splat(angle.simd, PI);
    let turn = f32x8::splat(angle.simd, 2.0 * PI);
    let off = angle - middle;
    let back = off.simd_gt(half).select(angle - turn, angle);
    off.simd_lt(-half).select(angle + turn, back)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All the way round at radii from 1e-6 to 1e6, both axes and the origin, against libm.
    #[test]
    fn the_angle_of_a_point_is_that_of_libm() {
        let simd = fearless_simd::Fallback::new();
        let check = |x: f32, y: f32| {
            let found = atan2(f32x8::splat(simd, y), f32x8::splat(simd, x)).to_array();
            let expected = libm::atan2f(y, x);
            let error = (found[3] - expected).abs();
            assert!(error < 5e-7, "{x} {y}: {} not {expected}", found[3]);
        };
        check(0.0, 0.0);
        for radius in [1e-6, 0.3, 1e6] {
            for step in -600_i16..=600 {
                let turn = f32::from(step) * (PI / 600.0);
                check(radius * libm::cosf(turn), radius * libm::sinf(turn));
            }
            for side in [-radius, radius] {
                check(side, 0.0);
                check(0.0, side);
            }
        }
    }
}
