//! Holding back: what got farther in a step than was foreseen does not pass through what nothing pushes.
//!
//! Ways are swept before the solve, see [`crate::continuous`]. Within it a body may become faster,
//! when something hits it, or turn aside: one impact is foreseen, and about the point it hits a body
//! turns on until its centre is on the other side. So afterwards every dynamic body whose centre
//! moved by more than a share of its thickness past something has its core swept along the
//! straight way of the centre, against every static and kinematic shape there, whether the broad
//! phase knew of it or not. Kinematic shapes move and turn meanwhile. Only what leads
//! through is taken from the way; the velocity is left to the contact of the next step. Whatever
//! the speeds, the centre of a dynamic body thus never gets from one side of such a shape
//! to the other within a step. Among dynamic bodies that is so for [bullets] alone: others stop
//! at what they were headed for as the step began, and may turn on through what is thin.
//!
//! A mesh or height field pushes to the side the centre is on, however thin the body and deep the
//! overlap. So at those the centre is held at any speed that shows, a core so small that it
//! is not in touch as the step begins, and in a crease where one triangle hands it on to the next.
//! What is so deep as the step begins had its contact: it loses the velocity too, as a coin that
//! rocks by more than its thickness in a step would keep it for ever, and is lifted a little.
//!
//! Of what is [hollow], a ring or a frame, the middles of the parts are looked at.

mod bullets;
mod core;
mod hollow;
mod obstacle;

use drystone_broad_phase::BroadPhase;
use drystone_geometry::glam::{DMat3, DVec3, Vec3};
use drystone_geometry::{Frame, Shape, WorldAabb};
use drystone_narrow_phase::{Motion, Toi, Tracker};
use drystone_solver::{Body, Joint, STATIC_SLOT};

pub(crate) use core::CoreIn;
use obstacle::{Obstacle, Past};

use crate::World;
use crate::contacts::Contacts;
use crate::continuous::{Sweep, first_touch};
use crate::def::{BodyKind, JointDef};
use crate::record::{BodyRecord, NONE, ShapeRecord, origin_pose};
use crate::tolerance::{
    FAST_SHARE, HOLD_LIFT, HOLD_PASSES, HOLD_ROOM, HOLD_SHRINK, HOLD_STILL, SWEEP_TARGET,
};

/// What holding back reads.
#[derive(Clone, Copy)]
pub(crate) struct Holder<'a> {
    pub(crate) bodies: &'a [BodyRecord],
    pub(crate) shapes: &'a [ShapeRecord],
    pub(crate) contacts: &'a Contacts,
    pub(crate) broad: &'a BroadPhase,
    /// Slots of bodies: a look at these is short.
    pub(crate) slot_of: &'a [u32],
    /// As the solver left them.
    pub(crate) awake: &'a [Body],
    pub(crate) dt: f32,
    pub(crate) joints: &'a [Joint],
    pub(crate) joint_defs: &'a [JointDef],
    /// Contacts that hooks changed in this step, in order.
    pub(crate) patched: &'a [u32],
}

/// The ball at the centre of a body, and its way.
struct Core {
    /// In metres, where there is room.
    radius: f32,
    /// Share of it that is left.
    share: f32,
    start: DVec3,
    /// What is left of the way, in metres.
    way: DVec3,
    /// What is left of the velocity, in m/s.
    velocity: Vec3,
    /// Whether the way is cut where it leads through something, and not bent.
    is_last: bool,
}

/// Where a core meets something on its way.
struct Met {
    /// Of the step.
    time: f64,
    /// From the core to what it meets, as that has turned at the end of the step.
    normal: DVec3,
    /// How far the way leads beyond, along the normal, in metres.
    through: f64,
    /// Where the centre would be carried to by what it meets.
    carried: DVec3,
    /// Radius of the core where there is less room than it needs, in metres.
    room: f32,
}

impl Core {
    fn new(radius: f32, start: DVec3, way: DVec3, velocity: Vec3) -> Self {
        Self {
            radius,
            share: 1.0,
            start,
            way,
            velocity,
            is_last: false,
        }
    }

