//! Parts: the further contacts of a pair that touches in several planes.

use drystone_narrow_phase::Outcome;

use crate::World;
use crate::bend::{bend, half_turn, is_curved};
use crate::hang::hang;
use crate::record::{NONE, ShapeRecord};
use crate::renew::refresh;

impl World {
    /// Gives each further manifold of a pair a contact of its own, or takes it away.
    pub(crate) fn update_parts(&mut self, whole: u32) {
        let Some(mut surface) = self.contacts.surfaces[whole as usize].take() else {
            return;
        };
        let count = surface.memory.manifolds().len().saturating_sub(1);
        let parts = count.max(surface.parts.len());
        surface.parts.resize(parts, NONE);
        let [a, b] = self.contacts.links[whole as usize].shapes;
        let frame_a = self.frame_of(&self.shapes[a as usize]);
        let rung = self.contacts.states[whole as usize].rung;
        let belt = self.contacts.solver[whole as usize].tangent_velocity;
        let bodies = self.contacts.links[whole as usize].bodies;
        let pushed = bodies.map(|body| self.is_pushed(body));
        let movers = bodies.map(|body| self.awake_body(body));
        let turn = half_turn(movers, self.settings.dt);
        let is_pushed = |shape: &ShapeRecord| pushed[usize::from(shape.body == bodies[1])];
        for (number, part) in surface.parts.iter_mut().enumerate() {
            let manifold = surface.memory.manifold(number + 1);
            if manifold.is_empty() {
                if *part != NONE {
                    self.delete_part(*part);
                    *part = NONE;
                }
                continue;
            }
            if *part == NONE {
                *part = self.create_part(whole);
            }
            let i = *part as usize;
            let shapes = [a, b].map(|shape| &self.shapes[shape as usize]);
            self.contacts.manifolds[i] = *manifold;
            self.contacts.states[i].rung = rung;
            let frames = &shapes.map(|shape| self.frame_of(shape));
            let frames = frames.each_ref();
            let contact = &mut self.contacts.solver[i];
            refresh(contact, manifold, Outcome { rung }, shapes);
            if is_curved(&shapes[0].shape) || is_curved(&shapes[1].shape) {
                bend(contact, manifold, None, shapes, frames, turn);
            }
            hang(contact, manifold, None, shapes, frames, is_pushed);
            contact.normal = frame_a.rotate(manifold.normal.as_dvec3()).as_vec3();
            contact.tangent_velocity = belt;
            self.stats.constraints += 1;
            self.stats.points += contact.count as usize;
            if !self.contacts.states[i].constrained {
                self.constrain(*part);
            }
        }
        surface.parts.truncate(count);
        self.contacts.surfaces[whole as usize] = Some(surface);
    }
}
