//! Snapshots: what is restored goes on alike, and no bytes break anything.

use drystone::geometry::rotation;
use drystone::glam::{DVec3, Vec3};
use drystone::{
    BodyDef, BodyKey, BodyKind, JointDef, JointKind, Settings, Shape, SnapshotError, World,
};

mod forge;

use forge::{HEADER, sign};

/// A small world with everything in it: every kind of body and shape, joints, a kinematic
/// body on its way, sleepers, freed indices, forces waiting for the next step.
fn mixed() -> (World, Vec<BodyKey>) {
    let mut world = World::new(Settings::default()).unwrap();
    let ground = Shape::HalfSpace { normal: Vec3::Y };
    world.add_body(BodyDef::fixed().with_shape(ground)).unwrap();
    let corners: Vec<_> = (0..8)
        .map(|i| Vec3::new((i & 1) as f32, (i >> 1 & 1) as f32, (i >> 2) as f32) * 0.5)
        .collect();
    let shapes = [
        Shape::sphere(0.3),
        Shape::capsule(0.2, 0.2),
        Shape::cube(Vec3::new(0.3, 0.2, 0.4)),
        Shape::hull(&corners).unwrap(),
    ];
    let mut keys = Vec::new();
    for i in 0..24 {
        let shape = shapes[i % 4].clone();
        let at = DVec3::new(
            (i % 4) as f64 * 0.7,
            0.4 + (i / 4) as f64 * 0.6,
            0.1 * i as f64 % 0.3,
        );
        let def = BodyDef {
            rotation: rotation::from_scaled_axis(Vec3::new(0.1 * i as f32, 0.2, 0.0)),
            name: format!("stone {i}"),
            ..BodyDef::dynamic().at(at).with_shape(shape)
        };
        keys.push(world.add_body(def).unwrap());
    }
    for pair in [[0, 5], [9, 14]] {
        let joint = JointDef::new(keys[pair[0]], keys[pair[1]], JointKind::BALL)
            .with_anchors(Vec3::X, -Vec3::X);
        world.add_joint(joint).unwrap();
    }
    let lift = BodyDef {
        linear_velocity: Vec3::new(0.0, 0.2, 0.0),
        ..BodyDef::kinematic()
            .at(DVec3::new(1.0, -0.4, 0.0))
            .with_shape(Shape::cube(Vec3::splat(0.5)))
    };
    keys.push(world.add_body(lift).unwrap());
    let sleeper = BodyDef {
        asleep: true,
        ..BodyDef::dynamic()
            .at(DVec3::new(30.0, 0.5, 0.0))
            .with_shape(Shape::cube(Vec3::splat(0.5)))
    };
    keys.push(world.add_body(sleeper).unwrap());
    world.remove_body(keys[7]).unwrap();
    world.remove_body(keys[3]).unwrap();
    (world, keys)
}

/// The oracle is the world that was never stored. New bodies must get the same keys.
#[test]
fn what_is_restored_goes_on_bit_for_bit() {
    let (mut world, keys) = mixed();
    for step in 0..150 {
        let push = Vec3::new(40.0, 10.0, 0.0);
        if step % 10 == 0 {
            let point = world.body(keys[1]).unwrap().center_of_mass();
            world.apply_force(keys[1], push, point).unwrap();
            let mut other = World::restore(&world.snapshot()).unwrap();
            assert_eq!(world.state_hash(), other.state_hash(), "at step {step}");
            assert_eq!(world.snapshot(), other.snapshot(), "at step {step}");
            assert!(world.contacts().eq(other.contacts()));
            assert_eq!(world.events(), other.events());
            let mut copy = world.clone();
            for _ in 0..5 {
                let def = || BodyDef::dynamic().with_shape(Shape::sphere(0.2));
                let new = [&mut copy, &mut other].map(|w| {
                    w.step();
                    w.add_body(def().at(DVec3::new(1.0, 4.0, 0.0))).unwrap()
                });
                assert_eq!(new[0], new[1]);
                assert_eq!(copy.state_hash(), other.state_hash(), "after step {step}");
                assert_eq!(copy.events(), other.events());
            }
        }
        world.step();
    }
    assert!(world.body(keys[3]).is_err(), "stale keys stay stale");
    let other = World::restore(&world.snapshot()).unwrap();
    assert!(other.body(keys[3]).is_err());
    assert_eq!(other.body(keys[0]).unwrap().name(), "stone 0");
}

