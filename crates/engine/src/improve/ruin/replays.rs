//! How a changed order is evaluated: a light replay from the first place that has changed. After the
//! last such place the rest of the sequence, summed up, may show that it is worse.

use std::ops::Range;

use super::Orders;
use crate::problem::Problem;

/// A light replay: what a state has that its guide and its score need, and no list of legal moves. It plays
/// items. An item is what a move is wherever it is played, a small number.
pub trait Light<P: Problem>: Clone + Send + Sync + 'static {
    /// The rest of a sequence, summed up; `()` without that.
    type Rest: Clone + Send + Sync;

    /// Whether an evaluation costs so little that the time is not looked at after each.
    const QUICK: bool = true;

    /// Whether the problem has this item.
    fn has(problem: &P, item: u32) -> bool;

    /// The root.
    fn start(problem: &P) -> Self;

    /// Plays the move of an item, which may come at any place.
    fn step(&mut self, problem: &P, item: u32);

    /// What steers, at the end of a sequence: higher is better, and never NaN.
    fn value(&self, problem: &P) -> f64;

    /// The score there, which must be the one that the rules give, to the bit.
    fn score(&self, problem: &P) -> f64 {
        self.value(problem)
    }

    /// What steers is at most this in all sequences that begin like this.
    fn bound(&self, _problem: &P) -> f64 {
        f64::INFINITY
    }

    /// The rest that is left at the end of a sequence; nothing if rests are not summed up.
    fn end(_problem: &P) -> Option<Self::Rest> {
        None
    }

    /// Puts an item before a rest.
    fn before(_problem: &P, _item: u32, _rest: &mut Self::Rest) {}

    /// What the sequence that goes on with this rest does not exceed.
    fn joined(&self, _problem: &P, _rest: &Self::Rest) -> f64 {
        f64::INFINITY
    }

    /// The item of a legal move of `state`.
    fn item(problem: &P, state: &P::State, mv: P::Move) -> u32;

    /// Whether [`Light::task`] says which moves stand for each other.
    fn tasks(_problem: &P) -> bool {
        false
    }

    /// What a legal move of `state` does: those that do the same stand for each other. Any number.
    fn task(_problem: &P, _state: &P::State, _mv: P::Move) -> u32 {
        0
    }

    /// Called if the problem has failed at this order, so that it can say where.
    fn blame(_problem: &P, _order: &[u32]) {}

    /// Puts the moves of these items, in their order, into `moves`. That order has this score.
    fn moves(problem: &P, order: &[u32], score: f64, moves: &mut Vec<P::Move>);
}

/// Evaluates orders by light replays.
pub struct Replays<P: Problem, L: Light<P>> {
    /// The present order, the state before each of its places, and the one after its last. Those up to
    /// place `made` are up to date.
    order: Vec<u32>,
    states: Vec<L>,
    made: usize,
    /// The same of the order that was evaluated last: where it differs, and its items there.
    window: Range<usize>,
    items: Vec<u32>,
    others: Vec<L>,
    others_made: usize,
    rests: Rests<P, L>,
}

/// The ends of the present order, summed up: first none of its items, then the last, the last two, and
/// so on. Those of at most `made` items are up to date. There are none if rests are not summed up.
struct Rests<P: Problem, L: Light<P>> {
    rests: Vec<L::Rest>,
    made: usize,
}

impl<P: Problem, L: Light<P>> Default for Replays<P, L> {
    fn default() -> Self {
        let rests = Rests { rests: Vec::new(), made: 0 };
        let (order, states, items, others) = Default::default();
        Replays { order, states, made: 0, window: 0..0, items, others, others_made: 0, rests }
    }
}

impl<P: Problem, L: Light<P>> Rests<P, L> {
    /// The rest of so many items.
    #[inline(always)]
    fn get(&mut self, problem: &P, order: &[u32], count: usize) -> Option<&L::Rest> {
        while self.made < count && !self.rests.is_empty() {
            let (shorter, rest) = self.rests.split_at_mut(self.made + 1);
            rest[0].clone_from(&shorter[self.made]);
            L::before(problem, order[order.len() - self.made - 1], &mut rest[0]);
            if problem.failed() {
                return None;
            }
            self.made += 1;
        }
        self.rests.get(count)
    }
}

