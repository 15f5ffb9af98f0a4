//! One pair, one frame: down the ladder to a manifold.

use std::cell::RefCell;

use drystone_geometry::glam::{DVec3, Vec3};
use drystone_geometry::{Feature, Frame, Manifold, Separation, Shape};
use serde::{Deserialize, Serialize};

use crate::certify;
use crate::contact::{bounded_pair, boxes, point};
use crate::convex::{Core, Lent, NO_HINT, Pair, aligned_face, lend_polytope, radius};
use crate::cores::{Run, cores};
use crate::counters::Counters;
use crate::curved::{Curves, Figure};
use crate::distance::{bounded, figure};
use crate::gjk::Seed;
use crate::hold::{self, Held};
use crate::manifold::{self, Carrier, Draft, Writing, faces, plane};
use crate::measure::{extent, extent_from_center, is_round, size};
use crate::mesh::nearest;
use crate::tolerance::FACE_PREFERENCE;
use crate::trace::{ClosedForm, Event, Silent, Trace};
use crate::tracker::{Memory, Tracker};
use crate::upright::Upright;
use crate::{cuboid, half_space, order, segment};

/// How contacts are made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CollideSettings {
    /// A point is made when its separation is at most this, in metres.
    pub margin: f32,
    /// Whether touching pairs that hardly moved keep their points.
    pub recycle: bool,
}

