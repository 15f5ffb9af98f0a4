//! What shapes say of themselves: topology of boxes, supports, boxes around them, sizes.

use crate::oracle::{Random, check_topology, fibonacci_sphere};
use drystone_geometry::glam::{DVec3, Quat, Vec3};
use drystone_geometry::{
    BoxPolytope, Hull, Pose, Shape, ShapeError, WorldPose, rotation, tolerance,
};

fn box_corners(h: Vec3) -> Vec<Vec3> {
    BoxPolytope::new(h).polytope().vertices.to_vec()
}

fn shapes() -> Vec<Shape> {
    let cloud = fibonacci_sphere(60);
    let shifted: Vec<Vec3> = cloud
        .iter()
        .map(|p| *p * Vec3::new(0.5, 1.0, 2.0) + Vec3::new(3.0, -1.0, 0.5))
        .collect();
    vec![
        Shape::sphere(0.7),
        Shape::capsule(0.8, 0.3),
        Shape::cube(Vec3::new(0.2, 0.5, 1.5)),
        Shape::hull(&cloud[..20]).unwrap(),
        Shape::hull(&cloud).unwrap(),
        Shape::hull(&shifted).unwrap(),
    ]
}

/// Farthest point of the rounded shape along a direction, in its own frame.
fn reach(shape: &Shape, direction: DVec3) -> DVec3 {
    shape.support(direction).0 + direction.normalize() * f64::from(shape.core_radius())
}

/// The box's tables obey every rule of a polytope, its faces look outward along the axes
/// as documented, and its corners follow their sign bits.
#[test]
fn a_box_is_a_valid_polytope_with_the_documented_numbers() {
    let h = Vec3::new(1.0, 2.0, 3.0);
    let cuboid = BoxPolytope::new(h);
    let polytope = cuboid.polytope();
    check_topology(&polytope);
    for (index, face) in polytope.faces.iter().enumerate() {
        let mut normal = DVec3::ZERO;
        normal[index / 2] = if index % 2 == 1 { 1.0 } else { -1.0 };
        assert_eq!(face.normal, normal);
        assert_eq!(face.offset, f64::from(h[index / 2]));
        for e in polytope.face_edges(index as u32) {
            let corner = polytope.position(polytope.origin(e));
            let along = polytope.position(polytope.target(e)) - corner;
            assert_eq!(normal.dot(corner), face.offset);
            // Counter-clockwise: the inside of the face is to the left.
            assert!(normal.cross(along).dot(corner) < 0.0, "face {index}");
        }
    }
    for (index, vertex) in polytope.vertices.iter().enumerate() {
        for axis in 0..3 {
            assert_eq!(vertex[axis] > 0.0, index >> axis & 1 == 1);
        }
    }
    for edge in 0..12u32 {
        let along = polytope.position(polytope.target(2 * edge))
            - polytope.position(polytope.origin(2 * edge));
        let axis = edge as usize / 4;
        assert_eq!(
            along[axis],
            2.0 * f64::from(h[axis]),
            "edge {edge} runs forward"
        );
    }
}

/// A hull of a box's corners has the same corners, planes and rings as the box itself.
#[test]
fn a_hull_of_box_corners_agrees_with_the_box() {
    let h = Vec3::new(0.3, 1.1, 2.7);
    let cuboid = BoxPolytope::new(h);
    let hull = Hull::new(&box_corners(h)).unwrap();
    assert_eq!(hull.vertices(), cuboid.polytope().vertices);
    for face in cuboid.polytope().faces {
        let found = hull
            .faces()
            .iter()
            .any(|f| f.normal == face.normal && f.offset == face.offset);
        assert!(found, "{face:?}");
    }
    let neighbors = |p: &drystone_geometry::Polytope<'_>, v: u32| {
        let mut ends: Vec<u32> = p
            .ring_of(v)
            .iter()
            .map(|sector| p.target(sector.half_edge))
            .collect();
        let lowest = (0..3).min_by_key(|&i| ends[i]).unwrap();
        ends.rotate_left(lowest);
        ends
    };
    for v in 0..8 {
        assert_eq!(
            neighbors(&hull.polytope(), v),
            neighbors(&cuboid.polytope(), v)
        );
    }
}

