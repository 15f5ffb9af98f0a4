//! The character mover on stairs, slopes, platforms and against walls.

use drystone::geometry::rotation;
use drystone::glam::{DVec3, Vec3};
use drystone::mover::{Mover, MoverState};
use drystone::{BodyDef, DefError, QueryFilter, Settings, Shape, World, WorldPose};

const DT: f32 = 1.0 / 60.0;

fn with_ground() -> World {
    let mut world = World::new(Settings::default()).unwrap();
    world
        .add_body(BodyDef::fixed().with_shape(Shape::half_space(Vec3::Y)))
        .unwrap();
    world
}

fn block(world: &mut World, at: DVec3, half: Vec3) {
    world
        .add_body(BodyDef::fixed().at(at).with_shape(Shape::cube(half)))
        .unwrap();
}

fn walk(world: &mut World, state: &mut MoverState, way: Vec3, steps: usize) {
    let legs = Mover::default();
    for _ in 0..steps {
        world.step();
        for push in legs.step(world, state, way, DT).unwrap() {
            world
                .apply_impulse(push.body, push.impulse, push.point)
                .unwrap();
        }
    }
}

/// Height of the feet above the ground plane, less the skin.
fn feet(state: &MoverState) -> f64 {
    let legs = Mover::default();
    state.position.y - f64::from(legs.half_height + legs.radius + legs.skin)
}

/// Falls, lands and stands for a second without moving a hair.
#[test]
fn it_lands_and_stands_still() {
    let mut world = with_ground();
    let mut state = MoverState::at(DVec3::new(0.0, 3.0, 0.0));
    walk(&mut world, &mut state, Vec3::ZERO, 90);
    assert!(
        state.ground.is_some() && feet(&state).abs() < 1e-3,
        "{}",
        feet(&state)
    );
    let before = state;
    walk(&mut world, &mut state, Vec3::ZERO, 60);
    assert!((state.position - before.position).length() < 1e-6);
}

/// Ten steps of 0.2 m up; then one of 0.5 m, which is a wall.
#[test]
fn it_climbs_stairs_but_no_walls() {
    let mut world = with_ground();
    for i in 0..10 {
        let height = 0.1 * f64::from(i + 1);
        let at = DVec3::new(2.0 + 0.4 * f64::from(i), height, 0.0);
        block(&mut world, at, Vec3::new(0.2, height as f32, 2.0));
    }
    block(
        &mut world,
        DVec3::new(8.8, 1.0, 0.0),
        Vec3::new(3.0, 1.0, 2.0),
    );
    block(
        &mut world,
        DVec3::new(8.8, 1.25, 0.0),
        Vec3::new(0.5, 1.25, 2.0),
    );
    let mut state = MoverState::at(DVec3::new(0.0, 1.0, 0.0));
    walk(&mut world, &mut state, Vec3::new(2.0, 0.0, 0.0), 300);
    assert!((feet(&state) - 2.0).abs() < 0.02, "{:?}", state);
    assert!((state.position.x - 7.93).abs() < 0.03, "{:?}", state);
    // And down again, with the feet on the ground all the way.
    for _ in 0..240 {
        walk(&mut world, &mut state, Vec3::new(-2.0, 0.0, 0.0), 1);
        assert!(state.ground.is_some(), "{state:?}");
    }
    assert!(feet(&state).abs() < 0.01, "{:?}", state);
}

/// A slope of 30 degrees is walked up, one of 60 degrees is not.
#[test]
fn it_walks_up_slopes_that_are_not_too_steep() {
    for (degrees, climbs) in [(30.0_f32, true), (60.0, false)] {
        let mut world = with_ground();
        let turn = rotation::from_axis_angle(Vec3::Z, degrees.to_radians());
        let up = rotation::rotate(turn, Vec3::Y);
        let edge = DVec3::new(2.0, 0.0, 0.0);
        let along = rotation::rotate(turn, Vec3::X);
        let center = edge + (along * 5.0 - up * 0.5).as_dvec3();
        let def = BodyDef {
            rotation: turn,
            ..BodyDef::fixed()
                .at(center)
                .with_shape(Shape::cube(Vec3::new(5.0, 0.5, 3.0)))
        };
        world.add_body(def).unwrap();
        let mut state = MoverState::at(DVec3::new(0.0, 1.0, 0.0));
        walk(&mut world, &mut state, Vec3::new(2.0, 0.0, 0.0), 180);
        assert_eq!(feet(&state) > 1.0, climbs, "{degrees}: {state:?}");
        let still = state.position;
        walk(&mut world, &mut state, Vec3::ZERO, 60);
        if climbs {
            assert!(
                (state.position - still).length() < 1e-3,
                "it slides: {state:?}"
            );
        }
    }
}

