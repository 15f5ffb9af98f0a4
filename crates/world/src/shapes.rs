//! Shapes on bodies: how they hang on them and enter the broad phase.

use drystone_broad_phase::{Activity, ProxyDef};
use drystone_geometry::{Pose, rotation};

use crate::World;
use crate::def::ShapeDef;
use crate::error::DefError;
use crate::record::{NONE, Place, ShapeRecord};
use crate::world::put;

impl World {
    /// The shapes of a body, newest first.
    pub(crate) fn shapes_of(&self, body: u32) -> impl Iterator<Item = u32> + '_ {
        let mut at = self.bodies[body as usize].first_shape;
        std::iter::from_fn(move || {
            let shape = at;
            (shape != NONE).then(|| {
                at = self.shapes[shape as usize].next;
                shape
            })
        })
    }

    /// Gives a body one more shape, which the broad phase does not know yet.
    pub(crate) fn attach_shape(&mut self, body: u32, def: &ShapeDef) -> Result<(), DefError> {
        let (index, key) = self.shape_keys.insert()?;
        let def = ShapeDef {
            pose: Pose {
                rotation: rotation::normalize(def.pose.rotation),
                ..def.pose
            },
            ..def.clone()
        };
        let mut record = ShapeRecord::new(key, body, &def);
        record.center_on(self.bodies[body as usize].center);
        record.next = self.bodies[body as usize].first_shape;
        put(&mut self.shapes, index, record);
        self.bodies[body as usize].first_shape = index;
        Ok(())
    }

    /// Enters the shapes of a new body into the broad phase.
    pub(crate) fn enter_broad_phase(&mut self, body: u32) {
        let record = &self.bodies[body as usize];
        let activity = match record.place {
            Place::Static => Activity::Static,
            Place::Awake(_) => Activity::Awake,
            Place::Asleep(_) => Activity::Asleep,
        };
        let pose = self.pose_of(body);
        let frame = pose.to_frame();
        let mut at = record.first_shape;
        while at != NONE {
            let shape = &mut self.shapes[at as usize];
            shape.rest_frame = shape.frame_on(&frame);
            let def = ProxyDef {
                aabb: shape.proxy_aabb(&pose, record.kind),
                activity,
                filter: shape.filter,
                owner: body,
            };
            let entered = self.broad.insert(at, def);
            debug_assert!(entered.is_ok(), "checked at the border");
            at = shape.next;
        }
    }
}
