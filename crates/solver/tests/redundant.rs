//! Joints that hold what others hold as well, and joints that contradict each other: what they carry is
//! the load, shared in some way.

mod scene;

use drystone_geometry::Pose;
use drystone_geometry::glam::{Quat, Vec3};
use drystone_geometry::rotation;
use drystone_solver::{Joint, JointKind};
use scene::{GROUND, HINGE, Scene, WELD, assert_near, box_body};

/// The most some joint carried in a sub-step, in N, and the widest gap, in metres.
struct Worst {
    force: f64,
    gap: f64,
}

/// Joins two bodies at a place of the world by joints whose anchors and frames disagree by `off`, a
/// fraction of `size`, and as many radians.
fn join(scene: &mut Scene, kind: &JointKind, bodies: [u32; 2], place: Vec3, size: f32, off: f32) {
    let frame = |body: u32, place: Vec3, turn: Quat| {
        if body == GROUND {
            return Pose {
                translation: place,
                rotation: turn,
            };
        }
        let body = scene.body(body);
        let back = rotation::conjugate(body.rotation);
        Pose {
            translation: rotation::rotate_inverse(body.rotation, place - body.center.as_vec3()),
            rotation: rotation::normalize(rotation::multiply(back, turn)),
        }
    };
    let apart = off * size * Vec3::new(0.36, 0.48, 0.8);
    let tilt = rotation::from_scaled_axis(off * Vec3::new(0.6, 0.8, 0.0));
    let a = frame(bodies[0], place, Quat::IDENTITY);
    let b = frame(bodies[1], place + apart, tilt);
    scene.join(Joint::new(kind.clone(), bodies[0], bodies[1], a, b));
}

fn watch(scene: &mut Scene, seconds: f32) -> Worst {
    let ids: Vec<u32> = (0..scene.joints.len() as u32).collect();
    let mut worst = Worst {
        force: 0.0,
        gap: 0.0,
    };
    for _ in 0..(seconds / scene.settings.dt) as u32 {
        scene.solver.watch(&ids);
        scene.step();
        for load in scene.solver.greatest_loads() {
            worst.force = worst.force.max(f64::from(load.force));
        }
        for joint in &scene.joints {
            let [a, b] =
                [joint.body_a, joint.body_b].map(|body| scene.table().pose(&scene.bodies, body));
            let state = joint.state([&a, &b], [Vec3::ZERO; 2], [Vec3::ZERO; 2]);
            worst.gap = worst.gap.max(state.translation.length());
        }
    }
    worst
}

/// A board of half extents (0.5, 0.1, 0.3) times `size`, its centre 0.5 `size` out.
fn board(out: f32, size: f32, mass: f32) -> drystone_solver::Body {
    let half = size * Vec3::new(0.5, 0.1, 0.3);
    let mut board = box_body(out * size * Vec3::X, half, mass);
    board.rotation = rotation::from_scaled_axis(Vec3::new(0.3, 0.7, -0.2));
    board
}

/// Sizes in metres and masses in kg, lengths of a step in seconds with sub-steps, and how far joints
/// disagree: exactly not, by rounding, and by a share that no motion makes good.
fn sweep(mut check: impl FnMut(f32, f32, f32, u32, f32)) {
    for (size, mass) in [(0.01, 0.01), (1.0, 1.0), (1.0, 1000.0), (100.0, 1.0)] {
        for (dt, substeps) in [(1.0 / 60.0, 4), (1.0 / 240.0, 1), (1.0 / 120.0, 16)] {
            for off in [0.0, 1e-7, 1e-5, 1e-4, 1e-2] {
                check(size, mass, dt, substeps, off);
            }
        }
    }
}

/// What it takes to remove a gap as fast as joints do, a fifth in each sub-step, in N. Joints that close
/// one, or try to, may pull as hard as a few of these.
fn closing(size: f32, mass: f32, dt: f32, substeps: u32, off: f32) -> f64 {
    let h = f64::from(dt) / f64::from(substeps);
    0.2 * f64::from(mass * size * off) / (h * h)
}

