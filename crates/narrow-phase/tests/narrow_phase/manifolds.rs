//! Contacts: how many points, where, and that they stay.

use drystone_geometry::glam::{DMat3, DVec3, Vec3};
use drystone_geometry::{Frame, Manifold, Shape, SimdLevel, rotation};
use drystone_narrow_phase::{CollideSettings, Counters, Tracker, collide, distance};

use crate::random::Random;

const SETTINGS: CollideSettings = CollideSettings {
    margin: 0.02,
    recycle: false,
    leans: false,
    stands: false,
    simd: SimdLevel::Auto,
};

fn contact(a: &Shape, b: &Shape, b_in_a: &Frame) -> Manifold {
    let mut manifold = Manifold::EMPTY;
    let mut tracker = Tracker::default();
    collide(
        a,
        b,
        b_in_a,
        &SETTINGS,
        &mut tracker,
        &mut manifold,
        &mut Counters::default(),
    );
    check(a, b, b_in_a, &manifold);
    manifold
}

/// What holds of every manifold: one unit normal, separations that fit the anchors, no
/// point beyond the margin, none deeper than the depth along the normal, ids distinct.
fn check(a: &Shape, b: &Shape, b_in_a: &Frame, manifold: &Manifold) {
    if manifold.is_empty() {
        return;
    }
    let normal = manifold.normal.as_dvec3();
    assert!((normal.length() - 1.0).abs() < 1e-6);
    let deepest = crate::certificate::gap_along(a, b, b_in_a, normal);
    for (i, point) in manifold.points().iter().enumerate() {
        let offset = b_in_a.transform_point(point.anchor_b.as_dvec3()) - point.anchor_a.as_dvec3();
        let separation = f64::from(point.separation);
        assert!((offset.dot(normal) - separation).abs() < 2e-6, "{point:?}");
        assert!(point.separation <= SETTINGS.margin, "{point:?}");
        assert!(
            separation >= deepest - 2e-6,
            "{point:?}, depth along the normal {deepest}"
        );
        assert!(
            manifold.points()[..i]
                .iter()
                .all(|other| other.feature != point.feature),
            "{manifold:?}"
        );
    }
}

fn shifted(y: f64) -> Frame {
    Frame {
        translation: DVec3::new(0.0, y, 0.0),
        ..Frame::IDENTITY
    }
}

fn turned(axis: Vec3, angle: f32, translation: DVec3) -> Frame {
    let q = rotation::to_double(rotation::from_axis_angle(axis, angle));
    Frame {
        rotation: rotation::to_dmatrix(q),
        translation,
    }
}

fn cube() -> Shape {
    Shape::Box {
        half_extents: Vec3::splat(0.5),
    }
}

fn cube_hull() -> Shape {
    let corners: Vec<Vec3> = (0..8)
        .map(|i| {
            let sign = |bit: u32| if i & bit != 0 { 0.5 } else { -0.5 };
            Vec3::new(sign(1), sign(2), sign(4))
        })
        .collect();
    Shape::hull(&corners).expect("a cube is solid")
}

fn ids(manifold: &Manifold) -> Vec<u32> {
    let mut ids: Vec<u32> = manifold
        .points()
        .iter()
        .map(|point| point.feature)
        .collect();
    ids.sort_unstable();
    ids
}

/// A unit cube above another, face to face, as boxes and as hulls. Known by hand: the
/// normal is +Y and all four corners sit at the gap.
#[test]
fn stacked_cubes_meet_at_four_corners() {
    for (a, b) in [
        (cube(), cube()),
        (cube_hull(), cube_hull()),
        (cube(), cube_hull()),
    ] {
        for gap in [-0.1, -0.01, -1e-6, 0.0, 0.01] {
            let manifold = contact(&a, &b, &shifted(1.0 + gap));
            assert!(manifold.normal.abs_diff_eq(Vec3::Y, 1e-6), "gap {gap}");
            assert_eq!(manifold.points().len(), 4, "gap {gap}: {manifold:?}");
            for point in manifold.points() {
                assert!(
                    (f64::from(point.separation) - gap).abs() < 1e-6,
                    "gap {gap}"
                );
                assert!((point.anchor_a.x.abs() - 0.5).abs() < 1e-3, "{point:?}");
                assert!((point.anchor_a.z.abs() - 0.5).abs() < 1e-3, "{point:?}");
            }
        }
    }
}

