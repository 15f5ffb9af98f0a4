//! Joints as the world keeps them.

use drystone::geometry::rotation;
use drystone::glam::{DVec3, Vec3};
use drystone::{
    AxisLocks, BodyDef, BodyKey, JointDef, JointKind, JointSpring, MassOverride, Settings, Shape,
    World, WorldPose,
};

fn world() -> World {
    let settings = Settings {
        gravity: Vec3::ZERO,
        ..Settings::default()
    };
    World::new(settings).expect("the defaults are allowed")
}

fn cube_at(world: &mut World, x: f64) -> BodyKey {
    let shape = Shape::cube(Vec3::splat(0.5));
    let def = BodyDef::dynamic().with_shape(shape);
    world
        .add_body(def.at(DVec3::new(x, 0.0, 0.0)))
        .expect("a cube")
}

fn apart(a: BodyKey, b: BodyKey) -> JointDef {
    JointDef::new(a, b, JointKind::NoContact)
}

fn distance(world: &World, a: BodyKey, b: BodyKey) -> f64 {
    let place = |key| world.body(key).expect("a cube").position();
    place(a).distance(place(b))
}

/// Two cubes that overlap by half do not feel each other while a joint parts them, do not
/// move or hold each other, and sleep one without the other. Without the joint they push each
/// other out.
#[test]
fn a_joint_that_holds_nothing_only_keeps_bodies_from_touching() {
    let mut world = world();
    let (a, b) = (cube_at(&mut world, 0.0), cube_at(&mut world, 0.5));
    let key = world.add_joint(apart(a, b)).expect("two cubes");
    for step in 0..60 {
        world.step();
        assert_eq!(world.contacts().filter(|c| !c.points.is_empty()).count(), 0);
        assert_eq!(distance(&world, a, b), 0.5, "step {step}");
    }
    assert!(!world.body(a).expect("a").is_awake());
    world
        .set_velocity(b, Vec3::new(0.0, 1.0, 0.0), Vec3::ZERO)
        .expect("b");
    for _ in 0..60 {
        world.step();
    }
    assert!(
        !world.body(a).expect("a").is_awake(),
        "nothing connects them"
    );
    assert!((distance(&world, a, b) - 1.25_f64.sqrt()).abs() < 0.03);
    let back = drystone::WorldPose::from_position(DVec3::new(0.5, 0.0, 0.0));
    world.teleport(b, back).expect("b");
    world.set_velocity(b, Vec3::ZERO, Vec3::ZERO).expect("b");
    world.remove_joint(key).expect("the joint");
    for _ in 0..60 {
        world.step();
    }
    assert!(distance(&world, a, b) > 0.9, "{}", distance(&world, a, b));
}

/// Removing a body removes the joint that parted it from another.
#[test]
fn a_joint_goes_with_its_body() {
    let mut world = world();
    let (a, b) = (cube_at(&mut world, 0.0), cube_at(&mut world, 0.5));
    let key = world.add_joint(apart(a, b)).expect("two cubes");
    world.step();
    world.remove_body(a).expect("a");
    world.step();
    assert!(world.joint(key).is_err());
    assert_eq!(world.body(b).expect("b").joints(), []);
}

/// A slack rope does nothing, not even to what falls through the place where it is tied: by hand, all
/// fall freely, from heights that bring them to it anywhere in a step and beside it by up to 1 mm.
#[test]
fn what_falls_through_the_anchor_of_a_slack_rope_falls_freely() {
    for phase in 0..20 {
        for aside in [0.0, 1e-6, 1e-4, 1e-3] {
            let mut world = World::new(Settings::default()).expect("the defaults are allowed");
            let beam = world.add_body(BodyDef::fixed()).expect("a beam");
            let body = BodyDef::dynamic().with_shape(Shape::sphere(0.1));
            let height = 0.8 - 0.005 * f64::from(phase);
            let [tied, free] = [aside, 5.0].map(|x| {
                let body = body.clone().at(DVec3::new(x, height, 0.0));
                world.add_body(body).expect("a ball")
            });
            let rope = JointKind::Distance {
                min: 0.0,
                max: 1.0,
                rest: None,
                spring: None,
            };
            let rope = JointDef::new(beam, tied, rope);
            world.add_joint(rope).expect("a rope");
            for _ in 0..33 {
                world.step();
                let [tied, free] = [tied, free].map(|key| world.body(key).expect("it").position());
                let apart = (tied - free).y.abs();
                assert!(apart < 1e-5, "{apart} m off from {height} m at {tied}");
            }
        }
    }
}

