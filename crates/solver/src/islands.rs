//! Islands: bodies that constraints connect, directly or through others. They fall asleep
//! and wake together.
//!
//! Islands persist. A new link merges two of them, the smaller into the larger; a lost link
//! is only counted. An island that lost links is split, by union-find over its own links,
//! when one of its bodies wants to sleep: only then does the difference matter.

use serde::{Deserialize, Serialize};

use crate::body::{Body, BodyTable};
use crate::graph::ConstraintId;
use crate::tolerance::TIME_TO_SLEEP;

mod places;
mod saved;

use places::{BodyPlaces, NOWHERE, Place};
pub use saved::{SavedIsland, SavedIslands};

/// An island's number; reused after the island is gone.
pub type IslandId = u32;

/// No island: a body that is static, kinematic or not inserted.
pub const NO_ISLAND: IslandId = u32::MAX;

/// A set of connected bodies.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Island {
    bodies: Vec<u32>,
    links: Vec<Link>,
    lost_links: u32,
    asleep: bool,
}

/// A constraint between two bodies. At least one of them is in an island.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Link {
    id: ConstraintId,
    a: u32,
    b: u32,
}

/// The islands of a world, by world body index.
///
/// Only dynamic bodies are inserted. Links to others are allowed: they belong to the island
/// of the inserted end and connect nothing. The same calls in the same order give the same
/// islands with the same numbers.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Islands {
    islands: Vec<Island>,
    free: Vec<IslandId>,
    body_places: BodyPlaces,
    contact_places: Vec<Place>,
    joint_places: Vec<Place>,
    #[serde(skip)]
    scratch: Scratch,
}

/// Buffers of [`Islands::sleepers`], kept for their memory alone.
#[derive(Clone, Debug, Default)]
struct Scratch {
    parent: Vec<u32>,
}

impl Islands {
    /// No islands.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a dynamic body, alone and awake. It must not be there already.
    pub fn insert_body(&mut self, body: u32) {
        debug_assert!(self.island_of(body) == NO_ISLAND);
        let island = self.new_island();
        *self.body_places.entry(body) = Place { island, slot: 0 };
        self.islands[island as usize].bodies.push(body);
    }

    /// Takes a body out. Its links must have been taken out before.
    pub fn remove_body(&mut self, body: u32) {
        let place = self.body_places.get(body);
        if place.island == NO_ISLAND {
            return;
        }
        *self.body_places.entry(body) = NOWHERE;
        let island = &mut self.islands[place.island as usize];
        debug_assert!(
            island
                .links
                .iter()
                .all(|link| link.a != body && link.b != body)
        );
        island.bodies.swap_remove(place.slot as usize);
        if let Some(&moved) = island.bodies.get(place.slot as usize) {
            self.body_places.entry(moved).slot = place.slot;
        }
        if self.islands[place.island as usize].bodies.is_empty() {
            self.free_island(place.island);
        }
    }

    /// Connects two bodies, at least one of which is inserted. Islands that merge are awake
    /// afterwards unless both slept; wake the sleeping one first.
    pub fn link(&mut self, id: ConstraintId, a: u32, b: u32) {
        let (island_a, island_b) = (self.island_of(a), self.island_of(b));
        let island = match (island_a, island_b) {
            (NO_ISLAND, NO_ISLAND) => return,
            (NO_ISLAND, island) | (island, NO_ISLAND) => island,
            (island_a, island_b) => self.merge(island_a, island_b),
        };
        debug_assert!(
            self.place_of_link(id).island == NO_ISLAND,
            "{id:?} is linked already"
        );
        self.push_link(island, Link { id, a, b });
    }

    /// Takes a link out; returns whether it was there. The island stays whole until
    /// [`Islands::sleepers`] has a reason to split it.
    pub fn unlink(&mut self, id: ConstraintId) -> bool {
        let place = self.place_of_link(id);
        if place.island == NO_ISLAND {
            return false;
        }
        *self.link_place_mut(id) = NOWHERE;
        let island = &mut self.islands[place.island as usize];
        let link = island.links.swap_remove(place.slot as usize);
        let connected = link.a != link.b && is_inserted(&self.body_places, link);
        island.lost_links += u32::from(connected);
        if let Some(moved) = island.links.get(place.slot as usize).map(|link| link.id) {
            self.link_place_mut(moved).slot = place.slot;
        }
        true
    }

