//! Needles, slivers and sheets up to a thousand million times as long as they are thin.

use drystone_geometry::glam::{DMat3, DVec3, Vec3};
use drystone_geometry::{Frame, Shape};
use drystone_narrow_phase::{Counters, Tracker, distance, distance_tracked};

use crate::certificate::check_at_size;
use crate::oracle::Solid;
use crate::random::Random;

/// A hull of which something is `thin` and something `long`, in metres: corners all over a box or
/// at its border, or some of them together at the origin, where `f32` tells them apart whatever
/// they are near to.
fn thin_hull(random: &mut Random, long: f64, thin: f64) -> Shape {
    loop {
        // Few of them come out flat.
        if let Ok(hull) = Shape::hull(&thin_points(random, long, thin)) {
            return hull;
        }
    }
}

fn thin_points(random: &mut Random, long: f64, thin: f64) -> Vec<Vec3> {
    let kind = random.below(6);
    let wide = match random.below(3) {
        0 => thin,
        1 => long,
        _ => thin * libm::exp10(random.between(0.0, libm::log10(long / thin))),
    };
    let (count, near) = (4 + random.below(9), 3 + random.below(4));
    // Several corners have them in common, as tiny as they come.
    let shared = [0.0; 5].map(|_| thin * random.signed() * libm::exp10(-random.between(0.0, 6.0)));
    let is_shared = random.below(2) == 0;
    let mut corner = |index: usize| {
        let [x, y, z] = random.vector().to_array();
        let mut small = |plain: f64| match random.below(6) {
            _ if !is_shared => thin * plain,
            5 => 0.0,
            choice => shared[choice],
        };
        let small = DVec3::new(small(x), small(y), small(z));
        let point = match kind {
            0 => DVec3::new(long * x, thin * y, wide * z),
            1 => DVec3::new(long * x.signum(), thin * y.signum(), wide * z),
            2 => DVec3::new(long * (x + 1.0), thin * y, wide * z),
            3 if index >= near => DVec3::new(-long * x.abs(), small.y, small.z),
            4 if index >= near => long * random.direction(),
            5 if index >= near => DVec3::new(long * x, small.y, long * z),
            _ => small,
        };
        let flattened = [
            DVec3::new(1.0, 0.0, 1.0),
            DVec3::new(1.0, 1.0, 0.0),
            DVec3::ONE,
        ];
        (point * flattened[random.below(6).min(2)]).as_vec3()
    };
    (0..count).map(&mut corner).collect()
}

/// What a thin hull is near to.
fn neighbour(random: &mut Random, long: f64, thin: f64) -> Shape {
    let mut length = || {
        let power = random.between(libm::log10(thin), libm::log10(long));
        libm::exp10(power) as f32
    };
    let [x, y, z] = [length(), length(), length()];
    match random.below(5) {
        0 => Shape::Sphere { radius: x },
        1 => Shape::Capsule {
            half_height: x,
            radius: thin as f32,
        },
        2 | 3 => Shape::Box {
            half_extents: Vec3::new(x, y, z),
        },
        _ => thin_hull(random, long, thin),
    }
}

fn turn(random: &mut Random) -> DMat3 {
    match random.below(3) {
        0 => DMat3::IDENTITY,
        1 => DMat3::from_cols(DVec3::Y, DVec3::Z, DVec3::X),
        _ => random.matrix(),
    }
}

/// A corner of a solid, or a point of an edge or a triangle, often next to a corner of it.
fn place(random: &mut Random, solid: &Solid) -> DVec3 {
    let corners = &solid.vertices;
    let mut place = corners[random.below(corners.len())];
    let (edges, triangles) = (&solid.edges, &solid.triangles);
    let feature: &[usize] = match random.below(3) {
        0 if !edges.is_empty() => &edges[random.below(edges.len())],
        1 if !triangles.is_empty() => &triangles[random.below(triangles.len())],
        _ => &[],
    };
    for &corner in feature {
        let share = match random.below(2) {
            0 => random.between(0.0, 1.0),
            _ => libm::exp10(-random.between(0.0, 12.0)),
        };
        place += share * (corners[corner] - place);
    }
    place
}

/// B anywhere at A, in one half of all cases a gap away from it.
fn anywhere(random: &mut Random, [a, b]: [&Shape; 2], long: f64, thin: f64) -> Frame {
    let mut frame = Frame {
        rotation: turn(random),
        translation: DVec3::ZERO,
    };
    let on_a = place(random, &Solid::new(a, &Frame::IDENTITY));
    let on_b = place(random, &Solid::new(b, &frame));
    let gap = match random.below(2) {
        0 => thin * libm::exp10(random.between(-4.0, 2.0)),
        _ => long * libm::exp10(random.between(-17.0, 0.0)),
    };
    frame.translation = match random.below(4) {
        0 => DVec3::ZERO,
        1 => on_a - on_b,
        _ => on_a - on_b + gap * random.direction(),
    };
    if random.below(2) == 0 {
        let answer = distance(a, b, &frame);
        frame.translation += (gap - answer.lower) * answer.normal;
    }
    frame
}

