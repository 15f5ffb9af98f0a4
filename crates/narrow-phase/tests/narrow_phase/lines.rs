//! Round sides that lie at a few degrees to each other: one normal, a point at both ends of what
//! they have in common, and one where they cross.

use drystone_geometry::glam::{DMat3, DVec3, Vec3};
use drystone_geometry::{Frame, Manifold, Shape};
use drystone_narrow_phase::{CollideSettings, Counters, Tracker, collide, distance};

use crate::curved::{gap, shapes};
use crate::random::Random;

fn contact(a: &Shape, b: &Shape, b_in_a: &Frame, margin: f32) -> Manifold {
    let mut manifold = Manifold::EMPTY;
    collide(
        a,
        b,
        b_in_a,
        &CollideSettings {
            margin,
            recycle: false,
            ..CollideSettings::default()
        },
        &mut Tracker::default(),
        &mut manifold,
        &mut Counters::default(),
    );
    manifold
}

/// Turns about Z by an angle of this sine.
fn turned(sine: f64) -> DMat3 {
    let cosine = (1.0 - sine * sine).sqrt();
    DMat3::from_cols(
        DVec3::new(cosine, sine, 0.0),
        DVec3::new(-sine, cosine, 0.0),
        DVec3::Z,
    )
}

/// Along Y, of radius 0.5 where its side is and a straight part of 0.6 to either side.
fn round_ones() -> Vec<Shape> {
    vec![
        Shape::cylinder(0.6, 0.5),
        Shape::capsule(0.6, 0.5),
        Shape::rounded(Shape::cylinder(0.6, 0.4), 0.1).expect("it can be rounded"),
    ]
}

/// Two sides that cross over their middles. Where either ends, circles of radius 0.5 lie aside of
/// each other by 0.6 times the sine: by Pythagoras they touch when their middles are as high above
/// each other as the root of what is left of 1.
#[test]
fn sides_that_cross_touch_at_both_ends() {
    for a in &round_ones() {
        for b in &round_ones() {
            for (sine, height) in [(0.03, 0.999), (0.1, 0.99), (0.1, 0.9), (0.2, 0.98)] {
                let b_in_a = Frame {
                    rotation: turned(sine),
                    translation: DVec3::new(0.0, 0.0, height),
                };
                let what = format!("{} {} {sine} {height}", a.kind_name(), b.kind_name());
                let manifold = contact(a, b, &b_in_a, 0.02);
                let aside = 0.6 * sine;
                let at_ends = height - (1.0 - aside * aside).sqrt();
                let mut points = manifold.points().to_vec();
                points.sort_by(|one, next| one.anchor_a.y.total_cmp(&next.anchor_a.y));
                let found: Vec<f64> = points.iter().map(|p| f64::from(p.separation)).collect();
                assert_eq!(found.len(), 3, "{what}: {found:?}");
                assert!(manifold.normal.abs_diff_eq(Vec3::Z, 1e-6), "{what}");
                for (found, expected) in found.iter().zip([at_ends, height - 1.0, at_ends]) {
                    assert!((found - expected).abs() < 1e-6, "{what}: {points:?}");
                }
                for (point, expected) in points.iter().zip([-0.6, 0.0, 0.6]) {
                    let heights = [point.anchor_a.y, point.anchor_b.y].map(f64::from);
                    let off = heights.map(|y| (y - expected).abs());
                    // It ends where one of the two does.
                    assert!(off[0].min(off[1]) < 1e-3, "{what}: {points:?}");
                }
            }
        }
    }
}

/// How far a point is from the surface of one of [`round_ones`] times `scale`, beside its side.
fn off_the_side(point: Vec3, scale: f64) -> f64 {
    let across = f64::from(point.x.hypot(point.z));
    let beyond = (f64::from(point.y).abs() - 0.6 * scale).max(0.0);
    (across - 0.5 * scale).abs().max(beyond)
}

