//! Manifolds of curved, flat and rounded shapes: how many points, where, and how steady.

use drystone_geometry::glam::{DMat3, DVec3, Vec3};
use drystone_geometry::{Frame, Manifold, Shape};
use drystone_narrow_phase::{CollideSettings, Counters, Tracker, collide, distance};

use crate::random::Random;
use crate::walking::{cone, prism};

/// Y to `axis`, which is X or Z.
fn lying(axis: DVec3) -> DMat3 {
    DMat3::from_cols(axis.cross(DVec3::Y), axis, DVec3::Y)
}

fn contact(a: &Shape, b: &Shape, b_in_a: &Frame) -> Manifold {
    let mut manifold = Manifold::EMPTY;
    collide(
        a,
        b,
        b_in_a,
        &CollideSettings::default(),
        &mut Tracker::default(),
        &mut manifold,
        &mut Counters::default(),
    );
    manifold
}

/// Area of the polygon that the points span, seen along the normal.
fn area(manifold: &Manifold) -> f32 {
    let points: Vec<Vec3> = manifold.points().iter().map(|p| p.anchor_a).collect();
    let mut most = 0.0f32;
    for &a in &points {
        for &b in &points {
            for &c in &points {
                most = most.max(0.5 * (b - a).cross(c - a).length());
            }
        }
    }
    most
}

/// What rests on a floor, a plate and a drum: the count of points that carry it, their gap and,
/// for a face, at least the area that they span. Known by hand. Exchanged, the answer is the
/// same.
#[test]
fn resting_shapes_are_carried_by_the_points_they_should() {
    let drum = Shape::cylinder(0.5, 0.5);
    let cone = Shape::cone(0.6, 0.5);
    let egg = Shape::ellipsoid(Vec3::new(0.6, 0.3, 0.5));
    let triangle = Shape::triangle([
        Vec3::new(0.5, 0.0, 0.4),
        Vec3::new(-0.5, 0.0, 0.3),
        Vec3::new(0.0, 0.0, -0.5),
    ]);
    let pebble = Shape::rounded(Shape::cube(Vec3::splat(0.3)), 0.1).expect("a box can be round");
    let bar = Shape::rounded(
        Shape::segment(Vec3::new(-0.5, 0.0, 0.1), Vec3::new(0.5, 0.0, 0.1)),
        0.2,
    )
    .expect("a segment can be round");
    let upright = DMat3::IDENTITY;
    let side = lying(DVec3::X);
    let upside_down = DMat3::from_cols(DVec3::X, -DVec3::Y, -DVec3::Z);
    let floors = [
        (Shape::half_space(Vec3::Y), 0.0),
        (Shape::cube(Vec3::new(3.0, 0.5, 3.0)), 0.5),
        (Shape::cylinder(0.5, 3.0), 0.5),
    ];
    for (shape, rotation, height, count, least_area) in [
        (&drum, upright, 0.5, 4, 0.2),
        (&drum, side, 0.5, 2, 0.0),
        (&cone, upright, 0.6, 4, 0.2),
        (&cone, upside_down, 0.6, 1, 0.0),
        (&egg, upright, 0.3, 1, 0.0),
        (&triangle, upright, 0.0, 3, 0.3),
        (&pebble, upright, 0.4, 4, 0.15),
        (&bar, upright, 0.2, 2, 0.0),
    ] {
        for (floor, top) in &floors {
            for gap in [0.01, 0.001, -0.001, -0.005] {
                if matches!(shape, Shape::Triangle { .. }) && floor.is_infinite() {
                    continue;
                }
                let b_in_a = Frame {
                    rotation,
                    translation: DVec3::new(0.2, top + height + gap, -0.1),
                };
                let manifold = contact(floor, shape, &b_in_a);
                let what = format!(
                    "{} on {} at {gap}: {manifold:?}",
                    shape.kind_name(),
                    floor.kind_name()
                );
                assert_eq!(manifold.points().len(), count, "{what}");
                assert!(manifold.normal.abs_diff_eq(Vec3::Y, 1e-4), "{what}");
                assert!(area(&manifold) >= least_area, "{what}");
                for point in manifold.points() {
                    assert!((f64::from(point.separation) - gap).abs() < 1e-4, "{what}");
                }
                let back = contact(shape, floor, &b_in_a.inverse());
                let ids = |m: &Manifold| {
                    let mut ids: Vec<u32> = m.points().iter().map(|p| p.feature).collect();
                    ids.sort_unstable();
                    ids
                };
                assert_eq!(ids(&manifold), ids(&back), "{what} against {back:?}");
            }
        }
    }
}

