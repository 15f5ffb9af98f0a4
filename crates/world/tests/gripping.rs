//! What motors and servos press together: they do so with the force that statics says, and sink in by
//! what the weight of the parts asks for, not by what they press with.

use drystone::glam::{DVec3, Quat, Vec3};
use drystone::{
    BodyDef, BodyKey, JointDef, JointKey, JointKind, JointMotor, JointSpring, MassOverride, Pose,
    Settings, Shape, World,
};

/// Half the height of a finger and how far below the hinge its middle is, in metres.
const REACH: f32 = 0.06;

/// How far the middle of the part is below the hinges, in metres.
const DROP: f32 = 0.09;

fn with_box(mut def: BodyDef, half: Vec3, mass: f32) -> BodyDef {
    def = def.with_shape(Shape::cube(half));
    def.shapes[0].material.friction = 0.8;
    def.mass = Some(MassOverride::new(mass));
    def
}

fn add(world: &mut World, def: BodyDef) -> BodyKey {
    world.add_body(def).expect("a valid body")
}

struct Gripper {
    world: World,
    part: BodyKey,
    joints: Vec<JointKey>,
}

impl Gripper {
    /// Two fingers of 200 g hang on hinges a metre up and press a part of 500 g between them, which begins
    /// to weigh after a second. `drive` is that of the left one; the right one is driven the other way.
    fn new(dt: f32, drive: impl Fn(f32) -> JointKind) -> Self {
        let settings = Settings {
            dt,
            sleeping: false,
            ..Settings::default()
        };
        let mut world = World::new(settings).expect("valid settings");
        let palm = BodyDef::fixed().at(DVec3::Y);
        let palm = add(&mut world, palm);
        let mut joints = Vec::new();
        for side in [-1.0, 1.0] {
            let hinge = Vec3::new(0.05 * side, 0.0, 0.0);
            let place = DVec3::Y + (hinge - Vec3::Y * REACH).as_dvec3();
            let finger = BodyDef::dynamic().at(place);
            let finger = with_box(finger, Vec3::new(0.008, REACH, 0.02), 0.2);
            let finger = add(&mut world, finger);
            let def = JointDef::new(palm, finger, drive(-side));
            let def = def.with_anchors(hinge, Vec3::Y * REACH);
            joints.push(world.add_joint(def).expect("a valid hinge"));
        }
        let mut part = BodyDef::dynamic().at(DVec3::new(0.0, 1.0 - f64::from(DROP), 0.0));
        part.gravity_scale = 0.0;
        let part = with_box(part, Vec3::splat(0.035), 0.5);
        let part = add(&mut world, part);
        let mut gripper = Self {
            world,
            part,
            joints,
        };
        gripper.run(1.0);
        let weight = gripper.world.set_gravity_scale(gripper.part, 1.0);
        weight.expect("the part");
        gripper
    }

    fn run(&mut self, seconds: f32) {
        let steps = (seconds / self.world.settings().dt).round() as u32;
        for _ in 0..steps {
            self.world.step();
        }
    }

    fn depth(&self) -> f32 {
        let points = self.world.contacts().flat_map(|contact| contact.points);
        -points.fold(0.0, |least: f32, point| least.min(point.separation))
    }

    /// How far the part is from where it began, in metres.
    fn lost(&self) -> f64 {
        let part = self.world.body(self.part).expect("the part");
        (part.position() - DVec3::new(0.0, 1.0 - f64::from(DROP), 0.0)).length()
    }
}

fn motor(max_effort: f32) -> impl Fn(f32) -> JointKind {
    move |way| JointKind::Hinge {
        limit: None,
        motor: Some(JointMotor {
            speed: 0.5 * way,
            max_effort,
        }),
        spring: None,
    }
}

