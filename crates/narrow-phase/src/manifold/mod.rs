//! From a normal and the features around it to a contact manifold.
//!
//! Work happens in canonical order, in A's frame and `f64`: a [`Draft`] collects candidate
//! points on one normal, [`reduce`] keeps at most four of them, [`finish`] writes them out
//! in the caller's order.

mod border;
mod clip;
pub(crate) mod edges;
pub(crate) mod faces;
pub(crate) mod lines;
pub(crate) mod meeting;
mod merged;
pub(crate) mod patch;
pub(crate) mod plane;
mod reduce;
mod ring;

use drystone_geometry::glam::DVec3;
use drystone_geometry::manifold::MAX_POINTS;
use drystone_geometry::{Feature, Frame, Manifold, ManifoldPoint, Separation};
use serde::{Deserialize, Serialize};

pub(crate) use border::border;
use clip::Clipper;
pub use merged::{MergedPatch, MergedPoint};
use reduce::Kept;
pub(crate) use reduce::around;

/// What carries the contact normal. It says how the normal turns while nothing else does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Carrier {
    /// Nothing known, or round shapes.
    #[default]
    None,
    /// A face of A: the normal turns with A.
    FaceA,
    /// A face of B.
    FaceB,
    /// Two edges or corners.
    Edges,
}

impl Carrier {
    /// The same with A and B exchanged.
    pub(crate) fn flipped(self) -> Self {
        match self {
            Self::FaceA => Self::FaceB,
            Self::FaceB => Self::FaceA,
            other => other,
        }
    }
}

/// A point that may become a contact point, in A's frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    /// On A's core.
    pub(crate) on_a: DVec3,
    /// Of the shapes, radii included, in metres.
    pub(crate) separation: f64,
    /// On B's core.
    pub(crate) on_b: DVec3,
    /// The features that make the point.
    pub(crate) features: (Feature, Feature),
}

/// Candidates that share a normal.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    /// Unit, A to B, in A's frame.
    pub(crate) normal: DVec3,
    /// What carries the normal.
    pub(crate) carrier: Carrier,
    /// Candidates within the margin.
    pub(crate) candidates: Vec<Candidate>,
    /// Smallest separation of a candidate beyond the margin, or infinity.
    pub(crate) nearest_left_out: f64,
    /// See [`crate::CollideSettings::stands`].
    pub(crate) stands: bool,
    margin: f64,
    /// Clipping buffers, kept between pairs.
    clipper: Clipper,
    patches: [Vec<patch::Corner>; 3],
}

impl Draft {
    /// Starts over for another pair.
    pub(crate) fn begin(&mut self, margin: f64) {
        self.normal = DVec3::ZERO;
        self.carrier = Carrier::None;
        self.candidates.clear();
        self.nearest_left_out = f64::INFINITY;
        self.margin = margin;
    }

    /// Up to which separation a point is a candidate, in metres.
    pub(crate) fn margin(&self) -> f64 {
        self.margin
    }

    /// Smallest separation of a candidate, or infinity.
    pub(crate) fn least(&self) -> f64 {
        self.candidates
            .iter()
            .fold(f64::INFINITY, |least, c| least.min(c.separation))
    }

    /// Adds a point if it is within the margin.
    #[inline]
    pub(crate) fn add(&mut self, candidate: Candidate) {
        if candidate.separation <= self.margin {
            self.candidates.push(candidate);
        } else {
            self.nearest_left_out = self.nearest_left_out.min(candidate.separation);
        }
    }
}

