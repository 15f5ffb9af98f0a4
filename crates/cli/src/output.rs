//! Files that commands write: each appears under its name only when it is complete, and never in
//! the place of what the command reads.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

use drystone_scene::Scene;

use crate::exit::{Outcome, complain};

/// A file being written.
pub(crate) struct Output {
    out: BufWriter<File>,
    path: PathBuf,
    /// Where it is until it is complete, and where it belongs then; nothing for what is no
    /// ordinary file, such as a pipe or `/dev/stdout`, which is written to as it is.
    unfinished: Option<(PathBuf, PathBuf)>,
}

impl Output {
    /// Opens a file; says so when that is not possible.
    pub(crate) fn create(path: &Path) -> Result<Self, Outcome> {
        Self::open(path).map_err(|error| unwritable(path, &error))
    }

    fn open(path: &Path) -> io::Result<Self> {
        let target = match fs::metadata(path) {
            Ok(found) if found.is_dir() => return Err(ErrorKind::IsADirectory.into()),
            // An open file, such as `/dev/stdout`, may have no name, and others may write to it.
            Ok(found) if !found.is_file() || is_open(path) => {
                let file = OpenOptions::new().append(true).open(path)?;
                return Ok(Self::over(file, path, None));
            }
            Ok(_) => {
                // What may not be written is not replaced either.
                OpenOptions::new().write(true).open(path)?;
                // A link stays one.
                fs::canonicalize(path)?
            }
            Err(error) if error.kind() == ErrorKind::NotFound => path.to_owned(),
            Err(error) => return Err(error),
        };
        let mut name = target.file_name().unwrap_or_default().to_os_string();
        name.push(format!(".{}.part", std::process::id()));
        let temporary = target.with_file_name(name);
        let file = File::create(&temporary)?;
        Ok(Self::over(file, path, Some((temporary, target))))
    }

    fn over(file: File, path: &Path, unfinished: Option<(PathBuf, PathBuf)>) -> Self {
        Self {
            out: BufWriter::new(file),
            path: path.to_owned(),
            unfinished,
        }
    }

    /// Completes the file and gives it its name; says so when that is not possible.
    pub(crate) fn finish(mut self) -> Outcome {
        let written = self.out.flush();
        let written = match &self.unfinished {
            Some((temporary, target)) => written.and_then(|()| give_name(temporary, target)),
            None => written,
        };
        match written {
            Ok(()) => Outcome::Done,
            Err(error) => {
                let outcome = unwritable(&self.path, &error);
                self.discard();
                outcome
            }
        }
    }

    /// Removes what was written so far.
    pub(crate) fn discard(self) {
        if let Some((temporary, _)) = &self.unfinished {
            let _ = fs::remove_file(temporary);
        }
    }

    /// Writes all there is to write, and completes the file.
    pub(crate) fn finish_with(mut self, bytes: &[u8]) -> Outcome {
        match self.write_all(bytes) {
            Ok(()) => self.finish(),
            Err(error) => {
                let outcome = unwritable(&self.path, &error);
                self.discard();
                outcome
            }
        }
    }
}

/// Whether a path means a file that is open already.
fn is_open(path: &Path) -> bool {
    let places = ["/dev/stdout", "/dev/stderr", "/dev/fd", "/proc"];
    places.iter().any(|place| path.starts_with(place))
}

/// Writes a file; says so when that is not possible.
pub(crate) fn save(path: &Path, bytes: &[u8]) -> Outcome {
    match Output::create(path) {
        Ok(output) => output.finish_with(bytes),
        Err(outcome) => outcome,
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Puts a finished file into the place of what has its name; who may use that stays as it was.
fn give_name(temporary: &Path, target: &Path) -> io::Result<()> {
    if let Ok(replaced) = fs::metadata(target) {
        fs::set_permissions(temporary, replaced.permissions())?;
    }
    // A file that is mounted by itself cannot be replaced, only filled.
    fs::rename(temporary, target).or_else(|error| {
        fs::copy(temporary, target).map_err(|_| error)?;
        fs::remove_file(temporary)
    })
}

fn unwritable(path: &Path, error: &io::Error) -> Outcome {
    complain(&format!("cannot write `{}`: {error}", path.display()));
    Outcome::InputOutput
}

/// Refuses outputs that would replace one of `inputs`, or each other.
pub(crate) fn check_places(inputs: &[&Path], outputs: &[&Path]) -> Result<(), Outcome> {
    for (index, output) in outputs.iter().enumerate() {
        let place = place_of(output);
        let is_same = |other: &&&Path| place.is_some() && place_of(other) == place;
        let shown = output.display();
        if inputs.iter().any(|input| is_same(&input)) {
            complain(&format!(
                "`{shown}` is read by this command and would be lost: write to another file"
            ));
            return Err(Outcome::BadScene);
        }
        if outputs[..index].iter().any(|other| is_same(&other)) {
            complain(&format!(
                "two outputs would be written to `{shown}`: give each its own file"
            ));
            return Err(Outcome::BadScene);
        }
    }
    Ok(())
}

/// Refuses outputs that would replace a file which a scene is made of.
pub(crate) fn check_parts(scene: &Scene, outputs: &[&Path]) -> Result<(), Outcome> {
    let parts: Vec<&Path> = scene.files.iter().map(Path::new).collect();
    check_places(&parts, outputs)
}

/// A path as the file system knows it, links followed; nothing for what is no ordinary file.
fn place_of(path: &Path) -> Option<PathBuf> {
    if let Ok(found) = fs::metadata(path) {
        return found.is_file().then(|| fs::canonicalize(path).ok())?;
    }
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    let folder = fs::canonicalize(folder.unwrap_or(Path::new("."))).ok()?;
    Some(folder.join(path.file_name()?))
}
