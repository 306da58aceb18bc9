//! Sets of slots.

/// A set of slots that is emptied in constant time.
#[derive(Clone, Debug, Default)]
pub(crate) struct Marks {
    epochs: Vec<u32>,
    epoch: u32,
}

impl Marks {
    /// Empties the set and makes room for this many slots.
    pub(crate) fn reset(&mut self, len: usize) {
        if self.epoch == u32::MAX {
            self.epochs.fill(0);
            self.epoch = 0;
        }
        self.epoch += 1;
        self.reserve(len);
    }

    /// Makes room for this many slots.
    pub(crate) fn reserve(&mut self, len: usize) {
        if self.epochs.len() < len {
            self.epochs.resize(len, 0);
        }
    }

    /// Adds a slot; true if it was not in the set.
    #[inline]
    pub(crate) fn set(&mut self, slot: u32) -> bool {
        let epoch = &mut self.epochs[slot as usize];
        let fresh = *epoch != self.epoch;
        *epoch = self.epoch;
        fresh
    }

    /// Whether a slot is in the set.
    pub(crate) fn contains(&self, slot: u32) -> bool {
        self.epochs.get(slot as usize) == Some(&self.epoch)
    }
}
