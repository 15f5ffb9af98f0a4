//! Mechanical energy, for those who watch that it does not grow.

use drystone_geometry::rotation;
use drystone_solver::Body;

use crate::World;

/// Mechanical energy of all dynamic bodies, in J.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Energy {
    /// Of motion, translation and rotation together.
    pub kinetic: f64,
    /// Of height in the world's gravity, zero at the origin.
    pub potential: f64,
}

impl Energy {
    /// Both together.
    pub fn total(&self) -> f64 {
        self.kinetic + self.potential
    }
}

impl World {
    /// The energy of all dynamic bodies, awake and asleep.
    pub fn energy(&self) -> Energy {
        let gravity = self.settings.gravity.as_dvec3();
        let mut sum = Energy::default();
        for body in self.awake.iter().chain(&self.asleep) {
            let mass = f64::from(self.bodies[body.index as usize].mass);
            if !body.is_dynamic() {
                continue;
            }
            sum.kinetic += kinetic(body, mass);
            sum.potential -= mass * f64::from(body.gravity_scale) * gravity.dot(body.center);
        }
        sum
    }
}

fn kinetic(body: &Body, mass: f64) -> f64 {
    let axes = rotation::multiply(body.rotation, body.principal_rotation);
    let spin = rotation::rotate_inverse(axes, body.angular_velocity).as_dvec3();
    let inertia = body.inertia.as_dvec3();
    let linear = body.linear_velocity.as_dvec3();
    0.5 * (mass * linear.length_squared() + (inertia * spin).dot(spin))
}
