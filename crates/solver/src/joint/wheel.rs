//! Wheel: B's anchor moves along A's Y against the suspension, and B turns about its Z, the
//! axle, which stays across A's Y and may be steered about it.

use drystone_geometry::glam::Vec3;
use drystone_geometry::rotation;

use crate::joint::prepared::{Present, Wrench};
use crate::joint::{JointImpulses, WheelSettings};

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
