//! Playouts of level 1 that follow its best sequence as far as their random numbers do.
//!
//! The more the policy has adapted, the longer a playout plays the best sequence again. Which random
//! numbers choose its moves is known beforehand: after adapting, the trail notes for each step the
//! total weight and the interval of the chosen move. A playout compares its random numbers with
//! these, and lists moves and draws only from the first step on that leaves the best sequence. It
//! begins there from a state that was kept some steps before.
//!
//! Nothing that a search finds depends on it. So the trail is only laid while playouts share a good
//! part of their legal moves with the best sequence: elsewhere it costs more than it saves.

use super::level::Level;
use crate::biased::Biased;
use crate::math::{self, Interval, SAFE};
use crate::playout::Playouts;
use crate::policy::Policy;
use crate::policy::contiguous::Contiguous;
use crate::problem::Problem;
use crate::random::Random;
use crate::sequence::Sequence;
use crate::way::Way;

/// The share of legal moves from which on it pays to lay a trail.
const SHARE: f64 = 0.2;

/// How much the share of one playout counts in the average.
const RATE: f64 = 1.0 / 16.0;

/// The most states that are kept.
const STATES: usize = 16;

/// The best sequence of level 1, as playouts follow it.
pub(super) struct Trail<P: Problem> {
    /// The share of legal moves from which on the trail is laid.
    pub(super) enough: f64,
    /// The average share of the legal moves that playouts have in common with the best sequence.
    share: f64,
    /// Whether the rest belongs to the best sequence and the policy as they are, if the level has
    /// noted that sequence.
    laid: bool,
    /// For each step of the best sequence; of no meaning for forced moves.
    intervals: Vec<Interval>,
    /// Its weights, if they can lie side by side.
    contiguous: Contiguous,
    side_by_side: bool,
    way: Way<P>,
}

impl<P: Problem> Trail<P> {
    pub(super) fn new() -> Self {
        let (share, laid, intervals, contiguous, side_by_side, way) = Default::default();
        Trail { enough: SHARE, share, laid, intervals, contiguous, side_by_side, way }
    }

    /// Ends the trail: the policy has changed otherwise than by `adapt`.
    pub(super) fn leave(&mut self) {
        self.laid = false;
    }

    /// Whether playouts of this level may follow a trail.
    fn may_lead(level: &Level<P>) -> bool {
        P::REPLAYS && level.drawn && level.settings.may_replay()
    }

    /// Runs the playout of level 1 that comes after so many that run with the same policy.
    #[inline]
    pub(super) fn playout(
        &mut self,
        problem: &Biased<P>,
        (level, ahead): (&Level<P>, u64),
        policy: &Policy<P::Code>,
        playouts: &mut Playouts<P>,
        new: &mut Sequence<P>,
    ) -> f64 {
        let (key, best) = (level.key.child(level.iteration + ahead), &level.best);
        if !self.laid || !level.noted {
            let score = P::within(|| playouts.run_unlike(problem, policy, key, &level.known, new));
            if level.iteration > 0 && Self::may_lead(level) {
                let pairs = new.steps.iter().zip(&best.steps);
                self.count(pairs.take_while(|(new, best)| new == best).count(), best);
            }
            return score;
        }
        let mut random = playouts.begin(key);
        let steps = self.follow(best, &mut random);
        self.count(steps, best);
        new.copy_steps(best, steps);
        if steps == best.steps.len() {
            return level.best_score;
        }
        playouts.resume(
            problem,
            policy,
            &mut random,
            |state| self.way.go_to(problem, steps, state),
            new,
        )
    }

    /// Notes how many steps a playout shares with the best sequence.
    fn count(&mut self, steps: usize, best: &Sequence<P>) {
        let legal = steps.checked_sub(1).map_or(0, |last| best.steps[last].end);
        self.share += (f64::from(legal) / best.codes.len().max(1) as f64 - self.share) * RATE;
    }

    /// The number of steps that these random numbers follow the best sequence. Leaves those of the
    /// other steps.
    fn follow(&self, best: &Sequence<P>, random: &mut Random) -> usize {
        let mut start = 0;
        for (number, (step, interval)) in best.steps.iter().zip(&self.intervals).enumerate() {
            // A forced move takes no random number.
            if step.end - start > 1 {
                let before = *random;
                let threshold = math::threshold(random.uniform(), interval.total);
                if !interval.contains(threshold) {
                    *random = before;
                    return number;
                }
            }
            start = step.end;
        }
        best.steps.len()
    }

    /// policy <- Adapt(policy, best) of level 1, and notes the intervals that follow from it.
    pub(super) fn adapt(
        &mut self,
        level: &mut Level<P>,
        policy: &mut Policy<P::Code>,
        playouts: &mut Playouts<P>,
    ) {
        let known = self.laid && level.noted;
        self.laid = self.share >= self.enough && Self::may_lead(level);
        if !self.laid {
            return level.adapt(policy, playouts);
        }
        level.note(policy);
        let (best, rate) = (&mut level.best, level.settings.rate);
        if !known {
            self.way.take(&best.moves, STATES);
            self.side_by_side = self.contiguous.gather(policy, best);
            self.survey(policy, best);
        }
        let safe = |interval: &Interval| SAFE.contains(&interval.total);
        if self.side_by_side && self.intervals.iter().all(safe) {
            self.contiguous.adapt(policy, best, &self.intervals, rate);
        } else {
            playouts.adapt_known(policy, best, rate, &self.intervals);
            self.side_by_side = self.contiguous.gather(policy, best);
        }
        self.survey(policy, best);
    }

    /// Works out the intervals of all steps.
    fn survey(&mut self, policy: &Policy<P::Code>, best: &Sequence<P>) {
        if self.side_by_side {
            return self.contiguous.survey(best, &mut self.intervals);
        }
        self.intervals.clear();
        let mut start = 0;
        for step in &best.steps {
            let moves = start..step.end as usize;
            start = moves.end;
            self.intervals.push(if moves.len() == 1 {
                Interval::EVERYTHING
            } else {
                let factors = best.factors.get(moves.clone()).unwrap_or_default();
                policy.interval(&best.slots[moves], factors, step.chosen as usize)
            });
        }
    }
}

#[cfg(test)]
mod tests;
