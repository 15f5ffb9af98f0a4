//! Stages: a list of small parallel loops run by the same workers without a fork and a
//! join in between.
//!
//! A sub-stepped solver passes a hundred borders a step (one per colour and sweep), and
//! each loop between two borders lasts a few microseconds. So the workers come once per
//! step and claim blocks from a shared cursor; the one that finishes the last block of a
//! stage opens the next. A stage is done when its blocks are done, with whichever workers
//! came: nobody is waited for who has not claimed a block, so a pool busy elsewhere
//! costs speed, never progress, and two worlds may share a pool.
//!
//! Every worker begins with a stretch of each stage that is its own: the constraints and bodies it
//! meets there are those of the pass before, and still in its cache. Once that is through it takes
//! from the stretches of others, so that nobody waits while there is work.
//!
//! Which worker runs which block is chance all the same. Results must not depend on it: a block's
//! size follows from the work, never from the number of workers, and a block writes only what no
//! other block of its stage reads or writes.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::ThreadId;

use drystone_geometry::Workers;

/// Looks at the cursor, with a pause between them, before a waiting worker yields its
/// core: some microseconds, the length of a typical stage.
const SPINS_BEFORE_YIELD: u32 = 200;

/// Times a waiting worker yields its core before it goes to sleep.
const YIELDS_BEFORE_PARK: u32 = 50;

/// Blocks of the widest stage for which one more worker is worth waking: a block lasts some
/// two microseconds, waking a thread more.
const BLOCKS_PER_HELPER: u64 = 4;

/// What a call of [`run_stages`] did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct StageCounters {
    /// Blocks that ran, all stages together.
    pub(crate) blocks: u64,
    /// Workers that ran at least one block. This one varies from run to run.
    pub(crate) workers: u32,
    /// Times a worker gave up spinning and yielding and slept. Varies from run to run.
    pub(crate) parks: u32,
}

/// Runs `work(stage, block)` for every block of every stage, stage after stage.
///
/// `block_counts[stage]` is the number of blocks of a stage; zero is fine. Within a stage
/// blocks run in any order and at the same time; all of a stage happens before any of
/// the next. The caller is one of the workers, the others come as they get free.
///
/// `work` must not wait for another block. When it panics, the
/// remaining blocks are given up and the panic goes on in the caller.
pub(crate) fn run_stages(
    workers: &Workers,
    block_counts: &[u32],
    work: impl Fn(usize, usize) + Sync,
) -> StageCounters {
    let blocks = block_counts.iter().map(|&count| u64::from(count)).sum();
    let helpers = worth_waking(block_counts).min(workers.count() - 1);
    if helpers == 0 {
        // Nobody to share a cursor with: small steps would pay more for it than for their work.
        for (stage, &count) in block_counts.iter().enumerate() {
            (0..count as usize).for_each(|block| work(stage, block));
        }
        return StageCounters {
            blocks,
            workers: u32::from(blocks > 0),
            parks: 0,
        };
    }
    let board = Board::new(block_counts, helpers + 1);
    workers.share(helpers, || board.take_part(&work));
    StageCounters {
        blocks,
        workers: board.active_workers.load(Ordering::Relaxed),
        parks: board.parks.load(Ordering::Relaxed),
    }
}

/// How many helpers have enough to do. Where most stages have but one block, a single wide one does
/// not pay for the borders of all.
fn worth_waking(block_counts: &[u32]) -> usize {
    let (mut stages, mut shared, mut widest) = (0_u64, 0, 0);
    for count in block_counts.iter().copied().map(u64::from) {
        stages += u64::from(count > 0);
        shared += count.saturating_sub(1);
        widest = widest.max(count);
    }
    (widest / BLOCKS_PER_HELPER).min(shared / stages.max(1)) as usize
}

/// Keeps what it holds on cache lines of its own: 128 bytes, since neighbouring lines
/// are fetched in pairs.
#[repr(align(128))]
struct OwnLine<T>(T);

/// What the workers of one run share.
struct Board<'a> {
    block_counts: &'a [u32],
    /// By stretch: the stage in the upper half, the next block to claim in the lower. Claims past
    /// the last block are harmless; there are at most as many of them as workers, since a worker
    /// that got one in every stretch waits for the stage to change before it claims again.
    cursors: Vec<OwnLine<AtomicU64>>,
    /// Blocks of the current stage that are finished, and one more once it is open everywhere:
    /// before that, the next one must not be opened.
    finished: OwnLine<AtomicU32>,
    /// The one that has the first stretch in every run.
    caller: ThreadId,
    /// Others that came.
    helpers: AtomicU32,
    /// Whether a block has panicked.
    abandoned: AtomicBool,
    /// Workers asleep at a border; changed under the lock of `border`.
    sleepers: OwnLine<AtomicU32>,
    border: Mutex<()>,
    opened: Condvar,
    active_workers: AtomicU32,
    parks: AtomicU32,
}

