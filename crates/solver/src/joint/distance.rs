//! Distance: the anchors keep a distance, as a rod, a rope or a spring between stops.

use drystone_geometry::glam::Vec3;

use crate::joint::pair::limit_impulse;
use crate::joint::prepared::Present;
use crate::joint::{JointImpulses, JointSpring};
use crate::softness::Softness;

/// The settings of the joint.
#[derive(Clone, Copy, Debug)]
pub(super) struct Settings {
    pub(super) min: f32,
    pub(super) max: f32,
    pub(super) rest: Option<f32>,
    pub(super) spring: Option<JointSpring>,
}

/// Unit vector from A's anchor to B's and their distance; up when they coincide.
fn line(gap: Vec3) -> (Vec3, f32) {
    let length = gap.length();
    if length > 0.0 {
        (gap / length, length)
    } else {
        (Vec3::Y, 0.0)
    }
}

pub(super) fn warm_start(present: &mut Present, impulses: &JointImpulses) {
    let (axis, _) = line(present.gap);
    present.pair.push(total(impulses) * axis);
}

/// Impulse along the line, positive apart.
fn total(impulses: &JointImpulses) -> f32 {
    impulses.axial + impulses.axial_spring + impulses.lower - impulses.upper
}

pub(super) fn solve(present: &mut Present, settings: Settings, impulses: &mut JointImpulses) {
    let (axis, length) = line(present.gap);
    let mass = present.pair.mass_along(axis);
    let Settings {
        min,
        max,
        rest,
        spring,
    } = settings;
    if let Some(JointSpring {
        hertz,
        damping_ratio,
        ..
    }) = spring
        && min < max
    {
        let softness = Softness::new(hertz, damping_ratio, present.h);
        let error = length - rest.unwrap_or(max);
        hold(
            present,
            axis,
            error,
            mass,
            softness,
            &mut impulses.axial_spring,
        );
    }
    if min < max {
        let old = impulses.lower;
        let speed = axis.dot(present.pair.anchor_velocity());
        let room = length - min;
        impulses.lower = limit_impulse(room, speed, mass, present.h, present.softness, old);
        present.pair.push((impulses.lower - old) * axis);

        let old = impulses.upper;
        let speed = -axis.dot(present.pair.anchor_velocity());
        let room = max - length;
        impulses.upper = limit_impulse(room, speed, mass, present.h, present.softness, old);
        present.pair.push((old - impulses.upper) * axis);
    } else {
        let softness = match spring {
            Some(JointSpring {
                hertz,
                damping_ratio,
                ..
            }) => Softness::new(hertz, damping_ratio, present.h),
            None => present.softness,
        };
        hold(
            present,
            axis,
            length - max,
            mass,
            softness,
            &mut impulses.axial,
        );
    }
    impulses.linear = total(impulses) * axis;
}

fn hold(
    present: &mut Present,
    axis: Vec3,
    error: f32,
    mass: f32,
    softness: Softness,
    impulse: &mut f32,
) {
    let speed = axis.dot(present.pair.anchor_velocity());
    let step = mass * (speed + softness.bias_rate * error);
    let change = -(softness.mass_scale * step + softness.impulse_scale * *impulse);
    *impulse += change;
    present.pair.push(change * axis);
}
