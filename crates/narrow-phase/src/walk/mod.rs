//! The walk of Lin and Canny: from last frame's closest features to this frame's.
//!
//! The state is a pair of features. If the nearest points of the two features lie each in
//! the other's Voronoi region, they are the nearest points of the shapes. Otherwise a
//! violated plane names a feature next door that is strictly closer, or equally close and
//! of lower dimension, and the walk goes there. The work is that of the features crossed
//! since the last frame, whatever the number of corners.
//!
//! Directions, not distances, decide: a corner's plane is violated if the edge that makes
//! it rises towards the other feature, an edge's if the face beside it does. So that edges
//! side by side need no tolerance, an edge is clipped between the end planes of the other
//! and the sign of the derivative of their distance at the clipped ends says where it is
//! least, as in V-Clip.
//!
//! Along the rim of a face of very many edges the walk leaps, to the facet where the rim as a
//! smooth curve is nearest.
//!
//! An answer carries its proof: the corners searched for its last test are farthest along
//! the normal, and the gap between their planes is the lower bound. Where a proof fails
//! (features that overlap, that rounding lets circle, that lie too far along) the walk
//! says so and a search takes over from where it stands.
//!
//! Lin, Canny, *A fast algorithm for incremental distance calculation* (1991); Mirtich,
//! *V-Clip* (1998).

mod curve;
mod depth;
mod edge;
mod face;
mod fold;
mod moves;
mod polyhedron;
mod progress;
mod rim;
mod solid;

use drystone_geometry::feature::FeatureKind;
use drystone_geometry::glam::DVec3;
use drystone_geometry::{Feature, Frame, Hull, Separation};

use crate::convex::{Core, Pair};
use crate::tolerance::{MAX_SLIDE_STEPS, STATES_PER_LEAP, WALK_ROUNDING};
use crate::trace::{Event, Reason, Step, Trace};
pub(crate) use depth::Foot;
use depth::Slide;
pub(crate) use fold::plane_under;
use moves::{Ground, Move};
use polyhedron::Polyhedron;
use progress::Progress;
use rim::Aim;
use solid::{Cuboid, Point, Segment, Solid};

/// A walk's end: where it stands and how many states it looked at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Walk {
    /// Whether the nearest points are found and proved; otherwise a search must go on.
    pub(crate) proved: bool,
    /// Whether it was given up because the features overlap.
    pub(crate) meets: bool,
    /// If it was given up, the last normal from A to B; zero if none is known.
    pub(crate) direction: DVec3,
    /// The last features looked at.
    pub(crate) features: [Feature; 2],
    /// States looked at.
    pub(crate) steps: u32,
}

/// Where the shapes of a walk are.
pub(crate) struct Places {
    /// B seen from A.
    b_in_a: Frame,
    /// A seen from B.
    a_in_b: Frame,
    /// Size of the coordinates, in metres.
    pub(crate) scale: f64,
}

impl Places {
    #[inline]
    pub(crate) fn new(b_in_a: Frame, scale: f64) -> Self {
        Self {
            a_in_b: b_in_a.inverse(),
            b_in_a,
            scale,
        }
    }
}

/// [`walk`] for two hulls.
#[inline]
pub(crate) fn walk_hulls<T: Trace>(
    places: &Places,
    (a, b): (&Hull, &Hull),
    features: [Feature; 2],
    (limit, is_flipped): (u32, bool),
    trace: &mut T,
    answer: &mut Separation,
) -> Option<Walk> {
    let watch = Watch {
        trace,
        limit,
        is_flipped,
    };
    along(
        places,
        Polyhedron(a),
        Polyhedron(b),
        features,
        watch,
        answer,
    )
}

