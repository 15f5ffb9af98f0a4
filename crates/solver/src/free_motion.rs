//! Free motion of eight bodies side by side, where it is simple: nothing reaches a speed
//! limit, and nothing turns far in a sub-step. That is nearly always so. Where it is not,
//! each body goes the way of [`crate::integrate`]; the bits are the same either way.

use drystone_geometry::lanes::{LANES, Vec3x8, f32x8, mask32x8};
use fearless_simd::prelude::*;

use crate::body::Body;
use crate::body_rows::{BodyRows, row_index};
use crate::integrate;
use crate::tolerance::{
    GYROSCOPIC_ANGLE, INERTIA_REFRESH_ANGLE, INNER_ROTATION, MAX_ANGULAR_SPEED, MAX_LINEAR_SPEED,
    SMALL_ANGLE, STALE_INERTIA_SHARE,
};
use crate::tumble::{Rotationx8, Tops, multiply_eight};

/// What a sub-step does to the bodies of a block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Motion {
    /// Forces and damping change velocities.
    Accelerate,
    /// Velocities change poses, for so many seconds.
    Advance(f32),
}

/// Moves the bodies in the slots from `first` on.
///
/// `tops` is what is known of these bodies in this step, nothing when it begins.
#[inline(always)]
pub(crate) fn run<S: Simd>(
    simd: S,
    rows: &BodyRows,
    motion: Motion,
    first: u32,
    bodies: &[Body],
    tops: &mut Vec<Option<Tops>>,
) {
    tops.resize(bodies.len() / LANES, None);
    for (group, eight) in bodies.chunks(LANES).enumerate() {
        let first = first + (group * LANES) as u32;
        let done = eight.len() == LANES
            && match motion {
                Motion::Accelerate => accelerate(simd, rows, first),
                Motion::Advance(h) => advance(simd, rows, first, eight, &mut tops[group], h),
            };
        if !done {
            one_by_one(rows, motion, first, eight);
        }
    }
}

fn one_by_one(rows: &BodyRows, motion: Motion, first: u32, bodies: &[Body]) {
    for (slot, body) in (first..).zip(bodies) {
        match motion {
            Motion::Accelerate => integrate::velocities(rows, slot),
            Motion::Advance(h) => integrate::positions(rows, slot, body, h),
        }
    }
}

/// Whether all speeds are within the limits; not so if one is not a number.
#[inline(always)]
fn is_slow<S: Simd>(simd: S, linear: Vec3x8<S>, angular: Vec3x8<S>) -> bool {
    let most_linear = f32x8::splat(simd, MAX_LINEAR_SPEED * MAX_LINEAR_SPEED);
    let most_angular = f32x8::splat(simd, MAX_ANGULAR_SPEED * MAX_ANGULAR_SPEED);
    let slow = linear.length_sq().simd_le(most_linear) & angular.length_sq().simd_le(most_angular);
    slow.all_true()
}

/// See [`integrate::velocities`]. Does nothing, and says so, where a limit is reached.
#[inline(always)]
fn accelerate<S: Simd>(simd: S, rows: &BodyRows, first: u32) -> bool {
    let run = rows.run(first);
    let (linear, angular) = run.velocities(simd);
    let (push, turn) = run.drives(simd);
    let (keep_linear, keep_angular) = run.dampings(simd);
    let linear = (linear + push).scale(keep_linear);
    let angular = (angular + turn).scale(keep_angular);
    let slow = is_slow(simd, linear, angular);
    if slow {
        run.set_velocities(linear, angular);
    }
    slow
}