/// The support of each shape against the farthest of its corners by a linear scan, with its
/// vertex id; ties of boxes and capsules go to the lowest index.
#[test]
fn supports_name_the_farthest_vertex_of_the_core() {
    let mut random = Random(2);
    for shape in shapes() {
        let corners = match &shape {
            Shape::Sphere { .. } => vec![Vec3::ZERO],
            Shape::Capsule { half_height, .. } => {
                vec![-*half_height * Vec3::Y, *half_height * Vec3::Y]
            }
            Shape::Box { half_extents } => box_corners(*half_extents),
            Shape::Hull(hull) => hull.vertices().to_vec(),
            _ => unreachable!(),
        };
        for _ in 0..200 {
            let direction = random.in_cube().as_dvec3();
            let (point, vertex) = shape.support(direction);
            let best = corners
                .iter()
                .map(|c| c.as_dvec3().dot(direction))
                .fold(f64::MIN, f64::max);
            assert_eq!(corners[vertex as usize].as_dvec3(), point);
            assert!(
                (point.dot(direction) - best).abs() < 1e-14,
                "{}",
                shape.kind_name()
            );
        }
    }
    assert_eq!(Shape::cube(Vec3::ONE).support(DVec3::X).1, 1);
    assert_eq!(Shape::cube(Vec3::ONE).support(DVec3::ZERO).1, 0);
    assert_eq!(Shape::capsule(1.0, 1.0).support(DVec3::X).1, 0);
}

/// Boxes around shapes in random poses, near the origin and 1e7 m away: no surface point
/// leaves them, and each side is touched up to rounding, along all six axes.
#[test]
fn boxes_around_shapes_are_tight_and_never_too_small() {
    let mut random = Random(9);
    for shape in shapes() {
        for round in 0..60 {
            let far = [0.0, 1.0, 1e3, 1e7][round % 4];
            let position = far * random.in_cube().as_dvec3();
            let turn = rotation::from_scaled_axis(3.0 * random.in_cube());
            let pose = WorldPose {
                rotation: turn,
                position,
            };
            let frame = pose.to_frame();
            let bounds = shape.world_aabb(&pose);
            for _ in 0..50 {
                let direction = random.in_cube().as_dvec3();
                let p = frame.transform_point(reach(&shape, direction));
                assert!(p.cmpge(bounds.min).all() && p.cmple(bounds.max).all());
            }
            let local = shape.aabb(&Pose {
                rotation: turn,
                translation: position.as_vec3(),
            });
            for axis in 0..3 {
                let mut direction = DVec3::ZERO;
                direction[axis] = 1.0;
                let rounding = 1e-11 + 1e-15 * far;
                let high = frame.transform_point(reach(&shape, frame.inverse_rotate(direction)));
                let low = frame.transform_point(reach(&shape, frame.inverse_rotate(-direction)));
                assert!((bounds.max[axis] - high[axis]).abs() < rounding);
                assert!((bounds.min[axis] - low[axis]).abs() < rounding);
                if far == 0.0 {
                    assert!(f64::from(local.max[axis]) >= high[axis]);
                    assert!(f64::from(local.min[axis]) <= low[axis]);
                    assert!(f64::from(local.max[axis]) <= high[axis] + 1e-6);
                }
            }
        }
    }
    let floor = Shape::half_space(Vec3::Y).world_aabb(&WorldPose::IDENTITY);
    assert_eq!(floor.max.y, f64::INFINITY);
}

