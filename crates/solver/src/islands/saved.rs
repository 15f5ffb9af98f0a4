//! Islands as lists, and back.

use serde::{Deserialize, Serialize};

use super::{Island, IslandId, Islands, Link, NO_ISLAND, Place};
use crate::graph::ConstraintId;

/// An island as it is stored: its bodies and links in order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SavedIsland {
    bodies: Vec<u32>,
    links: Vec<ConstraintId>,
    lost_links: u32,
    asleep: bool,
}

/// All islands as they are stored, with the numbers that are free.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SavedIslands {
    islands: Vec<SavedIsland>,
    free: Vec<IslandId>,
}

impl Islands {
    /// Number of islands that ever were at the same time: numbers are below it.
    pub fn slots(&self) -> u32 {
        self.islands.len() as u32
    }

    /// How many links an island has lost since it was last known to be whole.
    pub fn lost_links(&self, island: IslandId) -> u32 {
        (self.islands.get(island as usize)).map_or(0, |island| island.lost_links)
    }

    /// Everything that cannot be derived.
    pub fn save(&self) -> SavedIslands {
        let islands = self.islands.iter().map(|island| SavedIsland {
            bodies: island.bodies.clone(),
            links: island.links.iter().map(|link| link.id).collect(),
            lost_links: island.lost_links,
            asleep: island.asleep,
        });
        SavedIslands {
            islands: islands.collect(),
            free: self.free.clone(),
        }
    }

    /// The islands that were saved. `ends` tells the bodies of a link and `None` when there
    /// is none; bodies are below `body_count`.
    ///
    /// `None` when these cannot be islands: a body or a link occurs twice, a link leads
    /// from one island to another, or the free numbers are not the empty islands.
    pub fn restore(
        saved: &SavedIslands,
        body_count: usize,
        ends: impl Fn(ConstraintId) -> Option<[u32; 2]>,
    ) -> Option<Self> {
        let mut islands = Self {
            islands: vec![Island::default(); saved.islands.len()],
            ..Self::default()
        };
        for (index, saved) in saved.islands.iter().enumerate() {
            for (slot, &body) in saved.bodies.iter().enumerate() {
                if body as usize >= body_count {
                    return None;
                }
                let place = islands.body_places.entry(body);
                if place.island != NO_ISLAND {
                    return None;
                }
                *place = Place {
                    island: index as u32,
                    slot: slot as u32,
                };
            }
            let island = &mut islands.islands[index];
            island.bodies = saved.bodies.clone();
            (island.lost_links, island.asleep) = (saved.lost_links, saved.asleep);
        }
        for (index, saved) in saved.islands.iter().enumerate() {
            for &id in &saved.links {
                let [a, b] = ends(id)?;
                let of = [a, b].map(|body| islands.island_of(body));
                let fits = |island: IslandId| island == NO_ISLAND || island == index as u32;
                let new = islands.place_of_link(id).island == NO_ISLAND;
                if of == [NO_ISLAND; 2] || !of.into_iter().all(fits) || !new {
                    return None;
                }
                islands.push_link(index as u32, Link { id, a, b });
            }
        }
        let mut is_free = vec![false; saved.islands.len()];
        for &island in &saved.free {
            let empty = islands.bodies(island).is_empty();
            let seen = is_free.get_mut(island as usize)?;
            if *seen || !empty {
                return None;
            }
            *seen = true;
        }
        let empty = (islands.islands.iter()).filter(|island| island.bodies.is_empty());
        if empty.count() != saved.free.len() {
            return None;
        }
        islands.free = saved.free.clone();
        Some(islands)
    }
}
