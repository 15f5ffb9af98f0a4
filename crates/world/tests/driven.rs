//! What motors, servos and belts move, if ever so slowly, gets where it is to go, and what is
//! blocked sleeps.

use drystone::glam::{DVec3, Vec3};
use drystone::{
    BodyDef, BodyKey, JointAxis, JointDef, JointKind, JointLimit, JointMotor, JointSpring,
    Material, Settings, Shape, ShapeDef, WheelSettings, World,
};

/// A cube of 20 cm, held by a joint to a static body where it stands, without gravity.
fn held(kind: JointKind) -> (World, BodyKey) {
    let settings = Settings {
        gravity: Vec3::ZERO,
        ..Settings::default()
    };
    let mut world = World::new(settings).unwrap();
    let post = world.add_body(BodyDef::fixed()).unwrap();
    let cube = BodyDef::dynamic().with_shape(Shape::cube(Vec3::splat(0.1)));
    let cube = world.add_body(cube).unwrap();
    world.add_joint(JointDef::new(post, cube, kind)).unwrap();
    (world, cube)
}

fn run(world: &mut World, seconds: u32) {
    for _ in 0..60 * seconds {
        world.step();
    }
}

fn motor(speed: f32) -> JointAxis {
    JointAxis {
        motor: Some(JointMotor {
            speed,
            max_effort: 1000.0,
        }),
        ..JointAxis::FREE
    }
}

fn hinge(axis: JointAxis) -> JointKind {
    JointKind::Hinge {
        limit: axis.limit,
        motor: axis.motor,
        spring: axis.spring,
    }
}

fn slider(axis: JointAxis) -> JointKind {
    JointKind::Slider {
        limit: axis.limit,
        motor: axis.motor,
        spring: axis.spring,
    }
}

fn angle(world: &World, key: BodyKey) -> f32 {
    let q = world.body(key).unwrap().rotation();
    2.0 * libm::atan2f(q.z, q.w)
}

/// Motors at 1 mrad/s to 0.1 rad/s, and 1 to 4 cm/s: by hand, speed times time.
#[test]
fn a_slow_motor_does_not_fall_asleep() {
    for speed in [0.1, -0.04, 0.001] {
        let (mut world, cube) = held(hinge(motor(speed)));
        run(&mut world, 10);
        let found = angle(&world, cube);
        assert!(
            (found - 10.0 * speed).abs() < 0.01 * speed.abs() * 10.0,
            "{speed}: {found}"
        );
        let wheel = WheelSettings {
            motor: motor(speed).motor,
            ..WheelSettings::default()
        };
        let (mut world, cube) = held(JointKind::Wheel(Box::new(wheel)));
        run(&mut world, 10);
        let found = angle(&world, cube);
        assert!(
            (found - 10.0 * speed).abs() < 0.01 * speed.abs() * 10.0,
            "{speed}: {found}"
        );
    }
    for speed in [0.04, -0.01] {
        let (mut world, cube) = held(slider(motor(speed)));
        run(&mut world, 10);
        let found = world.body(cube).unwrap().position().z as f32;
        assert!(
            (found - 10.0 * speed).abs() < 0.01 * speed.abs() * 10.0,
            "{speed}: {found}"
        );
    }
}

/// Servos with a time constant of 18 s: after 80 s what is left of the way is below 5 mm, and they
/// sleep once they are there.
#[test]
fn a_slow_servo_arrives_and_sleeps() {
    let servo = |target| JointAxis {
        spring: Some(JointSpring {
            target,
            ..JointSpring::new(0.05, 3.0)
        }),
        ..JointAxis::FREE
    };
    let (mut world, cube) = held(slider(servo(0.3)));
    run(&mut world, 100);
    let body = world.body(cube).unwrap();
    assert!(
        (body.position().z - 0.3).abs() < 0.005,
        "{}",
        body.position()
    );
    assert!(!body.is_awake());
    let (mut world, cube) = held(hinge(servo(1.0)));
    run(&mut world, 100);
    let found = angle(&world, cube);
    assert!((found - 1.0).abs() < 0.03, "{found}");
    assert!(!world.body(cube).unwrap().is_awake());
}

/// What stands at a stop against a motor sleeps, and so does what hangs in balance with a spring far
/// from its target.
#[test]
fn what_a_motor_or_spring_cannot_move_sleeps() {
    let blocked = JointAxis {
        limit: Some(JointLimit {
            lower: -0.1,
            upper: 0.1,
        }),
        ..motor(0.5)
    };
    for kind in [hinge(blocked), slider(blocked)] {
        let (mut world, cube) = held(kind);
        run(&mut world, 3);
        assert!(!world.body(cube).unwrap().is_awake());
    }
    let weak = JointAxis {
        motor: Some(JointMotor {
            speed: 1.0,
            max_effort: 0.0,
        }),
        ..JointAxis::FREE
    };
    let (mut world, cube) = held(slider(weak));
    run(&mut world, 2);
    assert!(!world.body(cube).unwrap().is_awake());
    let pulled = JointAxis {
        spring: Some(JointSpring::new(2.0, 1.0)),
        ..JointAxis::FREE
    };
    let (mut world, cube) = held(slider(pulled));
    let gravity = 9.81 * Vec3::Z;
    world
        .set_settings(Settings {
            gravity,
            ..world.settings().clone()
        })
        .unwrap();
    run(&mut world, 10);
    let body = world.body(cube).unwrap();
    assert!(
        body.position().z > 0.05 && !body.is_awake(),
        "{}",
        body.position()
    );
}

/// A box on a belt of 5 mm/s to 3 cm/s: by hand, speed times time; once a wall is in its way it
/// sleeps.
#[test]
fn a_slow_belt_carries_a_box_on() {
    for speed in [0.03_f32, 0.005] {
        let mut world = World::new(Settings::default()).unwrap();
        let belt = ShapeDef {
            material: Material {
                surface_velocity: speed * Vec3::X,
                ..Material::default()
            },
            ..ShapeDef::new(Shape::cube(Vec3::new(5.0, 0.1, 5.0)))
        };
        let belt = BodyDef {
            shapes: vec![belt],
            ..BodyDef::fixed().at(DVec3::new(0.0, -0.1, 0.0))
        };
        world.add_body(belt).unwrap();
        let cube = BodyDef::dynamic()
            .at(DVec3::new(0.0, 0.2, 0.0))
            .with_shape(Shape::cube(Vec3::splat(0.2)));
        let cube = world.add_body(cube).unwrap();
        run(&mut world, 10);
        let found = world.body(cube).unwrap().position().x as f32;
        assert!((found - 10.0 * speed).abs() < 0.2 * speed, "{found}");
        let wall = BodyDef::fixed()
            .at(DVec3::new(f64::from(found) + 0.31, 0.2, 0.0))
            .with_shape(Shape::cube(Vec3::new(0.1, 0.2, 1.0)));
        world.add_body(wall).unwrap();
        run(&mut world, 10);
        assert!(!world.body(cube).unwrap().is_awake());
    }
}
