//! How long do planar queries take, cold and coherent, from 4 to 10,000 vertices, and is
//! the classical exercise answered faster than by rotating calipers, parsing included?
//!
//! Every group ends by printing the sum of its answers: a change that alters it changed
//! more than the time.

use std::fmt::Write;
use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use drystone_planar::contest::{Case, CaseReader, solve};
use drystone_planar::glam::DVec2;
use drystone_planar::{
    Counters2, Polygon, Pose2, QueryOptions, Shape2, Tracker2, distance, time_of_impact, track,
};

const COUNTS: [usize; 5] = [4, 8, 100, 1_000, 10_000];

/// SplitMix64, mapped to 0..1.
fn next(state: &mut u64) -> f64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
}

/// A point at `angle` on an ellipse of half-axes 1 and 0.8.
fn corner(angle: f64) -> DVec2 {
    let pose = Pose2::new(DVec2::ZERO, angle);
    pose.rotation * DVec2::new(1.0, 0.8)
}

fn ring(count: usize, seed: u64) -> Vec<DVec2> {
    let mut state = seed;
    let step = std::f64::consts::TAU / count as f64;
    (0..count)
        .map(|index| corner(step * (index as f64 + 0.8 * next(&mut state))))
        .collect()
}

fn polygon(count: usize, seed: u64) -> Shape2 {
    Shape2::polygon(&ring(count, seed)).expect("points on an ellipse")
}

/// Poses with the shapes `gap` sizes apart or, when negative, inside each other.
fn poses(gap: f64) -> Vec<Pose2> {
    let mut state = 7;
    (0..256)
        .map(|_| {
            let way = next(&mut state) * std::f64::consts::TAU;
            let reach = 2.0 + gap * (0.5 + next(&mut state));
            let at = Pose2::new(DVec2::ZERO, way).rotation * reach;
            Pose2::new(at, next(&mut state) * std::f64::consts::TAU)
        })
        .collect()
}

/// Unrelated poses, as a first query or a teleport sees them.
fn cold(c: &mut Criterion) {
    let options = QueryOptions::default();
    for (name, gap) in [("planar/cold apart", 1.0), ("planar/cold overlap", -0.7)] {
        let mut group = c.benchmark_group(name);
        let poses = poses(gap);
        for count in COUNTS {
            let (a, b) = (polygon(count, 1), polygon(count, 2));
            let mut sum = 0.0;
            for pose in &poses {
                sum += distance(&a, &b, pose, &options)
                    .expect("polygons")
                    .distance();
            }
            let mut index = 0;
            group.bench_function(BenchmarkId::from_parameter(count), |bencher| {
                bencher.iter(|| {
                    index = (index + 1) % poses.len();
                    distance(black_box(&a), &b, &poses[index], &options)
                });
            });
            println!("{name} {count}: answers sum to {sum}");
        }
        group.finish();
    }
}

/// B turns on the spot by half a degree, or eight, a frame.
fn coherent(c: &mut Criterion) {
    let options = QueryOptions::default();
    for degrees in [0.5_f64, 8.0] {
        let mut group = c.benchmark_group(format!("planar/tracked {degrees} degrees"));
        for count in COUNTS {
            let (a, b) = (polygon(count, 1), polygon(count, 2));
            let frames: Vec<Pose2> = (0..720)
                .map(|frame| {
                    let angle = degrees.to_radians() * f64::from(frame);
                    Pose2::new(DVec2::new(2.05, 0.3), angle)
                })
                .collect();
            let mut tracker = Tracker2::default();
            let mut counters = Counters2::default();
            let mut sum = 0.0;
            for pose in &frames {
                sum += track(&a, &b, pose, &options, &mut tracker, &mut counters)
                    .expect("polygons")
                    .distance();
            }
            let mut index = 0;
            group.bench_function(BenchmarkId::from_parameter(count), |bencher| {
                bencher.iter(|| {
                    index = (index + 1) % frames.len();
                    track(
                        black_box(&a),
                        &b,
                        &frames[index],
                        &options,
                        &mut tracker,
                        &mut counters,
                    )
                });
            });
            println!("tracked {degrees} {count}: answers sum to {sum}, {counters:?}");
        }
        group.finish();
    }
}

/// Curves, casts, containment, and building a polygon.
fn others(c: &mut Criterion) {
    let options = QueryOptions::default();
    let mut group = c.benchmark_group("planar/other");
    let a = Shape2::ellipse(DVec2::ZERO, DVec2::new(1.0, 0.6), 0.2).expect("an ellipse");
    let b = Shape2::ellipse(DVec2::ZERO, DVec2::new(0.9, 0.3), 0.7).expect("an ellipse");
    for (name, gap) in [("ellipses apart", 1.0), ("ellipses overlap", -1.5)] {
        let poses = poses(gap);
        let mut index = 0;
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                index = (index + 1) % poses.len();
                distance(black_box(&a), &b, &poses[index], &options)
            });
        });
    }
    let poses = poses(2.0);
    let shape = polygon(1_000, 1);
    let mut index = 0;
    group.bench_function("time of impact 1000", |bencher| {
        bencher.iter(|| {
            index = (index + 1) % poses.len();
            let pose = &poses[index];
            time_of_impact(
                black_box(&shape),
                &shape,
                pose,
                -pose.translation,
                9.0,
                &options,
            )
        });
    });
    group.bench_function("contains 1000", |bencher| {
        bencher.iter(|| {
            index = (index + 1) % poses.len();
            black_box(&shape).contains(poses[index].translation * 0.4)
        });
    });
    let points = ring(10_000, 3);
    group.bench_function("build 10000 in order", |bencher| {
        bencher.iter(|| Polygon::new(black_box(&points)));
    });
    group.finish();
}

