//! Bodies that come to rest, fall asleep and wake, with answers known by hand.

use drystone::glam::{DVec3, Vec3};
use drystone::{BodyDef, BodyKey, Settings, Shape, World, WorldPose};

fn world() -> World {
    let mut world = World::new(Settings::default()).unwrap();
    let ground = Shape::HalfSpace { normal: Vec3::Y };
    world.add_body(BodyDef::fixed().with_shape(ground)).unwrap();
    world
}

fn add_box(world: &mut World, at: DVec3) -> BodyKey {
    let shape = Shape::Box {
        half_extents: Vec3::splat(0.5),
    };
    world
        .add_body(BodyDef::dynamic().at(at).with_shape(shape))
        .unwrap()
}

fn run(world: &mut World, steps: usize) {
    for _ in 0..steps {
        world.step();
    }
}

/// A free body follows the symplectic sum g h^2 n (n + 1) / 2 of its sub-steps.
#[test]
fn a_body_falls_as_the_formula_says() {
    let mut world = World::new(Settings::default()).unwrap();
    let stone = add_box(&mut world, DVec3::ZERO);
    run(&mut world, 60);
    let (n, h) = (240.0, 1.0 / 240.0);
    let expected = -9.81 * h * h * n * (n + 1.0) / 2.0;
    let y = world.body(stone).unwrap().position().y;
    assert!((y - expected).abs() < 1e-4, "{y} instead of {expected}");
}

/// Known by hand: the centre of a cube of edge 1 at rest is half a metre up, wherever in a
/// large world it is.
#[test]
fn a_box_comes_to_rest_on_the_ground_near_and_far() {
    for x in [0.0, 1e3, 1e7] {
        let mut world = world();
        let stone = add_box(&mut world, DVec3::new(x, 1.0, -x));
        run(&mut world, 200);
        let body = world.body(stone).unwrap();
        assert!(
            (body.position().y - 0.5).abs() < 1e-3,
            "at {x}: {}",
            body.position()
        );
        assert!(
            (body.position().x - x).abs() < 1e-3,
            "at {x}: {}",
            body.position()
        );
        assert!(!body.is_awake(), "at {x}: speed {}", body.linear_velocity());
    }
}

/// A tower of ten cubes rests, sleeps as one island and costs nothing after.
#[test]
fn a_tower_falls_asleep_as_one_island() {
    let mut world = world();
    let tower: Vec<_> = (0..10)
        .map(|i| add_box(&mut world, DVec3::new(0.0, 0.5 + f64::from(i), 0.0)))
        .collect();
    let mut asleep = Vec::new();
    for _ in 0..300 {
        world.step();
        asleep.extend(world.events().sleep.iter().copied());
    }
    assert_eq!(asleep.len(), tower.len(), "each fell asleep once");
    assert_eq!(world.stats().awake, 0);
    assert_eq!(world.stats().constraints, 0);
    for (i, key) in tower.iter().enumerate() {
        let y = world.body(*key).unwrap().position().y;
        // Each contact gives way by a fraction of a millimetre for every cube above it.
        assert!((y - 0.5 - i as f64).abs() < 0.02, "cube {i} at {y}");
    }
}

/// Logs that float and turn once a minute. By hand: the surface of one that rolls about its own axis
/// moves by 2 cm a second, which is rest; the ends of one that turns over move by a metre.
#[test]
fn a_log_that_hardly_rolls_falls_asleep_and_one_that_turns_over_does_not() {
    let mut world = World::new(Settings::default()).unwrap();
    let half_extents = Vec3::new(0.15, 10.0, 0.15);
    let mut floating = |x: f64, angular_velocity: Vec3| {
        let log = BodyDef::dynamic().with_shape(Shape::Box { half_extents });
        let log = BodyDef {
            angular_velocity,
            gravity_scale: 0.0,
            ..log.at(DVec3::new(x, 0.0, 0.0))
        };
        world.add_body(log).unwrap()
    };
    let rolling = floating(0.0, Vec3::new(0.0, 0.1, 0.0));
    floating(50.0, Vec3::new(0.1, 0.0, 0.0));
    let mut asleep = Vec::new();
    for _ in 0..120 {
        world.step();
        asleep.extend(world.events().sleep.iter().copied());
    }
    assert_eq!(asleep, [rolling]);
}

