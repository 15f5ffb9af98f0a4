//! Gear and rack: one body's turning about its own axis drives another's turning or sliding.
//!
//! What the two have drifted apart is kept from step to step and removed like any other error,
//! so the ratio of the angles is exact however many turns there are.

use drystone_geometry::glam::{Quat, Vec3};
use drystone_geometry::rotation;

use crate::joint::JointImpulses;
use crate::joint::axis::{self, Row};
use crate::joint::prepared::Present;

/// What drives what.
#[derive(Clone, Copy, Debug)]
pub(super) enum Drive {
    /// Turns of B per turn of A.
    Gear(f32),
    /// Metres of B per radian of A.
    Rack(f32),
}

/// How both bodies of a gear have moved since the step began.
#[derive(Clone, Copy, Debug)]
struct Meshing {
    row: Row,
    /// What B is ahead of A since then, in radians or metres.
    ahead: f32,
}

/// The rotation `turn` about the unit vector `axis`, in radians.
fn turned_about(turn: Quat, axis: Vec3) -> f32 {
    let along = axis.dot(Vec3::new(turn.x, turn.y, turn.z));
    axis::wrap(2.0 * libm::atan2f(along, turn.w))
}

fn mesh(present: &Present, drive: Drive) -> Meshing {
    let axis_a = rotation::rotate(present.frame_a, Vec3::Z);
    let axis_b = rotation::rotate(present.frame_b, Vec3::Z);
    let angle_a = turned_about(present.pair.a.turned, axis_a);
    let (ratio, along_b, about_b, way) = match drive {
        Drive::Gear(ratio) => {
            let angle = turned_about(present.pair.b.turned, axis_b);
            (ratio, Vec3::ZERO, axis_b, angle)
        }
        Drive::Rack(travel) => {
            let way = axis_b.dot(present.pair.b.moved);
            (travel, axis_b, Vec3::ZERO, way)
        }
    };
    Meshing {
        row: Row {
            along_a: Vec3::ZERO,
            along_b,
            about_a: ratio * axis_a,
            about_b,
            is_angle: false,
        },
        ahead: way - ratio * angle_a,
    }
}

pub(super) fn warm_start(present: &mut Present, drive: Drive, impulses: &JointImpulses) {
    let Meshing { row, .. } = mesh(present, drive);
    row.apply(&mut present.pair, impulses.axes[0].lower);
}

pub(super) fn solve(present: &mut Present, drive: Drive, drift: f32, impulses: &mut JointImpulses) {
    let Meshing { row, ahead } = mesh(present, drive);
    let error = drift + ahead;
    let softness = present.softness;
    axis::lock(present, &row, error, softness, &mut impulses.axes[0].lower);
    impulses.drift = error;
}
