//! Free rotation: what a body does between impulses.
//!
//! Euler's equations by the implicit midpoint rule, in principal axes. The rule conserves
//! the energy and the length of the angular momentum, both being quadratic; turning the body by
//! the Cayley map of the same midpoint velocity conserves the direction of the angular
//! momentum in the world too. Nothing is left to drift but the phase, and that is of second
//! order in the angle of an inner step.
//!
//! Hairer, Lubich, Wanner, *Geometric Numerical Integration* (2006), sections IV.2 and VII.5.

use drystone_geometry::glam::DVec3;

use crate::tolerance::{
    INNER_ROTATION, MAX_INNER_ROTATIONS, MAX_NEWTON_ITERATIONS, NEWTON_TOLERANCE,
};

/// A rotation as `(x, y, z, w)`, not of unit length.
pub(crate) type Turn = [f64; 4];

/// No rotation.
pub(crate) const NO_TURN: Turn = [0.0, 0.0, 0.0, 1.0];

/// Turns a body freely for `h` seconds.
///
/// `inertia` are the principal moments, above 0; `angular_velocity` is in principal axes, in
/// rad/s. Returns the angular velocity in the principal axes after the turn, and the turn
/// seen from the axes before it, not of unit length. Finite input gives finite output. The energy
/// never rises; beyond [`MAX_INNER_ROTATIONS`] inner steps the angular velocity stays as it is.
pub(crate) fn rotate_freely(inertia: DVec3, angular_velocity: DVec3, h: f64) -> (DVec3, Turn) {
    let angle = angular_velocity.length() * h;
    let steps = (angle / INNER_ROTATION).ceil().max(1.0);
    if steps.is_nan() || steps > f64::from(MAX_INNER_ROTATIONS) {
        return (angular_velocity, turn_by(angular_velocity, h));
    }
    let coefficients = DVec3::new(
        (inertia.y - inertia.z) / inertia.x,
        (inertia.z - inertia.x) / inertia.y,
        (inertia.x - inertia.y) / inertia.z,
    );
    let energy = energy_of(inertia, angular_velocity);
    let inner = h / steps;
    let mut omega = angular_velocity;
    let mut turn = NO_TURN;
    for _ in 0..steps as u32 {
        let stretched = inner * phase_factor(omega.length_squared() * (inner * inner));
        let next = midpoint_step(coefficients, omega, stretched);
        let middle = 0.25 * stretched * (omega + next);
        // Each is longer than one by a thirtieth at most, which is no matter in sixty-four.
        turn = multiply(turn, [middle.x, middle.y, middle.z, 1.0]);
        omega = next;
    }
    let after = energy_of(inertia, omega);
    if after > energy && after > 0.0 {
        omega *= (energy / after).sqrt();
    }
    (omega, turn)
}

/// The turn that the constant angular velocity `omega` makes in `h` seconds.
pub(crate) fn turn_by(omega: DVec3, h: f64) -> Turn {
    let rate = omega.length();
    let half = 0.5 * rate * h;
    if half < INNER_ROTATION {
        let axis = 0.5 * h * phase_factor(4.0 * (half * half)) * omega;
        normalize([axis.x, axis.y, axis.z, 1.0])
    } else {
        let (sin, cos) = libm::sincos(half);
        let axis = omega * (sin / rate);
        [axis.x, axis.y, axis.z, cos]
    }
}

/// The rotation that applies `b` first, then `a`.
pub(crate) fn multiply(a: Turn, b: Turn) -> Turn {
    [
        a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
        a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
        a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3],
        a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2],
    ]
}

/// `turn` scaled to unit length; it must not be zero.
pub(crate) fn normalize(turn: Turn) -> Turn {
    let [x, y, z, w] = turn;
    let scale = 1.0 / (x * x + y * y + z * z + w * w).sqrt();
    [x * scale, y * scale, z * scale, w * scale]
}

/// `tan(x / 2) / (x / 2)` for `x` up to 1, given its square `s`: by how much to lengthen a Cayley
/// step so that it turns by the angle `x` itself. Its series, cut where the next term is below
/// 1e-7 at 1/2.
fn phase_factor(s: f64) -> f64 {
    1.0 + s * (1.0 / 12.0 + s * (1.0 / 120.0 + s * (17.0 / 20160.0 + s * (31.0 / 362_880.0))))
}

fn energy_of(inertia: DVec3, omega: DVec3) -> f64 {
    (inertia * omega).dot(omega)
}

