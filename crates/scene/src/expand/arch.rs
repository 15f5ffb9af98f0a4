//! A masonry arch of wedge stones.

use std::sync::Arc;

use drystone::geometry::glam::{DVec3, Quat, Vec3};
use drystone::geometry::hull::Hull;
use drystone::{BodyKind, Shape};

use super::{Expander, Scope};
use crate::decode::{ArchRule, BodyModel};
use crate::diagnostic::Span;

impl Expander<'_> {
    pub(super) fn arch(&mut self, body: &BodyModel, rule: &ArchRule, scope: &Scope, span: Span) {
        if !self.has_room(rule.stones + 2, span) {
            return;
        }
        let angle = rule.degrees.to_radians();
        let each = angle / rule.stones as f64;
        let start = (std::f64::consts::PI - angle) / 2.0;
        for number in 0..rule.stones {
            let from = start + each * number as f64;
            let name = format!("{}[{number}]", scope.prefix);
            self.stone(body, rule, from, from + each, scope, name, span);
        }
        if rule.springers {
            let mut fixed = body.clone();
            fixed.def.kind = BodyKind::Static;
            fixed.def.linear_velocity = Vec3::ZERO;
            fixed.def.angular_velocity = Vec3::ZERO;
            fixed.def.asleep = false;
            let end = start + angle;
            let (right, left) = (
                format!("{}/right", scope.prefix),
                format!("{}/left", scope.prefix),
            );
            self.stone(&fixed, rule, start - each, start, scope, right, span);
            self.stone(&fixed, rule, end, end + each, scope, left, span);
        }
    }

    /// A stone between two angles. Its joints are shared with its neighbours to rounding:
    /// the corners are computed once from the angles, then seen from the stone's middle.
    fn stone(
        &mut self,
        body: &BodyModel,
        rule: &ArchRule,
        from: f64,
        to: f64,
        scope: &Scope,
        name: String,
        span: Span,
    ) {
        let half = rule.thickness / 2.0;
        let mut corners = Vec::with_capacity(8);
        for angle in [from, to] {
            let (sin, cos) = libm::sincos(angle);
            for radius in [rule.radius - half, rule.radius + half] {
                for z in [-rule.depth / 2.0, rule.depth / 2.0] {
                    corners.push(DVec3::new(radius * cos, radius * sin, z));
                }
            }
        }
        let middle = corners.iter().sum::<DVec3>() / corners.len() as f64;
        let points: Vec<Vec3> = corners
            .iter()
            .map(|corner| (*corner - middle).as_vec3())
            .collect();
        match Hull::new(&points) {
            Ok(hull) => {
                let shape = Shape::Hull(Arc::new(hull));
                self.shaped(body, shape, scope, middle, Quat::IDENTITY, name, span);
            }
            Err(error) => self.sink.refusal(span, "bad-hull", &error),
        }
    }
}
