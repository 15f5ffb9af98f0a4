//! The persistent contacts: one record per pair of shapes whose boxes overlap, in columns
//! of equal index so that the narrow phase can work on disjoint slices.

use drystone_geometry::Manifold;
use drystone_geometry::glam::Vec3;
use drystone_narrow_phase::{Guard, Rung, SurfaceContact, Tracker};
use drystone_solver::Contact;
use serde::{Deserialize, Serialize};

use crate::def::BodyKind;
use crate::record::{BodyRecord, NONE};

mod begin;

/// Contacts per unit of parallel work. Depends on nothing, so results depend on nothing; as
/// many as a word has bits.
pub(crate) const CHUNK: usize = u64::BITS as usize;

/// Chunks that a pass which only asks what touches goes through in a microsecond, about.
pub(crate) const CHUNKS_PER_MICROSECOND: usize = 2;

/// The places of the bits set among the lowest `count`, ascending.
pub(crate) fn ones(mut bits: u64, count: usize) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let at = bits.trailing_zeros() as usize;
        bits &= bits.wrapping_sub(1);
        (at < count).then_some(at)
    })
}

/// Who meets, and where the contact hangs in the lists of both bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Links {
    pub(crate) shapes: [u32; 2],
    pub(crate) bodies: [u32; 2],
    next: [u32; 2],
    prev: [u32; 2],
}

/// What state a contact is in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct State {
    /// The slot is in use.
    pub(crate) live: bool,
    /// At least one of the bodies is awake.
    pub(crate) awake: bool,
    /// The pair does not push: neither body is dynamic, a joint connects them, hooks
    /// rejected it, or one shape is a sensor.
    pub(crate) muted: bool,
    /// Hooks did not allow the pair.
    pub(crate) rejected: bool,
    /// One of the shapes is a sensor.
    pub(crate) sensor: bool,
    /// The manifold has points, so the solver works on it and it links islands.
    pub(crate) constrained: bool,
    /// Reported to the user as touching.
    pub(crate) touching: bool,
    /// Carries one more manifold of a pair that another contact stands for.
    pub(crate) is_part: bool,
    /// Both bodies are dynamic.
    pub(crate) free: bool,
    /// Both are, and no bullet: while they touch they are not swept.
    pub(crate) loose: bool,
    /// How the narrow phase came to its last answer.
    pub(crate) rung: Rung,
}

/// A shape on a mesh or height field, which may be touched in several directions at once.
///
/// The contact itself carries the first manifold and stands for the pair; each further one
/// has a contact of its own, a part, so that the solver sees nothing unusual.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct OnSurface {
    /// What the narrow phase remembers, the manifolds included.
    pub(crate) memory: SurfaceContact,
    /// The parts by the number of their manifold less one; [`NONE`] where it is empty.
    pub(crate) parts: Vec<u32>,
}

impl OnSurface {
    /// Reads what the next look at the pair starts from.
    #[inline]
    pub(crate) fn read(&self) -> u32 {
        self.memory.read() ^ self.parts.len() as u32
    }

    /// The contacts of the further manifolds.
    pub(crate) fn parts(&self) -> impl Iterator<Item = u32> + '_ {
        self.parts.iter().copied().filter(|part| *part != NONE)
    }
}

/// All contacts, in columns. Slots of removed contacts are reused, last out first in.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Contacts {
    pub(crate) links: Vec<Links>,
    pub(crate) states: Vec<State>,
    pub(crate) trackers: Vec<Tracker>,
    /// What trackers know of pairs that are apart, for looking at many at once: those of
    /// contacts that are awake, neither constrained nor parts, and between bodies in motion.
    /// Follows from the rest, so it is no part of a saved state.
    pub(crate) guards: Vec<Guard>,
    pub(crate) manifolds: Vec<Manifold>,
    pub(crate) solver: Vec<Contact>,
    /// Of pairs with a mesh or height field, their parts apart.
    pub(crate) surfaces: Vec<Option<Box<OnSurface>>>,
    /// Awake contacts in each chunk, so that chunks at rest cost one look.
    pub(crate) awake_in_chunk: Vec<u32>,
    free: Vec<u32>,
}

