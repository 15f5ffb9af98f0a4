//! Wheel: B's anchor moves along A's Y against the suspension, and B turns about its Z, the
//! axle, which stays across A's Y and may be steered about it.

use drystone_geometry::glam::Vec3;
use drystone_geometry::rotation;

use crate::joint::axis::{self, Row};
use crate::joint::hinge::align;
use crate::joint::prepared::{Present, Wrench};
use crate::joint::slider::keep_on_line;
use crate::joint::{AxisImpulses, JointAxis, JointImpulses, WheelSettings};

/// Places in [`JointImpulses::axes`]: of the suspension, of what keeps a steered axle across it,
/// of the steering and of the motor.
const SUSPENSION: usize = 1;
const CAMBER: usize = 3;
const STEERING: usize = 4;
const SPIN: usize = 5;

/// The directions of a wheel, in world axes.
struct Axes {
    x: Vec3,
    /// Of the suspension.
    up: Vec3,
    z: Vec3,
    /// Of the axle.
    axle: Vec3,
}

impl Axes {
    fn of(present: &Present) -> Self {
        Self {
            x: rotation::rotate(present.frame_a, Vec3::X),
            up: rotation::rotate(present.frame_a, Vec3::Y),
            z: rotation::rotate(present.frame_a, Vec3::Z),
            axle: rotation::rotate(present.frame_b, Vec3::Z),
        }
    }

    /// Angle of the axle about the suspension's axis, in radians.
    fn steering(&self) -> f32 {
        libm::atan2f(self.axle.dot(self.x), self.axle.dot(self.z))
    }

    /// Direction about which the axle leaves the plane across the suspension.
    fn camber(&self) -> Vec3 {
        self.axle.cross(self.up)
    }
}

/// Steering angle of a wheel, in radians.
pub(super) fn steering_angle(present: &Present) -> f32 {
    Axes::of(present).steering()
}

pub(super) fn wrench(
    present: &Present,
    settings: &WheelSettings,
    impulses: &JointImpulses,
) -> Wrench {
    let axes = Axes::of(present);
    let held = impulses.linear - axes.up * axes.up.dot(impulses.linear);
    let linear = held + impulses.axes[SUSPENSION].total() * axes.up;
    let spin = impulses.axes[SPIN].total() * axes.axle;
    let turn = if settings.steering.is_some() {
        impulses.axes[CAMBER].total() * axes.camber() + impulses.axes[STEERING].total() * axes.up
    } else {
        impulses.angular - axes.z * axes.z.dot(impulses.angular)
    };
    Wrench {
        linear,
        angular: spin + turn,
    }
}

/// Forgets what something did that is no longer there.
pub(super) fn forget(settings: &WheelSettings, impulses: &mut JointImpulses) {
    let suspension = &mut impulses.axes[SUSPENSION];
    *suspension = suspension.lasting(&settings.suspension, false);
    let motor = JointAxis {
        motor: settings.motor,
        ..JointAxis::FREE
    };
    impulses.axes[SPIN] = impulses.axes[SPIN].lasting(&motor, true);
    if let Some(steering) = &settings.steering {
        impulses.axes[STEERING] = impulses.axes[STEERING].lasting(steering, true);
        impulses.angular = Vec3::ZERO;
    } else {
        impulses.axes[STEERING] = AxisImpulses::default();
        impulses.axes[CAMBER] = AxisImpulses::default();
    }
}

pub(super) fn solve(present: &mut Present, settings: &WheelSettings, impulses: &mut JointImpulses) {
    let axes = Axes::of(present);
    if settings.motor.is_some() {
        let motor = JointAxis {
            motor: settings.motor,
            ..JointAxis::FREE
        };
        let row = Row::about(axes.axle);
        axis::solve(present, &row, 0.0, &motor, &mut impulses.axes[SPIN]);
    }
    match &settings.steering {
        Some(steering) => {
            let row = Row::about(axes.up);
            let at = axes.steering();
            axis::solve(present, &row, at, steering, &mut impulses.axes[STEERING]);
            let row = Row::about(axes.camber());
            let (lean, softness) = (axes.up.dot(axes.axle), present.softness);
            let impulse = &mut impulses.axes[CAMBER].lower;
            axis::lock(present, &row, lean, softness, impulse);
        }
        None => align(present, axes.z, &mut impulses.angular),
    }
    let row = Row::along(&present.pair, axes.up);
    let at = axes.up.dot(present.gap);
    let suspension = &settings.suspension;
    axis::solve(
        present,
        &row,
        at,
        suspension,
        &mut impulses.axes[SUSPENSION],
    );
    keep_on_line(present, [axes.x, axes.z], axes.up, &mut impulses.linear);
}
