//! Code spaces: from the code of a move to its slot in the policy's tables.

use std::collections::HashMap;
use std::fmt::Debug;
use std::hash::{BuildHasherDefault, Hasher};

use serde::Serialize;
use serde::de::DeserializeOwned;

/// A code, the policy's key of a move.
pub trait Code:
    Copy
    + Send
    + Sync
    + PartialEq
    + Debug
    + Into<u64>
    + TryFrom<u64>
    + Serialize
    + DeserializeOwned
    + 'static
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
#[derive(Debug)]
pub struct Hashed {
    slots: HashMap<u64, u32, BuildHasherDefault<Multiply>>,
    /// The code of each slot; the one of slot 0 has no meaning.
    codes: Vec<u64>,
}

impl Clone for Hashed {
    fn clone(&self) -> Self {
        Hashed { slots: self.slots.clone(), codes: self.codes.clone() }
    }

    fn clone_from(&mut self, other: &Self) {
        self.slots.clone_from(&other.slots);
        self.codes.clone_from(&other.codes);
    }
}

impl Slots<u64> for Hashed {
    fn new(_code_count: usize) -> Self {
        Hashed { slots: HashMap::default(), codes: vec![0] }
    }

    fn count(&self) -> usize {
        self.codes.len()
    }

    #[inline]
    fn find<'a>(&self, codes: &'a [u64], memory: &'a mut Vec<u32>) -> &'a [u32] {
        memory.clear();
        memory.extend(codes.iter().map(|code| self.slots.get(code).copied().unwrap_or(0)));
        memory
    }

    fn intern(&mut self, codes: &[u64], slots: &mut Vec<u32>) {
        slots.clear();
        for &code in codes {
            let next = self.codes.len() as u32;
            let slot = *self.slots.entry(code).or_insert(next);
            if slot == next {
                self.codes.push(code);
            }
            slots.push(slot);
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
        self.slots.retain(|_, slot| {
            *slot = renumbered[*slot as usize];
            *slot != u32::MAX
        });
        renumbered
    }
}

/// Codes are mostly hashes already; one multiplication spreads those that are not.
#[derive(Clone, Copy, Default)]
pub struct Multiply(u64);

impl Hasher for Multiply {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    #[inline]
    fn write_u64(&mut self, code: u64) {
        let product = (self.0 ^ code).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0 = product ^ (product >> 32);
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
