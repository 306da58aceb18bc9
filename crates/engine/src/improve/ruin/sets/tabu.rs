//! Tabu search over sets: always the best change of one move.
//!
//! ```text
//! for i = 1, 2, ...: a walk
//!   x <- a game that the bias draws, of n moves
//!   2n luby(i) times:
//!     for each move a of x:
//!       for each other move b that is legal once a is taken back: evaluate x with b in place of a
//!     x <- the best of them whose b is not tabu, or which is better than the walk ever was
//!     a is tabu for n/10 to n/5 steps
//! ```
//!
//! Each evaluation is a try. Between two of them of the same a, that move is out of the state.

use serde::{Deserialize, Serialize};

use super::{SetProblem, Sets, Tried, VAIN};
use crate::random::Random;

/// The steps of the shortest walk, for each move of the first game.
const STEPS: u64 = 2;
/// A move is tabu for at least this part of as many steps as the game has moves, and at most twice
/// that.
const TABU: usize = 10;

/// Where a walk is.
#[derive(Clone, Default, Serialize, Deserialize)]
pub(super) struct Walk<I> {
    /// The walks so far, and the steps that are left of this one.
    number: u64,
    left: u64,
    /// The best value of this walk.
    best: f64,
    /// The steps so far, and until which of them moves are tabu.
    steps: u64,
    tabu: Vec<(I, u64)>,
    /// The place of a, the move itself while it is out, the moves b, and how many are evaluated.
    place: usize,
    out: Option<I>,
    others: Vec<I>,
    next: usize,
    /// The best change so far: its value, how many are as good, a, its place, and the new moves.
    value: f64,
    ties: usize,
    gone: usize,
    new: Vec<I>,
}

impl<I: Copy + Default> Walk<I> {
    pub(super) fn new() -> Self {
        Walk { best: f64::NEG_INFINITY, value: f64::NEG_INFINITY, ..Walk::default() }
    }

    /// Becomes a copy of another one, and keeps its memory.
    pub(super) fn copy(&mut self, other: &Self) {
        let mut vectors = (
            std::mem::take(&mut self.tabu),
            std::mem::take(&mut self.others),
            std::mem::take(&mut self.new),
        );
        vectors.0.clone_from(&other.tabu);
        vectors.1.clone_from(&other.others);
        vectors.2.clone_from(&other.new);
        let (tabu, others, new) = vectors;
        *self = Walk { tabu, others, new, ..*other };
    }

    /// Begins a step: nothing is evaluated.
    pub(super) fn stand(&mut self) {
        (self.place, self.out, self.next, self.ties) = (0, None, 0, 0);
        self.value = f64::NEG_INFINITY;
        self.others.clear();
        self.new.clear();
    }

    /// Notes what x with `new` in place of a comes to.
    fn weigh(&mut self, value: f64, new: &[I], random: &mut Random)
    where
        I: PartialEq,
    {
        let tabu = |&(item, until): &(I, u64)| item == new[0] && until > self.steps;
        if value <= self.best && self.tabu.iter().any(tabu) {
            return;
        }
        if self.ties == 0 || value > self.value {
            self.ties = 1;
        } else if value == self.value {
            self.ties += 1;
            if random.below(self.ties) > 0 {
                return;
            }
        } else {
            return;
        }
        (self.value, self.gone) = (value, self.place);
        self.new.clear();
        self.new.extend_from_slice(new);
    }

    /// Whether it can be one at these items, of a game or with a move out; if it comes from a file.
    pub(super) fn is_sound(&self, items: &[I]) -> bool {
        let count = items.len() + usize::from(self.out.is_some());
        let numbers = [self.best, self.value].iter().all(|value| !value.is_nan());
        let places = self.place < count || self.place == 0 && self.out.is_none();
        let change = self.new.is_empty() || self.gone < count;
        numbers && places && change && self.next <= self.others.len()
    }

    /// Whether the move that is out and those in its place are among the legal ones.
    pub(super) fn is_legal(&self, legal: &[I]) -> bool
    where
        I: PartialEq,
    {
        self.out.iter().chain(&self.others).all(|item| legal.contains(item))
    }
}

