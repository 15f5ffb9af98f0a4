//! Any text as a scene file: mistakes are named at a place in the text, and what is read can
//! be written, read again, built and stepped.
#![no_main]

use drystone_scene::Scene;
use libfuzzer_sys::fuzz_target;

/// Larger worlds are read but not built: a pattern of a few letters may mean very many.
const MOST_BODIES: usize = 60;

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    let mut nothing = |_: &str| Err("there are no other files".to_owned());
    match Scene::parse_with(text, "fuzz.ron", &mut nothing) {
        Ok(scene) => check(&scene),
        Err(errors) => {
            assert!(!errors.errors.is_empty());
            for error in &errors.errors {
                assert!(error.line_start <= error.line_end, "{error:?}");
                assert!(
                    error.source_line.is_char_boundary(error.line_start),
                    "{error:?}"
                );
                assert!(!error.message.is_empty());
            }
        }
    }
});

fn check(scene: &Scene) {
    if scene.bodies.len() > MOST_BODIES {
        return;
    }
    let written = scene.to_ron();
    let mut nothing = |_: &str| Err("there are no other files".to_owned());
    let again = Scene::parse_with(written.clone(), "again.ron", &mut nothing);
    let again = again.unwrap_or_else(|errors| panic!("{errors}\n{written}"));
    assert_eq!(again.bodies.len(), scene.bodies.len());
    assert_eq!(again.joints.len(), scene.joints.len());
    if let Ok(mut instance) = scene.build() {
        for _ in 0..3 {
            instance.step();
        }
    }
}
