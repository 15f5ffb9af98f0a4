//! Looking at many pairs at once: what the contacts of a chunk are compared with before the
//! narrow phase takes what is left one by one.
//!
//! A [guard](Guard) is made where a pair was found, or proved, to be apart. It dies with the
//! tracker's answer it was made from.

use drystone_geometry::glam::Vec3;
use drystone_geometry::lanes::dispatch;
use drystone_geometry::{Frame, Shape};
use drystone_narrow_phase::{CollideSettings, Guard, GuardPose, GuardSide, Tracker, still_apart};
use drystone_solver::STATIC_SLOT;

use crate::World;
use crate::collide::Bodies;
use crate::contacts::{Chunk, ones};
use crate::continuous::{calm_reach, is_fast};
use crate::record::ShapeRecord;

/// Awake bodies per unit of parallel work.
const CHUNK: usize = 256;

/// Awake bodies from which is read ahead: with shapes, frames and contacts half a mebibyte.
const FETCHED_BODIES: usize = 512;

impl World {
    /// Notes where awake bodies are and how far they get in this step; not where pairs are so few
    /// that looking at them one by one takes less time.
    pub(crate) fn place_guards(&mut self) {
        if self.contacts.live_count() < self.awake.len() {
            self.guard_poses.clear();
            return;
        }
        let (awake, frames) = (&self.awake, &self.frames);
        let (dt, gravity) = (self.settings.dt, self.settings.gravity.length());
        (self.guard_poses).resize(awake.len(), GuardPose::default());
        let chunks = awake.chunks(CHUNK).zip(frames.chunks(CHUNK));
        let work = self.guard_poses.chunks_mut(CHUNK).zip(chunks);
        (self.workers).for_each(work, |_, (poses, (bodies, frames))| {
            for (pose, (body, frame)) in poses.iter_mut().zip(bodies.iter().zip(frames)) {
                let reach = body.surface_speed() * dt;
                let gain = body.gravity_scale.abs() * gravity * dt * dt;
                *pose = GuardPose::new(body.rotation, frame.translation, reach, gain);
            }
        });
    }
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

    /// How far a shape moves in a step, in metres; 0 when it is not fast.
    #[inline]
    pub(crate) fn lead(&self, shape: &ShapeRecord) -> f32 {
        let slot = self.slot_of[shape.body as usize];
        if slot & STATIC_SLOT != 0 {
            return 0.0;
        }
        // Noted where there are many pairs; the body itself may be far away.
        let reach = match self.guard_poses.get(slot as usize) {
            Some(pose) => pose.reach(),
            None => self.awake[slot as usize].surface_speed() * self.settings.dt,
        };
        if is_fast(shape, reach) { reach } else { 0.0 }
    }

    /// [How far](Self::lead) a shape moves by its own points: a part of a fast body near its middle
    /// need not be fast.
    fn own_lead(&self, shape: &ShapeRecord, frame: &Frame) -> f32 {
        let Some(body) = self.mover(shape) else {
            return 0.0;
        };
        let lever = (frame.translation - body.center).as_vec3();
        let speed = (body.linear_velocity + body.angular_velocity.cross(lever)).length();
        let extent = match shape.shape.without_rounding() {
            Shape::Hull(hull) => hull.reach() as f32 + shape.shape.core_radius(),
            _ => shape.shape.extent_from(Vec3::ZERO),
        };
        let reach = (speed + extent * body.angular_velocity.length()) * self.settings.dt;
        // Its own points first: they are hardly ever fast, and then nothing else is asked.
        let leads = is_fast(shape, reach) && self.lead(shape) > 0.0;
        if leads { reach } else { 0.0 }
    }

    /// Surfaces have no sweep: whatever may come within the step has points.
    pub(crate) fn reaching(
        &self,
        settings: CollideSettings,
        shapes: [&ShapeRecord; 2],
        frames: [&Frame; 2],
    ) -> CollideSettings {
        let lead = |side: usize| self.own_lead(shapes[side], frames[side]);
        CollideSettings {
            margin: settings.margin + lead(0) + lead(1),
            ..settings
        }
    }

    /// What a tracker knows of a pair whose bodies both move.
    pub(crate) fn guard(
        &self,
        tracker: &Tracker,
        [a, b]: [&ShapeRecord; 2],
        margin: f32,
        swept: bool,
    ) -> Guard {
        let slots = [a, b].map(|shape| self.slot_of[shape.body as usize]);
        if (slots[0] | slots[1]) & STATIC_SLOT != 0 {
            return Guard::NONE;
        }
        let calm = |shape: &ShapeRecord| {
            if swept {
                calm_reach(shape)
            } else {
                f32::INFINITY
            }
        };
        let sides = [a, b].map(|shape| GuardSide {
            shape: &shape.shape,
            local: shape.local_frame.as_ref(),
            body: shape.body,
            calm: calm(shape),
        });
        Guard::new(tracker, &sides, margin)
    }
}
