//! What [`World::contacts_of`] tells of a body at rest holds its weight and turns it nowhere.

use drystone::glam::{DVec3, Quat, Vec3};
use drystone::{
    BodyDef, BodyKey, JointDef, JointKind, JointMotor, Material, Pose, Settings, Shape, ShapeDef,
    TouchView, World,
};
use drystone_geometry::rotation;

const GRAVITY: f32 = 10.0;

/// A world and what rests in it, each with its size in metres.
struct Case {
    name: &'static str,
    world: World,
    bodies: Vec<(BodyKey, f64)>,
}

fn part(shape: Shape, at: Vec3) -> ShapeDef {
    let mut def = ShapeDef::new(shape);
    def.pose = Pose {
        translation: at,
        ..Pose::IDENTITY
    };
    def.material = Material {
        friction: 0.8,
        rolling_resistance: 0.3,
        ..Material::default()
    };
    def
}

fn cube(half_extents: [f32; 3], at: [f32; 3]) -> ShapeDef {
    part(Shape::cube(half_extents.into()), at.into())
}

/// A part of another density, in kg/m^3.
fn heavy(density: f32, mut def: ShapeDef) -> ShapeDef {
    def.material.density = density;
    def
}

fn world(dt: f32) -> World {
    let settings = Settings {
        dt,
        gravity: Vec3::NEG_Y * GRAVITY,
        ..Settings::default()
    };
    World::new(settings).expect("valid settings")
}

/// A slope through the origin of so many degrees that falls off along X, and shapes on it: those of a
/// body above those of the one before, all given as if it were level with its top at 0 and then turned
/// about its normal by half a radian.
fn slope(
    dt: f32,
    name: &'static str,
    degrees: f32,
    ground: Vec<ShapeDef>,
    stack: Vec<(Vec<ShapeDef>, f64)>,
) -> Case {
    let mut world = world(dt);
    let tilt = rotation::from_axis_angle(Vec3::NEG_Z, degrees.to_radians());
    let mut add = |def: BodyDef, rotation: Quat, shapes: Vec<ShapeDef>| {
        let def = BodyDef {
            rotation,
            shapes,
            ..def
        };
        world.add_body(def).expect("a valid body")
    };
    add(BodyDef::fixed(), tilt, ground);
    let turn = rotation::multiply(tilt, rotation::from_axis_angle(Vec3::Y, 0.5));
    let bodies = stack
        .into_iter()
        .map(|(shapes, size)| (add(BodyDef::dynamic(), turn, shapes), size))
        .collect();
    Case {
        name,
        world,
        bodies,
    }
}

/// A beam along X that a motor's finger presses against a fixed one, a third of its half from its centre.
fn clamp(dt: f32, name: &'static str, beam: Vec<ShapeDef>) -> Case {
    let mut world = world(dt);
    let finger = || vec![cube([0.03, 0.03, 0.02], [0.1, 0.0, 0.0])];
    let at = |z: f64| DVec3::new(0.0, 1.0, z);
    let mut add = |def: BodyDef, shapes| {
        let def = BodyDef { shapes, ..def };
        world.add_body(def).expect("a valid body")
    };
    let fixed = add(BodyDef::fixed().at(at(-0.04)), finger());
    let pressed = add(BodyDef::dynamic().at(at(0.04)), finger());
    let beam = add(BodyDef::dynamic().at(at(0.0)), beam);
    let motor = JointMotor {
        speed: -0.1,
        max_effort: 40.0,
    };
    let kind = JointKind::Slider {
        limit: None,
        motor: Some(motor),
        spring: None,
    };
    let joint = JointDef::new(fixed, pressed, kind);
    let joint = joint.with_anchors(Vec3::Z * 0.04, Vec3::NEG_Z * 0.04);
    world.add_joint(joint).expect("a valid slider");
    Case {
        name,
        world,
        bodies: vec![(beam, 0.3)],
    }
}

fn cases(dt: f32) -> Vec<Case> {
    let flat = || vec![cube([4.0, 0.5, 4.0], [0.0, -0.5, 0.0])];
    let tiles = vec![
        cube([2.0, 0.5, 4.0], [-2.05, -0.5, 0.0]),
        cube([2.0, 0.5, 4.0], [1.95, -0.5, 0.0]),
    ];
    let block = |height: f32| vec![cube([0.4, 0.2, 0.3], [0.0, height, 0.0])];
    // Heavy at one side, so that friction amid the points has to twist.
    let uneven = || {
        vec![
            cube([0.3, 0.2, 0.3], [-0.3, 0.2, 0.0]),
            heavy(4000.0, cube([0.1, 0.2, 0.3], [0.1, 0.2, 0.0])),
        ]
    };
    let leg = |x: f32, z: f32| cube([0.05, 0.3, 0.05], [x, 0.3, z]);
    let table = vec![
        heavy(3000.0, cube([0.3, 0.05, 0.1], [0.2, 0.65, 0.2])),
        leg(-0.4, -0.3),
        leg(-0.4, 0.3),
        leg(0.45, 0.3),
        leg(0.4, -0.3),
    ];
    let ball = vec![part(Shape::sphere(0.3), Vec3::Y * 0.3)];
    let drum = Shape::Cylinder {
        half_height: 0.2,
        radius: 0.3,
    };
    let beam = |half: f32, at: f32| cube([half, 0.02, 0.02], [at, 0.0, 0.0]);
    // They meet between the fingers.
    let halves = vec![beam(0.2, -0.1), beam(0.1, 0.2)];
    vec![
        slope(dt, "box", 25.0, flat(), vec![(block(0.2), 0.4)]),
        slope(
            dt,
            "boxes",
            15.0,
            flat(),
            vec![(block(0.2), 0.4), (block(0.6), 0.4)],
        ),
        slope(dt, "compound", 20.0, flat(), vec![(uneven(), 0.4)]),
        slope(dt, "compound on tiles", 20.0, tiles, vec![(uneven(), 0.4)]),
        slope(dt, "table", 12.0, flat(), vec![(table, 0.5)]),
        slope(dt, "ball", 10.0, flat(), vec![(ball, 0.3)]),
        slope(
            dt,
            "drum",
            20.0,
            flat(),
            vec![(vec![part(drum, Vec3::Y * 0.2)], 0.3)],
        ),
        clamp(dt, "beam", vec![beam(0.3, 0.0)]),
        clamp(dt, "beam of two", halves),
    ]
}