/// The columns of one chunk of contacts.
pub(crate) struct Chunk<'a> {
    pub(crate) links: &'a [Links],
    pub(crate) states: &'a mut [State],
    pub(crate) trackers: &'a mut [Tracker],
    pub(crate) guards: &'a mut [Guard],
    pub(crate) manifolds: &'a mut [Manifold],
    pub(crate) solver: &'a mut [Contact],
    pub(crate) surfaces: &'a mut [Option<Box<OnSurface>>],
    /// How many are awake.
    pub(crate) awake: &'a mut u32,
}

/// Contacts that are sought side by side, and a unit of parallel work.
pub(crate) const SOUGHT: usize = 32;

/// A contact between two shapes that is sought in the list of a body.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sought {
    shapes: [u32; 2],
    /// Where in the list to look next, as `contact * 2 + side`.
    at: u32,
    /// Where to note it.
    place: usize,
}

impl Sought {
    /// In the shorter of both bodies' lists, to be noted at `place`.
    pub(crate) fn new(
        bodies: &[BodyRecord],
        shapes: [u32; 2],
        owners: [u32; 2],
        place: usize,
    ) -> Self {
        let [a, b] = owners.map(|owner| &bodies[owner as usize]);
        let shorter = if a.contact_count <= b.contact_count {
            a
        } else {
            b
        };
        Self {
            shapes,
            at: shorter.first_contact,
            place,
        }
    }
}

/// A contact read back, without its place in the lists of bodies.
pub(crate) struct Restored {
    pub(crate) shapes: [u32; 2],
    pub(crate) bodies: [u32; 2],
    /// Not awake yet.
    pub(crate) state: State,
    pub(crate) tracker: Tracker,
    pub(crate) manifold: Manifold,
    pub(crate) solver: Contact,
    pub(crate) surface: Option<Box<OnSurface>>,
}

impl Contacts {
    /// Contacts read back: by number, with the free numbers and, for each body, its contacts
    /// newest first. `None` when the lists do not hold every contact once on each side, or
    /// the free numbers are not those without a contact.
    pub(crate) fn restore(
        bodies: &mut [BodyRecord],
        contacts: Vec<Option<Restored>>,
        free: &[u32],
        lists: &[(u32, &[u32])],
    ) -> Option<Self> {
        let mut restored = Self {
            free: free.to_vec(),
            awake_in_chunk: vec![0; contacts.len().div_ceil(CHUNK)],
            ..Self::default()
        };
        let mut unlisted = 0;
        let mut seen = vec![[false; 2]; contacts.len()];
        for contact in contacts {
            let contact = contact.unwrap_or(Restored {
                shapes: [NONE; 2],
                bodies: [NONE; 2],
                state: State::default(),
                tracker: Tracker::default(),
                manifold: Manifold::EMPTY,
                solver: Contact::default(),
                surface: None,
            });
            unlisted += if contact.state.live { 2 } else { 0 };
            restored.links.push(Links {
                shapes: contact.shapes,
                bodies: contact.bodies,
                next: [NONE; 2],
                prev: [NONE; 2],
            });
            restored.states.push(contact.state);
            restored.trackers.push(contact.tracker);
            restored.guards.push(Guard::NONE);
            restored.manifolds.push(contact.manifold);
            restored.solver.push(contact.solver);
            restored.surfaces.push(contact.surface);
        }
        for &(body, edges) in lists {
            for &edge in edges.iter().rev() {
                let (id, side) = (edge >> 1, (edge & 1) as usize);
                let seen = &mut seen.get_mut(id as usize)?[side];
                let live = restored.states[id as usize].live;
                if *seen || !live || restored.links[id as usize].bodies[side] != body {
                    return None;
                }
                *seen = true;
                unlisted -= 1;
                restored.hang_in(bodies, id, side);
            }
        }
        for &id in free {
            let seen = &mut seen.get_mut(id as usize)?[0];
            if *seen || restored.states[id as usize].live {
                return None;
            }
            *seen = true;
        }
        let dead = restored.states.iter().filter(|state| !state.live).count();
        let whole = unlisted == 0 && dead == free.len() && restored.parts_are_whole();
        whole.then_some(restored)
    }

    /// Whether every part belongs to one contact of the same pair.
    fn parts_are_whole(&self) -> bool {
        let mut owned = 0;
        for (links, surface) in self.links.iter().zip(&self.surfaces) {
            for part in surface.iter().flat_map(|surface| surface.parts()) {
                let same = self.links.get(part as usize).map(|part| part.shapes);
                let is_part = self.states.get(part as usize).is_some_and(|s| s.is_part);
                if !is_part || same != Some(links.shapes) {
                    return false;
                }
                owned += 1;
            }
        }
        owned == self.states.iter().filter(|state| state.is_part).count()
    }

