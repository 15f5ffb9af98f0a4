//! When a wide tree is worth its building.
//!
//! Queries walk the cells, which are there anyway, until they have cost about what a tree
//! costs; then the tree is built and serves all queries up to the next change. So whatever
//! mixture of changes and queries comes, both together take at most about twice the time of
//! the better way (the rule of whoever does not know for how long to rent skis: Karlin et al.,
//! *Competitive snoopy caching*, 1988). Answers do not depend on it.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::tolerance::{BUILD_QUERIES, BUILD_QUERIES_LEAST};
use crate::wide_tree::WideTree;

/// A tree of the boxes of a grid, once it is worth it. A clone begins without.
#[derive(Debug, Default)]
pub(crate) struct QueryIndex {
    tree: OnceLock<WideTree>,
    /// Queries since the last change.
    asked: AtomicUsize,
}

impl Clone for QueryIndex {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl QueryIndex {
    /// The boxes change: what was built holds no more.
    #[inline(always)]
    pub(crate) fn forget(&mut self) {
        if *self.asked.get_mut() > 0 {
            self.clear();
        }
    }

    /// Apart, so that boxes that move while nobody asks wait for a comparison alone.
    #[cold]
    #[inline(never)]
    fn clear(&mut self) {
        *self = Self::default();
    }

    /// Counts a query about `count` boxes; answers with the tree, if it is there by now.
    pub(crate) fn ask(&self, count: usize, build: impl FnOnce() -> WideTree) -> Option<&WideTree> {
        if let Some(tree) = self.tree.get() {
            return Some(tree);
        }
        // Who comes to the number builds; others who ask meanwhile need not wait.
        let asked = self.asked.fetch_add(1, Ordering::Relaxed);
        if asked == BUILD_QUERIES_LEAST + (BUILD_QUERIES * count as f32) as usize {
            return Some(self.tree.get_or_init(build));
        }
        None
    }

    /// Memory held, in bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.tree.get().map_or(0, WideTree::memory_bytes)
    }
}
