//! What all algorithms have in common: a search is a value that `advance` moves.

use crate::meter::{Limits, Meter, Stop};
use crate::problem::Problem;
use crate::random::Key;
use crate::state::{Reader, Writer};

/// A search in progress. It can stop after any playout and continue later, with the same result.
pub trait Search<P: Problem>: Send + Sync {
    /// Runs playouts until a limit is met.
    fn advance(&mut self, problem: &P, limits: &Limits) -> Stop;

    /// What was found so far, in an order that depends on nothing but the seed.
    fn meter(&self) -> &Meter<P::Move>;

    /// The best score so far and its moves, including what threads have found out of order.
    fn best(&self) -> (f64, &[P::Move]);

    /// Playouts so far, including those that threads have done out of order.
    fn playouts(&self) -> u64;

    /// Steps done and to do of each level, from level 1 upwards.
    fn progress(&self) -> Vec<(u64, u64)>;

    /// Searches completed.
    fn restarts(&self) -> u64;

    /// The whole state of the search, without the problem and the settings.
    fn save(&self) -> Vec<u8>;

    /// Takes the state that `save` returned, for a new search with the same problem and settings.
    /// The search continues as the saved one would have.
    ///
    /// # Errors
    ///
    /// If the state is wrong; the message says what is wrong.
    fn restore(&mut self, problem: &P, state: &[u8]) -> Result<(), String>;
}

/// The recursion of an algorithm, as a value that moves from one playout to the next.
pub(crate) trait Recursion<P: Problem>: Send + Sync {
    /// Runs playouts until a limit is met.
    fn advance(&mut self, problem: &P, run: &mut Run<P::Move>, limits: &Limits) -> Stop;

    /// Steps done and to do of each level.
    fn progress(&self, run: &Run<P::Move>) -> Vec<(u64, u64)>;

    /// What threads have found out of order.
    fn ahead(&self) -> impl Iterator<Item = &Meter<P::Move>> {
        std::iter::empty()
    }

    /// Appends the state.
    fn write(&self, writer: &mut Writer);

    /// Takes the state that `write` appended.
    fn read(&mut self, problem: &P, run: &Run<P::Move>, reader: &mut Reader) -> Result<(), String>;
}

/// What every search keeps besides its recursion.
pub(crate) struct Run<M> {
    pub(crate) root: Key,
    /// Searches completed.
    pub(crate) restarts: u64,
    pub(crate) meter: Meter<M>,
}

impl<M: Copy> Run<M> {
    pub(crate) fn new(root: Key) -> Self {
        Run { root, restarts: 0, meter: Meter::new() }
    }

    /// The key of the current recursion.
    #[inline]
    pub(crate) fn key(&self) -> Key {
        self.root.child(self.restarts)
    }

    /// Whether to stop before the next playout.
    #[inline]
    pub(crate) fn stop(&self, limits: &Limits) -> Option<Stop> {
        if self.restarts > 0 && !limits.restart {
            return Some(Stop::Finished);
        }
        self.meter.stop(limits)
    }

    /// Runs playouts one after another until a limit is met. `step` runs the next playout, records
    /// it and passes its result up. It returns false if the problem has failed; the playout then
    /// does not count.
    #[inline(always)]
    pub(crate) fn advance(
        &mut self,
        limits: &Limits,
        mut step: impl FnMut(&mut Self) -> bool,
    ) -> Stop {
        loop {
            if let Some(stop) = self.stop(limits) {
                return stop;
            }
            if !step(self) {
                return Stop::Failed;
            }
        }
    }
}

/// The driver of all algorithms.
pub struct Driver<P: Problem, R> {
    pub(crate) run: Run<P::Move>,
    pub(crate) recursion: R,
}

#[expect(private_bounds, reason = "recursions are the engine's own")]
impl<P: Problem, R: Recursion<P>> Driver<P, R> {
    /// A search with this recursion, which has begun with the key of the first restart.
    pub(crate) fn new(recursion: R, root: Key) -> Self {
        Driver { run: Run::new(root), recursion }
    }

    pub(crate) fn write(&self, writer: &mut Writer) {
        writer.put(&self.run.restarts);
        writer.put(&self.run.meter);
        self.recursion.write(writer);
    }

    pub(crate) fn read(&mut self, problem: &P, reader: &mut Reader) -> Result<(), String> {
        self.run.restarts = reader.take()?;
        self.run.meter = reader.take()?;
        self.recursion.read(problem, &self.run, reader)
    }
}

impl<P: Problem, R: Recursion<P>> Search<P> for Driver<P, R> {
    fn advance(&mut self, problem: &P, limits: &Limits) -> Stop {
        self.run.meter.start();
        let stop = self.recursion.advance(problem, &mut self.run, limits);
        self.run.meter.pause();
        stop
    }

    fn meter(&self) -> &Meter<P::Move> {
        &self.run.meter
    }

    fn best(&self) -> (f64, &[P::Move]) {
        let ahead = self.recursion.ahead().filter(|meter| meter.playouts > 0);
        let best = ahead.fold(&self.run.meter, |best, meter| {
            if best.playouts == 0 || meter.score > best.score { meter } else { best }
        });
        (best.score, &best.moves)
    }

    fn playouts(&self) -> u64 {
        let ahead = self.recursion.ahead().map(|meter| meter.playouts);
        self.run.meter.playouts + ahead.sum::<u64>()
    }

    fn progress(&self) -> Vec<(u64, u64)> {
        self.recursion.progress(&self.run)
    }

    fn restarts(&self) -> u64 {
        self.run.restarts
    }

    fn save(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        self.write(&mut writer);
        writer.0
    }

    fn restore(&mut self, problem: &P, state: &[u8]) -> Result<(), String> {
        let mut reader = Reader(state);
        self.read(problem, &mut reader)?;
        reader.finish()
    }
}
