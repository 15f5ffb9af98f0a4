//! Stage 1: the broad phase says which boxes met or parted; contacts come and go.

use std::sync::atomic::{AtomicBool, Ordering};

use drystone_broad_phase::Pair;
use drystone_geometry::Shape;
use drystone_narrow_phase::Guard;
use drystone_solver::{ConstraintId, Contact, NO_BODY};

use crate::World;
use crate::contacts::{CHUNK, Chunk, Links, SOUGHT, Sought, ones};
use crate::def::BodyKind;
use crate::hooks::Hooks;
use crate::record::{BodyRecord, NONE, Place, ShapeRecord};
use crate::renew::anchors_of;
use crate::stats::Stopwatch;

/// Contacts of which the columns are filled in a microsecond, about.
const BEGUN_PER_MICROSECOND: usize = 10;

/// Pairs that the pair set takes over in a microsecond, about.
const ENTERED_PER_MICROSECOND: usize = 10;

impl World {
    /// Brings the contacts up to date with the boxes.
    pub(crate) fn update_pairs<H: Hooks>(&mut self, hooks: &mut H) {
        self.broad.find_changes(&self.workers);
        let changes = self.broad.changes();
        let (removed, added) = (changes.removed.to_vec(), changes.added.to_vec());
        if removed.is_empty() && added.is_empty() && self.asking.is_empty() {
            self.broad.enter_changes();
            return;
        }
        let parted = self.contacts_of_pairs(&removed);
        let owners = self.owners_of_pairs(&added);
        let mut watch = Stopwatch::start();
        let workers = (self.workers).worth(added.len() / ENTERED_PER_MICROSECOND);
        // To take it away leaves an empty one, which is not made for nothing.
        let mut broad = (workers.count() > 1).then(|| std::mem::take(&mut self.broad));
        let mut met = Vec::with_capacity(added.len());
        let exchange = || {
            self.delete_all(&parted);
            for (pair, owners) in added.iter().zip(owners) {
                let shapes = [pair.a, pair.b];
                met.push(self.contacts.enter(&mut self.bodies, shapes, owners));
            }
        };
        workers.both(exchange, || {
            if let Some(broad) = &mut broad {
                broad.enter_changes();
            }
        });
        match broad {
            Some(broad) => self.broad = broad,
            None => self.broad.enter_changes(),
        }
        self.stats.times.serial += watch.lap();
        self.begin_contacts(&met);
        watch.lap();
        for id in met {
            self.ask(id, hooks);
        }
        self.answer_again(hooks);
        self.stats.times.serial += watch.lap();
    }

    /// Removes contacts; [`NONE`] is not one.
    fn delete_all(&mut self, ids: &[u32]) {
        for ids in ids.chunks(SOUGHT) {
            self.contacts.fetch(ids);
            for &id in ids.iter().filter(|id| **id != NONE) {
                self.delete_contact(id);
            }
        }
    }

    /// The bodies of pairs of shapes.
    fn owners_of_pairs(&self, pairs: &[Pair]) -> Vec<[u32; 2]> {
        let mut owners = vec![[NONE; 2]; pairs.len()];
        let work = owners.chunks_mut(SOUGHT).zip(pairs.chunks(SOUGHT));
        self.workers.for_each(work, |_, (owners, pairs)| {
            for (owners, pair) in owners.iter_mut().zip(pairs) {
                *owners = [pair.a, pair.b].map(|shape| self.shapes[shape as usize].body);
            }
        });
        owners
    }

    /// Fills the columns of contacts that are in the lists of their bodies.
    fn begin_contacts(&mut self, ids: &[u32]) {
        if ids.is_empty() {
            return;
        }
        let mut new = vec![0_u64; self.contacts.links.len().div_ceil(CHUNK)];
        for &id in ids {
            new[id as usize / CHUNK] |= 1 << (id as usize % CHUNK);
        }
        let mut contacts = std::mem::take(&mut self.contacts);
        let world = &*self;
        let is_special = AtomicBool::new(false);
        let workers = world.workers.worth(ids.len() / BEGUN_PER_MICROSECOND);
        let work = contacts.chunks().zip(&new);
        workers.for_each(work, |_, (mut chunk, new)| {
            for place in ones(*new, chunk.links.len()) {
                if world.begin_contact(&mut chunk, place) {
                    is_special.store(true, Ordering::Relaxed);
                }
            }
        });
        self.contacts = contacts;
        if is_special.into_inner() {
            for &id in ids {
                self.note_special(id);
            }
        }
    }