/// See [`integrate::positions`]. Does nothing, and says so, where that takes more than one
/// step of free rotation or meets a limit.
#[inline(always)]
fn advance<S: Simd>(
    simd: S,
    rows: &BodyRows,
    first: u32,
    bodies: &[Body],
    tops: &mut Option<Tops>,
    h: f32,
) -> bool {
    let run = rows.run(first);
    let (linear, angular) = run.velocities(simd);
    let angle = angular.length() * f32x8::splat(simd, h);
    // Half of it leaves room for rounding.
    let one_step = f32x8::splat(simd, 0.5 * INNER_ROTATION as f32);
    if !angle.simd_lt(one_step).all_true() || !is_slow(simd, linear, angular) {
        return false;
    }
    let unevenness = run.unevenness(simd);
    let Some(tumbling) = tumbling(simd, bodies, tops, angle, unevenness) else {
        return false;
    };
    let (position, axis, scalar) = run.movements(simd);
    let turn = angular.scale(f32x8::splat(simd, h));
    let (mut turned, mut w) = turn_a_little(simd, (axis, scalar), turn, angle);
    let far = angle.simd_gt(f32x8::splat(simd, INERTIA_REFRESH_ANGLE));
    let zero = f32x8::splat(simd, 0.0);
    if tumbling.any_true()
        && let Some(tops) = tops
    {
        // In plain numbers a body alone is as fast, and eight side by side keep the compiler
        // busy for minutes.
        if simd.level().is_fallback() {
            return false;
        }
        let ((top_axis, top_w), spin) = tops.turn(simd, (axis, scalar), angular, h);
        turned = Vec3x8::select(tumbling, top_axis, turned);
        w = tumbling.select(top_w, w);
        run.set_velocities(linear, Vec3x8::select(tumbling, spin, angular));
        let uneven = far & unevenness.simd_gt(zero);
        if uneven.any_true() {
            let inertia = tops.inverse_inertias(simd, (turned, w));
            run.set_inertias(inertia, uneven.to_bitmask() as u8);
            let share = unevenness * turned.length_sq();
            let stale = uneven & share.simd_gt(f32x8::splat(simd, STALE_INERTIA_SHARE));
            note_turned(rows, first, stale.to_bitmask() as u8);
        }
    }
    let moved = position + linear.scale(f32x8::splat(simd, h));
    run.set_movements(moved, turned, w);
    let alone = (far & unevenness.simd_lt(zero)).to_bitmask() as u8;
    if alone != 0 {
        let mut angles = [0.0; LANES];
        angle.store_array(&mut angles);
        renew_masses(rows, first, bodies, (alone, &angles, h));
    }
    true
}

/// Which of eight bodies turn freely as tops do, for which `tops` is looked up; `angle` is that of a
/// sub-step, in radians, and `unevenness` tells which are [alike](integrate::is_spherical) all
/// round. `None` if one turns too far for a simple body.
#[inline(always)]
fn tumbling<S: Simd>(
    simd: S,
    bodies: &[Body],
    tops: &mut Option<Tops>,
    angle: f32x8<S>,
    unevenness: f32x8<S>,
) -> Option<mask32x8<S>> {
    let is_small = angle.simd_lt(f32x8::splat(simd, SMALL_ANGLE));
    let is_uneven = !unevenness.simd_eq(f32x8::splat(simd, 0.0));
    let turns = is_uneven & angle.simd_gt(f32x8::splat(simd, GYROSCOPIC_ANGLE));
    if turns.all_false() {
        return is_small.all_true().then_some(turns);
    }
    let tops = tops.get_or_insert_with(|| Tops::of(bodies));
    let tumbling = turns & tops.are_gyroscopic(simd);
    (tumbling | is_small).all_true().then_some(tumbling)
}

/// Notes which of eight bodies in the slots from `first` on have turned far, one bit each.
#[inline]
fn note_turned(rows: &BodyRows, first: u32, bits: u8) {
    for lane in 0..LANES as u32 {
        if bits >> lane & 1 == 1 {
            rows.set_turned(row_index(first + lane));
        }
    }
}

/// See [`integrate::renew_mass`]; of those bodies whose bits are set.
fn renew_masses(
    rows: &BodyRows,
    first: u32,
    bodies: &[Body],
    (bits, angles, h): (u8, &[f32; LANES], f32),
) {
    for (lane, (body, angle)) in bodies.iter().zip(angles).enumerate() {
        if bits >> lane & 1 == 1 {
            let slot = first + lane as u32;
            integrate::renew_mass(rows, slot, body, *angle, h);
        }
    }
}

