//! Where the cores of bodies lie, asked when their shapes change: a body of many parts takes as many
//! distances.

use drystone_geometry::glam::DMat3;
use drystone_geometry::{Frame, Separation, Shape};
use drystone_narrow_phase::distance;
use serde::{Deserialize, Serialize};

use crate::World;
use crate::def::BodyKind;
use crate::record::{BodyRecord, ShapeRecord};
use crate::tolerance::FAST_SHARE;

/// Where a body's core, a ball around its centre of mass, lies among its parts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum CoreIn {
    /// Its centre is inside one of them.
    Part,
    /// Near one of them at most.
    #[default]
    Between,
    /// In none of them, as in the hole of a ring.
    Hole,
}

impl World {
    /// Takes note of what all shapes of a body say together.
    pub(crate) fn note_core(&mut self, body: u32) {
        let record = &self.bodies[body as usize];
        let (mut thickness, mut margin) = (f32::INFINITY, f32::INFINITY);
        for shape in self.shapes_of(body) {
            let shape = &self.shapes[shape as usize];
            thickness = thickness.min(shape.shape.inner_radius());
            margin = margin.min(shape.margin);
        }
        let core = match record.kind {
            BodyKind::Dynamic => self.core_in(body, FAST_SHARE * thickness),
            BodyKind::Static | BodyKind::Kinematic => CoreIn::default(),
        };
        let record = &mut self.bodies[body as usize];
        (record.thickness, record.margin, record.core) = (thickness, margin, core);
    }

    fn core_in(&self, body: u32, radius: f32) -> CoreIn {
        let record = &self.bodies[body as usize];
        let mut is_hole = true;
        for shape in self.shapes_of(body) {
            let shape = &self.shapes[shape as usize];
            let apart = distance_to_core(shape, record, radius);
            if apart.upper <= -f64::from(radius) {
                return CoreIn::Part;
            }
            is_hole &= shape.shares_body && (shape.sensor || apart.lower > 0.0);
        }
        if is_hole {
            CoreIn::Hole
        } else {
            CoreIn::Between
        }
    }
}

/// Of one of the shapes of a body from its core, a ball of this radius around its centre.
fn distance_to_core(shape: &ShapeRecord, record: &BodyRecord, radius: f32) -> Separation {
    let center = record.center.as_dvec3();
    let at = Frame {
        rotation: DMat3::IDENTITY,
        translation: shape
            .local_frame
            .map_or(center, |local| local.inverse_transform_point(center)),
    };
    distance(&shape.shape, &Shape::sphere(radius), &at)
}
