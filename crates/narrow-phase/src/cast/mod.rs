//! Casts: when two moving shapes first come as close as a given separation.
//!
//! Conservative advancement: the two supporting planes of a certified distance part the shapes,
//! and cannot close faster than the motion moves points along their normal. So the time until
//! they could have closed is safe, and the next distance is asked for there. With straight
//! motion the planes close exactly when the bound says, and the search ends after about as many
//! steps as there are faces in the way; with turns each step takes a share of what is left.
//! Nothing is skipped, however fast or thin: every time passed over is proved free.
//!
//! Mirtich, *Impulse-based Dynamic Simulation of Rigid Body Systems* (1996), chapter 2; van den
//! Bergen, *Ray casting against general convex objects* (2004).

mod motion;
pub mod ray;
mod span;
mod surface;

use drystone_geometry::glam::{DMat3, DVec3};
use drystone_geometry::{Frame, Separation, Shape};

use crate::counters::Counters;
use crate::tolerance::{CAST_ROUNDING, CAST_SLACK, MAX_CAST_STEPS, PASS_ROUNDS};
use crate::trace::{AdvanceStep, Event, Silent, Trace};
use crate::tracked::distance_traced;
use crate::tracker::Tracker;
pub use motion::Motion;

/// What a cast is asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CastSettings {
    /// The separation that counts as contact, in metres; zero for touching.
    pub target: f64,
    /// How far above `target` the separation may be at the time reported, in metres. At least
    /// [`CAST_SLACK`] of the shapes' size is allowed, and the rounding of the motion.
    pub slack: f64,
    /// Time at which the cast ends, from 0 to 1.
    pub end: f64,
    /// Distances asked for before the cast gives up, a count.
    pub max_steps: u32,
}

impl Default for CastSettings {
    fn default() -> Self {
        Self {
            target: 0.0,
            slack: 0.0,
            end: 1.0,
            max_steps: MAX_CAST_STEPS,
        }
    }
}

/// How a cast ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CastEnd {
    /// The shapes reach the target separation at `Toi::time`, from farther apart.
    Hit,
    /// They are that close, or overlap, at time 0 already.
    StartsInContact,
    /// They stay apart until the end.
    Missed,
    /// Too many steps: free of contact up to `Toi::time`, not known after it.
    OutOfSteps,
}

/// Time of impact: the answer of a cast.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Toi {
    /// How it ended.
    pub end: CastEnd,
    /// The time up to which no contact is possible: that of the contact for a hit, 0 when the
    /// shapes start in contact, the end of the cast for a miss.
    pub time: f64,
    /// The separation, witness points and normal (from A to B) at `time`, in the frame of A as it
    /// is then. For a miss they are those of the last distance asked for, which may be earlier.
    pub separation: Separation,
    /// Speed at which the supporting planes approach along the normal, in metres per unit of
    /// time, turns not counted; negative when they recede.
    pub approach: f64,
    /// Distances asked for.
    pub steps: u32,
}

/// When B, moving straight by `velocity` from the pose `b_in_a`, first touches A.
///
/// All of it is in A's frame and metres; time 1 is the end of `velocity`. The motion of B
/// against A is what matters, so give their difference when both move.
pub fn cast(
    a: &Shape,
    b: &Shape,
    b_in_a: &Frame,
    velocity: DVec3,
    settings: &CastSettings,
    counters: &mut Counters,
) -> Toi {
    let still = Motion::still(Frame {
        rotation: DMat3::IDENTITY,
        translation: DVec3::ZERO,
    });
    cast_motion(
        (a, &still),
        (b, &Motion::shift(*b_in_a, velocity)),
        settings,
        counters,
    )
}

/// When two shapes first touch that both move and turn.
///
/// Both motions are in one frame, whose origin is best near the shapes: coordinates are rounded
/// to `f64`. Shapes and motions must be finite. A surface may be either of the two, and its
/// triangles' backs are met only if it is two-sided; two surfaces never meet.
pub fn cast_motion(
    a: (&Shape, &Motion),
    b: (&Shape, &Motion),
    settings: &CastSettings,
    counters: &mut Counters,
) -> Toi {
    cast_motion_tracked(a, b, settings, &mut Tracker::default(), counters)
}

/// [`cast_motion`] of a pair that a tracker knows from before: the first search starts there, and
/// what the last one found is left there. Surfaces leave it alone.
pub fn cast_motion_tracked(
    a: (&Shape, &Motion),
    b: (&Shape, &Motion),
    settings: &CastSettings,
    tracker: &mut Tracker,
    counters: &mut Counters,
) -> Toi {
    cast_motion_traced(a, b, settings, tracker, counters, &mut Silent)
}

