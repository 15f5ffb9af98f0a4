//! Eight triangles at a time: which of them a shape cannot touch.
//!
//! The triangles near a shape lie in groups of eight, the boxes around eight groups side by side:
//! first boxes are sorted out, then the triangles of those that are left. What stands for the shape
//! are a few corners and planes around it, in `f32` and seen from a point near it, so that rounding
//! goes by the size of things and not by where they are. A triangle is out when its own plane, a
//! plane of the shape, or one square to a side lies between the two with the margin to spare; every
//! other one is asked exactly.

use drystone_geometry::glam::{DVec3, Vec3};
use drystone_geometry::lanes::{LANES, Lane3, Vec3x8, dispatch, f32x8, max, min, prelude::*};
use drystone_geometry::{Frame, Shape, SimdLevel, Surface};
use serde::{Deserialize, Serialize};

use crate::convex::Core;
use crate::tolerance::{
    SIEVE_BOX_SHARE, SIEVE_CORNERS, SIEVE_PLANES, SIEVE_ROUNDING, SIEVE_SIDE_CORNERS,
};

/// Triangles to one set of boxes.
const SET: usize = LANES * LANES;

/// Boxes around eight groups of eight triangles each, in the surface's frame.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Boxes {
    min: Lane3,
    max: Lane3,
}

impl Boxes {
    /// The boxes around triangles, `SET` at a time; unused ones are those of the last group.
    pub(super) fn around(surface: Surface<'_>, ids: &[u32], out: &mut Vec<Self>) {
        out.clear();
        for set in ids.chunks(SET) {
            let mut boxes = Self {
                min: Lane3::ZERO,
                max: Lane3::ZERO,
            };
            let mut last = (Vec3::ZERO, Vec3::ZERO);
            let mut groups = set.chunks(LANES);
            for lane in 0..LANES {
                if let Some(group) = groups.next() {
                    last = (Vec3::INFINITY, Vec3::NEG_INFINITY);
                    for &id in group {
                        let own = surface.triangle_bounds(id);
                        last = (last.0.min(own.min), last.1.max(own.max));
                    }
                }
                boxes.min.set(lane, last.0);
                boxes.max.set(lane, last.1);
            }
            out.push(boxes);
        }
    }

    /// Reads one number of every other line of memory.
    #[inline]
    pub(super) fn read(&self) -> u32 {
        let [low, high] = [self.min.get(0), self.max.get(0)];
        (low.x.to_bits() ^ low.z.to_bits()) ^ (high.y.to_bits() ^ high.z.to_bits())
    }

    /// Whether there are as many sets as so many triangles need, of boxes that are numbers.
    pub(super) fn fit(sets: &[Self], triangles: usize) -> bool {
        let finite = |lanes: &Lane3| (0..LANES).all(|lane| lanes.get(lane).is_finite());
        sets.len() == triangles.div_ceil(SET)
            && sets.iter().all(|set| finite(&set.min) && finite(&set.max))
    }
}

/// Corners and planes around a shape, in the surface's axes.
#[derive(Debug)]
pub(super) struct Sieve {
    /// What places are told from, in the surface's frame.
    origin: Vec3,
    corners: Vec<Vec3>,
    /// Unit normals and offsets of planes that the corners lie behind.
    planes: Vec<(Vec3, f32)>,
    /// Around the corners, in metres.
    radius: f32,
    /// Largest distance of a corner from the origin, in metres.
    extent: f32,
    /// The box around the corners, from the origin.
    bounds: (Vec3, Vec3),
    /// The triangles that came through, ascending.
    pub(super) passed: Vec<u32>,
}