/// Motors of 1.5 to 100 N m, whose fingers press a part of half a kilogram with 17 to 1,100 N, hold it for
/// five seconds. Before, overlap grew with the torque: to 20 mm at 6 N m, and to more than the fingers are
/// thick beyond. At 1/30 s strong ones let the part slip by half its height.
#[test]
fn strong_grippers_sink_in_no_deeper_than_weak_ones() {
    // Contacts are as stiff as a mass over the square of a sub-step.
    let bounds = [
        (1.0 / 60.0, 3e-3, 0.01),
        (1.0 / 30.0, 12e-3, 0.04),
        (1.0 / 240.0, 0.2e-3, 0.01),
    ];
    for (dt, most, slip) in bounds {
        for torque in [1.5, 3.0, 6.0, 12.0, 40.0, 100.0] {
            let mut gripper = Gripper::new(dt, motor(torque));
            for _ in 0..5 {
                gripper.run(1.0);
                let depth = gripper.depth();
                assert!(depth < most, "{torque} N m, step {dt}: {depth} m deep");
            }
            let lost = gripper.lost();
            assert!(lost < slip, "{torque} N m, step {dt}: moved by {lost} m");
        }
    }
}

/// Servos are told to close by half a radian and have 6 N m to do it.
#[test]
fn servos_that_cannot_close_hold_with_what_they_have() {
    let servo = |way: f32| JointKind::Hinge {
        limit: None,
        motor: None,
        spring: Some(JointSpring {
            target: 0.5 * way,
            max_effort: Some(6.0),
            ..JointSpring::new(60.0, 2.0)
        }),
    };
    let mut gripper = Gripper::new(1.0 / 60.0, servo);
    gripper.run(5.0);
    assert!(gripper.depth() < 3e-3, "{} m deep", gripper.depth());
    assert!(gripper.lost() < 0.015, "moved by {} m", gripper.lost());
    for &joint in &gripper.joints {
        let torque = gripper.world.joint_force(joint).expect("a hinge").torque;
        assert!((torque.z.abs() / 6.0 - 1.0).abs() < 1e-3, "{torque}");
    }
}

/// A jaw that slides presses a part against a wall of the body that it slides on with all its motor has,
/// which is what both contacts bear.
#[test]
fn a_vice_presses_with_the_force_of_its_motor() {
    for force in [20.0, 100.0, 300.0] {
        let mut world = World::new(Settings::default()).expect("valid settings");
        let mut vice = BodyDef::kinematic();
        vice = with_box(vice, Vec3::new(0.01, 0.1, 0.1), 1.0);
        vice.shapes[0].pose.translation = Vec3::new(-0.045, 0.0, 0.0);
        let vice = add(&mut world, vice);
        let jaw = BodyDef::dynamic().at(DVec3::new(0.045, 0.0, 0.0));
        let jaw = add(&mut world, with_box(jaw, Vec3::new(0.01, 0.1, 0.1), 0.2));
        let part = add(
            &mut world,
            with_box(BodyDef::dynamic(), Vec3::splat(0.035), 0.5),
        );
        // Z of the frames along X.
        let quarter = Quat::from_xyzw(0.0, 0.5f32.sqrt(), 0.0, 0.5f32.sqrt());
        let mut slider = JointDef::new(
            vice,
            jaw,
            JointKind::Slider {
                limit: None,
                motor: Some(JointMotor {
                    speed: -0.1,
                    max_effort: force,
                }),
                spring: None,
            },
        );
        slider.frame_a = Pose {
            translation: Vec3::new(0.045, 0.0, 0.0),
            rotation: quarter,
        };
        slider.frame_b = Pose {
            translation: Vec3::ZERO,
            rotation: quarter,
        };
        let slider = world.add_joint(slider).expect("a valid slider");
        for _ in 0..180 {
            world.step();
        }
        let dt = world.settings().dt;
        assert_eq!(world.contacts().count(), 2);
        for contact in world.contacts() {
            let load: f32 = contact
                .points
                .iter()
                .map(|point| point.normal_impulse)
                .sum();
            assert!(
                (load / (dt * force) - 1.0).abs() < 0.01,
                "{force} N: {load} N s"
            );
            for point in &contact.points {
                assert!(point.separation > -4e-3, "{force} N: {point:?}");
            }
        }
        let push = world.joint_force(slider).expect("a slider").force;
        assert!((push.x.abs() / force - 1.0).abs() < 0.01, "{push}");
        let part = world.body(part).expect("the part");
        assert!(part.position().length() < 5e-3, "{}", part.position());
    }
}
