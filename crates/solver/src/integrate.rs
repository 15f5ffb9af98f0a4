//! Bodies between constraint sweeps: rows at the start of a step, velocities, positions, and
//! the state at its end.
//!
//! Forces change velocities; then the body moves freely, gyroscopic term included (see
//! [`crate::gyroscope`]), from the velocities the constraints left. Locked axes have no
//! inverse mass, so nothing moves them.

use drystone_geometry::glam::{DQuat, DVec3, Mat3, Quat, Vec3};
use drystone_geometry::rotation;

use crate::body::{AxisLocks, Body};
use crate::body_rows::{BodyRows, MassRow, row_index};
use crate::gyroscope::{self, Turn};
use crate::tolerance::{
    BURDEN_KEPT, GYROSCOPIC_ANGLE, INERTIA_REFRESH_ANGLE, LEANING_TURN, MAX_ANGULAR_SPEED,
    MAX_LEAN, MAX_LINEAR_SPEED, SMALL_ANGLE, STALE_INERTIA_SHARE, TENSION_INERTIA_RATIO,
    TENSION_KEPT,
};
use crate::wedged;

/// Fills the rows of body number `slot` at the start of a step of sub-steps of `h` seconds.
///
/// `tension` is the sum over its joints of the impulse in the last sub-step times the arm, in N m s.
/// A light link pulled at both ends swings about its centre at `sqrt(tension / (h inertia))`,
/// and sub-steps longer than 2 over that rate would blow it up. Where they come near, its
/// inertia is raised for the step; bodies under an ordinary load are not touched. The spin falls
/// as the inertia rises, so that the energy stays: else it would grow with the pull each time, and
/// chains would shake ever harder.
///
/// What it was before counts on for a while, since a chain that is slack for a step is jerked taut again.
///
/// Andrews, Teichmann, Kry, *Geometric Stiffness for Real-time Constrained Multibody Dynamics*
/// (2017).
pub(crate) fn begin(rows: &BodyRows, slot: u32, body: &Body, gravity: Vec3, h: f32, tension: f32) {
    let index = row_index(slot);
    let v = limit(
        body.linear_velocity * body.locks.free_translation(),
        MAX_LINEAR_SPEED,
    );
    let w = limit(
        body.angular_velocity * body.locks.free_rotation(),
        MAX_ANGULAR_SPEED,
    );
    let tension = if tension > 0.0 {
        tension.max(body.tension)
    } else {
        0.0
    };
    let w = share_spin(body, body.rotation, w, [0.0, h * tension]);
    rows.set_velocity(index, v, w);
    rows.set_movement(index, Vec3::ZERO, Quat::IDENTITY);
    weigh(rows, index, body, body.burden, gravity, h, tension);
    if body.is_dynamic() {
        let factor = |rate: f32| 1.0 / (1.0 + h * rate);
        rows.set_damping(
            index,
            factor(body.linear_damping),
            factor(body.angular_damping),
        );
    } else {
        rows.set_damping(index, 1.0, 1.0);
    }
}

/// Sets the mass of a body, which counts as `burden` kg if it has less, and what forces do to it; the
/// rest as for [`begin`].
fn weigh(
    rows: &BodyRows,
    index: u32,
    body: &Body,
    burden: f32,
    gravity: Vec3,
    h: f32,
    tension: f32,
) {
    rows.burdens.set_counted(index, burden);
    rows.pulls.set_counted(index, tension);
    let (_, turn) = rows.movement(index);
    let orientation = rotation::multiply(turn, body.rotation);
    let mass = mass_row(body, burden, orientation, h * tension);
    rows.set_mass(index, mass);
    let gravity = if body.is_dynamic() {
        // A burden has no weight of its own.
        lightness(body, burden, tension) * body.gravity_scale * gravity
    } else {
        Vec3::ZERO
    };
    let push = gravity * body.locks.free_translation() + mass.inverse_mass * body.force;
    let turn = apply_symmetric(mass.diagonal, mass.off_diagonal, body.torque);
    rows.set_drive(index, h * push, h * turn);
}

