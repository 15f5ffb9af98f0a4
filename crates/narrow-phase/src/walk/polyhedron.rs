//! A hull as the walk sees it, with searches for corners and faces of very many edges.

use drystone_geometry::Feature;
use drystone_geometry::feature::FeatureKind;
use drystone_geometry::glam::DVec3;
use drystone_geometry::hull::{Face, Fold, HalfEdge, Hull, Spoke, WingedEdge};

use super::face;
use super::fold;
use super::rim::{Part, Rim};
use super::solid::{Plane, Solid, first_of};
use crate::tolerance::MAX_RISING_ROUNDS;

/// A hull.
#[derive(Clone, Copy)]
pub(super) struct Polyhedron<'a>(pub(super) &'a Hull);

impl Polyhedron<'_> {
    /// The first to rise of very many edges. Where one has risen, an earlier one that has risen
    /// higher takes its place, until none has: each round is logarithmic, and there are few.
    /// Nothing where an edge inside a face is among them.
    #[inline(never)]
    fn first_of_many(
        &self,
        vertex: u32,
        from: DVec3,
        until: DVec3,
        rounding: f64,
    ) -> Option<Option<u32>> {
        let start = self.position(vertex);
        let (mut direction, mut share, mut first) = (until, 1.0, None);
        for _ in 0..MAX_RISING_ROUNDS {
            let height = start.dot(direction);
            let (rise, spoke) = self.0.steepest_spoke(vertex, height, direction);
            if spoke.half_edge == Spoke::INNER {
                return None;
            }
            if rise <= rounding {
                return Some(first);
            }
            let along = spoke.position.as_dvec3() - start;
            let (before, after) = (along.dot(from).min(0.0), along.dot(until));
            let earlier = before / (before - after);
            if after <= rounding || earlier >= share {
                return first.map(Some);
            }
            (share, first) = (earlier, Some(spoke.half_edge));
            direction = from + share * (until - from);
        }
        None
    }

    /// The rim that a half-edge is part of.
    #[inline]
    fn rim_of_edge(&self, half_edge: u32, part: Part) -> Option<Rim<'_>> {
        let face = self.face_at(half_edge);
        // Most faces are small: look at the count before the table.
        if self.face(face).edge_count <= face::ROUND_COUNT {
            return None;
        }
        let (border, place) = self.0.border_around(face, self.origin(half_edge))?;
        Some(Rim {
            border,
            place,
            beyond: 0.0,
            part,
        })
    }

    /// What leaves a rim along the edge from a corner to another, one of which is on it.
    fn side(&self, from: u32, to: u32) -> Part {
        let is_tip = |vertex: u32| self.0.spokes(vertex).len() > face::ROUND_COUNT as usize;
        if is_tip(to) {
            Part::Tip(self.position(to))
        } else if is_tip(from) {
            Part::Tip(self.position(from))
        } else {
            Part::Side(self.position(to) - self.position(from))
        }
    }

    /// The rim that a corner is on.
    fn rim_of_corner(&self, vertex: u32, part: Part) -> Option<Rim<'_>> {
        let (border, place) = self.0.border_at(vertex)?;
        Some(Rim {
            border,
            place,
            beyond: 0.0,
            part,
        })
    }

    /// The rim that an edge between two corners leaves.
    fn rim_beside(&self, [from, to]: [u32; 2]) -> Option<Rim<'_>> {
        let rim = self
            .rim_of_corner(from, Part::Corner)
            .or_else(|| self.rim_of_corner(to, Part::Corner))?;
        let part = self.side(from, to);
        Some(Rim { part, ..rim })
    }

    /// The best edge of a face at a corner whose steepest spoke runs inside a face.
    #[inline(never)]
    fn steepest_border(&self, vertex: u32, direction: DVec3, rise: f64) -> (f64, u32) {
        let start = self.position(vertex);
        let mut best = (0.0, Spoke::INNER);
        for spoke in self.0.spokes(vertex) {
            let along = (spoke.position.as_dvec3() - start).dot(direction);
            if spoke.half_edge != Spoke::INNER && along > best.0 {
                best = (along, spoke.half_edge);
            }
        }
        (rise, best.1)
    }
}

