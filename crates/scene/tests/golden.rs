//! Golden hashes: every scene gives the bits it gave before, on any number of threads.
//!
//! A change that is meant to change results stores new ones with
//! `DRYSTONE_STORE_HASHES=1 cargo test -p drystone-scene --test golden`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use drystone_scene::Scene;

/// Steps until the hash is taken: past the first touches of every scene.
const STEPS: u64 = 120;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn golden_file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden.txt")
}

/// The quick scenes, by name.
fn scenes() -> BTreeMap<String, PathBuf> {
    let folder = fs::read_dir(root().join("scenes")).unwrap();
    folder
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "ron"))
        .map(|path| (path.file_stem().unwrap().to_str().unwrap().to_owned(), path))
        .collect()
}

fn hash(path: &Path, threads: usize) -> u64 {
    let mut scene = Scene::load(path).unwrap();
    scene.settings.threads = threads;
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
        .map(|(name, path)| format!("{name} {:016x}\n", hash(path, 1)))
        .collect();
    if std::env::var_os("DRYSTONE_STORE_HASHES").is_some() {
        fs::write(golden_file(), &found).unwrap();
    }
    let golden = fs::read_to_string(golden_file()).unwrap();
    assert_eq!(found, golden, "results changed");
}

/// The oracle is the run on one thread.
#[test]
fn the_number_of_threads_changes_no_hash() {
    for (name, path) in scenes() {
        let expected = hash(&path, 1);
        for threads in [2, 3, 4, 8] {
            assert_eq!(
                hash(&path, threads),
                expected,
                "{name} on {threads} threads"
            );
        }
    }
}
