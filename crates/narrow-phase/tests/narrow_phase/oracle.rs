//! The signed distance by brute force: every face normal and pair of edges in overlap,
//! every pair of features apart. Shares no code with the crate under test.

use drystone_geometry::glam::{DMat3, DVec3};
use drystone_geometry::{Frame, Shape};

/// A core as plain lists, in A's frame, and its radius.
pub(crate) struct Solid {
    pub(crate) vertices: Vec<DVec3>,
    pub(crate) edges: Vec<[usize; 2]>,
    pub(crate) triangles: Vec<[usize; 3]>,
    pub(crate) radius: f64,
}

impl Solid {
    pub(crate) fn new(shape: &Shape, frame: &Frame) -> Self {
        let mut solid = match shape {
            Shape::Sphere { radius } => Self::plain(vec![DVec3::ZERO], vec![], vec![], *radius),
            Shape::Capsule {
                half_height,
                radius,
            } => {
                let end = DVec3::Y * f64::from(*half_height);
                Self::plain(vec![-end, end], vec![[0, 1]], vec![], *radius)
            }
            Shape::Box { half_extents } => cuboid(half_extents.as_dvec3()),
            Shape::Hull(hull) => {
                let vertices = hull.vertices().iter().map(|v| v.as_dvec3()).collect();
                let triangles: Vec<[usize; 3]> = hull
                    .triangles()
                    .iter()
                    .map(|t| t.map(|v| v as usize))
                    .collect();
                Self::plain(vertices, edges_of(&triangles), triangles, 0.0)
            }
            Shape::Triangle { points } => Self::plain(
                points.map(|p| p.as_dvec3()).to_vec(),
                vec![[0, 1], [1, 2], [2, 0]],
                vec![[0, 1, 2]],
                0.0,
            ),
            Shape::Segment { a, b } => {
                Self::plain(vec![a.as_dvec3(), b.as_dvec3()], vec![[0, 1]], vec![], 0.0)
            }
            Shape::Rounded { core, radius } => {
                let upright = Frame {
                    rotation: DMat3::IDENTITY,
                    translation: DVec3::ZERO,
                };
                Self {
                    radius: f64::from(*radius),
                    ..Self::new(core, &upright)
                }
            }
            _ => panic!("not a polytope"),
        };
        for vertex in &mut solid.vertices {
            *vertex = frame.transform_point(*vertex);
        }
        solid
    }

    fn plain(
        vertices: Vec<DVec3>,
        edges: Vec<[usize; 2]>,
        triangles: Vec<[usize; 3]>,
        radius: f32,
    ) -> Self {
        Self {
            vertices,
            edges,
            triangles,
            radius: f64::from(radius),
        }
    }

    fn corner(&self, triangle: [usize; 3]) -> [DVec3; 3] {
        triangle.map(|v| self.vertices[v])
    }

    fn ends(&self, edge: [usize; 2]) -> [DVec3; 2] {
        edge.map(|v| self.vertices[v])
    }

    pub(crate) fn extent(&self) -> f64 {
        self.vertices
            .iter()
            .fold(self.radius, |size, v| size.max(v.length() + self.radius))
    }
}

fn cuboid(half: DVec3) -> Solid {
    let vertices = (0..8)
        .map(|i| {
            let sign = |bit: u32| if i & bit != 0 { 1.0 } else { -1.0 };
            half * DVec3::new(sign(1), sign(2), sign(4))
        })
        .collect();
    let mut triangles = Vec::new();
    for axis in 0..3 {
        let (u, v) = (1 << ((axis + 1) % 3), 1 << ((axis + 2) % 3));
        for side in [0, 1 << axis] {
            triangles.push([side, side | u, side | u | v]);
            triangles.push([side, side | u | v, side | v]);
        }
    }
    let mut edges = Vec::new();
    for i in 0..8 {
        for bit in [1, 2, 4] {
            if i & bit == 0 {
                edges.push([i, i | bit]);
            }
        }
    }
    Solid {
        vertices,
        edges,
        triangles,
        radius: 0.0,
    }
}

fn edges_of(triangles: &[[usize; 3]]) -> Vec<[usize; 2]> {
    let mut edges: Vec<[usize; 2]> = triangles
        .iter()
        .flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]])
        .map(|[a, b]| [a.min(b), a.max(b)])
        .collect();
    edges.sort_unstable();
    edges.dedup();
    edges
}

