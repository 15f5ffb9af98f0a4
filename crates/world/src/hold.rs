//! Holding back: what got farther in a step than was foreseen does not pass through what stands.
//!
//! Ways are swept before the solve, see [`crate::continuous`]. Within it a body may become faster,
//! when something hits it, or turn aside. So afterwards every dynamic body whose centre moved by
//! more than a share of its thickness has its core swept along the straight way of the centre,
//! against every static shape there, whether the broad phase knew of it or not. Only what leads
//! through is taken from the way; the velocity is left to the contact of the next step. Whatever
//! the speeds, the centre of a dynamic body thus never gets from one side of a static shape
//! to the other within a step. Between bodies that move there is no such promise: they
//! stop at what they were headed for as the step began.
//!
//! A mesh or height field pushes to the side the centre is on, however thin the body and deep the
//! overlap. So at those the centre is held at any speed that shows, a core so small that it
//! is not in touch as the step begins, and in a crease where one triangle hands it on to the next.
//! What is so deep as the step begins had its contact: it loses the velocity too, as a coin that
//! rocks by more than its thickness in a step would keep it for ever, and is lifted a little.

use drystone_broad_phase::BroadPhase;
use drystone_geometry::glam::{DMat3, DVec3, Vec3};
use drystone_geometry::{Frame, Shape, WorldAabb};
use drystone_narrow_phase::{Motion, Tracker, distance};
use drystone_solver::{Body, Joint, STATIC_SLOT};

use crate::contacts::Contacts;
use crate::continuous::{Sweep, first_touch};
use crate::def::{BodyKind, JointDef};
use crate::record::{BodyRecord, NONE, ShapeRecord};
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

impl Core {
    /// Takes from the way what leads through a shape at rest. Says whether something did.
    fn stop_at(&mut self, other: &ShapeRecord) -> bool {
        let from = Frame {
            rotation: DMat3::IDENTITY,
            translation: self.start,
        };
        let room = self.room_before(other);
        let radius = self.share * room;
        // What merely passes one triangle may meet the next.
        let is_surface = other.shape.surface().is_some();
        let is_sunk = room < self.radius;
        let own = Sweep {
            shape: &Shape::sphere(radius),
            motion: Motion::shift(from, self.way),
            turning: 0.0,
            extent: 0.0,
        };
        let other = Sweep {
            shape: &other.shape,
            motion: Motion::still(other.rest_frame),
            turning: 0.0,
            extent: 0.0,
        };
        let target = f64::from(SWEEP_TARGET * radius);
        let Some(toi) = first_touch(&own, &other, target, &mut Tracker::default()) else {
            return false;
        };
        let normal = toi.separation.normal;
        let through = normal.dot(self.way) * (1.0 - toi.time);
        if through <= 0.0 && !is_surface {
            return false;
        }
        if self.is_last {
            self.way *= toi.time;
        } else if through > 0.0 {
            let lift = f64::from(HOLD_LIFT * (self.radius - room));
            self.way -= normal * (through + lift);
        }
        if is_sunk {
            let normal = normal.as_vec3();
            self.velocity -= normal * normal.dot(self.velocity).max(0.0);
        }
        true
    }

    /// The radius of the ball if it is not to touch a surface as the step begins, in metres.
    fn room_before(&self, other: &ShapeRecord) -> f32 {
        let Some(surface) = other.shape.surface() else {
            return self.radius;
        };
        let start = other.rest_frame.inverse_transform_point(self.start);
        let limit = f64::from(self.radius / HOLD_ROOM);
        let nearest = surface.closest(start, limit);
        nearest.map_or(self.radius, |hit| {
            self.radius.min(HOLD_ROOM * hit.distance as f32)
        })
    }
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

impl Holder<'_> {
    /// Where the centre of a body ends that came from `frame`, the body's frame, and its velocity
    /// then, if that is not where the solver put it.
    #[inline]
    pub(crate) fn held_at(&self, body: &Body, frame: &Frame) -> Option<(DVec3, Vec3)> {
        let record = &self.bodies[body.index as usize];
        let start = frame.transform_point(record.center.as_dvec3());
        let way = body.center - start;
        let radius = FAST_SHARE * self.thickness(record);
        let is_longer = |least: f32| way.length_squared() > f64::from(least) * f64::from(least);
        if !is_longer(HOLD_STILL * radius) || !body.is_dynamic() {
            return None;
        }
        let is_fast = is_longer(radius);
        // A crowd that flies has nothing at rest around it, and knows all that is.
        if record.standing_count == 0
            && (!is_fast || self.is_known(record, &region(start, way, radius)))
        {
            return None;
        }
        if !is_fast && !self.may_cross(record, radius, way.length() as f32) {
            return None;
        }
        let core = Core {
            radius,
            share: 1.0,
            start,
            way,
            velocity: body.linear_velocity,
            is_last: false,
        };
        self.hold(record, core, is_fast)
    }

