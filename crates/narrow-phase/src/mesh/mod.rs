//! A convex shape on a surface of triangles: as many manifolds as there are directions in
//! which it is touched.
//!
//! Every triangle near the shape tells which points it makes and on which normal
//! ([`facet`] knows which normals are its own, [`round`], [`polygon`] and [`general`] find
//! the points); [`cluster`] joins what looks the same way. Everything is computed in the
//! surface's frame in `f64`.

mod axes;
mod cluster;
mod curved;
mod facet;
mod gather;
mod general;
pub(crate) mod nearest;
mod polygon;
mod round;
mod sieve;
mod state;

pub use state::SurfaceContact;

use std::cell::RefCell;

use drystone_geometry::glam::{DVec3, Vec3};
use drystone_geometry::mesh::{Part, Triangle};
use drystone_geometry::{Aabb, Frame, Shape, Surface};

use crate::collide::{CollideSettings, Outcome, Rung};
use crate::convex::{Core, lend_polytope, radius};
use crate::counters::Counters;
use crate::manifold::{Draft, Writing};
use crate::measure::{Span, is_round, size};
use crate::tolerance::{FACE_PREFERENCE, HIDDEN_SHARE, KEPT_TRIANGLES_SHARE, SINGLE_BOX_ROUNDING};
use cluster::Rests;
use facet::Facet;
use gather::Gather;
use general::Trackers;
use sieve::Sieve;

thread_local! {
    /// Arrays of one query: allocated once per thread, without influence on any answer.
    static SCRATCH: RefCell<(Gather, Draft, Trackers, Sieve)> = RefCell::default();
}

/// A convex shape and its pose in the surface's frame.
#[derive(Clone, Copy)]
struct Placed<'a> {
    shape: &'a Shape,
    frame: &'a Frame,
    /// A point inside, in the surface's frame.
    center: DVec3,
    radius: f64,
}

impl Placed<'_> {
    /// What the shape rests on where this is the normal, from the surface to the shape.
    fn rests(&self, normal: DVec3) -> Rests {
        match self.shape.without_rounding() {
            Shape::Sphere { .. } => Rests::Point,
            Shape::Capsule { .. } | Shape::Segment { .. } => Rests::Line(self.center),
            shape if curved::is_on_side(shape, -self.frame.inverse_rotate(normal)) => {
                Rests::Line(self.center)
            }
            _ => Rests::Area,
        }
    }
}

/// Updates the contact of a convex shape and a surface.
///
/// `shape_in_surface` is the shape's pose seen from the surface, orthonormal and finite.
/// `shape_is_a` says in whose frame the manifolds are written: with it, the shape is A and
/// the surface B; without it the other way round. `contact` belongs to the pair. Its
/// manifolds come out as those of [`crate::collide`], each on a normal of its own.
///
/// A triangle is felt from its front, two-sided surfaces from both sides; a shape that came
/// from the front is pushed out there, however deep it is.
pub fn collide_surface(
    surface: Surface<'_>,
    shape: &Shape,
    shape_in_surface: &Frame,
    shape_is_a: bool,
    settings: &CollideSettings,
    contact: &mut SurfaceContact,
    counters: &mut Counters,
) -> Outcome {
    debug_assert!(shape_in_surface.translation.is_finite());
    debug_assert!(shape_in_surface.rotation.is_finite());
    let margin = f64::from(settings.margin);
    let span = Span::of(shape);
    if contact.is_still_apart(shape_in_surface, &span, margin) {
        counters.skipped += 1;
        return Outcome { rung: Rung::Skip };
    }
    if settings.recycle
        && !contact
            .manifolds()
            .any(|manifold| is_round(shape, manifold))
        && contact.recycle(
            shape_in_surface,
            &span,
            [size(shape), radius(shape)],
            margin,
            shape_is_a,
        )
    {
        counters.recycled += 1;
        return Outcome {
            rung: Rung::Recycle,
        };
    }
    let placed = Placed {
        shape,
        frame: shape_in_surface,
        center: middle(shape, shape_in_surface),
        radius: radius(shape),
    };
    let before = *counters;
    SCRATCH.with_borrow_mut(|(gather, draft, trackers, sieve)| {
        gather.begin(margin, size(shape), settings.simd);
        trackers.begin(contact);
        let scratch = (&mut *gather, &mut *draft, &mut *trackers, sieve);
        look_around(surface, &placed, scratch, contact, counters);
        let writing = Writing {
            b_in_a: shape_in_surface,
            flipped: shape_is_a,
            radius_a: 0.0,
            radius_b: placed.radius,
            size: gather.size,
        };
        let rests = |normal| placed.rests(normal);
        cluster::write(gather, draft, &writing, rests, contact.slots_mut());
        trackers.end(contact);
        contact.remember(shape_in_surface, placed.center, gather);
    });
    let rung = if counters.epa > before.epa {
        Rung::Epa
    } else if counters.gjk > before.gjk {
        Rung::Gjk
    } else {
        counters.closed_form += 1;
        Rung::ClosedForm
    };
    Outcome { rung }
}

