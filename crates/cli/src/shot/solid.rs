//! Shapes as they are drawn: where they are in the world and in the picture.

use drystone::geometry::{Aabb, BoxPolytope, Frame, Hull, Polytope, Surface, TrianglePolytope};
use drystone::glam::{DVec2, DVec3};
use drystone::{BodyKind, BodyView, Shape, World};

use super::camera::Camera;

/// Stone colours for what moves, red, green, blue from 0 to 1.
const PALETTE: [[f64; 3]; 8] = [
    [0.72, 0.65, 0.54],
    [0.60, 0.62, 0.63],
    [0.78, 0.71, 0.58],
    [0.55, 0.60, 0.57],
    [0.68, 0.58, 0.50],
    [0.64, 0.68, 0.70],
    [0.74, 0.68, 0.63],
    [0.58, 0.56, 0.52],
];
/// Corners on a circle of a curved face, a count.
const AROUND: usize = 48;
/// For what stands still.
const FIXED: [f64; 3] = [0.70, 0.72, 0.73];
/// For what moves on its own.
const DRIVEN: [f64; 3] = [0.55, 0.62, 0.78];

/// A bounded shape, ready to be sorted and painted.
#[derive(Clone, Debug)]
pub(super) struct Solid {
    pub(super) shape: Shape,
    /// Flat faces instead of those that are curved.
    pub(super) facets: Option<Hull>,
    /// Its frame in the world.
    pub(super) frame: Frame,
    pub(super) colour: [f64; 3],
    pub(super) is_static: bool,
    /// A ball around it in the world.
    pub(super) center: DVec3,
    pub(super) radius: f64,
    /// The box around it in the picture.
    pub(super) low: DVec2,
    pub(super) high: DVec2,
}

/// The surface of a half-space.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ground {
    pub(super) point: DVec3,
    pub(super) normal: DVec3,
}

/// The shapes that the camera may see, and the grounds below them.
pub(super) fn gather(world: &World, camera: &Camera) -> (Vec<Solid>, Vec<Ground>) {
    let mut solids = Vec::new();
    let mut grounds = Vec::new();
    for (index, (_, body)) in world.bodies().enumerate() {
        let colour = colour(&body, index);
        for view in body.shapes() {
            let frame = view.pose().to_frame();
            if let Shape::HalfSpace { normal } = view.shape() {
                let normal = frame.rotate(normal.as_dvec3());
                grounds.push(Ground {
                    point: frame.translation,
                    normal,
                });
                continue;
            }
            let mut add = |shape: Shape| {
                let bounds = shape.bounds_in(&frame);
                let mut solid = Solid {
                    facets: match &shape {
                        Shape::Sphere { .. } | Shape::Capsule { .. } => None,
                        shape => shape.faceted(AROUND),
                    },
                    shape,
                    frame,
                    colour,
                    is_static: body.kind() == BodyKind::Static,
                    center: 0.5 * (bounds.min + bounds.max),
                    radius: 0.5 * (bounds.max - bounds.min).length(),
                    low: DVec2::ZERO,
                    high: DVec2::ZERO,
                };
                if solid.place(camera) {
                    solids.push(solid);
                }
            };
            match view.shape() {
                // The triangles of a surface hide each other: each is sorted by itself.
                Shape::Mesh(mesh) => each_triangle(mesh.surface(), add),
                Shape::HeightField(field) => each_triangle(field.surface(), add),
                shape => add(shape.clone()),
            }
        }
    }
    (solids, grounds)
}

fn each_triangle(surface: Surface<'_>, mut add: impl FnMut(Shape)) {
    let mut triangles = Vec::new();
    surface.triangles_in(&Aabb::INFINITE, &mut triangles);
    for triangle in triangles {
        add(Shape::Triangle {
            points: surface.corners(triangle),
        });
    }
}

fn colour(body: &BodyView<'_>, index: usize) -> [f64; 3] {
    match body.kind() {
        BodyKind::Static => FIXED,
        BodyKind::Kinematic => DRIVEN,
        BodyKind::Dynamic => PALETTE[(index * 5 + (index >> 3)) % PALETTE.len()],
    }
}

impl Solid {
    /// Finds the box around the solid in the picture; returns whether it is in sight.
    fn place(&mut self, camera: &Camera) -> bool {
        let (mut low, mut high) = (DVec2::INFINITY, DVec2::NEG_INFINITY);
        let mut take = |point: DVec2, radius: f64| {
            low = low.min(point - DVec2::splat(radius));
            high = high.max(point + DVec2::splat(radius));
        };
        match &self.shape {
            Shape::Sphere { .. } | Shape::Capsule { .. } => {
                for (center, radius) in self.discs(camera) {
                    take(center, radius);
                }
            }
            _ => self.with_polytope(|polytope| {
                for face in 0..polytope.faces.len() as u32 {
                    let corners = self.face(polytope, face);
                    camera
                        .project_polygon(&corners)
                        .into_iter()
                        .for_each(|point| take(point, 0.0));
                }
            }),
        }
        (self.low, self.high) = (low, high);
        low.x < camera.width && low.y < camera.height && high.x > 0.0 && high.y > 0.0
    }

    /// The discs as which the caps of a sphere (one) or a capsule (two) appear; empty when a
    /// cap is too near to be seen whole.
    pub(super) fn discs(&self, camera: &Camera) -> Vec<(DVec2, f64)> {
        self.caps()
            .filter(|(center, radius)| camera.depth(*center) > 1.1 * radius)
            .filter(|(center, _)| camera.sees(*center))
            .map(|(center, radius)| {
                let offset = center - camera.eye;
                let tangent = (offset.length_squared() - radius * radius).max(0.0).sqrt();
                let slope = radius / tangent * offset.length() / camera.depth(center);
                (camera.project(center), slope * camera.scale(1.0))
            })
            .collect()
    }

    /// Centres and radius of the caps of what is round, in the world.
    pub(super) fn caps(&self) -> impl Iterator<Item = (DVec3, f64)> + '_ {
        let (half_height, radius, count) = match self.shape {
            Shape::Sphere { radius } => (0.0, radius, 1),
            Shape::Capsule {
                half_height,
                radius,
            } => (half_height, radius, 2),
            _ => (0.0, 0.0, 0),
        };
        [1.0, -1.0].into_iter().take(count).map(move |side| {
            let local = DVec3::new(0.0, side * f64::from(half_height), 0.0);
            (self.frame.transform_point(local), f64::from(radius))
        })
    }

    /// Calls `then` with the corners and faces of what is not a sphere or capsule.
    pub(super) fn with_polytope<T: Default>(&self, then: impl FnOnce(&Polytope<'_>) -> T) -> T {
        match &self.shape {
            Shape::Box { half_extents } => then(&BoxPolytope::new(*half_extents).polytope()),
            Shape::Hull(hull) => then(&hull.polytope()),
            Shape::Triangle { points } => then(&TrianglePolytope::new(*points).polytope()),
            _ => match &self.facets {
                Some(facets) => then(&facets.polytope()),
                None => T::default(),
            },
        }
    }

    /// Corners of a face in the world, counter-clockwise from outside.
    pub(super) fn face(&self, polytope: &Polytope<'_>, face: u32) -> Vec<DVec3> {
        polytope
            .face_edges(face)
            .map(|edge| {
                self.frame
                    .transform_point(polytope.position(polytope.origin(edge)))
            })
            .collect()
    }
}
