//! A world written as a scene and read again is the same world.

use drystone::{BodyDef, JointDef, World};
use drystone_scene::{Scene, to_ron};

use crate::source::load;

fn defs(world: &World) -> (Vec<BodyDef>, Vec<JointDef>) {
    let bodies = world.bodies().map(|(_, body)| body.to_def()).collect();
    let joints = world
        .joint_keys()
        .filter_map(|key| world.joint(key).ok().cloned())
        .collect();
    (bodies, joints)
}

/// Equal to the bit, but for where a body is: the world keeps its centre of mass, and going
/// from there to the origin and back, or scaling a quaternion to unit length again, rounds.
fn assert_equal(a: &World, b: &World, name: &str) {
    let ((bodies_a, joints_a), (bodies_b, joints_b)) = (defs(a), defs(b));
    assert_eq!(bodies_a.len(), bodies_b.len(), "{name}");
    for (a, b) in bodies_a.iter().zip(bodies_b) {
        assert!(
            a.position.abs_diff_eq(b.position, 1e-12),
            "{name} {}",
            a.name
        );
        assert!(
            a.rotation.abs_diff_eq(b.rotation, 2e-7),
            "{name} {}",
            a.name
        );
        let moved = BodyDef {
            position: a.position,
            rotation: a.rotation,
            ..b
        };
        assert_eq!(*a, moved, "{name}");
    }
    assert_eq!(joints_a, joints_b, "{name}");
    assert_eq!(a.settings(), b.settings());
}

/// Scenes with hulls, joints, limits, motors and compounds, at the start and after some
/// steps: every description is equal.
#[test]
fn a_written_world_reads_back_equal() {
    for name in [
        "arch",
        "mixed_pile",
        "joint_chain",
        "hinge_door",
        "slider",
        "wheel_car",
        "gear_pair",
        "servo_arm",
        "breaking_rope",
        "spinning_top",
        "dominoes",
        "planar_pyramid",
        "round_shapes",
    ] {
        let scene = load(name);
        let mut instance = scene.build().unwrap_or_else(|errors| panic!("{errors}"));
        for steps in [0, 20] {
            for _ in 0..steps {
                instance.step();
            }
            let text = to_ron(&instance.world);
            let read = Scene::parse(text, "written.ron")
                .unwrap_or_else(|errors| panic!("{name}: {errors}"));
            let again = read
                .build()
                .unwrap_or_else(|errors| panic!("{name}: {errors}"));
            assert_equal(&instance.world, &again.world, name);
        }
    }
}

/// Where a body's origin is its centre of mass nothing is rounded: the hash of the whole
/// state is the same, and writing again gives the same text.
#[test]
fn a_fresh_world_of_centred_bodies_reads_back_to_the_bit() {
    for name in ["box_stack", "dominoes", "heavy_on_light"] {
        let world = load(name)
            .build()
            .unwrap_or_else(|errors| panic!("{errors}"))
            .world;
        let text = to_ron(&world);
        let read = Scene::parse(text.clone(), "written.ron");
        let again = read.and_then(|scene| scene.build());
        let again = again
            .unwrap_or_else(|errors| panic!("{name}: {errors}"))
            .world;
        assert_eq!(again.state_hash(), world.state_hash(), "{name}");
        assert_eq!(to_ron(&again), text, "{name}");
    }
}

/// Templates that move or sleep, of which a grid and an arch make static bodies too, and a prefab
/// that is thrown while a part of it sleeps: what comes out is a scene that is read again.
#[test]
fn fixed_and_sleeping_copies_of_moving_bodies_are_written_without_velocity() {
    let cube = "shape: Box(half_extents: (0.4, 0.4, 0.4))";
    let scene = crate::source::parse(&format!(
        "prefabs: {{ \"pair\": (bodies: [(name: \"a\", {cube}, asleep: true),
             (name: \"b\", {cube}, position: (2, 0, 0))]) }},
         patterns: [
             Grid(name: \"g\", count: (2, 2, 2), step: (1, 1, 1), fixed: Y,
                 body: ({cube}, linear_velocity: (1, 0, 0))),
             Grid(name: \"s\", count: (2, 2, 2), step: (1, 1, 1), fixed: Y, position: (9, 0, 0),
                 body: ({cube}, asleep: true)),
             Place(name: \"p\", prefab: \"pair\", position: (20, 0, 0), linear_velocity: (1, 0, 0)),
         ]"
    ));
    let written = scene.to_ron();
    let again = Scene::parse(written.clone(), "written.ron");
    let again = again.unwrap_or_else(|errors| panic!("{errors}{written}"));
    let moving = |scene: &Scene| {
        let velocities = scene.bodies.iter().map(|body| body.def.linear_velocity);
        velocities.filter(|v| v.length_squared() > 0.0).count()
    };
    // Four of a grid's eight, and one of the pair.
    assert_eq!((moving(&scene), moving(&again)), (5, 5));
}

/// A ball whose weight is low stands up from its side, as a tumbler does, and is written with its
/// centre of mass.
#[test]
fn a_tumbler_rights_itself_and_is_written_so() {
    let scene = crate::source::parse(
        "materials: { \"default\": (rolling_resistance: 0.05) },
         bodies: [
             (name: \"ground\", kind: Static, shape: HalfSpace()),
             (name: \"tumbler\", shape: Sphere(radius: 0.5), position: (0, 0.5, 0), mass: 2,
                 center_of_mass: (0, -0.25, 0), rotation: Turn(axis: (1, 0, 0), degrees: 90)),
         ],
         duration: 20,
         expect: [Tilt(body: \"tumbler\", at_most: 15, at: 20)]",
    );
    let written = scene.to_ron();
    assert!(written.contains("center_of_mass"), "{written}");
    let again = Scene::parse(written, "written.ron").unwrap_or_else(|errors| panic!("{errors}"));
    for scene in [&scene, &again] {
        let mut instance = scene.build().unwrap_or_else(|errors| panic!("{errors}"));
        let tumbler = instance.bodies["tumbler"];
        for _ in 0..1200 {
            instance.step();
        }
        let body = instance.world.body(tumbler).expect("it is there");
        let up = drystone::geometry::rotation::rotate(body.rotation(), drystone::glam::Vec3::Y);
        assert!(up.y > 0.95, "{up}");
        assert!((body.center_of_mass().y - 0.25).abs() < 0.02);
    }
}
