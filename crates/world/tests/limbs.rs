//! Limbs that lean on the stops of their hinges, under loads of up to a hundred times their weight: they stand
//! where geometry says, and gain nothing.

mod rig;

use drystone::glam::{DVec3, Vec3};
use drystone::{
    BodyDef, BodyKey, JointDef, JointKey, JointKind, JointLimit, MassOverride, Pose, Settings,
    Shape, World,
};
use rig::{Dice, GRAVITY, TIME_STEPS, cube, height, random_tree, run, world};

/// An arm of links of 20 cm and 1 kg along X, the first hung up at the origin, and a load welded to the
/// last, with Z of the joints along `axis`; the joints, and the load.
fn arm(
    world: &mut World,
    links: u8,
    load: f32,
    axis: Vec3,
    kind: &JointKind,
) -> (Vec<JointKey>, BodyKey) {
    let ground = world.add_body(BodyDef::fixed()).expect("the ground");
    let mut last = (ground, DVec3::ZERO);
    let mut joints = Vec::new();
    for link in 0..=links {
        let is_load = link == links;
        let at = DVec3::X * (0.1 + 0.2 * f64::from(link));
        let (half, mass) = if is_load { (0.1, load) } else { (0.05, 1.0) };
        let body = cube(world, at, half, mass);
        let rotation = drystone_geometry::rotation::between(Vec3::Z, axis);
        let anchor = at - 0.1 * DVec3::X;
        let frame = |at: DVec3| Pose {
            translation: (anchor - at).as_vec3(),
            rotation,
        };
        let weld = JointKind::Weld {
            linear: None,
            angular: None,
        };
        let kind = if is_load { weld } else { kind.clone() };
        let mut def = JointDef::new(last.0, body, kind);
        (def.frame_a, def.frame_b) = (frame(last.1), frame(at));
        let joint = world.add_joint(def).expect("a valid joint");
        if !is_load {
            joints.push(joint);
        }
        last = (body, at);
    }
    (joints, last.0)
}

fn hinge(lower: f32, upper: f32) -> JointKind {
    JointKind::Hinge {
        limit: Some(JointLimit { lower, upper }),
        motor: None,
        spring: None,
    }
}

/// Height of the load of an arm each of whose joints gives way by `angle`.
fn drooped(links: u8, angle: f64) -> f64 {
    let link = |number: u8| libm::sin(angle * f64::from(number));
    let all: f64 = (1..=links).map(link).sum();
    -0.2 * all - 0.1 * link(links)
}

/// Five links whose hinges have stops 0.1 rad below the straight line fall onto these under 1 to 100 kg, and
/// stand there. One joint after the other let them fall by up to three times as far.
#[test]
fn limbs_fall_no_farther_than_their_limits() {
    let kinds = [(Vec3::Z, hinge(-0.1, 0.5)), (Vec3::NEG_Z, hinge(-0.5, 0.1))];
    for dt in TIME_STEPS {
        for load in [1.0, 10.0, 100.0] {
            for (number, (axis, kind)) in kinds.iter().enumerate() {
                let mut world = world(dt);
                let (joints, load_body) = arm(&mut world, 5, load, *axis, kind);
                let case = format!("kind {number}, {load} kg at {dt} s");
                let deepest = drooped(5, 0.1) - 0.1;
                run(&mut world, 4.0, |world| {
                    let y = height(world, load_body);
                    assert!(y > deepest, "{case}: at {y} m");
                    for &joint in &joints {
                        let state = world.joint_state(joint).expect("the joint");
                        let gap = state.translation.length();
                        assert!(gap < 5e-3, "{case}: {gap} m apart");
                    }
                });
                let off = height(&world, load_body) - drooped(5, 0.1);
                assert!(off.abs() < 0.02, "{case}: {off} m off");
            }
        }
    }
}

/// An arm of five links that leans on the stops of its hinges, with 1 to 100 kg at the end: what the
/// stops bear is what statics say, to 1 %, and so is where the load is, to the way that it falls in the
/// first steps.
#[test]
fn stops_of_hinges_bear_what_statics_say() {
    for dt in TIME_STEPS {
        for load in [1.0, 10.0, 100.0] {
            let mut world = world(dt);
            let (joints, load_body) = arm(&mut world, 5, load, Vec3::Z, &hinge(0.0, 0.5));
            run(&mut world, 5.0, |world| {
                let sunk = -height(world, load_body);
                assert!(sunk < 0.03, "{load} kg at {dt} s: {sunk} m");
            });
            for (number, &joint) in joints.iter().enumerate() {
                let reach = |place: usize| 0.1 + 0.2 * (place - number) as f32;
                let links: f32 = (number..5).map(reach).sum();
                let expected = GRAVITY * (links + load * reach(5));
                let torque = world.joint_force(joint).expect("the joint").torque.z;
                let error = (torque / expected - 1.0).abs();
                assert!(
                    error < 0.01,
                    "joint {number}, {load} kg at {dt} s: {torque} N m"
                );
            }
        }
    }
}

