//! The graph as lists, and back: which constraint is in which colour, in order.

use super::{ColourLists, ConstraintGraph, ConstraintId, NO_BODY, NOWHERE};
use crate::tolerance::COLOUR_COUNT;

impl ConstraintGraph {
    /// The constraints of every colour in order, those of the overflow list last. Together
    /// with their bodies they are the whole graph.
    pub fn lists(&self) -> impl ExactSizeIterator<Item = ColourLists<'_>> {
        self.colours.iter().map(|colour| ColourLists {
            contacts: &colour.contacts,
            joints: &colour.joints,
        })
    }

    /// The graph with these lists. `ends` tells the bodies of a constraint as
    /// [`Self::add`] was told them, and `None` when there is no such constraint.
    ///
    /// `None` when the lists are not those of a graph: a constraint is unknown or occurs
    /// twice, or a colour pushes a body twice.
    pub fn from_lists(
        lists: &[[Vec<u32>; 2]],
        ends: impl Fn(ConstraintId) -> Option<[u32; 2]>,
    ) -> Option<Self> {
        if lists.is_empty() {
            return Some(Self::default());
        }
        if lists.len() != COLOUR_COUNT + 1 {
            return None;
        }
        let mut graph = Self::new();
        for (index, [contacts, joints]) in lists.iter().enumerate() {
            let contacts = contacts.iter().map(|&id| ConstraintId::Contact(id));
            let joints = joints.iter().map(|&id| ConstraintId::Joint(id));
            for id in contacts.chain(joints) {
                let [a, b] = ends(id)?;
                if graph.contains(id) {
                    return None;
                }
                let colour = &mut graph.colours[index];
                if index < COLOUR_COUNT {
                    if colour.bodies.has(a) || colour.bodies.has(b) || (a == b && a != NO_BODY) {
                        return None;
                    }
                    colour.bodies.insert(a);
                    colour.bodies.insert(b);
                }
                let (list, key) = colour.list_mut(id);
                let slot = list.len() as u32;
                list.push(key);
                let place = graph.place_mut(id);
                *place = NOWHERE;
                (place.colour, place.slot, place.a, place.b) = (index as u32, slot, a, b);
            }
        }
        Some(graph)
    }
}
