//! Cylinders, cones and ellipsoids against a triangle: the general query where its normal is the
//! triangle's own, and otherwise the best way out of those that are.

use drystone_geometry::glam::DVec3;
use drystone_geometry::mesh::EdgeKind;
use drystone_geometry::shape::curved::Curved;
use drystone_geometry::{Feature, Frame, Shape};

use super::axes::{self, Leaves, Way};
use super::facet::{Facet, Owner};
use super::gather::Gather;
use super::general::{self, Trackers};
use crate::collide::Query;
use crate::convex::{Lent, lend_polytope};
use crate::counters::Counters;
use crate::curved::{Curves, Figure, point};
use crate::distance::figure;
use crate::gjk::Seed;
use crate::manifold::patch::FlatFace;
use crate::manifold::{Carrier, Draft};
use crate::tolerance::{
    ADMITTED_SINE, ARC_PIECES, FACE_PREFERENCE, LEVEL_FACE_COSINE, MAX_HALVINGS, SAME_NORMAL_COSINE,
};

/// A curved shape near a triangle.
pub(super) struct Near<'a> {
    shape: &'a Shape,
    solid: Curved,
    frame: &'a Frame,
    /// A point inside it, in the surface's frame.
    center: DVec3,
    /// Radius around the solid, in metres.
    radius: f64,
}

impl<'a> Near<'a> {
    /// Nothing for other shapes.
    pub(super) fn of(
        shape: &'a Shape,
        frame: &'a Frame,
        center: DVec3,
        radius: f64,
    ) -> Option<Self> {
        Some(Self {
            shape,
            solid: shape.curved()?,
            frame,
            center,
            radius,
        })
    }
}

/// Adds what a triangle has to say.
pub(super) fn ask(
    gather: &mut Gather,
    draft: &mut Draft,
    facet: &Facet<'_>,
    near: &Near<'_>,
    trackers: &mut Trackers,
    counters: &mut Counters,
) {
    let Near {
        shape,
        frame,
        radius,
        ..
    } = *near;
    let tracker = trackers.of(facet.id);
    let manifold = general::query(gather, facet, shape, frame, tracker, counters);
    if manifold.is_empty() {
        gather.leave_out(tracker.gap() - gather.margin);
        if is_entered_beside(facet, near) {
            over_face(gather, draft, facet, near);
        }
        return;
    }
    let normal = manifold.normal.as_dvec3().normalize();
    let owner = facet.owner(normal);
    let least = f64::from(manifold.min_separation());
    // Deep below a face, the way out may be along that of a neighbour.
    let is_face = normal.dot(facet.triangle.normal) >= SAME_NORMAL_COSINE;
    let is_deep = least < -FACE_PREFERENCE * gather.size;
    if owner == Owner::Own && !(is_face && is_deep) {
        return general::take(gather, facet, &manifold, frame, radius);
    }
    let up = facet.triangle.normal;
    let core_gap = up.dot(farthest(near, up) - facet.triangle.corners[0]);
    let slack = FACE_PREFERENCE * gather.size;
    if least > 0.0 {
        // Apart. The contact's normal need not quite be that of the nearest points.
        if general::nearest(gather, facet, shape, frame, radius) {
            return;
        }
        gather.leave_out(0.0);
        match owner {
            Owner::Nobody if core_gap - radius >= -slack => {
                over_face(gather, draft, facet, near);
                return;
            }
            // Below the surface, beside what is over the triangle.
            Owner::Nobody => {}
            Owner::Own | Owner::Beyond => return,
        }
    }
    // The nearest way out of the triangle is not that of the surface around it.
    gather.leave_out(0.0);
    let mut ring = std::mem::take(&mut gather.table);
    let mut way = axes::widest(facet, near, core_gap + slack, &mut ring);
    let is_beside = way == Way::Face && !over_face(gather, draft, facet, near);
    if is_beside {
        way = axes::widest(facet, near, core_gap, &mut ring);
    }
    gather.table = ring;
    match way {
        Way::Along(normal, gap, at) => along(gather, draft, facet, near, (normal, gap, at)),
        Way::Face if is_beside && least <= 0.0 => near.over_valley(gather, facet),
        Way::Face | Way::Beyond => {}
    }
}

