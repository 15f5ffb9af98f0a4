//! Rises: what rolls in a bowl of triangles is carried by the one it comes to.
//!
//! A contact holds for a whole step, in which a ball moves on along the plane of the triangle it is on.
//! In a bowl that leads below the next one. What the next step then lifts out again is energy for
//! nothing, and the more of it the longer a step and the finer the bowl. So such a contact acts with
//! the plane of the triangle under the ball at the end of its way, which lies below the surface
//! everywhere before.

use drystone_geometry::Shape;
use drystone_narrow_phase::Tracker;
use drystone_solver::Contact;

use super::surface::Passage;
use super::{Probe, probe};
use crate::continuous::Pair;
use crate::tolerance::{GRAZE_ALIKE, GRAZE_TURN_SINE_SQ};

impl Passage<'_> {
    /// The contact for this step of a ball that comes to a triangle which rises from the one it is on.
    pub(super) fn risen(&self) -> Option<Contact> {
        let Self {
            graze,
            contact,
            side,
            ..
        } = self;
        let Shape::Sphere { radius } = graze.shapes[1 - side].shape else {
            return None;
        };
        let [point] = contact.points() else {
            return None;
        };
        let sweeps = graze.ways()?;
        let at_end = f64::from(graze.settings.dt / graze.horizon());
        let center = |time: f64| {
            let [surface, ball] = [*side, 1 - side].map(|side| sweeps[side].motion.at(time));
            surface.inverse_transform_point(ball.translation)
        };
        let (start, end) = (center(0.0), center(at_end));
        let reach = f64::from(radius) + f64::from(graze.margin());
        let hit = self.surface.closest(end, reach)?;
        let turned_sq = hit.normal.cross(self.normal).length_squared();
        let gap = hit.distance - f64::from(radius);
        let on_plane = f64::from(point.separation) + self.normal.dot(end - start);
        if turned_sq < GRAZE_TURN_SINE_SQ || gap >= on_plane {
            return None;
        }
        let triangle = self.triangle(hit.triangle);
        let graze = self.past(&triangle);
        let sweeps = graze.ways()?;
        let at: Probe = probe(&sweeps, &mut Tracker::default(), at_end);
        let is_alike = at.normal.dot(contact.normal.as_dvec3()) >= GRAZE_ALIKE;
        if !is_alike || self.leans_into_rise(hit.triangle, &sweeps, &at) {
            return None;
        }
        let pair = Pair {
            shapes: graze.shapes,
            sweeps: [&sweeps[0], &sweeps[1]],
            simd: graze.settings.simd,
        };
        let (risen, _) = pair.contact_at(at_end, at.gap, contact, &mut Tracker::default());
        (risen.count > 0).then_some(risen)
    }
}
