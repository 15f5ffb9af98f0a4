//! What persists of a shape on a surface between frames, and the two cheapest rungs: proof
//! that nothing can have happened, and re-evaluation of what hardly moved.

use drystone_geometry::glam::{DMat3, DQuat, DVec3, Vec3};
use drystone_geometry::tolerance::CONTACT_MARGIN;
use drystone_geometry::{Aabb, Frame, Manifold, Surface, rotation};
use serde::{Deserialize, Serialize};

use super::cluster::Slot;
use super::facet::Facet;
use super::gather::Gather;
use super::sieve::Boxes;
use crate::Tracker;
use crate::measure::Span;
use crate::tolerance::{
    KEPT_MARGIN_SHARE, RECYCLE_SHIFT, RECYCLE_SINK, RECYCLE_TURN, RECYCLE_TURN_EDGES,
};

/// The memory of one shape on one surface: plain data, part of a saved state.
///
/// Keeps the triangles near the shape, the side each is felt from, the pose of the last full
/// answer, and the manifolds. A manifold keeps its number while it has points; others may be
/// empty.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SurfaceContact {
    /// Triangles that meet `around`, in the order of the surface's tree.
    triangles: Vec<u32>,
    /// The boxes around them.
    boxes: Vec<Boxes>,
    around: Option<Aabb>,
    /// Triangles that made points, twice their number plus one if felt from behind, ascending.
    faced: Vec<u32>,
    /// Trackers of triangles with sharp edges, ascending.
    pub(super) trackers: Vec<(u32, Tracker)>,
    /// Of the last full answer.
    last: Option<Last>,
    slots: Vec<Slot>,
}

/// The last full answer.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Last {
    /// Rotation of the shape in the surface's frame: x, y, z, w.
    rotation: [f32; 4],
    /// Its position, in metres.
    translation: DVec3,
    /// Its centre.
    center: DVec3,
    /// No new point comes before the shape moves this far, in metres.
    clearance: f32,
    /// No point that was not chosen matters before turning has moved the shape this far, in metres.
    sinkage: f32,
    /// Within which points were made, in metres.
    margin: f32,
    has_edges: bool,
    is_touching: bool,
}

impl SurfaceContact {
    /// The manifolds; some may be empty.
    pub fn manifolds(&self) -> impl ExactSizeIterator<Item = &Manifold> + Clone {
        self.slots.iter().map(|slot| &slot.manifold)
    }

    /// A manifold by its number; empty beyond the last.
    pub fn manifold(&self, number: usize) -> &Manifold {
        const NONE: &Manifold = &Manifold::EMPTY;
        self.slots.get(number).map_or(NONE, |slot| &slot.manifold)
    }

    /// Whether the memory can be one of this surface, with `parts` manifolds besides the
    /// first: its triangles exist and its numbers are numbers. For what was read from outside.
    pub fn fits(&self, surface: Surface<'_>, parts: usize) -> bool {
        let count = surface.triangle_count() as u32;
        let finite = |points: &[drystone_geometry::ManifoldPoint]| {
            points.iter().all(|point| {
                point.anchor_a.is_finite()
                    && point.anchor_b.is_finite()
                    && point.separation.is_finite()
            })
        };
        let pose_is_sound = self.last.is_none_or(|last| {
            let parts = last.rotation.iter().all(|part| part.is_finite());
            let places = last.translation.is_finite() && last.center.is_finite();
            parts
                && places
                && !(last.clearance.is_nan() || last.sinkage.is_nan())
                && last.margin.is_finite()
        });
        self.triangles.iter().all(|id| *id < count)
            && Boxes::fit(&self.boxes, self.triangles.len())
            && ascends(self.faced.iter().copied(), count.saturating_mul(2))
            && ascends(self.trackers.iter().map(|(id, _)| *id), count)
            && self.slots.len().saturating_sub(1) == parts
            && self
                .slots
                .iter()
                .all(|slot| slot.is_sound() && finite(slot.manifold.points()))
            && pose_is_sound
    }

