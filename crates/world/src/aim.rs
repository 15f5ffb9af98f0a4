//! Aim: what comes fast pushes with the levers that it has when it touches.
//!
//! The solver takes the points of a contact from where bodies are as a step begins, and puts them
//! half-way into the gap there is then. What is still far away would push, and rub, at a lever that is
//! longer than its radius by half of that way. So for the time of the solve such contacts have other
//! anchors: those from which the levers come out as they will be.

use drystone_geometry::glam::{DVec3, Vec3};
use drystone_geometry::{Frame, Manifold, rotation};
use drystone_solver::{Anchors, Contact, ContactPoint};

use crate::World;
use crate::continuous::{Pair, Sweep};
use crate::record::ShapeRecord;
use crate::tolerance::LANDING_ROUNDS;

impl Sweep<'_> {
    /// From the body's centre to a point of the shape at `time`, when it lies in `frame`, in metres.
    fn lever(&self, point: &Vec3, frame: &Frame, time: f64) -> DVec3 {
        let center = self.motion.start.transform_point(self.motion.center);
        frame.transform_point(point.as_dvec3()) - center - time * self.motion.linear
    }

    /// A lever in the axes of the body of the shape, turned back to where it is as the step begins.
    fn in_body(&self, shape: &ShapeRecord, lever: DVec3) -> Vec3 {
        shape.center_pose.rotation * self.motion.start.inverse_rotate(lever).as_vec3()
    }

    /// How far the solver takes a point until `time` that has the lever `from` as the step begins, in
    /// metres.
    fn advance(&self, from: DVec3, frame: &Frame, time: f64) -> DVec3 {
        time * self.motion.linear + self.turned(from, frame) - from
    }

    /// A lever that was `from` as the step began, when the shape lies in `frame`.
    fn turned(&self, from: DVec3, frame: &Frame) -> DVec3 {
        frame.rotate(self.motion.start.inverse_rotate(from))
    }

    /// A lever given in the axes of the body of the shape, in world axes as the step begins.
    fn lever_of(&self, shape: &ShapeRecord, anchor: Vec3) -> DVec3 {
        let own = rotation::rotate_inverse(shape.center_pose.rotation, anchor);
        self.motion.start.rotate(own.as_dvec3())
    }
}

