//! Bodies of several shapes, with answers known by hand.

use drystone::glam::{DVec3, Vec3};
use drystone::{BodyDef, BodyKey, Material, Pose, Settings, Shape, ShapeDef, World};
use drystone_geometry::rotation;

/// A part of a body, without friction.
fn part(half_extents: Vec3, at: Vec3) -> ShapeDef {
    let mut def = ShapeDef::new(Shape::cube(half_extents));
    def.pose = Pose {
        translation: at,
        ..Pose::IDENTITY
    };
    def.material = Material {
        friction: 0.0,
        ..Material::default()
    };
    def
}

fn add(world: &mut World, def: BodyDef, parts: &[ShapeDef]) -> BodyKey {
    let shapes = parts.to_vec();
    world.add_body(BodyDef { shapes, ..def }).unwrap()
}

/// A floor along X and a wall along Y that meet at the origin, flush, as one body.
fn room(world: &mut World) -> BodyKey {
    let parts = [
        part(Vec3::new(5.0, 0.5, 5.0), Vec3::new(5.0, -0.5, 0.0)),
        part(Vec3::new(0.5, 5.0, 5.0), Vec3::new(-0.5, 4.0, 0.0)),
    ];
    add(world, BodyDef::fixed(), &parts)
}

/// A corner between two shapes of one body is no seam: what stands in it is held by both, also where
/// it touches the floor by less than a seam is wide.
#[test]
fn what_stands_in_a_corner_of_parts_is_held_by_both() {
    let pull = Vec3::new(-4.0, -10.0, 0.0);
    let plate = [part(Vec3::new(0.0004, 0.5, 0.3), Vec3::ZERO)];
    let ball = [ShapeDef::new(Shape::sphere(0.0004))];
    let halves = [
        part(Vec3::new(0.2, 0.25, 0.3), Vec3::new(0.0, -0.25, 0.0)),
        part(Vec3::new(0.2, 0.25, 0.3), Vec3::new(0.0, 0.25, 0.0)),
    ];
    for (shapes, at) in [
        (&plate[..], DVec3::new(0.0004, 0.5, 0.0)),
        (&ball[..], DVec3::new(0.0004, 0.0004, 0.0)),
        (&halves[..], DVec3::new(0.2, 0.5, 0.0)),
    ] {
        let settings = Settings {
            gravity: pull,
            ..Settings::default()
        };
        let mut world = World::new(settings).unwrap();
        room(&mut world);
        let body = add(&mut world, BodyDef::dynamic().at(at), shapes);
        for _ in 0..240 {
            world.step();
        }
        let end = world.body(body).unwrap().position();
        assert!(end.distance(at) < 5e-4, "from {at} to {end}");
    }
}

/// Nor is a valley between two plates of one body, however shallow: a grain in it stays in the middle.
#[test]
fn a_grain_lies_in_a_valley_of_parts() {
    for degrees in [15.0_f32, 30.0] {
        let mut world = World::new(Settings::default()).unwrap();
        let plates = [-1.0_f32, 1.0].map(|side| {
            let turn = rotation::from_axis_angle(Vec3::Z, side * degrees.to_radians());
            let mut plate = part(Vec3::new(1.0, 0.5, 1.0), Vec3::ZERO);
            plate.pose.rotation = turn;
            plate.pose.translation = turn * Vec3::new(side, -0.5, 0.0);
            plate
        });
        add(&mut world, BodyDef::fixed(), &plates);
        let radius = 0.0004;
        let mut grain = ShapeDef::new(Shape::sphere(radius));
        grain.material.friction = 0.0;
        let height = radius / (plates[0].pose.rotation * Vec3::Y).y;
        let at = DVec3::new(0.0, f64::from(height), 0.0);
        let grain = add(&mut world, BodyDef::dynamic().at(at), &[grain]);
        for _ in 0..120 {
            world.step();
        }
        let end = world.body(grain).unwrap().position();
        assert!(end.distance(at) < 5e-5, "{degrees} degrees: {at} to {end}");
    }
}

/// Each pair of shapes reports its touch, and what their points bear adds up to the weight.
#[test]
fn every_part_reports_what_it_bears() {
    let mut world = World::new(Settings::default()).unwrap();
    let ground = add(
        &mut world,
        BodyDef::fixed(),
        &[part(Vec3::new(5.0, 0.5, 5.0), Vec3::new(0.0, -0.5, 0.0))],
    );
    let halves = [
        part(Vec3::new(0.3, 0.5, 0.4), Vec3::new(-0.3, 0.0, 0.0)),
        part(Vec3::new(0.2, 0.5, 0.4), Vec3::new(0.2, 0.0, 0.0)),
    ];
    let def = BodyDef::dynamic().at(DVec3::new(0.0, 0.501, 0.0));
    let body = add(&mut world, def, &halves);
    let mut begun = 0;
    for _ in 0..60 {
        world.step();
        begun += world.events().contact_begin.len();
        assert_eq!(world.events().contact_end.len(), 0);
    }
    assert_eq!(begun, 2);
    let touches = world.contacts_of(ground).unwrap();
    assert_eq!(touches.len(), 2);
    let mut sum = 0.0;
    for touch in &touches {
        assert!(touch.is_touching);
        let borne = touch.points.iter().map(|point| point.normal_impulse);
        let borne: f32 = borne.sum();
        assert!(borne > 0.0, "a half bears nothing");
        sum += borne;
    }
    let settings = world.settings();
    let weight = world.body(body).unwrap().mass() * settings.gravity.length() * settings.dt;
    assert!((sum - weight).abs() < 1e-4 * weight, "{sum} of {weight}");
}

/// A block of two parts slides over a floor of parts, all of one body, at the height and speed of
/// a block on a plane.
#[test]
fn nothing_is_felt_of_seams() {
    let mut world = World::new(Settings::default()).unwrap();
    let tiles: Vec<_> = (0..12)
        .flat_map(|x| [0, 1].map(|z| [x as f32, z as f32]))
        .map(|[x, z]| part(Vec3::splat(0.5), Vec3::new(x, -0.5, z - 0.4)))
        .collect();
    let mass = BodyDef::dynamic().at(DVec3::new(0.0, 1.0, 0.0));
    let _floor = add(&mut world, mass, &tiles);
    add(
        &mut world,
        BodyDef::fixed(),
        &[part(Vec3::new(20.0, 0.5, 20.0), Vec3::new(0.0, -0.5, 0.0))],
    );
    let halves = [
        part(Vec3::new(0.1, 0.2, 0.3), Vec3::new(-0.1, 0.0, 0.0)),
        part(Vec3::new(0.1, 0.2, 0.3), Vec3::new(0.1, 0.0, 0.0)),
    ];
    let def = BodyDef::dynamic().at(DVec3::new(0.0, 1.2, 0.1));
    let way = Vec3::new(4.0, 0.0, 0.0);
    let block = add(
        &mut world,
        BodyDef {
            linear_velocity: way,
            ..def
        },
        &halves,
    );
    for step in 0..120 {
        world.step();
        let body = world.body(block).unwrap();
        let (height, speed) = (body.position().y, body.linear_velocity());
        assert!((height - 1.2).abs() < 2e-4, "step {step}: height {height}");
        assert!((speed - way).length() < 2e-3, "step {step}: {speed}");
    }
}
