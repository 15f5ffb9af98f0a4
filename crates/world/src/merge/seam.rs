//! What lies at a seam between shapes of one body is no edge: shapes that touch there alone push each
//! other aside along their inner faces. Such a contact does not act where another holds the same
//! shape off the face that goes on over the seam.

use drystone_geometry::glam::{DMat3, Quat, Vec3};
use drystone_geometry::{Frame, Shape, rotation};
use drystone_narrow_phase::intersects;

use super::{Lot, View};
use crate::World;
use crate::record::ShapeRecord;
use crate::tolerance::{MERGED_COSINE, SEAM_GAP, SEAM_GAP_TO_RADIUS, SEAM_SIGHT};

impl World {
    /// Takes out the contacts at seams.
    pub(super) fn hide(&self, lot: &mut Lot, rotations: [Quat; 2]) {
        for at in 0..lot.views.len() {
            let view = lot.views[at];
            let mut others = lot.views.iter();
            if others.any(|other| other.acts && self.hides(other, &view, rotations)) {
                lot.views[at].acts = false;
                let count = self.contacts.solver[view.id as usize].count;
                lot.hidden.push((view.id, count));
            }
        }
    }

    /// Whether a contact stands in for another of the same shape of one of the bodies, and another
    /// shape of the other: where that one lies, the shape of this one goes on, and neither rises
    /// above the plane that this one holds, as far as a ball on it tells. A wall that stands on a
    /// floor hides nothing of it, as the floor goes on beyond the plane of the wall.
    fn hides(&self, other: &View, view: &View, rotations: [Quat; 2]) -> bool {
        if view.gap.is_wide && other.normal.dot(view.normal) >= MERGED_COSINE {
            // Both act as one.
            return false;
        }
        (0..2).any(|side| {
            let is_beside = view.shapes[1 - side] == other.shapes[1 - side]
                && view.shapes[side] != other.shapes[side];
            let gap = view.seams[side].min(other.seams[side]);
            if !is_beside || gap <= 0.0 {
                return false;
            }
            let [own, beside] = [view, other].map(|view| &self.shapes[view.shapes[side] as usize]);
            let outward = if side == 0 {
                other.normal
            } else {
                -other.normal
            };
            let outward = rotation::rotate_inverse(rotations[side], outward);
            self.anchors(view, side).all(|anchor| {
                let held = self.anchors(other, side);
                let held = held.map(|held| held - anchor);
                let nearest =
                    held.min_by(|one, next| one.length_squared().total_cmp(&next.length_squared()));
                let sight = SEAM_SIGHT * gap;
                let above = nearest.map_or(0.0, |held| outward.dot(held)) + gap + sight;
                is_near(beside, anchor, gap) && !is_near(own, anchor + above * outward, sight)
            })
        })
    }
}

/// Gap over which the faces of a shape and one beside it go on, in metres; none where it is no solid.
pub(super) fn seam_gap(shape: &ShapeRecord) -> f32 {
    if shape.shape.surface().is_some() {
        return 0.0;
    }
    (SEAM_GAP * shape.margin).min(SEAM_GAP_TO_RADIUS * shape.shape.inner_radius())
}

/// Whether a shape comes within a distance of a point of its body.
fn is_near(shape: &ShapeRecord, point: Vec3, distance: f32) -> bool {
    let own = shape.center_pose.inverse_transform_point(point);
    if let Shape::Box { half_extents } = &shape.shape {
        return (own.abs() - *half_extents).max_element() <= distance;
    }
    if let Shape::Hull(hull) = shape.shape.without_rounding() {
        // Most shapes of a body are nowhere near.
        let bounds = hull.local_aabb();
        let beyond = (own - bounds.max).max(bounds.min - own).max_element();
        if beyond > distance + shape.shape.core_radius() {
            return false;
        }
    }
    let at = Frame {
        rotation: DMat3::IDENTITY,
        translation: own.as_dvec3(),
    };
    intersects(&shape.shape, &Shape::sphere(distance), &at)
}
