//! What joints carry before they tell of it.

use drystone::glam::{DVec3, Quat, Vec3};
use drystone::{
    BodyDef, BodyKey, JointDef, JointKey, JointKind, JointThreshold, MassOverride, Pose, Settings,
    Shape, World,
};

const MASS: f32 = 2.0;
const GRAVITY: f32 = 10.0;

/// A world without sleep, with a weight below a beam.
fn weight(threads: usize) -> (World, BodyKey, BodyKey) {
    let settings = Settings {
        gravity: Vec3::new(0.0, -GRAVITY, 0.0),
        sleeping: false,
        threads,
        ..Settings::default()
    };
    let mut world = World::new(settings).unwrap();
    let beam = world.add_body(BodyDef::fixed()).unwrap();
    let ball = BodyDef {
        mass: Some(MassOverride::new(MASS)),
        ..BodyDef::dynamic().with_shape(Shape::Sphere { radius: 0.2 })
    };
    let weight = world.add_body(ball.at(DVec3::new(0.0, -1.0, 0.0))).unwrap();
    (world, beam, weight)
}

fn rope() -> JointKind {
    JointKind::Distance {
        min: 0.0,
        max: 1.0,
        rest: None,
        spring: None,
    }
}

/// The ways to hang it up: in a tree, by itself, by two joints of which one closes a loop, and along
/// an axis.
fn hung() -> Vec<(&'static str, Vec<JointKind>)> {
    let hinge = JointKind::Hinge {
        limit: None,
        motor: None,
        spring: None,
    };
    let weld = JointKind::Weld {
        linear: None,
        angular: None,
    };
    let slider = JointKind::Slider {
        limit: None,
        motor: None,
        spring: None,
    };
    vec![
        ("ball", vec![JointKind::BALL]),
        ("hinge", vec![hinge]),
        ("weld", vec![weld]),
        ("rope", vec![rope()]),
        ("slider", vec![slider]),
        ("two balls", vec![JointKind::BALL, JointKind::BALL]),
    ]
}

fn hang(world: &mut World, beam: BodyKey, weight: BodyKey, kinds: &[JointKind]) -> Vec<JointKey> {
    let hang = |kind: &JointKind| {
        // At the weight's centre, so that a pull down turns nothing.
        let mut def = JointDef::new(beam, weight, kind.clone());
        if !matches!(kind, JointKind::Distance { .. }) {
            def.frame_a = Pose::from_translation(-Vec3::Y);
        }
        world.add_joint(def).unwrap()
    };
    kinds.iter().map(hang).collect()
}

fn force(most: f32) -> Option<JointThreshold> {
    Some(JointThreshold {
        force: Some(most),
        torque: None,
        breaks: true,
    })
}

/// A blow that a joint takes up within one sub-step, of which the last one of the step knows nothing
/// any more: by hand, `J / h` beside the weight.
#[test]
fn a_joint_tells_the_greatest_load_of_a_step() {
    let blow = 5.0;
    for (name, kinds) in hung() {
        for threads in [1, 2] {
            let (mut world, beam, weight) = weight(threads);
            let joints = hang(&mut world, beam, weight, &kinds);
            for _ in 0..60 {
                world.step();
            }
            for &joint in &joints {
                world.set_joint_threshold(joint, force(100.0)).unwrap();
            }
            world.step();
            assert!(world.events().joint_over_threshold.is_empty(), "{name}");
            let center = world.body(weight).unwrap().position();
            let down = Vec3::new(0.0, -blow, 0.0);
            world.apply_impulse(weight, down, center).unwrap();
            world.step();
            let told = &world.events().joint_over_threshold;
            assert_eq!(told.len(), joints.len(), "{name}");
            let carried: f32 = told.iter().map(|event| event.force).sum();
            let settings = world.settings();
            let by_hand = blow * settings.substeps as f32 / settings.dt + MASS * GRAVITY;
            assert!(
                (carried / by_hand - 1.0).abs() < 0.03,
                "{name}: {carried} N, by hand {by_hand}"
            );
            assert!(told.iter().all(|event| event.broken), "{name}");
            assert!(
                joints.iter().all(|&key| world.joint(key).is_err()),
                "{name}"
            );
        }
    }
}

/// What hangs still breaks no joint that bears two percent more than its weight, and breaks one that
/// bears two percent less. How two that hold the same share it nobody can say.
#[test]
fn a_steady_load_counts_as_it_is() {
    for (name, kinds) in hung().into_iter().filter(|(_, kinds)| kinds.len() == 1) {
        for (share, breaks) in [(1.02, false), (0.98, true)] {
            let (mut world, beam, weight) = weight(1);
            let joint = hang(&mut world, beam, weight, &kinds)[0];
            for _ in 0..120 {
                world.step();
            }
            let most = force(share * MASS * GRAVITY);
            world.set_joint_threshold(joint, most).unwrap();
            for _ in 0..120 {
                world.step();
            }
            let held = world.joint(joint).is_ok();
            assert_eq!(held, !breaks, "{name} that bears {share} of the weight");
        }
    }
}

