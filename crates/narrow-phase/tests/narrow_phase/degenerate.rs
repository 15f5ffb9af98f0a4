//! Poses that generic generators never meet: flush, edge on edge, corner on face,
//! concentric, each disturbed by 1e-16 to 1e-1. The certificate alone is the judge.

use drystone_geometry::glam::{DMat3, DVec3, Vec3};
use drystone_geometry::{DPose, Frame, Shape, rotation};
use drystone_narrow_phase::distance;

use crate::random::Random;

fn cube_hull(half: Vec3) -> Shape {
    let corners: Vec<Vec3> = (0..8)
        .map(|i| {
            let sign = |bit: u32| if i & bit != 0 { 1.0 } else { -1.0 };
            half * Vec3::new(sign(1), sign(2), sign(4))
        })
        .collect();
    Shape::hull(&corners).expect("a cube is solid")
}

fn prism(sides: u32, radius: f32, half_height: f32) -> Shape {
    let points: Vec<Vec3> = (0..sides)
        .flat_map(|i| {
            let angle = f64::from(i) / f64::from(sides) * std::f64::consts::TAU;
            let (x, z) = (
                radius * libm::cos(angle) as f32,
                radius * libm::sin(angle) as f32,
            );
            [Vec3::new(x, half_height, z), Vec3::new(x, -half_height, z)]
        })
        .collect();
    Shape::hull(&points).expect("a prism is solid")
}

fn shapes() -> Vec<Shape> {
    let half = Vec3::new(0.5, 0.25, 1.0);
    vec![
        Shape::Box { half_extents: half },
        Shape::Box {
            half_extents: Vec3::splat(0.5),
        },
        Shape::Capsule {
            half_height: 0.5,
            radius: 0.25,
        },
        Shape::Sphere { radius: 0.5 },
        cube_hull(half),
        cube_hull(Vec3::splat(0.5)),
        prism(16, 0.5, 0.5),
        Shape::hull(&[Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z]).expect("a corner is solid"),
    ]
}

/// Rotations that align edges and faces: eighths of turns about the axes.
fn aligned(random: &mut Random) -> DMat3 {
    let axis = [Vec3::X, Vec3::Y, Vec3::Z][random.below(3)];
    let angle = random.below(8) as f32 * std::f32::consts::FRAC_PI_4;
    let q = rotation::to_double(rotation::from_axis_angle(axis, angle));
    if random.below(2) == 0 {
        // Exact quarter turns, without rounding in the matrix.
        let columns = [DVec3::X, DVec3::Y, DVec3::Z];
        let i = random.below(3);
        return DMat3::from_cols(columns[i], columns[(i + 1) % 3], columns[(i + 2) % 3]);
    }
    DPose {
        rotation: q,
        translation: DVec3::ZERO,
    }
    .to_frame()
    .rotation
}

fn disturbance(random: &mut Random) -> f64 {
    if random.below(4) == 0 {
        0.0
    } else {
        10f64.powi(-(random.below(16) as i32) - 1)
    }
}

/// Offsets that put faces, edges, corners or centres exactly on each other.
fn lattice(random: &mut Random) -> DVec3 {
    let steps = [
        -1.0, -0.75, -0.5, -0.25, 0.0, 0.0, 0.25, 0.5, 0.75, 1.0, 1.5,
    ];
    DVec3::new(
        steps[random.below(steps.len())],
        steps[random.below(steps.len())],
        steps[random.below(steps.len())],
    )
}

/// Shapes on a lattice of offsets and eighths of turns, disturbed or not, judged by the
/// certificate; in overlap, moving B by the depth along the normal must separate.
#[test]
fn degenerate_poses_are_certified_whatever_the_disturbance() {
    let shapes = shapes();
    for seed in 0..60_000 {
        let mut random = Random::new(seed);
        let a = &shapes[random.below(shapes.len())];
        let b = &shapes[random.below(shapes.len())];
        let tilt = disturbance(&mut random) * random.direction();
        let small = DPose {
            rotation: drystone_geometry::glam::DQuat::from_xyzw(
                0.5 * tilt.x,
                0.5 * tilt.y,
                0.5 * tilt.z,
                1.0,
            ),
            translation: DVec3::ZERO,
        };
        let rotation = small.to_frame().rotation * aligned(&mut random);
        let shift = disturbance(&mut random) * random.direction();
        let b_in_a = Frame {
            rotation,
            translation: lattice(&mut random) + shift,
        };
        let answer = distance(a, b, &b_in_a);
        crate::certificate::check(a, b, &b_in_a, &answer, 1e-13, &format!("seed {seed}"));
        // Moving B by the depth along the normal leaves nothing but touching.
        if answer.lower < 0.0 {
            let moved = Frame {
                translation: b_in_a.translation - answer.lower * answer.normal,
                ..b_in_a
            };
            let after = distance(a, b, &moved).upper;
            assert!(after >= -1e-13, "seed {seed}: still {after}");
        }
    }
}

/// Every pair of shapes with the same centre and axes: the normal is not unique, the depth
/// is, and nothing may be NaN.
#[test]
fn concentric_shapes_have_a_depth_and_a_direction() {
    let shapes = shapes();
    for a in &shapes {
        for b in &shapes {
            let answer = distance(a, b, &Frame::IDENTITY);
            assert!(answer.lower < 0.0, "{a:?} {b:?}");
            crate::certificate::check(a, b, &Frame::IDENTITY, &answer, 1e-13, "concentric");
        }
    }
}
