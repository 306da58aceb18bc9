//! One level of a nested search: its best sequence, and when and to what it adapts.

use serde::{Deserialize, Serialize};

use super::settings::LevelSettings;
use crate::biased::Biased;
use crate::playout::Playouts;
use crate::policy::Policy;
use crate::policy::undo::{self, Journal};
use crate::problem::Problem;
use crate::random::Key;
use crate::sequence::{Sequence, Step, check_codes};
use crate::state::{Reader, Writer};

impl LevelSettings {
    /// Whether a playout that begins as the best sequence need not be told from others.
    pub(super) fn may_replay(&self) -> bool {
        !self.force_explore && self.bias_rate.is_none()
    }
}

/// A level in progress.
pub(super) struct Level<P: Problem> {
    pub(super) settings: LevelSettings,
    pub(super) key: Key,
    pub(super) iteration: u64,
    pub(super) best: Sequence<P>,
    pub(super) best_score: f64,
    /// Whether this search drew the best sequence. One from outside may have moves that the rules
    /// leave out, and one from a file may come from outside.
    pub(super) drawn: bool,
    /// How often the best sequence has been found again.
    pub(super) repeated: u64,
    pub(super) journal: Journal,
    /// Whether the journal has the codes of `best`.
    pub(super) noted: bool,
    /// With force explore, the steps of the sequence that the policy adapted to last.
    pub(super) known: Vec<Step>,
    warm_up: WarmUp,
    /// Whether the policy has adapted.
    pub(super) adapted: bool,
}

impl<P: Problem> Level<P> {
    pub(super) fn new(settings: LevelSettings, key: Key) -> Self {
        Level {
            settings,
            key,
            iteration: 0,
            best: Sequence::default(),
            best_score: f64::NEG_INFINITY,
            drawn: false,
            repeated: 0,
            journal: Journal::default(),
            noted: false,
            known: Vec::new(),
            warm_up: WarmUp::default(),
            adapted: false,
        }
    }

    pub(super) fn begin(&mut self, key: Key) {
        self.key = key;
        self.iteration = 0;
        self.best_score = f64::NEG_INFINITY;
        self.repeated = 0;
        self.known.clear();
        self.warm_up.begin();
        self.adapted = false;
        self.journal.begin();
    }

    /// Becomes a copy of a level, of a search with this policy, which has just been copied.
    pub(super) fn copy(&mut self, other: &Self, policy: &Policy<P::Code>) {
        (self.key, self.iteration) = (other.key, other.iteration);
        self.best.copy(&other.best);
        (self.best_score, self.drawn) = (other.best_score, other.drawn);
        self.repeated = other.repeated;
        self.journal.copy(&other.journal, policy);
        self.noted = false;
        self.known.clone_from(&other.known);
        self.warm_up.clone_from(&other.warm_up);
        self.adapted = other.adapted;
    }

    /// Takes the result of the level below; ties are accepted. If it is the best sequence again,
    /// that stays, with all that is prepared for it.
    pub(super) fn accept(&mut self, score: f64, new: &mut Sequence<P>) {
        if self.repeats(score, new) {
            self.repeated += 1;
        } else if score >= self.best_score {
            self.best_score = score;
            std::mem::swap(&mut self.best, new);
            (self.drawn, self.noted) = (true, false);
            self.repeated = 0;
        }
        self.iteration += 1;
        if let Some(c) = self.settings.warm_start {
            self.warm_up.take(score, (self.iteration, self.settings.iterations), c);
        }
    }

    /// Whether a result is the best sequence again: the same choices from the root.
    pub(super) fn repeats(&self, score: f64, new: &Sequence<P>) -> bool {
        let best = &self.best;
        self.iteration > 0
            && score == self.best_score
            && new.steps == best.steps
            && new.moves == best.moves
    }

    /// Whether all children that share a policy are done.
    pub(super) fn completes_batch(&self) -> bool {
        self.iteration.is_multiple_of(self.settings.width)
    }

