//! Contacts with a half-space: the corners of the lowest face within the margin.

use drystone_geometry::glam::DVec3;
use drystone_geometry::{Feature, Frame};

use super::{Candidate, Carrier, Draft};
use crate::convex::{Core, aligned_face};

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