/// A cube on a half-space, flat: four corners. Tilted: two, then one within the margin.
#[test]
fn a_cube_on_a_half_space_stands_on_its_corners() {
    let ground = Shape::HalfSpace { normal: Vec3::Y };
    for shape in [cube(), cube_hull()] {
        for (tilt, axis, count) in [
            (0.0f32, Vec3::Z, 4),
            (0.3, Vec3::Z, 2),
            (0.3, Vec3::new(0.6, 0.0, 0.8), 1),
        ] {
            let lift = f64::from(0.5 * (libm::cosf(tilt) + libm::sinf(tilt)));
            let cube_pose = turned(axis, tilt, DVec3::new(3.0, lift - 0.005, 1.0));
            let manifold = contact(&shape, &ground, &cube_pose.inverse());
            if count != 1 {
                assert_eq!(manifold.points().len(), count, "tilt {tilt} about {axis}");
            }
            assert!(!manifold.is_empty(), "tilt {tilt} about {axis}");
            let down = cube_pose.rotate(manifold.normal.as_dvec3());
            assert!((down + DVec3::Y).length() < 1e-6);
        }
    }
}

/// Two parallel capsules side by side, and one lying on a box: two points each, at the
/// ends of what they share.
#[test]
fn parallel_capsules_and_lying_capsules_have_two_points() {
    let capsule = Shape::Capsule {
        half_height: 1.0,
        radius: 0.25,
    };
    let beside = Frame {
        translation: DVec3::new(0.49, 0.5, 0.0),
        ..Frame::IDENTITY
    };
    let manifold = contact(&capsule, &capsule, &beside);
    assert_eq!(manifold.points().len(), 2);
    let mut heights: Vec<f32> = manifold.points().iter().map(|p| p.anchor_a.y).collect();
    heights.sort_by(f32::total_cmp);
    assert!((heights[0] + 0.5).abs() < 1e-6 && (heights[1] - 1.0).abs() < 1e-6);
    let lying = turned(
        Vec3::Z,
        std::f32::consts::FRAC_PI_2,
        DVec3::new(0.2, 0.74, 0.1),
    );
    for floor in [cube(), cube_hull()] {
        let manifold = contact(&floor, &capsule, &lying);
        assert_eq!(manifold.points().len(), 2, "{manifold:?}");
        for point in manifold.points() {
            assert!((point.separation + 0.01).abs() < 1e-6);
            assert!(
                (point.anchor_a.x.abs() - 0.5).abs() < 1e-3,
                "clipped to the cube"
            );
        }
    }
    let standing = contact(&cube(), &capsule, &shifted(1.74));
    assert_eq!(standing.points().len(), 1);
}

/// Two cubes crossing edge on edge at right angles: one point, on both edges.
#[test]
fn crossing_edges_meet_in_one_point() {
    let half_turn = std::f32::consts::FRAC_PI_4;
    let edge = 0.5 * 2f64.sqrt();
    // A's upper edge runs along Z, B's lower edge along X.
    let a_pose = turned(Vec3::Z, half_turn, DVec3::ZERO);
    let b_pose = turned(
        Vec3::X,
        half_turn,
        DVec3::new(0.1, 2.0 * edge - 0.01, -0.05),
    );
    let b_in_a = Frame::relative(&a_pose, &b_pose);
    for (a, b) in [(cube(), cube()), (cube_hull(), cube_hull())] {
        let manifold = contact(&a, &b, &b_in_a);
        assert_eq!(manifold.points().len(), 1, "{manifold:?}");
        let point = manifold.points()[0];
        assert!((point.separation + 0.01).abs() < 1e-5, "{point:?}");
        let world = a_pose.transform_point(point.anchor_a.as_dvec3());
        assert!(
            (world - DVec3::new(0.0, edge, -0.05)).length() < 1e-4,
            "{world}"
        );
    }
}