/// Lets body number `slot` count as heavier from now on if what pressed on it in the last sub-step
/// asks for that, or as harder to turn if what joints pulled at it with does and it `swings`; the rest
/// as for [`begin`].
pub(crate) fn load(rows: &BodyRows, slot: u32, body: &Body, gravity: Vec3, h: f32, swings: bool) {
    let index = row_index(slot);
    let (pressed, pull) = (rows.burdens.take_asked(index), rows.pulls.take_asked(index));
    let pull = if swings { pull } else { 0.0 };
    let (burden, tension) = (rows.burdens.counted(index), rows.pulls.counted(index));
    if pull > (1.0 + STALE_INERTIA_SHARE) * tension && raised_inertia(body, h * pull).is_some() {
        let (v, w) = rows.velocity(index);
        let (_, turn) = rows.movement(index);
        let orientation = rotation::multiply(turn, body.rotation);
        let w = share_spin(body, orientation, w, [h * tension, h * pull]);
        rows.set_velocity(index, v, w);
        weigh(rows, index, body, burden, gravity, h, pull);
        rows.set_turned(index);
    } else if tension <= 0.0
        && pressed > (1.0 + STALE_INERTIA_SHARE) * burden.max(1.0 / body.inverse_mass)
    {
        weigh(rows, index, body, pressed, gravity, h, tension);
        rows.set_turned(index);
    }
}

/// Angular velocity with which a body has the energy of `w` once its inertia is raised for the second
/// `swing` in place of the first, see [`mass_row`].
fn share_spin(body: &Body, orientation: Quat, w: Vec3, [before, swing]: [f32; 2]) -> Vec3 {
    let Some(inertia) = raised_inertia(body, swing) else {
        return w;
    };
    let had = raised_inertia(body, before).unwrap_or(body.inertia);
    let frame = rotation::multiply(orientation, body.principal_rotation);
    let local = rotation::rotate_inverse(frame, w);
    let Vec3 { x, y, z } = had / inertia;
    let share = Vec3::new(x.sqrt(), y.sqrt(), z.sqrt());
    rotation::rotate(frame, local * share) * body.locks.free_rotation()
}

/// The inertia with which a body stands `swing`, the tension of its joints times the sub-step, in
/// kg m^2, where its own is not enough.
fn raised_inertia(body: &Body, swing: f32) -> Option<Vec3> {
    let needed = TENSION_INERTIA_RATIO * swing;
    let lacks = needed > body.inertia.min_element() && body.is_dynamic();
    lacks.then(|| body.inertia.max(Vec3::splat(needed)))
}

/// Lets forces and damping act for a sub-step on body number `slot`.
pub(crate) fn velocities(rows: &BodyRows, slot: u32) {
    let index = row_index(slot);
    let (v, w) = rows.velocity(index);
    let (dv, dw) = rows.drive(index);
    let [keep_v, keep_w] = rows.damping(index);
    let v = limit(keep_v * (v + dv), MAX_LINEAR_SPEED);
    let w = limit(keep_w * (w + dw), MAX_ANGULAR_SPEED);
    rows.set_velocity(index, v, w);
}

/// Moves body number `slot` for a sub-step of `h` seconds.
pub(crate) fn positions(rows: &BodyRows, slot: u32, body: &Body, h: f32) {
    let index = row_index(slot);
    let (v, w) = rows.velocity(index);
    let (position, mut rotation) = rows.movement(index);
    let v = limit(v, MAX_LINEAR_SPEED);
    let mut w = limit(w, MAX_ANGULAR_SPEED);
    let angle = w.length() * h;
    if angle > GYROSCOPIC_ANGLE && is_gyroscopic(body) {
        (rotation, w) = turn_freely(body, rotation, w, h);
    } else if angle < SMALL_ANGLE {
        rotation = turn_a_little(rotation, h * w, angle);
    } else {
        let turn = gyroscope::turn_by(w.as_dvec3(), f64::from(h));
        rotation = to_quat(gyroscope::multiply(turn, from_quat(rotation)));
    }
    rows.set_velocity(index, v, w);
    rows.set_movement(index, position + h * v, rotation);
    renew_mass(rows, slot, body, angle, h);
}

/// Renews the world inertia of body number `slot` if it has turned by more than a little, by
/// `angle`, in a sub-step of `h` seconds.
#[inline]
pub(crate) fn renew_mass(rows: &BodyRows, slot: u32, body: &Body, angle: f32, h: f32) {
    if angle > INERTIA_REFRESH_ANGLE && !is_spherical(body) {
        let index = row_index(slot);
        let swing = h * rows.pulls.counted(index);
        let (_, turn) = rows.movement(index);
        let orientation = rotation::multiply(turn, body.rotation);
        let burden = rows.burdens.counted(index);
        rows.set_mass(index, mass_row(body, burden, orientation, swing));
        if stale_share(body, turn, swing) > STALE_INERTIA_SHARE {
            rows.set_turned(index);
        }
    }
}

