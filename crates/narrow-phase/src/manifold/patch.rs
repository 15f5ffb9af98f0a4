//! What a shape shows towards a direction: a face, a line or a point, of flat and of curved
//! shapes alike, and how one is clipped against another.
//!
//! A cap of a cylinder or cone is a regular polygon on its rim that turns with the shape, so
//! that its corners stay what they are from frame to frame; the point of the rim that is
//! deepest is added as it is.
//!
//! Sutherland and Hodgman 1974.

use std::sync::LazyLock;

use drystone_geometry::glam::DVec3;
use drystone_geometry::shape::curved::Curved;
use drystone_geometry::{Feature, Frame};

use super::Draft;
use crate::convex::{Core, NO_HINT, aligned_face, incident_face};
use crate::curved::Figure;
use crate::tolerance::{CAP_CORNERS, CAP_COSINE, FACE_WORTH_TRYING, FLAT_CAP_COSINE};

/// Marks a side of the reference face.
const REFERENCE: u32 = 1 << 31;

/// The number of the deepest point of a rim, wherever it is.
const RIM_POINT: u32 = 2 * CAP_CORNERS + 2;

/// A corner of a patch, in A's frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Corner {
    /// Where it is.
    pub(crate) position: DVec3,
    /// Its number in its shape.
    pub(crate) vertex: u32,
    /// The side that leaves it: of its shape, or marked.
    outgoing: u32,
}

/// A face that may carry a contact: its unit normal in the shape's frame, and which it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FlatFace {
    /// Outward.
    pub(crate) normal: DVec3,
    /// Its number.
    pub(crate) face: u32,
}

/// The flat face nearest to the unit `outward`, if it is worth trying.
pub(crate) fn flat_face(figure: &Figure<'_>, outward: DVec3) -> Option<FlatFace> {
    let found = match figure {
        Figure::Core(core) => {
            let polytope = core.polytope()?;
            let face = aligned_face(&polytope, &[core.support(outward, NO_HINT)], outward);
            FlatFace {
                normal: polytope.faces[face as usize].normal,
                face,
            }
        }
        Figure::Curved(Curved::Cylinder { .. }) => FlatFace {
            normal: DVec3::Y * 1f64.copysign(outward.y),
            face: u32::from(outward.y > 0.0),
        },
        Figure::Curved(Curved::Cone { .. }) => FlatFace {
            normal: DVec3::NEG_Y,
            face: 0,
        },
        Figure::Curved(Curved::Ellipsoid(_)) => return None,
    };
    (found.normal.dot(outward) >= FACE_WORTH_TRYING).then_some(found)
}

/// Writes what a figure shows towards the unit `outward`, both in its own frame, as corners
/// in A's frame: counter-clockwise for a face, two for a line, one for a point. `sunk` is how far it
/// overlaps what it is shown to, in metres.
pub(crate) fn show(
    figure: &Figure<'_>,
    outward: DVec3,
    sunk: f64,
    frame: &Frame,
    out: &mut Vec<Corner>,
) {
    out.clear();
    let mut add = |position: DVec3, vertex: u32, outgoing: u32| {
        out.push(Corner {
            position: frame.transform_point(position),
            vertex,
            outgoing,
        });
    };
    match figure {
        Figure::Core(core) => match (core, core.polytope()) {
            (_, Some(polytope)) => {
                let face = incident_face(&polytope, core.support(outward, NO_HINT), outward);
                for half_edge in polytope.face_edges(face) {
                    let origin = polytope.origin(half_edge);
                    add(polytope.position(origin), origin, half_edge / 2);
                }
            }
            (Core::Segment(_), None) => {
                add(core.position(0), 0, 0);
                add(core.position(1), 1, 0);
            }
            (_, None) => add(core.position(0), 0, 0),
        },
        Figure::Curved(solid) => match *solid {
            Curved::Cylinder {
                half_height,
                radius,
            } if is_cap_shown(outward.y.abs(), radius, sunk) => {
                cap(radius, half_height.copysign(outward.y), &mut add);
            }
            Curved::Cone {
                half_height,
                radius,
            } if is_cap_shown(-outward.y, radius, sunk) => cap(radius, -half_height, &mut add),
            Curved::Cylinder { .. } if outward.y.abs() >= CAP_COSINE => {
                add(solid.support(outward), RIM_POINT, 0);
            }
            Curved::Cone { .. } if -outward.y >= CAP_COSINE => {
                add(solid.support(outward), RIM_POINT, 0);
            }
            Curved::Ellipsoid(_) => add(solid.support(outward), 0, 0),
            Curved::Cylinder { .. } | Curved::Cone { .. } => {
                let [bottom, top] = side_line(solid, outward);
                add(bottom, 2 * CAP_CORNERS, 2 * CAP_CORNERS);
                add(top, 2 * CAP_CORNERS + 1, 2 * CAP_CORNERS);
            }
        },
    }
}

