//! Cylinders, cones, ellipsoids, triangles, segments and rounded shapes: every pair, judged by
//! its certificate recomputed from the shapes' own supports, and by closed forms.

use drystone_geometry::glam::{DMat3, DVec3, Vec3};
use drystone_geometry::{Frame, Separation, Shape};
use drystone_narrow_phase::{
    CollideSettings, Counters, Precision, Tracker, collide, distance, distance_tracked,
    distance_within, intersects,
};

use crate::random::Random;

/// One of each kind, of about `scale` metres.
pub(crate) fn shapes(scale: f32) -> Vec<Shape> {
    let round = |core: Shape| Shape::rounded(core, 0.15 * scale).expect("can be rounded");
    let triangle = Shape::triangle([
        Vec3::new(0.9, -0.2, 0.1) * scale,
        Vec3::new(-0.5, 0.8, 0.0) * scale,
        Vec3::new(-0.3, -0.4, 0.7) * scale,
    ]);
    let segment = Shape::segment(
        Vec3::new(0.5, -0.3, 0.8) * scale,
        Vec3::new(-0.4, 0.6, -0.2) * scale,
    );
    let corners = [
        Vec3::new(0.8, 0.0, -0.6),
        Vec3::new(-0.8, 0.0, -0.6),
        Vec3::new(0.0, 0.1, 0.9),
        Vec3::new(0.1, 0.9, 0.0),
        Vec3::new(0.0, -0.7, 0.1),
    ];
    let hull = Shape::hull(&corners.map(|c| c * scale)).expect("a solid");
    let cuboid = Shape::cube(Vec3::new(0.5, 0.3, 0.7) * scale);
    let ellipsoid = Shape::ellipsoid(Vec3::new(0.9, 0.4, 0.6) * scale);
    vec![
        Shape::sphere(0.5 * scale),
        Shape::capsule(0.6 * scale, 0.3 * scale),
        cuboid.clone(),
        hull.clone(),
        Shape::cylinder(0.7 * scale, 0.4 * scale),
        Shape::cylinder(0.1 * scale, 0.9 * scale),
        Shape::cone(0.6 * scale, 0.5 * scale),
        ellipsoid.clone(),
        triangle.clone(),
        segment.clone(),
        round(cuboid),
        round(hull),
        round(Shape::cylinder(0.5 * scale, 0.3 * scale)),
        round(Shape::cone(0.5 * scale, 0.4 * scale)),
        round(ellipsoid),
        round(triangle),
        round(segment),
        Shape::half_space(Vec3::new(0.2, 1.0, -0.1)),
    ]
}

/// The gap between supporting planes, from the shapes' own supports.
pub(crate) fn gap(a: &Shape, b: &Shape, b_in_a: &Frame, normal: DVec3) -> f64 {
    if let Shape::HalfSpace { normal: up } = b {
        let up = b_in_a.rotate(up.as_dvec3().normalize());
        let lowest = a.support(-up).0 - b_in_a.translation;
        return up.dot(lowest) - f64::from(a.core_radius());
    }
    if a.is_infinite() {
        return gap(b, a, &b_in_a.inverse(), -b_in_a.inverse_rotate(normal));
    }
    let on_a = a.support(normal).0;
    let on_b = b_in_a.transform_point(b.support(-b_in_a.inverse_rotate(normal)).0);
    (on_b - on_a).dot(normal) - f64::from(a.core_radius()) - f64::from(b.core_radius())
}

/// Largest gap that a dense set of directions, each improved by a pattern search, finds.
fn best_gap(a: &Shape, b: &Shape, b_in_a: &Frame) -> f64 {
    let mut best = (f64::NEG_INFINITY, DVec3::Y);
    let mut starts = Vec::new();
    for i in 0..100 {
        let y = 1.0 - (f64::from(i) + 0.5) / 50.0;
        let (sin, cos) = libm::sincos(2.399_963_229_728_653 * f64::from(i));
        let across = (1.0 - y * y).sqrt();
        let direction = DVec3::new(across * cos, y, across * sin);
        starts.push((gap(a, b, b_in_a, direction), direction));
    }
    starts.sort_by(|x, y| y.0.total_cmp(&x.0));
    for &start in &starts[..2] {
        let mut here = start;
        let mut step = 0.2;
        while step > 1e-7 {
            let side = here.1.any_orthonormal_vector();
            let other = here.1.cross(side);
            let mut moved = false;
            for offset in [side, -side, other, -other] {
                let direction = (here.1 + step * offset).normalize();
                let value = gap(a, b, b_in_a, direction);
                if value > here.0 {
                    here = (value, direction);
                    moved = true;
                }
            }
            if !moved {
                step *= 0.5;
            }
        }
        if here.0 > best.0 {
            best = here;
        }
    }
    best.0
}

