//! Brute-force checks of hulls, and generators of points.

use drystone_geometry::Hull;
use drystone_geometry::glam::{DVec3, Vec3};
use drystone_geometry::hull::{Polytope, Sector};

/// A small linear congruential generator: the same sequence everywhere.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    pub(crate) fn below(&mut self, count: usize) -> usize {
        self.next() as usize % count
    }

    /// Between -1 and 1.
    pub(crate) fn signed(&mut self) -> f32 {
        (self.next() as f64 / f64::from(1u32 << 30) - 1.0) as f32
    }

    pub(crate) fn in_cube(&mut self) -> Vec3 {
        Vec3::new(self.signed(), self.signed(), self.signed())
    }
}

/// `count` points spread evenly over the unit sphere.
pub(crate) fn fibonacci_sphere(count: usize) -> Vec<Vec3> {
    let turn = std::f64::consts::PI * (3.0 - 5f64.sqrt());
    (0..count)
        .map(|i| {
            let z = 1.0 - (2 * i + 1) as f64 / count as f64;
            let radius = (1.0 - z * z).sqrt();
            let angle = turn * i as f64;
            DVec3::new(radius * libm::cos(angle), radius * libm::sin(angle), z).as_vec3()
        })
        .collect()
}

/// Twins, loops, rings and Euler's formula of a polytope.
pub(crate) fn check_topology(polytope: &Polytope<'_>) {
    let edges = polytope.half_edges;
    let vertex_count = polytope.vertices.len();
    assert_eq!(edges.len() % 2, 0);
    assert_eq!(
        vertex_count + polytope.faces.len(),
        edges.len() / 2 + 2,
        "Euler"
    );
    assert_eq!(polytope.ring_starts.len(), vertex_count + 1);
    assert_eq!(polytope.ring.len(), edges.len());

    let mut seen = vec![0; edges.len()];
    for (index, face) in polytope.faces.iter().enumerate() {
        assert!(face.edge_count >= 3);
        let around: Vec<u32> = polytope.face_edges(index as u32).collect();
        let last = *around.last().unwrap();
        assert_eq!(
            edges[last as usize].next, face.first_edge,
            "face {index} closes"
        );
        for &e in &around {
            seen[e as usize] += 1;
            assert_eq!(edges[e as usize].face, index as u32);
            assert_eq!(polytope.target(e), polytope.origin(edges[e as usize].next));
            assert_ne!(
                edges[(e ^ 1) as usize].face,
                index as u32,
                "twin on another face"
            );
        }
    }
    assert!(
        seen.iter().all(|&n| n == 1),
        "every half-edge bounds one face"
    );

    for v in 0..vertex_count as u32 {
        let ring = polytope.ring_of(v);
        assert!(ring.len() >= 3, "vertex {v} has {} edges", ring.len());
        for (i, &Sector { half_edge: e, face }) in ring.iter().enumerate() {
            assert_eq!(polytope.origin(e), v);
            assert_eq!(edges[e as usize].face, face);
            // Counter-clockwise: the next half-edge's twin precedes this one on its face.
            let following = ring[(i + 1) % ring.len()].half_edge;
            assert_eq!(edges[(following ^ 1) as usize].next, e, "ring of {v}");
        }
    }
}

/// Everything a hull promises about its shape, with `slack` metres for rounded faces.
pub(crate) fn check_hull(hull: &Hull, points: &[Vec3], slack: f64) {
    let polytope = hull.polytope();
    check_topology(&polytope);
    for (index, face) in polytope.faces.iter().enumerate() {
        assert!((face.normal.length() - 1.0).abs() < 1e-14);
        let height = |p: &Vec3| face.normal.dot(p.as_dvec3()) - face.offset;
        for v in polytope.vertices {
            let rounding = 1e-15 * v.as_dvec3().length();
            assert!(
                height(v) <= rounding,
                "corner beyond face {index}: {}",
                height(v)
            );
        }
        for p in points {
            let rounding = 1e-15 * p.as_dvec3().length();
            assert!(
                height(p) <= slack + rounding,
                "point beyond face {index}: {}",
                height(p)
            );
        }
        for e in polytope.face_edges(index as u32) {
            let corner = polytope.position(polytope.origin(e));
            let next = polytope.position(polytope.target(e));
            let after = polytope.position(polytope.target(polytope.half_edges[e as usize].next));
            let depth = face.offset - face.normal.dot(corner);
            assert!(
                depth <= slack + 1e-15 * corner.length(),
                "corner {depth} below face {index}"
            );
            assert!(
                (next - corner).cross(after - next).dot(face.normal) > 0.0,
                "notch"
            );
        }
    }
    for triangle in hull.triangles() {
        let [a, b, c] = triangle.map(|v| polytope.position(v));
        let normal = (b - a).cross(c - a).normalize();
        for v in polytope.vertices {
            assert!(normal.dot(v.as_dvec3() - a) <= slack.max(1e-15 * a.length()));
        }
    }
    for corner in polytope.vertices {
        assert!(points.contains(corner), "corners are input points");
    }
}
