//! The constraint graph: contacts and joints in colours, kept up from step to step.
//!
//! No body that constraints push occurs twice in a colour, so the constraints of a colour
//! can be solved in any order, or at once, with the same result. Constraints that find no
//! free colour go to the overflow list, which is solved one after the other.

use serde::{Deserialize, Serialize};

use crate::tolerance::COLOUR_COUNT;

mod saved;

/// Stands for a body that constraints do not push (static or kinematic) in
/// [`ConstraintGraph::add`]; it may occur in a colour any number of times.
pub const NO_BODY: u32 = u32::MAX;

/// A contact or a joint, by its index in the slices given to the step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum ConstraintId {
    /// Index of a contact.
    Contact(u32),
    /// Index of a joint.
    Joint(u32),
}

/// Constraints that share no body, and the bodies they push.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Colour {
    /// Indices of contacts.
    pub contacts: Vec<u32>,
    /// Indices of joints.
    pub joints: Vec<u32>,
    bodies: BitSet,
}

/// The constraints of a colour, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ColourLists<'a> {
    /// Indices of contacts.
    pub contacts: &'a [u32],
    /// Indices of joints.
    pub joints: &'a [u32],
}

/// Where a constraint is in the graph.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Place {
    colour: u32,
    slot: u32,
    a: u32,
    b: u32,
}

const NOWHERE: Place = Place {
    colour: u32::MAX,
    slot: 0,
    a: NO_BODY,
    b: NO_BODY,
};

/// Colours of all constraints between awake bodies.
///
/// The same sequence of calls gives the same colours in the same order. A call costs a
/// handful of bit tests.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ConstraintGraph {
    colours: Vec<Colour>,
    contact_places: Vec<Place>,
    joint_places: Vec<Place>,
}

impl ConstraintGraph {
    /// A graph without constraints.
    pub fn new() -> Self {
        Self {
            colours: vec![Colour::default(); COLOUR_COUNT + 1],
            contact_places: Vec::new(),
            joint_places: Vec::new(),
        }
    }

    /// Adds a constraint between the bodies of world indices `a` and `b`; [`NO_BODY`] stands
    /// for one that is static or kinematic. It must not be in the graph already.
    ///
    /// Constraints between two pushed bodies take the first colour free of both. The others
    /// take the last free one, so that what the ground says is heard last in a sweep.
    pub fn add(&mut self, id: ConstraintId, a: u32, b: u32) {
        if self.colours.is_empty() {
            *self = Self::new();
        }
        let free = |colour: &Colour| !colour.bodies.has(a) && !colour.bodies.has(b);
        let palette = &self.colours[..COLOUR_COUNT];
        let found = if a != NO_BODY && b != NO_BODY {
            palette.iter().position(free)
        } else {
            palette.iter().rposition(free)
        };
        let index = found.unwrap_or(COLOUR_COUNT);
        let colour = &mut self.colours[index];
        if index < COLOUR_COUNT {
            colour.bodies.insert(a);
            colour.bodies.insert(b);
        }
        let (list, key) = colour.list_mut(id);
        let slot = list.len() as u32;
        list.push(key);
        let place = self.place_mut(id);
        debug_assert!(place.colour == u32::MAX, "{id:?} is in the graph already");
        *place = Place {
            colour: index as u32,
            slot,
            a,
            b,
        };
    }

    /// Takes a constraint out; returns whether it was in the graph.
    pub fn remove(&mut self, id: ConstraintId) -> bool {
        if !self.contains(id) {
            return false;
        }
        let place = std::mem::replace(self.place_mut(id), NOWHERE);
        let index = place.colour as usize;
        let colour = &mut self.colours[index];
        if index < COLOUR_COUNT {
            colour.bodies.remove(place.a);
            colour.bodies.remove(place.b);
        }
        let (list, _) = colour.list_mut(id);
        list.swap_remove(place.slot as usize);
        if let Some(&moved) = list.get(place.slot as usize) {
            let moved = match id {
                ConstraintId::Contact(_) => ConstraintId::Contact(moved),
                ConstraintId::Joint(_) => ConstraintId::Joint(moved),
            };
            self.place_mut(moved).slot = place.slot;
        }
        true
    }

    /// Whether the constraint is in the graph.
    pub fn contains(&self, id: ConstraintId) -> bool {
        let place = match id {
            ConstraintId::Contact(index) => self.contact_places.get(index as usize),
            ConstraintId::Joint(index) => self.joint_places.get(index as usize),
        };
        place.is_some_and(|place| place.colour != u32::MAX)
    }