/// Share of itself by which `turn` may have made a body easier to turn about some axis: a tree of
/// 60 m that turns by two degrees is half as hard to push aside. Twice the sine of half the angle
/// stands for its sine.
fn stale_share(body: &Body, turn: Quat, swing: f32) -> f32 {
    let inertia = raised_inertia(body, swing).unwrap_or(body.inertia);
    let axis = Vec3::new(turn.x, turn.y, turn.z);
    unevenness(inertia) * axis.length_squared()
}

/// `before` turned by the rotation vector `turn` of length `angle`, up to [`SMALL_ANGLE`]: the
/// Cayley map, lengthened by the series of `tan(x/2) / (x/2)`.
fn turn_a_little(before: Quat, turn: Vec3, angle: f32) -> Quat {
    let axis = (0.5 + angle * angle / 24.0) * turn;
    let step = Quat::from_xyzw(axis.x, axis.y, axis.z, 1.0);
    rotation::normalize(rotation::multiply(step, before))
}

/// Free rotation of a body whose principal moments differ.
fn turn_freely(body: &Body, delta: Quat, w: Vec3, h: f32) -> (Quat, Vec3) {
    let principal =
        gyroscope::multiply(from_quat(body.rotation), from_quat(body.principal_rotation));
    // Matrices do not depend on the length of what they are made from.
    let axes = gyroscope::multiply(from_quat(delta), principal);
    let frame = rotation::to_dmatrix(DQuat::from_array(axes));
    let local = frame.transpose() * w.as_dvec3();
    let (local, turn) = gyroscope::rotate_freely(body.inertia.as_dvec3(), local, f64::from(h));
    let axes = gyroscope::multiply(axes, turn);
    let frame = rotation::to_dmatrix(DQuat::from_array(axes));
    let back = [-principal[0], -principal[1], -principal[2], principal[3]];
    let delta = gyroscope::multiply(axes, back);
    (to_quat(delta), (frame * local).as_vec3())
}

/// State of body number `slot` at the end of a step of `dt` seconds under `gravity`, in m/s^2.
/// Clears force and torque.
pub(crate) fn finish(rows: &BodyRows, slot: u32, body: &mut Body, gravity: f32, dt: f32) {
    wedged::settle(rows, slot, body);
    let index = row_index(slot);
    let (v, w) = rows.velocity(index);
    let (delta, turn) = rows.movement(index);
    body.linear_velocity = limit(v, MAX_LINEAR_SPEED);
    body.angular_velocity = limit(w, MAX_ANGULAR_SPEED);
    body.center += delta.as_dvec3();
    let axis = Vec3::new(turn.x, turn.y, turn.z);
    if axis != Vec3::ZERO {
        body.rotation = rotation::normalize(rotation::multiply(turn, body.rotation));
    }
    body.force = Vec3::ZERO;
    body.torque = Vec3::ZERO;
    // What hops for a moment lands on what carried it, so burdens fade rather than end.
    let kept = BURDEN_KEPT * rows.burdens.counted(index);
    body.burden = kept.max(rows.burdens.take_asked(index));
    if body.burden * body.inverse_mass <= 1.0 {
        body.burden = 0.0;
    }
    let pull = rows.pulls.counted(index).max(rows.pulls.take_asked(index));
    body.tension = (TENSION_KEPT * pull).min(f32::MAX);
    body.lean = lean_after(body, 2.0 * axis, gravity);

    let movement = (delta, axis);
    if !body.can_sleep || surface_moves(body, movement, dt) {
        body.sleep_time = 0.0;
    } else {
        body.sleep_time += dt;
    }
}

/// [`Body::lean`] after a step in which the body turned by the rotation vector `turn`, under
/// `gravity`, in m/s^2.
#[inline]
fn lean_after(body: &Body, turn: Vec3, gravity: f32) -> Vec3 {
    let spin = body.extent * body.angular_velocity.length_squared();
    let rests = spin < LEANING_TURN * gravity * body.gravity_scale.abs();
    if rests && body.is_dynamic() {
        limit(body.lean + turn, MAX_LEAN)
    } else {
        Vec3::ZERO
    }
}

