//! The playout policy: a weight for each code, kept with its exponential.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::biased::Biased;
use crate::code::{Code, Slots};
use crate::kernels;
use crate::math::{self, Interval, SAFE, exp, shifted};
use crate::problem::{Bias, Problem};
use crate::sequence::{Sequence, check_codes};
use crate::table::Table;
use marks::Marks;

mod bias_weights;
pub(crate) mod contiguous;
pub(crate) mod marks;
pub(crate) mod transfer;
pub(crate) mod undo;

/// Weights of codes, all zero at first.
///
/// A move of code c and bias beta is played with probability proportional to exp(w\[c\]/tau + beta)
/// (gnrpa-2020, section 4). The policy keeps w/tau and its exponential side by side, so a playout
/// only reads exponentials. Adapt changes the weight and takes its exponential once for each
/// distinct code. A bias that belongs to the code is multiplied in.
pub struct Policy<C: Code> {
    pub(crate) space: C::Slots,
    /// w/tau of each slot.
    pub(crate) weights: Table,
    /// exp(w/tau) * exp(beta of the code) of each slot.
    pub(crate) values: Table,
    /// beta and exp(beta) of each slot, if biases are per code.
    biases: Option<(Table, Table)>,
    /// The weight of each bias, if these are learned; otherwise empty.
    pub(crate) bias_weights: Vec<f64>,
    /// The name of this numbering of the slots. No other policy has it, and it changes with the
    /// numbers.
    pub(crate) generation: u64,
    marks: Marks,
    /// The number of slots at which the policy looks for slots that nothing needs.
    pub(crate) compact_at: usize,
    /// Slots whose weights have changed, if another policy follows this one.
    changed: Option<Vec<u32>>,
}

/// alpha/tau^2, the step of the gradient for weights kept as w/tau.
pub(crate) fn rate(alpha: f64, temperature: f64) -> f64 {
    alpha / (temperature * temperature)
}

/// The smallest number of slots at which a hashed policy looks for slots that nothing needs.
const COMPACT_AT: usize = 1 << 16;

/// A name that no policy has had.
fn generation() -> u64 {
    static LAST: AtomicU64 = AtomicU64::new(0);
    LAST.fetch_add(1, Ordering::Relaxed) + 1
}

impl<C: Code> Clone for Policy<C> {
    /// The copy numbers new codes by itself, and no policy follows it.
    fn clone(&self) -> Self {
        Policy {
            space: self.space.clone(),
            weights: self.weights.clone(),
            values: self.values.clone(),
            biases: self.biases.clone(),
            bias_weights: self.bias_weights.clone(),
            generation: generation(),
            marks: Marks::default(),
            compact_at: self.compact_at,
            changed: None,
        }
    }
}

/// Scratch space of one step.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    slots: Vec<u32>,
    pub(crate) weights: Vec<f64>,
    pub(crate) gradient: Vec<f64>,
}

impl<C: Code> Policy<C> {
    /// Whether it has no code: nothing but the slot for all codes that are not known.
    pub(crate) fn is_empty(&self) -> bool {
        self.space.grows() && self.space.count() == 1
    }

    /// The blank policy.
    pub fn new<P: Problem<Code = C>>(problem: &Biased<P>) -> Self {
        let space = C::Slots::new(problem.code_count());
        let mut values = Table::new(space.count(), 1.0);
        let (mut biases, mut bias_weights) = (None, Vec::new());
        match problem.bias() {
            Bias::None | Bias::PerMove => {}
            Bias::PerCode(betas) => {
                let mut table = Table::new(space.count(), 0.0);
                for (slot, &beta) in (0..space.count() as u32).zip(&betas) {
                    *table.get_mut(slot) = beta;
                    *values.get_mut(slot) = exp(beta);
                }
                biases = Some((table, values.clone()));
            }
            Bias::Learned(weights) => bias_weights = weights,
        }
        let weights = Table::new(space.count(), 0.0);
        Policy {
            space,
            weights,
            values,
            biases,
            bias_weights,
            generation: generation(),
            marks: Marks::default(),
            compact_at: COMPACT_AT,
            changed: None,
        }
    }

    /// The policy with these weights (w/tau), each finite; all others are zero.
    ///
    /// # Errors
    ///
    /// If the problem does not have a code; the message names it.
    pub fn with_weights<P: Problem<Code = C>>(
        problem: &Biased<P>,
        weights: &[(C, f64)],
    ) -> Result<Self, String> {
        check_codes(problem, weights.iter().map(|&(code, _)| code))?;
        let mut policy = Self::new(problem);
        policy.restore(weights);
        Ok(policy)
    }

    /// The weights (w/tau) that are not zero, by code.
    pub fn weights(&self) -> Vec<(C, f64)> {
        self.by_code(&self.space.codes())
    }

