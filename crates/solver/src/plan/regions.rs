//! Where constraints are, so that each worker gets those of one part of the world.
//!
//! Contacts come and go, so a colour lists them in no order. Cut as they are listed, half of what
//! a worker reads of bodies was last written by another, and comes from the cache of that one. So
//! the contacts of a colour are put in order by the region they are in, and so are its blocks: the
//! stretch of a worker is then about the same part of the world in every colour. The order within
//! a colour is a matter of cost, never of the result, and a worker that is alone needs none.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use drystone_geometry::Workers;
use drystone_geometry::curve::interleaved;
use drystone_geometry::glam::DVec3;
use drystone_geometry::lanes::LANES;

use super::{Block, Plan, Span};
use crate::body::Body;
use crate::contact::Contact;
use crate::contact::bundle::Lot;
use crate::contact::prepare::Scene;
use crate::tolerance::{BUNDLES_PER_BLOCK, LOOKS_PER_MICROSECOND, REGION_STEPS, REGIONS};

/// The region of what has none: of bodies that are not pushed.
const NOWHERE: u8 = u8::MAX;

const _: () = assert!(REGIONS <= NOWHERE as usize);

/// Bits of each coordinate of a place on the curve.
const PLACE_BITS: u32 = 10;

/// Coordinates reach so far, as a ratio of the mean distance from the middle.
const EXTENT_RATIO: f64 = 4.0;

/// Regions hold equally many bodies each, and follow each other along a curve through space.
#[derive(Debug, Default)]
pub(super) struct Regions {
    /// By slot.
    of_slot: Vec<u8>,
    /// Steps since they were computed: bodies do not get far in a few.
    age: u32,
    /// Stretches of [`Plan::order`] that are put in order.
    stretches: Vec<Stretch>,
    /// How many of them there are; the rest keep their memory.
    used: usize,
    /// Regions of blocks, and these.
    keys: Vec<(u8, Block)>,
}

/// Contacts of one colour and one number of points, in the order of their regions.
#[derive(Debug, Default)]
struct Stretch {
    /// In [`Plan::order`], and the end.
    range: [usize; 2],
    ids: Vec<u32>,
    regions: Vec<u8>,
}

impl Plan {
    /// Puts contacts and blocks in order by their regions, where workers share them.
    pub(super) fn gather(&mut self, workers: &Workers, scene: Scene<'_>) {
        let regions = &mut self.regions;
        let used = regions.used;
        let mut stretches = std::mem::take(&mut regions.stretches);
        let contacts = stretches[..used].iter().map(Stretch::len).sum::<usize>();
        let workers = workers.worth(contacts / LOOKS_PER_MICROSECOND);
        if workers.count() > 1 {
            regions.renew(scene.bodies);
            let (regions, order) = (&self.regions, &self.order);
            workers.for_each(stretches[..used].iter_mut(), |_, stretch| {
                let [start, end] = stretch.range;
                stretch.sort(&order[start..end], regions, scene);
            });
            for stretch in &stretches[..used] {
                let [start, end] = stretch.range;
                self.order[start..end].copy_from_slice(&stretch.ids);
            }
        }
        self.regions.stretches = stretches;
        self.regions.used = 0;
        self.prepared.clone_from(&self.blocks);
        if workers.count() > 1 {
            self.gather_blocks(scene);
        }
    }

    /// Puts the blocks of each span that workers share in order, and those that are prepared.
    fn gather_blocks(&mut self, scene: Scene<'_>) {
        let mut keys = std::mem::take(&mut self.regions.keys);
        keys.clear();
        for span in 0..self.spans.len() {
            let Span { blocks, is_serial } = self.spans[span];
            let [start, end] = blocks.map(|block| block as usize);
            for at in start..end {
                let block = self.blocks[at];
                // Joints have been where they are since they came.
                let share = (at - start) * REGIONS / (end - start);
                let region = self.middle_of(block).map_or(share as u8, |id| {
                    let contact = &scene.contacts[id as usize];
                    self.regions.of_contact(scene, contact)
                });
                keys.push((region, block));
            }
            if !is_serial {
                keys[start..].sort_by_key(|(region, _)| *region);
            }
        }
        let blocks = self.blocks.iter_mut().zip(&keys);
        blocks.for_each(|(block, (_, sorted))| *block = *sorted);
        keys.sort_by_key(|(region, _)| *region);
        let prepared = self.prepared.iter_mut().zip(&keys);
        prepared.for_each(|(block, (_, sorted))| *block = *sorted);
        self.regions.keys = keys;
    }

