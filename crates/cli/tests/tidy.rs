//! House rules that a compiler does not know, checked over the workspace's own files.

use std::fs;
use std::path::{Path, PathBuf};

const MAX_FILE_LINES: usize = 500;
const MAX_FUNCTION_LINES: usize = 70;

/// Words that need a reason to occur in product code: the word, and the files that have one.
const FORBIDDEN: &[(&str, &[&str])] = &[
    ("mul_add", &[]),
    ("recip(", &[]),
    ("HashMap", &[]),
    ("HashSet", &[]),
    ("todo!", &[]),
    ("dbg!", &[]),
    ("unimplemented!", &[]),
    ("unsafe {", &[]),
    ("unsafe fn", &[]),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .unwrap()
}

fn files_below(folder: &Path, extension: &str, into: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            if path.file_name().is_some_and(|name| name != "target") {
                files_below(&path, extension, into);
            }
        } else if path.extension().is_some_and(|e| e == extension) {
            into.push(path);
        }
    }
}

/// Every `.rs` file below a `src` folder, with its text and its path from the root.
fn sources() -> Vec<(String, String)> {
    let root = root();
    let mut paths = Vec::new();
    files_below(&root.join("crates"), "rs", &mut paths);
    files_below(&root.join("benches/src"), "rs", &mut paths);
    paths
        .into_iter()
        .map(|path| {
            let name = path.strip_prefix(&root).unwrap().display().to_string();
            (name, fs::read_to_string(&path).unwrap())
        })
        .filter(|(name, _)| name.contains("/src/"))
        .collect()
}

/// The lines of a file before its test module: product code.
fn product_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines()
        .take_while(|line| !line.starts_with("#[cfg(test)]"))
        .enumerate()
        .filter(|(_, line)| !line.trim_start().starts_with("//"))
}

fn assert_none(problems: &[String]) {
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
}

#[test]
fn every_source_file_says_what_it_is_for_and_is_short() {
    let mut problems = Vec::new();
    for (name, text) in sources() {
        if !text.starts_with("//!") {
            problems.push(format!("{name}: does not start with `//!`"));
        }
        let lines = text.lines().count();
        if lines > MAX_FILE_LINES {
            problems.push(format!(
                "{name}: {lines} lines; which second noun is hiding in it?"
            ));
        }
    }
    assert_none(&problems);
}

#[test]
fn no_function_outgrows_a_screen() {
    let mut problems = Vec::new();
    for (name, text) in sources() {
        let lines: Vec<_> = text.lines().collect();
        for (start, line) in lines.iter().enumerate() {
            let code = line.trim_start();
            let indent = line.len() - code.len();
            let is_function = [
                "fn ",
                "pub fn ",
                "pub(crate) fn ",
                "pub(super) fn ",
                "const fn ",
                "pub const fn ",
            ]
            .iter()
            .any(|head| code.starts_with(head));
            if !is_function {
                continue;
            }
            let close = format!("{}}}", " ".repeat(indent));
            let length = lines[start..].iter().position(|l| *l == close).unwrap_or(0);
            if length > MAX_FUNCTION_LINES {
                problems.push(format!("{name}:{}: function of {length} lines", start + 1));
            }
        }
    }
    assert_none(&problems);
}

#[test]
fn no_module_is_a_dumping_ground() {
    let banned = ["utils", "util", "common", "helpers", "misc", "shared"];
    let problems: Vec<_> = sources()
        .into_iter()
        .filter(|(name, _)| {
            name.split('/')
                .any(|part| banned.contains(&part.trim_end_matches(".rs")))
        })
        .map(|(name, _)| format!("{name}: name the noun instead"))
        .collect();
    assert_none(&problems);
}

