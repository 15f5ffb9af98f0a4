//! Balls and capsules against a triangle, in closed form: the nearest point of a triangle
//! to a point or a segment.

use drystone_geometry::Feature;
use drystone_geometry::glam::DVec3;
use drystone_geometry::mesh::{EdgeKind, Part};

use super::facet::{Facet, Owner};
use super::gather::Gather;
use crate::tolerance::{CLIP_GROWTH, FACE_PREFERENCE, PARALLEL_SINE, SAME_POINT};

/// The only feature of the surface that the points of a round shape know: they roll and
/// slide from triangle to triangle and stay the same points.
const GROUND: Feature = Feature::face(0);

/// A ball around `center`.
pub(crate) fn ball(gather: &mut Gather, facet: &Facet<'_>, center: DVec3, radius: f64) {
    let height = facet.triangle.height(center);
    if height - radius > gather.margin {
        return gather.leave_out(height - radius - gather.margin);
    }
    let closest = facet.triangle.closest(center);
    let first = gather.candidates.len();
    let features = (GROUND, Feature::vertex(0));
    if closest.part == Part::Face {
        gather.add(center, height - radius, features);
        return gather.close(first, facet.triangle.normal);
    }
    let offset = center - closest.point;
    let distance = offset.length();
    if distance - radius > gather.margin {
        return gather.leave_out(distance - radius - gather.margin);
    }
    if height <= 0.0 {
        // Entered from the front: the plane pushes out whatever is below the triangle.
        if is_below(gather, facet, closest.part, offset, height) {
            gather.add(center, height - radius, features);
            gather.close(first, facet.triangle.normal);
        }
        return gather.leave_out(0.0);
    }
    let normal = offset / distance;
    if facet.owner(normal) != Owner::Own {
        return gather.leave_out(0.0);
    }
    gather.has_edges = true;
    gather.add(center, distance - radius, features);
    gather.close(first, normal);
}

/// Whether a point behind the plane, nearest to a side or corner, counts as below the
/// triangle: behind a valley the triangles part, and what is between them belongs to both.
fn is_below(gather: &Gather, facet: &Facet<'_>, part: Part, offset: DVec3, height: f64) -> bool {
    let beside = (offset - height * facet.triangle.normal).length();
    let in_valley = match part {
        Part::Face => true,
        Part::Side(side) => facet.kinds[side] == EdgeKind::Concave,
        Part::Corner(corner) => [corner, (corner + 2) % 3]
            .into_iter()
            .any(|side| facet.kinds[side] == EdgeKind::Concave),
    };
    let allowed = if in_valley { -height } else { 0.0 };
    beside <= allowed + CLIP_GROWTH * gather.size
}

/// The part of a segment over a triangle, as shares of its length.
struct Span {
    from: f64,
    to: f64,
    /// The sides that cut it, or the segment's own ends.
    cuts: [Option<usize>; 2],
}

/// A capsule around the segment between two ends.
pub(crate) fn capsule(gather: &mut Gather, facet: &Facet<'_>, ends: [DVec3; 2], radius: f64) {
    let heights = ends.map(|end| facet.triangle.height(end));
    let least = heights[0].min(heights[1]);
    if least - radius > gather.margin {
        return gather.leave_out(least - radius - gather.margin);
    }
    let over = span_over(gather, facet, ends);
    let nearest = nearest_side(facet, ends);
    let face_height = over.as_ref().map(|span| {
        let at = |t: f64| heights[0] + t * (heights[1] - heights[0]);
        at(span.from).min(at(span.to))
    });
    let first = gather.candidates.len();
    // Over the face, or piercing it, the plane is nearest; beside it, a side is.
    let slack = FACE_PREFERENCE * gather.size;
    let takes_face = face_height.is_some_and(|height| height <= nearest.distance + slack);
    let separation = nearest.distance - radius;
    if !takes_face {
        if separation > gather.margin {
            return gather.leave_out(separation - gather.margin);
        }
        let normal = nearest.offset.normalize_or(facet.triangle.normal);
        match facet.owner(normal) {
            Owner::Own => {
                gather.has_edges = true;
                let point = ends[0] + nearest.at * (ends[1] - ends[0]);
                gather.add(point, separation, (GROUND, end_feature(nearest.at)));
                return gather.close(first, normal);
            }
            Owner::Beyond => return gather.leave_out(0.0),
            Owner::Nobody => {}
        }
    }
    // Where the surface goes on beyond the side, what is over the triangle counts.
    match &over {
        Some(span) => {
            face_points(gather, facet, ends, heights, span, radius);
            gather.close(first, facet.triangle.normal);
        }
        None => gather.leave_out(0.0),
    }
}

