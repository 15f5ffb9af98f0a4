//! Edges that meet side by side: the normal midway between the faces that would carry it.
//!
//! Where two convex edges meet in parallel, every normal of both, a whole arc of them, keeps the
//! shapes apart equally well: depths along two of them differ by less than the depth itself.
//! The least depth is always at an end of the arc, on a face of one of the shapes, and which one
//! rounding decides. By statics neither is right: two cards that lean on each other press along
//! the line of symmetry, and across a face of one of them they slip unless friction is twice what
//! they need. So the normal is the one midway.
//!
//! Not so where an end of the arc is a face of both shapes: what lies flush there, or slides over
//! a seam, is carried by these faces. Nor in deep overlap, where shapes have to part the shortest
//! way.

use drystone_geometry::Frame;
use drystone_geometry::glam::DVec3;
use drystone_geometry::hull::Polytope;

use super::edges::{Edge, side_by_side};
use super::{Carrier, Draft};
use crate::collide::Query;
use crate::convex::Pair;
use crate::tolerance::{
    FACE_PREFERENCE, FLUSH_COSINE, KEPT_MEETING_DEPTH, MAX_CLIPPED_CORNERS, MEETING_DEPTH,
    PARALLEL_CONTACT_SINE_SQ,
};

/// One shape's face in a contact of two faces, of which one is the reference.
#[derive(Clone, Copy)]
struct Side<'a> {
    polytope: &'a Polytope<'a>,
    face: u32,
    /// The shape seen from A.
    pose: &'a Frame,
}

/// Turns a contact on a face of A or B, the draft's carrier, into one of two edges if it is where
/// an edge of `faces[0]`, of A, meets one of `faces[1]`, of B, and no deeper than the margin.
/// `widest` is the gap of the cores, in metres; `radius` that around both.
///
/// Along the new normal they are at most [`KEPT_MEETING_DEPTH`] times as deep as they are.
#[inline]
pub(crate) fn lean(
    draft: &mut Draft,
    pair: &Pair<'_>,
    (a, b): (&Polytope<'_>, &Polytope<'_>),
    faces: [u32; 2],
    widest: f64,
    radius: f64,
    query: &Query,
) {
    if draft.candidates.len() < 2 || widest < -draft.margin {
        return;
    }
    let normal_a = a.faces[faces[0] as usize].normal;
    let normal_b = b.faces[faces[1] as usize].normal;
    if normal_a.dot(pair.b_in_a.rotate(normal_b)) < -FLUSH_COSINE {
        return;
    }
    let sides = [
        Side {
            polytope: a,
            face: faces[0],
            pose: &Frame::IDENTITY,
        },
        Side {
            polytope: b,
            face: faces[1],
            pose: pair.b_in_a,
        },
    ];
    lean_if_met(draft, sides, widest, radius, query);
}

/// The same for faces that are not flush.
#[inline(never)]
fn lean_if_met(draft: &mut Draft, sides: [Side<'_>; 2], widest: f64, radius: f64, query: &Query) {
    let [a, b] = sides;
    let is_on_a = draft.carrier == Carrier::FaceA;
    let (reference, incident) = if is_on_a { (a, b) } else { (b, a) };
    let Some((border, lowest)) = meeting_edges(&reference, &incident) else {
        return;
    };
    let outward = if is_on_a { draft.normal } else { -draft.normal };
    let Some(midway) = midway(&reference, border, &incident, lowest, outward) else {
        return;
    };
    let (edge_a, edge_b) = if is_on_a {
        (a.edge(border), b.edge(lowest))
    } else {
        (a.edge(lowest), b.edge(border))
    };
    let share = if query.last == Carrier::Edges {
        KEPT_MEETING_DEPTH
    } else {
        MEETING_DEPTH
    };
    let deepest = widest * if widest < 0.0 { share } else { 1.0 } - FACE_PREFERENCE * query.size;
    let (count, on_face) = (draft.candidates.len(), draft.normal);
    draft.normal = if is_on_a { midway } else { -midway };
    let is_met = side_by_side(draft, &edge_a, &edge_b, radius, query.size);
    let met = &draft.candidates[count..];
    if is_met && met.len() == 2 && met.iter().all(|c| c.separation >= deepest - radius) {
        draft.candidates.drain(..count);
        draft.carrier = Carrier::Edges;
    } else {
        draft.candidates.truncate(count);
        draft.normal = on_face;
    }
}

impl Side<'_> {
    fn edge(&self, half_edge: u32) -> Edge {
        Edge::of(self.polytope, half_edge).seen_from(self.pose)
    }

    /// Of a corner, in A's frame.
    fn position(&self, vertex: u32) -> DVec3 {
        self.pose.transform_point(self.polytope.position(vertex))
    }

    /// Outward normals of the faces on both sides of an edge, in A's frame.
    fn normals(&self, half_edge: u32) -> [DVec3; 2] {
        [half_edge, half_edge ^ 1].map(|half_edge| {
            let face = self.polytope.half_edges[half_edge as usize].face;
            self.pose.rotate(self.polytope.faces[face as usize].normal)
        })
    }
}

