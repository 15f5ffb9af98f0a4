//! Bullets and what they could push through each other.
//!
//! As [`super`] does it at what nothing pushes, but both bodies give way, each by its share of
//! the inverse masses: the centre of mass of both stays on its way, and no velocity changes. Where
//! something at rest is in that way, it is held there after.

use drystone_geometry::Frame;
use drystone_geometry::glam::DVec3;
use drystone_geometry::rotation;
use drystone_solver::{Body, STATIC_SLOT};

use super::obstacle::{Obstacle, Past};
use super::{Core, CoreIn, Holder};
use crate::World;
use crate::record::Place;
use crate::tolerance::{FAST_SHARE, HOLD_TURN};

/// How a body moved in the step.
struct Moved<'a> {
    body: &'a Body,
    /// As the step began.
    frame: &'a Frame,
    center: DVec3,
    linear: DVec3,
    angular: DVec3,
}

impl Moved<'_> {
    /// By how much it may have turned within the step, in radians: of what turns by more than a
    /// half, the ends do not tell.
    fn turn(&self, dt: f32) -> f64 {
        let spin = self.body.angular_velocity.length() * dt;
        self.angular.length().max(f64::from(spin))
    }
}

impl World {
    /// Holds back bullets, and what they meet, where the centre of one would get through the other.
    pub(crate) fn hold_bullets(&mut self) {
        for at in 0..self.bullets.len() {
            let record = &self.bodies[self.bullets[at] as usize];
            if !matches!(record.place, Place::Awake(_)) {
                continue;
            }
            let contacts: Vec<_> = self.contacts.of_body(record).collect();
            for (id, _) in contacts {
                let pushed = self.holder().pushed(&self.frames, id);
                for (slot, way) in pushed.into_iter().flatten() {
                    self.awake[slot as usize].center += way;
                }
            }
        }
    }
}

impl Holder<'_> {
    /// The slots of the bodies of a contact and by how many metres they are moved, so that the centre
    /// of the smaller one does not get through the shape of the other.
    fn pushed(&self, frames: &[Frame], id: u32) -> Option<[(u32, DVec3); 2]> {
        let links = &self.contacts.links[id as usize];
        let state = &self.contacts.states[id as usize];
        let slots = links.bodies.map(|body| self.slot_of[body as usize]);
        if (slots[0] | slots[1]) & STATIC_SLOT != 0 || !state.awake || state.is_part {
            return None;
        }
        let extents = slots.map(|slot| self.awake[slot as usize].extent);
        let (mut slots, mut shapes) = (slots, links.shapes);
        if extents[1] < extents[0] {
            slots.reverse();
            shapes.reverse();
        }
        let [own, other] = slots.map(|slot| self.moved(slot, &frames[slot as usize]));
        if !own.body.is_dynamic() || !other.body.is_dynamic() {
            return None;
        }
        let record = &self.bodies[own.body.index as usize];
        let radius = FAST_SHARE * record.thickness;
        let way = (own.center, own.linear);
        let past = Past::of(way, other.center, other.linear, other.angular);
        if past.reach() <= f64::from(radius)
            || self.is_let_pass(id)
            || record.core == CoreIn::Hole
            || other.turn(self.dt) > HOLD_TURN
        {
            return None;
        }
        let shape = &self.shapes[shapes[1] as usize];
        let start = shape.frame_on(other.frame);
        let obstacle = Obstacle::moving(shape, start, other.center, other.linear, other.angular);
        let core = Core::new(radius, own.center, own.linear, own.body.linear_velocity);
        let met = core.meet(&obstacle).filter(|met| met.through > 0.0)?;
        let [a, b] = [own.body, other.body].map(|body| {
            let free = body.locks.free_translation().as_dvec3();
            f64::from(body.inverse_mass) * free * met.normal
        });
        let both = met.normal.dot(a + b);
        let push = |share: DVec3| met.through / both * share;
        (both > 0.0).then(|| [(slots[0], -push(a)), (slots[1], push(b))])
    }

    fn moved<'b>(&'b self, slot: u32, frame: &'b Frame) -> Moved<'b> {
        let body = &self.awake[slot as usize];
        let center = self.bodies[body.index as usize].center.as_dvec3();
        let center = frame.transform_point(center);
        let before = rotation::from_dmatrix(frame.rotation);
        let turn = rotation::multiply(
            body.rotation,
            rotation::conjugate(rotation::to_single(before)),
        );
        Moved {
            body,
            frame,
            center,
            linear: body.center - center,
            angular: rotation::to_scaled_axis(turn).as_dvec3(),
        }
    }
}
