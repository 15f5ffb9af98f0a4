//! What a judge outside knows of curved shapes: how far they reach, in closed form.

use arbitrary::{Result, Unstructured};
use drystone_geometry::glam::{DVec3, Vec3};
use drystone_geometry::{Frame, Separation, Shape};
use drystone_narrow_phase::Counters;

use super::{length, points, vector};

/// Directions that a search for a wider gap starts from.
const STARTS: u32 = 40;

/// Most moves of such a search.
const MOVES: u32 = 200;

/// A shape by how far it reaches.
pub struct Solid {
    kind: Kind,
    radius: f64,
}

enum Kind {
    Points(Vec<DVec3>),
    Cylinder(f64, f64),
    Cone(f64, f64),
    Ellipsoid(DVec3),
}

impl Solid {
    /// What is known of a shape. Not for half-spaces and surfaces.
    pub fn new(shape: &Shape) -> Self {
        let mut radius = 0.0;
        let kind = match shape {
            Shape::Rounded { core, radius: r } => {
                radius = f64::from(*r);
                Self::new(core).kind
            }
            Shape::Sphere { radius: r } => {
                radius = f64::from(*r);
                Kind::Points(vec![DVec3::ZERO])
            }
            Shape::Capsule {
                half_height,
                radius: r,
            } => {
                radius = f64::from(*r);
                let end = DVec3::Y * f64::from(*half_height);
                Kind::Points(vec![end, -end])
            }
            Shape::Box { half_extents } => {
                let half = half_extents.as_dvec3();
                let corner = |i: u32| {
                    let sign = |bit: u32| if i & bit == 0 { 1.0 } else { -1.0 };
                    half * DVec3::new(sign(1), sign(2), sign(4))
                };
                Kind::Points((0..8).map(corner).collect())
            }
            Shape::Hull(hull) => {
                let corners = hull.polytope().vertices;
                Kind::Points(corners.iter().map(|v| v.as_dvec3()).collect())
            }
            Shape::Triangle { points } => {
                Kind::Points(points.iter().map(|p| p.as_dvec3()).collect())
            }
            Shape::Segment { a, b } => Kind::Points(vec![a.as_dvec3(), b.as_dvec3()]),
            Shape::Cylinder {
                half_height,
                radius,
            } => Kind::Cylinder(f64::from(*half_height), f64::from(*radius)),
            Shape::Cone {
                half_height,
                radius,
            } => Kind::Cone(f64::from(*half_height), f64::from(*radius)),
            Shape::Ellipsoid { semi_axes } => Kind::Ellipsoid(semi_axes.as_dvec3()),
            _ => unreachable!("bounded convex shapes alone are made"),
        };
        Self { kind, radius }
    }

    /// Largest distance of a point from the origin.
    pub fn extent(&self) -> f64 {
        let core = match &self.kind {
            Kind::Points(points) => points.iter().map(|v| v.length()).fold(0.0, f64::max),
            Kind::Cylinder(h, r) | Kind::Cone(h, r) => h.hypot(*r),
            Kind::Ellipsoid(axes) => axes.max_element(),
        };
        core + self.radius
    }

    /// How far the farthest point lies along a unit direction.
    pub fn reach(&self, d: DVec3) -> f64 {
        let across = (d.x * d.x + d.z * d.z).sqrt();
        let core = match &self.kind {
            Kind::Points(points) => points
                .iter()
                .map(|v| v.dot(d))
                .fold(f64::NEG_INFINITY, f64::max),
            Kind::Cylinder(h, r) => h * d.y.abs() + r * across,
            Kind::Cone(h, r) => (h * d.y).max(r * across - h * d.y),
            Kind::Ellipsoid(axes) => (*axes * d).length(),
        };
        core + self.radius
    }

    /// The gap between the supporting planes along a unit normal.
    pub fn gap(&self, other: &Self, other_in_self: &Frame, normal: DVec3) -> f64 {
        let inward = -(other_in_self.rotation.transpose() * normal);
        normal.dot(other_in_self.translation) - other.reach(inward) - self.reach(normal)
    }

    /// How far a point lies outside: the widest gap to it that is found.
    pub fn outside(&self, point: DVec3) -> f64 {
        best(
            |d| point.dot(d) - self.reach(d),
            point.normalize_or(DVec3::Y),
        )
        .max(0.0)
    }
}

