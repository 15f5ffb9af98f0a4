//! Coplanar triangles become polygons: which triangles share a face, and which corners
//! stand in the way of clean faces.
//!
//! A face grows from its largest triangle over neighbours whose corners lie within the
//! slack of that triangle's plane. The plane supports the whole hull exactly, so no corner
//! lies beyond it. What the growing leaves unclean (a corner inside a face or on a straight
//! edge, a notch, a hole) is reported as a flaw, for the builder to take away.

use glam::DVec3;

use super::quickhull::{Mesh, height_sign};
use super::slack::Slack;

/// "Not in a face yet".
const NONE: u32 = u32::MAX;

/// The faces of a mesh.
pub(super) struct Patches {
    /// Face of each triangle.
    pub(super) face_of: Vec<u32>,
    /// Unit outward normal of each face.
    normals: Vec<DVec3>,
}

/// Something that keeps the faces from being strictly convex polygons.
pub(super) enum Flaw {
    /// A corner that fewer than three edges meet, or that is reflex or straight in a face.
    Corner {
        vertex: u32,
        /// The corners along face borders next to it.
        neighbors: Vec<u32>,
        /// Whether only a straightness within rounding speaks against it.
        straight: bool,
    },
    /// Corners around which the faces fit together badly; they must merge only exactly.
    Fit { vertices: Vec<u32> },
}

/// Grows the faces. Corners in `exact` only join triangles that are coplanar exactly.
pub(super) fn grow(mesh: &Mesh, points: &[DVec3], slack: &Slack, exact: &[bool]) -> Patches {
    let at = |v: u32| points[v as usize];
    let cross = |t: usize| {
        let [a, b, c] = mesh.triangles[t].map(at);
        (b - a).cross(c - a)
    };
    let mut seeds: Vec<(f64, u32)> = (0..mesh.triangles.len())
        .map(|t| (cross(t).length_squared(), t as u32))
        .collect();
    seeds.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));

    let mut patches = Patches {
        face_of: vec![NONE; mesh.triangles.len()],
        normals: Vec::new(),
    };
    let mut front = Vec::new();
    for &(area_sq, seed) in &seeds {
        if patches.face_of[seed as usize] != NONE {
            continue;
        }
        let face = patches.normals.len() as u32;
        let normal = if area_sq > 0.0 {
            cross(seed as usize) / area_sq.sqrt()
        } else {
            DVec3::Y
        };
        patches.normals.push(normal);
        patches.face_of[seed as usize] = face;
        let corners = mesh.triangles[seed as usize];
        let [a, b, c] = corners.map(at);
        let depth = slack.of_plane(normal);
        let seed_exact = corners.iter().any(|&v| exact[v as usize]);
        front.push(seed);
        while let Some(t) = front.pop() {
            for &other in &mesh.neighbors[t as usize] {
                if patches.face_of[other as usize] != NONE {
                    continue;
                }
                let corners = mesh.triangles[other as usize];
                let strict = seed_exact || corners.iter().any(|&v| exact[v as usize]);
                let joins = corners.iter().all(|&v| {
                    if strict {
                        height_sign(a, b, c, at(v)) == 0.0
                    } else {
                        normal.dot(a - at(v)) <= depth
                    }
                });
                if joins {
                    patches.face_of[other as usize] = face;
                    front.push(other);
                }
            }
        }
    }
    patches
}

/// A triangle that has each vertex as a corner; `NONE` for points that are no corner.
fn triangle_at(mesh: &Mesh, point_count: usize) -> Vec<u32> {
    let mut at = vec![NONE; point_count];
    for (t, triangle) in mesh.triangles.iter().enumerate() {
        for &v in triangle {
            at[v as usize] = t as u32;
        }
    }
    at
}

/// Position of a vertex in a triangle.
fn corner(triangle: [u32; 3], vertex: u32) -> usize {
    (0..3).find(|&i| triangle[i] == vertex).unwrap_or(0)
}

/// What is wrong with the faces, in the order of vertices.
pub(super) fn flaws(
    mesh: &Mesh,
    points: &[DVec3],
    patches: &Patches,
    slack: &Slack,
    exact: &[bool],
) -> Vec<Flaw> {
    let at = triangle_at(mesh, points.len());
    let mut flaws = Vec::new();
    let mut spokes = Vec::new();
    for (vertex, &start) in at.iter().enumerate() {
        if start == NONE {
            continue;
        }
        let vertex = vertex as u32;
        border_spokes(mesh, patches, vertex, start, &mut spokes);
        flaws.extend(corner_flaw(points, patches, slack, exact, vertex, &spokes));
        flaws.extend(fit_flaw(points, patches, exact, vertex, &spokes));
    }
    flaws.extend(hole_flaws(mesh, patches));
    flaws
}

