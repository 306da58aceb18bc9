//! Polish: local search over the order of the moves of a finished sequence.
//!
//! Nested search learns a policy well and finishes its sequences badly: the best one of a level is
//! seldom a local optimum of its own order. Polish changes it a little, again and again, and keeps
//! what is not worse:
//!
//! ```text
//! polish(sequence):
//!   until there was no gain for T * K * n tries:
//!     a place of the sequence, after an item a
//!     an item b that may well follow a            (one in eight times: any item)
//!     bring b next to a: reverse what is between, swap b with the item after a, or move a block
//!       of one to three that begins at b, or the same backwards
//!     keep the change if what steers is not worse
//!   return the best order seen, by the score
//! ```
//!
//! The items are the moves, wherever they are played. K of them may well follow an item: those that
//! do in the last local optima, then those that the policy favours (`candidates.rs`). What steers
//! is the problem's guide, if it has one. If the guide and the score differ at its local optimum, the
//! score steers from there on. The winner is replayed by the rules (`replay.rs`).
//!
//! A nested search polishes the result of every search of level 1 before level 2 takes it
//! (`memetic.rs`). Its policy then adapts to local optima.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::problem::{Orders, Problem, Steer};
use crate::random::Random;
use candidates::Candidates;
use operators::Change;
pub use orders::{Light, Replays};

mod candidates;
pub(crate) mod memetic;
mod operators;
mod orders;
pub(crate) mod pool;
mod replay;

/// One proposal in so many brings any item next to any other.
const ANY: usize = 8;

/// The place of an item that a sequence does not have.
const NOWHERE: u32 = u32::MAX;

/// Moves by which a kick changes a sequence.
const KICKS: usize = 3;

/// The settings of polish, by the names that Python gives them.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// K, the items that may well follow an item.
    pub candidates: usize,
    /// T: polish ends after T * K * n tries without a gain.
    pub tries: u64,
    /// The share of polishes that begin with the best sequence of level 2, changed at random.
    pub kick: f64,
    /// The local optima of level 2 that proposals come from.
    pub pool: usize,
}

/// What a try came to.
pub(crate) enum Try {
    /// The proposal would have changed nothing.
    Nothing,
    /// A changed sequence was evaluated.
    Evaluated,
    /// It is better by what steers, and has this score.
    Gain(f64),
}

/// A polish in progress.
#[derive(Serialize, Deserialize)]
pub(crate) struct Polish {
    random: Random,
    /// The items in their present order, and the place of each.
    order: Vec<u32>,
    #[serde(skip)]
    places: Vec<u32>,
    candidates: Candidates,
    by: Steer,
    /// What steers, at the present order.
    value: f64,
    /// Tries since the last gain, and how many are the end.
    idle: u64,
    patience: u64,
    /// The best order by the score.
    best: Vec<u32>,
    best_score: f64,
    #[serde(skip)]
    before: Vec<u32>,
}

impl Polish {
    fn new(random: Random, order: Vec<u32>, settings: &Settings) -> Self {
        let each = settings.tries.saturating_mul(settings.candidates as u64);
        // One item has one order.
        let patience = if order.len() < 2 { 0 } else { each.saturating_mul(order.len() as u64) };
        Polish {
            random,
            order,
            places: Vec::new(),
            candidates: Candidates::default(),
            by: Steer::Guide,
            value: f64::NEG_INFINITY,
            idle: 0,
            patience,
            best: Vec::new(),
            best_score: f64::NEG_INFINITY,
            before: Vec::new(),
        }
    }

    /// Whether the local search has ended.
    pub(crate) fn ended(&self) -> bool {
        self.idle >= self.patience
    }

    /// One try. If the problem fails, it is as if there had been none.
    pub(crate) fn attempt<P: Problem>(&mut self, problem: &P, orders: &mut dyn Orders<P>) -> Try {
        let (random, idle) = (self.random, self.idle);
        self.idle += 1;
        let Some(change) = self.propose() else { return Try::Nothing };
        let first = change.window.start;
        change.apply(&mut self.order, &mut self.before);
        let value = orders.evaluate(problem, &self.order, first, self.by, self.value);
        let gain = value > self.value;
        if value >= self.value {
            orders.accept(first);
            let score = if gain { orders.score(problem) } else { 0.0 };
            if !problem.failed() {
                self.note_places(change.window);
                if !gain {
                    return Try::Evaluated;
                }
                (self.value, self.idle) = (value, 0);
                self.keep_best(score);
                return Try::Gain(score);
            }
            // What was the present order becomes it again.
            orders.accept(first);
        }
        change.undo(&mut self.order, &self.before);
        if problem.failed() {
            (self.random, self.idle) = (random, idle);
        }
        Try::Evaluated
    }

    /// Proposes a change, or none if it would change nothing.
    fn propose(&mut self) -> Option<Change> {
        let to = self.random.below(self.order.len());
        let after = to.checked_sub(1).map(|place| self.order[place]);
        let likely = self.candidates.after(after);
        let from = if self.random.below(ANY) == 0 || likely.is_empty() {
            self.random.below(self.order.len())
        } else {
            self.places[likely[self.random.below(likely.len())] as usize] as usize
        };
        Change::draw(self.order.len(), to, from, &mut self.random)
    }

    /// Makes some changes at random.
    fn kick(&mut self) {
        for _ in 0..KICKS {
            let (to, from) =
                (self.random.below(self.order.len()), self.random.below(self.order.len()));
            if let Some(change) = Change::draw(self.order.len(), to, from, &mut self.random) {
                change.apply(&mut self.order, &mut self.before);
            }
        }
    }

    /// Keeps the present order if it is the best by the score.
    fn keep_best(&mut self, score: f64) {
        if score >= self.best_score {
            self.best_score = score;
            self.best.clone_from(&self.order);
        }
    }

    /// At the local optimum of a guide that differs from the score, the score goes on to steer.
    pub(crate) fn go_on<P: Problem>(&mut self, problem: &P, orders: &dyn Orders<P>) {
        let score = orders.score(problem);
        if self.by == Steer::Guide && score != self.value {
            (self.by, self.value, self.idle) = (Steer::Score, score, 0);
        }
    }

    /// Notes where all items are.
    fn find_places(&mut self) {
        let greatest = self.order.iter().max().map_or(0, |&item| item as usize + 1);
        self.places.clear();
        self.places.resize(greatest, NOWHERE);
        self.note_places(0..self.order.len());
    }

    /// Checks what comes from a file.
    fn check(&self) -> Result<(), String> {
        let sorted = |order: &[u32]| {
            let mut items = order.to_vec();
            items.sort_unstable();
            items
        };
        let best = sorted(&self.best) == sorted(&self.order);
        match best && self.candidates.are_of(&self.places) {
            true => Ok(()),
            false => Err("a polish has other items than its sequence".into()),
        }
    }

    /// Notes where the items of a window are.
    fn note_places(&mut self, window: Range<usize>) {
        for place in window {
            self.places[self.order[place] as usize] = place as u32;
        }
    }
}

#[cfg(test)]
mod tests;
