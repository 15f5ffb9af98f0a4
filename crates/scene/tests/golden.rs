//! Golden hashes: every scene gives the bits it gave before, on any number of threads and with any
//! instruction set.
//!
//! A change that is meant to change results stores new ones with
//! `DRYSTONE_STORE_HASHES=1 cargo test -p drystone-scene --test golden`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use drystone::SimdLevel;
use drystone_scene::Scene;

/// Steps until the hash is taken: past the first touches of every scene.
const STEPS: u64 = 120;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn golden_file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden.txt")
}

/// All scenes but the large ones, by folder and name.
fn scenes() -> BTreeMap<String, PathBuf> {
    let mut scenes = BTreeMap::new();
    for folder in ["", "quality/", "cases/"] {
        for entry in fs::read_dir(root().join("scenes").join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "ron") {
                let name = path.file_stem().unwrap().to_str().unwrap();
                scenes.insert(format!("{folder}{name}"), path);
            }
        }
    }
    scenes
}

fn hash(path: &Path, threads: usize, simd: SimdLevel) -> u64 {
    let mut scene = Scene::load(path).unwrap();
    scene.settings.threads = threads;
    scene.settings.simd = simd;
    let mut instance = scene.build().unwrap();
    for _ in 0..STEPS {
        instance.step();
    }
    instance.world.state_hash()
}

/// The oracle is the stored file, written on another day or machine.
#[test]
fn every_scene_gives_its_golden_hash() {
    let found: String = scenes()
        .iter()
        .map(|(name, path)| format!("{name} {:016x}\n", hash(path, 1, SimdLevel::Auto)))
        .collect();
    if std::env::var_os("DRYSTONE_STORE_HASHES").is_some() {
        fs::write(golden_file(), &found).unwrap();
    }
    let golden = fs::read_to_string(golden_file()).unwrap();
    assert_eq!(found, golden, "results changed");
}

/// The oracle is the run on one thread. The levels of the machine take turns.
#[test]
fn threads_and_instruction_sets_change_no_hash() {
    let mut levels = SimdLevel::available().into_iter().cycle();
    for (name, path) in scenes() {
        let expected = hash(&path, 1, SimdLevel::Auto);
        for threads in [2, 3, 4, 8] {
            let level = levels.next().unwrap_or(SimdLevel::Auto);
            assert_eq!(
                hash(&path, threads, level),
                expected,
                "{name} on {threads} threads with {level}"
            );
        }
    }
}