    /// Fills the columns of a contact; returns whether it is [special](Self::note_special).
    fn begin_contact(&self, chunk: &mut Chunk<'_>, place: usize) -> bool {
        let Links {
            shapes,
            bodies: owners,
            ..
        } = chunk.links[place];
        let [a, b] = shapes.map(|shape| &self.shapes[shape as usize]);
        chunk.begin(place, self.new_contact(a, b));
        if a.shape.surface().is_some() != b.shape.surface().is_some() {
            chunk.surfaces[place] = Some(Box::default());
        }
        let awake = self.has_awake(owners);
        let state = &mut chunk.states[place];
        state.free = self.are_free(owners);
        state.loose = self.are_loose(owners);
        state.sensor = a.sensor != b.sensor;
        state.muted = !self.may_push(shapes, owners);
        state.awake = awake && !state.muted;
        *chunk.awake += u32::from(state.awake);
        state.sensor || self.is_carried(owners)
    }

    /// Notes a new contact if it is one of a sensor, or of a sleeping body with a kinematic one.
    fn note_special(&mut self, id: u32) {
        if self.contacts.states[id as usize].sensor {
            self.sensor_contacts.insert(id);
            self.sensors_stale = true;
        }
        if self.is_carried(self.contacts.links[id as usize].bodies) {
            self.carried_contacts.insert(id);
        }
    }

    /// The contacts of pairs of shapes; [`NONE`] where there is none.
    fn contacts_of_pairs(&self, pairs: &[Pair]) -> Vec<u32> {
        let mut found = vec![NONE; pairs.len()];
        let work = found.chunks_mut(SOUGHT).zip(pairs.chunks(SOUGHT));
        self.workers.for_each(work, |_, (found, pairs)| {
            let mut sought = [Sought::default(); SOUGHT];
            for (place, pair) in pairs.iter().enumerate() {
                let shapes = [pair.a, pair.b];
                let owners = shapes.map(|shape| self.shapes[shape as usize].body);
                sought[place] = Sought::new(&self.bodies, shapes, owners, place);
            }
            self.contacts.find_all(&mut sought[..pairs.len()], found);
        });
        found
    }

    /// Whether nothing but forces moves two bodies. The others are as a rule pieces of a larger
    /// ground, whose neighbours hide their edges.
    pub(crate) fn are_free(&self, owners: [u32; 2]) -> bool {
        owners.map(|body| self.bodies[body as usize].kind) == [BodyKind::Dynamic; 2]
    }

    /// Whether nothing but forces moves two bodies and none is a bullet.
    pub(crate) fn are_loose(&self, owners: [u32; 2]) -> bool {
        let is_bullet = |body: u32| self.bodies[body as usize].bullet;
        self.are_free(owners) && !owners.into_iter().any(is_bullet)
    }

    /// Whether a pair does not push.
    pub(crate) fn is_muted(&self, id: u32) -> bool {
        let links = &self.contacts.links[id as usize];
        self.contacts.states[id as usize].rejected || !self.may_push(links.shapes, links.bodies)
    }

    /// Whether two shapes push each other unless hooks reject them.
    fn may_push(&self, shapes: [u32; 2], owners: [u32; 2]) -> bool {
        let is_sensor = |shape: u32| self.shapes[shape as usize].sensor;
        !shapes.into_iter().any(is_sensor) && self.may_collide(owners)
    }

    /// Mutes or unmutes a contact as filters, joints and hooks now ask.
    pub(crate) fn refresh_muted(&mut self, id: u32) {
        let state = self.contacts.states[id as usize];
        if !state.live || state.is_part {
            return;
        }
        let muted = self.is_muted(id);
        if muted && !state.muted {
            self.delete_parts(id);
            self.release(id);
            self.end_touch(id);
            self.contacts.clear(id);
        }
        self.contacts.states[id as usize].muted = muted;
        self.sensors_stale |= self.contacts.states[id as usize].sensor;
        self.refresh_awake(id);
    }

