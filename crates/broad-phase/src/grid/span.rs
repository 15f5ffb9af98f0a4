//! Which cells of a level there are at most: a layer of boxes over a plain has no cells above it,
//! and nobody has to look them up to see that.

use serde::{Deserialize, Serialize};

/// The cells of one level from the first to the last along each axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Span {
    pub(crate) first: [i32; 3],
    pub(crate) last: [i32; 3],
}

impl Span {
    /// No cell.
    pub(super) const NONE: Self = Self {
        first: [i32::MAX; 3],
        last: [i32::MIN; 3],
    };

    /// Grows by a cell.
    pub(super) fn add(&mut self, coord: [i32; 3]) {
        for (axis, at) in coord.into_iter().enumerate() {
            self.first[axis] = self.first[axis].min(at);
            self.last[axis] = self.last[axis].max(at);
        }
    }

    /// The cells that are in `other` too.
    #[inline(always)]
    pub(crate) fn within(mut self, other: &Self) -> Self {
        for axis in 0..3 {
            self.first[axis] = self.first[axis].max(other.first[axis]);
            self.last[axis] = self.last[axis].min(other.last[axis]);
        }
        self
    }

    /// The number of cells.
    #[inline(always)]
    pub(crate) fn count(&self) -> i64 {
        let edge = |axis: usize| {
            let edge = i64::from(self.last[axis]) - i64::from(self.first[axis]) + 1;
            edge.max(0)
        };
        edge(0).saturating_mul(edge(1)).saturating_mul(edge(2))
    }

    /// All its cells.
    pub(crate) fn cells(self) -> impl Iterator<Item = [i32; 3]> {
        let along = move |axis: usize| self.first[axis]..=self.last[axis];
        along(2).flat_map(move |z| along(1).flat_map(move |y| along(0).map(move |x| [x, y, z])))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cells are counted as often as they are listed, none where two spans have nothing in common,
    /// and a span of nearly everything does not overflow.
    #[test]
    fn spans_count_their_cells() {
        let mut span = Span::NONE;
        assert_eq!((span.count(), span.cells().count()), (0, 0));
        span.add([3, -2, 7]);
        span.add([1, 0, 7]);
        assert_eq!((span.count(), span.cells().count()), (9, 9));
        let around = |at: [i32; 3]| Span {
            first: at.map(|at| at - 1),
            last: at.map(|at| at + 1),
        };
        let common = around([1, -2, 6]).within(&span);
        assert_eq!(
            common.cells().collect::<Vec<_>>(),
            [[1, -2, 7], [2, -2, 7], [1, -1, 7], [2, -1, 7]]
        );
        let apart = around([9, 9, 9]).within(&span);
        assert_eq!((apart.count(), apart.cells().count()), (0, 0));
        let all = Span {
            first: [i32::MIN; 3],
            last: [i32::MAX; 3],
        };
        assert_eq!(all.count(), i64::MAX);
        assert_eq!(all.within(&span), span);
    }
}
