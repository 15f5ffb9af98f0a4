//! Hulls of random and degenerate point sets against an oracle that knows nothing of how
//! they are built: every point below every face, every face planar and convex, Euler holds.

use crate::oracle::{Random, check_hull, fibonacci_sphere};
use drystone_geometry::glam::{DVec3, Quat, Vec3};
use drystone_geometry::hull::{HalfEdge, HullError};
use drystone_geometry::{Hull, rotation};

fn cube_corners() -> Vec<Vec3> {
    (0..8)
        .map(|i| {
            let sign = |bit: u32| if i >> bit & 1 == 1 { 1.0 } else { -1.0 };
            Vec3::new(sign(0), sign(1), sign(2))
        })
        .collect()
}

/// Corners of a prism along Y: `sides` around each of two caps.
fn prism(sides: u32, radius: f32, half_height: f32) -> Vec<Vec3> {
    let mut points = Vec::new();
    for i in 0..sides {
        let angle = std::f64::consts::TAU * f64::from(i) / f64::from(sides);
        let (x, z) = (
            radius * libm::cos(angle) as f32,
            radius * libm::sin(angle) as f32,
        );
        points.push(Vec3::new(x, -half_height, z));
        points.push(Vec3::new(x, half_height, z));
    }
    points
}

fn random_rotation(random: &mut Random) -> Quat {
    rotation::from_scaled_axis(3.0 * random.in_cube())
}

/// A cube from its corners given twice, with points inside, on faces and on edges between
/// them. Known by hand: eight corners in the order given, twelve edges, six faces.
#[test]
fn a_cube_with_duplicates_and_inner_points_has_eight_corners_and_six_faces() {
    let mut points = cube_corners();
    points.extend(cube_corners());
    points.extend([
        Vec3::ZERO,
        Vec3::splat(0.5),
        Vec3::X,
        Vec3::new(1.0, 1.0, 0.3),
    ]);
    points.push(Vec3::new(-0.0, 0.2, 1.0));
    let hull = Hull::new(&points).unwrap();
    check_hull(&hull, &points, 0.0);
    assert_eq!(hull.vertices(), cube_corners());
    assert_eq!((hull.edge_count(), hull.faces().len()), (12, 6));
    assert!((hull.volume() - 8.0).abs() < 1e-14);
    assert_eq!(hull.inner_radius(), 1.0);
    assert_eq!(hull.flatness(), 0.0);
}

/// Prisms in any pose, from exact coordinates and rotated in `f32`. Known by hand: two caps
/// and one quadrilateral per side, twice as many corners as sides.
#[test]
fn prisms_keep_two_caps_and_one_face_per_side_in_every_pose() {
    let mut random = Random(3);
    for round in 0..100 {
        for sides in [3u32, 4, 6, 16, 40] {
            let turn = if round == 0 {
                Quat::IDENTITY
            } else {
                random_rotation(&mut random)
            };
            let scale = libm::powf(10.0, 3.0 * random.signed());
            let shape: Vec<Vec3> = prism(sides, 1.0, 0.7)
                .into_iter()
                .map(|p| scale * rotation::rotate(turn, p))
                .collect();
            let hull = Hull::new(&shape).unwrap();
            check_hull(&hull, &shape, 1e-6 * f64::from(scale));
            assert_eq!(
                hull.faces().len() as u32,
                sides + 2,
                "sides {sides} round {round}"
            );
            assert_eq!(hull.vertices().len() as u32, 2 * sides);
        }
    }
}

/// Eight points, seven of them within 1e-4 of one plane, which trouble other builders.
/// Judged by the oracle: closed, and no point further outside than the slack.
#[test]
fn nearly_coplanar_points_make_a_closed_hull() {
    let points = [
        [-0.020472288, -0.195635557, 0.308015466],
        [0.136248738, 0.633286834, 0.135366619],
        [0.286418647, -0.228475571, 0.308084548],
        [-0.267285109, 1.024676085, 0.308042824],
        [0.396568149, -0.971658647, 0.308055162],
        [0.321081549, -1.024676085, 0.308036327],
        [0.034643859, -0.404506862, 0.308015764],
        [0.18922469, -0.252762139, 0.308060408],
    ]
    .map(Vec3::from_array);
    check_hull(&Hull::new(&points).unwrap(), &points, 1e-6);
    // With a coarse tolerance, the plane becomes one face.
    let coarse = Hull::with_tolerance(&points, 1e-3).unwrap();
    check_hull(&coarse, &points, 2e-3);
    assert!(coarse.flatness() <= 1e-3);
}