/// Asks every triangle near the shape.
fn look_around(
    surface: Surface<'_>,
    placed: &Placed<'_>,
    (gather, draft, trackers, sieve): (&mut Gather, &mut Draft, &mut Trackers, &mut Sieve),
    contact: &mut SurfaceContact,
    counters: &mut Counters,
) {
    let bounds = placed.shape.bounds_in(placed.frame);
    let near = single(bounds.min, bounds.max, gather.margin);
    if !contact.holds(&near) {
        let reach = 0.5 * (bounds.max - bounds.min).max_element();
        let grown = gather.margin + KEPT_TRIANGLES_SHARE * reach;
        contact.look_up(surface, single(bounds.min, bounds.max, grown));
    }
    gather.leave_out(contact.room(&near));
    let lent = lend_polytope(placed.shape);
    let core = match placed.shape.without_rounding() {
        Shape::Sphere { .. } | Shape::Capsule { .. } | Shape::Box { .. } | Shape::Hull(_) => {
            Core::of(placed.shape, &lent)
        }
        _ => None,
    };
    let (shape, frame) = (placed.shape, placed.frame);
    sieve.take(shape, core.as_ref(), placed.radius, frame, placed.center);
    let margin = gather.margin as f32;
    let left_out = sieve.sort_out(
        surface,
        contact.triangles(),
        contact.boxes(),
        margin,
        gather.simd,
    );
    gather.leave_out(f64::from(left_out));
    keep_faced(surface, placed, &near, contact, &mut sieve.passed);
    for &id in &sieve.passed {
        let Some(facet) = facing(surface, id, placed, gather, contact) else {
            continue;
        };
        let made = gather.groups.len();
        let scratch = (&mut *gather, &mut *draft, &mut *trackers);
        ask(scratch, &facet, placed, core.as_ref(), counters);
        if gather.groups.len() > made {
            gather.faced.push(2 * id + u32::from(facet.is_reversed()));
        }
    }
    if let Some(core) = &core {
        let least = if gather.groups.is_empty() {
            0.0
        } else {
            state::kept_way(gather.margin)
        };
        polygon::leave_out_beside(gather, surface, core, frame, placed.radius, least);
    }
}

/// Lets the triangles in again that the shape has gone through to the other side, if their
/// boxes still meet its own: it is pushed back, however deep it is.
fn keep_faced(
    surface: Surface<'_>,
    placed: &Placed<'_>,
    near: &Aabb,
    contact: &SurfaceContact,
    passed: &mut Vec<u32>,
) {
    let known = passed.len();
    let mut at = 0;
    for id in contact.faced() {
        while at < known && passed[at] < id {
            at += 1;
        }
        if at < known && passed[at] == id {
            continue;
        }
        let own = surface.triangle_bounds(id);
        let meets = own.min.cmple(near.max).all() && near.min.cmple(own.max).all();
        if !meets {
            continue;
        }
        let height = Triangle::new(surface.corners(id).map(|c| c.as_dvec3())).height(placed.center);
        let is_behind = contact.faced_from(id) == Some(true);
        if is_behind != (height < 0.0) {
            passed.push(id);
        }
    }
    if passed.len() > known {
        passed.sort_unstable();
    }
}

/// The triangle seen from the side the shape came from; nothing if it is not felt there.
fn facing<'a>(
    surface: Surface<'a>,
    id: u32,
    placed: &Placed<'_>,
    gather: &mut Gather,
    contact: &SurfaceContact,
) -> Option<Facet<'a>> {
    let facet = Facet::new(surface, id, false);
    let height = facet.triangle.height(placed.center);
    let is_behind = match (contact.faced_from(id), contact.last_center()) {
        (Some(is_behind), _) => is_behind,
        (None, Some(last)) if surface.is_two_sided() => facet.triangle.height(last) < 0.0,
        (None, Some(last)) => height < 0.0 && facet.triangle.height(last) < 0.0,
        (None, None) => height < 0.0,
    };
    if !is_behind {
        return Some(facet);
    }
    if surface.is_two_sided() {
        let was_felt = contact.faced_from(id).is_some();
        if !was_felt && is_hidden(surface, id, &facet.triangle, placed.center) {
            gather.leave_out(0.0);
            return None;
        }
        return Some(Facet::new(surface, id, true));
    }
    gather.leave_out(-height);
    None
}