/// Rides a platform that moves and rises; jumps off it.
#[test]
fn it_rides_platforms_and_jumps() {
    let mut world = with_ground();
    let lift = BodyDef {
        linear_velocity: Vec3::new(0.5, 0.25, 0.0),
        ..BodyDef::kinematic()
            .at(DVec3::new(0.0, 0.5, 0.0))
            .with_shape(Shape::cube(Vec3::new(2.0, 0.5, 2.0)))
    };
    let lift = world.add_body(lift).unwrap();
    let mut state = MoverState::at(DVec3::new(0.0, 2.2, 0.0));
    walk(&mut world, &mut state, Vec3::ZERO, 60);
    let offset = state.position - world.body(lift).unwrap().position();
    walk(&mut world, &mut state, Vec3::ZERO, 120);
    let later = state.position - world.body(lift).unwrap().position();
    assert!((later - offset).length() < 0.02, "{offset} {later}");
    state.rise = 5.0;
    let from = state.position.y;
    let mut highest = from;
    for _ in 0..40 {
        walk(&mut world, &mut state, Vec3::ZERO, 1);
        highest = highest.max(state.position.y);
    }
    assert!(
        (highest - from - 25.0 / 19.62).abs() < 0.1,
        "{}",
        highest - from
    );
}

/// Stands on a turntable where it stood, at any rate; rides one that crawls, at any rate of steps.
#[test]
fn it_stays_where_it_stands_on_what_turns_or_crawls() {
    for (spin, crawl, dt) in [
        (0.5, 0.0, DT),
        (2.0, 0.0, DT),
        (2.0, 0.0, 1.0 / 30.0),
        (0.0, 0.01, 1.0 / 240.0),
        (1.0, 0.3, 1.0 / 240.0),
    ] {
        let settings = Settings {
            dt,
            ..Settings::default()
        };
        let mut world = World::new(settings).unwrap();
        let disc = BodyDef {
            angular_velocity: spin * Vec3::Y,
            linear_velocity: crawl * Vec3::X,
            ..BodyDef::kinematic().at(-0.25 * DVec3::Y)
        };
        let disc = disc.with_shape(Shape::cylinder(0.25, 50.0));
        let disc = world.add_body(disc).unwrap();
        let mut state = MoverState::at(DVec3::new(3.0, 0.92, 0.0));
        let legs = Mover::default();
        legs.step(&world, &mut state, Vec3::ZERO, 0.0).unwrap();
        assert!(state.ground.is_some());
        for _ in 0..(20.0 / dt) as usize {
            world.step();
            legs.step(&world, &mut state, Vec3::ZERO, dt).unwrap();
        }
        let body = world.body(disc).unwrap();
        let there = rotation::rotate_inverse(
            body.rotation(),
            (state.position - body.position()).as_vec3(),
        );
        let off = there.with_y(0.0).distance(3.0 * Vec3::X);
        assert!(off < 0.02, "{spin} rad/s, {crawl} m/s, {dt} s: {off} m");
    }
}

