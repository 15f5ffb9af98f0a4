//! Recordings: what was recorded comes out again, and a change is named.

use drystone::glam::{DVec3, Vec3};
use drystone::{
    BodyDef, BodyKind, Command, Material, Recording, Replay, Settings, Shape, World, WorldPose,
};

/// A stack with commands of many kinds while it is recorded.
fn recorded() -> Recording {
    let mut world = World::new(Settings::default()).unwrap();
    world
        .add_body(BodyDef::fixed().with_shape(Shape::half_space(Vec3::Y)))
        .unwrap();
    let cube = Shape::cube(Vec3::splat(0.5));
    let stone = |y: f64, name: &str| BodyDef {
        name: name.to_owned(),
        ..BodyDef::dynamic()
            .at(DVec3::new(0.0, y, 0.0))
            .with_shape(cube.clone())
    };
    let low = world.add_body(stone(0.5, "low")).unwrap();
    for _ in 0..10 {
        world.step();
    }
    world.start_recording();
    let high = world.add_body(stone(1.5, "high")).unwrap();
    for step in 0..60 {
        let at = world.body(high).unwrap().center_of_mass();
        match step {
            10 => world
                .apply_impulse(high, Vec3::new(50.0, 0.0, 0.0), at)
                .unwrap(),
            20 => world.set_kind(low, BodyKind::Kinematic).unwrap(),
            25 => world
                .set_kinematic_target(low, WorldPose::from_position(DVec3::Y))
                .unwrap(),
            30 => {
                let shape = world.body(high).unwrap().shapes()[0].key();
                world
                    .set_material(
                        shape,
                        Material {
                            friction: 0.1,
                            ..Material::default()
                        },
                    )
                    .unwrap();
            }
            40 => assert!(world.set_damping(high, -1.0, 0.0).is_err()),
            _ => {}
        }
        world.step();
    }
    let recording = world.take_recording().unwrap();
    assert!(!world.is_recording());
    recording
}

#[test]
fn a_recording_comes_out_the_same() {
    let recording = recorded();
    assert_eq!(recording.steps(), 60);
    let read = Recording::from_bytes(&recording.to_bytes()).unwrap();
    assert_eq!(read, recording);
    assert_eq!(read.replay().unwrap(), Replay::Same { steps: 60 });
}

/// Somebody else's engine: one body starts a hair to the side. The replay names it.
#[test]
fn a_difference_is_named_by_step_and_body() {
    let mut world = recorded().start().unwrap();
    let (low, _) = world.bodies().last().unwrap();
    world.start_recording();
    let nudge = WorldPose::from_position(DVec3::new(1e-9, 0.5, 0.0));
    world.step();
    world.step();
    world.apply(&Command::Teleport(low, nudge)).unwrap();
    world.step();
    let bytes = world.take_recording().unwrap().to_bytes();
    // The recording is told another nudge than it made: the last byte of the x coordinate.
    let x = 1e-9_f64.to_le_bytes();
    let at = bytes.windows(8).position(|window| window == x).unwrap();
    let mut other = bytes.clone();
    other[at + 5] ^= 1;
    assert!(Recording::from_bytes(&other).is_err(), "damage is noticed");
    sign(&mut other);
    let replay = Recording::from_bytes(&other).unwrap().replay().unwrap();
    assert_eq!(
        replay,
        Replay::Differs {
            step: 13,
            body: Some((low, "low".to_owned()))
        }
    );
}

/// Writes the checksum that belongs to the payload: the engine's own mix, told again here.
fn sign(bytes: &mut [u8]) {
    let mut state: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut mix = |word: u64| {
        let mixed = (state ^ word).wrapping_mul(0x243f_6a88_85a3_08d3);
        state = mixed ^ (mixed >> 32);
    };
    let (header, payload) = bytes.split_at_mut(28);
    mix(payload.len() as u64);
    for chunk in payload.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        mix(u64::from_le_bytes(word));
    }
    mix(0);
    header[20..].copy_from_slice(&state.to_le_bytes());
}
