//! What all algorithms have in common: a search is a value that `advance` moves.

use crate::adopt::Adopted;
use crate::biased::Biased;
use crate::meter::{Counts, Limits, Meter, Stop};
use crate::problem::Problem;
use crate::random::Key;
use crate::state::{Reader, Writer};

/// More playouts than any search has had. Sums of them do not overflow.
const MOST_PLAYOUTS: u64 = 1 << 56;

/// The recursion of an algorithm, as a value that moves from one playout to the next.
pub trait Recursion<P: Problem>: Send + Sync {
    /// Runs playouts until a limit is met.
    fn advance(&mut self, problem: &Biased<P>, run: &mut Run<P::Move>, limits: &Limits) -> Stop;

    /// Steps done and to do of each level.
    fn progress(&self, run: &Run<P::Move>) -> Vec<(u64, u64)>;

    /// What threads have found out of order.
    fn ahead(&self) -> Vec<&Meter<P::Move>> {
        Vec::new()
    }

    /// The same, to be changed.
    fn ahead_mut(&mut self) -> Vec<&mut Meter<P::Move>> {
        Vec::new()
    }

    /// Whether local search evaluates some of the playouts.
    fn evaluates(&self) -> bool {
        false
    }

    /// Appends the state.
    fn write(&self, writer: &mut Writer);

    /// Takes the state that `write` appended.
    fn read(
        &mut self,
        problem: &Biased<P>,
        run: &Run<P::Move>,
        reader: &mut Reader,
    ) -> Result<(), String>;
}

/// What every search keeps besides its recursion.
pub struct Run<M> {
    pub(crate) root: Key,
    /// Searches completed.
    pub(crate) restarts: u64,
    pub(crate) meter: Meter<M>,
    /// A sequence from outside that the top level is to take over.
    pub(crate) adopted: Option<Adopted<M>>,
}

impl<M: Copy> Run<M> {
    pub(crate) fn new(root: Key) -> Self {
        Run { root, restarts: 0, meter: Meter::default(), adopted: None }
    }

    /// The key of the current recursion.
    #[inline]
    pub(crate) fn key(&self) -> Key {
        self.root.child(self.restarts)
    }

    /// Goes on to the next recursion, which begins blank.
    pub(crate) fn restart(&mut self) {
        self.restarts += 1;
        self.adopted = None;
    }

    /// The same place of the search, where only the count and the score of the best are kept.
    pub(crate) fn copy(&self) -> Self {
        let mut meter = Meter::default();
        (meter.playouts, meter.score) = (self.meter.playouts, self.meter.score);
        Run { meter, adopted: self.adopted.clone(), ..*self }
    }

