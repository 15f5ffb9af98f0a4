//! Hits: contacts that begin with speed. The speed is that before the solver takes it away.

use drystone_geometry::glam::{DVec3, Vec3};
use drystone_geometry::rotation;
use drystone_solver::{Body, STATIC_SLOT};

use crate::World;
use crate::contacts::{CHUNK, CHUNKS_PER_MICROSECOND, ones};
use crate::events::HitEvent;

/// What is about to hit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Approach {
    /// Stands for the pair.
    contact: u32,
    /// The contact itself, or the part of it that has the fastest point.
    part: u32,
    /// Of the fastest point, along the normal, in m/s.
    speed: f32,
    /// What takes that speed away there, in N s.
    impulse: f32,
    /// Where it meets the other body, in the world, in metres.
    point: DVec3,
}

impl World {
    /// Notes the contacts that do not touch yet and approach fast enough, in contact order.
    pub(crate) fn note_approaches(&mut self) {
        self.approaches.clear();
        if self.settings.hit_speed == f32::INFINITY {
            return;
        }
        let mut reports = std::mem::take(&mut self.chunk_reports);
        let world = &*self;
        let chunks = world.contacts.states.chunks(CHUNK);
        let awake = &world.contacts.awake_in_chunk;
        let work = reports.iter_mut().zip(awake).zip(chunks);
        let workers = self.workers.worth(work.len() / CHUNKS_PER_MICROSECOND);
        workers.for_each(work, |chunk, ((report, awake), states)| {
            report.approaches.clear();
            if *awake == 0 {
                return;
            }
            let mut new = 0;
            for i in ones(!report.idle, states.len()) {
                let (id, state) = (chunk * CHUNK + i, &states[i]);
                let is_new = state.awake && !state.touching && !state.is_part;
                let is_whole = report.whole >> i & 1 == 1;
                if is_new && world.contacts.may_have_points(id, is_whole) {
                    new |= 1 << i;
                }
            }
            world.fetch_new(chunk * CHUNK, new);
            for i in ones(new, states.len()) {
                let (id, is_whole) = (chunk * CHUNK + i, report.whole >> i & 1 == 1);
                let mut fastest: Option<Approach> = None;
                for part in world.contacts.with_parts(id as u32, is_whole) {
                    if world.contacts.states[part as usize].constrained {
                        world.find_faster(id as u32, part, &mut fastest);
                    }
                }
                report.approaches.extend(fastest);
            }
        });
        for report in &reports {
            self.approaches.extend_from_slice(&report.approaches);
        }
        self.chunk_reports = reports;
    }

    /// Reads what is about to be asked of the contacts from `first` on whose bits are set: reads that
    /// do not wait for each other take little longer than one of them.
    fn fetch_new(&self, first: usize, bits: u64) {
        let mut all = 0;
        for i in ones(bits, CHUNK) {
            let contact = &self.contacts.solver[first + i];
            for body in [contact.body_a, contact.body_b] {
                let read = |body: &Body| body.center.x.to_bits() ^ body.lean.x.to_bits() as u64;
                all ^= self.awake_body(body).map_or(0, read);
            }
            all ^= contact.anchors[0].a.x.to_bits() as u64;
        }
        std::hint::black_box(all);
    }

    /// The hit of a contact that begins to touch, if it came fast enough.
    pub(crate) fn hit_event(&self, id: u32) -> Option<HitEvent> {
        let found = (self.approaches).binary_search_by_key(&id, |approach| approach.contact);
        let Approach {
            part,
            speed,
            impulse,
            point,
            ..
        } = self.approaches[found.ok()?];
        let contact = &self.contacts.solver[part as usize];
        let [a, b] = self.contacts.links[id as usize].shapes;
        let [a, b] = [a, b].map(|shape| &self.shapes[shape as usize]);
        Some(HitEvent {
            shape_a: a.key,
            shape_b: b.key,
            body_a: self.bodies[a.body as usize].key,
            body_b: self.bodies[b.body as usize].key,
            point,
            normal: contact.normal,
            speed,
            impulse,
        })
    }

    /// Replaces `fastest` by the fastest point of one part of a contact, if that is faster, and fast
    /// enough for a hit.
    fn find_faster(&self, id: u32, part: u32, fastest: &mut Option<Approach>) {
        let contact = &self.contacts.solver[part as usize];
        // Records of shapes and bodies are not asked where moving states tell all: each may be far
        // away.
        let [a, b] = [contact.body_a, contact.body_b].map(|body| self.awake_body(body));
        let place_on = |body: Option<&Body>, side: usize, anchor: Vec3| match body {
            Some(body) => body.center + rotation::rotate(body.rotation, anchor).as_dvec3(),
            None => {
                let shape = self.contacts.links[id as usize].shapes[side];
                self.anchor_in_world(&self.shapes[shape as usize], anchor)
            }
        };
        for anchors in contact.anchors() {
            let place = place_on(a, 0, anchors.a);
            let velocity_a = velocity_at(a, place);
            let velocity = velocity_at(b, place) - velocity_a;
            let speed = -velocity.dot(contact.normal);
            let is_fast = speed >= self.settings.hit_speed;
            if is_fast && fastest.is_none_or(|fastest| speed > fastest.speed) {
                let give = give(a, place, contact.normal) + give(b, place, contact.normal);
                // Both come to the point where they meet, by the way that is left between them.
                let offset = (place_on(b, 1, anchors.b) - place).as_vec3();
                let gap = offset.dot(contact.normal).max(0.0);
                let time = (gap / speed).min(self.settings.dt);
                let aside = 0.5 * (offset + velocity * time);
                let point = place + (velocity_a * time + aside).as_dvec3();
                *fastest = Some(Approach {
                    contact: id,
                    part,
                    speed,
                    impulse: if give > 0.0 {
                        speed * (1.0 + contact.restitution) / give
                    } else {
                        0.0
                    },
                    point,
                });
            }
        }
    }

    /// The moving state of a body, if it is awake.
    pub(crate) fn awake_body(&self, body: u32) -> Option<&Body> {
        let slot = self.slot_of[body as usize];
        (slot & STATIC_SLOT == 0).then(|| &self.awake[slot as usize])
    }
}

/// Velocity at a point of the world, in m/s; zero of what is not awake.
pub(crate) fn velocity_at(body: Option<&Body>, point: DVec3) -> Vec3 {
    body.map_or(Vec3::ZERO, |body| {
        let arm = (point - body.center).as_vec3();
        body.linear_velocity + body.angular_velocity.cross(arm)
    })
}

/// By how much an impulse of 1 N s along `normal` at a point changes the speed there along it, in
/// m/s.
fn give(body: Option<&Body>, point: DVec3, normal: Vec3) -> f32 {
    body.map_or(0.0, |body| {
        let lever = (point - body.center).as_vec3().cross(normal);
        let axes = rotation::multiply(body.rotation, body.principal_rotation);
        let local = rotation::rotate_inverse(axes, lever);
        body.inverse_mass + local.dot(local * body.inverse_inertia)
    })
}