    /// Reads a number of each piece of memory that the next query starts from, and mixes them:
    /// for reading many pairs ahead, where none is waited for alone.
    #[inline]
    pub fn read(&self) -> u32 {
        let mut all = self.around.map_or(0, |around| around.max.z.to_bits());
        if let Some(last) = &self.last {
            all ^= last.rotation[0].to_bits() ^ (last.center.z.to_bits() as u32);
            all ^= last.margin.to_bits();
        }
        if let Some(slot) = self.slots.first() {
            all ^= slot.normal.x.to_bits() ^ slot.manifold.normal.x.to_bits();
            all ^= slot.manifold.points().len() as u32;
        }
        let boxes = self.boxes.first().map_or(0, |boxes| boxes.read());
        let ids = [self.faced.first(), self.triangles.first()];
        all ^ boxes ^ ids[0].map_or(0, |id| *id) ^ ids[1].map_or(0, |id| *id)
    }

    /// Forgets everything, as after a jump.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    pub(super) fn slots_mut(&mut self) -> &mut Vec<Slot> {
        &mut self.slots
    }

    pub(super) fn triangles(&self) -> &[u32] {
        &self.triangles
    }

    /// The boxes around the known triangles.
    pub(super) fn boxes(&self) -> &[Boxes] {
        &self.boxes
    }

    /// Triangles that made points in the last full answer, ascending.
    pub fn faced(&self) -> impl Iterator<Item = u32> + '_ {
        self.faced.iter().map(|faced| faced / 2)
    }

    /// Whether a normal leans over a side of a triangle beyond which the surface rises, or goes on level if
    /// that counts, so that no contact there has it. It is unit and from the surface to the shape in the
    /// surface's frame.
    pub fn leans_into_surface(
        &self,
        surface: Surface<'_>,
        id: u32,
        normal: DVec3,
        level_counts: bool,
    ) -> bool {
        let is_reversed = self.faced_from(id) == Some(true);
        Facet::new(surface, id, is_reversed).leans_into_surface(normal, level_counts)
    }

    /// The centre of the shape at the last full answer.
    pub(super) fn last_center(&self) -> Option<DVec3> {
        self.last.map(|last| last.center)
    }

    /// The side a triangle was felt from in the last full answer, if it was.
    pub(super) fn faced_from(&self, id: u32) -> Option<bool> {
        let at = self.faced.partition_point(|faced| *faced < 2 * id);
        let faced = *self.faced.get(at)?;
        (faced / 2 == id).then_some(faced % 2 == 1)
    }

    /// Whether all triangles that meet a box are known.
    pub(super) fn holds(&self, near: &Aabb) -> bool {
        (self.around).is_some_and(|around| {
            around.min.cmple(near.min).all() && near.max.cmple(around.max).all()
        })
    }

    /// How far a box may grow before it meets triangles that are not known.
    pub(super) fn room(&self, near: &Aabb) -> f64 {
        self.around.map_or(0.0, |around| {
            let room = (near.min - around.min).min(around.max - near.max);
            f64::from(room.min_element())
        })
    }

    /// Finds the triangles that meet a box.
    pub(super) fn look_up(&mut self, surface: Surface<'_>, around: Aabb) {
        surface.triangles_near(&around, &mut self.triangles);
        Boxes::around(surface, &self.triangles, &mut self.boxes);
        self.around = Some(around);
    }

    /// Keeps a full answer.
    pub(super) fn remember(&mut self, frame: &Frame, center: DVec3, gather: &mut Gather) {
        std::mem::swap(&mut self.faced, &mut gather.faced);
        let is_touching = !gather.groups.is_empty();
        self.last = Some(Last {
            rotation: rotation::from_dmatrix(frame.rotation)
                .to_array()
                .map(|part| part as f32),
            translation: frame.translation,
            center,
            clearance: gather.clearance.min(f64::from(f32::MAX)) as f32,
            sinkage: gather.sinkage.min(f64::from(f32::MAX)) as f32,
            margin: gather.margin as f32,
            has_edges: gather.has_edges,
            is_touching,
        });
    }

    /// Whether a shape that left no points certainly has none still within `margin`.
    pub(super) fn is_still_apart(&self, frame: &Frame, span: &Span, margin: f64) -> bool {
        let apart = self.last.filter(|last| !last.is_touching);
        apart.is_some_and(|last| {
            last.moved(frame, span) + last.widened(margin) < f64::from(last.clearance)
        })
    }

    /// Re-evaluates the separations if the touching shape has hardly moved; otherwise changes
    /// nothing and says so.
    pub(super) fn recycle(
        &mut self,
        frame: &Frame,
        span: &Span,
        [size, radius]: [f64; 2],
        margin: f64,
        shape_is_a: bool,
    ) -> bool {
        let Some(last) = self.last.filter(|last| last.is_touching) else {
            return false;
        };
        let turn = if last.has_edges {
            RECYCLE_TURN_EDGES
        } else {
            RECYCLE_TURN
        };
        let way = f64::from(last.clearance).max(kept_way(margin));
        if last.chord(frame) > turn || last.moved(frame, span) + last.widened(margin) > way {
            return false;
        }
        // What turns may come to stand on a point beside those it stood on, as what tips does.
        if last.turned(frame, span) > f64::from(last.sinkage) {
            return false;
        }
        let allowed = RECYCLE_SHIFT * size;
        let stays = |slot: &Slot| {
            let normal = slot.normal.as_dvec3();
            slot.manifold.points().iter().all(|point| {
                let offset = offset(point, frame, shape_is_a);
                let separation = normal.dot(offset);
                let drift_sq = offset.length_squared() - separation * separation;
                let lowered = (separation - f64::from(point.separation)).abs();
                // Past an edge the normal turns by what passes sideways over the gap between the cores.
                let reach = RECYCLE_TURN * (separation + radius);
                let turns = last.has_edges && separation > 0.0 && drift_sq > reach * reach;
                // What came to overlap past an edge may do so another way.
                let has_come = separation < 0.0 && lowered > RECYCLE_SINK * margin;
                separation <= margin
                    && lowered <= allowed
                    && drift_sq <= allowed * allowed
                    && !turns
                    && !has_come
            })
        };
        if !self.slots.iter().all(stays) {
            return false;
        }
        for slot in self
            .slots
            .iter_mut()
            .filter(|slot| !slot.manifold.is_empty())
        {
            let normal = slot.normal.as_dvec3();
            if shape_is_a {
                slot.manifold.normal = -frame.inverse_rotate(normal).as_vec3();
            }
            for point in slot.manifold.points_mut() {
                point.separation = normal.dot(offset(point, frame, shape_is_a)) as f32;
            }
        }
        true
    }
}

