//! A house of cards.

use drystone::Shape;
use drystone::geometry::glam::{DVec3, Quat, Vec3};
use drystone::geometry::rotation;

use super::{Expander, Scope};
use crate::decode::BodyModel;
use crate::diagnostic::Span;

impl Expander<'_> {
    /// The two cards of a pair lean on each other's inner top edge and stand on their
    /// inner bottom edges; their outer top edges, the highest, carry the deck.
    pub(super) fn card_house(
        &mut self,
        body: &BodyModel,
        half_extents: Vec3,
        base: usize,
        degrees: f64,
        scope: &Scope,
        span: Span,
    ) {
        if !self.has_room(base * (base + 2), span) {
            return;
        }
        let (sin, cos) = libm::sincos(degrees.to_radians());
        let half = half_extents.as_dvec3();
        // A card's centre is this far from the middle of its pair and above the foot: a
        // corner of the card is half its thickness and half its length away.
        let aside = half.y * sin + half.x * cos;
        let centre = half.y * cos + half.x * sin;
        // A card's own thickness of air keeps the feet of neighbouring pairs apart.
        let pitch = 4.0 * aside + 2.0 * half.x;
        let lean = crate::about_axis(Vec3::Z, -degrees);
        let card = Shape::Box { half_extents };
        let mut number = 0;
        for level in 0..base {
            let pairs = base - level;
            let foot = level as f64 * (2.0 * centre + 2.0 * half.x);
            for pair in 0..pairs {
                let middle = pitch * (pair as f64 - 0.5 * (pairs - 1) as f64);
                for (side, turned) in [(-1.0, lean), (1.0, rotation::conjugate(lean))] {
                    let place = DVec3::new(middle + side * aside, foot + centre, 0.0);
                    let name = format!("{}[{number}]", scope.prefix);
                    self.shaped(body, card.clone(), scope, place, turned, name, span);
                    number += 1;
                }
            }
            if pairs > 1 {
                let reach = 0.5 * pitch * (pairs - 1) as f64 + half.y / 2.0;
                let deck = Vec3::new(reach as f32, half_extents.x, half_extents.z);
                let place = DVec3::new(0.0, foot + 2.0 * centre + half.x, 0.0);
                let name = format!("{}/deck[{level}]", scope.prefix);
                let shape = Shape::Box { half_extents: deck };
                self.shaped(body, shape, scope, place, Quat::IDENTITY, name, span);
            }
        }
    }
}
