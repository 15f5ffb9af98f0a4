//! Contacts that bodies of trees rest on, as contacts and trees tell each other of them.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use drystone_geometry::glam::Vec3;

use crate::body_rows::READ_ONLY;
use crate::tolerance::MOST_RESTS;

/// A point of a contact with something that nothing pushes, as it acts on the body that is pushed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Rest {
    /// Unit, the way the body is pushed.
    pub(crate) normal: Vec3,
    /// From the body's centre times the normal, in metres.
    pub(crate) about: Vec3,
    /// In metres.
    pub(crate) separation: f32,
    /// Speed along the normal at which the body keeps its distance, in m/s.
    pub(crate) speed: f32,
    /// Impulse so far, in N s.
    pub(crate) impulse: f32,
    /// How much it gives way, of what the body would alone; a ratio.
    pub(crate) give: f32,
}

/// Words of a rest: those of [`Rest`], and whether it acts.
const WORDS: usize = 11;
const IMPULSE: usize = 8;
const ACTS: usize = 9;
const GIVE: usize = 10;

/// The rests of a body.
type Words = [[AtomicU32; WORDS]; MOST_RESTS];

/// The rests of all bodies. Contacts of one colour push no body twice, and trees share none, so each row
/// has one writer at a time.
#[derive(Debug, Default)]
pub(crate) struct RestRows {
    /// By row; empty between sub-steps.
    counts: Vec<AtomicU32>,
    words: Vec<Words>,
    /// Whether there was a rest in this step.
    any: AtomicBool,
}

impl RestRows {
    /// Makes room for so many rows.
    pub(crate) fn resize(&mut self, length: usize) {
        self.counts.resize_with(length, AtomicU32::default);
        self.words.resize_with(length, Words::default);
        *self.any.get_mut() = false;
    }

    /// Whether there was a rest in this step.
    pub(crate) fn any(&self) -> bool {
        self.any.load(Ordering::Relaxed)
    }

    /// Rests of a body; a count.
    pub(crate) fn count(&self, row: u32) -> usize {
        if row & READ_ONLY != 0 {
            return 0;
        }
        self.counts[row as usize].load(Ordering::Relaxed) as usize
    }

    /// Takes all rests from a body; their impulses stay.
    pub(crate) fn clear(&self, row: u32) {
        self.counts[row as usize].store(0, Ordering::Relaxed);
    }

    /// Gives a body one more rest.
    pub(crate) fn push(&self, row: u32, rest: &Rest) {
        let place = self.count(row);
        self.counts[row as usize].store(place as u32 + 1, Ordering::Relaxed);
        self.any.store(true, Ordering::Relaxed);
        let Rest { normal, about, .. } = rest;
        let values = [
            normal.x,
            normal.y,
            normal.z,
            about.x,
            about.y,
            about.z,
            rest.separation,
            rest.speed,
            rest.impulse,
            1.0,
            rest.give,
        ];
        for (word, value) in self.words[row as usize][place].iter().zip(values) {
            word.store(value.to_bits(), Ordering::Relaxed);
        }
    }

    /// A rest of a body.
    pub(crate) fn get(&self, row: u32, place: usize) -> Rest {
        let words = &self.words[row as usize][place];
        let at = |i: usize| f32::from_bits(words[i].load(Ordering::Relaxed));
        Rest {
            normal: Vec3::new(at(0), at(1), at(2)),
            about: Vec3::new(at(3), at(4), at(5)),
            separation: at(6),
            speed: at(7),
            impulse: at(IMPULSE),
            give: at(GIVE),
        }
    }

    /// What a rest has done, and whether it acts.
    pub(crate) fn done(&self, row: u32, place: usize) -> (f32, bool) {
        let words = &self.words[row as usize][place];
        let at = |i: usize| f32::from_bits(words[i].load(Ordering::Relaxed));
        (at(IMPULSE), at(ACTS) > 0.0)
    }

    /// Replaces it.
    pub(crate) fn set_done(&self, row: u32, place: usize, impulse: f32, acts: f32) {
        let words = &self.words[row as usize][place];
        words[IMPULSE].store(impulse.to_bits(), Ordering::Relaxed);
        words[ACTS].store(acts.to_bits(), Ordering::Relaxed);
    }
}
