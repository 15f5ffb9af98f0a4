//! The ragdolls of the rain: what the published description counts, and that they hold
//! together and come to rest.

use std::collections::BTreeMap;

use drystone::glam::{DVec3, Vec3};
use drystone::{BodyDef, BodyKey, JointDef, JointKind, Settings, Shape, World};
use drystone_scene::Scene;

fn rain() -> Scene {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/bench/rain.ron");
    Scene::load(path).unwrap_or_else(|error| panic!("{error}"))
}

/// 300 humans of 14 bodies, 13 joints and one that only parts the thighs; a column of 30 at
/// a time, three in a row 0.75 m apart; a place's three share a filter group, that of the
/// first place is 0.
#[test]
fn the_rain_is_that_of_the_benchmark() {
    let scene = rain();
    let spawn = &scene.spawns[0];
    assert_eq!((scene.start_bodies(), scene.bodies.len()), (100, 4300));
    assert_eq!((scene.start_joints(), scene.joints.len()), (0, 4200));
    let parted = scene
        .joints
        .iter()
        .filter(|joint| joint.kind == JointKind::NoContact);
    assert_eq!(parted.count(), 300);
    assert_eq!((spawn.copies.len(), spawn.schedule.together), (100, 10));
    let mut groups: BTreeMap<i32, usize> = BTreeMap::new();
    for (place, copy) in spawn.copies.iter().enumerate() {
        let (column, row) = (place / 10, place % 10);
        for human in 0..3 {
            let first = copy.bodies.start + 14 * human;
            let pelvis = &scene.bodies[first];
            let x = -75.0 + 15.0 * (column as f64 + 0.5) + 0.75 * human as f64;
            let z = -75.0 + 15.0 * (row as f64 + 0.5);
            let offset = DVec3::new(0.0, 0.932087, -0.051708);
            let expected = DVec3::new(x, 20.0, z) + offset;
            assert!(
                pelvis.def.position.abs_diff_eq(expected, 1e-9),
                "{}",
                pelvis.name
            );
            for body in &scene.bodies[first..first + 14] {
                let group = body.def.shapes[0].filter.group;
                *groups.entry(group).or_default() += 1;
            }
        }
    }
    // Three bodies of each human have the group of their place; all others 0.
    assert_eq!(groups.len(), 100);
    for (group, count) in groups {
        let expected = if group == 0 { 4200 - 99 * 9 } else { 9 };
        assert_eq!(count, expected, "{group}");
    }
}

/// Three ragdolls fall from their own height onto a floor. They tumble, no joint opens by
/// more than 5 cm, and within ten seconds they lie still and sleep, their joints closed.
#[test]
fn ragdolls_come_to_rest_in_one_piece() {
    let scene = rain();
    let mut world = World::new(Settings::default()).expect("the defaults are allowed");
    let floor = Shape::cube(Vec3::new(20.0, 0.5, 20.0));
    let floor = BodyDef::fixed().with_shape(floor);
    world
        .add_body(floor.at(DVec3::new(-67.5, -0.5, -67.5)))
        .expect("a floor");
    let copy = &scene.spawns[0].copies[0];
    let mut keys = vec![BodyKey::default(); scene.bodies.len()];
    for index in copy.bodies.clone() {
        let mut def = scene.bodies[index].def.clone();
        def.position.y -= 18.5;
        keys[index] = world.add_body(def).expect("a body of the rain");
    }
    for joint in &scene.joints[copy.joints.clone()] {
        let def = JointDef {
            body_a: keys[joint.a],
            body_b: keys[joint.b],
            frame_a: joint.frame_a,
            frame_b: joint.frame_b,
            kind: joint.kind.clone(),
            threshold: joint.threshold,
            collide_connected: joint.collide_connected,
            name: joint.name.clone(),
        };
        world.add_joint(def).expect("a joint of the rain");
    }
    let gap = |world: &World| {
        let held = world.joint_keys().filter(|key| {
            world
                .joint(*key)
                .is_ok_and(|def| def.kind != JointKind::NoContact)
        });
        let gaps = held.map(|key| world.joint_gap(key).expect("a joint"));
        gaps.fold(0.0, f64::max)
    };
    for _ in 0..600 {
        world.step();
        assert!(gap(&world) < 0.05, "{}", gap(&world));
    }
    assert!(gap(&world) < 0.002, "{}", gap(&world));
    for key in &keys[copy.bodies.clone()] {
        let body = world.body(*key).expect("a body");
        assert!(!body.is_awake(), "{}", body.name());
        assert!((0.0..1.0).contains(&body.position().y), "{}", body.name());
    }
}
