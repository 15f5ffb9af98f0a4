//! How long does one pair take in the narrow phase, by number of corners, by kind of hull,
//! by motion and by gap?
//!
//! Shapes and motions come from `drystone_benches::pairs`, so that comparisons with other
//! engines use the same. Every group ends by printing the sum of its answers and how they
//! were found: a change that alters them changed more than the time.

use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use drystone_benches::pairs::{Family, Gap, Motion};
use drystone_geometry::glam::Vec3;
use drystone_geometry::{Frame, Hull, Manifold, Shape};
use drystone_narrow_phase::{
    CollideSettings, Counters, Tracker, collide, distance, distance_tracked,
};

const COUNTS: [usize; 6] = [8, 32, 128, 1_000, 10_000, 100_000];
const DEGREES: [Option<f64>; 5] = [Some(0.5), Some(2.0), Some(8.0), Some(32.0), None];

/// Number of poses; a few when the benchmark is only tried.
fn frames() -> usize {
    let is_trial = std::env::args().any(|argument| argument == "--test");
    if is_trial { 4 } else { 500 }
}

/// A pair and the poses it passes through, back and forth so that there is no leap.
struct Run {
    a: Shape,
    b: Shape,
    poses: Vec<Frame>,
}

impl Run {
    fn new(a: Shape, b: Shape, degrees: Option<f64>, gap: Gap) -> Self {
        let motion = Motion {
            degrees,
            gap,
            frames: frames(),
            seed: 7,
        };
        let mut poses = motion.poses(&a, &b);
        let back: Vec<Frame> = poses.iter().rev().copied().collect();
        poses.extend(back);
        Self { a, b, poses }
    }

    fn of_family(family: Family, count: usize, degrees: Option<f64>, gap: Gap) -> Self {
        let (a, b) = (family.hull(count, 1), family.hull(count, 2));
        Self::new(a, b, degrees, gap)
    }

    /// Prints the sum of all answers and how they were found.
    fn report(&self, name: &str) {
        let (mut tracker, mut counters) = (Tracker::default(), Counters::default());
        let sum: f64 = self
            .poses
            .iter()
            .map(|pose| {
                distance_tracked(&self.a, &self.b, pose, &mut tracker, &mut counters).distance()
            })
            .sum();
        println!("{name}: answers {sum:.12}, {counters:?}");
    }
}

fn label(degrees: Option<f64>) -> String {
    degrees.map_or("unrelated".into(), |degrees| format!("{degrees} degrees"))
}

/// One tracked query after another.
fn tracked(group: &mut Group<'_>, id: BenchmarkId, run: &Run) {
    let (mut tracker, mut counters, mut next) = (Tracker::default(), Counters::default(), 0);
    group.bench_function(id, |bencher| {
        bencher.iter(|| {
            let pose = &run.poses[next];
            next = (next + 1) % run.poses.len();
            let answer = distance_tracked(&run.a, &run.b, pose, &mut tracker, &mut counters);
            black_box(answer.lower)
        });
    });
}

/// One tracked contact after another, none of them recycled.
fn contacts(group: &mut Group<'_>, id: BenchmarkId, run: &Run) {
    let settings = CollideSettings {
        recycle: false,
        ..CollideSettings::default()
    };
    let (mut tracker, mut counters, mut next) = (Tracker::default(), Counters::default(), 0);
    let mut manifold = Manifold::EMPTY;
    group.bench_function(id, |bencher| {
        bencher.iter(|| {
            let pose = &run.poses[next];
            next = (next + 1) % run.poses.len();
            let (a, b) = (&run.a, &run.b);
            collide(
                a,
                b,
                pose,
                &settings,
                &mut tracker,
                &mut manifold,
                &mut counters,
            );
            black_box(manifold.points().len())
        });
    });
}

type Group<'a> = criterion::BenchmarkGroup<'a, criterion::measurement::WallTime>;

fn group<'a>(c: &'a mut Criterion, name: &str) -> Group<'a> {
    let mut group = c.benchmark_group(name);
    group
        .measurement_time(Duration::from_millis(400))
        .warm_up_time(Duration::from_millis(100))
        .sample_size(20);
    group
}

