//! Whole steps of scenes, as the people who run them see them.

use std::hint::black_box;
use std::path::Path;
use std::time::Duration;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use drystone_scene::Scene;

/// A scene some seconds after its start.
fn settled(name: &str, steps: u64) -> drystone::World {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../scenes")
        .join(name);
    let mut instance = Scene::load(&path).unwrap().build().unwrap();
    for _ in 0..steps {
        instance.step();
    }
    instance.world
}

/// What does a step cost where everything rests on everything: is it the solver alone?
fn resting(c: &mut Criterion) {
    let world = settled("arch.ron", 120);
    let mut group = c.benchmark_group("step");
    group
        .measurement_time(Duration::from_secs(3))
        .sample_size(20);
    group.bench_function("arch, 15 stones at rest", |b| {
        b.iter_batched_ref(
            || world.clone(),
            |world| world.step(),
            BatchSize::LargeInput,
        );
    });
    group.finish();
}

/// What does a step cost while a pile of mixed shapes falls together?
fn falling(c: &mut Criterion) {
    let world = settled("mixed_pile.ron", 90);
    let mut group = c.benchmark_group("step");
    group
        .measurement_time(Duration::from_secs(3))
        .sample_size(20);
    group.bench_function("mixed pile, 160 bodies falling", |b| {
        b.iter_batched_ref(
            || world.clone(),
            |world| world.step(),
            BatchSize::LargeInput,
        );
    });
    group.finish();
}

/// What does it cost to know that two worlds are equal?
fn hashing(c: &mut Criterion) {
    let world = settled("mixed_pile.ron", 90);
    c.bench_function("state hash of the mixed pile", |b| {
        b.iter(|| black_box(world.state_hash()))
    });
}

criterion_group!(benches, resting, falling, hashing);
criterion_main!(benches);