/// The greatest value over unit directions that a pattern search finds.
fn best(value: impl Fn(DVec3) -> f64, likely: DVec3) -> f64 {
    let mut starts = vec![(value(likely), likely)];
    for i in 0..STARTS {
        let y = 1.0 - (2.0 * f64::from(i) + 1.0) / f64::from(STARTS);
        let (sin, cos) = (2.399_963_229_728_653 * f64::from(i)).sin_cos();
        let across = (1.0 - y * y).sqrt();
        let direction = DVec3::new(across * cos, y, across * sin);
        starts.push((value(direction), direction));
    }
    starts[1..].sort_by(|x, y| y.0.total_cmp(&x.0));
    let mut top = f64::NEG_INFINITY;
    for &(mut here, mut direction) in &starts[..3] {
        let mut step = 0.3;
        for _ in 0..MOVES {
            if step < 1e-9 {
                break;
            }
            let side = direction.any_orthonormal_vector();
            let other = direction.cross(side);
            let mut has_moved = false;
            for offset in [side, -side, other, -other] {
                let there = (direction + step * offset).normalize();
                let found = value(there);
                if found > here {
                    (here, direction, has_moved) = (found, there, true);
                }
            }
            if !has_moved {
                step *= 0.4;
            }
        }
        top = top.max(here);
    }
    top
}

/// Any bounded convex shape, curved, flat and rounded ones among them.
pub fn solid(bytes: &mut Unstructured<'_>) -> Result<Shape> {
    let mut shape = core(bytes)?;
    if bytes.ratio(1, 4)? {
        let radius = length(bytes, 1e3)?;
        shape = Shape::rounded(shape, radius).map_err(|_| arbitrary::Error::IncorrectFormat)?;
    }
    match shape.check() {
        Ok(()) => Ok(shape),
        Err(_) => Err(arbitrary::Error::IncorrectFormat),
    }
}

fn core(bytes: &mut Unstructured<'_>) -> Result<Shape> {
    let side = |bytes: &mut Unstructured<'_>| length(bytes, 1e3);
    let corner = |bytes: &mut Unstructured<'_>| Ok(vector(bytes, 1e3)?.as_vec3());
    Ok(match bytes.int_in_range(0..=10)? {
        0 => Shape::sphere(side(bytes)?),
        1 => Shape::capsule(side(bytes)?, side(bytes)?),
        2 => Shape::cube(Vec3::new(side(bytes)?, side(bytes)?, side(bytes)?)),
        3 | 4 => Shape::cylinder(side(bytes)?, side(bytes)?),
        5 => Shape::cone(side(bytes)?, side(bytes)?),
        6 | 7 => Shape::ellipsoid(Vec3::new(side(bytes)?, side(bytes)?, side(bytes)?)),
        8 => Shape::triangle([corner(bytes)?, corner(bytes)?, corner(bytes)?]),
        9 => Shape::segment(corner(bytes)?, corner(bytes)?),
        _ => Shape::hull(&points(bytes)?).map_err(|_| arbitrary::Error::IncorrectFormat)?,
    })
}

/// Fails unless the answer proves itself: the lower bound is the gap along the normal, no
/// direction shows a wider gap than the upper one, and the witnesses lie in their shapes.
pub fn judge_solid(a: &Solid, b: &Solid, b_in_a: &Frame, answer: &Separation, asked: &Counters) {
    let size = a.extent() + b.extent() + b_in_a.translation.length();
    let slack = 1e-11 * size;
    assert!(answer.lower <= answer.upper + slack, "{answer:?}");
    assert!((answer.normal.length() - 1.0).abs() < 1e-9, "{answer:?}");
    let width = answer.upper - answer.lower;
    // What ran out of steps says so, and keeps its bounds.
    let has_ended = asked.gjk_exhausted + asked.epa_exhausted == 0;
    let allowed = if answer.lower > 0.0 { 1e-9 } else { 1e-7 };
    assert!(
        width <= allowed * size || !has_ended,
        "width {} of the size: {answer:?}",
        width / size
    );
    let recomputed = a.gap(b, b_in_a, answer.normal);
    assert!(
        recomputed >= answer.lower - slack,
        "{recomputed} {answer:?}"
    );
    let widest = best(|d| a.gap(b, b_in_a, d), answer.normal);
    assert!(widest <= answer.upper + slack, "{widest}: {answer:?}");
    if answer.lower > slack {
        let apart = answer.point_a.distance(answer.point_b);
        assert!((apart - answer.upper).abs() <= slack, "{apart} {answer:?}");
    }
    let on_b = b_in_a.rotation.transpose() * (answer.point_b - b_in_a.translation);
    let outside = a.outside(answer.point_a).max(b.outside(on_b));
    super::judge_witnesses(outside, size, answer);
}