/// Whether a triangle that a point is behind, and not below, is round a bend of the surface: the
/// point is in front of what lies between.
fn is_hidden(surface: Surface<'_>, id: u32, triangle: &Triangle, point: DVec3) -> bool {
    let closest = triangle.closest(point);
    if closest.part == Part::Face {
        return false;
    }
    let [a, b, c] = triangle.corners;
    let inside = closest.point.lerp((a + b + c) / 3.0, HIDDEN_SHARE);
    let first = surface.ray(point, inside - point, 1.0);
    first.is_some_and(|hit| hit.triangle != id)
}

/// Asks one triangle.
fn ask(
    (gather, draft, trackers): (&mut Gather, &mut Draft, &mut Trackers),
    facet: &Facet<'_>,
    placed: &Placed<'_>,
    core: Option<&Core<'_>>,
    counters: &mut Counters,
) {
    let frame = placed.frame;
    match core {
        Some(Core::Point) => round::ball(gather, facet, frame.translation, placed.radius),
        Some(Core::Segment(half_height)) => {
            let end = frame.rotation.y_axis * *half_height;
            let ends = [frame.translation - end, frame.translation + end];
            round::capsule(gather, facet, ends, placed.radius);
        }
        Some(core) if let Some(polytope) = core.polytope() => {
            let down = -frame.inverse_rotate(facet.triangle.normal);
            let lowest = core.support(down, gather.hint);
            gather.hint = lowest;
            let point = frame.transform_point(core.position(lowest));
            let gap = facet.triangle.height(point) - placed.radius;
            if gap > gather.margin {
                return gather.leave_out(gap - gather.margin);
            }
            let near = general::Near {
                shape: placed.shape,
                core,
                polytope: &polytope,
                frame,
                radius: placed.radius,
                gap,
            };
            let is_asked = facet.is_near_sharp()
                && (gap < -FACE_PREFERENCE * gather.size
                    || general::reaches_over_sharp(facet, core, frame, gather.hint));
            if is_asked {
                let verdict = general::verdict(gather, draft, facet, &near, trackers, counters);
                if verdict != general::Verdict::Face {
                    return;
                }
            }
            let found = gather.candidates.len();
            polygon::over_face(gather, facet, &polytope, frame, lowest, placed.radius);
            if is_asked && gap > 0.0 {
                // The lowest point may be beside the triangle, and nearest to an edge of it.
                let over = gather.candidates[found..].iter();
                let least = over.fold(f64::INFINITY, |least, c| least.min(c.separation));
                if least > gap + FACE_PREFERENCE * gather.size {
                    general::nearest(gather, facet, placed.shape, frame, placed.radius);
                }
            }
        }
        _ if let Some(near) =
            curved::Near::of(placed.shape, frame, placed.center, placed.radius) =>
        {
            curved::ask(gather, draft, facet, &near, trackers, counters);
        }
        _ if let Some(ends) = rounded_segment(placed) => {
            round::capsule(gather, facet, ends, placed.radius);
        }
        _ => general::any(
            gather,
            facet,
            placed.shape,
            frame,
            placed.radius,
            trackers,
            counters,
        ),
    }
}

/// The ends of a segment with a radius around it, which is a capsule, in the surface's frame.
fn rounded_segment(placed: &Placed<'_>) -> Option<[DVec3; 2]> {
    match *placed.shape.without_rounding() {
        Shape::Segment { a, b } if placed.radius > 0.0 => {
            Some([a, b].map(|end| placed.frame.transform_point(end.as_dvec3())))
        }
        _ => None,
    }
}

/// A point inside a shape, in the surface's frame.
fn middle(shape: &Shape, frame: &Frame) -> DVec3 {
    match shape.without_rounding() {
        Shape::Hull(hull) => frame.transform_point(hull.center()),
        Shape::Triangle { .. } | Shape::Segment { .. } => {
            let bounds = shape.bounds_in(frame);
            0.5 * (bounds.min + bounds.max)
        }
        shape => {
            let solid = shape.curved();
            solid.map_or(frame.translation, |solid| {
                frame.transform_point(solid.center())
            })
        }
    }
}

/// A box in `f32` around one in `f64`, grown by `margin`.
fn single(min: DVec3, max: DVec3, margin: f64) -> Aabb {
    let rounding = |v: DVec3| v.abs() * SINGLE_BOX_ROUNDING;
    let least = min - DVec3::splat(margin);
    let most = max + DVec3::splat(margin);
    let (low, high): (Vec3, Vec3) = (
        (least - rounding(least)).as_vec3(),
        (most + rounding(most)).as_vec3(),
    );
    Aabb {
        min: low,
        max: high,
    }
}
