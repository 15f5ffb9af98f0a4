//! Rays at the places where parts of a shape meet, and of every length.

use std::sync::Arc;

use drystone_geometry::glam::{DVec3, Vec2, Vec3};
use drystone_geometry::mesh::MeshOptions;
use drystone_geometry::{HeightField, Shape, TriangleMesh};
use drystone_narrow_phase::{RayHit, ray};

use crate::curved::shapes;
use crate::random::Random;

/// Rays from outside at the seams of a capsule and at the rest of it. Known by hand: the normal
/// comes from the nearest point of the axis. At the seams it was that of a plane inside.
#[test]
fn the_normal_at_the_seam_of_a_capsule_is_that_of_its_side() {
    let (half_height, radius) = (0.5, 0.25);
    let shape = Shape::capsule(half_height as f32, radius as f32);
    let on_seam = ray(
        &shape,
        DVec3::new(1.25, 1.5, 0.0),
        DVec3::new(-1.0, -1.0, 0.0),
        10.0,
    );
    let normal = on_seam.expect("the seam").normal;
    assert!(normal.abs_diff_eq(DVec3::X, 1e-12), "{normal}");
    let mut random = Random::new(11);
    for number in 0..4000 {
        let mut out = random.direction();
        let height = match number % 4 {
            0 => {
                out.y = 0.0;
                half_height
            }
            1 => {
                out.y = 0.0;
                -half_height
            }
            2 => {
                out.y = 0.0;
                half_height * random.signed()
            }
            _ => half_height.copysign(out.y),
        };
        let out = out.normalize();
        let target = DVec3::new(0.0, height, 0.0) + radius * out;
        let lean = random.direction();
        let way = lean * lean.dot(out).signum() + 0.05 * out;
        let hit = ray(&shape, target + 2.0 * way, -way, 10.0).expect("the target");
        assert!((hit.fraction - 2.0).abs() < 1e-6, "{number}: {hit:?}");
        assert!(
            hit.normal.abs_diff_eq(out, 1e-6),
            "{number}: {hit:?}, not {out}"
        );
    }
}

/// Rays at corners and at edges of hulls, most of which only graze them: the normal faces the
/// ray, and all of the hull lies behind its plane at the point, as the definition of a normal
/// cone says.
#[test]
fn normals_at_corners_and_edges_of_hulls_face_the_ray() {
    let mut random = Random::new(12);
    let mut hits = 0;
    for number in 0..6000 {
        let shape = random.hull(1.0, 30);
        let Shape::Hull(hull) = &shape else {
            panic!("no hull");
        };
        let edge = 2 * random.below(hull.half_edges().len() / 2);
        let [from, to] = [edge, edge + 1].map(|half_edge| {
            let corner = hull.half_edges()[half_edge].origin;
            hull.vertices()[corner as usize].as_dvec3()
        });
        let target = if number % 2 == 0 {
            from
        } else {
            from.lerp(to, random.between(0.0, 1.0))
        };
        let origin = 3.0 * random.direction();
        let direction = target - origin;
        let Some(hit) = ray(&shape, origin, direction, f64::INFINITY) else {
            continue;
        };
        hits += 1;
        let lean = hit.normal.dot(direction);
        assert!(lean <= 0.0, "{number}: leans by {lean}, {hit:?}");
        assert!((hit.normal.length() - 1.0).abs() < 1e-9, "{number}");
        for corner in hull.vertices() {
            let beyond = hit.normal.dot(corner.as_dvec3() - hit.point);
            assert!(
                beyond < 1e-6,
                "{number}: {corner} is {beyond} beyond, {hit:?}"
            );
        }
    }
    assert!(hits > 4000, "{hits} hits");
}

/// Rays that graze every kind of shape at its farthest point across the ray: those that meet it
/// do so with a normal that does not point along them.
#[test]
fn normals_of_grazed_shapes_face_the_ray() {
    let mut random = Random::new(13);
    for shape in shapes(1.0) {
        if shape.is_infinite() {
            continue;
        }
        for number in 0..300 {
            let (direction, across) = (random.direction(), random.direction());
            let across = (across - across.dot(direction) * direction).normalize();
            let edge = shape.support(across).0 + f64::from(shape.core_radius()) * across;
            let inward = [0.0, 1e-16, 1e-12, 1e-8][number % 4] * across;
            let origin = edge - inward - 4.0 * direction;
            if let Some(hit) = ray(&shape, origin, direction, 10.0) {
                let lean = hit.normal.dot(direction);
                assert!(lean <= 0.0, "{} #{number}: {lean}", shape.kind_name());
            }
        }
    }
}

