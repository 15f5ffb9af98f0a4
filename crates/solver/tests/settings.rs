//! Joints whose settings change while they act.

mod scene;

use drystone_geometry::Pose;
use drystone_geometry::glam::Vec3;
use drystone_solver::joint::{
    JointAxis, JointLimit, JointMotor, JointSpring, SixDofSettings, WheelSettings,
};
use drystone_solver::{Joint, JointKind};
use scene::{GROUND, Scene, assert_near, box_body};

/// The joints that have an axis along Z or Y, or an axle along Z, all with that one axis.
fn kinds(axis: JointAxis) -> [JointKind; 6] {
    let JointAxis {
        limit,
        motor,
        spring,
    } = axis;
    let wheel = |wheel| JointKind::Wheel(Box::new(wheel));
    let six = |linear, angular| JointKind::SixDof(Box::new(SixDofSettings { linear, angular }));
    let (free, locked) = (JointAxis::FREE, JointAxis::LOCKED);
    [
        JointKind::Slider {
            limit,
            motor,
            spring,
        },
        JointKind::Hinge {
            limit,
            motor,
            spring,
        },
        wheel(WheelSettings {
            suspension: axis,
            ..WheelSettings::default()
        }),
        wheel(WheelSettings {
            steering: Some(axis),
            ..WheelSettings::default()
        }),
        six([free, axis, free], [locked; 3]),
        six([locked; 3], [axis, locked, locked]),
    ]
}

/// Blocks are driven against a stop, or pulled by a spring that is held up, or pushed off a place
/// they are locked in; then the joint lets go of all that, and the blocks are left at rest. They
/// stay so: nothing acts on them.
#[test]
fn what_a_joint_no_longer_has_does_not_push() {
    let limit = |lower, upper| Some(JointLimit { lower, upper });
    let motor = Some(JointMotor {
        speed: 1.0,
        max_effort: 5.0,
    });
    let spring = Some(JointSpring {
        target: 1.0,
        ..JointSpring::new(2.0, 1.0)
    });
    let free = JointAxis::FREE;
    for (limit, motor, spring, then) in [
        (limit(-0.1, 0.0), motor, None, free),
        (limit(-0.1, 0.0), None, spring, free),
        (limit(-0.1, 0.0), motor, spring, free),
        (limit(0.0, 0.0), motor, None, free),
        (
            limit(-0.1, 0.0),
            motor,
            None,
            JointAxis {
                limit: limit(0.0, 0.0),
                ..free
            },
        ),
    ] {
        let axis = JointAxis {
            limit,
            motor,
            spring,
        };
        for (before, after) in kinds(axis).into_iter().zip(kinds(then)) {
            let mut scene = Scene::new();
            scene.settings.gravity = Vec3::ZERO;
            let body = scene.add(box_body(Vec3::ZERO, Vec3::splat(0.5), 3.0));
            let joint = Joint::new(before, GROUND, body, Pose::IDENTITY, Pose::IDENTITY);
            scene.join(joint);
            scene.run(60);
            scene.joints[0].kind = after.clone();
            scene.body_mut(body).linear_velocity = Vec3::ZERO;
            scene.body_mut(body).angular_velocity = Vec3::ZERO;
            scene.run(60);
            let body = scene.body(body);
            let speed = body.linear_velocity.length() + body.angular_velocity.length();
            assert!(speed < 1e-3, "{after:?}: {speed}");
            assert_near(body.center.length(), 0.0, 5e-3);
        }
    }
}
