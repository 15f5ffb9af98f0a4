//! Scene files named on the command line: files themselves, and what folders hold.

use std::io;
use std::path::{Path, PathBuf};

use crate::exit::{Outcome, complain};

/// Folders in folders are followed this deep, which no sane tree exceeds.
const MAX_DEPTH: usize = 32;

/// The scene files that `paths` mean, folders in the order of the names in them. What
/// cannot be read, or holds no scene, is complained about.
pub(crate) fn scenes(paths: &[PathBuf], recursive: bool) -> Result<Vec<PathBuf>, Outcome> {
    let mut files = Vec::new();
    for path in paths {
        let before = files.len();
        if let Err(error) = collect(path, recursive, 0, &mut files) {
            complain(&format!("cannot read `{}`: {error}", path.display()));
            return Err(Outcome::InputOutput);
        }
        if files.len() == before {
            let path = path.display();
            let hint = if recursive {
                ""
            } else {
                "; `--recursive` looks into folders in it too"
            };
            complain(&format!("there are no .ron files in `{path}`{hint}"));
            return Err(Outcome::BadScene);
        }
    }
    Ok(files)
}

fn collect(path: &Path, recursive: bool, depth: usize, files: &mut Vec<PathBuf>) -> io::Result<()> {
    if !path.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    let entries = std::fs::read_dir(path)?.map(|entry| entry.map(|entry| entry.path()));
    let mut paths = entries.collect::<io::Result<Vec<PathBuf>>>()?;
    paths.sort();
    for path in paths {
        let is_scene = path.extension().is_some_and(|extension| extension == "ron");
        if path.is_dir() {
            if recursive && depth < MAX_DEPTH {
                collect(&path, recursive, depth + 1, files)?;
            }
        } else if is_scene {
            files.push(path);
        }
    }
    Ok(())
}