/// Matches `1e-6`, `2.5E+3` and the like, but not hexadecimal or identifiers.
fn has_exponent_literal(line: &str) -> bool {
    let bytes = line.as_bytes();
    (1..bytes.len().saturating_sub(1)).any(|i| {
        let is_exponent = bytes[i] == b'e' || bytes[i] == b'E';
        let signed = bytes[i + 1] == b'-' || bytes[i + 1] == b'+';
        let after = bytes.get(i + 1 + usize::from(signed));
        let mut head = i;
        while head > 0
            && (bytes[head - 1].is_ascii_digit()
                || bytes[head - 1] == b'.'
                || bytes[head - 1] == b'_')
        {
            head -= 1;
        }
        let starts_number = head < i && bytes[head].is_ascii_digit();
        let stands_alone =
            head == 0 || !(bytes[head - 1].is_ascii_alphanumeric() || bytes[head - 1] == b'_');
        is_exponent && starts_number && stands_alone && after.is_some_and(u8::is_ascii_digit)
    })
}

#[test]
fn tolerances_live_in_tolerance_files() {
    let mut problems = Vec::new();
    for (name, text) in sources() {
        if name.ends_with("tolerance.rs") {
            continue;
        }
        for (number, line) in product_lines(&text) {
            // What stands in a text is for people to read.
            let code: String = line
                .split("//")
                .next()
                .unwrap()
                .split('"')
                .step_by(2)
                .collect();
            if has_exponent_literal(&code) {
                problems.push(format!("{name}:{}: {}", number + 1, line.trim()));
            }
        }
    }
    assert_none(&problems);
}

#[test]
fn every_tolerance_states_its_unit() {
    let units = [
        "metre", "radian", "second", "kilogram", "hertz", "m/s", "rad/s", "kg", "unit", "ratio",
        "Ratio", "count", "Count", "newton", "degrees",
    ];
    let mut problems = Vec::new();
    for (name, text) in sources()
        .into_iter()
        .filter(|(name, _)| name.ends_with("tolerance.rs"))
    {
        let mut docs = String::new();
        for (number, line) in text.lines().enumerate() {
            let line = line.trim();
            if let Some(doc) = line.strip_prefix("///") {
                docs.push_str(doc);
            } else if line.starts_with("pub const") || line.starts_with("pub(crate) const") {
                if !units.iter().any(|unit| docs.contains(unit)) {
                    problems.push(format!("{name}:{}: no unit, ratio or count", number + 1));
                }
                docs.clear();
            } else if !line.starts_with("#[") {
                docs.clear();
            }
        }
    }
    assert_none(&problems);
}

#[test]
fn words_that_need_a_reason_are_absent() {
    let mut problems = Vec::new();
    for (name, text) in sources() {
        for (number, line) in product_lines(&text) {
            for (word, allowed) in FORBIDDEN {
                if line.contains(word) && !allowed.contains(&name.as_str()) {
                    problems.push(format!("{name}:{}: `{word}`", number + 1));
                }
            }
        }
    }
    assert_none(&problems);
}

#[test]
fn every_crate_forbids_what_the_compiler_cannot_check() {
    let problems: Vec<_> = sources()
        .into_iter()
        .filter(|(name, _)| name.ends_with("src/lib.rs") || name.ends_with("src/main.rs"))
        .filter(|(_, text)| !text.contains("#![forbid(unsafe_code)]"))
        .map(|(name, _)| name)
        .collect();
    assert_none(&problems);
}

#[test]
fn only_scene_and_cli_touch_ron_and_files() {
    let mut problems = Vec::new();
    for (name, text) in sources() {
        if name.starts_with("crates/scene/") || name.starts_with("crates/cli/") {
            continue;
        }
        for (number, line) in product_lines(&text) {
            let is_ron = line
                .match_indices("ron::")
                .any(|(at, _)| !line[..at].ends_with(char::is_alphabetic));
            if is_ron || line.contains("std::fs") {
                problems.push(format!("{name}:{}: {}", number + 1, line.trim()));
            }
        }
    }
    assert_none(&problems);
}

/// The code map names paths between back quotes.
#[test]
fn every_path_in_the_code_map_exists() {
    let root = root();
    let text = fs::read_to_string(root.join("ARCHITECTURE.md")).unwrap();
    let problems: Vec<_> = text
        .split('`')
        .skip(1)
        .step_by(2)
        .filter(|word| {
            word.starts_with("crates/")
                || word.starts_with("scenes/")
                || word.starts_with("benches/")
        })
        .filter(|word| !root.join(word).exists())
        .map(|word| format!("ARCHITECTURE.md: `{word}` does not exist"))
        .collect();
    assert_none(&problems);
}
