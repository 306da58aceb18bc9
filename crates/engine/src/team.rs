//! Threads that work side by side on one batch after another.
//!
//! They wait for a batch by spinning for some microseconds, the time of a playout, then let others
//! have the core, and sleep if it takes long.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockWriteGuard};
use std::time::Duration;

/// A team of threads, the caller's being the first. Each has a desk `D`; all read the batch `B` and
/// do with both what `work` says: (batch, desk, number of the desk).
pub(crate) struct Team<B, D, F: Fn(&B, &mut D, usize)> {
    batch: RwLock<B>,
    desks: Vec<Apart<Mutex<D>>>,
    work: F,
    /// Batches given out, and helpers that have done the last one.
    given: Apart<AtomicU64>,
    done: Apart<AtomicUsize>,
    over: AtomicBool,
}

/// What one thread writes often, apart from the cache lines of what the others read.
#[repr(align(128))]
pub(crate) struct Apart<T>(pub(crate) T);

/// Looks at a flag before a waiting thread gives its core away, and before it sleeps.
const SPINS: u32 = 500;
const YIELDS: u32 = 500;

impl<B, D, F> Team<B, D, F>
where
    B: Send + Sync,
    D: Send,
    F: Fn(&B, &mut D, usize) + Sync,
{
    /// A team with a thread for each desk.
    pub(crate) fn new(batch: B, desks: Vec<D>, work: F) -> Self {
        Team {
            batch: RwLock::new(batch),
            desks: desks.into_iter().map(|desk| Apart(Mutex::new(desk))).collect(),
            work,
            given: Apart(AtomicU64::new(0)),
            done: Apart(AtomicUsize::new(0)),
            over: AtomicBool::new(false),
        }
    }

    /// Calls `lead` while the helpers stand by, and returns what it returns, the batch and
    /// the desks.
    pub(crate) fn assemble<T>(self, lead: impl FnOnce(&Self) -> T) -> (T, B, Vec<D>) {
        let returned = std::thread::scope(|scope| {
            let team = &self;
            for helper in 1..team.desks.len() {
                scope.spawn(move || team.help(helper));
            }
            let _dismissed = OnDrop(|| team.over.store(true, Ordering::Release));
            lead(team)
        });
        let batch = self.batch.into_inner().unwrap_or_else(PoisonError::into_inner);
        let clear =
            |desk: Apart<Mutex<D>>| desk.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        (returned, batch, self.desks.into_iter().map(clear).collect())
    }

    /// Has everybody work on the batch.
    pub(crate) fn run(&self) {
        self.done.0.store(0, Ordering::Release);
        self.given.0.fetch_add(1, Ordering::Release);
        self.work_at(0);
        wait(|| self.done.0.load(Ordering::Acquire) == self.desks.len() - 1);
    }

    /// The batch, to prepare the next one.
    pub(crate) fn batch(&self) -> RwLockWriteGuard<'_, B> {
        self.batch.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// A desk, between batches.
    pub(crate) fn desk(&self, number: usize) -> MutexGuard<'_, D> {
        self.desks[number].0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What a helper does until the team is dismissed.
    fn help(&self, desk: usize) {
        let over = || self.over.load(Ordering::Acquire);
        let mut seen = 0;
        loop {
            wait(|| over() || self.given.0.load(Ordering::Acquire) > seen);
            if over() {
                return;
            }
            seen += 1;
            // Counted even if the work panics, so that nobody waits for ever.
            let _counted = OnDrop(|| {
                self.done.0.fetch_add(1, Ordering::Release);
            });
            self.work_at(desk);
        }
    }

    fn work_at(&self, number: usize) {
        let batch = self.batch.read().unwrap_or_else(PoisonError::into_inner);
        (self.work)(&batch, &mut self.desk(number), number);
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
        std::hint::spin_loop();
    }
    for _ in 0..YIELDS {
        if ready() {
            return;
        }
        std::thread::yield_now();
    }
    while !ready() {
        std::thread::sleep(Duration::from_micros(50));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_desk_works_on_every_batch() {
        let work = |batch: &u64, desk: &mut Vec<u64>, number: usize| {
            desk.push(batch * 10 + number as u64);
        };
        let team = Team::new(0u64, vec![Vec::new(); 3], work);
        let (sum, _, desks) = team.assemble(|team| {
            for next in 1..=100 {
                *team.batch() = next;
                team.run();
            }
            team.desk(1).iter().sum::<u64>()
        });
        assert_eq!(sum, (1..=100).map(|batch| batch * 10 + 1).sum::<u64>());
        for (number, desk) in desks.iter().enumerate() {
            assert_eq!(desk.len(), 100);
            assert_eq!(desk[99], 1000 + number as u64);
        }
    }
}
