//! Files of planar questions: what they give, and how their mistakes are answered.

use std::fmt::Write;

use drystone_planar::glam::DVec2;
use drystone_planar::{QueryOptions, distance};
use drystone_scene::planar::{PlanarQuery, Question};
use drystone_scene::schema::{self, Record, Type};

use crate::table::assert_complete;

const TEXTBOOK: &str = r#"(
    format: 1,
    about: "The worked example of the literature.",
    shapes: {
        "triangle": (shape: Polygon(points: [(4, 11), (4, 5), (9, 9)])),
        "quadrilateral": (shape: Outline(points: [(8, 6), (10, 2), (13, 1), (15, 6)])),
        "coin": (shape: Circle(radius: 1), position: (-3, 0)),
        "leaf": (shape: Ellipse(half_axes: (2, 1), angle: Degrees(30)), rounding: 0.25,
                 position: [20, 0], angle: 0.5),
        "grid": (shape: Points(points: [(0, 0), (1, 1), (0, 1)])),
        "bar": (shape: Segment(from: (0, 0), to: (1, 0))),
        "dot": (shape: Point()),
        "plate": (shape: Rectangle(half_extents: (2, 1))),
    },
    ask: [
        Distance,
        Intersects(a: "coin", b: "plate"),
        Penetration(b: "grid"),
        TimeOfImpact(a: "plate", b: "leaf", velocity: (-1, 0), within: 30),
        Contains(shape: "leaf", point: (20, 0)),
    ],
    tolerance: 1e-9,
    max_iterations: 200,
)"#;

/// A file with every shape and question. Known by hand: names become positions, what is
/// left out means the first two, and the textbook pair is 11 / sqrt(41) apart.
#[test]
fn a_file_with_every_shape_and_question_is_read() {
    let query = PlanarQuery::parse(TEXTBOOK, "t.ron").unwrap_or_else(|errors| panic!("{errors}"));
    assert_eq!(query.shapes.len(), 8);
    assert_eq!(query.options.max_iterations, 200);
    assert_eq!(query.options.tolerance, 1e-9);
    assert_eq!(
        query.questions,
        [
            Question::Distance { a: 0, b: 1 },
            Question::Intersects { a: 2, b: 7 },
            Question::Penetration { a: 0, b: 4 },
            Question::TimeOfImpact {
                a: 7,
                b: 3,
                velocity: DVec2::NEG_X,
                within: 30.0
            },
            Question::Contains {
                shape: 3,
                point: DVec2::new(20.0, 0.0)
            },
        ]
    );
    let (a, b) = (&query.shapes[0], &query.shapes[1]);
    let b_in_a = a.pose.relative(&b.pose);
    let answer = distance(&a.shape, &b.shape, &b_in_a, &query.options).expect("polygons");
    let error = (answer.distance() - 11.0 / 41.0_f64.sqrt()).abs();
    assert!(error < 1e-14, "{answer:?}");
    let leaf = &query.shapes[3];
    assert_eq!(leaf.shape.radius(), 0.25);
    assert_eq!(leaf.pose.translation, DVec2::new(20.0, 0.0));
    assert_eq!(leaf.pose.rotation.x, libm::cos(0.5));
}

/// Options that are left out. Known by the library's own defaults.
#[test]
fn the_defaults_are_those_of_the_library() {
    let text = "(format: 1, shapes: { \"a\": (shape: Point()) }, ask: [Contains(point: (0, 0))])";
    let query = PlanarQuery::parse(text, "t.ron").unwrap_or_else(|errors| panic!("{errors}"));
    assert_eq!(query.options, QueryOptions::default());
}

/// Mistakes people make. Known by hand: the code of the answer, its line, and the text it
/// points at.
#[test]
fn mistakes_are_answered_at_their_place() {
    let table = [
        ("(4, 11)", "(4, 1x)", "syntax", "1x"),
        ("(4, 11)", "(4, NaN)", "out-of-range", "NaN"),
        ("(4, 11)", "(4, 1e101)", "out-of-range", "1e101"),
        ("(4, 11)", "(4, 11, 0)", "wrong-type", "(4, 11, 0)"),
        ("(10, 2)", "(10, 8)", "not-convex", "(13, 1)"),
        (
            "(4, 11), (4, 5), (9, 9)",
            "(4, 11), (4, 5), (4, 5)",
            "bad-shape",
            "[",
        ),
        ("radius: 1", "radius: 0", "out-of-range", "0"),
        ("radius: 1", "diameter: 1", "unknown-field", "diameter"),
        (
            "half_axes: (2, 1)",
            "half_axes: (2, -1)",
            "out-of-range",
            "-1",
        ),
        ("Degrees(30)", "Degrees(1e9)", "out-of-range", "1e9"),
        ("Segment(", "Segmnet(", "unknown-variant", "Segmnet"),
        ("b: \"grid\"", "b: \"gird\"", "unknown-name", "\"gird\""),
        ("velocity: (-1, 0), ", "", "missing-field", "T"),
        ("\"dot\":", "\"bar\":", "duplicate-name", "\"bar\""),
        ("format: 1", "format: 2", "out-of-range", "2"),
        ("Distance,", "Distanc,", "unknown-variant", "Distanc"),
        (
            "max_iterations: 200",
            "max_iterations: 0",
            "out-of-range",
            "0",
        ),
    ];
    for (good, bad, code, at) in table {
        let text = TEXTBOOK.replacen(good, bad, 1);
        assert_ne!(text, TEXTBOOK, "{good} is in the text");
        let errors = PlanarQuery::parse(text.clone(), "t.ron").expect_err(bad);
        let error = &errors.errors[0];
        assert_eq!(error.code, code, "{bad}: {errors}");
        let found = &text[error.start..error.end];
        assert!(
            found.starts_with(at) || at.starts_with(found),
            "{bad}: `{found}`"
        );
        let line = text[..error.start].matches('\n').count() + 1;
        assert_eq!(error.line, line, "{bad}");
    }
}

