//! The order of a pair: every query works on one canonical order of its two shapes, so
//! that exchanging them exchanges the answer and nothing else.

use std::cmp::Ordering;

use drystone_geometry::glam::{DVec3, Vec3};
use drystone_geometry::{Frame, Hull, Shape};

/// Whether the canonical order of the pair is B, A.
///
/// Kinds come first, then sizes, then the side on which the other shape lies. Pairs that
/// are alike in all of this look the same from both sides.
#[inline]
pub(crate) fn is_flipped(a: &Shape, b: &Shape, b_in_a: &Frame) -> bool {
    if let (Shape::Hull(a), Shape::Hull(b)) = (a, b) {
        let order = compare_hulls(a, b);
        if order.is_ne() {
            return order.is_gt();
        }
        return compare_sides(b_in_a).is_gt();
    }
    if let (Shape::Box { half_extents: a }, Shape::Box { half_extents: b }) = (a, b)
        && a == b
    {
        return compare_sides(b_in_a).is_gt();
    }
    is_flipped_of_kinds(a, b, b_in_a)
}

/// The same whatever the shapes.
fn is_flipped_of_kinds(a: &Shape, b: &Shape, b_in_a: &Frame) -> bool {
    rank(a)
        .cmp(&rank(b))
        .then_with(|| compare_sizes(a, b))
        .then_with(|| compare_sides(b_in_a))
        .is_gt()
}

fn rank(shape: &Shape) -> u32 {
    match shape.without_rounding() {
        Shape::Sphere { .. } => 0,
        Shape::Capsule { .. } | Shape::Segment { .. } => 1,
        Shape::Box { .. } => 2,
        Shape::Hull(_) => 3,
        Shape::Triangle { .. } => 4,
        Shape::Cylinder { .. } => 5,
        Shape::Cone { .. } => 6,
        Shape::Ellipsoid { .. } | Shape::Rounded { .. } => 7,
        Shape::HalfSpace { .. } => 8,
        Shape::Mesh(_) | Shape::HeightField(_) => 9,
    }
}

fn compare_sizes(a: &Shape, b: &Shape) -> Ordering {
    let (core_a, core_b) = (a.without_rounding(), b.without_rounding());
    compare_cores(core_a, core_b).then_with(|| a.core_radius().total_cmp(&b.core_radius()))
}

fn compare_cores(a: &Shape, b: &Shape) -> Ordering {
    match (a, b) {
        (Shape::Sphere { radius: a }, Shape::Sphere { radius: b }) => a.total_cmp(b),
        (
            Shape::Capsule {
                half_height: height_a,
                radius: radius_a,
            },
            Shape::Capsule {
                half_height: height_b,
                radius: radius_b,
            },
        ) => height_a
            .total_cmp(height_b)
            .then(radius_a.total_cmp(radius_b)),
        (Shape::Box { half_extents: a }, Shape::Box { half_extents: b }) => {
            compare(a.to_array(), b.to_array())
        }
        (Shape::Triangle { points: a }, Shape::Triangle { points: b }) => {
            let flat = |points: &[Vec3; 3]| {
                let [a, b, c] = points.map(|point| point.to_array());
                [a[0], a[1], a[2], b[0], b[1], b[2], c[0], c[1], c[2]]
            };
            compare(flat(a), flat(b))
        }
        (
            Shape::Segment {
                a: start_a,
                b: end_a,
            },
            Shape::Segment {
                a: start_b,
                b: end_b,
            },
        ) => compare(start_a.to_array(), start_b.to_array())
            .then_with(|| compare(end_a.to_array(), end_b.to_array())),
        (Shape::Capsule { .. }, Shape::Segment { .. }) => Ordering::Less,
        (Shape::Segment { .. }, Shape::Capsule { .. }) => Ordering::Greater,
        (Shape::Hull(a), Shape::Hull(b)) => compare_hulls(a, b),
        _ => match (a.curved(), b.curved()) {
            (Some(a), Some(b)) => compare_doubles(a.sizes(), b.sizes()),
            _ => Ordering::Equal,
        },
    }
}

#[inline]
fn compare_hulls(a: &Hull, b: &Hull) -> Ordering {
    let (count_a, count_b) = (a.vertices().len(), b.vertices().len());
    count_a
        .cmp(&count_b)
        .then_with(|| a.fingerprint().cmp(&b.fingerprint()))
}

fn compare_doubles(a: [f64; 3], b: [f64; 3]) -> Ordering {
    a.iter()
        .zip(&b)
        .map(|(a, b)| a.total_cmp(b))
        .find(|order| order.is_ne())
        .unwrap_or(Ordering::Equal)
}

fn compare<const N: usize>(a: [f32; N], b: [f32; N]) -> Ordering {
    a.iter()
        .zip(&b)
        .map(|(a, b)| a.total_cmp(b))
        .find(|order| order.is_ne())
        .unwrap_or(Ordering::Equal)
}

/// Compares where B lies seen from A with where A lies seen from B, along the axis on
/// which they differ most; then how each is turned.
#[inline]
fn compare_sides(b_in_a: &Frame) -> Ordering {
    let forward = b_in_a.translation;
    let backward = -b_in_a.inverse_rotate(forward);
    widest(forward, backward).then_with(|| {
        let rotation = b_in_a.rotation;
        let turned = DVec3::new(
            rotation.y_axis.z - rotation.z_axis.y,
            rotation.z_axis.x - rotation.x_axis.z,
            rotation.x_axis.y - rotation.y_axis.x,
        );
        widest(turned, -turned)
    })
}

fn widest(a: DVec3, b: DVec3) -> Ordering {
    let difference = a - b;
    let mut axis = 0;
    for other in 1..3 {
        if difference[other].abs() > difference[axis].abs() {
            axis = other;
        }
    }
    // Zero of either sign is no difference.
    difference[axis]
        .partial_cmp(&0.0)
        .unwrap_or(Ordering::Equal)
}
