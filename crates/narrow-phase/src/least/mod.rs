//! Showing that a depth is the least of all, and finding it.
//!
//! The depth along a direction `u` is how far the Minkowski difference D = B - A reaches
//! along it; a slide over D's surface finds a direction where it is least nearby. Points of D
//! bound the depth everywhere else: a point that reaches `d` along every corner of a
//! spherical polygon does so along every direction inside, for such a direction is a sum of
//! the corners whose weights come to at least one.
//!
//! Around the direction to be proved, the corners of its own facet do so: they carry the
//! bound as far as the foot of the origin lies inside the facet, and for a shallow contact,
//! whose facet is wide against its depth, that is most of the sphere. On the far side balls
//! and ellipsoids inside the shapes do. What is left between them is a ring that is cut into
//! cells, small near the direction and large far from it; each is settled by a point of the
//! ellipsoids, or a farthest corner of D along its middle, or cut in two. A cell that holds a
//! direction of less depth gives it away, and the slide starts again from there.
//!
//! Around rims the facets are too small to bound much; what bends there bounds the ring at once
//! (see [`bend`]), mostly, and no cells are needed.
//!
//! That a support function is sublinear, on which all of this rests: Schneider, *Convex Bodies:
//! The Brunn-Minkowski Theory* (2014), section 1.7.

mod bend;
mod cover;
mod facet;

use drystone_geometry::feature::FeatureKind;
use drystone_geometry::glam::DVec3;
use drystone_geometry::{Feature, Separation};

use crate::convex::{Core, NO_HINT, Pair, Vertex, feature_vertices};
use crate::cores::NOTHING;
use crate::tolerance::{FARTHEST_RIM, MAX_CELL_SUPPORTS, MAX_SLIDES, RIM_SHARE, TOUCHING};
use crate::trace::{DepthProof, Event, Trace};
use crate::walk::{self, Foot};
pub(crate) use cover::Balls;
use cover::{Inner, Proof};
use facet::Facet;

/// How a search for the least depth ended.
pub(crate) enum Least {
    /// The answer is it, between the bounds; the foot of the origin lies so in its facet.
    Found(Foot),
    /// The cores are apart along this direction; a walk may go on from these features.
    Apart([Feature; 2], DVec3),
    /// A depth is found that may not be the least.
    Unproved,
    /// No depth is found.
    Lost,
}

/// The least depth of two cores that overlap, sought from features near `normal` (from A to
/// B); whether these are the farthest corners along it is told. No direction has a depth less by
/// more than `tolerance` metres. `answer` is written over whatever comes of it.
#[inline(always)]
pub(crate) fn depth<T: Trace>(
    pair: &Pair<'_>,
    start: ([Feature; 2], bool),
    normal: DVec3,
    tolerance: f64,
    trace: &mut T,
    answer: &mut Separation,
) -> Least {
    let Some(foot) = slide(pair, start, normal, trace, answer) else {
        return Least::Lost;
    };
    if answer.lower > 0.0 {
        return apart(answer);
    }
    if is_least_at_sight(pair, answer, &foot, tolerance) {
        trace.event(Event::DepthProof(DepthProof::Least));
        answer.upper = (answer.lower + tolerance).min(0.0);
        return Least::Found(foot);
    }
    // By way of a copy, or the answer at sight would be in memory for this.
    let mut found = *answer;
    let least = search(pair, foot, tolerance, trace, &mut found);
    *answer = found;
    least
}

