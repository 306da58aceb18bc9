//! NRPA and GNRPA: nested levels around one policy (nrpa-2011, figure 2; gnrpa-2020, algorithm 5).
//!
//! ```text
//! NRPA(level, pol):
//!   if level = 0:
//!     return the playout with pol, its score and its sequence
//!   best <- -infinity
//!   for N iterations:
//!     (result, new) <- NRPA(level - 1, pol)
//!     if result >= best:
//!       best <- result
//!       seq <- new
//!     pol <- Adapt(pol, seq)
//!   return (best, seq)
//! ```
//!
//! Here the recursion is a value that moves from one playout to the next, so that a search can stop
//! anywhere and continue later: [`Nrpa::playout`] is level 0, [`Nrpa::ascend`] what the levels do
//! with its result, [`Nrpa::descend`] the calls of the levels below. A result of level 1 may be
//! lent on its way up: it waits until it is taken back.

use crate::biased::Biased;
use crate::borrower::Borrower;
use crate::code::Slots;
use crate::meter::{Limits, Stop};
use crate::playout::Playouts;
use crate::policy::Policy;
use crate::problem::Problem;
use crate::random::Key;
use crate::search::{Recursion, Run};
use crate::sequence::{Sequence, check_codes};
use crate::state::{Reader, Writer};
use level::Level;
use settings::LevelSettings;
use trail::Trail;

pub mod leaf_parallel;
mod level;
pub mod level_parallel;
pub mod settings;
pub mod start;
mod trail;

/// A nested search of any level on one thread.
pub struct Nrpa<P: Problem> {
    /// The levels from 1 upwards; without any, every search is one playout.
    levels: Vec<Level<P>>,
    policy: Policy<P::Code>,
    playouts: Playouts<P>,
    /// A faster way to the same playouts of level 1.
    trail: Trail<P>,
    /// The sequence that travels upwards.
    new: Sequence<P>,
    /// The score of the last search that was completed.
    result: f64,
    /// What the results of level 1 are lent to, and the index of the level above it.
    borrower: Option<Box<dyn Borrower<P>>>,
    above: usize,
}

impl<P: Problem> Nrpa<P> {
    /// Runs a playout with the policy and the key of the next child of level 1.
    #[inline(always)]
    fn playout(&mut self, problem: &Biased<P>, run: &Run<P::Move>) -> f64 {
        let Nrpa { levels, policy, playouts, trail, new, .. } = self;
        match levels.first() {
            Some(level) => trail.playout(problem, (level, 0), policy, playouts, new),
            None => playouts.run(problem, policy, run.key(), new),
        }
    }

    /// Runs the playout of level 1 that comes after so many that run with the same policy.
    fn playout_ahead(&mut self, problem: &Biased<P>, ahead: u64, new: &mut Sequence<P>) -> f64 {
        let Nrpa { levels, policy, playouts, trail, .. } = self;
        trail.playout(problem, (&levels[0], ahead), policy, playouts, new)
    }

    /// Runs the next playout, or waits for what is lent; false if the problem has failed.
    #[inline(always)]
    fn step(&mut self, problem: &Biased<P>, run: &mut Run<P::Move>, limits: &Limits) -> bool {
        if self.has_lent() {
            self.take_back(problem, run, limits);
            return !problem.failed();
        }
        let score = self.playout(problem, run);
        if problem.failed() {
            return false;
        }
        self.take(score, run);
        true
    }

    /// Whether a result of level 1 is lent now.
    fn has_lent(&self) -> bool {
        self.borrower.as_ref().is_some_and(|borrower| borrower.holds())
    }

    /// Waits for the result that is lent, if one is, or says what has stopped that.
    fn await_loan(
        &mut self,
        problem: &Biased<P>,
        run: &mut Run<P::Move>,
        limits: &Limits,
    ) -> Option<Stop> {
        while self.has_lent() {
            let stop = run.stop(limits);
            if stop.is_some() {
                return stop;
            }
            self.take_back(problem, run, limits);
            if problem.failed() {
                return Some(Stop::Failed);
            }
        }
        None
    }