impl Default for Sieve {
    fn default() -> Self {
        Self {
            origin: Vec3::ZERO,
            corners: Vec::new(),
            planes: Vec::new(),
            radius: 0.0,
            extent: 0.0,
            bounds: (Vec3::ZERO, Vec3::ZERO),
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
                        let end = if corner >> axis & 1 == 1 {
                            bounds.max
                        } else {
                            bounds.min
                        };
                        end[axis]
                    };
                    self.corners
                        .push(place(DVec3::new(side(0), side(1), side(2))));
                }
                for axis in 0..3 {
                    let normal = frame.rotation.col(axis);
                    let offset = normal.dot(away);
                    let (low, high) = (bounds.min[axis], bounds.max[axis]);
                    self.planes.push((normal.as_vec3(), (high + offset) as f32));
                    self.planes
                        .push((-normal.as_vec3(), (-low - offset) as f32));
                }
            }
        }
        let farthest = |most: f32, corner: &Vec3| most.max(corner.length());
        self.extent = self.corners.iter().fold(0.0, farthest);
        let first = (self.corners[0], self.corners[0]);
        let around =
            |(low, high): (Vec3, Vec3), corner: &Vec3| (low.min(*corner), high.max(*corner));
        self.bounds = self.corners.iter().fold(first, around);
    }

    /// Sorts triangles out: those that may come within `margin` metres of the shape are in
    /// `passed` afterwards, ascending. `sets` are the boxes around them. Returns how far the
    /// nearest other one is beyond the margin, at least; huge if there is none.
    pub(super) fn sort_out(
        &mut self,
        surface: Surface<'_>,
        ids: &[u32],
        sets: &[Boxes],
        margin: f32,
        level: SimdLevel,
    ) -> f32 {
        let mut passed = std::mem::take(&mut self.passed);
        passed.clear();
        let least = dispatch!(level.or_best(), simd => self.run(simd, surface, (ids, sets), margin, &mut passed));
        passed.sort_unstable();
        self.passed = passed;
        least - margin
    }

    #[inline(always)]
    fn run<S: Simd>(
        &self,
        simd: S,
        surface: Surface<'_>,
        (ids, sets): (&[u32], &[Boxes]),
        margin: f32,
        passed: &mut Vec<u32>,
    ) -> f32 {
        let limit = f32x8::splat(simd, margin);
        // Boxes a little farther are opened too: what they hold is farther than they are,
        // and what is known to be far need not be asked again soon.
        let box_limit = f32x8::splat(simd, margin + SIEVE_BOX_SHARE * self.extent);
        let mut least = f32x8::splat(simd, f32::MAX);
        let mut triangles = [Lane3::ZERO; 3];
        for (set, boxes) in ids.chunks(SET).zip(sets) {
            let gap = self.gap_of_boxes(simd, boxes);
            let is_out = gap.simd_gt(box_limit);
            least = is_out.select(min(gap, least), least);
            let set_out = is_out.to_bitmask() as u32;
            for (group, eight) in set.chunks(LANES).enumerate() {
                if set_out >> group & 1 == 1 {
                    continue;
                }
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
        }
        least.to_array().into_iter().fold(f32::MAX, f32::min)
    }

    /// Lower bounds of the signed distance of the shape and eight boxes, in metres.
    #[inline(always)]
    fn gap_of_boxes<S: Simd>(&self, simd: S, boxes: &Boxes) -> f32x8<S> {
        let origin = Vec3x8::splat(simd, self.origin);
        let low = boxes.min.load(simd) - origin;
        let high = boxes.max.load(simd) - origin;
        let above = low - Vec3x8::splat(simd, self.bounds.1);
        let below = Vec3x8::splat(simd, self.bounds.0) - high;
        let apart = above.max(below);
        let mut gap = max(max(apart.x, apart.y), apart.z);
        for (plane, offset) in &self.planes {
            // The corner of the boxes that is farthest behind the plane.
            let x = if plane.x > 0.0 { low.x } else { high.x };
            let y = if plane.y > 0.0 { low.y } else { high.y };
            let z = if plane.z > 0.0 { low.z } else { high.z };
            let nearest = Vec3x8 { x, y, z }.dot(Vec3x8::splat(simd, *plane));
            gap = max(gap, nearest - f32x8::splat(simd, *offset));
        }
        let far = low.max(-low).max(high.max(-high)).length();
        let reach = far + f32x8::splat(simd, self.extent + self.radius);
        let slack = reach * f32x8::splat(simd, SIEVE_ROUNDING);
        gap - f32x8::splat(simd, self.radius) - slack
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
            let ab_out = ab
                .cross(normal)
                .scale(f32x8::splat(simd, 1.0) / ab_sq.sqrt());
            let bc_out = bc
                .cross(normal)
                .scale(f32x8::splat(simd, 1.0) / bc_sq.sqrt());
            let ca_out = ca
                .cross(normal)
                .scale(f32x8::splat(simd, 1.0) / ca_sq.sqrt());
            gap = max(gap, self.least_along(simd, ab_out) - ab_out.dot(a));
            gap = max(gap, self.least_along(simd, bc_out) - bc_out.dot(b));
            gap = max(gap, self.least_along(simd, ca_out) - ca_out.dot(c));
            stretch += bc_sq / area;
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

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_geometry::SimdLevel;
    use drystone_geometry::mesh::MeshOptions;
    use drystone_geometry::{Shape, TriangleMesh};

    use crate::convex::{lend_polytope, radius};
    use crate::distance;

    /// Numbers between -1 and 1 by a linear congruential generator.
    struct Numbers(u64);

    impl Numbers {
        fn next(&mut self) -> f64 {
            self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1);
            (self.0 >> 33) as f64 / f64::from(1u32 << 30) - 1.0
        }

        fn vector(&mut self) -> DVec3 {
            DVec3::new(self.next(), self.next(), self.next())
        }

        fn frame(&mut self) -> Frame {
            let x = (self.vector() + 0.1).normalize();
            let y = x.cross(self.vector() + 0.2).normalize();
            Frame {
                rotation: drystone_geometry::glam::DMat3::from_cols(x, y, x.cross(y)),
                translation: 2.0 * self.vector(),
            }
        }
    }

    fn shapes(numbers: &mut Numbers) -> Vec<Shape> {
        let mut cloud = |count: usize| -> Vec<Vec3> {
            (0..count).map(|_| numbers.vector().as_vec3()).collect()
        };
        vec![
            Shape::sphere(0.3),
            Shape::capsule(0.4, 0.2),
            Shape::cube(Vec3::new(0.5, 0.1, 0.9)),
            Shape::hull(&cloud(10)).expect("a solid"),
            Shape::hull(&cloud(300)).expect("a solid"),
            Shape::cylinder(0.4, 0.3),
            Shape::cone(0.4, 0.3),
        ]
    }

    /// Triangles from needles of a millimetre to sheets of a kilometre around shapes of a
    /// metre: what is sorted out is at least as far as said, by the certified distance, and a
    /// tenth of the near ones or more of the far are. Every instruction set gives the same.
    #[test]
    fn what_is_sorted_out_is_as_far_as_said_on_every_instruction_set() {
        let numbers = &mut Numbers(7);
        let (mut out, mut all) = (0, 0);
        for round in 0..60 {
            let mut vertices = Vec::new();
            for _ in 0..100 {
                let size = libm::pow(
                    10.0,
                    1.5 * numbers.next() + if round % 3 == 0 { 1.5 } else { 0.0 },
                );
                let at = 3.0 * numbers.vector();
                let thin = if round % 2 == 0 { 1.0 } else { 0.001 };
                let (u, v) = (numbers.vector(), numbers.vector());
                let corners = [at, at + size * u, at + size * (u + thin * v)];
                vertices.extend(corners.map(|corner| corner.as_vec3()));
            }
            let triangles: Vec<[u32; 3]> =
                (0..100).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
            let mesh = TriangleMesh::new(&vertices, &triangles, MeshOptions::default());
            let mesh = mesh.expect("a good mesh");
            let ids: Vec<u32> = (0..100).collect();
            let mut boxes = Vec::new();
            Boxes::around(mesh.surface(), &ids, &mut boxes);
            for shape in shapes(numbers) {
                let frame = numbers.frame();
                let lent = lend_polytope(&shape);
                let core = Core::of(&shape, &lent);
                let mut first: Option<(f32, Vec<u32>)> = None;
                for level in SimdLevel::available() {
                    let mut sieve = Sieve::default();
                    let center = frame.translation;
                    sieve.take(&shape, core.as_ref(), radius(&shape), &frame, center);
                    let beyond = sieve.sort_out(mesh.surface(), &ids, &boxes, 0.02, level);
                    let answer = (beyond, sieve.passed);
                    assert_eq!(first.get_or_insert(answer.clone()), &answer, "{level}");
                }
                let (beyond, passed) = first.expect("a level");
                for id in ids.iter().filter(|id| !passed.contains(id)) {
                    let triangle = Shape::Triangle {
                        points: mesh.corners(*id),
                    };
                    let truth = distance(&triangle, &shape, &frame);
                    let least = 0.02 + f64::from(beyond);
                    assert!(
                        least > 0.02 && truth.upper >= least,
                        "{} {truth:?} {least}",
                        shape.kind_name()
                    );
                }
                out += ids.len() - passed.len();
                all += ids.len();
            }
        }
        assert!(2 * out > all, "{out} of {all}");
    }
}
