//! Continuous collision: fast bodies do not pass through what they would skip within a step.
//!
//! A fast body is one that moves by more than a share of its thickness in a step. Before the
//! broad phase its boxes reach as far as it will get; after the narrow phase its way is
//! swept, rotation included, against every static and kinematic shape it may meet, and against
//! dynamic ones too when either is a bullet. Where it meets one, the contact of that moment is
//! handed to the solver with the gap there is now. The solver lets the body come just as far
//! within the sub-steps, and bounce, slide or roll on with the time that is left. What a
//! sweep shows to be missed gets no contact, so nothing bumps into surfaces beside its way.
//! A fast body that already touches with an edge gets the points its turning may bring down.
//! What spins so fast that even this is not enough is held back after the solve, with its
//! core in front of what its core would have passed.

use drystone_geometry::glam::{DMat3, DVec3};
use drystone_geometry::{Frame, Manifold, Shape, WorldAabb};
use drystone_narrow_phase::{
    CastEnd, CastSettings, CollideSettings, Counters, Motion, Toi, Tracker, cast_motion, collide,
};
use drystone_solver::{Bend, Body, Contact, ContactPoint};

use crate::World;
use crate::def::BodyKind;
use crate::record::{BodyRecord, NONE, Place, ShapeRecord, origin_pose};
use crate::stats::Stopwatch;
use crate::tolerance::{FAST_SHARE, SWEEP_TARGET};

/// Fast bodies per unit of parallel work.
const CHUNK: usize = 8;

/// A shape on its way through a step, which is the time from 0 to 1.
struct Sweep<'a> {
    shape: &'a Shape,
    motion: Motion,
    /// Greatest way that turning takes the surface, in metres.
    turning: f64,
    /// Greatest distance of the body's surface from its centre, in metres; zero at rest.
    extent: f64,
}

impl Sweep<'_> {
    /// Greatest way of a point of this shape past what surrounds it on another, in metres: small
    /// for what rides on something fast.
    fn way_past(&self, other: &Self) -> f64 {
        let middle = self.motion.start.transform_point(self.motion.center);
        let arm = middle - other.motion.start.transform_point(other.motion.center);
        let carried = other.motion.linear + other.motion.angular.cross(arm);
        let turned = (self.motion.angular - other.motion.angular).length() * self.extent;
        // Arcs leave their tangents by half the square of the angle at most.
        let bent = |angle: DVec3, arm: f64| 0.5 * angle.length_squared() * arm;
        (self.motion.linear - carried).length()
            + turned
            + bent(self.motion.angular, self.extent)
            + bent(other.motion.angular, arm.length() + self.extent)
    }
}

/// When two shapes first come within `target` metres of each other, and how that was found;
/// `None` when they do not. A cast that gave up counts as a touch.
fn first_touch(a: &Sweep<'_>, b: &Sweep<'_>, target: f64) -> Option<Toi> {
    let settings = CastSettings {
        slack: target,
        ..CastSettings::default()
    };
    let (a, b) = ((a.shape, &a.motion), (b.shape, &b.motion));
    let toi = cast_motion(a, b, &settings, &mut Counters::default());
    (toi.end != CastEnd::Missed).then_some(toi)
}

