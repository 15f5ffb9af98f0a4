//! Hooks: what a caller may decide about pairs and contacts during a step.
//!
//! Hooks are called on the caller's thread, in an order that depends on nothing but the
//! world: pairs sorted by shape, contacts by number. They are given to
//! [`World::step_with`] for that step alone and are no part of the world, so a snapshot is
//! complete without them; who restores one and steps on with the same hooks gets the same
//! bits.

use drystone_geometry::glam::{DVec3, Vec3};
use drystone_geometry::manifold::MAX_POINTS;
use drystone_solver::ContactPoint;

use crate::contacts::CHUNK;
use crate::hits::velocity_at;
use crate::renew::anchors_of;
use crate::replay::Command;
use crate::{BodyKey, ShapeKey, StaleKey, World};

/// Decisions about pairs and contacts. Every method has a default that changes nothing.
///
/// ```
/// use drystone::{ContactPatch, Hooks, World};
///
/// /// Everything is ice.
/// struct Ice;
///
/// impl Hooks for Ice {
///     fn modify(&mut self, _: &World, contact: &mut ContactPatch) {
///         contact.friction = 0.0;
///     }
/// }
///
/// let mut world = World::new(Default::default())?;
/// world.step_with(&mut Ice);
/// # Ok::<(), drystone::DefError>(())
/// ```
pub trait Hooks {
    /// Whether two shapes may meet, sensors included. Asked when their boxes begin to
    /// overlap, and again in the step after [`World::ask_again`]; filters and joints are
    /// asked first. A step without hooks allows all new pairs.
    fn may_meet(&mut self, _world: &World, _a: ShapeKey, _b: ShapeKey) -> bool {
        true
    }

    /// Changes a contact for this step. Called in every step on every contact of an awake
    /// body that has points, before it is solved, whether it is new, old or re-used.
    fn modify(&mut self, _world: &World, _contact: &mut ContactPatch) {}

    /// Whether [`Hooks::modify`] does anything; `false` saves the calls.
    fn modifies(&self) -> bool {
        true
    }
}

/// Hooks that decide nothing: [`World::step`].
pub struct NoHooks;

impl Hooks for NoHooks {
    fn modifies(&self) -> bool {
        false
    }
}

/// A contact before it is solved. What is changed holds for this step; every step starts
/// again from the materials.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactPatch {
    /// The shape with the smaller index.
    pub shape_a: ShapeKey,
    /// The other shape.
    pub shape_b: ShapeKey,
    /// The body of `shape_a`.
    pub body_a: BodyKey,
    /// The body of `shape_b`.
    pub body_b: BodyKey,
    /// Unit, from A to B, in world axes.
    pub normal: Vec3,
    /// Velocity of B's surface less that of A's in the middle of the points, in world axes,
    /// in m/s. Along the normal, negative means approach.
    pub relative_velocity: Vec3,
    /// Whether the pair touched at the end of the step before.
    pub was_touching: bool,
    /// Coulomb coefficient, at least 0.
    pub friction: f32,
    /// Bounce, 0 to 1.
    pub restitution: f32,
    /// Arm of the resistance to rolling, in metres, at least 0.
    pub rolling_resistance: f32,
    /// How A's surface moves along itself against B's, in world axes, in m/s: a conveyor.
    /// Only the part in the contact plane counts.
    pub surface_velocity: Vec3,
    /// Whether the contact acts at all in this step.
    pub enabled: bool,
    /// Those from `count` on are empty.
    points: [PatchPoint; MAX_POINTS],
    count: usize,
}

/// A point of a [`ContactPatch`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PatchPoint {
    /// Between both surfaces, in the world, in metres.
    pub position: DVec3,
    /// Along the normal, in metres; negative in overlap.
    pub separation: f32,
    /// Whether the point acts in this step.
    pub enabled: bool,
}

impl PatchPoint {
    /// What unused places hold.
    const EMPTY: Self = Self {
        position: DVec3::ZERO,
        separation: 0.0,
        enabled: false,
    };
}