/// A face border that leaves a vertex: its far end and the face to its left.
#[derive(Clone, Copy)]
struct Spoke {
    end: u32,
    left: u32,
}

/// The face borders around a vertex, counter-clockwise seen from outside.
fn border_spokes(mesh: &Mesh, patches: &Patches, vertex: u32, start: u32, spokes: &mut Vec<Spoke>) {
    spokes.clear();
    let mut t = start;
    loop {
        let triangle = mesh.triangles[t as usize];
        let i = corner(triangle, vertex);
        // The edge that leaves `vertex` in `t`, and the one that arrives.
        let across = mesh.neighbors[t as usize][i];
        let left = patches.face_of[t as usize];
        if patches.face_of[across as usize] != left {
            spokes.push(Spoke {
                end: triangle[(i + 1) % 3],
                left,
            });
        }
        t = mesh.neighbors[t as usize][(i + 2) % 3];
        if t == start {
            return;
        }
    }
}

/// Whether a corner should go: few edges, or reflex or straight in one of its faces.
fn corner_flaw(
    points: &[DVec3],
    patches: &Patches,
    slack: &Slack,
    exact: &[bool],
    vertex: u32,
    spokes: &[Spoke],
) -> Option<Flaw> {
    let at = |v: u32| points[v as usize];
    let mut reflex = spokes.len() < 3;
    let mut straight = false;
    for (i, spoke) in spokes.iter().enumerate() {
        let previous = at(spokes[(i + 1) % spokes.len()].end);
        let (here, next) = (at(vertex), at(spoke.end));
        let turn = (here - previous).cross(next - here);
        reflex |= turn.dot(patches.normals[spoke.left as usize]) <= 0.0;
        let along = next - previous;
        let share = ((here - previous).dot(along) / along.length_squared()).clamp(0.0, 1.0);
        let off = here - (previous + along * share);
        let distance = off.length();
        straight |= distance == 0.0 || distance <= slack.of_line(off / distance);
    }
    (reflex || (straight && !exact[vertex as usize])).then(|| Flaw::Corner {
        vertex,
        neighbors: spokes.iter().map(|spoke| spoke.end).collect(),
        straight: !reflex,
    })
}

/// Whether the faces around a vertex do not fit: the same face twice, or an edge at which
/// the planes of its faces are not convex.
fn fit_flaw(
    points: &[DVec3],
    patches: &Patches,
    exact: &[bool],
    vertex: u32,
    spokes: &[Spoke],
) -> Option<Flaw> {
    if spokes.len() < 3 {
        return None;
    }
    let mut faces: Vec<u32> = spokes.iter().map(|spoke| spoke.left).collect();
    faces.sort_unstable();
    if faces.windows(2).any(|pair| pair[0] == pair[1]) {
        return Some(Flaw::Fit {
            vertices: vec![vertex],
        });
    }
    for (i, spoke) in spokes.iter().enumerate() {
        let right = spokes[(i + spokes.len() - 1) % spokes.len()].left;
        let edge = points[spoke.end as usize] - points[vertex as usize];
        let across = patches.normals[right as usize].cross(patches.normals[spoke.left as usize]);
        let both_exact = exact[vertex as usize] && exact[spoke.end as usize];
        let concave = vertex < spoke.end && !both_exact && across.dot(edge) >= 0.0;
        if concave {
            return Some(Flaw::Fit {
                vertices: vec![vertex, spoke.end],
            });
        }
    }
    None
}

/// Faces whose border is more than one loop.
fn hole_flaws(mesh: &Mesh, patches: &Patches) -> Vec<Flaw> {
    // A face with one border loop is a disc: corners - edges + triangles = 1. Counting the
    // corners of each face needs the (face, corner) pairs in order.
    let mut corners: Vec<(u32, u32)> = Vec::with_capacity(3 * mesh.triangles.len());
    let mut characteristic = vec![0i64; patches.normals.len()];
    for (t, triangle) in mesh.triangles.iter().enumerate() {
        let face = patches.face_of[t];
        corners.extend(triangle.iter().map(|&v| (face, v)));
        // An inner edge is counted by both its triangles, a border edge by one: in halves.
        let border = mesh.neighbors[t]
            .iter()
            .filter(|&&n| patches.face_of[n as usize] != face);
        characteristic[face as usize] += 2 - 3 - border.count() as i64;
    }
    corners.sort_unstable();
    corners.dedup();
    for &(face, _) in &corners {
        characteristic[face as usize] += 2;
    }
    let mut flaws = Vec::new();
    for (face, &count) in characteristic.iter().enumerate() {
        if count != 2 {
            let first = corners.partition_point(|&(f, _)| (f as usize) < face);
            let last = corners.partition_point(|&(f, _)| (f as usize) <= face);
            flaws.push(Flaw::Fit {
                vertices: corners[first..last].iter().map(|c| c.1).collect(),
            });
        }
    }
    flaws
}
