//! Time of impact of two shapes that slide along a line: a ray through the difference.
//!
//! The ray leaves the origin against the velocity. Two supports on either side of it span
//! a chord that it crosses; the support beyond the chord replaces one of the two, until
//! no support lies beyond. The chord's crossing is inside the difference and the
//! supporting line's crossing is not beyond it, so the two bracket the impact.

use glam::DVec2;
use serde::{Deserialize, Serialize};

use crate::pair::{DiffVertex, Pair};
use crate::pose::Pose2;
use crate::query::solve;
use crate::separation::{Feature2, NotConverged, QueryOptions};
use crate::shape::Shape2;
use crate::tolerance::MAX_CAST_STEPS;

/// When and where two shapes meet, in A's frame.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Impact {
    /// Certainly apart before this, in units of 1 / velocity: seconds.
    pub lower: f64,
    /// Certainly touching or overlapping by this, in seconds.
    pub upper: f64,
    /// Unit, from A to B, at the impact.
    pub normal: DVec2,
    /// Where they meet, on A, in metres.
    pub point: DVec2,
    /// The feature of A that is hit.
    pub feature_a: Feature2,
    /// The feature of B that is hit.
    pub feature_b: Feature2,
}

impl Impact {
    /// Best single value of the time: the middle of the certified interval.
    pub fn time(&self) -> f64 {
        0.5 * (self.lower + self.upper)
    }
}

/// A support of the difference, radii included, seen along the ray.
#[derive(Clone, Copy)]
struct Sight {
    vertex: DiffVertex,
    /// The point itself, radii included.
    at: DVec2,
    /// How far to the left of the ray.
    side: f64,
}

/// The ray, and what it looks through.
struct Ray<'a> {
    pair: Pair<'a>,
    /// Unit direction.
    direction: DVec2,
}

impl Ray<'_> {
    fn support(&self, direction: DVec2) -> Sight {
        self.sight(self.pair.support(direction), direction)
    }

    /// The same, from a support thought to be near it.
    fn support_near(&self, direction: DVec2, near: &Sight) -> Sight {
        self.sight(self.pair.support_near(direction, &near.vertex), direction)
    }

    fn sight(&self, vertex: DiffVertex, direction: DVec2) -> Sight {
        let at = vertex.w + direction * (self.pair.radii() / direction.length());
        Sight {
            vertex,
            at,
            side: self.direction.perp_dot(at),
        }
    }

    /// The impact on the chord from `left` to `right`, facing the origin with `facing`.
    fn impact(&self, left: &Sight, right: &Sight, facing: DVec2, bounds: (f64, f64)) -> Impact {
        let width = left.side - right.side;
        let t = if width > 0.0 { left.side / width } else { 0.0 };
        let (feature_a, feature_b) = self.pair.features(&left.vertex, &right.vertex);
        let core = left.vertex.a.lerp(right.vertex.a, t);
        Impact {
            lower: bounds.0,
            upper: bounds.1,
            normal: -facing,
            point: core - facing * self.pair.radius_a,
            feature_a,
            feature_b,
        }
    }
}

/// When B, moving by `velocity` (m/s, seen from A) without turning, first touches A;
/// none if it does not within `max_time` seconds.
///
/// Shapes that touch or overlap at the start answer time 0 whatever the velocity, with
/// the normal of their separation. A path that only grazes, to rounding, may be answered
/// either way. Polygons never fail; round shapes fail with [`NotConverged`], whose
/// bounds are then metres of travel, when `options` do not let the bounds meet.
pub fn time_of_impact(
    a: &Shape2,
    b: &Shape2,
    b_in_a: &Pose2,
    velocity: DVec2,
    max_time: f64,
    options: &QueryOptions,
) -> Result<Option<Impact>, NotConverged> {
    debug_assert!(velocity.is_finite());
    let pair = Pair::new(a, b, b_in_a);
    // Scaled first: the square of a tiny velocity would vanish.
    let largest = velocity.abs().max_element();
    let scaled = if largest > 0.0 {
        velocity / largest
    } else {
        DVec2::X
    };
    let speed = scaled.length() * largest;
    let ray = Ray {
        pair,
        direction: -scaled / scaled.length(),
    };
    let timed = |impact: Impact| {
        let (lower, upper) = (impact.lower / speed, impact.upper / speed);
        (lower <= max_time).then_some(Impact {
            lower,
            upper,
            ..impact
        })
    };
    // What the ray meets, or misses, by more than rounding leaves no doubt about the start.
    let doubt = ray.pair.tolerance(options.tolerance);
    let shot = shoot(&ray, options);
    match shot {
        _ if largest == 0.0 => {}
        Ok(Shot::Hit(impact, gap)) if gap > doubt => return Ok(timed(impact)),
        Ok(Shot::Miss(by)) if by > doubt => return Ok(None),
        _ => {}
    }
    let start = solve(&ray.pair, ray.pair.offset, options, &mut ())?;
    if start.distance() <= 0.0 {
        return Ok(Some(Impact {
            lower: 0.0,
            upper: 0.0,
            normal: start.normal,
            point: start.point_a,
            feature_a: start.feature_a,
            feature_b: start.feature_b,
        }));
    }
    if start.normal.dot(velocity) >= 0.0 {
        return Ok(None);
    }
    Ok(match shot? {
        Shot::Hit(impact, _) => timed(impact),
        Shot::Miss(_) | Shot::Behind => None,
    })
}

