//! The shapes that are paired.

use drystone_geometry::Shape;
use drystone_geometry::glam::{DVec3, Vec3};

use crate::body::Body;
use crate::random::Random;

fn circle(count: usize, radius: f64, height: f64) -> impl Iterator<Item = DVec3> {
    (0..count).map(move |i| {
        let angle = std::f64::consts::TAU * i as f64 / count as f64;
        DVec3::new(radius * libm::cos(angle), height, radius * libm::sin(angle))
    })
}

/// Boxes, balls, capsules, random hulls, prisms and cones of 4 to 1000 corners, hulls of
/// slivers, from a millimetre to a kilometre; `rounds` of everything.
pub(crate) fn pool(rounds: usize) -> Vec<Body> {
    let mut random = Random::new(77);
    let mut bodies = Vec::new();
    for _ in 0..rounds {
        for scale in [1e-3, 1e-1, 1.0, 1.0, 1.0, 30.0, 1e3] {
            for _ in 0..3 {
                plain(&mut random, scale, &mut bodies);
            }
            for count in [4, 5, 6, 8, 12, 20, 32, 64, 128, 400, 1000] {
                hulls(&mut random, scale, count, &mut bodies);
            }
            for count in [5, 6, 8, 12] {
                slivers(&mut random, scale, count, &mut bodies);
            }
        }
    }
    bodies
}

fn plain(random: &mut Random, scale: f64, bodies: &mut Vec<Body>) {
    let mut length = |low: f64| (scale * random.between(low, 1.0)) as f32;
    let (radius, half_height) = (length(0.2), length(0.2));
    let sides = [
        Vec3::splat(length(0.2)),
        Vec3::new(length(0.2), length(0.2), length(0.2)),
        Vec3::new(length(0.5), 0.001 * length(0.5), length(0.5)),
        Vec3::new(0.01 * length(0.5), length(0.5), 0.01 * length(0.5)),
    ];
    bodies.push(Body::new("sphere".to_owned(), Shape::Sphere { radius }));
    let capsule = Shape::Capsule {
        half_height,
        radius: 0.5 * radius,
    };
    bodies.push(Body::new("capsule".to_owned(), capsule));
    for half_extents in sides {
        let shape = Shape::Box { half_extents };
        bodies.push(Body::new(format!("box {half_extents}"), shape));
    }
}

fn hulls(random: &mut Random, scale: f64, count: usize, bodies: &mut Vec<Body>) {
    let stretch = DVec3::new(
        random.between(0.1, 1.0),
        random.between(0.1, 1.0),
        random.between(0.1, 1.0),
    );
    let ball: Vec<DVec3> = (0..count).map(|_| stretch * random.direction()).collect();
    let sides = (count / 2).max(3);
    let (low, high) = (random.between(0.05, 1.0), random.between(0.2, 1.0));
    let prism: Vec<DVec3> = circle(sides, high, -low)
        .chain(circle(sides, high, low))
        .collect();
    let apex = DVec3::Y * high;
    let cone: Vec<DVec3> = circle(count.max(4) - 1, low, -low).chain([apex]).collect();
    for (name, points) in [("hull", ball), ("prism", prism), ("cone", cone)] {
        // Rotated corners are rounded: faces of many are flat up to that alone.
        let turned = random.matrix();
        for (way, turn) in [("", None), ("turned ", Some(turned))] {
            let place = |p: &DVec3| (scale * turn.map_or(*p, |turn| turn * *p)).as_vec3();
            let points: Vec<Vec3> = points.iter().map(place).collect();
            // Four random points may be refused for being flat.
            if let Ok(shape) = Shape::hull(&points) {
                let name = format!("{way}{name} of {count} at {scale}");
                bodies.push(Body::new(name, shape));
            }
            if name == "hull" {
                break;
            }
        }
    }
}

/// A hull with faces that bend by no more than rounding, as thin wedges have them, and one whose
/// coordinates are of all magnitudes.
fn slivers(random: &mut Random, scale: f64, count: usize, bodies: &mut Vec<Body>) {
    let width = libm::exp10(-random.between(0.0, 4.0));
    let bend = random.between(0.0, 4.0) / 16_777_216.0;
    let fold = [DVec3::ZERO, DVec3::X, 0.5 * DVec3::X - DVec3::Y];
    let sides = (3..count).map(|index| {
        let side = if index % 2 == 0 { width } else { -width };
        DVec3::new(random.between(0.0, 1.0), -bend, side)
    });
    let folded: Vec<DVec3> = fold.into_iter().chain(sides).collect();
    let mut any = || random.between(-1.0, 1.0) * libm::exp2(-random.between(0.0, 20.0));
    let odd = (0..count)
        .map(|_| DVec3::new(any(), any(), any()))
        .collect();
    for (name, points) in [("folded hull", folded), ("odd hull", odd)] {
        let points: Vec<Vec3> = points.iter().map(|p| (scale * p).as_vec3()).collect();
        // Those that come out flat are refused.
        if let Ok(shape) = Shape::hull(&points) {
            bodies.push(Body::new(format!("{name} of {count} at {scale}"), shape));
        }
    }
}
