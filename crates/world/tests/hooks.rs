//! Hooks, sensors and hits.

use drystone::glam::{DVec3, Vec3};
use drystone::{
    BodyDef, BodyKey, ContactPatch, Hooks, Material, Settings, Shape, ShapeDef, ShapeKey, World,
    WorldPose,
};

fn ground(world: &mut World) -> BodyKey {
    let ground = Shape::HalfSpace { normal: Vec3::Y };
    world.add_body(BodyDef::fixed().with_shape(ground)).unwrap()
}

fn cube_at(world: &mut World, at: DVec3) -> BodyKey {
    let shape = Shape::cube(Vec3::splat(0.5));
    world
        .add_body(BodyDef::dynamic().at(at).with_shape(shape))
        .unwrap()
}

/// Counts what it is asked, and runs a belt along X.
#[derive(Default)]
struct Belt {
    asked: usize,
    shown: Vec<(ShapeKey, ShapeKey)>,
    speed: f32,
}

impl Hooks for Belt {
    fn may_meet(&mut self, _: &World, _: ShapeKey, _: ShapeKey) -> bool {
        self.asked += 1;
        true
    }

    fn modify(&mut self, world: &World, contact: &mut ContactPatch) {
        assert!(world.body(contact.body_a).is_ok());
        self.shown.push((contact.shape_a, contact.shape_b));
        contact.surface_velocity = Vec3::new(self.speed, 0.0, 0.0);
    }
}

/// Two boxes at rest on a belt reach its speed; every touching contact is shown in every
/// step, re-used or not, and the pairs are asked about once.
#[test]
fn a_conveyor_carries_and_is_asked_about_every_contact() {
    let mut world = World::new(Settings::default()).unwrap();
    ground(&mut world);
    let boxes = [0.0, 3.0].map(|x| cube_at(&mut world, DVec3::new(x, 0.5, 0.0)));
    let mut belt = Belt {
        speed: 0.0,
        ..Belt::default()
    };
    for step in 0..240 {
        belt.shown.clear();
        // Sleep ends the showing, so the belt starts before.
        belt.speed = if step > 20 { 1.0 } else { 0.0 };
        world.step_with(&mut belt);
        let touching = world.contacts().filter(|c| c.is_touching).count();
        assert_eq!(touching, 2);
        assert!(
            step == 0 || belt.shown.len() == 2,
            "step {step}: {:?}",
            belt.shown
        );
    }
    assert_eq!(belt.asked, 2);
    for key in boxes {
        let speed = world.body(key).unwrap().linear_velocity().x;
        assert!((speed.abs() - 1.0).abs() < 0.05, "{speed}");
    }
    // Without hooks the belt stops: nothing of a patch stays behind.
    for _ in 0..120 {
        world.step();
    }
    let speed = world.body(boxes[0]).unwrap().linear_velocity().x;
    assert!(speed.abs() < 0.01, "{speed}");
}

/// Switches off the points of a contact on one side.
struct HalfOff(bool);

impl Hooks for HalfOff {
    fn modify(&mut self, _: &World, contact: &mut ContactPatch) {
        assert_eq!(contact.points().len(), 4);
        if self.0 {
            for point in contact.points_mut() {
                point.enabled = point.position.x < 0.0;
            }
        }
    }
}

/// A box at rest on four points tips over the two that are left when those on one side are
/// switched off, and comes to rest again when they act once more.
#[test]
fn points_are_switched_off_one_by_one() {
    let mut world = World::new(Settings::default()).unwrap();
    ground(&mut world);
    let cube = cube_at(&mut world, DVec3::new(0.0, 0.5, 0.0));
    for _ in 0..5 {
        world.step_with(&mut HalfOff(false));
    }
    let turn = |world: &World| world.body(cube).unwrap().angular_velocity().z;
    assert!(turn(&world).abs() < 1e-3, "{}", turn(&world));
    for _ in 0..3 {
        world.step_with(&mut HalfOff(true));
    }
    // Without support at +X it falls to that side: clockwise seen along -Z.
    assert!(turn(&world) < -0.1, "{}", turn(&world));
    for _ in 0..120 {
        world.step();
    }
    assert!(turn(&world).abs() < 1e-2, "{}", turn(&world));
}

/// A platform that holds from above alone.
struct Platform(BodyKey);

impl Hooks for Platform {
    fn modify(&mut self, _: &World, contact: &mut ContactPatch) {
        if contact.body_a == self.0 || contact.body_b == self.0 {
            contact.one_way(Vec3::Y, contact.body_a == self.0);
        }
    }
}

/// A ball thrown up through a platform passes, falls back and stays on it.
#[test]
fn a_one_way_platform_lets_pass_from_below() {
    let mut world = World::new(Settings::default()).unwrap();
    let plate = Shape::cube(Vec3::new(2.0, 0.1, 2.0));
    let platform = world
        .add_body(
            BodyDef::fixed()
                .at(DVec3::new(0.0, 3.0, 0.0))
                .with_shape(plate),
        )
        .unwrap();
    let def = BodyDef {
        linear_velocity: Vec3::new(0.0, 8.0, 0.0),
        ..BodyDef::dynamic()
            .at(DVec3::new(0.0, 1.0, 0.0))
            .with_shape(Shape::sphere(0.2))
    };
    let ball = world.add_body(def).unwrap();
    let mut highest: f64 = 0.0;
    for _ in 0..180 {
        world.step_with(&mut Platform(platform));
        highest = highest.max(world.body(ball).unwrap().position().y);
    }
    assert!(highest > 4.0, "{highest}");
    let rest = world.body(ball).unwrap().position().y;
    assert!((rest - 3.3).abs() < 0.02, "{rest}");
}