/// One shape, and a question about two. Known by hand: the answer says what is missing.
#[test]
fn a_question_about_two_shapes_needs_two() {
    let text = "(format: 1, shapes: { \"a\": (shape: Point()) }, ask: [Distance()])";
    let errors = PlanarQuery::parse(text, "t.ron").expect_err("one shape");
    assert_eq!(errors.errors.len(), 1, "{errors}");
    let message = errors.errors[0].to_string();
    assert!(message.contains("`b` means shape number 2"), "{message}");
}

fn sample(kind: &Type) -> String {
    match kind {
        Type::Whole(min, _) => min.to_string(),
        Type::Number(_) | Type::Angle(_) => "1".to_owned(),
        Type::Pair(_) => "(1, 2)".to_owned(),
        Type::Text => "\"text\"".to_owned(),
        Type::Name(_) => "\"x\"".to_owned(),
        Type::Record(record) => all_fields("", record),
        Type::Union(union) => all_fields(union.variants[0].name, union.variants[0]),
        Type::List(inner) => format!("[{}]", sample(inner)),
        Type::Map(inner) => format!("{{ \"x\": {} }}", sample(inner)),
        other => panic!("{other:?} is not used by planar questions"),
    }
}

fn all_fields(name: &str, record: &Record) -> String {
    let mut text = format!("{name}(");
    for field in record.fields {
        let _ = write!(text, "{}: {}, ", field.name, sample(&field.kind));
    }
    text + ")"
}

/// Every record of the table with every field it lists. Known by the table: no message
/// may say that a field is unknown or of the wrong type; debug builds also assert that
/// the reader asks for every field and for no other.
#[test]
fn the_reader_knows_every_field_of_the_table() {
    let mut texts = vec![all_fields("", &schema::PLANAR_QUERY)];
    let shapes = schema::PLANAR_SHAPE.variants.iter();
    texts.extend(shapes.map(|record| {
        let shape = all_fields(record.name, record);
        format!("(format: 1, shapes: {{ \"x\": (shape: {shape}) }}, ask: [])")
    }));
    let questions = schema::QUESTION.variants.iter();
    texts.extend(questions.map(|record| {
        let question = all_fields(record.name, record);
        format!("(format: 1, shapes: {{ \"x\": (shape: Point()) }}, ask: [{question}])")
    }));
    assert_eq!(texts.len(), 14);
    for text in texts {
        if let Err(errors) = PlanarQuery::parse(text.clone(), "t.ron") {
            for error in errors.errors {
                // One point makes no polygon; that is all.
                assert_eq!(error.code, "bad-shape", "{error}\n{text}");
            }
        }
    }
}

/// The printed table names every record and field, under its own name too.
#[test]
fn the_printed_table_is_complete() {
    let text = schema::render_planar();
    let (records, unions) = schema::planar_tables();
    assert!(records.len() > 14, "{}", records.len());
    assert_complete(&text, &records, &unions);
    assert_eq!(schema::render_one("planar"), Some(text));
    assert!(schema::render_one("question").is_some_and(|text| text.contains("TimeOfImpact")));
}

/// Every prefix of a good file, and the file with each byte replaced by a bracket. Known
/// by the promise: an answer or a mistake with a place, never a panic.
#[test]
fn mutilated_files_are_answered() {
    for at in 0..TEXTBOOK.len() {
        if let Err(errors) = PlanarQuery::parse(&TEXTBOOK[..at], "t.ron") {
            assert!(!errors.errors.is_empty());
        }
        for with in ["(", "]", "\"", "-"] {
            let text = format!("{}{with}{}", &TEXTBOOK[..at], &TEXTBOOK[at + 1..]);
            if let Err(errors) = PlanarQuery::parse(text, "t.ron") {
                assert!(!errors.errors.is_empty());
            }
        }
    }
}
