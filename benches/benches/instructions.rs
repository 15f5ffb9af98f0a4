//! Instructions of the hot kernels, counted by Valgrind: the same on a busy machine as on a
//! quiet one, so that a change of two in a hundred shows.
//!
//! ```sh
//! cargo install gungraun-runner --version 0.20.0         # once; needs valgrind too
//! cargo bench -p drystone-benches --bench instructions   # compares with the run before
//! ```
//!
//! It fails when a kernel needs 2 % more instructions than in the run before. The instruction
//! set is forced, because Valgrind knows fewer than the machine: SSE2, and for the solver alone
//! AVX2 too. Whole steps ask for SSE2: Valgrind 3.19 stops at the `vmovq` between registers
//! (VEX.66.0F D6) that compilers may choose in AVX code. `cargo bench` without a name leaves
//! this benchmark out.

// The macros make undocumented items of their own.
#![allow(missing_docs)]

use drystone::World;
use drystone_benches::stacks::Stacks;
use drystone_broad_phase::{Activity, BroadPhase, Filter, ProxyDef};
use drystone_geometry::glam::{DVec3, Vec3};
use drystone_geometry::{SimdLevel, Workers, WorldAabb};
use drystone_scene::Scene;
use gungraun::prelude::*;
use gungraun::{Callgrind, CallgrindMetrics, EventKind};

/// A settled pyramid of 210 boxes for the solver alone.
fn pyramid(level: SimdLevel) -> Stacks {
    let mut stacks = Stacks::pyramids(1, 20, level);
    for _ in 0..3 {
        stacks.step(&Workers::ALONE);
    }
    stacks
}

// Does a resting contact still cost the solver what it did?
#[library_benchmark(setup = pyramid)]
#[bench::sse2(SimdLevel::Sse2)]
#[bench::avx2(SimdLevel::Avx2)]
fn solve_pyramid(mut stacks: Stacks) -> Stacks {
    stacks.step(&Workers::ALONE);
    stacks
}

fn settled(name: &str) -> World {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../scenes/");
    let mut scene = Scene::load(format!("{file}{name}.ron")).expect("a scene of this repository");
    scene.settings.simd = SimdLevel::Sse2;
    let mut instance = scene.build().expect("it builds");
    for _ in 0..90 {
        instance.step();
    }
    instance.world
}

// Do whole steps still cost what they did: at rest, and while shapes of every kind fall?
#[library_benchmark(setup = settled)]
#[bench::arch_at_rest("arch")]
#[bench::mixed_pile_falling("mixed_pile")]
fn step_world(mut world: World) -> World {
    world.step();
    world
}

// Does the state hash?
#[library_benchmark(setup = settled)]
#[bench::mixed_pile("mixed_pile")]
fn hash_world(world: World) -> (u64, World) {
    (world.state_hash(), world)
}

/// A cube of 1,000 boxes of which every one has left its margin.
fn moved_boxes() -> BroadPhase {
    let mut broad = BroadPhase::new();
    let cube = |id: u32, shift: f64| {
        let place = [id % 10, id / 10 % 10, id / 100].map(|k| 1.5 * f64::from(k) + shift);
        WorldAabb {
            min: DVec3::from_array(place),
            max: DVec3::from_array(place) + DVec3::splat(1.6),
        }
    };
    for id in 0..1000 {
        let def = ProxyDef {
            aabb: cube(id, 0.0),
            activity: Activity::Awake,
            filter: Filter::default(),
            owner: id,
        };
        broad.insert(id, def).expect("a finite box");
    }
    broad.update(&Workers::ALONE);
    for id in 0..1000 {
        let moved = broad.move_proxy(id, cube(id, 0.7), Vec3::ZERO);
        moved.expect("a finite box");
    }
    broad
}

// Does the search for new pairs?
#[library_benchmark(setup = moved_boxes)]
#[bench::all_of_1000()]
fn update_pairs(mut broad: BroadPhase) -> BroadPhase {
    broad.update(&Workers::ALONE);
    broad
}

library_benchmark_group!(
    name = kernels,
    benchmarks = [solve_pyramid, step_world, hash_world, update_pairs]
);

main!(
    config = LibraryBenchmarkConfig::default().tool(
        Callgrind::with_args(["--cache-sim=no"])
            .format([CallgrindMetrics::SingleEvent(EventKind::Ir)])
            .soft_limits([(EventKind::Ir, 2.0)])
    ),
    library_benchmark_groups = kernels
);
