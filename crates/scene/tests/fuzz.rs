//! Mutilated files never panic: they load or they are answered.

use std::path::Path;

use drystone_scene::{LoadError, Scene};
use proptest::prelude::*;

fn corpus() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut texts = Vec::new();
    for folder in [root.join("../../scenes"), root.join("tests/bad")] {
        let mut files: Vec<_> = std::fs::read_dir(folder)
            .expect("a folder of scenes")
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| path.extension().is_some_and(|extension| extension == "ron"))
            .collect();
        files.sort();
        texts.extend(
            files
                .iter()
                .filter_map(|file| std::fs::read_to_string(file).ok()),
        );
    }
    // A file that makes millions of bodies is slow to read and says nothing new here.
    texts.retain(|text| text.len() < 20_000 && !text.contains("1000"));
    texts
}

/// One change: delete a stretch, repeat it, or put something else in its place.
#[derive(Clone, Debug)]
struct Change {
    at: f64,
    length: usize,
    with: &'static str,
}

fn change() -> impl Strategy<Value = Change> {
    let pieces = prop::sample::select(vec![
        "",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        ",",
        ":",
        "\"",
        "r#\"",
        "'",
        "-",
        "NaN",
        "inf",
        "1e999",
        "-0.0",
        "0x",
        "None",
        "Some(",
        "Some(None)",
        "\\u{0}",
        "/*",
        "//",
        "\u{e4}\u{1f600}",
        "=",
        "#![enable(",
        "Degrees(90)",
        "99999999999999999999",
        "(1, 2)",
        "all",
        "true",
    ]);
    (0.0..1.0f64, 0..12usize, pieces).prop_map(|(at, length, with)| Change { at, length, with })
}

fn apply(text: &str, change: &Change) -> String {
    let boundary = |mut at: usize| {
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let start = boundary((text.len() as f64 * change.at) as usize);
    let end = boundary((start + change.length).min(text.len())).max(start);
    format!("{}{}{}", &text[..start], change.with, &text[end..])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    /// Real scenes and the corpus of mistakes, with up to four changes: reading them ends
    /// without a panic, and a refusal always says at least one thing, inside its line.
    #[test]
    fn mutated_files_never_panic(
        pick in any::<prop::sample::Index>(),
        changes in prop::collection::vec(change(), 1..4),
    ) {
        let corpus = corpus();
        let mut text = pick.get(&corpus).clone();
        for change in &changes {
            text = apply(&text, change);
        }
        let read = Scene::parse_with(text, "fuzz.ron", &mut |_| Err("no files here".to_owned()));
        if let Err(errors) = read {
            prop_assert!(!errors.errors.is_empty());
            for error in &errors.errors {
                prop_assert!(error.line_start <= error.line_end);
                prop_assert!(error.line_end <= error.source_line.len());
                prop_assert!(!error.message.is_empty());
            }
        }
    }

    /// Arbitrary characters.
    #[test]
    fn arbitrary_text_never_panics(text in "\\PC{0,200}") {
        let _ = Scene::parse_with(text, "fuzz.ron", &mut |_| Err("no files here".to_owned()));
    }
}

/// A folder is not a file, whatever the system calls the error.
#[test]
fn a_folder_is_not_a_scene() {
    let error = Scene::load(env!("CARGO_MANIFEST_DIR")).expect_err("a folder");
    assert!(matches!(error, LoadError::Unreadable { .. }));
}