    /// The numbers without a contact, in the order they were given back.
    pub(crate) fn free(&self) -> &[u32] {
        &self.free
    }

    pub(crate) fn live_count(&self) -> usize {
        self.links.len() - self.free.len()
    }

    /// All of them, chunk by chunk.
    pub(crate) fn chunks(
        &mut self,
    ) -> impl DoubleEndedIterator<Item = Chunk<'_>> + ExactSizeIterator + Send {
        (self.links.chunks(CHUNK))
            .zip(self.states.chunks_mut(CHUNK))
            .zip(self.trackers.chunks_mut(CHUNK))
            .zip(self.guards.chunks_mut(CHUNK))
            .zip(self.manifolds.chunks_mut(CHUNK))
            .zip(self.solver.chunks_mut(CHUNK))
            .zip(self.surfaces.chunks_mut(CHUNK))
            .zip(&mut self.awake_in_chunk)
            .map(|(columns, awake)| {
                let ((((((links, states), trackers), guards), manifolds), solver), surfaces) =
                    columns;
                Chunk {
                    links,
                    states,
                    trackers,
                    guards,
                    manifolds,
                    solver,
                    surfaces,
                    awake,
                }
            })
    }

    /// Reads what it takes to take some contacts out: one is far away from the next.
    pub(crate) fn fetch(&self, ids: &[u32]) {
        let mut all = 0;
        for id in ids.iter().filter(|id| **id != NONE) {
            let links = &self.links[*id as usize];
            for edge in links.next.into_iter().chain(links.prev) {
                let neighbour = self.links.get((edge >> 1) as usize);
                all ^= neighbour.map_or(0, |links| links.next[0]);
            }
            all ^= u32::from(self.surfaces[*id as usize].is_some());
        }
        std::hint::black_box(all);
    }

    /// Makes room for three times as many contacts again: a pile gains them by and by, columns are
    /// copied as they grow, and room that is never used takes no memory.
    fn make_room(&mut self) {
        let more = 3 * self.links.len();
        self.links.reserve(more);
        self.states.reserve(more);
        self.trackers.reserve(more);
        self.guards.reserve(more);
        self.manifolds.reserve(more);
        self.solver.reserve(more);
        self.surfaces.reserve(more);
    }

    /// Takes a contact out of the columns and lists.
    pub(crate) fn remove(&mut self, bodies: &mut [BodyRecord], id: u32) {
        self.set_awake(id, false);
        for side in 0..2 {
            self.take_out(bodies, id, side);
        }
        self.states[id as usize] = State::default();
        self.surfaces[id as usize] = None;
        self.free.push(id);
    }

    /// Whether a contact or one of its parts may have points: quick where there are none. Those
    /// are not looked up that are known to be `whole`, without parts.
    #[inline]
    pub(crate) fn may_have_points(&self, id: usize, whole: bool) -> bool {
        self.states[id].constrained || (!whole && self.surfaces[id].is_some())
    }

    /// A contact and its parts.
    pub(crate) fn with_parts(&self, id: u32, whole: bool) -> impl Iterator<Item = u32> + '_ {
        let surface = if whole {
            None
        } else {
            self.surfaces[id as usize].as_ref()
        };
        let parts = surface.into_iter().flat_map(|surface| surface.parts());
        std::iter::once(id).chain(parts)
    }

    /// The contact that stands for the pair of a part; any other contact itself.
    pub(crate) fn whole_of(&self, bodies: &[BodyRecord], id: u32) -> u32 {
        if !self.states[id as usize].is_part {
            return id;
        }
        let Links {
            shapes,
            bodies: owners,
            next,
            ..
        } = self.links[id as usize];
        let [a, b] = owners.map(|owner| bodies[owner as usize].contact_count);
        // Parts are newer than their whole, so it lies behind them in both lists.
        let mut at = next[usize::from(b < a)];
        while at != NONE {
            let (other, side) = (at >> 1, (at & 1) as usize);
            let i = other as usize;
            if self.links[i].shapes == shapes && !self.states[i].is_part {
                return other;
            }
            at = self.links[i].next[side];
        }
        id
    }

    /// Forgets manifold, tracker and impulses.
    pub(crate) fn clear(&mut self, id: u32) {
        let i = id as usize;
        self.trackers[i] = Tracker::default();
        self.guards[i] = Guard::NONE;
        self.manifolds[i] = Manifold::EMPTY;
        if let Some(surface) = &mut self.surfaces[i] {
            surface.memory.clear();
        }
        let contact = &mut self.solver[i];
        contact.count = 0;
        contact.friction_impulse = Vec3::ZERO;
        contact.twist_impulse = 0.0;
        contact.rolling_impulse = Vec3::ZERO;
    }

    /// Marks a contact as worth looking at in every step, or not.
    pub(crate) fn set_awake(&mut self, id: u32, awake: bool) {
        let state = &mut self.states[id as usize];
        if state.awake != awake {
            state.awake = awake;
            let count = &mut self.awake_in_chunk[id as usize / CHUNK];
            if awake {
                *count += 1;
            } else {
                *count -= 1;
                self.guards[id as usize] = Guard::NONE;
            }
        }
    }

    /// The contacts of a body, each with the side the body is on; see [`Self::hang_in`].
    pub(crate) fn of_body<'a>(
        &'a self,
        body: &BodyRecord,
    ) -> impl Iterator<Item = (u32, usize)> + use<'a> {
        let mut at = body.first_contact;
        std::iter::from_fn(move || {
            if at == NONE {
                return None;
            }
            let (id, side) = (at >> 1, (at & 1) as usize);
            at = self.links[id as usize].next[side];
            Some((id, side))
        })
    }

    /// Notes the contacts that are found. All lists are followed at once: the next of one lies far
    /// away as a rule, and so none is waited for alone.
    pub(crate) fn find_all(&self, mut sought: &mut [Sought], found: &mut [u32]) {
        while !sought.is_empty() {
            let mut count = 0;
            for i in 0..sought.len() {
                let Sought { shapes, at, place } = sought[i];
                if at == NONE {
                    continue;
                }
                let (id, side) = (at >> 1, (at & 1) as usize);
                let links = &self.links[id as usize];
                if links.shapes == shapes && !self.states[id as usize].is_part {
                    found[place] = id;
                    continue;
                }
                sought[count] = Sought {
                    at: links.next[side],
                    ..sought[i]
                };
                count += 1;
            }
            sought = &mut sought[..count];
        }
    }

    /// Contacts with bodies that nothing pushes come first, in either part the newest.
    fn hang_in(&mut self, bodies: &mut [BodyRecord], id: u32, side: usize) {
        let owners = self.links[id as usize].bodies;
        let other = bodies[owners[1 - side] as usize].kind;
        let body = &mut bodies[owners[side] as usize];
        let edge = id << 1 | side as u32;
        let leads = other != BodyKind::Dynamic;
        let prev = if leads { NONE } else { body.last_unpushed };
        let next = if prev == NONE {
            std::mem::replace(&mut body.first_contact, edge)
        } else {
            let before = &mut self.links[(prev >> 1) as usize].next[(prev & 1) as usize];
            std::mem::replace(before, edge)
        };
        if next != NONE {
            self.links[(next >> 1) as usize].prev[(next & 1) as usize] = edge;
        }
        self.links[id as usize].next[side] = next;
        self.links[id as usize].prev[side] = prev;
        if leads && body.last_unpushed == NONE {
            body.last_unpushed = edge;
        }
        body.contact_count += 1;
        body.standing_count += u32::from(other == BodyKind::Static);
        if other == BodyKind::Kinematic {
            let driver = owners[1 - side];
            let is_only = body.driven_count == 0 || body.driver == driver;
            body.driver = if is_only { driver } else { NONE };
            body.driven_count += 1;
        }
    }

    fn take_out(&mut self, bodies: &mut [BodyRecord], id: u32, side: usize) {
        let links = self.links[id as usize];
        let other = bodies[links.bodies[1 - side] as usize].kind;
        let body = &mut bodies[links.bodies[side] as usize];
        let (next, prev) = (links.next[side], links.prev[side]);
        if prev == NONE {
            body.first_contact = next;
        } else {
            self.links[(prev >> 1) as usize].next[(prev & 1) as usize] = next;
        }
        if next != NONE {
            self.links[(next >> 1) as usize].prev[(next & 1) as usize] = prev;
        }
        if body.last_unpushed == id << 1 | side as u32 {
            body.last_unpushed = prev;
        }
        body.contact_count -= 1;
        body.standing_count -= u32::from(other == BodyKind::Static);
        body.driven_count -= u32::from(other == BodyKind::Kinematic);
    }
}