/// Points on the unit sphere: all of them are corners, for sizes around each change of
/// method. Judged by the oracle.
#[test]
fn every_point_of_a_sphere_is_a_corner() {
    for count in [4usize, 5, 8, 31, 32, 33, 64, 65, 500, 3000] {
        let points = fibonacci_sphere(count);
        let hull = Hull::new(&points).unwrap();
        check_hull(&hull, &points, 1e-6);
        assert_eq!(hull.vertices().len(), count);
    }
}

/// Random clouds in cubes and balls at scales from a millimetre to a kilometre, as they
/// are, far from the origin, and squeezed to needles and plates of 1 : 10,000. Judged by
/// the oracle with a slack that follows the coordinates.
#[test]
fn random_clouds_are_enclosed_at_every_scale_and_offset() {
    let mut random = Random(11);
    for round in 0..300 {
        let scale = libm::powf(10.0, 3.0 * random.signed());
        let squeeze = match round % 4 {
            0 => Vec3::ONE,
            1 => Vec3::new(1.0, 1e-4, 1.0),
            2 => Vec3::new(1e-4, 1.0, 1e-4),
            _ => Vec3::new(1.0, 0.03, 0.3),
        };
        let offset = match round % 3 {
            0 => Vec3::ZERO,
            1 => 10.0 * random.in_cube(),
            _ => 3.0 * random.in_cube(),
        };
        let turn = if round % 2 == 0 {
            Quat::IDENTITY
        } else {
            random_rotation(&mut random)
        };
        let count = 4 + (random.next() % 60) as usize;
        let points: Vec<Vec3> = (0..count)
            .map(|_| scale * (rotation::rotate(turn, squeeze * random.in_cube()) + offset))
            .collect();
        let largest = points
            .iter()
            .fold(0.0f32, |most, p| most.max(p.abs().max_element()));
        match Hull::new(&points) {
            Ok(hull) => check_hull(&hull, &points, 1.5e-6 * f64::from(largest)),
            // A plate of 1e-4 at an offset of ten times its size is within rounding.
            Err(HullError::Coplanar { .. } | HullError::Collinear { .. }) => {
                assert!(
                    round % 3 == 1 && squeeze.min_element() < 1e-3,
                    "round {round}"
                );
            }
            Err(error) => panic!("round {round}: {error}"),
        }
    }
}

/// Points on small integer grids, where most subsets are coplanar or collinear exactly.
/// Judged by the oracle without any slack, since all of it is exact.
#[test]
fn grid_points_give_exact_hulls() {
    let mut random = Random(5);
    let mut solids = 0;
    for _ in 0..400 {
        let count = 4 + (random.next() % 40) as usize;
        let side = 2 + random.next() % 4;
        let points: Vec<Vec3> = (0..count)
            .map(|_| {
                let mut coordinate = || (random.next() % side) as f32;
                Vec3::new(coordinate(), coordinate(), coordinate())
            })
            .collect();
        match Hull::new(&points) {
            Ok(hull) => {
                check_hull(&hull, &points, 0.0);
                solids += 1;
            }
            Err(HullError::Coplanar { .. } | HullError::Collinear { .. }) => {}
            Err(error) => panic!("{error}"),
        }
    }
    assert!(solids > 200, "only {solids} solids");
}

/// Whole grids: a cube of 9 x 9 x 9 points turned in steps, so that hundreds of points lie
/// in each face up to rounding. Known by hand: eight corners, six faces.
#[test]
fn a_turned_grid_is_a_cube() {
    let mut random = Random(17);
    for round in 0..30 {
        let turn = if round == 0 {
            Quat::IDENTITY
        } else {
            random_rotation(&mut random)
        };
        let points: Vec<Vec3> = (0..729)
            .map(|i| {
                let p = Vec3::new((i % 9) as f32, (i / 9 % 9) as f32, (i / 81) as f32);
                rotation::rotate(turn, p / 4.0 - 1.0)
            })
            .collect();
        let hull = Hull::new(&points).unwrap();
        check_hull(&hull, &points, 1e-6);
        assert_eq!(
            (hull.vertices().len(), hull.faces().len()),
            (8, 6),
            "round {round}"
        );
    }
}

