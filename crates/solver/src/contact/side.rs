//! One body of a contact, wherever it is kept.

use drystone_geometry::glam::{DVec3, Quat, Vec3};

use crate::body_rows::{READ_ONLY, STATIC_ROW, row_index};
use crate::contact::prepare::Scene;

/// A body as its contacts see it.
pub(super) struct Side {
    /// Of its rows, flags included.
    pub(super) row: u32,
    /// What its arms are measured from, in the world.
    pub(super) center: DVec3,
    /// Orientation of its own axes in the world.
    pub(super) rotation: Quat,
    /// Its own, in 1/kg.
    pub(super) inverse_mass: f32,
    /// See [`Body::lean`](crate::Body::lean).
    pub(super) lean: Vec3,
    /// Whether nothing pushes it and it turns.
    pub(super) is_turned: bool,
}

impl Side {
    /// The body with this index in the world.
    #[inline(always)]
    pub(super) fn find(scene: Scene<'_>, body: u32) -> Self {
        match scene.table.awake_slot(body) {
            Some(slot) => {
                let body = &scene.bodies[slot];
                let is_dynamic = body.is_dynamic();
                let flag = if is_dynamic { 0 } else { READ_ONLY };
                Self {
                    row: row_index(slot as u32) | flag,
                    center: body.center,
                    rotation: body.rotation,
                    inverse_mass: body.inverse_mass,
                    lean: body.lean,
                    is_turned: !is_dynamic && body.angular_velocity != Vec3::ZERO,
                }
            }
            None => {
                let pose = scene.table.pose(scene.bodies, body);
                Self {
                    row: STATIC_ROW,
                    center: pose.center,
                    rotation: pose.rotation,
                    inverse_mass: 0.0,
                    lean: Vec3::ZERO,
                    is_turned: false,
                }
            }
        }
    }

    /// Whether it can move at all.
    #[inline(always)]
    pub(super) fn moves(&self) -> bool {
        self.row != STATIC_ROW
    }

    /// Whether something pushes it.
    #[inline(always)]
    pub(super) fn is_pushed(&self) -> bool {
        self.row & READ_ONLY == 0
    }
}
