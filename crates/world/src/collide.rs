//! Stage 2: the narrow phase over all awake contacts, in parallel, then the changes of touch in order.

use drystone_geometry::Frame;
use drystone_narrow_phase::{
    CollideSettings, Counters, Guard, GuardPose, GuardWay, Outcome, Rung, Tracker, collide,
    collide_surface, passes,
};
use drystone_solver::{Body, Contact, STATIC_SLOT};
use fearless_simd::Level;

use crate::World;
use crate::bend::{aim_rims, has_rim};
use crate::contacts::{CHUNK, Chunk, OnSurface};
use crate::continuous::{Foreseen, Pair, Past, Sweep, Way, calm_past, calm_reach};
use crate::def::Settings;
use crate::graze::Graze;
use crate::hits::Approach;
use crate::record::ShapeRecord;
use crate::renew::stands;
use crate::stats::Stopwatch;
use crate::touch::Touch;

/// What a chunk of contacts has to tell the serial part.
#[derive(Clone, Debug, Default)]
pub(crate) struct ChunkReport {
    counters: Counters,
    constraints: usize,
    points: usize,
    /// Contacts that were seen to have nothing to do with the rest of the step, one bit each.
    pub(crate) idle: u64,
    /// Contacts that were seen to have no parts, one bit each.
    pub(crate) whole: u64,
    /// Contacts of which a point was [led](aim_rims) for the solve, one bit each.
    pub(crate) led: u64,
    /// Contacts that gained their first or lost their last point.
    changed: Vec<u32>,
    /// Contacts with a surface that have, or had, more than one manifold.
    manifold: Vec<u32>,
    /// Contacts with a surface of bodies that move past it.
    pub(crate) passing: Vec<u32>,
    /// Contacts of bodies that may touch in more than one pair of shapes.
    pub(crate) shared: Vec<u32>,
    /// Contacts that fast bodies will have within the step.
    pub(crate) foreseen: Vec<(u32, Contact)>,
    /// What pushes in the place of some of these.
    pub(crate) pushes: Vec<(u32, Contact)>,
    /// Contacts that begin with speed.
    pub(crate) approaches: Vec<Approach>,
    /// Contacts that began to touch in this step, or ceased to.
    pub(crate) touches: Vec<Touch>,
}

/// What every contact may read.
pub(crate) struct Bodies<'a> {
    pub(crate) settings: &'a Settings,
    pub(crate) level: Level,
    pub(crate) shapes: &'a [ShapeRecord],
    pub(crate) frames: &'a [Frame],
    pub(crate) guard_poses: &'a [GuardPose],
    /// Which awake bodies hardly move in the step, a bit each; empty where none are noted.
    pub(crate) calm: &'a [u64],
    pub(crate) awake: &'a [Body],
    pub(crate) slot_of: &'a [u32],
}

impl World {
    /// Computes the manifolds of all awake contacts and updates what touches.
    pub(crate) fn collide(&mut self) {
        self.place_guards();
        let contacts = &mut self.contacts;
        let bodies = Bodies {
            settings: &self.settings,
            level: self.level,
            shapes: &self.shapes,
            frames: &self.frames,
            guard_poses: &self.guard_poses,
            calm: &self.calm,
            awake: &self.awake,
            slot_of: &self.slot_of,
        };
        let reports = &mut self.chunk_reports;
        reports.resize_with(contacts.awake_in_chunk.len(), ChunkReport::default);
        let awake = &contacts.awake_in_chunk;
        let workers = self.workers.worth(self.stats.narrow_microseconds(awake));
        let work = reports.iter_mut().zip(contacts.chunks());
        workers.for_each(work, |index, (report, chunk)| {
            report.clear();
            if *chunk.awake > 0 {
                collide_chunk((index * CHUNK) as u32, chunk, &bodies, report);
            }
        });
        self.apply_reports();
        self.pass_surfaces();
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
            self.fetch_changed(&report.changed);
            for &id in &report.changed {
                if self.contacts.states[id as usize].constrained {
                    self.release(id);
                } else {
                    self.constrain(id);
                }
            }
            for &id in &report.manifold {
                self.update_parts(id);
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
        self.idle = 0;
        self.whole = 0;
        self.led = 0;
        self.changed.clear();
        self.manifold.clear();
        self.passing.clear();
        self.shared.clear();
        self.foreseen.clear();
        self.pushes.clear();
    }
}

impl Bodies<'_> {
    /// The world frame of a shape of the body in `slot`, if it is kept somewhere; otherwise it is
    /// that of the body and then the shape's own in there.
    #[inline]
    fn frame<'b>(&'b self, shape: &'b ShapeRecord, slot: u32) -> Result<&'b Frame, [&'b Frame; 2]> {
        if slot & STATIC_SLOT != 0 {
            return Ok(&shape.rest_frame);
        }
        let body = &self.frames[slot as usize];
        match &shape.local_frame {
            None => Ok(body),
            Some(local) => Err([body, local]),
        }
    }

