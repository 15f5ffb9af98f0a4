//! The solver alone, on contacts at rest.

use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use drystone_benches::stacks::Stacks;
use drystone_geometry::{SimdLevel, Workers};

/// What does a contact cost in one big island, and what in many small ones: does the shape of
/// the islands matter, and what does a second worker bring?
fn islands(c: &mut Criterion) {
    let mut group = c.benchmark_group("solver");
    group
        .measurement_time(Duration::from_secs(3))
        .sample_size(10);
    for (name, count, base) in [
        ("one island, 820 boxes", 1, 40),
        ("one island, 5,050 boxes", 1, 100),
        ("140 islands of 36 boxes", 140, 8),
        ("1,000 islands of one box", 1000, 1),
    ] {
        let mut stacks = Stacks::pyramids(count, base, SimdLevel::Auto);
        for _ in 0..10 {
            stacks.step(&Workers::ALONE);
        }
        group.throughput(Throughput::Elements(stacks.contact_count() as u64));
        for threads in [1, 2] {
            let workers = Workers::new(threads).expect("threads");
            group.bench_function(format!("{name}, {threads} workers"), |b| {
                // Resting boxes stay at rest, so one world serves all steps.
                b.iter(|| stacks.step(&workers));
            });
        }
    }
    group.finish();
}

criterion_group!(benches, islands);
criterion_main!(benches);