/// The lowest edge of the incident face over the reference face, and of the edges of that one
/// parallel to it the nearest; half-edges of these faces, the reference's first. None of faces of
/// very many corners, whose edges are too short to lean on.
fn meeting_edges(reference: &Side<'_>, incident: &Side<'_>) -> Option<(u32, u32)> {
    let plane = &reference.polytope.faces[reference.face as usize];
    let count = incident.polytope.faces[incident.face as usize].edge_count;
    if plane.edge_count.max(count) as usize > MAX_CLIPPED_CORNERS {
        return None;
    }
    let normal = reference.pose.rotate(plane.normal);
    let up = incident.pose.inverse_rotate(normal);
    let height = |half_edge: u32| {
        let polytope = incident.polytope;
        let ends = [polytope.origin(half_edge), polytope.target(half_edge)];
        up.dot(polytope.position(ends[0]) + polytope.position(ends[1]))
    };
    let lowest = incident
        .polytope
        .face_edges(incident.face)
        .map(|half_edge| (height(half_edge), half_edge))
        .reduce(|best, next| if next.0 < best.0 { next } else { best })?
        .1;
    let ends = [
        incident.position(incident.polytope.origin(lowest)),
        incident.position(incident.polytope.target(lowest)),
    ];
    let (middle, along) = (0.5 * (ends[0] + ends[1]), ends[1] - ends[0]);
    let mut best = (f64::NEG_INFINITY, None);
    for half_edge in reference.polytope.face_edges(reference.face) {
        let from = reference.position(reference.polytope.origin(half_edge));
        let side = reference.position(reference.polytope.target(half_edge)) - from;
        let lengths_sq = side.length_squared() * along.length_squared();
        if side.cross(along).length_squared() > PARALLEL_CONTACT_SINE_SQ * lengths_sq {
            continue;
        }
        let beyond = side.cross(normal).dot(middle - from) / side.length();
        if beyond > best.0 {
            best = (beyond, Some(half_edge));
        }
    }
    Some((best.1?, lowest))
}

/// The direction midway of those in which both edges support their shapes, of which `outward`, the
/// normal of the reference face, is an end; unit, from the reference, in A's frame.
///
/// None where the edge of the reference is nearly flat, or a face of one shape is nearly level with
/// one of the other.
fn midway(
    reference: &Side<'_>,
    border: u32,
    incident: &Side<'_>,
    lowest: u32,
    outward: DVec3,
) -> Option<DVec3> {
    // That of the half-edge's own face is `outward`.
    let [_, beyond] = reference.normals(border);
    let against = incident.normals(lowest).map(|normal| -normal);
    let is_flush = |normal: DVec3| {
        let [one, other] = against.map(|end| end.dot(normal));
        one.max(other) > FLUSH_COSINE
    };
    let level = outward.dot(beyond);
    if level > FLUSH_COSINE || is_flush(outward) || is_flush(beyond) {
        return None;
    }
    // Both normals are square to the edge, and these two axes to it and to each other.
    let aside = (beyond - level * outward).normalize();
    let mut end = beyond;
    let mut nearest = level;
    let mut is_inside = false;
    for normal in against {
        let flat = DVec3::dot(normal, outward) * outward + normal.dot(aside) * aside;
        let flat = flat.normalize();
        if flat.dot(aside) <= 0.0 {
            is_inside = true;
        } else if flat.dot(outward) > nearest {
            (end, nearest) = (flat, flat.dot(outward));
        }
    }
    is_inside.then(|| (outward + end).normalize())
}