/// Refuses everything until it is told otherwise.
struct Gate(bool);

impl Hooks for Gate {
    fn may_meet(&mut self, _: &World, _: ShapeKey, _: ShapeKey) -> bool {
        self.0
    }

    fn modifies(&self) -> bool {
        false
    }
}

/// A box sinks through the ground while the gate refuses the pair, also over a snapshot, and
/// is pushed out once the pair is asked about again.
#[test]
fn a_refused_pair_is_asked_about_on_request() {
    let mut world = World::new(Settings {
        gravity: Vec3::new(0.0, -1.0, 0.0),
        ..Settings::default()
    })
    .unwrap();
    ground(&mut world);
    let body = cube_at(&mut world, DVec3::new(0.0, 0.5, 0.0));
    for _ in 0..30 {
        world.step_with(&mut Gate(false));
    }
    let mut world = World::restore(&world.snapshot()).unwrap();
    for _ in 0..10 {
        world.step();
    }
    let sunk = world.body(body).unwrap().position().y;
    assert!(sunk < 0.4, "{sunk}");
    let shape = world.body(body).unwrap().shapes()[0].key();
    world.ask_again(shape).unwrap();
    for _ in 0..60 {
        world.step();
    }
    let risen = world.body(body).unwrap().position().y;
    assert!((risen - 0.5).abs() < 0.02, "{risen}");
}

/// A ball falls through a sensor: one begin, one end, no push. Known by hand: free fall.
#[test]
fn a_sensor_reports_and_does_not_push() {
    let mut world = World::new(Settings::default()).unwrap();
    let zone = ShapeDef {
        sensor: true,
        ..ShapeDef::new(Shape::cube(Vec3::splat(1.0)))
    };
    let sensor = world
        .add_body(BodyDef::fixed().with_part(zone.clone()))
        .unwrap();
    let carried = world
        .add_body(
            BodyDef::kinematic()
                .at(DVec3::new(5.0, 0.0, 0.0))
                .with_part(zone),
        )
        .unwrap();
    let wall = world
        .add_body(
            BodyDef::fixed()
                .at(DVec3::new(5.0, 0.0, 1.2))
                .with_shape(Shape::sphere(0.5)),
        )
        .unwrap();
    let ball = world
        .add_body(
            BodyDef::dynamic()
                .at(DVec3::new(0.0, 3.0, 0.0))
                .with_shape(Shape::sphere(0.25)),
        )
        .unwrap();
    let (mut begun, mut ended) = (Vec::new(), Vec::new());
    for step in 0..90 {
        world.step();
        begun.extend(world.events().sensor_begin.iter().map(|e| (step, *e)));
        ended.extend(world.events().sensor_end.iter().map(|e| (step, *e)));
        assert!(world.events().contact_begin.is_empty());
        if step == 20 {
            world = World::restore(&world.snapshot()).unwrap();
        }
    }
    // A sensor on a kinematic body sees the static ball from the first step on.
    assert_eq!(
        (begun[0].0, begun[0].1.sensor_body, begun[0].1.visitor_body),
        (0, carried, wall)
    );
    assert_eq!(
        (begun[1].1.sensor_body, begun[1].1.visitor_body),
        (sensor, ball)
    );
    assert_eq!((begun.len(), ended.len()), (2, 1));
    // From 3 m down to 1.25 m and to -1.25 m: 0.597 s and 0.931 s.
    assert!(
        (begun[1].0 as f64 / 60.0 - 0.597).abs() < 0.04,
        "{}",
        begun[1].0
    );
    assert!(
        (ended[0].0 as f64 / 60.0 - 0.931).abs() < 0.04,
        "{}",
        ended[0].0
    );
    // What enters by a command is seen too, and so is what leaves by removal.
    world
        .teleport(ball, WorldPose::from_position(DVec3::ZERO))
        .unwrap();
    world.step();
    assert_eq!(world.events().sensor_begin.len(), 1);
    world.remove_body(ball).unwrap();
    world.step();
    assert_eq!(world.events().sensor_end.len(), 1);
}

/// A ball of known mass falls 1 m: v = sqrt(2 g h), impulse m v (1 + e), on the ground below.
#[test]
fn a_hit_tells_speed_place_and_impulse() {
    let mut world = World::new(Settings::default()).unwrap();
    ground(&mut world);
    let bouncy = Material {
        restitution: 0.5,
        density: 1000.0,
        ..Material::default()
    };
    let part = ShapeDef {
        material: bouncy,
        ..ShapeDef::new(Shape::sphere(0.1))
    };
    let ball = world
        .add_body(
            BodyDef::dynamic()
                .at(DVec3::new(2.0, 1.1, 0.0))
                .with_part(part),
        )
        .unwrap();
    let mass = world.body(ball).unwrap().mass();
    let mut hits = Vec::new();
    for _ in 0..40 {
        world.step();
        hits.extend(world.events().hit.clone());
    }
    let speed = (2.0_f32 * 9.81).sqrt();
    let hit = hits[0];
    assert!((hit.speed - speed).abs() < 0.3, "{}", hit.speed);
    assert!((hit.impulse - 1.5 * mass * hit.speed).abs() < 1e-2 * hit.impulse);
    assert!(
        (hit.point - DVec3::new(2.0, 0.0, 0.0)).length() < 0.1,
        "{}",
        hit.point
    );
    assert_eq!(hit.normal.y.abs(), 1.0);
}