/// A drum on its end, a lying one, a pebble and a cone shaken by a millionth of a millimetre for
/// a hundred frames: the same points with the same ids, and no normal that flickers.
#[test]
fn noise_moves_no_contact_point() {
    let floor = Shape::cube(Vec3::new(3.0, 0.5, 3.0));
    let pebble = Shape::rounded(Shape::cube(Vec3::splat(0.4)), 0.1).expect("a box can be round");
    let mut random = Random::new(3);
    for (shape, rotation, height) in [
        (Shape::cylinder(0.5, 0.5), DMat3::IDENTITY, 0.5),
        (Shape::cylinder(0.5, 0.5), lying(DVec3::X), 0.5),
        (Shape::cone(0.5, 0.5), DMat3::IDENTITY, 0.5),
        (pebble, DMat3::IDENTITY, 0.5),
    ] {
        for recycle in [true, false] {
            let settings = CollideSettings {
                recycle,
                ..CollideSettings::default()
            };
            let (mut tracker, mut manifold) = (Tracker::default(), Manifold::EMPTY);
            let mut first: Option<Manifold> = None;
            for frame in 0..100 {
                let shaken = 1e-9 * random.vector();
                let turn = DMat3::from_cols(
                    DVec3::new(1.0, shaken.z, -shaken.y),
                    DVec3::new(-shaken.z, 1.0, shaken.x),
                    DVec3::new(shaken.y, -shaken.x, 1.0),
                );
                let b_in_a = Frame {
                    rotation: turn * rotation,
                    translation: DVec3::new(0.1, 0.998 + height - 0.5, 0.2) + shaken,
                };
                collide(
                    &floor,
                    &shape,
                    &b_in_a,
                    &settings,
                    &mut tracker,
                    &mut manifold,
                    &mut Counters::default(),
                );
                let first = first.get_or_insert(manifold);
                let what = format!("{} frame {frame}", shape.kind_name());
                assert_eq!(first.points().len(), manifold.points().len(), "{what}");
                for (then, now) in first.points().iter().zip(manifold.points()) {
                    assert_eq!(then.feature, now.feature, "{what}");
                    assert!(then.anchor_a.abs_diff_eq(now.anchor_a, 1e-5), "{what}");
                }
                assert!(first.normal.abs_diff_eq(manifold.normal, 1e-6), "{what}");
            }
        }
    }
}

/// Two drums side by side, a capsule along one and a box edge along another: two points each,
/// as far apart as the shorter of the two lines. A drum on its rim touches in one point.
#[test]
fn parallel_lines_meet_in_two_points_and_rims_in_one() {
    let drum = Shape::cylinder(0.5, 0.5);
    let at = |rotation: DMat3, x: f64| Frame {
        rotation,
        translation: DVec3::new(x, 0.1, 0.0),
    };
    let corner = DMat3::from_cols(
        DVec3::new(1.0, 0.0, 1.0).normalize(),
        DVec3::Y,
        DVec3::new(-1.0, 0.0, 1.0).normalize(),
    );
    let half = 0.5f64.sqrt();
    for (other, place, length) in [
        (drum.clone(), at(DMat3::IDENTITY, 0.998), 0.9),
        (Shape::capsule(0.3, 0.2), at(DMat3::IDENTITY, 0.698), 0.6),
        (Shape::cube(Vec3::splat(0.5)), at(corner, 0.498 + half), 0.9),
    ] {
        let manifold = contact(&drum, &other, &place);
        let what = format!("{}: {manifold:?}", other.kind_name());
        assert_eq!(manifold.points().len(), 2, "{what}");
        let [p, q] = [0, 1].map(|i| manifold.points()[i].anchor_a);
        assert!((p.distance(q) - length).abs() < 1e-3, "{what}");
        assert!(manifold.normal.abs_diff_eq(Vec3::X, 1e-3), "{what}");
    }
    let (sin, cos) = libm::sincos(0.6);
    let tilted = DMat3::from_cols(
        DVec3::new(cos, sin, 0.0),
        DVec3::new(-sin, cos, 0.0),
        DVec3::Z,
    );
    let place = Frame {
        rotation: tilted,
        translation: DVec3::new(0.0, 0.5 + 0.5 * (sin + cos) - 0.002, 0.0),
    };
    let floor = Shape::cube(Vec3::new(3.0, 0.5, 3.0));
    let manifold = contact(&floor, &drum, &place);
    assert_eq!(manifold.points().len(), 1, "{manifold:?}");
    assert!((manifold.points()[0].separation + 0.002).abs() < 1e-5);
}

