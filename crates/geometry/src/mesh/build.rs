//! From vertices and index triples to a mesh: checks, merged corners, neighbours, bends.

use glam::{DVec3, Vec3};

use super::{EdgeKind, MeshError, Triangle};
use crate::tolerance::{
    DEGENERATE_HEIGHT, FLAT_EDGE_SINE, MAX_MESH_TRIANGLES, MAX_SIZE, SHARP_EDGE_COSINE,
};

/// Said where no triangle lies beyond a side.
pub(super) const NONE: u32 = u32::MAX;

/// Refuses counts and coordinates that no mesh may have.
pub(super) fn check_vertices(vertices: &[Vec3], triangle_count: usize) -> Result<(), MeshError> {
    let count = triangle_count.max(vertices.len());
    if count > MAX_MESH_TRIANGLES {
        return Err(MeshError::TooMany { count });
    }
    for (vertex, position) in vertices.iter().enumerate() {
        let bad = |value: &f32| !value.is_finite() || value.abs() > MAX_SIZE;
        if let Some(value) = position.to_array().into_iter().find(bad) {
            return Err(MeshError::Coordinate { vertex, value });
        }
    }
    Ok(())
}

/// For each vertex the first one at the same place.
pub(super) fn same_places(vertices: &[Vec3]) -> Vec<u32> {
    // Zero of either sign is the same place.
    let place = |v: u32| vertices[v as usize].to_array().map(|x| x + 0.0);
    let mut sorted: Vec<u32> = (0..vertices.len() as u32).collect();
    sorted.sort_unstable_by(|&a, &b| {
        let (p, q) = (place(a), place(b));
        (p[0].total_cmp(&q[0]))
            .then(p[1].total_cmp(&q[1]))
            .then(p[2].total_cmp(&q[2]))
            .then(a.cmp(&b))
    });
    let mut first = vec![0; vertices.len()];
    let mut leader = 0;
    for (i, &v) in sorted.iter().enumerate() {
        if i == 0 || place(v) != place(leader) {
            leader = v;
        }
        first[v as usize] = leader;
    }
    first
}

/// Whether three corners span too little of a triangle to have a normal.
pub(super) fn is_degenerate([a, b, c]: [DVec3; 3]) -> bool {
    let longest_sq = (b - a)
        .length_squared()
        .max((c - b).length_squared())
        .max((a - c).length_squared());
    // Twice the area is the longest side times the height over it.
    (b - a).cross(c - a).length() <= DEGENERATE_HEIGHT * longest_sq
}

/// For each side of each triangle the side beyond, as `3 * triangle + side`, or [`NONE`].
pub(super) fn neighbours(triangles: &[[u32; 3]]) -> Vec<[u32; 3]> {
    let mut sides: Vec<(u32, u32, u32)> = Vec::with_capacity(3 * triangles.len());
    for (t, corners) in triangles.iter().enumerate() {
        for side in 0..3 {
            let (p, q) = (corners[side], corners[(side + 1) % 3]);
            sides.push((p.min(q), p.max(q), (3 * t + side) as u32));
        }
    }
    sides.sort_unstable();
    let mut beyond = vec![[NONE; 3]; triangles.len()];
    let origin = |side: u32| triangles[side as usize / 3][side as usize % 3];
    for same in sides.chunk_by(|p, q| (p.0, p.1) == (q.0, q.1)) {
        if let [(_, _, first), (_, _, second)] = *same
            && origin(first) != origin(second)
        {
            beyond[first as usize / 3][first as usize % 3] = second;
            beyond[second as usize / 3][second as usize % 3] = first;
        }
    }
    beyond
}

/// For each triangle whether one of its corners is on an edge that stands out.
pub(super) fn near_sharp(
    triangles: &[[u32; 3]],
    kinds: &[[EdgeKind; 3]],
    vertex_count: usize,
) -> Vec<bool> {
    let mut stands_out = vec![false; vertex_count];
    for (corners, kinds) in triangles.iter().zip(kinds) {
        for side in 0..3 {
            if matches!(kinds[side], EdgeKind::Sharp | EdgeKind::Boundary) {
                stands_out[corners[side] as usize] = true;
                stands_out[corners[(side + 1) % 3] as usize] = true;
            }
        }
    }
    let any = |corners: &[u32; 3]| corners.iter().any(|&corner| stands_out[corner as usize]);
    triangles.iter().map(any).collect()
}

/// How the surface bends at a side, given the triangle beyond it.
pub(super) fn bend(triangle: &Triangle, side: usize, beyond: &Triangle) -> EdgeKind {
    let lean = beyond.normal.dot(triangle.outward(side));
    let cosine = beyond.normal.dot(triangle.normal);
    if lean.abs() <= FLAT_EDGE_SINE && cosine > 0.0 {
        EdgeKind::Flat
    } else if lean < 0.0 {
        EdgeKind::Concave
    } else if cosine >= SHARP_EDGE_COSINE {
        EdgeKind::Blunt
    } else {
        EdgeKind::Sharp
    }
}