/// Walks from `features` and, if it can prove one, writes an answer. Nothing when the pair has
/// no faces to walk on, or when the features are not those of the pair. At most `limit`
/// states are looked at. The answer is told from A, or from B when it `is_flipped`.
#[inline]
pub(crate) fn walk<T: Trace>(
    pair: &Pair<'_>,
    features: [Feature; 2],
    (limit, is_flipped): (u32, bool),
    trace: &mut T,
    answer: &mut Separation,
) -> Option<Walk> {
    let watch = Watch {
        trace,
        limit,
        is_flipped,
    };
    let places = &Places::new(*pair.b_in_a, pair.scale);
    match (pair.a, pair.b) {
        (Core::Hull(a), Core::Hull(b)) => along(
            places,
            Polyhedron(a),
            Polyhedron(b),
            features,
            watch,
            answer,
        ),
        (Core::Point, Core::Hull(b)) => {
            along(places, Point, Polyhedron(b), features, watch, answer)
        }
        (Core::Segment(a), Core::Box(half, b)) => along(
            places,
            Segment(a),
            Cuboid::new(half, b),
            features,
            watch,
            answer,
        ),
        (Core::Segment(a), Core::Hull(b)) => {
            along(places, Segment(a), Polyhedron(b), features, watch, answer)
        }
        (Core::Box(half_a, a), Core::Box(half_b, b)) => {
            let (a, b) = (Cuboid::new(half_a, a), Cuboid::new(half_b, b));
            along(places, a, b, features, watch, answer)
        }
        (Core::Box(half, a), Core::Hull(b)) => along(
            places,
            Cuboid::new(half, a),
            Polyhedron(b),
            features,
            watch,
            answer,
        ),
        _ => None,
    }
}

/// Slides from `features`, a corner and a face or two edges, to a direction of least depth
/// near `normal`, from A to B. From two corners, which must be farthest along `normal`, to a
/// direction of less depth than that. Nothing when it loses its way.
///
/// Writes the depth, with its bounds still alike, and tells how the foot of the origin lies in the
/// facet of the Minkowski difference.
#[inline(always)]
pub(crate) fn descend<T: Trace>(
    pair: &Pair<'_>,
    features: [Feature; 2],
    normal: DVec3,
    trace: &mut T,
    answer: &mut Separation,
) -> Option<Foot> {
    match (pair.a, pair.b) {
        (Core::Point, Core::Hull(b)) => {
            down(pair, Point, Polyhedron(b), features, normal, trace, answer)
        }
        (Core::Segment(a), Core::Box(half, b)) => down(
            pair,
            Segment(a),
            Cuboid::new(half, b),
            features,
            normal,
            trace,
            answer,
        ),
        (Core::Segment(a), Core::Hull(b)) => down(
            pair,
            Segment(a),
            Polyhedron(b),
            features,
            normal,
            trace,
            answer,
        ),
        (Core::Box(half_a, a), Core::Box(half_b, b)) => {
            let (a, b) = (Cuboid::new(half_a, a), Cuboid::new(half_b, b));
            down(pair, a, b, features, normal, trace, answer)
        }
        (Core::Box(half, a), Core::Hull(b)) => down(
            pair,
            Cuboid::new(half, a),
            Polyhedron(b),
            features,
            normal,
            trace,
            answer,
        ),
        (Core::Hull(a), Core::Hull(b)) => {
            let (a, b) = (Polyhedron(a), Polyhedron(b));
            down_within(pair, a, b, features, normal, trace, answer)
        }
        _ => None,
    }
}

#[inline(never)]
fn down<A: Solid, B: Solid, T: Trace>(
    pair: &Pair<'_>,
    a: A,
    b: B,
    features: [Feature; 2],
    normal: DVec3,
    trace: &mut T,
    answer: &mut Separation,
) -> Option<Foot> {
    down_within(pair, a, b, features, normal, trace, answer)
}