    /// The moving state of a shape's body, if it is awake.
    #[inline]
    pub(crate) fn mover(&self, shape: &ShapeRecord) -> Option<&Body> {
        let slot = self.slot_of[shape.body as usize];
        (slot & STATIC_SLOT == 0).then(|| &self.awake[slot as usize])
    }

    /// A pair that may pass, unless neither body is ground to the other.
    #[inline]
    pub(crate) fn graze<'b>(&'b self, met: &Met<'b>, tracker: &'b Tracker) -> Option<Graze<'b>> {
        let Met { shapes, frames, .. } = *met;
        if met.settings.leans && !self.has_calm_ground(shapes, frames) {
            return None;
        }
        Some(Graze {
            shapes,
            frames,
            tracker,
            bodies: shapes.map(|shape| self.mover(shape)),
            settings: self.settings,
        })
    }

    /// The contact that a pair will have within the step, if a fast body comes to it then.
    #[cold]
    fn foresee(&self, met: &Met<'_>, tracker: &Tracker, contact: &Contact) -> Option<Foreseen> {
        let Met { shapes, frames, .. } = *met;
        let way_a = Way::new(self.mover(shapes[0]), self.settings);
        let way_b = Way::new(self.mover(shapes[1]), self.settings);
        let past = way_past(shapes, [&way_a, &way_b], met.lands)?;
        let way = frames[0].inverse_rotate(past.way);
        let near = past.turned + f64::from(met.settings.margin);
        let (a, b) = (&shapes[0].shape, &shapes[1].shape);
        if tracker.proves_apart_along(a, b, met.b_in_a, way, near) {
            return None;
        }
        let a = Sweep::new(&shapes[0].shape, frames[0], &way_a);
        let b = Sweep::new(&shapes[1].shape, frames[1], &way_b);
        let pair = Pair {
            shapes,
            sweeps: [&a, &b],
            simd: self.settings.simd,
        };
        let found = pair.foresee(contact, *tracker)?;
        if contact.count > 0 {
            return Some(found);
        }
        let graze = self.graze(met, tracker);
        let graze = graze.filter(|graze| graze.moves(&found.touch));
        let eased = graze.and_then(|graze| graze.eased(contact, &found.touch));
        let eased = eased.map(|touch| Foreseen { touch, push: None });
        eased.or(Some(found))
    }
}

/// How B gets past A in a step if that is far for the thinner of the shapes, where it is: what rides
/// on something large that turns passes nothing.
#[inline]
fn way_past(shapes: [&ShapeRecord; 2], [a, b]: [&Way; 2], lands: bool) -> Option<Past> {
    let calm = calm_past(shapes, lands);
    let thinner = calm_reach(shapes[0]).min(calm_reach(shapes[1]));
    let is_passed = |side: usize, past: &Past| {
        calm_reach(shapes[side]) <= thinner && past.reach() as f32 > calm
    };
    let (a, b) = (a.past(b), b.past(a));
    if is_passed(0, &a) {
        return Some(Past { way: -a.way, ..a });
    }
    is_passed(1, &b).then_some(b)
}

