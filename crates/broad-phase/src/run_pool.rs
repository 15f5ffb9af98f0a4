//! Many short arrays in one: runs of entries whose capacities are powers of two.
//!
//! A freed run goes on the free list of its capacity, so a steady coming and going of
//! entries allocates nothing.

use serde::{Deserialize, Serialize};

/// Bits of a run's length; the rest of the word holds its class. A run has fewer than 2^27
/// entries.
const LEN_BITS: u32 = 27;

/// One short array of a [`RunPool`], in eight bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Run {
    start: u32,
    /// The length below `LEN_BITS`; above, the class: 0 without storage, else 1 + the power
    /// of two of the capacity.
    packed: u32,
}

impl Run {
    /// Without entries.
    pub(crate) const EMPTY: Self = Self {
        start: 0,
        packed: 0,
    };

    /// Without entries, and told apart from every run that is in use or was.
    pub(crate) const MARK: Self = Self {
        start: 0,
        packed: u32::MAX << LEN_BITS,
    };

    fn new(start: u32, len: usize, class: usize) -> Self {
        Self {
            start,
            packed: len as u32 | (class as u32) << LEN_BITS,
        }
    }

    /// The number of entries.
    pub(crate) fn len(&self) -> usize {
        (self.packed & ((1 << LEN_BITS) - 1)) as usize
    }

    /// Where it begins in its pool.
    pub(crate) fn first(&self) -> u32 {
        self.start
    }

    /// Whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether one entry more takes other storage.
    pub(crate) fn is_full(&self) -> bool {
        self.len() == self.capacity()
    }

    fn class(&self) -> usize {
        (self.packed >> LEN_BITS) as usize
    }

    fn capacity(&self) -> usize {
        (1 << self.class()) >> 1
    }

    fn set_len(&mut self, len: usize) {
        *self = Self::new(self.start, len, self.class());
    }
}

/// The storage of many runs.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct RunPool<T> {
    entries: Vec<T>,
    free: Vec<Vec<u32>>,
}

impl<T: Copy + Default> RunPool<T> {
    /// Memory held, in bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        let free: usize = self.free.iter().map(Vec::capacity).sum();
        self.entries.capacity() * size_of::<T>() + free * size_of::<u32>()
    }

    /// The entries of a run.
    pub(crate) fn get(&self, run: &Run) -> &[T] {
        let start = run.start as usize;
        &self.entries[start..start + run.len()]
    }

    /// The entries of a run of at most eight and what happens to follow them, if anything does.
    #[inline(always)]
    pub(crate) fn window(&self, run: &Run) -> Option<&[T; 8]> {
        let entries = self.entries.get(run.start as usize..)?;
        entries.first_chunk().filter(|_| run.len() <= 8)
    }

    /// All entries from one on, of its run and what happens to follow them.
    #[inline(always)]
    pub(crate) fn entries_from(&self, first: u32) -> &[T] {
        &self.entries[first as usize..]
    }

    /// The storage of a run in blocks of eight, its last entries followed by old ones, in a run
    /// whose capacity is that much.
    #[inline(always)]
    pub(crate) fn blocks(&self, run: &Run) -> &[[T; 8]] {
        let start = run.start as usize;
        self.entries[start..start + run.capacity()].as_chunks().0
    }

    /// The entries of a run.
    pub(crate) fn get_mut(&mut self, run: &Run) -> &mut [T] {
        let start = run.start as usize;
        &mut self.entries[start..start + run.len()]
    }

    /// Adds an entry at the end.
    pub(crate) fn push(&mut self, run: &mut Run, entry: T) {
        if run.is_full() {
            self.grow(run, run.len() + 1);
        }
        self.entries[run.start as usize + run.len()] = entry;
        run.set_len(run.len() + 1);
    }

    /// Makes room for `more` entries at the end.
    pub(crate) fn reserve(&mut self, run: &mut Run, more: usize) {
        if run.len() + more > run.capacity() {
            self.grow(run, run.len() + more);
        }
    }

    /// Takes out the entry at `index`; the last one takes its place.
    pub(crate) fn swap_remove(&mut self, run: &mut Run, index: usize) {
        let entries = self.get_mut(run);
        entries[index] = entries[entries.len() - 1];
        self.pop(run);
    }

    /// Replaces all entries of a run.
    pub(crate) fn assign(&mut self, run: &mut Run, entries: &[T]) {
        if entries.is_empty() {
            self.release(run);
            return;
        }
        if entries.len() > run.capacity() {
            run.set_len(0);
            self.grow(run, entries.len());
        }
        run.set_len(entries.len());
        self.get_mut(run).copy_from_slice(entries);
    }

    /// Gives a run's storage back and empties it.
    pub(crate) fn release(&mut self, run: &mut Run) {
        if run.class() > 0 {
            self.free[run.class()].push(run.start);
        }
        *run = Run::default();
    }

    fn pop(&mut self, run: &mut Run) {
        run.set_len(run.len() - 1);
        if run.is_empty() {
            self.release(run);
        }
    }

    /// Moves a run to storage for at least `count` entries.
    fn grow(&mut self, run: &mut Run, count: usize) {
        assert!(count < 1 << LEN_BITS, "a run has fewer than 2^27 entries");
        let class = 1 + count.next_power_of_two().trailing_zeros() as usize;
        if self.free.len() <= class {
            self.free.resize_with(class + 1, Vec::new);
        }
        let start = self.free[class].pop().unwrap_or_else(|| {
            let start = u32::try_from(self.entries.len());
            self.entries
                .resize(self.entries.len() + (1 << (class - 1)), T::default());
            start.expect("a run pool holds fewer than 2^32 entries")
        });
        let from = run.start as usize;
        self.entries
            .copy_within(from..from + run.len(), start as usize);
        if run.class() > 0 {
            self.free[run.class()].push(run.start);
        }
        *run = Run::new(start, run.len(), class);
    }
}
