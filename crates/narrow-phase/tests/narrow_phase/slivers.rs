//! Pairs next to touching at which plain arithmetic lost its way among slivers.

use drystone_geometry::glam::{DMat3, DVec3, Vec3};
use drystone_geometry::{Frame, Shape};
use drystone_narrow_phase::{Counters, Tracker, distance, distance_tracked};
use serde::Deserialize;

#[derive(Deserialize)]
enum Plain {
    Box((f32, f32, f32)),
    Capsule(f32, f32),
    Hull(Vec<(f32, f32, f32)>),
}

#[derive(Deserialize)]
struct Case {
    id: String,
    a: Plain,
    b: Plain,
    rotation: [f64; 9],
    translation: (f64, f64, f64),
}

impl Plain {
    fn shape(&self) -> Shape {
        let vector = |&(x, y, z): &(f32, f32, f32)| Vec3::new(x, y, z);
        match self {
            Self::Box(half) => Shape::Box {
                half_extents: vector(half),
            },
            &Self::Capsule(half_height, radius) => Shape::Capsule {
                half_height,
                radius,
            },
            Self::Hull(corners) => {
                let corners: Vec<Vec3> = corners.iter().map(vector).collect();
                Shape::hull(&corners).expect("stored corners are those of a hull")
            }
        }
    }
}

/// Long edges side by side and corners almost in one plane, with the origin of the Minkowski
/// difference next to them: cold and tracked, seen from either shape, the two bounds meet to
/// one part in 10^11 and follow from the corners.
#[test]
fn bounds_meet_where_the_difference_has_slivers() {
    let cases: Vec<Case> =
        ron::from_str(include_str!("../cases/slivers.ron")).expect("the cases are written so");
    for case in &cases {
        let (a, b) = (case.a.shape(), case.b.shape());
        let (x, y, z) = case.translation;
        let b_in_a = Frame {
            rotation: DMat3::from_cols_array(&case.rotation),
            translation: DVec3::new(x, y, z),
        };
        let (mut tracker, mut counters) = (Tracker::default(), Counters::default());
        let check = |a: &Shape, b: &Shape, b_in_a: &Frame, answer, way: &str| {
            let what = format!("{}, {way}", case.id);
            crate::certificate::check(a, b, b_in_a, &answer, 1e-12, &what);
        };
        check(&a, &b, &b_in_a, distance(&a, &b, &b_in_a), "cold");
        let back = b_in_a.inverse();
        check(&b, &a, &back, distance(&b, &a, &back), "from B");
        for _ in 0..3 {
            let answer = distance_tracked(&a, &b, &b_in_a, &mut tracker, &mut counters);
            check(&a, &b, &b_in_a, answer, "tracked");
        }
    }
}