/// A flush pair disturbed by 1e-9 in every way keeps its ids: rounding decides nothing.
#[test]
fn ids_of_flush_cubes_survive_noise() {
    for (a, b) in [(cube(), cube()), (cube_hull(), cube_hull())] {
        let reference = ids(&contact(&a, &b, &shifted(0.999)));
        assert_eq!(reference.len(), 4);
        for seed in 0..200 {
            let mut random = Random::new(seed);
            let shift = 1e-9 * random.vector();
            let axis = random.direction().as_vec3();
            let frame = turned(axis, 1e-9, DVec3::new(0.0, 0.999, 0.0) + shift);
            assert_eq!(ids(&contact(&a, &b, &frame)), reference, "seed {seed}");
        }
    }
}

/// Exchanging A and B gives the same ids and separations, anchors exchanged and the
/// normal turned round, for random touching pairs of every kind.
#[test]
fn exchanging_the_shapes_exchanges_the_contact() {
    let mut touching = 0;
    for seed in 0..5000 {
        let mut random = Random::new(seed);
        let (a, b) = (random.shape(1.0, 16), random.shape(1.0, 16));
        let direction = random.direction();
        let rotation = random.matrix();
        let depth = random.between(-0.01, 0.1);
        let mut t = 0.0;
        for _ in 0..20 {
            let frame = Frame {
                rotation,
                translation: t * direction,
            };
            t += distance(&a, &b, &frame).distance().abs().max(1e-4);
            if distance(
                &a,
                &b,
                &Frame {
                    rotation,
                    translation: t * direction,
                },
            )
            .lower
                > -depth
            {
                break;
            }
        }
        let b_in_a = Frame {
            rotation,
            translation: t * direction,
        };
        let there = contact(&a, &b, &b_in_a);
        let back = contact(&b, &a, &b_in_a.inverse());
        assert_eq!(
            ids(&there),
            ids(&back),
            "seed {seed}: {a:?} {b:?}\n{there:?}\n{back:?}"
        );
        touching += usize::from(!there.is_empty());
        for point in there.points() {
            let other = back.points().iter().find(|p| p.feature == point.feature);
            let other = other.expect("the ids are equal");
            assert!(
                (point.separation - other.separation).abs() < 1e-5,
                "seed {seed}"
            );
            assert!(
                point.anchor_a.abs_diff_eq(other.anchor_b, 1e-5),
                "seed {seed}"
            );
            assert!(
                point.anchor_b.abs_diff_eq(other.anchor_a, 1e-5),
                "seed {seed}"
            );
        }
    }
    assert!(touching > 500, "{touching}");
}

/// Cubes stacked with a turn about the common normal: the octagon is reduced to four
/// points that still span most of it, and the deepest is among them.
#[test]
fn a_turned_cube_keeps_four_points_that_span_the_patch() {
    for step in 1..16 {
        let angle = 0.1 * step as f32;
        let manifold = contact(&cube(), &cube(), &turned(Vec3::Y, angle, DVec3::Y * 0.99));
        assert_eq!(manifold.points().len(), 4, "angle {angle}");
        let points: Vec<DVec3> = manifold
            .points()
            .iter()
            .map(|p| p.anchor_a.as_dvec3())
            .collect();
        let area = 0.5 * ((points[2] - points[0]).cross(points[3] - points[1])).length();
        assert!(area > 0.5, "angle {angle}: area {area}");
    }
}