/// What became of a ray.
#[derive(Clone, Copy)]
enum Shot {
    /// It enters the difference here, its bounds in metres along the ray; and how far the
    /// origin lies outside of the line that it enters through.
    Hit(Impact, f64),
    /// It passes at this distance.
    Miss(f64),
    /// It starts inside of the difference, or beyond it.
    Behind,
}

/// First point of the difference on the ray.
fn shoot(ray: &Ray<'_>, options: &QueryOptions) -> Result<Shot, NotConverged> {
    let pair = &ray.pair;
    let across = DVec2::new(-ray.direction.y, ray.direction.x);
    let (mut left, mut right) = (ray.support(across), ray.support(-across));
    if left.side < 0.0 || right.side > 0.0 {
        return Ok(Shot::Miss(right.side.max(-left.side)));
    }
    let tolerance = pair.tolerance(options.tolerance);
    let is_round = pair.is_curved() || pair.radii() > 0.0;
    let steps = if is_round {
        MAX_CAST_STEPS.min(options.max_iterations)
    } else {
        // Every step finds a new vertex, so polygons end by themselves.
        MAX_CAST_STEPS + pair.vertex_count()
    };
    let mut bounds = (0.0, f64::INFINITY);
    for _ in 0..steps {
        let chord = left.at - right.at;
        let facing = DVec2::new(-chord.y, chord.x);
        if ray.direction.dot(facing) >= 0.0 {
            return Ok(edge_on(ray, &left, &right));
        }
        let facing = facing / facing.length();
        let next = ray.support_near(facing, &left);
        let slope = ray.direction.dot(facing);
        // Both crossings from the end nearer to the ray.
        let near = if left.side.abs() < right.side.abs() {
            &left
        } else {
            &right
        };
        let height = next.at.dot(facing);
        let (chord_at, line_at) = (near.at.dot(facing) / slope, height / slope);
        bounds = (line_at.min(chord_at), chord_at);
        if chord_at < 0.0 {
            // The crossing only moves back from here.
            return Ok(Shot::Behind);
        }
        let is_known = next.vertex.is_same(&left.vertex) || next.vertex.is_same(&right.vertex);
        if chord_at - line_at <= tolerance || (is_known && !is_round) {
            bounds.0 = bounds.0.max(0.0);
            let impact = ray.impact(&left, &right, facing, bounds);
            return Ok(Shot::Hit(impact, -height));
        }
        if next.side >= 0.0 {
            left = next;
        } else {
            right = next;
        }
    }
    Err(NotConverged {
        lower: bounds.0,
        upper: bounds.1,
        iterations: steps,
    })
}

/// The impact when the chord runs along the ray: the difference is flat there, and its
/// nearest point on the ray is hit.
fn edge_on(ray: &Ray<'_>, left: &Sight, right: &Sight) -> Shot {
    let facing = -ray.direction;
    let mut nearest = *left;
    for other in [*right, ray.support(facing)] {
        if other.side == 0.0 && other.at.dot(facing) > nearest.at.dot(facing) {
            nearest = other;
        }
    }
    let travel = nearest.at.dot(ray.direction);
    if travel < 0.0 {
        return Shot::Behind;
    }
    let impact = ray.impact(&nearest, &nearest, facing, (travel, travel));
    // Along an edge the start may be in touch all the way.
    Shot::Hit(impact, 0.0)
}
