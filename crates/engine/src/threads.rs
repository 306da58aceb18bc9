//! Threads that work side by side on one batch after another.
//!
//! They wait for a batch by spinning for some microseconds, the time of a playout. Then they give
//! the core to others, and sleep if the wait is long. To start two of them anew in each slice of 50 ms
//! costs 30 microseconds.

use std::time::Duration;

use crossbeam_utils::CachePadded;

use crate::shared::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use crate::shared::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockWriteGuard};
use crate::shared::{hint, thread};

/// Some threads, the first of which is the caller's. Each has a worker `W`. All read the batch `B`
/// and call `work` with the batch, their worker and its number.
pub(crate) struct Threads<B, W, F: Fn(&B, &mut W, usize)> {
    batch: RwLock<B>,
    workers: Vec<CachePadded<Mutex<W>>>,
    work: F,
    /// The number of batches so far, and of threads other than the first that have done the last
    /// one.
    given: CachePadded<AtomicU64>,
    done: CachePadded<AtomicUsize>,
    over: AtomicBool,
    /// Whether the work has panicked on a thread other than the first, which is gone then.
    broken: AtomicBool,
}

/// How often a waiting thread looks at a flag before it gives its core away, and before it sleeps.
const SPINS: u32 = if cfg!(feature = "shuttle") { 1 } else { 500 };
const YIELDS: u32 = SPINS;

impl<B, W, F> Threads<B, W, F>
where
    B: Send + Sync,
    W: Send,
    F: Fn(&B, &mut W, usize) + Sync,
{
    /// A thread for each worker.
    pub(crate) fn new(batch: B, workers: Vec<W>, work: F) -> Self {
        Threads {
            batch: RwLock::new(batch),
            workers: workers.into_iter().map(|worker| Mutex::new(worker).into()).collect(),
            work,
            given: AtomicU64::new(0).into(),
            done: AtomicUsize::new(0).into(),
            over: AtomicBool::new(false),
            broken: AtomicBool::new(false),
        }
    }

    /// Calls `lead` while the other threads wait for batches. Returns what `lead` returns, the
    /// batch and the workers.
    pub(crate) fn start<T>(self, lead: impl FnOnce(&Self) -> T) -> (T, B, Vec<W>) {
        let returned = thread::scope(|scope| {
            let threads = &self;
            for number in 1..threads.workers.len() {
                scope.spawn(move || threads.stand_by(number));
            }
            let _ended = OnDrop(|| threads.over.store(true, Ordering::Release));
            lead(threads)
        });
        let batch = self.batch.into_inner().unwrap_or_else(PoisonError::into_inner);
        let workers = self.workers.into_iter().map(CachePadded::into_inner);
        let workers = workers.map(|w| w.into_inner().unwrap_or_else(PoisonError::into_inner));
        (returned, batch, workers.collect())
    }

    /// Makes all threads work on the batch until it is done.
    ///
    /// # Panics
    ///
    /// If the work has panicked on another thread.
    pub(crate) fn run(&self) {
        self.done.store(0, Ordering::Release);
        self.given.fetch_add(1, Ordering::Release);
        self.work_as(0);
        wait(|| self.done.load(Ordering::Acquire) == self.workers.len() - 1);
        assert!(!self.broken.load(Ordering::Acquire), "the work has panicked on another thread");
    }

    /// The batch, to prepare the next one.
    pub(crate) fn batch(&self) -> RwLockWriteGuard<'_, B> {
        self.batch.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// A worker, between batches.
    pub(crate) fn worker(&self, number: usize) -> MutexGuard<'_, W> {
        self.workers[number].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What every thread except the first does until the end.
    fn stand_by(&self, number: usize) {
        let over = || self.over.load(Ordering::Acquire);
        let mut seen = 0;
        loop {
            wait(|| over() || self.given.load(Ordering::Acquire) > seen);
            if over() {
                return;
            }
            seen += 1;
            // It counts even if the work panics, so that no thread waits for ever.
            let _counted = OnDrop(|| {
                if std::thread::panicking() {
                    self.broken.store(true, Ordering::Release);
                }
                self.done.fetch_add(1, Ordering::Release);
            });
            self.work_as(number);
        }
    }

    fn work_as(&self, number: usize) {
        let batch = self.batch.read().unwrap_or_else(PoisonError::into_inner);
        (self.work)(&batch, &mut self.worker(number), number);
    }
}

/// Threads that meet again and again.
pub(crate) struct Meetings {
    members: usize,
    /// How often members have come to a meeting.
    arrivals: CachePadded<AtomicUsize>,
    /// Whether a member has left: none comes after it has left.
    left: AtomicBool,
}

impl Meetings {
    /// So many threads.
    pub(crate) fn new(members: usize) -> Self {
        let (arrivals, left) = (AtomicUsize::new(0).into(), AtomicBool::new(false));
        Meetings { members, arrivals, left }
    }

    /// Comes to the meeting of this number, from 1, and waits for the others. Returns whether all
    /// have come; otherwise one has left.
    pub(crate) fn meet(&self, number: usize) -> bool {
        self.arrivals.fetch_add(1, Ordering::AcqRel);
        let met = || self.arrivals.load(Ordering::Acquire) >= self.members * number;
        wait(|| met() || self.left.load(Ordering::Acquire));
        met()
    }

    /// Someone who leaves when this is dropped, be it because the thread panics.
    pub(crate) fn member(&self) -> impl Drop {
        OnDrop(|| self.left.store(true, Ordering::Release))
    }
}

/// Calls a function when dropped.
struct OnDrop<F: FnMut()>(F);

impl<F: FnMut()> Drop for OnDrop<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

fn wait(ready: impl Fn() -> bool) {
    for _ in 0..SPINS {
        if ready() {
            return;
        }
        hint::spin_loop();
    }
    for _ in 0..YIELDS {
        if ready() {
            return;
        }
        thread::yield_now();
    }
    while !ready() {
        thread::sleep(Duration::from_micros(50));
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;

    #[test]
    fn every_worker_works_on_every_batch() {
        let work = |batch: &u64, worker: &mut Vec<u64>, number: usize| {
            worker.push(batch * 10 + number as u64);
        };
        let threads = Threads::new(0u64, vec![Vec::new(); 3], work);
        let (sum, _, workers) = threads.start(|threads| {
            for next in 1..=100 {
                *threads.batch() = next;
                threads.run();
            }
            threads.worker(1).iter().sum::<u64>()
        });
        assert_eq!(sum, (1..=100).map(|batch| batch * 10 + 1).sum::<u64>());
        for (number, worker) in workers.iter().enumerate() {
            assert_eq!(worker.len(), 100);
            assert_eq!(worker[99], 1000 + number as u64);
        }
    }

    #[test]
    fn a_panic_on_another_thread_is_one_of_the_search() {
        let work = |(): &(), worker: &mut u32, _: usize| assert_eq!(*worker, 0);
        let threads = Threads::new((), vec![0, 1], work);
        // Nobody would come to a second batch.
        let search = || threads.start(|threads| [threads.run(), threads.run()]);
        assert!(catch_unwind(AssertUnwindSafe(search)).is_err());
    }
}
