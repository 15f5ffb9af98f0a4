//! Continuous collision: fast bodies do not pass through what they would skip within a step.
//!
//! A body is fast for what is in its way if it moves, in a step, by more than a share of the
//! thickness of the thinner of the two, or, when it comes to something static or kinematic, by more
//! than the contact margin. The boxes of whatever may be fast reach as far as it will get; in the
//! narrow phase the ways of both shapes past each other are swept, rotation included, if that is far
//! as well, unless what is known of the pair proves them farther apart than they can come. Where
//! they meet, the contact of that moment is handed to the solver with the gap there is now. The
//! solver lets the body come just as far within the sub-steps, and bounce, slide or roll on with
//! the time that is left. What a sweep shows to be missed gets no contact, so nothing bumps into
//! surfaces beside its way; what it only [grazes](crate::graze) does not stop it either. A fast
//! body that already touches a static or kinematic one with an edge, or is a bullet, gets the
//! points its turning may bring down. What gets farther in the solve than was foreseen is [held
//! back](crate::hold) after it.

use drystone_geometry::glam::{DVec3, Vec3};
use drystone_geometry::{Frame, Manifold, Shape, SimdLevel};
use drystone_narrow_phase::{
    CastEnd, CastSettings, CollideSettings, Counters, Motion, Toi, Tracker, cast_motion_tracked,
    collide,
};
use drystone_solver::{Bend, Body, Contact, ContactPoint};

use crate::World;
use crate::collide::ChunkReport;
use crate::def::Settings;
use crate::path::Path;
use crate::record::{NONE, Place, ShapeRecord, origin_pose};
use crate::renew::{Impulses, anchors_of, carry};
use crate::stats::Stopwatch;
use crate::tolerance::{FAST_SHARE, SWEEP_TARGET};

/// A shape on its way through a step, which is the time from 0 to 1.
pub(crate) struct Sweep<'a> {
    pub(crate) shape: &'a Shape,
    pub(crate) motion: Motion,
    /// Greatest way that turning takes the surface, in metres.
    pub(crate) turning: f64,
    /// Greatest distance of the body's surface from its centre, in metres; zero at rest.
    pub(crate) extent: f64,
}

/// The way of a body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Way {
    /// Its centre in the world, in metres.
    center: DVec3,
    /// In metres.
    linear: DVec3,
    /// Rotation vector in the world, in radians.
    angular: DVec3,
    /// Greatest distance of its surface from its centre, in metres; zero at rest.
    extent: f64,
    /// Whether it may move at all.
    moves: bool,
}

impl Way {
    /// Through the coming step, as far as it is known before, of a body if it is awake.
    #[inline]
    pub(crate) fn new(body: Option<&Body>, settings: &Settings) -> Self {
        let velocity = body.map_or(Vec3::ZERO, |body| coming_velocity(body, settings));
        Self::at_speed(body, velocity, settings.dt)
    }

    /// The same when the body's centre moves at `velocity`, in m/s, for `dt` seconds.
    #[inline]
    pub(crate) fn at_speed(body: Option<&Body>, velocity: Vec3, dt: f32) -> Self {
        let Some(body) = body else {
            return Self {
                center: DVec3::ZERO,
                linear: DVec3::ZERO,
                angular: DVec3::ZERO,
                extent: 0.0,
                moves: false,
            };
        };
        let dt = f64::from(dt);
        Self {
            center: body.center,
            linear: velocity.as_dvec3() * dt,
            angular: body.angular_velocity.as_dvec3() * dt,
            extent: f64::from(body.extent),
            moves: true,
        }
    }

    /// Past what surrounds it on another body: short for what rides on something fast.
    #[inline]
    pub(crate) fn past(&self, other: &Self) -> Past {
        let arm = self.center - other.center;
        let carried = other.linear + other.angular.cross(arm);
        let turned = (self.angular - other.angular).length() * self.extent;
        // Arcs leave their tangents by half the square of the angle at most.
        let bent = |angle: DVec3, arm: f64| 0.5 * angle.length_squared() * arm;
        Past {
            way: self.linear - carried,
            turned: turned
                + bent(self.angular, self.extent)
                + bent(other.angular, arm.length() + self.extent),
        }
    }
}

/// How far a body gets past another, as if that did not move.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Past {
    /// Way of its centre, in metres.
    pub(crate) way: DVec3,
    /// Greatest way of a point of it beyond that, in metres.
    pub(crate) turned: f64,
}

impl Past {
    /// Greatest way of a point, in metres.
    #[inline]
    pub(crate) fn reach(&self) -> f64 {
        self.way.length() + self.turned
    }
}

