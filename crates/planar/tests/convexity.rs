//! Building polygons from points, and naming what is wrong with an outline.

mod support;

use drystone_planar::ConvexityError::{
    NotFinite, Reflex, Spike, TooFewPoints, TooLarge, WindsTwice,
};
use drystone_planar::glam::DVec2;
use drystone_planar::{
    ConvexityError, Polygon, Shape2, ShapeDef2, ShapeError2, Winding, check_convex, orientation,
};
use support::{Random, highest, round_polygon};

fn points(list: &[(f64, f64)]) -> Vec<DVec2> {
    list.iter().map(|&(x, y)| DVec2::new(x, y)).collect()
}

/// Outlines, good and bad, and what is to be said of each.
fn outlines() -> Vec<(Vec<DVec2>, Result<Winding, ConvexityError>)> {
    let nan = f64::NAN;
    vec![
        (
            points(&[(0., 0.), (1., 0.), (1., 1.), (0., 1.)]),
            Ok(Winding::CounterClockwise),
        ),
        (
            points(&[(0., 1.), (1., 1.), (1., 0.), (0., 0.)]),
            Ok(Winding::Clockwise),
        ),
        (
            // Repeated and straight corners, also at the ends of the list.
            points(&[
                (0., 0.),
                (0., 0.),
                (1., 0.),
                (2., 0.),
                (2., 2.),
                (2., 2.),
                (0., 2.),
                (0., 0.),
            ]),
            Ok(Winding::CounterClockwise),
        ),
        (
            points(&[(0., 0.), (1., 0.), (2., 0.), (1., 0.)]),
            Ok(Winding::Flat),
        ),
        (
            points(&[(0., 0.), (2., 0.), (1., 0.5), (2., 2.), (0., 2.)]),
            Err(Reflex { index: 2 }),
        ),
        (
            points(&[(0., 2.), (2., 2.), (1., 0.5), (2., 0.), (0., 0.)]),
            Err(Reflex { index: 2 }),
        ),
        (
            points(&[(0., 0.), (2., 0.), (3., 0.), (2., 0.), (2., 2.)]),
            Err(Spike { index: 2 }),
        ),
        (
            points(&[(0., 0.), (2., 0.), (1., 0.), (3., 0.)]),
            Err(Spike { index: 2 }),
        ),
        (
            points(&[(0., 0.), (1., 1.), (1., nan)]),
            Err(NotFinite { index: 2 }),
        ),
        (
            points(&[(0., 0.), (f64::INFINITY, 1.), (1., 1.)]),
            Err(NotFinite { index: 1 }),
        ),
        (
            points(&[(0., 0.), (1e200, 1.), (1., 1.)]),
            Err(TooLarge { index: 1 }),
        ),
        (
            points(&[(0., 0.), (1., 1.), (0., 0.)]),
            Err(TooFewPoints { distinct: 2 }),
        ),
        (vec![], Err(TooFewPoints { distinct: 0 })),
    ]
}

/// A table of outlines, good and bad. Known by hand from a drawing of each.
#[test]
fn outlines_are_judged_and_the_vertex_at_fault_is_named() {
    let star: Vec<DVec2> = (0..5)
        .map(|index| {
            let (sin, cos) = libm::sincos(f64::from(index) * 4.0 * std::f64::consts::PI / 5.0);
            DVec2::new(cos, sin)
        })
        .collect();
    for (outline, expected) in outlines() {
        assert_eq!(check_convex(&outline), expected, "{outline:?}");
        assert_eq!(Polygon::from_outline(&outline).is_ok(), expected.is_ok());
    }
    assert!(matches!(check_convex(&star), Err(WindsTwice { .. })));
    let twice: Vec<DVec2> = [star.clone(), star].concat();
    assert!(check_convex(&twice).is_err());
}

