//! What the binary answers: exit codes, streams, files. One test per exit code and more.

use std::path::PathBuf;
use std::process::{Command, Output};

/// A folder of this test's own, emptied first.
fn folder(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).expect("a folder for the test");
    path
}

fn drystone(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_drystone"))
        .args(arguments)
        .env_remove("NO_COLOR")
        .output()
        .expect("the binary runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn scene(folder: &std::path::Path, name: &str, content: &str) -> String {
    let path = folder.join(name);
    std::fs::write(&path, content).expect("a scene for the test");
    path.display().to_string()
}

const FALLING: &str = r#"(
    format: 1,
    about: "A ball falls for half a second.",
    bodies: [(name: "ball", shape: Sphere(radius: 0.5), position: (0, 10, 0))],
    expect: [Falls(body: "ball", by_more_than: 1, before: 0.5)],
)"#;

/// The scene does what it expects: 0, and the summary names what was asked for.
#[test]
fn a_scene_that_keeps_its_promise_ends_with_0() {
    let folder = folder("done");
    let file = scene(&folder, "fall.ron", FALLING);
    for command in ["run", "check"] {
        let output = drystone(&[command, &file]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    }
    let out = text(&drystone(&["run", &file, "--stats"]).stdout);
    for word in [
        "bodies",
        "contacts",
        "broad",
        "real time",
        "narrow phase",
        "hash",
        "1 of 1 came true",
    ] {
        assert!(out.contains(word), "{word} in {out}");
    }
    assert_eq!(text(&drystone(&["run", &file, "--quiet"]).stdout), "");
}

/// An expectation fails: 1, and the answer says which, where and by how much.
#[test]
fn a_broken_promise_ends_with_1() {
    let folder = folder("failed");
    let broken = FALLING.replace("by_more_than: 1,", "by_more_than: 5,");
    let file = scene(&folder, "fall.ron", &broken);
    for command in ["run", "check"] {
        let output = drystone(&[command, &file]);
        assert_eq!(output.status.code(), Some(1));
        let out = text(&output.stdout);
        for word in [
            "FAILED",
            "fall.ron:5",
            "`ball` dropped 1.2",
            "at least 5 m",
            "missed by 3.",
        ] {
            assert!(out.contains(word), "{word} in {out}");
        }
    }
    let pictures = folder.join("pictures");
    let wanted = pictures.display().to_string();
    let output = drystone(&["check", &file, "--picture-on-fail", &wanted]);
    assert_eq!(output.status.code(), Some(1));
    let drawn: Vec<_> = std::fs::read_dir(&pictures).expect("it was made").collect();
    assert_eq!(drawn.len(), 1);
    let path = drawn[0].as_ref().expect("a file").path();
    let svg = std::fs::read_to_string(&path).expect("a picture");
    assert!(svg.starts_with("<svg") && path.display().to_string().ends_with("fall.svg"));
    let inside = format!("{file}/pictures");
    let output = drystone(&["check", &file, "--picture-on-fail", &inside]);
    assert_eq!(output.status.code(), Some(4));
}

/// Mistakes in the file and on the command line: 2, shown as a compiler would, all at once.
#[test]
fn a_bad_scene_and_bad_usage_end_with_2() {
    let folder = folder("bad");
    let file = scene(
        &folder,
        "bad.ron",
        "(\n    format: 1,\n    bodies: [\n        (name: \"a\", shpae: Sphere(radius: -1)),\n        (shape: Sphere(radius: 0)),\n    ],\n)\n",
    );
    for command in ["run", "check"] {
        let output = drystone(&[command, &file]);
        assert_eq!(output.status.code(), Some(2));
        let error = text(&output.stderr);
        for word in [
            "error[unknown-field]",
            "bad.ron:4:21",
            "^^^^^",
            "did you mean `shape`?",
            "error[out-of-range]",
        ] {
            assert!(error.contains(word), "{word} in {error}");
        }
        assert!(!error.contains('\u{1b}'), "no colours into a pipe");
    }
    let good = scene(&folder, "good.ron", FALLING);
    let still = "(format: 1, settings: (dt: 0), bodies: [])";
    let still = scene(&folder, "still.ron", still);
    for arguments in [
        &["run"][..],
        &["fly"],
        &["run", &file, "--steps", "0"],
        &["run", &file, "--simd", "mmx"],
        &["run", &file, "--seconds", "-1"],
        &["run", &good, "--seconds", "1e300"],
        &["run", &good, "--steps", "1000000001"],
        &["run", &still, "--seconds", "1"],
        &["shot", &good, "--at", "1e300", "-o", "never.svg"],
        &["view", &good, "--to", "1e300", "-o", "never.html"],
        &[
            "view",
            &good,
            "--to",
            "1",
            "--from",
            "2",
            "-o",
            "never.html",
        ],
        &["view", &good, "--to", "1"],
        &[
            "check",
            &folder.join("none").join("x").display().to_string(),
            "--color",
        ],
        &["schema", "nothing"],
    ] {
        assert_eq!(drystone(arguments).status.code(), Some(2), "{arguments:?}");
    }
    let output = drystone(&["run", &good, "--record", "poses.txt"]);
    assert_eq!(
        output.status.code(),
        Some(2),
        "unknown format of a recording"
    );
}

/// A body leaves the world: 3, and the answer says which and when.
#[test]
fn a_run_that_diverges_ends_with_3() {
    let folder = folder("diverged");
    // Steps of 1000 s take a fast body out of any world soon.
    let file = scene(
        &folder,
        "away.ron",
        "(format: 1, settings: (dt: 1000, gravity: (0, 0, 0)), duration: 1000000,
            bodies: [(name: \"comet\", shape: Sphere(radius: 1), position: (1e9, 1e9, 1e9),
                linear_velocity: (1e6, 0, 0))],
            motion: [], expect: [])",
    );
    let ends_with_3 = ["run", "check"].map(|command| {
        let output = drystone(&[command, &file]);
        (output.status.code(), text(&output.stderr))
    });
    for (code, error) in ends_with_3 {
        assert_eq!(code, Some(3), "{error}");
        assert!(
            error.contains("diverged at") && error.contains("`comet`"),
            "{error}"
        );
    }
}