/// Loads on springs, whose stiffness is by hand that of the mass the spring moves, whatever hangs on
/// it beside: a ball below a hook, a heavy block on a light one that lies on the ground, and a rod
/// that a hinge holds level at one end.
#[test]
fn a_load_moves_a_spring_by_its_own_stiffness() {
    let hertz = 5.0;
    let omega_sq = (2.0 * std::f32::consts::PI * hertz).powi(2);
    let spring = Some(JointSpring::new(hertz, 1.0));
    let sag = |def: [BodyDef; 2], joint: &dyn Fn(&World, [BodyKey; 2]) -> JointDef| {
        let mut world = World::new(Settings::default()).unwrap();
        let ground = Shape::half_space(Vec3::Y);
        let ground = BodyDef::fixed().at(-DVec3::Y).with_shape(ground);
        world.add_body(ground).unwrap();
        let bodies = def.map(|def| world.add_body(def).unwrap());
        let joint = joint(&world, bodies);
        let joint = world.add_joint(joint).unwrap();
        for _ in 0..300 {
            world.step();
        }
        world.joint_state(joint).unwrap()
    };
    let block = |mass: f32, y: f64| BodyDef {
        mass: Some(MassOverride::new(mass)),
        ..BodyDef::dynamic()
            .at(DVec3::new(0.0, y, 0.0))
            .with_shape(Shape::cube(Vec3::new(0.5, 0.1, 0.1)))
    };
    // The slider's Z is up.
    let upright = |world: &World, [a, b]: [BodyKey; 2]| {
        let kind = JointKind::Slider {
            limit: None,
            motor: None,
            spring,
        };
        let place = world.body(b).unwrap().position();
        let there = WorldPose {
            rotation: rotation::between(Vec3::Z, Vec3::Y),
            position: place,
        };
        let frame = |key| world.body(key).unwrap().pose().local(&there);
        JointDef {
            frame_a: frame(a),
            frame_b: frame(b),
            ..JointDef::new(a, b, kind)
        }
    };
    let near = |sag: f64, expected: f32, what: &str| {
        let off = (sag - f64::from(expected)).abs();
        assert!(
            off < 0.02 * f64::from(expected.abs()),
            "{what}: {sag}, {expected}"
        );
    };
    let hung = sag([BodyDef::fixed(), block(3.0, 0.0)], &upright);
    near(hung.translation.z, -9.81 / omega_sq, "hung");
    let moved = 1.0 / (1.0 / 2.0 + 1.0 / 3.0);
    let load = 3.0 * 9.81 / (moved * omega_sq);
    let stacked = sag([block(2.0, -0.9), block(3.0, -0.5)], &upright);
    near(stacked.translation.z, -load, "stacked");
    let level = sag([BodyDef::fixed(), block(3.0, 0.0)], &|_, [a, b]| {
        let kind = JointKind::Hinge {
            limit: None,
            motor: None,
            spring,
        };
        let end = -0.5 * Vec3::X;
        JointDef::new(a, b, kind).with_anchors(end, end)
    });
    // The arm gets shorter as the rod hangs down.
    let inertia = 3.0 / 12.0 * (1.0 + 0.2 * 0.2);
    let angle = -level.angles.z;
    let load = 3.0 * 9.81 * 0.5 * libm::cosf(angle);
    near(f64::from(angle), load / (inertia * omega_sq), "level");
}