/// Cubes whose corners are each split into clusters of points within a given noise, from
/// below rounding to far above it. Judged by the oracle alone.
#[test]
fn noise_on_corners_and_faces_never_breaks_a_hull() {
    let mut random = Random(23);
    for exponent in 2..9 {
        let noise = 10f32.powi(-exponent);
        for _ in 0..12 {
            let mut points = Vec::new();
            for _ in 0..60 {
                let corner = cube_corners()[(random.next() % 8) as usize];
                let flat = corner * Vec3::new(1.0, random.signed(), random.signed());
                points.push(corner + noise * random.in_cube());
                points.push(flat + noise * random.in_cube());
            }
            check_hull(&Hull::new(&points).unwrap(), &points, 2e-6);
        }
    }
}

/// A cone over 10,000 rim points, upright and tilted. Judged by checks that need no
/// comparison of all corners with all faces: the tip, the rim, and the volume of the cone.
#[test]
fn a_cone_with_ten_thousand_rim_corners_stands() {
    let count = 10_000;
    for turn in [
        Quat::IDENTITY,
        rotation::from_scaled_axis(Vec3::new(0.3, 0.5, -0.8)),
    ] {
        let mut points: Vec<Vec3> = (0..count)
            .map(|i| {
                let angle = std::f64::consts::TAU * f64::from(i) / f64::from(count);
                Vec3::new(libm::cos(angle) as f32, 0.0, libm::sin(angle) as f32)
            })
            .collect();
        points.push(Vec3::Y);
        for p in &mut points {
            *p = rotation::rotate(turn, *p);
        }
        let hull = Hull::new(&points).unwrap();
        assert!((hull.volume() - std::f64::consts::FRAC_PI_3).abs() < 1e-6);
        let (v, e, f) = (hull.vertices().len(), hull.edge_count(), hull.faces().len());
        assert_eq!(v + f, e + 2);
        let deepest = (0..1000).map(|i| {
            let direction = fibonacci_sphere(1000)[i].as_dvec3();
            let reach = |p: &Vec3| p.as_dvec3().dot(direction);
            let all = points.iter().map(reach).fold(f64::NEG_INFINITY, f64::max);
            all - reach(&hull.vertices()[hull.support(direction) as usize])
        });
        assert!(deepest.fold(0.0, f64::max) < 1e-6);
    }
}

/// The same points give the same hull; read back from its serialised form it is the same
/// bit for bit, and corrupt forms are refused.
#[test]
fn a_hull_survives_storage_and_refuses_corruption() {
    let points = fibonacci_sphere(50);
    let hull = Hull::new(&points).unwrap();
    assert_eq!(hull, Hull::new(&points).unwrap());
    let stored = serde_json::to_string(&hull).unwrap();
    assert_eq!(hull, serde_json::from_str::<Hull>(&stored).unwrap());

    let value: serde_json::Value = serde_json::from_str(&stored).unwrap();
    let mut random = Random(7);
    let mut refused = 0;
    for _ in 0..2000 {
        let mut bad = value.clone();
        let list = ["vertices", "triangles", "face_of"][(random.next() % 3) as usize];
        let items = bad[list].as_array_mut().unwrap();
        let i = random.next() as usize % items.len();
        let number = [0, 1, 7, 49, 50, 4_000_000_000u64][(random.next() % 6) as usize];
        match random.next() % 4 {
            0 => drop(items.remove(i)),
            1 => items.push(items[i].clone()),
            _ if items[i].is_array() => {
                items[i][(random.next() % 3) as usize] = serde_json::json!(number);
            }
            _ => items[i] = serde_json::json!(number),
        }
        refused += u32::from(serde_json::from_value::<Hull>(bad).is_err());
    }
    assert!(refused > 1900, "{refused}");
}

