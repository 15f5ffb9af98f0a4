//! How contacts begin: a number and a place in the lists of both bodies one by one, and the columns
//! of many at once.

use drystone_geometry::Manifold;
use drystone_narrow_phase::{Guard, Tracker};
use drystone_solver::Contact;

use super::{CHUNK, Chunk, Contacts, Links, State};
use crate::record::{BodyRecord, NONE};

impl Chunk<'_> {
    /// Makes the contact at a place in the chunk one that has not touched yet and does not act.
    pub(crate) fn begin(&mut self, place: usize, contact: Contact) {
        self.states[place] = State {
            live: true,
            ..State::default()
        };
        self.trackers[place] = Tracker::default();
        self.guards[place] = Guard::NONE;
        self.manifolds[place] = Manifold::EMPTY;
        self.solver[place] = contact;
        self.surfaces[place] = None;
    }
}

impl Contacts {
    /// Adds a contact to the columns and to the lists of both bodies.
    pub(crate) fn insert(
        &mut self,
        bodies: &mut [BodyRecord],
        shapes: [u32; 2],
        owners: [u32; 2],
        contact: Contact,
    ) -> u32 {
        let id = self.enter(bodies, shapes, owners);
        let i = id as usize;
        let mut chunk = Chunk {
            links: &self.links[i..=i],
            states: &mut self.states[i..=i],
            trackers: &mut self.trackers[i..=i],
            guards: &mut self.guards[i..=i],
            manifolds: &mut self.manifolds[i..=i],
            solver: &mut self.solver[i..=i],
            surfaces: &mut self.surfaces[i..=i],
            awake: &mut self.awake_in_chunk[i / CHUNK],
        };
        chunk.begin(0, contact);
        id
    }

    /// Adds a number for a contact to the lists of both bodies. Its columns are still to
    /// [begin](Chunk::begin): they may be those of one that is gone.
    pub(crate) fn enter(
        &mut self,
        bodies: &mut [BodyRecord],
        shapes: [u32; 2],
        owners: [u32; 2],
    ) -> u32 {
        let links = Links {
            shapes,
            bodies: owners,
            next: [NONE; 2],
            prev: [NONE; 2],
        };
        let id = match self.free.pop() {
            Some(id) => {
                self.links[id as usize] = links;
                id
            }
            None => {
                if self.links.len() == self.links.capacity() {
                    self.make_room();
                }
                self.links.push(links);
                self.states.push(State::default());
                self.trackers.push(Tracker::default());
                self.guards.push(Guard::NONE);
                self.manifolds.push(Manifold::EMPTY);
                self.solver.push(Contact::default());
                self.surfaces.push(None);
                self.awake_in_chunk
                    .resize(self.links.len().div_ceil(CHUNK), 0);
                (self.links.len() - 1) as u32
            }
        };
        for side in 0..2 {
            self.hang_in(bodies, id, side);
        }
        id
    }
}
