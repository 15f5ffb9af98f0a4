//! What goes into the broad phase and what comes out: boxes with a filter, pairs of ids.

use std::fmt;

use drystone_geometry::WorldAabb;
use serde::{Deserialize, Serialize};

/// How a proxy takes part in the search for pairs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Activity {
    /// It pairs with proxies that are not static, never with another static one. Its box
    /// gets no margin.
    Static,
    /// At rest: it keeps its pairs, sleeping partners included, and costs nothing.
    Asleep,
    /// It may move at any step.
    #[default]
    Awake,
}

/// Which proxies may pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Filter {
    /// The groups this proxy belongs to, one bit each.
    pub category: u32,
    /// The groups it meets, one bit each. Both sides must agree.
    pub mask: u32,
    /// When two proxies share a group other than 0, it decides alone: above 0 they always
    /// pair, below 0 never.
    pub group: i32,
}

impl Default for Filter {
    fn default() -> Self {
        Self {
            category: 1,
            mask: u32::MAX,
            group: 0,
        }
    }
}

impl Filter {
    /// Whether two proxies with these filters may pair; symmetric.
    pub fn allows(&self, other: &Self) -> bool {
        if self.group != 0 && self.group == other.group {
            return self.group > 0;
        }
        self.category & other.mask != 0 && other.category & self.mask != 0
    }
}

/// A proxy to insert.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProxyDef {
    /// Its tight box in the world, in metres. Infinite bounds are allowed, NaN is not.
    pub aabb: WorldAabb,
    /// Whether it moves.
    pub activity: Activity,
    /// What it may pair with.
    pub filter: Filter,
    /// The body it belongs to. Proxies of one owner never pair.
    pub owner: u32,
}

/// Two proxies whose fat boxes overlap, by the caller's ids, the lower one first.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Pair {
    /// The lower id.
    pub a: u32,
    /// The higher id.
    pub b: u32,
}

impl Pair {
    /// The pair of two different ids, in either order.
    pub fn new(one: u32, other: u32) -> Self {
        debug_assert_ne!(one, other);
        Self {
            a: one.min(other),
            b: one.max(other),
        }
    }
}

/// What an update changed. Apply `removed` first: a pair is in both arrays when one of its
/// proxies was removed and its id inserted anew, since it is then another pair.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PairChanges {
    /// Pairs that began, sorted, each once.
    pub added: Vec<Pair>,
    /// Pairs that ended, sorted, each once.
    pub removed: Vec<Pair>,
}

/// Why a proxy was refused. The broad phase is unchanged then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProxyError {
    /// A bound is NaN, or a minimum lies above its maximum.
    InvalidBox {
        /// The proxy.
        id: u32,
    },
    /// Another proxy has this id.
    IdInUse {
        /// The id.
        id: u32,
    },
    /// No proxy has this id.
    UnknownId {
        /// The id.
        id: u32,
    },
}

impl fmt::Display for ProxyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InvalidBox { id } => write!(
                f,
                "the box of proxy {id} is not a box: every minimum must be a number at or below its maximum"
            ),
            Self::IdInUse { id } => {
                write!(
                    f,
                    "proxy id {id} is in use: remove that proxy first or take another id"
                )
            }
            Self::UnknownId { id } => write!(f, "no proxy has id {id}: insert it first"),
        }
    }
}

impl std::error::Error for ProxyError {}
