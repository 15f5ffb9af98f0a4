//! Scene files are RON: what this crate reads, the `ron` crate reads too.

use std::path::{Path, PathBuf};

use drystone_scene::Scene;
use drystone_scene::pair::PairQuery;
use ron::extensions::Extensions;

fn scenes(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)
        .expect("the folder of scenes")
        .flatten()
    {
        let path = entry.path();
        if path.is_dir() {
            found.extend(scenes(&path));
        } else if path.extension().is_some_and(|extension| extension == "ron") {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn is_ron(text: &str) -> Result<(), String> {
    let extensions = Extensions::IMPLICIT_SOME | Extensions::UNWRAP_VARIANT_NEWTYPES;
    let options = ron::Options::default().with_default_extension(extensions);
    let read = options.from_str::<serde::de::IgnoredAny>(text);
    read.map(|_| ()).map_err(|error| error.to_string())
}

/// All scenes of the project load, and are RON by the judgement of its own reader.
#[test]
fn every_scene_loads_and_is_ron() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
    let files = scenes(&folder);
    assert!(files.len() >= 15, "{files:?}");
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a scene");
        is_ron(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        if file
            .parent()
            .is_some_and(|folder| folder.ends_with("pairs"))
        {
            PairQuery::load(&file).unwrap_or_else(|error| panic!("{error}"));
            continue;
        }
        let scene = Scene::load(&file).unwrap_or_else(|error| panic!("{error}"));
        assert!(
            !scene.about.is_empty(),
            "{} says what it shows",
            file.display()
        );
        assert!(
            !scene.expectations.is_empty(),
            "{} expects something",
            file.display()
        );
    }
}

/// Small pieces in every spelling: both readers agree on whether they are RON.
#[test]
fn both_readers_agree_on_small_pieces() {
    for (piece, expected) in [
        ("\"a\\tb\\x41\\u{e4}\"", true),
        ("r##\"raw \"# text\"##", true),
        ("\"open", false),
        ("\"\\q\"", false),
    ] {
        let text = format!("(format: 1, about: {piece})");
        assert_eq!(is_ron(&text).is_ok(), expected, "ron: {piece}");
        assert_eq!(
            Scene::parse(text, "t.ron").is_ok(),
            expected,
            "ours: {piece}"
        );
    }
    for (piece, expected) in [
        ("1", true),
        ("1.0", true),
        ("+1", true),
        ("1e-2", true),
        ("0x1F", true),
        ("0b11", true),
        ("1_0.5", true),
        ("0x", false),
        ("1e", false),
    ] {
        let text = format!("(format: 1, duration: {piece})");
        assert_eq!(is_ron(&text).is_ok(), expected, "ron: {piece}");
        assert_eq!(
            Scene::parse(text, "t.ron").is_ok(),
            expected,
            "ours: {piece}"
        );
    }
}