impl Pair<'_> {
    /// A contact of `time` that pushes with the levers it has then, `manifold` being what it was made
    /// from: its gaps are those from which the solver gets to the ones of that moment.
    pub(crate) fn aimed(&self, mut contact: Contact, manifold: &Manifold, time: f64) -> Contact {
        let [a, b] = self.sweeps;
        let [frame_a, frame_b] = self.sweeps.map(|sweep| sweep.motion.at(time));
        let normal = frame_a.rotate(manifold.normal.as_dvec3());
        contact.lead = (time * (b.motion.linear - a.motion.linear)).as_vec3();
        let places = contact.points.iter_mut().zip(&mut contact.anchors);
        for ((point, anchors), from) in places.zip(manifold.points()) {
            let lever_a = a.lever(&from.anchor_a, &frame_a, time);
            let lever_b = b.lever(&from.anchor_b, &frame_b, time);
            let core_a = lever_a - f64::from(contact.radius_a) * normal;
            let core_b = lever_b + f64::from(contact.radius_b) * normal;
            let nearing = a.advance(core_a, &frame_a, time) - b.advance(core_b, &frame_b, time);
            // What turning lifts before it comes down is not deep.
            let gap = (f64::from(from.separation) + normal.dot(nearing)).max(0.0);
            point.separation = gap as f32;
            self.place(anchors, [lever_a, lever_b], gap * normal);
        }
        contact
    }

    /// Anchors that make the solver push with these levers, which are from the bodies' centres in
    /// world axes: it puts points half-way into the gap there is as the step begins.
    fn place(&self, anchors: &mut Anchors, [lever_a, lever_b]: [DVec3; 2], gap: DVec3) {
        let ([a, b], [shape_a, shape_b]) = (self.sweeps, self.shapes);
        if a.moves() {
            anchors.a = a.in_body(shape_a, lever_a - 0.5 * gap);
        }
        if b.moves() {
            anchors.b = b.in_body(shape_b, lever_b + 0.5 * gap);
        }
    }

    /// What pushes in the place of a contact of shapes that are apart, whose points the solver will
    /// bring together by the time `end`, in steps: the same with the levers of that moment. `None` when
    /// it will not.
    ///
    /// Surfaces have no sweep: what comes to them in a step has its points as that begins, with gaps
    /// as wide as it is fast.
    pub(crate) fn landing(&self, contact: &Contact, end: f64) -> Option<Contact> {
        let time = self.landing_time(contact, end)?;
        let frames = self.sweeps.map(|sweep| sweep.motion.at(time));
        let [a, b] = self.sweeps;
        let normal = contact.normal.as_dvec3();
        let mut push = *contact;
        push.lead = (time * (b.motion.linear - a.motion.linear)).as_vec3();
        for (point, anchors) in contact.points().iter().zip(&mut push.anchors) {
            let [core_a, core_b] = self.cores(contact, anchors);
            let lever_a = a.turned(core_a, &frames[0]) + f64::from(contact.radius_a) * normal;
            let lever_b = b.turned(core_b, &frames[1]) - f64::from(contact.radius_b) * normal;
            let gap = f64::from(point.separation) * normal;
            self.place(anchors, [lever_a, lever_b], gap);
        }
        Some(push)
    }

    /// When the solver brings the first points of a contact together, which are apart; `None` if not
    /// by `end`.
    fn landing_time(&self, contact: &Contact, end: f64) -> Option<f64> {
        let (mut from, mut to) = (0.0, end);
        let [mut apart, mut past] = [from, to].map(|time| self.least_gap(contact, time));
        if past > 0.0 || apart <= 0.0 {
            return None;
        }
        let mut time = to;
        for _ in 0..LANDING_ROUNDS {
            time = from + (to - from) * apart / (apart - past);
            let gap = self.least_gap(contact, time);
            if gap > 0.0 {
                (from, apart) = (time, gap);
            } else {
                (to, past) = (time, gap);
            }
        }
        Some(time)
    }

    /// The least gap the solver has brought the points of a contact to at `time`, in metres.
    fn least_gap(&self, contact: &Contact, time: f64) -> f64 {
        let [a, b] = self.sweeps;
        let [frame_a, frame_b] = self.sweeps.map(|sweep| sweep.motion.at(time));
        let normal = contact.normal.as_dvec3();
        let places = contact.points().iter().zip(contact.anchors());
        let gaps = places.map(|(point, anchors)| {
            let [core_a, core_b] = self.cores(contact, anchors);
            let parting = b.advance(core_b, &frame_b, time) - a.advance(core_a, &frame_a, time);
            f64::from(point.separation) + normal.dot(parting)
        });
        gaps.fold(f64::INFINITY, f64::min)
    }

    /// Levers of what a point turns with, as the step begins: without the rounding, which stays on
    /// the normal. Zero of what does not move.
    fn cores(&self, contact: &Contact, anchors: &Anchors) -> [DVec3; 2] {
        let normal = contact.normal.as_dvec3();
        let ([a, b], [shape_a, shape_b]) = (self.sweeps, self.shapes);
        [
            a.lever_of(shape_a, anchors.a) - f64::from(contact.radius_a) * normal,
            b.lever_of(shape_b, anchors.b) + f64::from(contact.radius_b) * normal,
        ]
    }
}

impl World {
    /// Lets foreseen contacts push as they will when they come, where nothing was changed since: all
    /// that asks where their points are comes before, or after [`Self::take_back_aim`].
    pub(crate) fn aim_foreseen(&mut self) {
        let same = |(a, b): (&ContactPoint, &ContactPoint)| a.feature == b.feature;
        let contacts = &self.contacts.solver;
        self.pushes.retain(|(id, push)| {
            let contact = &contacts[*id as usize];
            contact.count == push.count
                && contact.normal == push.normal
                && contact.points().iter().zip(push.points()).all(same)
        });
        self.exchange_aim();
    }

    /// Puts the points of foreseen contacts back where they are.
    pub(crate) fn take_back_aim(&mut self) {
        self.exchange_aim();
        self.pushes.clear();
    }

    fn exchange_aim(&mut self) {
        for (id, push) in &mut self.pushes {
            let contact = &mut self.contacts.solver[*id as usize];
            for (point, aimed) in contact.points.iter_mut().zip(&mut push.points) {
                std::mem::swap(&mut point.separation, &mut aimed.separation);
            }
            std::mem::swap(&mut contact.anchors, &mut push.anchors);
            std::mem::swap(&mut contact.lead, &mut push.lead);
        }
    }
}
