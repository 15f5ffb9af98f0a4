//! The broad phase from a thousand boxes to a million.
//!
//! Does the cost of a moving box stay the same, however many others there are, however they
//! lie and however few of them move? A row is one frame: every moving box hops by a fifth of
//! its size, which takes it out of its fat box each time, then the pairs are brought up to
//! date. The throughput column counts moving boxes. What do boxes at rest cost a frame, and
//! what do loading, streaming and queries cost?

use std::hint::black_box;
use std::ops::{ControlFlow, Range};
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use drystone_benches::boxes::{Crowd, Random, SCENES, box_at};
use drystone_broad_phase::{Activity, BoxCast, BroadPhase, Filter, ProxyDef};
use drystone_geometry::Workers;
use drystone_geometry::glam::{DVec3, Vec3};

fn load(crowd: &Crowd, activity: Activity) -> BroadPhase {
    let mut broad = BroadPhase::new();
    broad
        .insert_many(&Workers::ALONE, defs(crowd, activity, 0..crowd.boxes.len()))
        .expect("free ids and valid boxes");
    broad.update(&Workers::ALONE);
    broad
}

fn defs(
    crowd: &Crowd,
    activity: Activity,
    ids: Range<usize>,
) -> impl Iterator<Item = (u32, ProxyDef)> {
    ids.map(move |id| {
        let def = ProxyDef {
            aabb: crowd.aabb(id),
            activity,
            filter: Filter::default(),
            owner: id as u32,
        };
        (id as u32, def)
    })
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
            let crowd = Crowd::new(name, count);
            let mut broad = load(&crowd, Activity::Awake);
            for (share, every) in [("all", 1), ("tenth", 10), ("hundredth", 100)] {
                let ids = crowd.chosen(every);
                let motion = vec![Vec3::ZERO; ids.len()];
                let [mut here, mut there] = crowd.hops(&ids);
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

/// What does a load of static boxes cost, and a frame in which a chunk of ten thousand of
/// them leaves and another arrives?
fn streaming(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("broad_phase/static");
    group
        .sample_size(10)
        .warm_up_time(Duration::from_millis(200));
    group.measurement_time(Duration::from_secs(1));
    for &count in counts() {
        let crowd = Crowd::new("terrain", count);
        group.throughput(Throughput::Elements(count as u64));
        group.bench_function(BenchmarkId::new("load", count), |bencher| {
            bencher.iter(|| load(&crowd, Activity::Static).proxy_count());
        });
        let mut broad = load(&crowd, Activity::Static);
        println!(
            "{count} static boxes hold {} bytes each",
            broad.memory_bytes() / count
        );
        let chunk = 10_000.min(count / 2);
        let mut first = 0;
        group.throughput(Throughput::Elements(chunk as u64));
        group.bench_function(BenchmarkId::new("stream", count), |bencher| {
            bencher.iter(|| {
                let ids: Vec<u32> = (first as u32..(first + chunk) as u32).collect();
                broad.remove_many(&ids);
                broad
                    .insert_many(
                        &Workers::ALONE,
                        defs(&crowd, Activity::Static, first..first + chunk),
                    )
                    .expect("free ids and valid boxes");
                first = (first + chunk) % (count - chunk + 1);
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
        let crowd = Crowd::new("volume", count);
        let broad = load(&crowd, Activity::Static);
        let half = 0.5 * (4.0 * count as f64).cbrt();
        let mut random = Random(11);
        group.bench_function(BenchmarkId::new("ray_10m_first", count), |bencher| {
            bencher.iter(|| {
                let way = random.vector(1.0).normalize_or(DVec3::X) * 10.0;
                let ray = BoxCast::ray(random.vector(half), way);
                broad.first_hit(&ray, |_, fraction| Some(fraction))
            });
        });
        let rays: Vec<BoxCast> = (0..1000)
            .map(|_| BoxCast::ray(random.vector(half), random.vector(10.0)))
            .collect();
        for threads in [1, 2] {
            let workers = Workers::new(threads).expect("threads for the benchmark");
            let name = format!("thousand_rays_{threads}_threads");
            group.bench_function(BenchmarkId::new(name, count), |bencher| {
                bencher.iter(|| broad.first_hits(&workers, &rays, |_, _, f| Some(f)));
            });
        }
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
            bencher.iter(|| broad.nearest(random.vector(half), f64::INFINITY, |_, d| Some(d)));
        });
    }
}

criterion_group!(benches, moving, streaming, queries);
criterion_main!(benches);
