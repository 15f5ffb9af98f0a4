//! Polytopes against a triangle: a face of the shape clipped to what lies over the triangle.

use drystone_geometry::glam::DVec3;
use drystone_geometry::hull::Polytope;
use drystone_geometry::mesh::EdgeKind;
use drystone_geometry::{Feature, Frame, Surface};

use super::facet::Facet;
use super::gather::Gather;
use crate::convex::{Core, aligned_face};
use crate::extremes::{larger, smaller};
use crate::manifold::border;
use crate::tolerance::{CLIP_GROWTH, COVERING_COSINE};

/// Marks a side of the triangle.
const SIDE: u32 = 1 << 31;

/// A corner of a face of the shape, or of what clipping leaves of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Corner {
    point: DVec3,
    /// Over the triangle's plane, in metres.
    height: f64,
    /// Beyond the plane at work, in metres times the length of its normal.
    beyond: f64,
    /// The half-edge of the shape that leaves the corner, or a marked side.
    outgoing: u32,
}

/// A plane through a side of a triangle, moved out a little.
pub(crate) struct SidePlane {
    /// Away from the triangle, of any length: most sides are far enough away to need no root.
    pub(crate) normal: DVec3,
    /// By how much it is moved out, in metres times the length of `normal`.
    pub(crate) growth: f64,
}

/// Where a triangle's part of space ends at a side: at a blunt ridge half-way to the
/// neighbour, so that nothing lies between the two; in a valley a little further, since
/// behind the surface the two part.
pub(crate) fn side_plane(gather: &Gather, facet: &Facet<'_>, side: usize) -> SidePlane {
    let along = facet.triangle.side(side);
    let mut normal = along.cross(facet.triangle.normal);
    let mut reach = 0.0;
    match facet.kinds[side] {
        EdgeKind::Flat | EdgeKind::Sharp | EdgeKind::Boundary => {}
        EdgeKind::Blunt => {
            if let Some(other) = facet.normal_beyond(side) {
                normal += along.cross(other);
            }
        }
        EdgeKind::Concave => {
            if let Some(other) = facet.normal_beyond(side) {
                reach = gather.margin * other.dot(normal).abs();
            }
        }
    }
    SidePlane {
        normal,
        growth: CLIP_GROWTH * gather.size * normal.length() + reach,
    }
}

/// Adds the points of a polytope over the triangle, on the triangle's normal. Its lowest point over
/// the plane must be known to lie within the margin.
pub(crate) fn over_face(
    gather: &mut Gather,
    facet: &Facet<'_>,
    polytope: &Polytope<'_>,
    frame: &Frame,
    lowest: u32,
    radius: f64,
) {
    let down = -frame.inverse_rotate(facet.triangle.normal);
    let incident = aligned_face(polytope, &[lowest], down);
    take_incident(gather, polytope, incident, frame);
    let over = frame.rotate(polytope.faces[incident as usize].normal);
    if covers(&gather.incident.1, facet, over) {
        return corners_below(gather, facet, (incident, over), radius);
    }
    let mut polygon = std::mem::take(&mut gather.polygon);
    let mut clipped = std::mem::take(&mut gather.clipped);
    polygon.clear();
    polygon.extend(gather.incident.1.iter().map(|corner| Corner {
        height: facet.triangle.height(corner.point),
        ..*corner
    }));
    for side in 0..3 {
        let corner = facet.triangle.corners[side];
        // As long as the side: most sides need no root.
        let outward = facet.triangle.side(side).cross(facet.triangle.normal);
        let (nearest, farthest) = place(&mut polygon, outward, outward.dot(corner));
        // Wholly on either side, where the neighbour's normal need not be known: no side
        // plane leans out by more than the margin within it.
        if farthest <= 0.0 {
            continue;
        }
        let beside = gather.margin + CLIP_GROWTH * gather.size;
        if nearest > 0.0 && nearest * nearest > beside * beside * outward.length_squared() {
            polygon.clear();
            break;
        }
        let plane = side_plane(gather, facet, side);
        let offset = plane.normal.dot(corner) + plane.growth;
        let (nearest, farthest) = place(&mut polygon, plane.normal, offset);
        if nearest > 0.0 {
            polygon.clear();
            break;
        }
        if farthest > 0.0 {
            cut(&mut polygon, &mut clipped, side as u32);
        }
    }
    if polygon.is_empty() {
        let is_reversed = u32::from(facet.is_reversed());
        gather.beside.push(2 * facet.id + is_reversed);
    } else {
        let first = gather.candidates.len();
        emit(gather, facet, polytope, incident, &polygon, radius);
        gather.close(first, facet.triangle.normal);
    }
    gather.polygon = polygon;
    gather.clipped = clipped;
}

/// Whether a face of the shape, with outward normal `over`, has all of a triangle below it.
fn covers(face: &[Corner], facet: &Facet<'_>, over: DVec3) -> bool {
    let normal = facet.triangle.normal;
    if over.dot(normal) > -COVERING_COSINE {
        return false;
    }
    let [a, b, c] = facet.triangle.corners;
    let mut from = face[face.len() - 1].point;
    for corner in face {
        // Seen along the normal the border runs clockwise, and this points inward.
        let inward = (corner.point - from).cross(normal);
        let at = inward.dot(from);
        if inward.dot(a) < at || inward.dot(b) < at || inward.dot(c) < at {
            return false;
        }
        from = corner.point;
    }
    true
}