    /// Whether the search has come as far as it may.
    pub(crate) fn ended(&self, limits: &Limits) -> bool {
        self.restarts > 0 && !limits.restart || self.meter.reached(limits).is_some()
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

/// A search in progress. It can stop after any playout and continue later, with the same result.
pub struct Search<P: Problem, R: ?Sized = dyn Recursion<P>> {
    pub(crate) run: Run<P::Move>,
    pub(crate) recursion: R,
}

impl<P: Problem, R: Recursion<P>> Search<P, R> {
    /// A search with this recursion, which has begun with the key of the first restart.
    pub(crate) fn new(recursion: R, root: Key) -> Self {
        Search { run: Run::new(root), recursion }
    }
}

impl<P: Problem, R: Recursion<P> + ?Sized> Search<P, R> {
    /// Runs playouts until a limit is met.
    pub fn advance(&mut self, problem: &Biased<P>, limits: &Limits) -> Stop {
        self.run.meter.start();
        let stop = self.recursion.advance(problem, &mut self.run, limits);
        self.run.meter.pause();
        stop
    }

    /// Takes over a complete sequence from outside and returns its score: it counts as a playout,
    /// and the top level adapts to it `strength` times. Of several sequences that wait for that, the
    /// best one counts, the last of equals.
    ///
    /// # Errors
    ///
    /// If a move is not legal, if the game goes on after the last one, or if the problem fails. The
    /// search is then as it was.
    pub fn adopt(
        &mut self,
        problem: &Biased<P>,
        moves: &[P::Move],
        strength: u64,
    ) -> Result<f64, String> {
        let (adopted, reported) = Adopted::new(problem, moves.to_vec(), strength)?;
        let score = adopted.score;
        self.run.meter.start();
        self.run.meter.record(reported, moves, || 0);
        self.run.meter.pause();
        if self.run.adopted.as_ref().is_none_or(|waiting| score >= waiting.score) {
            self.run.adopted = Some(adopted);
        }
        Ok(reported)
    }

    /// What was found so far, in an order that depends on nothing but the seed.
    pub fn meter(&self) -> &Meter<P::Move> {
        &self.run.meter
    }

    /// The best score so far and its moves, including what threads have found out of order.
    pub fn best(&self) -> (f64, &[P::Move]) {
        let ahead = self.recursion.ahead().into_iter().filter(|meter| meter.playouts > 0);
        let best = ahead.fold(&self.run.meter, |best, meter| {
            if best.playouts == 0 || meter.score > best.score { meter } else { best }
        });
        (best.score, &best.moves)
    }

    /// Playouts so far, including those that threads have done out of order.
    pub fn playouts(&self) -> u64 {
        let ahead = self.recursion.ahead().into_iter().map(|meter| meter.playouts);
        self.run.meter.playouts + ahead.sum::<u64>()
    }

    /// What was counted besides, including what threads have done out of order.
    pub fn counts(&self) -> Counts {
        let meters = self.recursion.ahead().into_iter().chain([self.meter()]);
        Counts { restarts: self.run.restarts, ..meters.map(|meter| meter.counts).sum() }
    }

    /// What its meter has counted besides since this was asked last.
    pub fn take_counts(&mut self) -> Counts {
        std::mem::take(&mut self.run.meter.counts)
    }

    /// Steps done and to do of each level, from level 1 upwards.
    pub fn progress(&self) -> Vec<(u64, u64)> {
        self.recursion.progress(&self.run)
    }

    /// The whole state of the search, without the problem and the settings.
    pub fn save(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        self.write(&mut writer);
        writer.put(&(&self.run.adopted, &self.run.meter.trail));
        let ahead: Vec<_> = self.recursion.ahead().iter().map(|meter| &meter.trail).collect();
        if ahead.iter().any(|trail| !trail.is_empty()) {
            writer.put(&ahead);
        }
        writer.0
    }

    /// Takes the state that `save` returned, for a new search with the same problem and settings.
    /// The search continues as the saved one would have.
    ///
    /// # Errors
    ///
    /// If the state is wrong; the message says what is wrong.
    pub fn restore(&mut self, problem: &Biased<P>, state: &[u8]) -> Result<(), String> {
        let mut reader = Reader(state);
        self.read(problem, &mut reader)?;
        // Older files end here.
        (self.run.adopted, self.run.meter.trail) = reader.take_last()?.unwrap_or_default();
        if let Some(adopted) = &self.run.adopted {
            Adopted::new(problem, adopted.moves.clone(), adopted.strength)?;
        }
        if let Some(trails) = reader.take_last::<Vec<_>>()? {
            let ahead = self.recursion.ahead_mut();
            if ahead.is_empty() || ahead.len() != trails.len() {
                return Err("its threads are not those of the search".into());
            }
            ahead.into_iter().zip(trails).for_each(|(meter, trail)| meter.trail = trail);
        }
        reader.finish()
    }

    pub(crate) fn write(&self, writer: &mut Writer) {
        writer.put(&self.run.restarts);
        writer.put(&self.run.meter);
        if self.recursion.evaluates() {
            self.run.meter.counts.write(writer);
        }
        self.recursion.write(writer);
    }

    pub(crate) fn read(&mut self, problem: &Biased<P>, reader: &mut Reader) -> Result<(), String> {
        self.run.restarts = reader.take()?;
        self.run.meter = reader.take()?;
        if self.run.meter.playouts > MOST_PLAYOUTS {
            return Err(format!("no search has {} playouts", self.run.meter.playouts));
        }
        if self.recursion.evaluates() {
            self.run.meter.counts.read(reader)?;
        }
        self.recursion.read(problem, &self.run, reader)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use super::*;
    use crate::Algorithm;
    use crate::examples::{Digits, found, playouts};
    use crate::random::Key;
    use crate::{nmcs, nrpa};

    static GAME: LazyLock<Biased<Digits>> = LazyLock::new(|| Digits { base: 6, length: 9 }.into());
    const BEST: [u8; 9] = [0, 1, 2, 3, 4, 5, 0, 1, 2];

    fn begin(algorithm: &Algorithm) -> Box<Search<Digits>> {
        algorithm.start(&GAME, Key(3)).unwrap()
    }

    fn nrpa() -> Algorithm {
        let level = nrpa::settings::LevelSettings { iterations: 10, ..Default::default() };
        let levels = vec![level; 3];
        Algorithm::Nrpa(nrpa::settings::Settings { levels, ..Default::default() })
    }

    fn every() -> [Algorithm; 3] {
        let levels = vec![nmcs::LevelSettings { beam: 1 }; 2];
        let nmcs = nmcs::Settings { levels, ..Default::default() };
        [nrpa(), Algorithm::Nmcs(nmcs), Algorithm::Nmcs(nmcs::Settings::default())]
    }

    #[test]
    fn wrong_sequences_change_nothing() {
        for algorithm in every() {
            let (mut search, mut plain) = (begin(&algorithm), begin(&algorithm));
            for wrong in [&[0, 1, 2][..], &[0, 0, 1], &[7], &[]] {
                assert!(search.adopt(&GAME, wrong, 1).is_err());
            }
            assert_eq!(search.playouts(), 0);
            search.advance(&GAME, &playouts(300));
            plain.advance(&GAME, &playouts(300));
            assert_eq!(found(&*search), found(&*plain));
        }
    }

    #[test]
    fn it_is_the_first_playout_and_never_lost() {
        for algorithm in every() {
            let mut search = begin(&algorithm);
            assert_eq!(search.adopt(&GAME, &BEST, 2), Ok(8.0));
            assert_eq!((search.playouts(), search.best()), (1, (8.0, &BEST[..])));
            search.advance(&GAME, &playouts(500));
            assert_eq!((search.playouts(), search.best()), (500, (8.0, &BEST[..])));
        }
    }

    #[test]
    fn it_waits_for_the_end_of_the_child_and_in_a_file() {
        for algorithm in every() {
            let mut search = begin(&algorithm);
            search.advance(&GAME, &playouts(37));
            search.adopt(&GAME, &[0, 1, 2, 3, 4, 5, 5], 1).unwrap();
            search.adopt(&GAME, &BEST, 3).unwrap();
            search.adopt(&GAME, &[4, 4], 9).unwrap();
            let mut restored = begin(&algorithm);
            restored.restore(&GAME, &search.save()).unwrap();
            assert_eq!(restored.run.adopted, search.run.adopted);
            assert_eq!(search.run.adopted.as_ref().map(|waiting| waiting.strength), Some(3));
            for last in [41, 60, 400] {
                search.advance(&GAME, &playouts(last));
                restored.advance(&GAME, &playouts(last));
                // The time taken is saved in 2 to 15 bytes.
                assert!(search.save().len().abs_diff(restored.save().len()) < 14);
                assert_eq!(found(&*search), found(&*restored));
            }
            assert!(search.run.adopted.is_none());
        }
    }
}
