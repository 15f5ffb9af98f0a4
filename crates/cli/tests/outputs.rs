//! What happens to the files that commands write, and to those in their place.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const BALL: &str = "(format: 1, bodies: [(name: \"ball\", shape: Sphere(radius: 0.5))])";
const PAIR: &str = "(format: 1, a: (shape: Sphere(radius: 1)), b: (shape: Sphere(radius: 1)))";

/// A folder of this test's own, emptied first.
fn folder(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).expect("a folder for the test");
    path
}

fn drystone(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_drystone"))
        .args(arguments)
        .output()
        .expect("the binary runs")
}

fn write(folder: &Path, name: &str, content: &str) -> String {
    let path = folder.join(name);
    fs::write(&path, content).expect("a file for the test");
    path.display().to_string()
}

fn complaint(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("the folder").flatten();
    let mut names: Vec<String> = entries
        .map(|entry| entry.file_name().display().to_string())
        .collect();
    names.sort();
    names
}

/// An output that is the input under whatever name, or twice the same file, is refused, and
/// what was read is still there.
#[test]
fn nothing_is_written_over_what_is_read() {
    let folder = folder("over_input");
    let scene = write(&folder, "ball.ron", BALL);
    let pair = write(&folder, "pair.ron", PAIR);
    let around = folder.join(".").join("ball.ron").display().to_string();
    let csv = folder.join("out.csv").display().to_string();
    for arguments in [
        &["view", &scene, "-o", &scene][..],
        &["view", &scene, "-o", &around],
        &["shot", &scene, "-o", &around],
        &["run", &scene, "--steps", "2", "--journal", &scene],
        &["run", &scene, "--record", &csv, "--journal", &csv],
        &["bench", &scene, "--steps", "2", "--json", &scene],
        &["explain", &pair, "-o", &pair],
        &["planar", "query", &pair, "--svg", &pair],
    ] {
        let output = drystone(arguments);
        let told = complaint(&output);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {told}");
        assert!(told.contains("to another file") || told.contains("its own file"));
    }
    assert_eq!(fs::read_to_string(&scene).expect("still there"), BALL);
    assert_eq!(fs::read_to_string(&pair).expect("still there"), PAIR);
    assert_eq!(names(&folder), ["ball.ron", "pair.ron"]);
}

/// A place that cannot be written to shows before the run, and nothing is left behind; what is
/// replaced is complete.
#[test]
fn outputs_are_whole_or_not_there() {
    let folder = folder("whole");
    let scene = write(&folder, "ball.ron", BALL);
    let pair = write(&folder, "pair.ron", PAIR);
    let page = write(&folder, "page.html", "what was there before");
    let inside = folder.join("inside");
    fs::create_dir(&inside).expect("a folder");
    let taken = inside.display().to_string();
    for arguments in [
        &["view", &scene, "-o", &taken][..],
        &["shot", &scene, "-o", &taken],
        &["run", &scene, "--steps", "1000000000", "--journal", &taken],
        &["explain", &pair, "-o", &taken],
    ] {
        let output = drystone(arguments);
        let told = complaint(&output);
        assert_eq!(output.status.code(), Some(4), "{arguments:?}: {told}");
        assert!(told.contains("cannot write"), "{told}");
    }
    let output = drystone(&["explain", &pair, "-o", &page]);
    assert_eq!(output.status.code(), Some(0), "{}", complaint(&output));
    let written = fs::read_to_string(&page).expect("the page");
    assert!(written.contains("</html>"));
    let left = ["ball.ron", "inside", "page.html", "pair.ron"];
    assert_eq!(names(&folder), left);
    assert_eq!(names(&inside), [""; 0]);
}

/// What is no ordinary file is written to as it is: a pipe gets the page and stays a pipe, and a
/// link stays a link to the file that is replaced.
#[cfg(unix)]
#[test]
fn pipes_and_links_stay_what_they_are() {
    let folder = folder("links");
    let pair = write(&folder, "pair.ron", PAIR);
    let piped = drystone(&["explain", &pair, "-o", "/dev/stdout"]);
    assert_eq!(piped.status.code(), Some(0), "{}", complaint(&piped));
    assert!(String::from_utf8_lossy(&piped.stdout).contains("</html>"));
    let page = write(&folder, "page.html", "old");
    let link = folder.join("link.html");
    std::os::unix::fs::symlink(&page, &link).expect("a link");
    let output = drystone(&["explain", &pair, "-o", &link.display().to_string()]);
    assert_eq!(output.status.code(), Some(0), "{}", complaint(&output));
    assert!(link.is_symlink());
    assert!(
        fs::read_to_string(&page)
            .expect("the page")
            .contains("</html>")
    );
    let full = drystone(&["explain", &pair, "-o", "/dev/full"]);
    assert!(matches!(full.status.code(), Some(0 | 4)));
}

/// A disk that is full is no success, whatever is written to it.
#[cfg(target_os = "linux")]
#[test]
fn answers_that_cannot_be_written_end_with_4() {
    let folder = folder("full");
    let scene = write(&folder, "ball.ron", BALL);
    for arguments in [&["schema"][..], &["run", &scene, "--steps", "2"]] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full");
        let output = Command::new(env!("CARGO_BIN_EXE_drystone"))
            .args(arguments)
            .stdout(full.expect("a full disk"))
            .output()
            .expect("the binary runs");
        let told = complaint(&output);
        assert_eq!(output.status.code(), Some(4), "{arguments:?}: {told}");
    }
}
