//! Code spaces: from the code of a move to its slot in the policy's tables.

use std::fmt::Debug;

use serde::Serialize;
use serde::de::DeserializeOwned;

/// A code, the policy's key of a move.
pub trait Code:
    Copy + Send + Sync + Ord + Debug + Into<u64> + TryFrom<u64> + Serialize + DeserializeOwned + 'static
{
    /// The table that maps codes of this kind to slots.
    type Slots: Slots<Self>;
}

impl Code for u32 {
    type Slots = Dense;
}

impl Code for u64 {
    type Slots = Hashed;
}

/// Maps codes to slots. Slot 0 of a hashed space stands for all codes that have no slot.
pub trait Slots<C>: Clone + Send + Sync {
    /// The slots for a problem with this many dense codes.
    fn new(code_count: usize) -> Self;
    /// The number of slots in use.
    fn count(&self) -> usize;
    /// The slot of each code; slot 0 if it has none. `memory` may be used to hold them.
    fn find<'a>(&self, codes: &'a [C], memory: &'a mut Vec<u32>) -> &'a [u32];
    /// Puts the slot of each code into `slots`; a code without a slot gets one.
    fn intern(&mut self, codes: &[C], slots: &mut Vec<u32>);
    /// The code of each slot; `None` for a slot that does not stand for a single code.
    fn codes(&self) -> Vec<Option<C>>;
    /// The code of a slot that stands for a single code.
    fn code(&self, slot: u32) -> C;
    /// Whether slots can be dropped ([`Slots::retain`]).
    fn grows(&self) -> bool;
    /// Keeps the slots for which `keep` is true, and renumbers them in order. Returns the new
    /// number of each old slot; `u32::MAX` if it was dropped.
    fn retain(&mut self, keep: impl Fn(u32) -> bool) -> Vec<u32>;
}

/// A code that is its own slot.
#[derive(Clone, Debug)]
pub struct Dense(usize);

impl Slots<u32> for Dense {
    fn new(code_count: usize) -> Self {
        Dense(code_count)
    }

    fn count(&self) -> usize {
        self.0
    }

    #[inline(always)]
    fn find<'a>(&self, codes: &'a [u32], _memory: &'a mut Vec<u32>) -> &'a [u32] {
        codes
    }

    fn intern(&mut self, codes: &[u32], slots: &mut Vec<u32>) {
        slots.clear();
        slots.extend_from_slice(codes);
    }

    fn codes(&self) -> Vec<Option<u32>> {
        (0..self.0 as u32).map(Some).collect()
    }

    fn code(&self, slot: u32) -> u32 {
        slot
    }

    fn grows(&self) -> bool {
        false
    }

    fn retain(&mut self, _keep: impl Fn(u32) -> bool) -> Vec<u32> {
        (0..self.0 as u32).collect()
    }
}

/// 64-bit codes, each given a slot when the policy first adapts it.
///
/// Most codes that are looked for have no slot, and the others lie together as their sequences do. So
/// the table to search holds slots only, and is small.
#[derive(Debug)]
pub struct Hashed {
    /// The code of each slot; the one of slot 0 has no meaning.
    codes: Vec<u64>,
    /// Slots at the places where their codes are looked for first, or in the next free place; 0 is
    /// free. The length is a power of two, at least [`SPARSE`] times the number of slots.
    places: Vec<u32>,
}

/// How many places a slot has at least. With more, fewer codes meet, but less fits into the cache.
const SPARSE: usize = 4;

impl Hashed {
    /// The place where a code is looked for first.
    #[inline(always)]
    fn first(&self, code: u64) -> usize {
        // Codes are mostly hashes already. One multiplication spreads those that are not: the high
        // bits of the product depend on all bits of the code.
        let product = code.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (product >> (self.places.len().leading_zeros() + 1)) as usize & (self.places.len() - 1)
    }

    /// The slot of a code, or the free place where it would be.
    fn look(&self, code: u64) -> Result<u32, usize> {
        let mut place = self.first(code);
        loop {
            let slot = self.places[place];
            if slot == 0 {
                return Err(place);
            }
            if self.codes[slot as usize] == code {
                return Ok(slot);
            }
            place = (place + 1) & (self.places.len() - 1);
        }
    }

    /// Gives all slots their places, in a table of this length.
    fn place(&mut self, len: usize) {
        self.places.clear();
        self.places.resize(len, 0);
        for (slot, &code) in (0..).zip(&self.codes).skip(1) {
            if let Err(free) = self.look(code) {
                self.places[free] = slot;
            }
        }
    }
}

