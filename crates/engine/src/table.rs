//! Tables of numbers that are read without bounds checks.

/// Numbers by slot. The length is a power of two, and a slot is taken modulo the length, so reading
/// takes no comparison. A slot beyond the table would read the number of another slot; the engine
/// never makes one from codes below [`crate::problem::Problem::code_count`].
#[derive(Clone, Debug)]
pub(crate) struct Table {
    numbers: Vec<f64>,
    mask: usize,
}

impl Default for Table {
    fn default() -> Self {
        Table::new(1, 0.0)
    }
}

impl Table {
    /// A table with room for this many slots and at least one, each with `number`.
    pub(crate) fn new(slots: usize, number: f64) -> Self {
        let len = slots.next_power_of_two();
        Table { numbers: vec![number; len], mask: len - 1 }
    }

    /// Makes room for this many slots; new ones have `number`.
    pub(crate) fn grow(&mut self, slots: usize, number: f64) {
        if slots > self.numbers.len() {
            let len = slots.next_power_of_two();
            self.numbers.resize(len, number);
            self.mask = len - 1;
        }
    }

    /// Becomes a copy of another table and keeps its own memory.
    pub(crate) fn copy(&mut self, other: &Table) {
        self.numbers.clone_from(&other.numbers);
        self.mask = other.mask;
    }

    /// The number of a slot.
    #[inline(always)]
    pub(crate) fn get(&self, slot: u32) -> f64 {
        let index = slot as usize & self.mask;
        debug_assert_eq!(index, slot as usize);
        // SAFETY: the mask is the length minus one, and the length is a power of two.
        unsafe { *self.numbers.get_unchecked(index) }
    }

    /// The number of a slot, to change it.
    #[inline(always)]
    pub(crate) fn get_mut(&mut self, slot: u32) -> &mut f64 {
        let index = slot as usize & self.mask;
        debug_assert_eq!(index, slot as usize);
        // SAFETY: as in `get`.
        unsafe { self.numbers.get_unchecked_mut(index) }
    }

    /// Sets every slot from `first` on to `number`.
    pub(crate) fn fill_from(&mut self, first: usize, number: f64) {
        self.numbers[first..].fill(number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grows_to_powers_of_two_and_keeps_its_numbers() {
        let mut table = Table::new(3, 1.0);
        *table.get_mut(2) = 5.0;
        table.grow(9, 2.0);
        assert_eq!((table.get(2), table.get(3), table.get(4)), (5.0, 1.0, 2.0));
        table.fill_from(3, 0.0);
        assert_eq!((table.get(2), table.get(3)), (5.0, 0.0));
    }
}
