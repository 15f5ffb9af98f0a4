//! Contacts with a half-space: the corners of the lowest face within the margin.

use drystone_geometry::glam::{DMat3, DVec3};
use drystone_geometry::shape::curved::Curved;
use drystone_geometry::{Feature, Frame};

use super::{Candidate, Carrier, Draft, patch};
use crate::convex::{Core, aligned_face};
use crate::curved::Figure;
use crate::tolerance::SAME_POINT;

/// Adds the contact of a rounded core and the half-space with this outward normal (unit,
/// in A's frame). Returns the lowest vertex, a start for the next search.
pub(crate) fn draft(
    draft: &mut Draft,
    core: &Core<'_>,
    radius: f64,
    up: DVec3,
    b_in_a: &Frame,
    hint: u32,
) -> u32 {
    draft.normal = -up;
    draft.carrier = Carrier::FaceB;
    let ground = Feature::face(0);
    let mut add = |vertex: u32, on_a: DVec3| {
        let height = up.dot(on_a - b_in_a.translation);
        draft.add(Candidate {
            on_a,
            on_b: on_a - height * up,
            separation: height - radius,
            features: (Feature::vertex(vertex), ground),
        });
    };
    let lowest = core.support(-up, hint);
    match (core, core.polytope()) {
        (Core::Segment(_), _) => {
            add(0, core.position(0));
            add(1, core.position(1));
        }
        (_, Some(polytope)) => {
            let face = aligned_face(&polytope, &[lowest], -up);
            for half_edge in polytope.face_edges(face) {
                let vertex = polytope.origin(half_edge);
                add(vertex, polytope.position(vertex));
            }
        }
        _ => add(lowest, core.position(lowest)),
    }
    lowest
}

/// The same for a shape with curved faces: what it shows downwards, and the lowest point of
/// all.
pub(crate) fn draft_curved(
    draft: &mut Draft,
    solid: &Curved,
    radius: f64,
    up: DVec3,
    b_in_a: &Frame,
) {
    draft.normal = -up;
    draft.carrier = Carrier::FaceB;
    let figure = Figure::Curved(*solid);
    let own = Frame {
        rotation: DMat3::IDENTITY,
        translation: DVec3::ZERO,
    };
    let [mut shown, mut lowest, spare] = draft.take_patches();
    patch::single(solid.support(-up), &mut lowest);
    let bottom = lowest[0];
    let sunk = radius - up.dot(bottom.position - b_in_a.translation);
    patch::show(&figure, -up, sunk, &own, &mut shown);
    let is_shown = |corner: &patch::Corner| {
        let least = SAME_POINT * SAME_POINT * solid.inner_radius() * solid.inner_radius();
        corner.position.distance_squared(bottom.position) <= least
    };
    let is_level =
        -up.dot(bottom.position - shown[0].position) <= SAME_POINT * solid.inner_radius();
    if !is_level && !shown.iter().any(is_shown) {
        shown.push(bottom);
    }
    for corner in &shown {
        let height = up.dot(corner.position - b_in_a.translation);
        draft.add(Candidate {
            on_a: corner.position,
            on_b: corner.position - height * up,
            separation: height - radius,
            features: (Feature::vertex(corner.vertex), Feature::face(0)),
        });
    }
    draft.return_patches([shown, lowest, spare]);
}
