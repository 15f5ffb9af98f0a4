//! Gear and rack: one body's turning about its own axis drives another's turning or sliding.
//!
//! A rack and its wheel know each other alone: wherever what carries both moves and turns, it makes no
//! difference, and forces act on both at the wheel's anchor, so that momentum is conserved.
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
    /// B past A, in metres per radian by which A turns on B.
    Rack {
        travel: f32,
        /// How far B's anchor was past A's along B's axis as the step began, in metres.
        began: f32,
    },
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
    let pair = &present.pair;
    match drive {
        Drive::Gear(ratio) => Meshing {
            row: Row {
                along_a: Vec3::ZERO,
                along_b: Vec3::ZERO,
                about_a: ratio * axis_a,
                about_b: axis_b,
                is_angle: false,
            },
            ahead: turned_about(pair.b.turned, axis_b)
                - ratio * turned_about(pair.a.turned, axis_a),
        },
        Drive::Rack { travel, began } => {
            // On B, which may turn with all that carries both: as it lay when the step began.
            let back = rotation::conjugate(pair.b.turned);
            let turn = rotation::multiply(back, pair.a.turned);
            let angle = turned_about(turn, rotation::rotate(back, axis_a));
            Meshing {
                row: Row {
                    along_a: axis_b,
                    along_b: axis_b,
                    about_a: pair.arm_a.cross(axis_b) + travel * axis_a,
                    about_b: (pair.arm_b - present.gap).cross(axis_b) + travel * axis_a,
                    is_angle: false,
                },
                ahead: axis_b.dot(present.gap) - began - travel * angle,
            }
        }
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
