//! Joints between bodies whose locked axes hold some of what the joint holds: it leaves that to them.

mod scene;

use drystone_geometry::Pose;
use drystone_geometry::glam::{Quat, Vec3};
use drystone_geometry::rotation;
use drystone_solver::joint::{JointAxis, SixDofSettings};
use drystone_solver::{AxisLocks, Joint, JointKind};
use scene::{GROUND, HINGE, Random, Scene, WELD, assert_near, box_body};

/// Frame of a joint at `anchor`, turned by `turn` in the world, on a body.
fn frame(center: Vec3, rotation: Quat, anchor: Vec3, turn: Quat) -> Pose {
    let back = rotation::conjugate(rotation);
    Pose {
        rotation: rotation::normalize(rotation::multiply(back, turn)),
        translation: rotation::rotate_inverse(rotation, anchor - center),
    }
}

/// Blocks swing on the ground, or two in a row, by joints whose frames come from poses of whatever
/// turn, so that they agree with the locks of the axes up to rounding. No pendulum of 1 kg that falls
/// by 6 m makes forces of a thousand times its weight; what rounding makes where it counts as give is
/// millions.
#[test]
fn joints_leave_to_locked_axes_what_these_hold() {
    let planar = AxisLocks::new([false, false, true], [true, true, false]);
    let upright = AxisLocks::new([false; 3], [true, false, true]);
    let along_z = AxisLocks::new([false, false, true], [false; 3]);
    let no_turn = AxisLocks::new([false; 3], [true; 3]);
    let locked = JointAxis::LOCKED;
    let six = JointKind::SixDof(Box::new(SixDofSettings {
        linear: [locked; 3],
        angular: [locked, locked, JointAxis::FREE],
    }));
    for (locks, axis) in [
        (planar, Vec3::Z),
        (upright, Vec3::Y),
        (along_z, Vec3::Z),
        (no_turn, Vec3::X),
    ] {
        for kind in [HINGE, WELD, JointKind::BALL, six.clone()] {
            for count in [1, 2] {
                for seed in 0..20 {
                    let (force, torque) = worst(locks, axis, &kind, count, seed);
                    let what =
                        format!("{kind:?} {locks:?} {count} {seed}: {force} N, {torque} N m");
                    assert!(force < 1e4 && torque < 1e4, "{what}");
                }
            }
        }
    }
}

/// The greatest force and torque of the first joint in a second.
fn worst(locks: AxisLocks, axis: Vec3, kind: &JointKind, count: u32, seed: u64) -> (f32, f32) {
    let mut random = Random(seed + 1);
    let mut scene = Scene::new();
    let mut turn = || rotation::normalize(rotation::from_scaled_axis(random.vector(2.0)));
    let (turns, across) = ([turn(), turn()], turn());
    // A joint's Z lies where its axis is free, whatever else its frame does.
    let upright = rotation::between(Vec3::Z, axis);
    let about = rotation::from_scaled_axis(across.x * Vec3::Z);
    let place = rotation::multiply(upright, about);
    let mut from = (GROUND, Vec3::ZERO, Quat::IDENTITY);
    for turned in turns.into_iter().take(count as usize) {
        let center = from.1 + random.vector(1.5);
        let anchor = from.1 + random.vector(1.5);
        let mut body = box_body(center, Vec3::new(0.3, 0.4, 0.5), 1.0);
        (body.rotation, body.locks) = (turned, locks);
        let index = scene.add(body);
        let on = |from: (u32, Vec3, Quat)| frame(from.1, from.2, anchor, place);
        let next = (index, center, turned);
        scene.join(Joint::new(kind.clone(), from.0, index, on(from), on(next)));
        from = next;
    }
    let (mut force, mut torque) = (0.0_f32, 0.0_f32);
    for _ in 0..60 {
        scene.step();
        let joint = &scene.joints[0];
        let [a, b] =
            [joint.body_a, joint.body_b].map(|body| scene.table().pose(&scene.bodies, body));
        let does = joint.force(&a, &b, 1.0 / 240.0);
        (force, torque) = (
            force.max(does.force.length()),
            torque.max(does.torque.length()),
        );
    }
    (force, torque)
}

/// A block of 2 kg held by a weld and a locked axis hangs still: the force is its weight, the torque
/// its weight times the arm, by hand.
#[test]
fn a_weld_beside_a_lock_carries_the_weight() {
    let mut scene = Scene::new();
    let mut body = box_body(Vec3::X, Vec3::splat(0.3), 2.0);
    body.locks = AxisLocks::new([false, false, true], [true, true, false]);
    let body = scene.add(body);
    scene.join(Joint::new(
        WELD,
        GROUND,
        body,
        Pose::IDENTITY,
        Pose::from_translation(-Vec3::X),
    ));
    scene.run(120);
    let joint = &scene.joints[0];
    let [a, b] = [joint.body_a, joint.body_b].map(|body| scene.table().pose(&scene.bodies, body));
    let does = joint.force(&a, &b, 1.0 / 240.0);
    assert_near(f64::from(does.force.y), 19.62, 0.05);
    assert_near(f64::from(does.torque.z), 19.62, 0.1);
}