/// A wall of twelve courses in running bond, symmetric about the plane z = 0, while it settles.
/// Known by symmetry: not a bit of motion out of the plane. Tall walls depend on it, for they
/// buckle however little they lean.
#[test]
fn a_flat_wall_never_leaves_its_plane() {
    let mut world = world();
    let mut stones = Vec::new();
    for course in 0..12 {
        for i in course..12 {
            let x = f64::from(i) - 0.5 * f64::from(course);
            let center = DVec3::new(x, 0.5 + f64::from(course), 0.0);
            stones.push(add_box(&mut world, center));
        }
    }
    for _ in 0..240 {
        world.step();
        for key in &stones {
            let stone = world.body(*key).unwrap();
            assert_eq!(stone.position().z, 0.0);
            assert_eq!((stone.rotation().x, stone.rotation().y), (0.0, 0.0));
        }
    }
}

/// Taking the lowest cube of a sleeping tower away wakes the others, and they fall.
#[test]
fn removing_a_support_wakes_what_rested_on_it() {
    let mut world = world();
    let low = add_box(&mut world, DVec3::new(0.0, 0.5, 0.0));
    let high = add_box(&mut world, DVec3::new(0.0, 1.5, 0.0));
    run(&mut world, 200);
    assert!(!world.body(high).unwrap().is_awake());

    world.remove_body(low).unwrap();
    assert_eq!(world.body(low).err(), Some(drystone::StaleKey));
    run(&mut world, 1);
    assert_eq!(world.events().wake, [low, high]);
    run(&mut world, 200);
    let y = world.body(high).unwrap().position().y;
    assert!((y - 0.5).abs() < 1e-3, "{y}");
}

/// A removed static floor wakes what slept on it; a static block put into a sleeper wakes it.
#[test]
fn static_bodies_that_come_or_go_wake_sleepers() {
    let mut world = World::new(Settings::default()).unwrap();
    let floor = Shape::Box {
        half_extents: Vec3::new(5.0, 0.5, 5.0),
    };
    let def = BodyDef::fixed()
        .at(DVec3::new(0.0, -0.5, 0.0))
        .with_shape(floor.clone());
    let floor_key = world.add_body(def).unwrap();
    let stone = add_box(&mut world, DVec3::new(0.0, 0.5, 0.0));
    run(&mut world, 200);
    assert!(!world.body(stone).unwrap().is_awake());

    let block = BodyDef::fixed()
        .at(DVec3::new(0.9, 0.5, 0.0))
        .with_shape(floor);
    let block = world.add_body(block).unwrap();
    assert!(world.body(stone).unwrap().is_awake());
    world.remove_body(block).unwrap();
    run(&mut world, 300);
    assert!(!world.body(stone).unwrap().is_awake());

    world.remove_body(floor_key).unwrap();
    run(&mut world, 60);
    assert!(world.body(stone).unwrap().position().y < -2.0);
}

/// Lifts that stand, one with a box asleep on it, one with a box made asleep, one beside a box: when
/// they begin to move, the boxes on them wake in that step, and the one beside sleeps on. So it is in
/// a world that was read back from a snapshot.
#[test]
fn a_lift_that_begins_to_move_wakes_what_is_on_it() {
    let mut world = world();
    let floor = Shape::Box {
        half_extents: Vec3::new(1.0, 0.5, 1.0),
    };
    let lift_at = |x: f64| BodyDef::kinematic().at(DVec3::new(x, 2.0, 0.0));
    let mut lift = |x: f64| {
        world
            .add_body(lift_at(x).with_shape(floor.clone()))
            .unwrap()
    };
    let lifts = [0.0, 10.0, 20.0].map(&mut lift);
    let [on_it, made, beside] = [(0.0, 3.0), (10.0, 3.0), (22.0, 0.5)].map(|(x, y)| {
        let body = add_box(&mut world, DVec3::new(x, y, 0.0));
        if x == 10.0 {
            world.remove_body(body).unwrap();
            let shape = Shape::Box {
                half_extents: Vec3::splat(0.5),
            };
            let def = BodyDef::dynamic()
                .at(DVec3::new(x, y, 0.0))
                .with_shape(shape);
            return world
                .add_body(BodyDef {
                    asleep: true,
                    ..def
                })
                .unwrap();
        }
        body
    });
    run(&mut world, 200);
    let mut restored = World::restore(&world.snapshot()).unwrap();
    for world in [&mut world, &mut restored] {
        let is_awake = |world: &World, key| world.body(key).unwrap().is_awake();
        assert!(
            [on_it, made, beside]
                .iter()
                .all(|&key| !is_awake(world, key))
        );
        for lift in lifts {
            world
                .set_velocity(lift, Vec3::new(0.0, 0.5, 0.0), Vec3::ZERO)
                .unwrap();
        }
        world.step();
        assert!(is_awake(world, on_it));
        assert!(!is_awake(world, beside));
        run(world, 59);
        for key in [on_it, made] {
            let y = world.body(key).unwrap().position().y;
            assert!((y - 3.5).abs() < 0.01, "{y}");
        }
        assert!(!is_awake(world, beside));
    }
}