/// Whether the surface is faster than the body's threshold of rest, `movement` being what the centre
/// has moved in the step and the axis of the turn times the sine of half its angle.
///
/// Slow creep through position bias shows in the movement, not in the relaxed velocity.
#[inline]
fn surface_moves(body: &Body, (delta, axis): (Vec3, Vec3), dt: f32) -> bool {
    let threshold = body.sleep_threshold;
    let speed_beyond = |by_turning: f32, arc: f32| {
        let moved = if dt > 0.0 {
            0.5 * (delta.length() + 2.0 * arc) / dt
        } else {
            0.0
        };
        (body.linear_velocity.length() + by_turning).max(moved) > threshold
    };
    // Most bodies fly or lie still, which is seen without a look at their shape.
    if speed_beyond(0.0, 0.0) {
        return true;
    }
    let all_round = |turn: Vec3| body.extent * turn.length();
    speed_beyond(all_round(body.angular_velocity), all_round(axis))
        && speed_beyond(body.arc(body.angular_velocity), body.arc(axis))
}

/// `v`, shortened to `most` if it is longer. Whatever goes in, what comes out is finite: a
/// vector with a part that is infinite or not a number has no direction and becomes zero.
fn limit(v: Vec3, most: f32) -> Vec3 {
    let length_sq = v.length_squared();
    if length_sq <= most * most {
        v
    } else if length_sq.is_finite() {
        v * (most / length_sq.sqrt())
    } else if v.is_finite() {
        // Only the square overflows.
        let direction = v / v.abs().max_element();
        direction * (most / direction.length())
    } else {
        Vec3::ZERO
    }
}

/// Whether the body turns about every axis alike.
pub(crate) fn is_spherical(body: &Body) -> bool {
    body.inverse_inertia.x == body.inverse_inertia.y
        && body.inverse_inertia.y == body.inverse_inertia.z
}

/// Whether free rotation differs from a constant angular velocity. It does not for equal
/// moments; a body with a locked axis is held by its lock, and a kinematic one obeys nothing.
pub(crate) fn is_gyroscopic(body: &Body) -> bool {
    !is_spherical(body)
        && body.inverse_inertia.min_element() > 0.0
        && body.inertia.min_element() > 0.0
        && body.locks.free_rotation() == Vec3::ONE
}

fn from_quat(q: Quat) -> Turn {
    [
        f64::from(q.x),
        f64::from(q.y),
        f64::from(q.z),
        f64::from(q.w),
    ]
}

fn to_quat(turn: Turn) -> Quat {
    let [x, y, z, w] = gyroscope::normalize(turn);
    Quat::from_xyzw(x as f32, y as f32, z as f32, w as f32)
}

/// Inverse masses of a body turned to `orientation`, whose inertia is raised if that is needed
/// to stand `swing`, the tension of its joints times the sub-step, in kg m^2.
fn mass_row(body: &Body, burden: f32, orientation: Quat, swing: f32) -> MassRow {
    let inverse_mass = body.inverse_mass * body.locks.free_translation();
    let raised = raised_inertia(body, swing);
    let [diagonal, off_diagonal] = if let Some(inertia) = raised {
        let inverse_inertia = body.inverse_inertia * (body.inertia / inertia);
        let heavier = Body {
            inertia,
            inverse_inertia,
            ..body.clone()
        };
        world_inverse_inertia(&heavier, orientation)
    } else {
        world_inverse_inertia(body, orientation)
    };
    let lightness = lightness(body, burden, swing);
    MassRow {
        diagonal: lightness * diagonal,
        off_diagonal: lightness * off_diagonal,
        inverse_mass: lightness * inverse_mass,
        unevenness: if is_spherical(body) {
            0.0
        } else {
            let plain = raised.is_none() && lightness == 1.0 && is_gyroscopic(body);
            let unevenness = plain.then(|| unevenness(body.inertia));
            unevenness.filter(|&uneven| uneven > 0.0).unwrap_or(-1.0)
        },
    }
}

/// Four times what the greatest principal moment is over the least, less one; a ratio.
fn unevenness(inertia: Vec3) -> f32 {
    let least = inertia.min_element().max(f32::MIN_POSITIVE);
    (inertia.max_element() / least - 1.0) * 4.0
}

/// The body's mass over what it counts as for its burden; a ratio, 1 without one. What joints
/// pull at gets inertia for their `tension` instead: they were prepared for its own mass.
fn lightness(body: &Body, burden: f32, tension: f32) -> f32 {
    if tension > 0.0 {
        return 1.0;
    }
    let heaviness = burden * body.inverse_mass;
    if heaviness > 1.0 {
        1.0 / heaviness
    } else {
        1.0
    }
}