/// Plates and needles of 86 m, thinner and thinner at coordinates that `f32` tells apart with
/// ease: a hull comes back from storage, and what is thinner than one part in 10^10 is refused
/// as flat or as a line.
#[test]
fn the_thinnest_hulls_survive_storage_and_thinner_ones_are_refused() {
    let (mut thinnest, mut refused) = (f64::INFINITY, 0);
    for power in 0..40 {
        let thin = libm::exp10(-0.5 * f64::from(power));
        let plate = [
            Vec3::new(0.0, 0.0, -0.05 * thin as f32),
            Vec3::new(-86.0, -86.0, -thin as f32),
            Vec3::new(2.5874396e-29, 0.6875, 0.0),
            Vec3::new(0.6875, 0.0, 0.0),
            Vec3::ZERO,
        ];
        let needle = plate.map(|p| Vec3::new(p.x, p.z, 0.5 * p.z) + Vec3::Z * p.y * thin as f32);
        for points in [plate, needle] {
            match Hull::new(&points) {
                Ok(hull) => {
                    thinnest = thinnest.min(thin);
                    let stored = serde_json::to_string(&hull).unwrap();
                    assert_eq!(hull, serde_json::from_str::<Hull>(&stored).unwrap());
                }
                Err(HullError::Coplanar { .. } | HullError::Collinear { .. }) => refused += 1,
                Err(error) => panic!("{points:?}: {error}"),
            }
        }
    }
    assert!(thinnest < 1e-6 && thinnest > 1e-8, "{thinnest}");
    assert!(refused > 20, "{refused}");
}

/// Inputs that are no solid, each refused with its reason; the messages name the cure.
#[test]
fn what_is_not_solid_is_refused_with_its_reason() {
    let line = |n: usize| (0..n).map(|i| Vec3::splat(i as f32)).collect::<Vec<_>>();
    let plane: Vec<Vec3> = fibonacci_sphere(8).iter().map(|p| p.with_y(0.25)).collect();
    let mut nan = cube_corners();
    nan[3].y = f32::NAN;
    let mut huge = cube_corners();
    huge[5].z = 1e30;

    let error = |points: &[Vec3]| Hull::new(points).unwrap_err();
    assert_eq!(
        error(&cube_corners()[..3]),
        HullError::TooFewPoints { count: 3 }
    );
    assert!(matches!(
        error(&[Vec3::ONE; 8]),
        HullError::Coincident { .. }
    ));
    assert!(matches!(error(&line(8)), HullError::Collinear { .. }));
    assert!(matches!(error(&plane), HullError::Coplanar { .. }));
    assert_eq!(error(&nan), HullError::NotFinite { index: 3 });
    assert_eq!(
        error(&huge),
        HullError::TooLarge {
            index: 5,
            coordinate: 1e30
        }
    );
    let tilted: Vec<Vec3> = plane
        .iter()
        .map(|&p| rotation::rotate(rotation::from_scaled_axis(Vec3::new(1.0, 0.2, 0.4)), p))
        .collect();
    assert!(matches!(error(&tilted), HullError::Coplanar { .. }));
    assert!(
        error(&plane)
            .to_string()
            .contains("give the shape some thickness")
    );
    assert!(matches!(
        Hull::with_tolerance(&cube_corners(), f32::NAN),
        Err(HullError::BadTolerance { .. })
    ));
}

/// Support by scan, by climb from everywhere and by start map, against a linear scan over
/// all corners; on a sphere, on a cube-like grid with flat faces, and along face normals,
/// where many corners tie up to rounding.
#[test]
fn support_reaches_as_far_as_a_linear_scan() {
    let mut random = Random(31);
    let turn = random_rotation(&mut random);
    let many_sided: Vec<Vec3> = prism(200, 1.0, 0.5)
        .into_iter()
        .map(|p| rotation::rotate(turn, p))
        .collect();
    for points in [
        fibonacci_sphere(16),
        fibonacci_sphere(17),
        fibonacci_sphere(1000),
        prism(300, 1.0, 0.1),
        many_sided,
    ] {
        let hull = Hull::new(&points).unwrap();
        let normals: Vec<DVec3> = hull.faces().iter().map(|face| face.normal).collect();
        let random_directions = (0..200).map(|_| random.in_cube().as_dvec3());
        let directions: Vec<DVec3> = random_directions.chain(normals).collect();
        for &direction in &directions {
            let reach = |v: u32| hull.vertices()[v as usize].as_dvec3().dot(direction);
            let best = (0..hull.vertices().len() as u32)
                .map(reach)
                .fold(f64::MIN, f64::max);
            let start = (random.next() % hull.vertices().len() as u64) as u32;
            assert!(best - reach(hull.support(direction)) <= 1e-14);
            assert!(best - reach(hull.support_from(direction, start)) <= 1e-14);
        }
    }
}

