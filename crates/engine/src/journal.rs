//! The undo journal: a level puts back the weights it moved when it returns.

use crate::code::{Code, Slots};
use crate::policy::{Marks, Policy};

/// The weights a level found, noted when it first touches them.
///
/// A level's changes to the policy end with the level (nrpa-2011, section 2.2). Noting what it
/// touches takes the place of copying the policy (gnrpa-2020, section 5.2).
#[derive(Clone, Debug, Default)]
pub(crate) struct Journal {
    entries: Vec<Entry>,
    noted: Marks,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    slot: u32,
    weight: f64,
    value: f64,
}

impl Journal {
    /// Begins an empty journal.
    pub(crate) fn begin(&mut self) {
        self.entries.clear();
        self.noted.reset(0);
    }

    /// Notes the weights of those slots that are not noted yet.
    pub(crate) fn note<C: Code>(&mut self, policy: &Policy<C>, slots: &[u32]) {
        self.noted.reserve(policy.space.count());
        for &slot in slots {
            if self.noted.set(slot) {
                let weight = policy.weights.get(slot);
                let value = policy.values.get(slot);
                self.entries.push(Entry { slot, weight, value });
            }
        }
    }

    /// The noted weights by code, to save.
    pub(crate) fn saved<C: Code>(&self, codes: &[Option<C>]) -> Vec<(C, f64)> {
        let code = |entry: &Entry| Some((codes[entry.slot as usize]?, entry.weight));
        self.entries.iter().filter_map(code).collect()
    }

    /// Begins a journal with the weights that were saved.
    pub(crate) fn restore<C: Code>(&mut self, policy: &mut Policy<C>, saved: &[(C, f64)]) {
        self.begin();
        for &(code, weight) in saved {
            let slot = policy.slot(code);
            self.noted.reserve(policy.space.count());
            self.noted.set(slot);
            self.entries.push(Entry { slot, weight, value: policy.value_of(slot, weight) });
        }
    }

    /// Puts the noted weights back.
    pub(crate) fn undo<C: Code>(&mut self, policy: &mut Policy<C>) {
        for entry in self.entries.drain(..) {
            *policy.weights.get_mut(entry.slot) = entry.weight;
            *policy.values.get_mut(entry.slot) = entry.value;
        }
    }
}

/// Gives back the slots of codes that no weight and no journal needs.
pub(crate) fn compact<C: Code>(policy: &mut Policy<C>, journals: &mut [&mut Journal]) {
    let mut needed = Marks::default();
    needed.reset(policy.space.count());
    for entry in journals.iter().flat_map(|journal| &journal.entries) {
        if entry.weight != 0.0 {
            needed.set(entry.slot);
        }
    }
    let renumbered = policy.compact(&needed);
    for journal in journals {
        // A dropped slot has weight zero now as it had when noted: it is noted afresh if touched.
        journal.noted.reset(policy.space.count());
        journal.entries.retain_mut(|entry| {
            entry.slot = renumbered[entry.slot as usize];
            entry.slot != u32::MAX && journal.noted.set(entry.slot)
        });
    }
}
