//! Loads that bodies count with, and those that a sub-step asks for.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// A load of every row, which is not negative; 0 for none.
///
/// Bits of numbers, which are in the order of the numbers: so the largest of many does not depend on
/// who came first.
#[derive(Debug, Default)]
pub(crate) struct LoadRows {
    /// In this step.
    counted: Vec<AtomicU32>,
    /// What the sub-step asks for.
    asked: Vec<AtomicU32>,
    /// Whether any sub-step of this step asked for something.
    any: AtomicBool,
}

impl LoadRows {
    /// Makes room for so many rows, for none of which anything is asked.
    pub(super) fn resize(&mut self, length: usize) {
        self.counted.resize_with(length, AtomicU32::default);
        if std::mem::take(self.any.get_mut()) {
            self.asked.clear();
        }
        self.asked.resize_with(length, AtomicU32::default);
    }

    /// What a body counts with.
    pub(crate) fn counted(&self, row: u32) -> f32 {
        f32::from_bits(self.counted[row as usize].load(Ordering::Relaxed))
    }

    /// Replaces what a body counts with.
    pub(crate) fn set_counted(&self, row: u32, load: f32) {
        self.counted[row as usize].store(load.to_bits(), Ordering::Relaxed);
    }

    /// Asks for `load` at least.
    pub(crate) fn ask(&self, row: u32, load: f32) {
        self.asked[row as usize].fetch_max(load.to_bits(), Ordering::Relaxed);
        self.any.store(true, Ordering::Relaxed);
    }

    /// Asks for `load` more. No two workers may do so for one row at a time, nor in another order in
    /// another run.
    pub(crate) fn ask_more(&self, row: u32, load: f32) {
        let asked = &self.asked[row as usize];
        let sum = f32::from_bits(asked.load(Ordering::Relaxed)) + load;
        asked.store(sum.to_bits(), Ordering::Relaxed);
        self.any.store(true, Ordering::Relaxed);
    }

    /// Whether anything was asked for in this step.
    pub(crate) fn any_asked(&self) -> bool {
        self.any.load(Ordering::Relaxed)
    }

    /// What the last sub-step asked for; the next one asks anew.
    pub(crate) fn take_asked(&self, row: u32) -> f32 {
        f32::from_bits(self.asked[row as usize].swap(0, Ordering::Relaxed))
    }
}
