//! Which feature carries a contact: long bars across each other, and a slide past a side.

use std::f32::consts::FRAC_PI_2;

use drystone_geometry::glam::{DVec3, Vec3};
use drystone_geometry::{Frame, Manifold, Shape, rotation};
use drystone_narrow_phase::{CollideSettings, Counters, Tracker, collide};

fn turned(axis: Vec3, angle: f32, translation: DVec3) -> Frame {
    Frame {
        rotation: rotation::to_dmatrix(rotation::to_double(rotation::from_axis_angle(axis, angle))),
        translation,
    }
}

fn contact(a: &Shape, b: &Shape, b_in_a: &Frame, scale: f32) -> Manifold {
    let settings = CollideSettings {
        margin: 0.01 * scale,
        ..CollideSettings::default()
    };
    let mut manifold = Manifold::EMPTY;
    collide(
        a,
        b,
        b_in_a,
        &settings,
        &mut Tracker::default(),
        &mut manifold,
        &mut Counters::default(),
    );
    manifold
}

/// A bar as a box, as a hull, and as a box with rounded edges.
fn bars(half: Vec3) -> [Shape; 3] {
    let corners =
        [-1.0, 1.0].map(|x| [-1.0, 1.0].map(|y| [-1.0, 1.0].map(|z| half * Vec3::new(x, y, z))));
    let radius = 0.1 * half.min_element();
    let core = Shape::Box {
        half_extents: half - radius,
    };
    [
        Shape::Box { half_extents: half },
        Shape::hull(corners.as_flattened().as_flattened()).expect("a solid"),
        Shape::rounded(core, radius).expect("a positive radius"),
    ]
}

/// Calls for two bars that lie across each other near their ends, at three scales: one along X from
/// `-scale` to `scale` and 0.2 of it thick, rolled a little about X, and one along Z on it, rolled
/// about Z, a hundredth deep. Tells scale, roll, and the poses of both.
fn for_crossed_bars(mut visit: impl FnMut(f32, f32, &Frame, &Frame)) {
    for scale in [0.01, 1.0, 100.0] {
        for roll in [1e-5, 1e-4, 1e-3, 0.01, 0.03] {
            for sign in [-1.0, 1.0] {
                let place = f64::from(scale) * DVec3::new(0.8, 0.19, -0.8);
                let a_pose = turned(Vec3::X, roll, DVec3::ZERO);
                visit(scale, roll, &a_pose, &turned(Vec3::Z, sign * roll, place));
            }
        }
    }
}

/// The least depth of two bars across each other, each rolled a little about its own axis, is that
/// of two edges, but they rest on a patch: four points within both, none deeper than the bars are,
/// on a normal as good as vertical. Depth and overlap of the patches known by hand.
#[test]
fn crossed_bars_rest_on_a_patch() {
    for_crossed_bars(|scale, roll, a_pose, b_pose| {
        let b_in_a = Frame::relative(a_pose, b_pose);
        let half = [Vec3::new(1.0, 0.1, 0.1), Vec3::new(0.1, 0.1, 1.0)].map(|half| scale * half);
        let pairs = bars(half[0]).into_iter().zip(bars(half[1]));
        let mixed = bars(half[0])
            .into_iter()
            .zip(bars(half[1]).into_iter().rev());
        for (a, b) in pairs.chain(mixed) {
            let manifold = contact(&a, &b, &b_in_a, scale);
            let (a, b) = (a.kind_name(), b.kind_name());
            let label = format!("{a}, {b}, scale {scale}, roll {roll}: {manifold:?}");
            assert_eq!(manifold.points().len(), 4, "{label}");
            let normal = a_pose.rotate(manifold.normal.as_dvec3());
            let roll = f64::from(roll);
            // No more than rolled, with `cos x >= 1 - x^2 / 2`.
            assert!(normal.y >= 1.0 - 0.5 * roll * roll - 1e-6, "{label}");
            for point in manifold.points() {
                let at = a_pose.transform_point(point.anchor_a.as_dvec3());
                let at = at / f64::from(scale) - DVec3::new(0.8, 0.1, -0.0);
                let patch = 0.1 + 0.2 * roll + 1e-3;
                assert!(at.x.abs() < patch && at.z.abs() < patch, "{label}");
                // A corner of the patch is 0.1 of roll off its middle on either bar.
                let depth = -f64::from(point.separation / scale);
                assert!((depth - 0.01).abs() < 0.21 * roll + 1e-4, "{label}");
            }
        }
    });
}

