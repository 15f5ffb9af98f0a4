//! Stage 2: the narrow phase over all awake contacts, in parallel over disjoint chunks,
//! then the changes of touch in contact order.

use drystone_geometry::glam::Vec3;
use drystone_geometry::{Frame, Manifold};
use drystone_narrow_phase::{CollideSettings, Counters, Outcome, Tracker, collide};
use drystone_solver::{Contact, ContactPoint, STATIC_SLOT};

use crate::World;
use crate::contacts::{CHUNK, Links, State};
use crate::def::Settings;
use crate::record::ShapeRecord;
use crate::stats::Stopwatch;

/// What a chunk of contacts has to tell the serial part.
#[derive(Clone, Debug, Default)]
pub(crate) struct ChunkReport {
    counters: Counters,
    constraints: usize,
    points: usize,
    /// Contacts that gained their first or lost their last point.
    changed: Vec<u32>,
}

/// What every contact may read.
struct Bodies<'a> {
    settings: &'a Settings,
    shapes: &'a [ShapeRecord],
    frames: &'a [Frame],
    slot_of: &'a [u32],
}

/// The columns of one chunk of contacts.
struct Chunk<'a> {
    links: &'a [Links],
    states: &'a mut [State],
    trackers: &'a mut [Tracker],
    manifolds: &'a mut [Manifold],
    solver: &'a mut [Contact],
}

impl World {
    /// Computes the manifolds of all awake contacts and updates what touches.
    pub(crate) fn collide(&mut self) {
        let contacts = &mut self.contacts;
        let bodies = Bodies {
            settings: &self.settings,
            shapes: &self.shapes,
            frames: &self.frames,
            slot_of: &self.slot_of,
        };
        let reports = &mut self.chunk_reports;
        reports.resize_with(contacts.awake_in_chunk.len(), ChunkReport::default);
        let chunks = (contacts.links.chunks(CHUNK))
            .zip(contacts.states.chunks_mut(CHUNK))
            .zip(contacts.trackers.chunks_mut(CHUNK))
            .zip(contacts.manifolds.chunks_mut(CHUNK))
            .zip(contacts.solver.chunks_mut(CHUNK))
            .map(|((((links, states), trackers), manifolds), solver)| Chunk {
                links,
                states,
                trackers,
                manifolds,
                solver,
            });
        let work = reports.iter_mut().zip(&contacts.awake_in_chunk).zip(chunks);
        self.workers
            .for_each(work, |index, ((report, awake), chunk)| {
                report.clear();
                if *awake > 0 {
                    collide_chunk((index * CHUNK) as u32, chunk, &bodies, report);
                }
            });
        self.apply_reports();
    }

    /// Serial part: constraints and island links follow the manifolds, in contact order.
    fn apply_reports(&mut self) {
        let mut watch = Stopwatch::start();
        let mut reports = std::mem::take(&mut self.chunk_reports);
        self.stats.narrow = Counters::default();
        self.stats.constraints = 0;
        self.stats.points = 0;
        for report in &mut reports {
            self.stats.narrow.merge(&report.counters);
            self.stats.constraints += report.constraints;
            self.stats.points += report.points;
            for &id in &report.changed {
                if self.contacts.states[id as usize].constrained {
                    self.release(id);
                } else {
                    self.constrain(id);
                }
            }
        }
        self.chunk_reports = reports;
        self.stats.times.serial += watch.lap();
    }
}

impl ChunkReport {
    fn clear(&mut self) {
        self.counters = Counters::default();
        self.constraints = 0;
        self.points = 0;
        self.changed.clear();
    }
}

impl Bodies<'_> {
    /// The world frame of a shape and, if its body is awake, the body's slot.
    fn frame(&self, shape: &ShapeRecord) -> Frame {
        let slot = self.slot_of[shape.body as usize];
        if slot & STATIC_SLOT == 0 {
            shape.frame_on(&self.frames[slot as usize])
        } else {
            shape.rest_frame
        }
    }
}

fn collide_chunk(first: u32, chunk: Chunk<'_>, bodies: &Bodies<'_>, report: &mut ChunkReport) {
    for i in 0..chunk.links.len() {
        let state = &mut chunk.states[i];
        if !state.awake {
            continue;
        }
        let [a, b] = chunk.links[i]
            .shapes
            .map(|shape| &bodies.shapes[shape as usize]);
        let frame_a = bodies.frame(a);
        let frame_b = bodies.frame(b);
        let b_in_a = Frame::relative(&frame_a, &frame_b);
        let settings = CollideSettings {
            margin: a.margin.min(b.margin),
            recycle: bodies.settings.recycling,
        };
        let manifold = &mut chunk.manifolds[i];
        let outcome = collide(
            &a.shape,
            &b.shape,
            &b_in_a,
            &settings,
            &mut chunk.trackers[i],
            manifold,
            &mut report.counters,
        );
        let contact = &mut chunk.solver[i];
        state.rung = outcome.rung;
        refresh(contact, manifold, outcome, [a, b]);
        contact.normal = frame_a.rotate(manifold.normal.as_dvec3()).as_vec3();
        let belts = [a, b].map(|shape| shape.material.surface_velocity);
        if belts != [Vec3::ZERO; 2] {
            let [belt_a, belt_b] = belts.map(|belt| belt.as_dvec3());
            let slip = frame_a.rotate(belt_a) - frame_b.rotate(belt_b);
            contact.tangent_velocity = slip.as_vec3();
        }
        report.constraints += usize::from(contact.count > 0);
        report.points += contact.count as usize;
        if state.constrained != (contact.count > 0) {
            report.changed.push(first + i as u32);
        }
    }
}

/// Carries a manifold over into the solver's record, impulses by feature id.
fn refresh(
    contact: &mut Contact,
    manifold: &Manifold,
    outcome: Outcome,
    shapes: [&ShapeRecord; 2],
) {
    if !outcome.is_fresh() {
        for (point, from) in contact.points.iter_mut().zip(manifold.points()) {
            point.separation = from.separation;
        }
        return;
    }
    let old = *contact;
    contact.count = manifold.points().len() as u32;
    let [a, b] = shapes.map(|shape| &shape.center_pose);
    for (point, from) in contact.points.iter_mut().zip(manifold.points()) {
        let before = old
            .points()
            .iter()
            .find(|point| point.feature == from.feature);
        *point = ContactPoint {
            anchor_a: a.transform_point(from.anchor_a),
            anchor_b: b.transform_point(from.anchor_b),
            separation: from.separation,
            normal_impulse: before.map_or(0.0, |point| point.normal_impulse),
            max_normal_impulse: 0.0,
            feature: from.feature,
        };
    }
    if manifold.is_empty() {
        *contact = Contact {
            friction_impulse: Default::default(),
            twist_impulse: 0.0,
            rolling_impulse: Default::default(),
            ..*contact
        };
    }
}
