//! Bias learning: the weight of the bias is learned along with the policy (Sentuc et al., LION 2023).
//!
//! A move is played with probability proportional to exp(w\[code\]/tau + v * beta), where v is the
//! weight of the bias. A problem's moves are pushed with beta, the *feature*; their biases v * beta
//! are worked out when moves are listed and, since v may have changed, again before adapt.

use crate::code::Code;
use crate::kernels;
use crate::math::{self, SAFE};
use crate::policy::{Policy, Scratch};
use crate::problem::Problem;
use crate::sequence::Sequence;

/// Bounds of a feature and of the weight, which keep all products and sums finite.
const FEATURE: f64 = 1e100;
const WEIGHT: f64 = 1e6;

/// What a feature adds to the gradient: nothing where it forbids the move.
fn allowed(feature: f64) -> f64 {
    if feature == f64::NEG_INFINITY { 0.0 } else { feature }
}

impl<P: Problem> Sequence<P> {
    /// Makes features of the biases of the moves from `start` on, and weighs them.
    #[inline(never)]
    pub(crate) fn take_features(&mut self, start: usize, weight: f64) {
        let feature = |&beta: &f64| {
            if beta == f64::NEG_INFINITY { beta } else { beta.clamp(-FEATURE, FEATURE) }
        };
        self.features.extend(self.biases[start..].iter().map(feature));
        self.weigh(start, weight);
    }

    /// Works out the biases of the moves from `start` on. One that is forbidden stays so.
    fn weigh(&mut self, start: usize, weight: f64) {
        let bias = |&feature: &f64| {
            if feature == f64::NEG_INFINITY { feature } else { weight * feature }
        };
        self.biases.truncate(start);
        self.biases.extend(self.features[start..].iter().map(bias));
        self.factors.truncate(start);
        kernels::exp_all(&self.biases[start..], &mut self.factors);
    }
}

impl<C: Code> Policy<C> {
    /// One gradient step of the weight of the bias that makes `sequence` more likely:
    /// v += rate * (beta(chosen) - sum of p * beta over the legal moves), summed over the steps.
    ///
    /// The probabilities are those of the unmodified policy, so this comes before
    /// [`Policy::adapt`], which finds the biases here that the old weight gives.
    pub(crate) fn adapt_bias<P: Problem<Code = C>>(
        &mut self,
        sequence: &mut Sequence<P>,
        rate: f64,
        scratch: &mut Scratch,
    ) {
        self.prepare(sequence);
        sequence.weigh(0, self.bias_weight);
        let weights = &mut scratch.weights;
        let mut gradient = 0.0;
        let mut start = 0;
        for step in &sequence.steps {
            let moves = start..step.end as usize;
            start = moves.end;
            let slots = &sequence.slots[moves.clone()];
            let features = &sequence.features[moves.clone()];
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
                self.shifted_weights(slots, &sequence.biases[moves], weights);
                total = math::sum(weights);
            }
            let inverse = 1.0 / total;
            let mut expected = 0.0;
            for (weight, &feature) in weights.iter().zip(features) {
                expected += (weight * inverse) * allowed(feature);
            }
            gradient += allowed(features[step.chosen as usize]) - expected;
        }
        self.bias_weight = (self.bias_weight + rate * gradient).clamp(-WEIGHT, WEIGHT);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples::Digits;
    use crate::playout::Playouts;
    use crate::prior::{ByCode, WithPrior};
    use crate::random::Key;

    const DIGITS: Digits = Digits { base: 4, length: 6 };

    /// Digits biased by their size, 3 forbidden, with a weight that begins with 1.
    fn learning() -> WithPrior<&'static Digits> {
        let beta = |digit| if digit == 3 { f64::NEG_INFINITY } else { digit as f64 };
        let codes = (0..6).flat_map(|place| (0..4).map(move |digit| (100 * place + digit, digit)));
        let betas = codes.map(|(code, digit)| (code, beta(digit))).collect();
        WithPrior::new(&DIGITS, betas).learning(1.0).unwrap()
    }

    #[test]
    fn the_weight_goes_to_the_biases_and_forbids_for_ever() {
        let problem = learning();
        let (mut policy, mut player) = (Policy::new(&problem), Playouts::new(&problem));
        let mut sequence = Sequence::default();
        for weight in [-2.0, 0.0, 1.0, WEIGHT] {
            policy.bias_weight = weight;
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
            player.adapt_bias(&mut policy, &mut sequence, rate);
            assert_eq!(policy.bias_weight.abs(), WEIGHT);
        }
    }

    #[test]
    fn there_must_be_a_bias() {
        assert!(WithPrior::new(&DIGITS, ByCode::default()).learning(1.0).is_err());
    }
}
