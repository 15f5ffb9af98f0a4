//! Holding back what is hollow: a ring goes over a peg, and its centre with it, so the middles of its parts
//! are kept on their side instead.

use drystone_geometry::glam::{DVec3, Vec3};
use drystone_geometry::{Frame, Shape};
use drystone_solver::Body;

use super::{Core, Holder};
use crate::record::{BodyRecord, origin_pose};
use crate::tolerance::FAST_SHARE;

impl Holder<'_> {
    /// Where the centre of a hollow body ends, and its velocity then, if that is not where `core` says:
    /// what leads a part through something is taken from the way of all.
    pub(super) fn hold_parts(
        &self,
        record: &BodyRecord,
        body: &Body,
        start: &Frame,
        core: &Core,
        is_fast: bool,
    ) -> Option<(DVec3, Vec3)> {
        let end = origin_pose(body, record.center).to_frame();
        let (mut taken, mut velocity) = (DVec3::ZERO, core.velocity);
        for (_, own) in self.shapes_of(record) {
            if own.sensor {
                continue;
            }
            let middle = middle(&own.shape);
            let middle = own
                .local_frame
                .map_or(middle, |local| local.transform_point(middle));
            let from = start.transform_point(middle);
            let way = end.transform_point(middle) - from - taken;
            let radius = FAST_SHARE * own.shape.inner_radius();
            let part = self.hold_core(record, Core::new(radius, from, way, velocity), is_fast);
            taken += way - part.way;
            velocity = part.velocity;
        }
        (taken != DVec3::ZERO).then(|| (core.start + core.way - taken, velocity))
    }
}

/// A point inside a shape, in its frame: about where a ball of [`Shape::inner_radius`] fits in.
fn middle(shape: &Shape) -> DVec3 {
    match shape {
        Shape::Hull(hull) => hull.center(),
        Shape::Triangle { points } => points.iter().sum::<Vec3>().as_dvec3() / 3.0,
        Shape::Segment { a, b } => 0.5 * (*a + *b).as_dvec3(),
        Shape::Rounded { core, .. } => middle(core),
        _ => shape.curved().map_or(DVec3::ZERO, |solid| solid.center()),
    }
}