    /// Becomes a copy of another policy of the same problem and keeps its own memory.
    pub fn copy(&mut self, other: &Self) {
        self.space.clone_from(&other.space);
        self.weights.copy(&other.weights);
        self.values.copy(&other.values);
        self.bias_weights.clone_from(&other.bias_weights);
        self.generation = generation();
    }

    /// Draws one of the legal moves with these codes, biases and exp(bias) factors (both empty
    /// unless biases are per move): the first whose cumulative weight exceeds `u` times the total,
    /// for `u` uniform in [0, 1).
    #[inline]
    pub fn draw(
        &self,
        codes: &[C],
        biases: &[f64],
        factors: &[f64],
        u: f64,
        scratch: &mut Scratch,
    ) -> usize {
        let slots = self.space.find(codes, &mut scratch.slots);
        match kernels::draw(&self.values, slots, factors, u, &mut scratch.weights) {
            Some(chosen) => chosen,
            None => {
                self.shifted_weights(slots, biases, &mut scratch.weights);
                math::choose(&scratch.weights, u)
            }
        }
    }

    /// The same with w + beta divided by a temperature.
    pub(crate) fn draw_at(
        &self,
        codes: &[C],
        biases: &[f64],
        temperature: f64,
        u: f64,
        scratch: &mut Scratch,
    ) -> usize {
        let slots = self.space.find(codes, &mut scratch.slots);
        self.logs_of(slots, biases, &mut scratch.weights);
        scratch.weights.iter_mut().for_each(|log| *log /= temperature);
        shifted(&mut scratch.weights);
        math::choose(&scratch.weights, u)
    }

    /// Whether codes have biases.
    pub(crate) fn has_biases(&self) -> bool {
        self.biases.is_some()
    }

    /// The weights of one step from their logarithms, for totals out of range.
    #[cold]
    pub(crate) fn shifted_weights(&self, slots: &[u32], biases: &[f64], weights: &mut Vec<f64>) {
        self.logs_of(slots, biases, weights);
        shifted(weights);
    }

    fn logs_of(&self, slots: &[u32], biases: &[f64], logs: &mut Vec<f64>) {
        logs.clear();
        let log = |(k, &slot): (usize, &u32)| self.weights.get(slot) + self.beta(slot, biases, k);
        logs.extend(slots.iter().enumerate().map(log));
    }

    /// The bias of move `k` of a step.
    fn beta(&self, slot: u32, biases: &[f64], k: usize) -> f64 {
        match &self.biases {
            Some((betas, _)) => betas.get(slot),
            None => biases.get(k).copied().unwrap_or(0.0),
        }
    }

    /// Puts the indices of the moves of a step that no bias forbids into `allowed`, or of all moves
    /// if all are forbidden.
    pub(crate) fn allowed(
        &self,
        codes: &[C],
        biases: &[f64],
        scratch: &mut Scratch,
        allowed: &mut Vec<u32>,
    ) {
        let slots = self.space.find(codes, &mut scratch.slots);
        let forbidden = |&k: &u32| {
            let k = k as usize;
            self.beta(slots[k], biases, k) == f64::NEG_INFINITY
        };
        let moves = 0..codes.len() as u32;
        allowed.clear();
        allowed.extend(moves.clone().filter(|k| !forbidden(k)));
        if allowed.is_empty() {
            allowed.extend(moves);
        }
    }

    /// The weights that are not zero, by code; `codes` are those of the slots.
    pub(crate) fn by_code(&self, codes: &[Option<C>]) -> Vec<(C, f64)> {
        let weight = |(slot, &code): (u32, &Option<C>)| Some((code?, self.weights.get(slot)));
        (0..).zip(codes).filter_map(weight).filter(|&(_, weight)| weight != 0.0).collect()
    }

    /// Sets these weights; the others must be zero.
    pub(crate) fn restore(&mut self, weights: &[(C, f64)]) {
        for &(code, weight) in weights {
            let slot = self.slot(code);
            *self.weights.get_mut(slot) = weight;
            *self.values.get_mut(slot) = self.value_of(slot, weight);
        }
    }

    /// The slot of a code; a code without a slot gets one.
    pub(crate) fn slot(&mut self, code: C) -> u32 {
        let mut slots = Vec::new();
        self.intern(&[code], &mut slots);
        slots[0]
    }

    /// Puts the slot of each code into `slots`; a code without a slot gets one.
    pub(crate) fn intern(&mut self, codes: &[C], slots: &mut Vec<u32>) {
        self.space.intern(codes, slots);
        self.weights.grow(self.space.count(), 0.0);
        self.values.grow(self.space.count(), 1.0);
    }

