//! Where a point is over a face of a figure, and the contact there.

use drystone_geometry::Feature;
use drystone_geometry::glam::DVec3;
use drystone_geometry::shape::curved::Curved;

use super::Figure;
use super::depth::Reach;
use super::side::Side;
use super::track::{Contact, State, ordered};
use crate::convex::Core;
use crate::tolerance::{MAX_COMPARED_FACES, MAX_FOLD_TURNS};
use crate::walk::plane_under;

/// Where a point is over a face.
pub(super) enum Over {
    /// Over it: this far from its border, and how far its corners fall short of its plane, by
    /// which a point on the plane may lie off the shape; both in metres.
    Face(f64, f64),
    /// Beyond this edge.
    Edge(Feature),
}

/// What is below a point over a face.
struct Under {
    /// Unit, A to B, in A's frame.
    normal: DVec3,
    /// In A's frame, on the surface.
    foot: DVec3,
    /// Of the point above the foot, in metres.
    height: f64,
}

impl Side<'_> {
    /// Where a point in A's frame is over a face, seen along its normal. Nothing for faces of
    /// very many edges.
    pub(super) fn over(&self, face: Feature, point: DVec3) -> Option<Over> {
        let own = self
            .place
            .map_or(point, |frame| frame.inverse_transform_point(point));
        let core = match self.figure {
            Figure::Core(core) => core,
            Figure::Curved(Curved::Cylinder { radius, .. } | Curved::Cone { radius, .. }) => {
                let room = radius - (own.x * own.x + own.z * own.z).sqrt();
                return Some(if room >= 0.0 {
                    Over::Face(room, 0.0)
                } else {
                    Over::Edge(Feature::edge(face.index()))
                });
            }
            Figure::Curved(Curved::Ellipsoid(_)) => return None,
        };
        let polytope = core.polytope()?;
        let plane = &polytope.faces[face.index() as usize];
        if plane.edge_count as usize > MAX_COMPARED_FACES {
            return None;
        }
        let (mut least, mut nearest) = (f64::INFINITY, face);
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for half_edge in polytope.face_edges(face.index()) {
            let from = polytope.position(polytope.origin(half_edge));
            let along = polytope.position(polytope.target(half_edge)) - from;
            let inward = plane.normal.cross(along);
            let room = inward.dot(own - from) / inward.length();
            if room < least {
                (least, nearest) = (room, Feature::edge(half_edge / 2));
            }
            let height = plane.normal.dot(from);
            (low, high) = (low.min(height), high.max(height));
        }
        Some(if least >= 0.0 {
            Over::Face(least, high - low)
        } else {
            Over::Edge(nearest)
        })
    }

    /// The foot of a point in A's frame on the triangle below it, of a face whose triangles lie in
    /// different planes; nothing for others.
    fn under(&self, face: Feature, point: DVec3) -> Option<Under> {
        let Figure::Core(Core::Hull(hull)) = self.figure else {
            return None;
        };
        let fold = hull.fold(face.index())?;
        let own = self
            .place
            .map_or(point, |frame| frame.inverse_transform_point(point));
        let plane = plane_under(hull, &fold, own)?;
        let height = plane.normal.dot(own) - plane.offset + plane.flatness;
        Some(Under {
            normal: self.normal(plane.normal),
            foot: self.placed(own - height * plane.normal),
            height,
        })
    }

    /// The middle of a face, in A's frame.
    pub(super) fn middle(&self, face: Feature) -> Option<DVec3> {
        let own = match self.figure {
            Figure::Core(core) => {
                let polytope = core.polytope()?;
                let (mut sum, mut count) = (DVec3::ZERO, 0.0);
                for half_edge in polytope.face_edges(face.index()) {
                    sum += polytope.position(polytope.origin(half_edge));
                    count += 1.0;
                }
                sum / count
            }
            Figure::Curved(
                Curved::Cylinder { half_height, .. } | Curved::Cone { half_height, .. },
            ) => {
                let is_top = face.index() == 1;
                DVec3::new(0.0, if is_top { *half_height } else { -half_height }, 0.0)
            }
            Figure::Curved(Curved::Ellipsoid(_)) => return None,
        };
        Some(self.placed(own))
    }
}

impl State<'_> {
    /// The contact of a face of side `i` whose triangles lie in different planes with the other
    /// side, whose farthest point is over it, `room` metres from its border.
    ///
    /// Its depth is the least of all for the reasons in [`super::depth`]. Along a direction at an
    /// angle `t` the face reaches `room sin t` farther but for what its corners lie lower, `sag`,
    /// and what its normal is off that of the triangle, `p`: at least half as far from
    /// `t = 2 (p + sag / room)` on, and below that `1 - cos t` is next to nothing.
    pub(super) fn on_fold(&self, i: usize, room: f64, sag: f64, point: DVec3) -> Option<Contact> {
        let (own, other) = (self.sides[i], self.sides[1 - i]);
        let (face, hint) = (self.features[i], other.hint(self.features[1 - i]));
        let mut on_other = point;
        let mut under = own.under(face, on_other)?;
        for _ in 0..MAX_FOLD_TURNS {
            on_other = other.support(under.normal, hint);
            let next = own.under(face, on_other)?;
            let is_same = next.normal == under.normal;
            under = next;
            if is_same {
                break;
            }
        }
        let Under {
            normal,
            foot,
            height,
        } = under;
        let bend = 2.0 * (normal.cross(self.normal).length() + sag / room);
        let depth = (-height).max(0.0);
        let reach = Reach::around(normal).all_round(0.5 * room);
        Some(Contact {
            points: ordered(i, foot, on_other),
            features: self.features,
            normal,
            gap: height,
            reach: reach.less(0.5 * depth * bend * bend),
        })
    }
}