/// A board held twice by the wall, so that nothing moves. By hand: both joints carry the weight, with a
/// torque of the weight times half a `size` that a pair 0.6 `size` apart takes up by less than twice
/// the weight each; the rest is what hinges say of the same in torques. A ball and a hinge, which do not
/// hold alike, may also pull against each other, but by no more than so much of what closes the gap.
#[test]
fn two_joints_that_disagree_carry_the_load_and_a_bounded_pull() {
    for (kinds, most, pulls) in [
        ([WELD, WELD], 1.0, 1.0),
        ([HINGE, HINGE], 5.0, 1.0),
        ([JointKind::BALL, HINGE], 5.0, 100.0),
    ] {
        sweep(|size, mass, dt, substeps, off| {
            let mut scene = Scene::new();
            (scene.settings.dt, scene.settings.substeps) = (dt, substeps);
            let board = scene.add(board(0.5, size, mass));
            // Hinges about what the weight turns: their own direction bears nothing.
            let apart = 0.3 * size * Vec3::new(0.13, 1.0, 0.21);
            join(&mut scene, &kinds[0], [GROUND, board], apart, size, 0.0);
            join(&mut scene, &kinds[1], [GROUND, board], -apart, size, off);
            let first = watch(&mut scene, 0.5);
            let worst = watch(&mut scene, 0.5);
            let weight = f64::from(mass) * 9.81;
            let what = format!("{kinds:?} {size} m {mass} kg {dt} s {substeps} {off}");
            // Rounding is a gap as well.
            let closing = closing(size, mass, dt, substeps, off + f32::EPSILON);
            let bound = most * weight + pulls * closing;
            assert!(first.force < bound, "{what}: at first {} N", first.force);
            let is_of_load = worst.force < bound && worst.force > 0.3 * weight;
            assert!(is_of_load, "{what}: {} N", worst.force);
            // None opens by more than a few times what they disagree, and a millimetre a metre.
            let widest = f64::from(size * (4.0 * off + 1e-3));
            assert!(worst.gap < widest, "{what}: gap {}", worst.gap);
        });
    }
}

/// A board on two balls swings like one on a hinge, from 0.5 `size` out to where it came from: by
/// hand it never pulls harder than a few times its weight, and it is not held back.
#[test]
fn a_board_on_two_balls_swings_freely() {
    sweep(|size, mass, dt, substeps, off| {
        let mut scene = Scene::new();
        (scene.settings.dt, scene.settings.substeps) = (dt, substeps);
        scene.settings.gravity *= size;
        let mut board = board(0.5, size, mass);
        board.rotation = Quat::IDENTITY;
        let board = scene.add(board);
        let apart = 0.3 * size * Vec3::Z;
        join(
            &mut scene,
            &JointKind::BALL,
            [GROUND, board],
            apart,
            size,
            0.0,
        );
        join(
            &mut scene,
            &JointKind::BALL,
            [GROUND, board],
            -apart,
            size,
            off,
        );
        let worst = watch(&mut scene, 0.4);
        let weight = f64::from(mass * size) * 9.81;
        let what = format!(
            "{size} m {mass} kg {dt} s {substeps} {off}: {} N",
            worst.force
        );
        assert!(worst.force < 3.0 * weight, "{what}");
        let fallen = -scene.body(board).center.y / f64::from(size);
        assert!(fallen > 0.4, "{what}, fallen by {fallen}");
    });
}

/// A double pendulum whose lower limb hangs on two welds, or two hinges, does what it does with one weld.
/// The joints between the limbs have no more to carry than that weld, and the limbs go the same way.
#[test]
fn what_swings_on_two_welds_swings_as_on_one() {
    let swing = |kind: &JointKind, count: usize, off: f32| {
        let mut scene = Scene::new();
        let half = Vec3::new(0.5, 0.1, 0.3);
        let upper = scene.add(box_body(0.5 * Vec3::X, half, 1.0));
        let lower = scene.add(board(1.5, 1.0, 1.0));
        join(
            &mut scene,
            &JointKind::BALL,
            [GROUND, upper],
            Vec3::ZERO,
            1.0,
            0.0,
        );
        let places = [0.3, -0.3].map(|side| Vec3::X + side * Vec3::new(0.13, 0.21, 1.0));
        for (place, off) in places.into_iter().zip([0.0, off]).take(count) {
            join(&mut scene, kind, [upper, lower], place, 1.0, off);
        }
        let worst = watch(&mut scene, 3.0);
        (worst.force, scene.body(lower).center)
    };
    let (force, place) = swing(&WELD, 1, 0.0);
    for (kind, off) in [
        (WELD, 0.0),
        (WELD, 1e-5),
        (WELD, 1e-4),
        (HINGE, 0.0),
        (HINGE, 1e-6),
    ] {
        let (found, there) = swing(&kind, 2, off);
        assert!(
            found < 1.2 * force,
            "{kind:?} {off}: {found} N, not {force}"
        );
        assert_near((there - place).length(), 0.0, 0.05);
    }
}