/// Checks an answer against the shapes alone.
pub(crate) fn judge(
    a: &Shape,
    b: &Shape,
    b_in_a: &Frame,
    answer: &Separation,
    scale: f64,
    what: &str,
) {
    let Separation { lower, upper, .. } = *answer;
    let rounding = 1e-9 * scale;
    assert!(lower.is_finite() && upper.is_finite(), "{what}: {answer:?}");
    assert!(lower <= upper + rounding, "{what}: {answer:?}");
    assert!(
        (answer.normal.length() - 1.0).abs() < 1e-9,
        "{what}: {answer:?}"
    );
    let along = gap(a, b, b_in_a, answer.normal);
    assert!(
        (along - lower).abs() <= rounding || along >= lower,
        "{what}: claims {lower}, the planes say {along}"
    );
    let apart = (answer.point_b - answer.point_a).length();
    if lower > rounding {
        assert!(
            (apart - upper).abs() <= rounding,
            "{what}: witnesses {apart} {answer:?}"
        );
    }
    // Witness points lie in their shapes: no plane leaves them out.
    for i in 0..40 {
        let y = 1.0 - (f64::from(i) + 0.5) / 20.0;
        let (sin, cos) = libm::sincos(2.4 * f64::from(i));
        let across = (1.0 - y * y).sqrt();
        let direction = DVec3::new(across * cos, y, across * sin);
        let slack = 1e-5 * scale;
        if !a.is_infinite() {
            let most = a.support(direction).0.dot(direction) + f64::from(a.core_radius());
            let here = answer.point_a.dot(direction);
            assert!(here <= most + slack, "{what}: A's witness is outside");
        }
        if !b.is_infinite() {
            let local = b_in_a.inverse_transform_point(answer.point_b);
            let most = b.support(direction).0.dot(direction) + f64::from(b.core_radius());
            assert!(
                local.dot(direction) <= most + slack,
                "{what}: B's witness is outside by {}",
                local.dot(direction) - most
            );
        }
    }
}

/// Every pair of kinds at random poses, from far apart to deep, at three scales: the answer
/// proves itself, no direction found by searching gives a larger gap, and exchanging the
/// shapes exchanges the answer.
#[test]
fn every_pair_of_kinds_proves_its_answer() {
    for scale in [1e-2f32, 1.0, 1e2] {
        let shapes = shapes(scale);
        let size = f64::from(scale);
        let mut random = Random::new(71);
        for (i, a) in shapes.iter().enumerate() {
            for (j, b) in shapes.iter().enumerate() {
                if a.is_infinite() && b.is_infinite() {
                    continue;
                }
                for round in 0..2 {
                    let reach = random.between(0.0, 2.0) * size;
                    let b_in_a = Frame {
                        rotation: random.matrix(),
                        translation: random.matrix() * DVec3::new(0.0, reach, 0.0),
                    };
                    let what = format!(
                        "{} {i} {} {j} at {scale} #{round}",
                        a.kind_name(),
                        b.kind_name()
                    );
                    let answer = distance(a, b, &b_in_a);
                    judge(a, b, &b_in_a, &answer, size, &what);
                    let allowed = 4e-5 * size;
                    assert!(
                        answer.upper - answer.lower <= allowed,
                        "{what}: interval {} {answer:?}",
                        answer.upper - answer.lower
                    );
                    if !a.is_infinite() && !b.is_infinite() {
                        let best = best_gap(a, b, &b_in_a);
                        assert!(
                            answer.upper >= best - 1e-6 * size,
                            "{what}: {answer:?}, but there is a gap of {best}"
                        );
                    }
                    let back = distance(b, a, &b_in_a.inverse());
                    assert!(
                        (back.lower - answer.lower).abs() <= allowed,
                        "{what}: {} from the other side {}",
                        answer.lower,
                        back.lower
                    );
                }
            }
        }
    }
}