/// The velocity of a body in the coming step, as far as it is known before, in m/s.
#[inline]
pub(crate) fn coming_velocity(body: &Body, settings: &Settings) -> Vec3 {
    let mut velocity = body.linear_velocity;
    if body.is_dynamic() {
        let gain = body.gravity_scale * settings.gravity * settings.dt;
        velocity += gain * body.locks.free_translation();
    }
    velocity
}

impl<'a> Sweep<'a> {
    /// Of a shape from its frame in the world along the way of its body.
    #[inline]
    pub(crate) fn new(shape: &'a Shape, start: &Frame, way: &Way) -> Self {
        if !way.moves {
            return Self {
                shape,
                motion: Motion::still(*start),
                turning: 0.0,
                extent: 0.0,
            };
        }
        Self {
            shape,
            motion: Motion {
                center: start.inverse_transform_point(way.center),
                start: *start,
                linear: way.linear,
                angular: way.angular,
            },
            turning: way.angular.length() * way.extent,
            extent: way.extent,
        }
    }
}

impl Sweep<'_> {
    /// Whether it moves at all.
    pub(crate) fn moves(&self) -> bool {
        self.extent > 0.0
    }
}

/// A contact that shapes will have within the step.
pub(crate) struct Foreseen {
    /// Its points where they are as the step begins.
    pub(crate) touch: Contact,
    /// What pushes in its place.
    pub(crate) push: Option<Contact>,
}

impl Foreseen {
    /// Tells of it as contact number `id`.
    pub(crate) fn report(self, id: u32, report: &mut ChunkReport) {
        report.foreseen.push((id, self.touch));
        report.pushes.extend(self.push.map(|push| (id, push)));
    }
}

/// Two shapes on their ways.
pub(crate) struct Pair<'a> {
    pub(crate) shapes: [&'a ShapeRecord; 2],
    pub(crate) sweeps: [&'a Sweep<'a>; 2],
    /// Instruction set of the wide kernels.
    pub(crate) simd: SimdLevel,
}

impl Pair<'_> {
    /// The contact the shapes will have within the step, when their ways meet; `contact` is what
    /// they have now, and `tracker` knows where they are near each other.
    pub(crate) fn foresee(&self, contact: &Contact, mut tracker: Tracker) -> Option<Foreseen> {
        let [a, b] = self.sweeps;
        let margin = f64::from(self.shapes[0].margin.min(self.shapes[1].margin));
        let turning = a.turning + b.turning;
        let time = if contact.count > 0 {
            (turning > margin).then_some(0.0)?
        } else {
            first_touch(a, b, f64::from(SWEEP_TARGET) * margin, &mut tracker)?.time
        };
        // An impact at one end makes the other come down up to twice as fast.
        let way = (a.motion.linear - b.motion.linear).length() + turning;
        let reach = 2.0 * way * (1.0 - time);
        let (touch, manifold) = self.contact_at(time, reach, contact, &mut tracker);
        (touch.count > contact.count).then(|| Foreseen {
            touch,
            push: (time > 0.0).then(|| self.aimed(touch, &manifold, time)),
        })
    }

    /// The contact of the shapes at `time`, told for the start of the step, with points whose gap
    /// is at most `reach` metres beyond the margin then. Where `reach` is negative, points may
    /// overlap by as much; else they do not. With the manifold of that time.
    pub(crate) fn contact_at(
        &self,
        time: f64,
        reach: f64,
        contact: &Contact,
        tracker: &mut Tracker,
    ) -> (Contact, Manifold) {
        let [a, b] = self.shapes;
        let [start_a, start_b] = self.sweeps.map(|sweep| &sweep.motion.start);
        let [frame_a, frame_b] = self.sweeps.map(|sweep| sweep.motion.at(time));
        let settings = CollideSettings {
            margin: a.margin.min(b.margin) + reach.max(0.0) as f32,
            recycle: false,
            leans: false,
            stands: false,
            simd: self.simd,
        };
        let mut manifold = Manifold::EMPTY;
        collide(
            &a.shape,
            &b.shape,
            &Frame::relative(&frame_a, &frame_b),
            &settings,
            tracker,
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
        carry(&mut foreseen, self.shapes, [&frame_a, &frame_b]);
        let mut before = Impulses::of(contact, self.shapes);
        let places = foreseen.points.iter_mut().zip(&mut foreseen.anchors);
        for ((point, anchors), from) in places.zip(manifold.points()) {
            let on_a = start_a.transform_point(from.anchor_a.as_dvec3());
            let on_b = start_b.transform_point(from.anchor_b.as_dvec3());
            // What turning lifts before it comes down is not deep.
            let gap = normal.dot(on_b - on_a);
            let gap = if time > 0.0 {
                gap.max(reach.min(0.0))
            } else {
                gap
            };
            *anchors = anchors_of(self.shapes, from);
            *point = ContactPoint {
                separation: gap as f32,
                normal_impulse: before.taken_over(from.feature, anchors.a, manifold.points()),
                max_normal_impulse: 0.0,
                feature: from.feature,
            };
        }
        (foreseen, manifold)
    }
}

