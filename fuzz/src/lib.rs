//! From bytes to shapes, poses and motions, and the judge of what comes back.
#![forbid(unsafe_code)]

#[path = "../../crates/narrow-phase/tests/accuracy/body.rs"]
#[allow(dead_code)]
mod body;
mod solid;

use arbitrary::{Result, Unstructured};
use drystone_geometry::glam::{DQuat, DVec3, Vec3};
use drystone_geometry::{Frame, Separation, Shape, rotation};

use body::{Body, gap};

pub use solid::{Solid, judge_solid, solid};

/// In radians, 5 degrees: how far off a face may be that is level with crossing edges.
const LEVEL: f64 = 0.0873;

/// A shape as plain lists of corners, edges and faces.
pub struct Known(Body);

impl Known {
    /// What is known of a shape.
    pub fn new(shape: &Shape) -> Self {
        Self(Body::new(String::new(), shape.clone()))
    }

    /// Largest distance of a point from the origin.
    pub fn extent(&self) -> f64 {
        self.0.extent
    }

    /// The gap to `other` along a unit normal, by looking at all corners.
    pub fn gap(&self, other: &Self, other_in_self: &Frame, normal: DVec3) -> f64 {
        gap(&self.0, &other.0, other_in_self, normal)
    }
}

/// A number that is small, round, tiny, huge or anything, but finite and within `limit`.
pub fn number(bytes: &mut Unstructured<'_>, limit: f64) -> Result<f64> {
    let small = f64::from(bytes.arbitrary::<i8>()?);
    Ok(match bytes.int_in_range(0..=5)? {
        0 | 1 => small / 16.0,
        2 => small,
        3 => small * libm_exp2(-f64::from(bytes.int_in_range(0..=50)?)),
        4 => small / 16.0 + f64::from(bytes.arbitrary::<i8>()?) * f64::EPSILON,
        _ => {
            let any = f64::from(bytes.arbitrary::<f32>()?);
            if any.is_finite() { any } else { 0.5 }
        }
    }
    .clamp(-limit, limit))
}

/// Two to a whole power.
fn libm_exp2(power: f64) -> f64 {
    f64::from_bits(((1023.0 + power) as u64) << 52)
}

/// A vector of such numbers.
pub fn vector(bytes: &mut Unstructured<'_>, limit: f64) -> Result<DVec3> {
    Ok(DVec3::new(
        number(bytes, limit)?,
        number(bytes, limit)?,
        number(bytes, limit)?,
    ))
}

/// A length above zero, from a micrometre to `limit`.
fn length(bytes: &mut Unstructured<'_>, limit: f64) -> Result<f32> {
    let length = number(bytes, limit)?.abs().max(1e-6);
    Ok(length as f32)
}

/// Points of a hull; many of them share coordinates.
pub fn points(bytes: &mut Unstructured<'_>) -> Result<Vec<Vec3>> {
    let count = bytes.int_in_range(4..=40)?;
    let scale = [1.0, 1e-3, 1e3][bytes.int_in_range(0..=2)?];
    let is_grid = bytes.arbitrary::<bool>()?;
    let mut points = Vec::with_capacity(count);
    for _ in 0..count {
        let point = if is_grid {
            let whole: [i8; 3] = bytes.arbitrary()?;
            Vec3::from_array(whole.map(|x| f32::from(x % 8)))
        } else {
            vector(bytes, 1e4)?.as_vec3()
        };
        points.push(point * scale);
    }
    Ok(points)
}

/// Any bounded convex shape.
pub fn shape(bytes: &mut Unstructured<'_>) -> Result<Shape> {
    Ok(match bytes.int_in_range(0..=5)? {
        0 => Shape::Sphere {
            radius: length(bytes, 1e3)?,
        },
        1 => Shape::Capsule {
            half_height: length(bytes, 1e3)?,
            radius: length(bytes, 1e3)?,
        },
        2 => Shape::Box {
            half_extents: Vec3::new(
                length(bytes, 1e3)?,
                length(bytes, 1e3)?,
                length(bytes, 1e3)?,
            ),
        },
        _ => Shape::hull(&points(bytes)?).map_err(|_| arbitrary::Error::IncorrectFormat)?,
    })
}

