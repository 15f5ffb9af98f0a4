//! What a caller reads, and what is refused, at the odd moments of a world's life.

use std::sync::Arc;

use drystone::geometry::TriangleMesh;
use drystone::geometry::mesh::MeshOptions;
use drystone::glam::{DVec3, Vec3};
use drystone::mover::{Mover, MoverState};
use drystone::{
    BodyDef, BodyKey, BodyKind, ContactPatch, Hooks, JointDef, JointKind, MassOverride,
    QueryFilter, RayCast, Settings, Shape, ShapeDef, ShapeKey, World, WorldPose,
};

mod forge;

use forge::{HEADER, sign};

fn cube() -> Shape {
    Shape::cube(Vec3::splat(0.5))
}

fn add(world: &mut World, def: BodyDef) -> BodyKey {
    world.add_body(def).expect("a body")
}

fn restored(world: &World) -> World {
    World::restore(&world.snapshot()).expect("its own snapshot")
}

/// A cube of a tonne hangs on a weld: by hand it pulls with 9810 N, and what lies on the ground
/// is carried by impulses of 9810 N times the step. Settings changed after the step do not change
/// what it was like, nor does a snapshot.
#[test]
fn forces_are_those_of_the_last_step_whatever_the_next_one_is() {
    let mut world = World::new(Settings::default()).expect("defaults");
    let hook = add(&mut world, BodyDef::fixed().at(DVec3::Y * 9.0));
    let load = add(
        &mut world,
        BodyDef::dynamic().at(DVec3::Y * 9.0).with_shape(cube()),
    );
    let weld = JointKind::Weld {
        linear: None,
        angular: None,
    };
    let joint = world
        .add_joint(JointDef::new(hook, load, weld))
        .expect("a weld");
    add(
        &mut world,
        BodyDef::fixed().with_shape(Shape::half_space(Vec3::Y)),
    );
    add(
        &mut world,
        BodyDef::dynamic().at(DVec3::Y * 0.5).with_shape(cube()),
    );
    for _ in 0..20 {
        world.step();
    }
    let pull = |world: &World| world.joint_force(joint).expect("a joint").force.y;
    let carried = |world: &World| -> f32 {
        let points = world.contacts().flat_map(|contact| contact.points);
        points.map(|point| point.normal_impulse).sum()
    };
    let before = (pull(&world), carried(&world));
    assert!((before.0 - 9810.0).abs() < 10.0, "{}", before.0);
    assert!((before.1 - 9810.0 / 60.0).abs() < 2.0, "{}", before.1);
    for (dt, substeps) in [(1.0 / 600.0, 16), (0.0, 4), (1e-30, 1)] {
        let settings = Settings {
            dt,
            substeps,
            ..world.settings().clone()
        };
        world.set_settings(settings).expect("settings");
        assert_eq!((pull(&world), carried(&world)), before);
        let other = restored(&world);
        assert_eq!((pull(&other), carried(&other)), before);
    }
    world.step();
    assert!(pull(&world).is_finite());
}

/// A body that is taken out of the world stays where it was, 2 m beside the other, and so does its
/// end of a joint, before a snapshot and after.
#[test]
fn a_joint_knows_where_a_disabled_body_is() {
    let mut world = World::new(Settings::default()).expect("defaults");
    let post = add(&mut world, BodyDef::fixed());
    let def = BodyDef::dynamic().at(DVec3::X * 7.0).with_shape(cube());
    let body = add(&mut world, def);
    let joint = JointDef::new(post, body, JointKind::NoContact);
    let joint = world.add_joint(joint).expect("a joint");
    let there = WorldPose::from_position(DVec3::X * 2.0);
    world.teleport(body, there).expect("a body");
    world.set_enabled(body, false).expect("a body");
    for world in [&world, &restored(&world)] {
        let state = world.joint_state(joint).expect("a joint");
        assert_eq!(state.translation, DVec3::X * 2.0);
    }
}

/// A mover whose way leads out of the world of 1e12 m is refused half way, and stays as it was.
#[test]
fn a_mover_that_would_leave_the_world_stays() {
    let world = World::new(Settings::default()).expect("defaults");
    let mut state = MoverState::at(DVec3::Y);
    let walk = Vec3::X * 1e15;
    let answer = Mover::default().step(&world, &mut state, walk, 1000.0);
    assert!(answer.is_err());
    assert_eq!(state, MoverState::at(DVec3::Y));
}

