//! `drystone planar` from outside: answers, streams, mistakes, exit codes.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A folder of this test's own, emptied first.
fn folder(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("planar-{name}"));
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).expect("a folder for the test");
    path
}

fn file(folder: &Path, name: &str, content: &str) -> String {
    let path = folder.join(name);
    std::fs::write(&path, content).expect("a file for the test");
    path.display().to_string()
}

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_drystone"));
    command.arg("planar").args(arguments).env_remove("NO_COLOR");
    command
}

fn planar(arguments: &[&str]) -> Output {
    command(arguments).output().expect("the binary runs")
}

/// Runs with a text on the standard input.
fn piped(arguments: &[&str], input: &str) -> Output {
    let mut child = command(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    let mut stdin = child.stdin.take().expect("a pipe");
    let input = input.to_owned();
    let writer = std::thread::spawn(move || {
        // It may stop reading at a mistake.
        let _ = stdin.write_all(input.as_bytes());
    });
    let output = child.wait_with_output().expect("it ends");
    writer.join().expect("it ends");
    output
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The published sample (1), the worked example (11 / sqrt(41)), an overlap.
const CASES: &str = "4 4\n0.0 0.0\n0.0 1.0\n1.0 1.0\n1.0 0.0\n2.0 0.0\n2.0 1.0\n3.0 1.0\n\
    3.0 0.0\n3 4\n4 11\n4 5\n9 9\n8 6\n10 2\n13 1\n15 6\n3 3\n0 0\n4 0\n0 4\n1 1\n5 1\n1 5\n0 0\n";

/// The same cases from a file, from `-` and from a pipe. Known by hand.
#[test]
fn distances_are_printed_one_a_line() {
    let folder = folder("lines");
    let path = file(&folder, "cases.txt", CASES);
    let expected = "1.00000\n1.71791\n0.00000\n";
    let outputs = [
        planar(&["distance", &path]),
        piped(&["distance"], CASES),
        piped(&["distance", "-"], CASES),
    ];
    for output in outputs {
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        assert_eq!(text(&output.stdout), expected);
        assert_eq!(text(&output.stderr), "");
    }
    let one = planar(&["distance", &path, "--case", "2"]);
    assert_eq!(text(&one.stdout), "1.71791\n");
    let none = planar(&["distance", &path, "--case", "4"]);
    assert_eq!(none.status.code(), Some(2));
    assert!(text(&none.stderr).contains("there is no pair 4: the input has 3"));
}

/// A hundred thousand pairs through a pipe, told from the answers alone. Known by hand:
/// every answer is one.
#[test]
fn a_long_stream_is_answered() {
    let case = "3 3\n0 0\n0 5\n-4 0\n1 0\n4 1\n4 -1\n";
    let output = piped(&["distance"], &(case.repeat(100_000) + "0 0\n"));
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(output.stdout.len(), 8 * 100_000);
    assert!(output.stdout.chunks(8).all(|line| line == b"1.00000\n"));
}

/// Broken inputs. Known by hand: the code, and the line and cure in the message; the
/// answers before the mistake stand.
#[test]
fn broken_inputs_end_with_2_and_the_line() {
    let table = [
        ("", "line 1: the text ends here: a last line `0 0`"),
        ("4 x\n", "line 1: `x` is not a number"),
        (
            "3 -1\n0 0\n1 0\n0 1\n",
            "line 1: -1 cannot be a number of points",
        ),
        ("3 3\n0 0\n1 0\nnan 1\n", "line 4: the coordinate is NaN"),
        (
            "3 3\n0 0\n1 0\n1 0\n",
            "line 1: polygon 1 has 2 distinct points",
        ),
        (
            "3 3\n0 0\n1 0\n0 1\n7",
            "line 5: the text ends here: coordinates",
        ),
    ];
    for (bad, message) in table {
        let output = piped(&["distance"], bad);
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{bad}: {error}");
        let expected = format!("error: in the standard input, {message}");
        assert!(error.starts_with(&expected), "{error}");
        assert_eq!(error.lines().count(), 1, "{error}");
    }
    let later = CASES.replace("1 5\n0 0\n", "1 five\n");
    let output = piped(&["distance"], &later);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(text(&output.stdout), "1.00000\n1.71791\n");
    assert!(text(&output.stderr).contains("line 24: `five` is not a number"));
}

/// A trace as text and as JSON. Known by hand: the searches end as the method says, and
/// the vertices are positions in the file.
#[test]
fn steps_are_told_as_text_and_as_json() {
    let output = piped(&["distance", "--trace"], CASES);
    let out = text(&output.stdout);
    for words in [
        "1.71791\npair 2, line 10\nstep 0 (GJK)",
        "ends: repeated support",
        "ends: the simplex contains the origin",
        "weight",
        "on B [8, 6] vertex 0",
    ] {
        assert!(out.contains(words), "{words} in {out}");
    }
    let output = piped(&["distance", "--trace", "json", "--case", "2"], CASES);
    let line: serde_json::Value = serde_json::from_slice(&output.stdout).expect("one object");
    assert_eq!(line["case"], 2);
    assert_eq!(line["line"], 10);
    let apart = line["distance"].as_f64().expect("a number");
    assert!((apart - 11.0 / 41.0_f64.sqrt()).abs() < 1e-14, "{apart}");
    assert_eq!(line["answer"]["feature_b"]["Vertex"], 0);
    assert_eq!(
        line["answer"]["feature_a"]["Edge"],
        serde_json::json!([1, 2])
    );
    let last = line["steps"].as_array().and_then(|steps| steps.last());
    assert_eq!(last.expect("steps")["stop"], "RepeatedSupport");
}

const QUESTIONS: &str = r#"(
    format: 1,
    about: "A triangle, a box turned away, a disk.",
    shapes: {
        "triangle": (shape: Polygon(points: [(4, 11), (4, 5), (9, 9)])),
        "box": (shape: Rectangle(half_extents: (2, 1)), position: (20, 0), angle: Degrees(90)),
        "disk": (shape: Circle(radius: 3), position: (20, 4)),
    },
    ask: [
        Distance(a: "box", b: "triangle"),
        Intersects(a: "box", b: "disk"),
        Penetration(a: "box", b: "disk"),
        TimeOfImpact(a: "disk", b: "triangle", velocity: (1, 0), within: 100),
        TimeOfImpact(a: "disk", b: "triangle", velocity: (0, 1)),
        Contains(shape: "disk", point: (22, 4)),
        Penetration(a: "triangle", b: "disk"),
    ],
)"#;

/// Questions about turned and moved shapes. Known by hand, in the frame of the file: the
/// box reaches from x = 19 to 21 and y = -2 to 2, the disk's lowest point is at y = 1, so
/// the disk gets out upwards by one.
#[test]
fn questions_are_answered_in_the_frame_of_the_file() {
    let folder = folder("query");
    let path = file(&folder, "q.ron", QUESTIONS);
    let output = planar(&["query", &path]);
    let out = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    for words in [
        "A triangle, a box turned away, a disk.",
        "distance of `box` and `triangle`",
        "(19, 2) on vertex 2 of `box`",
        "intersect     yes",
        "depth         1 m",
        "move `disk` by (",
        "none within 1000000 s at (0, 1) m/s",
        "is (22, 4) in `disk`?\n  inside        yes",
        "depth         none: ",
    ] {
        assert!(out.contains(words), "{words} in {out}");
    }

    let output = planar(&["query", &path, "--trace", "json"]);
    let answers: Vec<serde_json::Value> = text(&output.stdout)
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    assert_eq!(answers.len(), 7);
    let near = |value: &serde_json::Value, expected: f64| {
        let value = value.as_f64().expect("a number");
        assert!((value - expected).abs() < 1e-10, "{value}, not {expected}");
    };
    // From the corner (19, 2) to the corner (9, 9).
    near(&answers[0]["distance"], 149.0_f64.sqrt());
    near(&answers[0]["answer"]["point_a"][0], 19.0);
    near(&answers[0]["answer"]["point_a"][1], 2.0);
    near(&answers[2]["penetration"]["separating"][0], 0.0);
    near(&answers[2]["penetration"]["separating"][1], 1.0);
    // The edge (4, 5) - (9, 9) is hit; its line is 69 / sqrt(41) from the disk's centre and
    // comes nearer by 4 / sqrt(41) a second.
    let time = &answers[3]["impact"];
    near(&time["upper"], (69.0 - 3.0 * 41.0_f64.sqrt()) / 4.0);
    near(&time["lower"], (69.0 - 3.0 * 41.0_f64.sqrt()) / 4.0);
    assert_eq!(time["feature_b"]["Edge"], serde_json::json!([1, 2]));
    assert_eq!(answers[4]["impact"], serde_json::Value::Null);
    assert_eq!(answers[5]["inside"], true);
    assert!(
        answers[0]["steps"]
            .as_array()
            .is_some_and(|steps| !steps.is_empty())
    );
}

/// One picture per step in one file. Known by hand: as many inner documents as steps.
#[test]
fn every_step_is_drawn() {
    let folder = folder("svg");
    let path = file(&folder, "q.ron", QUESTIONS);
    let svg = folder.join("steps.svg").display().to_string();
    let output = planar(&["query", &path, "--trace", "json", "--svg", &svg]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let steps = text(&output.stdout).matches("\"direction\"").count();
    let picture = std::fs::read_to_string(&svg).expect("a picture");
    assert!(picture.starts_with("<svg ") && picture.ends_with("</svg>\n"));
    assert_eq!(picture.matches("<svg ").count(), steps + 1);
    assert_eq!(picture.matches("</svg>").count(), steps + 1);

    let output = piped(&["distance", "--case", "2", "--svg", &svg], CASES);
    assert_eq!(text(&output.stdout), "1.71791\n");
    let picture = std::fs::read_to_string(&svg).expect("a picture");
    assert!(picture.contains("ends: repeated support"));
    let left = std::fs::read_dir(&folder).expect("the folder").count();
    assert_eq!(left, 2, "nothing else is left behind");
}

/// Mistakes in a file of questions, and a tolerance that cannot be met: 2. Files that
/// cannot be read or written: 4.
#[test]
fn mistakes_end_with_2_and_unreadable_files_with_4() {
    let folder = folder("codes");
    let good = file(&folder, "good.ron", QUESTIONS);
    let bad = QUESTIONS
        .replace("radius: 3", "radius: -3")
        .replace("Rectangle(", "Rectangel(");
    let bad = file(&folder, "bad.ron", &bad);
    let output = planar(&["query", &bad]);
    let error = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2));
    for words in [
        "bad.ron:6",
        "did you mean `Rectangle`?",
        "bad.ron:7",
        "2 mistakes in",
    ] {
        assert!(error.contains(words), "{words} in {error}");
    }
    let reflex = QUESTIONS.replace(
        "Polygon(points: [(4, 11), (4, 5), (9, 9)])",
        "Outline(points: [(0, 0), (4, 0), (1, 1), (0, 4)])",
    );
    let reflex = file(&folder, "reflex.ron", &reflex);
    let error = text(&planar(&["query", &reflex]).stderr);
    assert!(error.contains("not convex at point 2"), "{error}");

    let hopeless = QUESTIONS
        .replace("Circle(radius: 3)", "Ellipse(half_axes: (3, 1))")
        .replace("ask: [", "max_iterations: 1, ask: [");
    let hopeless = file(&folder, "hopeless.ron", &hopeless);
    let output = planar(&["query", &hopeless]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stdout));
    assert!(text(&output.stderr).contains("no certified distance after 1 iterations"));

    let missing = folder.join("missing").display().to_string();
    let nowhere = folder.join("no/such/steps.svg").display().to_string();
    for arguments in [
        &["query", &missing][..],
        &["distance", &missing],
        &["query", &good, "--svg", &nowhere],
    ] {
        let output = planar(arguments);
        assert_eq!(output.status.code(), Some(4), "{arguments:?}");
        assert!(text(&output.stderr).starts_with("error: cannot "));
    }
    for arguments in [
        &[][..],
        &["distance", &good, "--trace", "xml"],
        &["distance", "--case", "0"],
        &["query"],
    ] {
        assert_eq!(planar(arguments).status.code(), Some(2), "{arguments:?}");
    }
}