const fn pack(stage: usize, block: u32) -> u64 {
    ((stage as u64) << 32) | block as u64
}

const fn unpack(cursor: u64) -> (usize, u32) {
    ((cursor >> 32) as usize, cursor as u32)
}

impl<'a> Board<'a> {
    /// For so many `workers` at most.
    fn new(block_counts: &'a [u32], workers: usize) -> Self {
        let board = Self {
            block_counts,
            cursors: (0..workers).map(|_| OwnLine(AtomicU64::new(0))).collect(),
            finished: OwnLine(AtomicU32::new(0)),
            caller: std::thread::current().id(),
            helpers: AtomicU32::new(0),
            abandoned: AtomicBool::new(false),
            sleepers: OwnLine(AtomicU32::new(0)),
            border: Mutex::new(()),
            opened: Condvar::new(),
            active_workers: AtomicU32::new(0),
            parks: AtomicU32::new(0),
        };
        board.open(0);
        // The opening counts as well.
        board.finished.0.store(1, Ordering::Relaxed);
        board
    }

    /// The first block of a stretch of a stage, or the end of the stretch before.
    fn start(&self, stage: usize, stretch: usize) -> u32 {
        let count = self.block_counts.get(stage).map_or(0, |&count| count);
        (u64::from(count) * stretch as u64 / self.cursors.len() as u64) as u32
    }

    fn number_of_worker(&self) -> usize {
        if std::thread::current().id() == self.caller {
            return 0;
        }
        self.helpers.fetch_add(1, Ordering::Relaxed) as usize + 1
    }

    /// Claims and runs blocks until the last stage is over.
    fn take_part(&self, work: &(impl Fn(usize, usize) + Sync)) {
        let own = self.number_of_worker() % self.cursors.len();
        let mut active = false;
        let mut stage = self.stage_at(own);
        while stage < self.block_counts.len() {
            match self.claim(own) {
                Err((_, end)) if end == self.block_counts.len() => break,
                Err((stretch, over)) => stage = self.wait_for_change(stretch, over),
                Ok((claimed, block)) => {
                    stage = claimed;
                    if !active {
                        active = true;
                        self.active_workers.fetch_add(1, Ordering::Relaxed);
                    }
                    let abandon = AbandonOnPanic(self);
                    work(stage, block);
                    std::mem::forget(abandon);
                    self.finish(stage);
                }
            }
        }
    }

    /// The next block to run, of the worker's own stretch if one is left, and its stage. An error
    /// is the stage of which no block is left, and a stretch of it: the one that is opened last.
    fn claim(&self, own: usize) -> Result<(usize, usize), (usize, usize)> {
        let mut over = (own, usize::MAX);
        for step in 0..self.cursors.len() {
            let stretch = (own + step) % self.cursors.len();
            let cursor = &self.cursors[stretch].0;
            let is_left = |(stage, block): (usize, u32)| {
                stage < self.block_counts.len() && block < self.start(stage, stretch + 1)
            };
            // To look does not take the line from the others.
            let seen = unpack(cursor.load(Ordering::Acquire));
            if is_left(seen) {
                let claimed = unpack(cursor.fetch_add(1, Ordering::Acquire));
                if is_left(claimed) {
                    return Ok((claimed.0, claimed.1 as usize));
                }
            }
            if seen.0 < over.1 {
                over = (stretch, seen.0);
            }
        }
        Err(over)
    }

    /// Counts a block of a stage, and opens the next when it was the last one.
    fn finish(&self, mut stage: usize) {
        // Release: what this block wrote is seen by whoever opens the next stage;
        // acquire: the opener has seen all other blocks before it opens. An opening counts like a
        // block, after which all others may be finished already.
        while self.finished.0.fetch_add(1, Ordering::AcqRel) == self.block_counts[stage] {
            stage = self.open(stage + 1);
            if stage == self.block_counts.len() {
                return;
            }
        }
    }

