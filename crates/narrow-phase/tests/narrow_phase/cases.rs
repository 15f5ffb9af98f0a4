//! The collected hard cases, each asked in many equivalent ways.

use drystone_geometry::glam::{DMat3, DQuat, DVec3, Vec3};
use drystone_geometry::{DPose, Frame, Manifold, Separation, Shape};
use drystone_narrow_phase::{CollideSettings, Counters, Tracker, collide, distance};
use serde::Deserialize;

use crate::random::Random;

#[derive(Debug, Deserialize)]
enum Plain {
    Sphere(f64),
    Capsule(f64, f64),
    Box((f64, f64, f64)),
    Hull(Vec<(f64, f64, f64)>),
}

type PlainPose = ((f64, f64, f64), (f64, f64, f64, f64));

#[derive(Debug, Deserialize)]
struct Case {
    id: String,
    a: Plain,
    pose_a: PlainPose,
    b: Plain,
    pose_b: PlainPose,
    distance: f64,
    tolerance: f64,
    normal: Option<(f64, f64, f64)>,
    normal_deg: Option<f64>,
}

#[derive(Debug, Deserialize)]
struct Sequence {
    id: String,
    a: Plain,
    pose_a: PlainPose,
    b: Plain,
    path_b: Vec<PlainPose>,
    distances: Vec<f64>,
    tolerance: f64,
}

impl Plain {
    /// The shape `scale` times as large, with axes permuted, and by how much storing it in
    /// `f32` moved its surface at most.
    ///
    /// Nothing when the scaled hull is thinner than the engine takes.
    fn build(&self, scale: f64, turn: &DMat3) -> Option<(Shape, f64)> {
        let mut moved = 0.0f64;
        let mut store = |x: f64| {
            let stored = (scale * x) as f32;
            moved = moved.max((f64::from(stored) - scale * x).abs());
            stored
        };
        let shape = match self {
            Self::Sphere(radius) => Shape::Sphere {
                radius: store(*radius),
            },
            Self::Capsule(half_height, radius) => Shape::Capsule {
                half_height: store(*half_height),
                radius: store(*radius),
            },
            Self::Box(half) => {
                let half = (*turn * DVec3::from(*half)).abs();
                Shape::Box {
                    half_extents: Vec3::new(store(half.x), store(half.y), store(half.z)),
                }
            }
            Self::Hull(points) => {
                let points: Vec<Vec3> = points
                    .iter()
                    .map(|&point| {
                        let p = *turn * DVec3::from(point);
                        Vec3::new(store(p.x), store(p.y), store(p.z))
                    })
                    .collect();
                Shape::hull(&points).ok()?
            }
        };
        Some((shape, 2.0 * moved))
    }

    /// Capsules stay on their axis; the others may be stored in turned axes.
    fn turned(&self, turn: &DMat3) -> DMat3 {
        match self {
            Self::Box(_) | Self::Hull(_) => *turn,
            Self::Sphere(_) | Self::Capsule(..) => DMat3::IDENTITY,
        }
    }
}

fn pose(plain: &PlainPose) -> Frame {
    let (t, (x, y, z, w)) = *plain;
    DPose {
        translation: DVec3::from(t),
        rotation: DQuat::from_xyzw(x, y, z, w),
    }
    .to_frame()
}

fn scaled(frame: &Frame, scale: f64) -> Frame {
    Frame {
        translation: scale * frame.translation,
        ..*frame
    }
}

/// The 24 rotations that permute the axes.
fn axis_permutations() -> Vec<DMat3> {
    let axes = [DVec3::X, DVec3::Y, DVec3::Z];
    let mut turns = Vec::new();
    for i in 0..3 {
        for j in (0..3).filter(|&j| j != i) {
            for (s, t) in [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)] {
                let (x, y) = (s * axes[i], t * axes[j]);
                turns.push(DMat3::from_cols(x, y, x.cross(y)));
            }
        }
    }
    turns
}

fn read<T: serde::de::DeserializeOwned>(text: &str) -> Vec<T> {
    ron::from_str(text).expect("the case files are well formed")
}

