//! Mass, centre and inertia against closed forms, and wholes against their parts.

use crate::oracle::{Random, fibonacci_sphere};
use drystone_geometry::glam::{DMat3, DVec3, Quat, Vec3};
use drystone_geometry::mass::{MassProperties, Solid, principal_axes};
use drystone_geometry::{BoxPolytope, Hull, Pose, Shape, rotation};

fn assert_near(found: f64, expected: f64, relative: f64) {
    let allowed = relative * expected.abs().max(f64::from(f32::MIN_POSITIVE));
    assert!(
        (found - expected).abs() <= allowed,
        "found {found}, expected {expected}"
    );
}

fn assert_tensors_near(found: DMat3, expected: DMat3, relative: f64) {
    let size = expected.x_axis.x + expected.y_axis.y + expected.z_axis.z;
    assert!(
        found.abs_diff_eq(expected, relative * size),
        "found {found}, expected {expected}"
    );
}

/// Unit sphere, unit cube, and a capsule, all from tables; the capsule also as limits: a
/// ball when its height goes to nothing, a thin rod (m L^2 / 12) when its radius does.
#[test]
fn closed_forms_agree_with_tables() {
    let sphere = Shape::sphere(2.0).mass_properties(3.0);
    let mass = 3.0 * 4.0 / 3.0 * std::f64::consts::PI * 8.0;
    assert_near(f64::from(sphere.mass), mass, 1e-6);
    assert_near(f64::from(sphere.inertia.x), 0.4 * mass * 4.0, 1e-6);

    let cube = Shape::cube(Vec3::new(0.5, 1.0, 1.5)).mass_properties(10.0);
    assert_eq!(cube.mass, 60.0);
    assert_eq!(cube.inertia, Vec3::new(65.0, 50.0, 25.0));
    assert_eq!(cube.principal_rotation, Quat::IDENTITY);

    let ball = Solid::ball(0.7);
    let short = Solid::capsule(1e-9, 0.7);
    assert_near(short.volume, ball.volume, 1e-8);
    assert_tensors_near(short.inertia, ball.inertia, 1e-8);

    let rod = Solid::capsule(1.0, 1e-5);
    assert_near(rod.inertia.x_axis.x, rod.volume * 4.0 / 12.0, 1e-4);
    assert!(Shape::half_space(Vec3::Y).mass_properties(1.0) == MassProperties::ZERO);
}

/// A capsule against a hull of many points on it: the hull is a little smaller, and gets
/// closer with the square of the spacing.
#[test]
fn a_fine_hull_of_a_capsule_weighs_what_the_capsule_does() {
    let (half_height, radius) = (0.8f32, 0.5f32);
    let points: Vec<Vec3> = fibonacci_sphere(20_000)
        .into_iter()
        .map(|p| radius * p + Vec3::new(0.0, half_height * p.y.signum(), 0.0))
        .collect();
    let hull = Hull::new(&points).unwrap();
    let exact = Solid::capsule(f64::from(half_height), f64::from(radius));
    assert_near(hull.volume(), exact.volume, 1e-3);
    assert_tensors_near(hull.solid().inertia, exact.inertia, 1e-3);
}

/// The hull of a box's corners weighs what the box does, wherever the box lies in its frame
/// and however it is turned; checked as a tensor, since principal axes may be permuted.
#[test]
fn a_box_hull_equals_the_box() {
    let mut random = Random(6);
    for round in 0..50 {
        let scale = libm::powf(10.0, 3.0 * random.signed());
        let h = scale * Vec3::new(0.3, 0.7, 1.9);
        let turn = rotation::from_scaled_axis(3.0 * random.in_cube());
        let offset = if round % 2 == 0 {
            Vec3::ZERO
        } else {
            4.0 * scale * random.in_cube()
        };
        let points: Vec<Vec3> = BoxPolytope::new(h)
            .polytope()
            .vertices
            .iter()
            .map(|&p| rotation::rotate(turn, p) + offset)
            .collect();
        let hull = Shape::hull(&points).unwrap().mass_properties(7.0);
        let cube = Shape::cube(h).mass_properties(7.0);
        let frame = rotation::to_dmatrix(rotation::to_double(turn));
        assert_near(f64::from(hull.mass), f64::from(cube.mass), 1e-5);
        assert!(hull.center.abs_diff_eq(offset, 2e-6 * scale));
        let expected = frame * cube.inertia_tensor() * frame.transpose();
        assert_tensors_near(hull.inertia_tensor(), expected, 1e-5);
        assert!(hull.is_valid());
    }
}

