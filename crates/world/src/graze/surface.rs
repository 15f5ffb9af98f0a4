//! Grazes on meshes and height fields, triangle by triangle: the distance from one of them is a convex
//! function of time where that from all of them is none. The rim of a mesh is an edge even where
//! another body goes on beyond it.
//!
//! See also [`rise`](super::rise): where a surface rises, a shape comes to other triangles than it is on.

use drystone_geometry::glam::DVec3;
use drystone_geometry::mesh::{Part, Triangle};
use drystone_geometry::{Shape, Surface};
use drystone_narrow_phase::{SurfaceContact, Tracker};
use drystone_solver::{Bend, Contact};

use super::{Graze, Probe, probe, unturned, velocity_at};
use crate::World;
use crate::collide::ChunkReport;
use crate::continuous::{Pair, Sweep, Way};
use crate::record::ShapeRecord;
use crate::tolerance::{GRAZE_ALIKE, GRAZE_TURN_SINE_SQ};

impl World {
    /// Finds the contacts of bodies that pass over surfaces without bumping into their edges.
    pub(crate) fn pass_surfaces(&mut self) {
        let reports = self.chunk_reports.iter();
        let count: usize = reports.map(|report| report.passing.len()).sum();
        if count == 0 {
            return;
        }
        let mut reports = std::mem::take(&mut self.chunk_reports);
        let world = &*self;
        // Each takes a microsecond, about.
        let workers = self.workers.worth(count);
        workers.for_each(reports.iter_mut(), |_, report| world.pass_chunk(report));
        self.chunk_reports = reports;
    }

    fn pass_chunk(&self, report: &mut ChunkReport) {
        for &whole in &report.passing {
            let Some(on_surface) = &self.contacts.surfaces[whole as usize] else {
                continue;
            };
            for id in self.contacts.with_parts(whole, false) {
                if let Some(eased) = self.eased_on_surface(id, &on_surface.memory) {
                    report.foreseen.push((id, eased));
                } else if let Some(push) = self.landing_on_surface(id) {
                    report.pushes.push((id, push));
                }
            }
        }
    }

    /// What pushes in the place of a contact that a body will have with a surface within the step,
    /// when they are not within the margin yet.
    fn landing_on_surface(&self, id: u32) -> Option<Contact> {
        let contact = &self.contacts.solver[id as usize];
        let links = &self.contacts.links[id as usize];
        let shapes = links.shapes.map(|shape| &self.shapes[shape as usize]);
        let margin = shapes[0].margin.min(shapes[1].margin);
        if contact
            .points()
            .iter()
            .any(|point| point.separation <= margin)
        {
            return None;
        }
        let frames = shapes.map(|shape| self.frame_of(shape));
        let is_curved = [contact.bend_a, contact.bend_b] != [Bend::NONE; 2];
        let sweeps = [0, 1].map(|side| {
            let way = Way::new(self.awake_body(links.bodies[side]), &self.settings);
            let mut sweep = Sweep::new(&shapes[side].shape, &frames[side], &way);
            if is_curved {
                // The solver lets such points follow the turn.
                sweep.motion.angular = DVec3::ZERO;
            }
            sweep
        });
        let sweeps = [&sweeps[0], &sweeps[1]];
        // The last pass over a step answers what would touch a sub-step later.
        let end = 1.0 + 1.0 / f64::from(self.settings.substeps);
        let pair = Pair {
            shapes,
            sweeps,
            simd: self.settings.simd,
        };
        pair.landing(contact, end)
    }

    /// The contact for this step in the place of one of a surface's manifolds.
    fn eased_on_surface(&self, id: u32, memory: &SurfaceContact) -> Option<Contact> {
        let contact = &self.contacts.solver[id as usize];
        if contact.hangs() {
            // It goes along with the body by itself.
            return None;
        }
        let links = &self.contacts.links[id as usize];
        let shapes = links.shapes.map(|shape| &self.shapes[shape as usize]);
        let frames = shapes.map(|shape| self.frame_of(shape));
        let side = usize::from(shapes[0].shape.surface().is_none());
        let passage = Passage {
            graze: Graze {
                shapes,
                frames: [&frames[0], &frames[1]],
                tracker: &Tracker::default(),
                bodies: links.bodies.map(|body| self.awake_body(body)),
                settings: &self.settings,
            },
            side,
            surface: shapes[side].shape.surface()?,
            memory,
            contact,
            normal: frames[side].inverse_rotate(contact.normal.as_dvec3()),
        };
        passage.eased()
    }
}

/// A shape that moves past a surface, and one of its contacts with it.
pub(super) struct Passage<'a> {
    pub(super) graze: Graze<'a>,
    /// That of the surface.
    pub(super) side: usize,
    pub(super) surface: Surface<'a>,
    pub(super) memory: &'a SurfaceContact,
    pub(super) contact: &'a Contact,
    /// Of the contact, in the surface's frame.
    pub(super) normal: DVec3,
}

/// The triangle that is nearest now.
#[derive(Clone, Copy)]
struct First {
    id: u32,
    now: Probe,
    /// The moment at which it is nearest, if that was asked.
    nearest: Option<Probe>,
}

