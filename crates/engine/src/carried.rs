//! Weights carried from one policy to another, which has slots of its own.

use crate::code::{Code, Slots};
use crate::policy::Policy;

/// Weights by code, with their values, and the weight of the bias.
#[derive(Debug)]
pub(crate) struct Carried<C> {
    codes: Vec<C>,
    numbers: Vec<(f64, f64)>,
    bias_weight: Option<f64>,
}

impl<C: Code> Carried<C> {
    /// No weights.
    pub(crate) fn new() -> Self {
        Carried { codes: Vec::new(), numbers: Vec::new(), bias_weight: None }
    }

    /// Forgets all weights, keeping the memory.
    pub(crate) fn clear(&mut self) {
        self.codes.clear();
        self.numbers.clear();
        self.bias_weight = None;
    }

    /// Takes the present weights of these slots along, and that of the bias.
    pub(crate) fn take(&mut self, policy: &Policy<C>, slots: impl Iterator<Item = u32>) {
        self.bias_weight = Some(policy.bias_weight);
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
        policy.bias_weight = self.bias_weight.unwrap_or(policy.bias_weight);
        policy.tell_changed(slots.iter().copied());
    }
}
