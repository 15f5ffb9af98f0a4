//! What touches: events after the solve, and a view of the contacts for readers.

use drystone_geometry::glam::{DVec3, Vec3};
use drystone_geometry::rotation;
use drystone_narrow_phase::Rung;
use drystone_solver::{Anchors, ConstraintId};

use crate::contacts::{CHUNK, CHUNKS_PER_MICROSECOND, State, ones};
use crate::events::{ContactEvent, HitEvent};
use crate::record::{Place, ShapeRecord};
use crate::{BodyKey, ShapeKey, World};

/// A point where two shapes touch, or nearly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TouchPoint {
    /// Between both surfaces, in the world, in metres.
    pub position: DVec3,
    /// Along the normal at the start of the last step, in metres; negative in overlap.
    pub separation: f32,
    /// Impulse along the normal in the last sub-step times their number, in N s: over the length of a
    /// step it is the force in N under a load that lasts. Of what hits and leaves within a step it tells
    /// only the end; [`HitEvent`] tells of hits.
    pub normal_impulse: f32,
    /// The pair of features that made the point.
    pub feature: u32,
}

/// A contact that began to touch in a step, or ceased to, and what is reported of that.
#[derive(Clone, Debug)]
pub(crate) struct Touch {
    contact: u32,
    begins: bool,
    event: ContactEvent,
    hit: Option<HitEvent>,
}

/// A pair of shapes that the solver keeps apart.
#[derive(Clone, Debug, PartialEq)]
pub struct TouchView {
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
    /// Friction impulse on B in the last sub-step times their number, in world axes, in N s. Where two
    /// bodies touch in several pairs of shapes on one plane, one of them has that of all.
    ///
    /// It acts at [`Self::friction_position`]; with it go the impulses of the points, each at its own,
    /// [`Self::twist_impulse`] and [`Self::rolling_impulse`]. They are all that the pair does to B; A gets
    /// the opposite.
    pub friction_impulse: Vec3,
    /// Where the friction impulse acts, in the world, in metres: amid the points of all pairs that it is
    /// that of, rather where these touch than where there is a gap. B's centre of mass if hooks switched
    /// all points off.
    pub friction_position: DVec3,
    /// Moment of friction about the normal, on B beside that of the friction impulse, in N m s: what
    /// keeps B from turning on A. Scaled as the friction impulse is, and likewise that of all pairs on
    /// one plane.
    pub twist_impulse: f32,
    /// Moment of rolling resistance on B, in world axes, in N m s; scaled likewise.
    pub rolling_impulse: Vec3,
    /// Whether the pair presses or overlaps, rather than being only near.
    pub is_touching: bool,
    /// How the narrow phase came to its last answer.
    pub rung: Rung,
    /// Number of the contact in its world; reused once the contact is gone.
    pub contact: u32,
    /// Index of the solver's colour; `None` while the contact sleeps.
    pub colour: Option<u32>,
    /// Up to four points, without those that hooks switched off in the last step.
    pub points: Vec<TouchPoint>,
}

