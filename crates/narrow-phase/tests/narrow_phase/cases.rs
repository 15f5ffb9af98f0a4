//! The collected hard cases, each asked in many equivalent ways.

use drystone_geometry::glam::{DMat3, DQuat, DVec3, Vec3};
use drystone_geometry::{DPose, Frame, Manifold, Separation, Shape};
use drystone_narrow_phase::{
    CastEnd, CastSettings, CollideSettings, Counters, Motion, Tracker, cast_motion, collide,
    distance, distance_tracked, ray,
};
use serde::Deserialize;

use crate::random::Random;

#[derive(Debug, Deserialize)]
enum Plain {
    Sphere(f64),
    Capsule(f64, f64),
    Box((f64, f64, f64)),
    Hull(Vec<(f64, f64, f64)>),
    Point,
    Cylinder(f64, f64),
    Cone(f64, f64),
    Triangle((f64, f64, f64), (f64, f64, f64), (f64, f64, f64)),
    Segment((f64, f64, f64), (f64, f64, f64)),
    RoundedBox((f64, f64, f64), f64),
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
            Self::Point => Shape::sphere(0.0),
            Self::Cylinder(half_height, radius) => {
                Shape::cylinder(store(*half_height), store(*radius))
            }
            Self::Cone(half_height, radius) => Shape::cone(store(*half_height), store(*radius)),
            Self::Triangle(a, b, c) => Shape::triangle([a, b, c].map(|&point| {
                let p = *turn * DVec3::from(point);
                Vec3::new(store(p.x), store(p.y), store(p.z))
            })),
            Self::Segment(a, b) => {
                let [a, b] = [a, b].map(|&point| {
                    let p = *turn * DVec3::from(point);
                    Vec3::new(store(p.x), store(p.y), store(p.z))
                });
                Shape::segment(a, b)
            }
            Self::RoundedBox(half, radius) => {
                let half = (*turn * DVec3::from(*half)).abs();
                let half = Vec3::new(store(half.x), store(half.y), store(half.z));
                Shape::rounded(Shape::cube(half), store(*radius)).ok()?
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
            Self::Box(_)
            | Self::Hull(_)
            | Self::Triangle(..)
            | Self::Segment(..)
            | Self::RoundedBox(..) => *turn,
            Self::Sphere(_)
            | Self::Capsule(..)
            | Self::Point
            | Self::Cylinder(..)
            | Self::Cone(..) => DMat3::IDENTITY,
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

fn cases() -> Vec<Case> {
    let mut cases: Vec<Case> = read(include_str!("../cases/pairs.ron"));
    cases.extend(read::<Case>(include_str!("../cases/curved.ron")));
    cases
}

/// The answer at a pose that a tracker comes to from nearby, frame by frame.
fn arrive(a: &Shape, b: &Shape, b_in_a: &Frame, scale: f64) -> Separation {
    let mut tracker = Tracker::default();
    let mut counters = Counters::default();
    let aside = DVec3::new(0.3, -0.5, 0.7) * scale;
    for share in [0.04, 0.02, 0.01, 0.0] {
        let turn = DPose {
            rotation: DQuat::from_xyzw(0.0, libm::sin(share), 0.0, libm::cos(share)),
            translation: share * aside,
        };
        let near = Frame {
            rotation: turn.to_frame().rotation * b_in_a.rotation,
            translation: b_in_a.translation + turn.translation,
        };
        let pose = if share > 0.0 { &near } else { b_in_a };
        let answer = distance_tracked(a, b, pose, &mut tracker, &mut counters);
        if share == 0.0 {
            return answer;
        }
    }
    unreachable!("the last share is zero")
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
    let a_in_b = Frame::relative(&pose_b, &pose_a);
    let swapped = distance(&b, &a, &a_in_b);
    let (warm, warm_swapped) = (
        arrive(&a, &b, &b_in_a, scale),
        arrive(&b, &a, &a_in_b, scale),
    );
    let common = 4.0 * f64::EPSILON * motion.translation.length();
    let tolerance = scale * case.tolerance + moved_a + moved_b + common;
    let expected = scale * case.distance;
    for (order, answer) in [
        ("a, b", &answer),
        ("b, a", &swapped),
        ("a, b tracked", &warm),
        ("b, a tracked", &warm_swapped),
    ] {
        // Curved depths come as an interval that is wider than the tolerance.
        let half = 0.5 * (answer.upper - answer.lower);
        assert!(
            (answer.distance() - expected).abs() <= tolerance + half,
            "{what} ({order}): {} instead of {expected}, allowed {tolerance}",
            answer.distance()
        );
    }
    let exact = |answer: &Separation| answer.upper - answer.lower;
    let size = scale * (1.0 + expected.abs() / scale);
    let is_curved = a.curved().is_some() || b.curved().is_some();
    let allowed = if is_curved { 1e-6 } else { 1e-9 } * size;
    assert!(
        exact(&answer) <= allowed && exact(&swapped) <= allowed,
        "{what}: {answer:?}"
    );
    assert!(
        exact(&warm) <= allowed && exact(&warm_swapped) <= allowed,
        "{what} tracked: {warm:?}"
    );
    let rounding = 1e-13 + common;
    if is_curved {
        crate::curved::judge(&a, &b, &b_in_a, &answer, size, &what);
    } else {
        crate::certificate::check(&a, &b, &b_in_a, &answer, rounding, &what);
    }
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

/// Each case cold and tracked, exchanged, moved by up to 10,000 km, turned and scaled.
/// The answers were found by two independent exact methods each.
#[test]
fn every_collected_case_has_its_known_answer_in_every_guise() {
    let cases = cases();
    assert!(cases.len() > 110);
    let mut random = Random::new(1);
    for case in &cases {
        ask(case, &Frame::IDENTITY, 1.0, &DMat3::IDENTITY, "as it is");
        for metres in [1.0, 100.0, 1e4, 1e7] {
            let far = Frame {
                translation: DVec3::new(metres, -0.3 * metres, 0.6 * metres),
                ..Frame::IDENTITY
            };
            let what = format!("{metres} m away");
            ask(case, &far, 1.0, &DMat3::IDENTITY, &what);
        }
        let turned = Frame {
            rotation: random.matrix(),
            translation: DVec3::ZERO,
        };
        ask(case, &turned, 1.0, &DMat3::IDENTITY, "turned");
        for scale in [1e-3, 1e-2, 0.1, 10.0, 100.0, 1e3] {
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
    let cases = cases();
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
            leans: false,
            ..CollideSettings::default()
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

#[derive(Debug, Deserialize)]
struct CastCase {
    id: String,
    is_ray: bool,
    a: Plain,
    pose_a: PlainPose,
    velocity_a: (f64, f64, f64),
    b: Plain,
    pose_b: PlainPose,
    velocity_b: (f64, f64, f64),
    end: f64,
    time: Option<f64>,
    tolerance: f64,
    normal: Option<(f64, f64, f64)>,
}

/// The collected casts and rays in both orders and at three scales: the times were found by two
/// independent methods.
#[test]
fn every_collected_cast_ends_at_its_known_time() {
    let cases: Vec<CastCase> = read(include_str!("../cases/casts.ron"));
    assert!(cases.len() >= 12);
    for case in &cases {
        for scale in [1e-2, 1.0, 1e2] {
            let what = format!("{} scaled by {scale}", case.id);
            let build = |plain: &Plain| plain.build(scale, &DMat3::IDENTITY).expect("a shape");
            let ((a, moved_a), (b, moved_b)) = (build(&case.a), build(&case.b));
            let (pose_a, pose_b) = (
                scaled(&pose(&case.pose_a), scale),
                scaled(&pose(&case.pose_b), scale),
            );
            let [velocity_a, velocity_b] = [case.velocity_a, case.velocity_b]
                .map(|velocity| scale * case.end * DVec3::from(velocity));
            let motion_a = Motion::shift(pose_a, velocity_a);
            let motion_b = Motion::shift(pose_b, velocity_b);
            let settings = CastSettings {
                slack: 1e-12 * scale,
                ..CastSettings::default()
            };
            let mut counters = Counters::default();
            let there = cast_motion((&a, &motion_a), (&b, &motion_b), &settings, &mut counters);
            let back = cast_motion((&b, &motion_b), (&a, &motion_a), &settings, &mut counters);
            let speed = (velocity_b - velocity_a).length();
            // A graze turns an error of the shapes into one of the time that is larger.
            let allowed = case.tolerance + 200.0 * (moved_a + moved_b + 1e-7 * scale) / speed;
            for (order, toi) in [("a, b", &there), ("b, a", &back)] {
                let found = (toi.end != CastEnd::Missed).then_some(toi.time * case.end);
                match (found, case.time) {
                    (Some(found), Some(time)) => assert!(
                        (found - time).abs() <= allowed * case.end,
                        "{what} ({order}): {found}, expected {time}"
                    ),
                    (found, expected) => {
                        assert_eq!(found.is_some(), expected.is_some(), "{what}: {toi:?}");
                    }
                }
            }
            // A ray at an edge has no normal of its own.
            if let (Some(normal), CastEnd::Hit, false) = (case.normal, there.end, case.is_ray) {
                let found = pose_a.rotate(there.separation.normal);
                assert!(found.dot(DVec3::from(normal)) > 0.9998, "{what}: {found}");
            }
            if case.is_ray {
                let origin = pose_a.inverse_transform_point(pose_b.translation);
                let direction = pose_a.inverse_rotate(velocity_b);
                let hit = ray(&a, origin, direction, 1.0).map(|hit| hit.fraction * case.end);
                let expected = case.time.unwrap_or(f64::INFINITY);
                let off = (hit.unwrap_or(f64::INFINITY) - expected).abs();
                assert!(off <= allowed * case.end, "{what}: a ray at {hit:?}");
            }
        }
    }
}