/// A box cut into eight smaller boxes, each turned by a quarter or half turn that keeps its
/// place, is the whole again; by the parallel axis theorem in the other direction.
#[test]
fn parts_combine_to_the_whole() {
    let h = Vec3::new(0.5, 0.8, 1.1);
    let part = Shape::cube(0.5 * h).mass_properties(100.0);
    let half_turns = [Vec3::X, Vec3::Y, Vec3::Z, Vec3::ZERO];
    let parts: Vec<(MassProperties, Pose)> = BoxPolytope::new(0.5 * h)
        .polytope()
        .vertices
        .iter()
        .enumerate()
        .map(|(i, &corner)| {
            let turn = rotation::from_scaled_axis(std::f32::consts::PI * half_turns[i % 4]);
            (
                part,
                Pose {
                    rotation: turn,
                    translation: corner + Vec3::X,
                },
            )
        })
        .collect();
    let whole = MassProperties::combine(&parts);
    let expected = Shape::cube(h).mass_properties(100.0);
    assert_near(f64::from(whole.mass), f64::from(expected.mass), 1e-6);
    assert!(whole.center.abs_diff_eq(Vec3::X, 1e-6));
    assert_tensors_near(whole.inertia_tensor(), expected.inertia_tensor(), 1e-6);
}

/// A dumbbell by hand: two balls of 1 kg-like mass on a tilted axis have the moment
/// 2 m d^2 more about the two axes across it. Parts without mass count for nothing.
#[test]
fn a_tilted_dumbbell_has_its_axis_as_a_principal_one() {
    let ball = Shape::sphere(0.1).mass_properties(1000.0);
    let (m, own) = (f64::from(ball.mass), f64::from(ball.inertia.x));
    let axis = Vec3::new(0.6, 0.0, 0.8);
    let parts = [
        (ball, Pose::from_translation(axis)),
        (ball, Pose::from_translation(-axis)),
        (
            MassProperties::ZERO,
            Pose::from_translation(Vec3::splat(1e6)),
        ),
    ];
    let whole = MassProperties::combine(&parts);
    let tensor = whole.inertia_tensor();
    let a = axis.as_dvec3();
    assert_near((tensor * a).dot(a), 2.0 * own, 1e-4);
    assert_near((tensor * DVec3::Y).y, 2.0 * own + 2.0 * m, 1e-5);
    assert!(whole.center.length() < 1e-6);
    assert_eq!(MassProperties::combine(&[]), MassProperties::ZERO);
    assert_eq!(MassProperties::combine(&parts[2..]), MassProperties::ZERO);
}

/// Eigenvectors are orthonormal and right-handed, and rebuild the matrix, for random,
/// diagonal, nearly diagonal and repeated-eigenvalue matrices at many scales.
#[test]
fn principal_axes_rebuild_the_matrix() {
    let mut random = Random(12);
    for round in 0..500 {
        let scale = libm::pow(10.0, 20.0 * f64::from(random.signed()));
        let moments = match round % 3 {
            0 => DVec3::new(1.0, 2.0, 2.5),
            1 => DVec3::new(2.0, 2.0, 1.0),
            _ => DVec3::splat(1.0),
        };
        let angle = [3.0, 1e-7, 0.0][round / 3 % 3];
        let q = rotation::from_scaled_axis(angle * random.in_cube());
        let turn = rotation::to_dmatrix(rotation::to_double(q));
        let matrix = turn * DMat3::from_diagonal(scale * moments) * turn.transpose();
        let (found, axes) = principal_axes(matrix);
        assert!((axes * axes.transpose()).abs_diff_eq(DMat3::IDENTITY, 1e-14));
        assert!((axes.determinant() - 1.0).abs() < 1e-14);
        let rebuilt = axes * DMat3::from_diagonal(found) * axes.transpose();
        assert!(
            rebuilt.abs_diff_eq(matrix, 1e-13 * scale),
            "{rebuilt} {matrix}"
        );
        if angle == 0.0 {
            assert_eq!(axes, DMat3::IDENTITY);
        }
    }
}

