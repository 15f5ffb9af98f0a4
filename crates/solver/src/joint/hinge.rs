//! Hinge: the anchors and the Z axes coincide. A limit, a motor and a spring act about them.

use std::f32::consts::PI;

use drystone_geometry::glam::{Quat, Vec3};
use drystone_geometry::rotation;

use crate::joint::pair::limit_impulse;
use crate::joint::prepared::Present;
use crate::joint::{AngleLimit, JointImpulses, JointMotor, JointSpring};
use crate::softness::Softness;

/// Angle from A's X to B's X about A's Z, in radians, from -pi to pi.
pub(super) fn angle(frame_a: Quat, frame_b: Quat) -> f32 {
    let relative = rotation::multiply(rotation::conjugate(frame_a), frame_b);
    let angle = 2.0 * libm::atan2f(relative.z, relative.w);
    if angle > PI {
        angle - 2.0 * PI
    } else if angle < -PI {
        angle + 2.0 * PI
    } else {
        angle
    }
}

pub(super) fn warm_start(present: &mut Present, impulses: &JointImpulses) {
    let axis = rotation::rotate(present.frame_a, Vec3::Z);
    let about = impulses.motor + impulses.axial_spring + impulses.lower - impulses.upper;
    present.pair.push(impulses.linear);
    // What the axis lock did before, without the part that now lies along the axis.
    let lock = impulses.angular - axis * axis.dot(impulses.angular);
    present.pair.twist(lock + about * axis);
}

pub(super) fn solve(
    present: &mut Present,
    limit: Option<AngleLimit>,
    motor: Option<JointMotor>,
    spring: Option<JointSpring>,
    impulses: &mut JointImpulses,
) {
    let axis = rotation::rotate(present.frame_a, Vec3::Z);
    let mass = present.pair.mass_about(axis);
    if spring.is_some() || limit.is_some() {
        let angle = angle(present.frame_a, present.frame_b);
        if let Some(spring) = spring {
            turn_to(
                present,
                spring,
                angle,
                axis,
                mass,
                &mut impulses.axial_spring,
            );
        }
        drive(present, motor, axis, mass, &mut impulses.motor);
        if let Some(limit) = limit {
            stop(present, limit, angle, axis, mass, impulses);
        }
    } else {
        drive(present, motor, axis, mass, &mut impulses.motor);
    }
    align(present, axis, &mut impulses.angular);
}

fn turn_to(
    present: &mut Present,
    spring: JointSpring,
    angle: f32,
    axis: Vec3,
    mass: f32,
    impulse: &mut f32,
) {
    let softness = Softness::new(spring.hertz, spring.damping_ratio, present.h);
    let error = angle - spring.target;
    let speed = axis.dot(present.pair.spin());
    let step = mass * (speed + softness.bias_rate * error);
    let change = -(softness.mass_scale * step + softness.impulse_scale * *impulse);
    *impulse += change;
    present.pair.twist(change * axis);
}

fn drive(
    present: &mut Present,
    motor: Option<JointMotor>,
    axis: Vec3,
    mass: f32,
    impulse: &mut f32,
) {
    let Some(JointMotor { speed, max_torque }) = motor else {
        return;
    };
    let most = max_torque * present.h;
    let old = *impulse;
    let wanted = old - mass * (axis.dot(present.pair.spin()) - speed);
    *impulse = wanted.clamp(-most, most);
    present.pair.twist((*impulse - old) * axis);
}

fn stop(
    present: &mut Present,
    limit: AngleLimit,
    angle: f32,
    axis: Vec3,
    mass: f32,
    impulses: &mut JointImpulses,
) {
    let old = impulses.lower;
    let speed = axis.dot(present.pair.spin());
    let room = angle - limit.lower;
    impulses.lower = limit_impulse(room, speed, mass, present.h, present.softness, old);
    present.pair.twist((impulses.lower - old) * axis);

    let old = impulses.upper;
    let speed = -axis.dot(present.pair.spin());
    let room = limit.upper - angle;
    impulses.upper = limit_impulse(room, speed, mass, present.h, present.softness, old);
    present.pair.twist((old - impulses.upper) * axis);
}

/// Keeps B's Z on A's: a 2x2 block across the axis.
fn align(present: &mut Present, axis: Vec3, impulse: &mut Vec3) {
    let axis_b = rotation::rotate(present.frame_b, Vec3::Z);
    let tilt = axis.cross(axis_b);
    let t1 = rotation::rotate(present.frame_a, Vec3::X);
    let t2 = rotation::rotate(present.frame_a, Vec3::Y);
    let softness = present.softness;
    let error = present.pair.spin() + softness.bias_rate * tilt;
    let step = present.pair.solve_spin_in_plane(t1, t2, error);
    let old = *impulse - axis * axis.dot(*impulse);
    let change = -(softness.mass_scale * step + softness.impulse_scale * old);
    *impulse = old + change;
    present.pair.twist(change);
}
