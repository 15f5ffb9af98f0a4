//! Odd but legal input: the documented behaviour, and never a panic, a hang or a NaN.

use drystone::Shape;
use drystone_scene::{Instance, Scene};

use crate::source::parse;

fn run(scene: &Scene, steps: usize) -> Instance {
    let mut instance = scene.build().unwrap_or_else(|errors| panic!("{errors}"));
    for _ in 0..steps {
        instance.step();
    }
    for key in &instance.body_keys {
        let body = instance.world.body(*key).expect("a body that was added");
        assert!(body.pose().is_finite());
        assert!(body.linear_velocity().is_finite());
        assert!(body.angular_velocity().is_finite());
    }
    assert_eq!(instance.diverged(), None);
    instance
}

const FLOOR: &str = "(name: \"floor\", kind: Static, shape: Box(half_extents: (50, 0.5, 50)), position: (0, -0.5, 0))";

/// No bodies at all: runs, and time passes.
#[test]
fn an_empty_scene_runs() {
    let instance = run(&parse(""), 10);
    assert_eq!(instance.world.step_count(), 10);
}

/// A quaternion of length 1.08 is scaled on load; the shape is not.
#[test]
fn a_quaternion_that_is_not_unit_is_scaled() {
    let scene =
        parse("bodies: [(shape: Box(half_extents: (1, 1, 1)), rotation: (0, 0, 0.6, 0.9))]");
    let def = &scene.bodies[0].def;
    let length: f32 = def.rotation.to_array().iter().map(|part| part * part).sum();
    assert!((length - 1.0).abs() < 1e-6);
    assert!((def.rotation.z / def.rotation.w - 0.6 / 0.9).abs() < 1e-6);
    assert_eq!(
        def.shapes[0].shape,
        Shape::Box {
            half_extents: drystone::glam::Vec3::ONE
        }
    );
}

/// Cube corners twice, and points inside: 8 corners and 6 faces remain.
#[test]
fn a_hull_drops_repeated_and_inner_points() {
    let mut points = Vec::new();
    for _ in 0..2 {
        for i in 0..8 {
            let sign = |bit: i32| if i & bit != 0 { 1 } else { -1 };
            points.push(format!("({}, {}, {})", sign(1), sign(2), sign(4)));
        }
    }
    points.push("(0, 0, 0)".to_owned());
    points.push("(0.5, -0.25, 0.1)".to_owned());
    let scene = parse(&format!(
        "shapes: {{ \"h\": Hull(points: [{}]) }}, bodies: [(shape: \"h\")]",
        points.join(", ")
    ));
    let Shape::Hull(hull) = &scene.bodies[0].def.shapes[0].shape else {
        panic!("a hull")
    };
    assert_eq!((hull.vertices().len(), hull.faces().len()), (8, 6));
}

/// Eight points of which most are nearly in one plane, from a report on another engine: a
/// closed hull comes out (Euler's V - E + F = 2).
#[test]
fn a_nearly_flat_hull_is_closed() {
    let scene = parse(
        "bodies: [(shape: Hull(points: [
            (-0.020472288, -0.195635557, 0.308015466), (0.136248738, 0.633286834, 0.135366619),
            (0.286418647, -0.228475571, 0.308084548), (-0.267285109, 1.024676085, 0.308042824),
            (0.396568149, -0.971658647, 0.308055162), (0.321081549, -1.024676085, 0.308036327),
            (0.034643859, -0.404506862, 0.308015764), (0.18922469, -0.252762139, 0.308060408),
        ]))]",
    );
    let Shape::Hull(hull) = &scene.bodies[0].def.shapes[0].shape else {
        panic!("a hull")
    };
    let (v, e, f) = (
        hull.vertices().len(),
        hull.half_edges().len() / 2,
        hull.faces().len(),
    );
    assert_eq!(v + f, e + 2);
}

/// With a time step of zero nothing changes.
#[test]
fn a_time_step_of_zero_changes_nothing() {
    let scene = parse(&format!(
        "settings: (dt: 0), bodies: [{FLOOR}, (name: \"b\", shape: Sphere(radius: 0.5), position: (0, 3, 0))]"
    ));
    let instance = run(&scene, 10);
    let body = instance.world.body(instance.bodies["b"]).expect("the ball");
    assert_eq!(body.position(), drystone::glam::DVec3::new(0.0, 3.0, 0.0));
}

/// Ten seconds in one step: finite.
#[test]
fn a_huge_time_step_stays_finite() {
    let scene = parse(&format!(
        "settings: (dt: 10), bodies: [{FLOOR}, (shape: Box(half_extents: (0.5, 0.5, 0.5)), position: (0, 0.5, 0))]"
    ));
    run(&scene, 10);
}

/// The fastest speed and the least mass a file may name.
#[test]
fn extreme_numbers_stay_finite() {
    let scene = parse(&format!(
        "bodies: [{FLOOR},
            (shape: Sphere(radius: 1), position: (10, 5, 0), linear_velocity: (1e6, -1e6, 0)),
            (shape: Sphere(radius: 1), position: (-10, 5, 0), angular_velocity: (1e4, 0, 1e4)),
            (shape: Sphere(radius: 0.5), position: (0, 2, 5), mass: 1e-12),
            (shape: Sphere(radius: 0.5), position: (0, 0.5, 9), linear_velocity: (6.9e-39, 0, 0)),
            (shape: Sphere(radius: 0.5), position: (1e9, 1e9, -1e9)),
        ]"
    ));
    run(&scene, 60);
}