impl ContactPatch {
    /// The points, one to four.
    pub fn points(&self) -> &[PatchPoint] {
        &self.points[..self.count]
    }

    /// The points, to be switched off one by one; positions and separations are only shown.
    pub fn points_mut(&mut self) -> &mut [PatchPoint] {
        &mut self.points[..self.count]
    }

    /// Makes the contact act only from one side of a platform: on what arrives from where
    /// `up` points, seen from body A when `platform_is_a`, else from B.
    ///
    /// What already touches stays held; what comes through from below is let pass. `up` is
    /// unit, in world axes.
    pub fn one_way(&mut self, up: Vec3, platform_is_a: bool) {
        let sign = if platform_is_a { 1.0 } else { -1.0 };
        let faces = sign * self.normal.dot(up) > crate::tolerance::ONE_WAY_COSINE;
        let rises = sign * self.relative_velocity.dot(up) > 0.0;
        self.enabled = faces && (self.was_touching || !rises);
    }
}

impl World {
    /// Has [`Hooks::may_meet`] asked again about all pairs of a shape, in the next step.
    pub fn ask_again(&mut self, key: ShapeKey) -> Result<(), StaleKey> {
        self.note(|| Command::AskAgain(key));
        let shape = self.shape_index(key)?;
        if !self.asking.contains(&shape) {
            self.asking.push(shape);
        }
        Ok(())
    }

    /// Asks again where it was asked for.
    pub(crate) fn answer_again<H: Hooks>(&mut self, hooks: &mut H) {
        for shape in std::mem::take(&mut self.asking) {
            if !self.shape_keys.is_live(shape) {
                continue;
            }
            for (id, _) in self.contacts_of_index(self.shapes[shape as usize].body) {
                let state = self.contacts.states[id as usize];
                let links = &self.contacts.links[id as usize];
                if state.live && !state.is_part && links.shapes.contains(&shape) {
                    self.ask(id, hooks);
                }
            }
        }
    }

    /// Has the hooks decide about a pair, and acts on it.
    pub(crate) fn ask<H: Hooks>(&mut self, id: u32, hooks: &mut H) {
        let [a, b] = self.contacts.links[id as usize].shapes;
        let keys = [a, b].map(|shape| self.shapes[shape as usize].key);
        let rejected = !hooks.may_meet(self, keys[0], keys[1]);
        if rejected != self.contacts.states[id as usize].rejected {
            self.contacts.states[id as usize].rejected = rejected;
            self.wake_bodies_of(id);
            self.refresh_muted(id);
        }
    }

    /// Undoes what hooks changed in the step before: contacts follow their manifolds and
    /// materials again.
    pub(crate) fn undo_patches(&mut self) {
        for id in std::mem::take(&mut self.patched) {
            if self.contacts.states[id as usize].live {
                self.rebuild_contact(id);
            }
        }
    }

    /// Shows every contact that is about to be solved to the hooks, in contact order.
    pub(crate) fn patch_contacts<H: Hooks>(&mut self, hooks: &mut H) {
        if !hooks.modifies() {
            return;
        }
        for chunk in 0..self.contacts.awake_in_chunk.len() {
            if self.contacts.awake_in_chunk[chunk] == 0 {
                continue;
            }
            let last = ((chunk + 1) * CHUNK).min(self.contacts.links.len());
            for id in chunk * CHUNK..last {
                let state = self.contacts.states[id];
                if state.awake && state.constrained {
                    let plain = self.patch_of(id as u32);
                    let mut patch = plain;
                    hooks.modify(self, &mut patch);
                    if patch != plain {
                        self.apply_patch(id as u32, &patch, &plain);
                    }
                }
            }
        }
    }

