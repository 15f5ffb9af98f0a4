//! A mesh or a height field, seen alike, and the queries on both.

use glam::{DVec3, Vec3};

use super::triangle_mesh::bounds_of;
use super::{Closest, EdgeKind, HeightField, Ray, Triangle, TriangleMesh};
use crate::{Aabb, tolerance};

/// A borrowed surface.
#[derive(Clone, Copy, Debug)]
pub enum Surface<'a> {
    /// A mesh.
    Mesh(&'a TriangleMesh),
    /// A height field.
    HeightField(&'a HeightField),
}

/// Where a ray meets a surface, or the point of a surface nearest to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfaceHit {
    /// The triangle.
    pub triangle: u32,
    /// The point, in the surface's frame.
    pub point: DVec3,
    /// Unit normal of the triangle, of its front.
    pub normal: DVec3,
    /// Distance in metres; along a ray, in lengths of its direction.
    pub distance: f64,
}

/// What a closing search knows.
struct Best {
    hit: Option<SurfaceHit>,
    limit: f64,
}

impl<'a> Surface<'a> {
    /// Number of triangle ids; those in the holes of a height field count.
    pub fn triangle_count(&self) -> usize {
        match self {
            Self::Mesh(mesh) => mesh.triangles().len(),
            Self::HeightField(field) => field.triangle_count(),
        }
    }

    /// Whether triangles are felt from behind as well.
    #[inline]
    pub fn is_two_sided(&self) -> bool {
        match self {
            Self::Mesh(mesh) => mesh.is_two_sided(),
            Self::HeightField(_) => false,
        }
    }

    /// The box around all of it.
    pub fn bounds(&self) -> Aabb {
        match self {
            Self::Mesh(mesh) => mesh.bounds(),
            Self::HeightField(field) => field.bounds(),
        }
    }

    /// Indices of a triangle's corners.
    #[inline]
    pub fn corner_ids(&self, triangle: u32) -> [u32; 3] {
        match self {
            Self::Mesh(mesh) => mesh.triangles()[triangle as usize],
            Self::HeightField(field) => field.corner_ids(triangle),
        }
    }

    /// Positions of a triangle's corners.
    #[inline]
    pub fn corners(&self, triangle: u32) -> [Vec3; 3] {
        match self {
            Self::Mesh(mesh) => mesh.corners(triangle),
            Self::HeightField(field) => field.corners(triangle),
        }
    }

    /// A triangle in `f64`.
    #[inline]
    pub fn triangle(&self, triangle: u32) -> Triangle {
        let [a, b, c] = self.corners(triangle);
        Triangle::new([a.as_dvec3(), b.as_dvec3(), c.as_dvec3()])
    }

    /// How the surface bends at the sides of a triangle.
    #[inline]
    pub fn kinds(&self, triangle: u32) -> [EdgeKind; 3] {
        match self {
            Self::Mesh(mesh) => mesh.kinds(triangle),
            Self::HeightField(field) => field.kinds(triangle),
        }
    }

    /// Whether a corner of a triangle is on an edge that is sharp, seen from the front, or
    /// where the surface ends.
    #[inline]
    pub fn is_near_sharp(&self, triangle: u32) -> bool {
        match self {
            Self::Mesh(mesh) => mesh.is_near_sharp(triangle),
            Self::HeightField(field) => field.is_near_sharp(triangle),
        }
    }

    /// The side beyond a side, as `3 * triangle + side`.
    #[inline]
    pub fn beyond(&self, triangle: u32, side: usize) -> Option<u32> {
        match self {
            Self::Mesh(mesh) => mesh.beyond(triangle, side),
            Self::HeightField(field) => field.beyond(triangle, side),
        }
    }

    /// The box around a triangle.
    #[inline]
    pub fn triangle_bounds(&self, triangle: u32) -> Aabb {
        bounds_of(self.corners(triangle))
    }

    /// Replaces `out` by the triangles whose boxes meet `around` (touching counts), in
    /// ascending order.
    pub fn triangles_in(&self, around: &Aabb, out: &mut Vec<u32>) {
        self.triangles_near(around, out);
        if let Self::Mesh(_) = self {
            out.sort_unstable();
        }
    }

