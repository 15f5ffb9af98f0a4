//! Contacts of edges and corners: one point where edges cross, two where they run side by
//! side.

use drystone_geometry::feature::FeatureKind;
use drystone_geometry::glam::DVec3;
use drystone_geometry::hull::{Polytope, Sector};
use drystone_geometry::{Feature, Frame, Separation};

use super::lines::{self, Line};
use super::{Candidate, Carrier, Draft};
use crate::convex::{Core, Pair};
use crate::tolerance::{PARALLEL_CONTACT_SINE_SQ, ROUND_SIDE_SINE_SQ, SAME_POINT};

/// An edge in A's frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    pub(super) ends: [DVec3; 2],
    pub(super) vertices: [Feature; 2],
    pub(super) whole: Feature,
}

/// Adds the contact of the features in `core`, whose normal is taken as it is: two points
/// for edges side by side, otherwise the witnesses. Whether the features are known to be edges that
/// cross is told; `radii` are around the cores, in metres.
#[inline(always)]
pub(crate) fn draft(
    draft: &mut Draft,
    pair: &Pair<'_>,
    core: &Separation,
    crosses: bool,
    radii: [f64; 2],
    size: f64,
) {
    draft.normal = core.normal;
    draft.carrier = Carrier::Edges;
    let radius = radii[0] + radii[1];
    if radius > 0.0 {
        round(draft, pair, core, radii, size);
    } else if crosses || !are_side_by_side(draft, pair, *core, size) {
        witnesses(draft, core, radius);
    }
}

/// The same of cores with a radius around them.
#[inline(never)]
fn round(draft: &mut Draft, pair: &Pair<'_>, core: &Separation, radii: [f64; 2], size: f64) {
    let edges = edges_at(pair, core, ROUND_SIDE_SINE_SQ);
    let lines = edges.map(|(a, b)| (Line::sharp(a), Line::sharp(b)));
    lines::draft(draft, lines, core, radii, size);
}

/// Adds two points if the features in `core` are edges, or corners of edges, side by side; says
/// whether they are.
#[inline(never)]
fn are_side_by_side(draft: &mut Draft, pair: &Pair<'_>, core: Separation, size: f64) -> bool {
    match edges_at(pair, &core, PARALLEL_CONTACT_SINE_SQ) {
        Some((a, b)) => side_by_side(draft, &a, &b, 0.0, size),
        None => false,
    }
}

/// The edges that carry the features in `core`, in A's frame, unless they certainly cross at more
/// than the squared sine `limit`.
#[inline]
fn edges_at(pair: &Pair<'_>, core: &Separation, limit: f64) -> Option<(Edge, Edge)> {
    if do_cross(pair, core.feature_a, core.feature_b, limit) {
        return None;
    }
    let inward = -pair.b_in_a.inverse_rotate(core.normal);
    let a = edge_at(&pair.a, core.feature_a, core.normal, limit)?;
    let b = edge_at(&pair.b, core.feature_b, inward, limit)?;
    Some((a, b.seen_from(pair.b_in_a)))
}

/// Adds the one point of `core`.
#[inline]
pub(super) fn witnesses(draft: &mut Draft, core: &Separation, radius: f64) {
    // The gap along the normal is certified; a witness taken from a sliver is not.
    draft.add(Candidate {
        on_a: core.point_a,
        on_b: core.point_a + core.lower * core.normal,
        separation: core.lower - radius,
        features: (core.feature_a, core.feature_b),
    });
}

impl Edge {
    /// The edge of a half-edge, in its shape's frame: always in the direction of the first of the
    /// two, whichever it was found from.
    pub(super) fn of(polytope: &Polytope<'_>, half_edge: u32) -> Self {
        let half_edge = half_edge & !1;
        let (from, to) = (polytope.origin(half_edge), polytope.target(half_edge));
        Self {
            ends: [polytope.position(from), polytope.position(to)],
            vertices: [Feature::vertex(from), Feature::vertex(to)],
            whole: Feature::edge(half_edge / 2),
        }
    }

    /// An edge of B seen from A.
    #[inline]
    pub(crate) fn seen_from(&self, b_in_a: &Frame) -> Self {
        Self {
            ends: [
                b_in_a.transform_point(self.ends[0]),
                b_in_a.transform_point(self.ends[1]),
            ],
            ..*self
        }
    }
}

/// Whether two features are edges at certainly more than the squared sine `limit` to each other.
#[inline]
fn do_cross(pair: &Pair<'_>, a: Feature, b: Feature, limit: f64) -> bool {
    if (a.kind(), b.kind()) != (FeatureKind::Edge, FeatureKind::Edge) {
        return false;
    }
    let along = |core: &Core<'_>, edge: u32| {
        let [from, to] = core.edge_ends(edge);
        core.position(to) - core.position(from)
    };
    let along_a = along(&pair.a, a.index());
    let along_b = along(&pair.b, b.index());
    let lengths_sq = along_a.length_squared() * along_b.length_squared();
    let cross = along_a.cross(pair.b_in_a.rotate(along_b));
    // Far from where rounding could tell otherwise.
    cross.length_squared() > 2.0 * limit * lengths_sq
}

