//! What a caller changes about bodies and shapes takes effect, at once and to the bit.

use drystone::glam::{DVec3, Vec3};
use drystone::{
    AxisLocks, BodyDef, BodyKey, BodyKind, DefError, JointDef, JointKind, MassOverride, Material,
    Pose, Settings, Shape, ShapeDef, World, WorldPose,
};

fn cube() -> Shape {
    Shape::cube(Vec3::splat(0.5))
}

fn with_ground() -> World {
    let mut world = World::new(Settings::default()).unwrap();
    let ground = Shape::HalfSpace { normal: Vec3::Y };
    world.add_body(BodyDef::fixed().with_shape(ground)).unwrap();
    world
}

fn add(world: &mut World, def: BodyDef, y: f64) -> BodyKey {
    world
        .add_body(def.at(DVec3::new(0.0, y, 0.0)).with_shape(cube()))
        .unwrap()
}

fn steps(world: &mut World, count: usize) {
    for _ in 0..count {
        world.step();
        let restored = World::restore(&world.snapshot()).unwrap();
        assert_eq!(restored.state_hash(), world.state_hash());
    }
}

fn height(world: &World, key: BodyKey) -> f64 {
    world.body(key).unwrap().position().y
}

/// A box that rests on a box: the lower one becomes static, then falls out of the world's
/// way, then comes back. The upper one must stand, fall and be held again.
#[test]
fn bodies_change_kind_and_take_part_or_not() {
    let mut world = with_ground();
    let low = add(&mut world, BodyDef::dynamic(), 0.5);
    let high = add(&mut world, BodyDef::dynamic(), 1.5);
    steps(&mut world, 60);
    world.set_kind(low, BodyKind::Static).unwrap();
    assert_eq!(world.body(low).unwrap().kind(), BodyKind::Static);
    steps(&mut world, 60);
    assert!((height(&world, high) - 1.5).abs() < 0.01);

    world.set_enabled(low, false).unwrap();
    assert!(!world.body(low).unwrap().is_enabled());
    steps(&mut world, 60);
    assert!(
        (height(&world, high) - 0.5).abs() < 0.01,
        "it fell to the ground"
    );
    world.set_enabled(low, true).unwrap();
    world.set_kind(low, BodyKind::Kinematic).unwrap();
    let pose = WorldPose::from_position(DVec3::new(0.0, 5.0, 0.0));
    world.teleport(low, pose).unwrap();
    world
        .teleport(high, WorldPose::from_position(DVec3::new(0.0, 6.0, 0.0)))
        .unwrap();
    steps(&mut world, 30);
    assert!((height(&world, high) - 6.0).abs() < 0.01, "held in the air");
    world.set_kind(low, BodyKind::Dynamic).unwrap();
    steps(&mut world, 120);
    assert!((height(&world, low) - 0.5).abs() < 0.01);
    assert!((height(&world, high) - 1.5).abs() < 0.01);
}

/// A disabled body keeps its velocity and goes on with it.
#[test]
fn a_disabled_body_goes_on_where_it_was() {
    let mut world = World::new(Settings {
        gravity: Vec3::ZERO,
        ..Settings::default()
    })
    .unwrap();
    let body = add(&mut world, BodyDef::dynamic(), 0.0);
    world.set_velocity(body, Vec3::X, Vec3::ZERO).unwrap();
    world.set_enabled(body, false).unwrap();
    steps(&mut world, 30);
    assert_eq!(world.body(body).unwrap().position(), DVec3::ZERO);
    world.set_enabled(body, true).unwrap();
    steps(&mut world, 60);
    let x = world.body(body).unwrap().position().x;
    assert!((x - 1.0).abs() < 1e-5, "{x}");
}

/// Its joint waits while one end is out of the world, and acts again afterwards.
#[test]
fn joints_wait_for_their_bodies() {
    let mut world = World::new(Settings::default()).unwrap();
    let hook = add(&mut world, BodyDef::fixed(), 10.0);
    let load = add(&mut world, BodyDef::dynamic(), 8.0);
    let joint = JointDef {
        body_a: hook,
        body_b: load,
        frame_a: Pose::from_translation(Vec3::new(0.0, -1.0, 0.0)),
        frame_b: Pose::from_translation(Vec3::new(0.0, 1.0, 0.0)),
        kind: JointKind::BALL,
        collide_connected: false,
        threshold: None,
        name: String::new(),
    };
    world.add_joint(joint).unwrap();
    steps(&mut world, 30);
    assert!((height(&world, load) - 8.0).abs() < 0.01);
    world.set_enabled(hook, false).unwrap();
    steps(&mut world, 30);
    assert!(height(&world, load) < 7.5, "it falls");
    world.set_enabled(hook, true).unwrap();
    steps(&mut world, 120);
    assert!(
        (height(&world, load) - 8.0).abs() < 0.1,
        "it is pulled back"
    );
    world.set_kind(load, BodyKind::Kinematic).unwrap();
    steps(&mut world, 3);
    world.set_kind(load, BodyKind::Dynamic).unwrap();
    steps(&mut world, 3);
}