/// The same rays with directions of 2^-1060 to 2^1020 times the length: all but the fraction is
/// the same to the last bit, and the fraction is to that power.
#[test]
fn the_length_of_a_direction_scales_the_fraction_and_nothing_else() {
    let mut random = Random::new(14);
    let grid: Vec<Vec3> = (0..9)
        .map(|i| {
            Vec3::new(
                (i % 3) as f32 - 1.0,
                0.1 * (i % 2) as f32,
                (i / 3) as f32 - 1.0,
            )
        })
        .collect();
    let triangles = [
        [0, 3, 1],
        [1, 3, 4],
        [1, 4, 2],
        [2, 4, 5],
        [3, 6, 4],
        [4, 6, 7],
    ];
    let mesh = TriangleMesh::new(&grid, &triangles, MeshOptions::default()).expect("a mesh");
    let heights = grid.iter().map(|corner| corner.y).collect();
    let cell = Vec2::new(1.0, 0.75);
    let field = HeightField::new((3, 3), heights, cell, Vec3::new(-1.0, 0.0, -0.75));
    let mut all = shapes(1.0);
    all.push(Shape::Mesh(Arc::new(mesh)));
    all.push(Shape::HeightField(Arc::new(field.expect("a field"))));
    for shape in all {
        let mut hits = 0;
        for number in 0..40 {
            // Few digits, so that the smallest are exact as well.
            let origin = 4.0 * random.direction();
            let aim = if number % 4 == 0 { 0.0 } else { 0.5 } * random.vector();
            let direction = ((aim - origin) * 8.0).round() / 8.0;
            let what = format!("{} #{number}", shape.kind_name());
            let plain = ray(&shape, origin, direction, f64::INFINITY);
            hits += usize::from(plain.is_some());
            for power in [-1060, -600, -535, -60, -1, 40, 100, 512, 1020] {
                let scaled = direction.map(|part| libm::scalbn(part, power));
                let hit = ray(&shape, origin, scaled, f64::INFINITY);
                let expected = plain.map(|hit| RayHit {
                    fraction: libm::scalbn(hit.fraction, -power),
                    ..hit
                });
                assert_eq!(hit, expected, "{what}, 2^{power}");
            }
            if let Some(plain) = plain.filter(|hit| hit.fraction > 0.0) {
                let far = libm::scalbn(1.01 * plain.fraction, 600);
                let scaled = direction.map(|part| libm::scalbn(part, -600));
                assert!(ray(&shape, origin, scaled, far).is_some(), "{what}");
                assert!(ray(&shape, origin, scaled, 0.98 * far).is_none(), "{what}");
            }
        }
        let is_met = !matches!(shape, Shape::Segment { .. });
        assert_eq!(hits > 0, is_met, "{}: {hits} hits", shape.kind_name());
    }
}

/// Level rays past and through cones from 10 micrometres to 1,000 km, with directions from 1e-20 m
/// to 1,000 km. Known by hand: the cone is a circle at that height.
#[test]
fn level_rays_meet_a_cone_as_a_circle() {
    let mut random = Random::new(15);
    for size in [1e-5_f32, 1.0, 1e6] {
        let shape = Shape::cone(size, size);
        let size = f64::from(size);
        for number in 0..400 {
            let height = random.signed();
            let circle = 0.5 * (1.0 - height);
            let aside = random.between(0.0, 1.2);
            let length = [1e-20, 1e-9, 1.0, 1e6][number % 4];
            let origin = size * DVec3::new(aside, height, -1.5);
            let hit = ray(&shape, origin, length * DVec3::Z, f64::INFINITY);
            let what = format!("size {size} #{number}: {hit:?}");
            assert_eq!(hit.is_some(), aside < circle, "{what}");
            if let Some(hit) = hit {
                let way = 1.5 - (circle * circle - aside * aside).sqrt();
                let off = hit.fraction * length / size - way;
                assert!(!hit.is_inside && off.abs() < 1e-8, "{what}");
            }
        }
    }
}

/// Rays along the axis of cones, thin as foil and long as needles, from inside, above and below.
/// Known by hand: a cone is as wide as what is left to its tip. One on the axis runs along the
/// double root of its equation, which rounding made none, and left a flat cone through its middle.
#[test]
fn rays_along_the_axis_of_a_cone() {
    let mut random = Random::new(16);
    for number in 0..4000 {
        let radius = libm::exp10(random.between(-2.0, 2.0)) as f32;
        let half_height = radius * libm::exp10(random.between(-6.0, 3.0)) as f32;
        let shape = Shape::cone(half_height, radius);
        let (half, wide) = (f64::from(half_height), f64::from(radius));
        let aside = [0.0, random.between(0.0, 1.1)][number % 2];
        let height = random.between(-1.5, 1.5);
        let up = 1f64.copysign(random.signed());
        let length = libm::exp10(random.between(-3.0, 3.0));
        let origin = DVec3::new(0.6 * aside * wide, height * half, 0.8 * aside * wide);
        let hit = ray(&shape, origin, length * up * DVec3::Y, f64::INFINITY);
        let what = format!("#{number} {shape:?} from {origin}, {up}: {hit:?}");
        let surface = 1.0 - 2.0 * aside;
        let is_over = height > surface;
        if (height + 1.0).abs() < 1e-9 || (height - surface).abs() < 1e-9 {
            continue;
        }
        let way = match (up > 0.0, height < -1.0) {
            _ if surface <= -1.0 => None,
            (true, true) => Some(-1.0 - height),
            (false, false) if is_over => Some(height - surface),
            _ => (height > -1.0 && !is_over).then_some(0.0),
        };
        assert_eq!(hit.is_some(), way.is_some(), "{what}, {way:?}");
        if let (Some(hit), Some(way)) = (hit, way) {
            let off = hit.fraction * length / half - way;
            assert!(off.abs() < 1e-8, "{what}, {way}");
            assert_eq!(hit.is_inside, way == 0.0, "{what}");
        }
    }
}
