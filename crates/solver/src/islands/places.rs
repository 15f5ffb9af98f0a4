//! Where bodies are among the islands, by world body index, in pages.
//!
//! Only dynamic bodies are in islands. Static ones need no place of their own: a page exists once
//! one of its bodies is inserted, so the first body to move in a level of a million static ones
//! costs a page and not the level.

use serde::{Deserialize, Serialize};

use super::{IslandId, NO_ISLAND};

/// Bodies of a page.
const PAGE: usize = 1024;

/// Where something is: its island and its slot there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Place {
    pub(super) island: IslandId,
    pub(super) slot: u32,
}

pub(super) const NOWHERE: Place = Place {
    island: NO_ISLAND,
    slot: 0,
};

/// The places of bodies.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct BodyPlaces {
    /// Each of [`PAGE`] places, or empty where nobody was ever inserted.
    pages: Vec<Vec<Place>>,
}

impl BodyPlaces {
    /// Where a body is; [`NOWHERE`] if it was not told.
    #[inline]
    pub(super) fn get(&self, body: u32) -> Place {
        let (page, at) = (body as usize / PAGE, body as usize % PAGE);
        let place = self.pages.get(page).and_then(|page| page.get(at));
        place.copied().unwrap_or(NOWHERE)
    }

    /// Room for a body's place, which is [`NOWHERE`] at first.
    #[inline]
    pub(super) fn entry(&mut self, body: u32) -> &mut Place {
        let (page, at) = (body as usize / PAGE, body as usize % PAGE);
        if page >= self.pages.len() {
            self.pages.resize(page + 1, Vec::new());
        }
        let page = &mut self.pages[page];
        if page.is_empty() {
            page.resize(PAGE, NOWHERE);
        }
        &mut page[at]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bodies on both sides of the border of two pages and far from both: each is where it was
    /// put, the others nowhere, and pages without a body take no room. By counting.
    #[test]
    fn places_take_room_where_bodies_are() {
        let mut places = BodyPlaces::default();
        let bodies = [PAGE as u32 - 1, PAGE as u32, 900 * PAGE as u32 + 7];
        for (slot, &body) in bodies.iter().enumerate() {
            assert_eq!(places.get(body), NOWHERE);
            let slot = slot as u32;
            *places.entry(body) = Place { island: 3, slot };
        }
        for (slot, &body) in bodies.iter().enumerate() {
            let slot = slot as u32;
            assert_eq!(places.get(body), Place { island: 3, slot });
            assert_eq!(places.get(body + 1).island == 3, slot == 0);
        }
        let taken = places.pages.iter().filter(|page| !page.is_empty());
        assert_eq!(taken.count(), 3);
    }
}
