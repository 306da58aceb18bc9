//! Transfer of weights from one policy to another, which has its own slots.

use super::Policy;
use crate::code::{Code, Slots};

/// Weights by code, with their values, and the weights of the biases.
#[derive(Debug)]
pub(crate) struct Transfer<C> {
    codes: Vec<C>,
    numbers: Vec<(f64, f64)>,
    /// Empty if there are none to transfer.
    bias_weights: Vec<f64>,
}

impl<C: Code> Transfer<C> {
    /// No weights.
    pub(crate) fn new() -> Self {
        Transfer { codes: Vec::new(), numbers: Vec::new(), bias_weights: Vec::new() }
    }

    /// Forgets all weights and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.codes.clear();
        self.numbers.clear();
        self.bias_weights.clear();
    }

    /// Adds the present weights of these slots, and those of the biases.
    pub(crate) fn take(&mut self, policy: &Policy<C>, slots: impl Iterator<Item = u32>) {
        self.bias_weights.clone_from(&policy.bias_weights);
        for slot in slots {
            self.codes.push(policy.space.code(slot));
            self.numbers.push((policy.weights.get(slot), policy.values.get(slot)));
        }
    }

    /// Adds the weights of a followed policy that have changed since the last call.
    pub(crate) fn take_changed(&mut self, policy: &mut Policy<C>) {
        let Some(mut changed) = policy.changed.take() else { return };
        policy.marks.reset(policy.space.count());
        changed.retain(|&slot| policy.marks.set(slot));
        self.take(policy, changed.iter().copied());
        changed.clear();
        policy.changed = Some(changed);
    }

    /// Puts the slots that the weights have in a policy into `slots`.
    pub(crate) fn slots(&self, policy: &mut Policy<C>, slots: &mut Vec<u32>) {
        policy.intern(&self.codes, slots);
    }

    /// Puts the weights into a policy in which they have these slots.
    pub(crate) fn put(&self, policy: &mut Policy<C>, slots: &[u32]) {
        for (&slot, &(weight, value)) in slots.iter().zip(&self.numbers) {
            *policy.weights.get_mut(slot) = weight;
            *policy.values.get_mut(slot) = value;
        }
        if !self.bias_weights.is_empty() {
            policy.bias_weights.clone_from(&self.bias_weights);
        }
        policy.note_changed(slots.iter().copied());
    }
}