/// An arm of two planks of 29 kg, kept from sinking by the stops of its hinges, under a block of lead that lies
/// on the second: as statics have it, nothing moves. The block rocked for ever by up to 0.26 m/s.
#[test]
fn what_lies_on_an_arm_does_not_rock() {
    for load in [240.0, 480.0, 1600.0] {
        let mut world = World::new(Settings {
            sleeping: false,
            ..Settings::default()
        })
        .expect("a world");
        let post = world.add_body(BodyDef::fixed()).expect("the post");
        let block = |x: f64, y: f64, half: Vec3, mass: f32| {
            let def = BodyDef::dynamic()
                .at(DVec3::new(x, y, 0.0))
                .with_shape(Shape::cube(half));
            BodyDef {
                mass: Some(MassOverride::new(mass)),
                ..def
            }
        };
        let mut last = (post, Vec3::ZERO);
        for x in [0.25, 0.75] {
            let plank = block(x, 0.0, Vec3::new(0.24, 0.05, 0.3), 28.8);
            let plank = world.add_body(plank).expect("a plank");
            let def = JointDef::new(last.0, plank, hinge(0.0, 1.0))
                .with_anchors(last.1, Vec3::new(-0.25, 0.0, 0.0));
            world.add_joint(def).expect("a joint");
            last = (plank, Vec3::new(0.25, 0.0, 0.0));
        }
        let lead = block(0.75, 0.26, Vec3::new(0.2, 0.2, 0.25), load);
        let lead = world.add_body(lead).expect("the load");
        (0..300).for_each(|_| world.step());
        let lead = world.body(lead).expect("the load");
        let speed = lead.linear_velocity().length() + lead.angular_velocity().length();
        assert!(speed < 1e-3, "{load} kg: {speed}");
        assert!(
            lead.position().y > 0.24,
            "{load} kg sank to {}",
            lead.position().y
        );
    }
}

/// Locked in one angle, a hinge is a weld: an arm of them carries 100 kg as one of welds does.
#[test]
fn a_hinge_locked_in_one_angle_is_a_weld() {
    for dt in TIME_STEPS {
        let mut world = world(dt);
        let (_, load_body) = arm(&mut world, 5, 100.0, Vec3::Z, &hinge(0.0, 0.0));
        run(&mut world, 2.0, |world| {
            let sunk = height(world, load_body).abs();
            assert!(sunk < 5e-5, "{dt} s: {sunk} m");
        });
    }
}

/// What leaned on a stop rises from it, when gravity turns round, as what never leaned on one.
#[test]
fn what_leaves_a_stop_is_not_thrown() {
    for dt in TIME_STEPS {
        let rise = |seconds: f32| {
            let mut world = world(dt);
            let (_, load) = arm(&mut world, 1, 100.0, Vec3::Z, &hinge(0.0, 1.5));
            run(&mut world, seconds, |_| {});
            let settings = Settings {
                gravity: Vec3::Y * GRAVITY,
                ..world.settings().clone()
            };
            world.set_settings(settings).expect("valid settings");
            let start = height(&world, load);
            run(&mut world, 0.2, |_| {});
            height(&world, load) - start
        };
        let (leaned, fresh) = (rise(1.0), rise(0.0));
        // A sub-step more or less of 0.2 s.
        let bound = 0.5 * f64::from(dt) / 0.2 * fresh;
        assert!(
            (leaned - fresh).abs() < bound,
            "{dt} s: {leaned}, not {fresh} m"
        );
    }
}

/// A random hinge with stops, or a ball.
fn kind(dice: &mut Dice) -> JointKind {
    if dice.next(0.0, 4.0) < 1.0 {
        return JointKind::BALL;
    }
    hinge(-dice.next(0.02, 1.0), dice.next(0.02, 1.0))
}

/// A hundred trees of two to eight bodies, a hundred times as heavy as each other at most, with stops that
/// they run into: nothing drives them, and none comes to more than 1 % of what it moved with above the
/// energy it began with, nor do anchors part by 4 cm as stops are met.
#[test]
fn trees_of_limbs_gain_no_energy() {
    for seed in 0..100 {
        let (mut world, joints) = random_tree(seed, kind);
        let start = world.energy().total();
        let (mut most, mut fastest, mut gap) = (start, 0.0_f64, 0.0_f64);
        run(&mut world, 3.0, |world| {
            most = most.max(world.energy().total());
            fastest = fastest.max(world.energy().kinetic);
            for &joint in &joints {
                let state = world.joint_state(joint).expect("a joint");
                gap = gap.max(state.translation.length());
            }
        });
        let gained = (most - start) / fastest;
        assert!(gained < 0.01, "seed {seed}: {gained} of {fastest} J");
        assert!(gap < 0.04, "seed {seed}: {gap} m apart");
    }
}
