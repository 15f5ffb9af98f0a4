//! Clipping an incident face against the sides of a reference face, in the plane of the
//! reference face. Every corner knows the two edges that make it, so its id is exact.
//!
//! Sutherland and Hodgman 1974.

use drystone_geometry::glam::{DVec2, DVec3};
use drystone_geometry::hull::Polytope;
use drystone_geometry::{Feature, Frame};

use crate::tolerance::{MAX_CLIPPED_CORNERS, OUTLINE_DIRECTIONS};

/// Marks an edge of the reference face.
const REFERENCE: u32 = 1 << 31;

/// A corner of the clipped polygon, in the reference plane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClipPoint {
    position: DVec2,
    /// Above the reference plane, in metres.
    height: f64,
    /// The half-edge that leaves the corner: of the incident face, or marked.
    outgoing: u32,
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

/// Clips a face of `incident` and hands each corner of the result to `emit`.
pub(crate) fn clip_face(
    reference: &Reference<'_>,
    incident: &Polytope<'_>,
    incident_face: u32,
    polygon: &mut Vec<ClipPoint>,
    clipped: &mut Vec<ClipPoint>,
    mut emit: impl FnMut(Corner),
) {
    let plane = Plane::new(reference);
    polygon.clear();
    for edge in border(incident, incident_face) {
        let position = incident.position(incident.origin(edge));
        polygon.push(plane.project(reference.incident_pose.transform_point(position), edge));
    }
    let polytope = reference.polytope;
    let mut others = border(polytope, reference.face);
    let first_edge = polytope.faces[reference.face as usize].first_edge;
    let first = others.next().unwrap_or(first_edge);
    let mut side = first;
    let mut from = plane.flat(polytope.position(polytope.origin(side)));
    for next in others.chain(std::iter::once(first)) {
        let to = plane.flat(polytope.position(polytope.origin(next)));
        let along = to - from;
        // Outward of a counter-clockwise polygon.
        let outward = DVec2::new(along.y, -along.x) / along.length();
        clip_side(
            polygon,
            clipped,
            outward,
            outward.dot(from) + reference.growth,
            side,
        );
        if polygon.is_empty() {
            return;
        }
        from = to;
        side = next;
    }
    let mut incoming = polygon[polygon.len() - 1].outgoing;
    for corner in polygon.iter() {
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
        incoming = corner.outgoing;
    }
}

/// The half-edges of a face; of a face of very many, those at the corners farthest in evenly
/// spread directions. Of the outline four points will be kept, and whatever its corners, this
/// one of them lies within half a percent of its width.
pub(crate) fn border<'a>(
    polytope: &Polytope<'a>,
    face: u32,
) -> impl Iterator<Item = u32> + use<'a> {
    let count = polytope.faces[face as usize].edge_count as usize;
    let few = (count > MAX_CLIPPED_CORNERS)
        .then(|| polytope.wide_face(face))
        .flatten()
        .map(|edges| farthest(polytope, face, edges));
    let all = few.is_none().then(|| polytope.face_edges(face));
    let few = few.map(|(edges, count)| edges.into_iter().take(count));
    all.into_iter().flatten().chain(few.into_iter().flatten())
}

/// The half-edges at the farthest corners, counter-clockwise, and their number. As the
/// direction turns round once, so does the farthest corner of a convex outline.
fn farthest(
    polytope: &Polytope<'_>,
    face: u32,
    border: &[u32],
) -> ([u32; OUTLINE_DIRECTIONS], usize) {
    let normal = polytope.faces[face as usize].normal;
    let (along, across) = normal.any_orthonormal_pair();
    // Counter-clockwise about the normal from `along` to `across`.
    let across = if along.cross(across).dot(normal) < 0.0 {
        -across
    } else {
        across
    };
    let mut place = 0;
    let (mut edges, mut count) = ([0; OUTLINE_DIRECTIONS], 0);
    for k in 0..OUTLINE_DIRECTIONS {
        let angle = std::f64::consts::TAU * k as f64 / OUTLINE_DIRECTIONS as f64;
        let (sin, cos) = libm::sincos(angle);
        // On a round outline the next corner is as far on as the direction has turned.
        let guess = (place + border.len() / OUTLINE_DIRECTIONS) % border.len();
        let direction = cos * along + sin * across;
        place = polytope.farthest_of_wide_face(border, direction, guess);
        let edge = border[place];
        if count == 0 || (edges[count - 1] != edge && edges[0] != edge) {
            edges[count] = edge;
            count += 1;
        }
    }
    (edges, count)
}

/// One half-plane: keeps what has `outward . p <= offset`.
fn clip_side(
    polygon: &mut Vec<ClipPoint>,
    clipped: &mut Vec<ClipPoint>,
    outward: DVec2,
    offset: f64,
    side: u32,
) {
    let beyond = |p: &ClipPoint| outward.dot(p.position) - offset;
    if polygon.iter().all(|p| beyond(p) <= 0.0) {
        return;
    }
    clipped.clear();
    let mut current = polygon[polygon.len() - 1];
    let mut current_beyond = beyond(&current);
    for &next in polygon.iter() {
        let next_beyond = beyond(&next);
        if (current_beyond <= 0.0) != (next_beyond <= 0.0) {
            let t = current_beyond / (current_beyond - next_beyond);
            let outgoing = if current_beyond <= 0.0 {
                side | REFERENCE
            } else {
                current.outgoing
            };
            clipped.push(ClipPoint {
                position: current.position + t * (next.position - current.position),
                height: current.height + t * (next.height - current.height),
                outgoing,
            });
        }
        if next_beyond <= 0.0 {
            clipped.push(next);
        }
        (current, current_beyond) = (next, next_beyond);
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
    let flat = ends.map(|end| plane.flat(end));
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
