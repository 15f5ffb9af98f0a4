//! Files about a pair of shapes: what they give, and how their mistakes are answered.

use drystone::Shape;
use drystone::geometry::glam::DVec3;
use drystone_scene::pair::{PairPath, PairQuery, PairQuestion};
use drystone_scene::schema;

use crate::table::assert_complete;

const MOVING: &str = r#"(
    format: 1,
    about: "a ball rolls by",
    a: (shape: Box(half_extents: (1, 2, 3)), position: (0, 1, 0)),
    b: (shape: Sphere(radius: 0.5), rotation: Turn(axis: (0, 0, 1), degrees: 90)),
    ask: Contact(margin: 0.1),
    motion: (frames: 3, move: (1, 0, 0), turn: Turn(axis: (0, 0, 1), degrees: 90)),
)"#;

/// All fields of a file, and the poses of its motion; known by hand: two quarter turns after
/// the first, one metre a frame.
#[test]
fn a_pair_is_read_with_its_motion() {
    let query = PairQuery::parse(MOVING, "t.ron").expect("a good file");
    assert_eq!(query.about, "a ball rolls by");
    assert_eq!(query.ask, PairQuestion::Contact { margin: 0.1 });
    assert_eq!(query.b.shape, Shape::Sphere { radius: 0.5 });
    assert_eq!(query.frame_of_a().translation, DVec3::Y);
    let poses: Vec<_> = query.poses_of_b().collect();
    assert_eq!(poses.len(), 3);
    for (frame, (pose, turned)) in poses
        .iter()
        .zip([DVec3::Y, -DVec3::X, -DVec3::Y])
        .enumerate()
    {
        assert_eq!(pose.translation, frame as f64 * DVec3::X);
        assert!((pose.rotate(DVec3::X) - turned).length() < 1e-6, "{frame}");
    }
}

/// A ray and both casts with all their fields, and what is left out; by hand.
#[test]
fn rays_and_casts_are_read() {
    let ball = "(shape: Sphere(radius: 1))";
    let ask = |question: &str| {
        let text = format!("(format: 1, a: {ball}, b: {ball}, ask: {question})");
        PairQuery::parse(text.as_str(), "t.ron")
            .expect(question)
            .ask
    };
    let (from, to) = (DVec3::new(0.0, 4.0, 0.0), DVec3::NEG_Y);
    assert_eq!(
        ask("Ray(from: (0, 4, 0), to: (0, -1, 0))"),
        PairQuestion::Ray { from, to }
    );
    let shift = DVec3::new(0.0, -1.0, 0.0);
    assert_eq!(
        ask("Cast(move: (0, -1, 0), target: 0.5)"),
        PairQuestion::Cast { shift, target: 0.5 }
    );
    let b = PairPath {
        shift,
        spin: DVec3::new(0.0, 0.0, 9.0),
        about: DVec3::X,
    };
    assert_eq!(
        ask("Motion(b: (move: (0, -1, 0), spin: (0, 0, 9), about: (1, 0, 0)))"),
        PairQuestion::Motion {
            a: PairPath::REST,
            b,
            target: 0.0
        }
    );
    assert_eq!(ask("Contact"), PairQuestion::Contact { margin: 0.02 });
    assert_eq!(ask("Distance"), PairQuestion::Distance);
}

/// What a pair cannot be, with a part of the answer; known by the table.
#[test]
fn mistakes_are_named_at_their_place() {
    let ball = "(shape: Sphere(radius: 1))";
    for (text, part, line) in [
        (format!("(format: 1, a: {ball})"), "needs the field `b`", 1),
        (
            format!("(format: 1,\na: {ball},\nb: (shape: Bal(radius: 1)))"),
            "no shape `Bal`",
            3,
        ),
        (
            format!("(format: 1, a: {ball}, b: {ball},\nmotion: (frames: 0))"),
            "frames",
            2,
        ),
        (
            format!("(format: 1, a: {ball}, b: {ball},\nask: Distanc)"),
            "Distanc",
            2,
        ),
        (
            format!("(format: 1, a: {ball}, b: {ball},\nask: Ray(from: (0, 1, 0)))"),
            "needs the field `to`",
            2,
        ),
        (
            format!("(format: 1, a: {ball}, b: {ball}, ask: Ray(from: (0, 1, 0),\nto: (0, 1, 0)))"),
            "ends where it starts",
            2,
        ),
        (
            format!("(format: 1, a: {ball}, b: {ball}, ask: Cast(\nmove: (0, 1e99, 0)))"),
            "move",
            2,
        ),
        (
            format!("(format: 1, a: {ball}, b: {ball},\nask: Motion(c: (spin: (0, 1, 0))))"),
            "no field `c`",
            2,
        ),
        (
            format!("(a: {ball}, format: 1, b: {ball})"),
            "first field",
            1,
        ),
    ] {
        let errors = PairQuery::parse(text.as_str(), "t.ron").expect_err(&text);
        let error = &errors.errors[0];
        assert!(error.message.contains(part), "{text}: {}", error.message);
        assert_eq!(error.line, line, "{text}");
    }
}

/// Every prefix of a good file, and the file with each byte replaced by a bracket. Known by
/// the promise: a pair or a mistake with a place, never a panic.
#[test]
fn mutilated_files_are_answered() {
    for at in 0..MOVING.len() {
        let mut texts = vec![MOVING[..at].to_owned()];
        for with in ["(", "]", "\"", "-"] {
            texts.push(format!("{}{with}{}", &MOVING[..at], &MOVING[at + 1..]));
        }
        for text in texts {
            if let Err(errors) = PairQuery::parse(text, "t.ron") {
                assert!(!errors.errors.is_empty());
            }
        }
    }
}

/// The printed table names every record and field of a pair.
#[test]
fn the_printed_table_is_complete() {
    let text = schema::render_pair();
    let (records, unions) = schema::pair_tables();
    assert_complete(&text, &records, &unions);
    assert_eq!(schema::render_one("pair"), Some(text));
    assert!(schema::render_one("pairmotion").is_some_and(|text| text.contains("frames")));
}
