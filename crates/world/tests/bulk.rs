//! Bodies that come and go many at a time.

use drystone::glam::{DVec3, Vec3};
use drystone::{BodyDef, DefError, Settings, Shape, World};

fn world() -> World {
    World::new(Settings::default()).expect("plain settings")
}

/// A floor of tiles and a heap of boxes above it.
fn defs() -> Vec<BodyDef> {
    let half = |x: f32| Shape::Box {
        half_extents: Vec3::splat(x),
    };
    let tiles = (0..100).map(|k| {
        let at = DVec3::new(f64::from(k % 10) * 2.0, -1.0, f64::from(k / 10) * 2.0);
        BodyDef::fixed().at(at).with_shape(half(1.0))
    });
    let boxes = (0..60).map(|k| {
        let at = DVec3::new(9.0 + 0.1 * f64::from(k % 7), 0.6 * f64::from(k) + 0.5, 9.0);
        BodyDef::dynamic().at(at).with_shape(half(0.25))
    });
    tiles.chain(boxes).collect()
}

/// The same bodies one by one and all at once: the worlds go on with the same bits.
#[test]
fn bodies_added_in_bulk_move_as_those_added_one_by_one() {
    let (mut single, mut bulk) = (world(), world());
    for def in defs() {
        single.add_body(def).expect("a plain body");
    }
    let added = bulk.add_bodies(defs());
    assert!(added.iter().all(Result::is_ok));
    for step in 0..60 {
        single.step();
        bulk.step();
        assert_eq!(single.state_hash(), bulk.state_hash(), "step {step}");
    }
    assert!(single.contacts().count() > 10);
}

/// One body of four is refused: its answer says why, the others are there. Removing a list
/// with a stale key says so and removes the others.
#[test]
fn what_is_refused_is_left_out() {
    let mut world = world();
    let mut defs: Vec<BodyDef> = defs().into_iter().take(4).collect();
    defs[2].position = DVec3::NAN;
    let added = world.add_bodies(defs);
    assert!(
        matches!(added[2], Err(DefError::Number { .. })),
        "{:?}",
        added[2]
    );
    let keys: Vec<_> = added.into_iter().flatten().collect();
    assert_eq!(world.body_keys().count(), 3);
    assert!(keys.iter().all(|key| world.body(*key).is_ok()));
    world.remove_body(keys[0]).expect("a live key");
    assert!(world.remove_bodies(&keys).is_err());
    assert_eq!(world.body_keys().count(), 0);
    world.step();
}

/// Sleepers on a slab that comes with them: by hand, a slab wakes those that were there before it and
/// lets those sleep that come after, in bulk as one by one. In bulk all woke.
#[test]
fn a_slab_wakes_only_those_that_came_before_it() {
    let cube = || Shape::cube(Vec3::splat(0.5));
    let sleeper = |x: f64| BodyDef {
        asleep: true,
        ..BodyDef::dynamic()
            .at(DVec3::new(x, 0.5, 0.0))
            .with_shape(cube())
    };
    let slab = Shape::cube(Vec3::new(10.0, 0.5, 10.0));
    let slab = BodyDef::fixed().at(DVec3::NEG_Y * 0.5).with_shape(slab);
    let defs = [sleeper(-2.0), slab, sleeper(0.0), sleeper(2.0)];
    let mut worlds = [true, false].map(|in_bulk| {
        let mut world = World::new(Settings::default()).unwrap();
        world.add_body(sleeper(-4.0)).unwrap();
        if in_bulk {
            world.add_bodies(defs.clone());
        } else {
            for def in &defs {
                world.add_body(def.clone()).unwrap();
            }
        }
        let awake: Vec<_> = world.bodies().map(|(_, body)| body.is_awake()).collect();
        assert_eq!(awake, [true, true, false, false, false], "{in_bulk}");
        world
    });
    for world in &mut worlds {
        world.step();
    }
    assert_eq!(worlds[0].state_hash(), worlds[1].state_hash());
}
