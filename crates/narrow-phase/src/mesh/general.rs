//! Shapes against a triangle by the general query of two convex shapes: for edges and
//! corners that stand out.

use drystone_geometry::feature::FeatureKind;
use drystone_geometry::glam::DVec3;
use drystone_geometry::hull::Polytope;
use drystone_geometry::mesh::EdgeKind;
use drystone_geometry::{Feature, Frame, Manifold, Shape, TrianglePolytope};

use super::axes::{self, Placed, Way};
use super::facet::{Facet, Owner};
use super::gather::Gather;
use super::state::SurfaceContact;
use crate::collide::{CollideSettings, Query, collide};
use crate::contact::searched_pair;
use crate::convex::{Core, Pair};
use crate::counters::Counters;
use crate::cuboid::Axis;
use crate::distance::distance;
use crate::gjk::Seed;
use crate::manifold::{Carrier, Draft};
use crate::tolerance::{CLIP_GROWTH, FACE_PREFERENCE, SAME_NORMAL_COSINE};
use crate::{Tracker, certify};

/// The trackers of a pair's triangles: last frame's, and this frame's as they are asked for.
#[derive(Debug, Default)]
pub(super) struct Trackers {
    old: Vec<(u32, Tracker)>,
    new: Vec<(u32, Tracker)>,
}

impl Trackers {
    /// Takes over what a pair knows.
    pub(super) fn begin(&mut self, contact: &mut SurfaceContact) {
        self.new.clear();
        std::mem::swap(&mut self.old, &mut contact.trackers);
    }

    /// Gives the pair what it knows now.
    pub(super) fn end(&mut self, contact: &mut SurfaceContact) {
        std::mem::swap(&mut self.new, &mut contact.trackers);
        self.old.clear();
    }

    /// The tracker of a triangle; triangles come in ascending order.
    pub(super) fn of(&mut self, id: u32) -> &mut Tracker {
        let at = self.old.partition_point(|(known, _)| *known < id);
        let known = self.old.get(at).filter(|(known, _)| *known == id);
        let tracker = known.map_or_else(Tracker::default, |(_, tracker)| *tracker);
        self.new.push((id, tracker));
        let last = self.new.len() - 1;
        &mut self.new[last].1
    }
}

/// What the general query says of a triangle with edges that stand out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The contact is the face's, or none of the triangle's own: the face decides.
    Face,
    /// Everything is said.
    Done,
}

/// Whether a shape reaches over a side at which the triangle has more than one normal worth
/// telling apart.
pub(super) fn reaches_over_sharp(
    facet: &Facet<'_>,
    core: &Core<'_>,
    frame: &Frame,
    hint: u32,
) -> bool {
    (0..3).any(|side| {
        let stands_out = matches!(facet.kinds[side], EdgeKind::Sharp | EdgeKind::Boundary);
        stands_out && {
            let outward = facet.triangle.outward(side);
            let farthest = core.support(frame.inverse_rotate(outward), hint);
            let point = frame.transform_point(core.position(farthest));
            outward.dot(point - facet.triangle.corners[side]) > 0.0
        }
    })
}

/// The answer of the general query for the triangle and the shape.
pub(super) fn query(
    gather: &Gather,
    facet: &Facet<'_>,
    shape: &Shape,
    frame: &Frame,
    tracker: &mut Tracker,
    counters: &mut Counters,
) -> Manifold {
    let triangle = Shape::Triangle {
        points: facet.triangle.corners.map(|corner| corner.as_vec3()),
    };
    let settings = CollideSettings {
        margin: gather.margin as f32,
        recycle: false,
        leans: false,
        stands: false,
        simd: gather.simd,
    };
    let mut manifold = Manifold::EMPTY;
    collide(
        &triangle,
        shape,
        frame,
        &settings,
        tracker,
        &mut manifold,
        counters,
    );
    manifold
}

/// A polytope near a triangle.
pub(super) struct Near<'a> {
    pub(super) shape: &'a Shape,
    pub(super) core: &'a Core<'a>,
    pub(super) polytope: &'a Polytope<'a>,
    pub(super) frame: &'a Frame,
    /// Radius around the core, in metres.
    pub(super) radius: f64,
    /// Along the face's normal, in metres.
    pub(super) gap: f64,
}

/// Decides between the face of a triangle and its edges and corners. What is theirs is added.
pub(super) fn verdict(
    gather: &mut Gather,
    draft: &mut Draft,
    facet: &Facet<'_>,
    near: &Near<'_>,
    trackers: &mut Trackers,
    counters: &mut Counters,
) -> Verdict {
    let tracker = trackers.of(facet.id);
    let manifold = query(gather, facet, near.shape, near.frame, tracker, counters);
    if manifold.is_empty() {
        gather.leave_out(tracker.gap() - gather.margin);
        return Verdict::Done;
    }
    let least = f64::from(manifold.min_separation());
    let normal = manifold.normal.as_dvec3().normalize();
    let slack = FACE_PREFERENCE * gather.size;
    let is_face =
        near.gap >= least - slack || normal.dot(facet.triangle.normal) >= SAME_NORMAL_COSINE;
    if is_face && least > -slack {
        return Verdict::Face;
    }
    if !is_face {
        let owner = facet.owner(normal);
        if owner == Owner::Own {
            take(gather, facet, &manifold, near.frame, near.radius);
            return Verdict::Done;
        }
        if least > 0.0 {
            // Apart. The contact's normal need not quite be that of the nearest points.
            if nearest(gather, facet, near.shape, near.frame, near.radius) {
                return Verdict::Done;
            }
            gather.leave_out(0.0);
            match owner {
                Owner::Nobody if near.gap >= -slack => return Verdict::Face,
                // Below the surface, beside what is over the triangle.
                Owner::Nobody => {}
                Owner::Own | Owner::Beyond => return Verdict::Done,
            }
        }
    }
    // The nearest way out of the triangle is not that of the surface around it.
    let core_gap = near.gap + near.radius;
    let start = core_gap + slack;
    let placed = Placed {
        polytope: near.polytope,
        frame: near.frame,
    };
    match axes::widest(facet, &placed, start, &mut gather.table) {
        Way::Face => Verdict::Face,
        Way::Beyond => {
            gather.leave_out(0.0);
            Verdict::Done
        }
        Way::Along(normal, gap, ()) => {
            along(gather, draft, facet, near, &Axis { gap, normal });
            Verdict::Done
        }
    }
}