/// The same from a direction of least depth nearby that does not show at sight to be the least
/// of all.
#[inline(never)]
fn search<T: Trace>(
    pair: &Pair<'_>,
    mut foot: Foot,
    tolerance: f64,
    trace: &mut T,
    answer: &mut Separation,
) -> Least {
    let (mut slides, mut is_news) = (1, true);
    let mut verdict = is_least_of_cells(pair, answer, &foot, tolerance, is_news);
    loop {
        trace.event(Event::DepthProof(match verdict {
            Verdict::Least => DepthProof::Least,
            Verdict::Less(..) => DepthProof::Less,
            Verdict::Open => DepthProof::Open,
        }));
        let (direction, vertex) = match verdict {
            Verdict::Least => {
                answer.upper = (answer.lower + tolerance).min(0.0);
                return Least::Found(foot);
            }
            Verdict::Less(direction, vertex)
                if slides < MAX_SLIDES && (is_news || vertex.w.dot(direction) > answer.lower) =>
            {
                (direction, vertex)
            }
            Verdict::Less(..) | Verdict::Open => return Least::Unproved,
        };
        slides += 1;
        let features = [vertex.a, vertex.b].map(Feature::vertex);
        let mut next = NOTHING;
        let Some(next_foot) = slide_again(pair, features, direction, trace, &mut next) else {
            return Least::Lost;
        };
        if next.lower > 0.0 {
            return apart(&next);
        }
        // A cell that seemed to hold a direction of less depth, and only nearly does, is cut
        // on the second time round.
        is_news = next.lower > answer.lower;
        if is_news {
            (*answer, foot) = (next, next_foot);
        }
        verdict = if is_news && is_least_at_sight(pair, answer, &foot, tolerance) {
            Verdict::Least
        } else {
            is_least_of_cells(pair, answer, &foot, tolerance, is_news)
        };
    }
}

/// See [`walk::descend`].
#[inline(always)]
fn slide<T: Trace>(
    pair: &Pair<'_>,
    (features, are_farthest): ([Feature; 2], bool),
    normal: DVec3,
    trace: &mut T,
    answer: &mut Separation,
) -> Option<Foot> {
    let start = if are_farthest {
        features
    } else {
        start(pair, features, normal)?
    };
    walk::descend(pair, start, normal, trace, answer)
}

/// The same from the farthest corners along `normal`.
#[inline(never)]
fn slide_again<T: Trace>(
    pair: &Pair<'_>,
    farthest: [Feature; 2],
    normal: DVec3,
    trace: &mut T,
    answer: &mut Separation,
) -> Option<Foot> {
    slide(pair, (farthest, true), normal, trace, answer)
}

fn apart(answer: &Separation) -> Least {
    Least::Apart([answer.feature_a, answer.feature_b], answer.normal)
}

/// What is known of a depth.
enum Verdict {
    /// No direction has less.
    Least,
    /// This unit direction, from A to B, has less or about the same; its farthest corners are
    /// these.
    Less(DVec3, Vertex),
    /// Too much work to say.
    Open,
}

/// Whether the balls inside the cores alone show the depth of a facet, told by the slide that
/// found it, to be the least of all.
#[inline(always)]
fn is_least_at_sight(pair: &Pair<'_>, core: &Separation, foot: &Foot, tolerance: f64) -> bool {
    let depth = -core.lower;
    if depth <= TOUCHING * pair.scale {
        return false;
    }
    // Most often the disc bounds the depth as far as is asked.
    let farthest = FARTHEST_RIM / RIM_SHARE * depth;
    let rim = if foot.inner_sq >= farthest * farthest {
        FARTHEST_RIM
    } else {
        RIM_SHARE / depth * foot.inner_sq.sqrt()
    };
    let is_shown = Balls::of(pair).reach_beyond(-core.normal, rim, depth - tolerance)
        && is_level(pair, core, tolerance);
    is_shown
        || (pair.a.has_rims() || pair.b.has_rims()) && bend::is_least(pair, core, foot, tolerance)
}

