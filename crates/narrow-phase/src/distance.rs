//! The standalone query: signed distance with both bounds.

use drystone_geometry::{Frame, Separation, Shape};

use crate::convex::{Core, Lent, Pair, lend_polytope, radius};
use crate::cores::{Run, cores};
use crate::counters::Counters;
use crate::curved::{self, Figure, Wanted};
use crate::gjk::Seed;
use crate::half_space;
use crate::mesh::nearest;
use crate::tolerance::{CURVED_DEPTH, CURVED_GAP, MAX_CURVED_EXPANSIONS};
use crate::trace::{ClosedForm, Event, Trace};
use crate::upright::Upright;
use crate::within::{Precision, distance_within};

/// Signed distance of two shapes with its proof, in A's frame and metres.
///
/// `b_in_a` is B's pose seen from A; its rotation must be orthonormal and all of it finite. Every
/// pair of shapes is answered, apart, touching or overlapping, flush or concentric. For polytopes
/// the two bounds differ by rounding alone, less than 10^-11 of the pair's size. Where the
/// direction is not unique, one that separates is given; concentric cores have the directions
/// documented in the crate's front page.
///
/// A mesh or height field is as far as its nearest triangle, and its feature that triangle.
///
/// Two half-spaces that do not face each other overlap without bound: minus infinity.
pub fn distance(a: &Shape, b: &Shape, b_in_a: &Frame) -> Separation {
    debug_assert!(b_in_a.translation.is_finite() && b_in_a.rotation.is_finite());
    distance_within(a, b, b_in_a, &Precision::FULL, &mut Counters::default())
}

/// An answer found with B as the first shape, in B's frame, told from A.
pub(crate) fn from_b(answer: &Separation, b_in_a: &Frame) -> Separation {
    Separation {
        point_a: b_in_a.transform_point(answer.point_a),
        point_b: b_in_a.transform_point(answer.point_b),
        normal: b_in_a.rotate(answer.normal),
        ..*answer
    }
    .flipped()
}

/// The answer for shapes in canonical order.
pub(crate) fn ordered<T: Trace>(
    (a, b): (&Shape, &Shape),
    b_in_a: &Frame,
    seed: &Seed,
    precision: &Precision,
    counters: &mut Counters,
    trace: &mut T,
) -> Separation {
    if let (Shape::Hull(hull_a), Shape::Hull(hull_b)) = (a, b) {
        let pair = Pair::new(Core::Hull(hull_a), Core::Hull(hull_b), b_in_a);
        let mut run = Run::new(precision, 0.0, counters, trace);
        return beyond(cores(&pair, seed, &mut run), precision);
    }
    if let Some(surface) = b.surface() {
        return nearest::separation(a, surface, b_in_a);
    }
    match Upright::of(a, b, b_in_a) {
        None => upright((a, b), b_in_a, seed, precision, counters, trace),
        Some(up) => {
            let seed = up.seed(seed);
            let pose = &up.b_in_a;
            up.restored(&upright((a, b), pose, &seed, precision, counters, trace))
        }
    }
}

/// The answer for shapes whose segments are upright.
fn upright<T: Trace>(
    (a, b): (&Shape, &Shape),
    b_in_a: &Frame,
    seed: &Seed,
    precision: &Precision,
    counters: &mut Counters,
    trace: &mut T,
) -> Separation {
    match (a, b) {
        (Shape::HalfSpace { normal: normal_a }, Shape::HalfSpace { normal: normal_b }) => {
            trace.event(Event::Closed(ClosedForm::HalfSpace));
            half_space::two(*normal_a, *normal_b, b_in_a)
        }
        (_, Shape::HalfSpace { normal }) => {
            trace.event(Event::Closed(ClosedForm::HalfSpace));
            let lent = lend_polytope(a);
            half_space::separation(&figure(a, &lent), radius(a), *normal, b_in_a)
        }
        _ if b.curved().is_some() => {
            let (lent_a, lent_b) = (lend_polytope(a), Lent::None);
            let (core_a, core_b) = (figure(a, &lent_a), figure(b, &lent_b));
            let scale = core_a.extent() + core_b.extent() + b_in_a.translation.length();
            let radius = radius(a) + radius(b);
            let wanted = Wanted {
                limit: precision.limit + radius,
                relative: precision.relative,
                radius,
                apart: CURVED_GAP * scale,
                depth: CURVED_DEPTH * scale,
                max_expansions: MAX_CURVED_EXPANSIONS,
            };
            let pair = (&core_a, &core_b);
            let answer = curved::separation(pair, b_in_a, seed, &wanted, counters, trace);
            beyond(
                rounded(&answer, self::radius(a), self::radius(b)),
                precision,
            )
        }
        _ => {
            // Two statements: a pair of them would be built and then moved.
            let box_a = lend_polytope(a);
            let box_b = lend_polytope(b);
            let pair = Pair::new(bounded(a, &box_a), bounded(b, &box_b), b_in_a);
            let (radius_a, radius_b) = (radius(a), radius(b));
            let mut run = Run::new(precision, radius_a + radius_b, counters, trace);
            let mut answer = cores(&pair, seed, &mut run);
            if radius_a + radius_b > 0.0 {
                answer = rounded(&answer, radius_a, radius_b);
            }
            beyond(answer, precision)
        }
    }
}

/// An answer whose distance is not known beyond the limit.
#[inline]
fn beyond(answer: Separation, precision: &Precision) -> Separation {
    if answer.lower > precision.limit {
        return Separation {
            upper: f64::INFINITY,
            ..answer
        };
    }
    answer
}

/// The core of a shape that is not a half-space and has no curved faces.
#[inline]
pub(crate) fn bounded<'a>(shape: &'a Shape, lent: &'a Lent) -> Core<'a> {
    Core::of(shape, lent).expect("canonical order puts curved shapes and half-spaces last")
}

/// The core of a shape that is not a half-space.
#[inline]
pub(crate) fn figure<'a>(shape: &'a Shape, lent: &'a Lent) -> Figure<'a> {
    Figure::of(shape, lent).expect("canonical order puts half-spaces last")
}

/// The answer for cores, told for the shapes with these radii around them.
pub(crate) fn rounded(cores: &Separation, radius_a: f64, radius_b: f64) -> Separation {
    let radius = radius_a + radius_b;
    let lower = cores.lower - radius;
    // Apart, the witnesses lie on their own line, so that their distance is the core's
    // minus the radii to the last bit; the normal may differ from it by rounding.
    let offset = cores.point_b - cores.point_a;
    let direction = if cores.lower > 0.0 {
        offset.normalize_or(cores.normal)
    } else {
        cores.normal
    };
    Separation {
        lower,
        upper: (cores.upper - radius).max(lower),
        point_a: cores.point_a + radius_a * direction,
        point_b: cores.point_b - radius_b * direction,
        ..*cores
    }
}
