//! What a hull stores: corners, an exact triangulation, and which triangles share a face.
//! Everything else of a hull follows from it, bit for bit, so a stored hull that is read
//! again equals the one that was written.

use glam::{DVec3, Vec3};
use serde::{Deserialize, Serialize};

use super::{Face, HalfEdge, Hull, HullError, Sector};

/// "Not numbered yet".
pub(super) const NONE: u32 = u32::MAX;

/// Corners and triangles of a convex surface, the triangles grouped into faces.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "Hull")]
pub(super) struct Surface {
    /// Corner positions, in metres.
    pub(super) vertices: Vec<Vec3>,
    /// Corners of each triangle, counter-clockwise seen from outside.
    pub(super) triangles: Vec<[u32; 3]>,
    /// Face of each triangle; faces are numbered without gaps.
    pub(super) face_of: Vec<u32>,
}

/// The next side around the same triangle. Side `i` of triangle `t` is `3 t + i`.
pub(super) fn following(side: usize) -> usize {
    if side % 3 == 2 { side - 2 } else { side + 1 }
}

/// Half-edges and rings of the faces.
pub(super) struct Topology {
    pub(super) half_edges: Vec<HalfEdge>,
    /// First half-edge and number of corners of each face.
    pub(super) loops: Vec<(u32, u32)>,
    pub(super) ring_starts: Vec<u32>,
    pub(super) ring: Vec<Sector>,
    /// The half-edge of each side that borders a face, else [`NONE`].
    pub(super) half_edge_of: Vec<u32>,
}

impl Surface {
    /// The hull this surface describes.
    pub(super) fn assemble(self) -> Result<Hull, HullError> {
        self.check_indices()?;
        let twins = self.twins()?;
        let topology = self.topology(&twins)?;
        let planes = self.planes(&twins, topology.loops.len());
        let faces = planes
            .into_iter()
            .zip(&topology.loops)
            .map(|((normal, offset), &(first_edge, edge_count))| Face {
                normal,
                offset,
                first_edge,
                edge_count,
            })
            .collect();
        Ok(Hull::from_parts(self, &twins, topology, faces))
    }

    pub(super) fn origin(&self, side: usize) -> u32 {
        self.triangles[side / 3][side % 3]
    }

    pub(super) fn position(&self, vertex: u32) -> DVec3 {
        self.vertices[vertex as usize].as_dvec3()
    }

    /// Corner positions of a triangle.
    pub(super) fn corners(&self, triangle: usize) -> [DVec3; 3] {
        self.triangles[triangle].map(|v| self.position(v))
    }

    /// Refuses indices out of range and counts that cannot be a hull.
    pub(super) fn check_indices(&self) -> Result<(), HullError> {
        let corrupt = |rule| Err(HullError::Corrupt { rule });
        let vertex_count = self.vertices.len();
        if !(4..=crate::tolerance::MAX_HULL_POINTS).contains(&vertex_count) {
            return corrupt("number of corners");
        }
        if self.triangles.len() != 2 * vertex_count - 4 {
            return corrupt("twice as many triangles as corners, less four");
        }
        if self.face_of.len() != self.triangles.len() {
            return corrupt("one face for every triangle");
        }
        let in_range = |v: &u32| (*v as usize) < vertex_count;
        if !self.triangles.iter().flatten().all(in_range) {
            return corrupt("corner index in range");
        }
        let mut next_face = 0;
        for &face in &self.face_of {
            if face > next_face {
                return corrupt("faces numbered by first triangle");
            }
            next_face = next_face.max(face + 1);
        }
        Ok(())
    }

    /// For each side, the same edge's side in the other triangle.
    pub(super) fn twins(&self) -> Result<Vec<usize>, HullError> {
        let mut keys: Vec<(u32, u32, usize)> = (0..3 * self.triangles.len())
            .map(|side| {
                let (a, b) = (self.origin(side), self.origin(following(side)));
                (a.min(b), a.max(b), side)
            })
            .collect();
        keys.sort_unstable();
        let mut twins = vec![0; keys.len()];
        if !keys.len().is_multiple_of(2) {
            return Err(HullError::Corrupt {
                rule: "two triangles at every edge",
            });
        }
        for pair in keys.chunks_exact(2) {
            let (first, second) = (pair[0], pair[1]);
            let same_edge = (first.0, first.1) == (second.0, second.1) && first.0 != first.1;
            if !same_edge || self.origin(first.2) == self.origin(second.2) {
                return Err(HullError::Corrupt {
                    rule: "two triangles at every edge",
                });
            }
            twins[first.2] = second.2;
            twins[second.2] = first.2;
        }
        // The same edge four times over would pass pair by pair.
        let repeated = keys.chunks_exact(2).zip(keys.chunks_exact(2).skip(1));
        if repeated
            .into_iter()
            .any(|(p, q)| (p[0].0, p[0].1) == (q[0].0, q[0].1))
        {
            return Err(HullError::Corrupt {
                rule: "two triangles at every edge",
            });
        }
        Ok(twins)
    }