/// The same within the caller, at its instruction set.
#[inline(always)]
fn down_within<A: Solid, B: Solid, T: Trace>(
    pair: &Pair<'_>,
    a: A,
    b: B,
    mut features: [Feature; 2],
    mut normal: DVec3,
    trace: &mut T,
    answer: &mut Separation,
) -> Option<Foot> {
    if !belongs(&a, features[0]) || !belongs(&b, features[1]) {
        return None;
    }
    let b_in_a = pair.b_in_a;
    let a_in_b = &b_in_a.inverse();
    let forward = Ground::of(pair, (a, b), a_in_b);
    let rounding = WALK_ROUNDING * pair.scale;
    let mut see = |[feature_a, feature_b]: [Feature; 2], reason| {
        trace.event(Event::Slide(Step {
            feature_a,
            feature_b,
            reason,
        }));
    };
    see(features, Reason::SlideStart);
    let mut are_old = true;
    if features.map(Feature::kind) == [FeatureKind::Vertex; 2] {
        let [x, y] = features.map(Feature::index);
        let in_b = b_in_a.inverse_rotate(normal);
        let Some((x, y)) = fall(pair, (a, b), [x, y], in_b, rounding) else {
            see(features, Reason::SlideLost);
            return None;
        };
        (features, are_old) = ([x, y], false);
        see(features, Reason::Shallower);
    }
    let leaping_state = forward.leaping_state();
    for state in 1..=MAX_SLIDE_STEPS {
        if state % STATES_PER_LEAP == leaping_state
            && let Some(landing) = leap_down(pair, (a, b), features, normal, are_old)
        {
            (features, normal) = landing;
            see(features, Reason::AlongBorder);
        }
        are_old = false;
        let swapped = features[0].kind() >= features[1].kind();
        let next = slide_once(&forward, features, &mut normal, rounding, answer);
        match next {
            Slide::Lost => break,
            Slide::To(x, y) => {
                features = if swapped { [y, x] } else { [x, y] };
                see(features, Reason::Shallower);
            }
            Slide::Least(foot) => {
                see(features, Reason::LeastNearby);
                answer.normal = normal;
                [answer.feature_a, answer.feature_b] = features;
                return Some(foot);
            }
        }
    }
    see(features, Reason::SlideLost);
    None
}

/// [`Ground::fall`], in a place of its own: what a slide keeps of its ground need not be in memory
/// for it.
#[inline(never)]
fn fall<A: Solid, B: Solid>(
    pair: &Pair<'_>,
    solids: (A, B),
    [x, y]: [u32; 2],
    in_b: DVec3,
    rounding: f64,
) -> Option<(Feature, Feature)> {
    let a_in_b = &pair.b_in_a.inverse();
    Ground::of(pair, solids, a_in_b).fall(x, y, in_b, rounding)
}

/// The facet farther along the rims that two features are on where the depth is about least, and
/// its normal; both normals from A to B in A's frame. Unless the features are old, of a pose
/// before, it is less deep than along `normal`: so a slide that leaps comes to an end.
#[inline(never)]
fn leap_down<A: Solid, B: Solid>(
    pair: &Pair<'_>,
    (a, b): (A, B),
    features: [Feature; 2],
    normal: DVec3,
    are_old: bool,
) -> Option<([Feature; 2], DVec3)> {
    let a_in_b = &pair.b_in_a.inverse();
    let forward = Ground::of(pair, (a, b), a_in_b);
    let landing = forward.leap(features, Aim::Facet)?;
    let in_b = forward.facet_normal(landing, forward.x_in_y.rotate(normal))?;
    let turned = forward.y_in_x.rotate(in_b);
    if !are_old {
        let corners = |[feature_a, feature_b]: [Feature; 2]| {
            [pair.a.any_vertex(feature_a), pair.b.any_vertex(feature_b)]
        };
        let (here, there) = (corners(features), corners(landing));
        let farthest = pair.support(turned, there[0], there[1]);
        if farthest.w.dot(turned) <= pair.vertex(here[0], here[1]).w.dot(normal) {
            return None;
        }
    }
    Some((landing, turned))
}