/// Shapes with curved or rounded surfaces, thick, thin and flat, against hulls of 20,000 points
/// on them, which are smaller by a few parts in ten thousand.
#[test]
fn fine_hulls_of_curved_and_rounded_shapes_weigh_what_the_shapes_do() {
    let round = |core: Shape, radius: f32| Shape::rounded(core, radius).unwrap();
    let wedge = Shape::hull(&[
        Vec3::new(0.0, 0.0, 0.0),
        Vec3::new(2.0, 0.1, 0.0),
        Vec3::new(0.3, 1.5, 0.2),
        Vec3::new(0.2, 0.3, 1.1),
        Vec3::new(1.5, 1.0, 0.4),
    ])
    .unwrap();
    let triangle = Shape::triangle([
        Vec3::new(1.0, 0.2, 0.1),
        Vec3::new(-0.7, 0.9, 0.3),
        Vec3::new(0.1, -0.4, 1.2),
    ]);
    let egg = Vec3::new(1.5, 0.5, 0.8);
    for shape in [
        Shape::cylinder(0.8, 0.5),
        Shape::cone(0.8, 0.5),
        Shape::ellipsoid(egg),
        round(Shape::cube(Vec3::new(0.5, 1.0, 0.2)), 0.3),
        round(wedge, 0.4),
        round(Shape::cylinder(0.3, 0.9), 0.2),
        round(Shape::cone(0.7, 0.4), 0.5),
        round(Shape::ellipsoid(egg), 0.3),
        round(triangle, 0.4),
        round(
            Shape::segment(Vec3::new(0.3, 0.2, -1.0), Vec3::new(-0.4, 1.0, 0.5)),
            0.3,
        ),
    ] {
        let points: Vec<Vec3> = fibonacci_sphere(20_000)
            .into_iter()
            .map(|p| {
                let unit = p.as_dvec3().normalize();
                (shape.support(unit).0 + f64::from(shape.core_radius()) * unit).as_vec3()
            })
            .collect();
        let hull = Hull::new(&points).unwrap();
        let exact = shape.solid().unwrap();
        assert_near(hull.volume(), exact.volume, 2e-3);
        assert!(
            hull.center().abs_diff_eq(exact.center, 2e-3),
            "{} {:?}",
            hull.center(),
            shape
        );
        assert_tensors_near(hull.solid().inertia, exact.inertia, 3e-3);
    }
}

/// Known by hand: a rounded box is the box, six slabs, twelve quarter rods and a ball; an
/// ellipsoid with equal axes and a radius is a ball; a rounded needle is a capsule.
#[test]
fn rounded_shapes_weigh_the_sum_of_their_parts() {
    let (a, b, c, r) = (0.5f64, 0.75, 0.25, 0.125);
    let pi = std::f64::consts::PI;
    let core = Shape::cube(Vec3::new(0.5, 0.75, 0.25));
    let solid = Shape::rounded(core, 0.125).unwrap().solid().unwrap();
    let parts = 8.0 * a * b * c
        + 8.0 * (a * b + b * c + c * a) * r
        + 2.0 * pi * (a + b + c) * r * r
        + 4.0 / 3.0 * pi * r * r * r;
    assert_near(solid.volume, parts, 1e-14);

    let ball = Shape::rounded(Shape::ellipsoid(Vec3::splat(0.75)), 0.5).unwrap();
    let solid = ball.solid().unwrap();
    assert_near(solid.volume, Solid::ball(1.25).volume, 1e-12);
    assert_tensors_near(solid.inertia, Solid::ball(1.25).inertia, 1e-12);

    let needle = Shape::segment(Vec3::new(0.0, -0.5, 0.0), Vec3::new(0.0, 0.5, 0.0));
    let solid = Shape::rounded(needle, 0.25).unwrap().solid().unwrap();
    assert_tensors_near(solid.inertia, Solid::capsule(0.5, 0.25).inertia, 1e-14);

    let thin = Shape::rounded(Shape::cylinder(0.5, 1e-6), 0.25).unwrap();
    let solid = thin.solid().unwrap();
    assert_tensors_near(solid.inertia, Solid::capsule(0.5, 0.25).inertia, 1e-4);
}

