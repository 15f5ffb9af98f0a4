//! Clipping an incident face against the sides of a reference face, in the plane of the
//! reference face. Every corner knows the two edges that make it, so its id is exact.
//!
//! Sutherland and Hodgman 1974.

use drystone_geometry::glam::{DVec2, DVec3};
use drystone_geometry::hull::Polytope;
use drystone_geometry::{Feature, Frame};

use crate::tolerance::MAX_CLIPPED_CORNERS;

/// Marks an edge of the reference face.
const REFERENCE: u32 = 1 << 31;

/// A corner of the clipped polygon, in the reference plane.
#[derive(Clone, Copy, Debug)]
struct ClipPoint {
    position: DVec2,
    /// Above the reference plane, in metres.
    height: f64,
    /// Beyond the side that cuts, in metres times the side's length.
    beyond: f64,
    /// The half-edge that leaves the corner: of the incident face, or marked.
    outgoing: u32,
}

/// Clips faces; its buffers are kept between pairs.
#[derive(Debug, Default)]
pub(crate) struct Clipper {
    polygon: Vec<ClipPoint>,
    clipped: Vec<ClipPoint>,
    sides: Vec<u32>,
}

/// A face to clip against: the polytope, the face and the pose of the other in its frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reference<'a> {
    /// Whose face it is.
    pub(crate) polytope: &'a Polytope<'a>,
    /// The face.
    pub(crate) face: u32,
    /// The incident shape's pose seen from the reference's.
    pub(crate) incident_pose: &'a Frame,
    /// Metres by which the face is grown.
    pub(crate) growth: f64,
}

/// A corner of the result, in the reference's frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Corner {
    /// On the incident face.
    pub(crate) point: DVec3,
    /// Above the reference plane, in metres.
    pub(crate) height: f64,
    /// Of the reference shape.
    pub(crate) reference_feature: Feature,
    /// Of the incident shape.
    pub(crate) incident_feature: Feature,
}

impl Clipper {
    /// Clips a face of `incident` and hands each corner of the result to `emit` that is at most
    /// `limit` metres above the reference plane. Tells how high the lowest of the others is.
    #[inline]
    pub(crate) fn clip(
        &mut self,
        reference: &Reference<'_>,
        incident: &Polytope<'_>,
        incident_face: u32,
        limit: f64,
        mut emit: impl FnMut(Corner),
    ) -> f64 {
        let plane = Plane::new(reference);
        self.cut_all(reference, &plane, incident, incident_face);
        let mut left_out = f64::INFINITY;
        let Some(last) = self.polygon.last() else {
            return left_out;
        };
        let mut incoming = last.outgoing;
        for corner in &self.polygon {
            if corner.height <= limit {
                let (reference_feature, incident_feature) = features(
                    reference,
                    incident,
                    incident_face,
                    incoming,
                    corner.outgoing,
                );
                emit(Corner {
                    point: plane.lift(corner),
                    height: corner.height,
                    reference_feature,
                    incident_feature,
                });
            } else {
                left_out = left_out.min(corner.height);
            }
            incoming = corner.outgoing;
        }
        left_out
    }

    /// Leaves of the incident face what lies over the reference face.
    fn cut_all(
        &mut self,
        reference: &Reference<'_>,
        plane: &Plane,
        incident: &Polytope<'_>,
        incident_face: u32,
    ) {
        let (polygon, sides) = (&mut self.polygon, &mut self.sides);
        note_border(incident, incident_face, sides);
        polygon.clear();
        polygon.extend(sides.iter().map(|&edge| {
            let position = incident.position(incident.origin(edge));
            plane.project(reference.incident_pose.transform_point(position), edge)
        }));
        let polytope = reference.polytope;
        note_border(polytope, reference.face, sides);
        let corner = |side: u32| plane.flat(polytope.position(polytope.origin(side)));
        let Some(&last) = sides.last() else {
            return;
        };
        let (mut side, mut from) = (last, corner(last));
        for &next in sides.iter() {
            let to = corner(next);
            let along = to - from;
            // Outward of a counter-clockwise polygon, as long as the side.
            let outward = DVec2::new(along.y, -along.x);
            let offset = outward.dot(from) + reference.growth * along.length();
            if is_beyond(polygon, outward, offset) {
                cut(polygon, &mut self.clipped, side);
                if polygon.is_empty() {
                    return;
                }
            }
            (side, from) = (next, to);
        }
    }
}

