//! Runs the golden hashes of `drystone-scene` with glam's `scalar-math`; see `Cargo.toml`.
#![forbid(unsafe_code)]

#[cfg(test)]
mod tests {
    use std::path::Path;

    use drystone_scene::Scene;

    /// The oracle is the file of hashes that the ordinary build gives.
    #[test]
    fn scalar_arithmetic_changes_no_hash() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let golden = std::fs::read_to_string(root.join("crates/scene/tests/golden.txt")).unwrap();
        assert!(golden.lines().count() > 10);
        for line in golden.lines() {
            let (name, hash) = line.split_once(' ').unwrap();
            let scene = Scene::load(&root.join(format!("scenes/{name}.ron"))).unwrap();
            let mut instance = scene.build().unwrap();
            for _ in 0..120 {
                instance.step();
            }
            assert_eq!(format!("{:016x}", instance.world.state_hash()), hash, "{name}");
        }
    }

    /// Otherwise the test above would prove nothing: glam's SSE2 quaternion is aligned to 16
    /// bytes, the scalar one to 4.
    #[test]
    fn this_build_is_scalar() {
        assert_eq!(align_of::<glam::Quat>(), 4);
    }
}