/// A rounded spheroid as a solid of revolution: sums of discs over the angle of the normal, whose
/// tangent is taken at even steps of its logarithm. Volume, moment about the axis and across.
fn discs(across: f64, along: f64, radius: f64) -> [f64; 3] {
    let (p, q) = (across * across, along * along);
    let (mut volume, mut axial, mut second) = (0.0, 0.0, 0.0);
    let step = 1.0 / 64.0;
    for index in -64 * 50..=64 * 50 {
        let tangent = libm::exp(step * f64::from(index));
        let cos = 1.0 / (1.0 + tangent * tangent).sqrt();
        let sin = tangent * cos;
        let height = (p * cos * cos + q * sin * sin).sqrt();
        let (r, y) = (
            p * cos / height + radius * cos,
            q * sin / height + radius * sin,
        );
        let rate = p * q * cos / (height * height * height) + radius * cos;
        // Both halves, above and below.
        let disc = 2.0 * std::f64::consts::PI * r * r * rate * (sin * cos * step);
        volume += disc;
        axial += 0.5 * disc * r * r;
        second += disc * y * y;
    }
    [volume, axial, 0.5 * axial + second]
}

/// Rounded spheroids, flat and long up to a million to one, against sums of discs; and with three
/// axes against the sum over a grid of normals that is fine enough for them.
#[test]
fn rounded_ellipsoids_weigh_what_their_discs_do() {
    for ratio in [1.0, 1.1, 5.0, 50.0, 1e3, 1e6] {
        for radius in [1e-6_f32, 1e-3, 0.3, 100.0] {
            for [across, along] in [[1.0, 1.0 / ratio], [1.0 / ratio, 1.0]] {
                let axes = DVec3::new(across, along, across).as_vec3();
                let shape = Shape::rounded(Shape::ellipsoid(axes), radius).unwrap();
                let solid = shape.solid().unwrap();
                let axes = axes.as_dvec3();
                let [volume, axial, other] = discs(axes.x, axes.y, f64::from(radius));
                assert_near(solid.volume, volume, 1e-13);
                assert_near(solid.inertia.y_axis.y, axial, 1e-13);
                assert_near(solid.inertia.x_axis.x, other, 1e-13);
                assert_near(solid.inertia.z_axis.z, other, 1e-13);
            }
        }
    }
    for axes in [Vec3::new(1.0, 0.4, 0.06), Vec3::new(0.2, 1.3, 0.7)] {
        let shape = Shape::rounded(Shape::ellipsoid(axes), 0.25).unwrap();
        let solid = shape.solid().unwrap();
        let [volume, xx, yy, zz] = grown(axes.as_dvec3(), 0.25);
        assert_near(solid.volume, volume, 1e-11);
        for (found, expected) in [
            (solid.inertia.x_axis.x, yy + zz),
            (solid.inertia.y_axis.y, zz + xx),
            (solid.inertia.z_axis.z, xx + yy),
        ] {
            assert_near(found, expected, 1e-11);
        }
    }
}

/// Volume and second moments of a rounded ellipsoid as a star around its centre: cones from the
/// centre to pieces of the surface, over the latitude and longitude of the ellipsoid's point.
fn grown(axes: DVec3, radius: f64) -> [f64; 4] {
    let point = |u: f64, v: f64| {
        let ((sin_u, cos_u), (sin_v, cos_v)) = (libm::sincos(u), libm::sincos(v));
        let on_ball = DVec3::new(sin_u * cos_v, cos_u, sin_u * sin_v);
        axes * on_ball + radius * (on_ball / axes).normalize()
    };
    let pi = std::f64::consts::PI;
    let (rings, spokes) = (600, 600);
    let mut sums = [0.0; 4];
    for ring in 0..rings {
        // A step that is smooth at both ends makes the rule exact beyond all powers.
        let s = (f64::from(ring) + 0.5) / f64::from(rings);
        let u = pi * (s - libm::sin(2.0 * pi * s) / (2.0 * pi));
        let weight = pi * (1.0 - libm::cos(2.0 * pi * s)) / f64::from(rings);
        for spoke in 0..spokes {
            let v = 2.0 * pi * f64::from(spoke) / f64::from(spokes);
            let difference = 1e-4;
            let slope = |du: f64, dv: f64| {
                let [far, near] = [2.0, 1.0]
                    .map(|k| (point(u + k * du, v + k * dv) - point(u - k * du, v - k * dv)) / k);
                (4.0 * near - far) / (6.0 * difference)
            };
            let (du, dv) = (slope(difference, 0.0), slope(0.0, difference));
            let place = point(u, v);
            let cone = place.dot(dv.cross(du)) / 3.0 * weight * 2.0 * pi / f64::from(spokes);
            let second = 0.6 * cone * place * place;
            for (sum, part) in sums.iter_mut().zip([cone, second.x, second.y, second.z]) {
                *sum += part;
            }
        }
    }
    sums
}