/// Extents against the farthest of many surface points, inner radii against the nearest
/// face; for a half-space both are infinite.
#[test]
fn extents_reach_every_surface_point_and_inner_balls_fit() {
    let mut random = Random(4);
    for shape in shapes() {
        for center in [Vec3::ZERO, Vec3::new(0.3, -0.6, 1.2)] {
            let extent = f64::from(shape.extent_from(center));
            let mut farthest = 0.0f64;
            for _ in 0..4000 {
                let p = reach(&shape, random.in_cube().as_dvec3());
                farthest = farthest.max(p.distance(center.as_dvec3()));
            }
            assert!(farthest <= extent, "{}", shape.kind_name());
            assert!(extent <= 1.02 * farthest, "{}", shape.kind_name());
        }
        let center = shape.solid().unwrap().center;
        for _ in 0..1000 {
            let direction = random.in_cube().as_dvec3().normalize();
            let support = reach(&shape, direction) - center;
            assert!(support.dot(direction) >= f64::from(shape.inner_radius()) - 1e-12);
        }
    }
    let floor = Shape::half_space(Vec3::new(0.0, 2.0, 0.0));
    assert_eq!(floor, Shape::HalfSpace { normal: Vec3::Y });
    assert_eq!(floor.extent_from(Vec3::ZERO), f32::INFINITY);
    assert_eq!(floor.inner_radius(), f32::INFINITY);
}

/// Sizes at and beyond the limits, NaN and infinity, and normals that are not unit: each
/// refusal names the field.
#[test]
fn sizes_out_of_range_are_refused_by_field_name() {
    for shape in shapes() {
        assert_eq!(shape.check(), Ok(()));
    }
    assert_eq!(Shape::half_space(Vec3::ONE).check(), Ok(()));
    for (bad, kind) in [
        (0.0, 0),
        (-1.0, 0),
        (1e-7, 0),
        (2e7, 1),
        (f32::NAN, 2),
        (f32::INFINITY, 2),
    ] {
        let cases = [
            (Shape::sphere(bad), "radius"),
            (Shape::capsule(1.0, bad), "radius"),
            (Shape::capsule(bad, 1.0), "half_height"),
            (Shape::cube(Vec3::ONE.with_x(bad)), "half_extents.x"),
            (Shape::cube(Vec3::ONE.with_z(bad)), "half_extents.z"),
        ];
        for (shape, expected) in cases {
            let error = shape.check().unwrap_err();
            let (found, error_kind) = match &error {
                ShapeError::TooSmall { field, .. } => (*field, 0),
                ShapeError::TooLarge { field, .. } => (*field, 1),
                ShapeError::NotFinite { field, .. } => (*field, 2),
                other => panic!("{other}"),
            };
            assert_eq!((found, error_kind), (expected, kind), "{bad}");
            assert!(error.to_string().contains(expected));
        }
    }
    for normal in [Vec3::ZERO, Vec3::splat(f32::NAN), Vec3::splat(2.0)] {
        let error = Shape::HalfSpace { normal }.check().unwrap_err();
        assert!(matches!(
            error,
            ShapeError::NotUnit {
                field: "normal",
                ..
            }
        ));
    }
    for limit in [tolerance::MIN_SIZE, tolerance::MAX_SIZE] {
        assert_eq!(Shape::sphere(limit).check(), Ok(()));
    }
}

/// Shapes of every kind survive storage; a stored hull that is not convex is refused.
#[test]
fn shapes_survive_storage() {
    for shape in shapes().into_iter().chain([Shape::half_space(Vec3::Z)]) {
        let stored = serde_json::to_string(&shape).unwrap();
        assert_eq!(serde_json::from_str::<Shape>(&stored).unwrap(), shape);
    }
    let stored = serde_json::to_string(&Shape::hull(&box_corners(Vec3::ONE)).unwrap()).unwrap();
    let dented = stored.replacen("[-1.0,-1.0,-1.0]", "[0.5,0.5,0.5]", 1);
    assert_ne!(stored, dented);
    assert!(serde_json::from_str::<Shape>(&dented).is_err());
}

/// Quaternion and matrix describe the same rotation, for every branch of the conversion.
#[test]
fn a_rotation_matrix_turns_back_into_its_quaternion() {
    let mut random = Random(8);
    for round in 0..500 {
        let axis = [Vec3::X, Vec3::Y, Vec3::Z, random.in_cube()][round % 4];
        let q = rotation::from_scaled_axis(axis * (std::f32::consts::PI * random.signed()));
        let back = rotation::from_dmatrix(rotation::to_dmatrix(rotation::to_double(q)));
        let single: Quat = rotation::to_single(back);
        let cosine = single.x * q.x + single.y * q.y + single.z * q.z + single.w * q.w;
        assert!((cosine.abs() - 1.0).abs() < 1e-6);
    }
}
