//! Pairs next to touching at which plain arithmetic lost its way among slivers.

use drystone_geometry::glam::{DMat3, DVec3, Vec3};
use drystone_geometry::{Frame, Manifold, Shape};
use drystone_narrow_phase::{
    CollideSettings, Counters, Tracker, collide, distance, distance_tracked,
};
use serde::Deserialize;

use crate::oracle::{Solid, gap, signed_distance};
use crate::random::Random;

#[derive(Deserialize)]
enum Plain {
    Box((f32, f32, f32)),
    Capsule(f32, f32),
    Sphere(f32),
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
            &Self::Sphere(radius) => Shape::Sphere { radius },
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

/// A face of four corners that bends by less than rounding is one face, yet what lies over the
/// fold is as far as the fold, and what lies over a half as far as that half.
#[test]
fn a_face_that_bends_by_rounding_is_as_far_as_its_fold() {
    let mut random = Random::new(5);
    let ball = Shape::Sphere { radius: 1e-3 };
    let corner = Shape::hull(&[Vec3::ZERO, Vec3::X, Vec3::Z, Vec3::ONE].map(|v| v * 1e-3));
    let corner = corner.expect("four corners are a hull");
    let (mut bent, mut over_folds) = (0, 0);
    for _ in 0..400 {
        // Seen along the fold: a thin wedge, lowered at both sides by a few roundings.
        let length = 10.0;
        let width = length * libm::exp10(-random.between(0.0, 5.0));
        let bend = random.between(0.0, 4.0) * length / 16_777_216.0;
        let side = |sign: f64| {
            let (x, z) = (random.between(0.0, length), sign * width);
            DVec3::new(x, -bend, z)
        };
        let [left, right] = [1.0, -1.0].map(side);
        let low = DVec3::new(0.5 * length, -length, 0.0);
        let corners = [DVec3::ZERO, DVec3::X * length, left, right, low];
        let hull = Shape::hull(&corners.map(|v| v.as_vec3())).expect("it is a pyramid");
        let Shape::Hull(pyramid) = &hull else {
            unreachable!("a hull was made");
        };
        bent += usize::from(pyramid.flatness() > 0.0);
        for other in [&ball, &corner] {
            for _ in 0..20 {
                let height = length * libm::exp10(-random.between(0.0, 3.0));
                let across = random.between(-2.0, 2.0) * height * bend / width;
                let along = random.between(-0.1, 1.1) * length;
                let b_in_a = Frame {
                    rotation: DMat3::IDENTITY,
                    translation: DVec3::new(along, height, across),
                };
                let answer = distance(&hull, other, &b_in_a);
                let (a, b) = (
                    Solid::new(&hull, &Frame::IDENTITY),
                    Solid::new(other, &b_in_a),
                );
                let expected = signed_distance(&a, &b);
                let off = (answer.lower - expected)
                    .abs()
                    .max((answer.upper - expected).abs());
                assert!(off <= 1e-11 * length, "{off} of {expected}: {answer:?}");
                let is_on_fold = answer.point_a.z.abs() <= 1e-12 * length;
                over_folds += usize::from(is_on_fold && pyramid.faces().len() == 5);
                crate::certificate::check(&hull, other, &b_in_a, &answer, 1e-11, "over a fold");
            }
        }
    }
    assert!(bent > 100 && over_folds > 100, "{bent} {over_folds}");
}

/// Corners of a cap that were turned and rounded are in no plane, yet what is over it is found by
/// walking, for the price of a search among its triangles.
#[test]
fn walks_prove_distances_over_turned_caps() {
    let mut random = Random::new(9);
    for count in [5, 8, 33, 400, 3000] {
        for _ in 0..4 {
            let turn = random.matrix();
            let rim = (0..2 * count).map(|i| {
                let angle = (i % count) as f64 / count as f64 * std::f64::consts::TAU;
                let height = if i < count { -0.2 } else { 0.2 };
                let at = DVec3::new(libm::cos(angle), height, libm::sin(angle));
                (turn * at).as_vec3()
            });
            let prism = Shape::hull(&rim.collect::<Vec<Vec3>>()).expect("a prism is a hull");
            let dart = [Vec3::ZERO, Vec3::X, Vec3::Z, Vec3::ONE].map(|v| v * 0.1);
            let dart = Shape::hull(&dart).expect("four corners are a hull");
            let (mut tracker, mut counters) = (Tracker::default(), Counters::default());
            let (mut at, rotation) = (DVec3::new(0.5, 0.5, 0.0), random.matrix());
            for _ in 0..200 {
                at += DVec3::new(0.01, 0.002, 0.01) * random.vector();
                let b_in_a = Frame {
                    rotation,
                    translation: turn * at,
                };
                let answer = distance_tracked(&prism, &dart, &b_in_a, &mut tracker, &mut counters);
                crate::certificate::check(&prism, &dart, &b_in_a, &answer, 1e-11, "over a cap");
            }
            assert!(counters.walked >= 198, "{count}: {counters:?}");
        }
    }
}

/// A tiny ball next to a long hull with a folded face: a few nanometres from its border at a
/// corner, over a fold that turns by 43 degrees, and on a fold of 25 m.
#[test]
fn what_nearly_touches_a_folded_face_is_measured_to_its_triangles() {
    let cases = [
        (
            [
                (50.0, 19.0, 0.0),
                (50.0, 0.0, 0.0),
                (0.0, 3.8125, 0.0),
                (3.0625, 3.0625, 3.0625),
                (0.0, 0.0, 5.937_181_4e-9),
            ],
            DVec3::ZERO,
        ),
        (
            [
                (-93.75, 2437.5, 5.820_766e-7),
                (4.882_812_5, -0.009_059_906, -0.009_059_906),
                (-62.5, 2.444_721_8e-6, -0.000_476_837_16),
                (2.938_670_2e-35, -5.684_342e-10, -49_000.0),
                (10_000.0, 0.0, 0.0),
            ],
            DVec3::ZERO,
        ),
        (
            [
                (0.0, 0.0, 0.5625),
                (1.243_449_8e-14, 6.25, 0.0),
                (2.910_383e-11, -0.0625, -0.0625),
                (0.0625, -27.0, -32.0),
                (-3.725_290_3e-9, -19.0, 0.0),
            ],
            DVec3::new(-1.001_217_164_287e-6, -2.000_000_004_721, 0.0),
        ),
    ];
    let ball = Shape::Sphere { radius: 1e-6 };
    for (index, (points, translation)) in cases.into_iter().enumerate() {
        let points = points.map(|(x, y, z)| Vec3::new(x, y, z));
        let hull = Shape::hull(&points).expect("it has a volume");
        let b_in_a = Frame {
            rotation: DMat3::IDENTITY,
            translation,
        };
        let answer = distance(&hull, &ball, &b_in_a);
        let what = format!("case {index}");
        crate::certificate::check(&hull, &ball, &b_in_a, &answer, 1e-11, &what);
        let solids = (
            Solid::new(&hull, &Frame::IDENTITY),
            Solid::new(&ball, &b_in_a),
        );
        let expected = signed_distance(&solids.0, &solids.1);
        let off = (answer.lower - expected).abs();
        assert!(off <= 1e-11 * solids.0.extent(), "{what}: {off}");
    }
}

/// A thin plate stuck in a hull of 14,000 km with a face that is folded by metres: the points of
/// its contact are no deeper than the shapes are along their normal, wherever the plate is.
#[test]
fn contacts_with_a_folded_face_are_no_deeper_than_the_shapes() {
    let corners = [
        Vec3::new(-62.5, -1e7, -1e7),
        Vec3::new(-3125.0, -1e7, 2750.0),
        Vec3::new(-0.000_476_837_16, 6500.0, 0.0),
        Vec3::ZERO,
        Vec3::new(-102_000.0, 1.850_919e-8, -5125.0),
    ];
    let hull = Shape::hull(&corners).expect("five corners have a volume");
    let settings = CollideSettings {
        margin: 0.0,
        recycle: true,
        leans: false,
        ..CollideSettings::default()
    };
    let (mut random, mut met) = (Random::new(13), 0);
    for round in 0..4000 {
        let extents = [61.0, 0.0625, 5e-5];
        let plate = Shape::Box {
            half_extents: Vec3::new(extents[0], extents[round % 3], extents[(round + 1) % 3]),
        };
        let near = libm::exp10(random.between(-6.0, 3.0));
        let b_in_a = Frame {
            rotation: [DMat3::IDENTITY, random.matrix()][round % 2],
            translation: near * random.vector(),
        };
        let (mut tracker, mut counters) = (Tracker::default(), Counters::default());
        let mut contact = Manifold::EMPTY;
        collide(
            &plate,
            &hull,
            &b_in_a,
            &settings,
            &mut tracker,
            &mut contact,
            &mut counters,
        );
        let solids = (
            Solid::new(&plate, &Frame::IDENTITY),
            Solid::new(&hull, &b_in_a),
        );
        let depth = gap(&solids.0, &solids.1, contact.normal.as_dvec3());
        // Of the normal as it is rounded to `f32`, over a plate's length.
        let rounding = 1e-5 * 122.0;
        met += usize::from(!contact.is_empty());
        for point in contact.points() {
            let separation = f64::from(point.separation);
            assert!(
                separation >= depth - rounding,
                "{round}: {separation} of {depth}"
            );
        }
    }
    assert!(met > 1000, "{met}");
}