/// A pair of a chunk and where its shapes are.
pub(crate) struct Met<'a> {
    /// Its place in the chunk.
    at: usize,
    pub(crate) id: u32,
    pub(crate) shapes: [&'a ShapeRecord; 2],
    pub(crate) frames: [&'a Frame; 2],
    b_in_a: &'a Frame,
    pub(crate) settings: CollideSettings,
    /// How B gets past A in the step, in world axes, if the pair is to be swept: one of the shapes
    /// is fast, past the other too, and neither is a surface.
    past: Option<GuardWay>,
    /// Whether a body comes to something static or kinematic, or is a bullet.
    lands: bool,
}

impl Met<'_> {
    /// Whether the shapes are certainly farther apart than the margin, and remain so all through
    /// the step if they are to be swept. Loose ones are not swept either where only turning might
    /// bring them together: that makes no deep overlap.
    #[inline]
    fn is_apart(&self, tracker: &mut Tracker, is_loose: bool) -> bool {
        let [a, b] = [&self.shapes[0].shape, &self.shapes[1].shape];
        let margin = f64::from(self.settings.margin);
        let Some(past) = &self.past else {
            return tracker.proves_apart(a, b, self.b_in_a, margin);
        };
        let way = self.frames[0].inverse_rotate(past.linear.as_dvec3());
        if is_loose {
            return tracker.proves_apart_along(a, b, self.b_in_a, way, margin)
                || passes(a, b, self.b_in_a, way, margin, tracker);
        }
        let near = margin + f64::from(past.turning);
        tracker.proves_apart_along(a, b, self.b_in_a, way, near)
    }
}

fn collide_chunk(first: u32, mut chunk: Chunk<'_>, bodies: &Bodies<'_>, report: &mut ChunkReport) {
    // Most pairs of a loose pile end here without a look at anything else.
    let apart = bodies.still_apart(chunk.guards);
    bodies.fetch(&chunk, !apart);
    report.counters.skipped += u64::from(apart.count_ones());
    for i in 0..chunk.links.len() {
        let state = &mut chunk.states[i];
        if apart >> i & 1 == 1 {
            state.rung = Rung::Skip;
            report.idle |= u64::from(!state.touching) << i;
            continue;
        }
        if !state.awake || state.is_part {
            report.idle |= u64::from(state.muted || state.is_part) << i;
            continue;
        }
        let links = &chunk.links[i];
        let slot_a = bodies.slot_of[links.bodies[0] as usize];
        let slot_b = bodies.slot_of[links.bodies[1] as usize];
        let [a, b] = links.shapes;
        let (a, b) = (&bodies.shapes[a as usize], &bodies.shapes[b as usize]);
        let (room_a, room_b);
        let frame_a = match bodies.frame(a, slot_a) {
            Ok(kept) => kept,
            Err([body, local]) => {
                room_a = body.then(local);
                &room_a
            }
        };
        let frame_b = match bodies.frame(b, slot_b) {
            Ok(kept) => kept,
            Err([body, local]) => {
                room_b = body.then(local);
                &room_b
            }
        };
        let b_in_a = Frame::relative(frame_a, frame_b);
        let margin = a.margin.min(b.margin);
        let is_swept = chunk.surfaces[i].is_none() && !(state.constrained && state.loose);
        let lands = !state.constrained && !state.loose;
        let past = is_swept.then(|| bodies.fast_past([a, b], [slot_a, slot_b], lands));
        let met = Met {
            at: i,
            id: first + i as u32,
            shapes: [a, b],
            frames: [frame_a, frame_b],
            b_in_a: &b_in_a,
            settings: CollideSettings {
                margin,
                recycle: bodies.settings.recycling,
                leans: state.free && (slot_a | slot_b) & STATIC_SLOT == 0,
                stands: state.constrained && stands(&chunk.solver[i]),
                simd: bodies.settings.simd,
            },
            past: past.flatten(),
            lands,
        };
        let tracker = &mut chunk.trackers[i];
        if !state.constrained && met.is_apart(tracker, state.loose) {
            report.counters.skipped += 1;
            state.rung = Rung::Skip;
            report.idle |= u64::from(!state.touching) << i;
            if !chunk.guards[i].is_some() || met.past.is_some() {
                chunk.guards[i] = bodies.guard(tracker, [a, b], margin, state.loose);
            }
            continue;
        }
        collide_pair(&met, &mut chunk, bodies, report);
    }
}

