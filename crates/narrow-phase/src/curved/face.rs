//! Where a point is over a flat face of a figure.

use drystone_geometry::Feature;
use drystone_geometry::glam::DVec3;
use drystone_geometry::shape::curved::Curved;

use super::Figure;
use super::side::Side;
use crate::tolerance::MAX_COMPARED_FACES;

/// Where a point is over a face.
pub(super) enum Over {
    /// Over it: this far from its border, and how far its corners fall short of its plane, both
    /// in metres.
    Face(f64, f64),
    /// Beyond this edge.
    Edge(Feature),
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
