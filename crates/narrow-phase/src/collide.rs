//! One pair, one frame: down the ladder to a manifold.

use std::cell::RefCell;

use drystone_geometry::glam::DVec3;
use drystone_geometry::{Feature, Frame, Manifold, Shape, SimdLevel};
use serde::{Deserialize, Serialize};

use crate::afresh::afresh;
use crate::counters::Counters;
use crate::gjk::Seed;
use crate::manifold::{Carrier, Draft};
use crate::measure::{extent, extent_from_center, is_round, size};
use crate::mesh::nearest;
use crate::trace::{Event, Silent, Trace};
use crate::tracker::Tracker;

/// How contacts are made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CollideSettings {
    /// A point is made when its separation is at most this, in metres.
    pub margin: f32,
    /// Whether touching pairs that hardly moved keep their points.
    pub recycle: bool,
    /// Whether the normal of two edges that meet side by side is the one midway between the faces
    /// beside them, by which what leans stands, rather than that of a face, by which it slips. Not
    /// for what may be part of a larger surface: there a neighbour hides the edge.
    pub leans: bool,
    /// Whether three of last frame's points and more bear something, so that the shapes stand on them: these
    /// stay while others are hardly deeper. What stands on an edge or a corner may be about to tip over it,
    /// and any point that is deeper may be what holds it.
    pub stands: bool,
    /// Instruction set of the wide kernels; one that the machine lacks counts as `Auto`.
    /// The result never depends on it.
    pub simd: SimdLevel,
}

impl Default for CollideSettings {
    fn default() -> Self {
        Self {
            margin: drystone_geometry::tolerance::CONTACT_MARGIN,
            recycle: true,
            leans: false,
            stands: false,
            simd: SimdLevel::Auto,
        }
    }
}

/// The rung of the ladder that answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Rung {
    /// The cached gap still beats the margin: no contact, nothing was done.
    #[default]
    Skip,
    /// The points are last frame's; normal and separations are re-evaluated.
    Recycle,
    /// A walk over features.
    Walk,
    /// A slide from the last facet to the least depth.
    Hold,
    /// A closed form or separating axes of boxes.
    ClosedForm,
    /// GJK.
    Gjk,
    /// GJK, then EPA.
    Epa,
}

/// What [`collide`] did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The rung that answered.
    pub rung: Rung,
}

impl Outcome {
    /// Whether points and anchors were made anew, rather than kept from the last frame.
    pub fn is_fresh(&self) -> bool {
        !matches!(self.rung, Rung::Skip | Rung::Recycle)
    }
}

thread_local! {
    /// Candidate and clipping arrays: allocated once per thread, without influence on any
    /// answer.
    static DRAFT: RefCell<Draft> = RefCell::default();
}

/// Updates the contact of a pair.
///
/// `b_in_a` is B's pose seen from A, orthonormal and finite. `manifold` comes in holding
/// last frame's points and leaves holding this frame's, all in the frames of the shapes;
/// it is empty when no point is within the margin. `tracker` belongs to the pair, in this
/// order of A and B. Exchanging the shapes exchanges the anchors, turns the normal round
/// and keeps the feature ids.
///
/// The points share one normal. None is deeper than the depth along it, none is farther
/// than the margin. The normal is one of least depth, or of a face that is worse by half a percent
/// of the size, or of one within three degrees on which the shapes rest as deep; of edges that
/// [lean](CollideSettings::leans), in shallow contact, one along which the shapes are at most twice
/// as deep. While points are [recycled](CollideSettings::recycle) so is the normal: shapes that
/// overlap by more than they have moved since may have become less deep along another. Of a mesh or height field, which may be touched in several directions, this is the
/// deepest manifold alone, found anew; see [`crate::collide_surface`].
pub fn collide(
    a: &Shape,
    b: &Shape,
    b_in_a: &Frame,
    settings: &CollideSettings,
    tracker: &mut Tracker,
    manifold: &mut Manifold,
    counters: &mut Counters,
) -> Outcome {
    collide_traced(
        a,
        b,
        b_in_a,
        settings,
        tracker,
        manifold,
        counters,
        &mut Silent,
    )
}

/// [`collide`], watched: `trace` sees every step and why it came about.
pub fn collide_traced<T: Trace>(
    a: &Shape,
    b: &Shape,
    b_in_a: &Frame,
    settings: &CollideSettings,
    tracker: &mut Tracker,
    manifold: &mut Manifold,
    counters: &mut Counters,
    trace: &mut T,
) -> Outcome {
    debug_assert!(b_in_a.translation.is_finite() && b_in_a.rotation.is_finite());
    let margin = f64::from(settings.margin);
    if tracker.may_be_apart(margin)
        && tracker.is_still_apart(b_in_a, (extent(a), extent(b)), margin)
    {
        counters.skipped += 1;
        trace.event(Event::Skipped);
        if !manifold.is_empty() {
            *manifold = Manifold::EMPTY;
        }
        return Outcome { rung: Rung::Skip };
    }
    if a.surface().is_some() || b.surface().is_some() {
        let deepest = nearest::deepest([a, b], b_in_a, settings, manifold, counters);
        return deepest.unwrap_or(Outcome { rung: Rung::Skip });
    }
    // Round shapes roll: their points move over the surface without any change of gap,
    // and finding them anew is cheap.
    if settings.recycle && tracker.is_touching() && !is_round(a, manifold) && !is_round(b, manifold)
    {
        let size = size(a).min(size(b));
        let reach = 2.0 * extent_from_center(a).min(extent_from_center(b));
        if tracker.recycle(b_in_a, size, reach, margin, manifold) {
            counters.recycled += 1;
            trace.event(Event::Recycled);
            return Outcome {
                rung: Rung::Recycle,
            };
        }
    }
    let before = [counters.held, counters.walked, counters.epa, counters.gjk];
    DRAFT.with_borrow_mut(|draft| {
        draft.begin(margin);
        draft.stands = settings.stands;
        afresh(
            a,
            b,
            b_in_a,
            (settings.leans, settings.simd),
            tracker,
            manifold,
            counters,
            draft,
            trace,
        );
    });
    let rung = if counters.held > before[0] {
        Rung::Hold
    } else if counters.walked > before[1] {
        Rung::Walk
    } else if counters.epa > before[2] {
        Rung::Epa
    } else if counters.gjk > before[3] {
        Rung::Gjk
    } else {
        Rung::ClosedForm
    };
    Outcome { rung }
}

/// What the search for candidates found, in canonical order.
pub(crate) struct Found {
    /// Unit, A to B, in A's frame.
    pub(crate) normal: DVec3,
    /// Along `normal`, radii included, in metres: a lower bound of the separation.
    pub(crate) gap: f64,
    /// Where the next walk or support search starts.
    pub(crate) features: Option<[Feature; 2]>,
}

impl Found {
    /// What closed forms find: nothing is to be searched for next time.
    pub(crate) fn closed(normal: DVec3, gap: f64) -> Self {
        Self {
            normal,
            gap,
            features: None,
        }
    }
}

/// What a full answer may use, in canonical order.
pub(crate) struct Query {
    /// In metres, radii not included.
    pub(crate) margin: f64,
    /// Where searches start.
    pub(crate) seed: Seed,
    /// The last normal, from A to B, when the cores overlapped.
    pub(crate) hold: Option<DVec3>,
    /// What carried the last normal.
    pub(crate) last: Carrier,
    /// See [`CollideSettings::leans`].
    pub(crate) leans: bool,
    /// Around the cores of A and B, in metres.
    pub(crate) radii: [f64; 2],
    /// The smaller shape's size, in metres.
    pub(crate) size: f64,
}