    /// Where the core first meets something.
    fn meet(&self, other: &Obstacle<'_>) -> Option<Met> {
        let room = self.room_before(other);
        let radius = self.share * room;
        let toi = touch_of(radius, (self.start, self.way), &other.sweep())?;
        let (time, normal) = (toi.time, toi.separation.normal);
        let there = self.start + time * self.way;
        let met = Met {
            time,
            normal,
            through: normal.dot(self.way) * (1.0 - time),
            carried: there,
            room,
        };
        if other.is_still() {
            return Some(met);
        }
        // What turns on is a wall where it is in the end, if the rest of the way leads through it there.
        let (carried, normal) = other.carry(time, there, normal);
        let rest = self.start + self.way - carried;
        if normal.dot(rest) <= 0.0 && other.shape.shape.surface().is_none() {
            return None;
        }
        let toi = touch_of(HOLD_SHRINK * radius, (carried, rest), &other.sweep_at_end())?;
        let normal = toi.separation.normal;
        Some(Met {
            normal,
            through: normal.dot(rest) * (1.0 - toi.time),
            carried,
            ..met
        })
    }

    /// Takes from the way what leads through a shape that nothing pushes. Says whether something
    /// did.
    fn stop_at(&mut self, other: &Obstacle<'_>, dt: f32) -> bool {
        let Some(met) = self.meet(other) else {
            return false;
        };
        // What merely passes one triangle may meet the next.
        let is_surface = other.shape.shape.surface().is_some();
        if met.through <= 0.0 && !is_surface {
            return false;
        }
        if self.is_last && other.is_still() {
            self.way *= met.time;
        } else if self.is_last {
            self.way = met.carried - self.start;
        } else if met.through > 0.0 {
            let lift = f64::from(HOLD_LIFT * (self.radius - met.room));
            self.way -= met.normal * (met.through + lift);
        }
        if met.room < self.radius {
            let normal = met.normal.as_vec3();
            let velocity = self.velocity - other.velocity_at(met.carried, dt);
            self.velocity -= normal * normal.dot(velocity).max(0.0);
        }
        true
    }

    /// The radius of the ball if it is not to touch a surface as the step begins, in metres.
    fn room_before(&self, other: &Obstacle<'_>) -> f32 {
        let Some(surface) = other.shape.shape.surface() else {
            return self.radius;
        };
        let start = other.start().inverse_transform_point(self.start);
        let limit = f64::from(self.radius / HOLD_ROOM);
        let nearest = surface.closest(start, limit);
        nearest.map_or(self.radius, |hit| {
            self.radius.min(HOLD_ROOM * hit.distance as f32)
        })
    }
}

/// Where a ball first touches something on its way from a point.
fn touch_of(radius: f32, (start, way): (DVec3, DVec3), other: &Sweep<'_>) -> Option<Toi> {
    let from = Frame {
        rotation: DMat3::IDENTITY,
        translation: start,
    };
    let own = Sweep {
        shape: &Shape::sphere(radius),
        motion: Motion::shift(from, way),
        turning: 0.0,
        extent: 0.0,
    };
    let target = f64::from(SWEEP_TARGET * radius);
    first_touch(&own, other, target, &mut Tracker::default())
}

/// The box that a ball of this radius passes through.
#[inline]
fn region(start: DVec3, way: DVec3, radius: f32) -> WorldAabb {
    let end = start + way;
    WorldAabb {
        min: start.min(end),
        max: start.max(end),
    }
    .inflate(f64::from(radius))
}

impl World {
    pub(crate) fn holder(&self) -> Holder<'_> {
        Holder {
            bodies: &self.bodies,
            shapes: &self.shapes,
            contacts: &self.contacts,
            broad: &self.broad,
            slot_of: &self.slot_of,
            awake: &self.awake,
            dt: self.settings.dt,
            joints: &self.joints,
            joint_defs: &self.joint_defs,
            patched: &self.patched,
        }
    }
}

/// Which shapes the way of a body is swept against.
#[derive(Clone, Copy)]
struct Asked {
    /// All that are static.
    still: bool,
    /// Those that are surfaces.
    surfaces: bool,
}