/// What the facet of two features says, and its normal, from A to B in A's frame.
#[inline(always)]
fn slide_once<A: Solid, B: Solid>(
    forward: &Ground<'_, A, B>,
    [x, y]: [Feature; 2],
    normal: &mut DVec3,
    rounding: f64,
    answer: &mut Separation,
) -> Slide {
    if x.kind() >= y.kind() {
        let mut in_a = -*normal;
        let next = forward.backwards().slide(y, x, &mut in_a, rounding, answer);
        *normal = -in_a;
        next
    } else {
        // A face tells it whatever it was.
        let mut in_b = DVec3::ZERO;
        let next = forward.slide(x, y, &mut in_b, rounding, answer);
        *normal = forward.y_in_x.rotate(in_b);
        next
    }
}

/// A trace, and how long it watches.
struct Watch<'a, T> {
    trace: &'a mut T,
    limit: u32,
    is_flipped: bool,
}

impl<T: Trace> Watch<'_, T> {
    #[inline]
    fn see(&mut self, [feature_a, feature_b]: [Feature; 2], reason: Reason) {
        self.trace.event(Event::Walk(Step {
            feature_a,
            feature_b,
            reason,
        }));
    }
}

/// Whether a feature is one of the solid's.
#[inline]
fn belongs<S: Solid>(solid: &S, feature: Feature) -> bool {
    (feature.index() as usize) < solid.count(feature.kind())
}

fn along<A: Solid, B: Solid, T: Trace>(
    places: &Places,
    a: A,
    b: B,
    mut features: [Feature; 2],
    watch: Watch<'_, T>,
    answer: &mut Separation,
) -> Option<Walk> {
    if !belongs(&a, features[0]) || !belongs(&b, features[1]) {
        return None;
    }
    if features[0].kind() == FeatureKind::Face && features[1].kind() == FeatureKind::Face {
        let edge = a.face(features[0].index()).first_edge;
        features[0] = Feature::vertex(a.origin(edge));
    }
    let forward = Ground {
        x: a,
        y: b,
        x_in_y: &places.a_in_b,
        y_in_x: &places.b_in_a,
        is_swapped: false,
    };
    let mut progress = Progress::new(places.scale, watch.is_flipped, answer);
    Some(go(&forward, features, &mut progress, watch))
}

/// Walks from features that are not two faces.
#[inline(always)]
fn go<A: Solid, B: Solid, T: Trace>(
    forward: &Ground<'_, A, B>,
    mut features: [Feature; 2],
    progress: &mut Progress<'_>,
    mut watch: Watch<'_, T>,
) -> Walk {
    let backward = forward.backwards();
    let leaping_state = forward.leaping_state();
    watch.see(features, Reason::WalkStart);
    let (mut steps, mut meets) = (0, false);
    let proved = loop {
        if steps == watch.limit {
            watch.see(features, Reason::TooLong);
            break false;
        }
        steps += 1;
        let aim = if steps == 1 { Aim::Start } else { Aim::Nearer };
        if steps % STATES_PER_LEAP == leaping_state
            && let Some(next) = forward.leap(features, aim)
        {
            features = next;
            progress.forget();
            watch.see(features, Reason::AlongBorder);
        }
        let [x, y] = features;
        // The second solid's frame is the one to tell the answer in: A's, if there is a choice.
        let swapped = x.kind() >= y.kind();
        let next = if swapped {
            backward.step(y, x, progress)
        } else {
            forward.step(x, y, progress)
        };
        match next {
            Move::Proved => {
                watch.see(features, Reason::Proved);
                progress.name(features);
                break true;
            }
            Move::Arrived(x, y, reason) => {
                steps += 1;
                features = if swapped { [y, x] } else { [x, y] };
                watch.see(features, reason);
                watch.see(features, Reason::Proved);
                progress.name(features);
                break true;
            }
            Move::To(x, y, reason) => {
                features = if swapped { [y, x] } else { [x, y] };
                watch.see(features, reason);
            }
            Move::Stuck(reason) => {
                watch.see(features, reason);
                meets = reason == Reason::Behind;
                break false;
            }
        }
    };
    Walk {
        proved,
        meets,
        direction: if proved {
            DVec3::ZERO
        } else {
            progress.direction(forward.y_in_x)
        },
        features,
        steps,
    }
}