    fn patch_of(&self, id: u32) -> ContactPatch {
        let contact = &self.contacts.solver[id as usize];
        let [a, b] = self.contacts.links[id as usize].shapes;
        let [a, b] = [a, b].map(|shape| &self.shapes[shape as usize]);
        let mut points = [PatchPoint::EMPTY; MAX_POINTS];
        let mut middle = DVec3::ZERO;
        let placed = contact.points().iter().zip(contact.anchors());
        for (shown, (point, anchors)) in points.iter_mut().zip(placed) {
            let on_a = self.anchor_in_world(a, anchors.a);
            let on_b = self.anchor_in_world(b, anchors.b);
            let position = on_a + (on_b - on_a) * 0.5;
            middle += position / f64::from(contact.count);
            *shown = PatchPoint {
                position,
                separation: point.separation,
                enabled: true,
            };
        }
        let speeds = [a.body, b.body].map(|body| velocity_at(self.awake_body(body), middle));
        ContactPatch {
            shape_a: a.key,
            shape_b: b.key,
            body_a: self.bodies[a.body as usize].key,
            body_b: self.bodies[b.body as usize].key,
            normal: contact.normal,
            relative_velocity: speeds[1] - speeds[0],
            was_touching: self.contacts.states[self.contacts.whole_of(&self.bodies, id) as usize]
                .touching,
            friction: contact.friction,
            restitution: contact.restitution,
            rolling_resistance: contact.rolling_resistance,
            surface_velocity: contact.tangent_velocity,
            enabled: true,
            points,
            count: contact.count as usize,
        }
    }

    /// Carries a patch over into the solver's record. Numbers out of range count as unchanged.
    fn apply_patch(&mut self, id: u32, patch: &ContactPatch, plain: &ContactPatch) {
        self.patched.push(id);
        let contact = &mut self.contacts.solver[id as usize];
        let valid = |value: f32, plain: f32, most: f32| {
            if (0.0..=most).contains(&value) {
                value
            } else {
                plain
            }
        };
        contact.friction = valid(patch.friction, plain.friction, f32::MAX);
        contact.restitution = valid(patch.restitution, plain.restitution, 1.0);
        contact.rolling_resistance =
            valid(patch.rolling_resistance, plain.rolling_resistance, f32::MAX);
        if patch.surface_velocity.is_finite() {
            contact.tangent_velocity = patch.surface_velocity;
        }
        let mut kept = 0;
        for at in 0..contact.count as usize {
            let acts = patch.points[at].enabled;
            if patch.enabled && acts {
                contact.points[kept] = contact.points[at];
                contact.anchors[kept] = contact.anchors[at];
                kept += 1;
            }
        }
        contact.count = kept as u32;
        if kept == 0 {
            contact.friction_impulse = Vec3::ZERO;
            contact.twist_impulse = 0.0;
            contact.rolling_impulse = Vec3::ZERO;
        }
    }

    /// A contact anew from its manifold and materials, with the impulses it had.
    pub(crate) fn rebuild_contact(&mut self, id: u32) {
        let i = id as usize;
        let [a, b] = self.contacts.links[i].shapes;
        let [a, b] = [a, b].map(|shape| &self.shapes[shape as usize]);
        let old = self.contacts.solver[i];
        let mut contact = drystone_solver::Contact {
            normal: old.normal,
            bend_a: old.bend_a,
            bend_b: old.bend_b,
            friction_impulse: old.friction_impulse,
            twist_impulse: old.twist_impulse,
            rolling_impulse: old.rolling_impulse,
            ..self.new_contact(a, b)
        };
        if self.contacts.states[i].constrained {
            let manifold = &self.contacts.manifolds[i];
            contact.count = manifold.points().len() as u32;
            let places = contact.points.iter_mut().zip(&mut contact.anchors);
            for ((point, anchors), from) in places.zip(manifold.points()) {
                let before = old.points().iter().find(|p| p.feature == from.feature);
                *anchors = anchors_of([a, b], from);
                *point = ContactPoint {
                    separation: from.separation,
                    normal_impulse: before.map_or(0.0, |point| point.normal_impulse),
                    max_normal_impulse: before.map_or(0.0, |point| point.max_normal_impulse),
                    feature: from.feature,
                };
            }
        }
        self.contacts.solver[i] = contact;
    }
}
