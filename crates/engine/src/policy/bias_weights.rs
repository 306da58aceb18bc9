//! Bias learning: the weights of biases are learned along with the policy (Sentuc et al., LION
//! 2023).
//!
//! A move is played with probability proportional to exp(w\[code\]/tau + sum of v\[k\] *
//! beta\[k\]), where v\[k\] is the weight of bias k. A problem pushes its moves with their betas,
//! the *features*. Their biases, the sums, are worked out when moves are listed, and again before
//! adapt, since the weights may have changed.

use std::ops::Range;

use super::{Policy, Scratch};
use crate::code::Code;
use crate::kernels;
use crate::math::{self, SAFE};
use crate::problem::Problem;
use crate::sequence::Sequence;

/// The bounds of a feature and of a weight. They keep all products and sums finite.
const FEATURE: f64 = 1e100;
const WEIGHT: f64 = 1e6;

/// What a feature adds to the gradient: nothing if it forbids the move.
fn allowed(feature: f64) -> f64 {
    if feature == f64::NEG_INFINITY { 0.0 } else { feature }
}

/// The part of one bias in the bias of a move. A bias that forbids the move always forbids it.
fn part(weight: f64, feature: f64) -> f64 {
    if feature == f64::NEG_INFINITY { feature } else { weight * feature }
}

impl<P: Problem> Sequence<P> {
    /// Takes what was pushed as the biases of the moves from `start` on as features, and weighs
    /// them.
    #[inline(never)]
    pub(crate) fn take_features(&mut self, start: usize, weights: &[f64]) {
        let feature = |&beta: &f64| {
            if beta == f64::NEG_INFINITY { beta } else { beta.clamp(-FEATURE, FEATURE) }
        };
        self.features.extend(self.biases[start..].iter().map(feature));
        self.biases.truncate(start);
        self.weigh(start..self.codes.len(), weights);
        kernels::exp_all(&self.biases[start..], &mut self.factors);
    }

    /// Works out the biases of all moves again.
    fn weigh_again(&mut self, weights: &[f64]) {
        self.biases.clear();
        if weights.len() == 1 {
            // The columns of one bias follow one another as the steps do.
            self.weigh(0..self.codes.len(), weights);
        } else {
            let mut start = 0;
            for number in 0..self.steps.len() {
                let end = self.steps[number].end as usize;
                self.weigh(start..end, weights);
                start = end;
            }
        }
        self.factors.clear();
        kernels::exp_all(&self.biases, &mut self.factors);
    }

    /// Appends the biases of the moves of one step.
    #[inline]
    fn weigh(&mut self, moves: Range<usize>, weights: &[f64]) {
        for (k, &weight) in weights.iter().enumerate() {
            let features = &self.features[column(&moves, k, weights.len())];
            let parts = features.iter().map(|&feature| part(weight, feature));
            if k == 0 {
                self.biases.extend(parts);
            } else {
                let biases = self.biases[moves.start..].iter_mut();
                biases.zip(parts).for_each(|(bias, part)| *bias += part);
            }
        }
    }
}

/// The place of the features of bias `k` of `count`, for the moves of one step.
#[inline(always)]
fn column(moves: &Range<usize>, k: usize, count: usize) -> Range<usize> {
    let start = count * moves.start + k * moves.len();
    start..start + moves.len()
}

impl<C: Code> Policy<C> {
    /// One gradient step of the weight of each bias that makes `sequence` more likely:
    /// v += rate * (beta(chosen) - sum of p * beta over the legal moves), summed over the steps.
    ///
    /// The probabilities are those of the unmodified policy, so call this before [`Policy::adapt`],
    /// which then finds the biases that the old weights give.
    pub(crate) fn adapt_biases<P: Problem<Code = C>>(
        &mut self,
        sequence: &mut Sequence<P>,
        rate: f64,
        scratch: &mut Scratch,
    ) {
        self.prepare(sequence);
        sequence.weigh_again(&self.bias_weights);
        let count = self.bias_weights.len();
        let Scratch { weights, gradient, .. } = scratch;
        gradient.clear();
        gradient.resize(count, 0.0);
        let mut start = 0;
        for step in &sequence.steps {
            let moves = start..step.end as usize;
            start = moves.end;
            let slots = &sequence.slots[moves.clone()];
            // The gradient of a forced move is zero.
            if slots.len() == 1 {
                continue;
            }
            let factors = &sequence.factors[moves.clone()];
            let mut total = kernels::total(&self.values, slots, factors);
            if SAFE.contains(&total) {
                weights.clear();
                let moves = slots.iter().zip(factors);
                weights.extend(moves.map(|(&slot, factor)| self.values.get(slot) * factor));
            } else {
                self.shifted_weights(slots, &sequence.biases[moves.clone()], weights);
                total = math::sum(weights);
            }
            let inverse = 1.0 / total;
            for (k, gradient) in gradient.iter_mut().enumerate() {
                let features = &sequence.features[column(&moves, k, count)];
                let mut expected = 0.0;
                for (weight, &feature) in weights.iter().zip(features) {
                    expected += (weight * inverse) * allowed(feature);
                }
                *gradient += allowed(features[step.chosen as usize]) - expected;
            }
        }
        for (weight, gradient) in self.bias_weights.iter_mut().zip(gradient) {
            *weight = (*weight + rate * *gradient).clamp(-WEIGHT, WEIGHT);
        }
    }