    /// The faces' half-edges, numbered along the faces in order.
    fn topology(&self, twins: &[usize]) -> Result<Topology, HullError> {
        let face_count = self
            .face_of
            .iter()
            .max()
            .map_or(0, |&face| face as usize + 1);
        let face_at = |side: usize| self.face_of[side / 3];
        let is_border = |side: usize| face_at(side) != face_at(twins[side]);
        let mut first_side = vec![NONE as usize; face_count];
        let border_count = (0..twins.len()).filter(|&side| is_border(side)).count();
        for side in (0..twins.len()).rev().filter(|&side| is_border(side)) {
            first_side[face_at(side) as usize] = side;
        }

        let mut id = vec![NONE; twins.len()];
        let mut half_edges = vec![
            HalfEdge {
                origin: 0,
                next: 0,
                face: 0
            };
            border_count
        ];
        let mut loops = Vec::with_capacity(face_count);
        let mut edge_count = 0;
        for (face, &first) in first_side.iter().enumerate() {
            if first == NONE as usize {
                return Err(HullError::Corrupt {
                    rule: "every face has a border",
                });
            }
            let mut side = first;
            let mut count = 0;
            let mut previous = NONE;
            loop {
                if id[side] == NONE {
                    id[side] = 2 * edge_count;
                    id[twins[side]] = 2 * edge_count + 1;
                    edge_count += 1;
                }
                let half_edge = &mut half_edges[id[side] as usize];
                half_edge.origin = self.origin(side);
                half_edge.face = face as u32;
                if previous != NONE {
                    half_edges[previous as usize].next = id[side];
                }
                previous = id[side];
                count += 1;
                side = following(side);
                while !is_border(side) {
                    side = following(twins[side]);
                }
                if side == first {
                    break;
                }
            }
            half_edges[previous as usize].next = id[first];
            loops.push((id[first], count));
        }
        let walked: u32 = loops.iter().map(|l| l.1).sum();
        if walked as usize != border_count {
            return Err(HullError::Corrupt {
                rule: "every face has one border",
            });
        }
        self.with_rings(half_edges, loops, id)
    }

    /// Adds the rings of half-edges around the corners.
    fn with_rings(
        &self,
        half_edges: Vec<HalfEdge>,
        loops: Vec<(u32, u32)>,
        half_edge_of: Vec<u32>,
    ) -> Result<Topology, HullError> {
        let corrupt = |rule| Err(HullError::Corrupt { rule });
        let mut previous = vec![NONE; half_edges.len()];
        for (id, half_edge) in half_edges.iter().enumerate() {
            previous[half_edge.next as usize] = id as u32;
        }
        let mut first = vec![NONE; self.vertices.len()];
        for (id, half_edge) in half_edges.iter().enumerate().rev() {
            first[half_edge.origin as usize] = id as u32;
        }
        let mut ring_starts = Vec::with_capacity(self.vertices.len() + 1);
        let mut ring = Vec::with_capacity(half_edges.len());
        ring_starts.push(0);
        for &start in &first {
            if start == NONE {
                return corrupt("an edge at every corner");
            }
            let mut current = start;
            loop {
                ring.push(Sector {
                    half_edge: current,
                    face: half_edges[current as usize].face,
                });
                if ring.len() > half_edges.len() {
                    return corrupt("one ring of faces around every corner");
                }
                current = previous[current as usize] ^ 1;
                if current == start {
                    break;
                }
            }
            ring_starts.push(ring.len() as u32);
        }
        let thin = ring_starts.windows(2).any(|pair| pair[1] - pair[0] < 3);
        if thin || loops.iter().any(|l| l.1 < 3) {
            return corrupt("three edges at every corner and face");
        }
        if ring.len() != half_edges.len() {
            return corrupt("one ring of faces around every corner");
        }
        Ok(Topology {
            half_edges,
            loops,
            ring_starts,
            ring,
            half_edge_of,
        })
    }

    /// Unit outward normal and support of each face: the plane of its largest triangle,
    /// moved out where rounding left a corner beyond it.
    fn planes(&self, twins: &[usize], face_count: usize) -> Vec<(DVec3, f64)> {
        let mut area_sq = vec![-1.0; face_count];
        let mut planes = vec![(DVec3::ZERO, f64::NEG_INFINITY); face_count];
        for triangle in 0..self.triangles.len() {
            let face = self.face_of[triangle] as usize;
            let [a, b, c] = self.corners(triangle);
            let cross = (b - a).cross(c - a);
            let length_sq = cross.length_squared();
            if length_sq > area_sq[face] {
                area_sq[face] = length_sq;
                planes[face].0 = cross / length_sq.sqrt();
            }
        }
        // Corners of the triangles across the border are the first that could lie beyond.
        for side in 0..twins.len() {
            let (normal, offset) = &mut planes[self.face_of[side / 3] as usize];
            let here = normal.dot(self.position(self.origin(side)));
            let across = following(following(twins[side]));
            let there = normal.dot(self.position(self.origin(across)));
            *offset = offset.max(here).max(there);
        }
        planes
    }
}