    /// The same in an order of the surface's own, in which neighbours are mostly near each
    /// other.
    pub fn triangles_near(&self, around: &Aabb, out: &mut Vec<u32>) {
        out.clear();
        let meets = |triangle: u32| {
            let own = self.triangle_bounds(triangle);
            own.min.cmple(around.max).all() && around.min.cmple(own.max).all()
        };
        match self {
            Self::Mesh(mesh) => {
                mesh.tree().collect(around, meets, out);
            }
            Self::HeightField(field) => {
                let Some([rows, columns]) = field.cells_under(around) else {
                    return;
                };
                let across = field.columns() as u32 - 1;
                for row in rows {
                    for column in columns.clone() {
                        let first = 2 * (row * across + column);
                        let both = [first, first + 1];
                        out.extend(both.into_iter().filter(|&t| !field.is_hole(t) && meets(t)));
                    }
                }
            }
        }
    }

    /// The first triangle that a ray meets, from either side; `direction` may have any
    /// length whose square is an ordinary number, in which the distance is told. Nothing
    /// beyond `limit` counts; of triangles at the same distance the one with the lowest
    /// index. Nothing passes between triangles that share a side or a corner; what lies along
    /// the ray is not met.
    pub fn ray(&self, origin: DVec3, direction: DVec3, limit: f64) -> Option<SurfaceHit> {
        self.ray_until(origin, direction, limit, false)
    }

    /// Whether a ray meets any triangle within `limit`. Quicker than [`Surface::ray`].
    pub fn ray_meets(&self, origin: DVec3, direction: DVec3, limit: f64) -> bool {
        self.ray_until(origin, direction, limit, true).is_some()
    }

    fn ray_until(
        &self,
        origin: DVec3,
        direction: DVec3,
        limit: f64,
        any: bool,
    ) -> Option<SurfaceHit> {
        let enters = |best: &Best, bounds: &Aabb| {
            let done = any && best.hit.is_some();
            let at = ray_enters(bounds, origin, direction, best.limit);
            at.filter(|_| !done)
        };
        let ray = Ray::new(origin, direction);
        let test = |best: &mut Best, id: u32| {
            let corners = self.corners(id).map(|corner| corner.as_dvec3());
            let Some(distance) = ray.meets(corners, best.limit) else {
                return;
            };
            let first = best
                .hit
                .is_none_or(|hit| distance < hit.distance || id < hit.triangle);
            if first {
                best.limit = distance;
                best.hit = Some(SurfaceHit {
                    triangle: id,
                    point: origin + direction * distance,
                    normal: Triangle::new(corners).normal,
                    distance,
                });
            }
        };
        let mut best = Best { hit: None, limit };
        match self {
            Self::Mesh(mesh) => mesh.tree().visit(&mut best, enters, test),
            Self::HeightField(field) => {
                walk_cells(field, origin, direction, &mut best, enters, test);
            }
        }
        best.hit
    }

    /// The point nearest to `point`, if it is no farther than `limit` metres; of triangles
    /// equally near the one with the lowest index.
    pub fn closest(&self, point: DVec3, limit: f64) -> Option<SurfaceHit> {
        let enters = |best: &Best, bounds: &Aabb| {
            let (min, max) = (bounds.min.as_dvec3(), bounds.max.as_dvec3());
            let gap_sq = (min - point)
                .max(point - max)
                .max(DVec3::ZERO)
                .length_squared();
            (gap_sq <= best.limit * best.limit * (1.0 + tolerance::SEARCH_ROUNDING))
                .then_some(gap_sq)
        };
        let test = |best: &mut Best, id: u32| {
            let triangle = self.triangle(id);
            let Closest { point: on, .. } = triangle.closest(point);
            let distance = on.distance(point);
            let nearer = distance <= best.limit
                && best
                    .hit
                    .is_none_or(|hit| distance < hit.distance || id < hit.triangle);
            if nearer {
                best.limit = distance;
                best.hit = Some(SurfaceHit {
                    triangle: id,
                    point: on,
                    normal: triangle.normal,
                    distance,
                });
            }
        };
        let mut best = Best { hit: None, limit };
        match self {
            Self::Mesh(mesh) => mesh.tree().visit(&mut best, enters, test),
            Self::HeightField(field) => rings(field, point, &mut best, test),
        }
        best.hit
    }
}

