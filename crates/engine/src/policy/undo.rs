//! Changes of a policy: what a level undoes at its end, and policies that are kept as differences.

use super::Policy;
use super::marks::Marks;
use crate::code::{Code, Slots};

/// Weights of some slots, to put in place of those of a policy.
#[derive(Debug, Default)]
pub(crate) struct Changes(Vec<Change>);

#[derive(Clone, Copy, Debug)]
struct Change {
    slot: u32,
    weight: f64,
    value: f64,
}

impl Changes {
    /// Notes the present weight of a slot, which has no change yet.
    fn note<C: Code>(&mut self, policy: &Policy<C>, slot: u32) {
        let (weight, value) = (policy.weights.get(slot), policy.values.get(slot));
        self.0.push(Change { slot, weight, value });
    }

    /// Notes the present weights of those slots that have no change yet.
    pub(crate) fn note_all<C: Code>(
        &mut self,
        policy: &Policy<C>,
        slots: &[u32],
        marks: &mut Marks,
    ) {
        marks.reset(policy.space.count());
        for change in &self.0 {
            marks.set(change.slot);
        }
        for &slot in slots {
            if marks.set(slot) {
                self.note(policy, slot);
            }
        }
    }

    /// Swaps the weights with those of the policy. A second call swaps them back.
    pub(crate) fn swap<C: Code>(&mut self, policy: &mut Policy<C>) {
        for change in &mut self.0 {
            std::mem::swap(&mut change.weight, policy.weights.get_mut(change.slot));
            std::mem::swap(&mut change.value, policy.values.get_mut(change.slot));
        }
    }

    /// Forgets all changes.
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    /// Becomes a copy of others and keeps its own memory.
    pub(crate) fn copy(&mut self, others: &Changes) {
        self.0.clone_from(&others.0);
    }

    /// The weights by code; `codes` are those of the slots.
    pub(crate) fn by_code<C: Code>(&self, codes: &[Option<C>]) -> Vec<(C, f64)> {
        let code = |change: &Change| Some((codes[change.slot as usize]?, change.weight));
        self.0.iter().filter_map(code).collect()
    }

    /// Takes weights by code.
    pub(crate) fn restore<C: Code>(&mut self, policy: &mut Policy<C>, weights: &[(C, f64)]) {
        self.0.clear();
        for &(code, weight) in weights {
            let slot = policy.slot(code);
            self.0.push(Change { slot, weight, value: policy.value_of(slot, weight) });
        }
    }
}

/// The weights that a level began with, each noted when the level first changes it.
///
/// A level's changes to the policy end with the level (nrpa-2011, section 2.2). The level undoes
/// them in place of copying the policy at its beginning (gnrpa-2020, section 5.2).
#[derive(Debug, Default)]
pub(crate) struct Journal {
    found: Changes,
    noted: Marks,
    /// The weights of the biases, once noted; otherwise empty.
    pub(crate) bias_weights: Vec<f64>,
}

impl Journal {
    /// Begins an empty journal.
    pub(crate) fn begin(&mut self) {
        self.found.clear();
        self.noted.reset(0);
        self.bias_weights.clear();
    }

    /// Becomes a copy of the journal of another policy, of which this policy is a copy.
    pub(crate) fn copy<C: Code>(&mut self, other: &Journal, policy: &Policy<C>) {
        self.found.copy(&other.found);
        self.mark(policy);
        self.bias_weights.clone_from(&other.bias_weights);
    }

    /// Notes the weights of those slots that are not noted yet, and those of the biases.
    pub(crate) fn note<C: Code>(&mut self, policy: &Policy<C>, slots: &[u32]) {
        if self.bias_weights.is_empty() {
            self.bias_weights.clone_from(&policy.bias_weights);
        }
        self.noted.reserve(policy.space.count());
        for &slot in slots {
            if self.noted.set(slot) {
                self.found.note(policy, slot);
            }
        }
    }

    /// The noted weights by code; `codes` are those of the slots.
    pub(crate) fn by_code<C: Code>(&self, codes: &[Option<C>]) -> Vec<(C, f64)> {
        self.found.by_code(codes)
    }

    /// Begins a journal with weights by code.
    pub(crate) fn restore<C: Code>(&mut self, policy: &mut Policy<C>, weights: &[(C, f64)]) {
        self.found.restore(policy, weights);
        self.mark(policy);
    }

    /// Puts the noted weights back.
    pub(crate) fn undo<C: Code>(&mut self, policy: &mut Policy<C>) {
        policy.note_changed(self.slots());
        for change in self.found.0.drain(..) {
            *policy.weights.get_mut(change.slot) = change.weight;
            *policy.values.get_mut(change.slot) = change.value;
        }
        if !self.bias_weights.is_empty() {
            std::mem::swap(&mut policy.bias_weights, &mut self.bias_weights);
            self.bias_weights.clear();
        }
    }

    /// The slots that are noted.
    pub(crate) fn slots(&self) -> impl Iterator<Item = u32> {
        self.found.0.iter().map(|change| change.slot)
    }

    /// Marks what is noted.
    fn mark<C: Code>(&mut self, policy: &Policy<C>) {
        self.noted.reset(policy.space.count());
        for change in &self.found.0 {
            self.noted.set(change.slot);
        }
    }
}

/// Drops the slots of codes that no weight and no journal needs.
pub(crate) fn compact<C: Code>(policy: &mut Policy<C>, journals: &mut [&mut Journal]) {
    compact_changes(policy, journals.iter_mut().map(|journal| &mut journal.found).collect());
    for journal in journals {
        journal.mark(policy);
    }
}

/// Drops the slots of codes that no weight and no change needs.
pub(crate) fn compact_changes<C: Code>(policy: &mut Policy<C>, mut lists: Vec<&mut Changes>) {
    let mut needed = Marks::default();
    needed.reset(policy.space.count());
    for change in lists.iter().flat_map(|changes| &changes.0) {
        if change.weight != 0.0 {
            needed.set(change.slot);
        }
    }
    let renumbered = policy.compact(&needed);
    for changes in &mut lists {
        // A dropped slot has weight zero in the policy and here: there is nothing to change.
        changes.0.retain_mut(|change| {
            change.slot = renumbered[change.slot as usize];
            change.slot != u32::MAX
        });
    }
}
