//! The whole Minkowski difference of two polygons, edge by edge, in linear time.
//!
//! The edges of the difference are those of both rings sorted by angle, so one merge
//! walks its outline. That answers any pair exactly, with no start and no cycle; it is
//! what a search falls back on, and what drawings show.
//!
//! de Berg, Cheong, van Kreveld, Overmars, *Computational Geometry* (2008), section 13.3.

use glam::DVec2;

use crate::convexity::before;
use crate::epa::{answer, coincident};
use crate::gjk::{edge_weights, height};
use crate::pair::{DiffVertex, Pair, unit};
use crate::polygon::Polygon;
use crate::separation::Separation2;

/// The outline of B - A, counter-clockwise, one call of `visit` per vertex; the vertex
/// where it starts comes again at the end when there is more than one.
pub(crate) fn outline(
    pair: &Pair<'_>,
    a: &Polygon,
    b: &Polygon,
    mut visit: impl FnMut(&DiffVertex),
) {
    let place_b = |index: usize| pair.b_in_a.transform(b.vertices()[index]);
    // The lowest point of the difference: the lowest of B less the highest of A.
    let mut j = 0;
    for index in 0..b.vertices().len() {
        if before(place_b(index), place_b(j)) {
            j = index;
        }
    }
    let mut i = a.highest();
    let edge_count = |ring: &Polygon| match ring.vertices().len() {
        1 => 0,
        count => count,
    };
    let (mut left_a, mut left_b) = (edge_count(a), edge_count(b));
    visit(&pair.vertex(i as u32, j as u32));
    while left_a > 0 || left_b > 0 {
        let edge_a = a.vertices()[i] - a.vertices()[a.next(i)];
        let edge_b = pair
            .b_in_a
            .rotate(b.vertices()[b.next(j)] - b.vertices()[j]);
        let turn = edge_b.perp_dot(edge_a);
        let step_b = left_a == 0 || (left_b > 0 && turn >= 0.0);
        let step_a = left_b == 0 || (left_a > 0 && turn <= 0.0);
        if step_a {
            i = a.next(i);
            left_a -= 1;
        }
        if step_b {
            j = b.next(j);
            left_b -= 1;
        }
        visit(&pair.vertex(i as u32, j as u32));
    }
}

/// An edge of the outline and where the origin is from it.
#[derive(Clone, Copy)]
struct Side {
    p: DiffVertex,
    q: DiffVertex,
    along: DVec2,
    /// Signed distance of the line, positive with the origin on the inner side.
    height: f64,
    /// Distance of the edge itself.
    distance: f64,
}

/// Signed distance of two polygons from the whole outline of their difference, without
/// the radii. O(n + m).
pub(crate) fn distance(pair: &Pair<'_>, a: &Polygon, b: &Polygon) -> Separation2 {
    // The side with the least height, for the inside; the one nearest the origin, for the
    // outside.
    let mut shallowest: Option<Side> = None;
    let mut nearest: Option<Side> = None;
    sides(pair, a, b, |side| {
        if shallowest.is_none_or(|least| side.height < least.height) {
            shallowest = Some(*side);
        }
        if nearest.is_none_or(|least| side.distance < least.distance) {
            nearest = Some(*side);
        }
    });
    let (Some(mut shallowest), Some(nearest)) = (shallowest, nearest) else {
        // No side: two points.
        return coincident(pair, &pair.vertex(0, 0));
    };
    let least = shallowest.height;
    if least >= 0.0 {
        // Sides in one line but for a rounding are all as shallow; the one that holds the
        // foot of the origin has the witnesses.
        sides(pair, a, b, |side| {
            if side.height <= least + pair.rounding && side.distance < shallowest.distance {
                shallowest = *side;
            }
        });
    }
    let Side { p, q, along, .. } = shallowest;
    let outward = unit(DVec2::new(along.y, -along.x));
    let depth = pair.support(outward).w.dot(outward);
    if least >= 0.0 {
        return answer(pair, &p, &q, outward, depth.max(least), least);
    }
    let mut core = apart(pair, &nearest);
    // A rounding away from touching the vector of the witnesses is noise, and the normal
    // of the most violated side proves more.
    if -depth > core.lower {
        core.lower = (-depth).min(core.upper);
        core.normal = -outward;
    }
    core
}

/// Calls `visit` for every side of the outline.
fn sides(pair: &Pair<'_>, a: &Polygon, b: &Polygon, mut visit: impl FnMut(&Side)) {
    let mut last: Option<DiffVertex> = None;
    outline(pair, a, b, |q| {
        let Some(p) = last.replace(*q) else { return };
        let along = pair.edge(&p, q);
        if along == DVec2::ZERO {
            return;
        }
        let height = height(DVec2::new(along.y, -along.x), &p, q);
        let [s, t] = edge_weights(&p, q, along);
        let distance = if s > 0.0 && t > 0.0 {
            height.abs()
        } else {
            (p.w * s + q.w * t).length()
        };
        visit(&Side {
            p,
            q: *q,
            along,
            height,
            distance,
        });
    });
}

/// The answer outside of the difference, from its edge nearest the origin.
fn apart(pair: &Pair<'_>, side: &Side) -> Separation2 {
    let Side {
        p,
        q,
        along,
        distance,
        ..
    } = side;
    let [s, t] = edge_weights(p, q, *along);
    let (p, q, away) = match (s > 0.0, t > 0.0) {
        (true, true) => (p, q, DVec2::new(-along.y, along.x)),
        (true, false) => (p, p, p.w),
        _ => (q, q, q.w),
    };
    let normal = if away == DVec2::ZERO {
        DVec2::Y
    } else {
        unit(away)
    };
    let gap = pair.support(-normal).w.dot(normal);
    let (feature_a, feature_b) = pair.features(p, q);
    Separation2 {
        lower: gap.min(*distance),
        upper: *distance,
        point_a: p.a * s + q.a * t,
        point_b: p.b * s + q.b * t,
        normal,
        feature_a,
        feature_b,
    }
}