/// Files that cannot be read or written: 4, and worth trying again.
#[test]
fn unreadable_and_unwritable_files_end_with_4() {
    let folder = folder("io");
    let file = scene(&folder, "fall.ron", FALLING);
    let missing = folder.join("missing.ron").display().to_string();
    for command in ["run", "check"] {
        let output = drystone(&[command, &missing]);
        assert_eq!(output.status.code(), Some(4));
        assert!(text(&output.stderr).contains("cannot read"));
    }
    let nowhere = folder.join("no/such/folder/out.csv").display().to_string();
    let output = drystone(&["run", &file, "--record", &nowhere]);
    assert_eq!(output.status.code(), Some(4), "{}", text(&output.stderr));
}

/// A recording appears complete and under its own name only; its lines are counted by hand:
/// 30 steps of one body.
#[test]
fn recordings_are_complete_and_leave_nothing_behind() {
    let folder = folder("record");
    let file = scene(&folder, "fall.ron", FALLING);
    let csv = folder.join("fall.csv");
    let json = folder.join("fall.jsonl");
    for path in [&csv, &json] {
        let output = drystone(&[
            "run",
            &file,
            "--record",
            &path.display().to_string(),
            "--quiet",
        ]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    }
    let csv = std::fs::read_to_string(csv).expect("a recording");
    assert_eq!(csv.lines().count(), 31);
    assert!(
        csv.lines()
            .nth(30)
            .is_some_and(|line| line.starts_with("30,") && line.contains(",ball,"))
    );
    let json = std::fs::read_to_string(json).expect("a recording");
    assert_eq!(json.lines().count(), 30);
    for line in json.lines() {
        let value: serde_json::Value = serde_json::from_str(line).expect("JSON");
        assert_eq!(
            value["bodies"]["ball"]["position"].as_array().map(Vec::len),
            Some(3)
        );
    }
    let left: Vec<_> = std::fs::read_dir(&folder)
        .expect("the folder")
        .flatten()
        .collect();
    assert_eq!(left.len(), 3, "{left:?}");
}

/// Folders are walked, in folders only when asked; the worst outcome counts.
#[test]
fn check_walks_folders() {
    let folder = folder("walk");
    std::fs::create_dir(folder.join("inner")).expect("a folder");
    scene(&folder, "a.ron", FALLING);
    scene(&folder, "notes.txt", "not a scene");
    scene(
        &folder.join("inner"),
        "b.ron",
        &FALLING.replace("by_more_than: 1,", "by_more_than: 5,"),
    );
    let path = folder.display().to_string();
    let flat = drystone(&["check", &path]);
    assert_eq!(flat.status.code(), Some(0));
    assert!(text(&flat.stdout).contains("1 of 1 scenes passed"));
    let empty = folder.join("inner").join("empty");
    std::fs::create_dir(&empty).expect("a folder");
    let none = drystone(&["check", &path, &empty.display().to_string()]);
    assert_eq!(none.status.code(), Some(2));
    assert!(text(&none.stderr).contains("no .ron files in"));
    let deep = drystone(&["check", &path, "--recursive"]);
    assert_eq!(deep.status.code(), Some(1));
    assert!(text(&deep.stdout).contains("1 of 2 scenes passed"));
}

/// The hash does not depend on threads or instruction set.
#[test]
fn the_hash_is_the_same_for_any_threads_and_instructions() {
    let folder = folder("hash");
    let file = scene(
        &folder,
        "pile.ron",
        "(format: 1, duration: 1, bodies: [(kind: Static, shape: HalfSpace())],
            patterns: [Pile(name: \"p\", count: 20, columns: (2, 2), position: (0, 1, 0),
                shapes: [Sphere(radius: 0.4), Box(half_extents: (0.3, 0.4, 0.3))])])",
    );
    let hash = |more: &[&str]| {
        let output = drystone(&[&["run", &file], more].concat());
        let out = text(&output.stdout);
        let line = out
            .lines()
            .find(|line| line.starts_with("hash"))
            .map(str::to_owned);
        line.unwrap_or_else(|| panic!("{out}{}", text(&output.stderr)))
    };
    let one = hash(&[]);
    for more in [
        &["--threads", "2"][..],
        &["--threads", "3"],
        &["--simd", "fallback"],
        &["--threads", "0"],
    ] {
        assert_eq!(hash(more), one, "{more:?}");
    }
}

