//! The sizes of domains, to find a cell with the smallest domain.

use std::num::NonZero;

/// How many bytes are looked at together.
const CHUNK: usize = 64;

/// The size for a cell that has its value: no domain has this many values.
const FILLED: u8 = u8::MAX;

/// The size of the domain of each cell, at most 254.
///
/// Sizes change far more often than anyone asks for the smallest, so the cells are not kept in
/// order. Each size is a byte, and to search them takes a few vector instructions.
#[derive(Clone, Debug)]
pub(crate) struct Sizes(Vec<[u8; CHUNK]>);

impl Sizes {
    pub(crate) fn new(sizes: &[u8]) -> Self {
        let chunk = |sizes: &[u8]| {
            let mut chunk = [FILLED; CHUNK];
            chunk[..sizes.len()].copy_from_slice(sizes);
            chunk
        };
        Sizes(sizes.chunks(CHUNK).map(chunk).collect())
    }

    /// Becomes a copy of another one for the same cells.
    pub(crate) fn copy(&mut self, other: &Self) {
        self.0.copy_from_slice(&other.0);
    }

    /// The first cell of the smallest size, if any is left; no size may be 0.
    #[inline]
    pub(crate) fn first(&self) -> Option<usize> {
        let (mut least, mut found) = (FILLED, 0);
        for (index, chunk) in self.0.iter().enumerate() {
            let smallest = chunk.iter().fold(FILLED, |least, &size| least.min(size));
            if smallest < least {
                (least, found) = (smallest, index);
                if least == 1 {
                    break;
                }
            }
        }
        let words = self.0.get(found).filter(|_| least < FILLED)?.as_chunks::<8>().0;
        let places = words.iter().map(|&word| place_of(least, u64::from_le_bytes(word)));
        let (word, place) = places.enumerate().find(|&(_, place)| place < 8)?;
        Some(found * CHUNK + word * 8 + place)
    }

    /// Takes a cell out.
    #[inline(always)]
    pub(crate) fn remove(&mut self, cell: usize) {
        self.0.as_flattened_mut()[cell] = FILLED;
    }

    /// Notes that the domain of a cell has lost this many values, and returns its new size.
    #[inline(always)]
    pub(crate) fn shrink(&mut self, cell: usize, by: u8) -> u8 {
        let size = &mut self.0.as_flattened_mut()[cell];
        *size -= by;
        *size
    }
}

/// The place of the lowest byte of a word that has this value; 8 if none has.
#[inline(always)]
fn place_of(value: u8, word: u64) -> usize {
    let differ = word ^ u64::from_ne_bytes([value; 8]);
    // Taking 1 from each byte sets the highest bit of those that are 0; bits above the lowest of
    // these may be wrong.
    let zero = differ.wrapping_sub(0x0101_0101_0101_0101) & !differ & 0x8080_8080_8080_8080;
    zero.trailing_zeros() as usize / 8
}

/// The bits of a mask from the lowest.
#[inline(always)]
pub(crate) fn bits(mut mask: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = NonZero::new(mask)?.trailing_zeros();
        mask &= mask - 1;
        Some(bit as usize)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_cell_of_the_smallest_domain_comes_first() {
        let sizes: Vec<u8> = (0..130).map(|cell| if cell % 3 == 2 { 4 } else { 6 }).collect();
        let mut cells = Sizes::new(&sizes);
        let root = cells.clone();
        assert_eq!(cells.first(), Some(2));
        assert_eq!(cells.shrink(129, 3), 3);
        assert_eq!(cells.first(), Some(129));
        assert_eq!(cells.shrink(70, 5), 1);
        assert_eq!(cells.first(), Some(70));
        cells.remove(70);
        cells.remove(129);
        for cell in (2..130).step_by(3) {
            assert_eq!(cells.first(), Some(cell));
            cells.remove(cell);
        }
        assert_eq!(cells.first(), Some(0));
        cells.copy(&root);
        assert_eq!(cells.first(), Some(2));
        (0..130).for_each(|cell| cells.remove(cell));
        assert_eq!(cells.first(), None);
        assert_eq!(Sizes::new(&[]).first(), None);
    }

    #[test]
    fn bits_come_in_order() {
        assert_eq!(bits(1 | 1 << 5 | 1 << 63).collect::<Vec<_>>(), [0, 5, 63]);
        assert_eq!(bits(0).count(), 0);
    }
}
