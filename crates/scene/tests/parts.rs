//! What is put together of parts that lie flush behaves as the whole does. The oracle is what scenes
//! expect of their boxes.

use std::path::Path;

use drystone::glam::Vec3;
use drystone::{BodyKind, Shape, ShapeDef};
use drystone_scene::{Checker, Scene};

/// Cuts a box in two across an axis, at a ratio of its half extent from its middle; leaves what
/// is no box.
fn cut(def: &ShapeDef, axis: usize, at: f32) -> Vec<ShapeDef> {
    let Shape::Box { half_extents } = def.shape else {
        return vec![def.clone()];
    };
    [(-1.0, at), (at, 1.0)]
        .into_iter()
        .map(|(from, to)| {
            let mut part = def.clone();
            let mut half = half_extents;
            half[axis] *= 0.5 * (to - from);
            let mut offset = Vec3::ZERO;
            offset[axis] = 0.5 * (to + from) * half_extents[axis];
            part.pose.translation += def.pose.rotation * offset;
            part.shape = Shape::cube(half);
            part
        })
        .collect()
}

/// Runs a scene whose moving boxes are of four parts each; returns what it missed.
fn missed_in_quarters(name: &str) -> Vec<String> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../scenes")
        .join(name)
        .with_extension("ron");
    let mut scene = Scene::load(file).unwrap();
    let moving = |kind| kind == BodyKind::Dynamic;
    for body in scene.bodies.iter_mut().filter(|body| moving(body.def.kind)) {
        let halves = body.def.shapes.iter().flat_map(|def| cut(def, 0, 0.03));
        body.def.shapes = halves.flat_map(|half| cut(&half, 2, -0.05)).collect();
    }
    let mut instance = scene.build().unwrap();
    let mut checker = Checker::new(&scene);
    checker.observe(&instance);
    for _ in 0..scene.steps() {
        instance.step();
        checker.observe(&instance);
    }
    let report = checker.finish(&instance);
    report.failures().map(ToString::to_string).collect()
}

#[test]
fn stacks_and_walls_of_parts_rest() {
    for name in [
        "box_stack",
        "dry_stone_wall",
        "heavy_on_light",
        "slope",
        "quality/dust",
    ] {
        let missed = missed_in_quarters(name);
        assert!(missed.is_empty(), "{name} in quarters: {missed:#?}");
    }
}