impl Draft {
    /// Adds the witnesses of `core` to candidates that lack the deepest point: it may be beside
    /// the reference face by less than a face is preferred for, or between the corners of the
    /// outline of a face of very many. They go between the two that they lie nearest to, since
    /// candidates are in order around the normal.
    #[inline(never)]
    pub(crate) fn insert_deepest(&mut self, core: Separation, radius: f64) {
        let depth = core.lower * core.normal.dot(self.normal);
        let deepest = Candidate {
            on_a: core.point_a,
            on_b: core.point_a + depth * self.normal,
            separation: depth - radius,
            features: (core.feature_a, core.feature_b),
        };
        let count = self.candidates.len();
        let detour = |side: usize| {
            let [from, to] = [side, (side + 1) % count].map(|end| self.candidates[end].on_a);
            from.distance(deepest.on_a) + deepest.on_a.distance(to) - from.distance(to)
        };
        let shorter = |one, other| {
            if detour(other) < detour(one) {
                other
            } else {
                one
            }
        };
        let side = (0..count).reduce(shorter).unwrap_or(0);
        self.candidates.insert(side + 1, deepest);
    }
}

/// How canonical order relates to the caller's, and the radii in canonical order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Writing<'a> {
    /// B's pose seen from A, in canonical order.
    pub(crate) b_in_a: &'a Frame,
    /// Whether the caller's order is B, A.
    pub(crate) flipped: bool,
    /// Radius around A's core.
    pub(crate) radius_a: f64,
    /// Radius around B's core.
    pub(crate) radius_b: f64,
    /// The smaller shape's size, in metres.
    pub(crate) size: f64,
}

/// Keeps at most four points of `draft` and writes them over `manifold`, whose old points
/// are preferred when they serve as well. Returns how far a point that was not kept may sink, in
/// metres, until it is deeper than they are.
#[inline(always)]
pub(crate) fn finish(draft: &mut Draft, writing: &Writing<'_>, manifold: &mut Manifold) -> f64 {
    if draft.candidates.is_empty() {
        *manifold = Manifold::EMPTY;
        return f64::INFINITY;
    }
    let normal = draft.normal;
    let written = if writing.flipped {
        -writing.b_in_a.inverse_rotate(normal)
    } else {
        normal
    };
    let candidates = &draft.candidates;
    let kept = if candidates.len() <= MAX_POINTS {
        Kept::first(candidates.len())
    } else {
        let old = manifold.points();
        let was_full = old.len() == MAX_POINTS;
        let lengths = (writing.size, draft.margin);
        reduce::choose(candidates, normal, lengths, draft.stands, |candidate| {
            let id = feature_id(candidate.features);
            was_full && old.iter().any(|point| point.feature == id)
        })
    };
    manifold.restart(written.as_vec3());
    for &index in kept.indices() {
        write(&candidates[index], normal, writing, manifold);
    }
    if candidates.len() > MAX_POINTS {
        reduce::clearance(candidates, &kept, writing.size)
    } else {
        f64::INFINITY
    }
}

/// Adds a point to a manifold.
#[inline(always)]
fn write(candidate: &Candidate, normal: DVec3, writing: &Writing<'_>, manifold: &mut Manifold) {
    let on_a = candidate.on_a + writing.radius_a * normal;
    let on_b = candidate.on_b - writing.radius_b * normal;
    let (first, second) = (
        on_a.as_vec3(),
        writing.b_in_a.inverse_transform_point(on_b).as_vec3(),
    );
    let (anchor_a, anchor_b) = if writing.flipped {
        (second, first)
    } else {
        (first, second)
    };
    let mut feature = feature_id(candidate.features);
    while manifold
        .points()
        .iter()
        .any(|point| point.feature == feature)
    {
        feature = feature.wrapping_add(1);
    }
    manifold.push(ManifoldPoint {
        anchor_a,
        anchor_b,
        separation: candidate.separation as f32,
        feature,
    });
}

/// An id of a pair of features that does not depend on which shape is A: a sum of two
/// hashes. Two pairs that differ by exchange alone are told apart by `finish`.
pub(crate) fn feature_id((a, b): (Feature, Feature)) -> u32 {
    hash(a.bits()).wrapping_add(hash(b.bits()))
}

/// The finaliser of MurmurHash3, a bijection.
fn hash(bits: u32) -> u32 {
    let mut h = bits.wrapping_add(0x9e37_79b9);
    h = (h ^ (h >> 16)).wrapping_mul(0x85eb_ca6b);
    h = (h ^ (h >> 13)).wrapping_mul(0xc2b2_ae35);
    h ^ (h >> 16)
}
