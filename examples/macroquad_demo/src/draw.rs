//! What a frame shows: solids lit from one side, a grid, and a line of text.

use drystone::clock::FixedStep;
use drystone::geometry::{Hull, HullError};
use drystone::glam::Vec3;
use drystone::{Shape, World, WorldPose};
use macroquad::prelude as mq;

use crate::Thing;
use crate::camera::Orbit;

const STONES: [Vec3; 5] = [
    Vec3::new(0.88, 0.79, 0.66),
    Vec3::new(0.79, 0.72, 0.61),
    Vec3::new(0.72, 0.75, 0.70),
    Vec3::new(0.84, 0.68, 0.55),
    Vec3::new(0.66, 0.68, 0.73),
];

/// Corners on a circle.
const AROUND: usize = 20;

/// The triangles of a solid, in its own frame.
pub(crate) struct Model {
    corners: Vec<(Vec3, Vec3)>,
    indices: Vec<u16>,
}

impl Model {
    /// A solid that looks like the shape.
    pub(crate) fn new(shape: &Shape) -> Result<Self, HullError> {
        let hull = match shape {
            Shape::Hull(hull) => Hull::clone(hull),
            Shape::Box { half_extents: h } => {
                let signs = [-1.0, 1.0];
                let corners = signs
                    .map(|x| signs.map(|y| signs.map(|z| Vec3::new(x * h.x, y * h.y, z * h.z))));
                Hull::new(corners.as_flattened().as_flattened())?
            }
            other => match other.faceted(AROUND) {
                Some(hull) => hull,
                None => Hull::new(&[])?,
            },
        };
        let polytope = hull.polytope();
        let (mut corners, mut indices) = (Vec::new(), Vec::new());
        for (face, plane) in (0..).zip(hull.faces()) {
            let first = corners.len() as u16;
            for edge in polytope.face_edges(face) {
                let at = hull.vertices()[polytope.origin(edge) as usize];
                corners.push((at, plane.normal.as_vec3()));
            }
            for third in first + 2..corners.len() as u16 {
                indices.extend([first, third - 1, third]);
            }
        }
        Ok(Self { corners, indices })
    }

    fn draw(&self, pose: &WorldPose, color: Vec3) {
        let frame = pose.to_frame();
        let light = Vec3::new(0.4, 0.8, 0.45);
        let vertices = self.corners.iter().map(|(at, normal)| {
            let at = frame.transform_point(at.as_dvec3()).as_vec3();
            let normal = frame.rotate(normal.as_dvec3()).as_vec3();
            let lit = color * (0.45 + 0.55 * normal.dot(light).max(0.0));
            let color = mq::Color::new(lit.x, lit.y, lit.z, 1.0);
            mq::Vertex::new(at.x, at.y, at.z, 0.0, 0.0, color)
        });
        mq::draw_mesh(&mq::Mesh {
            vertices: vertices.collect(),
            indices: self.indices.clone(),
            texture: None,
        });
    }
}

/// Draws the world as it is between its last two steps.
pub(crate) fn frame(world: &World, clock: &FixedStep, things: &[Thing], orbit: &Orbit) {
    mq::clear_background(mq::Color::new(0.12, 0.14, 0.17, 1.0));
    mq::set_camera(&orbit.camera());
    mq::draw_grid(40, 1.0, mq::GRAY, mq::DARKGRAY);
    for (place, thing) in things.iter().enumerate() {
        let (Ok(pose), Ok(body)) = (clock.pose(world, thing.body), world.body(thing.body)) else {
            continue;
        };
        let bright = if body.is_awake() { 1.0 } else { 0.7 };
        let color = STONES[place % STONES.len()] * bright;
        thing.model.draw(&pose, color);
    }
    mq::set_default_camera();
    let stats = world.stats();
    let line = format!(
        "{} bodies, {} contacts, {:.2} ms a step    left: throw   right: turn   wheel: zoom   space: pause   R: again",
        things.len(),
        stats.constraints,
        stats.times.total.as_secs_f64() * 1000.0,
    );
    mq::draw_text(&line, 16.0, 28.0, 22.0, mq::WHITE);
}