fn collide_pair(
    met: &Met<'_>,
    chunk: &mut Chunk<'_>,
    bodies: &Bodies<'_>,
    report: &mut ChunkReport,
) {
    let outcome = answer(met, chunk, bodies, report);
    let Met {
        at: i, settings, ..
    } = *met;
    let (state, manifold) = (&mut chunk.states[i], &chunk.manifolds[i]);
    state.rung = outcome.rung;
    let is_whole = report.whole >> i & 1 == 1;
    let is_apart = !state.constrained && (outcome.rung == Rung::Skip || manifold.is_empty());
    let is_idle = is_apart && is_whole && !state.touching && met.past.is_none();
    report.idle |= u64::from(is_idle) << i;
    if outcome.rung == Rung::Skip && is_apart && met.past.is_none() {
        return;
    }
    if chunk.surfaces[i].is_none() && (outcome.rung != Rung::Skip || !chunk.guards[i].is_some()) {
        let tracker = &chunk.trackers[i];
        chunk.guards[i] = if manifold.is_empty() {
            bodies.guard(tracker, met.shapes, settings.margin, state.loose)
        } else {
            Guard::NONE
        };
    }
    if is_apart && is_whole && met.past.is_none() {
        // The record has no points already, nor impulses.
        return;
    }
    if met.shapes.iter().any(|shape| shape.shares_body) {
        report.shared.push(met.id);
    }
    let contact = &mut chunk.solver[i];
    let tracker = &chunk.trackers[i];
    if outcome.rung == Rung::Skip && is_apart {
        // There is nothing to bring up to date, and the record may be far away.
        let found = bodies.foresee(met, tracker, contact);
        found
            .into_iter()
            .for_each(|found| found.report(met.id, report));
        return;
    }
    bodies.renew(met, outcome, tracker, manifold, contact);
    if contact.count > 2 && met.shapes.iter().any(|shape| has_rim(&shape.shape)) {
        let movers = [0, 1].map(|side| bodies.mover(met.shapes[side]));
        let half = 0.5 * bodies.settings.dt;
        let is_led = aim_rims(contact, manifold, met.shapes, met.frames, movers, half);
        report.led |= u64::from(is_led) << i;
    }
    report.constraints += usize::from(contact.count > 0);
    report.points += contact.count as usize;
    if state.constrained != (contact.count > 0) {
        report.changed.push(met.id);
    }
    if met.past.is_some()
        && let Some(found) = bodies.foresee(met, tracker, contact)
    {
        found.report(met.id, report);
    } else if contact.count > 0 || !is_whole {
        let on_surface = chunk.surfaces[i].is_some();
        bodies.pass(met, tracker, contact, on_surface, report);
    }
}

/// Finds the manifolds of a pair, and notes whether there is more than one.
fn answer(
    met: &Met<'_>,
    chunk: &mut Chunk<'_>,
    bodies: &Bodies<'_>,
    report: &mut ChunkReport,
) -> Outcome {
    let Met { at: i, b_in_a, .. } = *met;
    let [a, b] = met.shapes;
    let (manifold, counters) = (&mut chunk.manifolds[i], &mut report.counters);
    let Some(surface) = &mut chunk.surfaces[i] else {
        report.whole |= 1 << i;
        let (settings, tracker) = (&met.settings, &mut chunk.trackers[i]);
        return collide(
            &a.shape, &b.shape, b_in_a, settings, tracker, manifold, counters,
        );
    };
    let lands = met.lands && surface.parts.is_empty();
    let settings = bodies.reaching(met.settings, met.shapes, met.frames, lands);
    let outcome = on_surface(surface, [a, b], b_in_a, &settings, counters);
    let found = surface.memory.manifold(0);
    // Most that are near touch nothing, and did not.
    if !manifold.is_empty() || !found.is_empty() {
        *manifold = *found;
    }
    if surface.memory.manifolds().len() > 1 || !surface.parts.is_empty() {
        report.manifold.push(met.id);
    } else {
        report.whole |= 1 << i;
    }
    outcome
}

/// A convex shape and a surface, in either order.
fn on_surface(
    contact: &mut OnSurface,
    [a, b]: [&ShapeRecord; 2],
    b_in_a: &Frame,
    settings: &CollideSettings,
    counters: &mut Counters,
) -> Outcome {
    let memory = &mut contact.memory;
    match (a.shape.surface(), b.shape.surface()) {
        (Some(surface), _) => {
            collide_surface(surface, &b.shape, b_in_a, false, settings, memory, counters)
        }
        (None, Some(surface)) => {
            let a_in_b = b_in_a.inverse();
            collide_surface(surface, &a.shape, &a_in_b, true, settings, memory, counters)
        }
        (None, None) => Outcome { rung: Rung::Skip },
    }
}