/// Two cubes side by side weigh twice as much, about their common centre; known by hand.
#[test]
fn shapes_come_and_go_with_their_mass() {
    let mut world = with_ground();
    let body = add(&mut world, BodyDef::dynamic(), 0.5);
    steps(&mut world, 30);
    let one = world.body(body).unwrap().mass();
    let part = ShapeDef {
        pose: Pose::from_translation(Vec3::new(1.0, 0.0, 0.0)),
        ..ShapeDef::new(cube())
    };
    let second = world.add_shape(body, part).unwrap();
    assert_eq!(world.body(body).unwrap().mass(), 2.0 * one);
    let center = world.body(body).unwrap().center_of_mass() - world.body(body).unwrap().position();
    assert!(
        (center - DVec3::new(0.5, 0.0, 0.0)).length() < 1e-4,
        "{center}"
    );
    steps(&mut world, 60);
    assert!(
        (height(&world, body) - 0.5).abs() < 0.01,
        "it stands on both"
    );

    world
        .set_shape(second, ShapeDef::new(Shape::sphere(2.0)))
        .unwrap();
    steps(&mut world, 90);
    assert!(
        height(&world, body) > 1.9,
        "the ball lifts it: {}",
        height(&world, body)
    );
    world.remove_shape(second).unwrap();
    assert!(world.shape(second).is_err());
    assert_eq!(world.body(body).unwrap().mass(), one);
    let last = world.body(body).unwrap().shapes()[0].key();
    assert_eq!(world.remove_shape(last), Err(DefError::Massless));
    steps(&mut world, 90);
    assert!(height(&world, body) < 0.9);
}

/// On a slope of 20 degrees, friction 0.6 holds and ice does not; the contact is asleep or
/// re-used when the material changes.
#[test]
fn a_new_material_acts_where_shapes_touch() {
    let mut world = World::new(Settings::default()).unwrap();
    let normal = Vec3::new(-0.342, 0.9397, 0.0).normalize();
    let slope = Shape::HalfSpace { normal };
    world.add_body(BodyDef::fixed().with_shape(slope)).unwrap();
    let tilt = drystone::geometry::rotation::between(Vec3::Y, normal);
    let at = (normal * 0.5).as_dvec3();
    let def = BodyDef {
        rotation: tilt,
        ..BodyDef::dynamic().at(at).with_shape(cube())
    };
    let body = world.add_body(def).unwrap();
    steps(&mut world, 120);
    let before = world.body(body).unwrap().position();
    assert!((before - at).length() < 0.02);
    let shape = world.body(body).unwrap().shapes()[0].key();
    let ice = Material {
        friction: 0.0,
        ..Material::default()
    };
    world.set_material(shape, ice).unwrap();
    steps(&mut world, 30);
    assert!((world.body(body).unwrap().position() - before).length() > 0.2);
    let filter = drystone::Filter {
        mask: 0,
        ..Default::default()
    };
    world.set_filter(shape, filter).unwrap();
    steps(&mut world, 30);
    assert!(world.contacts().next().is_none(), "it falls through");
}

/// Force equals mass times acceleration, for a mass given at run time; a locked axis and
/// damping act from the next step on.
#[test]
fn mass_locks_and_damping_change_at_run_time() {
    let mut world = World::new(Settings {
        gravity: Vec3::ZERO,
        ..Settings::default()
    })
    .unwrap();
    let body = add(&mut world, BodyDef::dynamic(), 0.0);
    world.set_mass(body, Some(MassOverride::new(2.0))).unwrap();
    for _ in 0..60 {
        let at = world.body(body).unwrap().center_of_mass();
        world
            .apply_force(body, Vec3::new(4.0, 0.0, 0.0), at)
            .unwrap();
        world.step();
    }
    let speed = world.body(body).unwrap().linear_velocity().x;
    assert!((speed - 2.0).abs() < 1e-4, "{speed}");
    world
        .set_locks(
            body,
            AxisLocks {
                translation: [true, false, false],
                rotation: [false; 3],
            },
        )
        .unwrap();
    steps(&mut world, 2);
    assert_eq!(world.body(body).unwrap().linear_velocity().x, 0.0);
    world.set_velocity(body, Vec3::Y, Vec3::ZERO).unwrap();
    world.set_damping(body, 1.0, 0.0).unwrap();
    world.set_name(body, "ball").unwrap();
    steps(&mut world, 60);
    let speed = world.body(body).unwrap().linear_velocity().y;
    // exp(-1)
    assert!((speed - 0.3679).abs() < 0.01, "{speed}");
    assert_eq!(world.body(body).unwrap().name(), "ball");
    assert!(world.set_damping(body, f32::NAN, 0.0).is_err());
}

