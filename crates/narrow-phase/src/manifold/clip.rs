//! Clipping an incident face against the sides of a reference face: planes square to the reference
//! plane. Every corner knows the two edges that make it, so its id is exact.
//!
//! Sutherland and Hodgman 1974.

use drystone_geometry::glam::DVec3;
use drystone_geometry::hull::Polytope;
use drystone_geometry::{Feature, Frame};

use super::border::{Incident, Noted, note_border};
use super::ring::Ring;
use crate::extremes::{larger, smaller};
use crate::tolerance::{MAX_CLIPPED_CORNERS, SMALL_CLIP};

/// Marks an edge of the reference face.
pub(super) const REFERENCE: u32 = 1 << 31;

/// A corner of the clipped polygon, in the reference's frame.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ClipPoint {
    pub(super) position: DVec3,
    /// Above the reference plane, in metres.
    pub(super) height: f64,
    /// The half-edge that leaves the corner: of the incident face, or marked.
    pub(super) outgoing: u32,
}

/// Most corners of a polygon: those of one face, and one more for each side of the other. Beyond
/// them there is room for two that are written and do not stay.
const MAX_CORNERS: usize = 2 * MAX_CLIPPED_CORNERS + 2;

/// A polygon on its way.
#[derive(Debug)]
struct Polygon {
    corners: [ClipPoint; MAX_CORNERS],
    /// How far each corner is beyond the side that cuts, in metres times the side's length.
    beyond: [f64; MAX_CORNERS],
    count: usize,
}

/// Clips faces; its buffers are kept between pairs.
#[derive(Debug)]
pub(crate) struct Clipper {
    /// The polygon, and where it is written cut, in turns.
    polygons: [Polygon; 2],
    current: usize,
    /// The half-edges of the incident face, and of the reference face.
    edges: [Noted; 2],
    /// The sides of the reference face, the last one first.
    sides: [Side; MAX_CLIPPED_CORNERS],
    side_count: usize,
    ring: Ring,
}

/// The plane through a side of the reference face, square to the face.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Side {
    /// As long as the side.
    outward: DVec3,
    /// `outward . x` on the side, grown.
    offset: f64,
    pub(super) half_edge: u32,
}

impl Side {
    /// Through the side between two corners of a face with this normal, `growth` metres outside.
    #[inline(always)]
    pub(super) fn new(half_edge: u32, from: DVec3, to: DVec3, normal: DVec3, growth: f64) -> Self {
        let along = to - from;
        // The face is counter-clockwise.
        let outward = along.cross(normal);
        Self {
            outward,
            offset: outward.dot(from) + growth * along.length(),
            half_edge,
        }
    }

    /// In metres times the side's length.
    #[inline(always)]
    pub(super) fn beyond(&self, corner: &ClipPoint) -> f64 {
        self.outward.dot(corner.position) - self.offset
    }

    /// How much of the way to `other` is not beyond, from a corner that is `here` beyond: all of it
    /// where the other end is not. Whether it is nobody can guess: no branch.
    #[inline(always)]
    fn share_within(&self, here: f64, other: &ClipPoint) -> f64 {
        here / (here - larger(self.beyond(other), 0.0))
    }
}