impl Holder<'_> {
    /// Where the centre of a body ends that came from `frame`, the body's frame, and its velocity
    /// then, if that is not where the solver put it.
    #[inline]
    pub(crate) fn held_at(&self, body: &Body, frame: &Frame) -> Option<(DVec3, Vec3)> {
        let record = &self.bodies[body.index as usize];
        let start = frame.transform_point(record.center.as_dvec3());
        let way = body.center - start;
        let radius = FAST_SHARE * record.thickness;
        let is_longer = |least: f32| way.length_squared() > f64::from(least) * f64::from(least);
        if !body.is_dynamic() {
            return None;
        }
        let is_fast = is_longer(radius);
        let core = || Core::new(radius, start, way, body.linear_velocity);
        if record.driven_count > 0 && self.passes_driven(record, &core()) {
            return self.hold(record, body, frame, core(), is_fast);
        }
        if !is_longer(HOLD_STILL * radius) {
            return None;
        }
        // A crowd that flies has nothing at rest around it, and knows all that is.
        if record.standing_count == 0
            && (!is_fast || self.is_known(record, &region(start, way, radius)))
        {
            return None;
        }
        if !is_fast && !self.may_cross(record, radius, way.length() as f32) {
            return None;
        }
        self.hold(record, body, frame, core(), is_fast)
    }

    #[cold]
    fn hold(
        &self,
        record: &BodyRecord,
        body: &Body,
        frame: &Frame,
        core: Core,
        is_fast: bool,
    ) -> Option<(DVec3, Vec3)> {
        if record.core == CoreIn::Hole {
            return self.hold_parts(record, body, frame, &core, is_fast);
        }
        let way = core.way;
        let core = self.hold_core(record, core, is_fast);
        (core.way != way).then_some((core.start + core.way, core.velocity))
    }

    /// What is left of the way and the velocity of a core.
    fn hold_core(&self, record: &BodyRecord, mut core: Core, is_fast: bool) -> Core {
        let asked = Asked {
            still: is_fast,
            surfaces: is_fast || record.core == CoreIn::Part,
        };
        for pass in 1..=HOLD_PASSES {
            core.is_last = pass == HOLD_PASSES;
            let is_held = self.pass(record, &mut core, asked);
            if !is_held {
                break;
            }
            core.share *= HOLD_SHRINK;
        }
        core
    }

    /// Takes from a way what leads through anything that nothing pushes and that is asked for. Says
    /// whether something did.
    fn pass(&self, record: &BodyRecord, core: &mut Core, asked: Asked) -> bool {
        let mut is_held = false;
        let radius = core.radius;
        for (id, other, driver) in self.unpushed(record) {
            let is_far = driver.map_or(asked.still, |driver| {
                let past = self.past(driver, (core.start, core.way));
                past.reach() as f32 > radius && self.nears(other, driver, &past, core)
            });
            let is_asked = is_far || asked.surfaces && other.shape.surface().is_some();
            let state = &self.contacts.states[id as usize];
            if is_asked && !state.is_part && state.awake && !self.is_let_pass(id) {
                is_held |= core.stop_at(&self.obstacle(other, driver), self.dt);
            }
        }
        let region = region(core.start, core.way, core.radius);
        if asked.still && !self.is_known(record, &region) {
            for id in self.broad.touching(&region) {
                let other = &self.shapes[id as usize];
                if self.bodies[other.body as usize].kind != BodyKind::Dynamic
                    && self.would_meet(record, id)
                {
                    let driver = self.mover(other);
                    is_held |= core.stop_at(&self.obstacle(other, driver), self.dt);
                }
            }
        }
        is_held
    }

    /// The contacts of a body with shapes that nothing pushes, those, and their bodies if they may
    /// move.
    fn unpushed(
        &self,
        record: &BodyRecord,
    ) -> impl Iterator<Item = (u32, &ShapeRecord, Option<&Body>)> {
        let seen = move |(id, side): (u32, usize)| {
            let links = &self.contacts.links[id as usize];
            let slot = self.slot_of[links.bodies[1 - side] as usize];
            let other = &self.shapes[links.shapes[1 - side] as usize];
            if slot & STATIC_SLOT != 0 {
                return self.stands(other).then_some((id, other, None));
            }
            Some((id, other, Some(&self.awake[slot as usize])))
        };
        // They lead the list.
        let count = record.standing_count + record.driven_count;
        let contacts = self.contacts.of_body(record).take(count as usize);
        contacts.filter_map(seen)
    }

    fn obstacle<'b>(&self, shape: &'b ShapeRecord, driver: Option<&Body>) -> Obstacle<'b> {
        driver.map_or_else(
            || Obstacle::still(shape),
            |body| {
                let center = self.bodies[body.index as usize].center;
                Obstacle::driven(shape, body, center, self.dt)
            },
        )
    }

    /// The moving state of a shape's body, if it is awake.
    fn mover(&self, shape: &ShapeRecord) -> Option<&Body> {
        let slot = self.slot_of[shape.body as usize];
        (slot & STATIC_SLOT == 0).then(|| &self.awake[slot as usize])
    }

    /// The way of a centre past what a kinematic body carries along.
    #[inline]
    fn past(&self, driver: &Body, way: (DVec3, DVec3)) -> Past {
        let dt = f64::from(self.dt);
        let linear = dt * driver.linear_velocity.as_dvec3();
        let angular = dt * driver.angular_velocity.as_dvec3();
        Past::of(way, driver.center - linear, linear, angular)
    }

    /// Whether a core may have come near a kinematic shape.
    fn nears(&self, other: &ShapeRecord, driver: &Body, past: &Past, core: &Core) -> bool {
        let center = self.bodies[driver.index as usize].center;
        let at = other.frame_on(&origin_pose(driver, center).to_frame());
        let end = core.start + core.way;
        past.may_meet(&other.shape, &at, end, f64::from(core.radius))
    }

    /// Whether a way could take the centre of a body through a surface that it may touch: the ball
    /// around it is in no deeper than the body is.
    fn may_cross(&self, record: &BodyRecord, radius: f32, way: f32) -> bool {
        self.unpushed(record).any(|(id, other, driver)| {
            driver.is_none() && other.shape.surface().is_some() && self.crosses(id, radius, way)
        })
    }

    /// Whether a way past a surface could take a centre through it, `id` being their contact.
    fn crosses(&self, id: u32, radius: f32, way: f32) -> bool {
        let points = self.contacts.solver[id as usize].points();
        let lowest = points
            .iter()
            .fold(0.0, |low, p| f32::min(low, p.separation));
        way - lowest >= radius
    }

    /// Whether a core could get through something kinematic.
    fn passes_driven(&self, record: &BodyRecord, core: &Core) -> bool {
        if let Some((driver, had_surface)) = self.only_driver(record) {
            let reach = self.past(driver, (core.start, core.way)).reach() as f32;
            let share = if had_surface { HOLD_STILL } else { 1.0 };
            if reach <= share * core.radius {
                return false;
            }
        }
        self.unpushed(record).any(|(id, other, driver)| {
            let Some(driver) = driver else {
                return false;
            };
            let past = self.past(driver, (core.start, core.way));
            let (reach, radius) = (past.reach() as f32, core.radius);
            let is_asked = reach > radius
                || reach > HOLD_STILL * radius
                    && other.shape.surface().is_some()
                    && self.crosses(id, radius, reach);
            is_asked && self.nears(other, driver, &past, core)
        })
    }

    /// The kinematic body that a body's contacts with such are with, if it is but one, and whether it
    /// had surfaces: contacts are many, and each lies far from the next.
    fn only_driver(&self, record: &BodyRecord) -> Option<(&Body, bool)> {
        let slot = *self.slot_of.get(record.driver as usize)?;
        let driver = (slot & STATIC_SLOT == 0).then(|| &self.awake[slot as usize])?;
        Some((driver, self.bodies[record.driver as usize].had_surface))
    }

    fn stands(&self, shape: &ShapeRecord) -> bool {
        self.bodies[shape.body as usize].kind == BodyKind::Static
    }

    /// Whether hooks took all points of a contact away in this step.
    fn is_let_pass(&self, id: u32) -> bool {
        self.contacts.solver[id as usize].count == 0 && self.patched.binary_search(&id).is_ok()
    }

    /// Whether all that is in a region had a pair with the body in this step.
    #[inline]
    fn is_known(&self, record: &BodyRecord, region: &WorldAabb) -> bool {
        let mut shapes = self.shapes_of(record);
        shapes.any(|(id, _)| (self.broad.fat_aabb(id)).is_some_and(|fat| fat.contains(region)))
    }

    /// Whether a static shape the body had no pair with would push it. Hooks were not asked.
    fn would_meet(&self, record: &BodyRecord, id: u32) -> bool {
        let other = &self.shapes[id as usize];
        let joined = record.joints.iter().any(|joint| {
            let ends = &self.joints[*joint as usize];
            let excludes = !self.joint_defs[*joint as usize].collide_connected;
            excludes && [ends.body_a, ends.body_b].contains(&other.body)
        });
        let mut shapes = self.shapes_of(record);
        let meets = shapes.any(|(_, own)| !own.sensor && own.filter.allows(&other.filter));
        let mut contacts = self.contacts.of_body(record);
        meets
            && !other.sensor
            && !joined
            && !contacts
                .any(|(contact, side)| self.contacts.links[contact as usize].shapes[1 - side] == id)
    }

    fn shapes_of(&self, record: &BodyRecord) -> impl Iterator<Item = (u32, &ShapeRecord)> {
        let mut at = record.first_shape;
        std::iter::from_fn(move || {
            let shape = (at != NONE).then(|| &self.shapes[at as usize])?;
            let id = std::mem::replace(&mut at, shape.next);
            Some((id, shape))
        })
    }
}
