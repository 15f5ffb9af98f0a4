//! Frames: the state of bodies and contacts at one time, stored as what changed.
//!
//! A key frame is stored against the catalogue's own poses, without contacts; any other
//! frame against the frame before. Both are the same code: a key frame first sets "what is
//! known" back. Records lie in columns, since like bytes compress better side by side:
//!
//! - head, of fixed size, so that plots need no decoding: key flag, time, energies, counts;
//! - bodies: gaps and masks, positions, rotations, the rest;
//! - contacts: gaps and masks, who, where, how hard.

use drystone::{BodyKind, World};

use super::catalog::Catalog;
use super::pack::{put_count, put_signed};
use super::state::{BodyState, ContactState};
use super::tolerance;

const POSITION: u8 = 1;
const ROTATION: u8 = 2;
const SPEED: u8 = 4;
const FLAGS: u8 = 8;
const ISLAND: u8 = 16;

const WHO: u8 = 1;
const WHERE: u8 = 2;
const IMPULSE: u8 = 4;
const ORIGIN: u8 = 8;
const GONE: u8 = 16;

/// Turns a world into frames, one after the other.
pub(super) struct Recorder {
    start: Vec<BodyState>,
    known: Vec<BodyState>,
    contacts: Vec<Option<ContactState>>,
    /// Frames since contacts were stored.
    contacts_age: u32,
    last_key: Option<f64>,
    with_contacts: bool,
    columns: Columns,
}

/// The columns of the frame being written.
#[derive(Default)]
struct Columns {
    bodies: [Vec<u8>; 4],
    contacts: [Vec<u8>; 4],
}

/// What a frame counts.
#[derive(Clone, Copy, Default)]
struct Counts {
    awake: u32,
    touching: u32,
    points: u32,
}

impl Recorder {
    /// A recorder that has seen nothing.
    pub(super) fn new(with_contacts: bool) -> Self {
        Self {
            start: Vec::new(),
            known: Vec::new(),
            contacts: Vec::new(),
            contacts_age: 0,
            last_key: None,
            with_contacts,
            columns: Columns::default(),
        }
    }

    /// Takes in bodies that the catalogue has just described. Those there before the first
    /// frame are present in every key frame unless it says otherwise; later ones are absent.
    pub(super) fn welcome(&mut self, world: &World, catalog: &Catalog) {
        let later = self.last_key.is_some();
        for key in &catalog.bodies[self.start.len()..] {
            let Ok(body) = world.body(*key) else { continue };
            let state = BodyState::of(&body, catalog).described();
            let state = if later { state.absent() } else { state };
            self.start.push(state);
            self.known.push(state);
        }
    }

    /// The next frame of `world`. `step_seconds` is what a step cost, or 0 where the result
    /// must not depend on the machine.
    pub(super) fn frame(&mut self, world: &World, catalog: &Catalog, step_seconds: f32) -> Vec<u8> {
        let time = world.time();
        let half_step = 0.5 * f64::from(world.settings().dt);
        let is_key = self
            .last_key
            .is_none_or(|last| time + half_step >= last + tolerance::KEY_FRAME_SECONDS);
        if is_key {
            self.last_key = Some(time);
            self.known.clone_from(&self.start);
            self.contacts.clear();
            self.contacts_age = u32::MAX;
        }
        self.columns.clear();
        let mut counts = Counts::default();
        self.put_bodies(world, catalog, &mut counts);
        self.put_contacts(world, catalog, &mut counts);

        let mut out = vec![u8::from(is_key)];
        let energy = world.energy();
        for value in [time, energy.kinetic, energy.potential] {
            out.extend_from_slice(&value.to_le_bytes());
        }
        let steps = world.step_count() as u32;
        for value in [counts.awake, counts.touching, counts.points, steps] {
            out.extend_from_slice(&value.to_le_bytes());
        }
        out.extend_from_slice(&step_seconds.to_le_bytes());
        self.columns.append_to(&mut out);
        out
    }

    /// Stores the bodies that changed.
    fn put_bodies(&mut self, world: &World, catalog: &Catalog, counts: &mut Counts) {
        let mut next = 0;
        for (number, key) in catalog.bodies.iter().enumerate() {
            let known = self.known[number];
            let state = match world.body(*key) {
                Ok(body) => {
                    let awake = body.is_awake() && body.kind() == BodyKind::Dynamic;
                    counts.awake += u32::from(awake);
                    BodyState::of(&body, catalog).settled(&known)
                }
                Err(_) => known.absent(),
            };
            if state == known {
                continue;
            }
            put_count(&mut self.columns.bodies[0], number as u32 - next);
            next = number as u32 + 1;
            self.columns.put_body(&known, &state);
            self.known[number] = state;
        }
    }

