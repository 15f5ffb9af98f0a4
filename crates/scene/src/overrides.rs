//! Overriding values of a scene without touching its file: `settings.substeps = 8`.
//!
//! The new value replaces the old one in the text, so that everything said about the scene
//! afterwards, errors included, is about what was really read.

use crate::decode::suggest;
use crate::diagnostic::{SceneErrors, Sink, Sources, Span};
use crate::syntax::{self, Kind, Value};

/// A value to be used in place of what a scene file says.
///
/// The path goes down from the scene: names of fields and map keys, parted by `.`, and for
/// the items of a list either `[2]`, counted from 0, or the `name` of the item. A field that
/// the file leaves out is added.
///
/// ```
/// use drystone_scene::{Override, Scene};
///
/// let text = r#"(format: 1, bodies: [(name: "a", shape: Sphere(radius: 1), kind: Static)])"#;
/// let faster = Override::parse("settings.substeps=8").unwrap();
/// let smaller = Override::parse("bodies.a.shape.radius=0.5").unwrap();
/// let text = Override::apply(&[faster, smaller], text, "example.ron")?;
/// let scene = Scene::parse(text, "example.ron")?;
/// assert_eq!(scene.settings.substeps, 8);
/// # Ok::<(), drystone_scene::SceneErrors>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Override {
    /// Where the value stands.
    pub path: String,
    /// The value, as RON.
    pub value: String,
}

/// One step down a path.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Segment {
    Name(String),
    Index(usize),
}

impl Override {
    /// Reads `path=value`; says in words what is wrong with it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let Some((path, value)) = text.split_once('=') else {
            return Err(format!("`{text}` lacks `=`: write `path=value`"));
        };
        segments(path)?;
        let sink = Sink::default();
        let is_whole = syntax::parse(value, 0, &sink).is_some() && sink.is_empty();
        if !is_whole {
            return Err(format!(
                "`{value}` is not one RON value: write a number, `\"text\"`, `(x, y, z)` or the like"
            ));
        }
        Ok(Self {
            path: path.to_owned(),
            value: value.trim().to_owned(),
        })
    }

    /// The text of the scene `file` with all `overrides` made, in their order.
    ///
    /// A path that leads nowhere is an error at the place where it ends. A text that cannot
    /// be read stays as it is: reading the scene says why.
    pub fn apply(overrides: &[Self], text: &str, file: &str) -> Result<String, SceneErrors> {
        let mut text = text.to_owned();
        for item in overrides {
            let sink = Sink::default();
            let edited = item.splice(&text, &sink);
            if !sink.is_empty() {
                let sources = Sources {
                    files: vec![(file.to_owned(), text)],
                };
                return Err(sink.into_errors(&sources));
            }
            if let Some(edited) = edited {
                text = edited;
            }
        }
        Ok(text)
    }

    fn splice(&self, text: &str, sink: &Sink) -> Option<String> {
        let unheard = Sink::default();
        let root = syntax::parse(text, 0, &unheard)?;
        if !unheard.is_empty() {
            return None;
        }
        let segments = segments(&self.path).ok()?;
        let edit = find(&root, &segments, &self.value, sink, &self.path)?;
        let (start, end) = (edit.span.start as usize, edit.span.end as usize);
        Some(format!("{}{}{}", &text[..start], edit.text, &text[end..]))
    }
}

/// What replaces a stretch of the text.
struct Edit {
    span: Span,
    text: String,
}

/// The steps of a path.
fn segments(path: &str) -> Result<Vec<Segment>, String> {
    let mut found = Vec::new();
    for part in path.trim().split('.') {
        let (name, mut rest) = match part.find('[') {
            Some(at) => part.split_at(at),
            None => (part, ""),
        };
        if !name.is_empty() {
            found.push(Segment::Name(name.to_owned()));
        } else if rest.is_empty() || found.is_empty() {
            return Err(format!(
                "`{path}` is not a path such as `settings.substeps`"
            ));
        }
        while let Some((index, after)) = rest.strip_prefix('[').and_then(|r| r.split_once(']')) {
            let index = index.trim().parse();
            let index = index.map_err(|_| format!("`{part}` has no whole number in `[ ]`"))?;
            found.push(Segment::Index(index));
            rest = after;
        }
        if !rest.is_empty() {
            return Err(format!("`{part}` has a bracket that is never closed"));
        }
    }
    Ok(found)
}