/// The nearest points of a shape and a triangle that are apart, if their normal is the
/// triangle's. Says whether it is.
pub(super) fn nearest(
    gather: &mut Gather,
    facet: &Facet<'_>,
    shape: &Shape,
    frame: &Frame,
    radius: f64,
) -> bool {
    let triangle = Shape::Triangle {
        points: facet.triangle.corners.map(|corner| corner.as_vec3()),
    };
    let nearest = distance(&triangle, shape, frame);
    if facet.owner(nearest.normal) != Owner::Own {
        return false;
    }
    let first = gather.candidates.len();
    let on_core = nearest.point_b + radius * nearest.normal;
    let features = (own_feature(facet, nearest.feature_a), nearest.feature_b);
    gather.add(on_core, nearest.lower, features);
    gather.has_edges = true;
    gather.close(first, nearest.normal);
    true
}

/// What a feature of the triangle is called on the surface.
pub(super) fn own_feature(facet: &Facet<'_>, own: Feature) -> Feature {
    match own.kind() {
        FeatureKind::Vertex => facet.vertex(own.index() as usize),
        FeatureKind::Edge | FeatureKind::Face => Feature::face(facet.id),
    }
}

/// Adds the points of a contact whose normal is known.
fn along(gather: &mut Gather, draft: &mut Draft, facet: &Facet<'_>, near: &Near<'_>, axis: &Axis) {
    let points = facet.triangle.corners.map(|corner| corner.as_vec3());
    let triangle = TrianglePolytope::new(points);
    let pair = Pair::new(Core::Triangle(&triangle), *near.core, near.frame);
    let query = Query {
        margin: gather.margin,
        seed: Seed::NONE,
        hold: None,
        last: Carrier::None,
        leans: false,
        radii: [0.0, near.radius],
        size: gather.size,
    };
    draft.begin(gather.margin);
    let core = certify::along(&pair, axis);
    searched_pair(&pair, &core, near.radius, &query, draft);
    let first = gather.candidates.len();
    for candidate in &draft.candidates {
        let own = own_feature(facet, candidate.features.0);
        let features = (own, candidate.features.1);
        gather.add(candidate.on_b, candidate.separation, features);
    }
    gather.has_edges = true;
    gather.close(first, draft.normal);
}

/// Any convex shape: the general query, its normal turned to the face's where it is not the
/// triangle's own.
pub(super) fn any(
    gather: &mut Gather,
    facet: &Facet<'_>,
    shape: &Shape,
    frame: &Frame,
    radius: f64,
    trackers: &mut Trackers,
    counters: &mut Counters,
) {
    let tracker = trackers.of(facet.id);
    let manifold = query(gather, facet, shape, frame, tracker, counters);
    if manifold.is_empty() {
        return gather.leave_out(tracker.gap() - gather.margin);
    }
    let normal = manifold.normal.as_dvec3().normalize();
    match facet.owner(normal) {
        Owner::Own => take(gather, facet, &manifold, frame, radius),
        Owner::Beyond => gather.leave_out(0.0),
        Owner::Nobody => {
            let first = gather.candidates.len();
            for point in manifold.points() {
                let at = frame.transform_point(point.anchor_b.as_dvec3());
                if is_over(gather, facet, at) {
                    let height = facet.triangle.height(at);
                    let core = at + radius * facet.triangle.normal;
                    gather.add(core, height, features(facet, point.feature));
                }
            }
            gather.leave_out(0.0);
            gather.close(first, facet.triangle.normal);
        }
    }
}

/// Whether a point is over or below a triangle, not beside it.
fn is_over(gather: &Gather, facet: &Facet<'_>, point: DVec3) -> bool {
    (0..3).all(|side| {
        let beyond = facet
            .triangle
            .outward(side)
            .dot(point - facet.triangle.corners[side]);
        beyond <= CLIP_GROWTH * gather.size
    })
}

/// Takes the points of a manifold over as they are.
pub(super) fn take(
    gather: &mut Gather,
    facet: &Facet<'_>,
    manifold: &Manifold,
    frame: &Frame,
    radius: f64,
) {
    let normal = manifold.normal.as_dvec3().normalize();
    let first = gather.candidates.len();
    gather.has_edges |= normal.dot(facet.triangle.normal) < SAME_NORMAL_COSINE;
    for point in manifold.points() {
        let at = frame.transform_point(point.anchor_b.as_dvec3());
        let separation = f64::from(point.separation);
        gather.add(
            at + radius * normal,
            separation,
            features(facet, point.feature),
        );
    }
    gather.close(first, normal);
}

/// The id that the general query gave a point, as features of this triangle.
fn features(facet: &Facet<'_>, feature: u32) -> (Feature, Feature) {
    (Feature::face(facet.id), Feature::vertex(feature))
}