impl Passage<'_> {
    /// See [`Graze::eased`]. Looks at every triangle that the contact may stem from: the shape has to
    /// pass all of them, and the one that is nearest now gives the normal.
    fn eased(&self) -> Option<Contact> {
        let Self { graze, contact, .. } = self;
        if let Some(risen) = self.risen() {
            return Some(risen);
        }
        let bump = graze.bump(contact, contact.count <= 2 && !self.is_of_face())?;
        if graze.sinks(&graze.ways()?, contact) || self.stays_on_face() {
            return None;
        }
        let mut first: Option<First> = None;
        for id in self.memory.faced() {
            let triangle = self.triangle(id);
            let graze = self.past(&triangle);
            let sweeps = graze.ways()?;
            let now = probe(&sweeps, &mut Tracker::default(), 0.0);
            if now.normal.dot(contact.normal.as_dvec3()) < GRAZE_ALIKE {
                continue;
            }
            // What never gets below the tangent of now passes.
            let taken = -(now.gap.max(0.0) + now.slope);
            let nearest = if taken > f64::from(graze.least_bump()) {
                Some(graze.nearest(&sweeps)?)
            } else {
                None
            };
            if first.is_none_or(|first| now.gap < first.now.gap) {
                first = Some(First { id, now, nearest });
            }
        }
        let First { id, now, nearest } = first?;
        let triangle = self.triangle(id);
        let graze = self.past(&triangle);
        let sweeps = graze.ways()?;
        let nearest = nearest.or_else(|| graze.nearest(&sweeps))?;
        if self.leans_into_surface(id, &sweeps, &nearest) {
            return None;
        }
        let turned = graze.turned(&sweeps, &nearest, now.normal);
        turned.then(|| graze.passing(&sweeps, &nearest, bump, contact, contact))?
    }

    /// Whether the normal of a moment leans over a side of a triangle beyond which the surface rises, or
    /// goes on level where the contact is that of a face: the shape then comes to what is there.
    fn leans_into_surface(&self, id: u32, sweeps: &[Sweep<'_>; 2], at: &Probe) -> bool {
        let then = unturned(&sweeps[self.side], at);
        let sign = if self.side == 0 { 1.0 } else { -1.0 };
        let normal = sign * self.graze.frames[self.side].inverse_rotate(then);
        let is_of_face = self.has_face(GRAZE_TURN_SINE_SQ, |_| true);
        self.memory
            .leans_into_surface(self.surface, id, normal, is_of_face)
    }

    /// Whether the normal is that of a triangle; of a line on several triangles, about.
    fn is_of_face(&self) -> bool {
        let most = if self.contact.count > 1 {
            1.0 - GRAZE_ALIKE * GRAZE_ALIKE
        } else {
            GRAZE_TURN_SINE_SQ
        };
        self.has_face(most, |_| true)
    }

    /// Whether all points stay above the inside of a triangle whose normal is that of the contact:
    /// it has the same then.
    fn stays_on_face(&self) -> bool {
        let Graze { frames, bodies, .. } = &self.graze;
        let frame = frames[self.side];
        let past = self.graze.velocity();
        let [own, beside] = [self.side, 1 - self.side].map(|side| bodies[side]);
        self.has_face(GRAZE_TURN_SINE_SQ, |triangle| {
            self.contact.anchors().iter().all(|anchors| {
                let mut anchors = [anchors.a, anchors.b];
                anchors.swap(0, self.side);
                let [anchor, on_other] = anchors;
                let pose = &self.graze.shapes[self.side].center_pose;
                let place = pose.inverse_transform_point(anchor).as_dvec3();
                // Where a point of the shape gets, and one that keeps its place on it.
                let point = velocity_at(beside, on_other) - velocity_at(own, anchor);
                [point, past].into_iter().all(|velocity| {
                    let way = velocity * self.graze.horizon();
                    let end = place + frame.inverse_rotate(way.as_dvec3());
                    triangle.closest(end).part == Part::Face
                })
            })
        })
    }

    /// Whether there is a triangle like this whose normal leaves that of the contact by a squared sine
    /// of less than `most`.
    fn has_face(&self, most: f64, is_like: impl Fn(&Triangle) -> bool) -> bool {
        let mut triangles = self.memory.faced().map(|id| self.surface.triangle(id));
        triangles.any(|triangle| {
            triangle.normal.cross(self.normal).length_squared() < most && is_like(&triangle)
        })
    }

    /// A triangle of the surface, where that is.
    pub(super) fn triangle(&self, id: u32) -> ShapeRecord {
        let points = self.surface.corners(id);
        self.graze.shapes[self.side].part(Shape::Triangle { points })
    }

    /// The shape past a part of the surface.
    pub(super) fn past<'b>(&'b self, part: &'b ShapeRecord) -> Graze<'b> {
        let mut shapes = self.graze.shapes;
        shapes[self.side] = part;
        Graze {
            shapes,
            ..self.graze
        }
    }
}