    /// The contacts of a body, newest first, each with the side the body is on.
    pub(crate) fn contacts_of_index(&self, body: u32) -> Vec<(u32, usize)> {
        self.contacts.of_body(&self.bodies[body as usize]).collect()
    }

    /// Wakes both bodies of a contact.
    pub(crate) fn wake_bodies_of(&mut self, id: u32) {
        for body in self.contacts.links[id as usize].bodies {
            self.wake_body(body);
        }
    }

    /// Measures the anchors of a contact anew from both centres of mass, and takes the separations
    /// that belong to them.
    pub(crate) fn reanchor(&mut self, id: u32) {
        let i = id as usize;
        let shapes = self.contacts.links[i].shapes;
        let shapes = shapes.map(|shape| &self.shapes[shape as usize]);
        let contact = &mut self.contacts.solver[i];
        let from = self.contacts.manifolds[i].points();
        let points = &mut contact.points[..contact.count as usize];
        for (point, anchors) in points.iter_mut().zip(&mut contact.anchors) {
            if let Some(from) = from.iter().find(|from| from.feature == point.feature) {
                point.separation = from.separation;
                *anchors = anchors_of(shapes, from);
            }
        }
    }

    /// The solver's record of two shapes that have not touched yet.
    pub(crate) fn new_contact(&self, a: &ShapeRecord, b: &ShapeRecord) -> Contact {
        // Rolling resistance is given as a ratio of a radius: that of the smaller shape.
        let radius = rolling_radius(&a.shape).min(rolling_radius(&b.shape));
        let rolling = a
            .material
            .rolling_resistance
            .max(b.material.rolling_resistance);
        Contact {
            body_a: a.body,
            body_b: b.body,
            friction: a.material.friction_with(&b.material),
            restitution: a.material.restitution_with(&b.material),
            rolling_resistance: if rolling > 0.0 { rolling * radius } else { 0.0 },
            radius_a: a.shape.core_radius(),
            radius_b: b.shape.core_radius(),
            margin: a.margin.min(b.margin),
            ..Contact::default()
        }
    }

    /// Whether two bodies push each other at all: one is dynamic, and no joint that
    /// excludes contact connects them.
    pub(crate) fn may_collide(&self, owners: [u32; 2]) -> bool {
        let dynamic = |body: u32| self.bodies[body as usize].kind == BodyKind::Dynamic;
        let [a, b] = owners;
        if !dynamic(a) && !dynamic(b) {
            return false;
        }
        !self.bodies[a as usize].joints.iter().any(|joint| {
            let def = &self.joints[*joint as usize];
            let connects = [def.body_a, def.body_b] == [a, b] || [def.body_a, def.body_b] == [b, a];
            connects && !self.joint_defs[*joint as usize].collide_connected
        })
    }

    /// Sets whether a contact is looked at in every step, from its bodies' places.
    pub(crate) fn refresh_awake(&mut self, id: u32) {
        let bodies = self.contacts.links[id as usize].bodies;
        let muted = self.contacts.states[id as usize].muted;
        let awake = !muted && self.has_awake(bodies);
        self.contacts.set_awake(id, awake);
        if self.is_carried(bodies) {
            self.carried_contacts.insert(id);
        } else {
            self.forget_carried(id);
        }
    }

    /// Whether one of two bodies is awake.
    fn has_awake(&self, bodies: [u32; 2]) -> bool {
        let is_awake = |body| matches!(self.bodies[body as usize].place, Place::Awake(_));
        bodies.into_iter().any(is_awake)
    }

    /// Whether one of two bodies sleeps and the other is kinematic.
    fn is_carried(&self, bodies: [u32; 2]) -> bool {
        let [a, b] = bodies.map(|body| &self.bodies[body as usize]);
        let is_asleep = |body: &BodyRecord| matches!(body.place, Place::Asleep(_));
        let is_kinematic = |body: &BodyRecord| body.kind == BodyKind::Kinematic;
        (is_asleep(a) && is_kinematic(b)) || (is_kinematic(a) && is_asleep(b))
    }

    /// A contact is gone, or none of a sleeping and a kinematic body any more.
    fn forget_carried(&mut self, id: u32) {
        // There are none as a rule.
        if !self.carried_contacts.is_empty() {
            self.carried_contacts.remove(&id);
        }
    }