    /// Checks weights of the biases that come from a file.
    pub(crate) fn check_bias_weights(&self, saved: &[f64]) -> Result<(), String> {
        let count = self.bias_weights.len();
        if saved.len() == count {
            return Ok(());
        }
        Err(format!("it has {} learned weights of biases, not {count}", saved.len()))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::biased::Biased;
    use crate::examples::Digits;
    use crate::playout::Playouts;
    use crate::prior::ByCode;
    use crate::problem::{Bias, Moves, Offers};
    use crate::random::Key;

    const DIGITS: Digits = Digits { base: 4, length: 6 };

    /// Digits biased by their size, 3 forbidden, with a weight that begins with 1.
    fn learning() -> Biased<Digits> {
        let beta = |digit| if digit == 3 { f64::NEG_INFINITY } else { digit as f64 };
        let codes = (0..6).flat_map(|place| (0..4).map(move |digit| (100 * place + digit, digit)));
        let betas = codes.map(|(code, digit)| (code, beta(digit))).collect();
        Biased::learning(Arc::new(DIGITS), Vec::new(), betas, &[1.0]).unwrap()
    }

    #[test]
    fn the_weight_goes_to_the_biases_and_forbids_for_ever() {
        let problem = learning();
        let (mut policy, mut player) = (Policy::new(&problem), Playouts::new(&problem));
        let mut sequence = Sequence::default();
        for weight in [-2.0, 0.0, 1.0, WEIGHT] {
            policy.bias_weights = vec![weight];
            player.run(&problem, &policy, Key(5), &mut sequence);
            assert!(!sequence.moves.contains(&3));
            assert_eq!(sequence.features[..4], [0.0, 1.0, 2.0, f64::NEG_INFINITY]);
            let biases = [0.0, weight, 2.0 * weight, f64::NEG_INFINITY];
            assert_eq!(sequence.biases[..4], biases);
            assert_eq!(sequence.factors[..4], biases.map(math::exp));
        }
    }

    #[test]
    fn the_weight_has_bounds() {
        let problem = learning();
        let (mut policy, mut player) = (Policy::new(&problem), Playouts::new(&problem));
        let mut sequence = Sequence::default();
        player.run(&problem, &policy, Key(5), &mut sequence);
        for rate in [1e12, -1e12] {
            player.adapt_biases(&mut policy, &mut sequence, rate);
            assert_eq!(policy.bias_weights[0].abs(), WEIGHT);
        }
    }

    /// Digits biased by this many times their size.
    struct Sized(f64);

    impl Problem for Sized {
        type State = Vec<u8>;
        type Move = u8;
        type Code = u64;

        fn bias(&self) -> Bias {
            if self.0 == 0.0 { Bias::None } else { Bias::PerMove }
        }

        fn initial(&self) -> Vec<u8> {
            DIGITS.initial()
        }

        fn moves(&self, digits: &mut Vec<u8>, out: &mut Moves<'_, Self>) {
            let (mut moves, mut codes, mut biases) = (Vec::new(), Vec::new(), Vec::new());
            DIGITS.moves(digits, &mut Moves::new(&mut moves, &mut codes, &mut biases));
            for (mv, code) in moves.into_iter().zip(codes) {
                out.push_biased(mv, code, f64::from(mv) * self.0);
            }
        }

        fn play(&self, digits: &mut Vec<u8>, digit: u8) {
            digits.push(digit);
        }

        fn score(&self, digits: &Vec<u8>) -> f64 {
            DIGITS.score(digits)
        }
    }

    impl Offers for Sized {}

    fn sized(times: f64) -> Arc<Sized> {
        Arc::new(Sized(times))
    }

    #[test]
    fn several_biases_add_up_and_each_has_its_gradient() {
        let forbids = (0..6).map(|place| (100 * place + 2, f64::NEG_INFINITY)).collect();
        let problem =
            Biased::learning(sized(1.0), vec![sized(-3.0)], forbids, &[0.5, 2.0, 1.0]).unwrap();
        let (mut policy, mut player) = (Policy::new(&problem), Playouts::new(&problem));
        let mut sequence = Sequence::default();
        player.run(&problem, &policy, Key(3), &mut sequence);
        assert!(sequence.steps.len() >= 2 && !sequence.moves.contains(&2));
        let never = f64::NEG_INFINITY;
        let columns = [0.0, 1.0, 2.0, 3.0, 0.0, -3.0, -6.0, -9.0, 0.0, 0.0, never, 0.0];
        for step in sequence.features.chunks(12) {
            assert_eq!(step, columns);
        }
        for step in sequence.biases.chunks(4) {
            assert_eq!(step, [0.0, -5.5, never, -16.5]);
        }
        player.adapt_biases(&mut policy, &mut sequence, 0.01);
        let [one, other, prior] = policy.bias_weights[..] else { panic!("three weights") };
        // The second bias is -3 times the first one, and so is its gradient; the third says
        // nothing.
        assert_ne!(one, 0.5);
        assert!((other - 2.0 + 3.0 * (one - 0.5)).abs() < 1e-14);
        assert_eq!(prior, 1.0);
        sequence.weigh_again(&[1.0, 1.0, 1.0]);
        assert_eq!(sequence.biases[4..8], [0.0, -2.0, never, -6.0]);
        assert_eq!(sequence.factors[4..8], [0.0, -2.0, never, -6.0].map(math::exp));
    }

    #[test]
    fn biases_and_weights_must_be_there() {
        let none = ByCode::default;
        assert!(Biased::learning(Arc::new(DIGITS), Vec::new(), none(), &[1.0]).is_err());
        for weights in [&[][..], &[1.0; 3]] {
            assert!(Biased::learning(sized(1.0), vec![sized(1.0)], none(), weights).is_err());
        }
        assert!(Biased::learning(sized(1.0), vec![sized(0.0)], none(), &[1.0]).is_err());
    }
}
