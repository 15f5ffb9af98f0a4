//! Meshes and height fields in scenes: rules, mistakes, and back to text.

use drystone::geometry::{HeightField, TriangleMesh};
use drystone::glam::Vec3;
use drystone::{Shape, World};
use drystone_scene::{Scene, to_ron};

use crate::source::{load, parse};

fn mesh_of(scene: &Scene) -> &TriangleMesh {
    let Shape::Mesh(mesh) = &scene.bodies[0].def.shapes[0].shape else {
        panic!("the first body is no mesh");
    };
    mesh
}

fn field_of(scene: &Scene) -> &HeightField {
    let Shape::HeightField(field) = &scene.bodies[0].def.shapes[0].shape else {
        panic!("the first body is no height field");
    };
    field
}

/// 60,000, 240,000 and 960,000 triangles of height 0.4 sin(0.2 pi x) sin(0.1 pi z), x and z
/// counted from the corner, and fifty trees of 22 prisms at (0, 1, 3 b - 70), whose feet
/// stand still at first.
#[test]
fn the_trees_are_those_of_the_benchmark() {
    for (name, s) in [("trees100", 1), ("trees50", 2), ("trees25", 4_u32)] {
        let scene = load(&format!("bench/{name}"));
        let mesh = mesh_of(&scene);
        assert_eq!(mesh.triangles().len() as u32, 60_000 * s * s);
        for v in mesh.vertices().iter().step_by(997) {
            let (x, z) = (f64::from(v.x) + 75.0, f64::from(v.z) + 100.0);
            let wave = |a: f64| libm::sin(std::f64::consts::PI * a);
            let height = 0.4 * wave(0.2 * x) * wave(0.1 * z);
            assert!((f64::from(v.y) - height).abs() < 1e-5, "{name} {v}");
        }
        let mut world = World::new(scene.settings.clone()).expect("good settings");
        let trees = &scene.bodies[1..];
        assert_eq!(trees.len(), 50);
        for (b, tree) in trees.iter().enumerate() {
            assert_eq!(
                tree.def.position.to_array(),
                [0.0, 1.0, 3.0 * b as f64 - 70.0]
            );
            assert_eq!(tree.def.shapes.len(), 22);
            let key = world.add_body(tree.def.clone()).expect("a good body");
            let view = world.body(key).expect("it lives");
            let arm = (view.position() - view.center_of_mass()).as_vec3();
            let foot = view.linear_velocity() + view.angular_velocity().cross(arm);
            assert!(foot.length() < 1e-3, "tree {b}: {foot}");
        }
    }
}

/// The tile and the torus of the rain: 128 and 512 triangles; the torus reaches 4.75 m from
/// its axis in its plane and 1 m to either side, by hand, and closes.
#[test]
fn the_tiles_of_the_rain_are_those_of_the_benchmark() {
    let scene = load("bench/rain");
    let shapes = &scene.bodies[0].def.shapes;
    let [Shape::Mesh(tile), Shape::Mesh(torus)] = [&shapes[0].shape, &shapes[1].shape] else {
        panic!("no meshes");
    };
    assert_eq!(
        (tile.triangles().len(), torus.triangles().len()),
        (128, 512)
    );
    assert!((tile.bounds().max - Vec3::new(7.5, 0.0, 7.5)).length() < 1e-5);
    assert!((torus.bounds().max - Vec3::new(4.75, 4.75, 1.0)).length() < 1e-5);
    assert!((0..512).all(|t| (0..3).all(|side| torus.beyond(t, side).is_some())));
}

/// One mistake each: the message names it, and stands at its line.
#[test]
fn mistakes_in_surfaces_are_named_where_they_stand() {
    let points = "points: [(0, 0, 0), (0, 0, 1), (1, 0, 0), (2, 0, 0)]";
    for (shape, part, line) in [
        (
            format!("Mesh({points},\ntriangles: [(0, 1, 2),\n(0, 2, 3)])"),
            "triangle 1 has no area",
            3,
        ),
        (
            format!("Mesh({points},\ntriangles: [(0, 1, 9)])"),
            "names vertex 9",
            2,
        ),
        (
            format!("Mesh({points},\ntriangles: [(0, 1)])"),
            "`triangles`",
            2,
        ),
        ("Mesh(two_sided: true)".to_owned(), "a mesh needs", 1),
        (
            "Mesh(make:\nSheet(cells: (1.5, 2)))".to_owned(),
            "whole numbers",
            2,
        ),
        (
            "HeightField(rows: 2, columns: 2,\nheights: [0, 0, 0])".to_owned(),
            "3 heights given",
            2,
        ),
        (
            "HeightField(rows: 2, columns: 2)".to_owned(),
            "needs `heights` or `waves`",
            1,
        ),
        (
            "HeightField(rows: 2, columns: 2, heights: [0, 0, 0, 0],\nholes: [3])".to_owned(),
            "no cell 3",
            2,
        ),
    ] {
        let text = format!("(format: 1, bodies: [(kind: Static, shape: {shape})])");
        let error = Scene::parse(text, "test.ron")
            .expect_err(&shape)
            .to_string();
        assert!(error.contains(part), "{error}");
        assert!(error.contains(&format!("test.ron:{line}:")), "{error}");
    }
    let dynamic = "(format: 1, bodies: [(shape: Mesh(make: Sheet(cells: (2, 2))))])";
    let error = Scene::parse(dynamic.to_owned(), "test.ron")
        .expect_err("it falls")
        .to_string();
    assert!(
        error.contains("a mesh can only stand on a static or kinematic body"),
        "{error}"
    );
}

/// A mesh with two sides and a height field with a hole, made a world, written as text and
/// read again, are what they were.
#[test]
fn surfaces_are_written_as_they_were_read() {
    for shape in [
        "Mesh(make: Torus(ring_radius: 2, tube_radius: 0.5, around: 5, across: 3), two_sided: true)",
        "HeightField(rows: 3, columns: 4, cell: (0.5, 1.5), waves: (amplitude: 1, per_metre: (0.3, 0.2)), holes: [4])",
    ] {
        let scene = parse(&format!("bodies: [(kind: Static, shape: {shape})]"));
        let mut world = World::new(scene.settings.clone()).expect("good settings");
        world
            .add_body(scene.bodies[0].def.clone())
            .expect("a good body");
        let text = to_ron(&world);
        let back = Scene::parse(text, "back.ron").unwrap_or_else(|error| panic!("{error}"));
        if shape.starts_with("Mesh") {
            assert!(mesh_of(&back) == mesh_of(&scene));
        } else {
            assert!(field_of(&back) == field_of(&scene));
            assert_eq!(
                field_of(&back).holes().iter().filter(|hole| **hole).count(),
                1
            );
        }
    }
}
