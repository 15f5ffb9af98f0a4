//! What a judge outside knows of a shape: corners, edges and faces as plain lists.

use drystone_geometry::glam::DVec3;
use drystone_geometry::{BoxPolytope, Frame, Shape};

/// A shape as plain lists, made from its corners alone.
pub(crate) struct Body {
    pub(crate) name: String,
    pub(crate) shape: Shape,
    pub(crate) vertices: Vec<DVec3>,
    pub(crate) edges: Vec<[DVec3; 2]>,
    /// Each face: outward normal and a point of it.
    pub(crate) faces: Vec<(DVec3, DVec3)>,
    pub(crate) radius: f64,
    /// Largest distance of a point from the origin.
    pub(crate) extent: f64,
}

impl Body {
    pub(crate) fn new(name: String, shape: Shape) -> Self {
        let (mut vertices, mut edges, mut faces) = (vec![DVec3::ZERO], Vec::new(), Vec::new());
        let mut radius = 0.0;
        let cuboid;
        let polytope = match &shape {
            Shape::Hull(hull) => Some(hull.polytope()),
            Shape::Box { half_extents } => {
                cuboid = BoxPolytope::new(*half_extents);
                Some(cuboid.polytope())
            }
            _ => None,
        };
        if let Some(polytope) = polytope {
            vertices = polytope.vertices.iter().map(|v| v.as_dvec3()).collect();
            let edge_count = polytope.half_edges.len() as u32 / 2;
            edges = (0..edge_count)
                .map(|e| [polytope.origin(2 * e), polytope.target(2 * e)])
                .map(|ends| ends.map(|v| polytope.position(v)))
                .collect();
            faces = (0..polytope.faces.len() as u32)
                .map(|face| {
                    let ring: Vec<u32> = polytope
                        .face_edges(face)
                        .map(|e| polytope.origin(e))
                        .collect();
                    newell(&ring, |v| polytope.position(v))
                })
                .collect();
        }
        match &shape {
            Shape::Sphere { radius: r } => radius = f64::from(*r),
            Shape::Capsule {
                half_height,
                radius: r,
            } => {
                let end = DVec3::Y * f64::from(*half_height);
                (vertices, edges) = (vec![-end, end], vec![[-end, end]]);
                radius = f64::from(*r);
            }
            _ => {}
        }
        let extent = vertices.iter().map(|v| v.length()).fold(0.0, f64::max) + radius;
        Self {
            name,
            shape,
            vertices,
            edges,
            faces,
            radius,
            extent,
        }
    }

    /// How far the farthest point lies along `direction`, by looking at all of them.
    pub(crate) fn reach(&self, direction: DVec3) -> f64 {
        let far = |top: f64, v: &DVec3| top.max(v.dot(direction));
        self.vertices.iter().fold(f64::NEG_INFINITY, far) + self.radius
    }

    /// How far a point lies outside, at least; zero inside.
    pub(crate) fn outside(&self, point: DVec3) -> f64 {
        if self.faces.is_empty() {
            let (first, last) = (self.vertices[0], self.vertices[self.vertices.len() - 1]);
            let along = last - first;
            let t = if along.length_squared() > 0.0 {
                ((point - first).dot(along) / along.length_squared()).clamp(0.0, 1.0)
            } else {
                0.0
            };
            return (point.distance(first + t * along) - self.radius).max(0.0);
        }
        self.faces
            .iter()
            .map(|(normal, on)| (point - *on).dot(*normal))
            .fold(0.0, f64::max)
    }
}

/// Normal and a point of a polygon; a normal of zero where there is no area.
fn newell(ring: &[u32], at: impl Fn(u32) -> DVec3) -> (DVec3, DVec3) {
    let start = at(ring[0]);
    let area = ring.windows(2).fold(DVec3::ZERO, |area, pair| {
        area + (at(pair[0]) - start).cross(at(pair[1]) - start)
    });
    let normal = area.normalize_or_zero();
    // The plane goes through the farthest corner, so that no corner is outside.
    let far = ring
        .iter()
        .map(|&v| at(v))
        .max_by(|p, q| p.dot(normal).total_cmp(&q.dot(normal)));
    (normal, far.unwrap_or(start))
}

/// The gap between the supporting planes along `normal`.
pub(crate) fn gap(a: &Body, b: &Body, b_in_a: &Frame, normal: DVec3) -> f64 {
    let inward = -(b_in_a.rotation.transpose() * normal);
    normal.dot(b_in_a.translation) - b.reach(inward) - a.reach(normal)
}
