//! Rays at the places where parts of a shape meet, and of every length.

use drystone_geometry::Shape;
use drystone_geometry::glam::DVec3;
use drystone_narrow_phase::ray;

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