/// Three boards in a row, welded to each other and to a wall at either end, which are too far apart.
/// By hand: with what is not stretched each wall carries half of the weight, and welds that give way
/// alike carry no more than all of it, wherever the gap comes to be.
#[test]
fn a_beam_between_two_walls_carries_its_weight_alone() {
    sweep(|size, mass, dt, substeps, off| {
        let mut scene = Scene::new();
        (scene.settings.dt, scene.settings.substeps) = (dt, substeps);
        let mut from = GROUND;
        for index in 0..3 {
            let next = scene.add(board(index as f32 + 0.5, size, mass));
            join(
                &mut scene,
                &WELD,
                [from, next],
                index as f32 * size * Vec3::X,
                size,
                0.0,
            );
            from = next;
        }
        join(
            &mut scene,
            &WELD,
            [from, GROUND],
            3.0 * size * Vec3::X,
            size,
            off,
        );
        let first = watch(&mut scene, 0.5);
        let worst = watch(&mut scene, 0.5);
        let weight = 3.0 * f64::from(mass) * 9.81;
        let closing = closing(size, mass, dt, substeps, off);
        let what = format!("{size} m {mass} kg {dt} s {substeps} {off}");
        let bound = weight + 6.0 * closing;
        assert!(first.force < bound, "{what}: at first {} N", first.force);
        let is_of_load = worst.force < bound && worst.force > 0.3 * weight;
        assert!(is_of_load, "{what}: {} N", worst.force);
        let fastest = scene
            .bodies
            .iter()
            .map(|body| body.linear_velocity.length());
        let fastest = fastest.fold(0.0, f32::max);
        assert!(fastest < 0.01 * size.sqrt(), "{what}, {fastest} m/s");
    });
}

/// A chain of five links that is taut between two hooks, and one that is too short by a link's hundredth
/// or less. What is level pulls without bound as it weighs down on itself, but no harder for being too
/// short, and it is not shaken.
#[test]
fn a_chain_that_is_too_short_pulls_no_harder_than_a_taut_one() {
    let hang = |off: f32| {
        let mut scene = Scene::new();
        let mut from = GROUND;
        for index in 0..5 {
            let half = Vec3::new(0.5, 0.1, 0.3);
            let next = scene.add(box_body((index as f32 + 0.5) * Vec3::X, half, 1.0));
            join(
                &mut scene,
                &JointKind::BALL,
                [from, next],
                index as f32 * Vec3::X,
                1.0,
                0.0,
            );
            from = next;
        }
        join(
            &mut scene,
            &JointKind::BALL,
            [from, GROUND],
            5.0 * Vec3::X,
            1.0,
            0.0,
        );
        scene.joints[5].frame_b.translation.x += off;
        watch(&mut scene, 1.0).force
    };
    let taut = hang(0.0);
    for off in [1e-7, 1e-5, 1e-4, 1e-3, 1e-2] {
        let found = hang(off);
        assert!(found < 1.5 * taut, "{off}: {found} N, taut {taut} N");
    }
}

/// A parallelogram of three bars and the ground, hinges all round, one of which is off in every
/// direction. By hand: upright it is in balance, and its feet carry half of the weight each.
#[test]
fn a_linkage_whose_hinges_disagree_stands_on_its_feet() {
    for off in [0.0, 1e-7, 1e-5, 1e-4] {
        let mut scene = Scene::new();
        let upright = Vec3::new(0.1, 0.5, 0.3);
        let left = scene.add(box_body(0.5 * Vec3::Y, upright, 1.0));
        let top = scene.add(box_body(
            Vec3::new(1.0, 1.0, 0.0),
            Vec3::new(1.0, 0.1, 0.1),
            1.0,
        ));
        let right = scene.add(box_body(Vec3::new(2.0, 0.5, 0.0), upright, 1.0));
        join(&mut scene, &HINGE, [GROUND, left], Vec3::ZERO, 1.0, 0.0);
        join(&mut scene, &HINGE, [left, top], Vec3::Y, 1.0, 0.0);
        join(
            &mut scene,
            &HINGE,
            [top, right],
            Vec3::new(2.0, 1.0, 0.0),
            1.0,
            0.0,
        );
        join(&mut scene, &HINGE, [right, GROUND], 2.0 * Vec3::X, 1.0, off);
        let worst = watch(&mut scene, 0.5);
        assert_near(worst.force, 1.5 * 9.81, 0.3);
    }
}
