//! A triangle as a polytope, on the stack: two faces back to back, three corners.
//!
//! Face 0 is counter-clockwise around the corners in order, face 1 its back. Edge `e` runs
//! from corner `e` to the next; half-edge `2 e` borders face 0, `2 e + 1` its back.

use glam::{DVec3, Vec3};

use crate::hull::{Face, HalfEdge, Polytope, Sector};

/// The corners and the two planes of a triangle; its topology is a table.
#[derive(Clone, Copy, Debug)]
pub struct TrianglePolytope {
    vertices: [Vec3; 3],
    faces: [Face; 2],
}

const HALF_EDGES: [HalfEdge; 6] = [
    half_edge(0, 2, 0),
    half_edge(1, 5, 1),
    half_edge(1, 4, 0),
    half_edge(2, 1, 1),
    half_edge(2, 0, 0),
    half_edge(0, 3, 1),
];
const RING_STARTS: [u32; 4] = [0, 2, 4, 6];
const RING: [Sector; 6] = [
    sector(0),
    sector(5),
    sector(2),
    sector(1),
    sector(4),
    sector(3),
];

const fn half_edge(origin: u32, next: u32, face: u32) -> HalfEdge {
    HalfEdge { origin, next, face }
}

const fn sector(half_edge: u32) -> Sector {
    Sector {
        half_edge,
        face: HALF_EDGES[half_edge as usize].face,
    }
}

impl TrianglePolytope {
    /// The triangle of three finite points. Points on one line have some normal at a right
    /// angle to it.
    pub fn new(points: [Vec3; 3]) -> Self {
        let normal = normal(points);
        let offset = points
            .iter()
            .map(|point| normal.dot(point.as_dvec3()))
            .fold(f64::NEG_INFINITY, f64::max);
        let back = points
            .iter()
            .map(|point| -normal.dot(point.as_dvec3()))
            .fold(f64::NEG_INFINITY, f64::max);
        let face = |normal, offset, first_edge| Face {
            normal,
            offset,
            first_edge,
            edge_count: 3,
        };
        Self {
            vertices: points,
            faces: [face(normal, offset, 0), face(-normal, back, 1)],
        }
    }

    /// The triangle as the narrow phase walks it.
    #[inline]
    pub fn polytope(&self) -> Polytope<'_> {
        Polytope {
            vertices: &self.vertices,
            faces: &self.faces,
            half_edges: &HALF_EDGES,
            ring_starts: &RING_STARTS,
            ring: &RING,
            around: None,
        }
    }

    /// The corners.
    #[inline]
    pub fn points(&self) -> &[Vec3; 3] {
        &self.vertices
    }
}

/// Unit, counter-clockwise; at a right angle to the longest edge when there is no area, and
/// +Y for a single point.
pub fn normal(points: [Vec3; 3]) -> DVec3 {
    let [a, b, c] = points.map(|point| point.as_dvec3());
    // The two shorter edges meet at the widest angle, where their product is most exact.
    let edges = [b - a, c - b, a - c];
    let mut longest = 0;
    for edge in 1..3 {
        if edges[edge].length_squared() > edges[longest].length_squared() {
            longest = edge;
        }
    }
    let size = edges[longest].length();
    if size <= 0.0 {
        return DVec3::Y;
    }
    let (first, second) = (edges[(longest + 1) % 3], edges[(longest + 2) % 3]);
    let cross = (first / size).cross(second / size);
    let length = cross.length();
    if length > 0.0 {
        cross / length
    } else {
        (edges[longest] / size).any_orthonormal_vector()
    }
}
