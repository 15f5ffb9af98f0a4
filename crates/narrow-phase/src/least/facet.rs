//! The facet of a depth, and how far around its direction its corners bound the depth.

use drystone_geometry::Separation;
use drystone_geometry::feature::FeatureKind;
use drystone_geometry::glam::DVec3;
use drystone_geometry::hull::Polytope;

use super::bend::Shown;
use crate::convex::{Core, Pair};
use crate::extremes::{larger, smaller};
use crate::tolerance::{FARTHEST_BENT, FARTHEST_RIM, RIM_SHARE, RING_BULGE};

/// Most corners of a facet that bound the depth around it.
const MAX_FACET: usize = 8;

/// Most meridians of a rim.
pub(super) const MAX_COLUMNS: usize = 2 * MAX_FACET;

/// The facet of D that carries a depth.
pub(super) struct Facet {
    /// Unit, outward of D: from B to A.
    outward: DVec3,
    /// Its corners, seen from the foot of the origin, counter-clockwise.
    corners: [DVec3; MAX_FACET],
    /// The same, seen from the origin.
    points: [DVec3; MAX_FACET],
    count: usize,
}

impl Facet {
    /// Nothing when the corners are less deep than `level`.
    pub(super) fn of(pair: &Pair<'_>, core: &Separation, level: f64) -> Option<Self> {
        let outward = -core.normal;
        let mut facet = Self {
            outward,
            corners: [DVec3::ZERO; MAX_FACET],
            points: [DVec3::ZERO; MAX_FACET],
            count: 0,
        };
        facet.collect(pair, core)?;
        facet.points = facet.corners;
        let polygon = &mut facet.corners[..facet.count];
        for corner in polygon.iter_mut() {
            let height = corner.dot(outward);
            if height < level {
                return None;
            }
            *corner -= height * outward;
        }
        let turn = (polygon[1] - polygon[0]).cross(polygon[2] - polygon[1]);
        if turn.dot(outward) < 0.0 {
            polygon.reverse();
            facet.points[..facet.count].reverse();
        }
        Some(facet)
    }

    /// Takes the corners of the facet of D that two features make, one polygon in order round
    /// either way. Of very many those farthest in evenly spread directions.
    fn collect(&mut self, pair: &Pair<'_>, core: &Separation) -> Option<()> {
        use FeatureKind::{Edge, Face, Vertex};
        let (a, b) = (core.feature_a, core.feature_b);
        let on_b = |vertex: u32| pair.b_in_a.transform_point(pair.b.position(vertex));
        match (a.kind(), b.kind()) {
            (Edge, Edge) => {
                let ([a0, a1], [b0, b1]) =
                    (pair.a.edge_ends(a.index()), pair.b.edge_ends(b.index()));
                let (a0, a1) = (pair.a.position(a0), pair.a.position(a1));
                let (b0, b1) = (on_b(b0), on_b(b1));
                self.corners[..4].copy_from_slice(&[b0 - a0, b1 - a0, b1 - a1, b0 - a1]);
                self.count = 4;
            }
            (Vertex, Face) => {
                let point = pair.a.position(a.index());
                self.count =
                    each_corner(&pair.b, b.index(), &mut self.corners, |v| on_b(v) - point)?;
            }
            (Face, Vertex) => {
                let point = on_b(b.index());
                self.count = each_corner(&pair.a, a.index(), &mut self.corners, |v| {
                    point - pair.a.position(v)
                })?;
            }
            _ => return None,
        }
        Some(())
    }

    fn edge(&self, i: usize) -> (DVec3, DVec3) {
        let next = if i + 1 < self.count { i + 1 } else { 0 };
        (self.corners[i], self.corners[next])
    }

    /// Whether a disc of this radius around the foot lies inside.
    pub(super) fn holds_ball(&self, radius: f64) -> bool {
        (0..self.count).all(|i| {
            let (from, to) = self.edge(i);
            let across = (to - from).cross(self.outward);
            let distance = across.dot(from);
            distance >= 0.0 && distance * distance >= radius * radius * across.length_squared()
        })
    }

    /// What the corners bound.
    ///
    /// A corner at `x` from the foot reaches `depth cos + (x . v) sin` along a direction
    /// at an angle from the facet's towards `v`. That is at least the depth up to half an angle
    /// whose tangent is `x . v / depth`, and over the sector between the normals of the
    /// corner's two edges `x . v` is at least the distance of the foot from them.
    ///
    /// Nothing for a facet without extent.
    pub(super) fn rim(&self, depth: f64, tolerance: f64) -> Option<Rim> {
        let mut rim = Rim {
            outward: self.outward,
            columns: [Column::default(); MAX_COLUMNS],
            count: 0,
            ring: (0.0, 0.0),
        };
        let edge_normal = |i: usize| {
            let (from, to) = self.edge(i);
            (to - from).cross(self.outward).try_normalize()
        };
        let mut azimuth = edge_normal(0)?;
        for i in 0..self.count {
            let (corner, next_corner) = self.edge(i);
            let next = edge_normal(if i + 1 < self.count { i + 1 } else { 0 })?;
            rim.push(azimuth, azimuth.dot(corner) / depth, self.points[i]);
            // Not more than a quarter turn from one to the next.
            if azimuth.dot(next) < 0.5 {
                let between = (azimuth + next).try_normalize()?;
                let next = self.points[if i + 1 < self.count { i + 1 } else { 0 }];
                rim.push(between, between.dot(next_corner) / depth, next);
            }
            azimuth = next;
        }
        // Whatever the facet, its foot bounds the depth by its cosine.
        let free = (0.5 * tolerance / depth).sqrt().min(FARTHEST_RIM);
        if rim.columns().iter().any(|column| column.tangent < free) {
            for column in &mut rim.columns {
                column.tangent = free;
            }
        }
        Some(rim)
    }
}

