//! Threads that share work with the caller.
//!
//! The caller always works itself, so one worker means no thread, no pool and no switch
//! between threads, and work that helpers have not begun is done without them. Which worker
//! does what is chance: results must land at the index of their input.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

/// Items for which one more worker is worth waking; a count. Items of the step take a
/// microsecond or more, waking a thread takes some.
const ITEMS_PER_HELPER: usize = 4;

/// Microseconds of work for which one more worker is worth waking, where it is known: what waking
/// one takes whose core has gone to rest.
const WAKING: usize = 16;

/// How long a helper stays awake for more work: as long as a step has none for it, mostly.
const LINGERING: Duration = Duration::from_micros(100);

/// Pauses between looks at the clock, each some tens of nanoseconds.
const LOOKS_AT_ONCE: usize = 4;

/// The caller and its helpers. Clones share the helpers' threads.
#[derive(Clone, Debug)]
pub struct Workers {
    /// None without helpers.
    pool: Option<Pool>,
    helpers: usize,
    /// Hardware threads. Kept, since asking the system takes longer than a small step.
    cores: usize,
}

/// The threads of the helpers.
#[derive(Clone, Debug)]
struct Pool {
    threads: Arc<ThreadPool>,
    /// How often work was shared; see [`linger`].
    shared: Arc<AtomicUsize>,
}

impl Default for Workers {
    fn default() -> Self {
        Self::ALONE
    }
}

impl Workers {
    /// The caller alone.
    pub const ALONE: Self = Self {
        pool: None,
        helpers: 0,
        cores: 1,
    };

    /// The caller and helpers, `count` in all; 0 means one per core.
    ///
    /// Fails when the system refuses to start a thread.
    pub fn new(count: usize) -> Result<Self, ThreadPoolBuildError> {
        let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
        let count = if count == 0 { cores } else { count };
        let helpers = count - 1;
        if helpers == 0 {
            return Ok(Self::ALONE);
        }
        let threads = ThreadPoolBuilder::new().num_threads(helpers).build()?;
        Ok(Self {
            pool: Some(Pool {
                threads: Arc::new(threads),
                shared: Arc::default(),
            }),
            helpers,
            cores,
        })
    }

    /// As many of these as the machine has cores for. For work whose workers wait for each
    /// other: one without a core only delays the rest.
    pub fn with_cores(&self) -> Self {
        Self {
            helpers: self.helpers.min(self.cores - 1),
            ..self.clone()
        }
    }

    /// As many of these as are worth waking for so many microseconds of work. For items that take
    /// much less than one each.
    pub fn worth(&self, microseconds: usize) -> Self {
        Self {
            helpers: self.helpers.min(microseconds / WAKING),
            ..self.clone()
        }
    }

    /// The caller and all helpers.
    pub fn count(&self) -> usize {
        self.helpers + 1
    }

    /// Calls `work` on the caller's thread and, at the same time, on those of at most
    /// `helpers` helpers. Returns when all calls have. A panic in one goes on in the caller.
    ///
    /// `work` must not wait for another call to begin: a helper may come late or, when its
    /// thread is busy, after everything is done.
    pub fn share(&self, helpers: usize, work: impl Fn() + Sync) {
        self.share_beside(helpers, || (), work);
    }

    /// [`Self::share`], while the caller does something else before it works.
    fn share_beside(&self, helpers: usize, own: impl FnOnce(), work: impl Fn() + Sync) {
        let helpers = helpers.min(self.helpers);
        match &self.pool {
            Some(Pool { threads, shared }) if helpers > 0 => {
                let times = shared.fetch_add(1, Ordering::Relaxed).wrapping_add(1);
                threads.in_place_scope(|scope| {
                    for _ in 0..helpers {
                        scope.spawn(|_| work());
                    }
                    own();
                    work();
                });
                // Without a core of its own, who waits is in the way.
                for _ in 0..helpers.min(self.cores - 1) {
                    let shared = Arc::clone(shared);
                    threads.spawn(move || linger(&shared, times));
                }
            }
            _ => {
                own();
                work();
            }
        }
    }

    /// Does two things that know nothing of each other: `own` on the caller's thread, and at the
    /// same time `other` on that of a helper, or after it if no helper came.
    pub fn both(&self, own: impl FnOnce(), other: impl FnOnce() + Send) {
        let other = Mutex::new(Some(other));
        self.share_beside(1, own, || {
            let other = other.lock().unwrap_or_else(PoisonError::into_inner).take();
            if let Some(other) = other {
                other();
            }
        });
    }

    /// Calls `work` with every item and its index, in any order. `items` are claimed one by
    /// one, so each should be some microseconds of work: a chunk of a slice, not an element.
    ///
    /// The caller and every other helper begin at the first item, the rest at the last: with two
    /// workers, each meets about the items that it met when it did the same the last time.
    pub fn for_each<I>(&self, items: I, work: impl Fn(usize, I::Item) + Sync)
    where
        I: DoubleEndedIterator + ExactSizeIterator + Send,
        I::Item: Send,
    {
        self.for_each_beside(|| (), items, work);
    }