    /// The contact in the middle of a block; `None` if it is one of joints.
    fn middle_of(&mut self, block: Block) -> Option<u32> {
        let source = match block {
            Block::Ones(lot) => &source_of(&mut self.lots1[lot as usize]),
            Block::Twos(lot) => &source_of(&mut self.lots2[lot as usize]),
            Block::Fours(lot) => &source_of(&mut self.lots4[lot as usize]),
            Block::Joints(_) | Block::Points(_) | Block::Trees(_) => return None,
        };
        self.order.get(source.start.midpoint(source.end)).copied()
    }
}

/// Where the contacts of a lot are in the order.
fn source_of<const N: usize, const C: usize>(lot: &mut Mutex<Lot<N, C>>) -> Range<usize> {
    let lot = lot.get_mut().unwrap_or_else(PoisonError::into_inner);
    lot.source.clone()
}

impl Regions {
    /// Notes that the contacts of one colour and one number of points are here in the order. What
    /// is no more than a block is left as it is.
    pub(super) fn note(&mut self, range: Range<usize>) {
        if range.len() <= LANES * BUNDLES_PER_BLOCK {
            return;
        }
        if self.used == self.stretches.len() {
            self.stretches.push(Stretch::default());
        }
        self.stretches[self.used].range = [range.start, range.end];
        self.used += 1;
    }

    /// Brings the regions up to date, unless they are new enough.
    fn renew(&mut self, bodies: &[Body]) {
        self.age += 1;
        let is_new = !self.of_slot.is_empty() && self.age < REGION_STEPS;
        if is_new && bodies.len() <= 2 * self.of_slot.len() {
            // Bodies that came in the meantime may be anywhere.
            self.of_slot
                .resize(bodies.len().max(self.of_slot.len()), NOWHERE);
            return;
        }
        self.age = 0;
        // Bodies are far from each other in memory: each is looked at once.
        let centers: Vec<DVec3> = bodies.iter().map(|body| body.center).collect();
        let count = centers.len() as f64;
        let middle = centers.iter().sum::<DVec3>() / count;
        let away = centers.iter().map(|center| (center - middle).abs());
        let extent = EXTENT_RATIO * (away.sum::<DVec3>() / count).max_element();
        let half = f64::from(1 << (PLACE_BITS - 1));
        let scale = half / extent.max(f64::MIN_POSITIVE);
        let place = |center: &DVec3| {
            let cell = (center - middle) * scale + half;
            // Conversions keep to the range, and what is not a number is 0.
            let cell = cell.min(DVec3::splat(2.0 * half - 1.0));
            interleaved([cell.x as u16, cell.y as u16, cell.z as u16].map(i32::from))
        };
        let places = centers.iter().map(place).zip(0..);
        let mut order: Vec<u64> = places.map(|(place, slot)| place << 32 | slot).collect();
        order.sort_unstable();
        self.of_slot.resize(bodies.len(), NOWHERE);
        for (rank, key) in order.into_iter().enumerate() {
            let slot = key as u32 as usize;
            let region = (rank * REGIONS / bodies.len()) as u8;
            let is_pushed = bodies[slot].is_dynamic();
            self.of_slot[slot] = if is_pushed { region } else { NOWHERE };
        }
    }

    /// The region of a contact, as one of its bodies is in it.
    fn of_contact(&self, scene: Scene<'_>, contact: &Contact) -> u8 {
        let of = |body: u32| {
            let slot = scene.table.awake_slot(body);
            slot.map_or(NOWHERE, |slot| self.of_slot[slot])
        };
        let region = of(contact.body_a);
        if region == NOWHERE {
            of(contact.body_b)
        } else {
            region
        }
    }
}

impl Stretch {
    fn len(&self) -> usize {
        self.range[1] - self.range[0]
    }

    /// Puts some of the order in the order of regions; those of one keep theirs.
    fn sort(&mut self, order: &[u32], regions: &Regions, scene: Scene<'_>) {
        let mut next = [0_u32; NOWHERE as usize + 1];
        self.regions.clear();
        for &id in order {
            let region = regions.of_contact(scene, &scene.contacts[id as usize]);
            next[region as usize] += 1;
            self.regions.push(region);
        }
        let mut total = 0;
        for next in &mut next {
            total += std::mem::replace(next, total);
        }
        self.ids.clear();
        self.ids.resize(order.len(), 0);
        for (&id, &region) in order.iter().zip(&self.regions) {
            let next = &mut next[region as usize];
            self.ids[*next as usize] = id;
            *next += 1;
        }
    }
}