    /// Index of the constraint's colour in the order of solving, the overflow list being the
    /// last; `None` when it is not in the graph.
    pub fn colour_of(&self, id: ConstraintId) -> Option<u32> {
        let place = match id {
            ConstraintId::Contact(index) => self.contact_places.get(index as usize),
            ConstraintId::Joint(index) => self.joint_places.get(index as usize),
        };
        place
            .map(|place| place.colour)
            .filter(|colour| *colour != u32::MAX)
    }

    /// The colours, in the order they are solved. Some may be empty.
    pub fn colours(&self) -> &[Colour] {
        self.colours.get(..COLOUR_COUNT).unwrap_or(&[])
    }

    /// The constraints that found no colour, solved one after the other, after the colours.
    /// Their bodies are not recorded.
    pub fn overflow(&self) -> Option<&Colour> {
        self.colours.get(COLOUR_COUNT)
    }

    fn place_mut(&mut self, id: ConstraintId) -> &mut Place {
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

impl Colour {
    fn list_mut(&mut self, id: ConstraintId) -> (&mut Vec<u32>, u32) {
        match id {
            ConstraintId::Contact(index) => (&mut self.contacts, index),
            ConstraintId::Joint(index) => (&mut self.joints, index),
        }
    }
}

/// A set of body indices that grows as needed. [`NO_BODY`] is never in it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct BitSet {
    words: Vec<u64>,
}

impl BitSet {
    fn has(&self, body: u32) -> bool {
        self.words
            .get(body as usize / 64)
            .is_some_and(|word| word >> (body % 64) & 1 == 1)
    }

    fn insert(&mut self, body: u32) {
        if body == NO_BODY {
            return;
        }
        let word = body as usize / 64;
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= 1 << (body % 64);
    }

    fn remove(&mut self, body: u32) {
        if let Some(word) = self.words.get_mut(body as usize / 64) {
            *word &= !(1 << (body % 64));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contacts and joints come and go at random among 40 bodies, of which some are not
    /// pushed. After every change each colour is checked by scanning its lists: no pushed
    /// body occurs twice, and every constraint is where the graph was told to put it.
    #[test]
    fn no_body_occurs_twice_in_a_colour_under_random_changes() {
        let mut graph = ConstraintGraph::new();
        let mut live: Vec<(ConstraintId, u32, u32)> = Vec::new();
        let mut state = 7_u64;
        let mut random = |limit: u64| {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (state >> 33) % limit
        };
        let mut overflowed = false;
        for round in 0..4000_u32 {
            if random(5) < 3 || live.is_empty() {
                let a = random(40) as u32;
                let b = (a + 1 + random(39) as u32) % 40;
                let pushed = |body: u32| if body < 8 { NO_BODY } else { body };
                let id = if random(2) == 0 {
                    ConstraintId::Contact(round)
                } else {
                    ConstraintId::Joint(round)
                };
                graph.add(id, pushed(a), pushed(b));
                live.push((id, pushed(a), pushed(b)));
            } else {
                let (id, ..) = live.swap_remove(random(live.len() as u64) as usize);
                assert!(graph.remove(id));
                assert!(!graph.remove(id));
            }
            overflowed |= graph
                .overflow()
                .is_some_and(|c| c.contacts.len() + c.joints.len() > 0);
            if round % 16 == 0 {
                check(&graph, &live);
            }
        }
        check(&graph, &live);
        assert!(overflowed, "the overflow list was never reached");
    }

    fn check(graph: &ConstraintGraph, live: &[(ConstraintId, u32, u32)]) {
        let mut count = 0;
        for (index, colour) in graph.colours.iter().enumerate() {
            let contacts = colour.contacts.iter().map(|&id| ConstraintId::Contact(id));
            let joints = colour.joints.iter().map(|&id| ConstraintId::Joint(id));
            let mut seen = Vec::new();
            for id in contacts.chain(joints) {
                let (_, a, b) = live.iter().find(|entry| entry.0 == id).expect("live");
                seen.extend([*a, *b].into_iter().filter(|&body| body != NO_BODY));
                count += 1;
            }
            let total = seen.len();
            seen.sort_unstable();
            seen.dedup();
            assert!(
                index == COLOUR_COUNT || seen.len() == total,
                "colour {index}"
            );
        }
        assert_eq!(count, live.len());
    }
}
