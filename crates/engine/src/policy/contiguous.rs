//! Adapt for a sequence without a code twice, on weights that lie side by side.

use super::Policy;
use crate::code::Code;
use crate::kernels;
use crate::math::Interval;
use crate::problem::Problem;
use crate::sequence::Sequence;

/// The weights of a sequence's codes, in its order.
///
/// Adapt then takes whole vectors and fetches no number from the tables of the policy, which it only
/// keeps up to date.
#[derive(Debug, Default)]
pub(crate) struct Contiguous {
    weights: Vec<f64>,
    values: Vec<f64>,
    /// exp(beta) of each code, if biases are per code; otherwise empty.
    factors: Vec<f64>,
}

impl Contiguous {
    /// Takes the weights of a prepared sequence. Returns whether it can: no code comes twice, and
    /// moves have no biases of their own.
    pub(crate) fn gather<P: Problem>(
        &mut self,
        policy: &Policy<P::Code>,
        sequence: &Sequence<P>,
    ) -> bool {
        let Sequence { slots, touched, factors, .. } = sequence;
        if touched.len() < slots.len() || !factors.is_empty() {
            return false;
        }
        let fill = |numbers: &mut Vec<f64>, table: &crate::table::Table| {
            numbers.clear();
            numbers.extend(slots.iter().map(|&slot| table.get(slot)));
        };
        fill(&mut self.weights, &policy.weights);
        fill(&mut self.values, &policy.values);
        self.factors.clear();
        if let Some((_, factors)) = &policy.biases {
            fill(&mut self.factors, factors);
        }
        true
    }

    /// Works out the intervals in which a draw takes the moves of the sequence.
    pub(crate) fn survey<P: Problem>(&self, sequence: &Sequence<P>, intervals: &mut Vec<Interval>) {
        let mut values = &self.values[..];
        let mut start = 0;
        intervals.clear();
        intervals.extend(sequence.steps.iter().map(|step| {
            let (weights, rest) = values.split_at(step.end as usize - start);
            (values, start) = (rest, step.end as usize);
            match weights {
                [_] => Interval::EVERYTHING,
                _ => kernels::interval_of(weights, step.chosen as usize),
            }
        }));
    }

    /// The same as [`Policy::adapt`], for steps with these totals, which are in range.
    pub(crate) fn adapt<P: Problem>(
        &mut self,
        policy: &mut Policy<P::Code>,
        sequence: &Sequence<P>,
        intervals: &[Interval],
        rate: f64,
    ) {
        let mut start = 0;
        for (step, interval) in sequence.steps.iter().zip(intervals) {
            let end = step.end as usize;
            // The gradient of a forced move is zero.
            if end - start > 1 {
                let (weights, values) = (&mut self.weights[start..end], &self.values[start..end]);
                let inverse = 1.0 / interval.total;
                for (weight, value) in weights.iter_mut().zip(values) {
                    *weight -= rate * (value * inverse);
                }
                weights[step.chosen as usize] += rate;
            }
            start = end;
        }
        kernels::renew_all(&self.weights, &self.factors, &mut self.values);
        policy.put(&sequence.slots, &self.weights, &self.values);
    }
}

impl<C: Code> Policy<C> {
    /// Sets the weights of these slots, and their values.
    fn put(&mut self, slots: &[u32], weights: &[f64], values: &[f64]) {
        for ((&slot, &weight), &value) in slots.iter().zip(weights).zip(values) {
            *self.weights.get_mut(slot) = weight;
            *self.values.get_mut(slot) = value;
        }
        self.note_changed(slots.iter().copied());
    }
}