/// Planets weigh more than single precision holds. As long as nothing pushes them they may be, can
/// be stored and read, and turn as they are told.
#[test]
fn planets_that_nothing_pushes_can_be_restored() {
    let planet = Shape::cube(Vec3::splat(1e7));
    for kind in [BodyKind::Static, BodyKind::Kinematic] {
        let mut world = World::new(Settings::default()).expect("defaults");
        let def = BodyDef {
            kind,
            angular_velocity: Vec3::Y * 1e-4,
            ..BodyDef::dynamic().with_shape(planet.clone())
        };
        let body = add(&mut world, def);
        let mut heavy = ShapeDef::new(cube());
        heavy.material.density = f32::MAX;
        world.add_shape(body, heavy).expect("a shape");
        let mut other = restored(&world);
        for _ in 0..3 {
            world.step();
            other.step();
        }
        assert_eq!(world.state_hash(), other.state_hash());
        let turned = world.body(body).expect("a body").rotation();
        assert_eq!(turned.y != 0.0, kind == BodyKind::Kinematic, "{turned}");
    }
    let mut world = World::new(Settings::default()).expect("defaults");
    let error = world.add_body(BodyDef::dynamic().with_shape(planet));
    let error = error.expect_err("nothing pushes that").to_string();
    assert!(error.contains("change the density or the size"), "{error}");
}

/// A target that no speed reaches: the body gets as far as the greatest speed takes it, and the
/// world stays sound.
#[test]
fn a_target_out_of_reach_leaves_the_world_sound() {
    let settings = Settings {
        dt: 1e-30,
        ..Settings::default()
    };
    let mut world = World::new(settings).expect("a short step");
    let body = add(&mut world, BodyDef::kinematic().with_shape(cube()));
    let near = BodyDef::dynamic().at(DVec3::Y).with_shape(cube());
    add(&mut world, near);
    let turn = drystone::geometry::rotation::from_axis_angle(Vec3::Y, 1.0);
    let target = WorldPose {
        position: DVec3::X * 1e6,
        rotation: turn,
    };
    world.set_kinematic_target(body, target).expect("a target");
    world.step();
    let view = world.body(body).expect("a body");
    assert_eq!(view.linear_velocity(), Vec3::X * 4000.0);
    assert!(view.angular_velocity().is_finite() && world.events().diverged.is_empty());
    restored(&world).step();
}

/// A paused world in which a body is moved about: what is kept of that does not grow.
#[test]
fn a_paused_world_does_not_grow() {
    let mut world = World::new(Settings::default()).expect("defaults");
    let bodies = [0.0, 2.0].map(|x| {
        let at = DVec3::X * x;
        add(&mut world, BodyDef::dynamic().at(at).with_shape(cube()))
    });
    let mut sizes = Vec::new();
    for round in 0..2000 {
        let dt = if round % 2 == 0 { 0.0 } else { 0.01 };
        let settings = Settings {
            dt,
            ..world.settings().clone()
        };
        world.set_settings(settings).expect("settings");
        for body in bodies {
            let there = WorldPose::from_position(world.body(body).expect("a body").position());
            world.teleport(body, there).expect("a body");
        }
        sizes.push(world.snapshot().len());
    }
    assert!(
        sizes[1999] <= sizes[10] + 10,
        "{} {}",
        sizes[10],
        sizes[1999]
    );
}

/// Ways as long as numbers go, past a cube a metre ahead and beside it, whether a few are asked for
/// or so many that they are answered from a tree.
#[test]
fn the_longest_rays_meet_what_is_near() {
    let mut world = World::new(Settings::default()).expect("defaults");
    for x in 0..40 {
        let at = DVec3::new(1.5 + 3.0 * f64::from(x), 0.0, 0.0);
        add(&mut world, BodyDef::fixed().at(at).with_shape(cube()));
    }
    let filter = QueryFilter::default();
    for power in (0..=300).step_by(10) {
        let length = 10_f64.powi(power) * 2.0;
        let [ahead, beside] = [0.0, 0.75].map(|y| RayCast {
            origin: DVec3::Y * y,
            translation: DVec3::X * length,
        });
        for _ in 0..3 {
            let hit = world.cast_ray(ahead.origin, ahead.translation, &filter);
            let way = hit
                .unwrap_or_else(|| panic!("misses at 1e{power}"))
                .fraction
                * length;
            assert!((way - 1.0).abs() < 1e-9, "{way} of 1e{power}");
            assert!(world.is_ray_blocked(ahead.origin, ahead.translation, &filter));
            let all = world.cast_ray_all(ahead.origin, ahead.translation, &filter);
            assert_eq!(
                all.len(),
                ((length / 3.0) as usize).min(39) + 1,
                "1e{power}"
            );
            let hit = world.cast_ray(beside.origin, beside.translation, &filter);
            assert_eq!(hit, None);
        }
        let many = vec![ahead; 300];
        let hits = world.cast_rays(&many, &filter);
        assert!(hits.iter().all(|hit| hit.is_some()), "1e{power}");
    }
}