    /// Lets the borrower work, and hands the result upwards once that is over.
    #[inline(never)]
    fn take_back(&mut self, problem: &Biased<P>, run: &mut Run<P::Move>, limits: &Limits) {
        let level = highest_adapted(&self.levels);
        let Nrpa { borrower: Some(borrower), policy, playouts, new, .. } = self else { return };
        let given_back = borrower.work(problem, (policy, playouts), run, limits, level, new);
        if let Some(score) = given_back {
            self.ascend(self.above, score, run);
        }
    }

    /// Hands a result upwards through every level that it completes, from this one (an index) on.
    fn ascend(&mut self, from: usize, mut result: f64, run: &mut Run<P::Move>) {
        for index in from..self.levels.len() {
            let level = &mut self.levels[index];
            level.accept(result, &mut self.new);
            if index == self.above && level.completes_batch() {
                self.borrower.iter_mut().for_each(|borrower| borrower.pool().let_in());
            }
            if !level.finished() {
                match index {
                    _ if !level.adapts() => {}
                    0 => self.trail.adapt(level, &mut self.policy, &mut self.playouts),
                    _ => level.adapt(&mut self.policy, &mut self.playouts),
                }
                self.descend(index, run);
                return;
            }
            // The level returns: its policy ends with it, so its last adapt would be for nothing.
            level.journal.undo(&mut self.policy);
            result = level.best_score;
            std::mem::swap(&mut self.new, &mut level.best);
            if let Some(borrower) = &mut self.borrower
                && index + 1 == self.above
            {
                // Until it is taken back, the level has no sequence: what it got may be a part of one.
                level.best.clear();
                borrower.lend(level.key.child(level.progress().1), &self.new.moves);
                return;
            }
        }
        self.result = result;
        run.restart();
        self.descend(self.levels.len(), run);
    }

    /// Begins the levels below `level` (an index; the number of levels begins them all).
    fn descend(&mut self, level: usize, run: &Run<P::Move>) {
        for index in (0..level).rev() {
            let key = match self.levels.get(index + 1) {
                Some(parent) => parent.key.child(parent.iteration),
                None => run.key(),
            };
            self.begin_level(index, key);
        }
    }

    fn begin_level(&mut self, index: usize, key: Key) {
        self.levels[index].begin(key);
        if index == 0 {
            self.trail.leave();
        }
        if let Some(borrower) = &mut self.borrower
            && index == self.above
        {
            borrower.pool().clear();
        }
    }
}

impl<P: Problem> Recursion<P> for Nrpa<P> {
    fn advance(&mut self, problem: &Biased<P>, run: &mut Run<P::Move>, limits: &Limits) -> Stop {
        run.advance(limits, |run| {
            self.adopt(problem, run);
            let played = self.step(problem, run, limits);
            self.compact();
            played
        })
    }

    fn progress(&self, _run: &Run<P::Move>) -> Vec<(u64, u64)> {
        self.levels.iter().map(Level::progress).collect()
    }

    fn evaluates(&self) -> bool {
        self.borrower.is_some()
    }

    fn write(&self, writer: &mut Writer) {
        let codes = self.policy.space.codes();
        writer.put(&self.policy.by_code(&codes));
        writer.put(&self.policy.bias_weights);
        for level in &self.levels {
            level.write(&codes, writer);
        }
        self.borrower.iter().for_each(|borrower| borrower.write(writer));
    }

    fn read(
        &mut self,
        problem: &Biased<P>,
        _: &Run<P::Move>,
        reader: &mut Reader,
    ) -> Result<(), String> {
        let weights: Vec<(P::Code, f64)> = reader.take()?;
        check_codes(problem, weights.iter().map(|&(code, _)| code))?;
        self.policy.restore(&weights);
        let bias_weights: Vec<f64> = reader.take()?;
        self.policy.check_bias_weights(&bias_weights)?;
        self.policy.bias_weights = bias_weights;
        self.levels.iter_mut().try_for_each(|l| l.read(problem, &mut self.policy, reader))?;
        self.borrower.iter_mut().try_for_each(|borrower| borrower.read(problem, reader))
    }
}

