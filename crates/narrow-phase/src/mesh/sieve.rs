//! Eight triangles at a time: which of them a shape cannot touch.
//!
//! What stands for the shape are a few corners and planes around it, in `f32` and seen from
//! a point near it, so that rounding goes by the size of things and not by where they are. A
//! triangle is out when its own plane, a plane of the shape, or one square to a side lies
//! between the two with the margin to spare; every other one is asked exactly.

use drystone_geometry::glam::{DVec3, Vec3};
use drystone_geometry::lanes::{LANES, Lane3, Level, Vec3x8, dispatch, f32x8, max, min, prelude::*};
use drystone_geometry::{Frame, Shape, Surface};

use crate::convex::Core;
use crate::tolerance::{SIEVE_CORNERS, SIEVE_PLANES, SIEVE_ROUNDING, SIEVE_SIDE_CORNERS};

/// Corners and planes around a shape, in the surface's axes.
#[derive(Debug)]
pub(super) struct Sieve {
    level: Level,
    /// What places are told from, in the surface's frame.
    origin: Vec3,
    corners: Vec<Vec3>,
    /// Unit normals and offsets of planes that the corners lie behind.
    planes: Vec<(Vec3, f32)>,
    /// Around the corners, in metres.
    radius: f32,
    /// Largest distance of a corner from the origin, in metres.
    extent: f32,
    /// The triangles that came through, ascending.
    pub(super) passed: Vec<u32>,
}

impl Default for Sieve {
    fn default() -> Self {
        Self {
            level: Level::new(),
            origin: Vec3::ZERO,
            corners: Vec::new(),
            planes: Vec::new(),
            radius: 0.0,
            extent: 0.0,
            passed: Vec::new(),
        }
    }
}

impl Sieve {
    /// Takes a shape, given with its core if that has corners or is a point or segment, and
    /// its pose in the surface's frame. `center` is a point near it.
    pub(super) fn take(
        &mut self,
        shape: &Shape,
        core: Option<&Core<'_>>,
        radius: f64,
        frame: &Frame,
        center: DVec3,
    ) {
        self.origin = center.as_vec3();
        self.corners.clear();
        self.planes.clear();
        self.radius = radius as f32 * (1.0 + SIEVE_ROUNDING);
        let away = frame.translation - self.origin.as_dvec3();
        let place = |point: DVec3| (frame.rotation * point + away).as_vec3();
        let polytope = core.and_then(Core::polytope);
        match (core, &polytope) {
            (Some(Core::Point), _) => self.corners.push(away.as_vec3()),
            (Some(Core::Segment(half_height)), _) => {
                let end = DVec3::new(0.0, *half_height, 0.0);
                self.corners.extend([place(-end), place(end)]);
            }
            (_, Some(polytope))
                if polytope.vertices.len() <= SIEVE_CORNERS
                    && polytope.faces.len() <= SIEVE_PLANES =>
            {
                let corners = polytope.vertices.iter().map(|v| place(v.as_dvec3()));
                self.corners.extend(corners);
                self.planes.extend(polytope.faces.iter().map(|face| {
                    let normal = frame.rotation * face.normal;
                    (normal.as_vec3(), (face.offset + normal.dot(away)) as f32)
                }));
            }
            _ => {
                // The box around the shape, its radius included.
                self.radius = 0.0;
                let bounds = shape.bounds_in(&Frame::IDENTITY);
                for corner in 0..8 {
                    let side = |axis: usize| {
                        let end = if corner >> axis & 1 == 1 { bounds.max } else { bounds.min };
                        end[axis]
                    };
                    self.corners.push(place(DVec3::new(side(0), side(1), side(2))));
                }
                for axis in 0..3 {
                    let normal = frame.rotation.col(axis);
                    let offset = normal.dot(away);
                    let (low, high) = (bounds.min[axis], bounds.max[axis]);
                    self.planes.push((normal.as_vec3(), (high + offset) as f32));
                    self.planes.push((-normal.as_vec3(), (-low - offset) as f32));
                }
            }
        }
        let farthest = |most: f32, corner: &Vec3| most.max(corner.length());
        self.extent = self.corners.iter().fold(0.0, farthest);
    }