/// A rope tightens anywhere in a step, and the jerk breaks it right there: never before, and not when
/// the weight has fallen on by the length of a step.
#[test]
fn a_rope_breaks_wherever_in_a_step_it_tightens() {
    for fall in 0..40 {
        let (mut world, beam, weight) = weight(1);
        let height = 0.9 - 0.011 * f64::from(fall);
        let start = drystone::WorldPose::from_position(DVec3::new(0.0, height, 0.0));
        world.teleport(weight, start).unwrap();
        let rope = JointDef {
            threshold: force(MASS * GRAVITY * 1.25),
            ..JointDef::new(beam, weight, rope())
        };
        let rope = world.add_joint(rope).unwrap();
        let mut place = height;
        while world.joint(rope).is_ok() {
            assert!(place > -1.0, "held a fall from {height} m at {place} m");
            world.step();
            place = world.body(weight).unwrap().position().y;
        }
        assert!(place < -0.95, "broke at {place} m, before it was tight");
    }
}

/// Many joints, of which those that bear too much break, and no other: weights from one kilogram to
/// four on balls that bear the weight of two and a half.
#[test]
fn of_many_joints_those_break_that_bear_too_much() {
    for threads in [1, 2] {
        let (mut world, beam, _) = weight(threads);
        let masses: Vec<f32> = (0..300).map(|i| 1.005 + 0.01 * i as f32).collect();
        let joints: Vec<JointKey> = (0..)
            .zip(&masses)
            .map(|(i, &mass)| {
                let x = 2.0 + i as f32;
                let ball = BodyDef {
                    mass: Some(MassOverride::new(mass)),
                    ..BodyDef::dynamic().with_shape(Shape::Sphere { radius: 0.2 })
                };
                let ball = ball.at(DVec3::new(f64::from(x), -1.0, 0.0));
                let ball = world.add_body(ball).unwrap();
                let joint = JointDef {
                    frame_a: Pose::from_translation(Vec3::new(x, -1.0, 0.0)),
                    threshold: force(2.5 * GRAVITY),
                    ..JointDef::new(beam, ball, JointKind::BALL)
                };
                world.add_joint(joint).unwrap()
            })
            .collect();
        for _ in 0..30 {
            world.step();
        }
        for (&joint, mass) in joints.iter().zip(masses) {
            assert_eq!(world.joint(joint).is_ok(), mass < 2.5, "{mass} kg");
        }
    }
}

/// A bar sticks out of a hub that turns by a radian a step, on a hinge along the bar. By hand, the
/// torque that holds it up is weight times half its length, whichever way it points.
#[test]
fn the_torque_is_that_of_where_the_bodies_are() {
    let (gravity, spin) = (1000.0, 60.0);
    let settings = Settings {
        gravity: Vec3::new(0.0, -gravity, 0.0),
        ..Settings::default()
    };
    let mut world = World::new(settings).unwrap();
    let hub = BodyDef {
        angular_velocity: spin * Vec3::Y,
        ..BodyDef::kinematic()
    };
    let hub = world.add_body(hub).unwrap();
    let bar = BodyDef {
        mass: Some(MassOverride::new(MASS)),
        linear_velocity: Vec3::new(0.0, 0.0, -0.5 * spin),
        angular_velocity: spin * Vec3::Y,
        ..BodyDef::dynamic().with_shape(Shape::cube(Vec3::new(0.5, 0.05, 0.05)))
    };
    let bar = world.add_body(bar.at(DVec3::new(0.5, 0.0, 0.0))).unwrap();
    // Its Z axis along the bar.
    let along = Quat::from_xyzw(0.0, 0.5_f32.sqrt(), 0.0, 0.5_f32.sqrt());
    let hinge = JointKind::Hinge {
        limit: None,
        motor: None,
        spring: None,
    };
    let mut joint = JointDef::new(hub, bar, hinge);
    joint.frame_a = Pose::from_rotation(along);
    joint.frame_b = Pose {
        translation: -0.5 * Vec3::X,
        rotation: along,
    };
    joint.threshold = Some(JointThreshold {
        force: None,
        torque: Some(1.0),
        breaks: false,
    });
    world.add_joint(joint).unwrap();
    let by_hand = MASS * gravity * 0.5;
    for step in 0..120 {
        world.step();
        if step >= 60 {
            let told = world.events().joint_over_threshold[0].torque;
            let share = told / by_hand;
            assert!((share - 1.0).abs() < 0.03, "{share} of {by_hand} N m");
        }
    }
}
