//! GJK, EPA, feature tracking and contact manifolds for the drystone physics engine.
//!
//! [`distance`] answers one pair with a proof; [`distance_tracked`] does so again and again
//! for a pair that moves; [`collide`] keeps a pair's contact up to date, frame by frame,
//! with as little work as the motion allows. [`distance_within`] asks for less and ends sooner,
//! [`cast()`] and [`cast_motion`] say when moving shapes first touch, [`ray()`] where a ray enters.
//!
//! # One answer
//!
//! Shapes are cores with radii: a sphere is a point, a capsule a segment, boxes and hulls
//! are polytopes. Cores that are apart are answered by a walk over their features or by GJK,
//! cores that overlap by a slide from the last facet, by EPA or, for boxes and segments, by
//! their separating axes, which are exact; radii are added afterwards. Everything is computed
//! in `f64` in the frame of one of the shapes, so a common motion changes nothing, and every
//! tolerance is relative to size.
//!
//! Cylinders, cones and ellipsoids have no corners to number: their caps, rims, sides and tips are
//! followed from frame to frame, and where that proves nothing, GJK and EPA run on their supports
//! until the two bounds are as close as asked. Points against them have closed forms. What is
//! rounded is its core with a radius; a segment is a capsule's core in a frame of its own.
//!
//! Every query works on one canonical order of its shapes: exchanging A and B exchanges
//! the answer.
//!
//! # The ladder
//!
//! [`collide`] takes the cheapest step that can answer:
//!
//! 1. nothing at all, while the cached gap outlasts the motion;
//! 2. re-evaluated points, while a touching pair hardly moves;
//! 3. a walk from the last closest features, after Lin and Canny, for pairs that are apart;
//! 4. a slide from the last facet, or from the farthest corners along a likely direction, to
//!    the least depth next to it, for pairs that overlap, with a proof that it is the least
//!    of all: points of the Minkowski difference reach as far along every other direction;
//! 5. GJK, started where the walk was given up, or after a walk from the farthest corners
//!    along the line of centres;
//! 6. EPA.
//!
//! A step that cannot answer hands over to the next, never to "no contact". [`Counters`] say how
//! often each was taken, and a [`Trace`] sees every step and every reason in [`distance_traced`]
//! and [`collide_traced`].
//!
//! # Where the direction is not unique
//!
//! One that separates is given. Two sphere centres that coincide have the normal +Y of the
//! first shape in canonical order; a sphere's centre on a capsule's segment the capsule's
//! +X; crossing segments their common perpendicular; collinear ones +X of the first.
#![forbid(unsafe_code)]

mod afresh;
mod candidates;
pub mod cast;
mod certify;
mod collide;
mod contact;
mod convex;
mod cores;
mod counters;
mod cuboid;
mod curved;
mod difference;
mod distance;
mod enumerate;
mod epa;
mod extended;
mod extremes;
mod gjk;
mod guard;
mod half_space;
mod hold;
mod least;
mod manifold;
mod measure;
mod mesh;
mod order;
mod segment;
mod simplex;
pub mod tolerance;
mod trace;
mod tracked;
mod tracker;
mod upright;
mod walk;
mod within;
mod witness;

pub use cast::{
    CastEnd, CastSettings, Motion, Toi, cast, cast_motion, cast_motion_traced, cast_motion_tracked,
    passes,
    ray::{RayHit, ray},
};
pub use collide::{CollideSettings, Outcome, Rung, collide, collide_traced};
pub use counters::Counters;
pub use distance::distance;
pub use guard::{Guard, GuardPose, GuardSide, GuardWay, still_apart};
pub use manifold::{MergedPatch, MergedPoint};
pub use mesh::{SurfaceContact, collide_surface};
pub use trace::{
    AdvanceStep, ClosedForm, DepthProof, EpaEnd, EpaStart, EpaStep, Event, GjkEnd, GjkStep,
    HoldEnd, MinkowskiVertex, Reason, Silent, Step, Trace,
};
pub use tracked::{distance_traced, distance_tracked};
pub use tracker::Tracker;
pub use within::{Precision, distance_within, intersects};