/// Random points in three orders. Known by the definition of a hull: every point is on
/// the inner side of every edge, every ring vertex is one of the points, and the ring
/// turns left everywhere.
#[test]
fn hulls_hold_every_point_and_nothing_more() {
    let mut random = Random::new(41);
    for round in 0..2_000 {
        let count = 3 + random.below(30);
        let grid = round % 2 == 0;
        let cloud: Vec<DVec2> = (0..count)
            .map(|_| {
                let at = random.vector(4.0);
                if grid { at.round() } else { at }
            })
            .collect();
        let Ok(polygon) = Polygon::new(&cloud) else {
            continue;
        };
        let ring = polygon.vertices();
        for index in 0..ring.len() {
            let (from, to) = (ring[index], ring[(index + 1) % ring.len()]);
            assert_eq!(cloud[polygon.source(index as u32) as usize], from);
            assert!(cloud.iter().all(|&p| orientation(from, to, p) >= 0.0));
            let after = ring[(index + 2) % ring.len()];
            assert!(ring.len() == 2 || orientation(from, to, after) > 0.0);
        }
        // The same ring whichever way the points come.
        let mut reversed = cloud.clone();
        reversed.reverse();
        assert_eq!(Polygon::new(&reversed).expect("the same").vertices(), ring);
        let turned: Vec<DVec2> = ring
            .iter()
            .rev()
            .cycle()
            .skip(1)
            .take(ring.len())
            .copied()
            .collect();
        if ring.len() > 2 {
            assert_eq!(Polygon::new(&turned).expect("the same").vertices(), ring);
            assert_eq!(check_convex(&turned), Ok(Winding::Clockwise));
        }
    }
}

/// Supports by binary search, from a hint, and by a scan, over directions that include
/// the axes and edge normals. Known by the scan.
#[test]
fn supports_are_as_high_as_a_scan_finds() {
    let mut random = Random::new(42);
    for round in 0..400 {
        let count = 3 + random.below(if round % 10 == 0 { 2_000 } else { 20 });
        let ring = round_polygon(&mut random, count, DVec2::new(1.0, 0.6));
        let polygon = Polygon::new(&ring).expect("round");
        for probe in 0..40 {
            let direction = match probe {
                0 => DVec2::X,
                1 => DVec2::NEG_X,
                2 => DVec2::Y,
                3 => DVec2::NEG_Y,
                4..=10 => {
                    let index = random.below(count);
                    let edge = polygon.vertices()[(index + 1) % count] - polygon.vertices()[index];
                    DVec2::new(edge.y, -edge.x)
                }
                _ => random.vector(1.0),
            };
            let exact = highest(polygon.vertices(), direction);
            let tolerance = 1e-15 * direction.length();
            let found = polygon.vertices()[polygon.support(direction)].dot(direction);
            assert!(found >= exact - tolerance, "{found} {exact}");
            let hint = random.below(count);
            let walked = polygon.vertices()[polygon.support_from(hint, direction)].dot(direction);
            assert!(walked >= exact - tolerance, "{walked} {exact} from {hint}");
        }
    }
}

/// Numbers that describe no shape. Known by hand; each message names the number.
#[test]
fn bad_shapes_are_refused_by_name() {
    let o = DVec2::ZERO;
    let bad: Vec<Result<Shape2, ShapeError2>> = vec![
        Shape2::circle(o, 0.0),
        Shape2::circle(o, -1.0),
        Shape2::circle(o, f64::NAN),
        Shape2::ellipse(o, DVec2::new(1.0, 0.0), 0.0),
        Shape2::ellipse(o, DVec2::new(1.0, 2.0), f64::INFINITY),
        Shape2::ellipse(DVec2::NAN, DVec2::ONE, 0.0),
        Shape2::rectangle(DVec2::new(1.0, -1.0)),
        Shape2::points(vec![]),
        Shape2::points(vec![DVec2::NAN]),
        Shape2::point(DVec2::INFINITY),
        Shape2::point(o).and_then(|shape| shape.rounded(-0.1)),
    ];
    for result in bad {
        let error = result.expect_err("a bad shape");
        assert!(error.to_string().len() > 20, "{error}");
    }
}

/// A nested definition through JSON and into a shape. Known by hand: its box.
#[test]
fn definitions_become_shapes() {
    let text = r#"{"Rounded":{"shape":{"Ellipse":{"half_axes":[2.0,1.0]}},"radius":0.5}}"#;
    let def: ShapeDef2 = serde_json::from_str(text).expect("a definition");
    let shape = Shape2::try_from(def).expect("a shape");
    let (low, high) = shape.bounds();
    assert!(high.abs_diff_eq(DVec2::new(2.5, 1.5), 1e-15), "{high}");
    assert!(low.abs_diff_eq(-high, 1e-15), "{low}");
    assert!(serde_json::from_str::<ShapeDef2>(r#"{"Circle":{"radious":1.0}}"#).is_err());
}