/// Sleeping islands, and the moment they are woken.
#[test]
fn sleepers_sleep_on_and_wake_alike() {
    let mut world = World::new(Settings::default()).unwrap();
    let ground = Shape::HalfSpace { normal: Vec3::Y };
    world.add_body(BodyDef::fixed().with_shape(ground)).unwrap();
    let mut top = None;
    for i in 0..4 {
        let at = DVec3::new(0.0, 0.5 + f64::from(i), 0.0);
        let def = BodyDef::dynamic()
            .at(at)
            .with_shape(Shape::cube(Vec3::splat(0.5)));
        top = Some(world.add_body(def).unwrap());
    }
    let top = top.unwrap();
    for _ in 0..120 {
        world.step();
    }
    assert!(!world.body(top).unwrap().is_awake(), "the stack sleeps");
    let mut other = World::restore(&world.snapshot()).unwrap();
    for w in [&mut world, &mut other] {
        w.apply_impulse(top, Vec3::new(900.0, 0.0, 0.0), DVec3::new(0.0, 3.9, 0.0))
            .unwrap();
        for _ in 0..60 {
            w.step();
        }
    }
    assert_eq!(world.state_hash(), other.state_hash());
}

/// Every byte of the file is flipped, and every prefix is tried: an error each time.
#[test]
fn damage_is_noticed_at_every_byte() {
    let (mut world, _) = mixed();
    for _ in 0..20 {
        world.step();
    }
    let bytes = world.snapshot();
    for at in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1 << (at % 8);
        assert!(World::restore(&damaged).is_err(), "byte {at}");
        assert!(World::restore(&bytes[..at]).is_err(), "first {at} bytes");
    }
    let mut longer = bytes.clone();
    longer.push(0);
    assert!(matches!(
        World::restore(&longer),
        Err(SnapshotError::Length { .. })
    ));
    assert_eq!(
        World::restore(b"RIFF").err(),
        Some(SnapshotError::NotASnapshot)
    );
    let mut other = bytes;
    other[8] = 99;
    let error = World::restore(&other).err().unwrap();
    assert!(error.to_string().contains("version 99"), "{error}");
}

/// Damage under a checksum that was made to fit, as an attacker would: an error, or a world
/// that steps without a panic.
#[test]
fn forged_snapshots_are_refused_or_step() {
    let (mut world, _) = mixed();
    for _ in 0..20 {
        world.step();
    }
    let bytes = world.snapshot();
    let (mut refused, mut accepted) = (0, 0);
    let mut random = 1_u64;
    for at in HEADER..bytes.len() {
        random = random
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        let mut forged = bytes.clone();
        forged[at] ^= 1 << (random >> 61);
        sign(&mut forged);
        match World::restore(&forged) {
            Err(_) => refused += 1,
            Ok(mut world) => {
                accepted += 1;
                if accepted % 4 == 0 {
                    world.step();
                    world.step();
                }
            }
        }
    }
    assert!(refused > 100 && accepted > 100, "{refused} and {accepted}");
}

/// A number of threads no machine has, under a checksum that fits: refused before the first of
/// them is started. By hand: gravity, step, sub-steps, two flags and three speeds come first.
#[test]
fn absurd_thread_counts_are_refused() {
    let mut world = World::new(Settings::default()).unwrap();
    let bytes = world.snapshot();
    let at = HEADER + 12 + 4 + 1 + 2 + 12;
    assert_eq!(bytes[at], 1, "one thread");
    let mut forged = bytes[..at].to_vec();
    forged.extend([0xff, 0xff, 0xff, 0xff, 0x7f]);
    forged.extend(&bytes[at + 1..]);
    sign(&mut forged);
    let error = World::restore(&forged).err().unwrap().to_string();
    assert!(error.contains("between 0 and 1024"), "{error}");
    // Into a world with threads of its own the number does not count.
    world.restore_from(&forged).unwrap();
    assert_eq!(world.settings().threads, 1);
}

/// A hull of many corners on a hundred bodies is stored once, and bodies share it again.
#[test]
fn shared_shapes_are_stored_once() {
    let points: Vec<_> = (0..200)
        .map(|i| {
            let turn = i as f32 * 2.399_963;
            let height = 1.0 - (i as f32 + 0.5) / 100.0;
            let radius = (1.0 - height * height).sqrt();
            let around = rotation::from_axis_angle(Vec3::Y, turn);
            rotation::rotate(around, Vec3::new(radius, height, 0.0))
        })
        .collect();
    let hull = Shape::hull(&points).unwrap();
    let mut world = World::new(Settings::default()).unwrap();
    let mut size = Vec::new();
    for i in 0..100 {
        let at = DVec3::new(3.0 * f64::from(i), 0.0, 0.0);
        world
            .add_body(BodyDef::dynamic().at(at).with_shape(hull.clone()))
            .unwrap();
        size.push(world.snapshot().len());
    }
    let per_body = (size[99] - size[9]) / 90;
    assert!(size[0] > 3000 && per_body < 250, "{size:?}");
    let other = World::restore(&world.snapshot()).unwrap();
    let address = |body: drystone::BodyView<'_>| body.shapes()[0].shape().shared_address();
    let first = other.bodies().next().map(|(_, body)| address(body));
    assert!(other.bodies().all(|(_, body)| Some(address(body)) == first));
}

