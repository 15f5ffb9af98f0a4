//! The questions: distance, overlap, penetration, and the range of parallel edges.
//!
//! Rings of vertices are searched by GJK and finished by a feature walk, which puts the
//! answer in closed form from the features; whatever rounding leaves undecided is handed
//! to the whole difference. Curved cores end by their bounds, or with an error.

use glam::DVec2;

use crate::epa::{self, Expanded};
use crate::gjk::{self, End, Limits, Nearest};
use crate::merge;
use crate::pair::Pair;
use crate::polygon::Polygon;
use crate::pose::Pose2;
use crate::separation::{Feature2, NotConverged, Penetration, QueryOptions, Separation2};
use crate::shape::{Core, Shape2};
use crate::tolerance::{EXPANSIONS_BEFORE_MERGE, MAX_WALK_STEPS, PARALLEL_SINE, TOUCHING};
use crate::trace::{Observer, Phase, Stop, Trace};
use crate::walk::{self, State};

/// Certified signed distance of two shapes in metres, with witness points, in A's frame.
///
/// Negative when they overlap: then `normal` times the depth is the shortest way for B
/// out of A. Where that is not unique (parallel edges, two equal overlaps) one valid
/// answer is given; coincident points answer +Y.
///
/// `b_in_a` must be finite with a unit rotation; debug builds assert it.
///
/// Never fails for polygons, points and segments, rounded or not. An ellipse fails with
/// [`NotConverged`] when `options` do not allow the bounds to meet.
pub fn distance(
    a: &Shape2,
    b: &Shape2,
    b_in_a: &Pose2,
    options: &QueryOptions,
) -> Result<Separation2, NotConverged> {
    let pair = Pair::new(a, b, b_in_a);
    solve(&pair, pair.offset, options, &mut ())
}

/// The same as [`distance`], with every step written down.
pub fn distance_traced(
    a: &Shape2,
    b: &Shape2,
    b_in_a: &Pose2,
    options: &QueryOptions,
) -> (Result<Separation2, NotConverged>, Trace) {
    let pair = Pair::new(a, b, b_in_a);
    let mut trace = Trace::default();
    let result = solve(&pair, pair.offset, options, &mut trace);
    trace.answer = result.ok();
    (result, trace)
}

/// Whether two shapes have a common point; touching counts.
///
/// Ends at the first support that does not pass the origin, so it is cheaper than
/// [`distance`]. Precondition and failure are those of [`distance`].
pub fn intersects(
    a: &Shape2,
    b: &Shape2,
    b_in_a: &Pose2,
    options: &QueryOptions,
) -> Result<bool, NotConverged> {
    decide(&Pair::new(a, b, b_in_a), options, &mut ())
}

/// The same as [`intersects`], with every step written down. The trace has no answer of
/// its own unless the pair was so close to touching that the distance was needed.
pub fn intersects_traced(
    a: &Shape2,
    b: &Shape2,
    b_in_a: &Pose2,
    options: &QueryOptions,
) -> (Result<bool, NotConverged>, Trace) {
    let mut trace = Trace::default();
    let result = decide(&Pair::new(a, b, b_in_a), options, &mut trace);
    (result, trace)
}

/// How deep two shapes overlap and the shortest way to part them; none when apart.
///
/// Precondition and failure are those of [`distance`].
pub fn penetration(
    a: &Shape2,
    b: &Shape2,
    b_in_a: &Pose2,
    options: &QueryOptions,
) -> Result<Option<Penetration>, NotConverged> {
    let separation = distance(a, b, b_in_a, options)?;
    Ok(Penetration::from_separation(&separation))
}

