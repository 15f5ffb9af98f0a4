//! The tracked query: the same answers as a cold one, found by walking.

use drystone_geometry::glam::{DQuat, DVec3, Vec3};
use drystone_geometry::{Frame, Shape, rotation};
use drystone_narrow_phase::{
    Counters, Reason, Step, Tracker, distance, distance_traced, distance_tracked,
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

fn prism(count: usize, radius: f64, half_height: f64) -> Vec<Vec3> {
    let mut points = circle(count, radius, -half_height);
    points.extend(circle(count, radius, half_height));
    points
}

fn cone(count: usize) -> Vec<Vec3> {
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

/// The same for hours: set `DRYSTONE_WALK_SEEDS` to the number of pairs.
#[test]
#[ignore = "long: 10,000 pairs by default, a thousand frames each"]
fn tracked_answers_are_cold_answers_for_hours() {
    let seeds = std::env::var("DRYSTONE_WALK_SEEDS")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(10_000);
    let counters = wander(1_000_000..1_000_000 + seeds, 1000, 60);
    println!("{counters:?}");
}
