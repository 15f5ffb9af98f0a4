//! Glances: round shapes push along the normal that they have when they touch.
//!
//! Shapes that are within the margin have a contact, whose normal holds for a whole step. Where something
//! round comes from aside it has turned by some degrees until they touch: a billiard ball that is cut thin
//! left eight degrees off its line with half the speed, and balls that passed a millimetre beside each
//! other bounced. So where round shapes close their gap while they get on along it, their ways are swept,
//! and the contact of the moment at which they touch acts, or that of the end of the step where they do
//! not. Normals that a face carries stay as they are, and so do those of edges and of capsules that
//! cross.

use drystone_geometry::Shape;
use drystone_narrow_phase::Tracker;
use drystone_solver::{Body, Contact};

use crate::bend::is_curved;
use crate::collide::{Bodies, ChunkReport, Met};
use crate::continuous::{Foreseen, Pair, Sweep, Way, coming_velocity, first_touch};
use crate::graze::velocity_at;
use crate::tolerance::{DULL_GLANCE_TURN, GLANCE_TURN, SWEEP_TARGET};

impl Bodies<'_> {
    /// Lets a pair that has a contact pass as it will in the step.
    #[inline]
    pub(crate) fn pass(
        &self,
        met: &Met<'_>,
        tracker: &Tracker,
        contact: &Contact,
        on_surface: bool,
        report: &mut ChunkReport,
    ) {
        if let Some(graze) = self.graze(met, tracker) {
            let moves = graze.moves(contact);
            if moves && on_surface {
                report.passing.push(met.id);
                return;
            }
            // What swings by a contact that goes along with it passes nothing.
            let passes = moves && !contact.hangs();
            if let Some(eased) = passes.then(|| graze.eased(contact, contact)).flatten() {
                report.foreseen.push((met.id, eased));
                return;
            }
        }
        if !on_surface && self.glances(met, tracker, contact) {
            let found = self.glance(met, tracker, contact);
            found
                .into_iter()
                .for_each(|found| found.report(met.id, report));
        }
    }

    /// Whether the normal of a contact will have turned until its gap is closed. What touches costs no
    /// more than a look at its gap.
    #[inline]
    fn glances(&self, met: &Met<'_>, tracker: &Tracker, contact: &Contact) -> bool {
        let gaps = contact.points().iter().map(|point| point.separation);
        let gap = gaps.fold(f32::INFINITY, f32::min);
        if gap <= 0.0 || contact.count == 0 || contact.count > 2 {
            return false;
        }
        let [a, b] = met.shapes;
        let is_round = |shape: &Shape| matches!(shape, Shape::Sphere { .. }) || is_curved(shape);
        let round = is_round(&a.shape) || is_round(&b.shape);
        let flat = |shape: &Shape| matches!(shape, Shape::HalfSpace { .. });
        let by_face = tracker.face_carries() != [false; 2] || flat(&a.shape) || flat(&b.shape);
        if !round || by_face {
            return false;
        }
        let [body_a, body_b] = [a, b].map(|shape| self.mover(shape));
        let past = {
            let anchors = &contact.anchors[0];
            velocity_at(body_a, anchors.a) - velocity_at(body_b, anchors.b)
        };
        let closing = contact.normal.dot(past);
        if closing * self.horizon() <= gap {
            return false;
        }
        let speed = |body: Option<&Body>| body.map(|body| body.linear_velocity);
        let past = speed(body_a).unwrap_or_default() - speed(body_b).unwrap_or_default();
        let aside = past - contact.normal.dot(past) * contact.normal;
        let size = a.shape.inner_radius() + b.shape.inner_radius();
        let turn = if contact.restitution > 0.0 {
            GLANCE_TURN
        } else {
            DULL_GLANCE_TURN
        };
        aside.length() * gap > turn * size * closing
    }

    /// The contact of shapes that close the gap between them in this step, as they will have it then.
    #[cold]
    fn glance(&self, met: &Met<'_>, tracker: &Tracker, contact: &Contact) -> Option<Foreseen> {
        let sweeps = [0, 1].map(|side| {
            let body = self.mover(met.shapes[side]);
            let velocity = body.map(|body| coming_velocity(body, self.settings));
            let way = Way::at_speed(body, velocity.unwrap_or_default(), self.horizon());
            Sweep::new(&met.shapes[side].shape, met.frames[side], &way)
        });
        let pair = Pair {
            shapes: met.shapes,
            sweeps: [&sweeps[0], &sweeps[1]],
            simd: self.settings.simd,
        };
        pair.glance(contact, *tracker)
    }

    /// How far ahead contacts look, in s: the last pass over a step answers what would touch a sub-step
    /// later.
    fn horizon(&self) -> f32 {
        self.settings.dt + self.settings.dt / self.settings.substeps as f32
    }
}

impl Pair<'_> {
    /// The contact that shapes whose contact has a gap will have where they touch, or at the end of
    /// their ways.
    fn glance(&self, contact: &Contact, mut tracker: Tracker) -> Option<Foreseen> {
        let [a, b] = self.sweeps;
        let gaps = contact.points().iter().map(|point| point.separation);
        let target = SWEEP_TARGET * gaps.fold(f32::INFINITY, f32::min);
        let touched = first_touch(a, b, f64::from(target), &mut tracker);
        let time = touched.map_or(1.0, |toi| toi.time);
        let way = (a.motion.linear - b.motion.linear).length() + a.turning + b.turning;
        let (touch, manifold) = self.contact_at(time, way, contact, &mut tracker);
        (touch.count > 0 && time > 0.0).then(|| Foreseen {
            touch,
            push: Some(self.aimed(touch, &manifold, time)),
        })
    }
}