/// Asks one case under a common motion, a scale and turned storage, in both orders.
fn ask(case: &Case, motion: &Frame, scale: f64, turn: &DMat3, what: &str) {
    let what = format!("{} {what}", case.id);
    let (turn_a, turn_b) = (case.a.turned(turn), case.b.turned(turn));
    let (Some((a, moved_a)), Some((b, moved_b))) =
        (case.a.build(scale, &turn_a), case.b.build(scale, &turn_b))
    else {
        assert!(scale < 1.0, "{what}: refused");
        return;
    };
    let stored = |turn: &DMat3| Frame {
        rotation: turn.transpose(),
        translation: DVec3::ZERO,
    };
    let place = |pose: &PlainPose, turn: &DMat3| {
        motion
            .then(&scaled(&self::pose(pose), scale))
            .then(&stored(turn))
    };
    let (pose_a, pose_b) = (place(&case.pose_a, &turn_a), place(&case.pose_b, &turn_b));
    let b_in_a = Frame::relative(&pose_a, &pose_b);
    let answer = distance(&a, &b, &b_in_a);
    let swapped = distance(&b, &a, &Frame::relative(&pose_b, &pose_a));
    let common = 4.0 * f64::EPSILON * motion.translation.length();
    let tolerance = scale * case.tolerance + moved_a + moved_b + common;
    let expected = scale * case.distance;
    for (order, answer) in [("a, b", &answer), ("b, a", &swapped)] {
        assert!(
            (answer.distance() - expected).abs() <= tolerance,
            "{what} ({order}): {} instead of {expected}, allowed {tolerance}",
            answer.distance()
        );
    }
    let exact = |answer: &Separation| answer.upper - answer.lower;
    let size = scale * (1.0 + expected.abs() / scale);
    assert!(
        exact(&answer) <= 1e-9 * size && exact(&swapped) <= 1e-9 * size,
        "{what}"
    );
    let rounding = 1e-13 + common;
    crate::certificate::check(&a, &b, &b_in_a, &answer, rounding, &what);
    if let (Some(normal), Some(degrees)) = (case.normal, case.normal_deg) {
        let expected = motion.rotate(DVec3::from(normal));
        let angle =
            |n: DVec3| libm::atan2(n.cross(expected).length(), n.dot(expected)).to_degrees();
        let found = [pose_a.rotate(answer.normal), -pose_b.rotate(swapped.normal)];
        for normal in found {
            assert!(
                angle(normal) <= degrees,
                "{what}: normal {normal}, expected {expected}"
            );
        }
    }
}

/// Each case cold, exchanged, moved by 1 km, turned, scaled, and stored in permuted axes.
/// The answers were found by two independent exact methods each.
#[test]
fn every_collected_case_has_its_known_answer_in_every_guise() {
    let cases: Vec<Case> = read(include_str!("../cases/pairs.ron"));
    assert!(cases.len() > 80);
    let far = Frame {
        translation: DVec3::new(1000.0, 0.0, 0.0),
        ..Frame::IDENTITY
    };
    let mut random = Random::new(1);
    for case in &cases {
        ask(case, &Frame::IDENTITY, 1.0, &DMat3::IDENTITY, "as it is");
        ask(case, &far, 1.0, &DMat3::IDENTITY, "1 km away");
        let turned = Frame {
            rotation: random.matrix(),
            translation: DVec3::ZERO,
        };
        ask(case, &turned, 1.0, &DMat3::IDENTITY, "turned");
        for scale in [1e-3, 1e3] {
            ask(
                case,
                &Frame::IDENTITY,
                scale,
                &DMat3::IDENTITY,
                &format!("scaled by {scale}"),
            );
        }
    }
}

/// The same stored in each of the 24 permutations of the axes.
#[test]
fn permuted_axes_change_no_answer() {
    let cases: Vec<Case> = read(include_str!("../cases/pairs.ron"));
    for (index, turn) in axis_permutations().iter().enumerate() {
        for case in &cases {
            ask(
                case,
                &Frame::IDENTITY,
                1.0,
                turn,
                &format!("permutation {index}"),
            );
        }
    }
}

/// Every pose of the paths: the cold query gives the known distance, and the tracked
/// contact's least separation is never below it and equal to it for one-point contacts.
#[test]
fn paths_past_a_shape_give_the_known_distances_and_no_lost_contact() {
    let sequences: Vec<Sequence> = read(include_str!("../cases/sequences.ron"));
    assert!(sequences.len() >= 8);
    for sequence in &sequences {
        let build = |plain: &Plain| plain.build(1.0, &DMat3::IDENTITY).expect("solid");
        let ((a, moved_a), (b, moved_b)) = (build(&sequence.a), build(&sequence.b));
        let tolerance = sequence.tolerance + moved_a + moved_b;
        let pose_a = pose(&sequence.pose_a);
        let settings = CollideSettings {
            margin: 0.02,
            recycle: true,
        };
        let (mut tracker, mut manifold) = (Tracker::default(), Manifold::EMPTY);
        let mut counters = Counters::default();
        for (step, (path, &expected)) in sequence.path_b.iter().zip(&sequence.distances).enumerate()
        {
            let what = format!("{} step {step}", sequence.id);
            let b_in_a = Frame::relative(&pose_a, &pose(path));
            let cold = distance(&a, &b, &b_in_a).distance();
            assert!(
                (cold - expected).abs() <= tolerance,
                "{what}: {cold}, expected {expected}"
            );
            collide(
                &a,
                &b,
                &b_in_a,
                &settings,
                &mut tracker,
                &mut manifold,
                &mut counters,
            );
            if expected < -tolerance {
                assert!(!manifold.is_empty(), "{what}: no contact at {expected}");
            }
            if expected > f64::from(settings.margin) + tolerance {
                assert!(manifold.is_empty(), "{what}: contact at {expected}");
            }
        }
    }
}
