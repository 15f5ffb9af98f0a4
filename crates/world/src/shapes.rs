//! Shapes on bodies: how they hang on them.

use drystone_geometry::{Pose, rotation};

use crate::World;
use crate::def::ShapeDef;
use crate::error::DefError;
use crate::record::{NONE, ShapeRecord};
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
        record.rest_frame = record.frame_on(&self.pose_of(body).to_frame());
        record.next = self.bodies[body as usize].first_shape;
        put(&mut self.shapes, index, record);
        self.bodies[body as usize].first_shape = index;
        Ok(())
    }
}