    /// Sorts triangles out: those that may come within `margin` metres of the shape are in
    /// `passed` afterwards. Returns how far the nearest other one is beyond the margin, at
    /// least; huge if there is none.
    pub(super) fn sort_out(&mut self, surface: Surface<'_>, ids: &[u32], margin: f32) -> f32 {
        self.passed.clear();
        let mut passed = std::mem::take(&mut self.passed);
        let level = self.level;
        let least = dispatch!(level, simd => self.run(simd, surface, ids, margin, &mut passed));
        self.passed = passed;
        least - margin
    }

    #[inline(always)]
    fn run<S: Simd>(
        &self,
        simd: S,
        surface: Surface<'_>,
        ids: &[u32],
        margin: f32,
        passed: &mut Vec<u32>,
    ) -> f32 {
        let limit = f32x8::splat(simd, margin);
        let mut least = f32x8::splat(simd, f32::MAX);
        let mut triangles = [Lane3::ZERO; 3];
        for eight in ids.chunks(LANES) {
            for lane in 0..LANES {
                let id = eight[lane.min(eight.len() - 1)];
                let [a, b, c] = surface.corners(id);
                triangles[0].set(lane, a - self.origin);
                triangles[1].set(lane, b - self.origin);
                triangles[2].set(lane, c - self.origin);
            }
            let gap = self.gap(simd, &triangles);
            let is_out = gap.simd_gt(limit);
            least = is_out.select(min(gap, least), least);
            let out = is_out.to_bitmask() as u32;
            for (lane, id) in eight.iter().enumerate() {
                if out >> lane & 1 == 0 {
                    passed.push(*id);
                }
            }
        }
        least.to_array().into_iter().fold(f32::MAX, f32::min)
    }

    /// Lower bounds of the signed distance of the shape and eight triangles, in metres.
    #[inline(always)]
    fn gap<S: Simd>(&self, simd: S, triangles: &[Lane3; 3]) -> f32x8<S> {
        let [a, b, c] = triangles;
        let (a, b, c) = (a.load(simd), b.load(simd), c.load(simd));
        let (ab, bc, ca) = (b - a, c - b, a - c);
        let cross = ca.cross(ab);
        // Twice the area. A triangle too small for it passes.
        let area = cross.length();
        let tiny = area.simd_le(f32x8::splat(simd, f32::MIN_POSITIVE));
        let area = tiny.select(f32x8::splat(simd, 1.0), area);
        let normal = cross.scale(f32x8::splat(simd, 1.0) / area);
        let mut gap = self.least_along(simd, normal) - normal.dot(a);
        for (plane, offset) in &self.planes {
            let plane = Vec3x8::splat(simd, *plane);
            let nearest = min(min(plane.dot(a), plane.dot(b)), plane.dot(c));
            gap = max(gap, nearest - f32x8::splat(simd, *offset));
        }
        let (ab_sq, ca_sq) = (ab.length_sq(), ca.length_sq());
        let mut stretch = (ab_sq + ca_sq) / area;
        if self.corners.len() <= SIEVE_SIDE_CORNERS {
            let bc_sq = bc.length_sq();
            let ab_out = ab.cross(normal).scale(f32x8::splat(simd, 1.0) / ab_sq.sqrt());
            let bc_out = bc.cross(normal).scale(f32x8::splat(simd, 1.0) / bc_sq.sqrt());
            let ca_out = ca.cross(normal).scale(f32x8::splat(simd, 1.0) / ca_sq.sqrt());
            gap = max(gap, self.least_along(simd, ab_out) - ab_out.dot(a));
            gap = max(gap, self.least_along(simd, bc_out) - bc_out.dot(b));
            gap = max(gap, self.least_along(simd, ca_out) - ca_out.dot(c));
            stretch = stretch + bc_sq / area;
        }
        // A unit normal is off by some units of rounding times how stretched the triangle
        // is; the planes of the shape by less.
        let far = max(max(a.length_sq(), b.length_sq()), c.length_sq()).sqrt();
        let reach = far + f32x8::splat(simd, self.extent + self.radius);
        let slack = reach * stretch * f32x8::splat(simd, SIEVE_ROUNDING);
        let gap = gap - f32x8::splat(simd, self.radius) - slack;
        tiny.select(f32x8::splat(simd, f32::MIN), gap)
    }

    /// The least of the corners along eight directions.
    #[inline(always)]
    fn least_along<S: Simd>(&self, simd: S, directions: Vec3x8<S>) -> f32x8<S> {
        let mut least = f32x8::splat(simd, f32::MAX);
        for corner in &self.corners {
            least = min(directions.dot(Vec3x8::splat(simd, *corner)), least);
        }
        least
    }
}
