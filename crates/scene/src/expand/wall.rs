//! A wall in running bond.

use drystone::Shape;
use drystone::geometry::glam::{DVec3, Quat, Vec3};

use super::{Expander, Scope};
use crate::decode::{BodyModel, WallRule};
use crate::diagnostic::Span;
use crate::random::Random;

impl Expander<'_> {
    pub(super) fn wall(&mut self, body: &BodyModel, rule: &WallRule, scope: &Scope, span: Span) {
        if !self.has_room(rule.courses.saturating_mul(rule.bricks + 1), span) {
            return;
        }
        let mut random = Random::new(rule.seed);
        let half = rule.half_extents;
        let mut number = 0;
        for course in 0..rule.courses {
            let uprights = uprights(rule, course, &mut random);
            let y = f64::from(half.y) * (2 * course + 1) as f64;
            for (index, ends) in uprights.windows(2).enumerate() {
                // Half the gap on either side, but none at the ends of the wall.
                let left = ends[0] + if index > 0 { rule.gap / 2.0 } else { 0.0 };
                let is_last = index + 2 == uprights.len();
                let right = ends[1] - if is_last { 0.0 } else { rule.gap / 2.0 };
                let half_extents = Vec3::new(((right - left) / 2.0) as f32, half.y, half.z);
                let place = DVec3::new((left + right) / 2.0, y, 0.0);
                let name = format!("{}[{number}]", scope.prefix);
                let shape = Shape::Box { half_extents };
                self.shaped(body, shape, scope, place, Quat::IDENTITY, name, span);
                number += 1;
            }
        }
    }
}

/// Where the upright joints of a course are, both ends of the wall included.
fn uprights(rule: &WallRule, course: usize, random: &mut Random) -> Vec<f64> {
    let half = f64::from(rule.half_extents.x);
    let length = 2.0 * half * rule.bricks as f64;
    let shift = if course % 2 == 1 { half } else { 0.0 };
    let mut uprights = vec![-length / 2.0];
    for index in 0..=rule.bricks {
        let x = shift + 2.0 * half * index as f64;
        if x > half / 2.0 && x < length - half / 2.0 {
            let moved = if rule.irregular > 0.0 {
                random.signed() * rule.irregular * half
            } else {
                0.0
            };
            uprights.push(x + moved - length / 2.0);
        }
    }
    uprights.push(length / 2.0);
    uprights
}
