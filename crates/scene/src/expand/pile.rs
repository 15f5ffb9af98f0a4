//! A pile of random bodies.

use std::error::Error;
use std::sync::Arc;

use drystone::Shape;
use drystone::geometry::glam::{DVec3, Quat, Vec3};
use drystone::geometry::hull::Hull;

use super::{Expander, Scope};
use crate::decode::{BodyModel, PileRule};
use crate::diagnostic::Span;
use crate::random::Random;

/// Default spacing as a ratio to the widest body: the tenth over is what bodies are moved
/// by at random, so that none can overlap.
const SPACING_RATIO: f64 = 1.1;

impl Expander<'_> {
    pub(super) fn pile(&mut self, body: &BodyModel, rule: &PileRule, scope: &Scope, span: Span) {
        // Without shapes there is a mistake already, and nothing to pile up.
        if rule.shapes.is_empty() || !self.has_room(rule.count, span) {
            return;
        }
        let widest = rule.shapes.iter().map(reach).fold(0.0, f64::max) * 2.0 * rule.scale[1];
        let spacing = rule.spacing.unwrap_or(SPACING_RATIO * widest);
        let slack = (spacing - spacing / SPACING_RATIO) / 2.0;
        let mut random = Random::new(rule.seed);
        let [nx, nz] = rule.columns;
        for number in 0..rule.count {
            let shape = &rule.shapes[random.below(rule.shapes.len())];
            let scale = rule.scale[0] + (rule.scale[1] - rule.scale[0]) * random.unit();
            let turned = if rule.turned {
                random.rotation()
            } else {
                Quat::IDENTITY
            };
            let (x, z) = (number % nx, number / nx % nz);
            let layer = number / (nx * nz);
            let grid = DVec3::new(
                x as f64 - 0.5 * (nx - 1) as f64,
                layer as f64,
                z as f64 - 0.5 * (nz - 1) as f64,
            );
            let moved = DVec3::new(random.signed(), 0.0, random.signed()) * slack;
            let name = format!("{}[{number}]", scope.prefix);
            match scaled(shape, scale as f32) {
                Ok(shape) => {
                    let place = grid * spacing + moved;
                    self.shaped(body, shape, scope, place, turned, name, span);
                }
                Err(error) => return self.sink.refusal(span, "bad-shape", error.as_ref()),
            }
        }
    }
}

/// Largest distance of a point of the shape from its origin, in metres.
fn reach(shape: &Shape) -> f64 {
    match shape {
        Shape::Sphere { radius } => f64::from(*radius),
        Shape::Capsule {
            half_height,
            radius,
        } => f64::from(*half_height) + f64::from(*radius),
        Shape::Box { half_extents } => half_extents.as_dvec3().length(),
        Shape::Hull(hull) => hull
            .vertices()
            .iter()
            .map(|v| v.as_dvec3().length())
            .fold(0.0, f64::max),
        Shape::HalfSpace { .. } | Shape::Mesh(_) | Shape::HeightField(_) => 0.0,
        other => f64::from(other.extent_from(Vec3::ZERO)),
    }
}

fn scaled(shape: &Shape, scale: f32) -> Result<Shape, Box<dyn Error>> {
    if scale == 1.0 {
        return Ok(shape.clone());
    }
    let shape = match shape {
        Shape::Sphere { radius } => Shape::Sphere {
            radius: radius * scale,
        },
        Shape::Capsule {
            half_height,
            radius,
        } => Shape::Capsule {
            half_height: half_height * scale,
            radius: radius * scale,
        },
        Shape::Box { half_extents } => Shape::Box {
            half_extents: *half_extents * scale,
        },
        Shape::Hull(hull) => {
            let points: Vec<Vec3> = hull.vertices().iter().map(|v| *v * scale).collect();
            Shape::Hull(Arc::new(Hull::new(&points)?))
        }
        Shape::Cylinder {
            half_height,
            radius,
        } => Shape::cylinder(half_height * scale, radius * scale),
        Shape::Cone {
            half_height,
            radius,
        } => Shape::cone(half_height * scale, radius * scale),
        Shape::Ellipsoid { semi_axes } => Shape::ellipsoid(*semi_axes * scale),
        Shape::Triangle { points } => Shape::triangle(points.map(|point| point * scale)),
        Shape::Segment { a, b } => Shape::segment(*a * scale, *b * scale),
        Shape::Rounded { core, radius } => Shape::Rounded {
            core: Arc::new(scaled(core, scale)?),
            radius: radius * scale,
        },
        Shape::HalfSpace { .. } | Shape::Mesh(_) | Shape::HeightField(_) => shape.clone(),
    };
    shape.check()?;
    Ok(shape)
}
