//! Boxes that are kept if they touch another.

use fearless_simd::Simd;

use crate::item::{Item, Limit};

/// A list that items are written to before it is known whether they stay: which do is not
/// predictable.
#[derive(Debug, Default)]
pub(super) struct Kept {
    /// The list and what was written beyond its end.
    items: Vec<Item>,
    count: usize,
}

impl Kept {
    pub(super) fn clear(&mut self) {
        self.count = 0;
    }

    pub(super) fn items(&self) -> &[Item] {
        &self.items[..self.count]
    }

    /// Adds all of `items`, seen from elsewhere; `shift` as for [`Item::shifted`].
    #[inline(always)]
    pub(super) fn extend_shifted<S: Simd>(&mut self, simd: S, items: &[Item], shift: &Limit) {
        let room = self.count + items.len();
        if self.items.len() < room {
            self.items.resize(2 * room, Item::default());
        }
        for (place, item) in self.items[self.count..room].iter_mut().zip(items) {
            *place = item.shifted(simd, shift);
        }
        self.count = room;
    }

    /// Adds those of `items` that touch the box of `limit`.
    #[inline(always)]
    pub(super) fn push_touching<S: Simd>(
        &mut self,
        simd: S,
        items: impl ExactSizeIterator<Item = Item>,
        limit: &Limit,
    ) {
        let room = self.count + items.len();
        if self.items.len() < room {
            self.items.resize(2 * room, Item::default());
        }
        let (mut end, places) = (self.count, &mut self.items[..room]);
        for item in items {
            places[end] = item;
            end += usize::from(item.touches(simd, limit));
        }
        self.count = end;
    }
}