/// The end of a segment at a share of its length, or its inside.
fn end_feature(at: f64) -> Feature {
    if at <= 0.0 {
        Feature::vertex(0)
    } else if at >= 1.0 {
        Feature::vertex(1)
    } else {
        Feature::edge(0)
    }
}

/// The ends of what lies over the triangle, but for those cut off where the plane goes on.
fn face_points(
    gather: &mut Gather,
    facet: &Facet<'_>,
    ends: [DVec3; 2],
    heights: [f64; 2],
    span: &Span,
    radius: f64,
) {
    let length = (ends[1] - ends[0]).length();
    let is_short = (span.to - span.from) * length <= SAME_POINT * gather.size;
    let points = [(span.from, 0), (span.to, 1)];
    let lower = usize::from(heights[1] < heights[0]);
    for (share, end) in points {
        if is_short && end != lower {
            continue;
        }
        let own = match span.cuts[end] {
            None => (GROUND, Feature::vertex(end as u32)),
            Some(side) if facet.kinds[side] == EdgeKind::Flat => continue,
            Some(side) => (facet.edge(side), Feature::edge(0)),
        };
        let height = heights[0] + share * (heights[1] - heights[0]);
        gather.add(ends[0] + share * (ends[1] - ends[0]), height - radius, own);
    }
}

/// The part of a segment over a triangle.
fn span_over(gather: &Gather, facet: &Facet<'_>, ends: [DVec3; 2]) -> Option<Span> {
    let mut span = Span {
        from: 0.0,
        to: 1.0,
        cuts: [None, None],
    };
    for side in 0..3 {
        let plane = super::polygon::side_plane(gather, facet, side);
        let corner = facet.triangle.corners[side];
        let [start, end] = ends.map(|point| plane.normal.dot(point - corner) - plane.growth);
        if start > 0.0 && end > 0.0 {
            return None;
        } else if start > 0.0 && start / (start - end) > span.from {
            span.from = start / (start - end);
            span.cuts[0] = Some(side);
        } else if end > 0.0 && start / (start - end) < span.to {
            span.to = start / (start - end);
            span.cuts[1] = Some(side);
        }
    }
    (span.from <= span.to).then_some(span)
}

/// The side of a triangle nearest to a segment.
struct Nearest {
    distance: f64,
    /// From the triangle to the segment.
    offset: DVec3,
    /// Where on the segment, a share of its length.
    at: f64,
}

fn nearest_side(facet: &Facet<'_>, ends: [DVec3; 2]) -> Nearest {
    let mut best = Nearest {
        distance: f64::INFINITY,
        offset: DVec3::ZERO,
        at: 0.0,
    };
    for side in 0..3 {
        let from = facet.triangle.corners[side];
        let (at, on_side) = segments(ends[0], ends[1] - ends[0], from, facet.triangle.side(side));
        let offset = ends[0] + at * (ends[1] - ends[0]) - on_side;
        let distance = offset.length();
        if distance < best.distance {
            best = Nearest {
                distance,
                offset,
                at,
            };
        }
    }
    best
}

/// The nearest points of two segments: a share of the first one's length, and the point on
/// the second. Of parallel ones, a pair at the middle of what they have side by side.
///
/// Ericson, *Real-Time Collision Detection* (2005), section 5.1.9.
fn segments(p: DVec3, along_p: DVec3, q: DVec3, along_q: DVec3) -> (f64, DVec3) {
    let between = p - q;
    let (pp, qq) = (along_p.length_squared(), along_q.length_squared());
    let (pq, pr, qr) = (
        along_p.dot(along_q),
        along_p.dot(between),
        along_q.dot(between),
    );
    if pp == 0.0 {
        return (0.0, q + along_q * (qr / qq).clamp(0.0, 1.0));
    }
    let denominator = pp * qq - pq * pq;
    let mut s = if denominator > PARALLEL_SINE * pp * qq {
        ((pq * qr - pr * qq) / denominator).clamp(0.0, 1.0)
    } else {
        let ends = [-pr / pp, (pq - pr) / pp].map(|s| s.clamp(0.0, 1.0));
        0.5 * (ends[0] + ends[1])
    };
    let t = (pq * s + qr) / qq;
    if !(0.0..=1.0).contains(&t) {
        let t = t.clamp(0.0, 1.0);
        s = ((t * pq - pr) / pp).clamp(0.0, 1.0);
        return (s, q + along_q * t);
    }
    (s, q + along_q * t)
}