/// Prisms, cones and balls of few and of thousands of corners, laid against each other a few
/// millimetres deep and then turned half a degree a frame: along the contact's normal, which may be
/// that of a preferred face, its deepest point is as deep as the witnesses of the certified depth,
/// but for what counts as equally deep.
#[test]
fn contacts_hold_the_deepest_point_however_many_corners_there_are() {
    let mut random = Random::new(31);
    let ball = |random: &mut Random, count: usize| {
        let points: Vec<Vec3> = (0..count).map(|_| random.direction().as_vec3()).collect();
        Shape::hull(&points).expect("a ball of points is solid")
    };
    let mut shapes = vec![ball(&mut random, 30), ball(&mut random, 1000)];
    for points in [
        prism(24, 0.6, 0.4),
        prism(2000, 0.6, 0.4),
        cone(24),
        cone(2000),
    ] {
        shapes.push(Shape::hull(&points).expect("solid"));
    }
    let settings = CollideSettings {
        margin: 0.02,
        recycle: false,
        leans: false,
        ..CollideSettings::default()
    };
    let mut overlaps = 0;
    for (a, b) in (0..36 * 8).map(|pair| (pair % 6, pair / 6 % 6)) {
        let (a, b) = (&shapes[a], &shapes[b]);
        let size = f64::from(a.inner_radius().min(b.inner_radius()));
        let mut b_in_a = Frame {
            rotation: random.matrix(),
            translation: 4.0 * random.direction(),
        };
        let apart = distance(a, b, &b_in_a);
        b_in_a.translation -= (apart.lower + 0.004) * apart.normal;
        let axis = random.direction();
        let turn = DMat3::from_axis_angle(axis, 0.5f64.to_radians());
        let (mut tracker, mut manifold) = (Tracker::default(), Manifold::EMPTY);
        for frame in 0..8 {
            let (tracker, manifold) = (&mut tracker, &mut manifold);
            let counters = &mut Counters::default();
            collide(a, b, &b_in_a, &settings, tracker, manifold, counters);
            let answer = distance(a, b, &b_in_a);
            if answer.lower < 0.0 {
                overlaps += 1;
                let deepest = f64::from(manifold.min_separation());
                let depth = answer.lower * answer.normal.dot(manifold.normal.as_dvec3());
                let off = deepest - depth;
                assert!(
                    off <= 1.2e-3 * size,
                    "frame {frame}: {deepest} instead of {depth} at size {size}: {manifold:?}"
                );
            }
            b_in_a.rotation = turn * b_in_a.rotation;
        }
    }
    assert!(overlaps > 1000, "{overlaps} overlaps");
}

