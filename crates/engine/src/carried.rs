//! Weights carried from one policy to another, which has slots of its own.

use crate::code::{Code, Slots};
use crate::policy::Policy;

/// Weights by code, with their values, and the weights of the biases.
#[derive(Debug)]
pub(crate) struct Carried<C> {
    codes: Vec<C>,
    numbers: Vec<(f64, f64)>,
    /// Empty where none are taken along.
    bias_weights: Vec<f64>,
}

impl<C: Code> Carried<C> {
    /// No weights.
    pub(crate) fn new() -> Self {
        Carried { codes: Vec::new(), numbers: Vec::new(), bias_weights: Vec::new() }
    }

    /// Forgets all weights, keeping the memory.
    pub(crate) fn clear(&mut self) {
        self.codes.clear();
        self.numbers.clear();
        self.bias_weights.clear();
    }

    /// Takes the present weights of these slots along, and those of the biases.
    pub(crate) fn take(&mut self, policy: &Policy<C>, slots: impl Iterator<Item = u32>) {
        self.bias_weights.clone_from(&policy.bias_weights);
        for slot in slots {
            self.codes.push(policy.space.code(slot));
            self.numbers.push((policy.weights.get(slot), policy.values.get(slot)));
        }
    }

    /// Puts into `slots` those that the weights have in a policy.
    pub(crate) fn slots(&self, policy: &mut Policy<C>, slots: &mut Vec<u32>) {
        policy.intern(&self.codes, slots);
    }

    /// Puts the weights into a policy, where they have these slots.
    pub(crate) fn put(&self, policy: &mut Policy<C>, slots: &[u32]) {
        for (&slot, &(weight, value)) in slots.iter().zip(&self.numbers) {
            *policy.weights.get_mut(slot) = weight;
            *policy.values.get_mut(slot) = value;
        }
        if !self.bias_weights.is_empty() {
            policy.bias_weights.clone_from(&self.bias_weights);
        }
        policy.tell_changed(slots.iter().copied());
    }
}