/// Writes the half-edges of a [`border`] over what was there.
#[inline]
fn note_border(polytope: &Polytope<'_>, face: u32, edges: &mut Vec<u32>) {
    edges.clear();
    border(polytope, face, |edge| edges.push(edge));
}

/// Visits the half-edges of a face, in order; of a face of very many, those at the corners
/// farthest in evenly spread directions. Of the outline four points will be kept, and whatever its
/// corners, this one of them lies within half a percent of its width.
#[inline]
pub(crate) fn border(polytope: &Polytope<'_>, face: u32, mut visit: impl FnMut(u32)) {
    let plane = &polytope.faces[face as usize];
    if plane.edge_count as usize > MAX_CLIPPED_CORNERS
        && let Some(outline) = polytope.outline(face)
    {
        let mut previous = outline[outline.len() - 1];
        for &edge in outline {
            if edge != previous {
                visit(edge);
            }
            previous = edge;
        }
        return;
    }
    let mut edge = plane.first_edge;
    for _ in 0..plane.edge_count {
        visit(edge);
        edge = polytope.half_edges[edge as usize].next;
    }
}

/// Notes how far beyond a side all corners are, `outward . p - offset`, and tells whether any is.
#[inline]
fn is_beyond(polygon: &mut [ClipPoint], outward: DVec2, offset: f64) -> bool {
    let mut is_any = false;
    for corner in polygon {
        corner.beyond = outward.dot(corner.position) - offset;
        is_any |= corner.beyond > 0.0;
    }
    is_any
}

/// Keeps of a polygon what is not beyond a side.
fn cut(polygon: &mut Vec<ClipPoint>, clipped: &mut Vec<ClipPoint>, side: u32) {
    clipped.clear();
    let mut current = &polygon[polygon.len() - 1];
    for next in polygon.iter() {
        if (current.beyond <= 0.0) != (next.beyond <= 0.0) {
            let t = current.beyond / (current.beyond - next.beyond);
            clipped.push(ClipPoint {
                position: current.position + t * (next.position - current.position),
                height: current.height + t * (next.height - current.height),
                beyond: 0.0,
                outgoing: if current.beyond <= 0.0 {
                    side | REFERENCE
                } else {
                    current.outgoing
                },
            });
        }
        if next.beyond <= 0.0 {
            clipped.push(*next);
        }
        current = next;
    }
    std::mem::swap(polygon, clipped);
}

/// The features that make a corner between two edges.
fn features(
    reference: &Reference<'_>,
    incident: &Polytope<'_>,
    incident_face: u32,
    incoming: u32,
    outgoing: u32,
) -> (Feature, Feature) {
    let side = |edge: u32| edge & !REFERENCE;
    match (incoming & REFERENCE != 0, outgoing & REFERENCE != 0) {
        (false, false) => (
            Feature::face(reference.face),
            Feature::vertex(incident.origin(outgoing)),
        ),
        (true, false) => (
            Feature::edge(side(incoming) / 2),
            Feature::edge(outgoing / 2),
        ),
        (false, true) => (
            Feature::edge(side(outgoing) / 2),
            Feature::edge(incoming / 2),
        ),
        (true, true) => {
            let polytope = reference.polytope;
            let (first, second) = (side(incoming), side(outgoing));
            let vertex = if polytope.target(first) == polytope.origin(second) {
                polytope.origin(second)
            } else {
                polytope.origin(first)
            };
            (Feature::vertex(vertex), Feature::face(incident_face))
        }
    }
}