/// A pyramid of boxes at rest: what a body with its shape and contacts costs, in bytes.
#[test]
fn a_snapshot_is_small() {
    let mut world = World::new(Settings::default()).unwrap();
    let ground = Shape::HalfSpace { normal: Vec3::Y };
    world.add_body(BodyDef::fixed().with_shape(ground)).unwrap();
    let rows = 12;
    for row in 0..rows {
        for column in 0..rows - row {
            let x = f64::from(column) * 1.05 + f64::from(row) * 0.525;
            let at = DVec3::new(x, 0.5 + f64::from(row), 0.0);
            let def = BodyDef::dynamic()
                .at(at)
                .with_shape(Shape::cube(Vec3::splat(0.5)));
            world.add_body(def).unwrap();
        }
    }
    for _ in 0..30 {
        world.step();
    }
    let bodies = world
        .bodies()
        .filter(|(_, b)| b.kind() == BodyKind::Dynamic)
        .count();
    let per_body = world.snapshot().len() / bodies;
    println!(
        "{per_body} bytes a body, {} contacts",
        world.stats().constraints
    );
    assert!(per_body < 850, "{per_body} bytes a body");
}

/// Rounded shapes share their core but not their radius.
#[test]
fn rounded_shapes_keep_their_radius() {
    let mut world = World::new(Settings::default()).unwrap();
    let core = std::sync::Arc::new(Shape::cube(Vec3::splat(0.4)));
    for radius in [0.1, 0.2] {
        let core = core.clone();
        let shape = Shape::Rounded { core, radius };
        world
            .add_body(BodyDef::dynamic().with_shape(shape))
            .unwrap();
    }
    let other = World::restore(&world.snapshot()).unwrap();
    let radius = |world: &World| -> Vec<f32> {
        let shapes = world
            .bodies()
            .map(|(_, body)| body.shapes()[0].shape().core_radius());
        shapes.collect()
    };
    assert_eq!(radius(&other), [0.1, 0.2]);
}

/// Bodies at the rim of the world, with their mass beside where they are, and on their way out: what
/// the world takes it can store and restore, and it refuses a centre of mass that is nowhere.
#[test]
fn what_is_at_the_rim_of_the_world_can_be_restored() {
    let beside = |off: f32| {
        let mut part = drystone::ShapeDef::new(Shape::sphere(0.5));
        part.pose.translation = Vec3::new(off, 0.0, 0.0);
        part
    };
    for kind in [BodyKind::Dynamic, BodyKind::Kinematic] {
        for off in [1.0, 1e11, 9.9e11] {
            let mut world = World::new(Settings::default()).unwrap();
            let def = BodyDef {
                kind,
                shapes: vec![beside(off)],
                linear_velocity: Vec3::new(4000.0, 0.0, 0.0),
                ..BodyDef::dynamic().at(DVec3::new(1e12, 0.0, 0.0))
            };
            let key = world.add_body(def).unwrap();
            for _ in 0..3 {
                let other = World::restore(&world.snapshot()).unwrap();
                assert_eq!(other.state_hash(), world.state_hash());
                world.step();
            }
            world.set_kind(key, BodyKind::Static).unwrap();
            World::restore(&world.snapshot()).unwrap();
        }
        for off in [1.1e12, 1e14] {
            let mut world = World::new(Settings::default()).unwrap();
            let def = BodyDef {
                kind,
                shapes: vec![beside(off)],
                ..BodyDef::dynamic()
            };
            assert!(world.add_body(def).is_err());
            let plain = BodyDef {
                kind,
                shapes: vec![beside(0.0)],
                ..BodyDef::dynamic()
            };
            let key = world.add_body(plain).unwrap();
            let heavy = drystone::ShapeDef {
                material: drystone::Material {
                    density: 1e9,
                    ..drystone::Material::default()
                },
                ..beside(off)
            };
            assert!(world.add_shape(key, heavy).is_err());
            World::restore(&world.snapshot()).unwrap();
        }
    }
}
