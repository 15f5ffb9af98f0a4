//! Pyramids.

use drystone::geometry::glam::DVec3;

use super::{Expander, Scope, bounds};
use crate::decode::BodyModel;
use crate::diagnostic::Span;

impl Expander<'_> {
    /// Adds the template, moved by its own place in the pattern.
    pub(super) fn repeat(
        &mut self,
        body: &BodyModel,
        scope: &Scope,
        place: DVec3,
        name: String,
        span: Span,
    ) -> usize {
        let (position, rotation) = (place + body.def.position, body.def.rotation);
        self.body(body, scope, position, rotation, name, span)
    }

    pub(super) fn pyramid(
        &mut self,
        body: &BodyModel,
        [base, rows]: [usize; 2],
        step: Option<[f64; 2]>,
        scope: &Scope,
        span: Span,
    ) {
        let Some((step, foot)) = self.step(body, step.map(|[x, y]| DVec3::new(x, y, 0.0)), span)
        else {
            return;
        };
        if !self.has_room(base * (base + 1) / 2, span) {
            return;
        }
        let mut number = 0;
        for row in 0..rows {
            for column in 0..base - row {
                // Half the row's length left of the middle, half a body back to its centre.
                let x = 0.5 * (row + 1) as f64 + column as f64 - 0.5 * base as f64;
                let place = DVec3::new(step.x * x, foot + step.y * row as f64, 0.0);
                self.repeat(
                    body,
                    scope,
                    place,
                    format!("{}[{number}]", scope.prefix),
                    span,
                );
                number += 1;
            }
        }
    }

    pub(super) fn square_pyramid(
        &mut self,
        body: &BodyModel,
        base: usize,
        step: Option<DVec3>,
        scope: &Scope,
        span: Span,
    ) {
        let Some((step, foot)) = self.step(body, step, span) else {
            return;
        };
        if !self.has_room(base * (base + 1) * (2 * base + 1) / 6, span) {
            return;
        }
        let mut number = 0;
        for layer in 0..base {
            let middle = 0.5 * (base - layer - 1) as f64;
            for z in 0..base - layer {
                for x in 0..base - layer {
                    let steps = DVec3::new(x as f64 - middle, layer as f64, z as f64 - middle);
                    let place = step * steps + DVec3::Y * foot;
                    self.repeat(
                        body,
                        scope,
                        place,
                        format!("{}[{number}]", scope.prefix),
                        span,
                    );
                    number += 1;
                }
            }
        }
    }

    /// The step, by default the size of the body, and how high the body's origin is above
    /// its lowest point.
    fn step(&self, body: &BodyModel, given: Option<DVec3>, span: Span) -> Option<(DVec3, f64)> {
        let Some((min, max)) = bounds(&body.def) else {
            let message = "the bodies of this pattern have no size";
            self.sink
                .error(span, "conflict", message, "give them a shape that ends");
            return None;
        };
        let size = max.as_dvec3() - min.as_dvec3();
        Some((given.unwrap_or(size), -f64::from(min.y)))
    }
}