/// Clips a segment given by its ends in the reference's frame and hands over one corner,
/// or two if they are farther apart than `spacing`.
pub(crate) fn clip_segment(
    reference: &Reference<'_>,
    ends: [DVec3; 2],
    spacing: f64,
    mut emit: impl FnMut(Corner),
) {
    let plane = Plane::new(reference);
    let flat = [plane.flat(ends[0]), plane.flat(ends[1])];
    let along_segment = flat[1] - flat[0];
    let whole = Feature::face(reference.face);
    let (mut enter, mut leave) = (
        (0.0, whole, Feature::vertex(0)),
        (1.0, whole, Feature::vertex(1)),
    );
    let polytope = reference.polytope;
    let face = &polytope.faces[reference.face as usize];
    let mut side = face.first_edge;
    let mut from = plane.flat(polytope.position(polytope.origin(side)));
    for _ in 0..face.edge_count {
        let to = plane.flat(polytope.position(polytope.target(side)));
        let along = to - from;
        let outward = DVec2::new(along.y, -along.x) / along.length();
        let offset = outward.dot(from) + reference.growth;
        let beyond = outward.dot(flat[0]) - offset;
        let rate = outward.dot(along_segment);
        let features = (Feature::edge(side / 2), Feature::edge(0));
        if beyond > 0.0 && beyond + rate > 0.0 {
            return;
        } else if beyond > 0.0 && -beyond / rate > enter.0 {
            enter = (-beyond / rate, features.0, features.1);
        } else if beyond + rate > 0.0 && -beyond / rate < leave.0 {
            leave = (-beyond / rate, features.0, features.1);
        }
        from = to;
        side = polytope.half_edges[side as usize].next;
    }
    if enter.0 > leave.0 {
        return;
    }
    let corner = |(t, reference_feature, incident_feature): (f64, Feature, Feature)| {
        let point = ends[0] + t * (ends[1] - ends[0]);
        Corner {
            point,
            height: plane.height(point),
            reference_feature,
            incident_feature,
        }
    };
    if (leave.0 - enter.0) * (ends[1] - ends[0]).length() > spacing {
        emit(corner(enter));
        emit(corner(leave));
    } else {
        let (first, second) = (corner(enter), corner(leave));
        emit(if second.height < first.height {
            second
        } else {
            first
        });
    }
}

/// The reference plane with a basis.
struct Plane {
    origin: DVec3,
    normal: DVec3,
    offset: f64,
    x_axis: DVec3,
    y_axis: DVec3,
}

impl Plane {
    fn new(reference: &Reference<'_>) -> Self {
        let polytope = reference.polytope;
        let face = &polytope.faces[reference.face as usize];
        let origin = polytope.position(polytope.origin(face.first_edge));
        let along = polytope.position(polytope.target(face.first_edge)) - origin;
        let x_axis = along / along.length();
        Self {
            origin,
            normal: face.normal,
            offset: face.offset,
            x_axis,
            y_axis: face.normal.cross(x_axis),
        }
    }

    #[inline]
    fn height(&self, point: DVec3) -> f64 {
        self.normal.dot(point) - self.offset
    }

    #[inline]
    fn flat(&self, point: DVec3) -> DVec2 {
        let from_origin = point - self.origin;
        DVec2::new(from_origin.dot(self.x_axis), from_origin.dot(self.y_axis))
    }

    #[inline]
    fn project(&self, point: DVec3, outgoing: u32) -> ClipPoint {
        ClipPoint {
            position: self.flat(point),
            height: self.height(point),
            beyond: 0.0,
            outgoing,
        }
    }

    #[inline]
    fn lift(&self, corner: &ClipPoint) -> DVec3 {
        // The origin may be below the supporting plane by the hull's flatness.
        let to_plane = self.offset - self.normal.dot(self.origin);
        self.origin
            + corner.position.x * self.x_axis
            + corner.position.y * self.y_axis
            + (corner.height + to_plane) * self.normal
    }
}
