//! Triangle meshes: what they store, and how they are built and read back.

use glam::Vec3;
use serde::{Deserialize, Serialize};

use super::build::{
    NONE, bend, check_vertices, is_degenerate, near_sharp, neighbours, same_places,
};
use super::junction::{close_junctions, welded};
use super::tree::Tree;
use super::{EdgeKind, MeshError, Surface, Triangle};
use crate::Aabb;

/// How a mesh is built.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MeshOptions {
    /// Whether the triangles are felt from behind as well.
    pub two_sided: bool,
    /// Whether triangles without area are left out rather than refused.
    pub skip_degenerate: bool,
}

/// A surface of triangles for static and kinematic bodies.
///
/// About 56 bytes a triangle: 6 for half a vertex, 12 each for corners and neighbours, 4 for
/// the bends, 20 to 22 for the tree. Stored as vertices and corners alone; everything else
/// follows from them, bit for bit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Stored", into = "Stored")]
pub struct TriangleMesh {
    vertices: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    /// See [`neighbours`].
    beyond: Vec<[u32; 3]>,
    kinds: Vec<[EdgeKind; 3]>,
    /// Whether a corner of the triangle is on an edge that stands out.
    near_sharp: Vec<bool>,
    tree: Tree,
    two_sided: bool,
    skipped: usize,
}

/// What a saved mesh consists of.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename = "TriangleMesh")]
struct Stored {
    vertices: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    two_sided: bool,
    skipped: usize,
}

impl TryFrom<Stored> for TriangleMesh {
    type Error = MeshError;

    fn try_from(stored: Stored) -> Result<Self, MeshError> {
        let options = MeshOptions {
            two_sided: stored.two_sided,
            skip_degenerate: false,
        };
        let mut mesh = Self::new(&stored.vertices, &stored.triangles, options)?;
        mesh.skipped = stored.skipped;
        Ok(mesh)
    }
}

impl From<TriangleMesh> for Stored {
    fn from(mesh: TriangleMesh) -> Self {
        Self {
            vertices: mesh.vertices,
            triangles: mesh.triangles,
            two_sided: mesh.two_sided,
            skipped: mesh.skipped,
        }
    }
}

impl TriangleMesh {
    /// A mesh of these triangles, given as triples of indices into `vertices`,
    /// counter-clockwise seen from the front.
    ///
    /// Vertices at the same place count as one, and so do those that differ by rounding where
    /// neighbours are sought. A triangle keeps its index, less the number of degenerate ones left
    /// out before it. A side that does not border exactly one other triangle of the same sense of
    /// rotation is a boundary, unless its plane goes on beyond all along.
    ///
    /// # Errors
    ///
    /// Names the first vertex or triangle that breaks a rule.
    pub fn new(
        vertices: &[Vec3],
        triangles: &[[u32; 3]],
        options: MeshOptions,
    ) -> Result<Self, MeshError> {
        check_vertices(vertices, triangles.len())?;
        let first = same_places(vertices);
        let mut kept = Vec::with_capacity(triangles.len());
        for (triangle, corners) in triangles.iter().enumerate() {
            let count = vertices.len();
            if let Some(&index) = corners.iter().find(|&&index| index as usize >= count) {
                return Err(MeshError::Index {
                    triangle,
                    index,
                    count,
                });
            }
            let corners = corners.map(|v| first[v as usize]);
            if !is_degenerate(corners.map(|v| vertices[v as usize].as_dvec3())) {
                kept.push(corners);
            } else if !options.skip_degenerate {
                return Err(MeshError::Degenerate { triangle });
            }
        }
        if kept.is_empty() {
            return Err(MeshError::Empty);
        }
        let skipped = triangles.len() - kept.len();
        Ok(Self::assemble(vertices.to_vec(), kept, skipped, options))
    }

    fn assemble(
        vertices: Vec<Vec3>,
        triangles: Vec<[u32; 3]>,
        skipped: usize,
        options: MeshOptions,
    ) -> Self {
        let surface = welded(&vertices, &triangles);
        let beyond = neighbours(&surface);
        let position = |v: u32| vertices[v as usize];
        let whole = |t: usize| Triangle::new(triangles[t].map(|v| position(v).as_dvec3()));
        let mut kinds: Vec<[EdgeKind; 3]> = (beyond.iter().enumerate())
            .map(|(t, beyond)| {
                let triangle = whole(t);
                let kind = |side: usize| match beyond[side] {
                    NONE => EdgeKind::Boundary,
                    other => bend(&triangle, side, &whole(other as usize / 3)),
                };
                [kind(0), kind(1), kind(2)]
            })
            .collect();
        let boxes: Vec<Aabb> = triangles
            .iter()
            .map(|corners| bounds_of(corners.map(position)))
            .collect();
        let tree = Tree::new(&boxes);
        close_junctions(&vertices, &triangles, &tree, &mut kinds);
        Self {
            near_sharp: near_sharp(&surface, &kinds, vertices.len()),
            tree,
            vertices,
            triangles,
            beyond,
            kinds,
            two_sided: options.two_sided,
            skipped,
        }
    }

    /// Corner positions in the frame of the shape, in metres.
    pub fn vertices(&self) -> &[Vec3] {
        &self.vertices
    }

    /// Indices of the corners of each triangle; of vertices at one place the lowest.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Whether the triangles are felt from behind as well.
    pub fn is_two_sided(&self) -> bool {
        self.two_sided
    }

    /// Degenerate triangles that were left out, a count.
    pub fn skipped(&self) -> usize {
        self.skipped
    }

    /// The box around all triangles.
    pub fn bounds(&self) -> Aabb {
        self.tree.bounds()
    }

    /// Memory in bytes, without the size of the struct itself.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.vertices[..])
            + size_of_val(&self.triangles[..])
            + size_of_val(&self.beyond[..])
            + size_of_val(&self.kinds[..])
            + size_of_val(&self.near_sharp[..])
            + self.tree.bytes()
    }

    /// How the surface bends at the sides of a triangle.
    #[inline]
    pub fn kinds(&self, triangle: u32) -> [EdgeKind; 3] {
        self.kinds[triangle as usize]
    }

    /// Whether a corner of a triangle is on an edge that is sharp, seen from the front, or where
    /// the surface ends.
    #[inline]
    pub fn is_near_sharp(&self, triangle: u32) -> bool {
        self.near_sharp[triangle as usize]
    }

    /// The side beyond a side, as `3 * triangle + side`.
    #[inline]
    pub fn beyond(&self, triangle: u32, side: usize) -> Option<u32> {
        let beyond = self.beyond[triangle as usize][side];
        (beyond != NONE).then_some(beyond)
    }

    /// Corner positions of a triangle.
    #[inline]
    pub fn corners(&self, triangle: u32) -> [Vec3; 3] {
        // Spelt out: closures over arrays are not always inlined, and this is hot.
        let [a, b, c] = self.triangles[triangle as usize];
        let vertices = &self.vertices;
        [
            vertices[a as usize],
            vertices[b as usize],
            vertices[c as usize],
        ]
    }

    /// The mesh as a surface, on which the queries are.
    pub fn surface(&self) -> Surface<'_> {
        Surface::Mesh(self)
    }

    pub(super) fn tree(&self) -> &Tree {
        &self.tree
    }
}

/// The box around three points.
pub(super) fn bounds_of([a, b, c]: [Vec3; 3]) -> Aabb {
    Aabb {
        min: a.min(b).min(c),
        max: a.max(b).max(c),
    }
}
