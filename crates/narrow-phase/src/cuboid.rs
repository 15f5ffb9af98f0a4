//! Boxes and segments by separating axes, in closed form.
//!
//! The Minkowski difference of boxes and segments is a zonotope: its face normals are the
//! boxes' axes and the cross products of their edges, 15 for two boxes. The largest gap
//! over them is therefore the exact signed distance in overlap, and a lower bound apart.
//!
//! Ericson, *Real-Time Collision Detection* (2005), section 4.4.1.

use drystone_geometry::Frame;
use drystone_geometry::glam::DVec3;

use crate::tolerance::{EDGE_ROUNDING, PARALLEL_SINE};

/// One direction and the gap between the shapes along it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Axis {
    /// Gap between the supporting planes, in metres; negative in overlap.
    pub(crate) gap: f64,
    /// Unit, from A to B, in A's frame.
    pub(crate) normal: DVec3,
}

/// The widest gap of each class of axes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Axes {
    /// Over the faces of A.
    pub(crate) face_a: Axis,
    /// Over the faces of B.
    pub(crate) face_b: Axis,
    /// Over pairs of edges.
    pub(crate) edges: Axis,
    /// The faces, of A and of B, that are the widest gaps' of theirs.
    pub(crate) faces: [u32; 2],
}

impl Axis {
    const NONE: Self = Self {
        gap: f64::NEG_INFINITY,
        normal: DVec3::ZERO,
    };

    #[inline(always)]
    fn widen(&mut self, gap: f64, normal: DVec3) {
        if gap > self.gap {
            *self = Self { gap, normal };
        }
    }
}

impl Axes {
    const NONE: Self = Self {
        face_a: Axis::NONE,
        face_b: Axis::NONE,
        edges: Axis::NONE,
        faces: [0; 2],
    };

    /// The widest gap of all.
    #[inline(always)]
    pub(crate) fn widest(&self) -> Axis {
        let mut best = self.face_a;
        for axis in [self.face_b, self.edges] {
            if axis.gap > best.gap {
                best = axis;
            }
        }
        best
    }
}

/// The axes of two boxes with these half extents. Ends early, with what it has, once a
/// gap exceeds `limit` metres.
#[inline(always)]
pub(crate) fn box_box(half_a: DVec3, half_b: DVec3, b_in_a: &Frame, limit: f64) -> Axes {
    let mut axes = Axes::NONE;
    let rotation = b_in_a.rotation;
    let abs = [
        rotation.x_axis.abs(),
        rotation.y_axis.abs(),
        rotation.z_axis.abs(),
    ];
    let t = b_in_a.translation;
    let reach_b = half_b.x * abs[0] + half_b.y * abs[1] + half_b.z * abs[2];
    let gaps = t.abs() - half_a - reach_b;
    for i in 0..3 {
        if gaps[i] > axes.face_a.gap {
            let mut normal = DVec3::ZERO;
            normal[i] = 1f64.copysign(t[i]);
            axes.face_a = Axis {
                gap: gaps[i],
                normal,
            };
            axes.faces[0] = 2 * i as u32 + u32::from(t[i].is_sign_positive());
        }
    }
    if axes.face_a.gap > limit {
        return axes;
    }
    faces_of_b(&mut axes, half_a, half_b, b_in_a, &abs);
    if axes.face_b.gap > limit {
        return axes;
    }
    let scale = half_a.length() + half_b.length() + t.length();
    let floor = axes.face_a.gap.max(axes.face_b.gap) - EDGE_ROUNDING * scale;
    for i in 0..3 {
        edges_with(&mut axes.edges, i, half_a, half_b, b_in_a, &abs, floor);
    }
    axes
}

/// The axes of a segment along A's Y axis and a box. There are no faces on A.
pub(crate) fn segment_box(half_height: f64, half_b: DVec3, b_in_a: &Frame) -> Axes {
    let mut axes = Axes::NONE;
    let half_a = DVec3::new(0.0, half_height, 0.0);
    let rotation = b_in_a.rotation;
    let abs = [
        rotation.x_axis.abs(),
        rotation.y_axis.abs(),
        rotation.z_axis.abs(),
    ];
    faces_of_b(&mut axes, half_a, half_b, b_in_a, &abs);
    let scale = half_height + half_b.length() + b_in_a.translation.length();
    let floor = axes.face_b.gap - EDGE_ROUNDING * scale;
    edges_with(&mut axes.edges, 1, half_a, half_b, b_in_a, &abs, floor);
    axes
}

#[inline(always)]
fn faces_of_b(axes: &mut Axes, half_a: DVec3, half_b: DVec3, b_in_a: &Frame, abs: &[DVec3; 3]) {
    let columns = columns(b_in_a);
    for j in 0..3 {
        let along = b_in_a.translation.dot(columns[j]);
        let gap = along.abs() - half_b[j] - half_a.dot(abs[j]);
        if gap > axes.face_b.gap {
            axes.face_b = Axis {
                gap,
                normal: columns[j] * 1f64.copysign(along),
            };
            // The one towards A.
            axes.faces[1] = 2 * j as u32 + u32::from(along.is_sign_negative());
        }
    }
}

#[inline(always)]
fn columns(b_in_a: &Frame) -> [DVec3; 3] {
    let rotation = b_in_a.rotation;
    [rotation.x_axis, rotation.y_axis, rotation.z_axis]
}

/// The three axes across edge direction `i` of A. The projections are taken along the
/// rounded axis itself, so that the gap is true of it even when the edges are nearly
/// parallel.
///
/// An axis whose gap is not above `floor` may be left out. It is known from the cross
/// product before that is made unit: its length is at most 1, so an overlap only grows.
#[inline(always)]
fn edges_with(
    best: &mut Axis,
    i: usize,
    half_a: DVec3,
    half_b: DVec3,
    b_in_a: &Frame,
    abs: &[DVec3; 3],
    floor: f64,
) {
    let (next, last) = ((i + 1) % 3, (i + 2) % 3);
    let columns = columns(b_in_a);
    let t = b_in_a.translation;
    for j in 0..3 {
        let r = columns[j];
        let cross = match i {
            0 => DVec3::new(0.0, -r.z, r.y),
            1 => DVec3::new(r.z, 0.0, -r.x),
            _ => DVec3::new(-r.y, r.x, 0.0),
        };
        let (after, before) = ((j + 1) % 3, (j + 2) % 3);
        let reach = half_a[next] * abs[j][last]
            + half_a[last] * abs[j][next]
            + half_b[after] * abs[before][i]
            + half_b[before] * abs[after][i];
        let overlap = reach - cross.dot(t).abs();
        if overlap > 0.0 && -overlap < floor {
            continue;
        }
        let sine_sq = cross.length_squared();
        if sine_sq <= PARALLEL_SINE * PARALLEL_SINE {
            continue;
        }
        let normal = cross / sine_sq.sqrt();
        let along = normal.dot(t);
        let reach_a = half_a.dot(normal.abs());
        let reach_b = half_b.x * normal.dot(columns[0]).abs()
            + half_b.y * normal.dot(columns[1]).abs()
            + half_b.z * normal.dot(columns[2]).abs();
        best.widen(
            along.abs() - reach_a - reach_b,
            normal * 1f64.copysign(along),
        );
    }
}
