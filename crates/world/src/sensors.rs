//! Sensors: shapes that push nothing and report what enters and leaves them.
//!
//! A sensor meets shapes of every other body that its filter lets through and that are no
//! sensors themselves, with one exception: static bodies do not meet static bodies. Whether
//! it is met is asked of the exact shapes, in their poses after the step.

use drystone_geometry::Frame;
use drystone_narrow_phase::{Counters, distance_tracked};

use crate::World;
use crate::events::SensorEvent;
use crate::queries::separation;
use crate::record::{Place, ShapeRecord};

impl World {
    /// Compares what every sensor meets with what was last reported, in contact order.
    /// Where nothing moves, nothing is asked.
    pub(crate) fn report_sensors(&mut self) {
        let all = std::mem::take(&mut self.sensors_stale);
        if self.sensor_contacts.is_empty() {
            return;
        }
        let mut counters = Counters::default();
        for id in self.sensor_contacts.iter().copied().collect::<Vec<_>>() {
            let i = id as usize;
            let links = self.contacts.links[i];
            let moves = |body: u32| matches!(self.bodies[body as usize].place, Place::Awake(_));
            if !all && !links.bodies.into_iter().any(moves) {
                continue;
            }
            let [a, b] = links.shapes.map(|shape| &self.shapes[shape as usize]);
            let (frame_a, frame_b) = (self.frame_of(a), self.frame_of(b));
            let gap = if a.shape.surface().is_some() {
                separation(&a.shape, &frame_a, &b.shape, &frame_b).map(|apart| apart.lower)
            } else if b.shape.surface().is_some() {
                separation(&b.shape, &frame_b, &a.shape, &frame_a).map(|apart| apart.lower)
            } else {
                let b_in_a = Frame::relative(&frame_a, &frame_b);
                let tracker = &mut self.contacts.trackers[i];
                let apart = distance_tracked(&a.shape, &b.shape, &b_in_a, tracker, &mut counters);
                Some(apart.lower)
            };
            let met = !self.contacts.states[i].rejected && gap.is_some_and(|gap| gap <= 0.0);
            if met && !self.contacts.states[i].touching {
                self.contacts.states[i].touching = true;
                let event = self.sensor_event(id);
                self.pending_events.sensor_begin.push(event);
            } else if !met {
                self.end_touch(id);
            }
        }
    }

    /// The frame of a shape in the world.
    pub(crate) fn frame_of(&self, shape: &ShapeRecord) -> Frame {
        match self.bodies[shape.body as usize].place {
            Place::Awake(slot) => shape.frame_on(&self.frames[slot as usize]),
            Place::Static | Place::Asleep(_) => shape.rest_frame,
        }
    }

    pub(crate) fn sensor_event(&self, id: u32) -> SensorEvent {
        let [a, b] = self.contacts.links[id as usize]
            .shapes
            .map(|shape| &self.shapes[shape as usize]);
        let (sensor, visitor) = if a.sensor { (a, b) } else { (b, a) };
        SensorEvent {
            sensor: sensor.key,
            sensor_body: self.bodies[sensor.body as usize].key,
            visitor: visitor.key,
            visitor_body: self.bodies[visitor.body as usize].key,
        }
    }
}
