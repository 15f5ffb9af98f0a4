//! Looking at many pairs at once: what the contacts of a chunk are compared with before the
//! narrow phase takes what is left one by one.
//!
//! A [guard](Guard) is made where a pair was found, or proved, to be apart. It dies with the
//! tracker's answer it was made from.

use drystone_geometry::glam::{DVec3, Vec3};
use drystone_geometry::lanes::dispatch;
use drystone_geometry::{Frame, Shape};
use drystone_narrow_phase::{
    CollideSettings, Guard, GuardPose, GuardSide, GuardWay, Tracker, still_apart,
};
use drystone_solver::{Body, STATIC_SLOT};

use crate::World;
use crate::collide::Bodies;
use crate::contacts::{Chunk, ones};
use crate::continuous::{calm_past, calm_reach, coming_velocity};
use crate::def::Settings;
use crate::graze::lower;
use crate::record::ShapeRecord;
use crate::tolerance::{GRAZE_CALM_SQ, GRAZE_REST};

/// Awake bodies per unit of parallel work.
const CHUNK: usize = 256;

/// Awake bodies to a word of [`Bodies::calm`].
const CALM_BITS: usize = u64::BITS as usize;

/// Awake bodies from which is read ahead: with shapes, frames and contacts half a mebibyte.
const FETCHED_BODIES: usize = 512;

impl World {
    /// Notes where awake bodies are and how far they get in this step; not where pairs are so few
    /// that looking at them one by one takes less time.
    pub(crate) fn place_guards(&mut self) {
        self.calm.clear();
        if self.contacts.live_count() < self.awake.len() {
            self.guard_poses.clear();
            return;
        }
        let (awake, frames) = (&self.awake, &self.frames);
        let settings = &self.settings;
        (self.guard_poses).resize(awake.len(), GuardPose::default());
        (self.calm).resize(awake.len().div_ceil(CALM_BITS), 0);
        let chunks = awake.chunks(CHUNK).zip(frames.chunks(CHUNK));
        let notes = self.guard_poses.chunks_mut(CHUNK);
        let notes = notes.zip(self.calm.chunks_mut(CHUNK / CALM_BITS));
        (self.workers).for_each(notes.zip(chunks), |_, ((poses, calm), (bodies, frames))| {
            for (i, (body, frame)) in bodies.iter().zip(frames).enumerate() {
                let (way, reach) = way_of(body, settings);
                poses[i] = GuardPose::new(body.rotation, frame.translation, &way, reach);
                calm[i / CALM_BITS] |= u64::from(reach <= GRAZE_REST) << (i % CALM_BITS);
            }
        });
    }
}

/// How a body gets on in the coming step, and how far its surface would without forces, in metres.
#[inline]
fn way_of(body: &Body, settings: &Settings) -> (GuardWay, f32) {
    let dt = settings.dt;
    let turning = body.arc(body.angular_velocity) * dt;
    let linear = coming_velocity(body, settings) * dt;
    let reach = body.linear_velocity.length() * dt + turning;
    (GuardWay { linear, turning }, reach)
}

