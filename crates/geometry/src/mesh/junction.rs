//! Sides of a mesh that meet others without sharing both corners: corners that differ by rounding,
//! and sides beyond which a plane goes on in other triangles.

use glam::{DVec3, Vec3};

use super::tree::Tree;
use super::triangle_mesh::bounds_of;
use super::{EdgeKind, Triangle};
use crate::Aabb;
use crate::tolerance::{FLAT_EDGE_SINE, JUNCTION_GAP, JUNCTION_SHIFT, WELD_ROUNDING};

/// Distance of vertices up to which they are the same corner of the surface, in metres.
fn weld_distance(vertices: &[Vec3]) -> f64 {
    let farthest = vertices.iter().map(|vertex| vertex.abs().max_element());
    WELD_ROUNDING * f64::from(farthest.fold(0.0, f32::max))
}

/// The triangles with corners that differ by no more than rounding made one, for finding their
/// neighbours alone: the lowest of them. A triangle that has no three corners then keeps its own.
pub(super) fn welded(vertices: &[Vec3], triangles: &[[u32; 3]]) -> Vec<[u32; 3]> {
    let near = weld_distance(vertices);
    // Cells so much larger that most vertices are near none of their borders.
    let cell = |at: DVec3| (at / (16.0 * near)).floor().to_array().map(|x| x as i64);
    let position = |v: u32| vertices[v as usize].as_dvec3();
    let mut used: Vec<u32> = triangles.iter().flatten().copied().collect();
    used.sort_unstable();
    used.dedup();
    let mut cells: Vec<([i64; 3], u32)> = used.iter().map(|&v| (cell(position(v)), v)).collect();
    cells.sort_unstable();
    let mut first: Vec<u32> = (0..vertices.len() as u32).collect();
    for &v in &used {
        let at = position(v);
        let (low, high) = (cell(at - near), cell(at + near));
        let mut lowest = v;
        for x in low[0]..=high[0] {
            for y in low[1]..=high[1] {
                for z in low[2]..=high[2] {
                    let from = cells.partition_point(|(cell, _)| *cell < [x, y, z]);
                    let here = cells[from..]
                        .iter()
                        .take_while(|(cell, _)| *cell == [x, y, z]);
                    let same = here.filter(|(_, other)| position(*other).distance(at) <= near);
                    lowest = same.fold(lowest, |lowest, (_, other)| lowest.min(*other));
                }
            }
        }
        first[v as usize] = first[lowest as usize];
    }
    let weld = |corners: &[u32; 3]| {
        let [a, b, c] = corners.map(|v| first[v as usize]);
        if a == b || b == c || c == a {
            *corners
        } else {
            [a, b, c]
        }
    };
    triangles.iter().map(weld).collect()
}

/// Makes the open sides flat beyond which other triangles go on in the same plane all along.
pub(super) fn close_junctions(
    vertices: &[Vec3],
    triangles: &[[u32; 3]],
    tree: &Tree,
    kinds: &mut [[EdgeKind; 3]],
) {
    let shift = JUNCTION_SHIFT * weld_distance(vertices);
    let corners = |t: u32| triangles[t as usize].map(|v| vertices[v as usize]);
    let whole = |t: u32| Triangle::new(corners(t).map(|corner| corner.as_dvec3()));
    let (mut near, mut spans) = (Vec::new(), Vec::new());
    for t in 0..triangles.len() as u32 {
        let open = kinds[t as usize].map(|kind| kind == EdgeKind::Boundary);
        for side in (0..3).filter(|&side| open[side]) {
            let triangle = whole(t);
            let line = Line {
                from: triangle.corners[side] + shift * triangle.outward(side),
                along: triangle.side(side),
                outward: triangle.outward(side),
                normal: triangle.normal,
                shift,
            };
            let [p, q] = [line.from, line.from + line.along].map(DVec3::as_vec3);
            let room = Vec3::splat(4.0 * shift as f32);
            let around = Aabb {
                min: p.min(q) - room,
                max: p.max(q) + room,
            };
            near.clear();
            let meets = |other: u32| {
                let own = bounds_of(corners(other));
                own.min.cmple(around.max).all() && around.min.cmple(own.max).all()
            };
            tree.collect(&around, meets, &mut near);
            spans.clear();
            let others = near.iter().filter(|other| **other != t);
            spans.extend(others.filter_map(|&other| line.over(&whole(other))));
            if is_covered(&mut spans) {
                kinds[t as usize][side] = EdgeKind::Flat;
            }
        }
    }
}

/// A line just beyond a side.
struct Line {
    from: DVec3,
    along: DVec3,
    outward: DVec3,
    normal: DVec3,
    /// How far it is from the side, in metres.
    shift: f64,
}

impl Line {
    /// The part of it over a triangle in its plane, as shares of its length.
    fn over(&self, triangle: &Triangle) -> Option<(f64, f64)> {
        let length = self.along.length();
        let normal = triangle.normal;
        let is_level = normal.dot(self.normal) > 0.0
            && normal.dot(self.outward).abs() <= FLAT_EDGE_SINE
            && normal.dot(self.along).abs() <= FLAT_EDGE_SINE * length;
        if !is_level {
            return None;
        }
        let (mut start, mut end) = (0.0_f64, 1.0_f64);
        for side in 0..3 {
            let outward = triangle.outward(side);
            let beyond = outward.dot(self.from - triangle.corners[side]);
            let growth = outward.dot(self.along);
            if growth == 0.0 && beyond > 0.0 {
                return None;
            } else if growth > 0.0 {
                end = end.min(-beyond / growth);
            } else if growth < 0.0 {
                start = start.max(-beyond / growth);
            }
        }
        let is_in_plane = |share: f64| {
            let at = self.from + share * self.along;
            triangle.height(at).abs() <= self.shift
        };
        (start < end && is_in_plane(start) && is_in_plane(end)).then_some((start, end))
    }
}

/// Whether parts of a line leave no gap worth the name.
fn is_covered(spans: &mut [(f64, f64)]) -> bool {
    spans.sort_unstable_by(|p, q| p.0.total_cmp(&q.0).then(p.1.total_cmp(&q.1)));
    let mut reached = 0.0;
    for &(start, end) in spans.iter() {
        if start > reached + JUNCTION_GAP {
            return false;
        }
        reached = f64::max(reached, end);
    }
    reached >= 1.0 - JUNCTION_GAP
}