/// How far a touching shape may move before it is answered afresh whatever was left out, in metres.
pub(super) fn kept_way(margin: f64) -> f64 {
    KEPT_MARGIN_SHARE * margin.min(f64::from(CONTACT_MARGIN))
}

/// Whether numbers ascend and stay below `end`.
fn ascends(mut ids: impl Iterator<Item = u32>, end: u32) -> bool {
    let mut next = 0;
    ids.all(|id| {
        let fits = id >= next && id < end;
        next = id.saturating_add(1);
        fits
    })
}

/// From the surface's anchor of a point to the shape's, in the surface's frame.
fn offset(point: &drystone_geometry::ManifoldPoint, frame: &Frame, shape_is_a: bool) -> DVec3 {
    let (on_surface, on_shape): (Vec3, Vec3) = if shape_is_a {
        (point.anchor_b, point.anchor_a)
    } else {
        (point.anchor_a, point.anchor_b)
    };
    frame.transform_point(on_shape.as_dvec3()) - on_surface.as_dvec3()
}

impl Last {
    fn rotation(&self) -> DMat3 {
        let [x, y, z, w] = self.rotation.map(f64::from);
        rotation::to_dmatrix(DQuat::from_xyzw(x, y, z, w))
    }

    /// Twice the sine of half the angle turned since.
    fn chord(&self, frame: &Frame) -> f64 {
        chord(&self.rotation(), &frame.rotation)
    }

    /// By how much a margin is wider than the one of then, in metres.
    fn widened(&self, margin: f64) -> f64 {
        (margin - f64::from(self.margin)).max(0.0)
    }

    /// How far a point of the shape has moved at most.
    fn moved(&self, frame: &Frame, span: &Span) -> f64 {
        let shift = (frame.translation - self.translation).length();
        shift + self.turned(frame, span) + span.rounding()
    }

    /// How far turning alone has moved a point of the shape at most.
    fn turned(&self, frame: &Frame, span: &Span) -> f64 {
        let (then, now) = (self.rotation(), &frame.rotation);
        span.turned(&then, now, chord(&then, now))
    }
}

/// Twice the sine of half the angle between two rotations.
fn chord(then: &DMat3, now: &DMat3) -> f64 {
    let changed_sq = (now.x_axis - then.x_axis).length_squared()
        + (now.y_axis - then.y_axis).length_squared()
        + (now.z_axis - then.z_axis).length_squared();
    (0.5 * changed_sq).sqrt()
}
