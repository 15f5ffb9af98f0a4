//! Every scene survives a snapshot: what is restored, here or in another process, goes on
//! with the same hashes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use drystone::World;
use drystone_scene::Scene;

/// Steps at which a snapshot is taken; each is followed for a few steps.
const STEPS: [u64; 4] = [0, 1, 40, 100];
const FOLLOWED: u64 = 10;

/// Tells a child process which snapshot to follow.
const CHILD: &str = "DRYSTONE_TEST_SNAPSHOT";

fn scenes() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
    let mut paths: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "ron"))
        .collect();
    paths.sort();
    paths
}

fn hashes(world: &mut World) -> Vec<u64> {
    (0..FOLLOWED)
        .map(|_| {
            world.step();
            world.state_hash()
        })
        .collect()
}

/// The oracle is a clone that was never stored.
#[test]
fn every_scene_goes_on_alike_after_a_snapshot() {
    for path in scenes() {
        let mut instance = Scene::load(&path).unwrap().build().unwrap();
        for step in 0..=*STEPS.last().unwrap() {
            if STEPS.contains(&step) {
                let bytes = instance.world.snapshot();
                let mut restored = World::restore(&bytes)
                    .unwrap_or_else(|error| panic!("{} at {step}: {error}", path.display()));
                let place = format!("{} at {step}", path.display());
                assert_eq!(restored.snapshot(), bytes, "{place}");
                assert_eq!(
                    restored.state_hash(),
                    instance.world.state_hash(),
                    "{place}"
                );
                let expected = hashes(&mut instance.world.clone());
                assert_eq!(hashes(&mut restored), expected, "{place}");
            }
            instance.step();
        }
    }
}

/// The child finds nothing but the bytes.
#[test]
fn another_process_goes_on_alike() {
    if let Some(file) = std::env::var_os(CHILD) {
        let mut world = World::restore(&fs::read(file).unwrap()).unwrap();
        println!("followed {:016x?}", hashes(&mut world));
        return;
    }
    for name in ["arch.ron", "mixed_pile.ron", "joint_chain.ron"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../scenes")
            .join(name);
        let mut instance = Scene::load(&path).unwrap().build().unwrap();
        for _ in 0..70 {
            instance.step();
        }
        let file = std::env::temp_dir().join(format!("{name}-{}.snapshot", std::process::id()));
        fs::write(&file, instance.world.snapshot()).unwrap();
        let output = Command::new(std::env::current_exe().unwrap())
            .args(["another_process_goes_on_alike", "--exact", "--nocapture"])
            .env(CHILD, &file)
            .output()
            .unwrap();
        fs::remove_file(&file).unwrap();
        let told = String::from_utf8_lossy(&output.stdout).into_owned();
        let expected = format!("followed {:016x?}", hashes(&mut instance.world));
        assert!(told.contains(&expected), "{name}: {expected} in {told}");
    }
}