/// What the corners of a facet bound: a polygon of directions around the facet's own.
pub(super) struct Rim {
    /// Unit, outward of D: from B to A.
    pub(super) outward: DVec3,
    columns: [Column; MAX_COLUMNS],
    count: usize,
    /// Angles, as the tangents of half of them, between which all is bounded as well.
    pub(super) ring: (f64, f64),
}

impl Rim {
    fn push(&mut self, azimuth: DVec3, tangent: f64, corner: DVec3) {
        self.columns[self.count] = Column {
            azimuth,
            tangent: (RIM_SHARE * tangent).clamp(0.0, FARTHEST_RIM),
            corner,
        };
        self.count += 1;
    }

    /// Takes in what else is bounded, whatever the azimuth.
    pub(super) fn widen(&mut self, shown: &Shown) {
        let within = |square: f64| RIM_SHARE * smaller(square.sqrt(), FARTHEST_BENT);
        for column in &mut self.columns[..self.count] {
            column.tangent = larger(column.tangent, within(shown.near_sq));
        }
        self.ring = (shown.ring_sq.0.sqrt(), within(shown.ring_sq.1));
    }

    /// Writes where a ring of cells crosses the meridians.
    pub(super) fn draw(&self, tangent: f64, places: &mut [DVec3; MAX_COLUMNS]) {
        for (place, column) in places.iter_mut().zip(self.columns()) {
            *place = column.at(self.outward, column.on_ring(tangent));
        }
    }

    pub(super) fn columns(&self) -> &[Column] {
        &self.columns[..self.count]
    }
}

/// A meridian from the proved direction to the opposite one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Column {
    /// Unit, square to the proved direction.
    pub(super) azimuth: DVec3,
    /// Up to where the facet's own corners bound the depth: tangent of half the angle.
    pub(super) tangent: f64,
    /// The corner of the facet that bounds the depth between the meridian before and this one.
    pub(super) corner: DVec3,
}

impl Column {
    /// Where a ring of cells crosses the meridian: the tangent of half the angle for a ring at
    /// `tangent`. A meridian bounded far out draws the ring outwards, a little: cells that reached
    /// from a near bound to a far one would be long, and long cells are cut many times.
    pub(super) fn on_ring(&self, tangent: f64) -> f64 {
        tangent.max(self.tangent.min(RING_BULGE * tangent))
    }

    /// The direction at an angle, given as the tangent of half of it.
    pub(super) fn at(&self, outward: DVec3, tangent: f64) -> DVec3 {
        let square = tangent * tangent;
        let scale = 1.0 / (1.0 + square);
        (1.0 - square) * scale * outward + 2.0 * tangent * scale * self.azimuth
    }
}

/// Writes where the corners of a face go, or some of very many, and tells how many they are.
#[inline]
fn each_corner(
    core: &Core<'_>,
    face: u32,
    corners: &mut [DVec3; MAX_FACET],
    place: impl Fn(u32) -> DVec3,
) -> Option<usize> {
    let polytope = core.polytope()?;
    let plane = &polytope.faces[face as usize];
    let count = plane.edge_count as usize;
    if count > MAX_FACET {
        let (vertices, count) = spread_corners(&polytope, face)?;
        for (corner, vertex) in corners.iter_mut().zip(&vertices[..count]) {
            *corner = place(*vertex);
        }
        return Some(count);
    }
    let mut edge = plane.first_edge;
    for corner in &mut corners[..count] {
        let half_edge = polytope.half_edges[edge as usize];
        *corner = place(half_edge.origin);
        edge = half_edge.next;
    }
    Some(count)
}

/// Those of the corners of a face that are farthest in evenly spread directions.
fn spread_corners(polytope: &Polytope<'_>, face: u32) -> Option<([u32; MAX_FACET], usize)> {
    let outline = polytope.outline(face)?;
    let (mut vertices, mut count) = ([0; MAX_FACET], 0);
    for &edge in outline.iter().step_by(outline.len() / MAX_FACET) {
        let vertex = polytope.origin(edge);
        if count == 0 || (vertices[count - 1] != vertex && vertices[0] != vertex) {
            vertices[count] = vertex;
            count += 1;
        }
    }
    (count >= 3).then_some((vertices, count))
}
