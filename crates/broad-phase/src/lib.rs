//! Sweep-and-prune broad phase for the drystone physics engine: which boxes overlap.
//!
//! A [`BroadPhase`] holds boxes in `f64` world metres under the caller's dense ids and
//! answers, step by step, which pairs of fat boxes began and which ceased to overlap, as
//! sorted arrays. What it is built from:
//!
//! - *Fat boxes*: a box has a margin in proportion to its size and reaches out along its
//!   expected motion. Nothing happens until it leaves that.
//! - *A grid with levels*: a box lives in the cell of its centre, on the level of cells 2 to
//!   4 times its size, so dust, a 1 km floor and a planet share a world. Cells hang in sparse
//!   trees, one set for static proxies and one for all others.
//! - *Integers*: bounds are 16-bit steps from the cell's corner, rounded outwards. Sixteen
//!   bytes hold a box and its id, comparisons are exact, and 10,000 km from the origin
//!   nothing is coarser than at it.
//! - *Box pruning*: moved proxies of one neighbourhood are searched together against what lies
//!   around them, which is sorted into bins by its smallest corners when there is much of it;
//!   sixteen boxes are tested at once. Where few moved, each looks at the cells around it as
//!   they are; where most moved, all are searched as they lie, each pair from one side.
//! - *A persistent pair set*: each proxy knows its partners, so only pairs of moved proxies
//!   are compared with what was known.
//! - *A wide tree*: where many queries come between changes, they get a tree of their own, of
//!   eight boxes to a node, which is built once it is worth it.
//! - *Bulk*: loading and streaming sort their boxes along a curve through space first;
//!   queries come one by one or in batches over the workers.
//!
//! The pairs follow from the fat boxes alone: not from the history, nor from the order of
//! calls, nor from threads. Nothing is capped or dropped.
//!
//! Memory: a proxy takes 28 bytes, its fat box 48, its list of partners 8 and 4 to 8 for
//! each partner, its place in a cell 16 to 32, and its share of a cell of 72 to 80 bytes the rest:
//! 170 to 205 bytes together in crowds of 10,000 and 100,000 boxes with a pair or two
//! each, more where boxes lie alone. The tree for queries, where there is one, takes 50 to 70.
//!
//! ```
//! use drystone_broad_phase::{Activity, BroadPhase, Filter, Pair, ProxyDef};
//! use drystone_geometry::glam::{DVec3, Vec3};
//! use drystone_geometry::{Workers, WorldAabb};
//!
//! let cube = |x: f64| WorldAabb { min: DVec3::new(x, 0.0, 0.0), max: DVec3::new(x + 1.0, 1.0, 1.0) };
//! let mut broad = BroadPhase::new();
//! for (id, x) in [(0, 0.0), (1, 5.0)] {
//!     let (activity, filter) = (Activity::Awake, Filter::default());
//!     broad.insert(id, ProxyDef { aabb: cube(x), activity, filter, owner: id })?;
//! }
//! assert!(broad.update(&Workers::ALONE).added.is_empty());
//! broad.move_proxy(1, cube(0.8), Vec3::ZERO)?;
//! assert_eq!(broad.update(&Workers::ALONE).added, [Pair { a: 0, b: 1 }]);
//! # Ok::<(), drystone_broad_phase::ProxyError>(())
//! ```
#![forbid(unsafe_code)]

mod boxes;
mod broad_phase;
mod bulk;
mod cast;
mod curve;
mod dense;
mod found;
mod grid;
mod groups;
mod home;
mod item;
mod moves;
mod partners;
mod placement;
mod probe;
mod proxy;
mod query;
mod query_batch;
mod query_index;
mod radix;
mod run_pool;
mod saved;
mod search;
mod seeker;
mod sweep;
pub mod tolerance;
mod walk;
mod way;
mod wide_tree;

pub use broad_phase::BroadPhase;
pub use moves::Move;
pub use proxy::{Activity, Filter, Pair, PairChanges, ProxyDef, ProxyError};
pub use query_batch::{BoxCast, BoxHit, BoxNear};
pub use saved::{SavedBoxes, SavedBoxesError};