/// Whether a point lies in a shape; see [`Shape2::contains`]. The point is a shape like
/// any other here.
pub(crate) fn covers(shape: &Shape2, point: DVec2) -> bool {
    let Ok(point) = Shape2::point(point) else {
        return false;
    };
    let pair = Pair::new(shape, &point, &Pose2::IDENTITY);
    match decide(&pair, &QueryOptions::default(), &mut ()) {
        Ok(inside) => inside,
        // As close to the outline as rounding can tell: on it.
        Err(undecided) => undecided.lower <= 0.0,
    }
}

/// Answers by the bounds alone where they tell, by the distance where they do not.
fn decide(
    pair: &Pair<'_>,
    options: &QueryOptions,
    observer: &mut impl Observer,
) -> Result<bool, NotConverged> {
    let radii = pair.radii();
    let limits = Limits {
        tolerance: 0.0,
        far: radii,
        near: if radii > 0.0 { radii } else { -1.0 },
        max_iterations: options.max_iterations,
    };
    match gjk::search(pair, first_direction(pair.offset), &limits, observer) {
        End::Inside(_) | End::On(_) => Ok(true),
        End::Apart { lower, .. } if lower > radii => Ok(false),
        End::Apart { upper, .. } if upper <= radii => Ok(true),
        End::Apart { .. } => Ok(solve(pair, pair.offset, options, observer)?.distance() <= 0.0),
    }
}

fn first_direction(offset: DVec2) -> DVec2 {
    // Scaled first: the square of a tiny offset would vanish.
    let largest = offset.abs().max_element();
    if largest > 0.0 {
        offset / largest
    } else {
        DVec2::X
    }
}

/// The certified answer, radii included, from a first direction of any length.
pub(crate) fn solve(
    pair: &Pair<'_>,
    first: DVec2,
    options: &QueryOptions,
    observer: &mut impl Observer,
) -> Result<Separation2, NotConverged> {
    let core = if pair.is_curved() {
        solve_curved(pair, first, options, observer)?
    } else {
        solve_points(pair, first, observer)
    };
    Ok(pair.with_radii(core))
}

/// [`distance`] for shapes made of points, which needs no options and cannot fail.
pub(crate) fn polytope_distance(a: &Shape2, b: &Shape2, b_in_a: &Pose2) -> Separation2 {
    let pair = Pair::new(a, b, b_in_a);
    debug_assert!(!pair.is_curved());
    pair.with_radii(solve_points(&pair, pair.offset, &mut ()))
}

/// Cores made of points: finite, so they end by themselves; no iteration limit of the
/// caller applies.
fn solve_points(pair: &Pair<'_>, first: DVec2, observer: &mut impl Observer) -> Separation2 {
    let limits = Limits {
        tolerance: 0.0,
        far: f64::INFINITY,
        near: -1.0,
        max_iterations: crate::tolerance::MAX_ITERATIONS,
    };
    let enough = pair.tolerance(crate::tolerance::TOLERANCE);
    let end = gjk::search(pair, first_direction(first), &limits, observer);
    let expanded = match end {
        End::Apart {
            nearest,
            lower,
            upper,
            normal,
        } => {
            let found = finish_apart(pair, &nearest, lower, upper, normal);
            if let Some(core) = found.filter(|core| is_certified(core, enough)) {
                return core;
            }
            return whole_difference(pair, observer);
        }
        End::Inside(triangle) => {
            epa::expand(pair, &triangle, 0.0, EXPANSIONS_BEFORE_MERGE, observer)
        }
        End::On(nearest) => {
            let (p, q) = nearest.ends();
            let start: &[_] = match nearest {
                Nearest::Vertex(_) => &[p],
                Nearest::Edge(..) => &[p, q],
            };
            epa::expand(pair, start, 0.0, EXPANSIONS_BEFORE_MERGE, observer)
        }
    };
    match expanded {
        Expanded::Done(core) if is_certified(&core, enough) => core,
        _ => whole_difference(pair, observer),
    }
}

