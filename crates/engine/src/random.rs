//! Randomness derived from a path in the search tree.
//!
//! Every place of a search (seed, job, restart, iteration of each level) has a 64-bit key, and the
//! key of a playout starts its generator. No generator is shared or passed on from one playout to
//! the next, so it cannot matter what runs where. Both steps are SplitMix64 (Steele, Lea and Flood
//! 2014): the key of child `i` is the `i`-th output of the generator that starts at the parent's
//! key.

use serde::{Deserialize, Serialize};

const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// The key of a place in the search tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Key(pub u64);

impl Key {
    /// The key of job number `job` of the search with this seed.
    pub fn root(seed: u64, job: u64) -> Self {
        Key(seed).child(job)
    }

    /// The key of the child with this index.
    #[inline]
    pub fn child(self, index: u64) -> Self {
        Key(mix(self.0.wrapping_add(GOLDEN.wrapping_mul(index.wrapping_add(1)))))
    }

    /// Whether the playout with this key is one of those that costly checks are made in.
    #[inline]
    pub fn is_thorough(self) -> bool {
        self.0.is_multiple_of(THOROUGH)
    }
}

/// One playout in so many is [thorough](Key::is_thorough).
const THOROUGH: u64 = 16;

/// The generator of one playout.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Random(u64);

impl Random {
    /// The generator that belongs to a key.
    pub fn new(key: Key) -> Self {
        Random(key.0)
    }

    /// The next 64 random bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(GOLDEN);
        mix(self.0)
    }

    /// The next uniform number in [0, 1), a multiple of 2^-53.
    #[inline]
    pub fn uniform(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// The next uniform index below `count`, which is at least 1 and at most 2^32.
    #[inline]
    pub fn below(&mut self, count: usize) -> usize {
        // The product is rounded to less than `count`: see the test.
        (self.uniform() * count as f64) as usize
    }
}

/// The last step of SplitMix64: a bijection that scatters neighbouring numbers.
#[inline]
pub fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splitmix_reference_outputs() {
        // First outputs of the published generator from state 1234567.
        let mut random = Random::new(Key(1234567));
        assert_eq!(random.bits(), 6457827717110365317);
        assert_eq!(random.bits(), 3203168211198807973);
        assert_eq!(random.bits(), 9817491932198370423);
    }

    #[test]
    fn indices_stay_below() {
        let greatest = ((1u64 << 53) - 1) as f64 * (1.0 / (1u64 << 53) as f64);
        for count in (1..100_000u64).chain([(1 << 32) - 1, 1 << 32]) {
            assert!(greatest * (count as f64) < count as f64);
        }
        let mut random = Random::new(Key(7));
        let drawn: std::collections::HashSet<_> = (0..200).map(|_| random.below(6)).collect();
        assert_eq!(drawn, (0..6).collect());
    }

    #[test]
    fn child_is_the_generators_output() {
        let mut random = Random::new(Key(42));
        for index in 0..5 {
            assert_eq!(Key(42).child(index).0, random.bits());
        }
    }
}
