//! Witness points of deep answers: each on its own shape, one above the other along the
//! normal.

use drystone_geometry::glam::{DMat3, DVec3, Vec3};
use drystone_geometry::{Frame, Manifold, Shape};
use drystone_narrow_phase::{CollideSettings, Counters, Tracker, collide, distance};

use crate::random::Random;

fn cuboid(half_extents: Vec3) -> Shape {
    Shape::Box { half_extents }
}

/// A die inside a plate, aligned and turned about the vertical, seen from either shape: the
/// faces are parallel, so no corner of the plate is above the die. Known by hand: the die
/// leaves through the top, and both witnesses lie within its width.
#[test]
fn parallel_faces_meet_where_both_are() {
    let (plate, die) = (
        cuboid(Vec3::new(900.0, 1.0, 800.0)),
        cuboid(Vec3::splat(0.25)),
    );
    let turned = DMat3::from_cols(
        DVec3::new(0.8, 0.0, 0.6),
        DVec3::Y,
        DVec3::new(-0.6, 0.0, 0.8),
    );
    for rotation in [DMat3::IDENTITY, turned] {
        for place in [DVec3::new(3.0, 0.5, 4.0), DVec3::new(-850.0, 0.5, 799.5)] {
            let b_in_a = Frame {
                rotation,
                translation: place,
            };
            let answer = distance(&plate, &die, &b_in_a);
            assert!((answer.lower + 0.75).abs() < 1e-12, "{answer:?}");
            let away = answer.point_b - place;
            assert!((away.y + 0.25).abs() < 1e-12, "{answer:?}");
            assert!(away.x.abs() < 0.36 && away.z.abs() < 0.36, "{answer:?}");
            let up = answer.point_a - answer.point_b;
            assert!((up - 0.75 * DVec3::Y).length() < 1e-9, "{answer:?}");
            let back = distance(&die, &plate, &b_in_a.inverse());
            let turned_back = b_in_a.transform_point(back.point_a) - answer.point_b;
            assert!(turned_back.length() < 0.8, "{back:?}");
            assert_eq!(back.lower, answer.lower);
        }
    }
}

/// A long capsule lies level across a small box, sunk in: its segment's ends are far from
/// the box. Known by hand: the witness on the capsule is above the box.
#[test]
fn a_level_segment_meets_a_face_where_the_face_is() {
    let capsule = Shape::Capsule {
        half_height: 4.0,
        radius: 0.1,
    };
    let small = cuboid(Vec3::new(0.3, 0.2, 0.3));
    // The capsule's axis along the box's x, its middle beside the box.
    let b_in_a = Frame {
        rotation: DMat3::from_cols(DVec3::Y, DVec3::X, DVec3::NEG_Z),
        translation: DVec3::new(-0.15, 2.0, 0.0),
    };
    let answer = distance(&capsule, &small, &b_in_a);
    assert!((answer.lower + 0.15).abs() < 1e-7, "{answer:?}");
    assert!((answer.point_a.y - 2.0).abs() <= 0.3 + 1e-7, "{answer:?}");
    assert!((answer.point_b.y - 2.0).abs() <= 0.3 + 1e-7, "{answer:?}");
}

fn contact(a: &Shape, b: &Shape, b_in_a: &Frame, margin: f32) -> Manifold {
    let settings = CollideSettings {
        margin,
        ..CollideSettings::default()
    };
    let mut manifold = Manifold::EMPTY;
    let mut tracker = Tracker::default();
    let mut counters = Counters::default();
    collide(
        a,
        b,
        b_in_a,
        &settings,
        &mut tracker,
        &mut manifold,
        &mut counters,
    );
    manifold
}

/// Curved shapes deep in each other, with one centre or nearly, upright and at a slant: wherever the
/// contact lies, the anchor on the smaller shape is no farther from its middle than the shape
/// reaches, and that on the other is by a third at most, as directions there are that are as good but
/// for a hair.
#[test]
fn contacts_deep_inside_lie_on_both_shapes() {
    let round = |core: Shape| Shape::rounded(core, 0.2).expect("can be rounded");
    let shapes = [
        Shape::ellipsoid(Vec3::new(0.5, 1.0, 0.014_575_413)),
        Shape::ellipsoid(Vec3::new(0.028_117_67, 1.0, 0.25)),
        Shape::ellipsoid(Vec3::new(0.1, 0.1, 0.12)),
        Shape::ellipsoid(Vec3::new(2.0, 2.0, 2.1)),
        Shape::cylinder(2.0, 2.0),
        Shape::cylinder(0.05, 1.0),
        Shape::cone(0.1, 0.1),
        Shape::cone(2.0, 1.5),
        round(Shape::cylinder(0.5, 0.5)),
        Shape::capsule(0.5, 1.0),
        cuboid(Vec3::new(1.0, 1.0, 0.9)),
    ];
    let mut random = Random::new(21);
    let mut failures = String::new();
    for a in &shapes {
        for b in &shapes {
            for turn in 0..6 {
                let rotation = if turn < 2 {
                    DMat3::IDENTITY
                } else {
                    random.matrix()
                };
                let b_in_a = Frame {
                    rotation,
                    translation: f64::from(turn % 2) * 1e-9 * random.direction(),
                };
                for point in contact(a, b, &b_in_a, 0.01).points() {
                    let far_a = point.anchor_a.length() / a.extent_from(Vec3::ZERO);
                    let far_b = point.anchor_b.length() / b.extent_from(Vec3::ZERO);
                    if far_a.min(far_b) > 1.001 || far_a.max(far_b) > 1.34 {
                        failures += &format!(
                            "{} and {}, turn {turn}: {far_a} and {far_b} of the extent\n",
                            a.kind_name(),
                            b.kind_name()
                        );
                    }
                }
            }
        }
    }
    assert!(failures.is_empty(), "{failures}");
}
