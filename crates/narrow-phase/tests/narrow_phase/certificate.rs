//! The certificate of an answer, recomputed from outside by linear scans.

use drystone_geometry::{Frame, Separation, Shape};

use crate::oracle::{Solid, gap};

/// Fails unless both bounds of `answer` follow from the shapes, within `rounding` times
/// their size.
pub(crate) fn check(
    a: &Shape,
    b: &Shape,
    b_in_a: &Frame,
    answer: &Separation,
    rounding: f64,
    what: &str,
) {
    let extents = Solid::new(a, &Frame::IDENTITY).extent() + Solid::new(b, b_in_a).extent();
    check_at_size((a, b), b_in_a, answer, (rounding, extents), what);
}

/// [`check`] with a size in metres, where rounding is that of coordinates which cancel as well.
pub(crate) fn check_at_size(
    (a, b): (&Shape, &Shape),
    b_in_a: &Frame,
    answer: &Separation,
    (rounding, size): (f64, f64),
    what: &str,
) {
    let (on_a, on_b) = (Solid::new(a, &Frame::IDENTITY), Solid::new(b, b_in_a));
    let slack = rounding * size;
    assert!(
        (answer.normal.length() - 1.0).abs() <= 1e-12,
        "{what}: normal {}",
        answer.normal
    );
    assert!(answer.lower <= answer.upper, "{what}: {answer:?}");
    let recomputed = gap(&on_a, &on_b, answer.normal);
    assert!(
        (answer.lower - recomputed).abs() <= slack,
        "{what}: lower {} but the gap along the normal is {recomputed}",
        answer.lower
    );
    if answer.upper > slack {
        let distance = answer.point_a.distance(answer.point_b);
        assert!(
            (distance - answer.upper).abs() <= slack,
            "{what}: upper {} but the witnesses are {distance} apart",
            answer.upper
        );
        // Each in its own frame: turned corners of slivers are not those of the shape.
        let on_b = b_in_a.inverse_transform_point(answer.point_b);
        for (shape, point) in [(a, answer.point_a), (b, on_b)] {
            let outside = distance_outside(&Solid::new(shape, &Frame::IDENTITY), point);
            assert!(
                outside <= slack,
                "{what}: a witness is {outside} off its shape"
            );
        }
    }
    assert!(
        answer.upper - answer.lower <= 1e-11 * size,
        "{what}: bounds {} and {} at size {size}",
        answer.lower,
        answer.upper
    );
}

/// How far a point lies outside a rounded core, at least; zero inside.
fn distance_outside(solid: &Solid, point: drystone_geometry::glam::DVec3) -> f64 {
    if solid.triangles.is_empty() {
        let (first, last) = (solid.vertices[0], solid.vertices[solid.vertices.len() - 1]);
        let along = last - first;
        let t = if along.length() > 0.0 {
            ((point - first).dot(along) / along.length_squared()).clamp(0.0, 1.0)
        } else {
            0.0
        };
        return (point.distance(first + t * along) - solid.radius).max(0.0);
    }
    let center = solid
        .vertices
        .iter()
        .copied()
        .sum::<drystone_geometry::glam::DVec3>()
        / solid.vertices.len() as f64;
    solid.triangles.iter().fold(0.0, |outside, triangle| {
        let [p, q, r] = triangle.map(|v| solid.vertices[v]);
        let longest = (q - p).length().max((r - p).length());
        let normal = (q - p).cross(r - p);
        // The normal of a sliver is off by rounding over its height: what is far away along the
        // plane seems to be off it by as much.
        let turn = 4.0 * f64::EPSILON * longest * longest / normal.length();
        let normal = normal.normalize_or_zero();
        let height = normal.dot(center - p);
        if height.abs() <= turn * (center - p).length() {
            return outside;
        }
        let above = (point - p).dot(-normal * height.signum());
        f64::max(outside, above - turn * (point - p).length() - solid.radius)
    })
}

/// The gap between the supporting planes along `normal`, by linear scan.
pub(crate) fn gap_along(
    a: &Shape,
    b: &Shape,
    b_in_a: &Frame,
    normal: drystone_geometry::glam::DVec3,
) -> f64 {
    let lowest = |solid: &Solid, n: drystone_geometry::glam::DVec3| {
        solid
            .vertices
            .iter()
            .map(|v| v.dot(n))
            .fold(f64::INFINITY, f64::min)
            - solid.radius
    };
    match (a, b) {
        (_, Shape::HalfSpace { .. }) => {
            let up = -normal;
            lowest(&Solid::new(a, &Frame::IDENTITY), up) - up.dot(b_in_a.translation)
        }
        _ => gap(
            &Solid::new(a, &Frame::IDENTITY),
            &Solid::new(b, b_in_a),
            normal,
        ),
    }
}