/// A cube beside another, held by a sliver of both faces, slides off it along them. By hand: there is
/// nothing to touch once the sliver and the margin are passed. Points that are recycled may stay
/// for half a hundredth of an edge longer, whatever the scale, and not for a twentieth.
#[test]
fn a_sliver_at_a_ledge_is_left_soon() {
    for edge in [0.1, 1.0, 40.0] {
        let cube = Shape::cube(Vec3::splat(0.5 * edge as f32));
        for sliver in [1e-4 * edge, 2e-3 * edge] {
            let settings = CollideSettings {
                margin: (1e-3 * edge) as f32,
                ..CollideSettings::default()
            };
            let (mut tracker, mut manifold) = (Tracker::default(), Manifold::EMPTY);
            for step in 0..20 {
                let slid = 1e-3 * edge * f64::from(step);
                collide(
                    &cube,
                    &cube,
                    &Frame {
                        rotation: DMat3::IDENTITY,
                        translation: DVec3::new(edge, edge - sliver + slid, 0.0),
                    },
                    &settings,
                    &mut tracker,
                    &mut manifold,
                    &mut Counters::default(),
                );
                let what = format!("edge {edge}, sliver {sliver}, slid {slid}");
                if slid < sliver {
                    assert!(!manifold.is_empty(), "{what}");
                }
                if slid > sliver + 0.0065 * edge {
                    assert!(manifold.is_empty(), "{what}: {manifold:?}");
                }
            }
        }
    }
}

/// A cylinder and prisms of 5 to 24 sides, upright on ground, tip by a twentieth of a degree a frame, which
/// way they may: from a third of a degree on the deepest corner of all is among the four of the contact,
/// or one that is higher by a tenth of a millimetre at most. The four that they stood on stayed until
/// the one between them had sunk by more than one.
#[test]
fn a_rim_that_sinks_is_felt_where_it_sinks() {
    let hull = |sides| Shape::hull(&prism(sides, 0.2, 0.5)).expect("a solid");
    let mut shapes = vec![Shape::cylinder(0.5, 0.2)];
    shapes.extend([5, 6, 7, 8, 24].map(hull));
    for (index, shape) in shapes.iter().enumerate() {
        for turn in 0..16 {
            let axis = DVec3::new(
                libm::cos(0.1 * f64::from(turn)),
                0.0,
                libm::sin(0.1 * f64::from(turn)),
            );
            let (mut tracker, mut manifold) = (Tracker::default(), Manifold::EMPTY);
            for step in 0..60 {
                let rotation =
                    DMat3::from_axis_angle(axis, f64::from(step) * (0.05f64).to_radians());
                let down = rotation.transpose() * DVec3::NEG_Y;
                let lowest = match shape {
                    Shape::Hull(hull) => {
                        let heights = hull.vertices().iter().map(|at| -down.dot(at.as_dvec3()));
                        heights.fold(f64::INFINITY, f64::min)
                    }
                    _ => 0.5 * down.y - 0.2 * down.x.hypot(down.z),
                };
                let frame = Frame {
                    rotation,
                    translation: DVec3::new(0.0, -lowest - 5e-4, 0.0),
                };
                collide(
                    &Shape::half_space(Vec3::Y),
                    shape,
                    &frame,
                    &CollideSettings::default(),
                    &mut tracker,
                    &mut manifold,
                    &mut Counters::default(),
                );
                let deepest = manifold.min_separation();
                assert!(
                    step < 7 || deepest < -4e-4,
                    "shape {index} turned {turn}, tipped by {step} steps: {deepest} m"
                );
            }
        }
    }
}