    /// The island of `body`, or [`NO_ISLAND`].
    pub fn island_of(&self, body: u32) -> IslandId {
        self.body_places.get(body).island
    }

    /// The bodies of an island, in an order that depends on its history alone.
    pub fn bodies(&self, island: IslandId) -> &[u32] {
        self.islands
            .get(island as usize)
            .map_or(&[], |island| &island.bodies)
    }

    /// The links of an island, likewise, links to bodies outside every island included.
    pub fn links(&self, island: IslandId) -> impl Iterator<Item = ConstraintId> + '_ {
        let links = self
            .islands
            .get(island as usize)
            .map_or(&[][..], |island| &island.links);
        links.iter().map(|link| link.id)
    }

    /// Whether an island sleeps.
    pub fn is_asleep(&self, island: IslandId) -> bool {
        self.islands
            .get(island as usize)
            .is_some_and(|island| island.asleep)
    }

    /// Notes that an island sleeps or wakes. The world moves its bodies and constraints.
    pub fn set_asleep(&mut self, island: IslandId, asleep: bool) {
        self.islands[island as usize].asleep = asleep;
    }

    /// Number of islands.
    pub fn count(&self) -> usize {
        self.islands.len() - self.free.len()
    }

    /// The awake islands all of whose bodies have rested long enough, in rising order of their
    /// numbers, as the world should put them to sleep.
    ///
    /// Exact: islands that lost links are split first, all of them that hold a body that wants
    /// to sleep. An island linked to a kinematic body that moves is never among them. Costs
    /// a pass over `bodies`, plus the islands that are split or fall asleep.
    pub fn sleepers(&mut self, bodies: &[Body], table: BodyTable<'_>) -> Vec<IslandId> {
        let is_rested = |body: &Body| body.can_sleep && body.sleep_time >= TIME_TO_SLEEP;
        let rested = bodies.iter().filter(|body| is_rested(body));
        let rested: Vec<u32> = rested.map(|body| body.index).collect();
        // Most steps end here.
        let mut sleepers = self.awake_islands(&rested);
        let mut split = false;
        for &island in &sleepers {
            if self.islands[island as usize].lost_links > 0 {
                self.split(island);
                split = true;
            }
        }
        if split {
            sleepers = self.awake_islands(&rested);
        }
        // In a large heap some body rests for a moment, and the first that does not is soon found.
        let are_rested = |bodies_of: &[u32]| {
            let mut slots = bodies_of.iter().map(|&body| table.awake_slot(body));
            slots.all(|slot| slot.is_some_and(|slot| is_rested(&bodies[slot])))
        };
        sleepers.retain(|&island| {
            are_rested(&self.islands[island as usize].bodies)
                && !self.is_moved(island, bodies, table)
        });
        sleepers
    }

    /// The islands that some bodies are in and that do not sleep, in rising order.
    fn awake_islands(&self, bodies: &[u32]) -> Vec<IslandId> {
        let islands = bodies.iter().map(|&body| self.island_of(body));
        let is_awake =
            |island: &IslandId| *island != NO_ISLAND && !self.islands[*island as usize].asleep;
        let mut awake: Vec<IslandId> = islands.filter(is_awake).collect();
        awake.sort_unstable();
        awake.dedup();
        awake
    }

    /// Whether a link leads to a kinematic body that moves.
    fn is_moved(&self, island: IslandId, bodies: &[Body], table: BodyTable<'_>) -> bool {
        self.islands[island as usize].links.iter().any(|link| {
            [link.a, link.b].into_iter().any(|body| {
                self.island_of(body) == NO_ISLAND
                    && table
                        .awake_slot(body)
                        .is_some_and(|slot| bodies[slot].surface_speed() > 0.0)
            })
        })
    }

    /// Merges two islands into the one with more bodies and returns it.
    fn merge(&mut self, a: IslandId, b: IslandId) -> IslandId {
        if a == b {
            return a;
        }
        let size = |island: IslandId| self.islands[island as usize].bodies.len();
        let (into, from) = if size(a) >= size(b) { (a, b) } else { (b, a) };
        let lost = std::mem::take(&mut self.islands[from as usize]);
        for body in lost.bodies {
            self.push_body(into, body);
        }
        for link in lost.links {
            self.push_link(into, link);
        }
        let island = &mut self.islands[into as usize];
        island.lost_links += lost.lost_links;
        island.asleep &= lost.asleep;
        self.free_island(from);
        into
    }

    /// Splits an island into its connected parts. The first part, by order of bodies, keeps
    /// the number.
    fn split(&mut self, island: IslandId) {
        let whole = std::mem::take(&mut self.islands[island as usize]);
        let mut parent = std::mem::take(&mut self.scratch.parent);
        parent.clear();
        parent.extend(0..whole.bodies.len() as u32);
        for link in &whole.links {
            if is_inserted(&self.body_places, *link) {
                let a = root(&mut parent, self.body_places.get(link.a).slot);
                let b = root(&mut parent, self.body_places.get(link.b).slot);
                // The lower slot becomes the root, so a root comes before its members.
                parent[a.max(b) as usize] = a.min(b);
            }
        }
        let mut part_of = vec![NO_ISLAND; whole.bodies.len()];
        for (slot, &body) in whole.bodies.iter().enumerate() {
            let root = root(&mut parent, slot as u32) as usize;
            if part_of[root] == NO_ISLAND {
                part_of[root] = if slot == 0 { island } else { self.new_island() };
            }
            self.push_body(part_of[root], body);
        }
        for link in whole.links {
            let body = if self.island_of(link.a) == NO_ISLAND {
                link.b
            } else {
                link.a
            };
            self.push_link(self.island_of(body), link);
        }
        self.scratch.parent = parent;
    }

    fn push_body(&mut self, island: IslandId, body: u32) {
        let bodies = &mut self.islands[island as usize].bodies;
        *self.body_places.entry(body) = Place {
            island,
            slot: bodies.len() as u32,
        };
        bodies.push(body);
    }

    fn push_link(&mut self, island: IslandId, link: Link) {
        let slot = self.islands[island as usize].links.len() as u32;
        *self.link_place_mut(link.id) = Place { island, slot };
        self.islands[island as usize].links.push(link);
    }

    fn new_island(&mut self) -> IslandId {
        self.free.pop().unwrap_or_else(|| {
            self.islands.push(Island::default());
            self.islands.len() as u32 - 1
        })
    }

    fn free_island(&mut self, island: IslandId) {
        let gone = &mut self.islands[island as usize];
        gone.bodies.clear();
        gone.links.clear();
        gone.lost_links = 0;
        gone.asleep = false;
        self.free.push(island);
    }

    fn place_of_link(&self, id: ConstraintId) -> Place {
        let place = match id {
            ConstraintId::Contact(index) => self.contact_places.get(index as usize),
            ConstraintId::Joint(index) => self.joint_places.get(index as usize),
        };
        place.copied().unwrap_or(NOWHERE)
    }

    fn link_place_mut(&mut self, id: ConstraintId) -> &mut Place {
        let (places, index) = match id {
            ConstraintId::Contact(index) => (&mut self.contact_places, index as usize),
            ConstraintId::Joint(index) => (&mut self.joint_places, index as usize),
        };
        if index >= places.len() {
            places.resize(index + 1, NOWHERE);
        }
        &mut places[index]
    }
}

/// Whether both ends of a link are in islands, so that it connects something.
fn is_inserted(body_places: &BodyPlaces, link: Link) -> bool {
    let is_in = |body: u32| body_places.get(body).island != NO_ISLAND;
    is_in(link.a) && is_in(link.b)
}

/// Root of `slot` in the forest `parent`, halving the path on the way.
fn root(parent: &mut [u32], mut slot: u32) -> u32 {
    while parent[slot as usize] != slot {
        parent[slot as usize] = parent[parent[slot as usize] as usize];
        slot = parent[slot as usize];
    }
    slot
}

#[cfg(test)]
mod tests;