    /// A contact for one more manifold of the pair that `whole` stands for.
    pub(crate) fn create_part(&mut self, whole: u32) -> u32 {
        let crate::contacts::Links { shapes, bodies, .. } = self.contacts.links[whole as usize];
        let [a, b] = shapes.map(|shape| &self.shapes[shape as usize]);
        let contact = self.new_contact(a, b);
        let part = self
            .contacts
            .insert(&mut self.bodies, shapes, bodies, contact);
        self.contacts.states[part as usize].is_part = true;
        self.refresh_awake(part);
        part
    }

    /// Removes a part, with its constraint and link.
    pub(crate) fn delete_part(&mut self, part: u32) {
        self.release(part);
        self.forget_carried(part);
        self.contacts.remove(&mut self.bodies, part);
    }

    /// Removes the parts of a contact.
    pub(crate) fn delete_parts(&mut self, whole: u32) {
        if let Some(surface) = &mut self.contacts.surfaces[whole as usize] {
            for part in std::mem::take(&mut surface.parts) {
                if part != NONE {
                    self.delete_part(part);
                }
            }
        }
    }

    /// Removes a contact, with its parts, constraint, link and event.
    pub(crate) fn delete_contact(&mut self, id: u32) {
        self.delete_parts(id);
        self.release(id);
        self.end_touch(id);
        self.sensor_contacts.remove(&id);
        self.forget_carried(id);
        self.contacts.remove(&mut self.bodies, id);
    }

    /// Removes all contacts of a body; the bodies it touched wake.
    pub(crate) fn delete_contacts(&mut self, body: u32) {
        let ids: Vec<_> = self.contacts.of_body(&self.bodies[body as usize]).collect();
        for (id, side) in ids {
            let other = self.contacts.links[id as usize].bodies[1 - side];
            if self.contacts.states[id as usize].constrained {
                self.wake_body(other);
            }
            // Parts go with the contact that stands for the pair, and may be gone already.
            let state = self.contacts.states[id as usize];
            if state.live && !state.is_part {
                self.delete_contact(id);
            }
        }
    }

    /// Reads what it takes to connect and disconnect the bodies of some contacts: reads that do not
    /// wait for each other take little longer than one of them.
    pub(crate) fn fetch_changed(&self, ids: &[u32]) {
        let mut all = 0;
        for &id in ids {
            for body in self.contacts.links[id as usize].bodies {
                let rest = self.awake_body(body).map_or(0.0, |body| body.sleep_time);
                all ^= rest.to_bits() ^ self.bodies[body as usize].contact_count;
            }
            let place = self.graph.colour_of(ConstraintId::Contact(id));
            all ^= place.unwrap_or(0);
        }
        std::hint::black_box(all);
    }

    /// A contact has points now: it constrains bodies and connects their islands.
    pub(crate) fn constrain(&mut self, id: u32) {
        self.contacts.states[id as usize].constrained = true;
        self.contacts.guards[id as usize] = Guard::NONE;
        let [a, b] = self.contacts.links[id as usize].bodies;
        // What is awake goes on resting: what it meets may only pass within the margin.
        for body in [a, b] {
            if matches!(self.bodies[body as usize].place, Place::Asleep(_)) {
                self.wake_body(body);
            }
        }
        let constraint = ConstraintId::Contact(id);
        self.graph.add(constraint, self.pushed(a), self.pushed(b));
        self.islands.link(constraint, a, b);
    }

    /// A contact has no points any more.
    pub(crate) fn release(&mut self, id: u32) {
        if self.contacts.states[id as usize].constrained {
            self.contacts.states[id as usize].constrained = false;
            self.contacts.solver[id as usize].count = 0;
            self.graph.remove(ConstraintId::Contact(id));
            self.islands.unlink(ConstraintId::Contact(id));
        }
    }

    /// The body as the constraint graph knows it: only dynamic bodies are pushed.
    pub(crate) fn pushed(&self, body: u32) -> u32 {
        match self.bodies[body as usize].kind {
            BodyKind::Dynamic => body,
            BodyKind::Static | BodyKind::Kinematic => NO_BODY,
        }
    }
}

/// The radius that rolling resistance is a ratio of, in metres. What is flat does not roll.
fn rolling_radius(shape: &Shape) -> f32 {
    let radius = shape.inner_radius();
    if radius > 0.0 { radius } else { f32::INFINITY }
}