/// Prisms of five to sixteen sides lean over one side by half a degree to two, on ground and on the
/// wide face of a hull, and rock over that side by a twentieth of a degree, so that now the one of its
/// corners is the deepest and now the other one. Both press, and both are always among the four.
#[test]
fn both_corners_that_a_leaning_prism_stands_on_are_kept() {
    let slab = [-1.0, 1.0].map(|x| [-0.2, 0.0].map(|y| [-1.0, 1.0].map(|z| DVec3::new(x, y, z))));
    let slab = slab.as_flattened().as_flattened();
    let slab: Vec<Vec3> = slab.iter().map(|corner| corner.as_vec3()).collect();
    let grounds = [
        Shape::half_space(Vec3::Y),
        Shape::hull(&slab).expect("a solid"),
    ];
    let (radius, half_height) = (0.5, 0.4);
    for sides in 5..=16 {
        let shape = Shape::hull(&prism(sides, radius, half_height)).expect("a solid");
        let step = std::f64::consts::TAU / sides as f64;
        let corner = |index: usize| {
            let (sin, cos) = libm::sincos(step * index as f64);
            DVec3::new(radius * cos, -half_height, radius * sin)
        };
        for (ground, tilt) in grounds
            .iter()
            .flat_map(|g| [0.5, 1.0, 2.0].map(|tilt| (g, tilt)))
        {
            for side in 0..sides {
                let ends = [corner(side), corner((side + 1) % sides)];
                let along = (ends[1] - ends[0]).normalize();
                let out = (0.5 * (ends[0] + ends[1]))
                    .reject_from(DVec3::Y)
                    .normalize();
                let lean =
                    DMat3::from_axis_angle(DVec3::Y.cross(out).normalize(), f64::to_radians(tilt));
                let (mut tracker, mut manifold) = (Tracker::default(), Manifold::EMPTY);
                for frame in 0..8 {
                    let rock = if frame % 2 == 0 { 0.05 } else { -0.05 };
                    let over = along.cross(DVec3::Y).normalize();
                    let rotation = DMat3::from_axis_angle(over, f64::to_radians(rock)) * lean;
                    let [one, other] = ends.map(|end| rotation * end);
                    let pose = Frame {
                        rotation,
                        translation: DVec3::new(0.0, -5e-4 - one.y.min(other.y), 0.0),
                    };
                    collide(
                        ground,
                        &shape,
                        &pose,
                        &CollideSettings::default(),
                        &mut tracker,
                        &mut manifold,
                        &mut Counters::default(),
                    );
                    let what = format!("{sides} sides, {tilt} degrees, side {side}, frame {frame}");
                    for end in ends {
                        let is_there = |at: Vec3| at.as_dvec3().distance(end) < 1e-4 * radius;
                        assert!(
                            manifold
                                .points()
                                .iter()
                                .any(|point| is_there(point.anchor_b)),
                            "{what}: {end} is not among {:?}",
                            manifold.points()
                        );
                    }
                }
            }
        }
    }
}

/// A coin that lies in a slab at up to twenty degrees: on its rim alone while its middle is above
/// the surface, all over where it has sunk in.
#[test]
fn a_cap_that_has_sunk_in_touches_all_over() {
    let slab = Shape::cube(Vec3::new(2.0, 0.5, 2.0));
    let coin = Shape::cylinder(0.1, 0.5);
    for degrees in [7.0, 10.0, 15.0, 20.0] {
        for scale in [0.05, 1.0, 8.0] {
            let (sin, cos) = libm::sincos(f64::to_radians(degrees));
            for (sunk, count) in [(0.02, 1), (-0.02, 4)] {
                let middle_of_cap = 0.5 + sunk;
                let place = Frame {
                    rotation: DMat3::from_cols(
                        DVec3::new(cos, sin, 0.0),
                        DVec3::new(-sin, cos, 0.0),
                        DVec3::Z,
                    ),
                    translation: scale * DVec3::new(-0.1 * sin, middle_of_cap + 0.1 * cos, 0.0),
                };
                let scaled = |shape: &Shape| match shape {
                    Shape::Box { half_extents } => Shape::cube(*half_extents * scale as f32),
                    _ => Shape::cylinder(0.1 * scale as f32, 0.5 * scale as f32),
                };
                let manifold = contact(&scaled(&slab), &scaled(&coin), &place);
                let what = format!("{degrees} {scale} {sunk}: {manifold:?}");
                assert!(manifold.normal.abs_diff_eq(Vec3::Y, 1e-6), "{what}");
                assert_eq!(manifold.points().len(), count, "{what}");
                let rim = (sunk - 0.5 * sin) * scale;
                let points = manifold.points();
                let deepest = manifold.min_separation();
                assert!((f64::from(deepest) - rim).abs() < 1e-5 * scale, "{what}");
                let places = manifold.points().iter().map(|p| p.anchor_b);
                let reach = places.map(|place| f64::from(place.distance(points[0].anchor_b)));
                let reach = reach.fold(0.0, f64::max);
                assert_eq!(reach > 0.5 * scale, count > 1, "{what}");
            }
        }
    }
}