/// Two of each kind drift through each other with a tracker and a manifold: warm answers keep
/// the promises of cold ones, and no contact point is deeper than the depth.
#[test]
fn contacts_of_every_pair_keep_to_the_depth() {
    let shapes = shapes(1.0);
    let settings = CollideSettings::default();
    let mut random = Random::new(5);
    for (i, a) in shapes.iter().enumerate() {
        for (j, b) in shapes.iter().enumerate() {
            if a.is_infinite() && b.is_infinite() {
                continue;
            }
            let rotation = random.matrix();
            let from = random.matrix() * DVec3::new(0.0, 1.6, 0.0);
            let (mut tracker, mut warm) = (Tracker::default(), Tracker::default());
            let mut counters = Counters::default();
            let mut manifold = drystone_geometry::Manifold::EMPTY;
            for frame in 0..=40 {
                let t = f64::from(frame) / 40.0;
                let b_in_a = Frame {
                    rotation,
                    translation: from * (1.0 - 1.8 * t),
                };
                let what = format!("{} {i} {} {j} frame {frame}", a.kind_name(), b.kind_name());
                let answer = distance_tracked(a, b, &b_in_a, &mut warm, &mut counters);
                judge(a, b, &b_in_a, &answer, 1.0, &what);
                collide(
                    a,
                    b,
                    &b_in_a,
                    &settings,
                    &mut tracker,
                    &mut manifold,
                    &mut counters,
                );
                let margin = f64::from(settings.margin);
                if answer.lower > margin + 1e-3 {
                    assert!(manifold.is_empty(), "{what}: {answer:?}");
                } else if answer.upper < margin - 1e-3 {
                    assert!(!manifold.is_empty(), "{what}: {answer:?}");
                }
                for point in manifold.points() {
                    let along = gap(a, b, &b_in_a, manifold.normal.as_dvec3());
                    assert!(
                        f64::from(point.separation) >= along - 1e-4,
                        "{what}: a point at {}, planes at {along}",
                        point.separation
                    );
                }
            }
        }
    }
}

/// A ball beside a cylinder, a cone and an ellipsoid. Known by hand.
#[test]
fn balls_beside_curved_shapes_are_as_far_as_they_look() {
    let ball = Shape::sphere(0.25);
    let at = |x: f64, y: f64| Frame {
        rotation: DMat3::IDENTITY,
        translation: DVec3::new(x, y, 0.0),
    };
    let cylinder = Shape::cylinder(1.0, 0.5);
    let cone = Shape::cone(1.0, 1.5);
    let egg = Shape::ellipsoid(Vec3::new(2.0, 1.0, 1.0));
    for (shape, place, expected) in [
        (&cylinder, at(2.0, 0.3), 1.25),
        (&cylinder, at(0.1, 2.0), 0.75),
        (&cylinder, at(0.8, 1.4), 0.25),
        (&cylinder, at(0.1, 0.0), -0.65),
        (&cone, at(0.0, 2.0), 0.75),
        (&cone, at(0.0, -2.0), 0.75),
        (&cone, at(2.3, -1.6), 0.75),
        // On the axis, 0.6 from base and side: sin of the slant is 3/5, cos 4/5.
        (&cone, at(0.0, 1.0 - 2.0 * 0.5), -0.85),
        (&egg, at(3.0, 0.0), 0.75),
        (&egg, at(0.0, 0.0), -1.25),
        (&egg, at(0.0, -1.5), 0.25),
    ] {
        let answer = distance(shape, &ball, &place);
        assert!(
            (answer.distance() - expected).abs() < 1e-6 && answer.upper - answer.lower < 1e-9,
            "{} at {:?}: {answer:?}, expected {expected}",
            shape.kind_name(),
            place.translation
        );
    }
}

/// Every pair at random poses, asked for less: the interval of the full answer and the one asked
/// for overlap, the relative error is kept where there is a sign, the limit is respected, and
/// the sign alone is that of the full answer.
#[test]
fn less_precise_answers_hold_and_agree() {
    let shapes = shapes(1.0);
    let mut random = Random::new(8);
    let mut counters = Counters::default();
    for (i, a) in shapes.iter().enumerate() {
        for (j, b) in shapes.iter().enumerate() {
            for relative in [0.0, 1e-3, 0.1] {
                let b_in_a = Frame {
                    rotation: random.matrix(),
                    translation: random.between(0.0, 2.5) * random.direction(),
                };
                let what = format!("{} {i} {} {j} at {relative}", a.kind_name(), b.kind_name());
                let full = distance(a, b, &b_in_a);
                let precision = Precision {
                    limit: 0.4,
                    relative,
                };
                let found = distance_within(a, b, &b_in_a, &precision, &mut counters);
                let slack = 1e-9;
                assert!(
                    found.lower <= full.upper + slack && full.lower <= found.upper + slack,
                    "{what}: {found:?} and {full:?}"
                );
                if found.upper == f64::INFINITY {
                    assert!(found.lower > 0.4 || a.is_infinite(), "{what}: {found:?}");
                } else if found.lower.is_finite() {
                    let known = found.lower.max(-found.upper).max(0.0);
                    let width = found.upper - found.lower;
                    assert!(width <= relative * known + 4e-5, "{what}: {found:?}");
                }
                if full.distance().abs() > 1e-6 {
                    let expected = full.distance() < 0.0;
                    assert_eq!(intersects(a, b, &b_in_a), expected, "{what}: {full:?}");
                }
            }
        }
    }
}