// What renews its inertia in lanes is among those that turn as tops do.
const _: () = assert!(INERTIA_REFRESH_ANGLE >= GYROSCOPIC_ANGLE);

/// See `turn_a_little` of [`crate::integrate`].
#[inline(always)]
fn turn_a_little<S: Simd>(
    simd: S,
    before: Rotationx8<S>,
    turn: Vec3x8<S>,
    angle: f32x8<S>,
) -> Rotationx8<S> {
    let one = f32x8::splat(simd, 1.0);
    let stretch = f32x8::splat(simd, 0.5) + angle * angle / f32x8::splat(simd, 24.0);
    let (turned, w) = multiply_eight((turn.scale(stretch), one), before);
    // `rotation::normalize`.
    let length = (turned.length_sq() + w * w).sqrt();
    let scale = one / length;
    (turned.scale(scale), w * scale)
}

#[cfg(test)]
mod tests {
    use drystone_geometry::glam::{Quat, Vec3};
    use drystone_geometry::lanes::dispatch;
    use drystone_geometry::rotation;
    use drystone_geometry::simd::SimdLevel;

    use crate::AxisLocks;

    use super::*;

    /// Sixteen bodies and three more, of every shape and from rest to beyond all limits.
    fn bodies(speed: f32, spherical: bool) -> Vec<Body> {
        (0..19)
            .map(|i| {
                let t = i as f32;
                let inertia = if spherical {
                    Vec3::splat(2.0)
                } else {
                    Vec3::new(1.0, 2.0, 2.5)
                };
                Body {
                    rotation: rotation::normalize(Quat::from_xyzw(t, 1.0, -t, 3.0)),
                    principal_rotation: rotation::normalize(Quat::from_xyzw(1.0, t, 2.0, -t)),
                    linear_velocity: speed * Vec3::new(1.0, -t, 0.3),
                    angular_velocity: speed * Vec3::new(0.1 * t, 0.5, -1.0),
                    inertia,
                    inverse_inertia: 1.0 / inertia,
                    linear_damping: 0.1 * t,
                    burden: if i == 5 { 5000.0 } else { 0.0 },
                    locks: AxisLocks::new([false; 3], [i == 11, false, false]),
                    ..Body::default()
                }
            })
            .collect()
    }

    fn rows(bodies: &[Body], tension: &[f32]) -> BodyRows {
        let mut rows = BodyRows::default();
        rows.resize(bodies.len());
        for (slot, (body, &tension)) in (0..).zip(bodies.iter().zip(tension)) {
            let gravity = Vec3::new(0.0, -9.81, 0.0);
            integrate::begin(&rows, slot, body, gravity, 0.004, tension);
        }
        rows
    }

    /// Free motion of many bodies at every instruction set, slow and fast, against one body
    /// after the other. They must agree to the bit, or neighbours in memory would matter. One
    /// carries a burden, one is locked, one pulled so hard that its inertia is raised.
    #[test]
    fn eight_bodies_move_as_one_by_one() {
        let mut tension = [0.0; 19];
        (tension[3], tension[9]) = (1.0, 1e4);
        for level in SimdLevel::available() {
            let level = level.resolve().expect("available");
            for speed in [0.0, 1e-4, 0.1, 1.0, 5.0, 30.0, 1e4] {
                for spherical in [true, false] {
                    let bodies = bodies(speed, spherical);
                    let (eight, single) = (rows(&bodies, &tension), rows(&bodies, &tension));
                    let mut tops = Vec::new();
                    for motion in [Motion::Accelerate, Motion::Advance(0.004)].repeat(3) {
                        let tops = &mut tops;
                        dispatch!(
                            level,
                            simd => run(simd, &eight, motion, 0, &bodies, tops)
                        );
                        one_by_one(&single, motion, 0, &bodies);
                    }
                    for slot in 0..19 {
                        let index = row_index(slot);
                        assert_eq!(eight.velocity(index), single.velocity(index));
                        assert_eq!(eight.movement(index), single.movement(index));
                        assert_eq!(eight.mass(index), single.mass(index));
                    }
                }
            }
        }
    }
}
