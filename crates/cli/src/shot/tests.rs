//! A small world with one of every kind of shape, drawn and compared to the letter.

use drystone::glam::{DVec3, Vec3};
use drystone::{BodyDef, Settings, Shape, World};

use super::{View, svg};

fn pyramid() -> Shape {
    let corners = [
        Vec3::new(-0.5, 0.0, -0.5),
        Vec3::new(0.5, 0.0, -0.5),
        Vec3::new(0.5, 0.0, 0.5),
        Vec3::new(-0.5, 0.0, 0.5),
        Vec3::new(0.0, 0.9, 0.0),
    ];
    Shape::hull(&corners).unwrap()
}

fn world() -> World {
    let mut world = World::new(Settings::default()).unwrap();
    let ground = BodyDef::fixed().with_shape(Shape::half_space(Vec3::Y));
    world.add_body(ground).unwrap();
    let bodies = [
        (
            Shape::cube(Vec3::new(1.0, 0.25, 0.5)),
            DVec3::new(0.0, 0.25, 0.0),
        ),
        (Shape::sphere(0.4), DVec3::new(-0.4, 0.9, 0.0)),
        (pyramid(), DVec3::new(0.5, 0.5, 0.0)),
        (Shape::capsule(0.4, 0.2), DVec3::new(1.6, 0.6, 0.3)),
    ];
    for (shape, position) in bodies {
        world
            .add_body(BodyDef::dynamic().at(position).with_shape(shape))
            .unwrap();
    }
    world
}

/// The picture was looked at when it was stored. It changes only when drawing changes: no
/// step is taken, and every number is rounded to a tenth of a pixel.
#[test]
fn a_small_world_is_drawn_as_stored() {
    let drawn = svg(
        &world(),
        &View {
            width: 480,
            height: 320,
            ..View::default()
        },
    );
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/pictures/small_world.svg"
    );
    if std::env::var_os("DRYSTONE_STORE_PICTURES").is_some() {
        std::fs::write(path, &drawn).unwrap();
    }
    let stored = std::fs::read_to_string(path).unwrap();
    assert!(
        drawn == stored,
        "{path} differs; look at the new picture with DRYSTONE_STORE_PICTURES=1"
    );
}

/// A picture of a world at 10,000 km is the picture of the same world at the origin: the
/// camera subtracts before it rounds.
#[test]
fn a_picture_far_from_the_origin_is_the_same() {
    let view = View::default();
    let near = svg(&world(), &view);
    let mut far = World::new(Settings::default()).unwrap();
    for (_, body) in world().bodies() {
        let mut def = body.to_def();
        // A whole number of grid lines away, and exact in f64.
        def.position += DVec3::new(10_000_000.0, 0.0, -10_000_000.0);
        far.add_body(def).unwrap();
    }
    let far = svg(&far, &view);
    let paths = |text: &str| text.matches("<path").count();
    assert_eq!(paths(&far), paths(&near));
    // Same first box face, up to the rounding of f64 positions at that distance.
    assert_eq!(far.len(), near.len());
}

/// An empty world gives an empty picture, not a failure.
#[test]
fn an_empty_world_gives_a_picture() {
    let world = World::new(Settings::default()).unwrap();
    let drawn = svg(&world, &View::default());
    assert!(drawn.starts_with("<svg") && drawn.ends_with("</svg>\n"));
    assert!(!drawn.contains("NaN"));
}