/// Whether more of a cap may touch than one point of its rim: it is nearly level, or its middle has
/// sunk in too.
fn is_cap_shown(cosine: f64, radius: f64, sunk: f64) -> bool {
    let rise = radius * (1.0 - cosine * cosine).max(0.0).sqrt();
    cosine >= FLAT_CAP_COSINE || (cosine >= CAP_COSINE && sunk >= rise)
}

/// Writes a patch of one point, the deepest of a rim.
pub(crate) fn single(position: DVec3, out: &mut Vec<Corner>) {
    out.clear();
    out.push(Corner {
        position,
        vertex: RIM_POINT,
        outgoing: 0,
    });
}

/// The corners of a cap at height `y`, counter-clockwise from outside.
fn cap(radius: f64, y: f64, add: &mut impl FnMut(DVec3, u32, u32)) {
    let first = if y > 0.0 { CAP_CORNERS } else { 0 };
    for step in 0..CAP_CORNERS {
        // Seen from above, turning from Z to X is counter-clockwise.
        let corner = if y > 0.0 {
            step
        } else {
            CAP_CORNERS - 1 - step
        };
        let [sin, cos] = CIRCLE[corner as usize];
        let position = DVec3::new(radius * sin, y, radius * cos);
        add(position, first + corner, first + corner);
    }
}

/// The line on the side of a cylinder or cone towards `outward`, from bottom to top.
pub(crate) fn side_line(solid: &Curved, outward: DVec3) -> [DVec3; 2] {
    let across = DVec3::new(outward.x, 0.0, outward.z).normalize_or(DVec3::X);
    let at = |radius: f64, y: f64| across * radius + DVec3::new(0.0, y, 0.0);
    match *solid {
        Curved::Cylinder {
            half_height,
            radius,
        } => [at(radius, -half_height), at(radius, half_height)],
        Curved::Cone {
            half_height,
            radius,
        } => [at(radius, -half_height), at(0.0, half_height)],
        Curved::Ellipsoid(_) => [solid.support(outward); 2],
    }
}

/// Sine and cosine of the angles of a cap's corners.
static CIRCLE: LazyLock<[[f64; 2]; CAP_CORNERS as usize]> = LazyLock::new(|| {
    std::array::from_fn(|corner| {
        let angle = std::f64::consts::TAU * corner as f64 / f64::from(CAP_CORNERS);
        let (sin, cos) = libm::sincos(angle);
        [sin, cos]
    })
});

/// A point of the incident patch over the reference face.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Over {
    /// On the incident shape, in A's frame.
    pub(crate) point: DVec3,
    /// Above the reference plane, in metres.
    pub(crate) height: f64,
    /// Feature of the reference shape.
    pub(crate) reference: Feature,
    /// Feature of the incident shape.
    pub(crate) incident: Feature,
}

/// A face to clip against, in A's frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Face<'a> {
    /// Counter-clockwise seen along `normal`.
    pub(crate) corners: &'a [Corner],
    /// Unit, outward.
    pub(crate) normal: DVec3,
    /// Its feature.
    pub(crate) feature: Feature,
    /// Metres by which it is grown.
    pub(crate) growth: f64,
}

