//! The point of a simplex nearest to the origin: the inner problem of GJK.
//!
//! Regions are told apart by signed areas and volumes taken with the face normal, never
//! by products of dot products; a flat triangle is answered by its edges and a flat
//! tetrahedron by all of its faces.

use drystone_geometry::glam::DVec3;
use robust::{Coord3D, orient3d};

use crate::convex::Vertex;
use crate::extended::triangle_normal;
use crate::tolerance::{FLAT_TETRAHEDRON, FLAT_TRIANGLE_SINE_SQ, SLIVER_SINE_SQ};

/// Up to four vertices of the Minkowski difference.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Simplex {
    vertices: [Vertex; 4],
    count: usize,
}

/// The nearest point of a simplex and the vertices that make it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Nearest {
    /// The nearest point itself.
    pub(crate) point: DVec3,
    /// Along the nearest point from the origin, of any length, square to the edge or face it
    /// lies in: exact however near the origin is, where the point itself is all rounding.
    pub(crate) direction: DVec3,
    /// `point . point`.
    pub(crate) distance_sq: f64,
    indices: [usize; 3],
    /// Convex weights of the vertices in use.
    pub(crate) weights: [f64; 3],
    count: usize,
}

impl Simplex {
    /// The simplex of one vertex.
    pub(crate) fn of(vertex: Vertex) -> Self {
        let mut simplex = Self::default();
        simplex.push(vertex);
        simplex
    }

    /// The vertices in use.
    #[inline]
    pub(crate) fn vertices(&self) -> &[Vertex] {
        &self.vertices[..self.count]
    }

    /// Adds a vertex to at most three.
    #[inline]
    pub(crate) fn push(&mut self, vertex: Vertex) {
        self.vertices[self.count] = vertex;
        self.count += 1;
    }

    /// Whether the pair of vertices is in use.
    #[inline]
    pub(crate) fn contains(&self, a: u32, b: u32) -> bool {
        self.vertices().iter().any(|v| v.a == a && v.b == b)
    }

    /// The vertices that make `nearest`, alone.
    #[inline]
    pub(crate) fn reduced(&self, nearest: &Nearest) -> Self {
        let mut simplex = Self::default();
        for &index in &nearest.indices[..nearest.count] {
            simplex.push(self.vertices[index]);
        }
        simplex
    }

    /// Whether the origin lies strictly inside the tetrahedron of four vertices. Signs are exact, so
    /// that slivers cannot enclose what is beside them by rounding; that of the vertices
    /// themselves is all that remains.
    ///
    /// Shewchuk, *Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric
    /// Predicates* (1997).
    pub(crate) fn certainly_encloses_origin(&self) -> bool {
        let &[a, b, c, d] = self.vertices() else {
            return false;
        };
        let [a, b, c, d] = [a, b, c, d].map(|v| coord(v.w));
        let origin = coord(DVec3::ZERO);
        let whole = orient3d(a, b, c, d);
        let parts = [
            orient3d(origin, b, c, d),
            orient3d(a, origin, c, d),
            orient3d(a, b, origin, d),
            orient3d(a, b, c, origin),
        ];
        parts.iter().all(|part| part * whole.signum() > 0.0)
    }

    /// The nearest point to the origin; nothing when the origin is inside a tetrahedron.
    /// `scale` is the size of the coordinates, against which flatness is judged.
    pub(crate) fn nearest(&self, scale: f64) -> Option<Nearest> {
        match self.count {
            1 => Some(self.vertex(0)),
            2 => Some(self.segment(0, 1)),
            3 => Some(self.triangle(0, 1, 2)),
            _ => self.tetrahedron(scale),
        }
    }

    /// The nearest point on the first face of a tetrahedron, and the nearest on the others, in
    /// extended precision and by looking at all of them: in one that is thin, rounding says
    /// wrongly which of them face the origin, and which of them is nearer.
    #[cold]
    pub(crate) fn nearest_before_and_after(&self) -> [Nearest; 2] {
        let mut after = self.careful_triangle(0, 1, 3);
        for (i, j) in [(0, 2), (1, 2)] {
            let candidate = self.careful_triangle(i, j, 3);
            if candidate.distance_sq < after.distance_sq {
                after = candidate;
            }
        }
        [self.careful_triangle(0, 1, 2), after]
    }

    fn vertex(&self, i: usize) -> Nearest {
        let point = self.vertices[i].w;
        Nearest {
            point,
            direction: point,
            distance_sq: point.length_squared(),
            indices: [i, 0, 0],
            weights: [1.0, 0.0, 0.0],
            count: 1,
        }
    }

    fn segment(&self, i: usize, j: usize) -> Nearest {
        let (a, b) = (self.vertices[i].w, self.vertices[j].w);
        let ab = b - a;
        let length_sq = ab.length_squared();
        // How far the origin is along the edge from either end. Next to one end of a long edge the
        // other would round it away.
        let (from_a, from_b) = (-a.dot(ab), b.dot(ab));
        if from_a <= 0.0 {
            return self.vertex(i);
        }
        if from_b <= 0.0 {
            return self.vertex(j);
        }
        let (point, weights) = if from_a <= from_b {
            let share = from_a / length_sq;
            (a + share * ab, [1.0 - share, share, 0.0])
        } else {
            let share = from_b / length_sq;
            (b - share * ab, [share, 1.0 - share, 0.0])
        };
        Nearest {
            point,
            direction: square_to(point, ab),
            distance_sq: point.length_squared(),
            indices: [i, j, 0],
            weights,
            count: 2,
        }
    }

