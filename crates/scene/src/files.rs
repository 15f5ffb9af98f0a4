//! Reading files: the main one, and what it includes from its own folder and below.

use std::cell::RefCell;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use crate::decode::Name;
use crate::diagnostic::{Excerpt, LoadError, SceneErrors, Sink, Sources, Span};
use crate::syntax::{self, Kind, Value};
use crate::tolerance::{MAX_FILE_BYTES, MAX_FILES};

/// Reads files: their bytes by their path, or in words why there are none.
pub(crate) type Read<'r> = &'r mut dyn FnMut(&str) -> Result<Vec<u8>, String>;

/// Reads a file, at most [`MAX_FILE_BYTES`] of it; says in words why it cannot.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, String> {
    let file = File::open(path).map_err(|error| error.to_string())?;
    let mut bytes = Vec::new();
    let limit = MAX_FILE_BYTES as u64 + 1;
    file.take(limit)
        .read_to_end(&mut bytes)
        .map_err(|error| error.to_string())?;
    if bytes.len() > MAX_FILE_BYTES {
        return Err(format!("it is larger than {} MiB", MAX_FILE_BYTES >> 20));
    }
    Ok(bytes)
}

/// The text of a file, and its path as errors show it.
pub(crate) fn load(path: &Path) -> Result<(String, String), LoadError> {
    let shown = path.display().to_string();
    let bytes = match read(path) {
        Ok(bytes) => bytes,
        Err(reason) => {
            return Err(LoadError::Unreadable {
                path: shown,
                reason,
            });
        }
    };
    match text(bytes) {
        Ok(text) => Ok((text, shown)),
        Err(wrong) => {
            let help = Some(NOT_TEXT_HELP.to_owned());
            let error = wrong
                .place
                .diagnostic(shown, "not-text", wrong.message, help);
            let errors = vec![error];
            Err(LoadError::Invalid(SceneErrors { errors, more: 0 }))
        }
    }
}

/// A file that includes no other; says so and leaves it empty when it is too large.
pub(crate) fn single(file: &str, mut text: String, sink: &Sink) -> Sources {
    if text.len() > MAX_FILE_BYTES {
        refuse_size(sink);
        text.clear();
    }
    Sources {
        files: vec![(file.to_owned(), text)],
    }
}

fn refuse_size(sink: &Sink) {
    let message = format!("the file is larger than {} MiB", MAX_FILE_BYTES >> 20);
    let help = "split it with `include`, or read large meshes and hulls from files of their own";
    sink.error(Span::default(), "too-large", message, help);
}

/// The first bytes of a file that are no text.
pub(crate) struct NotText {
    place: Excerpt,
    message: String,
}

const NOT_TEXT_HELP: &str = "save it as UTF-8";

/// Bytes as text.
fn text(bytes: Vec<u8>) -> Result<String, NotText> {
    String::from_utf8(bytes).map_err(|error| {
        let start = error.utf8_error().valid_up_to();
        let bytes = error.as_bytes();
        let length = error.utf8_error().error_len().unwrap_or(1);
        let message = if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
            "this is UTF-16 text, not UTF-8".to_owned()
        } else {
            format!("the byte 0x{:02x} here is not UTF-8 text", bytes[start])
        };
        NotText {
            place: Excerpt::of(bytes, start..start + length),
            message,
        }
    })
}

/// Collects the main file and all it includes. Also says in which order they are read:
/// what is included comes before what includes it, the main file last.
pub(crate) fn collect(
    file: String,
    text: String,
    read: Read<'_>,
    sink: &Sink,
) -> (Sources, Vec<u32>) {
    let mut collector = Collector {
        sources: Sources::default(),
        order: Vec::new(),
        open: Vec::new(),
        read,
        sink,
    };
    if text.len() > MAX_FILE_BYTES {
        refuse_size(sink);
        collector.sources.files.push((file, String::new()));
        return (collector.sources, Vec::new());
    }
    collector.visit(file, text);
    (collector.sources, collector.order)
}

