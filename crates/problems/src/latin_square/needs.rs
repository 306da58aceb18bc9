//! Entries of a Latin square, and the needs that they meet.
//!
//! An entry meets a need for each two of its row, column and value. The kind of a need is the index
//! of the third one, which it leaves open: 0, 1 and 2 for row, column and value. A need has a
//! number, and so has an entry, so that one follows from the other by shifts.

use std::ops::{Index, IndexMut};

use super::MAX_ORDER;

/// Bits of a row, a column or a value.
const BITS: u32 = MAX_ORDER.ilog2();
/// The index of the value in an entry, and of the needs of cells.
pub(super) const VALUE: usize = 2;
/// The number of needs of a kind, and room for all three kinds.
pub(super) const NEEDS: usize = 1 << (2 * BITS);
const ROOM: usize = 4 * NEEDS;
/// The number of entries.
pub(super) const ENTRIES: usize = 1 << (3 * BITS);

/// Row, column and value, all from 0, each in its own bits.
#[derive(Clone, Copy)]
pub(super) struct Entry(usize);

impl Entry {
    #[inline(always)]
    pub(super) fn new([row, column, value]: [usize; 3]) -> Self {
        Entry((row << BITS | column) << BITS | value)
    }

    /// The entry that meets a need by a third.
    #[inline(always)]
    pub(super) fn of(need: usize, third: usize) -> Self {
        let (low, parts) = (lowest(need / NEEDS), need % NEEDS);
        Entry((parts >> low << BITS | third) << low | parts & ((1 << low) - 1))
    }

    /// Below [`ENTRIES`].
    #[inline(always)]
    pub(super) fn number(self) -> usize {
        self.0
    }

    /// Row, column or value.
    #[inline(always)]
    pub(super) fn part(self, kind: usize) -> usize {
        self.0 >> lowest(kind) & (MAX_ORDER - 1)
    }

    /// The need for the two parts that are not `kind`: these, one after the other.
    #[inline(always)]
    pub(super) fn need(self, kind: usize) -> usize {
        let low = lowest(kind);
        (kind * NEEDS) | self.0 >> (low + BITS) << low | self.0 & ((1 << low) - 1)
    }

    /// The same with another row, column or value.
    #[inline(always)]
    pub(super) fn with(self, kind: usize, part: usize) -> Self {
        let low = lowest(kind);
        Entry(self.0 & !((MAX_ORDER - 1) << low) | part << low)
    }
}

/// The lowest bit of a part of an entry.
#[inline(always)]
fn lowest(kind: usize) -> u32 {
    (2 - kind as u32) * BITS
}

/// The kind of a need, and the two parts that it is for.
#[inline(always)]
pub(super) fn parts(need: usize) -> (usize, [usize; 2]) {
    (need / NEEDS, [need / MAX_ORDER % MAX_ORDER, need % MAX_ORDER])
}

/// Something for each need. Numbers are taken modulo the room, which takes no comparison.
pub(super) struct Needs<T>(pub(super) Box<[T; ROOM]>);

impl<T: Copy> Needs<T> {
    pub(super) fn new(value: T) -> Self {
        Needs(Box::new([value; ROOM]))
    }
}

impl<T> Index<usize> for Needs<T> {
    type Output = T;

    #[inline(always)]
    fn index(&self, need: usize) -> &T {
        &self.0[need % ROOM]
    }
}

impl<T> IndexMut<usize> for Needs<T> {
    #[inline(always)]
    fn index_mut(&mut self, need: usize) -> &mut T {
        &mut self.0[need % ROOM]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_follows_from_each_of_its_needs_and_a_third() {
        for whole in [[0, 0, 0], [63, 0, 1], [5, 63, 17], [1, 2, 63], [63; 3]] {
            let entry = Entry::new(whole);
            for kind in 0..3 {
                let mut others = whole.to_vec();
                let third = others.remove(kind);
                let need = entry.need(kind);
                assert_eq!(parts(need), (kind, [others[0], others[1]]));
                assert_eq!(entry.part(kind), third);
                assert_eq!(Entry::of(need, third).0, entry.0);
                assert_eq!(entry.with(kind, 9).with(kind, third).0, entry.0);
                assert_eq!(entry.with(kind, 9).part(kind), 9);
            }
        }
    }
}