/// Whether what is deepest of a shape is below the triangle though the shape does not touch it: it
/// went through what the surface goes on with, and not round an end of it.
fn is_entered_beside(facet: &Facet<'_>, near: &Near<'_>) -> bool {
    let deepest = farthest(near, facet.triangle.normal);
    let is_inside = |side: usize| {
        let outward = facet.triangle.outward(side);
        outward.dot(deepest - facet.triangle.corners[side]) <= 0.0
    };
    (0..3).all(is_inside) && facet.is_entered(near.center, deepest)
}

/// The point of the solid that is lowest along a direction, in the triangle's frame.
fn farthest(near: &Near<'_>, direction: DVec3) -> DVec3 {
    let inward = -near.frame.inverse_rotate(direction);
    near.frame.transform_point(near.solid.support(inward))
}

/// What the shape shows towards the face, where it is over the triangle. Says whether there is
/// something.
fn over_face(gather: &mut Gather, draft: &mut Draft, facet: &Facet<'_>, near: &Near<'_>) -> bool {
    let face = FlatFace {
        normal: facet.triangle.normal,
        face: 0,
    };
    let normal = face.normal;
    patch(gather, draft, facet, near, true, face, normal)
}

/// Clips what one shows against a face of the other. Says whether something is left.
fn patch(
    gather: &mut Gather,
    draft: &mut Draft,
    facet: &Facet<'_>,
    near: &Near<'_>,
    of_triangle: bool,
    face: FlatFace,
    normal: DVec3,
) -> bool {
    let triangle = Shape::Triangle {
        points: facet.triangle.corners.map(|corner| corner.as_vec3()),
    };
    let (lent_a, lent_b) = (lend_polytope(&triangle), Lent::None);
    let (figure_a, figure_b): (Figure<'_>, Figure<'_>) =
        (figure(&triangle, &lent_a), figure(near.shape, &lent_b));
    let curves = Curves {
        a: &figure_a,
        b: &figure_b,
        b_in_a: near.frame,
        radius: near.radius,
    };
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
    curves.over_face(of_triangle, face, normal, &query, draft);
    let first = gather.candidates.len();
    for candidate in &draft.candidates {
        let own = general::own_feature(facet, candidate.features.0);
        let features = (own, candidate.features.1);
        gather.add(candidate.on_b, candidate.separation, features);
    }
    gather.close(first, normal);
    gather.candidates.len() > first
}

/// The contact along a way out whose normal, gap and point on the triangle are known.
fn along(
    gather: &mut Gather,
    draft: &mut Draft,
    facet: &Facet<'_>,
    near: &Near<'_>,
    (normal, gap, at): (DVec3, f64, DVec3),
) {
    gather.has_edges = true;
    let outward = -near.frame.inverse_rotate(normal);
    let cap = caps(&near.solid).find(|(cap, _)| cap.dot(outward) >= SAME_NORMAL_COSINE);
    if let Some((cap, face)) = cap {
        let face = FlatFace { normal: cap, face };
        if patch(gather, draft, facet, near, false, face, normal) {
            return;
        }
    }
    let first = gather.candidates.len();
    let features = (Feature::face(facet.id), near.solid.feature(outward, 0.0));
    gather.add(at + gap * normal, gap - near.radius, features);
    gather.close(first, normal);
}

/// The flat faces: outward normals in the solid's frame, and their numbers.
fn caps(solid: &Curved) -> impl Iterator<Item = (DVec3, u32)> + use<> {
    let count = match solid {
        Curved::Cylinder { .. } => 2,
        Curved::Cone { .. } => 1,
        Curved::Ellipsoid(_) => 0,
    };
    [(DVec3::NEG_Y, 0), (DVec3::Y, 1)].into_iter().take(count)
}

