//! The outermost record, over the main file and all it includes.

use std::cell::Cell;
use std::collections::BTreeMap;

use drystone::Settings;

use super::motions::MotionModel;
use super::shapes::{material, shape};
use super::spawns::SpawnModel;
use super::{Beside, Context, Name, Reader};
use crate::diagnostic::{Sink, Span};
use crate::expand::Group;
use crate::scene::Bench;
use crate::schema::{MATERIAL, PREFAB, Record, SCENE};
use crate::syntax::{Kind, Value};

/// A scene as read, before patterns are expanded and names are looked up.
pub(crate) struct Decoded<'v, 'a> {
    pub(crate) about: String,
    pub(crate) settings: Settings,
    pub(crate) prefabs: BTreeMap<String, Group>,
    pub(crate) main: Group,
    pub(crate) motions: Vec<MotionModel>,
    pub(crate) spawns: Vec<SpawnModel>,
    pub(crate) duration: Option<f64>,
    pub(crate) duration_span: Span,
    pub(crate) also_dt: Vec<f32>,
    pub(crate) bench: Option<Bench>,
    /// Read later, when the names of all bodies are known.
    pub(crate) expectations: Vec<&'v Value<'a>>,
    pub(crate) lost_names: bool,
}

/// Reads the files of a scene, the main one last. `lost_names` says that a part of a file
/// could not be read at all.
pub(crate) fn decode<'v, 'a>(
    files: &'v [Value<'a>],
    lost_names: bool,
    beside: &Beside<'_>,
    sink: &'v Sink,
) -> Decoded<'v, 'a> {
    let open = |file| open_file(&SCENE, file, sink);
    let readers: Vec<Reader<'v, 'a>> = files.iter().filter_map(open).collect();
    let mut context = Context {
        sink,
        beside,
        materials: BTreeMap::new(),
        shapes: BTreeMap::new(),
        lost_names: Cell::new(
            lost_names || readers.len() < files.len() || readers.iter().any(hides_names),
        ),
    };
    read_definitions(&readers, &mut context);
    let mut decoded = Decoded {
        about: String::new(),
        settings: Settings::default(),
        prefabs: read_prefabs(&readers, &context),
        main: Group::default(),
        motions: Vec::new(),
        spawns: Vec::new(),
        duration: None,
        duration_span: Span::default(),
        also_dt: Vec::new(),
        bench: None,
        expectations: Vec::new(),
        lost_names: false,
    };
    for (index, reader) in readers.iter().enumerate() {
        let is_main = index + 1 == readers.len();
        read_file(reader, &context, is_main, &mut decoded);
    }
    decoded.lost_names = context.lost_names.get();
    decoded
}

/// Opens a file's outermost record and checks that it begins with its format.
pub(super) fn open_file<'v, 'a>(
    record: &'static Record,
    file: &'v Value<'a>,
    sink: &'v Sink,
) -> Option<Reader<'v, 'a>> {
    if let Kind::Record(_, fields) = &file.kind
        && let Some(first) = fields.first()
        && first.name.text != "format"
        && fields.iter().any(|field| field.name.text == "format")
    {
        let message = "`format` must be the first field";
        sink.error(
            first.name.span,
            "format",
            message,
            "begin with `format: 1,`",
        );
    }
    Reader::open(record, file, sink)
}

/// Whether a misspelt field may hold what names elsewhere refer to.
fn hides_names(reader: &Reader<'_, '_>) -> bool {
    let fields = || SCENE.fields.iter().map(|field| field.name);
    reader.unknown_fields().any(|name| {
        let meant = crate::diagnostic::nearest(name, fields());
        !matches!(
            meant,
            Some("settings" | "duration" | "also_dt" | "about" | "bench" | "expect" | "motion")
        )
    })
}

fn read_definitions(readers: &[Reader<'_, '_>], context: &mut Context<'_>) {
    for reader in readers {
        for (name, value) in reader.entries("materials") {
            let inner = Reader::open(&MATERIAL, value, context.sink);
            let read = inner.map(|inner| material(&inner)).unwrap_or_default();
            if context.materials.insert(name.text.clone(), read).is_some() {
                report_twice(context.sink, "material", &name);
            }
        }
        for (name, value) in reader.entries("shapes") {
            let read = shape(value, context.beside, context.sink);
            if context.shapes.insert(name.text.clone(), read).is_some() {
                report_twice(context.sink, "shape", &name);
            }
        }
    }
}

