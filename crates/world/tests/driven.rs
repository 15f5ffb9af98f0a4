//! What motors, servos and belts move, if ever so slowly, gets where it is to go, and what is
//! blocked sleeps.

use drystone::glam::{DVec3, Vec3};
use drystone::{
    BodyDef, BodyKey, JointAxis, JointDef, JointKind, JointLimit, JointMotor, JointSpring,
    Material, Settings, Shape, ShapeDef, WheelSettings, World,
};

/// A cube of 20 cm, held by a joint to a static body where it stands, without gravity.
fn held(kind: JointKind) -> (World, BodyKey) {
    held_cube(kind, 0.1)
}

/// The same of a cube that reaches `half` from its middle to its faces.
fn held_cube(kind: JointKind, half: f32) -> (World, BodyKey) {
    let settings = Settings {
        gravity: Vec3::ZERO,
        ..Settings::default()
    };
    let mut world = World::new(settings).unwrap();
    let post = world.add_body(BodyDef::fixed()).unwrap();
    let cube = BodyDef::dynamic().with_shape(Shape::cube(Vec3::splat(half)));
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

fn servo(target: f32, hertz: f32, damping_ratio: f32) -> JointAxis {
    JointAxis {
        spring: Some(JointSpring {
            target,
            ..JointSpring::new(hertz, damping_ratio)
        }),
        ..JointAxis::FREE
    }
}

/// Servos with a time constant of 18 s: after 160 s what is left of the way is below a thousandth of
/// how far the cube reaches, 0.17 m, and of a radian, and they sleep once they are there.
#[test]
fn a_slow_servo_arrives_and_sleeps() {
    let (mut world, cube) = held(slider(servo(0.3, 0.05, 3.0)));
    run(&mut world, 160);
    let body = world.body(cube).unwrap();
    let found = body.position().z;
    assert!((found - 0.3).abs() < 2e-4, "{found}");
    assert!(!body.is_awake());
    let (mut world, cube) = held(hinge(servo(1.0, 0.05, 3.0)));
    run(&mut world, 160);
    let found = angle(&world, cube);
    assert!((found - 1.0).abs() < 1.1e-3, "{found}");
    assert!(!world.body(cube).unwrap().is_awake());
}

/// Servos of cubes of 20 cm, 2 cm and 2 mm, slow and fast: they go half an edge, and half a radian, to
/// within a thousandth of how far the cube reaches, and of a radian.
#[test]
fn a_small_servo_goes_all_the_way() {
    for half in [0.1_f32, 0.01, 0.001] {
        for (hertz, seconds) in [(0.2, 30), (1.0, 8), (5.0, 3)] {
            for (kind, target, most) in [
                (slider(servo(half, hertz, 1.0)), half, 1.8e-3 * half),
                (hinge(servo(0.5, hertz, 1.0)), 0.5, 1.1e-3),
            ] {
                let (mut world, key) = held_cube(kind, half);
                run(&mut world, seconds);
                let joint = world.joint_keys().next().unwrap();
                let state = world.joint_state(joint).unwrap();
                let found = state.translation.z as f32 + state.angles.z;
                let case = format!("{half} m, {hertz} Hz, {target}: {found}");
                assert!((found - target).abs() < most, "{case}");
                assert!(!world.body(key).unwrap().is_awake(), "{case}");
            }
        }
    }
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