/// A reader that has seen enough. Known by hand: no message, no failure.
#[test]
fn a_closed_pipe_is_no_error() {
    let mut child = command(&["distance"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().expect("a pipe");
    let case = "3 3\n0 0\n0 5\n-4 0\n1 0\n4 1\n4 -1\n";
    let _ = stdin.write_all((case.repeat(20_000) + "0 0\n").as_bytes());
    drop(stdin);
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(text(&output.stderr), "");
}

/// Help teaches by example, and so does the schema.
#[test]
fn help_and_schema_teach() {
    for (arguments, words) in [
        (&["--help"][..], "drystone planar distance cases.txt"),
        (&["distance", "--help"], "gives 1.71791."),
        (
            &["query", "--help"],
            "TimeOfImpact(velocity: (-1, 0.5), within: 10)",
        ),
    ] {
        let output = planar(arguments);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
        assert!(text(&output.stdout).contains(words), "{arguments:?}");
    }
    let output = Command::new(env!("CARGO_BIN_EXE_drystone"))
        .args(["schema", "planar"])
        .output()
        .expect("the binary runs");
    assert!(text(&output.stdout).contains("half_axes"));
}

/// The file that the help of `query` shows. Known by the promise of the help: it runs.
#[test]
fn the_file_in_the_help_runs() {
    let help = text(&planar(&["query", "--help"]).stdout);
    let start = help.find("\n  (\n").expect("the file starts");
    let end = start + help[start..].find("\n  )\n").expect("the file ends") + 4;
    let folder = folder("help");
    let path = file(&folder, "help.ron", &help[start..end]);
    let output = planar(&["query", &path]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
}
