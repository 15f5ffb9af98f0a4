//! Mass of an ellipsoid grown by a radius on all sides, which has no elementary form: sums
//! over its normals.

use std::f64::consts::PI;

use glam::{DMat3, DVec3, Vec3Swizzles};

use super::Solid;

/// Distance of the places at which the integrands are taken, in powers of e, a ratio. The error
/// falls as `exp(-2 pi^2 / STEP)`.
const STEP: f64 = 0.5;
/// How far the sums go beyond the squares of the shortest and the longest axis, in powers of e,
/// a ratio. The integrands fall at least as its square root there.
const TAIL: f64 = 64.0;

/// Integrals over the unit sphere of normals `n`, with the distance `h` of the tangent plane from
/// the centre, by axis.
#[derive(Clone, Copy, Debug)]
struct Integrals {
    /// Of `n_i^2 / h`, `n_i^2 / h^2` and `n_i^2 / h^4`.
    one: [DVec3; 3],
    /// Of `n_i^2 n_k^2 / h^3`, ` / h^4`, ` / h^5` and ` / h^6`, column `k`.
    two: [DMat3; 4],
}

/// An ellipsoid around the origin with a layer of thickness `radius`.
///
/// The layer over a piece of surface is as thick as it is curved: with mean curvature `H` and
/// Gaussian curvature `K` its area grows as `1 + 2 H t + K t^2`, so the integral through the
/// layer is a polynomial. Over the normals `K dA` is the solid angle, the point of the surface is
/// `a_i^2 n_i / h`, and all terms are positive. With two equal axes, up to a million times as long
/// or as short as the third, sums of discs differ by 2 parts in 10^14; with three different ones
/// a sum over pieces of the surface differs by 2 in 10^12, which is its own error.
///
/// Schneider, *Convex Bodies: The Brunn-Minkowski Theory* (2014), section 4.2.
pub(super) fn ellipsoid(semi_axes: DVec3, radius: f64) -> Solid {
    let squares = semi_axes * semi_axes;
    let product = semi_axes.x * semi_axes.y * semi_axes.z;
    let core = 4.0 / 3.0 * PI * product;
    let Integrals { one, two } = Integrals::new(squares);
    // 2 H is this, times the squares of the normal, over the cube of h.
    let bend = squares * (squares.yzx() + squares.zxy());
    let ones = DVec3::ONE;
    let gauss = product * product;
    let area = gauss * one[2].dot(ones);
    let mean = squares.dot(one[0]);
    let volume = core + radius * (area + radius * (mean + radius * (4.0 / 3.0 * PI)));
    let powers = [
        0.2 * core * squares,
        gauss * squares * squares * (two[3] * ones),
        0.5 * (DVec3::splat(2.0 * core) + squares * squares * (two[2] * bend)),
        (gauss * one[2] + 2.0 * squares * (two[1] * bend) + squares * squares * one[1]) / 3.0,
        0.25 * (two[0] * bend + 2.0 * squares * one[0]),
        DVec3::splat(4.0 / 15.0 * PI),
    ];
    let second = powers
        .iter()
        .rev()
        .fold(DVec3::ZERO, |sum, &term| sum * radius + term);
    Solid {
        volume,
        center: DVec3::ZERO,
        // Not the trace less each: of long shapes nothing would be left.
        inertia: DMat3::from_diagonal(second.yzx() + second.zxy()),
    }
}

impl Integrals {
    /// For an ellipsoid with these squares of its semi-axes.
    ///
    /// A power of `h^2`, which is a mean of the squares, becomes an integral of
    /// `t^p / ((t + a_1^2)^b_1 ...)`, whose logarithm of `t` is summed at even steps: the
    /// integrand falls exponentially either way and has no singularity near.
    ///
    /// Carlson, *Special Functions of Applied Mathematics* (1977), chapters 5 and 6.
    fn new(squares: DVec3) -> Self {
        let from = libm::log(squares.min_element()) - TAIL;
        let until = libm::log(squares.max_element()) + TAIL;
        let count = ((until - from) / STEP) as u32;
        let mut sums = Self {
            one: [DVec3::ZERO; 3],
            two: [DMat3::ZERO; 4],
        };
        for index in 0..=count {
            let t = libm::exp(from + STEP * f64::from(index));
            let root = t.sqrt();
            let near = squares + DVec3::splat(t);
            let inverse = DVec3::ONE / near;
            let scale = STEP * PI / (near.x * near.y * near.z).sqrt();
            let first = scale * inverse;
            for (sum, power) in sums.one.iter_mut().zip([t * t, 2.0 * t * root, root]) {
                *sum += first * power;
            }
            let pairs = DMat3::from_cols(
                first * DVec3::new(3.0, 1.0, 1.0) * inverse.x,
                first * DVec3::new(1.0, 3.0, 1.0) * inverse.y,
                first * DVec3::new(1.0, 1.0, 3.0) * inverse.z,
            );
            let powers = [t * t, t * root, t / 1.5, 0.25 * root];
            for (sum, power) in sums.two.iter_mut().zip(powers) {
                *sum += pairs * power;
            }
        }
        sums
    }
}