/// Removed keys give errors in every command.
#[test]
fn stale_keys_are_refused_everywhere() {
    let mut world = with_ground();
    let body = add(&mut world, BodyDef::dynamic(), 1.0);
    let shape = world.body(body).unwrap().shapes()[0].key();
    world.remove_body(body).unwrap();
    let other = add(&mut world, BodyDef::dynamic(), 1.0);
    assert_ne!(other, body);
    assert!(world.set_kind(body, BodyKind::Static).is_err());
    assert!(world.set_enabled(body, false).is_err());
    assert!(world.add_shape(body, ShapeDef::new(cube())).is_err());
    assert!(world.remove_shape(shape).is_err());
    assert!(world.set_shape(shape, ShapeDef::new(cube())).is_err());
    assert!(world.set_material(shape, Material::default()).is_err());
    assert!(world.ask_again(shape).is_err());
    assert!(world.set_mass(body, None).is_err());
    assert!(world.body(other).is_ok());
}

/// A needle, a thousandth of a millimetre thick, hit off its axis as hard as is allowed, again
/// and again: what would overflow is refused and changes nothing, and the world can be stored
/// and read after every step.
#[test]
fn overflowing_pushes_are_refused_and_leave_no_trace() {
    let mut world = World::new(Settings::default()).unwrap();
    let needle = Shape::cube(Vec3::new(1e-6, 1e-6, 4.0));
    let heavy = BodyDef::dynamic().with_shape(Shape::cube(Vec3::splat(5.0)));
    let thin = BodyDef::dynamic()
        .at(DVec3::new(0.0, 4.9, 0.0))
        .with_shape(needle);
    world.add_body(heavy).unwrap();
    let key = world.add_body(thin).unwrap();
    let (mut refused, mut accepted) = (0, 0);
    for i in 0..40 {
        let push = 10_f32.powi(i % 16) * Vec3::new(1.0, -1.0, 0.5);
        let at = world.body(key).unwrap().position() + DVec3::new(0.0, 1e-6, 4.0);
        let before = world.body(key).unwrap().angular_velocity();
        if world.apply_impulse(key, push, at).is_ok() {
            accepted += 1;
        } else {
            refused += 1;
            assert_eq!(world.body(key).unwrap().angular_velocity(), before);
        }
        World::restore(&world.snapshot()).unwrap();
        world.step();
        World::restore(&world.snapshot()).unwrap();
    }
    assert!(refused > 0 && accepted > 0, "{refused} and {accepted}");
}

/// A body is told which number of its mass is missing or too large.
#[test]
fn a_mass_that_cannot_be_names_what_is_wrong() {
    let mut world = World::new(Settings::default()).unwrap();
    let given = |mass, inertia| BodyDef {
        mass: Some(MassOverride {
            inertia,
            ..MassOverride::new(mass)
        }),
        ..BodyDef::dynamic()
    };
    assert_eq!(
        world.add_body(given(2.0, None)),
        Err(DefError::MassAlone),
        "nothing says how it turns"
    );
    assert!(world.add_body(given(2.0, Some(Vec3::ONE))).is_ok());
    // Mass at the distance x, y, z from the axes has the moments y^2 + z^2, z^2 + x^2, x^2 + y^2: a
    // plate is at the limit, rounded to three digits a hair beyond.
    for (moments, is_sound) in [
        (Vec3::new(1.0, 1.0, 2.0), true),
        (Vec3::new(0.00333, 0.00667, 0.00333), true),
        (Vec3::new(1.0, 1.0, 2.1), false),
        (Vec3::new(5.0, 1.0, 1.0), false),
    ] {
        let added = world.add_body(given(2.0, Some(moments)));
        assert_eq!(added.is_ok(), is_sound, "{moments}: {added:?}");
        let set = world.set_mass(added.unwrap_or_default(), given(2.0, Some(moments)).mass);
        assert_eq!(set.is_ok(), is_sound, "{moments}: {set:?}");
    }
    // A ball of 2 r = 2e5 m: 4e18 kg, and 0.4 m r^2 = 2e28 kg m^2.
    let ball = Shape::sphere(1e5);
    let error = world.add_body(BodyDef::dynamic().with_shape(ball));
    let error = error.expect_err("too much").to_string();
    assert!(error.starts_with("a moment of inertia of 1.6"), "{error}");
}