/// A long capsule or cylinder across a bar that is rolled a little rests on points at
/// either edge of the bar, though its least depth is that of one edge.
#[test]
fn round_bars_across_a_bar_rest_on_both_edges() {
    for_crossed_bars(|scale, roll, a_pose, b_pose| {
        // Along Y, turned to lie along Z.
        let lying = turned(Vec3::X, FRAC_PI_2, DVec3::ZERO);
        let b_pose = Frame {
            rotation: b_pose.rotation * lying.rotation,
            ..*b_pose
        };
        let b_in_a = Frame::relative(a_pose, &b_pose);
        let (radius, half_height) = (0.1 * scale, scale);
        let round = [
            Shape::Capsule {
                half_height,
                radius,
            },
            Shape::Cylinder {
                half_height,
                radius,
            },
        ];
        for (a, b) in bars(scale * Vec3::new(1.0, 0.1, 0.1))
            .iter()
            .flat_map(|a| round.iter().map(move |b| (a, b)))
        {
            let manifold = contact(a, b, &b_in_a, scale);
            let (a, b) = (a.kind_name(), b.kind_name());
            let label = format!("{a}, {b}, scale {scale}, roll {roll}: {manifold:?}");
            let roll = f64::from(roll);
            let mut edges = [false; 2];
            for point in manifold.points() {
                let at = a_pose.transform_point(point.anchor_a.as_dvec3()) / f64::from(scale);
                // A rounded edge begins a hundredth further in, and the top rolls by a tenth of
                // the angle.
                let edge = 0.089 - 0.1 * roll..0.101 + 0.1 * roll;
                assert!(edge.contains(&at.z.abs()), "{label}");
                edges[usize::from(at.z > 0.0)] = true;
                let depth = -f64::from(point.separation / scale);
                assert!((depth - 0.01).abs() < 0.21 * roll + 1e-4, "{label}");
            }
            assert_eq!(edges, [true; 2], "{label}");
        }
    });
}

/// A box that rests on tiles, a hair below the top of the next one, slides up to its side and then
/// past it. The side carries the contact while it is ahead; once the box is over the tile its top
/// does, however little the box has moved since.
#[test]
fn a_pair_that_gets_deeper_finds_its_normal_anew() {
    for scale in [0.01, 1.0, 100.0] {
        let tile = Shape::Box {
            half_extents: Vec3::splat(0.5 * scale),
        };
        let slider = Shape::Box {
            half_extents: Vec3::splat(0.1 * scale),
        };
        let settings = CollideSettings {
            margin: 0.01 * scale,
            ..CollideSettings::default()
        };
        let mut tracker = Tracker::default();
        let mut manifold = Manifold::EMPTY;
        let mut counters = Counters::default();
        for (ahead, outward) in [(0.0003, Vec3::NEG_X), (-0.008, Vec3::Y)] {
            let place = DVec3::new(-0.6 - ahead, 0.6 - 2e-6, 0.0);
            let b_in_a = Frame {
                translation: f64::from(scale) * place,
                ..Frame::IDENTITY
            };
            collide(
                &tile,
                &slider,
                &b_in_a,
                &settings,
                &mut tracker,
                &mut manifold,
                &mut counters,
            );
            assert!(
                manifold.normal.dot(outward) > 0.999,
                "scale {scale}: {manifold:?}"
            );
        }
    }
}