/// 300 boxes in one place: quadratically many pairs, and it still ends.
#[test]
fn many_bodies_in_one_place_terminate() {
    let scene = parse(
        "patterns: [Grid(name: \"g\", count: (300, 1, 1), step: (0, 0, 0), body: (shape: Box(half_extents: (0.5, 0.5, 0.5))))]",
    );
    run(&scene, 1);
}

/// Both spellings of vectors, comments, raw texts, options and hexadecimal masks.
#[test]
fn every_spelling_of_ron_is_read() {
    let scene = Scene::parse(
        "#![enable(implicit_some)] /* a /* nested */ comment */ (
            format: 1, about: r#\"a \"raw\" text\"#,
            bodies: [ // one
                (name: Some(\"a\\u{e4}\"), kind: Static, shape: Some(Sphere(radius: 1_0)), mass: None,
                 position: [1, 2.5, -3e0], filter: (category: 0x2, mask: 0b101, group: -1)),
            ],
        )",
        "test.ron",
    )
    .unwrap_or_else(|errors| panic!("{errors}"));
    let body = &scene.bodies[0];
    assert_eq!(scene.about, "a \"raw\" text");
    assert_eq!(body.name, "a\u{e4}");
    assert_eq!(
        body.def.position,
        drystone::glam::DVec3::new(1.0, 2.5, -3.0)
    );
    let filter = body.def.shapes[0].filter;
    assert_eq!((filter.category, filter.mask, filter.group), (2, 5, -1));
}

/// Included files give materials, bodies and prefabs; a file that two others include is
/// read once.
#[test]
fn included_files_define_things_once() {
    let files = |path: &str| {
        match path {
        "dir/parts/floor.ron" => Ok("(format: 1, include: [\"stone.ron\"], bodies: [(name: \"floor\", kind: Static, shape: HalfSpace(), material: \"stone\")])".to_owned()),
        "dir/parts/stone.ron" => Ok("(format: 1, materials: { \"stone\": (friction: 0.9) })".to_owned()),
        other => Err(format!("unexpected {other}")),
    }
    };
    let text = "(format: 1, include: [\"parts/floor.ron\", \"./parts/stone.ron\"], bodies: [(name: \"b\", shape: Sphere(radius: 1), material: \"stone\")])";
    let scene = Scene::parse_with(text, "dir/main.ron", &mut |path| {
        files(path).map(String::into_bytes)
    })
    .unwrap_or_else(|errors| panic!("{errors}"));
    let names: Vec<&str> = scene.bodies.iter().map(|body| body.name.as_str()).collect();
    assert_eq!(names, ["floor", "b"]);
    assert!(
        scene
            .bodies
            .iter()
            .all(|body| body.def.shapes[0].material.friction == 0.9)
    );
}

/// An extruded outline and its `planar` lock against the same body written out. Known by the meaning
/// of both words; other locks stay.
#[test]
fn a_planar_extrusion_is_a_hull_with_three_locks() {
    let body = |fields: &str| {
        let text = format!("(format: 1, bodies: [({fields})])");
        let scene = Scene::parse(text, "t.ron").unwrap_or_else(|errors| panic!("{errors}"));
        scene.bodies[0].def.clone()
    };
    let short = body(
        "planar: true, lock_translation: (true, false, false),
         shape: Extrusion(points: [(0, 0), (2, 0), (0, 1)], half_depth: 0.25)",
    );
    let long = body(
        "lock_translation: (true, false, true), lock_rotation: (true, true, false),
         shape: Hull(points: [(0, 0, -0.25), (2, 0, -0.25), (0, 1, -0.25),
                              (0, 0, 0.25), (2, 0, 0.25), (0, 1, 0.25)])",
    );
    assert_eq!(short, long);
    let flat = "(format: 1, bodies: [(shape: Extrusion(points: [(0, 0), (2, 0), (1, 0)]))])";
    let errors = Scene::parse(flat, "t.ron").expect_err("flat");
    assert_eq!(errors.errors[0].code, "bad-hull", "{errors}");
}

/// A cube's corners in an OBJ file beside a scene, and in one that a file in a folder names:
/// paths start at the file in which they stand. Twice as large by `scale`.
#[test]
fn hulls_come_from_files_beside_the_scene() {
    let cube = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nv 0 0 1\nv 1 0 1\nv 0 1 1\nv 1 1 1\n";
    let files = |path: &str| match path {
        "dir/cube.obj" | "dir/parts/cube.obj" => Ok(cube.to_owned()),
        "dir/parts/shapes.ron" => {
            Ok("(format: 1, shapes: { \"b\": Hull(file: \"./cube.obj\") })".to_owned())
        }
        other => Err(format!("unexpected {other}")),
    };
    let text = "(format: 1, include: [\"parts/shapes.ron\"], bodies: [
        (shape: Hull(file: \"cube.obj\", scale: 2)), (shape: \"b\"),
    ])";
    let scene = Scene::parse_with(text, "dir/main.ron", &mut |path| {
        files(path).map(String::into_bytes)
    })
    .unwrap_or_else(|errors| panic!("{errors}"));
    for (body, volume) in scene.bodies.iter().zip([8.0, 1.0]) {
        let shape = &body.def.shapes[0].shape;
        assert!((shape.mass_properties(1.0).mass - volume).abs() < 1e-5);
    }
}