/// Goes down from `value`; at the end of the path, or where a field is missing, says what
/// to write. Reports to `sink` where the path leads nowhere.
fn find(value: &Value<'_>, path: &[Segment], new: &str, sink: &Sink, whole: &str) -> Option<Edit> {
    let Some((first, rest)) = path.split_first() else {
        return Some(Edit {
            span: value.span,
            text: new.to_owned(),
        });
    };
    let next = |inner: &Value<'_>| find(inner, rest, new, sink, whole);
    match (&value.kind, first) {
        (Kind::Record(_, fields), Segment::Name(name)) => {
            match fields.iter().find(|field| field.name.text == name) {
                Some(field) => next(&field.value),
                None => {
                    let end = fields.last().map_or(value.span, |last| last.value.span).end;
                    add(value, end, ", ", name, rest, new, sink, whole)
                }
            }
        }
        (Kind::Tuple(_, items), Segment::Name(name)) if items.is_empty() => {
            let close = value.span.end - 1;
            add(value, close, "", name, rest, new, sink, whole)
        }
        (Kind::Tuple(_, items) | Kind::List(items), Segment::Index(index)) => {
            match items.get(*index) {
                Some(item) => next(item),
                None => {
                    let message = format!("`{whole}`: there are only {} items", items.len());
                    let help = "items are counted from 0";
                    sink.error(value.span, "override", message, help);
                    None
                }
            }
        }
        (Kind::List(items), Segment::Name(name)) => {
            let named = items.iter().filter_map(|item| Some((name_of(item)?, item)));
            match named.clone().find(|(known, _)| known == name) {
                Some((_, item)) => next(item),
                None => {
                    let message = format!("`{whole}`: no item of this list is called `{name}`");
                    let known: Vec<_> = named.map(|(known, _)| known).collect();
                    let help = suggest(name, &known, "name");
                    sink.error(value.span, "override", message, help);
                    None
                }
            }
        }
        (Kind::Map(items), Segment::Name(name)) => {
            match items.iter().find(|(key, _)| text_of(key) == Some(name)) {
                Some((_, item)) => next(item),
                None => {
                    let message = format!("`{whole}`: this map has no `{name}`");
                    let known: Vec<_> = items.iter().filter_map(|(key, _)| text_of(key)).collect();
                    let help = suggest(name, &known, "entry");
                    sink.error(value.span, "override", message, help);
                    None
                }
            }
        }
        _ => {
            let message = format!("`{whole}` goes on below {}", value.describe());
            let help = "end the path there, or leave out what follows";
            sink.error(value.span, "override", message, help);
            None
        }
    }
}

/// The `name` an item of a list gives itself.
fn name_of<'a>(item: &'a Value<'_>) -> Option<&'a str> {
    let Kind::Record(_, fields) = &item.kind else {
        return None;
    };
    let name = fields.iter().find(|field| field.name.text == "name")?;
    text_of(&name.value)
}

fn text_of<'a>(value: &'a Value<'_>) -> Option<&'a str> {
    match &value.kind {
        Kind::Text(text) => Some(text),
        _ => None,
    }
}

/// Adds the field `name` at byte `at` of a record, with all that the path has below it.
fn add(
    record: &Value<'_>,
    at: u32,
    before: &str,
    name: &str,
    rest: &[Segment],
    new: &str,
    sink: &Sink,
    whole: &str,
) -> Option<Edit> {
    let mut text = format!("{before}{name}: ");
    let mut open = 0;
    for segment in rest {
        let Segment::Name(name) = segment else {
            let message = format!("`{whole}`: there is no list `{name}` here");
            let help = "write the list in the file first: a path only finds items that exist";
            sink.error(record.span, "override", message, help);
            return None;
        };
        text.push_str(&format!("({name}: "));
        open += 1;
    }
    text.push_str(new);
    text.push_str(&")".repeat(open));
    let span = Span {
        start: at,
        end: at,
        ..record.span
    };
    Some(Edit { span, text })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"(
    format: 1,
    settings: (substeps: 4,),
    materials: { "ice": (friction: 0.1) },
    bodies: [
        (name: "ball", shape: Sphere(radius: 1), position: (0, 2, 0)),
        (shape: HalfSpace()),
    ],
)"#;

    fn apply(item: &str) -> Result<String, String> {
        let item = Override::parse(item)?;
        Override::apply(&[item], TEXT, "a.ron").map_err(|errors| errors.to_string())
    }

    /// One path of each kind; what must stand in the text is written by hand.
    #[test]
    fn a_path_reaches_fields_items_and_keys() {
        for (item, expected) in [
            ("settings.substeps=8", "(substeps: 8,)"),
            ("materials.ice.friction=0", "(friction: 0)"),
            ("bodies[0].position=(0, 9, 0)", "position: (0, 9, 0)),"),
            ("bodies[0].position[1]=5", "position: (0, 5, 0)),"),
            ("bodies.ball.shape.radius=0.5", "Sphere(radius: 0.5)"),
            ("settings.sleeping=false", "(substeps: 4, sleeping: false,)"),
            (
                "bodies[1].shape.normal=(1, 0, 0)",
                "HalfSpace(normal: (1, 0, 0))",
            ),
            ("bench.steps=9", "    ], bench: (steps: 9),\n)"),
        ] {
            let text = apply(item).unwrap();
            assert!(text.contains(expected), "{item}: {text}");
            assert_eq!(text.lines().count(), TEXT.lines().count(), "{item}");
        }
    }

    /// A path that leads nowhere, or is none, is refused in words.
    #[test]
    fn a_path_that_leads_nowhere_is_an_error_at_the_place_where_it_ends() {
        for (item, expected) in [
            (
                "bodies.bal.position=1",
                "5:13: `bodies.bal.position`: no item of this list is called `bal`; did you mean `ball`?",
            ),
            ("bodies[7].name=1", "there are only 2 items"),
            ("materials.mud.friction=1", "this map has no `mud`"),
            ("format.sub=1", "goes on below 1"),
            ("patterns[0].base=1", "there is no list `patterns` here"),
            ("settings.substeps", "lacks `=`"),
            ("a..b=1", "is not a path"),
            ("bodies[x].name=1", "no whole number"),
            ("bodies[0=1", "never closed"),
            ("settings.substeps=1, dt: 5", "is not one RON value"),
            ("settings.substeps=", "is not one RON value"),
        ] {
            let error = apply(item).unwrap_err();
            assert!(error.contains(expected), "{item}: {error}");
        }
    }
}
