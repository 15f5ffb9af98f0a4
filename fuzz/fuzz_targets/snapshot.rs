//! Any bytes as a snapshot, under a header that fits, and snapshots of worlds with some bytes
//! changed: an error, or a world that is sound, steps and can be stored again.
#![no_main]

#[path = "../../crates/world/tests/forge/mod.rs"]
mod forge;

use std::sync::{Arc, LazyLock};

use arbitrary::{Result, Unstructured};
use drystone::geometry::mesh::{MeshOptions, TriangleMesh};
use drystone::glam::{DVec3, Vec3};
use drystone::{
    BodyDef, BodyKind, Filter, JointDef, JointKind, Settings, Shape, ShapeDef, World, WorldPose,
};
use forge::{HEADER, sign};
use libfuzzer_sys::fuzz_target;

/// Snapshots to change: an empty world, a few bodies, and worlds with everything in them just
/// begun, in motion and partly asleep.
static HONEST: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let empty = World::new(Settings::default()).expect("the default settings");
    let mut few = empty.clone();
    for i in 0..3 {
        let at = DVec3::new(0.0, 0.9 * f64::from(i), 0.0);
        let cube = Shape::cube(Vec3::splat(0.5));
        few.add_body(BodyDef::dynamic().at(at).with_shape(cube))
            .expect("a cube");
    }
    few.step();
    let mut snapshots = vec![empty.snapshot(), few.snapshot()];
    let mut world = everything(empty);
    for steps in [0, 3, 30, 150] {
        for _ in 0..steps {
            world.step();
        }
        snapshots.push(world.snapshot());
    }
    snapshots
});

/// Every kind of body, shape and joint, a sensor, and freed keys.
fn everything(mut world: World) -> World {
    let corners: Vec<_> = (0..8)
        .map(|i| Vec3::new((i & 1) as f32, (i >> 1 & 1) as f32, (i >> 2) as f32) * 0.5)
        .collect();
    let ground: Vec<_> = corners
        .iter()
        .map(|c| Vec3::new(c.x, 0.2 * c.y * c.z, c.z))
        .collect();
    let sides = [[0, 4, 1], [1, 4, 5], [2, 6, 3], [3, 6, 7]];
    let ground: Vec<_> = ground.iter().map(|corner| 20.0 * *corner - 5.0).collect();
    let mesh = TriangleMesh::new(&ground, &sides, MeshOptions::default()).expect("a mesh");
    let shapes = [
        Shape::sphere(0.3),
        Shape::capsule(0.2, 0.2),
        Shape::cube(Vec3::new(0.3, 0.2, 0.4)),
        Shape::hull(&corners).expect("a cube"),
        Shape::cylinder(0.3, 0.2),
        Shape::cone(0.3, 0.2),
        Shape::ellipsoid(Vec3::new(0.1, 0.2, 0.3)),
        Shape::rounded(Shape::cube(Vec3::splat(0.2)), 0.1).expect("a box"),
    ];
    let mut add = |def: BodyDef| world.add_body(def).expect("a sound body");
    add(BodyDef::fixed().with_shape(Shape::half_space(Vec3::Y)));
    add(BodyDef::fixed().with_shape(Shape::Mesh(Arc::new(mesh))));
    let mut keys = Vec::new();
    for (i, shape) in shapes.iter().cycle().take(12).enumerate() {
        let at = DVec3::new((i % 3) as f64 * 0.6, 0.3 + (i / 3) as f64 * 0.5, 0.0);
        let shape = ShapeDef {
            sensor: i == 7,
            filter: Filter {
                mask: if i == 6 { 1 } else { u32::MAX },
                ..Filter::default()
            },
            ..ShapeDef::new(shape.clone())
        };
        keys.push(add(BodyDef {
            kind: if i == 5 {
                BodyKind::Kinematic
            } else {
                BodyKind::Dynamic
            },
            name: format!("stone {i}"),
            asleep: i == 11,
            bullet: i == 10,
            shapes: vec![shape],
            ..BodyDef::dynamic().at(at)
        }));
    }
    let kinds = [JointKind::BALL, JointKind::NoContact];
    for (kind, pair) in kinds.into_iter().zip([[0, 1], [3, 4]]) {
        let joint = JointDef::new(keys[pair[0]], keys[pair[1]], kind)
            .with_anchors(0.3 * Vec3::X, -0.3 * Vec3::X);
        world.add_joint(joint).expect("a sound joint");
    }
    world.remove_body(keys[2]).expect("not yet removed");
    world.set_enabled(keys[8], false).expect("a body");
    let target = WorldPose::from_position(DVec3::Y);
    world.set_kinematic_target(keys[5], target).expect("a body");
    world
}

fuzz_target!(|data: &[u8]| {
    let _ = run(Unstructured::new(data));
});

fn run(mut bytes: Unstructured<'_>) -> Result<()> {
    let which = bytes.int_in_range(0..=HONEST.len() + 1)?;
    let Some(honest) = HONEST.get(which) else {
        let rest = bytes.take_rest();
        if which == HONEST.len() {
            // No checksum is right by chance, so this world is never large.
            assert!(World::restore(rest).is_err());
        } else {
            let mut forged = HONEST[0][..HEADER].to_vec();
            forged.extend(rest);
            judge(forged);
        }
        return Ok(());
    };
    let mut forged = honest.clone();
    for _ in 0..bytes.int_in_range(1..=6)? {
        let at = HEADER + bytes.choose_index(forged.len() - HEADER)?;
        match bytes.int_in_range(0..=5)? {
            0 | 1 => forged[at] ^= 1 << bytes.int_in_range(0..=7)?,
            2 => forged[at] = bytes.arbitrary()?,
            3 => {
                let number: f32 = bytes.arbitrary()?;
                for (byte, new) in forged[at..].iter_mut().zip(number.to_le_bytes()) {
                    *byte = new;
                }
            }
            4 => drop(forged.splice(at..at + 1, bytes.arbitrary::<[u8; 2]>()?)),
            _ => {
                let end = (at + bytes.int_in_range(1..=40)?).min(forged.len());
                drop(forged.drain(at..end));
            }
        }
    }
    judge(forged);
    Ok(())
}

/// A file that begins with a header. It is read into a world of one thread, since a thousand
/// are allowed and would take their time.
fn judge(mut forged: Vec<u8>) {
    sign(&mut forged);
    let mut world = World::new(Settings::default()).expect("the default settings");
    if world.restore_from(&forged).is_err() {
        return;
    }
    let stored = world.snapshot();
    let mut again = World::restore(&stored).expect("what was accepted can be stored");
    assert_eq!(again.snapshot(), stored);
    for _ in 0..3 {
        world.step();
        again.step();
    }
    assert_eq!(world.state_hash(), again.state_hash());
    for (_, body) in world.bodies() {
        assert!(body.position().is_finite());
        assert!(body.linear_velocity().is_finite());
    }
    let stored = world.snapshot();
    World::restore(&stored).expect("what was stepped can be stored");
}
