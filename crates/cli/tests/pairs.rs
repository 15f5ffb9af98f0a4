//! `drystone query` and `drystone explain`: what they print, refuse and draw.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .expect("the workspace")
}

fn drystone(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_drystone"))
        .args(arguments)
        .current_dir(root())
        .env("NO_COLOR", "1")
        .output()
        .expect("the command runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A folder of its own for a test.
fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("drystone-pairs-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// The example pairs, as text, read by eye: each shows what its first sentence says.
#[test]
fn example_pairs_are_answered() {
    let mut names: Vec<String> = std::fs::read_dir(root().join("scenes/pairs"))
        .expect("the folder of pairs")
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .collect();
    names.sort();
    assert!(names.len() > 5, "{names:?}");
    for name in names {
        let path = format!("scenes/pairs/{name}");
        let output = drystone(&["query", &path]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let told = text(&output.stdout);
        assert!(told.lines().next().is_some_and(|about| about.len() > 40));
        let name = name.trim_end_matches(".ron").to_owned();
        insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
            insta::assert_snapshot!(name, told);
        });
    }
}

/// A trace in words, read by eye: slides and the proof of the depth, each with its reason to end.
#[test]
fn a_trace_is_told_in_words() {
    let output = drystone(&["explain", "scenes/pairs/deep_hulls.ron"]);
    assert_eq!(output.status.code(), Some(0));
    insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!("deep_hulls_explained", text(&output.stdout));
    });
}

