//! The directions in which a polytope may leave a triangle with sharp edges.
//!
//! A triangle is a thin sheet, and the shortest way out of it may lead through its back or
//! along its plane, which the surface around it forbids. Of the directions that are the
//! triangle's own, the least depth lies on a face normal of either, or where an edge of the
//! shape crosses a sharp side; the rest is the neighbours'.

use drystone_geometry::Frame;
use drystone_geometry::glam::DVec3;
use drystone_geometry::hull::Polytope;
use drystone_geometry::mesh::EdgeKind;

use super::facet::{Facet, Owner};
use crate::tolerance::{ADMITTED_SINE, PARALLEL_SINE};
use drystone_geometry::tolerance::SHARP_EDGE_COSINE;

/// The best way out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Way {
    /// None of these; the face's own is left.
    Face,
    /// Unit, from the triangle to the shape, with the gap along it in metres.
    Along(DVec3, f64),
    /// Along the normal of a triangle around: its contact, not this one's.
    Beyond,
}

/// A side at which the triangle owns more than one normal: from its own to `last`.
struct Arc {
    from: DVec3,
    along: DVec3,
    outward: DVec3,
    last: DVec3,
}

/// Finds the way with the widest gap that beats `gap`, that along the face's normal, in
/// metres. The shapes overlap.
pub(crate) fn widest(facet: &Facet<'_>, polytope: &Polytope<'_>, frame: &Frame, gap: f64) -> Way {
    let mut best = (gap, Way::Face);
    let mut take = |gap: f64, way: Way| {
        if gap > best.0 {
            best = (gap, way);
        }
    };
    let normal = facet.triangle.normal;
    for face in polytope.faces {
        let way = -frame.rotate(face.normal);
        if way.dot(normal) < -ADMITTED_SINE {
            continue;
        }
        let height =
            |corner: &DVec3| face.normal.dot(frame.inverse_transform_point(*corner)) - face.offset;
        let heights = facet.triangle.corners.iter().map(height);
        let least = heights.fold(f64::INFINITY, f64::min);
        if least > gap && facet.owner(way) == Owner::Own {
            take(least, Way::Along(way, least));
        }
    }
    for side in 0..3 {
        let stands_out = matches!(facet.kinds[side], EdgeKind::Sharp | EdgeKind::Boundary);
        if !stands_out {
            continue;
        }
        let outward = facet.triangle.outward(side);
        let arc = Arc {
            from: facet.triangle.corners[side],
            along: facet.triangle.side(side).normalize(),
            outward,
            last: facet.normal_beyond(side).unwrap_or(outward),
        };
        crossings(&arc, normal, polytope, frame, &mut take);
    }
    for corner in 0..3 {
        facet.normals_around(corner, |other| {
            if other.dot(normal) >= SHARP_EDGE_COSINE {
                return;
            }
            let last = facet.triangle.corners.map(|corner| other.dot(corner));
            let last = last.into_iter().fold(f64::NEG_INFINITY, f64::max);
            let heights = (polytope.vertices.iter())
                .map(|vertex| other.dot(frame.transform_point(vertex.as_dvec3())));
            take(heights.fold(f64::INFINITY, f64::min) - last, Way::Beyond);
        });
    }
    best.1
}

/// Offers the directions square to a side and an edge of the shape that belong to both.
fn crossings(
    arc: &Arc,
    normal: DVec3,
    polytope: &Polytope<'_>,
    frame: &Frame,
    take: &mut impl FnMut(f64, Way),
) {
    let along = frame.inverse_rotate(arc.along);
    for edge in (0..polytope.half_edges.len() as u32).step_by(2) {
        let from = polytope.position(polytope.origin(edge));
        let direction = polytope.position(polytope.target(edge)) - from;
        let cross = direction.cross(along);
        let length = cross.length();
        if length <= PARALLEL_SINE * direction.length() {
            continue;
        }
        // Between the outward normals of both faces at the edge, turned round.
        let [left, right] = [edge, edge + 1].map(|half_edge| {
            let face = polytope.half_edges[half_edge as usize].face;
            polytope.faces[face as usize].normal
        });
        let mut inward = cross / length;
        if inward.dot(left + right) > 0.0 {
            inward = -inward;
        }
        let turn = left.cross(right);
        let is_shapes = left.cross(inward).dot(turn) <= 0.0 && inward.cross(right).dot(turn) <= 0.0;
        if !is_shapes {
            continue;
        }
        let way = frame.rotate(inward);
        let (lean, up) = (way.dot(arc.outward), way.dot(normal));
        let (tilt, level) = (arc.last.dot(arc.outward), arc.last.dot(normal));
        let is_triangles = lean >= -ADMITTED_SINE
            && level * lean - tilt * up <= ADMITTED_SINE
            && (up > 0.0 || level < 0.0);
        if is_triangles {
            let gap = way.dot(frame.transform_point(from) - arc.from);
            take(gap, Way::Along(way, gap));
        }
    }
}
