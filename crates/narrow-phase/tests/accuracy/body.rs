//! The shapes that are paired, and what a judge outside knows of them.

use drystone_geometry::glam::{DVec3, Vec3};
use drystone_geometry::{BoxPolytope, Shape};

use crate::random::Random;

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
    fn new(name: String, shape: Shape) -> Self {
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

fn circle(count: usize, radius: f64, height: f64) -> impl Iterator<Item = DVec3> {
    (0..count).map(move |i| {
        let angle = std::f64::consts::TAU * i as f64 / count as f64;
        DVec3::new(radius * libm::cos(angle), height, radius * libm::sin(angle))
    })
}

/// Boxes, balls, capsules, random hulls, prisms and cones of 4 to 1000 corners, from a
/// millimetre to a kilometre; `rounds` of everything.
pub(crate) fn pool(rounds: usize) -> Vec<Body> {
    let mut random = Random::new(77);
    let mut bodies = Vec::new();
    for _ in 0..rounds {
        for scale in [1e-3, 1e-1, 1.0, 1.0, 1.0, 30.0, 1e3] {
            for _ in 0..3 {
                plain(&mut random, scale, &mut bodies);
            }
            for count in [4, 5, 6, 8, 12, 20, 32, 64, 128, 400, 1000] {
                hulls(&mut random, scale, count, &mut bodies);
            }
        }
    }
    bodies
}

fn plain(random: &mut Random, scale: f64, bodies: &mut Vec<Body>) {
    let mut length = |low: f64| (scale * random.between(low, 1.0)) as f32;
    let (radius, half_height) = (length(0.2), length(0.2));
    let sides = [
        Vec3::splat(length(0.2)),
        Vec3::new(length(0.2), length(0.2), length(0.2)),
        Vec3::new(length(0.5), 0.001 * length(0.5), length(0.5)),
        Vec3::new(0.01 * length(0.5), length(0.5), 0.01 * length(0.5)),
    ];
    bodies.push(Body::new("sphere".to_owned(), Shape::Sphere { radius }));
    let capsule = Shape::Capsule {
        half_height,
        radius: 0.5 * radius,
    };
    bodies.push(Body::new("capsule".to_owned(), capsule));
    for half_extents in sides {
        let shape = Shape::Box { half_extents };
        bodies.push(Body::new(format!("box {half_extents}"), shape));
    }
}

fn hulls(random: &mut Random, scale: f64, count: usize, bodies: &mut Vec<Body>) {
    let stretch = DVec3::new(
        random.between(0.1, 1.0),
        random.between(0.1, 1.0),
        random.between(0.1, 1.0),
    );
    let ball: Vec<DVec3> = (0..count).map(|_| stretch * random.direction()).collect();
    let sides = (count / 2).max(3);
    let (low, high) = (random.between(0.05, 1.0), random.between(0.2, 1.0));
    let prism: Vec<DVec3> = circle(sides, high, -low)
        .chain(circle(sides, high, low))
        .collect();
    let apex = DVec3::Y * high;
    let cone: Vec<DVec3> = circle(count.max(4) - 1, low, -low).chain([apex]).collect();
    for (name, points) in [("hull", ball), ("prism", prism), ("cone", cone)] {
        // Rotated corners are rounded: faces of many are flat up to that alone.
        let turned = random.matrix();
        for (way, turn) in [("", None), ("turned ", Some(turned))] {
            let place = |p: &DVec3| (scale * turn.map_or(*p, |turn| turn * *p)).as_vec3();
            let points: Vec<Vec3> = points.iter().map(place).collect();
            // Four random points may be refused for being flat.
            if let Ok(shape) = Shape::hull(&points) {
                let name = format!("{way}{name} of {count} at {scale}");
                bodies.push(Body::new(name, shape));
            }
            if name == "hull" {
                break;
            }
        }
    }
}