/// Help teaches by example, and version and schema are there.
#[test]
fn help_version_and_schema_are_answers() {
    for (arguments, word) in [
        (&["--help"][..], "Examples:"),
        (&["run", "--help"], "drystone run scenes/arch.ron"),
        (&["check", "--help"], "--recursive"),
        (&["--version"], env!("CARGO_PKG_VERSION")),
        (&["schema"], "rolling_resistance"),
        (&["schema", "arch"], "thickness"),
    ] {
        let output = drystone(arguments);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
        assert!(text(&output.stdout).contains(word), "{arguments:?}");
    }
}

/// A run is recorded and replayed: the same bits, 0. A damaged file is refused with a reason,
/// 2, and a missing one is 4.
#[test]
fn a_recorded_run_is_replayed_bit_for_bit() {
    let folder = folder("replay");
    let file = scene(&folder, "fall.ron", FALLING);
    let journal = folder.join("fall.rec");
    let path = journal.display().to_string();
    let output = drystone(&["run", &file, "--journal", &path]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let output = drystone(&["replay", &path]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("came out the same"));
    let mut bytes = std::fs::read(&journal).expect("the recording");
    bytes[100] ^= 1;
    std::fs::write(&journal, bytes).expect("a damaged recording");
    let output = drystone(&["replay", &path]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("checksum"));
    assert_eq!(drystone(&["replay", "nowhere.rec"]).status.code(), Some(4));
}

/// Nobody reads on, as `head` does not: no complaint, and the exit code is what it was.
#[test]
fn a_reader_that_has_gone_is_no_mistake() {
    let folder = folder("gone");
    let file = scene(&folder, "fall.ron", FALLING);
    let never = FALLING.replace("by_more_than: 1", "by_more_than: 100");
    let never = scene(&folder, "never.ron", &never);
    let recording = folder.join("fall.rec").display().to_string();
    let made = drystone(&["run", &file, "--journal", &recording]);
    assert_eq!(made.status.code(), Some(0), "{}", text(&made.stderr));
    for (arguments, code) in [
        (&["run", &file, "--stats"][..], 0),
        (&["run", &never], 1),
        (&["check", "--verbose", &file], 0),
        (&["check", &never], 1),
        (&["bench", &file, "--steps", "2"], 0),
        (&["replay", &recording], 0),
        (&["schema"], 0),
    ] {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let output = Command::new(env!("CARGO_BIN_EXE_drystone"))
            .args(arguments)
            .stdout(writer)
            .output()
            .expect("the binary runs");
        let complaint = text(&output.stderr);
        assert_eq!(
            output.status.code(),
            Some(code),
            "{arguments:?}: {complaint}"
        );
        assert!(
            !complaint.contains("panicked"),
            "{arguments:?}: {complaint}"
        );
    }
}
