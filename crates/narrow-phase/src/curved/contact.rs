//! Contacts of curved shapes: full patches where caps or lines lie on a face, one point or two
//! elsewhere.

use drystone_geometry::glam::{DMat3, DVec3};
use drystone_geometry::{Feature, Frame, Separation};

use super::{Figure, Wanted, gap, separation};
use crate::collide::{Found, Query};
use crate::convex::NO_HINT;
use crate::counters::Counters;
use crate::extremes::smaller;
use crate::manifold::lines::{self, Line};
use crate::manifold::patch::{self, Face, FlatFace};
use crate::manifold::{Candidate, Carrier, Draft, faces};
use crate::tolerance::{
    CLIP_GROWTH, CURVED_CONTACT, LEVEL_SINE, MAX_CONTACT_EXPANSIONS, SAME_POINT, SHALLOW_DEPTH,
    SHALLOW_TO_MARGIN, WITNESS_ERROR,
};
use crate::trace::{ClosedForm, Event, Trace};

/// A's own frame seen from A.
const SELF: Frame = Frame {
    rotation: DMat3::IDENTITY,
    translation: DVec3::ZERO,
};

/// Two figures, their pose and the sum of their radii.
#[derive(Clone, Copy)]
pub(crate) struct Curves<'a> {
    /// The first figure; its frame is the query's.
    pub(crate) a: &'a Figure<'a>,
    /// The second figure.
    pub(crate) b: &'a Figure<'a>,
    /// B's pose seen from A.
    pub(crate) b_in_a: &'a Frame,
    /// In metres.
    pub(crate) radius: f64,
}

