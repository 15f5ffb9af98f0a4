//! What a frame shows: solids with edges, a grid, and a line of text.

use drystone::clock::FixedStep;
use drystone::{BodyKey, Shape, World, WorldPose};
use macroquad::prelude as mq;

use crate::camera::Orbit;

const STONES: [mq::Color; 5] = [
    mq::Color::new(0.80, 0.72, 0.60, 1.0),
    mq::Color::new(0.72, 0.66, 0.56, 1.0),
    mq::Color::new(0.66, 0.68, 0.64, 1.0),
    mq::Color::new(0.76, 0.62, 0.50, 1.0),
    mq::Color::new(0.60, 0.62, 0.66, 1.0),
];

/// Draws the world as it is between its last two steps.
pub(crate) fn frame(world: &World, clock: &FixedStep, bodies: &[BodyKey], orbit: &Orbit) {
    mq::clear_background(mq::Color::new(0.12, 0.14, 0.17, 1.0));
    mq::set_camera(&orbit.camera());
    mq::draw_grid(40, 1.0, mq::GRAY, mq::DARKGRAY);
    for (place, key) in bodies.iter().enumerate() {
        let (Ok(pose), Ok(body)) = (clock.pose(world, *key), world.body(*key)) else {
            continue;
        };
        let mut color = STONES[place % STONES.len()];
        if !body.is_awake() {
            color = mq::Color::new(color.r * 0.6, color.g * 0.6, color.b * 0.6, 1.0);
        }
        for shape in body.shapes() {
            solid(shape.shape(), &pose, color);
        }
    }
    mq::set_default_camera();
    let stats = world.stats();
    let line = format!(
        "{} bodies, {} contacts, {:.2} ms a step    left: throw   right: turn   wheel: zoom   space: pause   R: again",
        bodies.len(),
        stats.constraints,
        stats.times.total.as_secs_f64() * 1000.0,
    );
    mq::draw_text(&line, 16.0, 28.0, 22.0, mq::WHITE);
}

/// The shapes that the demo throws and stacks; all of them stand at their body's origin.
fn solid(shape: &Shape, pose: &WorldPose, color: mq::Color) {
    let at = pose.position.as_vec3();
    let model = mq::Mat4::from_rotation_translation(
        mq::Quat::from_array(pose.rotation.to_array()),
        mq::Vec3::from_array(at.to_array()),
    );
    mq::push_model_matrix(model);
    let edges = mq::Color::new(color.r * 0.5, color.g * 0.5, color.b * 0.5, 1.0);
    match shape {
        Shape::Box { half_extents } => {
            let size = 2.0 * mq::Vec3::from_array(half_extents.to_array());
            mq::draw_cube(mq::Vec3::ZERO, size, None, color);
            mq::draw_cube_wires(mq::Vec3::ZERO, size, edges);
        }
        Shape::Sphere { radius } => {
            mq::draw_sphere(mq::Vec3::ZERO, *radius, None, color);
            mq::draw_sphere_wires(mq::Vec3::ZERO, *radius, None, edges);
        }
        Shape::Capsule {
            half_height,
            radius,
        } => {
            let top = mq::Vec3::Y * *half_height;
            mq::draw_cylinder(-top, *radius, *radius, 2.0 * half_height, None, color);
            mq::draw_sphere(top, *radius, None, color);
            mq::draw_sphere(-top, *radius, None, color);
        }
        _ => {}
    }
    mq::pop_model_matrix();
}