    /// [`Self::for_each`], while the caller first does what only one thread has work for. That has
    /// to be independent of what is done with the items.
    pub fn for_each_beside<I>(
        &self,
        own: impl FnOnce(),
        items: I,
        work: impl Fn(usize, I::Item) + Sync,
    ) where
        I: DoubleEndedIterator + ExactSizeIterator + Send,
        I::Item: Send,
    {
        let helpers = self.helpers.min(items.len() / ITEMS_PER_HELPER);
        if helpers == 0 {
            own();
            return items
                .enumerate()
                .for_each(|(index, item)| work(index, item));
        }
        let queue = Mutex::new(items.enumerate());
        let next = |from_front: bool| {
            let mut queue = queue.lock().unwrap_or_else(PoisonError::into_inner);
            if from_front {
                queue.next()
            } else {
                queue.next_back()
            }
        };
        let (caller, others) = (std::thread::current().id(), AtomicUsize::new(0));
        self.share_beside(helpers, own, || {
            let is_caller = std::thread::current().id() == caller;
            let from_front = is_caller || others.fetch_add(1, Ordering::Relaxed) % 2 == 1;
            while let Some((index, item)) = next(from_front) {
                work(index, item);
            }
        });
    }
}

/// Keeps a thread from going to sleep until work is shared again, for a while: a step shares work
/// some twenty times, and to wake a thread takes as long as some of that work.
fn linger(shared: &AtomicUsize, times: usize) {
    let start = Instant::now();
    while shared.load(Ordering::Relaxed) == times && start.elapsed() < LINGERING {
        for _ in 0..LOOKS_AT_ONCE {
            std::hint::spin_loop();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;

    /// Every item is seen once, with its own index, by any number of workers: by counting.
    #[test]
    fn every_item_is_worked_on_once() {
        for count in [1, 2, 3, 8] {
            let workers = Workers::new(count).expect("threads for the test");
            assert_eq!(workers.count(), count);
            for length in [0, 1, 3, 4, 100] {
                let mut seen = vec![0; length];
                workers.for_each(seen.iter_mut(), |index, seen| *seen += index + 1);
                assert!(seen.iter().enumerate().all(|(i, seen)| *seen == i + 1));
            }
        }
    }

    /// Two calls that each wait (not for ever) for the other to begin can only both see it
    /// when they run at the same time.
    #[test]
    fn helpers_really_help() {
        let workers = Workers::new(2).expect("a thread for the test");
        let (begun, met) = (AtomicUsize::new(0), AtomicUsize::new(0));
        workers.share(5, || {
            begun.fetch_add(1, Ordering::SeqCst);
            let start = std::time::Instant::now();
            while start.elapsed().as_secs() < 20 {
                if begun.load(Ordering::SeqCst) == 2 {
                    met.fetch_add(1, Ordering::SeqCst);
                    break;
                }
                std::thread::yield_now();
            }
        });
        assert_eq!(met.into_inner(), 2);
    }

    /// What the caller does beside the items is done once, on its own thread, by any number of
    /// workers. Where two share, some item is seen before that ends: it waits for one, not for ever.
    #[test]
    fn the_caller_works_beside_the_helpers() {
        let caller = std::thread::current().id();
        for count in [1, 2, 8] {
            let workers = Workers::new(count).expect("threads for the test");
            let (seen, mut own) = (AtomicUsize::new(0), Vec::new());
            let beside = || {
                let start = std::time::Instant::now();
                while count > 1
                    && seen.load(Ordering::SeqCst) == 0
                    && start.elapsed().as_secs() < 20
                {
                    std::thread::yield_now();
                }
                own.push((std::thread::current().id(), seen.load(Ordering::SeqCst) > 0));
            };
            workers.for_each_beside(beside, 0..100, |_, _| {
                seen.fetch_add(1, Ordering::SeqCst);
            });
            assert_eq!(own, [(caller, count > 1)], "{count} workers");
            assert_eq!(seen.into_inner(), 100);
        }
    }

    /// Both are done once by any number of workers, and the caller's own on its thread. Where two
    /// share, one waits for the other to begin, not for ever.
    #[test]
    fn two_things_are_done_at_once() {
        let caller = std::thread::current().id();
        for count in [1, 2, 8] {
            let workers = Workers::new(count).expect("threads for the test");
            let begun = AtomicUsize::new(0);
            let (mut own, mut other) = (None, None);
            let meet = || {
                begun.fetch_add(1, Ordering::SeqCst);
                let start = std::time::Instant::now();
                while count > 1
                    && begun.load(Ordering::SeqCst) < 2
                    && start.elapsed().as_secs() < 20
                {
                    std::thread::yield_now();
                }
                std::thread::current().id()
            };
            workers.both(|| own = Some(meet()), || other = Some(meet()));
            assert_eq!(own, Some(caller));
            assert_eq!(other.is_some_and(|other| other == caller), count == 1);
            assert_eq!(begun.into_inner(), 2);
        }
    }

    /// One worker, or too few items to share, stays on the caller's thread.
    #[test]
    fn little_work_stays_with_the_caller() {
        let own = std::thread::current().id();
        let here = |_, ()| assert_eq!(std::thread::current().id(), own);
        Workers::ALONE.for_each(vec![(); 100].into_iter(), here);
        let two = Workers::new(2).expect("a thread for the test");
        two.for_each(vec![(); 3].into_iter(), here);
        two.worth(15).for_each(vec![(); 100].into_iter(), here);
        assert_eq!([0, 16, 100].map(|work| two.worth(work).count()), [1, 2, 2]);
    }

    /// Whoever panics, the caller hears of it.
    #[test]
    fn a_panic_reaches_the_caller() {
        for count in [1, 2, 8] {
            let workers = Workers::new(count).expect("threads for the test");
            let result = catch_unwind(AssertUnwindSafe(|| {
                workers.for_each(0..100, |_, item| {
                    assert!(item != 57, "the item of the test")
                });
            }));
            assert!(result.is_err(), "{count} workers");
        }
    }
}