/// Where a ceiling comes down to the floor it goes as far as it fits, and never into either; in a
/// corridor too low for it, it does not get into the wall at the end.
#[test]
fn it_stops_under_low_ceilings() {
    let legs = Mover::default();
    let capsule = Shape::capsule(legs.half_height, legs.radius);
    for (degrees, dt) in [(1.0_f64, DT), (5.0, DT), (5.0, 1.0 / 30.0), (40.0, DT)] {
        let (mut world, angle) = (with_ground(), degrees.to_radians());
        let (sin, cos) = (libm::sin(angle), libm::cos(angle));
        let normal = Vec3::new(-sin as f32, -cos as f32, 0.0);
        let ceiling = BodyDef::fixed().at(2.2 * DVec3::Y);
        (world.add_body(ceiling.with_shape(Shape::half_space(normal)))).unwrap();
        // With the upper of its ends at 1.45 m.
        let fits = ((2.2 - 1.45) * cos - 0.35) / sin;
        let mut state = MoverState::at(DVec3::new(fits - 3.0, 0.92, 0.0));
        for _ in 0..(4.0 / dt) as usize {
            legs.step(&world, &mut state, 2.0 * Vec3::X, dt).unwrap();
            let pose = WorldPose::from_position(state.position);
            let overlap = world.deepest_overlap(&capsule, &pose, &QueryFilter::default());
            let depth = overlap.unwrap().map_or(0.0, |overlap| overlap.depth);
            assert!(depth < 1e-6, "{degrees} degrees: {depth} m");
        }
        let short = fits - state.position.x;
        assert!((0.0..0.06).contains(&short), "{degrees} degrees: {short} m");
    }
    for height in [1.75, 1.79, 1.801, 1.81, 1.83] {
        for (speed, dt) in [(4.0, DT), (4.0, 1.0 / 30.0), (8.0, 1.0 / 30.0)] {
            let mut world = with_ground();
            block(
                &mut world,
                DVec3::new(2.05, 2.0, 0.0),
                Vec3::new(0.05, 4.0, 20.0),
            );
            block(
                &mut world,
                DVec3::Y * (height + 0.5),
                Vec3::new(20.0, 0.5, 20.0),
            );
            let mut state = MoverState::at(DVec3::Y * (0.5 * height));
            for _ in 0..(3.0 / dt) as usize {
                legs.step(&world, &mut state, speed * Vec3::X, dt).unwrap();
                let x = state.position.x;
                assert!(x < 1.66, "{height} m, {speed} m/s, {dt} s: {x} m");
            }
        }
    }
}

/// Pushes a light crate along and slides along a wall without getting stuck in its corner.
#[test]
fn it_pushes_crates_and_slides_along_walls() {
    let mut world = with_ground();
    let crate_def = BodyDef::dynamic()
        .at(DVec3::new(2.0, 0.4, 0.0))
        .with_shape(Shape::cube(Vec3::splat(0.4)));
    let pushed = world.add_body(crate_def).unwrap();
    world
        .set_mass(pushed, Some(drystone::MassOverride::new(10.0)))
        .unwrap();
    let mut state = MoverState::at(DVec3::new(0.0, 1.0, 0.0));
    walk(&mut world, &mut state, Vec3::new(2.0, 0.0, 0.0), 180);
    assert!(world.body(pushed).unwrap().position().x > 3.0);

    let mut world = with_ground();
    block(
        &mut world,
        DVec3::new(3.0, 1.0, 0.0),
        Vec3::new(0.5, 1.0, 50.0),
    );
    let mut state = MoverState::at(DVec3::new(0.0, 1.0, 0.0));
    walk(&mut world, &mut state, Vec3::new(2.0, 0.0, 2.0), 240);
    assert!(state.position.z > 7.0, "{state:?}");
    assert!((state.position.x - 2.13).abs() < 0.02, "{state:?}");
}

/// Numbers a mover cannot walk with are refused by name, and nothing moves.
#[test]
fn impossible_movers_are_refused() {
    let world = with_ground();
    let legs = Mover::default;
    let table = [
        ("push_mass", f32::NAN, DT),
        ("push_mass", f32::INFINITY, DT),
        ("push_mass", -1.0, DT),
        ("min_slope_cos", f32::NAN, DT),
        ("min_slope_cos", 1.5, DT),
        ("step_height", f32::INFINITY, DT),
        ("step_height", -0.1, DT),
        ("skin", f32::NAN, DT),
        ("skin", 0.0, DT),
        ("skin", 0.35, DT),
        ("dt", 0.0, -1.0),
        ("dt", 0.0, f32::NAN),
        ("dt", 0.0, f32::INFINITY),
        ("rise", f32::NAN, DT),
    ];
    for (named, value, dt) in table {
        let mut legs = legs();
        let mut state = MoverState::at(DVec3::new(0.0, 1.0, 0.0));
        match named {
            "push_mass" => legs.push_mass = value,
            "min_slope_cos" => legs.min_slope_cos = value,
            "step_height" => legs.step_height = value,
            "skin" => legs.skin = value,
            "rise" => state.rise = value,
            _ => {}
        }
        let before = state.position;
        let found = legs.step(&world, &mut state, Vec3::X, dt);
        let Err(DefError::Number { field, .. }) = found else {
            panic!("{named} {value} {dt}: {found:?}");
        };
        assert_eq!(field, named);
        assert_eq!(state.position, before);
    }
    let flat = Mover {
        radius: -1.0,
        ..legs()
    };
    let mut state = MoverState::at(DVec3::Y);
    assert!(flat.step(&world, &mut state, Vec3::X, DT).is_err());
}

