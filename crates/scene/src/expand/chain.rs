//! A chain of links.

use drystone::geometry::glam::{Quat, Vec3};
use drystone::geometry::rotation;

use super::{End, Expander, PendingJoint, Scope, bounds, compose};
use crate::decode::{BodyModel, ChainRule, Name};
use crate::diagnostic::Span;

impl Expander<'_> {
    pub(super) fn chain(
        &mut self,
        body: &BodyModel,
        rule: &ChainRule,
        scope: &Scope,
        outer: &Scope,
        span: Span,
    ) {
        let height = bounds(&body.def).map(|(min, max)| f64::from(max.y) - f64::from(min.y));
        let Some(pitch) = rule.pitch.or(height) else {
            let message = "the links of this chain have no size";
            self.sink
                .error(span, "conflict", message, "give them a shape, or `pitch`");
            return;
        };
        if !self.has_room(rule.links, span) {
            return;
        }
        let along = rule.direction.as_dvec3();
        let is_up = rule.direction == Vec3::Y;
        let turned = if is_up {
            Quat::IDENTITY
        } else {
            rotation::between(Vec3::Y, rule.direction)
        };
        let named = |name: &Option<Name>| {
            let full = |name: &Name| format!("{}{}", outer.prefix, name.text);
            name.as_ref().map(|name| {
                End::Named(Name {
                    text: full(name),
                    span: name.span,
                })
            })
        };
        let mut before = named(&rule.start);
        for number in 0..=rule.links {
            let after = if number < rule.links {
                let place = along * (pitch * (number as f64 + 0.5)) + body.def.position;
                let turned = compose(turned, body.def.rotation);
                let name = format!("{}[{number}]", scope.prefix);
                Some(End::Index(
                    self.body(body, scope, place, turned, name, span),
                ))
            } else {
                named(&rule.end)
            };
            if let (Some(a), Some(b)) = (before, after.clone()) {
                self.pending(PendingJoint {
                    name: format!("{}[{number}]", scope.prefix),
                    name_span: span,
                    ends: [a, b],
                    kind: rule.joint.clone(),
                    anchor: Some(scope.point(along * (pitch * number as f64))),
                    axis: scope.turn(Vec3::Z.as_dvec3()).as_vec3(),
                    axis_b: None,
                    local_anchors: [None; 2],
                    local_rotations: [None; 2],
                    collide_connected: false,
                    threshold: None,
                    span,
                });
            }
            before = after;
        }
    }
}