    fn triangle(&self, i: usize, j: usize, k: usize) -> Nearest {
        let (a, b, c) = (self.vertices[i].w, self.vertices[j].w, self.vertices[k].w);
        let (ab, ac) = (b - a, c - a);
        let normal = ab.cross(ac);
        let normal_sq = normal.length_squared();
        let longest_sq = ab.length_squared().max(ac.length_squared());
        if normal_sq <= SLIVER_SINE_SQ * longest_sq * longest_sq {
            return self.careful_triangle(i, j, k);
        }
        let areas = [b.cross(c), c.cross(a), a.cross(b)].map(|area| normal.dot(area));
        if areas.iter().any(|&area| area < 0.0) {
            return self.border(areas, [i, j, k]);
        }
        let point = normal * (normal.dot(a) / normal_sq);
        mixture(point, point, areas, [i, j, k])
    }

    /// The nearest point on a triangle, in extended precision: plain arithmetic misplaces it by
    /// rounding over the sine of the triangle's angle.
    fn careful_triangle(&self, i: usize, j: usize, k: usize) -> Nearest {
        let (a, b, c) = (self.vertices[i].w, self.vertices[j].w, self.vertices[k].w);
        let (ab, ac) = (b - a, c - a);
        let normal = triangle_normal(a, b, c);
        let normal_sq = normal.length_squared();
        if normal_sq <= FLAT_TRIANGLE_SINE_SQ * ab.length_squared() * ac.length_squared() {
            return self.border([f64::NEG_INFINITY; 3], [i, j, k]);
        }
        let areas = [(b, c), (c, a), (a, b)]
            .map(|(from, to)| normal.dot(triangle_normal(DVec3::ZERO, from, to)));
        if areas.iter().any(|&area| area < 0.0) {
            return self.border(areas, [i, j, k]);
        }
        let longest = if ab.length_squared() > ac.length_squared() {
            ab
        } else {
            ac
        };
        let [area_a, area_b, area_c] = areas;
        let point = (area_a * a + area_b * b + area_c * c) / (area_a + area_b + area_c);
        // Next to the origin the point is all rounding, and the normal is not.
        let direction = if point.length_squared() * longest.length_squared() > normal_sq {
            square_to(point, longest)
        } else if normal.dot(a) < 0.0 {
            -normal
        } else {
            normal
        };
        mixture(point, direction, areas, [i, j, k])
    }

    /// The nearest point on the edges that the origin's foot lies beyond: those opposite
    /// corners of negative area.
    fn border(&self, [area_i, area_j, area_k]: [f64; 3], [i, j, k]: [usize; 3]) -> Nearest {
        let mut best: Option<Nearest> = None;
        for (beyond, from, to) in [(area_k, i, j), (area_i, j, k), (area_j, k, i)] {
            if beyond < 0.0 {
                let candidate = self.segment(from, to);
                if best.is_none_or(|b| candidate.distance_sq < b.distance_sq) {
                    best = Some(candidate);
                }
            }
        }
        best.unwrap_or_else(|| self.segment(i, j))
    }

    fn tetrahedron(&self, scale: f64) -> Option<Nearest> {
        const FACES: [[usize; 4]; 4] = [[0, 1, 2, 3], [0, 1, 3, 2], [0, 2, 3, 1], [1, 2, 3, 0]];
        let mut sides = [(0.0, 0.0); 4];
        let mut largest_normal_sq = 0.0f64;
        for (side, [i, j, k, opposite]) in sides.iter_mut().zip(FACES) {
            let a = self.vertices[i].w;
            let normal = (self.vertices[j].w - a).cross(self.vertices[k].w - a);
            *side = (-normal.dot(a), normal.dot(self.vertices[opposite].w - a));
            largest_normal_sq = largest_normal_sq.max(normal.length_squared());
        }
        let volume = sides[0].1;
        let flat = volume * volume
            <= FLAT_TETRAHEDRON * FLAT_TETRAHEDRON * scale * scale * largest_normal_sq;
        let mut best: Option<Nearest> = None;
        for ((origin, apex), [i, j, k, _]) in sides.into_iter().zip(FACES) {
            if flat || origin * apex <= 0.0 {
                let candidate = self.triangle(i, j, k);
                if best.is_none_or(|b| candidate.distance_sq < b.distance_sq) {
                    best = Some(candidate);
                }
            }
        }
        best
    }
}

/// The point of a triangle whose corners have weights in proportion to `areas`.
#[inline]
fn mixture(point: DVec3, direction: DVec3, areas: [f64; 3], indices: [usize; 3]) -> Nearest {
    let total = areas[0] + areas[1] + areas[2];
    Nearest {
        point,
        direction,
        distance_sq: point.length_squared(),
        indices,
        weights: areas.map(|area| area / total),
        count: 3,
    }
}

/// A point as the exact predicates take it.
pub(crate) fn coord(point: DVec3) -> Coord3D<f64> {
    let DVec3 { x, y, z } = point;
    Coord3D { x, y, z }
}

/// The part of `direction` at a right angle to `edge`.
pub(crate) fn square_to(direction: DVec3, edge: DVec3) -> DVec3 {
    direction - edge * (direction.dot(edge) / edge.length_squared())
}

/// Squared distance of a triangle from the origin.
pub(crate) fn distance_sq([a, b, c]: &[Vertex; 3], scale: f64) -> f64 {
    let mut simplex = Simplex::of(*a);
    simplex.push(*b);
    simplex.push(*c);
    simplex
        .nearest(scale)
        .map_or(0.0, |nearest| nearest.distance_sq)
}