    /// Starts or stops to note which weights change.
    pub(crate) fn follow(&mut self, follow: bool) {
        self.changed = follow.then(Vec::new);
    }

    /// Notes that the weights of these slots have changed.
    pub(crate) fn note_changed(&mut self, slots: impl Iterator<Item = u32>) {
        if let Some(changed) = &mut self.changed {
            changed.extend(slots);
        }
    }

    /// exp(w/tau) * exp(beta) of a slot with this weight.
    pub(crate) fn value_of(&self, slot: u32, weight: f64) -> f64 {
        let factor = self.biases.as_ref().map_or(1.0, |(_, factors)| factors.get(slot));
        exp(weight) * factor
    }

    /// Finds the slots of a sequence's codes, unless that is already done.
    pub(crate) fn prepare<P: Problem<Code = C>>(&mut self, sequence: &mut Sequence<P>) {
        if sequence.prepared == self.generation {
            return;
        }
        self.intern(&sequence.codes, &mut sequence.slots);
        self.marks.reset(self.space.count());
        sequence.touched.clear();
        for &slot in &sequence.slots {
            if self.marks.set(slot) {
                sequence.touched.push(slot);
            }
        }
        sequence.prepared = self.generation;
    }

    /// Adapt (gnrpa-2020, algorithm 6): one gradient step that makes `sequence` more likely.
    ///
    /// For every step and each of its legal moves, w -= alpha/tau * (p - delta), where p is the
    /// move's probability under the unmodified policy and delta is 1 for the chosen move. `rate`
    /// is alpha/tau^2, for weights kept as w/tau. There are two passes, as in the paper: first all
    /// weights change, with probabilities from the old exponentials; then these are renewed. The
    /// totals of the steps may be `known`.
    pub(crate) fn adapt<P: Problem<Code = C>>(
        &mut self,
        sequence: &mut Sequence<P>,
        rate: impl Fn(usize) -> f64,
        known: &[Interval],
        scratch: &mut Scratch,
    ) {
        self.prepare(sequence);
        let mut start = 0;
        for (number, step) in sequence.steps.iter().enumerate() {
            let end = step.end as usize;
            // The gradient of a forced move is zero.
            if end - start > 1 {
                let rate = rate(number);
                let slots = &sequence.slots[start..end];
                let factors = sequence.factors.get(start..end).unwrap_or_default();
                let total = match known.get(number) {
                    Some(interval) => interval.total,
                    None => kernels::total(&self.values, slots, factors),
                };
                if SAFE.contains(&total) {
                    kernels::descend(&mut self.weights, &self.values, slots, factors, total, rate);
                } else {
                    let biases = sequence.biases.get(start..end).unwrap_or_default();
                    self.shifted_weights(slots, biases, &mut scratch.weights);
                    let inverse = 1.0 / math::sum(&scratch.weights);
                    for (&slot, weight) in slots.iter().zip(&scratch.weights) {
                        *self.weights.get_mut(slot) -= rate * (weight * inverse);
                    }
                }
                *self.weights.get_mut(slots[step.chosen as usize]) += rate;
            }
            start = end;
        }
        let factors = self.biases.as_ref().map(|(_, factors)| factors);
        kernels::renew(&self.weights, factors, &sequence.touched, &mut self.values);
        self.note_changed(sequence.touched.iter().copied());
    }

    /// The interval in which a draw takes one of a step's moves, which have these slots and factors.
    pub(crate) fn interval(&self, slots: &[u32], factors: &[f64], chosen: usize) -> Interval {
        kernels::interval(&self.values, slots, factors, chosen)
    }

    /// Whether to look for slots that nothing needs.
    #[inline]
    pub(crate) fn is_large(&self) -> bool {
        self.space.grows() && self.space.count() > self.compact_at
    }

    /// Drops the slots with weight zero that are not `needed`. Returns the new number of each slot;
    /// `u32::MAX` for dropped ones.
    pub(crate) fn compact(&mut self, needed: &Marks) -> Vec<u32> {
        let weights = &self.weights;
        let renumbered =
            self.space.retain(|slot| weights.get(slot) != 0.0 || needed.contains(slot));
        for (old, &new) in (0..).zip(&renumbered) {
            if new != u32::MAX {
                *self.weights.get_mut(new) = self.weights.get(old);
                *self.values.get_mut(new) = self.values.get(old);
            }
        }
        self.weights.fill_from(self.space.count(), 0.0);
        self.values.fill_from(self.space.count(), 1.0);
        self.generation = generation();
        self.compact_at = COMPACT_AT.max(2 * self.space.count());
        if let Some(changed) = &mut self.changed {
            // A policy that follows sees the new generation and takes the whole policy.
            changed.clear();
        }
        renumbered
    }
}