    /// Opens the next stage from `stage` on that has a block, and says which. Only the worker that
    /// finished the stage before comes here, so nobody else changes the stage at the same time.
    fn open(&self, stage: usize) -> usize {
        let stage = next_stage(self.block_counts, stage);
        self.finished.0.store(0, Ordering::Relaxed);
        // Sequentially consistent, like the two accesses in `park`: either the sleeper sees the new
        // stage or this worker sees the sleeper. The same goes for a block that panics.
        for (stretch, cursor) in self.cursors.iter().enumerate() {
            let first = self.start(stage, stretch);
            cursor.0.store(pack(stage, first), Ordering::SeqCst);
        }
        if self.abandoned.load(Ordering::SeqCst) {
            self.close();
        }
        if self.sleepers.0.load(Ordering::SeqCst) > 0 {
            drop(self.lock_border());
            self.opened.notify_all();
        }
        stage
    }

    /// Opens nothing any more.
    fn close(&self) {
        for cursor in &self.cursors {
            cursor
                .0
                .store(pack(self.block_counts.len(), 0), Ordering::SeqCst);
        }
    }

    /// The stage that a stretch is open for.
    fn stage_at(&self, stretch: usize) -> usize {
        unpack(self.cursors[stretch].0.load(Ordering::SeqCst)).0
    }

    /// Returns the stage of a stretch once it is no longer `stage`: spins, yields, sleeps.
    fn wait_for_change(&self, stretch: usize, stage: usize) -> usize {
        for attempt in 0..SPINS_BEFORE_YIELD + YIELDS_BEFORE_PARK {
            let current = self.stage_at(stretch);
            if current != stage {
                return current;
            }
            if attempt < SPINS_BEFORE_YIELD {
                std::hint::spin_loop();
            } else {
                std::thread::yield_now();
            }
        }
        self.park(stretch, stage)
    }

    #[cold]
    fn park(&self, stretch: usize, stage: usize) -> usize {
        self.parks.fetch_add(1, Ordering::Relaxed);
        let mut guard = self.lock_border();
        self.sleepers.0.fetch_add(1, Ordering::SeqCst);
        let current = loop {
            let current = self.stage_at(stretch);
            if current != stage {
                break current;
            }
            guard = self
                .opened
                .wait(guard)
                .unwrap_or_else(PoisonError::into_inner);
        };
        self.sleepers.0.fetch_sub(1, Ordering::SeqCst);
        drop(guard);
        current
    }

    fn lock_border(&self) -> MutexGuard<'_, ()> {
        // The lock guards no data, so a poisoned one is as good as any.
        self.border.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// First stage from `stage` on that has a block, or the number of stages.
fn next_stage(block_counts: &[u32], mut stage: usize) -> usize {
    while block_counts.get(stage) == Some(&0) {
        stage += 1;
    }
    stage
}

/// Sends all workers home when the block it guards panics, since its stage would never
/// be finished.
struct AbandonOnPanic<'a, 'b>(&'a Board<'b>);

impl Drop for AbandonOnPanic<'_, '_> {
    fn drop(&mut self) {
        let board = self.0;
        board.abandoned.store(true, Ordering::SeqCst);
        board.close();
        drop(board.lock_border());
        board.opened.notify_all();
    }
}

/// A slice cut into blocks of equal length, each of which one worker at a time may
/// change.
///
/// The lock of a block is never waited for when every block of a stage is claimed once;
/// it costs a few nanoseconds and keeps the borrow checker content.
#[derive(Debug)]
pub(crate) struct Blocks<'a, T> {
    blocks: Vec<Mutex<&'a mut [T]>>,
    length: usize,
}

impl<'a, T> Blocks<'a, T> {
    /// Cuts `items` into blocks of `length` (at least one) items; the last may be shorter.
    pub(crate) fn new(items: &'a mut [T], length: usize) -> Self {
        let length = length.max(1);
        Self {
            blocks: items.chunks_mut(length).map(Mutex::new).collect(),
            length,
        }
    }

    /// Number of blocks.
    pub(crate) fn count(&self) -> u32 {
        self.blocks.len() as u32
    }

    /// Index of the first item of a block in the slice that was cut.
    pub(crate) fn start(&self, block: usize) -> usize {
        block * self.length
    }

