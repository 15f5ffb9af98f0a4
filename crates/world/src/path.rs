//! The paths of fast bodies: how far the boxes of what may meet something within a step reach.

use drystone_broad_phase::BroadPhase;
use drystone_geometry::glam::{DVec3, Vec3};
use drystone_geometry::{Frame, WorldAabb};
use drystone_solver::Body;

use crate::def::BodyKind;
use crate::record::{BodyRecord, ShapeRecord};

/// How far a body gets in a step that may be fast for what is in its way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Path {
    /// Of its centre, in metres.
    way: DVec3,
    /// Of its surface beyond that, at most, in metres.
    turning: f64,
}

impl Path {
    /// Of a body; `None` of one that moves by no more than the margins of its shapes.
    #[inline]
    pub(crate) fn of(body: &Body, record: &BodyRecord, dt: f32) -> Option<Self> {
        let calm = record.margin;
        // The bound settles it for most, and they are not measured any closer.
        if body.surface_speed_bound() * dt <= calm {
            return None;
        }
        let reach = body.surface_speed() * dt;
        let turning = reach - body.linear_velocity.length() * dt;
        (reach > calm).then(|| Self {
            way: body.linear_velocity.as_dvec3() * f64::from(dt),
            turning: f64::from(turning.max(0.0)),
        })
    }

    /// The box of a shape all along the path, from that at its start.
    pub(crate) fn sweep(&self, start: &WorldAabb) -> WorldAabb {
        let now = start.inflate(self.turning);
        WorldAabb {
            min: now.min.min(now.min + self.way),
            max: now.max.max(now.max + self.way),
        }
    }

    /// Lets the box of a shape reach along the path, if it does not yet.
    pub(crate) fn reach(
        &self,
        broad: &mut BroadPhase,
        id: u32,
        shape: &ShapeRecord,
        body: &Frame,
        kind: BodyKind,
    ) {
        let swept = self.sweep(&shape.proxy_aabb(body, kind));
        let fat = broad.fat_aabb(id);
        if swept.is_valid() && fat.is_none_or(|fat| !fat.contains(&swept)) {
            let moved = broad.move_proxy(id, swept, Vec3::ZERO);
            debug_assert!(moved.is_ok(), "the box is valid");
        }
    }
}
