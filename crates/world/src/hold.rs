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

use drystone_broad_phase::BroadPhase;
use drystone_geometry::glam::{DMat3, DVec3};
use drystone_geometry::{Frame, Shape, WorldAabb};
use drystone_narrow_phase::{Motion, Tracker};
use drystone_solver::{Body, Joint, STATIC_SLOT};

use crate::contacts::Contacts;
use crate::continuous::{Sweep, first_touch};
use crate::def::{BodyKind, JointDef};
use crate::record::{BodyRecord, NONE, ShapeRecord};
use crate::tolerance::{FAST_SHARE, SWEEP_TARGET};

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
    shape: Shape,
    start: DVec3,
    /// What is left of the way, in metres.
    way: DVec3,
    /// Gap at which it stops, in metres.
    target: f64,
}

impl Core {
    /// Takes from the way what leads through a shape at rest.
    fn stop_at(&mut self, other: &ShapeRecord) {
        let from = Frame {
            rotation: DMat3::IDENTITY,
            translation: self.start,
        };
        let own = Sweep {
            shape: &self.shape,
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
        if let Some(toi) = first_touch(&own, &other, self.target, &mut Tracker::default()) {
            let normal = toi.separation.normal;
            self.way -= normal * (normal.dot(self.way) * (1.0 - toi.time)).max(0.0);
        }
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
    /// Where the centre of a body ends that came from `frame`, the body's frame, if that is not
    /// where the solver put it.
    #[inline]
    pub(crate) fn held_at(&self, body: &Body, frame: &Frame) -> Option<DVec3> {
        let record = &self.bodies[body.index as usize];
        let start = frame.transform_point(record.center.as_dvec3());
        let way = body.center - start;
        let radius = FAST_SHARE * self.thickness(record);
        let is_long = way.length_squared() > f64::from(radius) * f64::from(radius);
        if !is_long || !body.is_dynamic() {
            return None;
        }
        // A crowd that flies has nothing at rest around it, and knows all that is.
        if record.standing_count == 0 && self.is_known(record, &region(start, way, radius)) {
            return None;
        }
        self.hold(record, start, way, radius)
    }

    #[cold]
    fn hold(&self, record: &BodyRecord, start: DVec3, way: DVec3, radius: f32) -> Option<DVec3> {
        let mut core = Core {
            shape: Shape::sphere(radius),
            start,
            way,
            target: f64::from(SWEEP_TARGET * radius),
        };
        let mut standing = record.standing_count;
        for (id, side) in self.contacts.of_body(record) {
            // Each lies far from the next, and those at rest are few.
            if standing == 0 {
                break;
            }
            let links = &self.contacts.links[id as usize];
            if self.slot_of[links.bodies[1 - side] as usize] & STATIC_SLOT == 0 {
                continue;
            }
            let other = &self.shapes[links.shapes[1 - side] as usize];
            if !self.stands(other) {
                continue;
            }
            standing -= 1;
            let state = &self.contacts.states[id as usize];
            if !state.is_part && state.awake && !self.is_let_pass(id) {
                core.stop_at(other);
            }
        }
        let region = region(start, core.way, radius);
        if !self.is_known(record, &region) {
            for id in self.broad.touching(&region) {
                let other = &self.shapes[id as usize];
                if self.stands(other) && self.would_meet(record, id) {
                    core.stop_at(other);
                }
            }
        }
        (core.way != way).then_some(start + core.way)
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