/// [`cast_motion_tracked`], watched: `trace` sees every distance asked for and how it was answered.
/// The triangles of a surface, each of which is a cast of its own, are not watched.
pub fn cast_motion_traced<T: Trace>(
    (a, motion_a): (&Shape, &Motion),
    (b, motion_b): (&Shape, &Motion),
    settings: &CastSettings,
    tracker: &mut Tracker,
    counters: &mut Counters,
    trace: &mut T,
) -> Toi {
    match (a.surface(), b.surface()) {
        (Some(surface), None) => {
            surface::cast(&surface, motion_a, (b, motion_b), settings, counters)
        }
        (None, Some(surface)) => {
            let toi = surface::cast(&surface, motion_b, (a, motion_a), settings, counters);
            let (now_a, now_b) = (motion_a.at(toi.time), motion_b.at(toi.time));
            let a_in_b = now_b.inverse().then(&now_a);
            Toi {
                separation: crate::distance::from_b(&toi.separation, &a_in_b.inverse()),
                ..toi
            }
        }
        (Some(_), Some(_)) => Toi {
            end: CastEnd::Missed,
            time: settings.end,
            separation: surface::NOWHERE,
            approach: 0.0,
            steps: 0,
        },
        (None, None) => advance(
            (a, motion_a),
            (b, motion_b),
            settings,
            tracker,
            counters,
            trace,
        ),
    }
}

/// Whether B, at `b_in_a` from A, certainly stays farther than `distance` metres from A while it
/// goes straight by `way`, seen from A. Costs a few support searches; `false` only means that this
/// is not known. What it was known from is left in the pair's `tracker`.
///
/// All that B sweeps, seen from A, is a convex set, and what is asked is whether the origin is
/// farther from it. Points of the set ever nearer to the origin are found as in Gilbert, *An
/// Iterative Procedure for Computing the Minimum of a Quadratic Form on a Convex Set* (1966); the
/// plane through the set's lowest point along each is a bound.
pub fn passes(
    a: &Shape,
    b: &Shape,
    b_in_a: &Frame,
    way: DVec3,
    distance: f64,
    tracker: &mut Tracker,
) -> bool {
    if a.is_infinite() || b.is_infinite() || a.surface().is_some() || b.surface().is_some() {
        return false;
    }
    let radii = f64::from(a.core_radius()) + f64::from(b.core_radius());
    let near = distance + radii;
    let offset = b_in_a.translation;
    let mut nearest = offset;
    if way != DVec3::ZERO {
        nearest += way * (-offset.dot(way) / way.length_squared()).clamp(0.0, 1.0);
    }
    for _ in 0..PASS_ROUNDS {
        let length = nearest.length();
        if length <= near {
            return false;
        }
        let turned = -b_in_a.inverse_rotate(nearest);
        let ahead = if nearest.dot(way) < 0.0 {
            way
        } else {
            DVec3::ZERO
        };
        let now = b_in_a.transform_point(b.support(turned).0) - a.support(nearest).0;
        let lowest = now + ahead;
        if nearest.dot(lowest) > near * length {
            let normal = nearest / length;
            tracker.remember_plane(b_in_a, normal, normal.dot(now) - radii);
            return true;
        }
        let edge = lowest - nearest;
        let along = -nearest.dot(edge) / edge.length_squared();
        nearest += edge * along.clamp(0.0, 1.0);
    }
    false
}

/// Conservative advancement of two convex shapes.
fn advance<T: Trace>(
    (a, motion_a): (&Shape, &Motion),
    (b, motion_b): (&Shape, &Motion),
    settings: &CastSettings,
    tracker: &mut Tracker,
    counters: &mut Counters,
    trace: &mut T,
) -> Toi {
    let CastSettings { target, end, .. } = *settings;
    let linear = motion_b.linear - motion_a.linear;
    let finite = |shape: &Shape, motion: &Motion| {
        if shape.is_infinite() {
            0.0
        } else {
            motion.reach(shape)
        }
    };
    let size = finite(a, motion_a) + finite(b, motion_b);
    let coordinates = linear.length()
        + motion_a.start.translation.length()
        + motion_b.start.translation.length()
        + size;
    let slack = settings
        .slack
        .max(CAST_SLACK * size)
        .max(CAST_ROUNDING * coordinates);
    let mut time = 0.0;
    let mut steps = 0;
    loop {
        let (now_a, now_b) = (motion_a.at(time), motion_b.at(time));
        let b_in_a = now_a.inverse().then(&now_b);
        let separation = distance_traced(a, b, &b_in_a, tracker, counters, trace);
        steps += 1;
        let normal = now_a.rotate(separation.normal);
        let approach = -normal.dot(linear);
        let room = separation.lower - target;
        let closing = approach + motion_a.turning(a, normal) + motion_b.turning(b, normal);
        let next = time + room / closing;
        let ended = if room <= slack {
            Some(match time {
                0.0 => CastEnd::StartsInContact,
                _ => CastEnd::Hit,
            })
        } else if closing <= 0.0 || next > end {
            // A plane that does not close, or not in time, parts the shapes until the end.
            Some(CastEnd::Missed)
        } else if steps >= settings.max_steps || next <= time {
            Some(CastEnd::OutOfSteps)
        } else {
            None
        };
        trace.event(Event::Advance(AdvanceStep {
            time,
            lower: separation.lower,
            closing,
            end: ended,
        }));
        let Some(ended) = ended else {
            time = next;
            continue;
        };
        counters.casts_exhausted += u64::from(ended == CastEnd::OutOfSteps);
        return Toi {
            end: ended,
            time: if ended == CastEnd::Missed { end } else { time },
            separation,
            approach,
            steps,
        };
    }
}