    /// Whether the policy adapts now.
    pub(super) fn adapts(&self) -> bool {
        self.completes_batch() && (self.settings.warm_start.is_none() || self.warm_up.ended)
    }

    /// Iterations done and to do.
    pub(super) fn progress(&self) -> (u64, u64) {
        (self.iteration, self.settings.iterations)
    }

    pub(super) fn finished(&self) -> bool {
        self.iteration >= self.settings.iterations
            || self.settings.repetitions.is_some_and(|most| self.repeated >= most)
                && self.completes_batch()
    }

    /// policy <- Adapt(policy, best); notes what changes.
    pub(super) fn adapt(&mut self, policy: &mut Policy<P::Code>, playouts: &mut Playouts<P>) {
        self.note(policy);
        if let Some(rate) = self.settings.bias_rate {
            playouts.adapt_biases(policy, &mut self.best, rate);
        }
        playouts.adapt(policy, &mut self.best, self.settings.rate);
    }

    /// Notes what adapting to the best sequence will change.
    pub(super) fn note(&mut self, policy: &mut Policy<P::Code>) {
        self.adapted = true;
        policy.prepare(&mut self.best);
        if !self.noted {
            self.journal.note(policy, &self.best.touched);
            self.noted = true;
            if self.settings.force_explore {
                self.known.clone_from(&self.best.steps);
            }
        }
    }

    /// Takes over a sequence from outside if it is as good as the best, and adapts to it.
    pub(super) fn adopt(
        &mut self,
        (score, sequence): (f64, &Sequence<P>),
        strength: u64,
        policy: &mut Policy<P::Code>,
        playouts: &mut Playouts<P>,
    ) {
        if score >= self.best_score {
            self.best_score = score;
            self.best.copy(sequence);
            (self.drawn, self.noted) = (false, false);
            self.repeated = 0;
            (0..strength).for_each(|_| self.adapt(policy, playouts));
        }
    }

    pub(super) fn write(&self, codes: &[Option<P::Code>], writer: &mut Writer) {
        writer.put(&(self.key, self.iteration, self.best_score, self.repeated));
        // What is left of the search before is not needed.
        let blank = self.iteration == 0 && self.best_score == f64::NEG_INFINITY;
        let none = Sequence::default();
        writer.put(if blank { &none } else { &self.best });
        writer.put(&(&self.known, &self.warm_up, self.adapted));
        writer.put(&self.journal.by_code(codes));
        writer.put(&self.journal.bias_weights);
    }

    pub(super) fn read(
        &mut self,
        problem: &Biased<P>,
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
        (self.drawn, self.noted) = (false, false);
        Ok(())
    }
}

/// Warm start: the results of a level until one of good relative rank lets it adapt, by a rule of
/// optimal stopping (Dang et al., AAAI 2023).
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct WarmUp {
    ended: bool,
    /// Scores, the best first.
    scores: Vec<f64>,
}

impl WarmUp {
    fn begin(&mut self) {
        self.ended = false;
        self.scores.clear();
    }

    /// Takes the result of iteration `i` of `n`, counted from 1. The first result with a relative
    /// rank R <= i c / (n + 1 - i) ends the warm start. R is one more than the number of better
    /// results before it.
    fn take(&mut self, score: f64, (i, n): (u64, u64), c: f64) {
        if self.ended {
            return;
        }
        let better = self.scores.partition_point(|&before| before > score);
        self.scores.insert(better, score);
        self.ended = (better + 1) as f64 <= i as f64 * c / (n + 1).saturating_sub(i) as f64;
    }
}

/// Drops the slots of codes that no weight and none of these levels needs.
pub(super) fn compact<'a, P: Problem + 'a>(
    policy: &mut Policy<P::Code>,
    levels: impl Iterator<Item = &'a mut Level<P>>,
) {
    let journals = levels.map(|level| {
        level.noted = false;
        &mut level.journal
    });
    undo::compact(policy, &mut journals.collect::<Vec<_>>());
}
