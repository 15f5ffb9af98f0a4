//! The tracked query: the same answers as a cold one, found by walking.

use drystone_geometry::glam::{DQuat, DVec3, Vec3};
use drystone_geometry::{Frame, Shape, rotation};
use drystone_narrow_phase::{
    Counters, Event, Reason, Step, Tracker, distance, distance_traced, distance_tracked,
};

use crate::random::Random;

fn turn(frame: &Frame, axis: DVec3, angle: f64) -> Frame {
    let (sin, cos) = libm::sincos(0.5 * angle);
    let q = DQuat::from_xyzw(axis.x * sin, axis.y * sin, axis.z * sin, cos);
    Frame {
        rotation: rotation::to_dmatrix(q) * frame.rotation,
        ..*frame
    }
}

/// Points of a circle of `count` corners at a height.
fn circle(count: usize, radius: f64, height: f64) -> Vec<Vec3> {
    (0..count)
        .map(|i| {
            let angle = std::f64::consts::TAU * i as f64 / count as f64;
            DVec3::new(radius * libm::cos(angle), height, radius * libm::sin(angle)).as_vec3()
        })
        .collect()
}

pub(crate) fn prism(count: usize, radius: f64, half_height: f64) -> Vec<Vec3> {
    let mut points = circle(count, radius, -half_height);
    points.extend(circle(count, radius, half_height));
    points
}

pub(crate) fn cone(count: usize) -> Vec<Vec3> {
    let mut points = circle(count, 0.7, -0.5);
    points.push(Vec3::new(0.0, 0.8, 0.0));
    points
}

fn turned(random: &mut Random, points: Vec<Vec3>) -> Vec<Vec3> {
    let matrix = random.matrix();
    points
        .into_iter()
        .map(|p| (matrix * p.as_dvec3()).as_vec3())
        .collect()
}

/// A shape of any family, at most about 1 in size.
fn family(random: &mut Random, corners: usize) -> Shape {
    let points = match random.below(9) {
        0 => {
            return Shape::Sphere {
                radius: random.between(0.05, 0.5) as f32,
            };
        }
        1 => {
            return Shape::Capsule {
                half_height: random.between(0.1, 0.7) as f32,
                radius: random.between(0.05, 0.4) as f32,
            };
        }
        2 => {
            let mut half = || random.between(0.1, 0.6) as f32;
            return Shape::Box {
                half_extents: Vec3::new(half(), half(), half()),
            };
        }
        3 => prism(3 + random.below(corners), 0.6, 0.4),
        4 => cone(3 + random.below(corners)),
        5 => {
            let points = prism(3 + random.below(corners), 0.5, 0.2);
            turned(random, points)
        }
        6 => {
            let points = cone(3 + random.below(corners));
            turned(random, points)
        }
        7 => {
            let count = 10 * corners;
            (0..count).map(|_| random.direction().as_vec3()).collect()
        }
        _ => return random.hull(1.0, 4 + corners),
    };
    Shape::hull(&points).expect("a solid family")
}

/// Moves B about A for `steps` frames, near it all the time, and now and then elsewhere.
struct Wanderer {
    frame: Frame,
    velocity: DVec3,
    axis: DVec3,
    pace: f64,
    leaps: usize,
}

impl Wanderer {
    fn new(random: &mut Random, pace: f64, leaps: usize) -> Self {
        Self {
            frame: Frame {
                rotation: random.matrix(),
                translation: 1.6 * random.direction(),
            },
            velocity: random.direction(),
            axis: random.direction(),
            pace,
            leaps,
        }
    }

    /// The next pose; `gap` was the last distance.
    fn step(&mut self, random: &mut Random, gap: f64) -> Frame {
        if self.leaps > 0 && random.below(self.leaps) == 0 {
            self.frame.rotation = random.matrix();
            self.frame.translation = random.between(0.3, 3.0) * random.direction();
            return self.frame;
        }
        let outward = self.frame.translation.normalize_or(DVec3::Y);
        let pull = if gap > 0.1 { -0.5 } else { 0.4 };
        self.velocity = (self.velocity + 0.3 * random.direction() + pull * outward).normalize();
        self.axis = (self.axis + 0.2 * random.direction()).normalize();
        self.frame.translation += 0.5 * self.pace * self.velocity;
        self.frame = turn(&self.frame, self.axis, self.pace);
        self.frame
    }
}

