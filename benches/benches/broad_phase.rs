//! The broad phase from a thousand boxes to a million.
//!
//! Does the cost of a moving box stay the same, however many others there are, however they
//! lie and however few of them move? A row is one frame: every moving box hops by a fifth of
//! its size, which takes it out of its fat box each time, then the pairs are brought up to
//! date. The throughput column counts moving boxes. What do boxes at rest cost a frame, and
//! what do loading, streaming and queries cost?

use std::hint::black_box;
use std::ops::ControlFlow;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use drystone_broad_phase::{Activity, BroadPhase, Filter, ProxyDef};
use drystone_geometry::glam::{DVec3, Vec3};
use drystone_geometry::{Workers, WorldAabb};

/// A seeded xorshift generator.
struct Random(u64);

impl Random {
    fn unit(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn within(&mut self, half: f64) -> f64 {
        half * (2.0 * self.unit() - 1.0)
    }

    fn vector(&mut self, half: f64) -> DVec3 {
        DVec3::new(self.within(half), self.within(half), self.within(half))
    }
}

/// How boxes lie. All but the last have edges of 1 m and about one pair each.
const SCENES: [&str; 5] = ["volume", "terrain", "line", "clustered", "size_ratio"];

/// Centres and half edges.
fn scene(name: &str, count: usize) -> Vec<(DVec3, f64)> {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let n = count as f64;
    let place = |index: usize| match name {
        // A cube with 4 m^3 to a box.
        "volume" => (random.vector(0.5 * (4.0 * n).cbrt()), 0.5),
        // A layer 2 m high with 2 m^2 to a box.
        "terrain" => {
            let half = 0.5 * (2.0 * n).sqrt();
            let at = DVec3::new(random.within(half), random.within(1.0), random.within(half));
            (at, 0.5)
        }
        "line" => (DVec3::new(0.9 * index as f64, 0.0, 0.0), 0.5),
        // A hundred piles a kilometre apart.
        "clustered" => {
            let pile = DVec3::new((index % 10) as f64, 0.0, (index / 10 % 10) as f64) * 1000.0;
            (pile + random.vector(0.5 * (0.03 * n).cbrt()), 0.5)
        }
        // Dust of 1 cm, among it boxes of 1 m and, one in a thousand, of 100 m.
        _ => {
            let half = match index % 1000 {
                0 => 50.0,
                1..10 => 0.5,
                _ => 0.005,
            };
            (random.vector(75.0 * (0.001 * n).cbrt().max(1.0)), half)
        }
    };
    (0..count).map(place).collect()
}

fn box_at(center: DVec3, half: f64) -> WorldAabb {
    WorldAabb {
        min: center - half,
        max: center + half,
    }
}

fn load(boxes: &[(DVec3, f64)], activity: Activity) -> BroadPhase {
    let mut broad = BroadPhase::new();
    for (id, &(center, half)) in (0..).zip(boxes) {
        let (aabb, filter) = (box_at(center, half), Filter::default());
        broad
            .insert(
                id,
                ProxyDef {
                    aabb,
                    activity,
                    filter,
                    owner: id,
                },
            )
            .expect("a valid box");
    }
    broad.update(&Workers::ALONE);
    broad
}

/// Numbers of boxes; a smoke run (`--test`) takes small ones.
fn counts() -> &'static [usize] {
    if std::env::args().any(|argument| argument == "--test") {
        &[1000]
    } else {
        &[1000, 10_000, 100_000, 1_000_000]
    }
}

/// What does a moving box cost, alone among others at rest or with all of them?
fn moving(criterion: &mut Criterion) {
    for name in SCENES {
        let mut group = criterion.benchmark_group(format!("broad_phase/{name}"));
        group
            .sample_size(10)
            .warm_up_time(Duration::from_millis(200));
        group.measurement_time(Duration::from_secs(1));
        for &count in counts() {
            let boxes = scene(name, count);
            let mut broad = load(&boxes, Activity::Awake);
            for (share, every) in [("all", 1), ("tenth", 10), ("hundredth", 100)] {
                let ids: Vec<u32> = (0..count as u32).step_by(every).collect();
                let motion = vec![Vec3::ZERO; ids.len()];
                let mut random = Random(7);
                let (mut here, mut there) = (Vec::new(), Vec::new());
                for &id in &ids {
                    let (center, half) = boxes[id as usize];
                    let hop = DVec3::splat(0.2 * half).with_x(random.within(0.2) * half);
                    here.push(box_at(center - hop, half));
                    there.push(box_at(center + hop, half));
                }
                group.throughput(Throughput::Elements(ids.len() as u64));
                group.bench_function(BenchmarkId::new(share, count), |bencher| {
                    bencher.iter(|| {
                        std::mem::swap(&mut here, &mut there);
                        broad
                            .move_proxies(&Workers::ALONE, &ids, &here, &motion)
                            .expect("valid boxes");
                        broad.update(&Workers::ALONE).added.len()
                    });
                });
            }
            group.throughput(Throughput::Elements(1));
            group.bench_function(BenchmarkId::new("none", count), |bencher| {
                bencher.iter(|| broad.update(&Workers::ALONE).added.len());
            });
        }
    }
}