impl<P: Problem> Nrpa<P> {
    /// A search with these levels, from level 1 upwards, that has this root.
    pub(crate) fn new(problem: &Biased<P>, settings: &[LevelSettings], root: Key) -> Self {
        let mut nrpa = Nrpa {
            levels: settings.iter().map(|&settings| Level::new(settings, root)).collect(),
            policy: Policy::new(problem),
            playouts: Playouts::new(problem),
            trail: Trail::new(),
            new: Sequence::default(),
            result: f64::NEG_INFINITY,
            borrower: None,
            above: 1,
        };
        nrpa.descend(nrpa.levels.len(), &Run::new(root));
        nrpa
    }

    /// The same, but results of level 1 are lent; the level above has this index.
    fn lending(self, borrower: Option<Box<dyn Borrower<P>>>, above: usize) -> Self {
        Nrpa { borrower, above, ..self }
    }

    /// Takes the playout in `new`.
    fn take(&mut self, score: f64, run: &mut Run<P::Move>) {
        let levels = &self.levels;
        run.meter.record(self.new.reported, &self.new.moves, || highest_adapted(levels));
        self.ascend(0, score, run);
    }

    /// Puts a playout of level 1 on another thread into `new`, if it has a sequence and that is needed.
    fn fetch(
        &mut self,
        score: f64,
        reported: f64,
        sequence: Option<&Sequence<P>>,
        run: &Run<P::Move>,
    ) {
        let level = &self.levels[0];
        if let Some(sequence) = sequence
            && (score >= level.best_score || reported > run.meter.score)
        {
            match level.repeats(score, sequence) {
                true => self.new.copy_choices(sequence),
                false => self.new.copy(sequence),
            }
        }
    }

    /// Becomes a copy of another search with the same settings, but lends nothing.
    fn copy(&mut self, other: &Self) {
        self.policy.copy(&other.policy);
        self.trail.leave();
        for (level, other) in self.levels.iter_mut().zip(&other.levels) {
            level.copy(other, &self.policy);
        }
    }

    /// Takes over a sequence from outside if there is one and the top level stands between two
    /// children. Returns whether it did.
    #[inline]
    fn adopt(&mut self, problem: &Biased<P>, run: &mut Run<P::Move>) -> bool {
        run.adopted.is_some() && self.between_children() && self.take_over(problem, run)
    }

    /// Whether all children of the top level that share a policy are done, or none has begun.
    fn between_children(&self) -> bool {
        self.levels.split_last().is_none_or(|(top, lower)| {
            top.completes_batch() && lower.iter().all(|level| level.iteration == 0)
        })
    }

    #[cold]
    fn take_over(&mut self, problem: &Biased<P>, run: &mut Run<P::Move>) -> bool {
        let Nrpa { levels, policy, playouts, trail, new, borrower, above, .. } = self;
        trail.leave();
        let Some(adopted) = run.adopted.take() else { return false };
        let is_above = *above + 1 == levels.len();
        if let (Some(top), Ok(score)) =
            (levels.last_mut(), playouts.follow(problem, policy, &adopted.moves, new))
        {
            if is_above && let Some(borrower) = borrower {
                borrower.pool().adopt(score, new);
            }
            top.adopt((score, new), adopted.strength, policy, playouts);
        } else if problem.failed() {
            run.adopted = Some(adopted);
        }
        true
    }

    /// Keeps the memory of hashed policies flat.
    #[inline]
    fn compact(&mut self) {
        if self.policy.is_large() {
            level::compact(&mut self.policy, self.levels.iter_mut());
        }
    }

    /// Begins the search that a level with this policy runs as its child with this key.
    fn begin_child(&mut self, policy: &Policy<P::Code>, key: Key, run: &mut Run<P::Move>) {
        *run = Run::new(key);
        self.policy.copy(policy);
        let top = self.levels.len() - 1;
        self.borrower.iter_mut().for_each(|borrower| borrower.cancel());
        self.begin_level(top, key);
        self.descend(top, run);
    }
}

/// The highest level that has adapted its policy, or 0.
fn highest_adapted<P: Problem>(levels: &[Level<P>]) -> u32 {
    levels.iter().rposition(|level| level.adapted).map_or(0, |index| index as u32 + 1)
}

#[cfg(test)]
mod tests;
