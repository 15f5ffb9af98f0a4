//! Certificates over many random and degenerate pairs, in all regimes of motion, judged from
//! outside by linear scans.
//!
//! A test run takes a sample. The whole table:
//!
//! ```text
//! DRYSTONE_ACCURACY_PAIRS=10000000 cargo test --release -p drystone-narrow-phase \
//!     --test accuracy -- --nocapture
//! ```

mod body;
mod judge;
mod pool;
mod pose;
#[path = "../narrow_phase/random.rs"]
#[allow(dead_code)]
mod random;

use drystone_geometry::glam::DVec3;
use drystone_geometry::{Frame, Separation};
use drystone_narrow_phase::{Counters, Tracker, distance, distance_tracked, intersects};

use body::Body;
use judge::Tally;
use random::Random;

/// Pairs judged in a plain test run.
const SAMPLE: u64 = 6_000;

/// Frames of one sequence of a pair.
const FRAMES: u64 = 40;

/// How a pair moves from one frame to the next.
#[derive(Clone, Copy)]
enum Regime {
    /// It does not: every pose is new and so is the query.
    Cold,
    /// B turns by so many degrees a frame and stays near.
    Turns(f64),
    /// Every pose is new, the tracker is not.
    Teleports,
    /// The same, and B is then brought to a gap of 1e-18 to 1e-8 of the size.
    Touches,
}

const REGIMES: [(&str, Regime); 7] = [
    ("cold", Regime::Cold),
    ("0.5 degrees", Regime::Turns(0.5)),
    ("2 degrees", Regime::Turns(2.0)),
    ("8 degrees", Regime::Turns(8.0)),
    ("32 degrees", Regime::Turns(32.0)),
    ("teleports", Regime::Teleports),
    ("touches", Regime::Touches),
];

/// Two bodies of the pool, of one size or of sizes up to a thousandfold apart.
fn pick<'p>(random: &mut Random, pool: &'p [Body]) -> (&'p Body, &'p Body) {
    let a = &pool[random.below(pool.len())];
    loop {
        let b = &pool[random.below(pool.len())];
        let ratio = a.extent / b.extent;
        if random.below(50) == 0 || (ratio > 0.05 && ratio < 20.0) {
            return (a, b);
        }
    }
}

/// Random and degenerate pairs of all families in all regimes: every interval holds the
/// signed distance, is at most 1e-11 of the size wide, and equals the cold one within both.
#[test]
fn every_answer_proves_itself() {
    let pairs = std::env::var("DRYSTONE_ACCURACY_PAIRS")
        .ok()
        .and_then(|count| count.parse().ok())
        .unwrap_or(SAMPLE);
    let pool = pool::pool(if pairs > 100_000 { 12 } else { 3 });
    println!("{}", Tally::HEADER);
    let mut failures = Vec::new();
    for (name, regime) in REGIMES {
        let mut tally = Tally::default();
        for sequence in 0..(pairs / FRAMES / REGIMES.len() as u64).max(1) {
            run(&pool, regime, sequence, &mut tally);
        }
        println!("{}", tally.row(name));
        failures.extend(tally.failures.iter().map(|what| format!("{name}: {what}")));
    }
    assert!(failures.is_empty(), "{failures:#?}");
}

fn run(pool: &[Body], regime: Regime, sequence: u64, tally: &mut Tally) {
    let mut random = Random::new(sequence);
    let (a, b) = pick(&mut random, pool);
    let size = a.extent + b.extent;
    let (mut tracker, mut frame) = (Tracker::default(), pose::any(&mut random, a, b));
    let axis = random.direction();
    for step in 0..FRAMES {
        match regime {
            Regime::Turns(degrees) if step > 0 => {
                let angle = degrees.to_radians();
                frame.rotation = pose::about(axis, angle) * frame.rotation;
                frame.translation += angle * 0.1 * size * random.vector();
            }
            _ => frame = pose::any(&mut random, a, b),
        }
        if let Regime::Touches = regime {
            touch(&mut random, &mut frame, a, b);
        }
        let mut counters = Counters::default();
        let cold = distance(&a.shape, &b.shape, &frame);
        let answer = match regime {
            Regime::Cold => {
                let mut fresh = Tracker::default();
                distance_tracked(&a.shape, &b.shape, &frame, &mut fresh, &mut counters)
            }
            _ => distance_tracked(&a.shape, &b.shape, &frame, &mut tracker, &mut counters),
        };
        let name = || format!("{} {} sequence {sequence} frame {step}", a.name, b.name);
        tally.count(&counters);
        judge::answer(tally, a, b, &frame, &answer, &mut random, &name);
        judge::same(tally, &cold, &answer, size, &name);
        let meets = intersects(&a.shape, &b.shape, &frame);
        judge::verdict(tally, meets, &answer, size, &name);
        if matches!(regime, Regime::Turns(_)) {
            keep_near(&mut random, &mut frame, &answer, size);
        }
    }
}

/// Brings B along the normal to where it nearly touches, and may turn it by as little.
fn touch(random: &mut Random, frame: &mut Frame, a: &Body, b: &Body) {
    let mut tiny = || libm::exp10(-random.between(8.0, 18.0));
    let (gap, angle) = (tiny() * (a.extent + b.extent), tiny());
    for _ in 0..1 + random.below(2) {
        let answer = distance(&a.shape, &b.shape, frame);
        frame.translation -= (answer.distance() - gap) * answer.normal;
    }
    if random.below(3) == 0 {
        frame.rotation = pose::about(random.direction(), angle) * frame.rotation;
    }
}

/// Brings B back near A, now a little apart, now a little sunk in.
fn keep_near(random: &mut Random, frame: &mut Frame, answer: &Separation, size: f64) {
    let gap = answer.distance();
    if gap.abs() > 0.1 * size {
        let wanted = size * random.between(-0.03, 0.08);
        frame.translation -= answer.normal * (gap - wanted);
    }
    if !frame.translation.is_finite() {
        frame.translation = DVec3::ZERO;
    }
}