/// A sleeping body that is pushed or moved wakes; nothing else does.
#[test]
fn commands_wake_the_body_they_name_and_no_other() {
    let mut world = world();
    let near = add_box(&mut world, DVec3::new(0.0, 0.5, 0.0));
    let far = add_box(&mut world, DVec3::new(10.0, 0.5, 0.0));
    run(&mut world, 200);
    let at = world.body(near).unwrap().center_of_mass();
    world
        .apply_impulse(near, Vec3::new(0.0, 500.0, 0.0), at)
        .unwrap();
    assert!(world.body(near).unwrap().is_awake());
    assert!(!world.body(far).unwrap().is_awake());
    run(&mut world, 300);
    world
        .teleport(far, WorldPose::from_position(DVec3::new(20.0, 3.0, 0.0)))
        .unwrap();
    assert!(world.body(far).unwrap().is_awake());
    run(&mut world, 300);
    let body = world.body(far).unwrap();
    assert!((body.position() - DVec3::new(20.0, 0.5, 0.0)).length() < 0.01);
}

/// A body set down on the ground begins to touch it once; lifted away it ceases once.
#[test]
fn touching_is_reported_at_its_begin_and_its_end() {
    let mut world = world();
    let stone = add_box(&mut world, DVec3::new(0.0, 0.7, 0.0));
    let (mut began, mut ended) = (0, 0);
    for step in 0..400 {
        if step == 200 {
            let at = world.body(stone).unwrap().center_of_mass();
            world
                .apply_impulse(stone, Vec3::new(0.0, 3000.0, 0.0), at)
                .unwrap();
        }
        if step == 230 {
            assert_eq!((began, ended), (1, 1), "in the air");
        }
        world.step();
        began += world.events().contact_begin.len();
        ended += world.events().contact_end.len();
    }
    assert_eq!((began, ended), (2, 1));
}

/// The ground carries exactly the weight: the impulse of a step is m g dt.
#[test]
fn the_ground_carries_the_weight() {
    let mut world = world();
    let stone = add_box(&mut world, DVec3::new(0.0, 0.5, 0.0));
    run(&mut world, 20);
    let weight = world.body(stone).unwrap().mass() * 9.81 / 60.0;
    let contacts = world.contacts_of(stone).unwrap();
    let carried: f32 = contacts
        .iter()
        .flat_map(|c| &c.points)
        .map(|point| point.normal_impulse)
        .sum();
    assert!(
        (carried - weight).abs() < 0.01 * weight,
        "{carried} instead of {weight}"
    );
}

/// A kinematic body with a target is removed and a new body takes its index: the new one
/// keeps its velocity, since targets belong to bodies and not to their places.
#[test]
fn a_target_does_not_outlive_its_body() {
    let mut world = World::new(Settings::default()).unwrap();
    let shape = Shape::Sphere { radius: 0.5 };
    let lift = world
        .add_body(BodyDef::kinematic().with_shape(shape.clone()))
        .unwrap();
    let above = WorldPose::from_position(DVec3::new(0.0, 1.0, 0.0));
    world.set_kinematic_target(lift, above).unwrap();
    world.remove_body(lift).unwrap();
    let def = BodyDef {
        linear_velocity: Vec3::X,
        ..BodyDef::dynamic().with_shape(shape)
    };
    let ball = world.add_body(def).unwrap();
    world.step();
    assert_eq!(world.body(ball).unwrap().linear_velocity().x, 1.0);
}