/// When two shapes first come within `target` metres of each other, and how that was found;
/// `None` when they do not. A cast that gave up counts as a touch. `tracker` is where it starts.
pub(crate) fn first_touch(
    a: &Sweep<'_>,
    b: &Sweep<'_>,
    target: f64,
    tracker: &mut Tracker,
) -> Option<Toi> {
    let settings = CastSettings {
        slack: target,
        ..CastSettings::default()
    };
    let (a, b) = ((a.shape, &a.motion), (b.shape, &b.motion));
    let toi = cast_motion_tracked(a, b, &settings, tracker, &mut Counters::default());
    (toi.end != CastEnd::Missed).then_some(toi)
}

impl World {
    /// Notes that the boxes of a body may not reach as far as it will get in the next step.
    pub(crate) fn note_motion(&mut self, index: u32) {
        // A world that does not step for long is told of the same bodies again and again.
        if self.movers.len() > 2 * self.bodies.len() {
            self.movers.sort_unstable();
            self.movers.dedup();
        }
        self.movers.push(index);
    }

    /// Lets the boxes of bodies that were changed since the last step reach as far as they will
    /// get in this step if they are fast. Those of the others do already.
    pub(crate) fn reach_out(&mut self) {
        if self.movers.is_empty() {
            return;
        }
        let mut watch = Stopwatch::start();
        let mut movers = std::mem::take(&mut self.movers);
        movers.sort_unstable();
        movers.dedup();
        let dt = self.settings.dt;
        for index in movers.drain(..) {
            let Some(Place::Awake(slot)) = self.bodies.get(index as usize).map(|b| b.place) else {
                continue;
            };
            let record = &self.bodies[index as usize];
            let body = &self.awake[slot as usize];
            let Some(path) = Path::of(body, record, dt) else {
                continue;
            };
            let frame = origin_pose(body, record.center).to_frame();
            let (kind, mut at) = (record.kind, record.first_shape);
            while at != NONE {
                let shape = &self.shapes[at as usize];
                path.reach(&mut self.broad, at, shape, &frame, kind);
                at = shape.next;
            }
        }
        self.movers = movers;
        self.stats.times.serial += watch.lap();
    }

    /// Hands the contacts that fast bodies will have, and those of bodies that pass each other, to
    /// the solver, in contact order.
    pub(crate) fn foresee(&mut self) {
        let idle = |report: &ChunkReport| report.foreseen.is_empty() && report.pushes.is_empty();
        if self.chunk_reports.iter().all(idle) {
            return;
        }
        let mut watch = Stopwatch::start();
        let mut reports = std::mem::take(&mut self.chunk_reports);
        for (id, contact) in reports
            .iter_mut()
            .flat_map(|report| report.foreseen.drain(..))
        {
            let before = std::mem::replace(&mut self.contacts.solver[id as usize], contact);
            let contact = &self.contacts.solver[id as usize];
            self.stats.points += contact.count as usize;
            self.stats.points -= before.count as usize;
            if self.contacts.states[id as usize].constrained {
                self.foreseen.push((id, Some(before)));
            } else {
                self.stats.constraints += 1;
                self.constrain(id);
                self.foreseen.push((id, None));
            }
        }
        for report in &mut reports {
            self.pushes.append(&mut report.pushes);
        }
        self.chunk_reports = reports;
        self.stats.times.serial += watch.lap();
    }

    /// Takes back the contacts that were handed to the solver for this step alone.
    pub(crate) fn forget_foreseen(&mut self) {
        for (id, before) in std::mem::take(&mut self.foreseen) {
            let Some(before) = before else {
                self.release(id);
                let contact = &mut self.contacts.solver[id as usize];
                contact.friction_impulse = Vec3::ZERO;
                contact.twist_impulse = 0.0;
                contact.rolling_impulse = Vec3::ZERO;
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
}

/// How far two shapes may get past each other in a step without being swept, in metres: what is thin
/// is soon passed, whichever of them moves. What comes to something static or kinematic stops
/// right there, thick as it may be.
#[inline]
pub(crate) fn calm_past([a, b]: [&ShapeRecord; 2], lands: bool) -> f32 {
    if lands {
        a.margin.min(b.margin)
    } else {
        calm_reach(a).min(calm_reach(b))
    }
}

/// How far the points of a shape may get in a step without its being fast, in metres.
#[inline]
pub(crate) fn calm_reach(shape: &ShapeRecord) -> f32 {
    if shape.shape.surface().is_some() {
        // It is as thin as can be.
        return shape.margin;
    }
    shape.margin.max(FAST_SHARE * shape.shape.inner_radius())
}
