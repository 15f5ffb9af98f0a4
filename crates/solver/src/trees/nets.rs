//! Which joints grow into trees, and which make up nets.
//!
//! Trusses, lifts and linkages have loops and yet are solved as trees, with the joints that close their loops if these
//! are few, else with these joint by joint: all joint by joint a truss of eight bays sank by a seventieth of its span
//! under its own weight at four sub-steps. Nets, in which each body hangs by several, hold well joint by joint, and
//! eight joints at a time that takes less.

use super::{End, NONE, TreeFinder};
use crate::joint::tree::Class;
use crate::tolerance::{MOST_CLOSING_ROWS, MOST_NET_BONDS, NET_LOOPS};

/// What a joint does that is solved best along the edges of a tree, and would else know its two bodies alone; the
/// joints of a bond of several share what they hold, and do so anyhow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rank {
    /// One direction, the least to close a loop with.
    Lines,
    /// Nothing but locks.
    #[default]
    Locks,
    /// What its axes say, which holds wherever it is.
    Guides,
    /// Stops.
    Stops,
    /// A motor, or a stiff spring.
    Drives,
}

impl Rank {
    /// From the highest.
    const ALL: [Self; 5] = [
        Self::Drives,
        Self::Stops,
        Self::Guides,
        Self::Locks,
        Self::Lines,
    ];

    pub(super) fn of(class: Class) -> Self {
        match class {
            Class::Driven | Class::Sprung | Class::Elastic => Self::Drives,
            Class::Stopped => Self::Stops,
            line if line.is_line() => Self::Lines,
            Class::Guide { .. } => Self::Guides,
            Class::Ball | Class::Hinge | Class::Weld => Self::Locks,
        }
    }

    /// Of a bond with one more joint, of another rank.
    pub(super) fn beside(self, other: Self) -> Self {
        if self == Self::Lines && other == Self::Lines {
            Self::Lines
        } else {
            Self::Locks
        }
    }
}

impl TreeFinder {
    /// Chooses which bonds between the bodies that hang together with `slot` grow into trees, those of the
    /// highest rank first.
    pub(super) fn choose(&mut self, ends: &[End], slot: u32) {
        self.queue.clear();
        self.queue.push(slot);
        self.known[slot as usize] = true;
        let (mut next, mut between) = (0, 0);
        while let Some(&slot) = self.queue.get(next) {
            next += 1;
            let mut held = 0;
            for place in self.starts[slot as usize]..self.starts[slot as usize + 1] {
                let bond = self.at[place as usize];
                let other = self.other(bond, slot);
                if other == NONE {
                    self.bonds[bond as usize].grows = true;
                    continue;
                }
                held += 1;
                between += 1;
                if !self.known[other as usize] {
                    self.known[other as usize] = true;
                    self.queue.push(other);
                }
            }
            self.held[slot as usize] = held;
        }
        for rank in Rank::ALL {
            self.join_all(rank);
        }
        // Every bond was seen from both sides.
        let loops = between / 2 - (self.queue.len() - 1);
        let most = NET_LOOPS * self.queue.len() as f64;
        if loops as f64 <= most {
            if loops > 0 {
                self.close();
            }
        } else if self.is_net_of_lines(most) {
            self.close_others();
        } else {
            self.strip(Rank::Drives);
            self.note_net(ends);
        }
    }

    /// Whether other joints connect most bodies in the queue, with so many loops at most, and it is distances that make
    /// a net of them.
    fn is_net_of_lines(&self, most_loops: f64) -> bool {
        let bonds = self.queue.iter().flat_map(|&slot| self.bonds_of(slot));
        let bonds = bonds.map(|&bond| &self.bonds[bond as usize]);
        let (mut others, mut loops) = (0, 0);
        for bond in bonds.filter(|bond| bond.slots[1] != NONE && bond.rank != Rank::Lines) {
            others += 1;
            loops += u32::from(!bond.grows);
        }
        // Every bond is seen from both sides.
        others > self.queue.len() && f64::from(loops) <= 2.0 * most_loops
    }

    /// Has bonds of a rank between the bodies in the queue grow where nothing connects their bodies so far.
    fn join_all(&mut self, rank: Rank) {
        for index in 0..self.queue.len() {
            let slot = self.queue[index] as usize;
            for place in self.starts[slot]..self.starts[slot + 1] {
                let bond = self.at[place as usize];
                if self.bonds[bond as usize].rank == rank {
                    self.join(bond);
                }
            }
        }
    }