/// A body described as asleep stays so until something touches it, then wakes once.
#[test]
fn a_body_created_asleep_waits_to_be_touched() {
    let mut world = world();
    let def = BodyDef {
        asleep: true,
        ..BodyDef::dynamic()
            .at(DVec3::new(0.0, 0.5, 0.0))
            .with_shape(Shape::Box {
                half_extents: Vec3::splat(0.5),
            })
    };
    let sleeper = world.add_body(def).unwrap();
    run(&mut world, 30);
    assert!(!world.body(sleeper).unwrap().is_awake());
    add_box(&mut world, DVec3::new(0.0, 2.0, 0.0));
    let mut woken = 0;
    for _ in 0..60 {
        world.step();
        woken += world.events().wake.len();
    }
    assert_eq!(woken, 1);
    assert!(world.body(sleeper).unwrap().is_awake());
}

/// A cube of 1 kg on the ground carries one of up to 100 tonnes, at four sub-steps. By hand: it
/// does not give way, so both come to rest a few millimetres below where they stood, and the
/// ground carries the weight of both.
#[test]
fn what_is_light_carries_any_weight() {
    for mass in [2.0, 10.0, 100.0, 1e3, 1e4, 1e5_f32] {
        let mut world = World::new(Settings::default()).unwrap();
        let cube = || Shape::cube(Vec3::splat(0.5));
        let ground = BodyDef::fixed()
            .at(DVec3::new(0.0, -1.0, 0.0))
            .with_shape(Shape::cube(Vec3::new(20.0, 1.0, 20.0)));
        world.add_body(ground).unwrap();
        let mut block = |y: f64, mass: f32| {
            let mut def = BodyDef::dynamic()
                .at(DVec3::new(0.0, y, 0.0))
                .with_shape(cube());
            def.shapes[0].material.density = mass;
            world.add_body(def).unwrap()
        };
        let (light, heavy) = (block(0.5, 1.0), block(1.5, mass));
        for _ in 0..300 {
            world.step();
        }
        let [low, high] = [light, heavy].map(|key| world.body(key).unwrap().position().y);
        assert!((low - 0.5).abs() < 0.005, "{low} under {mass} kg");
        assert!((high - 1.5).abs() < 0.005, "{high} of {mass} kg");
        let contacts = world.contacts_of(light).unwrap();
        let pushes = contacts.iter().flat_map(|contact| &contact.points);
        let push: f32 = pushes.map(|point| point.normal_impulse).sum();
        // Its weight from below, and that of the other from both sides.
        let expected = (1.0 + 2.0 * mass) * 9.81 / 60.0;
        assert!(
            (push - expected).abs() < 0.02 * expected,
            "{push} {expected}"
        );
    }
}

/// Twelve columns of twenty cubes of 10 cm that lie up to a tenth of a millimetre off fall by a
/// millimetre. Falling a tenth of a millimetre off the middle turns a cube by some `6 v d / a^2` = 0.05
/// rad/s, `v` being 0.8 m/s. When points lost their load as corners exchanged their parts, it was three
/// to ten times as much in every third column.
#[test]
fn columns_a_hair_off_do_not_rock_as_they_land() {
    let mut world = world();
    let mut random = 0x2545_f491_4f6c_dd1d_u64;
    let mut off = || {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        1e-4 * ((random >> 11) as f64 / (1_u64 << 52) as f64 - 1.0)
    };
    let shape = Shape::cube(Vec3::splat(0.05));
    let mut keys = Vec::new();
    for column in 0..12 {
        for layer in 0..20 {
            let y = (f64::from(layer) + 0.5) * 0.101;
            let at = DVec3::new(f64::from(column) + off(), y, off());
            let cube = BodyDef::dynamic().at(at).with_shape(shape.clone());
            keys.push(world.add_body(cube).unwrap());
        }
    }
    for step in 0..30 {
        world.step();
        for &key in &keys {
            let turning = world.body(key).unwrap().angular_velocity().length();
            assert!(turning < 0.05, "step {step}: {turning} rad/s");
        }
    }
}