/// The tracked interval must hold by linear scans, and meet that of a cold query.
fn check(
    a: &Shape,
    b: &Shape,
    frame: &Frame,
    tracker: &mut Tracker,
    counters: &mut Counters,
    what: &str,
) -> f64 {
    let warm = distance_tracked(a, b, frame, tracker, counters);
    crate::certificate::check(a, b, frame, &warm, 1e-13, what);
    let cold = distance(a, b, frame);
    let size = 4.0 + frame.translation.length();
    assert!(
        warm.lower <= cold.upper + 1e-12 * size && cold.lower <= warm.upper + 1e-12 * size,
        "{what}: warm {warm:?}, cold {cold:?}"
    );
    warm.lower
}

fn wander(seeds: std::ops::Range<u64>, steps: usize, corners: usize) -> Counters {
    let mut counters = Counters::default();
    for seed in seeds {
        let mut random = Random::new(seed);
        let (a, b) = (family(&mut random, corners), family(&mut random, corners));
        let pace = [0.001, 0.009, 0.035, 0.14, 0.56][random.below(5)];
        let leaps = [0, 40][random.below(2)];
        let mut wanderer = Wanderer::new(&mut random, pace, leaps);
        let (mut tracker, mut gap) = (Tracker::default(), 1.0);
        for step in 0..steps {
            let frame = wanderer.step(&mut random, gap);
            let what = format!("seed {seed}, step {step}");
            gap = check(&a, &b, &frame, &mut tracker, &mut counters, &what);
        }
    }
    counters
}

/// Pairs of all families at five paces from 0.06 to 32 degrees a frame, half of them with
/// leaps, through contact and out again. Every answer is certified by linear scans and equals
/// the cold one within both intervals.
#[test]
fn tracked_answers_are_cold_answers_in_every_regime() {
    let counters = wander(0..400, 60, 40);
    assert!(counters.walked > 8_000, "{counters:?}");
    assert_eq!(counters.gjk_exhausted, 0, "{counters:?}");
}

/// The same over a thousand frames each, for four pairs, or for as many as
/// `DRYSTONE_WALK_SEEDS` says: 1,000 take a minute.
#[test]
fn tracked_answers_are_cold_answers_on_long_ways() {
    let seeds = std::env::var("DRYSTONE_WALK_SEEDS")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(4);
    let counters = wander(1_000_000..1_000_000 + seeds, 1000, 60);
    assert!(counters.walked > 0, "{counters:?}");
    assert_eq!(counters.gjk_exhausted, 0, "{counters:?}");
}

/// Prisms and cones of thousands of corners, half a degree a frame and near each other, so that
/// several edges of a rim are passed in every frame. Bounds from the shapes must meet, here and
/// where nothing was known; nearly all must come from short walks.
#[test]
fn walks_along_rims_of_thousands_of_corners_are_short() {
    let mut random = Random::new(11);
    let shapes = [prism(3000, 0.6, 0.4), cone(3000)].map(|points| Shape::hull(&points).unwrap());
    for (a, b) in [(0, 0), (0, 1), (1, 1)] {
        let mut wanderer = Wanderer::new(&mut random, 0.009, 0);
        let (mut tracker, mut counters) = (Tracker::default(), Counters::default());
        let (mut gap, mut apart) = (1.0, 0);
        for step in 0..300 {
            let frame = wanderer.step(&mut random, gap);
            let (a, b) = (&shapes[a], &shapes[b]);
            let warm = distance_tracked(a, b, &frame, &mut tracker, &mut counters);
            let cold = distance(a, b, &frame);
            assert!(warm.upper - warm.lower <= 1e-11, "step {step}: {warm:?}");
            let off = (warm.distance() - cold.distance()).abs();
            assert!(off <= 2e-11, "step {step}: warm {warm:?}, cold {cold:?}");
            gap = warm.lower;
            apart += u64::from(gap > 0.0);
        }
        assert!(counters.walked * 100 >= apart * 95, "{counters:?}");
        assert!(counters.walk_steps < 14 * apart, "{counters:?}");
    }
}