impl Bodies<'_> {
    /// Reads what those contacts of a chunk are about to need whose bits are set, as far as it is
    /// not beside each other: reads that do not wait for each other take little longer than one of
    /// them. Nothing is waited for where bodies are so few that a near cache holds them.
    #[inline]
    pub(crate) fn fetch(&self, chunk: &Chunk<'_>, bits: u64) {
        let mut all = 0;
        let are_few = self.frames.len() < FETCHED_BODIES;
        for i in ones(bits, chunk.links.len()) {
            let (links, state) = (&chunk.links[i], &chunk.states[i]);
            if !state.awake || state.is_part {
                continue;
            }
            // What is remembered of surfaces lies far apart, and is much even of few bodies.
            let surface = chunk.surfaces[i].as_ref();
            all ^= surface.map_or(0, |surface| surface.read());
            if are_few {
                continue;
            }
            for side in 0..2 {
                all ^= self.read_shape(links.shapes[side]);
                let slot = self.slot_of.get(links.bodies[side] as usize);
                let frame = slot.and_then(|&slot| self.frames.get(slot as usize));
                all ^= frame.map_or(0, |frame| {
                    (frame.rotation.x_axis.x.to_bits() ^ frame.translation.x.to_bits()) as u32
                });
            }
            all ^= u32::from(chunk.trackers[i].face_carries()[0]);
            all ^= chunk.manifolds[i].points().len() as u32;
            if state.constrained {
                let contact = &chunk.solver[i];
                all ^= contact.count ^ contact.points[0].feature;
            }
        }
        std::hint::black_box(all);
    }

    /// Reads what lies in lines of its own of a shape. Links of contacts that are gone may lead
    /// nowhere.
    #[inline]
    fn read_shape(&self, shape: u32) -> u32 {
        self.shapes.get(shape as usize).map_or(0, |shape| {
            let local = shape.local_frame.as_ref().map_or(0, |local| {
                local.rotation.z_axis.x.to_bits() ^ local.translation.x.to_bits()
            });
            shape.body ^ local as u32 ^ shape.material.surface_velocity.x.to_bits()
        })
    }

    /// Which contacts of a chunk are certainly apart beyond their margins, and those to be swept
    /// for the whole step: one bit each.
    #[inline]
    pub(crate) fn still_apart(&self, guards: &[Guard]) -> u64 {
        let (level, slot_of, poses) = (self.level, self.slot_of, self.guard_poses);
        dispatch!(level, simd => still_apart(simd, guards, slot_of, poses))
    }

    /// How the body in a slot gets on in a step, and how far its surface would without forces;
    /// nowhere when it is not awake.
    #[inline]
    fn way(&self, slot: u32) -> (GuardWay, f32) {
        if slot & STATIC_SLOT != 0 {
            return (GuardWay::default(), 0.0);
        }
        // Noted where there are many pairs; the body itself may be far away.
        if let Some(pose) = self.guard_poses.get(slot as usize) {
            return (pose.way(), pose.reach());
        }
        way_of(&self.awake[slot as usize], self.settings)
    }

    /// Whether one of two free bodies gets on past the lower one, and that hardly turns meanwhile: what
    /// rests does not, and what tumbles together is no ground.
    #[inline]
    pub(crate) fn has_calm_ground(&self, shapes: [&ShapeRecord; 2], frames: [&Frame; 2]) -> bool {
        let slots = shapes.map(|shape| self.slot_of[shape.body as usize] as usize);
        // Most free bodies that touch rest on each other, and what is noted of each is a line of memory away.
        let rests = |slot: usize| {
            let bits = self.calm.get(slot / CALM_BITS);
            let noted = bits.map(|bits| bits >> (slot % CALM_BITS) & 1 == 1);
            noted.unwrap_or_else(|| self.way(slot as u32).1 <= GRAZE_REST)
        };
        if rests(slots[0]) && rests(slots[1]) {
            return false;
        }
        let ways = slots.map(|slot| self.way(slot as u32));
        let [(a, _), (b, _)] = &ways;
        let past_sq = (b.linear - a.linear).length_squared();
        let turning = ways[lower(frames, self.settings)].0.turning;
        past_sq > 0.0 && turning * turning <= GRAZE_CALM_SQ * past_sq
    }

    /// How B gets past A in a step, in world axes, if one of the shapes is fast for the thinner of
    /// them, and past the other too.
    #[inline]
    pub(crate) fn fast_past(
        &self,
        [a, b]: [&ShapeRecord; 2],
        [slot_a, slot_b]: [u32; 2],
        lands: bool,
    ) -> Option<GuardWay> {
        let ((way_a, reach_a), (way_b, reach_b)) = (self.way(slot_a), self.way(slot_b));
        let past = way_b.past(&way_a);
        let both = past.reach();
        let is_fast = both.min(reach_a.max(reach_b)) > calm_past([a, b], lands);
        let is_calm = both <= a.margin.min(b.margin) || !is_fast;
        (!is_calm).then_some(past)
    }

    /// How far a shape moves past a surface in a step by its own points, in metres; 0 when it is not
    /// fast. A part of a fast body near its middle need not be, nor what rides on a fast surface.
    fn lead_past(&self, [shape, surface]: [&ShapeRecord; 2], frame: &Frame, lands: bool) -> f32 {
        let (body, ground) = (self.mover(shape), self.mover(surface));
        let turn_of = |body: Option<&Body>| body.map_or(Vec3::ZERO, |body| body.angular_velocity);
        let velocity_of = |body: Option<&Body>, point: DVec3| {
            body.map_or(Vec3::ZERO, |body| {
                let lever = (point - body.center).as_vec3();
                body.linear_velocity + body.angular_velocity.cross(lever)
            })
        };
        let past = |point: DVec3| (velocity_of(body, point) - velocity_of(ground, point)).length();
        let turn = turn_of(body) - turn_of(ground);
        let extent = match shape.shape.without_rounding() {
            Shape::Hull(hull) => hull.reach() as f32 + shape.shape.core_radius(),
            _ => shape.shape.extent_from(Vec3::ZERO),
        };
        let dt = self.settings.dt;
        // Where a body of many shapes rests on some, others pass near by, step after step.
        let calm = if lands && !shape.shares_body {
            shape.margin
        } else {
            calm_reach(shape)
        };
        let reach = (past(frame.translation) + extent * turn.length()) * dt;
        // Its own points first: they are hardly ever fast, and then nothing else is asked.
        if reach <= calm {
            return 0.0;
        }
        // What turns about its own axis moves by less than its extent says.
        let is_calm = body.is_some_and(|body| past(body.center) * dt + body.arc(turn) * dt <= calm);
        if is_calm { 0.0 } else { reach }
    }

    /// Surfaces have no sweep: whatever may come within the step has points.
    pub(crate) fn reaching(
        &self,
        settings: CollideSettings,
        shapes: [&ShapeRecord; 2],
        frames: [&Frame; 2],
        lands: bool,
    ) -> CollideSettings {
        let side = usize::from(shapes[0].shape.surface().is_some());
        let lead = self.lead_past([shapes[side], shapes[1 - side]], frames[side], lands);
        CollideSettings {
            margin: settings.margin + lead,
            ..settings
        }
    }

    /// What a tracker knows of a pair whose bodies both move. Of a loose one turning does not count.
    pub(crate) fn guard(
        &self,
        tracker: &Tracker,
        [a, b]: [&ShapeRecord; 2],
        margin: f32,
        is_loose: bool,
    ) -> Guard {
        let slots = [a, b].map(|shape| self.slot_of[shape.body as usize]);
        if (slots[0] | slots[1]) & STATIC_SLOT != 0 {
            return Guard::NONE;
        }
        let sides = [a, b].map(|shape| GuardSide {
            shape: &shape.shape,
            local: shape.local_frame.as_ref(),
            body: shape.body,
        });
        Guard::new(
            tracker,
            &sides,
            margin,
            calm_past([a, b], !is_loose),
            !is_loose,
        )
    }
}
