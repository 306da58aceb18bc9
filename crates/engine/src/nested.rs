//! Sampling, NRPA and GNRPA: nested levels around one policy.
//!
//! The recursion of nrpa-2011 (figure 2) and gnrpa-2020 (algorithm 5),
//!
//! ```text
//! NRPA(level, policy):
//!   level 0: return playout(policy)
//!   best <- -infinity
//!   N times:
//!     (result, new) <- NRPA(level - 1, policy)
//!     if result >= best: best <- result; seq <- new
//!     policy <- Adapt(policy, seq)
//!   return (best, seq)
//! ```
//!
//! written as a value that [`Nested::advance`] moves from one playout to the next, so that a search
//! can stop anywhere and go on later. Level 0 alone is sampling.

use crate::code::Slots;
use crate::journal::{Journal, compact};
use crate::meter::{Limits, Meter, Stop};
use crate::playout::Playouts;
use crate::policy::Policy;
use crate::problem::Problem;
use crate::random::Key;
use crate::saved::{Reader, Writer};
use crate::search::Search;
use crate::sequence::{Sequence, Step, check_codes};
use warm::WarmUp;

/// The settings of one level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LevelSettings {
    /// N, the iterations; at least 1.
    pub iterations: u64,
    /// alpha/tau^2, the step of the gradient for weights kept as w/tau; M times that where the
    /// children that share a policy add up (distributed-nrpa-samegame-2017, algorithm 4).
    pub rate: f64,
    /// M, the children that share a policy before it adapts once; 1 for the sequential algorithm.
    pub width: u64,
    /// R: the level ends when the level below has found its best sequence again so many times
    /// (arXiv 2401.10420); with a width, when the children that share a policy are all done.
    pub repetitions: Option<u64>,
    /// Force explore, at level 1: a playout that repeats the sequence to which the policy has last
    /// adapted is played again from a random step on (after Dang et al., AAAI 2023).
    pub explore: bool,
    /// c: the policy does not adapt before a result of relative rank R <= i c / (N + 1 - i) in
    /// iteration i (Dang et al., AAAI 2023).
    pub warm_start: Option<f64>,
    /// The step of the gradient for the weights of the biases, where those are learned; M times
    /// that likewise.
    pub bias_rate: Option<f64>,
}

impl Default for LevelSettings {
    /// Those of nrpa-2011.
    fn default() -> Self {
        LevelSettings {
            iterations: 100,
            rate: 1.0,
            width: 1,
            repetitions: None,
            explore: false,
            warm_start: None,
            bias_rate: None,
        }
    }
}

impl LevelSettings {
    /// policy <- Adapt(policy, sequence).
    fn adapt<P: Problem>(
        &self,
        policy: &mut Policy<P::Code>,
        sequence: &mut Sequence<P>,
        playouts: &mut Playouts<P>,
    ) {
        if let Some(rate) = self.bias_rate {
            playouts.adapt_biases(policy, sequence, rate);
        }
        playouts.adapt(policy, sequence, self.rate);
    }
}

/// A level under way.
struct Level<P: Problem> {
    settings: LevelSettings,
    key: Key,
    iteration: u64,
    best: Sequence<P>,
    best_score: f64,
    /// Times that the best sequence has been found again.
    repeated: u64,
    journal: Journal,
    /// Whether the journal has the codes of `best`.
    noted: bool,
    /// With force explore the steps of the sequence to which the policy has last adapted.
    known: Vec<Step>,
    warm_up: WarmUp,
    /// Whether the policy has adapted.
    adapted: bool,
}

impl<P: Problem> Level<P> {
    fn new(settings: LevelSettings, key: Key) -> Self {
        Level {
            settings,
            key,
            iteration: 0,
            best: Sequence::default(),
            best_score: f64::NEG_INFINITY,
            repeated: 0,
            journal: Journal::default(),
            noted: false,
            known: Vec::new(),
            warm_up: WarmUp::default(),
            adapted: false,
        }
    }

    fn begin(&mut self, key: Key) {
        self.key = key;
        self.iteration = 0;
        self.best_score = f64::NEG_INFINITY;
        self.repeated = 0;
        self.known.clear();
        self.warm_up.begin();
        self.adapted = false;
        self.journal.begin();
    }

    /// Takes the result of the level below; ties are accepted.
    fn accept(&mut self, score: f64, new: &mut Sequence<P>) {
        if self.settings.repetitions.is_some() && self.repeats(score, new) {
            self.repeated += 1;
        } else if score >= self.best_score {
            self.best_score = score;
            std::mem::swap(&mut self.best, new);
            self.noted = false;
            self.repeated = 0;
        }
        self.iteration += 1;
        if let Some(c) = self.settings.warm_start {
            self.warm_up.take(score, (self.iteration, self.settings.iterations), c);
        }
    }