/// A cone on a mesh, every byte of its snapshot in turn another under a checksum that fits: an error
/// or a world. A number of points that no manifold has made the reader panic.
#[test]
fn forged_contacts_with_meshes_are_refused_or_step() {
    let corners = [
        Vec3::new(-2.0, 0.0, -2.0),
        Vec3::new(-2.0, 0.0, 2.0),
        Vec3::new(2.0, 0.3, 2.0),
        Vec3::new(2.0, 0.0, -2.0),
    ];
    let triangles = [[0, 1, 2], [0, 2, 3]];
    let mesh = TriangleMesh::new(&corners, &triangles, MeshOptions::default()).expect("a mesh");
    let mut world = World::new(Settings::default()).expect("defaults");
    add(
        &mut world,
        BodyDef::fixed().with_shape(Shape::Mesh(Arc::new(mesh))),
    );
    let cone = Shape::cone(0.3, 0.3);
    add(
        &mut world,
        BodyDef::dynamic().at(DVec3::Y * 0.4).with_shape(cone),
    );
    for _ in 0..10 {
        world.step();
    }
    assert!(world.contacts().count() > 0, "it landed");
    let honest = world.snapshot();
    let mut accepted = 0;
    for at in HEADER..honest.len() {
        let mut forged = honest.clone();
        forged[at] = 65;
        sign(&mut forged);
        if let Ok(mut world) = World::restore(&forged) {
            world.step();
            accepted += 1;
        }
    }
    assert!(accepted > 0, "the checksum fits");
}

/// What a hook is told of the belt of one shape.
struct Belts(Option<ShapeKey>, Vec<Vec3>);

impl Hooks for Belts {
    fn modify(&mut self, _: &World, contact: &mut ContactPatch) {
        if self.0 == Some(contact.shape_a) || self.0 == Some(contact.shape_b) {
            self.1.push(contact.surface_velocity);
        }
    }
}

/// A sleeping box whose underside runs, but has no friction, is woken within a step by the platform
/// beside it on which it stands as well: its contact with the ground still runs in that step, also in
/// a world that was restored while it slept.
#[test]
fn belts_of_sleepers_that_are_woken_within_a_step_run_after_a_restore() {
    let mut world = World::new(Settings::default()).unwrap();
    let slab = |x: f64| {
        let shape = Shape::cube(Vec3::new(1.0, 0.5, 1.0));
        (shape, DVec3::new(x, -0.5, 0.0))
    };
    let (shape, at) = slab(-1.0);
    world
        .add_body(BodyDef::fixed().at(at).with_shape(shape))
        .unwrap();
    let (shape, at) = slab(1.0);
    let platform = world
        .add_body(BodyDef::kinematic().at(at).with_shape(shape))
        .unwrap();
    let mut runs = ShapeDef::new(Shape::cube(Vec3::splat(0.3)));
    runs.material.friction = 0.0;
    runs.material.surface_velocity = Vec3::new(0.4, 0.0, 0.0);
    let stone = BodyDef {
        shapes: vec![runs],
        ..BodyDef::dynamic().at(DVec3::new(0.0, 0.3, 0.0))
    };
    let stone = world.add_body(stone).unwrap();
    for _ in 0..120 {
        world.step();
    }
    assert!(!world.body(stone).unwrap().is_awake(), "it sleeps");
    let shape = world.body(stone).unwrap().shapes()[0].key();
    let mut restored = World::restore(&world.snapshot()).unwrap();
    let [told, again] = [&mut world, &mut restored].map(|world| {
        let up = Vec3::new(0.0, 0.1, 0.0);
        world.set_velocity(platform, up, Vec3::ZERO).unwrap();
        let mut belts = Belts(Some(shape), Vec::new());
        world.step_with(&mut belts);
        assert!(world.body(stone).unwrap().is_awake(), "it was woken");
        belts.1
    });
    assert_eq!(told.len(), 2, "on both it stands");
    assert!(
        told.iter().all(|belt| (belt.length() - 0.4).abs() < 1e-6),
        "{told:?}"
    );
    assert_eq!(told, again);
    assert_eq!(world.state_hash(), restored.state_hash());
}