/// A tiny and a huge cube: the same contact, scaled, since nothing is absolute.
#[test]
fn contacts_scale_with_the_shapes() {
    let reference = contact(&cube(), &cube(), &turned(Vec3::Y, 0.3, DVec3::Y * 0.99));
    for scale in [1e-2f32, 1e2] {
        let shape = Shape::Box {
            half_extents: Vec3::splat(0.5 * scale),
        };
        let frame = turned(Vec3::Y, 0.3, DVec3::Y * 0.99 * f64::from(scale));
        let settings = CollideSettings {
            margin: 0.02 * scale,
            recycle: false,
            leans: false,
            stands: false,
            simd: SimdLevel::Auto,
        };
        let mut manifold = Manifold::EMPTY;
        collide(
            &shape,
            &shape,
            &frame,
            &settings,
            &mut Tracker::default(),
            &mut manifold,
            &mut Counters::default(),
        );
        assert_eq!(ids(&manifold), ids(&reference), "scale {scale}");
        for (point, known) in manifold.points().iter().zip(reference.points()) {
            assert!(
                point
                    .anchor_a
                    .abs_diff_eq(known.anchor_a * scale, 1e-5 * scale)
            );
        }
    }
}

/// A box on a large floor of each kind, pushed and turned at random: never fewer than
/// three points while it lies flat.
#[test]
fn a_box_flat_on_a_floor_keeps_a_patch() {
    let floor = Shape::Box {
        half_extents: Vec3::new(50.0, 1.0, 50.0),
    };
    let block = Shape::Box {
        half_extents: Vec3::new(0.5, 0.25, 0.5),
    };
    for seed in 0..300 {
        let mut random = Random::new(seed);
        let spin = DMat3::from_cols(DVec3::X, DVec3::Y, DVec3::Z);
        let yaw = turned(Vec3::Y, random.signed() as f32 * 3.0, DVec3::ZERO).rotation * spin;
        let tilt = turned(random.direction().as_vec3(), 1e-3, DVec3::ZERO).rotation;
        let translation = DVec3::new(random.signed() * 40.0, 1.245, random.signed() * 40.0);
        let manifold = contact(
            &floor,
            &block,
            &Frame {
                rotation: tilt * yaw,
                translation,
            },
        );
        assert_eq!(manifold.points().len(), 4, "seed {seed}");
    }
}

/// A slab of two metres of which one corner is rounded off finely, so that nearly all of the
/// face's corners lie in one spot, flat on a box and a box on it. By hand: the points of the
/// patch reach within a hundredth of the three far corners, wherever the numbering begins.
#[test]
fn a_finely_rounded_corner_does_not_cost_the_others() {
    for quarter in 0..4 {
        let mut points = Vec::new();
        for y in [-0.2f32, 0.2] {
            let mut add = |x: f64, z: f64| {
                let (x, z) = [(x, z), (-z, x), (-x, -z), (z, -x)][quarter];
                points.push(Vec3::new(x as f32, y, z as f32));
            };
            for (x, z) in [(-1.0, -1.0), (1.0, -1.0), (-1.0, 1.0)] {
                add(x, z);
            }
            for k in 0..=150 {
                let (sin, cos) = libm::sincos(std::f64::consts::FRAC_PI_2 * f64::from(k) / 150.0);
                add(0.9 + 0.1 * cos, 0.9 + 0.1 * sin);
            }
        }
        let slab = Shape::hull(&points).expect("a slab");
        let table = Shape::cube(Vec3::new(3.0, 0.5, 3.0));
        for (a, b) in [(&table, &slab), (&slab, &table)] {
            let manifold = contact(a, b, &shifted(0.699));
            let on = |x: f64, z: f64| {
                let corner = DVec3::new(x, 0.0, z);
                let away = manifold.points().iter().map(|point| {
                    let place = point.anchor_a.as_dvec3();
                    DVec3::new(place.x, 0.0, place.z).distance(corner)
                });
                away.fold(f64::INFINITY, f64::min)
            };
            let far = [(-1.0, -1.0), (1.0, -1.0), (-1.0, 1.0), (1.0, 1.0)];
            let near = far.iter().filter(|(x, z)| on(*x, *z) < 0.01).count();
            assert_eq!(manifold.points().len(), 4);
            assert_eq!(near, 3, "quarter {quarter}: {manifold:?}");
        }
    }
}
