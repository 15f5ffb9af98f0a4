//! Poses that generic ones never hit: flush, edge to edge, corner on face, concentric, and
//! all of them a tiny step away.

use drystone_geometry::Frame;
use drystone_geometry::glam::{DMat3, DQuat, DVec3};
use drystone_geometry::rotation;

use crate::body::Body;
use crate::random::Random;

/// The rotation by `angle` about the unit `axis`.
pub(crate) fn about(axis: DVec3, angle: f64) -> DMat3 {
    let (sin, cos) = libm::sincos(0.5 * angle);
    rotation::to_dmatrix(DQuat::from_xyzw(
        axis.x * sin,
        axis.y * sin,
        axis.z * sin,
        cos,
    ))
}

/// A pose of B seen from A, of any kind, apart, touching or overlapping.
pub(crate) fn any(random: &mut Random, a: &Body, b: &Body) -> Frame {
    let size = a.extent + b.extent;
    let mut frame = match random.below(6) {
        0 => scattered(random, size),
        1 => flush(random, a, b),
        2 => edges(random, a, b),
        3 => corner_on_face(random, a, b),
        4 => concentric(random),
        _ => just_apart(random, a, b),
    };
    if random.below(5) > 0 {
        let tiny = libm::exp10(-random.between(1.0, 16.0));
        frame.translation += tiny * size * random.vector();
        if random.below(2) == 0 {
            frame.rotation = about(random.direction(), tiny) * frame.rotation;
        }
    }
    frame
}

fn scattered(random: &mut Random, size: f64) -> Frame {
    Frame {
        rotation: random.matrix(),
        translation: random.between(0.0, 1.2) * size * random.direction(),
    }
}

fn concentric(random: &mut Random) -> Frame {
    let rotation = match random.below(3) {
        0 => DMat3::IDENTITY,
        1 => DMat3::from_cols(DVec3::Y, DVec3::Z, DVec3::X),
        _ => random.matrix(),
    };
    Frame {
        rotation,
        translation: DVec3::ZERO,
    }
}

/// The rotation that takes one direction to another and is otherwise random or plain.
fn onto(random: &mut Random, from: DVec3, to: DVec3) -> DMat3 {
    let basis = |normal: DVec3| {
        let side = normal.any_orthonormal_vector();
        DMat3::from_cols(side, normal.cross(side), normal)
    };
    let turn = basis(to) * basis(from).transpose();
    if random.below(2) == 0 {
        about(to, random.between(0.0, 6.0)) * turn
    } else {
        turn
    }
}

/// A face of a body: normal and a point; any direction for a round one.
fn face(random: &mut Random, body: &Body) -> (DVec3, DVec3) {
    match body.faces.len() {
        0 => {
            let normal = random.direction();
            (normal, normal * body.reach(normal))
        }
        count => {
            let (normal, on) = body.faces[random.below(count)];
            let normal = if normal == DVec3::ZERO {
                DVec3::Y
            } else {
                normal
            };
            (normal, on)
        }
    }
}

/// Puts B on A along `normal`, touching to the last bits.
fn resting(a: &Body, b: &Body, rotation: DMat3, normal: DVec3, aside: DVec3) -> Frame {
    let height = a.reach(normal) + b.reach(-(rotation.transpose() * normal));
    Frame {
        rotation,
        translation: height * normal + aside,
    }
}

fn aside(random: &mut Random, normal: DVec3, size: f64) -> DVec3 {
    if random.below(3) == 0 {
        return DVec3::ZERO;
    }
    let away = random.between(0.0, 0.4) * size * random.direction();
    away - away.dot(normal) * normal
}

fn flush(random: &mut Random, a: &Body, b: &Body) -> Frame {
    let ((normal_a, _), (normal_b, _)) = (face(random, a), face(random, b));
    let rotation = onto(random, normal_b, -normal_a);
    let aside = aside(random, normal_a, a.extent.min(b.extent));
    resting(a, b, rotation, normal_a, aside)
}

fn edges(random: &mut Random, a: &Body, b: &Body) -> Frame {
    if a.edges.is_empty() || b.edges.is_empty() {
        return flush(random, a, b);
    }
    let [p, q] = a.edges[random.below(a.edges.len())];
    let [r, s] = b.edges[random.below(b.edges.len())];
    let (along_a, along_b) = (
        (q - p).normalize_or(DVec3::X),
        (s - r).normalize_or(DVec3::X),
    );
    let basis = |along: DVec3, middle: DVec3| {
        let out = middle - middle.dot(along) * along;
        // An edge through the origin leaves rounding alone, which is not across it.
        let out = if out.length() > 1e-3 * middle.length() {
            out.normalize()
        } else {
            along.any_orthonormal_vector()
        };
        DMat3::from_cols(along, out, along.cross(out))
    };
    let (on_a, on_b) = (basis(along_a, 0.5 * (p + q)), basis(along_b, 0.5 * (r + s)));
    let turned = DMat3::from_diagonal(DVec3::new(1.0, -1.0, -1.0));
    let rotation = on_a * turned * on_b.transpose();
    let slide = random.between(-0.5, 0.5) * (q - p);
    Frame {
        rotation,
        translation: 0.5 * (p + q) + slide - rotation * (0.5 * (r + s)),
    }
}

fn corner_on_face(random: &mut Random, a: &Body, b: &Body) -> Frame {
    let (normal, _) = face(random, a);
    let corner = b.vertices[random.below(b.vertices.len())];
    let down = corner.normalize_or(DVec3::NEG_Y);
    let rotation = onto(random, down, -normal);
    let aside = aside(random, normal, a.extent);
    resting(a, b, rotation, normal, aside)
}

/// Any rotation, with a gap or an overlap from nothing to a tenth of the size.
fn just_apart(random: &mut Random, a: &Body, b: &Body) -> Frame {
    let (normal, rotation) = (random.direction(), random.matrix());
    let gap = libm::exp10(-random.between(1.0, 12.0)) * random.signed();
    let aside = aside(random, normal, a.extent) + gap * (a.extent + b.extent) * normal;
    resting(a, b, rotation, normal, aside)
}