/// A force is for one step. A body of 1 kg that is pushed with 6 N in every step while it is out of the
/// world, and in the one before, comes back at rest: by hand it would have 2.1 m/s. Turning alike.
#[test]
fn loads_on_a_disabled_body_do_not_wait_for_it() {
    let settings = Settings {
        gravity: Vec3::ZERO,
        ..Settings::default()
    };
    let mut world = World::new(settings).expect("no gravity");
    let def = BodyDef {
        mass: Some(MassOverride::new(1.0)),
        ..BodyDef::dynamic().with_shape(cube())
    };
    let body = add(&mut world, def);
    let push = |world: &mut World| {
        let at = DVec3::Y;
        world.apply_force(body, Vec3::X * 6.0, at).expect("a force");
        world.apply_torque(body, Vec3::Y).expect("a torque");
    };
    push(&mut world);
    world.set_enabled(body, false).expect("a body");
    for _ in 0..20 {
        push(&mut world);
        world.step();
    }
    world.set_enabled(body, true).expect("a body");
    world.step();
    let view = world.body(body).expect("a body");
    assert_eq!(view.linear_velocity(), Vec3::ZERO);
    assert_eq!(view.angular_velocity(), Vec3::ZERO);
    push(&mut world);
    world.step();
    let speed = world.body(body).expect("a body").linear_velocity().x;
    assert!((speed - 0.1).abs() < 0.001, "{speed}");
}

/// A lift that was led by targets and is given a velocity moves on with it in the next step, and one that
/// was given a target last goes there.
#[test]
fn a_velocity_takes_the_place_of_a_target() {
    let mut world = World::new(Settings::default()).expect("defaults");
    let lift = add(&mut world, BodyDef::kinematic().with_shape(cube()));
    let height = |world: &World| world.body(lift).expect("a body").position().y;
    let up = WorldPose::from_position(DVec3::Y * 0.1);
    world.set_kinematic_target(lift, up).expect("a target");
    world.step();
    let speed = Vec3::Y * 6.0;
    for steps in 1..=3 {
        world
            .set_velocity(lift, speed, Vec3::ZERO)
            .expect("a speed");
        world.step();
        let expected = 0.1 + 0.1 * f64::from(steps);
        let got = height(&world);
        assert!((got - expected).abs() < 0.001, "{got} {expected}");
    }
    world.set_kinematic_target(lift, up).expect("a target");
    world
        .set_velocity(lift, speed, Vec3::ZERO)
        .expect("a speed");
    world.step();
    assert!((height(&world) - 0.5).abs() < 0.001);
    world
        .set_velocity(lift, speed, Vec3::ZERO)
        .expect("a speed");
    world.set_kinematic_target(lift, up).expect("a target");
    world.step();
    assert!((height(&world) - 0.1).abs() < 0.001);
}

/// Five cubes on each other, in steps that are a sixtieth of a second, then a hundred times as short, as slow
/// motion is made: they stand, where the impulses of long sub-steps threw them by metres in short ones.
#[test]
fn stacks_stand_while_steps_change_their_length() {
    let mut world = World::new(Settings::default()).expect("defaults");
    let ground = Shape::HalfSpace { normal: Vec3::Y };
    add(&mut world, BodyDef::fixed().with_shape(ground));
    let at = |floor: u32| DVec3::Y * (f64::from(floor) + 0.5);
    let cubes: Vec<_> = (0..5)
        .map(|floor| {
            let def = BodyDef::dynamic().at(at(floor)).with_shape(cube());
            add(&mut world, def)
        })
        .collect();
    for round in 0..400 {
        let settings = Settings {
            dt: [1.0 / 60.0, 1.0 / 6000.0][round / 7 % 2],
            sleeping: false,
            ..world.settings().clone()
        };
        world.set_settings(settings).expect("settings");
        world.step();
        for (floor, body) in (0..).zip(&cubes) {
            let view = world.body(*body).expect("a body");
            let way = view.position().distance(at(floor));
            assert!(way < 0.02, "{floor} in step {round}: {way} m");
        }
    }
}

/// A cube that has rested for half a second sleeps, though another one that drifts, slower than what counts as
/// rest, has come within the margin by then, and touches nothing.
#[test]
fn what_comes_near_slowly_keeps_nothing_awake() {
    let settings = Settings {
        gravity: Vec3::ZERO,
        ..Settings::default()
    };
    let mut world = World::new(settings).expect("settings");
    let still = add(&mut world, BodyDef::dynamic().with_shape(cube()));
    let drifting = BodyDef {
        linear_velocity: Vec3::Y * -0.04,
        ..BodyDef::dynamic().at(DVec3::Y * 1.03).with_shape(cube())
    };
    add(&mut world, drifting);
    let steps = (1..60).find(|_| {
        world.step();
        !world.body(still).expect("a body").is_awake()
    });
    assert_eq!(world.contacts().count(), 1);
    assert!(steps.is_some_and(|steps| steps <= 31), "{steps:?}");
}
