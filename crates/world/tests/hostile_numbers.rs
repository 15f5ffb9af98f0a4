//! Numbers that no caller means, in everything that a world is asked and told between steps: an
//! error or a finite answer, never a panic and never a world that is not finite.

use drystone::clock::FixedStep;
use drystone::geometry::mesh::{MeshOptions, TriangleMesh};
use drystone::geometry::{WorldAabb, WorldPose};
use drystone::glam::{DVec3, Quat, Vec3};
use drystone::mover::{Mover, MoverState};
use drystone::{BodyDef, BodyKey, QueryFilter, Settings, Shape, World};
use std::sync::Arc;

const NUMBERS: [f64; 16] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::MAX,
    -1e300,
    5e-324,
    6.9e-39,
    1e12,
    -1.000001e12,
    1e15,
    1e20,
    3.5e38,
];

fn world() -> (World, Vec<BodyKey>) {
    let mut world = World::new(Settings::default()).expect("a world");
    let corners = [
        Vec3::new(-9.0, -2.0, -9.0),
        Vec3::new(-9.0, -2.0, 9.0),
        Vec3::new(9.0, -2.0, 9.0),
    ];
    let mesh = TriangleMesh::new(&corners, &[[0, 1, 2]], MeshOptions::default()).expect("a mesh");
    let cube = Shape::Box {
        half_extents: Vec3::splat(0.5),
    };
    let defs = [
        BodyDef::fixed().with_shape(Shape::HalfSpace { normal: Vec3::Y }),
        BodyDef::fixed().with_shape(Shape::Mesh(Arc::new(mesh))),
        BodyDef::dynamic()
            .at(DVec3::new(0.0, 0.5, 0.0))
            .with_shape(cube.clone()),
        BodyDef::dynamic()
            .at(DVec3::new(3.0, 4.0, 0.0))
            .with_shape(Shape::sphere(0.5)),
        BodyDef::kinematic()
            .at(DVec3::new(-3.0, 1.0, 0.0))
            .with_shape(cube),
    ];
    let keys = defs
        .map(|def| world.add_body(def).expect("a body"))
        .to_vec();
    (world, keys)
}

/// Vectors with one odd number at each place, and all of them odd.
fn vectors() -> Vec<DVec3> {
    let mut vectors = vec![DVec3::new(0.5, 3.0, 0.25), DVec3::new(0.0, -9.0, 0.0)];
    for number in NUMBERS {
        vectors.push(DVec3::splat(number));
        for axis in 0..3 {
            let mut vector = DVec3::new(0.25, 0.5, -0.75);
            vector[axis] = number;
            vectors.push(vector);
        }
    }
    vectors
}

fn is_finite(hit: &drystone::CastHit) -> bool {
    hit.fraction.is_finite()
        && (0.0..=1.0).contains(&hit.fraction)
        && hit.point.is_finite()
        && hit.normal.is_finite()
}

/// Every question with every pair of odd vectors.
#[test]
fn questions_get_finite_answers() {
    let (world, _) = world();
    let filter = QueryFilter::default();
    let cube = Shape::Box {
        half_extents: Vec3::splat(0.25),
    };
    let vectors = vectors();
    for a in &vectors {
        for b in &vectors {
            let hit = world.cast_ray(*a, *b, &filter);
            assert!(hit.iter().all(is_finite), "ray {a} {b}: {hit:?}");
            let hits = world.cast_ray_all(*a, *b, &filter);
            assert!(hits.iter().all(is_finite), "rays {a} {b}: {hits:?}");
            let blocked = world.is_ray_blocked(*a, *b, &filter);
            assert_eq!(blocked, hit.is_some(), "{a} {b}");
            let start = WorldPose::from_position(*a);
            let cast = world.cast_shape(&cube, &start, *b, &filter);
            let cast = cast.ok().flatten();
            assert!(cast.iter().all(is_finite), "cast {a} {b}: {cast:?}");
            let turn = b.as_vec3();
            let cast = world.cast_turning_shape(&cube, &start, DVec3::NEG_Y, turn, &filter);
            let cast = cast.ok().flatten();
            assert!(cast.iter().all(is_finite), "turn {a} {b}: {cast:?}");
            let closest = world.closest(*a, b.x, &filter);
            let is_sound = closest.is_none_or(|hit| {
                hit.distance.is_finite() && hit.point.is_finite() && hit.normal.is_finite()
            });
            assert!(is_sound, "closest {a} {}: {closest:?}", b.x);
            world.bodies_in(&WorldAabb { min: *a, max: *b }, &filter);
        }
        let pose = WorldPose {
            position: DVec3::Y,
            rotation: Quat::from_xyzw(a.x as f32, a.y as f32, a.z as f32, 1.0),
        };
        for pose in [pose, WorldPose::from_position(*a)] {
            let _ = world.overlaps(&cube, &pose, &filter);
            let deepest = world.deepest_overlap(&cube, &pose, &filter).ok().flatten();
            assert!(deepest.is_none_or(|found| found.depth.is_finite()));
        }
    }
}

/// Every command with every odd vector, a step after each: poses and velocities stay finite.
#[test]
fn commands_leave_a_finite_world() {
    let vectors = vectors();
    for (index, a) in vectors.iter().enumerate() {
        let (mut world, keys) = world();
        let b = vectors[(7 * index + 3) % vectors.len()];
        let v = a.as_vec3();
        for key in keys {
            let _ = world.set_velocity(key, v, b.as_vec3());
            let _ = world.apply_impulse(key, v, b);
            let _ = world.apply_impulse(key, Vec3::Y, *a);
            let _ = world.apply_angular_impulse(key, v);
            let _ = world.apply_force(key, v, b);
            let _ = world.apply_torque(key, v);
            let _ = world.set_damping(key, v.x, v.y);
            let _ = world.set_gravity_scale(key, v.z);
            world.step();
            let _ = world.set_kinematic_target(key, WorldPose::from_position(*a));
            world.step();
            let rotation = Quat::from_xyzw(v.x, v.y, v.z, 0.5);
            let position = b;
            let _ = world.teleport(key, WorldPose { position, rotation });
            world.step();
            let body = world.body(key).expect("a body");
            assert!(body.pose().is_finite(), "{a} {b}: {:?}", body.pose());
            assert!(body.linear_velocity().is_finite(), "{a} {b}");
            assert!(body.angular_velocity().is_finite(), "{a} {b}");
        }
        assert!(world.energy().kinetic.is_finite() || a.abs().max_element() > 1e9);
    }
}

/// A walk and frames of odd length: refused, or finite; a clock goes on after them.
#[test]
fn walks_and_clocks_survive_odd_times() {
    let (mut world, _) = world();
    let mut clock = FixedStep::new(3);
    for a in vectors() {
        let mut state = MoverState::at(DVec3::new(6.0, 2.0, 6.0));
        state.rise = a.z as f32;
        let mover = Mover {
            radius: a.y.abs() as f32,
            ..Mover::default()
        };
        let _ = mover.step(&world, &mut state.clone(), Vec3::X, 0.1);
        let _ = Mover::default().step(&world, &mut state, a.as_vec3(), a.x as f32);
        assert!(state.position.is_finite(), "{a}: {state:?}");
        clock.run(&mut world, a.x, |_| {});
        clock.due(a.y, a.x);
        assert!((0.0..=1.0).contains(&clock.alpha()), "{a}");
    }
    let dt = f64::from(world.settings().dt);
    let steps: u32 = (0..10).map(|_| clock.run(&mut world, dt, |_| {})).sum();
    // What odd times left makes the first frame longer.
    assert!((9..=13).contains(&steps), "{steps} steps in ten frames");
}
