//! `drystone bench` through the binary: figures, comparison, variants, shards.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// A folder of the test's own, with a scene of a falling and a resting ball in it.
fn folder(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).expect("a folder for the test");
    let text = r#"(
        format: 1,
        bodies: [
            (name: "ground", kind: Static, shape: HalfSpace()),
            (name: "ball", shape: Sphere(radius: 0.5), position: (0, 10, 0)),
            (name: "rest", shape: Sphere(radius: 0.5), position: (3, 0.5, 0)),
        ],
        bench: (steps: 20, warmup: 2),
    )"#;
    std::fs::write(path.join("balls.ron"), text).expect("a scene for the test");
    path
}

fn bench(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_drystone"))
        .current_dir(folder)
        .args(["bench", "balls.ron"])
        .args(arguments)
        .output()
        .expect("the binary runs")
}

fn lines(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).expect("the lines were written");
    let read = |line| serde_json::from_str(line).expect("a line is JSON");
    text.lines().map(read).collect()
}

fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Counts are known from the scene; times only by their order.
#[test]
fn a_line_says_what_ran_and_how_long_it_took() {
    let folder = folder("bench-line");
    let output = bench(
        &folder,
        &["--threads", "1,2", "--repeat", "2", "--json", "a.jsonl"],
    );
    assert_eq!(output.status.code(), Some(0));
    let rows = lines(&folder.join("a.jsonl"));
    assert_eq!(rows.len(), 2);
    for (row, threads) in rows.iter().zip([1, 2]) {
        assert_eq!(row["scene"], "balls");
        assert_eq!(row["threads"], threads);
        assert_eq!(row["repeats"], 2);
        assert_eq!(row["steps"], 20);
        assert_eq!(row["world"]["bodies"], 3);
        assert_eq!(row["world"]["touching"], 1);
        assert_eq!(row["hash"], rows[0]["hash"]);
        assert_eq!(row["machine"]["version"], env!("CARGO_PKG_VERSION"));
        let ms = |name: &str| row["ms"][name].as_f64().expect("a time");
        assert!(ms("min") > 0.0 && ms("min") <= ms("median") && ms("median") <= ms("p99"));
        assert!(ms("mean") >= ms("min"));
    }
    let table = out(&bench(&folder, &["--markdown"]));
    for word in ["| scene", "ms/step", "balls", "recycled"] {
        assert!(table.contains(word), "{word} in {table}");
    }
}

/// The same figures pass; a changed hash, a time far below and other steps do not.
#[test]
fn a_baseline_fails_on_another_hash_and_on_slower_steps() {
    let folder = folder("bench-baseline");
    bench(&folder, &["--json", "a.jsonl"]);
    let against = |file: &str| bench(&folder, &["--baseline", file, "--fail-over", "1000"]);
    assert_eq!(against("a.jsonl").status.code(), Some(0));
    let row = lines(&folder.join("a.jsonl")).remove(0);
    for (file, field, value, word) in [
        (
            "hash.jsonl",
            "hash",
            Value::from("0"),
            "in the baseline in 0",
        ),
        ("steps.jsonl", "steps", Value::from(7), "7 in the baseline"),
        (
            "ms.jsonl",
            "ms",
            serde_json::json!({"mean": 1e-9, "min": 0, "median": 0, "p99": 0, "max": 0}),
            "of the baseline's time",
        ),
    ] {
        let mut row = row.clone();
        row[field] = value;
        std::fs::write(folder.join(file), format!("{row}\n")).expect("a baseline");
        let output = against(file);
        assert_eq!(output.status.code(), Some(1), "{file}");
        assert!(out(&output).contains(word), "{file}: {}", out(&output));
    }
    std::fs::write(folder.join("torn.jsonl"), "{\"scene\":").expect("a baseline");
    assert_eq!(against("torn.jsonl").status.code(), Some(2));
    assert_eq!(against("none.jsonl").status.code(), Some(4));
}

/// Six variants, shared out to two jobs, are the six of one job; a set value reaches all.
#[test]
fn shards_of_a_sweep_are_the_whole_sweep() {
    let folder = folder("bench-sweep");
    let sweep = [
        "--sweep",
        "settings.substeps=[1, 2, 4]",
        "--sweep",
        "bodies.ball.shape.radius=[0.4, 0.5]",
        "--set",
        "settings.gravity=(0, -1, 0)",
        "--steps",
        "3",
    ];
    let run = |extra: &[&str]| {
        let output = bench(&folder, &[&sweep, extra].concat());
        assert_eq!(output.status.code(), Some(0));
    };
    run(&["--json", "all.jsonl"]);
    run(&["--json", "1.jsonl", "--shard", "1/2"]);
    run(&["--json", "2.jsonl", "--shard", "2/2"]);
    let key = |row: &Value| format!("{} {}", row["set"], row["hash"]);
    let mut all: Vec<String> = lines(&folder.join("all.jsonl")).iter().map(key).collect();
    let mut parts: Vec<String> = ["1.jsonl", "2.jsonl"]
        .iter()
        .flat_map(|file| lines(&folder.join(file)))
        .map(|row| key(&row))
        .collect();
    assert_eq!((all.len(), parts.len()), (6, 6));
    assert!(all.iter().all(|row| row.contains("(0, -1, 0)")));
    all.sort();
    parts.sort();
    assert_eq!(all, parts);
}

/// A path that leads nowhere and wrong usage: 2, shown at its place.
#[test]
fn a_wrong_override_ends_with_2() {
    let folder = folder("bench-wrong");
    for (arguments, word) in [
        (
            &["--set", "bodies.bal.position=(0, 1, 0)"][..],
            "did you mean `ball`?",
        ),
        (&["--set", "settings.substep=1"], "did you mean `substeps`?"),
        (&["--set", "settings.substeps"], "path=value"),
        (&["--sweep", "settings.substeps=3"], "needs a list"),
        (&["--shard", "3/2"], "I from 1 to N"),
        (&["--fail-over", "2"], "--baseline"),
    ] {
        let output = bench(&folder, arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(error.contains(word), "{arguments:?}: {error}");
    }
}
