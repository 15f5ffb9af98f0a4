//! The numbering of a finished hull: corners close in space get close indices.

use glam::Vec3;

use super::merge::Patches;
use super::quickhull::Mesh;
use super::surface::Surface;

/// Largest number of corners that keep the order of the input. All of them fit in a few
/// cache lines, so order buys nothing, and people can match them with their points.
const INPUT_ORDER_COUNT: usize = 64;

/// Bits per axis of the position on the curve.
const CURVE_BITS: u32 = 16;

/// The corners of a mesh and its triangles, renumbered. Each triangle starts with its
/// lowest corner, triangles are sorted, faces are numbered by their first triangle.
pub(super) fn canonical(points: &[Vec3], mesh: &Mesh, patches: &Patches) -> Surface {
    let mut corners: Vec<u32> = mesh.triangles.iter().flatten().copied().collect();
    corners.sort_unstable();
    corners.dedup();
    if corners.len() > INPUT_ORDER_COUNT {
        sort_along_curve(points, &mut corners);
    }
    let mut number = vec![0; points.len()];
    for (new, &old) in corners.iter().enumerate() {
        number[old as usize] = new as u32;
    }

    let mut triangles: Vec<([u32; 3], u32)> = mesh
        .triangles
        .iter()
        .zip(&patches.face_of)
        .map(|(triangle, &face)| (lowest_first(triangle.map(|v| number[v as usize])), face))
        .collect();
    triangles.sort_unstable();
    let mut face_number = vec![u32::MAX; triangles.len()];
    let mut face_count = 0;
    let mut face_of = Vec::with_capacity(triangles.len());
    for &(_, face) in &triangles {
        let number = &mut face_number[face as usize];
        if *number == u32::MAX {
            *number = face_count;
            face_count += 1;
        }
        face_of.push(*number);
    }
    Surface {
        vertices: corners.iter().map(|&v| points[v as usize]).collect(),
        triangles: triangles
            .into_iter()
            .map(|(triangle, _)| triangle)
            .collect(),
        face_of,
    }
}

fn lowest_first([a, b, c]: [u32; 3]) -> [u32; 3] {
    if a < b && a < c {
        [a, b, c]
    } else if b < c {
        [b, c, a]
    } else {
        [c, a, b]
    }
}

/// Sorts corners along the Z-order curve of a cube around them.
fn sort_along_curve(points: &[Vec3], corners: &mut [u32]) {
    let at = |v: u32| points[v as usize].as_dvec3();
    let min = corners
        .iter()
        .fold(at(corners[0]), |least, &v| least.min(at(v)));
    let max = corners
        .iter()
        .fold(at(corners[0]), |most, &v| most.max(at(v)));
    let cells = f64::from((1u32 << CURVE_BITS) - 1);
    let scale = cells / (max - min).max_element();
    corners.sort_by_cached_key(|&v| {
        let cell = (at(v) - min) * scale;
        let position = (0..CURVE_BITS).rev().fold(0u64, |key, bit| {
            cell.to_array()
                .iter()
                .fold(key, |key, &c| (key << 1) | u64::from((c as u32 >> bit) & 1))
        });
        (position, v)
    });
}