    #[cold]
    fn hold(&self, record: &BodyRecord, mut core: Core, is_fast: bool) -> Option<(DVec3, Vec3)> {
        if !is_fast && !self.is_solid(record, core.radius) {
            return None;
        }
        let way = core.way;
        for pass in 1..=HOLD_PASSES {
            core.is_last = pass == HOLD_PASSES;
            let is_held = self.pass(record, &mut core, is_fast);
            if !is_held {
                break;
            }
            core.share *= HOLD_SHRINK;
        }
        (core.way != way).then_some((core.start + core.way, core.velocity))
    }

    /// Takes from a way what leads through anything at rest; through surfaces alone unless it is
    /// fast. Says whether something did.
    fn pass(&self, record: &BodyRecord, core: &mut Core, is_fast: bool) -> bool {
        let mut is_held = false;
        for (id, other) in self.standing(record) {
            let is_asked = is_fast || other.shape.surface().is_some();
            let state = &self.contacts.states[id as usize];
            if is_asked && !state.is_part && state.awake && !self.is_let_pass(id) {
                is_held |= core.stop_at(other);
            }
        }
        let region = region(core.start, core.way, core.radius);
        if is_fast && !self.is_known(record, &region) {
            for id in self.broad.touching(&region) {
                let other = &self.shapes[id as usize];
                if self.stands(other) && self.would_meet(record, id) {
                    is_held |= core.stop_at(other);
                }
            }
        }
        is_held
    }

    /// The contacts of a body with static shapes, and those.
    fn standing(&self, record: &BodyRecord) -> impl Iterator<Item = (u32, &ShapeRecord)> {
        let stands = |(id, side): (u32, usize)| {
            let links = &self.contacts.links[id as usize];
            let is_static = self.slot_of[links.bodies[1 - side] as usize] & STATIC_SLOT != 0;
            let other = &self.shapes[links.shapes[1 - side] as usize];
            (is_static && self.stands(other)).then_some((id, other))
        };
        // Each lies far from the next, and those at rest are few.
        let contacts = self.contacts.of_body(record).filter_map(stands);
        contacts.take(record.standing_count as usize)
    }

    /// Whether a way could take the centre of a body through a surface that it may touch: the ball
    /// around it is in no deeper than the body is.
    fn may_cross(&self, record: &BodyRecord, radius: f32, way: f32) -> bool {
        self.standing(record).any(|(id, other)| {
            let points = self.contacts.solver[id as usize].points();
            let lowest = points
                .iter()
                .fold(0.0, |low, p| f32::min(low, p.separation));
            other.shape.surface().is_some() && way - lowest >= radius
        })
    }

    /// Whether the centre of a body is inside one of its shapes, as that of a ring is not.
    fn is_solid(&self, record: &BodyRecord, radius: f32) -> bool {
        let core = Shape::sphere(radius);
        let center = record.center.as_dvec3();
        let mut shapes = self.shapes_of(record);
        shapes.any(|(_, own)| {
            let at = Frame {
                rotation: DMat3::IDENTITY,
                translation: own
                    .local_frame
                    .map_or(center, |local| local.inverse_transform_point(center)),
            };
            distance(&own.shape, &core, &at).upper <= -f64::from(radius)
        })
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

    /// The least inner radius of a body's shapes, in metres.
    #[inline]
    fn thickness(&self, record: &BodyRecord) -> f32 {
        let radii = self.shapes_of(record).map(|(_, s)| s.shape.inner_radius());
        radii.fold(f32::INFINITY, f32::min)
    }
}
