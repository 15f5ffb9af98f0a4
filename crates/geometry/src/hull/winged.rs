//! Edges with what lies on both sides of them, each in one cache line.
//!
//! Baumgart, *Winged edge polyhedron representation* (1972), without the links: a walk over
//! the features asks where an edge is and on which side of it the surface rises, and goes on.

use glam::Vec3;

use super::surface::{NONE, Surface, Topology, following};

/// An edge and the two triangles of the exact surface that meet at it. 64 bytes, of which a hull
/// keeps one for each edge: 192 bytes a corner where all faces are triangles.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(align(64))]
pub struct WingedEdge {
    /// Where the two half-edges leave, in the hull's frame and metres.
    pub ends: [Vec3; 2],
    /// Where the third corners are of the triangles to the left of the two half-edges.
    pub wings: [Vec3; 2],
    /// The corners that the two half-edges leave.
    pub vertices: [u32; 2],
    /// The faces to the left of the two half-edges.
    pub faces: [u32; 2],
}

const _: () = assert!(size_of::<WingedEdge>() == 64);

/// All edges of a surface.
pub(super) fn winged_edges(surface: &Surface, topology: &Topology) -> Vec<WingedEdge> {
    let mut edges = vec![WingedEdge::default(); topology.half_edges.len() / 2];
    for (side, &half_edge) in topology.half_edge_of.iter().enumerate() {
        if half_edge == NONE {
            continue;
        }
        let edge = &mut edges[half_edge as usize / 2];
        let left = half_edge as usize % 2;
        let origin = surface.origin(side);
        let third = surface.origin(following(following(side)));
        edge.ends[left] = surface.vertices[origin as usize];
        edge.wings[left] = surface.vertices[third as usize];
        edge.vertices[left] = origin;
        edge.faces[left] = surface.face_of[side / 3];
    }
    edges
}