impl<P: SetProblem> Sets<P> {
    /// One evaluation of a walk, and its step if it was the last one of it.
    pub(super) fn walk(&mut self, problem: &P, random: &mut Random) -> Tried {
        if self.at.walk.left == 0 {
            let value = self.deal(problem, random);
            let (steps, walk) = (STEPS * self.at.items.len().max(1) as u64, &mut self.at.walk);
            walk.number += 1;
            (walk.left, walk.best) = (steps.saturating_mul(luby(walk.number)), value);
            walk.tabu.clear();
            walk.stand();
            return Tried { value, insists: true };
        }
        if self.at.walk.next == self.at.walk.others.len() && !self.open(problem) {
            self.at.walk.stand();
            self.at.vain = self.at.vain.map(|_| VAIN);
            return Tried { value: f64::NEG_INFINITY, insists: false };
        }
        self.at.vain = None;
        let (count, logged) = (self.at.items.len(), self.log.len());
        if Self::copies(problem) {
            self.legal.spare.clone_from(&self.state);
        }
        self.put(problem, self.at.walk.others[self.at.walk.next]);
        self.list(problem);
        let value = self.complete(problem, random);
        self.at.walk.weigh(value, &self.at.items[count..], random);
        if Self::copies(problem) {
            self.state.clone_from(&self.legal.spare);
            self.log.truncate(logged);
            self.at.items.truncate(count);
        } else {
            self.shrink(problem, count);
        }
        self.at.walk.next += 1;
        match self.at.walk.next < self.at.walk.others.len() || self.open(problem) {
            true => Tried { value: f64::NEG_INFINITY, insists: false },
            false => self.step(problem, random),
        }
    }

    /// Goes on to the next move a that others can replace. False if there is none.
    fn open(&mut self, problem: &P) -> bool {
        loop {
            if let Some(out) = self.at.walk.out.take() {
                self.put(problem, out);
                let last = self.at.items.len() - 1;
                self.at.items.swap(self.at.walk.place, last);
                self.at.walk.place += 1;
            }
            if self.at.walk.place == self.at.items.len() || problem.failed() {
                return false;
            }
            let out = self.take(problem, self.at.walk.place);
            self.settle(problem);
            self.list(problem);
            let (walk, legal) = (&mut self.at.walk, &self.legal);
            walk.others.clear();
            walk.others.extend(legal.allowed().filter(|&other| other != out));
            (walk.out, walk.next) = (Some(out), 0);
            if !walk.others.is_empty() {
                return true;
            }
            self.work += 1;
        }
    }

    /// Makes the best change.
    fn step(&mut self, problem: &P, random: &mut Random) -> Tried {
        let (count, walk) = (self.at.items.len(), &mut self.at.walk);
        (walk.left, walk.steps) = (walk.left - 1, walk.steps + 1);
        let (new, value, gone) = (std::mem::take(&mut walk.new), walk.value, walk.gone);
        walk.stand();
        if new.is_empty() || problem.failed() {
            return Tried { value: f64::NEG_INFINITY, insists: false };
        }
        walk.best = walk.best.max(value);
        let until = walk.steps + (count / TABU + random.below(count / TABU + 1)).max(1) as u64;
        walk.tabu.retain(|&(_, until)| until > walk.steps);
        let item = self.take(problem, gone);
        self.at.walk.tabu.push((item, until));
        self.settle(problem);
        for &item in &new {
            self.put(problem, item);
        }
        self.at.value = value;
        Tried { value, insists: true }
    }
}

/// The i-th number of 1, 1, 2, 1, 1, 2, 4, 1, ... (Luby, Sinclair and Zuckerman 1993).
fn luby(i: u64) -> u64 {
    let power = (i + 1).next_power_of_two();
    if power == i + 1 { power / 2 } else { luby(i - (power / 2 - 1)) }
}

#[cfg(test)]
mod tests {
    #[test]
    fn lengths_of_walks() {
        let found: Vec<u64> = (1..=15).map(super::luby).collect();
        assert_eq!(found, [1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8]);
    }
}
