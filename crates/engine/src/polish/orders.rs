//! How a changed order is evaluated: a light replay from the first place that has changed.

use crate::problem::{Orders, Problem, Steer};

/// A light replay: what a state has that its guide and its score need, and no list of legal moves.
pub trait Light<P: Problem>: Clone + Send + Sync + 'static {
    /// See [`Orders::quick`].
    const QUICK: bool = true;

    /// See [`Orders::has`].
    fn has(problem: &P, item: u32) -> bool;

    /// The root.
    fn start(problem: &P) -> Self;

    /// Plays the move of an item, which may come at any place.
    fn step(&mut self, problem: &P, item: u32);

    /// What steers, at the end of a sequence: higher is better, and never NaN. The score must be the
    /// one that the rules give, to the bit.
    fn value(&self, problem: &P, by: Steer) -> f64;

    /// What no sequence that begins like this can exceed.
    fn bound(&self, _problem: &P, _by: Steer) -> f64 {
        f64::INFINITY
    }

    /// The move that was played last.
    fn last(&self, problem: &P, item: u32) -> P::Move;
}

/// Evaluates orders by light replays.
pub struct Replays<L> {
    /// The state before each place of the present order, and after its last.
    states: Vec<L>,
    /// The same of the order that was evaluated last, from where it differs.
    others: Vec<L>,
}

impl<L> Default for Replays<L> {
    fn default() -> Self {
        Replays { states: Vec::new(), others: Vec::new() }
    }
}

impl<P: Problem, L: Light<P>> Orders<P> for Replays<L> {
    fn begin(&mut self, problem: &P, order: &[u32]) {
        let mut light = L::start(problem);
        self.states.clear();
        self.states.push(light.clone());
        for &item in order {
            light.step(problem, item);
            self.states.push(light.clone());
        }
        self.others.clone_from(&self.states);
    }

    fn evaluate(&mut self, problem: &P, order: &[u32], first: usize, by: Steer, floor: f64) -> f64 {
        let mut light = self.states[first].clone();
        for (&item, state) in order[first..].iter().zip(&mut self.others[first + 1..]) {
            light.step(problem, item);
            if light.bound(problem, by) < floor {
                return f64::NEG_INFINITY;
            }
            state.clone_from(&light);
        }
        light.value(problem, by)
    }

    fn accept(&mut self, first: usize) {
        self.states[first + 1..].swap_with_slice(&mut self.others[first + 1..]);
    }

    fn value(&self, problem: &P, by: Steer) -> f64 {
        self.states.last().map_or(f64::NEG_INFINITY, |light| light.value(problem, by))
    }

    fn moves(&self, problem: &P, order: &[u32], moves: &mut Vec<P::Move>) {
        moves.clear();
        let played = order.iter().zip(&self.states[1..]);
        moves.extend(played.map(|(&item, light)| light.last(problem, item)));
    }

    fn has(&self, problem: &P, item: u32) -> bool {
        L::has(problem, item)
    }

    fn quick(&self) -> bool {
        L::QUICK
    }
}