/// A slider of 500 N/m and 20 N s/m, anchored 8 cm aside of the body's centre, and a hinge of 3 N m/rad
/// and 0.5 N m s/rad, turned anyhow. By hand: the mass beside the centre is `1 / (1 / m + r^2 / I)`, and
/// a tenth of the stiffness as load stretches the spring by a tenth.
#[test]
fn a_spring_has_the_stiffness_it_is_given() {
    for (is_hinge, stiffness, damping) in [(false, 500.0, 20.0), (true, 3.0, 0.5)] {
        let mut world = world();
        let turn = rotation::from_scaled_axis(Vec3::new(0.3, -0.5, 0.2));
        let add = |world: &mut World, kind: BodyDef, half: Vec3| {
            let def = kind.with_shape(Shape::cube(half));
            world
                .add_body(BodyDef {
                    rotation: turn,
                    ..def
                })
                .expect("a box")
        };
        let post = add(&mut world, BodyDef::fixed(), Vec3::splat(0.1));
        let body = add(&mut world, BodyDef::dynamic(), Vec3::new(0.1, 0.2, 0.05));
        let mut def = JointDef::new(post, body, JointKind::BALL);
        def.frame_b.translation = if is_hinge {
            Vec3::ZERO
        } else {
            Vec3::new(0.08, 0.0, 0.03)
        };
        let mass = world.joint_mass(&def).expect("two bodies");
        let mass = if is_hinge {
            mass.angular.z
        } else {
            mass.linear.z
        };
        let view = world.body(body).expect("a box");
        let expected = if is_hinge {
            view.inertia().z
        } else {
            1.0 / (1.0 / view.mass() + 0.08 * 0.08 / view.inertia().y)
        };
        assert!((mass / expected - 1.0).abs() < 1e-5, "{mass}");
        let spring = Some(JointSpring::from_stiffness(stiffness, damping, mass));
        def.kind = if is_hinge {
            JointKind::Hinge {
                limit: None,
                motor: None,
                spring,
            }
        } else {
            JointKind::Slider {
                limit: None,
                motor: None,
                spring,
            }
        };
        let key = world.add_joint(def).expect("two bodies");
        let axis = rotation::rotate(turn, Vec3::Z);
        let load = 0.1 * stiffness;
        for _ in 0..600 {
            let center = world.body(body).expect("a box").center_of_mass();
            if is_hinge {
                world.apply_torque(body, load * axis).expect("a box");
            } else {
                world.apply_force(body, load * axis, center).expect("a box");
            }
            world.step();
        }
        let state = world.joint_state(key).expect("a joint");
        let found = if is_hinge {
            f64::from(state.angles.z)
        } else {
            state.translation.z
        };
        assert!((found - 0.1).abs() < 1e-4, "{is_hinge}: {found}");
    }
}

/// What a lock holds adds nothing that gives way: a body whose turning is locked sags by `m g / k` on a
/// spring beside its centre.
#[test]
fn a_stiffness_holds_what_it_says_beside_locked_axes() {
    let settings = Settings {
        sleeping: false,
        ..Settings::default()
    };
    let mut world = World::new(settings).expect("valid settings");
    let post = world.add_body(BodyDef::fixed()).expect("a post");
    let def = BodyDef {
        locks: AxisLocks {
            rotation: [true; 3],
            ..AxisLocks::default()
        },
        mass: Some(MassOverride::new(10.0)),
        ..BodyDef::dynamic().with_shape(Shape::cube(Vec3::splat(0.1)))
    };
    let body = world.add_body(def).expect("a box");
    let beside = 0.5 * Vec3::Z;
    let mut def = JointDef::new(post, body, JointKind::BALL).with_anchors(beside, beside);
    let mass = world.joint_mass(&def).expect("two bodies").linear.y;
    assert!((mass - 10.0).abs() < 1e-4, "{mass} kg");
    let spring = Some(JointSpring::from_stiffness(1000.0, 200.0, mass));
    def.kind = JointKind::Weld {
        linear: spring,
        angular: None,
    };
    world.add_joint(def).expect("two bodies");
    for _ in 0..300 {
        world.step();
    }
    let sag = -world.body(body).expect("a box").position().y;
    assert!((sag - 0.0981).abs() < 2e-4, "{sag} m");
}