/// Rims of so many corners that rounding leaves out one in two, at no even distances, and folds the
/// sides between them: walks still know where to go along both, and end where the folds are.
#[test]
fn walks_along_rims_of_rounded_corners_end_inside_folded_sides() {
    let mut random = Random::new(12);
    let side = Shape::hull(&prism(10_000, 0.8, 0.6)).unwrap();
    let mut wanderer = Wanderer::new(&mut random, 0.009, 0);
    let (mut tracker, mut counters) = (Tracker::default(), Counters::default());
    let (mut gap, mut apart) = (1.0, 0);
    for step in 0..1000 {
        let frame = wanderer.step(&mut random, gap);
        let answer = distance_tracked(&side, &side, &frame, &mut tracker, &mut counters);
        if step % 50 == 0 {
            let what = format!("step {step}");
            crate::certificate::check(&side, &side, &frame, &answer, 1e-13, &what);
        }
        assert!(
            answer.upper - answer.lower <= 1e-11,
            "step {step}: {answer:?}"
        );
        gap = answer.lower;
        apart += u64::from(gap > 0.0);
    }
    assert!(counters.walked * 100 >= apart * 99, "{apart}: {counters:?}");
    assert!(counters.walk_steps < 3 * apart, "{apart}: {counters:?}");
}

/// A coherent sequence of one pair: the trace must begin where the last answer ended and end
/// with a proof, each step differing from the one before, and watching must not change the
/// answer.
#[test]
fn a_trace_leads_from_the_last_features_to_the_proof() {
    let mut random = Random::new(3);
    let (a, b) = (family(&mut random, 30), random.hull(1.0, 40));
    let mut wanderer = Wanderer::new(&mut random, 0.1, 0);
    let (mut tracker, mut counters) = (Tracker::default(), Counters::default());
    let (mut gap, mut last, mut walked) = (1.0, None, 0);
    for step in 0..200 {
        let frame = wanderer.step(&mut random, gap);
        let mut silent = tracker;
        let expected = distance_tracked(&a, &b, &frame, &mut silent, &mut counters);
        let mut events: Vec<Event> = Vec::new();
        let mut counts = Counters::default();
        let answer = distance_traced(&a, &b, &frame, &mut tracker, &mut counts, &mut events);
        assert_eq!((answer, tracker), (expected, silent), "step {step}");
        gap = answer.lower;
        // A pair that overlapped may slide to where it is apart before it walks.
        let slides = events.iter().any(|event| matches!(event, Event::Slide(_)));
        if counts.walked == 1 && counts.walks_given_up == 0 && !slides {
            let Event::Begin { is_flipped } = events[0] else {
                panic!("step {step}: {events:?}");
            };
            let steps = |event: &Event| match event {
                Event::Walk(step) => Some(*step),
                _ => None,
            };
            let trace: Vec<Step> = events.iter().filter_map(steps).collect();
            assert_eq!(trace.len() + 1, events.len(), "step {step}: {events:?}");
            let (first, end) = (trace[0], trace[trace.len() - 1]);
            assert_eq!(first.reason, Reason::WalkStart, "step {step}");
            assert_eq!(end.reason, Reason::Proved, "step {step}");
            assert_eq!(trace.len() as u64, counts.walk_steps + 1, "step {step}");
            let told = |step: &Step| {
                if is_flipped {
                    [step.feature_b, step.feature_a]
                } else {
                    [step.feature_a, step.feature_b]
                }
            };
            assert_eq!(told(&end), [answer.feature_a, answer.feature_b]);
            if let Some(last) = last
                && counts.gjk == 0
                && first.feature_a.kind() < end.feature_a.kind()
            {
                assert_eq!(told(&first), last, "step {step}");
            }
            let moves = trace.windows(2).take(trace.len() - 2);
            for pair in moves {
                assert_ne!(told(&pair[0]), told(&pair[1]), "step {step}: {trace:?}");
            }
            walked += 1;
        }
        last = Some([answer.feature_a, answer.feature_b]);
    }
    assert!(walked > 100, "{walked}");
}

/// Exchanging the shapes turns the answer round, for all families, tracked in both orders:
/// the intervals meet, and the normals are opposite wherever the gap makes them unique.
#[test]
fn exchanged_pairs_are_tracked_alike() {
    for seed in 0..60 {
        let mut random = Random::new(7_000 + seed);
        let (a, b) = (family(&mut random, 20), family(&mut random, 20));
        let mut wanderer = Wanderer::new(&mut random, 0.03, 0);
        let (mut forward, mut backward) = (Tracker::default(), Tracker::default());
        let (mut counters, mut gap) = (Counters::default(), 1.0);
        for step in 0..60 {
            let frame = wanderer.step(&mut random, gap);
            let there = distance_tracked(&a, &b, &frame, &mut forward, &mut counters);
            let back = distance_tracked(&b, &a, &frame.inverse(), &mut backward, &mut counters);
            gap = there.lower;
            let what = format!("seed {seed}, step {step}");
            assert!((there.distance() - back.distance()).abs() < 1e-11, "{what}");
            if gap > 1e-3 {
                let turned = frame.rotate(back.normal) + there.normal;
                assert!(turned.length() < 1e-9, "{what}: {turned}");
            }
        }
    }
}