impl Clone for Hashed {
    fn clone(&self) -> Self {
        Hashed { codes: self.codes.clone(), places: self.places.clone() }
    }

    fn clone_from(&mut self, other: &Self) {
        self.codes.clone_from(&other.codes);
        self.places.clone_from(&other.places);
    }
}

impl Slots<u64> for Hashed {
    fn new(_code_count: usize) -> Self {
        Hashed { codes: vec![0], places: vec![0; 64] }
    }

    fn count(&self) -> usize {
        self.codes.len()
    }

    #[inline]
    fn find<'a>(&self, codes: &'a [u64], memory: &'a mut Vec<u32>) -> &'a [u32] {
        memory.clear();
        memory.extend(codes.iter().map(|&code| {
            let slot = self.places[self.first(code)];
            let known = self.codes[slot as usize] == code;
            // Nothing predicts whether a code is known: no branch depends on it.
            match known | (slot == 0) {
                true => slot * u32::from(known),
                false => self.look(code).unwrap_or(0),
            }
        }));
        memory
    }

    fn intern(&mut self, codes: &[u64], slots: &mut Vec<u32>) {
        slots.clear();
        for &code in codes {
            slots.push(self.look(code).unwrap_or_else(|free| {
                let slot = self.codes.len() as u32;
                self.codes.push(code);
                self.places[free] = slot;
                if self.codes.len() * SPARSE > self.places.len() {
                    self.place(2 * self.places.len());
                }
                slot
            }));
        }
    }

    fn codes(&self) -> Vec<Option<u64>> {
        let known = self.codes[1..].iter().copied().map(Some);
        std::iter::once(None).chain(known).collect()
    }

    fn code(&self, slot: u32) -> u64 {
        self.codes[slot as usize]
    }

    fn grows(&self) -> bool {
        true
    }

    fn retain(&mut self, keep: impl Fn(u32) -> bool) -> Vec<u32> {
        let mut renumbered = vec![u32::MAX; self.count()];
        renumbered[0] = 0;
        let mut len = 1;
        for (old, new) in renumbered.iter_mut().enumerate().skip(1) {
            if keep(old as u32) {
                *new = len as u32;
                self.codes[len] = self.codes[old];
                len += 1;
            }
        }
        self.codes.truncate(len);
        self.place(self.places.len());
        renumbered
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashed_codes_get_slots_once_and_keep_them() {
        let mut space = Hashed::new(0);
        let mut slots = Vec::new();
        space.intern(&[7, 9, 7], &mut slots);
        assert_eq!(slots, [1, 2, 1]);
        assert_eq!(space.find(&[9, 8], &mut slots), [2, 0]);
    }

    #[test]
    fn codes_of_any_pattern_are_found_again() {
        for shift in [0, 7, 32, 50] {
            let codes: Vec<u64> = (0..3000).map(|k| k << shift).collect();
            let (mut space, mut slots) = (Hashed::new(0), Vec::new());
            space.intern(&codes, &mut slots);
            assert_eq!(space.find(&codes, &mut Vec::new()), slots);
            let far = |(place, &slot): (usize, &u32)| {
                let first = space.first(space.code(slot));
                if slot == 0 { 0 } else { place.wrapping_sub(first) % space.places.len() }
            };
            let furthest = space.places.iter().enumerate().map(far).max();
            assert!(furthest < Some(20), "codes << {shift} are {furthest:?} places away");
            let renumbered = space.retain(|slot| slot % 3 == 0);
            let left = slots.iter().map(|&slot| match renumbered[slot as usize] {
                u32::MAX => 0,
                slot => slot,
            });
            assert_eq!(space.find(&codes, &mut Vec::new()), left.collect::<Vec<_>>());
        }
    }

    #[test]
    fn retain_renumbers_in_order() {
        let mut space = Hashed::new(0);
        let mut slots = Vec::new();
        space.intern(&[10, 11, 12, 13], &mut slots);
        let renumbered = space.retain(|slot| slot % 2 == 0);
        assert_eq!(renumbered, [0, u32::MAX, 1, u32::MAX, 2]);
        assert_eq!(space.find(&[10, 11, 12, 13], &mut slots), [0, 1, 0, 2]);
        space.intern(&[99], &mut slots);
        assert_eq!(slots, [3]);
    }
}