/// Sides at up to twelve degrees, across and along the normal, at all sizes: the points share a
/// normal, none is deeper than the supporting planes along it, the deepest is as deep, all lie on
/// both surfaces, and where the circles at both ends of the common part are near, so are points.
#[test]
fn sides_at_a_few_degrees_touch_all_along() {
    let mut random = Random::new(41);
    let mut long = 0;
    for _ in 0..4000 {
        let scale = libm::exp10(random.between(-2.0, 2.0));
        let shapes: Vec<Shape> = (round_ones().iter())
            .map(|shape| scaled(shape, scale as f32))
            .collect();
        let mut one = || &shapes[(random.between(0.0, 2.999)) as usize];
        let (a, b) = (one(), one());
        let tilt = random.between(-0.02, 0.02);
        let lean = DMat3::from_cols(
            DVec3::X,
            DVec3::new(0.0, (1.0 - tilt * tilt).sqrt(), tilt),
            DVec3::new(0.0, -tilt, (1.0 - tilt * tilt).sqrt()),
        );
        let place = DVec3::new(
            random.between(-0.05, 0.05),
            random.between(-0.4, 0.4),
            random.between(0.92, 1.0),
        );
        let b_in_a = Frame {
            rotation: turned(random.between(-0.2, 0.2)) * lean,
            translation: scale * place,
        };
        let margin = 0.02 * scale;
        let manifold = contact(a, b, &b_in_a, margin as f32);
        let what = format!("{} {} {scale} {b_in_a:?}", a.kind_name(), b.kind_name());
        let normal = manifold.normal.as_dvec3();
        let along = gap(a, b, &b_in_a, normal);
        let (mut least, mut ends) = (f64::INFINITY, [f64::INFINITY, f64::NEG_INFINITY]);
        for point in manifold.points() {
            let separation = f64::from(point.separation);
            assert!(separation >= along - 1e-5 * scale, "{what}: {manifold:?}");
            least = least.min(separation);
            let height = f64::from(point.anchor_a.y) / scale;
            ends = [ends[0].min(height), ends[1].max(height)];
            for anchor in [point.anchor_a, point.anchor_b] {
                let off = off_the_side(anchor, scale) / scale;
                assert!(off < 0.012, "{what}: {off} {manifold:?}");
            }
        }
        assert!(least <= along + 1e-4 * scale, "{what}: {least} {along}");
        // The common part, from what lies where on A's axis, without its last tenth.
        let axis = b_in_a.rotation.y_axis;
        let (low, high) = (
            (place.y - 0.6 * axis.y).max(-0.6) + 0.03,
            (place.y + 0.6 * axis.y).min(0.6) - 0.03,
        );
        let is_near = |height: f64| {
            let middle = place + axis * ((height - place.y) / axis.y) - DVec3::Y * height;
            let over = middle.dot(normal);
            let aside = (middle - over * normal).length();
            over - (1.0 - aside * aside).sqrt() < 0.018
        };
        if is_near(low) && is_near(high) {
            long += 1;
            assert!(ends[0] <= low && ends[1] >= high, "{what}: {manifold:?}");
        }
    }
    assert!(long > 2000, "{long}");
}

fn scaled(shape: &Shape, scale: f32) -> Shape {
    match shape {
        Shape::Cylinder {
            half_height,
            radius,
        } => Shape::cylinder(half_height * scale, radius * scale),
        Shape::Capsule {
            half_height,
            radius,
        } => Shape::capsule(half_height * scale, radius * scale),
        _ => Shape::rounded(Shape::cylinder(0.6 * scale, 0.4 * scale), 0.1 * scale)
            .expect("it can be rounded"),
    }
}

/// Every pair of kinds, up to a centimetre deep, in random poses and with axes nearly parallel: the
/// deepest point is as deep, up to the preference for faces, and points are told apart by their
/// features, or a solver would give two of them the load of one.
#[test]
fn the_deepest_point_is_kept_and_features_tell_points_apart() {
    let mut random = Random::new(43);
    let shapes = shapes(1.0);
    for a in &shapes {
        for b in shapes.iter().filter(|b| !b.is_infinite()) {
            for _ in 0..200 {
                let (sin, cos) = libm::sincos(random.between(-3.2, 3.2));
                let about_y = DMat3::from_cols(
                    DVec3::new(cos, 0.0, -sin),
                    DVec3::Y,
                    DVec3::new(sin, 0.0, cos),
                );
                let nearly_parallel = turned(random.between(-0.3, 0.3)) * about_y;
                let rotations = [random.matrix(), nearly_parallel];
                let mut b_in_a = Frame {
                    rotation: rotations[usize::from(random.between(0.0, 1.0) < 0.7)],
                    translation: 4.0 * random.direction(),
                };
                let apart = distance(a, b, &b_in_a);
                b_in_a.translation -= (apart.lower + 0.01) * apart.normal;
                let depth = distance(a, b, &b_in_a).lower;
                let manifold = contact(a, b, &b_in_a, 0.02);
                let deepest = f64::from(manifold.min_separation());
                assert!(
                    (deepest - depth).abs() < 0.005,
                    "{} {} {b_in_a:?}: {manifold:?}",
                    a.kind_name(),
                    b.kind_name()
                );
                let mut features: Vec<u32> = manifold.points().iter().map(|p| p.feature).collect();
                features.sort_unstable();
                features.dedup();
                assert_eq!(
                    features.len(),
                    manifold.points().len(),
                    "{} {} {b_in_a:?}: {manifold:?}",
                    a.kind_name(),
                    b.kind_name()
                );
            }
        }
    }
}