/// The same by what the corners of the facet bound, and by cells of what is left. In haste, a
/// small cell of about the same depth is taken for one of less.
#[inline(never)]
fn is_least_of_cells(
    pair: &Pair<'_>,
    core: &Separation,
    foot: &Foot,
    tolerance: f64,
    is_hasty: bool,
) -> Verdict {
    let depth = -core.lower;
    if depth <= TOUCHING * pair.scale {
        return Verdict::Open;
    }
    let balls = Balls::of(pair);
    let level = depth - tolerance;
    let outward = -core.normal;
    let top = balls.danger(outward, level);
    let Some(facet) = Facet::of(pair, core, level) else {
        return Verdict::Open;
    };
    if top <= FARTHEST_RIM && facet.holds_ball(top * depth / RIM_SHARE) {
        return Verdict::Least;
    }
    let Some(mut rim) = facet.rim(depth, tolerance) else {
        return Verdict::Open;
    };
    if (pair.a.has_rims() || pair.b.has_rims())
        && let Some(shown) = bend::shown(pair, core, foot, tolerance, top)
    {
        rim.widen(&shown);
    }
    let features = [core.feature_a, core.feature_b];
    let mut proof = Proof {
        pair,
        inner: Inner::of(pair, balls.center),
        level,
        latest: pair.vertex(
            pair.a.any_vertex(features[0]),
            pair.b.any_vertex(features[1]),
        ),
        latest_unit: outward,
        outward,
        is_hasty,
        supports: MAX_CELL_SUPPORTS,
        less: None,
    };
    let settled = proof.settle_all(&rim, top);
    match proof.less {
        _ if settled => Verdict::Least,
        Some((direction, vertex)) => Verdict::Less(direction, vertex),
        None => Verdict::Open,
    }
}

/// Whether all corners of the facet that a depth was found on are as deep, up to `tolerance`:
/// corners of a face may lie below its plane.
#[inline(always)]
fn is_level(pair: &Pair<'_>, core: &Separation, tolerance: f64) -> bool {
    is_feature_level(&pair.a, core.feature_a, tolerance)
        && is_feature_level(&pair.b, core.feature_b, tolerance)
}

/// The same of a feature of one core.
#[inline(always)]
fn is_feature_level(core: &Core<'_>, feature: Feature, tolerance: f64) -> bool {
    match core {
        Core::Hull(hull) if feature.kind() == FeatureKind::Face => {
            hull.faces()[feature.index() as usize].edge_count == 3 || hull.flatness() <= tolerance
        }
        _ => true,
    }
}

/// A corner and a face, two edges, or two corners, at these features: where a slide may start.
#[inline(always)]
fn start(pair: &Pair<'_>, [a, b]: [Feature; 2], normal: DVec3) -> Option<[Feature; 2]> {
    use FeatureKind::{Edge, Face, Vertex};
    match (a.kind(), b.kind()) {
        (Vertex, Face) | (Face, Vertex) | (Edge, Edge) => Some([a, b]),
        _ => start_beside(pair, [a, b], normal),
    }
}

/// The same where no slide may start at the features themselves.
#[inline(never)]
fn start_beside(pair: &Pair<'_>, [a, b]: [Feature; 2], normal: DVec3) -> Option<[Feature; 2]> {
    match (a.kind(), b.kind()) {
        (_, FeatureKind::Face) => Some([Feature::vertex(first_vertex(&pair.a, a)?), b]),
        (FeatureKind::Face, _) => Some([a, Feature::vertex(first_vertex(&pair.b, b)?)]),
        _ => {
            let (from_a, from_b) = (first_vertex(&pair.a, a)?, first_vertex(&pair.b, b)?);
            let farthest = pair.support(normal, from_a, from_b);
            Some([farthest.a, farthest.b].map(Feature::vertex))
        }
    }
}

/// A vertex of a feature; nothing if the core has no such feature.
fn first_vertex(core: &Core<'_>, feature: Feature) -> Option<u32> {
    match core {
        Core::Point => Some(0),
        Core::Segment(_) => Some(if feature.kind() == FeatureKind::Vertex {
            feature.index() & 1
        } else {
            0
        }),
        Core::Box(_, cuboid) => {
            let polytope = cuboid.polytope();
            let count = match feature.kind() {
                FeatureKind::Vertex => 8,
                FeatureKind::Edge => 12,
                FeatureKind::Face => 6,
            };
            (feature.index() < count).then(|| feature_vertices(&polytope, feature)[0])
        }
        Core::Triangle(triangle) => {
            let polytope = triangle.polytope();
            let count = match feature.kind() {
                FeatureKind::Vertex | FeatureKind::Edge => 3,
                FeatureKind::Face => 2,
            };
            (feature.index() < count).then(|| feature_vertices(&polytope, feature)[0])
        }
        Core::Hull(_) => {
            let vertex = core.vertex_of(feature);
            (vertex != NO_HINT).then_some(vertex)
        }
    }
}

#[cfg(test)]
mod tests;