/// B beside the end of an edge of A, farther along it than the end, or less far, by as little as
/// numbers tell.
fn beside_end(random: &mut Random, [a, b]: [&Shape; 2], thin: f64) -> Frame {
    let Shape::Hull(hull) = a else {
        unreachable!("A is a hull");
    };
    let polytope = hull.polytope();
    let half_edge = random.below(polytope.half_edges.len()) as u32;
    let sides = [half_edge, half_edge ^ 1];
    let ends = sides.map(|side| polytope.position(polytope.origin(side)));
    let along = (ends[1] - ends[0]).normalize();
    let [left, right] = sides.map(|side| {
        let face = polytope.half_edges[side as usize].face;
        polytope.faces[face as usize].normal
    });
    let outward = left.lerp(right, random.between(0.0, 1.0)).normalize();
    let lean = libm::exp10(-random.between(0.0, 18.0)).copysign(random.signed());
    let gap = thin * libm::exp10(random.between(-4.0, 2.0));
    let mut frame = Frame {
        rotation: turn(random),
        translation: DVec3::ZERO,
    };
    // B's corner that is lowest comes there, so that nothing of B is below it.
    let corners = Solid::new(b, &frame).vertices;
    let lower = |v: &DVec3, w: &DVec3| v.dot(outward).total_cmp(&w.dot(outward));
    let lowest = corners.into_iter().min_by(lower);
    frame.translation =
        ends[0] + gap * (outward + lean * along) - lowest.expect("a solid has a corner");
    frame
}

/// Hulls of aspects from 1e3 to 1e9 beside balls, capsules, boxes and each other: the two bounds
/// meet to one part in 10^11 of the size and follow from the corners, seen from either shape,
/// cold and tracked. The size is that of all coordinates that take part.
#[test]
fn bounds_of_thin_hulls_meet() {
    let (mut apart, mut counters) = (0, Counters::default());
    for seed in 0..2500 {
        let random = &mut Random::new(seed);
        let long = libm::exp10(random.between(-3.0, 4.0));
        let thin = long * libm::exp10(-random.between(3.0, 9.0));
        let (a, b) = (thin_hull(random, long, thin), neighbour(random, long, thin));
        let mut frame = match random.below(2) {
            0 => anywhere(random, [&a, &b], long, thin),
            _ => beside_end(random, [&a, &b], thin),
        };
        let extents = [&a, &b].map(|shape| Solid::new(shape, &Frame::IDENTITY).extent());
        let mut tracker = Tracker::default();
        for step in 0..4 {
            let size = extents[0] + extents[1] + frame.translation.length();
            let check = |shapes: (&Shape, &Shape), frame: &Frame, answer, way: &str| {
                let what = format!("seed {seed}, step {step}, {way}");
                check_at_size(shapes, frame, &answer, (1e-12, size), &what);
            };
            let cold = distance(&a, &b, &frame);
            let back = frame.inverse();
            let tracked = distance_tracked(&a, &b, &frame, &mut tracker, &mut counters);
            check((&a, &b), &frame, cold, "cold");
            check((&b, &a), &back, distance(&b, &a, &back), "from B");
            check((&a, &b), &frame, tracked, "tracked");
            apart += u32::from(cold.lower > 0.0);
            let creep = libm::exp10(-random.between(0.0, 9.0)) * thin.max(cold.upper.abs());
            frame.translation += creep * random.vector();
        }
    }
    assert!(apart > 4000 && apart < 8000, "{apart} of 10,000 are apart");
    assert!(counters.held > 1000 && counters.epa > 100, "{counters:?}");
}

/// A ball, a capsule or a box beside the end of a long edge, where rounding decides whether the
/// corner or the edge is nearest: a walk does not go to and fro between them.
#[test]
fn walks_come_to_an_end_beside_the_ends_of_long_edges() {
    let (mut apart, mut lost) = (0, 0);
    for seed in 0..4000 {
        let random = &mut Random::new(seed);
        let long = libm::exp10(random.between(-3.0, 4.0));
        let thin = long * libm::exp10(-random.between(3.0, 9.0));
        let (a, b) = (thin_hull(random, long, thin), neighbour(random, long, thin));
        let frame = beside_end(random, [&a, &b], thin);
        let (mut tracker, mut counters) = (Tracker::default(), Counters::default());
        let answer = distance_tracked(&a, &b, &frame, &mut tracker, &mut counters);
        let extents = [&a, &b].map(|shape| Solid::new(shape, &Frame::IDENTITY).extent());
        let size = extents[0] + extents[1] + frame.translation.length();
        if answer.lower > 1e-11 * size {
            apart += 1;
            lost += u32::from(counters.walk_steps >= 20);
        }
    }
    assert!(
        apart > 2000 && 100 * lost <= apart,
        "{lost} of {apart} walks"
    );
}
