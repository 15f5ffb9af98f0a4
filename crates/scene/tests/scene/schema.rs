//! The table of fields is the truth: what it lists is accepted, with its defaults, and
//! nothing else.

use std::fmt::Write;

use drystone::{BodyDef, Filter, Material, Settings};
use drystone_scene::Scene;
use drystone_scene::schema::{self, Default, Record, Type, Union};

use crate::table::assert_complete;

/// A value that the type accepts, names included.
fn sample(kind: &Type) -> String {
    match kind {
        Type::Flag => "false".to_owned(),
        Type::Whole(min, max) => format!("{}", (*min).max(1).min(*max)),
        Type::Signed(..) => "1".to_owned(),
        Type::Number(range) | Type::Angle(range) => format!("{}", number(range)),
        Type::Pair(range) => format!("({0}, {0})", number(range)),
        Type::Vector(range) => format!("({0}, {0}, {0})", number(range)),
        Type::Direction => "(0, 1, 0)".to_owned(),
        Type::Counts(..) => "(1, 1, 1)".to_owned(),
        Type::Flags => "(false, false, false)".to_owned(),
        Type::Rotation => "(0, 0, 0, 1)".to_owned(),
        Type::Text => "\"text\"".to_owned(),
        Type::Name(_) | Type::Bodies => "\"thing\"".to_owned(),
        Type::Choice(words) => words[0].to_owned(),
        Type::Record(record) => all_fields("", record),
        Type::Union(union) => all_fields(union.variants[0].name, union.variants[0]),
        Type::NameOr(inner) => sample(inner),
        Type::List(inner) => format!("[{0}, {0}]", sample(inner)),
        Type::Map(inner) => format!("{{ \"x\": {} }}", sample(inner)),
    }
}

fn number(range: &schema::Range) -> f64 {
    1.0f64.clamp(range.min, range.max)
}

fn all_fields(name: &str, record: &Record) -> String {
    let mut text = format!("{name}(");
    for field in record.fields {
        let _ = write!(text, "{}: {}, ", field.name, sample(&field.kind));
    }
    text + ")"
}

/// Every record of the table, with every field it lists, put where it belongs: no message
/// may say that a field is unknown or of the wrong type. Debug builds also assert that the
/// reader asks for every field of a record and for no other.
#[test]
fn the_reader_knows_every_field_of_the_table() {
    let mut seen = 0;
    let in_scene = |field: &str, value: String| format!("(format: 1, {field}: {value})");
    let mut texts = vec![all_fields("", &schema::SCENE)];
    let in_union = |union: &Union, wrap: &dyn Fn(String) -> String| -> Vec<String> {
        union
            .variants
            .iter()
            .map(|variant| wrap(all_fields(variant.name, variant)))
            .collect()
    };
    texts.extend(in_union(&schema::PATTERN, &|v| {
        in_scene("patterns", format!("[{v}]"))
    }));
    texts.extend(in_union(&schema::EXPECTATION, &|v| {
        in_scene("expect", format!("[{v}]"))
    }));
    texts.extend(in_union(&schema::SHAPE, &|v| {
        in_scene("shapes", format!("{{ \"s\": {v} }}"))
    }));
    texts.extend(in_union(&schema::JOINT_KIND, &|v| {
        in_scene(
            "joints",
            format!("[(a: \"a\", b: \"b\", kind: {v}, anchor: (0, 0, 0))]"),
        )
    }));
    texts.extend(in_union(&schema::PATH, &|v| {
        in_scene("motion", format!("[(body: \"b\", path: {v})]"))
    }));
    texts.extend(in_union(&schema::ROTATION, &|v| {
        in_scene("bodies", format!("[(kind: Static, rotation: {v})]"))
    }));
    for text in texts {
        seen += 1;
        let Err(errors) = Scene::parse_with(text.clone(), "t.ron", &mut |_| Err("none".to_owned()))
        else {
            continue;
        };
        for error in errors.errors {
            let is_drift = [
                "unknown-field",
                "wrong-type",
                "unknown-variant",
                "missing-field",
            ]
            .contains(&error.code);
            assert!(!is_drift, "{error}\n{text}");
        }
    }
    assert!(seen > 40, "{seen}");
}

/// A field that is not in the table is refused in every record of it.
#[test]
fn every_record_refuses_other_fields() {
    let (records, _) = schema::tables();
    assert!(records.len() > 50, "{}", records.len());
    for record in records {
        assert!(record.field("no_such_field").is_none());
        assert!(
            record.fields.len() <= 64,
            "{} has more fields than the reader counts",
            record.name
        );
        let mut names: Vec<&str> = record.fields.iter().map(|field| field.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), record.fields.len(), "{}", record.name);
    }
}

/// The defaults of the table are those of the engine's own descriptions.
#[test]
fn the_defaults_are_those_of_the_engine() {
    let scene = Scene::parse(
        "(format: 1, settings: (), materials: { \"default\": () }, bodies: [(shape: Sphere(radius: 1), filter: (), material: ())])",
        "t.ron",
    )
    .unwrap_or_else(|errors| panic!("{errors}"));
    assert_eq!(scene.settings, Settings::default());
    let def = &scene.bodies[0].def;
    assert_eq!(def.shapes[0].material, Material::default());
    assert_eq!(def.shapes[0].filter, Filter::default());
    assert_eq!(
        BodyDef {
            shapes: Vec::new(),
            ..def.clone()
        },
        BodyDef::default()
    );
}

/// Defaults lie in the range of their field.
#[test]
fn defaults_lie_in_their_ranges() {
    let (records, _) = schema::tables();
    for record in records {
        for field in record.fields {
            let holds = match (&field.kind, field.default) {
                (Type::Number(range) | Type::Angle(range), Default::Number(value)) => {
                    range.holds(value)
                }
                (Type::Vector(range), Default::Vector(values)) => {
                    values.iter().all(|v| range.holds(*v))
                }
                (Type::Whole(min, max), Default::Number(value)) => {
                    value >= *min as f64 && value <= *max as f64
                }
                (Type::Choice(words), Default::Word(word)) => words.contains(&word),
                _ => true,
            };
            assert!(holds, "{}.{}", record.name, field.name);
        }
    }
}

/// The printed table names every record and field.
#[test]
fn the_printed_table_is_complete() {
    let text = schema::render();
    let (records, unions) = schema::tables();
    assert_complete(&text, &records, &unions);
    assert!(schema::render_one("body").is_some_and(|text| text.contains("linear_damping")));
    assert!(schema::render_one("nothing").is_none());
}