/// Gaps from one to a billionth of the size between boxes, prisms and cones that lie flush,
/// edge on edge and corner on face. The exact gap is known by construction: the motion is
/// straight along the normal. Tracked from far to near and back.
#[test]
fn flush_and_parallel_features_are_exact_down_to_a_billionth() {
    let shapes = [
        Shape::cube(Vec3::splat(0.5)),
        Shape::hull(&prism(4, 0.5, 0.5)).expect("solid"),
        Shape::hull(&prism(48, 0.5, 0.5)).expect("solid"),
    ];
    let mut counters = Counters::default();
    for a in &shapes {
        for b in &shapes {
            for (axis, angle) in [(DVec3::Y, 0.0), (DVec3::Y, 0.3), (DVec3::Z, 0.4)] {
                let (mut tracker, mut count) = (Tracker::default(), 0);
                for power in (0..=36).chain((0..36).rev()) {
                    let gap = libm::pow(10.0, -0.25 * f64::from(power));
                    let base = turn(&Frame::IDENTITY, axis, angle);
                    let reach = -lowest(b, &base);
                    let frame = Frame {
                        translation: DVec3::new(0.1, 0.5 + reach + gap, 0.05),
                        ..base
                    };
                    let what = format!("gap {gap}, {axis} {angle}");
                    let found = check(a, b, &frame, &mut tracker, &mut counters, &what);
                    assert!((found - gap).abs() < 1e-14, "{what}: {found}");
                    count += 1;
                }
                assert_eq!(count, 73);
            }
        }
    }
    assert!(counters.walks_given_up < 20, "{counters:?}");
}

/// Lowest height of a turned shape's corners, by linear scan.
fn lowest(shape: &Shape, frame: &Frame) -> f64 {
    match shape {
        Shape::Hull(hull) => hull
            .vertices()
            .iter()
            .map(|v| frame.rotate(v.as_dvec3()).y)
            .fold(f64::INFINITY, f64::min),
        _ => -frame.inverse_rotate(DVec3::Y).abs().dot(DVec3::splat(0.5)),
    }
}

/// A tracker of a hull with many features, used for a pair with few: its features do not
/// exist there, and the answer must be the cold one all the same.
#[test]
fn features_that_do_not_exist_are_not_walked_on() {
    let mut random = Random::new(11);
    let points: Vec<Vec3> = (0..500).map(|_| random.direction().as_vec3()).collect();
    let large = Shape::hull(&points).expect("a ball of points is solid");
    let small = random.hull(1.0, 5);
    let frame = Frame {
        rotation: random.matrix(),
        translation: 2.3 * random.direction(),
    };
    let (mut tracker, mut counters) = (Tracker::default(), Counters::default());
    distance_tracked(&large, &large, &frame, &mut tracker, &mut counters);
    for shape in [small, Shape::cube(Vec3::ONE), Shape::capsule(0.5, 0.1)] {
        let mut stale = tracker;
        let found = distance_tracked(&shape, &shape, &frame, &mut stale, &mut counters);
        let cold = distance(&shape, &shape, &frame);
        assert!((found.distance() - cold.distance()).abs() < 1e-13);
    }
}

/// Hulls of ten thousand corners, half a degree a frame, near each other: nearly all calls
/// end in a walk of a few steps, and all are certified by linear scans.
#[test]
fn large_hulls_are_walked_in_a_few_steps() {
    let mut random = Random::new(5);
    let ball = |random: &mut Random| {
        let points: Vec<Vec3> = (0..10_000).map(|_| random.direction().as_vec3()).collect();
        Shape::hull(&points).expect("a ball of points is solid")
    };
    let (a, b) = (ball(&mut random), ball(&mut random));
    let (mut tracker, mut counters) = (Tracker::default(), Counters::default());
    let mut frame = Frame {
        rotation: random.matrix(),
        translation: DVec3::new(2.01, 0.1, 0.0),
    };
    for step in 0..200 {
        frame = turn(&frame, DVec3::new(0.6, 0.0, 0.8), 0.0087);
        let answer = distance_tracked(&a, &b, &frame, &mut tracker, &mut counters);
        if step % 40 == 0 {
            let what = format!("step {step}");
            crate::certificate::check(&a, &b, &frame, &answer, 1e-13, &what);
        }
    }
    assert!(counters.walked >= 198, "{counters:?}");
    assert!(counters.walk_steps < 200 * 6, "{counters:?}");
}
