//! Every file in `tests/bad` is refused, and the snapshot beside it holds the whole answer:
//! place, source line, message, help.

use std::fmt::Write;
use std::path::Path;

use drystone_scene::{LoadError, Scene, SceneErrors};

/// The answer as text: what a terminal shows, without its colours.
fn show(errors: &SceneErrors) -> String {
    let mut text = String::new();
    for error in &errors.errors {
        let _ = writeln!(text, "error[{}]: {}", error.code, error.message);
        let _ = writeln!(text, "  --> {}:{}:{}", error.file, error.line, error.column);
        let _ = writeln!(text, "   | {}", error.source_line);
        let before = error.source_line[..error.line_start].chars().count();
        let marked = error.source_line[error.line_start..error.line_end]
            .chars()
            .count();
        let _ = writeln!(
            text,
            "   | {}{}",
            " ".repeat(before),
            "^".repeat(marked.max(1))
        );
        if let Some(help) = &error.help {
            let _ = writeln!(text, "   = help: {help}");
        }
    }
    if errors.more > 0 {
        let _ = writeln!(text, "and {} more", errors.more);
    }
    text
}

/// The corpus of mistakes people make. The answers are snapshots read by eye: each names
/// the thing, stands at its token, and says the cure where there is one.
#[test]
fn every_bad_file_is_answered_with_place_and_help() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bad");
    let entries = std::fs::read_dir(&folder).expect("the folder of bad files");
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter_map(|name| name.strip_suffix(".ron").map(str::to_owned))
        .collect();
    names.sort();
    assert!(names.len() > 30, "the corpus is complete: {}", names.len());
    for name in names {
        let file = format!("{name}.ron");
        let text = std::fs::read_to_string(folder.join(&file)).expect("a bad file");
        let mut beside =
            |path: &str| std::fs::read(folder.join(path)).map_err(|_| "no such file".to_owned());
        let errors = match Scene::parse_with(text, &file, &mut beside) {
            Ok(scene) => scene.build().expect_err(&file),
            Err(errors) => errors,
        };
        assert!(!errors.errors.is_empty(), "{file}");
        assert!(errors.errors.len() <= 20, "{file}");
        insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
            insta::assert_snapshot!(name, show(&errors));
        });
    }
}

/// A file that is not there is no mistake in a scene: the caller may try again.
#[test]
fn a_missing_file_is_not_a_bad_scene() {
    let error = Scene::load("no/such/file.ron").expect_err("there is no such file");
    assert!(matches!(error, LoadError::Unreadable { .. }), "{error}");
}