impl Default for Clipper {
    fn default() -> Self {
        let empty = || Polygon {
            corners: [ClipPoint::default(); MAX_CORNERS],
            beyond: [0.0; MAX_CORNERS],
            count: 0,
        };
        Self {
            polygons: [empty(), empty()],
            current: 0,
            edges: [[0; MAX_CLIPPED_CORNERS]; 2],
            sides: [Side::default(); MAX_CLIPPED_CORNERS],
            side_count: 0,
            ring: Ring::default(),
        }
    }
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

impl Reference<'_> {
    /// How high the origin of the incident shape's frame is above the reference plane, in metres.
    #[inline(always)]
    fn height_of_incident_origin(&self) -> f64 {
        let plane = &self.polytope.faces[self.face as usize];
        plane.normal.dot(self.incident_pose.translation) - plane.offset
    }
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
    #[inline(always)]
    pub(crate) fn clip(
        &mut self,
        reference: &Reference<'_>,
        incident: &Incident<'_>,
        limit: f64,
        mut emit: impl FnMut(Corner),
    ) -> f64 {
        let reach = reference.height_of_incident_origin() - limit;
        let few = incident.note_low(reach, &mut self.edges[0]);
        let Incident { polytope, face, .. } = *incident;
        let counts = [
            few.unwrap_or_else(|| note_border(polytope, face, &mut self.edges[0])),
            note_border(reference.polytope, reference.face, &mut self.edges[1]),
        ];
        // Most faces of most hulls are triangles: loops of known length are none.
        let lone = if counts == [3, 3] {
            self.lay_out(reference, polytope, [3, 3]);
            self.lone_corner([3, 3], limit)
        } else {
            self.lay_out(reference, polytope, counts);
            self.lone_corner(counts, limit)
        };
        if let Some((corner, left_out)) = lone {
            emit(Corner {
                point: corner.position,
                height: corner.height,
                reference_feature: Feature::face(reference.face),
                incident_feature: Feature::vertex(polytope.origin(corner.outgoing)),
            });
            return left_out;
        }
        self.cut_all();
        if few.is_some() && !self.has_low(limit) {
            self.cut_whole(reference, incident, counts[1]);
        }
        let polygon = &self.polygons[self.current];
        let corners = &polygon.corners[..polygon.count];
        let mut left_out = f64::INFINITY;
        let Some(last) = corners.last() else {
            return left_out;
        };
        let mut incoming = last.outgoing;
        for corner in corners {
            if corner.height <= limit {
                let (reference_feature, incident_feature) =
                    features(reference, incident, incoming, corner.outgoing);
                emit(Corner {
                    point: corner.position,
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

    /// Brings the incident face into the reference's frame, and finds the sides of the reference
    /// face; they have so many corners.
    #[inline(always)]
    fn lay_out(
        &mut self,
        reference: &Reference<'_>,
        incident: &Polytope<'_>,
        [corner_count, side_count]: [usize; 2],
    ) {
        let polygon = &mut self.polygons[0];
        self.current = 0;
        polygon.count = corner_count;
        let polytope = reference.polytope;
        let plane = &polytope.faces[reference.face as usize];
        let corners = &mut polygon.corners[..corner_count];
        for (corner, &edge) in corners.iter_mut().zip(&self.edges[0][..corner_count]) {
            let position = incident.position(incident.origin(edge));
            let position = reference.incident_pose.transform_point(position);
            *corner = ClipPoint {
                position,
                height: plane.normal.dot(position) - plane.offset,
                outgoing: edge,
            };
        }
        self.side_count = side_count;
        let edges = &self.edges[1][..side_count];
        let Some(&(mut half_edge)) = edges.last() else {
            return;
        };
        let mut from = polytope.position(polytope.origin(half_edge));
        for (side, &next) in self.sides[..side_count].iter_mut().zip(edges) {
            let to = polytope.position(polytope.origin(next));
            *side = Side::new(half_edge, from, to, plane.normal, reference.growth);
            (half_edge, from) = (next, to);
        }
    }

    /// The one corner that is left at most `limit` above the reference plane, and how high the
    /// lowest of the others is, if it is quick to see that there is but one: a corner of the
    /// incident face over the reference face. Heights rise from it both ways round, so that its
    /// neighbours, where its two edges end or leave the reference face, are the lowest others.
    #[inline(always)]
    fn lone_corner(
        &self,
        [corner_count, side_count]: [usize; 2],
        limit: f64,
    ) -> Option<(&ClipPoint, f64)> {
        let corners = &self.polygons[0].corners[..corner_count];
        let (mut lowest, mut least) = (0, f64::INFINITY);
        for (index, corner) in corners.iter().enumerate() {
            if corner.height < least {
                (lowest, least) = (index, corner.height);
            }
        }
        let before = if lowest > 0 { lowest } else { corners.len() } - 1;
        let after = if lowest + 1 < corners.len() {
            lowest + 1
        } else {
            0
        };
        let (corner, before, after) = (&corners[lowest], &corners[before], &corners[after]);
        if least > limit || before.height.min(after.height) <= limit {
            return None;
        }
        let (mut share_before, mut share_after) = (1.0, 1.0);
        let mut beyond = f64::NEG_INFINITY;
        for side in &self.sides[..side_count] {
            let here = side.beyond(corner);
            beyond = larger(here, beyond);
            share_before = smaller(side.share_within(here, before), share_before);
            share_after = smaller(side.share_within(here, after), share_after);
        }
        if beyond > 0.0 {
            return None;
        }
        let end = |share: f64, other: &ClipPoint| least + share * (other.height - least);
        let left_out = end(share_before, before).min(end(share_after, after));
        (left_out > limit).then_some((corner, left_out))
    }

    /// Whether a corner is at most `limit` metres above the reference plane.
    fn has_low(&self, limit: f64) -> bool {
        let polygon = &self.polygons[self.current];
        let corners = &polygon.corners[..polygon.count];
        corners.iter().any(|corner| corner.height <= limit)
    }

    /// Leaves of all corners of the incident face what lies over the reference face: where none of
    /// that is low, any of it may be the lowest.
    #[inline(never)]
    fn cut_whole(&mut self, reference: &Reference<'_>, incident: &Incident<'_>, side_count: usize) {
        let count = note_border(incident.polytope, incident.face, &mut self.edges[0]);
        self.lay_out(reference, incident.polytope, [count, side_count]);
        self.cut_all();
    }

    /// Leaves of the incident face what lies over the reference face.
    #[inline(always)]
    fn cut_all(&mut self) {
        let [polygon, clipped] = &mut self.polygons;
        if polygon.count + self.side_count > SMALL_CLIP {
            let sides = &self.sides[..self.side_count];
            polygon.count = self
                .ring
                .cut_all(&mut polygon.corners, polygon.count, sides);
            return;
        }
        let (mut polygon, mut clipped) = (polygon, clipped);
        for side in &self.sides[..self.side_count] {
            if polygon.is_beyond(side) {
                polygon.cut(clipped, side.half_edge);
                std::mem::swap(&mut polygon, &mut clipped);
                self.current ^= 1;
                if polygon.count == 0 {
                    return;
                }
            }
        }
    }
}

impl Polygon {
    /// Notes how far beyond a side all corners are and tells whether any is.
    #[inline(always)]
    fn is_beyond(&mut self, side: &Side) -> bool {
        let mut is_any = false;
        let corners = &self.corners[..self.count];
        for (corner, beyond) in corners.iter().zip(&mut self.beyond) {
            *beyond = side.beyond(corner);
            is_any |= *beyond > 0.0;
        }
        is_any
    }

    /// Writes what is not beyond a side. Which corners stay and which edges cross the side nobody
    /// can guess, so that all of them are written without a branch, each over the one that did not
    /// stay.
    #[inline(always)]
    fn cut(&self, clipped: &mut Self, side: u32) {
        let mut count = 0;
        let last = self.count - 1;
        let (mut current, mut here) = (&self.corners[last], self.beyond[last]);
        for (next, &there) in self.corners[..self.count].iter().zip(&self.beyond) {
            let (leaves, stays) = (here <= 0.0, there <= 0.0);
            let t = here / (here - there);
            let on_side = u32::from(leaves).wrapping_neg();
            clipped.corners[count] = ClipPoint {
                position: current.position + t * (next.position - current.position),
                height: current.height + t * (next.height - current.height),
                outgoing: current.outgoing ^ ((current.outgoing ^ (side | REFERENCE)) & on_side),
            };
            count += usize::from(leaves != stays);
            clipped.corners[count] = *next;
            count += usize::from(stays);
            (current, here) = (next, there);
        }
        clipped.count = count;
    }
}

/// The features that make a corner between two edges.
#[inline(always)]
fn features(
    reference: &Reference<'_>,
    incident: &Incident<'_>,
    incoming: u32,
    outgoing: u32,
) -> (Feature, Feature) {
    let side = |edge: u32| edge & !REFERENCE;
    match (incoming & REFERENCE != 0, outgoing & REFERENCE != 0) {
        (false, false) => (
            Feature::face(reference.face),
            Feature::vertex(incident.polytope.origin(outgoing)),
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
            (Feature::vertex(vertex), Feature::face(incident.face))
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
    let along_segment = ends[1] - ends[0];
    let whole = Feature::face(reference.face);
    let (mut enter, mut leave) = (
        (0.0, whole, Feature::vertex(0)),
        (1.0, whole, Feature::vertex(1)),
    );
    let polytope = reference.polytope;
    let face = &polytope.faces[reference.face as usize];
    let mut side = face.first_edge;
    let mut from = polytope.position(polytope.origin(side));
    for _ in 0..face.edge_count {
        let to = polytope.position(polytope.target(side));
        let plane = Side::new(side, from, to, face.normal, reference.growth);
        let beyond = plane.outward.dot(ends[0]) - plane.offset;
        let rate = plane.outward.dot(along_segment);
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
        let point = ends[0] + t * along_segment;
        Corner {
            point,
            height: face.normal.dot(point) - face.offset,
            reference_feature,
            incident_feature,
        }
    };
    if (leave.0 - enter.0) * along_segment.length() > spacing {
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
