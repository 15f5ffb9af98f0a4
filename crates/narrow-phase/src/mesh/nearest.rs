//! The distance of a shape and a surface: that of the nearest triangle.

use drystone_geometry::{Aabb, Feature, Frame, Separation, Shape, Surface};

use super::{SurfaceContact, collide_surface, single};
use crate::collide::{CollideSettings, Outcome};
use crate::counters::Counters;
use crate::distance::distance;
use drystone_geometry::Manifold;

/// Signed distance of a shape and a surface, in A's frame and metres: the least over the
/// triangles, each taken as a sheet without a front. B's feature is the triangle.
pub(crate) fn separation(a: &Shape, b: Surface<'_>, b_in_a: &Frame) -> Separation {
    let to_triangle = |id: u32| {
        let triangle = Shape::Triangle {
            points: b.corners(id),
        };
        Separation {
            feature_b: Feature::face(id),
            ..distance(a, &triangle, b_in_a)
        }
    };
    let bounds = a.bounds_in(&b_in_a.inverse());
    let mut best: Option<Separation> = None;
    let mut near = Vec::new();
    if bounds.min.is_finite() && bounds.max.is_finite() {
        let middle = 0.5 * (bounds.min + bounds.max);
        best = b
            .closest(middle, f64::INFINITY)
            .map(|hit| to_triangle(hit.triangle));
        let within = best.map_or(0.0, |best| best.upper.max(0.0));
        b.triangles_in(&single(bounds.min, bounds.max, within), &mut near);
    } else {
        b.triangles_in(&Aabb::INFINITE, &mut near);
    }
    let mut answer = best;
    for id in near {
        let other = to_triangle(id);
        if answer.is_none_or(|best| other.lower < best.lower) {
            answer = Some(other);
        }
    }
    answer.expect("a surface has a triangle")
}

/// Of the contact of a shape and a surface, found without memory, the deepest manifold.
pub(crate) fn deepest(
    [a, b]: [&Shape; 2],
    b_in_a: &Frame,
    settings: &CollideSettings,
    manifold: &mut Manifold,
    counters: &mut Counters,
) -> Option<Outcome> {
    let mut contact = SurfaceContact::default();
    let outcome = match (a.surface(), b.surface()) {
        (None, None) => return None,
        (Some(surface), None) => {
            collide_surface(surface, b, b_in_a, false, settings, &mut contact, counters)
        }
        (None, Some(surface)) => {
            let a_in_b = b_in_a.inverse();
            collide_surface(surface, a, &a_in_b, true, settings, &mut contact, counters)
        }
        (Some(_), Some(_)) => Outcome {
            rung: crate::Rung::Skip,
        },
    };
    let by_depth = |p: &&Manifold, q: &&Manifold| p.min_separation().total_cmp(&q.min_separation());
    *manifold = contact
        .manifolds()
        .min_by(by_depth)
        .copied()
        .unwrap_or_default();
    Some(outcome)
}
