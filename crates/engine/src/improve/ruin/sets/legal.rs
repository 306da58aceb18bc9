//! The legal moves of a state, and a draw from them.

use super::SetProblem;
use crate::improve::ruin::drawn;
use crate::random::Random;

/// The legal moves of a state, and memory to play with.
pub(super) struct Legal<P: SetProblem> {
    pub(super) items: Vec<P::Item>,
    codes: Vec<P::Code>,
    pub(super) biases: Vec<f64>,
    factors: Vec<f64>,
    pub(super) spare: P::State,
}

impl<P: SetProblem> Legal<P> {
    pub(super) fn new(problem: &P) -> Self {
        let (items, codes, biases, factors) = Default::default();
        Legal { items, codes, biases, factors, spare: problem.initial() }
    }

    pub(super) fn list(&mut self, problem: &P, state: &mut P::State) {
        self.items.clear();
        self.codes.clear();
        self.biases.clear();
        problem.list(state, &mut self.items, &mut self.codes, &mut self.biases);
    }

    /// The items that the bias does not forbid, or all if it forbids all.
    pub(super) fn allowed(&self) -> impl Iterator<Item = P::Item> {
        let beta = |index: usize| self.biases.get(index).copied().unwrap_or(0.0);
        let any = (0..self.items.len()).any(|index| beta(index) > f64::NEG_INFINITY);
        let allows = move |index: usize| !any || beta(index) > f64::NEG_INFINITY;
        self.items
            .iter()
            .enumerate()
            .filter(move |&(index, _)| allows(index))
            .map(|(_, &item)| item)
    }

    /// Leaves some items out. False if no other is allowed, and then they stay.
    pub(super) fn leave_out(&mut self, items: &[P::Item]) -> bool {
        if self.allowed().all(|item| items.contains(&item)) {
            return false;
        }
        let mut kept = 0;
        for index in 0..self.items.len() {
            if !items.contains(&self.items[index]) {
                self.items[kept] = self.items[index];
                if let Some(&bias) = self.biases.get(index) {
                    self.biases[kept] = bias;
                }
                kept += 1;
            }
        }
        self.items.truncate(kept);
        self.biases.truncate(kept);
        true
    }

    /// Draws one by the bias.
    pub(super) fn draw(&mut self, random: &mut Random) -> P::Item {
        let Legal { items, biases, factors, .. } = self;
        items[match items.len() {
            1 => 0,
            count if biases.is_empty() => random.below(count),
            _ => drawn(biases, factors, random),
        }]
    }
}