    /// Whether a result is the best sequence again: the same choices from the root.
    fn repeats(&self, score: f64, new: &Sequence<P>) -> bool {
        self.iteration > 0 && score == self.best_score && new.steps == self.best.steps
    }

    /// Whether all children that share a policy are done.
    fn completes_batch(&self) -> bool {
        self.iteration.is_multiple_of(self.settings.width)
    }

    /// Whether the policy is to adapt now.
    fn adapts(&self) -> bool {
        self.completes_batch() && (self.settings.warm_start.is_none() || self.warm_up.ended())
    }

    fn finished(&self) -> bool {
        self.iteration >= self.settings.iterations
            || self.settings.repetitions.is_some_and(|most| self.repeated >= most)
                && self.completes_batch()
    }

    /// policy <- Adapt(policy, best), noting what changes.
    fn adapt(&mut self, policy: &mut Policy<P::Code>, playouts: &mut Playouts<P>) {
        self.adapted = true;
        policy.prepare(&mut self.best);
        if !self.noted {
            self.journal.note(policy, &self.best.touched);
            self.noted = true;
            if self.settings.explore {
                self.known.clone_from(&self.best.steps);
            }
        }
        self.settings.adapt(policy, &mut self.best, playouts);
    }

    fn write(&self, codes: &[Option<P::Code>], writer: &mut Writer) {
        writer.put(&(self.key, self.iteration, self.best_score, self.repeated));
        writer.put(&self.best);
        writer.put(&(&self.known, &self.warm_up, self.adapted));
        writer.put(&self.journal.saved(codes));
        writer.put(&self.journal.bias_weights);
    }

    fn read(
        &mut self,
        problem: &P,
        policy: &mut Policy<P::Code>,
        reader: &mut Reader,
    ) -> Result<(), String> {
        (self.key, self.iteration, self.best_score, self.repeated) = reader.take()?;
        self.best = reader.take()?;
        self.best.restore(problem)?;
        (self.known, self.warm_up, self.adapted) = reader.take()?;
        let noted: Vec<(P::Code, f64)> = reader.take()?;
        check_codes(problem, noted.iter().map(|&(code, _)| code))?;
        self.journal.restore(policy, &noted);
        self.journal.bias_weights = reader.take()?;
        if !self.journal.bias_weights.is_empty() {
            policy.check_bias_weights(&self.journal.bias_weights)?;
        }
        self.noted = false;
        Ok(())
    }
}

/// Slots a hashed policy may hold before unused ones are looked for.
pub(crate) const COMPACT_AT: usize = 1 << 16;

/// A nested search of any level.
pub struct Nested<P: Problem> {
    root: Key,
    restarts: u64,
    /// The levels from 1 upwards.
    levels: Vec<Level<P>>,
    policy: Policy<P::Code>,
    playouts: Playouts<P>,
    /// The sequence that travels upwards.
    current: Sequence<P>,
    /// Those of the threads that work together.
    desks: Vec<together::Desk<P>>,
    compact_at: usize,
    meter: Meter<P::Move>,
}

impl<P: Problem> Nested<P> {
    /// A search with these levels, from level 1 upwards; without any, every restart is one playout.
    pub fn new(problem: &P, settings: &[LevelSettings], root: Key) -> Self {
        let mut search = Nested {
            root,
            restarts: 0,
            levels: settings.iter().map(|&settings| Level::new(settings, root)).collect(),
            policy: Policy::new(problem),
            playouts: Playouts::new(problem),
            current: Sequence::default(),
            desks: Vec::new(),
            compact_at: COMPACT_AT,
            meter: Meter::new(),
        };
        search.descend(search.levels.len());
        search
    }

    /// Whether to stop before the next playout.
    fn stop(&self, limits: &Limits) -> Option<Stop> {
        if self.restarts > 0 && !limits.restart {
            return Some(Stop::Finished);
        }
        self.meter.stop(limits)
    }

    fn advance_alone(&mut self, problem: &P, limits: &Limits) -> Stop {
        loop {
            if let Some(stop) = self.stop(limits) {
                return stop;
            }
            if let Some(stop) = self.step(problem) {
                return stop;
            }
        }
    }

