//! Feature ids: vertices, edges and faces as integers that flow through GJK, EPA,
//! tracking, manifolds and warm starting unchanged.

use serde::{Deserialize, Serialize};

/// A feature of one shape, packed in 32 bits: two of kind, thirty of index.
///
/// A sphere has the single vertex 0; a capsule the vertices 0 (bottom) and 1 (top) and
/// the edge 0; a half-space the face 0. A box numbers its vertices by sign bits (x = 1,
/// y = 2, z = 4), its edges and faces as in [`crate::shape::cuboid`]. A hull uses the
/// indices of its vertex, edge and face arrays; edge `e` is the half-edge pair `2e`, `2e + 1`.
/// A triangle numbers corners in order, see [`crate::shape::triangle`]; a segment has the
/// vertices 0 and 1 and the edge 0. For cylinder, cone and ellipsoid see
/// [`crate::shape::curved`]. A rounded shape has the features of its core.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Feature(u32);

/// What a [`Feature`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FeatureKind {
    /// A corner.
    Vertex,
    /// An edge.
    Edge,
    /// A face.
    Face,
}

impl Feature {
    const INDEX_BITS: u32 = 30;
    const INDEX_MASK: u32 = (1 << Self::INDEX_BITS) - 1;

    /// Largest number of vertices, edges or faces a shape may have.
    pub const MAX_COUNT: usize = 1 << Self::INDEX_BITS;

    /// The vertex with this index.
    pub const fn vertex(index: u32) -> Self {
        Self(index & Self::INDEX_MASK)
    }

    /// The edge with this index.
    pub const fn edge(index: u32) -> Self {
        Self((1 << Self::INDEX_BITS) | (index & Self::INDEX_MASK))
    }

    /// The face with this index.
    pub const fn face(index: u32) -> Self {
        Self((2 << Self::INDEX_BITS) | (index & Self::INDEX_MASK))
    }

    /// Whether this is a vertex, an edge or a face.
    pub const fn kind(self) -> FeatureKind {
        if self.0 < Self::edge(0).0 {
            FeatureKind::Vertex
        } else if self.0 < Self::face(0).0 {
            FeatureKind::Edge
        } else {
            FeatureKind::Face
        }
    }

    /// Index into the shape's vertices, edges or faces.
    pub const fn index(self) -> u32 {
        self.0 & Self::INDEX_MASK
    }

    /// The packed bits, for hashing and storage.
    pub const fn bits(self) -> u32 {
        self.0
    }
}

impl std::fmt::Debug for Feature {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}({})", self.kind(), self.index())
    }
}