/// Two points where parallel edges overlap; says whether they do.
#[inline]
pub(super) fn side_by_side(draft: &mut Draft, a: &Edge, b: &Edge, radius: f64, size: f64) -> bool {
    let Some(ends) = common_part(a, b, PARALLEL_CONTACT_SINE_SQ, size) else {
        return false;
    };
    for End { points, features } in ends {
        let [on_a, on_b] = points;
        let gap = (on_b - on_a).dot(draft.normal);
        draft.add(Candidate {
            on_a,
            on_b: on_a + gap * draft.normal,
            separation: gap - radius,
            features,
        });
    }
    true
}

/// Where the part that two edges have in common ends.
pub(super) struct End {
    /// On A's edge and on B's, across from each other.
    pub(super) points: [DVec3; 2],
    /// What ends there, and what it ends beside.
    pub(super) features: (Feature, Feature),
}

impl End {
    /// Whether it is an end of B's edge rather than of A's.
    pub(super) fn is_of_b(&self) -> bool {
        self.features.1.kind() == FeatureKind::Vertex
    }
}

/// Both ends of what edges side by side have in common, if they have, and the squared sine between
/// them is at most `limit`.
#[inline]
pub(super) fn common_part(a: &Edge, b: &Edge, limit: f64, size: f64) -> Option<[End; 2]> {
    let (along_a, along_b) = (a.ends[1] - a.ends[0], b.ends[1] - b.ends[0]);
    let lengths_sq = along_a.length_squared() * along_b.length_squared();
    if along_a.cross(along_b).length_squared() > limit * lengths_sq {
        return None;
    }
    let length_a = along_a.length();
    let direction = along_a / length_a;
    let heights = [
        (b.ends[0] - a.ends[0]).dot(direction),
        (b.ends[1] - a.ends[0]).dot(direction),
    ];
    let (low, high) = if heights[0] < heights[1] {
        (0, 1)
    } else {
        (1, 0)
    };
    let enter = if heights[low] > 0.0 {
        (heights[low], (a.whole, b.vertices[low]))
    } else {
        (0.0, (a.vertices[0], b.whole))
    };
    let leave = if heights[high] < length_a {
        (heights[high], (a.whole, b.vertices[high]))
    } else {
        (length_a, (a.vertices[1], b.whole))
    };
    if leave.0 - enter.0 <= SAME_POINT * size {
        return None;
    }
    let rate = heights[1] - heights[0];
    Some([enter, leave].map(|(height, features)| End {
        points: [
            a.ends[0] + height * direction,
            b.ends[0] + along_b * ((height - heights[0]) / rate),
        ],
        features,
    }))
}

/// The edge that carries a feature: itself, or the one at a corner that is nearly at a
/// right angle to the normal, up to the squared sine `limit`.
#[inline]
pub(super) fn edge_at(
    core: &Core<'_>,
    feature: Feature,
    outward: DVec3,
    limit: f64,
) -> Option<Edge> {
    if let Core::Segment(half_height) = core {
        let end = DVec3::new(0.0, *half_height, 0.0);
        let level = outward.y * outward.y <= limit;
        return level.then_some(Edge {
            ends: [-end, end],
            vertices: [Feature::vertex(0), Feature::vertex(1)],
            whole: Feature::edge(0),
        });
    }
    let polytope = core.polytope()?;
    let half_edge = match feature.kind() {
        FeatureKind::Edge => 2 * feature.index(),
        FeatureKind::Vertex => {
            let (half_edge, sine) = supporting_edge(&polytope, feature.index(), outward);
            if sine * sine > limit {
                return None;
            }
            half_edge
        }
        FeatureKind::Face => return None,
    };
    Some(Edge::of(&polytope, half_edge))
}

/// Of the edges at `vertex`, the one nearest to a right angle with `outward`, and the sine
/// of what it lacks.
pub(crate) fn supporting_edge(polytope: &Polytope<'_>, vertex: u32, outward: DVec3) -> (u32, f64) {
    let start = polytope.position(vertex);
    let mut best = (0, f64::INFINITY);
    for &Sector { half_edge, .. } in polytope.ring_of(vertex) {
        let along = polytope.position(polytope.target(half_edge)) - start;
        let sine = (along.dot(outward) / along.length()).abs();
        if sine < best.1 {
            best = (half_edge, sine);
        }
    }
    best
}