/// Does a coherent query know how many corners there are? Ball-like hulls, near each other,
/// from half a degree a frame to poses that have nothing to do with each other.
fn corners_and_motion(c: &mut Criterion) {
    let mut group = group(c, "near balls");
    for count in COUNTS {
        for degrees in DEGREES {
            let run = Run::of_family(Family::Ball, count, degrees, Gap::Near);
            tracked(&mut group, BenchmarkId::new(label(degrees), count), &run);
            run.report(&format!("{count} corners, {}", label(degrees)));
        }
    }
    group.finish();
}

/// The same where faces and corners have thousands of edges: is every step still small?
fn wide_faces(c: &mut Criterion) {
    for family in [Family::Prism, Family::Cone, Family::Ellipsoid] {
        let mut group = group(c, &format!("near {}s", family.name()));
        for count in COUNTS {
            for degrees in [Some(0.5), Some(8.0), None] {
                let run = Run::of_family(family, count, degrees, Gap::Near);
                tracked(&mut group, BenchmarkId::new(label(degrees), count), &run);
                run.report(&format!("{} of {count}, {}", family.name(), label(degrees)));
            }
        }
        group.finish();
    }
}

/// What does a query cost that knows nothing of an earlier one?
fn cold(c: &mut Criterion) {
    let mut group = group(c, "cold");
    for gap in Gap::ALL {
        for count in COUNTS {
            let run = Run::of_family(Family::Ball, count, None, gap);
            let mut next = 0;
            group.bench_function(BenchmarkId::new(gap.name(), count), |bencher| {
                bencher.iter(|| {
                    let pose = &run.poses[next];
                    next = (next + 1) % run.poses.len();
                    black_box(distance(&run.a, &run.b, pose).lower)
                });
            });
        }
    }
    group.finish();
}

/// What does a contact with its points cost while it lasts, two degrees a frame, from grazing
/// to deep?
fn touching(c: &mut Criterion) {
    for gap in [Gap::Near, Gap::Shallow, Gap::Deep] {
        let mut group = group(c, &format!("contacts, {}", gap.name()));
        for count in COUNTS {
            let run = Run::of_family(Family::Ball, count, Some(2.0), gap);
            contacts(&mut group, BenchmarkId::new("2 degrees", count), &run);
        }
        group.finish();
    }
}

/// What does each pair of shapes cost, near and in shallow contact, two degrees a frame?
fn kinds(c: &mut Criterion) {
    let shapes = [
        ("sphere", Shape::sphere(0.8)),
        ("capsule", Shape::capsule(0.5, 0.4)),
        ("box", Shape::cube(Vec3::new(0.7, 0.6, 0.5))),
        ("hull", Family::Ball.hull(32, 1)),
    ];
    for gap in [Gap::Near, Gap::Shallow] {
        let mut group = group(c, &format!("kinds, {}", gap.name()));
        for (index, (name_a, a)) in shapes.iter().enumerate() {
            for (name_b, b) in &shapes[index..] {
                let run = Run::new(a.clone(), b.clone(), Some(2.0), gap);
                let names = format!("{name_a}, {name_b}");
                tracked(&mut group, BenchmarkId::new("distance", &names), &run);
                contacts(&mut group, BenchmarkId::new("contact", &names), &run);
            }
        }
        group.finish();
    }
}

/// How long does a hull take to build?
fn building(c: &mut Criterion) {
    let mut group = group(c, "hull");
    group.sample_size(10);
    for family in Family::ALL {
        for count in [128, 10_000] {
            let points = family.points(count, 1);
            group.bench_function(BenchmarkId::new(family.name(), count), |bencher| {
                bencher.iter(|| Hull::new(black_box(&points)));
            });
        }
    }
    group.finish();
}

criterion_group!(
    benches,
    corners_and_motion,
    wide_faces,
    cold,
    touching,
    kinds,
    building
);
criterion_main!(benches);
