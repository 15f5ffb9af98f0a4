//! Convex polyhedra: half-edge topology over merged, planar faces.
//!
//! [`Hull::new`] builds one from points. The narrow phase sees hulls and boxes alike as a
//! [`Polytope`].

mod around;
mod bounds;
mod build;
mod circle;
mod convexity;
mod ellipse;
mod error;
mod fold;
mod merge;
mod order;
mod quickhull;
mod simplex;
mod slack;
mod solid;
mod support;
mod surface;
mod winged;

pub(crate) use around::Around;
pub use around::{Border, Spoke};
pub use ellipse::Ellipse;
pub use error::HullError;
pub use fold::{Fold, FoldTriangle};
pub use solid::Hull;
pub use winged::WingedEdge;

use glam::{DVec3, Vec3};
use serde::{Deserialize, Serialize};

/// Number of faces around a corner from which a search beats a scan.
const MANY: usize = 32;

/// One side of an edge. Half-edges come in pairs: the twin of `e` is `e ^ 1`, and
/// `e / 2` is the index of the undirected edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HalfEdge {
    /// Vertex the half-edge leaves.
    pub origin: u32,
    /// Next half-edge around `face`, counter-clockwise seen from outside.
    pub next: u32,
    /// Face to the left of the half-edge.
    pub face: u32,
}

/// What lies at a corner from one of its edges to the next, counter-clockwise seen from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sector {
    /// The half-edge that leaves the corner.
    pub half_edge: u32,
    /// The face to the left of it.
    pub face: u32,
}

/// A planar convex face.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Face {
    /// Unit, outward.
    pub normal: DVec3,
    /// `normal . x` on the supporting plane: no vertex of the hull lies beyond it.
    pub offset: f64,
    /// One half-edge of the face.
    pub first_edge: u32,
    /// Number of vertices of the face.
    pub edge_count: u32,
}

/// The topology and vertices of a polytope, borrowed: what the narrow phase walks on,
/// the same for boxes and hulls.
#[derive(Clone, Copy, Debug)]
pub struct Polytope<'a> {
    /// Corner positions in the shape's frame.
    pub vertices: &'a [Vec3],
    /// Faces with their planes.
    pub faces: &'a [Face],
    /// Half-edges, twins adjacent.
    pub half_edges: &'a [HalfEdge],
    /// `ring[ring_starts[v]..ring_starts[v + 1]]` lie around vertex `v`, in counter-clockwise
    /// order seen from outside.
    pub ring_starts: &'a [u32],
    /// See `ring_starts`.
    pub ring: &'a [Sector],
    /// What is kept of corners and faces of very many edges.
    pub(crate) around: Option<&'a Around>,
}

impl<'a> Polytope<'a> {
    /// The half-edges that leave `vertex`, and the faces around it.
    #[inline(always)]
    pub fn ring_of(&self, vertex: u32) -> &'a [Sector] {
        let v = vertex as usize;
        &self.ring[self.ring_starts[v] as usize..self.ring_starts[v + 1] as usize]
    }

    /// Vertex a half-edge leaves.
    #[inline(always)]
    pub fn origin(&self, half_edge: u32) -> u32 {
        self.half_edges[half_edge as usize].origin
    }

    /// Vertex a half-edge arrives at.
    #[inline]
    pub fn target(&self, half_edge: u32) -> u32 {
        self.half_edges[(half_edge ^ 1) as usize].origin
    }

    /// The position of a vertex, in `f64`.
    #[inline(always)]
    pub fn position(&self, vertex: u32) -> DVec3 {
        self.vertices[vertex as usize].as_dvec3()
    }

    /// The half-edges of a face of very many corners as one list, counter-clockwise; nothing
    /// for smaller faces, which are quick to go round.
    #[inline]
    pub fn wide_face(&self, face: u32) -> Option<&'a [u32]> {
        self.around?.wide_loop(face)
    }

    /// Of the faces around a corner the one whose normal is nearest to `outward`. Where very
    /// many meet, logarithmic: then the nearest in a plane across the normals.
    pub fn aligned_face(&self, vertex: u32, outward: DVec3) -> u32 {
        let ring = self.ring_of(vertex);
        let normal = |index: usize| self.faces[ring[index].face as usize].normal;
        let many = self.around.filter(|_| ring.len() > MANY);
        let best = match many.and_then(|around| around.outward_of(vertex)) {
            // The normals cut that plane in the corners of a convex polygon.
            Some(axis) => circle::cyclic_max(ring.len(), |index| {
                normal(index).dot(outward) / normal(index).dot(axis)
            }),
            None => {
                let mut best = (f64::NEG_INFINITY, 0);
                for index in 0..ring.len() {
                    let aligned = normal(index).dot(outward);
                    if aligned > best.0 {
                        best = (aligned, index);
                    }
                }
                best.1
            }
        };
        ring[best].face
    }

    /// Half-edges around a face of more than eight corners, counter-clockwise: for each of 32
    /// evenly spread directions the one that leaves the corner farthest that way, so that one may
    /// come several times in a row. Between two of the corners the face lacks at most half a
    /// percent of its width. Nothing for other faces.
    #[inline]
    pub fn outline(&self, face: u32) -> Option<&'a [u32; 32]> {
        self.around?.outline_of(face)
    }

    /// Where in the [outline](Self::outline) of a face the corner is that is farthest along a
    /// direction, give or take one.
    pub fn outline_place(&self, face: u32, direction: DVec3) -> usize {
        around::outline_place(self.faces[face as usize].normal, direction)
    }

    /// The border of a face, if it has very many corners and this among them, and the corner's
    /// place in it.
    #[inline]
    pub fn border_around(&self, face: u32, vertex: u32) -> Option<(Border<'a>, usize)> {
        self.around?.border_around(face, vertex)
    }

    /// The half-edges around a face, counter-clockwise seen from outside.
    #[inline]
    pub fn face_edges(&self, face: u32) -> impl Iterator<Item = u32> + use<'a> {
        let face = self.faces[face as usize];
        let half_edges = self.half_edges;
        let mut next = face.first_edge;
        (0..face.edge_count).map(move |_| {
            let current = next;
            next = half_edges[current as usize].next;
            current
        })
    }
}