impl Solid for Polyhedron<'_> {
    const HAS_FACES: bool = true;

    #[inline]
    fn count(&self, kind: FeatureKind) -> usize {
        match kind {
            FeatureKind::Vertex => self.0.vertices().len(),
            FeatureKind::Edge => self.0.edge_count(),
            FeatureKind::Face => self.0.faces().len(),
        }
    }

    #[inline]
    fn position(&self, vertex: u32) -> DVec3 {
        self.0.vertices()[vertex as usize].as_dvec3()
    }

    #[inline(always)]
    fn steepest(&self, vertex: u32, height: f64, direction: DVec3) -> (f64, u32) {
        let (rise, spoke) = self.0.steepest_spoke(vertex, height, direction);
        if spoke.half_edge == Spoke::INNER && rise > 0.0 {
            return self.steepest_border(vertex, direction, rise);
        }
        (rise, spoke.half_edge)
    }

    fn first_to_rise(&self, vertex: u32, from: DVec3, until: DVec3, rounding: f64) -> Option<u32> {
        if self.0.spokes(vertex).len() > face::ROUND_COUNT as usize
            && let Some(first) = self.first_of_many(vertex, from, until, rounding)
        {
            return first;
        }
        let start = self.position(vertex);
        let edges = self.0.spokes(vertex).iter().map(|spoke| {
            let along = spoke.position.as_dvec3() - start;
            (along, spoke.half_edge)
        });
        first_of(edges, from, until, rounding)
    }

    #[inline]
    fn reach(&self, direction: DVec3, start: u32) -> f64 {
        let vertex = self.0.support_from(direction, start);
        self.position(vertex).dot(direction)
    }

    #[inline(never)]
    fn farther_than(&self, start: u32, direction: DVec3) -> u32 {
        if self.0.has_rims() {
            self.0.support_from(direction, start)
        } else {
            start
        }
    }

    #[inline]
    fn origin(&self, half_edge: u32) -> u32 {
        self.0.half_edges()[half_edge as usize].origin
    }

    #[inline(always)]
    fn ends(&self, edge: u32) -> [(u32, DVec3); 2] {
        let WingedEdge { vertices, ends, .. } = &self.0.edges()[edge as usize];
        [
            (vertices[0], ends[0].as_dvec3()),
            (vertices[1], ends[1].as_dvec3()),
        ]
    }

    #[inline(always)]
    fn wings(&self, edge: u32) -> Option<[(u32, DVec3); 2]> {
        let WingedEdge { faces, wings, .. } = &self.0.edges()[edge as usize];
        Some([
            (faces[0], wings[0].as_dvec3()),
            (faces[1], wings[1].as_dvec3()),
        ])
    }

    #[inline(always)]
    fn triangle(&self, face: &Face) -> [DVec3; 3] {
        let WingedEdge { ends, wings, .. } = &self.0.edges()[face.first_edge as usize / 2];
        let left = face.first_edge as usize % 2;
        [
            ends[left].as_dvec3(),
            ends[1 - left].as_dvec3(),
            wings[left].as_dvec3(),
        ]
    }

    #[inline]
    fn face_at(&self, half_edge: u32) -> u32 {
        self.0.edges()[half_edge as usize / 2].faces[half_edge as usize % 2]
    }

    #[inline]
    fn half_edge(&self, half_edge: u32) -> HalfEdge {
        self.0.half_edges()[half_edge as usize]
    }

    #[inline]
    fn face(&self, face: u32) -> &Face {
        &self.0.faces()[face as usize]
    }

    #[inline]
    fn wide_face(&self, face: u32) -> Option<&[u32]> {
        // Most faces of most hulls are triangles: look at the count before the table.
        if self.0.faces()[face as usize].edge_count <= face::ROUND_COUNT {
            return None;
        }
        self.0.wide_face(face)
    }

    #[inline(never)]
    fn radius_within(&self, face: u32, point: DVec3) -> f64 {
        self.0
            .ellipse_in(face)
            .map_or(0.0, |ellipse| ellipse.radius_around(point))
    }

    #[inline]
    fn has_rims(&self) -> bool {
        self.0.has_rims()
    }

    #[inline]
    fn longest_rim(&self) -> usize {
        self.0.longest_rim()
    }

    fn rim(&self, feature: Feature) -> Option<Rim<'_>> {
        let index = feature.index();
        match feature.kind() {
            FeatureKind::Vertex => self.rim_of_corner(index, Part::Corner),
            FeatureKind::Edge => {
                let half_edges = [2 * index, 2 * index + 1];
                let on_rim = half_edges
                    .into_iter()
                    .find_map(|half_edge| self.rim_of_edge(half_edge, Part::Edge));
                on_rim
                    .or_else(|| self.rim_beside(half_edges.map(|half_edge| self.origin(half_edge))))
            }
            FeatureKind::Face => {
                let face = self.face(index);
                let mut half_edge = face.first_edge;
                if face.edge_count > face::ROUND_COUNT {
                    return None;
                }
                for _ in 0..face.edge_count {
                    let next = self.half_edge(half_edge).next;
                    if let Some(rim) = self.rim_of_edge(half_edge ^ 1, Part::Edge) {
                        let part = self.side(self.origin(next), self.origin(next ^ 1));
                        return Some(Rim { part, ..rim });
                    }
                    half_edge = next;
                }
                None
            }
        }
    }

    #[inline]
    fn plane_under(&self, face: u32, point: DVec3) -> Plane {
        let plane = &self.0.faces()[face as usize];
        match self.0.fold(face) {
            None => Plane::of(plane, 0.0),
            Some(fold) => fold::plane_under(self.0, &fold, point)
                .unwrap_or_else(|| Plane::of(plane, self.0.flatness())),
        }
    }

    fn fold(&self, face: u32) -> Option<(&Hull, Fold<'_>)> {
        self.0.fold(face).map(|fold| (self.0, fold))
    }
}