/// Two balls along a slanted line, of which a description says otherwise: the body turns about the given
/// centre, and along the axes of its frame as the given moments say, by hand; no longer along the
/// line.
#[test]
fn a_given_mass_has_its_centre_and_axes() {
    let settings = Settings {
        gravity: Vec3::ZERO,
        ..Settings::default()
    };
    let ball = |at: Vec3| ShapeDef {
        pose: Pose::from_translation(at),
        ..ShapeDef::new(Shape::sphere(0.3))
    };
    let center = Vec3::new(0.0, -0.5, 0.0);
    let given = MassOverride {
        mass: 10.0,
        inertia: Some(Vec3::new(1.0, 2.0, 2.5)),
        center: Some(center),
    };
    let balls = BodyDef::dynamic()
        .at(DVec3::X)
        .with_part(ball(Vec3::new(1.0, 0.5, 0.0)))
        .with_part(ball(Vec3::new(-1.0, -0.5, 0.0)));
    for is_set_later in [false, true] {
        for (axis, moment) in [(Vec3::X, 1.0), (Vec3::Y, 2.0), (Vec3::Z, 2.5)] {
            let mut world = World::new(settings.clone()).unwrap();
            let mut def = balls.clone();
            def.mass = (!is_set_later).then_some(given);
            let body = world.add_body(def).unwrap();
            world.set_mass(body, Some(given)).unwrap();
            let view = world.body(body).unwrap();
            assert_eq!(view.center_of_mass(), DVec3::new(1.0, -0.5, 0.0));
            assert_eq!(view.position(), DVec3::X);
            assert_eq!(view.to_def().mass, Some(given));
            world.apply_angular_impulse(body, axis).unwrap();
            let spin = world.body(body).unwrap().angular_velocity();
            assert!(spin.abs_diff_eq(axis / moment, 1e-6), "{axis}: {spin}");
        }
    }
    let far = MassOverride {
        center: Some(Vec3::splat(f32::NAN)),
        ..MassOverride::new(1.0)
    };
    assert!(matches!(far.check(), Err(DefError::Number { .. })));
}

/// A rod that becomes a bullet or ceases to be one goes on as one that was so from the start, and as
/// what a snapshot of it does, also where it touches already. At times that is not the same.
#[test]
fn a_bullet_may_become_one_later() {
    let run = |[first, then]: [bool; 2], rests: bool, spin: f32| {
        let mut world = World::new(Settings::default()).unwrap();
        let plate = Shape::cube(Vec3::new(1.0, 1.0, 0.005));
        world
            .add_body(BodyDef::dynamic().with_shape(plate))
            .unwrap();
        let rod = BodyDef {
            bullet: first,
            ..BodyDef::dynamic().at(DVec3::new(0.9, 0.4, if rests { -0.03 } else { -3.0 }))
        };
        let rod = rod.with_shape(Shape::capsule(0.5, 0.02));
        let rod = world.add_body(rod).unwrap();
        if rests {
            world.step();
        }
        let (linear, angular) = (100.0 * Vec3::Z, Vec3::new(spin, 0.5 * spin, 0.0));
        world.set_velocity(rod, linear, angular).unwrap();
        world.set_bullet(rod, then).unwrap();
        assert_eq!(world.body(rod).unwrap().to_def().bullet, then);
        let mut copy = World::restore(&world.snapshot()).unwrap();
        let step = |_| {
            world.step();
            copy.step();
            assert_eq!(world.state_hash(), copy.state_hash());
            world.state_hash()
        };
        (0..5).map(step).collect::<Vec<_>>()
    };
    let mut differ = 0;
    for spin in (0..20).map(|i| 10.0 * i as f32) {
        for rests in [false, true] {
            let [not, bullet] = [false, true].map(|then| {
                let late = run([!then, then], rests, spin);
                if !rests {
                    assert_eq!(late, run([then, then], rests, spin), "{spin}");
                }
                late
            });
            differ += usize::from(not != bullet);
        }
    }
    assert!(differ > 0);
}

/// A target counts for one step, and a body that is out of the world waits with it.
#[test]
fn a_body_out_of_the_world_keeps_its_target() {
    let at = |x: f64| WorldPose::from_position(DVec3::new(x, 0.0, 0.0));
    for is_told_outside in [false, true] {
        let mut world = World::new(Settings::default()).unwrap();
        let door = world
            .add_body(BodyDef::kinematic().with_shape(cube()))
            .unwrap();
        world.set_kinematic_target(door, at(0.1)).unwrap();
        steps(&mut world, 1);
        world.set_enabled(door, false).unwrap();
        if is_told_outside {
            world.set_kinematic_target(door, at(0.2)).unwrap();
        }
        steps(&mut world, 2);
        world.set_enabled(door, true).unwrap();
        steps(&mut world, 60);
        let x = world.body(door).unwrap().position().x;
        let expected = if is_told_outside { 0.2 } else { 0.1 };
        assert!((x - expected).abs() < 1e-6, "{x} m");
    }
}