impl Curves<'_> {
    /// Fills `draft`.
    pub(crate) fn contact<T: Trace>(
        &self,
        query: &Query,
        draft: &mut Draft,
        counters: &mut Counters,
        trace: &mut T,
    ) -> Found {
        if let Some(found) = self.on_last_face(query, draft) {
            counters.held += 1;
            trace.event(Event::Closed(ClosedForm::LastFace));
            return found;
        }
        let close = CURVED_CONTACT * query.size;
        let wanted = Wanted {
            limit: query.margin + self.radius,
            relative: 0.0,
            radius: self.radius,
            apart: close,
            depth: close,
            max_expansions: MAX_CONTACT_EXPANSIONS,
        };
        let core = separation(
            (self.a, self.b),
            self.b_in_a,
            &query.seed,
            &wanted,
            counters,
            trace,
        );
        if core.lower - self.radius <= query.margin {
            self.draft(&core, query, draft);
        }
        self.found(core.normal, core.lower)
    }

    fn found(&self, normal: DVec3, gap: f64) -> Found {
        let inward = -self.b_in_a.inverse_rotate(normal);
        Found {
            features: Some([
                self.a.feature(normal, LEVEL_SINE),
                self.b.feature(inward, LEVEL_SINE),
            ]),
            ..Found::closed(normal, gap - self.radius)
        }
    }

    /// The flat face of A or of B nearest to a normal, the normal that it gives, and the gap
    /// along it.
    fn face(&self, of_a: bool, normal: DVec3) -> Option<(FlatFace, DVec3, f64)> {
        let (face, normal) = if of_a {
            let face = patch::flat_face(self.a, normal)?;
            (face, face.normal)
        } else {
            let face = patch::flat_face(self.b, -self.b_in_a.inverse_rotate(normal))?;
            (face, -self.b_in_a.rotate(face.normal))
        };
        Some((face, normal, gap(self.a, self.b, self.b_in_a, normal)))
    }

    /// Last frame's face again, when the deepest point lies over it and no other direction can
    /// be better by more than a small share of the size: one support instead of a search.
    fn on_last_face(&self, query: &Query, draft: &mut Draft) -> Option<Found> {
        let of_a = match query.last {
            Carrier::FaceA => true,
            Carrier::FaceB => false,
            Carrier::None | Carrier::Edges => return None,
        };
        let last = query.seed.direction.try_normalize()?;
        let (face, normal, gap) = self.face(of_a, last)?;
        let separation = gap - self.radius;
        let shallow = smaller(SHALLOW_DEPTH * query.size, SHALLOW_TO_MARGIN * query.margin);
        if gap < -shallow || separation > query.margin {
            return None;
        }
        self.over_face(of_a, face, normal, query, draft);
        if draft.least() > separation + faces::preference(query.size, query.margin) {
            draft.begin(query.margin);
            return None;
        }
        Some(self.found(normal, gap))
    }

    fn draft(&self, core: &Separation, query: &Query, draft: &mut Draft) {
        let (face_a, face_b) = (self.face(true, core.normal), self.face(false, core.normal));
        let gaps = (face_a.map(|f| f.2), face_b.map(|f| f.2));
        match faces::choose(gaps.0, gaps.1, core.lower, query) {
            Carrier::FaceA => {
                if let Some((face, normal, _)) = face_a {
                    self.over_face(true, face, normal, query, draft);
                }
            }
            Carrier::FaceB => {
                if let Some((face, normal, _)) = face_b {
                    self.over_face(false, face, normal, query, draft);
                }
            }
            Carrier::None | Carrier::Edges => {
                self.on_level_face(core, [face_a, face_b], query, draft);
            }
        }
        let deepest = core.lower - self.radius + faces::preference(query.size, query.margin);
        if draft.candidates.is_empty() || draft.least() > deepest {
            // No face carries the contact, or the nearest point is not over it.
            draft.begin(query.margin);
            let inward = -self.b_in_a.inverse_rotate(core.normal);
            let a = Line::of(self.a, core.feature_a, core.normal);
            let b = Line::of(self.b, core.feature_b, inward);
            let ends = a.zip(b).map(|(a, b)| (a, b.seen_from(self.b_in_a)));
            let core = self.on_surface(core, query);
            lines::draft(draft, ends, &core, query.radii, query.size);
        }
    }

    /// The same with witnesses on the surfaces.
    ///
    /// Deep inside something as round, many directions are as good, and a search that is cut off
    /// knows its witnesses as means of points far apart. The point of the smaller shape that lies
    /// farthest along the normal is one in any case.
    fn on_surface(&self, core: &Separation, query: &Query) -> Separation {
        let normal = core.normal;
        let across = core.point_b - core.point_a;
        let across = across - across.dot(normal) * normal;
        let (on_a, _) = self.a.support(normal, NO_HINT);
        let below = (on_a - core.point_a).dot(normal);
        let most = WITNESS_ERROR * query.size;
        if across.length() <= most && below <= most {
            return *core;
        }
        let shift = core.lower * normal;
        let (on_a, on_b) = if self.a.extent() <= self.b.extent() {
            (on_a, on_a + shift)
        } else {
            let into_b = -self.b_in_a.inverse_rotate(normal);
            let on_b = self.b.support(into_b, NO_HINT).0;
            let on_b = self.b_in_a.transform_point(on_b);
            (on_b - shift, on_b)
        };
        Separation {
            point_a: on_a,
            point_b: on_b,
            ..*core
        }
    }

    /// Clips against the flat face that is nearly level with the normal, if there is one and what
    /// lies on it is no deeper than the cores are: see the same of polytopes.
    fn on_level_face(
        &self,
        core: &Separation,
        [face_a, face_b]: [Option<(FlatFace, DVec3, f64)>; 2],
        query: &Query,
        draft: &mut Draft,
    ) {
        let level = |face: Option<(FlatFace, DVec3, f64)>| {
            face.map_or(-1.0, |(_, normal, _)| normal.dot(core.normal))
        };
        let carrier = faces::level(query.last, level(face_a), level(face_b));
        let of_a = carrier == Carrier::FaceA;
        if carrier != Carrier::Edges
            && let Some((face, normal, _)) = if of_a { face_a } else { face_b }
        {
            self.over_face(of_a, face, normal, query, draft);
            faces::is_patch(draft, 2, core.lower - self.radius, query);
        }
    }

    /// Clips what one figure shows against a flat face of the other.
    pub(crate) fn over_face(
        &self,
        of_a: bool,
        face: FlatFace,
        normal: DVec3,
        query: &Query,
        draft: &mut Draft,
    ) {
        draft.normal = normal;
        draft.carrier = if of_a { Carrier::FaceA } else { Carrier::FaceB };
        let [mut reference, mut incident, mut spare] = draft.take_patches();
        let into_b = -self.b_in_a.inverse_rotate(normal);
        let (shown, deepest);
        if of_a {
            patch::show(self.a, face.normal, 0.0, &SELF, &mut reference);
            shown = self.b;
            deepest = self
                .b_in_a
                .transform_point(self.b.support(into_b, NO_HINT).0);
        } else {
            patch::show(self.b, face.normal, 0.0, self.b_in_a, &mut reference);
            shown = self.a;
            deepest = self.a.support(normal, NO_HINT).0;
        }
        let outward = if of_a { normal } else { -normal };
        let plane = Face {
            corners: &reference,
            normal: outward,
            feature: Feature::face(face.face),
            growth: CLIP_GROWTH * query.size,
        };
        let sunk = self.radius - plane.height(deepest);
        if of_a {
            patch::show(self.b, into_b, sunk, self.b_in_a, &mut incident);
        } else {
            patch::show(self.a, normal, sunk, &SELF, &mut incident);
        }
        // The rim of a cap is deepest between the corners that stand for it.
        let is_cap = matches!(shown, Figure::Curved(_)) && incident.len() > 2;
        let mut add = |over: patch::Over| {
            let foot = over.point - over.height * outward;
            let (on_a, on_b, features) = if of_a {
                (foot, over.point, (over.reference, over.incident))
            } else {
                (over.point, foot, (over.incident, over.reference))
            };
            draft.add(Candidate {
                on_a,
                on_b,
                separation: over.height - self.radius,
                features,
            });
        };
        let lowest = incident.iter().fold(f64::INFINITY, |least, c| {
            least.min(plane.height(c.position))
        });
        plane.clip(&mut incident, &mut spare, &mut add);
        if is_cap && plane.height(deepest) < lowest - SAME_POINT * query.size {
            patch::single(deepest, &mut incident);
            plane.clip(&mut incident, &mut spare, &mut add);
        }
        draft.return_patches([reference, incident, spare]);
    }
}