/// Steps for so long.
fn run(world: &mut World, seconds: f32) {
    let steps = (seconds / world.settings().dt).round() as u32;
    for _ in 0..steps {
        world.step();
    }
}

/// Force in N and torque about the centre of mass in N m of all contacts of a body.
fn pushes_on(world: &World, key: BodyKey) -> (DVec3, DVec3) {
    let center = world.body(key).expect("the body").center_of_mass();
    let (mut force, mut torque) = (DVec3::ZERO, DVec3::ZERO);
    for touch in world.contacts_of(key).expect("the body") {
        let sign = if touch.body_b == key { 1.0 } else { -1.0 };
        let mut push = |at: DVec3, impulse: Vec3| {
            let impulse = sign * impulse.as_dvec3();
            force += impulse;
            torque += (at - center).cross(impulse);
        };
        for point in &touch.points {
            push(point.position, touch.normal * point.normal_impulse);
        }
        push(touch.friction_position, touch.friction_impulse);
        torque += sign * moments_of(&touch).as_dvec3();
    }
    let dt = f64::from(world.settings().dt);
    (force / dt, torque / dt)
}

/// Moments on B besides those of pushes, in N m s.
fn moments_of(touch: &TouchView) -> Vec3 {
    touch.normal * touch.twist_impulse + touch.rolling_impulse
}

fn check(case: &Case, state: &str) {
    let dt = case.world.settings().dt;
    for (key, size) in &case.bodies {
        let body = case.world.body(*key).expect("the body");
        let weight = f64::from(body.mass() * GRAVITY);
        let (force, torque) = pushes_on(&case.world, *key);
        let off = (force / weight - DVec3::Y).length();
        let turn = (torque / (weight * size)).length();
        let name = case.name;
        assert!(off < 1e-3, "{name}, {state}, step {dt}: force off {off}");
        assert!(turn < 1e-3, "{name}, {state}, step {dt}: torque {turn}");
    }
}

/// Known from statics: forces add up to the weight and torques to nothing, awake, asleep and in a world
/// that was saved.
#[test]
fn contacts_hold_what_rests_and_turn_it_nowhere() {
    for dt in [1.0 / 60.0, 1.0 / 240.0] {
        for mut case in cases(dt) {
            let is_awake = |world: &World| {
                let body = world.body(case.bodies[0].0).expect("the body");
                body.is_awake()
            };
            run(&mut case.world, 0.4);
            assert!(is_awake(&case.world), "{}", case.name);
            check(&case, "awake");
            run(&mut case.world, 3.0);
            assert!(!is_awake(&case.world), "{}", case.name);
            check(&case, "asleep");
            let saved = case.world.snapshot();
            case.world = World::restore(&saved).expect("a saved world");
            check(&case, "saved");
        }
    }
}

/// The weight of a beam turns it about the fingers with an arm of 0.1 m, that of a ball about the point
/// below it with the sine of 10 degrees times its radius.
#[test]
fn twist_and_rolling_resistance_are_what_weights_ask_for() {
    let dt = 1.0 / 60.0;
    let rolling = 0.3 * libm::sinf(10_f32.to_radians());
    for (name, arm) in [("beam", -0.1), ("beam of two", -0.1), ("ball", rolling)] {
        let mut cases = cases(dt).into_iter();
        let mut case = cases.find(|case| case.name == name).expect("the case");
        run(&mut case.world, 1.0);
        let key = case.bodies[0].0;
        let weight = case.world.body(key).expect("the body").mass() * GRAVITY;
        let mut sum = 0.0;
        for touch in case.world.contacts_of(key).expect("the body") {
            let sign = if touch.body_b == key { 1.0 } else { -1.0 };
            sum += sign * moments_of(&touch).z / dt;
        }
        let want = arm * weight;
        let off = (sum / want - 1.0).abs();
        assert!(off < 2e-3, "{name}: {sum} N m, not {want}");
    }
}