fn report_twice(sink: &Sink, what: &str, name: &Name) {
    let message = format!("there is already a {what} called `{}`", name.text);
    let help = "names must differ, those of included files too";
    sink.error(name.span, "duplicate-name", message, help);
}

fn read_prefabs(readers: &[Reader<'_, '_>], context: &Context<'_>) -> BTreeMap<String, Group> {
    let mut prefabs = BTreeMap::new();
    for reader in readers {
        for (name, value) in reader.entries("prefabs") {
            let group = match Reader::open(&PREFAB, value, context.sink) {
                Some(inner) => {
                    let group = read_group(&inner, context);
                    inner.finish();
                    group
                }
                None => {
                    context.lost_names.set(true);
                    Group::default()
                }
            };
            if prefabs.insert(name.text.clone(), group).is_some() {
                report_twice(context.sink, "prefab", &name);
            }
        }
    }
    prefabs
}

fn read_group(reader: &Reader<'_, '_>, context: &Context<'_>) -> Group {
    Group {
        bodies: context.bodies(reader, "bodies"),
        patterns: context.patterns(reader, "patterns"),
        joints: context.joints(reader, "joints"),
    }
}

fn read_file<'v, 'a>(
    reader: &Reader<'v, 'a>,
    context: &Context<'_>,
    is_main: bool,
    decoded: &mut Decoded<'v, 'a>,
) {
    let sink = reader.sink;
    reader.whole("format");
    // Which files there are was found out before, from what is written rightly.
    reader.check_texts("include");
    let mut group = read_group(reader, context);
    decoded.main.bodies.append(&mut group.bodies);
    decoded.main.patterns.append(&mut group.patterns);
    decoded.main.joints.append(&mut group.joints);
    decoded
        .motions
        .append(&mut context.motions(reader, "motion"));
    decoded.spawns.append(&mut context.spawns(reader, "spawn"));
    decoded.expectations.extend(reader.items("expect"));
    let about = reader.text("about");
    let settings = reader.record("settings").map(|inner| settings(&inner));
    let duration = reader.optional("duration");
    let also_dt = reader.numbers_f32("also_dt");
    let bench = reader.record("bench").map(|inner| bench(&inner));
    reader.finish();
    if is_main {
        let words = |name: Name| name.text.split_whitespace().collect::<Vec<_>>().join(" ");
        decoded.about = about.map(words).unwrap_or_default();
        decoded.settings = settings.unwrap_or_default();
        decoded.duration = duration;
        decoded.duration_span = reader.place_of("duration");
        if !reader.has("duration") {
            // The bracket at the head of the file.
            let span = &mut decoded.duration_span;
            span.end = (span.start + 1).min(span.end);
        }
        decoded.also_dt = also_dt;
        decoded.bench = bench;
        return;
    }
    for field in ["settings", "duration", "also_dt", "bench"] {
        if reader.has(field) {
            let message = format!("`{field}` belongs into the main file, not into an included one");
            sink.error(reader.place_of(field), "conflict", message, "move it there");
        }
    }
}

fn settings(reader: &Reader<'_, '_>) -> Settings {
    let settings = Settings {
        gravity: reader.vec3("gravity"),
        dt: reader.f32("dt"),
        substeps: reader.whole("substeps") as u32,
        sleeping: reader.flag("sleeping"),
        recycling: reader.flag("recycling"),
        restitution_threshold: reader.f32("restitution_threshold"),
        max_push_speed: reader.f32("max_push_speed"),
        ..Settings::default()
    };
    reader.finish();
    settings
}

fn bench(reader: &Reader<'_, '_>) -> Bench {
    let (steps, warmup) = (reader.whole("steps"), reader.whole("warmup"));
    reader.finish();
    if warmup >= steps {
        let message = format!("`warmup` must be less than `steps`, found {warmup} of {steps}");
        let help = "raise `steps`: it counts those of the warm-up too";
        reader
            .sink
            .error(reader.place_of("warmup"), "out-of-range", message, help);
    }
    Bench { steps, warmup }
}