impl Leaves for Near<'_> {
    /// A point of the triangle that is deepest.
    type Place = DVec3;

    fn frame(&self) -> &Frame {
        self.frame
    }

    fn lowest(&self, direction: DVec3) -> f64 {
        direction.dot(farthest(self, direction))
    }

    /// The least depth of a triangle and something round lies along the normal of a cap, from a
    /// corner to the nearest point of the surface, or where a side has one between the normals of
    /// the triangles at it.
    fn own_ways(&self, facet: &Facet<'_>, least: f64, take: &mut impl FnMut(DVec3, f64, DVec3)) {
        let corners = facet.triangle.corners;
        let mut offer = |way: DVec3| {
            if way.dot(facet.triangle.normal) < -ADMITTED_SINE {
                return;
            }
            let mut last = (f64::NEG_INFINITY, corners[0]);
            for corner in corners {
                let height = way.dot(corner);
                if height > last.0 {
                    last = (height, corner);
                }
            }
            let gap = self.lowest(way) - last.0;
            if gap > least && facet.owner(way) == Owner::Own {
                take(way, gap, last.1);
            }
        };
        for (cap, _) in caps(&self.solid) {
            offer(-self.frame.rotate(cap));
        }
        for corner in corners {
            let own = self.frame.inverse_transform_point(corner);
            let nearest = point::nearest(&self.solid, own);
            offer(-self.frame.rotate(nearest.normal));
            if let Some(side) = side_normal(&self.solid, own) {
                offer(-self.frame.rotate(side));
            }
        }
        for side in 0..3 {
            if matches!(facet.kinds[side], EdgeKind::Sharp | EdgeKind::Boundary) {
                self.across_side(facet, side, take);
            }
        }
    }
}

/// Whether a shape that is touched along this normal out of it, in its own frame, lies on the round
/// side of a cylinder or cone.
pub(super) fn is_on_side(shape: &Shape, outward: DVec3) -> bool {
    let side = shape
        .curved()
        .and_then(|solid| side_normal(&solid, outward));
    side.is_some_and(|side| side.dot(outward) >= LEVEL_FACE_COSINE)
}

/// The normal of the round side towards a point in the solid's frame.
fn side_normal(solid: &Curved, own: DVec3) -> Option<DVec3> {
    let level = DVec3::new(own.x, 0.0, own.z).try_normalize()?;
    match *solid {
        Curved::Cylinder { .. } => Some(level),
        Curved::Cone {
            half_height,
            radius,
        } => (2.0 * half_height * level + DVec3::new(0.0, radius, 0.0)).try_normalize(),
        Curved::Ellipsoid(_) => None,
    }
}