impl World {
    /// The constrained contacts of awake and sleeping bodies, in contact order.
    pub fn contacts(&self) -> impl Iterator<Item = TouchView> + '_ {
        let count = self.contacts.links.len() as u32;
        (0..count)
            .filter(|id| self.contacts.states[*id as usize].constrained)
            .map(|id| self.touch_view(id))
    }

    /// The constrained contacts of one body.
    pub fn contacts_of(&self, key: BodyKey) -> Result<Vec<TouchView>, crate::StaleKey> {
        let index = self.body_index(key)?;
        let contacts = self.contacts.of_body(&self.bodies[index as usize]);
        Ok(contacts
            .filter(|(id, _)| self.contacts.states[*id as usize].constrained)
            .map(|(id, _)| self.touch_view(id))
            .collect())
    }

    fn touch_view(&self, id: u32) -> TouchView {
        let i = id as usize;
        let [a, b] = self.contacts.links[i]
            .shapes
            .map(|shape| &self.shapes[shape as usize]);
        let contact = &self.contacts.solver[i];
        // The solver keeps impulses of one sub-step.
        let substeps = self.last_cut.substeps as f32;
        let placed = contact.points().iter().zip(contact.anchors());
        let points = placed.map(|(point, anchors)| TouchPoint {
            position: self.between([a, b], anchors),
            separation: point.separation,
            normal_impulse: point.normal_impulse * substeps,
            feature: point.feature,
        });
        TouchView {
            shape_a: a.key,
            shape_b: b.key,
            body_a: self.bodies[a.body as usize].key,
            body_b: self.bodies[b.body as usize].key,
            normal: contact.normal,
            friction_impulse: contact.friction_impulse * substeps,
            friction_position: self.friction_position(id),
            twist_impulse: contact.twist_impulse * substeps,
            rolling_impulse: contact.rolling_impulse * substeps,
            is_touching: self.contacts.states[self.contacts.whole_of(&self.bodies, id) as usize]
                .touching,
            rung: self.contacts.states[i].rung,
            contact: id,
            colour: self.graph.colour_of(ConstraintId::Contact(id)),
            points: points.collect(),
        }
    }

    fn friction_position(&self, id: u32) -> DVec3 {
        let shapes = self.contacts.links[id as usize].shapes;
        let shapes = shapes.map(|shape| &self.shapes[shape as usize]);
        let contact = self.acting_contact(id);
        let weights = contact.friction_weights();
        let center = self.anchor_in_world(shapes[1], Vec3::ZERO);
        let weighted = contact.anchors().iter().zip(weights);
        weighted.fold(center, |sum, (anchors, weight)| {
            sum + (self.between(shapes, anchors) - center) * f64::from(weight)
        })
    }

    /// Half-way between the surfaces of two shapes, in the world, in metres.
    fn between(&self, [a, b]: [&ShapeRecord; 2], anchors: &Anchors) -> DVec3 {
        let on_a = self.anchor_in_world(a, anchors.a);
        let on_b = self.anchor_in_world(b, anchors.b);
        on_a + (on_b - on_a) * 0.5
    }

    pub(crate) fn anchor_in_world(&self, shape: &ShapeRecord, anchor: Vec3) -> DVec3 {
        let record = &self.bodies[shape.body as usize];
        let (center, orientation) = match record.place {
            Place::Static => (record.rest_pose.position, record.rest_pose.rotation),
            Place::Awake(slot) => {
                let body = &self.awake[slot as usize];
                (body.center, body.rotation)
            }
            Place::Asleep(slot) => {
                let body = &self.asleep[slot as usize];
                (body.center, body.rotation)
            }
        };
        center + rotation::rotate(orientation, anchor).as_dvec3()
    }

    /// Compares every awake contact with what was last reported, in parallel, and reports
    /// what changed in contact order. Meanwhile one thread enters the boxes that left their
    /// margins.
    pub(crate) fn report_touch(&mut self) {
        let mut reports = std::mem::take(&mut self.chunk_reports);
        // To take it away leaves an empty one, which is not made for nothing.
        let has_moved = self.followed.iter().any(|some| !some.moved.is_empty());
        let mut broad = has_moved.then(|| std::mem::take(&mut self.broad));
        let world = &*self;
        let contacts = &world.contacts;
        let chunks = contacts.states.chunks(CHUNK);
        // Chunks that came after the narrow phase hold parts alone, which report nothing.
        let work = (reports.iter_mut())
            .zip(&contacts.awake_in_chunk)
            .zip(chunks);
        let enter = || {
            if let Some(broad) = &mut broad {
                for followed in &world.followed {
                    broad.apply_moves(&followed.moved);
                }
            }
        };
        let workers = world.workers.worth(work.len() / CHUNKS_PER_MICROSECOND);
        workers.for_each_beside(enter, work, |chunk, ((report, awake), states)| {
            report.touches.clear();
            if *awake == 0 {
                return;
            }
            for i in ones(!report.idle, states.len()) {
                let id = chunk * CHUNK + i;
                let is_whole = report.whole >> i & 1 == 1;
                // Most others of a loose pile have nothing to report nor to be looked up.
                let may_press = states[i].touching || contacts.may_have_points(id, is_whole);
                if may_press && world.touch_changes(id as u32, is_whole) {
                    report.touches.push(world.touch(id as u32));
                }
            }
        });
        if let Some(broad) = broad {
            self.broad = broad;
        }
        for touch in reports.iter().flat_map(|report| &report.touches) {
            self.contacts.states[touch.contact as usize].touching = touch.begins;
            if touch.begins {
                self.pending_events.contact_begin.push(touch.event);
                self.pending_events.hit.extend(touch.hit);
            } else {
                self.pending_events.contact_end.push(touch.event);
            }
        }
        self.chunk_reports = reports;
    }

    /// Whether a contact, without parts if it is `whole`, begins to touch or ceases to.
    fn touch_changes(&self, id: u32, whole: bool) -> bool {
        let contacts = &self.contacts;
        let state = &contacts.states[id as usize];
        if !state.awake || state.is_part {
            return false;
        }
        let mut all = contacts.with_parts(id, whole);
        let pressed = all.any(|part| self.solver.is_pressing(part));
        if pressed == state.touching {
            return false;
        }
        let mut all = contacts.with_parts(id, whole);
        pressed || !all.any(|part| is_close(contacts.solver[part as usize].points()))
    }

    /// What is to be reported of a contact whose touch changes. Sensors report for themselves.
    fn touch(&self, id: u32) -> Touch {
        let State {
            touching, sensor, ..
        } = self.contacts.states[id as usize];
        debug_assert!(!sensor);
        Touch {
            contact: id,
            begins: !touching,
            event: self.contact_event(id),
            hit: if touching { None } else { self.hit_event(id) },
        }
    }

    /// Reports the end of a touch, if there was one.
    pub(crate) fn end_touch(&mut self, id: u32) {
        if self.contacts.states[id as usize].touching {
            self.contacts.states[id as usize].touching = false;
            if self.contacts.states[id as usize].sensor {
                let event = self.sensor_event(id);
                self.pending_events.sensor_end.push(event);
                return;
            }
            let event = self.contact_event(id);
            self.pending_events.contact_end.push(event);
        }
    }

    fn contact_event(&self, id: u32) -> ContactEvent {
        let [a, b] = self.contacts.links[id as usize]
            .shapes
            .map(|s| &self.shapes[s as usize]);
        ContactEvent {
            shape_a: a.key,
            shape_b: b.key,
            body_a: self.bodies[a.body as usize].key,
            body_b: self.bodies[b.body as usize].key,
        }
    }
}

/// Whether a touch goes on although nothing presses just now: a resting box may lift a
/// hair for a step, which nobody wants reported.
fn is_close(points: &[drystone_solver::ContactPoint]) -> bool {
    points
        .iter()
        .any(|point| point.separation <= drystone_geometry::tolerance::RESTING_OVERLAP)
}