/// Hands over the corners of a triangle below a face, but for those where the surface is flat.
fn corners_below(gather: &mut Gather, facet: &Facet<'_>, (face, over): (u32, DVec3), radius: f64) {
    let normal = facet.triangle.normal;
    let on_face = gather.incident.1[0].point;
    let slope = over.dot(normal);
    let first = gather.candidates.len();
    for corner in 0..3 {
        let sides = [facet.kinds[corner], facet.kinds[(corner + 2) % 3]];
        if sides == [EdgeKind::Flat; 2] {
            continue;
        }
        let at = facet.triangle.corners[corner];
        let height = over.dot(on_face - at) / slope;
        if height - radius > gather.margin {
            gather.leave_out(height - radius - gather.margin);
            continue;
        }
        let features = (facet.vertex(corner), Feature::face(face));
        gather.add(at + height * normal, height - radius, features);
    }
    gather.close(first, normal);
}

/// Brings a face of the shape into the surface's frame, unless it is there from the last
/// triangle.
fn take_incident(gather: &mut Gather, polytope: &Polytope<'_>, face: u32, frame: &Frame) {
    let (held, corners) = &mut gather.incident;
    if *held == face {
        return;
    }
    *held = face;
    corners.clear();
    border(polytope, face, |edge| {
        corners.push(Corner {
            point: frame.transform_point(polytope.position(polytope.origin(edge))),
            height: 0.0,
            beyond: 0.0,
            outgoing: edge,
        });
    });
}

/// Tells the corners how far beyond a plane they are; returns the least and the greatest.
#[inline]
fn place(polygon: &mut [Corner], normal: DVec3, offset: f64) -> (f64, f64) {
    let (mut nearest, mut farthest) = (f64::INFINITY, f64::NEG_INFINITY);
    for corner in polygon {
        corner.beyond = normal.dot(corner.point) - offset;
        nearest = smaller(nearest, corner.beyond);
        farthest = larger(farthest, corner.beyond);
    }
    (nearest, farthest)
}

/// Keeps what is not beyond the plane at work, which is that of a side.
fn cut(polygon: &mut Vec<Corner>, clipped: &mut Vec<Corner>, side: u32) {
    clipped.clear();
    let mut current = polygon[polygon.len() - 1];
    for &next in polygon.iter() {
        if (current.beyond <= 0.0) != (next.beyond <= 0.0) {
            let t = current.beyond / (current.beyond - next.beyond);
            clipped.push(Corner {
                point: current.point + t * (next.point - current.point),
                height: current.height + t * (next.height - current.height),
                beyond: 0.0,
                outgoing: if current.beyond <= 0.0 {
                    side | SIDE
                } else {
                    current.outgoing
                },
            });
        }
        if next.beyond <= 0.0 {
            clipped.push(next);
        }
        current = next;
    }
    std::mem::swap(polygon, clipped);
}

/// Hands over the corners of what lies over the triangle, but for those where a flat
/// surface merely goes on: the neighbours have the corners that count.
fn emit(
    gather: &mut Gather,
    facet: &Facet<'_>,
    polytope: &Polytope<'_>,
    incident: u32,
    polygon: &[Corner],
    radius: f64,
) {
    let is_flat = |side: u32| facet.kinds[(side & !SIDE) as usize] == EdgeKind::Flat;
    let mut incoming = polygon[polygon.len() - 1].outgoing;
    for corner in polygon {
        let outgoing = corner.outgoing;
        let features = match (incoming & SIDE != 0, outgoing & SIDE != 0) {
            (false, false) => Some((Feature::face(0), Feature::vertex(polytope.origin(outgoing)))),
            (true, false) => (!is_flat(incoming)).then(|| {
                let side = (incoming & !SIDE) as usize;
                (facet.edge(side), Feature::edge(outgoing / 2))
            }),
            (false, true) => (!is_flat(outgoing)).then(|| {
                let side = (outgoing & !SIDE) as usize;
                (facet.edge(side), Feature::edge(incoming / 2))
            }),
            (true, true) => (!is_flat(incoming) || !is_flat(outgoing)).then(|| {
                let (first, second) = (incoming & !SIDE, outgoing & !SIDE);
                // Sides follow each other; the corner between them starts the later one.
                let later = if (first + 1) % 3 == second {
                    second
                } else {
                    first
                };
                (facet.vertex(later as usize), Feature::face(incident))
            }),
        };
        if let Some(features) = features {
            gather.add(corner.point, corner.height - radius, features);
        }
        incoming = outgoing;
    }
}

/// Takes the triangles that no face of the shape is over into account: how far the shape is beyond
/// a side of each. Once the clearance is `least` metres or less, how little is of no use.
pub(crate) fn leave_out_beside(
    gather: &mut Gather,
    surface: Surface<'_>,
    core: &Core<'_>,
    frame: &Frame,
    radius: f64,
    least: f64,
) {
    let beside = std::mem::take(&mut gather.beside);
    for &seen in &beside {
        if gather.clearance <= least {
            gather.leave_out(0.0);
            break;
        }
        let facet = Facet::new(surface, seen / 2, seen % 2 == 1);
        let mut gap = f64::NEG_INFINITY;
        for side in 0..3 {
            let outward = facet.triangle.outward(side);
            let inward = -frame.inverse_rotate(outward);
            let nearest = frame.transform_point(core.position(core.support(inward, gather.hint)));
            gap = gap.max(outward.dot(nearest - facet.triangle.corners[side]));
        }
        gather.leave_out(gap - radius);
    }
    gather.beside = beside;
}