impl<P: Problem, L: Light<P>> Replays<P, L> {
    /// Makes the states up to a place, and room for orders of so many items. False if the problem
    /// fails.
    #[inline(always)]
    fn reach(&mut self, problem: &P, place: usize, room: usize) -> bool {
        if self.states.len() <= room {
            let start = L::start(problem);
            if problem.failed() {
                return false;
            }
            self.states.resize(room + 1, start.clone());
            self.others.resize(room + 1, start);
            if let Some(end) = L::end(problem) {
                self.rests.rests.resize(room + 1, end);
            }
        }
        while self.made < place {
            let (state, next) = self.states.split_at_mut(self.made + 1);
            next[0].clone_from(&state[self.made]);
            next[0].step(problem, self.order[self.made]);
            if problem.failed() {
                return false;
            }
            self.made += 1;
        }
        true
    }
}

impl<P: Problem, L: Light<P>> Replays<P, L> {
    /// What is said of the present order.
    fn at_end(&mut self, problem: &P, said: impl FnOnce(&L, &P) -> f64) -> f64 {
        let count = self.order.len();
        match self.reach(problem, count, count) {
            true => said(&self.states[count], problem),
            false => f64::NEG_INFINITY,
        }
    }
}

impl<P: Problem, L: Light<P>> Orders<P> for Replays<P, L> {
    type Light = L;

    fn begin(&mut self, problem: &P, order: &[u32]) {
        let same = |pair: &(&u32, &u32)| pair.0 == pair.1;
        let begins = self.order.iter().zip(order).take_while(same).count();
        let ends = self.order.iter().rev().zip(order.iter().rev()).take_while(same).count();
        self.made = self.made.min(begins);
        self.rests.made = self.rests.made.min(ends);
        self.order.clear();
        self.order.extend_from_slice(order);
        self.reach(problem, order.len(), order.len());
    }

    fn evaluate(&mut self, problem: &P, order: &[u32], window: Range<usize>, floor: f64) -> f64 {
        let Range { start, end } = window;
        self.window = window;
        self.items.clear();
        self.items.extend_from_slice(&order[start..end]);
        self.others_made = order.len();
        if !self.reach(problem, start, order.len()) {
            return f64::NEG_INFINITY;
        }
        let mut state = &self.states[start];
        let places = (start + 1..).zip(&order[start..]);
        for ((place, &item), next) in places.zip(&mut self.others[start + 1..]) {
            next.clone_from(state);
            next.step(problem, item);
            if next.bound(problem) < floor {
                return f64::NEG_INFINITY;
            }
            state = next;
            if place == end {
                let rest = self.rests.get(problem, &self.order, order.len() - end);
                if rest.is_some_and(|rest| state.joined(problem, rest) < floor) {
                    return f64::NEG_INFINITY;
                }
            }
        }
        state.value(problem)
    }

    fn accept(&mut self) {
        let Range { start, end } = self.window.clone();
        let count = self.order.len();
        self.states[start + 1..=count].swap_with_slice(&mut self.others[start + 1..=count]);
        std::mem::swap(&mut self.made, &mut self.others_made);
        self.order[start..end].swap_with_slice(&mut self.items);
        self.rests.made = self.rests.made.min(count - end);
    }

    fn value(&mut self, problem: &P) -> f64 {
        self.at_end(problem, L::value)
    }

    fn score(&mut self, problem: &P, value: Option<f64>) -> f64 {
        value.unwrap_or_else(|| self.at_end(problem, L::score))
    }

    fn moves(&self, problem: &P, order: &[u32], score: f64, moves: &mut Vec<P::Move>) {
        L::moves(problem, order, score, moves);
    }
}