/// Solves `w1 = w0 + h c (m2 m3, m3 m1, m1 m2)` with `m = (w0 + w1) / 2` by Newton's method.
///
/// The coefficients `c` of a real body lie within -1 and 1, so for `|w0| h` up to 1/2 the
/// Jacobian is close to the identity. Starts from the explicit midpoint rule, which is good to the
/// third order of the angle. Stops at the bound with what it has; the caller keeps the energy from
/// rising.
fn midpoint_step(c: DVec3, w0: DVec3, h: f64) -> DVec3 {
    let hc = h * c;
    let j = 0.5 * hc;
    let products = |m: DVec3| DVec3::new(m.y * m.z, m.z * m.x, m.x * m.y);
    let mut w1 = w0 + hc * products(w0 + j * products(w0));
    let tolerance = NEWTON_TOLERANCE * NEWTON_TOLERANCE * w0.length_squared();
    for _ in 0..MAX_NEWTON_ITERATIONS {
        let m = 0.5 * (w0 + w1);
        let residual = w1 - w0 - hc * products(m);
        let row_x = DVec3::new(1.0, -j.x * m.z, -j.x * m.y);
        let row_y = DVec3::new(-j.y * m.z, 1.0, -j.y * m.x);
        let row_z = DVec3::new(-j.z * m.y, -j.z * m.x, 1.0);
        let (yz, zx, xy) = (row_y.cross(row_z), row_z.cross(row_x), row_x.cross(row_y));
        let determinant = row_x.dot(yz);
        if determinant.is_nan() || determinant == 0.0 {
            return w0;
        }
        let adjugate = residual.x * yz + residual.y * zx + residual.z * xy;
        let correction = adjugate * (1.0 / determinant);
        w1 -= correction;
        if correction.length_squared() <= tolerance {
            break;
        }
    }
    if w1.is_finite() { w1 } else { w0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rotate(turn: Turn, v: DVec3) -> DVec3 {
        let axis = DVec3::new(turn[0], turn[1], turn[2]);
        let t = 2.0 * axis.cross(v);
        v + turn[3] * t + axis.cross(t)
    }

    fn box_inertia(half_extents: DVec3, mass: f64) -> DVec3 {
        let sq = half_extents * half_extents;
        mass / 3.0 * DVec3::new(sq.y + sq.z, sq.z + sq.x, sq.x + sq.y)
    }

    /// Bodies from a needle to a cube at 0.01 to 10,000 rad/s. By conservation: energy and
    /// angular momentum, as a vector in the world, stay put for 2,000 sub-steps.
    #[test]
    fn free_rotation_conserves_energy_and_angular_momentum() {
        let shapes = [
            DVec3::new(0.5, 0.25, 0.1),
            DVec3::new(1.0, 0.01, 0.02),
            DVec3::new(1.0, 1.0, 1.0),
            DVec3::new(1.0, 2.0, 3.0),
        ];
        for half_extents in shapes {
            for rate in [0.01, 1.0, 10.0, 100.0, 1000.0, 10_000.0] {
                let inertia = box_inertia(half_extents, 1.0);
                let start = rate * DVec3::new(0.1, 1.0, 0.05).normalize();
                let mut omega = start;
                let mut pose = NO_TURN;
                for _ in 0..2000 {
                    let (next, turn) = rotate_freely(inertia, omega, 1.0 / 240.0);
                    pose = normalize(multiply(pose, turn));
                    omega = next;
                }
                let ratio = energy_of(inertia, omega) / energy_of(inertia, start);
                assert!(
                    (ratio - 1.0).abs() < 1e-9,
                    "{half_extents} {rate}: energy {ratio}"
                );
                let bounded = rate / 240.0 < INNER_ROTATION * f64::from(MAX_INNER_ROTATIONS);
                if bounded {
                    let momentum = rotate(pose, inertia * omega);
                    let drift = (momentum - inertia * start).length() / (inertia * start).length();
                    assert!(drift < 1e-8, "{half_extents} {rate}: momentum {drift}");
                }
            }
        }
    }

    /// About a principal axis the rate is constant, so the angle is known: rate times time.
    /// From slow to many turns a sub-step.
    #[test]
    fn a_spin_about_a_principal_axis_turns_by_rate_times_time() {
        for rate in [0.1, 3.0, 60.0, 500.0] {
            let inertia = DVec3::new(1.0, 2.0, 2.5);
            let h = 1.0 / 240.0;
            let omega = DVec3::new(0.0, 0.0, rate);
            for (after, turn) in [rotate_freely(inertia, omega, h), (omega, turn_by(omega, h))] {
                assert_eq!(after, omega);
                let (sin, cos) = libm::sincos(rate * h);
                let x = rotate(normalize(turn), DVec3::X);
                let error = (x - DVec3::new(cos, sin, 0.0)).length();
                assert!(error < 1e-6 * rate * h, "{rate}: {error}");
            }
        }
    }
}