/// Gap between the supporting planes along `normal`, radii included.
pub(crate) fn gap(a: &Solid, b: &Solid, normal: DVec3) -> f64 {
    let top = a
        .vertices
        .iter()
        .fold(f64::NEG_INFINITY, |top, v| top.max(v.dot(normal)));
    let bottom = b
        .vertices
        .iter()
        .fold(f64::INFINITY, |low, v| low.min(v.dot(normal)));
    bottom - top - a.radius - b.radius
}

/// The signed distance.
pub(crate) fn signed_distance(a: &Solid, b: &Solid) -> f64 {
    let widest = widest_gap(a, b);
    let radius = a.radius + b.radius;
    let flat = a.triangles.is_empty() && b.triangles.is_empty();
    if widest <= 0.0 && !flat {
        widest - radius
    } else {
        nearest(a, b) - radius
    }
}

/// Widest gap of the cores over all candidate normals.
fn widest_gap(a: &Solid, b: &Solid) -> f64 {
    let radius = a.radius + b.radius;
    let mut widest = f64::NEG_INFINITY;
    let mut consider = |normal: DVec3| {
        // Slivers have no direction of their own; their neighbours' do.
        if normal.length() > 0.0 {
            let normal = normal.normalize();
            widest = widest
                .max(gap(a, b, normal) + radius)
                .max(gap(a, b, -normal) + radius);
        }
    };
    for solid in [a, b] {
        for &triangle in &solid.triangles {
            let [p, q, r] = solid.corner(triangle);
            consider((q - p).cross(r - p));
        }
    }
    for &edge_a in &a.edges {
        let [p, q] = a.ends(edge_a);
        for &edge_b in &b.edges {
            let [r, s] = b.ends(edge_b);
            let cross = (q - p).cross(s - r);
            if cross.length() > 1e-9 * (q - p).length() * (s - r).length() {
                consider(cross);
            }
        }
    }
    widest
}

/// Distance of cores that are apart: the least over all pairs of features.
fn nearest(a: &Solid, b: &Solid) -> f64 {
    let mut least = f64::INFINITY;
    for (one, other) in [(a, b), (b, a)] {
        for &point in &one.vertices {
            for &vertex in &other.vertices {
                least = least.min(point.distance(vertex));
            }
            for &edge in &other.edges {
                least = least.min(point_segment(point, other.ends(edge)));
            }
            for &triangle in &other.triangles {
                least = least.min(point_triangle(point, other.corner(triangle)));
            }
        }
    }
    for &edge_a in &a.edges {
        for &edge_b in &b.edges {
            least = least.min(lines(a.ends(edge_a), b.ends(edge_b)));
        }
    }
    least
}

fn point_segment(point: DVec3, [a, b]: [DVec3; 2]) -> f64 {
    let along = b - a;
    let t = ((point - a).dot(along) / along.length_squared()).clamp(0.0, 1.0);
    point.distance(a + t * along)
}

/// Distance to the inside of a triangle; infinite when the foot is not inside.
fn point_triangle(point: DVec3, [a, b, c]: [DVec3; 3]) -> f64 {
    let normal = (b - a).cross(c - a);
    let inside = [(a, b), (b, c), (c, a)]
        .iter()
        .all(|&(from, to)| (to - from).cross(point - from).dot(normal) >= 0.0);
    if inside && normal.length() > 0.0 {
        (point - a).dot(normal.normalize()).abs()
    } else {
        f64::INFINITY
    }
}

/// Distance of the insides of two segments that are not parallel; otherwise infinite.
fn lines([a, b]: [DVec3; 2], [c, d]: [DVec3; 2]) -> f64 {
    let (u, v) = (b - a, d - c);
    let cross = u.cross(v);
    let cross_sq = cross.length_squared();
    if cross_sq <= 1e-18 * u.length_squared() * v.length_squared() {
        return f64::INFINITY;
    }
    let s = (c - a).cross(v).dot(cross) / cross_sq;
    let t = (c - a).cross(u).dot(cross) / cross_sq;
    if (0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t) {
        ((c - a).dot(cross) / cross_sq.sqrt()).abs()
    } else {
        f64::INFINITY
    }
}