impl Near<'_> {
    /// Offers the normals at a side, from the triangle's to its neighbour's, along which the gap
    /// is the widest nearby.
    ///
    /// As the normal turns, the gap grows by how far the lowest point of the solid is ahead of
    /// the side; where that changes its sign, or jumps past zero between the ends of a line, the
    /// gap is widest.
    fn across_side(
        &self,
        facet: &Facet<'_>,
        side: usize,
        take: &mut impl FnMut(DVec3, f64, DVec3),
    ) {
        let (from, along) = (facet.triangle.corners[side], facet.triangle.side(side));
        let outward = facet.triangle.outward(side);
        let last = facet.normal_beyond(side).unwrap_or(outward);
        let up = facet.triangle.normal;
        let way = |share: f64| ((1.0 - share) * up + share * last).normalize_or(outward);
        let look = |share: f64| {
            let way = way(share);
            let point = farthest(self, way) - from;
            Seen {
                share,
                point,
                ahead: along.cross(way).dot(point),
                zone: self.zone(way),
            }
        };
        let mut offer = |low: Seen, high: Seen| {
            if low.ahead <= 0.0 || high.ahead > 0.0 {
                return;
            }
            let (low, high) = halved(low, high, look, |here| here.ahead > 0.0);
            let point = Seen::level(&low, &high);
            let place = point.dot(along) / along.length_squared();
            if (0.0..=1.0).contains(&place) {
                let normal = way(low.share);
                take(normal, normal.dot(low.point), from + place * along);
            }
        };
        let mut before = look(0.0);
        for piece in 1..=ARC_PIECES {
            let after = look(f64::from(piece) / f64::from(ARC_PIECES));
            if before.zone == after.zone {
                offer(before, after);
            } else {
                let (last, next) = halved(before, after, look, |here| here.zone == before.zone);
                offer(before, last);
                offer(last, next);
                offer(next, after);
            }
            before = after;
        }
    }

    /// Adds what is deepest over the triangle where what is deepest of all lies beyond a valley, below
    /// what rises there.
    ///
    /// Of the points over the side the lowest is the one that is farthest along a normal between the
    /// triangle's and the side's.
    fn over_valley(&self, gather: &mut Gather, facet: &Facet<'_>) {
        let up = facet.triangle.normal;
        for side in 0..3 {
            if facet.kinds[side] != EdgeKind::Concave {
                continue;
            }
            let (from, along) = (facet.triangle.corners[side], facet.triangle.side(side));
            let outward = facet.triangle.outward(side);
            let look = |share: f64| {
                let way = (1.0 - share) * up + share * outward;
                let point = farthest(self, way) - from;
                Seen {
                    share,
                    point,
                    ahead: outward.dot(point),
                    zone: Feature::face(0),
                }
            };
            let (low, high) = (look(0.0), look(1.0));
            if low.ahead <= 0.0 || high.ahead > 0.0 {
                continue;
            }
            let (low, high) = halved(low, high, look, |here| here.ahead > 0.0);
            let point = Seen::level(&low, &high);
            let place = point.dot(along) / along.length_squared();
            if (0.0..=1.0).contains(&place) {
                let first = gather.candidates.len();
                let into_surface = -self.frame.inverse_rotate(up);
                let features = (facet.edge(side), self.solid.feature(into_surface, 0.0));
                gather.add(from + point, up.dot(point) - self.radius, features);
                gather.has_edges = true;
                gather.close(first, up);
            }
        }
    }

    /// Which of a rim, another rim and a tip is lowest along a direction.
    fn zone(&self, direction: DVec3) -> Feature {
        let outward = -self.frame.inverse_rotate(direction);
        match self.solid {
            Curved::Cylinder { .. } => Feature::edge(u32::from(outward.y > 0.0)),
            Curved::Cone { half_height, .. } => {
                if self.solid.support(outward).y < half_height {
                    Feature::edge(0)
                } else {
                    Feature::vertex(0)
                }
            }
            Curved::Ellipsoid(_) => Feature::face(0),
        }
    }
}

/// The solid seen along one of the normals at a side.
#[derive(Clone, Copy)]
struct Seen {
    /// Of the way from the first normal to the last.
    share: f64,
    /// Its lowest point, from where the side begins.
    point: DVec3,
    /// How far that is ahead of the side: how fast the gap grows.
    ahead: f64,
    zone: Feature,
}

impl Seen {
    /// Between the lowest points of two the one that is neither ahead nor behind.
    fn level(low: &Self, high: &Self) -> DVec3 {
        let span = low.ahead - high.ahead;
        let mix = if span > 0.0 { low.ahead / span } else { 0.0 };
        low.point + mix * (high.point - low.point)
    }
}

/// The last place that is low and the first that is not, to the rounding of the normal.
fn halved(
    mut low: Seen,
    mut high: Seen,
    look: impl Fn(f64) -> Seen,
    is_low: impl Fn(&Seen) -> bool,
) -> (Seen, Seen) {
    for _ in 0..MAX_HALVINGS {
        let here = look(0.5 * (low.share + high.share));
        if is_low(&here) {
            low = here;
        } else {
            high = here;
        }
    }
    (low, high)
}