/// A hundred cases of two polygons of 10,000 points, |coordinates| up to 10,000, five
/// decimals, as text.
fn exercise_text(cases: usize, count: usize) -> String {
    let mut state = 11;
    let mut text = String::new();
    for case in 0..cases {
        writeln!(text, "{count} {count}").expect("a string");
        let way = next(&mut state) * std::f64::consts::TAU;
        let centre = Pose2::new(DVec2::ZERO, way).rotation * 5_000.0;
        for (side, seed) in [(1.0, 2 * case as u64), (-1.0, 2 * case as u64 + 1)] {
            let radius = 3_000.0 + 1_500.0 * next(&mut state);
            for point in ring(count, seed) {
                let at = point * radius + centre * side;
                writeln!(text, "{:.5} {:.5}", at.x, at.y).expect("a string");
            }
        }
    }
    text.push_str("0 0\n");
    text
}

/// The usual program for the exercise: distance of two convex polygons given
/// counter-clockwise, apart, by rotating calipers. O(n + m).
fn calipers(p: &[DVec2], q: &[DVec2]) -> f64 {
    let cross = |a: DVec2, b: DVec2, c: DVec2| (b - a).perp_dot(c - a);
    let point_segment = |c: DVec2, a: DVec2, b: DVec2| {
        if (b - a).dot(c - a) < 0.0 {
            (c - a).length()
        } else if (a - b).dot(c - b) < 0.0 {
            (c - b).length()
        } else {
            cross(a, b, c).abs() / (b - a).length()
        }
    };
    let (n, m) = (p.len(), q.len());
    let lower = |best: usize, index: usize, ring: &[DVec2]| {
        if ring[index].y < ring[best].y {
            index
        } else {
            best
        }
    };
    let mut i = (0..n).fold(0, |best, index| lower(best, index, p));
    let mut j = (0..m).fold(
        0,
        |best, index| if q[index].y > q[best].y { index } else { best },
    );
    let mut best = f64::INFINITY;
    for _ in 0..n {
        let (a, b) = (p[i], p[(i + 1) % n]);
        loop {
            let turn = (b - a).perp_dot(q[(j + 1) % m] - q[j]);
            if turn <= 0.0 {
                break;
            }
            j = (j + 1) % m;
        }
        let (c, d) = (q[j], q[(j + 1) % m]);
        best = best
            .min(point_segment(c, a, b))
            .min(point_segment(d, a, b))
            .min(point_segment(a, c, d))
            .min(point_segment(b, c, d));
        i = (i + 1) % n;
    }
    best
}

/// Calipers from both sides, as the usual program takes them.
fn calipers_both(p: &[DVec2], q: &[DVec2]) -> f64 {
    calipers(p, q).min(calipers(q, p))
}

/// The usual program from text to text, with the standard library's parser.
fn calipers_program(text: &str) -> String {
    let mut words = text.split_ascii_whitespace();
    let mut number = || -> f64 { words.next().expect("a word").parse().expect("a number") };
    let mut output = String::new();
    loop {
        let (n, m) = (number() as usize, number() as usize);
        if n == 0 && m == 0 {
            return output;
        }
        let mut ring = |count: usize| -> Vec<DVec2> {
            (0..count).map(|_| DVec2::new(number(), number())).collect()
        };
        let (p, q) = (ring(n), ring(m));
        writeln!(output, "{:.5}", calipers_both(&p, &q)).expect("a string");
    }
}

/// The same behind this crate's reader, to tell the search from the parsing.
fn calipers_behind_our_reader(text: &str) -> String {
    let mut reader = CaseReader::new(text.as_bytes());
    let mut case = Case::default();
    let mut output = String::new();
    while reader.read(&mut case).expect("valid") {
        writeln!(output, "{:.5}", calipers_both(&case.a, &case.b)).expect("a string");
    }
    output
}

fn our_program(text: &str) -> String {
    let mut output = Vec::new();
    solve(text.as_bytes(), &mut output).expect("valid");
    String::from_utf8(output).expect("digits")
}

/// The exercise from text to text: ours, and rotating calipers with both parsers.
fn exercise(c: &mut Criterion) {
    let mut group = c.benchmark_group("planar/exercise");
    group
        .sample_size(10)
        .measurement_time(Duration::from_secs(5));
    // `--test` runs everything once: one case will do.
    let is_test = std::env::args().any(|word| word == "--test");
    for (name, cases, count) in [("100 of 10000", 100, 10_000), ("20000 of 8", 20_000, 8)] {
        let cases = if is_test { 1 } else { cases };
        let text = exercise_text(cases, count);
        let answers = our_program(&text);
        assert_eq!(answers, calipers_program(&text), "both programs agree");
        assert_eq!(answers, calipers_behind_our_reader(&text));
        group.bench_function(BenchmarkId::new("ours", name), |bencher| {
            bencher.iter(|| our_program(black_box(&text)));
        });
        group.bench_function(BenchmarkId::new("calipers", name), |bencher| {
            bencher.iter(|| calipers_program(black_box(&text)));
        });
        group.bench_function(BenchmarkId::new("calipers, our reader", name), |bencher| {
            bencher.iter(|| calipers_behind_our_reader(black_box(&text)));
        });
        let sum: f64 = answers
            .lines()
            .filter_map(|line| line.parse::<f64>().ok())
            .sum();
        println!("exercise {name}: answers sum to {sum}");
    }
    group.finish();
}

criterion_group!(planar, cold, coherent, others, exercise);
criterion_main!(planar);