/// Diagonal (xx, yy, zz) and rest (yz, zx, xy) of a body's inverse inertia in world axes,
/// with locked axes taken out.
pub(crate) fn world_inverse_inertia(body: &Body, orientation: Quat) -> [Vec3; 2] {
    if is_spherical(body) && body.locks == AxisLocks::NONE {
        return [body.inverse_inertia, Vec3::ZERO];
    }
    let axes = rotation::to_matrix(rotation::multiply(orientation, body.principal_rotation));
    let inverse = symmetric(&axes, body.inverse_inertia);
    if body.locks.free_rotation() == Vec3::ONE {
        return inverse;
    }
    if body.inverse_inertia.min_element() <= 0.0 {
        return mask(inverse, body.locks.free_rotation());
    }
    locked_inverse(symmetric(&axes, body.inertia), body.locks.free_rotation())
}

/// `axes * diag(values) * axes^T`.
fn symmetric(axes: &Mat3, values: Vec3) -> [Vec3; 2] {
    let (x, y, z) = (axes.x_axis, axes.y_axis, axes.z_axis);
    let entry = |i: usize, j: usize| {
        values.x * x[i] * x[j] + values.y * y[i] * y[j] + values.z * z[i] * z[j]
    };
    let diagonal = Vec3::new(entry(0, 0), entry(1, 1), entry(2, 2));
    [diagonal, Vec3::new(entry(1, 2), entry(2, 0), entry(0, 1))]
}

fn mask([d, o]: [Vec3; 2], free: Vec3) -> [Vec3; 2] {
    let pairs = Vec3::new(free.y * free.z, free.z * free.x, free.x * free.y);
    [d * free, o * pairs]
}

/// Inverse of the block of an inertia that belongs to the free axes; zero elsewhere.
///
/// What a lock holds still does not resist: with Z alone free, the inverse is `1 / zz`.
fn locked_inverse([d, o]: [Vec3; 2], free: Vec3) -> [Vec3; 2] {
    // A locked axis is made independent of the others and of unit inertia, the whole
    // inverted, and the locked axis taken out again.
    // In `f64`: products of three moments of inertia of dust and ships lie outside `f32`.
    let [d, o] = mask([d, o], free).map(|part| part.as_dvec3());
    let d = d + (Vec3::ONE - free).as_dvec3();
    let ([xx, yy, zz, yz, zx, xy], determinant) = symmetric_cofactors(d, o);
    if determinant > 0.0 {
        let inverse = [DVec3::new(xx, yy, zz), DVec3::new(yz, zx, xy)];
        mask(inverse.map(|part| (part / determinant).as_vec3()), free)
    } else {
        [Vec3::ZERO; 2]
    }
}

/// The cofactors xx, yy, zz, yz, zx, xy of a symmetric matrix, and its determinant.
#[inline]
pub(crate) fn symmetric_cofactors(d: DVec3, o: DVec3) -> ([f64; 6], f64) {
    let xx = d.y * d.z - o.x * o.x;
    let yy = d.z * d.x - o.y * o.y;
    let zz = d.x * d.y - o.z * o.z;
    let yz = o.y * o.z - d.x * o.x;
    let zx = o.z * o.x - d.y * o.y;
    let xy = o.x * o.y - d.z * o.z;
    ([xx, yy, zz, yz, zx, xy], d.x * xx + o.z * xy + o.y * zx)
}

/// Symmetric matrix times vector.
pub(crate) fn apply_symmetric(d: Vec3, o: Vec3, v: Vec3) -> Vec3 {
    Vec3::new(
        d.x * v.x + o.z * v.y + o.y * v.z,
        o.z * v.x + d.y * v.y + o.x * v.z,
        o.y * v.x + o.x * v.y + d.z * v.z,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Speeds of every kind in every place: an overflow in one direction against one in the
    /// other leaves a part that is no number. By hand: what is finite keeps its direction.
    #[test]
    fn speeds_stay_within_the_limit_whatever_they_were() {
        let parts = [
            0.0,
            -1.0,
            1e-40,
            300.0,
            1e19,
            -2e38,
            f32::MAX,
            f32::INFINITY,
            f32::NEG_INFINITY,
            f32::NAN,
        ];
        for x in parts {
            for y in parts {
                for z in parts {
                    let v = Vec3::new(x, y, z);
                    let limited = limit(v, 100.0);
                    assert!(limited.length() <= 100.001, "{v} became {limited}");
                    if !v.is_finite() {
                        assert_eq!(limited, Vec3::ZERO, "from {v}");
                    } else if v.length() <= 100.0 {
                        assert_eq!(limited, v);
                    } else {
                        let wide = v.as_dvec3();
                        let expected = 100.0 * (wide / wide.length());
                        let error = limited.as_dvec3().distance(expected);
                        assert!(error < 1e-4, "{v} became {limited}");
                    }
                }
            }
        }
    }
}