/// What does a load of static boxes cost, and a frame in which a chunk of a thousand of them
/// leaves and another arrives?
fn streaming(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("broad_phase/static");
    group
        .sample_size(10)
        .warm_up_time(Duration::from_millis(200));
    group.measurement_time(Duration::from_secs(1));
    for &count in counts() {
        let boxes = scene("terrain", count);
        group.throughput(Throughput::Elements(count as u64));
        group.bench_function(BenchmarkId::new("load", count), |bencher| {
            bencher.iter(|| load(&boxes, Activity::Static).proxy_count());
        });
        let mut broad = load(&boxes, Activity::Static);
        println!(
            "{count} static boxes hold {} bytes each",
            broad.memory_bytes() / count
        );
        let chunk = 1000.min(count as u32);
        let mut first = 0;
        group.throughput(Throughput::Elements(u64::from(chunk)));
        group.bench_function(BenchmarkId::new("stream", count), |bencher| {
            bencher.iter(|| {
                for id in first..first + chunk {
                    broad.remove(id);
                }
                for id in first..first + chunk {
                    let (center, half) = boxes[id as usize];
                    let (aabb, activity) = (box_at(center, half), Activity::Static);
                    let def = ProxyDef {
                        aabb,
                        activity,
                        filter: Filter::default(),
                        owner: id,
                    };
                    broad.insert(id, def).expect("a free id and a valid box");
                }
                first = (first + chunk) % (count as u32 - chunk + 1);
                broad.update(&Workers::ALONE).removed.len()
            });
        });
    }
}

/// What does a query cost among more and more boxes?
fn queries(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("broad_phase/query");
    group
        .sample_size(10)
        .warm_up_time(Duration::from_millis(200));
    group.measurement_time(Duration::from_secs(1));
    for &count in counts() {
        let boxes = scene("volume", count);
        let broad = load(&boxes, Activity::Static);
        let half = 0.5 * (4.0 * count as f64).cbrt();
        let mut random = Random(11);
        group.bench_function(BenchmarkId::new("ray_10m_first", count), |bencher| {
            bencher.iter(|| {
                let origin = random.vector(half);
                let way = random.vector(1.0).normalize_or(DVec3::X) * 10.0;
                let mut first = f64::INFINITY;
                broad.cast_ray(origin, way, |_, fraction| {
                    first = first.min(fraction);
                    first
                });
                first
            });
        });
        group.bench_function(BenchmarkId::new("ray_across_all", count), |bencher| {
            bencher.iter(|| {
                let origin = random.vector(half).with_x(-half);
                let mut hits = 0;
                broad.cast_ray(origin, random.vector(half).with_x(half) - origin, |_, _| {
                    hits += 1;
                    1.0
                });
                hits
            });
        });
        group.bench_function(BenchmarkId::new("box_2m", count), |bencher| {
            bencher.iter(|| {
                let region = box_at(random.vector(half), 1.0);
                let mut hits = 0;
                let _ = broad.query_box(&region, |id| {
                    hits += 1;
                    black_box(id);
                    ControlFlow::Continue(())
                });
                hits
            });
        });
        group.bench_function(BenchmarkId::new("closest", count), |bencher| {
            bencher.iter(|| {
                let mut nearest = f64::INFINITY;
                broad.closest(random.vector(half), f64::INFINITY, |_, distance| {
                    nearest = nearest.min(distance);
                    nearest
                });
                nearest
            });
        });
    }
}

criterion_group!(benches, moving, streaming, queries);
criterion_main!(benches);