impl Face<'_> {
    /// How far a point is above the face's plane, in metres.
    pub(crate) fn height(&self, point: DVec3) -> f64 {
        self.normal.dot(point - self.corners[0].position)
    }

    /// Tells how far points are beyond a side, less the growth; nothing for a side without length.
    fn beyond(&self, side: usize) -> Option<impl Fn(DVec3) -> f64> {
        let from = self.corners[side].position;
        let to = self.corners[(side + 1) % self.corners.len()].position;
        let out = (to - from).cross(self.normal);
        let (length, growth) = (out.length(), self.growth);
        (length > 0.0).then_some(move |point| out.dot(point - from) / length - growth)
    }

    /// Clips what a shape shows and tells the points that are left.
    ///
    /// `polygon` holds the patch and is used up; `spare` is a buffer.
    pub(crate) fn clip(
        &self,
        polygon: &mut Vec<Corner>,
        spare: &mut Vec<Corner>,
        mut tell: impl FnMut(Over),
    ) {
        match polygon.len() {
            0 => {}
            1 => self.clip_point(polygon[0], tell),
            2 => self.clip_line(polygon[0], polygon[1], tell),
            _ => {
                for side in 0..self.corners.len() {
                    self.cut(side, polygon, spare);
                    if polygon.is_empty() {
                        return;
                    }
                }
                for (index, corner) in polygon.iter().enumerate() {
                    let previous = polygon[(index + polygon.len() - 1) % polygon.len()];
                    tell(self.over(corner, previous.outgoing));
                }
            }
        }
    }

    fn clip_point(&self, corner: Corner, mut tell: impl FnMut(Over)) {
        let is_outside = (0..self.corners.len()).any(|side| {
            self.beyond(side)
                .is_some_and(|beyond| beyond(corner.position) > 0.0)
        });
        if !is_outside {
            tell(Over {
                point: corner.position,
                height: self.height(corner.position),
                reference: self.feature,
                incident: Feature::vertex(corner.vertex),
            });
        }
    }

    fn clip_line(&self, from: Corner, to: Corner, mut tell: impl FnMut(Over)) {
        let mut enter = (0.0, self.feature, Feature::vertex(from.vertex));
        let mut leave = (1.0, self.feature, Feature::vertex(to.vertex));
        let line = Feature::edge(from.outgoing);
        for side in 0..self.corners.len() {
            let Some(beyond) = self.beyond(side) else {
                continue;
            };
            let (start, end) = (beyond(from.position), beyond(to.position));
            let edge = Feature::edge(self.corners[side].outgoing);
            if start > 0.0 && end > 0.0 {
                return;
            }
            let share = start / (start - end);
            if start > 0.0 && share > enter.0 {
                enter = (share, edge, line);
            } else if end > 0.0 && share < leave.0 {
                leave = (share, edge, line);
            }
        }
        if enter.0 > leave.0 {
            return;
        }
        for (share, reference, incident) in [enter, leave] {
            let point = from.position + share * (to.position - from.position);
            tell(Over {
                point,
                height: self.height(point),
                reference,
                incident,
            });
        }
    }

    /// Leaves of a polygon what is not beyond a side. `kept` is a buffer.
    fn cut(&self, side: usize, polygon: &mut Vec<Corner>, kept: &mut Vec<Corner>) {
        let Some(beyond) = self.beyond(side) else {
            return;
        };
        if polygon.iter().all(|corner| beyond(corner.position) <= 0.0) {
            return;
        }
        kept.clear();
        let mut there = beyond(polygon[0].position);
        for (index, &corner) in polygon.iter().enumerate() {
            let next = polygon[(index + 1) % polygon.len()];
            let here = there;
            there = beyond(next.position);
            if here <= 0.0 {
                kept.push(corner);
            }
            if (here <= 0.0) != (there <= 0.0) {
                let share = here / (here - there);
                let is_leaving = here <= 0.0;
                kept.push(Corner {
                    position: corner.position + share * (next.position - corner.position),
                    vertex: corner.vertex,
                    outgoing: if is_leaving {
                        REFERENCE | side as u32
                    } else {
                        corner.outgoing
                    },
                });
            }
        }
        std::mem::swap(polygon, kept);
    }

    fn over(&self, corner: &Corner, incoming: u32) -> Over {
        let side = |marked: u32| self.corners[(marked & !REFERENCE) as usize];
        let (reference, incident) =
            match (incoming & REFERENCE != 0, corner.outgoing & REFERENCE != 0) {
                (false, false) => (self.feature, Feature::vertex(corner.vertex)),
                (false, true) => (
                    Feature::edge(side(corner.outgoing).outgoing),
                    Feature::edge(incoming),
                ),
                (true, false) => (
                    Feature::edge(side(incoming).outgoing),
                    Feature::edge(corner.outgoing),
                ),
                (true, true) => (
                    Feature::vertex(side(corner.outgoing).vertex),
                    Feature::face(0),
                ),
            };
        Over {
            point: corner.position,
            height: self.height(corner.position),
            reference,
            incident,
        }
    }
}

impl Draft {
    /// Buffers for three patches, kept between pairs.
    pub(crate) fn take_patches(&mut self) -> [Vec<Corner>; 3] {
        std::mem::take(&mut self.patches)
    }

    /// Gives them back.
    pub(crate) fn return_patches(&mut self, patches: [Vec<Corner>; 3]) {
        self.patches = patches;
    }
}