/// How far along a ray a box is entered, if it is before `limit`. The box is grown by more
/// than rounding, so no triangle in it is missed.
fn ray_enters(bounds: &Aabb, origin: DVec3, direction: DVec3, limit: f64) -> Option<f64> {
    let (min, max) = (bounds.min.as_dvec3(), bounds.max.as_dvec3());
    let reach = (min - origin).abs().max((max - origin).abs()).max_element();
    let slack = DVec3::splat(tolerance::SEARCH_ROUNDING * reach);
    let (low, high) = (min - slack - origin, max + slack - origin);
    let (mut from, mut to) = (0.0_f64, limit);
    for axis in 0..3 {
        let speed = direction[axis];
        if speed == 0.0 {
            if low[axis] > 0.0 || high[axis] < 0.0 {
                return None;
            }
            continue;
        }
        let (a, b) = (low[axis] / speed, high[axis] / speed);
        from = from.max(a.min(b));
        to = to.min(a.max(b));
    }
    // The limit itself is a computed distance: rounding must not shut the box it lies in.
    (from <= to * (1.0 + tolerance::SEARCH_ROUNDING)).then_some(from)
}

/// Tests the cells of a height field along a ray, row of columns by row of columns, each
/// narrowed to where the ray passes.
fn walk_cells(
    field: &HeightField,
    origin: DVec3,
    direction: DVec3,
    best: &mut Best,
    enters: impl Fn(&Best, &Aabb) -> Option<f64>,
    mut test: impl FnMut(&mut Best, u32),
) {
    let bounds = field.bounds();
    let mut strip = bounds;
    if enters(best, &bounds).is_none() {
        return;
    }
    let rows = field.rows() as u32 - 1;
    let forward = direction.z >= 0.0;
    for step in 0..rows {
        let row = if forward { step } else { rows - 1 - step };
        let z = |row: u32| field.vertex(row * field.columns() as u32).z;
        (strip.min.z, strip.max.z) = (z(row), z(row + 1));
        let Some(from) = enters(best, &strip) else {
            continue;
        };
        // Where the ray is while it is over the strip, grown to whole cells below.
        let leaves = if direction.z == 0.0 {
            best.limit
        } else {
            let end = if forward { strip.max.z } else { strip.min.z };
            ((f64::from(end) - origin.z) / direction.z).clamp(from, best.limit.max(from))
        };
        let width = f64::from(bounds.max.x - bounds.min.x);
        let x = |t: f64| {
            let at = origin.x
                + if direction.x == 0.0 {
                    0.0
                } else {
                    t * direction.x
                };
            at.clamp(
                f64::from(bounds.min.x) - width,
                f64::from(bounds.max.x) + width,
            )
        };
        let (first, last) = (x(from), x(leaves));
        let mut under = strip;
        under.min.x = first.min(last) as f32;
        under.max.x = first.max(last) as f32;
        let Some([_, columns]) = field.cells_under(&under) else {
            continue;
        };
        for column in columns {
            let triangle = 2 * (row * (field.columns() as u32 - 1) + column);
            if !field.is_hole(triangle) {
                test(best, triangle);
                test(best, triangle + 1);
            }
        }
    }
}

/// Tests cells in growing squares around a point until none outside can be nearer.
fn rings(field: &HeightField, point: DVec3, best: &mut Best, mut test: impl FnMut(&mut Best, u32)) {
    let (rows, columns) = (field.rows() as i64 - 1, field.columns() as i64 - 1);
    let (origin, cell) = (field.origin().as_dvec3(), field.cell().as_dvec2());
    let place = |at: f64, start: f64, size: f64, count: i64| {
        (((at - start) / size).floor() as i64).clamp(0, count - 1)
    };
    let row = place(point.z, origin.z, cell.y, rows);
    let column = place(point.x, origin.x, cell.x, columns);
    let size = cell.min_element();
    let mut visit = |best: &mut Best, r: i64, c: i64| {
        if (0..rows).contains(&r) && (0..columns).contains(&c) {
            let triangle = 2 * (r * columns + c) as u32;
            if !field.is_hole(triangle) {
                test(best, triangle);
                test(best, triangle + 1);
            }
        }
    };
    for ring in 0..rows.max(columns) {
        // Cells of this ring are at least so far away sideways; one less for rounding.
        if (ring - 2).max(0) as f64 * size > best.limit {
            break;
        }
        for c in column - ring..=column + ring {
            visit(best, row - ring, c);
            if ring > 0 {
                visit(best, row + ring, c);
            }
        }
        for r in row - ring + 1..row + ring {
            visit(best, r, column - ring);
            visit(best, r, column + ring);
        }
    }
}