/// Whoever is as heavy as a number can be pushes a box as fast as they walk: the impulse is that of
/// the box's mass, by hand.
#[test]
fn the_heaviest_mover_pushes_with_the_mass_of_what_it_meets() {
    let mut world = with_ground();
    let cube = BodyDef::dynamic()
        .at(DVec3::new(1.0, 0.5, 0.0))
        .with_shape(Shape::cube(Vec3::splat(0.5)));
    let cube = world.add_body(cube).unwrap();
    let legs = Mover {
        push_mass: f32::MAX,
        ..Mover::default()
    };
    let mut state = MoverState::at(DVec3::new(0.0, 0.95, 0.0));
    let pushes: Vec<_> = (0..10)
        .flat_map(|_| legs.step(&world, &mut state, Vec3::X, DT).unwrap())
        .collect();
    assert!(!pushes.is_empty());
    let mass = world.body(cube).unwrap().mass();
    for push in pushes {
        assert!(
            push.impulse.x > 0.0 && push.impulse.x <= 1.001 * mass,
            "{push:?}"
        );
    }
}

fn slope(world: &mut World, degrees: f32) {
    let turn = rotation::from_axis_angle(Vec3::Z, degrees.to_radians());
    let def = BodyDef {
        rotation: turn,
        ..BodyDef::fixed()
    };
    world
        .add_body(def.with_shape(Shape::half_space(Vec3::Y)))
        .unwrap();
}

/// Slopes too steep to stand on, on which it hung in the air: it slides down as a body without friction,
/// by hand `g sin^2 t^2 / 2` in height, also when it walks against them; between two of them it is
/// held, and falls no faster for it.
#[test]
fn it_slides_down_what_is_too_steep() {
    let legs = Mover::default();
    for degrees in [50.0_f32, 60.0, 75.0] {
        for way in [0.0, 2.0] {
            let mut world = World::new(Settings::default()).unwrap();
            slope(&mut world, degrees);
            let (sin, cos) = libm::sincosf(degrees.to_radians());
            // The lower cap touches the slope.
            let up = (legs.radius + legs.skin) / cos + legs.half_height;
            let mut state = MoverState::at(DVec3::Y * f64::from(up));
            walk(&mut world, &mut state, way * Vec3::X, 60);
            let fallen = f64::from(up) - state.position.y;
            let expected = f64::from(0.5 * 9.81 * sin * sin);
            assert!(
                (fallen - expected).abs() < 0.05 * expected,
                "{degrees} degrees, {way} m/s: {fallen} m, {expected} m"
            );
            let along = -fallen * f64::from(cos / sin);
            assert!(
                (state.position.x - along).abs() < 0.05,
                "{degrees}: {state:?}"
            );
            assert!(state.ground.is_none());
        }
    }
    let mut world = World::new(Settings::default()).unwrap();
    slope(&mut world, 60.0);
    slope(&mut world, -60.0);
    let mut state = MoverState::at(DVec3::new(0.1, 3.0, 0.0));
    walk(&mut world, &mut state, Vec3::ZERO, 300);
    assert!(state.rise > -2.0 && state.position.y > 0.5, "{state:?}");
}

/// Walls at all angles to its way, by hand it goes along them at its share of the speed. It stood still
/// at most: by the rounding of the walls' normals the way along them led into them.
#[test]
fn it_slides_along_walls_at_any_angle() {
    for degrees in 1..90 {
        let angle = (degrees as f32).to_radians();
        let turn = rotation::from_axis_angle(Vec3::Y, angle);
        let mut world = with_ground();
        let wall = BodyDef {
            rotation: turn,
            ..BodyDef::fixed().at(DVec3::Y)
        };
        world
            .add_body(wall.with_shape(Shape::cube(Vec3::new(1.0, 1.0, 200.0))))
            .unwrap();
        // Half a metre from the wall.
        let from = rotation::rotate(turn, -1.85 * Vec3::X);
        let mut state = MoverState::at(from.as_dvec3() + 0.92 * DVec3::Y);
        let way = 3.0 * Vec3::X;
        let steps = (60.0 * 0.5 / (3.0 * libm::cosf(angle))) as usize + 30;
        walk(&mut world, &mut state, way, steps);
        let before = state.position;
        walk(&mut world, &mut state, way, 60);
        let gone = state.position.distance(before);
        let expected = f64::from(3.0 * libm::sinf(angle));
        assert!(
            (gone - expected).abs() < 0.02,
            "{degrees}: {gone} m, {expected} m"
        );
    }
}