    /// Runs one playout and hands it upwards.
    #[inline(always)]
    fn step(&mut self, problem: &P) -> Option<Stop> {
        let (key, known) = match self.levels.first() {
            Some(level) => (level.key.child(level.iteration), &level.known[..]),
            None => (self.root.child(self.restarts), &[][..]),
        };
        let score = self.playouts.run_unlike(problem, &self.policy, key, known, &mut self.current);
        if problem.failed() {
            return Some(Stop::Failed);
        }
        self.take(score);
        None
    }

    /// Takes the playout in `current`.
    fn take(&mut self, score: f64) {
        let levels = &self.levels;
        self.meter.record(score, &self.current.moves, || adapted(levels));
        self.ascend(0, score);
    }

    /// Hands a result to the level with this index and upwards through every level it completes.
    fn ascend(&mut self, first: usize, mut score: f64) {
        for index in first..self.levels.len() {
            let level = &mut self.levels[index];
            level.accept(score, &mut self.current);
            if !level.finished() {
                if level.adapts() {
                    level.adapt(&mut self.policy, &mut self.playouts);
                }
                self.descend(index);
                return;
            }
            // The level returns: its policy ends with it, so its last adapt would be for nothing.
            level.journal.undo(&mut self.policy);
            score = level.best_score;
            std::mem::swap(&mut self.current, &mut level.best);
            self.tidy();
        }
        self.restarts += 1;
        self.descend(self.levels.len());
    }

    /// Begins the levels below `level` (an index; the number of levels begins them all).
    fn descend(&mut self, level: usize) {
        for index in (0..level).rev() {
            let key = match self.levels.get(index + 1) {
                Some(parent) => parent.key.child(parent.iteration),
                None => self.root.child(self.restarts),
            };
            self.levels[index].begin(key);
        }
    }

    fn write(&self, writer: &mut Writer) {
        let codes = self.policy.space.codes();
        writer.put(&self.restarts);
        writer.put(&self.meter);
        writer.put(&self.policy.saved(&codes));
        writer.put(&self.policy.bias_weights);
        for level in &self.levels {
            level.write(&codes, writer);
        }
    }

    fn read(&mut self, problem: &P, reader: &mut Reader) -> Result<(), String> {
        self.restarts = reader.take()?;
        self.meter = reader.take()?;
        let weights: Vec<(P::Code, f64)> = reader.take()?;
        check_codes(problem, weights.iter().map(|&(code, _)| code))?;
        self.policy.restore(&weights);
        let bias_weights: Vec<f64> = reader.take()?;
        self.policy.check_bias_weights(&bias_weights)?;
        self.policy.bias_weights = bias_weights;
        self.levels.iter_mut().try_for_each(|l| l.read(problem, &mut self.policy, reader))
    }

    /// Keeps the memory of hashed policies flat.
    fn tidy(&mut self) {
        if self.policy.space.grows() && self.policy.space.count() > self.compact_at {
            let mut journals: Vec<_> = self.levels.iter_mut().map(|l| &mut l.journal).collect();
            compact(&mut self.policy, &mut journals);
            for level in &mut self.levels {
                level.noted = false;
            }
            self.compact_at = COMPACT_AT.max(2 * self.policy.space.count());
        }
    }
}

impl<P: Problem> Search<P> for Nested<P> {
    fn advance(&mut self, problem: &P, limits: &Limits) -> Stop {
        self.meter.start();
        let width = self.levels.first().map_or(1, |level| level.settings.width);
        let threads = limits.threads.min(usize::try_from(width).unwrap_or(usize::MAX));
        let stop = match threads {
            0 | 1 => self.advance_alone(problem, limits),
            _ => self.advance_together(problem, limits, threads),
        };
        self.meter.pause();
        stop
    }

    fn meter(&self) -> &Meter<P::Move> {
        &self.meter
    }

    fn progress(&self) -> Vec<(u64, u64)> {
        self.levels.iter().map(|level| (level.iteration, level.settings.iterations)).collect()
    }

    fn restarts(&self) -> u64 {
        self.restarts
    }

    fn save(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        self.write(&mut writer);
        writer.0
    }

    fn restore(&mut self, problem: &P, saved: &[u8]) -> Result<(), String> {
        let mut reader = Reader(saved);
        self.read(problem, &mut reader)?;
        reader.finish()
    }
}

/// The highest level that has adapted its policy.
fn adapted<P: Problem>(levels: &[Level<P>]) -> u32 {
    levels.iter().rposition(|level| level.adapted).map_or(0, |index| index as u32 + 1)
}

pub mod below;
mod lane;
#[cfg(test)]
mod tests;
mod together;
mod warm;
pub mod wide;