/// A rotation: none, a quarter turn, a tiny one, or any.
pub fn turn(bytes: &mut Unstructured<'_>) -> Result<DQuat> {
    let half = std::f64::consts::FRAC_1_SQRT_2;
    let [x, y, z, w] = match bytes.int_in_range(0..=3)? {
        0 => [0.0, 0.0, 0.0, 1.0],
        1 => [
            [half, 0.0, 0.0, half],
            [0.0, half, 0.0, half],
            [0.0, 0.0, half, half],
            [0.5, 0.5, 0.5, 0.5],
        ][bytes.int_in_range(0..=3)?],
        2 => {
            let v = vector(bytes, 1.0)? * 1e-3;
            [v.x, v.y, v.z, 1.0]
        }
        _ => {
            let v = vector(bytes, 8.0)?;
            [v.x, v.y, v.z, number(bytes, 8.0)?]
        }
    };
    let length = (x * x + y * y + z * z + w * w).sqrt();
    if !(length > 1e-6) {
        return Ok(DQuat::IDENTITY);
    }
    let [x, y, z, w] = [x, y, z, w].map(|part| part / length);
    Ok(DQuat::from_xyzw(x, y, z, w))
}

/// A pose.
pub fn pose(bytes: &mut Unstructured<'_>) -> Result<Frame> {
    Ok(Frame {
        rotation: rotation::to_dmatrix(turn(bytes)?),
        translation: vector(bytes, 1e4)?,
    })
}

/// Moves B, whose size with A's is `reach`: anywhere, by a turn, a bit aside, until the shapes that
/// are as far apart as `apart` says touch, along their normal, or not at all.
pub fn move_on(
    bytes: &mut Unstructured<'_>,
    frame: &mut Frame,
    reach: f64,
    apart: &Separation,
) -> Result<()> {
    match bytes.int_in_range(0..=5)? {
        0 => *frame = pose(bytes)?,
        1 => frame.rotation = rotation::to_dmatrix(turn(bytes)?) * frame.rotation,
        2 => frame.translation += 1e-3 * reach * vector(bytes, 8.0)?,
        3 => frame.translation -= apart.normal * apart.distance(),
        4 => frame.translation += apart.normal * number(bytes, 1.0)? * 0.1 * reach,
        _ => {}
    }
    Ok(())
}

/// Fails unless both witnesses lie in their shapes; the farther is `outside` by so much.
fn judge_witnesses(outside: f64, size: f64, answer: &Separation) {
    assert!(
        outside <= 1e-8 * size,
        "off its shape by {outside}: {answer:?}"
    );
}

/// Fails unless the answer proves itself: both bounds follow from all corners, and no face
/// of either shape shows a wider gap than the upper one.
pub fn judge(Known(a): &Known, Known(b): &Known, b_in_a: &Frame, answer: &Separation) {
    // Rounding grows with the coordinates that take part.
    let size = a.extent + b.extent + b_in_a.translation.length();
    let slack = 1e-11 * size;
    assert!(answer.lower <= answer.upper, "{answer:?}");
    assert!((answer.normal.length() - 1.0).abs() < 1e-9, "{answer:?}");
    assert!(answer.upper - answer.lower <= slack, "width: {answer:?}");
    let recomputed = gap(a, b, b_in_a, answer.normal);
    assert!(
        (recomputed - answer.lower).abs() <= slack,
        "{recomputed} {answer:?}"
    );
    if answer.lower > slack {
        let apart = answer.point_a.distance(answer.point_b);
        assert!((apart - answer.upper).abs() <= slack, "{apart} {answer:?}");
    }
    let on_b = b_in_a.rotation.transpose() * (answer.point_b - b_in_a.translation);
    let outside = a.outside(answer.point_a).max(b.outside(on_b));
    judge_witnesses(outside, size, answer);
    let normals_a = a.faces.iter().map(|(normal, _)| *normal);
    let normals_b = b
        .faces
        .iter()
        .map(|(normal, _)| -(b_in_a.rotation * *normal));
    for normal in normals_a.chain(normals_b).filter(|n| n.is_normalized()) {
        let wider = gap(a, b, b_in_a, normal);
        assert!(
            wider <= answer.upper + slack,
            "{wider} along {normal}: {answer:?}"
        );
    }
}

/// Directions that are level with a normal: the one asked about, if it is, and others all around,
/// as a pebble on the axis of a long capsule is equally deep in all directions across it.
pub fn level_with(normal: DVec3, asked: DVec3) -> impl Iterator<Item = DVec3> {
    let sides = normal.any_orthonormal_pair();
    let around = (1..=5).flat_map(move |ring| {
        (0..16).map(move |place| {
            let (sin, cos) = (f64::from(place) * std::f64::consts::TAU / 16.0).sin_cos();
            let aside = cos * sides.0 + sin * sides.1;
            (normal + 0.2 * f64::from(ring) * LEVEL * aside).normalize()
        })
    });
    let is_level = normal.dot(asked) >= 1.0 - 0.5 * LEVEL * LEVEL;
    around.chain(is_level.then_some(asked))
}
