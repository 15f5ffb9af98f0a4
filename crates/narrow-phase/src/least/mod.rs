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
//! That a support function is sublinear, on which all of this rests: Schneider, *Convex Bodies:
//! The Brunn-Minkowski Theory* (2014), section 1.7.

mod cover;
mod facet;

use drystone_geometry::feature::FeatureKind;
use drystone_geometry::glam::DVec3;
use drystone_geometry::{Feature, Separation};

use crate::convex::{Core, NO_HINT, Pair, Vertex, feature_vertices};
use crate::tolerance::{FARTHEST_RIM, MAX_CELL_SUPPORTS, MAX_SLIDES, RIM_SHARE, TOUCHING};
use crate::trace::{DepthProof, Event, Trace};
use crate::walk::{self, Slid};
pub(crate) use cover::Balls;
use cover::{Inner, Proof};
use facet::Facet;

/// How a search for the least depth ended.
pub(crate) enum Least {
    /// This is it, between the bounds.
    Found(Separation),
    /// The cores are apart along this direction; a walk may go on from these features.
    Apart([Feature; 2], DVec3),
    /// Nothing is shown.
    Lost,
}

/// The least depth of two cores that overlap, sought from `features` near `normal` (from A to
/// B). No direction has a depth less by more than `tolerance` metres.
pub(crate) fn depth<T: Trace>(
    pair: &Pair<'_>,
    mut features: [Feature; 2],
    mut normal: DVec3,
    tolerance: f64,
    trace: &mut T,
) -> Least {
    let mut best = None::<Slid>;
    for _ in 0..MAX_SLIDES {
        let slid = start(pair, features, normal)
            .and_then(|start| walk::descend(pair, start, normal, trace));
        let Some(slid) = slid else {
            return Least::Lost;
        };
        if slid.core.lower > 0.0 {
            let Separation {
                feature_a,
                feature_b,
                normal,
                ..
            } = slid.core;
            return Least::Apart([feature_a, feature_b], normal);
        }
        // A cell that seemed to hold a direction of less depth, and only nearly does, is cut
        // on the second time round.
        let is_news = best.is_none_or(|best| slid.core.lower > best.core.lower);
        if is_news {
            best = Some(slid);
        }
        let known = best.unwrap_or(slid);
        let core = &known.core;
        let verdict = is_least(pair, &known, tolerance, is_news);
        trace.event(Event::DepthProof(match verdict {
            Verdict::Least => DepthProof::Least,
            Verdict::Less(..) => DepthProof::Less,
            Verdict::Open => DepthProof::Open,
        }));
        match verdict {
            Verdict::Least => {
                let upper = (core.lower + tolerance).min(0.0);
                return Least::Found(Separation { upper, ..*core });
            }
            Verdict::Less(direction, vertex) if is_news || vertex.w.dot(direction) > core.lower => {
                features = [Feature::vertex(vertex.a), Feature::vertex(vertex.b)];
                normal = direction;
            }
            Verdict::Less(..) | Verdict::Open => return Least::Lost,
        }
    }
    Least::Lost
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

/// Whether the depth of a facet, told by the slide that found it, is the least of all. In haste,
/// a small cell of about the same depth is taken for one of less.
fn is_least(pair: &Pair<'_>, slid: &Slid, tolerance: f64, is_hasty: bool) -> Verdict {
    let core = &slid.core;
    let depth = -core.lower;
    if depth <= TOUCHING * pair.scale {
        return Verdict::Open;
    }
    let level = depth - tolerance;
    let outward = -core.normal;
    let balls = Balls::of(pair);
    let rim = (RIM_SHARE / depth * slid.inner_sq.sqrt()).min(FARTHEST_RIM);
    if balls.reach_beyond(outward, rim, level) && is_level(pair, core, tolerance) {
        return Verdict::Least;
    }
    let top = balls.danger(outward, level);
    let Some(facet) = Facet::of(pair, core, level) else {
        return Verdict::Open;
    };
    if top <= FARTHEST_RIM && facet.holds_ball(top * depth / RIM_SHARE) {
        return Verdict::Least;
    }
    let Some(rim) = facet.rim(depth, tolerance) else {
        return Verdict::Open;
    };
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
fn is_level(pair: &Pair<'_>, core: &Separation, tolerance: f64) -> bool {
    let sides = [(&pair.a, core.feature_a), (&pair.b, core.feature_b)];
    sides.iter().all(|(core, feature)| match core {
        Core::Hull(hull) if feature.kind() == FeatureKind::Face => {
            hull.faces()[feature.index() as usize].edge_count == 3 || hull.flatness() <= tolerance
        }
        _ => true,
    })
}

/// A corner and a face, two edges, or two corners, at these features: where a slide may start.
fn start(pair: &Pair<'_>, [a, b]: [Feature; 2], normal: DVec3) -> Option<[Feature; 2]> {
    use FeatureKind::{Edge, Face, Vertex};
    match (a.kind(), b.kind()) {
        (Vertex, Face) | (Face, Vertex) | (Edge, Edge) => return Some([a, b]),
        (_, Face) => return Some([Feature::vertex(first_vertex(&pair.a, a)?), b]),
        (Face, Edge) => return Some([a, Feature::vertex(first_vertex(&pair.b, b)?)]),
        _ => {}
    }
    let farthest = pair.support(normal, first_vertex(&pair.a, a)?, first_vertex(&pair.b, b)?);
    Some([farthest.a, farthest.b].map(Feature::vertex))
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
