//! Ball joint: the anchors coincide. Friction and a spring may resist rotation, a cone limit
//! bounds how far B's Z axis swings from A's, a twist limit how far B turns about it.

use drystone_geometry::glam::Vec3;
use drystone_geometry::rotation;

use crate::joint::axis::{self, Row};
use crate::joint::hinge::angle;
use crate::joint::pair::{limit_impulse, rotation_error};
use crate::joint::prepared::{Present, Wrench};
use crate::joint::{JointAxis, JointImpulses, JointLimit, JointSpring};
use crate::softness::Softness;
use crate::tolerance::OPPOSITE_AXES;

/// What resists the rotation of a ball joint.
#[derive(Clone, Copy, Debug)]
pub(super) struct Settings {
    pub(super) friction_torque: f32,
    pub(super) spring: Option<JointSpring>,
    pub(super) cone: Option<f32>,
    pub(super) twist: Option<JointLimit>,
}

/// Places of the cone and of the twist in [`JointImpulses::axes`].
const CONE: usize = 3;
const TWIST: usize = 5;

pub(super) fn wrench(present: &Present, settings: &Settings, impulses: &JointImpulses) -> Wrench {
    let mut turn = impulses.spring + impulses.friction;
    if settings.cone.is_some() {
        turn -= impulses.axes[CONE].upper * swing(present).axis;
    }
    if settings.twist.is_some() {
        turn += impulses.axes[TWIST].total() * twist_direction(present);
    }
    Wrench {
        linear: impulses.linear,
        angular: turn,
    }
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
    let impulse = &mut impulses.axes[CONE].upper;
    let old = *impulse;
    let speed = -axis.dot(present.pair.spin());
    let room = cone - angle;
    *impulse = limit_impulse(room, speed, mass, present.h, present.softness, old);
    present.pair.twist((old - *impulse) * axis);
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

fn keep_twist(present: &mut Present, limit: JointLimit, impulses: &mut JointImpulses) {
    let twist = angle(present.frame_a, present.frame_b);
    let row = Row::about(twist_direction(present));
    let axis = JointAxis {
        limit: Some(limit),
        ..JointAxis::FREE
    };
    axis::solve(present, &row, twist, &axis, &mut impulses.axes[TWIST]);
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