impl Default for CollideSettings {
    fn default() -> Self {
        Self {
            margin: drystone_geometry::tolerance::CONTACT_MARGIN,
            recycle: true,
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
/// than the margin. Of a mesh or height field, which may be touched in several directions,
/// this is the deepest manifold alone, found anew; see [`crate::collide_surface`].
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
        afresh(
            a, b, b_in_a, margin, tracker, manifold, counters, draft, trace,
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

/// A full answer.
fn afresh<T: Trace>(
    a: &Shape,
    b: &Shape,
    b_in_a: &Frame,
    margin: f64,
    tracker: &mut Tracker,
    manifold: &mut Manifold,
    counters: &mut Counters,
    draft: &mut Draft,
    trace: &mut T,
) {
    let flipped = order::is_flipped(a, b, b_in_a);
    trace.event(Event::Begin {
        is_flipped: flipped,
    });
    let inverse;
    let (first, second, pose) = if flipped {
        inverse = b_in_a.inverse();
        (b, a, &inverse)
    } else {
        (a, b, b_in_a)
    };
    draft.begin(margin);
    let query = Query {
        margin,
        seed: tracker.seed(a, b, b_in_a, flipped),
        hold: tracker
            .may_hold(radius(a) + radius(b))
            .then(|| tracker.held_normal(b_in_a, flipped)),
        last: tracker.carrier(flipped),
        size: size(a).min(size(b)),
    };
    let found = upright(first, second, pose, &query, draft, counters, trace);
    let writing = Writing {
        b_in_a: pose,
        flipped,
        radius_a: radius(first),
        radius_b: radius(second),
        size: query.size,
    };
    manifold::finish(draft, &writing, manifold);
    let touching = !manifold.is_empty();
    let normal = if touching { draft.normal } else { found.normal };
    let mut memory = Memory {
        normal,
        gap: if touching {
            f64::from(manifold.min_separation())
        } else {
            found.gap
        },
        clearance: draft.nearest_left_out - margin,
        features: found.features,
        carrier: draft.carrier,
        touching,
    };
    if flipped {
        memory.normal = -pose.inverse_rotate(normal);
        memory.features = found.features.map(|[a, b]| [b, a]);
        memory.carrier = draft.carrier.flipped();
    }
    tracker.remember(b_in_a, &memory);
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
    /// The smaller shape's size, in metres.
    pub(crate) size: f64,
}

/// Fills `draft` for shapes in canonical order, wherever their segments lie.
fn upright<T: Trace>(
    a: &Shape,
    b: &Shape,
    b_in_a: &Frame,
    query: &Query,
    draft: &mut Draft,
    counters: &mut Counters,
    trace: &mut T,
) -> Found {
    let Some(up) = Upright::of(a, b, b_in_a) else {
        return candidates(a, b, b_in_a, query, draft, counters, trace);
    };
    let query = Query {
        seed: up.seed(&query.seed),
        hold: query.hold.map(|normal| up.direction(normal)),
        ..*query
    };
    let found = candidates(a, b, &up.b_in_a, &query, draft, counters, trace);
    up.restore(draft);
    Found {
        normal: up.restored_direction(found.normal),
        ..found
    }
}

/// Fills `draft` for shapes in canonical order whose segments are upright.
fn candidates<T: Trace>(
    a: &Shape,
    b: &Shape,
    b_in_a: &Frame,
    query: &Query,
    draft: &mut Draft,
    counters: &mut Counters,
    trace: &mut T,
) -> Found {
    match (a, b) {
        (Shape::Hull(a), Shape::Hull(b)) => {
            let pair = Pair::new(Core::Hull(a), Core::Hull(b), b_in_a);
            held_or_searched(&pair, 0.0, query, draft, counters, trace)
        }
        (Shape::HalfSpace { .. }, Shape::HalfSpace { .. }) => {
            trace.event(Event::Closed(ClosedForm::HalfSpace));
            Found::closed(DVec3::Y, f64::INFINITY)
        }
        (_, Shape::HalfSpace { normal }) => {
            counters.closed_form += 1;
            trace.event(Event::Closed(ClosedForm::HalfSpace));
            over_half_space(a, *normal, b_in_a, query, draft)
        }
        (Shape::Box { .. }, Shape::Box { .. }) => {
            counters.closed_form += 1;
            trace.event(Event::Closed(ClosedForm::SeparatingAxes));
            boxes(a, b, b_in_a, query, draft)
        }
        (
            Shape::Sphere { radius: radius_a },
            Shape::Sphere { .. } | Shape::Capsule { .. } | Shape::Box { .. },
        ) => {
            counters.closed_form += 1;
            trace.event(Event::Closed(if let Shape::Box { .. } = b {
                ClosedForm::PointAndBox
            } else {
                ClosedForm::PointsAndSegments
            }));
            let core = point_core(b, b_in_a);
            let radius = f64::from(*radius_a) + radius(b);
            point(&core, radius, draft);
            Found::closed(core.normal, core.lower - radius)
        }
        _ if b.curved().is_some() => {
            let (lent_a, lent_b) = (lend_polytope(a), Lent::None);
            let curves = Curves {
                a: &figure(a, &lent_a),
                b: &figure(b, &lent_b),
                b_in_a,
                radius: radius(a) + radius(b),
            };
            curves.contact(query, draft, counters, trace)
        }
        _ => {
            // Two statements: a pair of them would be built and then moved.
            let box_a = lend_polytope(a);
            let box_b = lend_polytope(b);
            let pair = Pair::new(bounded(a, &box_a), bounded(b, &box_b), b_in_a);
            if let Some(found) = capsule_on_box(&pair, radius(a) + radius(b), query, draft) {
                counters.closed_form += 1;
                trace.event(Event::Closed(ClosedForm::SeparatingAxes));
                return found;
            }
            held_or_searched(&pair, radius(a) + radius(b), query, draft, counters, trace)
        }
    }
}

/// Fills `draft` for a shape and a half-space with this normal.
fn over_half_space(
    a: &Shape,
    plane_normal: Vec3,
    b_in_a: &Frame,
    query: &Query,
    draft: &mut Draft,
) -> Found {
    let lent = lend_polytope(a);
    let radius = radius(a);
    let up = half_space::outward(plane_normal, b_in_a);
    let core = match figure(a, &lent) {
        Figure::Core(core) => core,
        Figure::Curved(solid) => {
            plane::draft_curved(draft, &solid, radius, up, b_in_a);
            let lowest = solid.support(-up) - b_in_a.translation;
            return Found::closed(-up, up.dot(lowest) - radius);
        }
    };
    let hint = query
        .seed
        .features
        .map_or(NO_HINT, |[a, _]| core.vertex_of(a));
    let lowest = plane::draft(draft, &core, radius, up, b_in_a, hint);
    let gap = up.dot(core.position(lowest) - b_in_a.translation) - radius;
    Found {
        features: Some([Feature::vertex(lowest), Feature::face(0)]),
        ..Found::closed(-up, gap)
    }
}

/// A sphere's centre and the core of a shape that has a closed form.
fn point_core(b: &Shape, b_in_a: &Frame) -> Separation {
    match b {
        Shape::Capsule { half_height, .. } => {
            segment::point_segment(f64::from(*half_height), b_in_a)
        }
        Shape::Box { half_extents } => certify::point_box(half_extents.as_dvec3(), b_in_a),
        _ => segment::points(b_in_a.translation),
    }
}

/// A capsule over a face of a box, or certainly beyond the margin, by separating axes: when
/// the deepest point of the segment lies over the face, the face's gap is the distance.
fn capsule_on_box(pair: &Pair<'_>, radius: f64, query: &Query, draft: &mut Draft) -> Option<Found> {
    let (Core::Segment(half_height), Core::Box(half, cuboid)) = (pair.a, pair.b) else {
        return None;
    };
    let axes = cuboid::segment_box(half_height, half, pair.b_in_a);
    let widest = axes.widest();
    if widest.gap - radius > query.margin {
        return Some(Found::closed(widest.normal, widest.gap - radius));
    }
    let slack = FACE_PREFERENCE * query.size;
    if axes.face_b.gap < widest.gap - slack {
        return None;
    }
    let polytope = cuboid.polytope();
    let inward = -pair.b_in_a.inverse_rotate(axes.face_b.normal);
    let face = aligned_face(&polytope, &[pair.b.support(inward, NO_HINT)], inward);
    let size = query.size;
    faces::segment_on_face_of_b(draft, pair, half_height, &polytope, face, radius, size);
    let gap = axes.face_b.gap - radius;
    if draft.least() > gap + slack {
        draft.begin(query.margin);
        return None;
    }
    Some(Found::closed(draft.normal, gap))
}

/// Any two bounded shapes: from the last depth if they overlapped, otherwise by a search.
fn held_or_searched<T: Trace>(
    pair: &Pair<'_>,
    radius: f64,
    query: &Query,
    draft: &mut Draft,
    counters: &mut Counters,
    trace: &mut T,
) -> Found {
    let mut seed = query.seed;
    match hold::held(pair, radius, query, draft, trace) {
        Held::Found(found) => {
            counters.held += 1;
            return found;
        }
        Held::Apart(features, direction) => {
            seed = Seed {
                direction,
                features: Some(features),
                walks: true,
                meets: false,
                strays: false,
            };
        }
        Held::Lost => {}
    }
    let mut run = Run {
        limit: query.margin + radius,
        exact: false,
        only_sign: false,
        // From the last features no slide finds what the first did not.
        slides: query.hold.is_none() || query.seed.features.is_none(),
        counters,
        trace,
    };
    let core = cores(pair, &seed, &mut run);
    if core.lower - radius <= query.margin {
        bounded_pair(pair, &core, radius, query, draft);
    }
    Found {
        normal: core.normal,
        gap: core.lower - radius,
        features: Some([core.feature_a, core.feature_b]),
    }
}