/// The contact of two shapes at `time`, told for the start of the step.
fn foreseen(
    shapes: [&ShapeRecord; 2],
    sweeps: [&Sweep<'_>; 2],
    time: f64,
    reach: f64,
    contact: &Contact,
) -> Contact {
    let [a, b] = shapes;
    let [frame_a, frame_b] = sweeps.map(|sweep| sweep.motion.at(time));
    let settings = CollideSettings {
        margin: a.margin.min(b.margin) + reach as f32,
        recycle: false,
    };
    let mut manifold = Manifold::EMPTY;
    collide(
        &a.shape,
        &b.shape,
        &Frame::relative(&frame_a, &frame_b),
        &settings,
        &mut Tracker::default(),
        &mut manifold,
        &mut Counters::default(),
    );
    let normal = frame_a.rotate(manifold.normal.as_dvec3());
    let mut foreseen = Contact {
        normal: normal.as_vec3(),
        count: manifold.points().len() as u32,
        // What the contact knew of now does not hold then.
        bend_a: Bend::NONE,
        bend_b: Bend::NONE,
        ..*contact
    };
    for (point, from) in foreseen.points.iter_mut().zip(manifold.points()) {
        let before = (contact.points().iter()).find(|point| point.feature == from.feature);
        let on_a = (sweeps[0].motion.start).transform_point(from.anchor_a.as_dvec3());
        let on_b = (sweeps[1].motion.start).transform_point(from.anchor_b.as_dvec3());
        // What turning lifts before it comes down is not deep.
        let gap = normal.dot(on_b - on_a);
        let gap = if time > 0.0 { gap.max(0.0) } else { gap };
        *point = ContactPoint {
            anchor_a: a.center_pose.transform_point(from.anchor_a),
            anchor_b: b.center_pose.transform_point(from.anchor_b),
            separation: gap as f32,
            normal_impulse: before.map_or(0.0, |before| before.normal_impulse),
            max_normal_impulse: 0.0,
            feature: from.feature,
        };
    }
    foreseen
}

impl World {
    /// Notes that the velocity of a body was set, or that it came.
    pub(crate) fn note_motion(&mut self, index: u32) {
        self.movers.push(index);
    }

    /// Whether a body moves by more than a share of its thickness in a step, and how far, in
    /// metres.
    fn reach_of(&self, body: &Body) -> Option<f32> {
        let reach = self.greatest_motion(body);
        let mut at = self.bodies[body.index as usize].first_shape;
        while at != NONE {
            let shape = &self.shapes[at as usize];
            if is_fast(shape, reach) {
                return Some(reach);
            }
            at = shape.next;
        }
        None
    }

    /// Greatest way of a point of a body's surface in a step, in metres.
    fn greatest_motion(&self, body: &Body) -> f32 {
        body.surface_speed() * self.settings.dt
    }

    /// Leaves only fast bodies among the movers, in order, and lets their boxes reach as far
    /// as they will get in this step.
    pub(crate) fn reach_out(&mut self) {
        let mut watch = Stopwatch::start();
        let mut movers = std::mem::take(&mut self.movers);
        movers.sort_unstable();
        movers.dedup();
        movers.retain(|index| {
            let Some(Place::Awake(slot)) = self.bodies.get(*index as usize).map(|b| b.place) else {
                return false;
            };
            let body = self.awake[slot as usize].clone();
            let Some(reach) = self.reach_of(&body) else {
                return false;
            };
            let record = &self.bodies[*index as usize];
            let (pose, kind, first) = (
                origin_pose(&body, record.center),
                record.kind,
                record.first_shape,
            );
            let way = body.linear_velocity.as_dvec3() * f64::from(self.settings.dt);
            let turning = reach - body.linear_velocity.length() * self.settings.dt;
            let mut at = first;
            while at != NONE {
                let shape = &self.shapes[at as usize];
                let now = shape
                    .proxy_aabb(&pose, kind)
                    .inflate(f64::from(turning.max(0.0)));
                let swept = WorldAabb {
                    min: now.min.min(now.min + way),
                    max: now.max.max(now.max + way),
                };
                let fat = self.broad.fat_aabb(at);
                let next = shape.next;
                if swept.is_valid() && fat.is_none_or(|fat| !fat.contains(&swept)) {
                    let moved =
                        self.broad
                            .move_proxy(at, swept, drystone_geometry::glam::Vec3::ZERO);
                    debug_assert!(moved.is_ok(), "the box is valid");
                }
                at = next;
            }
            true
        });
        self.movers = movers;
        self.stats.times.serial += watch.lap();
    }

    /// Sweeps the ways of fast bodies and hands the contacts they will have to the solver.
    pub(crate) fn foresee(&mut self) {
        if self.movers.is_empty() {
            return;
        }
        let chunks = self.movers.chunks(CHUNK);
        let mut found: Vec<Vec<(u32, Contact)>> = Vec::new();
        found.resize_with(chunks.len(), Vec::new);
        let world = &*self;
        (self.workers).for_each(chunks.zip(&mut found), |_, (movers, found)| {
            for &mover in movers {
                world.foresee_one(mover, found);
            }
        });
        let mut found: Vec<_> = found.into_iter().flatten().collect();
        found.sort_by_key(|(id, _)| *id);
        found.dedup_by_key(|(id, _)| *id);
        for (id, contact) in found {
            let before = std::mem::replace(&mut self.contacts.solver[id as usize], contact);
            let contact = &self.contacts.solver[id as usize];
            self.stats.points += (contact.count - before.count) as usize;
            if self.contacts.states[id as usize].constrained {
                self.foreseen.push((id, Some(before)));
            } else {
                self.stats.constraints += 1;
                self.constrain(id);
                self.foreseen.push((id, None));
            }
        }
    }

    /// Takes back the contacts that were handed to the solver for this step alone.
    pub(crate) fn forget_foreseen(&mut self) {
        for (id, before) in std::mem::take(&mut self.foreseen) {
            let Some(before) = before else {
                self.release(id);
                continue;
            };
            let contact = &mut self.contacts.solver[id as usize];
            let after = std::mem::replace(contact, before);
            contact.friction_impulse = after.friction_impulse;
            contact.twist_impulse = after.twist_impulse;
            contact.rolling_impulse = after.rolling_impulse;
            for point in &mut contact.points[..before.count as usize] {
                let same = |other: &&ContactPoint| other.feature == point.feature;
                let other = after.points().iter().find(same);
                point.normal_impulse = other.map_or(0.0, |other| other.normal_impulse);
                point.max_normal_impulse = other.map_or(0.0, |other| other.max_normal_impulse);
            }
        }
    }

    /// The contacts that one fast body will have.
    fn foresee_one(&self, mover: u32, found: &mut Vec<(u32, Contact)>) {
        let record = &self.bodies[mover as usize];
        for (id, side) in self.contacts.of_body(record) {
            let state = &self.contacts.states[id as usize];
            let links = &self.contacts.links[id as usize];
            let other = &self.bodies[links.bodies[1 - side] as usize];
            let both_pushed = [record, other]
                .iter()
                .all(|body| body.kind == BodyKind::Dynamic);
            let skips = both_pushed && !record.bullet && !other.bullet;
            if !state.awake || skips {
                continue;
            }
            let shapes = links.shapes.map(|shape| &self.shapes[shape as usize]);
            if shapes.iter().any(|shape| is_surface(shape)) {
                continue;
            }
            let [a, b] = shapes.map(|shape| self.sweep_of(shape));
            let own = [&a, &b][side];
            let relative = own.way_past([&b, &a][side]);
            if !is_fast(shapes[side], relative as f32) {
                continue;
            }
            let margin = f64::from(shapes[0].margin.min(shapes[1].margin));
            let b_in_a = Frame::relative(&a.motion.start, &b.motion.start);
            let tracker = &self.contacts.trackers[id as usize];
            if tracker.proves_apart(a.shape, b.shape, &b_in_a, relative + margin) {
                continue;
            }
            let turning = a.turning + b.turning;
            let touches = state.constrained;
            if touches && turning <= margin {
                continue;
            }
            let touch = if touches {
                Some(0.0)
            } else {
                let toi = first_touch(&a, &b, f64::from(SWEEP_TARGET) * margin);
                toi.map(|toi| toi.time)
            };
            let Some(time) = touch else {
                continue;
            };
            // An impact at one end makes the other come down up to twice as fast.
            let way = (a.motion.linear - b.motion.linear).length() + turning;
            let reach = 2.0 * way * (1.0 - time);
            let contact = &self.contacts.solver[id as usize];
            let foreseen = foreseen(shapes, [&a, &b], time, reach, contact);
            if foreseen.count > contact.count {
                found.push((id, foreseen));
            }
        }
    }

    /// Holds fast bodies back whose core would have passed through something static in the
    /// step that was solved. Only what leads through is taken from their way.
    pub(crate) fn hold_back(&mut self) {
        if self.movers.is_empty() {
            return;
        }
        let chunks = self.movers.chunks(CHUNK);
        let mut held: Vec<Vec<(usize, DVec3)>> = Vec::new();
        held.resize_with(chunks.len(), Vec::new);
        let world = &*self;
        (self.workers).for_each(chunks.zip(&mut held), |_, (movers, held)| {
            held.extend(movers.iter().filter_map(|mover| world.held_at(*mover)));
        });
        for (slot, center) in held.into_iter().flatten() {
            self.awake[slot].center = center;
        }
    }

    /// Where the centre of a fast body ends, if it is not where the solver put it, and the
    /// body's slot.
    fn held_at(&self, mover: u32) -> Option<(usize, DVec3)> {
        let record = &self.bodies[mover as usize];
        let Place::Awake(slot) = record.place else {
            return None;
        };
        let (slot, body) = (slot as usize, &self.awake[slot as usize]);
        let start = self.frames[slot].transform_point(record.center.as_dvec3());
        let way = body.center - start;
        if !way.is_finite() {
            return None;
        }
        let thickness = self.thickness(record);
        let core = Shape::sphere(FAST_SHARE * thickness);
        if !body.is_dynamic() || way.length() <= f64::from(FAST_SHARE * thickness) {
            return None;
        }
        let mut left = way;
        for (id, side) in self.contacts.of_body(record) {
            let links = &self.contacts.links[id as usize];
            let other = &self.shapes[links.shapes[1 - side] as usize];
            let stands = self.bodies[other.body as usize].kind == BodyKind::Static;
            if !stands || !self.contacts.states[id as usize].awake || self.is_let_pass(id) {
                continue;
            }
            let from = Frame {
                rotation: DMat3::IDENTITY,
                translation: start,
            };
            let from = Sweep {
                shape: &core,
                motion: Motion::shift(from, left),
                turning: 0.0,
                extent: 0.0,
            };
            let target = f64::from(SWEEP_TARGET * FAST_SHARE * thickness);
            if let Some(toi) = first_touch(&from, &self.sweep_of(other), target) {
                let normal = toi.separation.normal;
                left -= normal * (normal.dot(left) * (1.0 - toi.time)).max(0.0);
            }
        }
        (left != way).then_some((slot, start + left))
    }

    /// Whether hooks took all points of a contact away in this step.
    fn is_let_pass(&self, id: u32) -> bool {
        // Patches are made in contact order.
        self.contacts.solver[id as usize].count == 0 && self.patched.binary_search(&id).is_ok()
    }

    /// The least inner radius of a body's shapes, in metres.
    fn thickness(&self, record: &BodyRecord) -> f32 {
        let mut thickness = f32::INFINITY;
        let mut at = record.first_shape;
        while at != NONE {
            let shape = &self.shapes[at as usize];
            thickness = thickness.min(shape.shape.inner_radius());
            at = shape.next;
        }
        thickness
    }

    /// The way of a shape through the coming step, as far as it is known before.
    fn sweep_of<'a>(&'a self, shape: &'a ShapeRecord) -> Sweep<'a> {
        let record = &self.bodies[shape.body as usize];
        let Place::Awake(slot) = record.place else {
            return Sweep {
                shape: &shape.shape,
                motion: Motion::still(shape.rest_frame),
                turning: 0.0,
                extent: 0.0,
            };
        };
        let body = &self.awake[slot as usize];
        let mut velocity = body.linear_velocity;
        if body.is_dynamic() {
            let gain = body.gravity_scale * self.settings.gravity * self.settings.dt;
            velocity += gain * body.locks.free_translation();
        }
        let dt = f64::from(self.settings.dt);
        let start = shape.frame_on(&self.frames[slot as usize]);
        let angular = body.angular_velocity.as_dvec3() * dt;
        Sweep {
            shape: &shape.shape,
            motion: Motion {
                center: start.inverse_transform_point(body.center),
                start,
                linear: velocity.as_dvec3() * dt,
                angular,
            },
            turning: angular.length() * f64::from(body.extent),
            extent: f64::from(body.extent),
        }
    }
}

/// Whether a shape whose points move by at most `reach` metres in a step moves by more than
/// a share of its thickness.
pub(crate) fn is_fast(shape: &ShapeRecord, reach: f32) -> bool {
    reach > shape.margin && reach > FAST_SHARE * shape.shape.inner_radius()
}

/// Whether a shape is a surface of triangles, which the sweep leaves to its own contacts.
fn is_surface(shape: &ShapeRecord) -> bool {
    matches!(shape.shape, Shape::Mesh(_) | Shape::HeightField(_))
}