/// A cone with 5,000 rim corners, a prism with caps of 3,000 and a turned one whose caps are
/// flat only up to rounding. A linear scan knows the farthest corner; from the tip, from the
/// rim and through the map the search must reach as far. A corner's steepest spoke rises
/// exactly when the corner is not a farthest one.
#[test]
fn wide_faces_and_corners_of_many_edges_are_searched_exactly() {
    let mut random = Random(77);
    let turn = random_rotation(&mut random);
    let mut cone: Vec<Vec3> = prism(5000, 1.0, 0.5)
        .into_iter()
        .filter(|p| p.y < 0.0)
        .collect();
    cone.push(Vec3::new(0.1, 1.0, -0.2));
    let turned: Vec<Vec3> = prism(900, 1.0, 0.5)
        .into_iter()
        .map(|p| rotation::rotate(turn, p))
        .collect();
    for points in [cone, prism(3000, 1.0, 0.3), turned] {
        let hull = Hull::new(&points).unwrap();
        let normals = hull.faces().iter().step_by(97).map(|face| face.normal);
        let random_directions = (0..60).map(|_| random.in_cube().as_dvec3());
        let directions: Vec<DVec3> = random_directions.chain(normals).collect();
        let count = hull.vertices().len() as u64;
        for &direction in &directions {
            let reach = |v: u32| hull.vertices()[v as usize].as_dvec3().dot(direction);
            let best = (0..count as u32).map(reach).fold(f64::MIN, f64::max);
            for start in [random.next() % count, 0, count - 1] {
                let start = start as u32;
                assert!(best - reach(hull.support_from(direction, start)) <= 1e-13);
                let (rise, spoke) = hull.steepest_spoke(start, reach(start), direction);
                let told = (reach(spoke.vertex) - reach(start) - rise).abs() < 1e-14;
                assert!(told || rise <= 0.0);
                let farthest = best - reach(start) <= 1e-13;
                assert!(
                    farthest || rise > 0.0,
                    "{} below the best",
                    best - reach(start)
                );
            }
            assert!(best - reach(hull.support(direction)) <= 1e-13);
        }
    }
}

/// Prisms with caps of 20 and of 40 corners. Going round a cap from half-edge to half-edge knows its
/// border: only the larger ones have one, and every corner is in one, at the place that is told.
#[test]
fn the_border_of_a_wide_face_is_what_lies_around_it() {
    let small = Hull::new(&prism(20, 1.0, 0.3)).unwrap();
    assert!((0..40).all(|vertex| small.border_at(vertex).is_none()));
    let hull = Hull::new(&prism(40, 1.0, 0.3)).unwrap();
    for vertex in 0..80 {
        let (border, place) = hull.border_at(vertex).unwrap();
        assert_eq!(border.corners[place].0, vertex);
        assert_eq!((border.half_edges.len(), border.corners.len()), (40, 40));
        for (k, &half_edge) in border.half_edges.iter().enumerate() {
            let HalfEdge { origin, next, face } = hull.half_edges()[half_edge as usize];
            let position = hull.vertices()[origin as usize];
            assert_eq!(border.corners[k], (origin, position));
            assert_eq!(border.half_edges[(k + 1) % 40], next);
            assert_eq!(border.face, face);
        }
        for face in 0..hull.faces().len() as u32 {
            let found = hull.border_around(face, vertex).map(|(_, place)| place);
            assert_eq!(found, (face == border.face).then_some(place));
        }
    }
}