struct Collector<'a> {
    sources: Sources,
    order: Vec<u32>,
    /// The files that lead to the one being visited.
    open: Vec<String>,
    read: Read<'a>,
    sink: &'a Sink,
}

impl Collector<'_> {
    fn visit(&mut self, file: String, text: String) {
        let index = self.sources.files.len() as u32;
        let includes = includes(&text, index);
        self.sources.files.push((file.clone(), text));
        self.open.push(file.clone());
        for (path, span) in includes {
            self.include(&file, &path, span);
        }
        self.open.pop();
        self.order.push(index);
    }

    fn include(&mut self, from: &str, path: &str, span: Span) {
        if !is_below(path) {
            let message = format!("`{path}` is not below the folder of this file");
            let help = "include files beside this one or in folders below it";
            return self.sink.error(span, "include", message, help);
        }
        let full = beside(from, path);
        if self.open.contains(&full) {
            let message = format!("`{path}` includes this file in turn");
            return self
                .sink
                .error(span, "include", message, "break the circle");
        }
        if self.sources.files.iter().any(|(known, _)| *known == full) {
            return;
        }
        if self.sources.files.len() >= MAX_FILES {
            let message = format!("a scene may consist of {MAX_FILES} files");
            let help = "join some of them";
            return self.sink.error(span, "too-large", message, help);
        }
        match (self.read)(&full).map(text) {
            Ok(Ok(text)) => self.visit(full, text),
            Ok(Err(wrong)) => {
                let place = (path.to_owned(), wrong.place);
                self.sink
                    .error_elsewhere(span, "not-text", place, wrong.message, NOT_TEXT_HELP);
            }
            Err(reason) => {
                let message = format!("cannot read `{full}`: {reason}");
                self.sink
                    .error(span, "include", message, "paths start at this file");
            }
        }
    }
}

/// The bytes of a file that `name` says, seen from the file in which it stands.
pub(crate) fn bytes_beside(
    sources: &Sources,
    read: &RefCell<Read<'_>>,
    name: &Name,
) -> Result<Vec<u8>, String> {
    if !is_below(&name.text) {
        return Err("it is not below the folder of this file".to_owned());
    }
    let file = sources.files.get(name.span.file as usize);
    let from = file.map_or("", |(path, _)| path.as_str());
    (read.borrow_mut())(&beside(from, &name.text))
}

/// Whether a path as written leads to a file beside its file, or in a folder below.
fn is_below(path: &str) -> bool {
    let is_absolute = path.starts_with(['/', '\\']) || path.contains(':');
    let climbs = path.split(['/', '\\']).any(|part| part == "..");
    !is_absolute && !climbs && !path.is_empty()
}

/// `path` seen from the folder of `file`.
pub(crate) fn beside(file: &str, path: &str) -> String {
    let folder = file.rfind(['/', '\\']).map_or("", |at| &file[..=at]);
    let parts: Vec<&str> = path
        .split(['/', '\\'])
        .filter(|p| !p.is_empty() && *p != ".")
        .collect();
    format!("{folder}{}", parts.join("/"))
}

/// The paths a file includes. Mistakes are reported when the file is read for good.
fn includes(text: &str, index: u32) -> Vec<(String, crate::diagnostic::Span)> {
    if !text.contains("include") {
        return Vec::new();
    }
    let unheard = Sink::default();
    let Some(Value {
        kind: Kind::Record(_, fields),
        ..
    }) = syntax::parse(text, index, &unheard)
    else {
        return Vec::new();
    };
    let list = fields
        .iter()
        .find(|field| field.name.text == "include")
        .map(|f| &f.value.kind);
    let Some(Kind::List(items)) = list else {
        return Vec::new();
    };
    let path = |item: &Value<'_>| match &item.kind {
        Kind::Text(text) => Some((text.clone().into_owned(), item.span)),
        _ => None,
    };
    items.iter().filter_map(path).collect()
}