    /// Has a bond grow if nothing connects its bodies so far.
    fn join(&mut self, bond: u32) {
        let [a, b] = self.bonds[bond as usize].slots;
        if b == NONE {
            return;
        }
        let (a, b) = (self.find_joined(a), self.find_joined(b));
        if a != b {
            self.joined[a.max(b) as usize] = a.min(b);
            self.bonds[bond as usize].grows = true;
        }
    }

    /// The body that stands for all that is connected to `slot` so far.
    fn find_joined(&mut self, mut slot: u32) -> u32 {
        while self.joined[slot as usize] != slot {
            // What stands for another is set one further.
            let next = self.joined[slot as usize];
            self.joined[slot as usize] = self.joined[next as usize];
            slot = next;
        }
        slot
    }

    /// Has what closes loops between the bodies in the queue solved with their tree, unless that is too much.
    fn close(&mut self) {
        if self.closing_rows(Rank::Lines) <= MOST_CLOSING_ROWS {
            self.close_from(Rank::Lines);
        } else {
            self.close_others();
        }
    }

    /// The same where distances are solved joint by joint: what else is has to agree with those that hold it, and what
    /// hangs on these.
    fn close_others(&mut self) {
        self.strip(Rank::Lines);
        if self.closing_rows(Rank::Locks) <= MOST_CLOSING_ROWS {
            self.close_from(Rank::Locks);
        }
    }

    /// The directions that bonds from a rank on lock which have not grown.
    fn closing_rows(&self, least: Rank) -> u32 {
        let bonds = self.queue.iter().flat_map(|&slot| self.bonds_of(slot));
        let bonds = bonds.map(|&bond| &self.bonds[bond as usize]);
        let closings = bonds.filter(|bond| !bond.grows && bond.rank >= least);
        let rows: u32 = closings.map(|bond| bond.rows).sum();
        // Every bond is seen from both sides.
        rows / 2
    }

    /// Has bonds from a rank on close the loops of the tree if they have not grown.
    fn close_from(&mut self, least: Rank) {
        for index in 0..self.queue.len() {
            let slot = self.queue[index] as usize;
            for place in self.starts[slot]..self.starts[slot + 1] {
                let bond = &mut self.bonds[self.at[place as usize] as usize];
                bond.closes = !bond.grows && bond.rank >= least;
            }
        }
    }

    /// Notes which joints of the bodies in the queue are those of a net, unless one of these bodies has
    /// many.
    fn note_net(&mut self, ends: &[End]) {
        let mut slots = self.queue.iter();
        if slots.any(|&slot| self.bonds_of(slot).len() > MOST_NET_BONDS) {
            return;
        }
        for &slot in &self.queue {
            let slot = slot as usize;
            for &bond in &self.at[self.starts[slot] as usize..self.starts[slot + 1] as usize] {
                let [first, end] = self.bonds[bond as usize].ends;
                for &index in &self.sorted[first as usize..end as usize] {
                    self.nets[ends[index as usize].id as usize] = true;
                }
            }
        }
    }

    /// Leaves of the bonds of the bodies in the queue, up to a rank, only those of trees that hang on the rest.
    fn strip(&mut self, most: Rank) {
        for index in 0..self.queue.len() {
            let slot = self.queue[index];
            for place in self.starts[slot as usize]..self.starts[slot as usize + 1] {
                let bond = &mut self.bonds[self.at[place as usize] as usize];
                bond.grows &= bond.rank > most;
            }
        }
        let count = self.queue.len();
        for index in 0..count {
            let mut leaf = self.queue[index];
            // From a leaf inwards, as long as what comes is a leaf by then.
            while self.held[leaf as usize] == 1 {
                self.held[leaf as usize] = 0;
                let mut inner = NONE;
                for place in self.starts[leaf as usize]..self.starts[leaf as usize + 1] {
                    let bond = self.at[place as usize];
                    let other = self.other(bond, leaf);
                    if other == NONE {
                        self.bonds[bond as usize].grows = true;
                    } else if self.held[other as usize] > 0 {
                        self.bonds[bond as usize].grows = true;
                        inner = other;
                    }
                }
                if inner == NONE {
                    break;
                }
                self.held[inner as usize] -= 1;
                leaf = inner;
            }
        }
    }
}
