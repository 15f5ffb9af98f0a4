//! What sleeps on a joint to something that nothing pushes, when that moves.

use drystone::glam::{DVec3, Vec3};
use drystone::{
    BodyDef, BodyKey, BodyKind, JointDef, JointKey, JointKind, JointSpring, Settings, Shape, World,
    WorldPose,
};

/// A lamp asleep a metre under a carrier.
fn lamp(kind: JointKind, carrier: BodyKind) -> (World, [BodyKey; 2], JointKey) {
    let mut world = World::new(Settings::default()).unwrap();
    let def = match carrier {
        BodyKind::Static => BodyDef::fixed(),
        _ => BodyDef::kinematic(),
    };
    let carrier = (world.add_body(def.with_shape(Shape::sphere(0.1)))).unwrap();
    let def = BodyDef {
        angular_damping: 2.0,
        ..BodyDef::dynamic().at(DVec3::NEG_Y)
    };
    let lamp = (world.add_body(def.with_shape(Shape::sphere(0.1)))).unwrap();
    let anchors = match kind {
        JointKind::Distance { .. } => [Vec3::ZERO; 2],
        _ => [Vec3::ZERO, Vec3::Y],
    };
    let def = JointDef::new(carrier, lamp, kind).with_anchors(anchors[0], anchors[1]);
    let joint = world.add_joint(def).unwrap();
    for _ in 0..600 {
        world.step();
    }
    assert!(!world.body(lamp).unwrap().is_awake());
    (world, [carrier, lamp], joint)
}

fn kinds() -> [JointKind; 4] {
    let spring = Some(JointSpring::new(5.0, 1.0));
    [
        JointKind::BALL,
        JointKind::Weld {
            linear: None,
            angular: None,
        },
        JointKind::Hinge {
            limit: None,
            motor: None,
            spring,
        },
        JointKind::Distance {
            min: 0.0,
            max: 1.0,
            rest: None,
            spring: None,
        },
    ]
}

/// By how much a joint is open, in metres.
fn gap(world: &World, joint: JointKey) -> f64 {
    let gap = world.joint_gap(joint).unwrap();
    match world.joint(joint).unwrap().kind {
        JointKind::Distance { max, .. } => (gap - f64::from(max)).max(0.0),
        _ => gap,
    }
}

#[test]
fn a_lamp_wakes_when_its_carrier_moves() {
    for kind in kinds() {
        // Slower than what falls asleep, too.
        for speed in [1.0, 0.02] {
            let (mut world, [carrier, lamp], joint) = lamp(kind.clone(), BodyKind::Kinematic);
            let velocity = speed * Vec3::X;
            world.set_velocity(carrier, velocity, Vec3::ZERO).unwrap();
            for _ in 0..600 {
                world.step();
            }
            let gap = gap(&world, joint);
            assert!(world.body(lamp).unwrap().is_awake(), "{kind:?}");
            assert!(gap < 0.01, "{kind:?} at {speed} m/s: {gap} m");
        }
        let (mut world, [carrier, lamp], joint) = lamp(kind.clone(), BodyKind::Kinematic);
        for step in 1..=60 {
            let pose = WorldPose::from_position(DVec3::X * f64::from(step) / 60.0);
            world.set_kinematic_target(carrier, pose).unwrap();
            world.step();
        }
        assert!(world.body(lamp).unwrap().is_awake(), "{kind:?}");
        assert!(gap(&world, joint) < 0.01, "{kind:?}");
    }
}

#[test]
fn a_lamp_wakes_when_its_carrier_is_put_elsewhere() {
    for kind in kinds() {
        for carrier in [BodyKind::Kinematic, BodyKind::Static] {
            let (mut world, [carrier, lamp], joint) = lamp(kind.clone(), carrier);
            let there = WorldPose::from_position(0.3 * DVec3::X);
            world.teleport(carrier, there).unwrap();
            assert!(world.body(lamp).unwrap().is_awake(), "{kind:?}");
            for _ in 0..120 {
                world.step();
            }
            assert!(gap(&world, joint) < 0.01, "{kind:?}");
        }
    }
}

/// A target that stays where the carrier is wakes nothing, however often it is told.
#[test]
fn a_carrier_told_to_stay_wakes_nothing() {
    let (mut world, [carrier, lamp], _) = lamp(JointKind::BALL, BodyKind::Kinematic);
    for _ in 0..10 {
        let here = world.body(carrier).unwrap().pose();
        world.set_kinematic_target(carrier, here).unwrap();
        world.step();
    }
    assert!(!world.body(lamp).unwrap().is_awake());
}