    /// The items of a block, for the one worker that claimed it.
    pub(crate) fn lock(&self, block: usize) -> MutexGuard<'_, &'a mut [T]> {
        // A panic inside a block ends the whole run, so poison tells nothing new.
        self.blocks[block]
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::time::{Duration, Instant};

    use super::*;

    fn workers(count: usize) -> Workers {
        Workers::new(count).expect("threads for the test")
    }

    /// Runs stages of the given sizes and checks inside each block that all earlier stages
    /// are complete; afterwards each block must have run once. Known by counting.
    fn check_order(count: usize, block_counts: &[u32]) {
        let runs: Vec<Vec<AtomicU32>> = block_counts
            .iter()
            .map(|&count| (0..count).map(|_| AtomicU32::new(0)).collect())
            .collect();
        let counters = run_stages(&workers(count), block_counts, |stage, block| {
            if let Some(before) = stage.checked_sub(1) {
                for run in &runs[before] {
                    assert_eq!(run.load(Ordering::Relaxed), 1, "stage {stage}");
                }
            }
            runs[stage][block].fetch_add(1, Ordering::Relaxed);
        });
        for run in runs.iter().flatten() {
            assert_eq!(run.load(Ordering::Relaxed), 1);
        }
        let total: u64 = block_counts.iter().map(|&count| u64::from(count)).sum();
        assert_eq!(counters.blocks, total);
        assert!(counters.workers as usize <= count);
    }

    /// Stages from none to many blocks, empty ones at both ends and in the middle, for
    /// one worker, some, and far more than cores.
    #[test]
    fn every_block_runs_once_and_after_all_blocks_of_the_stage_before() {
        for count in [1, 2, 3, 8] {
            check_order(count, &[]);
            check_order(count, &[0, 0]);
            check_order(count, &[0, 5, 0, 0, 1, 17, 0, 2, 0]);
        }
        let many: Vec<u32> = (0..600).map(|stage| stage * 7 % 5).collect();
        check_order(8, &many);
    }

    /// Blocks that each wait (not for ever) for a second one to begin can only see it if
    /// two workers run at the same time.
    #[test]
    fn two_workers_really_share_a_stage() {
        let begun = AtomicU32::new(0);
        let met = AtomicU32::new(0);
        let counters = run_stages(&workers(2), &[4], |_, _| {
            begun.fetch_add(1, Ordering::SeqCst);
            let start = Instant::now();
            while start.elapsed() < Duration::from_secs(20) {
                if begun.load(Ordering::SeqCst) >= 2 {
                    met.fetch_add(1, Ordering::SeqCst);
                    break;
                }
                std::thread::yield_now();
            }
        });
        assert_eq!(met.into_inner(), 4);
        assert_eq!(counters.workers, 2);
    }

    /// By hand: a step of many bodies, one of a small heap that has many colours with a block each,
    /// and none at all.
    #[test]
    fn helpers_are_woken_where_stages_are_wide() {
        let heap = [[20, 0, 1].as_slice(), &[1; 20]].concat();
        assert_eq!(worth_waking(&[40, 80, 16, 12, 8, 16, 12, 8]), 20);
        assert_eq!(worth_waking(&[16, 24, 2, 1, 2, 1, 0, 2]), 5);
        assert_eq!(worth_waking(&heap), 0);
        assert_eq!(worth_waking(&[0, 3, 3]), 0);
    }

    /// Of two threads one is held until the last stage runs: the other must get there alone.
    #[test]
    fn stages_finish_when_the_other_worker_is_busy() {
        let workers = workers(2);
        let (calls, released) = (AtomicU32::new(0), AtomicU32::new(0));
        workers.share(1, || {
            if calls.fetch_add(1, Ordering::SeqCst) == 0 {
                let start = Instant::now();
                while released.load(Ordering::SeqCst) == 0 {
                    assert!(start.elapsed() < Duration::from_secs(20), "stages hang");
                    std::thread::yield_now();
                }
                return;
            }
            let counters = run_stages(&workers, &[4, 4, 4], |stage, _| {
                if stage == 2 {
                    released.store(1, Ordering::SeqCst);
                }
            });
            assert_eq!(counters.blocks, 12);
        });
        assert_eq!(released.into_inner(), 1);
    }

    /// A block that panics ends the run with that panic, whatever worker ran it and
    /// however many others wait at the border.
    #[test]
    fn a_panic_in_a_block_reaches_the_caller() {
        for count in [1, 2, 8] {
            let result = catch_unwind(AssertUnwindSafe(|| {
                run_stages(&workers(count), &[3, 9, 3], |stage, block| {
                    assert!(stage != 1 || block != 4, "the block of the test");
                })
            }));
            assert!(result.is_err(), "{count} workers");
        }
    }

    /// Blocks cover a slice without gap or overlap, the last one short.
    #[test]
    fn blocks_cut_a_slice_in_order() {
        let mut numbers: Vec<usize> = (0..10).collect();
        let blocks = Blocks::new(&mut numbers, 4);
        assert_eq!(blocks.count(), 3);
        for (block, expected) in [(0, 0..4), (1, 4..8), (2, 8..10)] {
            assert_eq!(blocks.start(block), expected.start);
            assert!(blocks.lock(block).iter().copied().eq(expected));
        }
    }
}