/// A ray and two casts as JSON; the times are found by hand in the files' first sentences.
#[test]
fn rays_and_casts_end_at_known_times() {
    let asked = |name: &str, arguments: &[&str]| {
        let path = format!("scenes/pairs/{name}.ron");
        let output = drystone(&[&["query", &path], arguments].concat());
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    let json = |name: &str| -> serde_json::Value {
        serde_json::from_str(&asked(name, &["--json"])).expect("one line of JSON")
    };
    let near = |told: &serde_json::Value, expected: f64| {
        let value = told.as_f64().expect("a number");
        assert!((value - expected).abs() < 1e-6, "{value} is not {expected}");
    };
    let cone = json("falling_cone");
    assert_eq!(cone["cast"]["end"], "hit");
    near(&cone["cast"]["time"], 0.5);
    near(&cone["cast"]["approach"], 4.0);
    near(&cone["point_b"][1], 0.5);
    near(&cone["normal"][1], 1.0);
    let bar = json("swung_bar");
    assert_eq!(bar["cast"]["end"], "hit");
    near(&bar["cast"]["time"], (90.0 - 17.457_603_124) / 270.0);
    let ray = json("ray_through");
    assert_eq!(ray["ray"]["first"], "a");
    near(&ray["ray"]["a"]["fraction"], 0.375);
    near(&ray["ray"]["b"]["fraction"], 0.75);
    near(&ray["ray"]["b"]["normal"][1], -1.0);
    assert_eq!(ray["ray"]["b"]["feature"], "face 0");
    let told = drystone(&["explain", "scenes/pairs/falling_cone.ron"]);
    let told = text(&told.stdout);
    assert!(told.contains("they are at least 2 m apart"), "{told}");
    assert!(told.contains("At time 0.5 they touch."), "{told}");
}

/// Two cubes as OBJ files, 2 m apart by hand, also after a quarter turn that changes
/// nothing; as JSON.
#[test]
fn two_hull_files_are_a_pair() {
    let folder = folder("cubes");
    let mut cube = String::new();
    for corner in 0..8 {
        let at = |bit: i32| f64::from(corner >> bit & 1) - 0.5;
        cube.push_str(&format!("v {} {} {}\n", at(0), at(1), at(2)));
    }
    let [a, b] = ["a.obj", "b.obj"].map(|name| {
        let path = folder.join(name);
        std::fs::write(&path, &cube).expect("written");
        path.display().to_string()
    });
    let place = [
        "query", &a, &b, "--at", "-3,0,0", "--turn", "z:90", "--json",
    ];
    let output = drystone(&place);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let told: serde_json::Value = serde_json::from_slice(&output.stdout).expect("one line of JSON");
    let lower = told["lower"].as_f64().expect("a number");
    let upper = told["upper"].as_f64().expect("a number");
    assert!(
        (lower - 2.0).abs() < 1e-12 && (upper - 2.0).abs() < 1e-12,
        "{told}"
    );
    assert!((told["normal"][0].as_f64().expect("a number") + 1.0).abs() < 1e-12);
    let lost = drystone(&["query", &a, "nowhere.obj"]);
    assert_eq!(lost.status.code(), Some(4), "{}", text(&lost.stderr));
}

/// What is refused, with the exit code and a part of the message; known by the usage.
#[test]
fn mistakes_are_named() {
    let folder = folder("mistakes");
    let write = |name: &str, content: &str| {
        let path = folder.join(name);
        std::fs::write(&path, content).expect("written");
        path.display().to_string()
    };
    let body = "(shape: Sphere(radius: 1))";
    let misspelt = write(
        "misspelt.ron",
        &format!("(format: 1, a: {body}, bb: {body})"),
    );
    let flat = write(
        "flat.ron",
        &format!("(format: 1, a: {body}, b: (shape: Box(half_extents: (1, 0, 1))))"),
    );
    let endless = "(shape: HalfSpace())";
    let endless = write(
        "endless.ron",
        &format!("(format: 1, a: {endless}, b: {endless})"),
    );
    let comma = write("comma.obj", "v 0 0 0\nv 1,5 0 0\n");
    let torn = write("torn.stl", "solid torn\nfacet normal 0 0 1\n");
    let empty = write("empty.obj", "# nothing\n");
    let good = "scenes/pairs/deep_hulls.ron";
    for (arguments, code, part) in [
        (vec!["query", &misspelt], 2, "did you mean"),
        (vec!["explain", &flat], 2, "half_extents"),
        (vec!["query", &endless], 2, "two half-spaces"),
        (
            vec!["query", good, "--at", "0,0,1"],
            2,
            "second of two hull files",
        ),
        (vec!["query", "a.obj"], 2, "two .obj or .stl files"),
        (vec!["query", &comma, &torn], 2, "comma.obj:2:3"),
        (vec!["query", &comma, &torn], 2, "torn.stl:2:1"),
        (vec!["query", &empty, &comma], 2, "no points"),
        (
            vec!["query", "a.obj", "b.obj", "--at", "1,2"],
            2,
            "three numbers",
        ),
        (
            vec!["query", "a.obj", "b.obj", "--at", "1e300,0,0"],
            2,
            "within +-1e9",
        ),
        (
            vec!["query", "a.obj", "b.obj", "--turn", "x:1e300"],
            2,
            "within +-1000000",
        ),
        (
            vec!["query", "a.obj", "b.obj", "--turn", "w:3"],
            2,
            "an axis and an angle within",
        ),
        (vec!["query", "scenes/pairs/none.ron"], 4, "cannot read"),
        (
            vec!["explain", good, "-o", "/none/page.html"],
            4,
            "cannot write",
        ),
        (vec!["query"], 2, "FILE"),
    ] {
        let output = drystone(&arguments);
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {error}");
        assert!(error.contains(part), "{arguments:?}: {error}");
        assert!(output.stdout.is_empty(), "{arguments:?}");
    }
}

/// The page holds its data and fetches nothing; what it shows is checked in a browser by
/// `tests/browser/pair.py`.
#[test]
fn a_page_is_one_file() {
    let page = folder("page").join("deep.html");
    let path = page.display().to_string();
    let output = drystone(&["explain", "scenes/pairs/deep_hulls.ron", "-o", &path]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let html = std::fs::read_to_string(&page).expect("the page");
    assert!(html.contains("<title>deep_hulls - drystone</title>"));
    assert!(html.len() > 5_000 && html.len() < 100_000, "{}", html.len());
}

/// Scenes are looked for in one folder: the pairs below it are none.
#[test]
fn pairs_are_no_scenes() {
    let output = drystone(&["query", "scenes/arch.ron"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("PairQuery has no field"));
}
