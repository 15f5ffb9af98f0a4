//! A box as a polytope, on the stack: the same view the narrow phase has of a hull.
//!
//! Vertices are numbered by sign bits: x = 1, y = 2, z = 4, a set bit meaning positive.
//! Face `2 a` looks along minus axis `a`, face `2 a + 1` along plus. Edges `4 a` to
//! `4 a + 3` run along axis `a`; the last two bits count through the sides of the next two
//! axes (`a + 1`, then `a + 2`, cyclic). Half-edge `2 e` runs in the positive direction.

use glam::{DVec3, Vec3};

use crate::hull::{Face, HalfEdge, Polytope, Sector};

/// The corners and face planes of a box; its topology is a table.
#[derive(Clone, Copy, Debug)]
pub struct BoxPolytope {
    vertices: [Vec3; 8],
    faces: [Face; 6],
}

impl BoxPolytope {
    /// A box around the origin. `half_extents` must be positive and finite.
    #[inline]
    pub fn new(half_extents: Vec3) -> Self {
        let mut vertices = [Vec3::ZERO; 8];
        for (index, vertex) in vertices.iter_mut().enumerate() {
            *vertex = corner(half_extents, index);
        }
        let h = half_extents.as_dvec3();
        Self {
            vertices,
            faces: [
                face(DVec3::NEG_X, h.x, 0),
                face(DVec3::X, h.x, 1),
                face(DVec3::NEG_Y, h.y, 2),
                face(DVec3::Y, h.y, 3),
                face(DVec3::NEG_Z, h.z, 4),
                face(DVec3::Z, h.z, 5),
            ],
        }
    }

    /// The box as the narrow phase walks it.
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
}

/// The corner with these sign bits.
#[inline]
pub(super) fn corner(half_extents: Vec3, index: usize) -> Vec3 {
    let signed = |axis: usize| {
        let h = half_extents[axis];
        if index >> axis & 1 == 1 { h } else { -h }
    };
    Vec3::new(signed(0), signed(1), signed(2))
}

#[inline]
fn face(normal: DVec3, offset: f64, index: usize) -> Face {
    Face {
        normal,
        offset,
        first_edge: FIRST_EDGES[index],
        edge_count: 4,
    }
}

/// The edge along `axis` on the given sides (0 or 1) of the next two axes.
const fn edge(axis: usize, side_1: usize, side_2: usize) -> u32 {
    (4 * axis + 2 * side_2 + side_1) as u32
}

/// The half-edge that leaves `vertex` along `axis`.
const fn leaving(vertex: usize, axis: usize) -> u32 {
    let side_1 = vertex >> ((axis + 1) % 3) & 1;
    let side_2 = vertex >> ((axis + 2) % 3) & 1;
    2 * edge(axis, side_1, side_2) + (vertex >> axis & 1) as u32
}

const HALF_EDGES: [HalfEdge; 24] = half_edges();
const FIRST_EDGES: [u32; 6] = first_edges();
const RING: [Sector; 24] = ring();
const RING_STARTS: [u32; 9] = [0, 3, 6, 9, 12, 15, 18, 21, 24];

/// The axis along which the boundary of a face goes on after an edge along `axis`: the one
/// that is neither the edge's nor the face's.
const fn other_axis(axis: usize, face: usize) -> usize {
    3 - axis - face / 2
}

/// The face to the left of the half-edge that leaves `vertex` along `axis`.
///
/// The two faces at the edge look outward along the other two axes. With `d` the direction,
/// the left face extends along `normal x d`, which must point into the box.
const fn left_face(vertex: usize, axis: usize) -> usize {
    let (first, second) = ((axis + 1) % 3, (axis + 2) % 3);
    let forward = vertex >> axis & 1 == 0;
    let side_1 = vertex >> first & 1;
    let side_2 = vertex >> second & 1;
    // For d = +axis: e1 x d = -e2 and e2 x d = +e1. The face across `first` has the sign s1
    // and extends along -s1 e2, into the box when s1 = s2 (its corner is at s2).
    let across_first = (side_1 == side_2) == forward;
    if across_first {
        2 * first + side_1
    } else {
        2 * second + side_2
    }
}

const fn half_edges() -> [HalfEdge; 24] {
    let mut edges = [HalfEdge {
        origin: 0,
        next: 0,
        face: 0,
    }; 24];
    let mut vertex = 0;
    while vertex < 8 {
        let mut axis = 0;
        while axis < 3 {
            let face = left_face(vertex, axis);
            let target = vertex ^ (1 << axis);
            edges[leaving(vertex, axis) as usize] = HalfEdge {
                origin: vertex as u32,
                next: leaving(target, other_axis(axis, face)),
                face: face as u32,
            };
            axis += 1;
        }
        vertex += 1;
    }
    edges
}

const fn first_edges() -> [u32; 6] {
    let edges = half_edges();
    let mut first = [0; 6];
    let mut id = 24;
    while id > 0 {
        id -= 1;
        first[edges[id].face as usize] = id as u32;
    }
    first
}

/// The half-edge that leaves `vertex` along `axis`, and the face to the left of it.
const fn sector(vertex: usize, axis: usize) -> Sector {
    Sector {
        half_edge: leaving(vertex, axis),
        face: left_face(vertex, axis) as u32,
    }
}

/// Counter-clockwise seen from outside: x, y, z at the corners with an even number of
/// negative signs, x, z, y at the others.
const fn ring() -> [Sector; 24] {
    let mut ring = [Sector {
        half_edge: 0,
        face: 0,
    }; 24];
    let mut vertex = 0;
    while vertex < 8 {
        let odd = (vertex ^ vertex >> 1 ^ vertex >> 2) & 1 == 1;
        let (second, third) = if odd { (1, 2) } else { (2, 1) };
        ring[3 * vertex] = sector(vertex, 0);
        ring[3 * vertex + 1] = sector(vertex, second);
        ring[3 * vertex + 2] = sector(vertex, third);
        vertex += 1;
    }
    ring
}