/// Whether the bounds meet to `enough` metres and the witnesses are where they say. Edges
/// in one line but for a rounding are equally near, and only one of them holds the foot.
fn is_certified(core: &Separation2, enough: f64) -> bool {
    let between = core.point_b - core.point_a;
    let error = between - core.normal * core.upper;
    core.upper - core.lower <= enough && error.abs().max_element() <= enough
}

/// The answer outside of the difference: rings are walked from GJK's features to the
/// closest pair, clouds keep GJK's.
fn finish_apart(
    pair: &Pair<'_>,
    nearest: &Nearest,
    lower: f64,
    upper: f64,
    normal: DVec2,
) -> Option<Separation2> {
    let (p, q) = nearest.ends();
    let (feature_a, feature_b) = pair.features(&p, &q);
    if let (Core::Ring(a), Core::Ring(b)) = (pair.a, pair.b) {
        let state = State::from_features(feature_a, feature_b)?;
        return match walk::walk(a, b, &pair.b_in_a, state, MAX_WALK_STEPS).0 {
            walk::End::Closest(_, core) => Some(core),
            walk::End::Lost | walk::End::OutOfSteps(_) => None,
        };
    }
    let [s, t] = nearest.weights();
    Some(Separation2 {
        lower,
        upper,
        point_a: p.a * s + q.a * t,
        point_b: p.b * s + q.b * t,
        normal,
        feature_a,
        feature_b,
    })
}

/// The answer from the whole difference of two cores made of points.
fn whole_difference(pair: &Pair<'_>, observer: &mut impl Observer) -> Separation2 {
    let core = match (pair.a, pair.b) {
        (Core::Ring(a), Core::Ring(b)) => merge::distance(pair, a, b),
        _ => {
            let (ring_a, ring_b) = (ring(pair.a), ring(pair.b));
            let (a, b) = (Core::Ring(ring_a.clone()), Core::Ring(ring_b.clone()));
            let rings = Pair {
                a: &a,
                b: &b,
                ..*pair
            };
            let mut core = merge::distance(&rings, &ring_a, &ring_b);
            core.feature_a = source_feature(pair.a, &ring_a, core.feature_a);
            core.feature_b = source_feature(pair.b, &ring_b, core.feature_b);
            core
        }
    };
    observer.merged(&core);
    core
}

/// The hull of a core made of points. An ellipse never gets here and would give its
/// centre.
fn ring(core: &Core) -> Polygon {
    match core {
        Core::Ring(polygon) => polygon.clone(),
        Core::Cloud(cloud) => Polygon::hull(&cloud.points),
        Core::Ellipse(ellipse) => Polygon::hull(&[ellipse.center]),
    }
}

/// A feature of a cloud's hull in the numbering of the cloud.
fn source_feature(core: &Core, ring: &Polygon, feature: Feature2) -> Feature2 {
    match (core, feature) {
        (Core::Cloud(_), Feature2::Vertex(i)) => Feature2::Vertex(ring.source(i)),
        (Core::Cloud(_), Feature2::Edge(i, j)) => Feature2::Edge(ring.source(i), ring.source(j)),
        _ => feature,
    }
}

