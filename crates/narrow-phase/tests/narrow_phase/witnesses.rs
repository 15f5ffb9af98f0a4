//! Witness points of deep answers: each on its own shape, one above the other along the
//! normal.

use drystone_geometry::glam::{DMat3, DVec3, Vec3};
use drystone_geometry::{Frame, Shape};
use drystone_narrow_phase::distance;

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
