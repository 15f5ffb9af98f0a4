//! Ball joint: the anchors coincide. Friction and a spring may resist rotation, a cone limit
//! bounds how far B's Z axis swings from A's, a twist limit how far B turns about it.

use drystone_geometry::glam::Vec3;
use drystone_geometry::rotation;

use crate::joint::hinge::angle;
use crate::joint::pair::{limit_impulse, rotation_error};
use crate::joint::prepared::Present;
use crate::joint::{AngleLimit, JointImpulses, JointSpring};
use crate::softness::Softness;
use crate::tolerance::OPPOSITE_AXES;

/// What resists the rotation of a ball joint.
#[derive(Clone, Copy, Debug)]
pub(super) struct Settings {
    pub(super) friction_torque: f32,
    pub(super) spring: Option<JointSpring>,
    pub(super) cone: Option<f32>,
    pub(super) twist: Option<AngleLimit>,
}

pub(super) fn warm_start(present: &mut Present, settings: &Settings, impulses: &JointImpulses) {
    present.pair.push(impulses.linear);
    let mut turn = impulses.spring + impulses.friction;
    if settings.cone.is_some() {
        turn -= impulses.axial * swing(present).axis;
    }
    if settings.twist.is_some() {
        turn += (impulses.lower - impulses.upper) * twist_direction(present);
    }
    present.pair.twist(turn);
}

pub(super) fn solve(present: &mut Present, settings: &Settings, impulses: &mut JointImpulses) {
    if let Some(JointSpring {
        hertz,
        damping_ratio,
        ..
    }) = settings.spring
    {
        let tilt = rotation_error(present.frame_a, present.frame_b);
        let softness = Softness::new(hertz, damping_ratio, present.h);
        present.pair.hold_spin(tilt, softness, &mut impulses.spring);
    }
    if settings.friction_torque > 0.0 {
        let old = impulses.friction;
        let wanted = old - present.pair.solve_spin(present.pair.spin());
        impulses.friction = shorten(wanted, settings.friction_torque * present.h);
        present.pair.twist(impulses.friction - old);
    }
    if let Some(cone) = settings.cone {
        keep_in_cone(present, cone, impulses);
    }
    if let Some(limit) = settings.twist {
        keep_twist(present, limit, impulses);
    }
}

/// How B's Z axis lies to A's.
struct Swing {
    /// From A's to B's, in radians, at least 0.
    angle: f32,
    /// Unit axis about which B's swings away, in world axes.
    axis: Vec3,
}

fn swing(present: &Present) -> Swing {
    let a = rotation::rotate(present.frame_a, Vec3::Z);
    let b = rotation::rotate(present.frame_b, Vec3::Z);
    let normal = a.cross(b);
    let sine = normal.length();
    Swing {
        // Exact at both ends, where sine or cosine alone are not.
        angle: libm::atan2f(sine, a.dot(b)),
        axis: if sine > 0.0 {
            normal / sine
        } else {
            // Any axis across Z serves: no way to swing is better than another.
            rotation::rotate(present.frame_a, Vec3::X)
        },
    }
}

fn keep_in_cone(present: &mut Present, cone: f32, impulses: &mut JointImpulses) {
    let Swing { angle, axis } = swing(present);
    let mass = present.pair.mass_about(axis);
    let old = impulses.axial;
    let speed = -axis.dot(present.pair.spin());
    let room = cone - angle;
    impulses.axial = limit_impulse(room, speed, mass, present.h, present.softness, old);
    present.pair.twist((old - impulses.axial) * axis);
}

/// The direction whose product with the spin is the rate of the twist, in world axes. Not
/// unit: half way between both Z axes, it is the longer the farther they are apart. Zero
/// where they are opposite and there is no twist.
///
/// With the rotation `q` of B in A's frame the twist is `2 atan2(q.z, q.w)`; its derivative,
/// with `dq/dt = spin q / 2`, is `spin . (a + b) / (1 + a . b)`.
fn twist_direction(present: &Present) -> Vec3 {
    let a = rotation::rotate(present.frame_a, Vec3::Z);
    let b = rotation::rotate(present.frame_b, Vec3::Z);
    let scale = 1.0 + a.dot(b);
    if scale > OPPOSITE_AXES {
        (a + b) / scale
    } else {
        Vec3::ZERO
    }
}

fn keep_twist(present: &mut Present, limit: AngleLimit, impulses: &mut JointImpulses) {
    let twist = angle(present.frame_a, present.frame_b);
    let direction = twist_direction(present);
    let mass = present.pair.mass_about(direction);

    let old = impulses.lower;
    let speed = direction.dot(present.pair.spin());
    let room = twist - limit.lower;
    impulses.lower = limit_impulse(room, speed, mass, present.h, present.softness, old);
    present.pair.twist((impulses.lower - old) * direction);

    let old = impulses.upper;
    let speed = -direction.dot(present.pair.spin());
    let room = limit.upper - twist;
    impulses.upper = limit_impulse(room, speed, mass, present.h, present.softness, old);
    present.pair.twist((old - impulses.upper) * direction);
}

/// `v`, shortened to `most` if it is longer.
fn shorten(v: Vec3, most: f32) -> Vec3 {
    let length = v.length();
    if length > most {
        v * (most / length)
    } else {
        v
    }
}