    /// Stores the contacts that changed and those that are gone, by rising number.
    fn put_contacts(&mut self, world: &World, catalog: &Catalog, counts: &mut Counts) {
        let touches: Vec<_> = world.contacts().collect();
        for touch in touches.iter().filter(|touch| touch.is_touching) {
            counts.touching += 1;
            counts.points += touch.points.len() as u32;
        }
        self.contacts_age = self.contacts_age.saturating_add(1);
        let spacing = (touches.len() as u32).div_ceil(tolerance::CONTACTS_PER_FRAME);
        if !self.with_contacts || self.contacts_age < spacing {
            return;
        }
        self.contacts_age = 0;
        let is_large = touches.len() > tolerance::EXACT_CONTACTS;
        let slack = if is_large {
            tolerance::IMPULSE_SLACK
        } else {
            0
        };
        let mut expected = 0;
        let mut next = 0;
        for touch in &touches {
            let number = touch.contact as usize;
            self.put_gone(expected..number, &mut next);
            expected = number + 1;
            if number >= self.contacts.len() {
                self.contacts.resize(number + 1, None);
            }
            let known = self.contacts[number];
            let state = ContactState::of(touch, world, catalog);
            let state = state.map(|state| state.settled(known.as_ref(), slack));
            match (known, state) {
                (None, None) => {}
                (Some(_), None) => self.put_gone(number..number + 1, &mut next),
                (known, Some(state)) => {
                    self.contacts[number] = Some(state);
                    self.columns
                        .put_contact(number as u32, &mut next, known.as_ref(), &state);
                }
            }
        }
        self.put_gone(expected..self.contacts.len(), &mut next);
    }

    /// Stores that whatever contacts are known in `numbers` are gone.
    fn put_gone(&mut self, numbers: std::ops::Range<usize>, next: &mut u32) {
        let end = numbers.end.min(self.contacts.len());
        for number in numbers.start..end {
            if self.contacts[number].take().is_some() {
                let column = &mut self.columns.contacts[0];
                put_count(column, number as u32 - *next);
                column.push(GONE);
                *next = number as u32 + 1;
            }
        }
    }
}

impl Columns {
    fn clear(&mut self) {
        for column in self.bodies.iter_mut().chain(&mut self.contacts) {
            column.clear();
        }
    }

    fn append_to(&self, out: &mut Vec<u8>) {
        for column in self.bodies.iter().chain(&self.contacts) {
            out.extend_from_slice(&(column.len() as u32).to_le_bytes());
        }
        for column in self.bodies.iter().chain(&self.contacts) {
            out.extend_from_slice(column);
        }
    }

    fn put_body(&mut self, known: &BodyState, state: &BodyState) {
        let [heads, positions, rotations, rest] = &mut self.bodies;
        let mut mask = 0;
        if state.position != known.position {
            mask |= POSITION;
            for axis in 0..3 {
                put_signed(
                    positions,
                    state.position[axis].wrapping_sub(known.position[axis]),
                );
            }
        }
        if state.rotation != known.rotation {
            mask |= ROTATION;
            for axis in 0..4 {
                put_signed(rotations, state.rotation[axis] - known.rotation[axis]);
            }
        }
        if (state.speed, state.spin) != (known.speed, known.spin) {
            mask |= SPEED;
            rest.extend([state.speed, state.spin]);
        }
        if state.flags != known.flags {
            mask |= FLAGS;
            rest.push(state.flags);
        }
        if state.island != known.island {
            mask |= ISLAND;
            put_count(rest, state.island);
        }
        heads.push(mask);
    }

    fn put_contact(
        &mut self,
        number: u32,
        next: &mut u32,
        known: Option<&ContactState>,
        state: &ContactState,
    ) {
        let [heads, who, places, impulses] = &mut self.contacts;
        let mut mask = 0;
        let before = known.copied().unwrap_or_default();
        if known.is_none_or(|known| (known.bodies, known.on_b) != (state.bodies, state.on_b)) {
            mask |= WHO;
            put_count(who, state.bodies[0]);
            put_count(who, state.bodies[1] << 1 | u32::from(state.on_b));
        }
        if (before.count, before.normal, before.points) != (state.count, state.normal, state.points)
        {
            mask |= WHERE;
            places.push(state.count);
            places.extend(state.normal.map(|component| component as i8 as u8));
            for point in &state.points[..usize::from(state.count)] {
                for component in point {
                    put_signed(places, *component);
                }
            }
        }
        if before.impulses != state.impulses {
            mask |= IMPULSE;
            impulses.extend(state.impulses);
        }
        if known.is_none() || (before.rung, before.colour) != (state.rung, state.colour) {
            mask |= ORIGIN;
            impulses.extend([state.rung, state.colour]);
        }
        if mask != 0 {
            put_count(heads, number - *next);
            heads.push(mask);
            *next = number + 1;
        }
    }
}