/// Cores with a curve: bounds that meet, or an error.
fn solve_curved(
    pair: &Pair<'_>,
    first: DVec2,
    options: &QueryOptions,
    observer: &mut impl Observer,
) -> Result<Separation2, NotConverged> {
    let tolerance = pair.tolerance(options.tolerance);
    let limits = Limits {
        tolerance,
        far: f64::INFINITY,
        near: -1.0,
        max_iterations: options.max_iterations,
    };
    let end = gjk::search(pair, first_direction(first), &limits, observer);
    let mut bounds = (f64::NEG_INFINITY, f64::INFINITY);
    let mut start = Vec::with_capacity(3);
    match end {
        End::Apart {
            nearest,
            lower,
            upper,
            normal,
        } => {
            let (p, q) = nearest.ends();
            if upper - lower <= tolerance {
                let [s, t] = nearest.weights();
                let (feature_a, feature_b) = pair.features(&p, &q);
                return Ok(Separation2 {
                    lower,
                    upper,
                    point_a: p.a * s + q.a * t,
                    point_b: p.b * s + q.b * t,
                    normal,
                    feature_a,
                    feature_b,
                });
            }
            bounds = (lower, upper);
            if upper <= TOUCHING * pair.size {
                start.push(p);
                if let Nearest::Edge(..) = nearest {
                    start.push(q);
                }
            }
        }
        End::Inside(triangle) => start.extend_from_slice(&triangle),
        End::On(Nearest::Vertex(p)) => start.push(p),
        End::On(Nearest::Edge(p, q, _)) => start.extend_from_slice(&[p, q]),
    }
    if !start.is_empty() {
        match epa::expand(pair, &start, tolerance, options.max_iterations, observer) {
            Expanded::Done(core) => return Ok(core),
            Expanded::Unfinished { lower, upper } => {
                bounds = (bounds.0.max(lower), bounds.1.min(upper));
            }
        }
    }
    observer.stop(Phase::Gjk, Stop::OutOfIterations);
    Err(NotConverged {
        lower: bounds.0 - pair.radii(),
        upper: bounds.1 - pair.radii(),
        iterations: options.max_iterations,
    })
}

/// Both ends of the range of closest point pairs (on A, on B), in A's frame, when the
/// closest features of two polygons are parallel edges; none otherwise.
///
/// `separation` must be the answer of [`distance`] for the same shapes and pose, apart.
/// Every pair between the two ends is as close as the one in `separation`.
pub fn parallel_range(
    a: &Shape2,
    b: &Shape2,
    b_in_a: &Pose2,
    separation: &Separation2,
) -> Option<[(DVec2, DVec2); 2]> {
    let (ring_a, ring_b) = (a.as_polygon()?, b.as_polygon()?);
    let normal = separation.normal;
    let edge_a = level_edge(ring_a, &Pose2::IDENTITY, separation.feature_a, normal)?;
    let edge_b = level_edge(ring_b, b_in_a, separation.feature_b, normal)?;
    // Both edges as intervals along the line they are parallel to.
    let along = DVec2::new(-normal.y, normal.x);
    let span = |edge: [DVec2; 2]| {
        let [s, t] = edge.map(|p| (p - edge_a[0]).dot(along));
        (s.min(t), s.max(t))
    };
    let (span_a, span_b) = (span(edge_a), span(edge_b));
    let (low, high) = (span_a.0.max(span_b.0), span_a.1.min(span_b.1));
    if low >= high {
        return None;
    }
    let gap = (edge_b[0] - edge_a[0]).dot(normal);
    Some([low, high].map(|t| {
        let on_a = edge_a[0] + along * t;
        let on_b = on_a + normal * gap;
        (on_a + normal * a.radius(), on_b - normal * b.radius())
    }))
}

/// The edge at a feature that runs at right angles to `normal`, in A's frame.
fn level_edge(
    ring: &Polygon,
    pose: &Pose2,
    feature: Feature2,
    normal: DVec2,
) -> Option<[DVec2; 2]> {
    let place = |index: usize| pose.transform(ring.vertices()[index]);
    let candidates = match feature {
        Feature2::Edge(i, j) => [(i as usize, j as usize); 2],
        Feature2::Vertex(i) => {
            let i = i as usize;
            [(i, ring.next(i)), (ring.previous(i), i)]
        }
        Feature2::Curve => return None,
    };
    candidates
        .into_iter()
        .find(|&(from, to)| {
            // Turned after the subtraction: a short edge keeps its direction.
            let edge = pose.rotate(ring.vertices()[to] - ring.vertices()[from]);
            edge != DVec2::ZERO && edge.dot(normal).abs() <= PARALLEL_SINE * edge.length()
        })
        .map(|(from, to)| [place(from), place(to)])
}
